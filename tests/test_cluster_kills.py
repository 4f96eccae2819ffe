"""A worker, the client and the scheduler are killed in turn: nothing that was finished is lost, and the tables are the same.

Also what needs a cluster of its own: an S3 server, TLS, workers with another Sawtooth or without any, a cluster that nobody started.
"""

from __future__ import annotations

import datetime
import ipaddress
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import psutil
import pytest
from tests.conftest import CommandLine, clean_environment
from tests.loopback import PATIENCE_S, Loopback

from sawtooth.run.cluster.local import local
from sawtooth.run.store import Store

RUNS = 60
SCENARIO = """
duration = "1000 s"            # so that a sweep has long to go when its first runs are stored, also on a fast machine
warmup = "5 s"

[bottleneck]
rate = "20 Mbit/s"
delay = "5 ms"
buffer = "50 packets"

[path]
rtt = "30 ms"

[[flows]]
count = 3
control = "aimd(1, 0.5)"
start = "uniform 0..0.2 s"
"""
WORDS = ["sweep", "s.toml", "--over", "path.rtt=20ms,30ms", "--seeds", str(RUNS // 2)]
SOON = {"DASK_DISTRIBUTED__COMM__TIMEOUTS__CONNECT": "2s"}
CLIENT = """
from sawtooth.cli import main
from sawtooth.run import writer

writer.FLUSH_S = 0.0
main()
"""
"""The command line, which stores every run as it comes: otherwise a fast machine has them all before the first batch is due."""

pytestmark = pytest.mark.long


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    """The table of one core."""
    place = tmp_path_factory.mktemp("whole")
    (place / "s.toml").write_text(SCENARIO)
    words = [sys.executable, "-m", "sawtooth", *WORDS, "--store", "store", "--out", "t.csv"]
    subprocess.run(words, cwd=place, env=clean_environment(), check=True, capture_output=True)
    return (place / "t.csv").read_bytes()


@pytest.fixture
def cluster(tmp_path: Path) -> Iterator[Loopback]:
    """A scheduler with two workers."""
    (tmp_path / "s.toml").write_text(SCENARIO)
    with Loopback(tmp_path) as loopback:
        loopback.add_worker()
        loopback.add_worker()
        yield loopback


def begun(cluster: Loopback, store: str = "store") -> subprocess.Popen[str]:
    """The sweep as a process, when the first of its runs are stored."""
    words = [*WORDS, "--store", store, "--out", "t.csv", "--executor", "dask", "--scheduler", cluster.address]
    client = subprocess.Popen(
        [sys.executable, "-c", CLIENT, *words],
        cwd=cluster.directory,
        env=clean_environment() | SOON,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
    )
    kept = Store(cluster.directory / "store")
    deadline = time.monotonic() + PATIENCE_S
    while not kept.ids():
        assert time.monotonic() < deadline
        assert client.poll() is None, client.communicate()[1]
        time.sleep(0.05)
    return client


def table(cluster: Loopback) -> bytes:
    return (cluster.directory / "t.csv").read_bytes()


def continued(cluster: Loopback, sawtooth: CommandLine, known: int) -> bytes:
    """The table of the same command afterwards, which makes only what is not there."""
    done = sawtooth(*WORDS, "--store", "store", "--out", "t.csv", "--json", timeout=PATIENCE_S)
    assert done.code == 0
    assert done.json["executed"] == RUNS - known
    return table(cluster)


def test_a_killed_worker(cluster: Loopback, whole: bytes) -> None:
    client = begun(cluster)
    cluster.workers[0].kill()
    _, said = client.communicate(timeout=PATIENCE_S)
    assert client.returncode == 0, said
    assert table(cluster) == whole


def test_all_workers_killed_and_another_one_comes(cluster: Loopback, whole: bytes) -> None:
    client = begun(cluster)
    for worker in cluster.workers:
        worker.kill()
    cluster.add_worker(threads=2)
    _, said = client.communicate(timeout=PATIENCE_S)
    assert client.returncode == 0, said
    assert table(cluster) == whole


def test_a_killed_client(cluster: Loopback, whole: bytes, sawtooth: CommandLine) -> None:
    client = begun(cluster)
    client.kill()
    client.communicate()
    known = len(Store(cluster.directory / "store").ids())
    assert 0 < known < RUNS
    assert continued(cluster, sawtooth, known) == whole


@pytest.mark.parametrize("returns", [False, True])
def test_a_killed_scheduler(returns: bool, cluster: Loopback, whole: bytes, sawtooth: CommandLine) -> None:
    client = begun(cluster)
    port = cluster.port
    cluster.kill_scheduler()
    if returns:
        cluster.begin_scheduler(port=port)
        cluster.add_worker(threads=2)
    _, said = client.communicate(timeout=PATIENCE_S)
    if returns and client.returncode == 0:
        assert table(cluster) == whole
        return
    assert client.returncode == 69, said
    assert "what is finished is in the store" in said
    assert "distributed." not in said, "Dask's own lines stand for nothing that is not told"
    known = len(Store(cluster.directory / "store").ids())
    assert 0 < known < RUNS
    assert continued(cluster, sawtooth, known) == whole


def test_workers_write_to_s3_themselves(
    cluster: Loopback, whole: bytes, sawtooth: CommandLine, monkeypatch: pytest.MonkeyPatch
) -> None:
    from moto.server import ThreadedMotoServer

    server = ThreadedMotoServer("127.0.0.1", port=0)
    server.start()
    try:
        host, port = server.get_host_and_port()
        access = {
            "AWS_ACCESS_KEY_ID": "test",
            "AWS_SECRET_ACCESS_KEY": "test",
            "AWS_DEFAULT_REGION": "us-east-1",
            "AWS_ENDPOINT_URL": f"http://{host}:{port}",
        }
        for key, value in access.items():
            monkeypatch.setenv(key, value)
        import boto3

        boto3.client("s3").create_bucket(Bucket="lab")
        with Loopback(cluster.directory, access) as other:
            other.add_worker(threads=2)
            words = [*WORDS, "--store", "s3://lab/runs", "--out", "t.csv", "--json"]
            done = sawtooth(*words, "--executor", "dask", "--scheduler", other.file, **access)
            assert done.code == 0, done.err
        assert table(cluster) == whole
        assert sawtooth(*words, **access).json["executed"] == 0
    finally:
        server.stop()


PRELOAD = """
from sawtooth.run.cluster import worker
own = worker.likeness()
worker.likeness = lambda: own | {"engine": "0" * 16}
"""


def test_a_worker_with_another_engine_that_comes_late(
    tmp_path: Path, sawtooth: CommandLine, scenario_file: Path
) -> None:
    (tmp_path / "other.py").write_text(PRELOAD)
    with Loopback(tmp_path) as loopback:
        loopback.add_worker("--preload", str(tmp_path / "other.py"))
        words = ["sweep", "s.toml", "--over", "path.rtt=20ms,30ms", "--seeds", "3"]
        done = sawtooth(*words, "--executor", "dask", "--scheduler", loopback.file)
    assert done.code == 69
    assert "has another Sawtooth: engine 0000000000000000 where" in done.err
    assert "Traceback" not in done.err


def test_without_an_address_there_are_workers_of_this_machine(
    sawtooth: CommandLine, scenario_file: Path, tmp_path: Path
) -> None:
    words = ["sweep", "s.toml", "--over", "path.rtt=20ms,30ms", "--seeds", "3"]
    one = sawtooth(*words, "--store", "one", "--out", "one.csv")
    many = sawtooth(
        *words, "--store", "many", "--out", "many.csv", "--executor", "dask", SAWTOOTH_THREADS="2"
    )
    assert (one.code, many.code) == (0, 0), many.err
    assert (tmp_path / "one.csv").read_bytes() == (tmp_path / "many.csv").read_bytes()


def test_workers_of_this_machine_end_with_a_killed_client(tmp_path: Path) -> None:
    """The script has no guard for `__main__`, as one writes it at first. A second cluster beside the first is told nothing of ports."""
    script = tmp_path / "script.py"
    script.write_text("""
import time
import sawtooth as st

with st.cluster(), st.cluster() as cluster:
    cluster.pool._client.wait_for_workers(2)
    print(*(int(name.rsplit(":", 1)[1]) for name in cluster.pool._client.scheduler_info()["workers"]), flush=True)
    time.sleep(600)
""")
    client = subprocess.Popen(
        [sys.executable, "-W", "error", script],
        env=clean_environment() | {"SAWTOOTH_THREADS": "2"},
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    )
    assert client.stdout is not None
    ports = [int(word) for word in client.stdout.readline().split()]
    assert len(ports) == 2
    assert all(map(listens, ports))
    client.kill()
    client.communicate()
    deadline = time.monotonic() + PATIENCE_S
    while any(map(listens, ports)):
        assert time.monotonic() < deadline
        time.sleep(0.1)


def listens(port: int) -> bool:
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", port)) == 0


def certificates(place: Path) -> dict[str, str]:
    """A certificate that is its own authority, and what Dask wants to be told of it (docs/clusters.md)."""
    from cryptography import x509
    from cryptography.hazmat.primitives import hashes, serialization
    from cryptography.hazmat.primitives.asymmetric import ec
    from cryptography.x509.oid import NameOID

    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "sawtooth")])
    now = datetime.datetime.now(datetime.UTC)
    made = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - datetime.timedelta(days=1))
        .not_valid_after(now + datetime.timedelta(days=1))
        .add_extension(x509.BasicConstraints(ca=True, path_length=None), critical=True)
        .add_extension(
            x509.SubjectAlternativeName([x509.IPAddress(ipaddress.ip_address("127.0.0.1"))]), False
        )
        .sign(key, hashes.SHA256())
    )
    (place / "cert.pem").write_bytes(made.public_bytes(serialization.Encoding.PEM))
    private = key.private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    )
    (place / "key.pem").write_bytes(private)
    ends = {
        f"DASK_DISTRIBUTED__COMM__TLS__{end}__{part}": str(place / file)
        for end in ("SCHEDULER", "WORKER", "CLIENT")
        for part, file in (("CERT", "cert.pem"), ("KEY", "key.pem"))
    }
    return ends | {"DASK_DISTRIBUTED__COMM__TLS__CA_FILE": str(place / "cert.pem")}


def test_tls_as_the_page_says(tmp_path: Path, sawtooth: CommandLine, scenario_file: Path) -> None:
    told = certificates(tmp_path) | {"DASK_DISTRIBUTED__COMM__REQUIRE_ENCRYPTION": "true"}
    words = ["sweep", "s.toml", "--over", "path.rtt=20ms,30ms", "--seeds", "2", "--store", "store", "--json"]
    with Loopback(tmp_path, told) as loopback:
        loopback.kill_scheduler()
        loopback.begin_scheduler("--protocol", "tls")
        assert loopback.address.startswith("tls://")
        loopback.add_worker("--protocol", "tls")
        dask = ["--executor", "dask", "--scheduler", loopback.address]
        without = sawtooth(*words, *dask)
        assert without.code == 2, "a client without a certificate stays outside"
        assert "certificates beside tls://" in without.err
        done = sawtooth(*words, *dask, **told)
        assert done.code == 0, done.err
        assert done.json["executed"] == 4


def lives(pid: int) -> bool:
    """Whether a process is at work: a container without an init keeps the names of orphans that have ended."""
    try:
        return bool(psutil.Process(pid).status() != psutil.STATUS_ZOMBIE)
    except psutil.NoSuchProcess:
        return False


KILLED: dict[str, Callable[[psutil.Process, list[psutil.Process]], list[psutil.Process]]] = {
    "nobody": lambda nanny, found: [],
    "the worker": lambda nanny, found: found,
    "its nanny": lambda nanny, found: [nanny],
    "both": lambda nanny, found: [nanny, *found],
}


@pytest.mark.parametrize("who", KILLED)
def test_workers_that_end_while_they_are_ended_are_no_fault_and_none_is_left(
    who: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    children = psutil.Process.children
    family: list[psutil.Process] = []

    def just_gone(self: psutil.Process, recursive: bool = False) -> list[psutil.Process]:
        found: list[psutil.Process] = children(self, recursive=recursive)
        if not family:
            family.extend([self, *found])
            killed = KILLED[who](self, found)
            for process in killed:
                process.kill()
            while any(lives(process.pid) for process in killed):
                time.sleep(0.01)
        return found

    with local(1) as workers:
        while not workers.scheduler.workers:  # the nanny has children before it has its worker
            time.sleep(0.05)
        monkeypatch.setattr(psutil.Process, "children", just_gone)
    assert workers.status.name == "closed", "closing was not given up"
    assert len(family) > 1
    assert not any(lives(process.pid) for process in family)
