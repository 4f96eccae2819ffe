"""`python -m bench gate`: instructions per forwarded packet against the committed baseline, so that noise cannot fail it.

`sawtooth-instructions` runs fixed scenarios under callgrind, which counts the engine's instructions and nothing else. A scenario that
takes over 3 % more than in `bench/instructions/baseline.json` fails. So does one that exceeds its bound (`BOUNDS`): today's senders may
cost only so many times a classic one, today's disciplines so many times RED or DRR, and an acknowledgement the same whatever the window.
Counts depend on the compiler, so the baseline names it, and what another compiler or target made is shown and not judged.
`--update` writes the baseline: on purpose, with the change that moves it.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from itertools import pairwise
from pathlib import Path

from bench.subjects.frame import ROOT, cargo_built, told

BASELINE = ROOT / "bench" / "instructions" / "baseline.json"
PACKAGE = "sawtooth-instructions"
COUNTED = "*counted_run*"
TOLERANCE = 0.03
WIDTH = 17
REFRESH = "python -m bench gate --update"


@dataclass(frozen=True)
class Bound:
    """A packet of `scenario` takes at most so many times the instructions of one of `reference`."""

    scenario: str
    reference: str
    times: float


TIMES_RED = 1.3
TIMES_DRR = 1.5
"""How many times the cost of RED a discipline may have, and of DRR one that chooses which queue is served."""

TIMES_WINDOW = 1.25
"""How many times what it costs at a window an acknowledgement may cost at one ten times as large. If it looked at every packet of the
window, it would cost several times as much. At 10 packets not every round trip has a repair, so it is some 20 % cheaper than at 100."""
WINDOWS = (10, 100, 1_000, 10_000)

SENDERS = (Bound("cubic", "ten", 2.0), Bound("bbr", "ten", 2.5))
"""Today's senders beside SACK AIMD(1, 0.5)."""
BOUNDS = (
    *SENDERS,
    Bound("queue/codel", "queue/red", TIMES_RED),
    Bound("queue/pie", "queue/red", TIMES_RED),
    Bound("queue/fq-codel", "queue/drr", TIMES_DRR),
    Bound("queue/dualpi2", "queue/drr", TIMES_DRR),
    *(
        Bound(f"window/{recovery}/{larger}", f"window/{recovery}/{window}", TIMES_WINDOW)
        for recovery in ("sack", "rack")
        for window, larger in pairwise(WINDOWS)
    ),
)


@dataclass(frozen=True)
class Counts:
    """Who counted, and per scenario the packets that the bottleneck forwarded and the instructions of the whole run."""

    rustc: str
    target: str
    valgrind: str
    forwarded: Mapping[str, int]
    instructions: Mapping[str, int]

    def per_packet(self, name: str) -> float:
        """Instructions per forwarded packet."""
        return self.instructions[name] / self.forwarded[name]

    @classmethod
    def parse(cls, text: str) -> Counts:
        """What `text` wrote."""
        return cls(**json.loads(text))

    def text(self) -> str:
        """The file of the baseline."""
        return json.dumps(asdict(self), indent=2) + "\n"


@dataclass(frozen=True)
class GateResult:
    """`state` is passed, failed or not judged; `lines` say why, a line per scenario and one per bound."""

    state: str
    lines: tuple[str, ...]


def exceeded(found: Counts, bounds: Sequence[Bound]) -> tuple[list[str], bool]:
    """A line for each bound, and whether any of them is exceeded. A scenario that is missing is told of elsewhere."""
    lines: list[str] = []
    failed = False
    for bound in bounds:
        if not {bound.scenario, bound.reference} <= found.instructions.keys():
            continue
        times = found.per_packet(bound.scenario) / found.per_packet(bound.reference)
        failed |= times > bound.times
        remark = ": more than allowed" if times > bound.times else ""
        lines.append(
            f"{bound.scenario:{WIDTH}} {times:.3f} times {bound.reference}, at most {bound.times:g} allowed{remark}"
        )
    return lines, failed


def judge(
    baseline: Counts, found: Counts, tolerance: float = TOLERANCE, bounds: Sequence[Bound] = BOUNDS
) -> GateResult:
    """Compare per packet: more than `tolerance` above the baseline fails, as do a scenario that only one side has and a bound exceeded."""
    lines: list[str] = []
    failed = False
    for name in sorted(baseline.instructions.keys() | found.instructions.keys()):
        if name not in baseline.instructions or name not in found.instructions:
            side = "the baseline" if name in baseline.instructions else "this engine's program"
            lines.append(f"{name:{WIDTH}} only {side} has it: {REFRESH}")
            failed = True
            continue
        before, now = baseline.per_packet(name), found.per_packet(name)
        change = now / before - 1
        worse = now > before * (1 + tolerance)
        failed |= worse
        remark = f"more than {tolerance:.0%} worse" if worse else ""
        if change < -tolerance:
            remark = f"better; hold it with {REFRESH}"
        if baseline.forwarded[name] != found.forwarded[name]:
            remark += f" (forwards {found.forwarded[name]} packets, {baseline.forwarded[name]} before)"
        lines.append(
            f"{name:{WIDTH}} {now:9.1f} instructions per packet, {before:9.1f} before: {change:+.2%} {remark}".rstrip()
        )
    of_bounds, too_much = exceeded(found, bounds)
    lines += of_bounds
    failed |= too_much
    for what, before_it, now_it in (
        ("compiler", baseline.rustc, found.rustc),
        ("target", baseline.target, found.target),
    ):
        if before_it != now_it:
            lines.append(f"not judged: the {what} is {now_it}, that of the baseline {before_it}")
            return GateResult("not judged", tuple(lines))
    return GateResult("failed" if failed else "passed", tuple(lines))


def count() -> Counts:
    """Run every scenario under callgrind. RuntimeError if something fails."""
    program = cargo_built(PACKAGE)
    names = output_of([program]).split()
    forwarded, instructions = {}, {}
    for name in names:
        output, instructions[name] = counted(program, name)
        forwarded[name] = int(told(output)["forwarded"])
    verbose = dict(line.split(": ", 1) for line in output_of(["rustc", "-vV"]).splitlines() if ": " in line)
    rustc = output_of(["rustc", "--version"]).strip()
    return Counts(
        rustc, verbose["host"], output_of(["valgrind", "--version"]).strip(), forwarded, instructions
    )


def counted(program: str, name: str) -> tuple[str, int]:
    """What a scenario of the program printed, and its instructions. RuntimeError if nothing was counted."""
    done = subprocess.run(
        ["valgrind", "--tool=callgrind", f"--toggle-collect={COUNTED}", "--callgrind-out-file=/dev/null", program, name],
        capture_output=True,
        text=True,
        check=False,
        env={"PATH": os.environ.get("PATH", "")},
    )  # fmt: skip
    collected = re.search(r"Collected : (\d+)", done.stderr)
    if done.returncode != 0 or collected is None or int(collected[1]) == 0:
        raise RuntimeError(f"callgrind counted nothing in {name}: {done.stderr[-500:]}")
    return done.stdout, int(collected[1])


def output_of(command: list[str]) -> str:
    """What a command printed. RuntimeError if it fails."""
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise RuntimeError(f"{command[0]} failed: {done.stderr[-500:]}")
    return done.stdout


def could_be_installed() -> bool:
    """Whether valgrind is missing although one command would bring it."""
    if not hasattr(os, "geteuid") or os.geteuid() != 0 or shutil.which("apt-get") is None:
        return False
    fetched = ["apt-get", "install", "--download-only", "-y", "-qq", "valgrind"]
    return subprocess.run(fetched, capture_output=True, check=False).returncode == 0


def main(words: list[str]) -> int:
    """Count and judge, or write the baseline."""
    parser = argparse.ArgumentParser(prog="python -m bench gate", description=__doc__)
    parser.add_argument("--update", action="store_true", help="write the baseline instead of judging")
    parser.add_argument(
        "--strict", action="store_true", help="fail where valgrind is missing but could be installed"
    )
    parser.add_argument("--baseline", type=Path, default=BASELINE, help="another file than the committed one")
    given = parser.parse_args(words)
    if shutil.which("valgrind") is None:
        print("NOT RUN: the instruction gate needs valgrind (Debian: apt-get install valgrind)")
        return 1 if given.strict and could_be_installed() else 0
    found = count()
    if given.update:
        given.baseline.write_text(found.text(), encoding="utf-8")
        for name in found.instructions:
            print(f"{name:{WIDTH}} {found.per_packet(name):9.1f} instructions per packet")
        print("\n".join(exceeded(found, BOUNDS)[0]))
        print(f"written to {given.baseline}")
        return 0
    if not given.baseline.is_file():
        print(f"there is no baseline {given.baseline}: {REFRESH}", file=sys.stderr)
        return 2
    verdict = judge(Counts.parse(given.baseline.read_text(encoding="utf-8")), found)
    print("\n".join(verdict.lines))
    print(f"instruction gate: {verdict.state}")
    return 1 if verdict.state == "failed" else 0
