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
    """A token bucket (RFC 2697). Tokens arrive at a rate, up to a burst; it is full at the start. A packet takes one token per byte."""

    rate: PositiveRate
    """Rate at which tokens arrive."""
    burst: PositiveSize
    """Largest number of tokens in the bucket, as a size; at least the largest packet."""

    @property
    def engine(self) -> dict[str, int]:
        """As the engine has it."""
        return {"rate_bps": self.rate, "burst_bytes": self.burst}
