"""What a check sees: scores and raw values by setting and algorithm, and the study's tolerances.

Source: none. Two views answer the same questions: ``RunView`` from the runs of a study, ``PrintedView`` from the printed tables;
``NoRuns`` answers none, for checks that need no runs. A view is of one part of a paper (``sawtooth.papers.studies``); ``view.part``
gives that of another, with the same methods for that part's settings and labels.
The second lets every check be put to the paper's own numbers, which says whether a sentence agrees with its tables
and guards the checks themselves (tests/test_claims.py).
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from sawtooth.claims.printed_tables import PrintedTables
from sawtooth.experiment.matrix import ProbeRun, Results, SettingBlock, scored_mean
from sawtooth.experiment.scoring import Values, ratio_scores
from sawtooth.experiment.study import Study, Tolerance


class UnavailableError(LookupError):
    """The view does not have what a check asks for (raw values of a printed table, a probe or a part that was not run)."""


@dataclass(frozen=True)
class Part:
    """The runs of one part of a paper, what words mean there, and the study as it was run, open parameters at the values they had."""

    results: Results
    tolerances: Mapping[str, Tolerance]
    study: Study | None = None


class View(ABC):
    """Scores per seed; every array has one value per seed unless its shape is given.

    ``has_raw`` says whether raw values can be asked for: the printed tables have none.
    """

    has_raw: ClassVar[bool] = True

    def __init__(self, settings: Sequence[str], tolerances: Mapping[str, Tolerance]) -> None:
        self.settings = tuple(settings)
        self.tolerances = tolerances

    @abstractmethod
    def D(self, setting: str, algorithm: str, metric: str) -> Values:  # noqa: N802 - the paper's letter
        """D of one algorithm among those it is scored with (those of a figure, its family, the set A of its part), per seed."""

    @abstractmethod
    def C(self, setting: str, algorithm: str, metric: str) -> Values:  # noqa: N802 - the paper's letter
        """C of one algorithm among those it is scored with, per seed."""

    @property
    @abstractmethod
    def environments(self) -> tuple[str, ...]:
        """The set E."""

    @property
    def setting(self) -> str:
        """The one setting of a claim that speaks of one."""
        (only,) = self.settings
        return only

    def tolerance(self, name: str) -> float:
        """The study's number for a word, scaled to the environments present where it bounds a sum."""
        return self.tolerances[name].over(len(self.environments))

    def raw(self, setting: str, algorithm: str, metric: str) -> Values:
        """Values of a metric, shape (environments, seeds)."""
        raise UnavailableError(f"raw {metric} of {algorithm} in {setting}")

    def mean(self, setting: str, algorithm: str, metric: str) -> Values:
        """Mean over E of what is scored (goodput clipped)."""
        raise UnavailableError(f"mean {metric} of {algorithm} in {setting}")

    def ratio_D(self, setting: str) -> Values:  # noqa: N802 - the paper's letter
        """D of goodput in the ratio form over all algorithms of the setting, in their order: shape (algorithms, seeds)."""
        raise UnavailableError(f"ratio scores in {setting}")

    def probe(self, name: str) -> tuple[ProbeRun, ...]:
        """The runs of a probe."""
        raise UnavailableError(f"probe {name}")

    def pattern(self, name: str, algorithm: str, metric: str) -> Values:
        """Values of a metric in the one setting, in the environment of that name: one per seed."""
        raise UnavailableError(f"{metric} of {algorithm} under pattern {name}")

    @property
    def study(self) -> Study:
        """The study behind a view that ``part`` gave, for checks that compute with its set-up."""
        raise UnavailableError("its study")

    def part(self, name: str) -> View:
        """The view of another part of the paper, by the name of a study of it. UnavailableError where it was not run.

        Its arrays have one value per seed of that part, which may be another number; seeds of the same name meet the same draws.
        """
        raise UnavailableError(f"part {name}")


class NoRuns(View):
    """What a claim of mathematics sees: nothing, since its check computes what it judges."""

    def __init__(self) -> None:
        super().__init__((), {})

    @property
    def environments(self) -> tuple[str, ...]:
        """None."""
        return ()

    def D(self, setting: str, algorithm: str, metric: str) -> Values:  # noqa: N802
        """There is no score."""
        raise UnavailableError(f"D of {metric} of {algorithm} in {setting}")

    def C(self, setting: str, algorithm: str, metric: str) -> Values:  # noqa: N802
        """There is no score."""
        raise UnavailableError(f"C of {metric} of {algorithm} in {setting}")


class RunView(View):
    """A view of runs, limited to the settings a claim speaks of; ``parts`` are those that ``part`` can reach, by name."""

    def __init__(
        self,
        results: Results,
        settings: Sequence[str],
        tolerances: Mapping[str, Tolerance],
        parts: Mapping[str, Part] | None = None,
        study: Study | None = None,
    ) -> None:
        super().__init__(settings, tolerances)
        self._results = results
        self._parts = parts or {}
        self._study = study

    @property
    def environments(self) -> tuple[str, ...]:
        """The set E."""
        return self._results.environments

    def D(self, setting: str, algorithm: str, metric: str) -> Values:  # noqa: N802
        """D of one algorithm among those it is scored with, per seed."""
        return self._block(setting, algorithm).scores.of(algorithm, metric).D_seeds

    def C(self, setting: str, algorithm: str, metric: str) -> Values:  # noqa: N802
        """C of one algorithm among those it is scored with, per seed."""
        return self._block(setting, algorithm).scores.of(algorithm, metric).C_seeds

    def raw(self, setting: str, algorithm: str, metric: str) -> Values:
        """Values of a metric, shape (environments, seeds)."""
        return self._block(setting, algorithm).of(algorithm, metric)

    def pattern(self, name: str, algorithm: str, metric: str) -> Values:
        """Values of a metric in the one setting, in the environment of that name: one per seed."""
        if name not in self.environments:
            raise UnavailableError(f"pattern {name}")
        return np.asarray(self.raw(self.setting, algorithm, metric)[self.environments.index(name)])

    def mean(self, setting: str, algorithm: str, metric: str) -> Values:
        """Mean over E of what is scored (goodput clipped)."""
        return scored_mean(self._block(setting, algorithm), algorithm, metric)

    def ratio_D(self, setting: str) -> Values:  # noqa: N802
        """D of goodput in the ratio form, shape (algorithms, seeds)."""
        block = self._block(setting)
        return ratio_scores(np.stack([block.of(name, "goodput") for name in block.algorithms]))

    def probe(self, name: str) -> tuple[ProbeRun, ...]:
        """The runs of a probe."""
        if name not in self._results.probes:
            raise UnavailableError(f"probe {name}")
        return self._results.probes[name]

    @property
    def study(self) -> Study:
        """The study as it was run."""
        if self._study is None:
            raise UnavailableError("its study")
        return self._study

    def part(self, name: str) -> View:
        """The view of another part, over all of its settings."""
        if name not in self._parts:
            raise UnavailableError(f"part {name}")
        found = self._parts[name]
        settings = tuple(found.results.blocks)
        return RunView(found.results, settings, found.tolerances, self._parts, found.study)

    def _block(self, setting: str, algorithm: str | None = None) -> SettingBlock:
        block = self._results.blocks.get(setting)
        if block is None:
            raise UnavailableError(setting)
        if algorithm is not None and algorithm not in block.algorithms:
            raise UnavailableError(f"{algorithm} in {setting}")
        return block


class PrintedView(View):
    """The printed tables, as if two seeds had given the same numbers: no spread, so every inequality is decided."""

    has_raw = False

    def __init__(
        self, settings: Sequence[str], tolerances: Mapping[str, Tolerance], tables: PrintedTables
    ) -> None:
        super().__init__(settings, tolerances)
        self._tables = tables

    @property
    def environments(self) -> tuple[str, ...]:
        """The paper's."""
        return self._tables.environments

    def D(self, setting: str, algorithm: str, metric: str) -> Values:  # noqa: N802
        """The printed D."""
        return self._column(setting, algorithm, f"D_{metric}")

    def C(self, setting: str, algorithm: str, metric: str) -> Values:  # noqa: N802
        """The printed C."""
        return self._column(setting, algorithm, f"C_{metric}")

    def _column(self, setting: str, algorithm: str, column: str) -> Values:
        row = self._tables.scores(setting).get(algorithm)
        if row is None or column not in row:
            raise UnavailableError(f"printed {column} of {algorithm} in {setting}")
        return np.full(2, row[column])
