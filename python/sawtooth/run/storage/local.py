"""A store in a directory: changes happen as a whole, also for programs that know nothing of them, and survive any kill and a power failure.

One file is added by writing it under a temporary name, flushing it to the disk and renaming it. Where files take the place of others
(compaction, removal), a directory is built beside with hard links to what stays, and the two exchange their names: the system call
`renameat2` with `RENAME_EXCHANGE`, Linux 3.15. So whoever lists the files meanwhile sees those of before or those of after. Where there is
no such call or no hard link, new files are added before old ones go, and for a moment a run may stand twice.

A lock (`flock` on `<store>/.lock`, which the system releases when its holder dies) is held while the listing changes, some milliseconds.
Temporary names carry host and process (`atomic`), so that the next process removes what a dead one left.
"""

from __future__ import annotations

import contextlib
import ctypes
import errno
import fcntl
import os
import shutil
import threading
import time
from collections.abc import Collection, Iterable, Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Any

import pyarrow as pa

from sawtooth.atomic import TEMPORARY_PREFIX, abandoned, sync_directory, temporary_name, writing
from sawtooth.run.storage.shelf import NOTHING, RUNS, SUFFIX, Listed, folder_of, tree_of

LOCK = ".lock"
HERE = -100
"""`AT_FDCWD`: paths are taken as they are."""
EXCHANGE = 2
"""`RENAME_EXCHANGE`."""
UNSUPPORTED = frozenset(
    {
        errno.ENOSYS,
        errno.EINVAL,
        errno.EOPNOTSUPP,
        errno.ENOTSUP,
        errno.ENOLCK,
        errno.EPERM,
        errno.EMLINK,
        errno.EXDEV,
    }
)
"""What a file system answers that has no locks, no hard links or no exchange."""


class LocalShelf:
    """A directory; made on the first write."""

    look_s = 1.0

    def __init__(self, directory: Path) -> None:
        self.exclusive = True
        self.home = directory
        self._mine = threading.local()
        self.address = str(directory)

    def where(self, name: str) -> str:
        """What other programs open to read the file."""
        return str(self.home / name)

    def trees(self, kind: str) -> list[str]:
        """The trees of `runs` (itself) or `series` (one per name), ordered."""
        if kind == RUNS:
            return [RUNS]
        return [f"{kind}/{name}" for name in _directories(self.home / kind)]

    def listing(self, tree: str, known: Mapping[str, Listed] = NOTHING) -> list[Listed]:
        """The files of a tree, ordered by name; empty where there is none. Of those that are `known` nothing is asked but the name."""
        folders = _directories(self.home / tree)
        return [found for folder in folders for found in self._files(f"{tree}/{folder}", known)]

    def _files(self, folder: str, known: Mapping[str, Listed]) -> Iterator[Listed]:
        for entry in _entries(self.home / folder):
            if not entry.name.endswith(SUFFIX) or entry.name.startswith("."):
                continue
            name = f"{folder}/{entry.name}"
            if name in known:
                yield known[name]
                continue
            with contextlib.suppress(FileNotFoundError):  # it goes meanwhile
                about = entry.stat()
                yield Listed(name, about.st_size, about.st_mtime)

    def source(self, name: str) -> Any:
        """The file as Parquet readers take it. FileNotFoundError if it is gone."""
        return pa.OSFile(str(self.home / name), "rb")

    def read(self, name: str) -> bytes:
        """All of it."""
        return (self.home / name).read_bytes()

    def write(self, name: str, data: bytes) -> None:
        """A file that is not among the runs, whole or not at all."""
        self.home.mkdir(parents=True, exist_ok=True)
        with writing(self.home / name) as file:
            file.write(data)

    def replace(self, added: Mapping[str, bytes], dropped: Collection[str] = ()) -> None:
        """Puts files of one tree in the place of others, in one step; to be called under `locked`."""
        gone = {name for name in dropped if name not in added and (self.home / name).exists()}
        new = dict(added)
        if len(new) + len(gone) <= 1:
            self._one_by_one(new, gone)
            return
        if not self.exclusive:
            self._one_by_one(new, gone)
            return
        folders = {folder_of(name) for name in (*new, *gone)}
        unit = folders.pop() if len(folders) == 1 else tree_of(next(iter((*new, *gone))))
        if not gone and not (self.home / unit).exists():
            self._one_by_one(new, gone)
            return
        built = self.home / temporary_name()
        try:
            self._build(built, unit, new, gone)
            exchange(built, self.home / unit)
            sync_directory((self.home / unit).parent)
        except OSError as error:
            if not _unsupported(error):
                raise
            self._one_by_one(new, gone)
        finally:
            shutil.rmtree(built, ignore_errors=True)

    def _build(self, built: Path, unit: str, new: Mapping[str, bytes], gone: Collection[str]) -> None:
        """The directory as it is to be."""
        built.mkdir()
        shutil.copymode(self.home / unit, built)
        for path in sorted((self.home / unit).rglob("*")):
            target = built / path.relative_to(self.home / unit)
            if path.is_dir():
                target.mkdir()
                shutil.copymode(path, target)
            elif (name := path.relative_to(self.home).as_posix()) not in gone and name not in new:
                os.link(path, target)
        for name, data in new.items():
            target = built / Path(name).relative_to(unit)
            target.parent.mkdir(exist_ok=True)
            _flushed(target, data)
        for folder in sorted(built.glob("*/")):
            with contextlib.suppress(OSError):  # it is not empty
                folder.rmdir()
        sync_directory(built)

    def _one_by_one(self, new: Mapping[str, bytes], gone: Iterable[str]) -> None:
        for name, data in new.items():
            path = self.home / name
            path.parent.mkdir(parents=True, exist_ok=True)
            with writing(path, beside=self.home) as file:
                file.write(data)
        for name in gone:
            (self.home / name).unlink(missing_ok=True)
            with contextlib.suppress(OSError):  # it is not empty
                (self.home / name).parent.rmdir()

    @contextlib.contextmanager
    def locked(self) -> Iterator[None]:
        """While it is held, no other process or thread that holds it changes what is listed; who holds it may take it again. Where the
        file system knows no locks, nothing."""
        if getattr(self._mine, "held", False):
            yield
            return
        self.home.mkdir(parents=True, exist_ok=True)
        handle = os.open(self.home / LOCK, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o666)
        try:
            try:
                fcntl.flock(handle, fcntl.LOCK_EX)
            except OSError as error:
                if not _unsupported(error):
                    raise
                self.exclusive = False
            self._mine.held = True
            yield
        finally:
            self._mine.held = False
            os.close(handle)

    @contextlib.contextmanager
    def looking(self) -> Iterator[None]:
        """The same for a reader: where there is no lock to be had, as in a directory that may not be written, without."""
        with contextlib.ExitStack() as stack:
            if self.home.is_dir():
                with contextlib.suppress(OSError):
                    stack.enter_context(self.locked())
            yield

    def prepare(self) -> None:
        """Makes the directory and sees that it can be written."""
        runs = self.home / RUNS
        runs.mkdir(parents=True, exist_ok=True)
        trial = self.home / temporary_name()
        trial.touch(exist_ok=False)
        trial.unlink()
        if not os.access(runs, os.W_OK | os.X_OK):
            raise PermissionError(13, "permission denied", str(runs))
        self.sweep()

    def sweep(self) -> None:
        """Removes what killed processes left, earlier versions of Sawtooth among them."""
        now_s = time.time()
        for pattern in (
            f"{TEMPORARY_PREFIX}*",
            f"runs/*/{TEMPORARY_PREFIX}*",
            f"series/*/*/{TEMPORARY_PREFIX}*",
        ):
            for left in self.home.glob(pattern):
                if not abandoned(left, now_s):
                    continue
                if left.is_dir():
                    shutil.rmtree(left, ignore_errors=True)
                else:
                    left.unlink(missing_ok=True)


def exchange(one: Path, other: Path) -> None:
    """Two paths get each other's names, at once. OSError, ENOSYS where the system cannot."""
    call = _renameat2()
    if call is None:
        raise OSError(errno.ENOSYS, os.strerror(errno.ENOSYS))
    if call(HERE, os.fsencode(one), HERE, os.fsencode(other), EXCHANGE) != 0:
        number = ctypes.get_errno()
        raise OSError(number, os.strerror(number), str(other))


@cache
def _renameat2() -> Any:
    call = getattr(ctypes.CDLL(None, use_errno=True), "renameat2", None)
    if call is not None:
        call.argtypes = [ctypes.c_int, ctypes.c_char_p, ctypes.c_int, ctypes.c_char_p, ctypes.c_uint]
        call.restype = ctypes.c_int
    return call


def _unsupported(error: OSError) -> bool:
    return error.errno in UNSUPPORTED


def _flushed(path: Path, data: bytes) -> None:
    with open(path, "xb") as file:
        file.write(data)
        file.flush()
        os.fsync(file.fileno())


def _entries(directory: Path) -> list[os.DirEntry[str]]:
    """What is in a directory, ordered by name; nothing where it is not there."""
    try:
        with os.scandir(directory) as found:
            return sorted(found, key=lambda entry: entry.name)
    except (FileNotFoundError, NotADirectoryError):
        return []


def _directories(directory: Path) -> list[str]:
    return [entry.name for entry in _entries(directory) if entry.is_dir() and not entry.name.startswith(".")]


__all__ = ["LocalShelf", "exchange"]
