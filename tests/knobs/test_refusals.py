"""What is said of a key that acts on nothing: which key, which value, and where it would act; exit code 2."""

from __future__ import annotations

import tomllib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest
from tests.conftest import CommandLine
from tests.knobs.contexts import FREE, Tables, context, group

from sawtooth import InputError
from sawtooth.packaged import packaged
from sawtooth.papers.studies import STUDIES, load_study
from sawtooth.run.api import scenario_of
from sawtooth.scenario.scenario import parse_scenario
from sawtooth.scenario.unused_keys import unused

RATE_BASED = {"flows": [group(None, "tfrc", count=2)], "tcp": {"initial_window": None}}
TWO_ROUTER = {"topology": {"kind": "two-router"}}
CONSTANT = {"environment": {"kind": "constant", "rate": "1 Mbit/s"}}
SHORT = {"environment": {"kind": "short-flows", "interarrival": "30 ms"}}
BARE = {"from": "B", "to": "C", "rate": "3 Mbit/s"}
NO_MARKS = "this key only where a queue or a link on the way of the data marks"
NO_CAPABLE = "this key only where ECN-capable data passes (tcp.ecn)"


def complaint(*changes: Tables, key: str, value: Any) -> str:
    """The error for the context with `key` put into it."""
    with pytest.raises(InputError) as caught:
        scenario_of(tables_of(*changes), {key: value})
    return str(caught.value)


def tables_of(*changes: Tables) -> Tables:
    """The tables of a context, some of them changed."""
    return context(**{name: table for change in changes for name, table in change.items()})


@pytest.mark.parametrize(
    ("changes", "key", "value", "accepted"),
    [
        ([], "tcp.reno_recover_test", False, "this key only where recovery is reno"),
        (
            [{"flows": [group("reno", count=2)]}],
            "tcp.sack_pipe",
            "counted",
            "this key only where recovery is sack",
        ),
        (
            [{"flows": [group("reno", count=2)]}],
            "flows[0].sack_timeout",
            "skip",
            "this key only where recovery is sack",
        ),
        ([], "tcp.delayed_ack_timeout", "50 ms", "this key only where delayed_ack = true"),
        (
            [{"tcp": {"rto_cuts": False}}],
            "tcp.timeout_threshold",
            "law",
            "this key only where rto_cuts = true",
        ),
        ([RATE_BASED], "tcp.timer_tick", "10 ms", "this key only beside a controller with a window"),
        (
            [{"flows": [group(limited_transmit=True, count=2)]}],
            "tcp.limited_transmit",
            False,
            "no such key where every group of flows has its own",
        ),
        ([], "tcp.ecn", True, NO_MARKS),
        ([], "flows[0].ecn", True, NO_MARKS),
        ([{"tcp": {"ecn": False}}], "bottleneck.mark", "periodic(30)", NO_CAPABLE),
        ([], "reverse.mark", "periodic(30)", NO_CAPABLE),
        ([{"tcp": {"ecn": False}}], "path.mark", "periodic(30)", NO_CAPABLE),
        ([], "flows[0].in_profile", True, "this key only where a queue on the way is rio"),
        (
            [{"bottleneck": {"queue": {"kind": "rio", "rule": "drop-tail"}}}],
            "bottleneck.queue.average_updates",
            "all",
            'this key only where rule = "red"',
        ),
        (
            [{"bottleneck": {"queue": "drr"}, "flows": [group()], "path": {"rtt_spread": None}}],
            "bottleneck.queue.quantum",
            "500 B",
            "this key only where several flows share the queue",
        ),
        ([{"reverse": {"queue": "red"}}], "reverse.queue.ecn", True, NO_CAPABLE),
        (
            [{"bottleneck": {"queue": "step"}, "tcp": {"ecn": False}}],
            "bottleneck.queue.threshold",
            "5 packets",
            NO_CAPABLE,
        ),
        (
            [],
            "reverse.delay",
            "5 ms",
            "this key only where data flows in reverse: path.rtt says how long acknowledgements take",
        ),
        (
            [{"flows": [group(rtt="30 ms", count=2)], "path": {"rtt": None}}],
            "path.rtt",
            "50 ms",
            "no such key where every group of flows has its own",
        ),
        (
            [{"flows": [group()], "path": {"rtt_spread": None}}],
            "path.rtt_spread",
            0.1,
            "this key only where several flows share one rtt",
        ),
        ([CONSTANT], "record.completions", True, "this key only with an environment of short flows"),
        (
            [TWO_ROUTER],
            "topology.delay",
            "5 ms",
            "this key only with an environment, whose cross traffic is all that crosses R0",
        ),
        (
            [TWO_ROUTER, CONSTANT],
            "topology.host_rate",
            "1 Gbit/s",
            "this key only with an environment of short flows",
        ),
        (
            [TWO_ROUTER, CONSTANT],
            "topology.buffer",
            "20 packets",
            "this key only where R0 can have more than it sends on: with short flows, or a rate below that of the bottleneck",
        ),
        (
            [SHORT],
            "environment.interval",
            "1 s",
            "this key only beside a list of several times as interarrival",
        ),
        ([SHORT], "environment.average_updates", "all", "this key only where bottleneck.queue is red"),
        (
            [FREE, {"tcp": {"ecn": False}, "links": [FREE["links"][0], BARE]}],
            "links[0].mark",
            "periodic(9)",
            NO_CAPABLE,
        ),
    ],
)
def test_a_key_that_acts_on_nothing_is_refused(
    changes: list[Tables], key: str, value: Any, accepted: str
) -> None:
    assert complaint(*changes, key=key, value=value).endswith(f"expected {accepted}")


def test_lengths_of_listed_short_flows_are_in_their_file(tmp_path: Path) -> None:
    (tmp_path / "flows.csv").write_text("start_time_s,packets\n0.1,20\n")
    flows = str(tmp_path / "flows.csv")
    listed = {"environment": {"kind": "short-flows", "arrivals": flows, "interarrival": None}}
    for key in ("environment.packets_mean", "environment.packets_shape"):
        assert "beside interarrival, since arrivals lists the lengths" in complaint(listed, key=key, value=9)


def test_a_link_that_nobody_crosses_needs_no_queue() -> None:
    aside = {"from": "B", "to": "D", "rate": "1 Mbit/s"}
    tables = tables_of(FREE, {"links": [*FREE["links"], aside], "nodes": None})
    assert scenario_of(tables).links[3].rate == 10**6
    for key, value in (("buffer", "5 packets"), ("queue", "red"), ("drop", "periodic(3)")):
        changed = {**tables, "links": [*FREE["links"], {**aside, key: value}]}
        with pytest.raises(InputError, match=rf"links\[3\]\.{key} = .*only on a link that a route crosses"):
            scenario_of(changed)


def test_a_node_that_no_link_joins_is_no_node() -> None:
    tables = tables_of(FREE, {"nodes": [*FREE["nodes"], {"name": "E"}]})
    with pytest.raises(InputError, match=r'nodes\[3\].name = "E": expected a node that links join: A, B, C'):
        scenario_of(tables)


def test_a_setting_that_one_flow_reads_is_used() -> None:
    both = {
        "flows": [group("reno"), group("sack")],
        "tcp": {"sack_pipe": "rfc6675", "reno_recover_test": False},
    }
    assert scenario_of(tables_of(both)).flows[1].recovery == "sack"
    short = {**SHORT, "flows": [group("reno", count=2)], "tcp": {"sack_pipe": "rfc6675"}}
    assert scenario_of(tables_of(short)).tcp.sack_pipe == "rfc6675"  # type: ignore[attr-defined]


def test_a_setting_at_its_default_may_stand_and_another_value_not() -> None:
    """A file that states defaults for all recoveries says nothing that does not hold."""
    stated = tables_of({"tcp": {"reno_recover_test": True, "sack_pipe": "conservative"}})
    assert scenario_of(stated).tcp.reno_recover_test  # type: ignore[attr-defined]
    assert "reno_recover_test = false" in complaint(key="tcp.reno_recover_test", value=False)


def test_a_way_back_as_long_as_the_way_there_may_be_stated() -> None:
    delays = {"bottleneck": {"rate": "8 Mbit/s", "delay": "10 ms"}, "reverse": {"delay": "10 ms"}}
    assert scenario_of(tables_of(delays)).reverse.delay == 10_000_000
    assert "reverse.delay" in complaint(delays, key="reverse.delay", value="5 ms")


def test_what_asks_for_nothing_may_stand() -> None:
    off = {
        "flows": [group(ecn=False, in_profile=False)],
        "path": {"rtt_spread": 0.0},
        "record": {"completions": False},
    }
    assert scenario_of(tables_of(off)).path.rtt_spread == 0


def test_what_the_file_says_must_act_with_or_without_replacements(
    sawtooth: CommandLine, scenario_file: Path
) -> None:
    scenario_file.write_text(scenario_file.read_text() + '\n[tcp]\nsack_pipe = "rfc6675"\n')
    without_sack = sawtooth("run", scenario_file, "--set", "flows.recovery=reno", "--json")
    assert without_sack.code == 0, without_sack.err
    set_in_vain = sawtooth(
        "run", scenario_file, "--set", "flows.recovery=reno", "--set", "tcp.sack_timeout=skip"
    )
    assert set_in_vain.code == 2
    assert (
        set_in_vain.err.splitlines()[0]
        == f'{scenario_file}: tcp.sack_timeout = "skip": expected this key only where recovery is sack'
    )


def test_all_of_them_are_named_at_once(sawtooth: CommandLine, scenario_file: Path) -> None:
    text = scenario_file.read_text().replace('recovery = "reno"', 'recovery = "sack"')
    scenario_file.write_text(
        f"{text}\n[tcp]\nreno_recover_test = false\necn = true\n\n[record]\ncompletions = true\n"
    )
    refused = sawtooth("run", scenario_file)
    assert (refused.code, refused.out) == (2, "")
    assert refused.err.splitlines() == [
        f"{scenario_file}: tcp.reno_recover_test = false: expected this key only where recovery is reno",
        "  these act on nothing either: tcp.ecn, record.completions",
    ]


def test_an_open_parameter_must_act_in_some_run_of_a_study(sawtooth: CommandLine) -> None:
    study, key = "akella2002/fig11", "tcp.reno_recover_test"  # SACK alone
    refused = sawtooth("reproduce", study, "--quick", "--set", f"{key}=false")
    assert refused.code == 2
    accepted = f"an open parameter that acts in {study} ({key}: this key only where recovery is reno)"
    assert refused.err == f"--set: {key} = false: expected {accepted}\n"
    varied = sawtooth("reproduce", study, "--sensitivity", "--parameter", key)
    assert varied.code == 2
    assert f"expected an open parameter of {study} with another plausible value" in varied.err


@pytest.mark.parametrize(
    ("name", "value", "where"),
    [
        ("akella2002/fig1", "environment.floor=0.3", "in rw-low, rw-high"),
        ("akella2002/fig4", "bottleneck.queue.min=75", "in red, ecn"),
    ],
)
def test_an_open_parameter_must_be_one_of_the_environments_and_routers_of_a_study(
    name: str, value: str, where: str, sawtooth: CommandLine
) -> None:
    done = sawtooth("reproduce", name, "--set", value)
    assert done.code == 2
    assert f"expected an open parameter that acts in {name}; this one acts {where}" in done.err


def leaves(table: Any, key: str = "") -> Iterator[str]:
    """The dotted keys of tables and of lists of tables."""
    if isinstance(table, Mapping):
        for name, value in table.items():
            yield from leaves(value, f"{key}.{name}" if key else name)
    elif isinstance(table, list) and any(isinstance(item, Mapping) for item in table):
        for index, item in enumerate(table):
            yield from leaves(item, f"{key}[{index}]")
    else:
        yield key


def shared_file(name: str) -> str:
    """The file that a study extends, or its own, as PAPER/FILE: whose keys several studies share."""
    paper, _, part = name.partition("/")
    data = tomllib.loads((packaged("papers", paper, "studies") / f"{part}.toml").read_text(encoding="utf-8"))
    if "extends" not in data:
        return name
    elsewhere, _, below = data["extends"].removesuffix(".toml").rpartition("/studies/")
    return shared_file(f"{elsewhere.rpartition('/')[2] or paper}/{below}")


@pytest.mark.long
def test_every_key_of_a_study_acts_in_some_run_of_those_that_share_its_file() -> None:
    written: dict[str, set[str]] = {}
    acting: dict[str, set[str]] = {}
    for name in STUDIES:
        place = shared_file(name)
        for tables in load_study(name).kinds():
            keys = set(leaves(tables))
            written.setdefault(place, set()).update(keys)
            idle = {error.key for error in unused(parse_scenario(tables))}
            acting.setdefault(place, set()).update(keys - idle)
    silent = {place: sorted(keys - acting[place]) for place, keys in written.items() if keys - acting[place]}
    assert silent == {}
