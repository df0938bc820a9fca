"""Players in a database: behind the fence of the server that writes them, and with its key."""

import asyncio
import contextlib
import hashlib
import json
from collections.abc import Callable
from urllib.parse import urlsplit

import psycopg
import pytest

from racing_demon_cluster.players import PostgresPlayers
from racing_demon_cluster.postgres.store import PostgresStore
from racing_demon_cluster.results import JOURNAL, PostgresResults
from racing_demon_cluster.seed_encryption import ClusterKeys
from racing_demon_protocol.enums import Reason
from racing_demon_protocol.errors import CommandRefused
from racing_demon_protocol.wire.player_proof import secret_hash
from racing_demon_server.journal.interface import Fenced, JournalReader, JournalUnusable
from racing_demon_server.players.directory import FOR_HTTP, Directory, Guess, SignedIn
from racing_demon_server.players.keeper import PlayersKeeper
from racing_demon_server.players.store import Seating
from racing_demon_server.results.worker import ResultsWorker
from tests.support.postgres import KEY, Postgres
from tests.support.relay import Relay
from tests.support.servers import PATIENCE, timeout

NOW = 1_796_000_000_000
KEYS = [secret_hash(f"{number:064x}") for number in range(3)]


def unread() -> contextlib.AbstractContextManager[JournalReader]:
    """Stand for a journal that nobody reads."""
    raise AssertionError


def enroll(players: PostgresPlayers, number: int) -> int:
    """Make a player, and return the number of the device."""
    with players.transaction():
        _, device = Directory(players).enroll("Ann", KEYS[number], "", NOW, number.to_bytes(16))
    return device.number


def test_a_fenced_server_makes_no_player(
    servers: Postgres, name: str, opened: Callable[..., PostgresStore]
) -> None:
    """What others have fenced writes no player any more."""
    url, keys = servers.url(name), ClusterKeys([KEY])
    with contextlib.closing(PostgresPlayers(url, opened("n1").node, keys)) as players:
        enroll(players, 0)
        servers.sql("UPDATE nodes SET fenced = true", name)
        with pytest.raises(Fenced):
            enroll(players, 1)
    assert servers.sql("SELECT count(*) FROM players", name) == [(1,)]


async def test_what_waits_for_a_silent_database_can_be_ended(
    servers: Postgres, name: str, opened: Callable[..., PostgresStore]
) -> None:
    """The server that stops then is not kept, though the request to cancel has no answer, either."""
    url, node = servers.url(name, both=False), opened().node
    async with Relay.before(url) as way:
        through = urlsplit(url)._replace(netloc=f"rd@127.0.0.1:{urlsplit(way.url).port}").geturl()
        opening = asyncio.to_thread(PostgresPlayers, through, node, ClusterKeys([KEY]))
        with contextlib.closing(await opening) as players:
            way.hold()
            waiting = asyncio.create_task(asyncio.to_thread(enroll, players, 0))
            await asyncio.to_thread(players.interrupt)
            with pytest.raises(JournalUnusable):
                await timeout(PATIENCE, waiting)


def test_a_secret_is_one_devices_at_all_servers(
    servers: Postgres, name: str, opened: Callable[..., PostgresStore]
) -> None:
    """A server refuses a secret that another has seen, and reads that device with the same key only."""
    url, (one, other) = servers.url(name), [opened(node).node for node in ("n1", "n2")]
    with contextlib.ExitStack() as stack:
        first, second, stranger = [
            stack.enter_context(contextlib.closing(PostgresPlayers(url, node, ClusterKeys([key]))))
            for node, key in ((one, KEY), (other, KEY), (other, bytes(32)))
        ]
        number = enroll(first, 0)
        with pytest.raises(CommandRefused, match="in use"):
            enroll(second, 0)
        device = second.device(number)
        assert device is not None
        assert device.key == KEYS[0]
        with pytest.raises(JournalUnusable, match="another cluster key"):
            stranger.device(number)


def test_a_device_that_is_used_needs_no_older_key(
    servers: Postgres, name: str, opened: Callable[..., PostgresStore]
) -> None:
    """While the key is changed, a device is known, nobody else has its secret, and tokens are valid."""
    url, node, new = servers.url(name), opened("n1").node, b"n" * 32
    with contextlib.ExitStack() as stack:
        old, both, alone = [
            stack.enter_context(contextlib.closing(PostgresPlayers(url, node, ClusterKeys(keys))))
            for keys in ([KEY], [new, KEY], [new])
        ]
        used, unused = enroll(old, 0), enroll(old, 1)
        phone = both.device(used)
        assert phone is not None
        with pytest.raises(CommandRefused, match="in use"):
            enroll(both, 1)
        with both.transaction():
            Directory(both).see(phone, NOW)
        assert alone.device(used) == phone
        token = Directory(old).token(phone, NOW, FOR_HTTP)
        assert Directory(both).of_token(token, NOW, FOR_HTTP) == phone
        assert Directory(alone).of_token(token, NOW, FOR_HTTP) is None
        with pytest.raises(JournalUnusable, match="another cluster key"):
            alone.device(unused)


def test_a_user_of_a_sign_in_proxy_has_no_name_in_a_dump(
    servers: Postgres, name: str, opened: Callable[..., PostgresStore]
) -> None:
    """Nobody can try names at a copy of the database; who was kept otherwise is so until the next visit."""
    url, node, new, ann = servers.url(name), opened("n1").node, b"n" * 32, SignedIn("ann@example.org")
    plain = hashlib.sha256(ann.encode()).hexdigest()[:39]
    with contextlib.ExitStack() as stack:
        old, both, alone = [
            stack.enter_context(contextlib.closing(PostgresPlayers(url, node, ClusterKeys(keys))))
            for keys in ([KEY], [new, KEY], [new])
        ]

        def visit(players: PostgresPlayers) -> int:
            with players.transaction():
                return Directory(players).sign_in(ann, "Ann", NOW, bytes(range(48))).number

        number = visit(old)
        assert plain not in servers.dump(name)
        kept = f"UPDATE devices SET label = chr(1) || '{plain}'"  # noqa: S608 - a test's own
        servers.sql(kept, name)
        for players in (old, both, alone):
            known = Directory(players).signed_in(ann)
            assert known is not None
            assert visit(players) == number
            assert plain not in servers.dump(name)
    assert servers.sql("SELECT count(*) FROM players", name) == [(1,)]


async def test_a_text_that_no_database_can_hold_is_refused(
    servers: Postgres, name: str, opened: Callable[..., PostgresStore]
) -> None:
    """A NUL is the fault of whoever sends it; others go on."""
    store = PostgresPlayers(servers.url(name), opened("n1").node, ClusterKeys([KEY]))
    keeper = PlayersKeeper(store, JOURNAL, is_suggested=True)
    try:
        with pytest.raises(CommandRefused) as refused:
            await keeper.change("A\0", name="Ann")
        assert refused.value.reason is Reason.BAD_TEXT
        assert not await keeper.change("A", name="Ann")
    finally:
        await keeper.close()


def test_a_device_is_split_off_in_a_database(
    servers: Postgres, name: str, opened: Callable[..., PostgresStore]
) -> None:
    """A merged player is somebody else again, with the device and its seats of before and after the merge."""
    url, keys = servers.url(name), ClusterKeys([KEY])
    with contextlib.closing(PostgresPlayers(url, opened("n1").node, keys)) as players:
        directory = Directory(players)
        with players.transaction():
            ann, phone = directory.enroll("Ann", KEYS[0], "", NOW, bytes(range(16)))
            ben, tablet = directory.enroll("Ben", KEYS[1], "", NOW, bytes(range(16, 32)))
            players.add_seating("", Seating(1, 0, NOW, ben.id, tablet.number))
            directory.merge(ben.id, ann.id)
            for table_id, device in ((2, tablet), (3, phone)):
                players.add_seating("", Seating(table_id, 0, NOW, ann.id, device.number))
        with players.transaction():
            assert directory.split(ben.id, [], NOW + 1, bytes(16)) == ben.id
        assert (players.tables_of("", ann.id), players.tables_of("", ben.id)) == ([3], [1, 2])
        assert [each.number for each in players.devices(ben.id)] == [tablet.number]
        assert players.former_players() == [ben.id]


@pytest.mark.long
def test_who_asks_for_it_is_forgotten_at_all_servers(
    servers: Postgres, name: str, opened: Callable[..., PostgresStore]
) -> None:
    """The other server knows neither player nor token; no row of the database has the name."""
    url, keys = servers.url(name), ClusterKeys([KEY])
    with contextlib.ExitStack() as stack:
        here, there = [
            stack.enter_context(contextlib.closing(PostgresPlayers(url, opened(node).node, keys)))
            for node in ("n1", "n2")
        ]
        with here.transaction():
            ann, phone = Directory(here).enroll("Annabella", KEYS[0], "", NOW, bytes(range(16)))
            here.add_seating("", Seating(1, 0, NOW, ann.id, phone.number))
        token = Directory(here).token(phone, NOW, FOR_HTTP)
        assert Directory(there).of_token(token, NOW, FOR_HTTP) is not None
        with here.transaction():
            Directory(here).forget_me(phone, NOW)
        assert Directory(there).of_token(token, NOW, FOR_HTTP) is None
        assert (there.player(ann.id), there.former_players()) == (None, [ann.id])
    tables = servers.sql("SELECT tablename FROM pg_tables WHERE schemaname = 'public'", name)
    rows = [row for (table,) in tables for row in servers.sql(f'SELECT x::text FROM "{table}" x', name)]  # noqa: S608
    assert rows
    assert "Annabella" not in str(rows)


def test_an_added_device_is_a_guest_in_a_database_until_it_is_trusted(
    servers: Postgres, name: str, opened: Callable[..., PostgresStore]
) -> None:
    """Its token names nobody to the results of any server, until it is trusted; a phone's names Ann.

    It is valid by the clock of all servers, whatever the time of this machine is.
    """
    url, keys, now = servers.url(name), ClusterKeys([KEY]), 1_700_000_000_000
    with contextlib.ExitStack() as stack:
        one, other = [
            stack.enter_context(contextlib.closing(PostgresPlayers(url, opened(node).node, keys)))
            for node in ("n1", "n2")
        ]
        file = stack.enter_context(contextlib.closing(PostgresResults(url, opened("n3").node)))
        worker = ResultsWorker(file, unread, JOURNAL, other, now_ms=lambda: now)
        directory = Directory(one)
        with one.transaction():
            ann, phone = directory.enroll("Ann", KEYS[0], "", now, bytes(range(16)))
            code = directory.new_code(phone, now, bytes(16))
            tablet = directory.link(Guess("Ann", code, ""), KEYS[1], "", now)
        tokens = [directory.token(each, now, FOR_HTTP) for each in (phone, tablet)]
        assert [json.loads(worker.you(each))["player"] for each in tokens] == [ann.id, ""]
        with one.transaction():
            directory.trust(phone, tablet.number, now)
        assert [json.loads(worker.you(each))["player"] for each in tokens] == [ann.id, ann.id]


def test_a_wrong_device_is_undone_in_a_database(
    servers: Postgres, name: str, opened: Callable[..., PostgresStore]
) -> None:
    """The seats of a device that was wrongly linked are nobody's any more; those of another stay."""
    url, keys = servers.url(name), ClusterKeys([KEY])
    with contextlib.closing(PostgresPlayers(url, opened("n1").node, keys)) as players:
        directory, number = Directory(players), enroll(players, 0)
        phone = players.device(number)
        assert phone is not None
        with players.transaction():
            code = directory.new_code(phone, NOW, bytes(16))
            wrong = directory.link(Guess("Ann", code, ""), KEYS[1], "", NOW)
            for table_id, device in ((1, phone), (2, wrong), (3, phone)):
                players.add_seating("", Seating(table_id, 0, NOW, device.player, device.number))
        with players.transaction():
            assert directory.undo_device(phone.player, wrong.number, bytes(range(16)))
        (former,) = players.former_players()
        assert (players.tables_of("", phone.player), players.tables_of("", former)) == ([1, 3], [2])
        assert players.devices(phone.player) == [phone]
        assert not directory.undo_device(phone.player, wrong.number + 1, bytes(16))


def test_a_frozen_server_does_not_block_its_next_start(
    servers: Postgres, name: str, opened: Callable[..., PostgresStore]
) -> None:
    """What it holds in open transactions ends when the next one of its name starts, which can write."""
    url, keys = servers.url(name), ClusterKeys([KEY])
    with contextlib.ExitStack() as stack:
        journal = opened("n1")
        frozen = stack.enter_context(contextlib.closing(PostgresPlayers(url, journal.node, keys)))
        reader = stack.enter_context(journal.reading())
        with contextlib.suppress(JournalUnusable), frozen.transaction():
            again = stack.enter_context(contextlib.closing(PostgresPlayers(url, opened("n1").node, keys)))
            enroll(again, 1)
        with pytest.raises(psycopg.OperationalError):
            reader.find_table(1)
    assert servers.sql("SELECT count(*) FROM players", name) == [(1,)]


def test_the_database_notices_a_dead_host(
    servers: Postgres, name: str, opened: Callable[..., PostgresStore]
) -> None:
    """It asks over a silent connection, and ends a transaction in which nothing happens."""
    url, keys = servers.url(name), ClusterKeys([KEY])
    with contextlib.closing(PostgresPlayers(url, opened().node, keys)) as players:
        for setting, value in (("tcp_keepalives_idle", "15"), ("idle_in_transaction_session_timeout", "30s")):
            assert players.rows("SELECT current_setting(?1)", setting) == [(value,)]
