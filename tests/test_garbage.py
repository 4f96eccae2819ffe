"""The collector looks seldom while many runs are made, and as before when they are."""

from __future__ import annotations

import gc
from collections.abc import Iterator

import pytest

from sawtooth.run.garbage import OBJECTS, seldom_collected


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
