"""`sawtooth run`: simulate one scenario and show what came out."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from sawtooth.cli.output import (
    JsonOption,
    PluginOption,
    StoreOption,
    console,
    emit_json,
    note,
    number,
    print_meanings,
    table,
)
from sawtooth.errors import MISSING, InputError

if TYPE_CHECKING:
    from sawtooth.run.run import Run


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
    typer.Option(
        "--plot",
        metavar="F.svg",
        help="Draw throughput, windows, RTTs, traffic, queues and losses over time (SVG, PDF or PNG).",
    ),
]
PathOption = Annotated[
    str | None,
    typer.Option(
        "--path",
        metavar="NAME",
        help="Put the scenario, or one flow of cubic, on a path such as dsl, wifi or leo (`sawtooth list paths`).",
    ),
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
    path: PathOption = None,
    schema: SchemaOption = False,
    plugin: PluginOption = None,
    as_json: JsonOption = False,
) -> None:
    """Simulate one scenario and store the run, even if the store has it already.

    Example: sawtooth run scenario.toml --seed 2 --set path.rtt='60 ms' --plot run.svg
    """
    if schema:
        given = {"SCENARIO.toml": scenario, "--seed": seed, "--set": set_, "--store": store, "--plot": plot}
        for option, value in (given | {"--path": path}).items():
            if value is not None and value != []:
                shown = value[0] if isinstance(value, list) else str(value)
                raise InputError("sawtooth run", option, shown, "nothing beside --schema but --plugin")
        from sawtooth.scenario.scenario import json_schema

        emit_json(json_schema())
        return
    from sawtooth.progress import progress_bar
    from sawtooth.run.api import job_of, scenario_of
    from sawtooth.run.runner import run_many
    from sawtooth.run.store import Store

    if seed is not None and any(text.partition("=")[0].strip() == "seed" for text in set_ or ()):
        raise InputError("sawtooth run", "--seed", seed, "one of --seed and --set seed=…")
    source: Path | dict[str, Any] | None = scenario
    if path is not None:
        from sawtooth.scenario.paths import ALONE, file_on_path

        source = file_on_path(path, scenario, ALONE)
    if source is None:
        raise InputError("sawtooth run", "SCENARIO.toml", MISSING, "a scenario file, --path or --schema")
    chosen = scenario_of(source, set_ or [])
    if plot is not None:
        from sawtooth.report.figure_file import format_of
        from sawtooth.report.run_traces import with_series  # matplotlib takes long to load

        form = format_of(plot)
        chosen = with_series(chosen)
    resolved = job_of(chosen, seed)
    with progress_bar(path or chosen.name if scenario is None else scenario.name) as progress:
        (run,) = run_many([resolved], Store(store), fresh=True, light=False, progress=progress)
        if plot is not None:
            from sawtooth.atomic import write_bytes_atomic
            from sawtooth.report.run_traces import traces_of
            from sawtooth.report.traces import draw

            progress.stage("drawing", 0, 1)
            write_bytes_atomic(plot, draw(traces_of(run), form))
    if as_json:
        emit_json(run.to_json())
    else:
        show(run)
    for sentence in chosen.chosen:
        note(sentence)
    if plot is not None:
        note(f"drew {plot}")


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
    undefined = [entry.name for entry in METRICS if run.values[entry.name] != run.values[entry.name]]
    for entry in METRICS:
        if entry.name not in undefined:
            metrics.add_row(entry.name, number(run.values[entry.name]), entry.unit)
    parts = [flows, queues, metrics]
    if run.traffic:
        felt = table("traffic", "kind", "what its users felt")
        for report in run.traffic:
            felt.add_row(report["kind"], told(report))
        parts.insert(2, felt)
    for part in parts:
        out.print(part)
        if part is flows:
            print_meanings(out, run.flows.column("controller").to_pylist())
        out.print()
    if undefined:
        what = "`sawtooth list metrics` says what each of them needs"
        out.print(f"undefined in this run: {', '.join(undefined)}; {what}", style="dim")
        out.print()
    out.print(f"run {run.run_id}  digest {run.digest}  seed {run.seed}", soft_wrap=True)


def told(report: Mapping[str, Any]) -> str:
    """A report of traffic in a line."""
    if report["kind"] == "paced":
        share = report["delivered_share"]
        return "nothing was offered" if share is None else f"{share:.1%} of what was offered delivered"
    if report["kind"] == "video":
        viewers = report["viewers"]
        rate = sum(each["quality_bps"] or 0.0 for each in viewers) / len(viewers)
        stalled = sum(each["stalled_s"] for each in viewers)
        return f"{number(rate / 1e6)} Mbit/s, {sum(each['stalls'] for each in viewers)} stalls, {number(stalled)} s of them"
    if "sent" in report:
        delay = report["delay_ms"]
        late = f"{number(report['missed_pct'])} % of frames missed, " if report.get("frames") else ""
        wait = f", delay p95 {number(delay['p95'])} ms" if delay else ""
        rate = f"{number(report['rate_bps'] / 1e6)} Mbit/s, " if report.get("rate_bps") else ""
        return f"{rate}{late}{number(report['loss_pct'] or 0.0)} % of packets lost{wait}"
    took, slow = report["completion_s"], report["slowdown"]
    if not took:
        return f"none of {report['started']} came to its end"
    than = f", {number(slow['p50'])} times that alone (p95 {number(slow['p95'])})" if slow else ""
    return f"{report['started'] - report['unfinished']} of {report['started']}, median {number(took['p50'])} s{than}"
