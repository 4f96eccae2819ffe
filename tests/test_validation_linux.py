"""One flow beside recorded windows of Linux 6.18: the same packets lost, the same decreases.

Source: validation/data/linux_episodes.csv.
"""

from __future__ import annotations

import pytest
from validation import linux
from validation.linux import Law, Recording


@pytest.fixture(scope="module")
def recordings() -> dict[str, Recording]:
    """By name."""
    return {recording.name: recording for recording in linux.recordings()}


@pytest.mark.parametrize("name", ["drops-sack", "drops-delayed-ack", "drops-newreno"])
def test_the_same_losses_make_the_same_episodes(recordings: dict[str, Recording], name: str) -> None:
    recording = recordings[name]
    assert len(recording.ours) == len(recording.linux) == 6
    assert recording.difference <= 1.5, (
        recording
    )  # Linux keeps whole packets, and starts to grow a round trip later


def test_a_long_silence_cuts_as_in_linux_and_backs_off_by_doubling(recordings: dict[str, Recording]) -> None:
    recording = recordings["timeouts"]
    assert recording.difference <= 1.5
    ours, theirs = recording.gaps_s
    assert ours[:3] == pytest.approx(
        [0.4, 0.8, 1.6], abs=0.001
    )  # min_rto bounds the sum; doubled from the second on
    # Known to differ: Linux adds its minimum to the smoothed round trip, 104 + 200 ms, then doubles alike.
    assert [gap / theirs[0] for gap in theirs] == pytest.approx([1, 2, 4], rel=0.03)
    assert theirs[0] == pytest.approx(2 * 0.304, abs=0.01)


def test_marks_cut_once_per_window_as_in_linux(recordings: dict[str, Recording]) -> None:
    recording = recordings["marks"]
    first = list(zip(recording.ours, recording.linux, strict=False))[:2]
    for ours, theirs in first:
        assert ours.before == pytest.approx(theirs.before, abs=1)
        assert ours.after == pytest.approx(theirs.after, abs=1)


@pytest.fixture(scope="module")
def laws() -> dict[str, Law]:
    """By controller."""
    return {law.control: law for law in linux.laws()}


@pytest.mark.parametrize("control", linux.LAWS)
def test_a_law_cuts_from_and_to_the_windows_of_linux(laws: dict[str, Law], control: str) -> None:
    law = laws[control]
    assert law.before == pytest.approx(law.linux_before, abs=1.5)
    assert law.removed == pytest.approx(law.linux_removed, abs=0.6)


@pytest.mark.parametrize(
    ("control", "within_s"),
    [
        ("aimd(1, 0.8)", 0.1),  # Linux takes up to one round trip more per episode (82 to 100 ms)
        ("aimd(1, 0.5)", 0.1),
        ("aiad(1, 3)", 0.1),
        ("mimd(1.05, 0.8)", 0.1),
        ("miad(1.05, 3)", 0.1),
    ],
)
def test_the_period_of_a_law_is_within_a_round_trip_of_linux(
    laws: dict[str, Law], control: str, within_s: float
) -> None:
    assert laws[control].period_s == pytest.approx(laws[control].linux_period_s, abs=within_s)
