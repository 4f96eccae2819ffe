"""`sawtooth compare`: score controllers against each other over settings, environments and seeds."""

from __future__ import annotations

from typing import Annotated

import typer

from sawtooth.cli.output import JsonOption, StoreOption, console, emit_json

ControllersArgument = Annotated[
    list[str],
    typer.Argument(
        metavar="CONTROLLER...", help="Controllers such as 'aimd(1, 0.8)', 'aiad(1, 3)' or maimd."
    ),
]
RecoveryOption = Annotated[
    list[str] | None,
    typer.Option("--recovery", metavar="R", help="Loss recovery; may be repeated [default: sack]."),
]
RouterOption = Annotated[
    list[str] | None,
    typer.Option(
        "--router",
        metavar="Q",
        help="Router: drop-tail, red, ecn (red that marks), rio; may be repeated [default: drop-tail].",
    ),
]
EnvironmentOption = Annotated[
    list[str] | None,
    typer.Option(
        "--environment",
        metavar="E",
        help="Environment, or a set of them: all, akella2002 (the 13 of that paper); may be repeated [default: akella2002].",
    ),
]
SeedsOption = Annotated[
    int | None, typer.Option("--seeds", metavar="N", help="Number of seeds [default: 5].")
]
FreshOption = Annotated[bool, typer.Option("--fresh", help="Repeat runs that are in the store.")]
DurationOption = Annotated[
    str | None,
    typer.Option("--duration", metavar="TIME", help="Simulated time, such as '60 s' [default: 220 s]."),
]
WarmupOption = Annotated[
    str | None, typer.Option("--warmup", metavar="TIME", help="Time before measuring begins [default: 20 s].")
]


def command(
    controllers: ControllersArgument,
    recovery: RecoveryOption = None,
    router: RouterOption = None,
    environment: EnvironmentOption = None,
    seeds: SeedsOption = None,
    duration: DurationOption = None,
    warmup: WarmupOption = None,
    store: StoreOption = None,
    fresh: FreshOption = False,
    as_json: JsonOption = False,
) -> None:
    """Compare controllers: distance from the best (D summed, C at worst) in goodput, fairness, delay and loss.

    All controllers meet the same environments and seeds. Runs that are in the store are not repeated.

    Example: sawtooth compare 'aimd(1, 0.8)' 'aimd(1, 0.5)' --recovery reno --recovery sack --environment sq-high --seeds 3
    """
    from sawtooth.cli.scores import print_scores
    from sawtooth.experiment.compare import compare
    from sawtooth.progress import progress_bar
    from sawtooth.scenario.environments.sets import USUAL

    with progress_bar("compare") as progress:
        found = compare(
            controllers,
            recovery or ["sack"],
            router or ["droptail"],
            environment or USUAL,
            seeds,
            store=store,
            fresh=fresh,
            duration=duration,
            warmup=warmup,
            progress=progress,
        )
    if as_json:
        emit_json(found.to_json())
        return
    print_scores(console(), found)
