"""The metrics against numbers worked out by hand, on columns written by hand: no simulation."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

import sawtooth
from sawtooth.columns import Columns
from sawtooth.measure.metrics import METRIC_NAMES, METRICS, Measured, metric, metric_values
from sawtooth.measure.metrics.between import harm_of, shares
from sawtooth.measure.metrics.frame import Opportunities, mean, total
from sawtooth.measure.metrics.share_autocorrelation import integrated_time
from sawtooth.measure.metrics.window_climb import turns

SECOND = 1_000_000_000

# Three test flows and one that is not a test flow, over 10 s: 1000, 2000 and 3000 packets of 1000 B are 0.8, 1.6 and 2.4 Mbit/s.
FLOWS: dict[str, list[Any]] = {
    "id": [0, 1, 2, 3],
    "test": [True, True, True, False],
    "packet_bytes": [1000, 1000, 1000, 500],
    "delivered_unique": [1000, 2000, 3000, 9999],
    "timeouts": [1, 0, 4, 50],
    "retransmits": [10, 20, 30, 70],
    "sent": [1000, 2000, 3000, 10_000],
    "loss_events": [3, 4, 5, 80],
    "ecn_reductions": [0, 1, 2, 90],
    "drops": [10, 20, 45, 9],
    "window_mean": [4.0, 8.0, 15.0, 99.0],
    "delivered_total": [1002, 2000, 3005, 10_000],
    "undos": [1, 0, 2, 40],
    "controller": ["cubic", "bbr", "bbr", "cubic"],
    "recovery": ["sack", "rack", "rack", None],
    "states": ["{}", '{"probe_rtt":400000000,"startup":1000000000}', '{"probe_rtt":200000000}', "{}"],
    "rtt_samples": [10, 0, 4, 5],
    "rtt_ns_sum": [1_000_000_000, 0, 800_000_000, 1],
    "rtt_p50_ns": [90_000_000, 0, 210_000_000, 1],
    "rtt_p95_ns": [110_000_000, 0, 290_000_000, 1],
    "rtt_p99_ns": [120_000_000, 0, 300_000_000, 1],
    "rtt_p999_ns": [130_000_000, 0, 310_000_000, 1],
    "completion_s": [4.0, None, 8.0, 1.0],
    "slowdown": [2.0, None, 4.0, 100.0],
}
QUEUES: dict[str, list[Any]] = {
    "name": ["bottleneck", "reverse"],
    "test_arrivals": [400, 1],
    "drops": [31, 1],
    "test_drops": [10, 1],
    "test_drop_runs": [4, 1],
    "drops_full": [25, 1],
    "test_forwarded": [390, 1],
    "test_marks": [7, 1],
    "delay_ns_sum_test": [390 * 25_000_000, 1],
    "delay_p50_ns": [20_000_000, 1],
    "delay_p95_ns": [40_000_000, 1],
    "delay_p99_ns": [55_500_000, 1],
    "delay_p999_ns": [66_000_000, 1],
    "forwarded_bytes": [5_000_000, 1],
    "capacity_bytes": [12_500_000, 1],
    "busy_ns": [8 * SECOND, 1],
    "empty_ns": [3 * SECOND // 2, 1],
}
EXPECTED = {
    "goodput": 1.6 / 2.0,  # the mean of 0.8, 1.6, 2.4 over 2 Mbit/s
    "fairness": (2.4 - 0.8) / 1.6,
    "delay": 25.0,
    "loss": 2.5,
    "jain": 4.8**2 / (3 * (0.8**2 + 1.6**2 + 2.4**2)),
    "utilisation": 0.8,
    "delay_p50": 20.0,
    "delay_p95": 40.0,
    "delay_p99": 55.5,
    "timeouts": 5.0,
    "retransmits": 60.0,
    "marks": 7.0,
    "idle": 0.15,
    "mean_window": 9.0,
    "share_autocorrelation_time": math.nan,  # no rates were recorded
    "signals": 12 + 3 + 5,
    "full_drops": 25.0,
    "drop_run": 2.5,
    "loss_epoch_correlation": math.nan,  # no congestion was recorded
    "loss_bias": (45 / 3000) / (10 / 1000),  # of three flows the middle one belongs to no half
    "rate_variation": math.nan,
    # ln 1, ln 2, ln 3 against ln 4, ln 2, ln 1, about their means: 400, 200 and 100 ms with the 25 ms of the queue
    "rtt_bias": (math.log(1) - math.log(3)) * math.log(2) / (2 * math.log(2) ** 2),
    "cross_share": math.nan,  # no short flows
    "cross_excess": math.nan,
    "cross_drops": 21.0,
    "window_growth": math.nan,  # no windows were sampled
    "window_climb": math.nan,
    "drops": 10.0,
    "delay_p999": 66.0,
    "rtt_mean": (100.0 + 200.0) / 2,  # the middle flow has no sample
    "rtt_p50": 150.0,
    "rtt_p95": 200.0,
    "rtt_p99": 210.0,
    "rtt_p999": 220.0,
    "retransmission_rate": 1.0,
    "spurious_retransmits": 7.0,
    "undos": 3.0,
    "startup_time": 0.5,
    "probe_rtt_share": 0.03,
    "completion": 6.0,
    "slowdown": 3.0,
    "slowdown_max": 4.0,
    "harm": (0.5 + 0.75) / 2,
    "share_least": 0.8 / 1.6,  # cubic with sack; bbr with rack has 2.0
    "share_most": 2.0 / 1.6,
    "starvation": math.nan,  # no rates were recorded
    "convergence": math.nan,
    "rtt_exponent": -np.polyfit(np.log([375, 175, 75]), np.log([0.8, 1.6, 2.4]), 1)[0],
}


def columns(values: Mapping[str, Sequence[Any]]) -> Columns:
    return Columns.of_table(pa.table(dict(values)))


def measured(
    flows: Mapping[str, Sequence[Any]] | None = None,
    queues: Mapping[str, Sequence[Any]] | None = None,
    records: Mapping[str, pa.Table] | None = None,
    **other: Any,
) -> Measured:
    """The run above with some columns replaced."""
    values: dict[str, Any] = {
        "start_ns": 5 * SECOND,
        "end_ns": 15 * SECOND,
        "available_bps": 2e6,
        "propagation_ns": [375_000_000, 175_000_000, 75_000_000, 1],
    }
    return Measured(
        flows=columns({**FLOWS, **(flows or {})}),
        queues=columns({**QUEUES, **(queues or {})}),
        records={name: Columns.of_table(table) for name, table in (records or {}).items()},
        **{**values, **other},
    )


@pytest.mark.parametrize("name", METRIC_NAMES)
def test_hand_computed(name: str) -> None:
    assert metric(name)(measured()) == pytest.approx(EXPECTED[name], rel=1e-12, nan_ok=True)


def test_the_table_is_complete_and_begins_with_the_four_of_the_paper() -> None:
    assert METRIC_NAMES[:4] == ("goodput", "fairness", "delay", "loss")
    assert list(metric_values(measured())) == list(METRIC_NAMES) == list(EXPECTED)
    for entry in METRICS:
        assert entry.unit
        assert entry.what
        assert entry.source
        assert "warm-up" in entry.window


def test_an_unknown_metric_is_named_with_what_exists() -> None:
    with pytest.raises(KeyError, match=r"metric 'speed': expected one of goodput, fairness"):
        metric("speed")


def test_goodput_is_not_clipped() -> None:
    assert metric("goodput")(measured(available_bps=1e6)) == pytest.approx(1.6)


@pytest.mark.parametrize(
    ("delivered", "fairness", "jain"),
    [
        ([5, 5, 5, 0], 0.0, 1.0),
        ([9, 0, 0, 0], 3.0, 1.0 / 3.0),  # one of three has everything
        ([0, 0, 0, 7], math.nan, math.nan),  # nothing delivered: undefined, not fair
    ],
)
def test_extremes_of_fairness(delivered: list[int], fairness: float, jain: float) -> None:
    run = measured({"delivered_unique": delivered})
    assert metric("fairness")(run) == pytest.approx(fairness, nan_ok=True)
    assert metric("jain")(run) == pytest.approx(jain, nan_ok=True)


@given(st.lists(st.integers(0, 10**9), min_size=1, max_size=20).filter(any))
def test_fairness_stays_in_its_range(delivered: list[int]) -> None:
    count = len(delivered)
    flows: dict[str, list[int]] = {
        "id": list(range(count)),
        "test": [True] * count,
        "packet_bytes": [1000] * count,
    }
    table = columns({**flows, "delivered_unique": delivered})
    run = Measured(table, columns(QUEUES), {}, 0, SECOND, 1e6)
    assert 1.0 / count * (1 - 1e-9) <= metric("jain")(run) <= 1.0 + 1e-9
    assert 0.0 <= metric("fairness")(run) <= count * (1 + 1e-9)


@pytest.mark.parametrize("name", ["delay", "delay_p50", "delay_p95", "delay_p99", "delay_p999", "loss"])
def test_without_test_packets_delay_and_loss_are_undefined(name: str) -> None:
    nothing = {
        "test_arrivals": [0, 0],
        "test_forwarded": [0, 0],
        "test_drops": [0, 0],
        "delay_ns_sum_test": [0, 0],
    }
    assert math.isnan(metric(name)(measured(queues=nothing)))


def test_utilisation_of_a_trace_is_bytes_over_opportunities() -> None:
    assert metric("utilisation")(measured(capacities={0: None})) == pytest.approx(0.4)


def test_of_a_link_of_transmit_opportunities_full_ones_are_the_capacity() -> None:
    """5000 packets of 1000 B. At 16 Mbit/s one takes 0.5 ms; four fit into 2.2 ms, which with 2 ms of overhead is 1 kB/ms."""
    link = Opportunities(rate_bps=16_000_000, packets=64, time_ns=2_200_000, overhead_ns=2_000_000)
    queues = {"forwarded": [5000, 1]}
    assert metric("utilisation")(measured(queues=queues, capacities={0: link})) == pytest.approx(0.5)
    # Two packets at most: 2 kB in 3 ms. A packet longer than the limit goes alone: 1 kB in 2.5 ms.
    for packets, time_ns, bytes_in_10_s in ((2, 2_200_000, 20e6 / 3), (64, 1, 4e6)):
        limited = replace(link, packets=packets, time_ns=time_ns)
        used = metric("utilisation")(measured(queues=queues, capacities={0: limited}))
        assert used == pytest.approx(min(5e6 / bytes_in_10_s, 1.0))
    nothing = {"forwarded": [0, 1], "forwarded_bytes": [0, 1]}
    assert metric("utilisation")(measured(queues=nothing, capacities={0: link})) == 0.0


def test_of_several_bottlenecks_each_is_counted_in_its_own_way() -> None:
    queues = {"busy_ns": [8 * SECOND, 2 * SECOND]}
    both = measured(queues=queues, capacities={0: None}, paths=(((0, 1), 1),))
    assert metric("utilisation")(both) == pytest.approx((0.4 + 0.2) / 2)
    # What is not on the way of test flows does not count.
    assert metric("utilisation")(measured(capacities={1: None})) == 0.8


def test_a_burst_that_a_shaper_has_saved_is_no_more_than_the_whole_link() -> None:
    queues = {"forwarded_bytes": [13_000_000, 1]}
    assert metric("utilisation")(measured(queues=queues, capacities={0: None})) == 1.0


def test_the_reverse_queue_and_other_flows_do_not_count() -> None:
    run = measured(
        {"delivered_unique": [1000, 2000, 3000, 0]},
        {name: [QUEUES[name][0], 777] for name in QUEUES if name != "name"},
    )
    assert metric_values(run) == pytest.approx(EXPECTED, nan_ok=True)


def rates(
    delivered: Sequence[Sequence[int]], bin_ns: int = SECOND, first_end_ns: int = 6 * SECOND
) -> pa.Table:
    """The record of rates: `delivered` has one row per bin, one number per flow."""
    return pa.table(
        {
            "time_ns": [first_end_ns + index * bin_ns for index, row in enumerate(delivered) for _ in row],
            "flow": [flow for row in delivered for flow in range(len(row))],
            "delivered_packets": [count for row in delivered for count in row],
        }
    )


def test_a_flow_starves_in_seconds_below_a_tenth_of_what_those_that_are_on_got() -> None:
    """Half-second bins; the third flow starts at 10 s, so that five seconds are of two flows and five of three."""
    first = [[50, 50, 0, 0]] * 8 + [[96, 4, 0, 0], [97, 5, 0, 0]]  # 193 against 9: below a tenth of 101
    later = [[50, 25, 15, 0]] * 8 + [[100, 0, 15, 0], [100, 5, 15, 0]]  # 200, 5 and 30, a fair share of 78
    table = rates(first + later, SECOND // 2, 11 * SECOND // 2)
    spans = ([0, 0, 10 * SECOND, 0], [15 * SECOND] * 4)
    run = measured(records={"rates": table}, spans_ns=spans)
    assert metric("starvation")(run) == pytest.approx(2 / (5 * 2 + 5 * 3))
    everywhere = measured(records={"rates": table})
    # Counted before its start, the third flow starves for 5 s, and 9 of 202 is above a tenth of a third.
    assert metric("starvation")(everywhere) == pytest.approx((5 + 1) / 30)


def test_convergence_counts_from_the_last_start_and_takes_the_warm_up_in() -> None:
    """The second flow starts at 2 s and has nothing for 3 s; then both have the same."""
    table = rates([[10, 0, 0, 0]] * 5 + [[5, 5, 5, 0]] * 10, first_end_ns=SECOND)
    spans = ([0, 2 * SECOND, 0, 0], [15 * SECOND] * 4)
    run = measured(records={"rates": table}, spans_ns=spans)
    # Of the 5 s that end at n s, 10 − n have [10, 0, 0] and n − 5 have [5, 5, 5].
    ends = [
        n
        for n in range(7, 16)
        if (totals := np.array([max(10 - n, 0) * 10 + min(n - 5, 5) * 5] + [min(n - 5, 5) * 5] * 2)).sum()
        ** 2
        >= 3 * (totals**2).sum() / (1 + 0.1**2)
    ]
    assert metric("convergence")(run) == ends[0] - 2 == 8.0
    never = measured(records={"rates": rates([[10, 1, 1, 0]] * 15, first_end_ns=SECOND)})
    assert math.isnan(metric("convergence")(never))
    odd = measured(records={"rates": rates([[5, 5, 5, 0]] * 15, 300_000_000)})
    assert math.isnan(metric("convergence")(odd))
    assert math.isnan(metric("starvation")(odd))


def test_what_was_not_recorded_is_not_taken_for_convergence() -> None:
    """The engine records rates from the end of the warm-up on: flows that shared fairly before it have no convergence time."""
    flows = [{"control": "aimd(1, 0.5)", "count": 2, "start": "0 s"}]
    late = {"control": "aimd(1, 0.5)", "start": "4 s"}
    network = {"bottleneck": {"rate": "10 Mbit/s"}, "path": {"rtt": "50 ms"}}
    scenario = {**network, "duration": "30 s", "record": {"rates": "1 s"}}

    def converged(warmup: str, flows: list[dict[str, Any]]) -> float:
        return sawtooth.run({**scenario, "warmup": warmup, "flows": flows}, store=False).values["convergence"]

    assert converged("0 s", flows) == 5.0
    assert math.isnan(converged("10 s", flows))
    assert converged("0 s", [*flows, late]) == converged("4 s", [*flows, late])
    assert math.isnan(converged("5 s", [*flows, late]))


def test_shares_and_harm_of_kinds() -> None:
    assert shares(measured()) == pytest.approx({"cubic sack": 0.5, "bbr rack": 1.25})
    alike = measured({"controller": ["cubic"] * 4, "recovery": ["sack"] * 4})
    assert math.isnan(metric("share_least")(alike))
    # [WareMukerjee19] §3: throughput 10 alone and 4 beside; delay 20 ms alone and 80 ms beside.
    assert harm_of(10.0, 4.0, higher_is_better=True) == pytest.approx(0.6)
    assert harm_of(20.0, 80.0, higher_is_better=False) == pytest.approx(0.75)
    assert math.isnan(harm_of(0.0, 4.0, higher_is_better=True))


def test_a_run_of_an_earlier_version_lacks_what_it_did_not_store() -> None:
    """Columns that came later are missing; what needs them is undefined, and the rest is as it was."""
    later = {"undos", "states", "rtt_samples", "completion_s", "slowdown"}
    old = Measured(
        flows=columns({name: values for name, values in FLOWS.items() if name not in later}),
        queues=columns({name: values for name, values in QUEUES.items() if name != "delay_p999_ns"}),
        records={},
        start_ns=5 * SECOND,
        end_ns=15 * SECOND,
        available_bps=2e6,
        propagation_ns=[375_000_000, 175_000_000, 75_000_000, 1],
    )
    unknown = ("undos", "startup_time", "probe_rtt_share", "completion", "slowdown", "slowdown_max", "harm")
    missing = {"delay_p999", *unknown, *(name for name in METRIC_NAMES if name.startswith("rtt_"))}
    expected = EXPECTED | dict.fromkeys(missing - {"rtt_bias", "rtt_exponent"}, math.nan)
    assert metric_values(old) == pytest.approx(expected, nan_ok=True)


def by_definition(deviations: np.ndarray[Any, Any], factor: float = 5.0) -> float:
    """τ in bins straight from the head of the metric, with plain loops."""
    bins = deviations.shape[0]

    def covariance(lag: int) -> float:
        return float(sum((deviations[k] * deviations[k + lag]).sum() for k in range(bins - lag)))

    tau = 0.5
    for lag in range(1, bins):
        tau += covariance(lag) / covariance(0)
        if lag >= factor * tau:
            break
    return max(0.0, tau)


def test_share_autocorrelation_time_of_shares_that_never_even_out() -> None:
    """ρ[l] = 1 − l/K for ever, so τ = K/2 bins: half of the window, the most that can be seen."""
    run = measured(records={"rates": rates([[30, 10, 20, 5]] * 10)})
    assert metric("share_autocorrelation_time")(run) == pytest.approx(5.0)


def test_share_autocorrelation_time_follows_its_definition() -> None:
    """Two flows hold the upper hand for 4, 9, 2 and 5 bins of 0.5 s in turn; a third flow is not a test flow."""
    first_leads = [True] * 4 + [False] * 9 + [True] * 2 + [False] * 5
    pattern = [[3, 1, 9] if leads else [1, 3, 2] for leads in first_leads]
    flows = {name: [FLOWS[name][0], FLOWS[name][1], FLOWS[name][3]] for name in FLOWS}
    record = rates(pattern, SECOND // 2, 11 * SECOND // 2)
    run = Measured(
        columns({**flows, "id": [0, 1, 2]}),
        columns(QUEUES),
        {"rates": Columns.of_table(record)},
        5 * SECOND,
        15 * SECOND,
        1e6,
    )
    deviations = np.array([[0.25, -0.25] if leads else [-0.25, 0.25] for leads in first_leads])
    expected = 0.5 * by_definition(deviations)
    assert 0.0 < expected < 2.0
    assert metric("share_autocorrelation_time")(run) == pytest.approx(expected, rel=1e-9)


def test_bins_of_the_warm_up_do_not_count() -> None:
    warm = [[100, 0, 0, 0]] * 5
    late = [
        [1, 2, 3, 0],
        [3, 2, 1, 0],
        [2, 1, 3, 0],
        [1, 3, 2, 0],
        [2, 2, 2, 0],
        [3, 1, 2, 0],
        [1, 2, 3, 0],
    ] + [[1, 1, 2, 0]] * 3
    with_warm_up = measured(records={"rates": rates(warm + late, first_end_ns=SECOND)})
    without = measured(records={"rates": rates(late)})
    value = metric("share_autocorrelation_time")(without)
    assert value == metric("share_autocorrelation_time")(with_warm_up)
    assert value > 0.0


def test_integrated_time_recovers_the_constant_of_an_exponential() -> None:
    """An AR(1) series with ρ[l] = 0.9^l has τ = 1/2 + 0.9/0.1 = 9.5 bins; 20 series of 4000 bins show it within 10 %."""
    noise = np.random.Generator(np.random.PCG64(7)).standard_normal((4000, 20))
    series = np.zeros_like(noise)
    for k in range(1, len(noise)):
        series[k] = 0.9 * series[k - 1] + noise[k]
    assert integrated_time(series) == pytest.approx(9.5, rel=0.10)


@given(st.integers(2, 12), st.integers(1, 4), st.data())
def test_the_fast_transform_agrees_with_the_definition(bins: int, flows: int, data: st.DataObject) -> None:
    values = data.draw(
        st.lists(st.integers(-5, 5), min_size=bins * flows, max_size=bins * flows).filter(
            lambda row: any(row)
        )
    )
    deviations = np.array(values, dtype=float).reshape(bins, flows)
    fast, slow = integrated_time(deviations), by_definition(deviations)
    assert fast == pytest.approx(slow, abs=1e-6) or window_is_a_near_tie(deviations)


def window_is_a_near_tie(deviations: np.ndarray[Any, Any]) -> bool:
    """Whether some lag meets M ≥ 5 τ(M) with equality up to rounding, where either answer is right."""
    bins = deviations.shape[0]
    rho = [
        sum((deviations[k] * deviations[k + lag]).sum() for k in range(bins - lag)) / (deviations**2).sum()
        for lag in range(1, bins)
    ]
    taus = 0.5 + np.cumsum(rho)
    return bool(np.any(np.abs(np.arange(1, bins) - 5.0 * taus) < 1e-9))


def test_one_flow_has_no_shares() -> None:
    run = measured(
        {"test": [True, False, False, False]}, records={"rates": rates([[1, 1, 1, 1], [2, 1, 1, 1]])}
    )
    assert math.isnan(metric("share_autocorrelation_time")(run))


def epochs(times_s: Sequence[Sequence[float]]) -> float:
    """The correlation of losses at these times, flow by flow, over ten bins of a second (round trips of half a second) from 5 s on."""
    rows = [(time, flow) for flow, times in enumerate(times_s) for time in times]
    points = pa.table(
        {"time_ns": [round(time * SECOND) for time, _ in rows], "flow": [flow for _, flow in rows]}
    )
    run = measured(records={"congestion": points}, propagation_ns=[SECOND // 2 - 25_000_000] * 4)
    return metric("loss_epoch_correlation")(run)


def test_loss_epochs_that_coincide_correlate_fully() -> None:
    together = [5.1, 7.2, 7.3, 12.0]
    assert epochs([together, together, together, [6.0]]) == pytest.approx(1.0)
    later = [time + 0.4 for time in together]  # the same bins
    assert epochs([together, later, together, []]) == pytest.approx(1.0)
    assert math.isnan(epochs([[], [], []]))


def test_loss_epochs_follow_pearson() -> None:
    times = [[5.5, 6.5, 9.5], [6.5, 10.5], [5.5, 14.5, 6.7]]
    hit = np.zeros((3, 10))
    for flow, places in enumerate([[0, 1, 4], [1, 5], [0, 9, 1]]):
        hit[flow, places] = 1
    covariances = np.cov(hit, bias=True)
    pairs = [covariances[i, j] for i in range(3) for j in range(3) if i != j]
    expected = float(np.mean(pairs) / np.mean(np.diag(covariances)))
    assert epochs(times) == pytest.approx(expected)
    assert epochs([[*row, 4.9, 15.1] for row in times]) == pytest.approx(expected)  # outside the window


@pytest.mark.parametrize("drops", [[0, 0, 0, 5], [0, 3, 4, 0]])
def test_a_half_without_losses_has_no_bias(drops: list[int]) -> None:
    assert math.isnan(metric("loss_bias")(measured({"drops": drops})))


def test_rate_variation_is_that_of_each_flow() -> None:
    """Flow 0 is steady, flow 1 alternates between 1 and 3 (standard deviation 1, mean 2), flow 2 sends nothing."""
    record = rates([[4, 1, 0, 9], [4, 3, 0, 1]] * 5)
    assert metric("rate_variation")(measured(records={"rates": record})) == pytest.approx((0.0 + 0.5) / 2)


def test_equal_round_trip_times_have_no_bias() -> None:
    assert math.isnan(metric("rtt_bias")(measured(propagation_ns=[7, 7, 7, 1])))


def test_short_flows_beside_a_place_holder() -> None:
    """Two processes deliver 1500 packets of 1000 B, 12 Mbit, in 6 s of living: 2 Mbit/s; the place-holder has 9999 x 500 B in 10 s."""
    arrivals = pa.table(
        {
            "packet_bytes": [1000, 1000],
            "delivered_unique": [1000, 500],
            "completion_ns_sum": [4 * SECOND, 2 * SECOND],
        }
    )
    run = measured(records={"arrivals": arrivals})
    assert metric("cross_share")(run) == pytest.approx(1_500_000 / 12_500_000)
    assert metric("cross_excess")(run) == pytest.approx(2e6 / (9999 * 500 * 8 / 10) - 1)
    reverse = measured({"test": [False, True, True, False]}, records={"arrivals": arrivals})
    assert metric("cross_excess")(reverse) == metric("cross_excess")(run)  # the first is no place-holder
    alone = measured({"test": [True] * 4}, records={"arrivals": arrivals})
    assert math.isnan(metric("cross_excess")(alone))


def sampled(windows: Mapping[int, float], flows: int = 2) -> pa.Table:
    """Samples of windows: the same for each of the test flows, and one of a flow that is none, which must not count."""
    rows = [(time * SECOND, flow, window) for time, window in windows.items() for flow in range(flows)]
    rows += [(time * SECOND, 3, 1e6) for time in windows]
    times, ids, values = (list(column) for column in zip(*rows, strict=True))
    return pa.table(
        {
            "time_ns": pa.array(times, pa.int64()),
            "flow": pa.array(ids, pa.uint32()),
            "event": pa.array([0] * len(rows), pa.uint32()),
            "window": pa.array(values, pa.float64()),
        }
    )


def climbing(windows: Mapping[int, float]) -> Measured:
    """Square wave: low from 0 s, high from 10 s, low from 14 s, and so on each 10 s; 8 Mbit/s and 100 ms carry 100 packets of 1000 B."""
    times = [0, 10, 14, 20, 24, 30, 34, 40, 44]
    return measured(
        records={"windows": sampled(windows)},
        level_times_ns=np.array(times) * SECOND,
        levels_bps=np.array([10**6, *([8 * 10**6, 10**6] * 4)]),
        propagation_ns=[100_000_000] * 4,
    )


def test_windows_climb_by_what_low_phases_leave() -> None:
    # up by 20 in each high phase, back by 5 in each low one
    up = {0: 10.0, 10: 10.0, 14: 30.0, 20: 25.0, 24: 45.0, 30: 40.0, 34: 60.0, 40: 55.0, 44: 75.0}
    values = metric_values(climbing(up))
    assert values["window_growth"] == pytest.approx(20.0)
    assert values["window_climb"] == pytest.approx(15.0)


def test_above_what_the_high_rate_carries_nothing_climbs() -> None:
    # the third rise begins at 120 packets, above 100: only the two before count
    up = {0: 10.0, 10: 10.0, 14: 70.0, 20: 60.0, 24: 130.0, 30: 120.0, 34: 130.0, 40: 40.0, 44: 50.0}
    values = metric_values(climbing(up))
    assert values["window_growth"] == pytest.approx((60 + 70) / 2)
    assert values["window_climb"] == pytest.approx((50 + 60) / 2)


def test_a_cut_that_comes_after_the_next_rise_is_a_cut() -> None:
    # losses of the low phase are heard of 1 s after bandwidth has risen again: up by 20 a period, back by 5
    late = {
        10: 10.0,
        14: 30.0,
        20: 30.0,
        21: 25.0,
        24: 45.0,
        30: 45.0,
        31: 40.0,
        34: 60.0,
        40: 60.0,
        41: 55.0,
        44: 75.0,
    }
    values = metric_values(climbing(late))
    assert values["window_growth"] == pytest.approx(20.0)
    assert values["window_climb"] == pytest.approx((20 + 15 + 15) / 3)


def test_a_staircase_is_one_rise() -> None:
    times = np.array([0, 1, 2, 3, 4, 5]) * SECOND
    assert turns(times, np.array([1, 2, 3, 1, 2, 1])) == [
        (SECOND, 3),
        (4 * SECOND, 2),
    ]
    assert turns(times[:3], np.array([1, 2, 3])) == []  # no fall, no period


@given(
    st.lists(st.floats(-1e300, 1e300), min_size=1, max_size=300),
    st.sampled_from([np.float64, np.int64, np.uint32, np.bool_]),
)
def test_sums_and_means_are_those_of_numpy_to_the_last_bit(numbers: list[float], kind: type) -> None:
    values = np.array(numbers)
    if kind is not np.float64:
        values = np.frexp(values)[0].__abs__() * 2**31
    column: NDArray[Any] = values.astype(kind)
    with np.errstate(over="ignore"):
        expected = float(column.mean()), float(column.sum())
        assert (mean(column).hex(), total(column).hex()) == tuple(value.hex() for value in expected)


def test_a_run_of_test_flows_alone_has_the_metrics_of_them_beside_another() -> None:
    some = [place for place, is_test in enumerate(FLOWS["test"]) if is_test]
    alone = {name: [values[place] for place in some] for name, values in FLOWS.items()}
    both = [
        metric_values(Measured(columns(flows), columns(QUEUES), {}, 0, 10 * SECOND, 1e6))
        for flows in (alone, FLOWS)
    ]
    assert {name: value.hex() for name, value in both[0].items()} == {
        name: value.hex() for name, value in both[1].items()
    }
