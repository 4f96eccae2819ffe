"""`sawtooth store verify`, `merge` and `gc`: the files of stores, whatever runs are in them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from sawtooth.cli.output import JsonOption, StoreOption, emit_document, emit_text, note, number
from sawtooth.errors import InputError

if TYPE_CHECKING:
    from sawtooth.run.store import Store

DirectoryArgument = Annotated[
    str | None,
    typer.Argument(
        metavar="DIR",
        help="The store [default: --store, $SAWTOOTH_STORE or .sawtooth].",
        show_default=False,
    ),
]
OutArgument = Annotated[
    str,
    typer.Argument(
        metavar="OUT",
        help="The store that receives the runs; created if it does not exist.",
        show_default=False,
    ),
]
SourcesArgument = Annotated[
    list[str], typer.Argument(metavar="STORE", help="The stores to read from.", show_default=False)
]


def existing(path: str | None) -> Store:
    """The store that a user named, or the usual one, which need not be there. InputError where there is none of that name."""
    from sawtooth.run.store import Store

    kept = Store(path)
    if path is not None and not kept.exists():
        raise InputError("store", None, path, "a store that exists")
    return kept


def verify(
    directory: DirectoryArgument = None, store: StoreOption = None, as_json: JsonOption = False
) -> None:
    """Read every byte of a store and report damaged runs. Exits with 0 if there are none, else with 1.

    Example: sawtooth store verify --json
    """
    from sawtooth.plurals import number_of
    from sawtooth.run.storage.verify import verify as verified

    if directory is not None and store is not None:
        raise InputError("sawtooth store verify", None, f"{directory} --store {store}", "one store")
    kept = existing(store if directory is None else directory)
    found = verified(kept.held)
    bad = [{"run_id": entry.run_id, "file": entry.file} for entry in found.bad]
    if as_json:
        emit_document("verified-store", {"store": kept.address, "checked": found.checked, "bad": bad})
    else:
        for entry in found.bad:
            emit_text(f"{entry.run_id or 'unknown run'}  {entry.file}")
        emit_text(f"{number_of(found.checked, 'run')} looked at in {kept.address}, {len(bad):,} bad")
        if bad:
            note("they are made again when they are asked for; `sawtooth store gc` removes what is damaged")
    raise typer.Exit(1 if bad else 0)


def merge(out: OutArgument, sources: SourcesArgument, as_json: JsonOption = False) -> None:
    """Add the runs of some stores to another one. Adds none, and exits with 1, if two stores have different results for the same run.

    Damaged stores, and stores in the format of another version, are refused (exit code 2).

    Example: sawtooth store merge all shard-1 shard-2 shard-3
    """
    from sawtooth.plurals import number_of
    from sawtooth.run.merge import merge as merged
    from sawtooth.run.store import Store

    kept = Store(out)
    found = merged(kept, [Store(source) for source in sources])
    if as_json:
        document = {
            "store": kept.address,
            "added": found.added,
            "present": found.present,
            "conflicts": len(found.conflicts),
            "conflicting": list(found.conflicts),
        }
        emit_document("merged-store", document)
    else:
        emit_text(f"{number_of(found.added, 'run')} added to {kept.address}, {found.present:,} were there")
        for run_id in found.conflicts:
            emit_text(f"{run_id}  came out otherwise in two of the stores")
        if found.conflicts:
            note(
                f"nothing was merged: {number_of(len(found.conflicts), 'conflict')}; `sawtooth replay` says which run is right"
            )
    raise typer.Exit(1 if found.conflicts else 0)


def gc(store: StoreOption = None, as_json: JsonOption = False) -> None:
    """Pack the runs of a store into as few files as possible; remove damaged files and leftovers of killed processes.

    Safe while other commands use the store.

    Example: sawtooth store gc
    """
    from sawtooth.plurals import number_of

    kept = existing(store)
    found = kept.collect()
    if as_json:
        emit_document("collected-store", {"store": kept.address, **vars(found)})
        return
    sizes = f"{number(found.size_bytes_before / 1e6)} MB before, {number(found.size_bytes / 1e6)} MB now"
    emit_text(
        f"{number_of(found.runs, 'run')} in {kept.address}: {number_of(found.files_before, 'file')} before, {found.files:,} now; {sizes}"
    )
    if found.lost:
        emit_text(f"{number_of(found.lost, 'damaged run')} removed")
