"""Which formulas made numbers that are kept: a hash of the files that turn the engine's columns into them.

Numbers that are kept beside the columns are good as long as these files are as they were; after that they are computed again, or made again
where the columns are not kept. Both hashes cover more than they need to, so they differ too often rather than too seldom.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from hashlib import sha256
from importlib import resources

import numpy as np


@cache
def metrics_version() -> str:
    """That of the metrics of a run: what tallies hold."""
    return _hash(("run/run.py", "run/outcome.py"))


@cache
def row_version() -> str:
    """That of the metrics and the derived columns of a row of the store, with the version of numpy."""
    return _hash(("run/run.py", "run/alone.py", "columns.py", "column_values.py"), np.__version__)


def _hash(others: Sequence[str], *words: str) -> str:
    """Of the files of the metrics and of some others of the package."""
    package = resources.files("sawtooth")
    files = sorted(package.joinpath("measure", "metrics").iterdir(), key=lambda entry: entry.name)
    texts = [entry.read_bytes() for entry in files if entry.name.endswith(".py")]
    texts += [package.joinpath(name).read_bytes() for name in others]
    texts += [word.encode() for word in words]
    return sha256(b"\0".join(texts)).hexdigest()[:16]
