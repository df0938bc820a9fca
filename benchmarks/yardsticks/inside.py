"""A table of eight within this process, without sockets: for counts, which are the same each time."""

import asyncio
from collections.abc import Callable
from itertools import repeat
from typing import Final, Self

from benchmarks.yardsticks.script import OPTIONS, SEATS, SEED, Step
from racing_demon_protocol.enums import CloseCode
from racing_demon_protocol.wire.codec import Encoding
from racing_demon_protocol.wire.messages import Message
from racing_demon_protocol.wire.messages.client import Command, Start, Stuck
from racing_demon_server.encoded_messages import Batch
from racing_demon_server.journal.clock_watermark import ClockWatermark
from racing_demon_server.journal.null_journal import NullJournal
from racing_demon_server.journal.table_journal import TableJournal
from racing_demon_server.settings import ServerSettings
from racing_demon_server.tables.feed import Backlog
from racing_demon_server.tables.passphrase import Passphrase
from racing_demon_server.tables.room import InitialState, Room, RoomContext
from racing_demon_server.tables.spectators import FairScheduler

KEPT: Final = ServerSettings().kept_events
POLL_SECONDS: Final = 0.001
CODE: Final = "TEST"


class Listener:
    """A listener that has no socket, and asks for the bytes of all that it is sent.

    Attributes:
        encoding: in which encoding.
        software: what its client says of itself.
        address: where it comes from: nowhere.
        had: how many events it was sent.

    """

    shows_races = owes = False
    software = address = ""

    def __init__(self, encoding: Encoding) -> None:
        self.encoding = encoding
        self.had = 0

    def send(self, events: Batch) -> None:
        """Take events."""
        events[self.encoding]
        self.had += len(events.messages)

    def settle(self, at: int) -> bool:
        """Owe nothing."""
        return True

    def charge(self, events: int, kept: int) -> None:
        """Pay nothing."""

    def owe(self, units: int) -> None:
        """Pay nothing."""

    def reply(self, message: Message) -> None:
        """Take a message."""

    def close(self, code: CloseCode, reason: str) -> None:
        """Take the end."""


class Party:
    """A room, and the eight who play in it.

    Attributes:
        room: the room.

    """

    def __init__(self) -> None:
        self._loop = asyncio.get_running_loop()
        journal = NullJournal()
        settings = ServerSettings(kept_events=KEPT)
        context = RoomContext(
            settings, self._clock, Backlog(1, 1), FairScheduler(), lambda: True, lambda room: None
        )
        self.room = Room(
            InitialState.of_new_table(CODE, OPTIONS, repeat(SEED), context, locked=False),
            context,
            journal=TableJournal(journal, 1, lambda: 0, ClockWatermark(journal, self._clock)),
            lock=Passphrase(bytes(16)),
            epoch="",
            bot_seed=b"",
        )
        kinds = list(Encoding)
        self._players = [Listener(kinds[seat % len(kinds)]) for seat in range(SEATS)]
        self._counters = [0] * SEATS

    @classmethod
    async def dealt(cls) -> Self:
        """Return a party in whose room a hand is dealt."""
        party = cls()
        for seat, player in enumerate(party._players):
            party.room.join(f"Player {seat + 1}", bytes([seat]) * 32, "")
            party.room.attach(player, seat, "0" * 64)
        party._say(0, Start(counter=1))
        await party.until(lambda: party.room.table.view.in_hand)
        return party

    async def play(self, step: Step) -> int:
        """Carry out a step, and return how many events came of it."""
        view = self.room.table.view
        last = view.seq + step.frames
        for written in step.plays:
            self._say(written.seat, written.message(self._counters[written.seat] + 1, view.seq))
        await self.until(lambda: view.seq >= last)
        return step.frames

    async def end_hand(self) -> None:
        """Let all say that they are stuck, and wait until the hand is over and the next one dealt."""
        view = self.room.table.view
        before = view.hand_id
        for seat in range(SEATS):
            self._say(seat, Stuck(counter=self._counters[seat] + 1))
        await self.until(lambda: view.in_hand and view.hand_id != before)

    async def until(self, is_so: Callable[[], bool]) -> None:
        """Let the room do what it does until something is so."""
        while not is_so():  # noqa: ASYNC110 - nobody could tell
            await asyncio.sleep(POLL_SECONDS)

    def _say(self, seat: int, command: Command) -> None:
        self._counters[seat] += 1
        self.room.put(self._players[seat], seat, command, self._clock())

    def _clock(self) -> int:
        return int(self._loop.time() * 1e6)
