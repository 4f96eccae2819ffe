"""Sensitivity: which verdicts and which orders turn when an open parameter takes another plausible value, one at a time.

Source: one-at-a-time variation around the study's own values ([Saltelli08], which warns that it sees no interactions). Every
variation meets the seeds of the base, so that differences are paired.

A *verdict turns* when the claim holds at one value and fails at the other; it *loosens* when one of the two is undecided. Claims are
compared on what was run (the verdict of the finding), also where a claim speaks of more. An *order turns* when two algorithms
exchange places in D, or in C of goodput, and both orders are decided at 95 %. A verdict is *unchanged* only if it is decided alike at
both values: of a claim that is undecided at one of them nothing can be said, so runs have the length and the seeds of the study itself
unless the quick form is asked for. The *shift* of a variation is the mean absolute change of D
relative to the range of D over the algorithms, over settings and metrics: it ranks what turns nothing.

A paper has some eighty values over all its settings, and most of them move nothing. With ``screen`` each is first run with one seed. For
each algorithm, setting and metric the change of D, and of the mean raw value, at that seed is divided by what another seed changes at the
values taken (mean absolute difference of the seeds, over pairs of seeds and the algorithms of the setting). Values whose largest such
*move* is below PROMOTED are left at that, and their verdicts and orders are not judged; the others get all seeds. With three seeds a
decided difference is at least 2.5 standard deviations of it, and a verdict that turns needs it to change sides: something has to move by
more than four such units.
"""

from __future__ import annotations

import itertools
import time
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from sawtooth.claims.claim import Claim
from sawtooth.errors import InputError
from sawtooth.experiment.comparison import Comparison
from sawtooth.experiment.matrix import collect
from sawtooth.experiment.perform import StudyJobs, alike, refusal
from sawtooth.experiment.plan import CellKey, Planned
from sawtooth.experiment.reproduction import Reproduction, conclude
from sawtooth.experiment.scoring import SCORED
from sawtooth.experiment.study import OpenParameter, Study
from sawtooth.experiment.variation import (
    PROMOTED,
    SCREENED,
    SIMULATED,
    Sensitivity,
    Variation,
    blocks_of,
    compare,
    largest_move,
    mean_shift,
    shift_of,
    where_of,
)
from sawtooth.plurals import number_of
from sawtooth.progress import ProgressCallback
from sawtooth.run.outcome import Outcome
from sawtooth.run.runner import run_each
from sawtooth.run.store import Store
from sawtooth.run.tally import Tally
from sawtooth.scenario.unused_keys import idle


def vary(
    name: str,
    studies: Sequence[Study],
    plain: Sequence[Study],
    claims: Sequence[Claim],
    home: Store,
    keys: Sequence[str] = (),
    threads: int | None = None,
    progress: ProgressCallback | None = None,
    screen: bool = False,
) -> Sensitivity:
    """Vary the open parameters of studies and judge ``claims`` of their paper; ``plain`` are the studies in their own length.

    InputError for a key that has no other value.
    """
    begun = time.monotonic()
    if screen and any(len(study.seeds) < 2 for study in studies):
        raise InputError("reproduce", "--seeds", len(studies[0].seeds), "two seeds or more beside --screen")
    possible, refused, left_out = _possible(name, studies, plain, keys)
    counts = sum(study.runs for study in studies)
    first = sum(study.seeded(SCREENED).runs for study in studies)
    work = _Work(Tally(home), counts + (first if screen else counts) * len(possible), threads, progress)
    reference = conclude(name, [work.perform(study, home) for study in studies], claims, SIMULATED)
    found = []
    for entry, value in possible:
        changed = [study.with_entry(entry, value) for study in studies]
        move = None
        if screen:
            seen = [work.perform(study.seeded(SCREENED), home) for study in changed]
            looked = _first_look(reference, seen, entry, value)
            move = looked.move
            if move is not None and move < PROMOTED:
                found.append(looked)
                continue
            work.total += counts - first
            work.done -= first
        parts = [work.perform(study, home) for study in changed]
        found.append(
            replace(compare(reference, conclude(name, parts, claims, SIMULATED), entry, value), move=move)
        )
    wall_s = time.monotonic() - begun
    return Sensitivity(
        name,
        reference,
        found,
        len(reference.parts[0].results.seeds),
        str(reference.parts[0].study.value_of("duration")),
        refused,
        executed=work.tally.executed,
        wall_s=wall_s,
        page=_other_length(studies, plain),
        left_out=left_out,
    )


def _other_length(studies: Sequence[Study], plain: Sequence[Study]) -> str:
    """Seeds and length of the studies themselves, if these have others."""
    said = [(_most_seeds(each[0]), str(each[0].value_of("duration"))) for each in (studies, plain) if each]
    if len(set(said)) < 2:
        return ""
    seeds, duration = said[1]
    return f"{number_of(seeds, 'seed')} of {duration}"


def _most_seeds(study: Study) -> int:
    """Those of the matrix, or of the probe with most seeds where there is no matrix."""
    return study.matrix.seeds if study.matrix.settings else max(probe.seeds for probe in study.probe)


def _possible(
    name: str, studies: Sequence[Study], plain: Sequence[Study], keys: Sequence[str]
) -> tuple[list[tuple[OpenParameter, object]], list[tuple[str, object, str]], list[str]]:
    """The values to try, of ``keys`` alone where any are given; those that a scenario refuses, with the reason; and the parameters that
    ``keys`` leaves out.

    InputError for a key that has no other value.
    """
    entries = list(variations(studies, plain))
    known = dict.fromkeys(entry.key for entry, _ in entries)
    check_keys(name, keys, known)
    possible: list[tuple[OpenParameter, object]] = []
    refused: list[tuple[str, object, str]] = []
    for entry, value in entries:
        if keys and entry.key not in keys:
            continue
        why = next(filter(None, (refusal(study.with_entry(entry, value)) for study in studies)), None)
        if why is None:
            possible.append((entry, value))
        else:
            refused.append((entry.key, value, str(why)))
    return possible, refused, [key for key in known if keys and key not in keys]


def check_keys(name: str, keys: Iterable[str], known: Collection[str]) -> None:
    """InputError for a key that is none of the open parameters of ``name`` with another value."""
    for key in keys:
        if key not in known:
            accepted = f"an open parameter of {name} with another plausible value: {', '.join(known)}"
            raise InputError("reproduce", "--parameter", key, accepted)


def _first_look(
    reference: Reproduction, seen: Sequence[Comparison], entry: OpenParameter, value: object
) -> Variation:
    """What one seed shows of a value: its largest move and its mean shift, with no verdict judged."""
    pairs = list(zip(blocks_of(reference.parts), blocks_of(seen), strict=True))
    move = max((largest_move(old, new) for old, new in pairs), default=np.inf)
    shifts = [shift_of(old, new, metric) for old, new in pairs for metric in SCORED]
    return Variation(entry.key, where_of(entry), entry.value, value, (), (), mean_shift(shifts), move, False)


def variations(studies: Sequence[Study], plain: Sequence[Study]) -> Iterator[tuple[OpenParameter, object]]:
    """Every open parameter that acts in the studies' settings with every plausible value other than the one taken.

    What ``--quick`` shortens may also have the length of the study itself, which ``plain`` says.
    """
    own: dict[str, list[object]] = {}
    for study in plain:
        for entry in study.parameter:
            own.setdefault(entry.key, []).append(entry.value)
    seen: list[tuple[OpenParameter, object]] = []
    for study in studies:
        routers = {setting.router for setting in study.matrix.settings}
        for entry in study.parameter:
            if routers and entry.routers is not None and routers.isdisjoint(entry.routers):
                continue
            if idle(itertools.chain.from_iterable(each.kinds() for each in studies), entry.key) is not None:
                continue
            values = [*entry.plausible]
            if entry.value not in own.get(entry.key, []):
                values += own.get(entry.key, [])
            for value in values:
                if value != entry.value and not any(
                    entry.same(other) and value == taken for other, taken in seen
                ):
                    seen.append((entry, value))
                    yield entry, value


@dataclass
class _Work:
    """The runs of all variations, with one progress."""

    tally: Tally
    total: int
    threads: int | None
    progress: ProgressCallback | None
    done: int = 0
    stored: int = 0

    def perform(self, study: Study, store: Store) -> Comparison:
        """A study from tallies, its probes from the store."""
        plan = list(study.plan())
        outcomes: list[Outcome] = []
        for chosen in alike(plan):
            jobs = StudyJobs(study, chosen)
            moved = self._moved()
            if isinstance(chosen[0].key, CellKey):
                outcomes += self._cells(study, chosen, moved)
            else:
                outcomes += run_each(
                    jobs, store, jobs.outcome, threads=self.threads, progress=moved, whole=jobs.whole
                )
            self.done += len(chosen)
        return Comparison(study, collect(plan, outcomes, study.families), quick=True)

    def _cells(
        self, study: Study, chosen: Sequence[Planned], moved: Callable[[int, int, int], None]
    ) -> list[Outcome]:
        """Cells seed by seed, so that tallies of a first look serve when all seeds are wanted."""
        by_seed: dict[str, dict[int, Planned]] = {}
        for place, planned in enumerate(chosen):
            by_seed.setdefault(planned.seed, {})[place] = planned
        found: dict[int, Outcome] = {}
        for group in by_seed.values():

            def counted(done: int, total: int, stored: int, past: int = len(found)) -> None:
                moved(past + done, total, stored)

            outcomes = self.tally.outcomes(
                StudyJobs(study, list(group.values())), threads=self.threads, progress=counted
            )
            found.update(zip(group, outcomes, strict=True))
        return [found[place] for place in range(len(chosen))]

    def _moved(self) -> Callable[[int, int, int], None]:
        past, known = self.done, self.stored

        def moved(done: int, _: int, stored: int) -> None:
            self.stored = known + stored
            if self.progress is not None:
                self.progress(past + done, self.total, known + stored)

        return moved
