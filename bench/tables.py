"""What exists, from the engine's own tables: whatever joins them later is measured without a change here."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any


def controllers() -> dict[str, str]:
    """Every controller, by name, as a call with its defaults, or with a middling value where a parameter has none."""
    from sawtooth import _native

    return {
        row[
            "name"
        ]: f"{row['name']}({', '.join(f'{_value(parameter):g}' for parameter in row['parameters'])})"
        for row in _native.describe()["controllers"]
    }


def recovery_beside(name: str) -> str | None:
    """The recovery that a controller is measured with: SACK; RACK where it needs records of packets; none beside its own transport."""
    from sawtooth import _native

    row = next(row for row in _native.describe()["controllers"] if row["name"] == name)
    if row["properties"]["own_transport"]:
        return None
    return "rack" if row["properties"]["records"] else "sack"


def _value(parameter: Mapping[str, Any]) -> float:
    """The default; else one half of what a fraction may be; else a little above the least of a factor; else 1."""
    if parameter["default"] is not None:
        return float(parameter["default"])
    least, most = float(parameter["min"]), float(parameter["max"])
    if most <= 1:
        return (least + most) / 2
    return 1.1 if least >= 1 else 1.0


def recoveries() -> list[str]:
    """Every loss recovery."""
    from sawtooth import _native

    return [row["name"] for row in _native.describe()["recoveries"]]


def disciplines() -> dict[str, dict[str, Any]]:
    """Every discipline, by name, as the table of a scenario file: with the study's numbers where it has some, else with defaults."""
    from sawtooth import _native
    from sawtooth.experiment.study_files import load_comparison

    routers = load_comparison().routers
    names = [row["name"] for row in _native.describe()["disciplines"]]
    return {name: dict(routers.get(name, {"kind": name})) for name in names}
