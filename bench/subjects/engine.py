"""This engine with its default counters on, alone in a process with a bare interpreter."""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Callable
from dataclasses import replace

from bench.scenario import Cell
from bench.subjects.frame import HERE, Dumbbell, Subject, Work, native_file, usage

NAME = "sawtooth"
OTHER = "sawtooth, --control"
"""The engine under the controller that the command line asks for."""
CHILD = str(HERE / "engine_child.py")


class RefusedError(Exception):
    """A scenario that the engine does not take, with what it says."""


def idle_interpreter_kb() -> int:
    """Peak memory of the process of a run before the engine does anything."""
    return int(json.loads(usage([sys.executable, "-I", CHILD, native_file()]).output)["peak_kb"])


def runner(engine_json: str) -> Callable[[int], Work]:
    """A function that runs the engine's scenario, given as JSON, for so many simulated seconds, whatever its own duration."""
    before, after = re.split(r'"duration_ns":\d+', engine_json, maxsplit=1)

    def run(seconds: int) -> Work:
        text = f'{before}"duration_ns":{seconds * 10**9}{after}'
        used = usage([sys.executable, "-I", CHILD, native_file()], text)
        said = json.loads(used.output)
        return Work(used.cpu_s, said["forwarded"], said["dropped"], said["peak_kb"])

    return run


def subject(size: Dumbbell, control: str | None = None) -> Subject:
    """The engine on the benchmark's dumbbell, under another controller if one is named."""
    cell = Cell(size.flows, size.mbit, size.buffer_packets, size.distinct_rtts)
    asked = cell if control is None else replace(cell, control=control)
    try:
        return on(asked, NAME if control is None else OTHER)
    except RuntimeError as error:
        said = str(error).strip().splitlines()[-1]
        raise RefusedError(said.partition("InputError: ")[2] or said) from None


def on(cell: Cell, name: str) -> Subject:
    """The engine on any scenario of the benchmark. Another process makes the scenario, so that this one stays a small parent to fork
    from. RuntimeError if the scenario is refused."""
    return Subject(name, runner(usage([sys.executable, "-m", "bench.scenario", cell.text()]).output))
