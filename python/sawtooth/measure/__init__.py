"""What is measured of a run: metrics of the whole, and measures of parts of it."""
