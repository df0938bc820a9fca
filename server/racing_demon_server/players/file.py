"""The file of a server's players, which all its processes share. Only its owner can read it."""

import contextlib
import secrets
from pathlib import Path
from typing import Final

from racing_demon_server.journal.interface import JournalUnusable
from racing_demon_server.journal.sqlite.database import token_key_of
from racing_demon_server.journal.sqlite.side_file import SideFile, SideFileStore
from racing_demon_server.private_file import write_private

from .store import PlayersStore

KEY_SIZE: Final = 32
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
    CREATE INDEX IF NOT EXISTS players_idle ON players (seen_ms) WHERE has_played = 0;
    CREATE INDEX IF NOT EXISTS players_merged ON players (merged_into) WHERE merged_into <> '';
    CREATE TABLE IF NOT EXISTS devices (
        number INTEGER PRIMARY KEY,
        player TEXT NOT NULL,
        device_key BLOB NOT NULL UNIQUE,
        label TEXT NOT NULL,
        added_ms INTEGER NOT NULL,
        seen_ms INTEGER NOT NULL,
        is_linked INTEGER NOT NULL
    );
    CREATE INDEX IF NOT EXISTS devices_player ON devices (player);
    CREATE TABLE IF NOT EXISTS device_codes (
        player TEXT PRIMARY KEY,
        name TEXT NOT NULL,
        code BLOB NOT NULL,
        until_ms INTEGER NOT NULL,
        wrong INTEGER NOT NULL
    ) WITHOUT ROWID;
    CREATE TABLE IF NOT EXISTS wrong_codes (
        id INTEGER PRIMARY KEY,
        player TEXT NOT NULL,
        guesser BLOB NOT NULL,
        wrong INTEGER NOT NULL,
        UNIQUE (player, guesser)
    );
    CREATE TABLE IF NOT EXISTS seatings (
        id INTEGER PRIMARY KEY,
        journal TEXT NOT NULL,
        table_id INTEGER NOT NULL,
        seat INTEGER NOT NULL,
        at_ms INTEGER NOT NULL,
        player TEXT NOT NULL,
        device INTEGER NOT NULL
    );
    CREATE INDEX IF NOT EXISTS seatings_table ON seatings (journal, table_id, at_ms);
    CREATE INDEX IF NOT EXISTS seatings_player ON seatings (player);
    CREATE TABLE IF NOT EXISTS player_changes (
        id INTEGER PRIMARY KEY AUTOINCREMENT,
        player TEXT NOT NULL,
        added INTEGER NOT NULL
    );
"""
PLAYERS: Final = SideFile("players", int.from_bytes(b"RDP2", "big"), 1, _LAYOUT, "FULL")
"""The files of players.

- ``server``: the name by which devices know the server.
- ``devices``: ``device_key`` is the hash of a device's secret.
- ``device_codes``: for another device of a player; ``wrong`` is not used any more.
- ``wrong_codes``: how many wrong codes an address has tried for a code: ``guesser`` is the hash of both.
- ``seatings``: who took which seat of a table when, with which device, by the journal of the table's process;
  a guest has no player, and device 0.
- ``player_changes``: what other processes have to know: whose name or devices have changed, and the number of
  a device that was added, otherwise 0.
"""


class PlayersFile(SideFileStore, PlayersStore):
    """The players in a file. See :class:`.store.PlayersStore`.

    Args:
        path: the file; created if it is missing, like that of the tokens' key beside it. ``None`` keeps
            everything in memory.
        server: the name of a new server.
        writes: whether it is to be written; otherwise it must exist.

    Raises:
        JournalUnusable: the files cannot be used.

    """

    def __init__(self, path: Path | None, server: str = "", *, writes: bool = True) -> None:
        super().__init__(PLAYERS, path, writes=writes)
        with contextlib.ExitStack() as undoing:
            undoing.callback(self.close)
            if writes:
                with self.transaction():  # of several processes that start, one makes what is missing
                    self.rows("INSERT INTO server SELECT ?1 WHERE NOT EXISTS (SELECT 1 FROM server)", server)
                    self.token_keys = (_token_key(None if path is None else token_key_of(path)),)
            self.server = next((str(id_) for (id_,) in self.rows("SELECT id FROM server")), "")
            undoing.pop_all()

    def sealed(self, secret: bytes) -> bytes:
        """Return a secret as it is: only the file's owner can read it."""
        return secret

    def opened(self, kept: bytes) -> bytes:
        """Return a secret as it was kept."""
        return kept


def _token_key(path: Path | None) -> bytes:
    """Return the key in a file, which is made if it is missing.

    Raises:
        JournalUnusable: the file cannot be used.

    """
    made = secrets.token_bytes(KEY_SIZE)
    if path is None:
        return made
    try:
        kept = path.read_bytes() if path.exists() else b""
        if len(kept) == KEY_SIZE:
            return kept
        write_private(path, made)
    except OSError as error:
        raise JournalUnusable(f"The key of tokens {path} cannot be used: {error.strerror}.") from error
    return made
