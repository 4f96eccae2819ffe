"""What a controller does with a link in the long run: alone it fills it, and two that start half a minute apart share it alike.

Those that go by losses or a model over drop-tail are alone in `crates/sim/tests/engine/lone_flow.rs`.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from statistics import fmean
from typing import Any, Final

import pytest

from sawtooth.run.api import job_of, scenario_of
from sawtooth.run.runner import run_many

PATHS: Final = (
    (1, 300, 120),
    (5, 20, 40),
    (20, 150, 160),
    (100, 1, 12),
    (100, 60, 80),
    (1_000, 1, 2),
    (1_000, 20, 6),
)
"""Mbit/s, ms, and so many seconds, of which the latter half counts: long enough to grow by a packet per round trip after a slow start that
ended early."""
GRID: Final = tuple(
    (mbit, rtt_ms, seconds)
    for mbit, seconds in ((1, 80), (10, 60), (100, 40), (1_000, 30))
    for rtt_ms in (1, 10, 100, 300)
)
"""Every rate with every round trip, for controllers that start as fast as the path lets them."""
BY_LOSS_OR_MODEL: Final = ("cubic", "bbr", "bbr-1", "copa")
"""Those that `crates/sim/tests/engine/lone_flow.rs` samples."""
PROBE_RTT: Final = "probe_rtt"
"""A state with next to nothing in flight: by 300 ms BBR is in it for a twentieth of the time."""
PACKET_BITS: Final = 8_000
SEEDS: Final = (1, 2, 3)
APART_S, END_S, COUNTED_S = 30, 240, 120
"""The second flow starts so much later; the end, and how long before it counts."""


def _scenario(flows: Sequence[Mapping[str, Any]], bottleneck: Mapping[str, Any], **given: Any) -> Any:
    each = [{"recovery": "rack", **flow} for flow in flows]
    return job_of(scenario_of({"bottleneck": bottleneck, "flows": each, **given}))


def _router(control: str, mbit: int, rtt_ms: float) -> dict[str, Any]:
    """The router that a controller is meant for: a scalable one marks early."""
    in_flight = mbit * rtt_ms * 1_000 / PACKET_BITS
    if control == "prague":
        return {"queue": "dualpi2", "buffer": "250 ms"}
    if control == "dctcp":
        # RFC 8257 §3.5, [Alizadeh10] §3.3: K above a seventh of what the path holds.
        return {"queue": {"kind": "step", "threshold": f"{int(0.17 * in_flight) + 10} packets"}}
    return {"buffer": f"{int(in_flight) + 20} packets"}


def _alone(control: str, paths: Sequence[tuple[int, float, float]]) -> Sequence[Any]:
    """A run of one flow over each path; half of the time counts."""
    jobs = [
        _scenario(
            [{"control": control, "start": "0 s"}],
            {"rate": f"{mbit} Mbit/s", **_router(control, mbit, rtt_ms)},
            path={"rtt": f"{rtt_ms} ms"},
            duration=f"{seconds} s",
            warmup=f"{seconds / 2} s",
        )
        for mbit, rtt_ms, seconds in paths
    ]
    return run_many(jobs, None, light=False)


@pytest.mark.parametrize(
    "control",
    ["prague", *(pytest.param(name, marks=pytest.mark.long) for name in ("dctcp", "vegas", "ledbat"))],
)
def test_a_lone_flow_finds_its_link_within_five_percent(control: str) -> None:
    shares = [
        run.flows.to_pylist()[0]["goodput_bps"] / (1e6 * mbit)
        for run, (mbit, *_) in zip(_alone(control, PATHS), PATHS, strict=True)
    ]
    short = {
        path: round(share, 3) for path, share in zip(PATHS, shares, strict=True) if not 0.95 <= share <= 1.001
    }
    assert short == {}


@pytest.mark.long
@pytest.mark.parametrize("control", BY_LOSS_OR_MODEL)
def test_a_lone_flow_finds_its_link_over_the_whole_grid(control: str) -> None:
    short = {}
    for run, (mbit, rtt_ms, seconds) in zip(_alone(control, GRID), GRID, strict=True):
        (flow,) = run.flows.to_pylist()
        share = flow["goodput_bps"] / (1e6 * mbit)
        probing = json.loads(flow.get("states") or "{}").get(PROBE_RTT, 0) / (1e9 * seconds / 2)
        if not 0.95 * (1.0 - probing) <= share <= 1.001:
            short[mbit, rtt_ms] = round(share, 3)
    assert short == {}


def _late(control: str, bottleneck: Mapping[str, Any], seed: int) -> Any:
    """Packets are late by up to their transmission time: without that two flows fall into phase [FloydJacobson92]."""
    return _scenario(
        [{"control": control, "start": start} for start in ("0 s", f"{APART_S} s")],
        {"rate": "20 Mbit/s", **bottleneck},
        path={"rtt": "40 ms", "send_jitter": "400 us"},
        duration=f"{END_S} s",
        warmup=f"{END_S - COUNTED_S} s",
        seed=str(seed),
    )


def _goodputs(control: str, bottleneck: Mapping[str, Any]) -> tuple[float, float]:
    """Of the earlier flow and of the later one, means over seeds."""
    runs = run_many([_late(control, bottleneck, seed) for seed in SEEDS], None, light=False)
    earlier, later = zip(
        *([flow["goodput_bps"] for flow in run.flows.to_pylist()] for run in runs), strict=True
    )
    return fmean(earlier), fmean(later)


SHARING: Final[Mapping[str, Mapping[str, Any]]] = {
    "cubic": {"buffer": "1 bdp"},
    "bbr": {"buffer": "1 bdp"},
    "bbr-1": {"buffer": "1 bdp"},
    "prague": {"queue": "dualpi2", "buffer": "250 ms"},
    "dctcp": {"queue": {"kind": "step", "threshold": "20 packets"}},
    "copa": {"buffer": "1 bdp"},
    "vegas": {"buffer": "1 bdp"},
}
"""Controllers whose sources say that flows come to the same rate, each over the router it is meant for."""


@pytest.mark.long
@pytest.mark.parametrize("control", SHARING)
def test_two_flows_that_start_half_a_minute_apart_come_within_a_fifth(control: str) -> None:
    found = _goodputs(control, SHARING[control])
    assert min(found) >= 0.8 * max(found)


def test_a_late_ledbat_flow_takes_the_link_from_an_earlier_one() -> None:
    # Known (RFC 6817 §4.4): the queue of the earlier flow is part of the path that the later one sees. Where the buffer holds twice the
    # target, the later one keeps the target above that queue, and the earlier one gives way to both.
    earlier, later = _goodputs("ledbat", {"buffer": "10 bdp"})
    assert earlier < 0.1 * later
