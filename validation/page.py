"""The tables of docs/validation.md, by the name of the block they stand in.

A block lies between `<!-- results: NAME -->` and `<!-- end -->`, on lines of their own or within a line; what lies between is replaced, the
rest of the page is left alone. No number of the comparisons is typed by hand.
"""

from __future__ import annotations

import re
import statistics
from collections.abc import Mapping, Sequence

from sawtooth.models.whole_packets import whole_packets
from sawtooth.report.computed import PLACE
from sawtooth.report.markdown import with_content
from validation.cells import JUDGED, SHOWN, Cell, Statistic, agreeing, bias
from validation.linux import Law as LinuxLaw
from validation.linux import Recording
from validation.loss import FullLink, Random, Regular, control
from validation.mixes import JUDGED as MIX_JUDGED
from validation.mixes import SHOWN as MIX_SHOWN
from validation.mixes import SQUARE, TIMES, Mix
from validation.mixes import agreeing as mixes_agreeing
from validation.rap import BOUND as RAP_BOUND
from validation.rap import Regular as RapRegular
from validation.whole import furthest
from validation.windows import Law as WindowLaw

DECIMALS: Mapping[str, int] = {
    "goodput": 3,
    "loss": 2,
    "delay": 1,
    "fairness": 1,
    "timeouts": 0,
    "retransmits": 0,
}


def filled(page: str, blocks: Mapping[str, str], whole: bool = True) -> str:
    """The page with these blocks replaced; KeyError names a block of a ``whole`` page that nobody fills."""

    def content(place: re.Match[str]) -> str:
        given = place["name"] in blocks or whole
        return with_content(place, blocks[place["name"]]) if given else place[0]

    return PLACE.sub(content, page)


def markdown(heads: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """A table."""
    lines = [heads, ["---"] * len(heads), *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def ns2_agreement(cells: Sequence[Cell]) -> str:
    """How many cells agree, on one line."""
    counts = ", ".join(f"{agreeing(cells, metric)} of {len(cells)} in {metric}" for metric in JUDGED)
    biases = ", ".join(f"{bias(cells, recovery):+.4f} ({recovery})" for recovery in ("reno", "sack"))
    return f"{counts}; mean signed difference in goodput {biases}"


def ns2_cells(cells: Sequence[Cell]) -> str:
    """Every cell: ours, then ns-2's; bold where they disagree by the rule."""
    rows = [
        [cell.recovery, f"`{cell.control}`", cell.environment, *(_pair(cell, metric) for metric in SHOWN)]
        for cell in cells
    ]
    return markdown(["recovery", "law", "environment", *(f"{m} (ns-2)" for m in SHOWN)], rows)


def _pair(cell: Cell, metric: str) -> str:
    def text(statistic: Statistic) -> str:
        digits = DECIMALS[metric] + (metric == "loss" and statistic.mean < 0.1)
        spread = f" ± {statistic.sd:.{digits}f}" if metric in JUDGED else ""
        return f"{statistic.mean:.{digits}f}{spread}"

    pair = f"{text(cell.ours[metric])} ({text(cell.ns2[metric])})"
    return f"**{pair}**" if metric in JUDGED and not cell.agrees(metric) else pair


def ns2_excess(cells: Sequence[Cell]) -> str:
    """By recovery, over all cells: how much more or less than ns-2."""
    rows = []
    for recovery in ("reno", "sack"):
        own = [cell for cell in cells if cell.recovery == recovery]
        row = [recovery, f"{bias(cells, recovery):+.4f}"]
        for metric in ("loss", "delay"):
            shares = [cell.difference(metric) / cell.ns2[metric].mean for cell in own]
            row.append(f"{100 * statistics.median(shares):+.0f} %")
        rows.append([*row, *(_more(own, metric) for metric in ("timeouts", "retransmits"))])
    heads = [
        "recovery",
        "goodput, mean",
        "loss, median",
        "delay, median",
        "timeouts, all",
        "retransmits, all",
    ]
    return markdown(heads, rows)


def _more(cells: Sequence[Cell], metric: str) -> str:
    ratio = sum(cell.ours[metric].mean for cell in cells) / sum(cell.ns2[metric].mean for cell in cells)
    return f"{100 * (ratio - 1):+.0f} %"


def ns2_variants(variants: Mapping[str, Sequence[Cell]]) -> str:
    """One change at a time: how many cells agree, and what happens to timeouts."""
    rows = []
    for name, cells in variants.items():
        by_recovery = {r: [cell for cell in cells if cell.recovery == r] for r in ("reno", "sack")}
        rows.append(
            [
                f"`{name}`" if "=" in name else name,
                *(f"{agreeing(cells, metric)} of {len(cells)}" for metric in JUDGED),
                *(f"{bias(cells, recovery):+.4f}" for recovery in by_recovery),
                *(
                    f"{sum(not all(map(c.agrees, JUDGED)) for c in own)} of {len(own)}"
                    for own in by_recovery.values()
                ),
                *(_more(own, "timeouts") for own in by_recovery.values()),
            ]
        )
    heads = ["variant", *(f"{m} agrees" for m in JUDGED)]
    for what in ("goodput difference", "cells that disagree", "timeouts against ns-2"):
        heads += [f"{what}, {recovery}" for recovery in ("reno", "sack")]
    return markdown(heads, rows)


def ns2_disagreeing(cells: Sequence[Cell]) -> str:
    """The cells that disagree, ours (ns-2's)."""
    wrong = [cell for cell in cells if not all(map(cell.agrees, JUDGED))]
    if not wrong:
        return "None."
    rows = [
        [c.recovery, f"`{c.control}`", c.environment, *(_pair(c, metric) for metric in JUDGED)] for c in wrong
    ]
    return markdown(["recovery", "law", "environment", *(f"{m} (ns-2)" for m in JUDGED)], rows)


def windows(laws: Sequence[WindowLaw]) -> str:
    """Every law of the flow alone."""
    return markdown(
        [
            "recovery",
            "law",
            "decreases compared",
            "largest difference (packets)",
            "largest difference in time (s)",
            "decreases in 60 s (ns-2)",
            "one window of acknowledgements later",
            "ns-2",
        ],
        [
            [
                law.recovery,
                f"`{law.control}`",
                str(len(law.decreases)),
                f"{law.difference:.3f}",
                f"{law.later_s:.3f}",
                f"{law.count} ({law.ns2_count})",
                _grown(law.growth),
                _grown(law.ns2_growth),
            ]
            for law in laws
        ],
    )


def _grown(growth: tuple[float, float] | None) -> str:
    return "" if growth is None else f"{growth[0]:.3f} → {growth[1]:.3f}"


def regular(cells: Sequence[Regular]) -> str:
    """Ours, ns-2's and whole packets alone, each over equation 4, by law and loss."""
    laws = list(dict.fromkeys((cell.a, cell.b) for cell in cells))
    rows = []
    for n in sorted({cell.n for cell in cells}):
        row = [f"{1 / n:.4g}"]
        for a, b in laws:
            cell = next(c for c in cells if (c.a, c.b, c.n) == (a, b, n))
            whole = whole_packets(a, b, n) / cell.exact
            row.append(f"{cell.ratio:.3f} ({cell.ns2_ratio:.3f}, {whole:.3f})")
        rows.append(row)
    return markdown(["p", *(f"`{control(a, b)}`" for a, b in laws)], rows)


def neighbours(cells: Sequence[Regular], around: Sequence[float]) -> str:
    """How far apart periods close to each other come out: a round trip more or less in the cycle, on one line."""
    cell = next(c for c in cells if (c.a, c.b, c.n) == (1.0, 0.5, 2000))
    return f"{cell.ratio:.3f}, between {min(around):.3f} and {max(around):.3f}, {statistics.fmean(around):.3f} on average"


def apart(cells: Sequence[Regular]) -> str:
    """The largest difference between our rate and ns-2's, in percent of the latter."""
    return f"{max(100 * abs(cell.ours / cell.ns2 - 1) for cell in cells):.2f} %"


def short(cells: Sequence[Regular], a: float, b: float, n: int) -> str:
    """What one cell lacks to equation 4, in percent."""
    return f"{100 * (1 - next(c for c in cells if (c.a, c.b, c.n) == (a, b, n)).ratio):.1f} %"


def random(measured: Sequence[Random]) -> str:
    """Rate over the closed form by p, and the slope."""
    probabilities = measured[0].probabilities
    return markdown(
        ["law", *(f"p = {p:.0e}" for p in probabilities), "slope"],
        [
            [
                f"`{control(m.a, m.b)}`",
                *(f"{m.ratio(index):.3f}" for index in range(len(probabilities))),
                f"{m.slope:.3f}",
            ]
            for m in measured
        ],
    )


def full_links(links: Sequence[FullLink]) -> str:
    """Every link that one flow must fill."""
    return markdown(
        [
            "rate",
            "RTT",
            "first loss event (s)",
            "timeout on leaving slow start",
            "second loss event (s)",
            "link used in the 60 s after",
        ],
        [
            [
                f"{link.mbit} Mbit/s",
                f"{link.rtt_ms} ms",
                f"{link.first_s:.2f}",
                "yes" if link.timeout else "no",
                f"{link.second_s:.2f}",
                f"{100 * link.utilisation:.3f} %",
            ]
            for link in links
        ],
    )


def linux_episodes(recordings: Sequence[Recording]) -> str:
    """Every recording: sequences of window → threshold on both sides."""
    rows = []
    for recording in recordings:
        ours = recording.ours[: len(recording.linux)]
        rows.append(
            [
                recording.name,
                " ".join(f"{e.before:.1f}→{e.after:.1f}" for e in ours),
                " ".join(f"{e.before:.0f}→{e.after:.0f}" for e in recording.linux),
                f"{recording.difference:.2f}",
            ]
        )
    return markdown(["recording", "ours", "Linux", "largest difference (packets)"], rows)


def linux_timeouts(recordings: Sequence[Recording]) -> str:
    """Times between timeouts, on one line."""
    ours, linux = next(recording for recording in recordings if recording.kind == "timeout").gaps_s
    return f"{_times(ours)} s here, {_times(linux)} s in Linux"


def _times(gaps: Sequence[float]) -> str:
    return ", ".join(f"{gap:.3f}" for gap in gaps[:3])


def linux_laws(laws: Sequence[LinuxLaw]) -> str:
    """Every law over the short queue."""
    return markdown(
        ["law", "window before (Linux)", "removed (Linux)", "period in s (Linux)"],
        [
            [
                f"`{law.control}`",
                f"{law.before:.1f} ({law.linux_before:.1f})",
                f"{law.removed:.1f} ({law.linux_removed:.1f})",
                f"{law.period_s:.3f} ({law.linux_period_s:.3f})",
            ]
            for law in laws
        ],
    )


def mixes_agreement(cells: Sequence[Mix]) -> str:
    """How many cells of two kinds agree, on one line."""
    names = {"ratio": "ratio of throughputs", "drop_rate": "drop rate"}
    counts = [f"{mixes_agreeing(cells, q)} of {len(cells)} in {text}" for q, text in names.items()]
    variations = [q for q in MIX_JUDGED if q not in names]
    together = sum(mixes_agreeing(cells, q) for q in variations)
    return ", ".join([*counts, f"{together} of {len(cells) * len(variations)} in variation"])


def mixes(cells: Sequence[Mix], shown: Sequence[str] = MIX_SHOWN) -> str:
    """Every cell of two kinds: ours, then ns-2's; bold where they disagree by the rule."""
    rows = []
    for cell in cells:
        row = [f"`{cell.name[0]}`", f"`{cell.name[1]}`", cell.name[2]]
        for quantity in shown:
            pair = _means(cell, quantity, 0 if "timeouts" in quantity else 1 if quantity == "delay" else 3)
            row.append(f"**{pair}**" if quantity in MIX_JUDGED and not cell.agrees(quantity) else pair)
        rows.append(row)
    heads = ["first", "second", "n", *(f"{q.replace('_', ' ')} (ns-2)" for q in shown)]
    return markdown(heads, rows)


def whole_agreement(by_tick: Mapping[str, Sequence[Mix]]) -> str:
    """How many mixes with whole windows agree, and how far the ratios are from ns-2's, on one line."""
    cells = [cell for found in by_tick.values() for cell in found]
    return f"{mixes_agreement(cells)}; ratios within {100 * furthest(cells):.1f} %"


def squares_agreement(cells: Sequence[Mix]) -> str:
    """How many quantities of the square agree, by kind of quantity, on one line."""
    parts = []
    for text, chosen in (
        ("times", TIMES),
        ("drop rates", [q for q in SQUARE if q.startswith("drop_rate")]),
        ("use of the link", [q for q in SQUARE if q.startswith("use_")]),
    ):
        agree = sum(mixes_agreeing(cells, quantity) for quantity in chosen)
        parts.append(f"{agree} of {len(cells) * len(chosen)} in {text}")
    return ", ".join(parts)


def squares(cells: Sequence[Mix]) -> str:
    """Every kind under a square of cross traffic: ours, then ns-2's; bold where they disagree by the rule."""
    rows = []
    for cell in cells:
        pairs = {
            quantity: _means(cell, quantity, 3 if quantity.startswith("use_") else 2) for quantity in SQUARE
        }
        shown = [pair if cell.agrees(quantity) else f"**{pair}**" for quantity, pair in pairs.items()]
        rows.append([f"`{cell.name[0]}`", *shown])
    return markdown(["kind", *(f"{q.replace('_', ' ')} (ns-2)" for q in SQUARE)], rows)


def _means(cell: Mix, quantity: str, digits: int) -> str:
    ours, ns2 = cell.means(quantity)
    return f"{ours:.{digits}f} ({ns2:.{digits}f})"


def rap_regular(cells: Sequence[RapRegular]) -> str:
    """Every law and period of RAP: packets sent, ours over ns-2's."""
    laws = list(dict.fromkeys(cell.control for cell in cells))
    rows = []
    for period in sorted({cell.period for cell in cells}):
        own = {cell.control: cell for cell in cells if cell.period == period}
        shown = [f"{own[law].ours / own[law].ns2:.4f}" for law in laws]
        rows.append(
            [
                f"{1 / period:.4g}",
                *(text if own[law].agrees else f"**{text}**" for law, text in zip(laws, shown, strict=True)),
            ]
        )
    return markdown(["p", *(f"`{law}`" for law in laws)], rows)


def rap_regular_agreement(cells: Sequence[RapRegular]) -> str:
    """How many cells agree, and the largest difference, on one line."""
    largest = max(abs(cell.ours / cell.ns2 - 1) for cell in cells)
    agree = f"{sum(cell.agrees for cell in cells)} of {len(cells)} within {100 * RAP_BOUND:g} %"
    return f"{agree}, the largest difference {100 * largest:.1f} %"
