"""Where controllers with states spent their time: starting up, and probing for the round trip.

`startup_time` is how long a test flow was in `startup` within the measured time, `probe_rtt_share` the share of the measured time that it
was in `probe_rtt`, in which it sends next to nothing; means over the test flows whose controller has states. `run --json` has every state.

Source: draft-ietf-ccwg-bbr §4.3 (states).
"""

from __future__ import annotations

import json

from sawtooth.measure.metrics.frame import NAN, Measured, Metric


def times_ns(measured: Measured) -> list[dict[str, int]]:
    """Of every test flow with states the time in each, ns."""
    if not measured.has("states"):
        return []
    texts = measured.flows.listed("states")
    if all(text == "{}" for text in texts):
        return []
    return [
        json.loads(text) for text, test in zip(texts, measured.is_test, strict=True) if test and text != "{}"
    ]


def seconds_in(measured: Measured, state: str) -> float:
    """Mean over the test flows with states of the time in one of them, s; NaN where no flow has states."""
    spent = [times.get(state, 0) / 1e9 for times in measured.once(times_ns)]
    return sum(spent) / len(spent) if spent else NAN


def startup_time(measured: Measured) -> float:
    """Time in `startup`, s."""
    return seconds_in(measured, "startup")


def probe_rtt_share(measured: Measured) -> float:
    """Share of the measured time in `probe_rtt`, in [0, 1]."""
    return seconds_in(measured, "probe_rtt") / measured.seconds


STARTUP_TIME = Metric(
    name="startup_time",
    unit="s",
    higher_is_better=None,
    what="time that the controller of a test flow was in startup, mean over those that have states",
    source="draft-ietf-ccwg-bbr §4.3",
    function=startup_time,
)
PROBE_RTT_SHARE = Metric(
    name="probe_rtt_share",
    unit="1",
    higher_is_better=None,
    what="share of the measured time that the controller of a test flow was in probe_rtt, mean over those that have states",
    source="draft-ietf-ccwg-bbr §4.3",
    function=probe_rtt_share,
)
