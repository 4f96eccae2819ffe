"""What a page says of claims first: those on runs by verdict and class, beside the printed tables, and algebra apart from them."""

from __future__ import annotations

from dataclasses import replace

from sawtooth.claims.claim import Claim
from sawtooth.claims.logic import Verdict, fact
from sawtooth.claims.table import Judged
from sawtooth.papers.register import claims
from sawtooth.report.blocks import Card, Page
from sawtooth.report.claims import counted_apart, failures, shown_counts, verdict_sentences
from sawtooth.report.render import render

HOLDS, FAILS, UNDECIDED = Verdict.HOLDS, Verdict.FAILS, Verdict.UNDECIDED
KNOWN = claims()


def plain(kind: str, count: int) -> list[Claim]:
    """Claims of which nothing is known at other values."""
    bare: dict[str, object] = {
        "fails_with": {},
        "holds_with": {},
        "guess": None,
        "tried": False,
        "everywhere": None,
    }
    found = [entry for entry in KNOWN if (entry.kind == "simulation") == (kind == "simulation")]
    return [entry.model_copy(update=bare) for entry in found[:count]]


def judged(entry: Claim, verdict: Verdict, printed: Verdict | None = None) -> Judged:
    """A claim with its verdict over four seeds."""
    return Judged(entry, verdict, fact("", verdict is HOLDS), None, (), (), 4, printed)


RUNS = [judged(entry, UNDECIDED) for entry in plain("simulation", 6)]
ALGEBRA = [judged(entry, HOLDS) for entry in plain("algebra", 6)]


def test_algebra_that_holds_does_not_stand_for_runs_that_decide_nothing() -> None:
    assert verdict_sentences([*ALGEBRA, *RUNS]) == [
        "All 6 claims on runs are undecided.",
        "Apart from these, 6 claims are algebra: 6 hold.",
    ]
    assert shown_counts([*ALGEBRA, *RUNS]) == {HOLDS: 0, FAILS: 0, UNDECIDED: 6}
    assert counted_apart([*ALGEBRA, *RUNS])


def test_claims_of_one_kind_are_counted_as_they_are() -> None:
    assert verdict_sentences(ALGEBRA) == ["All 6 claims hold."]
    assert verdict_sentences(RUNS[:1]) == ["The only claim is undecided."]
    assert verdict_sentences([*RUNS[:2], judged(RUNS[2].claim, HOLDS)]) == [
        "Of 3 claims 1 holds and 2 are undecided."
    ]
    assert shown_counts(ALGEBRA) == {HOLDS: 6, FAILS: 0, UNDECIDED: 0}
    assert not counted_apart(ALGEBRA)
    assert not counted_apart(RUNS)
    assert shown_counts(()) == {}
    assert verdict_sentences(()) == []


def test_runs_that_were_not_made_are_named_beside_the_claims_on_runs() -> None:
    waiting = replace(RUNS[0], reason="it covers more")
    first, _ = verdict_sentences([waiting, RUNS[1], *ALGEBRA])
    assert first == "Both claims on runs are undecided; 1 of these also needs runs that were not made here."


def test_classes_and_printed_tables_are_said_of_claims_on_runs() -> None:
    one, two, three = plain("simulation", 3)
    resting = one.model_copy(update={"fails_with": {"path.rtt": "40 ms"}})
    found = [judged(resting, HOLDS, HOLDS), judged(two, FAILS, HOLDS), judged(three, FAILS, FAILS), *ALGEBRA]
    first, sure, apart = verdict_sentences(found)
    assert first == "Of 3 claims on runs 1 holds and 2 fail."
    assert sure == (
        "Of the 3 that rest on runs, 1 fails, 1 rests on a parameter that the paper leaves open, 1 fails in print as "
        "well. Where the printed tables can judge a claim, our verdict is theirs in 2 of 3."
    )
    assert apart == "Apart from these, 6 claims are algebra: 6 hold."
    (_, agreement) = verdict_sentences([judged(two, FAILS, HOLDS), judged(three, UNDECIDED, FAILS)])
    assert agreement == "Where the printed tables can judge a claim, our verdict is theirs in 0 of 2.", (
        "classes that are verdicts"
    )


def test_what_fails_begins_with_claims_on_runs() -> None:
    run, algebra = plain("simulation", 1)[0], plain("algebra", 1)[0]
    found = failures([judged(algebra, FAILS), judged(run, FAILS, FAILS)])
    assert found is not None
    assert [entry.place for entry in found] == [f"claim-{run.id}", f"claim-{algebra.id}"]
    assert [entry.where.endswith(" · algebra") for entry in found] == [False, True]
    (alone,) = failures([judged(algebra, FAILS)]) or []
    assert "algebra" not in alone.where


def test_the_page_says_what_its_counts_are_of() -> None:
    def shown(found: list[Judged]) -> str:
        counts = shown_counts(found)
        card = Card("part", "A part", "It was run.", "1 run", counts, None)
        return render(Page("page", "A page", [], counts=counts, apart=counted_apart(found), cards=[card]))

    said = ("of the claims on runs; algebra is counted apart", "The bars count claims on runs")
    assert all(words in shown([*RUNS, *ALGEBRA]) for words in said)
    assert not any(words in shown(RUNS) for words in said)
