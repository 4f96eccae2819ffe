"""The file of an overlay: what is run for each kind of curve, how often, and what its words mean.

Source: ``studies/mathematics.toml``. The kinds of curves are code (``loss``, ``sharing``, ``fixed_points``), the file holds scenarios and
numbers.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any, Final

from pydantic import Field, ValidationError

from sawtooth.experiment.study import OpenParameter, Tolerance, at_value
from sawtooth.experiment.study_files import read_toml
from sawtooth.packaged import packaged
from sawtooth.run.run_count import check_seeds
from sawtooth.scenario.fields import PositiveTime, Strict, input_error

if TYPE_CHECKING:
    from pathlib import Path

FILE: Final = "mathematics.toml"
NAME: Final = "mathematics"
"""As one names it: ``sawtooth reproduce mathematics``."""

Controls = Annotated[list[str], Field(min_length=1)]


class Loss(Strict):
    """One flow that loses every n-th packet, or each with a probability."""

    controls: Controls
    periods: Annotated[list[int], Field(min_length=1)]
    random_controls: Controls
    probabilities: Annotated[list[float], Field(min_length=1)]
    epochs: Annotated[int, Field(ge=1)]
    lead_in: Annotated[int, Field(ge=0)]
    least: PositiveTime
    scenario: dict[str, Any]
    parameter: list[OpenParameter]

    def value_of(self, key: str) -> Any:
        """The value of an open parameter."""
        return next(entry.value for entry in self.parameter if entry.key == key)


class Sharing(Strict):
    """Two flows with different windows on one link."""

    controls: Controls
    cycles: Annotated[int, Field(ge=1)]
    epoch: PositiveTime
    scenario: dict[str, Any]


class FixedPoints(Strict):
    """Flows alike on one link."""

    controls: Controls
    flows: Annotated[list[int], Field(min_length=1)]
    scenario: dict[str, Any]


class QuickFormulas(Strict):
    """The shortened form: the same points, fewer seeds, fewer losses counted."""

    seeds: Annotated[int, Field(ge=1)]
    epochs: Annotated[int, Field(ge=1)]


class OverlayStudy(Strict):
    """A checked file."""

    name: str
    title: str
    picture: str
    seeds: Annotated[int, Field(ge=1)]
    first_seed: Annotated[int, Field(ge=1)] = 1
    claims: list[str]
    quick: QuickFormulas
    tolerance: dict[str, Tolerance]
    loss: Loss
    sharing: Sharing
    fixed_points: FixedPoints

    @property
    def seed_names(self) -> tuple[str, ...]:
        """The seeds, as strings."""
        return tuple(str(number) for number in range(self.first_seed, self.first_seed + self.seeds))

    @property
    def apart(self) -> float:
        """The deviation beyond which a point has left its curve."""
        return self.tolerance["apart"].value

    def shortened(self) -> OverlayStudy:
        """The ``--quick`` form."""
        loss = self.loss.model_copy(update={"epochs": self.quick.epochs})
        return self.model_copy(update={"seeds": self.quick.seeds, "loss": loss})

    def seeded(self, seeds: int) -> OverlayStudy:
        """The same over another number of seeds."""
        check_seeds("reproduce", seeds)
        return self.model_copy(update={"seeds": seeds})

    def with_entry(self, entry: OpenParameter, value: object) -> OverlayStudy:
        """The same with one open parameter of the flows under loss at another value."""
        changed = {"parameter": at_value(self.loss.parameter, entry, value)}
        return self.model_copy(update={"loss": self.loss.model_copy(update=changed)})

    def starting_at(self, first: int) -> OverlayStudy:
        """The same over as many seeds from number ``first`` on."""
        return self.model_copy(update={"first_seed": first})


def load_overlay(path: Path | None = None) -> OverlayStudy:
    """The packaged study, or the file at ``path``. InputError names file, key, value and what is accepted."""
    source = packaged("papers", "formulas", "studies") / FILE if path is None else path
    try:
        return OverlayStudy.model_validate(read_toml(source))
    except ValidationError as error:
        raise input_error(error, source.name) from None
