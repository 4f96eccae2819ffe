"""A page in a real browser: tables are sorted and filtered, numbers lead to their runs, folded parts open where they are meant."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from markupsafe import Markup
from tests.browser import PHONE, SCREEN, Browser, faults

from sawtooth.claims.logic import Finding, Verdict
from sawtooth.claims.table import Judged
from sawtooth.experiment.typed import Typed
from sawtooth.papers.register import claims
from sawtooth.report.blocks import (
    Card,
    Claims,
    Failure,
    Fold,
    Head,
    Page,
    Picture,
    Row,
    Section,
    Table,
    Words,
)
from sawtooth.report.inline import Inline, code, faint, joined, pill, run_name, to_runs
from sawtooth.report.render import FAILURES, render

NUMBERS = (0.5, -1.25, 1682.0, 30.0, 7.0, 0.0, 12.0, 3.5, 250.0)
DRAWING = Markup(
    '<svg viewBox="0 0 900 300" style="--width:900px;max-width:900px"><text y="20" fill="var(--ink)">AIMD</text></svg>'
)


def shown(number: float) -> Inline:
    """A number as our tables show it, with an interval."""
    return joined([to_runs("runs-a", f"{number:,.2f}".replace("-", "−"), "runs-a"), faint("± 0.10")])


def table() -> Table:
    """Words, numbers and verdicts in an order that is none; the last has no number."""
    verdicts = [list(Verdict)[place % 3] for place in range(len(NUMBERS))]
    rows = [
        Row(f"law {len(NUMBERS) - place}", [shown(number), pill(verdict)], verdict=verdict)
        for place, (number, verdict) in enumerate(zip(NUMBERS, verdicts, strict=True))
    ]
    rows.append(Row("law 10", ["–", pill(Verdict.FAILS)], verdict=Verdict.FAILS))
    upper = [Head("Law", rows=2), Head("Both", columns=2)]
    return Table(["Value", "Verdict"], rows, caption="Values: of every law.", upper=upper)


def page() -> Page:
    """Every kind of block."""
    wide = Table([f"a rather long heading {n}" for n in range(9)], [Row("x", ["1"] * 8), Row("y", ["2"] * 8)])
    runs = Table(
        ["Algorithm", "Control", "seed 1"],
        [
            Row(name, [code(f"{name}(1, 0.5)"), run_name(run_id)], anchor=f"runs-{n}", group=f"runs-{n}")
            for n, name, run_id in (("a", "AIMD", "0123456789ab"), ("ab", "MAIMD", "abcdef012345"))
        ],
        look="runs",
    )
    failing = [
        Failure(f"Statement {n} <b>", "section 1", "0.5 wanted > 1", "set-up") for n in range(FAILURES + 2)
    ]
    return Page(
        name="a/b",
        title="A page",
        answer=["AIMD & friends lead.", "This rests on 3 runs."],
        facts={"Runs": "3"},
        counts={Verdict.HOLDS: 2, Verdict.FAILS: 1, Verdict.UNDECIDED: 0},
        notes=["Quick form."],
        picture=Picture(DRAWING, "A picture."),
        failures=failing,
        cards=[Card("a/c", "A part", "It holds.", "3 runs", {Verdict.HOLDS: 2, Verdict.FAILS: 1}, None)],
        words=[("D", "Score relative to the best: 0 is best.")],
        sections=[
            Section("values", "Values", [table(), Fold("Wide", [wide])]),
            Section("set-up", "Set-up", [Words("Folded words.")], folded=True),
            Section("runs", "Runs", [Fold("All", [runs])], folded=True),
        ],
        command="sawtooth reproduce a/b",
        typed=Typed(("mine.py",), "st 4"),
    )


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The page on the disk."""
    path = tmp_path_factory.mktemp("browser") / "page.html"
    path.write_text(render(page()), encoding="utf-8")
    return path


def column(browser: Browser, number: int) -> list[str]:
    """The texts of a column of the first table, the rows that are seen."""
    cells: Sequence[Any] = browser.run(
        "[...document.querySelector('table').tBodies[0].rows].filter(row => !row.hidden)"
        f".map(row => row.cells[{number}].textContent)"
    )
    return list(cells)


def press(browser: Browser, selector: str) -> None:
    browser.run(f"document.querySelector({selector!r}).click()")


def test_the_page_has_no_fault(browser: Browser, file: Path) -> None:
    assert faults(browser, file) == []


def test_words_are_escaped(browser: Browser, file: Path) -> None:
    browser.open(file)
    assert browser.run("document.querySelector('.failures .statement').textContent") == "Statement 0 <b>"
    assert browser.run("document.querySelectorAll('b').length") == 0


def test_numbers_are_sorted_as_numbers_and_what_has_none_comes_last(browser: Browser, file: Path) -> None:
    browser.open(file)
    given = column(browser, 0)
    press(browser, "th[data-column='1'] button")
    values = [text.split()[0] for text in column(browser, 1)]
    assert values == [f"{number:,.2f}".replace("-", "−") for number in sorted(NUMBERS)] + ["–"]
    assert browser.run("document.querySelector('th[data-column=\"1\"]').ariaSort") == "ascending"
    press(browser, "th[data-column='1'] button")
    assert column(browser, 1)[1].startswith("1,682.00")
    press(browser, "th[data-column='0'] button")
    assert column(browser, 0) == sorted(given, key=lambda text: int(text.split()[1]))
    assert browser.run("document.querySelectorAll('[aria-sort]').length") == 1


def test_rows_are_filtered_by_words_and_by_verdicts(browser: Browser, file: Path) -> None:
    browser.open(file)
    write = "(t => { const f = document.querySelector('.filter input'); f.value = t; f.dispatchEvent(new Event('input')); })"
    browser.run(f"{write}('1,682 LAW')")
    assert column(browser, 0) == ["law 7"]
    assert browser.run("document.querySelector('.filter output').value") == "1 of 10"
    browser.run(f"{write}('')")
    assert len(column(browser, 0)) == 10
    press(browser, ".filter button[data-verdict='fails']")
    assert all("fails" in text for text in column(browser, 2))
    press(browser, ".filter button[data-verdict='holds']")
    assert len(column(browser, 0)) == 7
    press(browser, ".filter button[data-verdict='fails']")
    press(browser, ".filter button[data-verdict='holds']")
    assert len(column(browser, 0)) == 10


def test_a_number_leads_to_its_runs_their_scenario_and_the_command(browser: Browser, file: Path) -> None:
    browser.open(file)
    press(browser, "a.to-runs")
    assert browser.run("document.querySelector('dialog').open")
    said = browser.run("document.querySelector('dialog').textContent")
    for words in ("0.50", "ofBoth Value, law 9", "AIMD", "reproduce a/b"):
        assert words in said
    shown = browser.run("[...document.querySelectorAll('dialog code')].map((each) => each.textContent)")
    assert any(re.fullmatch(r"sawtooth store show 0123456789ab\w* --store 'st 4'", line) for line in shown)
    again = r"sawtooth replay 0123456789ab\w* --plugin mine.py --store 'st 4'"
    assert any(re.fullmatch(again, line) for line in shown)
    assert "MAIMD" not in said, "the name of its place begins like the other's"
    press(browser, "dialog button")
    assert not browser.run("document.querySelector('dialog').open")


def test_a_link_opens_what_is_folded(browser: Browser, file: Path) -> None:
    browser.open(file)
    assert not browser.run("document.querySelector('#set-up details').open")
    press(browser, "a[href='#set-up']")
    browser.settle()
    assert browser.run("document.querySelector('#set-up details').open")
    browser.open(file, place="#runs-ab")
    assert browser.run("document.querySelector('#runs > details').open")
    assert browser.run("document.getElementById('runs-ab').getClientRects().length") > 0


def test_on_paper_everything_is_open_but_definitions_and_runs_and_nothing_is_to_be_clicked(
    browser: Browser, file: Path
) -> None:
    browser.open(file)
    browser.run("dispatchEvent(new Event('beforeprint'))")
    browser.call("Emulation.setEmulatedMedia", media="print")
    assert browser.run("document.querySelector('#set-up details').open")
    assert not browser.run("document.querySelector('#runs details').open")
    assert not browser.run("document.querySelector('#words').open"), "they took two pages of a paper's report"
    for hidden in ("nav", ".filter", "#words"):
        assert browser.run(f"getComputedStyle(document.querySelector({hidden!r})).display") == "none"
    browser.run("document.querySelector('#words').open = true")
    shown = "getComputedStyle(document.querySelector('#words')).display"
    assert browser.run(shown) != "none", "whoever opens them has them printed"
    browser.run("dispatchEvent(new Event('afterprint'))")
    assert not browser.run("document.querySelector('#set-up details').open")


def test_on_a_phone_a_wide_table_says_that_it_scrolls(browser: Browser, file: Path) -> None:
    browser.open(file, PHONE)
    browser.run("document.querySelectorAll('details').forEach(entry => entry.open = true)")
    browser.settle()
    hint = "getComputedStyle(document.querySelector('#values details .scroll'), '::before').content"
    assert "scroll" in browser.run(hint)
    assert browser.run("document.querySelector('#values details .scroll').tabIndex") == 0


@pytest.mark.parametrize("size", [SCREEN, PHONE], ids=["screen", "telephone"])
def test_the_header_of_claims_is_one_line(browser: Browser, tmp_path: Path, size: tuple[int, int]) -> None:
    """Long headings of its last columns were folded, which left a gap above the first two."""
    path = tmp_path / "claims.html"
    found = Finding("a fact", Verdict.HOLDS)
    claim = claims()[0]
    part = Judged(claim, Verdict.UNDECIDED, found, "it covers more", (), (), 3, Verdict.HOLDS)
    section = Section("claims", "Claims", [Claims([part, replace(part, verdict=Verdict.HOLDS, reason=None)])])
    path.write_text(render(replace(page(), sections=[section])), encoding="utf-8")
    browser.open(path, size)
    row = "document.querySelector('table.claims thead tr')"
    assert browser.run(f"{row}.cells.length") == 4
    line = f"parseFloat(getComputedStyle({row}.cells[0]).lineHeight)"
    assert browser.run(f"{row}.offsetHeight < 2 * {line}")


@pytest.mark.long
def test_a_fault_is_found(browser: Browser, tmp_path: Path) -> None:
    planted = {
        "asks for": '<img src="http://127.0.0.1:9/x.png" alt="">',
        "complains": "<script>console.error('no')</script>",
        "poor contrast": '<p style="color:#ccc;background:#fff">pale</p>',
        "wide on a telephone": '<p style="width:500px">wide</p>',
        "leads nowhere": '<a href="#nowhere">there</a>',
        "screens": '<p style="height:2800px">far</p>',
    }
    for words, markup in planted.items():
        path = tmp_path / "planted.html"
        path.write_text(render(page()).replace("<header>", f"<header>{markup}"), encoding="utf-8")
        assert any(words in fault for fault in faults(browser, path)), words
