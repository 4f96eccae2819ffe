"""`python -m bench calls`: what an acknowledgement costs, by where its law is: in the table, behind the interface in C, in Python.

The same AIMD each time, the window asked for after the acknowledgement. `sawtooth-calls` (bench/instructions) times the two that are
compiled in short batches that alternate, and the fastest batch counts, since what else the machine does can only add to it. Instructions
are counted, as by the gate, where valgrind is installed. The law in Python is the template of `sawtooth new controller`, and its time is
what the engine says that its calls took (`st.plugin_costs`), in the fastest of a hundred short runs; there it is asked for its threshold
as well. A call through the interface may cost 10 ns more than the built-in law.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from typing import Any, Final

from bench.gate import PACKAGE, counted, output_of
from bench.machine import provenance
from bench.page import markdown
from bench.results import add_options, save
from bench.subjects.frame import cargo_built, told

NAME: Final = "calls"
PROGRAM: Final = "sawtooth-calls"
BUILT_IN: Final = "aimd(1, 0.5)"
BEHIND: Final = "mine(1, 0.5)"
PYTHON: Final = "python"
SAID: Final = {
    BUILT_IN: "built-in `aimd(1, 0.5)`",
    BEHIND: "the same behind the interface in C",
    PYTHON: "the same in Python",
}
"""By how a law is called here, what the page calls it."""
MOST_NS: Final = 10.0
"""How much more than the built-in law a call through the interface may cost."""
IN_PYTHON: Final = """
import sawtooth as st
st.load_plugin("mine/mine.py")
seconds = calls = 0.0
for _ in range(100):
    st.run("mine/scenario.toml", store=False, set={"duration": "2 s", "warmup": "0 s"})
    found = st.plugin_costs()
    now = sum(cost.seconds for cost in found), sum(cost.calls for cost in found)
    print(1e9 * (now[0] - seconds) / (now[1] - calls))
    seconds, calls = now
"""


def compiled() -> dict[str, dict[str, float]]:
    """By law of those that are compiled, ns and, if they can be counted, instructions of a call. RuntimeError if something fails."""
    program = cargo_built(PACKAGE, PROGRAM)
    times = dict(line.split(": ") for line in output_of([program]).splitlines())
    found = {law: {"ns": float(time)} for law, time in times.items()}
    for law in found if shutil.which("valgrind") else ():
        output, instructions = counted(program, law)
        found[law]["instructions"] = instructions / int(told(output)["calls"])
    return found


def in_python() -> float:
    """ns of a call of the template in Python, in the fastest run. CalledProcessError where it fails."""
    with tempfile.TemporaryDirectory() as folder:
        begin = [sys.executable, "-m", "sawtooth", "new", "controller", "mine", "--lang", "python"]
        subprocess.run(begin, cwd=folder, check=True, capture_output=True)
        words = [sys.executable, "-c", IN_PYTHON]
        quiet = {**os.environ, "SAWTOOTH_PROGRESS": "off"}
        done = subprocess.run(words, cwd=folder, env=quiet, check=True, capture_output=True, text=True)
    return min(map(float, done.stdout.split()))


def over(whole: Mapping[str, Any]) -> float:
    """How many ns a call through the interface costs over the built-in law."""
    return float(whole["laws"][BEHIND]["ns"] - whole["laws"][BUILT_IN]["ns"])


def table(whole: Mapping[str, Any]) -> str:
    """The laws as a table of the page."""
    rows = []
    for law, said in SAID.items():
        row = whole["laws"][law]
        count = f"{row['instructions']:,.0f}" if "instructions" in row else ""
        rows.append((said, f"{row['ns']:,.0f} ns", count))
    return markdown(("law", "per acknowledgement", "instructions"), rows)


def sentence(whole: Mapping[str, Any]) -> str:
    """What the interface costs, beside what it may cost."""
    found = over(whole)
    verdict = f"not more than the {MOST_NS:g} ns" if found <= MOST_NS else f"more than the {MOST_NS:g} ns"
    return f"The interface costs {found:.0f} ns a call, {verdict} that it may"


def main(words: list[str]) -> int:
    """Measure, print and perhaps save. Exit 1 if the interface costs more than it may."""
    parser = argparse.ArgumentParser(
        prog="python -m bench calls",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    add_options(parser, NAME)
    given = parser.parse_args(words)
    whole: dict[str, Any] = {"machine": provenance(), "laws": {**compiled(), PYTHON: {"ns": in_python()}}}
    if given.save:
        save(NAME, whole)
    print(json.dumps(whole, indent=2) if given.json else f"{table(whole)}\n\n{sentence(whole)}.")
    return int(over(whole) > MOST_NS)
