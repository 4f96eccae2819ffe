"""`sawtooth list`: the tables of the laboratory: what can be named in a scenario, a comparison or a reproduction.

Nothing is listed by hand: controllers, recoveries, disciplines and series come from the engine's own description, the rest from the tables
`ENVIRONMENTS`, `METRICS` and the study files.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Annotated, Any

import typer

from sawtooth.cli.output import JsonOption, PluginOption, console, emit_document, table
from sawtooth.errors import InputError

if TYPE_CHECKING:
    from rich.table import Table


Rows = list[dict[str, Any]]
KindArgument = Annotated[
    str | None,
    typer.Argument(
        metavar="KIND",
        help="controllers, recoveries, disciplines, environments, paths, metrics, series or studies [default: all].",
        show_default=False,
    ),
]


def controllers() -> Rows:
    """Every controller, with its constructor form and parameters."""
    from sawtooth import _native

    return [dict(entry) for entry in _native.describe()["controllers"]]


def recoveries() -> Rows:
    """Every loss recovery."""
    from sawtooth import _native

    return [dict(entry) for entry in _native.describe()["recoveries"]]


def disciplines() -> Rows:
    """Every queue discipline, with its parameters."""
    from sawtooth import _native

    return [{**entry, "built": True} for entry in _native.describe()["disciplines"]]


def environments() -> Rows:
    """Every environment, with its number, where it has one."""
    from sawtooth.scenario.environments import ENVIRONMENTS

    return [
        {
            "name": entry.name,
            "aliases": list(entry.aliases),
            "number": entry.number,
            "summary": entry.summary,
            "source": entry.source,
        }
        for entry in ENVIRONMENTS
    ]


def environments_in_full() -> Rows:
    """Every environment as JSON has it: with its parameters, whose defaults take a JSON Schema of each family."""
    from sawtooth.scenario.environments import ENVIRONMENTS

    parameters = {entry.name: entry.parameters() for entry in ENVIRONMENTS}
    return [{**row, "parameters": parameters[row["name"]]} for row in environments()]


def metrics() -> Rows:
    """Every metric, with unit, window and which way is better, in a word."""
    words = {True: "higher", False: "lower", None: None}
    return [{**row, "better": words[row["higher_is_better"]]} for row in metrics_in_full()]


def metrics_in_full() -> Rows:
    """Every metric as JSON has it."""
    from sawtooth.measure.metrics import METRICS

    return [
        {
            "name": entry.name,
            "unit": entry.unit,
            "higher_is_better": entry.higher_is_better,
            "window": entry.window,
            "summary": entry.what,
            "source": entry.source,
        }
        for entry in METRICS
    ]


def series() -> Rows:
    """Every series that a run can record, with the key of `[record]` that asks for it and its columns."""
    from sawtooth import _native

    return [dict(entry) for entry in _native.describe()["series"]]


def paths() -> Rows:
    """Every path that `--path` knows, with the origin of its numbers."""
    from sawtooth.scenario.paths import paths as known

    return [
        {"name": entry.name, "title": entry.title, "summary": entry.about, "origin": dict(entry.origin)}
        for entry in known()
    ]


def studies() -> Rows:
    """Every study that `sawtooth reproduce` knows, those without runs last."""
    from sawtooth.papers.index import rows

    return rows()


KINDS: dict[str, tuple[Callable[[], Rows], tuple[str, ...]]] = {
    "controllers": (controllers, ("name", "form", "summary", "source")),
    "recoveries": (recoveries, ("name", "summary", "source")),
    "disciplines": (disciplines, ("name", "summary", "source")),
    "environments": (environments, ("name", "number", "summary", "source")),
    "paths": (paths, ("name", "title", "summary")),
    "metrics": (metrics, ("name", "unit", "better", "window", "summary", "source")),
    "series": (series, ("name", "key", "summary")),
    "studies": (studies, ("name", "title", "runs", "claims")),
}

IN_FULL: dict[str, Callable[[], Rows]] = {"environments": environments_in_full, "metrics": metrics_in_full}
"""Of which kind JSON says more than the table, or in other words, and what makes that."""


def command(kind: KindArgument = None, plugin: PluginOption = None, as_json: JsonOption = False) -> None:
    """List everything that has a name: controllers, recoveries, disciplines, environments, paths, metrics, recorded series, studies.

    The page docs/controllers.md shows every controller on the same path.

    Example: sawtooth list controllers
    """
    if kind is not None and kind not in KINDS:
        raise InputError("sawtooth list", None, kind, "one of " + ", ".join(KINDS))
    chosen = list(KINDS) if kind is None else [kind]
    if as_json:
        emit_document("list", {name: IN_FULL.get(name, KINDS[name][0])() for name in chosen})
        return
    out = console()
    for index, name in enumerate(chosen):
        if index:
            out.print()
        out.print(listing(name))


def listing(kind: str) -> Table:
    """One kind as a table for people, by family where its entries have one."""
    rows, columns = KINDS[kind]
    made = table(kind, *columns)
    found = rows()
    families = list(dict.fromkeys(row.get("family", "") for row in found))
    family = families[0] if len(families) == 1 else None
    for row in sorted(found, key=lambda row: families.index(row.get("family", ""))):
        if row.get("family", "") != family:
            family = row.get("family", "")
            made.add_row()
            made.add_row(family, style="bold")
        made.add_row(*("" if row.get(column) is None else str(row[column]) for column in columns))
    return made
