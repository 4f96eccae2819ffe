"""The example scenarios: each is read, resolved, and accepted by the engine, and all topics that they promise are there."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path

import pytest

from sawtooth import _native
from sawtooth.run.api import scenario_of
from sawtooth.run.run import execute
from sawtooth.scenario.resolve import resolve
from sawtooth.scenario.scenario import load_scenario, with_overrides

EXAMPLES = sorted((Path(__file__).parent.parent / "examples").glob("*.toml"))


def test_there_is_one_for_each_topic() -> None:
    topics = {"dumbbell", "square-wave", "cellular", "random-loss", "reverse-traffic", "delayed-acks"}
    topics |= {"two-router", "ring", "free-network", "leo-handover", "wifi-bursts", "cubic-beside-bbr"}
    topics |= {"asymmetric-link", "two-way-aqm", "parking-lot", "cellular-both-ways"}
    assert topics <= {path.stem for path in EXAMPLES}


def values(name: str, *changes: str) -> Mapping[str, float]:
    """The metrics of an example with changes."""
    path = next(path for path in EXAMPLES if path.stem == name)
    return execute(resolve(scenario_of(path, list(changes)))).values


def test_a_handover_loses_what_comes_within_it() -> None:
    """Three gaps of 40 ms at 100 Mbit/s: at most a thousand packets of 1500 B, of which the window had a part under way."""
    calm = values("leo-handover", "bottleneck.loss=bernoulli(0)", "duration=50 s")
    lossy = values("leo-handover", "duration=50 s")
    assert 100 < lossy["retransmits"] - calm["retransmits"] < 1_200


def test_smaller_bursts_of_wifi_carry_less() -> None:
    """Four packets of 1500 B take 0.33 ms and cost 0.3 ms more: half of the rate at most."""
    few = values("wifi-bursts", "bottleneck.aggregate.packets=4", "duration=10 s", "warmup=2 s")
    many = values("wifi-bursts", "duration=10 s", "warmup=2 s")
    share = 4 * 1500 * 8 / (4 * 1500 * 8 / 144.4e6 + 300e-6) / 144.4e6
    assert few["goodput"] <= share * 1.01
    assert many["goodput"] > few["goodput"]


def test_a_deeper_buffer_gives_cubic_more_beside_bbr() -> None:
    def share(buffer: str) -> float:
        path = next(path for path in EXAMPLES if path.stem == "cubic-beside-bbr")
        run = execute(resolve(scenario_of(path, [f"bottleneck.buffer={buffer}", "duration=40 s"])))
        cubic, bbr = run.flows.column("goodput_bps").to_pylist()
        return float(cubic / (cubic + bbr))

    assert share("0.5 bdp") < share("4 bdp")


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_an_example_is_accepted_and_so_are_the_overrides_it_shows(path: Path) -> None:
    scenario = load_scenario(path)
    _native.check(resolve(scenario).engine_json)
    for command in re.findall(
        r"^#   sawtooth run .*--set (\S+)$", path.read_text(encoding="utf-8"), re.MULTILINE
    ):
        override = command.replace("'", "")
        if "my-own" not in override:
            _native.check(resolve(with_overrides(scenario, [override])).engine_json)
