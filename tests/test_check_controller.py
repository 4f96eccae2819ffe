"""`sawtooth check-controller`: each rule finds the law that breaks it, in a script that a person can read and play."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.conftest import CommandLine

RULES = ["bounds", "loss-reaction", "app-limited", "no-feedback", "clone", "deterministic"]
LAW = '''
import sawtooth as st


@st.controller
class Mine:
    """a packet a round, half of the window kept"""

    heard = 0

    def __init__(self, numbers, settings):
        self.w = settings.initial_window

    def on_ack(self, ack):
        if ack.cwnd_limited and not ack.in_recovery:
            self.w += ack.newly_acked / self.w

    def on_congestion(self, signal):
        self.w = 1.0 if signal.kind == "timeout" else max(1.0, 0.5 * self.w)

    def window(self):
        return self.w
'''
BREAKS = {
    "bounds": ("self.w += ack.newly_acked / self.w", "self.w *= 1e8 / ack.rtt_latest_ns"),
    "loss-reaction": ("0.5 * self.w", "self.w"),
    "app-limited": ("if ack.cwnd_limited and", "if"),
    "no-feedback": ('1.0 if signal.kind == "timeout" else ', ""),
    "clone": ("    def window", "    def __deepcopy__(self, memo):\n        return self\n\n    def window"),
    "deterministic": ("self.w += ", "Mine.heard += 1\n            self.w += Mine.heard % 7 * "),
}


def checked(sawtooth: CommandLine, where: Path, text: str) -> dict[str, dict[str, str]]:
    """The verdicts by rule."""
    (where / "mine.py").write_text(text)
    done = sawtooth("check-controller", "mine", "--plugin", "mine.py", "--json")
    document = done.json
    assert done.code == (0 if document["passed"] else 1)
    assert [rule["id"] for rule in document["rules"]] == RULES
    return {rule["id"]: rule for rule in document["rules"]}


def test_a_law_that_keeps_the_rules_passes(sawtooth: CommandLine, tmp_path: Path) -> None:
    assert {rule["result"] for rule in checked(sawtooth, tmp_path, LAW).values()} == {"passed"}


@pytest.mark.parametrize("rule", RULES)
def test_a_law_that_breaks_a_rule_is_found_in_a_short_script(
    sawtooth: CommandLine, tmp_path: Path, rule: str
) -> None:
    good, bad = BREAKS[rule]
    assert good in LAW
    found = checked(sawtooth, tmp_path, LAW.replace(good, bad))
    broken = {name for name, verdict in found.items() if verdict["result"] == "broken"}
    # What connections share, a copy shares too.
    assert broken - ({"clone"} if rule == "deterministic" else set()) == {rule}
    script = found[rule]["script"]
    assert 0 < len(script.splitlines()) <= 12
    assert found[rule]["said"]
    (tmp_path / "script.txt").write_text(script)
    played = sawtooth("check-controller", "mine", "--plugin", "mine.py", "--script", "script.txt")
    if rule == "bounds":
        assert played.code == 2
        assert played.err.startswith("plug-in mine: on_ack of flow 0 at ")
    else:
        assert played.code == 0
        assert played.out.splitlines()[1].startswith(script.splitlines()[0])


def test_laws_of_the_table_are_checked_as_well(sawtooth: CommandLine) -> None:
    assert sawtooth("check-controller", "aimd(1, 0.5)").code == 0
    broken = sawtooth("check-controller", "aimd(1, 1)")
    assert broken.code == 1
    assert "loss-reaction is broken by this script:" in broken.out
    model = sawtooth("check-controller", "bbr", "--json")
    assert (model.code, model.json["rules"][1]["result"]) == (0, "exempt")
    assert "draft-ietf-ccwg-bbr §5.3.1.3, §5.5.10" in model.json["rules"][1]["source"]
    own = sawtooth("check-controller", "tfrc", "--json").json
    assert {rule["result"] for rule in own["rules"]} == {"exempt"}


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("nobody",), 'controller = "nobody": expected one of'),
        # The name of the unknown parameter was lost.
        (("aimd(x=5)",), 'controller = "aimd(x=5)": expected aimd(a, b)\n  unknown: x'),
        (("cubic(betta=0.7)",), "unknown: betta; did you mean beta?"),
        # Printed the head of a table and left with 0.
        (("cubic", "--script", "empty.txt"), "empty.txt: expected a script with at least one line"),
        (("cubic", "--script", "nothing.txt"), "nothing.txt: No such file"),
        (("cubic", "--script", "bad.txt"), 'bad.txt: "line 2": expected threshold N'),
        (("tfrc", "--script", "good.txt"), "without a transport protocol of its own"),
        (("cubic", "--script", "good.txt", "--json"), "one of --script and --json"),
    ],
)
def test_what_cannot_be_checked_is_refused(
    sawtooth: CommandLine, tmp_path: Path, arguments: tuple[str, ...], said: str
) -> None:
    (tmp_path / "good.txt").write_text("send 10\n")
    (tmp_path / "empty.txt").write_text("\n")
    (tmp_path / "bad.txt").write_text("send 10\njump 3\n")
    done = sawtooth("check-controller", *arguments)
    assert (done.code, done.out) == (2, "")
    assert said in done.err
    assert len(done.err.splitlines()) <= 3
