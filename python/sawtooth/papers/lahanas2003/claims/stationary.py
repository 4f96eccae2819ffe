"""Claims of [Lahanas03] section 5.1 and Figures 6 to 10: goodput and fairness among a constant number of flows.

Source: studies/stationary.toml (its reading of the buffer as one-way delay x bandwidth is the one judged; the other is shown)
and lahanas2003_gain.toml. Gains are ratios of goodput to AIMD less one, seed by seed.
Tolerances: ``up_to``, ``near_five``, ``tie``, ``visible``, ``noise``, ``most``.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, Final, TypeAlias

import numpy as np

from sawtooth.claims.logic import Finding, at_least, both, corrected, either, inequality
from sawtooth.claims.view import UnavailableError, View
from sawtooth.experiment.curves import labels, select, values
from sawtooth.experiment.matrix import ProbeRun
from sawtooth.experiment.plan import Label, ProbeKey
from sawtooth.models import fast_convergence as fc
from sawtooth.papers.lahanas2003 import gain as parts_of_gain
from sawtooth.scenario.resolve import resolve
from sawtooth.scenario.units import parse_time

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from sawtooth.experiment.study import Study

Numbers: TypeAlias = "NDArray[np.float64]"

NEW: Final = ("FC", "FC+")
LAWS: Final = ("AIMD", *NEW)
FEW: Final = (2, 4, 8)
GOODPUT, JAIN = "goodput 0..60 s", "jain 0..60 s"
ONE_WAY: Final[Mapping[str, Label]] = {"router": "droptail", "buffer": "one way"}
RED: Final[Mapping[str, Label]] = {"router": "red", "buffer": "one way"}


def lead(runs: Sequence[ProbeRun], law: str, value: str = GOODPUT) -> Numbers:
    """What a law has more than AIMD, as a share of it, one value per seed."""
    return np.asarray(_of(runs, law, value) / _of(runs, "AIMD", value) - 1.0, dtype=np.float64)


def above(runs: Sequence[ProbeRun], law: str, other: str = "AIMD", value: str = JAIN) -> Numbers:
    """What a law has more than another, one value per seed."""
    return np.asarray(_of(runs, law, value) - _of(runs, other, value), dtype=np.float64)


def _of(runs: Sequence[ProbeRun], law: str, value: str) -> Numbers:
    return values(select(runs, {"algorithm": law}), value)


def at(runs: Sequence[ProbeRun], **wanted: Label) -> list[ProbeRun]:
    """The runs with these labels."""
    return select(runs, wanted)


def mean_over(runs: Sequence[ProbeRun], value: str, **wanted: Label) -> Numbers:
    """The mean of a value over the numbers of flows, one per seed."""
    chosen = select(runs, wanted)
    each = [values(at(chosen, flows=n), value) for n in labels(chosen, "flows")]
    return np.asarray(np.mean(each, axis=0), dtype=np.float64)


def gain_few(view: View) -> Finding:
    """With 2, 4 and 8 flows the gain is between 0 and 5 %, and near 5 % with one of them; else under which buffer it is."""
    runs = view.probe("stationary")
    found = _up_to_five(view, "buffer of one-way delay x bandwidth", select(runs, ONE_WAY), FEW)
    other = _up_to_five(
        view, "buffer of round trip x bandwidth", select(runs, {**ONE_WAY, "buffer": "round trip"}), FEW
    )
    return corrected(found, either("under another size of the buffer", [other, *_other_buffers(view)]))


def _other_buffers(view: View) -> list[Finding]:
    """The same under each buffer of the study of the gain; nothing where that was not run."""
    try:
        runs = view.part(parts_of_gain.STUDY).probe(parts_of_gain.PROBE)
    except UnavailableError:
        return []
    return [
        _up_to_five(view, f"buffer of {x} round trips x bandwidth", at(runs, buffer=x), (2, 8))
        for x in labels(runs, "buffer")
    ]


def _up_to_five(view: View, reading: str, runs: Sequence[ProbeRun], few: Sequence[int]) -> Finding:
    tie, most, near = (view.tolerance(name) for name in ("tie", "up_to", "near_five"))
    found = {(law, n): lead(at(runs, flows=n), law) for law in NEW for n in few}
    each = [
        operand
        for (law, n), gain in found.items()
        for operand in (
            inequality(f"gain of {law}, {n} flows", gain, ">=", -tie),
            inequality(f"gain of {law}, {n} flows", gain, "<=", most),
        )
    ]
    top = either(
        "near 5 % with one of the numbers of flows",
        [inequality(f"gain of {law}, {n} flows", gain, ">=", near) for (law, n), gain in found.items()],
    )
    return both(f"a gain of up to 5 %: {reading}", [*each, top])


def gain_many(view: View) -> Finding:
    """With 16 flows there is a gain; with more it is not negative, falls with their number and is not ``visible`` at last."""
    tie, visible = view.tolerance("tie"), view.tolerance("visible")
    runs = select(view.probe("stationary"), ONE_WAY)
    counts = labels(runs, "flows")
    operands = []
    for law in NEW:
        gains = {n: lead(at(runs, flows=n), law) for n in counts}
        many = [n for n in counts if n not in FEW]
        operands.append(inequality(f"gain of {law}, {many[0]} flows", gains[many[0]], ">"))
        operands += [inequality(f"gain of {law}, {n} flows", gains[n], ">=", -tie) for n in many[1:]]
        operands += [
            inequality(f"gain of {law}, {m} flows less {n} flows", gains[m] - gains[n], "<=", tie)
            for n, m in pairwise(counts)
        ]
        operands.append(inequality(f"gain of {law}, {counts[-1]} flows", gains[counts[-1]], "<=", visible))
    return both("a gain remains and tends to zero", operands)


def gigabit(view: View) -> Finding:
    """At 1 Gbit/s with 2 or 8 flows the gain is near 5 % and not above."""
    runs = view.probe("gigabit")
    found = [
        _up_to_five(view, f"1 Gbit/s, round trip {rtt}", at(runs, rtt=rtt), (2, 8))
        for rtt in labels(runs, "rtt")
    ]
    return either("the same gain at 1 Gbit/s, at one of the round trips", found)


def fairer(view: View) -> Finding:
    """Jain's index of both new laws is above that of AIMD with every number of flows."""
    runs = select(view.probe("stationary"), ONE_WAY)
    return both(
        "both are fairer than AIMD",
        [
            inequality(f"Jain's index of {law} less AIMD, {n} flows", above(at(runs, flows=n), law), ">")
            for law in NEW
            for n in labels(runs, "flows")
        ],
    )


def red_gain(view: View) -> Finding:
    """With RED, over the numbers of flows: FC+ at least FC, and both visibly above AIMD."""
    runs = select(view.part("lahanas2003/stationary").probe("stationary"), RED)
    means = {law: mean_over(runs, GOODPUT, algorithm=law) for law in LAWS}
    few = {law: lead(at(runs, flows=2), law) for law in NEW}
    return both(
        "a visible lead with RED, mean over the numbers of flows",
        [
            *(
                inequality(
                    f"gain of {law}", means[law] / means["AIMD"] - 1.0, ">=", view.tolerance("visible")
                )
                for law in NEW
            ),
            inequality(
                "FC+ over FC, less one", means["FC+"] / means["FC"] - 1.0, ">=", -view.tolerance("tie")
            ),
        ],
        **{f"gain of {law} with two flows": float(gain.mean()) for law, gain in few.items()},
    )


def red_not_better(view: View) -> Finding:
    """With each law the goodput with RED is at most that with drop-tail, mean over the numbers of flows."""
    runs = view.probe("stationary")
    operands = []
    for law in LAWS:
        red, tail = (mean_over(runs, GOODPUT, **router, algorithm=law) for router in (RED, ONE_WAY))
        operands.append(
            inequality(f"{law}: RED over drop-tail, less one", red / tail - 1.0, "<=", view.tolerance("tie"))
        )
    return both("RED is not ahead of drop-tail", operands)


def red_fairness(view: View) -> Finding:
    """With each law Jain's index is higher with RED than with drop-tail for most numbers of flows."""
    runs = view.probe("stationary")
    counts = labels(runs, "flows")
    wanted = int(view.tolerance("most") * len(counts)) + 1
    operands = []
    for law in LAWS:
        each = []
        for n in counts:
            red, tail = (
                values(select(runs, {**router, "algorithm": law, "flows": n}), JAIN)
                for router in (RED, ONE_WAY)
            )
            each.append(inequality(f"{law}, {n} flows: RED less drop-tail", red - tail, ">"))
        operands.append(at_least(f"{law}: fairer with RED for most numbers of flows", wanted, each))
    return both("RED is fairer", operands)


def no_tradeoff(view: View) -> Finding:
    """With RED Jain's index of both new laws is that of AIMD at least, with every number of flows."""
    runs = select(view.part("lahanas2003/stationary").probe("stationary"), RED)
    return both(
        "the gain costs no fairness",
        [
            inequality(
                f"Jain's index of {law} less AIMD, {n} flows",
                above(at(runs, flows=n), law),
                ">=",
                -view.tolerance("noise"),
            )
            for law in NEW
            for n in labels(runs, "flows")
        ],
    )


def red_collaborates(view: View) -> Finding:
    """The orders of Figures 9 and 10 hold with RED."""
    return both("fast convergence works with RED", [red_gain(view), no_tradeoff(view)])


def in_flight(study: Study) -> float:
    """Packets that RED lets be in flight in the runs of the stationary study: those of the path, and those of the queue up to the average
    from which each packet is dropped."""
    (probe,) = (entry for entry in study.probe if entry.name == "stationary")
    planned = next(
        entry
        for entry in study.probed(probe)
        if isinstance(entry.key, ProbeKey) and RED.items() <= dict(entry.key.labels).items()
    )
    scenario = study.read(planned.scenario)
    engine = json.loads(resolve(scenario, planned.seed).engine_json)
    bottleneck, packet = engine["links"][0], engine["profiles"][0]["packet_bytes"]
    path = bottleneck["rate_bps"] * parse_time(planned.scenario["path"]["rtt"]) / 1e9 / 8 / packet
    return float(path + bottleneck["queue"]["max"])


def more_room(law: str, packets: float) -> float:
    """Packets that a law keeps in flight beyond AIMD on the mean, over all flows, where at most ``packets`` are."""
    return float(USED[law] - fc.aimd_efficiency()) * packets


USED: Final = {"FC": float(fc.efficiency()), "FC+": float(fc.efficiency(f=0.5))}
"""Mean windows in equilibrium, share of the largest."""


def room_of_a_packet(view: View) -> Finding:
    """The gain of each law is ``visible`` where what it keeps in flight beyond AIMD is a packet or more for each flow, and is not where it
    is less.

    A gain that merely falls with the number of flows would say nothing of a packet: it has to go away where the arithmetic says. That the
    packet is the cause is not judged, since nothing but the number of flows is changed.
    """
    home = view.part("lahanas2003/stationary")
    runs, packets = select(home.probe("stationary"), RED), in_flight(home.study)
    operands = []
    for law in NEW:
        for n in labels(runs, "flows"):
            room = more_room(law, packets) / float(n)
            operands.append(
                inequality(
                    f"{law}: gain in goodput, {n} flows, room of {room:.2g} packets each",
                    lead(at(runs, flows=n), law),
                    ">=" if room >= 1.0 else "<",
                    view.tolerance("visible"),
                )
            )
    return both(
        "the gain goes away where the room of a flow is under one packet", operands, in_flight=packets
    )


def in_common(view: View) -> Finding:
    """Most flows decrease in a congestion epoch, on the mean over the epochs, with every number of flows: AIMD over drop-tail."""
    runs = at(view.part(parts_of_gain.STUDY).probe(parts_of_gain.PROBE), buffer=0.5, algorithm="AIMD")
    return both(
        "loss is in common",
        [
            inequality(
                f"share of {n} flows that decrease in an epoch",
                values(at(runs, flows=n), "synchronised 60..300 s"),
                ">",
                view.tolerance("most"),
            )
            for n in labels(runs, "flows")
            if n != 1
        ],
    )
