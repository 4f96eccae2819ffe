"""Scores: examples worked by hand, and what must hold for any values."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from numpy.typing import NDArray

from sawtooth.experiment.scoring import (
    HIGHER_IS_BETTER,
    SCORED,
    difference_by_identity,
    distances,
    ratio_scores,
    score,
    score_all,
)
from sawtooth.measure.metrics import metric

NAMES, PLACES = ("a", "b", "c"), ("e", "f")

# shape (3 algorithms, 2 environments, 2 seeds)
VALUES = np.array([[[0.9, 0.5], [0.5, 0.5]], [[0.7, 0.7], [0.8, 0.6]], [[0.6, 0.6], [0.4, 0.9]]])


def by_name(metric_name: str, values: NDArray[np.float64]) -> dict[str, list[float]]:
    """D of the two seeds, then C of the two seeds, by algorithm."""
    return {
        item.algorithm: [*item.D_seeds.tolist(), *item.C_seeds.tolist()]
        for item in score(metric_name, values, NAMES, PLACES)
    }


def test_goodput_by_hand() -> None:
    # seed 1: best 0.9, 0.8; d = (0, .3) (.2, 0) (.3, .4). seed 2: best 0.7, 0.9; d = (.2, .4) (0, .3) (.1, 0).
    found = by_name("goodput", VALUES)
    assert found["a"] == pytest.approx([0.3, 0.6, 0.3, 0.4])
    assert found["b"] == pytest.approx([0.2, 0.3, 0.2, 0.3])
    assert found["c"] == pytest.approx([0.7, 0.1, 0.4, 0.1])


def test_less_is_better_by_hand() -> None:
    # seed 1: best 0.6, 0.4; d = (.3, .1) (.1, .4) (0, 0). seed 2: best 0.5, 0.5; d = (0, 0) (.2, .1) (.1, .4).
    found = by_name("loss", VALUES)
    assert found["a"] == pytest.approx([0.4, 0.0, 0.3, 0.0])
    assert found["b"] == pytest.approx([0.5, 0.3, 0.4, 0.2])
    assert found["c"] == pytest.approx([0.0, 0.5, 0.0, 0.4])


def test_scores_are_means_of_seeds_and_stand_beside_scores_of_means() -> None:
    found = {item.algorithm: item for item in score("goodput", VALUES, NAMES, PLACES)}
    assert found["c"].D.mean == pytest.approx(0.4)
    # means: a (0.7, 0.5), b (0.7, 0.7), c (0.6, 0.65); best 0.7, 0.7; d of c = 0.1, 0.05
    assert found["c"].D_of_means == pytest.approx(0.15)
    assert found["c"].C_of_means == pytest.approx(0.1)
    assert found["c"].worst == "e"


def test_goodput_is_clipped_at_one_and_nothing_else_is() -> None:
    values = np.array([[[1.4]], [[1.0]], [[0.9]]])
    found = {item.algorithm: item.D.mean for item in score("goodput", values, NAMES, ("e",))}
    assert found == {"a": 0.0, "b": 0.0, "c": pytest.approx(0.1)}
    unclipped = {i.algorithm: i.D.mean for i in score("goodput", values, NAMES, ("e",), clip_goodput=None)}
    assert unclipped["b"] == pytest.approx(0.4)
    assert [i.D.mean for i in score("fairness", values, NAMES, ("e",))] == pytest.approx([0.5, 0.1, 0.0])


def test_directions_are_those_of_the_metrics() -> None:
    assert {name: metric(name).higher_is_better for name in SCORED} == dict(HIGHER_IS_BETTER)


def test_the_ratio_form_by_hand() -> None:
    # seed 1: best/own - 1 = (0, .6), (2/7, 0), (.5, 1)
    assert ratio_scores(VALUES)[:, 0].tolist() == pytest.approx([0.6, 2 / 7, 1.5])
    assert ratio_scores(np.array([[[0.5]], [[0.0]]]))[:, 0].tolist() == [0.0, np.inf]


def test_scores_name_their_sets() -> None:
    values = dict.fromkeys(SCORED, VALUES)
    found = score_all(values, NAMES, PLACES)
    assert (found.algorithms, found.environments) == (NAMES, PLACES)
    assert found.of("b", "loss").D.mean == pytest.approx(0.4)


@pytest.mark.parametrize("shape", [(3, 2), (2, 2, 4), (3, 2, 0)])
def test_values_of_another_shape_are_refused(shape: tuple[int, ...]) -> None:
    with pytest.raises(ValueError, match="shape"):
        score("loss", np.zeros(shape), NAMES, PLACES)


BOXES = arrays(np.float64, (4, 3, 2), elements=st.floats(0, 1, width=32))


@given(BOXES, st.sampled_from(SCORED))
def test_what_holds_for_any_values(values: NDArray[np.float64], name: str) -> None:
    names, places = ("a", "b", "c", "d"), ("e", "f", "g")
    higher = HIGHER_IS_BETTER[name]
    d = distances(values, higher_is_better=higher)
    assert (d >= 0).all()
    assert (d.min(axis=0) == 0).all()  # somebody is the best everywhere
    found = {item.algorithm: item for item in score(name, values, names, places)}
    for item in found.values():
        assert (item.D_seeds >= item.C_seeds - 1e-12).all()
        assert item.D_of_means <= item.D.mean + 1e-12  # noise only adds
    # Differences of D: by the identity, and whoever else is compared.
    fewer = {item.algorithm: item for item in score(name, values[:2], names[:2], places)}
    direct = difference_by_identity(values, 0, 1, higher_is_better=higher)
    assert found["a"].D_seeds - found["b"].D_seeds == pytest.approx(direct, abs=1e-12)
    assert fewer["a"].D_seeds - fewer["b"].D_seeds == pytest.approx(direct, abs=1e-12)
