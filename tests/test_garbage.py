"""The collector looks seldom while many runs are made, and as before when they are."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from pathlib import Path

import pytest

import sawtooth
from sawtooth.garbage import OBJECTS, seldom_collected


@pytest.fixture(autouse=True)
def unchanged() -> Iterator[None]:
    before = gc.get_threshold()
    yield
    gc.set_threshold(*before)


def test_blocks_within_each_other() -> None:
    gc.set_threshold(700, 11, 12)
    with seldom_collected():
        with seldom_collected():
            assert gc.get_threshold() == (OBJECTS, 11, 12)
        assert gc.get_threshold() == (OBJECTS, 11, 12), "the outer block goes on"
    assert gc.get_threshold() == (700, 11, 12)


def test_a_fault_ends_the_block() -> None:
    gc.set_threshold(700, 11, 12)

    def faulty() -> None:
        with seldom_collected():
            raise ValueError("a fault")

    with pytest.raises(ValueError, match="a fault"):
        faulty()
    assert gc.get_threshold() == (700, 11, 12)


def test_blocks_that_overlap() -> None:
    """Two sweeps in threads of one process: the one that began first ends first."""
    gc.set_threshold(700, 11, 12)
    first, second = seldom_collected(), seldom_collected()
    first.__enter__()
    second.__enter__()
    first.__exit__(None, None, None)
    assert gc.get_threshold() == (OBJECTS, 11, 12)
    second.__exit__(None, None, None)
    assert gc.get_threshold() == (700, 11, 12)


@pytest.mark.parametrize("objects", [0, 100_000])
def test_a_collector_that_is_off_or_looks_more_seldom_is_let_be(objects: int) -> None:
    gc.set_threshold(objects, 11, 12)
    with seldom_collected():
        assert gc.get_threshold() == (objects, 11, 12)
    assert gc.get_threshold() == (objects, 11, 12)


def test_what_a_public_name_needs_loads_within_a_block(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "looks_at_the_collector.py").write_text("import gc\n\nfound = gc.get_threshold()[0]\n")
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setitem(sawtooth._HOMES, "found", "looks_at_the_collector")
    gc.set_threshold(700, 11, 12)
    assert sawtooth.__getattr__("found") == OBJECTS
    monkeypatch.delattr(sawtooth, "found")
    assert gc.get_threshold() == (700, 11, 12)
