"""The report of the configurations, and blocks of a Markdown page: ``configurations finding``, ``… command``, ``… values``, ``… claims``,
``… loosened``, ``… fits`` and ``… scores``."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Final

from sawtooth.claims.logic import Verdict
from sawtooth.experiment.typed import NOTHING_TYPED, Typed
from sawtooth.papers.akella2002.reconstruction.rows import SAME
from sawtooth.papers.akella2002.set_ups.ablation import Ablation
from sawtooth.papers.akella2002.set_ups.perform import ConfigurationTurn, Fit, SetUps, mean
from sawtooth.papers.akella2002.set_ups.plan import FEW_SEEDS, tried_values
from sawtooth.plain import written
from sawtooth.report.blocks import Bullets, Page, Row, Section, Table
from sawtooth.report.inline import code
from sawtooth.report.markdown import fill
from sawtooth.report.pipe_table import pipe_table
from sawtooth.report.write import write_page

TITLE: Final = (
    "The study of 2002 in two set-ups: the values taken, and those nearest to the authors' simulator"
)
DECIMALS: Final[Mapping[str, int]] = {
    "D_goodput": 2,
    "C_goodput": 2,
    "D_fairness": 2,
    "D_delay": 0,
    "D_loss": 2,
}
SEVERAL: Final = "none that was tried alone"


def finding(found: SetUps) -> list[str]:
    """What came out, in sentences."""
    first, second = found.first.name, found.second.name
    counts = [found.counts(result) for result in found.results]
    total = sum(counts[0].values())
    hard, loose = len(found.hard), len(found.turns) - len(found.hard)
    better = sum(fit.misfits[1] < fit.misfits[0] for fit in found.fits)
    verdicts = (
        f"Under `{name}` {count[Verdict.HOLDS]} hold, {count[Verdict.FAILS]} fail and {count[Verdict.UNDECIDED]} are undecided; "
        f"{agree} of the {decided} that the paper's own tables decide come out as there."
        for name, count, (agree, decided) in zip(
            (first, second), counts, map(found.as_printed, found.results), strict=True
        )
    )
    turned = (
        f"Of {total} claims that these runs judge, {hard} turn between `{first}` and `{second}`, and {loose} more are decided under one "
        "of the two alone."
    )
    missed = (
        f"The printed rows of Figures 4 to 11 are missed by a misfit of {misfit(found, 0):.2f} under `{first}` and "
        f"{misfit(found, 1):.2f} under `{second}` (0.69 is a factor of two); `{second}` is nearer in {better} of {len(found.fits)} rows."
    )
    lines = [turned, *verdicts, missed]
    alone = [turn for turn in found.hard if turn.by]
    if found.hard:
        lines.append(
            f"Of the {hard} that turn, {len(alone)} are turned by a single value that was tried; the other {hard - len(alone)} by none of "
            f"these alone{few_seeds(found)}."
        )
    return lines


def few_seeds(found: SetUps) -> str:
    """How far the seeds of values alone suffice for the claims that turn; nothing where they are all seeds."""
    if len(found.study.seeds) <= FEW_SEEDS:
        return ""
    same = sum(found.base.get(turn.claim.id) is turn.first for turn in found.hard)
    return f", which were tried with {FEW_SEEDS} seeds: so few decide {same} of the {len(found.hard)} under `{found.first.name}`"


def made_from(found: SetUps) -> str:
    """From how much this is computed."""
    study = found.study
    left_out = ", without the appendix" if found.order.quick else ""
    tried = tried_values(found.order, found.second)
    open_ = ", ".join(f"`{value.key}`" for value in found.second.value if value not in tried)
    alone = f" Not tried alone: {open_}." if open_ else ""
    if len(study.seeds) > FEW_SEEDS:
        alone = f" Values alone are tried in the figures with {FEW_SEEDS} of these seeds.{alone}"
    return (
        f"Computed from {len(study.seeds)} seeds of {study.value_of('duration')} in {len(study.matrix.settings)} settings{left_out}: "
        f"{found.runs:,} runs.{alone}"
    )


def misfit(found: SetUps, place: int) -> float:
    """Mean misfit of a configuration over the printed rows."""
    return mean(fit.misfits[place] for fit in found.fits)


def value_rows(found: SetUps) -> list[list[str]]:
    """Of each value that differs: the key, what both configurations take, and the source."""
    study = found.study
    taken = {
        entry.key: found.first.values.get(entry.key, study.value_of(entry.key))
        for entry in found.second.value
    }
    return [
        [entry.key, written(taken[entry.key]), written(entry.value), entry.source]
        for entry in found.second.value
    ]


def turn_rows(turns: Sequence[ConfigurationTurn]) -> list[list[str]]:
    """Of each claim: id, verdicts, what turns it, statement."""
    return [
        [
            turn.claim.id,
            turn.first.value,
            turn.second.value,
            "" if turn.printed is None else turn.printed.value,
            ", ".join(turn.by) or SEVERAL,
            turn.claim.statement,
        ]
        for turn in turns
    ]


def fit_rows(found: SetUps) -> list[list[str]]:
    """Of each setting: the mean misfit under both, and in how many rows the second is nearer."""
    rows = []
    for setting in dict.fromkeys(fit.row.block.setting for fit in found.fits):
        own = [fit for fit in found.fits if fit.row.block.setting == setting]
        both = [f"{mean(fit.misfits[place] for fit in own):.2f}" for place in (0, 1)]
        rows.append([setting, *both, f"{sum(fit.misfits[1] < fit.misfits[0] for fit in own)} of {len(own)}"])
    return rows


def score_rows(fits: Sequence[Fit]) -> list[list[str]]:
    """Of each printed row: every score under both configurations, the printed one in brackets."""
    return [
        [
            fit.row.block.setting,
            fit.row.label,
            *(
                f"{fit.first[name]:.{DECIMALS[name]}f}, {fit.second[name]:.{DECIMALS[name]}f} ({fit.row.values[name]:.{DECIMALS[name]}f})"
                for name in SAME
            ),
        ]
        for fit in fits
    ]


def heads(found: SetUps) -> dict[str, list[str]]:
    """The headings of the tables, by name."""
    names = [found.first.name, found.second.name]
    claims = ["claim", *names, "printed tables", f"value of {names[1]} that turns it alone", "statement"]
    return {
        "values": ["parameter", *names, "source"],
        "claims": claims,
        "fits": ["setting", *(f"misfit, {name}" for name in names), f"rows in which {names[1]} is nearer"],
        "scores": ["setting", "", *(name.replace("_", " ") for name in SAME)],
    }


def rows(found: SetUps) -> dict[str, list[list[str]]]:
    """The rows of the tables, by name."""
    return {
        "values": value_rows(found),
        "claims": turn_rows(found.hard),
        "loosened": turn_rows([turn for turn in found.turns if not turn.hard]),
        "fits": fit_rows(found),
        "scores": score_rows(found.fits),
    }


def blocks(found: SetUps) -> dict[str, str]:
    """The content of every block by name."""
    named, tables = heads(found), {}
    coded = {"values", "claims", "loosened"}
    for name, entries in rows(found).items():
        lines = [[f"`{first}`" if name in coded else first, *rest] for first, *rest in entries]
        tables[f"configurations {name}"] = (
            pipe_table(named.get(name, named["claims"]), lines) if lines else "None."
        )
    return {
        "configurations finding": " ".join(finding(found)),
        "configurations made": made_from(found),
        "configurations command": f"```sh\n{found.command}\n```",
        **tables,
    }


def update_page(path: Path, found: SetUps) -> None:
    """Fill the places of a Markdown page, from runs of any length: ``configurations made`` says of which."""
    fill(path, blocks(found), True)


def write(found: SetUps, path: Path, typed: Typed = NOTHING_TYPED) -> None:
    """The HTML report."""
    named = heads(found)
    titles = {
        "claims": "Claims that turn",
        "loosened": "Claims decided under one alone",
        "fits": "How near to print",
        "scores": "Scores: both set-ups, and print in brackets",
        "values": "Values that differ",
    }
    found_rows = rows(found)
    sections = [
        Section(
            name,
            title,
            [
                Table(
                    named.get(name, named["claims"]),
                    [
                        Row(code(first) if name != "scores" else first, rest)
                        for first, *rest in found_rows[name]
                    ],
                    look="numbers" if name == "fits" else "words",
                )
            ],
        )
        for name, title in titles.items()
        if found_rows[name]
    ]
    page = report_page(found, TITLE, finding(found), made_from(found), sections)
    write_page(page.made_with(typed), path, {})


def report_page(
    found: SetUps | Ablation, title: str, answer: Sequence[str], made: str, sections: Sequence[Section]
) -> Page:
    """The report of the comparison or of the ablation, which ends with what the set-ups are."""
    why = Section("why", "What the set-ups are", [Bullets([found.first.why, found.second.why])])
    return Page(
        name=found.name,
        title=title,
        answer=[line.replace("`", "") for line in answer],
        facts={"Made": made.replace("`", "")},
        sections=[*sections, why],
        command=found.command,
    )
