"""Controllers that must know what became of each packet get a recovery that does, where nobody names one, and whoever asked is told."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.conftest import CommandLine

import sawtooth as st
from sawtooth.errors import InputError
from sawtooth.experiment.compare import comparison_study
from sawtooth.scenario.described import describe
from sawtooth.scenario.fitting_recovery import KNOWING, USUAL, common, fitting
from sawtooth.scenario.scenario import parse_scenario, with_values

SHORT = {"duration": "4 s", "warmup": "1 s"}
TOLD = "recovery rack, since bbr must know what became of each packet"


def recoveries(study: st.Study) -> set[str | None]:
    """Of all test flows of all cells."""
    cells = [study.read(planned.scenario) for planned in study.plan()]
    return {
        group.recovery if group.control.takes_recovery else None for cell in cells for group in cell.flows
    }


def test_every_controller_gets_a_recovery_that_serves_it() -> None:
    knowing = {row["name"] for row in describe()["recoveries"] if row["keeps_records"]}
    assert knowing == {"rack", "quic"}
    for row in describe()["controllers"]:
        if not row["properties"]["own_transport"] and not any(
            p["default"] is None for p in row["parameters"]
        ):
            assert fitting(row["name"]) == (KNOWING if row["properties"]["records"] else USUAL)
            st.run(
                {"bottleneck": {"rate": "8 Mbit/s"}, "flows": [{"control": row["name"]}], **SHORT},
                store=False,
            )


def test_the_recovery_of_a_scenario_stays_where_all_take_it() -> None:
    assert common("reno", ["cubic", "prague"]) == ("reno", "")
    assert common("quic", ["cubic", "bbr"]) == ("quic", "")
    assert common("sack", ["cubic", "bbr"]) == ("rack", TOLD)


@pytest.mark.parametrize(
    "controllers", [["cubic", "bbr"], ["bbr", "cubic"], ["tfrc", "bbr"], ["bbr", "tfrc"]]
)
def test_a_comparison_has_one_recovery_for_all(controllers: list[str], scenario_text: str) -> None:
    for scenario in (None, scenario_text):
        study = comparison_study(controllers, environments=["sq-high"], seeds=1, scenario=scenario)
        assert recoveries(study) - {None} == {"rack"}
        assert study.chosen == (TOLD,)
    asked = comparison_study(["cubic", "bbr"], ["quic"], environments=["sq-high"], seeds=1)
    assert (recoveries(asked), asked.chosen) == ({"quic"}, ())
    plain = comparison_study(["cubic", "tfrc"], environments=["sq-high"], seeds=1)
    assert (recoveries(plain), plain.chosen) == ({"sack", None}, ())


def test_what_a_network_says_of_window_laws_does_not_stop_a_model() -> None:
    found = st.compare(["cubic", "bbr"], environments=["sq-high"], seeds=1, duration="4 s", warmup="1 s")
    assert (found.own[0].of("bbr", "goodput") > 0.0).all()


def test_a_recovery_that_is_asked_for_is_not_replaced(scenario_text: str) -> None:
    with pytest.raises(InputError, match="rack or quic"):
        st.compare(["cubic", "bbr"], recoveries=["sack"], environments=["sq-high"], seeds=1)
    with pytest.raises(InputError, match="rack or quic"):
        st.run(scenario_text, set={"flows.control": "bbr", "flows.recovery": "sack"}, store=False)
    written = {"bottleneck": {"rate": "8 Mbit/s"}, "flows": [{"control": "bbr", "recovery": "sack"}]}
    with pytest.raises(InputError, match="rack or quic"):
        st.run(written, store=False)


def test_a_replaced_controller_is_followed_by_its_recovery(scenario_text: str) -> None:
    plain = parse_scenario(scenario_text)
    changed = with_values(plain, {"flows[1].control": "bbr"})
    assert [group.recovery for group in changed.flows] == ["sack", "rack"]
    assert changed.chosen == (TOLD,)
    assert with_values(changed, {"seed": "2"}).chosen == (TOLD,), "it stays said"
    assert with_values(plain, {"flows.control": "cubic"}).chosen == ()
    rate = with_values(plain, {"flows.control": "tfrc"})
    assert not any(group.control.takes_recovery for group in rate.flows)


def test_a_sweep_compares_over_one_recovery(scenario_text: str, tmp_path: Path) -> None:
    found = st.sweep(scenario_text, {"flows.control": ["cubic", "bbr"]}, seeds=1, store=tmp_path)
    kept = [st.Store(tmp_path).get(run.run_id) for run in found.runs]
    assert {name for run in kept if run is not None for name in run.flows["recovery"].to_pylist()} == {"rack"}
    assert found.chosen == (TOLD,)
    own = st.sweep(
        scenario_text,
        {"flows.control": ["cubic", "bbr"], "flows.recovery": ["rack", "quic"]},
        seeds=1,
        store=tmp_path,
    )
    assert own.chosen == ()


def test_whoever_asks_is_told(sawtooth: CommandLine, scenario_file: Path) -> None:
    run = sawtooth("run", scenario_file, "--set", "flows.control=bbr")
    assert (run.code, TOLD in run.err) == (0, True)
    asked = ("compare", "cubic", "bbr", "--scenario", scenario_file, "--seeds", 1)
    assert TOLD in sawtooth(*asked).err
    assert TOLD in sawtooth("sweep", scenario_file, "--over", "flows.control=cubic,bbr", "--seeds", 1).err


def test_a_run_shows_no_metric_that_it_has_no_value_for(sawtooth: CommandLine, scenario_file: Path) -> None:
    shown = sawtooth("run", scenario_file).out
    assert "–" not in shown.partition("metrics")[2]
    assert "undefined in this run: " in shown
    told = " ".join(shown.partition("undefined in this run: ")[2].split())
    values = sawtooth("run", scenario_file, "--json").json["metrics"]
    missing = [name for name, value in values.items() if value is None]
    assert told.startswith("; ".join([", ".join(missing), "`sawtooth list metrics`"]))
