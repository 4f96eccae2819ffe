"""Go-Back-N: transfers worked by hand, the formula where it speaks, and the study from the command line."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from tests.browser import Browser, faults
from tests.conftest import CommandLine

from sawtooth import _native
from sawtooth.errors import InputError
from sawtooth.models.sliding_window import efficiency, go_back_n
from sawtooth.papers.reddy2012.sliding_window.protocol import transfer
from sawtooth.papers.reddy2012.sliding_window.study import cases, load_arq, simulate


def damage(slots: int, *bad: int) -> list[bool]:
    """Which slots carry a frame that is damaged."""
    return [slot in bad for slot in range(slots)]


def test_without_damage_the_link_is_full_or_waits_for_the_window() -> None:
    full = transfer(8, 8, damage(800))
    assert (full.sent, full.delivered) == (800, 800)
    waiting = transfer(2, 8, damage(800))  # two frames per round trip
    assert (waiting.sent, waiting.delivered) == (200, 200)
    assert waiting.efficiency == pytest.approx(2 / 8)


def test_a_damaged_frame_costs_a_window() -> None:
    found = transfer(5, 5, damage(20, 2))
    # 0 1, then 2 damaged and 3 4 5 6 dropped, then from slot 7 on 2 3 4 ... again.
    assert (found.sent, found.delivered) == (20, 20 - 5)
    twice = transfer(5, 5, damage(20, 2, 7))
    assert twice.delivered == 20 - 10
    inside = transfer(5, 5, damage(20, 2, 4))  # what is dropped anyway costs nothing more
    assert inside == found


def test_a_window_longer_than_the_round_trip_repeats_a_round_trip_only() -> None:
    assert transfer(64, 5, damage(200, 50)).delivered == 200 - 5


def test_a_late_timer_wastes_what_the_window_leaves() -> None:
    late = transfer(5, 5, damage(200, 50), timeout=9)
    # Slots 50 to 54 send into the void, then the window is closed until the timer ends in slot 59.
    assert late.delivered == 200 - 9
    assert late.sent == 200 - 4


def test_transmissions_are_those_of_the_model() -> None:
    draws = np.asarray(_native.uniforms("3", "arq", 4000)) < 0.05
    found = transfer(8, 8, draws.tolist())
    model = go_back_n(found.delivered, 8, set(np.flatnonzero(draws).tolist()))
    assert abs(len(model.sent) - found.sent) <= 8  # the transfer ends in the middle of a window


def test_every_point_of_the_formula_is_met() -> None:
    study = load_arq().shortened()
    points = simulate(study.model_copy(update={"windows": [1, 4, 16], "probabilities": [0.01, 0.1]}))
    met = [point for point in points if point.formula is not None]
    assert {(point.window, point.p) for point in met} == {(n, p) for n in (1, 4, 16) for p in (0.01, 0.1)}
    for point in met:
        assert point.formula == pytest.approx(float(efficiency(point.p, point.window)))
        assert point.efficiency.mean == pytest.approx(point.formula, rel=0.05)
        assert not point.leaves(0.05)
    (off, *_) = [point for point in points if point.formula is None]
    assert off.deviation is None
    assert not off.leaves(0.0)


def test_a_point_beside_its_curve_is_found() -> None:
    study = load_arq().shortened().model_copy(update={"windows": [4], "probabilities": [0.1]})
    (point, *_) = simulate(study)
    wrong = type(point)(4, 4, 0.1, point.efficiency, point.repeats, 0.9)
    assert wrong.leaves(0.03)
    assert wrong.deviation is not None
    assert wrong.deviation < -0.1


@pytest.mark.long
def test_the_command_line(sawtooth: CommandLine, tmp_path: Path) -> None:
    found = sawtooth("reproduce", "reddy2012/sliding-window", "--quick", "--seeds", "2", "--json")
    assert found.code == 0, found.err
    document = found.json
    assert document["seeds"] == 2
    assert len(document["points"]) == sum(1 for _ in cases(load_arq()))
    assert {row["verdict"] for row in document["claims"]} == {"holds"}
    report = tmp_path / document["report"]
    assert "<svg" in report.read_text(encoding="utf-8")
    assert (report.parent / f"{report.stem}_efficiency.svg").is_file()
    assert (report.parent / f"{report.stem}_efficiency.pdf").is_file()
    refused = sawtooth("reproduce", "reddy2012/sliding-window", "--set", "windows=[3]")
    assert refused.code == 2
    assert "--set" in refused.err
    names = [row["name"] for row in sawtooth("list", "studies", "--json").json["studies"]]
    assert "reddy2012/sliding-window" in names


@pytest.mark.long
def test_its_page_in_a_browser(sawtooth: CommandLine, tmp_path: Path, browser: Browser) -> None:
    assert (
        sawtooth(
            "reproduce", "reddy2012/sliding-window", "--quick", "--seeds", "2", "--report", "a.html"
        ).code
        == 0
    )
    assert faults(browser, tmp_path / "a.html") == []


def test_no_seeds_are_refused() -> None:
    with pytest.raises(InputError, match="from 1"):
        load_arq().seeded(0)
