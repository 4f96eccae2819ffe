"""What `[[on]]` makes of a network: its changes as the engine has them, each with the key of the file that it comes from.

Source: none of its own; what may change, and how it is written, is in ``on``.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from sawtooth import _native
from sawtooth.errors import InputError
from sawtooth.scenario.on import Drawn, NewValue
from sawtooth.scenario.scenario import Scenario
from sawtooth.scenario.topology import Layout
from sawtooth.scenario.topology.middle import times_of


@dataclass(frozen=True)
class Changes:
    """The changes of a run as the engine has them, and by each of them the keys of the scenario file that it comes from, as written."""

    engine: tuple[dict[str, Any], ...] = ()
    origins: tuple[tuple[str, tuple[tuple[str, object], ...]], ...] = ()


def changes(scenario: Scenario, layout: Layout, seed: str) -> Changes:
    """What `[[on]]` makes of a network with this seed. Raises InputError."""
    found: list[tuple[dict[str, Any], tuple[str, tuple[tuple[str, object], ...]]]] = []
    for index, on in enumerate(scenario.on):
        keys = []
        targets = []
        for setting in on.changed.settings:
            for target in _targets(scenario, layout, index, setting):
                targets.append((setting, target))
                keys.append((f'on[{index}].set."{setting.key}"', on.changed.written[setting.key]))
        whens: list[dict[str, Any]] = [{"kind": "time", "ns": at} for at in times_of(scenario, index)]
        if on.state is not None:
            after = {} if on.after is None else {"after_ns": on.after}
            whens = [{"kind": "state", "flow": on.flow or 0, "state": on.state, **after}]
        draws = {setting.key: _drawn(setting, index, seed, len(whens)) for setting, _ in targets}
        for place, when in enumerate(whens):
            sets = [
                {"kind": setting.kind.engine, **target, setting.kind.field: draws[setting.key][place]}
                for setting, target in targets
            ]
            found.append(({"when": when, "set": sets}, (f"on[{index}]", tuple(keys))))
    return Changes(tuple(change for change, _ in found), tuple(origin for _, origin in found))


def _drawn(setting: NewValue, index: int, seed: str, count: int) -> list[Any]:
    """The value at each of so many occurrences."""
    value = setting.value
    if not isinstance(value, Drawn):
        return [value] * count
    width = value.to_ns - value.from_ns
    draws = _native.uniforms(seed, f"on/{index}/{setting.key}", count)
    return [value.from_ns + round(draw * width) for draw in draws]


def _targets(scenario: Scenario, layout: Layout, index: int, setting: NewValue) -> list[dict[str, int]]:
    """The links or flows that a value belongs to."""
    key, written = f'on[{index}].set."{setting.key}"', scenario.on[index].changed.written[setting.key]
    if setting.name == "supply":
        flows = [flow.flow for flow in layout.flows if flow.group == setting.index]
        if not flows:
            accepted = f"a group of flows below {len(scenario.flows)}"
            raise InputError(scenario.name, key, written, accepted)
        return [{"flow": flow} for flow in flows]
    links = [link for link, table in enumerate(layout.keys) if table == setting.table]
    if setting.table.startswith("links"):
        links = links[:1]  # the way back that nobody listed is not meant
    if not links:
        raise InputError(scenario.name, key, written, f"a table of this network: {_tables(layout)}")
    return [{"link": link} for link in links]


def _tables(layout: Layout) -> str:
    return ", ".join(dict.fromkeys(key for key in layout.keys if key not in ("path", "topology")))
