"""What a flow would meet alone on the empty path: its round-trip time there, and how long what it carries takes.

The round-trip time of the empty path is exact: transmission of a data packet on every link of the way out and of an acknowledgement on
every link of the way back, with the delays between. A link that follows a trace transmits in no time here. One whose rate changes does so
at the greatest of its rates, and one whose delay changes has the least. What a round-trip sample has beyond that is waiting: in queues of
either direction, for a trace, for a delayed acknowledgement.

The completion time alone is that of a run of the engine with the same network and endpoints and no other flow, source or arrival, which
starts at 0 unless the network changes with time. Losses by chance stay: they are of the path.

Slow-down: completion time over completion time alone, 1 at best but for chance ([Dukkipati06] on why completion is what users feel).

A run alone is a run like any other, so it is kept in the store of whoever asks for it, under its own id: another process does not simulate
it again, and `sawtooth store ls` shows it. A run that is made again (`--fresh`, `sawtooth run`) finds those alone in the store.

    with keeping(Keeper(store.address, store.get, store.put)):
        execute(job)              # what it is compared with is read from the store, or simulated and put there
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, Generic, TypeVar

import numpy as np

from sawtooth.columns import Columns
from sawtooth.plain import canonical

if TYPE_CHECKING:
    from numpy.typing import NDArray

NEVER: Final = -1
"""In place of a time: it did not happen."""

SEED: Final = "1"
"""Of runs alone: they are the same for all seeds of a scenario, so one serves all."""


NAME: Final = "alone"
"""What a run alone is called where runs are listed."""


Kept = TypeVar("Kept")
"""The class of the runs that are kept."""


@dataclass(frozen=True)
class Keeper(Generic[Kept]):
    """Finds runs alone by their id and puts new ones away."""

    address: str
    """Of the store: what another one has is not there."""
    find: Callable[[str], Kept | None]
    put: Callable[[Kept], None]


_CHOSEN: Final[ContextVar[Keeper[Any] | None]] = ContextVar("keeper", default=None)


def keeper() -> Keeper[Any] | None:
    """Who keeps runs alone in the block in which this is called; None: they are kept for this process. Threads do not see the block of
    their caller."""
    return _CHOSEN.get()


@contextmanager
def keeping(chosen: Keeper[Any] | None) -> Iterator[None]:
    """Inside the block this keeper keeps runs alone."""
    token = _CHOSEN.set(chosen)
    try:
        yield
    finally:
        _CHOSEN.reset(token)


def empty_rtt_ns(engine: Mapping[str, Any]) -> Callable[[Mapping[str, Any]], int]:
    """The function that gives a flow's round-trip time on the empty path, ns."""
    links = [*zip(_delays(engine), _rates(engine), strict=True)]

    def crossing(route: list[int], size: int) -> int:
        time_ns, scaled = 0, size * 8_000_000_000
        for place in route:
            delay_ns, rate_bps = links[place]
            time_ns += delay_ns + scaled // rate_bps if rate_bps else delay_ns
        return time_ns

    def of_flow(flow: Mapping[str, Any]) -> int:
        profile = engine["profiles"][flow["profile"]]
        return crossing(flow["forward"], profile["packet_bytes"]) + crossing(
            flow["reverse"], profile["ack_bytes"]
        )

    return of_flow


def _delays(engine: Mapping[str, Any]) -> list[int]:
    """The least delay of every link, ns."""
    delays: list[int] = [link["delay_ns"] for link in engine["links"]]
    for change in engine.get("changes", ()):
        for entry in change["set"]:
            if entry["kind"] == "delay":
                delays[entry["link"]] = min(delays[entry["link"]], entry["ns"])
    return delays


def _rates(engine: Mapping[str, Any]) -> list[int]:
    """The greatest rate of every link, bit/s; 0 for a trace."""
    rates: list[int] = [link.get("rate_bps") or 0 for link in engine["links"]]
    for change in engine.get("changes", ()):
        for entry in change["set"]:
            if entry["kind"] == "rate":
                rates[entry["link"]] = max(rates[entry["link"]], entry["bps"])
    return rates


def compared(engine: Mapping[str, Any]) -> bool:
    """Whether a flow has an end: once it came to that, it is compared with itself alone."""
    return any(flow["packets"] or flow.get("supply") for flow in engine["flows"])


def came_to_its_end(spec: Mapping[str, Any], finished_ns: int) -> bool:
    """Whether a flow that was finished at that time had an end, and came to it before its stop. One that waits for data when it is
    stopped was finished when it began to wait."""
    supply = spec.get("supply")
    if finished_ns < 0 or not (spec["packets"] or supply):
        return False
    if spec["stop_ns"] is None:
        return True
    whole_ns = spec["start_ns"] + supply[-1][0] if supply else 0
    return whole_ns <= finished_ns < int(spec["stop_ns"])


def alone(engine: Mapping[str, Any], flow: int, finished_ns: int) -> str | None:
    """The scenario in which a flow is alone, as canonical text; None for one without end, or that did not come to it."""
    spec = engine["flows"][flow]
    if not came_to_its_end(spec, finished_ns):
        return None
    moves = any(link.get("trace_ms") for link in engine["links"]) or engine.get("changes")
    changes = [
        {**change, "set": of_links}
        for change in engine.get("changes", ())
        if change["when"]["kind"] == "time"
        and (of_links := [entry for entry in change["set"] if entry["kind"] != "supply"])
    ]
    profile = engine["profiles"][spec["profile"]]
    scenario = {
        **{name: value for name, value in engine.items() if name not in ("arrivals", "changes", "apps")},
        **({"changes": changes} if changes else {}),
        "seed": SEED,
        "warmup_ns": 0,
        "profiles": [profile],
        "flows": [{**spec, "profile": 0, "start_ns": spec["start_ns"] if moves else 0, "stop_ns": None}],
        "sources": [],
        "record": {},
    }
    return canonical(scenario)


def meta_alone(engine: Mapping[str, Any]) -> dict[str, Any]:
    """What resolving would say of a scenario in which something is alone: all of the first link is there for it."""
    rate_bps = _rates(engine)[0]
    return {
        "name": NAME,
        "seed": engine["seed"],
        "schedule": {"times_ns": [0], "rates_bps": [rate_bps]},
        "test_flows": max(1, sum(flow["test"] for flow in engine["flows"])),
        "available_bps": rate_bps,
        "capacity_bps": rate_bps,
    }


def completions_s(flows: Columns, engine: Mapping[str, Any]) -> NDArray[np.float64]:
    """How long each flow took from its SYN to its last acknowledgement, s; NaN for one without end, or that did not come to it."""
    specs = engine["flows"]
    if not compared(engine):
        return np.full(len(specs), np.nan)
    finished_ns = flows.values("finished_ns").astype(np.float64)
    starts_ns = np.array([spec["start_ns"] for spec in specs], np.float64)
    came = np.array([*map(came_to_its_end, specs, flows.listed("finished_ns"))], np.bool_)
    return np.where(came, (finished_ns - starts_ns) / 1e9, np.nan)


def slowdowns(flows: Columns, completion_s: NDArray[np.float64]) -> NDArray[np.float64]:
    """Completion time over that alone; NaN where either is unknown, as in runs that an earlier version stored."""
    if "alone_ns" not in flows or np.isnan(completion_s).all():
        return np.full(completion_s.shape, np.nan)
    alone_s = flows.values("alone_ns").astype(np.float64) / 1e9
    known = alone_s > 0.0
    return np.where(known, completion_s / np.where(known, alone_s, 1.0), np.nan)
