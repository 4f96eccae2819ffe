"""Flows alike on a drop-tail link, over the fixed points of AIMD, AIMD-FC and AIMD-FC+: how deep the load falls, how full windows are.

Source: [Lahanas03] §3.1, §3.2 and §4.2. In the synchronous model AIMD(1, 1/2) falls to 1/2 of the load at which it meets the capacity,
AIMD-FC to 2/3 and AIMD-FC+ to 7/9, with means of 3/4, 5/6 and 8/9 over the rounds of a cycle; here the model is run at the measured
capacity, where whole steps make a small difference. The *floor* is the load, the sum of the windows, after a congestion epoch over that
before it. The *mean* is that of a window from one decrease of its flow to the next, over the window at its end.

Parts of a deviation:

- *unsynchronised loss* (floor): depth of the model times the share of the load whose flows did not decrease in the epoch
- *recovery* (mean): a round in every cycle spent at the lowest window
- *slow start* (mean): share of the time below the slow-start threshold, after timeouts, as loss of window
"""

from __future__ import annotations

import copy
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from sawtooth import _native
from sawtooth.experiment.intervals import interval
from sawtooth.experiment.plan import put
from sawtooth.models import fast_convergence, synchronous
from sawtooth.papers.formulas.causes import (
    SAMPLE,
    TIMEOUT,
    column,
    epochs,
    slow_start_share,
    synchronised_share,
)
from sawtooth.papers.formulas.points import FormulaCurve, FormulaPoint, mean
from sawtooth.scenario import units

if TYPE_CHECKING:
    from sawtooth.papers.formulas.study import OverlayStudy
    from sawtooth.run.run import Run

MODEL: Final = "the synchronous model"
CLOSED: Final = "the closed form for large windows"
MEANING: Final[Mapping[str, str]] = {
    "synchronised": "share of the congestion epochs in which every flow decreased",
    "timeouts": "timeouts over all decreases",
    "early": "share of the decreases that follow the one before within half of the model's cycle",
    "part": "share of the load whose flows decreased in an epoch",
    "unsynchronised loss": "depth of the model times the share of the load that did not decrease",
    "recovery": "a round in every cycle at the lowest window",
    "slow start": "share of the time below the slow-start threshold, as loss of window",
}
SHARES: Final = ("synchronised", "part", "timeouts", "early")
EPOCH_ROUNDS: Final = 1.5
"""Losses within so many round trips of the first are one congestion epoch: a queue that overflows is seen a round trip later."""
MODEL_CYCLES: Final = 60
"""Cycles after which the model is at its fixed point: its slowest factor is 0.707 ([Lahanas03] §4.2)."""


@dataclass(frozen=True)
class FixedCase:
    """One run: so many flows of a law, with one seed."""

    control: str
    flows: int
    seed: str


def cases(study: OverlayStudy) -> Iterator[FixedCase]:
    """Every run."""
    for control in study.fixed_points.controls:
        for flows in study.fixed_points.flows:
            for seed in study.seed_names:
                yield FixedCase(control, flows, seed)


def plan(study: OverlayStudy) -> Iterator[tuple[FixedCase, dict[str, Any]]]:
    """Every run with its scenario."""
    for case in cases(study):
        data = copy.deepcopy(study.fixed_points.scenario)
        put(data, "flows.control", case.control)
        put(data, "flows.count", case.flows)
        yield case, data


def reduce(study: OverlayStudy, case: FixedCase, run: Run) -> dict[str, float]:
    """Floor and mean of all flows, those of the model at the measured capacity, and what happened."""
    windows = run.records["windows"]
    counted = column(windows, "time_ns") > run.engine["warmup_ns"]
    flows, events = column(windows, "flow")[counted], column(windows, "event")[counted]
    before, after = column(windows, "window_before")[counted], column(windows, "window")[counted]
    times = column(windows, "time_ns")[counted] / 1e9
    cut = events != SAMPLE
    peaks, means = [], []
    gaps: list[float] = []
    for flow in range(case.flows):
        own = flows == flow
        places = np.flatnonzero(own & cut)
        for first, second in pairwise(places.tolist()):
            sampled = own[first:second] & ~cut[first:second]
            if sampled.any():
                peaks.append(before[second])
                means.append(float(after[first:second][sampled].mean()))
            gaps.append(times[second] - times[first])
    peak = float(before[cut].mean())
    model = synchronous.rounds(case.control, [peak] * case.flows, peak * case.flows, MODEL_CYCLES)
    rtt_ns = units.parse_time(study.fixed_points.scenario["path"]["rtt"])
    found = epochs(run, int(EPOCH_ROUNDS * rtt_ns), run.engine["warmup_ns"])
    cycle_s = float(np.mean(model.growth_rounds[-10:])) * rtt_ns / 1e9
    return {
        "floor": sum(sum(entry.after) for entry in found) / sum(sum(entry.before) for entry in found),
        "part": float(np.mean([entry.hit_share for entry in found])),
        "rounds": float(np.mean(model.growth_rounds[-10:])) + 1,
        "slow start": slow_start_share(run),
        "mean": float(np.sum(means) / np.sum(peaks)),
        "model floor": 1 - model.smoothness(),
        "model mean": model.efficiency(),
        "synchronised": synchronised_share(found),
        "timeouts": float(np.mean(events[cut] == TIMEOUT)),
        "early": float(np.mean(np.array(gaps) < cycle_s / 2)),
    }


Found = Mapping[FixedCase, tuple[str, dict[str, float]]]


def curves(study: OverlayStudy, found: Found) -> list[FormulaCurve]:
    """Floor and mean over the number of flows, by law."""
    return [
        _curve(
            study,
            found,
            "fixed-floor",
            "How deep the load falls",
            "floor",
            "load after over before congestion",
        ),
        _curve(
            study,
            found,
            "fixed-mean",
            "How full a window is kept",
            "mean",
            "mean over highest window of a cycle",
        ),
    ]


def _curve(study: OverlayStudy, found: Found, name: str, title: str, what: str, label: str) -> FormulaCurve:
    points = []
    lines = {}
    for control in study.fixed_points.controls:
        for flows in study.fixed_points.flows:
            cases = [FixedCase(control, flows, seed) for seed in study.seed_names]
            kept = [found[case][1] for case in cases]
            measured = np.array([entry[what] for entry in kept])
            model = np.array([entry[f"model {what}"] for entry in kept])
            points.append(
                FormulaPoint(
                    control,
                    flows,
                    {MODEL: float(model.mean()), CLOSED: closed_form(control, what)},
                    interval(measured),
                    interval(measured - model),
                    {entry: mean([row[entry] for row in kept]) for entry in SHARES},
                    _parts(what, kept),
                    tuple(found[case][0] for case in cases),
                )
            )
        own = [point for point in points if point.series == control]
        lines[control] = ([point.x for point in own], [point.formulas[MODEL] for point in own])
    return FormulaCurve(name, title, "flows", label, MODEL, "difference", points, MEANING, lines=lines)


def closed_form(control: str, what: str) -> float:
    """Floor or mean of a law where steps are small against the window ([Lahanas03] §3.1, §4.2, ``models.fast_convergence``)."""
    law = json.loads(_native.controller(control))
    if law["kind"] == "linear":
        return float(law["b_d"]) if what == "floor" else float(fast_convergence.aimd_efficiency(law["b_d"]))
    shape = fast_convergence.minimum if what == "floor" else fast_convergence.efficiency
    return float(shape(law["b"], law["f"]))


def _parts(what: str, kept: list[dict[str, float]]) -> dict[str, float]:
    """The parts of a deviation of the floor or of the mean, over the seeds."""
    if what == "floor":
        return {"unsynchronised loss": mean([(1 - row["model floor"]) * (1 - row["part"]) for row in kept])}
    rests = [(row["model floor"] - row["model mean"]) / (row["rounds"] + 1) for row in kept]
    return {
        "recovery": mean(rests),
        "slow start": -mean([row["slow start"] * row["model mean"] for row in kept]),
    }
