"""Claims of the introduction about loss recovery, judged on a lone flow that loses chosen packets of one window.

Source: [Akella02] section 1. The probe ``window-drops`` of the study drops every second packet of one window, k in all, for
Reno and SACK; these runs have no random part, so one seed decides. Tolerance: ``large_share_of_window``.
"""

from __future__ import annotations

from collections.abc import Iterable

from sawtooth.claims.logic import Finding, both, fact
from sawtooth.claims.view import View
from sawtooth.matrix import ProbeRun

PROBE = "window-drops"
FEW = 3
"""Losses in one window from which Reno is said to suffer ("more than a few")."""


def reno_severe(view: View) -> Finding:
    """Reno times out for every k >= FEW, SACK for none of these."""
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
