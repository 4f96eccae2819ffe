"""Confidence sequences: their formulas by hand, what they promise on values whose mean is known, and the page that says so."""

from __future__ import annotations

import math
from typing import cast

import numpy as np
import pytest
from numpy.typing import NDArray
from tools.deciding_page import PAGE, bounded_decides, errors, filled, looks, student_decides

from sawtooth.claims.logic import Verdict, bounded_inequality, inequality
from sawtooth.claims.orders import orders_alike
from sawtooth.claims.view import View
from sawtooth.experiment.anytime import (
    ALIKE,
    BOUNDED_SEQUENCE,
    EFFECT,
    STUDENT_SEQUENCE,
    at_any_time,
    sequence,
    sequence_tails,
    student_evidence,
    student_reach,
)
from sawtooth.experiment.intervals import BOOTSTRAP_FROM, EXACT, PAIRED_T, student_t
from sawtooth.experiment.stopping import FIRST
from sawtooth.papers.akella2002.claims.appendix import table as appendix_table

RANDOM = np.random.RandomState


def marginal(values: list[float], mean_of_effect: float) -> float:
    """The likelihood of values up to scale, at one effect size, over the right Haar measure of the scale: by quadrature."""
    scales = np.exp(np.linspace(-6, 6, 4001))
    x = np.array(values)[:, None]
    density = np.exp(-0.5 * ((x / scales - mean_of_effect) ** 2).sum(axis=0)) / scales ** len(values)
    return float(np.trapezoid(density / scales, scales))


def test_the_evidence_is_a_ratio_of_likelihoods() -> None:
    values = [0.8, 1.7, -0.2, 1.1, 0.9]
    effects = np.linspace(-14, 14, 1401)
    prior = np.exp(-(effects**2) / (2 * EFFECT)) / math.sqrt(2 * math.pi * EFFECT)
    likelihoods = np.array([marginal(values, effect) for effect in effects])
    wanted = float(np.trapezoid(likelihoods * prior, effects)) / marginal(values, 0.0)
    t = np.mean(values) / (np.std(values, ddof=1) / math.sqrt(5))
    assert math.exp(student_evidence(5, float(t))) == pytest.approx(wanted, rel=1e-3)


@pytest.mark.parametrize("n", [5, 15, 60, 500])
def test_the_reach_is_where_the_evidence_is_one_in_twenty(n: int) -> None:
    assert math.exp(student_evidence(n, student_reach(n))) == pytest.approx(20.0)
    assert student_reach(n) > student_t(n)


def test_two_values_exclude_nothing() -> None:
    assert student_reach(2) > 100 or math.isinf(student_reach(2))
    found = sequence([1.0, 1.1])
    assert found.low is not None
    assert found.low < 0.0


@pytest.mark.parametrize(("values", "between"), [([0.1, 0.4, 0.2, 0.35], None), ([0.9] * 40, (0.0, 1.0))])
def test_tails_go_with_the_sequence(values: list[float], between: tuple[float, float] | None) -> None:
    found = sequence(values, between=between)
    assert found.low is not None
    assert found.high is not None
    for bound in np.linspace(0.05, 0.95, 19):
        sides = sequence_tails(values, float(bound), between)
        assert (sides.above <= 0.025) == (found.low > bound)
        assert (sides.below <= 0.025) == (found.high < bound)


def test_a_normal_mean_is_covered_at_every_look() -> None:
    values = RANDOM(5).normal(size=(3000, 200))
    assert errors(student_decides(values, student_reach)) <= 0.05
    assert errors(student_decides(values, student_t)) > 0.25  # what looking often costs an ordinary interval
    assert 0.035 < errors(student_decides(values[:, :20], student_t)[:, -1:]) < 0.065


@pytest.mark.parametrize("share", [0.5, 0.1, 0.02])
def test_a_bounded_mean_is_covered_whatever_the_values(share: float) -> None:
    values = (RANDOM(6).uniform(size=(1500, 200)) < share).astype(float)
    assert errors(bounded_decides(values, share)) <= 0.05


def test_moderate_skew_is_covered_from_the_first_look_on_and_great_skew_is_not() -> None:
    from_first = slice(looks().index(FIRST), None)
    mild = RANDOM(7).exponential(size=(2000, 200)) - 1.0
    assert errors(student_decides(mild, student_reach)[:, from_first]) <= 0.065
    wild = RANDOM(8).lognormal(size=(2000, 200)) - math.exp(0.5)
    assert errors(student_decides(wild, student_reach)[:, from_first]) > 0.08  # as docs/deciding.md says
    other = RANDOM(9).lognormal(size=(2000, 200)) - math.exp(0.5)
    assert errors(student_decides(wild - other, student_reach)) <= 0.05


def test_a_difference_is_found() -> None:
    values = RANDOM(10).normal(0.5, 1.0, size=(500, 200))
    assert errors(student_decides(values, student_reach)) > 0.99
    bounded = np.clip(RANDOM(11).normal(0.75, 0.25, size=(500, 200)), 0.0, 1.0)
    assert errors(bounded_decides(bounded, 0.5)) > 0.99


@pytest.mark.parametrize("n", [15, 60])
def test_as_many_seeds_as_would_decide_are_more_than_there_are(n: int) -> None:
    """A sequence is wider than a fixed interval, which would have decided long ago."""
    seen = 0
    for row in RANDOM(14).normal(0.35, 1.0, size=(50, n)):
        with at_any_time():
            found = [inequality("", row, ">"), bounded_inequality("", row, ">", 0.0, (-5.0, 5.0))]
        open_ = [each.seeds for each in found if each.verdict is Verdict.UNDECIDED and each.seeds is not None]
        assert all(seeds > n for seeds in open_), open_
        seen += len(open_)
    assert seen > 50


def test_the_seeds_that_would_decide_are_those_at_which_the_sequence_does() -> None:
    values = [0.4, 0.0] * 10
    with at_any_time():
        seeds = inequality("", values, ">", 0.1).seeds
        assert inequality("", [1.0] * 15, ">").seeds == ALIKE
        rhos = bounded_inequality("", [0.9, 0.7], ">=", 0.5, (-1.0, 1.0)).seeds
    assert seeds is not None
    effect = 0.1 / float(np.std(values, ddof=1))
    assert student_reach(seeds) / math.sqrt(seeds) < effect <= student_reach(seeds - 1) / math.sqrt(seeds - 1)
    assert rhos is not None
    for count, decides in ((rhos, True), (rhos - 1, False)):
        low = sequence(np.resize([0.9, 0.7], count), between=(-1.0, 1.0)).low
        assert low is not None
        assert (low >= 0.5) is decides


def test_which_interval_an_inequality_gets() -> None:
    values = [0.4, 0.6, 0.5, 0.7, 0.55]
    methods = []
    for on in (True, False):
        with at_any_time(on):
            methods.append(inequality("", values, ">").interval)
    assert [found.method for found in methods if found is not None] == [STUDENT_SEQUENCE, PAIRED_T]
    ranks = np.arange(12.0).reshape(3, 4)
    with at_any_time():
        alike = orders_alike("", ranks, ranks, 0.5)
        assert inequality("", [1.0, 1.0], ">").interval == sequence([1.0, 1.0])
        assert inequality("", [1.0, 1.0], ">").verdict is Verdict.UNDECIDED
    assert alike.interval is not None
    assert (alike.interval.method, alike.verdict) == (BOUNDED_SEQUENCE, Verdict.UNDECIDED)
    assert sequence([1.0] * ALIKE).method == EXACT
    assert orders_alike("", ranks, ranks, 0.5).verdict is Verdict.HOLDS


def test_a_rank_correlation_with_print_is_bounded_as_well() -> None:
    """Of the appendix of 2002: its range is known, so nothing is assumed of its distribution."""

    class Instances:
        setting = "sack/droptail"

        def tolerance(self, name: str) -> float:
            return 0.5

        def D(self, setting: str, algorithm: str, metric: str) -> NDArray[np.float64]:  # noqa: N802
            return np.arange(4.0) + sum(map(ord, algorithm))

    with at_any_time():
        leaves = appendix_table(cast(View, Instances())).leaves()
        methods = [leaf.interval.method for leaf in leaves if leaf.interval and leaf.text.startswith("rho")]
    assert methods == [BOUNDED_SEQUENCE] * 4


def test_the_table_judges_as_an_inequality_does_equal_values_included() -> None:
    values = (RANDOM(12).uniform(size=(40, 60)) < 0.05).astype(float)
    values[0] = 0.0
    for on, reach, alike in ((True, student_reach, ALIKE), (False, student_t, 2)):
        decides = student_decides(values - 0.05, reach, alike)
        for trial, row in enumerate(values):
            for place, n in enumerate(looks(60)):
                if not on and n >= BOOTSTRAP_FROM:
                    continue  # a bootstrap from there on
                with at_any_time(on):
                    verdict = inequality("", row[:n], ">", 0.05).verdict
                assert (verdict is not Verdict.UNDECIDED) == decides[trial, place], (on, trial, n)


def test_a_rare_event_stops_seldom_because_it_was_not_seen() -> None:
    rare = (RANDOM(13).uniform(size=(4000, 200)) < 0.1).astype(float) - 0.1
    assert errors(student_decides(rare, student_reach, ALIKE)) < 0.08
    assert errors(student_decides(rare, student_reach)) > 0.5  # where equal values are certain at once


def test_values_outside_their_range_are_a_mistake() -> None:
    with pytest.raises(ValueError, match="expected from 0 to 1"):
        sequence([0.5, 1.5], between=(0.0, 1.0))


def test_the_table_of_the_page_is_the_one_that_comes_out() -> None:
    text = PAGE.read_text(encoding="utf-8")
    assert filled(text) == text, "run `python -m tools.deciding_page`"
