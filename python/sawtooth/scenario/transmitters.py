"""What stands beside the queue of a link in scenario files, and a trace in place of its rate: keys that every link with a queue has.

`Equipped` is the table of such a link, `Traced` that of one which may follow a trace; `unfit` says what is wrong with its rate.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import Annotated, Any, ClassVar, Self

from pydantic import Field, model_validator

from sawtooth.errors import InputError
from sawtooth.scenario.ack_filter import AckFilter
from sawtooth.scenario.fields import PositiveRate
from sawtooth.scenario.token_bucket import TokenBucket
from sawtooth.scenario.wires import WIRES, Aggregating

BESIDE = ("policer", "shaper", "device_queue", "ack_filter")
"""Keys of what stands beside a queue."""


class Equipped(Aggregating):
    """A link with a queue, and what stands beside it."""

    last: ClassVar[Collection[str]] = (*BESIDE, *WIRES)

    policer: TokenBucket | None = None
    """A token bucket: packets for which it has no tokens are dropped on arrival."""
    shaper: TokenBucket | None = None
    """A token bucket behind the queue: packets for which it has no tokens wait."""
    device_queue: Annotated[int, Field(ge=0, le=10_000)] = 0
    """Packets that wait in the device, behind the discipline, which neither counts nor drops them: ns-3 has 100, the RFCs none."""
    ack_filter: AckFilter | None = None
    """Acknowledgements that are not sent: superseded ones (RFC 3449 §5.2.1; CAKE's two modes), or all but one of n. Default: none."""

    def beside_queue(self) -> dict[str, Any]:
        """What stands beside the queue, as the engine has it; nothing where there is none."""
        there = {"policer": self.policer, "shaper": self.shaper, "ack_filter": self.ack_filter}
        found: dict[str, Any] = {
            name: dict(value.engine) for name, value in there.items() if value is not None
        }
        return found | ({"device_queue": self.device_queue} if self.device_queue else {})


class Traced(Equipped):
    """The same of a link that may follow a trace."""

    rate: PositiveRate | None = None
    """Transmission rate; or give trace."""
    trace: Annotated[str, Field(min_length=1)] | None = None
    """Mahimahi packet opportunities in place of a rate: a file, relative to the scenario file, a shipped trace, or a generated one."""
    trace_once: bool = False
    """Stop at the end of the trace instead of repeating it."""

    @model_validator(mode="after")
    def _one_transmitter(self) -> Self:
        if self.rate is not None and self.trace is not None:
            raise InputError("", "trace", self.trace, "rate or trace, not both")
        if self.trace_once and self.trace is None:
            raise InputError("", "trace_once", True, "this key only beside a trace")
        return self
