"""A claim of section 6 about a control outside the linear family.

Source: [Akella02] section 6. The runs are those of the part ``akella2002/aild``: AILD and AIMD under RED at constant bandwidth.
"""

from __future__ import annotations

from sawtooth.claims.differences import mean_gap
from sawtooth.claims.logic import Finding, both
from sawtooth.claims.view import View


def aild_better(view: View) -> Finding:
    """Mean goodput of AILD is at least that of AIMD, and its mean spread at most."""
    setting = view.setting
    return both(
        "AILD has no less goodput than AIMD and is no less fair",
        [
            mean_gap(view, "goodput", (setting, "AILD"), (setting, "AIMD"), ">="),
            mean_gap(view, "fairness", (setting, "AILD"), (setting, "AIMD"), "<="),
        ],
    )
