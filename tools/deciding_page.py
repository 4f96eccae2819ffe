"""Fills the marked places of docs/deciding.md: `python -m tools.deciding_page`. What stops at luck, on values whose mean is known.

Every row draws TRIALS experiments whose true mean lies exactly on the bound, so that every decision is an error. A rule looks at 5, 10, 15
... MOST values (or from FIRST on) and stops when it decides. The last columns have another mean, EFFECT standard deviations away: how many
values half of the experiments need to see it.

Source: [WaudbySmithRamdas24] and [Lai76] for what is measured, by way of ``experiment.anytime``.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Final

import numpy as np
from numpy.typing import NDArray

from sawtooth.experiment.anytime import ALIKE, bets, student_reach
from sawtooth.experiment.intervals import student_t
from sawtooth.experiment.stopping import BATCH, FIRST
from tools.results_page import PLACE, table

PAGE = Path(__file__).resolve().parents[1] / "docs" / "deciding.md"
TRIALS: Final = 4000
MOST: Final = 200
EFFECT: Final = 0.5
TAIL: Final = 0.025

Values = NDArray[np.float64]
Draw = Callable[[np.random.RandomState, tuple[int, int]], Values]

SPREAD: Final = float(np.sqrt(np.expm1(1.0) * np.exp(1.0)))
"""Standard deviation of the log-normal distribution."""
DISTRIBUTIONS: Final[tuple[tuple[str, Draw, float, float, bool], ...]] = (
    ("normal", lambda r, s: np.asarray(r.normal(size=s)), 0.0, 1.0, False),
    ("uniform from 0 to 1", lambda r, s: np.asarray(r.uniform(size=s)), 0.5, 12**-0.5, True),
    ("0 or 1, each as often", lambda r, s: (r.uniform(size=s) < 0.5).astype(float), 0.5, 0.5, True),
    ("1 in a tenth, else 0", lambda r, s: (r.uniform(size=s) < 0.1).astype(float), 0.1, 0.3, True),
    ("exponential", lambda r, s: np.asarray(r.exponential(size=s)), 1.0, 1.0, False),
    (
        "log-normal",
        lambda r, s: np.asarray(r.lognormal(size=s)),
        float(np.exp(0.5)),
        SPREAD,
        False,
    ),
    (
        "difference of two log-normal",
        lambda r, s: np.asarray(r.lognormal(size=s) - r.lognormal(size=s)),
        0.0,
        2**0.5 * SPREAD,
        False,
    ),
)
"""Name, draw, mean, standard deviation, whether all values lie between 0 and 1."""


def statistics(values: Values, alike: int) -> Values:
    """Student's statistic of the first n values of every trial, by n. Equal values, which have no spread, are certain from ``alike`` on;
    before, they say nothing."""
    n = np.arange(1, values.shape[1] + 1)
    sums, squares = values.cumsum(axis=1), (values**2).cumsum(axis=1)
    with np.errstate(divide="ignore", invalid="ignore"):
        variance = np.maximum(squares - sums**2 / n, 0.0) / np.maximum(n - 1, 1)
        certain = np.where((n >= alike) & (np.abs(sums) > 1e-12), np.inf, 0.0)
        return np.asarray(np.where(variance > 1e-12, sums / np.sqrt(n * variance), certain))


def looks(most: int = MOST) -> list[int]:
    """The numbers of values at which a rule looks."""
    return list(range(BATCH, most + 1, BATCH))


def student_decides(values: Values, reach: Callable[[int], float], alike: int = 2) -> NDArray[np.bool_]:
    """Whether Student's statistic of values about their bound exceeds its reach, by trial and look."""
    t = statistics(values, alike)
    return np.stack([np.abs(t[:, n - 1]) > reach(n) for n in looks(values.shape[1])], axis=1)


def bounded_decides(values: Values, bound: float) -> NDArray[np.bool_]:
    """Whether the empirical-Bernstein sequence of values from 0 to 1 leaves the bound out, by trial and look."""
    weights, costs = bets(values)
    gain, cost = (weights * (values - bound)).cumsum(axis=1), costs.cumsum(axis=1)
    places = [n - 1 for n in looks(values.shape[1])]
    return np.asarray((np.abs(gain) - cost)[:, places] >= np.log(1.0 / TAIL))


def errors(decides: NDArray[np.bool_]) -> float:
    """The share of trials that a rule decides at some look."""
    return float(decides.any(axis=1).mean())


def needed(decides: NDArray[np.bool_]) -> str:
    """The values at which half of the trials are decided."""
    when = np.where(decides.any(axis=1), decides.argmax(axis=1), len(looks(MOST)))
    middle = int(np.median(when))
    return str(looks()[middle]) if middle < len(looks()) else f"more than {MOST}"


def rows(trials: int = TRIALS) -> list[tuple[str, ...]]:
    """A row per distribution."""
    made = []
    for name, draw, mean, deviation, bounded in DISTRIBUTIONS:
        values = draw(np.random.RandomState(20020501), (trials, MOST))
        at_20 = student_decides((values - mean)[:, :20], student_t)[:, -1:]
        peeked = student_decides(values - mean, student_t)
        sequence = student_decides(values - mean, student_reach, ALIKE)
        moved = student_decides(values - mean + EFFECT * deviation, student_reach, ALIKE)
        other = percent(errors(bounded_decides(values, mean))) if bounded else "–"
        seen = needed(bounded_decides(values, mean - EFFECT * deviation)) if bounded else "–"
        shown = (
            percent(errors(rule)) for rule in (at_20, peeked, sequence, sequence[:, looks().index(FIRST) :])
        )
        made.append((name, *shown, other, needed(moved), seen))
    return made


def percent(share: float) -> str:
    """In words."""
    return f"{100 * share:.1f} %"


HEADS: Final = (
    "values",
    "t at 20 alone",
    "t, looked at after every batch",
    "Student-t sequence from 5 on",
    f"from {FIRST} on",
    "empirical Bernstein",
    "values needed, Student-t",
    "values needed, empirical Bernstein",
)


def filled(page: str) -> str:
    """The page with its table. KeyError for a place that nothing is made for."""
    made = {"errors": lambda: table(HEADS, rows())}
    return PLACE.sub(lambda found: f"{found[1]}\n{made[found[2]]()}\n\n{found[3]}", page)


if __name__ == "__main__":
    PAGE.write_text(filled(PAGE.read_text(encoding="utf-8")), encoding="utf-8")
