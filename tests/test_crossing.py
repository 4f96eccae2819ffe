"""A few open values crossed, where the truth is known: the confidence set beside another implementation, and planted values."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from tests.browser import Browser, faults
from tests.conftest import CommandLine
from tests.fits import fits
from tests.stock import ROOT
from tests.test_reconstruction import REPRESENTATIVES, parameter, rows_of, small_study

from sawtooth.errors import InputError
from sawtooth.experiment.study import Setting, Study
from sawtooth.papers.akella2002.reconstruction.calibration import Identified
from sawtooth.papers.akella2002.reconstruction.confidence_set import LEVEL, confidence_set
from sawtooth.papers.akella2002.reconstruction.crossing import (
    command_line,
    cross_study,
    crossed,
    in_turn,
    places_of,
)
from sawtooth.papers.akella2002.reconstruction.crossing_page import (
    blocks,
    crossing_figure,
    update_crossing,
    write_crossing,
)
from sawtooth.papers.akella2002.reconstruction.crossing_result import (
    CROSSED,
    OpenCrossing,
    finding,
    sentences,
    value_rows,
)
from sawtooth.papers.akella2002.reconstruction.factors import factors_of
from sawtooth.papers.akella2002.reconstruction.rows import BlockKey, PrintedRow
from sawtooth.papers.akella2002.reconstruction.sweep import Tried
from sawtooth.papers.studies import load_study
from sawtooth.plain import json_value
from sawtooth.report.computed import contents
from sawtooth.run.store import Store

ROUTERS = {
    "droptail": {"kind": "drop-tail"},
    "red": {"kind": "red", "min": 5, "max": 15},
    "ecn": {"kind": "red", "ecn": True, "min": 5, "max": 15},
    "drr": {"kind": "drr"},
}
KEYS = ("path.rtt", "flows.ack")


def eight_settings() -> Study:
    """The small study with all settings of the paper: as many printed tables as a bootstrap needs."""
    study = small_study()
    settings = [Setting(recovery=a, router=b) for a in ("reno", "sack") for b in ROUTERS]
    matrix = study.matrix.model_copy(update={"settings": settings})
    return study.replaced(matrix=matrix, routers=ROUTERS)


def printed(study: Study, store: Store) -> list[PrintedRow]:
    """Tables "printed" by a study itself."""
    return rows_of(study, store, [str(setting) for setting in study.matrix.settings])


@pytest.fixture(scope="module")
def planted(tmp_path_factory: pytest.TempPathFactory) -> OpenCrossing:
    """Tables printed with another round trip, to all digits: so even the size of acknowledgements can be told."""
    study, store = eight_settings(), Store(tmp_path_factory.mktemp("store"))
    rows = printed(study.varied("path.rtt", "80 ms"), store)
    found = cross_study("small", study, rows, REPRESENTATIVES, KEYS, store)
    again = cross_study("small", study, rows, REPRESENTATIVES, KEYS, store)
    assert (found.executed, again.executed) == (found.conditions["runs"], 0)
    assert again.to_json() | {"executed": 0, "wall_s": 0} == found.to_json() | {"executed": 0, "wall_s": 0}
    return found


def test_p_values_are_those_of_another_implementation() -> None:
    """MCS of the Python package arch 8.0.0 (method "max", moving blocks of one unit, 20,000 draws, seed 1) on the same losses, 2026."""
    generator = np.random.Generator(np.random.PCG64(11))
    shared = generator.standard_normal((400, 1))
    handicaps = np.array([0.0, 0.01, 0.03, 0.08, 0.12, 0.16, 0.3])
    losses = np.abs(shared + generator.standard_normal((400, 7))) + handicaps
    found = confidence_set(losses.T, seed=1, draws=20_000)
    assert found == pytest.approx([1.0, 0.4422, 0.4422, 0.0043, 0.00935, 0.00275, 0.0], abs=0.015)
    assert (found >= LEVEL).tolist() == [True, True, True, False, False, False, False]


def test_the_best_of_few_units_is_seldom_ruled_out() -> None:
    """Eight units, as few as there are settings: at least 19 of 20 sets must have the best, and the worst of unequal ones must go."""
    generator = np.random.Generator(np.random.PCG64(3))
    kept = gone = 0
    for number in range(200):
        noise = generator.standard_normal((6, 8))
        alike = confidence_set(noise, number, 500)
        kept += int(alike[0] >= LEVEL)  # all are best
        unequal = confidence_set(noise + np.array([[0.0], [0.0], [0.0], [0.0], [0.0], [6.0]]), number, 500)
        gone += int(unequal[5] < LEVEL)
    assert kept >= 190
    assert gone >= 190


def test_candidates_that_do_not_differ_are_all_left() -> None:
    assert confidence_set(np.ones((3, 4)), 1).tolist() == [1.0, 1.0, 1.0]
    assert confidence_set(np.array([[1.0, 2.0, 3.0], [2.0, 3.0, 4.0]]), 1).tolist() == [1.0, 0.0]
    assert confidence_set(np.array([[0.3, 0.4]]), 1).tolist() == [1.0]
    for shape in ((0, 3), (2, 1)):
        with pytest.raises(ValueError, match="in two units or more"):
            confidence_set(np.ones(shape), 1)


def test_all_combinations_are_run_the_values_taken_first() -> None:
    factors = factors_of(small_study())
    places = places_of(factors, ["path.rtt", "bottleneck.buffer"])
    found = crossed(factors, places)
    assert [entry.levels for entry in found] == [(a, b, 0) for a in range(4) for b in range(2)]
    turns = in_turn(found)
    assert turns[0] == found[0]
    assert sorted(entry.number for entry in turns) == list(range(8))
    assert turns == in_turn(found)


def test_planted_values_are_the_only_ones_left(planted: OpenCrossing) -> None:
    by_name = {value.name: value for value in planted.values}
    assert len(planted.tried) == 8
    assert planted.standing(planted.places[0]) is Identified.IDENTIFIABLE
    assert [name for name, value in by_name.items() if value.ruled_out] == [
        "path.rtt = 20 ms",
        "path.rtt = 200 ms",
        "path.rtt = 30 ms",
        "flows.ack = 60 B",
    ]
    assert planted.means[planted.nearest] == pytest.approx(0.0, abs=1e-9)
    assert sentences(planted)[0].startswith(
        "With all other parameters as taken, the printed tables identify path.rtt = 80 ms, "
    )
    assert sentences(planted)[2].startswith(
        "Identifiable: path.rtt, flows.ack; weakly identifiable: none; not identifiable: none."
    )
    assert all(each.chosen.changed(planted.factors)["path.rtt"] == "80 ms" for each in planted.left_out)
    assert planted.gain_left_out is not None
    assert planted.gain_left_out.low > 0.0
    assert [row[-1] for row in value_rows(planted)][:4] == ["ruled out", "left", "ruled out", "ruled out"]


def test_losses_are_mean_misfits_by_table(planted: OpenCrossing) -> None:
    for number, entry in enumerate(planted.tried):
        for column, table in enumerate(planted.tables_run):
            own = [row.misfit(entry.numbers[n]) for n, row in enumerate(planted.rows) if row.block == table]
            assert planted.losses[number, column] == pytest.approx(np.mean(own))
    assert planted.losses_by_setting.mean(axis=1) == pytest.approx(planted.means)


def test_main_effects_are_means_over_the_other_parameters(planted: OpenCrossing) -> None:
    for value in planted.values:
        column = 0 if value.factor.name == "path.rtt" else 1
        place = planted.places[column]
        own = [n for n, entry in enumerate(planted.tried) if entry.combination.levels[place] == value.level]
        assert value.mean == pytest.approx(planted.means[own].mean())
    best = [value.name for value in planted.values if value.factor.name == "path.rtt" and not value.farther]
    assert best == ["path.rtt = 80 ms"]
    # Without one combination its group is left out: both sizes are compared at the other round trips alone.
    fewer = replace(planted, tried=planted.tried[1:])
    other = {value.name: value.mean for value in fewer.values}
    kept = [n for n, entry in enumerate(fewer.tried) if entry.combination.levels[fewer.places[0]]]
    sizes = [n for n in kept if not fewer.tried[n].combination.levels[fewer.places[1]]]
    assert other["flows.ack = 40 B"] == pytest.approx(fewer.means[sizes].mean())


def test_what_is_farther_on_average_is_weakly_identifiable() -> None:
    """A second value adds the same in all eight tables. It is small beside what the round trips do there, which has no direction."""
    factors = factors_of(small_study())
    places = places_of(factors, ["path.rtt", "flows.ack"])
    tables = [BlockKey(f"{recovery}/{router}", "AIMD") for recovery in ("reno", "sack") for router in ROUTERS]
    rows = [PrintedRow(table, "AIMD(1,0.5)", {"D_goodput": 1.0}) for table in tables]
    swings = np.random.Generator(np.random.PCG64(2)).standard_normal((4, 8))
    tried = [
        Tried(
            entry,
            {
                n: {"D_goodput": 1.1 * np.exp(2.0 + swing + 0.01 * entry.levels[2]) - 0.1}
                for n, swing in enumerate(row)
            },
        )
        for entry in crossed(factors, places)
        for row in [swings[entry.levels[0]]]
    ]
    found = OpenCrossing("small", factors, places, rows, tried, {}, 1)
    assert found.left == 8
    assert [found.standing(place) for place in places] == [Identified.NOT, Identified.WEAKLY]
    assert finding(found) == (
        "With all other parameters as taken, the printed tables rule out no value, and leave path.rtt open. "
        "On average over the other crossed values, flows.ack = 60 B is farther from them than another value."
    )


def test_a_parameter_alone_is_compared_with_the_others_as_taken(planted: OpenCrossing) -> None:
    """As if it were the only one that is crossed."""
    place, other = planted.places
    single = replace(
        planted,
        places=(place,),
        tried=[entry for entry in planted.tried if not entry.combination.levels[other]],
    )
    alone = [value.name for value, _ in planted.alone(place)]
    assert alone == [value.name for value in single.values if value.ruled_out]
    assert alone == ["path.rtt = 20 ms", "path.rtt = 200 ms", "path.rtt = 30 ms"]
    said = {row["parameter"]: row["ruled_out_alone"] for row in planted.to_json()["parameters"]}["path.rtt"]
    assert [row["value"] for row in said] == ["20 ms", "200 ms", "30 ms"]
    assert [row["by_settings"] for row in said] == [sure for _, sure in planted.alone(place)]
    told = [line for line in sentences(planted) if line.startswith("Varied by itself")]
    assert told[0].startswith(
        "Varied by itself, each parameter with all others as taken: path.rtt = 20 ms, path.rtt = 200 ms"
    )
    assert not any(line.startswith("Varied by itself") for line in sentences(single))


def test_made_up_printings_keep_the_truth(planted: OpenCrossing) -> None:
    told = planted.planted
    assert told.values == 200 * (3 + 1)
    assert told.kept >= 190
    assert told.wrong <= 10
    assert told.ruled_out >= 200, "wrong round trips are told where print has no errors"


def test_pages_and_documents_of_a_crossing(planted: OpenCrossing, tmp_path: Path, browser: Browser) -> None:
    assert fits(json_value(planted.to_json())) == "crossing"
    assert tuple(blocks(planted)) == CROSSED
    page = tmp_path / "page.md"
    places = "\n".join(f"<!-- results: {name} -->\n<!-- end -->" for name in CROSSED)
    page.write_text(f"{places}\n![Misfits](figures/small-crossing.svg)\n")
    update_crossing(page, planted)
    text = page.read_text()
    assert "the printed tables identify path.rtt = 80 ms" in text
    assert (tmp_path / "figures" / "small-crossing.svg").read_bytes().startswith(b"<?xml")
    panels = crossing_figure(planted).axes
    assert [panel.get_title(loc="left") for panel in panels] == list(KEYS)
    ticks = [label.get_text() for label in panels[0].get_xticklabels()]
    assert ticks == ["20 ms\n(taken)", "30 ms", "80 ms", "200 ms"]
    write_crossing(planted, tmp_path / "report.html")
    assert faults(browser, tmp_path / "report.html") == []


def test_a_value_that_the_scenario_refuses_is_named(tmp_path: Path) -> None:
    """A round trip below twice the delay of the bottleneck."""
    study = eight_settings()
    entries = [entry for entry in study.parameter if entry.key != "path.rtt"]
    study = study.replaced(parameter=[*entries, parameter("path.rtt", "20 ms", ["80 ms", "3 ms"])])
    store = Store(tmp_path)
    found = cross_study("small", study, printed(study, store), REPRESENTATIVES, ["path.rtt"], store)
    assert (found.conditions["asked"], found.conditions["refused"]) == (3, 1)
    assert value_rows(found)[2] == ["path.rtt", "3 ms", "", "", "", "", "", "", "not possible"]
    assert fits(json_value(found.to_json())) == "crossing"


def test_a_budget_that_is_used_up_takes_what_is_whole(tmp_path: Path) -> None:
    study, store = eight_settings(), Store(tmp_path)
    rows = printed(study, store)
    with pytest.raises(InputError, match="time for the values taken and one other combination"):
        cross_study("small", study, rows, REPRESENTATIVES, KEYS, store, budget_s=0.0)
    cross_study("small", study, rows, REPRESENTATIVES, ["path.rtt"], store)
    found = cross_study("small", study, rows, REPRESENTATIVES, KEYS, store, budget_s=0.0)
    assert (found.executed, len(found.tried), found.conditions["asked"]) == (0, 4, 8)
    assert [row[-1] for row in value_rows(found) if row[:2] == ["flows.ack", "60 B"]] == ["not run"]


@pytest.mark.parametrize(
    ("options", "told"),
    [
        (["--reconstruct", "--parameter", "path.rt"], "an open parameter with other values: "),
        (["--reconstruct", "--parameter", "duration"], "an open parameter with other values: "),
        (["--reconstruct", "--parameter", "path.rtt", "--combinations", "3"], "--reconstruct --parameter"),
        (["--parameter", "path.rtt"], "this option only beside --sensitivity"),
    ],
)
def test_what_means_nothing_is_refused(
    sawtooth: CommandLine, tmp_path: Path, options: list[str], told: str
) -> None:
    done = sawtooth("reproduce", "akella2002", *options, "--store", str(tmp_path / "runs"))
    assert done.code == 2
    assert told in done.err
    assert not (tmp_path / "runs").exists()


def test_too_many_combinations_are_refused() -> None:
    study = eight_settings()
    many = parameter("tcp.initial_window", 1, list(range(2, 400)))
    factors = factors_of(study.replaced(parameter=[*study.parameter, many]))
    with pytest.raises(InputError, match=r"at most 1,000 combinations of values; these have 1,596"):
        places_of(factors, ["path.rtt", "tcp.initial_window"])


def test_a_page_without_its_blocks_is_refused_before_anything_runs(
    sawtooth: CommandLine, tmp_path: Path
) -> None:
    page, store = tmp_path / "page.md", tmp_path / "runs"
    page.write_text("<!-- results: reconstruction summary -->\n<!-- end -->\n")
    options = ("--reconstruct", "--parameter", "path.rtt", "--markdown", str(page), "--store", str(store))
    done = sawtooth("reproduce", "akella2002", *options)
    assert done.code == 2
    assert "crossing summary" in done.err
    assert not store.exists()


def test_the_command_of_a_crossing_says_what_was_asked_for() -> None:
    line = "sawtooth reproduce akella2002 --reconstruct --parameter path.rtt --parameter flows.packet"
    assert command_line("akella2002", ["path.rtt", "flows.packet"], None) == line
    assert command_line("akella2002", ["path.rtt", "flows.packet"], 60.0) == f"{line} --budget '60 s'"


def test_the_page_says_what_its_blocks_say() -> None:
    """Prose of docs/akella2002-reconstruction.md and of the pages that repeat it, beside the blocks."""
    page, *others = (
        " ".join((ROOT / "docs" / name).read_text(encoding="utf-8").split())
        for name in ("akella2002-reconstruction.md", "akella2002.md", "README.md")
    )
    found = contents((ROOT / "docs" / "akella2002-reconstruction.md").read_text(encoding="utf-8"))

    def rows(name: str) -> list[list[str]]:
        lines = found[f"crossing {name}"].strip().splitlines()[2:]
        return [
            [cell.strip() for cell in line.strip().removeprefix("|").removesuffix("|").split("|")]
            for line in lines
        ]

    says = {(row[0], row[1].removesuffix(" (taken)")): row[-1] for row in rows("values")}
    assert [value for (_, value), said in says.items() if said == "ruled out"] == ["30 ms"]
    assert [value for (_, value), said in says.items() if said == "farther on average"] == ["law"]
    certain = "Ruled out all the same: path.rtt = 30 ms. No longer certain: tcp.timeout_threshold = law farther on average."
    assert certain in found["crossing summary"]
    by_itself = "Varied by itself, each parameter with all others as taken: path.rtt = 30 ms, tcp.timeout_threshold = law are ruled out."
    assert by_itself in found["crossing summary"]
    assert "With the round trip that the study takes, they rule out a timeout that applies the law." in page
    assert "With the round trip of the study they also rule out a timeout that applies the law." in others[0]
    assert "farther from print, which is not certain if the tables of a setting share their errors" in page
    left = [
        int(value.split()[0]) for (key, value), said in says.items() if key == "path.rtt" and said == "left"
    ]
    assert f"ruled out; {min(left)} to {max(left)} ms are not." in page
    nearest = "path.rtt = 60 ms, tcp.timeout_threshold = half"
    assert rows("nearest")[0][0] == nearest
    assert {row[1] for row in rows("left out")} == {nearest}, "whichever setting is left out of the choice"
    assert len(rows("left out")) == 8
    told = "nearest to a round trip of 60 ms and a timeout that halves the threshold"
    assert told in page
    assert told in others[1]
    assert "nearest to 60 ms and a timeout that halves the threshold. They rule out 30 ms." in others[0]
    count = len(factors_of(load_study("akella2002/appendix")))
    assert f"These are two parameters of {count}." in page
