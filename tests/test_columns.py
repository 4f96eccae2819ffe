"""Columns of plain values are those that Arrow makes of them, and are read as it reads them, without pandas."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from numpy.typing import NDArray

from sawtooth.column_values import values_of
from sawtooth.columns import Columns, Slice, maps, numbers, of_numbers, of_texts, of_truths, texts, truths

ROOT = Path(__file__).resolve().parents[1]
SWEEP = """
import sys, tempfile
import sawtooth
with tempfile.TemporaryDirectory() as folder:
    short = {"duration": "6 s", "warmup": "1 s"}
    found = sawtooth.sweep(sys.argv[1], {"path.rtt": ["50 ms", "100 ms"]}, 1, short, folder)
    assert found.table.num_rows == 2
print("pandas" in sys.modules)
"""


@pytest.mark.parametrize("dtype", [np.int32, np.uint32, np.int64, np.uint64, np.float64])
@pytest.mark.parametrize("count", [0, 1, 9])
def test_numbers_are_those_of_arrow_and_come_back(dtype: type, count: int) -> None:
    values: NDArray[Any] = np.arange(count).astype(dtype)
    column = numbers(values)
    assert column.equals(pa.array(values))
    assert values_of(column).dtype == values.dtype
    assert values_of(column).tolist() == values.tolist()


def test_every_second_number_of_an_array_is_a_column() -> None:
    assert numbers(np.arange(10)[::2]).to_pylist() == [0, 2, 4, 6, 8]


def test_nan_is_null_where_asked_for() -> None:
    values = np.array([1.0, np.nan, 3.0] * 5)
    assert numbers(values, nan_is_null=True).equals(pa.array(values, from_pandas=True))
    assert numbers(values).null_count == 0
    assert np.array_equal(values_of(numbers(values, nan_is_null=True)), values, equal_nan=True)


@pytest.mark.parametrize("values", [[], [True], [False, True, True] * 7])
def test_truth_values(values: list[bool]) -> None:
    assert truths(values).equals(pa.array(values, pa.bool_()))
    assert values_of(truths(values)).tolist() == values


def some_columns(first: int, rows: int) -> tuple[Columns, pa.Table]:
    """Columns of every kind, as the engine gives them and as they are derived, and the same by Arrow's own ways."""
    whole, halves = np.arange(first, first + rows), np.arange(rows) / 2.0
    holes = np.where(whole % 3 == 1, np.nan, halves)
    names = [f"queue {number}" for number in whole]
    notes = [None if number % 2 else "ä" for number in whole]
    given = {
        "i": ("i64", whole.astype(np.int64).tobytes()),
        "u": ("u32", whole.astype(np.uint32).tobytes()),
        "name": ("utf8", json.dumps(names).encode()),
    }
    derived = {
        "half": of_numbers(halves),
        "nan": of_numbers(holes),
        "hole": of_numbers(holes, nan_is_null=True),
        "note": of_texts(notes),
        "odd": of_truths(number % 2 == 1 for number in whole.tolist()),
    }
    expected = pa.table(
        {
            "i": pa.array(whole, pa.int64()),
            "u": pa.array(whole, pa.uint32()),
            "name": pa.array(names, pa.string()),
            "half": pa.array(halves),
            "nan": pa.array(holes),
            "hole": pa.array(holes, from_pandas=True),
            "note": pa.array(notes, pa.string()),
            "odd": pa.array(whole % 2 == 1),
        }
    )
    return Columns(given).with_columns(derived), expected


def same_table(one: pa.Table, other: pa.Table) -> bool:
    """Whether two tables say the same; NaN is NaN."""
    return one.schema.equals(other.schema) and repr(one.to_pydict()) == repr(other.to_pydict())


@pytest.mark.parametrize("rows", [0, 1, 9])
@pytest.mark.parametrize("behind_a_table", [False, True])
def test_columns_are_the_table_that_arrow_makes(rows: int, behind_a_table: bool) -> None:
    columns, expected = some_columns(5, rows)
    if behind_a_table:
        base = Columns.of_table(expected.select(["i", "u", "name", "half"]))
        later = {
            "nan": of_numbers(columns.values("nan")),
            "hole": of_numbers(columns.values("hole"), nan_is_null=True),
        }
        later |= {"note": of_texts(columns.listed("note")), "odd": of_truths(columns.listed("odd"))}
        columns = base.with_columns(later)
    assert same_table(columns.table, expected)
    assert columns.schema.equals(expected.schema)
    assert (columns.rows, list(columns.names)) == (rows, expected.column_names)
    for name in expected.column_names:
        assert name in columns
        assert repr(columns.listed(name)) == repr(expected.column(name).to_pylist())
        if name not in ("name", "note"):
            assert np.array_equal(
                columns.values(name), values_of(expected.column(name)), equal_nan=name in ("nan", "hole")
            )
    assert "other" not in columns
    left = columns.without(["u", "hole"])
    assert "hole" not in left
    assert same_table(left.table, expected.drop_columns(["u", "hole"]))
    with pytest.raises(KeyError):
        left.values("other")


def test_joined_columns_are_the_tables_below_each_other() -> None:
    parts = [some_columns(first, rows) for first, rows in ((0, 4), (4, 0), (9, 3), (2, 1))]
    expected = pa.concat_tables([table for _, table in parts])
    assert same_table(Columns.joined([columns for columns, _ in parts]), expected)
    mixed = [Columns.of_table(parts[0][1]), *(columns for columns, _ in parts[1:])]
    assert same_table(Columns.joined(mixed), expected)
    assert parts[0][0].schema is parts[2][0].schema, "so that runs of one kind are told at a glance"


def test_columns_are_alike_that_can_be_joined() -> None:
    one, two = some_columns(0, 4)[0], some_columns(9, 1)[0]
    assert one.is_like(two)
    assert one.is_like(Columns.of_table(two.table))
    assert not one.is_like(two.without(["note"]))
    swapped = two.without(["i"]).with_columns({"i": ("i64", b"\0" * 8)})
    assert not one.is_like(swapped), "the order counts"
    other = two.without(["odd"]).with_columns({"odd": of_texts(["yes"])})
    assert not one.is_like(other), "and so do types"


@pytest.mark.parametrize(("first", "count"), [(0, 9), (2, 4), (8, 1), (3, 0)])
def test_a_slice_is_what_arrow_cuts_out(first: int, count: int) -> None:
    _, whole = some_columns(0, 9)
    # A null makes floats of the whole numbers beside it, and of no others.
    gap = pa.array([None, *range(8)], pa.int64())
    rows = Slice.all_of(whole.append_column("gap", gap)).rows_from(0, 9).rows_from(first, count)
    columns = Columns({}, rows)
    expected = whole.append_column("gap", gap).slice(first, count)
    assert (columns.rows, list(columns.names)) == (count, expected.column_names)
    for name in ("i", "u", "half", "nan", "hole", "odd", "gap"):
        cut = values_of(expected.column(name))
        assert np.array_equal(columns.values(name), cut, equal_nan=cut.dtype == np.float64)
        assert columns.values(name).dtype == cut.dtype
    assert same_table(columns.table, expected)
    assert columns.listed("note") == expected.column("note").to_pylist()
    with pytest.raises(KeyError):
        columns.values("other")


@pytest.mark.parametrize("values", [[], ["a"], ["", "ä–x", "b"], ["a", None, "", None] * 5, [None]])
def test_texts(values: list[str | None]) -> None:
    assert texts(values).equals(pa.array(values, pa.string()))


def test_maps() -> None:
    rows = [{"a": 1, "b": 2}, {}, {"c": 3}]
    expected = pa.array([list(row.items()) for row in rows], pa.map_(pa.string(), pa.int64()))
    assert maps(rows, np.int64).equals(expected)
    assert maps(rows, np.int64).type == expected.type
    told = [{"a": "x"}, {"b": "y"}]
    assert maps(told, None).equals(
        pa.array([list(row.items()) for row in told], pa.map_(pa.string(), pa.string()))
    )


@pytest.mark.parametrize(
    "column",
    [
        pa.array([1, 2, 3, 4, 5, 6, 7, 8, 9, 10]),
        pa.array([1, None, 3, 4, None, 6, 7, 8, 9, None]),
        pa.array([1.5, None] * 5),
        pa.array([True, False, False] * 4),
    ],
)
def test_a_slice_and_chunks_are_read_as_arrow_reads_them(column: pa.Array) -> None:
    for part in (column, column[3:9], column[9:], column[3:3]):
        expected = part.to_numpy(zero_copy_only=False)
        assert np.array_equal(values_of(part), expected, equal_nan=expected.dtype == np.float64)
    chunks = pa.chunked_array([column[:3], column[3:]])
    assert np.array_equal(
        values_of(chunks), column.to_numpy(zero_copy_only=False), equal_nan=column.type != pa.bool_()
    )
    assert values_of(pa.chunked_array([], pa.int64())).size == 0


def test_a_sweep_loads_no_pandas() -> None:
    """It did through `pyarrow.array` and `to_numpy`: some tenths of a second and 40 MB in every process."""
    done = subprocess.run(
        [sys.executable, "-c", SWEEP, str(ROOT / "examples" / "one-flow.toml")],
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout.strip() == "False"


def test_values_that_were_read_are_read_no_more_where_columns_join_or_leave() -> None:
    first = Columns({"a": of_numbers(np.arange(3.0)), "b": of_numbers(np.arange(3))})
    a = first.values("a")
    more = first.with_columns({"b": of_numbers(np.arange(3) + 1), "c": of_truths([True, False, True])})
    assert more.values("a") is a
    assert more.values("b").tolist() == [1, 2, 3]
    less = more.without(["b"])
    assert less.values("a") is a
    assert "b" not in less
    with pytest.raises(KeyError):
        less.values("b")
