"""Checks of the claims of Floyd, Handley and Padhye 2000 about runs, and the sum of parts, on numbers made up for each verdict."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import product
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from sawtooth.claims.logic import Finding, Verdict
from sawtooth.claims.view import Part, RunView
from sawtooth.experiment.matrix import ProbeRun, Results
from sawtooth.experiment.study import Study
from sawtooth.papers.floyd2000 import ratio_histograms, share_gap
from sawtooth.papers.floyd2000.claims import rates as floyd_rates
from sawtooth.papers.floyd2000.claims import shares as floyd_shares
from sawtooth.papers.register import claims
from sawtooth.papers.studies import load_study

H, F = Verdict.HOLDS, Verdict.FAILS
SEEDS = 4
EMPTY = pa.table({})


def made(labels: Mapping[str, Any], values: Mapping[str, float]) -> Iterator[ProbeRun]:
    """The same values at each seed, but for a little noise."""
    for seed in range(SEEDS):
        noisy = {name: value * (1 + 0.001 * (seed - 1.5)) for name, value in values.items()}
        yield ProbeRun(labels, "", noisy, EMPTY, str(seed))


def view(study: str, probes: Mapping[str, list[ProbeRun]]) -> RunView:
    """What a check sees of these runs, with the words of the study file."""
    return view_of(load_study(study), probes)


def view_of(study: Study, probes: Mapping[str, list[ProbeRun]]) -> RunView:
    """The same of a study whose open parameters may have other values."""
    results = Results({}, {name: tuple(runs) for name, runs in probes.items()})
    part = Part(results, study.tolerance, study)
    return RunView(part.results, (), part.tolerances, {study.name: part})


def shares(real: Mapping[str, float], integer: Mapping[str, float]) -> RunView:
    """Ratios by pair, the same on both links and at every number of flows."""
    runs = [
        run
        for windows, ratios in (("real", real), ("integer", integer))
        for pair, ratio in ratios.items()
        for n, drops in ((4, 0.6), (16, 2.5), (24, 4.0))
        for run in made({"pair": pair, "windows": windows, "n": n}, {"ratio of 1": ratio, "loss": drops})
    ]
    return view("floyd2000/shares", {"link15": runs, "link60": runs})


PAPER = {
    "TCP v TCP(1/5,1/8)": 0.7,
    "TCP v TCP(2/5,1/8)": 1.1,
    "TFRC v TCP(1/5,1/8)": 0.8,
    "TFRC v TCP(2/5,1/8)": 1.05,
    "TCP v TCP(1,1/8)": 1.95,
    "TCP v TFRC": 1.0,
}
MODEL = {
    **PAPER,
    "TCP v TCP(1/5,1/8)": 1.01,
    "TCP v TCP(2/5,1/8)": 1.37,
    "TFRC v TCP(1/5,1/8)": 1.05,
    "TFRC v TCP(2/5,1/8)": 1.4,
}
CHECKS = [
    floyd_shares.figure_2,
    floyd_shares.figure_3,
    floyd_shares.figure_4,
    floyd_shares.sixteen_slightly_more,
    floyd_shares.figure_5,
    floyd_shares.figure_6,
    floyd_shares.model_misses,
]


@pytest.mark.parametrize("check", CHECKS, ids=lambda check: check.__name__)
def test_what_the_paper_prints_makes_its_claims_hold_and_the_model_makes_them_fail(check: Any) -> None:
    assert check(shares(PAPER, PAPER)).verdict is H
    found: Finding = check(shares(MODEL, PAPER))
    assert found.verdict is F
    assert found.instead is not None
    assert found.instead.verdict is H


@pytest.mark.parametrize("check", CHECKS, ids=lambda check: check.__name__)
def test_a_verdict_is_taken_at_the_reading_of_windows_that_the_study_has(check: Any) -> None:
    study = load_study("floyd2000/shares")
    whole = study.with_value("tcp.window_arithmetic", "integer")
    measured = shares(MODEL, PAPER)
    probes = {link: list(measured.probe(link)) for link in floyd_shares.LINKS}
    assert check(view_of(study, probes)).verdict is F
    assert check(view_of(whole, probes)).verdict is H


def test_figure_5_may_be_of_either_link() -> None:
    seen, other = shares(PAPER, PAPER), shares(MODEL, MODEL)
    probes = {"link15": list(seen.probe("link15")), "link60": list(other.probe("link60"))}
    assert floyd_shares.figure_5(view("floyd2000/shares", probes)).verdict is H
    probes["link15"] = list(probes["link60"])
    assert floyd_shares.figure_5(view("floyd2000/shares", probes)).verdict is F


def test_figure_5_is_the_picture_of_figure_2() -> None:
    """Less than TFRC as well as less than TCP is not enough: both ratios have to be alike."""
    for beside_tfrc, verdict in ((0.62, H), (0.8, H), (0.55, F), (0.9, F)):
        ratios = {**PAPER, "TFRC v TCP(1/5,1/8)": beside_tfrc}
        assert floyd_shares.figure_5(shares(ratios, ratios)).verdict is verdict, beside_tfrc


def test_close_to_equal_shares_are_asked_for_on_both_links() -> None:
    equal = dict.fromkeys(PAPER, 1.0)
    seen, other = shares(equal, equal), shares(PAPER, PAPER)
    assert floyd_shares.compete_fairly(seen).verdict is H
    for link in floyd_shares.LINKS:
        probes = {name: list((other if name == link else seen).probe(name)) for name in floyd_shares.LINKS}
        assert floyd_shares.compete_fairly(view("floyd2000/shares", probes)).verdict is F


def test_the_same_picture_is_that_of_figures_2_to_4() -> None:
    def verdict(tfrc: float, law: float) -> Verdict:
        runs = [
            run
            for queue, factor in (("red", 1.0), ("ecn", 1.0), ("droptail", 1.2))
            for pair, own in (("TCP v TCP(1/5,1/8)", law), ("TCP v TCP(2/5,1/8)", 1.0), ("TCP v TFRC", tfrc))
            for run in made(
                {"pair": pair, "queue": queue, "n": 16},
                {"ratio of 1": factor if own == 2.0 else 1.0, "loss": 4.0},
            )
        ]
        return floyd_shares.same_picture(view("floyd2000/shares", {"queues": runs})).verdict

    assert verdict(tfrc=2.0, law=1.0) is H
    assert verdict(tfrc=1.0, law=2.0) is F


def test_shares_that_must_not_be_equal() -> None:
    assert floyd_shares.figure_12(shares(PAPER, PAPER)).verdict is H
    more = {**PAPER, "TCP v TCP(1,1/8)": 2.1}
    assert floyd_shares.figure_12(shares(more, more)).verdict is F
    assert floyd_shares.more_aggressive(shares(PAPER, PAPER)).verdict is H
    equal = {**PAPER, "TCP v TCP(1,1/8)": 1.0}
    assert floyd_shares.figure_12(shares(equal, equal)).verdict is F
    assert floyd_shares.tfrc_fair(shares(PAPER, PAPER)).verdict is H
    assert floyd_shares.tfrc_fair(shares({**PAPER, "TCP v TFRC": 0.5}, PAPER)).verdict is F


NO_MORE = {"200 ms": 1.0, "1 s": 1.0, "10 s": 1.0}


def smoothness(tfrc: float, eighths: float, tcp: float, more: Mapping[str, float] = NO_MORE) -> RunView:
    """Roughness, and shares of falls, by kind, the same under every queue and at every width, but for what TCP(2/5, 1/8) has ``more``."""
    runs: list[ProbeRun] = []
    for pair, own in (("TFRC v TCP", tfrc), ("TCP(2/5,1/8) v TCP", eighths), ("TCP(1/5,1/8) v TCP", eighths)):
        values = {"loss": 4.0, "delay": 33.0}
        for (group, same), width in product(enumerate((own, tcp)), more):
            rough = same * (more[width] if (pair, group) == ("TCP(2/5,1/8) v TCP", 0) else 1.0)
            values[f"roughness at {width} of {group}"] = rough
            values[f"variation at {width} of {group}"] = rough
            for level in floyd_rates.LEVELS:
                values[f"below {level:g} at {width} of {group}"] = rough**4 * level
        for queue in ("red", "ecn", "droptail"):
            runs += made({"pair": pair, "queue": queue, "n": 16}, values)
    seen = [run for run in runs if run.labels["queue"] == "red"]
    return view("floyd2000/smoothness", {"steady": seen, "rates": seen, "queues": runs})


@pytest.mark.parametrize(
    "check",
    [
        floyd_rates.tfrc_smoother,
        floyd_rates.order,
        floyd_rates.robust,
        floyd_rates.below_75,
    ],
    ids=lambda check: check.__name__,
)
def test_who_is_smoother_decides(check: Any) -> None:
    assert check(smoothness(0.1, 0.3, 0.7)).verdict is H
    assert check(smoothness(0.7, 0.75, 0.3)).verdict is F


@pytest.mark.parametrize("queue", ["red", "ecn", "droptail"])
def test_the_order_is_asked_for_under_each_queue(queue: str) -> None:
    good, bad = smoothness(0.1, 0.3, 0.7), smoothness(0.1, 0.05, 0.7)
    mixed = [
        run
        for source in (good, bad)
        for run in source.probe("queues")
        if (run.labels["queue"] == queue) is (source is bad)
    ]
    probes = {"steady": list(good.probe("steady")), "rates": list(good.probe("rates")), "queues": mixed}
    assert floyd_rates.order(view("floyd2000/smoothness", probes)).verdict is H
    assert floyd_rates.robust(view("floyd2000/smoothness", probes)).verdict is F


def test_all_that_is_said_of_figures_8_to_11_is_judged_on_one_queue() -> None:
    """Marks are an open parameter: they act on the runs of the figures, and on none of those that compare queues."""
    study = load_study("floyd2000/smoothness").seeded(1)
    (entry,) = (each for each in study.parameter if each.key == "bottleneck.queue.ecn")
    marked = {
        probe.name: [planned.scenario["bottleneck"]["queue"].get("ecn") for planned in changed.probed(probe)]
        for changed in (study.with_entry(entry, value) for value in entry.plausible)
        for probe in changed.probe
    }
    assert set(marked["steady"]) == set(marked["rates"]) == {True}
    assert marked["queues"] == [None, True, None] * 3


def test_levels_of_the_set_up() -> None:
    seen = smoothness(0.1, 0.3, 0.7)
    assert floyd_rates.drop_rate(seen).verdict is H
    assert floyd_rates.queueing_delay(seen).verdict is H


def test_somewhat_less_is_less_and_not_considerably_less() -> None:
    assert floyd_rates.less_bursty(smoothness(0.1, 0.6, 0.7)).verdict is H
    assert floyd_rates.less_bursty(smoothness(0.1, 0.3, 0.7)).verdict is F
    assert floyd_rates.less_bursty(smoothness(0.1, 0.7, 0.7)).verdict is F


@pytest.mark.parametrize(
    ("more", "verdict"),
    [
        ({"200 ms": 1.1, "1 s": 1.05, "10 s": 0.97}, H),
        ({"200 ms": 1.03, "1 s": 1.05, "10 s": 1.0}, F),
        ({"200 ms": 1.5, "1 s": 1.05, "10 s": 1.0}, F),
        ({"200 ms": 0.5, "1 s": 0.95, "10 s": 1.0}, F),
    ],
    ids=["as printed", "more apart over 1 s", "apart over 0.2 s", "apart on the other side"],
)
def test_the_two_laws_are_alike_most_of_all_over_longer_times(
    more: Mapping[str, float], verdict: Verdict
) -> None:
    """Distributions whose share below a ratio is the fourth power of the roughness times the ratio, which ends at 2."""
    assert floyd_rates.eighths_alike(smoothness(0.1, 0.5, 0.7, more)).verdict is verdict


def test_the_distance_of_two_distributions_is_kolmogorovs() -> None:
    """At a ratio of 2, the last of the levels, where distributions that are proportional to the ratio lie furthest apart."""
    apart = floyd_rates.distribution_apart(smoothness(0.1, 0.5, 0.7, {"200 ms": 1.1}), "200 ms")
    assert apart.mean() == pytest.approx(2 * (0.5**4 * 1.1**4 - 0.5**4))
    closer = floyd_rates.distribution_apart(smoothness(0.1, 0.5, 0.7, {"200 ms": 0.9}), "200 ms")
    assert closer.mean() == pytest.approx(2 * (0.5**4 - 0.5**4 * 0.9**4))


def test_slightly_smoother_is_not_considerably_smoother() -> None:
    def over_10s(tfrc: float) -> Verdict:
        runs = list(
            made(
                {"pair": "TFRC v TCP", "queue": "red", "n": 16},
                {"roughness at 10 s of 0": tfrc, "roughness at 10 s of 1": 0.3}
                | {f"below 0.5 at 10 s of {group}": 0.01 for group in (0, 1)},
            )
        )
        return floyd_rates.alike_over_10s(view("floyd2000/smoothness", {"steady": runs})).verdict

    assert [over_10s(tfrc) for tfrc in (0.25, 0.2, 0.33)] == [H, F, F]


def alone(growth: float, plain: float, discounted: float, rounds: float) -> RunView:
    """TFRC alone."""

    def run(control: str, name: str, value: float) -> ProbeRun:
        return ProbeRun({"control": control}, "", {name: value}, EMPTY)

    both = "discounting and damping"
    probes = {
        "start": [run(both, "growth", growth)],
        "rise": [run("without discounting", "climb", plain), run("discounting", "climb", discounted)],
        "fall": [run(both, "halving 40..200 s", rounds)],
    }
    return view("floyd2000/tfrc", probes)


def test_tfrc_alone() -> None:
    printed = alone(2.0, 0.13, 0.29, 5.2)
    for check in (floyd_rates.slow_start, floyd_rates.rise, floyd_rates.halving):
        assert check(printed).verdict is H
    measured = alone(1.41, 0.128, 0.445, 9.0)
    for check in (floyd_rates.slow_start, floyd_rates.rise):
        found = check(measured)
        assert (found.verdict, found.instead and found.instead.verdict) == (F, H)
    assert floyd_rates.halving(measured).verdict is F


def test_the_parts_of_the_gap_add_up_and_each_gets_what_it_does() -> None:
    effect = {
        "whole windows": -0.15,
        "halving timeouts": -0.05,
        "minimum timeout": 0.0,
        "no limited transmit": 0.01,
    }
    runs = []
    for present in product((False, True), repeat=len(effect)):
        labels = {
            dimension: on if there else off
            for there, (dimension, off, on) in zip(present, share_gap.FACTORS.values(), strict=True)
        }
        ratio = 1.0 + sum(e for e, there in zip(effect.values(), present, strict=True) if there)
        ratio -= 0.04 * (present[0] and present[1])  # together they do more: half of that each
        more = 0.6 * (not present[0])  # real windows lose more, at which the ratio is lower
        for n, loss in ((32, 1.6), (48, 2.3), (64, 3.2)):
            values = {"loss": loss + more, "ratio of 1": ratio - 0.1 * (loss + more - 2.5)}
            runs += [ProbeRun({**labels, "n": n}, "", values, EMPTY, str(seed)) for seed in range(2)]
    found = share_gap.contributions(runs, 2.5)
    wanted = {**effect, "whole windows": -0.17, "halving timeouts": -0.07}
    for name, part in found.items():
        assert part == pytest.approx([wanted[name]] * 2)
    (curve,) = share_gap.curves({share_gap.PROBE: runs})
    assert [point.x for point in curve.of("at 2 % drops")][0::6] == ["none of them", "unexplained"]
    left = 0.7 - (1.0 + sum(effect.values()) - 0.04)
    for rate in share_gap.DROP_RATES:
        found_there = curve.at(f"at {rate:g} % drops", "unexplained").value.mean
        assert np.isclose(found_there, left + 0.1 * (rate - 2.5))


def test_a_histogram_of_ratios_is_what_lies_between_two_levels() -> None:
    values = {
        f"below {round(0.1 * k, 1):g} at {width} of {group}": min(1.0, k / 10)
        for k in range(1, 21)
        for width in ratio_histograms.WIDTHS
        for group in (0, 1)
    }
    labels: dict[str, str | int | float] = {"pair": ratio_histograms.BESIDE, "queue": "red", "n": 16}
    runs = [ProbeRun(labels, "", values, EMPTY, str(seed)) for seed in range(2)]
    first = ratio_histograms.curves({"steady": runs})[0]
    assert first.series == ["TFRC", "TCP"]
    assert [round(point.value.mean, 9) for point in first.of("TCP")] == [0.1] * 10 + [0.0] * 10
    assert first.places[:2] == [0.05, 0.15]


def test_every_claim_has_a_check_and_waits_for_nothing() -> None:
    own = [entry for entry in claims() if entry.paper == "floyd2000"]
    assert len(own) == 78
    assert all(entry.check and not entry.needs for entry in own)
