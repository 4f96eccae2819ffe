"""`python -m tools.turns FILE.json`: which claims turn with which open parameter, as ``turns.toml`` of a paper keeps it.

Source: the document of ``sawtooth reproduce PAPER --sensitivity --json``. What it prints stands beside the paper's ``claims.toml``, and the
class of a claim rests on it (``claims.standing``).
"""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from sawtooth.errors import InputError


def turns(document: Mapping[str, Any]) -> str:
    """The tables of ``turns.toml``. InputError if the document is of another kind."""
    if not str(document.get("format", "")).startswith("sawtooth/sensitivity/"):
        raise InputError(
            "turns",
            "format",
            document.get("format"),
            "the document of `sawtooth reproduce PAPER --sensitivity --json`",
        )
    lines = [
        f"# Claims whose verdict turns when one open parameter takes another plausible value: {document['command']}"
    ]
    for entry in document["variations"]:
        for verdict in entry["verdicts"]:
            if verdict["turned"]:
                fields = {"claim": verdict["id"], "parameter": entry["key"], "value": str(entry["value"])}
                lines += ["", "[[turn]]", *(f"{key} = {json.dumps(text)}" for key, text in fields.items())]
    return "\n".join(lines) + "\n"


def main() -> None:
    """Prints the file."""
    sys.stdout.write(turns(json.loads(Path(sys.argv[1]).read_text(encoding="utf-8"))))


if __name__ == "__main__":
    main()
