"""`sawtooth model response`: window and rate of AIMD(a, b) or of CUBIC at a drop rate, exact and approximate."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict, dataclass
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from sawtooth.cli.output import JsonOption, console, emit_document, number, table
from sawtooth.errors import MISSING, InputError

if TYPE_CHECKING:
    from sawtooth.models.inputs import Numbers
    from sawtooth.models.response import Response


class Law(StrEnum):
    """Laws with a response function in closed form."""

    AIMD = "aimd"
    CUBIC = "cubic"


AOption = Annotated[float, typer.Option("--a", metavar="PACKETS", help="Added per round trip.")]
BOption = Annotated[
    float,
    typer.Option("--b", metavar="FRACTION", help="Fraction that a decrease removes, from 0 to below 1."),
]
POption = Annotated[float, typer.Option("--p", metavar="PROBABILITY", help="Drops per packet sent.")]
RttOption = Annotated[
    float, typer.Option("--rtt", metavar="SECONDS", help="Round trip used for rates per second.")
]
PlotOption = Annotated[
    Path | None,
    typer.Option("--plot", metavar="FILE", help="Also draw it as a function of loss (.svg, .pdf or .png)."),
]

RTT_S = 0.1
"""Round trip where none is given, s: that of the examples."""


LawOption = Annotated[
    Law, typer.Option("--law", help="Which law: aimd takes --a and --b, cubic --c and --beta.")
]
AimdAOption = Annotated[
    float | None, typer.Option("--a", metavar="PACKETS", help="For aimd: added per round trip.")
]
AimdBOption = Annotated[
    float | None,
    typer.Option(
        "--b", metavar="FRACTION", help="For aimd: fraction that a decrease removes, from 0 to below 1."
    ),
]
COption = Annotated[
    float | None,
    typer.Option("--c", metavar="STEEPNESS", help="For cubic: packets per second cubed [default: 0.4]."),
]
BetaOption = Annotated[
    float | None,
    typer.Option(
        "--beta", metavar="FRACTION", help="For cubic: fraction that a decrease keeps [default: 0.7]."
    ),
]


def command(
    p: POption,
    law: LawOption = Law.AIMD,
    a: AimdAOption = None,
    b: AimdBOption = None,
    c: COption = None,
    beta: BetaOption = None,
    rtt: RttOption = RTT_S,
    plot: PlotOption = None,
    as_json: JsonOption = False,
) -> None:
    """Compute the rate of a law where every (1/p)-th packet is dropped: S packets per round trip, T packets per second.

    The b of AIMD is Floyd's: the fraction removed, 1/2 for TCP. W is the window at which a packet is dropped. The approximation for AIMD
    leaves out one packet per window; it is infinite (null in JSON) for b = 0. The approximation for CUBIC is that of RFC 9438: the average
    window of the cubic function alone or of Reno alone, whichever is larger.

    Example: sawtooth model response --a 0.2 --b 0.125 --p 0.01
    """
    response = _law(law, a, b, c, beta)
    found = response.at(p, rtt)
    if plot is not None:
        draw(response, p, rtt, plot)
    if as_json:
        emit_document("model-response", {**asdict(found), "rtt_s": rtt})
        return
    made = table(
        f"{response.label} at p = {p:g}, round trip {rtt:g} s", "", "exact", "approximate", right=True
    )
    made.add_row("S (packets per round trip)", number(found.S_exact), number(found.S_approx))
    made.add_row("T (packets per second)", number(found.T_exact), number(found.T_approx))
    made.add_row("W (packets)", number(found.W), number(response.approximate_window(p)))
    console().print(made)


@dataclass(frozen=True)
class _Responding:
    """A law with its numbers: what it answers, and its two rates as functions of drop rate and round trip."""

    label: str
    at: Callable[[float, float], Response]
    exact: Callable[[Numbers, float], Numbers]
    approximate: Callable[[Numbers, float], Numbers]
    approximate_window: Callable[[float], float | None]


def _law(law: Law, a: float | None, b: float | None, c: float | None, beta: float | None) -> _Responding:
    """The law of these options; those of another law are refused."""
    strange = {"c": c, "beta": beta} if law is Law.AIMD else {"a": a, "b": b}
    for name, value in strange.items():
        if value is not None:
            other = Law.CUBIC if law is Law.AIMD else Law.AIMD
            raise InputError(
                "model response", name, value, f"no --{name} beside --law {law.value}; it is of {other.value}"
            )
    return _aimd(a, b) if law is Law.AIMD else _cubic(c, beta)


def _aimd(a: float | None, b: float | None) -> _Responding:
    from sawtooth.models import response

    if a is None:
        raise InputError("model response", "a", MISSING, "--a, packets added per round trip")
    if b is None:
        raise InputError("model response", "b", MISSING, "--b, the fraction that a decrease removes")
    return _Responding(
        f"AIMD({a:g}, {b:g})",
        at=lambda p, rtt: response.response(a, b, p, rtt),
        exact=lambda p, rtt: response.rate(a, b, p),
        approximate=lambda p, rtt: response.approximate_rate(a, b, p),
        approximate_window=lambda p: float(response.approximate_window(a, b, p)),
    )


def _cubic(c: float | None, beta: float | None) -> _Responding:
    from sawtooth.models import cubic

    numbers = (cubic.C if c is None else c, cubic.BETA if beta is None else beta)
    return _Responding(
        f"CUBIC({numbers[0]:g}, {numbers[1]:g})",
        at=lambda p, rtt: cubic.response(p, rtt, *numbers),
        exact=lambda p, rtt: cubic.rate(p, rtt, *numbers),
        approximate=lambda p, rtt: cubic.approximate_rate(p, rtt, *numbers),
        approximate_window=lambda p: None,  # the RFC has none
    )


def draw(law: _Responding, p: float, rtt: float, path: Path) -> None:
    """The response function of one law around the drop rate asked for."""
    import numpy as np

    from sawtooth.report.drawing import save
    from sawtooth.report.response_figures import response_curve

    drops = np.geomspace(min(1e-4, p / 10), min(0.9, max(0.5, 2 * p)), 200)
    point = (p, law.at(p, rtt).S_exact)
    save(response_curve(drops, law.exact(drops, rtt), law.approximate(drops, rtt), law.label, point), path)
