"""Stores into one: every run once, or nothing at all.

Before anything is written, each source is read whole: its hashes, its format, and of a run that stands in several stores whether it came
out alike. Then files go over as they are where all of their runs are new, and are packed anew where some are there already; of a run its
series go first. A merge that is killed has merged some runs whole; the same command does the rest.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Final

from sawtooth.errors import InputError
from sawtooth.run.run import FORMAT
from sawtooth.run.storage.batch import is_single, unreadable
from sawtooth.run.storage.holdings import Holdings
from sawtooth.run.storage.packing import RunRows, packed, run_rows_of
from sawtooth.run.storage.reader import parquet_file
from sawtooth.run.storage.rows import same
from sawtooth.run.storage.shelf import RUNS, folder_of, folder_of_day
from sawtooth.run.storage.verify import verify
from sawtooth.run.store import Store

WHERE: Final = "sawtooth store merge"


@dataclass(frozen=True)
class Merged:
    """What a merge did: runs that it added, runs that were there already, and those that came out otherwise in two of the stores."""

    added: int
    present: int
    conflicts: tuple[str, ...]


@dataclass(frozen=True)
class _Plan:
    """Which runs come from which source."""

    present: int = 0
    taken: list[set[str]] = field(default_factory=list)
    conflicts: list[str] = field(default_factory=list)


def merge(out: Store, sources: Sequence[Store]) -> Merged:
    """Adds to `out` the runs of `sources`; nothing if there are conflicts. InputError, before anything is written, for what is no store,
    for another format and for damaged files."""
    for source in sources:
        _check(source)
    _check_format(out)
    plan = _planned(out, sources)
    if plan.conflicts:
        return Merged(0, plan.present, tuple(plan.conflicts))
    try:
        out.prepare()
        for source, taken in zip(sources, plan.taken, strict=True):
            for tree in (*source.held.series(), RUNS):
                _copy(source.held, out.held, tree, taken)
        out.compact()
    except OSError as error:
        raise out.unwritable(error) from error
    return Merged(sum(map(len, plan.taken)), plan.present, ())


def _check(source: Store) -> None:
    """InputError unless everything in a source can be read."""
    if not source.exists():
        raise InputError(WHERE, None, source.address, "a store that exists")
    _check_format(source)
    bad = verify(source.held).bad
    if bad:
        hint = f"`sawtooth store verify {source.address}` names all of them; `store gc` removes them"
        accepted = f"a store without damaged runs ({len(bad)} in this one)"
        raise InputError(WHERE, None, bad[0].file, accepted, hint)


def _check_format(store: Store) -> None:
    """InputError for runs that another version wrote in another form."""
    store.held.look(RUNS)
    for name in store.held.files(RUNS):
        try:
            formats = set(parquet_file(store.held.shelf, name).read(["format"]).column("format").to_pylist())
        except unreadable():
            continue  # damaged: `verify` says so
        for other in formats - {FORMAT}:
            where = store.held.shelf.where(name)
            accepted = (
                f"runs of format {FORMAT}: this file has format {other}, of another version of Sawtooth"
            )
            raise InputError(WHERE, None, where, accepted)


def _planned(out: Store, sources: Sequence[Store]) -> _Plan:
    """Every run from the first source that has it, unless `out` has."""
    owner: dict[str, Store] = dict.fromkeys(out.ids(), out)
    present, taken, conflicts = 0, [], []
    for source in sources:
        mine: set[str] = set()
        for run_id in source.ids():
            other = owner.get(run_id)
            if other is None or not _is_kept(other, source, run_id):
                owner[run_id] = source
                mine.add(run_id)
                continue
            present += 1
            if not _alike(other, source, run_id):
                conflicts.append(run_id)
        taken.append(mine)
    return _Plan(present, taken, sorted(set(conflicts)))


def _is_kept(other: Store, source: Store, run_id: str) -> bool:
    """Whether a store can read a run that it has."""
    return _same_file(other, source, run_id) or other.get(run_id) is not None


def _alike(one: Store, other: Store, run_id: str) -> bool:
    if _same_file(one, other, run_id):
        return True
    first, second = one.get(run_id), other.get(run_id)
    return first is not None and second is not None and same(first, second)


def _same_file(one: Store, other: Store, run_id: str) -> bool:
    """Whether both have the run in a file of the same bytes, as a merge leaves it."""
    places = [{place.file for place in store.held.places(RUNS, run_id)} for store in (one, other)]
    return any(
        not is_single(name.rpartition("/")[2].removesuffix(".parquet")) for name in places[0] & places[1]
    )


def _copy(source: Holdings, out: Holdings, tree: str, taken: set[str]) -> None:
    """The rows of the runs that are taken, of one tree."""
    source.look(tree)
    partly: dict[str, list[str]] = defaultdict(list)
    for name in source.files(tree):
        listed = source.listed(name, tree)
        if listed is None:
            continue
        ids = source.in_file(tree, name)
        if is_single(listed.stem):
            partly[folder_of_day(tree, listed.modified_s)].append(name)
        elif all(run_id in taken and _stands_once(source, tree, run_id) for run_id in ids):
            _add(out, {name: source.shelf.read(name)})
        elif not taken.isdisjoint(ids):
            partly[folder_of(name)].append(name)
    seen: set[str] = set()
    for folder, names in partly.items():
        for one in packed(_taken_rows(source, names, taken, seen)):
            _add(out, {one.name(folder): one.data})


def _stands_once(source: Holdings, tree: str, run_id: str) -> bool:
    return len(source.places(tree, run_id, look=False)) == 1


def _taken_rows(source: Holdings, names: Iterable[str], taken: set[str], seen: set[str]) -> Iterator[RunRows]:
    """The rows of the runs that are taken, each run once."""

    def wanted(run_id: str) -> bool:
        if run_id not in taken or run_id in seen:
            return False
        seen.add(run_id)
        return True

    for name in names:
        yield from run_rows_of(source.shelf, name, wanted)


def _add(out: Holdings, files: dict[str, bytes]) -> None:
    with out.shelf.locked():
        out.shelf.replace(files)


__all__ = ["Merged", "merge"]
