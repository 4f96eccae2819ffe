"""ns-2 where it is installed (Debian: ns2), as it comes and with only the packet headers that are in use."""

from __future__ import annotations

import functools
import shutil

from bench.subjects.frame import HERE, Dumbbell, Subject, Work, told, usage

ALL_HEADERS = "ns-2 as it comes"
NEEDED_HEADERS = "ns-2, needed headers only"


def subjects(size: Dumbbell) -> list[Subject]:
    """Both ways to run ns-2, or nothing where it is not installed or the round-trip times are not ns-2's (all different)."""
    program = shutil.which("ns")
    if program is None or size.distinct_rtts != size.flows:
        return []
    return [_subject(program, size, ALL_HEADERS, "all"), _subject(program, size, NEEDED_HEADERS, "needed")]


def _subject(program: str, size: Dumbbell, name: str, headers: str) -> Subject:
    def words(seconds: int, mode: str) -> tuple[float, dict[str, str]]:
        numbers = [seconds, size.flows, size.mbit, size.buffer_packets]
        used = usage([program, str(HERE / "ns2_dumbbell.tcl"), *map(str, numbers), headers, mode])
        return used.cpu_s, told(used.output)

    @functools.cache
    def counted(seconds: int) -> dict[str, str]:
        """The same packets in every run: counted once, in a run that is not timed."""
        return words(seconds, "count")[1]

    def run(seconds: int) -> Work:
        cpu_s, said = words(seconds, "time")
        counts = counted(seconds)
        return Work(cpu_s, int(counts["forwarded"]), int(counts["drops"]), int(said["peak_kb"]))

    return Subject(name, run)
