"""The fields of a flow and of a queue in `run --json`, each against what the recorded series say of the same run."""

from __future__ import annotations

import math
from collections import defaultdict
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

import sawtooth as st
from sawtooth.measure.metrics import metric
from sawtooth.run.run import Run
from sawtooth.scenario.described import describe

PATH = """
duration = "12 s"
warmup = "2 s"
[bottleneck]
rate = "8 Mbit/s"
delay = "10 ms"
buffer = "60 packets"
[path]
rtt = "40 ms"
access_rate = "1 Gbit/s"
[[flows]]
control = "CONTROL"
RECOVERY
start = "0 s"
[record]
packets = true
"""
EMPTY_NS = 40_000_000 + 8_000 + 1_000_000 + 40_000 + 320
"""The round trip without waiting: 40 ms, a packet of 1000 B at 1 Gbit/s and 8 Mbit/s, and 40 B back."""


def run_of(control: str, recovery: str | None = None, **overrides: Any) -> Run:
    """A flow over the path, with every packet recorded."""
    text = PATH.replace("CONTROL", control).replace(
        "RECOVERY", f'recovery = "{recovery}"' if recovery else ""
    )
    values = {key.replace("__", "."): value for key, value in overrides.items()}
    return st.run(text, set=values, store=False)


def events(run: Run, flow: int = 0) -> dict[str, list[dict[str, int]]]:
    """The rows of the series `packets` of a flow, by what happened."""
    (codes,) = [
        column["codes"]
        for row in describe()["series"]
        for column in row["columns"]
        if (row["name"], column["name"]) == ("packets", "event")
    ]
    found: dict[str, list[dict[str, int]]] = defaultdict(list)
    for row in run.records["packets"].to_pylist():
        if row["flow"] == flow:
            found[codes[row["event"]]].append(row)
    return found


def round_trips_ns(run: Run) -> NDArray[np.int64]:
    """From the sending of each packet to the acknowledgement that first covers it as its newest, ns."""
    found = events(run)
    sent = {row["number"]: row["time_ns"] for row in found["sent"]}
    again = {row["number"] for row in found["sent again"]}
    trips, covered = [], 0
    for row in found["acknowledged"]:
        news = range(covered, row["number"])
        covered = max(covered, row["number"])
        if news and not again.intersection(news) and row["time_ns"] >= run.engine["warmup_ns"]:
            trips.append(row["time_ns"] - sent[news[-1]])
    return np.array(trips, np.int64)


def flow_of(run: Run, index: int = 0) -> dict[str, Any]:
    """A flow of the document."""
    flow: dict[str, Any] = run.to_json()["flows"][index]
    return flow


def of_sorted(values: NDArray[np.int64], share: float) -> float:
    """The least value at or below which a share of all lies."""
    return float(np.sort(values)[max(0, math.ceil(share * values.size) - 1)])


def test_round_trips_are_those_of_every_packet_where_each_gives_a_sample() -> None:
    run = run_of("cubic", "rack", flows__receive_window=90, bottleneck__buffer="200 packets")
    trips, flow = round_trips_ns(run), flow_of(run)
    assert flow["retransmits"] == 0
    for name, less_ns in (("rtt_ms", 0), ("queue_delay_ms", EMPTY_NS)):
        assert flow[name]["min"] == pytest.approx((trips.min() - less_ns) / 1e6, abs=1e-6)
        assert flow[name]["mean"] == pytest.approx((trips.mean() - less_ns) / 1e6, abs=1e-6)
        for quantile, share in (("p50", 0.5), ("p95", 0.95), ("p99", 0.99), ("p999", 0.999)):
            exact = of_sorted(trips, share)
            assert flow[name][quantile] == pytest.approx((exact - less_ns) / 1e6, abs=exact / 128e6)
    assert flow["queue_delay_ms"]["mean"] > 30.0


def test_a_classic_flow_has_one_sample_a_round_trip() -> None:
    run = run_of("aimd(1, 0.5)", "sack")
    trips, flow = round_trips_ns(run), flow_of(run)
    samples = run.flows.column("rtt_samples")[0].as_py()
    assert samples == pytest.approx(10_000 / flow["rtt_ms"]["mean"], rel=0.05)
    assert trips.min() / 1e6 <= flow["rtt_ms"]["min"] + 1e-9
    assert flow["rtt_ms"]["min"] >= EMPTY_NS / 1e6
    # A sample of the same sawtooth: some hundred round trips, against all of its packets.
    assert flow["rtt_ms"]["p50"] == pytest.approx(float(np.median(trips)) / 1e6, rel=0.1)


def test_a_flow_without_a_sample_has_no_round_trip() -> None:
    """Its smoothed round trip was told as 0 ms."""
    flow = flow_of(run_of("cubic", "sack", flows__start="11.99 s"))
    assert flow["srtt_ms"] is flow["srtt_mean_ms"] is flow["rtt_ms"] is None


def test_an_empty_path_has_no_queueing_delay() -> None:
    flow = flow_of(run_of("cubic", "rack", flows__receive_window=1))
    assert flow["queue_delay_ms"]["min"] == flow["queue_delay_ms"]["mean"] == 0.0
    assert flow["rtt_ms"]["mean"] == EMPTY_NS / 1e6


def test_a_path_that_becomes_shorter_is_empty_at_its_shortest() -> None:
    """The delay of the file counted: all of a queueing delay was 0 once `[[on]]` had taken 5 ms away."""
    shorter = [{"at": "0 s", "set": {"bottleneck.delay": "5 ms"}}]
    text = PATH.replace("CONTROL", "cubic").replace("RECOVERY", 'recovery = "rack"')
    short = flow_of(st.run(text, set={"on": shorter, "flows.receive_window": 1}, store=False))
    assert short["queue_delay_ms"]["min"] == short["queue_delay_ms"]["mean"] == 0.0
    full = flow_of(st.run(text, set={"on": shorter}, store=False))
    assert full["rtt_ms"]["mean"] - full["queue_delay_ms"]["mean"] == pytest.approx(EMPTY_NS / 1e6 - 5.0)
    longer = [{"at": "0 s", "set": {"bottleneck.delay": "15 ms"}}]
    long = flow_of(st.run(text, set={"on": longer, "flows.receive_window": 1}, store=False))
    assert long["queue_delay_ms"]["mean"] == pytest.approx(5.0)


def test_the_delay_of_the_queue_is_that_of_its_packets() -> None:
    run = run_of("aimd(1, 0.5)", "sack")
    found = events(run)
    sent = {row["number"]: row["time_ns"] for row in [*found["sent"], *found["sent again"]]}
    way_ns = 20_000_000 + 8_000 + 1_000_000
    arrived = [*found["arrived"], *found["arrived again"]]
    delays = np.array([row["time_ns"] - sent[row["number"]] - way_ns for row in arrived])
    leaves = np.array([row["time_ns"] for row in arrived]) - 11_000_000  # transmission and 10 ms
    inside = delays[(leaves >= 2_000_000_000) & (leaves < 12_000_000_000)]
    queue = run.to_json()["queues"][0]
    assert queue["delay_ms"]["mean"] == queue["test"]["mean_delay_ms"]
    for quantile, share in (("p50", 0.5), ("p95", 0.95), ("p99", 0.99), ("p999", 0.999)):
        exact = of_sorted(inside, share) / 1e6
        assert queue["delay_ms"][quantile] == pytest.approx(exact, rel=0.01, abs=0.05)
    assert queue["subqueues"] == []


def time_mean(times_ns: list[int], values: list[float], end_ns: int) -> float:
    """Of a value that holds until the next."""
    spans = np.diff([*times_ns, end_ns])
    return float((spans * np.array(values)).sum() / spans.sum())


def test_the_pacing_rate_and_the_states_of_a_model_are_those_it_records() -> None:
    run = run_of("bbr", "rack", record__model=True, record__sample="2 ms", record__packets=False)
    flow, rows = flow_of(run), run.records["model"].to_pylist()
    inside = [row for row in rows if row["time_ns"] >= 2_000_000_000]
    recorded = time_mean(
        [row["time_ns"] for row in inside], [row["pacing_bps"] for row in inside], 12_000_000_000
    )
    assert flow["pacing_bps"] == pytest.approx(recorded, rel=0.01)
    (names,) = [
        column["codes"]
        for row in describe()["series"]
        for column in row["columns"]
        if (row["name"], column["name"]) == ("model", "state")
    ]
    spans = np.diff([row["time_ns"] for row in inside] + [12_000_000_000]) / 1e9
    spent: dict[str, float] = defaultdict(float)
    for row, span in zip(inside, spans, strict=True):
        spent[names[row["state"]]] += float(span)
    assert sum(flow["states"].values()) == pytest.approx(10.0, abs=1e-9)
    assert set(flow["states"]) == set(spent)
    assert all(flow["states"][name] == pytest.approx(spent[name], abs=0.01) for name in spent)


def test_the_pacing_rate_of_a_rate_based_flow_is_what_it_sends() -> None:
    flow = flow_of(run_of("tfrc"))
    assert flow["pacing_bps"] == pytest.approx(flow["sent"] * 8_000 / 10.0, rel=0.02)
    assert flow["delivery_rate_bps"] is None
    assert flow["rtt_ms"]["min"] >= 40.0


def test_the_delivery_rate_over_a_full_link_is_that_of_the_link() -> None:
    flow = flow_of(run_of("cubic", "rack"))
    assert flow["delivery_rate_bps"] == pytest.approx(8e6, rel=0.02)
    assert flow["pacing_bps"] is None
    classic = flow_of(run_of("aimd(1, 0.5)", "sack"))
    assert classic["pacing_bps"] is classic["delivery_rate_bps"] is None
    assert classic["states"] == {}


@pytest.mark.parametrize("recovery", ["tahoe", "newreno", "sack", "rack", "quic"])
def test_spurious_retransmissions_are_packets_that_arrived_twice(recovery: str) -> None:
    lost = {"reverse__drop": "list(40, 41, 42, 43, 44, 45, 46)", "flows__receive_window": 6}
    run = run_of("cubic", recovery, warmup="0 s", **lost)
    flow, found = flow_of(run), events(run)
    assert flow["drops"] == 0
    assert flow["spurious_retransmits"] == len(found["arrived again"]) == flow["retransmits"] > 0


def test_marks_that_arrive_are_counted() -> None:
    run = run_of("aimd(1, 0.5)", "sack", bottleneck__mark="periodic(200)")
    flow, found = flow_of(run), events(run)
    way_ns = 11_000_000  # behind the queue, in which marked packets wait
    marks = [row["time_ns"] for row in found["marked at a queue"] + found["marked on a link"]]
    before_end = [time for time in marks if 2_000_000_000 - way_ns <= time < 12_000_000_000 - way_ns]
    assert abs(flow["ce_received"] - len(before_end)) <= 1
    assert flow["ce_received"] == flow["marks"] > 10


def test_a_lost_tail_is_probed_once_and_completes() -> None:
    lost = {"flows.bytes": "20 kB", "bottleneck.drop": "list(20)", "warmup": "0 s"}
    text = PATH.replace("CONTROL", "cubic").replace("RECOVERY", 'recovery = "rack"')
    run = st.run(text, set=lost, store=False)
    flow, found = flow_of(run), events(run)
    assert flow["tail_probes"] == len(found["sent again"]) == 1
    assert flow["timeouts"] == 0
    assert flow["completion_s"] == found["acknowledged"][-1]["time_ns"] / 1e9
    assert flow["slowdown"] == 1.0  # the loss is of the path


@pytest.mark.filterwarnings("error")
def test_a_run_of_less_than_two_round_trips_has_no_loss_epochs() -> None:
    link = {"rate": "10 Mbit/s", "buffer": "2 packets"}
    scenario = {"duration": "150 ms", "warmup": "0 s", "bottleneck": link, "path": {"rtt": "100 ms"}}
    flows = [{"control": "aimd(1, 0.5)", "count": 3, "start": "0 s"}]
    run = st.run({**scenario, "flows": flows, "record": {"congestion": True}}, store=False)
    assert run.values["drops"] > 0
    assert math.isnan(run.values["loss_epoch_correlation"])


def test_slowdown_is_against_the_same_transfer_alone() -> None:
    text = PATH.replace("CONTROL", "aimd(1, 0.5)").replace("RECOVERY", 'recovery = "sack"\nbytes = "300 kB"')
    other = '[[flows]]\ncontrol = "aimd(1, 0.5)"\nstart = "0 s"\n'
    values = {"flows[0].start": "3 s"}
    beside = flow_of(st.run(text + other, set=values, store=False))
    alone = flow_of(st.run(text, set=values, store=False))
    assert alone["slowdown"] == 1.0
    assert beside["slowdown"] == pytest.approx(beside["completion_s"] / alone["completion_s"], rel=1e-12)
    assert beside["slowdown"] > 1.5
    endless = flow_of(st.run(text + other, set=values, store=False), 1)
    assert endless["completion_s"] is endless["slowdown"] is None


def test_a_transfer_of_the_warm_up_has_a_completion_time() -> None:
    """The metric says of its window that the warm-up is included."""
    text = PATH.replace("CONTROL", "cubic").replace("RECOVERY", 'recovery = "rack"\nbytes = "100 kB"')
    run = st.run(text, store=False)
    flow = flow_of(run)
    assert flow["finished_s"] < 2.0
    assert (flow["sent"], run.values["completion"]) == (0, flow["completion_s"])
    assert "warm-up included" in metric("completion").window


def test_who_is_alone_meets_every_change_of_the_links() -> None:
    """A table of `[[on]]` that also changed the supply of others was left out whole: the slow-down was 5 where nobody else was."""
    text = PATH.replace("CONTROL", "cubic").replace("RECOVERY", 'recovery = "rack"\nbytes = "1 MB"')
    other = '[[flows]]\ncontrol = "cubic"\nstart = "10 s"\n'
    sets = {"bottleneck.rate": "2 Mbit/s", "flows[1].supply": "1 Mbit/s"}
    values = {"flows[0].start": "1 s", "on": [{"at": "0.5 s", "set": sets}]}
    flow = flow_of(st.run(text + other, set=values, store=False))
    assert flow["completion_s"] > 4.0
    assert flow["slowdown"] == 1.0


def test_a_transfer_is_complete_if_it_comes_to_its_end_before_its_stop() -> None:
    """A flow with a stop had no completion time, even where the stop was long after its end."""
    text = PATH.replace("CONTROL", "aimd(1, 0.5)").replace("RECOVERY", 'recovery = "sack"')
    for more in ({"bytes": "300 kB"}, {"supply": [["0 s", "10 packets"], ["1 s", "20 kB"]]}):
        values = {"warmup": "0 s", **{f"flows.{key}": value for key, value in more.items()}}
        free = flow_of(st.run(text, set=values, store=False))
        late = flow_of(st.run(text, set={**values, "flows.stop": "5 s"}, store=False))
        early = flow_of(st.run(text, set={**values, "flows.stop": "0.2 s"}, store=False))
        assert free["completion_s"] == free["finished_s"]
        assert (late["completion_s"], late["slowdown"]) == (free["completion_s"], 1.0)
        assert early["finished_s"] < free["finished_s"]
        assert early["completion_s"] is early["slowdown"] is None


def test_every_timeout_without_a_loss_is_withdrawn() -> None:
    text = PATH.replace('rate = "8 Mbit/s"', 'trace = "outage.trace"').replace("CONTROL", "cubic")
    values = {"duration": "40 s", "warmup": "0 s", "bottleneck.buffer": "200 packets"}
    run = st.run(
        text.replace("RECOVERY", 'recovery = "rack"\nreceive_window = 60'),
        set={**values, "record.windows": True},
        store=False,
    )
    flow = flow_of(run)
    cuts = run.records["windows"].to_pylist()
    episodes = [row for row in cuts if row["window_before"] > 1.0]  # others follow within the same silence
    assert flow["drops"] == 0
    assert flow["undos"] == len(episodes) == 4
    assert flow["timeouts"] == len(cuts) == 6
    assert flow["retransmits"] == flow["spurious_retransmits"] == flow["timeouts"] + flow["tail_probes"]


def test_fields_of_a_stored_run_are_those_of_the_run(tmp_path: Any) -> None:
    store = st.Store(tmp_path)
    text = PATH.replace("CONTROL", "bbr").replace("RECOVERY", 'recovery = "rack"\nbytes = "500 kB"')
    run = st.run(text, set={"warmup": "0 s"}, store=store)
    kept = store.get(run.run_id)
    assert kept is not None
    assert kept.to_json() == run.to_json()
    assert flow_of(run)["states"]
    assert flow_of(run)["slowdown"] == 1.0
