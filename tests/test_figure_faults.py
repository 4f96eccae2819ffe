"""The check of layouts finds every kind of fault that is planted, and none in a plain figure."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from tests.figure_faults import faults


def plain() -> tuple[Figure, Axes]:
    """A line with its labels and a legend in an empty corner."""
    figure = Figure(figsize=(4.0, 3.0), layout="constrained")
    axes = figure.subplots()
    axes.plot([0, 1, 2], [0, 1, 4], label="square")
    axes.set(xlabel="time (s)", ylabel="value (1)", title="a plain figure", xlim=(0, 2), ylim=(0, 4))
    axes.legend(loc="upper left")
    return figure, axes


def kinds(figure: Figure) -> set[str]:
    """The kinds of faults in a figure."""
    return {fault.kind for fault in faults(figure)}


def text_on_text(_: Figure, axes: Axes) -> None:
    axes.text(1.0, 1.0, "one word")
    axes.text(1.05, 1.1, "another")


def text_on_slanted_text(_: Figure, axes: Axes) -> None:
    axes.text(1.0, 1.5, "a long slanted text", rotation=45, ha="center", va="center")
    axes.text(1.0, 1.5, "x", ha="center", va="center")


def text_beyond_the_edge(figure: Figure, _: Axes) -> None:
    figure.text(0.97, 0.5, "cut by the paper")


def text_clipped(figure: Figure, axes: Axes) -> None:
    figure.set_layout_engine("none")
    axes.set_position((0.2, 0.2, 0.5, 0.6))
    axes.text(1.9, 1.0, "cut by the axes", clip_on=True)


def legend_on_a_line(_: Figure, axes: Axes) -> None:
    axes.legend(loc="upper right")


def legend_on_a_bar(_: Figure, axes: Axes) -> None:
    axes.bar([0.3], [3.9], 0.4)


def legend_on_points(_: Figure, axes: Axes) -> None:
    axes.scatter([0.1, 0.2], [3.6, 3.7])


def legend_on_an_area(_: Figure, axes: Axes) -> None:
    axes.fill_between([0.0, 0.5], [0.0, 0.0], [4.0, 4.0])


def legend_on_markers(_: Figure, axes: Axes) -> None:
    axes.plot([0.1, 0.2], [3.6, 3.7], "x")


def crowded_ticks(_: Figure, axes: Axes) -> None:
    axes.set_xticks(np.linspace(0, 2, 15), [f"{1000 + i}" for i in range(15)])


def crowded_categories(_: Figure, axes: Axes) -> None:
    axes.lines[0].set_linestyle("none")
    axes.set_xticks([0.0, 0.6, 1.2, 1.8], ["a long category"] * 4)


def line_over_categories(_: Figure, axes: Axes) -> None:
    axes.set_xticks([0.0, 1.0, 2.0], ["reno", "sack", "rack"])


@pytest.mark.parametrize(
    ("plant", "kind"),
    [
        (text_on_text, "text over text"),
        (text_on_slanted_text, "text over text"),
        (text_beyond_the_edge, "text outside of the canvas"),
        (text_clipped, "text cut by axes"),
        (legend_on_a_line, "legend over data"),
        (legend_on_a_bar, "legend over data"),
        (legend_on_points, "legend over data"),
        (legend_on_an_area, "legend over data"),
        (legend_on_markers, "legend over data"),
        (crowded_ticks, "tick labels touch"),
        (crowded_categories, "tick labels touch"),
        (line_over_categories, "joined categories"),
    ],
)
def test_a_planted_fault_is_found(plant: Callable[[Figure, Axes], None], kind: str) -> None:
    figure, axes = plain()
    assert faults(figure) == []
    plant(figure, axes)
    assert kinds(figure) == {kind}


def test_a_line_may_join_what_lies_between_quantities() -> None:
    figure, axes = plain()
    axes.set_xticks([0.0, 1.0, 2.0], ["0 ms", "100 ms", "200 ms"])
    assert faults(figure) == []


def test_text_in_the_axes_beside_it_is_found() -> None:
    figure = Figure(figsize=(8.0, 3.0))
    left, right = figure.subplots(1, 2)
    assert faults(figure) == []
    right.set_ylabel("a label without room", labelpad=60)
    assert [fault.kind for fault in faults(figure)] == ["text over axes"]
    left.set_visible(False)
    assert faults(figure) == []


def test_what_is_not_drawn_is_no_fault() -> None:
    figure, axes = plain()
    axes.text(1.0, 1.0, "one word").set_visible(False)
    axes.text(1.0, 1.0, "another")
    axes.axvspan(0.0, 1.0, alpha=0.1)
    twin = axes.twinx()
    twin.set_ylabel("another unit (ms)")
    assert faults(figure) == []


def test_slanted_labels_that_do_not_meet_are_no_fault() -> None:
    """Their upright boxes overlap, they do not."""
    figure, axes = plain()
    axes.lines[0].set_linestyle("none")
    axes.set_xticks([0.0, 0.5, 1.0, 1.5, 2.0], ["a slanted name"] * 5, rotation=45, ha="right")
    assert faults(figure) == []


def test_a_fault_says_what_it_is_about() -> None:
    figure, _ = plain()
    figure.text(0.97, 0.5, "cut by\nthe paper")
    assert str(faults(figure)[0]) == "text outside of the canvas: 'cut by / the paper'"
