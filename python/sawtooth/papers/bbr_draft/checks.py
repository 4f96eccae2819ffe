"""The checks of the test cases that stand in the draft: each gives, for every expectation of its case in order, whether the trace meets
it, and the numbers behind that.

Source: draft-ietf-ccwg-bbr, appendix "BBR Example Test Cases". The tolerances are those of the case files. What a trace does not show is
read off what it shows: a gain is pacing over estimate, a round lasts as long as what is in flight takes at the estimated bandwidth. A
state that is left within the acknowledgement with which it was entered is not in the trace.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from itertools import pairwise
from typing import Any, Final

import numpy as np

from sawtooth.papers.bbr_draft.trace import CaseTrace, Stay

Observed = tuple[bool, Mapping[str, Any]]
"""Whether an expectation is met, and on which numbers this rests."""
Tolerances = Mapping[str, float]
Check = Callable[[CaseTrace, Tolerances], list[Observed]]

STARTUP, DRAIN, UP, DOWN = "startup", "drain", "probe_bw_up", "probe_bw_down"
CRUISE, REFILL, PROBE_RTT = "probe_bw_cruise", "probe_bw_refill", "probe_rtt"
PROBE_BW = (DOWN, CRUISE, REFILL, UP)
CHANGE_S: Final = 10.0
"""When the bandwidth changes in the cases where it does."""


def _rate(trace: CaseTrace) -> float:
    """The rate of the bottleneck at the start."""
    return float(trace.run.engine["links"][0]["rate_bps"])


def _first(trace: CaseTrace, *states: str) -> Stay:
    found = trace.of(*states)
    if not found:
        raise LookupError(f"the run never left {' or '.join(states)}")
    return found[0]


def _near(value: float, wanted: float, tolerance: float) -> bool:
    return abs(value / wanted - 1.0) <= tolerance


def _set(value: float) -> float | None:
    """A bound in packets' bytes; None where there is none."""
    return None if np.isnan(value) else float(value)


def plateau(trace: CaseTrace, tolerance: Tolerances) -> list[Observed]:
    """Case 1."""
    start = _first(trace, STARTUP)
    rate = trace.at("max_bw_bps", start.end)
    times = trace.times[(trace.times < start.end) & (trace.column("max_bw_bps") * 1.25 >= rate)]
    rounds = trace.rounds(float(times[0]), start.end)
    return [
        (start.following == DRAIN, {"following": start.following}),
        (_near(rate, _rate(trace), tolerance["bandwidth"]), {"max_bw_bps": rate}),
        (
            abs(rounds - 3) <= tolerance["rounds"] and trace.losses == 0,
            {"rounds": rounds, "losses": trace.losses},
        ),
    ]


def startup_loss(trace: CaseTrace, tolerance: Tolerances) -> list[Observed]:
    """Case 2."""
    start, lossy = _first(trace, STARTUP), 2.0
    rounds = trace.rounds(lossy, start.end)
    left, bdp = trace.at("in_flight_bytes", start.end), trace.bdp(start.end)
    at_once = start.following in PROBE_BW and left <= bdp
    return [
        (start.end > lossy, {"end_s": start.end}),
        (rounds <= tolerance["rounds"], {"rounds": rounds}),
        (
            start.following == DRAIN or at_once,
            {"following": start.following, "in_flight_bytes": left, "bdp_bytes": bdp},
        ),
    ]


def drain_inflight(trace: CaseTrace, tolerance: Tolerances) -> list[Observed]:
    """Case 3."""
    stay = _first(trace, DRAIN)
    gain, left = trace.gain(stay), trace.at("in_flight_bytes", stay.end)
    bdp = trace.bdp(stay.end)
    return [
        (_near(gain, 0.5, tolerance["gain"]), {"gain": gain}),
        (
            left <= bdp + tolerance["packets"] * trace.packet,
            {"in_flight_bytes": left, "bdp_bytes": bdp, "before_bytes": trace.last("in_flight_bytes", stay)},
        ),
        (stay.following in PROBE_BW, {"following": stay.following}),
    ]


def drain_time(trace: CaseTrace, tolerance: Tolerances) -> list[Observed]:
    """Case 4."""
    stay = _first(trace, DRAIN)
    rounds, left = trace.rounds(stay.begin, stay.end), trace.last("in_flight_bytes", stay)
    bdp = trace.bdp(stay.end)
    return [
        (left > bdp, {"in_flight_bytes": left, "bdp_bytes": bdp}),
        (rounds + 1 >= 3 and rounds <= 3 + tolerance["rounds"] and left > bdp, {"rounds": rounds}),
        (stay.following in PROBE_BW, {"following": stay.following}),
    ]


def up_plateau(trace: CaseTrace, tolerance: Tolerances) -> list[Observed]:
    """Case 5; probes that PROBE_RTT cuts short are left out."""
    stays = [stay for stay in trace.of(UP) if stay.following != PROBE_RTT]
    rounds = [trace.rounds(stay.begin, stay.end) for stay in stays]
    in_flight = [trace.within("in_flight_bytes", stay.begin, stay.end) for stay in stays]
    room = tolerance["packets"] * trace.packet
    full = [
        float(values.min()) >= trace.bdp(stay.begin) - room
        for values, stay in zip(in_flight, stays, strict=True)
    ]
    used = [
        float(values.max()) / trace.packet / trace.last("window", stay)
        for values, stay in zip(in_flight, stays, strict=True)
    ]
    return [
        (bool(full) and all(full) and trace.losses == 0, {"losses": trace.losses, "part_of_window": used}),
        (
            bool(rounds) and all(abs(count - 3) <= tolerance["rounds"] for count in rounds),
            {"rounds": rounds},
        ),
        (
            bool(stays) and all(stay.following == DOWN for stay in stays),
            {"following": [stay.following for stay in stays]},
        ),
    ]


def up_loss(trace: CaseTrace, tolerance: Tolerances) -> list[Observed]:
    """Case 6."""
    stays = [stay for stay in trace.of(UP) if stay.following != PROBE_RTT]
    rounds = [trace.rounds(stay.begin, stay.end) for stay in stays]
    bounds = [_set(trace.at("inflight_longterm_bytes", stay.end)) for stay in stays]
    return [
        (bool(rounds) and all(count <= tolerance["rounds"] for count in rounds), {"rounds": rounds}),
        (
            bool(stays) and all(stay.following in (DOWN, CRUISE) for stay in stays),
            {"following": [stay.following for stay in stays]},
        ),
        (bool(bounds) and None not in bounds, {"inflight_longterm_bytes": bounds}),
    ]


def startup_lasts(trace: CaseTrace, _: Tolerances) -> list[Observed]:
    """Case 7, STARTUP."""
    states = sorted({stay.state for stay in trace.stays})
    return [(set(states) <= {STARTUP, PROBE_RTT}, {"states": states})]


def up_lasts(trace: CaseTrace, _: Tolerances) -> list[Observed]:
    """Case 7, PROBE_UP."""
    following = [stay.following for stay in trace.of(UP)]
    return [(bool(following) and set(following) == {PROBE_RTT}, {"following": following})]


def down_inflight(trace: CaseTrace, tolerance: Tolerances) -> list[Observed]:
    """Case 8; those that PROBE_RTT cuts short are left out."""
    stays = [stay for stay in trace.of(DOWN) if stay.following != PROBE_RTT]
    gains = [trace.gain(stay) for stay in stays]
    left = [trace.at("in_flight_bytes", stay.end) for stay in stays]
    bounds = [
        np.fmin(trace.bdp(stay.end), 0.85 * trace.at("inflight_longterm_bytes", stay.end)) for stay in stays
    ]
    room = tolerance["packets"] * trace.packet
    fits = [value <= bound + room for value, bound in zip(left, bounds, strict=True)]
    return [
        (bool(gains) and all(_near(gain, 0.9, tolerance["gain"]) for gain in gains), {"gains": gains}),
        (
            bool(fits) and all(fits),
            {"in_flight_bytes": left, "bounds_bytes": [float(bound) for bound in bounds]},
        ),
        (
            bool(stays) and all(stay.following == CRUISE for stay in stays),
            {"following": [stay.following for stay in stays]},
        ),
    ]


def down_time(trace: CaseTrace, tolerance: Tolerances) -> list[Observed]:
    """Case 9; those that PROBE_RTT cuts short are left out."""
    stays = [stay for stay in trace.of(DOWN) if stay.following != PROBE_RTT]
    lengths = [stay.length for stay in stays]
    rounds = [trace.rounds(stay.begin, stay.end) for stay in stays]
    waited = [
        2.0 <= length <= 3.0 + tolerance["rounds"] * trace.rtt or count >= 62 - tolerance["rounds"]
        for length, count in zip(lengths, rounds, strict=True)
    ]
    return [
        (bool(waited) and all(waited), {"seconds": lengths, "rounds": rounds}),
        (
            bool(stays) and all(stay.following == REFILL for stay in stays),
            {"following": [stay.following for stay in stays]},
        ),
    ]


def probe_rtt(trace: CaseTrace, tolerance: Tolerances) -> list[Observed]:
    """Case 10."""
    stays = trace.of(PROBE_RTT)
    begins = [stay.begin for stay in stays]
    gaps = [
        later - earlier for earlier, later in zip([0.0, *(stay.end for stay in stays)], begins, strict=False)
    ]
    windows = [trace.entry("window", stay) for stay in stays]
    wanted = [max(0.5 * trace.bdp(stay.begin) / trace.packet, 4.0) for stay in stays]
    lengths = [stay.length for stay in stays]
    longest = 0.2 + (1 + tolerance["rounds"]) * trace.rtt
    after = [max(trace.within("in_flight_bytes", stay.end, stay.end + 5 * trace.rtt)) for stay in stays]
    return [
        (
            bool(gaps) and all(abs(gap - 5.0) <= tolerance["interval_s"] for gap in gaps),
            {"seconds_between": gaps},
        ),
        (
            all(abs(a - b) <= tolerance["packets"] for a, b in zip(windows, wanted, strict=True)),
            {"windows": windows, "half_of_bdp": wanted},
        ),
        (all(0.2 <= length <= longest for length in lengths), {"seconds": lengths, "longest": longest}),
        (
            all(stay.following in PROBE_BW for stay in stays)
            and all(value > 0.8 * trace.bdp(stay.end) for value, stay in zip(after, stays, strict=True)),
            {"following": [stay.following for stay in stays], "in_flight_bytes": after},
        ),
    ]


def probe_rtt_skipped(trace: CaseTrace, _: Tolerances) -> list[Observed]:
    """Case 11: silence from 3 s, and data again at 9 s."""
    silent = trace.within("in_flight_bytes", 3.5, 9.0)
    entered = [stay.begin for stay in trace.stays if stay.state == PROBE_RTT]
    return [
        (len(silent) > 0 and float(silent.max()) == 0.0, {"in_flight_bytes": float(silent.max())}),
        (not [time for time in entered if 3.0 <= time < 13.0], {"probe_rtt_s": entered}),
    ]


def startup_aggregation(trace: CaseTrace, tolerance: Tolerances) -> list[Observed]:
    """Case 12."""
    start = _first(trace, STARTUP)
    extra = trace.within("extra_acked_bytes", 0.0, start.end)
    window = float(trace.within("window", 0.0, start.end).max()) * trace.packet
    bdp = _rate(trace) / 8 * trace.rtt
    rate = trace.at("max_bw_bps", start.end)
    most, burst = float(extra.max(initial=0.0)), _rate(trace) / 8 * 0.02
    return [
        (_near(most, burst, tolerance["extra"]), {"extra_acked_bytes": most, "burst_bytes": burst}),
        (window > 2 * bdp, {"window_bytes": window, "bdp_bytes": bdp}),
        (
            rate >= (1 - tolerance["bandwidth"]) * _rate(trace)
            and rate <= (1 + tolerance["burst"]) * _rate(trace),
            {"max_bw_bps": rate},
        ),
    ]


def cruise_aggregation(trace: CaseTrace, tolerance: Tolerances) -> list[Observed]:
    """Case 13: bursts from the first PROBE_CRUISE on."""
    stays = [stay for stay in trace.of(CRUISE) if stay.length > 1.0]
    extra = [
        float(trace.within("extra_acked_bytes", stay.begin, stay.end).max(initial=0.0)) for stay in stays
    ]
    windows = [trace.last("window", stay) * trace.packet for stay in stays]
    targets = [2 * trace.bdp(stay.end) for stay in stays]
    shares = [trace.delivered_bps(stay.begin + 0.3, stay.end) / _rate(trace) for stay in stays]
    burst = _rate(trace) / 8 * 0.03
    return [
        (
            bool(extra) and all(_near(value, burst, tolerance["extra"]) for value in extra),
            {"extra_acked_bytes": extra, "burst_bytes": burst},
        ),
        (
            all(window > target for window, target in zip(windows, targets, strict=True)),
            {"window_bytes": windows, "two_bdp_bytes": targets},
        ),
        (all(share >= 1 - tolerance["utilisation"] for share in shares), {"utilisation": shares}),
    ]


def below_a_packet(trace: CaseTrace, tolerance: Tolerances) -> list[Observed]:
    """Case 14."""
    begin = _first(trace, DRAIN).end
    window = float(trace.within("window", begin, trace.end).min())
    cruising = [trace.within("pacing_bps", stay.begin, stay.end) for stay in trace.of(*PROBE_BW)]
    pacing = float(np.median(np.concatenate(cruising))) if cruising else float("nan")
    share = trace.delivered_bps(begin, trace.end) / _rate(trace)
    return [
        (window >= 4.0, {"least_window": window}),
        (_near(pacing, _rate(trace), tolerance["pacing"]), {"pacing_bps": pacing}),
        (share >= 1 - tolerance["utilisation"], {"utilisation": share}),
    ]


def tenfold_up(trace: CaseTrace, tolerance: Tolerances) -> list[Observed]:
    """Case 15: 10 Mbit/s become 100 at 10 s."""
    new = 10 * _rate(trace)
    probes = [stay for stay in trace.of(UP) if stay.begin >= CHANGE_S]
    rises = max((_rises(trace, stay) for stay in probes), key=len, default=[])
    count = int(tolerance["doublings"])
    ratios = [later / earlier for earlier, later in pairwise(rises[1 : count + 2])]
    found = trace.times[
        (trace.times > CHANGE_S) & (trace.column("max_bw_bps") >= (1 - tolerance["bandwidth"]) * new)
    ]
    begin = probes[0].begin if probes else float("inf")
    rounds = trace.rounds(begin, float(found[0])) if len(found) and probes else float("inf")
    doublings = float(np.log2(new / 8 * trace.rtt / trace.packet))
    doubles = len(ratios) >= count and all(1.5 <= ratio <= 2.5 for ratio in ratios)
    return [
        (doubles, {"rise_by_round_bytes": rises, "ratios": ratios}),
        (begin - CHANGE_S <= tolerance["seconds"], {"seconds": begin - CHANGE_S}),
        (rounds <= 2 * doublings + tolerance["rounds"], {"rounds": rounds, "log2_of_bdp": doublings}),
    ]


def _rises(trace: CaseTrace, stay: Stay) -> list[float]:
    """By how much inflight_longterm rises in each round of a probe, bytes, from the first round in which it does."""
    ends = [time for time in trace.boundaries(stay.begin, stay.end) if time <= stay.end]
    bounds = [trace.at("inflight_longterm_bytes", time) for time in ends]
    return [float(step) for step in np.diff(bounds) if step > 0]


def tenfold_down(trace: CaseTrace, tolerance: Tolerances) -> list[Observed]:
    """Case 16: 100 Mbit/s become 10 at 10 s."""
    new = _rate(trace) / 10
    low = trace.times[(trace.times > CHANGE_S) & (trace.column("bw_shortterm_bps") <= 2 * new)]
    rounds = trace.rounds(CHANGE_S, float(low[0])) if len(low) else float("inf")
    cycles = [stay for stay in trace.of(DOWN) if stay.begin > CHANGE_S]
    after = cycles[2].begin if len(cycles) > 2 else trace.end
    rate = trace.at("max_bw_bps", after + 0.01)
    return [
        (rounds <= tolerance["rounds"], {"rounds_to_twice_the_new_rate": rounds}),
        (_near(rate, new, tolerance["bandwidth"]), {"max_bw_bps": rate, "at_s": after}),
    ]


def policed(trace: CaseTrace, tolerance: Tolerances) -> list[Observed]:
    """Case 17; the losses are those of the whole run, in which the bucket empties first."""
    bounds = {
        name: len(trace.within(name, 0.0, trace.end)) > 0
        for name in ("bw_shortterm_bps", "inflight_shortterm_bytes")
    }
    loss = trace.losses / float(trace.run.flows.column("sent")[0].as_py())
    return [
        (all(bounds.values()), bounds),
        (loss <= tolerance["loss"], {"loss": loss}),
    ]


def fast_recovery(trace: CaseTrace, tolerance: Tolerances) -> list[Observed]:
    """Case 18: packets of 2.75 s come 30 ms later."""
    begin = 2.75
    undos = int(trace.run.flows.column("undos")[0].as_py())
    back = [stay for stay in trace.of(UP) if stay.begin > begin]
    rounds = trace.rounds(begin, back[0].begin) if back else float("inf")
    return [
        (_state_at(trace, begin) == UP, {"state": _state_at(trace, begin)}),
        (undos >= 1 and trace.losses == 0, {"undos": undos, "losses": trace.losses}),
        _restored(trace, begin, begin + 0.3),
        (rounds <= tolerance["rounds"], {"rounds_until_the_next_probe": rounds}),
    ]


def spurious_timeout(trace: CaseTrace, tolerance: Tolerances) -> list[Observed]:
    """Case 19: what leaves the bottleneck from 2.76 s on arrives at 3.2 s."""
    begin, arrival = 2.76, 3.2
    timeouts = int(trace.run.flows.column("timeouts")[0].as_py())
    undos = int(trace.run.flows.column("undos")[0].as_py())
    left = next(stay.following for stay in trace.of(UP) if stay.end > begin)
    back = [stay for stay in trace.of(UP) if stay.begin > begin]
    rounds = (back[0].begin - arrival) / trace.rtt if back else float("inf")
    return [
        (_state_at(trace, begin) == UP, {"state": _state_at(trace, begin)}),
        (
            timeouts >= 1 and trace.losses == 0,
            {"timeouts": timeouts, "undos": undos, "losses": trace.losses},
        ),
        _restored(trace, begin, 3.7),
        (rounds <= tolerance["rounds"], {"left_for": left, "rounds_until_the_next_probe": rounds}),
    ]


def _state_at(trace: CaseTrace, time: float) -> str:
    return next(stay.state for stay in trace.stays if stay.begin <= time < stay.end)


def _restored(trace: CaseTrace, before: float, after: float) -> Observed:
    """Whether no bound is lower than it was, nor the estimate."""
    names = ("bw_shortterm_bps", "inflight_shortterm_bytes", "inflight_longterm_bytes")
    pairs = {name: (_set(trace.at(name, before)), _set(trace.at(name, after))) for name in names}
    pairs["max_bw_bps"] = (trace.at("max_bw_bps", before), trace.at("max_bw_bps", after))
    met = all(new is None or (old is not None and new >= 0.98 * old) for old, new in pairs.values())
    return met, {name: list(pair) for name, pair in pairs.items()}


def probe_rtt_in_startup(trace: CaseTrace, tolerance: Tolerances) -> list[Observed]:
    """Case 20: data without limit from 7 s on."""
    stay = _first(trace, PROBE_RTT)
    rate = trace.at("max_bw_bps", trace.end)
    return [
        (trace.stays[0].state == STARTUP and trace.stays[1].state == PROBE_RTT, {"begin_s": stay.begin}),
        (stay.following == STARTUP, {"following": stay.following}),
        (_near(rate, _rate(trace), tolerance["bandwidth"]), {"max_bw_bps": rate}),
    ]


def loss_with_bound(trace: CaseTrace, tolerance: Tolerances) -> list[Observed]:
    """Case 21; probes that PROBE_RTT cuts short are left out."""
    stays = [stay for stay in trace.of(UP) if stay.following != PROBE_RTT]
    before = [_set(trace.entry("inflight_longterm_bytes", stay)) for stay in stays]
    after = [_set(trace.at("inflight_longterm_bytes", stay.end)) for stay in stays]
    rounds = [trace.rounds(stay.begin, stay.end) for stay in stays]
    floors = [0.7 * min(trace.bdp(stay.end), trace.entry("window", stay) * trace.packet) for stay in stays]
    highest = [
        max(
            value or 0.0,
            float(trace.within("inflight_longterm_bytes", stay.begin, stay.end).max(initial=0.0)),
        )
        for value, stay in zip(before, stays, strict=True)
    ]
    scaled = [
        new is not None and floor - trace.packet <= new <= high
        for new, high, floor in zip(after, highest, floors, strict=True)
    ]
    return [
        (bool(before) and None not in before, {"inflight_longterm_bytes": before}),
        (
            all(count <= tolerance["rounds"] for count in rounds)
            and all(stay.following in (DOWN, CRUISE) for stay in stays),
            {"rounds": rounds, "following": [stay.following for stay in stays]},
        ),
        (bool(scaled) and all(scaled), {"before": highest, "after": after, "beta_of_target": floors}),
    ]


def limited_refill(trace: CaseTrace, tolerance: Tolerances) -> list[Observed]:
    """Case 22; those that PROBE_RTT cuts short are left out."""
    stays = [stay for stay in trace.of(REFILL) if stay.following != PROBE_RTT]
    before = [trace.entry("max_bw_bps", stay) for stay in stays]
    after = [trace.at("max_bw_bps", stay.end) for stay in stays]
    probes = [stay for stay in trace.of(UP) if stay.following != PROBE_RTT]
    kept = [
        new >= (1 - tolerance["bandwidth"]) * old and _near(old, _rate(trace), tolerance["bandwidth"])
        for old, new in zip(before, after, strict=True)
    ]
    return [
        (bool(kept) and all(kept), {"before_bps": before, "after_bps": after}),
        (
            bool(stays) and all(stay.following == UP for stay in stays),
            {"following": [stay.following for stay in stays]},
        ),
        (
            bool(probes) and all(stay.following in (DOWN, CRUISE) for stay in probes),
            {"following": [stay.following for stay in probes]},
        ),
    ]


DRAFT: Final[Mapping[str, Check]] = {
    "startup.plateau": plateau,
    "startup.loss_while_limited": startup_loss,
    "startup.lasts": startup_lasts,
    "startup.probe_rtt": probe_rtt_in_startup,
    "drain.by_inflight": drain_inflight,
    "drain.by_time": drain_time,
    "up.plateau": up_plateau,
    "up.loss_while_limited": up_loss,
    "up.loss_with_bound": loss_with_bound,
    "up.limited_refill": limited_refill,
    "up.lasts": up_lasts,
    "down.by_inflight": down_inflight,
    "down.by_time": down_time,
    "probe_rtt.comes_and_goes": probe_rtt,
    "probe_rtt.skipped": probe_rtt_skipped,
    "aggregation.in_startup": startup_aggregation,
    "aggregation.in_cruise": cruise_aggregation,
    "others.below_a_packet": below_a_packet,
    "others.policed": policed,
    "changes.tenfold_up": tenfold_up,
    "changes.tenfold_down": tenfold_down,
    "spurious.fast_recovery": fast_recovery,
    "spurious.timeout": spurious_timeout,
}
"""By the name in a case file."""
