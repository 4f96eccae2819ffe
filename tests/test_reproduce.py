"""`reproduce` through its real entry point: the document, the report, resume, and what is refused."""

from __future__ import annotations

import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path

import pytest
from tests.browser import Browser, faults
from tests.conftest import CommandLine
from tests.fits import fits

from sawtooth.errors import InputError
from sawtooth.experiment.perform import different, perform
from sawtooth.experiment.reproduction import Reproduction
from sawtooth.experiment.study import Study
from sawtooth.papers import PAPERS
from sawtooth.papers.akella2002.printed import printed
from sawtooth.papers.markdown import known, update
from sawtooth.papers.register import claims
from sawtooth.papers.reproduce import chosen_studies, different_runs, jobs_of, perform_parts, report_path
from sawtooth.papers.studies import load_study
from sawtooth.plain import json_value
from sawtooth.report.markdown import all_blocks
from sawtooth.report.pages import write_reproduction
from sawtooth.run.run import run_id_of
from sawtooth.run.store import Store

ROOT = Path(__file__).resolve().parents[1]
QUICK = ("--quick", "--seeds", "2")


@pytest.mark.long
def test_figure_4_end_to_end(sawtooth: CommandLine, tmp_path: Path) -> None:
    found = sawtooth("reproduce", "akella2002/fig4", *QUICK, "--json", timeout=300)
    assert found.code == 0, found.err
    document = found.json
    study = load_study("akella2002/fig4")
    assert document["study"] == "akella2002/fig4"
    assert (document["seeds"], document["runs"]) == (2, 4 * 13 * 2 + 18)
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
    assert list(verdicts) == [entry.id for entry in claims() if entry.id in verdicts]
    assert set(verdicts) == {entry.id for entry in PAPERS["akella2002"].touched(study)}
    assert {entry["verdict"] for entry in verdicts.values()} <= {"holds", "fails", "undecided"}
    for entry in verdicts.values():
        assert entry["evidence"]
        if entry["kind"] != "simulation":
            assert entry["verdict"] != "undecided"
    fairer = verdicts["akella-4.1.1-aimd-fairer-aiad"]
    assert "reason" not in fairer  # all 13 environments are there
    assert "on_subset" not in fairer
    everywhere = verdicts["akella-abs-aiad-always-among-best"]
    if everywhere["verdict"] == "undecided":  # it speaks of eight settings, of which one was run
        assert "sack/red" in everywhere["reason"]
        assert everywhere["on_subset"]["settings"] == ["reno/droptail"]
    assert fairer["printed_tables"] == "holds"
    assert verdicts["akella-intro-reno-severe"]["verdict"] == "holds"
    assert verdicts["akella-intro-sack-gentle"]["verdict"] == "holds"

    report = Path(tmp_path / document["report"])
    assert report.name == "akella2002_fig4-quick.html"
    first = {path.name: path.read_bytes() for path in report.parent.iterdir()}
    assert set(first) == {
        "akella2002_fig4-quick.html",
        "akella2002_fig4-quick_reno-droptail.svg",
        "akella2002_fig4-quick_reno-droptail.pdf",
    }

    again = sawtooth("reproduce", "akella2002/fig4", *QUICK)
    assert again.code == 0
    assert "report:" in again.err
    assert "AIMD" in again.out
    assert f"{len(verdicts)} claims:" in again.out
    assert {path.name: path.read_bytes() for path in report.parent.iterdir()} == first


def test_a_study_that_does_not_exist(sawtooth: CommandLine) -> None:
    found = sawtooth("reproduce", "akella2002/fig99", "--json")
    assert (found.code, found.out) == (2, "")
    assert "akella2002/fig4" in found.err


def test_the_chosen_studies() -> None:
    def seeds(*given: object, **named: object) -> int:
        return chosen_studies("akella2002/fig4", *given, **named)[0].matrix.seeds  # type: ignore[arg-type]

    assert (seeds(), seeds(quick=True), seeds(seeds=9, quick=True)) == (32, 3, 9)
    assert chosen_studies("akella2002")[0].name == "akella2002"
    with pytest.raises(InputError, match="from 1"):
        chosen_studies("akella2002/fig4", seeds=0)


def test_an_open_parameter_takes_another_value() -> None:
    for study in chosen_studies("akella2002", varied={"tcp.min_rto": "200 ms"}):
        if any(entry.key == "tcp.min_rto" for entry in study.parameter):
            assert next(iter(study.plan())).scenario["tcp"]["min_rto"] == "200 ms"
    with pytest.raises(InputError, match=r"tcp\.min_rto"):
        chosen_studies("akella2002/fig4", varied={"tcp.rto": "200 ms"})


def test_a_quick_or_varied_report_does_not_replace_that_of_the_study(tmp_path: Path) -> None:
    store = Store(tmp_path)
    plain = Reproduction("akella2002/fig5", (), ())
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


@pytest.mark.parametrize(
    ("text", "options", "said"),
    [
        (None, [], "a readable page"),
        ("no block\n", [], "expected a block"),
        ("<!-- results: words -->x<!-- end -->\n", ["--quick"], "as it stands"),
    ],
)
def test_a_page_that_cannot_be_filled_is_refused_before_any_run(
    sawtooth: CommandLine,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    text: str | None,
    options: list[str],
    said: str,
) -> None:
    monkeypatch.chdir(tmp_path)  # a message shortens a long path
    page = Path("page.md")
    if text is not None:
        page.write_text(text)
    ended = sawtooth(
        "reproduce", "akella2002/fig4", *options, "--markdown", page, "--store", tmp_path / "store"
    )
    assert ended.code == 2
    assert said in ended.err
    assert "page.md" in ended.err
    assert not (tmp_path / "store").exists()


def small(name: str, main: bool, **changes: object) -> Study:
    """A study of the paper over two environments and a few seconds."""
    study = load_study("akella2002/fig4").with_value("duration", "4 s").with_value("warmup", "1 s").seeded(2)
    matrix = study.matrix.model_copy(update={"environments": ["cons-low", "rd-low"]})
    return study.replaced(
        name=name, main=main, matrix=matrix, probe=[], joined=["akella2002/fig4"], **changes
    )


def test_a_run_that_several_parts_need_counts_once_and_however_it_is_written(tmp_path: Path) -> None:
    first = small("reddy2012", True)
    again = small("reddy2012/more", False).with_value("path.rtt", "0.11 s").seeded(3)
    assert [study.runs for study in (first, again)] == [16, 24]
    assert different([first, again]) == 24
    for start in (0, 8):  # anew, and where it was broken off
        moved: list[tuple[int, int, int]] = []
        store = Store(tmp_path / str(start))
        if start:
            perform(first.seeded(1), store)
        found = perform_parts(
            "reddy2012", [first, again], store, progress=lambda *step, moved=moved: moved.append(step)
        )
        assert [done for done, _, _ in moved] == list(range(25))
        assert {total for _, total, _ in moved} == {len(found.run_ids)} == {24}
        assert moved[-1] == (24, 24, start)
        assert found.executed == 24 - start


@pytest.mark.parametrize("name", ["floyd2000", pytest.param("lahanas2003", marks=pytest.mark.long)])
def test_the_total_of_a_paper_is_the_number_of_its_different_runs(name: str) -> None:
    ids = {run_id_of(job) for part in jobs_of(name, quick=True) for job in part}
    assert different_runs(name, chosen_studies(name, quick=True), None, quick=True) == len(ids)


@pytest.mark.long
def test_parts_of_a_paper_run_once_resume_and_are_judged_together(tmp_path: Path, browser: Browser) -> None:
    more = small("akella2002/more", False, algorithm=small("", False).algorithm[:2], title="two of them")
    studies = [small("akella2002", True), more.with_value("path.rtt", "60 ms")]
    store = Store(tmp_path)
    moved: list[tuple[int, int, int]] = []
    found = perform_parts(
        "akella2002", studies, store, progress=lambda done, total, stored: moved.append((done, total, stored))
    )
    assert [part.study.name for part in found.parts] == ["akella2002", "akella2002/more"]
    assert (found.executed, len(found.run_ids)) == (24, 24)
    assert [done for done, _, _ in moved] == list(range(25))
    assert {total for _, total, _ in moved} == {24}
    assert moved[-1] == (24, 24, 0)
    ids = [item.claim.id for item in found.judged]
    assert len(ids) == len(set(ids))
    assert {entry.id for entry in claims() if entry.paper == "akella2002" and entry.check} == set(ids)
    document = found.to_json()
    assert fits(json_value(document)) == "reproduction"
    assert [part["study"] for part in document["parts"]] == ["akella2002", "akella2002/more"]
    assert {row["part"] for row in document["scores"]} == {"akella2002", "akella2002/more"}
    assert document["runs"] == 24
    written = write_reproduction(found, tmp_path / "akella2002.html")
    pages = [tmp_path / f"akella2002_{name}.html" for name in ("figures", "more")]
    assert [part.report for part in written.parts] == pages
    assert written.report == tmp_path / "akella2002.html"
    for page in pages:
        assert f'href="{page.name}"' in written.report.read_text()
        assert 'href="akella2002.html"' in page.read_text()
    assert [fault for page in (written.report, *pages) for fault in faults(browser, page)] == []

    again = perform_parts("akella2002", studies, store)
    assert again.executed == 0
    assert again.scores.equals(found.scores)
    assert again.claims.equals(found.claims)


@pytest.mark.long
def test_pages_are_the_same_whoever_draws_them(tmp_path: Path) -> None:
    parts = [small(name, name == "akella2002").seeded(1) for name in ("akella2002", "a/1", "a/2", "a/3")]
    found = perform_parts("akella2002", parts, Store(tmp_path))
    files = []
    for processes in (1, 2):
        folder = tmp_path / str(processes)
        write_reproduction(found, folder / "akella2002.html", processes)
        files.append({path.name: path.read_bytes() for path in folder.iterdir()})
    assert {"akella2002.html", "akella2002_3.html", "akella2002_3_reno-droptail.pdf"} <= set(files[0])
    assert files[0] == files[1]
    (tmp_path / "file").write_text("")
    with pytest.raises(InputError, match="a place that can be written"):
        write_reproduction(found, tmp_path / "file" / "akella2002.html", 2)


def test_fresh_makes_a_run_that_parts_share_once(tmp_path: Path) -> None:
    study = small("reddy2012", True)
    parts = [study, study.replaced(name="reddy2012/more", main=False)]
    store = Store(tmp_path)
    first = perform_parts("reddy2012", parts, store)
    again = perform_parts("reddy2012", parts, store, fresh=True)
    assert again.executed == first.executed == len(first.run_ids)
    assert [part.executed for part in again.parts] == [len(first.run_ids), 0]


KILLED = """
import sys
from sawtooth.papers.reproduce import perform_parts
from sawtooth.run import writer
from sawtooth.run.store import Store
from tests.test_reproduce import two_parts
writer.FLUSH_S = 0.05
perform_parts("reddy2012", two_parts(), Store(sys.argv[1]), threads=2)
"""


def two_parts() -> list[Study]:
    """Main cells of four algorithms, and a part of instances in families: 160 cells and seeds of a few simulated seconds."""
    appendix = load_study("akella2002/appendix")
    setting = small("", True).matrix.settings
    places = ["cons-low", "sq-high"]
    matrix = appendix.matrix.model_copy(update={"settings": setting, "environments": places, "seeds": 2})
    shorter = appendix.with_value("duration", "4 s").with_value("warmup", "1 s").replaced(matrix=matrix)
    return [small("reddy2012", True), shorter]


@pytest.mark.long
def test_a_paper_killed_in_the_middle_of_a_part_goes_on_and_gives_the_same_tables(tmp_path: Path) -> None:
    store = Store(tmp_path / "killed")
    work = subprocess.Popen([sys.executable, "-c", KILLED, str(store.path)], cwd=ROOT)
    deadline = time.monotonic() + 120.0
    while len(store.ids()) < 40:  # the first part has 16 runs, the second 144
        assert time.monotonic() < deadline
        assert work.poll() is None
        time.sleep(0.005)
    work.kill()
    work.wait(timeout=30.0)
    kept = {run.run_id for run in store.iter()}
    assert 40 <= len(kept) < 150
    resumed = perform_parts("reddy2012", two_parts(), store)
    assert resumed.executed == len(resumed.run_ids) - len(kept & set(resumed.run_ids))
    assert kept <= set(resumed.run_ids)
    whole = perform_parts("reddy2012", two_parts(), Store(tmp_path / "whole"))
    assert whole.executed == len(whole.run_ids) == len(resumed.run_ids)
    assert resumed.scores.equals(whole.scores)
    assert resumed.cells.equals(whole.cells)
    assert resumed.claims.equals(whole.claims)
    first, second = (
        {name: block for name, block in all_blocks(found, known(found)).items() if not name.endswith(" time")}
        for found in (resumed, whole)
    )
    assert first == second


def test_a_wrong_parameter_on_the_command_line(sawtooth: CommandLine) -> None:
    found = sawtooth("reproduce", "akella2002/fig4", "--set", "tcp.rto=1 s", "--json")
    assert (found.code, found.out) == (2, "")
    assert "tcp.min_rto" in found.err
    assert len(found.err.splitlines()) <= 3
