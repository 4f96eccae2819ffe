"""Claims of [Reddy12] section 1 about sliding windows: the limits of the window and what Go-Back-N does with a bad frame.

Source: [Reddy12] section 1. The limits are tried on every window up to 12 frames; losses are drawn from the engine's named stream.
"""

from __future__ import annotations

import numpy as np

from sawtooth import _native
from sawtooth.claims.agreement import bounded, exactly, same
from sawtooth.claims.logic import Finding, both, fact
from sawtooth.claims.view import View
from sawtooth.models import sliding_window

MOST = 12


def receiver_limit(_: View) -> Finding:
    """The window never exceeds what the receiver can process; with numbers to spare it is just that."""
    found = [[sliding_window.largest_window(r, s) for s in range(2, MOST)] for r in range(1, MOST)]
    return both(
        "the window is at most what the receiver can process",
        [
            fact(
                "for receivers and spaces up to 12",
                all(max(row) <= r for r, row in enumerate(found, 1)),
                judged=f"window <= what the receiver can process, in each of {sum(map(len, found))} cases",
            ),
            exactly("8 frames with 100 numbers: 8", sliding_window.largest_window(8, 100), 8),
        ],
    )


def sequence_space(_: View) -> Finding:
    """If every acknowledgement of a window is lost, resent frames can be told from new ones exactly when the space exceeds the window."""
    told = {
        (window, space): not sliding_window.ambiguous(window, space)
        for window in range(1, MOST)
        for space in range(1, MOST)
    }
    return fact(
        "the receiver can tell exactly when there are more numbers than the window has frames",
        all(clear == (space > window) for (window, space), clear in told.items()),
        judged=f"exactly where space > window, in {len(told)} cases",
        cases=len(told),
    )


def as_large_as_possible(_: View) -> Finding:
    """The largest window that keeps both limits, found by trying all."""
    bad = []
    for receiver in range(1, MOST):
        for space in range(2, MOST):
            allowed = [w for w in range(1, MOST) if w <= receiver and not sliding_window.ambiguous(w, space)]
            if sliding_window.largest_window(receiver, space) != max(allowed):
                bad.append((receiver, space))
    return fact(
        "the window is the largest that keeps both limits",
        not bad,
        judged=f"window = the largest by trial, in each of {(MOST - 1) * (MOST - 2)} cases",
        counter_examples=bad,
    )


def discard(_: View) -> Finding:
    """Five frames, the third damaged, a window of five: 0 1 2 3 4, then again 2 3 4."""
    found = sliding_window.go_back_n(5, 5, {2})
    return both(
        "after a bad frame the rest is dropped and sent again from there",
        [
            exactly("sent: 0 1 2 3 4 2 3 4", found.sent, (0, 1, 2, 3, 4, 2, 3, 4), sent=list(found.sent)),
            exactly("delivered once each, in order", found.delivered, (0, 1, 2, 3, 4)),
        ],
    )


def waste(_: View) -> Finding:
    """(1 - p)/(1 - p + N p) falls with p and with N; transfers of 20000 frames with random errors agree to 3 %."""
    probabilities, windows = np.array([0.001, 0.01, 0.1, 0.3]), np.array([2, 8, 32])
    table = sliding_window.efficiency(probabilities[:, None], windows)
    measured = []
    for place, p in enumerate(probabilities.tolist()):
        draws = np.asarray(_native.uniforms("1", f"go-back-n {place}", 400_000))
        bad = set(np.flatnonzero(draws < p).tolist())
        measured.append(20_000 / len(sliding_window.go_back_n(20_000, 8, bad).sent))
    return both(
        "Go-Back-N wastes bandwidth where errors are frequent",
        [
            bounded(
                "efficiency falls with the error rate",
                "change of efficiency",
                np.diff(table, axis=0),
                "<",
                0.0,
                p=probabilities.tolist(),
            ),
            bounded(
                "and with the window",
                "change of efficiency",
                np.diff(table, axis=1),
                "<",
                0.0,
                N=windows.tolist(),
            ),
            same(
                "transfers agree with the formula to 3 %, N = 8",
                measured,
                table[:, 1],
                within=0.03,
                measured=measured,
                formula=table[:, 1].tolist(),
            ),
        ],
    )
