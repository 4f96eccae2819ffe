"""What a command was writing when the disk was full: a message that names the file, and nothing half-written."""

from __future__ import annotations

import errno
import io
import os
from pathlib import Path
from typing import Any

import pytest

from sawtooth import atomic
from sawtooth.cli import exit_code

SPACE = 300
"""Bytes that are left."""


@pytest.fixture
def full(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder on a disk on which little is left."""
    left = [SPACE]

    class Writer(io.FileIO):
        def write(self, data: Any, /) -> int:
            taken = super().write(memoryview(data)[: left[0]])
            left[0] -= taken
            if taken < len(data):
                raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
            return taken

    monkeypatch.setattr(atomic, "open", Writer, raising=False)
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize(
    ("words", "named"),
    [
        ("new study s.toml", "s.toml: "),
        ("new controller foo --lang c", "foo/foo.c: "),
        ("new controller foo --lang python --out deep/er", "deep/er/foo.py: "),
        (
            "trace lte-driving-up --out new.trace",
            'sawtooth trace: --out = "new.trace": expected a file that can be written',
        ),
        (
            "trace lte-driving-up --out old.trace",
            'sawtooth trace: --out = "old.trace": expected a file that can be written',
        ),
    ],
)
def test_nothing_is_left_half_written(
    words: str, named: str, full: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Half a file was left, and half of a trace stood in the place of a whole one."""
    (full / "old.trace").write_text("1\n2\n")
    assert exit_code(words.split()) == 2
    out, said = capsys.readouterr()
    assert out == ""
    assert said.startswith(named)
    assert "No space left on device" in said
    assert {path.name: path.read_text() for path in full.iterdir()} == {"old.trace": "1\n2\n"}
