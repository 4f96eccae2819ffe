"""How flows answer a change, on records written by hand: what is counted off there is what the measures say."""

from __future__ import annotations

import math
from types import SimpleNamespace
from typing import Any, cast

import pyarrow as pa
import pytest

from sawtooth.measure.measures import Measure
from sawtooth.run.run import Run

S = 1_000_000_000
SAMPLE, DECREASE = 0, 1
ROUND_NS = S // 10
"""The round trip of the flow, as it smoothed it."""
TYPES = {name: pa.int64() for name in ("time_ns", "flow", "mark")}


def run_of(**records: dict[str, list[Any]]) -> Run:
    """Two flows of 1000-byte packets for 120 s, one in each group, with these records."""
    rows = [
        {"test": True, "group": group, "start_ns": 0, "stop_ns": None, "rtt_ns": ROUND_NS} for group in (0, 1)
    ]
    return cast(
        Run,
        SimpleNamespace(
            records={
                name: pa.table({key: pa.array(column, TYPES.get(key)) for key, column in columns.items()})
                for name, columns in records.items()
            },
            engine={"warmup_ns": 0, "duration_ns": 120 * S, "record": {"rates_ns": S}},
            flows=pa.table({"packet_bytes": [1000, 1000], "srtt_ns": [ROUND_NS, ROUND_NS]}),
            meta={"resolved": {"flows": rows}},
        ),
    )


def test_of_several_flows_the_group_says_which_is_read() -> None:
    """Windows of two flows are not one path: what lies between them is no change of either."""
    first, second = ([(place, 0, size * 2.0**place, SAMPLE) for place in range(4)] for size in (1, 100))
    table = windows(*(point for pair in zip(first, second, strict=True) for point in pair))
    table["flow"] = [0, 1] * 4
    for group in (0, 1):
        assert value(f"growth of {group}", windows=table) == pytest.approx(2.0)
        assert value(f"climb of {group}", windows=table) == pytest.approx((4.0, 400.0)[group])
    for name in ("growth", "climb"):
        with pytest.raises(ValueError, match="a single test flow"):
            value(name, windows=table)
    cuts = windows((0, 100, 95, DECREASE), (1, 8, 4, DECREASE), (5, 85, 45, DECREASE))
    cuts["flow"] = [0, 1, 0]
    assert value("halving of 0", windows=cuts) == pytest.approx(5.0)
    assert value("halving of 1", windows=cuts) == 0.0


def rates(*stretches: tuple[int, int]) -> dict[str, list[Any]]:
    """Stretches of (seconds, packets each second) one after the other, half of them for each flow."""
    packets = [count for seconds, count in stretches for _ in range(seconds)]
    return {
        "time_ns": [(second + 1) * S for second in range(len(packets)) for _ in (0, 1)],
        "flow": [0, 1] * len(packets),
        "delivered_packets": [count // 2 for count in packets for _ in (0, 1)],
    }


def drops(*stretches: tuple[int, int, int]) -> dict[str, list[Any]]:
    """Stretches of (first second, last second, drops in each), all of flow 0, and a mark in every second, which is no drop."""
    times = [
        (second * S + place * S // count, 0)
        for begin, end, count in stretches
        for second in range(begin, end)
        for place in range(count)
    ]
    marks = [(second * S, 1) for begin, end, _ in stretches for second in range(begin, end)]
    events = sorted(times + marks)
    return {
        "time_ns": [time for time, _ in events],
        "flow": [0] * len(events),
        "mark": [mark for _, mark in events],
    }


def windows(*points: tuple[int, float, float, int]) -> dict[str, list[Any]]:
    """(round, window before, window after, event) of the first flow."""
    rounds, before, after, events = zip(*points, strict=True)
    return {
        "time_ns": [place * ROUND_NS for place in rounds],
        "flow": [0] * len(points),
        "window_before": list(before),
        "window": list(after),
        "event": list(events),
    }


def value(text: str, **records: dict[str, list[Any]]) -> float:
    return Measure.parse(text)(run_of(**records))


def test_growth_is_the_factor_per_round_trip_up_to_the_first_decrease() -> None:
    climbing = [(place, 0, 2.0**place, SAMPLE) for place in range(6)]
    assert value(
        "growth", windows=windows(*climbing, (6, 32, 16, DECREASE), (7, 0, 17, SAMPLE))
    ) == pytest.approx(2.0)
    # A sample that is missing does not make the growth larger: it is taken per round trip.
    assert value("growth", windows=windows(*climbing[::2])) == pytest.approx(2.0)
    assert math.isnan(value("growth", windows=windows((0, 0, 8, SAMPLE))))


def test_climb_is_the_largest_rise_after_the_last_decrease() -> None:
    points = [(0, 0, 1, SAMPLE), (1, 0, 90, SAMPLE), (2, 90, 45, DECREASE)]
    after = [(3, 0, 46, SAMPLE), (4, 0, 48, SAMPLE), (6, 0, 53, SAMPLE)]
    assert value("climb", windows=windows(*points, *after)) == pytest.approx(
        2.5
    )  # 5 packets in two round trips
    assert math.isnan(value("climb", windows=windows(*points)))


def test_halving_counts_round_trips_from_the_last_decrease_near_the_top() -> None:
    falls = [(0, 100, 95, DECREASE), (3, 95, 80, DECREASE), (5, 80, 60, DECREASE), (8, 60, 47, DECREASE)]
    # 95 is the last within a tenth of 100; half of it, 47.5, is passed five round trips later.
    assert value("halving", windows=windows(*falls)) == pytest.approx(5.0)
    assert math.isnan(value("halving", windows=windows(*falls[:3])))
    assert math.isnan(value("halving", windows=windows((0, 0, 5, SAMPLE))))


SQUARE = rates((40, 100), (3, 80), (27, 50), (2, 60), (3, 80), (45, 92))
"""A square of cross traffic from 40 s to 70 s: three seconds until the flows yield, five until they are back."""


def test_time_to_halve_ends_with_the_first_bin_of_half() -> None:
    assert value("time_to_halve at 1 s 40..70 s", rates=SQUARE) == pytest.approx(4.0)
    assert value("time_to_halve at 5 s 40..70 s", rates=SQUARE) == pytest.approx(10.0)  # 340, then 250 of 500
    assert math.isnan(value("time_to_halve at 1 s 70..110 s", rates=SQUARE))  # nothing to halve any more


def test_time_to_regain_looks_back_over_the_square() -> None:
    assert value("time_to_regain at 1 s 70..110 s", rates=SQUARE) == pytest.approx(6.0)
    short = rates((40, 100), (30, 50), (50, 89))
    assert math.isnan(value("time_to_regain at 1 s 70..110 s", rates=short))  # nine tenths are 90


def test_drop_rate_counts_drops_and_no_marks() -> None:
    steady, lost = rates((120, 98)), drops((10, 20, 2))
    assert value("drop_rate 10..20 s", rates=steady, congestion=lost) == pytest.approx(2.0)
    assert value("drop_rate of 0 10..20 s", rates=steady, congestion=lost) == pytest.approx(100 * 2 / 51)
    assert value("drop_rate of 1 10..20 s", rates=steady, congestion=lost) == 0.0
    assert value("drop_rate 20..30 s", rates=steady, congestion=lost) == 0.0
    assert math.isnan(value("drop_rate 10..20 s", rates=rates((120, 0)), congestion=drops()))


def test_stabilisation_ends_where_drops_are_as_rare_as_later() -> None:
    steady = rates((120, 100))
    lost = drops((40, 44, 40), (44, 70, 4))
    # Bins of 5 s begin every second; the first without any of the many drops ends 9 s after the change.
    assert value("stabilisation at 5 s 40..70 s", rates=steady, congestion=lost) == pytest.approx(9.0)
    last = drops((40, 54, 40), (54, 70, 1))
    assert value("stabilisation at 5 s 40..70 s", rates=steady, congestion=last) == pytest.approx(19.0)
    late = drops((40, 55, 40), (55, 70, 1))
    assert math.isnan(value("stabilisation at 5 s 40..70 s", rates=steady, congestion=late))


def test_stabilisation_counts_delivered_and_dropped_packets_of_the_same_time() -> None:
    """A second in which more than 1.5 times as much is dropped as later does not end it, and a window begins with a bin of the record."""
    steady, lost = rates((120, 100)), drops((40, 44, 6), (44, 70, 4))
    assert value("stabilisation at 1 s 40..70 s", rates=steady, congestion=lost) == pytest.approx(1.0)
    lost = drops((40, 44, 8), (44, 70, 4))
    assert value("stabilisation at 1 s 40..70 s", rates=steady, congestion=lost) == pytest.approx(5.0)
    assert value("stabilisation at 2 s 40..70 s", rates=steady, congestion=lost) == pytest.approx(5.0)
