"""What the users of `[[traffic]]` felt: `traffic[]` of `run --json`.

A report is made when a run is simulated, because it compares with the same traffic alone on the empty path, which is simulated too: every
size of finite transfers once, one after the other, and every application by itself with the same random stream, so that its n-th page is
the same page. Slow-down is the time with company over that alone, transfer by transfer and page by page. Only what begins within the
measured time counts, and only what came to its end has a time; `unfinished` says how many did not.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, Any, Final, TypeAlias

import numpy as np
import pyarrow as pa

from sawtooth.column_values import values_of
from sawtooth.plain import canonical
from sawtooth.run.alone import SEED

if TYPE_CHECKING:
    from numpy.typing import NDArray

Numbers: TypeAlias = "NDArray[np.float64]"
Simulated: TypeAlias = "Callable[[str, str], pa.Table]"
"""From a scenario of the engine, as canonical text, and the name of a table: that table of its run."""

QUANTILES: Final = {"p50": 0.5, "p95": 0.95, "p99": 0.99}
SPACING: Final = 4
"""How far apart transfers alone start, in times that the slowest link needs for them, beside ROUNDS round trips."""
ROUNDS: Final = 400
STREAM_DELAYS: Final = ("p50", "p95", "p99", "p999")


def reports(
    engine: Mapping[str, Any],
    meta: Mapping[str, Any],
    tables: Mapping[str, pa.Table],
    simulated: Simulated,
) -> list[dict[str, Any]]:
    """A report per group, in the order of the scenario. `tables` are those of the run, with `streams` where there are some."""
    makers = {
        "finite": _finite,
        "paced": _paced,
        "udp": _stream,
        "media": _stream,
        "request-response": _pages,
        "web": _pages,
        "video": _video,
    }
    return [
        {"kind": entry["kind"], **makers[entry["kind"]](_Group(engine, entry, tables, simulated))}
        for entry in meta.get("traffic", ())
    ]


class _Group:
    """A group, the run that it was part of, and how to simulate another."""

    def __init__(
        self,
        engine: Mapping[str, Any],
        entry: Mapping[str, Any],
        tables: Mapping[str, pa.Table],
        simulated: Simulated,
    ) -> None:
        self.engine, self.entry, self.tables, self.simulated = engine, entry, tables, simulated
        self.seconds = (engine["duration_ns"] - engine["warmup_ns"]) / 1e9

    def column(self, table: str, name: str, rows: Sequence[int] | NDArray[np.bool_]) -> Numbers:
        """Some values of a column."""
        values: Numbers = values_of(self.tables[table].column(name)).astype(np.float64)
        chosen: Numbers = values[np.asarray(rows)]
        return chosen


def spread(values: Numbers) -> dict[str, float] | None:
    """Mean and quantiles; None of nothing. A quantile is the least value at or below which its share of all lies."""
    if not values.size:
        return None
    ordered = np.sort(values)
    places = {name: max(0, int(np.ceil(share * values.size)) - 1) for name, share in QUANTILES.items()}
    return {
        "mean": float(values.mean()),
        **{name: float(ordered[place]) for name, place in places.items()},
        "max": float(ordered[-1]),
    }


def _finite(group: _Group) -> dict[str, Any]:
    row = group.entry["arrivals"]
    table = group.tables["completions"]
    process, start = values_of(table.column("process")), values_of(table.column("start_ns"))
    mine = (process == row) & (start >= group.engine["warmup_ns"])
    packets = values_of(table.column("packets"))[mine].astype(np.int64)
    took_s = group.column("completions", "completion_ns", mine) / 1e9
    alone_s = alone_by_size(group, sorted(set(packets.tolist())))
    started = int(group.tables["arrivals"].column("started")[row].as_py())
    size = group.tables["arrivals"].column("packet_bytes")[row].as_py()
    delivered = group.tables["arrivals"].column("delivered_unique")[row].as_py()
    slow = np.array([took / alone_s[size] for took, size in zip(took_s, packets.tolist(), strict=True)])
    return {
        "started": started,
        "unfinished": started - int(mine.sum()),
        "goodput_bps": delivered * size * 8.0 / group.seconds,
        "completion_s": spread(took_s),
        "slowdown": spread(slow),
    }


def alone_by_size(group: _Group, sizes: Sequence[int]) -> dict[int, float]:
    """How long a transfer of each size (packets) takes alone, s: one after the other in one run, so far apart that none meets another."""
    if not sizes:
        return {}
    engine = group.engine
    spec = engine["arrivals"][group.entry["arrivals"]]
    profile = engine["profiles"][spec["profile"]]
    links = [engine["links"][link] for link in (*spec["forward"], *spec["reverse"])]
    slowest = min((link["rate_bps"] for link in links if link["rate_bps"]), default=1_000_000)
    round_trip = sum(link["delay_ns"] for link in links)
    spacing = SPACING
    while True:
        starts, now = [], 0
        for size in sizes:
            starts.append(now)
            needed = size * profile["packet_bytes"] * 8_000_000_000 // slowest
            now += spacing * needed + ROUNDS * (round_trip + 10_000_000)
        listed = {
            **spec,
            "profile": 0,
            "schedule": {"kind": "list", "starts_ns": starts, "packets": list(sizes)},
        }
        scenario = {
            **_bare(engine),
            "seed": SEED,
            "duration_ns": now,
            "profiles": [profile],
            "flows": [],
            "arrivals": [listed],
            "record": {"completions": True},
        }
        text = canonical(scenario)
        done = group.simulated(text, "completions")
        met = group.simulated(text, "arrivals").column("concurrent_max")[0].as_py() > 1
        if not met and done.num_rows == len(sizes):
            took = done.column("completion_ns").to_pylist()
            return {size: ns / 1e9 for size, ns in zip(done.column("packets").to_pylist(), took, strict=True)}
        spacing *= 4


def _bare(engine: Mapping[str, Any]) -> dict[str, Any]:
    """The network without anybody. What changes with time is the environment's or the traffic's, and is left out."""
    return {
        "seed": engine["seed"],
        "duration_ns": engine["duration_ns"],
        "warmup_ns": 0,
        "links": engine["links"],
        "sources": [],
    }


def _paced(group: _Group) -> dict[str, Any]:
    flows, entry = group.entry["flows"], group.entry
    size = group.column("flows", "packet_bytes", flows)
    goodputs = group.column("flows", "delivered_unique", flows) * size * 8.0 / group.seconds
    begin = max(entry["start_ns"], group.engine["warmup_ns"])
    active = max(0, entry["stop_ns"] - begin) / (group.engine["duration_ns"] - group.engine["warmup_ns"])
    offered = entry["rate_bps"] * active
    samples = group.column("flows", "rtt_samples", flows)
    rtt = group.column("flows", "rtt_ns_sum", flows)[samples > 0] / samples[samples > 0]
    return {
        "flows": list(flows),
        "offered_bps": offered,
        "goodput_bps": float(goodputs.mean()),
        "delivered_share": float(goodputs.mean() / offered) if offered else None,
        "rtt_ms": float(rtt.mean()) / 1e6 if rtt.size else None,
    }


def _stream(group: _Group) -> dict[str, Any]:
    rows = group.entry["streams"]
    names = ("packets", "received", "frames", "late", "incomplete", "delay_ns_sum")
    total = {name: float(group.column("streams", name, rows).sum()) for name in names}
    whole = total["frames"] - total["incomplete"]
    found: dict[str, Any] = {
        "sent": int(total["packets"]),
        "loss_pct": 100.0 * (1.0 - total["received"] / total["packets"]) if total["packets"] else None,
        "delay_ms": None,
    }
    if whole:
        frames, incomplete = (group.column("streams", name, rows) for name in ("frames", "incomplete"))
        some = frames > incomplete  # one of which nothing came whole has no quantiles
        quantiles = {
            name: float(group.column("streams", f"delay_{name}_ns", rows)[some].mean()) / 1e6
            for name in STREAM_DELAYS
        }
        found["delay_ms"] = {"mean": total["delay_ns_sum"] / whole / 1e6, **quantiles}
    if group.entry["kind"] == "media" and "flows" in group.entry:
        size = group.column("streams", "packet_bytes", rows)
        bits = 8.0 * size * group.column("streams", "received", rows)
        begin = max(group.entry["start_ns"], group.engine["warmup_ns"])
        end = min(group.entry["stop_ns"], group.engine["duration_ns"] - group.entry["deadline_ns"])
        found["rate_bps"] = float(bits.mean()) * 1e9 / (end - begin) if end > begin else None
    if group.entry["kind"] == "media":
        missed = total["late"] + total["incomplete"]
        found |= {
            "frames": int(total["frames"]),
            "late": int(total["late"]),
            "incomplete": int(total["incomplete"]),
            "missed_pct": 100.0 * missed / total["frames"] if total["frames"] else None,
        }
    return found


def _loads(table: pa.Table, app: int, from_ns: int) -> list[dict[str, Any]]:
    """What an application loaded, from its n-th on by number."""
    rows = [row for row in table.to_pylist() if row["app"] == app]
    return [{**row, "number": number} for number, row in enumerate(rows) if row["start_ns"] >= from_ns]


def _alone(group: _Group, app: int) -> list[dict[str, Any]]:
    """What the same application loads by itself."""
    engine = group.engine
    spec = engine["apps"][app]
    flows = sorted({flow for pair in spec["connections"] for flow in pair})
    place = {flow: number for number, flow in enumerate(flows)}
    own = {**spec, "connections": [[place[flow] for flow in pair] for pair in spec["connections"]]}
    scenario = {
        **_bare(engine),
        "profiles": engine["profiles"],
        "flows": [engine["flows"][flow] for flow in flows],
        "apps": [own],
        "record": {},
    }
    return _loads(group.simulated(canonical(scenario), "transactions"), 0, 0)


def _pages(group: _Group) -> dict[str, Any]:
    took, slow, started = [], [], 0
    for app in group.entry["apps"]:
        alone = {row["number"]: row["duration_ns"] for row in _alone(group, app)}
        for row in _loads(group.tables["transactions"], app, group.engine["warmup_ns"]):
            started += 1
            if row["duration_ns"] >= 0:
                took.append(row["duration_ns"] / 1e9)
                if alone.get(row["number"], -1) > 0:
                    slow.append(row["duration_ns"] / alone[row["number"]])
    return {
        "started": started,
        "unfinished": started - len(took),
        "completion_s": spread(np.array(took)),
        "slowdown": spread(np.array(slow)),
    }


def _video(group: _Group) -> dict[str, Any]:
    table = group.tables["transactions"]
    return {
        "viewers": [_watched(_loads(table, app, 0)) for app in group.entry["apps"]],
        "alone": [_watched(_alone(group, app)) for app in group.entry["apps"]],
    }


def _watched(rows: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """A session from its start: how long until the picture, how often and how long it stood still, how good it was."""
    loaded = [row for row in rows if row["duration_ns"] >= 0]
    rates = [row["rate_bps"] for row in loaded]
    stalls = [row["stalled_ns"] for row in loaded if row["stalled_ns"] > 0]
    return {
        "chunks": len(loaded),
        "startup_s": loaded[0]["duration_ns"] / 1e9 if loaded else None,
        "stalls": len(stalls),
        "stalled_s": sum(stalls) / 1e9,
        "quality_bps": float(np.mean(rates)) if rates else None,
        "switches": sum(one != other for one, other in pairwise(rates)),
    }
