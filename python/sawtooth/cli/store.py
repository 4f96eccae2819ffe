"""`sawtooth store`: the runs that are kept: list them, show one, remove some, take them out as tables. `store_files` has the commands that
look after their files."""

from __future__ import annotations

import itertools
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from sawtooth.cli import store_files
from sawtooth.cli.output import (
    JsonOption,
    StoreOption,
    answer,
    console,
    emit_document,
    emit_text,
    note,
    number,
    table,
)
from sawtooth.errors import MISSING, InputError

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from sawtooth.run.catalogue import Entry, Filter
    from sawtooth.run.store import Store

LINES = 1000
"""Runs of a table that is laid out for people; more are lines of the same columns, each as soon as it is made."""

SHORT = 12
"""Digits of an id in a table: enough to be unique in any store."""

ALIKE = 4
"""Flows, profiles and so on of which all numbers are shown."""

app = typer.Typer(add_completion=False, rich_markup_mode=None)
app.command("verify", short_help="Read every byte and report damaged runs.")(store_files.verify)
app.command("merge", short_help="Add the runs of some stores to another one.")(store_files.merge)
app.command("gc", short_help="Pack runs into few files; remove what is left over.")(store_files.gc)

IdsArgument = Annotated[
    list[str] | None,
    typer.Argument(metavar="RUNID", help="Ids of runs, or their first digits.", show_default=False),
]
IdArgument = Annotated[
    str, typer.Argument(metavar="RUNID", help="Id of a stored run, or its first digits.", show_default=False)
]
ScenarioOption = Annotated[
    str | None,
    typer.Option("--scenario", metavar="TEXT", help="Runs whose scenario name contains this text."),
]
ControllerOption = Annotated[
    str | None,
    typer.Option(
        "--controller", metavar="TEXT", help="Runs with a controller whose name contains this text."
    ),
]
SeedOption = Annotated[str | None, typer.Option("--seed", metavar="SEED", help="Runs with this seed.")]
SeriesOption = Annotated[
    str | None,
    typer.Option("--series", metavar="NAME", help="Runs that recorded this series, such as windows."),
]
OlderOption = Annotated[
    str | None, typer.Option("--older-than", metavar="AGE", help="Runs written before this time, as '30 d'.")
]
StaleOption = Annotated[
    bool,
    typer.Option(
        "--stale", help="Runs for which this engine would give other results; no command uses them."
    ),
]
UnreadableOption = Annotated[
    bool, typer.Option("--unreadable", help="Files that are damaged or are not runs.")
]
AllOption = Annotated[bool, typer.Option("--all", help="Every run.")]
YesOption = Annotated[bool, typer.Option("--yes", help="Do not ask for confirmation; required with --all.")]
DryOption = Annotated[bool, typer.Option("--dry-run", help="Show what would be removed, and remove nothing.")]
OfOption = Annotated[
    str,
    typer.Option(
        "--of",
        metavar="TABLE",
        help="runs (a row each, with metrics), flows, queues, or a recorded series, such as windows.",
    ),
]
OutputOption = Annotated[
    Path | None,
    typer.Option(
        "--out",
        "--output",
        metavar="FILE",
        help="A .csv, .parquet or .arrow file [default: CSV on standard output].",
    ),
]


@app.callback(invoke_without_command=True)
def store(context: typer.Context) -> None:
    """Manage stored runs: list, show, remove and export them; verify, merge and pack their files.

    Example: sawtooth store ls --scenario one-flow
    """
    if context.invoked_subcommand is None:
        note(context.get_help())
        raise typer.Exit(2)


@app.command("ls", short_help="List stored runs.")
def ls(
    scenario: ScenarioOption = None,
    controller: ControllerOption = None,
    seed: SeedOption = None,
    series: SeriesOption = None,
    older_than: OlderOption = None,
    stale: StaleOption = False,
    unreadable: UnreadableOption = False,
    store: StoreOption = None,
    as_json: JsonOption = False,
) -> None:
    """List stored runs: all of them, or those that match every option.

    Example: sawtooth store ls --controller aimd --seed 1
    """
    from sawtooth.run.catalogue import entries, listing

    kept = store_files.existing(store)
    listed = entries(kept, _filter(scenario, controller, seed, series, older_than, stale, unreadable))
    if as_json:
        emit_document("stored-runs", listing(kept, listed))
        return
    if listed:
        _list(listed)
    emit_text(f"{_total(listed)} in {kept.address}")
    gone = sum(entry.state == "stale" for entry in listed)
    if gone and not stale:
        from sawtooth.plurals import number_of

        note(
            f"{number_of(gone, 'stale run')}, which no command reads: `sawtooth store rm --stale` removes what is stale"
        )


@app.command("show", short_help="Show one stored run.")
def show(run_id: IdArgument, store: StoreOption = None, as_json: JsonOption = False) -> None:
    """Show one stored run: its scenario, its results and the series that it recorded.

    Example: sawtooth store show 3f9a12
    """
    from sawtooth.cli.run import show as show_run
    from sawtooth.run.api import stored_run
    from sawtooth.run.catalogue import named

    kept = store_files.existing(store)
    (entry,) = named(kept, [run_id])
    run = stored_run(entry.run_id, kept)
    if as_json:
        emit_document("stored-run", {"stored": entry.to_json(), "run": run.to_json()})
        return
    made = table("run", "", "")
    made.show_header = False
    for key, value in entry.to_json().items():
        made.add_row(key, ", ".join(value) if isinstance(value, list) else str(value))
    console().print(made)
    emit_text("")
    emit_text("scenario\n" + "\n".join(_scenario_lines(run.meta.get("resolved", {}))) + "\n")
    if run.records:
        recorded = table("series", "name", "rows", "columns")
        for name, rows in run.records.items():
            recorded.add_row(name, number(rows.num_rows, 12), ", ".join(rows.column_names))
        console().print(recorded)
        emit_text("")
    show_run(run)


@app.command("rm", short_help="Remove runs from the store.")
def rm(
    run_ids: IdsArgument = None,
    scenario: ScenarioOption = None,
    controller: ControllerOption = None,
    seed: SeedOption = None,
    series: SeriesOption = None,
    older_than: OlderOption = None,
    stale: StaleOption = False,
    unreadable: UnreadableOption = False,
    everything: AllOption = False,
    yes: YesOption = False,
    dry_run: DryOption = False,
    store: StoreOption = None,
    as_json: JsonOption = False,
) -> None:
    """Remove runs from the store: those named, those that match every option, or --all with --yes.

    Safe while another command uses the store: it simulates a missing run again. Reports are kept.

    Example: sawtooth store rm --stale --older-than '30 d'
    """
    from sawtooth.run.catalogue import listing, remove

    kept = store_files.existing(store)
    filters = _filter(scenario, controller, seed, series, older_than, stale, unreadable)
    if everything and not (yes or dry_run):
        accepted = "--yes beside it, or --dry-run to see what would go"
        raise InputError("sawtooth store rm", "--all", MISSING, accepted)
    chosen = _chosen("sawtooth store rm", kept, run_ids or [], filters, everything)
    removed = chosen if dry_run else remove(kept, chosen)
    if as_json:
        emit_document("removed-runs", {**listing(kept, removed), "dry_run": dry_run})
        return
    if removed:
        _list(removed)
    emit_text(f"{_total(removed)} {'would go' if dry_run else 'removed'} from {kept.address}")


@app.command("export", short_help="Write stored runs as one table.")
def export(
    run_ids: IdsArgument = None,
    of: OfOption = "runs",
    output: OutputOption = None,
    scenario: ScenarioOption = None,
    controller: ControllerOption = None,
    seed: SeedOption = None,
    series: SeriesOption = None,
    older_than: OlderOption = None,
    stale: StaleOption = False,
    store: StoreOption = None,
    as_json: JsonOption = False,
) -> None:
    """Write stored runs as one table: a row per run with its metrics, or the flows, queues or a series of the runs.

    Runs for which this engine would give other results are left out, unless they are named or --stale asks for them. Exits with 1 if
    damaged runs had to be left out.

    Example: sawtooth store export --of flows --output flows.parquet
    """
    from sawtooth.plurals import number_of
    from sawtooth.run.catalogue import named, walk
    from sawtooth.run.export import CountedEntries, check_output, in_order, tables, write, write_file

    where = "sawtooth store export"
    kept = store_files.existing(store)
    if output is not None:
        check_output(output)
    elif as_json:
        raise InputError(
            where, "--json", MISSING, "--output beside it, since the table goes to standard output"
        )
    filters = _filter(scenario, controller, seed, series, older_than, stale, False)
    _check_one_way(where, run_ids or [], filters, everything=not run_ids and filters is None)
    lost: set[str | None] = set()
    meant = _in_state("stale" if stale else "current", walk(kept, filters), lost)
    chosen = CountedEntries(named(kept, run_ids) if run_ids else in_order(meant))
    schema, parts = tables(kept, chosen, of)
    if output is None:
        write(answer().buffer, "csv", schema, parts)
    else:
        rows = write_file(output, schema, parts)
        runs = chosen.count - len(kept.bad_runs)
        if as_json:
            emit_document(
                "export",
                {"file": str(output), "of": of, "runs": runs, "rows": rows, "columns": schema.names},
            )
        else:
            emit_text(f"wrote {output}: {number_of(rows, 'row')} of {number_of(runs, 'run')}")
    if lost or kept.bad_runs:
        note("damaged runs are left out; `sawtooth store verify` names them")
        raise typer.Exit(1)


def _in_state(wanted: str, entries: Iterable[Entry], lost: set[str | None]) -> Iterator[Entry]:
    """The entries in a state; ``lost`` learns of those that cannot be read."""
    for entry in entries:
        if entry.state == wanted:
            yield entry
        elif entry.state == "unreadable":
            lost.add(entry.run_id)


def _filter(
    scenario: str | None,
    controller: str | None,
    seed: str | None,
    series: str | None,
    older_than: str | None,
    stale: bool,
    unreadable: bool,
) -> Filter | None:
    """What the options ask for; None if none is given."""
    from sawtooth.run.catalogue import Filter
    from sawtooth.scenario.units import parse_age

    if stale and unreadable:
        raise InputError("sawtooth store", None, "--stale --unreadable", "one of the two")
    if series is not None:
        _check_series(series)
    for option, text in (("--scenario", scenario), ("--controller", controller)):
        if text == "":
            raise InputError("sawtooth store", option, text, "text, since every name contains the empty one")
    if seed is not None:
        _check_seed(seed)
    try:
        age_s = None if older_than is None else parse_age(older_than)
    except ValueError as error:
        raise InputError("sawtooth store", "--older-than", older_than, str(error)) from None
    found = Filter(
        "stale" if stale else "unreadable" if unreadable else None, scenario, controller, seed, series, age_s
    )
    return None if found == Filter() else found


def _check_seed(seed: str) -> None:
    """InputError unless a run can have that seed."""
    from sawtooth.scenario.fields import parse_seed

    try:
        parse_seed(seed)
    except ValueError as error:
        raise InputError("sawtooth store", "--seed", seed, str(error)) from None


def _check_series(name: str) -> None:
    """InputError unless runs can record a series of that name."""
    from sawtooth.cli.completion import series

    known = [entry for entry, _ in series()]
    if name not in known:
        raise InputError("sawtooth store", "--series", name, f"one of {', '.join(known)}")


def _chosen(
    where: str, kept: Store, run_ids: list[str], filters: Filter | None, everything: bool
) -> list[Entry]:
    """The runs that are named, that the options mean, or all. InputError unless it is exactly one of these."""
    from sawtooth.run.catalogue import entries, named

    _check_one_way(where, run_ids, filters, everything)
    return named(kept, run_ids) if run_ids else entries(kept, filters)


def _check_one_way(where: str, run_ids: list[str], filters: Filter | None, everything: bool) -> None:
    """InputError unless runs are named, or meant by options, or all are."""
    ways = [bool(run_ids), filters is not None, everything]
    if sum(ways) != 1:
        value: Any = MISSING if not any(ways) else " and ".join(_said(run_ids, everything))
        raise InputError(where, None, value, "ids of runs, or options such as --stale, or --all")


def _said(run_ids: list[str], everything: bool) -> list[str]:
    return [
        *run_ids[:1],
        *(["--all"] if everything else []),
        *(["options"] if not (run_ids and everything) else []),
    ]


def _list(listed: list[Entry]) -> None:
    """Entries as a table for people."""
    columns = (
        "id",
        "scenario",
        "controllers",
        "seed",
        "duration s",
        "series",
        "version",
        "written",
        "kB",
        "state",
    )
    right = (3, 4, 8)
    if len(listed) > LINES:
        widths = [max(map(len, column)) for column in zip(columns, *map(_cells, _some(listed)), strict=True)]
        for cells in itertools.chain([columns], map(_cells, listed)):
            padded = (
                cell.rjust(width) if place in right else cell.ljust(width)
                for place, (cell, width) in enumerate(zip(cells, widths, strict=True))
            )
            emit_text("  ".join(padded).rstrip())
        return
    made = table("stored runs", *columns)
    for place in right:
        made.columns[place].justify = "right"
    for entry in listed:
        made.add_row(*_cells(entry))
    console().print(made)


def _some(listed: list[Entry]) -> list[Entry]:
    """Entries by which columns are made wide enough, spread over all of them."""
    return listed[:: -(-len(listed) // LINES)]


def _cells(entry: Entry) -> tuple[str, ...]:
    """An entry as a table for people shows it."""
    return (
        entry.run_id[:SHORT],
        entry.scenario or "–",
        ", ".join(entry.controllers) or "–",
        entry.seed or "–",
        number(entry.duration_s),
        ", ".join(entry.series) or "–",
        entry.version or "–",
        entry.stored.replace("T", " ").removesuffix(":00Z").removesuffix("Z"),
        number(round(entry.size_bytes / 1e3), 12),
        entry.state,
    )


def _total(listed: list[Entry]) -> str:
    size = sum(entry.size_bytes for entry in listed)
    return f"{len(listed):,} run{'' if len(listed) == 1 else 's'}, {number(size / 1e6)} MB"


def _scenario_lines(resolved: Any, key: str = "") -> list[str]:
    """The numbers of a scenario as lines `key = value`, as the echo of a run has them; what is undefined is left out."""
    if isinstance(resolved, dict):
        return [
            line
            for name, value in resolved.items()
            for line in _scenario_lines(value, f"{key}.{name}" if key else name)
        ]
    if isinstance(resolved, list) and resolved and isinstance(resolved[0], dict):
        shown = list(enumerate(resolved))[:ALIKE]
        lines = [line for place, value in shown for line in _scenario_lines(value, f"{key}[{place}]")]
        left = len(resolved) - len(shown)
        return [*lines, f"  {key}: {left:,} more, in --json"] if left else lines
    return [] if resolved is None else [f"  {key} = {resolved}"]
