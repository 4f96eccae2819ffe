"""The metrics of a run: one table, one line per metric, one file per metric or tight family.

To add one: a file with a pure function over columns and a `Metric` that names its unit, source and direction; then a line here.
The first four are those of [Akella02]; the order is the order of every table and figure.
"""

from __future__ import annotations

from sawtooth.measure.metrics.between import CONVERGENCE, RTT_EXPONENT, SHARE_LEAST, SHARE_MOST, STARVATION
from sawtooth.measure.metrics.completion import COMPLETION, HARM, SLOWDOWN, SLOWDOWN_MAX
from sawtooth.measure.metrics.congestion import DROP_RUN, LOSS_BIAS, LOSS_EPOCH_CORRELATION, SIGNALS
from sawtooth.measure.metrics.cross import CROSS_DROPS, CROSS_EXCESS, CROSS_SHARE
from sawtooth.measure.metrics.delay import DELAY, DELAY_P50, DELAY_P95, DELAY_P99, DELAY_P999
from sawtooth.measure.metrics.fairness import FAIRNESS, JAIN
from sawtooth.measure.metrics.frame import Measured, Metric, flow_goodputs_bps
from sawtooth.measure.metrics.goodput import GOODPUT
from sawtooth.measure.metrics.link import IDLE, UTILISATION
from sawtooth.measure.metrics.loss import DROPS, FULL_DROPS, LOSS, MARKS
from sawtooth.measure.metrics.rates import RATE_VARIATION, RTT_BIAS
from sawtooth.measure.metrics.round_trips import RTT_MEAN, RTT_P50, RTT_P95, RTT_P99, RTT_P999
from sawtooth.measure.metrics.sender import (
    MEAN_WINDOW,
    RETRANSMISSION_RATE,
    RETRANSMITS,
    SPURIOUS_RETRANSMITS,
    TIMEOUTS,
    UNDOS,
)
from sawtooth.measure.metrics.share_autocorrelation import SHARE_AUTOCORRELATION_TIME
from sawtooth.measure.metrics.states import PROBE_RTT_SHARE, STARTUP_TIME
from sawtooth.measure.metrics.window_climb import WINDOW_CLIMB, WINDOW_GROWTH

METRICS: tuple[Metric, ...] = (
    GOODPUT,
    FAIRNESS,
    DELAY,
    LOSS,
    JAIN,
    UTILISATION,
    DELAY_P50,
    DELAY_P95,
    DELAY_P99,
    TIMEOUTS,
    RETRANSMITS,
    MARKS,
    IDLE,
    MEAN_WINDOW,
    SHARE_AUTOCORRELATION_TIME,
    SIGNALS,
    FULL_DROPS,
    DROP_RUN,
    LOSS_EPOCH_CORRELATION,
    LOSS_BIAS,
    RATE_VARIATION,
    RTT_BIAS,
    CROSS_SHARE,
    CROSS_EXCESS,
    CROSS_DROPS,
    WINDOW_GROWTH,
    WINDOW_CLIMB,
    DROPS,
    DELAY_P999,
    RTT_MEAN,
    RTT_P50,
    RTT_P95,
    RTT_P99,
    RTT_P999,
    RETRANSMISSION_RATE,
    SPURIOUS_RETRANSMITS,
    UNDOS,
    STARTUP_TIME,
    PROBE_RTT_SHARE,
    COMPLETION,
    SLOWDOWN,
    SLOWDOWN_MAX,
    HARM,
    SHARE_LEAST,
    SHARE_MOST,
    STARVATION,
    CONVERGENCE,
    RTT_EXPONENT,
)

METRIC_NAMES: tuple[str, ...] = tuple(entry.name for entry in METRICS)
_FUNCTIONS = tuple((entry.name, entry.function) for entry in METRICS)


def metric(name: str) -> Metric:
    """The metric of that name. KeyError names what exists."""
    for entry in METRICS:
        if entry.name == name:
            return entry
    raise KeyError(f"metric {name!r}: expected one of {', '.join(METRIC_NAMES)}")


def metric_values(measured: Measured) -> dict[str, float]:
    """Every metric of one run, by name, in the order of METRICS; NaN where undefined."""
    return {name: float(function(measured)) for name, function in _FUNCTIONS}


__all__ = ["METRICS", "METRIC_NAMES", "Measured", "Metric", "flow_goodputs_bps", "metric", "metric_values"]
