"""examples/cluster and docs/clusters.md: what stands there is right in form, every command in it parses, and it is run as far as one
machine can: Slurm, ssh and GitHub are played by a few lines."""

from __future__ import annotations

import os
import re
import shlex
import socket
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
import yaml
from tests.conftest import clean_environment
from tests.stock import ROOT
from tests.test_shard import STUDY
from typer.main import get_command

from sawtooth.cli import application
from sawtooth.run.store import Store

FOLDER = ROOT / "examples" / "cluster"
SCRIPTS = sorted(FOLDER.glob("*.sh"))
MATRIX = FOLDER / "github-matrix.yml"
PAGE = ROOT / "docs" / "clusters.md"
VARIABLE = re.compile(r"\$\{\{.*?\}\}|\$\{[^}]*\}|\$\(\w+\)|\$\w+")
NUMBERS = ("part", "parts", "PARTS", "port", "SLURM_ARRAY_TASK_ID", "threads", "nproc")


def steps(job: str) -> list[dict[str, Any]]:
    """The steps of a job of the matrix."""
    found: list[dict[str, Any]] = yaml.safe_load(MATRIX.read_text())["jobs"][job]["steps"]
    return found


def plain(command: str) -> str:
    """A command with something in the place of each variable."""
    return VARIABLE.sub(lambda found: "7" if any(name in found[0] for name in NUMBERS) else "tcp", command)


def commands() -> list[str]:
    """Every call of sawtooth and dask in the examples and on the page."""
    lines = [line.strip() for path in SCRIPTS for line in path.read_text().splitlines()]
    lines += [step["run"] for job in ("part", "whole") for step in steps(job) if "run" in step]
    for block in re.findall(r"^```sh\n(.*?)^```$", PAGE.read_text(), re.MULTILINE | re.DOTALL):
        lines += block.splitlines()
    found = []
    for line in lines:
        call = re.search(r"(?<![-\w#])((?:sawtooth|dask) .*)", plain(line))
        if call and not line.startswith("#"):
            text = call[1].removesuffix("&").strip()
            found.append(text.removesuffix('"') if text.count('"') % 2 else text)
    return found


@pytest.mark.parametrize("command", dict.fromkeys(commands()))
def test_a_command_parses(command: str) -> None:
    program, name, *words = shlex.split(command)
    if program == "sawtooth":
        known = get_command(application()).commands  # type: ignore[attr-defined]
        found = known[name]
    else:
        from distributed.cli import dask_scheduler, dask_worker

        found = {"scheduler": dask_scheduler, "worker": dask_worker}[name].main
    while hasattr(found, "commands"):
        found = found.commands[words.pop(0)]
    found.make_context(name, words)


def test_commands_of_every_kind_were_found() -> None:
    kinds = {tuple(command.split()[:2]) for command in commands()}
    assert kinds >= {
        ("sawtooth", "reproduce"),
        ("sawtooth", "store"),
        ("dask", "scheduler"),
        ("dask", "worker"),
    }


@pytest.mark.parametrize("path", SCRIPTS, ids=lambda path: path.name)
def test_a_script_is_right_in_form(path: Path) -> None:
    subprocess.run(["bash", "-n", str(path)], check=True)
    assert os.access(path, os.X_OK)
    text = path.read_text()
    assert text.startswith("#!/bin/bash\n# ")
    assert "set -euo pipefail" in text
    assert f"({path.name})" in PAGE.read_text() or f"[{path.name}]" in PAGE.read_text()


def test_the_parts_are_as_many_as_the_tasks() -> None:
    text = (FOLDER / "slurm-array.sh").read_text()
    array = re.search(r"--array=1-(\d+)$", text, re.MULTILINE)
    parts = re.search(r"PARTS:-(\d+)", text)
    assert array is not None
    assert parts is not None
    assert array[1] == parts[1]
    whole = yaml.safe_load(MATRIX.read_text())
    matrix = whole["jobs"]["part"]["strategy"]["matrix"]["part"]
    assert matrix == list(range(1, whole["env"]["PARTS"] + 1))


class Machine:
    """A directory with a study, and the programs that stand for a cluster."""

    def __init__(self, place: Path) -> None:
        self.place = place
        self.programs = place / "programs"
        self.programs.mkdir()
        (place / "study.toml").write_text(STUDY)
        for name in ("sawtooth", "dask"):
            self.add(name, f'exec {shlex.quote(sys.executable)} -m {name} "$@"')

    def add(self, name: str, text: str) -> None:
        """A program, in shell."""
        path = self.programs / name
        path.write_text(f"#!/bin/bash\n{text}\n")
        path.chmod(0o755)

    def run(self, *words: str | Path, **variables: str) -> None:
        """Runs a program with these before all others."""
        environment: Mapping[str, str] = clean_environment() | variables
        path = f"{self.programs}{os.pathsep}{environment['PATH']}"
        done = subprocess.run(
            list(map(str, words)),
            cwd=self.place,
            env={**environment, "PATH": path},
            capture_output=True,
            text=True,
            timeout=120,
            check=False,
        )
        assert done.returncode == 0, done.stderr


@pytest.fixture
def machine(tmp_path: Path) -> Machine:
    return Machine(tmp_path)


@pytest.mark.long
def test_an_array_on_slurm(machine: Machine) -> None:
    for part in (1, 2):
        machine.run(FOLDER / "slurm-array.sh", "study.toml", PARTS="2", SLURM_ARRAY_TASK_ID=str(part))
    machine.run(FOLDER / "slurm-merge.sh", "study.toml")
    parts = [Store(machine.place / "parts" / name).ids() for name in ("1", "2")]
    assert sorted(parts[0] + parts[1]) == Store(machine.place / "whole").ids()
    assert all(parts)
    assert (machine.place / "report.html").is_file()


@pytest.mark.long
def test_a_matrix_on_github(machine: Machine) -> None:
    for job, numbers in (("part", (1, 2, 3)), ("whole", (0,))):
        for number in numbers:
            for step in steps(job):
                command = step.get("run", "true").replace("${{ matrix.part }}", str(number))
                command = command.replace("${{ env.PARTS }}", "3")
                if not command.startswith("pip "):
                    machine.run("bash", "-c", command)
    assert (machine.place / "report" / "index.html").is_file()


@pytest.mark.long
def test_dask_on_slurm(machine: Machine) -> None:
    machine.add("srun", '"$@" & "$@" & wait')
    machine.run(FOLDER / "slurm-dask.sh", "study.toml", SLURM_JOB_ID="17")
    assert len(Store(machine.place / "store").ids()) == 4
    assert not list(machine.place.glob("scheduler-*.json"))


@pytest.mark.long
def test_dask_by_ssh(machine: Machine) -> None:
    machine.add("ssh", 'shift; exec bash -c "$*"')
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = str(free.getsockname()[1])
    machine.run(
        FOLDER / "ssh-dask.sh", "study.toml", "lab-1", "lab-2", ADDRESS="127.0.0.1", PORT=port,
        THREADS="1", PYTHON=sys.executable,
    )  # fmt: skip
    assert len(Store(machine.place / "store").ids()) == 4
