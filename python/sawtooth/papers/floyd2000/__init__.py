"""[Floyd00]: smooth window controls against equation-based congestion control."""

from __future__ import annotations

from typing import Final

from sawtooth.papers.paper import Paper

PAPER: Final = Paper(
    name="floyd2000",
    title="A Comparison of Equation-Based and AIMD Congestion Control (Floyd, Handley, Padhye 2000)",
    parts=("shares", "smoothness", "gap", "tfrc", "transients"),
    mathematics="Floyd, Handley, Padhye 2000: response functions",
    drawings="floyd2000.drawings.draw",
    derived={"gap": "floyd2000.share_gap.curves", "smoothness": "floyd2000.ratio_histograms.curves"},
    beside="formulas.lending.FLOYD",
)
