"""`sawtooth doctor`: sound installations pass, and every check can fail."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

import sawtooth as st
from sawtooth.cli import exit_code
from sawtooth.run import doctor
from sawtooth.run.doctor import Check, conservation, same, self_check, traffic
from sawtooth.run.run import Run, execute
from sawtooth.scenario.resolve import Resolved

if TYPE_CHECKING:
    from tests.conftest import CommandLine


def test_a_sound_installation(sawtooth: CommandLine) -> None:
    ended = sawtooth("doctor", "--json")
    assert ended.code == 0
    document = ended.json
    assert document["ok"] is True
    assert {check["name"] for check in document["checks"]} >= {
        "repeatable",
        "seed matters",
        "packets conserved",
        "store",
    }
    assert {"engine", "version", "profile", "rustc", "python", "platform", "numpy", "pyarrow"} <= set(
        document["versions"]
    )
    assert "missing" not in document["versions"].values()
    assert "self-check" in sawtooth("doctor").out


def test_a_failed_check_is_exit_1(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(doctor, "self_check", lambda: [Check("repeatable", False, "two digests")])
    assert exit_code(["doctor"]) == 1
    assert "FAILED" in capsys.readouterr().out


def test_an_engine_that_is_not_repeatable_is_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    calls: list[int] = []

    def drifting(job: Resolved) -> Run:
        calls.append(1)
        return replace(execute(job), digest=f"{len(calls)}")

    monkeypatch.setattr(doctor, "execute", drifting)
    failed = {check.name for check in self_check() if not check.ok}
    assert failed == {"repeatable", "thread 1", "thread 2"}


def test_each_check_can_fail(scenario_text: str) -> None:
    run = st.run(scenario_text)
    lost = {**run.summary, "packets_sent": run.summary["packets_sent"] + 1}
    assert conservation(run).ok
    assert not conservation(replace(run, summary=lost)).ok
    assert traffic(run).ok
    assert not traffic(replace(run, values={**run.values, "loss": 0.0})).ok
    assert not same("x", run, replace(run, digest="y"), "twice").ok
