"""The examples in docstrings give what they print, in a stock installation: with the packages that Sawtooth asks for and no others.

Those that draw and those of A_MINUTE are run by `make test-long`; those of MINUTES are not run at all, and only their names are tried.
Each module with examples is tried by an interpreter of its own, in a folder with `examples` as `sawtooth examples` makes it.
"""

from __future__ import annotations

import ast
import builtins
import doctest
import importlib
import subprocess
from pathlib import Path

import pytest
from tests.stock import ROOT, asked_for, stock_python, stock_site

import sawtooth as st

PACKAGE = ROOT / "python" / "sawtooth"
PROMPT = ">>> "
A_MINUTE = {
    "sawtooth.papers.bbr_draft.perform",
    "sawtooth.papers.coexistence.perform",
    "sawtooth.papers.formulas.overlay",
    "sawtooth.papers.mathematics",
    "sawtooth.papers.pattern_search",
    "sawtooth.papers.reddy2012.sliding_window.simulate",
    "sawtooth.papers.reproduce",
}
"""Modules whose examples take up to a minute or so, and print what depends on chance or on the claims: it is tried that they end well."""
DRAW = {"sawtooth.report.run_traces", "sawtooth.report.traces", "sawtooth.report.traffic_traces"}
"""Modules whose examples draw runs, as many tests of figures do."""
MINUTES = {
    "sawtooth.papers.akella2002.reconstruction.crossing": "tests/test_crossing.py",
    "sawtooth.papers.akella2002.reconstruction.reconstruct": "tests/test_reconstruction.py",
    "sawtooth.papers.fresh_seeds": "tests/test_deciding.py",
    "sawtooth.papers.sensitivity": "tests/test_sensitivity.py",
}
"""Modules whose examples simulate for minutes and are not run, and the tests that make the same calls on studies of seconds. Of the
examples their imports and the names of their calls are tried."""

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


@pytest.mark.parametrize(
    "module",
    [
        pytest.param(name, marks=[pytest.mark.long] if name in DRAW else [])
        for name in with_examples()
        if name not in A_MINUTE | MINUTES.keys()
    ],
)
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


def examples_of(module: str) -> list[doctest.Example]:
    """The examples at the head of a module."""
    loaded = importlib.import_module(module)
    (found,) = [each for each in doctest.DocTestFinder().find(loaded) if each.name == module]
    return found.examples


@pytest.mark.long
@pytest.mark.parametrize("module", sorted(A_MINUTE))
def test_examples_of_a_minute_end_well(module: str, site: Path, tmp_path: Path) -> None:
    """With nothing but what they import themselves, as a reader has it who copies them."""
    (tmp_path / "examples").symlink_to(ROOT / "examples")
    (tmp_path / "example.py").write_text(
        "".join(each.source for each in examples_of(module)), encoding="utf-8"
    )
    command, environment = stock_python(site)
    done = subprocess.run(
        [*command, "example.py"],
        cwd=tmp_path,
        env=environment | {"SAWTOOTH_STORE": str(tmp_path / "store")},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stdout + done.stderr


def test_what_is_not_run_is_named_with_the_test_in_its_place() -> None:
    assert set(MINUTES) | A_MINUTE | DRAW <= set(with_examples())
    assert [path for path in MINUTES.values() if not (ROOT / path).is_file()] == []
    told = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    assert [module for module in MINUTES if f"`{module.removeprefix('sawtooth.papers.')}`" not in told] == []


@pytest.mark.parametrize("module", sorted(A_MINUTE | MINUTES.keys()))
def test_long_examples_use_what_is_there(module: str) -> None:
    names: dict[str, object] = {}
    for example in examples_of(module):
        if example.source.startswith(("import ", "from ")):
            exec(example.source, names)
            continue
        for node in ast.walk(ast.parse(example.source)):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
                assert node.func.id in names or hasattr(builtins, node.func.id), (
                    f"{node.func.id} is not imported"
                )
            if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id == "st":
                assert node.attr in st.__all__


@pytest.mark.parametrize("name", ["run", "compare", "sweep", "replay", "check_controller", "load_scenario"])
def test_the_main_functions_have_examples(name: str) -> None:
    assert PROMPT in (getattr(st, name).__doc__ or "") + (
        importlib.import_module(getattr(st, name).__module__).__doc__ or ""
    )
