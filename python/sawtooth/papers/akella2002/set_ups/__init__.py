"""The set-ups of `configurations.toml` beside each other: ``perform`` runs and compares them, ``page`` writes what came out, ``command`` is
what the command line asks for."""
