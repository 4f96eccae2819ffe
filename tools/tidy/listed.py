"""Tables of names in Python: an entry that nothing tries is not listed, and a class of a kind stands in its table.

`tables` has the tables of algorithms, whose entries need a source too. Here are those of names (kinds of traffic, topologies, formats,
languages, measures): every entry is named in a test, every class with a `name` is a row, and the tables that must agree do.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from tools.tidy.tables import named_in
from tools.tidy.tree import Finding, Tree, nodes

PACKAGE = "python/sawtooth/"
# Tables whose entries are keys of a mapping or strings of a tuple: (name of the table, file)
NAMES = (
    ("DRIVES", "scenario/drives.py"),
    ("RULES", "scenario/cross_flows.py"),
    ("SETS", "scenario/environments/sets.py"),
    ("FUNCTIONS", "measure/measures.py"),
    ("FORMATS", "documents.py"),
    ("FORMATS", "report/figure_file.py"),
    ("FORMATS", "run/export.py"),
    ("LANGUAGES", "plugins/project.py"),
    ("SHAPES", "experiment/search/space.py"),
)
# Tables whose entries are classes with a `name`: (name of the table, file of table and classes)
CLASSES = (
    ("SHAPES", "scenario/shapes.py"),
    ("TRAFFIC", "scenario/traffic_fields.py"),
)
# Tables keyed by the classes of another: (name of the table, its file, name of the other, its file)
KEYED = (("TOPOLOGIES", "scenario/topology/__init__.py", "SHAPES", "scenario/shapes.py"),)


def rows(tree: Tree) -> Iterator[Finding]:
    """Entries that no test names, classes without a row, and rows that one of two tables lacks."""
    for table, file in NAMES:
        for path, value in _tables(tree, table, file):
            for entry in _entries(value):
                if isinstance(entry, ast.Constant):
                    yield from _untested(tree, table, path, str(entry.value), entry.lineno)
    for table, file in CLASSES:
        for path, value in _tables(tree, table, file):
            listed = {entry.id for entry in _entries(value) if isinstance(entry, ast.Name)}
            for owner, name, line in _named_classes(tree.module(path)):
                yield from _untested(tree, table, path, name, line)
                if owner not in listed:
                    yield Finding(
                        path,
                        line,
                        f"`{owner}` stands in no row of {table}: add its line, or remove the class",
                    )
    for table, file, other, others_file in KEYED:
        wanted = {
            entry.id
            for _, value in _tables(tree, other, others_file)
            for entry in _entries(value)
            if isinstance(entry, ast.Name)
        }
        for path, value in _tables(tree, table, file):
            found = {entry.id for entry in _entries(value) if isinstance(entry, ast.Name)}
            for name in sorted(wanted ^ found):
                lacking, has = (table, other) if name in wanted else (other, table)
                yield Finding(
                    path, value.lineno, f"`{name}` stands in {has} and not in {lacking}: add its line"
                )


def _untested(tree: Tree, table: str, path: str, name: str, line: int) -> Iterator[Finding]:
    if not named_in(name, tree.tests):
        yield Finding(path, line, f"{table} row `{name}` stands in no test: add one that names it")


def _tables(tree: Tree, table: str, file: str) -> Iterator[tuple[str, ast.expr]]:
    """The path of a table and what it is, wherever in the file it is assigned; a finding of its absence is the type checker's."""
    path = f"{PACKAGE}{file}"
    for node in nodes(tree.module(path)):
        if not isinstance(node, ast.AnnAssign) or node.value is None:
            continue
        if isinstance(node.target, ast.Name) and node.target.id == table:
            yield path, node.value


def _entries(value: ast.expr) -> list[ast.expr]:
    """Keys of a mapping, members of a tuple."""
    if isinstance(value, ast.Dict):
        return [key for key in value.keys if key is not None]
    return value.elts if isinstance(value, ast.Tuple) else []


def _named_classes(module: ast.Module) -> Iterator[tuple[str, str, int]]:
    """(class, its `name`, line) of the classes that say one."""
    for owner in (node for node in module.body if isinstance(node, ast.ClassDef)):
        for statement in owner.body:
            if not isinstance(statement, ast.AnnAssign) or not isinstance(statement.value, ast.Constant):
                continue
            if (
                isinstance(statement.target, ast.Name)
                and statement.target.id == "name"
                and statement.value.value
            ):
                yield owner.name, str(statement.value.value), statement.lineno
