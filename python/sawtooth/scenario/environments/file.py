"""File: a schedule that somebody measured or drew, read from CSV.

The format is that of `sawtooth environment NAME --csv`: header `time_s,available_bps_per_flow`, first time 0.

| parameter | unit  | default | why                                                  |
|-----------|-------|---------|------------------------------------------------------|
| file      |       | none    | path, relative to the scenario file                  |
| floor     | bit/s | 0       | what the file says holds; 0 is a legal outage        |

Levels above C/n are moved to C/n, as in every environment; levels that start after the run are left out.
"""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from sawtooth.errors import InputError
from sawtooth.scenario.environments.base import Conditions, Family
from sawtooth.scenario.schedule import Schedule, read_schedule


class File(Family):
    """A schedule read from a CSV file."""

    file: Annotated[str, Field(min_length=1)]
    """Path of the CSV file, relative to the scenario file."""

    def schedule(self, conditions: Conditions) -> Schedule:
        path = conditions.directory / self.file
        if not path.is_file():
            raise InputError("", "file", self.file, f"a CSV file; there is none at {path}")
        return read_schedule(path).until(conditions.duration_ns)
