"""The series `packets`, from the key of a scenario file through `run --store` to the table that is read back."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING

from sawtooth.run.store import Store
from sawtooth.scenario.described import describe

if TYPE_CHECKING:
    from tests.conftest import CommandLine


def test_the_way_of_every_packet_can_be_read_from_the_store(
    sawtooth: CommandLine, scenario_file: Path, tmp_path: Path
) -> None:
    scenario_file.write_text(
        scenario_file.read_text().replace('"1 s"', '"0 s"') + "\n[record]\npackets = true\n"
    )
    document = sawtooth("run", scenario_file, "--store", tmp_path / "kept", "--json").json
    run = Store(tmp_path / "kept").get(document["run_id"])
    assert run is not None
    assert set(run.records) == {"packets"}
    (codes,) = [
        column["codes"]
        for row in describe()["series"]
        for column in row["columns"]
        if (row["name"], column["name"]) == ("packets", "event")
    ]
    rows = run.records["packets"].to_pylist()
    counts = Counter((row["flow"], codes[row["event"]]) for row in rows)
    for flow in document["flows"]:
        found = {code: counts[flow["id"], code] for code in codes}
        assert found["sent"] + found["sent again"] == flow["sent"] > 100
        assert found["sent again"] == flow["retransmits"]
        assert found["arrived"] == flow["delivered"]
        assert found["dropped at a queue"] == flow["drops"]
        assert 0 < found["acknowledged"] <= found["arrived"] + found["arrived again"]
    assert sum(flow["drops"] for flow in document["flows"]) > 10
    assert rows == sorted(rows, key=lambda row: row["time_ns"])
