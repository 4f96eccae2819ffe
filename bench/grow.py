"""`python -m bench grow`: how the cost of a packet and the memory of a flow grow with the work.

| curve       | what varies                                                                                          |
|-------------|------------------------------------------------------------------------------------------------------|
| flows       | 1 to 100,000 flows at 1 Mbit/s each and 1 to 1,000 at 10 Mbit/s, 64 RTTs and all different; floor beside |
| cross       | the part of ten flows' link that CBR traffic takes, up to all of it                                   |
| controllers, recoveries, disciplines | every entry of the engine's tables, the rest as in the comparison             |
| loss        | the probability of loss, for every recovery                                                           |
| window      | packets in flight of one flow whose window stays, with and without loss                              |
| recording   | which series are kept                                                                                 |

Each cell is measured as in the comparison: short and long run, the difference counts, cells take turns in rounds. The seconds that count
are chosen by a first run so that about as many packets pass in every cell. Memory of a flow is the peak above a bare interpreter by
flows, with packets in flight and the scenario's text.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

from bench import tables
from bench.machine import provenance
from bench.measure import Spread
from bench.results import add_options, load, save
from bench.scenario import Cell
from bench.subjects import engine, floor
from bench.subjects.frame import Dumbbell, Subject

PACKETS = 1_500_000
"""Packets that count in a cell, where the rate allows it."""
SECONDS_MAX = 4_000
PROBE_S = 10
LARGE_FLOWS = 10_000
LARGE_LEAD_IN_S = 5
"""Of so many flows or more: in the first seconds they start and lose far more than later."""
LARGE_SECONDS_MIN = 5
FLOWS_1_MBIT = (1, 10, 100, 1_000, 10_000, 100_000)
FLOWS_10_MBIT = (1, 10, 100, 1_000)
SHARES = (0.0, 0.25, 0.5, 0.75, 1.0)
LOSSES = (0.0, 0.001, 0.003, 0.01, 0.03, 0.1)
WINDOWS = (100, 1_000, 10_000, 100_000)
WINDOW_LOSSES = (0.0, 0.001, 0.01, 0.1)
RECORDS: dict[str, dict[str, Any]] = {
    "nothing": {},
    "window decreases": {"windows": True},
    "samples each 10 ms": {"sample": "10 ms"},
    "rates each 10 ms": {"rates": "10 ms"},
    "everything": {"windows": True, "sample": "10 ms", "rates": "10 ms"},
}
BASE = Cell(10, 100, 1_500, 10)


@dataclass(frozen=True)
class Point:
    """One place on a curve: the curve's name, which line of it, where on the x axis, and what runs there."""

    curve: str
    line: str
    x: float | str
    cell: Cell
    program: str = engine.NAME


def flows() -> list[Point]:
    """Flows at a constant rate each; the floor beside."""
    points = []
    for per_flow, counts in ((1, FLOWS_1_MBIT), (10, FLOWS_10_MBIT)):
        for count in counts:
            for rtts in ("64", "all"):
                size = Dumbbell.of(count, per_flow * count, rtts)
                if rtts == "64" and size.distinct_rtts == count:
                    continue
                cell = Cell(size.flows, size.mbit, size.buffer_packets, size.distinct_rtts)
                for program in (engine.NAME, *floor.WAYS.values()):
                    line = f"{program}, {per_flow} Mbit/s per flow, {'64' if rtts == '64' else 'all different'} RTTs"
                    points.append(Point("flows", line, count, cell, program))
    return points


def cross() -> list[Point]:
    """The part of the link that CBR traffic takes."""
    return [Point("cross", "SACK and CBR", share, replace(BASE, cross_share=share)) for share in SHARES]


def _cell_of(name: str, call: str) -> Cell:
    """The plain scenario with this controller, and what it needs beside it. Windows of ns-2 are for laws of windows alone."""
    recovery = tables.recovery_beside(name)
    tcp = {"window_arithmetic": "real"} if recovery == "rack" else {}
    return replace(BASE, control=call, recovery=recovery, tcp=tcp)


def table_entries() -> list[Point]:
    """Every controller, recovery and discipline that there is."""
    points = [
        Point("controllers", "controller", call, _cell_of(name, call))
        for name, call in tables.controllers().items()
    ]
    points += [
        Point("recoveries", "recovery", name, replace(BASE, recovery=name)) for name in tables.recoveries()
    ]
    points += [
        Point("disciplines", "discipline", name, replace(BASE, queue=queue))
        for name, queue in tables.disciplines().items()
    ]
    return points


def loss() -> list[Point]:
    """Losses at the bottleneck whatever the queue."""
    return [
        Point("loss", name, share, replace(BASE, recovery=name, loss=share))
        for name in tables.recoveries()
        for share in LOSSES
    ]


def window() -> list[Point]:
    """One flow whose window stays where it is, on a link twice as fast as it needs."""
    return [
        Point(
            "window",
            f"{share:g} lost",
            packets,
            Cell(1, max(1, packets * 2 * 8 // 120), 2 * packets, 1, "linear(0, 1, 0, 1)", loss=share,
                 initial_window=packets, tcp={"sack_pipe": "rfc6675", "rto_cuts": False}),
        )
        for share in WINDOW_LOSSES
        for packets in WINDOWS
    ]  # fmt: skip


def recording() -> list[Point]:
    """Series kept."""
    return [
        Point("recording", "kept", name, replace(BASE, record=record)) for name, record in RECORDS.items()
    ]


CURVES: dict[str, Callable[[], list[Point]]] = {
    "flows": flows,
    "cross": cross,
    "tables": table_entries,
    "loss": loss,
    "window": window,
    "recording": recording,
}


@dataclass
class Running:
    """A point under measurement: its subject, lead-in and seconds that count."""

    point: Point
    subject: Subject
    lead_in: int
    seconds: int
    costs: list[float]
    forwarded: int = 0
    dropped: int = 0
    peak_kb: int = 0

    def round(self) -> None:
        """One pair of runs."""
        short, long = self.subject.run(self.lead_in), self.subject.run(self.lead_in + self.seconds)
        self.forwarded, self.dropped = long.forwarded - short.forwarded, long.dropped - short.dropped
        self.peak_kb = max(self.peak_kb, long.peak_kb)
        self.costs.append((long.cpu_s - short.cpu_s) * 1e9 / max(1, self.forwarded))

    def row(self, idle_kb: int) -> dict[str, Any]:
        """The point's numbers as plain data."""
        point = self.point
        idle = idle_kb if point.program == engine.NAME else 0
        return {
            "curve": point.curve,
            "line": point.line,
            "x": point.x,
            "program": point.program,
            "flows": point.cell.flows,
            "distinct_rtts": point.cell.distinct_rtts,
            "cell": asdict(point.cell),
            "lead_in": self.lead_in,
            "seconds": self.seconds,
            "ns_per_packet": asdict(Spread.of(self.costs)),
            "rounds": self.costs,
            "forwarded": self.forwarded,
            "dropped": self.dropped,
            "peak_kb": self.peak_kb,
            "bytes_per_flow": (self.peak_kb - idle) * 1024 / point.cell.flows,
        }


def prepared(point: Point) -> Running | None:
    """The subject of a point and how long it runs; None, said on standard error, if the engine refuses the scenario."""
    cell = point.cell
    try:
        if point.program == engine.NAME:
            subject = engine.on(cell, point.line)
        else:
            size = Dumbbell(cell.flows, cell.mbit, cell.buffer_packets, cell.distinct_rtts)
            subject = next(each for each in floor.subjects(size) if each.name == point.program)
    except RuntimeError as error:
        print(f"left out: {point.curve} {point.x}: {str(error).strip().splitlines()[-1]}", file=sys.stderr)
        return None
    if cell.flows >= LARGE_FLOWS:
        seconds = max(LARGE_SECONDS_MIN, 12_500_000 // (125 * cell.mbit))
        return Running(point, subject, LARGE_LEAD_IN_S, seconds, [])
    probe = subject.run(PROBE_S)
    later = subject.run(2 * PROBE_S)
    rate = max(1.0, (later.forwarded - probe.forwarded) / PROBE_S)
    return Running(point, subject, PROBE_S, max(2, min(SECONDS_MAX, round(PACKETS / rate))), [])


def grown(points: Sequence[Point], rounds: int) -> list[dict[str, Any]]:
    """Measure all points in rounds."""
    cells = [found for point in points if (found := prepared(point))]
    for index in range(rounds):
        for cell in cells:
            cell.round()
        print(f"round {index + 1} of {rounds}, {len(cells)} points", file=sys.stderr)
    idle = engine.idle_interpreter_kb()
    return [cell.row(idle) for cell in cells]


def renewed(
    old: dict[str, Any] | None, machine: dict[str, Any], rows: Sequence[dict[str, Any]]
) -> dict[str, Any]:
    """What is saved: the curves that were measured, and of those that were not what an earlier measurement said, with where it was made."""
    measured = {row["curve"] for row in rows}
    kept = [row for row in old["points"] if row["curve"] not in measured] if old else []
    before = {"machine": old["machine"], "rounds": old["rounds"]} if old else {}
    earlier = {row["curve"]: old.get("earlier", {}).get(row["curve"], before) for row in kept} if old else {}
    return {**machine, "earlier": earlier, "points": [*kept, *rows]}


def main(words: list[str]) -> int:
    """Measure the curves asked for and print them."""
    parser = argparse.ArgumentParser(
        prog="python -m bench grow", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "--curve",
        action="append",
        choices=list(CURVES),
        help="one curve (again for more); default all. --save leaves the others as they were",
    )
    parser.add_argument("--flows-max", type=int, default=max(FLOWS_1_MBIT), help="no point with more flows")
    parser.add_argument("--rounds", type=int, default=3)
    add_options(parser, "grow")
    given = parser.parse_args(words)
    points = [point for name in given.curve or CURVES for point in CURVES[name]()]
    rows = grown([point for point in points if point.cell.flows <= given.flows_max], given.rounds)
    machine = {"machine": provenance(), "rounds": given.rounds}
    whole = {**machine, "points": rows}
    if given.save:
        save("grow", renewed(load("grow"), machine, rows))
    if given.json:
        print(json.dumps(whole, indent=2))
        return 0
    print(f"{'curve':12} {'line':52} {'x':>24} {'ns per packet':>24} {'lost':>8} {'bytes/flow':>12}")
    for row in rows:
        cost = Spread(**row["ns_per_packet"]).text(0)
        lost = 100 * row["dropped"] / max(1, row["dropped"] + row["forwarded"])
        print(
            f"{row['curve']:12} {row['line']:52} {row['x']!s:>24} {cost:>24} {lost:>6.2f} % {row['bytes_per_flow']:>12.0f}"
        )
    return 0
