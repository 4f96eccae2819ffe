"""The emulator of a reconstruction and what it says of open values, where the truth is known: effects, kin, sizes, made-up printings."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np
import pytest
from tests.test_reconstruction import parameter

from sawtooth.papers.akella2002.reconstruction.calibration import (
    Calibration,
    Identified,
    Printed,
    credible,
    standings,
)
from sawtooth.papers.akella2002.reconstruction.emulator import (
    ROUNDS,
    Features,
    Observed,
    Outputs,
    fit,
    pooled,
    weigh,
)
from sawtooth.papers.akella2002.reconstruction.factors import Factor
from sawtooth.papers.akella2002.reconstruction.shapes import Shapes

ROWS, PER_TABLE = 32, 4
TABLES = ROWS // PER_TABLE


def made(
    factors: Sequence[Factor],
    levels: np.ndarray,
    law: Callable[[np.ndarray], np.ndarray],
    truth: Sequence[int],
    shapes: Callable[[Sequence[int]], np.ndarray] = lambda _: np.zeros(0),
    together: Sequence[int] = (),
    noise: float = 0.15,
    acts: np.ndarray | None = None,
) -> Calibration:
    """Tables of four rows with a number each, which ``law`` gives by levels for every row; every combination is run for one table. What is
    printed is what the combination ``truth`` gives. The first half of the tables fits."""
    generator = np.random.Generator(np.random.PCG64(17))
    own = generator.uniform(-1.0, 2.0, ROWS)
    table = np.arange(ROWS) // PER_TABLE
    row = np.concatenate([np.flatnonzero(table == n % TABLES) for n in range(len(levels))])
    at = np.repeat(np.arange(len(levels)), PER_TABLE)
    value = own[row] + law(levels)[at, row] + generator.normal(0.0, noise, len(row))
    everywhere = np.ones((ROWS, len(factors)), dtype=np.bool_)
    kin = np.stack([table % 2, np.arange(ROWS) % PER_TABLE, table, np.arange(ROWS)], axis=1)
    outputs = Outputs(np.zeros(ROWS, np.int64), table, kin, everywhere if acts is None else acts)
    sizes = np.stack([shapes(tuple(one)) for one in levels])
    features = Features.over(outputs, [factor.levels for factor in factors], sizes)

    def design_of(wanted: np.ndarray) -> np.ndarray:
        return features.of(wanted, np.stack([shapes(tuple(one)) for one in wanted]))

    return Calibration(
        Observed(row, at, value, design_of(levels)),
        features,
        Printed(own + law(np.array([truth]))[0], np.arange(ROWS), table),
        table < TABLES // 2,
        levels,
        tuple(together),
        design_of,
        lambda _: True,
    )


def planted(
    combinations_: int, noise: float, seed: int, truth: Sequence[int] = (0, 2, 0, 1, 0)
) -> Calibration:
    """Factor 1 adds 0.6 to every number at level 2, factor 3 adds 0.4 at level 1 to those on which it acts; the others do nothing."""
    generator = np.random.Generator(np.random.PCG64(seed))
    factors = [Factor(parameter(f"key{n}", "a", ["b", "c"]), ("a", "b", "c")) for n in range(5)]
    acts = np.ones((ROWS, 5), dtype=np.bool_)
    acts[::2, 3] = False

    def law(levels: np.ndarray) -> np.ndarray:
        return np.asarray(0.6 * (levels[:, [1]] == 2) + 0.4 * (levels[:, [3]] == 1) * acts[:, 3])

    return made(factors, generator.integers(0, 3, (combinations_, 5)), law, truth, noise=noise, acts=acts)


def test_the_emulator_finds_planted_effects_with_their_size() -> None:
    shared = planted(160, 0.2, 3)
    found = fit(shared.observed, shared.features, weigh(shared.observed, shared.features))
    levels = np.array([[0, 0, 0, 0, 0], [0, 2, 0, 0, 0], [0, 0, 0, 1, 0], [2, 0, 1, 0, 2]])
    numbers = found.numbers(shared.design_of(levels))
    assert (numbers[1] - numbers[0]).mean() == pytest.approx(0.6, abs=0.05)
    assert (numbers[2] - numbers[0])[1::2].mean() == pytest.approx(0.4, abs=0.06)
    assert numbers[1] - numbers[0] == pytest.approx(np.full(ROWS, 0.6), abs=0.12)
    assert (numbers[2] - numbers[0])[1::2] == pytest.approx(np.full(ROWS // 2, 0.4), abs=0.12)
    assert (numbers[2] - numbers[0])[::2] == pytest.approx(np.zeros(ROWS // 2), abs=1e-12), (
        "it does not act there"
    )
    assert numbers[3] - numbers[0] == pytest.approx(np.zeros(ROWS), abs=0.1)
    assert found.spread == pytest.approx(np.full(ROWS, 0.2), abs=0.03)


@pytest.mark.parametrize(("combinations", "noise", "seed"), [(160, 0.2, 3), (60, 0.6, 5)])
def test_twice_as_many_rounds_move_predictions_little(combinations: int, noise: float, seed: int) -> None:
    """By 1 to 4 % of their spread, as the table of the module says."""
    shared = planted(combinations, noise, seed)
    once, twice = (
        fit(shared.observed, shared.features, weigh(shared.observed, shared.features, rounds)).numbers(
            shared.design_of(shared.levels)
        )
        for rounds in (ROUNDS, 2 * ROUNDS)
    )
    assert 0.01 < math.sqrt(((twice - once) ** 2).mean()) / once.std() < 0.04


def test_a_table_that_was_run_once_borrows_from_its_kin() -> None:
    shared = planted(160, 0.1, 4)
    first = np.flatnonzero(shared.observed.output < PER_TABLE)
    kept = np.ones(len(shared.observed.output), dtype=np.bool_)
    kept[first[PER_TABLE:]] = False
    seen = shared.observed.of(kept)
    found = fit(seen, shared.features, weigh(seen, shared.features))
    levels = np.array([[0, 0, 0, 0, 0], [0, 2, 0, 0, 0]])
    numbers = found.numbers(shared.design_of(levels))
    assert (numbers[1] - numbers[0])[:PER_TABLE] == pytest.approx(np.full(PER_TABLE, 0.6), abs=0.15)


def test_what_was_printed_tells_the_values_behind_it() -> None:
    fitted, others = planted(160, 0.2, 3).run(1, draws=40)
    assert (fitted.best[1], fitted.best[3]) == (2, 1)
    assert fitted.means[1][2] < fitted.means[1][1] - 0.1
    assert fitted.gain > 0.3
    assert others.gain > 0.3
    assert np.percentile(others.gains, 2.5) > 0.2
    says = standings(fitted, others)
    assert says[1] is says[3] is Identified.IDENTIFIABLE
    assert [says[idle] for idle in (0, 2, 4)].count(Identified.IDENTIFIABLE) == 0
    assert fitted.numbers > 0.6
    assert fitted.cross_validated > 0.6
    for idle in (0, 2, 4):  # an interval of a level that does nothing holds almost zero
        for level in (1, 2):
            low, high = fitted.interval(idle, level)
            assert low < 0.02
            assert high > -0.02


def test_made_up_printings_say_what_a_sweep_could_tell() -> None:
    many = planted(160, 0.2, 3).plant(1, printings=4, draws=20)
    assert (many.printings, many.parameters) == (4, 5)
    # Two factors act, each with one level in three that differs from the others: of twenty, some three can be told.
    assert many.identifiable >= 2
    assert many.right == many.identifiable
    assert many.within >= 18
    few = planted(16, 0.6, 5).plant(1, printings=4, draws=20)
    assert few.identifiable < many.identifiable


def test_other_settings_that_say_otherwise_confirm_nothing() -> None:
    shared = planted(160, 0.2, 3)
    printed = shared.printed.value.copy()
    printed[~shared.training] -= 0.6  # there factor 1 seems to have had another level
    fitted, others = replace(shared, printed=replace(shared.printed, value=printed)).run(1, draws=40)
    assert fitted.best[1] == 2
    assert standings(fitted, others)[1] is Identified.WEAKLY
    assert others.gain < 0.1 < fitted.gain


def test_a_best_combination_is_possible() -> None:
    shared = replace(planted(160, 0.2, 3), possible=lambda levels: levels[1] != 2)
    fitted, _ = shared.run(1, draws=2)
    assert fitted.best[1] != 2
    assert all(levels[1] != 2 for levels in fitted.bests)


def sized(
    combinations_: int, seed: int, law: Callable[[np.ndarray], float], truth: tuple[int, ...]
) -> tuple[Calibration, Shapes, list[Factor]]:
    """Six round trips, three packets and three buffers, and two factors that do nothing; ``law`` says what the sizes (r and s of `shapes`,
    then its columns) add to the numbers."""
    generator = np.random.Generator(np.random.PCG64(seed))
    rtts = ("110 ms", "40 ms", "60 ms", "120 ms", "20 ms", "30 ms")
    factors = [
        Factor(parameter("path.rtt", rtts[0], []), rtts),
        Factor(parameter("flows.packet", "1000 B", []), ("1000 B", "500 B", "1500 B")),
        Factor(parameter("bottleneck.buffer", "1 bdp", []), ("1 bdp", "0.5 bdp", "1500 packets")),
        Factor(parameter("idle", 0, []), (0, 1)),
        Factor(parameter("idle too", "a", []), ("a", "b", "c")),
    ]
    shapes = Shapes(
        100_000_000, ("110 ms", "1000 B", "1 bdp"), tuple((n, factors[n].levels) for n in range(3))
    )
    logs = [pooled(factors[place].levels) for place in (0, 1)]

    def added(levels: np.ndarray) -> np.ndarray:
        columns = np.stack([shapes(tuple(one)) for one in levels])
        sizes = np.column_stack([logs[0][levels[:, 0]], logs[1][levels[:, 1]], columns])  # type: ignore[index]
        return np.repeat(np.array([[law(one)] for one in sizes]), ROWS, axis=1)

    levels = np.stack([generator.integers(0, len(f.levels), combinations_) for f in factors], axis=1)
    return made(factors, levels, added, truth, shapes, shapes.factors), shapes, factors


def test_sizes_are_what_they_say() -> None:
    _, shapes, _ = sized(8, 1, lambda _: 0.0, (0, 0, 0, 0, 0))
    assert list(shapes((0, 0, 0, 0, 0))) == [0.0] * 5
    assert shapes((1, 0, 1, 0, 0))[0] == pytest.approx(-1.0)  # half of a round trip, whatever that is
    # 1500 packets of 1000 B are 120 ms at 100 Mbit/s: three round trips of 40 ms, and 110/120 of one of 110 ms less than that
    assert shapes((1, 0, 2, 0, 0))[0] == pytest.approx(math.log2(3.0))
    assert shapes((0, 1, 2, 0, 0))[0] == pytest.approx(math.log2(60 / 110))
    r, s, q = math.log2(40 / 110), math.log2(0.5), math.log2(60 / 40)
    assert list(shapes((1, 1, 2, 0, 0))) == pytest.approx([q, r * s, r * q, s * q, r * s * q])


def test_short_round_trips_are_one_effect() -> None:
    """Six levels share a slope: few combinations suffice to say that short ones are nearer, and which was printed."""
    shared, _, factors = sized(40, 4, lambda x: 0.4 * x[0], (4, 0, 0, 0, 0))
    trips = [0, 4, 5, 1, 2]  # the value taken, then 20, 30, 40, 60 ms
    design = shared.design_of(np.array([[trip, 0, 0, 0, 0] for trip in trips]))

    def moved(seen: Observed) -> list[float]:
        numbers = fit(seen, shared.features, weigh(seen, shared.features)).numbers(design)
        return [float(each) for each in (numbers[1:] - numbers[0]).mean(axis=1)]

    means = moved(shared.observed)
    assert means == sorted(means)
    assert means[0] == pytest.approx(0.4 * math.log2(20 / 110), abs=0.2)
    short = shared.levels[:, 0][shared.observed.combination] == 4
    unseen = moved(shared.observed.of(~short))[0]  # what 20 ms gives is known where 20 ms was never run
    assert unseen == pytest.approx(0.4 * math.log2(20 / 110), abs=0.25)
    fitted, others = shared.run(1, draws=30)
    assert factors[0].levels[fitted.best[0]] == "20 ms"
    assert standings(fitted, others)[0] in (Identified.IDENTIFIABLE, Identified.WEAKLY)
    assert standings(fitted, others)[3] is Identified.NOT
    x = pooled(factors[0].levels)
    assert x is not None
    slope, (low, high) = fitted.slope(0, x)
    assert 0.0 < low < slope < high


@pytest.mark.long
def test_an_interaction_of_sizes_is_found_and_the_best_are_chosen_together() -> None:
    """Short round trips go with a buffer that holds many of them, and not with a small one: no single effect shows that."""

    def law(sizes: np.ndarray) -> float:
        return float(0.5 * sizes[0] * sizes[2])

    truth = (4, 0, 2, 0, 0)
    shared, shapes, factors = sized(150, 5, law, truth)
    fitted, others = shared.run(1, draws=20)

    def told(levels: tuple[int, ...]) -> float:
        r = math.log2(float(factors[0].levels[levels[0]].split()[0]) / 110)
        return law(np.array([r, 0.0, shapes((*levels, 0, 0))[0]]))

    assert told(fitted.best[:3]) == pytest.approx(told(truth[:3]), abs=0.1)
    assert others.gain > 0.5
    choices = list(itertools.product(*(range(len(f.levels)) for f in factors[:3])))
    least = choices[int(np.argmin(fitted.together))]
    assert told(least) == pytest.approx(told(truth[:3]), abs=0.1)
    flat = np.zeros((150, 0))
    blind = replace(
        shared,
        features=Features.over(shared.features.outputs, [factor.levels for factor in factors], flat),
        observed=replace(shared.observed, design=shared.observed.design[:, :-5]),
    )
    unseen = replace(blind, design_of=lambda levels: blind.features.of(levels, np.zeros((len(levels), 0))))
    assert fitted.numbers > unseen.run(1, draws=1)[0].numbers + 0.2


def test_what_a_sweep_says_is_by_shares_of_the_draws() -> None:
    assert credible(np.array([0.02, 0.96, 0.02])) == [1]
    assert credible(np.array([0.5, 0.46, 0.04])) == [0, 1]
    assert credible(np.array([0.4, 0.3, 0.3])) == [0, 1, 2]


def test_what_was_not_run_is_not_known() -> None:
    """A level that no combination had is as good as the value taken, and not the best of all."""
    shared = planted(80, 0.2, 7)
    levels = shared.levels.copy()
    levels[:, 4] = 0
    seen = replace(shared, levels=levels, observed=replace(shared.observed, design=shared.design_of(levels)))
    fitted, _ = seen.run(1, draws=20)
    assert list(fitted.shares[4]) == pytest.approx([1 / 3, 1 / 3, 1 / 3], abs=0.1)
    assert all(share.sum() == pytest.approx(1.0) for share in fitted.shares)


def test_a_model_that_predicts_nothing_identifies_nothing() -> None:
    fitted, others = planted(160, 0.2, 3).run(1, draws=20)
    assert standings(fitted, others)[1] is Identified.IDENTIFIABLE
    assert set(standings(replace(fitted, cross_validated=0.0), others)) == {Identified.NOT}


def test_numbers_of_one_unit_are_pooled_and_nothing_else() -> None:
    found = pooled(("100 ms", "50 ms", "200 ms"))
    assert found is not None
    assert list(found) == [0.0, -1.0, 1.0]
    for levels in (
        ("1 bdp", "2 bdp"),
        ("1 bdp", "0.5 bdp", "1500 packets"),
        (0.1, 0.0, 0.2),
        (True, False, True),
        ("a", "b", "c"),
    ):
        assert pooled(levels) is None


def test_few_combinations_say_that_they_know_little() -> None:
    width = []
    for count in (12, 300):
        found, _ = planted(count, 0.6, 5).run(1, draws=40)
        low, high = found.interval(1, 2)
        width.append(high - low)
    assert width[0] > 2 * width[1]
    shared = planted(40, 0.2, 5)
    flat = replace(shared, observed=replace(shared.observed, value=np.ones(len(shared.observed.value))))
    assert flat.run(1, draws=2)[0].cross_validated <= 0.0
