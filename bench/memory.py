"""`python -m bench memory`: how much memory a classic flow takes, with its packets in flight, in a process of Python.

The benchmark's dumbbell at 1 Mbit/s a flow, run for ten seconds: all flows are in congestion avoidance then, and the buffer is nearly full.
Memory of a flow is the largest resident memory above that of a bare interpreter, by flows; it holds the scenario's text too. With 64
round-trip times a flow may take 6 kB. Nothing is timed, so a busy machine measures the same.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Mapping
from typing import Any, Final

from bench.machine import provenance
from bench.page import markdown
from bench.results import add_options, save
from bench.scenario import Cell
from bench.subjects import engine
from bench.subjects.frame import Dumbbell

NAME: Final = "memory"
SECONDS: Final = 10
SIZES: Final = ((10_000, "64"), (100_000, "64"), (100_000, "all"))
"""Flows, and how many round-trip times they have."""
MOST_BYTES: Final = 6_000
"""What a flow may take where there are 64."""


def measured(flows: int, rtts: str, idle_kb: int) -> dict[str, Any]:
    """One dumbbell. RuntimeError if the run fails."""
    size = Dumbbell.of(flows, flows, rtts)
    cell = Cell(size.flows, size.mbit, size.buffer_packets, size.distinct_rtts)
    peak_kb = engine.on(cell, engine.NAME).run(SECONDS).peak_kb
    held = {"peak_kb": peak_kb, "bytes_per_flow": (peak_kb - idle_kb) * 1024 / flows}
    return {"text": size.text, "held": rtts == "64", **held}


def too_many(whole: Mapping[str, Any]) -> list[str]:
    """The dumbbells on which a flow takes more than it may."""
    return [row["text"] for row in whole["sizes"] if row["held"] and row["bytes_per_flow"] > MOST_BYTES]


def table(whole: Mapping[str, Any]) -> str:
    """The dumbbells as a table of the page."""
    rows = [
        (row["text"], f"{row['peak_kb'] / 1e3:,.0f} MB", f"{row['bytes_per_flow'] / 1e3:.2f} kB")
        for row in whole["sizes"]
    ]
    return markdown(("scenario", "peak memory", "a flow"), rows)


def sentence(whole: Mapping[str, Any]) -> str:
    """Whether flows keep to what they may take."""
    verdict = "more than the" if too_many(whole) else "at most the"
    return f"With 64 round-trip times a flow takes {verdict} {MOST_BYTES / 1e3:g} kB that it may"


def main(words: list[str]) -> int:
    """Measure, print and perhaps save. Exit 1 if a flow takes more than it may."""
    parser = argparse.ArgumentParser(
        prog="python -m bench memory",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    most = max(flows for flows, _ in SIZES)
    parser.add_argument("--flows-max", type=int, default=most, help="no dumbbell with more flows")
    add_options(parser, NAME)
    given = parser.parse_args(words)
    idle_kb = engine.idle_interpreter_kb()
    sizes = [measured(flows, rtts, idle_kb) for flows, rtts in SIZES if flows <= given.flows_max]
    whole = {"machine": provenance(), "sizes": sizes}
    if given.save:
        save(NAME, whole)
    print(json.dumps(whole, indent=2) if given.json else f"{table(whole)}\n\n{sentence(whole)}.")
    return int(bool(too_many(whole)))
