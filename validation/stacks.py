"""`python -m validation.stacks`: fills the tables of docs/stacks.md from fresh runs, with the libraries that `make stacks` has built.

Every controller runs over the same networks and seeds; differences are taken seed by seed. *Throughput* is what the bottleneck forwards
over its capacity, *goodput* what applications read: the headers and the encryption of a stack are in the one and not in the other, while a
packet of ours is all data.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextvars import copy_context
from functools import cache, partial
from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

import sawtooth as st
from sawtooth.experiment.intervals import Interval, interval
from sawtooth.report.markdown import fill
from sawtooth.report.tables import number
from sawtooth.run.used import note, watching
from sawtooth.scenario.described import describe
from validation.page import markdown

ROOT: Final = Path(__file__).resolve().parents[1]
PAGE: Final = ROOT / "docs" / "stacks.md"
LIBRARIES: Final = tuple(
    ROOT / "stacks" / "target" / "release" / f"lib{name}.so" for name in ("s2n", "quinn", "noq")
)
SEEDS: Final = tuple(str(seed) for seed in range(1, 6))
WORKERS: Final = 4
FLOWS: Final = (1, 4)
BUFFERS: Final = (0.3, 1, 3)
FAMILIES: Final[Mapping[str, tuple[str, ...]]] = {
    "aimd(1, 0.5)": ("quinn(newreno)", "noq(newreno)"),
    "cubic": ("s2n(cubic)", "quinn(cubic)", "noq(cubic)"),
    "bbr": ("s2n(bbr)", "noq(bbr3)"),
    "bbr-1": ("quinn(bbr)",),
}
"""By controller of ours, those of stacks with the same law; BBR of quinn-proto is version 1, that of s2n-quic-core version 2."""
MIXED: Final = (
    ("aimd(1, 0.5)", "quinn(newreno)"),
    ("cubic", "quinn(cubic)"),
    ("cubic", "noq(cubic)"),
    ("cubic", "noq(bbr3)"),
    ("cubic", "quinn(bbr)"),
    ("bbr", "noq(bbr3)"),
)
ROUNDED: Final = ("cubic", "cubic(fast_convergence=0)", "cubic(integer=1)", "quinn(cubic)", "noq(cubic)")
"""What one flow of CUBIC does over the smallest buffer, by its rules on W_max and on fractions of packets."""
BURSTS: Final = ("quinn(cubic)", "noq(cubic)")
"""Stacks whose share beside ours is taken with and without pacing of ours."""
THROUGHPUT, QUEUE = 5.0, 20.0
"""By how many percent throughput and mean queue of a stack may differ from ours."""

Values = NDArray[np.float64]


def written() -> str:
    """Every plug-in that is loaded, as one writes it, with its stack and the version that it was built with."""
    rows = []
    for row in describe()["controllers"]:
        if "plugin" in row:
            stack, _, law = row["name"].partition("-")
            rows.append([f"`{stack}({law})`", row["summary"], row["source"]])
    return markdown(["written", "what", "crate"], rows)


def network(groups: Sequence[tuple[str, int]], buffer: float, **tcp: str) -> dict[str, Any]:
    """20 Mbit/s, a round trip of 50 ms, drop-tail; groups of a controller and how many flows it has, and settings of ours."""
    flows = [
        {"count": count, "control": control, "recovery": "quic", "packet": "1500 B"}
        for control, count in groups
    ]
    return {
        "duration": "40 s",
        "warmup": "15 s",
        "bottleneck": {"rate": "20 Mbit/s", "buffer": f"{buffer:g} bdp"},
        "path": {"rtt": "50 ms"},
        "flows": flows,
        **({"tcp": tcp} if tcp else {}),
    }


@cache
def measured(control: str, flows: int, buffer: float) -> Mapping[str, Values]:
    """By seed: throughput and goodput in %, queueing delay in ms, loss in %."""
    rows = []
    for seed in SEEDS:
        run = st.run(network([(control, flows)], buffer), seed=seed)
        note(run.behaviour)
        queue = run.queues.to_pylist()[0]
        throughput = 100 * queue["forwarded_bytes"] / queue["capacity_bytes"]
        rows.append((throughput, 100 * run.values["goodput"], run.values["delay"], run.values["loss"]))
    return dict(zip(("throughput", "goodput", "delay", "loss"), np.array(rows).T, strict=True))


def shown(values: Values, decimals: int) -> str:
    """A mean with its interval."""
    found = interval(values)
    return f"{number(found.mean, decimals)} ± {number(_half(found), decimals)}"


def _half(found: Interval) -> float:
    return 0.0 if found.half_width is None else found.half_width


def _everybody() -> Iterator[tuple[str, str]]:
    for ours, theirs in FAMILIES.items():
        yield ours, ours
        for control in theirs:
            yield ours, control


def cells() -> str:
    """Every controller over every network."""
    rows = []
    for flows in FLOWS:
        for buffer in BUFFERS:
            for _, control in _everybody():
                found = measured(control, flows, buffer)
                decimals = (("throughput", 1), ("goodput", 1), ("delay", 1), ("loss", 3))
                numbers = [shown(found[name], places) for name, places in decimals]
                rows.append([str(flows), f"{buffer:g}", f"`{control}`", *numbers])
    return markdown(
        ["flows", "buffer", "controller", "throughput %", "goodput %", "queueing delay ms", "loss %"], rows
    )


def difference(control: str, ours: str, name: str, flows: int, buffer: float) -> Values:
    """By seed, in percent of ours."""
    theirs, mine = measured(control, flows, buffer)[name], measured(ours, flows, buffer)[name]
    return 100 * (theirs / mine - 1)


def judged(found: Values, allowed: float) -> str:
    """A difference from ours, bold where its mean is beyond what is allowed."""
    text = shown(found, 1)
    return text if abs(float(found.mean())) <= allowed else f"**{text}**"


def against_ours() -> str:
    """Differences from ours in percent; bold where their mean is beyond what is allowed."""
    rows = []
    for ours, control in _everybody():
        if control == ours:
            continue
        for flows in FLOWS:
            for buffer in BUFFERS:
                cell = (control, ours)
                texts = [
                    judged(difference(*cell, name, flows, buffer), allowed)
                    for name, allowed in (("throughput", THROUGHPUT), ("delay", QUEUE))
                ]
                rows.append([f"`{control}`", f"`{ours}`", str(flows), f"{buffer:g}", *texts])
    return markdown(
        ["stack", "ours", "flows", "buffer", "throughput, difference %", "mean queue, difference %"], rows
    )


@cache
def share(ours: str, control: str, buffer: float, **tcp: str) -> Values:
    """By seed, of two flows of ours, with these settings, and two of a stack: the stack's share in the packets that arrive, in %."""
    found = []
    for seed in SEEDS:
        run = st.run(network([(ours, 2), (control, 2)], buffer, **tcp), seed=seed)
        note(run.behaviour)
        arrived = run.flows.column("delivered_total").to_numpy()
        found.append(100 * arrived[2:].sum() / arrived.sum())
    return np.array(found)


def shares() -> str:
    """Two flows of ours beside two of a stack: the stack's share of the packets that arrive."""
    rows = []
    for ours, control in MIXED:
        texts = [shown(share(ours, control, buffer), 0) for buffer in BUFFERS]
        rows.append([f"`{control}`", f"`{ours}`", *texts])
    return markdown(["stack", "beside", *(f"share %, buffer {buffer:g}" for buffer in BUFFERS)], rows)


def rounded() -> str:
    """The mean queue of one flow of CUBIC over the smallest buffer."""
    rows = [[f"`{control}`", shown(measured(control, 1, BUFFERS[0])["delay"], 1)] for control in ROUNDED]
    return markdown(["controller", "mean queue ms"], rows)


def bursts() -> str:
    """The share of CUBIC of a stack beside ours, unpaced and paced."""
    rows = []
    for control in BURSTS:
        for pacing in ("off", "on"):
            found = [share("cubic", control, buffer, pacing=pacing) for buffer in BUFFERS]
            rows.append([f"`{control}`", pacing, *(shown(values, 0) for values in found)])
    heads = (f"share %, buffer {buffer:g}" for buffer in BUFFERS)
    return markdown(["stack", "`tcp.pacing` of ours", *heads], rows)


def load(libraries: Sequence[Path]) -> bool:
    """Load these plug-ins, or say which one is not there."""
    missing = [path for path in libraries if not path.exists()]
    if missing:
        sys.stderr.write(f"{missing[0].relative_to(ROOT)}: not there; `make stacks` builds it\n")
        return False
    for path in libraries:
        st.load_plugin(path)
    return True


def measure(cells: Sequence[tuple[Callable[..., object], tuple[Any, ...], Mapping[str, str]]]) -> None:
    """Make these measurements ahead, side by side: function, arguments, and settings of ours."""
    with ThreadPoolExecutor(WORKERS) as pool:
        # Each in a context of its own, so that what its runs use is noted where somebody watches.
        waiting = [pool.submit(copy_context().run, partial(what, *cell, **tcp)) for what, cell, tcp in cells]
        for made in waiting:
            made.result()


def main() -> int:
    """Fill the page."""
    if not load(LIBRARIES):
        return 2
    alone = [(control, flows, buffer) for _, control in _everybody() for flows in FLOWS for buffer in BUFFERS]
    alone += [(control, 1, BUFFERS[0]) for control in ROUNDED]
    together = [(ours, control, buffer) for ours, control in MIXED for buffer in BUFFERS]
    paced = [("cubic", control, buffer) for control in BURSTS for buffer in BUFFERS]
    with watching():
        measure(
            [(measured, cell, {}) for cell in alone]
            + [(share, cell, {}) for cell in together]
            + [(share, cell, {"pacing": pacing}) for cell in paced for pacing in ("off", "on")]
        )
        blocks = {
            "cells": cells(),
            "against ours": against_ours(),
            "shares": shares(),
            "rounded": rounded(),
            "bursts": bursts(),
            "written": written(),
        }
        fill(PAGE, blocks, True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
