"""Outcomes that were read before are those of the runs; they are taken only while nothing has changed that they rest on."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pyarrow.parquet as pq
import pytest
from tests.test_reproduce import small

from sawtooth.experiment import recalled
from sawtooth.experiment.comparison import Comparison
from sawtooth.experiment.perform import perform
from sawtooth.run.store import Store
from sawtooth.run.used import watching

RUNS = 16


@pytest.fixture(autouse=True)
def kept_from_the_first_run(monkeypatch: pytest.MonkeyPatch) -> None:
    """As if these few runs were many."""
    monkeypatch.setattr(recalled, "FEWEST", 1)


@pytest.fixture
def store(tmp_path: Path) -> Store:
    """A store with the runs of the study, and what was read of them."""
    found = Store(tmp_path / "store")
    assert perform(small("reddy2012", True), found).executed == RUNS
    return Store(found.path)


class Reads:
    """Counts the runs that are read, and performs the study."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.count = 0
        summary = Store.summary

        def counted(store: Store, *given: Any) -> Any:
            self.count += 1
            return summary(store, *given)

        monkeypatch.setattr(Store, "summary", counted)

    def of(self, store: Store) -> tuple[Comparison, int]:
        """The study performed again from the store, and how many runs were read for it."""
        self.count = 0
        return perform(small("reddy2012", True), store), self.count


@pytest.fixture
def reads(monkeypatch: pytest.MonkeyPatch) -> Reads:
    return Reads(monkeypatch)


def same(one: Comparison, other: Comparison) -> bool:
    """Whether two comparisons have the same runs and values."""
    if one.results.run_ids() != other.results.run_ids():
        return False
    pairs = [(block, other.results.blocks[name]) for name, block in one.results.blocks.items()]
    return all(
        np.array_equal(values, again.values[metric], equal_nan=True)
        for block, again in pairs
        for metric, values in block.values.items()
    )


def kept_file(store: Store) -> Path:
    """The one file of what was read."""
    (path,) = (store.path / "read").iterdir()
    return path


def test_outcomes_are_those_of_the_runs_and_no_run_is_read(store: Store, reads: Reads) -> None:
    with watching() as used:
        again, count = reads.of(store)
    assert (again.executed, count) == (0, 0)
    kept_file(store).unlink()
    with watching() as used_by_runs:
        read, count = reads.of(store)
    assert (read.executed, count) == (0, RUNS)
    assert same(again, read)
    assert used == used_by_runs
    assert "core" in used


def test_progress_hears_of_every_run(store: Store) -> None:
    steps: list[tuple[int, int, int]] = []
    perform(small("reddy2012", True), store, progress=lambda *step: steps.append(step))
    assert steps[-1] == (RUNS, RUNS, RUNS)


def test_a_run_that_was_removed_is_made_again(store: Store, reads: Reads) -> None:
    gone = perform(small("reddy2012", True), store).results.run_ids()[3]
    assert store.remove([gone]) == {gone}
    again, count = reads.of(Store(store.path))
    assert (again.executed, count) == (1, RUNS)
    assert reads.of(Store(store.path))[1] == 0


def test_fresh_reads_nothing_and_keeps_what_it_makes(store: Store, reads: Reads) -> None:
    kept_file(store).unlink()
    assert perform(small("reddy2012", True), store, fresh=True).executed == RUNS
    assert reads.of(store)[1] == 0


@pytest.mark.parametrize("what", ["program", "ids", "length", "bytes", "footer", "empty"])
def test_runs_are_read_where_anything_has_changed(
    what: str, store: Store, reads: Reads, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = kept_file(store)
    table = pq.read_table(path)
    if what == "program":
        monkeypatch.setattr(recalled, "program", lambda: "another version")
    elif what == "ids":  # as after a change of a file that the scenarios name: other runs have the same place
        names = table.column("run_id").to_pylist()
        other = table.set_column(0, "run_id", [[*names[2:], *names[:2]]])
        pq.write_table(other, path)
    elif what == "length":
        pq.write_table(table.slice(0, RUNS - 1), path)
    elif what == "footer":
        pq.write_table(table.replace_schema_metadata(None), path)
    else:
        path.write_bytes(path.read_bytes()[:-40] if what == "bytes" else b"")
    again, count = reads.of(store)
    assert (again.executed, count) == (0, RUNS)
    assert reads.of(store)[1] == 0, "they are kept anew"


def test_outcomes_of_more_than_metrics_are_not_kept(store: Store) -> None:
    from sawtooth.experiment.perform import StudyJobs
    from sawtooth.papers.studies import load_study

    flows = [study for study in map(load_study, ("floyd2000/shares", "akella2002/tracking")) if study.probe]
    assert flows
    for study in flows:
        probes = [planned for planned in study.plan() if hasattr(planned.key, "probe")]
        assert not StudyJobs(study, probes).metrics_alone
    assert not StudyJobs(small("own", True, paper="")).metrics_alone


def test_a_store_that_cannot_be_written_keeps_nothing(store: Store, reads: Reads) -> None:
    path = kept_file(store)
    path.unlink()
    path.parent.rmdir()
    path.parent.write_text("in the way")
    assert reads.of(store)[1] == RUNS
    assert reads.of(store)[1] == RUNS
