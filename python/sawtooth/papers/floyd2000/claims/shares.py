"""Claims of [Floyd00] sections 2, 4, 5, 6.3, 7 and 9 about shares: n flows of one kind against n of another.

Source: studies/shares.toml. A *ratio* is the mean throughput of the second kind over that of the first, per seed; over several
numbers of flows it is the mean of their ratios, from four of each kind on. The study runs windows as real numbers and windows cut to whole
packets on a decrease, as the simulator of the time kept them. A verdict is taken at the reading that ``tcp.window_arithmetic`` of the study
has, an open parameter. Where a claim fails with real numbers, what holds with whole packets stands beside it.
Tolerances: ``fair``, ``about_70``, ``less``, ``slightly_more``, ``almost_twice``, ``significantly``, ``moderate``, ``misses``,
``same_picture``.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import product
from typing import TYPE_CHECKING, Final, TypeAlias

import numpy as np

from sawtooth.claims.logic import Finding, Verdict, both, corrected, either, inequality
from sawtooth.claims.view import View
from sawtooth.experiment.curves import labels, select, values
from sawtooth.experiment.matrix import ProbeRun
from sawtooth.models import response

if TYPE_CHECKING:
    from numpy.typing import NDArray

Numbers: TypeAlias = "NDArray[np.float64]"

STUDY: Final = "floyd2000/shares"
RATIO, LOSS = "ratio of 1", "loss"
FEWEST: Final = 4
"""Fewer flows of each kind lose too rarely for a share that means something."""
WHOLE: Final = "integer"
LINKS: Final = ("link15", "link60")
FIGURE_2, FIGURE_3, FIGURE_4 = "TCP v TCP(1/5,1/8)", "TCP v TCP(1/5,1/8)", "TCP v TCP(2/5,1/8)"
FIGURE_5, FIGURE_6, FIGURE_12 = "TFRC v TCP(1/5,1/8)", "TFRC v TCP(2/5,1/8)", "TCP v TCP(1,1/8)"
WITH_TFRC: Final = "TCP v TFRC"
LAWS: Final = {FIGURE_3: (0.2, 0.125), FIGURE_4: (0.4, 0.125), FIGURE_12: (1.0, 0.125)}


def taken(view: View) -> str:
    """The reading of windows at which verdicts are taken: real or integer."""
    return str(view.part(STUDY).study.value_of("tcp.window_arithmetic"))


def runs_of(view: View, probe: str, pair: str, windows: str | None = None) -> list[ProbeRun]:
    """The runs of a pair on one link, from four flows of each kind on; with windows as they are taken, unless others are asked for."""
    chosen = select(view.probe(probe), {"pair": pair, "windows": windows or taken(view)})
    return [run for run in chosen if float(run.labels["n"]) >= FEWEST]


def mean_ratio(runs: Sequence[ProbeRun]) -> Numbers:
    """The mean over the numbers of flows, one value per seed."""
    each = [values(select(runs, {"n": n}), RATIO) for n in labels(runs, "n")]
    return np.asarray(np.mean(each, axis=0), dtype=np.float64)


def by_number(runs: Sequence[ProbeRun]) -> dict[str, object]:
    """Ratio and drop rate at each number of flows, to be shown."""
    at = {n: select(runs, {"n": n}) for n in labels(runs, "n")}
    return {
        f"n = {n}": f"{values(own, RATIO).mean():.3f} at {values(own, LOSS).mean():.2f} % drops"
        for n, own in at.items()
    }


def between(text: str, found: Numbers, low: float, high: float, **numbers: object) -> Finding:
    """A mean between two bounds."""
    operands = [
        inequality(f"{text}, at least", found, ">=", low),
        inequality(f"{text}, at most", found, "<=", high),
    ]
    return both(text, operands, **numbers)


def _with_whole_windows(view: View, check: Callable[[str], Finding]) -> Finding:
    """A finding with windows as they are taken; if it fails with real ones, with the same for whole packets in its place."""
    windows = taken(view)
    found = check(windows)
    if found.verdict is Verdict.HOLDS or windows == WHOLE:
        return found
    return corrected(found, check(WHOLE))


def tfrc_fair(view: View) -> Finding:
    """The ratio of TFRC to TCP is near 1 on both links."""
    fair = view.tolerance("fair")
    operands = []
    for link in LINKS:
        runs = runs_of(view, link, WITH_TFRC)
        operands.append(between(f"ratio on {link}", mean_ratio(runs), 1 - fair, 1 + fair, **by_number(runs)))
    return both("TFRC shares fairly with TCP in the long run", operands)


def figure_2(view: View) -> Finding:
    """At the numbers of flows where 2 to 3 % of packets are dropped on 60 Mbit/s the ratio is about 0.7."""
    near = view.tolerance("about_70")

    def check(windows: str) -> Finding:
        runs = runs_of(view, "link60", FIGURE_2, windows)
        drops = {n: float(values(select(runs, {"n": n}), LOSS).mean()) for n in labels(runs, "n")}
        chosen = [n for n, rate in drops.items() if 2 <= rate <= 3] or [
            min(drops, key=lambda n: abs(drops[n] - 2.5))
        ]
        here = [run for run in runs if run.labels["n"] in chosen]
        return between(
            f"ratio with {windows} windows, n = {', '.join(map(str, chosen))}",
            mean_ratio(here),
            0.7 - near,
            0.7 + near,
            **by_number(here),
        )

    return _with_whole_windows(view, check)


def figure_3(view: View) -> Finding:
    """TCP(1/5, 1/8) gets less than TCP on 15 Mbit/s."""

    def check(windows: str) -> Finding:
        runs = runs_of(view, "link15", FIGURE_3, windows)
        return inequality(
            f"ratio with {windows} windows", mean_ratio(runs), "<", view.tolerance("less"), **by_number(runs)
        )

    return _with_whole_windows(view, check)


def figure_4(view: View) -> Finding:
    """The ratio of TCP(2/5, 1/8) is nearer to 1 than that of TCP(1/5, 1/8)."""

    def check(windows: str) -> Finding:
        distances = [
            np.abs(mean_ratio(runs_of(view, "link15", pair, windows)) - 1) for pair in (FIGURE_4, FIGURE_3)
        ]
        return inequality(
            f"distance of the ratio from 1, TCP(2/5,1/8) less TCP(1/5,1/8), {windows} windows",
            distances[0] - distances[1],
            "<",
            two_fifths=float(distances[0].mean()),
            one_fifth=float(distances[1].mean()),
        )

    return _with_whole_windows(view, check)


def sixteen_slightly_more(view: View) -> Finding:
    """With 16 flows of each kind the ratio of TCP(2/5, 1/8) is above 1, but not by much."""

    def check(windows: str) -> Finding:
        runs = select(runs_of(view, "link15", FIGURE_4, windows), {"n": 16})
        return between(
            f"ratio at n = 16, {windows} windows",
            mean_ratio(runs),
            1.0,
            view.tolerance("slightly_more"),
            **by_number(runs),
        )

    return _with_whole_windows(view, check)


def same_picture(view: View) -> Finding:
    """Each ratio of Figures 2 to 4 with 16 flows under drop-tail, and under RED that marks, is that under RED that drops."""
    width, operands = view.tolerance("same_picture"), []
    runs = select(view.probe("queues"), {"n": 16})
    for pair in (FIGURE_3, FIGURE_4):
        own = select(runs, {"pair": pair})
        red = values(select(own, {"queue": "red"}), RATIO)
        for queue in ("ecn", "droptail"):
            other = values(select(own, {"queue": queue}), RATIO)
            operands.append(
                between(f"{pair}: ratio under {queue} over that under RED", other / red, 1 - width, 1 + width)
            )
    return both("drop-tail and marks give the same picture", operands)


def model_misses(view: View) -> Finding:
    """The deterministic model at the measured drop rates is off the measured ratios of TCP(1/5, 1/8) and TCP(2/5, 1/8).

    That it misses is judged here, not why: what goes with what is no cause. The part ``floyd2000/gap`` changes one property at a time.
    """
    misses = view.tolerance("misses")

    def check(windows: str) -> Finding:
        operands = []
        for pair in (FIGURE_3, FIGURE_4):
            for link in LINKS:
                runs = runs_of(view, link, pair, windows)
                off = [np.abs(_model(pair, run.values[LOSS] / 100) / run.values[RATIO] - 1) for run in runs]
                seeds = [run.seed for run in runs]
                per_seed = [
                    np.mean([x for x, own in zip(off, seeds, strict=True) if own == seed])
                    for seed in dict.fromkeys(seeds)
                ]
                operands.append(
                    inequality(
                        f"{pair} on {link}, {windows} windows: part by which the model is off",
                        per_seed,
                        ">",
                        misses,
                    )
                )
        return both("the deterministic model misses the measured shares", operands)

    return _with_whole_windows(view, check)


def _model(pair: str, p: float) -> float:
    """What the exact deterministic model gives the second kind over TCP at the drop rate p."""
    a, b = LAWS[pair]
    return float(response.rate(a, b, p) / response.rate(1.0, 0.5, p))


def figure_5(view: View) -> Finding:
    """TCP(1/5, 1/8) gets less than TFRC and less than TCP, with a ratio beside TFRC within ``same_picture`` of that beside TCP. That is
    asked of one link at least, since the paper does not say which it was."""
    bound, width = view.tolerance("less"), view.tolerance("same_picture")

    def on(link: str, windows: str) -> Finding:
        operands, ratios = [], []
        for pair in (FIGURE_5, FIGURE_2):
            runs = runs_of(view, link, pair, windows)
            ratios.append(mean_ratio(runs))
            text = f"{pair}: ratio on {link}, {windows} windows"
            operands.append(inequality(text, ratios[-1], "<", bound, **by_number(runs)))
        beside = f"ratio beside TFRC over that beside TCP on {link}, {windows} windows"
        operands.append(between(beside, ratios[0] / ratios[1], 1 - width, 1 + width))
        return both(f"less than half of the bandwidth on {link}, as against TCP", operands)

    return _with_whole_windows(
        view, lambda windows: either("less than half of the bandwidth", [on(link, windows) for link in LINKS])
    )


def figure_6(view: View) -> Finding:
    """TFRC and TCP(2/5, 1/8) share fairly on one of the links at least, of which the paper does not say which it was."""
    fair = view.tolerance("fair")

    def check(windows: str) -> Finding:
        operands = []
        for link in LINKS:
            runs = runs_of(view, link, FIGURE_6, windows)
            operands.append(
                between(
                    f"ratio on {link}, {windows} windows",
                    mean_ratio(runs),
                    1 - fair,
                    1 + fair,
                    **by_number(runs),
                )
            )
        return either("fair shares", operands)

    return _with_whole_windows(view, check)


def figure_12(view: View) -> Finding:
    """At the higher drop rates (16 flows of each kind and more on 15 Mbit/s) the ratio of TCP(1, 1/8) is almost 2, and no more."""
    runs = [run for run in runs_of(view, "link15", FIGURE_12) if float(run.labels["n"]) >= 16]
    width = view.tolerance("almost_twice")
    return between("ratio of TCP(1,1/8)", mean_ratio(runs), 2 - width, 2, **by_number(runs))


def more_aggressive(view: View) -> Finding:
    """TCP(1, 1/8) gets significantly more than TCP on both links."""
    bound = view.tolerance("significantly")
    operands = [
        inequality(f"ratio on {link}", mean_ratio(runs_of(view, link, FIGURE_12)), ">", bound)
        for link in LINKS
    ]
    return both("TCP(1,1/8) is significantly more aggressive", operands)


def compete_fairly(view: View) -> Finding:
    """Both laws with b = 1/8 share fairly with TCP and with TFRC, on both links; *fairly* is one word here and in Figure 6."""
    width = view.tolerance("fair")

    def check(windows: str) -> Finding:
        operands = []
        for link, pair in product(LINKS, (FIGURE_3, FIGURE_4, FIGURE_5, FIGURE_6)):
            runs = runs_of(view, link, pair, windows)
            operands.append(
                between(
                    f"{pair}: ratio on {link}, {windows} windows",
                    mean_ratio(runs),
                    1 - width,
                    1 + width,
                    **by_number(runs),
                )
            )
        return both("close to equal shares", operands)

    return _with_whole_windows(view, check)


def rap_like_tcp(view: View) -> Finding:
    """Against TCP(a, b), RAP(a, b) gets a fair share where the drop rate is moderate."""
    fair, moderate, operands = view.tolerance("fair"), view.tolerance("moderate"), []
    for pair in ("TCP v RAP", "TCP(1/5,1/8) v RAP(1/5,1/8)"):
        runs = select(view.probe("rate-based"), {"pair": pair})
        calm = [n for n in labels(runs, "n") if values(select(runs, {"n": n}), LOSS).mean() <= moderate]
        here = [run for run in runs if run.labels["n"] in calm]
        operands.append(between(f"{pair}: ratio", mean_ratio(here), 1 - fair, 1 + fair, **by_number(here)))
    return both("RAP(a, b) behaves like TCP(a, b) at moderate drop rates", operands)
