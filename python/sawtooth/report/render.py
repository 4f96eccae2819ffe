"""From a page as a value to one HTML file: templates, one style sheet and a small script, all in the file, so that nothing is fetched.

Source: none. Words are escaped by the templates; what is markup already (``inline``) stays. A template that names what is not there fails.
"""

from __future__ import annotations

from functools import cache
from typing import Final

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup

from sawtooth.claims.logic import Finding, Verdict
from sawtooth.packaged import packaged
from sawtooth.plurals import verb
from sawtooth.report.blocks import Block, Evidence, Page
from sawtooth.report.inline import MARKS, pill
from sawtooth.report.tables import leaf_text, seeds_text

FAILURES: Final = 4
"""Claims that fail that are in sight; the rest is folded."""


@cache
def _environment() -> Environment:
    loader = FileSystemLoader(packaged("report", "templates"))
    made = Environment(
        loader=loader, autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True
    )
    made.filters |= {"dressed": _dressed, "leaf": leaf_text, "pill": pill, "joining": _joining, "verb": verb}
    made.globals |= {"MARKS": MARKS, "FAILURES": FAILURES, "evidence": Evidence}
    return made


def render(page: Page) -> str:
    """The whole file."""
    return (
        _environment()
        .get_template("page.html")
        .render(page=page, style=_text("page.css"), script=_text("page.js"))
    )


def _dressed(block: Block) -> Markup:
    """A block in the template of its kind."""
    return Markup(_environment().get_template(f"{block.kind}.html").render(block=block))


@cache
def _text(name: str) -> Markup:
    return Markup(packaged("report", "templates").joinpath(name).read_text(encoding="utf-8"))


def _joining(finding: Finding) -> str:
    """How the operands of a finding make its verdict, and what would decide it."""
    how = {"and": "all of", "or": "one of", "not": "not"}[finding.joined or "and"]
    if "wanted" in finding.numbers:
        how = f"at least {finding.numbers['wanted']} of"
    if finding.verdict is not Verdict.UNDECIDED:
        return how
    alone = [leaf for leaf in finding.leaves() if leaf.verdict is Verdict.FAILS]
    if finding.sure is not None and finding.joined == "and" and alone:
        how += f"; {len(alone)} of {finding.sure.tests} statements fail by themselves, which among so many may be luck (Holm)"
    return f"{how}; {seeds_text(finding)}"
