"""Is this installation sound? Versions, build, and a self-check that simulates.

The self-check is a few seconds of two competing flows over a queue that overflows: enough to pass through slow start, loss recovery and
cross traffic. It must give the same digest twice and from two threads at once, another one for another seed, account for every packet,
and survive a trip through a store.
"""

from __future__ import annotations

import platform
import tempfile
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version

from sawtooth.run.run import Run, execute, provenance
from sawtooth.run.store import Store
from sawtooth.scenario.resolve import Resolved, resolve
from sawtooth.scenario.scenario import parse_scenario

LIBRARIES = ("matplotlib", "numpy", "pyarrow", "pydantic", "rich", "scipy", "typer")

SELF_CHECK = """
duration = "4 s"
warmup = "1 s"
[bottleneck]
rate = "10 Mbit/s"
delay = "10 ms"
buffer = "20 packets"
[path]
rtt = "40 ms"
send_jitter = "80 us"
[environment]
kind = "square"
high = "4 Mbit/s"
low = "2 Mbit/s"
period = "1 s"
[[flows]]
control = "aimd(1, 0.5)"
recovery = "sack"
[[flows]]
control = "aimd(1, 0.8)"
recovery = "reno"
"""


@dataclass(frozen=True)
class Check:
    """One thing that was checked."""

    name: str
    ok: bool
    detail: str


def versions() -> dict[str, str]:
    """Versions of engine, compiler, platform and every library used at run time."""
    found = {**provenance(), "machine": platform.machine()}
    for library in LIBRARIES:
        try:
            found[library] = version(library)
        except PackageNotFoundError:
            found[library] = "missing"
    return found


def self_check() -> list[Check]:
    """Simulates the small scenario in several ways and compares. Takes well under a second in a release build."""
    scenario = parse_scenario(SELF_CHECK, name="self-check")
    job = resolve(scenario, "1")
    first = execute(job)
    with ThreadPoolExecutor(2) as pool:
        together = list(pool.map(execute, [job, job]))
    other = execute(resolve(scenario, "2"))
    return [
        same("repeatable", first, execute(job), "the same run twice"),
        *(
            same(f"thread {index}", first, run, "on two threads at once")
            for index, run in enumerate(together, 1)
        ),
        Check("seed matters", other.digest != first.digest, f"seed 2 gives {other.digest}"),
        conservation(first),
        traffic(first),
        store_trip(first, job),
    ]


def same(name: str, first: Run, second: Run, how: str) -> Check:
    """Whether two runs that must agree do."""
    agree = first.digest == second.digest
    return Check(name, agree, f"{how}: {first.digest}" + ("" if agree else f" and {second.digest}"))


def conservation(run: Run) -> Check:
    """Packets in = delivered + dropped + queued + in flight."""
    account = run.summary
    out = {name: account[f"packets_{name}"] for name in ("delivered", "dropped", "queued", "in_flight")}
    text = " + ".join(f"{count} {name.replace('_', ' ')}" for name, count in out.items())
    return Check(
        "packets conserved",
        account["packets_sent"] == sum(out.values()),
        f"{account['packets_sent']} sent = {text}",
    )


def traffic(run: Run) -> Check:
    """A check that nothing could fail would be worthless: the scenario must have moved and lost packets."""
    moved = run.values["goodput"] > 0.5 and run.values["loss"] > 0.0
    return Check(
        "traffic flows", moved, f"goodput {run.values['goodput']:.3f}, loss {run.values['loss']:.2f} %"
    )


def store_trip(run: Run, job: Resolved) -> Check:
    """Whether a stored run comes back as it was."""
    with tempfile.TemporaryDirectory(prefix="sawtooth-doctor-") as directory:
        store = Store(directory)
        store.put(run)
        back = store.get(run.run_id, job)
    agree = back is not None and back.flows.equals(run.flows) and back.queues.equals(run.queues)
    return Check("store", agree, "a run written and read again" + ("" if agree else ": differs"))
