"""Reproductions of published studies, a folder each; ``PAPERS`` lists them.

To add one: a folder with ``PAPER``, its studies, its claims (``claims/claims.toml`` beside the checks) and a line here.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from sawtooth.papers import akella2002, bbr_draft, coexistence, floyd2000, formulas, lahanas2003, reddy2012
from sawtooth.papers.paper import Paper

PAPERS: Final[Mapping[str, Paper]] = {
    entry.name: entry
    for entry in (
        akella2002.PAPER,
        floyd2000.PAPER,
        lahanas2003.PAPER,
        reddy2012.PAPER,
        formulas.PAPER,
        bbr_draft.PAPER,
        coexistence.PAPER,
    )
}
"""Every paper, by name, in the order of the claims."""
DEMO: Final = "akella2002/fig4"
"""What `sawtooth demo` repeats: four laws in one setting, the smallest study with printed scores; its shortened form takes seconds."""
