"""Sweeps: order, resume, interruption, failure, memory."""

from __future__ import annotations

import signal
import subprocess
import sys
import textwrap
import threading
import time
import warnings
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, ClassVar

import pytest
from tests.conftest import file_of

from sawtooth.errors import InputError, RunError
from sawtooth.run import runner, threads
from sawtooth.run.run import Answer, Run, RunSummary, ask_engine, run_id_of
from sawtooth.run.runner import default_threads, run_each, run_many
from sawtooth.run.store import Store
from sawtooth.scenario.resolve import Resolved, resolve
from sawtooth.scenario.scenario import parse_scenario

SWEEP = """
import sys
from pathlib import Path
from sawtooth.scenario.resolve import resolve
from sawtooth.run import writer
from sawtooth.run.runner import run_many
from sawtooth.scenario.scenario import parse_scenario
from sawtooth.run.store import Store

writer.FLUSH_S = 0.02
scenario = parse_scenario(Path(sys.argv[1]).read_text())
jobs = [resolve(scenario, seed) for seed in range(int(sys.argv[3]))]
print("begin", flush=True)
run_many(jobs, Store(sys.argv[2]), threads=2)
"""


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return Store(tmp_path / "store")


def jobs_of(text: str, count: int) -> list[Resolved]:
    scenario = parse_scenario(text)
    return [resolve(scenario, seed) for seed in range(count)]


def digests(results: list[RunSummary]) -> list[str]:
    return [result.digest for result in results]


def test_results_come_in_the_order_of_the_jobs_whatever_the_threads(scenario_text: str) -> None:
    jobs = jobs_of(scenario_text, 12)
    one, two, five = (run_many(jobs, None, threads=count) for count in (1, 2, 5))
    assert [result.seed for result in one] == [str(seed) for seed in range(12)]
    assert digests(one) == digests(two) == digests(five)
    assert len(set(digests(one))) == 12


def test_what_is_stored_is_not_repeated(
    scenario_text: str, store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    simulated: list[str] = []

    def noting(engine: Mapping[str, Any], *others: Any) -> Answer:
        simulated.append(engine["seed"])
        return ask_engine(engine, *others)

    monkeypatch.setattr(runner, "ask_engine", noting)
    jobs = jobs_of(scenario_text, 6)
    first = run_many(jobs[:4], store)
    steps: list[tuple[int, int, int]] = []
    second = run_many(jobs, store, progress=lambda *step: steps.append(step))
    assert sorted(simulated) == ["0", "1", "2", "3", "4", "5"]
    assert steps == [(4, 6, 4), (5, 6, 4), (6, 6, 4)]
    assert digests(second)[:4] == digests(first)
    run_many(jobs[:2], store, fresh=True)
    assert sorted(simulated[6:]) == ["0", "1"]


def test_a_damaged_file_is_made_again(scenario_text: str, store: Store) -> None:
    jobs = jobs_of(scenario_text, 2)
    before = run_many(jobs, store)
    path = file_of(store, before[1].run_id)
    path.write_bytes(path.read_bytes()[:100])
    with pytest.warns(UserWarning, match="ignored"):
        again = run_many(jobs, Store(store.path))
    assert digests(again) == digests(before)
    with warnings.catch_warnings():
        warnings.simplefilter(
            "ignore"
        )  # the damaged file stays until `store gc`, unless the new one has its name
        assert Store(store.path).get(before[1].run_id) is not None


def test_equal_jobs_are_simulated_once(scenario_text: str, monkeypatch: pytest.MonkeyPatch) -> None:
    simulated: list[str] = []

    def noting(engine: Mapping[str, Any], *others: Any) -> Answer:
        simulated.append(engine["seed"])
        return ask_engine(engine, *others)

    monkeypatch.setattr(runner, "ask_engine", noting)
    job, other = jobs_of(scenario_text, 2)
    results = run_many([job, other, job], None)
    assert sorted(simulated) == ["0", "1"]
    assert results[0] is results[2]


@pytest.mark.parametrize("fresh", [False, True])
def test_a_run_under_two_names_is_simulated_once_and_has_both(
    scenario_text: str, store: Store, fresh: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    job = jobs_of(scenario_text, 1)[0]
    other = replace(job, meta=job.meta | {"name": "another"})
    simulated: list[str] = []

    def noting(engine: Mapping[str, Any], *others: Any) -> Answer:
        simulated.append(engine["seed"])
        return ask_engine(engine, *others)

    monkeypatch.setattr(runner, "ask_engine", noting)
    told: list[bool] = []
    first, second = run_each(
        [job, other], store, lambda run: run, fresh=fresh, noted=lambda _, stored: told.append(stored)
    )
    assert len(simulated) == 1
    assert told == [False, True]
    assert first.run_id == second.run_id
    assert (first.meta["name"], second.meta["name"]) == (job.meta["name"], "another")
    assert first.digest == second.digest


def test_light_results_carry_no_series(scenario_text: str) -> None:
    jobs = jobs_of(scenario_text, 1)
    (light,), (whole,) = run_many(jobs, None), run_many(jobs, None, light=False)
    assert not isinstance(light, Run)
    assert isinstance(whole, Run)
    assert light.values == pytest.approx(whole.values, nan_ok=True)
    assert light.flows.equals(whole.flows)


@pytest.mark.parametrize(("waiting", "burst"), [(10**9, 3), (0, 0)])
def test_few_runs_are_under_way_at_a_time(
    waiting: int, burst: int, scenario_text: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The pool is never handed the whole sweep: what runs, what waits and what is not yet taken in are bounded together, and more so where
    scenarios are long."""
    lock = threading.Lock()
    begun: list[str] = []
    done: list[str] = []
    ahead: list[int] = []

    def watched(engine: Mapping[str, Any], *others: Any) -> Answer:
        with lock:
            begun.append(engine["seed"])
            ahead.append(max(int(seed) for seed in begun) - len(done))
        return ask_engine(engine, *others)

    def kept(run: Run) -> None:
        done.append(run.seed)

    monkeypatch.setattr(runner, "ask_engine", watched)
    monkeypatch.setattr(threads, "BURST_RUNS", 3)
    monkeypatch.setattr(threads, "WAITING", waiting)
    run_each(jobs_of(scenario_text, 40), None, kept, threads=2)
    assert 2 <= max(ahead) <= 2 * threads.PER_THREAD + burst


def test_a_failing_run_is_named_after_the_others_were_kept(
    scenario_text: str, store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    second_begun = threading.Event()

    def failing(engine: Mapping[str, Any], *others: Any) -> Answer:
        if engine["seed"] == "0":
            assert second_begun.wait(10.0)
            raise RuntimeError("the queue should not be negative, at 1.5 s")
        second_begun.set()
        time.sleep(0.2)  # still under way when the other fails
        return ask_engine(engine, *others)

    monkeypatch.setattr(runner, "ask_engine", failing)
    jobs = jobs_of(scenario_text, 40)
    with pytest.raises(
        RunError, match=r"run [0-9a-f]{24} \(seed 0\) failed: the queue should not be negative"
    ) as caught:
        run_many(jobs, store, threads=2)
    assert caught.value.seed == "0"
    assert caught.value.run_id == run_id_of(jobs[0])
    kept = [run.seed for run in store.iter()]
    assert "1" in kept, "what was under way is finished and stored"
    assert len(kept) < 10, "and nothing new begins"


def test_a_fault_of_what_measures_names_the_run(scenario_text: str, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: object) -> Run:
        raise RuntimeError("a metric cannot be formed")

    monkeypatch.setattr(runner, "run_of_counted", broken)
    with pytest.raises(RunError, match=r"\(seed 0\) failed: a metric cannot be formed"):
        run_many(jobs_of(scenario_text, 1), None)


def test_a_store_that_cannot_be_written_is_refused_before_anything_runs(
    scenario_text: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "file").write_text("")
    monkeypatch.setattr(runner, "ask_engine", lambda *given: pytest.fail("simulated in vain"))
    with pytest.raises(InputError, match="a directory that can be written"):
        run_many(jobs_of(scenario_text, 1), Store(tmp_path / "file"))


def test_threads_come_from_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SAWTOOTH_THREADS", "3")
    assert default_threads() == 3
    monkeypatch.setenv("SAWTOOTH_THREADS", "none")
    with pytest.raises(InputError, match="SAWTOOTH_THREADS"):
        default_threads()
    monkeypatch.delenv("SAWTOOTH_THREADS")
    assert default_threads() >= 1


@pytest.mark.parametrize("sign", [signal.SIGKILL, signal.SIGINT])
def test_a_sweep_killed_in_the_middle_resumes_to_the_same_result(
    sign: signal.Signals, scenario_text: str, scenario_file: Path, store: Store
) -> None:
    count = 300
    sweep = subprocess.Popen(
        [sys.executable, "-c", textwrap.dedent(SWEEP), str(scenario_file), str(store.path), str(count)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    deadline = time.monotonic() + 30.0
    while len(store.ids()) < 5:
        assert time.monotonic() < deadline
        time.sleep(0.005)
    sweep.send_signal(sign)
    sweep.communicate(timeout=30.0)
    assert sweep.returncode != 0
    kept = len(list(store.iter()))
    assert 5 <= kept < count, "killed in the middle, every file readable"
    jobs = jobs_of(scenario_text, kept + 10)
    steps: list[tuple[int, int, int]] = []
    resumed = run_many(jobs, store, progress=lambda *step: steps.append(step))
    assert steps[0][2] == kept, "what was stored is taken from there"
    assert digests(resumed) == digests(run_many(jobs, None))
    assert not list(store.path.rglob(".partial-*"))


def test_jobs_may_be_made_anew_each_time_and_only_what_is_kept_stays(
    scenario_text: str, store: Store
) -> None:
    class Lazy(Sequence[Resolved]):
        """Ten jobs, none of which is held."""

        scenario = parse_scenario(scenario_text)
        asked: ClassVar[list[int]] = []

        def __len__(self) -> int:
            return 10

        def __getitem__(self, index: Any) -> Any:
            if index >= 10:
                raise IndexError(index)
            self.asked.append(index)
            return resolve(self.scenario, index)

    kept = run_each(Lazy(), store, lambda run: (run.seed, run.digest), threads=2)
    whole = run_many(jobs_of(scenario_text, 10), None)
    assert kept == [(run.seed, run.digest) for run in whole]
    assert Lazy.asked == list(range(10)), "each is made once, when its turn comes"


def test_the_total_is_known_from_the_start(scenario_text: str) -> None:
    first, *others = jobs_of(scenario_text, 12)
    steps: list[tuple[int, int, int]] = []
    noted: list[str] = []
    jobs = [first, first, *others, first]
    run_each(
        jobs, None, Run.light, threads=1, progress=lambda *step: steps.append(step),
        noted=lambda run_id, stored: noted.append(run_id),
    )  # fmt: skip
    done = [step[0] for step in steps]
    assert done == sorted(done)
    assert {total for _, total, _ in steps} == {14}
    assert steps[-1] == (14, 14, 0)
    assert len(noted) == len(set(noted)) == 12, "equal jobs run once"


def test_simulation_begins_before_every_job_is_named(
    scenario_text: str, store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    begun = threading.Event()

    def watched(*given: Any) -> Answer:
        begun.set()
        return ask_engine(*given)

    class Patient(Sequence[Resolved]):
        """Jobs of which the last is not named until one runs."""

        scenario = parse_scenario(scenario_text)

        def __len__(self) -> int:
            return 6

        def __getitem__(self, index: Any) -> Any:
            if index >= 6:
                raise IndexError(index)
            assert index < 5 or begun.wait(10.0)
            return resolve(self.scenario, index)

    monkeypatch.setattr(runner, "ask_engine", watched)
    assert len(run_each(Patient(), store, lambda run: run.seed, threads=1)) == 6


def test_what_has_run_is_taken_in_while_stored_runs_are_read(
    scenario_text: str, store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Else a kill while thousands of stored runs are read would lose what ran meanwhile."""
    new, *stored = jobs_of(scenario_text, 40)
    run_many(stored, store)
    kept: list[str] = []

    class Slow(Sequence[Resolved]):
        """The new job, then stored ones, of which each takes its time to be named."""

        def __len__(self) -> int:
            return 40

        def __getitem__(self, index: Any) -> Any:
            if index >= 40:
                raise IndexError(index)
            if index == 39:
                assert new.seed in kept
            if index:
                time.sleep(0.03)
            return stored[index - 1] if index else new

    monkeypatch.setattr(threads, "BURST_S", 0.0)
    run_each(Slow(), store, lambda run: kept.append(run.seed), threads=1)
    assert len(kept) == 40


def test_a_job_that_is_refused_late_loses_nothing_that_ran(scenario_text: str, store: Store) -> None:
    class Refused(Sequence[Resolved]):
        """The last job is no scenario."""

        scenario = parse_scenario(scenario_text)

        def __len__(self) -> int:
            return 3

        def __getitem__(self, index: Any) -> Any:
            if index == 2:
                raise InputError("a study", "bottleneck.rate", 0, "a rate")
            return resolve(self.scenario, index)

    with pytest.raises(InputError, match="a study"):
        run_each(Refused(), store, lambda run: run.seed, threads=1)
    assert sorted(run.seed for run in store.iter()) == ["0", "1"]


def test_fresh_sweeps_that_share_runs_make_each_once(
    scenario_text: str, store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    jobs = jobs_of(scenario_text, 3)
    run_many(jobs, store)
    simulated: list[str] = []

    def noting(engine: Mapping[str, Any], *others: Any) -> Answer:
        simulated.append(engine["seed"])
        return ask_engine(engine, *others)

    monkeypatch.setattr(runner, "ask_engine", noting)
    spared: set[str] = set()
    for chosen in (jobs[:2], jobs[1:]):
        run_each(chosen, store, lambda run: run.digest, fresh=True, spared=spared)
    assert sorted(simulated) == ["0", "1", "2"]
    assert spared == {run_id_of(job) for job in jobs}
