"""`sawtooth model`: closed forms and the synchronous model. One file per subcommand; this one registers them."""

from __future__ import annotations

import typer

from sawtooth.cli.model import compatible, converge, drop_rate, fairness, response, smoothness
from sawtooth.cli.output import note

app = typer.Typer(add_completion=False, rich_markup_mode=None)
app.command("response", short_help="Rate of a law at a drop rate.")(response.command)
app.command("drop-rate", short_help="Drop rate at which AIMD(a, b) has a given rate.")(drop_rate.command)
app.command("compatible", short_help="Increase a that gives AIMD(a, b) the rate of TCP.")(compatible.command)
app.command("smoothness", short_help="How far a control falls on a loss, how fast it grows.")(
    smoothness.command
)
app.command("converge", short_help="Windows of flows that share one capacity, by rounds.")(converge.command)
app.command("fairness", short_help="Whether flows under a linear control become equal.")(fairness.command)


@app.callback(invoke_without_command=True)
def model(context: typer.Context) -> None:
    """Closed forms and the synchronous model of the four papers, without simulating a network.

    Example: sawtooth model fairness --a-i 1 --b-i 1 --a-d 0 --b-d 0.5
    """
    if context.invoked_subcommand is None:
        note(context.get_help())
        raise typer.Exit(2)
