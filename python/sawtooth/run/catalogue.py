"""What a store holds: an entry per stored run, which of them a filter means, and the same as rows.

An entry is read from the few columns that say what was run, without the results. Its `state` says what the run is good for: `current` (this
engine would make it alike), `stale` (it behaves otherwise now, so nothing reads the run any more) or `unreadable` (damaged or foreign).

| parameter | unit      | default | why                                                                                              |
|-----------|-----------|---------|--------------------------------------------------------------------------------------------------|
| ALIKE     | scenarios | 64      | remembered, for runs that differ in their seed alone stand near each other; some kilobytes each  |
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from itertools import chain
from sys import intern
from typing import Any, Final, Literal

import orjson

from sawtooth.errors import InputError
from sawtooth.run.derived import controller_names
from sawtooth.run.run import FORMAT, current_id, recorded
from sawtooth.run.storage.batch import ids_in_bytes, unreadable
from sawtooth.run.storage.holdings import Holdings
from sawtooth.run.storage.reader import parquet_file
from sawtooth.run.storage.rows import stored_at
from sawtooth.run.storage.shelf import RUNS
from sawtooth.run.store import Store

State = Literal["current", "stale", "unreadable"]
SAYING: Final = ["format", "run_id", "seed", "scenario", "meta", "provenance"]
"""The columns of a row that say what was run."""
ALIKE: Final = 64


@dataclass(frozen=True, slots=True)
class Entry:
    """A stored run as the catalogue has it. What an unreadable file does not say is None or empty."""

    run_id: str
    """Empty where a damaged file does not even say that."""
    path: str
    """The file that holds it, maybe among others."""
    state: State
    size_bytes: int
    """Its share of that file and of those of its series."""
    stored_s: float
    """When it was stored, in seconds since 1970."""
    scenario: str | None = None
    """The name of the scenario: its file."""
    seed: str | None = None
    duration_ns: int | None = None
    controllers: tuple[str, ...] = ()
    """Each once, in the order of the flows."""
    series: tuple[str, ...] = ()
    version: str | None = None
    engine: str | None = None
    file: str | None = None
    """The file as the store calls it, if nothing in it can be read."""

    @property
    def stored(self) -> str:
        """When it was stored, in UTC, as ISO 8601 has it."""
        return datetime.fromtimestamp(self.stored_s, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")

    @property
    def duration_s(self) -> float | None:
        """Simulated time."""
        return None if self.duration_ns is None else self.duration_ns / 1e9

    def to_json(self) -> dict[str, Any]:
        """Plain data."""
        return {
            "run_id": self.run_id,
            "scenario": self.scenario,
            "seed": self.seed,
            "duration_s": self.duration_s,
            "controllers": list(self.controllers),
            "series": list(self.series),
            "version": self.version,
            "engine": self.engine,
            "state": self.state,
            "stored": self.stored,
            "size_bytes": self.size_bytes,
            "path": self.path,
        }


@dataclass(frozen=True)
class Filter:
    """Which entries are meant: those for which everything holds that is given."""

    state: State | None = None
    scenario: str | None = None
    """Part of the scenario's name."""
    controller: str | None = None
    """Part of a controller as it was written."""
    seed: str | None = None
    series: str | None = None
    """A recorded series."""
    older_than_s: float | None = None

    def means(self, entry: Entry, now_s: float) -> bool:
        """Whether the entry is one of those."""
        written = entry.controllers
        return (
            (self.state is None or entry.state == self.state)
            and (self.scenario is None or self.scenario in (entry.scenario or ""))
            and (self.controller is None or any(self.controller in name for name in written))
            and (self.seed is None or self.seed == entry.seed)
            and (self.series is None or self.series in entry.series)
            and (self.older_than_s is None or now_s - entry.stored_s > self.older_than_s)
        )


def entries(store: Store, only: Filter | None = None) -> list[Entry]:
    """The runs of a store that `only` means, all without it; ordered by id. A run that goes meanwhile is passed over."""
    return sorted(walk(store, only), key=lambda entry: (entry.run_id, entry.path))


def walk(store: Store, only: Filter | None = None) -> Iterator[Entry]:
    """The same one after the other, as they lie in the files."""
    now_s = time.time()
    held = store.held
    held.look(RUNS)
    for name in sorted(held.files(RUNS)):
        yield from (entry for entry in _of_file(store, name) if only is None or only.means(entry, now_s))
    for name in list(held.unreadable):
        if name.startswith(f"{RUNS}/"):
            found = _of_unreadable(store, name)
            yield from (entry for entry in found if only is None or only.means(entry, now_s))


def named(store: Store, prefixes: Iterable[str]) -> list[Entry]:
    """The entries that ids or beginnings of ids name, each of one run. InputError otherwise."""
    found: dict[str, Entry] = {}
    for prefix in prefixes:
        run_id = store.one(prefix)
        places = store.held.places(RUNS, run_id)
        of_file = _of_file(store, places[0].file) if places else []
        chosen = [entry for entry in of_file if entry.run_id == run_id]
        if not chosen:
            raise InputError("store", store.address, prefix, "a run that is still there")
        found[run_id] = chosen[0]
    return list(found.values())


def _of_file(store: Store, name: str) -> Iterator[Entry]:
    """The entries of the runs in a file, but for those that stand in a later one too."""
    held = store.held
    listed = held.listed(name, RUNS)
    ids = set(held.in_file(RUNS, name))
    if listed is None:
        return
    where, share, series = held.shelf.where(name), _share(held, RUNS, name), held.series()
    alike: _Alike = {}
    for run_id, row in chain(_said(store, name, ids), _unsaid(ids)):
        places = held.places(RUNS, run_id, look=False)
        if not places or places[0].file != name:
            continue
        size = share + sum(
            _share(held, tree, place.file)
            for tree in series
            for place in held.places(tree, run_id, look=False)[:1]
        )
        kept = (run_id, where)
        try:
            if row is None:
                raise ValueError("no such row")
            yield _entry(kept, size, listed.modified_s, row, alike)
        except unreadable():
            yield Entry(*kept, "unreadable", size, listed.modified_s)


def _of_unreadable(store: Store, name: str) -> Iterator[Entry]:
    """Entries for a file that cannot be read: one for each run whose id stands in its bytes."""
    listed = store.held.listed(name, RUNS)
    try:
        data = store.held.shelf.read(name)
    except FileNotFoundError:
        return
    if listed is None:
        return
    ids = ids_in_bytes(data) or [""]
    for run_id in ids:
        size = listed.size_bytes // len(ids)
        yield Entry(run_id, store.held.shelf.where(name), "unreadable", size, listed.modified_s, file=name)


def _share(held: Holdings, tree: str, name: str) -> int:
    """The part of a file that is one run's."""
    listed = held.listed(name, tree)
    return 0 if listed is None else listed.size_bytes // max(1, held.runs_in(tree, name))


def _said(store: Store, name: str, ids: set[str]) -> Iterator[tuple[str, dict[str, Any]]]:
    """The columns that say what was run, run by run, as far as they can be read; takes these runs out of `ids`."""
    try:
        parquet = parquet_file(store.held.shelf, name)
    except unreadable():
        return
    for group in range(parquet.num_row_groups):
        try:
            found = parquet.read_row_group(group, SAYING).to_pylist()
        except unreadable():
            continue
        for row in found:
            if row["run_id"] in ids:
                ids.remove(row["run_id"])
                yield row["run_id"], row


def _unsaid(ids: set[str]) -> Iterator[tuple[str, None]]:
    """The runs that are left when `_said` has come to its end."""
    yield from ((run_id, None) for run_id in sorted(ids))


_Alike = dict[tuple[str, str], tuple[str, int, tuple[str, ...], tuple[str, ...]]]
"""What scenarios say, by their texts without the seed: name, length in ns, controllers, series."""


def _alike(row: dict[str, Any], known: _Alike) -> tuple[str, int, tuple[str, ...], tuple[str, ...]]:
    """What the scenario of a row says that a seed does not change."""
    seed = f'"seed":"{row["seed"]}"'
    key = row["scenario"].replace(seed, ""), row["meta"].replace(seed, "")
    found = known.get(key)
    if found is None:
        engine, meta = orjson.loads(row["scenario"]), orjson.loads(row["meta"])
        names = zip(controller_names(engine, meta), engine["flows"], strict=True)
        found = (
            intern(str(meta["name"])),  # one text for all runs that say the same
            engine["duration_ns"],
            tuple(dict.fromkeys(intern(name) for name, flow in names if flow["test"])),
            tuple(intern(name) for name in recorded(engine)),
        )
        if len(known) == ALIKE:
            known.clear()
        known[key] = found
    return found


def _entry(kept: tuple[str, str], size: int, modified_s: float, row: dict[str, Any], known: _Alike) -> Entry:
    """The entry of a row. Raises what such columns raise if they are not those of a run."""
    if row["format"] != FORMAT:
        raise ValueError("another format")
    name, duration_ns, controllers, series = _alike(row, known)
    provenance = dict(row["provenance"])
    return Entry(
        *kept,
        "current" if current_id(row["scenario"]) == kept[0] else "stale",
        size,
        min(modified_s, stored_at(provenance) or modified_s),
        scenario=name,
        seed=intern(row["seed"]),
        duration_ns=duration_ns,
        controllers=controllers,
        series=series,
        version=intern(provenance["version"]),
        engine=intern(provenance["engine"]),
    )


def listing(store: Store, listed: Sequence[Entry]) -> dict[str, Any]:
    """Some entries of a store as plain data."""
    return {
        "store": store.address,
        "runs": [entry.to_json() for entry in listed],
        "size_bytes": sum(entry.size_bytes for entry in listed),
    }


def remove(store: Store, chosen: Sequence[Entry]) -> list[Entry]:
    """Removes runs, and files that cannot be read; the entries that were still there."""
    broken = {entry.file for entry in chosen if entry.file is not None}
    removed = store.remove({entry.run_id for entry in chosen if entry.file is None})
    if broken:
        store.remove_files(broken)
    return [entry for entry in chosen if entry.file is not None or entry.run_id in removed]
