"""The tables of a comparison as Markdown, written into marked places of a page, so that no result is typed by hand.

A place lies between ``<!-- results: NAME -->`` and ``<!-- end -->``, on lines of their own or both within one line (a cell of a table).
NAME is ``SETTING scores``, ``SETTING raw``, ``claims``, ``claims in short`` (what it says of those on runs), ``parameters``, ``words``,
``winners``, ``agreement``, ``representatives``,
``totals``, ``STUDY CURVE`` (the table of a curve), ``STUDY patterns`` and ``STUDY misses`` (what was searched for), or
``STUDY verdicts``, ``STUDY runs`` and ``STUDY time`` (one line, the last only if
most runs were simulated now), or ``STUDY confirmation`` (what fresh seeds say of its verdicts: `papers.fresh_seeds_page`); the tables of
a part of a paper beyond the main studies have the name of the part before theirs (``akella2002/ring sack/droptail scores``).
What lies between the marks is replaced; the rest of the page is left alone.

``parameters``, ``words`` and ``winners`` are of all main settings together: the paper's command fills them, and that of a figure over all
of these (``akella2002/fig12``). That of another part (``akella2002/fig4``, ``akella2002/ring``) leaves them alone, since it would replace
what the whole says by what the part knows. Of ``claims`` it renews its own rows (`claim_rows`).

A page is of the papers that its places name (``akella2002/fig4 verdicts``). On a page of others a study fills places that carry its name
and renews rows of claims; tables without a name (``reno/droptail scores``) are not its own there.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final

from sawtooth.atomic import write_text_atomic
from sawtooth.claims.claim import Claim
from sawtooth.claims.logic import Verdict
from sawtooth.claims.table import Judged
from sawtooth.errors import MISSING, InputError
from sawtooth.experiment.intervals import Share, interval
from sawtooth.experiment.scoring import SCORED
from sawtooth.plain import written
from sawtooth.report.claim_rows import counted, in_short, renewed
from sawtooth.report.computed import PLACE, contents, stamp
from sawtooth.report.curve_tables import markdown_table
from sawtooth.report.pipe_table import pipe_table
from sawtooth.report.tables import (
    COLUMNS,
    DECIMALS,
    RAW_DECIMALS,
    UNITS,
    duration_text,
    number,
    raw_table,
    score_table,
    with_spread,
)
from sawtooth.run.used import watched

if TYPE_CHECKING:
    from sawtooth.experiment.comparison import Comparison
    from sawtooth.experiment.matrix import SettingBlock
    from sawtooth.experiment.reproduction import Reproduction

Fresh = Callable[[str], str]
"""The new content of a block, from the old one."""

BLOCK: Final = "a block <!-- results: NAME --> … <!-- end -->"
NAMED: Final = 12
"""Names of blocks in a complaint."""
SHARED: Final = ("parameters", "words", "winners")
"""Blocks of all main settings of a paper, which a part that has fewer leaves alone."""


def with_content(place: re.Match[str], content: str) -> str:
    """A place found by PLACE, with other content between its marks."""
    return f"{place['begin']}{place['line']}{content}{place['line']}{place['end']}"


@dataclass(frozen=True)
class Papers:
    """What a page needs to know of the papers beyond what was run."""

    names: frozenset[str]
    claims: Sequence[Claim]
    """Of all papers, in their order."""
    studies: Mapping[str, Member]
    """The single studies behind the parts that were run, by name."""
    main_settings: frozenset[str]
    """The settings of all main studies of the paper."""


@dataclass(frozen=True)
class Member:
    """A single study: its number of runs, and the ids of the claims that it judges."""

    runs: int
    claims: frozenset[str]


def update(path: Path, found: Reproduction, known_papers: Papers) -> list[str]:
    """Replace every block of the page at ``path`` that this reproduction can fill. InputError where the page has none of them.

    Returns the names of the blocks of the page that are of the whole paper and were left alone because ``found`` is a part of it.
    """
    as_it_stands = found.as_it_stands
    known = all_blocks(found, known_papers) if as_it_stands else {}
    renewing = rows_anew(path, found.judged, found.name, known_papers.claims) if found.judged else {}
    papers = {part.study.paper for part in found.parts}
    host = host_of(path, known_papers.names)
    guest = bool(host) and host not in papers
    if guest:
        known = {name: block for name, block in known.items() if name.partition("/")[0] in papers}
    others = {f"{part.study.name} time" for part in found.parts}
    named = fill(path, known, as_it_stands, renewing, others)
    return [name for name in SHARED if name in named and name not in known and not guest]


def rows_anew(
    path: Path, judged: Sequence[Judged], command: str, claims: Sequence[Claim]
) -> dict[str, Fresh]:
    """The blocks of a page that say what became of claims, with the rows that ``command`` judged; ``claims`` are those of all papers."""

    def table(old: str) -> str:
        return renewed(old, judged, command, claims)

    return {"claims": table, "claims in short": lambda _: in_short(table(_claims_of(path)))}


def _claims_of(path: Path) -> str:
    """The table of claims of a page, empty where it has none."""
    return contents(path.read_text(encoding="utf-8")).get("claims", "") if path.is_file() else ""


def host_of(path: Path, papers: Collection[str]) -> str | None:
    """The paper of which a page is: that which begins the names of most of its places. A page that cannot be read is refused later."""
    if not path.is_file():
        return None
    places = PLACE.finditer(path.read_text(encoding="utf-8"))
    first_words = Counter(match["name"].partition("/")[0] for match in places)
    return max((word for word in first_words if word in papers), key=first_words.__getitem__, default=None)


def all_blocks(found: Reproduction, papers: Papers) -> dict[str, str]:
    """The content of every block by name, over all parts."""
    known: dict[str, str] = {}
    whole = "/" not in found.name
    for place, part in enumerate(found.parts):
        own = blocks(part)
        if (place == 0 and whole) or (part.study.main and _has_every_setting(part, papers)):
            known |= own
        elif part.study.main:  # its settings stand in the tables of the paper
            known |= {name: block for name, block in own.items() if name not in SHARED}
        if not part.study.main:
            known |= {f"{part.study.name} {name}": block for name, block in own.items()}
        if part.study.search:
            known[f"{part.study.name} patterns"] = _patterns(part)
            known[f"{part.study.name} misses"] = _misses(found.judged, part.study.matrix.environments)
        if 2 * part.executed > len(part.run_ids):  # else the time is that of reading stored runs
            known[f"{part.study.name} time"] = f"{part.executed:,} runs in {duration_text(part.wall_s)}"
        known |= {f"{part.study.name} {curve.spec.name}": markdown_table(curve) for curve in part.curves}
        for name in part.study.joined or [part.study.name]:
            member = papers.studies[name]
            known[f"{name} runs"] = f"{member.runs:,}"
            judged = [item for item in found.judged if item.claim.id in member.claims]
            known[f"{name} verdicts"] = _verdicts(judged)
    return known


def _has_every_setting(part: Comparison, papers: Papers) -> bool:
    """Whether a main study has the settings of all main studies of its paper, as the figure that maps them does."""
    return {*map(str, part.study.matrix.settings)} >= papers.main_settings


def check_page(
    path: Path, as_it_stands: bool = True, names: Sequence[str] = (), option: str = "--markdown"
) -> str:
    """The text of a page that has blocks, where known with one of these ``names``, as the ``option`` asks for it. InputError without, and
    unless the study is run ``as_it_stands``."""
    try:
        page = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        reason = error.strerror if isinstance(error, OSError) else "not UTF-8"
        raise InputError(option, None, str(path), f"a readable page ({reason})") from error
    if not as_it_stands:
        raise InputError(option, None, str(path), "the study as it stands, without --quick and --set")
    there = {match["name"] for match in PLACE.finditer(page)}
    if not there or (names and there.isdisjoint(names)):
        raise InputError(str(path), None, MISSING, _expected(names))
    return page


def _expected(names: Sequence[str]) -> str:
    """A block with one of these names, if any are known."""
    some = ", ".join(names[:NAMED]) + (f" … ({len(names)} in all)" if len(names) > NAMED else "")
    return f"{BLOCK}, NAME one of {some}" if names else BLOCK


def fill(
    path: Path,
    known: Mapping[str, str],
    as_it_stands: bool,
    renewing: Mapping[str, Fresh] | None = None,
    others: Collection[str] = (),
) -> list[str]:
    """Replace the blocks of the page at ``path`` whose names are ``known``; refused unless the study was run ``as_it_stands``.

    ``renewing`` are blocks that keep something of what stands there, ``others`` those that this study fills when it has made its runs
    anew: a page that has no more than these stays as it is.

    Returns the names of all blocks of the page.
    """
    page = check_page(path, as_it_stands)
    named = [match["name"] for match in PLACE.finditer(page)]
    filled: set[str] = set()

    def content(match: re.Match[str]) -> str:
        fresh = (renewing or {}).get(match["name"])
        block = known.get(match["name"]) if fresh is None else fresh(match["content"])
        if block is None:
            return match[0]
        filled.add(match["name"])
        return with_content(match, block)

    page = PLACE.sub(content, page)
    if not filled and not set(named) & set(others):
        raise InputError(str(path), None, MISSING, _expected([*known, *(renewing or {})]))
    write_text_atomic(path, page)
    stamp(path, filled, watched(), renewing or {})
    return named


def blocks(comparison: Comparison) -> dict[str, str]:
    """The content of every block of one part by name."""
    study = comparison.study
    found = {}
    for block in comparison.own:
        found[f"{block.setting} scores"] = _scores(comparison, block)
        found[f"{block.setting} raw"] = "\n\n".join(_raw(block, metric) for metric in SCORED)
    for exhibit in comparison.exhibits:
        found |= exhibit.blocks()
    found["parameters"] = pipe_table(
        ["key", "value", "plausible too", "stated", "reason"],
        [
            [f"`{e.key}`", written(e.value), ", ".join(map(written, e.plausible)), e.stated, e.reason]
            for e in study.parameter
        ],
    )
    environments = len(comparison.results.environments)
    found["words"] = pipe_table(
        ["name", "value", "meaning"],
        [
            [
                f"`{name}`",
                f"{e.over(environments):.3g}" + (f" ({e.value:g} over {e.sum_over})" if e.sum_over else ""),
                e.meaning,
            ]
            for name, e in study.tolerance.items()
        ],
    )
    return found


def _scores(comparison: Comparison, block: SettingBlock) -> str:
    heads = ["", *(f"{score} {metric}" for metric, score in COLUMNS)]
    rows = []
    for name, cells in score_table(block, comparison.beside(block)):
        ours = [with_spread(cell.ours, DECIMALS[cell.metric]) for cell in cells]
        rows.append([name, *(f"**{t}**" if c.best else t for t, c in zip(ours, cells, strict=True))])
        if any(cell.printed is not None for cell in cells):
            rows.append(
                [
                    f"*printed ({comparison.printed_environments})*",
                    *(f"*{number(c.printed, DECIMALS[c.metric])}*" for c in cells),
                ]
            )
    return pipe_table(heads, rows)


def _raw(block: SettingBlock, metric: str) -> str:
    rows = [
        [environment, *(with_spread(cell.ours, RAW_DECIMALS[metric]) for cell in cells)]
        for environment, cells in raw_table(block, metric)
    ]
    return pipe_table([f"{metric} ({UNITS[metric]})", *block.algorithms], rows)


def _patterns(comparison: Comparison) -> str:
    """Patterns that were searched for: their numbers, goodput of everyone, and how much of the searched space meets the goal."""
    (block,) = comparison.own
    rows = []
    for name in block.environments:
        table = comparison.study.environments[name]
        place = block.environments.index(name)
        goodputs = [with_spread(interval(block.of(a, "goodput")[place]), 3) for a in block.algorithms]
        known = comparison.study.search.get(name)
        share = "" if known is None else Share(known.met, known.of).percent
        rows.append(
            [name, ", ".join(f"{key} {written(value)}" for key, value in table.items()), *goodputs, share]
        )
    return pipe_table(["panel", "pattern", *block.algorithms, "share of the searched space"], rows)


def _misses(judged: Sequence[Judged], panels: Sequence[str]) -> str:
    """Of the claims about patterns that do not hold, every inequality that is missed or open, and by how much."""
    rows = []
    for item in judged:
        if item.claim.pattern not in panels or item.finding is None or item.verdict is Verdict.HOLDS:
            continue
        for end in item.finding.leaves():
            if end.verdict is Verdict.HOLDS or end.interval is None or end.bound is None:
                continue
            wanted = f"{end.text} {end.relation} {end.bound:g}"
            missing = end.interval.mean - end.bound
            missing = missing if end.relation in ("<", "<=") else -missing
            by = f"{missing:.3g}" if missing > 0.0 else "nothing, but open"
            rows.append(
                [
                    str(item.claim.pattern),
                    f"`{item.claim.id}`",
                    wanted,
                    end.verdict.value,
                    with_spread(end.interval, 3),
                    by,
                ]
            )
    if not rows:
        return "Every claim about a panel holds under the pattern found for it."
    return pipe_table(["panel", "claim", "wanted", "verdict", "ours", "missed by"], rows)


def _verdicts(judged: Sequence[Judged]) -> str:
    parts = [item.finding.verdict for item in judged if item.partial and item.finding is not None]
    text = counted([item.verdict for item in judged])
    return text + (f"; of the undecided, by the present runs alone: {counted(parts)}" if parts else "")
