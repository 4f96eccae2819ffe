"""The class of a claim: how sure its verdict is, and on which open parameter it rests."""

from __future__ import annotations

import json
import tomllib

import pytest
from tools.turns import turns

from sawtooth.claims.claim import Claim
from sawtooth.claims.logic import Verdict
from sawtooth.claims.source import ClaimSource
from sawtooth.claims.standing import (
    Elsewhere,
    Standing,
    elsewhere,
    in_words,
    parameter,
    standing,
    turning_point,
)
from sawtooth.errors import InputError
from sawtooth.papers import PAPERS
from sawtooth.papers.register import claims

HOLDS, FAILS, UNDECIDED = Verdict.HOLDS, Verdict.FAILS, Verdict.UNDECIDED


def claim(kind: str = "simulation", **more: object) -> Claim:
    source = ClaimSource("sawtooth.papers.akella2002.claims")
    return Claim.model_validate(
        {"id": "x", "paper": "p", "section": "1", "kind": kind, "statement": "s", "source": source, **more}
    )


@pytest.mark.parametrize(
    ("more", "verdict", "printed", "expected"),
    [
        ({}, HOLDS, None, Standing.REPRODUCED),
        ({}, HOLDS, FAILS, Standing.REPRODUCED),
        ({}, FAILS, None, Standing.FAILS),
        ({}, FAILS, HOLDS, Standing.FAILS),
        ({}, FAILS, FAILS, Standing.TABLE_CONTRADICTS),
        ({}, UNDECIDED, HOLDS, Standing.UNDECIDED),
        ({"fails_with": {"path.rtt": "40 ms"}}, HOLDS, None, Standing.LOST_PARAMETER),
        ({"holds_with": {"path.rtt": "40 ms"}}, HOLDS, None, Standing.REPRODUCED),
        ({"holds_with": {"path.rtt": "40 ms"}}, FAILS, FAILS, Standing.LOST_PARAMETER),
        ({"fails_with": {"path.rtt": "40 ms"}}, FAILS, None, Standing.FAILS),
        ({"fails_with": {"path.rtt": "40 ms"}}, UNDECIDED, None, Standing.UNDECIDED),
        ({"guess": "aild.beta"}, FAILS, None, Standing.LOST_PARAMETER),
        ({"guess": "aild.beta"}, HOLDS, None, Standing.REPRODUCED),
        ({"kind": "analysis"}, FAILS, None, Standing.ALGEBRA),
    ],
)
def test_a_verdict_is_of_the_class_of_the_table(
    more: dict[str, str], verdict: Verdict, printed: Verdict | None, expected: Standing
) -> None:
    assert standing(claim(**more), verdict, printed) is expected


def test_in_another_set_up_a_claim_that_turns_rests_on_its_parameter_with_either_verdict() -> None:
    turning = claim("simulation", holds_with={"tcp.timeout_threshold": "half"}, tried=True)
    assert standing(turning, HOLDS, None) is Standing.REPRODUCED
    other = turning.at_another_set_up
    for verdict in (HOLDS, FAILS):
        assert standing(other, verdict, None) is Standing.LOST_PARAMETER
        assert parameter(other, verdict) == "tcp.timeout_threshold"
    same = claim("simulation", tried=True, everywhere="holds")
    assert elsewhere(same, HOLDS) is Elsewhere.SAME
    assert elsewhere(same.at_another_set_up, HOLDS) is Elsewhere.UNTRIED


def test_the_parameter_is_the_one_that_turns_it_or_our_guess() -> None:
    turning = claim(fails_with={"path.rtt": "40 ms"}, guess="aild.beta")
    assert (parameter(turning, HOLDS), turning_point(turning, HOLDS)) == ("path.rtt", "40 ms")
    assert (parameter(turning, FAILS), turning_point(turning, FAILS)) == ("aild.beta", "a guess of ours")
    assert parameter(claim(), HOLDS) is None


def test_a_sentence_counts_the_classes_of_claims_about_runs() -> None:
    found = [Standing.REPRODUCED, Standing.REPRODUCED, Standing.FAILS, Standing.ALGEBRA, Standing.UNDECIDED]
    assert in_words(found, [True, False]) == (
        "Of the 4 that rest on runs, 2 reproduce, 1 fails, 1 undecided. "
        "Where the printed tables can judge a claim, our verdict is theirs in 1 of 2."
    )
    assert in_words([Standing.ALGEBRA], []) == ""


def test_a_sentence_says_how_many_verdicts_are_the_same_at_other_values() -> None:
    found = [Standing.REPRODUCED, Standing.FAILS, Standing.TABLE_CONTRADICTS, Standing.LOST_PARAMETER]
    others = [Elsewhere.SAME, Elsewhere.UNTRIED, Elsewhere.SAME, Elsewhere.OPEN]
    assert in_words(found, [], others).endswith(
        ". Of the 3 that reproduce or fail, 2 do so at every other plausible value, 1 was not tried there."
    )
    assert "reproduce or fail" not in in_words(found, [], [Elsewhere.UNTRIED] * 4)


@pytest.mark.parametrize(
    ("more", "verdict", "expected"),
    [
        ({}, HOLDS, Elsewhere.UNTRIED),
        ({"tried": True}, HOLDS, Elsewhere.OPEN),
        ({"tried": True, "everywhere": "holds"}, HOLDS, Elsewhere.SAME),
        ({"tried": True, "everywhere": "fails"}, FAILS, Elsewhere.SAME),
        ({"tried": True, "everywhere": "holds"}, FAILS, Elsewhere.OPEN),
    ],
)
def test_a_verdict_is_the_same_elsewhere_only_if_every_value_gives_it(
    more: dict[str, object], verdict: Verdict, expected: Elsewhere
) -> None:
    assert elsewhere(claim("simulation", **more), verdict) is expected


def test_every_kept_turn_is_of_a_claim_about_runs_and_of_a_parameter_that_its_paper_leaves_open() -> None:
    known = {entry.id: entry for entry in claims()}
    turning = [entry for entry in known.values() if entry.holds_with or entry.fails_with]
    assert turning
    for entry in turning:
        assert entry.kind == "simulation"
    for paper in PAPERS.values():
        for name in paper._at_other_values():
            assert known[name].paper == paper.name


def test_a_claim_knows_whether_it_was_tried_at_other_values() -> None:
    known = {entry.id: entry for entry in claims()}
    alike, left, never = (
        known[name]
        for name in ("floyd-5.2-queue-33ms", "floyd-5.2-two-eighths-similar", "akella-6-aild-not-linear")
    )
    assert (alike.tried, alike.everywhere) == (True, "fails")
    assert (left.tried, left.everywhere) == (True, None)
    assert (never.tried, never.everywhere) == (False, None)


def test_turns_are_written_from_the_document_of_a_sensitivity() -> None:
    document = {
        "format": "sawtooth/sensitivity/1",
        "study": "p/s",
        "seeds": 10,
        "command": "sawtooth reproduce p/s --sensitivity",
        "base_verdicts": {"x": "holds", "y": "holds", "z": "fails", "w": "holds"},
        "complete_claims": ["x", "y", "z"],
        "unstable_claims": {"x": ["path.rtt = 40 ms"]},
        "robust_claims": ["z", "w"],
        "left_out": [],
        "variations": [
            {
                "key": "path.rtt",
                "value": "40 ms",
                "verdicts": [
                    {"id": "x", "base": "holds", "varied": "fails", "turned": True},
                    {"id": "y", "base": "holds", "varied": "undecided", "turned": False},
                ],
            }
        ],
    }
    assert tomllib.loads(turns(document)) == {
        "varied": [
            {
                "study": "p/s",
                "values": 1,
                "seeds": 10,
                "holds": [],
                "fails": ["z"],
                "open": ["y"],
                "turning": ["x"],
            }
        ],
        "turn": [{"claim": "x", "parameter": "path.rtt", "value": "40 ms", "verdict": "fails"}],
    }
    made = {"rule": 6, "behaviour": {"queue/red": 2, "core": 1}}
    (part,) = tomllib.loads(turns(document | made))["varied"]
    assert (part["rule"], part["behaviour"]) == (6, "core=1 queue/red=2")
    (part,) = tomllib.loads(turns(document | {"left_out": ["tcp.min_rto"]}))["varied"]
    assert (part["holds"], part["fails"], part["open"]) == ([], [], ["y", "z"]), "not tried at every value"
    with pytest.raises(InputError, match="sensitivity"):
        turns(json.loads('{"format": "sawtooth/run/1"}'))
