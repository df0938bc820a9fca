"""SQLite and PostgreSQL side by side: a server that writes both reads the same from either."""

import asyncio
import contextlib
from pathlib import Path
from typing import Any

import pytest

from racing_demon_cluster.postgres.connection import connect
from racing_demon_cluster.postgres.read_ahead import read_ahead, read_events
from racing_demon_cluster.postgres.reader import PostgresReader
from racing_demon_cluster.postgres.store import PostgresStore
from racing_demon_cluster.seed_encryption import ClusterKeys
from racing_demon_cluster.settings import ClusterSettings
from racing_demon_protocol.wire.messages import client as cl
from racing_demon_protocol.wire.messages import events as ev
from racing_demon_protocol.wire.options import Options
from racing_demon_server.enums import Durability
from racing_demon_server.journal import table_journal
from racing_demon_server.journal.check import check
from racing_demon_server.journal.interface import JournalReader
from racing_demon_server.journal.matches import export, matches
from racing_demon_server.journal.operations import Change
from racing_demon_server.journal.reader import log_of, rest_of
from racing_demon_server.journal.recovery import saved_state_of, wanted_events
from racing_demon_server.journal.sqlite.store import SqliteStore
from racing_demon_server.match.table import SavedState
from racing_demon_server.tables.registry import unrestorable
from tests.support.journals import journaled_in
from tests.support.postgres import Postgres
from tests.support.servers import Peer

KEY = bytes(range(32))
LAST = 2**31
LIMITS: dict[str, Any] = {
    "seed": bytes(32),
    "bot_speed": 1_000.0,
    "commands_per_second": 1e9,
    "command_burst": 1e9,
    "frames_per_second": 1e9,
    "frame_burst": 1e9,
    "units_per_connection": 1e9,
}


class BothStores:
    """Writes two stores, and takes tables up from the database.

    Attributes:
        sqlite: the file.
        postgres: the database.

    """

    patience: float | None = None

    def __init__(self, path: Path, url: str) -> None:
        self.sqlite = SqliteStore(path, Durability.NORMAL)
        self.postgres = PostgresStore(ClusterSettings(database=url, keys=(KEY,)), "n1")

    def commit(self, changes: list[Change]) -> None:
        """Write both."""
        self.sqlite.commit(changes)
        self.postgres.commit(changes)

    def reading(self) -> contextlib.AbstractContextManager[PostgresReader]:
        """Read the database."""
        return self.postgres.reading()

    def new_number(self) -> int:
        """Return a number that is the same in both."""
        number = self.postgres.new_number()
        assert number == self.sqlite.new_number()
        return number

    def close(self) -> None:
        """Close both."""
        self.sqlite.close()
        self.postgres.close()


def contents(journal: JournalReader) -> dict[str, object]:
    """Return all that a journal tells: everything but where rows lie."""
    told: dict[str, object] = {"last": journal.last_us(), "corrected": journal.corrected()}
    tables = list(journal.tables())
    told["tables"] = [table._replace(last_event=None) for table in tables]
    told["open"] = [table.id for table in journal.tables(only_open=True)]
    for table in tables:
        number = table.id
        told[f"{number} events"] = [tuple(row) for row in journal.events(number, 1, LAST)]
        told[f"{number} some events"] = [tuple(row) for row in log_of(journal, number, first=9, last=20)]
        kinds = {ev.Joined.TAG, ev.Committed.TAG, ev.OptionsSet.TAG}
        told[f"{number} marks"] = [tuple(row) for row in journal.marks(number, kinds, 1, LAST)]
        told[f"{number} beaten"] = [tuple(row) for row in journal.beaten(number, 1, LAST)]
        told[f"{number} seeds"] = sorted(map(tuple, journal.seeds(number)))
        told[f"{number} claims"] = sorted(map(tuple, journal.claims(number)))
        told[f"{number} bans"] = [tuple(row) for row in journal.bans(number)]
        told[f"{number} epochs"] = [tuple(row) for row in journal.epochs(number)]
        told[f"{number} beginnings"] = [tuple(row) for row in journal.beginnings(number)]
        told[f"{number} checkpoint"] = [tuple(row) for row in journal.checkpoint(number)]
        told[f"{number} rest"] = [tuple(row) for row in rest_of(journal, number, 1)]
        told[f"{number} snapshots"] = [tuple(row) for row in journal.snapshots(number, 2**62, 100)]
        told[f"{number} one snapshot"] = [tuple(row) for row in journal.snapshots(number, 2**62, 1)]
    return told


async def play(url: str, **options: Any) -> str:
    """Let two bots play a match after much talk of its options; return the table's code."""
    async with Peer.hosting(url, seated=False, **options) as host:
        for _ in range(2):
            await host.ask(cl.AddBot, level="hard")
        for number in range(160):
            asked = {"countdown_ms": 0, "tally_ms": 0, "hands": 1 + number % 2, **options}
            await host.ask(cl.SetOptions, options=Options(**asked))
            if number == 120:
                async with Peer.entered(url, cl.Join(code=host.code, name="Ben")) as ben:
                    await host.ask(cl.Kick, seat=ben.place.seat)
        await host.ask(cl.Start)
        await host.until(ev.MatchOver)
        return host.code


def whole(saved_state: SavedState) -> SavedState:
    """Return what a table needs to go on, all of it read."""
    return saved_state._replace(log=list(saved_state.log))


def together(url: str, node: int) -> list[SavedState]:
    """Read what all tables of a server need to go on, as an heir does."""
    with connect(url) as db:
        tables = [number for (number,) in db.execute("SELECT id FROM tables")]
        readers = read_ahead(db, ClusterKeys([KEY]), node, tables)
        pasts = {reader: saved_state_of(reader, reader.table) for reader in readers}
        read_events(db, {reader: wanted_events(saved_state) for reader, saved_state in pasts.items()})
        return [whole(saved_state) for saved_state in pasts.values()]


async def test_both_tell_the_same(servers: Postgres, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of lobbies that were cut, matches, bans, restarts and a closed table; so does what an heir reads.

    Some tables are in mid-hand after a checkpoint, one of them on identical deals. Without the last events
    that are in these, an heir uses none.
    """
    monkeypatch.setattr(table_journal, "CHECKPOINT_EVENTS", 10)
    name = servers.emptied_database()
    both = BothStores(tmp_path / "journal.sqlite", servers.url(name))
    async with journaled_in(both, **LIMITS) as served:
        await play(served.url)
        async with (
            Peer.hosting(served.url, game="sultan") as ann,
            Peer.entered(served.url, cl.Join(code=ann.code, name="Ben")),
        ):
            await ann.ask(cl.Start)
            await ann.until(ev.Signalled)
        closed = await play(served.url, game="classic")
        served.registry.discard(served.registry.room(closed))
        async with Peer.hosting(served.url) as ann:
            await ann.ask(cl.AddBot, level="hard")
            await ann.ask(cl.Start)
            await ann.until(ev.Played)
            await ann.follow(ann.view.seq + 20)
        async with Peer.hosting(served.url, game="puzzle") as ann:
            await ann.ask(cl.AddBot, level="hard")
            await ann.ask(cl.Start)
            await ann.until(ev.Signalled)
            await ann.follow(ann.view.seq + 5)
    both = BothStores(tmp_path / "journal.sqlite", servers.url(name))
    async with journaled_in(both, **LIMITS) as served:
        assert len(served.registry) == 4
        assert any(table.view.in_hand for table in served.registry)
        await asyncio.sleep(0)
    with both.sqlite.reading() as one, both.postgres.reading() as other:
        with other.moment():
            pass
        assert contents(one) == contents(other)
        played = list(matches(other))
        assert [match.as_json() for match in matches(one)] == [match.as_json() for match in played]
        for match in played:
            assert list(export(one, match)) == list(export(other, match))
        reports = [check(each, unrestorable) for each in (one, other)]
        assert reports[0] == reports[1]
        assert (reports[1].faults, reports[1].waiting) == ([], [])
        pasts = [whole(saved_state_of(other, table)) for table in other.tables(only_open=True)]
        assert together(servers.url(name), both.postgres.node) == pasts
        assert sorted(
            {saved_state.checkpoint.table.progress == () for saved_state in pasts if saved_state.checkpoint},
            reverse=True,
        ) == [True, False]
        servers.sql(
            "DELETE FROM events AS e USING checkpoints AS c WHERE c.table_id = e.table_id AND e.seq >= c.seq",
            name,
        )
        ahead = together(servers.url(name), both.postgres.node)
        assert [each.checkpoint for each in ahead] == [None] * len(pasts)
