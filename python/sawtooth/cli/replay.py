"""`sawtooth replay`: make a stored run again and compare, bit for bit."""

from __future__ import annotations

from typing import Annotated

import typer

from sawtooth.cli.output import JsonOption, PluginOption, StoreOption, emit_document, emit_text

RunIdArgument = Annotated[
    str, typer.Argument(metavar="RUNID", help="Id of a stored run, or its first digits.", show_default=False)
]


def command(
    run_id: RunIdArgument, store: StoreOption = None, plugin: PluginOption = None, as_json: JsonOption = False
) -> None:
    """Simulate a stored run again and compare digests. Exits with 0 if they agree, 1 if not, 2 if there is no such run.

    Example: sawtooth replay 3f9a12
    """
    from sawtooth.run.store import Store

    kept = Store(store)
    run_id = kept.one(run_id)  # before what simulates is loaded

    from sawtooth.run.api import replay
    from sawtooth.scenario.controller_words import meanings

    again = replay(run_id, kept)
    if as_json:
        emit_document(
            "replay",
            {
                "run_id": again.run_id,
                "same": again.same,
                "stored_digest": again.stored_digest,
                "digest": again.run.digest,
                "behaviour_changed": again.behaviour_changed,
                "engine_changed": again.engine_changed,
                "stored_engine": again.stored_engine,
                "engine": again.run.provenance["engine"],
            },
        )
    else:
        verdict = "same digest" if again.same else f"DIFFERS: stored {again.stored_digest}, now"
        emit_text(f"run {again.run_id}: {verdict} {again.run.digest}")
        for written, words in meanings(again.run.flows.column("controller").to_pylist()).items():
            emit_text(f"{written}: {words}")
        if again.engine_changed:
            emit_text(f"engine changed: stored {again.stored_engine}, now {again.run.provenance['engine']}")
        for name, (then, now) in again.behaviour_changed.items():
            emit_text(f"behaviour of {name} changed: stored {then}, now {now}")
    if not again.same:
        raise typer.Exit(1)
