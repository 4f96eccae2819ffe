"""What measures and figures see of a run: what it was and what was counted and recorded, nothing of how it is made or shown.

Source: none.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    import pyarrow as pa


class RunData(Protocol):
    """A run as data (``run.Run`` has it)."""

    @property
    def run_id(self) -> str: ...
    @property
    def seed(self) -> str: ...
    @property
    def engine(self) -> Mapping[str, Any]: ...
    @property
    def meta(self) -> Mapping[str, Any]: ...
    @property
    def flows(self) -> pa.Table: ...
    @property
    def queues(self) -> pa.Table: ...
    @property
    def records(self) -> Mapping[str, pa.Table]: ...
    @property
    def values(self) -> Mapping[str, float]: ...
