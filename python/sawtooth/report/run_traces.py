"""What the figure of a run shows, read from the run and its recorded series (``sawtooth.report.traces`` draws it).

    >>> import sawtooth as st
    >>> chosen = with_series(st.load_scenario("examples/one-flow.toml"))    # before the run
    >>> traces = traces_of(st.run(chosen))                                  # after it

Source: none. `sawtooth run --plot` does both.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import numpy as np
import pyarrow as pa

from sawtooth.measure import run_series
from sawtooth.report.sender_traces import senders_of, undone
from sawtooth.report.trace_data import FlowTrace, QueueTrace, SubqueueTrace, Traces
from sawtooth.report.traffic_panels import GROUPS_MOST
from sawtooth.report.traffic_traces import traffic_of
from sawtooth.scenario.described import describe
from sawtooth.scenario.scenario import Scenario, with_values
from sawtooth.scenario.units import format_time

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from sawtooth.measure.run_data import RunData

SAMPLES: Final = 2000
"""Samples of windows and queues: about two per dot of a printed page."""
BINS: Final = 150
"""Bins of throughput, over the measured part: one would see no more of them."""
SIGNS: Final = "congestion"
"""Losses and marks, where not every flow is an endpoint of a plug-in, which tells no cuts: such a run records none."""
QUEUES_MOST: Final = 4
"""Most queues shown: of more, the fullest on average."""
LOSS_EVENT: Final = 1
TIMEOUT: Final = 2
"""Codes of decreases in `windows.event`."""
THRESHOLDS: Final = ("min", "max")
"""The thresholds of RED, packets; on its average."""
TARGETS: Final = {"target": "target", "min_threshold": "L4S threshold", "ce_threshold": "CE threshold"}
"""Times of a discipline, by their keys, and what they are called beside what packets waited."""
SUBQUEUES: Final = {"L": "L (L4S)", "C": "C (classic)"}
"""Letters of the subqueues of a discipline (RFC 9332), and what they are called in a figure."""


def with_series(scenario: Scenario) -> Scenario:
    """The same scenario with what the figure needs recorded; intervals that it gives itself stay."""
    record = scenario.record
    values: dict[str, Any] = {"record.windows": True}
    if any(not group.control.is_endpoint for group in scenario.flows) or not scenario.flows:
        values[f"record.{SIGNS}"] = True
    for key, interval in (
        ("sample", scenario.duration // SAMPLES),
        ("rates", (scenario.duration - scenario.warmup) // BINS),
    ):
        values[f"record.{key}"] = format_time(getattr(record, key) or max(1, interval))
    if scenario.has_phases:
        values["record.senders"] = True
    if scenario.has_states:
        values["record.disciplines"] = True
    if any(group.control.has_model for group in scenario.flows):
        values["record.model"] = True
    if scenario.has_streams:
        values["record.frames"] = True
    return with_values(scenario, values)


def with_series_recorded(engine: Mapping[str, Any]) -> dict[str, Any]:
    """The record of a scenario of the engine, with what the figure needs."""
    record = dict(engine["record"])
    times = {
        "sample_ns": engine["duration_ns"] // SAMPLES,
        "rates_ns": (engine["duration_ns"] - engine["warmup_ns"]) // BINS,
    }
    stateful = {row["name"] for row in describe()["disciplines"] if row["has_state"]}
    modelled = {
        row["name"]
        for row in describe()["controllers"]
        if not row["properties"]["conduct"] and not row["properties"]["own_transport"]
    }
    kinds = {link["queue"]["kind"] for link in engine["links"] if link["queue"]}
    laws = {profile["controller"]["kind"] for profile in engine["profiles"]}
    record |= dict.fromkeys(("windows", "senders"), True)
    if not engine["profiles"] or not all(map(_is_endpoint, engine["profiles"])):
        record[SIGNS] = True
    record |= {
        name: True for name, found in (("disciplines", kinds & stateful), ("model", laws & modelled)) if found
    }
    if any("frames" in source for source in engine["sources"]) or any(
        "frame_deadline_ns" in flow for flow in engine["flows"]
    ):
        record["frames"] = True
    return record | {key: record.get(key) or max(1, value) for key, value in times.items()}


def _is_endpoint(profile: Mapping[str, Any]) -> bool:
    """Whether the flows of a profile are whole endpoints of a plug-in."""
    return bool(profile["controller"].get("properties", {}).get("own_transport"))


def traces_of(run: RunData) -> Traces:
    """What the figure shows of a run that recorded windows, queue samples, rates and congestion."""
    count = run_series.flow_count(run)
    rows = run.flows.select(["id", "controller", "recovery", "test"]).to_pylist()[:count]
    bin_ns = int(run.engine["record"]["rates_ns"])
    flows = [
        FlowTrace(
            number=row["id"],
            kind=row["controller"] if _rate_based(row) else f"{row['controller']}, {row['recovery']}",
            test=bool(row["test"]),
            rate_based=_rate_based(row),
        )
        for row in rows
    ]
    queues, left_out = _queues(run)
    notes = [f"{left_out} emptier queues are left out"] if left_out else []
    elsewhere = int(np.sum(run.flows.column("drops_elsewhere").to_numpy()[:count]))
    if elsewhere:
        first = run.queues.column("name")[0].as_py()
        notes.append(
            f"{elsewhere:,} measured packets were lost at queues other than {first}; the times of these losses are not recorded"
        )
    traffic = traffic_of(run)
    if len(traffic) > GROUPS_MOST:
        notes.append(f"{len(traffic) - GROUPS_MOST} of {len(traffic)} groups of traffic are left out")
    return Traces(
        title=f"{Path(run.meta['name']).name}, seed {run.seed}, run {run.run_id[:12]}",
        flows=flows,
        windows=_started(run),
        throughput=run_series.throughput(run),
        bin_ns=bin_ns,
        available=run_series.available(run, bin_ns),
        queues=queues,
        warmup_ns=run.engine["warmup_ns"],
        duration_ns=run.engine["duration_ns"],
        round_trips=run_series.round_trips(run),
        signs=_signs(run),
        note="; ".join(notes),
        senders=senders_of(run, range(count)),
        traffic=traffic[:GROUPS_MOST],
        available_name="available bandwidth in fair shares" if "paths" in run.meta else "available bandwidth",
    )


def _rate_based(row: Mapping[str, Any]) -> bool:
    return row["recovery"] is None


def _started(run: RunData) -> pa.Table:
    """The rows of `windows` of flows that have started and tell their window."""
    windows = run.records["windows"]
    starts = np.array([flow["start_ns"] for flow in run.engine["flows"]], dtype=np.int64)
    flow = windows.column("flow").to_numpy()
    own = flow < run_series.flow_count(run)
    on = windows.column("time_ns").to_numpy() >= starts[flow]
    told = ~np.isnan(windows.column("window").to_numpy())
    return windows.filter(pa.array(own & on & told))


def _queues(run: RunData) -> tuple[list[QueueTrace], int]:
    """The queues that test flows meet, and how many of them are left out."""
    rows = run_series.queues_crossed(run)
    if len(rows) > QUEUES_MOST:
        mean = {
            row: float(np.mean(run_series.queue_samples(run, row).column("bytes").to_numpy())) for row in rows
        }
        kept = sorted(sorted(rows, key=lambda row: -mean[row])[:QUEUES_MOST])
    else:
        kept = rows
    return [_queue(run, row) for row in kept], len(rows) - len(kept)


def _queue(run: RunData, row: int) -> QueueTrace:
    """One queue, in packets if its limit or its thresholds are in packets, else in kB."""
    link = run.engine["links"][run_series.links_with_queues(run)[row]]
    own: Mapping[str, Any] = link["queue"]
    samples = run_series.queue_samples(run, row)
    packet_bytes = int(run.engine["profiles"][0]["packet_bytes"])
    thresholds = _thresholds(own, link, packet_bytes)
    in_bytes = "packets" not in own and not thresholds
    discipline, buffer = own["kind"], float(own["bytes"] / 1e3 if in_bytes else own.get("packets", np.nan))
    if np.isnan(buffer):
        discipline += f"; buffer: {own['bytes'] / 1e3:,.4g} kB"
    return QueueTrace(
        name=run.queues.column("name")[row].as_py(),
        discipline=discipline,
        times_ns=samples.column("time_ns").to_numpy(),
        backlog=samples.column("bytes").to_numpy() / 1e3
        if in_bytes
        else samples.column("packets").to_numpy() * 1.0,
        unit="kB" if in_bytes else "packets",
        buffer=None if np.isnan(buffer) else buffer,
        thresholds=thresholds,
        average=_average(own, link, samples),
        states=_states(run, row, own),
        targets=[(name, own[f"{key}_ns"] / 1e6) for key, name in TARGETS.items() if own.get(f"{key}_ns")]
        if "disciplines" in run.records
        else [],
    )


def _states(run: RunData, row: int, own: Mapping[str, Any]) -> list[SubqueueTrace]:
    """What the discipline of a queue was doing, subqueue by subqueue; nothing where it has no state or none was recorded."""
    if "disciplines" not in run.records:
        return []
    table = run.records["disciplines"]
    table = table.filter(pa.array(table.column("queue").to_numpy() == row))
    names = next(entry for entry in describe()["disciplines"] if entry["name"] == own["kind"]).get("parts")
    found = []
    numbers = table.column("part").to_numpy()  # the column is older than the word
    for subqueue in np.unique(numbers):
        rows = table.filter(pa.array(numbers == subqueue))
        found.append(
            SubqueueTrace(
                name=SUBQUEUES.get(names[subqueue], names[subqueue]) if names else "",
                times_ns=rows.column("time_ns").to_numpy(),
                waited_ms=rows.column("waited_ns").to_numpy() / 1e6,
                probability=rows.column("probability").to_numpy(),
                dropping=rows.column("dropping").to_numpy(),
            )
        )
    return found


def _is_red(own: Mapping[str, Any]) -> bool:
    return own["kind"] == "red" or own.get("rule") == "red"


def _thresholds(
    own: Mapping[str, Any], link: Mapping[str, Any], packet_bytes: int
) -> list[tuple[str, float]]:
    """The thresholds of a discipline, packets; a time is what the link carries in it."""
    if _is_red(own):
        return [(f"threshold {name}", float(own[name])) for name in THRESHOLDS]
    if "threshold" not in own:
        return []
    if "packets" in own["threshold"]:
        return [("threshold", float(own["threshold"]["packets"]))]
    span = own["threshold"]["ns"]
    if link["rate_bps"] is None:
        return []
    return [(f"threshold, {format_time(span)}", span * link["rate_bps"] / (8e9 * packet_bytes))]


def _average(
    own: Mapping[str, Any], link: Mapping[str, Any], samples: pa.Table
) -> NDArray[np.float64] | None:
    """The average of RED; None for other disciplines, and where not every packet moves it or no rate says how many there are."""
    if not _is_red(own) or own.get("average_updates", "all") != "all" or link["rate_bps"] is None:
        return None
    return run_series.red_average(samples, own["weight"], link["rate_bps"] / (8.0 * own["mean_packet"]))


def _signs(run: RunData) -> dict[str, NDArray[np.int64]]:
    """Times of losses and marks of packets at the first queue, and of the senders' loss events and timeouts, if there were any."""
    name = run.queues.column("name")[0].as_py()
    windows = run.records["windows"]
    if SIGNS in run.records:
        congestion = run.records[SIGNS]
        marked, times = congestion.column("mark").to_numpy() == 1, congestion.column("time_ns").to_numpy()
    else:
        marked, times = np.empty(0, np.bool_), np.empty(0, np.int64)
    cut = windows.column("event").to_numpy()
    found = {
        f"packet lost at {name}": times[~marked],
        f"packet marked at {name}": times[marked],
        "loss event of a sender": windows.column("time_ns").to_numpy()[cut == LOSS_EVENT],
        "timeout of a sender": windows.column("time_ns").to_numpy()[cut == TIMEOUT],
        "cut withdrawn by a sender": undone(run),
    }
    return {name: when for name, when in found.items() if when.size}
