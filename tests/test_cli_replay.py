"""`sawtooth replay` through the real entry point: 0 the same, 1 different, 2 unknown."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from tests.conftest import file_of

import sawtooth as st
from sawtooth.run.store import Store

if TYPE_CHECKING:
    from tests.conftest import CommandLine


def test_the_same_run_again(sawtooth: CommandLine, scenario_file: Path) -> None:
    run = sawtooth("run", "s.toml", "--json").json
    ended = sawtooth("replay", run["run_id"][:10], "--json")
    assert ended.code == 0
    assert ended.json["same"] is True
    assert ended.json["digest"] == ended.json["stored_digest"] == run["digest"]
    assert ended.json["engine_changed"] is False
    assert "same digest" in sawtooth("replay", run["run_id"]).out


def test_a_different_digest_is_exit_1(sawtooth: CommandLine, scenario_text: str, tmp_path: Path) -> None:
    run = st.run(scenario_text)
    Store(tmp_path / "other").put(replace(run, digest="0" * len(run.digest)))
    ended = sawtooth("replay", run.run_id, "--store", "other", "--json")
    assert ended.code == 1
    assert ended.json["same"] is False
    assert ended.json["digest"] == run.digest
    people = sawtooth("replay", run.run_id, "--store", "other")
    assert people.code == 1
    assert "DIFFERS" in people.out
    assert "engine changed" not in people.out


def test_another_engine_is_named(sawtooth: CommandLine, scenario_text: str, tmp_path: Path) -> None:
    run = st.run(scenario_text)
    foreign = replace(
        run,
        digest="0" * 64,
        behaviour={**run.behaviour, "core": 0},
        provenance={**run.provenance, "engine": "feedfacefeedface"},
    )
    Store(tmp_path / "other").put(foreign)
    ended = sawtooth("replay", run.run_id[:6], "--store", "other")
    assert ended.code == 1
    assert "engine changed: stored feedfacefeedface" in ended.out
    assert f"behaviour of core changed: stored 0, now {run.behaviour['core']}" in ended.out


def test_an_unknown_run_is_exit_2(sawtooth: CommandLine, scenario_file: Path) -> None:
    for where in ([], ["--store", "nowhere"]):
        ended = sawtooth("replay", "abcdef", *where)
        assert (ended.code, ended.out) == (2, "")
        assert "abcdef" in ended.err
        assert len(ended.err.splitlines()) <= 3


def test_a_prefix_of_several_runs_is_exit_2(
    sawtooth: CommandLine, scenario_text: str, tmp_path: Path
) -> None:
    run = st.run(scenario_text)
    for run_id in ("aa00", "aa11"):
        Store(tmp_path / ".sawtooth").put(replace(run, run_id=run_id))
    ended = sawtooth("replay", "aa")
    assert ended.code == 2
    assert "aa00, aa11" in ended.err


def test_a_stored_run_that_cannot_be_read_is_exit_2(
    sawtooth: CommandLine, scenario_text: str, tmp_path: Path
) -> None:
    run = st.run(scenario_text)
    store = Store(tmp_path / ".sawtooth")
    store.put(run)
    file = file_of(store, run.run_id)
    data = bytearray(file.read_bytes())
    data[len(data) // 3] ^= 0xFF
    file.write_bytes(data)
    ended = sawtooth("replay", run.run_id)
    assert ended.code == 2
    assert "a readable run" in ended.err
    assert len(ended.err.splitlines()) <= 3
