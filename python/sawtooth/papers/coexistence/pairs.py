"""The pairs of senders, the routers at which they meet, and the scenario of each meeting.

Source: none; ``setup.toml`` says of each number why it is taken. A meeting has two flows, one of each sender. A sender also meets its own
kind, which says what a fair competitor leaves it, and is alone, which harm is measured from [WareMukerjee19].
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cache
from itertools import combinations_with_replacement
from typing import Any

from sawtooth.packaged import packaged
from sawtooth.run.run_count import check_seeds


@dataclass(frozen=True)
class Meeting:
    """One flow of each of these senders at a router; one sender stands for a flow that is alone."""

    router: str
    senders: tuple[str, ...]


@dataclass(frozen=True)
class Setup:
    """What is run."""

    title: str
    seeds: int
    quick_seeds: int
    margin: float
    """Harm beyond that of a victim's own kind that matters, of its goodput alone."""
    scenario: Mapping[str, Any]
    quick: Mapping[str, Any]
    senders: Mapping[str, str]
    routers: Mapping[str, Mapping[str, Any]]

    @property
    def meetings(self) -> list[Meeting]:
        """Every pair, every sender with its own kind, and every sender alone, at every router."""
        groups = [*combinations_with_replacement(self.senders, 2), *((sender,) for sender in self.senders)]
        return [Meeting(router, group) for router in self.routers for group in groups]

    @property
    def is_quick(self) -> bool:
        """Whether these are the shorter runs."""
        return all(self.scenario[key] == value for key, value in self.quick.items())

    def shortened(self) -> Setup:
        """The same meetings with fewer seeds and shorter runs."""
        return replace(self, scenario={**self.scenario, **self.quick}, seeds=self.quick_seeds)

    def seeded(self, seeds: int) -> Setup:
        """With so many seeds. InputError for none, or too many."""
        check_seeds("reproduce", seeds, len(self.meetings))
        return replace(self, seeds=seeds)

    def among(self, senders: tuple[str, ...], routers: tuple[str, ...]) -> Setup:
        """The part of it that is about these senders and routers."""
        return replace(
            self,
            senders={name: self.senders[name] for name in senders},
            routers={name: self.routers[name] for name in routers},
        )

    def scenario_of(self, meeting: Meeting) -> dict[str, Any]:
        """The scenario of a meeting."""
        bottleneck = {**self.scenario["bottleneck"], **self.routers[meeting.router]}
        return {
            **self.scenario,
            "bottleneck": bottleneck,
            "flows": [self._flow(name) for name in meeting.senders],
        }

    def _flow(self, sender: str) -> dict[str, Any]:
        recovery = self.senders[sender]
        flow = {"control": sender, "start": "uniform 0..1 s"}
        return {**flow, "recovery": recovery} if recovery else flow


@cache
def setup() -> Setup:
    """The set-up of the file."""
    path = packaged("papers", "coexistence") / "setup.toml"
    return Setup(**tomllib.loads(path.read_text(encoding="utf-8")))
