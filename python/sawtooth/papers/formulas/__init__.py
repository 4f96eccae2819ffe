"""Packets against formulas: runs of the engine beside the mathematics of all papers.

``overlay`` runs and judges, ``study`` reads ``studies/mathematics.toml``; one file per kind of curve: ``loss`` (response functions and the
constant of 1/sqrt(p)), ``sharing`` (the path of two flows to equal windows), ``fixed_points`` (AIMD-FC). ``lending`` judges claims of a
paper on these runs; ``page`` and ``figures`` show what came out.
"""

from __future__ import annotations

from typing import Final

from sawtooth.papers.paper import Paper

PAPER: Final = Paper(name="formulas", further={"mathematics": "formulas.command.OVERLAY"})
