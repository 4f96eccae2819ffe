"""Nothing overlaps, is cut or lies under a legend in the figures of models and of scores, with as many and as long names as studies have.

Figures of single runs: tests/test_run_figure.py.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from importlib import import_module, resources

import numpy as np
import pyarrow as pa
import pytest
from matplotlib.container import BarContainer
from matplotlib.figure import Figure
from tests.figure_faults import faults
from tests.test_winners import block as winners_block
from tests.test_winners import part

from sawtooth.experiment.figure_specs import StripsSpec
from sawtooth.experiment.matrix import ProbeRun, SettingBlock
from sawtooth.experiment.plan import CellKey
from sawtooth.experiment.scoring import SCORED
from sawtooth.experiment.strips import lay_strips
from sawtooth.measure.single_flows import Recorded
from sawtooth.papers.akella2002.pages import winners
from sawtooth.papers.akella2002.printed import environments
from sawtooth.papers.akella2002.winners import winner_map
from sawtooth.report import across, figures, strips
from sawtooth.report.compare_figures import block_figure
from sawtooth.report.head_figures import cloud_figure
from sawtooth.report.looks import look
from sawtooth.report.score_figure import paper_figure
from sawtooth.scenario.described import describe

NAMES = ("AIMD", "AIAD", "MIMD", "MIAD", "AIMD(1, 0.8)", "AIMAD", "MAIMD")
PLACES = tuple(row.name for row in environments())
SEEDS = ("1", "2", "3")
TWELVE = tuple(f"cubic(beta=0.8, c=0.{number}5)" for number in range(10, 22))
LONGEST = (*NAMES, f"a_plugin({', '.join(f'number_{n}=0.{n}' for n in range(9))})")
WRITTEN = [
    TWELVE,
    *(
        pytest.param(names, marks=pytest.mark.long)
        for names in (("aimd(1, 0.8)", "mimd(1.125, 0.8)"), TWELVE[:1], LONGEST)
    ),
]
"""Names of controllers as one writes them."""
ALONE = ("the scenario as it is",)
DRAWN: dict[str, tuple[Callable[[SettingBlock], Figure], tuple[str, ...]]] = {
    "values": (figures.values_figure, ALONE),
    "paper": (lambda given: paper_figure(given, {}, "SACK recovery", "Over 1 environment."), ALONE),
    "cloud": (cloud_figure, ALONE),
    "comparison": (block_figure, ALONE),
    "maps": (block_figure, PLACES[:4]),
    "across": (lambda given: across.figure([given, given]), ALONE),
}


def block(setting: str, names: tuple[str, ...] = NAMES, places: tuple[str, ...] = PLACES) -> SettingBlock:
    """Seven algorithms in all environments of the paper, unless others are named; values and their spread grow."""
    values = np.zeros((len(names), len(places), len(SEEDS)))
    values += 0.1 * np.arange(len(names))[:, None, None] + 0.03 * np.arange(len(SEEDS))[None, None, :]
    keys = [CellKey(setting, a, e, s) for a in names for e in places for s in SEEDS]
    ids = {key: f"{key.algorithm}{key.environment}{key.seed}" for key in keys}
    shares = len(describe()["delay_shares"])
    delays = {key: np.linspace(0.0, 30.0, shares).tolist() for key in keys}
    return SettingBlock(setting, names, places, SEEDS, dict.fromkeys(SCORED, values), ids, delays=delays)


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
    assert faults(paper_figure(block("reno/droptail"), {}, "Figure 4: Reno, drop-tail", note)) == []


@pytest.mark.parametrize("names", WRITTEN, ids=len)
@pytest.mark.parametrize(
    "name",
    [name if name in ("values", "cloud") else pytest.param(name, marks=pytest.mark.long) for name in DRAWN],
)
def test_as_many_controllers_as_one_likes_and_as_long_names(name: str, names: tuple[str, ...]) -> None:
    """The legend of seven or more took the place of the axes, and names of controllers as written reached into the numbers beside them."""
    draw, places = DRAWN[name]
    figure = draw(block("sack/droptail", names, places))
    assert faults(figure) == []
    for axes in figure.axes:
        if axes.axison and axes.get_label() != "<colorbar>":
            low, high = axes.get_window_extent().intervaly
            assert high - low > 0.3 * figure.dpi * (2 if draw is cloud_figure else 1)


def test_no_two_series_look_alike() -> None:
    looks = [look(number) for number in range(32)]
    assert len({(own.colour, own.hatch) for own in looks}) == 32
    assert len({(own.colour, own.marker) for own in looks}) == 32
    assert len({(own.colour, own.line) for own in looks}) == 32
    names = TWELVE
    axes = figures.values_figure(block("sack/droptail", names)).axes[0]
    bars = {
        (group[0].get_facecolor(), group[0].get_hatch())
        for group in axes.containers
        if isinstance(group, BarContainer)
    }
    assert len(bars) == len(names), "two bars had one colour"


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
