"""`sawtooth trace`: a generated trace of a cellular link, or what a trace file is like."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from sawtooth.cli.environment import BARS, SPARKLINE
from sawtooth.cli.output import JsonOption, console, emit_document, note, number, table
from sawtooth.errors import InputError

if TYPE_CHECKING:
    from sawtooth.scenario.trace import Trace

WHERE = "sawtooth trace"

DESCRIBED_MS = 7 * 86_400_000
"""Longest trace that is described: its rate is counted in bins of 100 ms, which stand in the memory."""

NameArgument = Annotated[
    str,
    typer.Argument(
        metavar="NAME",
        help="A model of which traces are made (lte-driving-down, lte-driving-up, evdo-driving-down), a shipped trace, or a trace file.",
    ),
]
SeedOption = Annotated[
    str | None, typer.Option("--seed", metavar="N", help="Seed of a generated trace [default: 1].")
]
DurationOption = Annotated[
    str | None,
    typer.Option("--duration", metavar="TIME", help="Length of a generated trace [default: 120 s]."),
]
SetOption = Annotated[
    list[str] | None,
    typer.Option(
        "--set",
        metavar="KEY=VALUE",
        help="One parameter of the model, such as mean='8 Mbit/s'; may be repeated.",
    ),
]
OutOption = Annotated[
    Path | None,
    typer.Option(
        "--out", metavar="FILE", help="Write the trace, in mahimahi's format; a file that exists is replaced."
    ),
]


def command(
    name: NameArgument,
    seed: SeedOption = None,
    duration: DurationOption = None,
    set_: SetOption = None,
    out: OutOption = None,
    as_json: JsonOption = False,
) -> None:
    """Make a trace of delivery opportunities, as of a cellular link, or say what a trace file is like.

    A scenario takes either: bottleneck.trace and reverse.trace name a file, or a model, perhaps with a seed ("lte-driving-up(7)").

    Example: sawtooth trace lte-driving-up --seed 7 --out up.trace
    """
    from sawtooth.scenario.trace import write_trace
    from sawtooth.scenario.trace_statistics import statistics

    trace, made = _found(name, seed, duration, set_ or [])
    if trace.period_ms > DESCRIBED_MS:
        accepted = (
            f"a last time of at most {DESCRIBED_MS} ms (a week), of which this command can count the rate"
        )
        raise InputError(name, f"line {len(trace.times_ms)}", str(trace.period_ms), accepted)
    if out is not None:
        try:
            write_trace(trace, out)
        except OSError as error:
            raise InputError(
                WHERE, "--out", str(out), f"a file that can be written ({error.strerror})"
            ) from None
        note(f"{out}: {len(trace.times_ms)} lines")
    found = statistics(trace)
    if as_json:
        emit_document(
            "trace",
            {
                "name": name,
                "model": made,
                "duration_ms": trace.period_ms,
                "opportunities": len(trace.times_ms),
                "statistics": found,
            },
        )
        return
    _show(name, trace, made, found)


def _found(
    name: str, seed: str | None, duration: str | None, overrides: list[str]
) -> tuple[Trace, dict[str, Any] | None]:
    """The trace of that name; of a generated one also what it was made with."""
    from sawtooth.scenario import units
    from sawtooth.scenario.drives import DRIVES, DURATION_NS, LONGEST_NS, SETTINGS, changed, make
    from sawtooth.scenario.fields import parse_seed
    from sawtooth.scenario.overrides import WHERE as SET
    from sawtooth.scenario.overrides import parse_override
    from sawtooth.scenario.trace import SHIPPED, parse_trace, read_trace, shipped_text

    if name not in DRIVES:
        for option, value in (("--seed", seed), ("--duration", duration), ("--set", overrides or None)):
            if value is not None:
                accepted = f"no such option but for a generated trace: {', '.join(DRIVES)}"
                raise InputError(WHERE, option, value, accepted)
        if Path(name).is_file():
            return read_trace(name), None
        if name in SHIPPED:
            return parse_trace(shipped_text(name), name), None
        raise InputError(WHERE, "NAME", name, f"a trace file, or one of {', '.join([*DRIVES, *SHIPPED])}")
    try:
        chosen = parse_seed("1" if seed is None else seed)
    except ValueError as error:
        raise InputError(WHERE, "--seed", seed, str(error)) from None
    try:
        length = DURATION_NS if duration is None else units.parse_time(duration, positive=True)
    except ValueError as error:
        raise InputError(WHERE, "--duration", duration, str(error)) from None
    if not 10**9 <= length <= LONGEST_NS:
        raise InputError(WHERE, "--duration", duration, "1 s to 1 h")
    drive = changed(DRIVES[name], dict(parse_override(text) for text in overrides), SET)
    parameters = {key: setting.text(getattr(drive, setting.field)) for key, setting in SETTINGS.items()}
    made = {"seed": chosen, "parameters": parameters, "fitted_to": DRIVES[name].recording}
    return make(drive, name=name, seed=chosen, duration_ns=length), made


def _show(name: str, trace: Trace, made: dict[str, Any] | None, found: dict[str, float]) -> None:
    from sawtooth.scenario.trace_statistics import STATISTICS

    rows = table("", "", "")
    rows.title, rows.show_header = None, False
    for key, value in made["parameters"].items() if made else ():
        rows.add_row(key, value)
    for key, what in STATISTICS.items():
        rows.add_row(what, _written(key, found[key]))
    out = console()
    out.print(
        f"{name}: {len(trace.times_ms)} opportunities in {number(trace.period_ms / 1000)} s", highlight=False
    )
    out.print(rows)
    out.print(_bars(trace), highlight=False)


def _written(key: str, value: float) -> str:
    if key.endswith("_bps"):
        return f"{number(value / 1e6)} Mbit/s"
    return f"{number(value)} ms" if key.endswith("_ms") else number(value)


def _bars(trace: Trace) -> str:
    """The rate over time as one line of bars; the highest is a full one."""
    edges = [index * trace.period_ms * 1_000_000 // SPARKLINE for index in range(SPARKLINE + 1)]
    rates = [trace.opportunities(begin, end) for begin, end in pairwise(edges)]
    highest = max(rates) or 1
    return "".join(BARS[min(int(rate / highest * len(BARS)), len(BARS) - 1)] for rate in rates)
