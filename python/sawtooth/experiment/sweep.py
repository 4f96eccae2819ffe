"""A sweep: one scenario with values varied, every combination of them over seeds, as one table.

    >>> import sawtooth as st
    >>> over = {"path.rtt": ["50 ms", "100 ms"], "flows.control": ["aimd(1, 0.8)", "aimd(1, 0.5)"]}
    >>> found = st.sweep("examples/one-flow.toml", over, seeds=2)
    >>> found.table.num_rows, found.table.column_names[:4]
    (8, ['path.rtt', 'flows.control', 'seed', 'run_id'])
    >>> [round(means["utilisation"].mean, 2) for values, means in found.groups()]
    [1.0, 1.0, 1.0, 1.0]

Source: none. The table is in long form: a row per run, with a column per varied key, ``seed``, ``run_id`` and one per metric
(``measure.metrics.METRICS``; docs/metrics.md has the units). All combinations meet the same seeds, ``"1"`` to the number of them. Runs go
to the store one by one and stored ones are not repeated, so a sweep that was interrupted goes on where it was.

| parameter | unit | default | why                                    |
|-----------|------|---------|----------------------------------------|
| seeds     | 1    | 5       | as many as ``compare`` takes           |
"""

from __future__ import annotations

import itertools
import time
from array import array
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, Final, overload

import numpy as np
import pyarrow as pa

from sawtooth import display
from sawtooth.columns import numbers, texts, truths
from sawtooth.documents import format_of
from sawtooth.errors import MISSING, InputError, show
from sawtooth.experiment.intervals import Interval, interval
from sawtooth.measure.metrics import METRICS
from sawtooth.plain import json_value, written
from sawtooth.plurals import number_of
from sawtooth.progress import ProgressCallback
from sawtooth.run.api import ScenarioSource, given, job_of, plain_scenario
from sawtooth.run.api import Values as Changes
from sawtooth.run.export import check_output, write_file
from sawtooth.run.run import RunSummary, run_id_of
from sawtooth.run.runner import run_each
from sawtooth.run.store import Store
from sawtooth.scenario import overrides as overriding
from sawtooth.scenario.resolve import Resolved
from sawtooth.scenario.scenario import Scenario, with_shared_recovery, with_values
from sawtooth.scenario.unused_keys import unused

SEEDS: Final = 5
OPTION: Final = "--over"
Values = Mapping[str, Any]
"""By key, the value that it has in one combination."""


@dataclass(frozen=True, slots=True)
class SweptRun:
    """One run of a sweep; ``metrics`` are in the order of METRICS, NaN where undefined."""

    values: tuple[Any, ...]
    seed: str
    run_id: str
    metrics: Sequence[float]


@dataclass(frozen=True, repr=False)
class Sweep:
    """The runs of a sweep: combinations in the order of the values, the last key fastest, seeds innermost."""

    scenario: str
    over: Mapping[str, tuple[Any, ...]]
    seeds: tuple[str, ...]
    runs: tuple[SweptRun, ...]
    executed: int = 0
    wall_s: float = 0.0
    chosen: tuple[str, ...] = ()
    """What was chosen so that the values go with the scenario, a sentence each."""
    controllers: tuple[Any, ...] = ()
    """Of all runs, as they were written."""

    def __repr__(self) -> str:
        keys = ", ".join(f"{key} ({len(values)})" for key, values in self.over.items())
        return f"<Sweep of {self.scenario} over {keys}: {number_of(len(self.runs), 'run')}, {number_of(len(self.seeds), 'seed')}>"

    def _repr_html_(self) -> str:
        return display.sweep_html(self)

    def text(self, value: Any) -> str:
        """A value of a key as a user would write it."""
        return written(value)

    def plot(self, metrics: Sequence[str] = (), over: str | None = None) -> display.Plot:
        """Metrics (``goodput``, ``delay`` and ``loss`` unless named) over the values of one key, by default the first whose values are
        numbers; a line for each combination of the other keys."""
        return display.sweep_plot(self, metrics, over)

    @cached_property
    def table(self) -> pa.Table:
        """One row per run; undefined numbers are null. Fields of metrics carry their ``unit``."""
        varied = {
            key: _column([run.values[place] for run in self.runs]) for place, key in enumerate(self.over)
        }
        fields = [pa.field(key, column.type) for key, column in varied.items()]
        fields += [pa.field("seed", pa.string()), pa.field("run_id", pa.string())]
        columns = [
            *varied.values(),
            texts(run.seed for run in self.runs),
            texts(run.run_id for run in self.runs),
        ]
        for place, metric in enumerate(METRICS):
            fields.append(pa.field(metric.name, pa.float64(), metadata={"unit": metric.unit}))
            values = np.array([run.metrics[place] for run in self.runs], np.float64)
            columns.append(numbers(values, nan_is_null=True))
        return pa.table(columns, schema=pa.schema(fields))

    def groups(self) -> Iterator[tuple[Values, Mapping[str, Interval]]]:
        """Each combination with the mean of every metric over the seeds and its interval."""
        size = len(self.seeds)
        for first in range(0, len(self.runs), size):
            runs = self.runs[first : first + size]
            numbers = np.array([run.metrics for run in runs])
            means = {entry.name: interval(numbers[:, place]) for place, entry in enumerate(METRICS)}
            yield dict(zip(self.over, runs[0].values, strict=True)), means

    def write(self, path: Path | str) -> int:
        """Write ``table`` as the name of the file says (.csv, .parquet, .arrow), whole or not at all; returns its number of rows."""
        file = Path(path)
        check_output(file, "sweep", "out")
        return write_file(file, self.table.schema, [self.table], "sweep", "out")

    def to_json(self) -> dict[str, Any]:
        """The document of ``--json``."""
        rows = [
            {
                "values": dict(zip(self.over, run.values, strict=True)),
                "seed": run.seed,
                "run_id": run.run_id,
                "metrics": {entry.name: value for entry, value in zip(METRICS, run.metrics, strict=True)},
            }
            for run in self.runs
        ]
        return {
            "format": format_of("sweep"),
            "scenario": self.scenario,
            "over": {key: list(values) for key, values in self.over.items()},
            "seeds": list(self.seeds),
            "rows": json_value(rows),
            "runs": len({run.run_id for run in self.runs}),
            "executed": self.executed,
            "wall_s": self.wall_s,
        }


def sweep(
    scenario: ScenarioSource,
    over: Mapping[str, Sequence[Any]],
    seeds: int = SEEDS,
    set: Changes = (),  # noqa: A002 - the name of the option
    store: Store | Path | str | None = None,
    fresh: bool = False,
    threads: int | None = None,
    progress: ProgressCallback | None = None,
    *,
    overrides: Changes = (),
) -> Sweep:
    """Run a scenario with every combination of the values of ``over``, by dotted key, over ``seeds`` seeds; stored runs are not repeated.

    ``set`` replaces values of the scenario in all runs; ``overrides`` is another name for it. InputError, before the first run, for a value
    that a combination refuses, and for a key that has no effect in any of them.
    """
    begun = time.monotonic()
    base, lists, jobs = planned(scenario, over, seeds, given(set, overrides))
    chosen = list(itertools.product(*lists.values()))
    home = store if isinstance(store, Store) else Store(store)
    executed = 0

    def noted(_: str, stored: bool) -> None:
        nonlocal executed
        executed += not stored

    kept = run_each(
        jobs, home, _kept, fresh=fresh, threads=threads, progress=progress, noted=noted, whole=False
    )
    runs = tuple(
        SweptRun(values, seed, *outcome)
        for (values, seed), outcome in zip(itertools.product(chosen, jobs.seeds), kept, strict=True)
    )
    wall_s = time.monotonic() - begun
    return Sweep(base.name, lists, jobs.seeds, runs, executed, wall_s, base.chosen, _controllers(base, lists))


def _controllers(base: Scenario, lists: Mapping[str, Sequence[Any]]) -> tuple[Any, ...]:
    """Those of the values, or of the scenario where no value names one."""
    swept = [value for key, values in lists.items() if key.endswith(".control") for value in values]
    return tuple(swept or [group.control.written for group in base.flows])


def planned(
    scenario: ScenarioSource,
    over: Mapping[str, Sequence[Any]],
    seeds: int = SEEDS,
    changes: Changes = (),
) -> tuple[Scenario, dict[str, tuple[Any, ...]], SweepJobs]:
    """The scenario of a sweep, its values by key, and its runs. InputError as ``sweep``."""
    if seeds < 1:
        raise InputError("sweep", "--seeds", seeds, "a number of seeds from 1")
    lists = {key: _checked(key, values) for key, values in over.items()}
    if not lists:
        raise InputError("sweep", OPTION, MISSING, "a key and its values, such as path.rtt=20ms,40ms")
    values = given(changes)
    base = with_shared_recovery(plain_scenario(scenario, values), lists, [*values, *lists])
    chosen = itertools.product(*lists.values())
    scenarios = [_changed(base, dict(zip(lists, each, strict=True))) for each in chosen]
    _refuse_idle(scenarios, lists)
    return base, lists, SweepJobs(scenarios, tuple(str(number) for number in range(1, seeds + 1)))


def parse_over(text: str) -> tuple[str, list[Any]]:
    """Key and values of ``KEY=VALUE,VALUE``; a comma within brackets or quotes is part of a value. InputError."""
    key, equals, values = text.partition("=")
    if not equals or not key.strip():
        raise InputError(OPTION, None, text, "KEY=VALUE,VALUE such as path.rtt=20ms,40ms")
    found = []
    for part in _split(values):
        if not part:
            raise InputError(
                OPTION, key.strip(), values, "values separated by single commas, such as 20ms,40ms"
            )
        found.append(overriding.parse_override(f"{key}={part}")[1])
    return key.strip(), found


class SweepJobs(Sequence[Resolved]):
    """The resolved runs of a sweep, each made when it is asked for: seeds innermost."""

    def __init__(self, scenarios: Sequence[Scenario], seeds: tuple[str, ...]) -> None:
        self._scenarios = scenarios
        self.seeds = seeds

    def __len__(self) -> int:
        return len(self._scenarios) * len(self.seeds)

    @overload
    def __getitem__(self, index: int) -> Resolved: ...
    @overload
    def __getitem__(self, index: slice) -> list[Resolved]: ...
    def __getitem__(self, index: int | slice) -> Resolved | list[Resolved]:
        if isinstance(index, slice):
            return [self[place] for place in range(*index.indices(len(self)))]
        scenario, seed = divmod(range(len(self))[index], len(self.seeds))
        return job_of(self._scenarios[scenario], self.seeds[seed])


def _kept(run: RunSummary) -> tuple[str, Sequence[float]]:
    return run.run_id, array("d", [run.values[entry.name] for entry in METRICS])


def _checked(key: str, values: Sequence[Any]) -> tuple[Any, ...]:
    """The values of a key. InputError if there is none, or one twice."""
    if key == "seed":
        raise InputError(OPTION, key, list(values), "another key; --seeds N varies the seed")
    if isinstance(values, str) or not values:
        raise InputError(OPTION, key, values, "a list of values, at least one")
    for place, value in enumerate(values):
        if value in values[:place]:
            raise InputError(OPTION, key, value, "each value once")
    return tuple(values)


def _changed(base: Scenario, values: Values) -> Scenario:
    """The scenario with one combination, which can be resolved. InputError names the key of the sweep where it is at fault."""
    try:
        changed = with_values(base, values)
        run_id_of(job_of(changed, "1"))
    except InputError as error:
        if error.where == overriding.WHERE or error.key in values:
            raise error.located(OPTION) from None
        told = ", ".join(f"{key} = {show(value)}" for key, value in values.items())
        raise InputError(error.where, error.key, error.value, error.accepted, f"with {told}") from None
    return changed


def _refuse_idle(scenarios: Sequence[Scenario], over: Mapping[str, object]) -> None:
    """InputError for a key that acts on nothing in every combination."""
    idle: dict[str | None, InputError] | None = None
    for scenario in scenarios:
        found = {error.key: error for error in unused(scenario)}
        idle = found if idle is None else {key: error for key, error in idle.items() if key in found}
        if not idle:
            return
    for error in (idle or {}).values():
        raise error.located(OPTION if error.key in over else scenarios[0].name)


def _column(values: Sequence[Any]) -> pa.Array:
    """The values of a key as a column: numbers or truth values where all of them are, else text."""
    if all(isinstance(value, bool) for value in values):
        return truths(values)
    if not any(isinstance(value, bool) for value in values):
        for kind, dtype in (((int,), np.int64), ((int, float), np.float64)):
            if all(isinstance(value, kind) for value in values):
                return numbers(np.array(values, dtype))
    return texts(map(written, values))


def _split(text: str) -> list[str]:
    """The parts between commas that stand in no bracket and no quotes."""
    parts, depth, quote = [""], 0, ""
    for letter in text:
        if quote:
            quote = "" if letter == quote else quote
        elif letter in "\"'":
            quote = letter
        elif letter in "([{":
            depth += 1
        elif letter in ")]}":
            depth -= 1
        elif letter == "," and depth == 0:
            parts.append("")
            continue
        parts[-1] += letter
    return [part.strip() for part in parts]


__all__ = ["Sweep", "SweptRun", "parse_over", "planned", "sweep"]
