"""All SQL about players, in words that SQLite and PostgreSQL share: their devices, codes, and who sat where.

Several processes or servers write the same store. Whoever reads before writing does both in one transaction,
of which there is one at a time.
"""

import hashlib
import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import astuple, dataclass
from enum import IntEnum
from typing import Any, Final, NamedTuple, Protocol

from racing_demon_server.journal.interface import SqlStore

TRIAL_MS: Final = 7 * 24 * 3_600_000
"""How long a device that was linked may change nothing, unless somebody trusts it."""
KEPT_CHANGES: Final = 10_000
"""Changes that are listed. Whoever has missed more reads everything again."""
MAX_NAMES: Final = 100
"""The most names that are read at a time."""
MAX_CHANGES: Final = 100
"""The most changes that are read at a time."""

_PLAYER: Final = "id, name, created_ms, seen_ms, has_played, merged_into"
_DEVICE: Final = "number, player, device_key, label, added_ms, seen_ms, is_linked"


class Linked(IntEnum):
    """How a device was added, as the column ``is_linked`` has it."""

    NO = 0
    """With its player; or another device, or the operator, trusts it."""
    BEFORE = 1
    """By a code, at a server of a version that trusted it when its trial was over."""
    YES = 2
    """By a code, and nobody has trusted it."""


class Company(IntEnum):
    """With whom a player has finished a hand, as the column ``has_played`` has it."""

    ALONE = 0
    """With no other player."""
    TOGETHER = 1
    """With others, of whom nobody was known; or at a server of a version that made no difference."""
    KNOWN = 2
    """With somebody known: this one is known, too, and makes room for nobody."""


class Device(NamedTuple):
    """A device of a player.

    Attributes:
        number: its number.
        player: the player's id.
        key: the hash of its secret, against which proofs are checked.
        label: what it is called.
        added_ms: when it was added.
        seen_ms: when it was last seen.
        linked: how it was added.

    """

    number: int
    player: str
    key: bytes
    label: str
    added_ms: int
    seen_ms: int
    linked: Linked

    def __repr__(self) -> str:
        """Return what may stand in a log: not the key."""
        return f"Device({self.number}, {self.player!r})"

    def is_on_trial(self, at_ms: int) -> bool:
        """Return whether it may change nothing yet."""
        return self.linked is not Linked.NO and at_ms - self.added_ms < TRIAL_MS

    def is_trusted(self, at_ms: int) -> bool:
        """Return whether it may see what its player may see, and decide about other devices."""
        return self.linked is Linked.NO or (self.linked is Linked.BEFORE and not self.is_on_trial(at_ms))


@dataclass(frozen=True, slots=True)
class Player:
    """A player.

    Attributes:
        id: what everybody may know.
        name: the name that was used last.
        created_ms: when the player was created, or was split off again from another one.
        seen_ms: when the player was last seen.
        has_played: with whom the player has finished a hand; at a server of an early version, whether there
            was a seat.
        merged_into: the player whose results these are now; empty if nobody's.

    """

    id: str
    name: str
    created_ms: int
    seen_ms: int
    has_played: Company = Company.ALONE
    merged_into: str = ""


class LinkCode(NamedTuple):
    """A code for another device.

    Attributes:
        player: whose device it adds.
        name: the player's name, folded.
        code: the code.
        until_ms: when it ends.

    """

    player: str
    name: str
    code: str
    until_ms: int


class Seating(NamedTuple):
    """Who took a seat: a player with a device, or a guest, who has neither."""

    table_id: int
    seat: int
    at_ms: int
    player: str
    device: int


class PlayersStore(SqlStore, Protocol):
    """The players of a server.

    Attributes:
        server: the server's name for itself, in hexadecimal.
        token_keys: sign tokens, and are not in the store, so that whoever has a copy of it can make none. The
            first one signs, and all are accepted; none where nobody asks for a token.

    """

    server: str
    token_keys: Sequence[bytes] = ()

    # For each database.

    def sealed(self, secret: bytes) -> bytes:
        """Return what is kept of a device's key or of a code: the same for the same."""

    def sealings(self, secret: bytes) -> Iterable[bytes]:
        """Return all that may be kept of a secret, first what is kept from now on."""
        return (self.sealed(secret),)

    def opened(self, kept: bytes) -> bytes:
        """Return what was sealed."""

    def user_marks(self, user: bytes) -> Iterable[bytes]:
        """Return all marks by which somebody may be kept who signs in at a proxy, first that of new ones."""
        return (hashlib.sha256(user).digest(),)

    # Players.

    def player(self, player: str) -> Player | None:
        """Return a player; ``None`` if there is none."""
        for id_, name, created_ms, seen_ms, has_played, merged_into in self.rows(
            f"SELECT {_PLAYER} FROM players WHERE id = ?1",  # noqa: S608 - our own names
            player,
        ):
            return Player(id_, name, created_ms, seen_ms, Company(has_played), merged_into)
        return None

    def count(self) -> int:
        """Return the number of players."""
        ((count,),) = self.rows("SELECT count(*) FROM players")
        return int(count)

    def idle(self) -> str | None:
        """Return who was away longest of those who are not known, first of those who have played alone."""
        for level in (Company.ALONE, Company.TOGETHER):
            sql = f"SELECT id FROM players WHERE has_played = {level:d} AND merged_into = '' "  # noqa: S608 - ours
            for (id_,) in self.rows(f"{sql} ORDER BY seen_ms LIMIT 1"):
                return str(id_)
        return None

    def unseen(self, since_ms: int, *, played: bool) -> list[str]:
        """Return who was not seen since a time: all, or who never finished a hand with another player."""
        sql = "SELECT id FROM players WHERE seen_ms < ?1 AND has_played <= ?2 AND merged_into = ''"
        return [id_ for (id_,) in self.rows(sql, since_ms, int(Company.KNOWN if played else Company.ALONE))]

    def merged_into(self, player: str) -> list[str]:
        """Return the players whose results are this one's, also by way of others."""
        sql = (
            "WITH RECURSIVE merged (id) AS (SELECT id FROM players WHERE merged_into = ?1 "
            "UNION SELECT players.id FROM players JOIN merged ON merged_into = merged.id) "
            "SELECT id FROM merged"
        )
        return [id_ for (id_,) in self.rows(sql, player) if id_ != player]

    def save_player(self, player: Player) -> None:
        """Write a player in place of an earlier state."""
        former = self.player(player.id)
        id_, name, created_ms, seen_ms, has_played, merged_into = astuple(player)
        self.rows(
            f"INSERT INTO players ({_PLAYER}) VALUES (?1, ?2, ?3, ?4, ?5, ?6) "  # noqa: S608 - our own names
            "ON CONFLICT (id) DO UPDATE SET name = excluded.name, created_ms = excluded.created_ms, "
            "seen_ms = excluded.seen_ms, has_played = excluded.has_played, "
            "merged_into = excluded.merged_into",
            *(id_, name, created_ms, seen_ms, int(has_played), merged_into),
        )
        if former is None or (former.name, former.merged_into) != (name, merged_into):
            self.rows("UPDATE device_codes SET name = ?1 WHERE player = ?2", folded(name), id_)
            self._tell(id_)

    def remove_player(self, player: str) -> None:
        """Delete a player with all devices. Seats keep the id, so that no name comes back to results."""
        self.rows("DELETE FROM devices WHERE player = ?1", player)
        self.remove_code(player)
        self.rows("UPDATE seatings SET device = 0 WHERE player = ?1", player)
        self.rows("DELETE FROM players WHERE id = ?1", player)
        self._tell(player)

    def overview(self) -> Iterable[Sequence[Any]]:
        """Return id, name, time when last seen, whom they were merged into and number of devices of all."""
        return self.rows(
            "SELECT id, name, seen_ms, merged_into, "
            "(SELECT count(*) FROM devices WHERE player = players.id) FROM players"
        )

    # Devices.

    def device(self, number: int) -> Device | None:
        """Return a device; ``None`` if there is none."""
        return next(self._devices("number = ?1", number), None)

    def device_called(self, label: str) -> Device | None:
        """Return the first device that is called something; ``None`` if there is none."""
        return next(self._devices("label = ?1 ORDER BY number", label), None)

    def devices(self, player: str) -> list[Device]:
        """Return a player's devices, in the order in which they were added."""
        return list(self._devices("player = ?1 ORDER BY number", player))

    def has_key(self, key: bytes) -> bool:
        """Return whether a key is a device's."""
        sql = "SELECT 1 FROM devices WHERE device_key = ?1"
        return any(self.rows(sql, kept) for kept in self.sealings(key))

    def seal_anew(self, device: Device) -> None:
        """Keep a device's key as new ones are kept: the key that it was sealed with may end."""
        sql = "UPDATE devices SET device_key = ?1 WHERE number = ?2 AND device_key <> ?1"
        self.rows(sql, self.sealed(device.key), device.number)

    def call_device(self, device: Device, label: str) -> Device:
        """Call a device something else."""
        self.rows("UPDATE devices SET label = ?1 WHERE number = ?2", label, device.number)
        return device._replace(label=label)

    def add_device(self, player: str, key: bytes, label: str, at_ms: int, linked: Linked) -> Device:
        """Add a device with a key that no other has."""
        ((number,),) = self.rows(
            "INSERT INTO devices (player, device_key, label, added_ms, seen_ms, is_linked) "
            "VALUES (?1, ?2, ?3, ?4, ?4, ?5) RETURNING number",
            *(player, self.sealed(key), label, at_ms, linked.value),
        )
        self._tell(player, added=number)
        return Device(number, player, key, label, at_ms, at_ms, linked)

    def save_device(self, device: Device) -> None:
        """Write when a device was seen, whose it is, and how it counts as added."""
        former = self.device(device.number)
        sql = "UPDATE devices SET player = ?1, seen_ms = ?2, is_linked = ?3 WHERE number = ?4"
        self.rows(sql, device.player, device.seen_ms, device.linked.value, device.number)
        if former is not None and former.player != device.player:
            self._tell(former.player)
            self._tell(device.player)

    def remove_device(self, device: Device) -> None:
        """Delete a device."""
        self.rows("DELETE FROM devices WHERE number = ?1", device.number)
        self._tell(device.player)

    def _devices(self, where: str, value: object) -> Iterator[Device]:
        sql = f"SELECT {_DEVICE} FROM devices WHERE {where}"  # noqa: S608 - our own texts
        for number, player, key, label, added_ms, seen_ms, linked in self.rows(sql, value):
            yield Device(number, player, self.opened(key), label, added_ms, seen_ms, Linked(linked))

    # Codes.

    def codes(self, name: str) -> list[LinkCode]:
        """Return the codes of all players with a folded name."""
        return [
            LinkCode(player, named, self.opened(code).decode(), until_ms)
            for player, named, code, until_ms in self.rows(
                "SELECT player, name, code, until_ms FROM device_codes WHERE name = ?1", name
            )
        ]

    def save_code(self, code: LinkCode) -> None:
        """Write a code in place of the player's earlier one."""
        self.rows(
            "INSERT INTO device_codes (player, name, code, until_ms, wrong) VALUES (?1, ?2, ?3, ?4, 0) "
            "ON CONFLICT (player) DO UPDATE SET name = excluded.name, code = excluded.code, "
            "until_ms = excluded.until_ms, wrong = excluded.wrong",
            *(code.player, code.name, self.sealed(code.code.encode()), code.until_ms),
        )

    def remove_code(self, player: str) -> None:
        """Delete a player's code, and how often it was guessed."""
        for table in ("device_codes", "wrong_codes"):
            self.rows(f"DELETE FROM {table} WHERE player = ?1", player)  # noqa: S608 - our own names

    def remove_codes(self, before_ms: int) -> None:
        """Delete the codes that have ended before a time, and how often they were guessed."""
        self.rows("DELETE FROM device_codes WHERE until_ms <= ?1", before_ms)
        self.rows("DELETE FROM wrong_codes WHERE player NOT IN (SELECT player FROM device_codes)")

    def wrong_codes(self, player: str, guesser: bytes) -> int:
        """Return how many wrong codes somebody has tried for a player's code."""
        rows = self.rows("SELECT wrong FROM wrong_codes WHERE player = ?1 AND guesser = ?2", player, guesser)
        return int(rows[0][0]) if rows else 0

    def add_wrong_code(self, player: str, guesser: bytes, most: int) -> None:
        """Count a wrong code; beyond so many who guess, the oldest are no more counted."""
        self.rows(
            "INSERT INTO wrong_codes (player, guesser, wrong) VALUES (?1, ?2, 1) "
            "ON CONFLICT (player, guesser) DO UPDATE SET wrong = wrong_codes.wrong + 1",
            *(player, guesser),
        )
        self.rows("DELETE FROM wrong_codes WHERE id <= (SELECT max(id) FROM wrong_codes) - ?1", most)

    # Seats.

    def add_seating(self, journal: str, seating: Seating) -> None:
        """Record who took a seat of a table in a journal."""
        sql = (
            "INSERT INTO seatings (journal, table_id, seat, at_ms, player, device) "
            "VALUES (?1, ?2, ?3, ?4, ?5, ?6)"
        )
        self.rows(sql, journal, *seating)

    def seatings(self, journal: str, table_id: int) -> list[Seating]:
        """Return who took seats of a table in a journal, in order."""
        sql = (
            "SELECT table_id, seat, at_ms, player, device FROM seatings WHERE journal = ?1 AND table_id = ?2 "
            "ORDER BY at_ms, id"
        )
        return [Seating(*row) for row in self.rows(sql, journal, table_id)]

    def tables_of(self, journal: str, player: str) -> list[int]:
        """Return the tables of a journal at which a player took a seat."""
        sql = "SELECT DISTINCT table_id FROM seatings WHERE journal = ?1 AND player = ?2 ORDER BY table_id"
        return [table_id for (table_id,) in self.rows(sql, journal, player)]

    def players_of_seats(self, device: int, since_ms: int) -> set[str]:
        """Return the ids by which a device took seats from a time on."""
        sql = "SELECT DISTINCT player FROM seatings WHERE device = ?1 AND at_ms >= ?2"
        return {player for (player,) in self.rows(sql, device, since_ms)}

    def give_seats(self, device: int, player: str, since_ms: int, to: str) -> None:
        """Let the seats that a player took with a device from a time on be those of another id."""
        sql = "UPDATE seatings SET player = ?1 WHERE device = ?2 AND player = ?3 AND at_ms >= ?4"
        self.rows(sql, to, device, player, since_ms)
        self._tell(to)

    def devices_of_seats(self, player: str) -> list[int]:
        """Return the devices with which an id took seats."""
        sql = "SELECT DISTINCT device FROM seatings WHERE player = ?1 ORDER BY device"
        return [device for (device,) in self.rows(sql, player)]

    def former_players(self) -> list[str]:
        """Return the ids that are nobody's any more, or have seats of a time before they were a player's."""
        sql = (
            "SELECT DISTINCT player FROM seatings WHERE player <> '' "
            "AND NOT EXISTS (SELECT 1 FROM players WHERE id = seatings.player AND created_ms <= at_ms)"
        )
        return [player for (player,) in self.rows(sql)]

    # Changes that results follow.

    def last_change(self) -> int:
        """Return the number of the last change of players, of their names or of their devices."""
        ((last,),) = self.rows("SELECT coalesce(max(id), 0) FROM player_changes")
        return int(last)

    def changes(self, since: int) -> list[tuple[int, str, int]]:
        """Return number and player of changes after one, and the device that was added, 0 for none."""
        sql = "SELECT id, player, added FROM player_changes WHERE id > ?1 ORDER BY id LIMIT ?2"
        return [(id_, player, added) for id_, player, added in self.rows(sql, since, MAX_CHANGES)]

    def has_changes_since(self, since: int) -> bool:
        """Return whether all changes after one are still listed."""
        ((first,),) = self.rows("SELECT coalesce(min(id), 0) FROM player_changes")
        return bool(first <= since + 1)

    def names(self) -> Iterator[tuple[str, str, str]]:
        """Yield id, name and whom they were merged into of all players, read a few at a time."""
        sql = "SELECT id, name, merged_into FROM players WHERE id > ?1 ORDER BY id LIMIT ?2"
        last = ""
        while found := self.rows(sql, last, MAX_NAMES):
            for id_, name, merged_into in found:
                yield id_, name, merged_into
                last = id_

    def _tell(self, player: str, *, added: int = 0) -> None:
        self.rows("INSERT INTO player_changes (player, added) VALUES (?1, ?2)", player, added)
        self.rows(
            "DELETE FROM player_changes WHERE id <= (SELECT max(id) FROM player_changes) - ?1", KEPT_CHANGES
        )


def folded(name: str) -> str:
    """Return a name as it is compared."""
    return unicodedata.normalize("NFKC", name).casefold().strip()
