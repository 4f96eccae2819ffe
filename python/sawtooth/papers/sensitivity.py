"""Sensitivity: which verdicts and which orders turn when an open parameter takes another plausible value, one at a time.

    >>> from sawtooth.papers.sensitivity import sensitivity
    >>> found = sensitivity("akella2002/fig4", seeds=3)
    >>> [(row.key, row.value, row.turned) for row in found.ranked]

Source: one-at-a-time variation around the study's own values ([Saltelli08], which warns that it sees no interactions). Runs have the
quick length, and every variation meets the seeds of the base, so that differences are paired.

A *verdict turns* when the claim holds at one value and fails at the other; it *loosens* when one of the two is undecided. Claims are
compared on what was run (the verdict of the finding), also where a claim speaks of more. An *order turns* when two algorithms
exchange places in D, or in C of goodput, and both orders are decided at 95 %. The *shift* of a variation is the mean absolute change of D
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
import json
import shlex
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from sawtooth.errors import InputError
from sawtooth.experiment.comparison import Comparison
from sawtooth.experiment.matrix import collect
from sawtooth.experiment.perform import Jobs, alike, refusal
from sawtooth.experiment.plan import CellKey, Planned
from sawtooth.experiment.scoring import SCORED
from sawtooth.experiment.study import Parameter, Study
from sawtooth.papers.reproduce import chosen_studies
from sawtooth.papers.reproduction import conclude
from sawtooth.papers.variation import (
    PROMOTED,
    SCREENED,
    SIMULATED,
    Sensitivity,
    Variation,
    blocks_of,
    compare,
    largest_move,
    shift_of,
    where_of,
)
from sawtooth.progress import ProgressCallback
from sawtooth.run.outcome import Outcome
from sawtooth.run.runner import run_each
from sawtooth.run.store import Store
from sawtooth.run.tally import Tally
from sawtooth.scenario.unused_keys import idle


def sensitivity(
    name: str,
    seeds: int | None = None,
    store: Store | Path | str | None = None,
    keys: Sequence[str] = (),
    base: Mapping[str, object] | None = None,
    threads: int | None = None,
    progress: ProgressCallback | None = None,
    screen: bool | None = None,
) -> Sensitivity:
    """Vary every open parameter of ``name`` (or ``keys`` alone) through its plausible values, around the study's values and ``base``.

    A paper means its main studies, joined, so that a cell that several figures show is run once. ``screen`` looks at each value with one
    seed before it gets all; None does so for a paper. Stored runs are not repeated.
    """
    home = store if isinstance(store, Store) else Store(store)
    whole = "/" not in name
    screened = whole if screen is None else screen
    studies = chosen_studies(name, seeds, True, base)
    plain = chosen_studies(name, seeds, False)
    if whole and any(study.main for study in studies):
        studies = [study for study in studies if study.main]
        plain = [study for study in plain if study.main]
    found = vary(name, studies, plain, home, keys, threads, progress, screened)
    return replace(found, command=command_line(name, seeds, keys, base or {}, screen))


def command_line(
    name: str, seeds: int | None, keys: Sequence[str], base: Mapping[str, object], screen: bool | None
) -> str:
    """The command that makes a sensitivity, as a user would type it."""
    words = ["sawtooth", "reproduce", name, "--sensitivity"]
    words += [] if screen is None else ["--screen" if screen else "--no-screen"]
    words += [] if seeds is None else ["--seeds", str(seeds)]
    for key, value in base.items():
        words += ["--set", f"{key}={value if isinstance(value, str) else json.dumps(value)}"]
    for key in keys:
        words += ["--parameter", key]
    return shlex.join(words)


def vary(
    name: str,
    studies: Sequence[Study],
    plain: Sequence[Study],
    home: Store,
    keys: Sequence[str] = (),
    threads: int | None = None,
    progress: ProgressCallback | None = None,
    screen: bool = False,
) -> Sensitivity:
    """Vary the open parameters of studies; ``plain`` are the same in their own length. InputError for a key that has no other value."""
    begun = time.monotonic()
    entries = list(variations(studies, plain))
    known = dict.fromkeys(entry.key for entry, _ in entries)
    for key in keys:
        if key not in known:
            accepted = f"an open parameter of {name} with another plausible value: {', '.join(known)}"
            raise InputError("reproduce", "--parameter", key, accepted)
    entries = [(entry, value) for entry, value in entries if not keys or entry.key in keys]
    refused: list[tuple[str, object, str]] = []
    possible = []
    for entry, value in entries:
        why = next(filter(None, (refusal(study.with_entry(entry, value)) for study in studies)), None)
        if why is None:
            possible.append((entry, value))
        else:
            refused.append((entry.key, value, str(why)))
    if screen and any(len(study.seeds) < 2 for study in studies):
        raise InputError("reproduce", "--seeds", len(studies[0].seeds), "two seeds or more beside --screen")
    counts = sum(study.runs for study in studies)
    first = sum(study.seeded(SCREENED).runs for study in studies)
    work = _Work(Tally(home), counts + (first if screen else counts) * len(possible), threads, progress)
    reference = conclude(name, [work.perform(study, home) for study in studies], SIMULATED)
    found = []
    for entry, value in possible:
        changed = [study.with_entry(entry, value) for study in studies]
        move = None
        if screen:
            seen = [work.perform(study.seeded(SCREENED), home) for study in changed]
            pairs = list(zip(blocks_of(reference.parts), blocks_of(seen), strict=True))
            move = max((largest_move(old, new) for old, new in pairs), default=np.inf)
            if move < PROMOTED:
                shifts = [shift_of(old, new, metric) for old, new in pairs for metric in SCORED]
                shift = float(np.mean(shifts))
                found.append(
                    Variation(entry.key, where_of(entry), entry.value, value, (), (), shift, move, False)
                )
                continue
            work.total += counts - first
            work.done -= first
        parts = [work.perform(study, home) for study in changed]
        found.append(replace(compare(reference, conclude(name, parts, SIMULATED), entry, value), move=move))
    return Sensitivity(
        name,
        reference,
        found,
        refused,
        executed=work.tally.executed,
        wall_s=time.monotonic() - begun,
    )


def variations(studies: Sequence[Study], plain: Sequence[Study]) -> Iterator[tuple[Parameter, object]]:
    """Every open parameter that acts in the studies' settings with every plausible value other than the one taken.

    What ``--quick`` shortens may also have the length of the study itself, which ``plain`` says.
    """
    own: dict[str, list[object]] = {}
    for study in plain:
        for entry in study.parameter:
            own.setdefault(entry.key, []).append(entry.value)
    seen: list[tuple[Parameter, object]] = []
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
            jobs = Jobs(study, chosen)
            moved = self._moved()
            if isinstance(chosen[0].key, CellKey):
                outcomes += self._cells(study, chosen, moved)
            else:
                outcomes += run_each(jobs, store, jobs.outcome, threads=self.threads, progress=moved)
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
                Jobs(study, list(group.values())), threads=self.threads, progress=counted
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
