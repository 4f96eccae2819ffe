"""The Python interface to single runs: `sawtooth.run.run` and `sawtooth.replay`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Literal

from sawtooth.errors import InputError
from sawtooth.run.alone import Keeper, keeping
from sawtooth.run.derived import call_of
from sawtooth.run.run import Run, execute, simulate
from sawtooth.run.store import Store
from sawtooth.scenario.overrides import parse_override
from sawtooth.scenario.resolve import Resolved, resolve
from sawtooth.scenario.scenario import Scenario, load_scenario, parse_scenario, with_values
from sawtooth.scenario.unused_keys import refuse_unused

ScenarioSource = Scenario | Path | str | Mapping[str, Any]
Values = Mapping[str, Any] | Sequence[str]
"""Values by dotted key, as a mapping or as texts ``KEY=VALUE``."""


def run(
    scenario: ScenarioSource,
    seed: str | int | None = None,
    store: Store | Path | str | Literal[False] | None = None,
    set: Values = (),  # noqa: A002 - the name of the option
    *,
    overrides: Values = (),
) -> Run:
    """Simulates one scenario and stores the run, even if the store has it already; the interpreter lock is released meanwhile.

    `scenario` is a path, TOML text, a mapping of the same shape or a loaded Scenario; `seed` replaces its own; `set` replaces values by
    dotted key, as a mapping or as texts `KEY=VALUE`, and `overrides` is another name of it. `store` is a Store or its directory, None for
    the one of the command line ($SAWTOOTH_STORE or `.sawtooth`), False to store nothing.
    Raises InputError for anything wrong in the scenario.

        >>> import sawtooth as st
        >>> run = st.run("examples/one-flow.toml", set={"path.rtt": "100 ms"})
        >>> round(run.values["goodput"], 2)
        1.0
        >>> run.flows["goodput_bps"].to_pylist()
        [...]
        >>> run.metrics.num_columns > 40
        True
    """
    job = job_of(scenario_of(scenario, given(set, overrides)), seed)
    if store is False:
        return execute(job)
    kept = store if isinstance(store, Store) else Store(store)
    with keeping(Keeper(kept.address, kept.get, kept.put)):
        result = execute(job)
    kept.put(result)
    return result


def given(values: Values, overrides: Values = ()) -> dict[str, Any]:
    """The values of `set`, or those of `overrides`, which means the same. InputError where both are there."""
    if values and overrides:
        raise InputError("sawtooth", "overrides", overrides, "nothing beside set, which means the same")
    chosen = values or overrides
    return dict(chosen) if isinstance(chosen, Mapping) else dict(map(parse_override, chosen))


def scenario_of(source: ScenarioSource, changes: Values = ()) -> Scenario:
    """The scenario that `source` names or holds, with `changes`; a key that acts on nothing is refused (`unused_keys`).

    Text with a line break or `=` is TOML; other text is a path.
    """
    values = given(changes)
    scenario = plain_scenario(source, values)
    if not values:
        refuse_unused(scenario)
        return scenario
    try:
        before = plain_scenario(source)
    except InputError:  # what is replaced may have been wrong
        before = None
    refuse_unused(scenario, before=before, replaced=values)
    return scenario


def plain_scenario(source: ScenarioSource, changes: Values = ()) -> Scenario:
    """As ``scenario_of``, whatever its keys act on: for whoever goes on to change it."""
    values = given(changes)
    if isinstance(source, Scenario):
        return with_values(source, values) if values else source
    if isinstance(source, Mapping) or (isinstance(source, str) and ("\n" in source or "=" in source)):
        return parse_scenario(source, values=values)
    return load_scenario(Path(source), values)


def job_of(scenario: Scenario, seed: str | int | None = None) -> Resolved:
    """The resolved scenario, with each flow's controller named as the user wrote it and not by its numbers alone."""
    resolved = resolve(scenario, seed)
    return replace(resolved, meta={**resolved.meta, "controllers": controllers_of(scenario)})


def controllers_of(scenario: Scenario) -> list[str]:
    """The controller of each flow as the user wrote it, where it was written as text."""
    return [
        written if isinstance(written := group.control.written, str) else call_of(group.control.engine)
        for group in scenario.flows
        for _ in range(group.count)
    ]


@dataclass(frozen=True, repr=False)
class Replay:
    """A stored run made again: the stored run and the new one."""

    stored: Run
    run: Run

    def __repr__(self) -> str:
        from sawtooth.display_verdicts import replay_text

        return replay_text(self)

    def _repr_html_(self) -> str:
        from sawtooth.display_verdicts import replay_html

        return replay_html(self)

    @property
    def run_id(self) -> str:
        """The id of the stored run."""
        return self.stored.run_id

    @property
    def stored_digest(self) -> str:
        """The digest of the stored run."""
        return self.stored.digest

    @property
    def stored_engine(self) -> str:
        """The engine that made the stored run."""
        return self.stored.provenance["engine"]

    @property
    def same(self) -> bool:
        """Whether every byte of the results agrees."""
        return self.run.digest == self.stored_digest

    @property
    def engine_changed(self) -> bool:
        """Whether the stored run was made by an engine of other sources."""
        return self.stored_engine != self.run.provenance["engine"]

    @property
    def behaviour_changed(self) -> dict[str, tuple[int, int]]:
        """What the run uses and behaves differently now, with its number then and now. If there is any, another digest is expected."""
        now = self.run.behaviour
        return {
            name: (then, now[name]) for name, then in self.stored.behaviour.items() if now.get(name) != then
        }


def replay(run_id: str, store: Store | Path | str | None = None) -> Replay:
    """Makes a stored run again from its stored scenario and compares digests. `run_id` may be shortened while it is unique.

    Raises InputError if the store has no such run, several, or cannot read it.

        >>> import sawtooth as st
        >>> run = st.run("examples/one-flow.toml")
        >>> st.replay(run.run_id[:8]).same
        True
    """
    stored = stored_run(run_id, store if isinstance(store, Store) else Store(store))
    again = simulate(stored.engine, stored.meta)
    return Replay(stored, again)


def stored_run(run_id: str, store: Store) -> Run:
    """The one stored run whose id begins with `run_id`. InputError if there is none or several."""
    run = store.get(store.one(run_id))
    if run is None:
        raise InputError(
            "store", store.address, run_id, "a readable run", "simulate it again with `sawtooth run`"
        )
    return run


__all__ = [
    "Replay",
    "ScenarioSource",
    "Values",
    "given",
    "job_of",
    "plain_scenario",
    "replay",
    "run",
    "scenario_of",
    "stored_run",
]
