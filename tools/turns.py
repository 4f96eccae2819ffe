"""`python -m tools.turns FILE.json`: which claims were tried at other values of open parameters and which turn, as ``turns.toml`` of a
paper keeps it.

Source: the document of ``sawtooth reproduce PAPER --sensitivity --json``. What it prints stands beside the paper's ``claims.toml``, and the
class of a claim rests on it (``claims.standing``). A claim of which the runs cover only a part counts as not tried.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from sawtooth.errors import InputError
from sawtooth.plain import written
from sawtooth.report.computed import numbers_text


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
        f"# Verdicts when one open parameter takes another plausible value: {document['command']}",
        *_varied(document),
    ]
    for entry in document["variations"]:
        for verdict in entry["verdicts"]:
            if verdict["turned"] and verdict["id"] in document["complete_claims"]:
                fields = {
                    "claim": verdict["id"],
                    "parameter": entry["key"],
                    "value": written(entry["value"]),
                    "verdict": verdict["varied"],
                }
                lines += ["", "[[turn]]", *(f"{key} = {json.dumps(text)}" for key, text in fields.items())]
    return "\n".join(lines) + "\n"


def _varied(document: Mapping[str, Any]) -> list[str]:
    """The table of what was tried: claims by the verdict that they have at every value, *open* where they are undecided or were not tried
    at one of them, *turning* where one turns them; by which rule, and with which behaviour numbers."""
    base, complete = document["base_verdicts"], document["complete_claims"]
    turning = set(document["unstable_claims"])
    robust = set() if document["left_out"] else set(document["robust_claims"])
    steady = [name for name in complete if name not in turning]
    groups = {
        "holds": [name for name in steady if name in robust and base[name] == "holds"],
        "fails": [name for name in steady if name in robust and base[name] == "fails"],
        "open": [name for name in steady if name not in robust],
        "turning": [name for name in complete if name in turning],
    }
    return [
        "",
        "[[varied]]",
        f"study = {json.dumps(document['study'])}",
        f"values = {len(document['variations'])}",
        f"seeds = {document['seeds']}",
        *_made_by(document),
        *(f"{verdict} = {json.dumps(names, indent=4)}" for verdict, names in groups.items()),
    ]


def _made_by(document: Mapping[str, Any]) -> list[str]:
    """The rule and the behaviour numbers under which its verdicts were taken; nothing for a document that does not say."""
    if "behaviour" not in document:
        return []
    return [
        f"rule = {document['rule']}",
        f"behaviour = {json.dumps(numbers_text(document['behaviour']))}",
    ]


def main() -> None:
    """Prints the file."""
    sys.stdout.write(turns(json.loads(Path(sys.argv[1]).read_text(encoding="utf-8"))))


if __name__ == "__main__":
    main()
