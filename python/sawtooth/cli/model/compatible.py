"""`sawtooth model compatible`: the increase that makes AIMD(a, b) compatible with TCP, or the share of one that is not."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from sawtooth.cli.model.response import BOption, PlotOption
from sawtooth.cli.output import JsonOption, console, emit_document, number, table

AOption = Annotated[
    float | None,
    typer.Option("--a", metavar="PACKETS", help="Added per round trip [default: the compatible increase]."),
]
POption = Annotated[
    float | None,
    typer.Option("--p", metavar="PROBABILITY", help="Drops per packet, for the exact ratio of rates."),
]


def command(
    b: BOption,
    a: AOption = None,
    p: POption = None,
    plot: PlotOption = None,
    as_json: JsonOption = False,
) -> None:
    """Compute the increase a that gives AIMD(a, b) the rate of TCP at every drop rate, and the rate of another a relative to TCP's.

    b is Floyd's: the fraction removed, 1/2 for TCP.

    Example: sawtooth model compatible --b 0.125 --a 0.4 --p 0.04
    """
    found = document(b, a, p)
    if plot is not None:
        draw(found["a"], b, plot)
    if as_json:
        emit_document("model-compatible", found)
        return
    made = table("", "", "")
    made.title, made.show_header = None, False
    made.add_row(f"a compatible with TCP at b = {b:g}", number(found["compatible_a"]))
    made.add_row(
        f"rate of AIMD({found['a']:g}, {b:g}) over TCP's, p towards 0", number(found["throughput_ratio"])
    )
    if p is not None:
        made.add_row(f"the same at p = {p:g}", number(found["throughput_ratio_exact"]))
    made.add_row("drop rate over TCP's at the same large rate", number(found["drop_rate_ratio"]))
    console().print(made)


def document(b: float, a: float | None, p: float | None) -> dict[str, Any]:
    """The answer to --json; ``throughput_ratio_exact`` is null without p."""
    from sawtooth.models import compatibility

    compatible = float(compatibility.compatible_increase(b))
    increase = compatible if a is None else a
    return {
        "a": increase,
        "b": b,
        "compatible_a": compatible,
        "throughput_ratio": float(compatibility.throughput_ratio(increase, b)),
        "throughput_ratio_exact": None
        if p is None
        else float(compatibility.exact_throughput_ratio(increase, b, p)),
        "drop_rate_ratio": float(compatibility.drop_rate_ratio(increase, b)),
    }


def draw(a: float, b: float, path: Path) -> None:
    """The share of the law over loss, with its limit."""
    import numpy as np

    from sawtooth.models import compatibility
    from sawtooth.report.drawing import save
    from sawtooth.report.response_figures import fading_shares

    drops = np.geomspace(1e-4, 0.5, 200)
    exact = np.asarray(compatibility.exact_throughput_ratio(a, b, drops))
    shares = {f"AIMD({a:g}, {b:g})": (exact, float(compatibility.throughput_ratio(a, b)))}
    save(fading_shares(drops, shares), path)
