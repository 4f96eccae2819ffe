"""Sawtooth: a congestion-control laboratory.

    >>> import sawtooth as st
    >>> run = st.run("examples/one-flow.toml")         # simulate one scenario
    >>> round(run.values["goodput"], 2)                # its metrics by name
    1.0
    >>> run.flows["retransmits"].to_pylist()           # its counters as Arrow tables
    [7]
    >>> st.replay(run.run_id).same                     # the same run again, bit for bit
    True
    >>> laws = ["aimd(1, 0.8)", "aimd(1, 0.5)"]        # the same network and seeds for both
    >>> st.compare(laws, scenario="examples/one-flow.toml", seeds=2)
    <Comparison compare: 2 controllers, 1 setting, 1 environment, 2 seeds; 4 runs
     ...
    >>> st.sweep("examples/one-flow.toml", {"path.rtt": ["50 ms", "100 ms"]}, seeds=2).table.num_rows
    4

`sawtooth examples` puts the examples into the working directory. Work that takes minutes:

    st.reproduce("akella2002/fig4")         # a figure of a paper, or a study file of your own
    st.mathematics("akella2002").judged     # the claims of a paper that follow from its formulas alone
    st.overlay(quick=True).curves           # runs beside the formulas

And `st.load_plugin("libmine.so")` makes controllers of your own available by name.

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
    from sawtooth.papers.mathematics import mathematics
    from sawtooth.papers.overlay import overlay
    from sawtooth.papers.reproduce import reproduce
    from sawtooth.plugins.conformance import check_controller
    from sawtooth.plugins.controller import Parameter, controller
    from sawtooth.plugins.load import load_plugin, plugin_costs
    from sawtooth.run.api import Replay, replay, run
    from sawtooth.run.cluster.cluster import cluster
    from sawtooth.run.run import Run, RunSummary
    from sawtooth.run.runner import run_many
    from sawtooth.run.store import Store
    from sawtooth.scenario.scenario import load_scenario
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
    "load_scenario",
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
    "load_scenario": "sawtooth.scenario.scenario",
    "mathematics": "sawtooth.papers.mathematics",
    "overlay": "sawtooth.papers.overlay",
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
    with import_module("sawtooth.garbage").seldom_collected():
        found = globals()[name] = getattr(import_module(home), name)
    return found


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
