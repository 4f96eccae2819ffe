"""[Akella02]: is AIMD the right control for today's recoveries and routers?"""

from __future__ import annotations

from typing import Final

from sawtooth.papers.paper import Paper

PAPER: Final = Paper(
    name="akella2002",
    title="Exploring Congestion Control (Akella, Seshan, Shenker, Stoica 2002)",
    parts=(
        "fig1",
        "fig2",
        "fig4",
        "fig5",
        "fig6",
        "fig7",
        "fig8",
        "fig9",
        "fig10",
        "fig11",
        "fig12",
        "appendix",
        "ring",
        "hybrids",
        "loss-epochs",
        "unequal-rtt",
        "small-buffers",
        "flows-10",
        "flows-20",
        "flows-50",
        "sending-rate",
        "aild",
        "tracking",
        "bursts",
    ),
    apart=("appendix",),
    mathematics="Akella et al. 2002: steady states and fairness",
    drawings="akella2002.drawings.draw",
    printed="akella2002.printed.tables",
    exhibits="akella2002.pages.exhibits",
    further={
        "akella2002/configurations": "akella2002.set_ups.command.SET_UPS",
        "akella2002/ablation": "akella2002.set_ups.command.ABLATION",
    },
    reconstruction="akella2002.reconstruction.command.RECONSTRUCTION",
)
