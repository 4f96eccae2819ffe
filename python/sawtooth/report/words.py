"""What the terms on a page mean, for those who meet them here first.

Source: none; docs/metrics.md and docs/glossary.md say more.
"""

from __future__ import annotations

from typing import Final

from sawtooth.experiment.typed import NOTHING_TYPED, Typed
from sawtooth.report.inline import Inline, code

MEASURES: Final[tuple[tuple[str, Inline], ...]] = (
    ("Goodput", "Fraction of the available bandwidth that new packets filled. More is better."),
    ("Fairness", "Spread of the goodputs of the flows, (largest − smallest) / mean. Less is fairer."),
    ("Delay", "Mean time that the packets of the measured flows wait at the bottleneck, in ms."),
    ("Loss", "Share of the packets of the measured flows that are dropped at the bottleneck, in %."),
)
_D: Final = (
    "Sum over the environments of an algorithm's distance from the best algorithm, in one metric: 0 is best."
)
SCORED: Final[tuple[tuple[str, Inline], ...]] = (
    ("D", _D),
    ("C", "The largest of these distances: that of the environment in which the algorithm does worst."),
    ("Environment", "A pattern of bandwidth over time that all algorithms meet alike."),
)
PRINTED: Final[tuple[str, Inline]] = ("Printed", "The number in the tables of the paper.")
INTERVAL: Final[tuple[str, Inline]] = (
    "± and [ , ]",
    "95 % confidence interval of the mean over seeds; within a seed all algorithms meet the same bandwidth and start times.",
)
VERDICTS: Final[tuple[str, Inline]] = (
    "Holds, fails, undecided",
    "A claim holds or fails only where its inequalities are decided at 95 %; otherwise it is undecided. A claim that fails is a result.",
)


def runs(typed: Typed) -> tuple[str, Inline]:
    """How a run is reached."""
    again = code(f"sawtooth replay RUNID{typed.suffix(loads=True)}")
    shown = code(f"sawtooth store show RUNID{typed.suffix(loads=False)}")
    return "Run", again + " makes a run again, bit for bit; " + shown + " shows its scenario and seed."


RUNS: Final = runs(NOTHING_TYPED)
