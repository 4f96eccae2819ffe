"""Two flows with different windows on one drop-tail link, over the path that the synchronous model gives them.

Source: [ChiuJain89] §2, [Akella02] §5.1: flows that decrease together close their gap by the same factor in every cycle (AIMD) or keep it
(AIAD keeps the difference, MIMD the ratio). What is compared is the relative gap (w1 - w2)/(w1 + w2) after each congestion epoch;
w1 began larger.
The model starts, per seed, at the windows measured before the first epoch in which a flow decreases, with their sum as capacity.

The part of a deviation that is due to *unsynchronised loss* comes from the model too: it is run once more with the decreases that each flow
really made, epoch by epoch, and growth in common in between up to the load measured before the next; what that changes is the part.
"""

from __future__ import annotations

import copy
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from sawtooth import _native
from sawtooth.experiment.intervals import interval
from sawtooth.experiment.plan import put
from sawtooth.models import synchronous
from sawtooth.papers.formulas.causes import Epoch, epochs, synchronised_share
from sawtooth.papers.formulas.points import FormulaCurve, FormulaPoint, mean

if TYPE_CHECKING:
    from sawtooth.papers.formulas.study import OverlayStudy
    from sawtooth.run.run import Run

MODEL: Final = "the synchronous model"
MEANING: Final[Mapping[str, str]] = {
    "synchronised": "share of the epochs up to here in which both flows decreased",
    "timeouts": "share of the decreases up to here that were timeouts",
    "seeds apart": "share of the seeds in which the gap is farther from the model than the tolerance",
    "unsynchronised loss": "what the model changes by when each flow makes the decreases it really made",
}
GROWTH_MOST: Final = 100_000
"""Rounds after which a model that does not reach its load is given up."""


@dataclass(frozen=True)
class SharingCase:
    """One run: two flows of a law, with one seed."""

    control: str
    seed: str


def cases(study: OverlayStudy) -> Iterator[SharingCase]:
    """Every run."""
    return (SharingCase(control, seed) for control in study.sharing.controls for seed in study.seed_names)


def plan(study: OverlayStudy) -> Iterator[tuple[SharingCase, dict[str, Any]]]:
    """Every run with its scenario."""
    for case in cases(study):
        data = copy.deepcopy(study.sharing.scenario)
        put(data, "flows.control", case.control)
        yield case, data


def reduce(study: OverlayStudy, case: SharingCase, run: Run) -> dict[str, list[float]]:
    """Relative gaps after each of the epochs: measured, by the model, and by the model with the real decreases; and what happened."""
    cycles = study.sharing.cycles
    found = epochs(run, study.sharing.epoch)
    # Slow start of the second flow may end in a loss of its own before the first common queue: the path begins when the link is full.
    found = found[: cycles + 1]
    if len(found) < cycles:
        raise AssertionError(f"{case}: {len(found)} congestion epochs, wanted {cycles}: the run is too short")
    start, capacity = found[0].before, sum(found[0].before)
    model = synchronous.rounds(case.control, start, capacity, cycles).after_decreases()
    return {
        "start": [_gap(start)],
        "measured": [_gap(entry.after) for entry in found[:cycles]],
        "model": [_gap(tuple(row)) for row in model[:cycles].tolist()],
        "replayed": [_gap(row) for row in replay(case.control, found[:cycles])],
        "synchronised": [synchronised_share(found[: n + 1]) for n in range(cycles)],
        "timeouts": [
            sum(e.timeouts for e in found[: n + 1]) / sum(sum(e.cuts) for e in found[: n + 1])
            for n in range(cycles)
        ],
    }


def _gap(windows: Sequence[float]) -> float:
    first, second = windows
    return (first - second) / (first + second)


def replay(control: str, found: Sequence[Epoch]) -> list[tuple[float, ...]]:
    """Windows after each epoch when each flow decreases as often as it really did and all grow in common to the load measured next."""
    law = json.loads(_native.controller(control))
    windows = np.array(found[0].before)
    after: list[tuple[float, ...]] = []
    for place, entry in enumerate(found):
        load = sum(entry.before)
        for _ in range(GROWTH_MOST if place else 0):
            if windows.sum() >= load:
                break
            windows = law["a_i"] + law["b_i"] * windows
        for flow, cuts in enumerate(entry.cuts):
            for _ in range(cuts):
                windows[flow] = max(1.0, law["a_d"] + law["b_d"] * windows[flow])
        after.append(tuple(windows.tolist()))
    return after


Found = Mapping[SharingCase, tuple[str, dict[str, list[float]]]]


def curves(study: OverlayStudy, found: Found) -> list[FormulaCurve]:
    """The relative gap over congestion epochs, by law."""
    points = []
    lines = {}
    for control in study.sharing.controls:
        cases = [SharingCase(control, seed) for seed in study.seed_names]
        kept = [found[case][1] for case in cases]
        ids = tuple(found[case][0] for case in cases)
        for cycle in range(study.sharing.cycles):
            at = {
                name: np.array([entry[name][cycle] for entry in kept]) for name in kept[0] if name != "start"
            }
            points.append(
                FormulaPoint(
                    control,
                    cycle + 1,
                    {MODEL: float(at["model"].mean())},
                    interval(at["measured"]),
                    interval(at["measured"] - at["model"]),
                    {
                        **{name: mean(at[name].tolist()) for name in ("synchronised", "timeouts")},
                        "seeds apart": float(np.mean(np.abs(at["measured"] - at["model"]) > study.apart)),
                    },
                    {"unsynchronised loss": float((at["replayed"] - at["model"]).mean())},
                    ids,
                )
            )
        begin = mean([entry["start"][0] for entry in kept])
        drawn = [point.formulas[MODEL] for point in points if point.series == control]
        lines[control] = (list(range(study.sharing.cycles + 1)), [begin, *drawn])
    return [
        FormulaCurve(
            "fairness-path",
            "The path of two flows towards equal windows",
            "congestion epoch",
            "relative gap of windows",
            MODEL,
            "difference",
            points,
            MEANING,
            lines=lines,
        )
    ]
