"""Study files: that ours say what they should, and that mistakes in one are named."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest

from sawtooth.errors import InputError
from sawtooth.experiment.join import join
from sawtooth.experiment.plan import CellKey, ProbeKey, put
from sawtooth.experiment.study import Setting
from sawtooth.experiment.study_files import load_comparison, read_study
from sawtooth.packaged import packaged
from sawtooth.papers import PAPERS, catalogue, index
from sawtooth.papers.akella2002.printed import (
    ENVIRONMENTS,
    appendix,
    environments,
    figures,
    printed,
    tables,
)
from sawtooth.papers.formulas.study import FILE
from sawtooth.papers.reddy2012.sliding_window.study import FILE as ARQ_FILE
from sawtooth.papers.register import claims
from sawtooth.papers.studies import STUDIES, list_studies, load_study, parts, study_names
from sawtooth.run.run import run_id_of
from sawtooth.scenario.environments.sets import SETS
from sawtooth.scenario.resolve import resolve
from sawtooth.scenario.scenario import parse_scenario

STUDY_FILES = Path(__file__).resolve().parents[1] / "studies"
PAPERS_FOLDER = STUDY_FILES.parent / "python" / "sawtooth" / "papers"

SMALL = """
name = "paper/fig"
title = "a study"
paper = "paper"
claims = []
algorithm = [{ label = "A", control = "aimd(1, 0.5)" }]
routers = { droptail = { kind = "drop-tail" } }
quick = { seeds = 2, duration = "3 s", warmup = "1 s" }

[scenario]
duration = "6 s"
warmup = "1 s"
bottleneck = { rate = "8 Mbit/s" }
flows = [{ count = 2 }]

[matrix]
settings = [{ recovery = "sack", router = "droptail" }]
environments = ["cons-low"]
seeds = 3
"""


def written(folder: Path, text: str) -> Path:
    """The text as a study file."""
    path = folder / "study.toml"
    path.write_text(text)
    return path


FIGURES = tuple(
    name for name in STUDIES if (expected := load_study(name).expected) is not None and expected.values
)
"""The studies that are a printed figure with a table of scores."""


@pytest.mark.parametrize("name", FIGURES)
def test_printed_numbers_of_a_study_are_the_published_ones(name: str) -> None:
    study = load_study(name)
    assert study.expected is not None
    assert study.expected.environments == ENVIRONMENTS
    (setting,) = study.matrix.settings
    assert study.expected.values == printed(setting.recovery, setting.router)
    assert {row.figure for row in figures() if f"{row.recovery}/{row.router}" == str(setting)} == {
        study.figure
    }


@pytest.mark.parametrize("every", [20, pytest.param(1, marks=pytest.mark.long)])
@pytest.mark.parametrize("name", STUDIES)
def test_every_planned_scenario_is_accepted(name: str, every: int) -> None:
    """`make test` reads every twentieth of the scenarios that `make test-long` reads, and the last."""
    study = load_study(name)
    plan = list(study.plan())
    cells = [entry for entry in plan if isinstance(entry.key, CellKey)]
    settings = len(study.matrix.settings) + len(study.matrix.compared_with)
    places = len(study.matrix.environments)
    assert len(cells) == settings * len(study.algorithm) * places * study.matrix.seeds
    assert len({entry.key for entry in plan}) == len(plan) == study.runs
    chosen = cells[:: max(25, len(cells) // 40)] + [e for e in plan if isinstance(e.key, ProbeKey)]
    for entry in chosen[::every] + chosen[-1:]:
        resolved = resolve(parse_scenario(entry.scenario, name=study.name), entry.seed)
        assert resolved.engine["seed"] == entry.seed


def test_claims_that_a_study_names_exist_and_are_of_its_paper() -> None:
    known = {entry.id: entry for entry in claims()}
    for name in STUDIES:
        study = load_study(name)
        for entry in study.claims:
            assert known[entry].paper == study.paper, entry
            assert known[entry].check is not None, entry


def test_parts_that_claims_speak_of_are_studies() -> None:
    for entry in claims():
        if entry.part is not None:
            assert entry.part in STUDIES, entry.id
            assert not load_study(entry.part).main, entry.id


def test_a_main_study_touches_the_claims_that_its_settings_can_decide() -> None:
    fig4 = {entry.id for entry in PAPERS["akella2002"].touched(load_study("akella2002/fig4"))}
    fig5 = {entry.id for entry in PAPERS["akella2002"].touched(load_study("akella2002/fig5"))}
    assert "akella-4.1.1-ai-similar" in fig4 - fig5  # it speaks of one setting
    assert (
        "akella-4.1.2-goodput-above-reno" in fig5 - fig4
    )  # it joins two, and Figure 5 compares with the other
    assert "akella-abs-aiad-always-among-best" in fig4 & fig5  # it speaks of each of eight
    assert "akella-3-def-D" in fig4 & fig5  # named, since it speaks of none
    assert not any(entry.startswith("reddy") for entry in fig4 | fig5)


def test_the_open_parameters_are_complete_and_reasoned() -> None:
    study = load_study("akella2002/fig4")
    for entry in study.parameter:
        assert entry.plausible, entry.key
        assert len(entry.reason) > 10, entry.key
        assert entry.value not in entry.plausible or len(entry.plausible) == 1, entry.key
    data = study.cell(study.matrix.settings[0], study.algorithm[0], "rd-low")
    assert data["path"]["rtt"] == "110 ms"
    assert data["environment"] == {"kind": "rd-low", "interval": "5 s", "floor": "70 kbit/s"}
    assert data["flows"][0] == {
        "count": 10,
        "packet": "1000 B",
        "ack": "40 B",
        "start": "uniform 0..1 s",
        "control": "aimd(1, 0.8)",
        "recovery": "reno",
    }
    assert "interval" not in study.cell(study.matrix.settings[0], study.algorithm[0], "sq-low")["environment"]


def test_environments_are_those_of_the_printed_table() -> None:
    study = load_study("akella2002/fig4")
    assert tuple(study.matrix.environments) == SETS["akella2002"]()
    assert [*study.matrix.environments, *study.matrix.absent] == [row.name for row in environments()]


def test_published_tables_are_whole() -> None:
    assert len(figures()) == 32
    assert len(appendix()) == 288
    assert len(appendix("reddy2012")) == 72
    assert sum(bool(row.note) for row in appendix()) == 3
    assert all(row.D >= row.C for row in appendix())


def test_quick_keeps_the_cells_and_shortens_the_runs() -> None:
    study = load_study("akella2002/fig4")
    quick = study.shortened()
    cells = {
        (e.key.setting, e.key.algorithm, e.key.environment)
        for e in study.plan()
        if isinstance(e.key, CellKey)
    }
    assert cells == {
        (e.key.setting, e.key.algorithm, e.key.environment)
        for e in quick.plan()
        if isinstance(e.key, CellKey)
    }
    assert quick.claims == study.claims
    assert quick.runs < study.runs
    lasts = [next(iter(each.plan())).scenario["duration"] for each in (study, quick)]
    assert study.quick is not None
    assert lasts[1] == study.quick.duration != lasts[0]


def test_an_open_parameter_can_be_varied_by_name() -> None:
    study = load_study("akella2002/fig5")
    varied = study.varied("tcp.min_rto", "200 ms")
    assert next(iter(varied.plan())).scenario["tcp"]["min_rto"] == "200 ms"
    assert next(iter(study.plan())).scenario["tcp"]["min_rto"] == "1 s"
    with pytest.raises(KeyError, match="no open parameter"):
        study.varied("tcp.min_tor", "1 s")


@pytest.mark.parametrize("name", STUDIES)
def test_an_open_parameter_of_flows_reaches_the_flows_of_every_probe_over_the_study(name: str) -> None:
    study = load_study(name).seeded(1)
    varied = study
    for entry in study.parameter:
        if entry.key == "flows.packet" and entry.applies(None, None):
            varied = varied.with_entry(entry, "321 B")
    if varied is study:
        return
    for probe in (each for each in varied.probe if each.base):
        for planned in varied.probed(probe):
            assert {group["packet"] for group in planned.scenario["flows"]} == {"321 B"}


def test_flows_of_a_probe_keep_what_they_say_themselves() -> None:
    study = load_study("lahanas2003/coexistence").seeded(1).varied("flows.start", "uniform 0..7 s")
    onset = next(each for each in study.probe if each.name == "onset")
    beside = next(each for each in study.probe if each.name == "beside")
    starts = [
        [group["start"] for group in next(study.probed(each)).scenario["flows"]] for each in (onset, beside)
    ]
    assert starts == [
        ["uniform 0..1 s", "uniform 0..1 s", "uniform 20..20.1 s"],
        ["uniform 0..7 s", "uniform 0..7 s"],
    ]


def test_studies_of_a_paper_join_and_share_their_runs() -> None:
    studies = [load_study(name) for name in ("akella2002/fig4", "akella2002/fig5")]
    joined = join("akella2002", studies)
    assert joined.joined == ["akella2002/fig4", "akella2002/fig5"]
    assert [str(setting) for setting in joined.matrix.settings] == ["reno/droptail", "sack/droptail"]
    assert joined.matrix.compared_with == []
    assert joined.runs == studies[1].runs  # Figure 5 compares with the runs of Figure 4
    assert set(joined.claims) == {name for study in studies for name in study.claims}
    with pytest.raises(AssertionError, match="differ in parameter"):
        join("akella2002", [studies[0], studies[1].varied("path.rtt", "60 ms")])


def test_names_of_studies() -> None:
    assert study_names("akella2002")[:3] == ("akella2002/fig1", "akella2002/fig2", "akella2002/fig4")
    assert study_names("akella2002/fig5") == ("akella2002/fig5",)
    body = study_names("akella2002/body")
    assert sorted({*study_names("akella2002")} - {*body}) == ["akella2002/appendix"]
    assert parts("akella2002/body")[0].joined == parts("akella2002")[0].joined
    with pytest.raises(InputError, match="akella2002/fig4"):
        study_names("akella2002/fig99")
    runs = {entry["name"]: entry["runs"] for entry in list_studies()}
    assert [runs[f"akella2002/fig{number}"] for number in (2, 4, 5)] == [2 * 4 * 10, 1682, 3346]


def test_the_index_is_what_the_studies_say() -> None:
    kept = (packaged("papers") / index.FILE).read_text(encoding="utf-8")
    assert kept == index.index_text(), "run `python -m tools.studies_index`"
    assert index.rows() == catalogue.rows()


def test_an_index_of_other_studies_is_not_believed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(index, "stated", lambda: "changed since")
    monkeypatch.setattr(catalogue, "rows", lambda: [{"name": "worked out"}])
    assert index.rows() == [{"name": "worked out"}]


def test_main_studies_come_first_and_joined() -> None:
    main, *others = parts("akella2002")
    assert main.main
    assert main.name == "akella2002"
    assert not any(study.main for study in others)
    assert [study.name for study in parts("akella2002/fig5")] == ["akella2002/fig5"]


EXTENDED = """
extends = "study.toml"
name = "paper/more"

[changed]
"bottleneck.rate" = "4 Mbit/s"
"flows.count" = 5

[[parameter]]
key = "path.rtt"
value = "50 ms"
plausible = ["20 ms"]
stated = ""
reason = ""

[[parameter]]
key = "bottleneck.queue.min"
value = 7
plausible = [5]
stated = ""
reason = ""
routers = ["red"]

[routers]
red = { kind = "red" }

[environments]
slow = { kind = "square", high = "2 Mbit/s", low = "1 Mbit/s", period = "1 s" }

[matrix]
settings = [{ recovery = "sack", router = "droptail" }, { recovery = "sack", router = "red" }]
environments = ["slow"]

[[probe]]
name = "p"
why = ""
base = true
seeds = 2
scenario = { duration = "9 s" }
vary = [{ name = "k", key = "path.rtt", values = ["1 ms", "2 ms"], labels = [1, 2] }]
"""


def test_a_part_changes_the_shared_set_up(tmp_path: Path) -> None:
    parameter = """
[[parameter]]
key = "path.rtt"
value = "10 ms"
plausible = ["20 ms"]
stated = ""
reason = ""

[[parameter]]
key = "bottleneck.rate"
value = "6 Mbit/s"
plausible = ["9 Mbit/s"]
stated = ""
reason = ""
"""
    written(tmp_path, SMALL + parameter)
    (tmp_path / "more.toml").write_text(EXTENDED)
    study = read_study(tmp_path / "more.toml")
    assert [entry.key for entry in study.parameter] == ["path.rtt", "bottleneck.queue.min"]
    plan = list(study.plan())
    droptail, red = plan[0].scenario, plan[3].scenario
    assert droptail["bottleneck"] == {"rate": "4 Mbit/s", "queue": {"kind": "drop-tail"}}
    assert red["bottleneck"]["queue"] == {"kind": "red", "min": 7}
    assert droptail["path"] == {"rtt": "50 ms"}
    assert droptail["flows"] == [{"count": 5, "control": "aimd(1, 0.5)", "recovery": "sack"}]
    assert droptail["environment"]["period"] == "1 s"
    probes = [entry for entry in plan if isinstance(entry.key, ProbeKey)]
    assert [(entry.seed, entry.scenario["path"]["rtt"]) for entry in probes] == [
        ("1", "1 ms"),
        ("2", "1 ms"),
        ("1", "2 ms"),
        ("2", "2 ms"),
    ]
    assert (probes[0].scenario["duration"], probes[0].scenario["warmup"]) == ("9 s", "1 s")
    assert "queue" not in probes[0].scenario["bottleneck"]
    assert study.seeded(1).runs == 2 + 2


def test_the_set_up_of_compare_is_that_of_the_studies() -> None:
    """Every cell that both have is one run."""
    comparison, study = load_comparison(), load_study("akella2002/fig5")
    assert [(e.label, e.control) for e in comparison.algorithm] == [
        (e.label, e.control) for e in study.algorithm
    ]
    for router in study.routers:
        setting = Setting(recovery="sack", router=router)
        for environment in study.matrix.environments:
            ours, theirs = (
                run_id_of(resolve(parse_scenario(entry.cell(setting, entry.algorithm[0], environment)), "1"))
                for entry in (comparison, study)
            )
            assert ours == theirs, (router, environment)
    assert not comparison.probe


def test_put_makes_tables_and_reaches_into_lists() -> None:
    data: dict[str, object] = {"flows": [{"count": 1}, {"count": 2}]}
    put(data, "flows.packet", "500 B")
    put(data, "tcp.min_rto", "1 s")
    assert data == {
        "flows": [{"count": 1, "packet": "500 B"}, {"count": 2, "packet": "500 B"}],
        "tcp": {"min_rto": "1 s"},
    }


def test_a_small_study_reads(tmp_path: Path) -> None:
    study = read_study(written(tmp_path, SMALL))
    assert study.runs == 3
    assert study.shortened().runs == 2


def test_a_file_extends_another(tmp_path: Path) -> None:
    (tmp_path / "shared.toml").write_text(SMALL)
    text = 'extends = "shared.toml"\ntitle = "another"\n[matrix]\nseeds = 7\n'
    study = read_study(written(tmp_path, text))
    assert (study.title, study.matrix.seeds, study.matrix.environments) == ("another", 7, ["cons-low"])


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (("seeds = 3", "seeds = 0"), "matrix.seeds = 0: expected 1 or more"),
        (("seeds = 3", 'seeds = "3"'), 'matrix.seeds = "3": expected a whole number'),
        (("seeds = 3", "sedes = 3"), "did you mean seeds"),
        (('title = "a study"', ""), "title: expected this key"),
        (('router = "droptail" }]', 'router = "red" }]'), "matrix.settings"),
        (('["cons-low"]', '["cons-low", "cons-low"]'), "each entry once"),
        (("claims = []", "claims = ["), "expected valid TOML"),
        (("flows = [{ count = 2 }]", "flows = 2"), "scenario.flows = 2: expected a list"),
        (("claims = []", 'extends = "no.toml"'), "expected a readable file"),
        (
            (
                "claims = []",
                'parameter = [{ key = "a", value = 1, plausible = [], stated = "", reason = "", only = ["x"] }]',
            ),
            "cons-low",
        ),
        (
            (
                "claims = []",
                'probe = [{ name = "p", why = "", scenario = {}, vary = [{ name = "k", key = "a", values = [1], labels = [] }] }]',
            ),
            "one label per value",
        ),
        (("claims = []", 'expected = { source = "", environments = 1, values = { B = {} } }'), "one of A"),
    ],
)
def test_mistakes_are_named(tmp_path: Path, change: tuple[str, str], message: str) -> None:
    assert change[0] in SMALL
    with pytest.raises(InputError) as raised:
        read_study(written(tmp_path, SMALL.replace(*change)))
    text = str(raised.value)
    assert message in text
    assert len(text.splitlines()) <= 3
    assert ".toml" in text


def test_every_study_file_is_used() -> None:
    files = {path.resolve() for path in packaged("papers").glob("*/studies/*.toml")}
    named = {
        (packaged("papers", *name.split("/")[:1], "studies") / f"{name.split('/')[1]}.toml").resolve()
        for name in STUDIES
    }
    extended, rest = set(), set(named)
    while rest:
        path = rest.pop()
        data = tomllib.loads(path.read_text(encoding="utf-8"))
        if "extends" in data:
            below = (path.parent / data["extends"]).resolve()
            extended.add(below)
            rest.add(below)
    alone = {
        packaged("papers", "formulas", "studies") / FILE,
        packaged("papers", "reddy2012", "studies") / ARQ_FILE,
    }
    assert files == named | extended | alone


def test_printed_scores_stand_beside_cells_of_the_paper_only() -> None:
    four = ("AIMD", "AIAD", "MIMD", "MIAD")
    assert tables().beside("sack/droptail", four, ["cons-low", "rd-high"]) == printed("sack", "droptail")
    assert tables().beside("sack/droptail", four[:2], ["cons-low"]) == {}
    assert tables().beside("sack/droptail", four, ["1a", "1b"]) == {}  # the patterns of Figure 1


def test_the_folder_of_studies_shows_the_files_of_the_package() -> None:
    shown = {path.resolve() for path in STUDY_FILES.glob("*/*.toml")}
    there = {path for folder in ("studies", "cases") for path in PAPERS_FOLDER.glob(f"*/{folder}/*.toml")}
    assert shown == there | {PAPERS_FOLDER / "coexistence" / "setup.toml"}
    linked = {path.name for path in STUDY_FILES.iterdir() if path.is_dir()}
    text = (STUDY_FILES / "README.md").read_text(encoding="utf-8")
    assert all(f"[{name}]({name})" in text for name in linked)
