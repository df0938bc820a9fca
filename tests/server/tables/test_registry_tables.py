"""What a registry gives its tables: codes, numbers, clocks and epochs."""

import random
import time
from pathlib import Path

import pytest

from racing_demon_protocol.enums import Reason
from racing_demon_protocol.wire.messages import client as cl
from racing_demon_protocol.wire.messages.server import Accepted, Refused
from racing_demon_protocol.wire.options import Options
from racing_demon_server.journal.null_journal import NullJournal
from racing_demon_server.mqtt.publisher import Publisher
from racing_demon_server.net.mdns import Announcer
from racing_demon_server.settings import ServerSettings
from racing_demon_server.tables.feed import CommittedTable
from racing_demon_server.tables.observer import Observer
from racing_demon_server.tables.registry import Registry, secret_seeds, wall_clock
from racing_demon_server.webhook.sender import WebhookSender
from tests.support.virtual_journal import VirtualJournal
from tests.support.virtual_rooms import answered, now, seat_at, virtual


class Watching(Observer):
    """Notes the codes of tables that were opened and closed."""

    def __init__(self) -> None:
        self.opens: list[str] = []
        self.closes: list[str] = []

    def opened(self, table: CommittedTable) -> None:
        """Note it."""
        self.opens.append(table.view.code)

    def closed(self, table: CommittedTable) -> None:
        """Note it."""
        self.closes.append(table.view.code)


@virtual
async def test_observers_hear_of_every_table() -> None:
    """When it is opened, and when it is closed."""
    watching = Watching()
    registry = Registry(ServerSettings(), now, NullJournal(), [watching])
    codes = [registry.open(Options()).table.view.code for _ in range(2)]
    assert (codes, []) == (watching.opens, watching.closes)
    registry.close()
    assert codes == watching.closes


class Telling(Watching):
    """Would tell others of the tables."""

    names_tables = True


@virtual
async def test_an_unlisted_table_is_told_to_nobody_also_after_a_restart(tmp_path: Path) -> None:
    """Results and metrics have it; announcements, brokers and webhooks hear nothing of it."""
    assert all(each.names_tables for each in (Announcer, Publisher, WebhookSender))
    path, unlisted = tmp_path / "journal.sqlite", ""
    for _ in range(2):
        watching, telling = Watching(), Telling()
        journal = VirtualJournal(path, random.Random(1))
        registry = Registry(ServerSettings(), now, journal, [watching, telling])
        registry.restore()
        if not unlisted:
            unlisted = registry.open(Options(), listed=False).table.view.code
            registry.open(Options())
        assert registry.room(unlisted).is_listed is False
        await journal.drained()
        registry.close(for_good=False)
        journal.close()
        assert (len(watching.opens), unlisted in watching.opens) == (2, True)
        assert (len(telling.opens), unlisted in telling.opens) == (1, False)
        assert telling.closes == telling.opens


@virtual
async def test_a_table_that_its_host_lists_is_told_from_then_on(tmp_path: Path) -> None:
    """At once, and after a restart; not where nobody would be told, and not by another player."""
    path, codes = tmp_path / "journal.sqlite", list[str]()
    for _ in range(2):
        telling, journal = Telling(), VirtualJournal(path, random.Random(1))
        registry = Registry(ServerSettings(), now, journal, [telling])
        registry.restore()
        if not codes:
            room = registry.open(Options(), listed=False)
            codes = [room.table.view.code]
            (ann, host), (ben, guest) = seat_at(room, "Ann"), seat_at(room, "Ben")
            await journal.drained()
            for conn, seat in ((guest, ben), (host, ann), (host, ann)):
                room.command_aside(conn, seat, cl.ListTable(counter=1))
                await journal.drained()
                await answered()
            told = [type(each) for each in host.replies if isinstance(each, Accepted | Refused)]
            assert told == [Accepted, Refused]  # by then it is there
        assert (telling.opens, registry.room(codes[0]).is_listed) == (codes, True)
        registry.close(for_good=False)
        journal.close()
    room = Registry(ServerSettings(), now, NullJournal(), [Watching()]).open(Options(), listed=False)
    ann, host = seat_at(room, "Ann")
    room.command_aside(host, ann, cl.ListTable(counter=1))
    await answered()
    assert [isinstance(each, Refused) and each.reason for each in host.replies] == [Reason.NOT_NOW]
    assert room.is_listed is False


@virtual
async def test_codes_may_be_given_by_numbers() -> None:
    """A server of a cluster takes the code that the table's number has."""
    registry = Registry(ServerSettings(), now, NullJournal(), codes=lambda number: f"N{number}")
    room = registry.open(Options())
    assert f"N{room.journal.number}" == room.table.view.code
    registry.close()


@virtual
async def test_a_new_table_has_the_servers_clock_and_epoch() -> None:
    """Tables that were opened here share both."""
    registry = Registry(ServerSettings(), now, NullJournal())
    one, two = registry.open(Options()), registry.open(Options())
    assert one.journal.clock_watermark.offset_us == 0
    assert one.epochs.current == two.epochs.current
    assert len(one.epochs.current) == 16
    registry.close()


@pytest.mark.parametrize(("seed", "prepared"), [(None, True), (bytes(32), False)])
@virtual
async def test_players_contribute_to_deals_that_nobody_repeats(seed: bytes | None, prepared: bool) -> None:
    """A server with a seed deals what follows from it, and asks nobody for more."""
    registry = Registry(ServerSettings(seed=seed), now, NullJournal())
    room = registry.open(Options())
    seat_at(room, "Ann")
    assert prepared is (room.shown.view.next_shuffle is not None)
    registry.close()


@virtual
async def test_the_tables_of_an_address_are_counted() -> None:
    """Until they are closed; those that were opened from nowhere are nobody else's."""
    registry = Registry(ServerSettings(), now, NullJournal())
    rooms = [registry.open(Options(), address=address) for address in ("192.0.2.1", "192.0.2.1", "192.0.2.2")]
    registry.open(Options())
    assert sorted(registry.openers()) == ["", "192.0.2.1", "192.0.2.1", "192.0.2.2"]
    registry.discard(rooms[0])
    assert sorted(registry.openers()) == ["", "192.0.2.1", "192.0.2.2"]
    registry.close()


@pytest.mark.parametrize("for_good", [True, False])
@virtual
async def test_a_registry_is_closed_for_good_or_leaves_its_tables(tmp_path: Path, for_good: bool) -> None:
    """The next server finds in the journal what was not closed for good."""
    journal = VirtualJournal(tmp_path / "journal.db", random.Random(0))
    registry = Registry(ServerSettings(), now, journal)
    registry.open(Options())
    registry.close(for_good=for_good)
    await journal.drained()
    with journal.reading() as (reader,):
        assert (not for_good) is bool(list(reader.tables(only_open=True)))
    journal.close()


@virtual
async def test_a_servers_first_table_is_number_one(tmp_path: Path) -> None:
    """That number is in the journal, and the table's seed is drawn by it."""
    journal = VirtualJournal(tmp_path / "journal.db", random.Random(0))
    registry = Registry(ServerSettings(), now, journal)
    registry.open(Options())
    await journal.drained()
    with journal.reading() as (reader,):
        (kept,) = reader.tables(only_open=True)
    assert kept.number == 1
    registry.close()
    await journal.drained()


@virtual
async def test_a_closed_table_is_leaving_until_that_is_written(tmp_path: Path) -> None:
    """Its number is known for so long, and no longer."""
    journal = VirtualJournal(tmp_path / "journal.db", random.Random(0))
    registry = Registry(ServerSettings(), now, journal)
    room = registry.open(Options())
    await journal.drained()
    registry.discard(room)
    assert {room.journal.number} == {*registry.leaving}
    await journal.drained()
    assert set() == {*registry.leaving}
    registry.close()


def test_the_wall_clock_counts_milliseconds() -> None:
    """It is the system's time."""
    before = time.time_ns() // 1_000_000
    assert before <= wall_clock() <= time.time_ns() // 1_000_000


def test_secret_seeds_have_32_bytes_and_differ() -> None:
    """Nobody can guess one."""
    seeds = secret_seeds(bytes(32))
    one, two = next(seeds), next(seeds)
    assert 32 == len(one) == len(two)
    assert one != two
