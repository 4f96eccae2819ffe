"""How ns-2 makes ticks of a round trip: which rule gives the samples of data/ns2_ticks.csv.

Source: ns-2 2.35, by ns2_ticks.py. Of three rules: the round trip rounded up, as ours by default; rounded to the nearest; or the ticks that
a clock of the sender's own makes between sending and acknowledgement, whose phase is that which gives most samples of the flow.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from validation.page import markdown
from validation.runs import table

TICK: Final = 1000
"""Of the times in the table: 10 ms."""

Sample = tuple[int, int, int]
"""Sent, acknowledged, ticks."""


def samples() -> list[list[Sample]]:
    """By sender."""
    senders: dict[tuple[str, str], list[Sample]] = {}
    for row in table("ns2_ticks"):
        sample = (int(row["sent_10us"]), int(row["acked_10us"]), int(row["ticks"]))
        senders.setdefault((row["seed"], row["flow"]), []).append(sample)
    return list(senders.values())


def rounded_up(sender: Sequence[Sample]) -> int:
    """How many samples are round trips rounded up."""
    return sum(-((sent - acked) // TICK) == ticks for sent, acked, ticks in sender)


def nearest(sender: Sequence[Sample]) -> int:
    """How many are round trips rounded to the nearest tick."""
    return sum((acked - sent + TICK // 2) // TICK == ticks for sent, acked, ticks in sender)


def counted(sender: Sequence[Sample]) -> int:
    """How many are the ticks of one clock, of the phase that gives most."""
    return max(
        sum((acked + phase) // TICK - (sent + phase) // TICK == ticks for sent, acked, ticks in sender)
        for phase in range(TICK)
    )


def rules_table(senders: Sequence[Sequence[Sample]]) -> str:
    """How many samples each rule gives."""
    total = sum(map(len, senders))
    rules = (
        ("rounded up", rounded_up),
        ("rounded to the nearest", nearest),
        ("ticks of a clock of the sender's own", counted),
    )
    return markdown(
        ["rule", "samples of ns-2 that it gives"],
        [[name, f"{sum(map(rule, senders))} of {total}"] for name, rule in rules],
    )
