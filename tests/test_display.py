"""How results show themselves: few lines at a prompt, a table and a figure in a notebook; the notebook among the examples is run."""

from __future__ import annotations

import ast
import json
import subprocess
import sys
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest
from tests.conftest import SCENARIO, clean_environment
from tests.stock import ROOT
from tests.test_shard import STUDY

import sawtooth as st
from sawtooth.display import Plot
from sawtooth.errors import InputError
from sawtooth.experiment.comparison import Comparison
from sawtooth.experiment.reproduction import Reproduction
from sawtooth.experiment.sweep import Sweep
from sawtooth.html_table import ROWS
from sawtooth.run.run import Run

NOTEBOOKS = sorted((ROOT / "examples").glob("*.ipynb"))
PAIR = ["aimd(1, 0.5)", "aimd(1, 0.8)"]


@pytest.fixture(scope="module")
def run() -> Run:
    return st.run(SCENARIO, store=False)


@pytest.fixture(scope="module")
def compared() -> Comparison:
    return st.compare(PAIR, recoveries=["sack", "newreno"], scenario=SCENARIO, seeds=2)


@pytest.fixture(scope="module")
def swept() -> Sweep:
    return st.sweep(SCENARIO, {"path.rtt": ["20 ms", "30 ms"], "flows.control": PAIR}, seeds=2)


@pytest.fixture(scope="module")
def reproduced(tmp_path_factory: pytest.TempPathFactory) -> Reproduction:
    study = tmp_path_factory.mktemp("study") / "study.toml"
    study.write_text(STUDY)
    return st.reproduce(str(study), report=False)


def html(shown: Any) -> ElementTree.Element:
    """What a notebook shows, which must be sound."""
    text = f"<div>{shown._repr_html_()}</div>".replace("<br>", "<br/>")
    return ElementTree.fromstring(text)


def svg(plot: Plot) -> str:
    text = plot._repr_svg_()
    ElementTree.fromstring(text)
    return text


def test_a_run(run: Run, tmp_path: Path) -> None:
    assert repr(run).splitlines()[0] == f"<Run {run.run_id} of scenario, seed 1: 3 flows"
    assert len(repr(run)) < 200
    assert len(html(run).findall(".//tbody/tr")) == 3
    plot = run.plot()
    assert run.run_id in repr(plot)
    svg(plot)
    assert plot.save(tmp_path / "run.pdf").read_bytes().startswith(b"%PDF")
    with pytest.raises(InputError, match="svg"):
        plot.save(tmp_path / "run.doc")
    assert repr(run.light()) == f"<RunSummary {run.run_id} of scenario, seed 1>"


def test_a_figure_may_be_changed_before_it_is_saved(run: Run, swept: Sweep) -> None:
    for plot in (run.plot(), swept.plot()):
        before = svg(plot)
        plot.figure.axes[0].set_title("Something else altogether")
        assert svg(plot) != before


def test_a_comparison(compared: Comparison) -> None:
    text = repr(compared)
    assert len(text.splitlines()) <= 10
    assert text.startswith(
        "<Comparison compare: 2 controllers, 2 settings, 1 environment, 2 seeds; 8 runs\n sack/"
    )
    assert text.endswith("and 2 more: .sentences>")
    assert len(html(compared).findall(".//tbody/tr")) == 4
    with pytest.raises(InputError, match="sack/droptail, newreno/droptail"):
        compared.plot()
    with pytest.raises(InputError, match="sack/droptail"):
        compared.plot("sack/red")
    plot = compared.plot("newreno/drop-tail")
    assert "newreno" in repr(plot)
    svg(plot)


def test_a_sweep(swept: Sweep) -> None:
    assert len(repr(swept)) < 200
    rows = html(swept).findall(".//tbody/tr")
    assert [row[0].text for row in rows] == ["20 ms", "20 ms", "30 ms", "30 ms"]
    axes = swept.plot(["goodput"]).figure.axes
    assert len(axes) == 1
    assert axes[0].get_xlabel() == "path.rtt (ms)"
    means = [means["goodput"].mean for _, means in swept.groups()]
    lines = [[float(value) for value in container[0].get_ydata()] for container in axes[0].containers]
    assert lines == [means[0::2], means[1::2]]
    assert swept.plot(over="flows.control").figure.axes[0].get_xlabel() == "flows.control"
    with pytest.raises(InputError, match="metrics"):
        swept.plot(["speed"])
    with pytest.raises(InputError, match=r"path\.rtt, flows\.control"):
        swept.plot(over="seed")


def test_a_long_table_is_cut_and_says_so() -> None:
    swept = st.sweep(SCENARIO, {"path.rtt": [f"{rtt} ms" for rtt in range(20, 50)]}, seeds=1)
    assert len(html(swept).findall(".//tbody/tr")) == ROWS
    assert "and 6 more rows" in swept._repr_html_()


def test_a_reproduction(reproduced: Reproduction) -> None:
    text = repr(reproduced)
    verdict = reproduced.judged[0].verdict.value
    assert text == f"<Reproduction of steps: 1 study, 4 runs\n 1 claim: 1 {verdict}>"
    assert [cell.text for cell in html(reproduced).findall(".//tbody/tr/td")][:2] == ["less-is-more", verdict]
    svg(reproduced.plot())
    with pytest.raises(InputError, match="one of steps"):
        reproduced.plot("other")


@pytest.mark.long
@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_a_notebook_runs(path: Path, tmp_path: Path) -> None:
    """As a kernel does it: cell by cell in one place, and what stands last in a cell shows itself."""
    notebook = json.loads(path.read_text())
    assert (notebook["nbformat"], notebook["nbformat_minor"]) == (4, 5)
    cells = ["".join(cell["source"]) for cell in notebook["cells"] if cell["cell_type"] == "code"]
    assert all(not cell["outputs"] for cell in notebook["cells"] if cell["cell_type"] == "code")
    program = "import json\nshown = []\n"
    for cell in cells:
        *body, last = ast.parse(cell).body
        program += ast.unparse(ast.Module(body, [])) + "\n"
        if isinstance(last, ast.Expr):
            program += f"value = {ast.unparse(last.value)}\n"
            program += "shown.append([type(value).__name__, *(getattr(value, name)() for name in\n"
            program += "             ('_repr_html_', '_repr_svg_') if hasattr(value, name))])\n"
        else:
            program += ast.unparse(last) + "\n"
    program += "print(json.dumps(shown))\n"
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", program],
        cwd=tmp_path, env=clean_environment(), capture_output=True, text=True, timeout=300, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    shown = json.loads(done.stdout)
    assert [kind for kind, *_ in shown] == ["Run", "Plot", "Comparison", "Plot", "dict", "Sweep", "Plot"]
    for _, *texts in shown:
        for text in texts:
            ElementTree.fromstring(
                f"<div>{text}</div>".replace("<br>", "<br/>") if "<table" in text else text
            )
    assert (tmp_path / "buffers.pdf").read_bytes().startswith(b"%PDF")
