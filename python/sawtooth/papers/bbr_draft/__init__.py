"""The test cases of draft-ietf-ccwg-bbr, and the simulator expectations of Google's QUIC, run by `sawtooth reproduce bbr-draft`.

``cases/`` has a file for each: a scenario, what the text expects, and every tolerance with its reason. ``case_files`` reads them,
``trace`` is what a run shows over time, ``checks`` and ``google`` hold the expectations against it, ``perform`` runs all and judges,
``page`` writes the report, with the trace of each case that fails.
"""

from __future__ import annotations

from typing import Final

from sawtooth.papers.paper import Paper

PAPER: Final = Paper(name="bbr_draft", further={"bbr-draft": "bbr_draft.command.BBR_DRAFT"})
