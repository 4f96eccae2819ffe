"""`sawtooth model drop-rate`: the drop rate at which AIMD(a, b) sends at a given rate, the inverse of the response function."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from sawtooth.cli.model.response import AOption, BOption
from sawtooth.cli.output import JsonOption, console, emit_document, number, table

RateOption = Annotated[float, typer.Option("--rate", metavar="PACKETS", help="Packets per round trip.")]


def command(a: AOption, b: BOption, rate: RateOption, as_json: JsonOption = False) -> None:
    """Compute the drop rate at which AIMD(a, b) has a given rate, exactly and approximately, and its ratio to that of TCP.

    b is Floyd's: the fraction removed, 1/2 for TCP.

    Example: sawtooth model drop-rate --a 1 --b 0.125 --rate 20
    """
    found = document(a, b, rate)
    if as_json:
        emit_document("model-drop-rate", found)
        return
    made = table(
        f"AIMD({a:g}, {b:g}) at {rate:g} packets per round trip", "", "exact", "approximate", right=True
    )
    made.add_row("drops per packet", number(found["p_exact"]), number(found["p_approx"]))
    made.add_row("times that of TCP", number(found["ratio_exact"]), number(found["ratio_approx"]))
    console().print(made)


def document(a: float, b: float, rate: float) -> dict[str, Any]:
    """The answer to --json. The approximate ones are infinite, hence null, for b = 0."""
    from sawtooth.models import compatibility, response

    return {
        "p_approx": float(response.approximate_drop_rate(a, b, rate)),
        "p_exact": float(response.drop_rate(a, b, rate)),
        "ratio_approx": float(compatibility.drop_rate_ratio(a, b)),
        "ratio_exact": float(compatibility.exact_drop_rate_ratio(a, b, rate)),
    }
