"""The example scenarios: each is read, resolved, and accepted by the engine, and all topics that they promise are there."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from sawtooth import _native
from sawtooth.scenario.resolve import resolve
from sawtooth.scenario.scenario import load_scenario, with_overrides

EXAMPLES = sorted((Path(__file__).parent.parent / "examples").glob("*.toml"))


def test_there_is_one_for_each_topic() -> None:
    topics = {"dumbbell", "square-wave", "cellular", "random-loss", "reverse-traffic", "delayed-acks"}
    topics |= {"two-router", "ring", "free-network"}
    assert topics <= {path.stem for path in EXAMPLES}


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
