"""What a study file says of its figures over probes: ``[[curve]]``, ``[[shares]]`` and ``[[strips]]``.

Source: none. ``curves``, ``flow_shares`` and ``strips`` make the figures; this file loads no library of numbers, so that a study can be
read without one.
"""

from __future__ import annotations

import re
from typing import Final, Literal

from pydantic import Field

from sawtooth.experiment.plan import Label
from sawtooth.scenario.fields import Strict

LEVEL: Final = "level"
"""As x: the levels of a measure that has one (``below 0.7 at 1 s``), whose name without the level is the value (``below at 1 s``)."""
LEVELS = re.compile(r"(\w+) (\d+(?:\.\d+)?)( .*)?")
PART: Final = "part"
"""As x: the parts of the run over which the probe measures the value, in the order of the file."""


class CurveSpec(Strict):
    """One figure of a study. ``value`` is a metric or a measure of the probe, or the name of a measure where x is ``part``."""

    name: str
    title: str
    probe: str
    value: str
    x: str
    series: str
    at: str = ""
    """A value whose mean over the seeds is the place on the x axis; without it that is the label."""
    only: dict[str, Label] = Field(default_factory=dict)
    beside: Label | None = None
    contrast: Literal["ratio", "difference"] = "ratio"
    x_label: str = ""
    y_label: str = ""
    printed: str = ""
    """What is left of the printed figure, in words."""


class SharesSpec(Strict):
    """One figure of a study: the flows of a probe's runs over the drop rate; ``x`` is the dimension that varies how many there are."""

    name: str
    title: str
    probe: str
    x: str
    columns: str
    """The dimension that gives a pair of panels for each of its labels."""
    kinds: list[str]
    """What the groups of flows are called, in the order of the scenario."""
    drops: str = "loss"
    """The value that is the drop rate, %."""
    only: dict[str, Label] = Field(default_factory=dict)
    x_label: str = ""
    printed: str = ""
    """What is left of the printed figure, in words."""


class StripsSpec(Strict):
    """One figure of a study: some flows of each kind of one run, side by side. ``begin_s`` and ``end_s`` limit what is shown."""

    name: str
    title: str
    probe: str
    kinds: list[str]
    """What the groups of flows are called, in the order of the scenario: a column each."""
    begin_s: float
    end_s: float
    flows: int = Field(ge=1)
    """How many flows of each kind, evenly over those there are."""
    only: dict[str, Label] = Field(default_factory=dict)
    printed: str = ""
