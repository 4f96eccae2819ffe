"""Where the files that come with the package are.

Source: none.
"""

from __future__ import annotations

from importlib import resources
from pathlib import Path


def packaged(*folders: str) -> Path:
    """A folder of the installed package."""
    return Path(str(resources.files("sawtooth"))).joinpath(*folders)
