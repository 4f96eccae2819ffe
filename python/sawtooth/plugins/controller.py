"""Controllers written in Python: `@st.controller` over a class with the calls of `sawtooth.h` as methods.

    >>> import sawtooth as st
    >>> @st.controller
    ... class Constant:
    ...     "a window of w packets, whatever happens"
    ...     name = "constant"
    ...     parameters = (st.Parameter("w", "packets", 10, (1, 1e6), "the window"),)
    ...     def __init__(self, numbers, settings): (self.w,) = numbers
    ...     def on_ack(self, ack): ...
    ...     def on_congestion(self, signal): ...
    ...     def window(self): return self.w
    >>> [rule.id for rule in st.check_controller("constant(10)").rules if rule.result == "broken"]
    ['loss-reaction', ...]

They are for prototypes: a call takes about a microsecond, and runs of several threads take turns. The same calls must give the same
answers: no clock, no random numbers but those made of `settings.random`, no state that objects share. Numbers of Python are those of C;
`math.sqrt` is the same everywhere, `math.exp` and its like may differ in the last digit from one machine to another.

The identity of a run holds the SHA-256 of the file; of a class that stands in no file, of what can be read of its source. What the file
imports is not part of it.
"""

from __future__ import annotations

import inspect
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from hashlib import sha256
from numbers import Real
from pathlib import Path
from typing import Any, Final, TypeVar

from sawtooth import _native
from sawtooth.errors import MISSING, InputError
from sawtooth.scenario.described import forget

REQUIRED: Final = ("__init__", "on_ack", "on_congestion", "window")
WANTS: Final = ("packets", "rates", "rounds", "recovery")
Class = TypeVar("Class", bound=type)


@dataclass(frozen=True)
class Parameter:
    """A parameter of a constructor: its name, its unit, its value where it is left out (None: it must be given), the smallest and the
    largest value, what it means, and whether only whole numbers are accepted."""

    name: str
    unit: str = "1"
    default: float | None = None
    interval: tuple[float, float] = (0.0, 1e6)
    why: str = ""
    whole: bool = False

    @property
    def min(self) -> float:
        """The smallest value accepted."""
        return self.interval[0]

    @property
    def max(self) -> float:
        """The largest value accepted."""
        return self.interval[1]


@dataclass(frozen=True)
class Description:
    """What a class says of itself, as the engine takes it."""

    name: str
    summary: str
    source: str
    parameters: list[Parameter]
    packets: bool
    rates: bool
    rounds: bool
    recovery: bool
    paces: bool
    draws: bool
    file: str


@dataclass
class _Loading:
    """The file that is being loaded: its hash, and the classes found in it."""

    file: str
    found: list[tuple[type, Description]]


_loading: _Loading | None = None


@contextmanager
def collected(file: str) -> Iterator[list[tuple[type, Description]]]:
    """The controllers that are defined meanwhile, as from a file with this hash; they are not at hand before `register`."""
    global _loading
    before, _loading = _loading, _Loading(file, [])
    try:
        yield _loading.found
    finally:
        _loading = before


def controller(cls: Class) -> Class:
    """Make a controller of a class: `name(…)` then works wherever a controller may stand. InputError for an incomplete class."""
    if _loading is not None:
        _loading.found.append((cls, described(cls, _loading.file)))
    else:
        register([(cls, described(cls, _source_hash(cls)))], f"controller {cls.__name__}")
    return cls


def register(classes: list[tuple[type, Description]], where: str, file: Path | None = None) -> None:
    """Put controllers at hand, those of a file or a class as it stands, in place of what they replace: all or, if one is refused, none."""
    try:
        _native.add_classes(classes, file)
    except ValueError as error:
        key, _, accepted = str(error).partition(": expected ")
        raise InputError(where, None, key, accepted) from None
    forget()


def described(cls: type, file: str) -> Description:
    """What a class says of itself: `name` (or its own in small letters), its first line, `source`, `parameters`, `wants`, `paces` (or
    whether it has a `pacing_rate`), `draws`."""
    where = f"controller {cls.__name__}"
    for method in REQUIRED:
        if not callable(getattr(cls, method, None)):
            raise InputError(where, method, MISSING, "a method of this name")
    parameters = list(getattr(cls, "parameters", ()))
    for parameter in parameters:
        if not isinstance(parameter, Parameter):
            raise InputError(where, "parameters", str(parameter), "values of st.Parameter")
        _check_types(where, parameter)
    wants = tuple(getattr(cls, "wants", ()))
    if isinstance(getattr(cls, "wants", ()), str) or not set(wants) <= set(WANTS):
        raise InputError(where, "wants", str(getattr(cls, "wants", ())), f"some of {', '.join(WANTS)}")
    summary = (inspect.getdoc(cls) or cls.__name__).splitlines()[0]
    return Description(
        name=str(getattr(cls, "name", cls.__name__.lower())),
        summary=summary,
        source=str(getattr(cls, "source", "none")),
        parameters=parameters,
        **{want: want in wants for want in WANTS},
        paces=bool(getattr(cls, "paces", hasattr(cls, "pacing_rate"))),
        draws=bool(getattr(cls, "draws", False)),
        file=file,
    )


def _check_types(where: str, parameter: Parameter) -> None:
    """InputError unless what a parameter says is of the types that the engine takes."""
    key = f"parameters[{parameter.name!r}]"
    for field, text in (("name", parameter.name), ("unit", parameter.unit), ("why", parameter.why)):
        if not isinstance(text, str):
            raise InputError(where, f"{key}.{field}", str(text), "a text")
    if parameter.default is not None and not _is_number(parameter.default):
        raise InputError(where, f"{key}.default", parameter.default, "a number, or None")
    interval: Any = parameter.interval
    if not isinstance(interval, (tuple, list)) or len(interval) != 2 or not all(map(_is_number, interval)):
        raise InputError(
            where, f"{key}.interval", interval, "the smallest and the largest value, two numbers"
        )
    if not isinstance(parameter.whole, bool):
        raise InputError(where, f"{key}.whole", parameter.whole, "True or False")


def _is_number(value: object) -> bool:
    """Whether a double of C can be made of it."""
    try:
        return not isinstance(value, bool) and isinstance(value, Real) and float(value) == value
    except OverflowError:
        return False


def _source_hash(cls: type) -> str:
    """The hash of the file in which a class stands; in a notebook, of its methods' source and its other attributes."""
    module = inspect.getmodule(cls)
    path = getattr(module, "__file__", None)
    if path is not None and Path(path).is_file():
        return sha256(Path(path).read_bytes()).hexdigest()
    parts: list[str] = []
    for name, value in sorted(vars(cls).items()):
        if inspect.isfunction(value):
            parts.append(_source_of(cls, name, value))
        elif not name.startswith("__"):
            parts.append(f"{name} = {value!r}")
    return sha256("\n".join(parts).encode()).hexdigest()


def _source_of(cls: type, name: str, method: Any) -> str:
    try:
        return inspect.getsource(method)
    except OSError:
        accepted = (
            "a class whose source can be read, which makes the identity of its runs: put it into a file"
        )
        raise InputError(f"controller {cls.__name__}", name, MISSING, accepted) from None
