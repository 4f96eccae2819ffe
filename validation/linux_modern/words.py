"""The tables of docs/validation.md about today's senders of Linux: one row per recording, bold where it disagrees by its rule."""

from __future__ import annotations

import statistics
from collections.abc import Mapping, Sequence

from validation.linux_modern.cubic import Epochs
from validation.linux_modern.hystart import Exit
from validation.linux_modern.prr import Recovery, abbreviated, folded
from validation.linux_modern.reordering import Late, Withdrawal
from validation.linux_modern.shares import Share
from validation.linux_modern.tails import Tail
from validation.linux_modern.windows import Recording
from validation.page import markdown

SHOWN = 12
"""Episodes shown of a recording."""


def told(agrees: bool, text: str) -> str:
    """Bold if it does not agree."""
    return text if agrees else f"**{text}**"


def counted(rows: Sequence[Recording | Epochs | Recovery | Tail | Late | Withdrawal | Exit | Share]) -> str:
    """How many agree."""
    return f"{sum(row.agrees for row in rows)} of {len(rows)}"


def windows_agreement(found: Sequence[Recording]) -> str:
    """How many recordings agree, and how many episodes these have."""
    episodes = sum(len(one.ours) for one in found if one.agrees)
    furthest = max(max(one.differences) for one in found if one.agrees)
    return (
        f"{counted(found)} recordings, {episodes} episodes in these, the furthest {furthest:.1f} packets away"
    )


def windows(found: Sequence[Recording]) -> str:
    """Every recording with episodes."""
    rows = []
    for one in found:
        ours = " ".join(f"{e.before:.4g}→{e.threshold:.4g}" for e in one.ours[:SHOWN])
        linux = " ".join(f"{e.before:.0f}→{e.threshold:.0f}" for e in one.linux[0][:SHOWN])
        more = " …" if len(one.ours) > SHOWN else ""
        furthest = told(one.agrees, f"{max(one.differences):.1f}")
        rows.append([one.name, f"{ours}{more}", f"{linux}{more}", furthest, f"{1e3 * one.later_s:.0f}"])
    heads = ["recording", "ours", "Linux, first repetition", "furthest (packets)", "furthest in time (ms)"]
    return markdown(heads, rows)


def cubic_agreement(found: Sequence[Epochs]) -> str:
    """How far windows and K are apart."""
    packets = max(one.furthest for one in found)
    share = max(one.furthest_share for one in found)
    moments = sum(len(one.windows) for one in found)
    k = max(one.furthest_k for one in found)
    return (
        f"{moments} moments, the furthest {packets:.1f} packets or, above 100 packets, {100 * share:.1f} % away; "
        f"K within {k:.2f} s in {sum(len(one.ours_k) for one in found)} epochs"
    )


def cubic(found: Sequence[Epochs]) -> str:
    """Every recording of the function."""
    rows = []
    for one in found:
        ours = " ".join(f"{k:.2f}" for k in one.ours_k)
        linux = " ".join(f"{k:.2f}" for k in one.linux_k[0])
        window = told(one.agrees, f"{one.furthest:.1f}")
        rows.append([one.name, ours, linux, window, f"{100 * one.furthest_share:.1f} %"])
    return markdown(
        [
            "recording",
            "K (s)",
            "K of Linux, first repetition",
            "window up to 100, furthest (packets)",
            "above, furthest",
        ],
        rows,
    )


def prr_agreement(found: Sequence[Recovery]) -> str:
    """How many recoveries are equal, and over how many acknowledgements."""
    return f"{counted(found)} recoveries, {sum(len(one.linux) for one in found)} acknowledgements"


def prr(found: Sequence[Recovery]) -> str:
    """Every recovery."""
    rows = [
        [one.name, folded(abbreviated(one.ours)), told(one.agrees, f"{one.different} of {len(one.linux)}")]
        for one in found
    ]
    return markdown(["recording", "sent at each acknowledgement", "different from Linux"], rows)


def tails(found: Sequence[Tail]) -> str:
    """Every tail."""
    rows = []
    for one in found:
        ours = ", ".join(f"{time:.1f}" for time in one.ours)
        linux = " · ".join(", ".join(f"{time:.1f}" for time in times) for times in one.linux)
        rows.append([one.name, told(one.agrees, ours), linux, str(one.probes), str(one.timeouts)])
    return markdown(
        ["recording", "sent again (ms)", "Linux, by repetition", "probes here", "timeouts here"], rows
    )


def late(found: Sequence[Late]) -> str:
    """Every recording with late packets."""
    rows = []
    for one in found:
        times = [hole.again_ms for hole in one.ours if hole.again_ms is not None]
        after = ", ".join(f"{time:.1f}" for time in times)
        rows.append(
            [
                one.name,
                told(one.agrees, one.again),
                one.linux_again,
                after,
                f"{one.later_ms:.1f}",
                f"{one.difference:.1f}",
                str(one.undos),
            ]
        )
    heads = [
        "recording",
        "sent again",
        "Linux",
        "after (ms)",
        "furthest (ms)",
        "window, furthest (packets)",
        "cuts withdrawn",
    ]
    return markdown(heads, rows)


def withdrawals(found: Sequence[Withdrawal]) -> str:
    """Every cut for nothing."""
    rows = [
        [
            one.name,
            f"{one.before:.4g}",
            told(one.agrees, f"{one.ours:.4g}"),
            ", ".join(f"{window:.0f}" for window in one.linux),
        ]
        for one in found
    ]
    return markdown(["recording", "window before", "1.5 round trips after", "Linux"], rows)


def hystart(found: Sequence[Exit]) -> str:
    """Every slow start."""
    rows = [
        [
            one.name,
            told(one.agrees, f"{one.ours[1]:.0f}"),
            ", ".join(f"{window:.0f}" for _, window in one.linux),
            f"{1e3 * one.ours[0]:.0f}",
            ", ".join(f"{1e3 * time:.0f}" for time, _ in one.linux),
        ]
        for one in found
    ]
    return markdown(["recording", "window", "Linux", "time (ms)", "Linux"], rows)


def shares_agreement(found: Sequence[Share]) -> str:
    """How many shares agree, and the largest difference."""
    return f"{counted(found)}, the furthest {max(abs(one.difference) for one in found):.3f} away"


def shares(by_jitter: Mapping[str, Sequence[Share]]) -> str:
    """The shares at every jitter, those that are judged among them."""
    first = next(iter(by_jitter.values()))
    rows = [
        [
            jitter,
            *(
                f"{statistics.fmean(one.ours):.3f} ({min(one.ours):.3f} to {max(one.ours):.3f})"
                for one in found
            ),
        ]
        for jitter, found in by_jitter.items()
    ]
    rows.append(["Linux", *(", ".join(f"{share:.3f}" for share in one.linux) for one in first)])
    return markdown(["jitter", *(f"from {one.from_s} s" for one in first)], rows)
