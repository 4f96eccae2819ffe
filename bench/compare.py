"""`python -m bench compare`: cost per forwarded packet of ours, the floor, ns-2 and ns-3, peak memory, and ratios of interleaved rounds.

Cost is CPU time (user + system) per packet that the bottleneck forwarded, its ACK and everything else included. Every program runs twice
in each round, short and long; the difference of the two is what counts, so neither start-up nor the first seconds do. The programs take
turns within a round, and a ratio is formed within the round, so that a machine that is slower for a while slows all.

Without a size it measures the 10 flows of the speed comparison, then 1,000 and 100,000 flows beside the floor, with 64 round-trip times
and with all different.

`--control` measures another controller on the same dumbbell instead of the other programs, `--plugin` loads its shared library: what does a
packet cost under it, and how much is that of what it costs under aimd(1, 0.5)?
"""

from __future__ import annotations

import argparse
import json
import os
import sys
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

from bench.machine import provenance
from bench.measure import Measured, Spread, measure
from bench.results import add_options, save
from bench.subjects import engine, floor, ns2, ns3
from bench.subjects.engine_child import VARIABLE
from bench.subjects.frame import Dumbbell

# Forwarded packets may differ by this fraction, or the ratio means nothing: those of another TCP, and those of the floor, which knows
# neither retransmissions nor timeouts and so fills a link of 100,000 flows sooner after their start.
SAME_WORK = 0.02
SAME_WORK_FLOOR = 0.10


@dataclass(frozen=True)
class Plan:
    """One dumbbell, in how many rounds, over how many simulated seconds after how many."""

    size: Dumbbell
    rounds: int
    seconds: int
    lead_in: int


TEN = Plan(Dumbbell.of(10, 100), 5, 300, 20)
PLANS = [
    TEN,
    Plan(Dumbbell.of(1_000, 10_000, "64"), 3, 20, 5),
    Plan(Dumbbell.of(1_000, 10_000), 3, 20, 5),
    Plan(Dumbbell.of(100_000, 100_000, "64"), 3, 5, 5),
    Plan(Dumbbell.of(100_000, 100_000), 3, 5, 5),
]
# name in results -> (who is above, who below, what the ratio says)
AIMS = {
    "ns2_by_ours": (ns2.ALL_HEADERS, engine.NAME, "times as fast as ns-2 as it comes"),
    "ns2_needed_by_ours": (ns2.NEEDED_HEADERS, engine.NAME, "times as fast as ns-2, needed headers only"),
    "ns3_by_ours": (ns3.NAME, engine.NAME, "times as fast as ns-3"),
    "ours_by_floor": (engine.NAME, floor.FLOOR, "times the cost of the floor"),
    "ours_by_single": (engine.NAME, floor.SINGLE, "times the cost of the floor with one line to the queue"),
    "ours_by_buckets": (engine.NAME, floor.BUCKETS, "times the cost of the floor with sorted buckets"),
    "ns2_by_floor": (ns2.ALL_HEADERS, floor.FLOOR, "floor: times as fast as ns-2 as it comes"),
    "control_by_ours": (engine.OTHER, engine.NAME, "times the cost of aimd(1, 0.5)"),
}


def plans(words: list[str]) -> tuple[list[Plan], argparse.Namespace]:
    """What the command line asks for. A size, or part of one, stands for that dumbbell alone."""
    parser = argparse.ArgumentParser(prog="python -m bench compare", description=__doc__)
    parser.add_argument("--flows", type=int, help="one dumbbell of so many flows (default 10)")
    parser.add_argument("--mbit", type=int, help="its bottleneck rate in Mbit/s (default 10 for each flow)")
    parser.add_argument("--buffer", type=int, help="packets (default rate × 120 ms)")
    parser.add_argument("--distinct-rtts", help="round-trip times: a number such as 64, or all (default)")
    parser.add_argument("--pairs", type=int, help="rounds (default 5 for ten flows, 3 for the others)")
    parser.add_argument("--seconds", type=int, help="simulated seconds that count")
    parser.add_argument("--lead-in", type=int, help="simulated seconds before them")
    parser.add_argument("--alone", action="store_true", help="ours and the floor, without ns-2 and ns-3")
    parser.add_argument(
        "--control", help="another controller instead of the floor, ns-2 and ns-3, such as 'mine(1, 0.5)'"
    )
    parser.add_argument(
        "--plugin", action="append", default=[], help="the shared library of a controller; may be repeated"
    )
    add_options(parser, "compare")
    given = parser.parse_args(words)
    if given.save and given.control:
        parser.error("--save: expected no --control; what the report reads is about the programs")
    chosen = [TEN] if given.control else PLANS
    if given.flows or given.mbit or given.buffer or given.distinct_rtts:
        flows = given.flows or TEN.size.flows
        mbit = given.mbit or 10 * flows
        size = Dumbbell.of(flows, mbit, given.distinct_rtts or "all", given.buffer)
        # As many packets as ten flows have in their seconds, within reason.
        chosen = [replace(TEN, size=size, seconds=max(1, min(300, 30_000 // mbit)), lead_in=5)]
    asked = {"rounds": given.pairs, "seconds": given.seconds, "lead_in": given.lead_in}
    return [replace(plan, **{key: value for key, value in asked.items() if value}) for plan in chosen], given


def load(files: list[str]) -> None:
    """Have these plug-ins loaded by every process that makes a scenario or runs it."""
    listed = os.environ.get(VARIABLE, "")
    paths = [str(Path(file).absolute()) for file in files]
    os.environ[VARIABLE] = os.pathsep.join([*filter(None, [listed]), *paths])


def compared(plan: Plan, alone: bool, control: str | None = None) -> Measured:
    """Ours and everybody who is there, or ours under another controller, in turn."""
    subjects = [engine.subject(plan.size)]
    subjects += floor.subjects(plan.size) if control is None else [engine.subject(plan.size, control)]
    if control is None and not alone and plan.size.flows <= ns3.FLOWS_MAX:
        subjects += [*ns2.subjects(plan.size), *ns3.subjects(plan.size)]
    return measure(subjects, plan.rounds, plan.lead_in, plan.seconds, f"{plan.size.text}: ")


def aims(measured: Measured) -> dict[str, Spread]:
    """Every ratio whose two sides were measured."""
    there = measured.ns_per_packet
    return {
        key: measured.ratio(above, below)
        for key, (above, below, _) in AIMS.items()
        if above in there and below in there
    }


def different_work(measured: Measured) -> list[str]:
    """Who forwarded so many packets more or fewer that a ratio to ours means nothing. Another controller may: its cost is per packet."""
    lenient = measured.unequal(engine.NAME, SAME_WORK_FLOOR)
    strict = measured.unequal(engine.NAME, SAME_WORK)
    programs = [name for name in strict if name != engine.OTHER]
    return [name for name in programs if name in lenient or name not in floor.WAYS.values()]


def document(plan: Plan, measured: Measured) -> dict[str, Any]:
    """One dumbbell's numbers as plain data."""
    return {
        "dumbbell": asdict(plan.size),
        "text": plan.size.text,
        "rounds": plan.rounds,
        "lead_in": plan.lead_in,
        "subjects": {
            name: {
                "ns_per_packet": asdict(Spread.of(costs)),
                "rounds": list(costs),
                "seconds": measured.seconds[name],
                "forwarded": measured.forwarded[name],
                "dropped": measured.dropped[name],
                "peak_kb": measured.peak_kb[name],
            }
            for name, costs in measured.ns_per_packet.items()
        },
        "ratios": {key: asdict(spread) for key, spread in aims(measured).items()},
    }


def show(plan: Plan, measured: Measured, control: str | None = None) -> None:
    """One dumbbell's numbers as a table."""
    size = plan.size
    print(
        f"\n{size.text}: SACK AIMD(1, 0.5), 120 ms ± 5 %, drop-tail {size.buffer_packets:,} packets; "
        f"{plan.seconds} s simulated after {plan.lead_in}, {plan.rounds} interleaved rounds"
        + (f"; --control {control}" if control else "")
    )
    print(
        f"{'':28} {'ns per forwarded packet':>28} {'million/s':>10} {'peak MB':>8} {'packets':>10} {'lost':>8}"
    )
    for name, costs in measured.ns_per_packet.items():
        spread = Spread.of(costs)
        forwarded, peak = measured.forwarded[name], measured.peak_kb[name] / 1e3
        lost = 100 * measured.dropped[name] / (forwarded + measured.dropped[name])
        rate = 1e3 / spread.median
        print(f"{name:28} {spread.text(1):>28} {rate:>10.2f} {peak:>8.1f} {forwarded:>10} {lost:>6.2f} %")
    for key, spread in aims(measured).items():
        print(f"{AIMS[key][2]:50} {spread.text(2)}")


def main(words: list[str]) -> int:
    """Measure, print, and fail if the programs did not do the same work."""
    chosen, given = plans(words)
    load(given.plugin)
    code, documents = 0, []
    for plan in chosen:
        try:
            measured = compared(plan, given.alone, given.control)
        except engine.RefusedError as error:
            print(f"python -m bench compare: {error}", file=sys.stderr)
            return 2
        documents.append(document(plan, measured))
        if not given.json:
            show(plan, measured, given.control)
        for name in different_work(measured):
            code = 1
            ours, theirs = measured.forwarded[engine.NAME], measured.forwarded[name]
            span = f"{theirs} packets in {measured.seconds[name]} s, {engine.NAME} {ours} in {measured.seconds[engine.NAME]} s"
            print(f"{plan.size.text}: not the same work: {name} forwarded {span}", file=sys.stderr)
    idle = engine.idle_interpreter_kb()
    whole = {"machine": provenance(), "idle_interpreter_kb": idle, "comparisons": documents}
    if given.save:
        save("compare", whole)
    if given.json:
        print(json.dumps(whole, indent=2))
    else:
        print(
            "(median, smallest and largest of the rounds; CPU of one core; "
            f"a bare interpreter with the module loaded takes {idle / 1e3:.1f} MB)"
        )
        others = not given.alone and given.control is None
        if others and not any(ns2.ALL_HEADERS in each["subjects"] for each in documents):
            print("ns-2 was not measured (Debian: apt-get install ns2)")
        if others and not any(ns3.NAME in each["subjects"] for each in documents):
            print("ns-3 was not measured (Debian: apt-get install libns3-dev g++)")
    return code
