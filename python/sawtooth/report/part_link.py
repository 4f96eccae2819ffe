"""What the page of one part of a paper says of another."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from sawtooth.experiment.comparison import Comparison


@dataclass(frozen=True)
class PartLink:
    """What the page of one part of a paper says of another: what it is about, its size, and where its page is."""

    name: str
    title: str
    runs: int
    claims: int
    report: Path | None

    @classmethod
    def of(cls, part: Comparison) -> PartLink:
        """The link to a part."""
        return cls(part.study.name, part.study.title, len(part.run_ids), len(part.judged), part.report)
