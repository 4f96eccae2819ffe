"""Sensitivity of the claims about random loss to what they leave open of the TCP that they speak of; ``experiment.variation`` says what
turning means.

Source: none beyond ``studies/mathematics.toml``, whose open parameters these are. Only runs are made that the claims need.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from sawtooth.experiment.reproduction import Reproduction
from sawtooth.experiment.sensitivity import check_keys
from sawtooth.experiment.variation import Sensitivity, compare
from sawtooth.papers.formulas import loss
from sawtooth.papers.formulas.lending import FLOYD
from sawtooth.papers.formulas.overlay import adapted, gather, judge
from sawtooth.papers.formulas.study import NAME, OverlayStudy, load_overlay
from sawtooth.papers.sensitivity import command_line
from sawtooth.plurals import number_of
from sawtooth.run.store import Store
from sawtooth.run.used import watching

if TYPE_CHECKING:
    from pathlib import Path

    from sawtooth.progress import ProgressCallback


def sensitivity(
    seeds: int | None = None,
    quick: bool = False,
    store: Store | Path | str | None = None,
    keys: Sequence[str] = (),
    progress: ProgressCallback | None = None,
    threads: int | None = None,
    study: OverlayStudy | None = None,
) -> Sensitivity:
    """Vary every open parameter of the flows under loss (or ``keys`` alone) through its plausible values, and judge the claims at each.

    The study is the packaged one unless ``study`` is given. Stored runs are not repeated. InputError for a key that has no other value.
    """
    begun = time.monotonic()
    plain = load_overlay() if study is None else study
    chosen = adapted(plain, seeds, quick)
    values = [(entry, value) for entry in chosen.loss.parameter for value in entry.plausible]
    known = list(dict.fromkeys(entry.key for entry, _ in values))
    check_keys(NAME, keys, known)
    values = [(entry, value) for entry, value in values if not keys or entry.key in keys]
    home = store if isinstance(store, Store) else Store(store)
    runs = sum(map(FLOYD.wanted, loss.cases(chosen)))
    work = _Work(home, threads, progress, runs * (1 + len(values)))
    with watching() as used:
        base = work.judged(chosen)
        found = [
            compare(base, work.judged(chosen.with_entry(entry, value)), entry, value)
            for entry, value in values
        ]
    return Sensitivity(
        NAME,
        base,
        found,
        chosen.seeds,
        _length(chosen),
        command=command_line(NAME, seeds, keys, {}, None, quick),
        executed=work.executed,
        wall_s=time.monotonic() - begun,
        left_out=[key for key in known if keys and key not in keys],
        page="" if _said(chosen) == _said(plain) else _said(plain),
        behaviour=used,
    )


def _length(study: OverlayStudy) -> str:
    return number_of(study.loss.epochs, "loss")


def _said(study: OverlayStudy) -> str:
    """Seeds and length of a study in words."""
    return f"{number_of(study.seeds, 'seed')} of {_length(study)}"


@dataclass
class _Work:
    """The runs of all values, with one progress."""

    store: Store
    threads: int | None
    progress: ProgressCallback | None
    total: int
    done: int = 0
    executed: int = 0

    def judged(self, study: OverlayStudy) -> Reproduction:
        """The verdicts at the values of ``study``."""
        found, executed = gather(
            study, self.store, threads=self.threads, progress=self._moved, wanted=FLOYD.wanted
        )
        self.done += len(found)
        self.executed += executed
        return Reproduction(NAME, (), judge(study, found))

    def _moved(self, done: int, _: int, stored: int) -> None:
        """Some runs of one value are there."""
        if self.progress is not None:
            self.progress(self.done + done, self.total, self.done - self.executed + stored)
