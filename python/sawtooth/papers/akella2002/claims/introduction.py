"""Claims of the introduction about loss recovery and queue management.

Source: [Akella02] section 1. Recovery is judged on a lone flow that loses chosen packets of one window: the probe ``window-drops`` of the
study drops every second packet of one window, k in all, for Reno and SACK; these runs have no random part, so one seed decides.
The first signal of a queue is looked for in the probe ``first-signal``. Tolerances: ``large_share_of_window``, ``hardly_any``.
"""

from __future__ import annotations

from collections.abc import Iterable

from sawtooth.claims.differences import below, minus
from sawtooth.claims.logic import Finding, both, fact, inequality
from sawtooth.claims.view import View
from sawtooth.experiment.matrix import ProbeRun
from sawtooth.papers.akella2002.four import FOUR

PROBE = "window-drops"
FEW = 3
"""Losses in one window from which Reno is said to suffer ("more than a few")."""


def reno_severe(view: View) -> Finding:
    """Reno times out for every k >= 3, more than a few, and SACK for none of these."""
    many = [run for run in view.probe(PROBE) if int(run.labels["k"]) >= FEW]
    return both(
        f"{FEW} or more losses in one window: Reno times out, SACK does not",
        [
            fact(
                f"{run.labels['recovery']}, k = {run.labels['k']}: timeouts {'>= 1' if _reno(run) else '= 0'}",
                (_count(run, "timeouts") >= 1) == _reno(run),
                timeouts=_count(run, "timeouts"),
                run_id=run.run_id,
            )
            for run in many
        ],
    )


def sack_gentle(view: View) -> Finding:
    """SACK has no timeout and one loss event for every k up to a large share of the window."""
    runs = [run for run in view.probe(PROBE) if not _reno(run)]
    return both(
        "SACK survives many losses in one window with one window reduction",
        [
            fact(
                f"the largest k drops at least {view.tolerance('large_share_of_window'):g} of the window",
                _largest_share(runs) >= view.tolerance("large_share_of_window"),
                judged=f"largest k over {WINDOW_AT_MOST} packets >= {view.tolerance('large_share_of_window'):g}",
                share=_largest_share(runs),
            ),
            *(
                fact(
                    f"k = {run.labels['k']}: timeouts = 0 and loss events = 1",
                    _count(run, "timeouts") == 0 and _count(run, "loss_events") == 1,
                    timeouts=_count(run, "timeouts"),
                    loss_events=_count(run, "loss_events"),
                    run_id=run.run_id,
                )
                for run in runs
            ),
        ],
    )


WINDOW_AT_MOST = 140
"""Window of the probe's flow when the chosen packets are sent, packets; tests/test_claims.py looks."""


def _largest_share(runs: Iterable[ProbeRun]) -> float:
    return max(int(run.labels["k"]) for run in runs) / WINDOW_AT_MOST


def _reno(run: ProbeRun) -> bool:
    return run.labels["recovery"] == "reno"


def _count(run: ProbeRun, column: str) -> int:
    return int(run.flows.column(column)[0].as_py())


FIRST_SIGNAL = "first-signal"
"""Runs from the very start, without a warm-up: what is counted is all there was."""


def aqm_early(view: View) -> Finding:
    """Under RED runs of drops are shorter and timeouts fewer than under drop-tail, and the first signal comes while there is room."""
    red, droptail = view.settings
    signals = [
        fact(
            f"{run.labels['algorithm']} under RED: losses or marks, and none for want of room",
            run.values["loss"] + run.values["marks"] > 0 and run.values["full_drops"] == 0,
            judged="loss + marks > 0 and drops for want of room = 0",
            loss_percent=run.values["loss"],
            for_want_of_room=run.values["full_drops"],
            run_id=run.run_id,
        )
        for run in view.probe(FIRST_SIGNAL)
    ]
    return both(
        "RED signals before the buffer is full, shortens runs of losses and saves timeouts",
        [
            *signals,
            *below(view, red, droptail, FOUR, "drop_run"),
            *below(view, red, droptail, FOUR, "timeouts"),
        ],
    )


def ecn_costs_nothing(view: View) -> Finding:
    """AIMD sends at most ``hardly_any`` packets again per congestion signal, over all environments."""
    share = view.tolerance("hardly_any")
    again, signals = (view.mean(view.setting, "AIMD", name) for name in ("retransmits", "signals"))
    return inequality(
        f"retransmissions - {share:g} x congestion signals of AIMD, mean over the environments",
        minus(again, share * signals),
        "<=",
        retransmissions=float(again.mean()),
        signals=float(signals.mean()),
    )
