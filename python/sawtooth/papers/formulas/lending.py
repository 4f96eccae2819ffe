"""Claims of a paper about random loss, judged on the runs of the mathematics that they speak of.

Source: none. A whole paper so has a verdict on each of its claims; no other run of the mathematics is made.
"""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from sawtooth.experiment.reproduction import Borrowed
from sawtooth.papers.floyd2000.claims.random_loss import PROBE, TCP
from sawtooth.papers.formulas import loss
from sawtooth.papers.formulas.overlay import gather, jobs, judge
from sawtooth.papers.formulas.study import OverlayStudy, load_overlay
from sawtooth.papers.register import claims

if TYPE_CHECKING:
    from sawtooth.experiment.plan import Label
    from sawtooth.progress import ProgressCallback
    from sawtooth.run.store import Store
    from sawtooth.scenario.resolve import Resolved


@dataclass(frozen=True)
class RandomLoss:
    """The runs of one ``control`` with random loss, and the claims of a ``paper`` about them."""

    paper: str
    control: str

    def choices(self) -> dict[str, list[dict[str, Label]]]:
        """The labels of its runs, seeds aside, by the name of the probe that they are to a claim."""
        cases = loss.cases(self._study(1, quick=False))
        return {PROBE: [{"p": case.p, "control": case.control} for case in cases if self.wanted(case)]}

    def runs(self, seeds: int | None = None, quick: bool = False) -> int:
        """How many runs ``judge`` takes."""
        return sum(map(self.wanted, loss.cases(self._study(seeds, quick))))

    def jobs(self, seeds: int | None = None, quick: bool = False) -> list[Resolved]:
        """The runs themselves."""
        return jobs(self._study(seeds, quick), self.wanted)

    def judge(
        self,
        store: Store,
        seeds: int | None = None,
        quick: bool = False,
        fresh: bool = False,
        threads: int | None = None,
        progress: ProgressCallback | None = None,
        first: int = 1,
    ) -> Borrowed:
        """The verdicts over seeds from number ``first`` on, with the runs that the store lacks."""
        begun = time.monotonic()
        study = self._study(seeds, quick).starting_at(first)
        found, executed = gather(study, store, fresh, threads, progress, self.wanted)
        run_ids = tuple(run_id for run_id, _ in found.values())
        return Borrowed(tuple(judge(study, found)), run_ids, executed, time.monotonic() - begun)

    def _study(self, seeds: int | None, quick: bool) -> OverlayStudy:
        """The study with the claims of the paper alone."""
        study = load_overlay()
        own = {entry.id for entry in claims() if entry.paper == self.paper}
        study = study.model_copy(update={"claims": [name for name in study.claims if name in own]})
        study = study.shortened() if quick else study
        return study if seeds is None else study.seeded(seeds)

    def wanted(self, case: object) -> bool:
        """Whether the claims look at this run of the mathematics."""
        return isinstance(case, loss.LossCase) and case.how == loss.RANDOM and case.control == self.control


FLOYD: Final = RandomLoss("floyd2000", TCP)
