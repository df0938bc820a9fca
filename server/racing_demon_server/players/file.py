"""The file of a server's players, beside its journal. Only its owner can read it."""

from collections.abc import Iterable
from pathlib import Path
from typing import Final, NamedTuple

from racing_demon_server.journal.sqlite.side_file import SideFile

from .directory import Device, Directory, Player

_LAYOUT: Final = """
    CREATE TABLE IF NOT EXISTS server (id TEXT NOT NULL);
    CREATE TABLE IF NOT EXISTS players (
        id TEXT PRIMARY KEY,
        name TEXT NOT NULL,
        created_ms INTEGER NOT NULL,
        seen_ms INTEGER NOT NULL,
        has_played INTEGER NOT NULL,
        merged_into TEXT NOT NULL
    ) WITHOUT ROWID;
    CREATE TABLE IF NOT EXISTS devices (
        number INTEGER PRIMARY KEY,
        player TEXT NOT NULL,
        key BLOB NOT NULL UNIQUE,
        label TEXT NOT NULL,
        added_ms INTEGER NOT NULL,
        seen_ms INTEGER NOT NULL,
        is_linked INTEGER NOT NULL
    );
    CREATE TABLE IF NOT EXISTS seatings (
        id INTEGER PRIMARY KEY,
        table_id INTEGER NOT NULL,
        seat INTEGER NOT NULL,
        at_ms INTEGER NOT NULL,
        player TEXT NOT NULL,
        device INTEGER NOT NULL
    );
    CREATE INDEX IF NOT EXISTS seatings_table ON seatings (table_id, seat, at_ms);
"""
PLAYERS: Final = SideFile("players", int.from_bytes(b"RDP1", "big"), 1, _LAYOUT, "FULL")
"""The files of players. ``server``: the name by which devices know the server. ``key``: the hash of a
device's secret. ``seatings``: who took which seat of a table when, with which device; a guest has no player,
and device 0."""


class Seating(NamedTuple):
    """Who took a seat: a player with a device, or a guest, who has neither."""

    table_id: int
    seat: int
    at_ms: int
    player: str
    device: int


class PlayersFile:
    """The players that are kept. One thread at a time may use it.

    Attributes:
        server: the server's name for itself, in hexadecimal.

    Args:
        path: the file; created if it is missing.
        server: the name of a new server.

    Raises:
        JournalUnusable: the file cannot be used.

    """

    def __init__(self, path: Path, server: str) -> None:
        self._db = db = PLAYERS.open(path)
        db.execute("INSERT INTO server SELECT ? WHERE NOT EXISTS (SELECT 1 FROM server)", (server,))
        self.server = str(db.execute("SELECT id FROM server").fetchone()[0])

    def close(self) -> None:
        """Close the file."""
        self._db.close()

    def changes(self) -> int:
        """Return a number that changes whenever another connection writes the file."""
        return int(self._db.execute("PRAGMA data_version").fetchone()[0])

    def players(self) -> list[Player]:
        """Return all players."""
        return [
            Player(id_, name, created_ms, seen_ms, bool(has_played), merged_into)
            for id_, name, created_ms, seen_ms, has_played, merged_into in self._db.execute(
                "SELECT id, name, created_ms, seen_ms, has_played, merged_into FROM players"
            )
        ]

    def directory(self) -> Directory:
        """Return all players and their devices."""
        devices = [
            Device(number, player, key, label, added_ms, seen_ms, bool(is_linked))
            for number, player, key, label, added_ms, seen_ms, is_linked in self._db.execute(
                "SELECT number, player, key, label, added_ms, seen_ms, is_linked FROM devices ORDER BY number"
            )
        ]
        return Directory(self.players(), devices)

    def save_player(self, player: Player) -> None:
        """Write a player in place of an earlier state."""
        self._db.execute(
            "INSERT OR REPLACE INTO players VALUES (?, ?, ?, ?, ?, ?)",
            (
                player.id,
                player.name,
                player.created_ms,
                player.seen_ms,
                player.has_played,
                player.merged_into,
            ),
        )

    def save_device(self, device: Device) -> None:
        """Write a device in place of an earlier state."""
        self._db.execute(
            "INSERT OR REPLACE INTO devices VALUES (?, ?, ?, ?, ?, ?, ?)",
            (
                *(device.number, device.player, device.key, device.label),
                *(device.added_ms, device.seen_ms, device.is_linked),
            ),
        )

    def remove_device(self, number: int) -> None:
        """Delete a device."""
        self._db.execute("DELETE FROM devices WHERE number = ?", (number,))

    def remove_player(self, player: str) -> None:
        """Delete a player with all devices; who took which seats is forgotten, too."""
        for table in ("devices", "seatings"):
            self._db.execute(f"DELETE FROM {table} WHERE player = ?", (player,))  # noqa: S608 - our own names
        self._db.execute("DELETE FROM players WHERE id = ?", (player,))

    def add_seating(self, seating: Seating) -> None:
        """Record who took a seat."""
        self._db.execute("INSERT INTO seatings VALUES (NULL, ?, ?, ?, ?, ?)", seating)

    def seatings(self, table_id: int) -> Iterable[Seating]:
        """Return who took seats at a table, in order."""
        rows = self._db.execute(
            "SELECT table_id, seat, at_ms, player, device FROM seatings WHERE table_id = ? "
            "ORDER BY at_ms, id",
            (table_id,),
        )
        return [Seating(*row) for row in rows]
