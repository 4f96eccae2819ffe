"""The same bytes come out of every build and on any number of threads: optimised and debug, alone and beside others.

`make test-long` builds the extension module a second time without optimisation (target/debug). Here both simulate the examples, each module
in a process of its own, on one thread and on two at once, and every digest must be the same. Another seed gives another digest, if
anything is random.
"""

from __future__ import annotations

import importlib.util
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from sawtooth.plain import canonical
from sawtooth.scenario.resolve import resolve
from sawtooth.scenario.scenario import Scenario, load_scenario, with_values
from sawtooth.scenario.units import format_time

pytestmark = pytest.mark.long

ROOT = Path(__file__).resolve().parents[1]
DEBUG = [ROOT / "target" / "debug" / name for name in ("lib_native.so", "lib_native.dylib")]
EXAMPLES = sorted((ROOT / "examples").glob("*.toml"))

CHILD = """
import importlib.util, json, sys
from concurrent.futures import ThreadPoolExecutor
spec = importlib.util.spec_from_file_location("sawtooth._native", sys.argv[1])
native = importlib.util.module_from_spec(spec)
spec.loader.exec_module(native)
scenarios = json.load(sys.stdin)
def digest(name):
    return native.run(scenarios[name])["digest"]
alone = {name: digest(name) for name in scenarios}
with ThreadPoolExecutor(2) as pool:
    beside = dict(zip(scenarios, pool.map(digest, scenarios)))
print(json.dumps({"profile": native.version()["profile"], "alone": alone, "beside": beside}))
"""


def scenarios() -> dict[str, str]:
    """Each example as the engine takes it, shortened, under seeds 1 and 2."""
    return {
        f"{path.stem}, seed {seed}": canonical(resolve(shortened(path), seed).engine)
        for path in EXAMPLES
        for seed in ("1", "2")
    }


def shortened(path: Path) -> Scenario:
    """An example cut short, but not before every flow and source has begun and what changes in it has changed."""
    scenario = load_scenario(path)
    changes = [getattr(change, "at", None) or 0 for change in scenario.on]
    sources = [source.start for source in scenario.sources]
    last = max([0, *changes, *sources, *(group.start.latest(group.count) for group in scenario.flows)])
    duration = format_time(max(12, last // 10**9 + 1) * 10**9)
    return with_values(
        scenario, {"duration": duration, "warmup": "2 s", "record.windows": True, "record.sample": "100 ms"}
    )


def digests(module: Path) -> dict[str, Any]:
    """What a build of the extension module makes of the scenarios."""
    done = subprocess.run(
        [sys.executable, "-I", "-c", CHILD, str(module)],
        input=json.dumps(scenarios()),
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    told: dict[str, Any] = json.loads(done.stdout)
    return told


def test_builds_and_threads_agree_to_the_last_byte() -> None:
    debug = next((file for file in DEBUG if file.is_file()), None)
    if debug is None:
        pytest.fail(
            "no debug build to compare with: make test-builds builds it, or cargo build -p sawtooth-py"
        )
    installed = importlib.util.find_spec("sawtooth._native")
    assert installed is not None
    assert installed.origin is not None
    optimised, plain = digests(Path(installed.origin)), digests(debug)
    assert optimised.pop("profile") == "release"
    assert plain.pop("profile") == "debug"
    assert optimised == plain
    alone = optimised["alone"]
    assert alone == optimised["beside"]
    assert alone["dumbbell, seed 1"] != alone["dumbbell, seed 2"]
    assert alone["one-flow, seed 1"] == alone["one-flow, seed 2"], "nothing in it is random"
