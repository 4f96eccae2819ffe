"""Claims about TCP under random loss: does the response function of TFRC bound it, and is it closer than the deterministic one.

Source: [Floyd00] §2, §3.1 and equations 1 and 8. Judged on the runs ``random-loss`` of the study ``mathematics``: one SACK flow of
AIMD(1, 1/2), each packet lost with probability p. Equation 1 has t_RTO as the timer that these flows really have. Rates are packets
sent per round trip.
"""

from __future__ import annotations

from typing import Final

import numpy as np

from sawtooth.claims.logic import Finding, both, inequality, with_words
from sawtooth.claims.view import View
from sawtooth.claims.words import Word
from sawtooth.experiment.matrix import ProbeRun
from sawtooth.models import padhye, response
from sawtooth.models.inputs import Numbers

PROBE: Final = "random-loss"
TCP: Final = "tcp(1, 0.5)"
BOUND_FROM, BOUND_TO = 0.001, 0.2
"""Loss rates over which the bound is tried."""
BETTER_FROM, BETTER_TO = 0.01, 0.2
"""Loss rates over which errors are averaged: where timeouts begin to matter."""
CONSIDERABLY: Final = Word(
    "considerably",
    0.75,
    "considerably better: a mean error below this share of the other, as the studies of this paper take the word",
)


def _by_loss(view: View, low: float, high: float) -> dict[float, list[ProbeRun]]:
    """The runs of TCP by loss rate, seeds in order."""
    found: dict[float, list[ProbeRun]] = {}
    for run in view.probe(PROBE):
        p = float(run.labels["p"])
        if run.labels["control"] == TCP and low <= p <= high:
            found.setdefault(p, []).append(run)
    return found


def _rates(runs: list[ProbeRun]) -> Numbers:
    return np.array([run.values["rate"] for run in runs])


def upper_bound(view: View) -> Finding:
    """Measured rate <= T(p) of equation 1, where p is the rate of loss events, as in the paper, at each loss rate from 0.001 to 0.2."""
    operands = []
    for p, runs in _by_loss(view, BOUND_FROM, BOUND_TO).items():
        by_packets = float(padhye.tfrc(p, 1.0, runs[0].values["timer_rounds"]))
        at_events = [
            run.values["rate"] / float(padhye.tfrc(run.values["event rate"], 1.0, run.values["timer_rounds"]))
            for run in runs
        ]
        operands.append(
            inequality(
                f"rate over that of equation 1 at the rate of loss events, each packet lost with p = {p:g}",
                at_events,
                "<=",
                1.0,
                event_rate=float(np.mean([run.values["event rate"] for run in runs])),
                with_p_of_packets=float(np.mean(_rates(runs)) / by_packets),
            )
        )
    return both("equation 1 bounds the rate of TCP from above", operands)


def stochastic_better(view: View) -> Finding:
    """Mean relative error of equation 1 considerably below that of equation 8, over p from 0.01 to 0.2."""
    first, eighth = [], []
    for p, runs in _by_loss(view, BETTER_FROM, BETTER_TO).items():
        rates = _rates(runs)
        first.append(np.abs(float(padhye.tfrc(p, 1.0, runs[0].values["timer_rounds"])) / rates - 1))
        eighth.append(np.abs(float(response.approximate_rate(1, 0.5, p)) / rates - 1))
    better = np.mean(first, axis=0) - CONSIDERABLY.value * np.mean(eighth, axis=0)
    found = inequality(
        f"mean relative error of equation 1 less {CONSIDERABLY.value:g} times that of equation 8",
        better,
        "<",
        error_of_equation_1=float(np.mean(first)),
        error_of_equation_8=float(np.mean(eighth)),
    )
    return with_words(found, CONSIDERABLY)
