"""A run as a value: determinism, the tables, the JSON document, the Python interface."""

from __future__ import annotations

import json
import math
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
import pytest
from tests.fits import fits

import sawtooth as st
from sawtooth.errors import InputError
from sawtooth.measure.metrics import METRIC_NAMES
from sawtooth.run.run import execute, run_id_of
from sawtooth.scenario.resolve import resolve
from sawtooth.scenario.scenario import parse_scenario


def test_the_same_run_twice_and_on_two_threads_gives_the_same_bytes(scenario_text: str) -> None:
    job = resolve(parse_scenario(scenario_text))
    first = execute(job)
    with ThreadPoolExecutor(2) as pool:
        others = [execute(job), *pool.map(execute, [job, job])]
    for other in others:
        assert other.digest == first.digest
        assert other.run_id == first.run_id == run_id_of(job)
        assert other.flows.equals(first.flows)
        assert other.queues.equals(first.queues)


def test_a_changed_seed_changes_identity_and_result(scenario_text: str) -> None:
    first, second = st.run(scenario_text), st.run(scenario_text, seed=2)
    assert (first.seed, second.seed) == ("1", "2")
    assert first.run_id != second.run_id
    assert first.digest != second.digest


def test_columns_agree_with_each_other(scenario_text: str) -> None:
    run = st.run(scenario_text)
    flows, queue = run.flows.to_pylist(), run.queues.to_pylist()[0]
    assert [row["id"] for row in flows] == [0, 1, 2]
    assert [row["recovery"] for row in flows] == ["sack", "sack", "reno"]
    assert all(row["test"] for row in flows)
    assert queue["name"] == "bottleneck"
    in_transit = 60  # packets on access links when the window opens and closes
    assert (
        abs(sum(row["sent"] for row in flows) - queue["test_arrivals"]) < in_transit < queue["test_arrivals"]
    )
    assert sum(row["drops"] for row in flows) == queue["test_drops"] > 0
    reasons = (
        "drops_full",
        "drops_early",
        "drops_forced",
        "drops_impairment",
        "drops_policed",
        "drops_filtered",
    )
    assert queue["drops"] == sum(queue[reason] for reason in reasons)
    for row in flows:
        assert row["goodput_bps"] == row["delivered_unique"] * 1000 * 8 / 2.0
        assert row["loss_pct"] == pytest.approx(100 * row["drops"] / row["sent"])
    assert run.values["goodput"] == pytest.approx(sum(row["goodput_bps"] for row in flows) / 8e6)
    assert run.values["loss"] == pytest.approx(100 * queue["test_drops"] / queue["test_arrivals"])
    assert run.values["utilisation"] + run.values["idle"] == pytest.approx(1.0, abs=1e-6)


def test_every_packet_is_accounted_for(scenario_text: str) -> None:
    account = st.run(scenario_text).summary
    out = ("packets_delivered", "packets_dropped", "packets_queued", "packets_in_flight")
    assert account["packets_sent"] == sum(account[name] for name in out) > 1000


def test_metrics_are_a_table_of_one_row_that_concatenates(scenario_text: str) -> None:
    runs = [st.run(scenario_text, seed=seed) for seed in (1, 2)]
    table = pa.concat_tables([run.metrics for run in runs])
    assert table.column_names == list(METRIC_NAMES)
    assert table["goodput"].to_pylist() == [run.values["goodput"] for run in runs]


def test_tables_share_the_memory_of_the_engine(scenario_text: str) -> None:
    """Wrapping does not copy: a column's buffer is the very bytes object that came from the engine."""
    from sawtooth.columns import column_of

    data = (7).to_bytes(8, "little") + (9).to_bytes(8, "little")
    column = column_of("i64", data)
    assert column.to_pylist() == [7, 9]
    assert column.buffers()[1].address == pa.py_buffer(data).address
    assert column_of("utf8", json.dumps(["a", "é"]).encode()).to_pylist() == ["a", "é"]


def test_records_are_kept_where_the_scenario_asks(scenario_text: str) -> None:
    asked = {"record.windows": True, "record.sample": "10 ms", "record.rates": "100 ms"}
    assert st.run(scenario_text).records == {}
    run = st.run(scenario_text, set=asked)
    assert set(run.records) == {"windows", "queue_samples", "rates"}
    rates = run.records["rates"]
    measured = rates.filter(pc.greater(rates["time_ns"], 1_000_000_000))
    in_bins = sum(measured["delivered_packets"].to_pylist())
    per_bin = 8_000_000 * 0.1 / 8000  # the bin that ends with the run may be missing
    assert 0 <= sum(run.flows["delivered_unique"].to_pylist()) - in_bins <= per_bin
    windows = run.records["windows"]
    cuts = windows.filter(pc.equal(windows["event"], 1))
    assert cuts.num_rows > 5
    for row in cuts.to_pylist():
        assert row["window"] < row["window_before"]
    samples = run.records["queue_samples"].to_pylist()
    assert max(row["packets"] for row in samples if row["queue"] == 0) <= 12
    assert run.values["share_autocorrelation_time"] >= 0.0
    assert math.isnan(st.run(scenario_text).values["share_autocorrelation_time"])


def test_recording_changes_nothing_else(scenario_text: str) -> None:
    plain = st.run(scenario_text)
    recorded = st.run(scenario_text, set={"record.windows": True, "record.sample": "10 ms"})
    assert recorded.flows.equals(plain.flows)
    assert recorded.queues.equals(plain.queues)


def test_the_document_has_what_other_programs_rely_on(scenario_text: str) -> None:
    run = st.run(scenario_text)
    document = json.loads(json.dumps(run.to_json(), allow_nan=False))
    assert fits(document) == "run"
    assert {"flows", "queues", "metrics", "resolved", "digest", "run_id"} <= set(document)
    for row in document["flows"]:
        assert {"id", "controller", "recovery", "goodput_bps", "loss_pct", "timeouts", "retransmits"} <= set(
            row
        )
    for row in document["queues"]:
        assert {"name", "mean_delay_ms", "arrivals", "drops", "marks", "forwarded"} <= set(row)
    assert list(document["metrics"])[:6] == ["goodput", "fairness", "delay", "loss", "jain", "utilisation"]
    assert document["metrics"]["share_autocorrelation_time"] is None
    assert document["queues"][0]["mean_delay_ms"] == pytest.approx(document["metrics"]["delay"])
    engine = document["resolved"]["engine"]
    assert engine["profiles"][0]["controller"] == {
        "kind": "linear",
        "a_i": 1.0,
        "b_i": 1.0,
        "a_d": 0.0,
        "b_d": 0.5,
    }


def test_controllers_are_named_as_written_and_echoed_in_numbers(scenario_text: str) -> None:
    table = {"kind": "linear", "a_i": 1, "b_i": 1, "a_d": 0, "b_d": 0.8}
    run = st.run(scenario_text, set={"flows[1].control": table})
    assert run.flows["controller"].to_pylist() == ["aimd(1, 0.5)", "aimd(1, 0.5)", "linear(1, 1, 0, 0.8)"]
    plain = execute(resolve(parse_scenario(scenario_text)))
    assert plain.flows["controller"].to_pylist() == ["linear(1, 1, 0, 0.5)"] * 2 + ["linear(1, 1, 0, 0.8)"]
    assert plain.digest == run.digest


def source_kinds(text: str, path: Path) -> list[Any]:
    """The same scenario in every form that `st.run` takes."""
    import tomllib

    from sawtooth.scenario.scenario import load_scenario

    return [text, str(path), path, tomllib.loads(text), load_scenario(path)]


def test_every_form_of_a_scenario_means_the_same(scenario_text: str, scenario_file: Path) -> None:
    digests = {st.run(source).digest for source in source_kinds(scenario_text, scenario_file)}
    assert len(digests) == 1


def test_overrides_as_mapping_and_as_text_mean_the_same(scenario_text: str) -> None:
    as_mapping = st.run(scenario_text, set={"bottleneck.rate": "4 Mbit/s"})
    as_text = st.run(scenario_text, set=["bottleneck.rate=4 Mbit/s"])
    by_its_other_name = st.run(scenario_text, overrides=["bottleneck.rate=4 Mbit/s"])
    assert by_its_other_name.run_id == as_text.run_id
    with pytest.raises(InputError, match="nothing beside set"):
        st.run(scenario_text, set=["seed=1"], overrides=["seed=2"])
    assert as_mapping.digest == as_text.digest != st.run(scenario_text).digest


def test_functions_stay_functions_whatever_modules_are_imported() -> None:
    """`sawtooth.run` is a package too; importing it, or anything in it, must not hide the function."""
    import importlib

    for name in ("run", "run.api", "run.run", "experiment.compare", "papers.reproduce"):
        importlib.import_module(f"sawtooth.{name}")
    for name in st.__all__:
        assert callable(getattr(st, name)), name
