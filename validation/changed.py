"""Copies of real stacks with rules changed: what stacks/causes.toml says, applied to the pinned crates and built as plug-ins.

`built` gives the libraries. The crate comes from cargo's registry, the copy and the build are in stacks/target/causes, and cargo takes the
copy in place of the crate (`paths` in its configuration), so Cargo.lock stays as it is.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Any, Final

ROOT: Final = Path(__file__).resolve().parents[1]
STACKS: Final = ROOT / "stacks"
CAUSES: Final = STACKS / "causes.toml"
PLACE: Final = STACKS / "target" / "causes"
DIGITS: Final = 12


class ChangeError(Exception):
    """The data does not fit the crates that are pinned."""


@dataclass(frozen=True)
class Edit:
    """A fragment of a file of the crate, and what takes its place."""

    file: str
    find: str
    replace: str

    def applied(self, text: str, where: str) -> str:
        """The text of the file with the fragment replaced. ChangeError unless it stands there once."""
        count = text.count(self.find)
        if count != 1:
            raise ChangeError(
                f"{where}: {self.file}: expected this fragment once, it stands there {count} times:\n{self.find}"
            )
        return text.replace(self.find, self.replace)


@dataclass(frozen=True)
class Rule:
    """One rule: its name, what it says, the text that asks for it, and how the code comes to follow it."""

    name: str
    says: str
    text: str
    edit: tuple[Edit, ...]


@dataclass(frozen=True)
class Stack:
    """A stack: its crate, its controller, ours of the same law, further ones of ours to look at beside it, and its rules in their order."""

    name: str
    crate: str
    control: str
    ours: str
    beside: tuple[str, ...]
    shows: str
    """What the rules are to mend first: throughput or delay."""
    rule: tuple[Rule, ...]

    def written(self, rule: Rule | None = None) -> str:
        """The controller as one writes it: as it is, or with this rule and those before it."""
        change = "" if rule is None else f"-{rule.name}"
        return f"{self.name}({self.control}{change})"

    def edits(self, rule: Rule) -> Iterator[tuple[Rule, Edit]]:
        """Those of this rule and of those before it."""
        for own in self.rule[: self.rule.index(rule) + 1]:
            for edit in own.edit:
                yield own, edit

    def library(self, rule: Rule) -> Path:
        """Where its plug-in lies."""
        return PLACE / f"lib{self.name}-{rule.name}.so"


def stacks(text: str) -> tuple[Stack, ...]:
    """What the file of causes says. TypeError names a key that lacks or is unknown."""

    def rule(table: Mapping[str, Any]) -> Rule:
        return Rule(**{**table, "edit": tuple(Edit(**edit) for edit in table["edit"])})

    def stack(table: Mapping[str, Any]) -> Stack:
        rules = tuple(rule(own) for own in table["rule"])
        return Stack(**{**table, "beside": tuple(table["beside"]), "rule": rules})

    return tuple(stack(table) for table in tomllib.loads(text)["stack"])


def known() -> tuple[Stack, ...]:
    """The stacks of stacks/causes.toml."""
    return stacks(CAUSES.read_text(encoding="utf-8"))


def _cargo(*arguments: str, **environment: str) -> str:
    """What cargo prints, run where it finds stacks/.cargo. ChangeError with what it complains of."""
    # RUSTFLAGS would replace what stacks/.cargo/config.toml says.
    surrounding = {name: value for name, value in os.environ.items() if name != "RUSTFLAGS"}
    done = subprocess.run(
        ["cargo", *arguments],
        cwd=STACKS,
        env={**surrounding, **environment},
        capture_output=True,
        encoding="utf-8",
    )
    if done.returncode:
        raise ChangeError(f"cargo {' '.join(arguments)}:\n{done.stderr}")
    return done.stdout


def sources() -> Mapping[str, Path]:
    """By crate, where cargo keeps the source of the version that is locked, a folder named after both."""
    host = next(
        line.removeprefix("host: ")
        for line in subprocess.check_output(["rustc", "-vV"], encoding="utf-8").splitlines()
        if line.startswith("host: ")
    )
    told = _cargo("metadata", "--format-version", "1", "--locked", "--filter-platform", host)
    packages = json.loads(told)["packages"]
    return {own["name"]: Path(own["manifest_path"]).parent for own in packages}


def changed_files(stack: Stack, rule: Rule, source: Path) -> dict[str, str]:
    """The files of the crate that this rule and those before it change, as they are then. ChangeError where a fragment is not there."""
    files: dict[str, str] = {}
    for own, edit in stack.edits(rule):
        text = files.get(edit.file)
        if text is None:
            text = (source / edit.file).read_text(encoding="utf-8")
        where = f"{CAUSES.relative_to(ROOT)}: {stack.name}, rule {own.name}: {source.name}"
        files[edit.file] = edit.applied(text, where)
    return files


def _copied(stack: Stack, rule: Rule, source: Path) -> Path:
    """A copy of the crate with the rules, named after what is in them: one that is there stays, so that cargo has nothing to do."""
    files = changed_files(stack, rule, source)
    digest = sha256(json.dumps(files, sort_keys=True).encode()).hexdigest()[:DIGITS]
    copy = PLACE / "sources" / f"{source.name}-{rule.name}-{digest}"
    if not copy.exists():
        fresh = copy.with_name("new")
        shutil.rmtree(fresh, ignore_errors=True)
        shutil.copytree(source, fresh)
        for name, text in files.items():
            (fresh / name).write_text(text, encoding="utf-8")
        fresh.rename(copy)
    return copy


def _build(stack: Stack, rule: Rule, source: Path) -> None:
    copy = _copied(stack, rule, source)
    _cargo(
        *("build", "--release", "--locked", "--package", f"sawtooth-stack-{stack.name}"),
        *("--config", f"paths = [{json.dumps(str(copy))}]", "--target-dir", str(PLACE / "target")),
        SAWTOOTH_CHANGE=rule.name,
    )
    fresh = stack.library(rule).with_suffix(".new")
    shutil.copyfile(PLACE / "target" / "release" / f"lib{stack.name}.so", fresh)
    fresh.rename(stack.library(rule))


def built(chosen: Sequence[Stack]) -> list[Path]:
    """The libraries of all rules of these stacks. ChangeError, before anything is built, where a crate does not have the code of a rule."""
    there = sources()
    for stack in chosen:
        changed_files(stack, stack.rule[-1], there[stack.crate])
    for stack in chosen:
        for rule in stack.rule:
            _build(stack, rule, there[stack.crate])
    return [stack.library(rule) for stack in chosen for rule in stack.rule]
