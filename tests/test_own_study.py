"""A study of one's own: what may be left out, and mistakes by the key that its author wrote."""

from __future__ import annotations

from pathlib import Path

import pytest

from sawtooth.errors import InputError
from sawtooth.experiment.own_study import read_own

STUDY = """
[scenario]
duration = "5 s"
warmup = "1 s"
bottleneck = { rate = "4 Mbit/s", buffer = "20 packets" }
path = { rtt = "40 ms", send_jitter = "2 ms" }
flows = [{ count = 2 }]
ENVIRONMENT

[[algorithm]]
control = "aimd(1, 0.8)"

[[algorithm]]
control = "CONTROL"

[matrix]
settings = ["sack/red", "SETTING"]
MATRIX

[routers]
red = { kind = "red", min = MIN }
"""


def file(folder: Path, **given: str) -> Path:
    """The study with these words in place of those in capitals."""
    path = folder / "own.toml"
    text = STUDY
    usual = {"environment": "", "control": "tcp", "setting": "reno/drop-tail", "matrix": "", "min": "5"}
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
    ],
)
def test_a_mistake_is_named_by_what_stands_in_the_file(
    given: dict[str, str], message: str, tmp_path: Path
) -> None:
    with pytest.raises(InputError) as raised:
        read_own(file(tmp_path, **given))
    assert message in str(raised.value)
