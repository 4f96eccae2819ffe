"""`python -m validation`: measure, and write what was found into docs/validation.md, the pages beside it and docs/figures."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable
from pathlib import Path
from typing import ParamSpec, TypeVar

from sawtooth.atomic import write_text_atomic
from sawtooth.report.computed import stamp
from sawtooth.run.used import watching
from validation import (
    alone,
    bbr,
    cells,
    cubic_tables,
    drives,
    dualpi2,
    figures,
    l4s,
    l4s_figure,
    latecomers,
    linux,
    loss,
    low,
    mixes,
    ns3,
    ns3_cuts,
    page,
    rap,
    rtts,
    scalable,
    ticks,
    web,
    web_page,
    whole,
    whole_cuts,
    windows,
)
from validation.linux_modern import cubic, hystart, picture, prr, reordering, shares, tails, words
from validation.linux_modern import windows as windows_of_linux

DOCS = Path(__file__).resolve().parents[1] / "docs"
PAGE = DOCS / "validation.md"
SCALABLE = DOCS / "scalable.md"
BBR = DOCS / "bbr.md"
L4S = DOCS / "l4s.md"
ROUTERS = DOCS / "routers.md"
Given = ParamSpec("Given")
Found = TypeVar("Found")
Measured = tuple[dict[Path, dict[str, str]], dict[str, str]]
"""Blocks by page and name, and figures by name."""
RANDOM_LAWS = ((1.0, 0.5), (0.2, 0.125))
AS_IT_IS = "as it is"
"""The variant without changes."""


def measured() -> Measured:
    """Everything."""
    plain = step("ns-2, as it is", cells.measure, cells.VARIANTS[AS_IT_IS])
    regular = step("regular losses", loss.regular)
    random = [step("random losses", loss.random, a, b) for a, b in RANDOM_LAWS]
    recordings = step("Linux, lost packets", linux.recordings)
    modelled = step("Linux, BBR", bbr.measure)
    of_prague, prague_figures = prague()
    filled = {
        PAGE: {
            **droptail_blocks(plain),
            **drr_blocks(),
            **red_blocks("red"),
            **red_blocks("ecn"),
            **mixed_blocks(),
            **rap_blocks(),
            **loss_blocks(regular, random),
            **tabulated_blocks(),
            **linux_blocks(recordings),
            **web_blocks(),
            **ns3_blocks(),
            **linux_modern_blocks(),
            **drives.blocks(step("generated traces", drives.measure)),
            "linux bbr verdict": bbr.agreement(modelled),
            **of_prague[PAGE],
        },
        SCALABLE: scalable_blocks(),
        BBR: bbr_blocks(modelled),
        L4S: of_prague[L4S],
        ROUTERS: of_prague[ROUTERS],
    }
    drawn = step("figures", figures.files, plain, regular, random, recordings)
    drawn["validation-cubic.svg"] = step("figure of CUBIC", picture.file)
    drawn |= prague_figures
    return filled, drawn


def prague() -> Measured:
    """Prague beside classic flows, held to measurements and to RFC 9332."""
    cells_of_prague = step("Linux, Prague beside classic flows", l4s.measure)
    varied = step("Prague, other settings", l4s.variants, cells_of_prague)
    of_rfc = step("RFC 9332", dualpi2.measure, cells_of_prague)
    verdicts = {
        "l4s verdict": l4s.agreement(cells_of_prague),
        "l4s by default verdict": l4s.default_agreement(varied),
        "rfc9332 verdict": dualpi2.agreement(of_rfc),
    }
    ratios = {"rfc9332 range": dualpi2.default_range(of_rfc)}
    tables = {
        "l4s cells": l4s.cells_table(cells_of_prague),
        "l4s apart": l4s.apart_table(cells_of_prague),
        "l4s trials": l4s.trials_table(cells_of_prague, step("Prague, explanations", l4s.trials)),
        "l4s variants": l4s.variants_table(varied),
        "l4s by default": l4s.default_table(varied),
        "l4s by default causes": l4s.default_causes(varied),
        "rfc9332 figures": dualpi2.figures_table(of_rfc),
        "rfc9332 ratios": dualpi2.ratios_table(of_rfc),
        "rfc9332 factors": dualpi2.factors_table(of_rfc),
    }
    blocks = {PAGE: verdicts, L4S: {**verdicts, **ratios, **tables}, ROUTERS: ratios}
    return blocks, l4s_figure.files(cells_of_prague)


def droptail_blocks(plain: list[cells.Cell]) -> dict[str, str]:
    """Cells with drop-tail queues beside ns-2, and the same with one thing changed at a time."""
    changed = {
        name: step(f"ns-2, {name}", cells.measure, changes)
        for name, changes in cells.VARIANTS.items()
        if name != AS_IT_IS
    }
    return {
        "ns2 verdict": page.ns2_agreement(plain),
        "ns2 cells": page.ns2_cells(plain),
        "ns2 excess": page.ns2_excess(plain),
        "ns2 variants": page.ns2_variants({AS_IT_IS: plain, **changed}),
        **{f"ns2 {name}": page.ns2_disagreeing(found) for name, found in changed.items()},
    }


def drr_blocks() -> dict[str, str]:
    """Cells with fair queues beside ns-2."""
    found = {
        name: step(f"ns-2, DRR, {name}", cells.measure, changes, router="drr")
        for name, changes in cells.DRR_VARIANTS.items()
    }
    plain, skips = found.values()
    return {
        "drr verdict": page.ns2_agreement(plain),
        "drr cells": page.ns2_cells(plain),
        "drr variants": page.ns2_variants(found),
        "drr skips": page.ns2_disagreeing(skips),
    }


def red_blocks(router: str) -> dict[str, str]:
    """Cells with RED that drops or marks beside ns-2."""
    found = {
        name: step(f"ns-2, {router}, {name}", cells.measure, changes, router=router)
        for name, changes in cells.RED_VARIANTS.items()
    }
    counted, conservative, *_ = found.values()
    return {
        f"{router} verdict": page.ns2_agreement(counted),
        f"{router} cells": page.ns2_cells(counted),
        f"{router} variants": page.ns2_variants(found),
        f"{router} conservative": page.ns2_disagreeing(conservative),
    }


def mixed_blocks() -> dict[str, str]:
    """Two kinds of flows, cross traffic, whole windows and one flow, beside ns-2."""
    mixed = step("ns-2, two kinds", mixes.mixes)
    squares = step("ns-2, a square of cross traffic", mixes.squares)
    wholes = {tick: step(f"ns-2, whole windows, ticks of {tick}", whole.cells, tick) for tick in whole.TICKS}
    others = {queue: step(f"ns-2, other mixes, {queue}", whole.others, queue) for queue in whole.QUEUES}
    cuts = step("ns-2, cuts of whole windows", whole_cuts.measure)
    single = step("ns-2, one flow", windows.measure)
    return {
        **low_blocks(),
        "mixes verdict": page.mixes_agreement(mixed),
        "mixes": page.mixes(mixed),
        "squares": page.squares(squares),
        "squares verdict": page.squares_agreement(squares),
        "whole verdict": page.whole_agreement(wholes),
        **{f"whole {tick}": page.mixes(found, whole.SHOWN) for tick, found in wholes.items()},
        "whole others verdict": page.whole_agreement(others),
        **{f"whole others {queue}": page.mixes(found, whole.SHOWN) for queue, found in others.items()},
        "whole cuts verdict": whole_cuts.agreement(cuts),
        "whole cuts": whole_cuts.kinds_table(cuts),
        "whole cuts at two": whole_cuts.at_two(),
        "windows": page.windows(single),
        "windows verdict": f"{max(law.difference for law in single):.2f}",
    }


def low_blocks() -> dict[str, str]:
    """Reno at two packets a round trip, and how round trips become ticks, beside ns-2."""
    floor = step("ns-2, Reno at two packets a round trip", low.measure)
    return {
        "low verdict": low.agreement(floor),
        "low": low.parts_table(floor),
        "low rounded": low.rounded_agreement(floor),
        "ticks": ticks.rules_table(ticks.samples()),
    }


def rap_blocks() -> dict[str, str]:
    """RAP beside SACK and under regular losses, beside ns-2."""
    found = step("ns-2, RAP beside SACK", rap.cells)
    default = step("ns-2, RAP beside SACK with the default pipe", rap.conservative)
    regular = step("ns-2, RAP under regular losses", rap.regular)
    return {
        "rap": page.mixes(found, rap.SHOWN),
        "rap verdict": page.mixes_agreement(found),
        "rap default pipe": page.mixes_agreement(default),
        "rap regular": page.rap_regular(regular),
        "rap regular verdict": page.rap_regular_agreement(regular),
    }


def loss_blocks(regular: list[loss.Regular], random: list[loss.Random]) -> dict[str, str]:
    """Window laws under given losses, and full links, beside formulas."""
    around = step("neighbouring periods", loss.around, 2000)
    return {
        "regular": page.regular(regular),
        "regular verdict": page.apart(regular),
        "tcp at 5e-4": page.short(regular, 1.0, 0.5, 2000),
        "neighbours": page.neighbours(regular, around),
        "random": page.random(random),
        "slope": ", ".join(f"{found.slope:.3f}" for found in random),
        "full links": page.full_links(step("full links", loss.full_links)),
    }


def tabulated_blocks() -> dict[str, str]:
    """The windows that RFC 9438 tabulates, beside the exact cycle."""
    found = cubic_tables.rows()
    return {"cubic tables": cubic_tables.table(found), "cubic tables verdict": cubic_tables.agreement(found)}


def linux_blocks(recordings: list[linux.Recording]) -> dict[str, str]:
    """Recordings of senders of Linux."""
    return {
        "linux episodes": page.linux_episodes(recordings),
        "linux verdict": f"{max(recording.difference for recording in recordings):.1f}",
        "linux timeouts": page.linux_timeouts(recordings),
        "linux laws": page.linux_laws(step("Linux, laws", linux.laws)),
    }


def web_blocks() -> dict[str, str]:
    """Short flows and unequal round-trip times beside ns-2."""
    crossed = step("ns-2, short flows", web.measure)
    short = step("ns-2, short flows one by one", web.flows)
    unequal = step("ns-2, round-trip times", rtts.measure)
    return {
        "web verdict": web_page.agreement(crossed),
        "web cells": web_page.cells(crossed),
        "web flows": web_page.flows(short),
        "rtt verdict": web_page.rtt_agreement(unequal),
        "rtt cases": web_page.rtt_cases(unequal),
    }


def bbr_blocks(modelled: list[bbr.Row]) -> dict[str, str]:
    """BBR beside Linux, ns-3 and a formula, alone, and beside another flow of its own that was there before."""
    by_itself = step("BBR and CUBIC alone", alone.measure, alone.MODELS)
    late = step("BBR, a flow that comes later", latecomers.measure)
    return {
        "linux bbr": bbr.rows_table(modelled),
        "ns3 bbr": bbr.beside_table(step("ns-3, BBR", bbr.ns3), "ns-3"),
        "ware": bbr.beside_table(step("BBR, a formula", bbr.formula), "formula"),
        "bbr alone verdict": alone.agreement(by_itself),
        "bbr alone": alone.shares_table(by_itself),
        "bbr alone missed": alone.probing_table(by_itself),
        "bbr latecomers verdict": latecomers.agreement(late),
        "bbr latecomers": latecomers.table(late),
        "bbr latecomers without": latecomers.without_table(
            step("BBR without PROBE_RTT", latecomers.without_probe_rtt, late)
        ),
    }


def scalable_blocks() -> dict[str, str]:
    """DCTCP beside ns-3, DCTCP and Prague alone."""
    marked = step("ns-3, DCTCP", scalable.measure)
    by_itself = step("DCTCP and Prague alone", alone.measure, alone.SCALABLE)
    return {
        "scalable alone marked": alone.marked_table(step("later marks", alone.marked_late, by_itself)),
        "scalable alone verdict": alone.agreement(by_itself),
        "scalable alone": alone.shares_table(by_itself),
        "scalable alone missed": alone.filling_table(
            step("until they fill the link", alone.fillings, by_itself)
        ),
        "ns3 dctcp verdict": scalable.agreement(marked),
        "ns3 dctcp cells": scalable.cells_table(marked),
    }


def ns3_blocks() -> dict[str, str]:
    """Window laws beside ns-3."""
    cells = step("ns-3, window laws", ns3.measure)
    changed = {name: step(f"ns-3, {name}", ns3.measure, change) for name, change in ns3.VARIANTS.items()}
    cuts = step("ns-3, one flow", ns3_cuts.measure)
    return {
        "ns3 verdict": ns3.agreement(cells),
        "ns3 shares alone": ns3.by_shares(cells),
        "ns3 cells": ns3.cells_table(cells),
        "ns3 disagreeing": ns3.disagreeing(cells),
        "ns3 whole disagreeing": ns3.disagreeing(changed[ns3.WHOLE]),
        "ns3 variants": ns3.variants_table({"as it is": cells, **changed}),
        "ns3 cuts verdict": ns3_cuts.agreement(cuts),
        "ns3 cuts": ns3_cuts.traces_table(cuts),
        "ns3 cuts cycles": ns3_cuts.cycles_in_words(step("ns-3, one flow, its cycles", ns3_cuts.cycles)),
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
        "today windows verdict": words.windows_agreement(episodes),
        "today windows": words.windows(episodes),
        "today cubic verdict": words.cubic_agreement(epochs),
        "today cubic": words.cubic(epochs),
        "today prr verdict": words.prr_agreement(reduced),
        "today prr": words.prr(reduced),
        "today tails verdict": words.counted(ends),
        "today tails": words.tails(ends),
        "today late verdict": f"{words.counted(late)} recordings; {words.counted(withdrawn)} windows",
        "today late": words.late(late),
        "today withdrawals": words.withdrawals(withdrawn),
        "today hystart verdict": words.counted(exits),
        "today hystart": words.hystart(exits),
        "today shares verdict": words.shares_agreement(judged),
        "today shares": words.shares(beside),
    }


def step(what: str, measure: Callable[Given, Found], *given: Given.args, **named: Given.kwargs) -> Found:
    """`measure(…)`, announced."""
    sys.stderr.write(f"{what}\n")
    return measure(*given, **named)


APART: dict[str, Callable[[], Measured]] = {
    "bbr": lambda: ({BBR: bbr_blocks(step("Linux, BBR", bbr.measure))}, {}),
    "l4s": prague,
    "low": lambda: ({PAGE: low_blocks()}, {}),
    "ns3": lambda: ({PAGE: ns3_blocks()}, {}),
    "scalable": lambda: ({SCALABLE: scalable_blocks()}, {}),
}
"""Pages, and sections, that can be filled alone, in minutes, with what other pages say of them."""


def main() -> int:
    """0 when everything is written, or with --check when nothing would change; else 1."""
    parser = argparse.ArgumentParser(prog="python -m validation", description=__doc__)
    parser.add_argument("--check", action="store_true", help="write nothing; exit 1 if anything would change")
    parser.add_argument(
        "--page", choices=sorted(APART), help="this page alone, and what other pages say of what it measures"
    )
    given = parser.parse_args()
    with watching() as used:
        blocks, drawn = APART[given.page]() if given.page else measured()
    found = {
        path: page.filled(path.read_text(encoding="utf-8"), own, whole=not given.page)
        for path, own in blocks.items()
    }
    found |= {DOCS / "figures" / name: text for name, text in drawn.items()}
    changed = {
        path: text
        for path, text in found.items()
        if not path.exists() or path.read_text(encoding="utf-8") != text
    }
    for path, text in changed.items():
        if not given.check:
            write_text_atomic(path, text)
        sys.stderr.write(f"{'differs' if given.check else 'written'}: {path.relative_to(DOCS.parent)}\n")
    if not given.check:
        for path, own in blocks.items():
            stamp(path, own, used)
    return 1 if given.check and changed else 0


if __name__ == "__main__":
    sys.exit(main())
