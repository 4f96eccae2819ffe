"""Writes the index from which `sawtooth list studies` is printed: `python -m tools.studies_index`."""

from __future__ import annotations

from sawtooth.atomic import write_bytes_atomic
from sawtooth.packaged import packaged
from sawtooth.papers.index import FILE, index_text


def main() -> None:
    """Write it anew."""
    write_bytes_atomic(packaged("papers") / FILE, index_text().encode())


if __name__ == "__main__":
    main()
