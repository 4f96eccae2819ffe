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
to the store one by one and stored ones are not repeated, so a sweep that was interrupted goes on where it was. Runs are made in blocks and
their numbers kept in a file, so memory does not grow with their number; ``table`` and ``to_json`` hold all of them, ``write`` does not.

| parameter | unit | default | why                                    |
|-----------|------|---------|----------------------------------------|
| seeds     | 1    | 5       | as many as ``compare`` takes           |
| SCENARIOS | 1    | 256     | held at a time, 24 kB each             |
| TOGETHER  | runs | 4096    | read, and written to a table, together |
"""

from __future__ import annotations

import itertools
import math
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
from sawtooth.run.blocks import OnDemand, Progress, blocks
from sawtooth.run.export import check_output, write_file
from sawtooth.run.run import RunSummary, run_id_of
from sawtooth.run.run_count import check_seeds
from sawtooth.run.runner import run_each
from sawtooth.run.shard import DIGITS
from sawtooth.run.spool import Spool
from sawtooth.run.store import Store
from sawtooth.scenario import overrides as overriding
from sawtooth.scenario.overrides import refuse_seed, takes_away
from sawtooth.scenario.resolve import Resolved
from sawtooth.scenario.scenario import Scenario, with_shared_recovery, with_values
from sawtooth.scenario.unused_keys import places, unused

SEEDS: Final = 5
SCENARIOS: Final = 256
TOGETHER: Final = 4096
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
    seeds: Sequence[str]
    runs: Sequence[SweptRun]
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
        return pa.concat_tables(self._tables())

    def _tables(self) -> Iterator[pa.Table]:
        """The table, some of its rows at a time."""
        for first in range(0, len(self.runs), TOGETHER):
            yield self._table(self.runs[first : first + TOGETHER])

    def _table(self, runs: Sequence[SweptRun]) -> pa.Table:
        varied = {
            key: _column([run.values[place] for run in runs], values)
            for place, (key, values) in enumerate(self.over.items())
        }
        fields = [pa.field(key, column.type) for key, column in varied.items()]
        fields += [pa.field("seed", pa.string()), pa.field("run_id", pa.string())]
        columns = [*varied.values(), texts(run.seed for run in runs), texts(run.run_id for run in runs)]
        for place, metric in enumerate(METRICS):
            fields.append(pa.field(metric.name, pa.float64(), metadata={"unit": metric.unit}))
            values = np.array([run.metrics[place] for run in runs], np.float64)
            columns.append(numbers(values, nan_is_null=True))
        return pa.table(columns, schema=pa.schema(fields))

    @cached_property
    def different(self) -> int:
        """How many different runs there are."""
        return len(np.unique(np.fromiter((_told_apart(run.run_id) for run in self.runs), np.uint64)))

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
        return write_file(file, self._table(()).schema, self._tables(), "sweep", "out")

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
            "runs": self.different,
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
    home = store if isinstance(store, Store) else Store(store)
    made = array("Q")

    def noted(run_id: str, stored: bool) -> None:
        if not stored:
            made.append(_told_apart(run_id))

    kept = Spool(len(METRICS))
    counted = Progress(len(jobs), progress)
    for some in blocks(jobs):
        kept.add(
            run_each(
                some, home, _kept, fresh=fresh, threads=threads, progress=counted, noted=noted, whole=False
            )
        )
        counted.ended(len(some))
    runs = SweptRuns(Combinations(lists), jobs.seeds, kept)
    wall_s = time.monotonic() - begun
    executed = len(np.unique(made))
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
    lists = {key: _checked(key, values) for key, values in over.items()}
    if not lists:
        raise InputError("sweep", OPTION, MISSING, "a key and its values, such as path.rtt=20ms,40ms")
    check_seeds("sweep", seeds, math.prod(map(len, lists.values())))
    values = given(changes)
    _refuse_same_places(lists)
    refuse_seed(values)
    base = with_shared_recovery(plain_scenario(scenario, values), lists, [*values, *lists])
    scenarios = Changed(base, lists)
    scenarios.check()
    _refuse_replaced(scenarios, lists, values)
    _refuse_idle(scenarios, lists)
    return base, lists, SweepJobs(scenarios, Seeds(seeds))


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


class Seeds(OnDemand[str]):
    """So many seeds, ``"1"`` and so on."""

    def __init__(self, count: int) -> None:
        self._count = count

    def __len__(self) -> int:
        return self._count

    def made(self, place: int) -> str:
        return str(place + 1)


class Combinations(OnDemand[tuple[Any, ...]]):
    """Every combination of the values of some keys, the last key fastest."""

    def __init__(self, lists: Mapping[str, Sequence[Any]]) -> None:
        self._lists = list(lists.values())

    def __len__(self) -> int:
        return math.prod(map(len, self._lists))

    def made(self, place: int) -> tuple[Any, ...]:
        found = []
        for values in reversed(self._lists):
            place, at = divmod(place, len(values))
            found.append(values[at])
        return tuple(reversed(found))


class Changed(OnDemand[Scenario]):
    """The scenario with each combination; the last SCENARIOS are held."""

    def __init__(self, base: Scenario, lists: Mapping[str, Sequence[Any]]) -> None:
        self._base = base
        self._keys = list(lists)
        self._combinations = Combinations(lists)
        self._held: dict[int, Scenario] = {}

    def __len__(self) -> int:
        return len(self._combinations)

    def made(self, place: int) -> Scenario:
        held = self._held.get(place)
        return self._hold(place, with_values(self._base, self._values(place))) if held is None else held

    def check(self) -> None:
        """InputError for the first that cannot be resolved; it names the key of the sweep where that is at fault."""
        for place in range(len(self)):
            self._hold(place, _changed(self._base, self._values(place)))

    def _values(self, place: int) -> Values:
        return dict(zip(self._keys, self._combinations[place], strict=True))

    def _hold(self, place: int, scenario: Scenario) -> Scenario:
        while len(self._held) >= SCENARIOS:
            del self._held[next(iter(self._held))]
        self._held[place] = scenario
        return scenario


class SweptRuns(Sequence[SweptRun]):
    """The runs of a sweep, read from where their numbers are kept."""

    def __init__(self, chosen: Sequence[tuple[Any, ...]], seeds: Sequence[str], kept: Spool) -> None:
        self._chosen = chosen
        self._seeds = seeds
        self._kept = kept

    def __len__(self) -> int:
        return len(self._kept)

    @overload
    def __getitem__(self, index: int) -> SweptRun: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[SweptRun]: ...
    def __getitem__(self, index: int | slice) -> SweptRun | Sequence[SweptRun]:
        if not isinstance(index, slice):
            place = range(len(self))[index]
            return self._from(place, 1)[0]
        places = range(*index.indices(len(self)))
        return (
            self._from(places.start, len(places)) if places.step == 1 else [self[place] for place in places]
        )

    def __iter__(self) -> Iterator[SweptRun]:
        for first in range(0, len(self), TOGETHER):
            yield from self._from(first, TOGETHER)

    def _from(self, first: int, count: int) -> list[SweptRun]:
        rows = self._kept.rows(first, count)
        found = []
        for place, run_id, metrics in zip(
            itertools.count(first), rows["run_id"].tolist(), rows["values"].tolist(), strict=False
        ):
            combination, seed = divmod(place, len(self._seeds))
            found.append(SweptRun(self._chosen[combination], self._seeds[seed], run_id.decode(), metrics))
        return found


class SweepJobs(OnDemand[Resolved]):
    """The resolved runs of a sweep: seeds innermost."""

    def __init__(self, scenarios: Sequence[Scenario], seeds: Sequence[str]) -> None:
        self._scenarios = scenarios
        self.seeds = seeds

    def __len__(self) -> int:
        return len(self._scenarios) * len(self.seeds)

    def made(self, place: int) -> Resolved:
        scenario, seed = divmod(place, len(self.seeds))
        return job_of(self._scenarios[scenario], self.seeds[seed])


def _told_apart(run_id: str) -> int:
    """A number by which different runs are counted, in 8 bytes each."""
    return int(run_id[:DIGITS], 16)


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


def _refuse_same_places(over: Mapping[str, Sequence[Any]]) -> None:
    """InputError for two keys of which one takes away what the other says: rows would name values that no run has."""
    for key, other in itertools.permutations(over, 2):
        if takes_away(key, other):
            accepted = f"this key or {other}, not both: one takes away what the other says"
            raise InputError(OPTION, key, list(over[key]), accepted)


def _refuse_replaced(scenarios: Changed, over: Mapping[str, Sequence[Any]], values: Values) -> None:
    """InputError for a value of `--set` of which the values of the sweep leave nothing in any combination."""
    groups = range(len(scenarios[0].flows))
    for key, value in values.items():
        each = [key.replace("flows", f"flows[{number}]", 1) for number in groups]
        spots = each if key.startswith("flows.") else [key]
        by = [next((other for other in over if takes_away(other, spot)), None) for spot in spots]
        if None in by and any(places(scenario.data, key) for scenario in scenarios):
            continue
        beside = [other for other in over if takes_away(other.rpartition(".")[0] or other, key)]
        replaced = next((other for other in [*by, *beside] if other is not None), ", ".join(over))
        raise InputError(overriding.WHERE, key, value, f"this key or {OPTION} {replaced}, not both")


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


def _column(values: Sequence[Any], of: Sequence[Any]) -> pa.Array:
    """Values of a key as a column: numbers or truth values where all are that the key has (`of`), else text."""
    if all(isinstance(value, bool) for value in of):
        return truths(values)
    if not any(isinstance(value, bool) for value in of):
        for kind, dtype in (((int,), np.int64), ((int, float), np.float64)):
            if all(isinstance(value, kind) for value in of):
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
