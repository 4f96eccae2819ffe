"""`--shard i/n`: the commands that make many runs make a part of them, for one of several machines, and judge nothing."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Annotated

import typer

from sawtooth.cli.output import emit_document, emit_text, note

if TYPE_CHECKING:
    from sawtooth.scenario.resolve import Resolved

ShardOption = Annotated[
    str | None,
    typer.Option(
        "--shard",
        metavar="I/N",
        help="Make the I-th of N parts of the runs and judge nothing; `sawtooth store merge` joins the stores of the parts.",
    ),
]


def run(
    shard: str,
    plans: Callable[[], Sequence[Sequence[Resolved]]],
    store: str | None,
    fresh: bool,
    as_json: bool,
    title: str,
) -> None:
    """Make a part of the runs that `plans` says and print how much of it is done."""
    from sawtooth.progress import progress_bar
    from sawtooth.run.shard import Shard, run_shard
    from sawtooth.run.store import Store

    part = Shard.parse(shard)
    kept = Store(store)
    with progress_bar(f"{title} {part}") as progress:
        found = run_shard(plans(), part, kept, fresh=fresh, progress=progress)
    if as_json:
        document = {
            "shard": str(part),
            "store": kept.address,
            "runs_total": found.total,
            "runs_mine": found.mine,
            "runs_done": found.done,
            "executed": found.executed,
        }
        emit_document("shard", document)
        return
    emit_text(
        f"part {part}: {found.done:,} of its {found.mine:,} runs are in {kept.address}; {found.total:,} runs in all parts"
    )
    note(f"{found.executed:,} of {found.mine:,} runs simulated")
