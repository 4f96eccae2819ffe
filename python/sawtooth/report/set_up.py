"""What was simulated: the scenario that all runs share, what the paper leaves open and which value was taken, and the algorithms.

Source: none.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from sawtooth.plain import written
from sawtooth.report.blocks import Block, Fold, Heading, Row, Section, Table, Words
from sawtooth.report.inline import Inline, code
from sawtooth.scenario.controller_words import meaning

if TYPE_CHECKING:
    from sawtooth.experiment.comparison import Comparison


def set_up_section(comparison: Comparison) -> Section:
    """The section of one study."""
    study = comparison.study
    blocks: list[Block] = []
    if study.changed:
        changes = ", ".join(f"{key} = {written(value)}" for key, value in study.changed.items())
        blocks.append(Words(f"In place of the set-up that the studies of this paper share: {changes}."))
    if study.picture and comparison.printed is not None:
        blocks.append(Words(f"Expected of the paper: {study.picture}."))
    if study.parameter:
        blocks += [Heading("What the paper leaves open"), _open(comparison)]
    if comparison.algorithms:
        rows = [
            Row(
                label,
                [
                    code(entry["control"]),
                    code(", ".join(f"{k} = {written(v)}" for k, v in entry["resolved"].items())),
                    meaning(entry["control"]),
                ],
            )
            for label, entry in comparison.algorithms.items()
        ]
        blocks += [
            Heading("Algorithms"),
            Table(["Label", "As written", "Resolved numbers", "Meaning"], rows, look="words"),
        ]
    rows = [Row(code(key), [code(written(value))]) for key, value in flat(study.scenario)]
    if rows:
        title = "The scenario that all runs share, without control, router and environment"
        blocks.append(Fold(title, [Table(["Key", "Value"], rows, look="words")]))
    return Section("parameters", "Set-up", blocks, folded=True)


def _open(comparison: Comparison) -> Table:
    rows = []
    for entry in comparison.study.parameter:
        cells: list[Inline] = [
            written(entry.value),
            ", ".join(written(value) for value in entry.plausible),
            entry.stated,
            entry.reason,
        ]
        rows.append(Row(code(entry.key), cells))
    return Table(["Key", "Value taken", "Plausible too", "What the paper says", "Reason"], rows, look="words")


def flat(tables: Mapping[str, Any], before: str = "") -> Iterator[tuple[str, object]]:
    """Dotted keys and values; groups of flows are numbered."""
    for key, value in tables.items():
        name = f"{before}{key}"
        if isinstance(value, Mapping) and value:
            yield from flat(value, f"{name}.")
        elif _tables(value):
            for number, entry in enumerate(value):
                yield from flat(entry, f"{name}[{number}].")
        else:
            yield name, value


def _tables(value: object) -> bool:
    return isinstance(value, Sequence) and bool(value) and all(isinstance(entry, Mapping) for entry in value)
