"""Keys of a sweep: each value that a row or `--set` names is one that some run had."""

from __future__ import annotations

from typing import Any

import pytest

import sawtooth as st
from sawtooth.errors import InputError
from sawtooth.experiment.sweep import planned

TWO: dict[str, Any] = {
    "duration": "2 s",
    "warmup": "0 s",
    "bottleneck": {"rate": "4 Mbit/s", "queue": "red"},
    "flows": [{"control": "aimd(1, 0.5)"}, {"control": "cubic"}],
}
ONE = {**TWO, "flows": TWO["flows"][:1]}


@pytest.mark.parametrize(
    "over",
    [
        # A row said `flows.control = cubic` of a run of BBR.
        {"flows.control": ["cubic", "vegas"], "flows[0].control": ["aimd(1, 0.5)", "bbr-1"]},
        {"bottleneck.queue": ["red", "codel"], "bottleneck.queue.kind": ["pie"]},
        {"bottleneck.queue.kind": ["pie"], "bottleneck.queue": ["red", "codel"]},
        {"bottleneck.rate": ["1 Mbit/s"], "bottleneck.trace": ["a.trace"]},
        {"flows[1]": [{"control": "cubic"}], "flows.control": ["tcp"]},
        {"path.rtt": ["20 ms"], "path . rtt": ["30 ms"]},
    ],
)
def test_two_keys_of_the_same_place_are_refused(over: dict[str, Any]) -> None:
    with pytest.raises(InputError) as raised:
        planned(TWO, over)
    first, second = over
    assert (raised.value.where, raised.value.key) in {("--over", first), ("--over", second)}
    assert "not both: one takes away what the other says" in str(raised.value)


@pytest.mark.parametrize(
    ("values", "over", "said"),
    [
        ({"path.rtt": "60 ms"}, {"path.rtt": ["50 ms"]}, "this key or --over path.rtt, not both"),
        ({"seed": 9}, {"path.rtt": ["50 ms"]}, "--seeds with the number of seeds"),
        ({"flows.control": "tcp"}, {"flows[0].control": ["cubic"]}, "this key or --over flows[0].control"),
        ({"flows[0].control": "tcp"}, {"flows.control": ["cubic"]}, "this key or --over flows.control"),
        (
            {"bottleneck.queue": "pie"},
            {"bottleneck.queue.kind": ["codel"]},
            "or --over bottleneck.queue.kind",
        ),
        (
            {"bottleneck.queue.min": 6},
            {"bottleneck.queue.kind": ["codel", "pie"]},
            "or --over bottleneck.queue",
        ),
        ({"flows.recovery": "reno"}, {"flows.control": ["tfrc", "rap"]}, "this key or --over flows.control"),
    ],
)
def test_a_value_that_the_sweep_takes_away_is_refused(
    values: dict[str, Any], over: dict[str, Any], said: str
) -> None:
    """It was dropped without a word."""
    with pytest.raises(InputError) as raised:
        st.sweep(ONE, over, set=values)
    (key,) = values
    assert (raised.value.where, raised.value.key) == ("--set", key)
    assert said in str(raised.value)


@pytest.mark.parametrize(
    ("values", "over"),
    [
        ({"bottleneck.queue": "red"}, {"bottleneck.queue.min": [5, 10]}),
        ({"bottleneck.queue.min": 6}, {"bottleneck.queue.kind": ["red", "pie"]}),
        ({"flows.control": "tcp"}, {"flows[0].control": ["cubic", "vegas"]}),
        ({"flows[1].control": "tcp"}, {"flows[0].control": ["cubic", "vegas"]}),
        ({"flows[1]": {"control": "tcp"}}, {"path.rtt": ["20 ms", "30 ms"]}),
        ({"path.rtt": ["20 ms", "30 ms"], "path . rtt[1]": "40 ms"}, {"bottleneck.rate": ["1 Mbit/s"]}),
        ({}, {"bottleneck.queue.kind": ["red"], "bottleneck.queue.min": [5, 10]}),
        ({}, {"flows[0].control": ["cubic", "tcp"], "flows[1].control": ["cubic", "tcp"]}),
    ],
)
def test_keys_that_all_act_may_stand_side_by_side(values: dict[str, Any], over: dict[str, Any]) -> None:
    planned(TWO, over, changes=values)
