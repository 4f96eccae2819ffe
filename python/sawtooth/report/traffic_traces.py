"""What the figure of a run shows of `[[traffic]]`, read from the run and its recorded series (``traffic_panels`` draws it).

    >>> import sawtooth as st
    >>> from sawtooth.report.run_traces import with_series
    >>> scenario = with_series(st.load_scenario("examples/call-that-adapts.toml"))
    >>> [panel.title for panel in traffic_of(st.run(scenario))]
    ['traffic 0: media, nada(rmax = 2500)']

| kinds                          | of the series           | what is shown                                                              |
|--------------------------------|-------------------------|----------------------------------------------------------------------------|
| media, udp                     | frames                  | rate that was given and rate that arrived in time, delays, what was missed  |
| finite                         | completions             | each transfer: when it began, how long it took                             |
| request-response, web          | transactions            | each answer or page: when it was asked for, how long it took               |
| video                          | transactions            | the rate of each chunk, and when there was no picture                      |
| paced                          | rates                   | rate that was offered and rate that was delivered                          |

Source: none; the quantities are those of the reports (``sawtooth.run.traffic_report``).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, TypeAlias

import numpy as np

from sawtooth.scenario.described import describe
from sawtooth.scenario.traffic import NO_DEADLINE_NS

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from sawtooth.measure.run_data import RunData

Real: TypeAlias = "NDArray[np.float64]"

FRAMES_LEAST: Final = 10
"""Frames of a stream that a bin holds at least: with fewer, a rate would show single frames."""
NS: Final = 1e9
WORDS: Final = {"finite": "transfer", "request-response": "answer", "web": "page"}
"""What users of a kind wait for."""


@dataclass(frozen=True)
class CallTrace:
    """A group of streams: bit rates in bins, delays of frames (ms: least, median, most of each bin; NaN without one), when frames began
    that came too late, and frames of which a part never came. Of `udp` a frame is a packet, and nothing is too late."""

    title: str
    edges_s: Real
    given_bps: Real
    in_time_bps: Real
    delays_ms: Real
    late_s: Real
    incomplete_s: Real
    frames: int
    deadline_ms: float | None = None


@dataclass(frozen=True)
class LoadsTrace:
    """A group of which each member waits for something: when each began, and how long it took; NaN of what never ended."""

    title: str
    word: str
    start_s: Real
    took_s: Real


@dataclass(frozen=True)
class FilmTrace:
    """A group of viewers: of each when its chunks were asked for and at which rate, the rates there are, and when pictures were missing."""

    title: str
    viewers: Sequence[tuple[Real, Real]]
    rates_bps: Sequence[float]
    stalls: Sequence[tuple[float, float]]
    end_s: float


@dataclass(frozen=True)
class PacedTrace:
    """A group of flows that their application limits: what it offers them, and what arrives, in bins, all flows together."""

    title: str
    edges_s: Real
    offered_bps: Real
    delivered_bps: Real


TrafficTrace = CallTrace | LoadsTrace | FilmTrace | PacedTrace


def traffic_of(run: RunData) -> list[TrafficTrace]:
    """A trace of each group, in the order of the scenario; of streams only if `frames` was recorded."""
    found: list[TrafficTrace] = []
    for number, entry in enumerate(run.meta.get("traffic", ())):
        kind = entry["kind"]
        title = f"traffic {number}: {kind}"
        if kind in ("media", "udp"):
            if "frames" in run.records:
                found.append(_call(run, entry, title))
        elif kind == "finite":
            found.append(_transfers(run, entry, title))
        elif kind == "video":
            found.append(_film(run, entry, title))
        elif kind == "paced":
            found.append(_paced(run, entry, title))
        else:
            found.append(_loads(run, entry, title))
    return found


def _bins(run: RunData, start: Real, end_ns: float) -> Real:
    """Edges of bins from the end of the warm-up on, ns, for a stream whose frames begin at ``start``. A bin has as many frames as the width
    of the other bins needs, and a rate. The last has those that are left over too, so that it ends with the last frame."""
    gap = float(np.median(np.diff(start))) if start.size > 1 else NS
    width = gap * max(FRAMES_LEAST, float(np.ceil(run.engine["record"]["rates_ns"] / gap)))
    begin = run.engine["warmup_ns"]
    edges = begin + width * np.arange(max(1, int((end_ns - begin) // width)) + 1)
    edges[-1] += gap * max(0.0, float((end_ns - edges[-1]) // gap))
    return np.asarray(edges, dtype=np.float64)


def _summed(start: Real, amount: Real, edges: Real) -> Real:
    """bit/s in bins of what began in them, bytes. What begins on an edge belongs to the bin behind it, also on the last."""
    sums, _ = np.histogram(start, np.append(edges, np.inf), weights=8.0 * amount)
    return np.asarray(sums[:-1] * NS / np.diff(edges), dtype=np.float64)


def _call(run: RunData, entry: Mapping[str, Any], title: str) -> CallTrace:
    table, rows = run.records["frames"], list(entry["streams"])
    mine = np.isin(table.column("stream").to_numpy(), rows)
    start = table.column("start_ns").to_numpy()[mine].astype(np.float64)
    delay = table.column("delay_ns").to_numpy()[mine].astype(np.float64)
    whole = delay >= 0
    size = _packet_bytes(run, rows[0])
    given = size * table.column("packets").to_numpy()[mine]
    came = size * table.column("received").to_numpy()[mine]
    is_call = entry["kind"] == "media"
    deadline = float(entry["deadline_ns"]) if is_call else np.inf
    in_time = whole & (delay <= deadline)
    first = table.column("stream").to_numpy()[mine] == rows[0]
    watched = run.engine["duration_ns"] - (deadline if is_call else NO_DEADLINE_NS)
    edges = _bins(run, start[first], watched)
    delays = np.full((3, edges.size - 1), np.nan)
    place = np.searchsorted(edges, start, side="right") - 1
    for each in np.unique(place[whole & (place < edges.size - 1)]):
        delays[:, each] = np.quantile(delay[whole & (place == each)] / 1e6, (0.0, 0.5, 1.0))
    if "flows" in entry:
        title += f", {_brief(run.flows.column('controller')[entry['flows'][0]].as_py())}"
    if len(rows) > 1:
        title += f", {len(rows)} streams"
    return CallTrace(
        title=title,
        edges_s=edges / NS,
        given_bps=_summed(start, given, edges),
        in_time_bps=_summed(start, np.where(in_time, given, 0.0) if is_call else came, edges),
        delays_ms=delays,
        late_s=start[whole & ~in_time] / NS,
        incomplete_s=start[~whole] / NS,
        frames=int(start.size),
        deadline_ms=deadline / 1e6 if is_call else None,
    )


def _brief(control: str) -> str:
    """A controller with named numbers, of these only those that differ from their defaults."""
    name, _, numbers = control.rstrip(")").partition("(")
    known = next(row["parameters"] for row in describe()["controllers"] if row["name"] == name)
    given = zip(known, numbers.split(","), strict=False)
    told = [f"{row['name']} = {text.strip()}" for row, text in given if float(text) != row["default"]]
    return f"{name}({', '.join(told)})" if told else name


def _packet_bytes(run: RunData, stream: int) -> float:
    """Of a stream, by its row in `streams`: sources with frames, then flows whose frames are watched."""
    engine = run.engine
    sizes = [source["packet_bytes"] for source in engine["sources"] if "frames" in source]
    flows = (flow for flow in engine["flows"] if "frame_deadline_ns" in flow)
    sizes += [engine["profiles"][flow["profile"]]["packet_bytes"] for flow in flows]
    return float(sizes[stream])


def _transfers(run: RunData, entry: Mapping[str, Any], title: str) -> LoadsTrace:
    """Transfers that came to their end; of others no time is recorded."""
    table = run.records["completions"]
    mine = table.column("process").to_numpy() == entry["arrivals"]
    start, took = (table.column(name).to_numpy()[mine] / NS for name in ("start_ns", "completion_ns"))
    return LoadsTrace(title, WORDS["finite"], start, took)


def _loads(run: RunData, entry: Mapping[str, Any], title: str) -> LoadsTrace:
    table = run.records["transactions"]
    mine = np.isin(table.column("app").to_numpy(), entry["apps"])
    start = table.column("start_ns").to_numpy()[mine] / NS
    took = table.column("duration_ns").to_numpy()[mine].astype(np.float64)
    if len(entry["apps"]) > 1:
        title += f", {len(entry['apps'])} users"
    return LoadsTrace(title, WORDS[entry["kind"]], start, np.where(took < 0, np.nan, took / NS))


def _film(run: RunData, entry: Mapping[str, Any], title: str) -> FilmTrace:
    table = run.records["transactions"]
    viewers, stalls = [], []
    for app in entry["apps"]:
        rows = [row for row in table.to_pylist() if row["app"] == app]
        viewers.append(
            (
                np.array([row["start_ns"] for row in rows], dtype=np.float64) / NS,
                np.array([row["rate_bps"] for row in rows], dtype=np.float64),
            )
        )
        for row in rows:
            if row["duration_ns"] >= 0 and row["stalled_ns"] > 0:
                end = row["start_ns"] + row["duration_ns"]
                stalls.append(((end - row["stalled_ns"]) / NS, end / NS))
    if len(viewers) > 1:
        title += f", {len(viewers)} viewers"
    ladder = run.engine["apps"][entry["apps"][0]]["task"]["rates_bps"]
    return FilmTrace(title, viewers, ladder, stalls, run.engine["duration_ns"] / NS)


def _paced(run: RunData, entry: Mapping[str, Any], title: str) -> PacedTrace:
    rates, width = run.records["rates"], int(run.engine["record"]["rates_ns"])
    mine = np.isin(rates.column("flow").to_numpy(), entry["flows"])
    ends, place = np.unique(rates.column("time_ns").to_numpy()[mine], return_inverse=True)
    packets = np.zeros(ends.size)
    np.add.at(packets, place, rates.column("delivered_packets").to_numpy()[mine])
    size = float(run.flows.column("packet_bytes")[entry["flows"][0]].as_py())
    edges = np.concatenate([ends[:1] - width, ends]).astype(np.float64)
    on = np.clip(
        np.minimum(edges[1:], entry["stop_ns"]) - np.maximum(edges[:-1], entry["start_ns"]), 0.0, None
    )
    count = len(entry["flows"])
    if count > 1:
        title += f", {count} flows"
    return PacedTrace(
        title, edges / NS, count * entry["rate_bps"] * on / width, packets * size * 8.0 * NS / width
    )
