"""The configurations beside each other and the ablation of the second, as the command line asks for them.

Source: none. What runs and draws is loaded when it is asked for.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Final

from sawtooth.papers.further import Further, Made, Request

if TYPE_CHECKING:
    from sawtooth.papers.akella2002.set_ups.ablation import Ablation
    from sawtooth.papers.akella2002.set_ups.perform import SetUps
    from sawtooth.papers.akella2002.set_ups.plan import Planned
    from sawtooth.scenario.resolve import Resolved


class _OfSetUps(Further):
    """What both share: which options mean something, their row of a list and their runs."""

    takes: ClassVar[frozenset[str]] = frozenset({"seeds", "quick", "fresh", "markdown", "shard"})
    quick_pages: ClassVar[bool] = True
    title: ClassVar[str]

    @property
    @abstractmethod
    def name(self) -> str:
        """On the command line."""

    @abstractmethod
    def planned(self, order: Request) -> Planned:
        """What it runs."""

    def row(self) -> Mapping[str, Any]:
        """One study; its claims are those of the figures."""
        return {
            "name": self.name,
            "title": self.title,
            "paper": "akella2002",
            "figure": "",
            "runs": sum(study.runs for _, studies in self.planned(Request()) for study in studies),
            "claims": 0,
        }

    def jobs(self, order: Request) -> Sequence[Resolved]:
        """Every run behind it."""
        from sawtooth.papers.akella2002.set_ups.perform import jobs

        return jobs(self.planned(order))

    def report_name(self, order: Request) -> str:
        """Of the file of its report."""
        return self.name.replace("/", "_") + ("-quick" if order.quick else "")


class _SetUps(_OfSetUps):
    """The configurations beside each other."""

    title: ClassVar[str] = "Which claims turn in the set-up nearest to the authors' simulator"

    @property
    def name(self) -> str:
        """On the command line."""
        from sawtooth.papers.akella2002.set_ups.plan import NAME

        return NAME

    def planned(self, order: Request) -> Planned:
        """Both in full, and each value of the second alone."""
        from sawtooth.papers.akella2002.set_ups.plan import plans

        return plans(order)

    def reproduce(self, order: Request) -> SetUps:
        """Run, compare and write the report."""
        from sawtooth.papers.akella2002.set_ups.page import write
        from sawtooth.papers.akella2002.set_ups.perform import compare

        return order.reported(compare(order), self.report_name(order), write)

    def update_page(self, path: Path, made: Made) -> None:
        """Fill the places of a Markdown page."""
        from sawtooth.papers.akella2002.set_ups.page import update_page
        from sawtooth.papers.akella2002.set_ups.perform import SetUps

        assert isinstance(made, SetUps)
        update_page(path, made)


class _Ablation(_OfSetUps):
    """The second configuration, one of its values at a time taken back."""

    title: ClassVar[str] = "Which values the verdicts of the set-up nearest to the authors' simulator need"

    @property
    def name(self) -> str:
        """On the command line."""
        from sawtooth.papers.akella2002.set_ups.plan import ABLATION

        return ABLATION

    def planned(self, order: Request) -> Planned:
        """The figures with few seeds: both configurations, and the second without each value."""
        from sawtooth.papers.akella2002.set_ups.plan import ablation_plans

        return ablation_plans(order)

    def reproduce(self, order: Request) -> Ablation:
        """Run, compare and write the report."""
        from sawtooth.papers.akella2002.set_ups.ablation import ablate
        from sawtooth.papers.akella2002.set_ups.ablation_page import write

        return order.reported(ablate(order), self.report_name(order), write)

    def update_page(self, path: Path, made: Made) -> None:
        """Fill the places of a Markdown page."""
        from sawtooth.papers.akella2002.set_ups.ablation import Ablation
        from sawtooth.papers.akella2002.set_ups.ablation_page import update_page

        assert isinstance(made, Ablation)
        update_page(path, made)


SET_UPS: Final = _SetUps()
"""The report of the configurations, and blocks of a Markdown page: ``configurations finding``, ``… command``, ``… values``, ``… claims``,
``… loosened``, ``… fits`` and ``… scores``."""

ABLATION: Final = _Ablation()
"""The report of the ablation, and blocks of a Markdown page: ``ablation finding``, ``… command``, ``… values``, ``… claims``,
``… loosened``, ``… hidden`` and ``… made``."""
