"""Constant: one level for the whole run.

Source: [Akella02] §3.1 and Table 2, environments 1 (cons-low) and 2 (cons-high).

| parameter | unit  | default                      | why                                             |
|-----------|-------|------------------------------|-------------------------------------------------|
| rate      | bit/s | cons-low 1 M, cons-high 10 M | Table 2; per test flow                          |
| floor     | bit/s | 0                            | the level is stated, so nothing needs a floor   |
"""

from __future__ import annotations

from sawtooth.scenario.environments.base import Conditions, Family
from sawtooth.scenario.fields import PositiveRate
from sawtooth.scenario.schedule import Schedule


class Constant(Family):
    """One level for the whole run."""

    rate: PositiveRate
    """Available bandwidth per test flow. Of a named environment: [Akella02] Table 2."""

    def schedule(self, conditions: Conditions) -> Schedule:
        return Schedule.constant(self.rate)
