"""The options of commands that make many runs: where these are kept, which shard of them is made, and who simulates.

`--shard i/n` makes a shard of the runs, for one of several machines, and judges nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, Annotated

import typer

from sawtooth.cli.output import StoreOption, emit_document, emit_text, note
from sawtooth.errors import InputError

if TYPE_CHECKING:
    from sawtooth.scenario.resolve import Resolved


class ExecutorName(StrEnum):
    """Who simulates."""

    LOCAL = "local"
    DASK = "dask"


@dataclass(frozen=True)
class Runs:
    """Where runs are kept, and which of them are made."""

    store: StoreOption = None
    fresh: Annotated[bool, typer.Option("--fresh", help="Repeat runs that are in the store.")] = False
    shard: Annotated[
        str | None,
        typer.Option(
            "--shard",
            metavar="I/N",
            help="Make only the I-th of N shards of the runs, without verdicts; `sawtooth store merge` joins the stores of the shards.",
        ),
    ] = None

    def make_shard(
        self, plans: Callable[[], Sequence[Sequence[Resolved]]], as_json: bool, title: str
    ) -> None:
        """Make the shard of the runs of `plans` that --shard asks for, and print how much of it is done."""
        from sawtooth.progress import progress_bar
        from sawtooth.run.shard import Shard, run_shard
        from sawtooth.run.store import Store

        assert self.shard is not None, "a shard was asked for"
        shard = Shard.parse(self.shard)
        kept = Store(self.store)
        with progress_bar(f"{title} {shard}") as progress:
            found = run_shard(plans(), shard, kept, fresh=self.fresh, progress=progress)
        if as_json:
            document = {
                "shard": str(shard),
                "store": kept.address,
                "runs_total": found.total,
                "runs_mine": found.mine,
                "runs_done": found.done,
                "executed": found.executed,
            }
            emit_document("shard", document)
            return
        emit_text(
            f"shard {shard}: {found.done:,} of its {found.mine:,} runs are in {kept.address}; {found.total:,} runs in all shards"
        )
        note(f"{found.executed:,} of {found.mine:,} runs simulated")


@dataclass(frozen=True)
class Workers:
    """Who simulates."""

    executor: Annotated[
        ExecutorName,
        typer.Option(
            "--executor",
            help="Who simulates: the cores of this machine, or the workers of Dask (sawtooth[cluster]).",
        ),
    ] = ExecutorName.LOCAL
    scheduler: Annotated[
        str | None,
        typer.Option(
            "--scheduler",
            metavar="ADDRESS",
            help="With --executor dask: tcp://HOST:PORT, tls://HOST:PORT or a scheduler file "
            "[default: $DASK_SCHEDULER_ADDRESS, or worker processes of this machine].",
        ),
    ] = None
    trust_network: Annotated[
        bool,
        typer.Option(
            "--trust-network",
            help="With --executor dask: accept a scheduler on a public address without TLS. Whoever reaches it can run anything there.",
        ),
    ] = False

    def begin(self, context: typer.Context) -> None:
        """From here to the end of the command they simulate."""
        if self.executor is ExecutorName.LOCAL:
            for option, value in (("--scheduler", self.scheduler), ("--trust-network", self.trust_network)):
                if value not in (None, False):
                    raise InputError("sawtooth", option, value, f"{option} only beside --executor dask")
            return
        from sawtooth.progress import tell_workers
        from sawtooth.run.cluster.cluster import cluster  # brings Dask

        context.with_resource(cluster(self.scheduler, trust_network=self.trust_network, workers=tell_workers))
