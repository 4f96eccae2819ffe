"""Nothing overlaps, is cut or lies under a legend in the figures of models and of scores, with as many and as long names as studies have.

Figures of single runs: tests/test_run_figure.py.
"""

from __future__ import annotations

import re
from importlib import import_module, resources

import numpy as np
import pyarrow as pa
import pytest
from tests.figure_faults import faults
from tests.test_winners import block as winners_block
from tests.test_winners import part

from sawtooth.experiment.figure_specs import StripsSpec
from sawtooth.experiment.matrix import Block, ProbeRun
from sawtooth.experiment.plan import CellKey
from sawtooth.experiment.scoring import SCORED
from sawtooth.experiment.strips import lay_strips
from sawtooth.measure.single_flows import Recorded
from sawtooth.papers.akella2002.pages import winners
from sawtooth.papers.akella2002.printed import environments
from sawtooth.papers.akella2002.winners import winner_map
from sawtooth.report import across, figures, strips
from sawtooth.report.compare_figures import cloud_figure

NAMES = ("AIMD", "AIAD", "MIMD", "MIAD", "AIMD(1, 0.8)", "AIMAD", "MAIMD")
PLACES = tuple(row.name for row in environments())
SEEDS = ("1", "2", "3")


def block(setting: str) -> Block:
    """Seven algorithms in all environments of the paper; values and their spread grow."""
    values = np.zeros((len(NAMES), len(PLACES), len(SEEDS)))
    values += 0.1 * np.arange(len(NAMES))[:, None, None] + 0.03 * np.arange(len(SEEDS))[None, None, :]
    ids = {CellKey(setting, a, e, s): f"{a}{e}{s}" for a in NAMES for e in PLACES for s in SEEDS}
    return Block(setting, NAMES, PLACES, SEEDS, dict.fromkeys(SCORED, values), ids)


@pytest.mark.parametrize(
    "paper",
    [*(pytest.param(name, marks=pytest.mark.long) for name in ("akella2002", "floyd2000")), "lahanas2003"],
)
def test_figures_of_a_papers_mathematics(paper: str) -> None:
    drawn = import_module(f"sawtooth.papers.{paper}.drawings").draw()
    assert drawn
    assert {drawing.name: list(map(str, faults(drawing.figure))) for drawing in drawn} == {
        drawing.name: [] for drawing in drawn
    }


def test_bars_of_all_metrics() -> None:
    assert faults(figures.values_figure(block("reno/droptail"))) == []


def test_the_figure_of_a_setting() -> None:
    note = "Mean and 95 % interval over 3 seeds; 220 s each."
    assert faults(figures.paper_figure(block("reno/droptail"), {}, "Figure 4: Reno, drop-tail", note)) == []


def test_goodput_over_delay_fits_a_telephone() -> None:
    figure = cloud_figure(block("reno/droptail"))
    assert faults(figure) == []
    css = resources.files("sawtooth.report").joinpath("templates", "page.css").read_text(encoding="utf-8")
    least = float(re.findall(r"figure svg\{min-width:calc\(var\(--width\)\*([\d.]+)\)\}", css)[0])
    assert least * figure.get_figwidth() * figures.PIXELS <= 390 - 2 * 16, (
        "a screen of 390 pixels, less its margins"
    )


@pytest.mark.parametrize("count", [2, 8])
def test_bars_across_settings(count: int) -> None:
    settings = [
        f"{recovery}/{router}"
        for recovery in ("reno", "sack")
        for router in ("droptail", "red", "ecn", "drr")
    ]
    assert faults(across.figure([block(setting) for setting in settings[:count]])) == []


def test_the_map_of_winners() -> None:
    found = winner_map(
        part(
            winners_block("reno/droptail", {"AIMD": 0.9, "AIAD": 0.9}, unfair="AIAD"),
            winners_block("sack/red", {"MIMD": 0.9, "AIAD": 0.9}, noisy="MIMD"),
        )
    )
    assert faults(winners.figure(found)) == []


def test_strips_of_single_flows() -> None:
    table = {
        "name": "s",
        "title": "S",
        "probe": "p",
        "kinds": ["TFRC", "TCP"],
        "begin_s": 1,
        "end_s": 3,
        "flows": 4,
    }
    seen = Recorded(
        bin_s=0.5,
        fair_bps=100.0,
        groups=np.repeat([0, 1], 4),
        ends_s=np.arange(0.5, 5.5, 0.5),
        rates_bps=np.tile(np.arange(10.0)[:, None], (1, 8)),
        times_s=np.array([1.2, 1.7, 2.9]),
        flows=np.array([0, 2, 7]),
        marked=np.array([False, True, False]),
    )
    run = ProbeRun({"n": 1}, "id", {}, pa.table({}), "1", (), seen)
    assert faults(strips.strips_figure(lay_strips(StripsSpec.model_validate(table), [run]))) == []
