"""Packets against formulas: the measures by hand, the model with real decreases, and a small study end to end."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import numpy as np
import pyarrow as pa
import pytest
from tests.browser import Browser, faults
from tests.conftest import CommandLine
from tests.fits import fits

from sawtooth.claims.logic import Verdict
from sawtooth.claims.table import judge_on_runs
from sawtooth.claims.view import UnavailableError
from sawtooth.errors import InputError
from sawtooth.experiment.intervals import interval
from sawtooth.experiment.matrix import ProbeRun
from sawtooth.models import padhye, response, synchronous
from sawtooth.packaged import packaged
from sawtooth.papers import PAPERS
from sawtooth.papers.floyd2000.claims import random_loss as floyd_random_loss
from sawtooth.papers.formulas import causes, loss, sharing
from sawtooth.papers.formulas.kinds import KINDS
from sawtooth.papers.formulas.lending import FLOYD
from sawtooth.papers.formulas.overlay import overlay
from sawtooth.papers.formulas.page import update_page, write_overlay
from sawtooth.papers.formulas.points import FormulaCurve, FormulaPoint
from sawtooth.papers.formulas.result import Overlay
from sawtooth.papers.formulas.study import OverlayStudy, load_overlay
from sawtooth.papers.register import claim
from sawtooth.plain import json_value
from sawtooth.run.run import Run
from sawtooth.run.store import Store


class Recorded:
    """What the measures read of a run: records, flows, and when counting begins."""

    def __init__(self, flows: int, warmup_ns: int = 0, **records: dict[str, list[float]]) -> None:
        self.records = {name: pa.table(columns) for name, columns in records.items()}
        self.flows = pa.table({"sent": [10] * flows})
        self.engine = {"warmup_ns": warmup_ns}


def recorded(flows: int, warmup_ns: int = 0, **records: dict[str, list[float]]) -> Run:
    made: Any = Recorded(flows, warmup_ns, **records)
    return made  # type: ignore[no-any-return]


def windows(*rows: tuple[float, int, int, float, float]) -> dict[str, list[float]]:
    """Rows of (time in ms, flow, event, window, threshold)."""
    times, flows, events, sizes, thresholds = zip(*rows, strict=True)
    return {
        "time_ns": [time * 1e6 for time in times],
        "flow": list(flows),
        "event": list(events),
        "window": list(sizes),
        "ssthresh": list(thresholds),
    }


def test_waiting_counts_bins_without_a_packet_after_the_warm_up() -> None:
    rates = {"time_ns": [1.0, 2, 3, 4, 5], "delivered_packets": [0.0, 3, 0, 2, 1]}
    assert causes.waiting_share(recorded(1, 1, rates=rates)) == 0.25


def test_slow_start_counts_samples_below_the_threshold() -> None:
    run = recorded(1, 0, windows=windows((1, 0, 0, 2, 8), (2, 0, 1, 1, 8), (3, 0, 0, 8, 8), (4, 0, 0, 9, 8)))
    assert causes.slow_start_share(run) == pytest.approx(1 / 3)


def test_decreases_near_each_other_are_one_epoch() -> None:
    run = recorded(
        2,
        0,
        windows=windows(
            (0, 0, 0, 20, 1), (0, 1, 0, 10, 1), (10, 0, 1, 10, 10), (40, 1, 1, 5, 5), (90, 0, 0, 11, 10),
            (90, 1, 0, 6, 5), (200, 1, 1, 3, 3), (201, 1, 2, 1, 3),
        ),
    )  # fmt: skip
    first, second = causes.epochs(run, 50_000_000)
    assert (first.time_s, first.cuts, first.timeouts) == (0.01, (1, 1), 0)
    assert (first.before, first.after) == ((20, 10), (10, 5))
    assert (second.cuts, second.timeouts, second.before, second.after) == ((0, 2), 1, (11, 6), (11, 1))
    assert (first.common, second.common) == (True, False)
    assert first.hit_share == 1
    assert second.hit_share == pytest.approx(6 / 17)
    assert causes.synchronised_share([first, second]) == 0.5
    assert len(causes.epochs(run, 50_000_000, from_ns=100_000_000)) == 1


@pytest.mark.parametrize("control", ["aimd(1, 0.5)", "aiad(1, 3)", "mimd(1.125, 0.8)"])
def test_with_common_decreases_the_replayed_model_is_the_synchronous_one(control: str) -> None:
    model = synchronous.rounds(control, [60.0, 20.0], 100.0, 8)
    before, after = model.before_decreases(), model.after_decreases()
    found = [
        causes.Epoch(n, (1, 1), 0, tuple(b), tuple(a))
        for n, (b, a) in enumerate(zip(before.tolist(), after.tolist(), strict=True))
    ]
    np.testing.assert_allclose(sharing.replay(control, found), after, rtol=1e-9)


def test_a_decrease_of_one_flow_moves_the_replayed_model() -> None:
    epoch = causes.Epoch(0.0, (1, 0), 0, (60.0, 40.0), (30.0, 40.0))
    assert sharing.replay("aimd(1, 0.5)", [epoch]) == [(30.0, 40.0)]


def point(x: float, values: list[float], **parts: float) -> FormulaPoint:
    return FormulaPoint(
        "law", x, {"f": 1.0}, interval(values), interval(np.array(values) - 1), {"s": 0.5}, parts, ("r",)
    )


def test_a_point_is_apart_when_its_whole_interval_is() -> None:
    assert point(1, [0.9, 0.9]).apart(0.05)
    assert not point(1, [0.96, 0.96]).apart(0.05)
    assert not point(1, [0.8, 1.1]).apart(0.05)
    assert point(1, [0.9]).apart(0.05)
    assert point(1, [1.2, 1.21]).apart(0.05)


def test_the_main_cause_pulls_on_the_side_of_the_deviation() -> None:
    found = point(1, [0.8, 0.8], waiting=-0.1, whole=-0.05, shared=0.3)
    assert found.main_cause == "waiting"
    assert found.explained == pytest.approx(0.15)
    assert point(1, [1.3, 1.3], waiting=-0.1, shared=0.2).main_cause == "shared"
    assert point(1, [0.8, 0.8], shared=0.2).main_cause is None


def test_sentences_name_places_shares_and_parts() -> None:
    points = [point(1, [1.0, 1.0]), point(2, [0.8, 0.8], waiting=-0.15)]
    curve = FormulaCurve("c", "C", "p", "y", "the formula", "ratio", points, {})
    (sentence,) = curve.sentences(0.05)
    for words in (
        "departs from the formula at p = 2 (-20.0 %: waiting)",
        "follows it at 1",
        "s 0.5",
        "waiting -15.0 %",
        "The largest is waiting",
    ):
        assert words in sentence
    (together,) = FormulaCurve("c", "C", "p", "y", "the formula", "ratio", points[:1], {}).sentences(0.05)
    assert "follows the formula at every point" in together


def small(**loss_changes: object) -> OverlayStudy:
    """The packaged study with few points and seeds."""
    whole = load_overlay()
    changes = {
        "controls": ["tcp(1, 0.5)"],
        "periods": [1000, 25],
        "random_controls": ["tcp(1, 0.5)"],
        "probabilities": [0.003, 0.2],
        "epochs": 60,
        **loss_changes,
    }
    return whole.model_copy(
        update={
            "seeds": 3,
            "loss": whole.loss.model_copy(update=changes),
            "sharing": whole.sharing.model_copy(
                update={"controls": ["aimd(1, 0.5)", "aiad(1, 3)"], "cycles": 6}
            ),
            "fixed_points": whole.fixed_points.model_copy(
                update={"controls": ["aimd(1, 0.5)", "aimd-fc(1, 0.5)", "aimd-fc+(1, 0.5)"], "flows": [1, 8]}
            ),
        }
    )


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Store:
    """Where its runs are."""
    return Store(tmp_path_factory.mktemp("overlay"))


@pytest.fixture(scope="module")
def laid(store: Store) -> Overlay:
    """A small study, run."""
    return overlay(store=store, report=False, study=small())


@pytest.fixture(scope="module")
def written(laid: Overlay, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Its report."""
    path = tmp_path_factory.mktemp("report") / "o.html"
    write_overlay(laid, path)
    return path


def of(laid: Overlay, name: str) -> dict[tuple[str, float], FormulaPoint]:
    """The points of a curve by series and place."""
    (curve,) = [curve for curve in laid.curves if curve.name == name]
    return {(entry.series, round(entry.x, 6)): entry for entry in curve.points}


def test_regular_losses_follow_the_exact_formula_until_windows_are_small(laid: Overlay) -> None:
    points = of(laid, "regular-loss")
    rare, frequent = points["AIMD(1, 0.5)", 0.001], points["AIMD(1, 0.5)", 0.04]
    assert not rare.apart(laid.study.apart)
    assert rare.measured.mean == pytest.approx(float(response.rate(1, 0.5, 0.001)), rel=0.05)
    assert frequent.apart(laid.study.apart)
    assert frequent.main_cause == "whole packets"
    assert frequent.causes["whole packets"] == pytest.approx(frequent.deviation.mean, abs=0.02)


def test_random_losses_cost_time_in_timeouts_where_they_are_frequent(laid: Overlay) -> None:
    points = of(laid, "random-loss")
    rare, frequent = points["AIMD(1, 0.5)", 0.003], points["AIMD(1, 0.5)", 0.2]
    assert abs(rare.deviation.mean) < 0.12
    assert frequent.apart(laid.study.apart)
    assert frequent.main_cause == "waiting"
    assert frequent.shares["timeouts"] > 0.5 > rare.shares["timeouts"]
    full = of(laid, "tcp-timeouts")["AIMD(1, 0.5)", 0.2]
    assert abs(full.deviation.mean) < abs(
        frequent.deviation.mean
    )  # the model that knows of timeouts is nearer


def test_the_constants_of_regular_and_random_losses_differ(laid: Overlay) -> None:
    points = of(laid, "mathis-constant")
    regular, random = points["AIMD(1, 0.5), regular loss", 0.001], points["AIMD(1, 0.5), random loss", 0.003]
    assert regular.formulas["the constant"] == pytest.approx(1.2247, abs=1e-4)
    assert random.formulas["the constant"] == pytest.approx(1.3098, abs=1e-4)
    assert regular.measured.mean == pytest.approx(1.2247, rel=0.06)


def test_two_flows_take_the_path_of_the_model(laid: Overlay) -> None:
    points = of(laid, "fairness-path")
    assert points["aimd(1, 0.5)", 6].measured.mean < 0.2 * points["aimd(1, 0.5)", 1].measured.mean
    assert points["aiad(1, 3)", 6].measured.mean == pytest.approx(
        points["aiad(1, 3)", 1].measured.mean, abs=0.05
    )
    for entry in points.values():
        assert abs(entry.deviation.mean) < 0.05, entry


def test_one_flow_is_at_the_fixed_points_and_many_are_not_synchronised(laid: Overlay) -> None:
    floors, means = of(laid, "fixed-floor"), of(laid, "fixed-mean")
    for control, floor, mean in (
        ("aimd(1, 0.5)", 1 / 2, 3 / 4),
        ("aimd-fc(1, 0.5)", 2 / 3, 5 / 6),
        ("aimd-fc+(1, 0.5)", 7 / 9, 8 / 9),
    ):
        assert floors[control, 1].measured.mean == pytest.approx(floor, abs=0.01)
        assert means[control, 1].measured.mean == pytest.approx(mean, abs=0.01)
        assert floors[control, 1].formulas["the closed form for large windows"] == pytest.approx(floor)
        assert means[control, 1].formulas["the closed form for large windows"] == pytest.approx(mean)
    many = floors["aimd(1, 0.5)", 8]
    assert many.apart(laid.study.apart)
    assert many.main_cause == "unsynchronised loss"
    assert many.causes["unsynchronised loss"] == pytest.approx(many.deviation.mean, abs=0.03)
    assert many.shares["synchronised"] < 0.5


def test_the_document(laid: Overlay) -> None:
    document = laid.to_json()
    assert fits(json_value(document)) == "overlay"
    assert [curve["name"] for curve in document["curves"]] == [
        "regular-loss",
        "random-loss",
        "tcp-timeouts",
        "mathis-constant",
        "fairness-path",
        "fixed-floor",
        "fixed-mean",
    ]
    for curve in document["curves"]:
        assert len(curve["sentences"]) == len({entry["series"] for entry in curve["points"]})
        for entry in curve["points"]:
            assert entry["run_ids"]
            low, high = entry["measured_low"], entry["measured_high"]
            assert (low is None and entry["seeds"] == 1) or low <= entry["measured"] <= high


@pytest.mark.long
def test_the_report_has_a_figure_of_each_curve(written: Path) -> None:
    assert written.read_text(encoding="utf-8").count("<figure>") == 7
    assert Counter(path.suffix for path in written.parent.iterdir()) == {".html": 1, ".svg": 7, ".pdf": 7}


def test_it_shows_itself_in_few_lines_and_as_tables(laid: Overlay) -> None:
    assert repr(laid).startswith("<Overlay of mathematics: 7 curves, ")
    assert len(repr(laid)) < 1000
    shown = ElementTree.fromstring(f"<div>{laid._repr_html_()}</div>".replace("<br>", "<br/>"))
    rows = [len(body.findall("tr")) for body in shown.findall(".//tbody")]
    assert rows == [sum(len(curve.series) for curve in laid.curves), len(laid.judged)]


@pytest.mark.long
def test_its_page_in_a_browser(written: Path, browser: Browser) -> None:
    assert faults(browser, written) == []


@pytest.mark.long
def test_a_page_is_filled_and_its_figures_written(laid: Overlay, tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    (tmp_path / "figures").mkdir()
    page.write_text(
        "![x](figures/mathematics-fixed-floor.svg)\n<!-- results: mathematics fixed-floor -->\n<!-- end -->\n"
        "a <!-- results: mathematics verdicts --><!-- end --> b\n"
    )
    update_page(page, laid)
    text = page.read_text()
    assert "- aimd-fc(1, 0.5)" in text
    assert "undecided<!-- end --> b" in text
    assert [path.name for path in (tmp_path / "figures").iterdir()] == ["mathematics-fixed-floor.svg"]
    with pytest.raises(InputError, match="as it stands"):
        update_page(page, replace(laid, quick=True))


def test_stored_runs_are_not_repeated(laid: Overlay, store: Store) -> None:
    again = overlay(store=store, report=False, study=small())
    assert (laid.executed > 0, again.executed) == (True, 0)
    assert [curve.points for curve in again.curves] == [curve.points for curve in laid.curves]


def random_runs(rate: Any) -> dict[str, tuple[ProbeRun, ...]]:
    """Invented runs of TCP over the loss rates of the claims: two seeds, rate(p) packets per round trip."""
    return {
        "random-loss": tuple(
            ProbeRun(
                {"control": floyd_random_loss.TCP, "p": p, "seed": seed},
                "r",
                {"rate": rate(p), "timer_rounds": 2.0, "event rate": p},
                pa.table({}),
            )
            for p in (0.001, 0.01, 0.05, 0.2)
            for seed in ("1", "2")
        )
    }


@pytest.mark.parametrize(
    ("name", "rate", "verdict"),
    [
        ("floyd-2-eq1-upper-bound", lambda p: 0.9 * float(padhye.tfrc(p, 1.0, 2.0)), Verdict.HOLDS),
        ("floyd-2-eq1-upper-bound", lambda p: 1.1 * float(padhye.tfrc(p, 1.0, 2.0)), Verdict.FAILS),
        ("floyd-3.1-stochastic-better", lambda p: 0.9 * float(padhye.tfrc(p, 1.0, 2.0)), Verdict.HOLDS),
        (
            "floyd-3.1-stochastic-better",
            lambda p: 0.9 * float(response.approximate_rate(1, 0.5, p)),
            Verdict.FAILS,
        ),
    ],
)
def test_the_claims_about_random_loss_come_out_both_ways(name: str, rate: Any, verdict: Verdict) -> None:
    assert judge_on_runs(claim(name), random_runs(rate), 2, {}).verdict is verdict


def test_the_bound_is_that_at_the_rate_of_loss_events() -> None:
    """Several packets of one window are one event: a rate above the bound at p of packets may lie below it at p of events."""
    runs = random_runs(lambda p: 1.1 * float(padhye.tfrc(p, 1.0, 2.0)))
    rarer = {
        "random-loss": tuple(
            replace(run, values={**run.values, "event rate": 0.7 * float(run.values["event rate"])})
            for run in runs["random-loss"]
        )
    }
    assert judge_on_runs(claim("floyd-2-eq1-upper-bound"), rarer, 2, {}).verdict is Verdict.HOLDS


def test_a_claim_without_its_runs_is_not_judged() -> None:
    with pytest.raises(UnavailableError):
        judge_on_runs(claim("floyd-2-eq1-upper-bound"), {}, 2, {})


def test_mistakes_in_the_file_are_named(tmp_path: Path) -> None:
    folder = packaged("papers", "formulas", "studies")
    path = tmp_path / "mathematics.toml"
    path.write_text((folder / "mathematics.toml").read_text().replace("lead_in", "lead_out"))
    with pytest.raises(InputError, match=r"loss\.lead_"):
        load_overlay(path)
    assert load_overlay().shortened().seeds == load_overlay().quick.seeds
    with pytest.raises(InputError, match="from 1"):
        load_overlay().seeded(0)


def test_the_plan_gives_every_run_its_own_case() -> None:
    study = load_overlay()
    for kind in KINDS:
        assert [case for case, _ in kind.plan(study)] == list(kind.cases(study))
    cases = list(loss.cases(study))
    assert len(cases) == len(set(cases))
    assert {case.seed for case in cases if case.how == loss.REGULAR} == {"1"}
    assert {case.seed for case in cases if case.how == loss.RANDOM} == set(study.seed_names)


@pytest.mark.long
def test_reproduce_mathematics(sawtooth: CommandLine, tmp_path: Path) -> None:
    found = sawtooth("reproduce", "mathematics", "--quick", "--seeds", "2", "--json", timeout=300)
    assert found.code == 0, found.err
    document = found.json
    assert (document["study"], document["seeds"], document["quick"]) == ("mathematics", 2, True)
    assert len(document["curves"]) == 7
    assert {entry["id"] for entry in document["claims"]} == set(load_overlay().claims)
    assert Path(tmp_path / document["report"]).name == "mathematics-quick.html"
    refused = sawtooth("reproduce", "mathematics", "--set", "tcp.min_rto=1 s")
    assert refused.code == 2
    assert "--set" in refused.err


def test_a_paper_borrows_the_verdicts_that_rest_on_random_loss(tmp_path: Path) -> None:
    assert FLOYD.runs() == 128  # eight loss rates, sixteen seeds
    assert [paper.name for paper in PAPERS.values() if paper.beside] == ["floyd2000"]
    found = FLOYD.judge(Store(tmp_path), seeds=2, quick=True)
    assert [item.claim.id for item in found.judged] == load_overlay().claims
    assert len(found.run_ids) == found.executed == 16
    again = FLOYD.judge(Store(tmp_path), seeds=2, quick=True)
    assert again.executed == 0
    assert [item.verdict for item in again.judged] == [item.verdict for item in found.judged]
    other = FLOYD.judge(Store(tmp_path), seeds=2, quick=True, first=10_001)
    assert other.executed == 16
    assert not set(other.run_ids) & set(found.run_ids)
    assert FLOYD.judge(Store(tmp_path), seeds=1, quick=True, first=10_002).executed == 0
