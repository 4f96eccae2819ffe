"""RAP against ns-2's own, by the authors' group: mixes with SACK behind RED, and one flow that loses every n-th packet.

Source: ns-2 2.35 and its Agent/RAP, data/ns2_rap.csv (ten seeds, by ns2_rap.py) and data/ns2_rap_response.csv. ns-2's gain of the round
trip's average is 0.5 and ours is 0.125 by default, so the cells name it: both are run on both sides.

The SACK beside RAP counts what is in flight as Sack1 does (`sack_pipe = "counted"`): at the loss of these cells, up to 10 %, timeouts of
SACK decide how much it leaves to RAP. The mixes agree by the rule of `mixes`. Under regular losses the packets sent agree within 2 % of
ns-2's: nothing in them is random.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from validation import mixes
from validation.mixes import JUDGED, Mix
from validation.runs import job, runs, table

BOUND: Final = 0.02
SACK1: Final = {"tcp.sack_pipe": "counted"}
"""With `sack_timeout = "resend"`, which the scenario has."""
SHOWN: Final = (*JUDGED, "roughness_first", "roughness_second", "delay")


@dataclass(frozen=True)
class Regular:
    """One law, every n-th packet lost: packets sent while counting."""

    control: str
    period: int
    ours: int
    ns2: int
    timeouts: int

    @property
    def agrees(self) -> bool:
        """Whether ours is within the bound."""
        return abs(self.ours / self.ns2 - 1) <= BOUND


def cells(seeds: int = mixes.SEEDS) -> list[Mix]:
    """Every mix; the first has no RAP in it and shows that the measuring script agrees with the other file."""
    return mixes.mixes(seeds, "ns2_rap", SHOWN, SACK1)


def conservative(seeds: int = mixes.SEEDS) -> list[Mix]:
    """The same with the default pipe."""
    return mixes.mixes(seeds, "ns2_rap", SHOWN)


def regular() -> list[Regular]:
    """Every law and period that ns-2 ran."""
    rows = table("ns2_rap_response")
    made = runs(
        job(
            "response",
            {
                "duration": f"{row['end_s']} s",
                "warmup": f"{row['begin_s']} s",
                "bottleneck.drop": f"periodic({row['period']})",
                "flows": [{"control": row["control"], "start": "0 s"}],
            },
        )
        for row in rows
    )
    return [
        Regular(
            row["control"],
            int(row["period"]),
            int(run.flows.column("sent")[0].as_py()),
            int(row["sent"]),
            int(run.flows.column("timeouts")[0].as_py()),
        )
        for row, run in zip(rows, made, strict=True)
    ]
