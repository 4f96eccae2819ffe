"""A token bucket in scenario files: `policer = { rate = "2 Mbit/s", burst = "15 kB" }`.

Source: RFC 2697 for the terms. Bounds are checked by the engine (`engine_check`).

| parameter | unit  | default | why                                                       |
|-----------|-------|---------|-----------------------------------------------------------|
| rate      | bit/s | given   | the committed information rate                            |
| burst     | bytes | given   | the committed burst size; at least the largest packet     |
"""

from __future__ import annotations

from sawtooth.scenario.fields import PositiveRate, PositiveSize, Strict


class TokenBucket(Strict):
    """Tokens that come at a rate, up to a burst, with which it begins; a packet takes as many as it has bytes (RFC 2697)."""

    rate: PositiveRate
    """At which tokens come."""
    burst: PositiveSize
    """The most tokens that it holds, as a size; at least the largest packet."""

    @property
    def engine(self) -> dict[str, int]:
        """As the engine has it."""
        return {"rate_bps": self.rate, "burst_bytes": self.burst}
