"""Sawtooth: a congestion-control laboratory.

    >>> import sawtooth as st
    >>> run = st.run("scenario.toml")           # simulate one scenario
    >>> run.values["goodput"], run.flows        # metrics by name, counters as Arrow tables
    >>> st.replay(run.run_id)                   # the same run again, bit for bit
    >>> st.compare(["aimd(1, 0.5)", "aiad(1, 3)"], environments=["sq-high"], seeds=5).scores
    >>> st.reproduce("akella2002/fig4")
    >>> st.mathematics("akella2002").judged     # what is algebra, without runs
    >>> st.overlay(quick=True).curves           # runs laid over the formulas

Tables are Arrow tables: polars, pandas and DuckDB take them without copying. On the command line: `sawtooth --help`.
"""

from __future__ import annotations

# Imported here and not on demand: `run`, `compare` and `reproduce` are also names of modules of this package, and an import of such
# a module would put itself in the place of the function. Bound after that import, the function stays.
from sawtooth.api import Replay, replay, run
from sawtooth.compare import compare
from sawtooth.errors import InputError
from sawtooth.mathematics import mathematics
from sawtooth.overlay import overlay
from sawtooth.reproduce import reproduce
from sawtooth.run import Run, RunSummary
from sawtooth.runner import RunError, run_many
from sawtooth.store import Store

__all__ = [
    "InputError",
    "Replay",
    "Run",
    "RunError",
    "RunSummary",
    "Store",
    "compare",
    "mathematics",
    "overlay",
    "replay",
    "reproduce",
    "run",
    "run_many",
]
