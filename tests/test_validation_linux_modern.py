"""Today's senders of Linux, by the rules of `validation.linux_modern`.

Source: Linux 6.18, validation/data/linux_windows.csv and the tables beside it.
"""

from __future__ import annotations

import re
from dataclasses import replace

import pytest
from validation.__main__ import PAGE
from validation.linux_modern import cubic, hystart, prr, reordering, shares, tails, windows, words
from validation.linux_modern.cases import CASES
from validation.linux_modern.reordering import Hole, Late
from validation.linux_modern.windows import Episode, Recording
from validation.runs import decreases, job, runs

APP_LIMITED = ("tlp_last3", "tlp_off")
"""Linux's window grows while the application limits; without its option ours does not (RFC 9438 §5.8)."""


@pytest.fixture(scope="module")
def episodes() -> list[Recording]:
    """Every recording with losses, timeouts or marks."""
    return windows.recordings()


def test_windows_and_thresholds_are_those_of_linux(episodes: list[Recording]) -> None:
    assert len(episodes) == 24
    assert sum(len(one.ours) for one in episodes) > 120
    assert [one.name for one in episodes if not one.agrees] == []


def test_without_the_rule_of_linux_a_window_that_is_not_full_stays(episodes: list[Recording]) -> None:
    strict = runs(
        job("linux_modern", {**CASES[name], "tcp.application_limit": "rfc9438"}) for name in APP_LIMITED
    )
    recorded = {one.name: one for one in episodes}
    for name, run in zip(APP_LIMITED, strict, strict=True):
        (cut,) = (one for one in decreases(run) if one["event"])
        ours = recorded[name].ours[0]
        # The window of the last packets, 20, was full, and the acknowledgement after them still finds it so.
        assert cut["before"] == 21.0
        assert ours.before == 21.0 + 16.0, "the other acknowledgements of 27 packets that arrived"
        assert not replace(recorded[name], ours=(replace(ours, before=21.0),)).agrees


def test_most_windows_are_within_a_packet(episodes: list[Recording]) -> None:
    of_cubic = [one for one in episodes if one.name.startswith(("cubic", "hystart", "prr"))]
    assert max(max(one.differences) for one in of_cubic) <= 1.0


def test_the_rule_of_episodes_can_fail() -> None:
    linux = (Episode(1.0, "loss", 50.0, 25.0),)
    recording = Recording("one", (Episode(1.0, "loss", 52.0, 26.0),), (linux,))
    assert recording.agrees
    assert not replace(recording, ours=(Episode(1.0, "loss", 52.1, 26.0),)).agrees
    assert not replace(recording, ours=(Episode(1.0, "mark", 50.0, 25.0),)).agrees
    assert not replace(recording, ours=(*linux, *linux)).agrees
    assert not replace(recording, ours=()).agrees


def test_the_window_follows_that_of_linux_between_losses() -> None:
    found = cubic.epochs()
    assert [one.name for one in found if not one.agrees] == []
    assert sum(len(one.windows) for one in found) > 500
    assert not replace(found[0], windows=((1.0, 50.0, 53.0),)).agrees
    assert not replace(found[0], windows=((1.0, 950.0, 1000.0),)).agrees


def test_every_acknowledgement_lets_go_what_linux_lets_go() -> None:
    found = prr.recoveries()
    assert len(found) == 5
    assert [one.name for one in found if not one.agrees] == []
    first = found[0]
    assert not replace(first, ours=(first.ours[0] + 1, *first.ours[1:])).agrees
    assert prr.counts("1x3 0 2x2") == (1, 1, 1, 0, 2, 2)
    assert prr.abbreviated((1, 1, 1, 0, 2, 2)) == "1x3 0 2x2"
    assert prr.folded("1 0 1 0 1 0 0x2 1x2") == "(1 0)x3 0x2 1x2"
    assert prr.folded("1x3 0 1x2 0 1x3 0 1x2 0 1x3") == "(1x3 0 1x2 0)x2 1x3"
    assert prr.folded("1x38 2x11 1x49") == "1x38 2x11 1x49"
    assert prr.folded("") == ""


def test_tails_are_repaired_when_linux_repairs_them() -> None:
    found = {one.name: one for one in tails.tails()}
    assert [one.name for one in found.values() if not one.agrees] == []
    assert (found["tlp_last3"].probes, found["tlp_last3"].timeouts) == (1, 0)
    assert (found["tlp_off"].probes, found["tlp_off"].timeouts) == (0, 1)
    assert found["rack_redrop1"].timeouts == 0
    last3 = found["tlp_last3"]
    assert not replace(last3, ours=tuple(time + 7.0 for time in last3.ours)).agrees
    assert not replace(last3, ours=last3.ours[:2]).agrees


def test_late_packets_go_again_where_linux_sends_them_again() -> None:
    found = {one.name: one for one in reordering.late()}
    assert [one.name for one in found.values() if not one.agrees] == []
    assert found["reord_010"].again == found["reord_050"].again == "1000000000"
    assert found["reord_070"].again == "1100000000"
    assert found["reord_050_rec2"].again == "1111111111"
    assert all(one.undos == one.again.count("1") for one in found.values())


def test_the_rule_of_late_packets_can_fail() -> None:
    linux = ((Hole(5.0, 40.0, 41.0), Hole(None, 50.0, 51.0)),)
    one = Late("reord", linux[0], linux, 1)
    assert one.agrees
    assert not replace(one, ours=(linux[0][0], Hole(3.0, 50.0, 51.0))).agrees
    assert not replace(one, ours=(Hole(9.5, 40.0, 41.0), linux[0][1])).agrees
    assert not replace(one, ours=(Hole(5.0, 40.0, 20.0), linux[0][1])).agrees


def test_a_cut_for_nothing_is_taken_back() -> None:
    found = reordering.withdrawals()
    assert len(found) == 4
    assert [one.name for one in found if not one.agrees] == []
    assert not replace(found[0], ours=found[0].ours / 2).agrees


def test_slow_start_ends_where_that_of_linux_ends() -> None:
    found = hystart.exits()
    assert len(found) == 4
    assert [one.name for one in found if not one.agrees] == []
    time_s, window = found[0].ours
    assert not replace(found[0], ours=(time_s, 1.11 * window)).agrees


def test_one_detector_alone_hears_one_sign() -> None:
    both = CASES["hystart30_d3"]
    found = runs(
        job("linux_modern", {**both, "tcp.slow_start": kind}) for kind in ("hystart-train", "hystart-delay")
    )
    train, delay = (hystart.ended(run) for run in found)
    assert train[1] == 34  # as with both
    assert delay[1] > 34  # acknowledgements come in a long train before round trips are longer


def test_cubic_has_the_share_of_linux_beside_reno() -> None:
    found = shares.shares()
    assert [one.from_s for one in found] == [0, 10, 30]
    assert all(one.agrees for one in found), [one.difference for one in found]
    assert not replace(found[0], ours=(0.7,)).agrees


def test_the_page_has_the_numbers(episodes: list[Recording]) -> None:
    page = PAGE.read_text(encoding="utf-8")
    for name, text in (
        ("today windows verdict", words.windows_agreement(episodes)),
        ("today cubic verdict", words.cubic_agreement(cubic.epochs())),
        ("today prr verdict", words.prr_agreement(prr.recoveries())),
    ):
        stated = re.search(rf"<!-- results: {name} -->(.*?)<!-- end -->", page)
        assert stated
        assert stated[1] == text, "python -m validation"
    assert words.tails(tails.tails()) in page
    assert words.late(reordering.late()) in page
