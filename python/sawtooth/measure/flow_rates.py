"""How the rates of flows vary from bin to bin: measures of the flows of a group.

    >>> import sawtooth as st
    >>> from sawtooth.measure.measures import Measure
    >>> run = st.run("examples/one-flow.toml", set={"record.rates": "100 ms"})
    >>> Measure.parse("below 0.7 at 0.2 s of 0")(run)
    0.0

Source: [Floyd00] §5.2 for the throughput ratio and its histogram; [FloydHandley00] §4.1 for the coefficient of variation. Every flow counts
alike: a number is the mean over the flows of the group.

| measure             | unit | what                                                                                        | record |
|---------------------|------|---------------------------------------------------------------------------------------------|--------|
| loss of G           | %    | packets of the group dropped at the first queue over those sent, retransmissions included        | none   |
| variation at B of G | 1    | coefficient of variation of a flow's rate in bins of B: standard deviation over mean          | rates  |
| roughness at B of G | 1    | mean change of a flow's rate from one bin of B to the next, over its mean rate                | rates  |
| below X at B of G   | 1    | share of a flow's throughput ratios (rate in a bin of B over that in the bin before) below X  | rates  |

A ratio needs something in the bin before; where nothing was sent there is none. Flows that send nothing at all have no number.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from sawtooth.column_values import values_of
from sawtooth.models.throughput_ratio import throughput_ratios

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from sawtooth.measure.run_part import RunPart

Rates: TypeAlias = "NDArray[np.float64]"


def loss(part: RunPart) -> float:
    """Dropped over sent, in percent, of the group's flows together over the measured part of the run; NaN where nothing was sent."""
    own = part.of_group()
    sent, drops = (
        values_of(part.run.flows.column(name))[: own.size][own].sum() for name in ("sent", "drops")
    )
    return 100.0 * float(drops / sent) if sent else float("nan")


def variation(part: RunPart) -> float:
    """Mean over the flows of standard deviation over mean."""
    rates = _sending(part)
    return float(np.mean(rates.std(axis=0) / rates.mean(axis=0))) if rates.size else float("nan")


def roughness(part: RunPart) -> float:
    """Mean over the flows of the mean step between bins over the mean."""
    rates = _sending(part)
    if rates.shape[0] < 2 or not rates.size:
        return float("nan")
    return float(np.mean(np.abs(np.diff(rates, axis=0)).mean(axis=0) / rates.mean(axis=0)))


def below(part: RunPart) -> float:
    """Mean over the flows of the share of throughput ratios below the level."""
    level = float("nan") if part.level is None else part.level
    each = [throughput_ratios(own) for own in _sending(part).T]
    shares = [float(np.mean(ratios < level)) for ratios in each if ratios.size]
    return float(np.mean(shares)) if shares else float("nan")


def _sending(part: RunPart) -> Rates:
    rates = part.rates()
    return rates[:, rates.sum(axis=0) > 0]
