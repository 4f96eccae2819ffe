"""Ablation of the second configuration of [Akella02]: one of its values at a time is taken back to that of the first.

The comparison in `perform` gives the first configuration one value of the second at a time, and so finds values that suffice for a verdict
of the second. Here the second loses one value at a time, which finds those that its verdicts need. A verdict *needs* a value if the same
seeds give another verdict, or none, without it. A verdict that needs no single value has several causes: whichever value is taken back, the
others still lead to it.

A value may also hide what others do: then both configurations agree on a claim, and the second without this value does not. All verdicts
come from the figures and the same few seeds, so they may differ from those of all seeds. Source: none.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sawtooth.claims.claim import Claim
from sawtooth.claims.logic import Verdict
from sawtooth.claims.multiplicity import RULE
from sawtooth.documents import format_of
from sawtooth.experiment.exhibit import TextTable
from sawtooth.experiment.reproduction import Reproduction
from sawtooth.experiment.study import Study
from sawtooth.experiment.variation import effective
from sawtooth.papers.akella2002.set_ups.perform import (
    judged_here,
    mean,
    rows_beside,
    run_each,
    runs_behind,
    verdicts,
)
from sawtooth.papers.akella2002.set_ups.plan import ABLATION, PAPER, ablation_plans
from sawtooth.papers.configurations import Configuration, configurations
from sawtooth.papers.further import Request


@dataclass(frozen=True)
class AblatedClaim:
    """A claim, its verdicts under the first configuration, under the second and on the printed tables, and the values of the second
    ``without`` which it has another verdict, each with that verdict."""

    claim: Claim
    first: Verdict
    second: Verdict
    printed: Verdict | None
    without: Mapping[str, Verdict]

    @property
    def turns(self) -> bool:
        """Whether it holds in one configuration and fails in the other."""
        return self.first is not self.second and Verdict.UNDECIDED not in (self.first, self.second)

    @property
    def loosens(self) -> bool:
        """Whether it is decided in one configuration alone."""
        return self.first is not self.second and not self.turns

    @property
    def hidden(self) -> bool:
        """Whether both configurations decide it alike, and the second decides otherwise without some value."""
        if self.first is not self.second or self.first is Verdict.UNDECIDED:
            return False
        return any(verdict is not Verdict.UNDECIDED for verdict in self.without.values())

    def to_json(self) -> dict[str, Any]:
        """Plain data."""
        return {
            "id": self.claim.id,
            "statement": self.claim.statement,
            "first": self.first.value,
            "second": self.second.value,
            "printed_tables": None if self.printed is None else self.printed.value,
            "without": {key: verdict.value for key, verdict in self.without.items()},
        }


@dataclass(frozen=True)
class Ablation:
    """What came out. ``misfits`` are the mean distances from the printed rows by the name of a configuration, and by the key of a value
    that the second goes without. ``runs`` are behind it, of which ``executed`` were simulated now."""

    first: Configuration
    second: Configuration
    keys: Sequence[str]
    """The values that were taken back, one at a time."""
    study: Study
    claims: Sequence[AblatedClaim]
    """Each that both configurations judge, in the order of the paper."""
    misfits: Mapping[str, float]
    order: Request
    runs: int = 0
    executed: int = 0
    wall_s: float = 0.0
    report: Path | None = None

    name: str = ABLATION
    judged: tuple[()] = ()
    """No claim is decided here: the paper's verdicts are those of its studies."""

    @property
    def command(self) -> str:
        """What makes it anew."""
        return self.order.command_of(ABLATION)

    @property
    def turning(self) -> list[AblatedClaim]:
        """The claims that hold in one configuration and fail in the other."""
        return [entry for entry in self.claims if entry.turns]

    @property
    def needy(self) -> list[AblatedClaim]:
        """Those of them whose verdict needs at least one value."""
        return [entry for entry in self.turning if entry.without]

    @property
    def undone(self) -> list[AblatedClaim]:
        """The claims that the first configuration decides and the second leaves open; what their ``without`` has are decisions."""
        return [entry for entry in self.claims if entry.loosens and entry.second is Verdict.UNDECIDED]

    def need(self, key: str) -> list[AblatedClaim]:
        """The claims that turn whose verdict needs this value."""
        return [entry for entry in self.turning if key in entry.without]

    def tables(self) -> list[TextTable]:
        """The claims that turn, for the terminal."""
        heads = ["claim", self.first.name, self.second.name, "another verdict without"]
        rows = [
            [entry.claim.id, entry.first, entry.second, ", ".join(entry.without) or "none"]
            for entry in self.turning
        ]
        return [TextTable("claims that turn", heads, rows)]

    def to_json(self) -> dict[str, Any]:
        """The document of ``--json``."""
        return {
            "format": format_of("ablation"),
            "study": ABLATION,
            "command": self.command,
            "seeds": len(self.study.seeds),
            "duration": str(self.study.value_of("duration")),
            "rule": RULE,
            "configurations": [
                {"name": entry.name, "values": entry.values, "misfit": self.misfits[entry.name]}
                for entry in (self.first, self.second)
            ],
            "values": [
                {
                    "key": key,
                    "value": self.second.values[key],
                    "misfit": self.misfits[key],
                    "needed_by": [entry.claim.id for entry in self.need(key)],
                }
                for key in self.keys
            ],
            "claims": [
                entry.to_json() for entry in self.claims if entry.first is not entry.second or entry.without
            ],
            "runs": self.runs,
            "executed": self.executed,
            "wall_s": self.wall_s,
            "report": None if self.report is None else str(self.report),
        }


def ablate(order: Request) -> Ablation:
    """Run what the store lacks and see which verdicts change."""
    begun = time.monotonic()
    first, second = configurations(PAPER)
    results = run_each(order, ablation_plans(order))
    keys = [name for name in results if name not in (first.name, second.name)]
    return Ablation(
        first,
        second,
        keys,
        results[first.name].parts[0].study,
        list(ablated(results[first.name], results[second.name], {key: results[key] for key in keys})),
        {name: misfit_of(result) for name, result in results.items()},
        order,
        runs=runs_behind(results.values()),
        executed=sum(result.executed for result in results.values()),
        wall_s=time.monotonic() - begun,
    )


def ablated(
    first: Reproduction, second: Reproduction, without: Mapping[str, Reproduction]
) -> Iterator[AblatedClaim]:
    """Each claim that both judge, with the verdicts of the second ``without`` a value where these are others."""
    after, other = verdicts(second), {key: verdicts(result) for key, result in without.items()}
    for item in judged_here(first):
        name = item.claim.id
        if name not in after:
            continue
        changed = {
            key: each[name] for key, each in other.items() if each.get(name, after[name]) is not after[name]
        }
        yield AblatedClaim(item.claim, effective(item), after[name], item.printed, changed)


def misfit_of(result: Reproduction) -> float:
    """Mean misfit over the printed rows of the figures."""
    return mean(row.misfit(ours) for row, ours in rows_beside(result))
