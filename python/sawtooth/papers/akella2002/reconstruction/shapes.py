"""What the sizes of a combination do together: round trip, packet and buffer, whose effects cannot be told one by one.

A window is the product of rate and round trip over the packet, and a buffer acts by how many round trips it holds; written in packets it
changes its meaning with both. So beside its own levels a combination has

    r = log2(round trip / that taken),  s = log2(packet / that taken),  q = log2(buffer in round trips / that taken)

and the columns q, r·s, r·q, s·q and r·s·q, all 0 at the values taken. No other interactions are modelled. Source: none.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from math import log2
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from sawtooth.scenario.units import parse_buffer, parse_rate, parse_size, parse_time

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from sawtooth.experiment.study import Study
    from sawtooth.papers.akella2002.reconstruction.factors import Factor

KEYS: Final = ("path.rtt", "flows.packet", "bottleneck.buffer")
DEFAULTS: Final = ("100 ms", "1000 B", "1 bdp")
"""Where a study says nothing of a key; only ratios to the values taken matter."""


@dataclass(frozen=True)
class Shapes:
    """The columns of a study: values taken of round trip, packet and buffer, and which factors vary them."""

    rate_bps: int
    taken: tuple[Any, Any, Any]
    levels: tuple[tuple[int, tuple[Any, ...]] | None, ...]
    """For each key: the place of its factor and the levels; None where it is fixed."""

    @classmethod
    def of(cls, study: Study, factors: Sequence[Factor]) -> Shapes:
        """Those of a study with these factors."""
        places = {factor.entry.key: (place, factor.levels) for place, factor in enumerate(factors)}
        taken = [_value(study, key, default) for key, default in zip(KEYS, DEFAULTS, strict=True)]
        rate = parse_rate(_value(study, "bottleneck.rate", "100 Mbit/s"))
        return cls(rate, (taken[0], taken[1], taken[2]), tuple(places.get(key) for key in KEYS))

    @property
    def factors(self) -> tuple[int, ...]:
        """The factors whose levels these columns know."""
        return tuple(entry[0] for entry in self.levels if entry is not None)

    def __call__(self, levels: Sequence[int]) -> NDArray[np.float64]:
        """The columns of a combination."""
        chosen = [
            taken if entry is None else entry[1][levels[entry[0]]]
            for taken, entry in zip(self.taken, self.levels, strict=True)
        ]
        now, then = (_sizes(self.rate_bps, *values) for values in (chosen, self.taken))
        r, s, q = (log2(a / b) for a, b in zip(now, then, strict=True))
        return np.array([q, r * s, r * q, s * q, r * s * q])


@cache
def _sizes(rate_bps: int, round_trip: Any, packet: Any, buffer: Any) -> tuple[float, float, float]:
    """Round trip in ns, packet in bytes, buffer in round trips. A search for the best combination asks for the same few again and again."""
    rtt, size, held = parse_time(round_trip), parse_size(packet), parse_buffer(buffer)
    pipe_bits = rate_bps * rtt / 1e9
    bits = {
        "bdp": float(held.amount) * pipe_bits,
        "packets": float(held.amount) * size * 8,
        "time": float(held.amount) * rate_bps / 1e9,
        "bytes": float(held.amount) * 8,
    }
    return float(rtt), float(size), bits[held.unit] / pipe_bits


def _value(study: Study, key: str, default: Any) -> Any:
    try:
        return study.value_of(key)
    except (KeyError, TypeError):  # a list of flows has no key of its own
        return default
