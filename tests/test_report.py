"""The report: self-contained, well formed, the same bytes twice, every number with its runs."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path
from xml.etree import ElementTree

import pytest
from tests.browser import Browser, faults

from sawtooth.claims.logic import Verdict
from sawtooth.claims.multiplicity import RULE
from sawtooth.errors import InputError
from sawtooth.experiment.comparison import Comparison
from sawtooth.experiment.intervals import interval
from sawtooth.experiment.perform import evaluate, perform
from sawtooth.experiment.reproduction import Reproduction, conclude
from sawtooth.experiment.study import Study
from sawtooth.papers import PAPERS
from sawtooth.papers.markdown import known, update
from sawtooth.papers.register import claims
from sawtooth.papers.studies import load_study
from sawtooth.report.claim_rows import ROW
from sawtooth.report.markdown import all_blocks
from sawtooth.report.tables import duration_text, number, spread, with_spread
from sawtooth.report.write import write_report
from sawtooth.run.store import Store

VOID = {"meta", "br", "link", "img", "hr", "input"}


def concluded(study: Study, found: Comparison) -> Reproduction:
    """A part of a paper as `reproduce` makes it."""
    paper = PAPERS[study.paper]
    return conclude(study.name, [paper.furnished(found)], paper.claims)


def blocks(found: Reproduction) -> dict[str, str]:
    """Every block that a page may have of it."""
    return all_blocks(found, known(found))


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Store:
    """The store behind the comparison."""
    return Store(tmp_path_factory.mktemp("report"))


@pytest.fixture(scope="module")
def reproduction(store: Store) -> Reproduction:
    """Figure 4 over two seeds and a few seconds: numbers of no meaning in a report of full shape."""
    study = load_study("akella2002/fig4").seeded(2).with_value("duration", "6 s").with_value("warmup", "2 s")
    return concluded(study, perform(study, store))


@pytest.fixture(scope="module")
def comparison(reproduction: Reproduction) -> Comparison:
    """Its only part."""
    (part,) = reproduction.parts
    return part


@pytest.fixture(scope="module")
def written(comparison: Comparison, tmp_path_factory: pytest.TempPathFactory) -> dict[str, bytes]:
    """The report's files by name, as they are on the disk."""
    folder = tmp_path_factory.mktemp("files")
    made = write_report(comparison, folder / "r.html")
    assert sorted(made) == sorted(folder.iterdir())
    return {path.name: path.read_bytes() for path in made}


@pytest.fixture(scope="module")
def files(written: dict[str, bytes]) -> dict[str, str]:
    """Those of them that are text."""
    return {name: data.decode() for name, data in written.items() if not name.endswith(".pdf")}


class Page(HTMLParser):
    """Collects ids, links and text, and checks that elements nest."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.ids: list[str] = []
        self.links: list[str] = []
        self.names: set[str] = set()
        self.words: list[str] = []
        self._open: list[str] = []
        self.feed(text)
        assert self._open == []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.names.add(tag)
        given = dict(attrs)
        self.ids += [str(given["id"])] if "id" in given else []
        self.links += [str(given["href"])] if tag == "a" else []
        if tag not in VOID:
            self._open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.names.add(tag)
        self.ids += [str(value) for name, value in attrs if name == "id"]

    def handle_endtag(self, tag: str) -> None:
        assert self._open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.words.append(data)


def test_the_page_is_one_file_that_fetches_nothing(files: dict[str, str]) -> None:
    text = files["r.html"]
    page = Page(text)
    assert not page.names & {"img", "iframe", "object"}
    assert re.findall(r"\b(?:src|@import|import|fetch|XMLHttpRequest|sendBeacon)\b", text) == []
    assert re.findall(r"<link [^>]*>", text) == ['<link rel="icon" href="data:,">']
    assert set(re.findall(r"url\(([^)]{1,2})", text)) <= {"#p"}  # clip paths of the figures, within the page
    outside = {address for address in re.findall(r"https?://[^\s\"<)]+", text) if "www.w3.org" not in address}
    assert outside == set()
    assert all(address.startswith("#") for address in page.links)


def test_no_page_shows_a_name_of_the_code(files: dict[str, str]) -> None:
    package = Path(__file__).resolve().parents[1] / "python" / "sawtooth"
    code = "\n".join(path.read_text(encoding="utf-8") for path in package.rglob("*.py"))
    composed = set(re.findall(r"^class (\w*[a-z][A-Z]\w*)", code, re.MULTILINE))
    assert len(composed) > 50
    text = re.sub(r"<(script|style|svg)\b.*?</\1>|<[^>]*>", " ", files["r.html"], flags=re.DOTALL)
    shown = set(re.findall(r"\w+", text))
    assert "Setting" in shown
    assert not shown & composed


def test_it_is_a_good_page_in_a_browser(comparison: Comparison, tmp_path: Path, browser: Browser) -> None:
    write_report(comparison, tmp_path / "r.html")
    assert faults(browser, tmp_path / "r.html") == []


def test_every_link_arrives(files: dict[str, str]) -> None:
    page = Page(files["r.html"])
    own = [name for name in page.ids if name.startswith(("runs", "claim", "reno", "parameters"))]
    assert len(own) == len(set(own))
    assert {address[1:] for address in page.links} <= set(page.ids)


def test_every_run_and_every_claim_stands_in_the_page(files: dict[str, str], comparison: Comparison) -> None:
    text = files["r.html"]
    for run_id in comparison.run_ids:
        assert run_id in text
    for item in comparison.judged:
        assert f"claim-{item.claim.id}" in text
    for entry in comparison.study.parameter:
        assert entry.key in text
    assert "replay" in text


def test_scores_of_the_page_are_those_of_the_document(files: dict[str, str], comparison: Comparison) -> None:
    text = "".join(Page(files["r.html"]).words)
    for row in comparison.score_rows:
        if row["metric"] == "loss":
            assert f"{row['D']:.2f}" in text
            assert f"printed {row['published_D']:.2f}" in text


def test_figures_are_whole(files: dict[str, str]) -> None:
    root = ElementTree.fromstring(files["r_reno-droptail.svg"])
    assert root.tag.endswith("svg")
    page = files["r.html"]
    cloud, bars = re.findall(r"<svg.*?</svg>", page, re.DOTALL)
    assert bars.count("var(--series-0)") >= 4 * 13
    for drawing in (cloud, bars):
        ElementTree.fromstring(drawing)
        assert 'role="img"' in drawing
        assert "aria-label=" in drawing
        assert re.findall(r"#[0-9a-f]{6}", drawing) == []  # every colour is a variable of the page


def test_every_figure_lies_beside_the_page_as_svg_and_as_pdf(written: dict[str, bytes]) -> None:
    vector = {name for name in written if name.endswith(".svg")}
    assert vector == {"r_reno-droptail.svg"}
    assert set(written) == {"r.html", *vector, *(name.replace(".svg", ".pdf") for name in vector)}
    drawing = written["r_reno-droptail.pdf"]
    assert drawing.startswith(b"%PDF-")
    assert drawing.rstrip().endswith(b"%%EOF")
    assert b"/FontFile2" in drawing  # text stays text in an embedded font, as journals ask
    for undated in (b"CreationDate", b"ModDate", b"atplotlib"):
        assert undated not in drawing


@pytest.mark.long
def test_a_pdf_is_the_same_in_another_process() -> None:
    code = (
        "import hashlib, sys\n"
        "from sawtooth.report.drawing import canvas, encode\n"
        "figure, (axes,) = canvas(4, 2)\n"
        "axes.plot([1, 3, 2], label='AIMD(1, 0.8) − ±')\n"
        "axes.legend()\n"
        "print(hashlib.sha256(encode(figure, 'pdf')).hexdigest())\n"
    )
    digests = {
        subprocess.run(
            [sys.executable, "-c", code],
            env={**os.environ, "PYTHONHASHSEED": seed},
            capture_output=True,
            check=True,
            text=True,
        ).stdout
        for seed in ("1", "2")
    }
    assert len(digests) == 1


def test_the_same_runs_give_the_same_bytes(
    written: dict[str, bytes], comparison: Comparison, store: Store, tmp_path: Path
) -> None:
    (part,) = concluded(comparison.study, evaluate(comparison.study, store)).parts
    again = write_report(part, tmp_path / "r.html")
    assert {path.name: path.read_bytes() for path in again} == written


def test_a_place_that_cannot_be_written(comparison: Comparison, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(InputError, match="can be written"):
        write_report(comparison, tmp_path / "file" / "r.html")


def test_marked_blocks_of_a_page_are_filled(reproduction: Reproduction, tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text(
        "before\n<!-- results: reno/droptail scores -->\nold\n<!-- end -->\nafter\n<!-- results: other -->\nkept\n<!-- end -->\n"
    )
    update(page, reproduction)
    text = page.read_text()
    assert text.startswith("before\n<!-- results: reno/droptail scores -->\n|  | D goodput |")
    assert "old" not in text
    assert "kept" in text
    update(page, reproduction)
    assert page.read_text() == text
    names = {"reno/droptail scores", "reno/droptail raw"}
    assert set(blocks(reproduction)) == names | {
        f"akella2002/fig4 {word}" for word in ("verdicts", "runs", "time")
    }


def test_a_part_leaves_the_blocks_of_the_whole_paper_alone(
    reproduction: Reproduction, store: Store, tmp_path: Path
) -> None:
    def place(name: str) -> str:
        return f"<!-- results: {name} -->\nof the paper\n<!-- end -->\n"

    page = tmp_path / "page.md"
    page.write_text("".join(map(place, ["words", "parameters", "winners", "reno/droptail scores"])))
    assert update(page, reproduction) == ["parameters", "words", "winners"]
    text = page.read_text()
    assert text.count("of the paper") == 3
    assert "| AIMD |" in text

    # A further part has the same settings as figures of the paper: its tables carry its name.
    study = (
        load_study("akella2002/bursts").seeded(1).with_value("duration", "3 s").with_value("warmup", "1 s")
    )
    found = concluded(study, perform(study, store))
    filled = blocks(found)
    assert "akella2002/bursts sack/droptail scores" in filled
    assert "akella2002/bursts parameters" in filled
    assert all(name.startswith("akella2002/bursts ") for name in filled)
    page.write_text(place("sack/droptail scores") + place("akella2002/bursts sack/droptail scores"))
    assert update(page, found) == []
    assert page.read_text().startswith(place("sack/droptail scores"))
    assert page.read_text().count("of the paper") == 1
    page.write_text(place("words"))
    with pytest.raises(InputError, match="akella2002/bursts sack/droptail scores"):
        update(page, found)
    # A time is told by who makes the runs anew: a page with nothing else stays as it is.
    page.write_text(place("akella2002/bursts time"))
    assert update(page, replace(found, parts=(replace(found.parts[0], executed=0),))) == []
    assert page.read_text() == place("akella2002/bursts time")


def test_the_whole_paper_fills_the_shared_blocks(reproduction: Reproduction) -> None:
    filled = blocks(replace(reproduction, name="akella2002"))
    assert {"parameters", "words", "reno/droptail scores"} <= set(filled)


def test_a_part_renews_the_rows_of_the_claims_that_its_runs_settle(
    reproduction: Reproduction, tmp_path: Path
) -> None:
    settled = [item for item in reproduction.judged if not item.partial]
    waiting = [item for item in reproduction.judged if item.partial and item.verdict is Verdict.UNDECIDED]
    assert settled
    assert waiting
    first, other = settled[0].claim.id, waiting[0].claim.id
    old = "\n".join(
        f"| `{name}` | fails |  |  | `akella2002/old`, 9 seeds | old words |" for name in (other, first)
    )
    page = tmp_path / "page.md"
    page.write_text(f"<!-- results: claims -->\n{old}\n<!-- end -->\n")
    update(page, reproduction)
    rows = {row["id"]: row[0] for row in ROW.finditer(page.read_text())}
    assert set(rows) == {other} | {item.claim.id for item in reproduction.judged if item not in waiting}
    today = waiting[0].claim.statement
    assert f"| fails |  |  | `akella2002/old`, 9 seeds | {today} |" in rows[other], (
        "verdict and runs of then, words of today"
    )
    by = settled[0].claim.kind == "simulation" and settled[0].seeds
    assert f"| {settled[0].verdict.value} |" in rows[first]
    assert f"| `akella2002/fig4`{f', {by} seeds, rule {RULE}' if by else ''} |" in rows[first]
    verdicts = [line.split(" | ")[1] for line in rows.values()]
    count = ", ".join(
        f"{verdicts.count(name)} {word}"
        for name, word in (("holds", "hold"), ("fails", "fail"), ("undecided", "undecided"))
    )
    assert f"{len(rows)} claims: {count}." in page.read_text()

    whole = replace(reproduction, name="akella2002")
    update(page, whole)
    assert "old words" not in page.read_text()
    assert page.read_text().count("| `akella2002`") == len(whole.judged)

    pairwise = next(entry for entry in claims() if entry.id == "reddy-pairwise")
    beside = f"| `reddy-pairwise` | fails |  |  | `reddy2012/pair`, 9 seeds | {pairwise.statement} |"
    gone = "| `akella-6-fn10-mimd-0.5` | fails |  |  | `akella2002`, 9 seeds | not judged now |"
    page.write_text(f"<!-- results: claims -->\n{beside}\n{gone}\n<!-- end -->\n")
    update(page, whole)
    assert beside in page.read_text()
    assert "`akella2002`, 9 seeds" not in page.read_text(), "a whole paper keeps none of its old rows"
    assert page.read_text().count("| `akella2002`") == len(whole.judged)


def test_on_a_page_of_another_paper_a_study_fills_only_what_carries_its_name(
    reproduction: Reproduction, tmp_path: Path
) -> None:
    def place(name: str) -> str:
        return f"<!-- results: {name} -->\nas it was\n<!-- end -->\n"

    page = tmp_path / "page.md"
    unnamed = place("reno/droptail scores")
    page.write_text(unnamed + place("words") + place("floyd2000/gap verdicts") + place("claims"))
    assert update(page, reproduction) == []
    assert unnamed in page.read_text()
    assert page.read_text().count("| `akella-") > 10
    page.write_text(unnamed + place("floyd2000/gap verdicts") + 2 * place("akella2002/fig4 verdicts"))
    update(page, reproduction)
    assert unnamed not in page.read_text(), "a page of several papers, and of this one most of all"
    page.write_text(unnamed + 2 * place("floyd2000/gap verdicts") + place("akella2002/fig4 verdicts"))
    update(page, reproduction)
    assert page.read_text().startswith(unnamed), "it has something of this paper, and is another one's"
    assert page.read_text().count("as it was") == 3


def test_a_figure_over_all_main_settings_fills_the_shared_blocks(
    reproduction: Reproduction, monkeypatch: pytest.MonkeyPatch
) -> None:
    shared = {"parameters", "words"}
    assert not shared & set(blocks(reproduction))
    (figure_4,) = (part.study for part in reproduction.parts)
    monkeypatch.setattr("sawtooth.papers.markdown.parts", lambda paper: [figure_4])
    assert shared <= set(blocks(reproduction))


def test_a_cell_of_a_table_is_filled_on_its_line(reproduction: Reproduction, tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text("| a | <!-- results: akella2002/fig4 verdicts -->?<!-- end --> |\n")
    update(page, reproduction)
    (line,) = page.read_text().splitlines()
    assert re.search(r"--> ?\d+ hold, \d+ fail, \d+ undecided; of the undecided", line)
    assert line.endswith("<!-- end --> |")


def test_a_page_without_blocks_is_refused(reproduction: Reproduction, tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text("nothing here\n")
    with pytest.raises(InputError, match="a block"):
        update(page, reproduction)
    with pytest.raises(InputError, match="readable"):
        update(tmp_path / "no.md", reproduction)


def test_times_are_for_people() -> None:
    texts = [duration_text(seconds) for seconds in (48.2, 119.0, 400.0, 7_500.0)]
    assert texts == ["48 s", "119 s", "7 min", "2 h 5 min"]


def test_numbers_of_tables() -> None:
    assert (number(-0.001, 2), number(None, 2), number(float("nan"), 2), number(12.345, 0)) == (
        "0.00",
        "–",
        "–",
        "12",
    )
    assert spread(interval([1.0]), 2) == ""
    assert with_spread(interval([1.0, 2.0, 3.0]), 1) == "2.0 ± 2.5"


def test_a_page_says_by_how_much_a_panel_misses_its_claims(store: Store) -> None:
    study = load_study("akella2002/fig1").seeded(3).with_value("duration", "8 s").replaced(probe=[])
    found = concluded(study, perform(study, store))
    lines = blocks(found)["akella2002/fig1 misses"].splitlines()
    assert lines[0] == "| panel | claim | wanted | verdict | ours | missed by |"
    rows = [[cell.strip() for cell in line.strip("|").split(" | ")] for line in lines[2:]]
    assert rows, "eight seconds are too short for any pattern"
    judged = {item.claim.id: item for item in found.judged}
    for panel, name, wanted, verdict, _, by in rows:
        item = judged[name.strip("`")]
        assert panel == item.claim.pattern
        assert item.finding is not None
        (end,) = [
            end
            for end in item.finding.leaves()
            if end.bound is not None and wanted == f"{end.text} {end.relation} {end.bound:g}"
        ][:1]
        assert verdict == end.verdict.value != "holds"
        assert end.interval is not None
        assert end.bound is not None
        gap = end.interval.mean - end.bound
        missing = gap if end.relation in ("<", "<=") else -gap
        assert by == (f"{missing:.3g}" if missing > 0 else "nothing, but open")


def test_a_figure_of_panels_says_nothing_of_those_of_another(store: Store) -> None:
    studies = [
        load_study(f"akella2002/{name}").seeded(2).with_value("duration", "8 s").replaced(probe=[])
        for name in ("fig1", "fig2")
    ]
    paper = PAPERS["akella2002"]
    both = [paper.furnished(perform(study, store)) for study in studies]
    found = blocks(conclude("akella2002/body", both, paper.claims))
    for name, panels in (("fig1", {"1a", "1b", "1c", "1d"}), ("fig2", {"2a", "2b"})):
        lines = found[f"akella2002/{name} misses"].splitlines()
        told = {line.strip("| ").split(" ")[0] for line in lines[2:]}
        assert told <= panels
        assert told or name == "fig2", "eight seconds are too short for any pattern"
