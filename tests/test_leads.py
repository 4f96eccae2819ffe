"""Who leads in what: by hand from values of seeds, with a decided lead, an undecided one, and none."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from sawtooth.experiment.anytime import ALIKE, at_any_time
from sawtooth.experiment.intervals import interval
from sawtooth.experiment.leads import Lead, leads
from sawtooth.experiment.matrix import SettingBlock
from sawtooth.experiment.plan import CellKey
from sawtooth.experiment.scoring import SCORED

NAMES, PLACES, SEEDS = ("a", "b", "c"), ("calm", "rough"), ("1", "2", "3")


def block(names: tuple[str, ...] = NAMES, **values: list[list[float]]) -> SettingBlock:
    """A setting with the values of a metric by algorithm and seed, the same in both environments; elsewhere zeros."""
    shape = (len(names), len(PLACES), len(SEEDS))
    boxes = {metric: np.zeros(shape) for metric in SCORED}
    for metric, rows in values.items():
        boxes[metric] += np.array(rows)[:, None, :]
    ids = {CellKey("sack/red", a, e, s): f"{a}{e}{s}" for a in names for e in PLACES for s in SEEDS}
    return SettingBlock("sack/red", names, PLACES, SEEDS, boxes, ids)


def of(found: list[Lead], metric: str) -> Lead:
    (lead,) = [lead for lead in found if lead.metric == metric]
    return lead


def test_a_decided_lead_is_the_interval_of_the_paired_differences() -> None:
    rows = [[0.8, 0.7, 0.6], [0.5, 0.38, 0.31], [0.1, 0.1, 0.1]]
    lead = of(leads(block(goodput=rows)), "goodput")
    by_hand = interval(np.array(rows[0]) - np.array(rows[1]))
    assert (lead.leader, lead.second, lead.decided, lead.tied) == ("a", "b", True, ())
    assert lead.ahead is not None
    assert lead.ahead.mean == pytest.approx(by_hand.mean)
    assert lead.text.startswith(f"a has the highest goodput, {100 * by_hand.mean:.3g} [")
    assert lead.text.endswith("ahead of b: decided.")


def test_less_is_better_in_delay_and_noise_leaves_it_undecided() -> None:
    lead = of(leads(block(delay=[[30.0, 31.0, 32.0], [10.0, 30.0, 14.0], [20.0, 12.0, 18.0]])), "delay")
    assert (lead.leader, lead.second, lead.decided) == ("c", "b", False)
    assert lead.tied == ("b",)  # a is behind in every seed by about the same
    assert lead.text.startswith("It is undecided who has the shortest queueing delay: c is 1.33 [")
    assert "b may be as good" in lead.text


def test_values_that_are_alike_and_values_that_are_undefined() -> None:
    found = leads(block(fairness=[[float("nan"), 1.0, 1.0], [1.0] * 3, [1.0] * 3]))
    assert of(found, "loss").text == "All tie for the least loss: every seed gives them the same value."
    assert "cannot be said" in of(found, "fairness").text
    assert not of(found, "fairness").decided
    assert of(found, "fairness").to_json()["leader"] is None


def test_those_that_are_best_and_equal_tie_and_are_ahead_of_the_next() -> None:
    best, behind = [0.8, 0.7, 0.6], [0.5, 0.38, 0.31]
    lead = of(leads(block(goodput=[best, behind, best])), "goodput")
    by = interval(np.array(best) - np.array(behind))
    assert by.low is not None
    assert by.high is not None
    shown = f"{100 * by.mean:.3g} [{100 * by.low:.3g}, {100 * by.high:.3g}]"
    assert lead.text == (
        f"a and c tie for the highest goodput, {shown} % of the available bandwidth ahead of b."
    )
    assert (lead.leader, lead.second, lead.tied) == ("a", "b", ("c",))
    assert not lead.decided
    assert lead.conclusive
    assert lead.to_json()["decided"] is False


def test_a_tie_that_the_next_may_reach_is_undecided() -> None:
    lead = of(leads(block(delay=[[10.0, 30.0, 14.0], [10.0, 30.0, 14.0], [20.0, 12.0, 25.0]])), "delay")
    assert lead.text.startswith("a and b tie for the shortest queueing delay, 1 [")
    assert "ms ahead of c, but c may be as good" in lead.text
    assert lead.tied == ("b", "c")
    assert not lead.conclusive
    assert lead.to_json()["seeds_to_decide"] is None
    made = block(loss=[[1.0] * 3, [1.0] * 3, [3.0] * 3])
    once = replace(made, seeds=("1",), values={name: box[:, :, :1] for name, box in made.values.items()})
    assert of(leads(once), "loss").text == (
        "a and b tie for the least loss, 2 % of packets ahead of c, but one seed cannot decide it."
    )


def of_seeds(count: int, **values: list[list[float]]) -> SettingBlock:
    """A setting of so many seeds, in which the values of ``block`` come again and again."""
    made = block(NAMES, **values)
    again = np.arange(count) % len(SEEDS)
    boxes = {name: box[..., again] for name, box in made.values.items()}
    return replace(made, seeds=tuple(map(str, range(count))), values=boxes)


@pytest.mark.parametrize(
    ("count", "conclusive"), [(15, False), (ALIKE - 1, False), (ALIKE, True)], ids=["few", "less", "enough"]
)
def test_a_tie_that_one_may_look_at_at_any_time_takes_as_many_seeds_as_equal_values(
    count: int, conclusive: bool
) -> None:
    """A loss in one seed of ten is unseen in fifteen in a fifth of all experiments."""
    with at_any_time():
        found = leads(of_seeds(count, goodput=[[0.8, 0.7, 0.6], [0.2, 0.3, 0.1], [0.8, 0.7, 0.6]]))
    all_, some = of(found, "loss"), of(found, "goodput")
    assert (all_.conclusive, some.conclusive) == (conclusive, conclusive)
    for lead in (all_, some):
        assert lead.text.endswith("36 seeds would decide that they tie.") is not conclusive
    assert of(leads(of_seeds(count)), "loss").conclusive


def test_an_algorithm_alone_leads_nobody() -> None:
    assert leads(block(("a",))) == []


def test_a_goodput_that_is_clipped_is_said() -> None:
    lead = of(leads(block(goodput=[[1.05, 1.02, 1.04], [0.9, 0.8, 0.85], [0.5] * 3])), "goodput")
    assert lead.text.endswith(
        "ahead of b: decided. Goodput above the available bandwidth counts as all of it."
    )
    alike = of(leads(block(("a", "b"), goodput=[[1.05, 1.02, 1.04], [1.2, 1.1, 1.3]])), "goodput")
    assert alike.alike
    assert alike.text.endswith("same value. Goodput above the available bandwidth counts as all of it.")
    assert not of(leads(block(delay=[[3.0] * 3, [2.0] * 3, [1.0] * 3])), "delay").clipped


def test_a_sentence_lists_few_of_many_rivals() -> None:
    names = tuple("abcdefg")
    rows = [[10.0, 30.0, 20.0 + number] for number in range(len(names))]
    lead = of(leads(block(names, delay=rows)), "delay")
    assert lead.tied == tuple("bcdefg")
    assert "ms ahead of b, but b, c, d or 3 others may be as good" in lead.text
    assert lead.to_json()["tied"] == list("bcdefg")
    alike = of(leads(block(names, delay=[[1.0, 2.0, 3.0]] * 6 + [[4.0, 5.0, 6.0]])), "delay")
    assert alike.text.startswith("a, b, c and 3 others tie for the shortest queueing delay, 3 [")
