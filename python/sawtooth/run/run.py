"""A run: one resolved scenario with its seed, simulated, and everything that came out of it.

`execute` is the only caller of the engine. What the engine counted stays as it is, in Arrow tables over the engine's own bytes; a few
derived columns stand beside it, and the metrics are computed from these columns, here and nowhere else. A run that is read back from a
store keeps those that the same formulas gave (`storage.rows.row_version`), else they are computed again: so no two metrics of one report
ever come from two versions of a formula.
"""

from __future__ import annotations

import json
import platform
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache, cached_property, lru_cache
from hashlib import sha256
from typing import TYPE_CHECKING, Any, Final

import numpy as np
import pyarrow as pa

from sawtooth import _native, display
from sawtooth.columns import Columns, numbers, of_numbers, of_texts, table_of
from sawtooth.documents import format_of
from sawtooth.errors import MISSING, InputError, PluginError
from sawtooth.measure.metrics import METRICS, metric_values
from sawtooth.measure.metrics.frame import NAN
from sawtooth.plain import canonical, json_value
from sawtooth.run.alone import NEVER, alone, keeper, meta_alone
from sawtooth.run.derived import measured_of, with_flow_columns, with_queue_columns
from sawtooth.run.row_json import flow_json, queue_json
from sawtooth.scenario.described import describe
from sawtooth.scenario.queue_value import has_subqueues
from sawtooth.scenario.record_fields import recorded_series, watched

if TYPE_CHECKING:
    from sawtooth.scenario.resolve import Resolved

FORMAT = 2
"""Version of what a stored run holds; readers skip files of another one."""
STREAMS = "streams"
"""The table of the engine from which what users of traffic felt is computed; it is not kept."""

UNDEFINED: Final = {entry.name: NAN for entry in METRICS}
"""The metrics of a run without flows, such as that of transfers alone."""

SUBQUEUES = "subqueues"
"""The table of the queues within disciplines, a row each."""


@dataclass(frozen=True, eq=False, repr=False)
class RunSummary:
    """The counters and metrics of a run, without its scenario and series: what a sweep keeps in memory.

    `flow_columns` and `queue_columns` are `flows` and `queues`, column by column. `values` holds every metric by name (units in
    `metrics.METRICS`), NaN where undefined. `meta` is what resolving said about the run: available bandwidth, schedule, names. `behaviour`
    is the behaviour number of everything the run used, which with the scenario makes its id.
    """

    run_id: str
    digest: str
    seed: str
    flow_columns: Columns
    queue_columns: Columns
    values: Mapping[str, float]
    meta: Mapping[str, Any]
    behaviour: Mapping[str, int]

    @property
    def flows(self) -> pa.Table:
        """One row per flow; columns end in their unit, counts are packets inside the measured window."""
        return self.flow_columns.table

    @property
    def queues(self) -> pa.Table:
        """The same of the queues, bottleneck first."""
        return self.queue_columns.table

    def __repr__(self) -> str:
        return f"<RunSummary {self.run_id} of {self.meta.get('name', 'scenario')}, seed {self.seed}>"

    def light(self) -> RunSummary:
        """Counters and metrics only."""
        return self

    @property
    def metrics(self) -> pa.Table:
        """The metrics as a table of one row, a column each, so that the tables of several runs concatenate."""
        return pa.table({name: numbers(np.array([value])) for name, value in self.values.items()})


@dataclass(frozen=True, eq=False, repr=False)
class Run(RunSummary):
    """A whole run. `engine` is the scenario as the engine read it; `record_columns` is `records`, column by column; `summary` the packet
    account of the whole run, warm-up included; `provenance` who made it."""

    engine: Mapping[str, Any]
    record_columns: Mapping[str, Columns]
    summary: Mapping[str, int]
    provenance: Mapping[str, str]
    written: tuple[str, str] | None = None
    """`engine` and `meta` as canonical JSON, where whoever made the run had them so."""

    @property
    def engine_json(self) -> str:
        """`engine` as canonical JSON."""
        return canonical(self.engine) if self.written is None else self.written[0]

    @property
    def meta_json(self) -> str:
        """`meta` as canonical JSON."""
        return canonical(self.meta) if self.written is None else self.written[1]

    @cached_property
    def records(self) -> Mapping[str, pa.Table]:
        """The series that the scenario asked for (`sawtooth list series` says what they hold) and, where short flows come and go, what
        became of them (`arrivals`, a row per process)."""
        return {name: columns.table for name, columns in self.record_columns.items()}

    @property
    def resolved(self) -> dict[str, Any]:
        """Every number the run used, defaults included: the echo of the user's scenario and, under `engine`, what was simulated."""
        return {**self.meta.get("resolved", {}), "engine": self.engine}

    @property
    def traffic(self) -> list[dict[str, Any]]:
        """What the users of every group of `[[traffic]]` felt, in the order of the scenario (`traffic_report`)."""
        told = self.record_columns.get("traffic")
        return [] if told is None else [json.loads(text) for text in told.listed("report")]

    def __repr__(self) -> str:
        return display.run_text(self)

    def _repr_html_(self) -> str:
        return display.run_html(self)

    def plot(self) -> display.Plot:
        """Throughput, windows, round-trip times, queues and losses over time; a run that did not record them is simulated once more."""
        return display.run_plot(self, lambda engine: simulate(engine, self.meta))

    def light(self) -> RunSummary:
        return RunSummary(
            self.run_id,
            self.digest,
            self.seed,
            self.flow_columns,
            self.queue_columns,
            self.values,
            self.meta,
            self.behaviour,
        )

    def subqueues_of(self, queue: int) -> list[dict[str, Any]]:
        """The rows of the queues within one of the queues, for a discipline that has some."""
        if SUBQUEUES not in self.record_columns:
            return []
        rows = with_queue_columns(self.record_columns[SUBQUEUES]).table.to_pylist()
        return [row for row in rows if row["queue"] == queue]

    def to_json(self) -> dict[str, Any]:
        """The document of `sawtooth run --json`: plain values, undefined numbers as None."""
        from sawtooth.scenario.controller_words import meanings

        document = {
            "format": format_of("run"),
            "engine": self.provenance["engine"],
            "behaviour": dict(self.behaviour),
            "run_id": self.run_id,
            "digest": self.digest,
            "seed": self.seed,
            "flows": [flow_json(row) for row in self.flows.to_pylist()],
            "queues": [
                queue_json(row, self.subqueues_of(number))
                for number, row in enumerate(self.queues.to_pylist())
            ],
            "controllers": meanings(self.flows.column("controller").to_pylist()),
            "metrics": dict(self.values),
            "units": {entry.name: entry.unit for entry in METRICS},
            "traffic": self.traffic,
            "series": {
                name: table.to_pydict()
                for name, table in self.records.items()
                if name not in (SUBQUEUES, "traffic")
            },
            "summary": dict(self.summary),
            "resolved": self.resolved,
            "provenance": dict(self.provenance),
        }
        plain: dict[str, Any] = json_value(document)
        return plain


def execute(resolved: Resolved) -> Run:
    """Simulates a resolved scenario: see `simulate`."""
    return simulate(resolved.engine, resolved.meta, resolved.engine_json)


def simulate(engine: Mapping[str, Any], meta: Mapping[str, Any], text: str | None = None) -> Run:
    """Simulates. Releases the interpreter lock; the same scenario and engine give the same bytes on any thread.

    `engine` is the scenario of the engine, `text` the same as canonical JSON, `meta` what resolving said about it. Raises InputError if
    the engine refuses the scenario, PluginError if a plug-in is at fault, and RuntimeError, carrying run id, seed and virtual time, if the
    engine is.
    """
    return run_of_counted(engine, meta, counted(engine, meta, text), provenance())


Answer = Mapping[str, Any]
"""What the engine says of a run: `run_id`, `digest`, `summary`, `behaviour`, and `tables` of bytes."""


@dataclass(frozen=True)
class Counted:
    """The same with its tables as columns, and with what a flow would have met alone."""

    run_id: str
    digest: str
    summary: Mapping[str, int]
    behaviour: Mapping[str, int]
    tables: Mapping[str, Columns]


def counted(engine: Mapping[str, Any], meta: Mapping[str, Any], text: str | None = None) -> Counted:
    """The first half of `simulate`, and nearly all of its time; raises what that raises. `run_of_counted` is the second."""
    return counted_of(engine, ask_engine(engine, meta, text))


def ask_engine(engine: Mapping[str, Any], meta: Mapping[str, Any], text: str | None = None) -> Answer:
    """Simulates, and nothing else; raises what `simulate` raises. `counted_of` makes columns of the answer."""
    try:
        return _native.run(text or canonical(engine))
    except ValueError as error:
        raise refused(str(error), meta) from error
    except _native.PluginError as error:
        raise PluginError(*error.args) from error


def count(engine: Mapping[str, Any], text: str | None = None) -> Counted:
    """Simulates a scenario of the engine, which `text` holds as canonical JSON. Raises what the engine raises."""
    return counted_of(engine, _native.run(text or canonical(engine)))


def counted_of(engine: Mapping[str, Any], answer: Answer) -> Counted:
    """What the engine said as columns. Flows with an end are compared with runs alone (`alone.compared`), which may be simulated here."""
    names = ("flows", "queues", *recorded_series(engine), *counted_tables(engine), STREAMS)
    tables = {name: Columns(answer["tables"][name]) for name in names if name in answer["tables"]}
    tables["flows"] = with_told_columns(tables["flows"], engine, answer["tables"].get("states"))
    return Counted(answer["run_id"], answer["digest"], answer["summary"], answer["behaviour"], tables)


def refused(text: str, meta: Mapping[str, Any]) -> InputError:
    """What the engine has against a scenario, as users are told."""
    key, _, accepted = text.partition(": expected ")
    return InputError(str(meta.get("name", "scenario")), key, MISSING, accepted)


def run_of_counted(
    engine: Mapping[str, Any],
    meta: Mapping[str, Any],
    found: Counted,
    made_by: Mapping[str, str],
    written: tuple[str, str] | None = None,
) -> Run:
    """The run that the engine counted, here or on another machine, with derived columns and metrics. `written` are `engine` and `meta` as
    canonical JSON, if they are at hand."""
    tables = {name: columns for name, columns in found.tables.items() if name != STREAMS}
    if has_traffic(engine):
        from sawtooth.run.traffic_report import reports

        counts = {name: columns.table for name, columns in found.tables.items()}
        felt = reports(engine, meta, counts, table_alone)
        tables["traffic"] = Columns({"report": of_texts(map(canonical, felt))})
    return assemble(
        engine,
        meta,
        tables,
        run_id=found.run_id,
        digest=found.digest,
        summary=found.summary,
        behaviour=found.behaviour,
        provenance=made_by,
        written=written,
    )


def with_told_columns(
    flows: Columns, engine: Mapping[str, Any], states: Mapping[str, tuple[str, bytes]] | None
) -> Columns:
    """`flows` and what else the engine says of each: the time in each state of its controller (`states`, JSON: ns by name), and how long
    what it carried takes alone on the empty path (`alone_ns`; −1 where it has no end or did not come to it)."""
    spent: list[dict[str, int]] = [{} for _ in range(flows.rows)]
    for row in [] if states is None else table_of(states).to_pylist():
        spent[row["flow"]][row["state"]] = row["time_ns"]
    finished_ns = flows.listed("finished_ns")
    own = canonical(engine) if flows.rows == 1 else None
    alone_ns = [
        NEVER
        if (scenario := alone(engine, flow, finished)) is None
        else finished - engine["flows"][flow]["start_ns"]
        if scenario == own  # it is alone here
        else completion_alone_ns(scenario)
        for flow, finished in enumerate(finished_ns)
    ]
    said = {
        "states": of_texts(canonical(times) if times else "{}" for times in spent),
        "alone_ns": of_numbers(np.array(alone_ns, np.int64)),
    }
    return flows.with_columns(said)


def table_alone(scenario: str, name: str) -> pa.Table:
    """A table of the run of another scenario, which is a run alone."""
    return _records_alone(scenario, _address())[name]


def completion_alone_ns(scenario: str) -> int:
    """When the only flow of a scenario was completed, ns after its start; −1 if it was not."""
    return _completion_alone_ns(scenario, _address())


def _address() -> str | None:
    """Where runs alone are kept; None: for this process."""
    chosen = keeper()
    return None if chosen is None else chosen.address


@lru_cache(maxsize=256)
def _records_alone(scenario: str, _address: str | None) -> Mapping[str, pa.Table]:
    return run_alone(scenario).records


@lru_cache(maxsize=4096)
def _completion_alone_ns(scenario: str, _address: str | None) -> int:
    run = run_alone(scenario)
    finished: int = run.flow_columns.listed("finished_ns")[0]
    return NEVER if finished < 0 else finished - int(run.engine["flows"][0]["start_ns"])


def run_alone(scenario: str) -> Run:
    """A run that others are compared with (canonical text of the engine's scenario): from where such runs are kept, or simulated."""
    chosen = keeper()
    found: Run | None = None if chosen is None else chosen.find(_native.run_id(scenario))
    if found is None:
        engine = json.loads(scenario)
        found = simulate(engine, meta_alone(engine), scenario)
        if chosen is not None:
            chosen.put(found)
    return found


def run_id_of(resolved: Resolved) -> str:
    """The identity a run of this scenario will have: the hash of scenario, seed and the behaviour numbers of what it uses."""
    return resolved.run_id


def current_id(engine: str) -> str | None:
    """The id that this engine gives to a stored scenario, as canonical text; None if it refuses it."""
    try:
        return _native.run_id(engine)
    except ValueError:
        return None


def behaviour_of(engine: Mapping[str, Any]) -> dict[str, int]:
    """What a scenario of the engine uses, with this engine's behaviour numbers: `{"core": 1, "law/linear": 1, …}`."""
    return _native.behaviour(canonical(engine))


def behaviour_of_job(job: Resolved) -> dict[str, int]:
    """The same of a run that is yet to be made, or was made by this engine."""
    return _native.behaviour(job.engine_json)


@cache
def behaviour_version() -> str:
    """Hash of all behaviour numbers but those of components that never changed: what is kept without the ids of its runs is kept under it.

    A new component has the number 1 and changes nothing.
    """
    raised = {name: number for name, number in describe()["behaviour"].items() if number != 1}
    return sha256(canonical(raised).encode()).hexdigest()[:16]


def provenance() -> dict[str, str]:
    """Who makes the runs of this process: engine, package, compiler, platform, format."""
    return dict(_provenance())


@cache
def _provenance() -> dict[str, str]:
    native = _native.version()
    return {
        "engine": native["engine"],
        "version": native["version"],
        "profile": native["profile"],
        "rustc": native["rustc"],
        "target": native["target"],
        "platform": platform.platform(),
        "python": platform.python_version(),
        "format": str(FORMAT),
    }


def assemble(
    engine: Mapping[str, Any],
    meta: Mapping[str, Any],
    tables: Mapping[str, Columns],
    *,
    run_id: str,
    digest: str,
    summary: Mapping[str, int],
    behaviour: Mapping[str, int],
    provenance: Mapping[str, str],
    written: tuple[str, str] | None = None,
) -> Run:
    """A `Run` from the engine's tables (`flows`, `queues` and those that are `recorded`): adds derived columns and metrics."""
    seconds = (engine["duration_ns"] - engine["warmup_ns"]) / 1e9
    flows = with_flow_columns(tables["flows"], engine, meta, seconds)
    queues = with_queue_columns(tables["queues"])
    records = {name: columns for name, columns in tables.items() if name not in ("flows", "queues")}
    return Run(
        run_id=run_id,
        digest=digest,
        seed=str(engine["seed"]),
        flow_columns=flows,
        queue_columns=queues,
        values=metric_values(measured_of(engine, meta, flows, queues, records))
        if flows.rows
        else dict(UNDEFINED),
        meta=meta,
        engine=engine,
        record_columns=records,
        summary=summary,
        behaviour=behaviour,
        provenance=provenance,
        written=written,
    )


def recorded(engine: Mapping[str, Any]) -> list[str]:
    """Names of the tables beside `flows` and `queues`: the series that a scenario asks for, what became of its short flows and of its other
    traffic, and the queues within disciplines that have some."""
    return [*recorded_series(engine), *tables_of(engine)]


def tables_of(engine: Mapping[str, Any]) -> list[str]:
    """Names of the tables that the engine counts beside `flows` and `queues`, and of that of what users of traffic felt."""
    return [*counted_tables(engine), "traffic"] if has_traffic(engine) else counted_tables(engine)


def counted_tables(engine: Mapping[str, Any]) -> list[str]:
    """Names of the tables that tell of short flows, of what applications loaded, and of queues within disciplines."""
    there = {
        "arrivals": bool(engine.get("arrivals")),
        "transactions": bool(engine.get("apps")),
        SUBQUEUES: any(has_subqueues(link["queue"]) for link in engine["links"] if link["queue"]),
    }
    return [name for name, is_there in there.items() if is_there]


def has_traffic(engine: Mapping[str, Any]) -> bool:
    """Whether users of traffic have felt anything."""
    if engine.get("apps") or watched(engine):
        return True
    sets = (entry for change in engine.get("changes", ()) for entry in change["set"])
    paced = any(entry["kind"] == "supply" and not engine["flows"][entry["flow"]]["test"] for entry in sets)
    return paced or any(process["name"].startswith("traffic/") for process in engine.get("arrivals", ()))
