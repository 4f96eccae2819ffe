"""The figure of real runs: what it says of each kind of network, and that nothing in it overlaps or is cut."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from matplotlib.figure import Figure
from matplotlib.text import Text
from tests.figure_faults import faults

from sawtooth.report import trace_panels
from sawtooth.report.run_traces import BINS, SAMPLES, traces_of, with_series
from sawtooth.report.trace_data import FlowTrace, QueueTrace, Traces
from sawtooth.report.traces import run_figure
from sawtooth.report.traffic_traces import CallTrace, FilmTrace, LoadsTrace, PacedTrace, traffic_of
from sawtooth.run.api import job_of, scenario_of
from sawtooth.run.run import Run, execute, simulate

EXAMPLES = Path(__file__).parents[1] / "examples"
RED = {"kind": "red", "min": 10, "max": 30, "ecn": True}


def simulated(**tables: Any) -> Run:
    """8 Mbit/s, 40 ms, 40 packets; 10 s, of which 2 s are the warm-up; with what the figure needs."""
    scenario: dict[str, Any] = {
        "duration": "10 s",
        "warmup": "2 s",
        "bottleneck": {"rate": "8 Mbit/s", "buffer": "40 packets"},
        "path": {"rtt": "40 ms", "send_jitter": "80 us"},
        "flows": [{"control": "aimd(1, 0.5)", "start": "0 s"}],
    }
    for key, table in tables.items():
        scenario[key] = {**scenario[key], **table} if isinstance(table, dict) and key in scenario else table
    return execute(job_of(with_series(scenario_of(scenario))))


def said(figure: Figure) -> set[str]:
    """Every text of the figure, on one line each."""
    return {" ".join(text.get_text().split()) for text in figure.findobj(Text) if isinstance(text, Text)}


MIXED = [
    {"count": 4, "control": "aimd(1, 0.5)"},
    {"count": 3, "control": "simd"},
    {"count": 3, "control": "tfrc"},
]
SQUARE = {"kind": "square", "high": "4 Mbit/s", "low": "1 Mbit/s", "period": "4 s"}
CASES: dict[str, tuple[dict[str, Any], set[str]]] = {
    "one flow at drop-tail": (
        {},
        {
            "flow 0: aimd(1, 0.5), sack",
            "slow-start threshold",
            "loss event",
            "buffer: 40 packets",
            "queue at bottleneck: droptail",
        },
    ),
    "one flow at RED with marks": (
        {"bottleneck": {"queue": RED}},
        {
            "threshold min: 10 packets",
            "threshold max: 30 packets",
            "average of red, from samples",
            "ECN mark",
        },
    ),
    "a step in time": (
        {"bottleneck": {"queue": {"kind": "step", "threshold": "10 ms"}}},
        {"threshold, 10 ms: 10 packets", "ECN mark"},
    ),
    "more marks than signs": (
        {
            "bottleneck": {"queue": {"kind": "step", "threshold": "5 packets"}},
            "path": {"rtt": "10 ms"},
            "flows": [{"control": "dctcp"}],
        },
        {"how often: ECN mark"},
    ),
    "CoDel": (
        {"bottleneck": {"queue": "codel"}},
        {"wait (ms)", "codel at bottleneck", "target: 5 ms", "first packet", "drop state"},
    ),
    "PIE": (
        {"bottleneck": {"queue": "pie"}},
        {"wait (ms)", "target: 15 ms", "of an arrival", "probability of a hit (%)"},
    ),
    "FQ-CoDel": (
        {"bottleneck": {"queue": "fq-codel"}, "flows": [{"count": 4, "control": "cubic"}]},
        {"fq-codel at bottleneck", "queues in the drop state"},
    ),
    "DualPI2": (
        {"bottleneck": {"queue": "dualpi2"}, "flows": [{"control": "cubic"}, {"control": "prague"}]},
        {
            "first packet of L (L4S)",
            "first packet of C (classic)",
            "L4S threshold: 0.8 ms",
            "of L (L4S)",
            "of C (classic)",
        },
    ),
    "a buffer in bytes": (
        {"bottleneck": {"buffer": "40 kB"}},
        {"queue (kB)", "buffer: 40 kB"},
    ),
    "thresholds in packets, a buffer in bytes": (
        {"bottleneck": {"buffer": "40 kB", "queue": RED}},
        {"queue (packets)", "threshold min: 10 packets", "queue at bottleneck: red; buffer: 40 kB"},
    ),
    "ten flows": (
        {"flows": [{"count": 10, "control": "aimd(1, 0.8)"}]},
        {"sum of 10 flows", "flow 9", "window (packets)"},
    ),
    "ten flows of three kinds": (
        {"flows": MIXED},
        {"4 × aimd(1, 0.5), sack", "3 × simd, sack", "3 × tfrc", "window, or rate × RTT (packets)"},
    ),
    "thirty flows of two kinds": (
        {"flows": [{"count": 20, "control": "aimd(1, 0.5)"}, {"count": 10, "control": "iiad"}]},
        {"20 × aimd(1, 0.5), sack", "10 × iiad, sack", "median; from least to most"},
    ),
    "bandwidth that changes": (
        {"flows": [{"count": 2, "control": "aimd(1, 0.5)"}], "environment": SQUARE},
        {"sum of 2 flows", "available bandwidth", "flow 1"},
    ),
    "a ring of four bottlenecks": (
        {
            "topology": {"kind": "ring", "links": 4, "hops": 2},
            "flows": [{"count": 10, "control": "aimd(1, 0.8)"}],
        },
        {
            "queue at bottleneck/0: droptail",
            "queue at bottleneck/3: droptail",
            "available bandwidth in fair shares",
        },
    ),
    "losses that lead to timeouts": (
        {
            "bottleneck": {"drop": "bernoulli(0.08)"},
            "flows": [{"control": "aimd(1, 0.5)", "recovery": "reno"}],
        },
        {"timeout", "loss event"},
    ),
    "data against it": (
        {
            "reverse": {"buffer": "20 packets"},
            "flows": [{"control": "aimd(1, 0.5)"}, {"control": "aimd(1, 0.5)", "reverse": True}],
        },
        {"queue at reverse: droptail", "flow 1, reverse: aimd(1, 0.5), sack"},
    ),
    "conservative slow start": (
        {
            "bottleneck": {"buffer": "400 packets"},
            "tcp": {"slow_start": "hystart++", "pacing": "on"},
            "flows": [{"control": "cubic", "recovery": "rack"}],
        },
        {"slow start", "conservative slow start", "fast recovery", "pacing rate", "delivery rate"},
    ),
    "a cut that is withdrawn": (
        {"bottleneck": {"late": "list(4000: 60 ms)"}, "flows": [{"control": "cubic", "recovery": "rack"}]},
        {"cut withdrawn", "cut withdrawn by a sender: 1"},
    ),
    "BBR": (
        {"flows": [{"control": "bbr", "recovery": "rack"}], "duration": "14 s"},
        {
            "startup",
            "probe_bw_cruise",
            "probe_rtt",
            "bandwidth estimate",
            "bound after losses",
            "least of the controller",
        },
    ),
    "BBR beside CUBIC, after losses": (
        {
            "bottleneck": {"drop": "bernoulli(0.03)"},
            "flows": [{"control": "bbr", "recovery": "rack"}, {"control": "cubic", "recovery": "rack"}],
        },
        {
            "flow 1",
            "long-term bound of what is in flight",
            "short-term bound of what is in flight",
        },
    ),
    "DCTCP": (
        {
            "bottleneck": {"queue": {"kind": "step", "threshold": "10 packets"}},
            "flows": [{"control": "dctcp", "recovery": "rack"}],
        },
        {"alpha", "average share of marked bytes"},
    ),
    "six flows of Prague and one of BBR": (
        {
            "bottleneck": {"queue": "dualpi2"},
            "flows": [{"count": 6, "control": "prague"}, {"control": "bbr", "recovery": "rack"}],
        },
        {"alpha", "average share of marked bytes; median, from least to most", "probe_bw_cruise"},
    ),
    "a call that adapts": (
        {"traffic": [{"kind": "media", "control": "nada(rmax = 2500)", "deadline": "40 ms"}]},
        {
            "traffic 0: media, nada(rmax = 2500)",
            "given by the encoder",
            "deadline: 40 ms",
            "frame delay (ms)",
        },
    ),
    "calls at a rate of their own, and UDP": (
        {
            "bottleneck": {"queue": "fq-codel"},
            "traffic": [
                {"kind": "media", "rate": "900 kbit/s", "count": 2},
                {"kind": "udp", "share": 0.1, "stop": "7 s"},
            ],
        },
        {"traffic 0: media, 2 streams", "deadline: 150 ms", "traffic 1: udp", "sent", "packet delay (ms)"},
    ),
    "transfers, pages and answers": (
        {
            "traffic": [
                {"kind": "finite", "size": "pareto(50 kB, 1.3)", "every": "150 ms"},
                {"kind": "web", "objects": 5, "think": "200 ms", "count": 2},
                {"kind": "request-response", "size": "2 MB"},
            ]
        },
        {"traffic 0: finite", "traffic 1: web, 2 users", "not ended: 1", "completion time (s)"},
    ),
    "films on a link that is too slow": (
        {
            "traffic": [
                {"kind": "video", "count": 2, "rates": ["1 Mbit/s", "3 Mbit/s"], "chunk": "1 s"},
                {"kind": "video", "count": 5, "rates": ["2 Mbit/s"], "chunk": "1 s", "buffer": "9 s"},
                {"kind": "paced", "rate": "1 Mbit/s", "count": 2, "start": "4 s", "stop": "8 s"},
            ]
        },
        {
            "traffic 0: video, 2 viewers",
            "viewer 1",
            "traffic 1: video, 5 viewers",
            "mean rate of the chunks",
            "traffic 2: paced, 2 flows",
            "offered",
        },
    ),
    "more groups of traffic than are shown": (
        {"traffic": [{"kind": "paced", "rate": f"{rate} kbit/s"} for rate in range(100, 800, 100)]},
        {"traffic 5: paced", "1 of 7 groups of traffic are left out"},
    ),
    "queues for each flow": (
        {"bottleneck": {"queue": "drr"}, "flows": [{"count": 2, "control": "aimd(1, 0.5)"}]},
        {"queue at bottleneck: drr"},
    ),
}


OFTEN = (
    "one flow at drop-tail",
    "DualPI2",
    "ten flows of three kinds",
    "BBR",
    "a call that adapts",
    "transfers, pages and answers",
)
"""What `make test` draws: a queue in packets, two queues in one that is measured in time, groups, a model, and traffic of two kinds.
`make test-long` draws the rest."""


@pytest.mark.parametrize(
    "case", [pytest.param(case, marks=[] if case in OFTEN else [pytest.mark.long]) for case in CASES]
)
def test_every_kind_of_run_is_said_and_drawn_without_a_fault(case: str) -> None:
    tables, words = CASES[case]
    figure = run_figure(traces_of(simulated(**tables)))
    assert words <= said(figure)
    assert faults(figure) == []


@pytest.mark.parametrize(
    "name",
    [
        *(
            pytest.param(n, marks=pytest.mark.long)
            for n in ("call-that-adapts", "cellular", "evening", "free-network", "two-router")
        ),
        "page-during-upload",
    ],
)
def test_examples_are_drawn_without_a_fault(name: str) -> None:
    # A call with a download from 20 s on, and a source from 30 s on.
    duration = "42 s" if name in ("call-that-adapts", "free-network") else "12 s"
    scenario = scenario_of(EXAMPLES / f"{name}.toml", [f"duration={duration}"])
    figure = run_figure(traces_of(execute(job_of(with_series(scenario)))))
    assert faults(figure) == []


def test_what_the_figure_needs_is_recorded_and_what_is_there_stays() -> None:
    plain = scenario_of(
        {
            "bottleneck": {"rate": "8 Mbit/s"},
            "flows": [{"control": "aimd(1, 0.5)"}],
            "duration": "60 s",
            "warmup": "30 s",
        }
    )
    record = with_series(plain).record
    assert (record.windows, record.congestion) == (True, True)
    assert (record.sample, record.rates) == (60 * 10**9 // SAMPLES, 30 * 10**9 // BINS)
    own = with_series(scenario_of(EXAMPLES / "tfrc-and-tcp.toml")).record
    assert own.rates == 200_000_000


def test_one_flow_shows_five_clean_teeth_or_more() -> None:
    """Each tooth: a loss event in the measured part at buffer and path full, then half of it, and no timeout anywhere."""
    traces = traces_of(execute(job_of(with_series(scenario_of(EXAMPLES / "one-flow.toml")))))
    rows = traces.windows.to_pylist()
    cuts = [row for row in rows if row["event"] and row["time_ns"] >= traces.warmup_ns]
    pipe = 10e6 * 0.06 / 8000 + 75
    assert len(cuts) >= 5
    assert {row["event"] for row in cuts} == {1}
    for row in cuts:
        assert row["window_before"] == pytest.approx(pipe, rel=0.03)
        assert row["window"] == pytest.approx(row["window_before"] / 2)
    assert "timeout of a sender" not in traces.signs


def test_states_are_those_of_the_sender_and_their_times_add_up() -> None:
    tables, _ = CASES["BBR"]
    run = simulated(**tables)
    (sender,) = traces_of(run).senders
    assert sender.model is not None
    spent: dict[str, float] = {}
    for name, begin, end in sender.spans:
        inside = max(0.0, end - max(begin, 2.0))
        if inside and name != "fast recovery":
            spent[name] = spent.get(name, 0.0) + inside
    counted = run.to_json()["flows"][0]["states"]
    assert spent == pytest.approx(counted, abs=1e-6)
    assert np.nanmin(sender.model.min_rtt_ms) == pytest.approx(40.0, abs=1.5)
    assert np.nanmax(sender.model.max_bw_bps) == pytest.approx(8e6, rel=0.03)


def test_a_withdrawn_cut_is_counted_once_and_restores_the_window() -> None:
    tables, _ = CASES["a cut that is withdrawn"]
    run = simulated(**tables)
    (sender,) = traces_of(run).senders
    assert sender.undone_s.size == run.flows.column("undos").to_pylist()[0] == 1
    recovery = [(begin, end) for name, begin, end in sender.spans if name == "fast recovery"]
    assert any(begin <= sender.undone_s[0] <= end + 1e-9 for begin, end in recovery)


def test_alpha_begins_at_one_and_comes_to_the_share_that_is_marked() -> None:
    tables, _ = CASES["DCTCP"]
    run = simulated(**tables)
    (sender,) = traces_of(run).senders
    assert sender.marked_share[0] == 1.0
    late = sender.marked_share[sender.times_s > 5.0]
    row = run.flows.to_pylist()[0]
    assert np.mean(late) == pytest.approx(row["marks"] / row["delivered_total"], rel=0.25)


def test_phases_change_nothing_of_the_run() -> None:
    tables, _ = CASES["conservative slow start"]
    with_phases = simulated(**tables)
    engine = with_phases.engine
    plain = {**engine, "record": {**engine["record"], "senders": False}}
    without = simulate(plain, with_phases.meta)
    assert without.flows.equals(with_phases.flows)
    assert without.queues.equals(with_phases.queues)
    spans = traces_of(with_phases).senders[0].spans
    assert [name for name, _, _ in spans][:2] == ["slow start", "conservative slow start"]
    assert all(one[2] <= other[1] + 1e-9 for one, other in pairwise(spans))


def test_signs_are_all_that_was_recorded() -> None:
    tables, _ = CASES["losses that lead to timeouts"]
    run = simulated(**tables)
    traces = traces_of(run)
    lost = run.records["congestion"].column("mark").to_numpy() == 0
    assert traces.signs["packet lost at bottleneck"].size == np.count_nonzero(lost)
    timeouts = run.records["windows"].column("event").to_numpy() == 2
    assert traces.signs["timeout of a sender"].size == np.count_nonzero(timeouts) > 0
    assert not any("marked" in name for name in traces.signs)


def test_signs_of_the_warm_up_are_counted_apart() -> None:
    """Beside a table of the measured part the figure had counted all of the run, unsaid."""
    run = execute(job_of(with_series(scenario_of(EXAMPLES / "one-flow.toml"))))
    traces = traces_of(run)
    every = traces.signs["packet lost at bottleneck"].size
    measured = run.queues.column("test_drops")[0].as_py()
    assert 0 < measured < every
    assert f"packet lost at bottleneck: {every} ({measured} measured)" in said(run_figure(traces))
    within = replace(traces, signs={"a sign": np.array([traces.warmup_ns, traces.warmup_ns + 1])})
    assert "a sign: 2" in said(run_figure(within))
    before = replace(traces, signs={"a sign": np.array([0, traces.warmup_ns - 1])})
    assert "a sign: 2 (none measured)" in said(run_figure(before))


def test_what_is_drawn_of_a_call_is_what_its_report_counts() -> None:
    """Frames that were missed are those of the report; in each bin what came in time is at most what was given."""
    traffic = [{"kind": "media", "control": "nada"}, {"kind": "media", "rate": "600 kbit/s", "count": 2}]
    run = simulated(bottleneck={"rate": "2 Mbit/s", "buffer": "150 packets"}, traffic=traffic)
    for drawn, report in zip(traffic_of(run), run.to_json()["traffic"], strict=True):
        assert isinstance(drawn, CallTrace)
        assert report["late"] > 0
        assert report["incomplete"] > 0
        found = (drawn.frames, drawn.late_s.size, drawn.incomplete_s.size)
        assert found == (report["frames"], report["late"], report["incomplete"])
        assert (drawn.in_time_bps <= drawn.given_bps).all()
        late = drawn.delays_ms[2] > 150.0
        assert late.any()
        assert (drawn.in_time_bps[late] < drawn.given_bps[late]).all()
    steady = traffic_of(run)[1]
    assert isinstance(steady, CallTrace)
    assert steady.given_bps == pytest.approx(2 * 600e3)
    # Forty milliseconds from packet to packet, so one begins on the last edge, which is a second before the end.
    regular = simulated(duration="7 s", traffic=[{"kind": "udp", "rate": "200 kbit/s"}])
    (udp,) = traffic_of(regular)
    assert isinstance(udp, CallTrace)
    assert udp.edges_s[-1] == pytest.approx(6.0)
    assert udp.given_bps == pytest.approx(200e3)
    # The last frame that counts begins a deadline before the end of the run, and less than a frame before the last edge.
    last_s = run.engine["duration_ns"] / 1e9 - 0.15
    assert last_s - 1200 * 8 * 2 / 600e3 <= steady.edges_s[-1] <= last_s


def test_what_is_drawn_of_users_is_what_their_reports_count() -> None:
    traffic = [
        {"kind": "finite", "size": "30 kB", "every": "200 ms"},
        {"kind": "web", "objects": 4, "think": "300 ms"},
        {"kind": "video", "rates": ["12 Mbit/s"], "chunk": "1 s"},
        {"kind": "paced", "rate": "500 kbit/s"},
    ]
    run = simulated(traffic=traffic)
    drawn, reports = traffic_of(run), run.to_json()["traffic"]
    for group, report in zip(drawn[:2], reports[:2], strict=True):
        assert isinstance(group, LoadsTrace)
        measured = group.took_s[(group.start_s >= 2.0) & ~np.isnan(group.took_s)]
        assert measured.size == report["started"] - report["unfinished"] > 0
        assert measured.mean() == pytest.approx(report["completion_s"]["mean"])
    film, paced = drawn[2:]
    assert isinstance(film, FilmTrace)
    (viewer,) = reports[2]["viewers"]
    assert sum(end - begin for begin, end in film.stalls) == pytest.approx(viewer["stalled_s"])
    assert viewer["stalls"] == len(film.stalls) > 0
    assert isinstance(paced, PacedTrace)
    delivered_bits = np.sum(paced.delivered_bps * np.diff(paced.edges_s))
    assert delivered_bits == pytest.approx(
        8.0 * reports[3]["goodput_bps"], abs=8_000
    )  # of 8 s, within a packet
    assert paced.offered_bps == pytest.approx(reports[3]["offered_bps"])


def test_losses_at_other_queues_are_said() -> None:
    tables, _ = CASES["a ring of four bottlenecks"]
    run = simulated(**tables)
    lost = sum(run.flows.column("drops_elsewhere").to_pylist())
    assert lost > 0
    assert (
        traces_of(run).note
        == f"{lost:,} measured packets were lost at queues other than bottleneck/0; the times of these losses are not recorded"
    )


def test_losses_beside_every_queue_are_seen_by_the_senders() -> None:
    traces = traces_of(simulated(path={"drop": "bernoulli(0.01)"}, duration="5 s"))
    assert traces.signs["loss event of a sender"].size > 0


def test_a_flow_is_drawn_from_its_start_on() -> None:
    traces: Traces = traces_of(simulated(flows=[{"control": "aimd(1, 0.5)", "start": "3 s"}]))
    assert min(traces.windows.column("time_ns").to_pylist()) >= 3 * 10**9


def windows(rows: Sequence[tuple[int, int, int, float, float]]) -> pa.Table:
    """Rows of flow, time (s), event, window before and window."""
    flow, time_s, event, before, window = map(list, zip(*rows, strict=True))
    return pa.table(
        {
            "flow": pa.array(flow, pa.int64()),
            "time_ns": pa.array([int(second * 1e9) for second in time_s], pa.int64()),
            "event": pa.array(event, pa.int64()),
            "window_before": pa.array(before, pa.float64()),
            "window": pa.array(window, pa.float64()),
            "ssthresh": pa.array([np.inf] * len(rows), pa.float64()),
        }
    )


def test_what_lasts_for_a_moment_does_not_flatten_the_teeth() -> None:
    # Ten of five hundred measured samples are what slow start left behind.
    rows = [(0, 10 + second, 0, 0.0, 400.0 if second < 10 else 50.0) for second in range(500)]
    limit, highest = trace_panels.window_limit(windows(rows), int(10e9))
    assert (limit, highest) == (trace_panels.HEAD_ROOM * trace_panels.OVERSHOOT * 50.0, 400.0)


def test_the_measured_part_alone_makes_the_scale_of_a_queue() -> None:
    times = np.arange(100, dtype=np.int64) * int(1e9)
    backlog = np.where(times < 10e9, 300.0, 20.0)
    axes = Figure().subplots()
    trace_panels.queue(axes, QueueTrace("bottleneck", "droptail", times, backlog, buffer=320.0), int(10e9))
    assert axes.get_ylim()[1] == pytest.approx(trace_panels.HEAD_ROOM * 20.0)
    legend = axes.get_legend()
    assert legend is not None
    entries = {text.get_text().replace("\n", " ") for text in legend.get_texts()}
    assert {"above the scale, up to 300", "buffer: 320 packets, above the scale"} <= entries


def test_flows_of_a_kind_show_their_decreases_alike() -> None:
    many = [(0, second, 1, 10.0, 5.0) for second in range(trace_panels.CROWD + 1)]
    few = [(flow, second, 1, 10.0, 5.0) for flow in (1, 2) for second in range(3)]
    kinds = ("aimd(1, 0.5), sack", "aimd(1, 0.5), sack", "cubic, rack")
    traces = simulated_like(
        [FlowTrace(number, kind) for number, kind in enumerate(kinds)], windows([*many, *few])
    )
    signs = []
    for flow in traces.flows:
        axes = Figure().subplots()
        trace_panels.window_strip(axes, traces, flow, (12.0, 10.0))
        signs.append(sum(line.get_marker() == "v" for line in axes.lines))
    assert signs == [0, 0, 1]


def simulated_like(flows: list[FlowTrace], table: pa.Table) -> Traces:
    """A figure of these windows alone."""
    return replace(traces_of(simulated()), flows=flows, windows=table)
