"""A store behind an address: any file system that fsspec knows (`s3://bucket/runs`, `gs://…`, `memory://…`), or `file:///shared/runs`.

An address says that workers on other machines reach the store by the same name, so they write their runs there themselves. `file://` is a
directory (`local`). Elsewhere an object appears when it is written whole, which is all that adding needs; objects take the place of others
by being written before those go, so for a moment, or after a kill until the next `sawtooth store gc`, a run may stand twice. It counts
once. There is no lock, so small files are packed on request only.

Reports and tallies of such a store go to `.sawtooth` in the working directory.

| parameter | unit | default | why                                                                                    |
|-----------|------|---------|----------------------------------------------------------------------------------------|
| look_s    | s    | 30      | a listing is a request per thousand objects                                             |
"""

from __future__ import annotations

import contextlib
import posixpath
from collections.abc import Collection, Iterator, Mapping
from datetime import datetime
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

from sawtooth.errors import InputError
from sawtooth.run.storage.local import LocalShelf
from sawtooth.run.storage.shelf import NOTHING, RUNS, SUFFIX, Listed, Shelf

HOME = Path(".sawtooth")
EXTRA = "sawtooth[cluster]"


def remote_shelf(address: str) -> Shelf:
    """The shelf behind an address. InputError where nothing here knows its scheme."""
    parts = urlsplit(address)
    if parts.scheme == "file":
        if parts.netloc not in ("", "localhost") or not parts.path:
            raise InputError("store", None, address, "file:///DIRECTORY, with three slashes")
        # What stands before a ? or # is another directory.
        if parts.query or parts.fragment or address[-1] in "?#":
            raise InputError("store", None, address, "file:///DIRECTORY, with ? and # written as %3F and %23")
        return LocalShelf(Path(unquote(parts.path)))
    try:
        import fsspec
    except ImportError:
        accepted = f"a directory; an address needs fsspec: pip install '{EXTRA}'"
        raise InputError("store", None, address, accepted) from None
    try:
        files, root = fsspec.core.url_to_fs(address)
    except (ImportError, ValueError) as error:
        raise InputError("store", None, address, f"an address that fsspec can open ({error})") from None
    return RemoteShelf(address, files, root)


class RemoteShelf:
    """Objects below a root."""

    exclusive = False
    look_s = 30.0

    def __init__(self, address: str, files: Any, root: str) -> None:
        self.address = address.rstrip("/")
        self.home = HOME
        self._files = files
        self._root = root.rstrip("/")

    def where(self, name: str) -> str:
        """What other programs open to read the file."""
        return f"{self.address}/{name}"

    def trees(self, kind: str) -> list[str]:
        """The trees of `runs` (itself) or `series` (one per name), ordered."""
        if kind == RUNS:
            return [RUNS]
        with _as_os_error(self.address):
            self._files.invalidate_cache()
            try:
                found = self._files.ls(self._path(kind), detail=False)
            except FileNotFoundError:
                return []
            return sorted(f"{kind}/{posixpath.basename(path.rstrip('/'))}" for path in found)

    def listing(self, tree: str, known: Mapping[str, Listed] = NOTHING) -> list[Listed]:
        """The files of a tree, ordered by name. Empty where there is none."""
        with _as_os_error(self.address):
            self._files.invalidate_cache()
            try:
                found = self._files.find(self._path(tree), detail=True)
            except FileNotFoundError:
                return []
        listed = []
        for path, about in found.items():
            name = self._name(path)
            if name.endswith(SUFFIX) and name.count("/") == tree.count("/") + 2:
                listed.append(known.get(name) or Listed(name, int(about["size"] or 0), _modified_s(about)))
        return sorted(listed, key=lambda entry: entry.name)

    def source(self, name: str) -> Any:
        """The file as Parquet readers take it. FileNotFoundError if it is gone."""
        from pyarrow.fs import FSSpecHandler, PyFileSystem

        with _as_os_error(self.where(name)):
            return PyFileSystem(FSSpecHandler(self._files)).open_input_file(self._path(name))

    def read(self, name: str) -> bytes:
        """All of it."""
        with _as_os_error(self.where(name)):
            return bytes(self._files.cat_file(self._path(name)))

    def write(self, name: str, data: bytes) -> None:
        """A file that is not among the runs, whole or not at all."""
        with _as_os_error(self.where(name)):
            self._files.pipe_file(self._path(name), data)

    def replace(self, added: Mapping[str, bytes], dropped: Collection[str] = ()) -> None:
        """Writes objects, then removes others."""
        for name, data in added.items():
            self.write(name, data)
        for name in set(dropped) - added.keys():
            with _as_os_error(self.where(name)), contextlib.suppress(FileNotFoundError):
                self._files.rm_file(self._path(name))

    @contextlib.contextmanager
    def locked(self) -> Iterator[None]:
        """Nothing: there is no lock."""
        yield

    looking = locked

    def prepare(self) -> None:
        """Sees that objects can be written."""
        self.write(".trial", b"")
        with _as_os_error(self.address), contextlib.suppress(FileNotFoundError):
            self._files.rm_file(self._path(".trial"))

    def sweep(self) -> None:
        """Nothing: what was not written whole is not there."""

    def _path(self, name: str) -> str:
        return f"{self._root}/{name}"

    def _name(self, path: str) -> str:
        return path.lstrip("/").removeprefix(self._root.lstrip("/")).lstrip("/")


def _modified_s(about: Mapping[str, Any]) -> float:
    """When an object was written; 0 where the file system does not say."""
    for key in ("LastModified", "last_modified", "mtime", "modified", "created", "updated"):
        value = about.get(key)
        if isinstance(value, datetime):
            return value.timestamp()
        if isinstance(value, int | float):
            return float(value)
    return 0.0


@contextlib.contextmanager
def _as_os_error(where: str) -> Iterator[None]:
    """What libraries of object stores raise, as the one kind of error that files have."""
    try:
        yield
    except OSError:
        raise
    except Exception as error:
        text = (str(error) or type(error).__name__).splitlines()[0]
        raise OSError(5, text, where) from error


__all__ = ["RemoteShelf", "remote_shelf"]
