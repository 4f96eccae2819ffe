"""`sawtooth sweep`: one scenario with values varied, every combination over seeds, one table."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from sawtooth.cli.options import unfolded
from sawtooth.cli.output import JsonOption, PluginOption, console, emit_json, note, print_meanings, table
from sawtooth.cli.work import Runs, Workers
from sawtooth.errors import InputError

if TYPE_CHECKING:
    from sawtooth.experiment.sweep import Sweep, SweepJobs

ScenarioArgument = Annotated[Path, typer.Argument(metavar="SCENARIO.toml", help="The scenario file.")]
OverOption = Annotated[
    list[str],
    typer.Option(
        "--over",
        metavar="KEY=V,V,…",
        help="A key of the scenario and its values, such as path.rtt=40ms,80ms,160ms; may be repeated: every combination is run.",
    ),
]
SeedsOption = Annotated[int, typer.Option("--seeds", metavar="N", help="Number of seeds.")]
SetOption = Annotated[
    list[str] | None,
    typer.Option(
        "--set",
        metavar="KEY=VALUE",
        help="Replace one value of the scenario in all runs; may be repeated.",
    ),
]
OutOption = Annotated[
    Path | None,
    typer.Option("--out", metavar="FILE", help="Write a row per run (.csv, .parquet, .arrow)."),
]


@unfolded
def command(
    context: typer.Context,
    scenario: ScenarioArgument,
    over: OverOption,
    seeds: SeedsOption = 5,
    set_: SetOption = None,
    out: OutOption = None,
    *,
    runs: Runs,
    workers: Workers,
    plugin: PluginOption = None,
    as_json: JsonOption = False,
) -> None:
    """Run a scenario with every combination of the given values over several seeds. Prints a table of means; --out writes a row per run.

    Runs that are in the store are not repeated, so an interrupted sweep continues where it stopped.

    Example: sawtooth sweep scenario.toml --over path.rtt=40ms,80ms,160ms --over 'flows.control=aimd(1, 0.8),aimd(1, 0.5)' --out sweep.csv
    """
    from sawtooth.experiment.sweep import parse_over, planned, sweep
    from sawtooth.progress import progress_bar
    from sawtooth.run.export import check_output

    if out is not None:
        check_output(out, "sawtooth sweep", "--out")
    lists = [parse_over(text) for text in over]
    keys = [key for key, _ in lists]
    for key in keys:
        if keys.count(key) > 1:
            raise InputError("sawtooth sweep", "--over", key, "each key once, with all of its values")
    if runs.shard is not None and out is not None:
        raise InputError(
            "sawtooth sweep", "--out", str(out), "no --out beside --shard, which has part of the rows"
        )
    workers.begin(context)
    if runs.shard is not None:

        def plans() -> list[SweepJobs]:
            return [planned(scenario, dict(lists), seeds, set_ or [])[2]]

        runs.make_shard(plans, as_json, scenario.name)
        return
    with progress_bar(scenario.name) as progress:
        found = sweep(scenario, dict(lists), seeds, set_ or [], runs.store, runs.fresh, progress=progress)
    if out is not None:
        found.write(out)
    if as_json:
        emit_json({**found.to_json(), "out": None if out is None else str(out)})
    else:
        show(found)
    for sentence in found.chosen:
        note(sentence)
    from sawtooth.plurals import number_of

    note(f"{found.executed:,} of {number_of(found.different, 'run')} simulated")
    if out is not None:
        note(f"wrote {len(found.runs):,} rows: {out}")


def show(found: Sweep) -> None:
    """The means for people: a row per combination."""
    from sawtooth.experiment.scoring import SCORED
    from sawtooth.plurals import number_of
    from sawtooth.report.tables import RAW_DECIMALS, UNITS, interval_note, number, spread

    heads = [f"{name} ({UNITS[name]})" for name in SCORED]
    made = table(f"{found.scenario}: mean over {number_of(len(found.seeds), 'seed')}", *found.over, *heads)
    for column in made.columns[len(found.over) :]:
        column.justify = "right"
    for values, means in found.groups():
        cells = []
        for name in SCORED:
            decimals, mean = RAW_DECIMALS[name], means[name]
            cells.append(f"{number(mean.mean, decimals)} {spread(mean, decimals)}".rstrip())
        made.add_row(*(found.text(value) for value in values.values()), *cells)
    out = console()
    out.print(made)
    sure = interval_note(len(found.seeds))
    out.print(f"{sure[0].upper()}{sure[1:]}; --out FILE has every run and every metric.", style="dim")
    print_meanings(out, found.controllers)
