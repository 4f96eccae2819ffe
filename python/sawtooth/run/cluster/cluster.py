"""A cluster of Dask as the executor of a block.

    import sawtooth as st
    with st.cluster("tcp://10.0.0.5:8786"):
        st.compare(["aimd(1, 0.8)", "tfrc"])

Source: none.
"""

from __future__ import annotations

import logging
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext, suppress
from typing import Any

from sawtooth.errors import ClusterError, InputError
from sawtooth.run.cluster.address import OPTION, checked
from sawtooth.run.cluster.crew import ClusterCrew
from sawtooth.run.cluster.pool import Pool, WorkersCallback
from sawtooth.run.executor import Executor, Kept, Work, using
from sawtooth.run.runner import default_threads

EXTRA = "sawtooth[cluster]"
CONFIGURED = "scheduler-address"
"""The key of Dask's configuration, which is $DASK_SCHEDULER_ADDRESS as well."""
CLOSE_S = 2
"""How long is waited for the client to take its leave."""


class Cluster(Executor):
    """Workers of Dask."""

    def __init__(self, pool: Pool) -> None:
        self.pool = pool

    def crew(self, work: Work[Kept]) -> ClusterCrew[Kept]:
        """A crew for one sweep."""
        return ClusterCrew(self.pool, work)

    @property
    def slots(self) -> int:
        """Runs that can be simulated at the same time, at least 1."""
        return self.pool.slots


@contextmanager
def cluster(
    scheduler: str | None = None,
    *,
    trust_network: bool = False,
    workers: WorkersCallback | None = None,
) -> Iterator[Cluster]:
    """Inside the block the workers of a Dask scheduler make every run. The rest stays in this process, and so does the store, unless it has
    an address that all machines share.

    `scheduler` is its address or its file. None means the one that Dask's configuration names (`DASK_SCHEDULER_ADDRESS`), or else worker
    processes of this machine for the length of the block. A public address without TLS is refused unless `trust_network`. `workers` is
    called with the number of workers now and then. Raises InputError, and ClusterError if no scheduler answers.
    """
    try:
        import dask
        import distributed
    except ImportError:
        accepted = f"--executor local; Dask is not installed: pip install '{EXTRA}'"
        raise InputError("sawtooth", "--executor", "dask", accepted) from None
    # Each logger has a level of its own. What matters is told by ClusterError.
    for name in ("distributed", "distributed.client"):
        logging.getLogger(name).setLevel(logging.CRITICAL)
    given, key = (
        (scheduler, OPTION) if scheduler is not None else (dask.config.get(CONFIGURED, None), CONFIGURED)
    )
    address = None if given is None else checked(str(given), trusted=trust_network, key=key)
    with _client(distributed, address) as client:
        found = Cluster(Pool(client, workers))
        with using(found):
            yield found


@contextmanager
def _client(distributed: Any, address: str | None) -> Iterator[Any]:
    """A client, and without an address the cluster that it is a client of."""
    from sawtooth.run.cluster.local import local  # brings Dask

    if address is not None and address.startswith("tls:"):
        known = distributed.Security().get_connection_args("client").get("ssl_context")
        if known is None:
            accepted = "certificates beside tls://, which Dask's configuration names (distributed.comm.tls)"
            raise InputError("sawtooth", OPTION, address, accepted, "docs/clusters.md says how")
    with local(default_threads()) if address is None else nullcontext(address) as place:
        try:
            client = distributed.Client(place, set_as_default=False)
        except (OSError, ValueError) as error:
            why = str(error).splitlines()[0]
            raise ClusterError(f"no scheduler of Dask answers at {OPTION} {address} ({why})") from None
        try:
            yield client
        finally:
            with suppress(OSError):  # too late, or the scheduler is gone: the runs are there
                client.close(timeout=CLOSE_S)


__all__ = ["Cluster", "cluster"]
