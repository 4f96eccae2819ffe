"""The runs of a sweep that workers simulate: how many go out at a time, and what is done with what comes back.

A task is as many runs as take some seconds, going by those before; towards the end of a sweep fewer, so that all workers end together. A
worker that finds its task too long gives back the rest. What is under way is kept as it was sent, compressed, so the memory of the client
does not grow with the sweep.

A task whose workers died (Dask tries four) is sent once more run by run, so that one that kills workers is found; then `RunError` names it.
A task that the scheduler forgot is sent again while there is a scheduler. Faults of runs are told as `runner` tells them.

| parameter      | unit  | default | why                                                                             |
|----------------|-------|---------|---------------------------------------------------------------------------------|
| TASK_S         | s     | 4       | Dask takes some milliseconds a task; a worker that is killed loses no more       |
| SLOT_S         | s     | 0.02    | per thread of a worker, where that is more: no more than 50 tasks a second       |
| LEAST_S        | s     | 0.2     | no shorter tasks at the end of a sweep of short runs                             |
| MOST_RUNS      | runs  | 256     | a parcel of some 100 kB                                                          |
| PARCEL_BYTES   | bytes | 8·10⁶   | the same for scenarios of thousands of flows, before compression                 |
| UNDER_WAY      | tasks | 2       | per thread of a worker: the next one is there when one ends                      |
| HELD_BYTES     | bytes | 256·10⁶ | what the client holds of what is under way                                       |

Source: guided self-scheduling [PolychronopoulosKuck87] for the sizes towards the end.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import ceil
from typing import Final

from sawtooth.errors import ClusterError, InputError, PluginError, RunError
from sawtooth.run.cluster.parcel import Delivery, Fault, Job, Order
from sawtooth.run.cluster.pool import Answer, Pool, Trouble
from sawtooth.run.cluster.worker import likeness, plugins_of
from sawtooth.run.executor import Crew, Kept, Key, Work
from sawtooth.run.run import refused, run_of_counted
from sawtooth.run.storage.shelf import RUNS
from sawtooth.run.store import Store
from sawtooth.run.writer import TICK_S
from sawtooth.scenario.resolve import Resolved
from sawtooth.scenario.values import PLUGIN

TASK_S: Final = 4.0
SLOT_S: Final = 0.02
LEAST_S: Final = 0.2
MOST_RUNS: Final = 256
PARCEL_BYTES: Final = 8_000_000
UNDER_WAY: Final = 2
HELD_BYTES: Final = 256_000_000
NEWEST: Final = 0.3
"""Weight of the newest task in the time that a run is expected to take."""


@dataclass(frozen=True)
class _Task:
    """What is under way: the keys of its runs, and the order as it was sent."""

    keys: Sequence[Key]
    parcel: bytes
    again: bool = False
    """Whether workers died over it already."""


class ClusterCrew(Crew[Kept]):
    """One sweep on the workers of a pool."""

    def __init__(self, pool: Pool, work: Work[Kept]) -> None:
        self.failure: Exception | None = None
        self._pool = pool
        self._work = work
        self._left = work.jobs
        self._shared = None if work.store is None or not shares(work.store) else work.store.address
        self._gathered: list[tuple[Key, Job]] = []
        self._gathered_bytes = 0
        self._tasks: dict[int, _Task] = {}
        self._held_bytes = 0
        self._run_s: float | None = None
        self._known: set[str] = set()
        """Workers whose runs were found in the shared store."""

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: object) -> None:
        if isinstance(error, InputError):
            self.drain()
        self._pool.forget()
        if self._shared is not None and self._work.store is not None and self._known:
            _look(self._work.store)  # who reads next finds what the workers wrote
        if error is None and self.failure:
            raise self.failure

    @property
    def full(self) -> bool:
        """Whether as many are under way as may be."""
        return len(self._tasks) >= UNDER_WAY * self._pool.slots or self._held_bytes > HELD_BYTES

    @property
    def idle(self) -> bool:
        """Whether none is."""
        return not self._tasks and not self._gathered

    def begin(self, key: Key, job: Resolved) -> None:
        """One more."""
        self._left -= 1
        self._gathered.append((key, (job.engine, job.meta)))
        self._gathered_bytes += len(job.engine_json)
        if len(self._gathered) >= self._size() or self._gathered_bytes > PARCEL_BYTES:
            self._send_gathered()

    def finished(self) -> Iterator[tuple[Key, Kept]]:
        """Results that are there, of some seconds' waiting for the first; after a failure what has not begun is dropped."""
        if self._gathered and len(self._tasks) < self._pool.slots and self.failure is None:
            self._send_gathered()
        for answer in self._pool.answers(TICK_S):
            yield from self._answered(answer)
        if self.failure is None and not self._pool.alive:
            self._fail(ClusterError(f"the scheduler at {self._pool.address} went away; {RESUME}"))
        if self.failure is not None:
            self._gathered.clear()
            if not self._pool.alive:
                self._tasks.clear()

    @property
    def _task_s(self) -> float:
        """How long a task is to take: all tasks together are to come no faster than one client takes them in."""
        return max(TASK_S, SLOT_S * self._pool.slots)

    def _size(self) -> int:
        """How many runs the next task has."""
        if self._run_s is None:
            return 1
        timed = self._task_s / self._run_s
        fair = max(ceil(self._left / (UNDER_WAY * self._pool.slots)), LEAST_S / self._run_s)
        return max(1, min(MOST_RUNS, int(timed), ceil(fair)))

    def _send_gathered(self) -> None:
        gathered, self._gathered, self._gathered_bytes = self._gathered, [], 0
        self._send([key for key, _ in gathered], [job for _, job in gathered])

    def _send(self, keys: Sequence[Key], jobs: Sequence[Job], *, again: bool = False) -> None:
        order = Order(jobs, likeness() | plugins_of(jobs), self._shared, 2 * self._task_s)
        self._submit(_Task(keys, order.packed(), again))

    def _submit(self, task: _Task) -> None:
        self._tasks[self._pool.submit(task.parcel)] = task
        self._held_bytes += len(task.parcel)

    def _answered(self, answer: Answer) -> Iterator[tuple[Key, Kept]]:
        task = self._tasks.pop(answer.ticket, None)
        if task is None:
            return
        self._held_bytes -= len(task.parcel)
        if answer.data is not None:
            yield from self._delivered(task, Delivery.unpacked(answer.data))
        elif answer.trouble is Trouble.RAISED:
            # A fault of input before any run is one of what its environment lists.
            how = LOAD if answer.text.startswith(f"{InputError.__name__}: ") else INSTALL
            self._fail(ClusterError(f"a worker cannot make runs: {answer.text}; {how}"))
        elif answer.trouble is Trouble.DIED:
            self._died(task, answer.text)
        elif self._pool.alive and self.failure is None:
            self._submit(task)

    def _delivered(self, task: _Task, delivery: Delivery) -> Iterator[tuple[Key, Kept]]:
        """Takes the runs in; sends what is left of the task."""
        if delivery.unlike is not None:
            self._fail(unlike(delivery.unlike, Order.unpacked(task.parcel).likeness, delivery.worker))
            return
        if delivery.unwritten is not None:
            where, key, value, accepted = delivery.unwritten
            self._fail(InputError(where, key, value, accepted))
            return
        jobs = Order.unpacked(task.parcel).jobs
        for key, job, made in zip(task.keys, jobs, delivery.made, strict=False):
            if isinstance(made, Fault):
                self._fail(_told(key[0], job, made))
                continue
            if made.run_id != key[0]:
                raise ClusterError(f"a worker {delivery.worker} made run {made.run_id} for {key[0]}")
            self._see_shared(delivery.worker, made.run_id)
            # The metrics are computed here, so that no two of a table come from different libraries.
            run = run_of_counted(*job, made, delivery.provenance)
            yield key, self._work.take(run, self._shared is not None)
        count = len(delivery.made)
        if count:
            each = delivery.seconds / count
            known = self._run_s
            self._run_s = max(1e-4, each if known is None else NEWEST * each + (1 - NEWEST) * known)
        if count < len(task.keys) and self.failure is None:
            self._send(task.keys[count:], jobs[count:])

    def _died(self, task: _Task, text: str) -> None:
        jobs = Order.unpacked(task.parcel).jobs
        if task.again or len(jobs) == 1:
            engine, _ = jobs[0]
            fault = f"every worker that began it died ({text.splitlines()[0]})"
            self._fail(RunError(task.keys[0][0], str(engine["seed"]), fault))
        elif self.failure is None:
            for key, job in zip(task.keys, jobs, strict=True):
                self._send([key], [job], again=True)

    def _see_shared(self, worker: str, run_id: str) -> None:
        """ClusterError where what a worker put into the store is not there for the client."""
        store = self._work.store
        if self._shared is None or store is None or worker in self._known:
            return
        self._known.add(worker)
        if not store.has(run_id):
            store.held.look(RUNS)
            if not store.has(run_id):
                text = f"{self._shared} of the worker {worker} is another place than that of this process"
                raise ClusterError(f"{text}: take a store that all machines share, or a directory here")

    def _fail(self, error: Exception) -> None:
        self.failure = self.failure or error


RESUME: Final = "what is finished is in the store, and the same command goes on"
LOAD: Final = "have the workers load the same file (SAWTOOTH_PLUGINS)"
INSTALL: Final = "install the same Sawtooth for workers and scheduler, with sawtooth[cluster]"


def shares(store: Store) -> bool:
    """Whether workers reach a store by the address that the client has for it."""
    scheme, found, _ = store.address.partition("://")
    return bool(found) and scheme != "memory"


def unlike(found: Mapping[str, str], wanted: Mapping[str, str], worker: str) -> ClusterError:
    """What is told where a worker is not like the client."""
    parts = [
        f"{name} {found.get(name)} where {value} was expected"
        for name, value in wanted.items()
        if found.get(name) != value
    ]
    how = LOAD if all(part.startswith(PLUGIN) for part in parts) else INSTALL
    return ClusterError(f"the worker {worker} has another Sawtooth: {'; '.join(parts)}; {how}")


def _told(run_id: str, job: Job, fault: Fault) -> Exception:
    """The fault of a run, as the runner tells it."""
    engine, meta = job
    if fault.kind == "scenario":
        return refused(fault.said[0], meta)
    if fault.kind == "plugin":
        return PluginError(*fault.said)
    return RunError(run_id, str(engine["seed"]), fault.said[0])


def _look(store: Store) -> None:
    for tree in (RUNS, *store.held.series()):
        store.held.look(tree)


__all__ = ["ClusterCrew", "shares", "unlike"]
