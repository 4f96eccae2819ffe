"""Claims: the list is whole, every check can come out both ways, verdicts follow three-valued logic, and scope is respected."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from importlib import import_module
from pkgutil import iter_modules
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

import sawtooth
from sawtooth import _native
from sawtooth.claims.logic import (
    Finding,
    Verdict,
    all_of,
    at_least,
    both,
    either,
    fact,
    inequality,
    opposite,
)
from sawtooth.claims.orders import order_agrees, orders_alike, possible_orders, spearman
from sawtooth.claims.table import judge, judge_paper
from sawtooth.claims.view import Part, RunView, UnavailableError, View
from sawtooth.experiment.matrix import ProbeRun, Results, SettingBlock
from sawtooth.experiment.plan import CellKey, ProbeKey
from sawtooth.experiment.scoring import Values, difference_by_identity, distances, score
from sawtooth.measure.metrics import METRIC_NAMES, Metric, metric
from sawtooth.papers import PAPERS
from sawtooth.papers.akella2002.claims import introduction, section3, section4, section5
from sawtooth.papers.akella2002.four import FOUR
from sawtooth.papers.akella2002.printed import AppendixRow, appendix, environments
from sawtooth.papers.reddy2012.claims import tables as reddy
from sawtooth.papers.register import claim, claims
from sawtooth.papers.studies import load_study

TOLERANCES = load_study("akella2002/fig5").tolerance
H, F, U = Verdict.HOLDS, Verdict.FAILS, Verdict.UNDECIDED
OTHERS = (
    "lahanas2003/",
    "floyd2000/",
    "akella2002/steady_states",
    "reddy2012/sliding_window",
    "akella2002/section2.",
)
"""Modules whose checks test_claims_mathematics.py, test_claims_floyd.py and test_claims_section2.py break."""
CHECKED = [entry for entry in claims() if entry.check is not None and not entry.judged_by.startswith(OTHERS)]
ON_RUNS = [entry for entry in CHECKED if entry.settings]
FIXED = [entry for entry in CHECKED if not entry.settings]
ALL_13 = tuple(row.name for row in environments())


# --- the list -------------------------------------------------------------------------------------------------------------


def test_all_claims_of_the_papers_stand_here_once() -> None:
    ids = [entry.id for entry in claims()]
    assert len(ids) == len(set(ids))
    assert sum(entry.paper == "akella2002" for entry in claims()) == 169
    assert sum(entry.paper == "floyd2000" for entry in claims()) == 78
    assert sum(entry.paper == "lahanas2003" for entry in claims()) == 94
    assert sum(entry.paper == "reddy2012" for entry in claims()) == 23


def test_a_claim_has_a_check_or_says_what_it_waits_for() -> None:
    for entry in claims():
        assert entry.check is not None or entry.needs, entry.id
        assert len(entry.statement) > 20, entry.id
        if entry.check is not None:
            assert callable(entry.function)
        else:
            with pytest.raises(LookupError, match=entry.needs[0]):
                _ = entry.function


def test_every_check_of_the_modules_is_used() -> None:
    used = {entry.judged_by for entry in claims()}
    for paper in PAPERS.values():
        if not paper.claims:
            continue
        package = import_module(f"sawtooth.papers.{paper.name}.claims")
        for found in iter_modules(package.__path__):
            module = import_module(f"{package.__name__}.{found.name}")
            for name, value in vars(module).items():
                own = getattr(value, "__module__", None) == module.__name__
                takes_view = (
                    own
                    and callable(value)
                    and list(getattr(value, "__annotations__", {}).values()) == ["View", "Finding"]
                )
                if takes_view and not name.startswith("_"):
                    check = f"{paper.name}/{found.name}.{name}"
                    assert check in used, f"{check} judges no claim"


def test_an_unknown_claim() -> None:
    assert claim("akella-3-def-D").kind == "definition"
    with pytest.raises(KeyError):
        claim("akella-3-def-E")


# --- every check comes out both ways ----------------------------------------------------------------------------------------


class Invented(View):
    """A view of random numbers without spread, fixed once asked for."""

    def __init__(self, settings: Sequence[str], random: np.random.RandomState) -> None:
        super().__init__(settings, TOLERANCES)
        self._random = random
        self._known: dict[tuple[str, ...], float] = {}

    @property
    def environments(self) -> tuple[str, ...]:
        return ALL_13

    def _value(self, *key: str) -> float:
        if key not in self._known:
            self._known[key] = float(10 ** self._random.uniform(-2, 1.5))
        return self._known[key]

    def D(self, setting: str, algorithm: str, metric: str) -> Values:  # noqa: N802
        return np.full(2, self._value("D", setting, algorithm, metric))

    def C(self, setting: str, algorithm: str, metric: str) -> Values:  # noqa: N802
        return self.D(setting, algorithm, metric) * self._value("C", setting, algorithm, metric) / 40

    def mean(self, setting: str, algorithm: str, metric: str) -> Values:
        return np.full(2, self._value("mean", setting, algorithm, metric))

    def raw(self, setting: str, algorithm: str, metric: str) -> Values:
        return np.full((len(ALL_13), 2), self._value("raw", setting, metric) / 5)

    def ratio_D(self, setting: str) -> Values:  # noqa: N802
        return np.stack([np.full(2, self._value("ratio", setting, name)) for name in FOUR])


def drops(verdicts: Mapping[str, tuple[int, int]], ks: Sequence[int]) -> Results:
    """Probe runs with the same timeouts and loss events for each k, by recovery."""
    runs = [
        ProbeRun(
            {"recovery": recovery, "k": k},
            "0" * 24,
            {},
            pa.table({"timeouts": [timeouts], "loss_events": [events]}),
        )
        for recovery, (timeouts, events) in verdicts.items()
        for k in ks
    ]
    return Results({"sack/droptail": block("sack/droptail", {})}, {introduction.PROBE: tuple(runs)})


@pytest.mark.parametrize(
    ("name", "reno", "sack", "ks", "verdict"),
    [
        ("akella-intro-reno-severe", (1, 2), (0, 1), (3, 8), H),
        ("akella-intro-reno-severe", (0, 1), (0, 1), (3, 8), F),
        ("akella-intro-reno-severe", (1, 2), (1, 1), (3, 8), F),
        ("akella-intro-sack-gentle", (1, 2), (0, 1), (1, 64), H),
        ("akella-intro-sack-gentle", (1, 2), (0, 2), (1, 64), F),
        ("akella-intro-sack-gentle", (1, 2), (1, 1), (1, 64), F),
        ("akella-intro-sack-gentle", (1, 2), (0, 1), (1, 8), F),  # too small a share of the window to tell
    ],
)
def test_the_checks_on_dropped_windows(
    name: str, reno: tuple[int, int], sack: tuple[int, int], ks: Sequence[int], verdict: Verdict
) -> None:
    results = drops({"reno": reno, "sack": sack}, ks)
    assert judge(claim(name), results, TOLERANCES).verdict is verdict


def test_the_dropped_packets_belong_to_one_window_of_the_size_that_the_check_takes() -> None:
    study = load_study("akella2002/fig5")
    (probe,) = study.probe
    for planned in study.probed(probe):
        assert isinstance(planned.key, ProbeKey)
        if dict(planned.key.labels)["recovery"] == "sack":
            run = sawtooth.run({**planned.scenario, "record": {"windows": True}})
            (decrease,) = run.records["windows"].to_pylist()
            assert 128 <= decrease["window_before"] <= introduction.WINDOW_AT_MOST


def without_abs(values: Values, *, higher_is_better: bool) -> Values:
    """The distance as the paper prints it, which is wrong where less is better."""
    return np.asarray(values.max(axis=0) - values + 0.0 * higher_is_better)


def doubled(function: Callable[..., Any]) -> Callable[..., Any]:
    """A function whose result is twice what it should be."""
    return lambda *arguments, **named: 2 * function(*arguments, **named)


def other_numbers(text: str) -> str:
    """A constructor that takes every control for another."""
    return json.dumps({"kind": "linear", "a_i": 3.0, "b_i": 1.05, "a_d": -3.0, "b_d": 0.95, "text": text})


def broken_metric(name: str) -> Metric:
    """A metric that is off by one."""
    real = metric(name)
    return Metric(real.name, real.unit, real.higher_is_better, real.what, real.source, lambda m: real(m) + 1)


def shifted_scores(*arguments: Any, **named: Any) -> list[Any]:
    """Scores of means over environments in place of sums."""
    return score(arguments[0], arguments[1] / 2, *arguments[2:], **named)


def fewer_rows(paper: str = "akella2002") -> tuple[AppendixRow, ...]:
    """The 2012 table with a row missing."""
    return appendix(paper)[1:] if paper == "reddy2012" else appendix(paper)


BROKEN: list[tuple[str, object, str, object]] = [
    ("akella-3-def-smax", section3, "distances", without_abs),
    ("akella-3-def-d", section3, "distances", doubled(distances)),
    ("akella-3-def-C", section3, "score", shifted_scores),
    ("akella-3-def-D", section3, "score", shifted_scores),
    ("akella-3-def-D-identity", section3, "difference_by_identity", doubled(difference_by_identity)),
    ("akella-3.2-rule-ai", _native, "controller", other_numbers),
    ("akella-3.2-rule-ad", section3, "relative_decrease", doubled(section3.relative_decrease)),
    ("akella-3.2-rule-mi", _native, "controller", other_numbers),
    ("akella-3.2-rule-md", _native, "controller", other_numbers),
    ("akella-3.2-example-mimd", _native, "controller", other_numbers),
    ("akella-4-def-goodput", section4, "metric", broken_metric),
    ("akella-4-def-delay", section4, "metric", broken_metric),
    ("akella-4-def-loss", section4, "metric", broken_metric),
    ("akella-4-def-fairness", section4, "metric", broken_metric),
    ("akella-4.2.3-bdp-rule", section4, "keeps_link_busy", lambda kept, buffer: kept + buffer >= 1),
    ("akella-5.1-general-linear", _native, "controller", other_numbers),
    ("akella-5.2-def-maimd", _native, "controller", other_numbers),
    ("akella-5.2-def-aimad", _native, "controller", other_numbers),
    ("reddy-scope", reddy, "score", shifted_scores),
    ("reddy-3-defs", section3, "score", shifted_scores),
    (
        "reddy-3.1-envs",
        reddy,
        "environments",
        lambda paper="akella2002": environments(paper)[: 12 if paper == "reddy2012" else 13],
    ),
    ("reddy-4-metrics", section4, "metric", broken_metric),
    ("reddy-app-tables", reddy, "appendix", fewer_rows),
]


@pytest.mark.parametrize(("name", "place", "function", "broken"), BROKEN, ids=[entry[0] for entry in BROKEN])
def test_a_definition_holds_and_fails_when_the_product_is_wrong(
    name: str, place: object, function: str, broken: object, monkeypatch: pytest.MonkeyPatch
) -> None:
    entry = claim(name)
    view = Invented(("reno/droptail",), np.random.RandomState(1))
    assert entry.function(view).verdict is H
    monkeypatch.setattr(place, function, broken)
    assert entry.function(view).verdict is F


def test_no_definition_is_left_out_of_that_test() -> None:
    by_probe = {"akella-intro-reno-severe", "akella-intro-sack-gentle"}
    assert {entry.id for entry in FIXED} - by_probe - {entry[0] for entry in BROKEN} == {
        "akella-3.2-param-bounds",
        "akella-3.2-lowest-increment-window",
        "akella-3.2-lowest-decrement-window",
        "reddy-3.2-windows",
    }


# --- logic ----------------------------------------------------------------------------------------------------------------

VERDICTS = st.sampled_from([H, F, U])


@given(st.lists(VERDICTS, max_size=5))
def test_and_or_not_are_kleene(verdicts: list[Verdict]) -> None:
    value = {H: 1.0, U: 0.5, F: 0.0}
    back = {number: verdict for verdict, number in value.items()}
    parts = [Finding("", verdict) for verdict in verdicts]
    least, most = (
        back[min([1.0, *(value[v] for v in verdicts)])],
        back[max([0.0, *(value[v] for v in verdicts)])],
    )
    assert (all_of(verdicts), both("", parts).verdict, either("", parts).verdict) == (least, least, most)
    assert opposite("", either("", parts)).verdict is both("", [opposite("", part) for part in parts]).verdict


@pytest.mark.parametrize(
    ("values", "relation", "bound", "verdict"),
    [
        ([1.0, 1.1, 0.9], ">", 0.5, H),
        ([1.0, 1.1, 0.9], ">", 1.5, F),
        ([1.0, 1.1, 0.9], ">", 1.0, U),
        ([1.0, 1.1, 0.9], "<", 1.5, H),
        ([1.0, 1.1, 0.9], "<=", 0.5, F),
        ([0.0, 0.0], ">", 0.0, F),
        ([0.0, 0.0], ">=", 0.0, H),
        ([0.0, 0.0], "<", 0.0, F),
        ([0.0, 0.0], "<=", 0.0, H),
        ([5.0], ">", 0.0, U),
    ],
)
def test_inequalities(values: list[float], relation: Any, bound: float, verdict: Verdict) -> None:
    found = inequality("x", values, relation, bound)
    assert found.verdict is verdict
    assert (found.seeds is not None) <= (verdict is U)


def test_an_undecided_inequality_says_how_many_seeds_would_do() -> None:
    found = both("all", [inequality("x", [0.1, -0.2, 0.4], ">"), fact("y", True)])
    assert found.verdict is U
    assert found.seeds == found.operands[0].seeds
    assert found.seeds is not None
    assert found.seeds > 3
    hopeless = both("all", [found, inequality("x", [-1.0, 1.0], ">")])
    assert hopeless.seeds is None


def test_at_least() -> None:
    parts = [fact("a", True), fact("b", False), inequality("c", [-1.0, 1.0], ">")]
    assert [at_least("", n, parts).verdict for n in (1, 2, 3)] == [H, U, F]


def test_findings_become_plain_data() -> None:
    found = either("one", [opposite("not", fact("a", True, k=1)), inequality("b", [1.0, 2.0, 3.0], ">", 0.5)])
    document = json.loads(json.dumps(found.to_json()))
    assert document["joined"] == "or"
    assert document["parts"][0]["parts"][0]["numbers"] == {"k": 1}
    assert document["parts"][1]["seeds_to_decide"] is not None
    assert [leaf.text for leaf in found.leaves()] == ["a", "b"]


def test_spearman_by_hand() -> None:
    # d = 0, 1, 1, 0: 1 - 6 * 2 / (4 * 15) = 0.8
    assert spearman([1, 2, 3, 4], [1, 3, 2, 4]) == pytest.approx(0.8)
    assert spearman([1, 2, 3, 4], [4, 3, 2, 1]) == pytest.approx(-1.0)
    assert spearman([1, 1, 2], [1, 2, 3]) == pytest.approx(np.sqrt(3) / 2)
    assert np.isnan(spearman([1, 1], [1, 2]))


def steady(*values: float) -> NDArray[np.float64]:
    """Values without spread over three seeds, one row each."""
    return np.repeat(np.array(values)[:, None], 3, axis=1)


def test_an_order_is_judged_by_the_orders_that_the_seeds_allow() -> None:
    names = ("a", "b", "c", "d")
    assert order_agrees("", names, steady(1, 2, 3, 4), [1, 3, 2, 4], 0.8).verdict is H
    assert order_agrees("", names, steady(1, 2, 3, 4), [1, 4, 3, 2], 0.8).verdict is F
    unclear = steady(1, 2, 3, 4)
    unclear[1] = [1, 3, 4]  # between a and d, on either side of c
    found = order_agrees("", names, unclear, [1, 3, 2, 4], 0.9)
    assert found.verdict is U
    assert (found.numbers["rho_low"], found.numbers["rho_high"]) == (pytest.approx(0.4), pytest.approx(1.0))
    assert order_agrees("", names, unclear, [1, 3, 2, 4], 0.3).verdict is H


def test_two_orders_of_the_same_runs_are_compared_seed_by_seed() -> None:
    first = np.array([[1.0, 2.0, 1.0], [2.0, 1.0, 2.0], [3.0, 3.0, 3.0]])
    alike = orders_alike("", first, 10 * first, 0.8)
    assert (alike.verdict, alike.interval and alike.interval.mean) == (H, 1.0)
    assert order_agrees("", ("a", "b", "c"), first, 10 * first, 0.8).verdict is U  # not so by their means
    assert orders_alike("", first, -first, 0.8).verdict is F
    ties = np.ones((3, 3))
    assert orders_alike("", ties, ties, 0.8).verdict is H
    assert orders_alike("", first, ties, 0.8).verdict is F


def test_equal_things_are_tied_in_every_order() -> None:
    orders, seeds = possible_orders(steady(2, 1, 2))
    assert [order.tolist() for order in orders] == [[2.5, 1.0, 2.5]]
    assert seeds is None


# --- scope ----------------------------------------------------------------------------------------------------------------


def block(
    setting: str, values: Mapping[str, float], places: Sequence[str] = ALL_13[:10], seeds: int = 3
) -> SettingBlock:
    """A block whose metrics are constant: by algorithm for `values`, 0.5 elsewhere."""
    shape = (len(FOUR), len(places), seeds)
    names = tuple(str(number) for number in range(1, seeds + 1))
    boxes = {name: np.full(shape, 0.5) for name in (*METRIC_NAMES, "cross_surplus")}
    for place, name in enumerate(FOUR):
        boxes["goodput"][place] = values.get(name, 0.5)
    ids = {
        CellKey(setting, name, environment, seed): f"{name}{environment}{seed}"
        for name in FOUR
        for environment in places
        for seed in names
    }
    return SettingBlock(setting, FOUR, tuple(places), names, boxes, ids)


def results(*blocks: SettingBlock) -> Results:
    """These blocks and no probes."""
    return Results({entry.setting: entry for entry in blocks})


def test_a_claim_about_all_environments_waits_for_them_and_shows_the_part() -> None:
    entry = claim("akella-4.1.1-ai-similar")
    found = judge(entry, results(block("reno/droptail", {})), TOLERANCES)
    assert found.verdict is U
    assert found.reason is not None
    assert "11 to 13" in found.reason
    document = found.to_json()
    assert document["on_subset"] == {
        "verdict": "holds",
        "settings": ["reno/droptail"],
        "environments": list(ALL_13[:10]),
    }
    complete = judge(entry, results(block("reno/droptail", {}, ALL_13)), TOLERANCES)
    assert (complete.verdict, complete.reason) == (H, None)
    assert "on_subset" not in complete.to_json()


def test_a_missing_environment_of_the_ten_is_named() -> None:
    found = judge(
        claim("akella-4.1.1-ai-similar"), results(block("reno/droptail", {}, ALL_13[1:])), TOLERANCES
    )
    assert found.reason is not None
    assert "cons-low were not run" in found.reason


def test_one_counter_example_decides_a_claim_about_every_setting() -> None:
    entry = claim("akella-abs-aimd-fails-modern")
    counter = judge(entry, results(block("sack/droptail", {"AIMD": 0.9})), TOLERANCES)
    assert counter.verdict is F
    example = judge(entry, results(block("sack/droptail", {"AIAD": 0.9})), TOLERANCES)
    assert example.verdict is U
    assert example.finding is not None
    assert example.finding.verdict is H
    assert example.reason is not None
    assert "sack/red" in example.reason


def test_one_example_decides_a_claim_about_some_setting_only_with_all_environments() -> None:
    entry = claim("akella-4-goodput-C-D-differ")

    def differing(places: Sequence[str]) -> SettingBlock:
        made = block("reno/droptail", {}, places)
        made.values["goodput"][0, :, :] = 0.4  # AIMD a little behind everywhere
        made.values["goodput"][1, 0, :] = 0.1  # AIAD far behind in one place
        return made

    assert judge(entry, results(differing(ALL_13)), TOLERANCES).verdict is H
    partial = judge(entry, results(differing(ALL_13[:10])), TOLERANCES)
    assert partial.verdict is U
    assert partial.finding is not None
    assert partial.finding.verdict is H


def test_a_claim_that_joins_two_settings_needs_both() -> None:
    entry = claim("akella-4.1.2-goodput-above-reno")
    alone = judge(entry, results(block("sack/droptail", {})), TOLERANCES)
    assert (alone.verdict, alone.finding) == (U, None)
    low, high = dict.fromkeys(FOUR, 0.4), dict.fromkeys(FOUR, 0.6)
    joined = results(block("sack/droptail", high), block("reno/droptail", low))
    assert judge(entry, joined, TOLERANCES).verdict is H
    joined = results(block("sack/droptail", low), block("reno/droptail", high))
    assert judge(entry, joined, TOLERANCES).verdict is F


def test_a_probe_that_was_not_run_leaves_its_claim_open() -> None:
    found = judge(claim("akella-intro-reno-severe"), results(block("reno/droptail", {})), TOLERANCES)
    assert found.verdict is U
    assert found.reason is not None
    assert "window-drops" in found.reason


def test_definitions_are_never_undecided() -> None:
    fixed = [entry for entry in FIXED if entry.kind != "simulation"]
    judged = [judge(entry, results(block("reno/droptail", {})), TOLERANCES) for entry in fixed]
    assert len(judged) > 20
    assert {item.verdict for item in judged} <= {H, F}


def test_an_undecided_definition_is_a_bug() -> None:
    changes = {"check": "akella2002/section4.worst_case_orders_alike", "settings": ("reno/droptail",)}
    entry = claim("akella-3-def-D").model_copy(update=changes)
    with pytest.raises(AssertionError, match="came out undecided"):
        judge(entry, results(noisy()), TOLERANCES)


def noisy() -> SettingBlock:
    """A block in which nothing can be told apart."""
    made = block("reno/droptail", {})
    random = np.random.RandomState(5)
    for values in made.values.values():
        values[...] = random.uniform(size=values.shape)
    return made


def test_tolerances_of_sums_shrink_with_the_environments() -> None:
    entry = TOLERANCES["goodput_leader"]
    assert entry.over(13) == pytest.approx(0.15)
    assert entry.over(10) == pytest.approx(0.15 * 10 / 13)
    assert TOLERANCES["order_agrees"].over(10) == 0.8


def test_a_check_reaches_another_part_and_its_claim_waits_where_that_was_not_run() -> None:
    main = Part(results(block("reno/droptail", {"AIMD": 0.7})), TOLERANCES)
    other = Part(results(block("sack/red", {"AIMD": 0.9}, ALL_13[:2], 2)), TOLERANCES)
    view = RunView(main.results, ("reno/droptail",), TOLERANCES, {"akella2002/ring": other})
    ring = view.part("akella2002/ring")
    assert (ring.settings, ring.environments) == (("sack/red",), ALL_13[:2])
    assert ring.raw("sack/red", "AIMD", "goodput").tolist() == [[0.9, 0.9], [0.9, 0.9]]
    assert ring.D("sack/red", "AIAD", "goodput").tolist() == pytest.approx([0.8, 0.8])
    with pytest.raises(UnavailableError, match="akella2002/rtt"):
        view.part("akella2002/rtt")
    for missing in (("sack/drr", "AIMD"), ("sack/red", "MAIMD")):
        with pytest.raises(UnavailableError, match=missing[1] if missing[1] != "AIMD" else missing[0]):
            ring.raw(*missing, "goodput")


def test_a_claim_is_judged_on_the_part_that_it_speaks_of() -> None:
    entry = claim("akella-4.1.1-ai-similar").model_copy(
        update={"part": "akella2002/ring", "environments": None}
    )
    other = Part(results(block("reno/droptail", {"AIMD": 0.9})), TOLERANCES)
    main = Part(results(block("reno/droptail", {})), TOLERANCES)
    (found,) = judge_paper([entry], main, {"akella2002": main, "akella2002/ring": other})
    assert (found.verdict, found.printed) == (F, None)
    (found,) = judge_paper([entry], main, {"akella2002": main})
    assert (found.verdict, found.finding) == (U, None)
    assert found.reason is not None
    assert "akella2002/ring" in found.reason
    plain = entry.model_copy(update={"part": None})
    (found,) = judge_paper([plain], None, {"akella2002/ring": other})  # main studies were not run
    assert found.verdict is U
    assert found.reason is not None
    assert "reno/droptail" in found.reason


def test_scores_are_formed_within_a_family() -> None:
    made = block("sack/red", {"AIMD": 0.9, "AIAD": 0.6, "MIMD": 0.5, "MIAD": 0.1}, ALL_13[:2])
    split = SettingBlock(
        made.setting,
        made.algorithms,
        made.environments,
        made.seeds,
        made.values,
        made.run_ids,
        {"AIMD": "additive", "AIAD": "additive", "MIMD": "multiplicative", "MIAD": "multiplicative"},
    )
    assert split.sets == (("AIMD", "AIAD"), ("MIMD", "MIAD"))
    assert split.peers("MIAD") == ("MIMD", "MIAD")
    found = {name: split.scores.of(name, "goodput").D.mean for name in FOUR}
    assert found == pytest.approx({"AIMD": 0.0, "AIAD": 0.6, "MIMD": 0.0, "MIAD": 0.8})


def test_the_general_linear_control_is_the_products_own() -> None:
    found: Finding = section5.general_linear(Invented(("reno/droptail",), np.random.RandomState(1)))
    assert found.operands[1].numbers == {"up": pytest.approx(24.0), "down": pytest.approx(17.0)}
