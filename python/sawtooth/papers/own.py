"""Study files of the user's own, as something that is reproduced like a paper: a file, or a directory of files.

Source: none. ``own_source`` reads what a command or ``st.reproduce`` names by a path; it brings studies and claims and nothing printed.
A file that another file of the directory extends is what these share, and no study of its own.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final

from sawtooth.errors import InputError
from sawtooth.papers.paper import Paper

if TYPE_CHECKING:
    from sawtooth.claims.claim import Claim
    from sawtooth.experiment.study import Study

SUFFIX: Final = ".toml"


@dataclass(frozen=True)
class OwnSource(Paper):
    """The studies of a file or a directory, in the order of their names, with their claims."""

    studies: tuple[Study, ...] = ()
    stated: tuple[Claim, ...] = ()

    @property
    def claims(self) -> tuple[Claim, ...]:
        """The claims of all of its studies."""
        return self.stated


def is_own(name: str) -> bool:
    """Whether a name is the path of a study file or of a directory, and not a name of ours."""
    from sawtooth.papers.catalogue import known_names

    return name not in known_names() and (name.endswith(SUFFIX) or Path(name).is_dir())


def own_source(name: str) -> OwnSource:
    """The studies at a path. InputError, before any run, for what is wrong in one of them."""
    from sawtooth.experiment.own_study import read_own

    path = Path(name)
    files = _studies_of(path) if path.is_dir() else [path]
    found = [read_own(file) for file in files]
    for number, entry in enumerate(found):
        before = found[:number]
        if entry.study.name in [other.study.name for other in before]:
            raise InputError(files[number].name, "name", entry.study.name, "a name that no other study has")
        for claim in entry.claims:
            if claim.id in [other.id for others in before for other in others.claims]:
                raise InputError(files[number].name, "claim.id", claim.id, "an id that no other file has")
    stated = tuple(claim for entry in found for claim in entry.claims)
    title = path.resolve().name if path.is_dir() else found[0].study.name
    return OwnSource(title, studies=tuple(entry.study for entry in found), stated=stated)


def _studies_of(folder: Path) -> list[Path]:
    """The study files of a directory, without those that others of it extend."""
    from sawtooth.experiment.study_files import read_toml

    files = sorted(folder.glob(f"*{SUFFIX}"))
    bases = [read_toml(file).get("extends") for file in files]
    shared = {(folder / str(base)).resolve() for base in bases if base is not None}
    found = [file for file in files if file.resolve() not in shared]
    if not found:
        raise InputError("reproduce", None, str(folder), f"a directory with study files (*{SUFFIX})")
    return found
