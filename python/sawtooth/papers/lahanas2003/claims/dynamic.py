"""Claims of [Lahanas03] sections 5.2, 5.3 and 6 that need runs: flows that join and leave, other recoveries, friendly protocols.

Source: studies/contention.toml, _release.toml, _recovery.toml, _coexistence.toml. As printed: RED, buffer of one-way delay x
bandwidth. Tolerances: ``tie``, ``noise``, ``conflict``, ``clear``, ``visible``, ``few_timeouts``, ``dominating_timeouts``, ``far_more``,
``newcomer``.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product
from typing import Final

import numpy as np

from sawtooth.claims.logic import Finding, Relation, both, corrected, inequality
from sawtooth.claims.view import View
from sawtooth.experiment.curves import labels, select, values
from sawtooth.experiment.matrix import ProbeRun
from sawtooth.papers.lahanas2003.claims.stationary import LAWS, NEW, RED, Numbers, above, at, lead

PARTS: Final = ("0..15 s", "15..30 s", "30..45 s", "45..60 s")
SECONDS: Final = 45.0
"""Measured time of the runs of the recovery study, s."""


def joining_goodput(view: View) -> Finding:
    """While flows join, goodput of both new laws is at least that of AIMD in every part."""
    runs = select(view.probe("contention"), RED)
    return _each_part(runs, "gain", ">=", -view.tolerance("tie"), "goodput is kept while flows join")


def joining_fairness(view: View) -> Finding:
    """While flows join, Jain's index of both new laws is that of AIMD at least in every part."""
    runs = select(view.probe("contention"), RED)
    return both(
        "fairness is kept while flows join",
        [
            inequality(
                f"Jain's index of {law} less AIMD, {part}",
                above(runs, law, value=f"jain {part}"),
                ">=",
                -view.tolerance("noise"),
            )
            for law in NEW
            for part in PARTS
        ],
    )


def no_conflict(view: View) -> Finding:
    """While flows join, the new laws have no more timeouts and losses than AIMD."""
    runs = select(view.probe("contention"), RED)
    return both(
        "no conflict with the mechanisms of TCP",
        [
            inequality(
                f"{what} of {law} over AIMD, less one",
                lead(runs, law, what),
                "<=",
                view.tolerance("conflict"),
            )
            for law in NEW
            for what in ("timeouts", "loss")
        ],
    )


def freed_goodput(view: View) -> Finding:
    """After flows leave, both new laws are clearly ahead in every part, and most with the fewest flows."""
    runs = select(view.probe("release"), RED)
    grows = [
        inequality(
            f"gain of {law}, 30 flows less 120 flows",
            lead(runs, law, f"goodput {PARTS[3]}") - lead(runs, law, f"goodput {PARTS[0]}"),
            ">",
        )
        for law in NEW
    ]
    ahead = _each_part(
        runs, "gain", ">=", view.tolerance("clear"), "clearly ahead once flows have left", PARTS[1:]
    )
    return both("freed bandwidth is taken up better", [ahead, both("most with few flows", grows)])


def _each_part(
    runs: Sequence[ProbeRun],
    what: str,
    relation: Relation,
    bound: float,
    text: str,
    parts: Sequence[str] = PARTS,
) -> Finding:
    return both(
        text,
        [
            inequality(f"{what} of {law}, {part}", lead(runs, law, f"goodput {part}"), relation, bound)
            for law in NEW
            for part in parts
        ],
    )


def freed_fairness(view: View) -> Finding:
    """After flows leave, FC is fairer than AIMD in every part."""
    runs = select(view.probe("release"), RED)
    return both(
        "FC is fairer than AIMD once flows have left",
        [
            inequality(f"Jain's index of FC less AIMD, {part}", above(runs, "FC", value=f"jain {part}"), ">")
            for part in PARTS[1:]
        ],
    )


def sixty_flows(view: View) -> Finding:
    """With 60 flows left, FC is fairer than FC+. That timeouts are why is not judged."""
    runs = select(view.probe("release"), RED)
    return inequality(
        "Jain's index of FC less FC+, 60 flows", above(runs, "FC", "FC+", f"jain {PARTS[2]}"), ">"
    )


def _timeouts(runs: Sequence[ProbeRun], flows: int) -> Numbers:
    """Timeouts a flow and second, one value per seed."""
    return values(runs, "timeouts") / (flows * SECONDS)


def sack_suits(view: View) -> Finding:
    """With SACK timeouts are near zero in stationary runs, with Reno there are more, for each law."""
    runs = view.probe("alone")
    operands = []
    for law in labels(runs, "algorithm"):
        sack, reno = (_timeouts(at(runs, algorithm=law, recovery=name), 8) for name in ("sack", "reno"))
        operands.append(
            inequality(
                f"{law}: timeouts with SACK, a flow and second", sack, "<=", view.tolerance("few_timeouts")
            )
        )
        operands.append(
            inequality(f"{law}: timeouts with Reno less SACK, a flow and second", reno - sack, ">")
        )
    return both("SACK hardly times out where Reno does", operands)


def sack_aggressive(view: View) -> Finding:
    """Beside each other a SACK flow gets far more than a Tahoe flow, under AIMD."""
    runs = at(view.probe("mixed"), algorithm="AIMD")
    ratio = values(runs, "share of 0 15..60 s") / values(runs, "share of 1 15..60 s")
    text = "share of a SACK flow over that of a Tahoe flow"
    found = inequality(text, ratio, ">=", view.tolerance("far_more"))
    return corrected(found, inequality(text, ratio, ">", 1.0))


def not_active(view: View) -> Finding:
    """With a fair share of at most a packet no new law has visibly more or less goodput than AIMD, and timeouts dominate."""
    runs, visible = view.probe("scarce"), view.tolerance("visible")
    operands = []
    for share in labels(runs, "share"):
        if float(share) > 1:
            continue
        here = at(runs, share=share)
        for law in NEW:
            gain = lead(here, law, "goodput 15..60 s")
            operands.append(inequality(f"gain of {law}, share {share}", gain, "<=", visible))
            operands.append(inequality(f"gain of {law}, share {share}", gain, ">=", -visible))
        for law in LAWS:
            often = _timeouts(at(here, algorithm=law), 100)
            operands.append(
                inequality(
                    f"{law}: timeouts a flow and second, share {share}",
                    often,
                    ">=",
                    view.tolerance("dominating_timeouts"),
                )
            )
    return both("where a fair share is a packet the law does not matter", operands)


def friendly_grab_more(view: View) -> Finding:
    """Once forty flows have joined, a flow of GAIMD, SQRT, IIAD or SIMD gets more than one of AIMD-FC. In the first ten seconds it also
    keeps a larger part of the share that it had in the ten seconds before."""
    runs = view.probe("onset")
    operands = []
    for law, router in product(labels(runs, "law"), labels(runs, "router")):
        here = at(runs, law=law, router=router)
        ours, friendly = (values(here, f"share of {group} 20..60 s") for group in (0, 1))
        left, kept = (
            values(here, f"share of {group} 20..30 s") / values(here, f"share of {group} 10..20 s")
            for group in (0, 1)
        )
        operands += [
            inequality(f"share of {law} less AIMD-FC, {router}", friendly - ours, ">"),
            inequality(
                f"part of its share that AIMD-FC is left with, less {law}, {router}", left - kept, "<"
            ),
        ]
    return both("friendly protocols take more under congestion, and AIMD-FC backs off further", operands)


def newcomers(view: View) -> Finding:
    """Newcomers among FC+ flows need hardly longer to half a fair share than among AIMD flows."""
    runs = select(view.probe("contention"), RED)
    names = ("settling of 1 15..30 s", "settling of 2 30..45 s", "settling of 3 45..60 s")
    of = {
        law: np.mean([values(at(runs, algorithm=law), name) for name in names], axis=0)
        for law in ("AIMD", "FC+")
    }
    return inequality(
        "time to half a fair share, FC+ over AIMD", of["FC+"] / of["AIMD"], "<=", view.tolerance("newcomer")
    )
