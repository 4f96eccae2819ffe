"""AILD: additive increase, decrease in proportion to the loss ratio.

Source: [Akella02] §6, which cites it as a control outside the linear family: ``w -> w - beta f`` with f the fraction of packets lost.

| parameter | unit    | default | why                              |
|-----------|---------|---------|----------------------------------|
| beta      | packets | given   | the paper gives no value         |

The loss ratio of a link without a queue is the part of the load that does not fit, f = 1 - W/S for a load S above the capacity W.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from sawtooth.models.inputs import Numbers, within

if TYPE_CHECKING:
    from numpy.typing import ArrayLike


def loss_ratio(load: ArrayLike, capacity: ArrayLike) -> Numbers:
    """Fraction lost of ``load`` packets per round trip at ``capacity``: max(0, 1 - W/S)."""
    sent, room = within("load", load, "(0, inf)"), within("capacity", capacity, "(0, inf)")
    return np.asarray(np.maximum(0.0, 1.0 - room / sent))


def decrease(window: ArrayLike, load: ArrayLike, capacity: ArrayLike, beta: ArrayLike) -> Numbers:
    """The window after congestion, ``w - beta f`` packets, where the flows together sent ``load``."""
    given, size = within("window", window, "(0, inf)"), within("beta", beta, "(0, inf)")
    return np.asarray(given - size * loss_ratio(load, capacity))
