"""The appendix: family tables, representatives and joined totals, on blocks whose scores are the printed ones, and on worked examples."""

from __future__ import annotations

from collections.abc import Callable
from types import SimpleNamespace
from typing import cast

import numpy as np
import pytest
from matplotlib.collections import LineCollection

from sawtooth.experiment.intervals import PAIRED_T, Interval
from sawtooth.experiment.matrix import SettingBlock
from sawtooth.experiment.plan import CellKey
from sawtooth.measure.metrics import METRIC_NAMES
from sawtooth.papers.akella2002 import instances
from sawtooth.papers.akella2002.instances import CHOSEN, FamilyTable, choices, family_tables, totals
from sawtooth.papers.akella2002.pages.instances import agreement_figure
from sawtooth.papers.akella2002.printed import AppendixRow, appendix, printed
from sawtooth.papers.studies import load_study

STUDY = load_study("akella2002/appendix")
SETTINGS = [str(setting) for setting in STUDY.matrix.settings]
ROWS = {(f"{row.recovery}/{row.router}", row.label): row for row in appendix()}


def block(setting: str, goodput: Callable[[AppendixRow], float], noise: float = 0.0) -> SettingBlock:
    """One environment, two seeds; the goodput of an instance from its printed row."""
    names = tuple(entry.label for entry in STUDY.algorithm)
    seeds = ("1", "2")
    values = {name: np.zeros((len(names), 1, 2)) for name in (*METRIC_NAMES, "cross_surplus")}
    random = np.random.RandomState(7)
    for place, name in enumerate(names):
        values["goodput"][place] = goodput(ROWS[setting, name]) + noise * random.normal(size=(1, 2))
    ids = {CellKey(setting, name, "cons-low", seed): name + seed for name in names for seed in seeds}
    return SettingBlock(setting, names, ("cons-low",), seeds, values, ids, STUDY.families)


def as_printed(row: AppendixRow) -> float:
    """A goodput below 1 whose distances within the family are the printed D."""
    return 0.9 - row.D / 10


def joined(row: AppendixRow) -> float:
    """Goodputs that agree with figures and appendix at once."""
    figure = printed(row.recovery, row.router)
    chosen = ROWS[f"{row.recovery}/{row.router}", CHOSEN[row.family]]
    return 0.8 + (chosen.D - row.D - figure[row.family]["D_goodput"]) / 100


def test_the_study_has_the_instances_and_settings_of_the_printed_tables() -> None:
    assert {(s, e.label) for s in SETTINGS for e in STUDY.algorithm} == set(ROWS)
    assert len(STUDY.algorithm) == 36
    for entry in STUDY.algorithm:
        assert entry.label == entry.control.upper().replace(" ", "")
        assert entry.label.startswith(entry.family)
    figures = {entry.control for entry in load_study("akella2002/fig4").algorithm}
    assert figures == {e.control for e in STUDY.algorithm if e.label in CHOSEN.values()}


def test_tables_that_are_as_printed_agree_wholly() -> None:
    found = family_tables([block(setting, as_printed) for setting in SETTINGS])
    assert [(entry.setting, entry.family) for entry in found] == [(s, f) for s in SETTINGS for f in CHOSEN]
    for entry in found:
        assert entry.D is not None
        assert entry.D.rho.value == pytest.approx(1.0)
        assert entry.D.tau.value == pytest.approx(1.0)
        best = min(row.printed.D for row in entry.rows if row.printed is not None)
        for row in entry.rows:
            assert row.printed is not None
            assert row.D.mean == pytest.approx((row.printed.D - best) / 10, abs=1e-12)
        assert best == ROWS[entry.setting, entry.best].D
        assert best == ROWS[entry.setting, entry.printed_best[0]].D


def test_the_choice_follows_the_criterion() -> None:
    found = {entry.family: entry for entry in choices([block(setting, as_printed) for setting in SETTINGS])}
    for family, choice in found.items():
        worst = {row.label: max(ROWS[setting, row.label].D for setting in SETTINGS) for row in choice.rows}
        assert choice.printed_by_worst == min(worst, key=lambda name: worst[name])
        for row in choice.rows:
            assert row.printed_worst == worst[row.label]
            assert row.printed_total == pytest.approx(sum(ROWS[s, row.label].D for s in SETTINGS))
            assert (row.behind is None) == (row.label == CHOSEN[family])
    # Recomputed from the printed tables by hand: the paper's choice is not the best in three of four families.
    assert {family: choice.printed_by_worst for family, choice in found.items()} == {
        "AIMD": "AIMD(1,0.8)",
        "AIAD": "AIAD(1,2)",
        "MIMD": "MIMD(1.125,0.65)",
        "MIAD": "MIAD(1.125,2)",
    }


def test_totals_join_figures_and_appendix() -> None:
    found = totals([block(setting, joined) for setting in SETTINGS])
    assert list(found) == [*SETTINGS, "all"]
    for setting, rows in found.items():
        assert len(rows) == 36
        for row in rows:
            assert row.printed is not None
            assert row.ours.mean == pytest.approx(row.printed / 100, abs=1e-12), (setting, row.label)
        assert [row.ours.mean for row in rows] == sorted((row.ours.mean for row in rows), reverse=True)
    best = {setting: (rows[0].label, round(rows[0].printed or 0.0, 2)) for setting, rows in found.items()}
    assert best["reno/droptail"] == ("AIAD(1,2)", 0.14)
    assert best["sack/ecn"] == ("AIAD(3,1)", 0.47)
    assert best["all"] == ("AIAD(2,3)", 0.43)


def test_a_setting_that_is_not_printed_stands_alone() -> None:
    made = block("reno/droptail", as_printed)
    alone = SettingBlock(
        "reno/rio", made.algorithms, made.environments, made.seeds, made.values, {}, made.families
    )
    (first, *_) = family_tables([alone])
    assert (first.D, first.printed_best) == (None, [])
    assert totals([alone])["all"][0].printed is None
    assert choices([alone])[0].printed_by_worst is None


def test_noise_widens_the_totals() -> None:
    found = totals([block("reno/droptail", joined, noise=0.01)])["reno/droptail"]
    assert any((row.ours.half_width or 0.0) > 0.0 for row in found)
    assert next(row for row in found if row.label == instances.REFERENCE).ours.mean == 0.0


def test_a_bar_ends_where_its_interval_does() -> None:
    """Below it stops at 0, which no distance is below; that shortens nothing above."""
    row = SimpleNamespace(label="a", D=Interval(1.0, -2.0, 5.0, 3, PAIRED_T), printed=SimpleNamespace(D=1.0))
    entry = SimpleNamespace(setting="sack/red", family="AIMD", rows=[row], D=None)
    (axes,) = agreement_figure([cast(FamilyTable, entry)]).axes
    (bars,) = axes.collections
    assert isinstance(bars, LineCollection)
    assert bars.get_segments()[0][:, 1].tolist() == [0.0, 5.0]
