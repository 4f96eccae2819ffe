"""What the ablation says: sentences, tables, the blocks of a Markdown page and the HTML report.

Source: none.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Final

from sawtooth.claims.logic import Verdict
from sawtooth.claims.multiplicity import RULE
from sawtooth.experiment.typed import NOTHING_TYPED, Typed
from sawtooth.papers.akella2002.set_ups.ablation import AblatedClaim, Ablation
from sawtooth.papers.akella2002.set_ups.page import report_page
from sawtooth.plain import written
from sawtooth.plurals import did, number_of
from sawtooth.report.blocks import Row, Section, Table
from sawtooth.report.inline import code
from sawtooth.report.markdown import fill
from sawtooth.report.pipe_table import pipe_table
from sawtooth.report.write import write_page

TITLE: Final = (
    "The study of 2002: which values the verdicts of the set-up nearest to the authors' simulator need"
)
NONE: Final = "none"


def finding(found: Ablation) -> list[str]:
    """What came out, in sentences."""
    first, second = found.first.name, found.second.name
    turning, needy = len(found.turning), len(found.needy)
    turned = f"Of {len(found.claims)} claims that these runs judge, {did(turning, 'turns')} between `{first}` and `{second}`."
    if not turning:
        return [turned, nearness(found)]
    kept = turning - needy
    who = (
        f"Of these {number_of(turning, 'verdict')} {did(needy, 'needs')}"
        if kept
        else "Each of these verdicts needs"
    )
    needed = f"{who} a value of `{second}`: without it the verdict is another one, or none."
    if kept:
        needed += f" Of the other {kept} any single value can be taken back."
    return [turned, needed, *most_needed(found), *decided_again(found), nearness(found)]


def most_needed(found: Ablation) -> list[str]:
    """Which values most claims that turn need; nothing if none needs any."""
    counts = {key: len(found.need(key)) for key in found.keys}
    if not any(counts.values()):
        return []
    unused = [f"`{key}`" for key in found.keys if not counts[key]]
    rest = f"; by none: {', '.join(unused)}" if unused else ""
    return [f"Values by how many need them: {by_number(counts)}{rest}."]


def decided_again(found: Ablation) -> list[str]:
    """Of the claims that the first configuration alone decides, how many the second decides without which value; nothing if there are
    none."""
    own = found.undone
    counts = {key: sum(key in entry.without for entry in own) for key in found.keys}
    if not any(counts.values()):
        return []
    undone = f"`{found.second.name}` leaves {number_of(len(own), 'claim')} undecided that `{found.first.name}` decides."
    return [f"{undone} So many of these are decided after one value is taken back: {by_number(counts)}."]


def by_number(counts: Mapping[str, int]) -> str:
    """Keys with their numbers, the largest first, those of none left out."""
    return ", ".join(
        f"`{key}` {counts[key]}" for key in sorted(counts, key=lambda key: -counts[key]) if counts[key]
    )


def nearness(found: Ablation) -> str:
    """How each value changes the distance from print."""
    own = found.misfits[found.second.name]
    ordered = sorted(found.keys, key=lambda key: found.misfits[key])
    least, most = ordered[0], ordered[-1]
    return (
        f"The printed rows of Figures 4 to 11 are missed by a misfit of {found.misfits[found.first.name]:.2f} under "
        f"`{found.first.name}` and {own:.2f} under `{found.second.name}`. Without one of its values it is between "
        f"{found.misfits[least]:.2f} (`{least}`) and {found.misfits[most]:.2f} (`{most}`)."
    )


def made_from(found: Ablation) -> str:
    """From how much this is computed."""
    study = found.study
    left_out = ", ".join(f"`{value.key}`" for value in found.second.value if value.key not in found.keys)
    rest = f" Not taken back: {left_out}." if left_out else ""
    return (
        f"Computed from {len(study.seeds)} seeds of {study.value_of('duration')} in the figures, the same for each value: "
        f"{found.runs:,} runs, judged by the checks of rule {RULE}.{rest}"
    )


def value_rows(found: Ablation) -> list[list[str]]:
    """Of each value: what both configurations take, what the claims that need it become without it, and the misfit without it."""
    rows = []
    for key in found.keys:
        need = found.need(key)
        back = sum(entry.without[key] is entry.first for entry in need)
        taken = found.first.values.get(key, found.study.value_of(key))
        values = [written(found.second.values[key]), written(taken)]
        rows.append([key, *values, str(back), str(len(need) - back), f"{found.misfits[key]:.2f}"])
    return rows


def claim_rows(entries: Sequence[AblatedClaim]) -> list[list[str]]:
    """Of each claim: id, verdicts, what it becomes without which value, statement."""
    return [
        [
            entry.claim.id,
            entry.first.value,
            entry.second.value,
            "" if entry.printed is None else entry.printed.value,
            without(entry),
            entry.claim.statement,
        ]
        for entry in entries
    ]


def without(entry: AblatedClaim) -> str:
    """The values without which a claim has another verdict, by that verdict."""
    by_verdict = {
        verdict: [key for key, each in entry.without.items() if each is verdict] for verdict in Verdict
    }
    return (
        "; ".join(f"{verdict.value}: {', '.join(keys)}" for verdict, keys in by_verdict.items() if keys)
        or NONE
    )


def heads(found: Ablation) -> tuple[list[str], list[str]]:
    """The headings of the table of values, and of those of claims."""
    first, second = found.first.name, found.second.name
    values = [
        "value",
        second,
        first,
        f"claims with the verdict of {first} without it",
        "undecided without it",
        "misfit without it",
    ]
    return values, ["claim", first, second, "printed tables", "another verdict without", "statement"]


def claim_tables(found: Ablation) -> dict[str, list[list[str]]]:
    """The tables of claims by name: those that turn, those decided under one configuration, and those of which a value hides a turn."""
    return {
        "claims": claim_rows(found.turning),
        "loosened": claim_rows([entry for entry in found.claims if entry.loosens]),
        "hidden": claim_rows([entry for entry in found.claims if entry.hidden]),
    }


def blocks(found: Ablation) -> dict[str, str]:
    """The content of every block by name."""
    of_values, of_claims = heads(found)

    def table(head: list[str], lines: list[list[str]]) -> str:
        return pipe_table(head, [[f"`{name}`", *rest] for name, *rest in lines]) if lines else "None."

    return {
        "ablation finding": " ".join(finding(found)),
        "ablation made": made_from(found),
        "ablation command": f"```sh\n{found.command}\n```",
        "ablation values": table(of_values, value_rows(found)),
        **{f"ablation {name}": table(of_claims, lines) for name, lines in claim_tables(found).items()},
    }


def update_page(path: Path, found: Ablation) -> None:
    """Fill the places of a Markdown page, from runs of any length: ``ablation made`` says of which."""
    fill(path, blocks(found), True)


def write(found: Ablation, path: Path, typed: Typed = NOTHING_TYPED) -> None:
    """The HTML report."""
    of_values, of_claims = heads(found)
    titles = {
        "claims": "Claims that turn",
        "loosened": "Claims decided under one alone",
        "hidden": "Claims of which a value hides a turn",
    }

    def section(name: str, title: str, head: list[str], lines: list[list[str]]) -> Section:
        return Section(
            name, title, [Table(head, [Row(code(first), rest) for first, *rest in lines], look="words")]
        )

    sections = [section("values", "Values taken back", of_values, value_rows(found))]
    tables = claim_tables(found)
    sections += [
        section(name, title, of_claims, tables[name]) for name, title in titles.items() if tables[name]
    ]
    page = report_page(found, TITLE, finding(found), made_from(found), sections)
    write_page(page.made_with(typed), path, {})
