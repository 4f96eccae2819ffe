"""How much `[[traffic]]` may ask of a run: the ranges of the engine, told under the keys of the scenario file.

Source: the ranges that `crates/sim/src/scenario` checks (`arrivals.rs`, `apps.rs`, `sources.rs`). They are checked here as well, because
some of these values are numbers that the engine cannot even read, and others are made of several keys. The most starts of a group are ours.
"""

from __future__ import annotations

from typing import Final

from sawtooth.errors import InputError
from sawtooth.scenario import units
from sawtooth.scenario.scenario import Scenario
from sawtooth.scenario.traffic_fields import Asking, Finite, Media, RequestResponse, Web

STARTS_MAX: Final = 10_000_000
"""Most transfers of one group, on average."""
INTERVAL_NS: Final = (1_000, 10 * 365 * 86_400 * 10**9)
"""Mean times between two starts: a microsecond to ten years."""
TRANSFER_MAX: Final = 10**9
"""Packets of the mean transfer."""
ANSWER_MAX: Final = 10**6
"""Packets of a request, of the mean answer and of a frame."""
RATE_MAX_BPS: Final = 10**14


def check_transfers(
    scenario: Scenario, index: int, group: Finite, every_ns: int, packets_mean: float
) -> None:
    """InputError unless transfers of that mean size may start at that interval."""
    key = f"traffic[{index}]"
    if packets_mean > TRANSFER_MAX:
        accepted = f"a mean of at most {TRANSFER_MAX} packets"
        raise InputError(scenario.name, f"{key}.size", group.size.text(), accepted)
    end = scenario.duration if group.stop is None else min(group.stop, scenario.duration)
    least, most = INTERVAL_NS
    if least <= every_ns <= most and end - group.start <= STARTS_MAX * every_ns:
        return
    accepted = f"one start in 1 us to ten years, and at most {STARTS_MAX} in the run"
    if group.every is not None:
        raise InputError(scenario.name, f"{key}.every", units.format_time(group.every), accepted)
    mean = f"a load that means {accepted}; this one means one in {every_ns / 1e9:.3g} s"
    raise InputError(scenario.name, f"{key}.load", group.load, mean)


def rate_of_share(scenario: Scenario, index: int, share: float, rate_bps: int) -> int:
    """The share of a rate in bit/s. InputError if that is nothing, or too much for any link."""
    rate = share * rate_bps
    if not 1 <= rate <= RATE_MAX_BPS:
        accepted = f"a share that is 1 bit/s to 100 Tbit/s; of {units.format_rate(rate_bps)} this is {rate:.3g} bit/s"
        raise InputError(scenario.name, f"traffic[{index}].share", share, accepted)
    return round(rate)


def check_rate(scenario: Scenario, index: int, rate_bps: int) -> None:
    """InputError for more than any link carries."""
    if rate_bps > RATE_MAX_BPS:
        key = f"traffic[{index}].rate"
        raise InputError(scenario.name, key, units.format_rate(rate_bps), "at most 100 Tbit/s")


def packets_of_a_frame(scenario: Scenario, index: int, group: Media, rate_bps: int) -> int:
    """As many as come nearest to the frames a second, at least one. InputError for too many."""
    packets = rate_bps / (8 * group.packet * group.fps)
    if packets > ANSWER_MAX:
        least = rate_bps / (8 * group.packet * ANSWER_MAX)
        accepted = f"at least {least:.3g} frames a second, so that a frame has at most {ANSWER_MAX} packets"
        raise InputError(scenario.name, f"traffic[{index}].fps", group.fps, accepted)
    return max(1, round(packets))


def check_answers(scenario: Scenario, index: int, group: Asking) -> None:
    """InputError for requests or answers of too many packets."""
    accepted = f"at most {ANSWER_MAX} packets of {units.format_size(group.packet)}"
    if group.request > ANSWER_MAX * group.packet:
        key = f"traffic[{index}].request"
        raise InputError(scenario.name, key, units.format_size(group.request), accepted)
    if isinstance(group, (RequestResponse, Web)) and group.size.packets(group.packet) > ANSWER_MAX:
        raise InputError(scenario.name, f"traffic[{index}].size", group.size.text(), accepted)
