"""Policers and shapers of scenario files: where they stand in the engine's scenario, what they leave, what is refused."""

from __future__ import annotations

from typing import Any

import pytest

from sawtooth import InputError
from sawtooth.run.api import scenario_of
from sawtooth.run.run import execute
from sawtooth.scenario.resolve import Resolved, resolve
from sawtooth.scenario.scenario import parse_scenario

FLOWS = [{"control": "cubic", "recovery": "rack"}]
BUCKET = {"rate": "4 Mbit/s", "burst": "15 kB"}


def resolved(**tables: Any) -> Resolved:
    """A flow over a round trip of 40 ms."""
    base = {"duration": "5 s", "warmup": "1 s", "path": {"rtt": "40 ms"}, "flows": FLOWS}
    return resolve(scenario_of({**base, **tables}))


@pytest.mark.parametrize("name", ["policer", "shaper"])
def test_they_stand_at_their_link_and_limit_what_is_available(name: str) -> None:
    run = resolved(bottleneck={"rate": "10 Mbit/s", "buffer": "1 bdp", name: BUCKET})
    link = run.engine["links"][0]
    assert link["rate_bps"] == 10_000_000
    assert link[name] == {"rate_bps": 4_000_000, "burst_bytes": 15_000}
    assert run.meta["resolved"]["bottleneck"]["capacity_bps"] == 4_000_000
    assert run.available_bps == 4_000_000
    # The buffer is measured by the rate at which it drains.
    drained = "4 Mbit/s" if name == "shaper" else "10 Mbit/s"
    plain = resolved(bottleneck={"rate": drained, "buffer": "1 bdp"}).engine["links"][0]
    assert link["queue"] == plain["queue"]
    assert not {"policer", "shaper"} & plain.keys()


def test_what_a_policer_drops_is_counted_apart() -> None:
    run = execute(resolved(bottleneck={"rate": "10 Mbit/s", "buffer": "1 bdp", "policer": BUCKET}))
    queue = run.to_json()["queues"][0]
    assert queue["drops_policed"] > 0
    assert queue["drops"] == queue["drops_policed"] + queue["drops_full"]


def flooded(load: str, **bottleneck: Any) -> dict[str, float]:
    """Metrics of a link that a source of constant rate uses alone."""
    late = [{**FLOWS[0], "start": "4.999 s"}]
    source = [{"kind": "udp", "rate": load}]
    tables = {"bottleneck": {"buffer": "200 packets", **bottleneck}, "flows": late, "traffic": source}
    return dict(execute(resolved(**tables)).values)


@pytest.mark.parametrize("share", [0.25, 0.9, 1.1])
def test_a_shaped_link_is_used_as_a_link_of_its_rate_is(share: float) -> None:
    """The time in which the link sends, and in which a packet waits for tokens, jumped from a tenth of the load to 1."""
    load = f"{4 * share} Mbit/s"
    shaped = flooded(load, rate="40 Mbit/s", shaper=BUCKET)
    plain = flooded(load, rate="4 Mbit/s")
    assert shaped["utilisation"] == pytest.approx(min(share, 1.0), abs=1e-3)
    assert shaped["utilisation"] == pytest.approx(plain["utilisation"], abs=1e-3)
    # Where tokens are there, it stands idle whenever it does not send at its own rate.
    idle = 1 - share / 10 if share < 1 else 0.0
    assert shaped["idle"] == pytest.approx(idle, abs=1e-3)


def test_the_wait_for_tokens_is_queueing_delay() -> None:
    """It was left out. Eight packets of 1000 B at 1 Mbit/s are a round trip of 64 ms, and 40 ms of it are propagation."""
    run = resolved(
        bottleneck={
            "rate": "1 Gbit/s",
            "buffer": "9 packets",
            "shaper": {"rate": "1 Mbit/s", "burst": "1 kB"},
        },
        flows=[{**FLOWS[0], "receive_window": 8}],
    )
    found = execute(run).values
    assert found["delay"] == pytest.approx(64 - 40, abs=0.1)
    assert found["delay_p50"] == pytest.approx(64 - 40, rel=0.01)
    assert found["rtt_mean"] == pytest.approx(64, abs=0.1)


@pytest.mark.parametrize(
    ("bottleneck", "error"),
    [
        (
            {"rate": "10 Mbit/s", "policer": {"rate": "1 Mbit/s", "burst": "900 B"}},
            'bottleneck.policer.burst = "900 B": expected at least the largest packet, 1000 B, up to 1 GB',
        ),
        (
            {"rate": "10 Mbit/s", "policer": "1 Mbit/s"},
            'bottleneck.policer = "1 Mbit/s": expected a table with the keys rate, burst',
        ),
        (
            {"rate": "10 Mbit/s", "shaper": {"rate": "1 Mbit/s"}},
            "bottleneck.shaper.burst: expected this key, which is required",
        ),
        ({"trace": "cellular.trace", "shaper": BUCKET}, "bottleneck.shaper"),
    ],
)
def test_what_cannot_be_is_refused_with_its_key(bottleneck: dict[str, Any], error: str) -> None:
    with pytest.raises(InputError) as caught:
        resolve(parse_scenario({"duration": "9 s", "bottleneck": bottleneck, "flows": FLOWS}, "s.toml"))
    assert error in str(caught.value)
