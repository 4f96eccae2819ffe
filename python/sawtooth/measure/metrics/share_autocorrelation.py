"""How long a flow that is above or below its share stays there: the autocorrelation time of the shares.

In bin k the share of flow i is s_i[k] = delivered_i[k] / Σ_j delivered_j[k], its deviation x_i[k] = s_i[k] − 1/n. With K bins,

    ρ[l] = Σ_i Σ_k x_i[k]·x_i[k+l] / Σ_i Σ_k x_i[k]²           (both sums over the bins that exist: the 1/K estimator)
    τ    = Δ · (1/2 + Σ_{l=1..M} ρ[l]),   M the smallest lag with M ≥ 5·τ(M)/Δ, at most K − 1

so τ is the constant of the exponential for ρ = exp(−t/τ) and bins Δ ≪ τ. All flows are pooled; a bin in which nobody delivered
counts as even.

| parameter | unit | value | why                                                                   |
|-----------|------|-------|-----------------------------------------------------------------------|
| window c  | 1    | 5     | [Sokal97] §3: long enough for an exponential, short enough for noise  |

Source: the integrated autocorrelation time with automatic windowing, [Sokal97] §3; the question is [Akella02] §4.1.2.
Differs from Sokal: deviations are taken from the fair share 1/n, which is known, and not from the flow's own mean: a flow that keeps an
unfair share for the whole run must count as a long memory. τ then tends to half the window, the most that can be seen.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from sawtooth.measure.metrics.frame import NAN, Measured, Metric

if TYPE_CHECKING:
    from numpy.typing import NDArray

WINDOW_FACTOR = 5.0


def integrated_time(deviations: NDArray[np.float64]) -> float:
    """τ in bins of pooled series. `deviations` has shape (bins, flows), mean known to be zero. NaN if all are zero; never below 0."""
    bins = deviations.shape[0]
    spectrum = np.fft.rfft(deviations, n=2 * bins, axis=0)  # zero-padded, so that no lag wraps around
    covariances = np.fft.irfft((spectrum * spectrum.conj()).real.sum(axis=1), n=2 * bins)[:bins]
    if bins < 2 or covariances[0] <= 0.0:
        return NAN
    taus = 0.5 + np.cumsum(covariances[1:] / covariances[0])
    lags = np.arange(1, bins)
    wide_enough = np.flatnonzero(lags >= WINDOW_FACTOR * taus)
    return max(0.0, float(taus[wide_enough[0] if wide_enough.size else -1]))


def share_autocorrelation_time(measured: Measured) -> float:
    """τ in seconds; NaN unless the scenario recorded rates, with fewer than two test flows, or when all shares are always equal."""
    found = measured.delivered_per_bin
    if found is None or found[0].shape[1] < 2:
        return NAN
    table, bin_ns = found
    total = np.add.reduce(table, axis=1, keepdims=True)
    fair = 1.0 / table.shape[1]
    shares = table / total if total.all() else _or_even(table, total, fair)
    return integrated_time(shares - fair) * bin_ns / 1e9


def _or_even(table: NDArray[np.float64], total: NDArray[np.float64], fair: float) -> NDArray[np.float64]:
    """The shares where somebody delivered, and even ones where nobody did."""
    return np.divide(table, total, out=np.full_like(table, fair), where=total > 0.0)


SHARE_AUTOCORRELATION_TIME = Metric(
    name="share_autocorrelation_time",
    unit="s",
    higher_is_better=False,
    what="integrated autocorrelation time of the test flows' shares (needs recorded rates)",
    source="Sokal97 §3",
    function=share_autocorrelation_time,
)
