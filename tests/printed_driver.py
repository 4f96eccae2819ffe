"""Runs what pages print, in an interpreter of a stock installation: `python -S printed_driver.py < work.json > outcomes.json`.

The work is a list of groups, each with a working directory and its examples in order: ``["command", words]`` is a command line of sawtooth,
``["make", words]`` another program, ``["python", text]`` a program. Every example runs in a process of its own, forked from one that has
everything loaded, and what it leaves lies there for the next. ``RUNID`` in a command line is the first run of the store.
"""

from __future__ import annotations

import json
import os
import resource
import subprocess
import sys
import tempfile
from collections.abc import Callable
from typing import Any

from sawtooth.cli import exit_code

PLACEHOLDERS = ("RUNID", "3f9a12")
"""What stands for the id of a run."""


def forked(work: Callable[[], int]) -> tuple[int, str]:
    """How a piece of work ends in a process of its own, and what it says."""
    with tempfile.TemporaryFile("w+b") as said:
        child = os.fork()
        if child == 0:
            os.dup2(said.fileno(), 1)
            os.dup2(said.fileno(), 2)
            code = 99
            try:
                code = work()
            except BaseException:
                import traceback

                traceback.print_exc()
            finally:
                sys.stdout.flush()
                sys.stderr.flush()
                os._exit(code)
        _, status = os.waitpid(child, 0)
        said.seek(0)
        return os.waitstatus_to_exitcode(status), said.read().decode(errors="replace")


def some_run() -> str:
    """The id of the first run of the store."""
    _, listed = forked(lambda: exit_code(["store", "ls", "--json"]))
    return str(json.loads(listed)["runs"][0]["run_id"])


def program(text: str) -> int:
    """Runs a program as an interpreter would."""
    exec(compile(text, "printed", "exec"), {"__name__": "__main__"})
    return 0


def outcome(kind: str, what: Any) -> tuple[int, str]:
    """How one example ends."""
    if kind == "python":
        return forked(lambda: program(what))
    if kind == "make":
        done = subprocess.run(what, capture_output=True, text=True, check=False)
        return done.returncode, done.stdout + done.stderr
    words = [some_run() if word in PLACEHOLDERS else word for word in what]
    return forked(lambda: exit_code(words))


def main() -> None:
    """Reads work, writes outcomes: exit code, the end of what was said, and seconds of processor."""
    found = []
    for directory, examples in json.load(sys.stdin):
        os.chdir(directory)
        for kind, what in examples:
            before = resource.getrusage(resource.RUSAGE_CHILDREN)
            code, said = outcome(kind, what)
            after = resource.getrusage(resource.RUSAGE_CHILDREN)
            cpu_s = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
            found.append([code, said[-2000:], round(cpu_s, 2)])
    json.dump(found, sys.stdout)


if __name__ == "__main__":
    main()
