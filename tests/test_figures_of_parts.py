"""Nothing overlaps or is cut in curves, shares, packets over formulas, who hurts whom and sweeps, with as many lines and as long names as
studies have; and a file for journals has its letters as TrueType, whatever the figure."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from matplotlib.figure import Figure
from tests.figure_faults import faults

from sawtooth.experiment.curves import lay
from sawtooth.experiment.figure_specs import CurveSpec, SharesSpec
from sawtooth.experiment.flow_shares import lay_shares
from sawtooth.experiment.intervals import interval
from sawtooth.experiment.matrix import ProbeRun
from sawtooth.experiment.sweep import Sweep, SweptRun
from sawtooth.measure.metrics import METRICS
from sawtooth.papers.coexistence import page as coexistence_page
from sawtooth.papers.coexistence.pairs import setup
from sawtooth.papers.coexistence.perform import Coexistence, Felt, cells
from sawtooth.papers.formulas.figures import overlay_figure
from sawtooth.papers.formulas.points import FormulaCurve, FormulaPoint
from sawtooth.report.curves import curve_figure
from sawtooth.report.drawing import encode
from sawtooth.report.shares import shares_figure
from sawtooth.report.sweep_figure import sweep_figure

LONG = (
    "TCP(1/5, 1/8)",
    "AIMD-FC+(1, 0.5, 0.5)",
    "TFRC, eight intervals",
    "SQRT(1, 0.5)",
    "TCP(2/5, 1/8)",
    "RAP",
)


def curve(places: tuple[Any, ...], logarithmic: bool = False) -> Figure:
    """Six series over these places, of three seeds."""
    table = {
        "name": "c",
        "title": "Share of the flows of each kind over the drop rate",
        "probe": "p",
        "value": "goodput",
    }
    runs = [
        ProbeRun(
            {"law": law, "place": place},
            f"{law}{place}{seed}",
            {"goodput": 10.0**n * (1.0 + 0.4 * (seed % 2))},  # intervals that reach far
            pa.table({}),
            str(seed),
        )
        for n, law in enumerate(LONG)
        for place in places
        for seed in (1, 2, 3)
    ]
    more = {
        "x": "place",
        "series": "law",
        "beside": LONG[0],
        **({"logarithmic": True} if logarithmic else {}),
    }
    known = set(CurveSpec.model_fields)
    return curve_figure(
        lay(CurveSpec.model_validate({k: v for k, v in {**table, **more}.items() if k in known}), runs)
    )


def shares() -> Figure:
    """Two columns of sixteen flows of two kinds."""
    spec = SharesSpec.model_validate(
        {"name": "s", "title": "S", "probe": "p", "x": "n", "columns": "w", "kinds": ["TFRC-5348", "TCP"]}
    )
    runs = [
        ProbeRun(
            {"n": flows, "w": router},
            f"{flows}{router}{seed}",
            {"loss": 40.0 / flows},
            pa.table({}),
            str(seed),
            (tuple(np.linspace(0.2, 1.4, flows)), tuple(np.linspace(0.6, 2.8, flows))),
        )
        for flows in (2, 4, 8, 16)
        for router in ("RED with marks", "drop-tail")
        for seed in (1, 2)
    ]
    return shares_figure(lay_shares(spec, runs))


def formulas() -> Figure:
    """Two series and a line of a formula, over a logarithmic axis."""
    drops = np.geomspace(1e-4, 0.1, 7)
    points = [
        FormulaPoint(
            series,
            float(p),
            {"full": 1.0},
            interval(np.array([1.0, 1.2])),
            interval(np.array([-0.4, 0.1])),
            {},
            {},
            (),
        )
        for series in ("aimd(1, 0.5), sack recovery", "tcp(0.2, 0.125), reno recovery")
        for p in drops
    ]
    lines = {"the formula with timeouts": (drops.tolist(), (1.2 / np.sqrt(drops)).tolist())}
    return overlay_figure(
        FormulaCurve(
            "c",
            "Rate over the drop rate",
            "drop rate (1)",
            "rate (packets per round trip)",
            "the formula",
            "ratio",
            points,
            {},
            True,
            lines,
        ),
        0.1,
    )


def coexistence() -> Figure:
    """Every sender beside every other over every router."""
    whole = setup().seeded(2)
    flow = Felt(10e6, 5.0, 0.0)
    runs = {(meeting, seed): (flow,) * len(meeting.senders) for meeting in whole.meetings for seed in (1, 2)}
    return coexistence_page.matrix(Coexistence(whole, list(cells(whole, runs)), len(runs), 0.0))


def swept() -> Figure:
    """Two controllers over four round trips."""
    over = {
        "path.rtt": ("20 ms", "40 ms", "80 ms", "160 ms"),
        "flows.control": ("aimd-fc+(1, 0.5, 0.5)", "cubic(beta=0.8)"),
    }
    seeds = ("1", "2")
    runs = tuple(
        SweptRun((rtt, law), seed, f"{rtt}{law}{seed}", [float(place + n) for n, _ in enumerate(METRICS)])
        for place, rtt in enumerate(over["path.rtt"])
        for law in over["flows.control"]
        for seed in seeds
    )
    return sweep_figure(Sweep("my-network.toml", over, seeds, runs))


@pytest.mark.parametrize("laws", [("cubic",), ("cubic", "bbr")])
@pytest.mark.parametrize("seeds", [("1",), ("1", "2", "3")])
def test_a_sweep_says_what_its_bars_are_where_there_are_such(
    laws: tuple[str, ...], seeds: tuple[str, ...]
) -> None:
    over = {"path.rtt": ("20 ms", "40 ms"), "flows.control": laws}
    runs = tuple(
        SweptRun((rtt, law), seed, f"{rtt}{law}{seed}", [float(seed)] * len(METRICS))
        for rtt in over["path.rtt"]
        for law in laws
        for seed in seeds
    )
    drawn = encode(sweep_figure(Sweep("my-network.toml", over, seeds, runs)), "svg").decode()
    assert ("95 % intervals over 3 seeds" in drawn) == (len(seeds) == 3)


def test_an_interval_of_what_is_never_negative_is_not_drawn_below_zero() -> None:
    over = {"path.rtt": ("20 ms", "40 ms")}
    values = {"20 ms": (0.0, 0.0, 3.0), "40 ms": (1.0, 1.0, 1.0)}
    runs = tuple(
        SweptRun((rtt,), str(seed), f"{rtt}{seed}", [value] * len(METRICS))
        for rtt, own in values.items()
        for seed, value in enumerate(own, 1)
    )
    figure = sweep_figure(Sweep("my-network.toml", over, ("1", "2", "3"), runs))
    assert {axes.get_ylim()[0] for axes in figure.axes} == {0.0}


LAWS = ("aimd(1, 0.5)", "aimd(1, 0.8)", "aiad(1, 3)", "cubic", "mimd(1.125, 0.8)")
QUEUES = ({"kind": "red", "min": 3, "max": 9, "max_p": 0.1}, {"kind": "codel"}, {"kind": "drop-tail"})
MANY = tuple(f"aimd(1, 0.{number})" for number in range(10, 40))


def swept_over(over: dict[str, tuple[Any, ...]]) -> Figure:
    """A sweep over these values of a key or two."""
    runs = tuple(
        SweptRun(values, seed, f"{values}{seed}", [float(place + n) for n, _ in enumerate(METRICS)])
        for place, values in enumerate(itertools.product(*over.values()))
        for seed in ("1", "2")
    )
    return sweep_figure(Sweep("my-network.toml", over, ("1", "2"), runs))


@pytest.mark.parametrize(
    "over",
    [
        pytest.param({"flows.control": LAWS}, marks=pytest.mark.long),
        pytest.param({"flows.control": MANY[:12]}, marks=pytest.mark.long),
        {"flows.control": MANY},
        pytest.param({"path.rtt": ("20 ms", "22 ms", "25 ms", "100 ms")}, marks=pytest.mark.long),
        {"path.rtt": ("10 ms", "11 ms", "12 ms", "100 ms")},
        pytest.param({"path.rtt": tuple(f"{number} ms" for number in range(2, 50))}, marks=pytest.mark.long),
        pytest.param({"bottleneck.queue": QUEUES}, marks=pytest.mark.long),
        {"path.rtt": ("20 ms", "40 ms"), "bottleneck.queue": QUEUES},
    ],
    ids=[
        "five-laws",
        "twelve-laws",
        "thirty-laws",
        "close",
        "close-logarithmic",
        "many",
        "tables",
        "tables-in-legend",
    ],
)
def test_what_stands_under_a_sweep_does_not_overlap(over: dict[str, tuple[Any, ...]]) -> None:
    assert list(map(str, faults(swept_over(over)))) == []


def test_numbers_that_would_touch_are_left_out_and_the_ends_stay() -> None:
    axes = swept_over({"path.rtt": ("20 ms", "22 ms", "60 ms", "100 ms")}).axes[0]
    assert [label.get_text() for label in axes.get_xticklabels()] == ["20", "", "60", "100"]
    assert list(axes.get_xticks()) == [20, 22, 60, 100]


def test_a_table_is_written_without_the_marks_of_json() -> None:
    axes = swept_over({"bottleneck.queue": QUEUES}).axes[0]
    said = [" ".join(label.get_text().split()) for label in axes.get_xticklabels()]
    assert said == ["red, min 3, max 9, max_p 0.1", "codel", "drop-tail"]


FIGURES: dict[str, Callable[[], Figure]] = {
    "a curve over numbers": lambda: curve((2, 4, 8, 16, 32, 64)),
    "a curve over names": lambda: curve(
        ("drop-tail, long buffer", "RED with marks", "FQ-CoDel", "random walk, low")
    ),
    "shares": shares,
    "formulas": formulas,
    "coexistence": coexistence,
    "a sweep": swept,
}


@pytest.mark.parametrize(
    "name",
    [pytest.param(name, marks=[pytest.mark.long] if name == "coexistence" else []) for name in FIGURES],
)
def test_nothing_overlaps_and_letters_are_truetype(name: str) -> None:
    figure = FIGURES[name]()
    assert list(map(str, faults(figure))) == []
    pdf = encode(figure, "pdf")
    assert b"/FontFile2" in pdf, "letters are there as TrueType"
    assert b"/Type3" not in pdf
