"""What `sawtooth list studies` shows, kept in ``index.json``, so that a list need not read and check every study.

Source: none. The index says by a hash what it was made from: the files of the papers that state studies and claims, and those that name
them. Where these have changed since, the rows are worked out anew; `python -m tools.studies_index` writes the index.
"""

from __future__ import annotations

import json
from hashlib import sha256
from typing import Any, Final

from sawtooth.packaged import packaged

FILE: Final = "index.json"
STATED_IN: Final = ("*.toml", "__init__.py")
"""Files of a paper that say which studies, figures, claims and further things it has."""


def rows() -> list[dict[str, Any]]:
    """A row per study, as ``catalogue.rows`` gives them: from the index where it is current."""
    try:
        index = json.loads((packaged("papers") / FILE).read_bytes())
    except (OSError, ValueError):
        index = {}
    if index.get("of") == stated():
        kept: list[dict[str, Any]] = index["studies"]
        return kept
    from sawtooth.papers.catalogue import rows as worked_out

    return worked_out()


def stated() -> str:
    """The hash of the names and texts of these files, whatever line ends a checkout gave them."""
    folder = packaged("papers")
    found = sorted(path.relative_to(folder).as_posix() for kind in STATED_IN for path in folder.rglob(kind))
    parts = [part for name in found for part in (name, (folder / name).read_text(encoding="utf-8"))]
    return sha256("\0".join(parts).encode()).hexdigest()


def index_text() -> str:
    """The index as it should be, a line for each study."""
    from sawtooth.papers.catalogue import rows as worked_out

    lines = ",\n".join(json.dumps(row, ensure_ascii=False) for row in worked_out())
    return f'{{"of": "{stated()}",\n"studies": [\n{lines}\n]}}\n'
