"""Many small files into few large ones: while runs are made as little as is needed, on demand (`sawtooth store gc`) everything.

Files are in classes by the number of their runs: up to 15, to 255, to 4,095 [Oneil96]. Sixteen of one class in one folder become one of the
next, so a run is written at most four times however many there are, and a folder has at most 45 small files. A file that is half full, by
its runs or by its size in memory, is left alone: sixteen smaller ones always become fewer. What is being packed was read beforehand without
a lock: only the exchange is made under it, and not at all if another process packed or removed one of the files meanwhile.
"""

from __future__ import annotations

import time
from collections import defaultdict
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Final

from sawtooth.atomic import ABANDONED_AFTER_S
from sawtooth.run.run import FORMAT
from sawtooth.run.storage.batch import ids_in_bytes, is_single, unreadable
from sawtooth.run.storage.holdings import Holdings
from sawtooth.run.storage.packing import FULL_BYTES, FULL_RUNS, Packed, RunRows, Wanted, packed, run_rows_of
from sawtooth.run.storage.reader import parquet_file
from sawtooth.run.storage.shelf import RUNS, Listed, folder_of, folder_of_day

CLASSES: Final = (16, 256, 4096)
"""Runs from which a file is of the next class; one of the last is left alone."""
TOGETHER: Final = 16
"""Files of a class that become one."""


def compact(held: Holdings) -> None:
    """Packs files where there are many small ones. Raises OSError."""
    for tree in (RUNS, *held.series()):
        for names in _crowds(held, tree):
            _pack(held, tree, names, folder_of(names[0]), _anything)


def _anything(run_id: str) -> bool:
    return True


def _crowds(held: Holdings, tree: str) -> Iterator[list[str]]:
    """Files of one class and folder where they are many; those of the earlier layout are left alone."""
    classes: dict[tuple[str, int], list[str]] = defaultdict(list)
    for name, runs in held.files(tree).items():
        listed = held.listed(name, tree)
        if listed is None or is_single(listed.stem):
            continue
        level = sum(runs >= least for least in CLASSES)
        if level < len(CLASSES):
            classes[folder_of(name), level].append(name)
    for names in classes.values():
        if len(names) >= TOGETHER:
            chosen = [name for name in names if _has_room(held, name) and not _is_other(held, tree, name)]
            if len(chosen) >= TOGETHER:
                yield chosen


def _has_room(held: Holdings, name: str) -> bool:
    return held.decoded_bytes(name) < FULL_BYTES // 2


def _is_other(held: Holdings, tree: str, name: str) -> bool:
    """Whether a file of runs was written by a version with another format: it is not ours to change."""
    if tree != RUNS:
        return False
    try:
        found = parquet_file(held.shelf, name).read(["format"]).column("format").to_pylist()
    except unreadable():
        return True
    return any(number != FORMAT for number in found)


def _pack(held: Holdings, tree: str, names: Sequence[str], folder: str, wanted: Wanted) -> set[str]:
    """Puts the wanted runs of some files, each once, into as few as they fill; the runs that were packed. Files that another process took
    away meanwhile are left to it."""
    seen: set[str] = set()

    def first(run_id: str) -> bool:
        if run_id in seen or not wanted(run_id):
            return False
        seen.add(run_id)
        return True

    def pieces() -> Iterator[RunRows]:
        for name in names:
            yield from run_rows_of(held.shelf, name, first)

    try:
        made = {one.name(folder): one for one in packed(pieces())}
    except FileNotFoundError:
        return set()
    if not _exchange(held, tree, made, names):
        return set()
    return {run_id for one in made.values() for run_id in one.runs}


def _exchange(held: Holdings, tree: str, made: dict[str, Packed], names: Collection[str]) -> bool:
    """Whether it was done: not if one of the files is gone."""
    with held.shelf.locked():
        held.look(tree)
        there = all(held.listed(name, tree) for name in names)
        if there:
            added = {name: one.data for name, one in made.items()}
            held.shelf.replace(added, [name for name in names if name not in added])
            held.written({name: one.spans for name, one in made.items()})
            held.look(tree)
        return there


@dataclass(frozen=True)
class Collected:
    """What `collect` did."""

    runs: int
    lost: int
    """Runs that could not be read."""
    files_before: int
    files: int
    size_bytes_before: int
    size_bytes: int


def collect(held: Holdings) -> Collected:
    """Packs everything, removes what cannot be read, runs and series that lost each other, and what killed processes left. Raises
    OSError."""
    before = _sizes(held)
    held.shelf.sweep()
    held.look(RUNS)
    runs = set(held.ids())
    hidden = {run_id for name in _unreadable(held, RUNS) for run_id in ids_in_bytes(_bytes(held, name))}
    for tree in (RUNS, *held.series()):
        held.look(tree)
        _drop_unreadable(held, tree)
        # Asked for after the look at the tree, since whoever writes beside us puts a series before its run.
        there = set(held.ids())
        done: set[str] = set()
        for names, folder in list(_untidy(held, tree)):
            done |= _pack(held, tree, names, folder, partial(_is_left, there, done))
    _drop_without_series(held)
    after = _sizes(held)
    left = held.ids()
    lost = len((runs | hidden).difference(left))
    return Collected(len(left), lost, len(before), len(after), sum(before), sum(after))


def _is_left(runs: Collection[str], done: Collection[str], run_id: str) -> bool:
    return run_id in runs and run_id not in done


def _is_not_of(gone: Collection[str], run_id: str) -> bool:
    return run_id not in gone


def _drop_without_series(held: Holdings) -> None:
    """Removes runs that recorded what no file of a series has any more. Whoever writes puts series first, whoever removes does so last."""
    from sawtooth.run.storage.verify import having, without_series  # `store gc` alone asks for it

    with held.shelf.locked():
        held.look(RUNS)
        there = having(held)
    for name in held.files(RUNS):
        if _is_other(held, RUNS, name):
            continue
        missing = set(without_series(held, name, there))
        if missing:
            _pack(held, RUNS, [name], folder_of(name), partial(_is_not_of, missing))


def _untidy(held: Holdings, tree: str) -> Iterator[tuple[list[str], str]]:
    """Files that are not as they should be, no more together than make a full one, and the folder for what becomes of them."""
    days: dict[str, list[str]] = defaultdict(list)
    alone: dict[str, list[str]] = {}
    for name, count in held.files(tree).items():
        listed = held.listed(name, tree)
        if listed is None or _is_other(held, tree, name) or _is_young(held, tree, listed):
            continue
        single = is_single(listed.stem)
        folder = folder_of_day(tree, listed.modified_s) if single else folder_of(name)
        if single or (count < FULL_RUNS and _has_room(held, name)):
            days[folder].append(name)
        elif _is_wanting(held, tree, listed):
            alone[name] = [name]
    for name, names in alone.items():
        yield names, folder_of(name)
    for folder, names in days.items():
        for group in _filling(held, tree, names):
            (first, *more) = (held.listed(name, tree) for name in group)
            if more or first is None or is_single(first.stem) or _is_wanting(held, tree, first):
                yield group, folder


def _filling(held: Holdings, tree: str, names: Sequence[str]) -> Iterator[list[str]]:
    """Files in groups that fill one."""
    group: list[str] = []
    runs = size = 0
    sizes = held.files(tree)
    for name in names:
        group.append(name)
        runs += sizes[name]
        size += held.decoded_bytes(name)
        if runs >= FULL_RUNS or size >= FULL_BYTES:
            yield group
            group, runs, size = [], 0, 0
    if group:
        yield group


def _is_young(held: Holdings, tree: str, listed: Listed) -> bool:
    """Whether a file of a series was just written and a run of it is missing: it may be about to follow. Not if the file is damaged: then
    the run may be missing since its id is."""
    return (
        tree != RUNS
        and time.time() - listed.modified_s < ABANDONED_AFTER_S
        and _has_orphan(held, tree, listed.name)
        and not _is_damaged(held, listed)
    )


def _is_wanting(held: Holdings, tree: str, listed: Listed) -> bool:
    """Whether packing a file changes what is in it: it is damaged, a run stands elsewhere too, or a series lost its run."""
    if tree != RUNS and _has_orphan(held, tree, listed.name):
        return True
    ids = held.in_file(tree, listed.name)
    if any(len(held.places(tree, run_id, look=False)) > 1 for run_id in ids):
        return True
    return _is_damaged(held, listed)


def _is_damaged(held: Holdings, listed: Listed) -> bool:
    """Not if another process took the file away meanwhile."""
    from sawtooth.run.storage.verify import damaged_in  # `store gc` alone asks for it

    data = _bytes(held, listed.name)
    return bool(data) and bool(damaged_in(data, listed))


def _bytes(held: Holdings, name: str) -> bytes:
    """What is in a file; nothing if another process took it away."""
    try:
        return held.shelf.read(name)
    except FileNotFoundError:
        return b""


def _has_orphan(held: Holdings, tree: str, name: str) -> bool:
    return any(not held.places(RUNS, run_id, look=False) for run_id in held.in_file(tree, name))


def _drop_unreadable(held: Holdings, tree: str) -> None:
    """Removes files whose footer cannot be read."""
    names = _unreadable(held, tree)
    if names:
        _exchange(held, tree, {}, names)


def _unreadable(held: Holdings, tree: str) -> list[str]:
    return [name for name in held.unreadable if name.startswith(f"{tree}/")]


def _sizes(held: Holdings) -> list[int]:
    found: list[Listed] = []
    for tree in (RUNS, *held.series()):
        found += held.shelf.listing(tree)
    return [entry.size_bytes for entry in found]


__all__ = ["Collected", "collect", "compact"]
