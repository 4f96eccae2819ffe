"""The gallery shows every controller of the table, with three sentences on each; its figures and numbers are those of today's engine."""

from __future__ import annotations

import re
import shlex
from itertools import pairwise

import pytest
from tests.figure_faults import faults
from tools.gallery import (
    ENTRIES,
    PAGE,
    SAME,
    SCENARIO,
    block,
    command,
    drawn,
    figure,
    figure_file,
    filled,
    simulated,
)

from sawtooth.run.api import scenario_of
from sawtooth.scenario.described import describe
from sawtooth.scenario.overrides import parse_override
from sawtooth.scenario.resolve import resolve

BYTES_MOST = 60_000
QUICK = ("bbr", "prague", "tfrc")
"""One with a model, one with marks and one with a rate; `make test-long` draws all."""


def sections() -> dict[str, str]:
    """What the page says of each controller, without what is made."""
    text = PAGE.read_text(encoding="utf-8")
    found = re.split(r"^### (.*)$", text, flags=re.MULTILINE)
    return {
        name: body.partition("<!-- gallery:")[0].strip()
        for name, body in zip(found[1::2], found[2::2], strict=True)
    }


def test_page_and_table_of_controllers_agree() -> None:
    table = {row["name"] for row in describe()["controllers"]}
    assert set(ENTRIES) | set(SAME) == table
    assert not set(ENTRIES) & set(SAME)
    assert set(SAME.values()) <= set(ENTRIES)
    assert list(sections()) == [*sections()]
    assert set(sections()) == set(ENTRIES)
    page = PAGE.read_text(encoding="utf-8")
    assert re.findall(r"<!-- gallery: (\S+) -->", page) == list(sections())
    for name in SAME:
        assert f"`{name}(" in page, f"the page says whose law {name} writes"


@pytest.mark.parametrize("name", ENTRIES)
def test_three_sentences_say_what_one_sees(name: str) -> None:
    text = sections()[name]
    assert len(re.findall(r"[.!?](?=\s|$)", text)) == 3, text
    assert not re.search(r"\d", re.sub(r"BBRv?\d|bbr-1|tfrc-5348|1 ms", "", text)), "numbers are computed"


@pytest.mark.parametrize("name", ENTRIES)
def test_the_command_of_the_page_names_what_the_engine_accepts(name: str) -> None:
    page = PAGE.read_text(encoding="utf-8")
    assert f"```sh\n{command(name)}\n```" in page
    words = shlex.split(command(name))
    changed = [parse_override(value) for word, value in pairwise(words) if word == "--set"]
    typed = resolve(scenario_of(PAGE.parents[1] / words[2], dict(changed))).engine
    written, values = ENTRIES[name]
    drawn_from = resolve(scenario_of(SCENARIO, {"flows.control": written, **values})).engine
    assert (typed["profiles"], typed["links"]) == (drawn_from["profiles"], drawn_from["links"])


@pytest.mark.parametrize("name", ENTRIES)
def test_a_figure_is_small_and_has_colours_for_light_and_dark(name: str) -> None:
    svg = figure_file(name).read_text(encoding="utf-8")
    assert len(svg.encode()) <= BYTES_MOST
    assert svg.count("--paper:") == 2
    assert "prefers-color-scheme:dark" in svg
    assert not re.search(r"(fill|stroke): #", svg), "every colour is one of the two sets"


def check(name: str) -> None:
    """The figure and the numbers of a controller are as they stand in the repository."""
    run = simulated(name)
    found = figure(run)
    assert faults(found) == []
    page = PAGE.read_text(encoding="utf-8")
    assert filled(page, {name: block(name, run)}) == page, "python -m tools.gallery makes it anew"
    assert drawn(figure(run), name) == figure_file(name).read_text(encoding="utf-8")


@pytest.mark.parametrize("name", QUICK)
def test_some_are_those_of_this_engine(name: str) -> None:
    check(name)


@pytest.mark.long
@pytest.mark.parametrize("name", [name for name in ENTRIES if name not in QUICK])
def test_all_are_those_of_this_engine(name: str) -> None:
    check(name)
