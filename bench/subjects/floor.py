"""The floor program, `bench/floor`, in its three ways to keep links of constant delay."""

from __future__ import annotations

from bench.subjects.frame import Dumbbell, Subject, Work, cargo_built, told, usage

FLOOR = "floor"
SINGLE = "floor, one line to the queue"
BUCKETS = "floor, sorted buckets"
WAYS = {"both": FLOOR, "lines": SINGLE, "buckets": BUCKETS}
"""The program's word for each."""


def subjects(size: Dumbbell) -> list[Subject]:
    """Every way of the floor program."""
    program = cargo_built("sawtooth-floor")
    numbers = [size.flows, size.mbit, size.buffer_packets]

    def runner(way: str) -> Subject:
        def run(seconds: int) -> Work:
            words = [*map(str, [*numbers, seconds, size.distinct_rtts]), way]
            used = usage([program, *words])
            said = {name: int(value) for name, value in told(used.output).items()}
            return Work(used.cpu_s, said["forwarded"], said["dropped"], said["peak_kb"])

        return Subject(WAYS[way], run)

    return [runner(way) for way in WAYS]
