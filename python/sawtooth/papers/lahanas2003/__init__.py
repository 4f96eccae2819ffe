"""[Lahanas03]: AIMD with fast convergence."""

from __future__ import annotations

from typing import Final

from sawtooth.papers.paper import Paper

PAPER: Final = Paper(
    name="lahanas2003",
    title="Exploiting the efficiency and fairness potential of AIMD (Lahanas, Tsaoussidis 2003)",
    parts=(
        "stationary",
        "contention",
        "release",
        "gain",
        "recovery",
        "coexistence",
        "two-step",
        "environments",
    ),
    mathematics="Lahanas and Tsaoussidis 2003: AIMD with fast convergence",
    drawings="lahanas2003.drawings.draw",
    derived={"gain": "lahanas2003.gain.curves"},
)
