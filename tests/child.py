"""What the process of one command line does; it imports this module alone, so nothing here may import a library of the tests."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping
from pathlib import Path

from sawtooth.cli import main


def run(
    arguments: list[str], folder: Path, environment: Mapping[str, str], outputs: tuple[Path, Path]
) -> None:
    """Calls the entry point in ``folder``; standard output and standard error go to the two files."""
    os.chdir(folder)
    os.environ.clear()
    os.environ.update(environment)
    for number, path in enumerate(outputs, start=1):
        opened = os.open(path, os.O_CREAT | os.O_WRONLY | os.O_APPEND, 0o600)
        os.dup2(opened, number)
        os.close(opened)
    sys.argv = ["sawtooth", *arguments]
    main()
