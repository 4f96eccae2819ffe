"""Whole endpoints from plug-ins: flows like others in every command, null where they tell nothing, and a message where they are misused."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest
from tests.conftest import CommandLine

ROOT = Path(__file__).resolve().parents[1]

SCENARIO = """
duration = "5 s"
warmup = "1 s"

[bottleneck]
rate = "10 Mbit/s"
buffer = "50 packets"

[path]
rtt = "40 ms"

[[flows]]
control = "toy(ten)"
start = { first = "0 s" }
"""


@pytest.fixture
def library(tmp_path: Path) -> Path:
    """The endpoint of the tests, built."""
    compiler = shutil.which("cc")
    assert compiler is not None, "the build needs a C compiler as well"
    path = tmp_path / "libtoy.so"
    sources = ["-I", str(ROOT / "crates/plugin/include"), "-o", str(path), str(ROOT / "tests/endpoint.c")]
    subprocess.run(
        [compiler, "-std=c11", "-Wall", "-Wextra", "-Werror", "-shared", "-fPIC", *sources], check=True
    )
    return path


@pytest.fixture
def own(tmp_path: Path, library: Path) -> Path:
    """A scenario with it, beside the library."""
    assert library.exists()
    path = tmp_path / "own.toml"
    path.write_text(SCENARIO)
    return path


@pytest.mark.usefixtures("own")
def test_an_endpoint_is_a_flow_that_tells_what_it_knows(sawtooth: CommandLine) -> None:
    run = sawtooth("run", "own.toml", "--plugin", "libtoy.so", "--store", "st", "--json")
    assert run.code == 0, run.err
    (flow,) = run.json["flows"]
    # Ten datagrams in a round trip of 40 ms and one transmission, of 972 bytes in packets of 1000.
    assert flow["goodput_bps"] == pytest.approx(10 * 972 * 8 / 0.0408, rel=0.02)
    assert (flow["mean_window"], flow["recovery"]) == (10, None)
    untold = (
        "timeouts",
        "ecn_reductions",
        "undos",
        "tail_probes",
        "spurious_retransmits",
        "rtt_ms",
        "pacing_bps",
    )
    assert {name: flow[name] for name in untold} == dict.fromkeys(untold)
    assert run.json["metrics"]["timeouts"] is None
    assert run.json["metrics"]["spurious_retransmits"] is None
    again = sawtooth("replay", run.json["run_id"], "--store", "st", "--plugin", "libtoy.so")
    assert again.code == 0, again.err
    assert "–" in sawtooth("run", "own.toml", "--plugin", "libtoy.so").out
    listed = sawtooth("list", "controllers", "--plugin", "libtoy.so", "--json").json["controllers"]
    (row,) = [row for row in listed if row["name"] == "toy-ten"]
    assert row["properties"]["own_transport"]
    assert row["plugin"] == run.json["resolved"]["engine"]["profiles"][0]["controller"]["file"]


@pytest.mark.usefixtures("own")
def test_endpoints_are_compared_beside_quic(sawtooth: CommandLine) -> None:
    words = (
        "compare",
        "toy(ten)",
        "aimd(1, 0.5)",
        "--scenario",
        "own.toml",
        "--plugin",
        "libtoy.so",
        "--seeds",
        "2",
    )
    done = sawtooth(*words, "--recovery", "quic", "--json")
    assert done.code == 0, done.err
    assert "toy(ten)" in done.out
    refused = sawtooth(*words, "--recovery", "sack")
    assert refused.code == 2
    assert "recovery may be quic" in refused.err


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ('recovery = "sack"', "no recovery beside an endpoint of a plug-in"),
        ('min_rto = "1 s"', "no min_rto beside an endpoint of a plug-in"),
        ('packet = "120 B"', "at least 128 beside this endpoint"),
    ],
)
def test_what_means_nothing_to_it_is_refused(own: Path, sawtooth: CommandLine, line: str, said: str) -> None:
    own.write_text(f"{SCENARIO}{line}\n")
    done = sawtooth("run", "own.toml", "--plugin", "libtoy.so")
    assert done.code == 2
    assert said in done.err, done.err


@pytest.mark.usefixtures("own")
def test_what_it_does_not_know_is_null_and_missing_not_zero(own: Path, sawtooth: CommandLine) -> None:
    own.write_text(SCENARIO.replace("toy(ten)", "toy-ten(mute=1)"))
    run = sawtooth("run", "own.toml", "--plugin", "libtoy.so", "--json", "--plot", "mute.svg")
    assert run.code == 0, run.err
    (flow,) = run.json["flows"]
    untold = (
        "mean_window",
        "srtt_ms",
        "srtt_mean_ms",
        "rtt_ms",
        "queue_delay_ms",
        "retransmits",
        "loss_events",
    )
    assert {name: flow[name] for name in untold} == dict.fromkeys(untold)
    metrics = ("mean_window", "retransmits", "retransmission_rate", "signals")
    assert {name: run.json["metrics"][name] for name in metrics} == dict.fromkeys(metrics)
    assert (own.parent / "mute.svg").stat().st_size > 10_000
    row = sawtooth("run", "own.toml", "--plugin", "libtoy.so").out.split("toy-ten")[1].splitlines()[0]
    assert row.count("–") >= 3, "timeouts, retransmissions and window"


TRANSFERS = {
    "bytes": 'bytes = "200 kB"',
    "supply": 'supply = [["0 s", "100 kB"], ["2 s", "100 kB"]]',
}
"""A file in one piece, and the same in two, 2 s apart."""


@pytest.mark.parametrize("said", TRANSFERS)
def test_a_transfer_finishes_and_says_how_long_it_took(own: Path, sawtooth: CommandLine, said: str) -> None:
    own.write_text(f"{SCENARIO.replace('1 s', '0 s', 1)}{TRANSFERS[said]}\n")
    run = sawtooth("run", "own.toml", "--plugin", "libtoy.so", "--json")
    assert run.code == 0, run.err
    (flow,) = run.json["flows"]
    assert flow["delivered"] == 200
    # Datagrams of 972 bytes, ten in a round trip of 40 ms and two transmissions: 21 rounds, or 11 behind 2 s.
    expected = 21 * 0.0409 if said == "bytes" else 2 + 11 * 0.0409
    assert flow["completion_s"] == pytest.approx(expected, rel=0.03)
    assert flow["slowdown"] == pytest.approx(1.0, rel=1e-3), "it is alone"
    own.write_text(
        f"{SCENARIO.replace('1 s', '0 s', 1).replace('10 Mbit/s', '1 Mbit/s')}count = 3\n{TRANSFERS[said]}\n"
    )
    crowd = sawtooth("run", "own.toml", "--plugin", "libtoy.so", "--json", "--set", "duration=20 s")
    assert crowd.code == 0, crowd.err
    assert all(flow["slowdown"] > 1.0 for flow in crowd.json["flows"])


REQUESTS = '[[traffic]]\nkind = "request-response"\nsize = "10 kB"\ncontrol = "toy(ten)"\n'
TRANSFERS_THAT_COME = '[[traffic]]\nkind = "finite"\nsize = "10 kB"\nevery = "1 s"\ncontrol = "toy(ten)"\n'


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (
            REQUESTS,
            'traffic[0].control = "toy(ten)": expected a controller: an endpoint of a plug-in carries [[flows]]',
        ),
        (
            TRANSFERS_THAT_COME,
            "an endpoint of a plug-in carries [[flows]], and their bytes or supply say how much",
        ),
        ('[[on]]\nflow = 0\nstate = "drain"\nset = { "bottleneck.rate" = "9 Mbit/s" }\n', "state"),
    ],
)
def test_what_an_endpoint_cannot_do_is_refused(
    own: Path, sawtooth: CommandLine, text: str, said: str
) -> None:
    own.write_text(f"{SCENARIO}\n{text}")
    done = sawtooth("run", "own.toml", "--plugin", "libtoy.so")
    assert done.code == 2, done.out
    assert said in done.err, done.err


def test_recovery_may_be_quic_and_tcp_settings_are_of_others(own: Path, sawtooth: CommandLine) -> None:
    written = (
        'recovery = "quic"\n',
        'initial_window = 3\n[[flows]]\ncontrol = "aimd(1, 0.5)"\n[tcp]\nmin_rto = "1 s"\n',
    )
    for text in written:
        own.write_text(SCENARIO + text)
        assert sawtooth("run", "own.toml", "--plugin", "libtoy.so").code == 0


@pytest.mark.usefixtures("own")
def test_an_endpoint_is_exempt_from_what_controllers_are_held_to(sawtooth: CommandLine) -> None:
    done = sawtooth("check-controller", "toy(ten)", "--plugin", "libtoy.so")
    assert done.code in (0, 2)
    assert "Traceback" not in done.err
