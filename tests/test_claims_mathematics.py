"""Claims of mathematics: every definition and analysis claim of three papers is decided, and by a check that can come out both ways."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from tests.browser import Browser, faults

import sawtooth
from sawtooth.claims.claim import Claim
from sawtooth.claims.logic import Finding, Verdict
from sawtooth.claims.table import Judged
from sawtooth.claims.view import NoRuns, UnavailableError
from sawtooth.errors import InputError
from sawtooth.measure.metrics import Metric, metric
from sawtooth.models import (
    fair_queueing,
    fairness,
    loss_proportional,
    sliding_window,
    synchronous,
)
from sawtooth.models import fast_convergence as fc
from sawtooth.papers import PAPERS
from sawtooth.papers.lahanas2003.claims import section3 as lahanas_section3
from sawtooth.papers.lahanas2003.claims import section5 as lahanas_section5
from sawtooth.papers.register import claim, claims
from sawtooth.scenario import resolve

if TYPE_CHECKING:
    from tests.browser import Browser, faults
from tests.conftest import CommandLine

H, F = Verdict.HOLDS, Verdict.FAILS
MODULES = (
    "lahanas2003/section2",
    "lahanas2003/section3",
    "lahanas2003/section3_fc",
    "lahanas2003/section4",
    "lahanas2003/section5",
    "akella2002/steady_states",
    "reddy2012/sliding_window",
)
CHECKED = [entry for entry in claims() if entry.judged_by.partition(".")[0] in MODULES]

real_rounds, real_system, real_resolve = synchronous.rounds, fc.system, resolve.resolve


def other_law(law: str) -> Callable[..., synchronous.Rounds]:
    """The synchronous model with one law for every controller."""

    def rounds(controllers: str | Sequence[str], *arguments: Any, **named: Any) -> synchronous.Rounds:
        return real_rounds(law, *arguments, **named)

    return rounds


def other_system(**changes: Any) -> Callable[..., fc.Cycles]:
    """The pseudocode with other numbers."""
    return lambda *arguments, **named: real_system(*arguments, **(named | changes))


def half(function: Callable[..., Any]) -> Callable[..., Any]:
    """A function whose result is half of what it should be."""
    return lambda *arguments, **named: function(*arguments, **named) * 0.5


def off_by_one(name: str) -> Metric:
    """A metric that is too large by one."""
    real = metric(name)
    return Metric(real.name, real.unit, real.higher_is_better, real.what, real.source, lambda m: real(m) + 1)


def never_bad(frames: int, *_: object) -> sliding_window.Transfer:
    """A transfer on which damage has no effect."""
    return sliding_window.Transfer(tuple(range(frames)), tuple(range(frames)))


def always(value: object) -> Callable[..., Any]:
    """A function with one answer."""
    return lambda *_: np.asarray(value)


Fault = tuple[object, str, object]
FAULTS: Mapping[str, tuple[Fault, str]] = {
    "another law in the model": (
        (synchronous, "rounds", other_law("aimd(1.5, 0.7)")),
        """
        akella-intro-chiu-jain-aimd-only akella-5.1-alpha-beta akella-5.1-mimd-any-w akella-5.1-aiad-any-w akella-5.1-miad-excluded
        akella-5.1-aimd-fixed-point akella-5.1-contraction akella-6-mimd-tracks-cited lahanas-2-def-model lahanas-2-def-cycle
        lahanas-2-def-step lahanas-2-aimd-toward-fairness lahanas-2.1-pseudocode-aimd lahanas-2.2-efficiency-beta
        lahanas-2.2-line-distance lahanas-2.2-same-cycles lahanas-3.1-higher-oscillation lahanas-3.1-iiad-order
        lahanas-3.1-tcp-friendly-slower lahanas-3.1-tcp-75 lahanas-3.1-eq2 lahanas-3.1-def-responsiveness lahanas-3.1-def-smoothness
        lahanas-3.2-pseudocode-fc lahanas-def2-decrease-window lahanas-3.3.2-fc-decrease-window lahanas-3.3.2-fc-increase-space
        lahanas-3.3.2-fc-packets lahanas-3.3.2-fc-eff lahanas-3.3.2-fc-C2 lahanas-3.3.3-fc-range lahanas-3.3.3-fc-33
        lahanas-3.3.4-inverse lahanas-3.3.4-gain-W6 lahanas-3.3.5-limit lahanas-4.1-fc-3-4-to-5-6 lahanas-4.1-w2-equals-k
        lahanas-4.2-pseudocode-fcplus lahanas-4.2.2-fcplus-dw lahanas-4.2.2-fcplus-fq lahanas-4.2.2-fcplus-min
        lahanas-4.2.2-fcplus-packets lahanas-4.2.2-fcplus-eff lahanas-4.2.2-fcplus-C lahanas-4.2.3-fcplus-smoothness
        lahanas-4-equivalent-aimd lahanas-4-general-bD lahanas-6-fcplus-tradeoff lahanas-6-tcp-friendly-fc lahanas-1-conservative-md
        """,
    ),
    "growth in proportion": ((synchronous, "rounds", other_law("mimd(1.1, 0.5)")), "lahanas-2.1-k-common"),
    "a decrease that adds": (
        (synchronous, "rounds", other_law("linear(1, 1, 1, 1)")),
        "lahanas-3.3.5-aimd-limit",
    ),
    "half an efficiency": ((synchronous.Rounds, "efficiency", always(0.5)), "lahanas-3.1-def-efficiency"),
    "cubic steps": (
        (lahanas_section3, "steps_to_meet", lambda _, capacity: int(capacity**3)),
        "lahanas-3.1-gaimd-order lahanas-3.1-simd-order lahanas-3.1-sqrt-order",
    ),
    "a gentle decrease in the pseudocode": (
        (fc, "system", other_system(b=0.9)),
        """
        lahanas-2.1-cycles-log2 lahanas-2.1-cycles-logbeta lahanas-3.2-equivalence lahanas-thm1-convergence lahanas-thm2-steps
        lahanas-thm2-per-cycle lahanas-lemma3 lahanas-cor4 lahanas-4.2-q-bound lahanas-4.2.1-dw-converges
        lahanas-4.2.3-fcplus-responsiveness
        """,
    ),
    "a slow increase in the pseudocode": (
        (fc, "system", other_system(a=0.25)),
        "lahanas-2.1-steps-order lahanas-thm1-order",
    ),
    "everything is equal": ((fc, "converged_exactly", always(True)), "lahanas-def1-fairness"),
    "half a minimum": (
        (fc, "minimum", half(fc.minimum)),
        "lahanas-3.3.2-fc-8pct lahanas-4.1-q-lifts-min lahanas-abs-14pct",
    ),
    "half a growth": ((fc, "growth", half(fc.growth)), "lahanas-4.2.1-fq-small"),
    "half a total": ((fc, "total_after", half(fc.total_after)), "lahanas-4.2-k-current-unsafe"),
    "half a window": (
        (fc, "two_tactics", half(fc.two_tactics)),
        "lahanas-6-two-tactic lahanas-6-new-flows-stuck",
    ),
    "another metric": (
        (lahanas_section5, "metric", off_by_one),
        "lahanas-def-fairness-index lahanas-def-goodput",
    ),
    "a study that mixes": ((lahanas_section5, "OF_THE_PAPER", ("coexistence",)), "lahanas-5-no-mixing"),
    "half a share": (
        (fair_queueing, "max_min", half(fair_queueing.max_min)),
        "akella-3.3-drr-cbr-count akella-3.3-single-cbr-limit",
    ),
    "half a sum": ((fairness, "geometric", half(fairness.geometric)), "akella-5.1-k-increases"),
    "everything attracts": (
        (fairness.Cycle, "attracts", property(lambda _: True)),
        "akella-5.1-single-fixed-point",
    ),
    "conditions always met": (
        (fairness, "chiu_jain", always(True)),
        "akella-5.1-chiu-jain-conditions akella-5.1-cj-not-necessary",
    ),
    "no word does anything": (
        (fairness, "word_map", lambda *_: fairness.Cycle(np.zeros(()), np.ones(()))),
        "akella-5.1-general-sequence",
    ),
    "a decrease by half": (
        (loss_proportional, "decrease", lambda window, *_: np.asarray(window) / 2),
        "akella-6-aild-not-linear",
    ),
    "the larger limit": ((sliding_window, "largest_window", max), "reddy-1-n-receiver reddy-1-n-largest"),
    "numbers one too few": (
        (sliding_window, "ambiguous", lambda window, space: space < window),
        "reddy-1-n-seq",
    ),
    "damage without effect": (
        (sliding_window, "go_back_n", never_bad),
        "reddy-1-gbn-discard reddy-1-gbn-waste",
    ),
}
BROKEN = [(name, fault) for fault, (_, names) in FAULTS.items() for name in names.split()]

FAILING = {
    "lahanas-3.1-iiad-order",
    "lahanas-thm2-steps",
    "lahanas-thm2-per-cycle",
    "lahanas-cor4",
    "lahanas-4.2.1-fq-small",
    "lahanas-4.2.3-fcplus-responsiveness",
    "lahanas-6-tcp-friendly-fc",
    "akella-5.1-miad-excluded",
}


@cache
def judged(paper: str) -> list[Judged]:
    """The claims of the mathematics of a paper, judged once for all tests that ask for them as they are."""
    return PAPERS[paper].judge_mathematics()


def finding(name: str) -> Finding:
    """The finding on one of them."""
    entry = claim(name)
    (only,) = [item.finding for item in judged(entry.paper) if item.claim.id == name]
    assert only is not None
    return only


@pytest.mark.parametrize(
    ("scale", "verdict"),
    [(lambda w: w * np.log(w), H), (lambda w: w**1.1, F), (lambda w: w**2, F)],
    ids=["W log W", "W^1.1", "W^2"],
)
def test_steps_of_order_w_log_w_grow_alike_at_each_doubling(
    scale: Callable[[float], float], verdict: Verdict, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(lahanas_section3, "steps_to_meet", lambda _, w: scale(w))
    found = lahanas_section3.logarithmic("", "", lahanas_section3.FROM_128)
    assert found.verdict is verdict


def test_the_laws_of_order_w_log_w_are_told_from_those_of_a_higher_order() -> None:
    doublings = (128, 256, 512)
    laws = {"gaimd(0.31, 0.125)": H, "simd(0.0625)": H, "sqrt(1, 1)": F, "iiad": F}
    assert {law: lahanas_section3.logarithmic("", law, doublings).verdict for law in laws} == laws


def test_smoothness_is_paid_for_through_the_increase_as_well(monkeypatch: pytest.MonkeyPatch) -> None:
    """An increase that changes nothing leaves what is said of the decrease as it was, and the claim fails."""

    def one_increase(controller: str, *arguments: Any, **named: Any) -> synchronous.Rounds:
        return real_rounds(controller.replace("aimd-fc(16", "aimd-fc(8"), *arguments, **named)

    monkeypatch.setattr(synchronous, "rounds", one_increase)
    found = claim("lahanas-3.3.4-inverse").function(NoRuns())
    assert [part.verdict for part in found.operands] == [H, H, H, F, F]


def test_every_definition_and_analysis_claim_is_decided() -> None:
    counted = {
        paper: [(item.claim.kind, item.verdict) for item in judged(paper)]
        for paper in ("akella2002", "lahanas2003", "reddy2012")
    }
    kinds = {
        paper: (sum(k == "analysis" for k, _ in rows), sum(k == "definition" for k, _ in rows))
        for paper, rows in counted.items()
    }
    assert kinds == {"akella2002": (21, 16), "lahanas2003": (58, 14), "reddy2012": (3, 8)}
    assert all(verdict is not Verdict.UNDECIDED for rows in counted.values() for _, verdict in rows)


def test_which_fail_and_what_holds_instead() -> None:
    for entry in CHECKED:
        found = finding(entry.id)
        assert (found.verdict is F) == (entry.id in FAILING), entry.id
        assert (found.instead is not None) == (entry.id in FAILING), entry.id
        if found.instead is not None:
            assert found.instead.verdict is H, entry.id


@pytest.mark.parametrize(("name", "fault"), BROKEN)
def test_a_check_notices_when_the_product_is_wrong(
    name: str, fault: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    place, attribute, broken = FAULTS[fault][0]
    monkeypatch.setattr(place, attribute, broken)
    found = claim(name).function(NoRuns())
    judged = found.instead if name in FAILING else found
    assert judged is not None
    assert judged.verdict is F


def test_no_check_is_left_out_of_that_test() -> None:
    assert {name for name, _ in BROKEN} == {entry.id for entry in CHECKED}


def numbers_of(name: str, text: str) -> Mapping[str, object]:
    """The numbers of the part of a claim's finding whose text begins so."""

    def parts(found: Finding) -> list[Finding]:
        return [found, *(inner for part in found.operands for inner in parts(part))]

    (only,) = [part for part in parts(finding(name)) if part.text.startswith(text)]
    return only.numbers


def test_the_counter_examples_are_those_worked_out_before() -> None:
    steps = numbers_of("lahanas-thm2-steps", "AIMD-FC takes fewer")
    assert (steps["systems"], steps["counter_examples"], steps["largest_W_of_one"]) == (16672, 135, 16)
    assert (steps["more_than_p_less_n_less_1"], steps["largest_W_of_those"]) == (30, 12)
    cycles = numbers_of("lahanas-thm2-per-cycle", "from the second cycle on")
    assert cycles["steps_from_2_and_3_at_20"] == [[8, 5, 5], [8, 1, 5]]
    assert cycles["steps_from_6_and_8_at_16"] == [[1, 4, 4, 4], [1, 4, 2, 3]]
    corollary = numbers_of("lahanas-cor4", "the total after the decrease is below the capacity, for all")
    assert corollary["total_after_10_90_k_20_q_44_at_140"] == 178.0


def test_the_page_has_the_numbers_of_the_findings() -> None:
    page = (Path(__file__).resolve().parents[1] / "docs" / "models.md").read_text(encoding="utf-8")
    steps = numbers_of("lahanas-thm2-steps", "AIMD-FC takes fewer")
    assert f"({steps['systems']:,} systems)" in page
    assert f"false for {steps['counter_examples']} pairs, all with W ≤ {steps['largest_W_of_one']}" in page
    cycles = numbers_of("lahanas-thm2-per-cycle", "from the second cycle on")
    assert f"false for {cycles['counter_examples']} pairs" in page
    plus = numbers_of("lahanas-4.2.3-fcplus-responsiveness", "AIMD-FC+ takes at least")
    assert f"false for {plus['counter_examples']} pairs" in page


def test_without_runs_there_is_no_score() -> None:
    view = NoRuns()
    assert view.environments == ()
    for ask in (view.D, view.C):
        with pytest.raises(UnavailableError):
            ask("sack/droptail", "AIMD", "goodput")


def test_an_undecided_claim_of_mathematics_is_a_fault(monkeypatch: pytest.MonkeyPatch) -> None:
    undecided: Any = property(lambda _: lambda view: Finding("?", Verdict.UNDECIDED))
    monkeypatch.setattr(Claim, "function", undecided)
    with pytest.raises(AssertionError, match="came out undecided"):
        PAPERS["reddy2012"].judge_mathematics()


@pytest.mark.long
def test_the_report(sawtooth: CommandLine, tmp_path: Any, browser: Browser) -> None:
    document = sawtooth("reproduce", "lahanas2003/mathematics", "--json").json
    assert document["study"] == "lahanas2003/mathematics"
    assert len(document["claims"]) == 72
    failing = {row["id"]: row for row in document["claims"] if row["verdict"] == "fails"}
    assert set(failing) == {name for name in FAILING if name.startswith("lahanas")}
    assert failing["lahanas-cor4"]["evidence"]["instead"]["verdict"] == "holds"
    report = tmp_path / document["report"]
    text = report.read_text(encoding="utf-8")
    assert text.count("<svg") == 5
    assert "What holds instead" in text
    assert (
        text.count('<details class="rests" open>') == 7
    )  # what refutes a statement is shown without a click
    assert "135" in text
    assert "undecided" not in text.partition('id="claims"')[2]
    assert faults(browser, report) == []
    for name in ("vectors", "aimd-fc", "aimd-fc-plus", "theorem-2", "orders"):
        assert (report.parent / f"{report.stem}_{name}.svg").read_text(encoding="utf-8").startswith("<?xml")
        assert (report.parent / f"{report.stem}_{name}.pdf").read_bytes().startswith(b"%PDF-")


@pytest.mark.long
def test_the_command_line_says_what_holds_instead(sawtooth: CommandLine) -> None:
    shown = sawtooth("reproduce", "akella2002/mathematics", timeout=300)
    assert "37 claims: 33 hold, 4 fail, 0 undecided" in shown.out
    assert "instead: MIAD has a steady window" in shown.out


def test_the_command_line(sawtooth: CommandLine) -> None:
    alone = sawtooth("reproduce", "reddy2012/mathematics", "--report", "m.html")
    assert "11 claims: 10 hold, 1 fails" in alone.out
    assert "m.html" in alone.err
    refused = sawtooth("reproduce", "akella2002/mathematics", "--seeds", "3")
    assert refused.code == 2
    assert "--seeds" in refused.err
    names = [row["name"] for row in sawtooth("list", "studies", "--json").json["studies"]]
    assert "lahanas2003/mathematics" in names


def test_a_page_gets_the_rows_of_its_claims(sawtooth: CommandLine, tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    old = "| `reddy-3.2-windows` | holds |  |  | `reddy2012`, 5 seeds | A sentence. |"
    page.write_text(f"Text.\n\n<!-- results: claims -->\n{old}\n<!-- end -->\n", encoding="utf-8")
    sawtooth("reproduce", "reddy2012/mathematics", "--no-report", "--markdown", str(page))
    filled = page.read_text(encoding="utf-8")
    assert "| `reddy-3.2-windows` | fails |  |  | `reddy2012/mathematics` |" in filled
    assert "11 claims: 10 hold, 1 fails, 0 undecided." in filled
    assert old not in filled
    assert filled.startswith("Text.")
    page.write_text("No place.\n", encoding="utf-8")
    refused = sawtooth("reproduce", "reddy2012/mathematics", "--no-report", "--markdown", str(page))
    assert refused.code == 2
    assert "results: NAME" in refused.err


def test_from_python() -> None:
    found = sawtooth.mathematics("reddy2012")
    assert found.name == "reddy2012/mathematics"
    assert found.report is None
    assert [row["id"] for row in found.claim_rows if row["verdict"] != "holds"] == ["reddy-3.2-windows"]
    with pytest.raises(InputError, match="one of akella2002"):
        sawtooth.mathematics("chiu1989")
