"""Sawtooth: a congestion-control laboratory.

    >>> import sawtooth as st
    >>> run = st.run("scenario.toml")           # simulate one scenario
    >>> run.values["goodput"], run.flows        # metrics by name, counters as Arrow tables
    >>> st.replay(run.run_id)                   # the same run again, bit for bit
    >>> st.compare(["aimd(1, 0.5)", "aiad(1, 3)"], environments=["sq-high"], seeds=5).scores
    >>> st.sweep("scenario.toml", {"path.rtt": ["20 ms", "40 ms"]}, seeds=3).table
    >>> st.reproduce("akella2002/fig4")         # or a study file of your own
    >>> st.mathematics("akella2002").judged     # what is algebra, without runs
    >>> st.overlay(quick=True).curves           # runs laid over the formulas
    >>> st.load_plugin("libmine.so")            # your own controller, by its name from here on

Tables are Arrow tables: polars, pandas and DuckDB take them without copying. On the command line: `sawtooth --help`.
"""

from __future__ import annotations

import os
from importlib import import_module
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from sawtooth.errors import InputError, PluginError, RunError
    from sawtooth.experiment.sweep import sweep
    from sawtooth.papers.compare import compare
    from sawtooth.papers.formulas.overlay import overlay
    from sawtooth.papers.mathematics import mathematics
    from sawtooth.papers.reproduce import reproduce
    from sawtooth.plugins.conformance import check_controller
    from sawtooth.plugins.controller import Parameter, controller
    from sawtooth.plugins.load import load_plugin, plugin_costs
    from sawtooth.run.api import Replay, replay, run
    from sawtooth.run.cluster.cluster import cluster
    from sawtooth.run.run import Run, RunSummary
    from sawtooth.run.runner import run_many
    from sawtooth.run.store import Store
else:
    # A package of this name exists beside the function. Loaded now, it cannot take the function's place later.
    import_module("sawtooth.run")
    del globals()["run"]

__all__ = [
    "InputError",
    "Parameter",
    "PluginError",
    "Replay",
    "Run",
    "RunError",
    "RunSummary",
    "Store",
    "check_controller",
    "cluster",
    "compare",
    "controller",
    "load_plugin",
    "mathematics",
    "overlay",
    "plugin_costs",
    "replay",
    "reproduce",
    "run",
    "run_many",
    "sweep",
]

_HOMES: Final = {
    "InputError": "sawtooth.errors",
    "Parameter": "sawtooth.plugins.controller",
    "PluginError": "sawtooth.errors",
    "Replay": "sawtooth.run.api",
    "Run": "sawtooth.run.run",
    "RunError": "sawtooth.errors",
    "RunSummary": "sawtooth.run.run",
    "Store": "sawtooth.run.store",
    "check_controller": "sawtooth.plugins.conformance",
    "cluster": "sawtooth.run.cluster.cluster",
    "compare": "sawtooth.papers.compare",
    "controller": "sawtooth.plugins.controller",
    "load_plugin": "sawtooth.plugins.load",
    "mathematics": "sawtooth.papers.mathematics",
    "overlay": "sawtooth.papers.formulas.overlay",
    "plugin_costs": "sawtooth.plugins.load",
    "replay": "sawtooth.run.api",
    "reproduce": "sawtooth.papers.reproduce",
    "run": "sawtooth.run.api",
    "run_many": "sawtooth.run.runner",
    "sweep": "sawtooth.experiment.sweep",
}
"""The module of each public name. It is loaded when somebody asks for the name, so that a command waits for no library it does not use."""


def __getattr__(name: str) -> Any:
    home = _HOMES.get(name)
    if home is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    if os.environ.get("SAWTOOTH_PLUGINS"):
        import_module("sawtooth.plugins.load").load_listed()
    found = globals()[name] = getattr(import_module(home), name)
    return found


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
