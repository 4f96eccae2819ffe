"""A study of one's own: what may be left out, and mistakes by the key that its author wrote."""

from __future__ import annotations

from pathlib import Path

import pytest

import sawtooth as st
from sawtooth.errors import InputError
from sawtooth.experiment.own_study import read_own
from sawtooth.measure.measures import Measure

STUDY = """
[scenario]
duration = "5 s"
warmup = "1 s"
bottleneck = { rate = "4 Mbit/s", buffer = "20 packets" QUEUE }
path = { rtt = "40 ms", send_jitter = "2 ms" }
flows = [{ count = 2 FLOW }]
ENVIRONMENT

[[algorithm]]
control = "aimd(1, 0.8)"
LABEL

[[algorithm]]
control = "CONTROL"

[matrix]
settings = ["sack/red", "SETTING"]
MATRIX

[routers]
red = { kind = "red", min = MIN }
MORE
"""
JUMPS = '{ kind = "square", high = "3 Mbit/s", low = "1 Mbit/s", period = "2 s" }'
CLAIM = '[[claim]]\nid = "a-b"\nclaim = "goodput(tcp) > 0.1"\n'


def file(folder: Path, **given: str) -> Path:
    """The study with these words in place of those in capitals."""
    path = folder / "own.toml"
    text = STUDY
    usual = {"environment": "", "control": "tcp", "setting": "reno/drop-tail", "matrix": "", "min": "5"}
    usual |= dict.fromkeys(("flow", "label", "queue", "more"), "")
    for name, words in (usual | given).items():
        text = text.replace(name.upper(), words)
    path.write_text(text, encoding="utf-8")
    return path


@pytest.mark.parametrize(
    ("scenario", "matrix", "environments"),
    [
        ("", "", ["none"]),
        ("", 'environments = ["none", "cons-low"]', ["none", "cons-low"]),
        ('environment = "cons-low"', "", ["cons-low"]),
        ('environment = { kind = "cons-low" }', 'environments = ["sq-low"]', ["sq-low"]),
    ],
)
def test_a_study_needs_no_environment(
    scenario: str, matrix: str, environments: list[str], tmp_path: Path
) -> None:
    study = read_own(file(tmp_path, environment=scenario, matrix=matrix)).study
    assert study.matrix.environments == environments
    first = next(iter(study.plan())).scenario
    assert ("environment" in first) == (environments[0] != "none")


@pytest.mark.parametrize(
    ("given", "message"),
    [
        (
            {"environment": 'environment = "cons-low"', "matrix": 'environments = ["none"]'},
            'own.toml: matrix.environments = "none": expected the names of environments',
        ),
        ({"matrix": 'environments = ["nonne"]'}, 'matrix.environments = "nonne": expected none, one of'),
        (
            {"control": "bbr"},
            'own.toml: matrix.settings = "sack/red": expected rack or quic for a controller',
        ),
        ({"control": "bbr"}, 'what became of each packet (algorithm "bbr")'),
        ({"min": "-1"}, "own.toml: routers.red.min = -1: expected above 0"),
        # Was ignored, and RED's defaults were used.
        (
            {"more": 'redd = { kind = "red" }'},
            "own.toml: routers.redd: expected a router of matrix.settings: red, drop-tail\n  did you mean red?",
        ),
        (
            {
                "matrix": 'environments = ["jumps"]',
                "more": f"[environments]\njumps = {JUMPS}\njump = {JUMPS}",
            },
            "own.toml: environments.jump: expected an environment of matrix.environments: jumps",
        ),
        (
            {"more": f"[environments]\njumps = {JUMPS}"},
            "expected an environment of matrix.environments: none",
        ),
        # Was overwritten by the matrix.
        (
            {"flow": ', control = "cubic"'},
            'own.toml: scenario.flows[0].control = "cubic": expected no control of a test flow: [[algorithm]]',
        ),
        ({"flow": ', recovery = "sack"'}, 'scenario.flows[0].recovery = "sack": expected no recovery of a'),
        ({"queue": ', queue = "red"'}, 'scenario.bottleneck.queue = "red": expected no queue in a study'),
        ({"environment": "seed = 7"}, "own.toml: scenario.seed = 7: expected no seed in a study"),
        # Stood twice in tables.
        ({"setting": "sack/red"}, 'own.toml: matrix.settings = "sack/red": expected each entry once'),
        (
            {"setting": "SACK/red"},
            'own.toml: matrix.settings = "SACK/red": expected each setting once; sack/red is the same',
        ),
        (
            {"setting": 'sack/drop-tail", "sack/droptail'},
            'matrix.settings = "sack/droptail": expected each setting once; sack/drop-tail is the same',
        ),
        # Was told in the words of pydantic.
        (
            {"more": CLAIM.replace("a-b", "a/b c")},
            'claim[0].id = "a/b c": expected letters, digits, hyphens,',
        ),
        (
            {"more": f"{CLAIM}environments = []"},
            "claim[0].environments = []: expected a list of 1 or more entries",
        ),
        (
            {"more": f"{CLAIM}settings = []"},
            "own.toml: claim[0].settings = []: expected a list of 1 or more entries",
        ),
        (
            {"more": '[quick]\nseeds = 1\nwarmup = "1 s"'},
            "own.toml: quick.duration: expected this key, which is required: Simulated time",
        ),
        ({"more": "pie = 5"}, "own.toml: routers.pie = 5: expected a table"),
        # Was a row without a name.
        ({"label": 'label = ""'}, 'own.toml: algorithm[0].label = "": expected text that is not empty'),
    ],
)
def test_a_mistake_is_named_by_what_stands_in_the_file(
    given: dict[str, str], message: str, tmp_path: Path
) -> None:
    with pytest.raises(InputError) as raised:
        read_own(file(tmp_path, **given))
    assert message in str(raised.value)


@pytest.mark.parametrize(
    "given",
    [
        {"flow": ', control = "cubic", recovery = "sack", reverse = true }, { count = 1'},
        {"queue": ', queue = "pie"', "setting": "sack/own", "more": "own = {}"},
    ],
)
def test_what_acts_in_a_study_is_accepted(given: dict[str, str], tmp_path: Path) -> None:
    """Flows in reverse keep their controller, and a router with an empty table is the queue of the scenario."""
    read_own(file(tmp_path, **given))


def test_tables_of_a_shared_file_may_serve_another_study(tmp_path: Path) -> None:
    file(tmp_path, more=f'pie = {{ kind = "pie" }}\n[environments]\njumps = {JUMPS}').rename(
        tmp_path / "base"
    )
    path = tmp_path / "own.toml"
    path.write_text('extends = "base"\n[matrix]\nseeds = 2\n')
    assert read_own(path).study.matrix.seeds == 2


PROBED = """
title = "t"
[scenario]
bottleneck = { rate = "10 Mbit/s" }
path = { rtt = "40 ms" }
flows = [{ control = "aimd(1, 0.5)" }]
[[probe]]
name = "p"
why = "w"
seeds = 1
measures = ["MEASURE"]
[probe.scenario]
duration = "10 s"
warmup = "2 s"
bottleneck = { rate = "100 Mbit/s" }
path = { rtt = "40 ms" }
MORE
[[probe.scenario.flows]]
control = "aimd(1, 0.5)"
[[probe.vary]]
name = "c"
key = "flows.control"
values = ["aimd(1, 0.5)"]
labels = ["A"]
"""
RATES = 'record = { rates = "1 s" }'


@pytest.mark.parametrize(
    ("measure", "more", "accepted"),
    [
        ("jain 2..8 s", "", "a measure of what is recorded: it needs record.rates"),
        ("halving of 0", RATES, "a measure of what is recorded: it needs record.windows"),
        ("jain 2..2.5 s", RATES, "a part of 1 s at least, as long as a bin"),
        ("variation at 4 s 2..5 s", RATES, "a part of 4 s at least, as long as a bin"),
        ("jain 2..90 s", RATES, "a part that ends at 10 s or earlier: so does the run"),
        ("drop_rate", "", "a measure of what is recorded: it needs record.rates and record.congestion"),
        ("time_to_halve at 1 s 2..8 s", RATES, "a part that begins at 22 s or later"),
        ("jain 1..8 s", RATES, "a part that begins at 2 s or later"),
        ("variation at 1.5 s", RATES, "bins of whole 1 s, the width of record.rates"),
        ("goodput 2..8 s", f'{RATES}\nenvironment = "real-cons-low"', "another measure"),
    ],
)
def test_what_a_measure_lacks_is_told_before_the_first_run(
    measure: str, more: str, accepted: str, tmp_path: Path
) -> None:
    path = tmp_path / "own.toml"
    path.write_text(PROBED.replace("MEASURE", measure).replace("MORE", more))
    with pytest.raises(InputError) as raised:
        read_own(path)
    assert f'own.toml: probe.p.measures = "{measure}": expected {accepted}' in str(raised.value)


@pytest.mark.parametrize("name", ["growth", "climb", "halving"])
def test_a_measure_of_one_flow_lacks_it_among_several(name: str) -> None:
    flows = [{"control": "aimd(1, 0.5)", "count": 2}, {"control": "aimd(1, 0.5)"}]
    scenario = {"duration": "2 s", "warmup": "0 s", "bottleneck": {"rate": "2 Mbit/s"}, "flows": flows}
    run = st.run({**scenario, "record": {"windows": True}}, store=False)
    for text in (name, f"{name} of 0"):
        assert "a single test flow" in (Measure.parse(text).lacks(run.engine, run.meta) or "")
    assert Measure.parse(f"{name} of 1").lacks(run.engine, run.meta) is None


@pytest.mark.parametrize("name", Measure.FUNCTIONS)
def test_a_measure_reads_no_other_series_than_it_says(name: str) -> None:
    """What `lacks` finds missing is what the measure itself misses."""
    wanted = Measure.NEEDS.get(name, ())
    text = f"{name}{' 0.5' if 'level' in wanted else ''}{' at 1 s' if 'bins' in wanted else ''} 50..60 s"
    scenario = {
        "duration": "60 s",
        "warmup": "0 s",
        "bottleneck": {"rate": "2 Mbit/s"},
        "path": {"rtt": "40 ms"},
        "flows": [{"control": "aimd(1, 0.5)"}],
    }
    for series in Measure.RECORDS.get(name, ("rates",)):
        records: dict[str, object] = {other: True for other in ("windows", "congestion") if other != series}
        if series != "rates":
            records |= {"rates": "1 s"}
        run = st.run({**scenario, "record": records}, store=False)
        measure = Measure.parse(text)
        assert measure.lacks(run.engine, run.meta) is not None
        with pytest.raises(ValueError, match=f"needs record.{series}"):
            measure(run)
    run = st.run({**scenario, "record": {"windows": True, "congestion": True, "rates": "1 s"}}, store=False)
    assert Measure.parse(text).lacks(run.engine, run.meta) is None
    Measure.parse(text)(run)
