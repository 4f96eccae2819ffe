"""Rates of one flow under known losses over the response functions: regular losses, random losses, and the constant of 1/sqrt(p).

Source: [Floyd00] §3.1 and appendix A, [Mathis97], [Padhye98] §2. One flow, a link that is never full. Rates are packets sent per
round trip, retransmissions included, since p is a share of the packets sent.

Parts of a deviation, in units of the rate:

- *waiting* and *slow start*: the share of the time they take, as loss of rate
- *small windows*: exact over approximate response function less one, under random losses, whose closed form leaves out the same term
- *whole packets*: rate of ``models.whole_packets`` over the exact response function less one, at every (1/p)-th packet lost
- *shared events*: formula at the rate of loss events over formula at p, less one: losses of one window count once
"""

from __future__ import annotations

import copy
import json
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from sawtooth import _native
from sawtooth.experiment.intervals import interval
from sawtooth.experiment.plan import put
from sawtooth.models import padhye, random_loss, response
from sawtooth.models.whole_packets import SMALLEST_PERIOD, whole_packets
from sawtooth.papers.formulas.causes import slow_start_share, total, waiting_share
from sawtooth.papers.formulas.points import FormulaCurve, FormulaPoint, mean
from sawtooth.scenario import units

if TYPE_CHECKING:
    from sawtooth.papers.formulas.study import OverlayStudy
    from sawtooth.run.run import Run

REGULAR: Final = "regular loss"
RANDOM: Final = "random loss"
EXACT: Final = "the exact response function"
APPROXIMATE: Final = "the approximate response function"
CLOSED: Final = "the closed form of random losses"
FULL: Final = "Padhye's full model"
TFRC: Final = "the response function of TFRC"

MEANING: Final[Mapping[str, str]] = {
    "timeouts": "timeouts over all decreases",
    "waiting": "share of round trips in which nothing new arrived",
    "slow start": "share of the time below the slow-start threshold, waiting not counted",
    "losses per event": "packets lost over decreases",
    "small windows": "exact over approximate response function, less one: what a square root leaves out",
    "whole packets": "rate in whole packets without a network over the exact formula, less one",
    "shared events": "formula at the rate of loss events over formula at p, less one",
}


@dataclass(frozen=True)
class LossCase:
    """One run: which law loses how, with which seed."""

    how: str
    control: str
    p: float
    seed: str


def law_of(control: str) -> tuple[float, float]:
    """(a, b) in Floyd's letters of a control of the AIMD kind: packets per round trip, fraction removed."""
    numbers = json.loads(_native.controller(control))
    return float(numbers["a_i"]), 1 - float(numbers["b_d"])


def label_of(control: str) -> str:
    """AIMD(a, b) in Floyd's letters."""
    a, b = law_of(control)
    return f"AIMD({a:g}, {b:g})"


def cases(study: OverlayStudy) -> Iterator[LossCase]:
    """Every run."""
    return (case for case, _ in _losses(study))


def plan(study: OverlayStudy) -> Iterator[tuple[LossCase, dict[str, Any]]]:
    """Every run with its scenario."""
    return ((case, scenario(study, case, drop)) for case, drop in _losses(study))


def _losses(study: OverlayStudy) -> Iterator[tuple[LossCase, str]]:
    """Every run and its loss: regular ones once, since nothing in them is random, random ones with each seed."""
    loss = study.loss
    for control in loss.controls:
        for period in loss.periods:
            yield LossCase(REGULAR, control, 1 / period, "1"), f"periodic({period})"
    for control in loss.random_controls:
        for p in loss.probabilities:
            for seed in study.seed_names:
                yield LossCase(RANDOM, control, p, seed), f"bernoulli({p:g})"


def scenario(study: OverlayStudy, case: LossCase, drop: str) -> dict[str, Any]:
    """One flow for ``epochs`` losses after ``lead_in`` of them, by the length of an epoch of the deterministic model."""
    data = copy.deepcopy(study.loss.scenario)
    for entry in study.loss.parameter:
        put(data, entry.key, entry.value)
    a, b = law_of(case.control)
    span_s = float(response.epoch(a, b, response.window(a, b, case.p))) * rtt_s(study)
    begin = math.ceil(max(10.0, study.loss.lead_in * span_s))
    counted = math.ceil(max(study.loss.least / 1e9, study.loss.epochs * span_s))
    put(data, "warmup", f"{begin} s")
    put(data, "duration", f"{begin + counted} s")
    put(data, "bottleneck.drop", drop)
    put(data, "flows.control", case.control)
    return data


def rtt_s(study: OverlayStudy) -> float:
    """The round trip of the scenario, s."""
    return units.parse_time(study.loss.value_of("path.rtt")) / 1e9


def reduce(study: OverlayStudy, case: LossCase, run: Run) -> dict[str, float]:
    """What is kept of a run."""
    seconds = (run.engine["duration_ns"] - run.engine["warmup_ns"]) / 1e9
    decreases = total(run, "timeouts") + total(run, "loss_events")
    waiting = waiting_share(run)
    return {
        "rate": total(run, "sent") / seconds * rtt_s(study),
        "timeouts": total(run, "timeouts") / max(1.0, decreases),
        "waiting": waiting,
        "slow start": max(0.0, slow_start_share(run) - waiting),
        "losses per event": total(run, "drops") / max(1.0, decreases),
        "event rate": decreases / max(1.0, total(run, "sent")),
    }


Found = Mapping[LossCase, tuple[str, dict[str, float]]]
"""Run id and what is kept, by case."""


def curves(study: OverlayStudy, found: Found) -> list[FormulaCurve]:
    """The three overlays: regular losses, random losses, and the constant rate times sqrt(p) of both."""
    regular = [
        _point(study, found, REGULAR, control, 1 / period)
        for control in study.loss.controls
        for period in study.loss.periods
    ]
    random = [
        _point(study, found, RANDOM, control, p)
        for control in study.loss.random_controls
        for p in study.loss.probabilities
    ]
    return [
        FormulaCurve(
            "regular-loss",
            "The response function under regular losses",
            "p",
            "packets per round trip",
            EXACT,
            "ratio",
            regular,
            MEANING,
            logarithmic=True,
            lines=_lines(study.loss.controls, [1 / n for n in study.loss.periods], EXACT),
        ),
        FormulaCurve(
            "random-loss",
            "The response function under random losses",
            "p",
            "packets per round trip",
            CLOSED,
            "ratio",
            random,
            MEANING,
            logarithmic=True,
            lines={
                **_lines(study.loss.random_controls, study.loss.probabilities, CLOSED),
                **_timeout_line(study),
            },
        ),
        *_timeouts(study, found),
        *_constants(study, found),
    ]


def _values(study: OverlayStudy, how: str) -> tuple[str, ...]:
    return study.seed_names if how == RANDOM else ("1",)


def formula(name: str, a: float, b: float, p: float, timer_rounds: float) -> float:
    """A formula by name, packets per round trip; ``timer_rounds`` is the timeout in round trips."""
    if name == EXACT:
        return float(response.rate(a, b, p))
    if name == APPROXIMATE:
        return float(response.approximate_rate(a, b, p))
    if name == CLOSED:
        return float(random_loss.random_rate(a, b, p))
    model = padhye.full if name == FULL else padhye.tfrc
    return float(model(p, 1.0, timer_rounds))


def timer_rounds(study: OverlayStudy) -> float:
    """The retransmission timeout of the flows in round trips: on a path without a queue RFC 6298 leaves the minimum, if it is longer."""
    least = units.parse_time(study.loss.value_of("tcp.min_rto")) / 1e9
    return max(1.0, least / rtt_s(study))


def _point(study: OverlayStudy, found: Found, how: str, control: str, p: float) -> FormulaPoint:
    a, b = law_of(control)
    cases = [LossCase(how, control, p, seed) for seed in _values(study, how)]
    kept = [found[case][1] for case in cases]
    names = [EXACT, APPROXIMATE] if how == REGULAR else [CLOSED, EXACT, APPROXIMATE]
    if (a, b) == (1.0, 0.5):
        names += [FULL, TFRC]
    formulas = {name: formula(name, a, b, p, timer_rounds(study)) for name in names}
    rates = np.array([entry["rate"] for entry in kept])
    shares = {
        name: mean([entry[name] for entry in kept])
        for name in ("timeouts", "waiting", "slow start", "losses per event")
    }
    at_events = formula(names[0], a, b, min(0.999, mean([entry["event rate"] for entry in kept])), 1.0)
    return FormulaPoint(
        label_of(control),
        p,
        formulas,
        interval(rates),
        interval(rates / formulas[names[0]] - 1),
        shares,
        {
            "waiting": -shares["waiting"],
            "slow start": -shares["slow start"],
            "small windows": _small(a, b, p) if how == RANDOM else 0.0,
            "whole packets": _whole(a, b, round(1 / p)),
            "shared events": at_events / formulas[names[0]] - 1,
        },
        tuple(found[case][0] for case in cases),
    )


@cache
def _whole(a: float, b: float, n: int) -> float:
    """What whole packets alone cost, as a fraction of the exact rate."""
    return whole_packets(a, b, max(n, SMALLEST_PERIOD)) / float(response.rate(a, b, 1 / n)) - 1


def _small(a: float, b: float, p: float) -> float:
    """What a square root leaves out: exact over approximate response function, less one."""
    return float(response.rate(a, b, p) / response.approximate_rate(a, b, p)) - 1


def _constants(study: OverlayStudy, found: Found) -> list[FormulaCurve]:
    """Rate times sqrt(p) of AIMD(1, 1/2) against [Mathis97]: 1.22 under regular, 1.31 under random losses."""
    control = next(entry for entry in study.loss.controls if law_of(entry) == (1.0, 0.5))
    points = []
    lines: Lines = {}
    for how, places, constant in (
        (REGULAR, [1 / n for n in study.loss.periods], float(random_loss.regular_constant(1, 0.5))),
        (RANDOM, study.loss.probabilities, float(random_loss.random_constant(1, 0.5))),
    ):
        lines[f"AIMD(1, 0.5), {how}"] = ([min(places), max(places)], [constant, constant])
        for p in places:
            cases = [LossCase(how, control, p, seed) for seed in _values(study, how)]
            values = np.array([found[case][1]["rate"] for case in cases]) * math.sqrt(p)
            source = _point(study, found, how, control, p)
            points.append(
                FormulaPoint(
                    f"AIMD(1, 0.5), {how}",
                    p,
                    {"the constant": constant},
                    interval(values),
                    interval(values / constant - 1),
                    source.shares,
                    {**source.causes, "small windows": _small(1.0, 0.5, p)},
                    source.run_ids,
                )
            )
    return [
        FormulaCurve(
            "mathis-constant",
            "The constant of 1/sqrt(p)",
            "p",
            "rate times sqrt(p)",
            "the constant",
            "ratio",
            points,
            MEANING,
            lines=lines,
        )
    ]


def _timeouts(study: OverlayStudy, found: Found) -> list[FormulaCurve]:
    """TCP under random losses against Padhye's full model, with the timer that the flows really have."""
    control = next(entry for entry in study.loss.random_controls if law_of(entry) == (1.0, 0.5))
    points = []
    for p in study.loss.probabilities:
        source = _point(study, found, RANDOM, control, p)
        bound = source.formulas[FULL]
        cases = [LossCase(RANDOM, control, p, seed) for seed in study.seed_names]
        kept = [found[case][1] for case in cases]
        events = formula(FULL, 1.0, 0.5, mean([entry["event rate"] for entry in kept]), timer_rounds(study))
        points.append(
            replace(
                source,
                deviation=interval(np.array([entry["rate"] for entry in kept]) / bound - 1),
                causes={
                    "random gaps": source.formulas[CLOSED] / source.formulas[APPROXIMATE] - 1,
                    "whole packets": source.causes["whole packets"],
                    "shared events": events / bound - 1,
                },
            )
        )
    lines = _timeout_line(study)
    return [
        FormulaCurve(
            "tcp-timeouts",
            "TCP with timeouts under random losses",
            "p",
            "packets per round trip",
            FULL,
            "ratio",
            points,
            {
                **MEANING,
                "random gaps": "constant of random over that of regular losses, less one: the model has regular ones",
            },
            logarithmic=True,
            lines=lines,
        )
    ]


Lines = dict[str, tuple[Sequence[float], Sequence[float]]]


def _lines(controls: Sequence[str], places: Sequence[float], name: str) -> Lines:
    p = np.geomspace(min(places), max(places), 80).tolist()
    return {label_of(c): (p, [formula(name, *law_of(c), x, 1.0) for x in p]) for c in controls}


def _timeout_line(study: OverlayStudy) -> Lines:
    places = study.loss.probabilities
    p = np.geomspace(min(places), max(places), 80).tolist()
    return {
        f"AIMD(1, 0.5), {name}": (p, [formula(name, 1.0, 0.5, x, timer_rounds(study)) for x in p])
        for name in (FULL, TFRC)
    }
