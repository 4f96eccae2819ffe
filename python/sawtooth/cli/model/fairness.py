"""`sawtooth model fairness`: the cycle map of four numbers, its steady window, and whether flows become equal."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from sawtooth.cli.output import JsonOption, console, emit_document, note, number, table

AIOption = Annotated[float, typer.Option("--a-i", metavar="PACKETS", help="Added per round on success.")]
BIOption = Annotated[float, typer.Option("--b-i", metavar="FACTOR", help="Factor per round on success.")]
ADOption = Annotated[
    float, typer.Option("--a-d", metavar="PACKETS", help="Added on congestion; negative for a decrease.")
]
BDOption = Annotated[float, typer.Option("--b-d", metavar="FACTOR", help="Factor on congestion.")]
KIOption = Annotated[int, typer.Option("--k-i", metavar="N", help="Increases of the cycle.")]
KDOption = Annotated[int, typer.Option("--k-d", metavar="N", help="Decreases of the cycle, after them.")]


PlotOption = Annotated[
    Path | None,
    typer.Option("--plot", metavar="F.svg", help="Draw the map around these four numbers (SVG, PDF or PNG)."),
]


def command(
    a_i: AIOption,
    b_i: BIOption,
    a_d: ADOption,
    b_d: BDOption,
    k_i: KIOption = 1,
    k_d: KDOption = 1,
    plot: PlotOption = None,
    as_json: JsonOption = False,
) -> None:
    """Decide whether flows under a linear control end with equal windows, and compute the window to which a cycle returns.

    A cycle of k_I increases and k_D decreases maps a window w to alpha + beta w. The verdict is about the cycles that the four numbers
    produce by themselves: converges if a_I (1 - b_D) + a_D (b_I - 1) > 0, neutral if it is 0, else diverges; or there is no cycle.

    Example: sawtooth model fairness --a-i 1 --b-i 1 --a-d -1 --b-d 0.9 --k-i 2
    """
    found = document(a_i, b_i, a_d, b_d, k_i, k_d)
    if plot is not None:
        _draw(a_i, b_i, a_d, b_d, plot)
    if as_json:
        emit_document("model-fairness", found)
        return
    made = table("", "", "")
    made.title, made.show_header = None, False
    made.add_row("cycle", f"{k_i} increases, {k_d} decreases")
    made.add_row("alpha (packets)", number(found["alpha"]))
    made.add_row("beta", number(found["beta"]))
    made.add_row("steady window (packets)", number(found["steady_window"]))
    made.add_row("conditions of Chiu and Jain", "met" if found["chiu_jain"] else "not met")
    made.add_row("a_I (1 - b_D) + a_D (b_I - 1)", number(found["criterion"]))
    made.add_row("flows with different windows", found["verdict"])
    console().print(made)


def document(a_i: float, b_i: float, a_d: float, b_d: float, k_i: int, k_d: int) -> dict[str, Any]:
    """The answer to --json. ``steady_window`` is null where no positive window or every window returns."""
    from sawtooth.models import fairness

    found = fairness.cycle(a_i, b_i, a_d, b_d, k_i, k_d)
    return {
        "alpha": float(found.alpha),
        "beta": float(found.beta),
        "steady_window": float(found.steady_window),
        "verdict": str(fairness.verdict(a_i, b_i, a_d, b_d)),
        "chiu_jain": bool(fairness.chiu_jain(a_i, b_i, a_d, b_d)),
        "criterion": float(fairness.criterion(a_i, b_i, a_d, b_d)),
        "k_i": k_i,
        "k_d": k_d,
    }


def _draw(a_i: float, b_i: float, a_d: float, b_d: float, plot: Path) -> None:
    # Imported here: matplotlib takes long, and most calls draw nothing.
    from sawtooth.models import fairness
    from sawtooth.report.drawing import save
    from sawtooth.report.fairness_map import one_slice

    save(one_slice(fairness.criterion, a_i, a_d, [(f"({b_i:g}, {b_d:g})", b_i, b_d)]), plot)
    note(f"drew {plot}")
