"""Every key of a scenario: the tables that it has and could have, and for each key its schema; read off the models themselves."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cache
from typing import Any, Final

from tests.knobs.contexts import Tables

from sawtooth.scenario import queue_value
from sawtooth.scenario.environments import Family, lookup
from sawtooth.scenario.fields import DefaultsAsWritten, Strict
from sawtooth.scenario.free_network import Link, Node, Source
from sawtooth.scenario.on import On
from sawtooth.scenario.scenario import (
    Bottleneck,
    Flows,
    PathTable,
    Record,
    Reverse,
    Scenario,
    Tcp,
)
from sawtooth.scenario.shapes import SHAPES, Dumbbell
from sawtooth.scenario.traffic_fields import TRAFFIC
from sawtooth.scenario.wires import Aggregate


@dataclass(frozen=True, eq=False)
class Key:
    """A key of a context: where it stands, what it is in any context, and its schema."""

    path: tuple[str | int, ...]
    knob: str
    schema: Mapping[str, Any]

    @property
    def name(self) -> str:
        """As it stands in its table."""
        return str(self.path[-1])


@cache
def _schema(model: type[Strict]) -> Mapping[str, Any]:
    return model.model_json_schema(mode="validation", schema_generator=DefaultsAsWritten)


def _of_model(model: type[Strict], path: tuple[str | int, ...], knob: str) -> Iterator[Key]:
    for name, schema in _schema(model)["properties"].items():
        if name != "kind":
            yield Key((*path, name), f"{knob}.{name}", schema)


def _queue(tables: Tables, path: tuple[str | int, ...]) -> Iterator[Key]:
    """The parameters of a queue, if there is one at `path`."""
    found = at(tables, path)
    kind = found["kind"] if isinstance(found, Mapping) else found
    if isinstance(kind, str):
        canonical = queue_value.Queue.parse({"kind": kind}).kind
        yield from _of_model(queue_value._models()[canonical], path, f"queue<{canonical}>")


def _aggregate(tables: Tables, path: tuple[str | int, ...]) -> Iterator[Key]:
    """The keys of transmit opportunities, if a link at `path` has them."""
    if isinstance(at(tables, path), Mapping):
        yield from _of_model(Aggregate, path, "aggregate")


def _bottleneck(tables: Tables) -> Iterator[Key]:
    if "bottleneck" in tables:
        yield from _aggregate(tables, ("bottleneck", "aggregate"))
        yield from _of_model(Bottleneck, ("bottleneck",), "bottleneck")
        yield from _queue(tables, ("bottleneck", "queue"))


def _reverse(tables: Tables) -> Iterator[Key]:
    yield from _of_model(Reverse, ("reverse",), "reverse")
    yield from _queue(tables, ("reverse", "queue"))


def _topology(tables: Tables) -> Iterator[Key]:
    kind = tables.get("topology", {}).get("kind", Dumbbell.name)
    (shape,) = (shape for shape in SHAPES if shape.name == kind)
    yield from _of_model(shape, ("topology",), f"topology<{kind}>")
    yield from _queue(tables, ("topology", "queue"))


def _environment(tables: Tables) -> Iterator[Key]:
    if "environment" in tables:
        entry = lookup(tables["environment"]["kind"])
        for key in _of_model(entry.family, ("environment",), f"environment<{entry.family.__name__}>"):
            shared = key.name in Family.model_fields and key.name not in entry.family.__annotations__
            yield replace(key, knob=f"environment.{key.name}") if shared else key


def _traffic(tables: Tables) -> Iterator[Key]:
    for index, table in enumerate(tables.get("traffic", ())):
        (kind,) = (kind for kind in TRAFFIC if kind.name == table["kind"])
        yield from _of_model(kind, ("traffic", index), f"traffic<{kind.name}>")


def _flows(tables: Tables) -> Iterator[Key]:
    """A group's keys; a setting has the default of the table that it replaces."""
    settings = _schema(Tcp)["properties"]
    for key in _listed("flows", Flows)(tables):
        yield replace(key, schema=settings.get(key.name, key.schema))


def _listed(name: str, model: type[Strict]) -> Callable[[Tables], Iterator[Key]]:
    def keys(tables: Tables) -> Iterator[Key]:
        for index in range(len(tables.get(name, ()))):
            yield from _of_model(model, (name, index), f"{name}[]")
            yield from _queue(tables, (name, index, "queue"))

    return keys


TABLES: Final[Mapping[str, Callable[[Tables], Iterator[Key]]]] = {
    "bottleneck": _bottleneck,
    "reverse": _reverse,
    "path": lambda _: _of_model(PathTable, ("path",), "path"),
    "topology": _topology,
    "tcp": lambda _: _of_model(Tcp, ("tcp",), "tcp"),
    "environment": _environment,
    "flows": _flows,
    "nodes": _listed("nodes", Node),
    "links": _listed("links", Link),
    "sources": _listed("sources", Source),
    "on": _listed("on", On),
    "traffic": _traffic,
    "record": lambda _: _of_model(Record, ("record",), "record"),
}
"""By table of a scenario, the keys that it has in a context."""


def keys(tables: Tables) -> Iterator[Key]:
    """Every key that could be written into the tables of a context, each table's own and those of its queues."""
    for name, schema in _schema(Scenario)["properties"].items():
        if name in TABLES:
            yield from TABLES[name](tables)
        else:
            kinds = {schema.get("type"), *(part.get("type") for part in schema.get("anyOf", ()))}
            assert kinds & {"string", "number", "integer", "boolean"}, (
                f"[{name}]: add it to TABLES of tests/knobs/keys.py"
            )
            yield Key((name,), name, schema)


def at(tables: Any, path: tuple[str | int, ...]) -> Any:
    """What stands at a path; None where nothing does."""
    for part in path:
        if tables is None or isinstance(tables, str):
            return None
        tables = tables[part] if isinstance(part, int) else tables.get(part)
    return tables


def put(tables: Tables, path: tuple[str | int, ...], value: object) -> None:
    """Write a value, making tables on the way; a queue that is only a name becomes a table."""
    table: Any = tables
    for part in path[:-1]:
        if isinstance(part, int):
            table = table[part]
            continue
        below = table.setdefault(part, {})
        if isinstance(below, str):
            below = table[part] = {"kind": below}
        table = below
    table[path[-1]] = value
