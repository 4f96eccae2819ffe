"""docs/plugins.md, followed in each language: its change is made to the project, and each command is run where it stands."""

from __future__ import annotations

import json
import shlex
import subprocess
import sys
from pathlib import Path

import pytest
from tests.conftest import CommandLine, clean_environment
from tools.plugins_guide import CHANGED, FENCE, STEPS, change, follow

from sawtooth.report.computed import contents

ROOT = Path(__file__).resolve().parents[1]
PAGE = (ROOT / "docs" / "plugins.md").read_text(encoding="utf-8")


@pytest.mark.long
@pytest.mark.parametrize("lang", CHANGED)
def test_the_guide_can_be_followed(sawtooth: CommandLine, tmp_path: Path, lang: str) -> None:
    steps = follow(PAGE, lang, tmp_path)
    assert [step.name for step in steps] == list(STEPS.values())
    assert all(step.busy_s > 0.0 for step in steps)
    assert sum(step.busy_s for step in steps) < 60.0, steps
    assert (tmp_path / "mine.svg").is_file()
    assert (tmp_path / "mine.html").is_file()
    if lang == "c":
        blocks = FENCE.findall(PAGE)
        broken = [text for kind, text in blocks if kind == "sh"][-1]
        (shown,) = (text for kind, text in blocks if kind == "" and text.startswith("# loss-reaction"))
        assert shown in sawtooth(*shlex.split(broken)[1:]).out


def test_a_step_that_fails_stops_the_guide_and_a_change_must_fit(tmp_path: Path) -> None:
    with pytest.raises(subprocess.CalledProcessError):
        follow(PAGE.replace("new controller mine", "new controller Mine"), "c", tmp_path)
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "mine.py").write_text("        return 1\n")
    with pytest.raises(ValueError, match="expected one line"):
        change(PAGE, "python", tmp_path)


def test_the_page_has_the_times_of_every_step_in_every_language() -> None:
    rows = [line.split("|")[1:-1] for line in contents(PAGE)["guide times"].strip().splitlines()]
    assert [cell.strip() for cell in rows[0]] == ["language", *STEPS.values(), "together", "by the clock"]
    assert [row[0].strip() for row in rows[2:]] == list(CHANGED)
    for row in rows[2:]:
        *steps, together, wall_s = map(float, row[1:])
        assert abs(sum(steps) - together) < 0.051 * len(steps)
        assert together < 60.0
        assert wall_s < 60.0, "on a machine that did other work as well"


def test_the_class_on_the_page_is_a_controller(tmp_path: Path) -> None:
    (text,) = (text for kind, text in FENCE.findall(PAGE) if "class Constant" in text)
    (tmp_path / "constant.py").write_text(text)
    code = "import sawtooth as st; st.load_plugin('constant.py'); print(st.check_controller('constant(7)').passed)"
    done = subprocess.run(
        [sys.executable, "-c", code],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
        env=clean_environment(),
    )
    assert done.stdout == "False\n", "it does not react to losses"


CELLS = """
import ast, json, linecache, sys
import matplotlib
matplotlib.use("agg")
drawn = []
sys.displayhook = lambda value: drawn.append(value._repr_svg_()) if hasattr(value, "_repr_svg_") else None
for number, cell in enumerate(json.load(open(sys.argv[1]))["cells"]):
    if cell["cell_type"] == "code":
        text, name = "".join(cell["source"]), f"<cell {number}>"
        linecache.cache[name] = (len(text), None, text.splitlines(keepends=True), name)  # as notebooks do
        exec(compile(ast.Interactive(ast.parse(text, name).body), name, "single"))  # shows what a line comes to
print(json.dumps({
    "passed": [check.passed for check in (found, *checked.values())],
    "compared": len(compared.scores),
    "scores": [[row[key] for key in ("algorithm", "metric", "D", "C")] for row in versions.scores.to_pylist()],
    "drawn": [svg.count("<path") > 20 for svg in drawn],
    "costs": [row.name for row in st.plugin_costs()],
}))
"""


@pytest.mark.long
def test_the_notebook_runs(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-c", CELLS, str(ROOT / "docs" / "plugins.ipynb")],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
        env=clean_environment(),
    )
    assert done.returncode == 0, done.stderr
    shown = json.loads(done.stdout.splitlines()[-1])
    assert (shown["passed"], shown["costs"]) == ([True, True, True], ["patient"])
    assert shown["compared"] > 0
    assert shown["drawn"] == [True, True, True], "a run in C, one in Rust, the comparison"
    scores: dict[str, list[object]] = {}
    for law, *score in shown["scores"]:
        scores.setdefault(law, []).append(score)
    assert set(scores) == {"patient", "mine-c", "mine-rust", "cubic"}
    assert scores["patient"] == scores["mine-c"] == scores["mine-rust"] != scores["cubic"]
