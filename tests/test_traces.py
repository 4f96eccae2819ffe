"""The figure of one run, from records written by hand."""

from __future__ import annotations

from dataclasses import replace
from xml.etree import ElementTree

import numpy as np
import pyarrow as pa
import pytest
from tests.figure_faults import faults

from sawtooth.measure.run_series import Timeline
from sawtooth.report.drawing import encode
from sawtooth.report.figure_file import FORMATS
from sawtooth.report.figures import PLACES
from sawtooth.report.trace_data import FlowTrace, QueueTrace, Traces
from sawtooth.report.trace_panels import (
    HEAD_ROOM,
    OVERSHOOT,
    corners,
    excursions,
    quantity,
    rate_unit,
    round_down,
    thresholds,
    window_limit,
)
from sawtooth.report.traces import SHARED_MOST, STRIPS_MOST, draw, run_figure

SECOND = 1_000_000_000
SAMPLE, LOSS, TIMEOUT = 0, 1, 2


def times(*seconds: float) -> np.ndarray:
    return np.array([second * SECOND for second in seconds], dtype=np.int64)


def traces_of(flows: int, peak: float = 40.0, warmup_s: int = 5) -> Traces:
    """Each flow climbs from 10 to 20 in 10 s, is halved at 10 s and timed out at 15 s; at 1 s its window is `peak`."""
    rows = [
        (at_s * SECOND, flow, event, before, after, threshold)
        for flow in range(flows)
        for at_s, event, before, after, threshold in (
            (0, SAMPLE, 10.0, 10.0, np.inf),
            (1, SAMPLE, peak, peak, np.inf),
            (2, SAMPLE, 10.0, 10.0, np.inf),
            (10, LOSS, 20.0, 10.0, 10.0),
            (15, TIMEOUT, 15.0, 1.0, 7.5),
            (20, SAMPLE, 8.0, 8.0, 7.5),
        )
    ]
    names = ("time_ns", "flow", "event", "window_before", "window", "ssthresh")
    bins = times(*range(warmup_s + 1, 21))
    return Traces(
        title="by hand",
        flows=[
            FlowTrace(flow, "aimd(1, 0.5), sack" if flow % 2 == 0 else "tfrc", rate_based=flow % 2 == 1)
            for flow in range(flows)
        ],
        windows=pa.table(dict(zip(names, map(list, zip(*rows, strict=True)), strict=True))),
        throughput=Timeline(bins, np.full((bins.size, flows), 9e6 / flows)),
        bin_ns=SECOND,
        available=Timeline(times(0, 10), np.array([1e7, 2e7])),
        queues=[
            QueueTrace("bottleneck", "droptail", times(0, 1, 2), np.array([0.0, 30.0, 50.0]), buffer=50.0)
        ],
        warmup_ns=warmup_s * SECOND,
        duration_ns=20 * SECOND,
        round_trips=Timeline(times(0, 1, 2), np.full((3, flows), 5e7)),
        signs={"packet lost at bottleneck": times(10), "timeout of a sender": times(15)},
    )


def words(traces: Traces) -> set[str]:
    """Every text of the figure, on one line each."""
    from matplotlib.text import Text

    found = run_figure(traces).findobj(Text)
    return {" ".join(text.get_text().split()) for text in found if isinstance(text, Text)}


@pytest.mark.parametrize(
    "flows",
    [1, SHARED_MOST, *(pytest.param(flows, marks=pytest.mark.long) for flows in (10, STRIPS_MOST + 9))],
)
def test_every_number_of_flows_has_a_figure(flows: int) -> None:
    picture = draw(traces_of(flows))
    assert picture == draw(traces_of(flows)), "the same records, the same bytes"
    assert ElementTree.fromstring(picture).tag.endswith("svg")
    said = words(traces_of(flows))
    units = {"throughput (Mbit/s)", "round-trip time (ms)", "queue (packets)", "time (s)"}
    assert units | {"by hand", "buffer: 50 packets", "queue at bottleneck: droptail"} <= said
    assert {"available bandwidth", "warm-up, not measured", "timeout of a sender: 1"} <= said
    assert ("window (packets)" if flows == 1 else "window, or rate × RTT (packets)") in said
    alone = flows <= STRIPS_MOST
    assert ({"loss event", "timeout", "slow-start threshold"} <= said) == alone
    assert ("flow 2" in said) == (SHARED_MOST <= flows <= STRIPS_MOST)


@pytest.mark.parametrize(
    "flows",
    [
        *(pytest.param(flows, marks=pytest.mark.long) for flows in (1, SHARED_MOST, STRIPS_MOST)),
        *(SHARED_MOST + 1, STRIPS_MOST + 1),
    ],
)
def test_no_layout_has_a_fault(flows: int) -> None:
    assert faults(run_figure(traces_of(flows))) == []


def test_what_was_not_recorded_has_no_panel() -> None:
    figure = run_figure(replace(traces_of(1), round_trips=None, signs={}, warmup_ns=0))
    assert len(figure.axes) == 3
    assert faults(figure) == []


def test_places_do_not_hang_on_the_last_digits_of_the_solver() -> None:
    figure = run_figure(traces_of(1))
    encode(figure, "svg")
    places = [value for axes in figure.axes for value in axes.get_position().bounds]
    assert places == pytest.approx([round(value, PLACES) for value in places], abs=1e-12)


@pytest.mark.parametrize("form", FORMATS)
def test_every_format_is_what_it_says_and_repeatable(form: str) -> None:
    picture = draw(traces_of(1), form)
    assert picture == draw(traces_of(1), form)
    assert picture.startswith({"svg": b"<?xml", "pdf": b"%PDF", "png": b"\x89PNG"}[form])
    if form == "pdf":
        assert b"/FontFile2" in picture, "TrueType"
        assert b"/Type3" not in picture


def test_decreases_are_vertical_edges() -> None:
    at, windows = corners(traces_of(1).windows)
    assert at.tolist() == [0.0, 1.0, 2.0, 10.0, 10.0, 15.0, 15.0, 20.0]
    assert windows.tolist() == [10.0, 40.0, 10.0, 20.0, 10.0, 15.0, 1.0, 8.0]


def test_a_threshold_begins_with_the_first_decrease() -> None:
    at, values = thresholds(traces_of(1).windows)
    assert at.tolist() == [10.0, 15.0, 20.0]
    assert values.tolist() == [10.0, 7.5, 7.5]


def test_the_measured_part_makes_the_scale_and_slow_start_is_marked_where_it_leaves_it() -> None:
    traces = traces_of(1, peak=1234.0)
    assert window_limit(traces.windows, traces.warmup_ns) == (HEAD_ROOM * 20.0, 1234.0)
    assert excursions(*corners(traces.windows), HEAD_ROOM * 20.0).tolist() == [1.0]
    assert "above the scale, up to 1,234" in words(traces)
    late = replace(traces, warmup_ns=0)
    usual = float(np.percentile([10.0, 1234.0, 10.0, 20.0, 15.0, 8.0], 99.0))
    assert window_limit(late.windows, 0)[0] == pytest.approx(HEAD_ROOM * min(1234.0, OVERSHOOT * usual))
    tame = traces_of(1, peak=20.0)
    assert excursions(*corners(tame.windows), HEAD_ROOM * 20.0).size == 0
    assert not any("above the scale" in text for text in words(tame))


def test_each_stretch_above_the_scale_is_marked_once_where_it_is_highest() -> None:
    at, window = np.arange(7.0), np.array([9.0, 1.0, 6.0, 8.0, 7.0, 2.0, 9.0])
    assert excursions(at, window, 5.0).tolist() == [0.0, 3.0, 6.0]


def test_a_queue_says_its_thresholds_and_average() -> None:
    queue = QueueTrace(
        "B/C",
        "red",
        times(0, 1, 2),
        np.array([0.0, 30.0, 40.0]),
        buffer=60_000.0,
        thresholds=[("threshold min", 10.0), ("threshold max", 45.0)],
        average=np.array([0.0, 3.0, 9.0]),
    )
    said = words(replace(traces_of(1), queues=[queue]))
    assert {"queue at B/C: red", "threshold min: 10 packets", "threshold max: 45 packets"} <= said
    assert {"average of red, from samples", "buffer: 60,000 packets, above the scale"} <= said


def test_several_queues_have_a_panel_each_and_what_is_left_out_is_said() -> None:
    several = [replace(traces_of(1).queues[0], name=f"hop/{number}") for number in range(3)]
    traces = replace(traces_of(4), queues=several, note="2 emptier queues are left out")
    assert {"queue at hop/0: droptail", "queue at hop/2: droptail", "2 emptier queues are left out"} <= words(
        traces
    )
    assert faults(run_figure(traces)) == []


def test_bandwidth_far_above_what_was_sent_leaves_the_scale_and_says_so() -> None:
    traces = replace(traces_of(1), available=Timeline(times(0), np.array([1e9])))
    figure = run_figure(traces)
    assert figure.axes[0].get_ylim() == pytest.approx((0.0, HEAD_ROOM * 9.0))
    assert "available bandwidth: 1,000 Mbit/s or more, above the scale" in words(traces)


def test_long_names_neither_leave_the_page_nor_meet() -> None:
    name = "linear(1.234567, 1.000001, -1.234567, 0.987654), newreno"
    traces = traces_of(3)
    flows = [replace(flow, kind=f"{name} {flow.number}") for flow in traces.flows]
    assert faults(run_figure(replace(traces, flows=flows))) == []


@pytest.mark.parametrize(
    ("highest", "unit"),
    [(2.5e9, "Gbit/s"), (1.9e9, "Mbit/s"), (2e6, "Mbit/s"), (1.5e6, "kbit/s"), (500.0, "bit/s")],
)
def test_the_unit_of_a_rate_suits_it(highest: float, unit: str) -> None:
    assert rate_unit(highest)[1] == unit


@pytest.mark.parametrize(
    ("value", "tick"), [(0.0, 1.0), (1.0, 1.0), (1.9, 1.5), (39.9, 30.0), (780.0, 600.0), (0.29, 0.25)]
)
def test_the_tick_of_a_strip_is_a_round_number_below_its_end(value: float, tick: float) -> None:
    assert round_down(value) == pytest.approx(tick)


@pytest.mark.parametrize(
    ("value", "said"), [(0.25, "0.25"), (75.0, "75"), (12_500.0, "12,500"), (1e6, "1,000,000")]
)
def test_numbers_have_no_powers_of_ten(value: float, said: str) -> None:
    assert quantity(value) == said
