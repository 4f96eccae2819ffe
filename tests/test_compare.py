"""`compare` from the command line and from Python: the document, the labels, the store, and what is refused."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from tests.browser import Browser, faults
from tests.conftest import CommandLine

from sawtooth.errors import InputError
from sawtooth.experiment.compare import compare, comparison_study, labelled
from sawtooth.experiment.intervals import interval
from sawtooth.experiment.perform import MissingRunError, StudyJobs, evaluate, perform, refusal
from sawtooth.experiment.scoring import SCORED
from sawtooth.measure.metrics import METRIC_NAMES
from sawtooth.report.answers import part_answer
from sawtooth.run.catalogue import Filter, walk
from sawtooth.run.store import Store
from sawtooth.scenario.resolve import resolve
from sawtooth.scenario.scenario import parse_scenario

SHORT = ("--duration", "8 s", "--warmup", "2 s")


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Store:
    """A store for all comparisons of this module."""
    return Store(tmp_path_factory.mktemp("compare"))


def short(controllers: list[str], store: Store, **named: Any) -> Any:
    """A comparison that takes a second."""
    given: dict[str, Any] = {
        "environments": ["cons-low", "rd-low"],
        "seeds": 2,
        "duration": "8 s",
        "warmup": "2 s",
    }
    return compare(controllers, store=store, **given | named)


def test_the_document(sawtooth: CommandLine) -> None:
    arguments = ["compare", "aimd(1, 0.8)", "aiad(1,3)", "mimd(1.125, 0.8)", "miad(1.125, 3)"]
    arguments += [
        "--recovery",
        "reno",
        "--recovery",
        "sack",
        "--environment",
        "cons-low",
        "--seeds",
        "2",
        *SHORT,
    ]
    found = sawtooth(*arguments, "--json")
    assert (found.code, found.err) == (0, "")
    document = found.json
    assert document["study"] == "compare"
    assert (document["seeds"], document["environments"], document["runs"]) == (2, ["cons-low"], 16)
    assert document["wall_s"] >= 0
    assert document["claims"] == []
    rows = document["scores"]
    assert [row["metric"] for row in rows[:4]] == list(SCORED)
    assert {row["algorithm"] for row in rows} == set(arguments[1:5])  # as written
    assert len(rows) == 2 * 4 * 4
    keys = {"algorithm", "recovery", "router", "metric", "D", "D_low", "D_high", "C", "C_low", "C_high"}
    assert keys | {"published_D", "published_C"} <= rows[0].keys()
    first = rows[0]
    assert (first["recovery"], first["router"], first["published_D"], first["published_C"]) == (
        "reno",
        "droptail",
        0.15,
        0.06,
    )
    assert (rows[1]["published_D"], rows[1]["published_C"]) == (8.12, None)
    assert first["set_E"] == ["cons-low"]
    cells = document["cells"]
    assert {"algorithm", "recovery", "router", "environment", "metric", "mean", "low", "high"} == cells[
        0
    ].keys()
    goodput = [cell for cell in cells if cell["metric"] == "goodput" and cell["recovery"] == "sack"]
    assert len(goodput) == 4
    assert all(0 < cell["low"] <= cell["mean"] <= cell["high"] for cell in goodput)
    raw = document["raw"]
    shown = ("recovery", "router", "environment", "metric", "mean", "low", "high")
    assert [tuple(row[key] for key in shown) for row in raw] == [
        tuple(row[key] for key in shown) for row in cells
    ]
    assert [row["controller"] for row in raw] == [row["algorithm"] for row in cells]
    (delay,) = (row["unit"] for row in raw[: len(METRIC_NAMES)] if row["metric"] == "delay")
    assert delay == "ms"
    assert {row["seeds"] for row in raw if row["metric"] == "goodput"} == {document["seeds"]}


def test_the_second_time_nothing_is_simulated(store: Store) -> None:
    first = short(["aimd(1, 0.5)", "aiad(1, 2)"], store)
    again = short(["aimd(1, 0.5)", "aiad(1, 2)"], store)
    assert (first.executed, again.executed) == (8, 0)
    assert again.scores.equals(first.scores)
    assert again.run_ids == first.run_ids
    more = short(["aimd(1, 0.5)", "aiad(1, 2)"], store, seeds=3)
    assert more.executed == 4
    fresh = short(["aimd(1, 0.5)", "aiad(1, 2)"], store, fresh=True)
    assert fresh.executed == 8
    assert fresh.cells.equals(first.cells)


def test_the_store_names_controllers_as_they_were_written(store: Store) -> None:
    short(["aimd(1, 0.5)", "aiad(1,3)"], store)
    written = {entry.controllers for entry in walk(store)}
    assert written >= {("aimd(1, 0.5)",), ("aiad(1,3)",)}
    assert [*walk(store, Filter(controller="aiad("))]


def test_cells_that_are_one_simulation_are_counted_as_what_they_are(store: Store) -> None:
    """Two environments that agree in all that a run of 3 s sees: two names of one run, which is simulated once."""
    study = comparison_study(
        ["aimd(1, 0.6)"], ["sack"], ["droptail"], ["rw-additive", "rw-multiplicative"], 1
    )
    study = study.with_value("duration", "3 s").with_value("warmup", "1 s")
    first, again = perform(study, store), perform(study, store)
    assert len(first.run_ids) == 1
    assert (first.executed, again.executed) == (1, 0)


def test_scores_are_those_of_the_stored_runs_by_hand(store: Store) -> None:
    found = short(["aimd(1, 0.5)", "aiad(1, 2)"], store)
    study = found.study
    jobs = StudyJobs(study)
    values: dict[tuple[str, str, str], float] = {}
    for planned, job in zip(jobs.plan, jobs, strict=True):
        from sawtooth.run.run import run_id_of

        run = store.get(run_id_of(job))
        assert run is not None
        key: Any = planned.key
        values[key.algorithm, key.environment, key.seed] = min(1.0, run.values["goodput"])
    names, places = ("aimd(1, 0.5)", "aiad(1, 2)"), ("cons-low", "rd-low")
    for name in names:
        per_seed = []
        for seed in ("1", "2"):
            best = {place: max(values[other, place, seed] for other in names) for place in places}
            per_seed.append(sum(best[place] - values[name, place, seed] for place in places))
        (row,) = [row for row in found.score_rows if (row["algorithm"], row["metric"]) == (name, "goodput")]
        by_hand = interval(per_seed)
        assert row["D"] == pytest.approx(by_hand.mean, abs=1e-12)
        assert row["D_high"] == pytest.approx(by_hand.high, abs=1e-12)
        assert row["published_D"] is None


def test_stored_runs_can_be_evaluated_without_running(store: Store, tmp_path: Path) -> None:
    found = short(["aimd(1, 0.5)", "aiad(1, 2)"], store)
    again = evaluate(found.study, store)
    assert again.scores.equals(found.scores)
    assert again.executed == 0
    with pytest.raises(MissingRunError, match="no stored run"):
        evaluate(found.study, Store(tmp_path))


def test_a_controller_alone_has_values_and_no_scores(store: Store) -> None:
    found, several = short(["aimd(1, 0.5)"], store), short(["aimd(1, 0.5)", "aiad(1, 2)"], store)
    assert found.score_rows == found.to_json()["scores"] == []
    assert found.scores.num_rows == 0
    assert found.scores.schema == several.scores.schema
    assert found.cells.num_rows > 0


def test_the_page_of_a_controller_alone_opens_with_its_values(store: Store) -> None:
    found = short(["aimd(1, 0.5)"], store)
    (block,) = found.own
    goodput, delay, loss, size = part_answer(found)
    for sentence, metric, scale in ((goodput, "goodput", 100.0), (delay, "delay", 1.0), (loss, "loss", 1.0)):
        by_hand = interval(scale * block.values[metric][0].mean(axis=0))
        assert f" {by_hand.mean:.3g} [{by_hand.low:.3g}, {by_hand.high:.3g}] " in sentence
    assert goodput.startswith("The goodput of aimd(1, 0.5) is ")
    assert goodput.endswith(" % of the available bandwidth, on average over 2 environments.")
    assert delay.startswith("Its queueing delay is ")
    assert delay.endswith(" ms.")
    assert loss.endswith(" % of packets.")
    assert size.startswith("This rests on 4 runs")
    once = short(["aimd(1, 0.5)"], store, seeds=1, routers=["droptail", "red"], environments=["cons-low"])
    goodput, delay, *_ = part_answer(once)
    assert "environments" not in goodput
    assert delay.startswith("Its queueing delay lies between ")
    assert "drop-tail routers" in delay
    assert "RED routers" in delay
    assert "[" not in delay


def test_tables_are_arrow_tables(store: Store) -> None:
    found = short(["aimd(1, 0.5)", "aiad(1, 2)"], store)
    assert found.scores.num_rows == 2 * len(SCORED)
    assert found.scores.column_names == list(found.score_rows[0])
    assert found.cells.schema.field("mean").type == "double"


def test_labels_are_what_the_user_wrote() -> None:
    given = ["aimd(1.0,0.8)", " aimd(1, 0.5)", "maimd", '{"kind":"linear","a_i":1,"b_i":1,"a_d":-3,"b_d":1}']
    assert [entry.label for entry in labelled(given)] == [text.strip() for text in given]
    study = comparison_study(["aimd(1.0,0.8)", "aimd(1, 0.5)"], environments=["cl"])
    assert study.short == {"aimd(1.0,0.8)": "AIMD"}  # by which printed scores are found
    assert comparison_study(["aimd(1.0,0.8)"], environments=["cl"], values={"path.rtt": "50 ms"}).short == {}


def test_environments_and_settings_by_their_other_names() -> None:
    study = comparison_study(["aimd(1, 0.8)"], ["sack"], ["drop-tail"], ["sqh"])
    assert study.matrix.environments == ["sq-high"]
    assert [str(setting) for setting in study.matrix.settings] == ["sack/droptail"]
    assert study.cell(study.matrix.settings[0], study.algorithm[0], "sq-high")["bottleneck"]["queue"] == {
        "kind": "drop-tail"
    }


def test_a_set_of_environments_stands_for_its_members() -> None:
    def taken(*names: str) -> list[str]:
        return comparison_study(["aimd(1, 0.8)"], ["sack"], ["drop-tail"], names).matrix.environments

    thirteen = taken("akella2002")
    assert (len(thirteen), thirteen[9]) == (13, "rw-multiplicative")
    assert set(taken("all")) == {*thirteen, "short-flows"}  # the others need numbers of the user's
    assert taken("sq-high", "cl") == ["sq-high", "cons-low"]
    with pytest.raises(InputError, match="each once"):
        taken("akella2002", "cl")
    with pytest.raises(InputError, match="all, akella2002, none, or"):
        taken("akella")


def test_routers_are_those_of_the_study_or_any_discipline() -> None:
    study = comparison_study(["aimd(1, 0.8)"], ["sack"], ["red", "ecn", "rio"], ["sqh"])
    assert [setting.router for setting in study.matrix.settings] == ["red", "ecn", "rio"]
    assert {**study.routers["red"], "ecn": True} == study.routers["ecn"]
    assert study.routers["rio"] == {"kind": "rio"}
    for planned in study.plan():
        assert resolve(parse_scenario(planned.scenario)).engine["profiles"][0]["tcp"]["ecn"] == (
            "ecn" in str(planned.key)
        )


@pytest.mark.parametrize(
    ("arguments", "key"),
    [
        ({"controllers": ["aimd(1)"]}, "CONTROLLER"),
        ({"controllers": ["aimd(1, 0.8)", "aimd(1,.8)"]}, "CONTROLLER"),
        ({"controllers": []}, "CONTROLLER"),
        ({"recoveries": ["vegas"]}, "--recovery"),
        ({"routers": ["blue"]}, "--router"),
        ({"environments": ["mars"]}, "--environment"),
        ({"environments": ["cl", "cons-low"]}, "--environment"),
        ({"seeds": 0}, "--seeds"),
        ({"environments": ["square"]}, "--environment"),
        ({"environments": ["square(high)"]}, "--environment"),
        ({"environments": ["square(high=5)"]}, "--environment square(high=5): low"),
        ({"environment_files": ["nowhere.csv"]}, "--environment-file"),
        ({"values": {"flows.control": "tfrc"}}, "flows.control"),
        ({"values": {"flows.recovery": "reno"}}, "flows.recovery"),
        ({"values": {"environment.kind": "sq-high"}}, "environment.kind"),
        ({"values": {"bottleneck.queue": "red"}}, "bottleneck.queue"),
        ({"values": {"bottleneck": {"rate": "5 Mbit/s"}}}, "bottleneck"),  # which took the router away
        ({"values": {"duration": "3 s"}, "duration": "4 s"}, "duration"),
        ({"values": {"seed": "3"}}, "seed"),
        ({"values": {"tcp.nonsense": 1}}, "tcp.nonsense"),
        ({"values": {"tcp.sack_pipe": "rfc6675"}, "recoveries": ["reno"]}, "tcp.sack_pipe"),
        # Stood in the heading of tables, though no flow has a recovery.
        ({"controllers": ["tfrc", "rap"]}, "--recovery"),
        ({"controllers": ["tfrc"], "recoveries": [], "values": {"flows.recovery": "reno"}}, "flows.recovery"),
    ],
)
def test_what_is_refused(arguments: dict[str, Any], key: str) -> None:
    given: dict[str, Any] = {
        "controllers": ["aimd(1, 0.8)"],
        "recoveries": ["sack"],
        "routers": ["droptail"],
        "environments": ["cons-low"],
    }
    with pytest.raises(InputError) as raised:
        comparison_study(**given | arguments)
    assert raised.value.key == key
    assert len(str(raised.value).splitlines()) <= 3


def test_a_recovery_of_flows_in_reverse_stays_beside_rate_based_controllers() -> None:
    flows = [{"control": "tcp"}, {"control": "tcp", "reverse": True}]
    scenario = {"bottleneck": {"rate": "4 Mbit/s"}, "flows": flows}
    for key in ("flows.recovery", "flows[1].recovery"):
        study = comparison_study(["tfrc"], environments=["none"], scenario=scenario, values={key: "reno"})
        assert [group.get("recovery") for group in next(study.kinds())["flows"]] == [None, "reno"]


def test_bad_input_leaves_with_two_and_prints_nothing(sawtooth: CommandLine) -> None:
    for arguments in (
        ["aimd(1, 7)"],
        ["aimd(1, 0.8)", "--duration", "8"],
        ["aimd(1, 0.8)", "--environment", "mars"],
    ):
        found = sawtooth("compare", *arguments, "--json")
        assert (found.code, found.out) == (2, "")
        assert 1 <= len(found.err.splitlines()) <= 3


def test_the_table_for_people(sawtooth: CommandLine) -> None:
    found = sawtooth("compare", "aimd(1, 0.8)", "maimd", "--environment", "cons-low", "--seeds", "2", *SHORT)
    assert found.code == 0
    assert "sack/droptail" in found.out
    assert "maimd" in found.out
    assert "95 % interval" in found.out
    assert "Over 1 environment and 2 seeds" in found.out


NETWORK = """
duration = "6 s"
warmup = "2 s"

[bottleneck]
rate = "10 Mbit/s"
buffer = "40 packets"
queue = { kind = "red", min = 5, max = 15, ecn = true }

[path]
rtt = "30 ms"
send_jitter = "1 ms"

[environment]
file = "levels.csv"

[[flows]]
count = 2
recovery = "reno"
start = "uniform 0..0.1 s"

[[flows]]
control = "aimd(1, 0.5)"
recovery = "newreno"
start = "0 s"

[[flows]]
control = "aimd(1, 0.5)"
reverse = true
start = "0 s"
"""
LEVELS = "time_s,available_bps_per_flow\n0,3000000\n3,1000000\n"


@pytest.fixture
def network(tmp_path: Path) -> Path:
    """A scenario of the user's: a queue, an environment from a file beside it, two recoveries and data in reverse."""
    (tmp_path / "levels.csv").write_text(LEVELS)
    path = tmp_path / "network.toml"
    path.write_text(NETWORK)
    return path


def test_a_scenario_of_the_users_gets_the_controllers_and_keeps_the_rest(network: Path) -> None:
    study = comparison_study(["aimd(1, 0.8)", "tfrc"], scenario=network, values={"path.rtt": "50 ms"})
    assert [str(setting) for setting in study.matrix.settings] == ["mixed/ecn"]
    assert study.matrix.environments == ['file(file="levels.csv")']
    first, last = (list(study.plan())[place] for place in (0, -1))
    flows = first.scenario["flows"]
    assert [flow["control"] for flow in flows] == ["aimd(1, 0.8)", "aimd(1, 0.8)", "aimd(1, 0.5)"]
    assert [flow.get("recovery") for flow in flows] == ["reno", "newreno", None]
    assert [flow.get("recovery") for flow in last.scenario["flows"]] == [None, None, None]
    engine = resolve(study.read(first.scenario), first.seed).engine
    assert first.scenario["path"]["rtt"] == "50 ms"
    assert engine["duration_ns"] == 6 * 10**9
    assert [setting["tcp"]["ecn"] for setting in engine["profiles"]][:2] == [True, True]


def test_arguments_stand_over_what_the_scenario_says(network: Path) -> None:
    square = 'square(high="3 Mbit/s", low=1 Mbit/s, period="2 s")'
    study = comparison_study(
        ["aimd(1, 0.8)"],
        recoveries=["sack"],
        routers=["droptail", "red"],
        environments=[square, "none", {"kind": "constant", "rate": "1 Mbit/s"}],
        environment_files=[network.parent / "levels.csv"],
        scenario=network,
    )
    labels = [square, "none", 'constant(rate="1 Mbit/s")', str(network.parent / "levels.csv")]
    assert study.matrix.environments == labels
    assert [str(setting) for setting in study.matrix.settings] == ["sack/droptail", "sack/red"]
    cells = {name: study.cell(study.matrix.settings[1], study.algorithm[0], name) for name in labels}
    assert cells[square]["environment"] == {
        "kind": "square",
        "high": "3 Mbit/s",
        "low": "1 Mbit/s",
        "period": "2 s",
    }
    assert "environment" not in cells["none"]
    assert all(
        resolve(study.read(cell)).engine["links"][0]["queue"]["kind"] == "red" for cell in cells.values()
    )


def test_two_schedules_may_have_the_same_file_name(network: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(network.parent)
    for folder in ("a", "b"):
        Path(folder).mkdir()
        Path(folder, "levels.csv").write_text(Path("levels.csv").read_text())
    files = ["a/levels.csv", "b/levels.csv", "levels.csv"]
    study = comparison_study(["aimd(1, 0.8)"], environment_files=files)
    assert study.matrix.environments == files
    with pytest.raises(InputError) as raised:
        comparison_study(["aimd(1, 0.8)"], environment_files=[files[0], files[0]])
    assert (raised.value.key, raised.value.value) == ("--environment-file", "a/levels.csv")


def test_open_parameters_hold_for_an_environment_with_parameters_of_its_own() -> None:
    call = 'rw-low(delta="0.2 Mbit/s", floor="10 kbit/s")'
    study = comparison_study(["aimd(1, 0.8)"], environments=[call])
    table = study.cell(study.matrix.settings[0], study.algorithm[0], call)["environment"]
    assert table == {"kind": "rw-low", "delta": "0.2 Mbit/s", "floor": "10 kbit/s", "interval": "5 s"}


def test_values_are_put_in_before_anything_is_checked(network: Path) -> None:
    """A file that is wrong by itself, and right with the value."""
    network.write_text(NETWORK.replace('duration = "6 s"', 'duration = "1 s"'))
    with pytest.raises(InputError) as raised:
        comparison_study(["aimd(1, 0.8)"], scenario=network)
    assert (raised.value.where, raised.value.key) == (str(network), "warmup")
    assert comparison_study(["aimd(1, 0.8)"], scenario=network, values={"duration": "5 s"}).runs == 5


def test_a_key_that_acts_in_no_cell_is_refused(network: Path) -> None:
    text = NETWORK.replace("reverse = true", 'reverse = true\nrecovery = "reno"')
    network.write_text(text + '\n[tcp]\nsack_pipe = "rfc6675"\n')
    with pytest.raises(InputError) as raised:
        comparison_study(["aimd(1, 0.8)"], scenario=network)
    assert (raised.value.where, raised.value.key) == (str(network), "tcp.sack_pipe")
    comparison_study(["aimd(1, 0.8)"], scenario=network, recoveries=["reno", "sack"])


SETTING = NETWORK.replace(", ecn = true", "") + '\n[tcp]\nslow_start = "hystart"\n'
LEFT_OUT = {
    "bbr": "tcp.slow_start is left out for bbr: only window laws read it",
    "tfrc": "tcp.slow_start is left out for tfrc: only beside a controller with a window",
}


@pytest.mark.parametrize("others", [["bbr"], ["tfrc"], ["bbr", "tfrc"]], ids=" ".join)
def test_a_setting_that_some_controllers_do_without_is_said_to_be_left_out(
    network: Path, others: list[str]
) -> None:
    """It used to be dropped without a word."""
    network.write_text(SETTING.replace("reverse = true", 'reverse = true\nslow_start = "standard"'))
    for controllers in (["cubic", *others], [*others, "cubic"]):
        study = comparison_study(controllers, recoveries=["rack"], scenario=network)
        assert study.chosen == tuple(LEFT_OUT[name] for name in others)
    assert comparison_study(["cubic", "vegas"], scenario=network).chosen == ()
    usual = comparison_study(["cubic", *others], ["rack"], environments=["sq-high"])
    assert usual.chosen == (), "nobody wrote what the usual network says"
    values = {"tcp.slow_start": "hystart"}
    study = comparison_study(["cubic", *others], ["rack"], environments=["sq-high"], values=values)
    assert study.chosen == tuple(LEFT_OUT[name] for name in others)


@pytest.mark.parametrize("controllers", [["bbr"], ["bbr", "bbr-1"]], ids=" ".join)
def test_a_setting_that_all_controllers_do_without_is_refused(controllers: list[str]) -> None:
    with pytest.raises(InputError) as raised:
        comparison_study(controllers, environments=["sq-high"], values={"tcp.slow_start": "hystart"})
    assert (raised.value.key, raised.value.value) == ("tcp.slow_start", "hystart")


def test_what_is_left_out_stands_on_standard_error_and_in_the_document(
    sawtooth: CommandLine, network: Path
) -> None:
    network.write_text(SETTING)
    asked = ("compare", "cubic", "bbr", "--scenario", network, "--recovery", "rack", "--seeds", 1)
    found = sawtooth(*asked, "--json")
    assert LEFT_OUT["bbr"] in found.err.splitlines()
    assert json.loads(found.out)["chosen"] == [LEFT_OUT["bbr"]]


@pytest.mark.parametrize("name", sorted(path.name for path in Path("examples").glob("*.toml")))
def test_every_example_can_be_compared_on(name: str) -> None:
    study = comparison_study(["aimd(1, 0.8)", "tcp(1, 0.5)"], scenario=Path("examples") / name)
    assert refusal(study) is None
    assert len(study.matrix.environments) == 1


def test_the_answer_on_a_scenario(sawtooth: CommandLine, network: Path, tmp_path: Path) -> None:
    arguments = ["compare", "aimd(1, 0.8)", "aimd(1,0.5)", "--scenario", str(network), "--seeds", "2"]
    arguments += ["--set", "path.rtt=40 ms", "--store", str(tmp_path / "store")]
    found = sawtooth(*arguments)
    assert found.code == 0
    for words in (
        "raw values",
        "goodput (% of available)",
        "queueing delay (ms)",
        "aimd(1,0.5)",
        "0 is best",
    ):
        assert words in found.out
    document = sawtooth(*arguments, "--json").json
    assert document["executed"] == 0
    assert document["varied"] == {"path.rtt": "40 ms"}
    assert [row["text"] for row in document["leads"]] == [
        line for line in found.out.splitlines() if line in {row["text"] for row in document["leads"]}
    ]
    lines = sawtooth(*arguments, "--csv").out.splitlines()
    assert lines[0] == "algorithm,recovery,router,environment,metric,mean,low,high,unit"
    assert len(lines) - 1 == len(document["cells"])
    scores = sawtooth(*arguments, "--csv", "--table", "distance").out.splitlines()
    assert len(scores) - 1 == len(document["scores"]) == 2 * len(SCORED)
    raw = sawtooth(*arguments, "--table", "raw").out
    assert "raw values" in raw
    assert "distance from the best" not in raw
    assert "raw values" not in sawtooth(*arguments, "--table", "distance").out


def test_a_controller_alone_gets_values_and_no_distances(sawtooth: CommandLine, network: Path) -> None:
    found = sawtooth("compare", "aimd(1, 0.8)", "--scenario", str(network), "--seeds", "1")
    assert "raw values" in found.out
    assert "distance" not in found.out
    assert "Undecided" not in found.out


@pytest.mark.parametrize("table", ["distance", "both"])
def test_a_controller_alone_has_no_distance_to_ask_for(
    sawtooth: CommandLine, network: Path, table: str
) -> None:
    found = sawtooth("compare", "aimd(1, 0.8)", "--scenario", str(network), "--table", table)
    assert (found.code, found.out) == (2, "")
    assert f'--table = "{table}": expected raw for a controller alone' in found.err


@pytest.mark.parametrize(
    "options",
    [
        ("--csv", "--json"),
        ("--csv", "--table", "both"),
        ("--json", "--table", "raw"),
        ("--report", "page.pdf"),
    ],
)
def test_options_that_do_not_go_together(sawtooth: CommandLine, options: tuple[str, ...]) -> None:
    found = sawtooth("compare", "aimd(1, 0.8)", "--environment", "cons-low", *SHORT, *options)
    assert (found.code, found.out) == (2, "")


def test_a_report_stands_beside_the_answer(
    sawtooth: CommandLine, network: Path, tmp_path: Path, browser: Browser
) -> None:
    page = tmp_path / "report" / "page.html"
    arguments = ["compare", "aimd(1, 0.8)", "tfrc", "--scenario", str(network), "--seeds", "2"]
    found = sawtooth(*arguments, "--report", str(page), "--json")
    assert found.json["report"] == str(page)
    assert "aimd(1, 0.8)" in page.read_text(encoding="utf-8")
    assert faults(browser, page) == []
