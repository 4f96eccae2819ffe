"""A run as a row: what a file of the store says of it, and the run again from what it says.

A row holds the counters (`flows` and `queues`, lists of structs), `metrics`, the scenario as the engine read it, behaviour numbers,
provenance and digest. All rows have the same columns, whether the run recorded anything or not; what it recorded stands in files of its
own, one table per series behind a column `run_id`. Under `provenance` the store adds when the run was stored (`stored`, UTC) and which
formulas made its metrics and derived columns (`formulas`): while these are the same, nothing is computed again.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import UTC, datetime
from functools import cache
from hashlib import sha256
from importlib import resources
from typing import TYPE_CHECKING, Any, Final, TypeVar

import numpy as np
import orjson
import pyarrow as pa

from sawtooth.column_values import values_of
from sawtooth.columns import Columns, maps, nested, numbers, texts
from sawtooth.plain import canonical
from sawtooth.run.derived import DERIVED_FLOW_COLUMNS, DERIVED_QUEUE_COLUMNS, controller_names
from sawtooth.run.run import (
    FORMAT,
    Run,
    RunSummary,
    assemble,
    recorded,
)
from sawtooth.run.storage.decoded import Rows

if TYPE_CHECKING:
    from sawtooth.scenario.resolve import Resolved

DERIVED: Final[Mapping[str, Sequence[str]]] = {
    "flows": DERIVED_FLOW_COLUMNS,
    "queues": DERIVED_QUEUE_COLUMNS,
}
Entry = TypeVar("Entry")
STORED: Final = "stored"
FORMULAS: Final = "formulas"
STORED_AS: Final = "%Y-%m-%dT%H:%M:%SZ"


FORMULA_FILES: Final = ("run/run.py", "run/derived.py", "run/alone.py", "columns.py", "column_values.py")
"""Of the package, beside those of the metrics: what derived columns and metrics are computed with."""


@cache
def row_version() -> str:
    """Which formulas make the metrics and derived columns of a row: the hash of their files and the version of numpy. It covers more than
    it needs to, so it differs too often rather than too seldom."""
    return hash_of_metrics(FORMULA_FILES, np.__version__)


def hash_of_metrics(others: Sequence[str], *words: str) -> str:
    """The hash of the files of the metrics, of some others of the package, and of words."""
    package = resources.files("sawtooth")
    files = sorted(package.joinpath("measure", "metrics").iterdir(), key=lambda entry: entry.name)
    texts = [entry.read_bytes() for entry in files if entry.name.endswith(".py")]
    texts += [package.joinpath(name).read_bytes() for name in others]
    texts += [word.encode() for word in words]
    return sha256(b"\0".join(texts)).hexdigest()[:16]


class OtherFormatError(ValueError):
    """The row has another format than this version writes."""


def rows_of(runs: Sequence[Run], stored_s: float) -> pa.Table:
    """Runs of one schema (`alike`) as a table with a row each."""
    told = {STORED: datetime.fromtimestamp(stored_s, UTC).strftime(STORED_AS), FORMULAS: row_version()}
    columns: dict[str, pa.Array] = {
        "format": numbers(np.full(len(runs), FORMAT, np.int32)),
        "run_id": texts(run.run_id for run in runs),
        "digest": texts(run.digest for run in runs),
        "seed": texts(run.seed for run in runs),
        "engine": texts(run.provenance["engine"] for run in runs),
        "metrics": maps([run.values for run in runs], np.float64),
        "flows": nested([run.flow_columns for run in runs]),
        "queues": nested([run.queue_columns for run in runs]),
        "summary": maps([run.summary for run in runs], np.int64),
        "behaviour": maps([run.behaviour for run in runs], np.int64),
        "provenance": maps([{**run.provenance, **told} for run in runs], None),
        "scenario": texts(run.engine_json for run in runs),
        "meta": texts(run.meta_json for run in runs),
    }
    return pa.table(columns)


def stored_at(provenance: Mapping[str, str]) -> float | None:
    """When a run was stored, in seconds since 1970; None where its row does not say."""
    text = provenance.get(STORED)
    return None if text is None else datetime.fromisoformat(text).timestamp()


def made_by_formulas(provenance: Mapping[str, str]) -> str | None:
    """Which formulas made the metrics and derived columns of a row; None where it does not say."""
    return provenance.get(FORMULAS)


def alike(runs: Sequence[Run]) -> list[list[Run]]:
    """Runs in groups whose tables have the same columns."""
    return of_one_schema((run, (run.flow_columns, run.queue_columns)) for run in runs)


def of_one_schema(entries: Iterable[tuple[Entry, Sequence[Columns]]]) -> list[list[Entry]]:
    """Entries in groups, those together whose tables have the same columns."""
    groups: list[tuple[Sequence[Columns], list[Entry]]] = []
    for entry, tables in entries:
        for others, group in groups:
            if all(table.is_like(other) for table, other in zip(tables, others, strict=True)):
                group.append(entry)
                break
        else:
            groups.append((tables, [entry]))
    return [group for _, group in groups]


def series_of(tables: Sequence[tuple[str, Columns]]) -> pa.Table:
    """A recorded series of several runs, of one schema, as its file holds it: behind a column that says whose each row is."""
    whole = Columns.joined([columns for _, columns in tables])
    places = np.repeat(np.arange(len(tables), dtype=np.int32), [columns.rows for _, columns in tables])
    whose = pa.DictionaryArray.from_arrays(numbers(places), texts(run_id for run_id, _ in tables))
    return whole.add_column(0, "run_id", whose)


def repeated(texts: Sequence[tuple[bytes, int]]) -> pa.Array:
    """A column of texts, each so often. Not by `take`, which loads all of Arrow's functions: a tenth of a second of every sweep."""
    lengths = np.repeat([len(text) for text, _ in texts], [count for _, count in texts])
    ends = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int32)
    letters = b"".join(text * count for text, count in texts)
    return pa.StringArray.from_buffers(len(lengths), pa.py_buffer(ends), pa.py_buffer(letters))


def run_of(
    rows: Rows,
    place: int,
    run_id: str,
    meta: Mapping[str, Any] | None,
    series: Callable[[str], pa.Table],
    whole: bool = True,
) -> Run:
    """The run of a row. Raises what a row raises that holds something else.

    `meta` gives names and schedule where they are known better than by the row. Series stand in the row itself where an early version
    wrote it. They are left out if the run is not wanted `whole` and nothing has to be computed from them again.
    """
    _check(rows, place, run_id)
    engine = orjson.loads(rows.value("scenario", place))
    said, provenance = rows.value("meta", place), rows.map("provenance", place)
    as_stored = made_by_formulas(provenance) == row_version() and (
        meta is None or _but_for_names(meta, said, engine)
    )
    tables = {name: rows.inner(name, place) for name in ("flows", "queues")}
    for name in recorded(engine) if whole or not as_stored else ():
        tables[name] = rows.inner(name, place) if name in rows else Columns.of_table(series(name))
    for name in (STORED, FORMULAS):
        provenance.pop(name, None)
    kept = {
        "run_id": run_id,
        "digest": rows.value("digest", place),
        "summary": rows.map("summary", place),
        "behaviour": rows.map("behaviour", place),
        "provenance": provenance,
    }
    known = orjson.loads(said) if meta is None else meta
    if as_stored:
        flows = tables.pop("flows")
        if meta is not None:
            flows = _with_controllers(flows, controller_names(engine, meta))
        return Run(
            **kept,
            seed=str(engine["seed"]),
            flow_columns=flows,
            queue_columns=tables.pop("queues"),
            values=rows.map("metrics", place),
            meta=known,
            engine=engine,
            record_columns=tables,
        )
    for name, derived in DERIVED.items():
        tables[name] = tables[name].without(derived)
    return assemble(engine, known, tables, **kept)


def summary_of(rows: Rows, place: int, run_id: str, resolved: Resolved) -> RunSummary | None:
    """Counters and metrics of a row with today's formulas and the names of `resolved`. None for any other row, of which `run_of` makes the
    run. Raises what `run_of` raises."""
    _check(rows, place, run_id)
    as_stored = made_by_formulas(rows.map("provenance", place)) == row_version()
    if not as_stored or rows.value("meta", place) != resolved.meta_json:
        return None
    return RunSummary(
        run_id=run_id,
        digest=rows.value("digest", place),
        seed=rows.value("seed", place),
        flow_columns=rows.inner("flows", place),
        queue_columns=rows.inner("queues", place),
        values=rows.map("metrics", place),
        behaviour=rows.map("behaviour", place),
        meta=resolved.meta,
    )


def _check(rows: Rows, place: int, run_id: str) -> None:
    """Raises OtherFormatError or ValueError if the row is not that of the run."""
    if (found := rows.value("format", place)) != FORMAT:
        raise OtherFormatError(f"format {found} where {FORMAT} was expected")
    if (found := rows.value("run_id", place)) != run_id:
        raise ValueError(f"holds run {found}")


def _with_controllers(flows: Columns, names: list[str]) -> Columns:
    """`flows` with the controllers called so."""
    if flows.listed("controller") == names:
        return flows
    place, kind = flows.table.column_names.index("controller"), flows.table.column("controller").type
    return Columns.of_table(flows.table.set_column(place, "controller", pa.array(names, kind)))


def _but_for_names(meta: Mapping[str, Any], said: str, engine: Mapping[str, Any]) -> bool:
    """Whether all but names is as in the row, so that its metrics are those of `meta` too.

    What the scenario is called moves no metric, nor does how controllers are written, if the same flows share one as before.
    """
    if canonical(meta) == said:
        return True
    row = orjson.loads(said)
    as_in_row = {key: value for key, value in meta.items() if key != "controllers"} | {"name": row["name"]}
    if "controllers" in row:
        as_in_row["controllers"] = row["controllers"]
    if canonical(as_in_row) != said:
        return False
    pairs = set(zip(controller_names(engine, meta), controller_names(engine, row), strict=True))
    return all(len(pairs) == len({pair[side] for pair in pairs}) for side in (0, 1))


def renamed(run: Run, meta: Mapping[str, Any]) -> Run:
    """The same run under other names."""
    tables = {
        "flows": run.flow_columns.without(DERIVED["flows"]),
        "queues": run.queue_columns.without(DERIVED["queues"]),
        **run.record_columns,
    }
    return assemble(
        run.engine,
        meta,
        tables,
        run_id=run.run_id,
        digest=run.digest,
        summary=run.summary,
        behaviour=run.behaviour,
        provenance=run.provenance,
    )


def same(one: Run, other: Run) -> bool:
    """Whether two runs of one id came out alike: scenario, digest, and every column of the engine that both have."""
    return (
        one.digest == other.digest
        and one.engine_json == other.engine_json
        and dict(one.summary) == dict(other.summary)
        and _same_columns(one.flows, other.flows, DERIVED["flows"])
        and _same_columns(one.queues, other.queues, DERIVED["queues"])
        and all(_same_columns(table, other.records[name], ()) for name, table in one.records.items())
    )


def _same_columns(one: pa.Table, other: pa.Table, derived: Sequence[str]) -> bool:
    both = [name for name in one.column_names if name in other.column_names and name not in derived]
    return one.num_rows == other.num_rows and all(
        _bytes(one.column(name)) == _bytes(other.column(name)) for name in both
    )


def _bytes(column: pa.ChunkedArray) -> tuple[str, Any]:
    """What is compared: undefined numbers are equal to each other."""
    kind = column.type
    plain = pa.types.is_integer(kind) or pa.types.is_floating(kind)
    return str(kind), values_of(column).tobytes() if plain else column.to_pylist()


__all__ = [
    "OtherFormatError",
    "alike",
    "hash_of_metrics",
    "made_by_formulas",
    "of_one_schema",
    "renamed",
    "repeated",
    "row_version",
    "rows_of",
    "run_of",
    "same",
    "series_of",
    "stored_at",
    "summary_of",
]
