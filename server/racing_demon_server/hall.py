"""The hall: all tables of this server, by their codes."""

import asyncio
import secrets
from collections.abc import Iterator, Sequence

from racing_demon_protocol.errors import CommandRefused
from racing_demon_protocol.options import Options
from racing_demon_protocol.reasons import Reason
from racing_demon_protocol.shuffle import SEED_SIZE, hand_seeds, subseed

from .lock import Lock
from .observer import Observer
from .room import Clock, Room
from .settings import Settings

__all__ = ["Hall"]

CODE_LETTERS = "BCDFGHJKLMNPQRSTVWXZ"
"""No vowels, so that no code is a word; no digits, so that none looks like a letter."""
CODE_SIZE = 4


class Hall:
    """The tables of one server.

    Args:
        settings: the server's.
        clock: tells the time.
        observers: who else is told what happens at the tables.

    """

    def __init__(self, settings: Settings, clock: Clock, observers: Sequence[Observer] = ()) -> None:
        self._settings = settings
        self._clock = clock
        self._observers = observers
        self._rooms: dict[str, Room] = {}
        self._expiries: dict[str, asyncio.TimerHandle] = {}
        self._opened = 0

    def __len__(self) -> int:
        return len(self._rooms)

    @property
    def listeners(self) -> int:
        """How many listen at all tables together, with a seat or without."""
        return sum(len(room.listeners) + len(room.gallery) for room in self._rooms.values())

    def room(self, code: str) -> Room:
        """Return the room of a code, however it is spelt.

        Raises:
            CommandRefused: there is none.

        """
        try:
            return self._rooms[code.strip().upper()]
        except KeyError:
            raise CommandRefused(Reason.UNKNOWN_TABLE, "No table here has that code.") from None

    def open(self, options: Options, passphrase: str = "") -> Room:
        """Open a room for a new table, which may ask for a passphrase.

        Raises:
            CommandRefused: the options cannot be played, or there are too many tables.

        """
        if len(self._rooms) >= self._settings.max_tables:
            raise CommandRefused(Reason.SERVER_FULL, "This server keeps no more tables; try again later.")
        self._opened += 1
        seed = self._settings.seed
        seed = secrets.token_bytes(SEED_SIZE) if seed is None else subseed(seed, f"table/{self._opened}")
        code = self._new_code(seed)
        room = Room(
            code,
            options,
            hand_seeds(seed) if self._settings.seed is not None else secret_seeds(),
            self._clock,
            bot_speed=self._settings.bot_speed,
            bot_seed=subseed(seed, "bots"),
            kept_events=self._settings.kept_events,
            observers=self._observers,
            lock=Lock(passphrase, secrets.token_bytes(16)),
        )
        self._rooms[code] = room
        for observer in self._observers:
            observer.opened(room.table)
        self.expire(room)
        return room

    def expire(self, room: Room) -> None:
        """Close a room later, if nobody listens to it then; the time begins anew with each call."""
        code = room.table.view.code
        if self._rooms.get(code) is room:
            self._stop_expiry(code)
            self._expiries[code] = asyncio.get_running_loop().call_later(
                self._settings.idle_table_seconds, self._close_if_empty, room
            )

    def discard(self, room: Room) -> None:
        """Close a room."""
        room.close()
        code = room.table.view.code
        self._stop_expiry(code)
        del self._rooms[code]
        for observer in self._observers:
            observer.closed(room.table)

    def close(self) -> None:
        """Stop all tables."""
        for room in tuple(self._rooms.values()):
            self.discard(room)

    def _close_if_empty(self, room: Room) -> None:
        if room.is_empty:
            self.discard(room)

    def _stop_expiry(self, code: str) -> None:
        expiry = self._expiries.pop(code, None)
        if expiry is not None:
            expiry.cancel()

    def _new_code(self, seed: bytes) -> str:
        attempt = 0
        while True:
            letters = subseed(seed, f"code/{attempt}")[:CODE_SIZE]
            code = "".join(CODE_LETTERS[byte % len(CODE_LETTERS)] for byte in letters)
            if code not in self._rooms:
                return code
            attempt += 1


def secret_seeds() -> Iterator[bytes]:
    """Yield seeds that nothing foretells."""
    while True:
        yield secrets.token_bytes(SEED_SIZE)
