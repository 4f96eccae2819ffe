"""The runs behind the numbers of a page: a row per cell of a study, a row per scenario of a probe, and how to reach them.

Source: none. ``sawtooth store show`` prints the scenario of a run, ``sawtooth replay`` makes it again; the first digits of its
id are enough for both.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

from sawtooth.plurals import number_of
from sawtooth.report.blocks import Block, Fold, Row, Section, Table, Words
from sawtooth.report.inline import Inline, code, joined, run_name
from sawtooth.report.tables import setting_title

if TYPE_CHECKING:
    from sawtooth.experiment.comparison import Comparison
    from sawtooth.experiment.matrix import SettingBlock

DIGITS: Final = 12
"""Of a run's id where several stand side by side."""


def run_cell(run_ids: Sequence[str]) -> Inline:
    """Ids of runs in a cell, short."""
    return joined(run_name(run_id[:DIGITS]) for run_id in run_ids)


def group(block: SettingBlock, algorithm: str) -> str:
    """The rows of an algorithm's runs in a setting. Numbered: two names may differ in their punctuation alone."""
    return f"runs-{block.setting.replace('/', '-')}-{block.algorithms.index(algorithm)}"


def place(block: SettingBlock, algorithm: str, environment: str) -> str:
    """The row of a cell's runs."""
    return f"{group(block, algorithm)}-{block.environments.index(environment)}"


def runs_section(comparison: Comparison) -> Section:
    """Every run of a part."""
    results = comparison.results
    controls = {label: entry["control"] for label, entry in comparison.algorithms.items()}
    blocks: list[Block] = [
        Words(
            joined(
                [
                    "Every number comes from these stored runs.",
                    code(f"sawtooth store show RUNID{comparison.typed.suffix(loads=False)}"),
                    "prints the scenario and the seed of one,",
                    code(f"sawtooth replay RUNID{comparison.typed.suffix(loads=True)}"),
                    "makes it again, bit for bit.",
                ]
            )
        )
    ]
    heads = [
        "Algorithm",
        "Control",
        "Setting",
        "Environment",
        *(f"seed {seed}" for seed in results.seeds),
    ]
    for setting, block in results.blocks.items():
        title = setting_title(setting)
        rows = [
            Row(
                name,
                [
                    code(controls.get(name, name)),
                    title,
                    environment,
                    *map(run_name, block.ids(name, environment)),
                ],
                anchor=place(block, name, environment),
                group=group(block, name),
            )
            for name in block.algorithms
            for environment in block.environments
        ]
        blocks.append(
            Fold(
                f"{title}: {number_of(len(rows) * len(results.seeds), 'run')}",
                [Table(heads, rows, look="runs")],
            )
        )
    for probe, runs in results.probes.items():
        rows = [
            Row(run.run_id, [", ".join(f"{k} = {v}" for k, v in run.labels.items()), run.seed])
            for run in runs
        ]
        title = f"Probe {probe}: {number_of(len(rows), 'run')}"
        blocks.append(Fold(title, [Table(["Run", "Varied", "Seed"], rows, look="runs")]))
    return Section("runs", "Runs", blocks, folded=True)
