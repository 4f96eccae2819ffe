"""Test flows with an end: how long they take, against the same transfer alone on the empty path, and the harm that is.

`completion` is the mean over test flows that came to their end of the time from the SYN to the last acknowledgement. `slowdown` is that
over the time alone, flow by flow, then the mean; `slowdown_max` the worst flow's. `harm` follows [WareMukerjee19] for a quantity of which
less is better: (with − alone) / with, 1 − 1/slowdown, mean over the flows: 0 is no harm, 1 is starvation. All transfers count, those of
the warm-up included: a transfer is as long as it is, whenever it begins.

Source: [Dukkipati06] (completion time), [WareMukerjee19] §3 (harm).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from sawtooth.measure.metrics.frame import NAN, WHOLE_RUN, Measured, Metric, mean

if TYPE_CHECKING:
    from numpy.typing import NDArray


def known(measured: Measured, column: str) -> NDArray[np.float64]:
    """The values of the test flows that have one."""
    if not measured.has(column):
        return np.zeros(0)
    values: NDArray[np.float64] = measured.test(column).astype(np.float64, copy=False)
    return values[np.isfinite(values)]


def known_slowdowns(measured: Measured) -> NDArray[np.float64]:
    """The slow-downs of the test flows that have one."""
    return known(measured, "slowdown")


def completion(measured: Measured) -> float:
    """Mean completion time of test flows, s; NaN where none came to an end."""
    found = known(measured, "completion_s")
    return mean(found) if found.size else NAN


def slowdown(measured: Measured) -> float:
    """Mean slow-down of test flows, dimensionless."""
    found = measured.once(known_slowdowns)
    return mean(found) if found.size else NAN


def slowdown_max(measured: Measured) -> float:
    """Greatest slow-down of a test flow, dimensionless."""
    found = measured.once(known_slowdowns)
    return float(found.max()) if found.size else NAN


def harm(measured: Measured) -> float:
    """Mean harm to the completion of test flows, dimensionless, at most 1."""
    found = measured.once(known_slowdowns)
    return mean(1.0 - 1.0 / found) if found.size else NAN


COMPLETION = Metric(
    name="completion",
    unit="s",
    higher_is_better=False,
    what="mean completion time of the test flows that came to an end",
    source="Dukkipati06",
    function=completion,
    window=WHOLE_RUN,
)
SLOWDOWN = Metric(
    name="slowdown",
    unit="1",
    higher_is_better=False,
    what="completion time of a test flow over that alone on the empty path, mean over test flows",
    source="definition",
    function=slowdown,
    window=WHOLE_RUN,
)
SLOWDOWN_MAX = Metric(
    name="slowdown_max",
    unit="1",
    higher_is_better=False,
    what="greatest slow-down of a test flow",
    source="definition",
    function=slowdown_max,
    window=WHOLE_RUN,
)
HARM = Metric(
    name="harm",
    unit="1",
    higher_is_better=False,
    what="harm to the completion time of a test flow, (with − alone)/with, mean over test flows",
    source="WareMukerjee19 §3",
    function=harm,
    window=WHOLE_RUN,
)
