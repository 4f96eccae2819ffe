"""The plug-ins and the store that a command or a function was given, as printed commands repeat them.

Source: none.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from sawtooth.experiment.typed import Typed
from sawtooth.run import store as stores


def typed_options(plugins: Sequence[Path | str] | None, store: stores.Store | Path | str | None) -> Typed:
    """Files of plug-ins as they are named, and the store unless it is the one that every command uses."""
    kept = store.address if isinstance(store, stores.Store) else str(store or "")
    return Typed(tuple(map(str, plugins or ())), "" if kept == stores.DEFAULT_DIRECTORY else kept)
