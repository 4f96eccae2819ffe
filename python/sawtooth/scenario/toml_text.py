"""The tables of a text in TOML, or an error that shows the line that is none.

Source: none.
"""

from __future__ import annotations

import tomllib
from typing import Any

from sawtooth.errors import MISSING, InputError


def parse_toml(text: str, name: str) -> dict[str, Any]:
    """The tables of a TOML text; `name` stands in errors. Raises InputError."""
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        message, _, place = str(error).partition(" (at ")
        number = place.removeprefix("line ").partition(",")[0]
        lines = text.splitlines()
        if number.isdigit() and int(number) <= len(lines):
            raise InputError(name, f"line {number}", lines[int(number) - 1], f"TOML ({message})") from None
        raise InputError(name, None, MISSING, f"TOML ({error})") from None
