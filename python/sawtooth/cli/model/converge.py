"""`sawtooth model converge`: controllers in the synchronous model, whether their windows meet, and the vector diagram."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from sawtooth.cli.output import JsonOption, PluginOption, console, emit_document, note, number, table
from sawtooth.errors import InputError
from sawtooth.models import CYCLES

if TYPE_CHECKING:
    from sawtooth.models.synchronous import Convergence


DRAWN: int = 20
"""Most cycles in a picture: later ones lie on each other."""

ControllerArgument = Annotated[
    str, typer.Argument(metavar="CONTROLLER", help="Such as 'aimd(1, 0.5)': see `sawtooth list controllers`.")
]
WindowsOption = Annotated[
    str, typer.Option("--windows", metavar="W1,W2,…", help="Initial windows in packets, one per flow.")
]
CapacityOption = Annotated[
    float, typer.Option("--capacity", metavar="PACKETS", help="Capacity W in packets per round trip.")
]
CyclesOption = Annotated[int, typer.Option("--cycles", metavar="N", help="Cycles to run.")]
PlotOption = Annotated[
    Path | None,
    typer.Option("--plot", metavar="F.svg", help="Draw windows and vector diagram (SVG, PDF or PNG)."),
]


def command(
    controller: ControllerArgument,
    windows: WindowsOption,
    capacity: CapacityOption,
    cycles: CyclesOption = CYCLES,
    plot: PlotOption = None,
    plugin: PluginOption = None,
    as_json: JsonOption = False,
) -> None:
    """Run a controller in the synchronous model: all flows share one capacity and learn of congestion in the same round trip.

    Prints after how many cycles (decreases) and steps (round trips) the windows are within one packet of each other, and the mean load
    over the last cycle as a fraction of the capacity. There is no slow start.

    Example: sawtooth model converge 'aimd(1, 0.5)' --windows 3,40 --capacity 100 --plot vector.svg
    """
    from sawtooth.models.synchronous import converge

    found = converge(controller, parse_windows(windows), capacity, cycles)
    if plot is not None:
        _draw(controller, found, plot)
    if as_json:
        emit_document("model-converge", document(found))
    else:
        made = table("", "", "")
        made.title, made.show_header = None, False
        made.add_row("converges", "yes" if found.converges else f"not within {cycles} cycles")
        made.add_row("cycles", number(found.cycles))
        made.add_row("steps", number(found.steps))
        made.add_row("efficiency of the last cycle", number(found.efficiency))
        made.add_row(
            "windows at the end (packets)", ", ".join(number(w) for w in found.rounds.windows[-1].tolist())
        )
        console().print(made)
    if plot is not None:
        note(f"drew {plot}")


def parse_windows(text: str) -> list[float]:
    """``3,40`` as numbers."""
    try:
        return [float(part) for part in text.split(",")]
    except ValueError:
        raise InputError("--windows", None, text, "numbers of packets between commas, such as 3,40") from None


def document(found: Convergence) -> dict[str, Any]:
    """The answer to --json. ``windows`` has the start and the windows after every round."""
    return {
        "converges": found.converges,
        "cycles": found.cycles,
        "steps": found.steps,
        "efficiency": found.efficiency,
        "windows": found.rounds.windows.tolist(),
        "capacity": found.rounds.capacity,
        "smoothness": found.rounds.smoothness(),
    }


def _draw(title: str, found: Convergence, plot: Path) -> None:
    # Imported here: matplotlib takes long, and most calls draw nothing.
    from sawtooth.report.drawing import save
    from sawtooth.report.phase import convergence

    made = found.rounds
    cycle = min(found.cycles + 2, DRAWN, made.decreases.size) - 1
    end = int(made.decreases[cycle]) + 1
    save(convergence(title, made.windows[: end + 1], made.congested[:end], made.capacity), plot)
