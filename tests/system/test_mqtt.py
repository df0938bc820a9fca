"""Server, broker and onlookers as programs of their own; and what happens when one of them dies."""

import asyncio
import re
import signal
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from racing_demon_client.sources import broker as client
from racing_demon_protocol.engine.commit_reveal import commitment
from racing_demon_protocol.wire.codec import decode_server
from racing_demon_protocol.wire.messages import client as cl
from racing_demon_protocol.wire.messages import events as ev
from tests.support.brokers import Broker, Heard, Listening, listed
from tests.support.processes import CLIENT, Running, server_process, started
from tests.support.restartable_server import RestartableServer
from tests.support.servers import PATIENCE, Peer, deadline, timeout


def code_of(heard: Heard) -> str:
    """Return the code of the table that a record is of; nothing for any other message."""
    tables, _, code = heard.topic.rpartition("/")
    return code.upper() if tables.endswith("/tables") and heard.payload else ""


@asynccontextmanager
async def told_server(broker: Broker, *more: str) -> AsyncIterator[tuple[Running, str]]:
    """Start a server that tells a broker of its tables as node ``a1``; wait until it has."""
    async with Listening.to(broker, "rd/pub/a1/status") as feed:
        arguments = ("--mqtt", broker.url, "--node", "a1", "--bot-speed", "40", *more)
        async with server_process(*arguments) as (server, url):
            await feed.until("status", lambda heard: heard.payload == b"online")
            yield server, url


async def test_play_goes_on_without_the_broker_and_its_directory_comes_back(tmp_path: Path) -> None:
    """A broker dies in the middle of a match: no player notices, and after its return it knows all."""
    async with Broker.running(tmp_path) as broker, told_server(broker) as (server, url):
        async with (
            Peer.hosting(url, seated=False, hands=1) as ann,
            Peer.hosting(url) as bob,
            Peer.hosting(url) as quiet,
        ):
            await ann.ask(cl.AddBot)
            await ann.ask(cl.AddBot)
            await ann.ask(cl.Start)
            await ann.until(ev.Played)
            await broker.kill()
            for _ in range(30):
                await ann.until(ev.Played)
            await bob.ask(cl.AddBot)
            await broker.start()
            async with Listening.to(broker, "rd/pub/a1/#") as feed, deadline(lambda: feed.heard):
                while {ann.code, bob.code, quiet.code} - {code_of(heard) for heard in feed.heard}:
                    await feed.next()
            found = await listed(broker, ann.code, bob.code, quiet.code)
            taken = {table.code: table.taken for table in found}
            assert taken == {ann.code: 2, bob.code: 2, quiet.code: 1}
            await ann.until(ev.MatchOver)
        server.stop()
        ended = await server.end()
    assert ended.code == 0
    assert ended.err.count("cannot be reached") == 1
    assert "Traceback" not in ended.err


async def test_a_killed_server_is_known_to_be_gone(tmp_path: Path) -> None:
    """The broker tells its last will, and its tables are not listed any more."""
    async with Broker.running(tmp_path) as broker, Listening.to(broker, "rd/pub/a1/#") as feed:
        async with told_server(broker) as (server, url), Peer.hosting(url) as ann:
            await feed.until(f"tables/{ann.code.lower()}")
            assert [table.code for table in await listed(broker, ann.code)] == [ann.code]
            server.stop(signal.SIGKILL)
            await feed.until("status", lambda heard: heard.payload == b"offline")
            assert await client.tables(broker.url) == []


@pytest.mark.long
async def test_a_server_of_the_same_node_cleans_up_after_a_killed_one(tmp_path: Path) -> None:
    """After a restart the directory has the new server's tables only."""
    async with Broker.running(tmp_path) as broker:
        async with told_server(broker) as (server, url), Peer.hosting(url) as ann:
            async with Listening.to(broker, "rd/pub/a1/tables/+") as feed:
                await feed.until(ann.code.lower())
            server.stop(signal.SIGKILL)
            await server.end()
        async with Listening.to(broker, "rd/pub/a1/tables/+") as feed:
            async with told_server(broker):
                await feed.until(ann.code.lower(), lambda heard: not heard.payload)
                assert await client.tables(broker.url) == []


@pytest.mark.long
async def test_a_match_ends_for_the_broker_when_the_server_is_stopped(tmp_path: Path) -> None:
    """A server that keeps nothing ends the match that is played, and publishes what it came to."""
    async with Broker.running(tmp_path) as broker, Listening.to(broker, "rd/pub/a1/#") as feed:
        async with told_server(broker, "--bot-speed=40") as (server, url), Peer.hosting(url, hands=3) as ann:
            await ann.ask(cl.AddBot)
            await ann.ask(cl.Start)
            await ann.until(ev.Played)
            server.stop()
            hand, match = (await feed.until("/hands")).value, (await feed.until("/matches")).value
            await feed.until(f"tables/{ann.code.lower()}", lambda heard: not heard.payload)
    assert (hand["reason"], hand["out"]) == ("closed", None)
    assert [score["points"] for score in hand["scores"]] == [score["total"] for score in match["scores"]]
    assert match["winners"]


async def test_results_are_right_after_a_crash_in_mid_match(tmp_path: Path) -> None:
    """A server is killed in the second of two hands: its successor publishes what one server would have."""
    arguments = ("--node=a1", "--bot-speed=40")
    async with Broker.running(tmp_path) as broker, Listening.to(broker, "rd/pub/a1/#") as feed:
        async with RestartableServer.started(
            tmp_path / "journal.sqlite", f"--mqtt={broker.url}", *arguments
        ) as server:
            async with Peer.hosting(server.url, seated=False, hands=2) as ann:
                await ann.ask(cl.AddBot)
                await ann.ask(cl.AddBot)
                await ann.ask(cl.Start)
                first = (await feed.until("/hands")).value
                await feed.until("/events", lambda heard: isinstance(decode_server(heard.payload), ev.Played))
                server.kill()
            await feed.until("status", lambda heard: heard.payload == b"offline")
            await server.start()
            second = (await feed.until("/hands")).value
            match = (await feed.until("/matches")).value
    assert (2, f"{ann.code}/1/2") == (second["hand"], second["hand_id"])
    assert commitment(bytes.fromhex(second["seed"]), second["hand_id"]) == second["commitment"]
    totals = {}
    for one, two in zip(first["scores"], second["scores"], strict=True):
        assert one["points"] + two["points"] == two["total"]
        totals[two["seat"], two["name"]] = two["total"]
    assert totals == {(score["seat"], score["name"]): score["total"] for score in match["scores"]}
    best = max(totals.values())
    assert {seat for (seat, _), total in totals.items() if total == best} == {
        winner["seat"] for winner in match["winners"]
    }
    assert (2, f"{ann.code}/1") == (match["hands"], match["match"])


@pytest.mark.long
async def test_a_frozen_broker_holds_nobody_up(tmp_path: Path) -> None:
    """A broker that answers nothing costs the players nothing, and the server can be stopped."""
    async with Broker.running(tmp_path) as broker, told_server(broker) as (server, url):
        broker.freeze()
        async with Peer.hosting(url, seated=False, hands=1) as ann:
            await ann.ask(cl.AddBot)
            await ann.ask(cl.AddBot)
            await ann.ask(cl.Start)
            await ann.until(ev.MatchOver)
        server.stop()
        async with asyncio.timeout(PATIENCE):
            assert (await server.end()).code == 0
        broker.thaw()


@pytest.mark.long
async def test_a_match_is_watched_through_the_broker(tmp_path: Path) -> None:
    """`watch --mqtt` follows the bots of another program to the end of their match."""
    # Slower bots than elsewhere: on a busy machine the program would hear of the whole match at once.
    async with Broker.running(tmp_path) as broker, told_server(broker, "--bot-speed", "25") as (_, url):
        async with Peer.hosting(url, seated=False, hands=1) as ann, Listening.to(broker, "rd/pub/#") as feed:
            await ann.ask(cl.AddBot)
            await ann.ask(cl.AddBot)
            await feed.until("/snapshot")
            async with started(CLIENT, "watch", "--mqtt", broker.url, f"a1/{ann.code}") as onlooker:
                await onlooker.line(ann.code)
                await ann.ask(cl.Start)
                await onlooker.line("foundations")
                await ann.until(ev.MatchOver)
                await onlooker.line("won")
                ended = await onlooker.end()
    assert (ended.code, ended.err) == (0, "")


async def test_a_password_stays_out_of_every_log(tmp_path: Path) -> None:
    """A broker that wants another password is told of once, and without the one that was tried."""
    async with Broker.running(tmp_path, "allow_anonymous false") as broker:
        arguments = ("--mqtt", broker.url.replace("//", "//ann@"), "--log-level", "debug")
        secret = {"RACING_DEMON_MQTT_PASSWORD": "s3cret-word"}
        async with server_process(*arguments, env=secret) as (server, _):
            assert server.process.stderr is not None
            told = b""
            async with deadline(lambda: told):
                while b"cannot be reached" not in told:
                    told += (line := await timeout(PATIENCE, server.process.stderr.readline()))
                    assert line, told
            server.stop()
            ended = await server.end()
    assert re.search(rb"[Nn]ot authori[sz]ed", told)
    assert "s3cret-word" not in told.decode() + ended.err + ended.out
