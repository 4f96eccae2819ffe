"""What a study keeps of a run beside its metrics: quantities of a part of the run, or of a group of its flows.

    >>> import sawtooth as st
    >>> run = st.run("examples/one-flow.toml", set={"record.rates": "100 ms"})
    >>> Measure.parse("jain 15..60 s")(run)
    1.0

Source: [Jain84] eq. 1 for `jain`; `flow_rates` and `responses` say theirs; the others are defined here. A measure is written as its
name, a level where it has one (`below 0.7`), the width of its bins where it has any (`at 0.2 s`), the group of flows it is about (by
number, `of 1`) and the part of the run it is taken over; without the last it is the run after its warm-up.

| measure       | unit | what                                                                                       | record  |
|---------------|------|--------------------------------------------------------------------------------------------|---------|
| goodput       | 1    | as the metric: wire bytes of unique packets delivered over the available bandwidth         | rates   |
| jain          | 1    | Jain's index of the goodputs of the flows that were present                                | rates   |
| share of G    | 1    | mean goodput of the group's flows over that of all flows present: 1 is a fair share        | rates   |
| settling of G | s    | from the group's first start until its flows together have half a fair share in a bin      | rates   |
| synchronised  | 1    | mean over the congestion epochs of the share of the flows present that decreased           | windows |
| ratio of G    | 1    | mean goodput of the group's flows over that of the other test flows                        | rates   |
| lowest of G   | 1    | goodput of the group's slowest flow over the mean of all flows present                     | rates   |
| highest of G  | 1    | the same of its fastest flow                                                               | rates   |

Further measures, of how rates vary and of how flows answer a change, stand in `flow_rates` and `responses`.

Flows that never settle count as if they did at the end of the part.
A flow is *present* in a part of a run of which it was on for nine tenths at least. A congestion epoch begins with a decrease; decreases
within a round trip over a full queue of it (the longest of the flows) belong to it.
Bins of the rates must fit the parts: one that reaches over an end belongs to neither side.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as np

from sawtooth.column_values import values_of
from sawtooth.measure import flow_rates, responses
from sawtooth.measure.run_part import ONE_FLOW, SAMPLE, Known, RunPart
from sawtooth.scenario.fields import JsonSchema, Parsed
from sawtooth.scenario.record_fields import recorded_series
from sawtooth.scenario.units import format_time, parse_time

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from numpy.typing import NDArray

    from sawtooth.measure.run_data import RunData

_FORM = re.compile(
    r"(\w+)(?: (\d+(?:\.\d+)?))?(?: at (\d+(?:\.\d+)? ?[a-z]+))?(?: of (\d+))?(?: ([\d.]+)\.\.([\d.]+ ?\w+))?"
)

ONE = ("growth", "climb", "halving")
"""Measures of one flow."""


def goodput(part: RunPart) -> float:
    """Goodput of the flows together over the bandwidth available to them, as in the metric; flows that are away have their share too."""
    own = part.of_group()
    available = part.available_bps() * int(own.sum())
    return float(part.goodputs()[own].sum() / available) if available else float("nan")


def jain(part: RunPart) -> float:
    """Jain's index of the flows present (of the group); NaN without any, or where nothing was delivered."""
    goodputs = part.goodputs()[part.present() & part.of_group()]
    squares = goodputs.size * float((goodputs**2).sum())
    return float(goodputs.sum()) ** 2 / squares if squares else float("nan")


def share(part: RunPart) -> float:
    """Mean goodput of the group's flows present over that of all flows present; NaN where there is none."""
    goodputs, present = part.goodputs(), part.present()
    own = goodputs[present & part.of_group()]
    return float(own.mean() / goodputs[present].mean()) if own.size else float("nan")


def ratio(part: RunPart) -> float:
    """Mean goodput of the group's flows over that of the other test flows; NaN where there is none, or they get nothing."""
    goodputs, own, present = part.goodputs(), part.of_group(), part.present()
    others = goodputs[present & ~own]
    if not (own & present).any() or not others.any():
        return float("nan")
    return float(goodputs[own & present].mean() / others.mean())


def lowest(part: RunPart) -> float:
    """Goodput of the group's slowest flow over the mean of all flows present; NaN where none of the group is."""
    found = _relative(part)
    return float(found.min()) if found.size else float("nan")


def highest(part: RunPart) -> float:
    """Goodput of the group's fastest flow over the mean of all flows present; NaN where none of the group is."""
    found = _relative(part)
    return float(found.max()) if found.size else float("nan")


def _relative(part: RunPart) -> NDArray[np.float64]:
    goodputs, present = part.goodputs(), part.present()
    return np.asarray(goodputs[present & part.of_group()] / goodputs[present].mean(), dtype=np.float64)


def settling(part: RunPart) -> float:
    """Time from the group's first start until a bin in which its flows have half a fair share on average, s; NaN where none of them starts
    before the end of the part."""
    rows, own = part.rows(), part.of_group()
    start = min(
        (row["start_ns"] for row, chosen in zip(rows, own, strict=True) if chosen), default=part.end_ns
    )
    if start >= part.end_ns:
        return float("nan")
    times, bits = part.bins()
    on = np.stack(
        [(times > row["start_ns"]) & (times - part.width_ns < part.stop_of(row)) for row in rows], axis=1
    )
    on &= np.array([row["test"] for row in rows])
    everyone = np.divide(
        (bits * on).sum(axis=1), on.sum(axis=1), out=np.zeros(times.size), where=on.any(axis=1)
    )
    reached = (times > start) & (bits[:, own].mean(axis=1) >= everyone / 2)
    first = times[reached][0] if reached.any() else part.end_ns
    return float(first - start) / 1e9


def synchronised(part: RunPart) -> float:
    """Mean share of the flows present (of the group) that decrease in an epoch; NaN where nothing decreased."""
    windows, present = part.record("windows"), np.flatnonzero(part.present() & part.of_group())
    times, flows = values_of(windows.column("time_ns")), values_of(windows.column("flow"))
    cut = values_of(windows.column("event")) != SAMPLE
    cut &= (times >= part.begin_ns) & (times < part.end_ns) & np.isin(flows, present)
    times, flows = times[cut], flows[cut]
    span, place, shares = _round_trip_ns(part), 0, []
    while place < times.size:
        stop = int(np.searchsorted(times, times[place] + span, side="right"))
        shares.append(np.unique(flows[place:stop]).size / present.size)
        place = stop
    return float(np.mean(shares)) if shares else float("nan")


def _round_trip_ns(part: RunPart) -> int:
    """The longest propagation time and a full queue at the bottleneck."""
    bottleneck = part.run.meta["resolved"]["bottleneck"]
    size = int(part.run.flows.column("packet_bytes")[0].as_py())
    packets, size_bytes = bottleneck["buffer_packets"], bottleneck["buffer_bytes"]
    full = size_bytes if packets is None else packets * size
    longest = max(row["rtt_ns"] for row in part.rows())
    return int(longest + full * 8 * 10**9 // part.run.meta["capacity_bps"])


@dataclass(frozen=True)
class Measure(Parsed):
    """A measure as a study writes it; called with a run it gives the number, NaN where it is undefined."""

    name: str
    group: int | None
    begin_ns: int
    end_ns: int | None
    level: float | None = None
    bin_ns: int | None = None

    FUNCTIONS: ClassVar[Mapping[str, Callable[[RunPart], float]]] = {
        "goodput": goodput,
        "jain": jain,
        "share": share,
        "settling": settling,
        "synchronised": synchronised,
        "ratio": ratio,
        "lowest": lowest,
        "highest": highest,
        "loss": flow_rates.loss,
        "variation": flow_rates.variation,
        "roughness": flow_rates.roughness,
        "below": flow_rates.below,
        "growth": responses.growth,
        "climb": responses.climb,
        "halving": responses.halving,
        "time_to_halve": responses.time_to_halve,
        "time_to_regain": responses.time_to_regain,
        "drop_rate": responses.drop_rate,
        "stabilisation": responses.stabilisation,
    }
    NEEDS: ClassVar[Mapping[str, tuple[str, ...]]] = {
        "variation": ("bins",),
        "roughness": ("bins",),
        "below": ("level", "bins"),
        "time_to_halve": ("bins",),
        "time_to_regain": ("bins",),
        "stabilisation": ("bins",),
    }
    """What must stand behind a name: the width of its bins, a level."""
    RECORDS: ClassVar[Mapping[str, tuple[str, ...]]] = {
        **dict.fromkeys(("synchronised", "growth", "climb", "halving"), ("windows",)),
        **dict.fromkeys(("drop_rate", "stabilisation"), ("rates", "congestion")),
        "loss": (),
    }
    """The series that a measure reads, where it is not the rates alone."""
    BEFORE_NS: ClassVar[Mapping[str, int]] = {
        "time_to_halve": responses.BEFORE_NS,
        "time_to_regain": responses.BEFORE_NS + responses.SQUARE_NS,
    }
    """How far a measure looks back before its part."""
    ACCEPTED: ClassVar[str] = (
        f'one of {", ".join(FUNCTIONS)}, with a group ("share of 1") and a part of the run ("jain 15..60 s") where wanted, and with '
        f'bins ("variation at 0.2 s") for {", ".join(NEEDS)}, a level ("below 0.7 at 0.2 s") for below'
    )

    @classmethod
    def parse(cls, value: object) -> Self:
        found = _FORM.fullmatch(value) if isinstance(value, str) else None
        if found is None or found[1] not in cls.FUNCTIONS:
            raise ValueError(cls.ACCEPTED)
        name, level, bins, group, begin, end = found.groups()
        wanted = cls.NEEDS.get(name, ())
        if [level is not None, bins is not None] != ["level" in wanted, "bins" in wanted]:
            raise ValueError(cls.ACCEPTED)
        unit = "s" if end is None else re.sub(r"^[\d.]+ ?", "", end)
        begin_ns, end_ns = parse_time(f"{begin or 0} {unit}"), None if end is None else parse_time(end)
        if end_ns is not None and end_ns <= begin_ns:
            raise ValueError(f"{cls.ACCEPTED}; a part ends after it begins")
        return cls(
            name,
            None if group is None else int(group),
            begin_ns,
            end_ns,
            None if level is None else float(level),
            None if bins is None else parse_time(bins),
        )

    @classmethod
    def schema(cls) -> JsonSchema:
        return {"type": "string", "description": cls.ACCEPTED}

    def text(self) -> str:
        level = "" if self.level is None else f" {self.level:g}"
        bins = "" if self.bin_ns is None else f" at {format_time(self.bin_ns)}"
        group = "" if self.group is None else f" of {self.group}"
        return f"{self.name}{level}{bins}{group}{self.part_text()}"

    def part_text(self) -> str:
        """The part of the run, as written; nothing for the whole."""
        if self.end_ns is None:
            return ""
        return f" {self.begin_ns / 1e9:g}..{format_time(self.end_ns)}"

    def lacks(self, engine: Mapping[str, Any], meta: Mapping[str, Any]) -> str | None:
        """What a resolved scenario would have to have for the measure to be taken; None if it has all of it."""
        recorded, wanted = recorded_series(engine), self.RECORDS.get(self.name, ("rates",))
        missing = [name for name in wanted if name not in recorded]
        if missing:
            return f"a measure of what is recorded: it needs record.{' and record.'.join(missing)}"
        width = engine["record"].get("rates_ns")
        if self.bin_ns is not None and width and self.bin_ns % width:
            return f"bins of whole {format_time(width)}, the width of record.rates"
        flows = [row["group"] for row in meta["resolved"]["flows"] if row["test"]]
        if self.name in ONE and sum(self.group in (None, group) for group in flows) > 1:
            return ONE_FLOW
        warmup, last = int(engine["warmup_ns"]), int(engine["duration_ns"])
        if self.end_ns is not None and self.end_ns > last:
            return f"a part that ends at {format_time(last)} or earlier: so does the run"
        bin_ns = self.bin_ns or (width if "rates" in wanted else None) or 0
        if self.end_ns is not None and self.end_ns - self.begin_ns < bin_ns:
            return f"a part of {format_time(bin_ns)} at least, as long as a bin"
        first = warmup + self.BEFORE_NS.get(self.name, 0)
        if "rates" in wanted and (warmup if self.end_ns is None else self.begin_ns) < first:
            return (
                f"a part that begins at {format_time(first)} or later: rates are recorded after the warm-up"
            )
        if self.name == "goodput" and "cross" in meta:
            return "another measure: what short flows leave is known of the whole run alone (metric goodput)"
        return None

    def __call__(self, run: RunData, known: Known | None = None) -> float:
        """Its value in a run; ``known`` is shared by all measures of that run."""
        whole = self.end_ns is None
        begin = int(run.engine["warmup_ns"]) if whole else self.begin_ns
        end = int(run.engine["duration_ns"]) if self.end_ns is None else self.end_ns
        return self.FUNCTIONS[self.name](
            RunPart(run, begin, end, self.group, self.level, self.bin_ns, {} if known is None else known)
        )
