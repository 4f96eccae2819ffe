"""Every key of the scenario file, in every context: another value of it changes what a run gives, or it is refused.

A key added later is tested by itself; where the test does not know what to write, or in which scenario it acts, it fails and says so.
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Mapping
from functools import cache, cached_property
from pathlib import Path

import pytest
from tests.knobs.contexts import FILES, Tables, contexts
from tests.knobs.keys import Key, at, keys, put
from tests.knobs.values import others

from sawtooth import InputError
from sawtooth.run.run import count, run_of_counted
from sawtooth.scenario.described import describe
from sawtooth.scenario.environments import ENVIRONMENTS
from sawtooth.scenario.resolve import resolve
from sawtooth.scenario.scenario import parse_scenario
from sawtooth.scenario.shapes import SHAPES
from sawtooth.scenario.tcp_fields import setting_names
from sawtooth.scenario.traffic_fields import TRAFFIC
from sawtooth.scenario.unused_keys import refuse_unused

CONTEXTS = contexts()

Effects = Mapping[Key, str]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where the files are that contexts name."""
    found = tmp_path_factory.mktemp("knobs")
    for name, text in FILES.items():
        (found / name).write_text(text)
    return found


@pytest.fixture(scope="module")
def effects(folder: Path) -> Callable[[str], Effects]:
    """By key of a context what comes of other values; each context is run once."""

    @cache
    def of(name: str) -> Effects:
        return effects_in(CONTEXTS[name], folder, set())

    return of


def effects_in(tables: Tables, folder: Path, known: set[str]) -> Effects:
    """What comes of other values of the keys of a context, but for those whose kind is known to act; those that act here join them."""
    before = Outcome(copy.deepcopy(tables), folder)
    found: dict[Key, str] = {}
    for key in keys(tables):
        if key.knob not in known:
            found[key] = effect(tables, key, before, folder)
    known.update(key.knob for key, what in found.items() if what == "acts")
    return found


class Outcome:
    """What comes of a scenario: the digest of its run, and the metrics. InputError where it is refused."""

    def __init__(self, tables: Tables, folder: Path) -> None:
        scenario = parse_scenario(tables, "s.toml", folder)
        refuse_unused(scenario)
        self._resolved = resolve(scenario)
        self._counted = count(self._resolved.engine, self._resolved.engine_json)

    @cached_property
    def values(self) -> str:
        """The metrics, as text: one that is not a number equals itself."""
        resolved = self._resolved
        return str(dict(run_of_counted(resolved.engine, resolved.meta, self._counted, {}).values))

    def differs(self, other: Outcome) -> bool:
        """Whether anything does. Metrics are asked for only where the digests agree."""
        return self._counted.digest != other._counted.digest or self.values != other.values


def effect(tables: Tables, key: Key, before: Outcome, folder: Path) -> str:
    """`acts`, `refused` (every other value is), or `silent`: some are accepted and nothing changes."""
    current = at(tables, key.path)
    current = key.schema.get("default") if current is None else current
    accepted: list[object] = []
    refused = 0
    for value in others(key.name, key.schema, current):
        changed = copy.deepcopy(tables)
        put(changed, key.path, value)
        try:
            after = Outcome(changed, folder)
        except InputError:
            refused += 1
            continue
        if after.differs(before):
            return "acts"
        accepted.append(value)
    # Of a flag without a default one value is the one that holds anyway; of a key that is decided, so is what it is decided to be.
    holds = (len(accepted) == refused == 1 and current is None) or (
        current == "auto" and all(value in ("off", False) for value in accepted)
    )
    return "refused" if not accepted or holds else "silent"


def is_setting(key: Key) -> bool:
    """Whether it is a TCP setting, of all flows or of a group."""
    return key.path[0] in ("tcp", "flows") and key.name in setting_names()


STILL = {
    ("recovery rack", ("flows", 1, "slow_start")): "a window of at most 10 packets",
    ("recovery rack", ("tcp", "reordering_window")): "no packet is late",
    ("recovery rack", ("flows", 0, "reordering_window")): "no packet is late",
    ("recovery rack", ("flows", 1, "reordering_window")): "no packet is late",
    (
        "recovery rack",
        ("flows", 0, "application_limit"),
    ): "its data never ends, and its receiver takes everything",
    ("recovery rack", ("tcp", "max_ack_delay")): "no packet travels alone",
    ("recovery rack", ("flows", 0, "max_ack_delay")): "no packet travels alone",
    ("recovery rack", ("flows", 1, "max_ack_delay")): "no packet travels alone",
    ("recovery quic", ("tcp", "slow_start")): "windows of at most 8 packets",
    ("recovery quic", ("flows", 0, "slow_start")): "windows of at most 8 packets",
    ("recovery quic", ("on", 1, "every")): "what offers everything again finds everything offered",
    (
        "law nada",
        ("bottleneck", "device_queue"),
    ): "two calls never fill the buffer, and only what overflows tells where packets wait",
}
"""Keys that a context of recoveries or laws leaves still, and why: HyStart looks at windows of 16 packets and more, the delay is that of a
single packet."""


def silent_in(name: str, found: Effects) -> list[str]:
    """The keys of a context that are accepted, change nothing, and have no excuse.

    Settings act where recoveries and laws are the matter; in every other context losses would have to be made for each."""
    return [
        ".".join(map(str, key.path))
        for key, effect in found.items()
        if effect == "silent"
        and (name.startswith(("recovery", "law")) or not is_setting(key))
        and (name, key.path) not in STILL
    ]


@pytest.mark.long
@pytest.mark.parametrize("name", CONTEXTS)
def test_every_key_acts_or_is_refused(name: str, effects: Callable[[str], Effects]) -> None:
    silent = silent_in(name, effects(name))
    assert not silent, f"{name}: accepted, and nothing changes: {', '.join(silent)}"


NAMES = {"nodes[].name": "what links refer to: another name is refused"}
"""Keys that act by being refused alone, and why."""


def test_every_key_acts_in_some_context(folder: Path) -> None:
    """Each kind of key is tried in one context after the other until it acts; `make test-long` tries every key in every context."""
    acting: set[str] = set()
    for name, tables in CONTEXTS.items():
        silent = silent_in(name, effects_in(tables, folder, acting))
        assert not silent, f"{name}: accepted, and nothing changes: {', '.join(silent)}"
    never = {key.knob for tables in CONTEXTS.values() for key in keys(tables)} - acting
    assert never == set(NAMES), (
        f"add a context to tests/knobs/contexts.py where they act: {never ^ set(NAMES)}"
    )


def test_every_kind_has_a_context() -> None:
    """Each family of environments, shape of network and discipline appears in a context, and with it its keys."""
    there = {key.knob.partition(".")[0] for tables in CONTEXTS.values() for key in keys(tables)}
    wanted = {f"environment<{entry.family.__name__}>" for entry in ENVIRONMENTS}
    wanted |= {f"topology<{shape.name}>" for shape in SHAPES if len(shape.model_fields) > 1}
    wanted |= {f"traffic<{kind.name}>" for kind in TRAFFIC}
    wanted |= {f"queue<{row['name']}>" for row in describe()["disciplines"] if row["parameters"]}
    assert wanted <= there, f"add contexts to tests/knobs/contexts.py: {wanted - there}"
