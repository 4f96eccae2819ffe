"""What is wrong with a matplotlib figure: text over text, cut or lost text, legends over data, tick labels that touch, joined categories.

Source: none. Boxes are those of the Agg renderer in pixels of the figure's own resolution. Tolerances are in points:

| tolerance | pt  | why                                                                                   |
|-----------|-----|---------------------------------------------------------------------------------------|
| OVERLAP   | 1.2 | a line's box has room for accents and descenders that most words do not use           |
| APART     | 2.0 | neighbours on one axis read as one number if they stand closer than about a thin space |
| OUTSIDE   | 0.5 | rounding to whole pixels                                                              |
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, Final

import numpy as np
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.axis import Axis
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.collections import Collection, PathCollection
from matplotlib.figure import Figure
from matplotlib.legend import Legend
from matplotlib.lines import Line2D
from matplotlib.patches import Patch
from matplotlib.path import Path
from matplotlib.text import Text
from matplotlib.ticker import FixedFormatter, FuncFormatter
from matplotlib.transforms import Bbox, BboxBase
from numpy.typing import NDArray

from sawtooth.report.quantities import quantities

OVERLAP: Final = 1.2
APART: Final = 2.0
OUTSIDE: Final = 0.5
WRITTEN: Final = (FixedFormatter, FuncFormatter)
"""Formatters of tick labels that somebody wrote one by one."""

Corners = NDArray[np.float64]


@dataclass(frozen=True)
class Fault:
    """One fault: its kind and the words or artists that it concerns."""

    kind: str
    about: str

    def __str__(self) -> str:
        return f"{self.kind}: {self.about}"


@dataclass(frozen=True)
class Words:
    """A text that is drawn: its four corners in pixels, the axes it belongs to (None: the figure), and the axis whose tick it names."""

    text: Text
    corners: Corners
    axes: Any
    axis: Axis | None = None

    @property
    def said(self) -> str:
        """The words, on one line."""
        return repr(" / ".join(self.text.get_text().splitlines()))

    @property
    def box(self) -> Bbox:
        """The upright box around the corners."""
        return Bbox([self.corners.min(axis=0), self.corners.max(axis=0)])


def faults(figure: Figure) -> list[Fault]:
    """Everything that is wrong, in a fixed order; an empty list for a figure that can be printed."""
    canvas: Any = FigureCanvasAgg(figure)
    canvas.draw()
    words = list(_words(figure, canvas.get_renderer()))
    point = figure.dpi / 72.0
    found = [
        *_outside(words, figure.bbox, OUTSIDE * point),
        *_clipped(words, OUTSIDE * point),
        *_touching(words, APART * point),
        *_over_each_other(words, OVERLAP * point),
        *_over_axes(words, figure, OVERLAP * point),
        *_legends_over_data(figure),
        *_joined_categories(figure),
    ]
    return list(dict.fromkeys(found))


def _words(figure: Figure, renderer: Any) -> Iterator[Words]:
    ticks: dict[int, Axis | None] = {}
    for axes in figure.axes:
        for each in (axes.xaxis, axes.yaxis):
            ticks.update({id(label): shown for label, shown in _tick_labels(each)})
    for text in figure.findobj(Text):
        assert isinstance(text, Text)
        axis = ticks.get(id(text))
        lost = id(text) in ticks and axis is None
        if not lost and text.get_text().strip() and _shown(text, figure):
            owner = axis.axes if axis is not None else text.axes
            yield Words(text, _corners(text, renderer), owner, axis)


def _tick_labels(axis: Axis) -> Iterator[tuple[Text, Axis | None]]:
    """Every tick label of an axis, and the axis if the label is drawn: matplotlib keeps labels that lie outside of the axis."""
    low, high = sorted(axis.get_view_interval())
    room = 1e-9 * (high - low)
    drawn = axis.get_visible() and axis.axes.axison and axis.axes.get_visible()
    for tick in (*axis.get_major_ticks(), *axis.get_minor_ticks()):
        inside = low - room <= tick.get_loc() <= high + room
        for label in (tick.label1, tick.label2):
            yield label, axis if drawn and inside and label.get_visible() else None


def _shown(text: Text, figure: Figure) -> bool:
    """Whether a text that is no tick label is drawn: it and its axes are visible, and the axes show their frame's labels."""
    axes = text.axes
    if not text.get_visible():
        return False
    if axes is None:
        return True
    names = (axes.xaxis.label, axes.yaxis.label, axes.xaxis.offsetText, axes.yaxis.offsetText)
    return axes.get_visible() and axes in figure.axes and (axes.axison or all(text is not n for n in names))


def _corners(text: Text, renderer: Any) -> Corners:
    """The corners of the text's own rectangle, which is slanted if the text is."""
    upright = text.get_window_extent(renderer)
    turn = text.get_rotation()
    if turn % 90.0 == 0.0:
        return np.asarray(upright.corners(), dtype=float)[[0, 1, 3, 2]]
    text.set_rotation(0.0)
    flat = text.get_window_extent(renderer)
    text.set_rotation(turn)
    half = np.array([[-1, -1], [-1, 1], [1, 1], [1, -1]]) * (flat.width / 2, flat.height / 2)
    cosine, sine = np.cos(np.radians(turn)), np.sin(np.radians(turn))
    middle = np.array([(upright.x0 + upright.x1) / 2, (upright.y0 + upright.y1) / 2])
    corners: Corners = half @ np.array([[cosine, sine], [-sine, cosine]]) + middle
    return corners


def _depth(one: Corners, other: Corners) -> float:
    """How far two rectangles reach into each other, pixels, by the theorem of separating axes; negative: how far they are apart."""
    depths = []
    for shape in (one, other):
        for start, end in ((0, 1), (1, 2)):
            edge = shape[end] - shape[start]
            length = float(np.hypot(*edge))
            if length == 0.0:
                continue
            across = np.array([-edge[1], edge[0]]) / length
            mine, its = one @ across, other @ across
            depths.append(min(mine.max(), its.max()) - max(mine.min(), its.min()))
    return float(min(depths)) if depths else -np.inf


def _outside(words: Sequence[Words], canvas: BboxBase, room: float) -> Iterator[Fault]:
    for word in words:
        if not _within(word.box, canvas, room):
            yield Fault("text outside of the canvas", word.said)


def _clipped(words: Sequence[Words], room: float) -> Iterator[Fault]:
    for word in words:
        clip = word.text.get_clip_box()
        if word.text.get_clip_on() and clip is not None and not _within(word.box, clip, room):
            yield Fault("text cut by axes", word.said)


def _within(box: BboxBase, around: BboxBase, room: float) -> bool:
    left, right = box.x0 >= around.x0 - room, box.x1 <= around.x1 + room
    low, high = box.y0 >= around.y0 - room, box.y1 <= around.y1 + room
    return bool(left and right and low and high)


def _touching(words: Sequence[Words], room: float) -> Iterator[Fault]:
    """Neighbours on one axis that stand closer than `room`."""
    for axis in {id(word.axis): word.axis for word in words if word.axis is not None}.values():
        horizontal = axis is axis.axes.xaxis
        own = [word for word in words if word.axis is axis]
        own.sort(key=lambda word: word.box.x0 if horizontal else word.box.y0)
        for one, other in pairwise(own):
            least = room if horizontal else 0.0  # lines of text may stand as close as lines do
            if _depth(one.corners, other.corners) > -least:
                yield Fault("tick labels touch", f"{one.said} and {other.said}")


def _over_each_other(words: Sequence[Words], room: float) -> Iterator[Fault]:
    for one, other in _near(words):
        same_axis = one.axis is not None and one.axis is other.axis
        if not same_axis and _depth(one.corners, other.corners) > room:
            yield Fault("text over text", f"{one.said} and {other.said}")


def _near(words: Sequence[Words]) -> Iterator[tuple[Words, Words]]:
    """The pairs whose upright boxes meet, in the order of `combinations`: of the others no rectangle reaches into the other."""
    if not words:
        return
    corners = np.array([word.corners for word in words])
    low, high = corners.min(axis=1), corners.max(axis=1)
    meets = ((low[:, None] <= high[None]) & (low[None] <= high[:, None])).all(axis=2)
    for one, other in np.argwhere(np.triu(meets, 1)):
        yield words[one], words[other]


def _over_axes(words: Sequence[Words], figure: Figure, room: float) -> Iterator[Fault]:
    """Text that reaches into axes that are not its own; axes laid over each other on purpose (twins, insets) count as one."""
    for word in words:
        for axes in figure.axes:
            if axes is word.axes or not (axes.get_visible() and axes.axison):
                continue
            if word.axes is not None and _within(word.axes.bbox, axes.bbox, room):
                continue
            if _depth(word.corners, np.asarray(axes.bbox.corners())[[0, 1, 3, 2]]) > room:
                yield Fault("text over axes", f"{word.said} and axes {figure.axes.index(axes)}")


def _legends_over_data(figure: Figure) -> Iterator[Fault]:
    legends = [legend for legend in figure.findobj(Legend) if legend.get_visible()]
    for legend in legends:
        assert isinstance(legend, Legend)
        box = legend.get_window_extent()
        for axes in figure.axes:
            if axes.get_visible() and box.overlaps(axes.bbox):
                for artist in (*axes.lines, *axes.patches, *axes.collections):
                    if artist.get_visible() and _meets(artist, axes, box):
                        yield Fault("legend over data", f"{type(artist).__name__} {artist.get_label()!r}")


def _joined_categories(figure: Figure) -> Iterator[Fault]:
    """Lines from one word of an axis to another, as if there were something between them."""
    for axes in figure.axes:
        if not axes.get_visible() or not isinstance(axes.xaxis.get_major_formatter(), WRITTEN):
            continue
        names = [label.get_text() for label in axes.get_xticklabels() if label.get_text()]
        if not names or quantities(names) is not None:
            continue
        for line in axes.lines:
            drawn = line.get_linestyle() not in ("None", "none", "", " ") and line.get_visible()
            places = np.asarray(line.get_xdata(orig=False), dtype=float)
            level = np.ptp(np.asarray(line.get_ydata(orig=False), dtype=float)) == 0.0
            if drawn and not level and line.get_transform() == axes.transData and np.ptp(places) > 0.9:
                yield Fault("joined categories", f"{line.get_label()!r} over {', '.join(names)}")


def _meets(artist: Artist, axes: Axes, box: Bbox) -> bool:
    """Whether what is drawn of an artist inside its axes meets the box."""
    seen = Bbox.intersection(box, axes.bbox)
    if seen is None or seen.width <= 0 or seen.height <= 0:
        return False
    if isinstance(artist, Line2D):
        path = artist.get_transform().transform_path(artist.get_path())
        if artist.get_linestyle() in ("None", "none", "", " "):
            return _any_inside(path.vertices, seen)
        return _crosses(path, seen, filled=False)
    if isinstance(artist, Patch):
        if not all(artist.get_transform().contains_branch_seperately(axes.transData)):
            return False  # a shade behind everything, such as that of the warm-up
        return _crosses(
            artist.get_transform().transform_path(artist.get_path()), seen, filled=artist.get_fill()
        )
    if isinstance(artist, PathCollection):
        return _any_inside(artist.get_offset_transform().transform(np.asarray(artist.get_offsets())), seen)
    if isinstance(artist, Collection):
        filled = np.size(artist.get_facecolor()) > 0
        return any(
            _crosses(artist.get_transform().transform_path(path), seen, filled=filled)
            for path in artist.get_paths()
        )
    return False


def _any_inside(points: Any, box: Bbox) -> bool:
    places = np.asarray(points, dtype=float).reshape(-1, 2)
    inside = (places >= (box.x0, box.y0)) & (places <= (box.x1, box.y1))
    return bool(inside.all(axis=1).any())


def _crosses(path: Path, box: Bbox, *, filled: bool) -> bool:
    clean = path.cleaned(remove_nans=True, curves=False)
    return np.size(clean.vertices) > 0 and bool(clean.intersects_bbox(box, filled=filled))
