"""The files that figures are written to: their formats, what makes them the same bytes every time, and the check of a name."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

from sawtooth.errors import InputError

FORMATS: Final = ("svg", "pdf", "png")

UNDATED: Final[Mapping[str, dict[str, Any]]] = {
    "svg": {"Date": None, "Creator": None},
    "pdf": {"CreationDate": None, "Creator": None, "Producer": None},
    "png": {"Software": None},
}
"""Metadata of each format that would differ from day to day or from version to version."""


def format_of(path: Path) -> str:
    """The format that the name given to `--plot` ends in. InputError for another ending or no such directory."""
    form = path.suffix.removeprefix(".").lower()
    if form not in FORMATS:
        raise InputError("--plot", None, str(path), "a file name that ends in ." + ", .".join(FORMATS))
    if not path.absolute().parent.is_dir():
        raise InputError("--plot", None, str(path), "a file in a directory that exists")
    return form
