"""What a paper brings: studies, claims with their checks, printed numbers, derived figures, additions to pages, and what else of it can be
reproduced.

Source: none. Each folder here has its ``PAPER``; ``PAPERS`` lists them in order. What is code is named as ``folder.module.name`` within
this package and imported when it is asked for, so that one figure of one paper does not load the others.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from importlib import import_module
from typing import TYPE_CHECKING, Any

from sawtooth.packaged import packaged

if TYPE_CHECKING:
    from sawtooth.claims.claim import Claim
    from sawtooth.claims.printed_tables import PrintedTables
    from sawtooth.claims.table import Judged
    from sawtooth.experiment.comparison import Comparison
    from sawtooth.experiment.study import Study
    from sawtooth.papers.further import Beside, Further, Reconstructor
    from sawtooth.report.drawing import Drawing


@dataclass(frozen=True)
class Paper:
    """One study of the literature, by the name of its folder."""

    name: str
    title: str = ""
    """Authors, year and what it asks."""
    parts: tuple[str, ...] = ()
    """Its studies, in order: each a file ``studies/<part>.toml``. Those marked ``main`` are joined into one."""
    apart: tuple[str, ...] = ()
    """Those of its studies that `<paper>/body` leaves out, since they take longest."""
    mathematics: str = ""
    """Title of the report of its mathematics; empty where it has none."""
    drawings: str = ""
    """What draws the figures of its mathematics, a function without arguments."""
    printed: str = ""
    """What gives its printed tables, a function without arguments."""
    derived: Mapping[str, str] = field(default_factory=dict)
    """By part, what works figures out of the runs of its probes."""
    exhibits: str = ""
    """What it adds to the report of a part, a function of a ``Comparison``."""
    further: Mapping[str, str] = field(default_factory=dict)
    """What else of it can be reproduced, by the name that a user types: an object of the type ``Further``."""
    beside: str = ""
    """What judges claims of it on runs that are none of its studies: an object of the type ``Beside``."""
    reconstruction: str = ""
    """What finds its open values from its printed tables: an object of the type ``Reconstructor``."""

    @cached_property
    def claims(self) -> tuple[Claim, ...]:
        """Its claims, from ``claims/claims.toml`` beside their checks; none where it has no such file."""
        from sawtooth.claims.claim import Claim
        from sawtooth.claims.source import ClaimSource

        path = packaged("papers", self.name, "claims", "claims.toml")
        if not path.is_file():
            return ()
        source = ClaimSource(f"sawtooth.papers.{self.name}.claims", self.tables if self.printed else None)
        tables = tomllib.loads(path.read_text(encoding="utf-8"))["claim"]
        known = self._at_other_values()
        return tuple(
            Claim(paper=self.name, source=source, **known.get(table["id"], {}), **table) for table in tables
        )

    def _at_other_values(self) -> dict[str, dict[str, Any]]:
        """By claim, what is known of its verdict at other values of the open parameters, as the fields of ``Claim`` that say so; nothing
        where no sensitivity of the paper is kept."""
        path = packaged("papers", self.name, "claims", "turns.toml")
        kept = tomllib.loads(path.read_text(encoding="utf-8")) if path.is_file() else {}
        found: dict[str, dict[str, Any]] = {}
        for varied in kept.get("varied", []):
            for verdict in ("open", "holds", "fails"):
                for name in varied[verdict]:
                    fields = found.setdefault(name, {"tried": True})
                    if verdict != "open":
                        fields["everywhere"] = verdict
        for turn in kept.get("turn", []):
            fields = found.setdefault(turn["claim"], {})
            fields["tried"] = True
            fields.setdefault(f"{turn['verdict']}_with", {}).setdefault(turn["parameter"], turn["value"])
        return found

    def touched(self, study: Study) -> list[Claim]:
        """The claims that a study judges: those that speak of its cells, and those it names."""
        from sawtooth.claims.touching import touching

        return touching(study, self.claims)

    def judge_mathematics(self) -> list[Judged]:
        """The verdicts on every definition and analysis claim, which need no runs and are never undecided.

        LookupError for a claim without a check.
        """
        from sawtooth.claims.table import judge_alone

        return [judge_alone(entry) for entry in self.claims if entry.kind != "simulation" and entry.check]

    def tables(self) -> PrintedTables:
        """Its printed tables. LookupError where it prints none."""
        found: PrintedTables = load(self.printed)()
        return found

    def draw(self) -> list[Drawing]:
        """The figures of its mathematics."""
        found: list[Drawing] = load(self.drawings)()
        return found

    def furnished(self, comparison: Comparison) -> Comparison:
        """The results of a part with what the paper prints, derives and adds beside them."""
        derive = self.derived.get(comparison.study.name.rpartition("/")[2])
        return replace(
            comparison,
            printed=self.tables() if self.printed else None,
            derive=load(derive) if derive is not None else None,
            exhibit=load(self.exhibits) if self.exhibits else None,
        )

    @property
    def further_names(self) -> tuple[str, ...]:
        """What else of it can be reproduced, its mathematics included, as a user types it."""
        return (*self.further, *([f"{self.name}/mathematics"] if self.mathematics else []))

    def load_further(self, name: str) -> Further:
        """What else of it has that name."""
        if name not in self.further:
            from sawtooth.papers.computed import MathematicsOf

            return MathematicsOf(self)
        found: Further = load(self.further[name])
        return found

    def load_reconstructor(self) -> Reconstructor | None:
        """What finds its open values; None where it prints no tables."""
        found: Reconstructor | None = load(self.reconstruction) if self.reconstruction else None
        return found

    def load_beside(self) -> Beside | None:
        """What judges claims of it on other runs; None where nothing does."""
        found: Beside | None = load(self.beside) if self.beside else None
        return found


def load(name: str) -> Any:
    """What ``folder.module.name`` within this package means. LookupError for what is not there."""
    module, _, wanted = name.rpartition(".")
    try:
        return getattr(import_module(f"sawtooth.papers.{module}"), wanted)
    except (ModuleNotFoundError, AttributeError) as error:
        raise LookupError(f"no {name!r} among the papers") from error
