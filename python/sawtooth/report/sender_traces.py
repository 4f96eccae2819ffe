"""What senders were doing over time, read from the recorded series ``senders`` and ``model``: their states as spans, rates and estimates.

    >>> import sawtooth as st
    >>> run = st.run("examples/one-flow.toml", set={"record.senders": True})
    >>> [name for name, begin, end in senders_of(run, flows=[0])[0].spans[:2]]
    ['slow start', 'fast recovery']

A controller that is a state machine shows its own states; any other shows the phase of its sender. Times of states are exact, rates and
estimates those of the samples.

Source: none; RFC 5681 and RFC 9406 (phases), draft-ietf-ccwg-bbr §2 (states and estimates).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, TypeAlias

import numpy as np
import pyarrow as pa

from sawtooth.scenario.described import describe

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from sawtooth.measure.run_data import RunData

Real: TypeAlias = "NDArray[np.float64]"

SAMPLE: Final = 0
UNDONE: Final = 2
"""Codes of `senders.event`."""
PHASES: Final = ("", "slow start", "conservative slow start", "fast recovery")
"""By code of `senders.phase`; nothing is drawn of a sender that is in none."""
RECOVERY: Final = PHASES[3]

Spans = Sequence[tuple[str, float, float]]
"""Name, begin and end (s) of each state, in order."""


@dataclass(frozen=True)
class ModelTrace:
    """What a controller with a model of its path believed at the samples; NaN: nothing, or no bound. Bounds are packets."""

    times_s: Real
    max_bw_bps: Real
    bw_shortterm_bps: Real
    min_rtt_ms: Real
    inflight_longterm: Real
    inflight_shortterm: Real


@dataclass(frozen=True)
class SenderTrace:
    """What a sender was doing: its states, and at the samples its rates (bit/s) and the share of marked bytes that it goes by; NaN where
    there is none. ``undone_s`` is when it withdrew a cut."""

    flow: int
    spans: Spans
    times_s: Real
    pacing_bps: Real
    delivery_bps: Real
    marked_share: Real
    undone_s: Real
    model: ModelTrace | None = None


def senders_of(run: RunData, flows: Iterable[int]) -> list[SenderTrace]:
    """Of each of the flows, what its sender was doing; none where that was not recorded."""
    if "senders" not in run.records:
        return []
    return [_sender(run, flow) for flow in flows]


def undone(run: RunData) -> NDArray[np.int64]:
    """When cuts were withdrawn, ns."""
    if "senders" not in run.records:
        return np.zeros(0, np.int64)
    rows = run.records["senders"]
    withdrawn = rows.column("event").to_numpy() == UNDONE
    times: NDArray[np.int64] = rows.column("time_ns").to_numpy()[withdrawn]
    return times


def _sender(run: RunData, flow: int) -> SenderTrace:
    rows = _of_flow(run.records["senders"], flow)
    rows = rows.filter(pa.array(rows.column("time_ns").to_numpy() >= run.engine["flows"][flow]["start_ns"]))
    event = rows.column("event").to_numpy()
    samples = rows.filter(pa.array(event == SAMPLE))
    model = _of_flow(run.records["model"], flow) if "model" in run.records else None
    end_s = run.engine["duration_ns"] / 1e9
    spans = _spans(rows, "phase", PHASES, end_s)
    if model is not None and model.num_rows:
        names = _state_names()
        own = _spans(model, "state", names, end_s)
        spans = [*own, *(span for span in spans if span[0] == RECOVERY)]
    return SenderTrace(
        flow=flow,
        spans=spans,
        times_s=_seconds(samples),
        pacing_bps=_there(samples, "pacing_bps"),
        delivery_bps=_there(samples, "delivery_bps"),
        marked_share=_there(samples, "marked_share"),
        undone_s=_seconds(rows)[event == UNDONE],
        model=_model(model, _packet_bytes(run, flow)) if model is not None and model.num_rows else None,
    )


def _of_flow(table: pa.Table, flow: int) -> pa.Table:
    return table.filter(pa.array(table.column("flow").to_numpy() == flow))


def _seconds(rows: pa.Table) -> Real:
    return np.asarray(rows.column("time_ns").to_numpy() / 1e9, dtype=np.float64)


def _there(rows: pa.Table, name: str, scale: float = 1.0) -> Real:
    """A column in which -1 stands for nothing, with NaN in its place."""
    values = rows.column(name).to_numpy()
    return np.where(values < 0, np.nan, values * scale)


def _state_names() -> tuple[str, ...]:
    columns = next(row for row in describe()["series"] if row["name"] == "model")["columns"]
    return tuple(next(column for column in columns if column["name"] == "state")["codes"])


def _packet_bytes(run: RunData, flow: int) -> int:
    return int(run.engine["profiles"][run.engine["flows"][flow]["profile"]]["packet_bytes"])


def _spans(rows: pa.Table, column: str, names: Sequence[str], end_s: float) -> list[tuple[str, float, float]]:
    """Stretches of rows with the same code; those whose code has no name are left out."""
    codes, seconds = rows.column(column).to_numpy(), _seconds(rows)
    if codes.size == 0:
        return []
    begins = np.concatenate([[0], np.flatnonzero(np.diff(codes)) + 1])
    ends = np.append(seconds[begins[1:]], end_s)
    found = zip(codes[begins].tolist(), seconds[begins].tolist(), ends.tolist(), strict=True)
    return [(names[code], begin, end) for code, begin, end in found if names[code]]


def _model(rows: pa.Table, packet_bytes: int) -> ModelTrace:
    return ModelTrace(
        times_s=_seconds(rows),
        max_bw_bps=_there(rows, "max_bw_bps"),
        bw_shortterm_bps=_there(rows, "bw_shortterm_bps"),
        min_rtt_ms=_there(rows, "min_rtt_ns", 1e-6),
        inflight_longterm=_there(rows, "inflight_longterm_bytes", 1.0 / packet_bytes),
        inflight_shortterm=_there(rows, "inflight_shortterm_bytes", 1.0 / packet_bytes),
    )
