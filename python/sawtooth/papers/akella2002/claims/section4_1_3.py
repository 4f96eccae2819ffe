"""Claims of section 4.1.3: two congested links on each path.

Source: [Akella02] section 4.1.3 and footnote 6. The runs are those of the part ``akella2002/ring``, in which each test flow crosses two
bottlenecks that it shares with different flows. Tolerance: ``goodput_same``.
"""

from __future__ import annotations

from sawtooth.claims.differences import mean_gap, minus, within
from sawtooth.claims.logic import Finding, both
from sawtooth.claims.view import View


def same_goodput(view: View) -> Finding:
    """The mean goodputs of AIAD and AIMD are at most ``goodput_same`` apart, in each setting."""
    bound = view.tolerance("goodput_same")
    return both(
        "AIAD has the goodput of AIMD",
        [
            operand
            for setting in view.settings
            for operand in within(
                f"mean goodput, AIAD - AIMD, {setting}",
                minus(view.mean(setting, "AIAD", "goodput"), view.mean(setting, "AIMD", "goodput")),
                bound,
            )
        ],
    )


def more_outstanding(view: View) -> Finding:
    """The mean window and the mean loss of AIAD are above those of AIMD, in each setting."""
    return both(
        "AIAD keeps more packets outstanding than AIMD and loses more",
        [
            mean_gap(view, metric, (setting, "AIAD"), (setting, "AIMD"), ">")
            for setting in view.settings
            for metric in ("mean_window", "loss")
        ],
    )
