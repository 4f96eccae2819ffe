"""The comparison of packets with formulas as the command line asks for it.

Source: none. What runs and draws is loaded when it is asked for.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar, Final

from sawtooth.papers.further import Further, Made, Request

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from sawtooth.experiment.variation import Sensitivity
    from sawtooth.papers.formulas.result import Overlay
    from sawtooth.scenario.resolve import Resolved


class _Mathematics(Further):
    """The study by its name on the command line."""

    takes: ClassVar[frozenset[str]] = frozenset(
        {"seeds", "quick", "fresh", "markdown", "shard", "sensitivity"}
    )

    def row(self) -> Mapping[str, Any]:
        """One study of no paper."""
        from sawtooth.papers.formulas.kinds import KINDS
        from sawtooth.papers.formulas.study import NAME, load_overlay

        study = load_overlay()
        runs = sum(1 for kind in KINDS for _ in kind.cases(study))
        claims = len(study.claims)
        return {
            "name": NAME,
            "title": study.title,
            "paper": "",
            "figure": "",
            "runs": runs,
            "claims": claims,
        }

    def reproduce(self, order: Request) -> Overlay:
        """Run it and write its report."""
        from sawtooth.papers.formulas.overlay import overlay

        return overlay(
            order.seeds, order.quick, order.store, order.fresh, order.report, progress=order.progress
        )

    def jobs(self, order: Request) -> list[Resolved]:
        """The runs behind it."""
        from sawtooth.papers.formulas.overlay import adapted, jobs
        from sawtooth.papers.formulas.study import load_overlay

        return jobs(adapted(load_overlay(), order.seeds, order.quick))

    def sensitivity(self, order: Request, keys: Sequence[str]) -> Sensitivity:
        """Judge the claims about random loss at other values of what these leave open."""
        from sawtooth.papers.formulas.sensitivity import sensitivity

        return sensitivity(order.seeds, order.quick, order.store, keys, order.progress)

    def update_page(self, path: Path, made: Made) -> None:
        """Fill the places of a Markdown page, and write the figures that it shows."""
        from sawtooth.papers.formulas.page import update_page
        from sawtooth.papers.formulas.result import Overlay

        assert isinstance(made, Overlay)
        update_page(path, made)


OVERLAY: Final = _Mathematics()
