"""`device_queue` of scenario files: where it stands in the engine's scenario, what it is behind drop-tail, what is refused."""

from __future__ import annotations

from typing import Any

import pytest

from sawtooth import InputError
from sawtooth.run.api import scenario_of
from sawtooth.run.run import execute
from sawtooth.scenario.resolve import Resolved, resolve

FLOWS = [{"control": "aimd(1, 0.5)", "recovery": "sack", "packet": "1500 B"}]


def resolved(**bottleneck: Any) -> Resolved:
    """A flow over a round trip of 40 ms; a packet takes 1.2 ms."""
    base = {"duration": "20 s", "warmup": "5 s", "path": {"rtt": "40 ms"}, "flows": FLOWS}
    return resolve(scenario_of({**base, "bottleneck": {"rate": "10 Mbit/s", **bottleneck}}))


def test_it_stands_at_its_link_and_only_where_it_holds_something() -> None:
    assert resolved(queue="codel", device_queue=3).engine["links"][0]["device_queue"] == 3
    assert "device_queue" not in resolved(queue="codel", device_queue=0).engine["links"][0]


def test_behind_drop_tail_it_is_more_buffer() -> None:
    short, long = (resolved(buffer=f"{40 - packets} packets", device_queue=packets) for packets in (0, 10))
    assert execute(short).values["delay"] == execute(long).values["delay"]


@pytest.mark.parametrize(
    ("bottleneck", "error"),
    [
        ({"device_queue": 10_001}, "bottleneck.device_queue = 10001: expected 10000 or less"),
        ({"device_queue": -1}, "bottleneck.device_queue = -1: expected 0 or more"),
        (
            {"rate": None, "trace": "cellular.trace", "device_queue": 1},
            "bottleneck.device_queue = 1: expected none",
        ),
    ],
)
def test_what_cannot_be_is_refused_with_its_key(bottleneck: dict[str, Any], error: str) -> None:
    with pytest.raises(InputError) as caught:
        resolved(**bottleneck)
    assert error in str(caught.value)
