"""Verdicts beyond the seeds that a study has: confirmed on fresh ones, or with seeds added until every claim is decided.

    >>> from sawtooth.papers.fresh_seeds import confirm, until_decided
    >>> confirm("floyd2000/shares", quick=True).rows[0].outcome
    >>> until_decided("akella2002/fig4", quick=True, most=20).stopping.decided_at

Source: none; the intervals of ``until_decided`` are confidence sequences (``experiment.anytime``), which hold whenever one looks.

Who looks at verdicts and then takes more seeds for the undecided ones has looked twice at the first seeds. ``confirm`` mends this for one
study: it judges all claims again on seeds that nobody has seen. Their numbers are fixed here, before any run of them. A verdict on facts
alone, without an interval, whose numbers are the same again is counted apart: nothing that it rests on is drawn, so it could not fail.
Verdicts that stand on a page already need no first runs (``published``). The page keeps no numbers, so every verdict on facts alone is
counted apart there.

| parameter | unit | default | why                                                                                                   |
|-----------|------|---------|-------------------------------------------------------------------------------------------------------|
| FRESH     | 1    | 10,001  | first of the fresh seeds: beyond those of any study (from 1) and of the searches (from 1,001)             |
"""

from __future__ import annotations

import shlex
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from pathlib import Path
from typing import Any, Final

from sawtooth.claims.logic import Finding, Verdict
from sawtooth.claims.table import Judged
from sawtooth.documents import format_of
from sawtooth.errors import InputError
from sawtooth.experiment.anytime import at_any_time
from sawtooth.experiment.reproduction import Reproduction
from sawtooth.experiment.stopping import BATCH, FIRST, MOST, Stopping
from sawtooth.experiment.study import Study
from sawtooth.papers import PAPERS
from sawtooth.papers.adapted import adapted
from sawtooth.papers.own import OwnSource, is_own, own_source
from sawtooth.papers.published import Published, published
from sawtooth.papers.reproduce import command_words, different_runs, named, perform_parts
from sawtooth.papers.studies import parts
from sawtooth.progress import ProgressCallback, StageCallback
from sawtooth.run.run_count import RunCount, check_seeds
from sawtooth.run.store import Store

FRESH: Final = 10_001


class SecondLook(StrEnum):
    """What fresh seeds say of a verdict."""

    CONFIRMED = "confirmed"
    SEEDLESS = "independent of the seed"
    CONTRADICTED = "contradicted"
    NOT_CONFIRMED = "not confirmed"
    NEWLY_DECIDED = "newly decided"
    STILL_OPEN = "still open"


@dataclass(frozen=True)
class Confirmed:
    """A claim with its verdict on the seeds of the study and on fresh ones."""

    then: Judged
    now: Judged

    @property
    def outcome(self) -> SecondLook:
        """What became of it."""
        then, now = self.then.verdict, self.now.verdict
        if then is Verdict.UNDECIDED:
            return SecondLook.STILL_OPEN if now is then else SecondLook.NEWLY_DECIDED
        if now is Verdict.UNDECIDED:
            return SecondLook.NOT_CONFIRMED
        if now is not then:
            return SecondLook.CONTRADICTED
        return SecondLook.SEEDLESS if self.seedless else SecondLook.CONFIRMED

    @property
    def seedless(self) -> bool:
        """Whether fresh seeds could not but find the same: all that it rests on are facts whose numbers they leave as they were, or facts
        of which a page keeps no numbers."""
        now = _facts(self.now.finding)
        return now is not None and (self.then.finding is None or _facts(self.then.finding) == now)


def _facts(found: Finding | None) -> list[tuple[str, dict[str, object]]] | None:
    """What a finding rests on, each with its numbers but for the run; None unless all of it are facts with numbers."""
    leaves = [] if found is None else list(found.leaves())
    rest = [{name: number for name, number in leaf.numbers.items() if name != "run_id"} for leaf in leaves]
    chancy = any(
        leaf.interval is not None or leaf.sure is not None or "rho" in leaf.numbers for leaf in leaves
    )
    if not leaves or chancy or not all(rest):
        return None
    return [(leaf.text, numbers) for leaf, numbers in zip(leaves, rest, strict=True)]


@dataclass(frozen=True)
class Confirmation:
    """A reproduction made twice: on the seeds of its studies and on as many fresh ones. A page may stand for the first."""

    name: str
    then: Reproduction | Published
    now: Reproduction
    first: int
    command: str
    """What makes it anew, as a user types it."""

    @property
    def seeds(self) -> tuple[int, int]:
        """The least and the largest number of seeds behind its runs, of its own as of fresh ones."""
        studies = [part.study for part in self.now.parts]
        found = [item.seeds for item in self.now.borrowed.judged] if self.now.borrowed else []
        found += [study.matrix.seeds for study in studies if study.matrix.settings]
        found += [probe.seeds for study in studies for probe in study.probe]
        return min(found), max(found)

    @property
    def rows(self) -> list[Confirmed]:
        """The claims about runs, in their order."""
        stood = {item.claim.id: item for item in self.then.judged}
        return [Confirmed(stood[item.claim.id], item) for item in self._judged if item.claim.id in stood]

    @property
    def left_out(self) -> list[str]:
        """The claims of which the page has no verdict by the check of today."""
        stood = {item.claim.id for item in self.then.judged}
        return [item.claim.id for item in self._judged if item.claim.id not in stood]

    @property
    def _judged(self) -> list[Judged]:
        """The claims about runs on the fresh seeds. Beside a page those alone that wait for no other runs: it may have had them."""
        found = [
            item for item in self.now.judged if item.claim.kind == "simulation" and item.finding is not None
        ]
        if isinstance(self.then, Reproduction):
            return found
        return [item for item in found if not item.partial or item.verdict is not Verdict.UNDECIDED]

    def counts(self) -> dict[SecondLook, int]:
        """How many claims came out how."""
        found = [row.outcome for row in self.rows]
        return {outcome: found.count(outcome) for outcome in SecondLook}

    def to_json(self) -> dict[str, Any]:
        """The document of ``--json``."""
        return {
            "format": format_of("confirmation"),
            "study": self.name,
            "seeds_from": self.first,
            "counts": {outcome.value: count for outcome, count in self.counts().items()},
            "claims": [
                {
                    "id": row.then.claim.id,
                    "then": row.then.verdict.value,
                    "now": row.now.verdict.value,
                    "outcome": row.outcome.value,
                    "seeds_then": row.then.seeds,
                    "seeds_now": row.now.seeds,
                    "statement": row.then.claim.statement,
                }
                for row in self.rows
            ],
            "page": str(self.then.page) if isinstance(self.then, Published) else None,
            "left_out": self.left_out,
            "executed": self.then.executed + self.now.executed,
        }


def confirm(
    name: str,
    seeds: int | None = None,
    quick: bool = False,
    store: Store | Path | str | None = None,
    varied: Mapping[str, object] | None = None,
    first: int = FRESH,
    threads: int | None = None,
    progress: ProgressCallback | None = None,
    stages: StageCallback | None = None,
    page: Path | None = None,
) -> Confirmation:
    """Judge the claims of ``name`` on its own seeds and on as many from number ``first`` on. ``stages`` hears of judging.

    The table of claims of a ``page`` stands for the study's own seeds, which are not run then. InputError for fresh seeds that the studies
    have had already, for a page without such a table, for one that an engine made which behaved otherwise, and for a page beside a study
    file of the user's own.
    """
    stands = None if page is None else _published(name, page)
    home = store if isinstance(store, Store) else Store(store)
    old, new = (chosen(name, seeds, quick, varied, start) for start in (1, first))
    had = max(max(study.matrix.seeds, *(probe.seeds for probe in study.probe), 1) for study in old)
    if first <= had:
        accepted = f"a seed beyond the {had} of {name}, such as {FRESH}"
        raise InputError("reproduce", "--seeds-from", first, accepted)
    work = _Work(name, home, seeds, quick, threads, RunCount(progress), stages)
    work.expect(new if stands else [*old, *new], 1 if stands else 2)
    words = [*command_words(name, seeds, quick, varied or {}), "--confirm"]
    words += [] if page is None else ["--verdicts", str(page)]
    words += [] if first == FRESH else ["--seeds-from", str(first)]
    then = work.performed(old) if stands is None else stands
    now = work.performed(new, first)
    return Confirmation(name, then, now, first, shlex.join(words))


def _published(name: str, page: Path) -> Published:
    """What a page says of the claims of the paper that ``name`` is of."""
    if is_own(name):
        raise InputError("reproduce", "--verdicts", str(page), "no such option for a study file")
    paper = name.partition("/")[0]
    return published(page, paper, PAPERS[paper].claims)


def until_decided(
    name: str,
    seeds: int | None = None,
    quick: bool = False,
    store: Store | Path | str | None = None,
    varied: Mapping[str, object] | None = None,
    most: int = MOST,
    batch: int = BATCH,
    first: int = 1,
    threads: int | None = None,
    progress: ProgressCallback | None = None,
    stages: StageCallback | None = None,
    plugins: Sequence[Path | str] = (),
) -> Reproduction:
    """Add ``batch`` seeds at a time to the parts with open claims, up to ``most``, until every claim is decided.

    Verdicts are taken by confidence sequences, and the first that decides a claim stands, however often one looks; docs/deciding.md
    has how often it is wrong. Claims that wait for runs of other parts stay undecided. ``progress`` hears from the beginning how many runs
    it may take, ``stages`` of judging; ``plugins`` are files that are loaded already, for the printed commands.
    """
    home = store if isinstance(store, Store) else Store(store)
    studies = chosen(name, seeds, quick, varied, first)
    check_seeds("reproduce", most, sum(study.seeded(1).runs for study in studies), "--max-seeds")
    if most < max(study.matrix.seeds for study in studies):
        accepted = f"no fewer than the {max(study.matrix.seeds for study in studies)} seeds it begins with"
        raise InputError("reproduce", "--max-seeds", most, accepted)
    if seeds is None:
        studies = [_grown(study, True, FIRST, most) if _seeds(study) < FIRST else study for study in studies]
    decided: dict[str, tuple[Judged, int]] = {}
    looks = executed = 0
    wall_s = 0.0
    work = _Work(name, home, seeds, quick, threads, RunCount(progress), stages)
    work.expect([_at_most(study, most) for study in studies])
    while True:
        with at_any_time():
            found = work.performed(studies, first)
        looks, executed, wall_s = looks + 1, executed + found.executed, wall_s + found.wall_s
        for item in found.judged:
            if item.verdict is not Verdict.UNDECIDED:
                decided.setdefault(item.claim.id, (item, item.seeds))
        grown = [_grown(study, _is_open(study, found, decided), batch, most) for study in studies]
        if all(new is old for new, old in zip(grown, studies, strict=True)):
            break
        studies = grown
    judged = [decided[item.claim.id][0] if item.claim.id in decided else item for item in found.judged]
    kept = {item.claim.id: item for item in judged}
    shown = tuple(replace(part, judged=[kept[item.claim.id] for item in part.judged]) for part in found.parts)
    at = {name: count for name, (item, count) in decided.items() if item.claim.kind == "simulation"}
    open_ = tuple(item.claim.id for item in judged if item.verdict is Verdict.UNDECIDED)
    # every look performs all parts again; what was stored by an earlier look is no run of this command
    stopping = Stopping(looks, most, at, open_, executed, wall_s)
    from sawtooth.papers.typed_options import typed_options  # of no use before there is something to name

    typed = typed_options(plugins, store)
    words = [*command_words(name, seeds, quick, varied or {}), *_words(most, first), *typed.words(loads=True)]
    found = replace(found, parts=shown, judged=judged, stopping=stopping)
    return named(found, work.own, varied or {}, shlex.join(words), typed)


def _words(most: int, first: int) -> list[str]:
    """The options that a user types for as many seeds as it takes."""
    further = {"--max-seeds": (most, MOST), "--seeds-from": (first, 1)}
    rest = [word for key, (value, usual) in further.items() if value != usual for word in (key, str(value))]
    return ["--until-decided", *rest]


def chosen(
    name: str, seeds: int | None, quick: bool, varied: Mapping[str, object] | None, first: int
) -> list[Study]:
    """The studies that ``name`` means, from seed ``first`` on."""
    entries = own_source(name).studies if is_own(name) else parts(name)
    return adapted(name, entries, seeds, quick, varied, first)


@dataclass(frozen=True)
class _Work:
    """What several looks at the same studies share."""

    name: str
    home: Store
    seeds: int | None
    quick: bool
    threads: int | None
    count: RunCount
    stages: StageCallback | None

    @property
    def own(self) -> OwnSource | None:
        """The user's files, where the name is theirs."""
        return own_source(self.name) if is_own(self.name) else None

    def expect(self, studies: Sequence[Study], looks: int = 1) -> None:
        """No look will need other runs than these, in so many looks at different seeds."""
        own = self.own
        name = self.name if own is None else own.name
        self.count.expect(different_runs(name, studies, self.seeds, self.quick, own, looks))

    def performed(self, studies: Sequence[Study], first: int = 1) -> Reproduction:
        """One look, at seeds from number ``first`` on."""
        own = self.own
        return perform_parts(
            self.name if own is None else own.name,
            studies,
            self.home,
            seeds=self.seeds,
            quick=self.quick,
            threads=self.threads,
            stages=self.stages,
            paper=own,
            count=self.count,
            first=first,
        )


def _is_open(study: Study, found: Reproduction, decided: Mapping[str, object]) -> bool:
    """Whether more seeds may decide a claim of a part."""
    part = next(part for part in found.parts if part.study.name == study.name)
    return any(
        item.claim.id not in decided and item.finding is not None and not item.partial for item in part.judged
    )


def _grown(study: Study, open_: bool, batch: int, most: int) -> Study:
    """A study with so many more seeds, a multiple of ``batch``; itself where nothing is open, or it has them all."""
    now = _seeds(study)
    return study.extended(min(now + batch - now % batch, most)) if open_ and now < most else study


def _at_most(study: Study, most: int) -> Study:
    """A study with all the seeds that it may get."""
    return study.extended(max(most, _seeds(study)))


def _seeds(study: Study) -> int:
    """The seeds that its claims rest on."""
    return study.matrix.seeds if study.matrix.settings else max((p.seeds for p in study.probe), default=1)
