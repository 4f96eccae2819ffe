"""Checks of the claims of the 2003 experiments, on made-up runs: each holds where its sentence is true and fails where it is not."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from itertools import product
from typing import Any

import pyarrow as pa
import pytest

from sawtooth.claims.logic import Finding, Verdict
from sawtooth.claims.view import Part, RunView, View
from sawtooth.experiment.curves import labels, lay, select
from sawtooth.experiment.matrix import ProbeRun, Results
from sawtooth.experiment.plan import Label
from sawtooth.experiment.study import Probe
from sawtooth.papers.lahanas2003 import gain
from sawtooth.papers.lahanas2003.claims import dynamic, stationary
from sawtooth.papers.register import claims
from sawtooth.papers.studies import STUDIES, load_study
from sawtooth.report.curve_tables import markdown_table

PAPER = "lahanas2003"
PARTS = [load_study(name) for name in STUDIES if name.startswith(PAPER)]
Rule = Callable[[str, Mapping[str, Label]], float]
"""The value of a metric or measure in a run with these labels."""


def runs_of(probe: Probe, rule: Rule) -> tuple[ProbeRun, ...]:
    """Three seeds of every cell of a probe, with a little noise that the laws of a seed share."""
    names = ["timeouts", "loss", *(measure.text() for measure in probe.measures)]
    found = []
    for choice in product(*(entry.labels for entry in probe.vary)):
        given = dict(zip((entry.name for entry in probe.vary), choice, strict=True))
        for seed in (1, 2, 3):
            numbers = {name: rule(name, given) * (1 + 1e-6 * seed) for name in names}
            found.append(ProbeRun(given, f"{choice}{seed}", numbers, pa.table({}), str(seed)))
    return tuple(found)


def view_of(rule: Rule, home: str) -> View:
    """What a check sees of all parts of the paper under one rule, from the part that its claim is about."""
    parts = {
        study.name: Part(
            Results({}, {probe.name: runs_of(probe, rule) for probe in study.probe}), study.tolerance, study
        )
        for study in PARTS
    }
    return RunView(parts[home].results, (), parts[home].tolerances, parts)


def judge(check: Callable[[View], Finding], rule: Rule) -> Verdict:
    home = next(e.part for e in claims() if e.check is not None and e.check.endswith(f".{check.__name__}"))
    assert home is not None
    return check(view_of(rule, home)).verdict


def few(labels_: Mapping[str, Label]) -> bool:
    return float(labels_.get("flows", 2)) <= 8


NEW = ("FC", "FC+")


def published(name: str, given: Mapping[str, Label]) -> float:
    """A world in which every sentence of the paper is true."""
    law, red = given.get("algorithm"), given.get("router") == "red"
    n = float(given.get("flows", 2))
    if name.startswith("goodput"):
        if "share" in given:
            return 0.9
        late = {"0..15": 0.003, "15..30": 0.006, "30..45": 0.01, "45..60": 0.02}
        few_enough = 3 if law == "FC+" else 2  # it has more room
        step = next((value for part, value in late.items() if part in name), 0.05 * min(1.0, few_enough / n))
        return (0.9 - 0.01 * red) * (1 + step * (law in NEW) + 1e-5 * (law == "FC+"))
    if name.startswith("jain"):
        return 0.9 + 0.05 * red + 0.02 * (law in NEW) + 0.01 * (law == "FC")
    if name == "timeouts":
        if "share" in given:
            return 100 * 45 * 0.2
        return {"reno": 500.0, "sack": 1.0}.get(str(given.get("recovery")), 100.0)
    if name.startswith("share of"):
        if "algorithm" in given:
            return {"0": 1.5, "1": 0.5}[name[9]]
        return 1.0 if "10..20" in name else {"0": 0.8, "1": 1.2}[name[9]]
    if name.startswith("settling"):
        return 3.0
    return 0.8 if name.startswith("synchronised") else 1.0


def contrary(name: str, given: Mapping[str, Label]) -> float:
    """A world in which none of them is."""
    law, red = given.get("algorithm"), given.get("router") == "red"
    n = float(given.get("flows", 2))
    if name.startswith("goodput"):
        return (0.9 + 0.05 * red) * (1 - 0.02 * (law in NEW) * (2 / n if "flows" in given else 1))
    if name.startswith("jain"):
        return 0.9 - 0.05 * red - 0.05 * (law in NEW) - 0.02 * (law == "FC")
    if name == "timeouts":
        return {"reno": 1.0, "sack": 500.0}.get(str(given.get("recovery")), 100.0 * (1 + (law in NEW)))
    if name.startswith("share of"):
        return 1.0 if "algorithm" in given or "10..20" in name else {"0": 1.2, "1": 0.8}[name[9]]
    if name.startswith("settling"):
        return 3.0 * (1 + (law == "FC+"))
    return 0.2 if name.startswith("synchronised") else 1.0 + (law in NEW)


CHECKS = [
    getattr(module, entry.check.partition(".")[2])
    for entry in claims()
    if entry.paper == PAPER and entry.kind == "simulation" and entry.check is not None
    for module in (stationary, dynamic)
    if module.__name__.endswith(f"claims.{entry.check.partition('.')[0]}")
]


def test_every_simulation_claim_of_the_paper_has_a_check() -> None:
    assert len(CHECKS) == 22


@pytest.mark.parametrize("check", CHECKS, ids=lambda check: check.__name__)
def test_a_check_holds_where_the_sentence_is_true_and_fails_where_it_is_not(
    check: Callable[[View], Finding],
) -> None:
    assert judge(check, published) is Verdict.HOLDS
    assert judge(check, contrary) is Verdict.FAILS


def changed(rule: Rule, name: str, factor: float, **given: Label) -> Rule:
    """A rule with one value of the runs with these labels at so many times what it was."""

    def other(asked: str, labels_: Mapping[str, Label]) -> float:
        value = rule(asked, labels_)
        return value * factor if asked == name and given.items() <= labels_.items() else value

    return other


@pytest.mark.parametrize(
    ("law", "flows", "here"), [("FC", 64, 1), ("FC+", 64, 0), ("FC", 32, 0), ("FC+", 100, 1)]
)
def test_each_law_has_its_own_room(law: str, flows: int, here: int) -> None:
    """Where its room is a packet (``here`` 0) a gain that goes away makes the claim fail, and where it is less one that stays does."""
    factor = 1.005 if here else 1 / 1.005
    other = changed(published, "goodput 0..60 s", factor, router="red", algorithm=law, flows=flows)
    assert judge(stationary.room_of_a_packet, published) is Verdict.HOLDS
    assert judge(stationary.room_of_a_packet, other) is Verdict.FAILS


def test_the_packets_in_flight_are_those_of_the_study_as_it_was_run() -> None:
    """The path of 100 Mbit/s and 40 ms, 500 packets of 1000 B, and two thirds of a buffer of half of it."""
    study = load_study("lahanas2003/stationary")
    assert stationary.in_flight(study) == pytest.approx(500 + 2 / 3 * 250)
    assert stationary.in_flight(study.varied("path.rtt", "20 ms")) == pytest.approx(250 + 2 / 3 * 125)
    assert [stationary.more_room(law, 72.0) for law in NEW] == pytest.approx([6.0, 10.0])


@pytest.mark.parametrize("law", ["GAIMD(0.31, 7/8)", "SQRT", "IIAD", "SIMD(15/16)"])
@pytest.mark.parametrize("part", ["20..60 s", "20..30 s"], ids=["takes no more", "is left with as little"])
def test_each_friendly_law_has_to_take_more_and_to_keep_more(law: str, part: str) -> None:
    other = changed(published, f"share of 1 {part}", 0.5, law=law)
    assert judge(dynamic.friendly_grab_more, other) is Verdict.FAILS


def test_a_visible_gain_or_loss_matters_even_where_it_is_below_the_noise_of_an_index() -> None:
    for factor in (1.005, 1 / 1.005):
        other = changed(published, "goodput 15..60 s", factor, share=1, algorithm="FC+")
        assert judge(dynamic.not_active, other) is Verdict.FAILS


def test_the_gain_is_looked_for_under_other_buffers() -> None:
    """Five percent with a quarter of a round trip, nothing elsewhere: the claim fails, and the report says where it is."""

    def rule(name: str, given: Mapping[str, Label]) -> float:
        there = given.get("buffer") == 0.25 and given.get("algorithm") in NEW
        return 0.9 * (1 + 0.045 * there)

    found = stationary.gain_few(view_of(rule, "lahanas2003/stationary"))
    assert found.verdict is Verdict.FAILS
    assert found.instead is not None
    assert found.instead.verdict is Verdict.HOLDS
    assert [part.text for part in found.instead.operands if part.verdict is Verdict.HOLDS] == [
        "a gain of up to 5 %: buffer of 0.25 round trips x bandwidth"
    ]


def test_a_claim_of_one_part_is_judged_without_the_part_that_explains_it() -> None:
    study = next(study for study in PARTS if study.name == "lahanas2003/stationary")
    results = Results({}, {probe.name: runs_of(probe, contrary) for probe in study.probe})
    found = stationary.gain_few(RunView(results, (), study.tolerance, {}))
    assert found.verdict is Verdict.FAILS
    assert found.instead is not None
    assert len(found.instead.operands) == 1


def test_the_parts_of_a_gain_add_up_to_it() -> None:
    def rule(name: str, given: Mapping[str, Label]) -> float:
        n, law = float(given.get("flows", 1)), str(given.get("algorithm"))
        return 0.8 + 0.05 * (law in NEW) / n + 0.01 * n * ("0..60 " in name) * (law == "FC")

    study = next(study for study in PARTS if study.name == gain.STUDY)
    runs = runs_of(next(probe for probe in study.probe if probe.name == gain.PROBE), rule)
    for law, flows in product(NEW, (2, 8, 32)):
        found = gain.contributions(runs, law, flows, 0.5)
        total = sum(found[name] for name in gain.PARTS)
        assert total == pytest.approx(found["measured"])
    curves = gain.curves({gain.PROBE: runs})
    assert [curve.spec.name for curve in curves][:2] == ["parts-fc-2", "parts-fc-8"]
    point = curves[0].at("measured", 0.5)
    there = select(runs, {"flows": 2, "buffer": 0.5, "algorithm": "FC"})
    assert point.value.mean == pytest.approx(100 * ((0.8 + 0.025 + 0.02) / 0.8 - 1))
    assert {run.run_id for run in there} <= set(point.run_ids)


@pytest.mark.parametrize(
    ("buffer", "fc", "plus"),
    [(0.0, 1.111, 1.185), (0.25, 1.085, 1.119), (0.4, 1.057, 1.061), (0.5, 1.037, 1.037), (1.0, 1.0, 1.0)],
)
def test_the_gain_that_theory_predicts(buffer: float, fc: float, plus: float) -> None:
    """From the areas below the saw-tooth: a pipe of one, a window sum from u to 1 + buffer."""
    assert 1 + gain.theory("FC", buffer) == pytest.approx(fc, abs=6e-4)
    assert 1 + gain.theory("FC+", buffer) == pytest.approx(plus, abs=6e-4)


def test_every_curve_of_the_parts_can_be_drawn_from_its_probe() -> None:
    for study in PARTS:
        for spec in study.curve:
            probe: Any = next(probe for probe in study.probe if probe.name == spec.probe)
            curve = lay(spec, runs_of(probe, published))
            assert len(curve.points) == len(curve.series) * len(curve.places)
            assert markdown_table(curve).count("\n") == len(curve.places) + 3
            assert labels(runs_of(probe, published), spec.series) == curve.series
