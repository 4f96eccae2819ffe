"""`sawtooth reproduce coexistence`: shares and harm are formed as the page says, and the report shows every cell."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.fits import fits

from sawtooth.papers.coexistence.page import answer, blocks, write_pairs
from sawtooth.papers.coexistence.pairs import Meeting, setup
from sawtooth.papers.coexistence.perform import Coexistence, Felt, cells, perform

SENDERS = ("cubic", "bbr-1")
ROUTERS = ("drop-tail 1 BDP", "FQ-CoDel")


@pytest.fixture(scope="module")
def few(tmp_path_factory: pytest.TempPathFactory) -> Coexistence:
    folder = tmp_path_factory.mktemp("coexistence")
    return perform(setup().among(SENDERS, ROUTERS).shortened(), folder / "store")


def test_values_are_those_of_the_definitions() -> None:
    """Two seeds; numbers chosen so that every value can be worked out by hand."""
    small = setup().among(SENDERS, ROUTERS[:1]).seeded(2)
    felt = {
        ("cubic",): [Felt(20e6, 10.0, 0.0)],
        ("bbr-1",): [Felt(20e6, 2.0, 0.0)],
        ("cubic", "cubic"): [Felt(12e6, 10.0, 0.0), Felt(8e6, 10.0, 0.0)],
        ("bbr-1", "bbr-1"): [Felt(10e6, 4.0, 0.0), Felt(10e6, 4.0, 0.0)],
        ("cubic", "bbr-1"): [Felt(5e6, 40.0, 0.01), Felt(15e6, 40.0, 0.02)],
    }
    runs = {
        (Meeting(ROUTERS[0], group), seed): tuple(flows) for group, flows in felt.items() for seed in (1, 2)
    }
    found = {(cell.victim, cell.other): cell for cell in cells(small, runs)}
    cubic = found["cubic", "bbr-1"]
    assert cubic.beyond is not None
    assert (cubic.share.mean, cubic.harm.mean, cubic.beyond.mean) == (0.5, 0.75, 0.25)
    assert cubic.delay_harm.mean == 0.75
    assert cubic.retransmitted.mean == 0.01
    assert cubic.hurts
    assert found["bbr-1", "cubic"].share.mean == 1.5
    assert found["bbr-1", "cubic"].delay_harm.mean == pytest.approx(0.95)
    assert not found["bbr-1", "cubic"].hurts
    assert found["cubic", "cubic"].beyond is None
    assert found["cubic", "cubic"].share.mean == 1.0


def test_harm_below_the_margin_is_none() -> None:
    """CUBIC loses 0.5 to its own kind, and a little more to BBR: 0.54 of 20 Mbit/s is within the margin of 0.05, 0.56 is not."""
    small = setup().among(SENDERS, ROUTERS[:1]).seeded(2)
    for goodput, hurts in ((9.2e6, False), (8.8e6, True)):
        runs = {
            (meeting, seed): tuple(
                Felt(20e6 if len(meeting.senders) == 1 else 10e6, 10.0, 0.0) for _ in meeting.senders
            )
            for meeting in small.meetings
            for seed in (1, 2)
        }
        for seed in (1, 2):
            runs[Meeting(ROUTERS[0], SENDERS), seed] = (Felt(goodput, 10.0, 0.0), Felt(10e6, 10.0, 0.0))
        found = {(cell.victim, cell.other): cell for cell in cells(small, runs)}
        assert found[SENDERS].hurts is hurts
        assert not found[SENDERS].undecided


def test_one_seed_decides_nothing_and_says_so(few: Coexistence) -> None:
    small = setup().among(SENDERS, ROUTERS[:1]).seeded(1)
    flow = Felt(10e6, 5.0, 0.0)
    runs = {(meeting, 1): (flow,) * len(meeting.senders) for meeting in small.meetings}
    found = Coexistence(small, list(cells(small, runs)), len(runs), 0.0)
    assert found.undecided(ROUTERS[0]) == 2
    assert answer(found) == [
        "So few seeds decide nothing: whether anybody suffers more than beside its own kind is open everywhere."
    ]
    assert few.command == "sawtooth reproduce coexistence --quick --seeds 2"


def test_an_interval_that_is_not_symmetric_is_not_shown_as_if_it_were() -> None:
    """From twenty seeds on intervals are of a bootstrap: half their length on either side of the mean is another interval."""
    small = setup().among(SENDERS, ROUTERS[:1]).seeded(20)
    runs = {
        (meeting, seed): tuple(
            Felt((place + 1.1**seed) * 1e6, 5.0, 0.0) for place, _ in enumerate(meeting.senders)
        )
        for meeting in small.meetings
        for seed in range(1, small.seeds + 1)
    }
    found = Coexistence(small, list(cells(small, runs)), len(runs), 0.0)
    share = found.cell(ROUTERS[0], *SENDERS).share
    assert share.low is not None
    assert share.high is not None
    assert share.high - share.mean != pytest.approx(share.mean - share.low, rel=0.1)
    shown = f"{share.mean:.2f} [{share.low:.2f}, {share.high:.2f}]"
    ((_, _, cell), *_) = found.tables()[0].rows
    assert cell == shown
    assert any(shown in block for block in blocks(found).values())


def test_a_fair_queue_protects_and_a_plain_one_does_not(few: Coexistence) -> None:
    for router in ROUTERS:
        both = few.cell(router, *SENDERS).share.mean + few.cell(router, *reversed(SENDERS)).share.mean
        assert both == pytest.approx(2.0)
    assert few.cell("FQ-CoDel", *SENDERS).share.mean == pytest.approx(1.0, abs=0.1)
    assert abs(few.cell("drop-tail 1 BDP", *SENDERS).share.mean - 1.0) > 0.2


def test_the_document_is_what_the_schema_says(few: Coexistence) -> None:
    assert fits(few.to_json()) == "coexistence"


def test_the_report_shows_every_cell(few: Coexistence, tmp_path: Path) -> None:
    path = tmp_path / "page.html"
    write_pairs(few, path)
    text = path.read_text(encoding="utf-8")
    assert all(router in text for router in ROUTERS)
    assert answer(few)[0] in text
    assert {path.suffix for path in tmp_path.glob("page*")} == {".html", ".svg", ".pdf"}
