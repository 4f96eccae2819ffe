"""Claims of [Floyd00]: the list is whole, none is undecided, and each check fails when what it judges is wrong."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from tests.conftest import CommandLine

from sawtooth import _native
from sawtooth.claims import agreement
from sawtooth.claims.logic import Verdict
from sawtooth.claims.view import NoRuns
from sawtooth.models import (
    compatibility,
    padhye,
    response,
    smoothness,
    synchronous,
    tfrc_average,
    throughput_ratio,
)
from sawtooth.models.tradeoffs import tradeoffs
from sawtooth.papers import PAPERS
from sawtooth.papers.floyd2000 import drawings as floyd2000
from sawtooth.papers.floyd2000.claims import compatibility as floyd_compatibility
from sawtooth.papers.mathematics import mathematics
from sawtooth.papers.register import claim, claims
from sawtooth.scenario import units

H, F = Verdict.HOLDS, Verdict.FAILS
CLAIMS = [entry for entry in claims() if entry.paper == "floyd2000"]
MATHEMATICS = [entry for entry in CLAIMS if entry.kind != "simulation"]

FAILING = {"floyd-3.2-exact-a-range", "floyd-6.3-drop-x5", "floyd-7-binomial-same-tradeoff"}
"""Statements that their own model contradicts; worked out by hand beforehand (docs/models.md says why)."""


def test_all_claims_of_the_paper_stand_here_once() -> None:
    assert len(CLAIMS) == len({entry.id for entry in CLAIMS}) == 78
    assert [
        sum(entry.kind == kind for entry in CLAIMS) for kind in ("definition", "analysis", "simulation")
    ] == [
        11,
        36,
        31,
    ]


def test_each_has_a_check_or_says_what_it_waits_for() -> None:
    for entry in CLAIMS:
        assert (entry.check is not None) or (entry.kind == "simulation" and entry.needs), entry.id
        assert len(entry.statement) > 20, entry.id
        if entry.check is not None:
            assert callable(entry.function)


def test_no_claim_of_mathematics_is_undecided() -> None:
    judged = PAPERS["floyd2000"].judge_mathematics()
    assert len(judged) == len(MATHEMATICS) == 47
    assert {item.claim.id for item in judged if item.verdict is F} == FAILING
    assert all(item.verdict in (H, F) for item in judged)
    for item in judged:
        assert item.finding is not None
        assert all(leaf.verdict in (H, F) for leaf in item.finding.leaves())


@pytest.mark.parametrize("name", sorted(FAILING))
def test_a_failing_claim_says_what_holds_instead(name: str) -> None:
    finding = claim(name).function(NoRuns())
    assert finding.verdict is F
    assert finding.instead is not None
    assert finding.instead.verdict is H
    assert any(leaf.numbers for leaf in finding.leaves() if leaf.verdict is F), "no counter-example"


def times(function: Callable[..., Any], factor: float = 1.05) -> Callable[..., Any]:
    return lambda *given, **named: factor * function(*given, **named)


def other_numbers(text: str) -> str:
    return json.dumps({"kind": "linear", "a_i": 9.0, "b_i": 1.0, "a_d": 0.0, "b_d": 0.1})


ROUNDS = synchronous.rounds
Broken = tuple[str, object, str, Callable[..., Any]]
BROKEN: list[Broken] = [
    ("floyd-1-def-aimd-ab", _native, "controller", other_numbers),
    ("floyd-1-def-tcp-ab", _native, "controller", other_numbers),
    ("floyd-2-eq1", padhye, "tfrc", times(padhye.tfrc)),
    ("floyd-2-def-loss-event", tfrc_average, "loss_events", lambda when, _: list(when)),
    ("floyd-2-def-loss-interval", tfrc_average, "weights", lambda: np.ones(8)),
    ("floyd-3.1-epoch-length", response, "epoch", lambda a, b, peak: b * peak / a),
    ("floyd-3.1-eq2", response, "mean_rate", times(response.mean_rate)),
    ("floyd-3.1-eq3", response, "per_second", times(response.per_second)),
    ("floyd-3.1-epoch-packets", response, "epoch", lambda a, b, peak: b * peak / a),
    ("floyd-3.1-eq4", response, "drop_rate_at_window", times(response.drop_rate_at_window)),
    ("floyd-3.1-eq5", response, "approximate_drop_rate", response.drop_rate),
    ("floyd-3.1-eq6", response, "approximate_window", response.window),
    ("floyd-3.1-eq7", response, "approximate_rate", response.rate),
    ("floyd-3.1-exact-T", response, "rate", response.approximate_rate),
    ("floyd-3.2-eq8", response, "approximate_rate", times(response.approximate_rate)),
    ("floyd-3.2-eq9", compatibility, "compatible_increase", lambda b: b),
    ("floyd-3.2-examples", compatibility, "compatible_increase", times(compatibility.compatible_increase)),
    ("floyd-3.2-exact-a-similar-b4", floyd_compatibility, "_solved", times(floyd_compatibility._solved)),
    ("floyd-A-W-exact", response, "window", response.approximate_window),
    ("floyd-A-eq12", response, "rate", times(response.rate)),
    ("floyd-A.1-S-1-half", response, "rate", times(response.rate)),
    ("floyd-A.1-fig13", response, "approximate_rate", response.rate),
    ("floyd-4-det-predicts-fair", compatibility, "rate", lambda a, b, p: a / np.sqrt(p)),
    ("floyd-5-aimd-oscillates", smoothness, "smoothness", lambda b: np.ones_like(b)),
    ("floyd-5.1-resp-formula", smoothness, "responsiveness", times(smoothness.responsiveness)),
    ("floyd-5.1-resp-eighth", smoothness, "responsiveness", lambda b: 4.9),
    ("floyd-5.1-resp-quarter", smoothness, "responsiveness", lambda b: 3.1),
    ("floyd-5.1-def-smoothness", smoothness, "smoothness", times(smoothness.smoothness)),
    ("floyd-5.1-def-responsiveness", tfrc_average, "rounds_to_halve", lambda interval: 6),
    ("floyd-5.1-def-aggressiveness", tfrc_average, "newest_weight", lambda discount: 0.1),
    ("floyd-5.1-fig7-top", smoothness, "smoothness", lambda b: 1.0),
    (
        "floyd-5.1-fig7-bottom",
        compatibility,
        "compatible_increase",
        times(compatibility.compatible_increase, 2),
    ),
    ("floyd-5.2-setup-rtt", units, "parse_time", lambda text: 1),
    ("floyd-5.2-def-throughput-ratio", throughput_ratio, "throughput_ratios", lambda x: np.abs(np.diff(x))),
    ("floyd-6.1-eq10", compatibility, "throughput_ratio", times(compatibility.throughput_ratio)),
    ("floyd-6.2-p-1-half", response, "approximate_drop_rate", response.drop_rate),
    ("floyd-6.2-p-ab", response, "approximate_drop_rate", response.drop_rate),
    ("floyd-6.2-eq11", compatibility, "drop_rate_ratio", times(compatibility.drop_rate_ratio)),
    ("floyd-6.3-sqrt5", compatibility, "throughput_ratio", times(compatibility.throughput_ratio)),
    ("floyd-7-binomial-special", smoothness, "binomial_decreased", lambda w, _, beta: w - beta * w),
    ("floyd-7-binomial-aggr", smoothness, "binomial_aggressiveness", lambda w, k, a: a),
    (
        "floyd-7-binomial-convergence",
        synchronous,
        "rounds",
        lambda control, start, capacity, _: ROUNDS(control, start, capacity, 1),
    ),
    ("floyd-7-co98-n-flows", compatibility, "increase_of_many", times(compatibility.increase_of_many)),
    ("floyd-1-smoother-b", smoothness, "smoothness", lambda b: np.full_like(np.asarray(b), 0.5)),
]


@pytest.mark.parametrize(("name", "place", "function", "broken"), BROKEN, ids=[entry[0] for entry in BROKEN])
def test_a_claim_holds_and_fails_when_the_product_is_wrong(
    name: str, place: object, function: str, broken: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    assert claim(name).function(NoRuns()).verdict is H
    monkeypatch.setattr(place, function, broken)
    assert claim(name).function(NoRuns()).verdict is F


def test_no_claim_is_left_out_of_that_test() -> None:
    assert {entry.id for entry in MATHEMATICS} == {entry[0] for entry in BROKEN} | FAILING


def test_a_failing_claim_would_hold_with_other_mathematics(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(compatibility, "exact_drop_rate_ratio", lambda a, b, s: np.full(np.shape(s), 5.0))
    assert claim("floyd-6.3-drop-x5").function(NoRuns()).verdict is H
    monkeypatch.setattr(smoothness, "responsiveness", lambda b: 50.0)
    monkeypatch.setattr(smoothness, "binomial_responsiveness", lambda *_: 50.0)
    assert claim("floyd-7-binomial-same-tradeoff").function(NoRuns()).verdict is H
    printed = iter([0.197, 0.192, *[0.2] * 100])
    monkeypatch.setattr(floyd_compatibility, "_solved", lambda b, p, wanted: next(printed))
    assert claim("floyd-3.2-exact-a-range").function(NoRuns()).verdict is H


def test_the_sawtooth_of_the_checks_ends_at_its_peak() -> None:
    for a, b, peak in agreement.EPOCHS:
        windows = agreement.epoch(a, b, peak)
        assert (windows[0], windows[-1]) == ((1 - b) * peak, peak)


def test_the_throughput_ratio_by_hand() -> None:
    assert throughput_ratio.throughput_ratios([2, 4, 0, 1]).tolist() == [2, 0]
    shares = throughput_ratio.histogram([0.05, 0.3, 0.3, 1.95, 2.0])
    assert (shares[0], shares[3], shares[19]) == pytest.approx((0.2, 0.4, 0.2))
    assert shares.sum() == pytest.approx(0.8)  # 2.0 lies in no bin
    assert throughput_ratio.histogram([]).sum() == 0


def test_the_numbers_behind_the_figures() -> None:
    rounds, windows, low, peak = floyd2000.sawtooth(1.0, 0.5, 20.0)
    assert (low, peak, windows.max(), windows.min()) == (10, 20, 20, 10)
    assert rounds[-1] == 30
    curves, (rounds_, increase), marked, tfrc = tradeoffs()
    kept = np.interp(5.0, *curves["AIMD(a, b)"])
    assert kept == pytest.approx(0.5 ** (1 / 5), abs=1e-3)
    assert np.interp(5.0, rounds_, increase) == pytest.approx(0.2076, abs=1e-3)
    assert [law[1] for law in tfrc] == [5, 5]
    assert marked[-1][1:] == pytest.approx((5.1909, 0.875, 0.2), rel=1e-4)


@pytest.mark.long
def test_reproduce_writes_a_report_with_the_figures(sawtooth: CommandLine, tmp_path: Any) -> None:
    found = sawtooth("reproduce", "floyd2000/mathematics", "--report", str(tmp_path / "f.html"), "--json")
    assert found.code == 0, found.err
    assert len(found.json["claims"]) == len(MATHEMATICS)
    assert {path.name for path in tmp_path.glob("f*")} == {
        "f.html",
        *(
            f"f_{name}.{form}"
            for name in ("figure1", "figure7", "figure13", "shares", "stochastic", "whole")
            for form in ("svg", "pdf")
        ),
    }
    page = (tmp_path / "f.html").read_text(encoding="utf-8")
    assert page.count("<svg ") == 6
    assert "http://" not in page.replace("http://www.w3.org", "")


@pytest.mark.long
def test_the_same_numbers_give_the_same_report(tmp_path: Any) -> None:
    first, second = tmp_path / "a.html", tmp_path / "b.html"
    mathematics("floyd2000", first)
    mathematics("floyd2000", second)
    assert first.read_bytes() == second.read_bytes()
