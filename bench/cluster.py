"""`python -m bench cluster`: what it costs to have runs made by workers of Dask: the sweep of `bench sweep`, here and by workers.

Scheduler, workers and client are processes of this machine, so they share its cores: throughput is compared by CPU time, which does not
depend on how many cores there are, with the wall time beside it. Sweeps by one and by two workers are interleaved with local ones.

What a task and a run cost beside the engine comes from a second measurement: short runs, in tasks of some seconds and in tasks of one run.
Both costs are solved from its two equations, for client, scheduler and workers; for workers, above what the same runs cost here.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path
from typing import Any

from bench.machine import provenance
from bench.measure import Spread
from bench.results import save
from bench.subjects.frame import ROOT, usage
from bench.sweep import everyday, swept

CHILD = "bench.cluster_child"
RUNS = 1_000
SECONDS = 60
TASK_S = 5.0
WORKERS = (1, 2)
ADVISED = {"DASK_DISTRIBUTED__WORKER__PROFILE__ENABLED": "False"}
"""What docs/clusters.md advises for workers."""
SHORT_RUNS = 2_000
SHORT_SECONDS = 6


@contextmanager
def serving(workers: int) -> Iterator[tuple[str, int, list[int]]]:
    """A scheduler and workers of one thread each: its address, its process, theirs."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "scheduler.json"
        listening = ["--host", "127.0.0.1", "--port", "0", "--scheduler-file", str(file)]
        scheduler = _begin(folder, "scheduler", *listening)
        begun = [scheduler]
        try:
            while not (file.is_file() and file.read_text()):
                time.sleep(0.1)
            address = str(json.loads(file.read_text())["address"])
            for _ in range(workers):
                begun.append(_begin(folder, "worker", address, "--nthreads", "1", "--no-nanny"))
            _warm(address, workers)
            yield address, scheduler.pid, [process.pid for process in begun[1:]]
        finally:
            for process in begun:
                process.kill()
                process.wait()


def _begin(folder: str, *words: str) -> subprocess.Popen[bytes]:
    path = os.pathsep.join([str(ROOT), str(ROOT / "python")])
    return subprocess.Popen(
        [sys.executable, "-m", "dask", *words, "--no-dashboard"],
        cwd=folder,
        env=everyday() | {"PYTHONPATH": path} | ADVISED,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )


def _warm(address: str, workers: int) -> None:
    """Waits until all workers are there and have loaded the package, which is not measured."""
    import distributed

    from sawtooth.run.cluster.worker import likeness

    with distributed.Client(address, set_as_default=False) as client:  # type: ignore[no-untyped-call]
        client.wait_for_workers(workers)
        client.run(likeness)


def by_workers(workers: int, runs: int, seconds: int, task_s: float) -> dict[str, Any]:
    """One sweep by so many workers, into a store that is thrown away; CPU time of everybody."""
    with serving(workers) as (address, scheduler, others), tempfile.TemporaryDirectory() as folder:
        before = [cpu_s(pid) for pid in (scheduler, *others)]
        words = [sys.executable, "-m", CHILD, address, str(runs), str(seconds), folder, str(task_s)]
        found: dict[str, Any] = json.loads(usage(words, environment=everyday()).output)
        spent = [cpu_s(pid) - then for pid, then in zip((scheduler, *others), before, strict=True)]
    return found | {"scheduler_cpu_s": spent[0], "workers_cpu_s": sum(spent[1:])}


def cpu_s(pid: int) -> float:
    """CPU time of a process so far, user and system."""
    text = Path(f"/proc/{pid}/stat").read_text(encoding="ascii").rpartition(") ")[2].split()
    return (int(text[11]) + int(text[12])) / os.sysconf("SC_CLK_TCK")


def here(runs: int, seconds: int) -> dict[str, Any]:
    """The same sweep by one thread of one process; start-up is left out, as it is for a cluster."""
    found = swept(1, runs, seconds)
    return {
        "runs": found["runs"],
        "wall_s": found["wall_s"],
        "cpu_s": found["cpu_s"] - found["start_up_cpu_s"],
        "peak_kb": found["peak_kb"],
    }


def summed(rounds: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """Spreads over rounds: of a local sweep, and of those by workers with the ratio to the local one of the round."""
    local = [found["local"] for found in rounds]
    whole: dict[str, Any] = {
        "local": {key: asdict(Spread.of([one[key] for one in local])) for key in ("wall_s", "cpu_s")},
        "workers": {},
    }
    for workers in rounds[0]["workers"]:
        each = [found["workers"][workers] for found in rounds]
        keys = ("wall_s", "client_cpu_s", "scheduler_cpu_s", "workers_cpu_s")
        row: dict[str, Any] = {key: asdict(Spread.of([one[key] for one in each])) for key in keys}
        # A worker's core makes so much of what it makes in a local sweep.
        row["efficiency"] = asdict(
            Spread.ratio([one["cpu_s"] for one in local], [one["workers_cpu_s"] for one in each])
        )
        row |= {key: each[0][key] for key in ("runs", "tasks", "sent_bytes")}
        row["peak_kb"] = {count: max(one["peak_kb"][count] for one in each) for count in each[0]["peak_kb"]}
        whole["workers"][workers] = row
    return whole


def costs(few: dict[str, Any], many: dict[str, Any]) -> dict[str, dict[str, float]]:
    """What a task and a run cost client and scheduler, ms, by sweeps of the same runs in few and in many tasks."""
    found = {}
    for who in ("client", "scheduler"):
        spent = [one[f"{who}_cpu_s"] for one in (few, many)]
        task = (spent[1] - spent[0]) / (many["tasks"] - few["tasks"])
        run = (spent[0] - task * few["tasks"]) / few["runs"]
        found[who] = {"task_ms": 1e3 * task, "run_ms": 1e3 * run}
    extra = many["workers_cpu_s"] - few["workers_cpu_s"]
    found["worker"] = {"task_ms": 1e3 * extra / (many["tasks"] - few["tasks"])}
    return found


def main(words: list[str]) -> int:
    """Measure and print."""
    parser = argparse.ArgumentParser(
        prog="python -m bench cluster",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--runs", type=int, default=RUNS, help="a multiple of 40: controllers × environments")
    parser.add_argument("--seconds", type=int, default=SECONDS, help="simulated, per run")
    parser.add_argument("--short-runs", type=int, default=SHORT_RUNS, help="of the second measurement")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument(
        "--save", action="store_true", help="write bench/results/cluster.json, which the report reads"
    )
    given = parser.parse_args(words)
    rounds = []
    for index in range(given.rounds):
        found: dict[str, Any] = {"local": here(given.runs, given.seconds), "workers": {}}
        for workers in WORKERS:
            found["workers"][str(workers)] = by_workers(workers, given.runs, given.seconds, TASK_S)
        rounds.append(found)
        print(f"round {index + 1} of {given.rounds}", file=sys.stderr)
    few, many = (by_workers(1, given.short_runs, SHORT_SECONDS, task_s) for task_s in (TASK_S, 0.0))
    whole = {
        "machine": provenance(),
        "seconds": given.seconds,
        "rounds": given.rounds,
        "task_s": TASK_S,
        **summed(rounds),
        "short": {"seconds": SHORT_SECONDS, "few": few, "many": many},
        "costs": costs(few, many),
    }
    if given.save:
        save("cluster", whole)
    print(json.dumps(whole, indent=2))
    return 0
