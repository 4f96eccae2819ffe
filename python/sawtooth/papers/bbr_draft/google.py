"""The checks of what the simulator tests of Google's QUIC expect of BBR: in form as those of the draft.

Source: `bbr2_simulator_test` of Google's quiche, the expectations as numbers, which the case files keep: three rounds after the plateau,
bandwidth within 1 %, a queue of 0.95 BDP, 10 MiB within 50 s of a rise, 30 % lost at a policer, shares of several flows. Of half a BDP it
expects 5 % of losses until STARTUP ends, where older versions with a window gain of 2.885 expect 20 %.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from sawtooth.papers.bbr_draft.checks import DRAIN, PROBE_BW, STARTUP, Check, Observed, Tolerances, plateau
from sawtooth.papers.bbr_draft.trace import CaseTrace

MIB_10: Final = 10 * 2**20


def startup(trace: CaseTrace, tolerance: Tolerances) -> list[Observed]:
    """The end of STARTUP, its losses and its estimate."""
    (_, following), (near, rate), (_, counted) = plateau(trace, tolerance)
    early = next(stay for stay in trace.stays if stay.state == STARTUP).end
    rounds, lost = counted["rounds"], counted["losses"]
    in_time = abs(rounds - 3) <= tolerance["rounds"] and following["following"] in (DRAIN, *PROBE_BW)
    return [
        (in_time, {"rounds": rounds, "end_s": early}),
        (lost == 0, {"losses": lost}),
        (near, rate),
    ]


def queue(trace: CaseTrace, tolerance: Tolerances) -> list[Observed]:
    """The longest queue of STARTUP."""
    link = trace.run.engine["links"][0]
    bdp = link["rate_bps"] / 8 * trace.rtt
    longest = max(trace.run.records["queue_samples"].column("bytes").to_pylist())
    return [(longest >= tolerance["share"] * bdp, {"longest_bytes": longest, "bdp_bytes": bdp})]


def shallow(trace: CaseTrace, tolerance: Tolerances) -> list[Observed]:
    """Losses known when STARTUP ends, over what it sent. Nobody knows of a loss before a round trip without a queue has passed."""
    end = next(stay.end for stay in trace.stays if stay.state == STARTUP)
    sent, known = trace.sent_until(end), trace.losses_until(end - trace.rtt)
    all_of_them = trace.losses_until(end + trace.rtt)
    return [
        (
            known <= tolerance["loss"] * sent,
            {"known": known, "sent": sent, "within_a_round_trip": all_of_them},
        )
    ]


def rises(trace: CaseTrace, tolerance: Tolerances) -> list[Observed]:
    """10 MiB, of which the slow part carries little."""
    finished = trace.run.flows.column("finished_ns")[0].as_py()
    seconds = float("inf") if finished is None else finished / 1e9 - 15.0
    return [(seconds <= tolerance["seconds"], {"seconds_after_the_rise": seconds})]


def policed(trace: CaseTrace, tolerance: Tolerances) -> list[Observed]:
    """All that is lost over all that is sent."""
    loss = trace.losses / float(trace.run.flows.column("sent")[0].as_py())
    return [(loss <= tolerance["loss"], {"loss": loss})]


def several(trace: CaseTrace, tolerance: Tolerances) -> list[Observed]:
    """Completion against that of one flow at the rate of the link, which no flow alone can beat."""
    finished = trace.run.flows.column("finished_ns").to_pylist()
    alone = MIB_10 * 8 / trace.run.engine["links"][0]["rate_bps"]
    slowest = max((float("inf") if time is None else time / 1e9) for time in finished)
    return [(slowest <= tolerance["factor"] * alone, {"slowest_s": slowest, "alone_at_least_s": alone})]


GOOGLE: Final[Mapping[str, Check]] = {
    "google.startup": startup,
    "google.queue": queue,
    "google.shallow": shallow,
    "google.rises": rises,
    "google.policed": policed,
    "google.several": several,
}
"""By the name in a case file."""
