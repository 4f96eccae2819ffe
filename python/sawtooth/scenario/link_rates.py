"""What a link carries while the run is measured: its rate with the changes that `[[on]]` makes at given times, or its trace, and no more
than its token buckets let through.

Source: none of its own. Changes upon states are not foreseen: what is available stays relative to the rates without them.
"""

from __future__ import annotations

from typing import Final

from sawtooth.errors import InputError
from sawtooth.scenario import units
from sawtooth.scenario.scenario import Scenario
from sawtooth.scenario.schedule import Schedule
from sawtooth.scenario.token_bucket import TokenBucket
from sawtooth.scenario.trace import Trace
from sawtooth.scenario.transmitters import Traced

OCCURRENCES_MAX: Final = 100_000
"""Most changes that one table with `every` makes."""


def times_of(scenario: Scenario, index: int) -> range:
    """When a table of `[[on]]` makes its changes. InputError if that is too often."""
    on = scenario.on[index]
    times = on.times(scenario.duration)
    if len(times) > OCCURRENCES_MAX:
        accepted = f"a time so long that the change happens at most {OCCURRENCES_MAX} times"
        raise InputError(scenario.name, f"on[{index}].every", units.format_time(on.every or 0), accepted)
    return times


def least_bps(rate_bps: int, *buckets: TokenBucket | None) -> int:
    """What a link carries in the long run behind token buckets, bit/s."""
    return min(rate_bps, *(bucket.rate for bucket in buckets if bucket is not None), rate_bps)


def rates_at_times(scenario: Scenario, key: str, link: Traced, rate_bps: int) -> Schedule:
    """What a link without a trace carries from when on, bit/s; `key` is that of its table, `rate_bps` its rate at first."""
    rates = {0: rate_bps}
    for index, on in enumerate(scenario.on):
        for setting in on.changed.settings:
            if setting.key == f"{key}.rate":
                rates |= dict.fromkeys(times_of(scenario, index), setting.value)
    times = sorted(rates)
    return Schedule(tuple(times), tuple(least_bps(rates[time], link.policer, link.shaper) for time in times))


def offered_bps(scenario: Scenario, trace: Trace, link: Traced) -> float:
    """What a link with a trace carries on average while the run is measured, bit/s."""
    offered = trace.available_bps(scenario.warmup, scenario.duration, once=link.trace_once)
    return offered if link.policer is None else min(offered, link.policer.rate)
