"""The winner map: leaders by the study's tolerances, undecided places, unfair ones, and the printed leaders beside ours."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from sawtooth.claims.logic import Verdict
from sawtooth.claims.view import Part
from sawtooth.experiment.matrix import Results, SettingBlock
from sawtooth.measure.metrics import METRIC_NAMES
from sawtooth.papers.akella2002.claims.section4_3 import LEADERS
from sawtooth.papers.akella2002.four import FOUR
from sawtooth.papers.akella2002.pages.winners import figure
from sawtooth.papers.akella2002.printed import environments
from sawtooth.papers.akella2002.winners import winner_map
from sawtooth.papers.studies import load_study

TOLERANCES = load_study("akella2002/fig12").tolerance
PLACES = tuple(row.name for row in environments())
H, F, U = Verdict.HOLDS, Verdict.FAILS, Verdict.UNDECIDED


def block(setting: str, goodput: Mapping[str, float], unfair: str = "", noisy: str = "") -> SettingBlock:
    """Five seeds without spread, but for the goodput of ``noisy``."""
    values = {name: np.full((4, len(PLACES), 5), 0.1) for name in (*METRIC_NAMES, "cross_surplus")}
    for place, name in enumerate(FOUR):
        values["goodput"][place] = goodput.get(name, 0.5)
        if name == unfair:
            values["fairness"][place] = 2.0
        if name == noisy:
            values["goodput"][place] += np.array([-0.02, 0.02, 0.0, 0.03, -0.03])
    return SettingBlock(setting, FOUR, PLACES, tuple("12345"), values, {})


def part(*blocks: SettingBlock) -> Part:
    """These blocks with the words of Figure 12."""
    return Part(Results({entry.setting: entry for entry in blocks}), TOLERANCES)


def test_leaders_are_judged_and_unfair_ones_marked() -> None:
    found = winner_map(
        part(
            block("reno/droptail", {"AIMD": 0.9, "AIAD": 0.9}, unfair="AIAD"),
            block("sack/red", {"MIMD": 0.9, "AIAD": 0.9}, noisy="MIMD"),
        )
    )
    assert list(found) == ["reno/droptail", "sack/red"]
    assert [entry.leads for entry in found["reno/droptail"]] == [H, H, F, F]
    assert [entry.unfair for entry in found["reno/droptail"]] == [F, H, F, F]
    assert found["sack/red"][2].leads is U
    for setting, standings in found.items():
        printed = tuple(entry.algorithm for entry in standings if entry.printed is H)
        assert set(printed) == set(LEADERS[setting])
    drawn = figure(found)
    assert {text.get_text() for text in drawn.axes[0].texts} >= {"drop-tail", "RED", "Reno", "SACK", *FOUR}


def test_there_is_a_map_only_of_the_four_in_several_settings_with_words() -> None:
    one, two = block("reno/droptail", {}), block("sack/red", {})
    assert not winner_map(part(one))
    assert not winner_map(replace(part(one, two), tolerances={}))
    three = SettingBlock("sack/red", FOUR[:3], PLACES, two.seeds, two.values, {})
    assert not winner_map(part(one, three))
