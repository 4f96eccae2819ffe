"""`python -m bench report`: the numbers on docs/performance.md, docs/plugins.md and docs/history/performance.md, and their figures.

They come from bench/results and from the gate's baseline; nothing is measured. A block lies between `<!-- results: NAME -->` and
`<!-- end -->` and is filled on whichever page it stands. The rest of a page is left alone, and so are blocks whose results are missing.
`--check` writes nothing and exits with 1 if anything would change.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from bench import calls, disciplines, figures, memory, page
from bench.gate import BASELINE, Counts
from bench.results import NAMES, load
from bench.subjects.frame import ROOT
from sawtooth.atomic import write_text_atomic
from sawtooth.report.computed import PLACE, stamp
from sawtooth.report.figures import standalone
from sawtooth.report.markdown import with_content

PAGES = tuple(ROOT / "docs" / name for name in ("performance.md", "plugins.md", "history/performance.md"))
STAMPED = ROOT / "docs" / "plugins.md"
"""The page of these on which blocks of others stand too: docs/computed.toml says what they rest on."""
FIGURES = ROOT / "docs" / "figures"

# block -> (whose results, what it makes of them)
BLOCKS: Mapping[str, tuple[str, Callable[[Mapping[str, Any]], str]]] = {
    "comparison machine": ("compare", page.machine),
    "headline": ("compare", page.headline),
    "speed": ("compare", page.speed),
    "simulators": ("compare", page.simulators),
    "ns-2 ratio": ("compare", page.ns2_ratio),
    "floor ratio": ("compare", page.floor_ratio),
    "comparison": ("compare", page.comparisons),
    "ratios": ("compare", page.ratios),
    "growth machine": ("grow", page.growth_machine),
    "growth": ("grow", page.growth),
    "lead-in": ("grow", page.lead_in),
    "flows": ("grow", page.flows),
    "cross": ("grow", page.cross),
    "other curves": ("grow", page.others),
    "memory machine": ("memory", page.machine),
    "memory": ("memory", memory.table),
    "memory held": ("memory", memory.sentence),
    "disciplines machine": ("disciplines", page.machine),
    "disciplines": ("disciplines", disciplines.table),
    "calls machine": ("calls", page.machine),
    "calls": ("calls", calls.table),
    "calls over": ("calls", calls.sentence),
    "sweep machine": ("sweep", page.machine),
    "sweep": ("sweep", page.sweep),
    "outside": ("sweep", page.outside),
    "threads": ("sweep", page.threads),
    "cluster machine": ("cluster", page.machine),
    "cluster": ("cluster", page.cluster),
    "cluster costs": ("cluster", page.cluster_costs),
    "cluster reach": ("cluster", page.cluster_reach),
}
COUNTED = {"instructions": page.instructions, "senders": page.senders}
"""Blocks from the baseline of the gate."""
ELSEWHERE = ("guide times",)
"""Blocks that others fill: `python -m tools.plugins_guide`."""
DRAWN = {"flows": figures.flows, "work": figures.work, "entries": figures.entries}


def filled(text: str, results: Mapping[str, Mapping[str, Any]], baseline: Counts) -> str:
    """The page with every block replaced whose results are there. KeyError names a block that nobody fills."""

    def block(name: str, old: str) -> str:
        if name in COUNTED:
            return COUNTED[name](baseline)
        if name in ELSEWHERE:
            return old
        source, make = BLOCKS[name]
        return make(results[source]) if source in results else old

    def replaced(match: Any) -> str:
        return with_content(match, block(match["name"], match["content"].removesuffix(match["line"])))

    return PLACE.sub(replaced, text)


def outputs() -> dict[Path, str]:
    """Every page and figure with what it should hold."""
    return {**{path: page_text(path) for path in PAGES}, **figure_texts()}


def page_text(path: Path) -> str:
    """What a page should hold."""
    results = {name: found for name in NAMES if (found := load(name))}
    baseline = Counts.parse(BASELINE.read_text(encoding="utf-8"))
    return filled(path.read_text(encoding="utf-8"), results, baseline)


def figure_texts() -> dict[Path, str]:
    """What the figures should hold."""
    grown = load("grow")
    if not grown:
        return {}
    return {
        FIGURES / f"performance-{name}.svg": standalone(draw(grown["points"]), f"performance-{name}")
        for name, draw in DRAWN.items()
    }


def main(words: list[str]) -> int:
    """Write, or compare."""
    parser = argparse.ArgumentParser(prog="python -m bench report", description=__doc__)
    parser.add_argument("--check", action="store_true", help="write nothing; exit 1 if anything would change")
    given = parser.parse_args(words)
    code = 0
    for path, text in outputs().items():
        if path.is_file() and path.read_text(encoding="utf-8") == text:
            continue
        if given.check:
            code = 1
        else:
            write_text_atomic(path, text)
            if path == STAMPED:
                stamp(path, [place["name"] for place in PLACE.finditer(text) if place["name"] in BLOCKS], {})
        print(f"{'differs' if given.check else 'written'}: {path.relative_to(ROOT)}", file=sys.stderr)
    return code
