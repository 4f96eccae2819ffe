"""What every command waits for before it does anything."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from sawtooth.cli import COMMANDS as MODULES

LIBRARIES = {"numpy", "pandas", "pyarrow", "pydantic", "rich", "scipy", "matplotlib", "sympy"}
"""What takes long to load. No time is measured here: what a command loads decides how long it starts."""

DATA = {"numpy", "pyarrow", "pydantic"}
"""What a command needs that makes or reads runs. One that ends before needs pydantic alone."""

COMMANDS: dict[str, tuple[set[str], int]] = {
    "--version": (set(), 47),
    "--help": (set(), 47),
    "list": ({"pydantic", "rich"}, 61),
    "list controllers": ({"pydantic", "rich"}, 11),
    "list environments": ({"pydantic", "rich"}, 29),
    "list environments --json": ({"pydantic"}, 29),
    "list paths": ({"pydantic", "rich"}, 17),
    "list studies": ({"pydantic", "rich"}, 22),
    "list studies --json": ({"pydantic"}, 22),
    "environment sq-high": ({"pydantic", "rich"}, 30),
    "environment real-sq --csv": ({"pydantic"}, 30),
    "model response": ({"pydantic"}, 18),
    "new controller mine --language python": ({"pydantic"}, 11),
    "schema run": ({"pydantic"}, 11),
    "run --schema": ({"pydantic"}, 44),
    "run nothing.toml": ({"pydantic"}, 109),
    "run s.toml --json": (DATA, 111),
    "run s.toml": (DATA | {"rich"}, 111),
    "store ls": (DATA, 61),
    "replay nothing": (DATA, 61),
    "compare --help": ({"pydantic"}, 14),
    "compare nothing": ({"pydantic"}, 163),
    "reproduce nothing": ({"pydantic"}, 30),
    "reproduce akella2002/fig4 --seeds 0": ({"pydantic"}, 169),
    "claims nothing": ({"pydantic"}, 100),
}
"""By command line: the libraries that it may load, and how many modules of ours at most."""

COMMAND_LINE = "import sys\nfrom sawtooth.cli import main\ntry:\n    main()\nexcept SystemExit as ended:\n    assert ended.code in (0, 2)"


def test_the_process_of_a_command_line_in_tests_loads_no_library_of_the_tests() -> None:
    """Each of several hundred commands would load it again: jsonschema alone takes a third of a second."""
    code = "import tests.child"
    root = Path(__file__).parents[1]
    assert not {"pytest", "jsonschema", "tests.conftest", "tests.fits"} & loaded_by(code, where=root)


def printed_by(code: str, *arguments: str, where: Path | None = None) -> str:
    """The last line that a piece of code prints on standard error."""
    ended = subprocess.run(
        [sys.executable, "-c", code, *arguments], capture_output=True, text=True, check=True, cwd=where
    )
    return ended.stderr.splitlines()[-1]


def loaded_by(code: str, *arguments: str, where: Path | None = None) -> set[str]:
    """The modules that are loaded after a piece of code, without those for which another stands until they are used."""
    code += "\nimport sys\nloaded = [name for name, module in sys.modules.items() if type(module).__name__ != 'LateModule']"
    code += "\nprint(*loaded, file=sys.stderr)"
    return set(printed_by(code, *arguments, where=where).split())


@pytest.mark.parametrize("line", COMMANDS)
def test_a_command_loads_only_what_it_needs(line: str, scenario_file: Path) -> None:
    modules = loaded_by(COMMAND_LINE, *line.split(), where=scenario_file.parent)
    allowed, most = COMMANDS[line]
    assert LIBRARIES & {name.partition(".")[0] for name in modules} <= allowed
    assert sum(name.partition(".")[0] == "sawtooth" for name in modules) <= most


def test_a_line_that_begins_with_a_command_loads_that_one_alone() -> None:
    names = set(MODULES.values())
    assert names & loaded_by(COMMAND_LINE, "doctor", "--help") == {"sawtooth.cli.doctor"}
    assert names <= loaded_by(COMMAND_LINE, "doktor")


def test_a_library_that_is_loaded_late_is_the_library_in_every_thread() -> None:
    code = (
        "import sys, threading, types\nfrom concurrent.futures import ThreadPoolExecutor\n"
        "from sawtooth.cli.late_libraries import LateModule, load_when_used\nload_when_used()\n"
        "import numpy as np\nimport pyarrow as pa\nimport pyarrow.parquet as pq\n"
        "late = all(type(module) is LateModule for module in (np, pa, pq))\n"
        "together = threading.Barrier(8)\n"
        "def used(_):\n    together.wait()\n    return int(np.arange(4).sum()), str(pa.int64()), pq.ParquetFile.__name__\n"
        "with ThreadPoolExecutor(8) as pool: found = set(pool.map(used, range(8)))\n"
        "import numpy, numpy.linalg\nfrom numpy.typing import NDArray\n"
        "same = numpy.ndarray is np.ndarray and np.linalg is numpy.linalg and type(np) is types.ModuleType\n"
        "print(late, found, same, hasattr(np, 'nothing'), file=sys.stderr)"
    )
    assert printed_by(code) == "True {(6, 'int64', 'ParquetFile')} True False"


def test_a_library_that_is_loaded_already_is_left_alone() -> None:
    code = "import sys, numpy\nfrom sawtooth.cli.late_libraries import load_when_used\nload_when_used()\n"
    code += "print(sys.modules['numpy'] is numpy, type(numpy).__name__, file=sys.stderr)"
    assert printed_by(code) == "True module"


def test_the_whole_command_line_can_be_had_after_a_command() -> None:
    """`sawtooth.cli.list`, once loaded, takes the place of the builtin `list` in the package."""
    code = "import sys\nfrom sawtooth.cli import application\napplication(['list'])\nwhole = application()\n"
    code += "print(len(whole.registered_commands) + len(whole.registered_groups), file=sys.stderr)"
    assert int(printed_by(code)) == len(MODULES)


def test_a_plugin_of_python_finds_pandas_although_commands_hide_it(tmp_path: Path) -> None:
    (tmp_path / "pandas.py").write_text("")  # stands before an installed one
    (tmp_path / "mine.py").write_text("import pandas\n")
    assert "pandas" in loaded_by(COMMAND_LINE, "list", "controllers", "--plugin", "mine.py", where=tmp_path)
    assert "pandas" not in loaded_by(COMMAND_LINE, "list", "controllers", where=tmp_path)


@pytest.mark.parametrize("line", ["run nothing.toml", "compare nothing", "list studies"])
def test_loading_is_not_held_up_by_searches_for_garbage(line: str) -> None:
    """Python looks hundreds of times at everything that is loaded unless told otherwise."""
    searched = "sum(row['collections'] for row in gc.get_stats())"
    code = f"import gc, sawtooth.cli\nbefore = {searched}\n{COMMAND_LINE}\n"
    code += f"print({searched} - before, file=sys.stderr)"
    assert int(printed_by(code, *line.split())) <= 3


@pytest.mark.parametrize(("given", "found"), [({}, "1"), ({"OPENBLAS_NUM_THREADS": "2"}, "2")])
def test_the_algebra_of_numpy_starts_no_threads_unless_the_user_wants_them(
    given: dict[str, str], found: str
) -> None:
    code = "import os\nos.environ.pop('OPENBLAS_NUM_THREADS', None)\n"
    code += f"os.environ.update({given})\n{COMMAND_LINE}\n"
    code += "print(os.environ['OPENBLAS_NUM_THREADS'], file=sys.stderr)"
    assert printed_by(code, "--version") == found


def test_validators_are_made_when_a_table_is_read_and_not_before() -> None:
    code = (
        "import sys\nfrom sawtooth.scenario.scenario import Strict, parse_scenario\n"
        "def family(of): return [of, *(each for sub in of.__subclasses__() for each in family(sub))]\n"
        "print(*(model.__name__ for model in family(Strict) if model.__pydantic_complete__), file=sys.stderr)"
    )
    made = set(printed_by(code).split())
    assert not made & {"Scenario", "Bottleneck", "Flows", "Square", "ShortFlows", "Link"}
    assert len(made) <= 8  # those of the tables that may be left out, whose defaults are values


def test_the_first_scenarios_may_be_read_in_several_threads_at_once() -> None:
    """Then several threads want the same validators before they are made."""
    code = (
        "import sys, threading\nfrom concurrent.futures import ThreadPoolExecutor\n"
        "from sawtooth.scenario.scenario import parse_scenario\n"
        "together = threading.Barrier(8)\n"
        "data = {'bottleneck': {'rate': '1 Mbit/s'}, 'environment': {'kind': 'sq-high'}, 'flows': [{'control': 'aimd(1, 0.5)'}]}\n"
        "def read(_):\n    together.wait()\n    return parse_scenario(data).environment.text()\n"
        "with ThreadPoolExecutor(8) as pool: read = list(pool.map(read, range(8)))\n"
        "print(len(read), read[0]['kind'], all(text == read[0] for text in read), file=sys.stderr)"
    )
    assert printed_by(code) == "8 sq-high True"


def test_the_list_of_studies_reads_none() -> None:
    code = (
        "import tomllib\n"
        "def read(*_): raise AssertionError('a file of TOML')\n"
        "tomllib.loads = tomllib.load = read\n"
        f"{COMMAND_LINE}\n"
        "from sawtooth.papers import PAPERS, index\n"
        "known = [f'{paper.name}/{part}' for paper in PAPERS.values() for part in paper.parts]\n"
        "known += [name for paper in PAPERS.values() for name in paper.further_names]\n"
        "print([row['name'] for row in index.rows()] == known, file=sys.stderr)"
    )
    assert printed_by(code, "list", "studies") == "True"


def test_the_index_of_studies_is_made_without_plans_and_without_parsing_a_file_twice() -> None:
    code = (
        "import sys, tomllib\nfrom sawtooth.experiment.study import Probe, Study\n"
        "def made(self, *_, **__): raise AssertionError('a plan')\n"
        "Study.plan = Study.cell = Probe.plan = made\n"
        "loads, texts = tomllib.loads, []\n"
        "def counted(text):\n    texts.append(text)\n    return loads(text)\n"
        "tomllib.loads = counted\n"
        "from sawtooth.papers.catalogue import rows\n"
        "rows()\n"
        "print(len(texts), len(set(texts)), file=sys.stderr)"
    )
    parsed, different = map(int, printed_by(code).split())
    assert parsed == different > 0


def test_one_figure_loads_the_checks_of_no_other_paper() -> None:
    code = "from sawtooth.papers.register import claim\nclaim('akella-abs-aimd-trad').function\n"
    checks = {name for name in loaded_by(code) if ".claims." in name and ".papers." in name}
    assert checks == {"sawtooth.papers.akella2002.claims.abstract"}


def test_the_package_alone_loads_no_library() -> None:
    assert not LIBRARIES & {name.partition(".")[0] for name in loaded_by("import sawtooth")}


def test_start_up_makes_no_json_schema() -> None:
    code = (
        "import pydantic.json_schema as schemas\n"
        "def made(self, *_, **__): raise AssertionError('a JSON Schema at start-up')\n"
        "schemas.GenerateJsonSchema.generate = made\n"
        "from sawtooth.cli import exit_code\n"
        "assert exit_code(['list', 'environments']) == 0\n"
    )
    subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
