"""`reproduce --configuration`: the set-ups of a paper by name, their values in the runs, and what is refused."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.conftest import CommandLine

from sawtooth.errors import InputError
from sawtooth.experiment.reproduction import Reproduction
from sawtooth.experiment.study import Study
from sawtooth.papers import PAPERS
from sawtooth.papers.configurations import Configuration, configuration, configurations
from sawtooth.papers.reproduce import jobs_of, report_path
from sawtooth.papers.studies import load_study, parts
from sawtooth.run.store import Store

AILD = ("reproduce", "akella2002/aild", "--quick", "--seeds", "1")


@pytest.mark.parametrize("paper", [name for name in PAPERS if configurations(name)])
def test_every_value_is_another_one_of_an_open_parameter(paper: str) -> None:
    """The first configuration is the study files'; the others say something, and what they say acts in a main study."""
    first, *others = configurations(paper)
    assert first.values == {}
    assert others
    main = [study for study in parts(paper) if study.main]
    for entry in others:
        assert entry.values
        for value in entry.value:
            open_ = [p for study in main for p in study.parameter if p.key == value.key]
            assert open_, f"{entry.name}: {value.key} is not left open"
            assert all(p.value != value.value for p in open_)
            assert all(value.value in p.plausible for p in open_)
            assert value.source


def test_faithful_applies_to_every_part_that_leaves_a_value_open() -> None:
    found = configuration("akella2002/fig4", "faithful")
    assert (found.values["tcp.timeout_threshold"], found.values["path.send_jitter"]) == ("half", "0 us")
    (study,) = found.applied([load_study("akella2002/fig6")])
    scenario = next(iter(study.plan())).scenario
    assert scenario["tcp"]["timeout_threshold"] == "half"
    assert scenario["tcp"]["window_arithmetic"] == "integer"
    assert scenario["path"]["rtt"] == "60 ms"
    assert scenario["bottleneck"]["queue"]["max"] == 450
    own = load_study("akella2002/unequal-rtt")  # takes round-trip times of its own
    (same,) = found.applied([own])
    assert base(same)["path"]["rtt"] == base(own)["path"]["rtt"]
    assert base(same)["tcp"]["timeout_threshold"] == "half"


def base(study: Study) -> dict[str, dict[str, object]]:
    return dict(next(iter(study.plan())).scenario)


def test_the_first_configuration_is_the_study_as_it_stands() -> None:
    plain = [job.engine_json for jobs in jobs_of("akella2002/aild", 1, True) for job in jobs]
    chosen = [
        job.engine_json
        for jobs in jobs_of("akella2002/aild", 1, True, configuration="chosen")
        for job in jobs
    ]
    assert chosen == plain


@pytest.mark.parametrize(
    ("name", "wanted", "said"),
    [
        ("akella2002/fig4", "ns2", "a configuration of akella2002: chosen, faithful"),
        ("floyd2000/gap", "faithful", "floyd2000/gap, which has one set-up only; akella2002 has several"),
        ("mathematics", "faithful", "one set-up only"),
    ],
)
def test_a_name_that_is_none_is_refused_with_those_that_are(name: str, wanted: str, said: str) -> None:
    with pytest.raises(InputError, match=said):
        configuration(name, wanted)


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["akella2002/fig4", "--configuration", "ns2"], "chosen, faithful"),
        (["floyd2000/gap", "--configuration", "faithful"], "one set-up only"),
        (["akella2002", "--configuration", "faithful", "--sensitivity"], "beside --sensitivity"),
        (["akella2002", "--configuration", "faithful", "--reconstruct"], "beside --reconstruct"),
        (["akella2002/mathematics", "--configuration", "faithful"], "for akella2002/mathematics"),
    ],
)
def test_the_command_line_refuses_it_with_exit_code_2(
    sawtooth: CommandLine, words: list[str], said: str
) -> None:
    ended = sawtooth("reproduce", *words)
    assert (ended.code, ended.out) == (2, "")
    assert said in ended.err


def test_a_page_is_not_filled_with_another_configuration(sawtooth: CommandLine, tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text("<!-- results: words -->x<!-- end -->\n", encoding="utf-8")
    words = ("akella2002/aild", "--configuration", "faithful", "--markdown", str(page))
    ended = sawtooth("reproduce", *words)
    assert ended.code == 2
    assert "as it stands" in ended.err


@pytest.mark.long
def test_a_configuration_runs_says_so_and_stays_in_the_store(sawtooth: CommandLine, tmp_path: Path) -> None:
    words = (*AILD, "--configuration", "faithful", "--store", str(tmp_path))
    shards = [sawtooth(*words, "--shard", f"{part}/2", "--json").json for part in (1, 2)]
    assert sum(part["executed"] for part in shards) == shards[0]["runs_total"]
    found = sawtooth(*words, "--json").json
    assert (found["executed"], found["configuration"]) == (0, "faithful")
    assert found["varied"] == {}
    assert found["parameters"]["tcp.timeout_threshold"] == "half"
    assert Path(found["report"]).name == "akella2002_aild-quick-faithful.html"
    assert "timeout_threshold = half" in Path(found["report"]).read_text(encoding="utf-8")
    assert "--configuration faithful" in Path(found["report"]).read_text(encoding="utf-8")
    chosen = sawtooth(*AILD, "--store", str(tmp_path), "--json").json
    assert chosen["configuration"] is None
    assert not set(chosen["run_ids"]) & set(found["run_ids"])


def test_reports_of_configurations_do_not_replace_each_other(tmp_path: Path) -> None:
    found = Reproduction("akella2002/fig5", (), (), configuration="faithful")
    assert report_path(Store(tmp_path), found).name == "akella2002_fig5-faithful.html"


def test_a_configuration_needs_a_source_for_each_value() -> None:
    with pytest.raises(ValueError, match="source"):
        Configuration.model_validate(
            {"name": "x", "title": "x", "why": "x", "value": [{"key": "path.rtt", "value": "1 ms"}]}
        )
