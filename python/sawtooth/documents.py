"""The JSON documents of Sawtooth: what each is called, and the JSON Schema that says what its keys mean.

A document says what it is by its key `format`: `sawtooth/<kind>/<version>`. Its schema is `data/schemas/<kind>.json`, the one source
of what a page or `sawtooth schema` says of it; what several share stands in `shared.json`. A version is raised when a key goes, or means
another thing; a new key leaves it as it is.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from importlib.resources import files
from typing import Any, Final

FORMATS: Final[Mapping[str, int]] = {
    "run": 1,
    "comparison": 1,
    "sweep": 1,
    "reproduction": 1,
    "confirmation": 1,
    "mathematics": 1,
    "overlay": 1,
    "sliding-window": 1,
    "bbr-draft": 1,
    "coexistence": 1,
    "configurations": 1,
    "ablation": 1,
    "sensitivity": 1,
    "reconstruction": 2,
    "crossing": 1,
    "environment": 1,
    "environment-search": 1,
    "trace": 1,
    "model-response": 1,
    "model-drop-rate": 1,
    "model-compatible": 1,
    "model-smoothness": 1,
    "model-converge": 1,
    "model-fairness": 1,
    "stored-runs": 1,
    "stored-run": 1,
    "removed-runs": 1,
    "shard": 1,
    "verified-store": 1,
    "merged-store": 1,
    "collected-store": 1,
    "export": 1,
    "replay": 1,
    "examples": 1,
    "new-study": 1,
    "new-controller": 1,
    "controller-check": 1,
    "list": 1,
    "schemas": 1,
    "claims": 1,
    "doctor": 1,
}
"""By kind, the version of its shape."""
SHARED: Final = "shared"
REFERENCE: Final = "$ref"


def format_of(kind: str) -> str:
    """What the key `format` of a document says."""
    return f"sawtooth/{kind}/{FORMATS[kind]}"


def document(kind: str, keys: Mapping[str, Any]) -> dict[str, Any]:
    """A document of this kind with these keys."""
    return {"format": format_of(kind), **keys}


def schema(kind: str) -> dict[str, Any]:
    """The JSON Schema of a kind, whole: what it takes from other files stands under its `$defs`."""
    whole = _read(kind)
    definitions: dict[str, Any] = {}
    _bundle(whole, definitions)
    return {**whole, "$defs": definitions} if definitions else whole


def keys(found: Mapping[str, Any]) -> list[tuple[str, str, str]]:
    """Every key of a schema: its path, its type and what it means. `[]` stands for every entry of a list, `*` for any key."""
    return list(_keys(found, ""))


def _read(name: str) -> dict[str, Any]:
    text = files("sawtooth").joinpath(f"data/schemas/{name}.json").read_text(encoding="utf-8")
    found: dict[str, Any] = json.loads(text)
    return found


def _bundle(node: Any, definitions: dict[str, Any]) -> None:
    """Points every reference below `node` to `definitions`, and puts there what it is to."""
    if isinstance(node, list):
        for entry in node:
            _bundle(entry, definitions)
    elif isinstance(node, dict):
        for entry in node.values():
            _bundle(entry, definitions)
        if REFERENCE in node:
            file, _, place = node[REFERENCE].partition("#")
            name = place.rpartition("/")[2] or file.removesuffix(".json")
            node[REFERENCE] = f"#/$defs/{name}"
            if name not in definitions:
                found = _read(SHARED)["$defs"][name] if place else _read(name)
                definitions[name] = {key: value for key, value in found.items() if not key.startswith("$")}
                _bundle(definitions[name], definitions)


def _keys(node: Mapping[str, Any], path: str) -> Iterator[tuple[str, str, str]]:
    for name, entry in node.get("properties", {}).items():
        here = f"{path}.{name}" if path else name
        yield here, type_of(entry), entry.get("description", "")
        yield from _keys(*_inner(entry, here))


def _inner(entry: Mapping[str, Any], path: str) -> tuple[Mapping[str, Any], str]:
    """What is inside a list or a table of any keys, and the path to it."""
    while True:
        if "items" in entry:
            entry, path = entry["items"], f"{path}[]"
        elif isinstance(entry.get("additionalProperties"), dict):
            entry, path = entry["additionalProperties"], f"{path}.*"
        else:
            return entry, path


def type_of(entry: Mapping[str, Any]) -> str:
    """The type of a value in words: `number or null`, `list of string`, `table of number`, `finding`."""
    if REFERENCE in entry:
        return str(entry[REFERENCE]).rpartition("/")[2]
    if "anyOf" in entry:
        return " or ".join(type_of(each) for each in entry["anyOf"])
    if "const" in entry:
        return f'"{entry["const"]}"'
    if "enum" in entry:
        return " or ".join("null" if value is None else f'"{value}"' for value in entry["enum"])
    kinds = entry.get("type", "any")
    if kinds == "array" and "items" in entry:
        return f"list of {type_of(entry['items'])}"
    if kinds == "object" and isinstance(entry.get("additionalProperties"), dict):
        return f"table of {type_of(entry['additionalProperties'])}"
    return " or ".join([kinds] if isinstance(kinds, str) else kinds)


__all__ = ["FORMATS", "document", "format_of", "keys", "schema", "type_of"]
