"""The wiring, in this process."""

import asyncio
import os
import signal
import sys
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from racing_demon_protocol.wire.messages import client as cl
from racing_demon_protocol.wire.messages.server import Accepted, Versions
from racing_demon_server.server import StopReason, TableServer, loop_factory, loop_name, run
from racing_demon_server.settings import ServerSettings
from tests.support.clocks import clock
from tests.support.servers import PATIENCE, Closing, Peer, serving, timeout
from tests.support.whole_servers import WholeServer, whole_server


class Announced(asyncio.Future[str]):
    """The URL of a server that is being started."""


async def test_it_announces_serves_and_stops() -> None:
    """The announced URL is served until a signal comes."""
    announced = Announced()
    serving_ = asyncio.create_task(run(TableServer(ServerSettings(port=0)), announced.set_result))
    url = await timeout(PATIENCE, announced)
    async with Peer.connect(url) as peer:
        assert isinstance(await peer.hear(), Versions)
        os.kill(os.getpid(), signal.SIGTERM)
        assert Closing(1001, "The server was stopped, and the table ended with it.") == await peer.closed()
    await timeout(PATIENCE, serving_)


async def test_it_starts_serves_and_stops_without_a_signal() -> None:
    """As part of another program it is told to stop, and frees its port."""
    server = TableServer(ServerSettings(port=0))
    url = await server.start()
    async with Peer.connect(url) as peer:
        assert isinstance(await peer.hear(), Versions)
        server.stop_soon(StopReason.TERMINATED)
        await server.stop(await timeout(PATIENCE, server.serve_forever()))
        assert (await peer.closed()).code == 1001
    with pytest.raises(OSError, match="Connect call failed"):
        async with Peer.connect(url):
            raise AssertionError("the port is still open")


async def test_a_signal_in_the_moment_of_the_announcement_counts() -> None:
    """Whoever has heard where the server is can stop it already."""
    server = TableServer(ServerSettings(port=0))
    await timeout(PATIENCE, run(server, lambda url: os.kill(os.getpid(), signal.SIGTERM)))


async def test_where_it_cannot_listen_nothing_is_announced() -> None:
    """A port that is taken is an error, and no address is told."""
    announced = Announced()
    async with serving() as served:
        with pytest.raises(OSError, match="address already in use"):
            await run(TableServer(ServerSettings(port=served.port)), announced.set_result)
    assert not announced.done()


def test_the_clock_counts_microseconds_and_never_back() -> None:
    """The server's clock is the machine's rising one."""
    before = time.monotonic_ns()
    readings = [clock() for _ in range(1_000)]
    after = time.monotonic_ns()
    assert readings == sorted(readings)
    assert before // 1_000 <= readings[0] <= readings[-1] <= after // 1_000


async def named() -> str:
    """Return the name of the running loop."""
    return loop_name()


@pytest.mark.skipif(sys.platform == "win32", reason="there is no uvloop")
def test_uvloop_is_used_where_it_is_installed() -> None:
    """The extra `fast` is enough: no option asks for it."""
    with asyncio.Runner(loop_factory=loop_factory(watches_sockets=True)) as runner:
        assert runner.run(named()) == "uvloop"


def test_without_uvloop_the_loop_is_asyncios(monkeypatch: pytest.MonkeyPatch) -> None:
    """A default install has no uvloop and needs none."""
    monkeypatch.setitem(sys.modules, "uvloop", None)
    with asyncio.Runner(loop_factory=loop_factory(watches_sockets=True)) as runner:
        assert runner.run(named()) == "asyncio"


@asynccontextmanager
async def going_on(server: WholeServer) -> AsyncIterator[None]:
    """Check that a server does not end by itself meanwhile."""
    end = asyncio.create_task(server.end())
    try:
        yield
        assert not end.done()
    finally:
        end.cancel()
        await asyncio.wait([end])


async def test_a_host_s_server_does_not_end_with_the_next_owner_of_the_host_s_seat(tmp_path: Path) -> None:
    """Whoever opened the table was kicked by the host whom they had made: it goes on, after a restart too."""
    journal = tmp_path / "journal.sqlite"
    async with whole_server(journal, until_table_ends="") as (server, url), going_on(server):
        async with Peer.hosting(url) as ann, Peer.entered(url, cl.Join(code=ann.code, name="Ben")) as ben:
            await ann.ask(cl.MakeHost, seat=1)
            await ben.ask(cl.Kick, seat=0)
            async with Peer.entered(url, cl.Join(code=ann.code, name="Cas")) as cas:
                assert cas.place.seat == 0
                await cas.ask(cl.Leave)
            assert isinstance(await ben.ask(cl.Say, text="still here"), Accepted)
        async with Peer.entered(url, cl.Join(code=ann.code, name="Dan")) as dan:
            assert dan.place.seat == 0
    async with whole_server(journal, until_table_ends=ann.code) as (server, url), going_on(server):
        async with Peer.entered(url, cl.Resume(code=dan.code, token=dan.token)) as again:
            await again.ask(cl.Leave)
        async with Peer.entered(url, cl.Resume(code=ben.code, token=ben.token)) as again:
            assert isinstance(await again.ask(cl.Say, text="still here"), Accepted)


async def test_a_host_s_server_does_not_end_with_a_guest_where_the_host_has_no_seat(tmp_path: Path) -> None:
    """The first seat is a guest's, before a restart and after it."""
    journal = tmp_path / "journal.sqlite"
    async with whole_server(journal, until_table_ends="") as (server, url), going_on(server):
        async with Peer.hosting(url, seated=False) as host:
            async with Peer.entered(url, cl.Join(code=host.code, name="Ben")) as ben:
                await ben.ask(cl.Leave)
            async with Peer.entered(url, cl.Join(code=host.code, name="Cas")) as cas:
                assert cas.place.seat == 0
            assert isinstance(await host.ask(cl.AddBot), Accepted)
    async with whole_server(journal, until_table_ends=host.code) as (server, url), going_on(server):
        async with Peer.entered(url, cl.Resume(code=cas.code, token=cas.token)) as again:
            await again.ask(cl.Leave)
        async with Peer.entered(url, cl.Resume(code=host.code, token=host.token)) as back:
            assert isinstance(await back.ask(cl.AddBot), Accepted)


async def test_a_host_s_server_ends_with_its_founder_after_a_restart(tmp_path: Path) -> None:
    """They are no host any more, as they have handed that on, and end it when they leave."""
    journal = tmp_path / "journal.sqlite"
    async with whole_server(journal, until_table_ends="") as (_, url), Peer.hosting(url) as ann:
        async with Peer.entered(url, cl.Join(code=ann.code, name="Ben")):
            await ann.ask(cl.MakeHost, seat=1)
    async with whole_server(journal, until_table_ends=ann.code) as (server, url):
        async with Peer.entered(url, cl.Resume(code=ann.code, token=ann.token)) as again:
            await again.say(again.next(cl.Leave))
            await timeout(PATIENCE, server.end())


async def test_a_host_s_server_ends_with_its_founder_in_another_seat(tmp_path: Path) -> None:
    """Somebody else got the first one, as the founder was kicked; they were let in again, and leave."""
    async with whole_server(tmp_path / "journal.sqlite", until_table_ends="") as (server, url):
        async with Peer.hosting(url) as ann, Peer.entered(url, cl.Join(code=ann.code, name="Ben")) as ben:
            await ann.ask(cl.MakeHost, seat=1)
            await ben.ask(cl.Kick, seat=0)
            async with Peer.entered(url, cl.Join(code=ann.code, name="Cas")) as cas:
                await ben.ask(cl.Unban, name="Ann")
                join = cl.Join(code=ann.code, name="Ann", token=ann.token)
                async with Peer.entered(url, join) as again:
                    assert (cas.place.seat, again.place.seat) == (0, 2)
                    assert isinstance(await ben.ask(cl.Say, text="still here"), Accepted)
                    await again.say(again.next(cl.Leave))
                    await timeout(PATIENCE, server.end())
