"""`python -m validation`: measure, and write what was found into docs/validation.md and docs/figures."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable
from pathlib import Path
from typing import ParamSpec, TypeVar

from sawtooth.atomic import write_text_atomic
from sawtooth.report.computed import contents, stamp
from sawtooth.run.used import watching
from validation import (
    bbr,
    cells,
    figures,
    l4s,
    l4s_figure,
    linux,
    loss,
    mixes,
    ns3,
    ns3_cuts,
    page,
    rap,
    rtts,
    scalable,
    web,
    web_page,
    whole,
    windows,
)
from validation.linux_modern import cubic, hystart, picture, prr, reordering, shares, tails, words
from validation.linux_modern import windows as windows_of_linux

DOCS = Path(__file__).resolve().parents[1] / "docs"
PAGE = DOCS / "validation.md"
SCALABLE = DOCS / "scalable.md"
BBR = DOCS / "bbr.md"
L4S = DOCS / "l4s.md"
Given = ParamSpec("Given")
Found = TypeVar("Found")
RANDOM_LAWS = ((1.0, 0.5), (0.2, 0.125))


def measured() -> dict[Path, str]:
    """The page and the figures as they should be, by path."""
    variants = {
        name: step(f"ns-2, {name}", cells.measure, changes) for name, changes in cells.VARIANTS.items()
    }
    plain = variants["as it is"]
    drr = {
        name: step(f"ns-2, DRR, {name}", cells.measure, changes, router="drr")
        for name, changes in cells.DRR_VARIANTS.items()
    }
    drr_plain, drr_skips = drr.values()
    red = {
        router: {
            name: step(f"ns-2, {router}, {name}", cells.measure, changes, router=router)
            for name, changes in cells.RED_VARIANTS.items()
        }
        for router in ("red", "ecn")
    }
    mixed = step("ns-2, two kinds", mixes.mixes)
    squares = step("ns-2, a square of cross traffic", mixes.squares)
    wholes = {tick: step(f"ns-2, whole windows, ticks of {tick}", whole.cells, tick) for tick in whole.TICKS}
    raps = step("ns-2, RAP beside SACK", rap.cells)
    rap_default = step("ns-2, RAP beside SACK with the default pipe", rap.conservative)
    rap_regular = step("ns-2, RAP under regular losses", rap.regular)
    single = step("ns-2, one flow", windows.measure)
    regular = step("regular losses", loss.regular)
    around = step("neighbouring periods", loss.around, 2000)
    random = [step("random losses", loss.random, a, b) for a, b in RANDOM_LAWS]
    links = step("full links", loss.full_links)
    recordings = step("Linux, lost packets", linux.recordings)
    laws = step("Linux, laws", linux.laws)
    crossed = step("ns-2, short flows", web.measure)
    short = step("ns-2, short flows one by one", web.flows)
    unequal = step("ns-2, round-trip times", rtts.measure)
    marked = step("ns-3, DCTCP", scalable.measure)
    modelled = step("Linux, BBR", bbr.measure)
    today = {**ns3_blocks(), **linux_modern_blocks()}
    beside_prague = step("Linux, Prague beside classic flows", l4s.measure)
    of_l4s = {
        "l4s verdict": l4s.verdict(beside_prague),
        "l4s cells": l4s.cells_table(beside_prague),
        "l4s apart": l4s.apart_table(beside_prague),
        "l4s variants": l4s.variants_table(step("Prague, other settings", l4s.variants)),
    }
    of_bbr = {
        "linux bbr": bbr.rows_table(modelled),
        "ns3 bbr": bbr.beside_table(step("ns-3, BBR", bbr.ns3), "ns-3"),
        "ware": bbr.beside_table(step("BBR, a formula", bbr.formula), "formula"),
    }
    blocks = {
        "ns2 verdict": page.ns2_verdict(plain),
        "ns2 cells": page.ns2_cells(plain),
        "ns2 excess": page.ns2_excess(plain),
        "ns2 variants": page.ns2_variants(variants),
        "drr verdict": page.ns2_verdict(drr_plain),
        "drr cells": page.ns2_cells(drr_plain),
        "drr variants": page.ns2_variants(drr),
        "drr skips": page.ns2_disagreeing(drr_skips),
        "mixes verdict": page.mixes_verdict(mixed),
        "mixes": page.mixes(mixed),
        "squares": page.squares(squares),
        "squares verdict": page.squares_verdict(squares),
        "whole verdict": page.whole_verdict(wholes),
        **{f"whole {tick}": page.mixes(found, whole.SHOWN) for tick, found in wholes.items()},
        "rap": page.mixes(raps, rap.SHOWN),
        "rap verdict": page.mixes_verdict(raps),
        "rap default pipe": page.mixes_verdict(rap_default),
        "rap regular": page.rap_regular(rap_regular),
        "rap regular verdict": page.rap_regular_verdict(rap_regular),
        "windows": page.windows(single),
        "windows verdict": f"{max(law.difference for law in single):.2f}",
        "regular": page.regular(regular),
        "regular verdict": page.apart(regular),
        "tcp at 5e-4": page.short(regular, 1.0, 0.5, 2000),
        "neighbours": page.neighbours(regular, around),
        "random": page.random(random),
        "slope": ", ".join(f"{found.slope:.3f}" for found in random),
        "full links": page.full_links(links),
        "linux episodes": page.linux_episodes(recordings),
        "linux verdict": f"{max(recording.difference for recording in recordings):.1f}",
        "linux timeouts": page.linux_timeouts(recordings),
        "linux laws": page.linux_laws(laws),
        "web verdict": web_page.verdict(crossed),
        "web cells": web_page.cells(crossed),
        "web flows": web_page.flows(short),
        "rtt verdict": web_page.rtt_verdict(unequal),
        "linux bbr verdict": bbr.verdict(modelled),
        "l4s verdict": of_l4s["l4s verdict"],
        "rtt cases": web_page.rtt_cases(unequal),
        **today,
    }
    for router, found_by_name in red.items():
        counted, conservative, *_ = found_by_name.values()
        blocks |= {
            f"{router} verdict": page.ns2_verdict(counted),
            f"{router} cells": page.ns2_cells(counted),
            f"{router} variants": page.ns2_variants(found_by_name),
            f"{router} conservative": page.ns2_disagreeing(conservative),
        }
    for name, found in variants.items():
        if name != "as it is":
            blocks[f"ns2 {name}"] = page.ns2_disagreeing(found)
    of_scalable = {
        "ns3 dctcp verdict": scalable.verdict(marked),
        "ns3 dctcp cells": scalable.cells_table(marked),
    }
    drawn = step("figures", figures.files, plain, regular, random, recordings)
    drawn["validation-cubic.svg"] = step("figure of CUBIC", picture.file)
    drawn |= l4s_figure.files(beside_prague)
    return {
        PAGE: page.filled(PAGE.read_text(encoding="utf-8"), blocks),
        SCALABLE: page.filled(SCALABLE.read_text(encoding="utf-8"), of_scalable),
        BBR: page.filled(BBR.read_text(encoding="utf-8"), of_bbr),
        L4S: page.filled(L4S.read_text(encoding="utf-8"), of_l4s),
        **{DOCS / "figures" / name: text for name, text in drawn.items()},
    }


def ns3_blocks() -> dict[str, str]:
    """Window laws beside ns-3."""
    cells = step("ns-3, window laws", ns3.measure)
    changed = {name: step(f"ns-3, {name}", ns3.measure, change) for name, change in ns3.VARIANTS.items()}
    cuts = step("ns-3, one flow", ns3_cuts.measure)
    return {
        "ns3 verdict": ns3.verdict(cells),
        "ns3 cells": ns3.cells_table(cells),
        "ns3 disagreeing": ns3.disagreeing(cells),
        "ns3 whole disagreeing": ns3.disagreeing(changed[ns3.WHOLE]),
        "ns3 variants": ns3.variants_table({"as it is": cells, **changed}),
        "ns3 cuts verdict": ns3_cuts.verdict(cuts),
        "ns3 cuts": ns3_cuts.traces_table(cuts),
    }


def linux_modern_blocks() -> dict[str, str]:
    """The comparisons with today's senders of Linux."""
    episodes = step("Linux today, episodes", windows_of_linux.recordings)
    epochs = step("Linux today, CUBIC", cubic.epochs)
    reduced = step("Linux today, PRR", prr.recoveries)
    ends = step("Linux today, tails", tails.tails)
    late, withdrawn = step("Linux today, late packets", reordering.late), reordering.withdrawals()
    exits = step("Linux today, slow start", hystart.exits)
    beside = {
        jitter: step(f"Linux today, shares, {jitter}", shares.shares, jitter) for jitter in shares.JITTERS
    }
    judged = beside[shares.JITTER]
    return {
        "today windows verdict": words.windows_verdict(episodes),
        "today windows": words.windows(episodes),
        "today cubic verdict": words.cubic_verdict(epochs),
        "today cubic": words.cubic(epochs),
        "today prr verdict": words.prr_verdict(reduced),
        "today prr": words.prr(reduced),
        "today tails verdict": words.counted(ends),
        "today tails": words.tails(ends),
        "today late verdict": f"{words.counted(late)} recordings; {words.counted(withdrawn)} windows",
        "today late": words.late(late),
        "today withdrawals": words.withdrawals(withdrawn),
        "today hystart verdict": words.counted(exits),
        "today hystart": words.hystart(exits),
        "today shares verdict": words.shares_verdict(judged),
        "today shares": words.shares(beside),
    }


def step(what: str, measure: Callable[Given, Found], *given: Given.args, **named: Given.kwargs) -> Found:
    """`measure(…)`, announced."""
    sys.stderr.write(f"{what}\n")
    return measure(*given, **named)


def main() -> int:
    """0 when everything is written, or with --check when nothing would change; else 1."""
    parser = argparse.ArgumentParser(prog="python -m validation", description=__doc__)
    parser.add_argument("--check", action="store_true", help="write nothing; exit 1 if anything would change")
    check = parser.parse_args().check
    with watching() as used:
        found = measured()
    changed = {
        path: text
        for path, text in found.items()
        if not path.exists() or path.read_text(encoding="utf-8") != text
    }
    for path, text in changed.items():
        if not check:
            write_text_atomic(path, text)
        sys.stderr.write(f"{'differs' if check else 'written'}: {path.relative_to(DOCS.parent)}\n")
    if not check:
        for path in (path for path in found if path.suffix == ".md"):
            stamp(path, contents(found[path]), used)
    return 1 if check and changed else 0


if __name__ == "__main__":
    sys.exit(main())
