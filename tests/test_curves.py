"""Curves over probes: points, contrasts seed by seed, and a study that consists of probes alone, from its file to its report."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from tests.fits import fits

from sawtooth.errors import InputError
from sawtooth.experiment.curves import lay
from sawtooth.experiment.figure_specs import CurveSpec
from sawtooth.experiment.matrix import ProbeRun
from sawtooth.experiment.perform import perform
from sawtooth.experiment.study_files import read_study
from sawtooth.plain import json_value
from sawtooth.report.curve_tables import markdown_table
from sawtooth.report.curves import curve_figure
from sawtooth.report.write import write_report
from sawtooth.run.store import Store

STUDY = """
name = "made/up"
paper = "made"
title = "Two laws"
scenario = { duration = "6 s", warmup = "0 s", bottleneck = { rate = "2 Mbit/s" }, flows = [{ recovery = "sack", start = "0 s" }] }
quick = { seeds = 1, duration = "6 s", warmup = "0 s" }

[[probe]]
name = "sweep"
why = "to have something to draw"
base = true
seeds = 2
measures = ["jain 0..3 s", "jain 3..6 s", "goodput"]
scenario = { record = { rates = "1 s" }, path = { rtt = "40 ms", send_jitter = "4 ms" } }
vary = [
  { name = "flows", key = "flows.count", values = [2, 4], labels = [2, 4] },
  { name = "law", key = "flows.control", values = ["aimd(1, 0.5)", "aimd-fc(1, 0.5)"], labels = ["AIMD", "FC"] },
]

[[curve]]
name = "timeouts"
title = "Timeouts"
probe = "sweep"
value = "timeouts"
x = "flows"
series = "law"
beside = "AIMD"
contrast = "difference"

[[curve]]
name = "over-time"
title = "Fairness over time"
probe = "sweep"
only = { flows = 4 }
value = "jain"
x = "part"
series = "law"
"""


def runs(numbers: dict[tuple[str, int], list[float]]) -> list[ProbeRun]:
    """One run per law, number of flows and seed."""
    return [
        ProbeRun(
            {"law": law, "flows": flows}, f"{law}{flows}{seed}", {"goodput": value}, pa.table({}), str(seed)
        )
        for (law, flows), found in numbers.items()
        for seed, value in enumerate(found, 1)
    ]


def spec(**changes: Any) -> CurveSpec:
    table = {"name": "c", "title": "C", "probe": "p", "value": "goodput", "x": "flows", "series": "law"}
    return CurveSpec.model_validate(table | {"beside": "A"} | changes)


TWO = {("A", 2): [1.0, 2.0], ("B", 2): [1.1, 2.4], ("A", 4): [4.0, 4.0], ("B", 4): [4.0, 3.0]}


def test_a_point_is_the_mean_over_its_seeds_and_a_contrast_that_of_the_pairs() -> None:
    curve = lay(spec(), runs(TWO))
    assert (curve.series, curve.places) == (["A", "B"], [2, 4])
    point = curve.at("B", 2)
    assert point.value.mean == pytest.approx((1.1 + 2.4) / 2)
    assert point.contrast is not None
    assert point.contrast.mean == pytest.approx((1.1 / 1.0 - 1 + 2.4 / 2.0 - 1) / 2)
    assert curve.at("A", 2).contrast is None
    assert point.run_ids == ("B21", "B22")


def test_a_difference_is_taken_seed_by_seed() -> None:
    contrast = lay(spec(contrast="difference"), runs(TWO)).at("B", 4).contrast
    assert contrast is not None
    assert contrast.mean == pytest.approx(((4.0 - 4.0) + (3.0 - 4.0)) / 2)


@pytest.mark.parametrize(("seeds", "filled"), [(1, [False, False]), (3, [True, False])])
def test_a_mark_is_filled_where_an_interval_leaves_nothing_out(seeds: int, filled: list[bool]) -> None:
    """One seed has no interval, however far its contrast is from 0."""
    numbers = {
        ("A", 2): [1.0, 1.1, 1.2],
        ("B", 2): [2.0, 2.2, 2.5],
        ("A", 4): [1.0] * 3,
        ("B", 4): [1.5, 0.5, 1.0],
    }
    curve = lay(spec(), runs({key: found[:seeds] for key, found in numbers.items()}))
    marks = [line for line in curve_figure(curve).axes[1].lines if line.get_marker() == "s"]
    assert [line.get_markerfacecolor() != "none" for line in marks] == filled


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"x": "rate"}, "rate"),
        ({"value": "speed"}, "speed"),
        ({"only": {"rtt": 5}}, "rtt"),
        ({"x": "law"}, "seed"),
    ],
)
def test_what_the_runs_do_not_have_is_named(changes: dict[str, Any], message: str) -> None:
    with pytest.raises(LookupError, match=message):
        lay(spec(**changes), runs(TWO))


@pytest.fixture
def made_up(tmp_path: Path) -> Path:
    path = tmp_path / "made_up.toml"
    path.write_text(STUDY)
    return path


def test_a_study_of_probes_is_run_drawn_and_told(made_up: Path, tmp_path: Path) -> None:
    study = read_study(made_up)
    found = perform(study, Store(tmp_path / "store"))
    assert len(found.run_ids) == study.runs == 2 * 2 * 2
    assert found.to_json()["seeds"] == 2
    assert fits(json_value(found.to_json())) == "comparison"
    timeouts, over_time = found.curves
    assert timeouts.places == [2, 4]
    assert over_time.places == ["0..3 s", "3..6 s"]
    assert all(0.25 <= point.value.mean <= 1.0 for point in over_time.points)
    assert [curve["name"] for curve in found.to_json()["curves"]] == ["timeouts", "over-time"]
    page, *figures = write_report(found, tmp_path / "report.html")
    drawn = [f"report_{name}.{form}" for name in ("timeouts", "over-time") for form in ("svg", "pdf")]
    assert [path.name for path in figures] == drawn
    assert [path.read_bytes()[:5] for path in figures] == [b"<?xml", b"%PDF-"] * 2
    text = page.read_text()
    assert "Fairness over time" in text
    assert found.run_ids[0][:12] in text
    table = markdown_table(timeouts).splitlines()
    assert table[0] == "| flows | AIMD | FC | FC less AIMD |"
    assert [line.split(" | ")[0] for line in table[2:4]] == ["| 2", "| 4"]
    assert table[4:] == ["", "Mean and 95 % interval over 2 seeds."]
    assert perform(study, Store(tmp_path / "store")).executed == 0


def test_a_value_that_is_a_table_belongs_to_one_run(made_up: Path) -> None:
    """Groups of flows as one dimension and their control as the next: the runs must not share the tables."""
    groups = 'key = "flows", values = [[{ count = 2 }], [{ count = 2 }, { count = 2 }]]'
    made_up.write_text(STUDY.replace('key = "flows.count", values = [2, 4]', groups))
    flows = [planned.scenario["flows"] for planned in read_study(made_up).plan()]
    assert [len(tables) for tables in flows] == [1] * 4 + [2] * 4
    assert [tables[-1]["control"] for tables in flows[::2]] == ["aimd(1, 0.5)", "aimd-fc(1, 0.5)"] * 2


def test_quick_takes_fewer_seeds_of_a_probe(made_up: Path) -> None:
    assert read_study(made_up).shortened().runs == 2 * 2


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ('probe = "sweep"\nvalue = "t', 'probe = "none"\nvalue = "t', "sweep"),
        ('measures = ["jain 0..3 s"', 'measures = ["speed"', "jain"),
        ("base = true", "base = true\nkeep = 1", "keep"),
        ('x = "flows"', 'x = "law"', "another dimension"),
        ("[[curve]]", '[matrix]\nenvironments = ["cons-low"]\n\n[[curve]]', "probes alone"),
    ],
)
def test_what_does_not_fit_is_refused(made_up: Path, old: str, new: str, message: str) -> None:
    made_up.write_text(STUDY.replace(old, new, 1))
    with pytest.raises(InputError, match=message):
        read_study(made_up)
