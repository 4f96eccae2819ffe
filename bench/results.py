"""Where committed measurements lie: one JSON file for each command, with the machine that made it."""

from __future__ import annotations

import argparse
import json
import sys
from typing import Any

from bench.subjects.frame import ROOT

FOLDER = ROOT / "bench" / "results"
NAMES = ("compare", "grow", "sweep", "cluster", "disciplines", "calls", "memory")


def add_options(parser: argparse.ArgumentParser, name: str) -> None:
    """The options of every command that measures: where its results go."""
    parser.add_argument("--json", action="store_true", help="one JSON document on standard output")
    parser.add_argument(
        "--save", action="store_true", help=f"write bench/results/{name}.json, which the report reads"
    )


def save(name: str, whole: dict[str, Any]) -> None:
    """Write one command's results."""
    FOLDER.mkdir(parents=True, exist_ok=True)
    file = FOLDER / f"{name}.json"
    file.write_text(json.dumps(whole, indent=1) + "\n", encoding="utf-8")
    print(f"written to {file.relative_to(ROOT)}", file=sys.stderr)


def load(name: str) -> dict[str, Any] | None:
    """What a command wrote, or None."""
    file = FOLDER / f"{name}.json"
    if not file.is_file():
        return None
    whole: dict[str, Any] = json.loads(file.read_text(encoding="utf-8"))
    return whole
