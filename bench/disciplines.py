"""`python -m bench disciplines`: instructions per forwarded packet behind every discipline of the engine's table, beside RED or DRR.

Ten flows at 100 Mbit/s, as in the comparison (`bench/instructions`, scenarios `queue/NAME`). Instructions are counted, as by the gate, so
that a busy machine cannot move the numbers. A discipline that chooses which queue is served is held to 1.5 times DRR, any other to 1.3
times RED. A new row of the table is measured without a change here.
"""

from __future__ import annotations

import argparse
import json
import shutil
import sys
from collections.abc import Mapping
from typing import Any, Final

from bench.gate import PACKAGE, TIMES_DRR, TIMES_RED, counted, output_of
from bench.machine import provenance
from bench.page import markdown
from bench.results import add_options, save
from bench.subjects.frame import cargo_built, told

NAME: Final = "disciplines"
BASES: Final = {False: ("red", TIMES_RED), True: ("drr", TIMES_DRR)}
"""Whether a discipline chooses which queue is served: the discipline that it is held to, and how many times its cost it may have."""


def per_packet() -> dict[str, float]:
    """Instructions per forwarded packet, by discipline. RuntimeError if something fails."""
    program = cargo_built(PACKAGE)
    found = {}
    for name in output_of([program, "--disciplines"]).split():
        output, instructions = counted(program, name)
        found[name.removeprefix("queue/")] = instructions / int(told(output)["forwarded"])
    return found


def rows(costs: dict[str, float]) -> list[dict[str, Any]]:
    """A row for each discipline: its cost, whom it is held to, how many times that it has and may have."""
    from sawtooth import _native

    schedules = {row["name"]: row["schedules"] for row in _native.describe()["disciplines"]}
    found = []
    for name, cost in costs.items():
        base, most = BASES[schedules[name]]
        found.append(
            {"name": name, "instructions": cost, "base": base, "ratio": cost / costs[base], "most": most}
        )
    return found


def table(whole: Mapping[str, Any]) -> str:
    """The rows as a table of the page."""
    cells = [
        (
            f"`{row['name']}`",
            f"{row['instructions']:,.0f}",
            "" if row["name"] == row["base"] else f"{row['ratio']:.2f} × {row['base'].upper()}",
            "" if row["name"] == row["base"] else f"{row['most']:g}",
        )
        for row in whole["rows"]
    ]
    return markdown(("discipline", "instructions per packet", "relative", "at most"), cells)


def main(words: list[str]) -> int:
    """Count, print and perhaps save. Exit 1 if a discipline costs more than it may."""
    parser = argparse.ArgumentParser(
        prog="python -m bench disciplines",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    add_options(parser, NAME)
    given = parser.parse_args(words)
    if shutil.which("valgrind") is None:
        print(
            "NOT RUN: instructions are counted by valgrind (Debian: apt-get install valgrind)",
            file=sys.stderr,
        )
        return 2
    whole: dict[str, Any] = {"machine": provenance(), "rows": rows(per_packet())}
    if given.save:
        save(NAME, whole)
    print(json.dumps(whole, indent=2) if given.json else table(whole))
    return int(any(row["ratio"] > row["most"] for row in whole["rows"]))
