"""Cross traffic that makes an environment: what the sources send, and what it leaves to each test flow.

Source: [Akella02] §3.1 and Fig. 3(a). Behind a queue that all flows share, one source of constant bit rate takes C − n·B(t) of the
capacity C and so leaves B(t) to each of n test flows. Behind a queue that shares the link fairly that would be a single flow among
n + 1; there a time-varying number N = C/B − n of sources that always have packets waiting leaves C/(n + N).

N is whole, so bandwidth is quantised: `available` has the levels C/(n + N) that come about, and they are what goodput is measured by.
The sources are one group for the engine, which spreads their packets evenly over time.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Final

from sawtooth.scenario.environments import ShortFlows
from sawtooth.scenario.scenario import Scenario
from sawtooth.scenario.schedule import Schedule
from sawtooth.scenario.topology.base import Crossed, Layout

PACKET_BYTES: Final = 1000
"""Wire size of cross-traffic packets: that of the test flows' packets in [Akella02] (inferred there)."""

CROSS_LOAD: Final = 1.25
"""What a source sends at a router that shares fairly, as a multiple of its fair share: enough to be always backlogged."""

SOURCES_MAX: Final = 990
"""Most sources at a router that shares fairly: with ten test flows, 1/1000 of the link to each. Lower levels stay there."""


@dataclass(frozen=True)
class CrossTraffic:
    """Sources as the engine has them, and the available bandwidth per test flow that they make."""

    available: Schedule
    sources: list[dict[str, Any]]
    load: float | None = None
    """What each source sends at a router that shares fairly, as a multiple of its share; None elsewhere and beside cross_rate."""


def cross_traffic(scenario: Scenario, layout: Layout, wanted: Schedule, capacity_bps: int) -> CrossTraffic:
    """What leaves `wanted` (per test flow, on links of `capacity_bps`), or comes closest to it; and what the scenario lists."""
    environment = scenario.environment
    if environment is None or isinstance(environment.parameters, ShortFlows):
        return CrossTraffic(wanted, layout.sources)
    if not scenario.bottleneck.queue.keeps_flows_apart:
        rest = [_the_rest(crossed, wanted, capacity_bps) for crossed in layout.crossed]
        return CrossTraffic(wanted, [source for source in rest if source is not None])
    made = [_always_backlogged(scenario, crossed, wanted, capacity_bps) for crossed in layout.crossed]
    # Where links carry different numbers of test flows, what the most crowded ones leave each is what there is.
    fullest = max(range(len(made)), key=lambda index: layout.crossed[index].test_flows)
    sources = [source for cross in made for source in cross.sources]
    return CrossTraffic(made[fullest].available, sources, made[fullest].load)


def _the_rest(crossed: Crossed, wanted: Schedule, capacity_bps: int) -> dict[str, Any] | None:
    """One source that takes what the test flows are not to have, or none where there is nothing to take away."""
    flows = crossed.test_flows
    rates: list[list[int]] = []
    for time, level in _levels(wanted):
        rest = capacity_bps - flows * level
        rates.append([time, rest if rest >= flows else 0])  # below n bit/s it is C/n rounded down
    return _source(crossed, rates) if any(rate for _, rate in rates) else None


def _always_backlogged(
    scenario: Scenario, crossed: Crossed, wanted: Schedule, capacity_bps: int
) -> CrossTraffic:
    """As many sources as leave each test flow its share."""
    assert scenario.environment is not None, "only an environment has cross traffic"
    keys = scenario.environment.parameters
    load = Fraction(CROSS_LOAD if keys.cross_load is None else keys.cross_load)
    flows = crossed.test_flows
    counts = Schedule(
        wanted.times_ns, tuple(_count(level, flows, capacity_bps) for level in wanted.rates_bps)
    ).changes()
    shares = tuple(_rounded(capacity_bps, flows + count) for count in counts.rates_bps)
    available = Schedule(counts.times_ns, shares)
    if not any(counts.rates_bps):
        return CrossTraffic(available, [])
    top = load.numerator * capacity_bps
    rates = [
        [time, (keys.cross_rate or _rounded(top, load.denominator * (flows + count))) if count else 0]
        for time, count in zip(counts.times_ns, counts.rates_bps, strict=True)
    ]
    sources = [{**_source(crossed, rates), "counts": list(counts.rates_bps)}]
    return CrossTraffic(available, sources, None if keys.cross_rate else float(load))


def _count(level_bps: int, flows: int, capacity_bps: int) -> int:
    """The sources that leave `level_bps` to each test flow: C/B − n, halves up, 0 to SOURCES_MAX."""
    if level_bps == 0:
        return SOURCES_MAX
    count = (2 * capacity_bps + level_bps) // (2 * level_bps) - flows
    return min(max(count, 0), SOURCES_MAX)


def _rounded(numerator: int, denominator: int) -> int:
    """A fraction of whole numbers as the nearest whole number, halves to even."""
    whole, rest = divmod(numerator, denominator)
    return whole + (2 * rest > denominator or (2 * rest == denominator and whole % 2))


def _levels(schedule: Schedule) -> Iterator[tuple[int, int]]:
    changes = schedule.changes()
    return zip(changes.times_ns, changes.rates_bps, strict=True)


def _source(crossed: Crossed, rates: list[list[int]]) -> dict[str, Any]:
    return {"name": crossed.name, "packet_bytes": PACKET_BYTES, "route": crossed.route, "rates": rates}
