"""Records are made a piece at a time, for who waits for them, and kept within a budget."""

import asyncio
import queue
import random
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest

from racing_demon_protocol.records.summary import MatchSummary, PlayerSummary
from racing_demon_protocol.wire.messages import client as cl
from racing_demon_protocol.wire.messages.events import MatchOver
from racing_demon_server.enums import StandingsAccess
from racing_demon_server.journal import matches as making
from racing_demon_server.journal.matches import RecordMaker, export, matches
from racing_demon_server.journal.sqlite.database import reading
from racing_demon_server.results.keeper import ResultsKeeper
from racing_demon_server.results.records import RecordVersion, RecordVersions
from tests.support.journals import journaled
from tests.support.servers import PATIENCE, Peer, timeout

MATCH = MatchSummary(
    game="classic",
    players=(PlayerSummary(seat=0, name="Ann", player="a"), PlayerSummary(seat=1, name="Ben")),
    hands=(),
    winners=(),
    finished=True,
)
NOBODY = frozenset[int]()


def held(records: RecordVersions, version: str, pieces: int, *, is_last: bool = True) -> RecordVersion:
    """Return a record of which so many pieces were made."""
    record = RecordVersion(version, MATCH, NOBODY, cast("RecordMaker", SimpleNamespace(match=None)))
    records.begin(record)
    for number in range(1, pieces + 1):
        records.add(record, random.Random(version).randbytes(1_000), is_last=is_last and number == pieces)
    return record


@pytest.mark.long
@pytest.mark.parametrize("game", ["racing-demon", "demon-b"])
async def test_pieces_of_any_size_are_the_same_record(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, game: str
) -> None:
    """Also where many plays that only their players see follow one event."""
    journal, records = tmp_path / "journal.sqlite", []
    async with journaled(journal, bot_speed=100.0) as served:
        async with Peer.hosting(served.url, game=game, seated=False, hands=1, time_limit_ms=60_000) as host:
            for _ in range(2):
                await host.ask(cl.AddBot, level="hard")
            await host.ask(cl.Start)
            await host.until(MatchOver)
    for size in (7, 100_000):
        monkeypatch.setattr(making, "PIECE", size)
        with reading(journal) as db:
            records.append([line for match in matches(db) for line in export(db, match)])
    assert len(records[0]) > 50
    assert records[0] == records[1]


def test_records_are_kept_within_a_budget() -> None:
    """What nobody has asked for the longest goes first; what is longer than all of it is made, not kept."""
    records = RecordVersions(budget=3_500)
    for version in ("first", "second", "third"):
        held(records, version, 1)
    assert records.find("first") is not None
    held(records, "unfinished", 1, is_last=False)  # its reader has gone
    held(records, "fourth", 1)
    kept = [version for version in ("first", "second", "third", "fourth") if records.find(version)]
    assert kept == ["first", "third", "fourth"]
    reading_it = records.find("fourth")
    long = held(records, "long", 4)
    assert (long.maker, long.pieces, records.find("long")) == (None, [], None)
    assert reading_it is not None
    assert records.size == reading_it.size


def test_a_record_that_names_somebody_who_was_forgotten_is_dropped() -> None:
    """Whoever is reading it gets no more of it, and nobody else gets it."""
    records = RecordVersions()
    read, other = held(records, "read", 1), held(records, "other", 1, is_last=False)
    records.drop_others(lambda _: NOBODY)
    assert records.find("read") is read
    records.drop_others(lambda _: frozenset({0}))
    assert (read.is_dropped, other.is_dropped, records.find("read"), records.size) == (True, True, None, 0)


class Pieces:
    """A worker that makes pieces of a record, each when the test lets it.

    Attributes:
        made: what was asked of it, in order.

    """

    def __init__(self) -> None:
        self.made: list[str] = []
        self.turns = queue.SimpleQueue[None]()
        self.shared_seconds = 0.0
        self.close = self.reload_names = lambda: None

    def next_piece(self, record: Any) -> bytes:
        """Make a piece; there are three."""
        self.turns.get(timeout=PATIENCE)
        self.made.append("piece")
        if self.made.count("piece") == 3:
            record.maker = None
        return b"piece"


@asynccontextmanager
async def keeping(worker: Pieces) -> AsyncIterator[ResultsKeeper]:
    """Start a keeper with a worker."""
    maker = SimpleNamespace(
        unfinished=list, apply_corrections=lambda: None, close=lambda: None, is_shared=False
    )
    keeper = ResultsKeeper(StandingsAccess.OFF, lambda: cast("Any", (maker, worker)))
    keeper.start()
    try:
        yield keeper
    finally:
        await keeper.close()


async def test_a_question_waits_for_one_piece_at_most() -> None:
    """However long a record is, and however many people read some, others are answered between pieces."""
    worker, charged = Pieces(), list[float]()
    async with keeping(worker) as keeper:
        records = [cast("Any", SimpleNamespace(maker=True, is_dropped=False)) for _ in range(5)]
        first, *others = [keeper.pieces(record, lambda: 0, charged.append) for record in records]
        readers = [asyncio.ensure_future(anext(each)) for each in (first, *others)]
        await asyncio.sleep(0)
        answer = asyncio.ensure_future(
            keeper.ask("b", lambda worker: cast("Any", worker).made.append("answer"))
        )
        for _ in readers:
            worker.turns.put(None)
        await timeout(PATIENCE, answer)
        await timeout(PATIENCE, asyncio.gather(*readers))
    assert "answer" in worker.made[:2]
    assert len(charged) == len(readers)


async def test_what_a_piece_has_cost_is_paid_before_the_next() -> None:
    """And nothing more is made for a reader who has gone."""
    worker, owed = Pieces(), [0, 0, 10**9]
    async with keeping(worker) as keeper:
        record = cast("Any", SimpleNamespace(maker=True, is_dropped=False))
        pieces = keeper.pieces(record, lambda: owed.pop(0), lambda _: None)
        for _ in range(3):
            worker.turns.put(None)
        assert [await anext(pieces), await anext(pieces)] == [b"piece"] * 2
        third = asyncio.ensure_future(anext(pieces))
        await asyncio.sleep(0)
        third.cancel()
        with pytest.raises(asyncio.CancelledError):
            await third
    assert (worker.made, owed) == (["piece"] * 2, [])


async def test_what_is_kept_of_a_record_is_paid_by_each_reader() -> None:
    """To send a long record again costs less than to make it, but not nothing: each piece is paid for."""
    charged, waits = list[float](), [0, 0, 1]
    async with keeping(Pieces()) as keeper:
        record = held(RecordVersions(), "whole", 3)
        pieces = [piece async for piece in keeper.pieces(record, lambda: waits.pop(0), charged.append)]
    assert [len(each) for each in pieces] == [1_000] * 3
    assert len(charged) == 3
    assert min(charged) > 0
    assert waits == []
