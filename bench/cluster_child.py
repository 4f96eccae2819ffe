"""One sweep by a cluster, in a process of its own: `cluster_child.py ADDRESS RUNS SECONDS STORE TASK_S`; prints what it took as JSON.

It is the sweep of `bench.sweep_child` as its client does it. Seconds of a task 0 means a run for each.
"""

from __future__ import annotations

import json
import sys
import time
from typing import Any

import sawtooth as st
from bench.subjects.engine_child import peak_kb
from bench.sweep_child import MARKS, study_of
from sawtooth.experiment.perform import perform
from sawtooth.run.cluster import crew
from sawtooth.run.cluster.pool import Pool
from sawtooth.run.store import Store


def main(address: str, runs: int, seconds: int, folder: str, task_s: float) -> None:
    """Plan, have made, and count."""
    study = study_of(runs, seconds)
    crew.TASK_S, crew.LEAST_S, crew.SLOT_S = task_s, min(task_s, crew.LEAST_S), 0.0  # type: ignore[misc]
    peaks: dict[str, int] = {}
    sent: list[int] = []
    submit = Pool.submit

    def counted(pool: Pool, parcel: bytes) -> int:
        sent.append(len(parcel))
        return submit(pool, parcel)

    Pool.submit = counted  # type: ignore[method-assign, assignment]

    def progress(done: int, total: int, found: int) -> None:
        if done in [round(mark * total) for mark in MARKS]:
            peaks[str(done)] = peak_kb()

    with st.cluster(address) as cluster:
        while cluster.slots < 1 or not cluster.pool.alive:
            time.sleep(0.1)
        before_s = time.process_time()
        comparison = perform(study, Store(folder), progress=progress)
        cpu_s = time.process_time() - before_s
    found: dict[str, Any] = {
        "runs": comparison.executed,
        "wall_s": comparison.wall_s,
        "client_cpu_s": cpu_s,
        "tasks": len(sent),
        "sent_bytes": sum(sent),
        "peak_kb": peaks,
    }
    print(json.dumps(found))


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]), int(sys.argv[3]), sys.argv[4], float(sys.argv[5]))
