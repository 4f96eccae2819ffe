"""How results show themselves: one short text, a table and a figure each, for notebooks and for prompts.

`repr` says what it is in a few lines, `_repr_html_` is the table that a notebook shows, and `plot()` gives a `Plot`, which a notebook draws
and `save` writes as SVG, PDF or PNG. The classes of results call the functions here; what draws is loaded when somebody asks for a figure,
so results themselves know no report. What is shown of each is a protocol here or in what draws, which know no results in turn.

| parameter | unit | default | why                                        |
|-----------|------|---------|--------------------------------------------|
| LINES     | lines | 6      | sentences in a `repr`                       |

Source: none.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Protocol

from sawtooth.errors import InputError
from sawtooth.plurals import number_of

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from sawtooth.claims.table import Judged
    from sawtooth.experiment.matrix import Results, SettingBlock
    from sawtooth.experiment.study import Study
    from sawtooth.measure.run_data import RunData
    from sawtooth.report.sweep_figure import Swept

LINES: Final = 6
SHOWN_UNITS: Final = {
    "goodput": " of the available bandwidth",
    "fairness": " spread / mean",
    "delay": " ms",
    "loss": " %",
}
"""The metrics of a `repr`, and what stands behind their values."""


class Plot:
    """A figure: a notebook shows it, ``save`` writes it. ``figure`` is matplotlib's, to be changed at will."""

    def __init__(self, figure: Figure, encode: Callable[[str], bytes], what: str) -> None:
        self.figure = figure
        self._encode = encode
        self._what = what

    def __repr__(self) -> str:
        return f"<Plot of {self._what}: .save('figure.pdf')>"

    def _repr_svg_(self) -> str:
        return self._encode("svg").decode()

    def save(self, path: Path | str) -> Path:
        """Write the figure as the name says: .svg, .pdf or .png. InputError for another ending or no such directory."""
        from sawtooth.atomic import write_bytes_atomic
        from sawtooth.report.figure_file import format_of

        file = Path(path)
        write_bytes_atomic(file, self._encode(format_of(file)))
        return file


# --- a run ---------------------------------------------------------------------------------------------------------------------------


def run_text(run: RunData) -> str:
    """The run in two lines."""
    values = ", ".join(f"{name} {_number(run.values[name])}{unit}" for name, unit in SHOWN_UNITS.items())
    recorded = f", recorded {', '.join(run.records)}" if run.records else ""
    name = run.meta.get("name", "scenario")
    return f"<Run {run.run_id} of {name}, seed {run.seed}: {number_of(run.flows.num_rows, 'flow')}{recorded}\n {values}>"


def run_html(run: RunData) -> str:
    """Its flows."""
    from sawtooth.html_table import ROWS, html_table

    heads = [
        "flow",
        "controller",
        "recovery",
        "goodput, Mbit/s",
        "loss, %",
        "timeouts",
        "mean window, packets",
    ]
    rows = [
        [
            row["id"],
            row["controller"],
            row["recovery"],
            _number(row["goodput_bps"] / 1e6),
            _number(row["loss_pct"]),
            "–" if row["timeouts"] is None else row["timeouts"],
            "–" if row["window_mean"] is None else _number(row["window_mean"]),
        ]
        for row in run.flows.slice(0, ROWS).to_pylist()
    ]
    return html_table(run_text(run), heads, rows, run.flows.num_rows, left=3)


def run_plot(run: RunData, simulated: Callable[[dict[str, Any]], RunData]) -> Plot:
    """Throughput, windows, round-trip times, queues and losses over time. A run that did not record them is ``simulated`` once more."""
    from sawtooth.report.drawing import encode
    from sawtooth.report.run_traces import traces_of, with_series_recorded
    from sawtooth.report.traces import RUN_STYLE, run_figure

    wanted = with_series_recorded(run.engine)
    recorded = run if wanted == run.engine["record"] else simulated({**run.engine, "record": wanted})
    figure = run_figure(traces_of(recorded))
    return Plot(figure, lambda form: encode(figure, form, RUN_STYLE), f"run {run.run_id}")


# --- a comparison --------------------------------------------------------------------------------------------------------------------


class Compared(Protocol):
    """What is shown of a comparison (``comparison.Comparison`` has it)."""

    @property
    def study(self) -> Study: ...
    @property
    def results(self) -> Results: ...
    @property
    def own(self) -> Sequence[SettingBlock]: ...
    @property
    def run_ids(self) -> Sequence[str]: ...
    @property
    def sentences(self) -> Sequence[str]: ...


def comparison_text(found: Compared) -> str:
    """What was compared, and who leads in what."""
    results = found.results
    size = [
        number_of(len(found.study.algorithm), "controller"),
        number_of(len(found.own), "setting"),
        number_of(len(results.environments), "environment"),
        number_of(len(results.seeds), "seed"),
    ]
    said = found.sentences or _alone(found)
    lines = [
        f"<Comparison {found.study.name}: {', '.join(size)}; {number_of(len(found.run_ids), 'run')}",
        *said[:LINES],
    ]
    more = [f"and {len(said) - LINES} more: .sentences"] if len(said) > LINES else []
    return "\n ".join([*lines, *more]) + ">"


def _alone(found: Compared) -> list[str]:
    """The scored metrics of a controller alone, of which no other is ahead or behind."""
    from sawtooth.experiment.intervals import interval
    from sawtooth.report.tables import RAW_DECIMALS, with_spread

    return [
        f"{block.setting}, {name}: "
        + ", ".join(
            f"{metric} {with_spread(interval(block.of(name, metric).mean(axis=0)), RAW_DECIMALS[metric])}{unit}"
            for metric, unit in SHOWN_UNITS.items()
        )
        for block in found.own
        for name in block.algorithms
    ]


def comparison_html(found: Compared) -> str:
    """The scored metrics of every controller, mean over seeds and environments, and who leads."""
    from html import escape

    from sawtooth.experiment.intervals import interval
    from sawtooth.experiment.scoring import SCORED
    from sawtooth.html_table import html_table
    from sawtooth.report.tables import RAW_DECIMALS, UNITS, with_spread

    heads = ["setting", "controller", *(f"{name}, {UNITS[name]}" for name in SCORED)]
    rows = [
        [
            block.setting,
            name,
            *(
                with_spread(interval(block.of(name, metric).mean(axis=0)), RAW_DECIMALS[metric])
                for metric in SCORED
            ),
        ]
        for block in found.own
        for name in block.algorithms
    ]
    places = number_of(len(found.results.environments), "environment")
    title = f"{found.study.name}: mean over {places} and {_seeds(found.results.seeds)}"
    said = "".join(f"<li>{escape(text)}</li>" for text in found.sentences[:LINES])
    return html_table(title, heads, rows, len(rows), left=2) + (f"<ul>{said}</ul>" if said else "")


def comparison_plot(found: Compared, setting: str | None = None) -> Plot:
    """Goodput over delay, bars with intervals, and maps. InputError where there are several settings and none is chosen."""
    from sawtooth.report.compare_figures import block_figure
    from sawtooth.report.drawing import encode

    blocks = {block.setting: block for block in found.own}
    if not blocks:
        raise InputError(
            "plot",
            None,
            found.study.name,
            "a study with cells; this one has figures over probes in its report",
        )
    if setting is None and len(blocks) > 1:
        raise InputError("plot", "setting", setting, f"one of {', '.join(blocks)}")
    chosen = next(iter(blocks)) if setting is None else setting.replace("drop-tail", "droptail")
    if chosen not in blocks:
        raise InputError("plot", "setting", setting, f"one of {', '.join(blocks)}")
    figure = block_figure(blocks[chosen])
    return Plot(figure, lambda form: encode(figure, form), f"{found.study.name}, {chosen}")


# --- a sweep -------------------------------------------------------------------------------------------------------------------------


def sweep_html(found: Swept) -> str:
    """A row per combination: means over the seeds."""
    from sawtooth.experiment.scoring import SCORED
    from sawtooth.html_table import html_table
    from sawtooth.report.tables import RAW_DECIMALS, UNITS, with_spread

    heads = [*found.over, *(f"{name}, {UNITS[name]}" for name in SCORED)]
    rows = [
        [
            *map(found.text, values.values()),
            *(with_spread(means[name], RAW_DECIMALS[name]) for name in SCORED),
        ]
        for values, means in found.groups()
    ]
    title = f"{found.scenario}: mean over {_seeds(found.seeds)}"
    return html_table(title, heads, rows, len(rows), left=len(found.over))


def sweep_plot(found: Swept, metrics: Sequence[str] = (), over: str | None = None) -> Plot:
    """Metrics over the values of one key, a line for each combination of the others. InputError for unknown names."""
    from sawtooth.report.drawing import encode
    from sawtooth.report.sweep_figure import sweep_figure

    figure = sweep_figure(found, metrics, over)
    return Plot(figure, lambda form: encode(figure, form), f"a sweep of {found.scenario}")


# --- a reproduction ------------------------------------------------------------------------------------------------------------------


class Reproduced(Protocol):
    """What is shown of a reproduction (``reproduction.Reproduction`` has it)."""

    @property
    def name(self) -> str: ...
    @property
    def parts(self) -> Sequence[Compared]: ...
    @property
    def judged(self) -> Sequence[Judged]: ...
    @property
    def run_ids(self) -> Sequence[str]: ...
    @property
    def report(self) -> Path | None: ...


def reproduction_text(found: Reproduced) -> str:
    """What was reproduced, and how many claims hold."""
    from sawtooth.display_verdicts import judged_text

    return judged_text(
        found, "Reproduction", [number_of(len(found.parts), "study"), number_of(len(found.run_ids), "run")]
    )


def reproduction_html(found: Reproduced) -> str:
    """Every claim with its verdict."""
    from sawtooth.display_verdicts import judged_html

    return judged_html(found, reproduction_text(found))


def reproduction_plot(found: Reproduced, part: str | None = None, setting: str | None = None) -> Plot:
    """The figure of one of its studies. InputError where there are several and none is chosen."""
    parts = {entry.study.name: entry for entry in found.parts}
    if part is None and len(parts) > 1:
        raise InputError("plot", "part", part, f"one of {', '.join(parts)}")
    chosen = next(iter(parts)) if part is None else part
    if chosen not in parts:
        raise InputError("plot", "part", chosen, f"one of {', '.join(parts)}")
    return comparison_plot(parts[chosen], setting)


# --- what all share ------------------------------------------------------------------------------------------------------------------


def _seeds(seeds: Sequence[str]) -> str:
    return number_of(len(seeds), "seed") + (", with its 95 % interval" if len(seeds) > 1 else "")


def _number(value: float | None) -> str:
    return "–" if value is None or value != value else f"{value:.4g}"
