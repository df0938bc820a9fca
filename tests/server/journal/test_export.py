"""Matches read back from a journal: what is listed of them, and their records."""

import contextlib
from pathlib import Path

import pytest

from racing_demon_protocol.engine.commit_reveal import contribution_hash
from racing_demon_protocol.records.format import Correction, read_records
from racing_demon_protocol.records.verify import verify
from racing_demon_protocol.wire.codec import VERSION, encode
from racing_demon_protocol.wire.messages import client as cl
from racing_demon_protocol.wire.messages import events as ev
from racing_demon_protocol.wire.messages.server import Accepted, Snapshot
from racing_demon_protocol.wire.options import Options
from racing_demon_server.journal.matches import Match, export, matches
from racing_demon_server.journal.reader import log_of
from racing_demon_server.journal.sqlite.database import open_journal
from tests.support.journals import journaled, play_match
from tests.support.servers import Peer
from tests.support.tables import SECOND, Sitting, of_type


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """Return where a journal is to be."""
    return tmp_path / "journal.sqlite"


def listed(path: Path) -> list[Match]:
    """Return the matches of a journal."""
    with contextlib.closing(open_journal(path)) as db:
        return list(matches(db))


def exported(path: Path) -> list[str]:
    """Return the lines of all records of a journal."""
    with contextlib.closing(open_journal(path)) as db:
        return [line for match in matches(db) for line in export(db, match)]


async def test_a_match_has_the_game_that_was_chosen_last(path: Path) -> None:
    """A host may open a table with one game, and choose another before the match begins."""
    async with journaled(path) as served, Peer.hosting(served.url, countdown_ms=0) as ann:
        await ann.ask(cl.SetOptions, options=Options(game="classic", countdown_ms=0))
        await ann.ask(cl.AddBot, level="easy")
        await ann.ask(cl.Start)
        await ann.until(ev.Signalled)
    assert [match.game for match in listed(path)] == ["classic"]


async def test_a_void_draw_belongs_to_the_match_that_begins_with_it(path: Path) -> None:
    """The record proves who did not reveal. Older programs, which do not know that, refuse its version."""
    async with (
        journaled(path) as served,
        Peer.hosting(served.url, hands=1) as ann,
        Peer.entered(served.url, cl.Join(code=ann.code, name="Ben")) as ben,
        Peer.entered(served.url, cl.Join(code=ann.code, name="Cat")),
    ):
        await ann.follow(served.registry.room(ann.code).table.view.seq)
        for peer in (ann, ben):
            assert await _contribute(peer)
        await ann.ask(cl.Start)
        await ann.ask(cl.Reveal, value=bytes([ann.place.seat or 0] * 32).hex())
        assert (await ann.until(ev.Prepared)).hand_id.endswith("/1/1.2")
        await ann.until(ev.Signalled)
        await ann.ask(cl.Kick, seat=2)
        await ann.say(ann.next(cl.Stuck, seen=ann.view.seq))
        await ann.until(ev.MatchOver)
    (match,) = listed(path)
    (record,) = read_records(exported(path))
    assert match.hands == 1
    assert record.header is not None
    assert record.header.version == 3
    assert verify(entry.message for entry in record.entries).redrawn == ("Ben",)


async def _contribute(peer: Peer) -> bool:
    """Let a peer commit to bytes that say its seat."""
    coming, seat = peer.view.next_shuffle, peer.place.seat
    assert coming is not None
    assert seat is not None
    hashed = contribution_hash(bytes([seat] * 32), coming.commitment, coming.hand_id, seat)
    return isinstance(await peer.ask(cl.Contribute, commitment=hashed), Accepted)


def test_a_match_is_listed_in_full(path: Path) -> None:
    """Its name with its process's number, times, hands, players, each bot once; one that runs has no end."""
    sitting = Sitting.lobby(1, game="classic", hands=2, countdown_ms=0, tally_ms=0)
    sitting.events(0, cl.AddBot, level="hard")
    for hand in range(3):  # two hands are a match, and the third begins the next one
        if hand != 1:
            sitting.events(0, cl.Start)
        else:
            sitting.events(0, cl.Ready, ready=True)
        sitting.wait(SECOND)
        for seat in (0, 1) if hand < 2 else ():
            sitting.events(seat, cl.Stuck)
    names = {seat: sitting.mirror.player(seat) for seat in (0, 1)}
    with contextlib.closing(open_journal(path, write=True)) as db:
        values = (
            1,
            "TEST",
            1,
            sitting.options.model_dump_json(),
            b"",
            None,
            "0.1.0",
            VERSION,
            0,
            None,
            None,
            1,
        )
        db.execute(f"INSERT INTO tables VALUES ({', '.join('?' * len(values))})", values)  # noqa: S608
        rows = [(event.seq, event.TAG, 1_000 * event.seq, encode(event)) for event in sitting.log]
        db.executemany("INSERT INTO events VALUES (NULL, 1, ?, ?, 0, ?, ?)", rows)
        first, second = (match.as_json() for match in matches(db, "2-"))
        assert [match.id for match in matches(db)] == ["1.1", "1.2"]
    begins = [event.seq for event in of_type(ev.Committed, sitting.log) if event.hand == 1]
    (over,) = of_type(ev.MatchOver, sitting.log)
    assert {"0": "Ann", "1": names[1]} == first["seats"]
    common = {"code": "TEST", "game": "classic", "seats": first["seats"], "bots": [1]}
    assert first == {
        "id": "2-1.1",
        "started_ms": 1_000 * begins[0],
        "ended_ms": 1_000 * over.seq,
        "hands": 2,
        "finished": True,
        **common,
    }
    assert second == {
        "id": "2-1.2",
        "started_ms": 1_000 * begins[1],
        "ended_ms": None,
        "hands": 0,
        "finished": False,
        **common,
    }


async def test_what_was_said_of_a_match_ends_its_record(path: Path) -> None:
    """In the order in which it was said, and behind its own match alone."""
    notes = [Correction(at_ms=at, by="Ann", why="A slip.", seat=0, points=-2) for at in (2, 1)]
    async with journaled(path, bot_speed=1_000.0) as served:
        for _ in range(2):
            await play_match(served.url)
    _, second = listed(path)
    with contextlib.closing(open_journal(path, write=True)) as db:
        for note in notes:
            db.correct(second.key, note.model_dump_json())
    assert [[], notes] == [record.corrections for record in read_records(exported(path))]


async def test_a_record_has_all_events_of_its_match_with_their_times(path: Path) -> None:
    """From its beginning to its end, whatever came before and after; the table stands before them."""
    async with journaled(path, bot_speed=1_000.0) as served, Peer.hosting(served.url, seated=False) as host:
        for _ in range(2):
            await host.ask(cl.AddBot, level="hard")
        await host.ask(cl.SetOptions, options=Options(hands=2, countdown_ms=0, tally_ms=0))
        for _ in range(2):
            await host.ask(cl.Start)
            await host.until(ev.MatchOver)
    records = list(read_records(exported(path)))
    with contextlib.closing(open_journal(path)) as db:
        kept = {event.seq: (at_us, at_ms) for event, at_us, at_ms in log_of(db, 1)}
    for match, record in zip(listed(path), records, strict=True):
        assert match.last is not None
        assert record.header is not None
        software = f"racing-demon-server {match.table.software}"
        header = record.header
        assert (match.id, "server", software) == (header.id, header.kept_by, header.software)
        table, *_ = record.entries
        assert isinstance(table.message, Snapshot)
        assert (table.message.elapsed_ms, match.hands) == (0, 2)
        assert kept[match.first] == (table.at_us, table.at_ms)
        told = [
            (entry.message.seq, entry.at_us, entry.at_ms)
            for entry in record.entries
            if isinstance(entry.message, ev.Event)
        ]
        assert [(seq, *kept[seq]) for seq in range(match.first, match.last + 1)] == told
