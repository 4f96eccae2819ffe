"""What a controller does with a link in the long run: alone it fills it, and two that start half a minute apart share it alike.

Those that go by losses or a model over drop-tail are alone in `crates/sim/tests/lone_flow.rs`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

import pytest

from sawtooth.run.api import job_of, scenario_of
from sawtooth.run.run import Run
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
PACKET_BITS: Final = 8_000
APART_S, END_S, COUNTED_S = 30, 300, 120
"""The second flow starts so much later; the end, and how long before it counts."""


def _scenario(
    flows: Sequence[Mapping[str, Any]],
    bottleneck: Mapping[str, Any],
    rtt_ms: float,
    seconds: float,
    counted: float,
) -> Any:
    return job_of(
        scenario_of(
            {
                "duration": f"{seconds} s",
                "warmup": f"{seconds - counted} s",
                "bottleneck": bottleneck,
                "path": {"rtt": f"{rtt_ms} ms", "send_jitter": "10 us"},
                "flows": [{"recovery": "rack", **flow} for flow in flows],
            }
        )
    )


def _router(control: str, mbit: int, rtt_ms: float) -> dict[str, Any]:
    """The router that a controller is meant for: a scalable one marks early."""
    in_flight = mbit * rtt_ms * 1_000 / PACKET_BITS
    if control == "prague":
        return {"queue": "dualpi2", "buffer": "250 ms"}
    if control == "dctcp":
        # RFC 8257 §3.5, [Alizadeh10] §3.3: K above a seventh of what the path holds.
        return {"queue": {"kind": "step", "threshold": f"{int(0.17 * in_flight) + 10} packets"}}
    return {"buffer": f"{int(in_flight) + 20} packets"}


@pytest.mark.parametrize("control", ["prague", "dctcp", "vegas", "ledbat"])
def test_a_lone_flow_finds_its_link_within_five_percent(control: str) -> None:
    jobs = [
        _scenario(
            [{"control": control, "start": "0 s"}],
            {"rate": f"{mbit} Mbit/s", **_router(control, mbit, rtt_ms)},
            rtt_ms,
            seconds,
            seconds / 2,
        )
        for mbit, rtt_ms, seconds in PATHS
    ]
    shares = [
        run.flows.to_pylist()[0]["goodput_bps"] / (1e6 * mbit)
        for run, (mbit, *_) in zip(run_many(jobs, None, light=False), PATHS, strict=True)
    ]
    short = {
        path: round(share, 3) for path, share in zip(PATHS, shares, strict=True) if not 0.95 <= share <= 1.001
    }
    assert short == {}


def _late(control: str, bottleneck: Mapping[str, Any]) -> Any:
    flows = [{"control": control, "start": start} for start in ("0 s", f"{APART_S} s")]
    return _scenario(flows, {"rate": "20 Mbit/s", **bottleneck}, 40, END_S, COUNTED_S)


def _goodputs(run: Run) -> tuple[float, float]:
    earlier, later = (flow["goodput_bps"] for flow in run.flows.to_pylist())
    return earlier, later


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


def test_two_flows_that_start_half_a_minute_apart_come_within_a_fifth() -> None:
    runs = run_many([_late(control, router) for control, router in SHARING.items()], None, light=False)
    shares = {control: _goodputs(run) for control, run in zip(SHARING, runs, strict=True)}
    apart = {control: found for control, found in shares.items() if min(found) < 0.8 * max(found)}
    assert apart == {}


def test_a_late_ledbat_flow_takes_the_link_from_an_earlier_one() -> None:
    # Known (RFC 6817 §4.4): the queue of the earlier flow is part of the path that the later one sees. Where the buffer holds twice the
    # target, the later one keeps the target above that queue, and the earlier one gives way to both.
    (run,) = run_many([_late("ledbat", {"buffer": "10 bdp"})], None, light=False)
    earlier, later = _goodputs(run)
    assert earlier < 0.1 * later
