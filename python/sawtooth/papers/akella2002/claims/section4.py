"""Claims of section 4: the four metrics, what their scores have in common, the printed orders, the buffer rule.

Source: [Akella02] section 4, footnote 5, Figures 4 and 5, section 4.2.3. The definitions are put to the product's own metric
functions on tables small enough to work by hand. Tolerances: ``order_agrees``.
"""

from __future__ import annotations

from typing import Final

import numpy as np
import pyarrow as pa

from sawtooth.claims.logic import Finding, both, either, fact, opposite
from sawtooth.claims.orders import order_agrees, orders_alike
from sawtooth.claims.view import View
from sawtooth.columns import Columns
from sawtooth.measure.metrics import Measured, metric
from sawtooth.papers.akella2002.four import FOUR
from sawtooth.papers.akella2002.printed import COLUMNS, printed

# Two flows over 10 s with 1 Mbit/s available to each: 1000 and 500 unique packets of 1000 B are 0.8 and 0.4 Mbit/s.
# Goodput (0.8 + 0.4)/2 = 0.6; fairness (0.8 - 0.4)/0.6 = 2/3. The bottleneck dropped 30 of 2000 test packets: 1.5 %.
# It forwarded 1970 of them after 39.4 s of waiting in all: 20 ms each.
EXAMPLE: Final = Measured(
    flows=Columns.of_table(
        pa.table(
            {
                "id": [0, 1],
                "test": [True, True],
                "packet_bytes": [1000, 1000],
                "delivered_unique": [1000, 500],
                "delivered_total": [1200, 600],
            }
        )
    ),
    queues=Columns.of_table(
        pa.table(
            {
                "test_arrivals": [2000],
                "test_drops": [30],
                "test_forwarded": [1970],
                "delay_ns_sum_test": [39_400_000_000],
            }
        )
    ),
    records={},
    start_ns=5_000_000_000,
    end_ns=15_000_000_000,
    available_bps=1e6,
)


def _example(name: str, by_hand: float) -> Finding:
    found = metric(name)(EXAMPLE)
    return fact(
        f"{name} of the worked example is {by_hand:.4g}",
        abs(found - by_hand) < 1e-12 * max(1.0, by_hand),
        judged=f"|ours - {by_hand:.4g}| < {1e-12 * max(1.0, by_hand):.3g}",
        found=found,
    )


def goodput(_: View) -> Finding:
    """Unique delivered bits over the available bandwidth; repeats do not count."""
    return _example("goodput", 0.6)


def delay(_: View) -> Finding:
    """Mean queueing delay of the test packets, ms."""
    return _example("delay", 20.0)


def loss(_: View) -> Finding:
    """Dropped test packets in percent of those that arrived."""
    return _example("loss", 1.5)


def fairness(_: View) -> Finding:
    """(largest - smallest)/mean of the flows' goodputs."""
    return _example("fairness", 2 / 3)


def jain_alike(view: View) -> Finding:
    """The mean spread and the mean of 1 - Jain order the four alike, in each setting."""
    return both(
        "spread and Jain index order the four alike",
        [
            orders_alike(
                f"rho of the orders by mean spread and by mean 1 - Jain, {setting}",
                np.stack([view.mean(setting, name, "fairness") for name in FOUR]),
                np.stack([1.0 - view.mean(setting, name, "jain") for name in FOUR]),
                view.tolerance("order_agrees"),
            )
            for setting in view.settings
        ],
    )


def _orders(view: View, setting: str, name: str) -> Finding:
    return orders_alike(
        f"rho of the orders by C and by D of {name}, {setting}",
        np.stack([view.C(setting, algorithm, name) for algorithm in FOUR]),
        np.stack([view.D(setting, algorithm, name) for algorithm in FOUR]),
        view.tolerance("order_agrees"),
    )


def worst_case_orders_alike(view: View) -> Finding:
    """C and D order the four alike in fairness, delay and loss, in each setting."""
    return both(
        "C orders the four as D does in fairness, delay and loss",
        [_orders(view, setting, name) for setting in view.settings for name in ("fairness", "delay", "loss")],
    )


def worst_case_orders_differ(view: View) -> Finding:
    """In some setting C and D of goodput order the four differently (rho below 1)."""
    operands = []
    for setting in view.settings:
        same = order_agrees(
            f"C and D of goodput order the four identically, {setting}",
            FOUR,
            np.stack([view.C(setting, name, "goodput") for name in FOUR]),
            np.stack([view.D(setting, name, "goodput") for name in FOUR]),
            1.0,
        )
        operands.append(opposite(f"C and D of goodput order the four differently, {setting}", same))
    return either("in some setting C and D of goodput order the four differently", operands)


MORE_FLOWS: Final = ("akella2002/flows-20", "akella2002/flows-50")


def more_flows(view: View) -> Finding:
    """With 20 and with 50 flows D_goodput orders the four as with ten, in each setting, over the environments that all have."""
    operands = []
    for name in MORE_FLOWS:
        more = view.part(name)
        ten = view.part("akella2002/flows-10")
        operands += [
            order_agrees(
                f"order by D_goodput, {name} against ten flows, {setting}",
                FOUR,
                np.stack([more.D(setting, algorithm, "goodput") for algorithm in FOUR]),
                np.stack([ten.D(setting, algorithm, "goodput") for algorithm in FOUR]),
                view.tolerance("order_agrees"),
            )
            for setting in more.settings
        ]
    return both("other numbers of flows order the four alike in goodput", operands)


def printed_orders(view: View) -> Finding:
    """D and C order the four as the printed table does, in each of its five columns."""
    recovery, _, router = view.setting.partition("/")
    table = printed(recovery, router)
    operands = []
    for column in COLUMNS:
        letter, _, name = column.partition("_")
        ours = [
            view.D(view.setting, a, name) if letter == "D" else view.C(view.setting, a, name) for a in FOUR
        ]
        operands.append(
            order_agrees(
                f"order by {column} against the printed order",
                FOUR,
                np.stack(ours),
                [table[name][column] for name in FOUR],
                view.tolerance("order_agrees"),
            )
        )
    return both(f"the four are ordered as printed for {view.setting}", operands)


def keeps_link_busy(kept: float, buffer_bdp: float) -> bool:
    """Whether a lone flow that keeps ``kept`` of its window on a loss keeps the link busy with a buffer of ``buffer_bdp`` BDP.

    The window overflows at (1 + x) BDP and falls to kept * (1 + x) BDP; the link stays busy while that is at least one BDP.
    """
    return kept * (1.0 + buffer_bdp) >= 1.0


def buffer_rule(_: View) -> Finding:
    """AIMD(1, 0.5) needs a whole BDP, AIMD(1, 0.8) a quarter."""
    just_below = 1e-9
    return both(
        "b (1 + x) >= 1: one BDP for b = 0.5, a quarter for b = 0.8",
        [
            fact("b = 0.5: x = 1 is enough", keeps_link_busy(0.5, 1.0), judged="b (1 + x) >= 1"),
            fact(
                "b = 0.5: less is not",
                not keeps_link_busy(0.5, 1.0 - just_below),
                judged=f"b (1 + x) < 1 at x = 1 - {just_below:g}",
            ),
            fact("b = 0.8: x = 0.25 is enough", keeps_link_busy(0.8, 0.25), judged="b (1 + x) >= 1"),
            fact(
                "b = 0.8: less is not",
                not keeps_link_busy(0.8, 0.25 - just_below),
                judged=f"b (1 + x) < 1 at x = 0.25 - {just_below:g}",
            ),
        ],
    )
