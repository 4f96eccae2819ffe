"""Claims of section 3.3 about environments 11 to 13: web-like cross traffic over two routers.

Source: [Akella02] section 3.3. The runs are those of the main studies in these environments. Tolerance: ``cross_same``.
"""

from __future__ import annotations

import itertools
from typing import Final

from sawtooth.claims.differences import minus, within
from sawtooth.claims.logic import Finding, both, fact, inequality
from sawtooth.claims.view import UnavailableError, View
from sawtooth.experiment.scoring import Values
from sawtooth.papers.akella2002.four import FOUR

WEB_LIKE: Final = ("real-cons-low", "real-cons-high", "real-sq")


def _cells(view: View, setting: str, name: str, quantity: str) -> dict[str, Values]:
    """A quantity of one algorithm in environments 11 to 13, per seed."""
    missing = [place for place in WEB_LIKE if place not in view.environments]
    if missing:
        raise UnavailableError(", ".join(missing))
    values = view.raw(setting, name, quantity)
    return {place: values[view.environments.index(place)] for place in WEB_LIKE}


def cross_share(view: View) -> Finding:
    """What cross traffic carries after R0 is the same for all four within ``cross_same`` of the capacity, and no more than its share.

    Its share is max-min: a flow of cross traffic gets no more of R0 than a place-holder, which always has packets to send.
    """
    bound = view.tolerance("cross_same")
    operands = []
    for setting in view.settings:
        share = {name: _cells(view, setting, name, "cross_share") for name in FOUR}
        excess = {name: _cells(view, setting, name, "cross_excess") for name in FOUR}
        for place in WEB_LIKE:
            for a, b in itertools.combinations(FOUR, 2):
                text = f"cross traffic after R0, share of the capacity, {a} - {b}, {place}, {setting}"
                operands += within(text, minus(share[a][place], share[b][place]), bound)
            operands += [
                inequality(
                    f"rate of a cross flow over that of a place-holder less 1, {name}, {place}, {setting}",
                    excess[name][place],
                    "<=",
                )
                for name in FOUR
            ]
    return both("cross traffic has the same share whatever is tested, and no more than its due", operands)


def _none(text: str, drops: Values) -> Finding:
    """No drop in any seed: one is a counter-example whatever further seeds have, none in so many is as sure as equal values are."""
    total = float(drops.sum())
    if total > 0.0:
        return fact(text, False, judged="drops = 0, in each environment and seed", drops=total)
    return inequality(text, drops, "<=", drops=total)


def cross_no_loss(view: View) -> Finding:
    """No packet of cross traffic is dropped at R1, in any run."""
    return both(
        "cross traffic loses nothing at R1",
        [
            _none(f"drops of cross traffic at R1, {name}, {place}, {setting}", values)
            for setting in view.settings
            for name in FOUR
            for place, values in _cells(view, setting, name, "cross_drops").items()
        ],
    )
