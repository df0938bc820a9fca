"""Connections that ask for a table of another server: they wait, and are sent or passed on to it."""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from http import HTTPStatus
from typing import Any

import pytest
from websockets.asyncio.server import ServerConnection, serve
from websockets.datastructures import Headers
from websockets.frames import Frame, Opcode
from websockets.http11 import Request, Response
from websockets.typing import Subprotocol

from racing_demon_cluster.proxy import PROXIED
from racing_demon_cluster.service import AGAIN_SECONDS, ClusterService
from racing_demon_cluster.table_lookup import Location, SearchCallback, SearchResult
from racing_demon_protocol.enums import CloseCode, Reason
from racing_demon_protocol.errors import CommandRefused
from racing_demon_protocol.wire.codec import VERSION, Encoding, decode_client, encode
from racing_demon_protocol.wire.messages import client as cl
from racing_demon_protocol.wire.messages.events import Said
from racing_demon_protocol.wire.messages.server import CaughtUp, Moved, Pong, Refused, Seated, Versions
from racing_demon_protocol.wire.options import Options
from racing_demon_server.journal.null_journal import NullJournal
from racing_demon_server.net.handler import MAX_HELD_MESSAGES, ServerContext
from racing_demon_server.rate_limits import MANY_SEARCHES
from racing_demon_server.settings import ServerSettings
from racing_demon_server.tables.registry import Registry
from tests.support.cases import for_each
from tests.support.clocks import Standing
from tests.support.restartable_server import wait_until
from tests.support.servers import (
    NO_METRICS,
    PATIENCE,
    Closing,
    Peer,
    Served,
    logged_warnings,
    serving,
    serving_with,
    timeout,
)

SEED = bytes(32)
FAR = {"X-Forwarded-For": "203.0.113.9"}
ON_ITS_WAY = Closing(CloseCode.TRY_AGAIN, "The table is on its way to another server; come back in a moment.")
OUT_OF_REACH = Closing(CloseCode.TRY_AGAIN, "The table's server is not reached; come back in a moment.")


class Directory:
    """Knows other servers' tables, and tells when the test does.

    Attributes:
        listed: what it lists.
        takes_tables: whether tables may be opened.
        hosts: host and port of every server.
        refused: the reasons of the commands that its server has refused.

    """

    def __init__(self) -> None:
        self.listed: list[dict[str, Any]] = []
        self.takes_tables = True
        self.hosts: list[str] = []
        self.refused: list[Reason] = []
        self._asked: asyncio.Queue[tuple[str, SearchCallback]] = asyncio.Queue()

    def locate(self, code: str, callback: SearchCallback) -> None:
        """Note a search."""
        self._asked.put_nowait((code, callback))

    async def tell(self, code: str, where: Location | SearchResult) -> None:
        """Answer the next search, which must be for this code."""
        asked, found = await timeout(PATIENCE, self._asked.get())
        assert asked == code
        found(where)

    @property
    def is_asked(self) -> bool:
        """Whether a search waits."""
        return not self._asked.empty()


@asynccontextmanager
async def searching(**settings: Any) -> AsyncIterator[tuple[Served, Directory]]:
    """Run a server that looks for tables elsewhere."""
    directory = Directory()
    metrics = NO_METRICS._replace(refused=directory.refused.append)

    def service(context: ServerContext, registry: Registry) -> ClusterService:
        return ClusterService(context, registry, directory)

    async with serving_with(None, metrics=metrics, service=service, **settings) as served:
        yield served, directory


async def _hello(peer: Peer, software: str = "test") -> None:
    assert isinstance(await peer.hear(), Versions)
    await peer.say(cl.Hello(version=VERSION, software=software))


async def _held(peer: Peer) -> None:
    """Wait until the server has read what was sent before."""
    await timeout(PATIENCE, await peer.socket.ping())


@pytest.fixture
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let no client wait for a table that no server has."""
    monkeypatch.setattr("racing_demon_cluster.service.HOLD_SECONDS", 0.0)


def _at(served: Served, host: str = "") -> Location:
    return Location(host, served.port, ("127.0.0.1", served.port))


@asynccontextmanager
async def passed_on(**settings: float) -> AsyncIterator[tuple[Peer, Peer]]:
    """Let Ben, who dialled a server with these settings, be passed on to Ann's table at another server."""
    async with (
        serving() as owner,
        searching(**settings) as (served, directory),
        Peer.hosting(owner.url) as ann,
        Peer.connect(served.url) as ben,
    ):
        await _hello(ben)
        await ben.say(cl.Join(code=ann.code, name="Ben"))
        await directory.tell(ann.code, _at(owner))
        await ben.until(CaughtUp)
        yield ann, ben


async def _first_code() -> str:
    """Return the code of the first table that a server of this seed opens."""
    async with serving(seed=SEED) as twin:
        return twin.registry.open(Options()).table.view.code


# What is found.


@for_each(("software", "host"), [("test moved", "127.0.0.1"), ("test x moved", "127.0.0.1")])
async def test_a_client_that_follows_is_told_where_its_table_is(software: str, host: str) -> None:
    """It hears the host and the port, and may ask for another table on the same connection."""
    async with searching() as (served, directory), Peer.connect(served.url) as peer:
        await _hello(peer, software)
        await peer.say(cl.Join(code=" bcdf ", name="Ann"))
        await directory.tell("BCDF", Location(host, 7_777, ("127.0.0.1", 1)))
        assert await peer.hear() == Moved(host=host, port=7_777)
        await peer.enter(cl.Create(name="Ann", options=Options()))


@pytest.mark.long
@for_each(
    ("software", "host"),
    [("test moved", ""), ("test moved", "127.0.0.2"), ("test moved", "example.org"), ("test", "127.0.0.1")],
    ids=["no host", "another address", "another name", "does not follow"],
)
@for_each("encoding", Encoding)
async def test_others_are_passed_on(software: str, host: str, encoding: Encoding) -> None:
    """A client that would not follow plays over the server that it dialled, in the encoding that it chose."""
    async with (
        serving() as owner,
        searching() as (served, directory),
        Peer.hosting(owner.url) as ann,
        Peer.connect(served.url, encoding) as ben,
    ):
        await _hello(ben, software)
        await ben.say(cl.Join(code=ann.code, name="Ben"))
        await directory.tell(ann.code, _at(owner, host))
        seated = await ben.hear()
        assert isinstance(seated, Seated)
        assert (ann.code, 1) == (seated.code, seated.seat)
        await ben.until(CaughtUp)
        await ann.ask(cl.Say, text="hello")
        assert (await ben.until(Said)).text == "hello"
        assert len(served.registry) == 0


async def test_a_connection_that_was_passed_on_is_asked_for_signs_of_life_by_its_owner() -> None:
    """The server that passes it on sees none, and does not end it for that."""
    async with passed_on(ping_seconds=1.0) as (ann, ben):
        await asyncio.sleep(3.0)  # more than it waits for an answer
        await ann.ask(cl.Say, text="hello")
        assert (await ben.until(Said)).text == "hello"


async def test_a_connection_that_was_passed_on_is_not_asked_for_a_table() -> None:
    """It has a place, though at another server, when the time to ask for one is over."""
    async with passed_on(entry_seconds=1.5) as (_, ben):
        over = asyncio.Event()
        asyncio.get_running_loop().call_later(1.6, over.set)
        await over.wait()
        await ben.say(cl.Ping(stamp=7))
        assert Pong(stamp=7) == await ben.until(Pong)


@pytest.mark.usefixtures("impatient")
async def test_the_owner_is_told_whose_connection_it_is() -> None:
    """The server that has the table counts the client's own address, not that of the server between them."""
    async with (
        serving(connections_per_address=1) as owner,
        searching() as (served, directory),
        Peer.hosting(owner.url) as ann,
        Peer.entered(owner.url, cl.Watch(code=ann.code), additional_headers=FAR),
        Peer.connect(served.url, additional_headers=FAR) as ben,
    ):
        await _hello(ben)
        await ben.say(cl.Join(code=ann.code, name="Ben"))
        await directory.tell(ann.code, _at(owner))
        assert await ben.closed() == OUT_OF_REACH


async def test_who_was_passed_on_is_passed_on_no_further() -> None:
    """Two servers that each take the other for the owner do not send a client round in circles."""
    async with (
        serving() as owner,
        searching() as (served, directory),
        Peer.connect(served.url, additional_headers={PROXIED: "1"}) as peer,
    ):
        await _hello(peer, "test moved")
        await peer.say(cl.Join(code="BCDF", name="Ann"))
        await directory.tell("BCDF", _at(owner, "127.0.0.1"))
        assert await peer.closed() == ON_ITS_WAY


async def test_a_table_whose_server_died_is_waited_for() -> None:
    """A client keeps its connection while others take the table over, and is passed on once they have."""
    async with serving() as gone:
        pass
    async with (
        serving() as owner,
        searching() as (served, directory),
        Peer.hosting(owner.url) as ann,
        Peer.connect(served.url) as ben,
    ):
        await _hello(ben)
        await ben.say(cl.Join(code=ann.code, name="Ben"))
        for where in (_at(gone), SearchResult.NOWHERE, _at(owner)):
            await directory.tell(ann.code, where)
        assert isinstance(await ben.hear(), Seated)


async def test_who_leaves_while_a_table_is_waited_for_is_forgotten() -> None:
    """No search begins any more for a connection that is gone."""
    async with searching() as (served, directory):
        async with Peer.connect(served.url) as peer:
            await _hello(peer)
            await peer.say(cl.Watch(code="BCDF"))
            await directory.tell("BCDF", SearchResult.NOWHERE)
        await wait_until(lambda: not served.server.connections)
        again = asyncio.Event()
        asyncio.get_running_loop().call_later(2 * AGAIN_SECONDS, again.set)
        await again.wait()
        assert not directory.is_asked


@pytest.mark.usefixtures("impatient")
async def test_a_table_on_its_way_is_asked_for_again() -> None:
    """While a table changes its server, whoever asks for it is closed with the advice to come back."""
    async with searching() as (served, directory), Peer.connect(served.url) as peer:
        await _hello(peer)
        await peer.say(cl.Watch(code="BCDF"))
        await directory.tell("BCDF", SearchResult.NOWHERE)
        assert await peer.closed() == ON_ITS_WAY


async def test_a_code_that_no_server_knows_is_refused_and_counted() -> None:
    """The client hears it, the metrics too, and its address may ask for so many wrong codes only."""
    async with (
        searching(misses_per_minute=1e-6, miss_burst=1) as (served, directory),
        Peer.connect(served.url, additional_headers=FAR) as peer,
    ):
        await _hello(peer)
        await peer.say(cl.Watch(code="BCDF"))
        await directory.tell("BCDF", SearchResult.UNKNOWN)
        unknown = "No table here has that code."
        assert await peer.hear() == Refused(counter=0, reason=Reason.UNKNOWN_TABLE, text=unknown)
        assert directory.refused == [Reason.UNKNOWN_TABLE]
        await peer.say(cl.Watch(code="BCDF"))
        refused = await peer.hear()
        assert isinstance(refused, Refused)
        assert Reason.TOO_FAST is refused.reason
        assert not directory.is_asked


async def test_searches_of_one_address_run_within_its_misses() -> None:
    """Many of its connections guess at once: so many reach the other servers, the rest are to come back."""
    async with (
        searching(misses_per_minute=1e-6, miss_burst=3) as (served, directory),
        AsyncExitStack() as stack,
    ):
        peers = []
        for number in range(8):
            peer = await stack.enter_async_context(Peer.connect(served.url, additional_headers=FAR))
            await _hello(peer)
            await peer.say(cl.Watch(code=f"BCD{'FGHJKLMN'[number]}"))
            await _held(peer) if number < 3 else None
            peers.append(peer)
        for peer in peers[3:]:
            assert await peer.closed() == Closing(CloseCode.TRY_AGAIN, MANY_SEARCHES)
        for letter in "FGH":
            await directory.tell(f"BCD{letter}", SearchResult.UNKNOWN)
        assert not directory.is_asked
        for peer in peers[:3]:
            refused = await peer.hear()
            assert isinstance(refused, Refused)
            assert refused.reason is Reason.UNKNOWN_TABLE
            await peer.say(cl.Watch(code="WXYZ"))
            refused = await peer.hear()
            assert isinstance(refused, Refused)
            assert refused.reason is Reason.TOO_FAST


async def test_a_search_for_a_table_that_is_found_costs_nothing() -> None:
    """An address with one miss left finds any number of tables, one after the other."""
    async with (
        searching(misses_per_minute=1e-6, miss_burst=1) as (served, directory),
        Peer.connect(served.url, additional_headers=FAR) as peer,
    ):
        await _hello(peer, "test moved")
        for _ in range(3):
            await peer.say(cl.Watch(code="BCDF"))
            await directory.tell("BCDF", _at(served, "127.0.0.1"))
            assert isinstance(await peer.hear(), Moved)


async def test_who_leaves_during_a_search_has_missed_all_the_same() -> None:
    """Otherwise an address that closes each connection at once could search without end."""
    async with searching(misses_per_minute=1e-6, miss_burst=1) as (served, directory):
        for answer in (None, SearchResult.UNKNOWN):
            async with Peer.connect(served.url, additional_headers=FAR) as peer:
                await _hello(peer)
                await peer.say(cl.Watch(code="BCDF"))
                if answer is None:
                    await _held(peer)
                else:
                    assert await peer.closed() == Closing(CloseCode.TRY_AGAIN, MANY_SEARCHES)
            await wait_until(lambda: not served.server.connections)
        await directory.tell("BCDF", SearchResult.UNKNOWN)
        async with Peer.connect(served.url, additional_headers=FAR) as peer:
            await _hello(peer)
            await peer.say(cl.Watch(code="BCDF"))
            refused = await peer.hear()
            assert isinstance(refused, Refused)
            assert refused.reason is Reason.TOO_FAST


@for_each("encoding", Encoding)
async def test_a_table_that_came_here_meanwhile_is_entered(encoding: Encoding) -> None:
    """The request is handled once more, and then whatever the client sent while it waited, in order."""
    code = await _first_code()
    async with searching(seed=SEED) as (served, directory), Peer.connect(served.url, encoding) as peer:
        await _hello(peer)
        await peer.say(cl.Join(code=code, name="Ann"))
        await peer.say(cl.Ping(stamp=1))
        await peer.say(cl.Ping(stamp=2))
        await _held(peer)
        assert code == served.registry.open(Options()).table.view.code
        await directory.tell(code, SearchResult.HERE)
        heard = [await peer.hear() for _ in range(5)]
        assert isinstance(heard[0], Seated)
        assert [Pong(stamp=1), Pong(stamp=2)] == [each for each in heard if isinstance(each, Pong)]


# Meanwhile.


async def test_a_table_that_is_said_to_be_here_is_looked_for_once_more() -> None:
    """If it is not here then, the client is told to come back: nothing goes round and round."""
    async with searching() as (served, directory), Peer.connect(served.url) as peer:
        await _hello(peer)
        await peer.say(cl.Watch(code="BCDF"))
        for _ in range(2):
            await directory.tell("BCDF", SearchResult.HERE)
        assert await peer.closed() == ON_ITS_WAY


async def test_nothing_is_heard_behind_a_bad_frame_that_waited() -> None:
    """A message that is not understood ends the connection, and what came behind it is not done."""
    code = await _first_code()
    async with searching(seed=SEED) as (served, directory), Peer.connect(served.url) as peer:
        await _hello(peer)
        await peer.say(cl.Watch(code=code))
        await peer.send(b"?")
        await peer.say(cl.Create(name="Ann", options=Options()))
        await _held(peer)
        served.registry.open(Options(spectators=False))
        await directory.tell(code, SearchResult.HERE)
        assert (await peer.closed()).code == CloseCode.BAD_FRAME
        assert len(served.registry) == 1


async def test_so_many_messages_wait_and_no_more() -> None:
    """One more than are kept for the table ends the connection."""
    async with searching() as (served, directory), Peer.connect(served.url) as peer:
        await _hello(peer)
        await peer.say(cl.Watch(code="BCDF"))
        for stamp in range(MAX_HELD_MESSAGES - 1):
            await peer.say(cl.Ping(stamp=stamp))
        await _held(peer)
        await peer.say(cl.Ping(stamp=99))
        closing = Closing(CloseCode.BAD_FRAME, "Not understood: wait until you have your place")
        assert await peer.closed() == closing
        await directory.tell("BCDF", SearchResult.UNKNOWN)
        assert directory.refused == []


async def test_who_leaves_meanwhile_is_forgotten(caplog: pytest.LogCaptureFixture) -> None:
    """An answer for a connection that is gone changes nothing."""
    async with searching() as (served, directory):
        async with Peer.connect(served.url) as peer:
            await _hello(peer)
            await peer.say(cl.Watch(code="BCDF"))
            await _held(peer)
        await wait_until(lambda: not served.server.connections)
        await directory.tell("BCDF", SearchResult.UNKNOWN)
        assert directory.refused == []
    assert logged_warnings(caplog) == []


# The server that has the table.


@asynccontextmanager
async def owning(
    visited: Callable[[ServerConnection], Any], asked: Callable[[Request], Any]
) -> AsyncIterator[int]:
    """Run a server that answers in its own way, and yield its port."""

    async def ask(_: ServerConnection, request: Request) -> Response | None:
        answer: Response | None = await asked(request)
        return answer

    subprotocols = [Subprotocol(encoding) for encoding in Encoding]
    async with serve(visited, "127.0.0.1", 0, subprotocols=subprotocols, process_request=ask) as server:
        yield next(iter(server.sockets)).getsockname()[1]


async def test_what_is_sent_while_the_owner_is_asked_reaches_it() -> None:
    """All of a client's messages are repeated there in order, also those that came last."""
    heard: asyncio.Queue[object] = asyncio.Queue()
    asked, may_answer = asyncio.Event(), asyncio.Event()

    async def ask(_: Request) -> None:
        asked.set()
        await may_answer.wait()

    async def visit(owner: ServerConnection) -> None:
        await owner.send(encode(Versions(oldest=VERSION, newest=VERSION), Encoding.MSGPACK))
        async for frame in owner:
            heard.put_nowait(decode_client(frame))

    async with (
        owning(visit, ask) as port,
        searching() as (served, directory),
        Peer.connect(served.url) as peer,
    ):
        await _hello(peer)
        await peer.say(cl.Watch(code="BCDF"))
        await directory.tell("BCDF", Location("", port, ("127.0.0.1", port)))
        await timeout(PATIENCE, asked.wait())
        await peer.say(cl.Ping(stamp=1))
        await _held(peer)
        may_answer.set()
        told = [await timeout(PATIENCE, heard.get()) for _ in range(3)]
        assert [cl.Watch(code="BCDF"), cl.Ping(stamp=1)] == told[1:]
        await peer.say(cl.Ping(stamp=2))
        assert cl.Ping(stamp=2) == await timeout(PATIENCE, heard.get())


@pytest.mark.usefixtures("impatient")
async def test_an_owner_out_of_reach_is_tried_again() -> None:
    """The client is closed with the advice to come back."""
    async with serving() as gone:
        pass
    async with searching() as (served, directory), Peer.connect(served.url) as peer:
        await _hello(peer)
        await peer.say(cl.Watch(code="BCDF"))
        await directory.tell("BCDF", _at(gone))
        assert await peer.closed() == OUT_OF_REACH


@pytest.mark.usefixtures("impatient")
async def test_an_owner_that_refuses_the_connection_is_tried_again() -> None:
    """A page instead of a WebSocket is no table's server."""

    async def refuse(_: Request) -> Response:
        return Response(HTTPStatus.NOT_FOUND, "Not Found", Headers(), b"")

    async with (
        owning(lambda _: None, refuse) as port,
        searching() as (served, directory),
        Peer.connect(served.url) as peer,
    ):
        await _hello(peer)
        await peer.say(cl.Watch(code="BCDF"))
        await directory.tell("BCDF", Location("", port, ("127.0.0.1", port)))
        assert await peer.closed() == OUT_OF_REACH


async def test_browsers_see_other_servers_tables() -> None:
    """The list of tables has those of the other servers, too, unless none are listed."""
    entry = {"code": "BCDF", "game": "racing-demon", "host": "Ann", "players": 1, "seats": 4, "locked": False}
    for lists_tables in (True, False):
        async with searching(lists_tables=lists_tables) as (served, directory):
            directory.listed = [entry]
            reader, writer = await asyncio.open_connection("127.0.0.1", served.port)
            writer.write(b"GET /tables.json HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n")
            assert (b"BCDF" in await timeout(PATIENCE, reader.read())) is lists_tables
            writer.close()


async def test_who_is_passed_on_keeps_an_address() -> None:
    """Players of two networks who are passed on are two addresses at the table's server, in IPv6, too."""
    async with (
        serving(connections_per_address=1) as owner,
        searching() as (served, directory),
        Peer.hosting(owner.url) as ann,
        AsyncExitStack() as stack,
    ):
        for name, address in (("Ben", "2001:db8:1::7"), ("Cleo", "2001:db8:2::7"), ("Dan", "127.0.0.1")):
            far: dict[str, Any] = {"additional_headers": {"X-Forwarded-For": address}}
            peer = await stack.enter_async_context(Peer.connect(served.url, **far))
            await _hello(peer)
            await peer.say(cl.Join(code=ann.code, name=name))
            await directory.tell(ann.code, _at(owner))
            assert isinstance(await peer.hear(), Seated)


async def test_who_asks_for_a_strange_host_is_passed_on() -> None:
    """What a client writes as ``Host`` need not be one."""
    async with serving() as owner, searching() as (served, directory), Peer.hosting(owner.url) as ann:
        reader, writer = await asyncio.open_connection("127.0.0.1", served.port)
        lines = (
            *("GET /v1 HTTP/1.1", "Host: 127.0.0.1\xff", "Upgrade: websocket", "Connection: Upgrade"),
            *("Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==", "Sec-WebSocket-Version: 13"),
            "Sec-WebSocket-Protocol: racing-demon.v1+json",
        )
        writer.write("\r\n".join([*lines, "", ""]).encode("latin-1"))
        for message in (cl.Hello(version=VERSION), cl.Watch(code=ann.code)):
            writer.write(Frame(Opcode.TEXT, encode(message, Encoding.JSON).encode()).serialize(mask=True))  # type: ignore[union-attr]
        await directory.tell(ann.code, _at(owner))
        await timeout(PATIENCE, reader.readuntil(f'"{ann.code}"'.encode()))
        writer.close()


async def test_a_server_that_is_about_to_stop_opens_no_table() -> None:
    """Whoever asks is sent to another one, and has not used up what the address may open."""
    time, directory = Standing(), Directory()
    settings = ServerSettings(table_burst=1, tables_per_minute=1e-6)
    context = ServerContext(settings, time, NO_METRICS)
    service = ClusterService(context, Registry(settings, time, NullJournal()), directory)
    directory.takes_tables = False
    with pytest.raises(CommandRefused) as refused:
        service.count_table("203.0.113.9", time())
    assert Reason.SERVER_FULL is refused.value.reason
    assert refused.value.text == "This server is about to stop. Open a table at another one."
    directory.takes_tables = True
    service.count_table("203.0.113.9", time())
    service.registry.close()


def test_whoever_was_sent_to_another_port_has_proved_who_they_are_for_the_first() -> None:
    """Servers of one host take each other's proofs; other hosts prove nothing here."""
    time, directory = Standing(), Directory()
    directory.hosts = ["cards.example:5001", "cards.example:5002", "other.example:5001"]
    context = ServerContext(ServerSettings(), time, NO_METRICS)
    service = ClusterService(context, Registry(context.settings, time, NullJournal()), directory)
    assert {*service.same_hosts("cards.example:5002")} == {*directory.hosts[:2]}
    service.registry.close()
