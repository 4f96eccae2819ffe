"""Loading plug-ins: shared libraries with the interface of `sawtooth.h`, and files of Python with classes under `@st.controller`.

Nothing is loaded unless somebody asks for its path: by `--plugin FILE`, by `SAWTOOTH_PLUGINS` (paths with the system's separator between
them) or by `st.load_plugin`. A scenario names controllers and never files.
"""

from __future__ import annotations

import os
import sys
import traceback
from dataclasses import dataclass
from hashlib import sha256
from importlib.abc import ExecutionLoader
from importlib.util import decode_source, module_from_spec, spec_from_loader
from pathlib import Path
from threading import RLock
from typing import Final

from sawtooth import _native
from sawtooth.errors import MISSING, InputError
from sawtooth.plugins.controller import collected, register
from sawtooth.scenario.described import forget

VARIABLE: Final = "SAWTOOTH_PLUGINS"


@dataclass(frozen=True)
class Plugin:
    """A controller from a file: its name, the file, and the file's SHA-256, which the identity of its runs holds."""

    name: str
    path: Path
    sha256: str


@dataclass(frozen=True)
class Cost:
    """What the calls of a controller written in Python took so far, waiting for the interpreter included."""

    name: str
    calls: int
    seconds: float


_paths: set[Path] = set()
"""What has been loaded, or is being loaded: a file of Python asks for `sawtooth` while it is."""
_lock: Final = RLock()


def load_plugin(path: Path | str) -> list[Plugin]:
    """Load a shared library, or a file of Python. Each of its controllers then works as `name(…)` wherever a controller may stand.

    A library's code runs in this process from here on, with all that this process may do. A file that has changed may be loaded again, and
    replaces what it held before. Raises InputError for what is no plug-in, and for a name that another loaded file has.

        st.load_plugin("libmine.so")
        st.compare(["mine(1, 0.7)", "cubic"], environments=["none"], seeds=3)
    """
    path = Path(path)
    with _lock:
        _paths.add(path.absolute())
        found = _python(path) if path.suffix == ".py" else _library(path)
        _list(path.absolute())
    return found


def load_listed() -> None:
    """Load what the environment lists, each file once."""
    with _lock:
        for path in _listed():
            if path not in _paths:
                load_plugin(path)


def plugin_costs() -> list[Cost]:
    """How long the calls of controllers written in Python have taken so far; empty if there were none."""
    return [Cost(name, calls, nanos / 1e9) for name, calls, nanos in _native.python_calls()]


class _Source(ExecutionLoader):
    """A file of Python as it was read: what an interpreter may have kept of it would not be what the hash is of."""

    def __init__(self, path: Path, source: bytes) -> None:
        self.path = path
        self.source = source

    def get_filename(self, _name: str) -> str:
        return str(self.path)

    def get_source(self, _name: str) -> str:
        return decode_source(self.source)


def _listed() -> list[Path]:
    """What the environment lists. A path may hold the separator: of parts that are no files as many belong together as make one."""
    parts = os.environ.get(VARIABLE, "").split(os.pathsep)
    found: list[Path] = []
    while parts:
        texts = [os.pathsep.join(parts[:count]) for count in range(1, len(parts) + 1)]
        text = next((text for text in texts if Path(text).is_file()), parts[0])
        parts = parts[texts.index(text) + 1 :]
        if text:
            found.append(Path(text).absolute())
    return found


def _list(path: Path) -> None:
    """Put a file on the list, for processes that this one starts: those that draw pages, workers of a cluster."""
    if path not in (listed := _listed()):
        os.environ[VARIABLE] = os.pathsep.join(map(str, [*listed, path]))


def _library(path: Path) -> list[Plugin]:
    try:
        rows = _native.load_library(path)
    except ValueError as error:
        key, _, accepted = str(error).partition("expected ")
        raise InputError(str(path), key.removesuffix(": ") or None, MISSING, accepted) from None
    forget()
    return [Plugin(name, path, file) for name, file in rows]


def _python(path: Path) -> list[Plugin]:
    try:
        source = path.read_bytes()
    except OSError as error:
        raise InputError(
            str(path), None, MISSING, f"a file that can be read: {error.strerror or error}"
        ) from None
    file = sha256(source).hexdigest()
    with collected(file) as found:
        _execute(path, source, file)
    if not found:
        raise InputError(str(path), None, MISSING, "at least one class under @st.controller")
    register(found, str(path), path)
    return [Plugin(description.name, path, file) for _, description in found]


def _execute(path: Path, source: bytes, file: str) -> None:
    """Run a file as a module of its own."""
    hidden = (finder for finder in sys.meta_path if getattr(finder, "hides_from_commands", False))
    for finder in list(hidden):
        sys.meta_path.remove(finder)  # a user's file may want what commands do without
    name = f"sawtooth_plugin_{path.stem}_{file[:12]}"
    loader = _Source(path, source)
    spec = spec_from_loader(name, loader)
    assert spec is not None, "the loader has a file"
    module = module_from_spec(spec)
    module.__file__ = str(path)
    sys.modules[name] = module
    try:
        loader.exec_module(module)
    except InputError as error:
        raise error.located(f"{path}: {error.where}") from None
    except (Exception, SystemExit) as error:
        line = getattr(error, "lineno", None)
        frames = [frame for frame in traceback.extract_tb(error.__traceback__) if frame.filename == str(path)]
        line = frames[-1].lineno if frames else line
        said = f"{type(error).__name__}: {getattr(error, 'msg', None) or error}"
        accepted = f"a file that Python runs; it says {said}"
        raise InputError(str(path), f"line {line}", MISSING, accepted) from None
