"""Reconstruction where the truth is known: planted effects, planted values behind a printed table, decks that deal evenly."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from itertools import islice
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
import pytest
from tests.browser import Browser, faults
from tests.conftest import CommandLine
from tests.fits import fits

from sawtooth.errors import InputError
from sawtooth.experiment.perform import Held, perform
from sawtooth.experiment.study import Algorithm, Matrix, Parameter, Quick, Setting, Study
from sawtooth.papers.akella2002.printed import appendix, figures
from sawtooth.papers.akella2002.reconstruction.factors import Factor, combinations, factors_of
from sawtooth.papers.akella2002.reconstruction.page import blocks, write_reconstruction
from sawtooth.papers.akella2002.reconstruction.reconstruct import (
    Design,
    command_line,
    reconstruct_study,
)
from sawtooth.papers.akella2002.reconstruction.rows import (
    EXPLAINED,
    FIGURE,
    SAME,
    BlockKey,
    PrintedRow,
    halves,
    ours,
    printed_rows,
    study_of,
)
from sawtooth.papers.akella2002.reconstruction.surrogate import Observations, fit
from sawtooth.papers.akella2002.reconstruction.sweep import deal
from sawtooth.plain import json_value
from sawtooth.run.store import Store
from sawtooth.scenario.resolve import Resolved
from sawtooth.scenario.schedule import Schedule

REPRESENTATIVES = {"AIMD(1,0.5)": "AIMD"}


def parameter(key: str, value: object, plausible: list[object], **other: object) -> Parameter:
    return Parameter(key=key, value=value, plausible=plausible, stated="", reason="", **other)  # type: ignore[arg-type]


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
        quick=Quick(seeds=1, duration="4 s", warmup="1 s"),
    )


def rows_of(study: Study, store: Store) -> list[PrintedRow]:
    """Tables "printed" by this study itself: D of everything, so that a combination can be told."""
    rows = []
    for setting in ("sack/droptail", "reno/droptail"):
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


def test_the_rows_are_those_of_the_paper_and_the_halves_are_halves_of_every_table() -> None:
    settings = [f"{a}/{b}" for a in ("reno", "sack") for b in ("droptail", "red", "ecn", "drr")]
    rows = printed_rows(settings)
    assert len(rows) == len(appendix()) + len(figures()) == 320
    fits = halves(rows, 1)
    assert fits.sum() == 160
    for block in {row.block for row in rows}:
        mine = [bool(fits[place]) for place, row in enumerate(rows) if row.block == block]
        assert abs(sum(mine) - sum(not fit for fit in mine)) <= 1
    assert (halves(rows, 2) != fits).any()


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
    hands = list(islice(deal(blocks, 3, 1, seed=7), 16))
    assert all(len(set(hand)) == 4 for hand in hands)
    counts = Counter(block for hand in hands for block in hand)
    families = [counts[block] for block in blocks if block.family != FIGURE]
    assert sum(families) == 48
    assert set(families) == {6}
    assert {counts[block] for block in blocks if block.family == FIGURE} == {4}


def planted(combinations_: int, noise: float, seed: int) -> tuple[Observations, list[Factor]]:
    """Misfits of 40 rows with their own levels, 12 rows per combination; factor 1 at level 2 takes 0.5 off, factor 3 at level 1 takes
    0.3 off the even rows, on which alone it acts; the others do nothing."""
    generator = np.random.Generator(np.random.PCG64(seed))
    factors = [Factor(parameter(f"key{n}", 0, [1, 2]), (0, 1, 2)) for n in range(5)]
    levels = generator.integers(0, 3, (combinations_, 5))
    own = generator.uniform(0.2, 3.0, 40)
    row = np.concatenate([generator.permutation(40)[:12] for _ in range(combinations_)])
    combination = np.repeat(np.arange(combinations_), 12)
    acts = np.ones((40, 5), dtype=np.bool_)
    acts[1::2, 3] = False
    misfit = own[row] - 0.5 * (levels[combination, 1] == 2)
    misfit -= 0.3 * ((levels[combination, 3] == 1) & acts[row, 3])
    misfit += generator.normal(0.0, noise, len(row))
    return Observations(row, combination, misfit, levels, acts), factors


def test_planted_effects_are_found_with_their_size() -> None:
    observed, factors = planted(200, 0.2, 3)
    found = fit(observed, factors, seed=1)
    assert (found.best[1], found.best[3]) == (2, 1)
    assert found.means[1][2] == pytest.approx(-0.5, abs=0.05)
    assert found.means[3][1] == pytest.approx(-0.3, abs=0.06)
    low, high = found.interval(1, 2)
    assert low < -0.5 < high < -0.3
    assert found.chosen_share(1)[2] == 1.0
    for idle in (0, 2, 4):  # an interval of a level that does nothing holds zero
        for level in (1, 2):
            low, high = found.interval(idle, level)
            assert low < 0.05
            assert high > -0.05
    assert found.cross_validated > 0.6


def test_few_combinations_say_that_they_know_little() -> None:
    few, factors = planted(12, 0.6, 5)
    many, _ = planted(300, 0.6, 5)
    width = [
        fit(observed, factors, seed=1).interval(1, 2)[1] - fit(observed, factors, seed=1).interval(1, 2)[0]
        for observed in (few, many)
    ]
    assert width[0] > 2 * width[1]
    nothing = Observations(few.row, few.combination, np.ones(len(few.row)), few.levels, few.acts)
    assert fit(nothing, factors, seed=1).cross_validated <= 0.0


def test_planted_values_are_recovered_from_the_tables_they_print(tmp_path: Path, browser: Browser) -> None:
    study = small_study()
    store = Store(tmp_path)
    truth = study.varied("path.rtt", "80 ms").varied("bottleneck.buffer", "100 packets")
    rows = rows_of(truth, store)
    design = Design(combinations=12, families=2, figures=0, finalists=2, full=2)
    found = reconstruct_study("small", study, rows, REPRESENTATIVES, store, design=design)
    assert len(found.tried) == 12
    names = [factor.name for factor in found.factors]
    best = dict(zip(names, found.best, strict=True))
    assert (best["path.rtt"], best["bottleneck.buffer"]) == (1, 1)
    assert found.gain_held_out.mean > 0.0
    # A finalist with the planted values meets the tables; the values taken do not.
    assert found.finalists[0].mean(found.training) > 0.05
    assert min(entry.mean(~found.training) for entry in found.finalists) < 0.01
    assert not found.unexplained()
    command = "sawtooth reproduce small --reconstruct --combinations 12 --finalists 2"
    assert blocks(found)["reconstruction command"] == f"```sh\n{command}\n```"
    assert found.to_json()["conditions"]["command"] == command
    assert fits(json_value(found.to_json())) == "reconstruction"
    write_reconstruction(found, tmp_path / "report.html")
    assert faults(browser, tmp_path / "report.html") == []

    # The same call again makes no run; a larger one goes on.
    again = reconstruct_study("small", study, rows, REPRESENTATIVES, store, design=design)
    assert again.executed == 0
    assert again.to_json() | {"executed": 0, "wall_s": 0} == found.to_json() | {"executed": 0, "wall_s": 0}
    more = Design(combinations=14, families=2, figures=0, finalists=2, full=2)
    assert reconstruct_study("small", study, rows, REPRESENTATIVES, store, design=more).executed > 0


def test_a_budget_that_is_used_up_gives_what_is_there(tmp_path: Path) -> None:
    study, store = small_study(), Store(tmp_path)
    rows = rows_of(study.varied("path.rtt", "80 ms"), store)
    design = Design(combinations=6, families=2, figures=0, finalists=1, full=2)
    with pytest.raises(InputError, match="two combinations"):
        reconstruct_study("small", study, rows, REPRESENTATIVES, store, design=design, budget_s=0.0)
    first = reconstruct_study("small", study, rows, REPRESENTATIVES, store, design=design)
    larger = Design(combinations=40, families=2, figures=0, finalists=1, full=2)
    found = reconstruct_study("small", study, rows, REPRESENTATIVES, store, design=larger, budget_s=0.0)
    assert found.executed == 0
    assert {entry.combination.levels for entry in found.tried} == {
        entry.combination.levels for entry in first.tried
    }


def test_without_finalists_nothing_is_run_at_full_length(tmp_path: Path) -> None:
    study, store = small_study(), Store(tmp_path)
    rows = rows_of(study.varied("path.rtt", "80 ms"), store)
    design = Design(combinations=4, families=2, figures=0, finalists=0)
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
    wanted = 4 * int(str(found.conditions["runs_per_combination"]))
    assert found.executed == moved[-1][0] == moved[-1][1] == wanted


def test_rows_that_nothing_explains_are_named(tmp_path: Path) -> None:
    study, store = small_study(), Store(tmp_path)
    rows = rows_of(study, store)
    odd = rows[0]
    rows[0] = PrintedRow(odd.block, odd.label, {**odd.values, "D_loss": 1e6, "D_delay": 1e6})
    design = Design(combinations=8, families=2, figures=0, finalists=1, full=2)
    found = reconstruct_study("small", study, rows, REPRESENTATIVES, store, design=design)
    assert [row.label for row, _, _ in found.unexplained()] == [odd.label]


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
