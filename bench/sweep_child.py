"""One sweep in a process of its own, whose arguments are THREADS RUNS SECONDS STORE; prints what it took as JSON.

It is `sawtooth.compare`, as a Python program calls it: plan, resolve, run, store, metrics, scores. A clock stands around the one call into
the engine; what the main thread does meanwhile, which names the next jobs, is none of the engine's.
"""

from __future__ import annotations

import importlib
import json
import sys
import threading
import time
from array import array
from typing import TYPE_CHECKING, Any

import sawtooth as st
from bench.subjects.engine_child import peak_kb
from sawtooth import _native

if TYPE_CHECKING:
    from sawtooth.experiment.study import Study

PLACES = range(1, 11)
"""Where one source or none makes the bandwidth: environments 1 to 10 of the 2002 study."""

MARKS = (0.25, 0.5, 1.0)
"""Parts of the sweep after which peak memory is noted."""


class Engine:
    """The native module with a clock around `run`: CPU time of the process less that of the main thread between call and return."""

    def __init__(self) -> None:
        self.cpu_s = 0.0
        self._forwarded: list[bytes] = []
        self._lock = threading.Lock()
        self._main = time.pthread_getcpuclockid(threading.main_thread().ident or 0)

    def __getattr__(self, name: str) -> Any:
        return getattr(_native, name)

    def run(self, scenario: str) -> Any:
        """`_native.run`, timed and counted."""
        before = self._others_s()
        result = _native.run(scenario)
        took = self._others_s() - before
        with self._lock:
            self.cpu_s += took
            self._forwarded.append(result["tables"]["queues"]["forwarded"][1])
        return result

    @property
    def forwarded(self) -> int:
        """Packets that the bottlenecks of all runs forwarded."""
        return sum(array("q", packets)[0] for packets in self._forwarded)

    def _others_s(self) -> float:
        """CPU time of all threads but the main one."""
        return time.process_time() - time.clock_gettime(self._main)


def asked(runs: int, seconds: int) -> dict[str, Any]:
    """What `sawtooth.compare` is asked: as many seeds as make so many runs."""
    from sawtooth.experiment.study_files import load_comparison
    from sawtooth.scenario.environments import ENVIRONMENTS

    controllers = [entry.control for entry in load_comparison().algorithm]
    places = [entry.name for entry in ENVIRONMENTS if entry.number in PLACES]
    seeds, rest = divmod(runs, len(controllers) * len(places))
    if rest or not seeds:
        raise SystemExit(f"--runs {runs}: expected a multiple of {len(controllers) * len(places)}")
    network = {"recoveries": ["sack"], "routers": ["droptail"], "environments": places}
    return {
        "controllers": controllers,
        **network,
        "seeds": seeds,
        "duration": f"{seconds} s",
        "warmup": "5 s",
    }


def study_of(runs: int, seconds: int) -> Study:
    """The study that is run then."""
    from sawtooth.experiment.compare import comparison_study

    return comparison_study(**asked(runs, seconds))


def main() -> None:
    """Plan, run and count."""
    threads, runs, seconds, folder = *map(int, sys.argv[1:4]), sys.argv[4]
    compare = st.compare
    start_up_cpu_s = time.process_time()
    engine = Engine()
    simulating = importlib.import_module(
        "sawtooth.run.run"
    )  # `sawtooth.run.run` as an attribute is the function
    simulating._native = engine  # type: ignore[attr-defined]
    peaks: dict[str, int] = {}

    def progress(done: int, total: int, found: int) -> None:
        if done in [round(mark * total) for mark in MARKS]:
            peaks[str(done)] = peak_kb()

    comparison = compare(**asked(runs, seconds), store=folder, threads=threads, progress=progress)
    found: dict[str, Any] = {
        "runs": comparison.executed,
        "wall_s": comparison.wall_s,
        "forwarded": engine.forwarded,
        "peak_kb": peaks,
        "start_up_cpu_s": start_up_cpu_s,
    }
    if threads == 1:
        found |= {"engine_cpu_s": engine.cpu_s, "outside_share": 1 - engine.cpu_s / time.process_time()}
    print(json.dumps(found))
