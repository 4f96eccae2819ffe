"""How delays are distributed: from the quantiles that a run keeps to the panel of a comparison."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from matplotlib.text import Text
from tests.figure_faults import faults

import sawtooth as st
from sawtooth.report.compare_figures import block_figure, distribution
from sawtooth.run.outcome import delay_quantiles
from sawtooth.scenario.described import describe

SHARES = np.asarray(describe()["delay_shares"])
SCENARIO = {
    "duration": "6 s",
    "warmup": "1 s",
    "bottleneck": {"rate": "8 Mbit/s", "buffer": "40 packets"},
    "path": {"rtt": "40 ms"},
    "flows": [{"count": 2, "control": "aimd(1, 0.5)", "recovery": "sack"}],
}


def test_quantiles_of_a_run_are_those_of_its_packets() -> None:
    run = st.run({**SCENARIO, "record": {"packets": True}}, store=False)
    quantiles = np.asarray(delay_quantiles(run))
    assert quantiles.size == SHARES.size
    assert (np.diff(quantiles) >= 0.0).all()
    row = run.queues.to_pylist()[0]
    for share, name in (
        (0.5, "delay_p50_ns"),
        (0.95, "delay_p95_ns"),
        (0.99, "delay_p99_ns"),
        (0.999, "delay_p999_ns"),
    ):
        assert quantiles[SHARES.tolist().index(share)] == row[name] / 1e6
    middle = np.interp(
        np.linspace(0.0, 1.0, 2001),
        np.concatenate([[0.0], SHARES]),
        np.concatenate([quantiles[:1], quantiles]),
    )
    assert middle.mean() == pytest.approx(row["mean_delay_test_ms"], rel=0.03)


def test_a_distribution_is_drawn_from_its_quantiles() -> None:
    ramp = distribution((100.0 * SHARES).tolist(), SHARES, np.array([0.0, 10.0, 50.0, 100.0, 200.0]))
    assert ramp == pytest.approx([0.0, 10.0, 50.0, 100.0, 100.0])
    step = distribution([5.0] * SHARES.size, SHARES, np.array([4.9, 5.0, 5.1]))
    assert step == pytest.approx([0.0, 100.0, 100.0])
    idle = np.where(SHARES <= 0.6, 0.0, 10.0)
    assert distribution(idle.tolist(), SHARES, np.array([0.0]))[0] == pytest.approx(60.0)


@pytest.mark.parametrize(
    "places",
    [
        ["none"],
        pytest.param(["sq-high", "cons-high"], marks=pytest.mark.long),
        pytest.param(["sq-high", "sq-low", "cons-high", "cons-low", "none"], marks=pytest.mark.long),
    ],
)
def test_a_comparison_shows_them(places: list[str], tmp_path: Path) -> None:
    found = st.compare(
        ["aimd(1, 0.5)", "tfrc"], environments=places, scenario=SCENARIO, seeds=2, store=tmp_path
    )
    block = found.own[0]
    assert len(block.delays) == 2 * 2 * len(places)
    again = st.compare(
        ["aimd(1, 0.5)", "tfrc"], environments=places, scenario=SCENARIO, seeds=2, store=tmp_path
    )
    assert (again.executed, again.own[0].delays) == (0, block.delays), "they are stored"
    figure = block_figure(block)
    said = [text.get_text() for text in figure.findobj(Text) if isinstance(text, Text)]
    assert said.count("queueing delay (ms); better: left") == (len(places) if len(places) <= 4 else 1)
    assert faults(figure) == []
    panel = next(axes for axes in figure.axes if axes.get_xlabel().startswith("queueing delay"))
    for line, name in zip(panel.lines, block.algorithms, strict=True):
        least = min(own[0] for key, own in block.delays.items() if key.algorithm == name)
        x, y = (np.asarray(values, dtype=np.float64) for values in line.get_data())
        assert x[y == 0.0].max() == pytest.approx(least), "nobody waited less than the first packet"
