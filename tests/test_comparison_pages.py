"""The page of a comparison in a browser: every number leads to runs that exist, those of its own controller, and says what it is."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.browser import Browser
from tests.figure_faults import faults

from sawtooth.experiment.compare import compare
from sawtooth.experiment.comparison import Comparison
from sawtooth.experiment.matrix import Results
from sawtooth.experiment.reproduction import conclude
from sawtooth.report.answers import CARD, card_sentence, paper_answer
from sawtooth.report.head_figures import delay_figure, head_picture
from sawtooth.report.paper_page import paper_page
from sawtooth.report.part_page import headline
from sawtooth.report.sketches import Sketches
from sawtooth.report.write import figure_texts, write_report
from sawtooth.run.store import Store

CONTROLLERS = ["bbr", "bbr-1", "mimd(1.125, 0.8)"]
"""One begins like another, and one is written with a comma and a space."""


@pytest.fixture(scope="module")
def comparison(tmp_path_factory: pytest.TempPathFactory) -> Comparison:
    """Two environments, two seeds, a few seconds."""
    store = Store(tmp_path_factory.mktemp("store"))
    varied: Any = {"duration": "6 s", "warmup": "2 s"}
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


def test_the_picture_at_the_head_says_what_there_is(comparison: Comparison) -> None:
    (block,) = comparison.own
    picture = headline(comparison, Sketches())
    assert picture is not None
    assert "Ellipses" not in picture.caption, "two seeds have none"
    third = {replace(key, seed="3"): run for key, run in block.run_ids.items()}
    three = replace(
        block,
        seeds=("1", "2", "3"),
        values={name: np.concatenate([box, box[:, :, :1]], axis=2) for name, box in block.values.items()},
        run_ids={**block.run_ids, **third},
    )
    assert "Ellipses: one standard deviation" in head_picture(three, several=False).caption


def test_a_controller_alone_has_a_picture_of_its_delays(comparison: Comparison) -> None:
    alone = replace(
        comparison.own[0],
        algorithms=("bbr",),
        values={name: box[:1] for name, box in comparison.own[0].values.items()},
    )
    study = comparison.study.model_copy(update={"algorithm": comparison.study.algorithm[:1]})
    found = replace(comparison, study=study, results=Results({alone.setting: alone}))
    picture = headline(found, Sketches())
    assert picture is not None
    assert "Distribution of the queueing delay" in picture.drawing
    assert picture.caption.startswith("Share of the packets that waited no longer")
    assert faults(delay_figure(alone)) == []


def test_the_note_of_a_figure_speaks_of_what_is_there(comparison: Comparison) -> None:
    title, note = figure_texts(comparison, "sack/droptail")
    assert title == "SACK recovery, drop-tail routers"
    assert note == "Over 2 environments, mean and 95 % interval over 2 seeds. Lowest of a column bold."
    block = replace(
        comparison.own[0],
        environments=("cons-low",),
        seeds=("1",),
        values={name: box[:, :1, :1] for name, box in comparison.own[0].values.items()},
    )
    one = replace(comparison, results=Results({block.setting: block}))
    assert figure_texts(one, block.setting)[1].startswith("Over 1 environment, one seed.")


def test_the_page_of_several_studies_says_of_which_each_sentence_is(comparison: Comparison) -> None:
    titles = ("Mine", "Yours")
    parts = [
        replace(comparison, study=comparison.study.model_copy(update={"title": title, "paper": ""}))
        for title in titles
    ]
    said = paper_answer(parts, (), 24)
    assert [sentence.split(":")[0] for sentence in said[:-1]] == ["Mine", "Mine", "Yours"]
    page = paper_page(conclude("both", parts, ()))
    assert page.picture is not None
    assert page.picture.caption.startswith("Mine: ")
    for card in page.cards:
        assert len(card.sentence) <= CARD, "its end was cut"
        assert card.sentence.endswith(".")


def test_a_card_says_who_leads_in_few_words(comparison: Comparison) -> None:
    names = [lead.leader for lead in comparison.leads if lead.decided]
    said = card_sentence(comparison)
    assert all(name in said for name in names if name is not None)
    assert ("the rest is undecided" in said) == (0 < len(names) < len(comparison.leads))
