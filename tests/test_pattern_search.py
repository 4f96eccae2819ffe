"""The search for patterns: its space, its goal, and that it finds what was planted; the command, its mistakes, and going on."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.fits import fits

from sawtooth.claims.logic import Verdict, both, either, fact, inequality, opposite
from sawtooth.cli import exit_code
from sawtooth.errors import InputError
from sawtooth.experiment.comparison import Comparison
from sawtooth.experiment.intervals import Share
from sawtooth.experiment.matrix import Results, SettingBlock
from sawtooth.experiment.plan import CellKey
from sawtooth.experiment.search import search as search_module
from sawtooth.experiment.search.goal import Goal, margins, met, rank, scales
from sawtooth.experiment.search.search import budget, search
from sawtooth.experiment.search.space import SHAPES, Space
from sawtooth.experiment.study import Study
from sawtooth.measure.metrics import METRIC_NAMES
from sawtooth.papers.pattern_search import find, setup
from sawtooth.plain import json_value
from sawtooth.report.computed import numbers_text
from sawtooth.run.store import Store
from sawtooth.scenario.environments import Environment

TINY = {"duration": "3 s", "bottleneck.rate": "20 Mbit/s", "bottleneck.buffer": "40 packets"}

# --- space ------------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("shape", SHAPES)
def test_every_point_is_an_environment_of_the_space(shape: str) -> None:
    space = Space.of(shape)
    for point in [*space.cover(40, 1), np.zeros(space.size), np.ones(space.size)]:
        table = space.table(point)
        Environment.parse(table)
        assert space.holds(table)
        numbers = space.numbers(point)
        assert numbers["low"] <= numbers["high"]


def test_ranges_replace_the_usual_ones() -> None:
    space = Space.of("square", {"period": "500 ms..2 s", "high": "9 Mbit/s..10 Mbit/s", "duty": "0.6..0.7"})
    for point in space.cover(20, 2):
        numbers = space.numbers(point)
        assert 0.5 <= numbers["period"] <= 2.0
        assert 9.0 <= numbers["high"] <= 10.0
        assert 0.6 <= numbers["duty"] <= 0.7
    assert not space.holds(
        {"kind": "square", "high": "9.5 Mbit/s", "low": "1 Mbit/s", "period": "3 s", "duty": 0.65}
    )
    assert not space.holds({"kind": "saw-tooth", "high": "9.5 Mbit/s", "low": "1 Mbit/s", "period": "1 s"})


@pytest.mark.parametrize(
    ("shape", "ranges"),
    [
        ("wave", {}),
        ("square", {"colour": "1..2"}),
        ("square", {"period": "2 s"}),
        ("square", {"period": "2 s..1 s"}),
        ("square", {"period": "1..2"}),
        ("saw-tooth", {"duty": "0.1..0.2"}),
    ],
)
def test_ranges_that_mean_nothing_are_refused(shape: str, ranges: dict[str, str]) -> None:
    with pytest.raises(InputError, match="environment search"):
        Space.of(shape, ranges)


def test_periods_are_even_in_their_logarithm() -> None:
    space = Space.of("square")
    periods = np.array([space.numbers(point)["period"] for point in space.cover(400, 3)])
    middle = np.exp((np.log(0.5) + np.log(60.0)) / 2)
    assert abs(float((periods < middle).mean()) - 0.5) < 0.02


# --- goal -------------------------------------------------------------------------------------------------------------------


def test_margins_are_signed_distances_of_the_ends() -> None:
    found = both(
        "",
        [
            inequality("", [1.0, 3.0], ">", 0.5),
            inequality("", [1.0, 3.0], "<", 0.5),
            inequality("", [0.0, 0.0], "<="),
            fact("", False),
            either("", [inequality("", [1.0, 1.0], ">", 3.0), inequality("", [1.0, 1.0], ">", 0.0)]),
            opposite("", inequality("", [2.0, 2.0], ">")),
        ],
    )
    assert margins([found]).tolist() == [1.5, -1.5, 0.0, -1.0, 1.0, -2.0]
    assert margins([inequality("", [0.0, 0.0], ">")])[0] < 0.0  # equal is not above


def test_less_missing_ranks_first_and_then_the_wider_margin() -> None:
    table = np.array([[1.0, -30.0], [1.0, 10.0], [2.0, 20.0], [-0.5, 90.0]])
    scale = scales(table)
    assert scale == pytest.approx(table.std(axis=0))
    order = rank(table, scale)
    assert order[:2] == [2, 1]
    assert order[2:] == [3, 0]
    assert met(table).tolist() == [False, True, True, False]


def test_a_share_has_wilsons_interval() -> None:
    low, high = Share(0, 100).ends
    assert low == 0.0
    assert high == pytest.approx(1.96**2 / (100 + 1.96**2), abs=1e-3)  # p = 0: z^2 / (n + z^2)


# --- search -----------------------------------------------------------------------------------------------------------------


def planted(study: Study, store: Store, **_: Any) -> Comparison:
    """MIMD wins by 0.1 where the period lies between 5 and 10 s, more the higher the peak; elsewhere AIMD wins."""
    plan = [planned.key for planned in study.plan()]
    names = [entry.label for entry in study.algorithm]
    environments = list(study.environments)
    values = {metric: np.zeros((len(names), len(environments), len(study.seeds))) for metric in METRIC_NAMES}
    for e, table in enumerate(study.environments.values()):
        period, high = float(table["period"].split()[0]), float(table["high"].split()[0])
        goodput = dict.fromkeys(names, 0.5)
        goodput["AIMD"] = 0.7
        if 5.0 <= period <= 10.0:
            goodput["MIMD"] = 0.8 + high / 100.0
        for a, name in enumerate(names):
            values["goodput"][a, e] = goodput[name] + np.arange(len(study.seeds)) * 1e-4
    (setting,) = study.matrix.settings
    ids = {key: str(key) for key in plan if isinstance(key, CellKey)}
    block = SettingBlock(str(setting), tuple(names), tuple(environments), study.seeds, values, ids)
    return Comparison(study, Results({str(setting): block}))


def test_what_was_planted_is_found_and_its_share_is_in_the_interval(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(search_module, "perform", planted)
    study = setup([], "sack", "droptail", {})
    found = search(study, Space.of("square"), Goal(winner="MIMD"), Store(tmp_path), runs=800, search_seeds=2)
    assert found.verdict is Verdict.HOLDS
    assert 5.0 <= found.found.numbers["period"] <= 10.0
    widest = max(entry.margins.min() for entry in found.cover)
    assert found.found.margins.min() >= widest  # refined, or as good as what was there
    truth = np.log(2.0) / np.log(120.0)  # of periods from 0.5 to 60 s, even in the logarithm
    low, high = found.region().ends
    assert low < truth < high
    shares = found.shares()
    assert shares["MIMD"][0].count + shares["AIMD"][0].count == len(found.cover) == 90
    assert set(found.search_seeds).isdisjoint(found.judge_seeds)


def test_a_claim_that_compares_patterns_finds_the_other_in_the_study(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    def worse_under_1b(study: Study, store: Store, **rest: Any) -> Comparison:
        found = planted(study, store, **rest)
        (block,) = found.own
        for place, name in enumerate(block.environments):
            block.values["loss"][:, place] = 5.0 if name == "1b" else 1.0
        return found

    monkeypatch.setattr(search_module, "perform", worse_under_1b)
    asked: dict[str, Any] = {"claim_ids": ["akella-2-fig1c-miad-best"], "runs": 60, "seeds": 2}
    found = find("square", store=tmp_path, **asked)
    for findings in (found.judged, found.on_search_seeds):
        (gap,) = [leaf for each in findings for leaf in each.leaves() if leaf.text == "loss(MIAD), 1c - 1b"]
        assert gap.interval is not None
        assert gap.interval.mean == -4.0
    assert set(found.found.table) == {"kind", "high", "low", "period", "duty"}  # a pattern of the space


def test_a_goal_that_nothing_meets_gives_the_nearest_and_says_so(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(search_module, "perform", planted)
    study = setup([], "sack", "droptail", {})
    found = search(study, Space.of("square"), Goal(winner="MIAD"), Store(tmp_path), runs=400, search_seeds=2)
    assert found.verdict is Verdict.FAILS
    assert found.region().count == 0
    assert not 5.0 <= found.found.numbers["period"] <= 10.0  # where MIAD is 0.2 behind and not 0.3


def test_the_budget_is_kept() -> None:
    for runs in (120, 400, 1600):
        for seeds in (1, 3, 5):
            counts, confirmed = budget(runs, 4, seeds)
            assert 4 * (sum(counts) + confirmed * max(seeds - 1, 0)) <= runs
            assert min(*counts, confirmed) >= 1
    with pytest.raises(InputError, match="--runs"):
        budget(8, 4, 3)


def test_a_small_search_goes_on_and_comes_out_the_same(tmp_path: Path) -> None:
    asked: dict[str, Any] = {"winner": "aimd", "runs": 60, "seeds": 2, "judge_seeds": 2, "values": TINY}
    first = find("square", store=tmp_path, **asked)
    again = find("square", store=tmp_path, **asked)
    assert first.executed > 0
    assert again.executed == 0
    assert again.to_json() | {"executed": 0} == first.to_json() | {"executed": 0}
    assert fits(json_value(first.to_json())) == "environment-search"
    assert again.behaviour == first.behaviour, "a run that was stored says what it used as well"
    assert {"law/linear", "recovery/sack", "queue/droptail"} <= set(first.behaviour)


# --- command ----------------------------------------------------------------------------------------------------------------


def test_the_command_prints_draws_and_answers_in_json(
    tmp_path: Path, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("SAWTOOTH_PROGRESS", raising=False)
    monkeypatch.setattr("sawtooth.progress.EVERY_S", 0.05)
    plot = tmp_path / "map.svg"
    sets = [text for key, value in TINY.items() for text in ("--set", f"{key}={value}")]
    arguments = [
        "environment",
        "search",
        "--loser",
        "MIAD",
        "--runs",
        "60",
        "--seeds",
        "2",
        "--judge-seeds",
        "2",
    ]
    arguments += [*sets, "--store", str(tmp_path)]
    assert exit_code([*arguments, "--plot", str(plot)]) == 0
    shown = capfd.readouterr()
    assert "MIAD last in goodput" in shown.out
    assert "b = 0.8, fraction of the window that a decrease keeps" in shown.out
    assert "search: drawing (" in shown.err
    assert plot.read_text().startswith("<?xml")
    assert exit_code([*arguments, "--json"]) == 0
    document = json.loads(capfd.readouterr().out)
    assert f"by rule {document['rule']}, {numbers_text(document['behaviour'])}" in " ".join(shown.out.split())
    assert document["goal"]["loser"] == "MIAD"
    assert document["executed"] == 0
    assert document["region"]["of"] == len([e for e in document["candidates"] if e["stage"] == "explore"])
    Environment.parse(document["environment"])


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--winner", "cubic"], '--winner = "cubic": expected one of AIMD, AIAD, MIMD, MIAD'),
        ([], "a goal: --winner, --loser or --claim"),
        (["--winner", "aimd", "--loser", "aimd"], "another controller"),
        (["--winner", "aimd", "--range", "period"], "KEY=LOW..HIGH"),
        (["--winner", "aimd", "--runs", "7"], "--runs = 7: expected at least"),
        (["--winner", "aimd", "--runs", "99999999"], "--runs = 99999999: expected at most 10,000,000 runs"),
        (
            ["--winner", "aimd", "--seeds", "99999999"],
            "--seeds = 99999999: expected seeds of at most 10,000,000 runs",
        ),
        (["--winner", "aimd", "--seeds", "0"], "--seeds"),
        (["--claim", "akella-3-def-D"], "a claim about one pattern"),
        (["aimd(1, 0.5)", "aimd(1, 0.8)", "--claim", "akella-2-fig1a-aimd-best"], "the four representatives"),
        (["--winner", "aimd", "--plot", "map.xyz"], "a file name that ends in"),
        (["--winner", "aimd", "--shape", "wave"], "--shape"),
        (["--winner", "aimd", "--recovery", "none"], "--recovery"),
        # Was ignored: the search fills these in itself.
        *(
            (["--winner", "aimd", "--set", f"{key}={value}"], f"the search takes {place} from {by}")
            for key, value, place, by in (
                ("bottleneck.queue", "red", "bottleneck.queue", "--router"),
                ("bottleneck.queue.max_p", "0.2", "bottleneck.queue", "--router"),
                ("flows.recovery", "reno", "flows.recovery", "--recovery"),
                ("flows[0].control", "cubic", "flows.control", "CONTROLLER"),
                ("environment.kind", "sq-high", "environment", "--shape and --range"),
                ("seed", "4", "seed", "--seeds and --judge-seeds"),
            )
        ),
        (["--winner", "aimd", "--set", 'tcp={ min_rto = "1 s" }'], "a single value, such as tcp."),
        (
            ["--winner", "aimd", "--recovery", "reno", "--set", "tcp.sack_pipe=rfc6675"],
            "a key that acts in the",
        ),
        (["--winner", "aimd", "--set", "path.rttt=1 s"], "path.rttt"),
    ],
)
def test_mistakes_leave_with_2(arguments: list[str], message: str, capfd: pytest.CaptureFixture[str]) -> None:
    assert exit_code(["environment", "search", *arguments]) == 2
    shown = capfd.readouterr()
    assert shown.out == ""
    assert message in shown.err
    assert len(shown.err.splitlines()) <= 3


def test_an_open_parameter_of_the_router_may_be_set() -> None:
    found = setup([], "sack", "red", {"bottleneck.queue.max_p": 0.2})
    assert next(found.kinds())["bottleneck"]["queue"]["max_p"] == 0.2
