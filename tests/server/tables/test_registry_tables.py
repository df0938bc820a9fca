"""What a registry gives its tables: codes, numbers, clocks and epochs."""

import random
import time
from pathlib import Path

from racing_demon_protocol.wire.options import Options
from racing_demon_server.journal.immediate import ImmediateJournal
from racing_demon_server.journal.reader import tables
from racing_demon_server.settings import ServerSettings
from racing_demon_server.tables.registry import Registry, secret_seeds, wall_clock
from tests.support.rooms import in_virtual_time, now, virtual
from tests.support.virtual_journal import VirtualJournal


@virtual
async def test_codes_may_be_given_by_numbers() -> None:
    """A server of a cluster takes the code that the table's number has."""
    registry = Registry(ServerSettings(), now, ImmediateJournal(), codes=lambda number: f"N{number}")
    room = registry.open(Options())
    assert f"N{room.journal.number}" == room.table.view.code
    registry.close()


@virtual
async def test_a_new_table_has_the_servers_clock_and_epoch() -> None:
    """Tables that were opened here share both."""
    registry = Registry(ServerSettings(), now, ImmediateJournal())
    one, two = registry.open(Options()), registry.open(Options())
    assert 0 == one.journal.timekeeper.offset_us
    assert one.epochs.current == two.epochs.current
    assert one.epochs.current
    registry.close()


def test_a_servers_first_table_is_number_one(tmp_path: Path) -> None:
    """That number is in the journal, and the table's seed is drawn by it."""

    async def history() -> None:
        journal = VirtualJournal(tmp_path / "journal.db", random.Random(0))
        registry = Registry(ServerSettings(), now, journal)
        registry.open(Options())
        await journal.drained()
        with journal.reading() as (reader,):
            (kept,) = tables(reader, only_open=True)
        assert 1 == kept.number
        registry.close()
        await journal.drained()

    in_virtual_time(history())


def test_a_closed_table_is_leaving_until_that_is_written(tmp_path: Path) -> None:
    """Its number is known for so long, and no longer."""

    async def history() -> None:
        journal = VirtualJournal(tmp_path / "journal.db", random.Random(0))
        registry = Registry(ServerSettings(), now, journal)
        room = registry.open(Options())
        await journal.drained()
        registry.discard(room)
        assert {room.journal.number} == {*registry.leaving}
        await journal.drained()
        assert set() == {*registry.leaving}
        registry.close()

    in_virtual_time(history())


def test_the_wall_clock_counts_milliseconds() -> None:
    """It is the system's time."""
    before = time.time_ns() // 1_000_000
    assert before <= wall_clock() <= time.time_ns() // 1_000_000


def test_secret_seeds_have_32_bytes_and_differ() -> None:
    """Nobody can guess one."""
    seeds = secret_seeds()
    one, two = next(seeds), next(seeds)
    assert 32 == len(one) == len(two)
    assert one != two
