"""Fair sharing of one link: what each source gets, and how many fixed-rate sources leave the test flows a wanted bandwidth.

Source: [Akella02] §3.3. Max-min fairness: nobody gets more than it asks for, and what is left is shared equally by those who ask for
more. Any unit of rate will do, the same for all.

| parameter | unit | default | why   |
|-----------|------|---------|-------|
| demands   | rate | given   | what each source sends; infinity for a flow that always has more |
| capacity  | rate | given   | the link |
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from sawtooth.errors import InputError
from sawtooth.models.inputs import WHERE, Numbers, count, within

if TYPE_CHECKING:
    from numpy.typing import ArrayLike


def max_min(demands: ArrayLike, capacity: float) -> Numbers:
    """The max-min fair share of each demand, shape (sources,); infinite demands are allowed, negative ones are not."""
    wanted = np.asarray(demands, dtype=np.float64).ravel()
    if not bool((wanted >= 0.0).all()):
        raise InputError(WHERE, "demands", wanted.tolist(), "rates from 0, infinity included")
    left, shares = float(within("capacity", capacity, "(0, inf)")), np.zeros_like(wanted)
    order = np.argsort(wanted, kind="stable")
    for place, source in enumerate(order):
        shares[source] = min(wanted[source], left / (order.size - place))
        left -= shares[source]
    return shares


def sources_needed(capacity: ArrayLike, available: ArrayLike, flows: int) -> Numbers:
    """Fixed-rate sources that leave ``flows`` test flows ``available`` in all: n (C - B_a)/B_a [Akella02] §3.3; not whole in general.

    InputError unless 0 < available <= capacity.
    """
    room, wanted = within("capacity", capacity, "(0, inf)"), within("available", available, "(0, inf)")
    if not bool(np.all(wanted <= room)):
        raise InputError(WHERE, "available", wanted.tolist(), "at most the capacity")
    return np.asarray(count("flows", flows) * (room - wanted) / wanted)
