"""Fills docs/controllers.md and draws its figures: `python -m tools.gallery [NAME…]`; of some controllers alone, if they are named.

One flow of each controller on the path of examples/gallery.toml: its window, the states of its sender and the queue. The sentences on the
page are written by people; what stands between the marks, and every number, is made here.

| choice                  | value                 | why                                                                            |
|-------------------------|-----------------------|--------------------------------------------------------------------------------|
| numbers of the laws     | those of ENTRIES      | the defaults; where a law has none, those of its own paper or the most usual   |
| queue of DCTCP, Prague  | marks from 1 ms on    | RFC 8257 §3.1, RFC 9331 §5.1: without marks both are other laws                 |
| samples                 | every 125 ms          | about one per dot of the figure, so that none takes more than 60 kB             |

Source: none. A figure has two sets of colours and takes that of whoever looks, as the pages of reports do.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Mapping
from pathlib import Path as File
from typing import Any, Final

import matplotlib as mpl
import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Patch, PathPatch
from matplotlib.path import Path
from numpy.typing import NDArray

from sawtooth.report import sender_panels
from sawtooth.report.drawing import INK, MODEL_STYLE, MUTED, SERIES
from sawtooth.report.figures import VARIABLES, round_places, standalone
from sawtooth.report.run_traces import traces_of
from sawtooth.report.sender_traces import SenderTrace, Spans
from sawtooth.report.trace_data import Traces
from sawtooth.report.trace_panels import corners, excursions, thresholds, window_limit
from sawtooth.run.api import job_of, scenario_of
from sawtooth.run.run import Run, execute

ROOT = File(__file__).resolve().parents[1]
PAGE = ROOT / "docs" / "controllers.md"
FIGURES = ROOT / "docs" / "figures"
SCENARIO = ROOT / "examples" / "gallery.toml"
STYLES = ROOT / "python" / "sawtooth" / "report" / "templates" / "page.css"
PLACE = re.compile(r"(<!-- gallery: (\S+) -->\n).*?(<!-- end -->)", re.DOTALL)

MARKS: Final[Mapping[str, Any]] = {"bottleneck.queue": {"kind": "step", "threshold": "1 ms"}}
ENTRIES: Final[Mapping[str, tuple[str, Mapping[str, Any]]]] = {
    "aimd": ("aimd(1, 0.5)", {}),
    "aiad": ("aiad(1, 3)", {}),
    "mimd": ("mimd(1.125, 0.8)", {}),
    "miad": ("miad(1.125, 3)", {}),
    "aimad": ("aimad", {}),
    "maimd": ("maimd", {}),
    "aimd-fc": ("aimd-fc(1, 0.5)", {}),
    "aimd-fc+": ("aimd-fc+(1, 0.5)", {}),
    "iiad": ("iiad", {}),
    "sqrt": ("sqrt", {}),
    "simd": ("simd", {}),
    "aild": ("aild(1, 135)", {}),
    "two-step": ("two-step(1)", {}),
    "cubic": ("cubic", {}),
    "prague": ("prague", MARKS),
    "dctcp": ("dctcp", MARKS),
    "vegas": ("vegas", {}),
    "ledbat": ("ledbat", {}),
    "copa": ("copa", {}),
    "bbr": ("bbr", {}),
    "bbr-1": ("bbr-1", {}),
    "tfrc": ("tfrc", {}),
    "tfrc-5348": ("tfrc-5348", {}),
    "rap": ("rap", {}),
    "nada": ("nada(rmax = 12000)", {}),
}
"""By controller, what is written for it, and values of its own."""
SAME: Final[Mapping[str, str]] = {"tcp": "aimd", "linear": "aimd", "binomial": "sqrt"}
"""Constructors that only write the law of another one with numbers of one's own."""

SAMPLE: Final = "125 ms"
WIDTH, HEIGHT = 7.2, 3.3
"""Inches."""
DECIMALS: Final = re.compile(r"(\d+\.\d)\d+")
"""A tenth of a point is a seventh of a pixel."""
PIXELS: Final = 400
"""Signs closer than the duration over this many are one stroke."""
PIPE: Final = 50.0
"""Packets that the path holds at its full rate, without a queue."""


def command(name: str) -> str:
    """What a reader types for the whole figure of a controller."""
    written, values = ENTRIES[name]
    quoted = f"'{written}'" if "(" in written else written
    queue = ' --set \'bottleneck.queue={kind="step", threshold="1 ms"}\'' if values else ""
    return f"sawtooth run examples/{SCENARIO.name} --set flows.control={quoted}{queue} --plot {name}.svg"


def simulated(name: str) -> Run:
    """The run of a controller, with what its figure needs."""
    written, values = ENTRIES[name]
    record = {f"record.{key}": True for key in ("windows", "congestion")}
    own: dict[str, Any] = {"flows.control": written, **values}
    scenario = scenario_of(SCENARIO, own)
    if scenario.has_phases:
        record["record.senders"] = True
    if scenario.flows[0].control.has_model:
        record["record.model"] = True
    return execute(
        job_of(scenario_of(SCENARIO, {**own, **record, "record.sample": SAMPLE, "record.rates": "1 s"}))
    )


def figure(run: Run) -> Figure:
    """Window, states and queue; a rate-based sender has no states."""
    traces = traces_of(run)
    sender = next(iter(traces.senders), None)
    rate = traces.flows[0].rate_based
    ratios = [1.9, 1.0] if rate else [1.9, 0.16, 1.0]
    with mpl.rc_context({**MODEL_STYLE, "font.size": 8.5}):
        found = Figure(figsize=(WIDTH, HEIGHT), layout="constrained")
        window, *state, queue = found.subplots(len(ratios), 1, sharex=True, height_ratios=ratios)
        window.set_xlim(0.0, traces.duration_ns / 1e9)
        _window(window, traces, sender)
        _queue(queue, traces)
        for axes, shown in zip(state, traces.senders, strict=False):
            names = _states(axes, shown)
            handles = [
                Patch(facecolor=sender_panels.COLOURS[name], linewidth=0.0, label=name) for name in names
            ]
            found.legend(handles=handles, loc="outside upper right", ncols=4, fontsize=7.5, handlelength=1.2)
        for axes in (window, *state, queue):
            axes.tick_params(axis="x", length=3 if axes is queue else 0)
        queue.set_xlabel("time (s)")
    return found


def _window(axes: Axes, traces: Traces, sender: SenderTrace | None) -> None:
    """The window, its threshold and the bounds of BBR; what leaves the scale of the part after the start has a triangle."""
    limit = max(window_limit(traces.windows, traces.warmup_ns)[0], 1.1 * PIPE)
    _pipe(axes, traces)
    sender_panels.bounds(axes, traces)
    time_s, window = corners(traces.windows)
    axes.plot(time_s, window, color=SERIES[0], linewidth=1.1)
    at, threshold = thresholds(traces.windows)
    moved = _corners(threshold)
    at, threshold = at[moved], threshold[moved]
    axes.step(at, threshold, where="post", color=SERIES[0], linewidth=0.8, linestyle=(0, (3, 2)), alpha=0.8)
    beyond = excursions(time_s, window, limit)
    look: dict[str, Any] = {"markersize": 4.0, "clip_on": False, "in_layout": False, "zorder": 5}
    axes.plot(beyond, np.full(beyond.size, limit), "^", color=SERIES[0], **look)
    if sender is not None and sender.undone_s.size:
        axes.plot(
            sender.undone_s, np.full(sender.undone_s.size, 0.04 * limit), "D", color=SERIES[0], markersize=3.5
        )
    axes.set_ylim(0.0, limit)
    rate = any(flow.rate_based for flow in traces.flows)
    axes.set_ylabel("rate × RTT\n(packets)" if rate else "window\n(packets)")


def _pipe(axes: Axes, traces: Traces) -> None:
    """What the path holds without a queue, from the rate at each time."""
    full = float(traces.available.values.max())
    ends = np.append(traces.available.times_ns, traces.duration_ns) / 1e9
    axes.stairs(
        PIPE * traces.available.values / full, ends, baseline=None, color=MUTED, linewidth=0.8, linestyle=":"
    )


def _states(axes: Axes, sender: SenderTrace) -> list[str]:
    """The states as bands; returns the names of those that there are."""
    least = axes.get_xlim()[1] / (2 * PIXELS)
    for name in dict.fromkeys(span[0] for span in sender.spans):
        thin = sender.model is not None and name == "fast recovery"
        low, high = (0.3, 0.7) if thin else (0.0, 1.0)
        boxes = [
            Path([(begin, low), (begin, high), (end, high), (end, low), (begin, low)])
            for begin, end in _joined(sender.spans, name, least)
        ]
        whole = Path.make_compound_path(*boxes)
        axes.add_patch(PathPatch(whole, facecolor=sender_panels.COLOURS[name], linewidth=0.0))
    axes.set_ylim(0.0, 1.0)
    axes.set_yticks([])
    axes.grid(visible=False)
    axes.set_ylabel("state", rotation=0, ha="right", va="center")
    there = {name for name, _, _ in sender.spans}
    return [name for name in sender_panels.COLOURS if name in there]


def _joined(spans: Spans, name: str, least: float) -> list[tuple[float, float]]:
    """The stretches of a state; those with less than `least` seconds between them are one."""
    found: list[tuple[float, float]] = []
    for state, begin, end in spans:
        if state == name and found and begin - found[-1][1] < least:
            found[-1] = (found[-1][0], end)
        elif state == name:
            found.append((begin, end))
    return found


def _queue(axes: Axes, traces: Traces) -> None:
    """The backlog, the buffer, and strokes above it for packets that were lost or marked."""
    (queue,) = traces.queues
    corner = _corners(queue.backlog)
    time_s = queue.times_ns[corner] / 1e9
    axes.fill_between(time_s, queue.backlog[corner], color=SERIES[0], alpha=0.35, linewidth=0.0)
    axes.axhline(PIPE, color=INK, linestyle="--", linewidth=0.8)
    step = traces.duration_ns // PIXELS
    for name, colour in (("lost", SERIES[5]), ("marked", SERIES[3])):
        times = next((when for sign, when in traces.signs.items() if sign.startswith(f"packet {name}")), None)
        if times is not None:
            strokes = np.repeat(np.unique(times // step) * step / 1e9, 3)
            heights = np.tile([1.06 * PIPE, 1.26 * PIPE, np.nan], strokes.size // 3)
            axes.plot(strokes, heights, color=colour, linewidth=0.7)
    axes.set_ylim(0.0, 1.3 * PIPE)
    axes.set_yticks([0, 25, 50])
    axes.set_ylabel("queue\n(packets)")


def _corners(values: NDArray[np.float64]) -> NDArray[np.bool_]:
    """Where a line of these values does not go on as it came."""
    level = np.diff(values) == 0.0
    kept = np.ones(values.size, bool)
    kept[1:-1] = ~(level[:-1] & level[1:])
    return kept


def drawn(found: Figure, name: str) -> str:
    """The figure as a file with two sets of colours, of which the reader's own is taken."""
    with mpl.rc_context(MODEL_STYLE):
        round_places(found)
    svg = standalone(found, f"gallery {name}")
    for colour, variable in VARIABLES.items():
        svg = svg.replace(colour, variable)
    light, dark = re.findall(r":root\{(.*?)\}", STYLES.read_text(encoding="utf-8"), re.DOTALL)[:2]
    style = f"<style>:root{{{_colours(light)}}}@media (prefers-color-scheme:dark){{:root{{{_colours(dark)}}}}}</style>"
    svg = re.sub(r"<metadata>.*?</metadata>\s*|<!--.*?-->\s*", "", svg, flags=re.DOTALL)
    svg = re.sub(
        r'(?<=<path id="DejaVu)[^"]*" d="[^"]*', lambda glyph: re.sub(r"(?<=\d)\.\d+", "", glyph[0]), svg
    )
    svg = re.sub(r'(?<= d=")[^"]*', lambda path: DECIMALS.sub(r"\1", path[0]).replace(" \n", " "), svg)
    svg = re.sub(r'(?<= d=")[^"QC]*(?=")', lambda path: path[0].replace(" L ", " "), svg)
    svg = re.sub(r"M (\S+) (\S+) \1 (\S+) (\S+) \3 \4 \2 \1 \2 ", r"M\1 \2V\3H\4V\2z", svg)
    svg = re.sub(r'M (\S+) (\S+) \1 (\S+) (?=[M"])', r"M\1 \2V\3", svg)
    svg = re.sub(r'(?<= [xy]=")[^"]*', lambda place: DECIMALS.sub(r"\1", place[0]), svg)
    svg = re.sub(r"\n +", "\n", svg)
    return re.sub(r"(<svg [^>]*>)", lambda start: start[1] + style, svg, count=1)


def _colours(text: str) -> str:
    """The colours that figures use, of a block of the style sheet."""
    wanted = "|".join(variable.removeprefix("var(").removesuffix(")") for variable in VARIABLES.values())
    return ";".join(re.findall(rf"(?:{wanted}):#[0-9a-f]+", re.sub(r"\s+", "", text)))


def block(name: str, run: Run) -> str:
    """What stands between the marks of a controller: its figure, its numbers, and the command."""
    values = run.values
    told = [
        f"goodput {100 * values['goodput']:.0f} % of what was available",
        f"mean queueing delay {values['delay']:.1f} ms (p99 {values['delay_p99']:.0f} ms)",
        f"{values['loss']:.2f} % of packets lost",
    ]
    if values["marks"]:
        told.append(f"{values['marks']:,.0f} packets marked")
    file = figure_file(name).name
    written = ENTRIES[name][0]
    return f"![Window, states and queue of {written}](figures/{file})\n\n{'; '.join(told)}.\n\n```sh\n{command(name)}\n```\n"


def figure_file(name: str) -> File:
    """Where the figure of a controller lies."""
    return FIGURES / f"gallery-{name.replace('+', '-plus')}.svg"


def filled(page: str, blocks: Mapping[str, str]) -> str:
    """The page with the blocks in their places; places of other controllers stay."""
    return PLACE.sub(
        lambda found: f"{found[1]}{blocks[found[2]]}{found[3]}" if found[2] in blocks else found[0], page
    )


def main(names: list[str]) -> None:
    """Draws, and fills the page."""
    if unknown := sorted(set(names) - set(ENTRIES)):
        sys.exit(
            f"tools.gallery: {', '.join(unknown)}: expected some of {', '.join(ENTRIES)}, or nothing for all"
        )
    blocks = {}
    for name in names or list(ENTRIES):
        run = simulated(name)
        figure_file(name).write_text(drawn(figure(run), name), encoding="utf-8")
        blocks[name] = block(name, run)
        print(f"{name}: {figure_file(name).stat().st_size / 1e3:.0f} kB")
    if PAGE.exists():
        PAGE.write_text(filled(PAGE.read_text(encoding="utf-8"), blocks), encoding="utf-8")


if __name__ == "__main__":
    main(sys.argv[1:])
