"""What operators can measure, and who may read it."""

import asyncio
import itertools
import json
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, NamedTuple

from prometheus_client.parser import text_string_to_metric_families
from websockets.datastructures import Headers
from websockets.frames import Frame, Opcode
from websockets.http11 import Request

from racing_demon_protocol.enums import Reason
from racing_demon_protocol.wire.messages import client as cl
from racing_demon_protocol.wire.messages import events as ev
from racing_demon_protocol.wire.messages.server import Accepted, Refused
from racing_demon_protocol.wire.options import Options
from racing_demon_server.journal.null_journal import NullJournal
from racing_demon_server.journal.sqlite.backup_time import note_backup
from racing_demon_server.journal.sqlite.database import reports_of
from racing_demon_server.mqtt.publish_queue import PublishQueue
from racing_demon_server.mqtt.topics import Topics
from racing_demon_server.net.handler import MetricsHooks
from racing_demon_server.net.http import is_local
from racing_demon_server.net.table_service import TableService
from racing_demon_server.ops.metrics import BesideTables, Metrics
from racing_demon_server.settings import ServerSettings
from racing_demon_server.tables.registry import Registry
from tests.support.cases import for_each
from tests.support.clocks import clock
from tests.support.ports import free_port, port_of
from tests.support.servers import (
    PATIENCE,
    OpenService,
    Peer,
    Served,
    deadline,
    relay_of,
    serving,
    start,
    timeout,
)
from tests.support.tables import OpenTable
from tests.support.virtual_rooms import in_virtual_time, now
from tests.support.whole_servers import whole_server

PLAY = cl.PlayCards(counter=1, source=1, count=1, destination=-1, seen=0)


@asynccontextmanager
async def measured(service: OpenService = TableService, **settings: Any) -> AsyncIterator[Served]:
    """Run a server with metrics in this process."""
    chosen = ServerSettings(**{"port": 0, **settings})
    metrics = Metrics()
    registry = Registry(chosen, clock, NullJournal(), [metrics])
    hooks = MetricsHooks(metrics.text, metrics.cut, metrics.refused)
    server = await start(chosen, registry, clock, hooks, service)
    port = server.port
    try:
        yield Served(f"ws://127.0.0.1:{port}/v1", registry, server, chosen)
    finally:
        server.close()
        await timeout(PATIENCE, server.wait_closed())
        registry.close()


async def get(port: int, path: str, *headers: str) -> tuple[str, str]:
    """Return the head and the body of an answer over plain HTTP."""
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    lines = [f"GET {path} HTTP/1.1", "Host: 127.0.0.1", "Connection: close", *headers, "", ""]
    writer.write("\r\n".join(lines).encode())
    answer = (await timeout(PATIENCE, reader.read())).decode()
    writer.close()
    await writer.wait_closed()
    head, _, body = answer.partition("\r\n\r\n")
    return head, body


def numbers_in(text: str) -> dict[str, float]:
    """Return the samples of a page by their names and labels."""
    return {
        sample.name
        + ",".join(f" {key}={value}" for key, value in sorted(sample.labels.items())): sample.value
        for family in text_string_to_metric_families(text)
        for sample in family.samples
    }


async def numbers(served: Served) -> dict[str, float]:
    """Return what the server measures now."""
    return numbers_in((await get(served.port, "/metrics"))[1])


def table() -> OpenTable:
    """Return a table with nobody at it."""
    return OpenTable("BCDF", Options(), iter([bytes(32)]))


# What is counted.


async def test_it_says_what_runs() -> None:
    """Server, protocol and Python tell their versions."""
    async with measured() as served:
        _, page = await get(served.port, "/metrics")
    assert 'racing_demon_build_info{protocol="1",python="3.' in page
    assert 'version="0.' in page


async def test_spectators_of_a_relay_are_counted() -> None:
    """A relay counts the spectators who watch at it."""
    async with (
        serving() as owner,
        measured(relay_of(owner.url)) as relay,
        Peer.hosting(owner.url) as ann,
    ):
        watch = cl.Watch(code=ann.code)
        async with Peer.entered(relay.url, watch), Peer.entered(relay.url, watch):
            assert (await numbers(relay))["racing_demon_spectators"] == 2


async def test_tables_seats_and_spectators_are_counted() -> None:
    """A table of a person and a bot with one to watch it is one table, two seats and one spectator."""
    async with measured() as served, Peer.hosting(served.url) as ann:
        await ann.ask(cl.AddBot)
        async with Peer.entered(served.url, cl.Watch(code=ann.code)):
            found = await numbers(served)
    told = {name: value for name, value in found.items() if name.startswith("racing_demon_") and value == 1}
    assert {
        "racing_demon_tables phase=lobby",
        "racing_demon_tables_opened_total",
        "racing_demon_seats by=person",
        "racing_demon_seats by=bot",
        "racing_demon_spectators",
    } <= told.keys()
    assert found["racing_demon_connections"] == 2


async def test_a_seat_whose_player_is_away_is_told_apart() -> None:
    """A lost connection leaves its seat, and is no person who plays."""
    async with measured() as served, Peer.hosting(served.url) as ann:
        async with Peer.entered(served.url, cl.Join(code=ann.code, name="Ben")):
            pass
        while (await ann.until(ev.Connected)).connected:
            pass
        found = await numbers(served)
    assert (found["racing_demon_seats by=person"], found["racing_demon_seats by=away"]) == (1, 1)


async def test_a_table_that_was_closed_is_not_counted() -> None:
    """What is open goes down again, what was ever opened does not."""
    async with measured() as served, Peer.hosting(served.url) as ann:
        served.registry.discard(served.registry.room(ann.code))
        found = await numbers(served)
    assert sum(value for name, value in found.items() if name.startswith("racing_demon_tables phase")) == 0
    assert found["racing_demon_tables_opened_total"] == 1


async def test_plays_of_people_and_of_bots_are_counted_apart() -> None:
    """Each accepted play is counted by who made it, and a person's with the time it took."""
    async with measured(bot_speed=100) as served, Peer.hosting(served.url) as ann:
        await ann.ask(cl.AddBot)
        await ann.ask(cl.Start)
        await ann.until(ev.Signalled)
        while True:  # a bot may be faster
            assert ann.view.hand is not None
            play = next(ann.view.hand.rules.legal_plays(ann.view.hand.board, 0))
            fields = {"source": play.source, "count": play.count, "destination": play.destination}
            if not isinstance(await ann.ask(cl.PlayCards, **fields, seen=ann.view.seq), Refused):
                break
        while (await ann.until(ev.Played)).seat != 1:
            pass
        found = await numbers(served)
    assert found["racing_demon_plays_total by=person"] == 1
    assert found["racing_demon_plays_total by=bot"] >= 1
    assert found["racing_demon_play_seconds_count result=accepted"] == 1
    assert 0 < found["racing_demon_play_seconds_sum result=accepted"] < PATIENCE


async def test_refusals_are_counted_by_their_reason() -> None:
    """A table's own, and those of requests that come to no table."""
    async with measured() as served, Peer.hosting(served.url) as ann, Peer.connect(served.url) as eve:
        await ann.ask(cl.PlayCards, source=0, count=1, destination=-1, seen=0)
        await eve.greet()
        await eve.say(cl.Watch(code="XXXX"))
        await eve.until(Refused)
        found = await numbers(served)
    assert found["racing_demon_refusals_total reason=not_started"] == 1
    assert found["racing_demon_refusals_total reason=unknown_table"] == 1
    assert found["racing_demon_play_seconds_count result=refused"] == 1


async def test_commands_that_come_too_fast_are_counted() -> None:
    """What the gateway refuses for its haste is a refusal like others."""
    async with measured(commands_per_second=1e-6, command_burst=1) as served:
        async with Peer.hosting(served.url) as ann:
            ann.burst([ann.next(cl.AddBot), ann.next(cl.AddBot)])
            await ann.until(Refused)
            found = await numbers(served)
    assert found["racing_demon_refusals_total reason=too_fast"] == 1


async def test_connections_that_the_server_ends_are_counted() -> None:
    """Each with the word that says why."""
    async with measured() as served:
        for frame in (b"", b"\xc1"):
            async with Peer.connect(served.url) as peer:
                await peer.greet()
                await peer.send(frame)
                await peer.closed()
        found = await numbers(served)
    assert found["racing_demon_cuts_total why=bad_frame"] == 2


async def test_a_connection_is_ended_once() -> None:
    """However much of what came with it would end it again."""
    async with measured(frame_burst=5, frames_per_second=1e-3) as served:
        async with Peer.connect(served.url) as peer:
            await peer.greet()
            served.newest().data_received(Frame(Opcode.BINARY, b"\xc1").serialize(mask=True) * 20)
            await peer.closed()
        found = await numbers(served)
    assert {
        name.split()[1]: count for name, count in found.items() if name.startswith("racing_demon_cuts_total ")
    } == {"why=bad_frame": 1}


def test_a_lost_race_is_counted_with_how_late_it_was() -> None:
    """3.5 milliseconds fall between the bounds of 2 and 5 milliseconds."""
    metrics = Metrics()
    beaten = Refused(counter=1, reason=Reason.BEATEN, text="Bo was faster.", by=2, late_us=3_500)
    metrics.answered(table(), PLAY, beaten, 120)
    found = numbers_in(metrics.text(0, 0))
    assert found["racing_demon_refusals_total reason=beaten"] == 1
    assert found["racing_demon_race_late_seconds_bucket le=0.002"] == 0
    assert found["racing_demon_race_late_seconds_bucket le=0.005"] == 1
    assert found["racing_demon_race_late_seconds_sum"] == 0.0035


@for_each(
    ("took_us", "bound"), [(50, "5e-05"), (51, "0.0001"), (900, "0.001"), (50_000, "0.05"), (50_001, "+Inf")]
)
def test_the_time_of_a_play_falls_between_its_bounds(took_us: int, bound: str) -> None:
    """The bounds go from 50 microseconds to 50 milliseconds."""
    metrics = Metrics()
    metrics.carried_out(table(), [took_us])
    found = numbers_in(metrics.text(0, 0))
    prefix = "racing_demon_play_seconds_bucket le="
    assert bound == next(
        name.removeprefix(prefix).partition(",")[0]
        for name, value in found.items()
        if name.startswith(prefix) and name.endswith("result=accepted") and value
    )


def test_other_commands_are_not_timed_as_plays() -> None:
    """Adding a bot says nothing about the race."""
    metrics = Metrics()
    metrics.answered(table(), cl.AddBot(counter=1), Accepted(counter=1, seq=2), 10)
    assert numbers_in(metrics.text(0, 0))["racing_demon_play_seconds_count result=accepted"] == 0


def test_a_play_of_a_seat_that_is_gone_already_does_no_harm() -> None:
    """What is told of happened before; the table may be further on."""
    metrics = Metrics()
    metrics.published(table(), [ev.Played(seq=1, seat=7, counter=3, source=1, count=1, destination=2)])
    metrics.published(table(), [ev.Played(seq=2, seat=7, counter=0, source=1, count=1, destination=2)])
    found = numbers_in(metrics.text(0, 0))
    assert found["racing_demon_plays_total by=person"] == 1
    assert found["racing_demon_plays_total by=table"] == 1


def test_the_lag_of_the_loop_is_measured() -> None:
    """A loop that comes 30 milliseconds late four times a second is measured as that late."""
    metrics = Metrics()
    late = itertools.cycle([0, 30_000])

    async def history() -> None:
        measuring = asyncio.create_task(metrics.measure_lag(lambda: now() + next(late)))
        await asyncio.sleep(1.1)
        measuring.cancel()

    in_virtual_time(history())
    found = numbers_in(metrics.text(0, 0))
    assert found["racing_demon_loop_lag_seconds_bucket le=0.02"] == 0
    assert found["racing_demon_loop_lag_seconds_bucket le=0.05"] == 4


def test_two_servers_in_one_process_count_apart() -> None:
    """There is no registry that all share."""
    one, other = Metrics(), Metrics()
    one.opened(table())
    assert numbers_in(other.text(0, 0))["racing_demon_tables_opened_total"] == 0


async def test_no_table_and_no_player_is_in_the_metrics() -> None:
    """Neither a name nor a code nor a token makes a label."""
    async with measured() as served, Peer.hosting(served.url) as ann:
        _, page = await get(served.port, "/metrics")
        assert not [word for word in ("Ann", ann.code, ann.token) if word in page]


# Who may read it.


async def test_metrics_come_as_prometheus_reads_them() -> None:
    """The answer says which text format it has, and is not to be kept."""
    async with measured() as served:
        head, _ = await get(served.port, "/metrics")
    assert head.startswith("HTTP/1.1 200 ")
    assert "Content-Type: text/plain; version=0.0.4" in head
    assert "Cache-Control: no-store" in head


@for_each("header", ["X-Forwarded-For: 127.0.0.1", "Forwarded: for=x", "via: 1.1 proxy"])
async def test_a_proxy_does_not_make_strangers_local(header: str) -> None:
    """What a proxy on this machine asks for somebody else is refused."""
    async with measured() as served:
        head, _ = await get(served.port, "/metrics", header)
        assert head.startswith("HTTP/1.1 404 ")


async def test_an_operator_can_show_them_to_all() -> None:
    """With the setting, whoever reaches the port reads them."""
    async with measured(metrics_public=True) as served:
        head, _ = await get(served.port, "/metrics", "X-Forwarded-For: 203.0.113.7")
        assert head.startswith("HTTP/1.1 200 ")


@for_each(
    ("address", "local"),
    [
        ("127.0.0.1", True),
        ("127.8.8.8", True),
        ("::1", True),
        ("::ffff:127.0.0.1", True),
        ("192.168.1.5", False),
        ("::ffff:192.168.1.5", False),
        ("fe80::1%eth0", False),
        ("", False),
    ],
)
def test_only_this_machine_is_local(address: str, local: bool) -> None:
    """The other machines of a network are not, in IPv4 or IPv6, nor whoever is gone already."""
    assert local is is_local(address, Request("/metrics", Headers(Host="127.0.0.1:5252")))


async def test_healthz_counts_tables_in_json() -> None:
    """A program that looks after the server can read how it is."""
    async with serving() as served, Peer.hosting(served.url):
        head, body = await get(served.port, "/healthz")
    assert "Content-Type: application/json" in head
    assert json.loads(body) == {"status": "ok", "tables": 1}


async def test_the_program_measures() -> None:
    """As operators have it, it shows its metrics to this machine, its process's among them."""
    async with whole_server() as (_, url):
        port = port_of(url)
        found = numbers_in((await get(port, "/metrics"))[1])
    assert found["racing_demon_connections"] == 0
    assert found["process_resident_memory_bytes"] > 1e6


async def test_what_waits_for_the_broker_is_measured() -> None:
    """A server that cannot reach its broker shows how much it would have told."""
    broker = f"mqtt://127.0.0.1:{free_port()}"
    async with whole_server(mqtt_url=broker) as (_, url), Peer.hosting(url):
        port = port_of(url)
        found = numbers_in((await get(port, "/metrics"))[1])
    assert found["racing_demon_broker_waiting"] >= 2  # Ann has come, and is the host
    assert found["racing_demon_broker_dropped_total"] == 0
    assert found["racing_demon_broker_connected"] == 0


async def test_what_an_operator_has_to_see_to_is_measured(tmp_path: Path) -> None:
    """The age of the last backup, and open reports; nothing of what a server does not have."""
    journal = tmp_path / "journal.sqlite"
    note_backup(journal, time.time() - 3_600)
    reports = reports_of(journal)
    reports.mkdir()
    for name in ("1.json", "2.json", "3.done"):
        (reports / name).write_text("{}")
    async with whole_server(journal) as (_, url), deadline(lambda: found):
        found = {"racing_demon_backup_age_seconds": 0.0}
        while found.get("racing_demon_reports_open") != 2:
            found = numbers_in((await get(port_of(url), "/metrics"))[1])
            await asyncio.sleep(0.1)
    assert 3_600 <= found["racing_demon_backup_age_seconds"] < 3_600 + PATIENCE
    assert found["racing_demon_limit of=reports"] == 500
    lacking = {"racing_demon_broker_connected", "racing_demon_webhook_well"}
    assert lacking & found.keys() == set()
    assert "racing_demon_backup_age_seconds" not in numbers_in(Metrics().text(0, 0))


class Away(NamedTuple):
    """A broker that is not connected."""

    queue: PublishQueue
    online: bool


def test_what_the_broker_never_gets_is_counted() -> None:
    """Where the line is full, an event that comes pushes the oldest out."""
    queue, opened = PublishQueue(Topics("a1"), homeassistant=False, max_waiting=3), table()
    queue.open(opened, 0)
    for name in ("Ann", "Ben", "Cat", "Don"):
        queue.add(opened, opened.join(name, name.encode(), 0)[1], 0)
    found = numbers_in(Metrics().text(0, 0, BesideTables([Away(queue, online=False)])))
    assert (found["racing_demon_broker_waiting"], found["racing_demon_broker_dropped_total"]) == (3, 3)


def test_the_journal_is_measured() -> None:
    """How long writing takes, how much waits, and how often the disk took nothing."""
    metrics = Metrics()
    for seconds in (0.00015, 0.3):
        metrics.written(seconds)
    metrics.waiting(7)
    metrics.failed()
    numbers = numbers_in(metrics.text(0, 0))
    assert numbers["racing_demon_journal_waiting"] == 7
    assert numbers["racing_demon_journal_errors_total"] == 1
    assert (
        numbers["racing_demon_journal_seconds_count"],
        numbers["racing_demon_journal_seconds_bucket le=0.1"],
    ) == (2, 1)
