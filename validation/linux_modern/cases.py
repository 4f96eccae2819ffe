"""How each recording of Linux is set up here: the path, which packets suffer, and the options that make a sender one of Linux.

Options that Linux needs and the RFCs do not: `undo = "linux"`, `reordering_window = "linux"`, `application_limit = "linux"`,
`max_ack_delay = "200 ms"` (scenario linux_modern), `prr_marks = true` where packets are marked, and CUBIC's numbers as below. The queue of
the recordings counts the packet in transmission and ours does not, so that marks begin at one packet less.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any, Final

from sawtooth.run.run import Run
from validation.runs import job, runs

CUBIC: Final = "cubic(alpha_late=0, min_rtt_ahead=1, integer=1, fast_first=1)"
LATE: Final = range(400, 4001, 400)
"""The packets that are late in `reord_*`, by their number at the router. One is lost before, and `late` counts what passes a link."""
HELD: Final = {"from": "2.06 s", "until": "2.76 s"}
"""From 2.0 to 2.7 s after the first packet, which leaves after 0.06 s."""


def _list(*packets: int) -> str:
    return f"list({', '.join(map(str, packets))})"


def _path(rate: int, rtt: int, duration: int, **values: Any) -> dict[str, Any]:
    return {
        "bottleneck.rate": f"{rate} Mbit/s",
        "bottleneck.delay": f"{rtt / 2:g} ms",
        "path.rtt": f"{rtt} ms",
        "duration": f"{duration} s",
        **{key.replace("__", "."): value for key, value in values.items()},
    }


def _cubic(rate: int, rtt: int, duration: int, **values: Any) -> dict[str, Any]:
    return _path(rate, rtt, duration, flows__control=CUBIC, **values)


def _hystart(rtt: int, queue: int, duration: int, kind: str = "hystart", **values: Any) -> dict[str, Any]:
    buffer = f"{queue} packets"
    return _cubic(10, rtt, duration, bottleneck__buffer=buffer, tcp__slow_start=kind, **values)


def _late(ms: int, **values: Any) -> dict[str, Any]:
    delays = ", ".join(f"{packet - 1}: {ms} ms" for packet in LATE)
    return _path(20, 60, 5, bottleneck__drop=_list(60), bottleneck__late=f"list({delays})", **values)


def _one_late(ms: int, **values: Any) -> dict[str, Any]:
    return _path(20, 60, 4, bottleneck__drop=_list(60), bottleneck__late=f"list(799: {ms} ms)", **values)


def _tail(packets: int, *lost: int, **values: Any) -> dict[str, Any]:
    size = f"{1500 * packets} B"
    return _path(20, 60, 3, flows__bytes=size, bottleneck__drop=_list(*lost), **values)


CASES: Final[Mapping[str, Mapping[str, Any]]] = {
    "cubic_a60": _cubic(
        10, 60, 24, bottleneck__drop=_list(100, 900, 2000, 2001, 2002, 3500, 3502, 5000, 5200)
    ),
    "cubic_b150": _cubic(20, 150, 40, bottleneck__drop=_list(250, 15000, 32000, 34000, 34001)),
    "cubic_ecn60": _cubic(
        10,
        60,
        30,
        bottleneck__queue={"kind": "step", "threshold": "29 packets"},
        tcp__ecn="classic",
        tcp__prr_marks=True,
    ),
    "loss1_cubic": _hystart(40, 1000, 20, bottleneck__drop="periodic(100)"),
    "hystart30_d3": _hystart(30, 25, 8),
    "hystart30_deepq": _hystart(30, 1000, 8),
    "hystart30_paced": _hystart(30, 25, 8, tcp__pacing="on"),
    "hystart100_d2": _hystart(100, 83, 8, "hystart-delay"),
    "tlp_last3": _tail(30, 28, 29, 30),
    "tlp_single": _tail(1, 1),
    "tlp_off": _tail(30, 28, 29, 30, tcp__tail_probe=False),
    "tlp_new_data": _tail(30, 9, 10),
    "rack_redrop1": _path(20, 60, 4, bottleneck__drop=_list(60, 800, 851)),
    "reord_010": _late(6),
    "reord_050": _late(30),
    "reord_070": _late(42),
    "reord_050_rec2": _late(30, tcp__reordering_window="static"),
    "undo_reno_ts1": _one_late(90),
    "undo40_reno_ts1": _one_late(40),
    "undo40_cubic_ts0": _one_late(40, flows__control=CUBIC, tcp__timestamps=False),
    "undo_cubic_rto": _cubic(
        20,
        60,
        4,
        bottleneck__drop=_list(60),
        on=[
            {"at": HELD["from"], "set": {"bottleneck.jitter": f"hold {HELD['until']}"}},
            {"at": HELD["until"], "set": {"bottleneck.jitter": "none"}},
        ],
    ),
    "prr_reno_1": _path(20, 60, 4, bottleneck__drop=_list(150, 2000)),
    "prr_cubic_5": _cubic(20, 60, 4, bottleneck__drop=_list(150, *range(2000, 2005))),
    "prr_reno_alt40": _path(20, 60, 4, bottleneck__drop=_list(150, *range(2000, 2080, 2))),
    "prr_reno_half": _path(20, 60, 4, bottleneck__drop=_list(150, *range(2000, 2060))),
    "paced_reno": _path(20, 60, 4, bottleneck__drop=_list(150, 2000), tcp__pacing="on"),
}


@cache
def run(name: str) -> Run:
    """The run beside a recording, made once."""
    return all_runs([name])[name]


@cache
def _made(names: tuple[str, ...]) -> dict[str, Run]:
    found = runs(job("linux_modern", CASES[name]) for name in names)
    return dict(zip(names, found, strict=True))


def all_runs(names: Sequence[str] = tuple(CASES)) -> dict[str, Run]:
    """The runs beside these recordings, over all cores."""
    return _made(tuple(names))


def first_packet_ns(found: Run) -> int:
    """When the first packet left: Linux's recordings begin there."""
    return int(found.records["packets"].column("time_ns")[0].as_py())
