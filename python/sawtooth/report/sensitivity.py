"""The sensitivity of a study as a figure, an HTML report and blocks of a Markdown page. Values come in, pages go out; nothing is run.

Blocks: ``sensitivity command`` (what was run), ``sensitivity parameters`` (what each value moves), ``sensitivity claims`` (which verdicts
turn, and by what), ``sensitivity undecided`` (which claims are undecided at the values taken, and where they are not), ``sensitivity
orders`` (which orders turn), ``sensitivity counts``; those of a part of a paper have its name before theirs (``akella2002/fig4
sensitivity counts``). On the page of another paper those of a whole paper have its name as well (``reddy2012 sensitivity counts``), and so
have those of what is no paper (``mathematics sensitivity counts``). The figure of a page lies beside it as
``figures/STUDY-sensitivity.svg``.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from pathlib import Path
from typing import Final

import matplotlib as mpl
from matplotlib.figure import Figure
from matplotlib.patches import Patch
from matplotlib.ticker import MaxNLocator

from sawtooth.atomic import write_bytes_atomic
from sawtooth.experiment.typed import NOTHING_TYPED, Typed
from sawtooth.experiment.variation import PROMOTED, SCREENED, Sensitivity, Variation, simulated
from sawtooth.plain import written
from sawtooth.plurals import did, number_of, verb
from sawtooth.report import figures
from sawtooth.report.blocks import Page, Picture, Row, Section, Table
from sawtooth.report.drawing import MODEL_STYLE, MUTED, SERIES, canvas, encode, figure_files
from sawtooth.report.inline import code, pill
from sawtooth.report.markdown import fill, host_of
from sawtooth.report.pipe_table import pipe_table
from sawtooth.report.write import write_page

ROWS_MOST: Final = 40
"""Variations that the figure shows, the strongest first."""
TURNING_MOST: Final = 4
"""Values that a Markdown page names beside a claim that they turn or decide; the HTML report and ``turns.toml`` have all."""
EDGE_INCHES: Final = 0.12
"""Room beside the labels: set small, they are wider on a page than the layout takes them to be."""


def label(entry: Variation) -> str:
    """A variation in words."""
    where = f" ({entry.where})" if entry.where and len(entry.where) < 40 else ""
    return f"{entry.key} = {written(entry.value)}{where}"


def sensitivity_figure(found: Sensitivity) -> Figure:
    """Per variation: verdicts that turn and loosen and, where there are scores, orders that turn and the shift of D."""
    shown = found.ranked[:ROWS_MOST]
    names = [label(entry) for entry in shown]
    beside: list[tuple[str, list[float], str]] = [
        ("pairs whose order turns", [len(entry.exchanges) for entry in shown], SERIES[0]),
        ("shift of D, ranges", [entry.shift or 0.0 for entry in shown], MUTED),
    ]
    beside = beside if scored(found) else []
    with mpl.rc_context(MODEL_STYLE):
        figure, panels = canvas(9.5, 0.9 + 0.2 * len(shown), 1, 1 + len(beside), sharey=True)
        figure.set_layout_engine("constrained", w_pad=EDGE_INCHES)
        places = range(len(shown))
        verdicts = panels[0]
        turned = [entry.turned for entry in shown]
        verdicts.barh(places, turned, color=SERIES[5])
        verdicts.barh(places, [entry.loosened for entry in shown], left=turned, color=SERIES[1], alpha=0.5)
        verdicts.set_yticks(list(places), names, fontsize=7.5)
        verdicts.invert_yaxis()
        for axes, (_, numbers, colour) in zip(panels[1:], beside, strict=True):
            axes.barh(places, numbers, color=colour)
        for axes, title in zip(panels, ("verdicts", *(title for title, *_ in beside)), strict=True):
            axes.set_title(title, loc="left", fontsize=8.5)
            axes.grid(visible=False, axis="y")
            axes.set_xlim(left=0)
        for axes in panels[:2]:
            axes.xaxis.set_major_locator(MaxNLocator(integer=True))  # verdicts and pairs are counted
        figure.legend(
            handles=[
                Patch(color=SERIES[5], label="turn (hold at one value, fail at the other)"),
                Patch(color=SERIES[1], alpha=0.5, label="undecided at one of the two"),
            ],
            loc="outside lower center",
            ncols=2,
            fontsize=8,
        )
    return figure


def write_sensitivity(found: Sensitivity, path: Path, typed: Typed = NOTHING_TYPED) -> list[Path]:
    """Write the HTML file ``path`` and the figure beside it as SVG and PDF."""
    return write_page(
        page(found).made_with(typed), path, figure_files(path.with_name(path.stem), sensitivity_figure(found))
    )


def page(found: Sensitivity) -> Page:
    """The page: what the open parameters decide."""
    drawing = figures.inline(sensitivity_figure(found), "sensitivity", "What each value moves")
    return Page(
        name=f"{found.name} sensitivity",
        title="Open parameters, and what they decide",
        answer=answer(found),
        facts={"Values": str(len(found.variations)), "Parameters": str(len(found.parameters))},
        notes=[
            words for words in (left_out(found), stays(found), screening(found), refusals(found)) if words
        ],
        picture=Picture(drawing, "The values that move most come first."),
        words=WORDS if scored(found) else WORDS[:2],
        sections=[
            *([Section("claims", "Verdicts that turn", [_claims(found)])] if found.unstable else []),
            *(
                [
                    Section(
                        "undecided", "Undecided at the values taken, decided elsewhere", [_undecided(found)]
                    )
                ]
                if found.decided_elsewhere
                else []
            ),
            *(
                [Section("orders", "Orders that turn", [_orders(found)], folded=True)]
                if any(entry.exchanges for entry in found.variations)
                else []
            ),
            Section("parameters", "What each value moves", [_parameters(found)], folded=True),
        ],
        command=found.command,
    )


def answer(found: Sensitivity) -> list[str]:
    """How many verdicts turn, by which values most, and what was run."""
    base = found.base
    settings = sum(len(part.own) for part in base.parts)
    unstable, verdicts = len(found.unstable), len(simulated(base))
    turning = [entry for entry in found.ranked if entry.turned]
    lines = [
        f"{unstable} of {verdicts} verdicts on runs turn somewhere in the plausible ranges of the open parameters."
        if unstable
        else f"None of {verdicts} verdicts on runs turns in the plausible ranges of the open parameters."
    ]
    if turning:
        first = turning[0]
        count = number_of(first.turned, "verdict")
        lines.append(f"{label(first)} in place of {written(first.taken)} turns most: {count}.")
        lines.append(f"{len(turning)} of {len(found.variations)} values turn at least one verdict.")
    exchanged = sum(1 for entry in found.variations if entry.exchanges)
    if exchanged:
        lines.append(
            f"{number_of(exchanged, 'value')} {verb('exchanges', exchanged)} two algorithms in the order of a score, both orders decided."
        )
    where = (
        f"{number_of(settings, 'setting')}, {number_of(len(base.parts[0].results.environments), 'environment')} and "
        if settings
        else ""
    )
    tried = (
        f"{number_of(len(found.variations), 'value')} of {number_of(len(found.parameters), 'open parameter')}"
    )
    lines.append(
        f"This rests on {tried}, one at a time, over {where}{number_of(found.seeds, 'seed')} of {found.length}."
    )
    return lines


WORDS: Final = (
    (
        "A verdict turns",
        "The claim holds at one value and fails at the other, on what was run; it loosens where one of the two is undecided.",
    ),
    (
        "A verdict is unchanged",
        "It is decided, and the same, at both values. Of a claim that is undecided at one of them nothing can be said.",
    ),
    (
        "An order turns",
        "Two algorithms exchange places in a score and both orders are decided at 95 % over paired seeds.",
    ),
    (
        "Shift",
        "Mean change of D (score relative to the best: 0 is best) over the range of D among the algorithms.",
    ),
)


def refusals(found: Sensitivity) -> str:
    """Values that could not be run beside the others, in words; nothing where there are none."""
    if not found.refused:
        return ""
    names = ", ".join(f"{key} = {written(value)}" for key, value, _ in found.refused)
    return f"Left out, since the scenario refuses them beside the other values: {names}."


def left_out(found: Sensitivity) -> str:
    """How many parameters were not varied, in words; nothing where all were."""
    if not found.left_out:
        return ""
    varied = len({entry.key for entry in found.variations})
    known = varied + len(found.left_out)
    return f"{varied} of {known} open parameters {verb('was', varied)} varied; the others were not tried."


def _counts(found: Sensitivity) -> str:
    """What was run, and how many verdicts and values turn."""
    return (
        f"Run for `{found.name}`, {number_of(found.seeds, 'seed')} of {found.length}: "
        f"{len(found.unstable)} of {len(simulated(found.base))} verdicts on runs turn, "
        f"{sum(1 for entry in found.variations if entry.turned)} of {len(found.variations)} values turn at least one."
    )


def stays(found: Sensitivity) -> str:
    """Of how many verdicts it can be said that no value changes them, in words."""
    verdicts, decided, robust = len(simulated(found.base)), len(found.decided), len(found.robust)
    said = (
        f"Of {number_of(verdicts, 'verdict')}, {did(decided, 'is')} decided at the values taken, and {did(robust, 'is')} decided and the "
        "same at every value that was judged."
    )
    unknown = verdicts - robust - len(found.unstable)
    if unknown:
        said += f" More seeds are needed for {number_of(unknown, 'verdict')} that no value turns."
    return said + (f" The studies themselves have {found.page}." if found.page else "")


def shift_text(shift: float | None, decimals: int = 3) -> str:
    """A shift of D; where D is undefined, that."""
    return "undefined" if shift is None else f"{shift:.{decimals}f}"


def screening(found: Sensitivity) -> str:
    """What was left at a first look, in words; nothing where all was judged."""
    left = len(found.variations) - len(found.judged)
    if not any(entry.move is not None for entry in found.variations):
        return ""
    return (
        f"Each value was first run with {SCREENED} seed. {left} of {len(found.variations)} move no score and no raw mean by more than "
        f"{PROMOTED:g} times what another seed does; their verdicts and orders were not judged."
    )


def counted(entry: Variation) -> tuple[str, str, str, str]:
    """Verdicts turned, loosened and unchanged, and orders turned, or that they were not judged."""
    if not entry.judged:
        return ("–", "–", "–", "–")
    numbers = (entry.turned, entry.loosened, len(entry.unchanged), len(entry.exchanges))
    turned, loosened, unchanged, exchanged = map(str, numbers)
    return turned, loosened, unchanged, exchanged


def scored(found: Sensitivity) -> bool:
    """Whether there are scores, and so orders and shifts. A study of probes alone has none."""
    return any(part.own for part in found.base.parts)


def _parameters(found: Sensitivity) -> Table:
    columns = None if scored(found) else -2  # without orders and shift
    rows = [
        Row(
            code(entry.key),
            [
                entry.where or "all",
                written(entry.taken),
                written(entry.value),
                *counted(entry),
                shift_text(entry.shift),
            ][:columns],
        )
        for entry in found.ranked
    ]
    heads = [
        "Key",
        "Where",
        "Taken",
        "Value",
        "Verdicts turned",
        "Loosened",
        "Unchanged",
        "Orders turned",
        "Shift",
    ]
    return Table(heads[:columns], rows)


def _claims(found: Sensitivity) -> Table:
    statements = {item.claim.id: item.claim.statement for item in simulated(found.base)}
    rows = []
    for name, entries in found.unstable.items():
        turn = next(turn for turn in entries[0].turns if turn.claim == name)
        values = ", ".join(label(entry) for entry in entries)
        rows.append(Row(code(name), [statements[name], pill(turn.base), values], verdict=turn.base))
    return Table(["Claim", "Statement", "At the values taken", "Turns with"], rows, look="words")


def _undecided(found: Sensitivity) -> Table:
    statements = {item.claim.id: item.claim.statement for item in simulated(found.base)}
    rows = [
        Row(code(name), [statements[name], *(", ".join(map(label, entries)) for entries in sides.values())])
        for name, sides in found.decided_elsewhere.items()
    ]
    return Table(["Claim", "Statement", "Holds with", "Fails with"], rows, look="words")


def _orders(found: Sensitivity) -> Table:
    rows = [
        Row(
            code(label(entry)),
            [
                x.setting,
                f"{x.score} {x.metric}",
                f"{x.better_at_base} before {x.better_now}",
                f"{x.better_now} before {x.better_at_base}",
            ],
        )
        for entry in found.ranked
        for x in entry.exchanges
    ]
    return Table(["Value", "Setting", "Score", "At the values taken", "Now"], rows, look="words")


def update_page(path: Path, found: Sensitivity, papers: Collection[str]) -> None:
    """Fill the places of a Markdown page, and write the figure beside it. ``papers`` are the names of all: on the page of another one, and
    for what is no paper, only places that carry the name of what was varied are filled."""
    known = blocks(found)
    paper, slash, _ = found.name.partition("/")
    named = known if slash else {f"{paper} {name}": block for name, block in known.items()}
    guest = paper not in papers or host_of(path, papers) not in (None, paper)
    fill(path, named if guest else known | named, True)
    name = f"{found.name.replace('/', '_')}-sensitivity.svg"
    picture = path.parent / "figures" / name
    if f"figures/{name}" in path.read_text(encoding="utf-8"):
        picture.parent.mkdir(parents=True, exist_ok=True)
        write_bytes_atomic(picture, encode(sensitivity_figure(found), "svg"))


def _strongest(entries: Sequence[Variation]) -> str:
    """The values that turn or decide a claim, those first that turn most verdicts, and how many more there are."""
    named = [f"`{label(entry)}`" for entry in entries[:TURNING_MOST]]
    more = len(entries) - len(named)
    return ", ".join(named) + (f" and {more} more" if more else "")


def blocks(found: Sensitivity) -> dict[str, str]:
    """The content of every block by name."""
    columns = None if scored(found) else -2  # without orders and shift
    parameters = [
        [
            f"`{entry.key}`",
            entry.where or "all",
            written(entry.taken),
            written(entry.value),
            f"{entry.turned} ({entry.loosened})" if entry.judged else "–",
            *counted(entry)[2:],
            shift_text(entry.shift, 2),
        ][:columns]
        for entry in found.ranked
    ]
    claims = []
    for name, entries in found.unstable.items():
        turn = next(turn for turn in entries[0].turns if turn.claim == name)
        claims.append([f"`{name}`", turn.base.value, _strongest(entries)])
    undecided = [
        [f"`{name}`", *map(_strongest, sides.values())] for name, sides in found.decided_elsewhere.items()
    ]
    orders = [
        [f"`{label(entry)}`", x.setting, f"{x.score} {x.metric}", x.better_at_base, x.better_now]
        for entry in found.ranked
        for x in entry.exchanges
    ]
    heads = [
        "parameter",
        "where",
        "taken",
        "value",
        "verdicts turned (loosened)",
        "unchanged",
        "orders turned",
        "shift",
    ]
    named = {
        "sensitivity command": f"```sh\n{found.command}\n```",
        "sensitivity parameters": pipe_table(heads[:columns], parameters),
        "sensitivity claims": pipe_table(["claim", "at the values taken", "turns with"], claims),
        "sensitivity undecided": pipe_table(["claim", "holds with", "fails with"], undecided),
        "sensitivity orders": pipe_table(
            ["value", "setting", "score", "ahead at the values taken", "ahead now"], orders
        ),
        "sensitivity counts": " ".join(
            filter(None, (_counts(found), left_out(found), stays(found), screening(found), refusals(found)))
        ),
    }
    part = f"{found.name} " if "/" in found.name else ""
    return {part + name: block for name, block in named.items()}
