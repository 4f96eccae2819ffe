"""Sawtooth against what was measured elsewhere and against closed forms: the numbers behind docs/validation.md.

    python -m validation            measure everything, rewrite the tables of docs/validation.md and the figures in docs/figures
    python -m validation --page bbr fill docs/bbr.md alone; scalable: docs/scalable.md
    python -m validation --check    measure everything; exit 1 if a table or figure would change

Source: ns-2 2.35 and Linux 6.18 as recorded in `data` (see data/README.md); [Floyd00] and closed forms derived where they are used.

Every scenario here is a TOML file a user could have written (`scenarios`), and every run takes the public path: scenario, resolve, run,
metrics. Nothing is stored: an engine that changed is measured anew.
"""
