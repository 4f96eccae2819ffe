"""What every controller is held to: the rules, the verdicts, and what a controller answers to a script.

The rules, the scripts and the exemptions of built-in laws stand in `crates/cc/src/conformance.rs`.
"""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from typing import Any, Literal

from sawtooth import _native, display_verdicts
from sawtooth.documents import document
from sawtooth.errors import MISSING, InputError, PluginError
from sawtooth.scenario.values import controller_error


@dataclass(frozen=True)
class RuleResult:
    """The verdict on one rule: what it says and where that is said (of an exemption, where that is); where it is broken, what is wrong
    after the last line of the smallest script found."""

    id: str
    result: Literal["passed", "broken", "exempt"]
    what: str
    source: str
    said: str | None
    script: str | None


@dataclass(frozen=True, repr=False)
class Conformance:
    """The verdicts on a controller."""

    controller: str
    rules: tuple[RuleResult, ...]

    def __repr__(self) -> str:
        return display_verdicts.conformance_text(self)

    def _repr_html_(self) -> str:
        return display_verdicts.conformance_html(self)

    @property
    def passed(self) -> bool:
        """Whether no rule is broken."""
        return all(rule.result != "broken" for rule in self.rules)

    def to_json(self) -> dict[str, Any]:
        """The document of `sawtooth check-controller --json`."""
        rules = [asdict(rule) for rule in self.rules]
        return document(
            "controller-check", {"controller": self.controller, "passed": self.passed, "rules": rules}
        )


def check_controller(controller: str) -> Conformance:
    """Check a controller against the rules for all controllers. InputError if there is no such controller.

    >>> import sawtooth as st
    >>> st.check_controller("aimd(1, 0.7)").passed
    True
    """
    try:
        found = _native.check_controller(controller)
    except ValueError as error:
        raise _refused(controller, error) from None
    return Conformance(controller, tuple(RuleResult(**row) for row in json.loads(found)))


def play_script(controller: str, script: str, where: str = "script") -> list[dict[str, Any]]:
    """What a controller answers after each line of a script: the line and, under `answers`, window and threshold in packets, rate in
    bit/s, quantum in bytes."""
    try:
        found: list[dict[str, Any]] = json.loads(_native.play_script(controller, script))
    except _native.PluginError as error:
        raise PluginError(*error.args) from None
    except ValueError as error:
        if not str(error).startswith("line "):
            raise _refused(controller, error) from None
        line, _, accepted = str(error).partition(": expected ")
        raise InputError(where, None, line, accepted) from None
    if not found:
        raise InputError(where, None, MISSING, 'a script with at least one line, such as "send 10"')
    return found


def _refused(controller: str, error: ValueError) -> InputError:
    return controller_error(error, controller).located("", "controller")
