"""`--executor local|dask [--scheduler ADDRESS]`: who simulates the runs of a command that makes many."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated

import typer

from sawtooth.errors import InputError


class Kind(StrEnum):
    """Who simulates."""

    LOCAL = "local"
    DASK = "dask"


ExecutorOption = Annotated[
    Kind,
    typer.Option(
        "--executor",
        help="Who simulates: the cores of this machine, or the workers of Dask (sawtooth[cluster]).",
    ),
]
SchedulerOption = Annotated[
    str | None,
    typer.Option(
        "--scheduler",
        metavar="ADDRESS",
        help="With --executor dask: tcp://HOST:PORT, tls://HOST:PORT or a scheduler file "
        "[default: $DASK_SCHEDULER_ADDRESS, or worker processes of this machine].",
    ),
]
TrustOption = Annotated[
    bool,
    typer.Option(
        "--trust-network",
        help="With --executor dask: accept a scheduler on a public address without TLS. Whoever reaches it can run anything there.",
    ),
]


def work_by(context: typer.Context, executor: Kind, scheduler: str | None, trust_network: bool) -> None:
    """From here to the end of the command `executor` simulates."""
    if executor is Kind.LOCAL:
        for option, value in (("--scheduler", scheduler), ("--trust-network", trust_network)):
            if value:
                raise InputError("sawtooth", option, value, f"{option} only beside --executor dask")
        return
    from sawtooth.progress import tell_workers
    from sawtooth.run.cluster.cluster import cluster  # brings Dask

    context.with_resource(cluster(scheduler, trust_network=trust_network, workers=tell_workers))


__all__ = ["ExecutorOption", "Kind", "SchedulerOption", "TrustOption", "work_by"]
