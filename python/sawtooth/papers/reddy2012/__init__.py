"""[Reddy12]: the four linear controls compared anew."""

from __future__ import annotations

from typing import Final

from sawtooth.papers.paper import Paper

PAPER: Final = Paper(
    name="reddy2012",
    title="The general comparison between AIMD and AIAD (Reddy, Sireesha, Kumar 2012)",
    parts=("patterns", "pair", "appendix", "fair-queueing", "hybrid"),
    mathematics="Reddy et al. 2012: definitions",
    drawings="reddy2012.drawings.draw",
    printed="akella2002.printed.tables",
    exhibits="akella2002.pages.exhibits",
    further={"reddy2012/sliding-window": "reddy2012.sliding_window.SLIDING_WINDOW"},
)
