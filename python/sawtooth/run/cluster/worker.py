"""What a worker does: simulates the runs of an order one after another, on the one thread that Dask gives to a task.

Before that it looks whether it is like the client: version, engine, behaviour numbers, metrics, files of plug-ins. A worker that joins late
is looked at like the first. An order holds no code and names no file: plug-ins are those of the worker's own environment
(`SAWTOOTH_PLUGINS`), and a run that needs another file is refused.

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
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from hashlib import sha256
from threading import Lock
from typing import Any, Final

from sawtooth import _native
from sawtooth.errors import InputError
from sawtooth.plain import canonical
from sawtooth.plugins.load import load_listed
from sawtooth.run.cluster.parcel import Delivery, Fault, Job, Order
from sawtooth.run.run import Counted, count, provenance, run_of_counted
from sawtooth.run.store import Store
from sawtooth.run.tally import metrics_version
from sawtooth.scenario.described import describe
from sawtooth.scenario.values import PLUGIN

MOST_BYTES: Final = 64_000_000
_STORES: Final[dict[str, Store]] = {}
_STORES_LOCK: Final = Lock()


def work(parcel: bytes) -> bytes:
    """The delivery for an order. Called by Dask, by name."""
    order = Order.unpacked(parcel)
    load_listed()
    own = likeness() | plugins(order.likeness)
    if own != order.likeness:
        return Delivery([], _name(), unlike=own).packed()
    made: list[Counted | Fault] = []
    begun = time.monotonic()
    size = 0
    for engine, _ in order.jobs:
        if made and (time.monotonic() - begun > order.enough_s or size > MOST_BYTES):
            break
        run = _simulated(engine)
        made.append(run)
        if isinstance(run, Fault):
            break
        size += sum(columns.table.nbytes for columns in run.tables.values())
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


def plugins(wanted: Iterable[str]) -> dict[str, str]:
    """Of the plug-ins in a likeness, the hash of the file that is loaded here."""
    entries = describe()["controllers"]
    loaded = {f"{PLUGIN} {entry['name']}": entry["plugin"] for entry in entries if "plugin" in entry}
    return {name: loaded.get(name, "not loaded") for name in wanted if name.startswith(f"{PLUGIN} ")}


def plugins_of(jobs: Iterable[Job]) -> dict[str, str]:
    """The plug-ins that scenarios name, with the hash of the file of each."""
    controllers = [profile["controller"] for engine, _ in jobs for profile in engine["profiles"]]
    return {f"{PLUGIN} {entry['name']}": entry["file"] for entry in controllers if entry["kind"] == PLUGIN}


def _simulated(engine: Mapping[str, Any]) -> Counted | Fault:
    """One run, or its fault."""
    try:
        return count(engine)
    except ValueError as error:
        return Fault("scenario", [str(error)])
    except _native.PluginError as error:
        return Fault("plugin", list(map(str, error.args)))
    except RuntimeError as error:
        return Fault("engine", [str(error)])


def _stored(address: str, jobs: Sequence[Job], made: Sequence[Counted | Fault]) -> list[Any] | None:
    """Puts runs into a store that all share; what speaks against it."""
    runs = [
        run_of_counted(*job, run, provenance())
        for job, run in zip(jobs, made, strict=False)
        if isinstance(run, Counted)
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


__all__ = ["likeness", "plugins_of", "work"]
