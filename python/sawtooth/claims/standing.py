"""How sure a verdict is: the class of a claim.

Source: none. A verdict is taken at the values that a study chose for what its paper leaves open. A claim that turns at another plausible
value of one open parameter says less about the control than about that parameter, so it is counted apart. So is a claim that fails where a
guess of ours stands in for what the paper does not say. Which claims turn is found by ``reproduce PAPER --sensitivity`` and kept in
``turns.toml`` beside the claims of the paper, with the verdict at that value: only the opposite of the verdict turns it. The same file
says which claims were tried at other values at all: of one that reproduces or fails ``elsewhere`` says whether the verdict was decided
alike everywhere. Where a set-up other than the chosen one was run, a claim that is known to turn rests on the parameter with either
verdict (``Claim.at_another_set_up``).

| class             | of a claim that                                                                                          |
|-------------------|----------------------------------------------------------------------------------------------------------|
| reproduced        | holds in the runs, and no value that was tried is known to make it fail                                  |
| fails             | fails in the runs, and no value that was tried is known to make it hold                                  |
| lost-parameter    | rests on an open parameter: it turns at another plausible value, or fails with a guess of ours            |
| undecided         | the runs do not decide                                                                                    |
| table-contradicts | fails in the runs and in the paper's own printed tables alike, there not by a number of ours alone        |
| algebra           | is a definition or a piece of mathematics, which no run is behind                                         |
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from enum import StrEnum
from typing import Final

from sawtooth.claims.claim import Claim
from sawtooth.claims.logic import Verdict
from sawtooth.plurals import did, verb


class Standing(StrEnum):
    """The class of a claim."""

    REPRODUCED = "reproduced"
    FAILS = "fails"
    LOST_PARAMETER = "lost-parameter"
    UNDECIDED = "undecided"
    TABLE_CONTRADICTS = "table-contradicts"
    ALGEBRA = "algebra"


SETTLED: Final = (Standing.REPRODUCED, Standing.FAILS, Standing.TABLE_CONTRADICTS)
"""Classes of claims about runs that no other value of an open parameter is known to turn."""


class Elsewhere(StrEnum):
    """What the other plausible values of the open parameters make of such a verdict. It is open where it is undecided at some of them, was
    seen there in a first look only, or was not tried at some."""

    SAME = "same"
    OPEN = "open"
    UNTRIED = "untried"


WORDS_ELSEWHERE: Final = {
    Elsewhere.SAME: "does so at every other plausible value",
    Elsewhere.OPEN: "is open at some of them",
    Elsewhere.UNTRIED: "was not tried there",
}
WORDS: Final = {
    Standing.REPRODUCED: "reproduces",
    Standing.FAILS: "fails",
    Standing.LOST_PARAMETER: "rests on a parameter that the paper leaves open",
    Standing.TABLE_CONTRADICTS: "fails in print as well",
    Standing.UNDECIDED: "undecided",
}
"""Classes of claims about runs, as a sentence says them of one."""


def standing(claim: Claim, verdict: Verdict, printed: Verdict | None) -> Standing:
    """The class of a claim with this verdict on runs; ``printed`` is that of the printed tables, where they can tell without a number that
    we gave to a word."""
    if claim.kind != "simulation":
        return Standing.ALGEBRA
    if verdict is Verdict.UNDECIDED:
        return Standing.UNDECIDED
    if turning(claim, verdict) or (claim.guess is not None and verdict is Verdict.FAILS):
        return Standing.LOST_PARAMETER
    if verdict is Verdict.HOLDS:
        return Standing.REPRODUCED
    return Standing.TABLE_CONTRADICTS if printed is Verdict.FAILS else Standing.FAILS


def elsewhere(claim: Claim, verdict: Verdict) -> Elsewhere:
    """What the other plausible values of the open parameters make of a decided verdict that none of them turns."""
    if claim.everywhere == verdict.value:
        return Elsewhere.SAME
    return Elsewhere.OPEN if claim.tried else Elsewhere.UNTRIED


def turning(claim: Claim, verdict: Verdict) -> Mapping[str, str]:
    """Open parameters of which another plausible value turns this verdict, with that value. One that gives the same verdict where shorter
    runs gave another turns nothing."""
    return {Verdict.HOLDS: claim.fails_with, Verdict.FAILS: claim.holds_with}.get(verdict, {})


def parameter(claim: Claim, verdict: Verdict) -> str | None:
    """The open parameter that a verdict rests on, by its key; None where none is known."""
    return next(iter(turning(claim, verdict)), claim.guess)


def turning_point(claim: Claim, verdict: Verdict) -> str:
    """The plausible value of that parameter at which the verdict turns, or that we guessed what the paper does not say."""
    return next(iter(turning(claim, verdict).values()), "a guess of ours")


def in_words(
    standings: Iterable[Standing], agreeing: Iterable[bool], others: Iterable[Elsewhere] = ()
) -> str:
    """A sentence on the claims about runs by class, one on those that reproduce or fail at other values of open parameters (``others``, in
    the order of ``standings``), if any was tried there, and one on how often our verdict is that of the printed tables."""
    found, same = list(standings), list(agreeing)
    of_runs = [entry for entry in found if entry is not Standing.ALGEBRA]
    counts = ", ".join(
        _many(of_runs.count(entry), words) for entry, words in WORDS.items() if entry in of_runs
    )
    sentences = [f"Of the {len(of_runs)} that rest on runs, {counts}."] if of_runs else []
    settled = [where for entry, where in zip(found, others, strict=False) if entry in SETTLED]
    if any(where is not Elsewhere.UNTRIED for where in settled):
        places = ", ".join(
            _many(settled.count(where), words) for where, words in WORDS_ELSEWHERE.items() if where in settled
        )
        count = len(settled)
        sentences.append(
            f"Of the {count} that {verb('reproduces', count)} or {verb('fails', count)}, {places}."
        )
    if same:
        sentences.append(
            f"Where the printed tables can judge a claim, our verdict is theirs in {sum(same)} of {len(same)}."
        )
    return " ".join(sentences)


def _many(number: int, words: str) -> str:
    """A number of claims and what they do."""
    word, space, rest = words.partition(" ")
    return did(number, word) + space + rest
