"""What a run was like over time: compared with the packets of the same run, and with formulas."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

import sawtooth as st
from sawtooth.measure import run_series
from sawtooth.run.run import Run

MS = 1_000_000
SENT, SENT_AGAIN, ACKNOWLEDGED = 0, 1, 4

RECORD = {"sample": "1 ms", "rates": "0.5 s", "congestion": True, "windows": True, "packets": True}


def simulated(**tables: Any) -> Run:
    """8 Mbit/s, 40 ms, 20 packets; 6 s, of which 2 s are the warm-up."""
    scenario: dict[str, Any] = {
        "duration": "6 s",
        "warmup": "2 s",
        "bottleneck": {"rate": "8 Mbit/s", "buffer": "20 packets"},
        "path": {"rtt": "40 ms"},
        "flows": [{"control": "aimd(1, 0.5)", "start": "0 s"}],
        "record": RECORD,
    }
    for key, table in tables.items():
        scenario[key] = {**scenario[key], **table} if isinstance(table, dict) and key in scenario else table
    return st.run(scenario)


def measured_trips(run: Run, flow: int) -> tuple[np.ndarray, np.ndarray]:
    """When packets were sent that were sent once and acknowledged by themselves, and how long that took, ns."""
    rows = run.records["packets"]
    own = rows.column("flow").to_numpy() == flow
    event, number, at = (rows.column(name).to_numpy()[own] for name in ("event", "number", "time_ns"))
    sent = dict(zip(number[event == SENT].tolist(), at[event == SENT].tolist(), strict=True))
    again = set(number[event == SENT_AGAIN].tolist())
    highest, found = 0, []
    for missing, when in zip(
        number[event == ACKNOWLEDGED].tolist(), at[event == ACKNOWLEDGED].tolist(), strict=True
    ):
        if missing == highest + 1 and highest in sent and highest not in again:
            found.append((sent[highest], when - sent[highest]))
        highest = max(highest, missing)
    times, trips = np.array(found).T
    return times, trips


@pytest.mark.parametrize(
    "tables",
    [
        {},
        {
            "path": {"rtt": "40 ms", "rtt_spread": 0.2},
            "flows": [{"count": 2, "control": "aimd(1, 0.5)", "start": "0 s"}],
        },
        {
            "bottleneck": {"rate": "8 Mbit/s", "buffer": "5 packets"},
            "reverse": {"rate": "1 Mbit/s", "buffer": "9 packets"},
        },
    ],
)
def test_round_trips_are_those_of_the_packets(tables: dict[str, Any]) -> None:
    """A sample counts a packet in transmission as a whole, and, just after it came, the packet itself: 1 ms each."""
    run = simulated(**tables)
    trips = run_series.round_trips(run)
    assert trips is not None
    for flow in range(run_series.flow_count(run)):
        times, measured = measured_trips(run, flow)
        before = sum(
            run.engine["links"][link]["delay_ns"] for link in run.engine["flows"][flow]["forward"][:-1]
        )
        told = np.interp(times + before, trips.times_ns, np.nan_to_num(trips.values[:, flow]))
        low, middle, high = np.percentile(measured - told, [25, 50, 75]) / MS
        assert times.size > 500
        assert -2.0 <= low <= middle <= high <= 1.0


def test_round_trips_over_a_trace_follow_its_opportunities() -> None:
    """One opportunity each 3 ms: n packets of 1500 bytes before it, and a packet waits for n + 1 of them."""
    link = {"trace_ms": [3, 6, 9], "trace_once": False, "rate_bps": None}
    chances = run_series.opportunities(link, 20 * MS)
    assert (chances[:7] / MS).tolist() == [3, 6, 9, 12, 15, 18, 21]
    once = run_series.opportunities({**link, "trace_once": True}, 20 * MS)
    assert (once / MS).tolist() == [3, 6, 9]


def test_a_queue_that_keeps_flows_apart_tells_no_round_trip() -> None:
    assert (
        run_series.round_trips(
            simulated(bottleneck={"rate": "8 Mbit/s", "buffer": "20 packets", "queue": "drr"})
        )
        is None
    )


def test_a_flow_has_round_trips_while_it_is_on() -> None:
    run = simulated(flows=[{"control": "aimd(1, 0.5)", "start": "1 s", "stop": "4 s"}])
    trips = run_series.round_trips(run)
    assert trips is not None
    on = trips.times_ns[~np.isnan(trips.values[:, 0])]
    assert (on.min(), on.max()) == (1000 * MS, 4000 * MS)


def test_throughput_sums_to_what_was_delivered() -> None:
    run = simulated()
    found = run_series.throughput(run)
    assert found.times_ns.tolist() == [500 * MS * end for end in range(5, 13)], (
        "ends of bins, from the warm-up on"
    )
    delivered = (
        run.flows.column("delivered_unique")[0].as_py() * run.flows.column("packet_bytes")[0].as_py() * 8
    )
    assert found.values.sum() * 0.5 == pytest.approx(delivered)


def test_available_bandwidth_is_that_of_all_test_flows() -> None:
    flows = [{"count": 2, "control": "aimd(1, 0.5)"}]
    environment = {"kind": "square", "high": "4 Mbit/s", "low": "1 Mbit/s", "period": "2 s"}
    found = run_series.available(simulated(flows=flows, environment=environment), 500 * MS)
    assert found.values[:3].tolist() == [8e6, 2e6, 8e6]
    assert found.times_ns[:3].tolist() == [0, 1000 * MS, 2000 * MS]


def test_queues_crossed_by_data_come_before_those_of_acknowledgements() -> None:
    assert run_series.queues_crossed(simulated()) == [0]
    run = simulated(reverse={"buffer": "9 packets"})
    assert run_series.queues_crossed(run) == [0, 1]
    assert run.queues.column("name").to_pylist() == ["bottleneck", "reverse"]


def samples(packets: list[int], every_ns: int) -> pa.Table:
    return pa.table({"time_ns": [every_ns * place for place in range(len(packets))], "packets": packets})


def test_the_average_of_red_follows_its_formula_arrival_by_arrival() -> None:
    """1000 packets a second, a sample each 10 ms: ten arrivals, and the growth of the queue, with a queue on the line between."""
    weight, packets = 0.01, [1, 6, 11, 11, 5]
    expected, now = [0.0], 0.0
    for first, last in pairwise(packets):
        arrivals = 10 + last - first
        for step in range(1, arrivals + 1):
            now += weight * ((first - 1) + (last - first) * step / arrivals - now)
        expected.append(now)
    found = run_series.red_average(samples(packets, 10 * MS), weight, 1000.0)
    assert found == pytest.approx(expected, rel=1e-9)


def test_early_drops_happen_where_the_average_stands_above_the_lower_threshold() -> None:
    """The engine draws no early drop below min; the average told from samples must agree with it."""
    red = {"kind": "red", "min": 5, "max": 15, "max_p": 0.1, "weight": 0.01, "ecn": True}
    run = simulated(
        bottleneck={"rate": "8 Mbit/s", "buffer": "40 packets", "queue": red},
        duration="20 s",
        record={**RECORD, "packets": False},
    )
    table = run_series.queue_samples(run, 0)
    average = run_series.red_average(table, 0.01, 1000.0)
    signs = run.records["congestion"]
    marks = signs.column("time_ns").to_numpy()[signs.column("mark").to_numpy() == 1]
    marks = marks[marks > 2000 * MS]  # slow start fills the queue between two samples
    assert marks.size > 10
    after = average[np.searchsorted(table.column("time_ns").to_numpy(), marks)]
    assert after.min() > 0.9 * 5
    assert average.max() < 2 * 15


def test_levels_leave_out_what_is_no_number() -> None:
    values = np.array([[1.0, 3.0, np.nan], [np.nan, np.nan, np.nan]])
    assert run_series.levels(values, (0.0, 0.5, 1.0))[:, 0].tolist() == [1.0, 2.0, 3.0]
    assert np.isnan(run_series.levels(values, (0.5,))[:, 1]).all()
