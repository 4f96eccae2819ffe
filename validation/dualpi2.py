"""DualPI2 and Prague beside the figures of RFC 9332: the coupling, what packets of the L queue wait and lose, and the ratio of rates.

Source: RFC 9332 §1.4, §2.1, §2.4 and appendix C.2; [Sarpkaya25], data/l4s_pam2025.csv, for the ratio on real kernels.

| figure                                                             | agrees within                                |
|--------------------------------------------------------------------|----------------------------------------------|
| hits of C over the mean of p_C, marks of L over the mean of p_CL   | 5 %                                          |
| p_C and (p_CL/k)² at every sample                                  | 1e-12                                        |
| wait in L: mean, 99 %; losses in L                                 | 1 ms, 2 ms; none: in every cell and seed     |
| ratio of the rates of Prague and CUBIC                             | 20 % in the share of Prague, as in `l4s`     |

p_CL = k·p' is the coupled probability and p_C = p'². Appendix C.2 derives a ratio from two rates, r_L = 2/(R_L·p_CL) (6) and
r_C = 1.22/(R_C·sqrt(p_C)) (5), and two round trips, R_L the base and R_C 0.85 of base and target (8). Each of these factors is measured
too, so that a ratio that disagrees says which of them does.
"""

from __future__ import annotations

import statistics
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import sqrt
from typing import Any, Final

from sawtooth.run.run import Run
from validation import l4s
from validation.page import markdown
from validation.runs import job, runs, table

SEEDS: Final = 3
K: Final = 2.0
"""The coupling factor that RFC 9332 recommends."""
RENO, CUBIC_BETA, TYPICAL_MS = 1.22, 0.7, 25.0
"""Constants of appendix C.2: of the rate of Reno (5), of CUBIC's decrease (8), and Prague's least effective round trip (R_typ)."""
SCALABLE: Final = 2.0
"""Marks of a scalable flow per round trip (6)."""
TARGET_MS: Final = 15.0
KERNELS_TARGET_MS: Final = 5.0
"""The target on the testbed of [Sarpkaya25]."""
COUPLING_BOUND, EXACT = 0.05, 1e-12
MEAN_MS, P99_MS = 1.0, 2.0
"""RFC 9332 §1.4."""
WAITING: Final = tuple(
    (prague, cubic, mbit, rtt)
    for prague, cubic in ((1, 1), (2, 2), (1, 0), (3, 1), (1, 4))
    for mbit in (40, 120, 200)
    for rtt in (10, 40, 100)
)
"""Flows of Prague and of CUBIC, rate and base round trip (ms): §1.4 has rates up to 200 Mbit/s and round trips up to 100 ms."""


_RECORDED: Final = {"record.sample": "16 ms", "record.disciplines": True}
_FLOW: Final = {"recovery": "rack", "packet": "1500 B", "start": "uniform 0..500 ms"}


@dataclass(frozen=True)
class Path:
    """A link with one flow of Prague and one of CUBIC, and which of the two formulas of appendix C.2 is about it."""

    mbit: int
    rtt_ms: int
    target_ms: float
    virtual: bool
    """Whether Prague's round trip has a floor; without it the formula is (10)."""

    @property
    def expected(self) -> float:
        """The rate of Prague over that of CUBIC. With a floor it is the last formula, whose constant 1.4 rounds 1.22/0.85."""
        if self.virtual:
            return (self.rtt_ms + self.target_ms) / (1.4 * max(self.rtt_ms, TYPICAL_MS))
        return self.classic_rtt_ms / (RENO * self.rtt_ms)

    @property
    def classic_rtt_ms(self) -> float:
        """R_C by (8)."""
        return (1 + CUBIC_BETA) / 2 * (self.rtt_ms + self.target_ms)

    @property
    def text(self) -> str:
        """The link in words."""
        return f"{self.mbit} Mbit/s, {self.rtt_ms} ms, target {self.target_ms:g} ms"


KERNELS: Final = tuple(Path(100, 10, KERNELS_TARGET_MS, virtual) for virtual in (True, False))
"""The testbed's link, with and without a floor: the measured ratio lies between."""
PATHS: Final = (
    *KERNELS,
    *(
        Path(mbit, rtt, TARGET_MS, virtual)
        for mbit, rtt in ((40, 5), (100, 10), (50, 20), (20, 40))
        for virtual in (True, False)
        if virtual or rtt < TYPICAL_MS
    ),
)


@dataclass(frozen=True)
class Factors:
    """What a ratio of rates consists of."""

    ratio: float
    marks: float
    """Marks of Prague per effective round trip: RFC 2 (6)."""
    reno: float
    """CUBIC's rate times its round trip and the square root of its hits: RFC 1.22 (5)."""
    coupling: float
    """Marks in L over the square root of hits in C: RFC k (1)."""
    steady: float
    """k times the mean of p' over the root of its mean square, which is k where p' stands still: the same without the ramp."""
    classic_rtt: float
    """CUBIC's round trip over base and target: RFC 0.85 (8)."""
    scalable_rtt: float
    """Prague's round trip over the base: RFC 1."""


FACTORS: Final[Mapping[str, tuple[str, float]]] = {
    "marks": ("marks of Prague per effective round trip (6)", SCALABLE),
    "reno": ("CUBIC: rate · R_C · √p_C (5)", RENO),
    "coupling": ("p_L / √p_C (1)", K),
    "steady": ("of it by p' alone", K),
    "classic_rtt": ("R_C over base and target (8)", (1 + CUBIC_BETA) / 2),
    "scalable_rtt": ("R_L over base", 1.0),
}


@dataclass(frozen=True)
class Ratio:
    """A ratio of rates: by whom, in which words, what it should be and what it is."""

    what: str
    where: str
    expected: float
    ours: float

    @property
    def agrees(self) -> bool:
        """Whether the shares of Prague do, by the bound of `l4s`."""
        return abs(self.apart) <= l4s.SHARE_BOUND

    @property
    def apart(self) -> float:
        """By which part of the expected share ours differs from it."""
        return _share(self.ours) / _share(self.expected) - 1


@dataclass(frozen=True)
class Figure:
    """Any other figure, in words, and whether ours agrees."""

    what: str
    where: str
    theirs: str
    ours: str
    tolerance: str
    agrees: bool


@dataclass(frozen=True)
class Found:
    """Everything that is measured here."""

    figures: Sequence[Figure]
    factors: Mapping[Path, Factors]
    kernels: Ratio

    @property
    def ratios(self) -> list[Ratio]:
        """Of every path, then that of real kernels."""
        by_formula = [
            Ratio(
                f"{path.text}, Prague {'with' if path.virtual else 'without'} virtual round trips",
                "appendix C.2, last formula" if path.virtual else "(10) and (8)",
                path.expected,
                factors.ratio,
            )
            for path, factors in self.factors.items()
        ]
        return [*by_formula, self.kernels]

    def by_default(self) -> list[float]:
        """The ratios with the defaults of RFC 9332 and of Prague."""
        return [f.ratio for path, f in self.factors.items() if path.virtual and path.target_ms == TARGET_MS]


def measure(cells: Sequence[l4s.Cell]) -> Found:
    """Everything; ``cells`` are those of `l4s`, which hold the settings of real kernels."""
    return Found([*coupling(), *waits()], ratios(), kernels(cells))


def coupling() -> list[Figure]:
    """Two flows of each at 40 Mbit/s and 20 ms: hits beside the probabilities of the state, with the ramp of L and without it."""
    values = {**_link(40, 20), **_RECORDED, **_flows(2, 2)}
    without_ramp = {"bottleneck.queue": {"kind": "dualpi2", "min_threshold": "1 s", "range": "0 s"}}
    ramped = _runs(values)
    plain = _runs({**values, **without_ramp})
    states = [state for run in (*ramped, *plain) for state in _states(run)]
    apart = max(abs(classic - (low / K) ** 2) for low, classic in states)
    return [
        Figure(
            "p_C = (p_CL/k)², of the state, at every sample",
            "§2.1 (1)",
            "equal",
            f"{apart:.0e} apart at most",
            f"{EXACT:.0e}",
            apart <= EXACT,
        ),
        _coupled("share of C that is dropped or marked, for the mean of p_C", "§2.4 (2)", plain, 1),
        _coupled("share of L that is marked, for the mean of p_CL, without the ramp", "§2.4 (3)", plain, 0),
        _coupled("the same with the ramp, which only adds marks", "§2.4 (4)", ramped, 0, at_least=True),
    ]


def _coupled(what: str, where: str, found: Sequence[Run], part: int, at_least: bool = False) -> Figure:
    hit = statistics.fmean(_hit(run, part) for run in found)
    mean = statistics.fmean(statistics.fmean(state[part] for state in _states(run)) for run in found)
    apart = hit / mean - 1
    return Figure(
        what,
        where,
        f"{'at least ' if at_least else ''}{mean:.4f}",
        f"{hit:.4f}",
        f"{100 * COUPLING_BOUND:.0f} %",
        apart >= -COUPLING_BOUND if at_least else abs(apart) <= COUPLING_BOUND,
    )


def waits() -> list[Figure]:
    """The worst of all cells and seeds: what packets of L wait and lose."""
    found = [
        run
        for prague, cubic, mbit, rtt in WAITING
        for run in _runs({**_link(mbit, rtt), "duration": "40 s", "warmup": "10 s", **_flows(prague, cubic)})
    ]
    low = [run.subqueues_of(0)[0] for run in found]
    mean = max(row["mean_delay_ms"] for row in low)
    late = max(row["delay_p99_ns"] for row in low) / 1e6
    lost = sum(row["drops"] for row in low)
    sent = sum(row["arrivals"] for row in low)
    where = f"§1.4; {len(WAITING)} cells"
    return [
        Figure(
            "mean wait in L, the longest",
            where,
            f"below {MEAN_MS:g} ms",
            f"{mean:.2f} ms",
            "–",
            mean < MEAN_MS,
        ),
        Figure(
            "99 % of the waits in L, the longest",
            where,
            f"at most {P99_MS:g} ms",
            f"{late:.2f} ms",
            "–",
            late <= P99_MS,
        ),
        Figure("packets of L dropped", where, "0", f"{lost:,} of {sent:,}", "–", lost == 0),
    ]


def ratios() -> dict[Path, Factors]:
    """What the ratio of rates consists of on every path."""
    return {path: _factors(path) for path in PATHS}


def kernels(cells: Sequence[l4s.Cell]) -> Ratio:
    """Beside CUBIC behind DualPI2 on real kernels: the ratio of the mean shares, theirs and ours with their settings."""
    rows = {l4s.name_of(row): row for row in table("l4s_pam2025")}
    own = [cell for cell in cells if rows[cell.name]["aqm"] == "DualPI2" and cell.classic.startswith("cubic")]
    theirs, ours = (
        statistics.fmean(shares["share"] for shares in side)
        for side in ([cell.theirs for cell in own], [cell.ours for cell in own])
    )
    what = f"{KERNELS[0].text}, real kernels, {len(own)} cells beside CUBIC, with their settings"
    return Ratio(what, "[Sarpkaya25]", theirs / (1 - theirs), ours / (1 - ours))


def _factors(path: Path) -> Factors:
    values = {**_link(path.mbit, path.rtt_ms), **_RECORDED}
    values["bottleneck.queue"] = {"kind": "dualpi2", "target": f"{path.target_ms} ms"}
    if not path.virtual:
        values["flows[0].control"] = "prague(rtt_virt=0)"
    each = [_of_run(path, run) for run in _runs(values)]
    return Factors(*(statistics.fmean(getattr(one, name) for one in each) for name in ("ratio", *FACTORS)))


def _of_run(path: Path, run: Run) -> Factors:
    prague, cubic = run.flows.to_pylist()
    seconds = (run.engine["duration_ns"] - run.engine["warmup_ns"]) / 1e9
    rates = [flow["delivered_unique"] / seconds for flow in (prague, cubic)]
    trips = [flow["srtt_mean_ns"] / 1e9 for flow in (prague, cubic)]
    low, classic = _hit(run, 0), _hit(run, 1)
    states = _states(run)
    coupled, squared = (statistics.fmean(state[part] for state in states) for part in (0, 1))
    effective = max(trips[0], TYPICAL_MS / 1e3) if path.virtual else trips[0]
    return Factors(
        ratio=rates[0] / rates[1],
        marks=rates[0] * effective * low,
        reno=rates[1] * trips[1] * sqrt(classic),
        coupling=low / sqrt(classic),
        steady=coupled / sqrt(squared),
        classic_rtt=1e3 * trips[1] / (path.rtt_ms + path.target_ms),
        scalable_rtt=1e3 * trips[0] / path.rtt_ms,
    )


def _link(mbit: int, rtt_ms: int) -> dict[str, Any]:
    return {"bottleneck.rate": f"{mbit} Mbit/s", "path.rtt": f"{rtt_ms} ms"}


def _flows(prague: int, cubic: int) -> dict[str, Any]:
    groups = [{**_FLOW, "control": "prague", "count": prague}, {**_FLOW, "control": "cubic", "count": cubic}]
    return {"flows": [group for group in groups if group["count"]]}


def _runs(values: Mapping[str, Any]) -> list[Run]:
    return runs(job("dualpi2", values, seed) for seed in range(1, SEEDS + 1))


def _hit(run: Run, part: int) -> float:
    row = run.subqueues_of(0)[part]
    return float((row["marks"] + row["drops"]) / row["arrivals"])


def _states(run: Run) -> list[tuple[float, float]]:
    """p_CL and p_C at every sample after the warm-up."""
    rows = run.records["disciplines"].to_pylist()
    after = [row for row in rows if row["time_ns"] >= run.engine["warmup_ns"]]
    low, classic = ([row["probability"] for row in after if row["part"] == part] for part in (0, 1))
    return list(zip(low, classic, strict=True))


def _share(ratio: float) -> float:
    return ratio / (1 + ratio)


def agreement(found: Found) -> str:
    """How many figures agree, on one line."""
    figures, ratios_found = found.figures, found.ratios
    return (
        f"{sum(figure.agrees for figure in figures)} of {len(figures)} of coupling, waits and losses, "
        f"{sum(ratio.agrees for ratio in ratios_found)} of {len(ratios_found)} ratios of rates"
    )


def default_range(found: Found) -> str:
    """The least and the largest ratio with all defaults."""
    found_ratios = found.by_default()
    return f"{min(found_ratios):.2f} to {max(found_ratios):.2f}"


def figures_table(found: Found) -> str:
    """Every figure but the ratios."""
    rows = [
        [figure.what, figure.where, figure.theirs, figure.ours, figure.tolerance, _verdict(figure.agrees)]
        for figure in found.figures
    ]
    return markdown(["what", "where", "RFC 9332", "ours", "tolerance", "verdict"], rows)


def ratios_table(found: Found) -> str:
    """Every ratio, and by how much the share of Prague differs."""
    rows = [
        [
            ratio.what,
            ratio.where,
            f"{ratio.expected:.2f}",
            f"{ratio.ours:.2f}",
            f"{100 * ratio.apart:+.0f} %",
            _verdict(ratio.agrees),
        ]
        for ratio in found.ratios
    ]
    heads = ["link", "source", "expected", "ours", "share of Prague apart", "verdict"]
    return markdown(heads, rows)


def factors_table(found: Found) -> str:
    """What each ratio consists of, below what appendix C.2 takes for it."""
    rows = [["appendix C.2", "", *(f"{value:.2f}" for _, value in FACTORS.values())]]
    for path, factors in found.factors.items():
        values = [f"{getattr(factors, name):.2f}" for name in FACTORS]
        rows.append([path.text, "yes" if path.virtual else "no", *values])
    return markdown(["link", "virtual round trips", *(head for head, _ in FACTORS.values())], rows)


def _verdict(agrees: bool) -> str:
    return "met" if agrees else "**missed**"
