"""`[[on]]`: what of a network changes during a run, at a time or when the controller of a flow enters a state.

Source: none of its own. The test cases of draft-ietf-ccwg-bbr ask for changes upon states; paths that change under a connection
(RFC 9743 §5.2) ask for changes at times. `crates/sim/src/scenario/changes.rs` says what each change does.

The keys of `set` are those of the tables that they change: `bottleneck.rate`. `VALUES` lists what may change.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Annotated, Any, Final, Self

from pydantic import BeforeValidator, Field, model_validator

from sawtooth.errors import MISSING, InputError, unknown_key
from sawtooth.scenario import units
from sawtooth.scenario.described import describe
from sawtooth.scenario.fields import JsonSchema, Parsed, PositiveTime, SchemaOnDemand, Strict, Time
from sawtooth.scenario.values import Impairment
from sawtooth.scenario.wires import Jitter, Late, parse_delay

NONE: Final = "none"
"""In place of losses: there are none from then on."""
ALL: Final = "all"
"""In place of a rate of supply: all data is available."""


@dataclass(frozen=True)
class Drawn:
    """A time that is drawn for each occurrence, uniformly."""

    from_ns: int
    to_ns: int


def _or_none(kind: type[Impairment | Late | Jitter]) -> Callable[[object], dict[str, Any] | None]:
    def parse(value: object) -> dict[str, Any] | None:
        if value == NONE:
            return None
        try:
            return dict(kind.parse(value).engine)
        except ValueError as error:
            raise ValueError(f'{error}, or "{NONE}"') from None

    return parse


def _delay(value: object) -> int | Drawn:
    accepted = f'{units.TIME_ACCEPTED}, or "uniform 20..40 ms" for a draw each time'
    if isinstance(value, str) and value.strip().startswith("uniform"):
        try:
            spec = parse_delay(value)
        except ValueError:
            raise ValueError(accepted) from None
        return Drawn(spec["from_ns"], spec["to_ns"])
    try:
        return units.parse_time(value)
    except ValueError:
        raise ValueError(accepted) from None


def _supply(value: object) -> int | None:
    if value == ALL:
        return None
    try:
        return units.parse_rate(value)
    except ValueError as error:
        raise ValueError(f'{error}, 0 for a pause, or "{ALL}"') from None


@dataclass(frozen=True)
class Changeable:
    """What may change: how its value is read, and under which names the engine has it."""

    parse: Callable[[object], Any]
    engine: str
    field: str


VALUES: Final[Mapping[str, Changeable]] = {
    "rate": Changeable(lambda value: units.parse_rate(value, positive=True), "rate", "bps"),
    "delay": Changeable(_delay, "delay", "ns"),
    "drop": Changeable(_or_none(Impairment), "drop", "drop"),
    "loss": Changeable(_or_none(Impairment), "loss", "loss"),
    "late": Changeable(_or_none(Late), "late", "late"),
    "jitter": Changeable(_or_none(Jitter), "jitter", "jitter"),
}
"""What may change of `bottleneck`, `reverse` and `links[n]`."""
SUPPLY: Final = Changeable(_supply, "supply", "bps")
"""What may change of `flows[n]`, for every flow of the group: `supply`, how fast its application makes data available."""

_KEY = re.compile(r"(bottleneck|reverse|links\[\d{1,6}\])\.(\w+)|(flows\[\d{1,6}\])\.(supply)")
_KEYS: Final = [f"{table}.{name}" for table in ("bottleneck", "reverse", "links[n]") for name in VALUES] + [
    "flows[n].supply"
]


@dataclass(frozen=True)
class NewValue:
    """One value that changes."""

    key: str
    table: str
    name: str
    value: Any

    @property
    def kind(self) -> Changeable:
        """What it is."""
        return SUPPLY if self.name == "supply" else VALUES[self.name]

    @property
    def index(self) -> int:
        """The number in `links[n]` or `flows[n]`."""
        return int(self.table.partition("[")[2].rstrip("]"))


@dataclass(frozen=True)
class Settings(Parsed):
    """The table `set`: what changes, and to what."""

    settings: tuple[NewValue, ...]
    written: Mapping[str, Any]

    @classmethod
    def parse(cls, value: object) -> Self:
        if not isinstance(value, Mapping) or not value:
            raise InputError("", None, value, 'a table such as { "bottleneck.rate" = "9 Mbit/s" }')
        return cls(tuple(_setting(str(key), item) for key, item in value.items()), dict(value))

    @classmethod
    def schema(cls) -> JsonSchema:
        return {
            "type": "object",
            "minProperties": 1,
            "propertyNames": {"pattern": f"^({_KEY.pattern})$"},
            "description": f"what changes, and to what: {', '.join(_KEYS)}",
            "examples": [{"bottleneck.rate": "9 Mbit/s"}],
        }

    def text(self) -> Any:
        return dict(self.written)


def _setting(key: str, value: object) -> NewValue:
    match = _KEY.fullmatch(key)
    if match is None or (match[2] and match[2] not in VALUES):
        raise unknown_key(key, value, _KEYS)
    setting = NewValue(key, match[1] or match[3], match[2] or match[4], None)
    try:
        return NewValue(key, setting.table, setting.name, setting.kind.parse(value))
    except ValueError as error:
        raise InputError("", f'"{key}"', value, str(error)) from None


def _states() -> list[str]:
    """The states of all controllers, as the engine names them."""
    columns = next(row["columns"] for row in describe()["series"] if row["name"] == "model")
    return list(next(column["codes"] for column in columns if column["name"] == "state"))


def _state(value: object) -> str:
    if value not in _states():
        raise ValueError(f"one of {', '.join(_states())}")
    return str(value)


class On(Strict):
    """Something changes during the run: at a time, or whenever the controller of a flow enters a state."""

    flow: Annotated[int, Field(ge=0)] | None = None
    """The flow whose controller enters the state. Default: 0."""
    state: (
        Annotated[
            str,
            BeforeValidator(_state),
            SchemaOnDemand(lambda: {"type": "string", "enum": _states()}),
        ]
        | None
    ) = None
    """The state; the change happens whenever it is entered. Give this or at."""
    after: PositiveTime | None = None
    """How long after the state is entered. Default: at once."""
    at: Time | None = None
    """The time of the change. Give this or state."""
    every: PositiveTime | None = None
    """The change happens again after each such time. Default: it happens once."""
    changed: Annotated[
        Settings,
        Field(
            alias="set", description=f"What changes, and to what, until it changes again: {', '.join(_KEYS)}."
        ),
    ]

    @model_validator(mode="after")
    def _when(self) -> Self:
        if self.state is None and self.at is None:
            raise InputError("", "at", MISSING, "this key, or state")
        if self.state is not None:
            for key in ("at", "every"):
                given = getattr(self, key)
                if given is not None:
                    raise InputError("", key, units.format_time(given), "no such key beside state")
        elif self.flow is not None:
            raise InputError("", "flow", self.flow, "this key only beside state")
        elif self.after is not None:
            raise InputError("", "after", units.format_time(self.after), "this key only beside state")
        return self

    def times(self, end_ns: int) -> range:
        """When it happens before the end of the run, ns; nothing where it follows a state."""
        if self.at is None:
            return range(0)
        return range(self.at, self.at + 1) if self.every is None else range(self.at, end_ns, self.every)
