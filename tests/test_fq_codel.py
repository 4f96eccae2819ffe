"""FQ-CoDel's two ways of asking whether more than one packet is left, in a network and on the page that tells what they do."""

from __future__ import annotations

from pathlib import Path

import pytest

from sawtooth.run.api import scenario_of
from sawtooth.run.run import execute
from sawtooth.scenario.queue_value import Queue
from sawtooth.scenario.resolve import resolve

KEYS: list[dict[str, str]] = [{}, {"backlog": "own"}, {"backlog": "all"}]
PAGE = Path(__file__).parent.parent / "docs" / "routers.md"


def crowd(backlog: str) -> dict[str, float]:
    """Metrics of a hundred flows of CUBIC behind a queue that drops."""
    flows = {
        "count": 100,
        "control": "cubic",
        "recovery": "rack",
        "packet": "1500 B",
        "start": "uniform 0..1 s",
    }
    tables = {
        "duration": "40 s",
        "warmup": "20 s",
        "bottleneck": {
            "rate": "10 Mbit/s",
            "queue": {"kind": "fq-codel", "ecn": False, "backlog": backlog},
        },
        "path": {"rtt": "20 ms", "rtt_spread": 0.2},
        "flows": [flows],
    }
    return dict(execute(resolve(scenario_of(tables))).values)


def test_a_scenario_from_before_there_was_a_choice_keeps_its_text() -> None:
    plain, own, every = (Queue.parse({"kind": "fq-codel", **keys}) for keys in KEYS)
    assert plain == own != every
    assert "backlog" not in {*own.sized(9), *own.text()}
    assert every.sized(9)["backlog"] == every.text()["backlog"] == "all"
    assert Queue.parse(every.text()) == every


@pytest.mark.parametrize("kind", ["codel", "fq-codel"])
def test_roots_are_told_only_where_they_are_not_exact(kind: str) -> None:
    plain, exact, newton = (
        Queue.parse({"kind": kind, **root}) for root in ({}, {"root": "exact"}, {"root": "newton"})
    )
    assert plain == exact != newton
    assert "root" not in {*exact.sized(9), *exact.text()}
    assert newton.sized(9)["root"] == newton.text()["root"] == "newton"


def test_where_many_flows_have_a_packet_each_the_bytes_of_all_queues_bound_the_wait() -> None:
    """Eight packets of each flow pass in a second. Where one waits for 230 ms, its flow has two."""
    own, every = crowd("own"), crowd("all")
    assert own["delay"] > 3 * every["delay"]
    assert own["loss"] < every["loss"]
    assert own["timeouts"] < 10 < every["timeouts"]
    page = PAGE.read_text()
    for found, bound, unit in ((own, "own", "in the mean and"), (every, "all", "and")):
        wait, lost = f"{found['delay']:.0f} ms", f"{found['loss']:.0f} % are lost"
        assert f"waits {wait} {unit} {lost}" in page, bound
