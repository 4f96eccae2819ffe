"""What a word of `tcp.ecn` means to a controller, and which of several mistakes is told."""

from __future__ import annotations

import pytest

import sawtooth as st
from sawtooth.errors import InputError

MARKS = {"bottleneck.queue": {"kind": "step"}}
COUNTS = 'tcp.ecn = "{}": expected accurate or l4s for a controller that counts marks'
MARKED = 'tcp.ecn = "{}": expected this key only where a queue or a link on the way of the data marks'


@pytest.mark.parametrize(
    ("control", "word", "marks", "told"),
    [
        ("prague", "classic", False, COUNTS),
        ("prague", "classic", True, COUNTS),
        ("dctcp", "off", True, COUNTS),
        ("prague", "accurate", False, MARKED),
        ("bbr", "classic", False, MARKED),
        ("cubic", "l4s", False, MARKED),
    ],
)
def test_what_the_controller_refuses_is_told_before_what_the_path_lacks(
    control: str, word: str, marks: bool, told: str
) -> None:
    scenario = {
        "duration": "2 s",
        "warmup": "1 s",
        "bottleneck": {"rate": "10 Mbit/s"},
        "path": {"rtt": "40 ms"},
        "tcp": {"ecn": word},
        "flows": [{"control": control, "recovery": "rack"}],
    }
    with pytest.raises(InputError) as caught:
        st.run(scenario, set=MARKS if marks else {}, store=False)
    assert str(caught.value).removeprefix("scenario: ").startswith(told.format(word))


@pytest.mark.parametrize(("control", "word"), [("prague", "accurate"), ("bbr", "classic"), ("cubic", "l4s")])
def test_other_words_are_what_the_user_asks_for(control: str, word: str) -> None:
    scenario = {
        "duration": "2 s",
        "warmup": "1 s",
        "bottleneck": {"rate": "10 Mbit/s", "queue": {"kind": "step"}},
        "path": {"rtt": "40 ms"},
        "flows": [{"control": control, "recovery": "rack", "ecn": word}],
    }
    wanted = (
        True if word == "classic" else word
    )  # as the engine's scenario has had it since before the other words
    assert st.run(scenario, store=False).engine["profiles"][0]["tcp"]["ecn"] == wanted


LOW = {"kind": "fq-codel", "ecn": False, "ce_threshold_ect1": "1 ms"}
"""Marks packets with ECT(1) and drops all others."""


@pytest.mark.parametrize("control", ["dctcp", "prague"])
def test_a_threshold_for_ect_1_alone_marks_whoever_sends_it(control: str) -> None:
    """The word was refused, as if nothing marked: only the other threshold counted."""
    scenario = {
        "duration": "5 s",
        "warmup": "1 s",
        "bottleneck": {"rate": "50 Mbit/s", "queue": LOW},
        "path": {"rtt": "20 ms"},
        "tcp": {"ecn": "l4s"},
        "flows": [{"control": control, "recovery": "rack"}],
    }
    assert st.run(scenario, store=False).to_json()["queues"][0]["marks"] > 0


def test_a_threshold_for_ect_1_alone_marks_nobody_else() -> None:
    prague = {"control": "prague", "recovery": "rack"}
    cubic = {"control": "cubic", "recovery": "rack"}
    scenario = {
        "duration": "2 s",
        "warmup": "1 s",
        "bottleneck": {"rate": "50 Mbit/s", "queue": LOW},
        "path": {"rtt": "20 ms"},
        "flows": [prague, {**cubic, "ecn": "classic"}],
    }
    with pytest.raises(
        InputError, match=r"flows\[1\].ecn = .*expected this key only where a queue or a link"
    ):
        st.run(scenario, store=False)
    plain = st.run({**scenario, "flows": [prague, cubic]}, store=False)
    assert plain.engine["profiles"][1]["tcp"]["ecn"] is False
