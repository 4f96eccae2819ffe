"""Single runs and many: the engine is called here, and its results are stored."""
