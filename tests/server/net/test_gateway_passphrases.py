"""Passphrases of tables in a journal, over real sockets: stored by a slow hash, which holds nothing up."""

import asyncio
import contextlib
import hashlib
import sqlite3
import threading
from collections.abc import Iterator
from contextlib import AsyncExitStack
from pathlib import Path

import pytest

from racing_demon_protocol.enums import CloseCode, Reason
from racing_demon_protocol.wire.messages import Message
from racing_demon_protocol.wire.messages import client as cl
from racing_demon_protocol.wire.messages.server import Accepted, Refused, Seated
from racing_demon_protocol.wire.options import Options
from racing_demon_server.tables import passphrase as passphrases
from tests.support.journals import journaled
from tests.support.servers import PATIENCE, Peer, Served, serving, timeout

pytestmark = pytest.mark.usefixtures("quick_hashes")

SLOW = passphrases.slow_hash
OPENS = "open sesame"
OPENING = cl.Create(name="Ann", passphrase=OPENS)
CODE = "ACDE"
WISHES = [cl.Join(code=CODE, name="Ben"), cl.Watch(code=CODE)]


@pytest.fixture
def gate(quick_hashes: None, monkeypatch: pytest.MonkeyPatch) -> Iterator[threading.Event]:
    """Let the hash of a passphrase wait, in its thread, until this is set."""
    gate, slow_hash = threading.Event(), passphrases.slow_hash

    def waits(passphrase: str, salt: bytes) -> bytes:
        assert gate.wait(PATIENCE)
        return slow_hash(passphrase, salt)

    monkeypatch.setattr(passphrases, "slow_hash", waits)
    yield gate
    gate.set()


async def opened(path: Path) -> str:
    """Open a table with a passphrase in a journal, and return its code."""
    async with journaled(path) as served, Peer.entered(served.url, OPENING) as ann:
        return ann.code


def stored(path: Path) -> tuple[bytes, bytes]:
    """Return the salt and the hash that a journal keeps."""
    with contextlib.closing(sqlite3.connect(path)) as db:
        salt, kept = db.execute("SELECT salt, passphrase FROM tables").fetchone()
    return salt, kept


async def arrived(stack: AsyncExitStack, served: Served, *wishes: cl.Join | cl.Watch) -> Peer:
    """Let somebody say hello and wishes; the server has read all that."""
    peer = await stack.enter_async_context(Peer.connect(served.url))
    await peer.greet()
    for wish in wishes:
        await peer.say(wish)
    await timeout(PATIENCE, peer.socket.ping())
    return peer


def asking(wish: Message, code: str, passphrase: str = OPENS) -> cl.Join | cl.Watch:
    """Return a wish for a table."""
    asked = wish.model_copy(update={"code": code, "passphrase": passphrase})
    assert isinstance(asked, cl.Join | cl.Watch)
    return asked


async def test_a_journal_keeps_a_hash_that_is_slow_to_guess(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whoever has the journal needs time and memory for every guess."""
    monkeypatch.setattr(passphrases, "slow_hash", SLOW)
    path = tmp_path / "journal.sqlite"
    await opened(path)
    salt, kept = stored(path)
    slow = hashlib.scrypt(OPENS.encode(), salt=salt, n=2**14, r=8, p=5, dklen=32)
    assert kept == b"\x01" + slow


@pytest.mark.parametrize("wish", WISHES)
async def test_after_a_restart_the_passphrase_still_opens(wish: Message, tmp_path: Path) -> None:
    """A wrong one is refused, before and after the right one has let somebody in."""
    path = tmp_path / "journal.sqlite"
    code = await opened(path)
    async with journaled(path) as served, AsyncExitStack() as stack:
        for _ in range(2):
            ben = await arrived(stack, served)
            assert await ben.refusal(asking(wish, code, "open")) is Reason.BAD_PASSPHRASE
            await ben.enter(asking(wish, code))


async def test_older_hashes_open_their_tables_and_are_replaced(tmp_path: Path) -> None:
    """Whoever knows the passphrase of an older server's table enters as ever; then its hash is a slow one."""
    path = tmp_path / "journal.sqlite"
    code = await opened(path)
    salt, _ = stored(path)
    with contextlib.closing(sqlite3.connect(path)) as db, db:
        older = hashlib.blake2b(OPENS.encode(), salt=salt).digest()
        db.execute("UPDATE tables SET passphrase = ?", (older,))
    async with journaled(path) as served, AsyncExitStack() as stack:
        ben = await arrived(stack, served)
        assert await ben.refusal(asking(WISHES[0], code, "open")) is Reason.BAD_PASSPHRASE
        await ben.enter(asking(WISHES[0], code))
    assert stored(path) == (salt, passphrases.slow_hash(OPENS, salt))
    async with journaled(path) as served, AsyncExitStack() as stack:
        dan = await arrived(stack, served)
        await dan.enter(asking(WISHES[1], code))


async def test_others_play_while_a_passphrase_is_checked(gate: threading.Event, tmp_path: Path) -> None:
    """What is sent meanwhile by who is being checked waits, and is carried out in its order."""
    gate.set()
    path = tmp_path / "journal.sqlite"
    code = await opened(path)
    gate.clear()
    async with journaled(path) as served, AsyncExitStack() as stack:
        ben = await arrived(stack, served, asking(WISHES[0], code))
        for counter, text in enumerate("abc", start=1):
            await ben.say(cl.Say(counter=counter, text=text))
        dan = await stack.enter_async_context(Peer.hosting(served.url))
        await dan.ask(cl.Say, text="hello")
        gate.set()
        assert isinstance(await ben.until(Seated), Seated)
        assert [(await ben.until(Accepted)).counter for _ in range(3)] == [1, 2, 3]


async def test_who_leaves_while_being_checked_gets_no_seat(gate: threading.Event, tmp_path: Path) -> None:
    """The next one gets it."""
    gate.set()
    path = tmp_path / "journal.sqlite"
    code = await opened(path)
    gate.clear()
    async with journaled(path) as served:
        async with AsyncExitStack() as stack:
            await arrived(stack, served, asking(WISHES[0], code))
        gate.set()
        async with Peer.entered(served.url, asking(cl.Join(code=CODE, name="Cat"), code)) as cat:
            assert cat.place.seat == 1


async def test_what_changes_while_a_passphrase_is_checked_counts(
    gate: threading.Event, tmp_path: Path
) -> None:
    """The right one opens no table that has filled, or closed its entry, or is gone by then."""
    changes = {cl.AddBot: Reason.TABLE_FULL, cl.CloseEntry: Reason.NOT_NOW, None: Reason.UNKNOWN_TABLE}
    heard = {}
    for number, change in enumerate(changes):
        gate.set()
        path = tmp_path / f"{number}.sqlite"
        opening = OPENING.model_copy(update={"options": Options(seats=2)})
        async with journaled(path) as served, Peer.entered(served.url, opening) as ann:
            back = cl.Resume(code=ann.code, token=ann.token, epoch="", seq=0)
        gate.clear()
        async with journaled(path) as served, AsyncExitStack() as stack:
            ann = await stack.enter_async_context(Peer.entered(served.url, back))
            ben = await arrived(stack, served, asking(WISHES[0], back.code))
            await ben.say(cl.Say(counter=1, text="hello"))
            if change is not None:
                assert isinstance(await ann.ask(change), Accepted)
            else:
                served.registry.discard(served.registry.room(back.code))
            gate.set()
            heard[change], behind = [(await ben.until(Refused)).reason for _ in range(2)]
            assert behind is Reason.NOT_SEATED
    assert heard == changes


async def test_a_place_behind_a_passphrase_is_paid_for_once(tmp_path: Path) -> None:
    """The units that a join costs are enough, though the passphrase has to be hashed for it."""
    path = tmp_path / "journal.sqlite"
    code = await opened(path)
    units = {"units_per_connection": 1.3, "units_per_address": 0.001, "units_per_server": 0.001}  # 26 at once
    async with journaled(path, **units) as served, AsyncExitStack() as stack:
        ben = await arrived(stack, served)
        await ben.enter(asking(WISHES[0], code))


async def test_no_more_is_checked_at_once_than_there_is_room_for(
    gate: threading.Event, tmp_path: Path
) -> None:
    """Of one address four wait; who is refused may try again, and other addresses are not."""
    gate.set()
    path = tmp_path / "journal.sqlite"
    code = await opened(path)
    gate.clear()
    async with journaled(path, entry_seconds=PATIENCE) as served, AsyncExitStack() as stack:
        names = [cl.Join(code=CODE, name=f"P{number}") for number in range(4)]
        waiting = [await arrived(stack, served, asking(name, code)) for name in names]
        late = await arrived(stack, served)
        assert await late.refusal(asking(WISHES[0], code)) is Reason.TOO_FAST
        far = {"X-Forwarded-For": "203.0.113.9"}
        other = await stack.enter_async_context(Peer.connect(served.url, additional_headers=far))
        await other.greet()
        await other.say(asking(WISHES[1], code))
        gate.set()
        for peer in (*waiting, other):
            assert isinstance(await peer.until(Seated), Seated)
        await late.enter(asking(WISHES[1], code))


async def test_who_opens_a_table_waits_for_the_hash_alone(gate: threading.Event) -> None:
    """Meanwhile others open and play; the table's first commands are carried out in their order."""
    async with serving() as served, AsyncExitStack() as stack:
        ann = await stack.enter_async_context(Peer.connect(served.url))
        await ann.greet()
        await ann.say(OPENING)
        await ann.say(cl.Say(counter=1, text="hello"))
        dan = await stack.enter_async_context(Peer.hosting(served.url))
        await dan.ask(cl.Say, text="hello")
        gate.set()
        seated = await ann.until(Seated)
        assert (await ann.until(Accepted)).counter == 1
        ben = await arrived(stack, served)
        assert await ben.refusal(asking(WISHES[0], seated.code, "")) is Reason.BAD_PASSPHRASE


async def test_who_sends_too_much_while_being_checked_is_cut_off(gate: threading.Event) -> None:
    """What waits behind a passphrase is bounded."""
    async with serving() as served, Peer.connect(served.url) as ann:
        await ann.greet()
        await ann.say(OPENING)
        for stamp in range(40):
            await ann.say(cl.Ping(stamp=stamp))
        assert "wait until you have your place" in (await ann.closed()).reason
        assert not gate.is_set()
        gate.set()
        await asyncio.sleep(0)
        assert not served.registry.rooms


async def test_who_waits_for_the_hash_is_not_too_late(gate: threading.Event) -> None:
    """The time to take a place ends when the passphrase is checked, if it was over before."""
    async with serving(entry_seconds=3) as served, Peer.connect(served.url) as ann:
        await ann.greet()
        await ann.say(OPENING)
        async with Peer.connect(served.url) as ben:
            assert (await ben.closed()).code == CloseCode.TOO_LATE
        gate.set()
        await ann.until(Seated)
