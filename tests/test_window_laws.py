"""AIMD-FC, AIMD-FC+, binomial controls and SIMD in the packet simulator: the window trace of one flow against the closed forms."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

import sawtooth
from sawtooth.errors import InputError
from sawtooth.models import fast_convergence as fc

LOSS, TIMEOUT, MARK = 1, 2, 3


def one_flow(control: object, recovery: str = "sack", **changes: Any) -> sawtooth.Run:
    """One flow over 10 Mbit/s and 50 ms with a buffer of one delay-bandwidth product, its decreases recorded."""
    scenario: dict[str, Any] = {
        "duration": "150 s",
        "warmup": "60 s",
        "bottleneck": {
            "rate": "10 Mbit/s",
            "delay": "5 ms",
            "buffer": "1 bdp",
            "queue": {"kind": "drop-tail"},
        },
        "path": {"rtt": "50 ms"},
        "flows": [{"count": 1, "control": control, "recovery": recovery}],
        "record": {"windows": True},
    }
    scenario["bottleneck"] |= changes
    return sawtooth.run(scenario)


def decreases(
    run: sawtooth.Run, event: int, left: str = "window"
) -> tuple[np.ndarray[Any, Any], np.ndarray[Any, Any]]:
    """Windows before each decrease of that kind, past the warm-up, and what it left: the window, or the threshold."""
    table = run.records["windows"]
    chosen = (table.column("event").to_numpy() == event) & (table.column("time_ns").to_numpy() > 60e9)
    return tuple(table.column(name).to_numpy()[chosen] for name in ("window_before", left))


@pytest.mark.parametrize("recovery", ["sack", "newreno", "reno", "tahoe"])
@pytest.mark.parametrize(
    ("control", "low"),
    [
        ("aimd(1, 0.5)", 0.5),
        ("aimd-fc(1, 0.5)", 2 / 3),
        ("aimd-fc+(1, 0.5)", 7 / 9),
        ("aimd-fc(1, 0.8)", float(fc.minimum(0.8))),
        ("aimd-fc+(0.5, 0.5, 0.25)", float(fc.minimum(0.5, 0.25))),
    ],
)
def test_one_flow_falls_to_its_share_of_the_window(control: str, low: float, recovery: str) -> None:
    # Tahoe starts from one packet and returns to what the law left by slow start.
    before, after = decreases(
        one_flow(control, recovery), LOSS, "ssthresh" if recovery == "tahoe" else "window"
    )
    assert before.size >= 5
    assert after / before == pytest.approx(low, abs=0.01)  # a window of 125 packets: one packet is 0.008
    assert np.ptp(before) / before.mean() < 0.02


def test_marks_do_what_losses_do() -> None:
    # Marks come every 4000 packets whatever the window, so its range is that of the paper with 1/p = 4000.
    before, after = decreases(one_flow("aimd-fc(1, 0.5)", mark="periodic(4000)"), MARK)
    assert before.size >= 5
    assert after / before == pytest.approx(2 / 3, abs=0.02)
    top = math.sqrt(4000 / float(fc.packets_per_cycle(2 / 3)))
    assert before[-5:].mean() == pytest.approx(top, rel=0.05)


@pytest.mark.parametrize(
    ("impairment", "event"), [({}, LOSS), ({"mark": "periodic(1000)", "buffer": "20 bdp"}, MARK)]
)
@pytest.mark.parametrize("f", [0.0, 0.25, 0.5])
def test_the_trace_is_the_pseudocode(f: float, impairment: dict[str, Any], event: int) -> None:
    table = one_flow(f"aimd-fc+(1, 0.5, {f})", **impairment).records["windows"]
    assert set(table.column("event").to_pylist()) == {event}
    before, after = (table.column(name).to_numpy() for name in ("window_before", "window"))
    assert after[0] == before[0] / 2  # slow start leaves the halved window as the decrease window, and k = 0
    decrease_window, known = after[0], 0.0
    for number in range(1, before.size):
        decrease_window = decrease_window / 2 + (before[number] - decrease_window)
        assert after[number] == pytest.approx(decrease_window + f * known, rel=1e-9)
        known = before[number] - after[number - 1]


def test_a_timeout_starts_again() -> None:
    run = one_flow("aimd-fc+(1, 0.5)", drop=f"list({', '.join(str(n) for n in range(60_000, 60_200))})")
    table = run.records["windows"]
    events, windows = table.column("event").to_numpy(), table.column("window").to_numpy()
    (first, *_) = np.flatnonzero(events == TIMEOUT)
    assert windows[first] == 1.0
    before, after = decreases(run, LOSS)
    assert after[-3:] / before[-3:] == pytest.approx(7 / 9, abs=0.02)


def test_two_steps_lead_to_what_was_gained() -> None:
    table = one_flow("two-step(1)").records["windows"]
    before, after = (table.column(name).to_numpy() for name in ("window_before", "window"))
    assert after[0] == before[0] / 2  # slow start is no common growth
    assert after[1] == pytest.approx(before[1] - after[0], rel=1e-9)  # k1
    assert after[2] == pytest.approx(
        before[2] - 1.0, rel=1e-9
    )  # k1 + k2, without the step that was one too many
    assert after[3:] == pytest.approx(after[2], rel=1e-9)
    assert before.size > 20


@pytest.mark.parametrize(
    ("control", "law"),
    [
        ("sqrt(1, 1)", lambda w: w - np.sqrt(w)),
        ("iiad(20, 5)", lambda w: w - 5),
        ("binomial(0, 1, 1, 0.25)", lambda w: 0.75 * w),
        ("simd(0.25)", lambda w: 0.75 * w),
    ],
)
def test_other_laws_cut_as_they_say(control: str, law: Any) -> None:
    before, after = decreases(one_flow(control), LOSS)
    assert before.size >= 3
    assert after == pytest.approx(law(before), rel=1e-9)


def test_tables_and_echo() -> None:
    run = one_flow({"kind": "aimd-fc+", "a": 1, "b": 0.5, "f": 0.25})
    (profile,) = run.resolved["engine"]["profiles"]
    assert profile["controller"] == {"kind": "aimd-fc+", "a": 1.0, "b": 0.5, "f": 0.25}


@pytest.mark.parametrize(
    ("control", "part"),
    [
        ("aimd-fc(1)", r"aimd-fc\(a, b\)"),
        ("aimd-fc+(1, 0.5, 0.6)", "0 ≤ f ≤ 0.5"),
        ("aimd-fc(1, 1.5)", "0 ≤ b ≤ 1"),
        ("simd(1)", "≤ b ≤ 0.9"),
        ({"kind": "sqrt", "alpha": 1}, "alpha"),
    ],
)
def test_bad_numbers_are_named(control: object, part: str) -> None:
    with pytest.raises(InputError, match=part):
        one_flow(control)
