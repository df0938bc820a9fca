"""The connection to a real broker: as whom, with which will, and how a broker is checked."""

import asyncio
import os
from asyncio.subprocess import DEVNULL
from pathlib import Path
from typing import Final

import pytest

from racing_demon_protocol.discovery.broker_address import parse_broker
from racing_demon_server.mqtt import broker_connection
from racing_demon_server.mqtt.broker_connection import BrokerGone, connected
from racing_demon_server.mqtt.publish_queue import Outgoing
from racing_demon_server.mqtt.topics import Topics
from tests.support.brokers import ACCEPTED, Broker, Listening, hanging_up
from tests.support.cases import for_each
from tests.support.servers import PATIENCE, timeout

TOPICS: Final = Topics("hall")
OWN: Final = ("user root",) if os.geteuid() == 0 else ()
"""Root's broker would become another user, who may not look into a test's folder."""


async def test_a_node_has_its_name_its_account_and_a_short_silence(tmp_path: Path) -> None:
    """The broker knows it by its name and user, and asks after four seconds of silence whether it lives."""
    passwords = tmp_path / "passwords"
    made = await asyncio.create_subprocess_exec(
        "mosquitto_passwd", "-b", "-c", str(passwords), "ann", "s3cret"
    )
    assert await timeout(PATIENCE, made.wait()) == 0
    closed = ("allow_anonymous false", f"password_file {passwords}", *OWN)
    async with Broker.running(tmp_path, *closed) as broker:
        for account in ("", "ann:wrong@"):
            with pytest.raises(BrokerGone):
                async with connected(parse_broker(broker.url.replace("//", f"//{account}"), {}), TOPICS):
                    pass
        async with connected(parse_broker(broker.url.replace("//", "//ann:s3cret@"), {}), TOPICS) as link:
            await link.publish_status(b"online")
            await broker.says("as rd-hall (p5, c1, k4, u'ann')")


async def test_whoever_takes_a_node_s_place_has_its_will_told(tmp_path: Path) -> None:
    """A server that comes back ends the connection of the one before; the broker tells and keeps that."""
    async with Broker.running(tmp_path) as broker:
        address, second_quality = parse_broker(broker.url, {}), ("-q", "2")
        async with Listening.to(broker, TOPICS.status, more=second_quality) as feed:
            async with connected(address, TOPICS) as first:
                async with connected(address, TOPICS):
                    will = await feed.until("status")
                with pytest.raises(BrokerGone):
                    await timeout(PATIENCE, first.listen(lambda _: None))
        async with Listening.to(broker, TOPICS.status) as late:
            kept = await late.until("status")
    assert (will.payload, will.qos) == (b"offline", 1)
    assert (kept.payload, kept.kept) == (b"offline", True)


async def test_what_a_broker_sends_is_bounded_and_the_library_logs_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """Of messages that nobody takes some are kept; each request has two seconds."""
    monkeypatch.setattr(broker_connection, "MAX_INCOMING", 3)
    async with Broker.running(tmp_path) as broker, connected(parse_broker(broker.url, {}), TOPICS) as link:
        client = link._client
        assert client.timeout == broker_connection.PATIENCE
        await client.subscribe("a")
        await link.send([Outgoing("a", b"1") for _ in range(10)])
        await client.unsubscribe("a")
        assert len(client.messages) == 3
    assert caplog.records == []


async def test_what_is_longer_than_ours_stays_at_the_broker(tmp_path: Path) -> None:
    """Whoever may write there cannot fill a server's memory, or keep it from telling what happens."""
    short, last = TOPICS.table("bcdf"), "last"
    sizes = {TOPICS.table("zzzz"): 1_000_000, short: 60_000}
    async with Broker.running(tmp_path) as broker:
        address, heard = parse_broker(broker.url, {}), list[str]()
        async with connected(address, TOPICS) as link:
            await link.send([Outgoing(topic, bytes(size), 1, retain=True) for topic, size in sizes.items()])
            for topic in (*sizes, last):
                await link._client.subscribe(topic)
            await link.send([Outgoing(last, b"")])  # it comes behind what was retained
            async for message in link._client.messages:
                heard.append(message.topic.value)
                if heard[-1] == last:
                    break
    assert heard == [short, last]


async def test_a_broker_that_knows_no_newer_version_is_used() -> None:
    """It refuses MQTT 5 as the older standard says, and is asked once more."""
    versions = list[int]()

    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        asked = await reader.read(1_000)
        versions.append(asked[asked.index(b"MQTT") + 4])
        writer.write(b"\x20\x02\x00" + (b"\x00" if versions[-1] == 4 else b"\x01"))
        if versions[-1] == 4:
            await reader.read()
        writer.close()

    async with await asyncio.start_server(answer, "127.0.0.1", 0) as server:
        port = server.sockets[0].getsockname()[1]
        async with connected(parse_broker(f"mqtt://127.0.0.1:{port}", {}), TOPICS):
            assert versions == [5, 4]


async def test_a_broker_that_hangs_up_at_once_is_gone_and_nothing_is_logged() -> None:
    """It says yes and closes the connection: whoever sends hears it, and the loop has nothing to warn of."""
    async with hanging_up() as (url, warned):
        with pytest.raises(BrokerGone):
            async with connected(parse_broker(url, {}), TOPICS) as link:
                await link.publish_status(b"online")
    assert warned == []


@for_each("first", [b"", ACCEPTED])
async def test_a_broker_that_hangs_is_left(first: bytes, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing stays open to it when it has not answered in time, be it the greeting or what was sent."""
    monkeypatch.setattr(broker_connection, "PATIENCE", 0.05)
    monkeypatch.setattr(broker_connection, "KEEPALIVE", 600)  # the library would leave by itself after that
    left = asyncio.Event()

    async def hang(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.read(1_000)
        writer.write(first)
        await reader.read()
        left.set()
        writer.close()

    async with await asyncio.start_server(hang, "127.0.0.1", 0) as server:
        port = server.sockets[0].getsockname()[1]
        with pytest.raises(BrokerGone):
            async with connected(parse_broker(f"mqtt://127.0.0.1:{port}", {}), TOPICS) as link:
                await link.publish_status(b"online")
        await timeout(PATIENCE, left.wait())


async def test_a_broker_with_a_certificate_of_its_own_is_reached(tmp_path: Path) -> None:
    """Where its address names the authority that has signed it."""
    certificate, key = tmp_path / "broker.crt", tmp_path / "broker.key"
    made = await asyncio.create_subprocess_exec(
        *("openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-noenc"),
        *("-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost"),
        *("-out", str(certificate), "-keyout", str(key)),
        stderr=DEVNULL,
    )
    assert await timeout(PATIENCE, made.wait()) == 0
    async with Broker.running(tmp_path, f"certfile {certificate}", f"keyfile {key}", *OWN) as broker:
        url = f"mqtts://localhost:{broker.port}?ca={certificate}"
        async with connected(parse_broker(url, {}), TOPICS) as link:
            await link.publish_status(b"online")
