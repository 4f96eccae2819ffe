"""Recorded series: whatever the engine describes can be asked for in a scenario, is recorded, stored and read back."""

from __future__ import annotations

from pathlib import Path

import pytest

import sawtooth as st
from sawtooth.errors import InputError
from sawtooth.run.store import Store
from sawtooth.scenario.described import describe
from sawtooth.scenario.record_fields import WRITTEN_ALWAYS, engine_record
from sawtooth.scenario.scenario import Record, Scenario, parse_scenario, with_values

SERIES = {row["name"]: row for row in describe()["series"]}
SHORT_FLOWS = """
[environment]
kind = "real-cons-low"
interarrival = "50 ms"
"""
CALL = """
[[traffic]]
kind = "media"
rate = "300 kbit/s"
"""


def asked(text: str, name: str) -> Scenario:
    """The scenario of the tests with one series recorded, over a network that has what the series is about."""
    row = SERIES[name]
    value = True if row["kind"] == "flag" else "50 ms"
    text += {"completions": SHORT_FLOWS, "frames": CALL}.get(name, "")
    model = {"flows.control": "bbr", "flows.recovery": "rack"} if name == "model" else {}
    state = {"bottleneck.queue": "codel", "record.sample": "50 ms"} if name == "disciplines" else {}
    return with_values(parse_scenario(text), {**model, **state, f"record.{row['key']}": value})


@pytest.mark.parametrize("name", SERIES)
def test_what_is_described_is_recorded_stored_and_read_back(
    name: str, scenario_text: str, tmp_path: Path
) -> None:
    run = st.run(asked(scenario_text, name))
    keys = {SERIES[name]["key"], *(["sample"] if name == "disciplines" else [])}
    expected = {row["name"] for row in SERIES.values() if {row["key"], row["also"]} & keys}
    assert set(run.records) - {"arrivals", "traffic"} == expected
    table = run.records[name]
    assert table.num_rows > 0
    assert table.column_names == [column["name"] for column in SERIES[name]["columns"]]
    for column in SERIES[name]["columns"]:
        codes = column.get("codes")
        assert codes is None or set(table[column["name"]].to_pylist()) <= set(range(len(codes)))
    store = Store(tmp_path)
    store.put(run)
    back = store.get(run.run_id)
    assert back is not None
    assert set(back.records) == set(run.records)
    assert back.records[name].equals(table)


def test_what_is_not_asked_for_leaves_no_trace_in_the_scenario_of_the_engine(scenario_text: str) -> None:
    plain = parse_scenario(scenario_text).record
    assert engine_record(plain) == {"windows": False, "sample_ns": None, "rates_ns": None}
    for name, row in SERIES.items():
        given = engine_record(asked(scenario_text, name).record)
        key = row["key"] if row["kind"] == "flag" else f"{row['key']}_ns"
        assert given[key] == (True if row["kind"] == "flag" else 50_000_000)
        assert set(given) == {*WRITTEN_ALWAYS, key}


def test_every_key_says_what_it_records() -> None:
    fields = Record.model_fields
    assert set(fields) == {row["key"] for row in SERIES.values()}
    for row in SERIES.values():
        for key in filter(None, (row["key"], row["also"])):
            assert row["name"] in str(fields[key].description)


def test_an_interval_that_fills_the_memory_is_refused_under_the_users_key(scenario_text: str) -> None:
    with pytest.raises(InputError) as refused:
        st.run(scenario_text, set={"record.rates": "1 ns"})
    # 3 s of three flows and a queue at 100 million rows
    assert 'record.rates = "1 ns": expected at least 120 ns, ' in str(refused.value)
