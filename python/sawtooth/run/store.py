"""The store: finished runs in files that hold many, each written as a whole and never changed.

    <store>/runs/<day>/<hash>.parquet             a row per run
    <store>/series/<name>/<day>/<hash>.parquet    what runs recorded, behind a column `run_id`

A row's nested columns hold the run: counters (`flows`, `queues`), `metrics`, the scenario as the engine read it, behaviour numbers,
provenance and digest. All of them have the same columns. A series (`sawtooth list series`, and `arrivals`, the totals of short flows) is a
table of its own, so that what is asked about thousands of runs does not read past it.

Runs are written in batches (`Writer`), of a run its series first, so a kill at any moment loses what the last seconds made. Small files are
packed into larger ones as they come (`storage.compaction`). Writers that share a store put each run there once. The id of a run says how
everything in it behaved (see the engine's `identity`), so runs of an engine that behaved otherwise have other ids and never mix in. What
cannot be read, or holds something else, is ignored with a warning and its run is made again.

DuckDB, polars, pandas and Arrow read the files as they are:

    SELECT run_id, metrics['goodput'] AS goodput, flow.controller, flow.goodput_bps
    FROM (SELECT *, unnest(flows) AS flow FROM read_parquet('.sawtooth/runs/*/*.parquet'));
"""

from __future__ import annotations

import contextlib
import json
import os
import re
import threading
import time
import warnings
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Final, TypeVar

import pyarrow as pa

from sawtooth.errors import InputError
from sawtooth.plain import canonical
from sawtooth.plurals import number_of
from sawtooth.run.run import Run, RunSummary, behaviour_of
from sawtooth.run.storage.batch import unreadable
from sawtooth.run.storage.holdings import Holdings, reason
from sawtooth.run.storage.index import Place
from sawtooth.run.storage.local import LocalShelf
from sawtooth.run.storage.packing import RunRows, packed, run_rows_of
from sawtooth.run.storage.rows import alike, of_one_schema, rows_of, run_of, same, series_of, summary_of
from sawtooth.run.storage.shelf import RUNS, SERIES, Shelf, folder_of_day

if TYPE_CHECKING:
    from sawtooth.run.storage.compaction import Collected
    from sawtooth.run.storage.decoded import Rows
    from sawtooth.scenario.resolve import Resolved

DEFAULT_DIRECTORY = ".sawtooth"
DIRECTORY_VARIABLE = "SAWTOOTH_STORE"
RUN_ID: Final = re.compile(r"[0-9a-f]+")
HALF_AN_ADDRESS: Final = re.compile(r"[a-z][a-z0-9+.-]+:/")
"""Such as `s3:/bucket/runs`."""
MARK: Final = "store.json"
Read = TypeVar("Read")
"""What is read of a stored run."""
LAYOUT: Final = 2
"""How files lie: 1, which has no mark, a file per run; 2, batches. What is later is refused."""


class StoreWarning(UserWarning):
    """A file or a run of the store was ignored; the text says which and why."""


class Store:
    """A directory of runs, or an address. Safe for several threads and processes at once; made on the first write."""

    def __init__(self, path: Path | str | None = None) -> None:
        """`path`, or $SAWTOOTH_STORE, or `.sawtooth` in the working directory. An address such as `s3://bucket/runs` or
        `file:///shared/runs` needs fsspec (`sawtooth[cluster]`). InputError for a store of a later version, and for an empty text, which
        is a variable of a script that nobody set."""
        if path == "":
            raise InputError("store", None, path, "a directory, or an address such as s3://bucket/runs")
        self.address = str(path or os.environ.get(DIRECTORY_VARIABLE) or DEFAULT_DIRECTORY)
        self.held = Holdings(shelf_of(self.address))
        self._begun = False
        self._lock = threading.RLock()
        self._bad: set[tuple[str, str]] = set()
        self._warned: set[str] = set()
        self._check_layout()

    def __repr__(self) -> str:
        return f"Store({self.address!r})"

    @property
    def path(self) -> Path:
        """The directory of what belongs to the store besides runs: reports, notes on drawn pages, what was read, and tallies. A store with
        an address has a local one."""
        return self.held.shelf.home

    def exists(self) -> bool:
        """Whether it is a store, be it an empty one. A directory that holds something else is none."""
        try:
            self.held.shelf.read(MARK)
        except (FileNotFoundError, NotADirectoryError):
            return bool(self.ids())
        return True

    def has(self, run_id: str) -> bool:
        """Whether the run is there; one that turned out to be unreadable does not count."""
        return bool(self._places(run_id))

    def get(self, run_id: str, resolved: Resolved | None = None) -> Run | None:
        """The stored run, or None if there is none. A damaged run, or one of another format, gives None and a StoreWarning.

        `resolved` gives the names and the schedule that the caller knows: another study may have stored the same simulation under another
        name.
        """
        return self._found(run_id, lambda place: self._run(place, run_id, resolved))

    def summary(self, run_id: str, resolved: Resolved | None = None) -> RunSummary | None:
        """Like `get`, counters and metrics only, without decoding the rest."""
        return self._found(run_id, lambda place: self._summary(place, run_id, resolved))

    def _found(self, run_id: str, read: Callable[[Place], Read]) -> Read | None:
        """What is read of a run where it stands; None if it stands nowhere, or cannot be read."""
        places = self._places(run_id)
        for place in places:
            with contextlib.suppress(*unreadable()):
                return read(place)
        return self._again(run_id, read) if places else None

    def ids(self, prefix: str = "") -> list[str]:
        """The ids of all stored runs that begin so, ordered. None for anything but hex digits."""
        if prefix and not RUN_ID.fullmatch(prefix):
            return []
        found = self.held.ids(prefix)
        self._warn_of_files()
        return found

    def one(self, prefix: str) -> str:
        """The id of the one stored run that begins so. InputError if there is none or several."""
        found = self.ids(prefix) if prefix else []
        if not found:
            raise InputError("store", self.address, prefix, "the id of a run in this store", self._content())
        if len(found) > 1:
            few = ", ".join(found[:3])
            raise InputError(
                "store", self.address, prefix, f"the id of one run; {len(found)} begin so: {few} …"
            )
        return found[0]

    def iter(self) -> Iterator[Run]:
        """Every readable run that this engine would make in the same way, ordered by id; those of other behaviour numbers are left out."""
        for run_id in self.ids():
            run = self.get(run_id)
            if run is not None and run.behaviour == behaviour_of(run.engine):
                yield run

    def prepare(self) -> None:
        """Makes the directory and checks that it can be written, before hours of work are lost. Raises InputError if it cannot."""
        try:
            self.held.shelf.prepare()
            self._begin()
        except OSError as error:
            raise self.unwritable(error) from error

    def put(self, run: Run) -> None:
        """Stores one finished run. Many are stored faster by a `Writer`. Raises InputError if the store cannot be written."""
        self.put_all([run])

    def put_all(self, runs: Sequence[Run]) -> None:
        """Stores finished runs. One that is there already, and was made alike, stays as it is; else the new one takes its place."""
        try:
            self._begin()
            with self._lock, self.held.shelf.locked():
                if self.held.shelf.exclusive:
                    self.held.look(RUNS)
                new, instead = self._new({run.run_id: run for run in runs})
                if new:
                    self._write(new, instead)
        except OSError as error:
            raise self.unwritable(error) from error

    def compact(self) -> None:
        """Packs small files where there are many. Raises InputError if the store cannot be written."""
        from sawtooth.run.storage.compaction import compact  # few commands pack anything

        try:
            with self._lock:
                compact(self.held)
        except OSError as error:
            raise self.unwritable(error) from error

    def collect(self) -> Collected:
        """Packs everything, and removes what cannot be read, what belongs to no run and what killed processes left."""
        from sawtooth.run.storage.compaction import collect

        try:
            with self._lock:
                found = collect(self.held)
            self._bad.clear()
            return found
        except OSError as error:
            raise self.unwritable(error) from error

    def remove(self, run_ids: Collection[str]) -> set[str]:
        """Removes runs and their series; those that were there. Raises InputError if the store cannot be written.

        Safe beside commands that read and write the store: a run is there or not, and one that is missing is made again.
        """
        chosen = set(run_ids)
        try:
            with self._lock, self.held.shelf.locked():
                removed = self._drop(RUNS, chosen)
                for tree in self.held.series():
                    self._drop(tree, chosen)
                return removed
        except OSError as error:
            raise self.unwritable(error) from error

    def remove_files(self, names: Collection[str]) -> None:
        """Removes whole files of runs, such as those that cannot be read."""
        try:
            with self._lock, self.held.shelf.locked():
                self.held.shelf.replace({}, names)
                self.held.look(RUNS)
        except OSError as error:
            raise self.unwritable(error) from error

    def unwritable(self, error: OSError) -> InputError:
        """What a user is told where the store cannot be written."""
        why = error.strerror or str(error) or "refused"
        what = "an address" if "://" in self.address else "a directory"
        return InputError("store", None, self.address, f"{what} that can be written ({why})")

    @property
    def bad_runs(self) -> set[str]:
        """The runs that somebody asked for and that were found unreadable."""
        return {run_id for run_id, _ in self._bad}

    def _places(self, run_id: str) -> list[Place]:
        """Where the run stands and was not found unreadable."""
        found = self.held.places(RUNS, run_id)
        self._warn_of_files()
        return [place for place in found if (run_id, place.file) not in self._bad]

    def _again(self, run_id: str, read: Callable[[Place], Read]) -> Read | None:
        """The same of a run that could not be read, because its file was packed or removed meanwhile, or because it is damaged. Nobody
        changes anything while it is looked for again."""
        with self.held.shelf.looking():
            for tree in (RUNS, *self.held.series()):
                self.held.look(tree)
            for place in self._places(run_id):
                try:
                    return read(place)
                except unreadable() as error:
                    self._bad.add((run_id, place.file))
                    where = self.held.shelf.where(place.file)
                    text = f"ignored run {run_id} in {where}: {reason(error)}"
                    warnings.warn(text, StoreWarning, stacklevel=4)
        return None

    def _row(self, place: Place) -> tuple[Rows, int]:
        rows, first, _ = self.held.rows(RUNS, place)
        if place.first >= 0 and len(rows) <= first:
            raise ValueError("the row is not there")
        return rows, first

    def _run(self, place: Place, run_id: str, resolved: Resolved | None, whole: bool = True) -> Run:
        meta = None if resolved is None else resolved.meta
        return run_of(*self._row(place), run_id, meta, lambda name: self._series(name, run_id), whole)

    def _summary(self, place: Place, run_id: str, resolved: Resolved | None) -> RunSummary:
        found = None if resolved is None else summary_of(*self._row(place), run_id, resolved)
        return self._run(place, run_id, resolved, whole=False).light() if found is None else found

    def _series(self, name: str, run_id: str) -> pa.Table:
        """A recorded series of a run. Raises what reading files raises."""
        tree = f"{SERIES}/{name}"
        failed: Exception = LookupError(f"its series {name} is not there")
        for place in self.held.places(tree, run_id):
            try:
                rows, first, count = self.held.rows(tree, place)
                return rows.table.slice(first, count).combine_chunks().drop_columns("run_id")
            except unreadable() as error:
                failed = error
        raise failed

    def _warn_of_files(self) -> None:
        """Says once of every file that cannot be read that it is ignored."""
        if self._warned.issuperset(self.held.unreadable):
            return
        for name, why in list(self.held.unreadable.items()):
            if name not in self._warned:
                self._warned.add(name)
                where = self.held.shelf.where(name)
                warnings.warn(f"ignored {where}: {why}", StoreWarning, stacklevel=4)

    def _new(self, runs: Mapping[str, Run]) -> tuple[list[Run], set[str]]:
        """The runs that are to be written, and the ids of those that take the place of another."""
        new: list[Run] = []
        instead: set[str] = set()
        for run_id, run in runs.items():
            if self._places(run_id):
                with warnings.catch_warnings():
                    warnings.simplefilter("ignore", StoreWarning)
                    old = self.get(run_id)
                if old is not None and _equal(old, run):
                    continue
                instead |= set() if old is None else {run_id}
            new.append(run)
        return new, instead

    def _write(self, runs: Sequence[Run], instead: set[str]) -> None:
        """Series, then rows; a run that takes the place of another goes where that goes, in one step."""
        shelf, now_s = self.held.shelf, time.time()
        for name in dict.fromkeys(name for run in runs for name in run.record_columns):
            tree = f"{SERIES}/{name}"
            if instead:
                self._drop(tree, instead)
            tables = [(run.run_id, run.record_columns[name]) for run in runs if name in run.record_columns]
            pieces = [
                RunRows(series_of(group), [(run_id, columns.rows) for run_id, columns in group])
                for group in of_one_schema((entry, entry[1:]) for entry in tables)
            ]
            made = {one.name(folder_of_day(tree, now_s)): one for one in packed(pieces)}
            shelf.replace({file: one.data for file, one in made.items()})
            self.held.forget(made)
            self.held.written({file: one.spans for file, one in made.items()})
            self.held.look(tree)
        groups = alike(runs)
        rows = [RunRows(rows_of(group, now_s), [(run.run_id, 1) for run in group]) for group in groups]
        made = {one.name(folder_of_day(RUNS, now_s)): one for one in packed(rows)}
        dropped, kept = self._without(RUNS, instead)
        shelf.replace({file: one.data for file, one in made.items()} | kept, dropped)
        self.held.forget(made)
        self.held.written({file: one.spans for file, one in made.items()})
        self._bad -= {(run.run_id, name) for run in runs for name in made}
        self.held.look(RUNS)

    def _drop(self, tree: str, run_ids: Collection[str]) -> set[str]:
        """Takes runs out of the files of a tree, in one step; those that were there."""
        self.held.look(tree)
        there = {run_id for run_id in run_ids if self.held.places(tree, run_id, look=False)}
        dropped, kept = self._without(tree, there)
        if dropped:
            self.held.shelf.replace(kept, dropped)
            self.held.look(tree)
        return there

    def _without(self, tree: str, run_ids: Collection[str]) -> tuple[set[str], dict[str, bytes]]:
        """The files in which some runs stand, and what takes their place. A StoreWarning names runs beside them that cannot be read."""
        gone = {place.file for run_id in run_ids for place in self.held.places(tree, run_id, look=False)}
        kept: dict[str, bytes] = {}
        for name in gone:
            pieces = run_rows_of(self.held.shelf, name, lambda run_id: run_id not in run_ids)
            folder = name.rpartition("/")[0]
            try:
                made = list(packed(pieces))
            except FileNotFoundError:
                raise
            except unreadable():
                made = []
            kept |= {one.name(folder): one.data for one in made}
            self._warn_of_lost(tree, name, {*run_ids, *(run_id for one in made for run_id in one.runs)})
        return gone, kept

    def _warn_of_lost(self, tree: str, name: str, accounted: Collection[str]) -> None:
        """Says which runs go with a file because its damage hit them too, and stand nowhere else."""
        lost = [
            run_id
            for run_id in self.held.in_file(tree, name)
            if run_id not in accounted
            and all(place.file == name for place in self.held.places(tree, run_id, look=False))
        ]
        if lost:
            where, count = self.held.shelf.where(name), number_of(len(lost), "run")
            few = ", ".join(lost[:3]) + (" …" if len(lost) > 3 else "")
            text = f"{count} that could not be read went with {where}: {few}"
            warnings.warn(text, StoreWarning, stacklevel=5)

    def _content(self) -> str:
        count = len(self.ids())
        if not count and self.held.unreadable:
            return "no run of the store can be read: `sawtooth store verify`"
        if not count:
            return "the store is empty; `sawtooth run` puts its runs there"
        return f"the store holds {number_of(count, 'run')}: `sawtooth store ls`"

    def _begin(self) -> None:
        """Before the first write of this object: removes what killed writers left, and says how files lie."""
        with self._lock:
            if self._begun:
                return
            self._begun = True
            self.held.shelf.sweep()
            try:
                self.held.shelf.read(MARK)
            except FileNotFoundError:
                self.held.shelf.write(MARK, canonical({"layout": LAYOUT}).encode() + b"\n")

    def _check_layout(self) -> None:
        """InputError for a store that a later version laid out."""
        try:
            text = self.held.shelf.read(MARK)
        except OSError:
            return
        try:
            layout: object = json.loads(text)["layout"]
        except (ValueError, LookupError, TypeError):
            layout = text.decode(errors="replace").strip()
        if type(layout) is not int or not 1 <= layout <= LAYOUT:
            accepted = f"a store of layout 1 or {LAYOUT}, as this version knows"
            raise InputError(self.held.shelf.where(MARK), "layout", layout, accepted)


def shelf_of(address: str) -> Shelf:
    """Where the files of a store lie: in a directory, or behind an address with a scheme."""
    if "://" not in address:
        if HALF_AN_ADDRESS.match(address):
            accepted = "an address with two slashes behind its colon, or ./ before a directory of that name"
            raise InputError("store", None, address, accepted)
        return LocalShelf(Path(address))
    from sawtooth.run.storage.remote import remote_shelf  # fsspec takes long to load

    return remote_shelf(address)


def _equal(old: Run, new: Run) -> bool:
    """Whether storing the new run would change nothing but when it was made."""
    return (
        same(old, new)
        and canonical(old.meta) == canonical(new.meta)
        and dict(old.provenance) == dict(new.provenance)
    )


__all__ = ["Store", "StoreWarning"]
