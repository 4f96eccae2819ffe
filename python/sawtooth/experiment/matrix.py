"""What the runs of a study said: metric values by setting, algorithm, environment and seed, each beside its run id.

Source: none; this is the columns-and-shapes layer between stored runs and scores. A ``SettingBlock`` is one setting, a box of values of
shape (algorithms, environments, seeds) per metric; ``Results`` is the blocks of a study and its probes.

Nothing is averaged here except over environments on demand, and no value is without its run.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa

from sawtooth.experiment.plan import CellKey, Planned, ProbeKey
from sawtooth.experiment.scoring import (
    CLIP_GOODPUT,
    HIGHER_IS_BETTER,
    SCORED,
    Score,
    Scores,
    Values,
    distances,
    prepare,
    score_all,
)
from sawtooth.measure.metrics import METRIC_NAMES
from sawtooth.run.outcome import EXTRA, Outcome

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from sawtooth.measure.single_flows import Recorded, Shares


@dataclass(frozen=True)
class SettingBlock:
    """One setting. ``values[metric]`` and ``run_ids`` have the shape (algorithms, environments, seeds).

    ``families`` names the family of an algorithm; scores are formed among the members of a family (all, where none is named).
    """

    setting: str
    algorithms: tuple[str, ...]
    environments: tuple[str, ...]
    seeds: tuple[str, ...]
    values: Mapping[str, Values]
    run_ids: Mapping[CellKey, str]
    families: Mapping[str, str] = field(default_factory=dict)
    delays: Mapping[CellKey, Sequence[float]] = field(default_factory=dict)
    """By cell, quantiles of the queueing delay, ms (``outcome.delay_quantiles``), where they are kept."""

    def of(self, algorithm: str, metric: str) -> Values:
        """Values of one algorithm, shape (environments, seeds)."""
        return np.asarray(self.values[metric][self.algorithms.index(algorithm)], dtype=np.float64)

    def ids(self, algorithm: str, environment: str) -> tuple[str, ...]:
        """Run ids of one cell, in the order of the seeds."""
        return tuple(self.run_ids[CellKey(self.setting, algorithm, environment, seed)] for seed in self.seeds)

    @cached_property
    def sets(self) -> tuple[tuple[str, ...], ...]:
        """The sets A within which scores are formed: one per family, in the order of the algorithms."""
        by_family: dict[str, list[str]] = {}
        for name in self.algorithms:
            by_family.setdefault(self.families.get(name, ""), []).append(name)
        return tuple(tuple(names) for names in by_family.values())

    def peers(self, algorithm: str) -> tuple[str, ...]:
        """The set A that an algorithm is scored in."""
        return next(names for names in self.sets if algorithm in names)

    @cached_property
    def scores(self) -> Scores:
        """d, D and C of the four metrics over this block's sets A and its set E."""
        table: dict[tuple[str, str], Score] = {}
        for names in self.sets:
            rows = [self.algorithms.index(name) for name in names]
            own = {metric: self.values[metric][rows] for metric in SCORED}
            table |= score_all(own, names, self.environments).table
        return Scores(self.algorithms, self.environments, table)

    def distances(self, metric: str) -> Values:
        """d of each algorithm in each environment within its set A, mean over the seeds: added over the environments it is D."""
        found = np.empty(self.values[metric].shape[:2])
        for names in self.sets:
            rows = [self.algorithms.index(name) for name in names]
            scored = prepare(metric, self.values[metric][rows])
            found[rows] = distances(scored, higher_is_better=HIGHER_IS_BETTER[metric]).mean(axis=2)
        return found

    def nearest(self, metric: str) -> NDArray[np.bool_]:
        """Which algorithms of a set A are nearest to the best in each environment."""
        apart = self.distances(metric)
        peers = [[self.algorithms.index(other) for other in self.peers(name)] for name in self.algorithms]
        least = np.stack([apart[rows].min(axis=0) for rows in peers])
        return np.asarray(apart == least, dtype=np.bool_)


@dataclass(frozen=True)
class ProbeRun:
    """One run of a probe with its labels; ``values`` are the metrics and the measures of the probe."""

    labels: Mapping[str, str | int | float]
    run_id: str
    values: Mapping[str, float]
    flows: pa.Table
    seed: str = "1"
    shares: Shares = ()
    recorded: Recorded | None = None


@dataclass(frozen=True)
class Results:
    """All runs of a part of a paper: blocks by setting, probes by name."""

    blocks: Mapping[str, SettingBlock]
    probes: Mapping[str, tuple[ProbeRun, ...]] = field(default_factory=dict)

    @property
    def environments(self) -> tuple[str, ...]:
        """The set E that all blocks share."""
        return next((block.environments for block in self.blocks.values()), ())

    @property
    def seeds(self) -> tuple[str, ...]:
        """The seeds that all blocks share; of probes alone those that any of them has."""
        of_probes = dict.fromkeys(run.seed for runs in self.probes.values() for run in runs)
        return next((block.seeds for block in self.blocks.values()), tuple(of_probes))

    def run_ids(self) -> list[str]:
        """Every run behind these results, each once, in the order of the plan."""
        cells = [run for block in self.blocks.values() for run in block.run_ids.values()]
        probes = [run.run_id for runs in self.probes.values() for run in runs]
        return list(dict.fromkeys([*cells, *probes]))


def scored_mean(block: SettingBlock, algorithm: str, metric: str) -> Values:
    """Mean over the environments of what is scored (goodput clipped), one value per seed."""
    return np.asarray(
        prepare(metric, block.of(algorithm, metric), CLIP_GOODPUT).mean(axis=0), dtype=np.float64
    )


def collect(
    plan: Sequence[Planned], outcomes: Sequence[Outcome], families: Mapping[str, str] | None = None
) -> Results:
    """Sort the runs of a plan into boxes. ``outcomes`` in the order of the plan; those of probes with their flows."""
    by_setting: dict[str, dict[CellKey, Outcome]] = {}
    probes: dict[str, list[ProbeRun]] = {}
    for planned, outcome in zip(plan, outcomes, strict=True):
        key = planned.key
        if isinstance(key, CellKey):
            by_setting.setdefault(key.setting, {})[key] = outcome
        else:
            probes.setdefault(key.probe, []).append(_probe_run(key, outcome))
    blocks = {setting: _block(setting, runs, families or {}) for setting, runs in by_setting.items()}
    return Results(blocks, {name: tuple(runs) for name, runs in probes.items()})


def _probe_run(key: ProbeKey, outcome: Outcome) -> ProbeRun:
    values = dict(zip(METRIC_NAMES, outcome.values, strict=False))  # EXTRA is of cells
    flows = pa.table({}) if outcome.flows is None else outcome.flows
    numbers = {**values, **outcome.measures}
    labels = dict(key.labels)
    return ProbeRun(labels, outcome.run_id, numbers, flows, key.seed, outcome.shares, outcome.recorded)


def _block(setting: str, runs: Mapping[CellKey, Outcome], families: Mapping[str, str]) -> SettingBlock:
    algorithms = tuple(dict.fromkeys(key.algorithm for key in runs))
    environments = tuple(dict.fromkeys(key.environment for key in runs))
    seeds = tuple(dict.fromkeys(key.seed for key in runs))
    shape = (len(algorithms), len(environments), len(seeds))
    values = {metric: np.full(shape, np.nan) for metric in (*METRIC_NAMES, *EXTRA)}
    for key, outcome in runs.items():
        place = (
            algorithms.index(key.algorithm),
            environments.index(key.environment),
            seeds.index(key.seed),
        )
        for metric, value in zip(values, outcome.values, strict=True):
            values[metric][place] = value
    ids = {key: run.run_id for key, run in runs.items()}
    delays = {key: run.delays for key, run in runs.items() if len(run.delays)}
    return SettingBlock(setting, algorithms, environments, seeds, values, ids, families, delays)
