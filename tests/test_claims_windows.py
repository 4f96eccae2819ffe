"""Claims of section 3.2 on the smallest windows: each part comes out both ways, and beside what fails stands what holds."""

from __future__ import annotations

import pytest

from sawtooth.claims.logic import Verdict
from sawtooth.claims.view import NoRuns
from sawtooth.papers.akella2002.claims import section3
from sawtooth.papers.akella2002.printed import environments, figures
from sawtooth.papers.reddy2012.claims import tables as reddy

H, F = Verdict.HOLDS, Verdict.FAILS


def twice(rate_bps: int, rtt_ms: int) -> float:
    """Twice the packets that fill a path."""
    return 2 * rate_bps * rtt_ms / 1000 / section3.PACKET_BITS


def test_smaller_windows_grow_where_less_bandwidth_is_offered(monkeypatch: pytest.MonkeyPatch) -> None:
    found = section3.lowest_increment_window(NoRuns())
    assert [part.verdict for part in found.operands] == [H, F]
    assert found.operands[1].numbers["these_do"] == [row.name for row in environments()[4:10]]
    monkeypatch.setattr(section3, "environments", lambda: environments()[:4])
    assert section3.lowest_increment_window(NoRuns()).verdict is H
    monkeypatch.setattr(section3, "window_packets", twice)
    assert section3.lowest_increment_window(NoRuns()).verdict is F


def test_smaller_windows_are_cut_where_less_is_offered_or_a_router_signals_early(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    found = section3.lowest_decrement_window(NoRuns())
    assert [part.verdict for part in found.operands] == [H, F, F]
    assert found.operands[2].numbers["these_do"] == ["ecn", "red"]
    assert found.instead is not None
    assert found.instead.verdict is H
    assert reddy.windows(NoRuns()).verdict is F
    monkeypatch.setattr(section3, "environments", lambda: environments()[:4])
    assert section3.lowest_decrement_window(NoRuns()).verdict is F
    monkeypatch.setattr(section3, "figures", lambda: [row for row in figures() if row.router == "droptail"])
    assert section3.lowest_decrement_window(NoRuns()).verdict is H
    assert reddy.windows(NoRuns()).verdict is H
    monkeypatch.setattr(section3, "window_packets", twice)
    broken = section3.lowest_decrement_window(NoRuns())
    assert broken.verdict is F
    assert broken.instead is not None
    assert broken.instead.verdict is F
    assert reddy.windows(NoRuns()).verdict is F


def test_the_bounds_of_the_parameters_fail_in_one_part(monkeypatch: pytest.MonkeyPatch) -> None:
    found = section3.parameter_bounds(NoRuns())
    assert [part.verdict for part in found.operands] == [F, H, H, H]  # a tenth of 15 packets is 1.5, not 3
    assert found.instead is not None
    assert found.instead.verdict is H
    monkeypatch.setattr(section3, "window_packets", lambda *_: 30.0)
    broken = section3.parameter_bounds(NoRuns())
    assert [part.verdict for part in broken.operands] == [H, F, H, H]
    assert broken.instead is not None
    assert broken.instead.verdict is F
