"""`sawtooth new controller`: each template builds, passes its own tests, and does to the byte what the built-in law does."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from tests.conftest import CommandLine, clean_environment

from sawtooth.plugins.project import LANGUAGES, project_files

TOOLS = {"rust": "cargo", "c": "cc", "python": sys.executable}
RUNS = """
import json, sys
import sawtooth as st

st.load_plugin(sys.argv[1])
for written in json.loads(sys.stdin.read()):
    print(st.run(written, store=False).digest)
"""
SETTINGS: tuple[dict[str, object], ...] = (
    {},
    {"slow_start_exit": "law", "timeout_threshold": "law"},
    {"window_arithmetic": "integer", "delayed_ack": True},
    {"rto_cuts": False, "initial_ssthresh": 6},
    {"pacing": "on"},
)


def scenarios(controller: str) -> list[dict[str, object]]:
    """Every recovery, and every setting that a law is told of: losses, marks and timeouts in all."""
    queues: tuple[dict[str, object], ...] = (
        {"buffer": "8 packets"},
        {"buffer": "20 packets", "queue": {"kind": "red", "ecn": True, "min": 2, "max": 8}},
    )
    return [
        {
            "duration": "6 s",
            "warmup": "1 s",
            "bottleneck": {"rate": "3 Mbit/s", "delay": "10 ms", "drop": "bernoulli(0.01)", **queue},
            "path": {"rtt": "40 ms"},
            "tcp": settings,
            "flows": [{"count": 3, "control": controller, "recovery": recovery, "start": "uniform 0..0.5 s"}],
        }
        for recovery in ("tahoe", "newreno", "sack", "rack", "quic")
        for queue in queues
        for settings in (SETTINGS if recovery == "sack" else SETTINGS[:1])
    ]


def digests(where: Path, plugin: Path, controller: str) -> list[str]:
    """What runs of a controller come to in a process that has loaded the plug-in."""
    done = subprocess.run(
        [sys.executable, "-c", RUNS, str(plugin)],
        input=json.dumps(scenarios(controller)),
        capture_output=True,
        text=True,
        check=False,
        cwd=where,
        env=clean_environment(),
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.split()


@pytest.mark.long
@pytest.mark.parametrize("lang", LANGUAGES)
def test_a_project_builds_and_gives_the_digests_of_the_built_in_law(
    sawtooth: CommandLine, tmp_path: Path, lang: str
) -> None:
    if shutil.which(TOOLS[lang]) is None or shutil.which("make") is None:
        pytest.fail(f"{TOOLS[lang]} and make build the template")
    made = sawtooth("new", "controller", "my-law", "--lang", lang, "--json").json
    assert made["plugin"] == f"my-law/{LANGUAGES[lang].plugin.replace('@NAME@', 'my-law')}"
    # Flags and wrappers of the build around us are none of the project's.
    environment = {
        name: value for name, value in os.environ.items() if not name.startswith(("CARGO_", "RUST"))
    }
    for target in ((), ("test",)):
        built = subprocess.run(
            ["make", "-C", "my-law", *target],
            cwd=tmp_path,
            capture_output=True,
            text=True,
            check=False,
            env=environment,
        )
        assert built.returncode == 0, built.stdout + built.stderr
    own = digests(tmp_path, tmp_path / made["plugin"], "my-law(1, 0.7)")
    assert own == digests(tmp_path, tmp_path / made["plugin"], "aimd(1, 0.7)")
    assert len(set(own)) == len(own), "each scenario shows something of its own"


@pytest.mark.parametrize("lang", LANGUAGES)
def test_no_place_of_a_template_stays_empty(lang: str) -> None:
    found = project_files("my-law", lang)
    assert not [path for path, text in found.items() if re.search("@[A-Z]+@", path + text)]


def test_a_folder_that_exists_is_left_alone(sawtooth: CommandLine, tmp_path: Path) -> None:
    (tmp_path / "mine").mkdir()
    done = sawtooth("new", "controller", "mine", "--lang", "c")
    assert (done.code, list((tmp_path / "mine").iterdir())) == (2, [])
    assert "expected a folder that does not exist yet" in done.err
    assert sawtooth("new", "controller", "mine", "--lang", "c", "--out", "deep/er").code == 0
    assert (tmp_path / "deep/er/mine.c").is_file()


@pytest.mark.parametrize(
    ("name", "lang", "said"),
    [
        ("Mine", "c", "small letters, digits"),
        ("a+b", "c", "small letters, digits"),
        ("gaimd", "c", "no built-in controller"),
        ("mine", "go", "one of rust, c, python"),
        ("test", "c", "a name whose file is not test.c, which every project has"),
        ("test", "python", "a name whose file is not test.py, which every project has"),
        ("sawtooth", "python", "a name that no module of Python has"),
        ("copy", "python", "a name that no module of Python has"),
        ("unittest", "python", "a name that no module of Python has"),
        ("numpy", "python", "a name that no module of Python has"),
    ],
)
def test_what_no_controller_can_be_called_is_refused(
    sawtooth: CommandLine, tmp_path: Path, name: str, lang: str, said: str
) -> None:
    done = sawtooth("new", "controller", name, "--lang", lang)
    assert (done.code, done.out, list(tmp_path.iterdir())) == (2, "", [])
    assert said in done.err


@pytest.mark.parametrize(("name", "lang"), [("test", "rust"), ("copy", "c"), ("mine", "python")])
def test_a_name_that_breaks_one_project_does_for_another(
    sawtooth: CommandLine, tmp_path: Path, name: str, lang: str
) -> None:
    (tmp_path / f"{name}.py").write_text("")  # a module of this folder alone
    assert sawtooth("new", "controller", name, "--lang", lang).code == 0
