"""The tables of a report as plain values: scores beside printed scores, raw values, verdicts. HTML, Markdown and the terminal dress them.

Source: the layout of the score table is that of [Akella02] Figures 4 to 11: D and C of goodput, then D of fairness, delay and loss.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from sawtooth.claims.logic import Finding, Verdict
from sawtooth.claims.standing import Standing
from sawtooth.experiment.intervals import Interval, interval
from sawtooth.scenario.described import describe

if TYPE_CHECKING:
    from sawtooth.claims.table import Judged
    from sawtooth.experiment.matrix import SettingBlock
    from sawtooth.experiment.rank import Estimate

COLUMNS: Final = (
    ("goodput", "D"),
    ("goodput", "C"),
    ("fairness", "D"),
    ("delay", "D"),
    ("loss", "D"),
)
"""Metric and score of each column, in the printed order."""

DECIMALS: Final[Mapping[str, int]] = {"goodput": 2, "fairness": 2, "delay": 0, "loss": 2}
"""Decimals of a score, those of the printed tables."""

RAW_DECIMALS: Final[Mapping[str, int]] = {"goodput": 3, "fairness": 2, "delay": 1, "loss": 2}
"""Decimals of a raw value: goodput as a fraction, delay in ms, loss in percent."""

UNITS: Final[Mapping[str, str]] = {
    "goodput": "fraction",
    "fairness": "spread / mean",
    "delay": "ms",
    "loss": "%",
}

SAID_BY_VERDICTS: Final = {Standing.REPRODUCED, Standing.FAILS, Standing.UNDECIDED}
"""Classes of claims that are what their verdict is."""

RECOVERIES: Final[Mapping[str, str]] = {row["name"]: row["title"] for row in describe()["recoveries"]}
ROUTERS: Final = {"droptail": "drop-tail", "red": "RED", "ecn": "ECN", "drr": "DRR", "rio": "RIO"}


def setting_title(setting: str) -> str:
    """``SACK recovery, drop-tail routers``."""
    recovery, _, router = setting.partition("/")
    return f"{RECOVERIES.get(recovery, recovery)} recovery, {ROUTERS.get(router, router)} routers"


@dataclass(frozen=True)
class ScoreCell:
    """One score of one algorithm: ours with its interval, the printed one or None, and whether ours is the column's best."""

    metric: str
    score: str
    ours: Interval
    printed: float | None
    best: bool


@dataclass(frozen=True)
class RawCell:
    """Mean of a metric over the seeds of one cell, with the runs behind it."""

    ours: Interval
    run_ids: tuple[str, ...]


def score_table(
    block: SettingBlock, beside: Mapping[str, Mapping[str, float]]
) -> list[tuple[str, list[ScoreCell]]]:
    """One row per algorithm of a setting; ``beside`` are the printed scores (``Comparison.beside``)."""
    columns = {
        (metric, score): [getattr(block.scores.of(name, metric), score) for name in block.algorithms]
        for metric, score in COLUMNS
    }
    rows = []
    for place, name in enumerate(block.algorithms):
        cells = []
        for metric, score in COLUMNS:
            column: list[Interval] = columns[metric, score]
            cells.append(
                ScoreCell(
                    metric,
                    score,
                    column[place],
                    beside.get(name, {}).get(f"{score}_{metric}"),
                    column[place].mean == min(entry.mean for entry in column),
                )
            )
        rows.append((name, cells))
    return rows


def raw_table(block: SettingBlock, metric: str) -> list[tuple[str, list[RawCell]]]:
    """One row per environment, one cell per algorithm."""
    return [
        (
            environment,
            [
                RawCell(interval(block.values[metric][a, e]), block.ids(name, environment))
                for a, name in enumerate(block.algorithms)
            ],
        )
        for e, environment in enumerate(block.environments)
    ]


def duration_text(seconds: float) -> str:
    """A time for people: ``48 s``, ``7 min``, ``2 h 5 min``."""
    if seconds < 120:
        return f"{seconds:.0f} s"
    minutes = round(seconds / 60)
    return f"{minutes} min" if minutes < 120 else f"{minutes // 60} h {minutes % 60} min"


def estimate(found: Estimate) -> str:
    """A coefficient with its interval."""
    shown = number(found.value, 2)
    if found.low is None or found.high is None:
        return shown
    return f"{shown} [{number(found.low, 2)}, {number(found.high, 2)}]"


def number(value: float | None, decimals: int) -> str:
    """A number for a table, an en dash where there is none; no negative zero."""
    if value is None or value != value:
        return "–"
    text = f"{value:.{decimals}f}"
    return text.removeprefix("-") if float(text) == 0.0 else text


def spread(found: Interval, decimals: int) -> str:
    """The interval as ``± h`` where it is symmetric to the shown digits, else ``[low, high]``; empty without one."""
    if found.low is None or found.high is None:
        return ""
    below, above = number(found.mean - found.low, decimals), number(found.high - found.mean, decimals)
    if below == above:
        return f"± {above}"
    return f"[{number(found.low, decimals)}, {number(found.high, decimals)}]"


def with_spread(found: Interval, decimals: int) -> str:
    """Mean and interval."""
    return f"{number(found.mean, decimals)} {spread(found, decimals)}".rstrip()


def counts(judged: Sequence[Judged]) -> dict[Verdict, int]:
    """How many claims came out how, in the order of the enumeration."""
    found = Counter(item.verdict for item in judged)
    return {verdict: found[verdict] for verdict in Verdict}


def interval_note(seeds: int) -> str:
    """What stands behind the means of a table."""
    return "± is the 95 % interval of the mean" if seeds > 1 else "one seed has no interval"


def leaf_text(finding: Finding, most: int | None = None) -> str:
    """One inequality, order or fact in a line: what was asked, what was found, and what it would take to decide.

    Of the numbers of a fact at most so many (``most``) are shown, None for all.
    """
    parts = [finding.text]
    if finding.interval is not None:
        shown = f"{finding.interval.mean:.4g}"
        if finding.interval.low is not None and finding.interval.high is not None:
            shown += f" [{finding.interval.low:.4g}, {finding.interval.high:.4g}]"
        parts.append(f"= {shown}, wanted {finding.relation} {finding.bound:.4g}")
    elif "rho" in finding.numbers:
        low, high = float(str(finding.numbers["rho_low"])), float(str(finding.numbers["rho_high"]))
        rho, wanted = float(str(finding.numbers["rho"])), float(str(finding.numbers["rho_wanted"]))
        parts.append(f": rho = {rho:.2f} [{low:.2f}, {high:.2f}], wanted >= {wanted:.2f}")
    elif finding.numbers:
        numbers = list(finding.numbers.items())[:most]
        parts.append(f"({', '.join(_number_text(name, value, most is None) for name, value in numbers)})")
    text = " ".join(parts).replace(" : ", ": ")
    if finding.verdict is Verdict.UNDECIDED:
        text += "; " + seeds_text(finding)
    return text


def seeds_text(finding: Finding) -> str:
    """What it would take to decide what is undecided."""
    if finding.seeds is not None:
        return f"about {finding.seeds:,} seeds would decide"
    alone = any(leaf.alone and leaf.verdict is Verdict.UNDECIDED for leaf in finding.leaves())
    return "one seed cannot decide it" if alone else "more seeds are not expected to decide"


def _number_text(name: str, value: object, exact: bool) -> str:
    """A number of a fact by its name, ``exact`` as documents have it; names are listed as in a sentence."""
    shown = name if exact else name.replace("_", " ")
    if isinstance(value, list) and value and all(isinstance(item, str) for item in value):
        return f"{name.replace('_', ' ')}: {', '.join(value)}"
    return f"{shown} = {_plain(value)}"


def _plain(value: object) -> str:
    if isinstance(value, float):
        return f"{value:.4g}"
    if isinstance(value, list):
        return "[" + ", ".join(_plain(item) for item in value) + "]"
    return str(value)
