"""What every command waits for before it does anything."""

from __future__ import annotations

import subprocess
import sys

import pytest

SLOW = ("scipy", "matplotlib", "jinja2")
"""Libraries that take longer to load than all the rest, and that most commands do without."""


@pytest.mark.parametrize("module", ["sawtooth", "sawtooth.cli"])
def test_start_up_loads_no_slow_library(module: str) -> None:
    code = f"import sys, {module}; print(*{{name.partition('.')[0] for name in sys.modules}})"
    loaded = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    assert "numpy" in loaded.split()
    assert not set(SLOW) & set(loaded.split())


def test_start_up_makes_no_json_schema() -> None:
    code = (
        "import pydantic.json_schema as schemas\n"
        "def made(self, *_, **__): raise AssertionError('a JSON Schema at start-up')\n"
        "schemas.GenerateJsonSchema.generate = made\n"
        "import sawtooth.cli\n"
    )
    subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
