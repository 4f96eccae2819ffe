"""A paper's studies with the seeds, the length and the values that a command asks for. Nothing is run.

Source: none.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from sawtooth.errors import InputError
from sawtooth.experiment.study import OpenParameter, Study
from sawtooth.run.run_count import check_seeds


def adapted(
    name: str,
    studies: Sequence[Study],
    seeds: int | None = None,
    quick: bool = False,
    varied: Mapping[str, object] | None = None,
    first: int = 1,
) -> list[Study]:
    """The studies of ``name`` shortened, reseeded (from seed ``first`` on) and varied as asked.

    A value of ``varied`` goes to every part that has its key as an open parameter; InputError where none has, or where it acts in no run.
    """
    studies = list(studies)
    if quick:
        studies = [study.shortened() for study in studies]
    if seeds is not None:
        check_seeds("reproduce", seeds, sum(study.seeded(1).runs for study in studies))
        studies = [study.seeded(seeds) for study in studies]
    if first != 1:
        studies = [study.starting_at(first) for study in studies]
    if not varied:
        return studies
    from sawtooth.scenario.unused_keys import idle

    keys = dict.fromkeys(entry.key for study in studies for entry in study.parameter)
    for key, value in varied.items():
        if key not in keys:
            known = ", ".join(keys) or "it has none, [[parameter]] in its file makes one"
            raise InputError("--set", key, value, f"an open parameter of {name}: {known}")
        if all(_moves_nothing(study, key, value) for study in studies):
            entries = [entry for study in studies for entry in _entries(study, key)]
            where = " or ".join(dict.fromkeys(map(_where, entries)))
            raise InputError(
                "--set", key, value, f"an open parameter that acts in {name}; this one acts {where}"
            )
        studies = [study.varied(key, value) if _entries(study, key) else study for study in studies]
        unused = idle((cell for study in studies for cell in study.kinds()), key)
        if unused is not None:
            accepted = f"an open parameter that acts in {name} ({key}: {unused.accepted})"
            raise InputError("--set", key, value, accepted)
    return studies


def _entries(study: Study, key: str) -> list[OpenParameter]:
    return [entry for entry in study.parameter if entry.key == key]


def _moves_nothing(study: Study, key: str, value: object) -> bool:
    """Whether another value of an open parameter leaves all runs of a study as they are: it may be one of environments or routers of which
    the study has none."""
    entries = _entries(study, key)
    if not entries:
        return True
    return any(entry.value != value for entry in entries) and list(study.kinds()) == list(
        study.varied(key, value).kinds()
    )


def _where(entry: OpenParameter) -> str:
    """Where an open parameter acts, in words."""
    return "in " + ", ".join(entry.only or entry.routers or ["none of its runs"])
