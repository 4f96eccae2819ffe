"""Named paths: each is a network that the engine takes, says where its numbers come from, and replaces that of a scenario."""

from __future__ import annotations

import json

import pytest
from tests.conftest import CommandLine

from sawtooth import InputError
from sawtooth.run.api import scenario_of
from sawtooth.run.run import execute
from sawtooth.scenario.paths import ALONE, COMPARED, NetworkPath, on_path, path_of, paths
from sawtooth.scenario.resolve import resolve

NAMES = {
    "dsl", "cable", "fibre", "wifi", "lte", "5g", "leo", "geo", "transatlantic", "datacentre", "3g-edge",
    "lte-driving",
}  # fmt: skip


def test_all_are_there() -> None:
    assert {entry.name for entry in paths()} == NAMES


@pytest.mark.parametrize("path", paths(), ids=lambda path: path.name)
def test_a_path_is_a_network_with_the_origin_of_its_numbers(path: NetworkPath) -> None:
    resolve(scenario_of(on_path(path.name, ALONE)))
    assert {"rate", "rtt", "buffer", "loss", "aqm"} <= set(path.origin)
    assert all(path.origin.values())


@pytest.mark.parametrize("path", paths(), ids=lambda path: path.name)
def test_a_flow_gets_something_across(path: NetworkPath) -> None:
    tables = {**on_path(path.name, ALONE), "duration": "3 s", "warmup": "1 s"}
    tables.pop("on", None)
    found = execute(resolve(scenario_of(tables)))
    assert found.values["goodput"] > 0.02


def test_a_lone_sender_in_the_datacentre_meets_the_marks_of_the_switch() -> None:
    """Its card was as fast as the bottleneck once: packets queued in the card, nothing was marked, and the window grew without end."""
    found = execute(
        resolve(scenario_of({**on_path("datacentre", ALONE), "duration": "3 s", "warmup": "1 s"}))
    )
    assert found.values["marks"] > 0
    # 1 Gbit/s over 220 us are 18 packets of 1500 B, the threshold is 20, and there is room for 10 ms.
    assert found.values["mean_window"] < 18 + 20 + 10
    assert found.values["goodput"] > 0.95


def test_a_cable_modem_has_the_queue_of_its_rfc_which_spares_acknowledgements() -> None:
    """It had PIE for routers with another target: of the early drops beside an upload 19 in 20 hit acknowledgements."""
    both = [
        {"control": "cubic", "recovery": "rack"},
        {"control": "cubic", "recovery": "rack", "reverse": True},
    ]
    found = resolve(
        scenario_of({**on_path("cable", ALONE), "flows": both, "duration": "30 s", "warmup": "10 s"})
    )
    queue = next(link["queue"] for link in found.engine["links"] if link["name"] == "reverse")
    modem = {
        "variant": "docsis", "target_ns": 10**7, "t_update_ns": 16 * 10**6, "alpha": 0.25, "beta": 2.5,
        "max_burst_ns": 142 * 10**6, "cap_adjustment": True, "derandomization": True, "ecn": False,
    }  # fmt: skip
    assert {name: queue[name] for name in modem} == modem  # RFC 8034 appendix A.1
    document = execute(found).to_json()
    upstream = next(row for row in document["queues"] if row["name"] == "reverse")
    upload = document["flows"][1]
    hit = upstream["drops_early"]
    # A packet is hit in proportion to its size; 40 B, beside 1000 B of the upload.
    acks, data = 40 * (upstream["forwarded"] - upload["sent"]), 1000 * upload["sent"]
    share = acks / (acks + data)
    assert hit > 20
    assert abs((hit - upload["retransmits"]) / hit - share) < 5 * (share * (1 - share) / hit) ** 0.5


def test_a_path_takes_the_place_of_the_network_and_nothing_else() -> None:
    own = {
        "duration": "9 s",
        "bottleneck": {"rate": "1 Mbit/s"},
        "path": {"rtt": "999 ms"},
        "environment": {"kind": "constant", "rate": "1 Mbit/s"},
        "tcp": {"initial_window": 3},
        "flows": [{"control": "aimd(1, 0.8)", "count": 3, "rtt": "70 ms"}],
        "record": {"windows": True},
        "traffic": [{"kind": "udp", "rate": "1 Mbit/s", "rtt": "80 ms"}],
    }
    moved = scenario_of(on_path("fibre", own))
    assert moved.bottleneck.rate == 500_000_000
    assert moved.path.rtt == 10_000_000
    assert moved.environment is None
    assert moved.flows[0].rtt is None
    assert moved.data["traffic"] == [{"kind": "udp", "rate": "1 Mbit/s"}]
    assert (moved.duration, moved.flows[0].count, moved.record.windows) == (9_000_000_000, 3, True)
    assert moved.tcp.initial_window == 3  # type: ignore[attr-defined]


def test_an_unknown_path_is_refused() -> None:
    with pytest.raises(InputError, match="one of 3g-edge, 5g, cable"):
        path_of("modem")


def test_both_commands_take_one(sawtooth: CommandLine) -> None:
    alone = sawtooth("run", "--path", "fibre", "--set", "duration=6 s", "--json")
    assert alone.code == 0, alone.err
    assert json.loads(alone.out)["resolved"]["bottleneck"]["rate_bps"] == 500_000_000
    both = sawtooth(
        "compare", "aimd(1, 0.5)", "--path", "dsl", "--seeds", "1", "--duration", "6 s", "--warmup", "2 s"
    )
    assert both.code == 0, both.err
    wrong = sawtooth("run", "--path", "modem")
    assert wrong.code == 2
    assert "--path" in wrong.err


def test_a_comparison_brings_two_flows() -> None:
    (group,) = COMPARED["flows"]
    assert group["count"] == 2
