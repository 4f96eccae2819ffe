"""The texts under the attributes of a class, read from its source when somebody asks.

They say what each key of an input file is: in errors, in the JSON Schema, in lists. Models that read them while they are made would make
every command start a fifth of a second later.

Source: the convention of PEP 257, a string alone after an assignment documents it.
"""

from __future__ import annotations

import ast
import inspect
import sys
from collections.abc import Mapping
from functools import cache


@cache
def attribute_docs(cls: type) -> Mapping[str, str]:
    """By attribute, its text; those of a base class where the class itself has none. Empty for a class without source."""
    found: dict[str, str] = {}
    for base in reversed(cls.__mro__):
        found.update(_in_module(base.__module__).get(base.__qualname__, {}))
    return found


@cache
def _in_module(name: str) -> Mapping[str, Mapping[str, str]]:
    """By class at the top of a module, the texts of its attributes."""
    try:
        tree = ast.parse(inspect.getsource(sys.modules[name]))
    except (OSError, TypeError, KeyError):
        return {}
    return {node.name: _of_class(node) for node in tree.body if isinstance(node, ast.ClassDef)}


def _of_class(node: ast.ClassDef) -> Mapping[str, str]:
    found = {}
    for entry, text in zip(node.body, node.body[1:], strict=False):
        if (
            isinstance(entry, ast.AnnAssign)
            and isinstance(entry.target, ast.Name)
            and isinstance(text, ast.Expr)
            and isinstance(text.value, ast.Constant)
            and isinstance(text.value.value, str)
        ):
            found[entry.target.id] = inspect.cleandoc(text.value.value)
    return found
