"""The wall time of the appendix: a sample in which every stratum stands by its share, and an extrapolation that is one."""

from __future__ import annotations

from collections import Counter

import pytest
from bench.appendix import STRIDE, STUDY, measured, sample

from sawtooth.experiment.plan import CellKey
from sawtooth.papers.studies import load_study


def keys(passes: int) -> list[CellKey]:
    """The keys of the sample."""
    return [planned.key for planned in sample(load_study(STUDY), passes) if isinstance(planned.key, CellKey)]


def test_every_setting_meets_every_environment_and_instances_take_turns() -> None:
    study = load_study(STUDY)
    pairs = len(study.matrix.settings) * len(study.matrix.environments)
    for passes in (1, 3):
        found = keys(passes)
        assert len(found) == len(set(found)) == passes * pairs
        assert set(Counter((key.setting, key.environment) for key in found).values()) == {passes}
        turns = Counter(key.algorithm for key in found)
        assert len(turns) == len(study.algorithm) == 36
        assert max(turns.values()) - min(turns.values()) <= 1
    assert pytest.approx(1) == len({STRIDE * n % 36 for n in range(36)}) / 36


def test_the_extrapolation_is_the_ratio_of_the_runs() -> None:
    study = load_study(STUDY)
    settings = [setting for setting in study.matrix.settings if setting.router == "droptail"]
    places = ["cons-low", "sq-low"]
    matrix = study.matrix.model_copy(update={"settings": settings, "environments": places})
    small = study.replaced(matrix=matrix).with_value("duration", "2 s").with_value("warmup", "1 s")
    found = measured(small, sample(small, 1), 2)
    assert found["runs"] == 4
    assert found["runs_of_the_study"] == 2 * 36 * 2 * 5
    assert found["wall_s"] == pytest.approx(sum(found["wall_s_by_setting"].values()))
    assert found["wall_s_of_the_study"] == pytest.approx(found["wall_s"] * 720 / 4)
    assert set(found["wall_s_by_setting"]) == {"reno/droptail", "sack/droptail"}
