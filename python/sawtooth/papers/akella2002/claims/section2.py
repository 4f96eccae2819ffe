"""Claims of section 2: patterns of bandwidth that make each of the four a winner or a loser (Figures 1 and 2).

Source: [Akella02] section 2 and Figures 1 and 2; [Reddy12] repeats three panels for AIMD and AIAD. The numbers of the patterns survive in
no rendering of the report: those of studies/patterns.toml were found by ``sawtooth environment search``, which puts these
very checks to other seeds. Goodput is not clipped: cross traffic that is lost leaves more than its remainder, and a winner is who uses it.

Tolerances: ``nearly_cancels``, ``loss_slightly``, ``tracking_window``.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Final, Literal

import numpy as np

from sawtooth.claims.differences import between
from sawtooth.claims.logic import Finding, both, either, inequality
from sawtooth.claims.view import View
from sawtooth.experiment.matrix import ProbeRun
from sawtooth.experiment.scoring import Values
from sawtooth.papers.akella2002.four import FOUR

Relation = Literal["<", ">", "<=", ">="]

MULTIPLICATIVE_DECREASE: Final = ("AIMD", "MIMD")

FIG1: Final = "akella2002/fig1"
FIG2: Final = "akella2002/fig2"
PANELS: Final = ((FIG1, "1a"), (FIG1, "1b"), (FIG1, "1c"), (FIG1, "1d"), (FIG2, "2a"), (FIG2, "2b"))


def versus(view: View, pattern: str, metric: str, a: str, relation: Relation, b: str) -> Finding:
    """A metric of one algorithm against that of another under a pattern."""
    gap = view.pattern(pattern, a, metric) - view.pattern(pattern, b, metric)
    return inequality(f"{metric}({a}) - {metric}({b})", gap, relation)


def others(*chosen: str) -> list[str]:
    """The rest of the four."""
    return [name for name in FOUR if name not in chosen]


def first(view: View, pattern: str, chosen: str, among: Sequence[str] = FOUR) -> Finding:
    """Goodput above that of every other."""
    return both(
        f"{chosen} has the best goodput",
        [versus(view, pattern, "goodput", chosen, ">", other) for other in among if other != chosen],
    )


def last(view: View, pattern: str, chosen: str, among: Sequence[str] = FOUR) -> Finding:
    """Goodput below that of every other."""
    return both(
        f"{chosen} has the worst goodput",
        [versus(view, pattern, "goodput", chosen, "<", other) for other in among if other != chosen],
    )


def best_1a(view: View) -> Finding:
    """AIMD first on the saw-tooth."""
    return first(view, "1a", "AIMD")


def losses_1a(view: View) -> Finding:
    """AIAD, MIMD and MIAD retransmit more than AIMD."""
    return both(
        "the other three retransmit more than AIMD",
        [versus(view, "1a", "retransmits", other, ">", "AIMD") for other in others("AIMD")],
    )


def worst_1a(view: View) -> Finding:
    """MIAD last in goodput and first in timeouts."""
    return both(
        "MIAD comes last and times out most",
        [
            last(view, "1a", "MIAD"),
            *(versus(view, "1a", "timeouts", "MIAD", ">", other) for other in others("MIAD")),
        ],
    )


def best_1b(view: View) -> Finding:
    """AIAD first on the square wave with short low phases."""
    return first(view, "1b", "AIAD")


def ratchets_1b(view: View) -> Finding:
    """AIAD's window is larger at a rise of bandwidth than at the one before, on average over the rises at which it is below what the high
    rate carries."""
    return inequality(
        "change of AIAD's mean window from one rise of bandwidth to the next, packets",
        view.pattern("1b", "AIAD", "window_climb"),
        ">",
        growth_in_a_period=float(view.pattern("1b", "AIAD", "window_growth").mean()),
    )


def loss_without_timeouts_1b(view: View) -> Finding:
    """loss(AIAD) > loss of AIMD and of MIMD, by at most ``loss_slightly``, and no timeout of AIAD."""
    loss = {name: view.pattern("1b", name, "loss") for name in ("AIAD", *MULTIPLICATIVE_DECREASE)}
    return both(
        "AIAD loses slightly more than the multiplicative decreases and never times out",
        [
            *(
                inequality(f"loss(AIAD) - loss({other})", loss["AIAD"] - loss[other], relation, bound)
                for other in MULTIPLICATIVE_DECREASE
                for relation, bound in between(0.0, view.tolerance("loss_slightly"))
            ),
            inequality("timeouts(AIAD)", view.pattern("1b", "AIAD", "timeouts"), "<="),
        ],
    )


def timeouts_1b(view: View) -> Finding:
    """MIAD and MIMD time out, more than AIAD."""
    return both(
        "MIAD and MIMD time out, and more than AIAD",
        [
            operand
            for name in ("MIAD", "MIMD")
            for operand in (
                inequality(f"timeouts({name})", view.pattern("1b", name, "timeouts"), ">"),
                versus(view, "1b", "timeouts", name, ">", "AIAD"),
            )
        ],
    )


def worst_1b(view: View) -> Finding:
    """AIMD last; what is left of its growth at the next rise, or taken beyond it, is at most ``nearly_cancels`` of it."""
    share = view.tolerance("nearly_cancels")
    growth = view.pattern("1b", "AIMD", "window_growth")
    climb = view.pattern("1b", "AIMD", "window_climb")
    return both(
        "AIMD comes last, and a low phase nearly takes back what a high phase gave",
        [
            last(view, "1b", "AIMD"),
            inequality(f"window_climb(AIMD) - {share:g} window_growth(AIMD)", climb - share * growth, "<="),
            inequality(f"window_climb(AIMD) + {share:g} window_growth(AIMD)", climb + share * growth, ">="),
        ],
    )


def best_1c(view: View) -> Finding:
    """MIAD first in goodput, with less loss and fewer timeouts than it has under 1(b)."""
    return both(
        "MIAD has the best goodput and overshoots less than under the pattern before",
        [
            first(view, "1c", "MIAD"),
            *(
                inequality(
                    f"{metric}(MIAD), 1c - 1b",
                    view.pattern("1c", "MIAD", metric) - view.pattern("1b", "MIAD", metric),
                    "<",
                )
                for metric in ("loss", "timeouts")
            ),
        ],
    )


def slow_1c(view: View) -> Finding:
    """MIAD ahead of AIAD in goodput, and in what a period adds to the window."""
    return both(
        "AIAD is behind MIAD, and its window grows less",
        [versus(view, "1c", metric, "MIAD", ">", "AIAD") for metric in ("goodput", "window_growth")],
    )


def worst_1c(view: View) -> Finding:
    """AIMD last."""
    return last(view, "1c", "AIMD")


def best_1d(view: View) -> Finding:
    """MIMD first."""
    return first(view, "1d", "MIMD")


def timeouts_1d(view: View) -> Finding:
    """AIAD and MIAD lose more than AIMD and MIMD, and time out more often."""
    return both(
        "the additive decreases lose most and time out most",
        [
            versus(view, "1d", metric, additive, ">", multiplicative)
            for metric in ("loss", "timeouts")
            for additive in others(*MULTIPLICATIVE_DECREASE)
            for multiplicative in MULTIPLICATIVE_DECREASE
        ],
    )


def worst_1d(view: View) -> Finding:
    """AIMD last."""
    return last(view, "1d", "AIMD")


def worst_2a(view: View) -> Finding:
    """goodput(AIAD) < goodput(AIMD) < goodput(MIMD), goodput(MIAD)."""
    return both(
        "AIAD comes last, AIMD before it, both multiplicative increases ahead",
        [
            versus(view, "2a", "goodput", "AIAD", "<", "AIMD"),
            *(versus(view, "2a", "goodput", "AIMD", "<", other) for other in ("MIMD", "MIAD")),
        ],
    )


def loss_2a(view: View) -> Finding:
    """AIAD loses more than AIMD."""
    return versus(view, "2a", "loss", "AIAD", ">", "AIMD")


def worst_2b(view: View) -> Finding:
    """MIMD last; MIMD and MIAD time out more than AIMD and AIAD."""
    return both(
        "MIMD comes last, and the multiplicative increases time out most",
        [
            last(view, "2b", "MIMD"),
            *(
                versus(view, "2b", "timeouts", bad, ">", good)
                for bad in ("MIMD", "MIAD")
                for good in ("AIMD", "AIAD")
            ),
        ],
    )


def miad_2b(view: View) -> Finding:
    """MIAD ahead of MIMD in goodput and in mean window."""
    return both(
        "MIAD beats MIMD and keeps more packets outstanding",
        [versus(view, "2b", metric, "MIAD", ">", "MIMD") for metric in ("goodput", "mean_window")],
    )


def no_dominant(view: View) -> Finding:
    """For each of the four some panel's pattern makes it first and some makes it last."""
    panels = [(view.part(part), name) for part, name in PANELS]
    return both(
        "each of the four wins under some pattern and comes last under another",
        [
            either(
                f"{chosen} {word} under one of the patterns",
                [how(part, name, chosen) for part, name in panels],
            )
            for chosen in FOUR
            for how, word in ((first, "wins"), (last, "comes last"))
        ],
    )


def _of(runs: Sequence[ProbeRun], metric: str, **labels: str | int | float) -> Values:
    """Values of a metric over the seeds of a probe, at the labels given."""
    found = [
        run.values[metric] for run in runs if all(run.labels[name] == label for name, label in labels.items())
    ]
    return np.asarray(found, dtype=np.float64)


def slow_and_sudden(view: View) -> Finding:
    """AIMD ahead of MIMD where bandwidth grows slowest, behind where it grows at once; AIAD ahead of AIMD where it falls slowest, behind
    where it falls at once. What lies between is shown and not judged."""
    return both(
        "additive changes suit slow changes of bandwidth, multiplicative ones sudden changes",
        [
            _turn(view, "growth", "AIMD", "MIMD", "increase"),
            _turn(view, "fall", "AIAD", "AIMD", "decrease"),
        ],
    )


def _turn(view: View, probe: str, additive: str, multiplicative: str, word: str) -> Finding:
    runs = view.probe(probe)
    over = sorted({float(run.labels["over"]) for run in runs})
    gaps = {
        length: _of(runs, "goodput", control=additive, over=length)
        - _of(runs, "goodput", control=multiplicative, over=length)
        for length in over
    }
    text = f"goodput({additive}) - goodput({multiplicative})"
    return both(
        f"the additive {word} is ahead in a slow {probe} of bandwidth and behind in a sudden one",
        [
            inequality(f"{text}, {probe} within {over[-1]:g} s", gaps[over[-1]], ">"),
            inequality(f"{text}, {probe} within {over[0]:g} s", gaps[over[0]], "<"),
        ],
        means={f"{length:g} s": float(gap.mean()) for length, gap in gaps.items()},
    )


def faster_loses_more(view: View) -> Finding:
    """Along three increases of a kind, with the decrease kept: loss and retransmissions grow, and the lag after a rise shrinks.

    The lag is the time that full use of the new rate would have taken to deliver what was missed: (1 - goodput) times the window after
    the rise.
    """
    runs = view.probe("increases")
    window_s = view.tolerance("tracking_window")
    operands = []
    for kind, labels in (
        ("additive", ("AIMD(1,0.8)", "AIMD(2,0.8)", "AIMD(3,0.8)")),
        ("multiplicative", ("MIMD(1.125,0.8)", "MIMD(1.19,0.8)", "MIMD(1.25,0.8)")),
    ):
        steps = list(pairwise(labels))
        for metric in ("loss", "retransmits"):
            operands.append(
                both(
                    f"{metric} grows with the {kind} increase",
                    [
                        inequality(
                            f"{metric}({more}) - {metric}({less})",
                            _of(runs, metric, control=more) - _of(runs, metric, control=less),
                            ">",
                        )
                        for less, more in steps
                    ],
                )
            )
        operands.append(
            both(
                f"the lag shrinks with the {kind} increase",
                [
                    inequality(
                        f"lag({more}) - lag({less}), s",
                        window_s * (_of(runs, "goodput", control=less) - _of(runs, "goodput", control=more)),
                        "<",
                    )
                    for less, more in steps
                ],
            )
        )
    return both("faster increases lag less and lose more", operands)


def reddy_1a(view: View) -> Finding:
    """AIMD ahead of AIAD on the saw-tooth; AIAD retransmits more."""
    return both(
        "AIMD is ahead, and AIAD retransmits more",
        [
            versus(view, "1a", "goodput", "AIMD", ">", "AIAD"),
            versus(view, "1a", "retransmits", "AIAD", ">", "AIMD"),
        ],
    )


def reddy_1b(view: View) -> Finding:
    """AIAD ahead of AIMD."""
    return versus(view, "1b", "goodput", "AIAD", ">", "AIMD")


def reddy_2a(view: View) -> Finding:
    """AIAD behind AIMD."""
    return versus(view, "2a", "goodput", "AIAD", "<", "AIMD")
