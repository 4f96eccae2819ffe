"""The blocks of docs/performance.md and docs/history/performance.md: plain functions of what bench/results holds."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from bench.compare import AIMS
from bench.figures import lines_of, shortened
from bench.gate import SENDERS, Counts
from bench.measure import Spread
from bench.subjects import engine
from bench.sweep import rows as rows_of_sweep
from sawtooth.run.cluster import crew

Whole = Mapping[str, Any]
THREADS: Final = 1000
"""Of the workers, where the reach of a client is told."""
TIMES_NS2: Final = 15.0
"""At least so many times as fast as ns-2 as it comes."""
TIMES_FLOOR: Final = 2.5
"""At most so many times the cost of the floor program."""
OUTSIDE_MOST: Final = 0.05
"""Of the CPU time of a sweep, what may lie outside the engine."""
GROWING: Final[Mapping[str, str]] = {
    "flows": "flows",
    "cross": "share of CBR traffic",
    "loss": "loss rate",
    "recording": "what is recorded",
}
"""Curves of the short table, and what grows along them."""


def markdown(heads: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """A table."""
    lines = [heads, ["---"] * len(heads), *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def spread(given: Mapping[str, float], digits: int, factor: float = 1.0) -> str:
    """`median (low … high)` of a stored spread."""
    return Spread(*(factor * given[name] for name in ("median", "low", "high"))).text(digits)


def machine(whole: Whole) -> str:
    """Where it was measured, in one sentence."""
    at = whole["machine"]
    others = ", ".join(f"{name} {at[name]}" for name in ("ns-2", "ns-3") if at.get(name))
    programs = f", {others}" if others else ""
    rounds = f"; rounds: {whole['rounds']}" if "rounds" in whole else ""
    return (
        f"{at['date']}, {at['cores']} cores of an {at['processor']}, {at['system']}, {at['rustc']}{programs}; "
        f"engine {at['engine']}{rounds}"
    )


def growth_machine(whole: Whole) -> str:
    """The same of curves that were measured at different times; of those of another day, engine or number of rounds these."""
    curves: dict[str, list[str]] = {}
    for curve, at in whole.get("earlier", {}).items():
        curves.setdefault(_when(at), []).append(curve)
    curves.pop(_when(whole), None)
    others = [f"Earlier, {', '.join(names)}: {when}" for when, names in curves.items()]
    return ". ".join([machine(whole), *others])


def _when(at: Whole) -> str:
    return f"{at['machine']['date']}, engine {at['machine']['engine']}, rounds: {at['rounds']}"


def headline(whole: Whole) -> str:
    """Cost, speed and the ratio to ns-2 on the first dumbbell, in a sentence."""
    first = whole["comparisons"][0]
    cost = first["subjects"][engine.NAME]["ns_per_packet"]["median"]
    ratio = first["ratios"]["ns2_by_ours"]["median"]
    return (
        f"{cost:.0f} ns of CPU time with its acknowledgement: {1e3 / cost:.1f} million packets per second on one core, "
        f"{ratio:.1f} times as fast as ns-2 as it comes"
    )


def speed(whole: Whole) -> str:
    """Our cost, speed and memory on every dumbbell, and the cost relative to the floor."""
    rows = []
    for compared in whole["comparisons"]:
        ours = compared["subjects"][engine.NAME]
        cost = ours["ns_per_packet"]
        rows.append(
            [
                compared["text"],
                spread(cost, 0),
                f"{1e3 / cost['median']:.1f}",
                spread(compared["ratios"]["ours_by_floor"], 2),
                f"{ours['peak_kb'] / 1e3:,.0f} MB",
            ]
        )
    return markdown(["scenario", "ns per packet", "million packets/s", "cost / floor", "peak memory"], rows)


def simulators(whole: Whole) -> str:
    """How many times as fast as every other simulator, on the dumbbells where they were measured."""
    rows = []
    for compared in whole["comparisons"]:
        for key, ratio in compared["ratios"].items():
            above, below, _ = AIMS[key]
            if below != engine.NAME:
                continue
            other = compared["subjects"][above]
            rows.append(
                [
                    above,
                    compared["text"],
                    spread(other["ns_per_packet"], 0),
                    spread(ratio, 1),
                    f"{other['peak_kb'] / 1e3:.0f} MB",
                ]
            )
    return markdown(["simulator", "scenario", "ns per packet", "times ours", "peak memory"], rows)


def ns2_ratio(whole: Whole) -> str:
    """Our speed over that of ns-2 as it comes, and whether that is enough."""
    found = whole["comparisons"][0]["ratios"]["ns2_by_ours"]
    return f"{spread(found, 2)}: {_met(found['median'] >= TIMES_NS2)}"


def floor_ratio(whole: Whole) -> str:
    """The dearest dumbbell, compared with the floor, and whether that is cheap enough."""
    ratios = {compared["text"]: compared["ratios"]["ours_by_floor"] for compared in whole["comparisons"]}
    dearest = max(ratios, key=lambda text: ratios[text]["median"])
    return (
        f"at most {spread(ratios[dearest], 2)} ({dearest}): {_met(ratios[dearest]['median'] <= TIMES_FLOOR)}"
    )


def _met(met: bool) -> str:
    return "met" if met else "missed"


def comparisons(whole: Whole) -> str:
    """Every program on every dumbbell."""
    rows = []
    for compared in whole["comparisons"]:
        for name, found in compared["subjects"].items():
            cost = found["ns_per_packet"]
            lost = 100 * found["dropped"] / (found["dropped"] + found["forwarded"])
            rows.append(
                [
                    compared["text"],
                    name,
                    spread(cost, 1 if cost["median"] < 100 else 0),
                    f"{1e3 / cost['median']:.2f}",
                    f"{found['peak_kb'] / 1e3:.1f} MB",
                    f"{lost:.2f} %",
                ]
            )
    return markdown(["scenario", "program", "ns per packet", "million/s", "peak memory", "lost"], rows)


def ratios(whole: Whole) -> str:
    """Every ratio of interleaved rounds."""
    rows = [
        [compared["text"], f"{AIMS[key][0]} / {AIMS[key][1]}", spread(value, 2)]
        for compared in whole["comparisons"]
        for key, value in compared["ratios"].items()
    ]
    return markdown(["scenario", "cost of / cost of", "ratio within a round"], rows)


def flows(whole: Whole) -> str:
    """Cost and memory by number of flows."""
    rows = [
        [row["line"], f"{row['flows']:,}", spread(row["ns_per_packet"], 0), f"{row['bytes_per_flow']:,.0f}"]
        for points in lines_of(whole["points"], "flows").values()
        for row in points
    ]
    return markdown(["program and work", "flows", "ns per packet", "bytes per flow"], rows)


def growth(whole: Whole) -> str:
    """Both ends of every curve of ours along which something grows."""
    rows = []
    for curve, what in GROWING.items():
        for line, points in lines_of(whole["points"], curve).items():
            if points[0]["program"] != engine.NAME:
                continue
            ends = [points[0], points[-1]]
            of = line.removeprefix(f"{engine.NAME}, ") if curve != "recording" else ""
            rows.append(
                [
                    f"{what}{': ' if of else ''}{of}",
                    " → ".join(_place(end["x"]) for end in ends),
                    " → ".join(f"{end['ns_per_packet']['median']:.0f}" for end in ends),
                ]
            )
    return markdown(["what grows", "from → to", "ns per packet"], rows)


def lead_in(whole: Whole) -> str:
    """After how many simulated seconds the points of the flows' curve begin."""
    starts: dict[int, set[int]] = {}
    for row in whole["points"]:
        if row["curve"] == "flows":
            starts.setdefault(row["lead_in"], set()).add(row["flows"])
    return "; ".join(
        f"{seconds} s for {min(counts):,} to {max(counts):,} flows"
        for seconds, counts in sorted(starts.items(), reverse=True)
    )


def others(whole: Whole) -> str:
    """Every curve but that of the flows."""
    rows = [
        [row["curve"], row["line"], _place(row["x"]), spread(row["ns_per_packet"], 0)]
        for row in whole["points"]
        if row["curve"] != "flows"
    ]
    return markdown(["curve", "line", "at", "ns per packet"], rows)


def _place(x: float | str) -> str:
    return shortened(x) if isinstance(x, str) else f"{x:,g}"


def cross(whole: Whole) -> str:
    """What a CBR packet costs, of what a TCP packet costs."""
    costs = {row["x"]: row["ns_per_packet"]["median"] for row in whole["points"] if row["curve"] == "cross"}
    return (
        f"{costs[1.0]:.0f} ns, {100 * costs[1.0] / costs[0.0]:.0f} % of a TCP packet with its acknowledgement"
    )


def sweep(whole: Whole) -> str:
    """Wall time, CPU, memory by number of threads and in a Python program."""
    rows = []
    for threads, row in rows_of_sweep(whole).items():
        share = spread(row["outside_share"], 1, 100.0) + " %" if "outside_share" in row else ""
        peaks = ", ".join(f"{kb / 1e3:.0f} MB after {count}" for count, kb in row["peak_kb"].items())
        wall, cpu = spread(row["wall_s"], 1), spread(row["cpu_s"], 1)
        rows.append([threads, f"{row['runs']:,}", f"{row['forwarded']:,}", wall, cpu, share, peaks])
    heads = ["threads", "runs", "packets", "wall, s", "CPU, s", "CPU outside the engine", "peak memory"]
    return markdown(heads, rows)


def outside(whole: Whole) -> str:
    """Shares of a sweep's CPU time outside the engine, with one thread, beside the goal."""
    shares = [row["outside_share"] for row in (whole["threads"]["1"], whole["in_python"])]
    command, python = (f"{spread(share, 1, 100.0)} %" for share in shares)
    within = ["within" if share["median"] <= OUTSIDE_MOST else "above" for share in shares]
    goal = f"the goal of {OUTSIDE_MOST:.0%}".replace("%", " %")
    said = (
        f"Both are {within[0]}"
        if len({*within}) == 1
        else f"The first is {within[0]}, the second {within[1]}"
    )
    return f"{command} of the CPU time of a command lies outside the engine, and {python} of that of a Python program. {said} {goal}"


def threads(whole: Whole) -> str:
    """CPU with several threads, of that with one."""
    return ", ".join(
        f"{spread(ratio, 3)} with {count}" for count, ratio in whole["cpu_ratio_to_one_thread"].items()
    )


def cluster(whole: Whole) -> str:
    """CPU and wall time of a sweep here and by workers, and how much of a worker's time is work."""
    local = whole["local"]
    rows = [["this process", spread(local["wall_s"], 1), spread(local["cpu_s"], 1), "", "", "", ""]]
    for workers, row in whole["workers"].items():
        peaks = ", ".join(f"{kb / 1e3:.0f} MB after {count}" for count, kb in row["peak_kb"].items())
        rows.append(
            [
                f"{workers} worker{'s' * (workers != '1')}",
                spread(row["wall_s"], 1),
                spread(row["workers_cpu_s"], 1),
                spread(row["efficiency"], 2),
                spread(row["client_cpu_s"], 1),
                spread(row["scheduler_cpu_s"], 1),
                peaks,
            ]
        )
    heads = [
        "simulated by",
        "wall, s",
        "its CPU, s",
        "throughput per core",
        "client's CPU, s",
        "scheduler's CPU, s",
    ]
    return markdown([*heads, "client's peak memory"], rows)


def cluster_costs(whole: Whole) -> str:
    """What a task and a run cost client, scheduler and worker."""
    rows = [
        [who, f"{cost['task_ms']:.1f}", f"{cost['run_ms']:.2f}" if "run_ms" in cost else ""]
        for who, cost in whole["costs"].items()
    ]
    return markdown(["who", "per task, ms", "per run, ms"], rows)


def cluster_reach(whole: Whole) -> str:
    """What follows for very many workers and runs: how long a run must be for one client to keep a thousand threads busy."""
    client = whole["costs"]["client"]
    tasks = 1.0 / max(crew.TASK_S / THREADS, crew.SLOT_S)
    left = 1.0 - tasks * client["task_ms"] / 1e3
    runs = left * 1e3 / client["run_ms"]
    hours = 1e7 * client["run_ms"] / 1e3 / 3600
    return (
        f"A thousand threads give {tasks:.0f} tasks a second, which cost the client {100 * (1 - left):.0f} % of a core; in the rest it "
        f"takes in {runs:,.0f} runs a second. So it keeps a thousand threads busy with runs of {THREADS / runs:.1f} s and more, and "
        f"of 10⁷ runs it needs {hours:.1f} hours for itself"
    )


def senders(counts: Counts) -> str:
    """What today's senders cost beside a classic one, and what they may, by the gate's baseline."""
    (reference,) = {bound.reference for bound in SENDERS}
    rows = [["`aimd(1, 0.5)` on `sack`", f"{counts.per_packet(reference):,.0f}", "", ""]]
    for bound in SENDERS:
        cost = counts.per_packet(bound.scenario)
        times = f"{cost / counts.per_packet(reference):.2f} × AIMD"
        rows.append([f"`{bound.scenario}` on `rack`", f"{cost:,.0f}", times, f"{bound.times:g}"])
    return markdown(["sender", "instructions per packet", "relative", "at most"], rows)


def instructions(counts: Counts) -> str:
    """The committed baseline of the gate."""
    rows = [[f"`{name}`", f"{counts.per_packet(name):.0f}"] for name in counts.instructions]
    return markdown(["scenario", "instructions per forwarded packet"], rows)
