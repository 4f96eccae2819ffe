"""The programs compared: this engine, and ns-2 where it is installed, each on the scenario of scenario.py."""

from __future__ import annotations

import importlib.machinery
import importlib.util
import json
import shutil
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from bench.measure import Usage, usage
from bench.scenario import Dumbbell

HERE = Path(__file__).resolve().parent


@dataclass(frozen=True)
class Work:
    """One finished run: what it used, and how many packets the bottleneck forwarded."""

    used: Usage
    forwarded: int


@dataclass(frozen=True)
class Subject:
    """A simulator: its name in the table, and a function that runs so many simulated seconds."""

    name: str
    run: Callable[[int], Work]


def native_file() -> str:
    """The file of the compiled extension module; the package itself is not imported, only found."""
    spec = importlib.util.find_spec("sawtooth")
    folders = spec.submodule_search_locations if spec and spec.submodule_search_locations else []
    for folder in folders:
        for suffix in importlib.machinery.EXTENSION_SUFFIXES:
            file = Path(folder) / f"_native{suffix}"
            if file.is_file():
                return str(file)
    raise RuntimeError("sawtooth._native is not built: make build")


def idle_interpreter() -> Usage:
    """What the process of a run uses before the engine does anything."""
    return usage([sys.executable, "-I", str(HERE / "child.py"), native_file()])


def sawtooth(size: Dumbbell) -> Subject:
    """This engine with its default counters on, alone in a process."""

    def run(seconds: int) -> Work:
        used = usage([sys.executable, "-I", str(HERE / "child.py"), native_file()], size.json(seconds))
        return Work(used, json.loads(used.output)["forwarded"])

    return Subject("sawtooth", run)


def ns2(size: Dumbbell, headers: str) -> Subject | None:
    """ns-2 with `all` packet headers, as it comes, or only those `needed`; None where it is not installed."""
    program = shutil.which("ns")
    if program is None:
        return None
    counts: dict[int, int] = {}

    def command(seconds: int, mode: str) -> list[str]:
        numbers = [seconds, size.flows, size.mbit, size.buffer_packets]
        return [program, str(HERE / "ns2_dumbbell.tcl"), *map(str, numbers), headers, mode]

    def run(seconds: int) -> Work:
        if seconds not in counts:  # the same packets in every run: counted once, in a run that is not timed
            words = usage(command(seconds, "count")).output.split()
            counts[seconds] = int(words[words.index("forwarded") + 1])
        return Work(usage(command(seconds, "time")), counts[seconds])

    return Subject("ns-2 as it comes (all headers)" if headers == "all" else "ns-2, needed headers only", run)
