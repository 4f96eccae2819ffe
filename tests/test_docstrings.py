"""The examples in docstrings give what they print, in a stock installation: with the packages that Sawtooth asks for and no others.

Each module with examples is tried by an interpreter of its own, in a folder with `examples` as `sawtooth examples` makes it.
"""

from __future__ import annotations

import ast
import doctest
import importlib
import subprocess
from pathlib import Path

import pytest
from tests.stock import ROOT, asked_for, stock_python, stock_site

import sawtooth as st

PACKAGE = ROOT / "python" / "sawtooth"
PROMPT = ">>> "
MINUTES = {
    "sawtooth.papers.akella2002.reconstruction.reconstruct",
    "sawtooth.papers.bbr_draft.perform",
    "sawtooth.papers.coexistence.perform",
    "sawtooth.papers.formulas.overlay",
    "sawtooth.papers.fresh_seeds",
    "sawtooth.papers.mathematics",
    "sawtooth.papers.pattern_search",
    "sawtooth.papers.reddy2012.sliding_window.simulate",
    "sawtooth.papers.reproduce",
    "sawtooth.papers.sensitivity",
}
"""Modules whose examples simulate for minutes: their imports and the names of their calls are tried, and the runs in tests of their own."""

TRY = """
import doctest, importlib, sys
found = doctest.testmod(importlib.import_module(sys.argv[1]), optionflags=doctest.ELLIPSIS)
assert found.attempted, "no example was found"
sys.exit(found.failed)
"""


def module_of(path: Path) -> str:
    """The name of a module of the package."""
    parts = path.relative_to(PACKAGE.parent).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def with_examples() -> list[str]:
    """The modules with a prompt anywhere in them."""
    return sorted(module_of(path) for path in PACKAGE.rglob("*.py") if PROMPT in path.read_text("utf-8"))


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The packages of a stock installation."""
    return stock_site(tmp_path_factory.mktemp("site"), asked_for())


@pytest.mark.parametrize("module", [name for name in with_examples() if name not in MINUTES])
def test_examples_give_what_they_print(module: str, site: Path, tmp_path: Path) -> None:
    (tmp_path / "examples").symlink_to(ROOT / "examples")
    command, environment = stock_python(site)
    done = subprocess.run(
        [*command, "-c", TRY, module],
        cwd=tmp_path,
        env=environment | {"SAWTOOTH_STORE": str(tmp_path / "store")},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.parametrize("module", sorted(MINUTES))
def test_long_examples_use_what_is_there(module: str) -> None:
    loaded = importlib.import_module(module)
    (found,) = [each for each in doctest.DocTestFinder().find(loaded) if each.name == module]
    names = dict(vars(loaded))
    for example in found.examples:
        if example.source.startswith(("import ", "from ")):
            exec(example.source, names)
            continue
        for node in ast.walk(ast.parse(example.source)):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
                assert node.func.id in names, f"{node.func.id} is not imported"
            if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id == "st":
                assert node.attr in st.__all__


@pytest.mark.parametrize("name", ["run", "compare", "sweep", "replay", "check_controller", "load_scenario"])
def test_the_main_functions_have_examples(name: str) -> None:
    assert PROMPT in (getattr(st, name).__doc__ or "") + (
        importlib.import_module(getattr(st, name).__module__).__doc__ or ""
    )
