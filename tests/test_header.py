"""`sawtooth.h` is C as of 1999, and C++, without a warning."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest

HEADER = Path(__file__).resolve().parents[1] / "crates" / "plugin" / "include"
STRICT = ("-Wall", "-Wextra", "-pedantic", "-Werror", "-fsyntax-only", f"-I{HEADER}")
USED = """
#include "sawtooth.h"

static const char *on_ack(void *controller, const SawtoothAck *ack)
{
    *(double *)controller += ack->cwnd_limited ? ack->newly_acked : 0;
    return NULL;
}

static SawtoothController controllers[1];
static SawtoothPlugin plugin;
static const SawtoothEndpoints endpoints = {SAWTOOTH_ENDPOINT_ABI, 0, NULL};

const SawtoothPlugin *sawtooth_plugin(void)
{
    controllers[0].on_ack = on_ack;
    plugin.abi = SAWTOOTH_ABI;
    plugin.controllers = controllers;
    return &plugin;
}

const SawtoothEndpoints *sawtooth_endpoints(void)
{
    return &endpoints;
}
"""


@pytest.mark.parametrize(
    ("compiler", "language"),
    [
        ("cc", "c99"),
        ("cc", "c11"),
        ("cc", "c17"),
        ("c++", "c++11"),
        ("c++", "c++17"),
    ],
)
def test_the_header_compiles_without_a_warning(tmp_path: Path, compiler: str, language: str) -> None:
    if shutil.which(compiler) is None:
        refuse = pytest.fail if os.environ.get("STRICT") else pytest.skip
        refuse(f"NOT RUN: {compiler} is not installed")
    source = tmp_path / ("used.cpp" if compiler == "c++" else "used.c")
    source.write_text(USED)
    words = [compiler, f"-std={language}", *STRICT, str(source)]
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
