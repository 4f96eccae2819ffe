"""`--executor dask`: the same tables as on this machine, whoever simulates; who is trusted; what is done with trouble."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import dask
import pytest
from tests.conftest import SCENARIO, CommandLine
from tests.loopback import Loopback
from tests.test_shard import COMMANDS, STUDY, told
from tests.test_start_up import COMMAND_LINE, loaded_by

import sawtooth as st
from sawtooth.errors import ClusterError, InputError, RunError
from sawtooth.progress import progress_bar, tell_workers
from sawtooth.run import blocks
from sawtooth.run.cluster import address, crew, worker
from sawtooth.run.cluster.cluster import Cluster, cluster
from sawtooth.run.cluster.parcel import Delivery, Order
from sawtooth.run.cluster.pool import Answer, Trouble
from sawtooth.run.cluster.worker import likeness, work
from sawtooth.run.executor import using
from sawtooth.run.run import RunSummary, execute, run_id_of
from sawtooth.run.runner import run_each, run_many
from sawtooth.run.storage.rows import same
from sawtooth.run.store import Store
from sawtooth.scenario.resolve import Resolved, resolve
from sawtooth.scenario.scenario import parse_scenario

SEARCH = ["environment", "search", "aimd(1, 0.5)", "aiad(1, 3)", "--winner", "AIAD"]
SHORT = ["--runs", "30", "--seeds", "1", "--judge-seeds", "2", "--set", "duration=3 s", "--set", "warmup=1 s"]


def jobs_of(count: int, text: str = SCENARIO) -> list[Resolved]:
    scenario = parse_scenario(text)
    return [resolve(scenario, seed) for seed in range(count)]


class Workers:
    """Stands for Dask: answers a parcel when it is asked, by `reply` or as a worker does."""

    def __init__(self, slots: int = 2, reply: Callable[[Order, int], Answer | bytes] | None = None) -> None:
        self.address = "nowhere"
        self.alive = True
        self.slots = slots
        self.sizes: list[int] = []
        self.most = 0
        self._reply = reply
        self._waiting: list[bytes] = []

    def submit(self, parcel: bytes) -> int:
        self._waiting.append(parcel)
        self.sizes.append(len(Order.unpacked(parcel).jobs))
        self.most = max(self.most, len(self._waiting))
        return len(self.sizes) - 1

    def answers(self, wait_s: float) -> Iterator[Answer]:
        if not self._waiting:
            return
        first = len(self.sizes) - len(self._waiting)
        parcel = self._waiting.pop(0)
        said = work(parcel) if self._reply is None else self._reply(Order.unpacked(parcel), first)
        yield Answer(first, said) if isinstance(said, bytes) else said

    def forget(self) -> None:
        self._waiting.clear()


def through(workers: Workers, jobs: Sequence[Resolved], store: Store | None = None) -> list[RunSummary]:
    """The runs of `jobs` by these workers."""
    with using(Cluster(workers)):  # type: ignore[arg-type]
        return run_many(jobs, store)


# --- whom to trust -----------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "whole"),
    [
        ("127.0.0.1:8786", "tcp://127.0.0.1:8786"),
        ("tcp://10.1.2.3:8786", "tcp://10.1.2.3:8786"),
        ("tcp://192.168.7.7:1", "tcp://192.168.7.7:1"),
        ("tcp://[::1]:8786", "tcp://[::1]:8786"),
        ("tcp://100.64.3.2:8786", "tcp://100.64.3.2:8786"),
        ("tls://8.8.8.8:8786", "tls://8.8.8.8:8786"),
    ],
)
def test_addresses_of_ones_own_and_tls_are_taken(text: str, whole: str) -> None:
    assert address.checked(text) == whole


@pytest.mark.parametrize("text", ["tcp://8.8.8.8:8786", "8.8.8.8:8786", "tcp://[2001:4860:4860::8888]:8786"])
def test_a_public_address_without_tls_is_refused_unless_told(text: str) -> None:
    with pytest.raises(InputError, match="tls:// for a scheduler on the public address") as caught:
        address.checked(text)
    assert "--trust-network" in (caught.value.hint or "")
    assert address.checked(text, trusted=True).startswith("tcp://")


def test_a_name_with_a_public_address_is_public(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(address, "addresses", lambda host: ["10.0.0.1", "1.1.1.1"])
    with pytest.raises(InputError, match=r"1\.1\.1\.1"):
        address.checked("tcp://scheduler.example:8786")


@pytest.mark.parametrize(
    "text", ["", "here", "http://10.0.0.1:80", "tcp://10.0.0.1", "tcp://:8786", "tcp://a:b"]
)
def test_what_is_no_address_is_refused(text: str) -> None:
    with pytest.raises(InputError, match="tcp://HOST:PORT or tls://HOST:PORT"):
        address.checked(text)


def test_a_scheduler_file_is_read_and_held_to_the_same(tmp_path: Path) -> None:
    path = tmp_path / "scheduler.json"
    path.write_text('{"address": "tcp://127.0.0.1:4"}')
    assert address.checked(str(path)) == "tcp://127.0.0.1:4"
    path.write_text('{"address": "tcp://8.8.8.8:4"}')
    with pytest.raises(InputError, match="public"):
        address.checked(str(path))
    path.write_text("{}")
    with pytest.raises(InputError, match="a file that `dask scheduler --scheduler-file` wrote"):
        address.checked(str(path))


# --- many runs --------------------------------------------------------------------------------------------------------------------


def test_a_sweep_is_the_same_in_blocks_by_workers(
    scenario_file: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    over = {"path.rtt": ["20 ms", "30 ms"]}
    whole = st.sweep(scenario_file, over, 4, store=tmp_path / "here")
    monkeypatch.setattr(blocks, "LEAST", 1)
    monkeypatch.setattr(blocks, "PER_SLOT", 2)
    workers = Workers(slots=3)
    with using(Cluster(workers)):  # type: ignore[arg-type]
        found = st.sweep(scenario_file, over, 4, store=tmp_path / "workers")
    assert found.table.equals(whole.table)
    assert found.executed == sum(workers.sizes) == 8


# --- what goes over the wire ---------------------------------------------------------------------------------------------------------


def test_runs_come_back_as_they_were_counted() -> None:
    text = SCENARIO.replace('seed = "1"', 'seed = "1"\n[record]\nwindows = true')
    jobs = [*jobs_of(3), *jobs_of(3, text)]
    made = run_many(jobs, None, light=False)
    with using(Cluster(Workers())):  # type: ignore[arg-type]
        found = run_many(jobs, None, light=False)
    for one, other in zip(made, found, strict=True):
        assert same(one, other)
        assert one.run_id == other.run_id
        assert repr(one.flows.to_pydict()) == repr(other.flows.to_pydict())
        assert repr(one.queues.to_pydict()) == repr(other.queues.to_pydict())
        assert one.records.keys() == other.records.keys()
        assert one.values == pytest.approx(other.values, nan_ok=True, rel=0, abs=0)
        assert (one.meta["name"], one.behaviour) == (other.meta["name"], other.behaviour)


def test_a_worker_stops_when_it_has_worked_enough() -> None:
    order = Order([(job.engine, job.meta) for job in jobs_of(4)], likeness(), None, enough_s=0.0)
    assert Order.unpacked(order.packed()) == order
    assert len(Delivery.unpacked(work(order.packed())).made) == 1, "one, so that it goes on at all"


def test_what_a_worker_leaves_is_sent_again(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(crew, "TASK_S", 0.0)  # twice that is the time that orders give
    monkeypatch.setattr(crew, "SLOT_S", 0.0)
    monkeypatch.setattr(crew.ClusterCrew, "_size", lambda self: 5)
    jobs = jobs_of(12)
    workers = Workers()
    assert [run.digest for run in through(workers, jobs)] == [run.digest for run in run_many(jobs, None)]
    assert workers.sizes[:4] == [5, 5, 4, 4], "of five runs one is made"


def test_tasks_take_seconds_and_end_together(monkeypatch: pytest.MonkeyPatch) -> None:
    def a_second_each(order: Order, ticket: int) -> bytes:
        delivery = Delivery.unpacked(work(order.packed()))
        return Delivery(delivery.made, "w", float(len(order.jobs)), delivery.provenance).packed()

    workers = Workers(slots=2, reply=a_second_each)
    assert len(through(workers, jobs_of(60))) == 60
    assert workers.most <= crew.UNDER_WAY * 2
    assert set(workers.sizes[:4]) == {1}, "until it is known how long a run takes"
    assert max(workers.sizes) == crew.TASK_S
    assert workers.sizes[-1] == 1
    assert sum(workers.sizes) == 60


def test_tasks_of_very_many_workers_are_longer() -> None:
    for slots, task_s in ((1, 4.0), (200, 4.0), (1000, 20.0)):
        orders: list[float] = []

        def noted(order: Order, ticket: int, orders: list[float] = orders) -> bytes:
            orders.append(order.enough_s)
            return work(order.packed())

        through(Workers(slots=slots, reply=noted), jobs_of(2))
        assert set(orders) == {2 * task_s}


def test_the_client_holds_no_more_for_more_runs(monkeypatch: pytest.MonkeyPatch) -> None:
    held: list[tuple[int, int]] = []

    def watched(self: Any, answer: Answer) -> Any:
        held.append((len(self._tasks), self._held_bytes))
        return original(self, answer)

    original = crew.ClusterCrew._answered
    monkeypatch.setattr(crew.ClusterCrew, "_answered", watched)
    peaks = []
    for count in (40, 160):
        held.clear()
        with using(Cluster(Workers(slots=2))):  # type: ignore[arg-type]
            run_each(jobs_of(count), None, lambda run: run.run_id)
        assert max(tasks for tasks, _ in held) <= 4
        peaks.append(max(size for _, size in held))
    assert peaks[1] < 4 * peaks[0] + 4 * 60_000


# --- trouble -------------------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["version", "engine", "behaviour", "metrics"])
def test_a_worker_with_another_sawtooth_is_refused(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    other = likeness() | {name: "other"}
    monkeypatch.setattr(worker, "likeness", lambda: other)
    with pytest.raises(ClusterError, match=f"has another Sawtooth: {name} other where"):
        through(Workers(), jobs_of(3))


def test_a_worker_without_the_plug_in_is_told_what_to_load() -> None:
    job = jobs_of(1)[0]
    controller = {"kind": "plugin", "name": "mine", "file": "ab" * 32}
    engine = {**job.engine, "profiles": [{**job.engine["profiles"][0], "controller": controller}]}
    order = Order([(engine, job.meta)], likeness() | worker.plugins_of([(engine, job.meta)]))
    delivery = Delivery.unpacked(work(order.packed()))
    assert delivery.unlike == likeness() | {"plugin mine": "not loaded"}
    said = str(crew.unlike(delivery.unlike, order.likeness, "here"))
    assert "plugin mine not loaded where abab" in said
    assert "SAWTOOTH_PLUGINS" in said


def test_a_run_that_kills_its_workers_is_found(tmp_path: Path) -> None:
    jobs = jobs_of(30)
    bad = run_id_of(jobs[17])

    def dying(order: Order, ticket: int) -> Answer | bytes:
        if any(engine == jobs[17].engine for engine, _ in order.jobs):
            return Answer(ticket, trouble=Trouble.DIED, text="KilledWorker: four times")
        return work(order.packed())

    store = Store(tmp_path / "store")
    with pytest.raises(RunError, match="every worker that began it died") as caught:
        through(Workers(reply=dying), jobs, store)
    assert caught.value.run_id == bad
    assert {run_id_of(job) for job in jobs[:17]} <= set(store.ids()), "its neighbours are made"


def test_what_the_scheduler_forgot_is_sent_again() -> None:
    forgotten: list[int] = []

    def forgetful(order: Order, ticket: int) -> Answer | bytes:
        if ticket in (1, 4):
            forgotten.append(ticket)
            return Answer(ticket, trouble=Trouble.LOST)
        return work(order.packed())

    jobs = jobs_of(9)
    found = through(Workers(reply=forgetful), jobs)
    assert [run.seed for run in found] == [job.seed for job in jobs]
    assert forgotten == [1, 4]


def test_without_a_scheduler_the_command_ends_and_what_is_finished_stays(tmp_path: Path) -> None:
    def gone(order: Order, ticket: int) -> Answer | bytes:
        if ticket < 4:  # of one run each, until it is known how long one takes
            return work(order.packed())
        workers.alive = False
        return Answer(ticket, trouble=Trouble.LOST)

    store = Store(tmp_path / "store")
    workers = Workers(reply=gone)
    with pytest.raises(ClusterError, match="went away; what is finished is in the store"):
        through(workers, jobs_of(200), store)
    assert len(store.ids()) == sum(workers.sizes[:4]) == 4


def test_a_fault_of_the_engine_names_the_run(monkeypatch: pytest.MonkeyPatch) -> None:
    def fault(engine: Any) -> Any:
        raise RuntimeError("the queue should not be negative, at 1.5 s")

    jobs = jobs_of(1)
    monkeypatch.setattr(worker, "count", fault)
    with pytest.raises(RunError, match="the queue should not be negative") as caught:
        through(Workers(), jobs)
    assert (caught.value.run_id, caught.value.seed) == (run_id_of(jobs[0]), "0")


def test_workers_without_sawtooth_are_told_of() -> None:
    def without(order: Order, ticket: int) -> Answer:
        text = "ModuleNotFoundError: No module named 'sawtooth'"
        return Answer(ticket, trouble=Trouble.RAISED, text=text)

    with pytest.raises(ClusterError, match=r"No module named 'sawtooth'; install the same Sawtooth"):
        through(Workers(reply=without), jobs_of(2))


def test_a_worker_whose_plug_in_cannot_be_read_is_told_what_to_load() -> None:
    """It was told to install the same Sawtooth."""

    def lost(order: Order, ticket: int) -> Answer:
        text = "InputError: /lab/mine.so: expected a file that can be read: No such file or directory"
        return Answer(ticket, trouble=Trouble.RAISED, text=text)

    with pytest.raises(ClusterError, match=r"No such file or directory; have the workers load the same file"):
        through(Workers(reply=lost), jobs_of(2))


def test_workers_put_runs_into_a_store_that_all_share(tmp_path: Path) -> None:
    store = Store(f"file://{tmp_path}/store")
    assert not crew.shares(Store(tmp_path / "store"))
    jobs = jobs_of(6)
    with using(Cluster(Workers())), pytest.MonkeyPatch.context() as patch:  # type: ignore[arg-type]
        patch.setattr(Store, "put_all", watched := _Watched(Store.put_all))
        run_many(jobs, store)
    assert watched.runs == [run_id_of(job) for job in jobs], "each once, by the worker"
    assert sorted(store.ids()) == sorted(watched.runs)


class _Watched:
    """A method of the store that notes what it is given."""

    def __init__(self, method: Any) -> None:
        self.runs: list[str] = []
        self._method = method

    def __get__(self, store: Any, kind: Any) -> Any:
        def put_all(runs: Sequence[Any]) -> None:
            self.runs += [run.run_id for run in runs]
            self._method(store, runs)

        return put_all


def test_a_store_that_is_not_shared_is_found_out(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(worker, "_stored", lambda *_: None)  # it went elsewhere
    with pytest.raises(ClusterError, match="another place than that of this process"):
        through(Workers(), jobs_of(3), Store(f"file://{tmp_path}/store"))


def test_a_worker_that_cannot_write_says_so(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    order = Order([(job.engine, job.meta) for job in jobs_of(1)], likeness(), f"file://{tmp_path}/file", 1.0)
    unwritten = Delivery.unpacked(work(order.packed())).unwritten
    assert unwritten is not None
    assert "that can be written" in unwritten[3]


# --- the command line ----------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--scheduler", "tcp://127.0.0.1:1"], "only beside --executor dask"),
        (["--trust-network"], "only beside --executor dask"),
        (["--executor", "dask", "--scheduler", "tcp://8.8.8.8:8786"], "public address 8.8.8.8"),
        (["--executor", "dask", "--scheduler", ""], "tcp://HOST:PORT or tls://HOST:PORT"),
        (["--scheduler", ""], "only beside --executor dask"),
        (["--executor", "threads"], "local"),
    ],
)
def test_options_that_do_not_go_together_are_refused(
    words: list[str], said: str, sawtooth: CommandLine, scenario_file: Path
) -> None:
    done = sawtooth("sweep", "s.toml", "--over", "path.rtt=20ms,30ms", *words)
    assert done.code == 2
    assert said in done.err


def test_an_address_of_dasks_configuration_is_named_as_such() -> None:
    with (
        dask.config.set({"scheduler-address": "tcp://1.1.1.1:3"}),
        pytest.raises(InputError, match=r'scheduler-address = "tcp://1\.1\.1\.1:3": expected tls://'),
        cluster(),
    ):
        pass


def test_what_makes_no_runs_takes_no_executor(sawtooth: CommandLine) -> None:
    done = sawtooth("reproduce", "reddy2012/mathematics", "--executor", "dask")
    assert done.code == 2
    assert "--executor" in done.err


@pytest.mark.usefixtures("scenario_file")
def test_on_this_machine_nothing_of_dask_is_loaded(tmp_path: Path) -> None:
    words = ["sweep", "s.toml", "--over", "path.rtt=20ms,30ms", "--seeds", "1"]
    loaded = loaded_by(COMMAND_LINE, *words, where=tmp_path)
    assert not {"dask", "distributed", "sawtooth.run.cluster"} & loaded


def test_nobody_answers(sawtooth: CommandLine, scenario_file: Path) -> None:
    words = ["--executor", "dask", "--scheduler", "tcp://127.0.0.1:1"]
    done = sawtooth("sweep", "s.toml", "--over", "path.rtt=20ms,30ms", *words,
                    DASK_DISTRIBUTED__COMM__TIMEOUTS__CONNECT="1s")  # fmt: skip
    assert done.code == 69
    assert "no scheduler of Dask answers at --scheduler tcp://127.0.0.1:1" in done.err


def test_lines_say_how_many_workers_there_are(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("SAWTOOTH_PROGRESS", raising=False)
    monkeypatch.setattr("sawtooth.progress.EVERY_S", 0.0)
    monkeypatch.setattr(
        "sawtooth.progress._Lines._tick", lambda _: None
    )  # else it would repeat them without a pause
    tell_workers(3)  # nobody looks
    with progress_bar("fig4") as bar:
        tell_workers(0)
        bar(2, 9, 2)
        tell_workers(1)
        tell_workers(1200)
    lines = [line.partition(" (")[0] for line in capsys.readouterr().err.splitlines()]
    assert lines == [
        "fig4: no run yet, waiting for workers",
        "fig4: 2 of 9 runs, 2 of them from the store, waiting for workers",
        "fig4: 2 of 9 runs, 2 of them from the store, 1 worker",
        "fig4: 2 of 9 runs, 2 of them from the store, 1,200 workers",
    ]


def test_two_workers_make_the_tables_of_one_core_byte_for_byte(
    sawtooth: CommandLine, scenario_file: Path, tmp_path: Path
) -> None:
    """Scheduler, workers and client are processes of their own; the workers are not there yet when the client begins."""
    words = COMMANDS["sweep"]
    sawtooth(*words, "--store", "one", "--out", "one.csv", SAWTOOTH_THREADS="1")
    with Loopback(tmp_path) as cluster:
        cluster.add_worker()
        cluster.add_worker()
        dask = ["--executor", "dask", "--scheduler", str(cluster.file)]
        assert sawtooth(*words, "--store", "many", "--out", "many.csv", *dask).code == 0
        shared = ["--store", f"file://{tmp_path}/shared", "--out", "shared.csv"]
        assert sawtooth(*words, *shared, *dask).code == 0
    assert (tmp_path / "one.csv").read_bytes() == (tmp_path / "many.csv").read_bytes()
    assert (tmp_path / "one.csv").read_bytes() == (tmp_path / "shared.csv").read_bytes()
    alike = [Store(tmp_path / name) for name in ("one", "many", "shared")]
    for run_id in alike[0].ids():
        one, *others = (store.get(run_id) for store in alike)
        assert one is not None
        assert all(other is not None and same(one, other) for other in others)


@pytest.mark.long
@pytest.mark.parametrize("command", ["compare", "reproduce", "search"])
def test_every_command_makes_the_same_of_what_workers_send(
    command: str, sawtooth: CommandLine, scenario_file: Path, tmp_path: Path
) -> None:
    (tmp_path / "study.toml").write_text(STUDY)
    words = {**COMMANDS, "search": [*SEARCH, *SHORT]}[command]
    one = sawtooth(*words, "--store", "one", "--json", SAWTOOTH_THREADS="1")
    with Loopback(tmp_path) as cluster:
        cluster.add_worker(threads=2)
        many = sawtooth(
            *words, "--store", "many", "--json", "--executor", "dask", "--scheduler", cluster.file
        )
        assert many.code == one.code == 0, many.err
        assert told(many.json) == told(one.json)
        assert many.json["executed"] == one.json["executed"] > 0
        assert Store(tmp_path / "one").ids() == Store(tmp_path / "many").ids()
        if command != "search":
            part = sawtooth(*words, "--store", "part", "--shard", "1/2", "--json", "--executor", "dask",
                            "--scheduler", cluster.file).json  # fmt: skip
            assert part["runs_done"] == part["runs_mine"] == part["executed"] > 0


@pytest.mark.long
def test_a_sensitivity_is_the_same_of_what_workers_send(sawtooth: CommandLine, tmp_path: Path) -> None:
    words = ["reproduce", "akella2002/fig4", "--sensitivity", "--seeds", "1", "--parameter", "path.rtt"]
    words += ["--set", "duration=2s", "--set", "warmup=1s", "--no-report", "--json", "--store"]
    one = sawtooth(*words, "one", timeout=300.0)
    with Loopback(tmp_path) as cluster:
        cluster.add_worker(threads=2)
        dask = ["--executor", "dask", "--scheduler", str(cluster.file)]
        many = sawtooth(*words, "many", *dask, timeout=300.0)
    assert many.code == one.code == 0, many.err
    assert told(many.json) == told(one.json)
    assert many.json["variations"]
    assert many.json["executed"] > 0


def test_execute_is_what_a_worker_does() -> None:
    job = jobs_of(1)[0]
    assert through(Workers(), [job])[0].digest == execute(job).digest
