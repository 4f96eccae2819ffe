"""The blocks of docs/validation.md on networks of two routers and unequal round-trip times."""

from __future__ import annotations

from collections.abc import Sequence

from validation import rtts, web
from validation.cells import Statistic
from validation.page import markdown

DECIMALS = {"goodput": 3, "loss": 2, "delay": 1, "cross_bps": 2, "completion_mean": 3, "completion_p95": 3}
UNITS = {"cross_bps": 1e6}
HEADS = {
    "cross_bps": "short flows, Mbit/s",
    "completion_mean": "completion, mean (s)",
    "completion_p50": "p50 (s)",
    "completion_p95": "p95 (s)",
}


def agreement(cells: Sequence[web.Cell]) -> str:
    """How many cells agree, on one line."""
    counts = [
        f"{web.agreeing(cells, metric)} of {len(cells)} in {metric}"
        for metric in ("goodput", "loss", "delay")
    ]
    times = [web.agreeing(cells, metric) for metric in web.JUDGED if metric.startswith("completion")]
    counts.append(f"{sum(times)} of {len(cells) * len(times)} in completion times")
    dropped = sum(cell.drops_in_profile for cell in cells)
    return ", ".join(counts) + f"; {dropped} packets of short flows dropped at the bottleneck"


def cells(found: Sequence[web.Cell]) -> str:
    """Every cell: ours, then ns-2's; bold where they disagree by the rule."""
    rows = [
        [cell.recovery, f"`{cell.control}`", cell.router, *(_pair(cell, metric) for metric in web.JUDGED)]
        for cell in found
    ]
    return markdown(["recovery", "law", "router", *(f"{HEADS.get(m, m)} (ns-2)" for m in web.JUDGED)], rows)


def _pair(cell: web.Cell, metric: str) -> str:
    digits, unit = DECIMALS.get(metric, 3), UNITS.get(metric, 1)

    def text(value: float) -> str:
        return f"{value / unit:.{digits}f}"

    ours: Statistic = cell.ours[metric]
    spread = f" ± {text(ours.sd)}" if metric not in web.EXACT or metric == "goodput" else ""
    pair = f"{text(ours.mean)}{spread} ({text(cell.ns2[metric])})"
    return pair if cell.agrees(metric) else f"**{pair}**"


def flows(found: web.Flows) -> str:
    """The short flows of one cell one by one, in a phrase."""
    return (
        f"{100 * found.within:.1f} % of {len(found.completions)} completion times within 10 % of ns-2's, "
        f"median ratio {found.median_ratio:.3f}"
    )


def rtt_agreement(cases: Sequence[rtts.Case]) -> str:
    """How many cases agree, on one line."""
    bounds = [rtts.tolerance(case) for case in cases]
    return f"{rtts.agreeing(cases)} of {len(cases)} exponents within {min(bounds):.2f} to {max(bounds):.2f}"


def rtt_cases(cases: Sequence[rtts.Case]) -> str:
    """Exponents and shares of every case, ours and ns-2's."""
    rows = []
    for case in cases:
        exponent = f"{case.exponent.mean:.2f} ± {case.exponent.sd:.2f} ({case.ns2_exponent:.2f})"
        shares = [
            f"{ours.mean:.2f} ({ns2:.2f})" for ours, ns2 in zip(case.shares, case.ns2_shares, strict=True)
        ]
        rows.append([f"`{case.control}`", case.first, exponent, *shares])
    return markdown(["law", "starts first", "exponent (ns-2)", *(f"{rtt} ms" for rtt in rtts.RTTS_MS)], rows)
