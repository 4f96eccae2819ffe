"""A comparison: the runs of a study, what they said, and the verdicts on its claims.

``perform`` makes one, with the runs that the store lacks; ``evaluate`` makes one from a store and never runs. Its rows (``score_rows``,
``cell_rows``, ``claim_rows``) are those of ``--json``; ``scores``, ``cells`` and ``claims`` are Arrow tables of them. Claims are judged
where all parts of a paper are at hand (``reproduction``), and put in there.

Source: the JSON of ``sawtooth compare`` and ``sawtooth reproduce`` is an interface other programs rely on; keys may be added, none removed.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import numpy as np
import pyarrow as pa

from sawtooth import _native, display
from sawtooth.claims.view import Part
from sawtooth.documents import format_of
from sawtooth.experiment.curves import Curve, lay
from sawtooth.experiment.exhibit import Exhibit
from sawtooth.experiment.flow_shares import SharesFigure, lay_shares
from sawtooth.experiment.intervals import interval
from sawtooth.experiment.leads import Lead, leads
from sawtooth.experiment.matrix import ProbeRun, Results, SettingBlock
from sawtooth.experiment.scoring import SCORED
from sawtooth.experiment.stopping import Stopping
from sawtooth.experiment.strips import StripsFigure, lay_strips
from sawtooth.experiment.study import Study
from sawtooth.experiment.typed import NOTHING_TYPED, Typed
from sawtooth.measure.metrics import METRIC_NAMES, METRICS
from sawtooth.plain import json_value

if TYPE_CHECKING:
    from sawtooth.claims.printed_tables import PrintedTables
    from sawtooth.claims.table import Judged

Row = dict[str, Any]


CLAIM_COLUMNS: Final = ("id", "verdict", "on_subset", "reason", "statement", "evidence")
"""Columns of ``claims``, all of them texts."""


Derive = Callable[[Mapping[str, Sequence[ProbeRun]]], list[Curve]]
"""What works figures out of the runs of several probes, by the probe's name."""


@dataclass(frozen=True, repr=False)
class Comparison:
    """Results of a study with its verdicts. ``executed`` runs were simulated now, the others came from the store."""

    study: Study
    results: Results
    judged: Sequence[Judged] = ()
    quick: bool = False
    varied: Mapping[str, object] = field(default_factory=dict)
    executed: int = 0
    wall_s: float = 0.0
    report: Path | None = None
    printed: PrintedTables | None = None
    """The printed scores that stand beside ours, of the paper that the study reproduces."""
    derive: Derive | None = None
    """Gives the figures of the study that no single value of its runs gives."""
    command: str = ""
    """What makes it anew, as a user types it."""
    typed: Typed = NOTHING_TYPED
    """What other commands on its runs need as well."""
    exhibit: Callable[[Comparison], Sequence[Exhibit]] | None = None
    """Gives what the paper adds to a report."""
    judged_leads: Sequence[Lead] | None = None
    """Who leads, where that was judged while seeds were added."""
    stopping: Stopping | None = None
    """Where seeds were added until it was decided who leads."""

    def __repr__(self) -> str:
        return display.comparison_text(self)

    def _repr_html_(self) -> str:
        return display.comparison_html(self)

    def plot(self, setting: str | None = None) -> display.Plot:
        """Goodput over delay, bars with intervals and maps, of one ``setting`` (``sack/drop-tail``) where there are several."""
        return display.comparison_plot(self, setting)

    @property
    def run_ids(self) -> list[str]:
        """Every run behind the numbers, each once."""
        return self.results.run_ids()

    @property
    def part(self) -> Part:
        """What checks of claims see of it."""
        return Part(self.results, self.study.tolerance, self.study)

    @cached_property
    def curves(self) -> list[Curve]:
        """The figures over its probes, in the order of the study, then those that are worked out of several values."""
        drawn = [lay(spec, self.results.probes[spec.probe]) for spec in self.study.curve]
        return drawn if self.derive is None else [*drawn, *self.derive(self.results.probes)]

    @cached_property
    def shares(self) -> list[SharesFigure]:
        """The figures of single flows' throughputs over its probes."""
        return [lay_shares(spec, self.results.probes[spec.probe]) for spec in self.study.shares]

    @cached_property
    def strips(self) -> list[StripsFigure]:
        """The figures of single flows over time."""
        return [lay_strips(spec, self.results.probes[spec.probe]) for spec in self.study.strips]

    @property
    def engine(self) -> str:
        """Version of Sawtooth and of the engine that made the runs."""
        version = _native.version()
        return f"{version['version']} · {version['engine']}"

    @cached_property
    def algorithms(self) -> dict[str, Row]:
        """Every algorithm of the set A: its control as written and the resolved numbers."""
        return {
            entry.label: {"control": entry.control, "resolved": json.loads(_native.controller(entry.control))}
            for entry in self.study.algorithm
        }

    @cached_property
    def exhibits(self) -> Sequence[Exhibit]:
        """What the paper adds to a report of it."""
        return () if self.exhibit is None else self.exhibit(self)

    @cached_property
    def own(self) -> list[SettingBlock]:
        """The blocks of the study's own settings, in its order."""
        return [self.results.blocks[str(setting)] for setting in self.study.matrix.settings]

    def beside(self, block: SettingBlock) -> Mapping[str, Mapping[str, float]]:
        """The printed scores of a setting by algorithm and column (``D_goodput``); empty where none may stand beside ours."""
        if self.printed is None:
            return {}
        short = {name: self.study.short.get(name, name) for name in block.algorithms}
        table = self.printed.beside(block.setting, tuple(short.values()), block.environments)
        return {name: table[short[name]] for name in short if short[name] in table}

    @property
    def printed_environments(self) -> int | None:
        """The number of environments that printed scores are over; None where nothing is printed."""
        return None if self.printed is None else len(self.printed.environments)

    @cached_property
    def score_rows(self) -> list[Row]:
        """One row per algorithm, setting and scored metric: D and C with intervals, and the printed ones where they exist.

        None for an algorithm alone, which is compared with nothing.
        """
        return [
            row
            for block in self.own
            for row in score_rows(block, self.beside(block), self.printed_environments)
        ]

    @cached_property
    def cell_rows(self) -> list[Row]:
        """One row per algorithm, setting, environment and metric: mean over seeds with interval (goodput unclipped)."""
        return [row for _, rows in self._cells for row in rows]

    @cached_property
    def raw_rows(self) -> list[Row]:
        """``cell_rows`` by controller as it was written, each with the unit of its metric and the number of seeds that have a value."""
        return [row for block, rows in self._cells for row in raw_rows(block, rows)]

    @cached_property
    def _cells(self) -> list[tuple[SettingBlock, list[Row]]]:
        """The cells of each setting. A paper has some ten thousand, and an interval each."""
        return [(block, cell_rows(block)) for block in self.own]

    @cached_property
    def leads(self) -> list[Lead]:
        """Who leads in what, setting by setting; empty for an algorithm alone."""
        if self.judged_leads is not None:
            return list(self.judged_leads)
        return [lead for block in self.own for lead in leads(block)]

    @property
    def sentences(self) -> list[str]:
        """Who leads in what, in words; the setting is named where there are several."""
        several = len(self.own) > 1
        return [f"{lead.setting}: {lead.text}" if several else lead.text for lead in self.leads]

    @cached_property
    def claim_rows(self) -> list[Row]:
        """One row per claim: id, verdict, evidence, statement, and what the runs cover of it."""
        return [item.to_json() for item in self.judged]

    @property
    def scores(self) -> pa.Table:
        """``score_rows`` as an Arrow table."""
        return pa.Table.from_pylist(self.score_rows, score_schema())

    @property
    def cells(self) -> pa.Table:
        """``cell_rows`` as an Arrow table."""
        return pa.Table.from_pylist(self.cell_rows)

    @property
    def claims(self) -> pa.Table:
        """The claims as an Arrow table; the evidence of each is JSON text, its depth being its own."""
        return claims_table(self.judged)

    def to_json(self) -> Row:
        """The document of ``--json``."""
        matrix = self.study.matrix
        return {
            "format": format_of("comparison"),
            "study": self.study.name,
            "title": self.study.title,
            "changed": dict(self.study.changed),
            "seeds": len(self.results.seeds),
            "environments": list(self.results.environments),
            "curves": [curve.to_json() for curve in self.curves],
            "shares": [figure.to_json() for figure in self.shares],
            "strips": [figure.to_json() for figure in self.strips],
            "scores": self.score_rows,
            "cells": self.cell_rows,
            "raw": self.raw_rows,
            "leads": [lead.to_json() for lead in self.leads],
            "claims": self.claim_rows,
            "runs": len(self.run_ids),
            "wall_s": self.wall_s,
            "executed": self.executed,
            "quick": self.quick,
            "varied": dict(self.varied),
            "chosen": list(self.study.chosen),
            "algorithms": self.algorithms,
            "settings": [str(setting) for setting in matrix.settings],
            "compared_with": [str(setting) for setting in matrix.compared_with],
            "absent_environments": list(matrix.absent),
            "parameters": {entry.key: entry.value for entry in self.study.parameter},
            "run_ids": self.run_ids,
            "report": None if self.report is None else str(self.report),
            **({} if self.stopping is None else {"until_decided": self.stopping.to_json()}),
        }


def claims_table(judged: Sequence[Judged]) -> pa.Table:
    """Claims with their verdicts, one row each; the evidence is JSON text, its depth being its own."""
    rows = [
        {
            "id": item.claim.id,
            "verdict": item.verdict.value,
            "on_subset": item.finding.verdict.value if item.partial and item.finding else None,
            "reason": item.reason,
            "statement": item.claim.statement,
            "evidence": json.dumps(json_value({} if item.finding is None else item.finding.to_json())),
        }
        for item in judged
    ]
    return pa.Table.from_pylist(rows, pa.schema([(name, pa.string()) for name in CLAIM_COLUMNS]))


def score_schema() -> pa.Schema:
    """Columns of ``scores``, also where there are no rows."""
    return pa.schema(
        [
            *((name, pa.string()) for name in ("algorithm", "recovery", "router", "metric")),
            *((name, pa.float64()) for name in ("D", "D_low", "D_high", "C", "C_low", "C_high")),
            *((name, pa.float64()) for name in ("published_D", "published_C")),
            ("published_environments", pa.int64()),
            *((name, pa.float64()) for name in ("D_of_means", "C_of_means")),
            ("worst_environment", pa.string()),
            *((name, pa.list_(pa.string())) for name in ("set_A", "set_E")),
        ]
    )


def score_rows(
    block: SettingBlock, table: Mapping[str, Mapping[str, float]], printed_environments: int | None
) -> list[Row]:
    """D and C of every algorithm with others to compare it with, with the printed ones of ``table`` beside them."""
    recovery, _, router = block.setting.partition("/")
    rows: list[Row] = []
    for algorithm in block.algorithms:
        if len(block.peers(algorithm)) == 1:
            continue
        for metric in SCORED:
            score = block.scores.of(algorithm, metric)
            beside = table.get(algorithm, {})
            rows.append(
                {
                    "algorithm": algorithm,
                    "recovery": recovery,
                    "router": router,
                    "metric": metric,
                    "D": score.D.mean,
                    "D_low": score.D.low,
                    "D_high": score.D.high,
                    "C": score.C.mean,
                    "C_low": score.C.low,
                    "C_high": score.C.high,
                    "published_D": beside.get(f"D_{metric}"),
                    "published_C": beside.get(f"C_{metric}"),
                    "published_environments": printed_environments if beside else None,
                    "D_of_means": score.D_of_means,
                    "C_of_means": score.C_of_means,
                    "worst_environment": score.worst,
                    "set_A": list(block.peers(algorithm)),
                    "set_E": list(block.environments),
                }
            )
    return rows


def cell_rows(block: SettingBlock) -> list[Row]:
    """Mean and interval of every metric in every cell of one setting; None where a metric is undefined."""
    recovery, _, router = block.setting.partition("/")
    rows = []
    for a, algorithm in enumerate(block.algorithms):
        for e, environment in enumerate(block.environments):
            for metric in METRIC_NAMES:
                found = interval(block.values[metric][a, e])
                rows.append(
                    {
                        "algorithm": algorithm,
                        "recovery": recovery,
                        "router": router,
                        "environment": environment,
                        "metric": metric,
                        "mean": None if math.isnan(found.mean) else found.mean,
                        "low": found.low,
                        "high": found.high,
                    }
                )
    return rows


def raw_rows(block: SettingBlock, cells: Sequence[Row]) -> list[Row]:
    """The ``cells`` of one setting as `compare --json` promises them to other programs."""
    units = {metric.name: metric.unit for metric in METRICS}
    rows = []
    for cell in cells:
        place = block.algorithms.index(cell["algorithm"]), block.environments.index(cell["environment"])
        defined = int(np.isfinite(block.values[cell["metric"]][place]).sum())
        row = {"controller": cell["algorithm"]} | cell | {"unit": units[cell["metric"]], "seeds": defined}
        del row["algorithm"]
        rows.append(row)
    return rows
