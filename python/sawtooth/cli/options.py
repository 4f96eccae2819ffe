"""Options that belong together are declared once, as a dataclass: a command that takes `runs: Runs` has every option of `Runs`.

@unfolded
def command(scenario: ScenarioArgument, runs: Runs, as_json: JsonOption = False) -> None: ...
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import MISSING, fields, is_dataclass
from functools import wraps
from inspect import Parameter, Signature, signature
from typing import Any, get_type_hints


def unfolded(function: Callable[..., None]) -> Callable[..., None]:
    """The function as the command line takes it, with the fields of a dataclass in the place of each parameter of such a type."""
    hints = get_type_hints(function, include_extras=True)
    groups: dict[str, Any] = {}
    parameters: list[Parameter] = []
    for name, given in signature(function).parameters.items():
        kind = hints[name]
        if is_dataclass(kind):
            groups[name] = kind
            parameters += _fields(kind)
        else:
            parameters.append(given.replace(annotation=kind, kind=Parameter.KEYWORD_ONLY))

    @wraps(function)
    def command(**values: Any) -> None:
        for name, kind in groups.items():
            values[name] = kind(**{field.name: values.pop(field.name) for field in fields(kind)})
        function(**values)

    command.__signature__ = Signature(parameters)  # type: ignore[attr-defined]
    command.__annotations__ = {each.name: each.annotation for each in parameters}
    return command


def _fields(kind: Any) -> list[Parameter]:
    """The fields of a dataclass as parameters."""
    hints = get_type_hints(kind, include_extras=True)
    return [
        Parameter(
            field.name,
            Parameter.KEYWORD_ONLY,
            default=Parameter.empty if field.default is MISSING else field.default,
            annotation=hints[field.name],
        )
        for field in fields(kind)
    ]
