"""What a paper has beside its studies: something else that can be reproduced, and runs elsewhere that judge claims of it.

Source: none.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Literal, Protocol, TypeVar

from sawtooth.progress import stage

if TYPE_CHECKING:
    from _typeshed import DataclassInstance

    from sawtooth.claims.table import Judged
    from sawtooth.experiment.exhibit import TextTable
    from sawtooth.experiment.plan import Label
    from sawtooth.experiment.reproduction import Borrowed
    from sawtooth.experiment.typed import Typed
    from sawtooth.experiment.variation import Sensitivity
    from sawtooth.progress import ProgressCallback
    from sawtooth.run.store import Store
    from sawtooth.scenario.resolve import Resolved

AnyMade = TypeVar("AnyMade", bound="DataclassInstance")


@dataclass(frozen=True)
class Request:
    """What a user asks of it; None is what it takes by itself. ``report`` is the HTML file to write, False for none."""

    store: Path | str | None = None
    report: Path | Literal[False] | None = None
    seeds: int | None = None
    quick: bool = False
    fresh: bool = False
    progress: ProgressCallback | None = None

    def report_path(self, usual: Path) -> Path | None:
        """Where the report goes, if anywhere."""
        return None if self.report is False else self.report or usual

    def command_of(self, name: str) -> str:
        """What makes a further study of that name anew with the same extent."""
        seeds = [] if self.seeds is None else ["--seeds", str(self.seeds)]
        return " ".join(["sawtooth reproduce", name, *(["--quick"] if self.quick else []), *seeds])

    @property
    def typed(self) -> Typed:
        """What every command on the same runs needs again."""
        from sawtooth.papers.typed_options import typed_options  # loads the store

        return typed_options((), self.store)

    def reported(self, made: AnyMade, name: str, write: Callable[[AnyMade, Path, Typed], object]) -> AnyMade:
        """The same with its report written, if one is wanted: to ``<store>/reports/<name>.html`` unless a file was named."""
        from sawtooth.run.store import Store

        path = self.report_path(Store(self.store).path / "reports" / f"{name}.html")
        if path is None:
            return made
        with stage("drawing"):
            write(made, path, self.typed)
        return replace(made, report=path)


class Made(Protocol):
    """What came out."""

    @property
    def name(self) -> str:
        """As the user named it."""

    @property
    def judged(self) -> Sequence[Judged]:
        """The verdicts on the claims that it decides."""

    @property
    def report(self) -> Path | None:
        """The HTML file that was written."""

    def to_json(self) -> dict[str, Any]:
        """The document of ``--json``."""

    def tables(self) -> list[TextTable]:
        """Tables for the terminal, the claims not among them."""


class Further(ABC):
    """Something of a paper that can be reproduced and is no study of scenarios."""

    takes: ClassVar[frozenset[str]] = frozenset()
    """The options of the command that mean something here, of ``seeds``, ``quick``, ``fresh``, ``markdown``, ``shard`` and
    ``sensitivity``."""
    quick_pages: ClassVar[bool] = False
    """Whether pages may be filled from its quick form, since what it writes says how long it ran."""

    @abstractmethod
    def row(self) -> Mapping[str, Any]:
        """What `sawtooth list studies` shows of it: name, title, paper, figure, number of runs and of claims."""

    @abstractmethod
    def reproduce(self, order: Request) -> Made:
        """Make it and write its report, if one is wanted."""

    def jobs(self, order: Request) -> Sequence[Resolved]:
        """The runs behind it, where ``takes`` has ``shard``; the command refuses the option elsewhere."""
        raise AssertionError(f"{type(self).__name__} takes no --shard, so nobody asks for its runs")

    def sensitivity(self, order: Request, keys: Sequence[str]) -> Sensitivity:
        """What other values of its open parameters turn, of all or of ``keys`` alone, where ``takes`` has ``sensitivity``; the command
        refuses the option elsewhere."""
        raise AssertionError(f"{type(self).__name__} takes no --sensitivity, so nobody varies it")

    def update_page(self, path: Path, made: Made) -> None:
        """Fill the places of a Markdown page that are its own, where ``takes`` has ``markdown``; the command refuses it elsewhere."""
        raise AssertionError(f"{type(self).__name__} takes no --markdown, so nobody fills its pages")


@dataclass(frozen=True)
class ReconstructionExtent:
    """How open values are sought; None is what a reconstruction takes by itself."""

    keys: Sequence[str] = ()
    """Cross the values of these parameters alone; none: all open parameters at once."""
    combinations: int | None = None
    finalists: int | None = None
    """Combinations at full length."""
    budget_s: float | None = None
    """Begin nothing further after so many seconds."""


class Reconstructor(ABC):
    """What finds the open values of a paper from its printed tables."""

    @abstractmethod
    def blocks(self, keys: Sequence[str]) -> Sequence[str]:
        """The places of a Markdown page that are its own, by name: of all parameters, or of a crossing of ``keys``."""

    @abstractmethod
    def reconstruct(self, order: Request, extent: ReconstructionExtent) -> Made:
        """Try combinations of open values, or every combination of the values of ``extent.keys`` with all others as taken, and write the
        report. InputError for a key that is not open.
        """

    @abstractmethod
    def update_page(self, path: Path, made: Made) -> None:
        """Fill the places of a Markdown page that are its own."""


class Beside(Protocol):
    """Runs that are no study of a paper and decide claims of it."""

    def choices(self) -> Mapping[str, Sequence[Mapping[str, Label]]]:
        """The labels of these runs, seeds aside, by the name of the probe that they are to a claim."""

    def runs(self, seeds: int | None, quick: bool) -> int:
        """How many."""

    def jobs(self, seeds: int | None, quick: bool) -> Sequence[Resolved]:
        """The runs themselves."""

    def judge(
        self,
        store: Store,
        seeds: int | None,
        quick: bool,
        fresh: bool,
        threads: int | None,
        progress: ProgressCallback | None,
        first: int,
    ) -> Borrowed:
        """Make those that the store lacks, over seeds from number ``first`` on, and judge the claims."""
