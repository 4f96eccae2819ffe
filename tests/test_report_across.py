"""The figure across settings: every algorithm in every setting and metric, bars as high as D, the same bytes twice."""

from __future__ import annotations

import numpy as np

from sawtooth.experiment.matrix import SettingBlock
from sawtooth.experiment.plan import CellKey
from sawtooth.experiment.scoring import SCORED
from sawtooth.report import across, figures
from sawtooth.report.sketches import Sketches

NAMES = ("AIMD", "AIAD", "AIMAD")
PLACES = ("cons-low", "sq-high")
SEEDS = ("1", "2", "3")


def block(setting: str, step: float) -> SettingBlock:
    """Values that grow by ``step`` from algorithm to algorithm, with a little spread over the seeds."""
    values = np.zeros((len(NAMES), len(PLACES), len(SEEDS)))
    values += step * np.arange(len(NAMES))[:, None, None] + 0.01 * np.arange(len(SEEDS))[None, None, :] ** 2
    ids = {CellKey(setting, a, e, s): f"{a}{e}{s}" for a in NAMES for e in PLACES for s in SEEDS}
    return SettingBlock(setting, NAMES, PLACES, SEEDS, dict.fromkeys((*SCORED,), values), ids)


BLOCKS = [block("reno/droptail", 0.1), block("sack/red", 0.3)]


def test_bars_stand_for_d() -> None:
    panels = across.figure(BLOCKS).axes
    assert len(panels) == len(SCORED)
    loss = panels[SCORED.index("loss")]
    heights = [[bar.get_height() for bar in bars] for bars in loss.containers if len(bars) == len(BLOCKS)]
    wanted = [[entry.scores.of(name, "loss").D.mean for entry in BLOCKS] for name in NAMES]
    assert np.allclose(heights, wanted)
    assert np.allclose(wanted, [[0.0, 0.0], [0.2, 0.6], [0.4, 1.2]])  # two environments, a step each
    assert [text.get_text() for text in panels[-1].get_xticklabels()] == ["Reno\ndrop-tail", "SACK\nRED"]


def test_the_picture_names_what_it_shows_and_is_the_same_twice() -> None:
    picture = across.across_picture(BLOCKS, Sketches())
    assert picture == across.across_picture(BLOCKS, Sketches())
    for word in (*NAMES, "D of goodput"):
        assert word in picture.drawing
    assert "0 is best" in picture.caption
    assert figures.standalone(across.figure(BLOCKS), "x").startswith("<?xml")
