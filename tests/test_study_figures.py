"""Every figure of the shortened studies is drawn from runs, and nothing in it overlaps, is cut or hides data.

Source: none. What `faults` finds is asked at the moment at which a figure is written to a file or to a page. Nothing else is written
then: other tests look at files, and to write those of all studies takes minutes.
"""

from __future__ import annotations

from io import StringIO
from pathlib import Path
from typing import IO, Any, Final

import pytest
from matplotlib.figure import Figure
from tests.figure_faults import faults

import sawtooth as st
from sawtooth.papers import PAPERS
from sawtooth.papers.catalogue import further
from sawtooth.papers.further import Request
from sawtooth.papers.studies import STUDIES, study_names

NOTHING: Final = "<svg ></svg>"
"""What is written instead of a figure."""

FEW: Final = {"seeds": 2}
LARGE: Final = {"seeds": 2, "varied": {"flows.packet": "4000 B"}}
SHORT: Final = {"seeds": 2, "varied": {"duration": "3 s", "warmup": "1 s"}}
SHORTEST: Final = {"seeds": 2, "varied": {"duration": "2 s", "warmup": "1 s"}}
SHORTER: dict[str, dict[str, Any]] = {
    "akella2002/body": SHORT,
    "akella2002/appendix": SHORTEST,
    "floyd2000": FEW,
    **{f"lahanas2003/{part}": LARGE for part in PAPERS["lahanas2003"].parts},
    "lahanas2003/environments": SHORT,
    "reddy2012": SHORT,
}
"""By paper, or what it falls into without running anything twice, what shortens it further. Two seeds have intervals and ellipses, and no
figure has fewer lines or names. Large packets are few, so that a minute of a hundred flows takes a quarter of the time."""
FURTHER = (
    "akella2002/mathematics",
    "floyd2000/mathematics",
    "lahanas2003/mathematics",
    "reddy2012/sliding-window",
    "mathematics",
    "bbr-draft",
    "coexistence",
)


@pytest.fixture
def looked_at(monkeypatch: pytest.MonkeyPatch) -> dict[str, list[str]]:
    """Of each figure that is written, by title and place, what is wrong with it."""
    found: dict[str, list[str]] = {}
    seen: list[Figure] = []

    def looked(self: Figure, sink: IO[Any], **_: Any) -> None:
        if not any(self is one for one in seen):
            seen.append(self)
            title = self.axes[0].get_title() if self.axes else ""
            found[f"{len(seen)} {title}"] = list(map(str, faults(self)))
        sink.write(NOTHING if isinstance(sink, StringIO) else NOTHING.encode())

    monkeypatch.setattr(Figure, "savefig", looked)
    return found


def test_no_study_is_left_out() -> None:
    assert {study for name in SHORTER for study in study_names(name)} == set(STUDIES)


@pytest.mark.long(200)
@pytest.mark.parametrize(("name", "shorter"), SHORTER.items())
def test_no_figure_of_a_shortened_study_has_a_fault(
    name: str, shorter: dict[str, Any], looked_at: dict[str, list[str]], tmp_path: Path
) -> None:
    st.reproduce(name, quick=True, store=tmp_path, report=tmp_path / "report.html", **shorter)
    assert looked_at
    assert {title: wrong for title, wrong in looked_at.items() if wrong} == {}


@pytest.mark.long
@pytest.mark.parametrize("name", FURTHER)
def test_no_figure_of_what_is_no_study_has_a_fault(
    name: str, looked_at: dict[str, list[str]], tmp_path: Path
) -> None:
    found = further(name)
    assert found is not None
    found.reproduce(Request(str(tmp_path), tmp_path / "report.html", quick="quick" in found.takes))
    assert looked_at
    assert {title: wrong for title, wrong in looked_at.items() if wrong} == {}
