"""How far long work has come: runs done, how many came from the store, the time left; then what is read, judged and drawn.

On a terminal it is a bar on standard error. Elsewhere (a pipe, a log, a cluster's output) it is a line on standard error every few seconds,
the first after EVERY_S, so that short work says nothing. Where nothing moves for so long, a thread says again how far the work has come.
``SAWTOOTH_PROGRESS=off`` silences both. Standard output is never touched.

The total is that of the whole work and is known before it starts: runs that the store has count as done. The time left comes from the runs
that were simulated, and takes all others to need simulation: it is the most that it can be.

Source: none.
"""

from __future__ import annotations

import os
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Final, Protocol

if TYPE_CHECKING:
    from rich.console import Console
    from rich.progress import Progress

ProgressCallback = Callable[[int, int, int], None]
"""Called with (runs done, runs in all, of these taken from the store) after each run, never from two threads at once."""

StageCallback = Callable[[str, int, int], None]
"""Called with (what is done beside runs: ``judging``, ``drawing``; how much of it; how much in all)."""

EVERY_S: Final = 5.0
"""Time between two lines where there is no terminal, seconds."""
SWITCH: Final = "SAWTOOTH_PROGRESS"


class Bar(Protocol):
    """What moves: called as a ProgressCallback for runs, its ``stage`` as a StageCallback for the rest."""

    def __call__(self, done: int, total: int, stored: int) -> None: ...

    def stage(self, name: str, done: int, total: int) -> None:
        """Some of another part of the work is done."""

    def workers(self, count: int) -> None:
        """So many workers of a cluster simulate now."""


_shown: Final[list[Bar]] = []
"""The bars of this process that somebody sees."""


def tell_workers(count: int) -> None:
    """Whatever is shown says how many workers simulate."""
    for bar in _shown:
        bar.workers(count)


def tell_stage(name: str, done: int, total: int) -> None:
    """Whatever is shown says how much of a part of the work beside runs is done."""
    for bar in _shown:
        bar.stage(name, done, total)


@contextmanager
def stage(name: str) -> Iterator[None]:
    """Whatever is shown says that this part of the work goes on for the length of the block."""
    tell_stage(name, 0, 1)
    yield
    tell_stage(name, 1, 1)


@contextmanager
def progress_bar(title: str, console: Console | None = None) -> Iterator[Bar]:
    """A bar, or lines, for the length of the block; the value moves it."""
    if os.environ.get(SWITCH) == "off":
        yield _Silent()
    elif console is None and not sys.stderr.isatty():
        with _Lines(title) as lines, _seen(lines):
            yield lines
    else:
        with _Drawn.shown(title, console) as drawn, _seen(drawn):
            yield drawn


@contextmanager
def _seen(bar: Bar) -> Iterator[Bar]:
    _shown.append(bar)
    try:
        yield bar
    finally:
        _shown.remove(bar)


def worker_text(count: int | None) -> str:
    """How many workers there are, behind what else is said of runs; nothing where this process simulates."""
    if count is None:
        return ""
    return f", {count:,} worker{'s' * (count != 1)}" if count else ", waiting for workers"


def time_left_s(done: int, total: int, stored: int, elapsed_s: float) -> float | None:
    """The most that the runs not yet done can take, from the time of those simulated so far; None before the first."""
    simulated = done - stored
    return elapsed_s * (total - done) / simulated if simulated > 0 else None


def clock(seconds: float) -> str:
    """``0:07``, ``12:30``, ``1:02:30``."""
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{rest:02}" if hours else f"{minutes}:{rest:02}"


class _Silent:
    def __call__(self, done: int, total: int, stored: int) -> None:
        pass

    def stage(self, name: str, done: int, total: int) -> None:
        pass

    def workers(self, count: int) -> None:
        pass


class _Lines:
    """A line every few seconds while the block goes on, and one at the beginning of each stage of work that has spoken already."""

    def __init__(self, title: str) -> None:
        self.title = title
        self.begun = self.said = time.monotonic()
        self.spoken = False
        self.count: int | None = None
        self.runs = "no run yet"
        self.name: str | None = None
        """The stage that goes on, None for the runs."""
        self.state = ""
        """How far it has come."""
        self.speaking = threading.Lock()
        self.over = threading.Event()
        self.ticker = threading.Thread(target=self._tick, name="progress", daemon=True)

    def __enter__(self) -> _Lines:
        self.ticker.start()
        return self

    def __exit__(self, *_: object) -> None:
        with self.speaking:
            self.over.set()

    def __call__(self, done: int, total: int, stored: int) -> None:
        left = time_left_s(done, total, stored, time.monotonic() - self.begun)
        known = f", {stored:,} of them from the store" if stored else ""
        rest = f", at most {clock(left)} left" if left is not None and done < total else ""
        self.runs = f"{done:,} of {total:,} runs{known}{rest}"
        self._moved(None)

    def stage(self, name: str, done: int, total: int) -> None:
        whole = f"{name} done" if done else name
        self._moved(name, f"{name}, {done:,} of {total:,}" if total > 1 else whole)

    def workers(self, count: int) -> None:
        self.count = count
        self._moved(None)

    def repeat(self) -> None:
        """Say how far the work has come, if that has not been said for a while."""
        self._say(self.state or f"{self.runs}{worker_text(self.count)}")

    def _moved(self, name: str | None, state: str = "") -> None:
        begins = name is not None and name != self.name
        self.name, self.state = name, state
        self._say(state or f"{self.runs}{worker_text(self.count)}", at_once=begins and self.spoken)

    def _tick(self) -> None:
        while not self.over.wait(max(self.said + EVERY_S - time.monotonic(), 0.0)):
            try:
                self.repeat()
            except (OSError, ValueError):  # standard error is gone
                return

    def _say(self, text: str, at_once: bool = False) -> None:
        with self.speaking:
            now = time.monotonic()
            if self.over.is_set() or not (at_once or now - self.said >= EVERY_S):
                return
            self.said, self.spoken = now, True
            sys.stderr.write(f"{self.title}: {text} ({clock(now - self.begun)} so far)\n")
            sys.stderr.flush()


class _Drawn:
    """A bar of `rich`: one task for the runs, one for each further stage."""

    def __init__(self, bar: Progress, title: str) -> None:
        self.bar, self.title = bar, title
        self.begun = time.monotonic()
        self.count: int | None = None
        self.left = ""
        self.tasks = {title: bar.add_task(title, total=None, note="", left="")}

    @classmethod
    @contextmanager
    def shown(cls, title: str, console: Console | None) -> Iterator[_Drawn]:
        """A bar on standard error, gone when the block ends."""
        # Loading it takes a twentieth of start-up, and most of those who run scenarios in programs never see a bar.
        from rich.console import Console
        from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

        chosen = console or Console(stderr=True)
        columns = (
            TextColumn("{task.description}"),
            BarColumn(),
            MofNCompleteColumn(),
            TextColumn("{task.fields[note]}"),
            TimeElapsedColumn(),
            TextColumn("{task.fields[left]}"),
        )
        bar = Progress(*columns, console=chosen, disable=not chosen.is_terminal, transient=True)
        with bar:
            yield cls(bar, title)

    def __call__(self, done: int, total: int, stored: int) -> None:
        left = time_left_s(done, total, stored, time.monotonic() - self.begun)
        self.left = f"at most {clock(left)} left" if left is not None and done < total else ""
        self.bar.update(
            self.tasks[self.title],
            completed=done,
            total=total,
            note=f"({stored:,} from the store)" if stored else "",
            left=f"{self.left}{worker_text(self.count)}".removeprefix(", "),
        )

    def stage(self, name: str, done: int, total: int) -> None:
        task = self.tasks.get(name)
        if task is None:
            task = self.tasks[name] = self.bar.add_task(name, total=total, note="", left="")
        self.bar.update(task, completed=done, total=total)

    def workers(self, count: int) -> None:
        self.count = count
        left = f"{self.left}{worker_text(count)}".removeprefix(", ")
        self.bar.update(self.tasks[self.title], left=left)
