"""The engine checks its own input; here its complaints come back under the keys of the user's file.

The engine names a field of its scenario (`profiles[0].tcp.min_rto_ns`); the user wrote `tcp.min_rto`, or
`flows[1].min_rto` where a group has its own. Ranges are therefore stated once, in the engine.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence

from sawtooth import _native
from sawtooth.errors import MISSING, InputError
from sawtooth.scenario import topology
from sawtooth.scenario.scenario import Scenario
from sawtooth.scenario.tcp_fields import engine_key, settings
from sawtooth.scenario.units import format_rate, format_size, format_time

_COMPLAINT = re.compile(r"([\w.\[\]]+) = (.*): expected (.*)", re.DOTALL)


Origins = Sequence[tuple[str, Sequence[tuple[str, object]]]]
"""By change of the engine's scenario the table of `[[on]]` that it comes from, and by value of it the key and what is written there."""


def check(
    scenario: Scenario,
    engine: str,
    profile_of_group: list[int],
    layout: topology.Layout,
    origins: Origins = (),
) -> str:
    """Let the engine check its input, which is `engine` as canonical JSON, and say the id of its run. Its complaint comes back under the
    user's key."""
    try:
        return _native.check(engine)
    except ValueError as error:
        match = _COMPLAINT.fullmatch(str(error))
        if match is None:
            raise InputError(scenario.name, None, MISSING, f"what the engine accepts: {error}") from None
        change = _changed(match[1], _value(match[1], match[2]), origins)
        if change is not None:
            raise InputError(scenario.name, *change, match[3]) from None
        key = _user_key(scenario, match[1], profile_of_group, layout)
        raise InputError(scenario.name, key, _value(match[1], match[2]), match[3]) from None


def _value(path: str, text: str) -> object:
    """A value in the engine's complaint as the user would write it: with its unit, or a bare number."""
    for suffix, write in (("_ns", format_time), ("_bps", format_rate), ("_bytes", format_size)):
        if path.endswith(suffix) and text.isdigit():
            return write(int(text))
    try:
        return json.loads(text)
    except json.JSONDecodeError:
        return text


def _changed(path: str, value: object, origins: Origins) -> tuple[str, object] | None:
    """The key of `[[on]]` that a path in a change of the engine's scenario comes from, and its value; None for any other path."""
    match = re.fullmatch(r"changes\[(\d+)\]\.(?:when\.(\w+)|set\[(\d+)\].*)", path)
    if match is None or int(match[1]) >= len(origins):  # those of `[[traffic]]` come after them
        return None
    table, keys = origins[int(match[1])]
    return (f"{table}.{match[2]}", value) if match[2] else keys[int(match[3])]


def _user_key(scenario: Scenario, path: str, profile_of_group: list[int], layout: topology.Layout) -> str:
    """The key of the scenario file that a path in the engine's scenario comes from."""
    names = {engine_key(row): str(row["name"]) for row in settings()}
    match = re.fullmatch(r"(links|profiles|flows)\[(\d+)\]\.?(.*)", path)
    if match is None:
        return re.sub(r"_ns\b", "", path)
    kind, index, rest = match[1], int(match[2]), match[3]
    plain = re.sub(r"_(ns|bps|bytes)\b", "", rest)
    if kind == "links":
        table = layout.keys[index]
        if rest == "rate_bps" and table == "path":
            plain = "access_rate"
        return f"{table}.{plain}"
    of_the_environment = index >= len(layout.flows) if kind == "flows" else index not in profile_of_group
    if of_the_environment:
        return f"environment.{plain}"
    if kind == "flows":
        return f"flows[{layout.flows[index].group}].{plain}"
    group = profile_of_group.index(index)
    setting = names.get(rest.removeprefix("tcp."))
    if rest.startswith("tcp.") and setting is not None:
        own = setting in scenario.flows[group].tcp()
        return f"flows[{group}].{setting}" if own else f"tcp.{setting}"
    return "path.send_jitter" if rest == "send_jitter_ns" else f"flows[{group}].{plain}"
