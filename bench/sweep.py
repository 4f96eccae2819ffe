"""`python -m bench sweep`: whole studies: a thousand runs of 60 simulated seconds through resolve, runner and store.

The runs are those of `sawtooth compare`: the study's four controllers in environments 1 to 10, with as many seeds as make the number. Each
measurement is a process of its own (`bench.sweep_child`), in turn with one thread and with two, as the command starts it, and with one
thread in a Python program that calls `sawtooth.compare`. Peak memory is noted after a quarter, half and all of the runs.

The engine's share is the CPU time inside `_native.run` (one thread, that of the main thread left out) of all CPU time of the process,
start-up included, with the package's bytecode at hand, as every start but the first has it.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import tempfile
from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

from bench.machine import provenance
from bench.measure import Spread
from bench.results import add_options, save
from bench.subjects.frame import usage

CHILD = "bench.sweep_child"
IN_PYTHON = f"from {CHILD} import main; main()"
AS_A_COMMAND = f"from sawtooth.cli import spare_start_up; spare_start_up(); {IN_PYTHON}"
"""A process begins as `sawtooth compare` does."""
RUNS = 1_000
SECONDS = 60
THREADS = (1, 2)


def swept(threads: int, runs: int, seconds: int, start: str = AS_A_COMMAND) -> dict[str, Any]:
    """One sweep in a process of its own, into a store that is thrown away. CPU time is the process's own count and, with
    start-up and exit, the kernel's."""
    with tempfile.TemporaryDirectory() as folder:
        words = [sys.executable, "-c", start, str(threads), str(runs), str(seconds), folder]
        used = usage(words, environment=everyday())
    found: dict[str, Any] = json.loads(used.output)
    return found | {"cpu_s": used.cpu_s}


def everyday() -> dict[str, str]:
    """The environment without the wish that no bytecode be kept: who sweeps does not compile the package at every start."""
    return {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}


def summed(rounds: list[dict[int, dict[str, Any]]], python: list[dict[str, Any]]) -> dict[str, Any]:
    """Wall time, packets, shares and memory by number of threads and in a Python program, and how CPU per run with more threads compares to
    one, round by round."""
    by_threads = {str(threads): _summed_row([found[threads] for found in rounds]) for threads in rounds[0]}
    one = [found[1]["cpu_s"] for found in rounds]
    more = {
        str(threads): asdict(Spread.ratio([found[threads]["cpu_s"] for found in rounds], one))
        for threads in rounds[0]
        if threads != 1
    }
    return {"threads": by_threads, "in_python": _summed_row(python), "cpu_ratio_to_one_thread": more}


def rows(whole: Mapping[str, Any]) -> dict[str, dict[str, Any]]:
    """What `summed` gives for each way of sweeping, by its name."""
    return {**whole["threads"], "1, in Python": whole["in_python"]}


def _summed_row(each: list[dict[str, Any]]) -> dict[str, Any]:
    row = {
        key: asdict(Spread.of([one[key] for one in each]))
        for key in ("wall_s", "cpu_s", "engine_cpu_s", "start_up_cpu_s", "outside_share")
        if key in each[0]
    }
    return row | {
        "runs": each[0]["runs"],
        "forwarded": each[0]["forwarded"],
        "peak_kb": {count: max(one["peak_kb"][count] for one in each) for count in each[0]["peak_kb"]},
    }


def main(words: list[str]) -> int:
    """Measure and print."""
    parser = argparse.ArgumentParser(
        prog="python -m bench sweep",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--runs", type=int, default=RUNS, help="a multiple of 40: controllers × environments")
    parser.add_argument("--seconds", type=int, default=SECONDS, help="simulated, per run")
    parser.add_argument("--rounds", type=int, default=3)
    add_options(parser, "sweep")
    given = parser.parse_args(words)
    usage([sys.executable, "-c", f"import {CHILD}"], environment=everyday())  # leaves the bytecode
    rounds, python = [], []
    for index in range(given.rounds):
        rounds.append({threads: swept(threads, given.runs, given.seconds) for threads in THREADS})
        python.append(swept(1, given.runs, given.seconds, IN_PYTHON))
        print(f"round {index + 1} of {given.rounds}", file=sys.stderr)
    whole = {"machine": provenance(), "seconds": given.seconds, "rounds": given.rounds} | summed(
        rounds, python
    )
    if given.save:
        save("sweep", whole)
    if given.json:
        print(json.dumps(whole, indent=2))
        return 0
    for name, row in rows(whole).items():
        peaks = ", ".join(f"{int(kb) / 1e3:.0f} MB after {count}" for count, kb in row["peak_kb"].items())
        print(
            f"threads: {name}; {row['runs']} runs of {given.seconds} s, {row['forwarded']:,} packets forwarded"
        )
        print(
            f"  wall {Spread(**row['wall_s']).text(1)} s, CPU {Spread(**row['cpu_s']).text(1)} s; peak {peaks}"
        )
        if "outside_share" in row:
            share = Spread(*(100 * value for value in row["outside_share"].values()))
            print(
                f"  CPU outside the engine {share.text(1)} %, of it start-up {Spread(**row['start_up_cpu_s']).text(2)} s"
            )
    for threads, ratio in whole["cpu_ratio_to_one_thread"].items():
        print(f"CPU with {threads} threads, of that with one: {Spread(**ratio).text(3)}")
    return 0
