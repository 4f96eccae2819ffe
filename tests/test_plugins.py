"""Controllers from plug-ins: by name everywhere once somebody asks for their file, and a message where one goes wrong."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest
from tests.conftest import CommandLine, clean_environment

from sawtooth.plugins.project import new_project
from sawtooth.run.store import Store

SWEEP = ("sweep", "own.toml", "--over", "path.rtt=20ms,30ms", "--seeds", 1, "--plugin", "mine.py", "--json")
"""A sweep of two runs with a controller of one's own."""
LAW = '''
import sawtooth as st


@st.controller
class Mine:
    """a packets a round, the fraction b of the window kept"""

    name = "mine"
    parameters = (st.Parameter("a", "packets/round", 1, (0, 100)), st.Parameter("b", "1", 0.5, (0, 1)))

    def __init__(self, numbers, settings):
        self.a, self.b = numbers
        self.w = settings.initial_window
        self.settings = settings

    def on_ack(self, ack):
        if ack.cwnd_limited and not ack.in_recovery:
            self.w += ack.newly_acked * (self.a / self.w)

    def on_congestion(self, signal):
        self.w = max(1.0, 1.0 if signal.kind == "timeout" else self.b * self.w)

    def window(self):
        return self.w
'''
CONVERGE = ("model", "converge", "mine", "--windows", "3,9", "--capacity", "20")


@pytest.fixture
def law(tmp_path: Path) -> Path:
    """A controller in Python, beside the scenario."""
    path = tmp_path / "mine.py"
    path.write_text(LAW)
    return path


@pytest.fixture
def own_scenario(tmp_path: Path, scenario_text: str) -> Path:
    """The scenario of the tests with that controller."""
    path = tmp_path / "own.toml"
    path.write_text(scenario_text.replace("aimd(1, 0.5)", "mine(b=0.5)"))
    return path


@pytest.mark.usefixtures("own_scenario", "law")
def test_nothing_is_loaded_that_nobody_asked_for(sawtooth: CommandLine) -> None:
    done = sawtooth("run", "own.toml")
    assert done.code == 2
    assert "mine(b=0.5)" in done.err
    assert "or a name of a plug-in that is loaded (--plugin)" in done.err
    assert "aimd(" not in done.err, "names are enough: their parameters fill a screen"
    assert len(done.err.splitlines()) <= 3


@pytest.mark.usefixtures("own_scenario", "law")
def test_a_plug_in_is_a_name_in_every_command(sawtooth: CommandLine) -> None:
    run = sawtooth("run", "own.toml", "--plugin", "mine.py", "--store", "st", "--json")
    assert run.code == 0, run.err
    assert [row["controller"] for row in run.json["flows"]] == ["mine(b=0.5)"] * 2 + ["aimd(1, 0.8)"]
    assert "mine: " in run.err
    assert "calls of Python took" in run.err
    listed = sawtooth("list", "controllers", "--plugin", "mine.py", "--json").json["controllers"]
    (row,) = [row for row in listed if row["name"] == "mine"]
    profile = run.json["resolved"]["engine"]["profiles"][0]["controller"]
    assert (row["form"], row["plugin"]) == ("mine(a, b)", profile["file"])
    replayed = sawtooth("replay", run.json["run_id"], "--store", "st", "--plugin", "mine.py")
    assert replayed.code == 0
    unknown = sawtooth("replay", run.json["run_id"], "--store", "st")
    assert unknown.code == 2
    assert "plug-in to be loaded" in unknown.err
    swept = sawtooth("sweep", "own.toml", "--over", "path.rtt=20ms,30ms", "--seeds", 1, "--plugin", "mine.py")
    assert swept.code == 0, swept.err
    against = ("mine", "mine(1, 0.7)", "aimd(1, 0.5)", "--scenario", "own.toml", "--seeds", 1)
    compared = sawtooth("compare", *against, "--plugin", "mine.py", "--csv")
    assert compared.code == 0, compared.err
    assert "mine(1, 0.7)" in compared.out


@pytest.mark.usefixtures("law")
def test_the_synchronous_model_takes_plug_ins(sawtooth: CommandLine) -> None:
    own = sawtooth(*CONVERGE, "--plugin", "mine.py", "--json")
    assert own.code == 0, own.err
    assert own.json["converges"]


@pytest.mark.usefixtures("own_scenario", "law")
def test_the_environment_may_list_plug_ins(sawtooth: CommandLine) -> None:
    assert sawtooth("run", "own.toml", SAWTOOTH_PLUGINS="mine.py").code == 0
    missing = sawtooth("run", "own.toml", SAWTOOTH_PLUGINS="nothing.so")
    assert (missing.code, missing.err.count("\n")) == (2, 1)
    assert "nothing.so: expected a file that can be read" in missing.err


@pytest.mark.usefixtures("own_scenario")
def test_a_listed_path_may_hold_the_separator(sawtooth: CommandLine, law: Path) -> None:
    """A command lists what it has loaded for the processes that it starts: these found no file of half the name."""
    other = law.parent / "10:30" / "other.py"
    other.parent.mkdir()
    other.write_text(LAW.replace('name = "mine"', 'name = "other"'))
    done = sawtooth("list", "controllers", SAWTOOTH_PLUGINS=f"{other}:mine.py")
    assert done.code == 0, done.err
    assert {"mine", "other"} <= {line.split()[0] for line in done.out.splitlines() if line.strip()}
    missing = sawtooth("list", "controllers", SAWTOOTH_PLUGINS="10:31/other.py:mine.py")
    assert (missing.code, missing.err.partition(": ")[0].rpartition("/")[2]) == (2, "10")


@pytest.mark.parametrize(
    ("inserted", "said"),
    [
        (
            "import sys\nsys.exit(0)",
            "bad.py: line 2: expected a file that Python runs; it says SystemExit: 0",
        ),
        ("raise SystemExit", "bad.py: line 1: expected a file that Python runs; it says SystemExit: "),
    ],
)
def test_a_file_that_ends_the_process_is_no_plug_in(
    inserted: str, said: str, sawtooth: CommandLine, scenario_file: Path
) -> None:
    """Any command ended with 0 there, without a run and without a word."""
    (scenario_file.parent / "bad.py").write_text(f"{inserted}\n{LAW}")
    done = sawtooth("run", scenario_file.name, "--plugin", "bad.py")
    assert (done.code, done.out, done.err.strip()) == (2, "", said.strip())


@pytest.mark.parametrize(
    ("written", "said"),
    [
        ('"b", "1", "10", (0, 1)', "parameters['b'].default = \"10\": expected a number, or None"),
        (
            '"b", "1", 1, (0, "1")',
            "parameters['b'].interval = [0, \"1\"]: expected the smallest and the largest",
        ),
        ('"b", "1", 1, (0, 10**400)', "parameters['b'].interval = [0, 1000"),
        ('"b", 1, 1, (0, 1)', "parameters['b'].unit = \"1\": expected a text"),
        ('"b", "1", 1, (0, 1), whole=1', "parameters['b'].whole = 1: expected True or False"),
    ],
)
def test_a_parameter_of_a_wrong_type_is_named(
    written: str, said: str, sawtooth: CommandLine, law: Path
) -> None:
    law.write_text(LAW.replace('"b", "1", 0.5, (0, 1)', written))
    done = sawtooth("list", "controllers", "--plugin", "mine.py")
    assert (done.code, done.out) == (2, "")
    assert f"mine.py: controller Mine: {said}" in done.err


@pytest.mark.parametrize(
    "words",
    [
        ("run", "own.toml", "--json"),
        ("sweep", "own.toml", "--over", "path.rtt=20ms,30ms", "--seeds", "1", "--json"),
        (*CONVERGE, "--json"),
        ("check-controller", "mine", "--json"),
        ("list", "controllers", "--json"),
    ],
)
@pytest.mark.usefixtures("own_scenario")
def test_what_a_plug_in_prints_goes_to_standard_error(
    words: tuple[str, ...], sawtooth: CommandLine, law: Path
) -> None:
    """Its lines stood before the document."""
    told = LAW.replace("        self.settings =", "        print('made')\n        self.settings =")
    law.write_text(
        f"import sys\nsys.stdout.write('loaded\\n')\n{told}\nimport atexit\natexit.register(print, 'bye')\n"
    )
    done = sawtooth(*words, "--plugin", "mine.py")
    assert done.json["format"].startswith("sawtooth/")
    assert {"loaded"} <= set(done.err.split())
    assert ("made" in done.err) == (words[0] != "list")
    listed = sawtooth(*words, SAWTOOTH_PLUGINS="mine.py")
    assert listed.json.keys() == done.json.keys()


@pytest.mark.long
@pytest.mark.usefixtures("own_scenario")
def test_what_a_plug_in_prints_on_workers_goes_to_standard_error(sawtooth: CommandLine, law: Path) -> None:
    pytest.importorskip("distributed")
    law.write_text(
        f"print('loaded')\n{LAW}".replace(
            "        self.w = max", "        print('cut')\n        self.w = max"
        )
    )
    done = sawtooth(*SWEEP, "--executor", "dask", SAWTOOTH_THREADS="2")
    assert done.json["executed"] == 2
    assert {"loaded", "cut"} <= set(done.err.split())


@pytest.mark.usefixtures("own_scenario")
def test_what_a_library_prints_goes_to_standard_error(sawtooth: CommandLine, tmp_path: Path) -> None:
    """It goes past Python, and its lines stood behind the document."""
    project = new_project("mine", "c", tmp_path / "project")
    source = project.directory / "mine.c"
    text = source.read_text().replace(
        '#include "sawtooth.h"\n', '#include "sawtooth.h"\n#include <stdio.h>\n'
    )
    source.write_text(text.replace("    Law *law = malloc(", '    puts("made");\n    Law *law = malloc(', 1))
    subprocess.run(["make", "-s", "-C", str(project.directory)], check=True, capture_output=True)
    done = sawtooth("run", "own.toml", "--json", "--plugin", project.plugin)
    assert done.json["format"].startswith("sawtooth/")
    assert "made" in done.err.split()


@pytest.mark.usefixtures("law")
def test_help_goes_to_standard_output_beside_plug_ins(sawtooth: CommandLine, law: Path) -> None:
    law.write_text(f"print('loaded')\n{LAW}")
    done = sawtooth("run", "--help", SAWTOOTH_PLUGINS="mine.py")
    assert (done.code, done.err) == (0, "loaded\n")
    assert done.out.startswith("Usage: sawtooth run")


COUNTING = """
        self.w += ack.newly_acked / self.w
        if ack.ce_marked:
            raise ValueError("%d packets, %d bytes" % (ack.ce_marked, ack.newly_marked))
"""


@pytest.mark.usefixtures("own_scenario")
def test_acknowledgements_count_marked_packets_and_their_bytes(sawtooth: CommandLine, law: Path) -> None:
    law.write_text(LAW.replace("def on_ack(self, ack):\n", f"def on_ack(self, ack):{COUNTING}"))
    step = ["--set", "tcp.ecn=accurate", "--set", "bottleneck.queue={kind = 'step', threshold = '5 packets'}"]
    done = sawtooth("run", "own.toml", "--plugin", "mine.py", *step)
    assert done.code == 2
    (told,) = re.findall(r"ValueError: (\d+) packets, (\d+) bytes", done.err)
    packets, size = map(int, told)
    assert size == 1000 * packets > 0


def test_the_file_is_part_of_the_identity_and_another_one_makes_other_runs(
    sawtooth: CommandLine, own_scenario: Path, law: Path
) -> None:
    def run() -> tuple[str, str]:
        document = sawtooth("run", own_scenario.name, "--plugin", law.name, "--json").json
        return document["run_id"], document["digest"]

    first, again = run(), run()
    law.write_text(LAW + "# a remark\n")
    other = run()
    assert first == again
    assert first[0] != other[0]
    assert first[1] == other[1]


RAISE = "raise ValueError('lost my way')\n        if ack.cwnd_limited"
FAULTS = {
    "exception": (
        "if ack.cwnd_limited",
        RAISE,
        "on_ack of flow ",
        "ValueError: lost my way",
    ),
    "nan": (
        "return self.w",
        "return self.w if self.w < 12 else float('nan')",
        "on_ack of flow ",
        "window = NaN",
    ),
    "bounds": ("max(1.0, ", "min(0.5, ", "on_congestion of flow ", "window = 0.5: expected 1 to 1e9 packets"),
    "creation": ("self.a, self.b = numbers", "raise KeyError('b')", "create of flow ", "KeyError: 'b'"),
    "answer": (
        "return self.w",
        "return 'ten'",
        "create of flow ",
        "TypeError: window() gave 'ten': expected a number",
    ),
    "no pacing": (
        "def window",
        "paces = n = 0\n    def pacing_rate(self):\n        self.n += 1\n        return 2e6 * (self.n > 1) or None\n    def window",
        "on_ack of flow ",
        "pacing_rate = 2000000: expected none, since its description does not say that it paces",
    ),
    "no answer": ("return self.w", "self.w", "create of flow ", "window() gave None: expected a number"),
}


@pytest.mark.parametrize("kind", FAULTS)
def test_a_fault_ends_the_run_with_its_call_flow_and_time(
    sawtooth: CommandLine, own_scenario: Path, law: Path, kind: str
) -> None:
    good, bad, call, said = FAULTS[kind]
    law.write_text(LAW.replace(good, bad))
    made = ("--plugin", law.name, "--store", "st")
    done = sawtooth("run", own_scenario.name, *made, "--plot", "run.svg", "--json")
    assert (done.code, done.out) == (2, "")
    assert done.err.startswith(f"plug-in mine: {call}")
    assert said in done.err
    assert " s: " in done.err
    assert len(done.err.splitlines()) <= 3
    assert not (own_scenario.parent / "run.svg").exists()
    assert not Store(own_scenario.parent / "st").ids()


@pytest.mark.usefixtures("own_scenario")
def test_a_class_with_a_rate_is_paced_from_its_first_rate_on(sawtooth: CommandLine, law: Path) -> None:
    """Its rate was forgotten if it had none when its connection began, and it did not say `paces = True`."""
    rate = "def pacing_rate(self):\n        return None if self.w == self.settings.initial_window else 2e6"
    law.write_text(f"{LAW}\n    {rate}\n")
    flows = sawtooth("run", "own.toml", "--plugin", law.name, "--json").json["flows"]
    assert {flow["pacing_bps"] for flow in flows if flow["controller"].startswith("mine")} == {2e6}


def test_a_fault_in_one_run_of_many_leaves_no_report(
    sawtooth: CommandLine, own_scenario: Path, law: Path
) -> None:
    law.write_text(LAW.replace("if ack.cwnd_limited", RAISE))
    options = ("--scenario", own_scenario.name, "--seeds", 2, "--plugin", law.name, "--report", "report.html")
    done = sawtooth("compare", "aimd(1, 0.5)", "mine", *options)
    assert (done.code, done.out) == (2, "")
    assert done.err.startswith("plug-in mine: on_ack of flow ")
    assert not (own_scenario.parent / "report.html").exists()


def test_a_fault_in_the_synchronous_model_is_a_message(sawtooth: CommandLine, law: Path) -> None:
    law.write_text(LAW.replace("if ack.cwnd_limited", RAISE))
    done = sawtooth(*CONVERGE, "--plugin", law.name)
    assert (done.code, done.out) == (2, "")
    assert done.err.startswith("plug-in mine: on_ack of flow 0 at ")


@pytest.mark.usefixtures("own_scenario")
def test_two_files_with_one_name_are_refused(sawtooth: CommandLine, law: Path) -> None:
    (law.parent / "other.py").write_text(LAW.replace("self.b * self.w", "0.75 * self.w"))
    both = ("run", "own.toml", "--plugin", "mine.py", "--plugin", "other.py")
    done = sawtooth(*both)
    assert (done.code, done.out) == (2, "")
    assert done.err.startswith('other.py: "mine": expected a name of its own; ')
    assert f"{law.name} has one of this name" in done.err
    assert sawtooth("run", "own.toml", "--plugin", "mine.py", "--plugin", "mine.py").code == 0
    law.write_text(LAW + LAW.partition("import sawtooth as st")[2].replace("class Mine", "class Second"))
    twice = sawtooth("list", "controllers", "--plugin", "mine.py")
    assert (twice.code, twice.out) == (2, "")
    assert '"mine": expected a name of its own; this file has one of this name' in twice.err


def test_a_class_takes_the_place_of_a_file_and_a_file_that_of_a_class(law: Path) -> None:
    cell = "sys.path.insert(0, '.'); import mine; "
    assert in_python(law.parent, cell + "st.load_plugin('mine.py'); st.controller(mine.Mine)")


REFUSED = {
    "no class": ("@st.controller", "", "at least one class under @st.controller"),
    "syntax": ("class Mine:", "class Mine", "line 6: expected a file that Python runs"),
    "import": ("import sawtooth as st", "import sawtoth as st", "No module named 'sawtoth'"),
    "method": ("def window", "def windows", "window: expected a method"),
    "taken": ('name = "mine"', 'name = "aimd"', "a name that no built-in controller has"),
    "default": ("0.5, (0, 1)", "5, (0, 1)", "a default inside its interval"),
    "parameters": ('st.Parameter("b", "1", 0.5, (0, 1))', '"b"', "values of st.Parameter"),
    "wants": (
        "    def __init__",
        '    wants = ("everything",)\n\n    def __init__',
        "some of packets, rates",
    ),
}


@pytest.mark.parametrize("kind", REFUSED)
def test_a_file_that_is_no_plug_in_is_refused(sawtooth: CommandLine, law: Path, kind: str) -> None:
    good, bad, said = REFUSED[kind]
    assert good in LAW
    law.write_text(LAW.replace(good, bad, 1))
    done = sawtooth("list", "controllers", "--plugin", law.name)
    assert (done.code, done.out) == (2, "")
    assert done.err.startswith("mine.py: ")
    assert said in done.err
    assert len(done.err.splitlines()) <= 3


@pytest.mark.usefixtures("scenario_file")
def test_what_is_no_library_is_refused(sawtooth: CommandLine) -> None:
    done = sawtooth("run", "s.toml", "--plugin", "s.toml")
    assert done.code == 2
    assert done.err.startswith("s.toml: expected a shared library")


IN_PYTHON = """
import json, sys
import sawtooth as st
{before}
run = st.run({{**json.loads(sys.argv[1])}}, store=False)
costs = [(cost.name, cost.calls > 0, cost.seconds > 0) for cost in st.plugin_costs()]
print(json.dumps([run.digest, run.engine["profiles"][0]["controller"]["file"], costs]))
"""


def in_python(where: Path, before: str) -> list[object]:
    """Digest, file and costs of a run in a process that begins with this."""
    scenario = {
        "duration": "3 s",
        "warmup": "1 s",
        "bottleneck": {"rate": "8 Mbit/s", "delay": "5 ms", "buffer": "12 packets"},
        "path": {"rtt": "30 ms"},
        "flows": [{"control": "mine(1, 0.5)"}],
    }
    done = subprocess.run(
        [sys.executable, "-c", IN_PYTHON.format(before=before), json.dumps(scenario)],
        capture_output=True,
        text=True,
        check=False,
        cwd=where,
        env=clean_environment(),
    )
    assert done.returncode == 0, done.stderr
    found: list[object] = json.loads(done.stdout)
    return found


def test_python_loads_files_or_takes_classes_as_they_are(law: Path) -> None:
    file = in_python(law.parent, "(plugin,) = st.load_plugin('mine.py'); assert plugin.name == 'mine'")
    listed = in_python(law.parent, "import os; os.environ['SAWTOOTH_PLUGINS'] = 'mine.py'; st.plugin_costs()")
    assert file == listed
    imported = in_python(law.parent, "sys.path.insert(0, '.'); import mine")
    assert imported == file, "a class in a module is identified by the module's file"
    changed = "st.load_plugin('mine.py'); text = open('mine.py').read(); "
    changed += "open('mine.py', 'w').write(text.replace('self.b * self.w', '0.75 * self.w')); st.load_plugin('mine.py')"
    other = in_python(law.parent, changed)
    assert other[0] != file[0], "the last of a name is the one meant"
    assert other[1] != file[1]


def test_a_class_without_source_is_refused() -> None:
    code = f"import sawtooth as st\ntry:\n    exec({LAW!r})\nexcept st.InputError as error:\n    print(error)"
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, env=clean_environment()
    )
    assert "a class whose source can be read" in done.stdout


@pytest.mark.long
@pytest.mark.usefixtures("own_scenario", "law")
def test_workers_of_this_machine_have_what_the_command_has_loaded(sawtooth: CommandLine) -> None:
    here, there = sawtooth(*SWEEP, "--store", "a"), sawtooth(*SWEEP, "--store", "b", "--executor", "dask")
    assert there.code == 0, there.err
    assert there.json["rows"] == here.json["rows"]


@pytest.mark.long
@pytest.mark.usefixtures("own_scenario")
def test_a_fault_on_a_worker_is_told_like_one_here(sawtooth: CommandLine, law: Path) -> None:
    law.write_text(LAW.replace("if ack.cwnd_limited", RAISE))
    words = ("sweep", "own.toml", "--over", "path.rtt=20ms,30ms", "--seeds", 1, "--plugin", "mine.py")
    done = sawtooth(*words, "--executor", "dask")
    assert (done.code, done.out) == (2, ""), done.err
    assert "plug-in mine: on_ack of flow " in done.err
