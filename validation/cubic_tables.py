"""The average windows that RFC 9438 tabulates for CUBIC, beside its formulas and the exact cycle of its two windows.

Source: RFC 9438 §5.1, Tables 1 and 2, column C = 0.4 (`data/rfc9438_tables.csv`); §4.3 for Reno's average; `sawtooth.models.cubic` for the
exact cycle. That the law itself has the windows of the exact cycle is tested in Rust (`crates/cc/tests/cubic_tables.rs`).

A tabulated window is the larger of two averages: the cubic function's, and 1.2/sqrt(p) for Reno. The difference of the exact cycle from it
has two parts, which this file takes apart:

| part       | from                        | to                          | why                                                        |
|------------|-----------------------------|-----------------------------|------------------------------------------------------------|
| constant   | 1.2/sqrt(p)                 | sqrt(3/(2p))                | the tables round Reno's constant down; §4.3 has the other   |
| two curves | the larger of two averages  | the average of the larger   | the law takes the larger window at every moment (§4.3)      |
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from sawtooth.models import cubic
from validation.page import markdown
from validation.runs import table as data

WANTED: Final = 0.03
"""How far from the tables a window may be without a word."""


@dataclass(frozen=True)
class Row:
    """One entry of a table."""

    rtt_s: float
    p: float
    window: float

    @property
    def law(self) -> float:
        """The larger of the averages as §4.2 and §4.3 have them."""
        return float(cubic.approximate_rate(self.p, self.rtt_s))

    @property
    def exact(self) -> float:
        """The average of the larger window."""
        return float(cubic.rate(self.p, self.rtt_s))

    @property
    def constant(self) -> float:
        """What Reno's constant adds, as a share."""
        return self.law / self.window - 1

    @property
    def curves(self) -> float:
        """What the larger of two curves adds to the larger of their averages, as a share."""
        return self.exact / self.law - 1

    @property
    def difference(self) -> float:
        """The exact cycle against the table, as a share."""
        return self.exact / self.window - 1


def rows() -> list[Row]:
    """Every entry, in the order of the tables."""
    return [Row(*(float(row[name]) for name in ("rtt_s", "p", "window"))) for row in data("rfc9438_tables")]


def percent(share: float) -> str:
    """With a sign, unless it is none."""
    tenths = round(1000 * share)
    return f"{tenths / 10:+.1f} %" if tenths else "0.0 %"


def table(found: Sequence[Row]) -> str:
    """Bold where the exact cycle is further from the table than was wanted."""
    lines = []
    for row in found:
        difference = percent(row.difference)
        if abs(row.difference) > WANTED:
            difference = f"**{difference}**"
        lines.append(
            [
                f"{1e3 * row.rtt_s:.0f}",
                f"{row.p:.0e}",
                f"{row.window:,.0f}",
                f"{row.exact:,.1f}",
                difference,
                percent(row.constant),
                percent(row.curves),
            ]
        )
    heads = ["RTT (ms)", "p", "RFC 9438", "exact cycle", "difference", "by the constant", "by two curves"]
    return markdown(heads, lines)


def agreement(found: Sequence[Row]) -> str:
    """How many entries are as near as was wanted, and the furthest."""
    near = sum(abs(row.difference) <= WANTED for row in found)
    furthest = max(found, key=lambda row: abs(row.difference))
    return f"{near} of {len(found)} within {100 * WANTED:.0f} %, the furthest {percent(furthest.difference)} away"
