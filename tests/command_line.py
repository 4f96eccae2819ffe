"""Command lines for tests: each in a process of its own, which begins with Sawtooth's libraries and modules loaded.

Most of what a short command costs is loading. A server that has loaded everything once forks a process for each command line; there the
entry point of `python -m sawtooth` is called. What a process of Python adds to that (how long loading takes, what is loaded, how the
console script finds its way) has tests that start one.
"""

from __future__ import annotations

import json
import multiprocessing
import os
import tempfile
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import pytest
from tests.child import run
from tests.fits import fits

LOADED: Final = (
    "tests.child",
    "sawtooth.cli",
    "sawtooth.run.api",
    "sawtooth.experiment.comparison",
    "sawtooth.papers.reproduce",
    "sawtooth.report.render",
    "sawtooth.report.figures",
    "pyarrow.parquet",
    "pyarrow.dataset",
    "matplotlib.pyplot",
    "scipy.stats",
    "scipy.optimize",
)
"""What the server loads; a module that it misses is loaded by whoever needs it."""

SERVER: Final = multiprocessing.get_context("forkserver")
SERVER.set_forkserver_preload(list(LOADED))


@dataclass(frozen=True)
class Outcome:
    """How one command line ended."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        """Standard output as the one JSON document it must be, of a kind that has a schema and fits it."""
        document = json.loads(self.out, parse_constant=lambda name: pytest.fail(f"{name} is no JSON"))
        fits(document)
        return document


CommandLine = Callable[..., Outcome]


def clean_environment() -> dict[str, str]:
    """This process's environment without Sawtooth's own variables, and without lines of progress, whose number depends on time."""
    kept = {key: value for key, value in os.environ.items() if not key.startswith("SAWTOOTH_")}
    return kept | {"SAWTOOTH_PROGRESS": "off"}


def command_line(
    arguments: list[str], folder: Path, environment: Mapping[str, str], timeout: float
) -> Outcome:
    """Runs `sawtooth ARGUMENTS…` in ``folder``, without a terminal; after ``timeout`` seconds it is killed and the test fails."""
    with tempfile.TemporaryDirectory() as kept:
        outputs = Path(kept, "out"), Path(kept, "err")
        process = SERVER.Process(target=run, args=(arguments, folder, dict(environment), outputs))
        process.start()
        process.join(timeout)
        if process.exitcode is None:
            process.kill()
            process.join()
            pytest.fail(f"sawtooth {' '.join(arguments)} took more than {timeout:g} s")
        return Outcome(process.exitcode, *(path.read_text() if path.exists() else "" for path in outputs))
