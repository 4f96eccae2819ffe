"""Measures of a part of a run, on records written by hand."""

from __future__ import annotations

import math
from types import SimpleNamespace
from typing import Any, cast

import pyarrow as pa
import pytest

import sawtooth
from sawtooth.measure.measures import Measure
from sawtooth.measure.single_flows import shares
from sawtooth.run.run import Run

S = 1_000_000_000


def run_of(
    flows: list[dict[str, Any]],
    rates: list[list[int]],
    cuts: list[tuple[float, int]] = (),  # type: ignore[assignment]
) -> Run:
    """Ten seconds over 1 Mbit/s: `rates` are packets of 1000 B per flow in each bin of a second, `cuts` (time, flow)."""
    rows = [
        {"test": True, "group": 0, "start_ns": 0, "stop_ns": None, "rtt_ns": S // 10, **flow}
        for flow in flows
    ]
    bins = [(n + 1, flow, row[flow]) for n, row in enumerate(rates) for flow in range(len(flows))]
    records = {
        "rates": pa.table(
            {
                "time_ns": [end * S for end, _, _ in bins],
                "flow": [flow for _, flow, _ in bins],
                "delivered_packets": [count for _, _, count in bins],
            }
        ),
        "windows": pa.table(
            {
                "time_ns": pa.array([int(time * S) for time, _ in cuts], pa.int64()),
                "flow": pa.array([flow for _, flow in cuts], pa.int64()),
                "event": pa.array([1 for _ in cuts], pa.int64()),
            }
        ),
    }
    resolved = {"flows": rows, "bottleneck": {"buffer_packets": 10, "buffer_bytes": None}}
    return cast(
        Run,
        SimpleNamespace(
            records=records,
            engine={"warmup_ns": 0, "duration_ns": 10 * S, "record": {"rates_ns": S}},
            flows=pa.table({"packet_bytes": [1000] * len(flows)}),
            meta={
                "resolved": resolved,
                "capacity_bps": 1_000_000,
                "schedule": {"times_ns": [0], "rates_bps": [1_000_000 // len(flows)]},
            },
        ),
    )


def value(text: str, run: Run) -> float:
    return Measure.parse(text)(run)


def test_goodput_is_a_fraction_of_what_was_available_in_the_part() -> None:
    run = run_of([{}, {"group": 1}], [[50, 25]] * 5 + [[100, 0]] * 5)
    assert value("goodput 0..5 s", run) == pytest.approx(75 * 8000 / 1e6)
    assert value("goodput", run) == pytest.approx((75 + 100) / 2 * 8000 / 1e6)
    assert value("goodput of 1 0..5 s", run) == pytest.approx(25 * 8000 / 0.5e6)
    cast(dict[str, Any], run.meta)["schedule"] = {"times_ns": [0, 5 * S], "rates_bps": [500_000, 250_000]}
    assert value("goodput 0..5 s", run) == pytest.approx(75 * 8000 / 1e6)
    assert value("goodput 5..10 s", run) == pytest.approx(100 * 8000 / 0.5e6)


def test_behind_short_flows_only_the_whole_run_says_what_was_available() -> None:
    run = run_of([{}], [[10]] * 10)
    cast(dict[str, Any], run.meta)["cross"] = {}
    with pytest.raises(ValueError, match="short flows"):
        value("goodput 0..5 s", run)


def two(a: float, b: float) -> float:
    """Jain's index of two goodputs."""
    return (a + b) ** 2 / (2 * (a * a + b * b))


def test_jain_counts_the_flows_that_were_present() -> None:
    late, gone = {"start_ns": 5 * S}, {"stop_ns": 5 * S}
    run = run_of([{}, late, gone], [[60, 0, 20]] * 5 + [[60, 30, 1]] * 5)
    assert value("jain 0..5 s", run) == pytest.approx(two(60, 20))
    assert value("jain 5..10 s", run) == pytest.approx(two(60, 30))
    assert math.isnan(value("jain 0..5 s", run_of([late], [[0]] * 10)))


def test_a_share_of_one_is_fair() -> None:
    run = run_of([{}, {}, {"group": 1}], [[10, 20, 60]] * 10)
    assert value("share of 1", run) == pytest.approx(60 / 30)
    assert value("share of 0", run) == pytest.approx(15 / 30)


def test_settling_is_the_time_to_half_a_fair_share() -> None:
    flows = [{}, {"group": 1, "start_ns": 4 * S}]
    run = run_of(flows, [[100, 0]] * 4 + [[90, 10], [80, 20], [70, 30], [70, 30], [60, 40], [60, 40]])
    assert value("settling of 1", run) == pytest.approx(3.0)  # 30 of 100 is more than half of 50
    assert value("settling of 1", run_of(flows, [[100, 0]] * 10)) == pytest.approx(6.0)


@pytest.mark.parametrize("measure", ["lowest", "highest", "share", "settling"])
def test_what_a_group_gets_is_undefined_before_it_is_there(measure: str) -> None:
    """Some ended in an error of NumPy, and a settling time was below 0."""
    run = run_of([{}, {"group": 1, "start_ns": 4 * S}], [[100, 0]] * 10)
    assert math.isnan(value(f"{measure} of 1 1..3 s", run))
    assert math.isnan(value(f"{measure} of 5", run))


def test_settling_asks_for_the_share_of_the_test_flows_that_are_on() -> None:
    gone, back = {"stop_ns": 4 * S}, {"test": False}
    late = {"group": 1, "start_ns": 4 * S}
    run = run_of([{}, gone, back, late], [[50, 50, 90, 0]] * 4 + [[80, 0, 90, 20], [70, 0, 90, 30]] * 3)
    assert value("settling of 1", run) == pytest.approx(2.0)  # 30 of 100 among two
    assert math.isnan(value("settling of 1 0..3 s", run))  # it begins later
    assert math.isnan(value("settling of 7", run))


def test_the_least_and_the_most_of_nobody_are_undefined() -> None:
    run = run_of([{}, {"group": 1, "start_ns": 5 * S}], [[10, 0]] * 5 + [[5, 5]] * 5)
    assert math.isnan(value("lowest of 1 0..5 s", run))
    assert math.isnan(value("highest of 1 0..5 s", run))
    assert value("highest of 1 5..10 s", run) == 1.0


def test_shares_are_those_of_test_flows_wherever_they_stand() -> None:
    flows = [{"group": 0, "test": False}, {"group": 1}, {"group": 2}]
    run = run_of(flows, [[10, 10, 10]])
    table = {"goodput_bps": [900_000.0, 100_000.0, 400_000.0]}
    cast(SimpleNamespace, run).flows = pa.table(table)
    assert shares(run) == ((), (0.2,), (0.8,))


def test_an_epoch_is_as_long_as_a_round_trip_over_a_full_queue() -> None:
    # 100 ms and ten packets of 8 ms: what follows a decrease within 180 ms belongs to it.
    run = run_of([{}, {}], [[10, 10]] * 10, [(1.0, 0), (1.17, 1), (1.19, 1), (5.0, 0), (5.1, 0)])
    assert value("synchronised", run) == pytest.approx((1.0 + 0.5 + 0.5) / 3)
    assert value("synchronised 4..10 s", run) == pytest.approx(0.5)
    assert math.isnan(value("synchronised 8..10 s", run))


def test_epochs_are_of_the_flows_of_the_group_and_of_no_place_holder() -> None:
    cuts = [(1.0, 0), (1.1, 2), (3.0, 1), (3.05, 2), (5.0, 2)]  # flow 2 stands in no group
    run = run_of([{}, {"group": 1}], [[10, 10]] * 10, cuts)
    assert value("synchronised", run) == pytest.approx(0.5)
    assert value("synchronised of 0", run) == 1.0
    assert value("synchronised of 1 0..2 s", run) != value("synchronised of 0 0..2 s", run)


def test_the_whole_run_says_what_the_metrics_say() -> None:
    run = sawtooth.run(
        {
            "duration": "10 s",
            "warmup": "0 s",
            "bottleneck": {"rate": "5 Mbit/s"},
            "path": {"rtt": "50 ms"},
            "flows": [{"count": 3, "control": "aimd(1, 0.5)", "start": "0 s"}],
            "record": {"rates": "1 s"},
        }
    )
    assert value("goodput", run) == pytest.approx(run.values["goodput"], abs=0.002)
    assert value("jain", run) == pytest.approx(run.values["jain"], abs=0.002)


@pytest.mark.parametrize("text", ["jain", "jain 0..15 s", "share of 1 15..60 s", "goodput of 0 500..1500 ms"])
def test_a_measure_is_read_as_it_is_written(text: str) -> None:
    assert Measure.parse(Measure.parse(text).text()) == Measure.parse(text)


@pytest.mark.parametrize("text", ["speed", "jain of x", "jain 5 s", 7, "jain 0..", "jain 3..2 s"])
def test_anything_else_is_refused(text: object) -> None:
    with pytest.raises(ValueError, match="goodput"):
        Measure.parse(text)


STEADY = [[10, 4], [10, 8], [10, 4], [10, 8]]
"""One flow of 10 packets in each bin, and one of 4 and 8 in turn."""


def test_how_rates_vary_is_the_mean_over_the_flows_of_a_group() -> None:
    run = run_of([{"group": 0}, {"group": 1}], STEADY)
    assert value("variation at 1 s of 0", run) == 0.0
    assert value("variation at 1 s of 1", run) == pytest.approx(2 / 6)
    assert value("variation at 1 s", run) == pytest.approx(1 / 6)
    assert value("roughness at 1 s of 1", run) == pytest.approx(4 / 6)
    assert value("variation at 2 s of 1", run) == 0.0


def test_throughput_ratios_below_a_level_are_counted_per_flow() -> None:
    run = run_of([{"group": 0}, {"group": 1}], STEADY)
    assert value("below 0.7 at 1 s of 1", run) == pytest.approx(1 / 3)
    assert value("below 0.5 at 1 s of 1", run) == 0.0
    assert value("below 0.7 at 1 s", run) == pytest.approx(1 / 6)


def test_measures_of_one_run_that_share_what_they_work_out_say_the_same() -> None:
    run = run_of(
        [{}, {"group": 1}, {}], [[60, 20, 10 + (second % 3)] for second in range(10)], [(2.0, 0), (5.0, 1)]
    )
    texts = (
        "roughness at 1 s of 0",
        "roughness at 2 s of 0",
        "roughness at 1 s of 1",
        "jain 0..4 s",
        "jain 4..10 s",
    )
    known: dict[tuple[object, ...], Any] = {}
    assert [Measure.parse(text)(run, known) for text in texts] == [value(text, run) for text in texts]
    assert len(known) == 3  # bins of the whole run and of two parts


def test_shares_of_two_groups() -> None:
    run = run_of([{"group": 0}, {"group": 0}, {"group": 1}], [[10, 20, 30]] * 10)
    assert value("ratio of 1", run) == pytest.approx(2.0)
    assert value("lowest of 0", run) == pytest.approx(0.5)
    assert value("highest of 0", run) == pytest.approx(1.0)


@pytest.mark.parametrize(
    "text", ["variation of 1", "below at 1 s", "below 0.5", "jain at 1 s", "ratio 3 of 1"]
)
def test_bins_and_levels_stand_where_they_belong(text: str) -> None:
    with pytest.raises(ValueError, match="one of"):
        Measure.parse(text)


def test_measures_write_themselves_back() -> None:
    for text in ("below 0.7 at 200 ms of 1", "time_to_halve at 1 s 40..70 s", "halving of 0"):
        assert Measure.parse(text).text() == text
