"""Whole endpoints from plug-ins: flows like others in every command, null where they tell nothing, and a message where they are misused."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path
from typing import Any

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
    return built(ROOT / "tests/endpoint.c", tmp_path)


def built(source: Path, folder: Path) -> Path:
    """The library of a source."""
    compiler = shutil.which("cc")
    assert compiler is not None, "the build needs a C compiler as well"
    path = folder / "libtoy.so"
    sources = ["-I", str(ROOT / "crates/plugin/include"), "-o", str(path), str(source)]
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


TRAFFIC = """
duration = "20 s"
warmup = "0 s"

[bottleneck]
rate = "10 Mbit/s"
buffer = "50 packets"

[path]
rtt = "40 ms"

[[flows]]
control = "toy(ten)"
bytes = "1 kB"

[[traffic]]
control = "toy(ten)"
"""

REQUESTS = 'kind = "request-response"\nsize = "20 kB"\n'
PAGES = 'kind = "web"\nsize = "2 kB"\nobjects = 12\nconnections = 4\nthink = "100 ms"\n'
FILM = 'kind = "video"\nrates = ["500 kbit/s", "1 Mbit/s"]\nchunk = "2 s"\n'
THAT_COME = 'kind = "finite"\nsize = "20 kB"\nevery = "50 ms"\n'
PACED = 'kind = "paced"\nrate = "800 kbit/s"\nstart = "1 s"\nstop = "11 s"\n'

PACKET_S = 1000 * 8 / 10e6
"""A packet of 1000 bytes at 10 Mbit/s; nothing else on the way takes time but the propagation."""


def traffic(own: Path, sawtooth: CommandLine, text: str) -> dict[str, Any]:
    """What became of the one group of traffic."""
    own.write_text(TRAFFIC + text)
    run = sawtooth("run", "own.toml", "--plugin", "libtoy.so", "--store", "st", "--json")
    assert run.code == 0, run.err
    found: dict[str, Any] = run.json["traffic"][0]
    return found


def test_an_endpoint_asks_and_is_answered(own: Path, sawtooth: CommandLine) -> None:
    answers = traffic(own, sawtooth, REQUESTS)
    # A request of one packet there. Of 20 or 21 datagrams ten come with the first window, ten after a round trip, one after two: what
    # an answer leaves over of a datagram is the next one's.
    there_s, round_s = 0.020 + PACKET_S, 0.040 + PACKET_S
    third = 20_000 / 972 - 20
    assert answers["completion_s"]["p50"] == pytest.approx(2 * there_s + 2 * round_s, rel=0.03)
    assert answers["started"] == pytest.approx(20 / (2 * there_s + (1 + third) * round_s), rel=0.03)
    assert traffic(own, sawtooth, REQUESTS) == answers


def test_pages_and_films_come_over_endpoints(own: Path, sawtooth: CommandLine) -> None:
    pages = traffic(own, sawtooth, PAGES)
    # The first of twelve objects alone, then eleven over four connections, one after the other: at least four times there and back.
    assert pages["completion_s"]["p50"] >= 4 * 0.040
    assert pages["started"] - pages["unfinished"] > 20, "a page and the time to think take less than a second"
    (film,) = traffic(own, sawtooth, FILM)["viewers"]
    assert film["chunks"] >= 10, "as long as the run"
    assert film["stalls"] == 0, "ten packets in a round trip are 2 Mbit/s"


def test_transfers_over_endpoints_come_and_go(own: Path, sawtooth: CommandLine) -> None:
    found = traffic(own, sawtooth, THAT_COME)
    assert found["started"] > 300, "one in 50 ms"
    assert found["unfinished"] <= 10, "a transfer takes a tenth of a second or two"
    # 21 datagrams, ten in a round trip.
    alone_s = 2 * (0.040 + PACKET_S) + 0.040 + PACKET_S
    assert found["completion_s"]["p50"] >= alone_s * 0.99
    assert found["slowdown"]["p50"] >= 0.999
    assert traffic(own, sawtooth, THAT_COME) == found


def test_the_application_of_an_endpoint_offers_data_at_a_rate(own: Path, sawtooth: CommandLine) -> None:
    found = traffic(own, sawtooth, PACED)
    assert found["goodput_bps"] == pytest.approx(800e3 * 10 / 20, rel=0.02), "for ten of twenty seconds"


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (
            f'{TRAFFIC.partition("[[traffic]]")[1]}\ncontrol = "toy(ten)"\nrecovery = "rack"\n{REQUESTS}',
            'traffic[0].recovery = "rack": expected no recovery beside an endpoint of a plug-in',
        ),
        ('[[on]]\nat = "2 s"\nset = { "flows[0].supply" = "1 Mbit/s" }\n', "takes back no data"),
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


SAID = {
    "window": ("WINDOW * end->settings.datagram;", "0;", "window = 0: expected 1 to "),
    "round trip": (
        "rtt_ns = SAWTOOTH_NONE",
        "rtt_ns = SAWTOOTH_NONE - 1",
        "expected at most 1000000000000000",
    ),
    "lost": (
        "lost_packets = SAWTOOTH_NONE",
        "lost_packets = 100 - end->first",
        "lost_packets = 98: expected 99, as said before, to 1000000000000000",
    ),
    "read": (
        "delivered = end->first",
        "delivered = 1 + end->first",
        "expected 0, as said before, to the 972 bytes",
    ),
}


@pytest.mark.parametrize("what", SAID)
def test_what_an_endpoint_says_that_cannot_be_ends_the_run(
    sawtooth: CommandLine, own: Path, library: Path, what: str
) -> None:
    """A window of 0 was called a fault of Sawtooth; the others gave rates of 10¹⁸ bit/s, or numbers below 0."""
    good, bad, said = SAID[what]
    text = (ROOT / "tests/endpoint.c").read_text()
    assert text.count(f"state->{good}" if "=" in good else good) == 1
    source = own.parent / "endpoint.c"
    source.write_text(text.replace(good, bad))
    built(source, library.parent)
    done = sawtooth("run", own.name, "--plugin", library.name, "--json")
    assert (done.code, done.out) == (2, "")
    assert done.err.startswith("plug-in toy-ten: state of flow 0 at ")
    assert said in done.err
