"""The recovery of flows whose controller leaves no choice: beside one that must know what became of each packet.

    >>> fitting("bbr"), fitting("aimd(1, 0.5)")
    ('rack', 'sack')

Where a scenario names no recovery, its controller decides. Where `--set`, a sweep or a comparison puts other controllers into a scenario
and says nothing of recovery, the recovery of the scenario stays if all of them take it. Else all of them get RACK-TLP, so that all are
compared over the same recovery, and whoever asked is told. A recovery that is asked for by name is never replaced.

| parameter | default | why                                                          |
|-----------|---------|--------------------------------------------------------------|
| USUAL     | sack    | the recovery of the papers, which every law of a window takes |
| KNOWING   | rack    | RFC 8985: what Linux has beside BBR                          |

Source: none.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, MutableMapping, Sequence
from typing import Any, Final

from sawtooth.scenario.described import describe
from sawtooth.scenario.values import Control

USUAL: Final = "sack"
KNOWING: Final = "rack"
CONTROL: Final = re.compile(r"flows(?:\[(\d+)\])?\.control")


def fitting(control: object) -> str:
    """The recovery of a flow of this controller, where nobody names one."""
    return KNOWING if needs_records(control) else USUAL


def needs_records(control: object) -> bool:
    """Whether a controller must know what became of each packet; not if it cannot be read, which whoever reads it will say."""
    found = _parsed(control)
    return found is not None and found.needs_records


def takes_recovery(control: object) -> bool:
    """Whether a recovery goes with a controller, or nobody can read which it is."""
    found = _parsed(control)
    return found is None or found.takes_recovery


def common(own: str, controls: Iterable[object]) -> tuple[str, str]:
    """The recovery that all of the controllers take, the scenario's own if possible, and a sentence if it is another one."""
    if own in _knowing():
        return own, ""
    needing = next((control for control in controls if needs_records(control)), None)
    return (own, "") if needing is None else (KNOWING, _said(needing))


def refitted(tables: MutableMapping[str, Any], values: Mapping[str, Any]) -> list[str]:
    """Put a recovery that fits into every group whose controller the values replace, if they say nothing of its recovery; what is to be
    said of that."""
    groups = tables.get("flows")
    said = []
    for index, group in enumerate(groups if isinstance(groups, list) else []):
        keys = {"flows", f"flows[{index}]"}
        replaced = any(f"{key}.control" in values for key in keys)
        named = any(f"{key}.recovery" in values or key in values for key in keys)
        if not isinstance(group, MutableMapping) or not replaced or named or "recovery" not in group:
            continue
        if not takes_recovery(group.get("control")):
            del group["recovery"]  # it sends nothing twice
            continue
        group["recovery"], sentence = common(group["recovery"], [group.get("control")])
        said += [sentence] if sentence else []
    return list(dict.fromkeys(said))


def shared(
    groups: Sequence[Any], over: Mapping[str, Sequence[Any]], given: Iterable[str]
) -> tuple[dict[str, str], str]:
    """What a sweep must set so that all its controllers meet one recovery, and what is to be said of that; ``given`` are the keys that it
    sets or varies anyway."""
    keys, sentence = {}, ""
    said = set(given)
    for key, controls in over.items():
        found = CONTROL.fullmatch(key)
        if found is None or {key.replace("control", "recovery"), "flows.recovery"} & said:
            continue
        chosen = groups if found[1] is None else groups[int(found[1]) : int(found[1]) + 1]
        own = {group.recovery for group in chosen}
        if all(map(takes_recovery, controls)) and all(group.control.takes_recovery for group in chosen):
            picked = [common(name, controls) for name in sorted(own)]
            if any(text for _, text in picked):
                keys[key.replace("control", "recovery")] = KNOWING
                sentence = next(text for _, text in picked if text)
    return keys, sentence


def _said(control: object) -> str:
    name = str(control if isinstance(control, str) else getattr(_parsed(control), "constructor", control))
    return f"recovery {KNOWING}, since {name.strip()} must know what became of each packet"


def _parsed(control: object) -> Control | None:
    try:
        return Control.parse(control)
    except ValueError:
        return None


def _knowing() -> frozenset[str]:
    return frozenset(row["name"] for row in describe()["recoveries"] if row["keeps_records"])
