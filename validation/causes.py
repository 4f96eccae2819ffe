"""`python -m validation.causes`: builds the stacks with the rules of stacks/causes.toml, and fills the tables of docs/stacks.md that show
what each rule does. With `--check` it fills nothing: it fails where the rules of a stack leave more than a fifth of its difference.

The networks, the seeds and what is measured are those of `validation.stacks`.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator, Sequence
from typing import Final

from sawtooth.report.markdown import fill
from sawtooth.run.used import watching
from validation.changed import ChangeError, Stack, built, known
from validation.page import markdown
from validation.stacks import (
    BUFFERS,
    FLOWS,
    LIBRARIES,
    PAGE,
    QUEUE,
    THROUGHPUT,
    Values,
    difference,
    judged,
    load,
    measure,
    measured,
    share,
    shown,
)

_SHOWN: Final = (("throughput", 1), ("delay", 1), ("loss", 2))
"""Of each network, with how many decimals."""
LEFT: Final = 0.2
"""What `--check` lets the rules leave of a difference, in one network."""
CHECKED: Final = (1, 1)
"""Flows and buffer of that network."""
BESIDE: Final = "cubic"
SHARED: Final = "quinn"
"""The stack whose share beside ours is shown, as it is and with its rules."""


def _controls(stack: Stack) -> list[str]:
    """What to look at: the stack as it is and with each rule, then ours."""
    return [stack.written(), *(stack.written(rule) for rule in stack.rule), stack.ours, *stack.beside]


def rules(stacks: Sequence[Stack]) -> str:
    """What each rule changes, and which text asks for it."""
    rows = []
    for stack in stacks:
        for rule in stack.rule:
            files = sorted({edit.file.removeprefix("src/") for edit in rule.edit})
            named = ", ".join(f"`{file}`" for file in files)
            rows.append([f"`{stack.written(rule)}`", rule.says, named, rule.text])
    return markdown(
        ["written", "what it does, on top of the rules above it", "changed in", "asked for by"], rows
    )


def table(stack: Stack) -> str:
    """What each rule of a stack does in every network."""
    rows = []
    for flows in FLOWS:
        for control in _controls(stack):
            found = [measured(control, flows, buffer) for buffer in BUFFERS]
            texts = [shown(one[name], places) for name, places in _SHOWN for one in found]
            rows.append([str(flows), f"`{control}`", *texts])
    heads = [
        f"{head} {buffer:g}"
        for head in ("throughput %, buffer", "queue ms,", "loss %,")
        for buffer in BUFFERS
    ]
    return markdown(["flows", "controller", *heads], rows)


def left(stacks: Sequence[Stack]) -> str:
    """By how much each stack differs from ours as it is, and with all its rules; bold where that is beyond what is allowed."""
    rows = []
    for stack in stacks:
        changed = stack.written(stack.rule[-1])
        for flows in FLOWS:
            for buffer in BUFFERS:
                texts: list[str] = []
                for name, allowed in (("throughput", THROUGHPUT), ("delay", QUEUE)):
                    for control in (stack.written(), changed):
                        texts.append(judged(difference(control, stack.ours, name, flows, buffer), allowed))
                rows.append([f"`{stack.written()}`", f"`{stack.ours}`", str(flows), f"{buffer:g}", *texts])
    heads = [
        f"{head}, {when}" for head in ("throughput %", "mean queue %") for when in ("as it is", "changed")
    ]
    return markdown(["stack", "ours", "flows", "buffer", *heads], rows)


def shared(stack: Stack) -> str:
    """What two flows of a stack get beside two of our CUBIC, as it is and with all its rules, and what ours get there."""
    rows = []
    for control in (stack.written(), stack.written(stack.rule[-1]), stack.ours):
        rows.append([f"`{control}`", *(shown(share(BESIDE, control, buffer), 0) for buffer in BUFFERS)])
    return markdown([f"beside `{BESIDE}`", *(f"share %, buffer {buffer:g}" for buffer in BUFFERS)], rows)


def blocks(stacks: Sequence[Stack]) -> dict[str, str]:
    """The tables by the names of their blocks."""
    alone = [
        (control, flows, buffer)
        for stack in stacks
        for control in _controls(stack)
        for flows in FLOWS
        for buffer in BUFFERS
    ]
    one = next(stack for stack in stacks if stack.name == SHARED)
    together = [
        (BESIDE, control, buffer)
        for control in (one.written(), one.written(one.rule[-1]), one.ours)
        for buffer in BUFFERS
    ]
    measure([(measured, cell, {}) for cell in alone] + [(share, cell, {}) for cell in together])
    return {
        "causes": left(stacks),
        "rules": rules(stacks),
        **{f"rules of {stack.name}": table(stack) for stack in stacks},
        f"shares of {one.name}": shared(one),
    }


def unexplained(stacks: Sequence[Stack]) -> Iterator[str]:
    """Where the rules of a stack leave more of what they are to mend than a fifth, in one network."""

    def mean(values: Values) -> float:
        return abs(float(values.mean()))

    for stack in stacks:
        before, after = (
            mean(difference(control, stack.ours, stack.shows, *CHECKED))
            for control in (stack.written(), stack.written(stack.rule[-1]))
        )
        if after > LEFT * before:
            yield f"{stack.written()}: {stack.shows} differs from ours by {before:.1f} %, and with the rules by {after:.1f} %"


def main() -> int:
    """0 when the page is filled, or, with --check, when the rules explain the differences."""
    parser = argparse.ArgumentParser(prog="python -m validation.causes", description=__doc__)
    parser.add_argument(
        "--check", action="store_true", help="fill nothing; see whether the rules explain the differences"
    )
    check = parser.parse_args().check
    stacks = known()
    try:
        libraries = built(stacks)
    except ChangeError as error:
        sys.stderr.write(f"{error}\n")
        return 1
    if not load([*LIBRARIES, *libraries]):
        return 2
    if check:
        found = list(unexplained(stacks))
        sys.stderr.writelines(f"{line}\n" for line in found)
        return 1 if found else 0
    with watching():
        fill(PAGE, blocks(stacks), True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
