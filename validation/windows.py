"""One flow alone, its window decrease by decrease and its growth acknowledgement by acknowledgement, against ns-2.

Source: ns-2 2.35, data/ns2_decreases.csv and data/ns2_growth.csv: eight laws under SACK and under Reno, the first decreases of each.

A decrease is compared in the window before and after it. For growth the window is taken where it first reaches ns-2's value after its
second decrease, and again one window of acknowledgements later. The bottleneck is busy then, so one acknowledgement arrives every
400 microseconds, and a sample every 400 microseconds sees each of them.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

from sawtooth.run.run import Run
from sawtooth.scenario.resolve import Resolved
from validation.runs import decreases, job, runs, table

WITHIN_PACKETS: Final = 2.0
"""Most that a window may differ at a decrease."""
GROWTH_S: Final = 25.0
"""By then every law has grown past the moment that ns-2 lists."""
SAMPLE: Final = "0.4 ms"


@dataclass(frozen=True)
class Decrease:
    """One decrease on both sides; times in s, windows in packets."""

    number: int
    ns2_time_s: float
    ns2_before: float
    ns2_after: float
    time_s: float
    before: float
    after: float
    event: int

    @property
    def difference(self) -> float:
        """The larger of the differences before and after, in packets."""
        return max(abs(self.before - self.ns2_before), abs(self.after - self.ns2_after))


@dataclass(frozen=True)
class Law:
    """One law under one recovery. `count` and `ns2_count` are decreases in 60 s."""

    recovery: str
    control: str
    decreases: tuple[Decrease, ...]
    count: int
    ns2_count: int
    growth: tuple[float, float] | None
    """The window at the start, and one window of acknowledgements later; None where ns-2 lists no growth."""
    ns2_growth: tuple[float, float] | None

    @property
    def difference(self) -> float:
        """The largest difference at a decrease, in packets."""
        return max(decrease.difference for decrease in self.decreases)

    @property
    def later_s(self) -> float:
        """The largest difference in time, s."""
        return max(abs(decrease.time_s - decrease.ns2_time_s) for decrease in self.decreases)


def measure() -> list[Law]:
    """Every law that ns-2 lists."""
    laws = table("ns2_growth")
    whole = runs(_job(row) for row in laws)
    sampled = runs(
        _job(row, {"duration": f"{GROWTH_S:g} s", "record.sample": SAMPLE}) for row in laws if row["window"]
    )
    growths = {
        (row["recovery"], row["control"]): run for row, run in zip(_growing(laws), sampled, strict=True)
    }
    return [
        _law(row, run, growths.get((row["recovery"], row["control"])))
        for row, run in zip(laws, whole, strict=True)
    ]


def _growing(laws: list[dict[str, str]]) -> list[dict[str, str]]:
    return [row for row in laws if row["window"]]


def _job(row: dict[str, str], values: dict[str, Any] | None = None) -> Resolved:
    own = {"flows[0].control": row["control"], "flows[0].recovery": row["recovery"]}
    return job("ns2_single_flow", own | (values or {}))


def _law(row: dict[str, str], run: Run, sampled: Run | None) -> Law:
    ours = decreases(run)
    listed = [
        other
        for other in table("ns2_decreases")
        if (other["recovery"], other["control"]) == (row["recovery"], row["control"])
    ]
    return Law(
        recovery=row["recovery"],
        control=row["control"],
        decreases=tuple(
            Decrease(
                number,
                float(other["time_s"]),
                float(other["before"]),
                float(other["after"]),
                own["time_s"],
                own["before"],
                own["after"],
                own["event"],
            )
            for number, (other, own) in enumerate(zip(listed, ours, strict=False), start=1)
        ),
        count=len(ours),
        ns2_count=int(row["decreases"]),
        growth=growth(sampled, float(row["window"])) if sampled is not None else None,
        ns2_growth=(float(row["window"]), float(row["window_later"])) if row["window"] else None,
    )


def growth(run: Run, window: float) -> tuple[float, float]:
    """Where the window first climbs past `window` after the second decrease, and one window of acknowledgements later."""
    samples = run.records["windows"].to_pylist()
    cuts = [index for index, row in enumerate(samples) if row["event"]]
    after = [row["window"] for row in samples[cuts[1] + 1 :] if not row["event"]]
    start = next(i for i in range(1, len(after)) if after[i - 1] < window <= after[i])
    return after[start], after[start + int(after[start])]
