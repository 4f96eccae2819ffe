"""Every JSON document says what it is, and is what its schema says; a schema leaves no key out and explains each."""

from __future__ import annotations

import json
import shlex
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator
from tests.conftest import SCENARIO, CommandLine
from tests.fits import fits
from tools import results_page

import sawtooth
import sawtooth as st
from sawtooth.documents import FORMATS, SHARED, format_of, keys, schema
from sawtooth.measure.metrics import METRIC_NAMES
from sawtooth.scenario.described import describe

ROOT = Path(__file__).resolve().parents[1]
SCHEMAS = Path(sawtooth.__file__).parent / "data" / "schemas"
COMMANDS = {
    "run": "run s.toml",
    "comparison": "compare 'aimd(1, 0.5)' 'aimd(1, 0.8)' --environment sq-high --seeds 2 --duration '3 s' --warmup '1 s'",
    "sweep": "sweep s.toml --over path.rtt=30ms,60ms --seeds 2",
    "new-study": "new study",
    "new-controller": "new controller mine --lang c",
    "controller-check": "check-controller 'aimd(1, 0.5)'",
    "mathematics": "reproduce reddy2012/mathematics",
    "sliding-window": "reproduce reddy2012/sliding-window --quick --seeds 2",
    "coexistence": "reproduce coexistence --quick --seeds 1",
    "environment": "environment real-sq --duration '3 s'",
    "model-response": "model response --a 0.2 --b 0 --p 0.01",
    "model-drop-rate": "model drop-rate --a 1 --b 0.125 --rate 20",
    "model-compatible": "model compatible --b 0.125",
    "model-smoothness": "model smoothness --a 1 --b 0.6",
    "model-converge": "model converge 'aiad(1, 3)' --windows 3,40 --capacity 100",
    "model-fairness": "model fairness --a-i 1 --b-i 1 --a-d 0 --b-d 1",
    "trace": "trace lte-driving-up --duration 2s",
    "stored-runs": "store ls",
    "stored-run": "store show RUNID",
    "removed-runs": "store rm --all --dry-run",
    "shard": "sweep s.toml --over path.rtt=30ms,60ms --seeds 2 --shard 1/2",
    "verified-store": "store verify",
    "merged-store": "store merge other .sawtooth",
    "collected-store": "store gc",
    "export": "store export --output table.csv",
    "replay": "replay RUNID",
    "examples": "examples",
    "list": "list",
    "schemas": "schema",
    "claims": "claims reddy2012",
    "doctor": "doctor",
}
"""By kind, a command that prints such a document within seconds."""
MINUTES = ("coexistence",)
"""Kinds whose command runs a whole study: `make test-long` runs it, and tests/test_coexistence.py looks at a document of few runs."""
ELSEWHERE = {
    "bbr-draft": "test_bbr_cases",
    "reproduction": "test_reproduce",
    "overlay": "test_overlay",
    "configurations": "test_set_ups",
    "ablation": "test_ablation",
    "sensitivity": "test_sensitivity",
    "confirmation": "test_deciding",
    "reconstruction": "test_reconstruction",
    "crossing": "test_crossing",
    "environment-search": "test_pattern_search",
}
"""By kind, the tests that look at one, because many runs are behind it."""


def test_every_kind_is_looked_at() -> None:
    assert {*COMMANDS, *ELSEWHERE} == set(FORMATS)
    assert not COMMANDS.keys() & ELSEWHERE.keys()
    for kind, name in ELSEWHERE.items():
        text = (ROOT / "tests" / f"{name}.py").read_text(encoding="utf-8")
        assert "fits(" in text
        assert f'== "{kind}"' in text


@pytest.mark.parametrize(
    "kind", [pytest.param(kind, marks=[pytest.mark.long] if kind in MINUTES else []) for kind in COMMANDS]
)
def test_a_command_prints_what_the_schema_says(
    kind: str, sawtooth: CommandLine, scenario_file: Path, tmp_path: Path
) -> None:
    scenario_file.write_text(SCENARIO + '[record]\nwindows = true\nsample = "100 ms"\n')
    run = st.run(SCENARIO, store=tmp_path / ".sawtooth")
    line = COMMANDS[kind].replace("RUNID", run.run_id)
    done = sawtooth(*shlex.split(line), "--json")
    assert done.code == 0, done.err
    assert fits(done.json) == kind


def test_recorded_series_are_in_the_document(sawtooth: CommandLine, scenario_file: Path) -> None:
    overrides = {"record.windows": True, "record.congestion": True}
    options = [word for key in overrides for word in ("--set", f"{key}=true")]
    document = sawtooth("run", scenario_file, *options, "--json").json
    run = st.run(SCENARIO, set=overrides, store=False)
    assert set(document["series"]) == {"windows", "congestion"}
    for name, table in run.records.items():
        assert document["series"][name] == json.loads(
            json.dumps(table.to_pydict()).replace("Infinity", "null")
        )
    assert "series" in sawtooth("run", scenario_file, "--json").json


@pytest.mark.parametrize("kind", FORMATS)
def test_a_schema_is_one(kind: str, sawtooth: CommandLine) -> None:
    found = schema(kind)
    Draft202012Validator.check_schema(found)
    assert found["properties"]["format"]["const"] == format_of(kind)
    assert found["$id"] == f"urn:sawtooth:{kind}:{FORMATS[kind]}"
    assert [
        node["$ref"] for node in objects(found) if "$ref" in node and not known(node["$ref"], found)
    ] == []
    assert json.loads(sawtooth("schema", kind).out) == found


def known(reference: str, found: Mapping[str, Any]) -> bool:
    """Whether a reference leads to a definition of the schema itself."""
    start, _, name = reference.rpartition("/")
    return start == "#/$defs" and name in found["$defs"]


def objects(node: Any) -> Iterator[dict[str, Any]]:
    """Every object within a schema."""
    if isinstance(node, dict):
        yield node
    for inner in node.values() if isinstance(node, dict) else node if isinstance(node, list) else ():
        yield from objects(inner)


@pytest.mark.parametrize("kind", FORMATS)
def test_a_schema_explains_every_key_and_knows_all(kind: str) -> None:
    found = schema(kind)
    rows = [*keys(found), *(row for each in found.get("$defs", {}).values() for row in keys(each))]
    assert [path for path, _, text in rows if not text.endswith((".", "…"))] == []
    open_ones = [
        node for node in objects(found) if "properties" in node and "additionalProperties" not in node
    ]
    assert (open_ones == []) == (kind not in ("run", "stored-run", "list", "comparison", "reproduction"))
    for node in objects(found):
        if isinstance(node.get("required"), list):
            assert set(node["required"]) <= set(node["properties"])


def test_the_page_explains_every_key_as_the_schemas_do() -> None:
    """`python -m tools.results_page` fills its places."""
    page = results_page.PAGE.read_text(encoding="utf-8")
    assert results_page.filled(page) == page
    for kind in FORMATS:
        for path, _, text in keys(schema(kind)):
            assert f"| `{path}` | " in page
            assert text.replace("|", "\\|") in page
    for row in describe()["series"]:
        assert all(code in page for column in row["columns"] for code in column.get("codes", ()))


def test_a_key_too_many_or_too_few_is_seen() -> None:
    document = {"format": format_of("doctor"), "ok": True, "versions": {}, "checks": []}
    assert fits(document) == "doctor"
    for wrong in (
        {**document, "more": 1},
        {**document, "ok": "yes"},
        {**document, "checks": [{"name": "x"}]},
    ):
        with pytest.raises(pytest.fail.Exception):
            fits(wrong)
    with pytest.raises(AssertionError, match="every document says what it is"):
        fits({"ok": True})


def test_there_is_a_file_per_kind_and_no_other() -> None:
    assert {path.stem for path in SCHEMAS.glob("*.json")} == {SHARED, *FORMATS}


def test_an_unknown_name_is_refused(sawtooth: CommandLine) -> None:
    done = sawtooth("schema", "runs")
    assert done.code == 2
    assert "expected one of scenario, run, comparison" in done.err
    assert json.loads(sawtooth("schema", "scenario").out) == json.loads(sawtooth("run", "--schema").out)


def test_metrics_are_those_of_the_list(scenario_text: str) -> None:
    document = st.run(scenario_text, store=False).to_json()
    assert list(document["metrics"]) == list(document["units"]) == list(METRIC_NAMES)
