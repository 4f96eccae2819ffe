"""Rank correlations: as scipy computes them, row by row, with intervals that shrink as agreement becomes certain."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.stats import kendalltau, spearmanr

from sawtooth.experiment.rank import agreement, kendall_rows, spearman_rows


def test_rows_are_those_of_scipy_with_ties_and_without() -> None:
    random = np.random.RandomState(3)
    x = random.randint(0, 6, size=(40, 9)).astype(float)
    y = random.randint(0, 6, size=(40, 9)).astype(float)
    for ours, theirs in ((spearman_rows(x, y), spearmanr), (kendall_rows(x, y), kendalltau)):
        wanted = [theirs(a, b)[0] for a, b in zip(x, y, strict=True)]
        assert ours == pytest.approx(np.array(wanted), abs=1e-12)


def test_an_order_that_seeds_agree_on() -> None:
    theirs = np.arange(9.0)
    ours = np.stack([theirs * 2, theirs * 3]).T
    found = agreement(ours, theirs)
    assert found.n == 9
    for estimate in (found.rho, found.tau):
        assert estimate.value == estimate.low == estimate.high == pytest.approx(1.0)
    turned = agreement(-ours, theirs)
    assert turned.rho.value == pytest.approx(-1.0)


def test_noise_between_seeds_and_instances_widens_the_interval() -> None:
    random = np.random.RandomState(4)
    theirs = np.arange(9.0)
    calm = agreement(theirs[:, None] + random.normal(size=(9, 5)) * 0.5, theirs)
    noisy = agreement(theirs[:, None] + random.normal(size=(9, 5)) * 12, theirs)
    assert calm.rho.low is not None
    assert noisy.rho.low is not None
    assert noisy.rho.high is not None
    assert calm.rho.low > 0.8
    assert noisy.rho.low < 0.2 < noisy.rho.high
    again = agreement(theirs[:, None] + np.random.RandomState(4).normal(size=(9, 5)) * 0.5, theirs)
    assert again == calm


def test_all_ties_have_no_order() -> None:
    found = agreement(np.ones((4, 2)), np.arange(4.0))
    assert math.isnan(found.rho.value)
    assert found.rho.low is None


def test_tables_of_different_length_are_refused() -> None:
    with pytest.raises(ValueError, match="9 things of ours"):
        agreement(np.ones((9, 2)), np.ones(8))
