"""Sensitivity of a paper or of one of its studies to the values it leaves open; ``experiment.sensitivity`` says how.

    >>> from sawtooth.papers.sensitivity import sensitivity
    >>> found = sensitivity("akella2002/fig4", quick=True)
    >>> [(row.key, row.value, row.turned) for row in found.ranked]

Source: none.
"""

from __future__ import annotations

import json
import shlex
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from sawtooth.claims.claim import Claim
from sawtooth.claims.touching import touching
from sawtooth.errors import InputError
from sawtooth.experiment.sensitivity import vary
from sawtooth.experiment.variation import Sensitivity
from sawtooth.papers import PAPERS
from sawtooth.papers.reproduce import chosen_studies
from sawtooth.papers.studies import parts
from sawtooth.progress import ProgressCallback
from sawtooth.run.store import Store
from sawtooth.run.used import watching


def sensitivity(
    name: str,
    seeds: int | None = None,
    store: Store | Path | str | None = None,
    keys: Sequence[str] = (),
    base: Mapping[str, object] | None = None,
    threads: int | None = None,
    progress: ProgressCallback | None = None,
    screen: bool | None = None,
    quick: bool = False,
    beside: Sequence[str] = (),
) -> Sensitivity:
    """Vary every open parameter of ``name`` (or ``keys`` alone) through its plausible values, around the study's values and ``base``.

    A paper means its main studies, joined, so that a cell that several figures show is run once. ``screen`` looks at each value with one
    seed before it gets all; None does so for a paper. Runs have the seeds and the length of the studies, with ``quick`` those of the
    quick form. Stored runs are not repeated. ``beside`` are other parts of the paper with which claims of the part ``name`` compare it:
    they are varied alike, and their own claims are not judged. InputError for what is no other part.
    """
    _check(name, beside)
    home = store if isinstance(store, Store) else Store(store)
    whole = "/" not in name
    screened = whole if screen is None else screen
    studies = chosen_studies(name, seeds, quick, base)
    plain = chosen_studies(name)
    if whole and any(study.main for study in studies):
        studies = [study for study in studies if study.main]
        plain = [study for study in plain if study.main]
    claims: Sequence[Claim] = PAPERS[name.partition("/")[0]].claims
    if beside:
        own = {entry.id for study in plain for entry in touching(study, claims)}
        claims = [entry for entry in claims if entry.id in own]
        studies += [study for part in beside for study in chosen_studies(part, seeds, quick, base)]
        plain += [study for part in beside for study in chosen_studies(part)]
    with watching() as used:
        found = vary(name, studies, plain, claims, home, keys, threads, progress, screened)
    command = command_line(name, seeds, keys, base or {}, screen, quick, beside)
    return replace(found, command=command, behaviour=used)


def _check(name: str, beside: Sequence[str]) -> None:
    """InputError where parts of a paper cannot stand beside ``name``. Main studies cannot stand beside each other: claims on several of
    them are those of the whole paper, which joins them."""
    if not beside:
        return
    paper, _, part = name.partition("/")
    if not part:
        raise InputError(
            "reproduce", "--beside", ", ".join(beside), f"this option only for a part of {name}, not for all"
        )
    main = any(study.main for study in parts(name))
    others = [
        other
        for each in PAPERS[paper].parts
        if (other := f"{paper}/{each}") != name and not (main and any(study.main for study in parts(other)))
    ]
    for wanted in beside:
        if wanted not in others:
            raise InputError("reproduce", "--beside", wanted, f"another part of {paper}: {', '.join(others)}")


def command_line(
    name: str,
    seeds: int | None,
    keys: Sequence[str],
    base: Mapping[str, object],
    screen: bool | None,
    quick: bool = False,
    beside: Sequence[str] = (),
) -> str:
    """The command that makes a sensitivity, as a user would type it."""
    words = ["sawtooth", "reproduce", name, "--sensitivity"]
    words += ["--quick"] if quick else []
    words += [] if screen is None else ["--screen" if screen else "--no-screen"]
    words += [] if seeds is None else ["--seeds", str(seeds)]
    for key, value in base.items():
        words += ["--set", f"{key}={value if isinstance(value, str) else json.dumps(value)}"]
    for key in keys:
        words += ["--parameter", key]
    for part in beside:
        words += ["--beside", part]
    return shlex.join(words)
