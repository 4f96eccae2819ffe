"""The page of a comparison in a browser: every number leads to runs that exist, those of its own controller, and says what it is."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.browser import Browser

from sawtooth.experiment.compare import compare
from sawtooth.experiment.comparison import Comparison
from sawtooth.report.write import write_report
from sawtooth.run.store import Store

CONTROLLERS = ["bbr", "bbr-1", "mimd(1.125, 0.8)"]
"""One begins like another, and one is written with a comma and a space."""


@pytest.fixture(scope="module")
def comparison(tmp_path_factory: pytest.TempPathFactory) -> Comparison:
    """Two environments, two seeds, a few seconds."""
    store = Store(tmp_path_factory.mktemp("store"))
    varied = {"duration": "6 s", "warmup": "2 s"}
    return compare(CONTROLLERS, store=store, environments=["cons-low", "rd-low"], seeds=2, **varied)


@pytest.fixture(scope="module")
def page(comparison: Comparison, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Its report."""
    path = tmp_path_factory.mktemp("page") / "page.html"
    write_report(comparison, path)
    return path


def said(browser: Browser, number: int, table: str) -> dict[str, str]:
    """What the page says of the number at a place of the tables of a look, by the word before it."""
    browser.run(f"document.querySelectorAll('{table} a.to-runs')[{number}].click()")
    words: dict[str, str] = browser.run(
        "Object.fromEntries([...document.querySelectorAll('dialog dt')]"
        ".map(term => [term.textContent, term.nextElementSibling.textContent]))"
    )
    browser.run("document.querySelector('dialog').close()")
    return words


def test_every_number_leads_to_the_runs_of_its_own_controller(
    browser: Browser, page: Path, comparison: Comparison
) -> None:
    browser.open(page)
    (block,) = comparison.own
    of_scores = browser.run("document.querySelectorAll('table.scores a.to-runs').length")
    assert of_scores == 5 * len(CONTROLLERS)
    for number in range(of_scores):
        name = CONTROLLERS[number // 5]
        words = said(browser, number, "table.scores")
        assert words["algorithm"] == name
        assert words["seed 1"].split() == [block.ids(name, place)[0] for place in block.environments]
        assert words["scenario"] == f"sawtooth store show {block.ids(name, 'cons-low')[0]}"
    for number in range(2 * len(CONTROLLERS)):
        words = said(browser, number, "table.numbers")
        ids = block.ids(CONTROLLERS[number % 3], block.environments[number // 3])
        assert (words["seed 1"], words["seed 2"]) == ids
        assert words["the run again"] == f"sawtooth replay {ids[0]}"


def test_a_number_says_of_which_metric_it_is(browser: Browser, page: Path) -> None:
    browser.open(page)
    found = [said(browser, number, "table.scores") for number in range(5)]
    assert [words["of"] for words in found] == [
        "Goodput D, bbr",
        "Goodput C, bbr",
        "Fairness D, bbr",
        "Delay D (ms), bbr",
        "Loss D (points), bbr",
    ]
    assert not any("what" in words for words in found)
    raw = said(browser, 1, "table.numbers")
    assert raw["what"].startswith("Goodput (fraction, not clipped at 1)")
    assert raw["of"] == "bbr-1, cons-low"
