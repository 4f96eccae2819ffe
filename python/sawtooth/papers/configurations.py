"""Configurations of a paper: the set-ups that one can choose between, by name.

Source: none. ``configurations.toml`` in the folder of a paper lists them, each value with its source; the first is that of the study
files. A configuration gives open parameters of the main studies other values, in every part that takes the value of these: a part with a
value of its own, as unequal round-trip times, keeps it.
"""

from __future__ import annotations

import tomllib
from collections.abc import Sequence
from functools import lru_cache
from typing import Annotated, Any, Final

from pydantic import Field, ValidationError

from sawtooth.errors import InputError
from sawtooth.experiment.study import Study
from sawtooth.packaged import packaged
from sawtooth.papers import PAPERS
from sawtooth.papers.studies import load_study
from sawtooth.scenario.fields import Strict, input_error

FILE: Final = "configurations.toml"


class Value(Strict):
    """An open parameter and the value that it takes here, with where it comes from."""

    key: str
    value: Any
    source: str
    quick: bool = True
    """Whether a quick comparison of configurations tries it alone; one that acts rarely is left to the full one."""


class Configuration(Strict):
    """One set-up of a paper."""

    name: str
    title: str
    why: str
    value: list[Value] = Field(default_factory=list)

    @property
    def values(self) -> dict[str, object]:
        """What it takes otherwise than the study files, by key."""
        return {entry.key: entry.value for entry in self.value}

    def applied(self, studies: Sequence[Study]) -> list[Study]:
        """The studies of a paper with its values."""
        found = list(studies)
        if not self.value:
            return found
        main = _main(found[0].paper)
        for key, value in self.values.items():
            shared = main.value_of(key)
            found = [study.varied(key, value) if _takes(study, key, shared) else study for study in found]
        return found


def _takes(study: Study, key: str, shared: object) -> bool:
    """Whether a study leaves a parameter open and takes the value that the main studies take."""
    return any(entry.key == key and entry.value == shared for entry in study.parameter)


@lru_cache
def _main(paper: str) -> Study:
    """One of the main studies of a paper, which have the same open parameters."""
    return next(study for part in PAPERS[paper].parts if (study := load_study(f"{paper}/{part}")).main)


class _File(Strict):
    configuration: Annotated[list[Configuration], Field(min_length=1)]


@lru_cache
def configurations(paper: str) -> tuple[Configuration, ...]:
    """The configurations of a paper, that of its study files first; none where it has no such file."""
    path = packaged("papers", paper, FILE)
    if not path.is_file():
        return ()
    try:
        return tuple(_File.model_validate(tomllib.loads(path.read_text(encoding="utf-8"))).configuration)
    except ValidationError as error:
        raise input_error(error, f"{paper}/{FILE}") from None


def configuration(name: str, wanted: str) -> Configuration:
    """The configuration of that name of the paper that ``name`` is of, or is a part of. InputError where there is none."""
    paper = name.partition("/")[0]
    known = configurations(paper) if paper in PAPERS else ()
    if not known:
        able = [entry for entry in PAPERS if configurations(entry)]
        accepted = f"no such option for {name}, which has one set-up only; {', '.join(able)} has several"
        raise InputError("reproduce", "--configuration", wanted, accepted)
    for entry in known:
        if entry.name == wanted:
            return entry
    names = ", ".join(entry.name for entry in known)
    raise InputError("reproduce", "--configuration", wanted, f"a configuration of {paper}: {names}")
