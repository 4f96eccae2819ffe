"""Reconstruction where the truth is known: planted effects, planted values behind a printed table, decks that deal evenly."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from itertools import islice
from pathlib import Path
from typing import Any, ClassVar

import pytest
from tests.browser import Browser, faults
from tests.conftest import CommandLine
from tests.fits import fits

from sawtooth.errors import InputError
from sawtooth.experiment.perform import Held, perform
from sawtooth.experiment.study import Algorithm, Matrix, OpenParameter, QuickStudy, Setting, Study
from sawtooth.papers.akella2002.printed import appendix, figures
from sawtooth.papers.akella2002.reconstruction.command import BLOCKS
from sawtooth.papers.akella2002.reconstruction.factors import Factor, combinations, factors_of
from sawtooth.papers.akella2002.reconstruction.page import blocks, finalists_csv, write_reconstruction
from sawtooth.papers.akella2002.reconstruction.reconstruct import (
    SEED,
    Design,
    command_line,
    reconstruct_study,
)
from sawtooth.papers.akella2002.reconstruction.result import by_tables, design_text, sentences
from sawtooth.papers.akella2002.reconstruction.result import design as design_of
from sawtooth.papers.akella2002.reconstruction.rows import (
    EXPLAINED,
    FIGURE,
    SAME,
    BlockKey,
    PrintedRow,
    fitted_settings,
    fitting,
    ours,
    printed_rows,
    study_of,
)
from sawtooth.papers.akella2002.reconstruction.sweep import deal
from sawtooth.papers.studies import load_study
from sawtooth.plain import json_value
from sawtooth.plurals import number_of
from sawtooth.report.computed import contents
from sawtooth.run.store import Store
from sawtooth.scenario.resolve import Resolved
from sawtooth.scenario.schedule import Schedule

REPRESENTATIVES = {"AIMD(1,0.5)": "AIMD"}


def parameter(key: str, value: object, plausible: list[object], **other: object) -> OpenParameter:
    return OpenParameter(key=key, value=value, plausible=plausible, stated="", reason="", **other)  # type: ignore[arg-type]


def small_study() -> Study:
    """Two laws over a small link, one setting, one environment: a cell is milliseconds."""
    return Study(
        name="small",
        title="small",
        paper="akella2002",
        scenario={
            "bottleneck": {"rate": "8 Mbit/s", "delay": "2 ms"},
            "flows": [{"count": 2, "start": "uniform 0..0.2 s"}],
        },
        parameter=[
            parameter("duration", "4 s", ["8 s"]),
            parameter("warmup", "1 s", []),
            parameter("path.rtt", "20 ms", ["80 ms", "200 ms"]),
            parameter("bottleneck.buffer", "20 packets", ["100 packets"]),
            parameter("flows.ack", "40 B", ["60 B"]),
        ],
        algorithm=[
            Algorithm(label="AIMD(1,0.5)", family="AIMD", control="aimd(1, 0.5)"),
            Algorithm(label="AIMD(1,0.8)", family="AIMD", control="aimd(1, 0.8)"),
            Algorithm(label="AIMD(3,0.8)", family="AIMD", control="aimd(3, 0.8)"),
            Algorithm(label="AIMD(8,0.9)", family="AIMD", control="aimd(8, 0.9)"),
        ],
        matrix=Matrix(
            settings=[
                Setting(recovery="sack", router="droptail"),
                Setting(recovery="reno", router="droptail"),
            ],
            environments=["cons-high"],
            seeds=1,
        ),
        routers={"droptail": {"kind": "drop-tail"}},
        quick=QuickStudy(seeds=1, duration="4 s", warmup="1 s"),
    )


def rows_of(
    study: Study, store: Store, settings: Sequence[str] = ("sack/droptail", "reno/droptail")
) -> list[PrintedRow]:
    """Tables "printed" by this study itself: D of everything, so that a combination can be told."""
    rows = []
    for setting in settings:
        block = BlockKey(setting, "AIMD")
        part = study_of(study, block, REPRESENTATIVES)
        found = perform(part, store).results.blocks[setting]
        for entry in part.algorithm:
            empty = PrintedRow(block, entry.label, dict.fromkeys(SAME, 0.0))
            rows.append(PrintedRow(block, entry.label, ours(empty, found)))
    return rows


def test_a_misfit_is_the_mean_logarithm_of_the_ratio() -> None:
    row = PrintedRow(BlockKey("sack/red", "AIMD"), "AIMD(1,0.5)", {"D_goodput": 0.3, "C_goodput": 0.05})
    # (0.7 + 0.1) / (0.3 + 0.1) = 2 and (0 + 0.05) / (0.05 + 0.05) = 1/2: both are a factor of two
    assert row.misfit({"D_goodput": 0.7, "C_goodput": 0.0}) == pytest.approx(math.log(2.0))
    assert row.misfit({"D_goodput": 0.3, "C_goodput": 0.05}) == 0.0
    assert pytest.approx(math.log(2.0)) == EXPLAINED


def test_the_rows_are_those_of_the_paper_and_whole_settings_are_left_out() -> None:
    settings = [f"{a}/{b}" for a in ("reno", "sack") for b in ("droptail", "red", "ecn", "drr")]
    rows = printed_rows(settings)
    assert len(rows) == len(appendix()) + len(figures()) == 320
    fits = fitting(rows)
    assert fits.sum() == 160
    sides = {
        setting: {bool(fits[n]) for n, row in enumerate(rows) if row.block.setting == setting}
        for setting in settings
    }
    assert all(len(side) == 1 for side in sides.values()), "a setting is on one side with all of its tables"
    fitted = fitted_settings(settings)
    for part in range(2):  # each recovery and each router is on both sides
        assert {name.split("/")[part] for name in fitted} == {name.split("/")[part] for name in settings}
        left = set(settings) - fitted
        assert {name.split("/")[part] for name in left} == {name.split("/")[part] for name in settings}


def test_factors_are_open_parameters_with_another_value() -> None:
    study = small_study()
    factors = factors_of(study)
    assert [factor.name for factor in factors] == ["path.rtt", "bottleneck.buffer", "flows.ack"]
    chosen = list(combinations(factors, 64, 1, lambda _: True))
    assert chosen[0].levels == (0, 0, 0)
    assert [entry.number for entry in chosen] == list(range(64))
    counts = Counter(entry.levels[0] for entry in chosen)
    assert max(counts.values()) - min(counts.values()) <= 3
    refused = list(combinations(factors, 32, 1, lambda entry: entry.levels[0] != 2))
    assert len(refused) == 32
    assert all(entry.levels[0] != 2 for entry in refused)
    changed = chosen[5].apply(study, factors)
    for factor, level in zip(factors, chosen[5].levels, strict=True):
        assert changed.value_of(factor.entry.key) == factor.levels[level]


def test_a_factor_of_some_routers_acts_there_only() -> None:
    factor = Factor(parameter("bottleneck.queue.min", 25, [50], routers=["red"]), (25, 50))
    assert factor.applies("sack/red")
    assert not factor.applies("sack/droptail")


def test_decks_deal_every_table_before_any_again() -> None:
    blocks = [BlockKey(f"s{n}", family) for n in range(4) for family in ("A", "B", FIGURE)]
    hands = list(islice(deal(blocks, 2, 1, seed=7), 48))
    assert [block.family == FIGURE for block in hands] == [True, True, False] * 16
    counts = Counter(hands)
    assert {counts[block] for block in blocks if block.family == FIGURE} == {8}
    assert {counts[block] for block in blocks if block.family != FIGURE} == {2}
    assert {block.family for block in islice(deal(blocks, 0, 1, seed=7), 12)} == {"A", "B"}


def test_intervals_of_gains_draw_whole_tables() -> None:
    """Rows of a table go together: four tables of equal rows know no more than four numbers."""
    tables = [[value] * 25 for value in (0.0, 0.1, 0.2, 0.3)]
    found = by_tables(tables, 1)
    assert found is not None
    assert found.mean == pytest.approx(0.15)
    assert found.high - found.low > 0.15
    assert by_tables([], 1) is None


def test_planted_values_are_recovered_from_the_tables_they_print(tmp_path: Path, browser: Browser) -> None:
    study = small_study()
    store = Store(tmp_path)
    truth = study.varied("path.rtt", "80 ms").varied("bottleneck.buffer", "100 packets")
    rows = rows_of(truth, store)
    design = Design(combinations=36, figures=0, finalists=2, full=2)
    found = reconstruct_study("small", study, rows, REPRESENTATIVES, store, design=design)
    assert len(found.tried) == 36
    assert tuple(blocks(found)) == BLOCKS
    assert blocks(found)["reconstruction summary"].startswith(
        "- Of 3 open parameters 36 combinations identify "
    )
    levels = sum(len(factor.levels) - 1 for factor in found.factors)
    assert len(blocks(found)["reconstruction effects"].splitlines()) == 2 + levels, "every level is reported"
    names = [factor.name for factor in found.factors]
    best = dict(zip(names, found.best, strict=True))
    assert (best["path.rtt"], best["bottleneck.buffer"]) == (1, 1)
    assert found.gain_held_out.mean > 0.0
    # A finalist with the planted values meets the tables; the values taken do not.
    assert found.finalists[0].mean(found.training) > 0.05
    assert min(entry.mean(~found.training) for entry in found.finalists) < 0.01
    assert not found.unexplained()
    # Cells of the page stay short: what each finalist changes stands in a file.
    listed = finalists_csv(found).splitlines()
    changed = [entry.combination.changed(found.factors) for entry in found.finalists]
    assert len(listed) == 1 + sum(map(len, changed))
    assert listed[:2] == ["finalist,parameter,value", next(f"1,{k},{v}" for k, v in changed[1].items())]
    cells = [line.split(" | ")[0] for line in blocks(found)["reconstruction finalists"].splitlines()[2:]]
    assert cells[:2] == ["| the values taken", f"| 1: {number_of(len(changed[1]), 'value')}"]
    command = "sawtooth reproduce small --reconstruct --combinations 36 --finalists 2"
    assert blocks(found)["reconstruction command"] == f"```sh\n{command}\n```"
    assert found.to_json()["conditions"]["command"] == command
    assert fits(json_value(found.to_json())) == "reconstruction"
    write_reconstruction(found, tmp_path / "report.html")
    assert faults(browser, tmp_path / "report.html") == []

    # The same call again makes no run.
    again = reconstruct_study("small", study, rows, REPRESENTATIVES, store, design=design)
    assert again.executed == 0
    assert again.to_json() | {"executed": 0, "wall_s": 0} == found.to_json() | {"executed": 0, "wall_s": 0}


def test_a_larger_sweep_goes_on(tmp_path: Path) -> None:
    study, store = small_study(), Store(tmp_path)
    rows = rows_of(study, store)
    executed = [
        reconstruct_study(
            "small",
            study,
            rows,
            REPRESENTATIVES,
            store,
            design=Design(combinations=count, figures=0, finalists=0),
        ).executed
        for count in (4, 4, 6)
    ]
    assert executed[0] > executed[2] > executed[1] == 0


def test_a_budget_that_is_used_up_gives_what_is_there(tmp_path: Path) -> None:
    study, store = small_study(), Store(tmp_path)
    rows = rows_of(study.varied("path.rtt", "80 ms"), store)
    design = Design(combinations=6, figures=0, finalists=0, full=2)
    with pytest.raises(InputError, match="two combinations"):
        reconstruct_study("small", study, rows, REPRESENTATIVES, store, design=design, budget_s=0.0)
    first = reconstruct_study("small", study, rows, REPRESENTATIVES, store, design=design)
    larger = Design(combinations=40, figures=0, finalists=0, full=2)
    found = reconstruct_study("small", study, rows, REPRESENTATIVES, store, design=larger, budget_s=0.0)
    assert found.executed == 0
    assert {entry.combination.levels for entry in found.tried} == {
        entry.combination.levels for entry in first.tried
    }


def test_without_finalists_nothing_is_run_at_full_length(tmp_path: Path) -> None:
    study, store = small_study(), Store(tmp_path)
    rows = rows_of(study.varied("path.rtt", "80 ms"), store)
    design = Design(combinations=4, figures=0, finalists=0)
    moved: list[tuple[int, int, int]] = []
    found = reconstruct_study(
        "small",
        study,
        rows,
        REPRESENTATIVES,
        store,
        design=design,
        progress=lambda *step: moved.append(step),
    )
    assert found.finalists == []
    assert found.executed == moved[-1][0] == moved[-1][1] == found.conditions["runs"] == 16


def test_a_model_that_predicts_nothing_is_given_no_gain(tmp_path: Path) -> None:
    study, store = small_study(), Store(tmp_path)
    rows = rows_of(study.varied("path.rtt", "80 ms"), store)
    design = Design(combinations=4, figures=0, finalists=0)
    found = reconstruct_study("small", study, rows, REPRESENTATIVES, store, design=design)

    def told(share: float) -> str:
        return "\n".join(sentences(replace(found, effects=replace(found.effects, cross_validated=share))))

    for share, told_share in ((-0.314, "-31.4 %"), (0.0, "0.0 %")):
        assert f" {told_share} in the misfit: no better than none" in told(share)
        assert "predicted gain" not in told(share)
        assert told(share).startswith("4 combinations cannot tell the values of 3 open parameters")
    assert " 31.4 % in the misfit;" in told(0.314)
    assert "Its predicted gain in misfit is" in told(0.314)
    assert "each for one printed table, with 1 seed of 4 s in 1 environment: 16 runs." in told(0.0)
    assert design_of(found) == (
        "Each of 4 combinations was run for one printed table: the table of a family of instances with 2 of them (2 tables)."
    )


def test_the_page_says_how_much_its_sweep_could_tell() -> None:
    """Of the design, which needs no runs: what was asked for stands in the command on the page."""
    text = (Path(__file__).parents[1] / "docs" / "akella2002-reconstruction.md").read_text("utf-8")
    asked = re.search(r"--combinations (\d+)", contents(text)["reconstruction command"])
    count = int(asked[1]) if asked else Design().combinations
    study = load_study("akella2002/appendix")
    blocks = sorted({row.block for row in printed_rows([str(setting) for setting in study.matrix.settings])})
    hands = islice(deal(blocks, Design().figures, Design().families, SEED), count)
    assert contents(text)["reconstruction design"].strip() == design_text(list(hands), blocks)


def test_short_names_tell_groups_by_their_first() -> None:
    many = parameter("environment.floor", 1, [2], only=["rw-low", "rw-high", "rd-low"])
    few = parameter("bottleneck.queue.min", 1, [2], routers=["red", "ecn"])
    assert Factor(many, (1, 2)).short == "environment.floor (rw-low and 2 more)"
    assert Factor(few, (1, 2)).short == Factor(few, (1, 2)).name == "bottleneck.queue.min (red, ecn)"
    assert Factor(parameter("path.rtt", 1, [2]), (1, 2)).short == "path.rtt"


def test_rows_that_nothing_explains_are_named(tmp_path: Path) -> None:
    study, store = small_study(), Store(tmp_path)
    rows = rows_of(study, store)
    odd = rows[0]
    rows[0] = PrintedRow(odd.block, odd.label, {**odd.values, "D_loss": 1e6, "D_delay": 1e6})
    design = Design(combinations=8, figures=0, finalists=1, full=2)
    found = reconstruct_study("small", study, rows, REPRESENTATIVES, store, design=design)
    assert [row.label for row, _, _ in found.unexplained()] == [odd.label]
    ((_, _, times),) = found.unexplained()
    assert sentences(found)[-1].endswith(f"; 1 of these 1 was run by {times} combinations only.")


def test_a_page_without_its_blocks_is_refused_before_anything_runs(
    sawtooth: CommandLine, tmp_path: Path
) -> None:
    page = tmp_path / "page.md"
    page.write_text("<!-- results: claims -->\n<!-- end -->\n")
    store = tmp_path / "runs"
    done = sawtooth(
        "reproduce", "akella2002", "--reconstruct", "--markdown", str(page), "--store", str(store)
    )
    assert done.code == 2
    assert f"{page}: expected a block" in done.err
    assert "reconstruction summary" in done.err
    assert not store.exists()


def test_only_a_paper_with_printed_tables_can_be_reconstructed(sawtooth: CommandLine) -> None:
    for name in ("floyd2000", "akella2002/fig4", "mathematics"):
        done = sawtooth("reproduce", name, "--reconstruct")
        assert done.code == 2
        assert "a paper with printed tables: akella2002" in done.err


def test_a_held_job_is_resolved_once() -> None:
    class Counted(Sequence[Resolved]):
        """Three jobs, and how often each was made."""

        made: ClassVar[list[int]] = []

        def __len__(self) -> int:
            return 3

        def __getitem__(self, index: Any) -> Any:
            if index >= 3:
                raise IndexError(index)
            self.made.append(index)
            return Resolved({"seed": str(index)}, Schedule.constant(1), {})

    held = Held(Counted())
    named = list(held)
    assert [held[place] for place in range(3)] == named
    assert Counted.made == [0, 1, 2]


def test_the_command_of_a_reconstruction_says_what_was_asked_for() -> None:
    assert command_line("akella2002", Design(), None) == "sawtooth reproduce akella2002 --reconstruct"
    given = command_line("akella2002", Design(finalists=0), 600.0)
    assert given == "sawtooth reproduce akella2002 --reconstruct --finalists 0 --budget '600 s'"
