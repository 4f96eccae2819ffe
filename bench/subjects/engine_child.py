"""One run of the engine in a process of its own: `python -I engine_child.py NATIVE_MODULE_FILE`, scenario on standard input.

Loads the extension module alone, without the rest of the package, so that the process is the engine and a bare interpreter. An empty
input runs nothing: what is then measured is the interpreter. Prints counts of the bottleneck and peak memory (kB) as JSON.
"""

from __future__ import annotations

import importlib.util
import json
import os
import resource
import sys
from array import array

VARIABLE = "SAWTOOTH_PLUGINS"


def main(native_file: str) -> None:
    """Run the scenario on standard input and print its counts."""
    spec = importlib.util.spec_from_file_location("sawtooth._native", native_file)
    assert spec is not None, "the native module has no loader"
    assert spec.loader is not None, "the native module has no loader"
    native = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(native)
    scenario = sys.stdin.read()
    if not scenario:
        print(json.dumps({"peak_kb": peak_kb()}))
        return
    for path in filter(None, os.environ.get(VARIABLE, "").split(os.pathsep)):
        if not path.endswith(".py"):  # those want the package; what their calls cost is said by every run
            native.load_library(path)
    result = native.run(scenario)
    queue = {
        name: array("q", column)
        for name, (dtype, column) in result["tables"]["queues"].items()
        if dtype == "i64"
    }
    counts = {"forwarded": queue["forwarded"][0], "dropped": queue["drops"][0]}
    print(json.dumps(counts | {"peak_kb": peak_kb()}))


def peak_kb() -> int:
    """The largest resident memory of this program so far; on Linux since it began, without the process that started it."""
    try:
        with open("/proc/self/status", encoding="ascii") as status:
            return next(int(line.split()[1]) for line in status if line.startswith("VmHWM:"))
    except OSError:
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // (1024 if sys.platform == "darwin" else 1)


if __name__ == "__main__":
    main(sys.argv[1])
