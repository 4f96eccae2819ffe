"""The wheel: installed where there is neither Rust, nor a compiler, nor a clone, it shows what it can.

`make test-long` builds it. Here it is installed into a virtual environment of its own, beside the packages that its metadata ask for,
which are linked from the environment of the tests, so that nothing is downloaded.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import tomllib
import zipfile
from email.parser import Parser
from pathlib import Path

import pytest
from tests.stock import ROOT, stock_site

pytestmark = pytest.mark.long

DEMO_LIMIT_S = 60.0
"""What is promised of the demo; it takes a third of that on two busy cores."""


@pytest.fixture(scope="module")
def wheel() -> Path:
    """The wheel that was built last."""
    found = sorted((ROOT / "dist").glob("sawtooth-*.whl"), key=lambda path: path.stat().st_mtime)
    if not found:
        pytest.fail("no wheel to install: make wheel builds it")
    return found[-1]


@pytest.fixture(scope="module")
def installed(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A virtual environment with the wheel and what it asks for; its folder of commands."""
    home = tmp_path_factory.mktemp("stock")
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", str(home)], check=True)
    python = home / "bin" / "python"
    asked = "import sysconfig; print(sysconfig.get_path('purelib'))"
    site = subprocess.run([python, "-c", asked], check=True, capture_output=True, text=True).stdout.strip()
    with zipfile.ZipFile(wheel) as archive:
        (name,) = (name for name in archive.namelist() if name.endswith(".dist-info/METADATA"))
        metadata = Parser().parsestr(archive.read(name).decode())
    requirements = metadata.get_all("Requires-Dist", [])
    stock_site(Path(site), [text for text in requirements if "extra ==" not in text])
    install = [sys.executable, "-m", "pip", "--python", str(python), "install", "--quiet", "--no-index"]
    subprocess.run([*install, "--no-deps", str(wheel)], check=True)
    return home / "bin"


def run(installed: Path, where: Path, *arguments: str, timeout: float = 60.0) -> str:
    """What a command of the installation prints; nothing but its own folder is on the path."""
    done = subprocess.run(
        [str(installed / "sawtooth"), *arguments],
        cwd=where,
        env={"PATH": str(installed), "HOME": str(where), "LC_ALL": "C.UTF-8"},
        capture_output=True,
        text=True,
        timeout=timeout,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_it_is_one_wheel_for_every_python_from_the_oldest(wheel: Path) -> None:
    assert re.fullmatch(r"sawtooth-[\d.]+-cp311-abi3-\w+\.whl", wheel.name)


def test_it_holds_every_file_of_the_package_and_the_examples(wheel: Path) -> None:
    package = ROOT / "python"
    listed = subprocess.run(
        ["git", "ls-files", "python/sawtooth", "examples"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    ).stdout.splitlines()
    expected = {
        f"sawtooth/{path}" if path.startswith("examples/") else path.removeprefix("python/")
        for path in listed
        if not (ROOT / path).is_symlink()
    }
    assert (package / "sawtooth" / "examples" / "one-flow.toml").is_file()
    assert any(path.endswith(".trace") for path in expected)
    with zipfile.ZipFile(wheel) as archive:
        assert expected <= set(archive.namelist())
        for path in (name for name in expected if name.endswith(".toml")):
            source = ROOT / path.removeprefix("sawtooth/") if "/examples/" in path else package / path
            assert archive.read(path) == source.read_bytes(), f"{path}: make wheel builds a new one"


def test_the_demo_shows_scores_verdicts_and_a_report(installed: Path, tmp_path: Path) -> None:
    shown = run(installed, tmp_path, "demo", timeout=DEMO_LIMIT_S)
    assert re.search(r"^AIMD +\d\.\d\d ± \d\.\d\d \(\d\.\d\d\)", shown, re.MULTILINE)
    assert re.search(r"^akella-fig4-table +(holds|fails|undecided) ", shown, re.MULTILINE)
    assert (tmp_path / ".sawtooth" / "reports" / "akella2002_fig4-quick.html").stat().st_size > 100_000


def test_the_first_commands_work(installed: Path, tmp_path: Path) -> None:
    assert "sawtooth demo" in run(installed, tmp_path)
    run(installed, tmp_path, "examples")
    run(installed, tmp_path, "run", "examples/one-flow.toml", "--plot", "sawtooth.svg")
    assert (tmp_path / "sawtooth.svg").read_text().startswith("<?xml")
    assert json.loads(run(installed, tmp_path, "doctor", "--json"))["ok"] is True
    assert "akella2002/fig4" in run(installed, tmp_path, "list", "studies")
    run(installed, tmp_path, "schema", "run")


def test_a_controller_in_rust_begins_with_the_crate_that_it_is_built_with(
    installed: Path, tmp_path: Path
) -> None:
    """Cargo may download nothing: the project needs no more than the wheel has written."""
    run(installed, tmp_path, "new", "controller", "mine", "--lang", "rust", "--out", "deep/er")
    project = tmp_path / "deep" / "er"
    asked = tomllib.loads((project / "Cargo.toml").read_text())["dependencies"]
    assert set(asked) == {"sawtooth-plugin"}
    crate = project / asked["sawtooth-plugin"]["path"]
    described = tomllib.loads((crate / "Cargo.toml").read_text())
    assert described["package"]["name"] == "sawtooth-plugin"
    assert "dependencies" not in described
    for path in (ROOT / "crates" / "plugin" / "src").iterdir():
        assert (crate / "src" / path.name).read_bytes() == path.read_bytes(), (
            f"{path}: make wheel builds a new one"
        )
    # Flags and wrappers of the build around us are none of the project's.
    environment = {
        name: value for name, value in os.environ.items() if not name.startswith(("CARGO_", "RUST"))
    }
    built = subprocess.run(
        ["make", "-C", str(project)],
        env={**environment, "CARGO_NET_OFFLINE": "true"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert built.returncode == 0, built.stdout + built.stderr
    shown = run(installed, tmp_path, "list", "controllers", "--plugin", "deep/er/libmine.so")
    assert re.search(r"\bmine\b", shown)


def test_nothing_comes_from_the_checkout(installed: Path, tmp_path: Path) -> None:
    code = "import sawtooth, sys; print(sawtooth.__file__, *sys.path, sep='\\n')"
    done = subprocess.run(
        [str(installed / "python"), "-c", code],
        cwd=tmp_path,
        env={},
        capture_output=True,
        text=True,
        check=True,
    )
    assert str(ROOT) not in done.stdout
    assert str(installed.parent) in done.stdout.splitlines()[0]
