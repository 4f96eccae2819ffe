"""Outcomes of a study that were read before. Reading the runs of a paper one by one takes most of the time of judging it.

    <store>/read/<key>.parquet

The file has the run ids and metrics of a study's cells, in the order of the plan. The key is the hash of the study and its plan. The
outcomes are taken from there under three conditions:

- The program that read them is the same (`program`).
- Every scenario, resolved with the first of its seeds, has the run id that stands there. So the files that it names, such as a trace, are
  as they were, and the engine behaves as it did.
- Every run is in the store. One that was removed is made again.

Otherwise the runs are read. Outcomes with more than metrics (flows, measures, series, delays) are not kept. A file that cannot be read or
written costs time, and nothing else. Damage to a stored run is not noticed here; `sawtooth store verify` looks for it.

| parameter | unit | default | why                                    |
|-----------|------|---------|----------------------------------------|
| FEWEST    | runs | 512     | fewer are read in half a second        |

Source: none.
"""

from __future__ import annotations

import contextlib
import json
from collections.abc import Mapping, Sequence
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Final, Protocol

import pyarrow as pa
import pyarrow.parquet as pq

from sawtooth.atomic import write_bytes_atomic
from sawtooth.plain import canonical
from sawtooth.program import program
from sawtooth.run.outcome import Outcome
from sawtooth.run.run import run_id_of
from sawtooth.run.store import Store
from sawtooth.run.tally import outcomes_of, table_of
from sawtooth.run.used import note

if TYPE_CHECKING:
    from sawtooth.experiment.plan import Planned
    from sawtooth.experiment.study import Study
    from sawtooth.scenario.resolve import Resolved

FOLDER: Final = "read"
FEWEST: Final = 512
PROGRAM: Final = b"program"
BEHAVIOUR: Final = b"behaviour"
"""Keys of the file's footer."""


class OfStudy(Protocol):
    """What is seen of the jobs of a study (`perform.StudyJobs`)."""

    study: Study
    plan: list[Planned]

    @property
    def metrics_alone(self) -> bool: ...
    def __len__(self) -> int: ...
    def __getitem__(self, index: int, /) -> Resolved: ...


def recall(store: Store, jobs: OfStudy) -> list[Outcome] | None:
    """The outcomes of all jobs, in order, as they were read before; None where the runs have to be read. What they used is noted."""
    if not _is_kept(jobs):
        return None
    try:
        table = pq.ParquetFile(_place(store, jobs), page_checksum_verification=True).read()
        said = table.schema.metadata
        if said[PROGRAM].decode() != program():
            return None
        behaviour: Mapping[str, int] = json.loads(said[BEHAVIOUR])
        found = outcomes_of(table)
    except (pa.ArrowException, OSError, LookupError, ValueError, TypeError):
        return None
    if found is None or not _are_those(found, jobs) or not all(store.has(one.run_id) for one in found):
        return None
    note(behaviour)
    return found


def keep(store: Store, jobs: OfStudy, outcomes: Sequence[Outcome], behaviour: Mapping[str, int]) -> None:
    """Keeps the outcomes of all jobs, in order, of which the runs are in the store; ``behaviour`` is what they used."""
    if not _is_kept(jobs):
        return
    said = {PROGRAM: program().encode(), BEHAVIOUR: canonical(dict(behaviour)).encode()}
    sink = pa.BufferOutputStream()
    table = table_of(outcomes).replace_schema_metadata(said)
    pq.write_table(table, sink, compression="zstd", write_page_checksum=True)
    path = _place(store, jobs)
    with contextlib.suppress(OSError):
        path.parent.mkdir(parents=True, exist_ok=True)
        write_bytes_atomic(path, memoryview(sink.getvalue()))


def _is_kept(jobs: OfStudy) -> bool:
    return len(jobs) >= FEWEST and jobs.metrics_alone


def _are_those(found: Sequence[Outcome], jobs: OfStudy) -> bool:
    """Whether there is an outcome for each job, by number, and by id for the first job of every scenario."""
    plan = jobs.plan
    firsts = [at for at, one in enumerate(plan) if at == 0 or one.scenario is not plan[at - 1].scenario]
    return len(found) == len(jobs) and all(run_id_of(jobs[at]) == found[at].run_id for at in firsts)


def _place(store: Store, jobs: OfStudy) -> Path:
    seeds = "\n".join(planned.seed for planned in jobs.plan)
    text = f"{jobs.study.model_dump_json()}\n{seeds}"
    return store.path / FOLDER / f"{sha256(text.encode()).hexdigest()[:32]}.parquet"
