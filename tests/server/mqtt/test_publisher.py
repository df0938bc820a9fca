"""The publisher beside a hall in this process, and a real broker."""

import asyncio
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from racing_demon_protocol.discovery.broker_address import PASSWORD
from racing_demon_protocol.discovery.directory import ListedTable
from racing_demon_protocol.table import scoring
from racing_demon_protocol.table.state import TableState
from racing_demon_protocol.wire.codec import encode
from racing_demon_protocol.wire.messages import Event
from racing_demon_protocol.wire.messages import client as cl
from racing_demon_protocol.wire.messages import events as ev
from racing_demon_protocol.wire.messages.server import Snapshot
from racing_demon_protocol.wire.options import Options
from racing_demon_server.journal.null_journal import NullJournal
from racing_demon_server.mqtt import publisher as publisher_module
from racing_demon_server.mqtt.publisher import Publisher, publisher_of
from racing_demon_server.network_interfaces import own_urls
from racing_demon_server.settings import ServerSettings
from racing_demon_server.tables.registry import Registry
from tests.support.brokers import Broker, Listening
from tests.support.clocks import clock
from tests.support.ports import free_port
from tests.support.servers import PATIENCE, Peer, logged_warnings, start, timeout
from tests.support.tables import OpenTable


class House(NamedTuple):
    """A server in this process, with its publisher."""

    url: str
    registry: Registry
    publisher: Publisher


@asynccontextmanager
async def publishing(
    mqtt_url: str, find_urls: Callable[[], Sequence[str]] | None = None, **settings: Any
) -> AsyncIterator[House]:
    """Run a server that tells a broker of its tables as node ``a1``, at its own or other addresses."""
    chosen = ServerSettings(**{"port": 0, "mqtt_url": mqtt_url, "node": "a1", "bot_speed": 100.0, **settings})
    publisher = publisher_of(chosen, clock)
    registry = Registry(chosen, clock, NullJournal(), [publisher])
    server = await start(chosen, registry, clock)
    port = server.port
    publisher.start(find_urls or (lambda: own_urls(chosen.host, port)))
    try:
        yield House(f"ws://127.0.0.1:{port}/v1", registry, publisher)
    finally:
        server.close()
        await timeout(PATIENCE, server.wait_closed())
        registry.close()
        await publisher.stop()


async def play_match(house: House, **options: Any) -> tuple[Peer, list[Event]]:
    """Let two bots play a match, and return its events as a spectator got them."""
    async with Peer.hosting(house.url, seated=False, hands=1, **options) as ann:
        await ann.ask(cl.AddBot)
        await ann.ask(cl.AddBot)
        async with Peer.entered(house.url, cl.Watch(code=ann.code)) as eve:
            await ann.ask(cl.Start)
            events: list[Event] = []
            while not (events and isinstance(events[-1], ev.MatchOver)):
                events.append(await eve.until(Event))
            return eve, events


async def test_a_node_without_a_name_is_called_by_chance(caplog: pytest.LogCaptureFixture) -> None:
    """By twelve letters, another time by others; a warning tells them."""
    nodes = set()
    for _ in range(2):
        publisher = publisher_of(ServerSettings(mqtt_url="mqtt://127.0.0.1"), clock)
        assert (len(publisher.queue), publisher.queue.dropped, publisher.online) == (0, 0, False)
        publisher.opened(OpenTable("BCDF", Options(), iter([bytes(32)])))
        nodes.add(publisher.queue.pop_due(clock(), 1)[0].topic.split("/")[2])
    assert [len(node) for node in nodes] == [12, 12]
    assert {vars(record)["node"] for record in caplog.records} == nodes


async def test_the_password_of_a_broker_comes_from_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    """Other users of the machine can read a command line."""
    monkeypatch.setenv(PASSWORD, "s3cret-word")
    publisher = publisher_of(ServerSettings(mqtt_url="mqtt://ann@127.0.0.1"), clock)
    assert publisher._address.password == "s3cret-word"  # noqa: S105


async def test_addresses_follow_the_machine_into_another_network(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nothing happens at the table, and yet the directory names where it can be joined now."""
    monkeypatch.setattr(publisher_module, "REFRESH_SECONDS", 0.02)
    urls = ["ws://192.0.2.1:5252"]
    async with (
        Broker.running(tmp_path) as broker,
        Listening.to(broker) as feed,
        publishing(broker.url, lambda: urls) as house,
        Peer.hosting(house.url) as ann,
    ):
        topic = f"tables/{ann.code.lower()}"
        await feed.until(topic, lambda heard: heard.value["urls"] == ["ws://192.0.2.1:5252"])
        urls[:] = ["ws://198.51.100.7:5252"]
        await feed.until(topic, lambda heard: heard.value["urls"] == ["ws://198.51.100.7:5252"])


async def test_a_table_is_in_the_directory_while_it_is_open(tmp_path: Path) -> None:
    """Its record says all that somebody needs to come, and goes when the table closes."""
    async with Broker.running(tmp_path) as broker, Listening.to(broker) as feed:
        async with publishing(broker.url) as house:
            await feed.until("a1/status", lambda heard: heard.payload == b"online")
            async with Peer.hosting(house.url) as ann:
                await ann.ask(cl.AddBot, level="hard")
                heard = await feed.until(
                    f"tables/{ann.code.lower()}", lambda heard: heard.value["taken"] == 2
                )
        gone = await feed.until(f"tables/{ann.code.lower()}", lambda heard: not heard.payload)
        await feed.until("a1/status", lambda heard: heard.payload == b"offline")
    record = heard.value
    assert ListedTable.model_validate(record).model_dump(mode="json") == record
    assert record.pop("urls") == [house.url.removesuffix("/v1")]
    assert record == {
        "v": 1,
        "node": "a1",
        "code": ann.code,
        "game": "racing-demon",
        "title": "Klondike race",
        "phase": "lobby",
        "hand": 0,
        "hands": 5,
        "target": None,
        "taken": 2,
        "free": 6,
        "late_join": True,
        "locked": False,
        "spectators": True,
        "players": [
            {"seat": 0, "name": "Ann", "bot": "", "host": True, "total": 0},
            {"seat": 1, "name": "Ada", "bot": "hard", "host": False, "total": 0},
        ],
    }
    assert (heard.qos, gone.qos) == (1, 1)


async def test_events_are_the_bytes_of_the_wire_and_results_add_up(tmp_path: Path) -> None:
    """A spectator at the table and one at the broker get the same bytes, and hand and match are told."""
    async with Broker.running(tmp_path) as broker, Listening.to(broker, "rd/pub/#") as feed:
        async with publishing(broker.url) as house:
            await feed.until("status")
            eve, events = await play_match(house)
            match = await feed.until("/matches")
            code = eve.code.lower()
            await feed.until("/state", lambda heard: heard.value["phase"] == "over")
        hand = next(heard for heard in feed.heard if heard.topic.endswith(f"{code}/hands"))
        published = [heard.payload for heard in feed.heard if heard.topic.endswith(f"{code}/events")]
    assert published[-len(events) :] == [encode(event) for event in events]
    over = next(event for event in events if isinstance(event, ev.HandOver))
    assert [score["points"] for score in hand.value["scores"]] == list(over.points)
    assert (hand.value["seed"], hand.value["hand_id"], hand.qos) == (over.seed, eve.view.hand_id, 1)
    assert [winner["seat"] for winner in match.value["winners"]] == list(eve.view.winners)
    assert {score["seat"]: score["total"] for score in match.value["scores"]} == scoring.totals(eve.view)


async def test_results_are_told_before_the_server_is_gone(tmp_path: Path) -> None:
    """A server that stops tells the results of a table that is seen a minute late, but not its events."""
    async with Broker.running(tmp_path) as broker, Listening.to(broker, "rd/pub/#") as feed:
        async with publishing(broker.url) as house:
            await feed.until("status")
            async with Peer.hosting(house.url, hands=1, watch_delay_ms=60_000) as ann:
                await ann.ask(cl.Start)
                await ann.until(ev.Signalled)
                await ann.ask(cl.Stuck)
        await feed.until("status", lambda heard: heard.payload == b"offline")
    leaves = [heard.topic.rpartition("/")[2] for heard in feed.heard]
    assert tuple(map(leaves.count, ("hands", "matches", "events"))) == (1, 1, 0)


async def test_whoever_comes_late_finds_the_table_with_the_broker(tmp_path: Path) -> None:
    """Record, state and snapshot are kept; the snapshot is one of the wire, and makes a mirror."""
    async with Broker.running(tmp_path) as broker, publishing(broker.url) as house:
        async with Peer.hosting(house.url) as ann:
            async with Listening.to(broker, "rd/pub/a1/tables/+/+", "rd/pub/a1/tables/+") as early:
                await early.until("/snapshot")
            async with Listening.to(broker, "rd/pub/a1/tables/+/+", "rd/pub/a1/tables/+") as late:
                heard = await late.until("/snapshot")
                assert heard.kept
            snapshot = ann.apply(heard.payload)
    assert isinstance(snapshot, Snapshot)
    assert TableState.from_snapshot(snapshot).code == ann.code


async def test_home_assistant_is_told_only_if_that_is_wanted(tmp_path: Path) -> None:
    """The sensor of a table and the event of the node are described where Home Assistant looks."""
    async with Broker.running(tmp_path) as broker, Listening.to(broker) as feed:
        async with publishing(broker.url), asyncio.timeout(PATIENCE):
            await feed.until("/status")
        async with publishing(broker.url, homeassistant=True) as house:
            demon = await feed.until("event/rd_a1/demon/config")
            async with Peer.hosting(house.url) as ann:
                sensor = await feed.until(f"sensor/rd_a1/{ann.code.lower()}/config")
        await feed.until(f"sensor/rd_a1/{ann.code.lower()}/config", lambda heard: not heard.payload)
    before = feed.heard[: feed.heard.index(demon)]
    assert not any(heard.topic.startswith("homeassistant") for heard in before)
    assert demon.value["state_topic"] == "rd/pub/a1/demon"
    assert sensor.value["state_topic"] == f"rd/pub/a1/tables/{ann.code.lower()}/state"
    assert sensor.value["availability_topic"] == "rd/pub/a1/status"


async def test_what_an_earlier_server_left_is_tidied_away(tmp_path: Path) -> None:
    """A node that comes back removes the tables that are not there any more, and nobody else's."""
    async with Broker.running(tmp_path) as broker:
        async with Listening.to(broker, "rd/pub/#") as feed:
            for topic in ("a1/tables/old", "a1/tables/old/snapshot", "b2/tables/old"):
                leave = ("-r", "-q", "1", "-m", "left", "-h", "127.0.0.1", "-p", str(broker.port))
                process = await asyncio.create_subprocess_exec(
                    "mosquitto_pub", *leave, "-t", f"rd/pub/{topic}"
                )
                await timeout(PATIENCE, process.wait())
            async with publishing(broker.url):
                await feed.until("a1/tables/old", lambda heard: not heard.payload)
                await feed.until("a1/tables/old/snapshot", lambda heard: not heard.payload)
        async with Listening.to(broker, "rd/pub/#") as late:
            kept = {(await late.next()).topic, (await late.next()).topic}
        assert kept == {"rd/pub/b2/tables/old", "rd/pub/a1/status"}


@pytest.mark.long
async def test_an_outage_is_told_once_and_play_goes_on(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """Without a broker a match is played as ever; one line says what is wrong, and one that it is over."""
    broker = Broker(tmp_path)
    async with publishing(broker.url) as house:
        _, events = await play_match(house)
        assert isinstance(events[-1], ev.MatchOver)
        async with Peer.hosting(house.url) as ann:
            await broker.start()
            async with asyncio.timeout(PATIENCE), Listening.to(broker, "rd/pub/a1/tables/+") as feed:
                await feed.until(f"tables/{ann.code.lower()}")
    await broker.kill()
    told = [record.getMessage() for record in caplog.records if "broker" in record.getMessage()]
    assert len(told) == 2
    assert "cannot be reached" in told[0]
    assert told[1].endswith("is back")
    assert logged_warnings(caplog) == []


@pytest.mark.long
async def test_a_broker_that_stands_still_costs_only_a_short_line(tmp_path: Path) -> None:
    """While nothing is taken the line stays bounded and play goes on; then the directory is right again."""
    async with Broker.running(tmp_path) as broker, publishing(broker.url) as house:
        async with Listening.to(broker, "rd/pub/a1/status") as feed:
            await feed.until("status", lambda heard: heard.payload == b"online")
        house.publisher.queue._max_waiting = 100
        broker.freeze()
        await play_match(house)
        async with Peer.hosting(house.url) as ann:
            for _ in range(60):
                await ann.ask(cl.Ready, ready=True)
                await ann.ask(cl.Ready, ready=False)
            assert len(house.publisher.queue) <= 200
            broker.thaw()
            async with asyncio.timeout(PATIENCE), Listening.to(broker, "rd/pub/a1/#") as late:
                await late.until(f"tables/{ann.code.lower()}")


async def test_neither_password_nor_token_is_published_or_logged(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """All that a broker hears, and all that is logged at any level, holds no secret."""
    caplog.set_level("DEBUG")
    url = f"mqtt://ann:s3cret-word@127.0.0.1:{free_port()}"
    async with publishing(url) as house:
        await play_match(house)
    async with Broker.running(tmp_path) as broker, Listening.to(broker) as feed:
        async with publishing(broker.url.replace("//", "//ann:s3cret-word@")) as house:
            await feed.until("status")
            async with Peer.hosting(house.url) as ann:
                await feed.until(ann.code.lower())
            await play_match(house)
            await feed.until("/matches")
    logged = " ".join(record.getMessage() for record in caplog.records)
    published = b" ".join(heard.topic.encode() + heard.payload for heard in feed.heard)
    assert "s3cret-word" not in logged
    assert ann.token not in logged
    assert b"s3cret-word" not in published
    assert ann.token.encode() not in published
