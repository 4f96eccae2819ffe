"""An ACK filter in scenario files: `ack_filter = "conservative"`. What each does: `crates/sim/src/ack_filter.rs`.

Source: RFC 3449 §5.2.1 and CAKE [Hoiland18]; thinning has no standard.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Final, Self

from sawtooth.scenario.fields import JsonSchema, Parsed

MODES: Final = ("conservative", "aggressive")
"""Filters without a number."""
THIN_MOST: Final = 1_000
"""The most acknowledgements of which one is let in."""


@dataclass(frozen=True)
class AckFilter(Parsed):
    """Which acknowledgements a queue does not send: those that a newer one makes superfluous, or all but one of several."""

    engine: Mapping[str, Any]
    """As the engine's scenario has it."""

    ACCEPTED: ClassVar[str] = f'"conservative", "aggressive" or "thin(n)" with n from 2 to {THIN_MOST}'

    @classmethod
    def parse(cls, value: object) -> Self:
        if value in MODES:
            return cls({"kind": value})
        match = re.fullmatch(r"\s*thin\s*\(\s*(\d{1,4})\s*\)\s*", value) if isinstance(value, str) else None
        if match is None or not 2 <= int(match[1]) <= THIN_MOST:
            raise ValueError(cls.ACCEPTED)
        return cls({"kind": "thin", "n": int(match[1])})

    @classmethod
    def schema(cls) -> JsonSchema:
        return {"type": "string", "description": cls.ACCEPTED, "examples": [*MODES, "thin(4)"]}

    def text(self) -> str:
        kind = str(self.engine["kind"])
        return f"{kind}({self.engine['n']})" if "n" in self.engine else kind
