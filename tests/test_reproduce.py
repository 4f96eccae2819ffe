"""`reproduce` through its real entry point: the document, the report, resume, and what is refused."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from tests.conftest import CommandLine

from sawtooth.comparison import Comparison
from sawtooth.errors import InputError
from sawtooth.matrix import Results
from sawtooth.published import printed
from sawtooth.report.markdown import update
from sawtooth.reproduce import chosen_study, report_path
from sawtooth.store import Store
from sawtooth.study import load_study

QUICK = ("--quick", "--seeds", "2")


def test_figure_4_end_to_end(sawtooth: CommandLine, tmp_path: Path) -> None:
    found = sawtooth("reproduce", "akella2002/fig4", *QUICK, "--json", timeout=300)
    assert found.code == 0, found.err
    document = found.json
    study = load_study("akella2002/fig4")
    assert document["study"] == "akella2002/fig4"
    assert (document["seeds"], document["runs"]) == (2, 4 * 10 * 2 + 18)
    assert document["executed"] == document["runs"] == len(set(document["run_ids"]))
    assert document["environments"] == study.matrix.environments
    assert document["quick"] is True

    rows = {(row["algorithm"], row["metric"]): row for row in document["scores"]}
    assert len(rows) == len(document["scores"]) == 16
    for name, values in printed("reno", "droptail").items():
        for metric in ("goodput", "fairness", "delay", "loss"):
            row = rows[name, metric]
            assert row["published_D"] == values[f"D_{metric}"]
            assert row["D_low"] <= row["D"] <= row["D_high"]
            assert 0 <= row["C"] <= row["D"] + 1e-12
            assert row["D_of_means"] <= row["D"] + 1e-12
        assert rows[name, "goodput"]["published_C"] == values["C_goodput"]

    verdicts = {entry["id"]: entry for entry in document["claims"]}
    assert list(verdicts) == [name for name in verdicts if name in study.claims]
    assert set(verdicts) == set(study.claims)
    assert {entry["verdict"] for entry in verdicts.values()} <= {"holds", "fails", "undecided"}
    for entry in verdicts.values():
        assert entry["evidence"]
        if entry["kind"] != "simulation":
            assert entry["verdict"] != "undecided"
    fairer = verdicts["akella-4.1.1-aimd-fairer-aiad"]
    assert fairer["verdict"] == "undecided"
    assert "11 to 13" in fairer["reason"]
    assert fairer["on_subset"]["verdict"] in {"holds", "fails", "undecided"}
    assert fairer["printed_tables"] == "holds"
    assert verdicts["akella-intro-reno-severe"]["verdict"] == "holds"
    assert verdicts["akella-intro-sack-gentle"]["verdict"] == "holds"

    report = Path(tmp_path / document["report"])
    assert report.name == "akella2002_fig4-quick.html"
    first = {path.name: path.read_bytes() for path in report.parent.iterdir()}
    assert set(first) == {"akella2002_fig4-quick.html", "akella2002_fig4-quick_reno-droptail.svg"}

    again = sawtooth("reproduce", "akella2002/fig4", *QUICK)
    assert again.code == 0
    assert "report:" in again.err
    assert "AIMD" in again.out
    assert "50 claims:" in again.out
    assert {path.name: path.read_bytes() for path in report.parent.iterdir()} == first


def test_a_study_that_does_not_exist(sawtooth: CommandLine) -> None:
    found = sawtooth("reproduce", "akella2002/fig6", "--json")
    assert (found.code, found.out) == (2, "")
    assert "akella2002/fig4" in found.err


def test_the_chosen_study() -> None:
    assert chosen_study("akella2002/fig4").matrix.seeds == 5
    assert chosen_study("akella2002/fig4", quick=True).matrix.seeds == 3
    assert chosen_study("akella2002/fig4", seeds=9, quick=True).matrix.seeds == 9
    assert chosen_study("akella2002").name == "akella2002"
    with pytest.raises(InputError, match="from 1"):
        chosen_study("akella2002/fig4", seeds=0)


def test_an_open_parameter_takes_another_value() -> None:
    study = chosen_study("akella2002/fig4", varied={"tcp.min_rto": "200 ms"})
    assert next(iter(study.plan())).scenario["tcp"]["min_rto"] == "200 ms"
    with pytest.raises(InputError, match=r"tcp\.min_rto"):
        chosen_study("akella2002/fig4", varied={"tcp.rto": "200 ms"})


def test_a_quick_or_varied_report_does_not_replace_that_of_the_study(tmp_path: Path) -> None:
    store, study = Store(tmp_path), load_study("akella2002/fig5")
    plain = Comparison(study, Results({}), ())
    quick = replace(plain, quick=True)
    varied = replace(plain, varied={"path.send_jitter": "0 us"})
    names = [report_path(store, found).name for found in (plain, quick, varied)]
    assert names == [
        "akella2002_fig5.html",
        "akella2002_fig5-quick.html",
        "akella2002_fig5-path.send_jitter_0us.html",
    ]
    page = tmp_path / "page.md"
    page.write_text("<!-- results: claims -->\n<!-- end -->\n")
    for found in (quick, varied):
        with pytest.raises(InputError, match="as it stands"):
            update(page, found)


def test_a_wrong_parameter_on_the_command_line(sawtooth: CommandLine) -> None:
    found = sawtooth("reproduce", "akella2002/fig4", "--set", "tcp.rto=1 s", "--json")
    assert (found.code, found.out) == (2, "")
    assert "tcp.min_rto" in found.err
    assert len(found.err.splitlines()) <= 3
