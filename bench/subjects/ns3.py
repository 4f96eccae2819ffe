"""ns-3 where its headers are installed (Debian: libns3-dev and g++): a program of ours compiled against it, `ns3_dumbbell.cc`."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

from bench.subjects.frame import BUILT, HERE, Dumbbell, Subject, Work, told, usage

NAME = "ns-3"
MODULES = ("applications", "point-to-point", "internet", "traffic-control", "network", "core")
SECONDS_MAX = 10
"""Simulated seconds that count: ns-3 takes most of a minute for the time in which the others simulate minutes."""
FLOWS_MAX = 100
"""Larger networks take too long to set up."""


def subjects(size: Dumbbell) -> list[Subject]:
    """ns-3, or nothing where it cannot be compiled or the dumbbell is too large for it."""
    if size.flows > FLOWS_MAX or size.distinct_rtts != size.flows:
        return []
    program = _compiled()
    if program is None:
        return []

    def run(seconds: int) -> Work:
        numbers = [seconds, size.flows, size.mbit, size.buffer_packets]
        used = usage([str(program), *map(str, numbers)])
        said = told(used.output)
        return Work(used.cpu_s, int(said["forwarded"]), int(said["drops"]), int(said["peak_kb"]))

    return [Subject(NAME, run, SECONDS_MAX)]


def version() -> str | None:
    """The version that pkg-config knows, or None."""
    if shutil.which("pkg-config") is None:
        return None
    done = subprocess.run(
        ["pkg-config", "--modversion", "ns3-core"], capture_output=True, text=True, check=False
    )
    return done.stdout.strip() or None


def _compiled() -> Path | None:
    """The compiled program, made anew when its source is newer; None without compiler or headers."""
    compiler = shutil.which("g++")
    if compiler is None or version() is None:
        return None
    source, program = HERE / "ns3_dumbbell.cc", BUILT / "ns3_dumbbell"
    if not program.is_file() or program.stat().st_mtime < source.stat().st_mtime:
        BUILT.mkdir(parents=True, exist_ok=True)
        libraries = [f"-lns3-{module}" for module in MODULES]
        usage([compiler, "-O2", "-std=c++17", str(source), "-o", str(program), *libraries])
    return program
