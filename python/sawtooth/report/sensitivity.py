"""The sensitivity of a study as a figure, an HTML report and blocks of a Markdown page. Values come in, pages go out; nothing is run.

Blocks: ``sensitivity command`` (what was run), ``sensitivity parameters`` (what each value moves), ``sensitivity claims`` (which verdicts
turn, and by what), ``sensitivity orders`` (which orders turn), ``sensitivity counts``; those of a part of a paper have its name before
theirs (``akella2002/fig4 sensitivity counts``). The figure of a page lies beside it as ``figures/STUDY-sensitivity.svg``.
"""

from __future__ import annotations

from pathlib import Path
from typing import Final

import matplotlib as mpl
from matplotlib.figure import Figure
from matplotlib.patches import Patch

from sawtooth.atomic import write_bytes_atomic
from sawtooth.errors import MISSING, InputError
from sawtooth.papers.variation import PROMOTED, SCREENED, Sensitivity, Variation, simulated
from sawtooth.report import figures
from sawtooth.report.drawing import MODEL_STYLE, MUTED, SERIES, canvas, encode, figure_files
from sawtooth.report.elements import code, document, element, head, paragraph, pill, row, section, table, text
from sawtooth.report.markdown import fill
from sawtooth.report.pipe_table import pipe_table

ROWS_MOST: Final = 40
"""Variations that the figure shows, the strongest first."""


def label(entry: Variation) -> str:
    """A variation in words."""
    where = f" ({entry.where})" if entry.where and len(entry.where) < 40 else ""
    return f"{entry.key} = {entry.value}{where}"


def sensitivity_figure(found: Sensitivity) -> Figure:
    """Per variation: verdicts that turn and loosen, orders that turn, and the shift of D."""
    shown = found.ranked[:ROWS_MOST]
    names = [label(entry) for entry in shown]
    with mpl.rc_context(MODEL_STYLE):
        figure, panels = canvas(9.5, 0.9 + 0.2 * len(shown), 1, 3, sharey=True)
        places = range(len(shown))
        verdicts, orders, shift = panels
        turned = [entry.turned for entry in shown]
        verdicts.barh(places, turned, color=SERIES[5])
        verdicts.barh(places, [entry.loosened for entry in shown], left=turned, color=SERIES[1], alpha=0.5)
        orders.barh(places, [len(entry.exchanges) for entry in shown], color=SERIES[0])
        shift.barh(places, [entry.shift for entry in shown], color=MUTED)
        verdicts.set_yticks(list(places), names, fontsize=7.5)
        verdicts.invert_yaxis()
        for axes, title in zip(
            panels, ("verdicts", "pairs whose order turns", "shift of D, ranges"), strict=True
        ):
            axes.set_title(title, loc="left", fontsize=8.5)
            axes.grid(visible=False, axis="y")
            axes.set_xlim(left=0)
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


def write_sensitivity(found: Sensitivity, path: Path) -> list[Path]:
    """Write the HTML file ``path`` and the figure beside it as SVG and PDF."""
    drawn = figure_files(path.with_name(path.stem), sensitivity_figure(found))
    files = {path: page(found).encode(), **drawn}
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        for target, content in files.items():
            write_bytes_atomic(target, content)
    except OSError as error:
        accepted = f"a place that can be written ({error.strerror})"
        raise InputError("report", str(path), MISSING, accepted) from error
    return list(files)


def page(found: Sensitivity) -> str:
    """The whole document."""
    base = found.base
    seeds = len(base.parts[0].results.seeds)
    settings = sum(len(part.own) for part in base.parts)
    verdicts = simulated(base)
    lead = (
        f"{len(found.variations)} values of {len(found.parameters)} open parameters, one at a time, over "
        f"{settings} settings, {len(base.parts[0].results.environments)} environments and {seeds} seeds of "
        f"{base.parts[0].study.value_of('duration')}. "
        f"{len(found.unstable)} of {len(verdicts)} verdicts on runs turn somewhere in the plausible ranges."
    )
    parts = [
        element(
            "header",
            paragraph(f"Sawtooth report · {text(found.name)} · sensitivity", "kicker")
            + element("h1", "Open parameters, and what they decide")
            + paragraph(text(lead), "lead")
            + (paragraph(text(screening(found))) if screening(found) else "")
            + (paragraph(text(refusals(found))) if found.refused else "")
            + (paragraph(code(found.command)) if found.command else "")
            + paragraph(text(HOW), "muted"),
        ),
        element("figure", figures.inline(sensitivity_figure(found), "sensitivity", "What each value moves")),
        section("parameters", "What each value moves", _parameters(found)),
        section("claims", "Verdicts that turn", _claims(found)),
        section("orders", "Orders that turn", _orders(found)),
    ]
    return document(f"{found.name} sensitivity", parts)


HOW: Final = (
    "A verdict turns where the claim holds at one value and fails at the other, on what was run; it loosens where one of the two is "
    "undecided. An order turns where two algorithms exchange places in a score and both orders are decided at 95 % over paired seeds. "
    "Shift: mean change of D over the range of D among the algorithms."
)


def refusals(found: Sensitivity) -> str:
    """Values that could not be run beside the others, in words; nothing where there are none."""
    if not found.refused:
        return ""
    names = ", ".join(f"{key} = {value}" for key, value, _ in found.refused)
    return f"Left out, since the scenario refuses them beside the other values: {names}."


def screening(found: Sensitivity) -> str:
    """What was left at a first look, in words; nothing where all was judged."""
    left = len(found.variations) - len(found.judged)
    if not any(entry.move is not None for entry in found.variations):
        return ""
    return (
        f"Each value was first run with {SCREENED} seed. {left} of {len(found.variations)} move no score and no raw mean by more than "
        f"{PROMOTED:g} times what another seed does; their verdicts and orders were not judged."
    )


def counted(entry: Variation) -> tuple[str, str, str]:
    """Verdicts turned and loosened and orders turned, or that they were not judged."""
    if not entry.judged:
        return ("–", "–", "–")
    return (str(entry.turned), str(entry.loosened), str(len(entry.exchanges)))


def _parameters(found: Sensitivity) -> str:
    rows = [
        row(
            code(entry.key),
            [
                text(entry.where or "all"),
                text(entry.taken),
                text(entry.value),
                *counted(entry),
                f"{entry.shift:.3f}",
            ],
        )
        for entry in found.ranked
    ]
    heads = head("Key", "Where", "Taken", "Value", "Verdicts turned", "Loosened", "Orders turned", "Shift")
    return table([heads], rows)


def _claims(found: Sensitivity) -> str:
    statements = {item.claim.id: item.claim.statement for item in simulated(found.base)}
    rows = []
    for name, entries in found.unstable.items():
        turn = next(turn for turn in entries[0].turns if turn.claim == name)
        values = ", ".join(label(entry) for entry in entries)
        rows.append(row(code(name), [text(statements[name]), pill(turn.base), text(values)], words=True))
    heads = head("Claim", "Statement", "At the values taken", "Turns with")
    return table([heads], rows, kind="claims")


def _orders(found: Sensitivity) -> str:
    rows = [
        row(
            code(label(entry)),
            [
                text(x.setting),
                f"{x.score} {text(x.metric)}",
                text(f"{x.better_at_base} before {x.better_now}"),
                text(f"{x.better_now} before {x.better_at_base}"),
            ],
            words=True,
        )
        for entry in found.ranked
        for x in entry.exchanges
    ]
    return table([head("Value", "Setting", "Score", "At the values taken", "Now")], rows, kind="claims")


def update_page(path: Path, found: Sensitivity) -> None:
    """Fill the places of a Markdown page, and write the figure beside it."""
    fill(path, blocks(found), True)
    name = f"{found.name.replace('/', '_')}-sensitivity.svg"
    picture = path.parent / "figures" / name
    if f"figures/{name}" in path.read_text(encoding="utf-8"):
        picture.parent.mkdir(parents=True, exist_ok=True)
        write_bytes_atomic(picture, encode(sensitivity_figure(found), "svg"))


def blocks(found: Sensitivity) -> dict[str, str]:
    """The content of every block by name."""
    parameters = [
        [
            f"`{entry.key}`",
            entry.where or "all",
            str(entry.taken),
            str(entry.value),
            f"{entry.turned} ({entry.loosened})" if entry.judged else "–",
            counted(entry)[2],
            f"{entry.shift:.2f}",
        ]
        for entry in found.ranked
    ]
    claims = []
    for name, entries in found.unstable.items():
        turn = next(turn for turn in entries[0].turns if turn.claim == name)
        claims.append([f"`{name}`", turn.base.value, ", ".join(f"`{label(entry)}`" for entry in entries)])
    orders = [
        [f"`{label(entry)}`", x.setting, f"{x.score} {x.metric}", x.better_at_base, x.better_now]
        for entry in found.ranked
        for x in entry.exchanges
    ]
    first = found.base.parts[0]
    heads = ["parameter", "where", "taken", "value", "verdicts turned (loosened)", "orders turned", "shift"]
    first_look = screening(found)
    named = {
        "sensitivity command": f"```sh\n{found.command}\n```",
        "sensitivity parameters": pipe_table(heads, parameters),
        "sensitivity claims": pipe_table(["claim", "at the values taken", "turns with"], claims),
        "sensitivity orders": pipe_table(
            ["value", "setting", "score", "ahead at the values taken", "ahead now"], orders
        ),
        "sensitivity counts": (
            f"Run for `{found.name}`, {len(first.results.seeds)} seeds of {first.study.value_of('duration')}: "
            f"{len(found.unstable)} of {len(simulated(found.base))} verdicts on runs turn, "
            f"{sum(1 for entry in found.variations if entry.turned)} of {len(found.variations)} values turn at least one"
            + "".join(f". {words.removesuffix('.')}" for words in (first_look, refusals(found)) if words)
        ),
    }
    part = f"{found.name} " if "/" in found.name else ""
    return {part + name: block for name, block in named.items()}
