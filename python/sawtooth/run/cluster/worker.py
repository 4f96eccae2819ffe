"""What a worker does: simulates the runs of an order one after another, on the one thread that Dask gives to a task.

Before that it looks whether it is like the client: version, engine, behaviour numbers, metrics. A worker that joins late is looked at like
the first. An order holds no code and names no file: plug-ins are those of the worker's own environment (`SAWTOOTH_PLUGINS`), and a run
that needs another file is refused.

Where the store has an address that all machines share, finished runs go there before the client hears of them.

| parameter  | unit  | default | why                                                                       |
|------------|-------|---------|---------------------------------------------------------------------------|
| MOST_BYTES | bytes | 64·10⁶  | runs that record much: an answer that a client takes in without growing    |

Source: none.
"""

from __future__ import annotations

import os
import socket
import time
from collections.abc import Mapping, Sequence
from functools import cache
from hashlib import sha256
from threading import Lock
from typing import Any, Final

from sawtooth import _native
from sawtooth.columns import table_of
from sawtooth.errors import InputError
from sawtooth.plain import canonical
from sawtooth.plugins.load import load_listed
from sawtooth.run.cluster.parcel import Delivery, Job, Made, Order
from sawtooth.run.run import assemble, provenance, recorded
from sawtooth.run.store import Store
from sawtooth.run.tally import metrics_version
from sawtooth.scenario.described import describe

MOST_BYTES: Final = 64_000_000
_STORES: Final[dict[str, Store]] = {}
_STORES_LOCK: Final = Lock()


def work(parcel: bytes) -> bytes:
    """The delivery for an order. Called by Dask, by name."""
    order = Order.unpacked(parcel)
    load_listed()
    own = likeness()
    if own != order.likeness:
        return Delivery([], _name(), unlike=own).packed()
    made: list[Made] = []
    begun = time.monotonic()
    size = 0
    for engine, _ in order.jobs:
        if made and (time.monotonic() - begun > order.enough_s or size > MOST_BYTES):
            break
        made.append(_simulated(engine))
        size += made[-1].size_bytes
        if made[-1].fault is not None:
            break
    seconds = time.monotonic() - begun
    unwritten = None if order.store is None else _stored(order.store, order.jobs, made)
    return Delivery(made, _name(), seconds, provenance(), unwritten=unwritten).packed()


@cache
def likeness() -> dict[str, str]:
    """What must be equal in client and workers, so that it makes no difference who simulates."""
    native = _native.version()
    return {
        "version": native["version"],
        "engine": native["engine"],
        "behaviour": sha256(canonical(describe()["behaviour"]).encode()).hexdigest()[:16],
        "metrics": metrics_version(),
    }


def _simulated(engine: Mapping[str, Any]) -> Made:
    """One run, or its fault."""
    try:
        result = _native.run(canonical(engine))
    except _native.PluginError as error:
        return Made(fault=str(error.args[0]), of_plugin=True)
    except (ValueError, RuntimeError) as error:
        return Made(fault=str(error), refused=isinstance(error, ValueError))
    tables = {name: table_of(result["tables"][name]) for name in ("flows", "queues", *recorded(engine))}
    return Made(result["run_id"], result["digest"], result["summary"], result["behaviour"], tables)


def _stored(address: str, jobs: Sequence[Job], made: Sequence[Made]) -> list[Any] | None:
    """Puts runs into a store that all share; what speaks against it."""
    runs = [
        assemble(
            engine,
            meta,
            run.tables,
            run_id=run.run_id,
            digest=run.digest,
            summary=run.summary,
            behaviour=run.behaviour,
            provenance=provenance(),
        )
        for (engine, meta), run in zip(jobs, made, strict=False)
        if run.fault is None
    ]
    try:
        with _STORES_LOCK:
            store = _STORES.get(address)
            if store is None:
                store = _STORES[address] = Store(address)
        if runs:
            store.put_all(runs)
    except InputError as error:
        return [error.where, error.key, str(error.value), f"{error.accepted} by the worker {_name()}"]
    return None


def _name() -> str:
    """What a user finds the worker by."""
    return f"on {socket.gethostname()}, process {os.getpid()}"


__all__ = ["likeness", "work"]
