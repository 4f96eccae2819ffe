"""What a run's tables lack: columns that the scenario tells, and what the metrics see of a run.

What the engine counted stays as it is. Beside it stand whether a flow is a test flow, its controller and recovery, its goodput and loss,
what it would have met on the empty path, and the mean delays of queues.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

import numpy as np
import pyarrow as pa

from sawtooth.column_values import values_of
from sawtooth.columns import Columns, Source, of_numbers, of_texts, of_truths
from sawtooth.measure.metrics import Measured, flow_goodputs_bps
from sawtooth.measure.metrics.frame import NAN, Opportunities
from sawtooth.run.alone import completions_s, empty_rtt_ns, slowdowns
from sawtooth.scenario.described import describe, kept
from sawtooth.scenario.values import PLUGIN

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
DERIVED_QUEUE_COLUMNS = ("mean_delay_ms", "mean_delay_test_ms")


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
        capacities=capacities(engine),
        paths=tuple((tuple(path["queues"]), path["flows"]) for path in meta.get("paths", ONE_BOTTLENECK)),
        level_times_ns=np.asarray(meta["schedule"]["times_ns"], np.int64),
        levels_bps=np.asarray(meta["schedule"]["rates_bps"], np.int64),
        propagation_ns=propagation_ns(meta, flows.rows),
        spans_ns=spans_ns(engine, flows),
    )


def capacities(engine: Mapping[str, Any]) -> dict[int, Opportunities | None]:
    """The links, by row of `queues`, whose time says nothing about their capacity (`Measured.capacities`)."""
    changed = {
        value["link"]
        for change in engine.get("changes", ())
        for value in change["set"]
        if value["kind"] == "rate"
    }
    queued = ((number, link) for number, link in enumerate(engine["links"]) if link.get("queue") is not None)
    found: dict[int, Opportunities | None] = {}
    for row, (number, link) in enumerate(queued):
        aggregate = link.get("aggregate")
        if aggregate is not None:
            limits = {name: aggregate[name] for name in ("packets", "time_ns", "overhead_ns")}
            found[row] = Opportunities(rate_bps=link["rate_bps"], **limits)
        elif link["rate_bps"] is None or link.get("shaper") is not None or number in changed:
            found[row] = None
    return found


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
