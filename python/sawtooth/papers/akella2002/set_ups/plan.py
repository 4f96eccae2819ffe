"""What is run to compare configurations of [Akella02]. Nothing is run here, so that a list can count the runs.

Source: none.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from sawtooth.experiment.study import Study
from sawtooth.papers.adapted import adapted
from sawtooth.papers.configurations import Configuration, Value, configurations
from sawtooth.papers.further import Request
from sawtooth.papers.studies import load_study, parts

PAPER: Final = "akella2002"
NAME: Final = "akella2002/configurations"
ABLATION: Final = "akella2002/ablation"
APPENDIX: Final = "akella2002/appendix"
FEW_SEEDS: Final = 5
"""Most seeds with which single values are tried: with all of those of the study, each value would take as long as the figures."""
BASE: Final = "with the seeds of values alone"
"""The first configuration as values alone are compared with it."""

Planned = list[tuple[str, list[Study]]]
"""What is run, by name."""


def studies_of(order: Request, set_up: Configuration) -> list[Study]:
    """The studies of one configuration: those of Figures 4 to 11 joined, and the appendix, which ``--quick`` leaves out."""
    main = next(study for study in parts(PAPER) if study.main)
    found = [main] if order.quick else [main, load_study(APPENDIX)]
    return adapted(NAME, set_up.applied(found), order.seeds, order.quick)


def alone(first: Configuration, value: Value) -> Configuration:
    """The first configuration with one value of another."""
    return first.model_copy(update={"name": value.key, "value": [*first.value, value]})


def without(second: Configuration, value: Value) -> Configuration:
    """The second configuration with one of its values taken back."""
    return second.model_copy(
        update={"name": value.key, "value": [entry for entry in second.value if entry is not value]}
    )


def plans(order: Request) -> Planned:
    """Of the comparison: the configurations; over the figures and few seeds the first again, and with each value of the second alone."""
    first, second = configurations(PAPER)
    found = [(entry.name, studies_of(order, entry)) for entry in (first, second)]
    tried = [(BASE, first), *((value.key, alone(first, value)) for value in tried_values(order, second))]
    return found + over_figures(order, tried)


def ablation_plans(order: Request) -> Planned:
    """Of the ablation, over the figures and few seeds: the configurations, and the second with each of its values taken back."""
    first, second = configurations(PAPER)
    taken_back = [(value.key, without(second, value)) for value in tried_values(order, second)]
    return over_figures(order, [(first.name, first), (second.name, second), *taken_back])


def over_figures(order: Request, named: Sequence[tuple[str, Configuration]]) -> Planned:
    """Each of these in the figures alone, with few seeds."""
    return [(name, [few(studies_of(order, entry)[0])]) for name, entry in named]


def few(study: Study) -> Study:
    """A study with no more seeds than single values are tried with."""
    return study.seeded(min(len(study.seeds), FEW_SEEDS))


def tried_values(order: Request, second: Configuration) -> list[Value]:
    """The values of the second configuration that are tried one by one."""
    return [value for value in second.value if value.quick or not order.quick]
