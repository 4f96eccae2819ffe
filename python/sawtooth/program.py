"""Which program this is, for what is kept only as long as it would come out the same."""

from __future__ import annotations

from functools import cache
from hashlib import sha256
from importlib.metadata import version
from typing import Final

from sawtooth.packaged import packaged

LIBRARIES: Final = ("matplotlib", "numpy", "fonttools", "jinja2", "pyarrow")
"""Which compute, draw and write, beside the package itself."""


@cache
def program() -> str:
    """The hash of every file of the package that is text, and the versions of the libraries. The engine says itself how it behaves."""
    whole = sha256(" ".join(version(name) for name in LIBRARIES).encode())
    for path in sorted(packaged().rglob("*")):
        if path.is_file() and path.suffix not in (".pyc", ".so"):
            whole.update(path.name.encode() + b"\0" + path.read_bytes() + b"\0")
    return whole.hexdigest()
