"""How far long work has come: lines where there is no terminal, a bar where there is one, and the time left."""

from __future__ import annotations

import io

import pytest
from rich.console import Console

from sawtooth.progress import EVERY_S, SWITCH, _Lines, clock, progress_bar, time_left_s


class Clock:
    """Time that a test moves."""

    now = 100.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def time(monkeypatch: pytest.MonkeyPatch) -> Clock:
    """The clock behind the lines."""
    monkeypatch.delenv(SWITCH, raising=False)
    moved = Clock()
    monkeypatch.setattr("sawtooth.progress.time.monotonic", moved)
    return moved


def test_short_work_says_nothing(time: Clock, capsys: pytest.CaptureFixture[str]) -> None:
    with progress_bar("fig4") as bar:
        bar(1, 2, 0)
        time.now += EVERY_S - 0.1
        bar(2, 2, 0)
        bar.stage("drawing", 1, 1)
    assert capsys.readouterr() == ("", "")


def test_long_work_says_a_line_every_few_seconds(time: Clock, capsys: pytest.CaptureFixture[str]) -> None:
    with progress_bar("fig4") as bar:
        for done in range(1, 41):
            time.now += 1.0
            bar(10 + done, 1050, 10)
    out, err = capsys.readouterr()
    assert out == ""
    lines = err.splitlines()
    assert len(lines) == int(40 / EVERY_S)
    # Five runs were simulated in five seconds, one a second: the other 1,035 take at most 1,035 seconds.
    assert lines[0] == "fig4: 15 of 1,050 runs, 10 of them from the store, at most 17:15 left (0:05 so far)"


def test_judging_and_drawing_speak(time: Clock, capsys: pytest.CaptureFixture[str]) -> None:
    with progress_bar("fig4") as bar:
        bar(7, 7, 7)
        time.now += EVERY_S
        bar.stage("judging", 0, 1)
        time.now += EVERY_S
        bar.stage("drawing", 3, 12)
    assert capsys.readouterr().err.splitlines() == [
        "fig4: judging (0:05 so far)",
        "fig4: drawing, 3 of 12 (0:10 so far)",
    ]


def test_a_stage_of_work_that_has_spoken_says_that_it_begins(
    time: Clock, capsys: pytest.CaptureFixture[str]
) -> None:
    with progress_bar("fig4") as bar:
        for done in range(1, 13):
            time.now += 1.0
            bar(done, 12, 0)
        bar.stage("judging", 0, 30)
        bar.stage("judging", 1, 30)
    assert capsys.readouterr().err.splitlines()[-1] == "fig4: judging, 0 of 30 (0:12 so far)"


def test_what_goes_on_is_said_again_where_nothing_moves(
    time: Clock, capsys: pytest.CaptureFixture[str]
) -> None:
    lines = _Lines("fig4")
    lines(0, 1, 0)
    for _ in range(15):
        time.now += 1.0
        lines.repeat()
    lines.stage("judging", 3, 30)
    for _ in range(6):
        time.now += 1.0
        lines.repeat()
    assert capsys.readouterr().err.splitlines() == [
        "fig4: 0 of 1 runs (0:05 so far)",
        "fig4: 0 of 1 runs (0:10 so far)",
        "fig4: 0 of 1 runs (0:15 so far)",
        "fig4: judging, 3 of 30 (0:15 so far)",
        "fig4: judging, 3 of 30 (0:20 so far)",
    ]


def test_a_thread_says_it_until_the_bar_closes(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv(SWITCH, raising=False)
    monkeypatch.setattr("sawtooth.progress.EVERY_S", 0.01)
    with progress_bar("long") as bar:
        assert isinstance(bar, _Lines)
        assert bar.ticker.daemon
        bar(0, 1, 0)
        said = ""
        while said.count("0 of 1 runs") < 3:
            said += capsys.readouterr().err
    capsys.readouterr()
    bar.ticker.join(5.0)
    bar.repeat()
    assert not bar.ticker.is_alive()
    assert capsys.readouterr().err == ""


def test_it_can_be_silenced(
    time: Clock, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(SWITCH, "off")
    with progress_bar("fig4") as bar:
        time.now += 100 * EVERY_S
        bar(1, 2, 0)
        bar.stage("drawing", 1, 1)
    assert capsys.readouterr() == ("", "")


def test_the_total_of_a_bar_is_that_of_the_whole_work(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(SWITCH, raising=False)
    out = io.StringIO()
    with progress_bar("fig4", Console(file=out, force_terminal=True, width=120)) as bar:
        bar(3, 12, 3)
        bar(12, 12, 11)
        bar.stage("drawing", 2, 5)
        bar.bar.refresh()  # type: ignore[attr-defined]
    shown = out.getvalue()
    assert "12/12" in shown
    assert "(11 from the store)" in shown
    assert "2/5" in shown


def test_the_time_left_comes_from_what_was_simulated() -> None:
    assert time_left_s(10, 30, 10, 5.0) is None
    assert time_left_s(20, 30, 10, 5.0) == 5.0
    assert [clock(seconds) for seconds in (7.2, 750.0, 3750.0)] == ["0:07", "12:30", "1:02:30"]
