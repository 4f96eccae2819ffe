"""The progress bar of long work: how many runs are done, how many came from the store, the time left.

It is drawn on standard error, and only if that is a terminal: pipes, logs and `--json` see nothing of it. The time left comes from the
runs that were simulated; those taken from the store cost nothing and are counted apart.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rich.console import Console

ProgressCallback = Callable[[int, int, int], None]
"""Called with (runs done, runs in all, of these taken from the store) after each run, never from two threads at once."""


@contextmanager
def progress_bar(title: str, console: Console | None = None) -> Iterator[ProgressCallback]:
    """A bar for the length of the block; the value is the callback that moves it."""
    # A library's caller may never see a bar, and loading it takes a twentieth of start-up.
    from rich.console import Console
    from rich.progress import (
        BarColumn,
        MofNCompleteColumn,
        Progress,
        TextColumn,
        TimeElapsedColumn,
        TimeRemainingColumn,
    )

    chosen = console or Console(stderr=True)
    bar = Progress(
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TextColumn("{task.fields[note]}"),
        TimeElapsedColumn(),
        TextColumn("left"),
        TimeRemainingColumn(),
        console=chosen,
        disable=not chosen.is_terminal,
        transient=True,
    )
    task = bar.add_task(title, total=None, note="")

    def moved(done: int, total: int, stored: int) -> None:
        note = f"({stored} from the store)" if stored else ""
        bar.update(task, completed=done - stored, total=total - stored, note=note)

    with bar:
        yield moved
