"""What a trace of delivery opportunities is like: rate, variation, memory, gaps.

Source: none of its own; the quantities by which recordings of cellular links are usually described. The rate is counted in bins of 100 ms
and of 1 s, the last part of a bin left out.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from math import sqrt
from typing import Final

from sawtooth.scenario.trace import OPPORTUNITY_BYTES, Trace

STATISTICS: Final = {
    "mean_bps": "mean rate",
    "variation_100ms": "coefficient of variation of the rate, bins of 100 ms",
    "variation_1s": "the same, bins of 1 s",
    "autocorrelation_100ms": "autocorrelation of the rate at 1 s, bins of 100 ms",
    "autocorrelation_1s": "the same, bins of 1 s",
    "rate_p5_bps": "rate in bins of 1 s, 5 % quantile",
    "rate_p25_bps": "the same, 25 %",
    "rate_p50_bps": "the same, 50 %",
    "rate_p75_bps": "the same, 75 %",
    "rate_p95_bps": "the same, 95 %",
    "gap_p50_ms": "gap between deliveries that are not in one millisecond, median",
    "gap_p90_ms": "the same, 90 %",
    "gap_p99_ms": "the same, 99 %",
    "gap_p999_ms": "the same, 99.9 %",
    "gap_longest_ms": "the longest gap",
    "share_without_100ms": "share of the time in gaps of 100 ms and more",
    "share_without_1s": "share of the time in gaps of 1 s and more",
}
"""What is computed, and what it is."""


def statistics(trace: Trace) -> dict[str, float]:
    """By name of `STATISTICS`; nan where a trace is too short for it."""
    times, period = trace.times_ms, trace.period_ms
    tenths, seconds = _counts(times, period, 100), _counts(times, period, 1000)
    gaps = sorted(later - earlier for earlier, later in pairwise(times) if later > earlier)
    found = {
        "mean_bps": float(trace.mean_bps),
        "variation_100ms": _variation(tenths),
        "variation_1s": _variation(seconds),
        "autocorrelation_100ms": _autocorrelation(tenths, 10),
        "autocorrelation_1s": _autocorrelation(seconds, 1),
    }
    ordered = sorted(seconds)
    for percent in (5, 25, 50, 75, 95):
        found[f"rate_p{percent}_bps"] = _quantile(ordered, percent / 100) * OPPORTUNITY_BYTES * 8
    for name, share in (("p50", 0.5), ("p90", 0.9), ("p99", 0.99), ("p999", 0.999)):
        found[f"gap_{name}_ms"] = _quantile(gaps, share)
    found["gap_longest_ms"] = float(gaps[-1]) if gaps else float("nan")
    for name, least in (("100ms", 100), ("1s", 1000)):
        found[f"share_without_{name}"] = sum(gap for gap in gaps if gap >= least) / period
    return found


def _counts(times: Sequence[int], period: int, bin_ms: int) -> list[int]:
    counts = [0] * (period // bin_ms)
    for time in times:
        if time // bin_ms < len(counts):
            counts[time // bin_ms] += 1
    return counts


def _quantile(ordered: Sequence[int], share: float) -> float:
    return float(ordered[int(share * (len(ordered) - 1))]) if ordered else float("nan")


def _moments(counts: Sequence[int]) -> tuple[float, float]:
    mean = sum(counts) / len(counts)
    return mean, sum((count - mean) ** 2 for count in counts) / len(counts)


def _variation(counts: Sequence[int]) -> float:
    mean, variance = _moments(counts) if counts else (0.0, 0.0)
    return sqrt(variance) / mean if mean > 0 else float("nan")


def _autocorrelation(counts: Sequence[int], lag: int) -> float:
    pairs = len(counts) - lag
    mean, variance = _moments(counts) if pairs > 0 else (0.0, 0.0)
    if variance == 0:
        return float("nan")
    return sum((counts[at] - mean) * (counts[at + lag] - mean) for at in range(pairs)) / pairs / variance
