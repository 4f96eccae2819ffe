"""`[[traffic]]`: what it adds to the engine's scenario, and each report against what follows from rates, delays and recorded series."""

from __future__ import annotations

import math
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.fits import fits

import sawtooth as st
from sawtooth import InputError, _native
from sawtooth.plain import canonical, whole_numbers
from sawtooth.run import run as run_module
from sawtooth.run.api import job_of, scenario_of
from sawtooth.run.run import Run
from sawtooth.run.runner import run_many
from sawtooth.scenario.resolve import resolve
from sawtooth.scenario.scenario import parse_scenario
from sawtooth.scenario.trace import parse_trace, shipped_text

EXAMPLES = Path(__file__).parent.parent / "examples"
PATH = """
duration = "DURATION"
warmup = "0 s"
[bottleneck]
rate = "8 Mbit/s"
delay = "10 ms"
buffer = "60 packets"
[reverse]
rate = "8 Mbit/s"
buffer = "60 packets"
[path]
rtt = "40 ms"
access_rate = "1 Gbit/s"
[[flows]]
control = "cubic"
recovery = "rack"
start = "START"
"""


def with_traffic(
    kind: str, download: str = "9.9 s", duration: str = "10 s", idle: str | None = None, **keys: Any
) -> Run:
    """A group beside a download that starts then: by default so late that the traffic has the path for itself."""
    text = PATH.replace("DURATION", duration).replace("START", download)
    table = "\n".join([f'[[traffic]]\nkind = "{kind}"', *(f"{key} = {value}" for key, value in keys.items())])
    return st.run(text + table, set={} if idle is None else {"tcp.idle": idle}, store=False)


def report_of(run: Run) -> dict[str, Any]:
    """The report of its only group, in a document that fits its schema."""
    document = run.to_json()
    assert fits(document) == "run"
    (report,) = document["traffic"]
    return dict(report)


ACCESS_NS = 8_000
"""A packet of 1000 B at 1 Gbit/s; at 8 Mbit/s it takes 1 ms."""


def test_transfers_alone_are_not_slowed_down_and_take_what_the_path_takes() -> None:
    run = with_traffic("finite", size='"3 kB"', every='"1 s"', stop='"9 s"')
    report = report_of(run)
    took = run.records["completions"].column("completion_ns").to_numpy() / 1e9
    starts = np.sort(run.records["completions"].column("start_ns").to_numpy())
    assert report["started"] == len(took) > 3
    assert report["unfinished"] == 0
    assert report["completion_s"]["mean"] == pytest.approx(took.mean())
    # A SYN of 40 B and its answer, then three packets in one flight: two round trips, and the last packet waits for two others.
    handshake_ns = 40_000_000 + 2 * (320 + 40_000)
    flight_ns = 40_000_000 + ACCESS_NS + 3 * 1_000_000 + 320 + 40_000
    apart = np.diff(starts).min() > 2 * (handshake_ns + flight_ns)
    assert report["completion_s"]["p50"] == pytest.approx((handshake_ns + flight_ns) / 1e9, abs=1e-7)
    assert report["slowdown"]["p50"] == 1.0
    assert not apart or report["slowdown"]["max"] == 1.0
    assert run.flows.num_rows == 1


def test_transfers_beside_a_download_are_slower_size_by_size() -> None:
    busy = with_traffic("finite", download="0 s", size='"pareto(20 kB, 1.5)"', load=0.1)
    report = report_of(busy)
    assert report["slowdown"]["p50"] > 1.5
    table = busy.records["completions"].to_pylist()
    assert report["started"] - report["unfinished"] == len(table)
    # The smallest transfers are one flight: what they take alone follows from the path, as above.
    smallest = min(row["packets"] for row in table)
    alone_ns = 80_000_000 + 2 * 40_320 + ACCESS_NS + smallest * 1_000_000 + 40_320
    of_smallest = [row["completion_ns"] / alone_ns for row in table if row["packets"] == smallest]
    assert smallest <= 10
    assert report["slowdown"]["max"] >= max(of_smallest) * (1 - 1e-6)
    offered = 8.0 * 1000 * sum(row["packets"] for row in table) / 10.0
    assert report["goodput_bps"] == pytest.approx(offered, rel=0.1)


def test_the_load_of_transfers_is_a_share_of_their_link() -> None:
    run = with_traffic("finite", download="39 s", duration="40 s", size='"10 kB"', load=0.25)
    arrivals = run.records["arrivals"].to_pylist()[0]
    mean = 0.25 * 40 * 8e6 / 8 / 10_000  # a Poisson count
    assert abs(arrivals["started"] - mean) < 5 * math.sqrt(mean)
    assert arrivals["offered_packets"] == 10 * arrivals["started"]


@pytest.mark.parametrize(
    ("load", "size", "shape"),
    [(0.5, "1500 B", 2.5), (0.7, "2 kB", 2.5), (0.5, "5 kB", 2.5), (0.5, "400 B", 3.0)],
)
def test_the_load_of_drawn_transfers_is_that_of_their_whole_packets(
    load: float, size: str, shape: float
) -> None:
    """Sizes are rounded up to whole packets, and the time between two was that of sizes before: 0.667 for a load of 0.5 with 1500 B."""
    duration_ns = 400 * 10**9
    text = PATH.replace("DURATION", "400 s").replace("START", "399 s")
    text += f'[[traffic]]\nkind = "finite"\nsize = "pareto({size}, {shape})"\nload = {load}\n'
    job = job_of(scenario_of(text), seed="1")
    (arrivals,) = job.engine["arrivals"]
    schedule = _native.arrivals("1", arrivals["name"], canonical(arrivals["schedule"]), duration_ns)
    packets = np.array(whole_numbers(*schedule["packets"]), dtype=float)
    offered = 8000 * packets.sum() / 400 / 8e6
    # The total of a Poisson number of transfers; five of its standard deviations, estimated from what was drawn.
    bound = 5 * 8000 * math.sqrt((packets**2).sum()) / 400 / 8e6
    assert bound < 0.03
    assert offered == pytest.approx(load, abs=bound)


def test_what_was_decided_of_traffic_is_told() -> None:
    """The page sent its reader to `resolved`, where it did not stand: 600 kbit/s in frames of two packets of 1200 B are 31.25 a second."""
    (call,) = with_traffic("media", rate='"600 kbit/s"').resolved["traffic"]
    assert (call["kind"], call["fps"], call["rate_bps"]) == ("media", 31.25, 600_000)
    (stream,) = with_traffic("udp", share=0.1).resolved["traffic"]
    assert (stream["kind"], stream["rate_bps"]) == ("udp", 800_000)


def test_a_paced_application_gets_what_it_offers() -> None:
    run = with_traffic("paced", rate='"1 Mbit/s"', start='"2 s"', stop='"6 s"', count=2)
    report = report_of(run)
    assert report["offered_bps"] == pytest.approx(0.4e6)
    assert report["delivered_share"] == pytest.approx(1.0, abs=0.005)
    assert report["flows"] == [1, 2]
    flows = run.to_json()["flows"]
    assert [flow["test"] for flow in flows] == [True, False, False]
    assert [flow["sent"] for flow in flows[1:]] == [pytest.approx(500, abs=2)] * 2
    # Nothing queues but the packets of the two that leave at the same time.
    assert report["rtt_ms"] == pytest.approx(41.5, abs=0.6)


def test_packets_on_an_empty_path_take_its_way() -> None:
    report = report_of(with_traffic("udp", share=0.1))
    assert report["loss_pct"] == 0.0
    assert report["sent"] == pytest.approx(900, abs=1)  # a hundred a second, but those of the last second
    way_ms = 20.0 + 0.008 + 1.0
    assert report["delay_ms"]["p50"] == pytest.approx(way_ms, rel=0.005)
    assert report["delay_ms"]["mean"] == pytest.approx(way_ms, abs=1e-9)


def test_what_is_more_than_the_link_is_lost() -> None:
    report = report_of(with_traffic("udp", rate='"10 Mbit/s"'))
    assert report["loss_pct"] == pytest.approx(20.0, abs=1.0)
    # In a buffer of 60 packets that is always full, behind one that is being sent for half of its time on average.
    assert report["delay_ms"]["p50"] == pytest.approx(21.0 + 59.0, abs=1.5)


@pytest.mark.parametrize(("deadline", "missed"), [("25 ms", 0.0), ("23 ms", 100.0)])
def test_frames_are_late_or_not_by_their_deadline(deadline: str, missed: float) -> None:
    # Four packets of 1000 B, of which the last leaves the link after 4 ms: 24.008 ms with the way.
    report = report_of(
        with_traffic("media", rate='"960 kbit/s"', packet='"1000 B"', deadline=f'"{deadline}"')
    )
    assert report["frames"] == pytest.approx(300, abs=1)
    assert report["missed_pct"] == missed
    assert report["incomplete"] == 0
    assert report["delay_ms"]["mean"] == pytest.approx(24.008, abs=1e-3)


def test_a_call_of_which_no_frame_arrives_whole_has_no_part_in_quantiles() -> None:
    text = PATH.replace("DURATION", "1 s").replace("START", "0.9 s")
    call = '[[traffic]]\nkind = "media"\nrate = "960 kbit/s"\npacket = "1000 B"\ncount = 8\n'
    run = st.run(text + call, set={"bottleneck.drop": "bernoulli(0.7)"}, store=False)
    report = report_of(run)
    assert 0 < report["frames"] - report["incomplete"] < 8  # so there is a call without any
    assert min(report["delay_ms"].values()) > 20.0  # the way
    assert report["delay_ms"]["p50"] <= report["delay_ms"]["p95"]


def test_frames_that_deviate_keep_the_rate_and_are_late_where_they_are_large() -> None:
    # Frames of four packets take 24.008 ms, of five 25.008 ms.
    keys: dict[str, Any] = {
        "rate": '"960 kbit/s"',
        "packet": '"1000 B"',
        "deadline": '"25 ms"',
        "scale_b": 0.15,
    }
    sizes = with_traffic("media", **keys)
    report = report_of(sizes)
    assert report["frames"] == pytest.approx(300, abs=3), "intervals have no scale of their own"
    assert report["delay_ms"]["p50"] == pytest.approx(24.0, abs=0.1)
    assert report["delay_ms"]["p99"] > 25.0
    # Five where 4x, Laplacian of scale s = 0.6, and what earlier frames left over, even in 0 to 1, come to one: s/2 (1 - exp(-1/s)).
    assert report["missed_pct"] == pytest.approx(100 * 0.3 * (1 - math.exp(-1 / 0.6)), abs=7.5), (
        "three standard errors"
    )
    assert report["loss_pct"] == 0.0
    (stream,) = sizes.engine["sources"]
    assert stream["frames"]["scale_b"] == 0.15
    assert "scale_t" not in stream["frames"]
    assert with_traffic("media", **keys).digest == sizes.digest
    other = report_of(with_traffic("media", **{**keys, "scale_b": 0.0, "scale_t": 0.15}))
    assert other["missed_pct"] == 0.0
    assert other["frames"] == pytest.approx(300, abs=15)


def test_an_answer_takes_a_request_and_the_packets_of_it() -> None:
    # After a pause RFC 7661 has the flight paced; without that it leaves at once.
    run = with_traffic("request-response", idle="keep", size='"5 kB"', think='"200 ms"', stop='"9 s"')
    report = report_of(run)
    # A request of a packet against the data's way, and five packets back behind its acknowledgement; both have the access link.
    expected_s = (40_000_000 + 2 * ACCESS_NS + 6 * 1_000_000 + 40_000) / 1e9
    assert report["completion_s"]["p50"] == pytest.approx(expected_s, abs=2e-5)
    assert report["slowdown"]["max"] == 1.0
    assert report["unfinished"] == 0
    assert report["started"] == pytest.approx(9 / (0.2 + expected_s), rel=0.35)  # times to think are drawn


def test_pages_alone_are_those_of_company_page_by_page() -> None:
    keys: dict[str, Any] = {"objects": 8, "size": '"pareto(8 kB, 1.5)"', "think": '"0.3 s"'}
    quiet, busy = (with_traffic("web", download=start, **keys) for start in ("9.9 s", "0.5 s"))
    alone, beside = (run.records["transactions"].to_pylist() for run in (quiet, busy))
    both = [
        (one["packets"], other["packets"])
        for one, other in zip(alone, beside, strict=False)
        if other["duration_ns"] >= 0
    ]
    assert len(both) > 3
    assert all(one == other for one, other in both)
    ratios = [other["duration_ns"] / one["duration_ns"] for one, other in zip(alone, beside, strict=False)]
    expected = [ratio for ratio, other in zip(ratios, beside, strict=False) if other["duration_ns"] >= 0]
    report = report_of(busy)
    assert report["slowdown"]["mean"] == pytest.approx(float(np.mean(expected)))
    assert report["slowdown"]["mean"] > 1.2
    assert report["completion_s"]["max"] > report_of(quiet)["completion_s"]["p50"]


def test_pages_against_an_upload_wait_behind_it() -> None:
    keys: dict[str, Any] = {"objects": 4, "size": '"4 kB"', "think": '"0.2 s"', "reverse": "true"}
    upload = report_of(with_traffic("web", download="0 s", **keys))
    assert upload["slowdown"]["p50"] > 1.3
    assert report_of(with_traffic("web", **keys))["slowdown"]["p50"] == 1.0


def test_a_film_is_as_good_as_the_path_carries() -> None:
    keys: dict[str, Any] = {
        "rates": '["0.5 Mbit/s", "1 Mbit/s", "4 Mbit/s"]',
        "chunk": '"1 s"',
        "buffer": '"10 s"',
    }
    good = report_of(
        with_traffic("video", download="39 s", duration="40 s", reservoir='"2 s"', stop='"38 s"', **keys)
    )
    assert good["viewers"] == good["alone"]
    assert good["viewers"][0]["stalls"] == 0
    assert 3e6 < good["viewers"][0]["quality_bps"] <= 4e6
    poor = with_traffic("video", download="39 s", duration="40 s", rates='["10 Mbit/s"]', chunk='"1 s"')
    (viewer,) = report_of(poor)["viewers"]
    # 1.25 MB a chunk at a megabyte a second: a quarter of a second without a picture after each.
    assert viewer["stalls"] == pytest.approx(viewer["chunks"] - 1, abs=2)
    assert viewer["stalled_s"] / viewer["stalls"] == pytest.approx(0.3, abs=0.06)
    assert viewer["startup_s"] > 1.25


def test_metrics_are_of_test_flows_alone_and_a_run_is_read_back_whole(tmp_path: Path) -> None:
    text = PATH.replace("DURATION", "5 s").replace("START", "0 s")
    groups = '[[traffic]]\nkind = "finite"\nsize = "10 kB"\nload = 0.1\n[[traffic]]\nkind = "paced"\nrate = "1 Mbit/s"\n'
    groups += '[[traffic]]\nkind = "media"\nrate = "1 Mbit/s"\n[[traffic]]\nkind = "web"\nthink = "0.1 s"\n'
    store = st.Store(tmp_path)
    run = st.run(text + groups, store=store)
    kept = store.get(run.run_id)
    assert kept is not None
    assert kept.to_json() == run.to_json()
    assert run.values["goodput"] == pytest.approx(run.to_json()["flows"][0]["goodput_bps"] / 8e6)
    assert math.isnan(run.values["cross_share"])
    assert [report["kind"] for report in run.traffic] == ["finite", "paced", "media", "web"]
    assert st.replay(run.run_id, store).same


def test_runs_alone_are_made_once_and_kept_in_the_store(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of a transfer, of transfers by size, of a reader of pages: three runs alone, which another process finds in the store."""
    text = (
        PATH.replace("DURATION", "5 s").replace("START", "0 s").replace('start = "0 s"', 'bytes = "100 kB"')
    )
    text += '[[traffic]]\nkind = "finite"\nsize = "10 kB"\nevery = "1 s"\n[[traffic]]\nkind = "web"\nthink = "0.1 s"\n'
    made: list[str] = []
    simulated = _native.run

    def counting(scenario: str) -> Any:
        made.append(_native.run_id(scenario))
        return simulated(scenario)

    def another_process() -> None:
        run_module._records_alone.cache_clear()
        run_module._completion_alone_ns.cache_clear()

    monkeypatch.setattr(_native, "run", counting)
    another_process()
    first = st.run(text, store=tmp_path)
    assert len(made) == len(set(made)) == 4, "the run itself and three alone"
    store = st.Store(tmp_path)
    assert set(store.ids()) == set(made)
    names = {store.get(run_id).meta["name"] for run_id in made if run_id != first.run_id}  # type: ignore[union-attr]
    assert names == {"alone"}
    another_process()
    again = st.run(text, store=tmp_path)
    assert made[4:] == [first.run_id], "the run itself alone is made again"
    assert again.to_json() == first.to_json()
    for run_id in made[1:4]:
        assert st.replay(run_id, tmp_path).same
    another_process()
    made.clear()
    st.run(text, store=False)
    assert len(made) == 4, "without a store they are kept for the process"
    st.run(text, store=False)
    assert len(made) == 5


def test_a_sweep_makes_runs_alone_once_for_all_seeds(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    text = PATH.replace("DURATION", "5 s").replace('start = "START"', 'bytes = "100 kB"')
    run_module._completion_alone_ns.cache_clear()
    jobs = [job_of(scenario_of(text), seed) for seed in ("1", "2", "3")]
    store = st.Store(tmp_path)
    first = run_many(jobs, store)
    alone = set(store.ids()) - {run.run_id for run in first}
    assert len(alone) == 1
    run_module._completion_alone_ns.cache_clear()
    monkeypatch.setattr(_native, "run", lambda _: pytest.fail("everything is in the store"))
    assert [run.digest for run in run_many(jobs, store)] == [run.digest for run in first]


@pytest.mark.parametrize(
    ("table", "key", "accepted"),
    [
        (
            'kind = "game"',
            "traffic[0].kind",
            "one of finite, paced, udp, media, request-response, web, video",
        ),
        ('size = "5 kB"', "traffic[0].kind", "which is required"),
        (
            'kind = "finite"\nsize = "5 kB"',
            "traffic[0].load",
            "this key or every: one of the two is required",
        ),
        ('kind = "finite"\nsize = "5 kB"\nload = 0.1\nevery = "1 s"', "traffic[0].load", "either load or"),
        ('kind = "finite"\nsize = "pareto(5 kB, 1)"\nload = 0.1', "traffic[0].size", "a shape above 1"),
        ('kind = "udp"', "traffic[0].rate", "this key or share: one of the two is required"),
        (
            'kind = "udp"\nrate = "1 Mbit/s"\nshare = 0.1',
            "traffic[0].rate",
            '"1 Mbit/s": expected either rate or share, not both',
        ),
        ('kind = "media"', "traffic[0].rate", "this key or control: one of the two is required"),
        ('kind = "media"\nrate = "1 Mbit/s"\nscale_b = 0.6', "traffic[0].scale_b", "0.5"),
        ('kind = "media"\ncontrol = "nada"\nscale_b = 0.1', "traffic[0].scale_b", "nada(scale_b = 0.1)"),
        (
            'kind = "udp"\nrate = "1 Mbit/s"\nthink = "1 s"',
            "traffic[0].think",
            "this kind of traffic uses no other",
        ),
        ('kind = "media"\nrate = "1 Mbit/s"\nrtt = "10 ms"', "traffic[0].rtt", "at least 20 ms"),
        ('kind = "web"\nrtt = "10 ms"', "traffic[0].rtt", "at least 20 ms"),
        ('kind = "web"\nstart = "20 s"', "traffic[0].start", "before the end of the run"),
        ('kind = "web"\nstart = "2 s"\nstop = "1 s"', "traffic[0].stop", "a time after start"),
        ('kind = "web"\ncontrol = "tfrc"', "traffic[0].control", "a controller with a window"),
        ('kind = "video"\nrates = ["2 Mbit/s", "1 Mbit/s"]', "traffic[0].rates", "ascending"),
        ('kind = "video"\nbuffer = "1 s"', "traffic[0].buffer", "at least a chunk, 4 s"),
        ('kind = "video"\nreservoir = "30 s"', "traffic[0].reservoir", "less than buffer, 30 s"),
        ('kind = "paced"\nrate = "1 Mbit/s"\ncount = 0', "traffic[0].count", "1 or more"),
    ],
)
def test_what_traffic_cannot_be_is_said(table: str, key: str, accepted: str) -> None:
    text = PATH.replace("DURATION", "10 s").replace("START", "0 s")
    with pytest.raises(InputError) as caught:
        st.run(f"{text}[[traffic]]\n{table}\n", store=False)
    assert caught.value.key == key
    assert accepted in str(caught.value)


def test_traffic_needs_the_path_for_itself() -> None:
    text = PATH.replace("DURATION", "10 s").replace("START", "0 s")
    with pytest.raises(InputError, match="no traffic beside an environment of short flows"):
        st.run(f'{text}[environment]\nkind = "real-cons-low"\n[[traffic]]\nkind = "web"\n', store=False)


def example(name: str, **changes: str) -> list[dict[str, Any]]:
    """The reports of an example, run for a shorter time."""
    overrides = {"duration": "25 s", **{key.replace("__", "."): value for key, value in changes.items()}}
    return st.run(EXAMPLES / f"{name}.toml", set=overrides, store=False).traffic


def test_a_call_beside_a_download_needs_a_short_queue() -> None:
    ((deep,), (short,)) = (
        example("call-beside-download"),
        example("call-beside-download", bottleneck__queue="codel"),
    )
    assert deep["missed_pct"] > 90
    assert short["missed_pct"] < 5


def test_a_page_during_an_upload_needs_a_short_queue() -> None:
    ((deep,), (short,)) = (
        example("page-during-upload"),
        example("page-during-upload", bottleneck__queue="pie"),
    )
    assert deep["slowdown"]["p50"] > 2 * short["slowdown"]["p50"]


def test_an_evening_has_a_report_of_each() -> None:
    kinds = [report["kind"] for report in example("evening")]
    assert kinds == ["video", "request-response", "finite", "paced", "udp"]


@pytest.mark.parametrize(
    ("kind", "keys", "key"),
    [
        ("finite", {"size": '"50 kB"', "load": "1e300"}, "load = 1e+300"),
        ("finite", {"size": '"50 kB"', "load": "1e-300"}, "load = 1e-300"),
        ("finite", {"size": '"50 kB"', "every": '"1 ns"'}, 'every = "1 ns"'),
        ("finite", {"size": '"pareto(50 kB, 1.5)"', "every": '"100 ns"'}, 'every = "100 ns"'),
        ("finite", {"size": '"50 kB"', "every": '"9e9 s"'}, 'every = "9000000000 s"'),
        ("finite", {"size": '"1e15 B"', "every": '"1 s"'}, 'size = "1000000000 MB"'),
        ("media", {"rate": '"1 Mbit/s"', "fps": "1e-300"}, "fps = 1e-300"),
        ("media", {"rate": '"9e18 bit/s"', "fps": "1"}, 'rate = "9000000000 Gbit/s"'),
        ("udp", {"share": "1e300"}, "share = 1e+300"),
        ("udp", {"share": "1e-300"}, "share = 1e-300"),
        ("paced", {"rate": '"9e18 bit/s"'}, 'rate = "9000000000 Gbit/s"'),
        ("request-response", {"size": '"1 kB"', "request": '"1e18 B"'}, 'request = "1000000000000 MB"'),
        ("web", {"size": '"1e18 B"'}, 'size = "1000000000000 MB"'),
    ],
)
def test_numbers_beyond_what_the_engine_has_name_their_key(kind: str, keys: dict[str, str], key: str) -> None:
    """An interval of 0 ns meant no traffic; the engine could not read others, or complained of a key of its own."""
    with pytest.raises(InputError, match=rf"^scenario: traffic\[0\]\.{re.escape(key)}: expected "):
        with_traffic(kind, **keys)


@pytest.mark.parametrize(
    ("route", "rate"), [(["a", "b"], "cellular.trace"), (["a", "b", "c"], "outage.trace")]
)
def test_a_share_is_that_of_the_tightest_trace_on_its_way(route: list[str], rate: str) -> None:
    """Any trace had counted with the mean of the bottleneck."""
    links = [
        {"from": "a", "to": "b", "trace": "cellular.trace", "delay": "5 ms", "buffer": "50 packets"},
        {"from": "b", "to": "c", "trace": "outage.trace", "delay": "5 ms", "buffer": "50 packets"},
    ]
    flows = [{"control": "cubic", "route": ["a", "b", "c"]}]
    traffic = [{"kind": "udp", "share": 0.5, "route": route}]
    scenario = {
        "topology": {"kind": "free"},
        "links": links,
        "flows": flows,
        "traffic": traffic,
        "duration": "10 s",
    }
    job = resolve(parse_scenario(scenario, "share"), "1")
    assert job.meta["traffic"][0]["rate_bps"] == parse_trace(shipped_text(rate), rate).mean_bps // 2


def test_a_share_of_the_way_back_is_that_of_its_trace() -> None:
    traffic = [{"kind": "udp", "share": 0.5, "reverse": True}]
    scenario = {
        "duration": "10 s",
        "bottleneck": {"rate": "10 Mbit/s"},
        "reverse": {"trace": "cellular.trace"},
        "flows": [{"control": "cubic"}],
        "traffic": traffic,
    }
    job = resolve(parse_scenario(scenario, "share"), "1")
    assert job.meta["traffic"][0]["rate_bps"] == 3_208_800
