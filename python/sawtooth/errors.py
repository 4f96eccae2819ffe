"""What a user can get wrong, as one exception: where, which key, which value, what is accepted; and a run that failed, as another.

A cluster that went away is a third (`ClusterError`).

Everything that reads input (scenario files, schedules, traces, `--set`) raises `InputError`; the command
line prints it on standard error and leaves with status 2. What only a bug can cause is an assertion instead.
The text has at most three lines: `file: key = value: expected …` and, if there is one, a hint.
"""

from __future__ import annotations

import difflib
import json
import re
from collections.abc import Iterable, Mapping
from typing import Final

VALUE_WIDTH: Final = 80
"""Longest rendering of an offending value, in characters; the rest is cut."""


class _Missing:
    """The type of `MISSING`: there was no value at all (also after pickling)."""

    def __repr__(self) -> str:
        return "MISSING"

    def __reduce__(self) -> str:
        return "MISSING"


MISSING: Final = _Missing()
"""Stands for "no value": a key that is absent, or one that should not be there."""


class InputError(ValueError):
    """A mistake in something the user wrote.

    `where` is a file name or `--set`; `key` a dotted path (`flows[2].control`), `line 7`, or None; `value` the
    offending value or `MISSING`; `accepted` a phrase that fits behind "expected"; `hint` one more line, by default the name of a list of
    accepted ones that is close to the value.
    """

    def __init__(
        self, where: str, key: str | None, value: object, accepted: str, hint: str | None = None
    ) -> None:
        super().__init__(where, key, value, accepted, hint)
        self.where = where
        self.key = key
        self.value = value
        self.accepted = accepted
        self.hint = hint or _meant(value, accepted)

    def __str__(self) -> str:
        place = [self.where] if self.where else []
        if self.key is not None:
            place.append(self.key if self.value is MISSING else f"{self.key} = {show(self.value)}")
        elif self.value is not MISSING:
            place.append(show(self.value))
        text = ": ".join([*place, f"expected {_one_line(self.accepted)}"])
        return text if self.hint is None else f"{text}\n  {_one_line(self.hint)}"

    def located(self, where: str, prefix: str = "") -> InputError:
        """The same error in file `where`, its key behind `prefix` (`flows[2]`)."""
        return InputError(where, join_key(prefix, self.key), self.value, self.accepted, self.hint)


def show(value: object) -> str:
    """`value` as the user would have typed it, on one line and not longer than `VALUE_WIDTH`."""
    if isinstance(value, (str, bool, int, float, list, tuple, Mapping)) or value is None:
        text = json.dumps(value, ensure_ascii=False, default=str)
    else:
        text = _one_line(str(value))
    return text if len(text) <= VALUE_WIDTH else text[: VALUE_WIDTH - 1] + "…"


class PluginError(InputError):
    """A plug-in failed in a way that ends the run; `said` names the call, the flow and the virtual time."""

    def __init__(self, said: str, run_id: str = "", seed: str = "") -> None:
        super().__init__("", None, MISSING, said, f"in run {run_id} (seed {seed}), of which nothing is kept")
        self.args = (said, run_id, seed)
        self.said = said
        self.run_id = run_id
        self.seed = seed

    def __str__(self) -> str:
        return f"{_one_line(self.said)}\n  {self.hint}" if self.run_id else _one_line(self.said)


class RunError(RuntimeError):
    """A run ended in a fault of the engine. Carries `run_id` and `seed`, enough to make it again."""

    def __init__(self, run_id: str, seed: str, message: str) -> None:
        super().__init__(f"run {run_id} (seed {seed}) failed: {message}")
        self.run_id = run_id
        self.seed = seed


class ClusterError(RuntimeError):
    """Workers or their scheduler went away, or are not what they should be. What is finished is stored."""


def join_key(prefix: str, key: str | None) -> str | None:
    """`prefix` and `key` as one dotted path; either may be empty."""
    if not key:
        return prefix or None
    if not prefix:
        return key
    return f"{prefix}{key}" if key.startswith("[") else f"{prefix}.{key}"


def dotted(location: Iterable[str | int]) -> str:
    """A path of names and indices as text: `("flows", 2, "control")` gives `flows[2].control`."""
    text = ""
    for part in location:
        text += f"[{part}]" if isinstance(part, int) else f".{part}" if text else part
    return text


def unknown_key(key: str, value: object, accepted: Iterable[str], why: str | None = None) -> InputError:
    """The error for a key nobody reads: names the accepted ones and, if one is close, that one first."""
    names = list(accepted)
    hint = did_you_mean(key, names)
    listed = "one of the keys " + ", ".join(names) if names else "no key here"
    return InputError("", key, value, f"{listed} ({why or 'this one is unknown'})", hint)


def did_you_mean(name: str, accepted: Iterable[str]) -> str | None:
    """A hint at the accepted name that is close to what was written; None if none is."""
    close = difflib.get_close_matches(name, list(accepted), n=1)
    return f"did you mean {close[0]}?" if close else None


def _meant(value: object, accepted: str) -> str | None:
    """The accepted name that is close to a value; None where the value has one whole, as do two options of which one is accepted."""
    names = list(filter(None, re.split(r", | and | or ", accepted.partition("one of ")[2])))
    if not isinstance(value, str) or any(word in names for word in value.split()):
        return None
    return did_you_mean(value, names)


def _one_line(text: str) -> str:
    return " ".join(text.split())
