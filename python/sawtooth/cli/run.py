"""`sawtooth run`: simulate one scenario and show what came out."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from sawtooth.cli.output import JsonOption, StoreOption, console, emit_json, note, number, table
from sawtooth.errors import MISSING, InputError

if TYPE_CHECKING:
    from sawtooth.report.traces import Traces
    from sawtooth.run.run import Run
    from sawtooth.scenario.scenario import Scenario


SAMPLES = 2000
"""Samples of each series in a figure: about two per dot of a printed page."""

ScenarioArgument = Annotated[
    Path | None, typer.Argument(metavar="SCENARIO.toml", help="The scenario file.", show_default=False)
]
SeedOption = Annotated[
    str | None, typer.Option("--seed", metavar="N", help="Seed of the run [default: the scenario's own].")
]
SetOption = Annotated[
    list[str] | None,
    typer.Option(
        "--set", metavar="KEY=VALUE", help="Replace one value, such as bottleneck.rate='10 Mbit/s'."
    ),
]
PlotOption = Annotated[
    Path | None,
    typer.Option("--plot", metavar="F.svg", help="Draw windows and queue over time (SVG, PDF or PNG)."),
]
SchemaOption = Annotated[
    bool, typer.Option("--schema", help="Print the JSON Schema of scenario files with every default.")
]


def command(
    scenario: ScenarioArgument = None,
    seed: SeedOption = None,
    set_: SetOption = None,
    store: StoreOption = None,
    plot: PlotOption = None,
    schema: SchemaOption = False,
    as_json: JsonOption = False,
) -> None:
    """Simulate one scenario and store the run, even if the store has it already.

    Example: sawtooth run scenario.toml --seed 2 --set path.rtt='60 ms' --plot run.svg
    """
    from sawtooth.atomic import write_bytes_atomic
    from sawtooth.progress import progress_bar
    from sawtooth.report.traces import draw
    from sawtooth.run.api import job_of, scenario_of
    from sawtooth.run.runner import run_many
    from sawtooth.run.store import Store
    from sawtooth.scenario.scenario import json_schema

    if schema:
        emit_json(json_schema())
        return
    if scenario is None:
        raise InputError("sawtooth run", "SCENARIO.toml", MISSING, "a scenario file, or --schema")
    chosen = scenario_of(scenario, set_ or [])
    if plot is not None:
        chosen = plottable(chosen, plot)
    resolved = job_of(chosen, seed)
    with progress_bar(scenario.name) as progress:
        (run,) = run_many([resolved], Store(store), fresh=True, light=False, progress=progress)
    if plot is not None:
        write_bytes_atomic(plot, draw(traces_of(run), plot.suffix.removeprefix(".")))
    if as_json:
        emit_json(run.to_json())
    else:
        show(run)
    if plot is not None:
        note(f"drew {plot}")


def plottable(scenario: Scenario, plot: Path) -> Scenario:
    """The same scenario with what the figure needs recorded. InputError if the figure could not be written."""
    from sawtooth.report.traces import FORMATS
    from sawtooth.scenario.scenario import with_values
    from sawtooth.scenario.units import format_time

    if plot.suffix.removeprefix(".") not in FORMATS:
        raise InputError("--plot", None, str(plot), "a file name that ends in ." + ", .".join(FORMATS))
    if not plot.absolute().parent.is_dir():
        raise InputError("--plot", None, str(plot), "a file in a directory that exists")
    interval = scenario.record.sample or max(1, scenario.duration // SAMPLES)
    return with_values(scenario, {"record.windows": True, "record.sample": format_time(interval)})


def traces_of(run: Run) -> Traces:
    """What the figure shows of a run."""
    from sawtooth.report.traces import Traces

    queue = run.engine["links"][0]["queue"]
    flows = run.flows.select(["id", "controller", "recovery"]).to_pylist()
    return Traces(
        title=f"{Path(run.meta['name']).name}, seed {run.seed}, run {run.run_id[:12]}",
        labels=[f"{row['id']}: {row['controller']} {row['recovery']}" for row in flows],
        windows=run.records["windows"],
        queue_samples=run.records["queue_samples"],
        warmup_ns=run.engine["warmup_ns"],
        duration_ns=run.engine["duration_ns"],
        buffer=queue.get("packets", queue.get("bytes")),
        buffer_in_bytes="packets" not in queue,
    )


def show(run: Run) -> None:
    """The run for people: flows, queues, metrics."""
    from sawtooth.measure.metrics import METRICS

    out = console()
    flows = table(
        "flows",
        "id",
        "controller",
        "recovery",
        "goodput Mbit/s",
        "loss %",
        "timeouts",
        "retransmits",
        "window",
    )
    for column in flows.columns[3:]:
        column.justify = "right"
    for row in run.flows.to_pylist():
        flows.add_row(
            str(row["id"]),
            row["controller"],
            row["recovery"],
            number(row["goodput_bps"] / 1e6),
            number(row["loss_pct"]),
            number(row["timeouts"]),
            number(row["retransmits"]),
            number(row["window_mean"]),
        )
    queues = table("queues", "name", "mean delay ms", "arrivals", "drops", "marks", "forwarded", right=True)
    for row in run.queues.to_pylist():
        counts = (number(row[name], 12) for name in ("arrivals", "drops", "marks", "forwarded"))
        queues.add_row(row["name"], number(row["mean_delay_ms"]), *counts)
    metrics = table("metrics", "name", "value", "unit")
    metrics.columns[1].justify = "right"
    for entry in METRICS:
        metrics.add_row(entry.name, number(run.values[entry.name]), entry.unit)
    for part in (flows, queues, metrics):
        out.print(part)
        out.print()
    out.print(f"run {run.run_id}  digest {run.digest}  seed {run.seed}", soft_wrap=True)
