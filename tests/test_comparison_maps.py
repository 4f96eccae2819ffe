"""The maps of a comparison say what its table of D says, also where goodput exceeds the available bandwidth."""

from __future__ import annotations

import numpy as np
import pytest
from matplotlib.axes import Axes
from tests.figure_faults import faults

from sawtooth.experiment.matrix import SettingBlock
from sawtooth.experiment.plan import CellKey
from sawtooth.experiment.scoring import SCORED
from sawtooth.report.compare_figures import block_figure

NAMES, PLACES, SEEDS = ("a", "b", "c", "d"), ("calm", "rough"), ("1", "2")
GOODPUT = np.array(
    [
        [[1.60, 1.40], [0.9, 0.6]],
        [[1.10, 1.20], [0.8, 0.8]],
        [[0.70, 0.90], [0.5, 0.9]],
        [[0.75, 0.85], [0.4, 0.4]],
    ]
)
"""By algorithm, environment and seed."""


def block(families: dict[str, str] | None = None) -> SettingBlock:
    ids = {CellKey("sack/red", a, e, s): f"{a}{e}{s}" for a in NAMES for e in PLACES for s in SEEDS}
    return SettingBlock("sack/red", NAMES, PLACES, SEEDS, dict.fromkeys(SCORED, GOODPUT), ids, families or {})


@pytest.mark.parametrize("families", [{}, {"a": "one", "b": "one"}])
@pytest.mark.parametrize("metric", SCORED)
def test_distances_add_up_to_d(families: dict[str, str], metric: str) -> None:
    found = block(families)
    wanted = [found.scores.of(name, metric).D.mean for name in NAMES]
    assert found.distances(metric).sum(axis=1) == pytest.approx(wanted)


def test_goodput_above_all_is_no_farther_from_the_best() -> None:
    found = block()
    assert found.distances("goodput")[:, 0] == pytest.approx([0.0, 0.0, 0.2, 0.2])
    assert found.nearest("goodput").tolist() == [[True, False], [True, True], [False, False], [False, False]]


def test_the_map_shows_these_distances_and_the_values_as_they_are() -> None:
    figure = block_figure(block())
    assert faults(figure) == []
    axes: Axes = next(axes for axes in figure.axes if axes.images)
    assert "goodput above 100 % counts as 100 %" in axes.get_title(loc="left")
    shown = np.asarray(axes.images[0].get_array(), dtype=np.float64)
    assert shown == pytest.approx(100.0 * block().distances("goodput"))
    texts = {(text.get_position(), text.get_text(), text.get_fontweight()) for text in axes.texts}
    assert ((0, 0), "150", "bold") in texts
    assert ((0, 1), "115", "bold") in texts, "it is as near to the best as the one above it"
    assert ((0, 2), "80", "normal") in texts
    loss = [axes for axes in figure.axes if axes.images][SCORED.index("loss")]
    assert "counts as" not in loss.get_title(loc="left")
