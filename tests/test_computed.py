"""Computed blocks say what they rest on: whoever fills one writes its line, and a number that moves on, a text changed by hand and a block
that nobody vouches for are found. So are kept results that the engine or the checks have left behind."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from tools import in_short
from tools.computed import ROOT, disagreements, found_faults, numbers, pages
from tools.in_short import disagreeing, left_behind
from tools.kept import Kept, kept, kept_faults
from tools.rests_on import components_of, papers_of

from sawtooth.claims.logic import Verdict
from sawtooth.errors import InputError
from sawtooth.papers import PAPERS
from sawtooth.papers.studies import load_study
from sawtooth.report import computed
from sawtooth.report.markdown import fill
from sawtooth.run.runner import run_many
from sawtooth.run.store import Store
from sawtooth.run.tally import Tally
from sawtooth.run.used import note, watched, watching
from sawtooth.scenario.resolve import resolve
from sawtooth.scenario.scenario import parse_scenario

THREE = 'three "= 0 s"'
PAGE = """# A page

<!-- results: one -->
old
<!-- end -->

In a line: <!-- results: two -->old<!-- end -->, <!-- results: three "= 0 s" -->old<!-- end -->.
"""


SHORT = "<!-- results: claims -->old<!-- end -->\n"


@pytest.fixture
def page(tmp_path: Path) -> Path:
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / computed.FILE).write_text("", encoding="utf-8")
    path = tmp_path / "docs" / "page.md"
    path.write_text(PAGE, encoding="utf-8")
    return path


def whys(page: Path, **now: int) -> dict[str, tuple[str, bool]]:
    found = computed.faults(page.with_name(computed.FILE), [page], now)
    return {fault.block: (fault.why, fault.stale) for fault in found}


def test_every_block_of_the_pages_is_what_the_present_engine_makes() -> None:
    left = [f"{fault.page}: {fault.block}: {fault.why}" for fault in found_faults()]
    assert not left, "fill these again, see `python -m tools.computed`:\n" + "\n".join(left)


def test_kept_results_are_what_the_present_engine_and_checks_make() -> None:
    left = [f"{fault.page}: {fault.block}: {fault.why}" for fault in kept_faults(ROOT, numbers())]
    assert not left, "make these again, by the commands beside them:\n" + "\n".join(left)


def test_pages_that_list_papers_say_what_the_pages_of_the_papers_say() -> None:
    assert not left_behind(), "run `python -m tools.in_short`"


def test_a_table_of_claims_whose_classes_have_changed_is_found(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    page = tmp_path / "floyd2000.md"
    text = (ROOT / "docs" / page.name).read_text(encoding="utf-8")
    monkeypatch.setattr(in_short, "ROOT", tmp_path)
    monkeypatch.setattr(in_short, "SOURCES", (page,))
    monkeypatch.setattr(in_short, "PAGES", ())
    page.write_text(text, encoding="utf-8")
    assert left_behind() == []
    page.write_text(text.replace("| same |", "| open |", 1), encoding="utf-8")
    assert left_behind() == [(page.name, "claims")]


def test_blocks_of_one_name_say_the_same_on_all_pages() -> None:
    left = disagreements(pages())
    assert not left, "\n".join(["run `python -m tools.in_short`, and see `python -m tools.computed`:", *left])


def test_blocks_of_one_name_that_differ_are_found(page: Path) -> None:
    beside = page.with_name("beside.md")
    beside.write_text(PAGE.replace("two -->old", "two -->new") + 2 * SHORT, encoding="utf-8")
    page.write_text(PAGE + SHORT.replace("old", "new"), encoding="utf-8")
    assert disagreeing([page]) == {}
    assert disagreeing([page, beside]) == {"two": [page, beside]}, "those named `claims` are of their page"
    page.write_text(PAGE + PAGE.replace("\nold\n", "\nnew\n"), encoding="utf-8")
    assert disagreeing([page]) == {"one": [page]}, "on a single page too"


def test_an_adopted_block_rests_on_what_the_studies_of_its_paper_use() -> None:
    now = numbers()
    assert components_of("elsewhere.md", "one", now) == now, "it is of no paper"
    assert components_of("floyd2000.md", "floyd2000/shares sensitivity counts", now) == now, (
        "of values that no study has"
    )
    found = components_of("reproductions.md", "floyd2000/shares verdicts", now)
    assert found == components_of("floyd2000.md", "claims", now)
    assert {"law/tfrc", "law/tfrc-5348", "recovery/sack", "impairments"} <= found.keys(), (
        "of all parts, and of the formulas"
    )
    assert not {"law/aild", "law/bbr", "recovery/quic"} & found.keys()
    assert papers_of("akella2002.md", "claims") == ("akella2002", "reddy2012"), (
        "those whose claims the page has"
    )
    assert papers_of("README.md", "claims in short of all") == (
        "akella2002",
        "reddy2012",
        "floyd2000",
        "lahanas2003",
    )


def test_verdicts_of_a_part_are_counted_from_the_table_of_claims() -> None:
    touched = [claim.id for claim in PAPERS["akella2002"].touched(load_study("akella2002/fig2"))]
    verdicts = dict.fromkeys(touched, Verdict.HOLDS) | {touched[0]: Verdict.FAILS}
    wanted = f"{len(touched) - 1} hold, 1 fails, 0 undecided"
    assert in_short.part_verdicts(verdicts) == {"akella2002/fig2 verdicts": wanted}
    del verdicts[touched[-1]]
    assert in_short.part_verdicts(verdicts) == {}, "one of them has no verdict"


def test_kept_results_are_those_of_every_sensitivity_and_search() -> None:
    found = list(kept(ROOT))
    assert {entry.file.rpartition("/")[2] for entry in found} == {"turns.toml", "patterns.toml"}
    assert sum(len(entry.claims) for entry in found) > len(found)


def test_a_kept_result_is_left_behind_by_a_number_or_by_a_later_check() -> None:
    entry = Kept("turns.toml", "[[varied]] p/s", ["x", "y"], 4, "core=1 queue/red=2")
    now, since = {"core": 1, "queue/red": 2}, {"x": 1, "y": 4}

    def whys(entry: Kept, now: dict[str, int], since: dict[str, int]) -> list[tuple[str, bool]]:
        return [(fault.why, fault.stale) for fault in entry.faults(now, since)]

    assert whys(entry, now, since) == []
    assert whys(entry, now | {"queue/red": 3}, since) == [("behaviour has changed: queue/red 2 → 3", True)]
    later = ("checks have changed since rule 4: y", True)
    assert whys(entry, now, since | {"y": 5}) == [later]
    assert whys(entry, now, {"x": 1}) == [later], "a claim that is gone"
    unknown = [("nothing says what it rests on", False)]
    assert whys(replace(entry, behaviour=""), now, since) == unknown
    assert whys(replace(entry, rule=None), now, since) == unknown


def test_a_page_beside_the_folder_of_the_file_has_its_lines_there(page: Path) -> None:
    beside = page.parent.parent / "README.md"
    beside.write_text(PAGE, encoding="utf-8")
    computed.stamp(beside, ["one", "two", THREE], {"core": 1})
    path = page.with_name(computed.FILE)
    assert set(computed.read(path)) == {"../README.md"}
    assert list(computed.faults(path, [beside], {"core": 1})) == []


def test_a_filled_block_carries_what_its_runs_used(page: Path) -> None:
    with watching():
        note({"core": 1, "queue/red": 3})
        fill(page, {"one": "new", "two": "new", THREE: "new"}, True)
    assert whys(page, **{"core": 1, "queue/red": 3}) == {}
    stale = ("behaviour has changed: queue/red 3 → 4", True)
    assert whys(page, **{"core": 1, "queue/red": 4}) == {"one": stale, "two": stale, THREE: stale}
    gone = ("behaviour has changed: queue/red 3 → gone", True)
    assert whys(page, core=1) == {"one": gone, "two": gone, THREE: gone}


def test_what_is_unknown_is_found(page: Path) -> None:
    unknown = ("nothing says what it rests on", False)
    assert whys(page) == {"one": unknown, "two": unknown, THREE: unknown}
    computed.stamp(page, ["one", "two", THREE], {"core": 1})
    assert whys(page, core=1) == {}
    page.write_text(page.read_text(encoding="utf-8").replace("old\n", "by hand\n"), encoding="utf-8")
    assert whys(page, core=1) == {"one": ("its text is not what was computed", False)}
    page.write_text("# A page\n", encoding="utf-8")
    assert set(whys(page, core=1)) == {"one", "two", THREE}
    page.unlink()
    found = list(computed.faults(page.with_name(computed.FILE), [], {"core": 1}))
    assert {fault.why for fault in found} == {"there is no such page"}


def test_a_block_filled_while_nobody_watched_is_unknown(page: Path) -> None:
    computed.stamp(page, ["one", "two", THREE], {"core": 1})
    fill(page, {"one": "new"}, True)
    assert whys(page, core=1) == {"one": ("nothing says what it rests on", False)}


def test_a_block_of_which_a_part_is_renewed_keeps_what_the_rest_rests_on(page: Path) -> None:
    computed.stamp(page, ["one", "two", THREE], {"core": 1, "queue/red": 1})
    with watching():
        note({"core": 2, "law/linear": 1})
        fill(page, {}, True, {"one": lambda old: old + "more\n"})
    line = computed.read(page.with_name(computed.FILE))["page.md"]["one"]
    assert line.behaviour == {"core": 1, "law/linear": 1, "queue/red": 1}


def test_pages_without_a_file_are_filled_without_it(page: Path) -> None:
    page.with_name(computed.FILE).unlink()
    fill(page, {"one": "new"}, True)
    assert not page.with_name(computed.FILE).exists()
    assert "new" in page.read_text(encoding="utf-8")


def test_a_page_in_a_folder_below_has_its_lines_in_the_same_file(page: Path) -> None:
    below = page.parent / "history" / "page.md"
    below.parent.mkdir()
    below.write_text(PAGE, encoding="utf-8")
    computed.stamp(below, ["one"], {"core": 1})
    assert set(computed.read(page.with_name(computed.FILE))) == {"history/page.md"}


def test_a_line_that_is_none_is_refused(page: Path) -> None:
    page.with_name(computed.FILE).write_text('["page.md"]\n"one" = "12345678 core"\n', encoding="utf-8")
    with pytest.raises(InputError, match=r"page\.md\.one.*COMPONENT=NUMBER"):
        whys(page)


def test_runs_made_and_runs_read_say_what_they_used(tmp_path: Path) -> None:
    tables = {
        "duration": "2 s",
        "warmup": "0 s",
        "path": {"rtt": "20 ms"},
        "bottleneck": {"rate": "1 Mbit/s", "buffer": "20 packets", "queue": {"kind": "red"}},
        "flows": [{"control": "aimd(1, 0.5)", "recovery": "sack"}],
    }
    job = resolve(parse_scenario(tables, "test"), "1")
    store = Store(tmp_path / "store")
    tally = Tally(store)
    for look in (
        lambda: run_many([job], store),
        lambda: run_many([job], store),
        lambda: tally.outcomes([job]),
        lambda: Tally(store).outcomes([job]),
    ):
        with watching() as outer:
            with watching() as used:
                look()
            assert watched() is outer
        assert {"core", "law/linear", "queue/red", "recovery/sack"} <= set(used)
        assert outer == used
    assert watched() is None
    note({"core": 1})
