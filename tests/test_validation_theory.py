"""The engine against closed forms: AIMD under regular and random losses, a flow that must fill its link, conservation.

Source: [Floyd00] equation 4; RFC 9438 §5.1; ns-2 2.35 under the same losses (validation/data/ns2_response.csv).
"""

from __future__ import annotations

import pytest
from validation import cubic_tables, loss
from validation.loss import LAWS, FullLink, Random, Regular
from validation.runs import job, runs

from sawtooth.models import cubic
from sawtooth.models.whole_packets import whole_packets


@pytest.fixture(scope="module")
def regular() -> dict[tuple[float, float, int], Regular]:
    """Every cell that ns-2 ran, by a, b and n."""
    return {(cell.a, cell.b, cell.n): cell for cell in loss.regular()}


@pytest.mark.long
def test_the_engine_loses_packets_as_regularly_as_ns2(
    regular: dict[tuple[float, float, int], Regular],
) -> None:
    assert len(regular) == 32
    for cell in regular.values():
        assert cell.ours == pytest.approx(cell.ns2, rel=1e-3), cell
        assert cell.timeouts == 0, cell


@pytest.mark.long
@pytest.mark.parametrize(("a", "b"), LAWS)
@pytest.mark.parametrize(("n", "within"), [(10_000, 0.02), (5000, 0.02), (2000, 0.02), (1000, 0.04)])
def test_aimd_follows_the_response_function(
    regular: dict[tuple[float, float, int], Regular], a: float, b: float, n: int, within: float
) -> None:
    ratio = regular[a, b, n].ratio
    if (a, b, n) == (1.0, 0.5, 2000):
        # Known to miss 2 %, in ns-2 and in whole packets alike: the cycle takes 38 round trips, not 37.0. See docs/validation.md.
        assert 0.97 < ratio < 0.98
        assert regular[a, b, n].ns2_ratio == pytest.approx(ratio, abs=1e-3)
        return
    assert ratio == pytest.approx(1, abs=within)


@pytest.mark.long
def test_the_windows_that_rfc9438_tabulates_are_those_of_the_exact_cycle_but_where_both_curves_decide() -> (
    None
):
    found = cubic_tables.rows()
    assert len(found) == 14
    far = [row for row in found if abs(row.difference) > cubic_tables.WANTED]
    assert [(row.rtt_s, row.p) for row in far] == [(0.1, 1e-3), (0.01, 1e-6)]
    for row in found:
        # What the tables hold is the larger average by their own constant, in whole packets.
        own = max(1.2 / row.p**0.5, float(cubic.cubic_rate(row.p, row.rtt_s)))
        assert row.window == pytest.approx(own, abs=0.51), row
        assert (1 + row.constant) * (1 + row.curves) == pytest.approx(1 + row.difference), row
    for row in far:
        assert 0.03 < row.curves < 0.04, "the two curves"
        assert 0.015 < row.constant < 0.025, "sqrt(1.5) against 1.2"
    table = cubic_tables.table(found)
    assert table.count("**") == 2 * len(far)


@pytest.mark.long
def test_around_a_period_that_misses_the_mean_does_not() -> None:
    around = loss.around(2000)
    assert sum(around) / len(around) == pytest.approx(1, abs=0.02)


@pytest.mark.long
@pytest.mark.parametrize(("a", "b"), LAWS)
@pytest.mark.parametrize("n", [100, 1000, 2000])
def test_whole_packets_explain_the_rest(
    regular: dict[tuple[float, float, int], Regular], a: float, b: float, n: int
) -> None:
    whole = whole_packets(a, b, n)
    assert regular[a, b, n].ours == pytest.approx(whole, rel=2e-3)


@pytest.mark.long
def test_at_one_per_cent_there_is_a_tenth_less_as_in_ns2(
    regular: dict[tuple[float, float, int], Regular],
) -> None:
    cell = regular[1.0, 0.5, 100]
    assert cell.ratio == pytest.approx(0.91, abs=0.01)
    assert cell.ratio * 0.99 == pytest.approx(
        0.90, abs=0.01
    )  # what arrives: one packet of a hundred is sent again


def test_rate_falls_with_the_square_root_of_random_loss() -> None:
    found: Random = loss.random(1.0, 0.5, (1e-4, 3e-4, 1e-3))
    assert found.slope == pytest.approx(-0.50, abs=0.03)
    for index in range(3):  # 900 losses: two standard errors are some 4 %; whole packets cost another 2 %
        assert found.ratio(index) == pytest.approx(1, abs=0.06), found


@pytest.fixture(scope="module")
def links() -> list[FullLink]:
    """A flow alone on links of several rates and round trips."""
    return loss.full_links()


@pytest.mark.long
def test_a_flow_with_a_product_of_buffer_fills_its_link(links: list[FullLink]) -> None:
    for link in links:
        assert link.utilisation >= 0.995, link


def test_no_packet_is_lost_from_the_books() -> None:
    regular_loss = job("response", {"duration": "30 s"})
    random_loss = job("response", {"duration": "30 s", "bottleneck.drop": "bernoulli(0.01)"})
    crowd = job("ns2_cells", {"duration": "10 s"}, seed=3)
    for run in runs([regular_loss, random_loss, crowd]):
        assert run.summary["packets_sent"] > 5_000
        assert run.summary["packets_dropped"] > 0
        assert loss.conserved(run)


def test_an_exact_clock_needs_no_timeout_on_a_path_longer_than_the_minimum() -> None:
    """Without the granularity of RFC 6298 §2.3 every loss ended in a spurious timeout here."""
    (run,) = runs([job("response", {"path.rtt": "250 ms", "tcp.timer_tick": "0 s"})])
    assert run.values["timeouts"] == 0
    assert run.values["retransmits"] == pytest.approx(run.queues.column("drops")[0].as_py(), abs=1)
