"""Nodes, links and sources of a free topology, as a scenario file lists them, and the checks among them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Final, Self

from pydantic import Field, model_validator

from sawtooth.errors import MISSING, InputError
from sawtooth.scenario import units
from sawtooth.scenario.fields import BufferSize, PacketSize, PositiveRate, PositiveTime, Strict, Time
from sawtooth.scenario.queue_value import Queue
from sawtooth.scenario.transmitters import Traced
from sawtooth.scenario.values import Impairment

Name = Annotated[str, Field(min_length=1, max_length=64)]
"""The name of a node."""


DROP_TAIL: Final = Queue("droptail", {})
"""What stands before a link that needs a queue and names no discipline."""


class Node(Strict):
    """A router or host of a free topology."""

    name: Name
    """What links and routes call it."""


class Link(Traced):
    """A one-way link of a free topology. If the opposite link is not listed, it has the same rate and delay and no queue; opposite a trace
    it has the rate of the access links."""

    begin: Annotated[Name, Field(alias="from")]
    """The node it begins at."""
    end: Annotated[Name, Field(alias="to")]
    """The node it leads to."""
    delay: Time = 0
    """One-way propagation delay."""
    buffer: BufferSize | None = None
    """Size of the queue. Default: no queue; if queue or trace is given, 1 bdp or the discipline's own."""
    queue: Queue | None = None
    """The queue discipline. Default: none, or drop-tail if buffer or trace is given."""
    drop: Impairment | None = None
    """Packets lost on arrival, whatever the queue does."""
    mark: Impairment | None = None
    """ECN-capable packets marked on arrival, whatever the queue does."""

    @model_validator(mode="after")
    def _two_ends(self) -> Self:
        if self.begin == self.end:
            raise InputError("", "to", self.end, "another node than from")
        if self.rate is None and self.trace is None:
            raise InputError("", "rate", MISSING, f"{units.RATE_ACCEPTED}, or a trace")
        return self

    @property
    def has_queue(self) -> bool:
        """Is there a discipline in front?"""
        return self.queue is not None or self.buffer is not None or self.trace is not None

    @property
    def size(self) -> units.Buffer | None:
        """Size of the queue, if there is one."""
        if self.buffer is not None or not self.has_queue:
            return self.buffer
        return (self.queue or DROP_TAIL).buffer


class Source(Strict):
    """A source of constant bit rate in a free topology."""

    route: Annotated[list[Name], Field(min_length=2)]
    """Nodes it crosses; between two that are no neighbours the shortest way is taken."""
    rate: PositiveRate
    """Bit rate."""
    packet: PacketSize = 1000
    """A packet on the wire."""
    start: Time = 0
    """When it starts."""
    stop: PositiveTime | None = None
    """When it stops. Default: never."""

    @model_validator(mode="after")
    def _order(self) -> Self:
        if self.stop is not None and self.stop <= self.start:
            accepted = f"a time after start, {units.format_time(self.start)}"
            raise InputError("", "stop", units.format_time(self.stop), accepted)
        return self


def check_network(nodes: Sequence[Node], links: Sequence[Link]) -> None:
    """Nodes must have names of their own. Links must join listed nodes, if nodes are listed, be one for each direction, and have a queue
    among them. Raises InputError."""
    names = [node.name for node in nodes]
    for index, name in enumerate(names):
        if name in names[:index]:
            accepted = f"another name than that of nodes[{names.index(name)}]"
            raise InputError("", f"nodes[{index}].name", name, accepted)
    seen: set[tuple[str, str]] = set()
    for index, link in enumerate(links):
        for key, node in (("from", link.begin), ("to", link.end)):
            if names and node not in names:
                raise InputError("", f"links[{index}].{key}", node, f"one of the nodes {', '.join(names)}")
        if (link.begin, link.end) in seen:
            accepted = f"one link from {link.begin} to {link.end}, and there is one already"
            raise InputError("", f"links[{index}].to", link.end, accepted)
        seen.add((link.begin, link.end))
    if not any(link.has_queue for link in links):
        raise InputError("", "links", MISSING, "at least one link with a buffer or a queue")
