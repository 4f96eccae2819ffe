"""`sawtooth environment`: the exact schedule of an environment, as CSV, JSON or a picture in text.

The CSV is what `[environment] file = "…"` reads, so a schedule can be drawn once, edited and replayed. That of an environment of short
flows has their starts and lengths instead, which make the bandwidth.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Final

import typer

from sawtooth.cli.output import JsonOption, console, emit_document, emit_text, number, table
from sawtooth.errors import InputError, join_key
from sawtooth.plain import written

if TYPE_CHECKING:
    from sawtooth.scenario.environments import Environment
    from sawtooth.scenario.schedule import Schedule


BARS: Final = "▁▂▃▄▅▆▇█"
"""The levels of a sparkline."""

SPARKLINE: Final = 64
"""Columns of the sparkline."""

NameArgument = Annotated[
    str, typer.Argument(metavar="NAME", help="An environment: see `sawtooth list environments`.")
]
SeedOption = Annotated[str, typer.Option("--seed", metavar="N", help="Seed of the draws.")]
DurationOption = Annotated[str, typer.Option("--duration", metavar="TIME", help="Length of the run.")]
CapacityOption = Annotated[
    str,
    typer.Option("--capacity", metavar="RATE", help="Rate C of the bottleneck; levels are clipped to C/n."),
]
FlowsOption = Annotated[int, typer.Option("--flows", metavar="N", min=1, help="Number n of test flows.")]
SetOption = Annotated[
    list[str] | None,
    typer.Option(
        "--set", metavar="KEY=VALUE", help="One parameter of the environment, such as interval='1 s'."
    ),
]
CsvOption = Annotated[bool, typer.Option("--csv", help="Print the schedule as CSV.")]


def command(
    name: NameArgument,
    seed: SeedOption = "1",
    duration: DurationOption = "220 s",
    capacity: CapacityOption = "100 Mbit/s",
    flows: FlowsOption = 10,
    set_: SetOption = None,
    csv: CsvOption = False,
    as_json: JsonOption = False,
) -> None:
    """Print the exact schedule of an environment: available bandwidth per test flow over time.

    `sawtooth environment search` looks for a pattern that makes a controller win or lose.

    The defaults are those of the studies of the 2002 paper.

    Example: sawtooth environment rw-high --seed 3 --csv
    """
    from sawtooth.scenario import units
    from sawtooth.scenario.environments.short_flows import format_flows
    from sawtooth.scenario.fields import parse_seed
    from sawtooth.scenario.schedule import format_schedule

    if csv and as_json:
        raise InputError("sawtooth environment", None, "--csv --json", "one of --csv and --json")
    duration_ns = _option("--duration", duration, units.parse_time)
    capacity_bps = _option("--capacity", capacity, units.parse_rate)
    try:
        parse_seed(seed)
    except ValueError as error:
        raise InputError("sawtooth environment", "--seed", seed, str(error)) from None
    environment, schedule, short = _drawn(name, set_ or [], seed, duration_ns, capacity_bps, flows)
    if csv:
        emit_text(format_schedule(schedule) if short is None else format_flows(short))
    elif as_json:
        found = document(environment, schedule, seed, duration_ns, capacity_bps, flows)
        if short is not None:
            found["short_flows"] = [{"start_ns": start, "packets": packets} for start, packets in short]
        emit_document("environment", found)
    else:
        _show(environment, schedule, duration_ns, short)


def document(
    environment: Environment, schedule: Schedule, seed: str, duration_ns: int, capacity_bps: int, flows: int
) -> dict[str, Any]:
    """The answer to --json."""
    rows = zip(schedule.times_ns, schedule.rates_bps, strict=True)
    return {
        "environment": environment.name,
        "number": environment.entry.number,
        "parameters": environment.text(),
        "seed": seed,
        "duration_ns": duration_ns,
        "capacity_bps": capacity_bps,
        "flows": flows,
        "mean_bps": schedule.time_mean(0, duration_ns),
        "schedule": [
            {"time_ns": time, "time_s": time / 1e9, "available_bps_per_flow": rate} for time, rate in rows
        ],
    }


def sparkline(schedule: Schedule, duration_ns: int, columns: int = SPARKLINE) -> str:
    """The schedule as one line of bars: each is the mean of its share of the run, the highest level is a full bar."""
    highest = max(schedule.rates_bps) or 1
    edges = [index * duration_ns // columns for index in range(columns + 1)]
    means = [schedule.time_mean(a, b) for a, b in pairwise(edges) if a < b]
    return "".join(BARS[min(int(mean / highest * len(BARS)), len(BARS) - 1)] for mean in means)


def _drawn(
    name: str, overrides: list[str], seed: str, duration_ns: int, capacity_bps: int, flows: int
) -> tuple[Environment, Schedule, list[tuple[int, int]] | None]:
    """The environment, its schedule, and its short flows if it has any; an error names the option the mistake is in."""
    from sawtooth.scenario.environments import Environment, ShortFlows, conditions_of, schedule_under
    from sawtooth.scenario.overrides import WHERE, parse_override

    given = dict(parse_override(text) for text in overrides)
    try:
        environment = Environment.parse({**given, "kind": name})
        conditions = conditions_of(
            environment,
            seed=seed,
            duration_ns=duration_ns,
            capacity_bps=capacity_bps,
            flows=flows,
            directory=Path(),
        )
        schedule = schedule_under(environment, conditions)
        parameters = environment.parameters
        short = parameters.drawn(conditions) if isinstance(parameters, ShortFlows) else None
    except InputError as error:
        if error.where:
            raise
        if error.key == "kind":
            raise InputError("sawtooth environment", "NAME", name, error.accepted, error.hint) from None
        raise InputError(WHERE, join_key("", error.key), error.value, error.accepted, error.hint) from None
    return environment, schedule, short


def _option(name: str, text: str, parse: Callable[..., int]) -> int:
    try:
        return parse(text, positive=True)
    except ValueError as error:
        raise InputError(name, None, text, str(error)) from None


def _show(
    environment: Environment,
    schedule: Schedule,
    duration_ns: int,
    short: list[tuple[int, int]] | None,
) -> None:
    mean = schedule.time_mean(0, duration_ns)
    made = table("", "", "")
    made.title, made.show_header = None, False
    for key, value in environment.text().items():
        made.add_row(key, written(value))
    for key, rate in (
        ("lowest", min(schedule.rates_bps)),
        ("mean", mean),
        ("highest", max(schedule.rates_bps)),
    ):
        made.add_row(key, f"{number(rate / 1e6)} Mbit/s per flow")
    made.add_row("levels", str(len(schedule.times_ns)))
    if short is not None:
        made.add_row("short flows", f"{len(short)}, {sum(packets for _, packets in short)} packets")
    out = console()
    out.print(f"{environment.name}: {environment.entry.summary}", highlight=False)
    out.print(made)
    out.print(sparkline(schedule, duration_ns), highlight=False)
