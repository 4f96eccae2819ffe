"""`python -m bench appendix`: how long the appendix of the 2002 study takes: 36 instances × 13 environments × 8 settings, five seeds.

After a short run of warming up, a fixed sample of its cells is run at full length with one seed, through resolve, runner and a store
that is thrown away: every setting with every environment, the instances taking turns, so that each stratum stands in the sample by
its share. The time of the whole is the sample's, times the ratio of the numbers of runs; that is an extrapolation and printed as one.
$SAWTOOTH_THREADS says how many threads share the work; CPU time grows with them where they share a core. The measured time of a full
run is written by `sawtooth reproduce akella2002/appendix` into its document and report.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from typing import Any

from bench.machine import provenance
from sawtooth.experiment.perform import StudyJobs
from sawtooth.experiment.plan import CellKey, Planned
from sawtooth.experiment.study import Study
from sawtooth.papers.studies import load_study
from sawtooth.run.runner import default_threads, run_each
from sawtooth.run.store import Store

STUDY = "akella2002/appendix"
STRIDE = 7
"""Steps between the instances of neighbouring cells of the sample; prime to their number, so that all take turns."""


def sample(study: Study, passes: int) -> list[Planned]:
    """The runs of the sample: each setting with each environment, `passes` instances each, first seed."""
    return list(_sample(study.seeded(1), passes))


def _sample(study: Study, passes: int) -> Iterator[Planned]:
    turn = 0
    for setting in study.matrix.settings:
        for environment in study.matrix.environments:
            for _ in range(passes):
                algorithm = study.algorithm[turn * STRIDE % len(study.algorithm)]
                key = CellKey(str(setting), algorithm.label, environment, "1")
                yield Planned(key, "1", study.cell(setting, algorithm, environment))
                turn += 1


def warm_up(study: Study) -> None:
    """One short run, before anything is measured: what a program loads and builds once would count for each of the runs of the whole."""
    short = study.shortened()
    with tempfile.TemporaryDirectory() as folder:
        jobs = StudyJobs(short, sample(short, 1)[:1])
        run_each(jobs, Store(folder), jobs.outcome, threads=1)


def measured(study: Study, plan: Sequence[Planned], threads: int) -> dict[str, Any]:
    """Wall time by setting and in all, CPU time of the process, and what the whole study would take."""
    by_setting: dict[str, float] = {}
    cpu_s = time.process_time()
    with tempfile.TemporaryDirectory() as folder:
        store = Store(folder)
        for setting in study.matrix.settings:
            chosen = [p for p in plan if isinstance(p.key, CellKey) and p.key.setting == str(setting)]
            jobs, begun = StudyJobs(study, chosen), time.monotonic()
            run_each(jobs, store, jobs.outcome, threads=threads)
            by_setting[str(setting)] = time.monotonic() - begun
            print(f"{setting}: {len(chosen)} runs, {by_setting[str(setting)]:.1f} s", file=sys.stderr)
    wall_s, cpu_s = sum(by_setting.values()), time.process_time() - cpu_s
    return {
        "machine": provenance(),
        "threads": threads,
        "runs": len(plan),
        "wall_s": wall_s,
        "cpu_s": cpu_s,
        "wall_s_by_setting": by_setting,
        "runs_of_the_study": study.runs,
        "wall_s_of_the_study": wall_s * study.runs / len(plan),
        "cpu_s_of_the_study": cpu_s * study.runs / len(plan),
    }


def main(words: list[str]) -> int:
    """Measure and print."""
    parser = argparse.ArgumentParser(
        prog="python -m bench appendix",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--passes", type=int, default=1, help="instances per setting and environment")
    parser.add_argument("--quick", action="store_true", help="the cells of `reproduce --quick`")
    parser.add_argument("--json", action="store_true", help="one JSON document on standard output")
    given = parser.parse_args(words)
    study = load_study(STUDY)
    if given.quick:
        study = study.shortened()
    warm_up(study)
    found = measured(study, sample(study, given.passes), default_threads())
    if given.json:
        print(json.dumps(found, indent=2))
        return 0
    took = f"{found['wall_s']:.0f} s, {found['cpu_s']:.0f} s of CPU"
    whole = f"{found['wall_s_of_the_study'] / 60:.0f} min, {found['cpu_s_of_the_study'] / 60:.0f} min of CPU"
    print(f"{found['runs']} runs of the appendix on {found['threads']} threads: {took}")
    print(f"all {found['runs_of_the_study']:,} runs, extrapolated from these: {whole}")
    return 0
