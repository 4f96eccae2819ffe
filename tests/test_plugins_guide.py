"""docs/plugins.md, followed in each language: its change is made to the project, and each command is run where it stands."""

from __future__ import annotations

import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest
from tests.conftest import CommandLine, clean_environment

ROOT = Path(__file__).resolve().parents[1]
FENCE = re.compile(r"^```(\w*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
PAGE = (ROOT / "docs" / "plugins.md").read_text(encoding="utf-8")
CHANGED = {"c": "mine/mine.c", "rust": "mine/src/lib.rs", "python": "mine/mine.py"}


def changed(text: str, change: str) -> str:
    """A text after a change of one line, as a page shows it."""
    before, after = (line[1:] for line in change.splitlines())
    assert text.count(f"{before}\n") == 1
    return text.replace(f"{before}\n", f"{after}\n")


@pytest.mark.long
@pytest.mark.parametrize("lang", CHANGED)
def test_the_guide_can_be_followed(sawtooth: CommandLine, tmp_path: Path, lang: str) -> None:
    blocks = FENCE.findall(PAGE)
    changes = dict(
        zip(("c", "rust", "python"), (text for kind, text in blocks if kind == "diff"), strict=True)
    )
    loaded = "mine/mine.py" if lang == "python" else "mine/libmine.so"
    commands = [line for kind, text in blocks if kind == "sh" for line in text.splitlines()]
    broken = commands.pop()
    assert [line.split()[:2] for line in commands[1:3]] == [["make", "-C"], ["sawtooth", "check-controller"]]
    for line in commands:
        words = shlex.split(line.replace("--lang c", f"--lang {lang}").replace("mine/libmine.so", loaded))
        if words[0] == "make":
            made = subprocess.run(words, cwd=tmp_path, capture_output=True, text=True, check=False)
            assert made.returncode == 0, made.stdout + made.stderr
            continue
        if words[1] == "compare" and lang != "c":
            continue  # once is enough
        done = sawtooth(*words[1:], timeout=120)
        assert done.code == 0, done.err
        if words[1] == "new":
            source = tmp_path / CHANGED[lang]
            source.write_text(changed(source.read_text(), changes[lang]))
    assert (tmp_path / "mine.svg").is_file()
    if lang == "c":
        assert (tmp_path / "mine.html").is_file()
        (shown,) = (text for kind, text in blocks if kind == "" and text.startswith("# loss-reaction"))
        assert shown in sawtooth(*shlex.split(broken)[1:]).out


def test_the_class_on_the_page_is_a_controller(tmp_path: Path) -> None:
    (text,) = (text for kind, text in FENCE.findall(PAGE) if "class Constant" in text)
    (tmp_path / "constant.py").write_text("import sawtooth as st\n\n\n" + text)
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
import json, linecache, sys
import matplotlib
matplotlib.use("agg")
for number, cell in enumerate(json.load(open(sys.argv[1]))["cells"]):
    if cell["cell_type"] == "code":
        text, name = "".join(cell["source"]), f"<cell {number}>"
        linecache.cache[name] = (len(text), None, text.splitlines(keepends=True), name)  # as notebooks do
        exec(compile(text, name, "exec"))
print(found.passed, len(compared.scores), {row.name for row in st.plugin_costs()})
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
    passed, scores, costs = done.stdout.splitlines()[-1].split(maxsplit=2)
    assert (passed, costs) == ("True", "{'patient'}")
    assert int(scores) > 0
