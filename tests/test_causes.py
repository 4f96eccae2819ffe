"""The rules of stacks/causes.toml are for the crates that are pinned, short, and named by the page; what does not fit says so."""

from __future__ import annotations

import re
import tomllib
from dataclasses import fields
from pathlib import Path

import pytest
from validation.causes import rules
from validation.changed import CAUSES, STACKS, ChangeError, Edit, Rule, Stack, changed_files, known, stacks
from validation.stacks import PAGE

FOUND_LINES, PUT_LINES = 3, 9
"""How long a fragment of a stack may be, and what takes its place."""


def test_the_data_is_for_crates_that_are_pinned_and_locked() -> None:
    pinned = tomllib.loads((STACKS / "Cargo.toml").read_text(encoding="utf-8"))["workspace"]["dependencies"]
    packages = tomllib.loads((STACKS / "Cargo.lock").read_text(encoding="utf-8"))["package"]
    locked = {package["name"]: package["version"] for package in packages}
    for stack in known():
        assert pinned[stack.crate]["version"] == f"={locked[stack.crate]}"
        plugin = tomllib.loads((STACKS / stack.name / "Cargo.toml").read_text(encoding="utf-8"))
        assert plugin["package"]["metadata"]["stack"] == stack.crate


def test_rules_are_complete_and_have_names_of_their_own() -> None:
    for stack in known():
        assert all(getattr(stack, field.name) for field in fields(Stack) if field.name != "beside")
        assert stack.shows in ("throughput", "delay")
        names = [rule.name for rule in stack.rule]
        assert len(set(names)) == len(names)
        for rule in stack.rule:
            assert all(getattr(rule, field.name) for field in fields(Rule)), rule
            assert re.fullmatch("[a-z]+", rule.name), rule
            assert "§" in rule.text, rule


def test_no_more_of_a_stack_is_kept_than_a_few_lines() -> None:
    for stack in known():
        for rule in stack.rule:
            for edit in rule.edit:
                assert edit.file.startswith("src/"), rule
                assert 0 < len(edit.find.splitlines()) <= FOUND_LINES, edit
                assert len(edit.replace.splitlines()) <= PUT_LINES, edit
                assert edit.find != edit.replace, edit


def test_the_page_has_these_rules() -> None:
    page = PAGE.read_text(encoding="utf-8")
    assert rules(known()) in page
    for stack in known():
        for control in (stack.written(), *map(stack.written, stack.rule), stack.ours, *stack.beside):
            assert f"| 1 | `{control}` |" in page, control


@pytest.mark.parametrize(("text", "times"), [("a rule", 0), ("old rule, old rule", 2)])
def test_a_fragment_that_does_not_stand_there_once_is_refused(text: str, times: int) -> None:
    with pytest.raises(ChangeError, match=f"crate 1: src/a.rs: .* it stands there {times} times:\nold rule"):
        Edit("src/a.rs", "old rule", "new rule").applied(text, "crate 1")


def test_rules_come_on_top_of_each_other(tmp_path: Path) -> None:
    written = """
[[stack]]
name = "s"
crate = "c"
control = "law"
ours = "bbr"
beside = []
shows = "delay"
rule = [
  { name = "one", says = "…", text = "§1", edit = [{ file = "src/a.rs", find = "first", replace = "once" }] },
  { name = "two", says = "…", text = "§2", edit = [{ file = "src/a.rs", find = "second", replace = "twice" }] },
]
"""
    (stack,) = stacks(written)
    source = tmp_path / "c-1"
    (source / "src").mkdir(parents=True)
    (source / "src" / "a.rs").write_text("first, second", encoding="utf-8")
    one, two = stack.rule
    assert (stack.written(), stack.written(two)) == ("s(law)", "s(law-two)")
    assert changed_files(stack, one, source) == {"src/a.rs": "once, second"}
    assert changed_files(stack, two, source) == {"src/a.rs": "once, twice"}
    (source / "src" / "a.rs").write_text("first", encoding="utf-8")
    with pytest.raises(ChangeError, match=rf"{CAUSES.name}: s, rule two: c-1: src/a.rs"):
        changed_files(stack, two, source)
