"""The set-ups of `configurations.toml` beside each other: ``perform`` runs and compares them, ``ablation`` takes back the values of one,
``page`` and ``ablation_page`` write what came out, ``command`` is what the command line asks for."""
