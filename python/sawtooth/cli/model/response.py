"""`sawtooth model response`: window and rate of AIMD(a, b) at a drop rate, exact and approximate."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer

from sawtooth.cli.output import JsonOption, console, emit_json, number, table

AOption = Annotated[float, typer.Option("--a", metavar="PACKETS", help="Added per round trip.")]
BOption = Annotated[
    float,
    typer.Option("--b", metavar="FRACTION", help="Fraction that a decrease removes, from 0 to below 1."),
]
POption = Annotated[float, typer.Option("--p", metavar="PROBABILITY", help="Drops per packet sent.")]
RttOption = Annotated[
    float, typer.Option("--rtt", metavar="SECONDS", help="Round trip of the rates per second.")
]
PlotOption = Annotated[
    Path | None,
    typer.Option("--plot", metavar="FILE", help="Also draw it as a function of loss (.svg, .pdf or .png)."),
]

RTT_S = 0.1
"""Round trip where none is given, s: that of the examples."""


def command(
    a: AOption,
    b: BOption,
    p: POption,
    rtt: RttOption = RTT_S,
    plot: PlotOption = None,
    as_json: JsonOption = False,
) -> None:
    """Say what rate AIMD(a, b) gets where each (1/p)-th packet is dropped: S packets per round trip, T packets per second.

    b is Floyd's: the fraction removed, 1/2 for TCP. W is the window at which a packet is dropped. The approximation leaves out one packet
    per window; it is infinite (null in JSON) for b = 0.

    Example: sawtooth model response --a 0.2 --b 0.125 --p 0.01
    """
    from sawtooth.models import response

    found = response.response(a, b, p, rtt)
    if plot is not None:
        draw(a, b, p, plot)
    if as_json:
        emit_json({**asdict(found), "rtt_s": rtt})
        return
    made = table(
        f"AIMD({a:g}, {b:g}) at p = {p:g}, round trip {rtt:g} s", "", "exact", "approximate", right=True
    )
    made.add_row("S (packets per round trip)", number(found.S_exact), number(found.S_approx))
    made.add_row("T (packets per second)", number(found.T_exact), number(found.T_approx))
    made.add_row("W (packets)", number(found.W), number(float(response.approximate_window(a, b, p))))
    console().print(made)


def draw(a: float, b: float, p: float, path: Path) -> None:
    """The response function of one law around the drop rate asked for."""
    import numpy as np

    from sawtooth.models import response
    from sawtooth.report.drawing import save
    from sawtooth.report.response_figures import response_curve

    drops = np.geomspace(min(1e-4, p / 10), min(0.9, max(0.5, 2 * p)), 200)
    exact, approximate = response.rate(a, b, drops), response.approximate_rate(a, b, drops)
    point = (p, float(response.rate(a, b, p)))
    save(response_curve(drops, exact, approximate, f"AIMD({a:g}, {b:g})", point), path)
