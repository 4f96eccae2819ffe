"""The synchronous model: controllers on one capacity with common binary feedback, round by round, without a network.

Source: [ChiuJain89] §2, as [Akella02] §5.1 and [Lahanas03] §2 use it. The controllers are those of the packet simulator (crates/cc, file
rounds.rs): in a round that begins with the load, the sum of the windows, at the capacity or above, all apply their decrease;
in any other round all apply their increase. There is no slow start, and no window falls below one packet.

A *step* is a round: every window adjustment, increase or decrease. A *cycle* ends with a decrease [Lahanas03] §2. Its load runs from just
after the decrease before to the load that met the capacity, both included: AIMD(1, 0.5) with one flow has a mean of exactly 3/4.

| parameter | unit              | default | why                                                                                |
|-----------|-------------------|---------|------------------------------------------------------------------------------------|
| capacity  | packets per round | given   | W of the papers                                                                    |
| cycles    | 1                 | 100     | AIMD(1, 0.8) closes a gap by 0.8^100, a ten-billionth; SQRT needs up to dozens     |
| gap       | packets           | 1       | equality is never met by real windows; one packet is what a network sees |
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import reduce
from typing import TYPE_CHECKING, Final

import numpy as np

from sawtooth import _native
from sawtooth.errors import InputError, PluginError
from sawtooth.models import CYCLES
from sawtooth.models.inputs import WHERE, Numbers, count, within
from sawtooth.scenario.values import Control

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

ROUNDS_MOST: Final = 2_000_000
"""Rounds after which a model that has not had its cycles is given up."""

GAP: Final = 1.0
"""Packets between the largest and the smallest window that count as equal."""


@dataclass(frozen=True)
class Rounds:
    """What happened: ``windows`` of shape (rounds + 1, flows) in packets, the start first, and ``congested`` of shape (rounds,)."""

    windows: Numbers
    congested: NDArray[np.bool_]
    capacity: float

    @property
    def load(self) -> Numbers:
        """Sum of the windows, packets, shape (rounds + 1,)."""
        return np.asarray(self.windows.sum(axis=1))

    @property
    def gap(self) -> Numbers:
        """Largest less smallest window, packets, shape (rounds + 1,)."""
        # Flow by flow, since numpy is slow over millions of short rows.
        flows = self.windows.T
        return np.asarray(reduce(np.maximum, flows) - reduce(np.minimum, flows))

    @property
    def decreases(self) -> NDArray[np.int64]:
        """Rounds in which all decreased; ``windows[r]`` stand before round r and ``windows[r + 1]`` after it."""
        return np.asarray(np.flatnonzero(self.congested), dtype=np.int64)

    @property
    def growth_rounds(self) -> NDArray[np.int64]:
        """Increase steps of each complete cycle."""
        return np.asarray(np.diff(self.decreases, prepend=-1) - 1, dtype=np.int64)

    def after_decreases(self) -> Numbers:
        """Windows just after each decrease, shape (cycles, flows), packets."""
        return np.asarray(self.windows[self.decreases + 1])

    def before_decreases(self) -> Numbers:
        """Windows that met the capacity, shape (cycles, flows), packets."""
        return np.asarray(self.windows[self.decreases])

    def cycle_load(self, cycle: int = -1) -> Numbers:
        """Loads of one complete cycle, packets: from the decrease before it (or the start) to the load that met the capacity."""
        begins = np.concatenate([[0], self.decreases[:-1] + 1])
        return np.asarray(self.load[begins[cycle] : self.decreases[cycle] + 1])

    def efficiency(self, cycle: int = -1) -> float:
        """Mean load of one complete cycle over the capacity [Lahanas03] §3.1."""
        return float(self.cycle_load(cycle).mean() / self.capacity)

    def smoothness(self) -> float:
        """Depth of the last decrease as a fraction of the load before it [Lahanas03] §3.1; 0 is smooth."""
        last = self.decreases[-1]
        return float((self.load[last] - self.load[last + 1]) / self.load[last])


def rounds(
    controllers: str | Sequence[str],
    windows: Sequence[float],
    capacity: float,
    cycles: int = CYCLES,
    *,
    rounds_most: int = ROUNDS_MOST,
    acks: bool = False,
) -> Rounds:
    """Run the model for ``cycles`` decreases.

    ``controllers`` are written as for ``sawtooth run`` (``aimd(1, 0.5)``), one for all flows or one each; ``windows`` are the initial
    ones in packets, at least 1; ``acks`` delivers each round as single acknowledgements, as the packet simulator does.
    InputError for bad input, and where the load stops reaching the capacity within ``rounds_most`` rounds.
    """
    start = [float(window) for window in within("windows", windows, "[1, inf)").ravel()]
    room = float(within("capacity", capacity, "(0, inf)"))
    count("cycles", cycles)
    each = [controllers] * len(start) if isinstance(controllers, str) else list(controllers)
    if len(each) != len(start):
        raise InputError(WHERE, "controllers", each, f"one, or one for each of {len(start)} windows")
    for text in each:
        try:
            control = Control.parse(text)
        except InputError as error:
            raise InputError(WHERE, "controller", text, error.accepted, error.hint) from None
        if not control.has_window:
            raise InputError(WHERE, "controller", text, "a controller with a window; this one has a rate")
        if control.has_model:
            raise InputError(
                WHERE, "controller", text, "a law of the window; this one has a model of its path"
            )
    try:
        found = _native.rounds(each, start, room, cycles, rounds_most, acks)
    except _native.PluginError as error:
        raise PluginError(*error.args) from error
    made = Rounds(
        np.frombuffer(found["windows"][1], dtype="<f8").reshape(-1, len(start)),
        np.frombuffer(found["congested"][1], dtype="<u4").astype(bool),
        room,
    )
    if 0 < made.decreases.size < cycles:
        most = f"at most {made.decreases.size}, which take {rounds_most:,} rounds at this capacity"
        raise InputError(WHERE, "cycles", cycles, most)
    if made.decreases.size < cycles:
        reached = f"after {rounds_most:,} rounds the load is {made.load[-1]:.6g}"
        raise InputError(
            WHERE, "controller", each[0], f"one whose load comes back to the capacity {room:g} ({reached})"
        )
    return made


@dataclass(frozen=True)
class Convergence:
    """How flows came together: ``cycles`` and ``steps`` up to the first gap of at most ``gap`` packets, or all that were run."""

    converges: bool
    cycles: int
    steps: int
    efficiency: float
    rounds: Rounds


def converge(
    controllers: str | Sequence[str],
    windows: Sequence[float],
    capacity: float,
    cycles: int = CYCLES,
    *,
    gap: float = GAP,
) -> Convergence:
    """Whether and when the windows are equal to within ``gap`` packets, as [Lahanas03] §3.1 measures responsiveness.

    Arguments as for ``rounds``. All ``cycles`` are run; the efficiency is that of the last.
    """
    within("gap", gap, "(0, inf)")
    made = rounds(controllers, windows, capacity, cycles)
    near = np.flatnonzero(made.gap <= gap)
    steps = int(near[0]) if near.size else made.congested.size
    return Convergence(
        converges=bool(near.size),
        cycles=int(made.congested[:steps].sum()),
        steps=steps,
        efficiency=made.efficiency(),
        rounds=made,
    )
