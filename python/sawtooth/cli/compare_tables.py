"""What `compare` prints beside the scores: raw values with units, who leads in what, and rows of CSV."""

from __future__ import annotations

import csv
import io
from typing import TYPE_CHECKING, Final

from sawtooth.cli.output import table
from sawtooth.experiment.intervals import interval
from sawtooth.experiment.scoring import SCORED
from sawtooth.measure.metrics import metric
from sawtooth.plurals import number_of
from sawtooth.report.tables import RAW_DECIMALS, interval_note, setting_title, with_spread

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from rich.console import Console

    from sawtooth.experiment.comparison import Comparison
    from sawtooth.experiment.matrix import SettingBlock

HEADS: Final[Mapping[str, str]] = {
    "goodput": "goodput (% of available)",
    "fairness": "fairness (spread / mean)",
    "delay": "queueing delay (ms)",
    "loss": "loss (% of packets)",
}
"""Heads of the raw columns, with units."""
SCALE: Final = {"goodput": 100.0}
"""What a value is multiplied by where it is shown."""
SHOWN_DECIMALS: Final = {**RAW_DECIMALS, "goodput": 1}


def print_raw(out: Console, found: Comparison) -> None:
    """One table per setting: the metrics of every controller in every environment, mean and interval over the seeds."""
    for block in found.own:
        heads = [HEADS[name] for name in SCORED]
        shown = table(
            f"{setting_title(block.setting)}: raw values", "environment", "controller", *heads, right=True
        )
        shown.columns[0].overflow = "fold"
        shown.columns[1].justify = "left"
        for place in block.environments:
            for number, name in enumerate(block.algorithms):
                shown.add_row("" if number else place, name, *_raw(block, name, place))
        out.print(shown)
        seeds = len(block.seeds)
        out.print(
            f"Mean over {number_of(seeds, 'seed')}; {interval_note(seeds)}. Fairness: (largest − smallest) / mean of the flows' goodputs.",
            style="dim",
        )
        out.print()


def _raw(block: SettingBlock, algorithm: str, environment: str) -> list[str]:
    place = block.environments.index(environment)
    return [
        with_spread(interval(SCALE.get(name, 1.0) * block.of(algorithm, name)[place]), SHOWN_DECIMALS[name])
        for name in SCORED
    ]


def print_sentences(out: Console, found: Comparison) -> None:
    """Who leads in what, and whether it is decided."""
    for sentence in found.sentences:
        out.print(sentence, soft_wrap=True)
    if found.sentences:
        out.print(f"{_decided_note(found)}.", style="dim")


def _decided_note(found: Comparison) -> str:
    """What the sentences mean by decided, or would."""
    ahead = "ahead of every other in the 95 % interval of the differences within each seed"
    places = found.results.environments
    over = f", means over {len(places)} environments" if len(places) > 1 else ""
    means = "Decided:" if any(lead.decided for lead in found.leads) else "To be decided, one must be"
    return f"{means} {ahead}{over}"


def csv_text(found: Comparison, *, scores: bool) -> str:
    """The raw values, a row per metric of a cell, or the scores, a row per algorithm and metric."""
    if scores:
        left_out = ("set_A", "set_E", "published_D", "published_C", "published_environments")
        rows = [{key: row[key] for key in row if key not in left_out} for row in found.score_rows]
        units = {name: metric(name).unit for name in SCORED}
    else:
        rows = list(found.cell_rows)
        units = {name: metric(name).unit for name in {row["metric"] for row in rows}}
    return _csv([{**row, "unit": units[row["metric"]]} for row in rows])


def _csv(rows: Sequence[Mapping[str, object]]) -> str:
    sink = io.StringIO()
    writer = csv.DictWriter(sink, list(rows[0]), lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    return sink.getvalue()
