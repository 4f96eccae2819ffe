"""Claims of section 5 that define controls: the general linear control and the two hybrids.

Source: [Akella02] sections 5.1 and 5.2. The product's own constructors give the four numbers; the step is worked by hand.
"""

from __future__ import annotations

from sawtooth.claims.agreement import exactly
from sawtooth.claims.logic import Finding, both, fact
from sawtooth.claims.view import View
from sawtooth.papers.akella2002.claims.section3 import control, relative_decrease, relative_increase

NUMBERS = ("a_i", "b_i", "a_d", "b_d")


def _is(text: str, wanted: tuple[float, float, float, float]) -> Finding:
    found = control(text)
    values = tuple(found[name] for name in NUMBERS)
    return exactly(f"{text} is (a_I, b_I, a_D, b_D) = {wanted}", values, wanted, found=list(values))


def general_linear(_: View) -> Finding:
    """linear(2, 1.1, -1, 0.9) takes 20 packets to 2 + 22 = 24 on success and to -1 + 18 = 17 on loss."""
    text = "linear(2, 1.1, -1, 0.9)"
    numbers = control(text)
    up = 20 * (1 + relative_increase(numbers, 20.0))
    down = 20 * (1 - relative_decrease(numbers, 20.0))
    return both(
        "a linear control is w -> a_I + b_I w and w -> a_D + b_D w",
        [
            _is(text, (2.0, 1.1, -1.0, 0.9)),
            fact(
                "20 packets become 24 and 17",
                abs(up - 24) < 1e-9 and abs(down - 17) < 1e-9,
                judged="|up - 24| < 1e-09 and |down - 17| < 1e-09",
                up=up,
                down=down,
            ),
        ],
    )


def maimd(_: View) -> Finding:
    """MAIMD: a_I = 1, b_I = 1.1, a_D = 0, b_D = 0.8 (0.5 in its origin)."""
    return both(
        "MAIMD as evaluated and as first given",
        [_is("maimd", (1.0, 1.1, 0.0, 0.8)), _is("linear(1, 1.1, 0, 0.5)", (1.0, 1.1, 0.0, 0.5))],
    )


def aimad(_: View) -> Finding:
    """AIMAD: a_I = 1, b_I = 1, a_D = -1, b_D = 0.9."""
    return _is("aimad", (1.0, 1.0, -1.0, 0.9))
