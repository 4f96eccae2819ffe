"""A claim of section 6 about a control outside the linear family.

Source: [Akella02] section 6. The runs are those of the part ``akella2002/aild``: AILD and AIMD under RED at constant bandwidth; D is formed
over these two and AILD with other constants. Tolerances: ``comparable``, ``unfair``.
"""

from __future__ import annotations

from sawtooth.claims.differences import mean_gap
from sawtooth.claims.logic import Finding, both, inequality
from sawtooth.claims.view import View


def aild_better(view: View) -> Finding:
    """D_goodput of AILD is at most ``comparable`` and its mean spread at most ``unfair``; its mean goodput is at least that of AIMD, its
    mean spread at most that of AIMD."""
    setting = view.setting
    return both(
        "AILD is efficient and fair, has no less goodput than AIMD and is no less fair",
        [
            inequality(
                "D_goodput(AILD)", view.D(setting, "AILD", "goodput"), "<=", view.tolerance("comparable")
            ),
            inequality(
                "mean spread of AILD", view.mean(setting, "AILD", "fairness"), "<=", view.tolerance("unfair")
            ),
            mean_gap(view, "goodput", (setting, "AILD"), (setting, "AIMD"), ">="),
            mean_gap(view, "fairness", (setting, "AILD"), (setting, "AIMD"), "<="),
        ],
    )
