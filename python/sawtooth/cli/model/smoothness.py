"""`sawtooth model smoothness`: smoothness, responsiveness and aggressiveness of a control."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any, Final

import typer

from sawtooth.cli.output import JsonOption, console, emit_document, number, table
from sawtooth.errors import InputError

KOption = Annotated[
    float, typer.Option("--k", metavar="POWER", help="Increase a / W^k per round; 0 for AIMD.")
]
LOption = Annotated[float, typer.Option("--l", metavar="POWER", help="Decrease b W^l on a loss; 1 for AIMD.")]
AOption = Annotated[
    float, typer.Option("--a", metavar="NUMBER", help="Increase; packets per round at k = 0.")
]
BOption = Annotated[
    float, typer.Option("--b", metavar="NUMBER", help="Decrease; the fraction removed at l = 1.")
]
WindowOption = Annotated[
    float,
    typer.Option(
        "--window", metavar="PACKETS", help="Window at which this is computed; AIMD does not depend on it."
    ),
]
PlotOption = Annotated[
    Path | None,
    typer.Option(
        "--plot", metavar="FILE", help="Also mark it in Figure 7 of the 2000 paper (.svg, .pdf or .png)."
    ),
]
WINDOW_PACKETS = 100.0
OPTIONS: Final = {"alpha": "a", "beta": "b"}
"""The option of what the model has in the letters of the paper."""


def command(
    a: AOption,
    b: BOption,
    k: KOption = 0.0,
    l: LOption = 1.0,  # noqa: E741 - the paper's letter
    window: WindowOption = WINDOW_PACKETS,
    plot: PlotOption = None,
    as_json: JsonOption = False,
) -> None:
    """Compute how far a control falls on a loss, how many round trips of congestion halve it, and how fast it grows.

    For AIMD(a, b) in Floyd's letters, or for the binomial control with powers k and l: SQRT has 1/2 and 1/2, IIAD 1 and 0.

    Example: sawtooth model smoothness --a 1 --b 0.6 --k 0.5 --l 0.5 --window 40
    """
    found = document(a, b, k, l, window)
    if plot is not None:
        draw(found, plot)
    if as_json:
        emit_document("model-smoothness", found)
        return
    made = table(f"at a window of {window:g} packets", "", "", right=True)
    made.show_header = False
    made.add_row("smoothness (fraction kept)", number(found["smoothness"]))
    made.add_row("responsiveness (round trips to halve)", number(found["responsiveness"]))
    made.add_row("aggressiveness (packets per round trip)", number(found["aggressiveness"]))
    console().print(made)


def document(a: float, b: float, k: float, l: float, window: float) -> dict[str, Any]:  # noqa: E741
    """The answer to --json. InputError names the option that is at fault."""
    from sawtooth.models import smoothness

    try:
        return {
            "smoothness": float(smoothness.binomial_smoothness(window, l, b)),
            "responsiveness": smoothness.binomial_responsiveness(window, l, b),
            "aggressiveness": float(smoothness.binomial_aggressiveness(window, k, a)),
        }
    except InputError as error:
        if error.key == "window" and window > 0:  # it is the decrease that leaves nothing
            accepted = f"a decrease that leaves something of a window of {window:g} packets: b W^l < W"
            raise InputError(error.where, "b", b, accepted) from None
        name = OPTIONS.get(error.key or "", error.key)
        raise InputError(error.where, name, error.value, error.accepted, error.hint) from None


def draw(found: Mapping[str, float], path: Path) -> None:
    """The control among others."""
    from sawtooth.models import tradeoffs as laws
    from sawtooth.report.drawing import save
    from sawtooth.report.response_figures import tradeoffs

    curves, aggressive, marked, tfrc = laws.tradeoffs()
    here = ("this control", found["responsiveness"], found["smoothness"], found["aggressiveness"])
    save(tradeoffs(curves, aggressive, marked, tfrc, here), path)
