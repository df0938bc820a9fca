"""Tables through a broker: listed, watched, and never trusted."""

import asyncio
import json
import random
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import aiomqtt
import pytest

from racing_demon_client.errors import ConnectionFailed
from racing_demon_client.sources import broker as client
from racing_demon_protocol.errors import CommandRefused
from racing_demon_protocol.table.state import TableState
from racing_demon_protocol.wire.codec import pack
from racing_demon_protocol.wire.messages import Message
from racing_demon_protocol.wire.messages import events as ev
from racing_demon_protocol.wire.messages.server import Pong, Snapshot
from racing_demon_protocol.wire.options import Options
from tests.support.brokers import Broker, hanging_up
from tests.support.cases import for_each
from tests.support.matches import log_of, options_of
from tests.support.ports import free_port
from tests.support.processes import Here
from tests.support.servers import PATIENCE, timeout

RECORD = {
    "v": 1,
    "node": "a1",
    "code": "BCDF",
    "urls": ["ws://127.0.0.1:5252"],
    "game": "racing-demon",
    "phase": "playing",
    "hand": 2,
    "hands": 5,
    "taken": 1,
    "free": 7,
    "players": [{"seat": 0, "name": "Ann\x1b[2J", "total": 12}],
}


class Speaker:
    """Somebody who may write to a broker, and writes what a server would, or would not."""

    def __init__(self, mqtt: aiomqtt.Client) -> None:
        self._mqtt = mqtt

    @classmethod
    @asynccontextmanager
    async def at(cls, broker: Broker) -> AsyncIterator["Speaker"]:
        """Connect to a broker."""
        async with aiomqtt.Client("127.0.0.1", broker.port) as mqtt:
            yield cls(mqtt)

    async def tell(self, topic: str, payload: bytes, *, keep: bool = False) -> None:
        """Publish something, and wait until the broker has it."""
        await self._mqtt.publish(f"rd/pub/{topic}", payload, qos=1, retain=keep)

    async def open(self, node: str = "a1", **fields: Any) -> None:
        """Publish a node with one table."""
        await self.tell(f"{node}/status", b"online", keep=True)
        record = {**RECORD, "node": node, **fields}
        await self.tell(f"{node}/tables/bcdf", json.dumps(record).encode(), keep=True)

    async def say(self, message: Message) -> None:
        """Publish a snapshot or an event of the table."""
        is_snapshot = isinstance(message, Snapshot)
        leaf = "snapshot" if is_snapshot else "events"
        await self.tell(f"a1/tables/bcdf/{leaf}", pack(message), keep=is_snapshot)


@asynccontextmanager
async def spoken(tmp_path: Path) -> AsyncIterator[tuple[Broker, Speaker]]:
    """Run a broker with somebody who writes to it."""
    async with Broker.running(tmp_path) as broker, Speaker.at(broker) as speaker:
        yield broker, speaker


def match() -> tuple[TableState, list[ev.Event]]:
    """Return an empty table, and the log of a match at it."""
    return TableState("BCDF", options_of("racing-demon")), list(log_of("racing-demon"))


async def next_of(onlooker: client.BrokerClient) -> Message:
    """Return the next message that an onlooker gets."""
    return await timeout(PATIENCE, anext(aiter(onlooker)))


# Lists.


async def test_tables_of_nodes_that_are_there_are_listed(tmp_path: Path) -> None:
    """A node whose last will was told has no tables any more, whatever the broker has kept of it."""
    async with spoken(tmp_path) as (broker, speaker):
        await speaker.open()
        await speaker.open("b2")
        await speaker.tell("b2/status", b"offline", keep=True)
        (listed,) = await client.tables(broker.url)
    assert (listed.node, listed.code, listed.players[0].total) == ("a1", "BCDF", 12)


@for_each(
    "fields",
    [
        {"code": "XXXX"},
        {"node": "b2"},
        {"v": 2},
        {"phase": "lunch"},
        {"urls": ["x"] * 17},
        {"players": [RECORD["players"][0]] * 9},  # type: ignore[index]
        {"hand": "2"},
        {"game": "x" * 33},
        {"more": "x" * 20_000},
    ],
)
def test_a_record_that_is_none_is_not_listed(fields: dict[str, Any]) -> None:
    """What is of another table, too long, or not as documented, is passed over."""
    assert client.parse_record(json.dumps({**RECORD, **fields}).encode(), "a1", "bcdf") is None


def test_no_bytes_break_the_list() -> None:
    """Random bytes and broken JSON are no records, and raise nothing."""
    rng, good = random.Random(3), json.dumps(RECORD).encode()
    assert client.parse_record(good, "a1", "bcdf") is not None
    for _ in range(3_000):
        client.parse_record(rng.randbytes(rng.randint(0, 40)), "a1", "bcdf")
        broken = bytearray(good)
        broken[rng.randrange(len(broken))] = rng.randrange(256)
        client.parse_record(bytes(broken), "a1", "bcdf")
    assert client.parse_record(b"[" * 10_000, "a1", "bcdf") is None


async def test_the_command_prints_nothing_that_steers_a_terminal(tmp_path: Path, here: Here) -> None:
    """Names in the list are a stranger's: as text they are made printable, as JSON they are escaped."""
    async with spoken(tmp_path) as (broker, speaker):
        await speaker.open()
        told = await here("tables", "--mqtt", broker.url)
        as_json = await here("tables", "--json", "--mqtt", broker.url)
    assert told == (0, "BCDF  Klondike race, hand 2 of 5, 7 free: Ann?[2J  ws://127.0.0.1:5252\n", "")
    assert "\x1b" not in as_json.out
    assert json.loads(as_json.out)["players"][0]["name"] == "Ann\x1b[2J"


async def test_without_a_broker_the_command_says_so(here: Here) -> None:
    """Nobody at the address ends it with 4 and a sentence that shows no password."""
    ended = await here("tables", "--mqtt", f"mqtt://ann:s3cret@127.0.0.1:{free_port()}")
    assert (ended.code, ended.out) == (4, "")
    assert ended.err.startswith("racing-demon: The broker at 127.0.0.1 cannot be used: ")
    assert "s3cret" not in ended.err


@for_each("url", ["", "h", "ws://h", "mqtt://", "mqtt://h:x", "mqtt://h/path", "mqtt://[h"])
async def test_a_wrong_address_is_told(url: str) -> None:
    """What is no broker's address is answered with what would be one."""
    with pytest.raises(ConnectionFailed, match="write mqtt://host:port"):
        await client.tables(url)


# Watching.


async def test_a_broker_that_hangs_up_at_once_is_told_in_a_sentence() -> None:
    """That sentence is all: the loop has nothing to warn of, which would stand on the user's terminal."""
    async with hanging_up() as (url, warned):
        with pytest.raises(ConnectionFailed, match=r"The broker at 127\.0\.0\.1 cannot be used"):
            await client.tables(url)
    assert warned == []


@pytest.mark.long
async def test_a_match_is_followed_to_its_end(tmp_path: Path) -> None:
    """From the snapshot on every event comes, once and in order, and the mirror is the server's."""
    view, log = match()
    async with spoken(tmp_path) as (broker, speaker):
        await speaker.open()
        await speaker.say(view.snapshot(0))
        async with client.watch(broker.url, "bcdf") as onlooker:
            heard = [await next_of(onlooker)]
            for event in log:
                await speaker.say(event)
                view.apply(event)
            heard += [await next_of(onlooker) for _ in log]
    assert isinstance(heard[0], Snapshot)
    assert heard[1:] == log
    assert onlooker.view.snapshot(0) == view.snapshot(0)
    assert (onlooker.seat, onlooker.code) == (None, "BCDF")


async def test_a_gap_is_mended_by_the_next_snapshot(tmp_path: Path) -> None:
    """After an event that is missing nothing is believed until the table is told anew."""
    view, log = match()
    async with spoken(tmp_path) as (broker, speaker):
        await speaker.open()
        await speaker.say(view.snapshot(0))
        async with client.watch(broker.url, "a1/BCDF") as onlooker:
            await next_of(onlooker)
            for event in log[:40]:
                view.apply(event)
            await speaker.say(log[0])
            await speaker.say(log[2])
            await speaker.say(log[3])
            await speaker.say(view.snapshot(7))
            await speaker.say(log[40])
            heard = [await next_of(onlooker) for _ in range(3)]
    assert heard == [log[0], view.snapshot(7), log[40]]


async def test_a_forged_event_is_mended_by_the_next_snapshot(tmp_path: Path) -> None:
    """A play that fits and never was is undone when the table's snapshot says otherwise."""
    view, log = match()
    async with spoken(tmp_path) as (broker, speaker):
        await speaker.open()
        await speaker.say(view.snapshot(0))
        async with client.watch(broker.url, "BCDF") as onlooker:
            await next_of(onlooker)
            forged = ev.Joined(seq=1, seat=5, name="Mallory")
            view.apply(log[0])
            await speaker.say(forged)
            await speaker.say(log[0])
            await speaker.say(view.snapshot(0))
            heard = [await next_of(onlooker) for _ in range(2)]
    assert heard == [forged, view.snapshot(0)]
    assert onlooker.view.snapshot(0) == view.snapshot(0)


async def test_no_bytes_break_the_stream(tmp_path: Path) -> None:
    """Random, broken, too long and foreign messages change nothing that lasts."""
    rng, (view, log) = random.Random(4), match()
    other = TableState("OTHR", Options())
    async with spoken(tmp_path) as (broker, speaker):
        await speaker.open()
        await speaker.say(view.snapshot(0))
        async with client.watch(broker.url, "BCDF") as onlooker:
            await next_of(onlooker)
            for event in log[:60]:
                broken = bytearray(pack(event))
                broken[rng.randrange(len(broken))] = rng.randrange(256)
                await speaker.tell("a1/tables/bcdf/events", bytes(broken))
                await speaker.tell("a1/tables/bcdf/snapshot", rng.randbytes(60))
                await speaker.tell("a1/tables/bcdf/hands", rng.randbytes(60))
                view.apply(event)
            await speaker.tell("a1/tables/bcdf/events", bytes(100_000))
            await speaker.say(other.snapshot(0))
            await speaker.say(Pong(stamp=1))
            await speaker.say(view.snapshot(9))
            while await next_of(onlooker) != view.snapshot(9):
                pass
    assert onlooker.view.snapshot(0) == view.snapshot(0)


async def test_a_closed_table_ends_the_stay(tmp_path: Path) -> None:
    """When the broker's snapshot is removed, there is nothing to watch any more."""
    async with spoken(tmp_path) as (broker, speaker):
        await speaker.open()
        await speaker.say(match()[0].snapshot(0))
        async with client.watch(broker.url, "BCDF") as onlooker:
            await next_of(onlooker)
            await speaker.tell("a1/tables/bcdf/snapshot", b"", keep=True)
            with pytest.raises(ConnectionFailed, match="closed"):
                await next_of(onlooker)


async def test_a_server_that_is_gone_is_waited_for(tmp_path: Path) -> None:
    """The user is told, may wait, and in the end the stay is over."""
    async with spoken(tmp_path) as (broker, speaker):
        await speaker.open()
        await speaker.say(match()[0].snapshot(0))
        async with client.watch(broker.url, "BCDF") as onlooker:
            told: asyncio.Queue[str] = asyncio.Queue()
            onlooker.notice, onlooker.patience = told.put_nowait, 0.2
            await next_of(onlooker)
            await speaker.tell("a1/status", b"offline", keep=True)
            assert "has left" in await timeout(PATIENCE, told.get())
            assert not onlooker.online
            with pytest.raises(ConnectionFailed, match="The broker sent nothing about the table"):
                await next_of(onlooker)


async def test_a_ping_goes_to_the_broker_and_back(tmp_path: Path) -> None:
    """The way to the broker is measured without a word in any topic."""
    async with spoken(tmp_path) as (broker, speaker):
        await speaker.open()
        await speaker.say(match()[0].snapshot(0))
        async with client.watch(broker.url, "BCDF") as onlooker:
            await next_of(onlooker)
            while not onlooker.online:  # noqa: ASYNC110 - nothing tells of it
                await asyncio.sleep(0)
            await onlooker.ping(77)
            assert await next_of(onlooker) == Pong(stamp=77)


async def test_which_table_is_meant_must_be_clear(tmp_path: Path) -> None:
    """No table of a code, or several, is answered with what to do."""
    async with spoken(tmp_path) as (broker, speaker):
        await speaker.open()
        await speaker.open("b2")
        with pytest.raises(ConnectionFailed, match=r"choose one of a1/BCDF, b2/BCDF"):
            async with client.watch(broker.url, "BCDF"):
                pass
        for place in ("ZZZZ", "a1/b/c", "+", "#", ""):
            with pytest.raises(CommandRefused):
                async with client.watch(broker.url, place):
                    pass


async def test_watching_writes_to_the_terminal_until_the_match_is_over(tmp_path: Path, here: Here) -> None:
    """`watch --mqtt` tells the match, and ends with it."""
    view, log = match()
    async with spoken(tmp_path) as (broker, speaker):
        await speaker.open()
        for event in log[:-2]:
            view.apply(event)
        await speaker.say(view.snapshot(0))
        watching = asyncio.create_task(here("watch", "--mqtt", broker.url, "BCDF"))
        while not watching.done():  # nobody says when it has begun to listen
            await speaker.say(view.snapshot(0))
            for event in log[-2:]:
                await speaker.say(event)
        ended = await watching
    assert ended.code == 0
    assert "won" in ended.out
