"""Figures of single flows: throughputs over the drop rate and strips over time, from a study's file to its report."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
from tests.fits import fits

from sawtooth.errors import InputError
from sawtooth.experiment.figure_specs import SharesSpec, StripsSpec
from sawtooth.experiment.flow_shares import lay_shares
from sawtooth.experiment.matrix import ProbeRun
from sawtooth.experiment.perform import evaluate, perform
from sawtooth.experiment.strips import lay_strips
from sawtooth.experiment.study_files import read_study
from sawtooth.measure.single_flows import Recorded
from sawtooth.papers.studies import load_study
from sawtooth.plain import json_value
from sawtooth.report.write import write_report
from sawtooth.run.store import Store

STUDY = """
name = "made/flows"
paper = "made"
title = "Two kinds"
scenario = { duration = "12 s", warmup = "4 s", flows = [{ start = "0 s" }] }
quick = { seeds = 1, duration = "12 s", warmup = "4 s" }

[[probe]]
name = "mix"
why = "to have something to draw"
base = true
seeds = 2
vary = [
  { name = "pair", key = "flows", values = [[{ control = "tfrc" }, { control = "tcp(1, 0.5)" }]], labels = ["TFRC v TCP"] },
  { name = "n", key = "flows.count", values = [1, 2], labels = [1, 2] },
  { name = "queue", key = "bottleneck.queue", labels = ["droptail", "ecn"], values = [
    { kind = "drop-tail" },
    { kind = "red", min = 4, max = 12, max_p = 0.1, weight = 0.02, gentle = true, ecn = true },
  ] },
]

[probe.scenario]
record = { rates = "0.5 s", congestion = true }
path = { rtt = "40 ms", send_jitter = "4 ms" }
bottleneck = { rate = "2 Mbit/s", buffer = "20 packets" }

[[shares]]
name = "marks"
title = "Every flow"
probe = "mix"
only = { pair = "TFRC v TCP" }
x = "n"
columns = "queue"
kinds = ["TFRC", "TCP"]

[[strips]]
name = "strips"
title = "Over time"
probe = "mix"
only = { n = 2, queue = "ecn" }
kinds = ["TFRC", "TCP"]
begin_s = 4
end_s = 9
flows = 2
"""


def made(folder: Path, text: str = STUDY) -> Path:
    path = folder / "made_flows.toml"
    path.write_text(text, encoding="utf-8")
    return path


def test_a_study_draws_its_flows_from_stored_runs(tmp_path: Path) -> None:
    study, store = read_study(made(tmp_path)), Store(tmp_path / "store")
    comparison = perform(study, store)
    (shares,), (strips,) = comparison.shares, comparison.strips
    assert [column for column, _ in shares.columns] == ["droptail", "ecn"]
    for _, points in shares.columns:
        assert [len(own) for point in points for own in point.flows] == [2, 2, 4, 4]  # two seeds
        for point in points:
            together = np.mean([found.mean for found in point.means])
            assert 0.7 < together <= 1.001, "two flows or four share the link"
    assert [kind for kind, _ in strips.columns] == ["TFRC", "TCP"]
    shown = [strip for _, own in strips.columns for strip in own]
    assert [strip.flow for strip in shown] == [0, 1, 2, 3]
    assert all(strip.rates_bps.size == 10 for strip in shown)
    assert sum(strip.marks_s.size for strip in shown) > 0
    assert sum(strip.drops_s.size for strip in shown) == 0 or strips.run_id
    again = evaluate(study, store)
    assert again.to_json()["shares"] == comparison.to_json()["shares"]
    assert again.to_json()["strips"] == comparison.to_json()["strips"]
    assert fits(json_value(comparison.to_json())) == "comparison"

    files = write_report(comparison, tmp_path / "made.html")
    assert {"made.html", "made_marks.svg", "made_strips.svg"} <= {file.name for file in files}
    page = files[0].read_text(encoding="utf-8")
    assert 'id="shares-marks"' in page
    assert 'id="strips-strips"' in page
    assert page.count("<svg") == 2
    first = [file.read_bytes() for file in files]
    assert [file.read_bytes() for file in write_report(again, tmp_path / "made.html")] == first


def test_a_figure_of_an_unknown_probe_is_refused(tmp_path: Path) -> None:
    wrong = STUDY.replace('probe = "mix"\nonly = { n', 'probe = "other"\nonly = { n')
    with pytest.raises(InputError, match=r"strips\.strips.probe = \"other\": expected one of mix"):
        read_study(made(tmp_path, wrong))


def run(seed: str, shares: tuple[tuple[float, ...], ...], loss: float) -> ProbeRun:
    return ProbeRun({"n": 1, "w": "real"}, f"id{seed}", {"loss": loss}, pa.table({}), seed, shares)


def test_means_are_over_flows_and_then_over_seeds() -> None:
    spec = SharesSpec.model_validate(
        {"name": "s", "title": "S", "probe": "p", "x": "n", "columns": "w", "kinds": ["A", "B"]}
    )
    runs = [run("1", ((0.5, 0.7), (1.3, 1.5)), 2.0), run("2", ((0.8, 0.8), (1.2, 1.2)), 4.0)]
    ((_, (point,)),) = lay_shares(spec, runs).columns
    assert point.means[0].mean == pytest.approx((0.6 + 0.8) / 2)
    assert point.means[1].mean == pytest.approx((1.4 + 1.2) / 2)
    assert point.flows[0] == ((2.0, 0.5), (2.0, 0.7), (4.0, 0.8), (4.0, 0.8))
    assert point.drops.mean == 3.0
    with pytest.raises(LookupError, match="1 kinds for runs of 2 groups"):
        lay_shares(spec.model_copy(update={"kinds": ["A"]}), runs)


def test_strips_show_what_lies_between_begin_and_end() -> None:
    seen = Recorded(
        bin_s=0.5,
        fair_bps=100.0,
        groups=np.array([0, 0, 0, 1]),
        ends_s=np.arange(0.5, 5.5, 0.5),
        rates_bps=np.tile(np.arange(10.0)[:, None], (1, 4)),
        times_s=np.array([0.9, 1.0, 1.7, 2.9, 3.0]),
        flows=np.array([2, 2, 2, 2, 2]),
        marked=np.array([False, False, True, False, False]),
    )
    table = {
        "name": "s",
        "title": "S",
        "probe": "p",
        "kinds": ["A", "B"],
        "begin_s": 1,
        "end_s": 3,
        "flows": 1,
    }
    spec = StripsSpec.model_validate(table)
    of = ProbeRun({"n": 1}, "id", {}, pa.table({}), "1", (), seen)
    figure = lay_strips(spec.model_copy(update={"kinds": ["A"], "flows": 2}), [of])
    assert figure.edges_s.tolist() == [1.0, 1.5, 2.0, 2.5, 3.0]
    first, last = figure.columns[0][1]
    assert (first.flow, last.flow) == (0, 2)
    assert first.rates_bps.tolist() == [2.0, 3.0, 4.0, 5.0]
    assert (last.drops_s.tolist(), last.marks_s.tolist()) == ([1.0, 2.9], [1.7])
    with pytest.raises(LookupError, match="1 flows of B, 2 wanted"):
        lay_strips(spec.model_copy(update={"flows": 2}), [of])
    with pytest.raises(LookupError, match="no bins"):
        lay_strips(spec.model_copy(update={"begin_s": 8.0, "end_s": 9.0}), [of])


def test_the_paper_of_2000_has_its_figures() -> None:
    shares = {entry.name for entry in load_study("floyd2000/shares").shares}
    assert {f"fig{number}-flows" for number in (2, 3, 4, 5, 6, 12)} <= shares
    strips = {entry.name: entry for entry in load_study("floyd2000/smoothness").strips}
    assert strips["fig8"].only["queue"] == "ecn"
    assert strips["fig9"].only["queue"] == "red"
    assert all((entry.begin_s, entry.end_s) == (15, 30) for entry in strips.values())
