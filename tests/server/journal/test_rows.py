"""A server that is started anew on its journal: tables, seats, tokens, answers, passphrases."""

import asyncio
import contextlib
import sqlite3
import time
from pathlib import Path

import pytest

from racing_demon_protocol.enums import CloseCode, Phase, Reason
from racing_demon_protocol.wire.messages import client as cl
from racing_demon_protocol.wire.messages import events as ev
from racing_demon_protocol.wire.messages.server import Accepted, Refused, Snapshot
from racing_demon_server.journal.sqlite.database import open_journal
from tests.support.journals import journaled, overwrite_page
from tests.support.restartable_server import wait_until
from tests.support.servers import Peer, logged_warnings

pytestmark = pytest.mark.usefixtures("quick_hashes")

WORDS = "open sesame"


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """Return where a journal is to be."""
    return tmp_path / "journal.sqlite"


def count(path: Path, sql: str) -> int:
    """Return what anybody else counts in a journal."""
    with contextlib.closing(open_journal(path)) as db:
        return int(db.execute(sql).fetchone()[0])


async def resume(peer: Peer, old: Peer, seq: int) -> None:
    """Come back to a seat by its token."""
    await peer.greet()
    await peer.enter(cl.Resume(code=old.code, token=old.token, seq=seq, epoch=old.place.epoch))


async def test_seats_and_numbers_are_as_they_were(path: Path) -> None:
    """In the lobby and in a hand: the same code, seat and token, and the next number of the log."""
    async with journaled(path) as served, Peer.hosting(served.url) as ann:
        await ann.ask(cl.AddBot, level="easy")
        await ann.ask(cl.Start)
        await ann.until(ev.Signalled)
        seq, view = ann.view.seq, ann.view
    async with journaled(path) as served, Peer.connect(served.url) as back:
        await resume(back, ann, 0)
        snapshot = await back.until(Snapshot)
        assert snapshot.seq > seq
        assert (view.code, view.hand_id, view.commitment) == (
            snapshot.code,
            snapshot.hand_id,
            snapshot.commitment,
        )
        assert (0, ann.counter) == (back.place.seat, back.place.counter)
        await back.until(ev.Continued)
        assert Phase.PLAYING is back.view.phase


async def test_a_host_without_a_seat_comes_back(path: Path) -> None:
    """Though nothing else has happened at the table: the place is kept with its token."""
    async with journaled(path) as served, Peer.hosting(served.url, seated=False) as host:
        pass
    async with journaled(path) as served, Peer.connect(served.url) as back:
        await resume(back, host, 0)
        await back.until(Snapshot)
        assert isinstance(await back.ask(cl.AddBot, level="easy"), Accepted)


async def test_what_was_missed_is_given(path: Path) -> None:
    """Whoever comes back with a number gets the events after it, from before the restart, too."""
    async with journaled(path) as served, Peer.hosting(served.url) as ann:
        seq = ann.view.seq
        for wanted in (True, False):
            await ann.ask(cl.Ready, ready=wanted)
    async with journaled(path) as served, Peer.connect(served.url) as back:
        await resume(back, ann, seq)
        missed = [await back.hear() for _ in range(3)]
    assert [type(message).__name__ for message in missed] == ["Readied", "Readied", "Connected"]
    assert [seq + 1, seq + 2, seq + 3] == [message.seq for message in missed if isinstance(message, ev.Event)]


async def test_a_command_is_answered_again_and_not_carried_out_again(path: Path) -> None:
    """After a restart, too, the newest command has its first answer, and an older one is called repeated."""
    async with journaled(path) as served, Peer.hosting(served.url) as ann:
        first = await ann.ask(cl.AddBot, level="easy")
        refused = await ann.ask(cl.RemoveBot, seat=7)
    async with journaled(path) as served, Peer.connect(served.url) as back:
        await resume(back, ann, 0)
        assert refused == await back.ask_again(cl.RemoveBot(counter=2, seat=7))
        repeated = await back.ask_again(cl.AddBot(counter=1, level="easy"))
        assert isinstance(first, Accepted)
        assert isinstance(repeated, Refused)
        assert Reason.REPEATED is repeated.reason
        assert len(back.view.seats) == 2


async def test_a_command_between_its_commit_and_its_answer_counts_once(path: Path, tmp_path: Path) -> None:
    """A server that dies when it has written and not yet told answers later, and does nothing twice."""
    async with journaled(path) as served, Peer.hosting(served.url) as ann:
        command = ann.next(cl.AddBot, level="easy")
        await ann.say(command)
        joined = "SELECT count(*) FROM events WHERE kind = 81"
        until_there = time.monotonic() + 10
        while count(path, joined) < 2 and time.monotonic() < until_there:
            await asyncio.sleep(0)  # the loop may take the command, and then stands still while it is written
            if served.registry.room(ann.code)._commit_queue.unwritten:
                while count(path, joined) < 2 and time.monotonic() < until_there:
                    time.sleep(0.001)  # noqa: ASYNC251 - nothing may be told now
        died = tmp_path / "died.sqlite"
        with contextlib.closing(open_journal(path)) as db, contextlib.closing(sqlite3.connect(died)) as copy:
            db.backup(copy)
        assert served.registry.room(ann.code)._commit_queue.unwritten == 1
        assert len(served.registry.room(ann.code).shown.view.seats) == 1
    async with journaled(died) as served, Peer.connect(served.url) as back:
        await resume(back, ann, ann.view.seq)
        answer = await back.ask_again(command)
        assert isinstance(answer, Accepted)
    assert count(died, joined) == 2


async def test_a_passphrase_is_asked_for_as_before(path: Path) -> None:
    """Of it the journal has a salted hash, and nothing else."""
    options = cl.Create(name="Ann", passphrase=WORDS)
    async with journaled(path) as served, Peer.entered(served.url, options) as ann:
        pass
    async with journaled(path) as served, Peer.connect(served.url) as other:
        await other.greet()
        for words, reason in (("close", Reason.BAD_PASSPHRASE), ("", Reason.BAD_PASSPHRASE)):
            await other.say(cl.Join(code=ann.code, name="Ben", passphrase=words))
            refused = await other.hear()
            assert isinstance(refused, Refused)
            assert reason is refused.reason
        assert (await other.enter(cl.Join(code=ann.code, name="Ben", passphrase=WORDS))).seat == 1
        assert (await other.until(Snapshot)).locked
    assert b"sesame" not in path.read_bytes()


async def test_no_token_is_in_the_journal(path: Path) -> None:
    """Of tokens it has the hashes; a copy of the file opens no seat."""
    async with journaled(path) as served, Peer.hosting(served.url) as ann:
        await ann.ask(cl.Ready)
        token = ann.token
    everything = b"".join(file.read_bytes() for file in path.parent.glob("journal.sqlite*"))
    assert token.encode() not in everything
    assert bytes.fromhex(token) not in everything


async def test_a_host_without_a_seat_is_host_again(path: Path) -> None:
    """The token of somebody who only watches and directs opens that place."""
    async with journaled(path) as served, Peer.hosting(served.url, seated=False) as host:
        await host.ask(cl.AddBot, level="easy")
    async with journaled(path) as served, Peer.connect(served.url) as back:
        await resume(back, host, 0)
        assert back.place.seat is None
        assert isinstance(await back.ask(cl.AddBot, level="easy"), Accepted)


async def test_bots_play_on(path: Path) -> None:
    """Bots sit down again by themselves, and finish the match."""
    async with journaled(path, bot_speed=100.0) as served:
        async with Peer.hosting(served.url, seated=False, hands=1) as host:
            for _ in range(2):
                await host.ask(cl.AddBot, level="hard")
            await host.ask(cl.Start)
            for _ in range(20):
                await host.until(ev.Played)
    async with journaled(path, bot_speed=100.0) as served, Peer.connect(served.url) as back:
        await resume(back, host, 0)
        await back.until(Snapshot)
        while back.view.phase is not Phase.OVER:
            await back.hear()


async def test_somebody_sent_away_stays_away(path: Path) -> None:
    """A token that opens nothing any more opens nothing after a restart either."""
    async with journaled(path) as served, Peer.hosting(served.url) as ann:
        async with Peer.entered(served.url, cl.Join(code=ann.code, name="Ben")) as ben:
            await ann.ask(cl.Kick, seat=1)
            assert (await ben.closed()).code == CloseCode.KICKED
    async with journaled(path) as served, Peer.connect(served.url) as back:
        await back.greet()
        await back.say(cl.Resume(code=ann.code, token=ben.token))
        refused = await back.hear()
        assert isinstance(refused, Refused)
        assert Reason.BAD_TOKEN is refused.reason


async def test_a_table_that_is_closed_stays_closed(path: Path, caplog: pytest.LogCaptureFixture) -> None:
    """Nobody connected for long: the table ends, which is no trouble, and is not there after a restart."""
    async with journaled(path, idle_table_seconds=0.05) as served:
        async with Peer.hosting(served.url):
            pass
        await wait_until(lambda: len(served.registry) == 0)
    async with journaled(path) as served:
        assert len(served.registry) == 0
    assert count(path, "SELECT count(*) FROM tables WHERE closed_ms IS NOT NULL") == 1
    assert logged_warnings(caplog) == []


@pytest.mark.long
@pytest.mark.parametrize(
    ("damage", "why"),
    [
        ("UPDATE tables SET protocol = 99", "version 99 of the protocol"),
        ("UPDATE tables SET options = '{\"game\": 5}'", "its options are unknown here"),
        ('UPDATE tables SET options = \'{"game": "bridge"}\'', "bridge"),
        ("UPDATE events SET frame = x'93cd2710' WHERE seq = 2", "event 2 is not understood"),
        ("DELETE FROM events WHERE seq = 2", "event 3 after event 1"),
        ("DELETE FROM seeds", "the secret of hand"),
        ("UPDATE seeds SET seed = zeroblob(32)", "is not the one that was promised"),
        ("UPDATE claims SET reply = x'c0'", "an answer is not understood"),
    ],
)
async def test_a_table_that_cannot_go_on_is_left_in_the_journal(
    path: Path, damage: str, why: str, caplog: pytest.LogCaptureFixture
) -> None:
    """Others go on; the log says which table does not and why, and nothing of it is thrown away."""
    async with journaled(path) as served, Peer.hosting(served.url) as ann:
        await ann.ask(cl.AddBot, level="easy")
        await ann.ask(cl.Start)
        await ann.until(ev.Signalled)
    with contextlib.closing(sqlite3.connect(path)) as db:
        db.execute(damage)
        db.commit()
    events = count(path, "SELECT count(*) FROM events")
    caplog.clear()
    async with journaled(path) as served:
        assert len(served.registry) == 0
        assert logged_warnings(caplog) == ["a table cannot go on here; it stays in the journal"]
        (record,) = [each for each in caplog.records if hasattr(each, "why")]
        assert (ann.code, True) == (record.table, why in record.why)  # type: ignore[attr-defined]
        async with Peer.hosting(served.url) as other:
            await other.ask(cl.Ready)
    assert count(path, "SELECT count(*) FROM events WHERE table_id = 1") == events
    assert count(path, "SELECT count(*) FROM tables WHERE closed_ms IS NULL") == 2


async def test_a_table_on_a_damaged_page_is_left_in_the_journal(
    path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """What the disk has lost is told as other damage to one table is: in a line."""
    async with journaled(path) as served, Peer.hosting(served.url) as ann:
        await ann.ask(cl.Ready)
    overwrite_page(path, "claims")
    async with journaled(path) as served:
        assert len(served.registry) == 0
        assert logged_warnings(caplog) == ["a table cannot go on here; it stays in the journal"]
        (record,) = [each for each in caplog.records if hasattr(each, "why")]
        assert (record.exc_info, "malformed" in record.why) == (None, True)


async def _second_commitment(peer: Peer) -> str:
    """Be ready, as the tally waits for whoever plays alone, and return what the next deal is committed to."""
    await peer.ask(cl.Ready)
    while peer.view.hand_number < 2:
        await peer.hear()
    return peer.view.commitment or ""


async def test_cards_follow_from_the_seed_after_a_restart_too(path: Path, tmp_path: Path) -> None:
    """A server with a seed deals the second hand as it would have without a restart."""
    commitments = []
    for file, restarts in ((path, True), (tmp_path / "other.sqlite", False)):
        async with contextlib.AsyncExitStack() as stack:
            served = await stack.enter_async_context(journaled(file, seed=bytes(32)))
            ann = await stack.enter_async_context(Peer.hosting(served.url, hands=3))
            await ann.ask(cl.Start)
            await ann.until(ev.Signalled)
            await ann.ask(cl.Stuck)
            if not restarts:
                commitments.append(await _second_commitment(ann))
        if restarts:
            async with journaled(file, seed=bytes(32)) as served, Peer.connect(served.url) as back:
                await resume(back, ann, 0)
                await back.until(Snapshot)
                commitments.append(await _second_commitment(back))
    assert commitments[0] == commitments[1]
