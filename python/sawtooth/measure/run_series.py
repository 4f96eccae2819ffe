"""What a run was like over time, made of its recorded series: throughput, available bandwidth, round-trip times, queues.

    >>> import sawtooth as st
    >>> run = st.run("examples/one-flow.toml", set={"record.rates": "100 ms"})
    >>> throughput(run).values.shape      # bit/s, a row per bin and a column per flow
    (500, 1)

Source: the series themselves (``sawtooth list series``); [FloydJacobson93] Fig. 2 for the average of RED.

| function        | of the series       | unit   | what it cannot say                                                                 |
|-----------------|---------------------|--------|------------------------------------------------------------------------------------|
| throughput      | rates               | bit/s  | what was before the warm-up ended: the series begins there                         |
| available       | none                | bit/s  |                                                                                    |
| round_trips     | queue_samples       | ns     | waits where a queue keeps flows apart (no result), delays of acknowledgements      |
| red_average     | queue_samples       | packets| what the queue did between two samples: it is taken for a straight line            |

A round-trip time here is what a packet sent at that moment meets: propagation, transmission, and the backlog of every queue on its way and
of its acknowledgement's. It differs from the sender's own estimate, which is smoothed and a round trip late.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, TypeAlias

import numpy as np
import pyarrow as pa

from sawtooth.column_values import values_of
from sawtooth.scenario.described import describe
from sawtooth.scenario.trace import OPPORTUNITY_BYTES

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    from sawtooth.measure.run_data import RunData

Real: TypeAlias = "NDArray[np.float64]"
Whole: TypeAlias = "NDArray[np.int64]"

NS: Final = 10**9
"""Nanoseconds in a second."""


@dataclass(frozen=True)
class Timeline:
    """Values at times (ns): of a bin at its end, of a sample at its moment, of a level at its beginning."""

    times_ns: Whole
    values: Real


def flow_count(run: RunData) -> int:
    """Flows that the scenario lists; place-holders of short flows come after them."""
    return len(run.meta["resolved"]["flows"])


def throughput(run: RunData) -> Timeline:
    """New data delivered to every flow, bin by bin: a row per bin, a column per flow."""
    rates, width = run.records["rates"], int(run.engine["record"]["rates_ns"])
    flow, ends = values_of(rates.column("flow")), values_of(rates.column("time_ns"))
    own = flow < flow_count(run)
    times, place = np.unique(ends[own], return_inverse=True)
    values = np.zeros((times.size, flow_count(run)))
    values[place, flow[own]] = values_of(rates.column("delivered_packets"))[own]
    sizes = values_of(run.flows.column("packet_bytes"))[: flow_count(run)]
    return Timeline(times.astype(np.int64), values * sizes * 8.0 * NS / width)


def available(run: RunData, bin_ns: int) -> Timeline:
    """What is there for all test flows together. A trace gives the mean of every bin of that length, a schedule its levels."""
    link = run.engine["links"][0]
    if link["rate_bps"] is None:
        edges = np.arange(0, run.engine["duration_ns"] + 1, bin_ns, dtype=np.int64)
        chances = opportunities(link, int(edges[-1]))
        counts = np.diff(np.searchsorted(chances, edges))
        return Timeline(edges[:-1], counts * OPPORTUNITY_BYTES * 8.0 * NS / bin_ns)
    schedule = run.meta["schedule"]
    levels = np.array(schedule["rates_bps"], dtype=float) * int(run.meta["test_flows"])
    return Timeline(np.array(schedule["times_ns"], dtype=np.int64), levels)


def opportunities(link: Mapping[str, Any], until_ns: int) -> Whole:
    """When a link that follows a trace may send up to `OPPORTUNITY_BYTES`, ns, from 0 to that time and one period beyond."""
    times = np.array(link["trace_ms"], dtype=np.int64) * 10**6
    periods = 1 if link["trace_once"] else until_ns // int(times[-1]) + 2
    return np.sort((times + times[-1] * np.arange(periods, dtype=np.int64)[:, None]).ravel())


def queue_samples(run: RunData, queue: int) -> pa.Table:
    """The samples of one queue, by its row in `queues`."""
    table = run.records["queue_samples"]
    return table.filter(pa.array(values_of(table.column("queue")) == queue))


def links_with_queues(run: RunData) -> list[int]:
    """Numbers of the links that have a queue, in the order of `queues`."""
    return [number for number, link in enumerate(run.engine["links"]) if link["queue"] is not None]


def queues_crossed(run: RunData) -> list[int]:
    """Rows of the queues that the data of test flows crosses, then of those that only their acknowledgements cross."""
    rows = {number: row for row, number in enumerate(links_with_queues(run))}
    flows = [flow for flow in run.engine["flows"][: flow_count(run)] if flow["test"]]
    there, back = (
        {rows[link] for flow in flows for link in flow[way] if link in rows} for way in ("forward", "reverse")
    )
    return [*sorted(there), *sorted(back - there)]


def round_trips(run: RunData) -> Timeline | None:
    """Round-trip times, ns: a row per sample, a column per flow, NaN while the flow is off. None where backlogs do not tell a wait."""
    links = run.engine["links"]
    apart = {row["name"] for row in describe()["disciplines"] if row["schedules"]}
    flows = run.engine["flows"][: flow_count(run)]
    crossed = {number for flow in flows for way in ("forward", "reverse") for number in flow[way]}
    if any(
        links[number]["queue"] is not None and links[number]["queue"]["kind"] in apart for number in crossed
    ):
        return None
    waits: dict[int, Real] = {}
    times = np.zeros(0, dtype=np.int64)
    for row, number in enumerate(links_with_queues(run)):
        samples = queue_samples(run, row)
        times = values_of(samples.column("time_ns")).astype(np.int64)
        waits[number] = _wait(links[number], times, values_of(samples.column("bytes")).astype(np.float64))
    values = np.full((times.size, len(flows)), np.nan)
    for column, flow in enumerate(flows):
        profile = run.engine["profiles"][flow["profile"]]
        ways = (("forward", profile["packet_bytes"]), ("reverse", profile["ack_bytes"]))
        trip = np.zeros(times.size)
        for way, size in ways:
            for number in flow[way]:
                trip += _passage_ns(links[number], size) + waits.get(number, 0.0)
        end = run.engine["duration_ns"] if flow["stop_ns"] is None else flow["stop_ns"]
        on = (times >= flow["start_ns"]) & (times <= end)
        values[on, column] = trip[on]
    return Timeline(times, values)


def _passage_ns(link: Mapping[str, Any], size_bytes: int) -> float:
    """Propagation and transmission of a packet over a link that is free."""
    sending = 0.0 if link["rate_bps"] is None else size_bytes * 8.0 * NS / link["rate_bps"]
    return float(link["delay_ns"] + sending)


def _wait(link: Mapping[str, Any], times: Whole, backlog_bytes: Real) -> Real:
    """Until the backlog has left, ns."""
    if link["rate_bps"] is not None:
        wait: Real = backlog_bytes * 8.0 * NS / link["rate_bps"]
        return wait
    chances = opportunities(link, int(times[-1]) if times.size else 0)
    needed = np.ceil((backlog_bytes + 1.0) / OPPORTUNITY_BYTES).astype(np.int64)
    last = np.searchsorted(chances, times) + needed - 1
    ends = np.where(last < chances.size, chances[np.minimum(last, chances.size - 1)], np.nan)
    return ends - times


def red_average(samples: pa.Table, weight: float, packets_per_s: float, start: float = 0.0) -> Real:
    """The average that RED compares with its thresholds, at the samples: each arrival moves it by `weight` towards the packets that wait.

    Between two samples as many packets arrive as the link sends at `packets_per_s`, and what the queue grew by; an idle link counts as
    many, as in the paper. A packet in transmission does not wait.
    """
    seconds = values_of(samples.column("time_ns")) / NS
    waiting = np.maximum(values_of(samples.column("packets")).astype(np.float64) - 1.0, 0.0)
    average = np.empty(waiting.size)
    now = start
    for place in range(waiting.size):
        if place:
            arrivals = max(
                0.0,
                packets_per_s * (seconds[place] - seconds[place - 1]) + waiting[place] - waiting[place - 1],
            )
            now = _towards_a_line(now, waiting[place - 1], waiting[place], arrivals, weight)
        average[place] = now
    return average


def _towards_a_line(now: float, first: float, last: float, arrivals: float, weight: float) -> float:
    """The average after that many arrivals that find a queue which goes evenly from `first` to `last`.

    With slope s per arrival the average follows the line at a lag of s·(1 − weight)/weight, and forgets where it began with (1 − weight)^n.
    """
    if arrivals <= 0.0:
        return now
    kept = (1.0 - weight) ** arrivals
    slope = (last - first) / arrivals
    lag = slope * (1.0 - weight) / weight
    return float(last - lag + (now - (first - lag)) * kept)


def levels(values: Real, shares: Sequence[float]) -> Real:
    """Quantiles over the columns of each row, NaN left out: a row per share; NaN where a row has no value."""
    found = np.full((len(shares), values.shape[0]), np.nan)
    some = ~np.isnan(values).all(axis=1)
    if some.any():
        found[:, some] = np.nanquantile(values[some], shares, axis=1)
    return found
