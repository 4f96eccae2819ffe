"""The figure of one run, from records written by hand."""

from __future__ import annotations

from xml.etree import ElementTree

import pyarrow as pa
import pytest

from sawtooth.report.traces import (
    FORMATS,
    OVERSHOOT_SHOWN,
    SHARED_MOST,
    STRIPS_MOST,
    Traces,
    corners,
    draw,
    window_limit,
)

SECOND = 1_000_000_000
SAMPLE, LOSS, TIMEOUT = 0, 1, 2


def traces_of(flows: int, peak: float = 40.0, warmup_s: int = 0) -> Traces:
    """Each flow climbs from 10 to 20 in 10 s, is halved at 10 s and timed out at 15 s; the first sample is at `peak`."""
    rows = [
        (at_s * SECOND, flow, event, before, after)
        for flow in range(flows)
        for at_s, event, before, after in (
            (0, SAMPLE, peak, peak),
            (1, SAMPLE, 10.0, 10.0),
            (10, LOSS, 20.0, 10.0),
            (15, TIMEOUT, 15.0, 1.0),
            (20, SAMPLE, 8.0, 8.0),
        )
    ]
    names = ("time_ns", "flow", "event", "window_before", "window")
    return Traces(
        title="by hand",
        labels=[f"{flow}: aimd(1, 0.5) sack" for flow in range(flows)],
        windows=pa.table(dict(zip(names, map(list, zip(*rows, strict=True)), strict=True))),
        queue_samples=pa.table(
            {
                "time_ns": [0, SECOND, 2 * SECOND, 2 * SECOND],
                "queue": [0, 0, 0, 1],
                "packets": [0, 30, 50, 999],
                "bytes": [0, 30_000, 50_000, 999_000],
            }
        ),
        warmup_ns=warmup_s * SECOND,
        duration_ns=20 * SECOND,
        buffer=50,
    )


@pytest.mark.parametrize("flows", [1, SHARED_MOST, 10, STRIPS_MOST + 1])
def test_every_number_of_flows_has_a_figure(flows: int) -> None:
    picture = draw(traces_of(flows))
    assert picture == draw(traces_of(flows)), "the same records, the same bytes"
    text = picture.decode()
    assert ElementTree.fromstring(picture).tag.endswith("svg")
    for word in ("window (packets)", "queue (packets)", "time (s)", "buffer 50 packets", "by hand"):
        assert word in text
    named = flows <= STRIPS_MOST
    assert text.count("aimd(1, 0.5) sack</text>") == (flows if named else 0)
    assert ("loss event" in text) == ("timeout" in text) == named


@pytest.mark.parametrize("form", FORMATS)
def test_every_format_is_what_it_says_and_repeatable(form: str) -> None:
    picture = draw(traces_of(1), form)
    assert picture == draw(traces_of(1), form)
    assert picture.startswith({"svg": b"<?xml", "pdf": b"%PDF", "png": b"\x89PNG"}[form])


def test_decreases_are_vertical_edges() -> None:
    times, windows = corners(traces_of(1).windows)
    assert times.tolist() == [0.0, 1.0, 10.0, 10.0, 15.0, 15.0, 20.0]
    assert windows.tolist() == [40.0, 10.0, 20.0, 10.0, 15.0, 1.0, 8.0]


def test_an_overshoot_is_shown_unless_it_dwarfs_the_rest() -> None:
    limit, cut = window_limit(traces_of(1, peak=40.0, warmup_s=1))
    assert not cut
    assert limit == pytest.approx(1.05 * 40.0)
    limit, cut = window_limit(traces_of(1, peak=1000.0, warmup_s=1))
    assert cut
    assert 20.0 < limit <= 1.05 * OVERSHOOT_SHOWN * 20.0
    assert "cut off" in draw(traces_of(1, peak=1000.0, warmup_s=1)).decode()


def test_a_buffer_in_bytes_is_drawn_in_kilobytes() -> None:
    base = traces_of(1)
    picture = draw(
        Traces(
            base.title,
            base.labels,
            base.windows,
            base.queue_samples,
            0,
            base.duration_ns,
            60_000,
            buffer_in_bytes=True,
        )
    ).decode()
    assert "queue (kB)" in picture
    assert "buffer 60 kB" in picture
