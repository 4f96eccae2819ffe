"""A run: one resolved scenario with its seed, simulated, and everything that came out of it.

`execute` is the only caller of the engine. What the engine counted stays as it is, in Arrow tables over the engine's own bytes; a few
derived columns stand beside it, and the metrics are computed from these columns, here and nowhere else. A run that is read back from a
store keeps those that the same formulas gave (`storage.rows.row_version`), else they are computed again: so no two metrics of one report
ever come from two versions of a formula.
"""

from __future__ import annotations

import json
import platform
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache, cached_property, lru_cache
from hashlib import sha256
from typing import TYPE_CHECKING, Any, Final

import numpy as np
import pyarrow as pa

from sawtooth import _native, display
from sawtooth.column_values import values_of
from sawtooth.columns import Columns, Source, numbers, of_numbers, of_texts, of_truths, table_of
from sawtooth.documents import format_of
from sawtooth.errors import MISSING, InputError, PluginError
from sawtooth.measure.metrics import METRICS, Measured, flow_goodputs_bps, metric_values
from sawtooth.measure.metrics.frame import NAN
from sawtooth.plain import canonical, json_value
from sawtooth.run.alone import NEVER, alone, completions_s, empty_rtt_ns, keeper, meta_alone, slowdowns
from sawtooth.run.row_json import flow_json, queue_json
from sawtooth.run.traffic_report import reports
from sawtooth.scenario.described import describe, kept
from sawtooth.scenario.queue_value import has_subqueues
from sawtooth.scenario.record_fields import recorded_series, watched
from sawtooth.scenario.values import PLUGIN

if TYPE_CHECKING:
    from sawtooth.scenario.resolve import Resolved

FORMAT = 2
"""Version of what a stored run holds; readers skip files of another one."""
STREAMS = "streams"
"""The table of the engine from which what users of traffic felt is computed; it is not kept."""

UNDEFINED: Final = {entry.name: NAN for entry in METRICS}
"""The metrics of a run without flows, such as that of transfers alone."""

ONE_BOTTLENECK = ({"queues": (0,), "flows": 1},)
"""What a test flow suffers unless resolving says otherwise: the first queue."""

DERIVED_FLOW_COLUMNS = (
    "test",
    "controller",
    "recovery",
    "goodput_bps",
    "loss_pct",
    "empty_rtt_ns",
    "completion_s",
    "slowdown",
)
UNTOLD: Final = ("timeouts", "ecn_reductions", "undos", "tail_probes")
"""Columns of `flows` that no whole endpoint of a plug-in tells."""
ITS_OWN: Final = "untold"
"""The column of the engine that names what one endpoint does not tell beside that, a space between two."""
SUBQUEUES = "subqueues"
"""The table of the queues within disciplines, a row each."""
DERIVED_QUEUE_COLUMNS = ("mean_delay_ms", "mean_delay_test_ms")


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


def measured_of(
    engine: Mapping[str, Any],
    meta: Mapping[str, Any],
    flows: Columns,
    queues: Columns,
    records: Mapping[str, Columns],
) -> Measured:
    """What the metrics see of a run."""
    return Measured(
        flows=flows,
        queues=queues,
        records={name: columns for name, columns in records.items() if name != "arrivals" or "cross" in meta},
        start_ns=engine["warmup_ns"],
        end_ns=engine["duration_ns"],
        available_bps=available_bps(engine, meta, queues),
        trace_driven=engine["links"][0]["rate_bps"] is None,
        paths=tuple((tuple(path["queues"]), path["flows"]) for path in meta.get("paths", ONE_BOTTLENECK)),
        level_times_ns=np.asarray(meta["schedule"]["times_ns"], np.int64),
        levels_bps=np.asarray(meta["schedule"]["rates_bps"], np.int64),
        propagation_ns=propagation_ns(meta, flows.rows),
        spans_ns=spans_ns(engine, flows),
    )


def spans_ns(engine: Mapping[str, Any], flows: Columns) -> tuple[list[int], list[int]]:
    """When every flow begins and ends, ns: with its last acknowledgement, at its stop, or with the run."""
    last = engine["duration_ns"]
    stops = [last if flow["stop_ns"] is None else min(flow["stop_ns"], last) for flow in engine["flows"]]
    finished = flows.listed("finished_ns")
    ends = [stop if end < 0 else min(stop, end) for stop, end in zip(stops, finished, strict=True)]
    return [flow["start_ns"] for flow in engine["flows"]], ends


def propagation_ns(meta: Mapping[str, Any], flows: int) -> list[int] | None:
    """Round-trip time of every flow without queues, ns; None where resolving did not say. That of traffic is nobody's business."""
    rows = meta.get("resolved", {}).get("flows")
    if rows is None:
        return None
    return [row["rtt_ns"] for row in rows] + ([0] * (flows - len(rows)) if "traffic" in meta else [])


def available_bps(engine: Mapping[str, Any], meta: Mapping[str, Any], queues: Columns) -> float:
    """Bandwidth available to each test flow over the measured time, bit/s: as the environment says, or what short flows left.

    These take what they can get, so it is what the router before the bottleneck forwarded of them that says what was left.
    """
    cross = meta.get("cross")
    if cross is None:
        return float(meta["available_bps"])
    seconds = (engine["duration_ns"] - engine["warmup_ns"]) / 1e9
    taken_bps = 8.0 * float(queues.values("in_profile_forwarded_bytes")[cross["queue"]]) / seconds
    left_bps: float = (float(cross["capacity_bps"]) - taken_bps) / float(meta["test_flows"])
    return max(float(cross["floor_bps"]), left_bps)


def with_flow_columns(
    flows: Columns, engine: Mapping[str, Any], meta: Mapping[str, Any], seconds: float
) -> Columns:
    """`flows` and what the scenario knows of each: is it a test flow, its controller and recovery; goodput (bit/s) and loss (%).

    The loss of a flow is what the first queue dropped of what it sent, retransmissions included; where flows cross several
    bottlenecks, what any queue did.
    """
    places = [flow["profile"] for flow in engine["flows"]]
    endpoints = [is_endpoint(profile["controller"]) for profile in engine["profiles"]]
    recoveries = [profile["recovery"] for profile in engine["profiles"]]
    flows = without_untold(flows, [endpoints[place] for place in places])
    sent = flows.values("sent").astype(np.float64)
    drops = flows.values("drops").astype(np.float64)
    if "paths" in meta:
        drops = drops + flows.values("drops_elsewhere")
    loss_pct = np.full(sent.shape, np.nan)
    np.divide(100.0 * drops, sent, out=loss_pct, where=sent > 0.0)
    completion_s = completions_s(flows, engine)
    derived = (
        of_truths(flow["test"] for flow in engine["flows"]),
        of_texts(controller_names(engine, meta)),
        of_texts(recoveries[place] for place in places),
        of_numbers(flow_goodputs_bps(flows, seconds)),
        of_numbers(loss_pct),
        of_numbers(np.array([*map(empty_rtt_ns(engine), engine["flows"])], np.int64)),
        of_numbers(completion_s, nan_is_null=True),
        of_numbers(slowdowns(flows, completion_s), nan_is_null=True),
    )
    return flows.with_columns(dict(zip(DERIVED_FLOW_COLUMNS, derived, strict=True)))


def is_endpoint(parameters: Mapping[str, Any]) -> bool:
    """Whether a controller is a whole endpoint of a plug-in."""
    return parameters["kind"] == PLUGIN and bool(parameters["properties"]["own_transport"])


def without_untold(flows: Columns, endpoints: Sequence[bool]) -> Columns:
    """`flows`, null where a whole endpoint does not tell what a column says: what none tells, and what its column `untold` names."""
    own = flows.listed(ITS_OWN) if ITS_OWN in flows else [""] * len(endpoints)
    if ITS_OWN in flows:
        flows = flows.without([ITS_OWN])
    if not any(endpoints):
        return flows
    untold = dict.fromkeys(UNTOLD, endpoints)
    untold |= {name: [name in each.split() for each in own] for name in " ".join(own).split()}
    table = flows.table
    for name, missing in untold.items():
        if name in flows:
            column = table.column(name)
            told = pa.array(values_of(column), column.type, mask=np.asarray(missing))
            table = table.set_column(table.column_names.index(name), name, told)
    return Columns.of_table(table)


def with_queue_columns(queues: Columns) -> Columns:
    """`queues` and the mean queueing delay of forwarded packets, ms: of all and of test packets; NaN where none was forwarded."""
    derived: dict[str, Source] = {}
    columns = (("delay_ns_sum_all", "forwarded"), ("delay_ns_sum_test", "test_forwarded"))
    for name, (total, count) in zip(DERIVED_QUEUE_COLUMNS, columns, strict=True):
        pairs = zip(queues.values(total).tolist(), queues.values(count).tolist(), strict=True)
        means = [delays_ns / 1e6 / packets if packets > 0 else NAN for delays_ns, packets in pairs]
        derived[name] = of_numbers(np.array(means, np.float64))
    return queues.with_columns(derived)


def controller_names(engine: Mapping[str, Any], meta: Mapping[str, Any]) -> list[str]:
    """The controller of every flow: as the user wrote it where `meta` knows, otherwise its resolved numbers."""
    written: list[str] = meta.get("controllers", [])
    others = engine["flows"][len(written) :]  # all, or those that the environment adds
    used = {flow["profile"] for flow in others}
    calls = {profile: call_of(engine["profiles"][profile]["controller"]) for profile in used}
    return [*written, *(calls[flow["profile"]] for flow in others)]


def call_of(parameters: Mapping[str, Any]) -> str:
    """A controller's parameters as its constructor writes them: `{"kind": "linear", "a_i": 1.0, …}` gives `linear(1, 1, 0, 0.8)`.

    A parameter that came later is left out of the engine's data at its default.
    """
    kind = parameters["kind"]
    if kind == PLUGIN:
        return f"{parameters['name']}({', '.join(f'{value:g}' for _, value in parameters['parameters'])})"
    numbers = [f"{parameters.get(name, default):g}" for name, default in parameter_order()[kind].items()]
    return f"{kind}({', '.join(numbers)})"


@kept
def parameter_order() -> dict[str, dict[str, Any]]:
    """The names of each controller's parameters, in the order of its constructor, with their defaults."""
    return {
        entry["name"]: {parameter["name"]: parameter["default"] for parameter in entry["parameters"]}
        for entry in describe()["controllers"]
    }
