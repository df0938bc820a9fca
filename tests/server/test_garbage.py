"""Garbage collection in small bites."""

import asyncio
import gc
import weakref
from collections.abc import Iterator

import pytest

from racing_demon_protocol.messages import client as cl
from racing_demon_protocol.messages.server import Pong
from racing_demon_server import garbage

from ..support.servers import Peer, serving


class Node:
    """Something that can keep itself alive."""

    def __init__(self) -> None:
        self.itself = self


@pytest.fixture(autouse=True)
def _as_it_was() -> Iterator[None]:
    """Leave the collector as it was."""
    thresholds, callbacks = gc.get_threshold(), list(gc.callbacks)
    yield
    gc.callbacks[:] = callbacks
    gc.set_threshold(*thresholds)
    gc.unfreeze()


def test_what_lives_is_looked_at_once() -> None:
    """After a full collection nothing of what it left is looked through again."""
    garbage.begin()
    kept = [[number] for number in range(10_000)]
    gc.collect()
    assert len(gc.get_objects()) < 1_000
    assert 10_000 <= gc.get_freeze_count()
    assert len(kept) == 10_000


def test_full_collections_come_early() -> None:
    """While much comes that stays, no full collection finds more than some thousands of objects."""
    garbage.begin()
    found: list[int] = []

    def count(phase: str, _: dict[str, int]) -> None:
        if phase == "start":
            found.append(len(gc.get_objects()))

    gc.callbacks.insert(0, count)
    kept = [[number] for number in range(200_000)]
    assert max(found) < 15_000
    assert len(kept) == 200_000


def test_a_sweep_frees_what_refers_to_itself() -> None:
    """What was frozen, and refers to itself alone, is freed by a sweep."""
    garbage.begin()
    node = Node()
    gc.collect()
    there = weakref.ref(node)
    del node
    gc.collect()
    assert there() is not None
    garbage.sweep()
    assert there() is None


async def test_a_lost_connection_is_freed_at_once() -> None:
    """Nothing of ours keeps a connection and its session alive until somebody looks for garbage."""
    gc.disable()
    try:
        async with serving() as server:
            async with Peer.connect(server.url) as peer:
                await peer.greet()
                await peer.say(cl.Ping(stamp=1))
                await peer.until(Pong)
                there = weakref.ref(server.newest()), weakref.ref(server.newest()._session)  # type: ignore[attr-defined]
            async with asyncio.timeout(10):
                while any(each() is not None for each in there):  # noqa: ASYNC110 - nobody here could tell of it
                    await asyncio.sleep(0.01)
    finally:
        gc.enable()


@pytest.mark.parametrize(
    ("closed", "is_played", "is_due"),
    [(99, False, False), (100, False, True), (19_999, True, False), (20_000, True, True)],
)
def test_when_a_sweep_is_due(closed: int, is_played: bool, is_due: bool) -> None:
    """Soon while nobody plays; else when some 50 MB may be waiting."""
    assert is_due is garbage.is_due(closed, is_played=is_played)
