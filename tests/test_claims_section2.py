"""Claims of section 2: every check comes out both ways, panels are told apart, and the studies hold the patterns they claim to."""

from __future__ import annotations

import shlex
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from sawtooth.claims.claim import Claim
from sawtooth.claims.logic import Verdict
from sawtooth.claims.view import UnavailableError, View
from sawtooth.experiment.matrix import ProbeRun
from sawtooth.experiment.scoring import Values
from sawtooth.experiment.search.space import Space
from sawtooth.papers.akella2002.claims.section2 import PANELS
from sawtooth.papers.akella2002.four import FOUR
from sawtooth.papers.register import claim, claims
from sawtooth.papers.studies import load_study

H, F, U = Verdict.HOLDS, Verdict.FAILS, Verdict.UNDECIDED
TOLERANCES = load_study("akella2002/fig1").tolerance
MINE = [entry for entry in claims() if entry.judged_by.startswith("akella2002/section2.")]


class Panel(View):
    """Values by pattern, algorithm and metric, over three seeds with little spread; every part is this view."""

    def __init__(
        self,
        values: Mapping[tuple[str, str, str], float],
        probes: Mapping[str, tuple[ProbeRun, ...]] | None = None,
    ) -> None:
        super().__init__(("sack/droptail",), TOLERANCES)
        self._values = values
        self._probes = probes or {}

    @property
    def environments(self) -> tuple[str, ...]:
        return tuple(name for _, name in PANELS)

    def D(self, setting: str, algorithm: str, metric: str) -> Values:  # noqa: N802
        raise UnavailableError(setting)

    def C(self, setting: str, algorithm: str, metric: str) -> Values:  # noqa: N802
        raise UnavailableError(setting)

    def pattern(self, name: str, algorithm: str, metric: str) -> Values:
        return self._values[name, algorithm, metric] + np.array([-1e-6, 0.0, 1e-6])

    def part(self, name: str) -> View:
        return self

    def probe(self, name: str) -> tuple[ProbeRun, ...]:
        return self._probes[name]


# What the text says of each panel, as numbers.
GOODPUT = {
    "1a": (0.9, 0.8, 0.8, 0.6),
    "1b": (0.5, 0.9, 0.8, 0.7),
    "1c": (0.5, 0.7, 0.8, 0.9),
    "1d": (0.5, 0.6, 0.9, 0.8),
    "2a": (0.6, 0.5, 0.9, 0.8),
    "2b": (0.9, 0.8, 0.5, 0.7),
}
LOSS = {"1b": (1.0, 2.0, 1.5, 9.0), "1d": (1.0, 4.0, 2.0, 5.0)}
"""Where it does not just grow from AIMD over AIAD and MIMD to MIAD."""
TIMEOUTS = {
    "1a": (1, 5, 5, 20),
    "1b": (0, 0, 9, 12),
    "1c": (1, 2, 3, 4),
    "1d": (3, 9, 5, 8),
    "2a": (1, 1, 1, 1),
    "2b": (1, 2, 9, 8),
}


def told() -> dict[tuple[str, str, str], float]:
    """Every panel as the paper describes it."""
    values: dict[tuple[str, str, str], float] = {}
    for panel in GOODPUT:
        for place, name in enumerate(FOUR):
            values[panel, name, "goodput"] = GOODPUT[panel][place]
            values[panel, name, "timeouts"] = TIMEOUTS[panel][place]
            values[panel, name, "retransmits"] = 100.0 * (place + 1)
            values[panel, name, "loss"] = LOSS.get(panel, (1.0, 2.0, 3.0, 4.0))[place]
            values[panel, name, "mean_window"] = 10.0 + place
            values[panel, name, "window_growth"] = 9.0 if name == "MIAD" else 6.0
            values[panel, name, "window_climb"] = 4.0 if name == "AIAD" else 0.5
    if values["1b", "AIAD", "timeouts"] == 0:  # exactly none, in every seed
        values["1b", "AIAD", "timeouts"] = -1.0
    return values


def run(values: Mapping[str, float], **labels: str | float) -> ProbeRun:
    table = pa.table({"id": [0]})
    return ProbeRun(dict(labels), "0", dict(values), table)


def probes(sign: float) -> dict[str, tuple[ProbeRun, ...]]:
    """Slow and sudden changes, and increases of three strengths; ``sign`` -1 turns everything round."""
    found: dict[str, tuple[ProbeRun, ...]] = {}
    for probe, pair in (("growth", ("AIMD", "MIMD")), ("fall", ("AIAD", "AIMD"))):
        found[probe] = tuple(
            run(
                {"goodput": 0.8 + sign * (0.05 if place == 0 else -0.05) * (over - 20) / 20},
                control=name,
                over=over,
            )
            for place, name in enumerate(pair)
            for over in (0, 10, 20, 40)
            for _ in range(2)
        )
    strong = {"AIMD(1,0.8)": 1, "AIMD(2,0.8)": 2, "AIMD(3,0.8)": 3}
    strong |= {"MIMD(1.125,0.8)": 1, "MIMD(1.19,0.8)": 2, "MIMD(1.25,0.8)": 3}
    found["increases"] = tuple(
        run(
            {"goodput": 0.5 + sign * 0.1 * n, "loss": 5 + sign * n, "retransmits": 500 + sign * n},
            control=name,
        )
        for name, n in strong.items()
        for _ in range(2)
    )
    return found


@pytest.mark.parametrize("entry", MINE, ids=lambda entry: entry.id)
def test_as_told_every_claim_holds_and_turned_round_every_claim_fails(entry: Claim) -> None:
    values = told()
    assert entry.function(Panel(values, probes(1.0))).verdict is H
    round_about = {key: -value for key, value in values.items()}
    round_about |= {key: 3.0 for key in values if key[1:] == ("AIAD", "timeouts")}
    if (
        entry.id == "akella-2-no-dominant"
    ):  # turned round, winners and losers change places: the claim would hold again
        round_about = {key: -float(FOUR.index(key[1])) for key in values}
    assert entry.function(Panel(round_about, probes(-1.0))).verdict is F


def test_much_more_loss_is_not_a_little_more() -> None:
    values = told()
    values["1b", "AIAD", "loss"] = values["1b", "AIMD", "loss"] + 5.0
    assert claim("akella-2-fig1b-aiad-loss-no-rto").function(Panel(values)).verdict is F


@pytest.mark.parametrize(
    ("changed", "entry"),
    [
        ({("1b", "MIMD", "loss"): 2.5}, "akella-2-fig1b-aiad-loss-no-rto"),
        ({("1c", "MIAD", "loss"): 9.5}, "akella-2-fig1c-miad-best"),
        ({("1c", "MIAD", "timeouts"): 12.5}, "akella-2-fig1c-miad-best"),
        ({("1c", "AIAD", "window_growth"): 9.5}, "akella-2-fig1c-aiad-too-slow"),
        ({("1d", "MIMD", "timeouts"): 8.5}, "akella-2-fig1d-ad-timeouts"),
        ({("1d", "AIMD", "loss"): 4.5}, "akella-2-fig1d-ad-timeouts"),
    ],
)
def test_every_word_of_a_panel_counts(changed: dict[tuple[str, str, str], float], entry: str) -> None:
    assert claim(entry).function(Panel(told())).verdict is H
    assert claim(entry).function(Panel(told() | changed)).verdict is F


def test_a_low_phase_that_takes_far_more_than_a_high_phase_gave_does_not_cancel_it() -> None:
    values = told()
    values["1b", "AIMD", "window_climb"] = -4.0
    assert claim("akella-2-fig1b-aimd-worst").function(Panel(values)).verdict is F


def test_one_missing_winner_is_enough_against_no_dominant() -> None:
    values = told()
    for panel in GOODPUT:
        values[panel, "MIAD", "goodput"] = 0.55
    assert claim("akella-2-no-dominant").function(Panel(values)).verdict is F


def test_a_claim_about_one_pattern_names_it_and_its_part() -> None:
    for entry in MINE:
        if entry.pattern is None:
            continue
        assert entry.part is not None
        study = load_study(entry.part)
        assert entry.pattern in study.matrix.environments
        assert entry.pattern in study.environments
        if entry.against is not None:
            assert entry.against in study.matrix.environments
            assert entry.against != entry.pattern


# --- the studies ------------------------------------------------------------------------------------------------------------


def searched(command: str) -> dict[str, Any]:
    """The options of a search command: those that may be repeated as lists."""
    words = shlex.split(command)
    assert words[:3] == ["sawtooth", "environment", "search"]
    found: dict[str, Any] = {"--range": [], "--claim": []}
    for option, value in zip(words[3::2], words[4::2], strict=True):
        assert option.startswith("--")
        if option in ("--range", "--claim"):
            found[option].append(value)
        else:
            found[option] = value
    return found


PATTERNS: Sequence[str] = tuple(name for _, name in PANELS)


@pytest.mark.parametrize("pattern", PATTERNS)
def test_a_pattern_lies_where_its_search_looked_for_it(pattern: str) -> None:
    study = load_study("akella2002/fig1")
    options = searched(study.search[pattern].command)
    ranges = dict(text.split("=", 1) for text in options["--range"])
    assert Space.of(options.get("--shape", "square"), ranges).holds(study.environments[pattern])
    asked = {entry.id for entry in MINE if entry.pattern == pattern and entry.paper == "akella2002"}
    assert set(options["--claim"]) == asked


def test_the_square_waves_stand_to_each_other_as_the_paper_says() -> None:
    """1(c) has shorter phases and a higher peak than 1(b), 1(d) much longer phases, and 1(b) short low phases."""
    found = load_study("akella2002/fig1").environments
    period = {name: float(table["period"].split()[0]) for name, table in found.items()}
    high = {name: float(table["high"].split()[0]) for name, table in found.items()}
    assert found["1b"]["duty"] > 0.5
    assert period["1c"] < period["1b"]
    assert high["1c"] > high["1b"]
    assert period["1d"] >= 4 * period["1b"]
