"""Files, and folders of files, that are there whole or not at all.

A file is written under a temporary name in the directory of its target and renamed over the target, which POSIX makes atomic. A
process killed in between leaves the temporary file only; its name carries host and process, so that whoever comes next can tell the
leavings of the dead from the work of the living. What must also outlive a power failure is flushed to the disk before and after.
"""

from __future__ import annotations

import contextlib
import os
import shutil
import socket
import uuid
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import BinaryIO

TEMPORARY_PREFIX = ".partial-"
ABANDONED_AFTER_S = 86_400.0
"""Age at which a temporary file of another host counts as abandoned, s. Writing one takes milliseconds."""


def write_bytes_atomic(path: Path, data: bytes | memoryview, *, durable: bool = True) -> None:
    """`data` as the whole content of `path`, whose directory must exist. Raises OSError and leaves no trace if that fails.

    Not `durable`: safe from any kill, but a power failure within the next seconds may leave an old, a damaged or no file.
    """
    with writing(path, durable=durable) as file:
        file.write(data)


@contextlib.contextmanager
def writing(path: Path, *, durable: bool = True, beside: Path | None = None) -> Iterator[BinaryIO]:
    """A file to write what becomes the content of `path` if the block ends well. For `durable` and errors see `write_bytes_atomic`.

    `beside` is a directory of the same file system for the temporary file, None for that of `path`.
    """
    temporary = (beside or path.parent) / temporary_name()
    try:
        with open(temporary, "xb") as file:
            yield file
            if durable:
                file.flush()
                os.fsync(file.fileno())
        os.replace(temporary, path)
    except BaseException as error:
        with contextlib.suppress(OSError):
            temporary.unlink()
        if isinstance(error, OSError) and str(error.filename or temporary) == str(temporary):
            error.filename, error.filename2 = str(path), None  # the name that the caller knows
        raise
    if durable:
        sync_directory(path.parent)


@contextlib.contextmanager
def making(directory: Path) -> Iterator[Path]:
    """A folder to fill, which becomes `directory` if the block ends well; missing ones above it are made. It must not exist yet.

    Raises OSError, which names the file by its place in `directory`, and leaves no trace if that fails.
    """
    above = [parent for parent in directory.parents if not parent.exists()]
    temporary = directory.parent / temporary_name()
    try:
        temporary.mkdir(parents=True)
        yield temporary
        os.rename(temporary, directory)
    except BaseException as error:
        shutil.rmtree(temporary, ignore_errors=True)
        for parent in above:  # the innermost first
            with contextlib.suppress(OSError):
                parent.rmdir()
        if isinstance(error, OSError):
            inside = str(error.filename or temporary)
            error.filename, error.filename2 = inside.replace(str(temporary), str(directory), 1), None
        raise


def temporary_name() -> str:
    """A name that nobody else takes, and that says who took it."""
    return f"{TEMPORARY_PREFIX}{_host()}-{os.getpid()}-{uuid.uuid4().hex}"


def write_text_atomic(path: Path | str, text: str) -> None:
    """`text` in UTF-8 as the whole content of `path`; missing directories are made."""
    target = Path(path)
    target.parent.mkdir(parents=True, exist_ok=True)
    write_bytes_atomic(target, text.encode())


def abandoned(temporary: Path, now_s: float) -> bool:
    """Whether the process that was writing `temporary` is gone. Anything with a strange name is left alone."""
    owner = temporary.name.removeprefix(TEMPORARY_PREFIX).rpartition("-")[0]
    host, _, process = owner.rpartition("-")
    if not process.isdigit():
        return False
    try:
        age_s = now_s - temporary.stat().st_mtime
    except FileNotFoundError:
        return False
    return age_s > ABANDONED_AFTER_S or (host == _host() and not _alive(int(process)))


def _alive(process: int) -> bool:
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True


@cache
def _host() -> str:
    return socket.gethostname().replace("/", "_") or "localhost"


def sync_directory(directory: Path) -> None:
    """Makes what was renamed in it durable, where the system lets a directory be opened."""
    with contextlib.suppress(OSError):
        handle = os.open(directory, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)
