"""The registry: all tables of this server, by their codes."""

import asyncio
import logging
import secrets
import time
from collections import deque
from collections.abc import Callable, Collection, Generator, Iterator, Mapping, Sequence, Set
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from functools import partial
from itertools import islice
from math import inf
from typing import Final, NamedTuple, TypeVar

from racing_demon_protocol.engine.commit_reveal import SEED_SIZE
from racing_demon_protocol.engine.deal import hand_seeds, subseed
from racing_demon_protocol.enums import CloseCode, Reason
from racing_demon_protocol.errors import CommandRefused, InconsistentEvent, InvalidGame, RacingDemonError
from racing_demon_protocol.wire.options import Options
from racing_demon_server.encoded_messages import encoded_events
from racing_demon_server.journal.clock_watermark import ClockWatermark, ShiftedClockWatermark
from racing_demon_server.journal.interface import Journal, JournalReader, StoredTable
from racing_demon_server.journal.null_journal import NullJournal
from racing_demon_server.journal.operations import Change, Operation
from racing_demon_server.journal.reader import UnknownContents, known_deal_of, options_of
from racing_demon_server.journal.recovery import saved_state_of
from racing_demon_server.journal.table_journal import TableJournal
from racing_demon_server.match.table import SavedState
from racing_demon_server.rate_limits import Budget
from racing_demon_server.settings import ServerSettings
from racing_demon_server.sharding import CODE_LETTERS

from .feed import Backlog, CommittedTable
from .observer import Observer, tell
from .passphrase import SALT_SIZE, Passphrase
from .room import Clock, InitialState, Room, RoomContext
from .spectators import FairScheduler

UNRESTORABLE: Final = UnknownContents, InconsistentEvent, InvalidGame, CommandRefused
"""The errors of a table that cannot be restored."""

MOVED: Final = "Your table moves to another server; you come back to it by yourself."
STAYS: Final = "The server is about to stop. You come back to your table when one starts that can go on."
FAILED_OFTEN: Final = "The server made too many errors at this table, which has ended with its tally so far."

SLICE_SECONDS: Final = 0.002
"""Seconds for which tables with long logs are read after a start, and then everybody is served."""
SLICES_OF_TURN: Final = 50
"""Slices for which one table is read before the next one's turn."""
ADOPTION_SECONDS: Final = 0.05
"""Tables of other servers are read at once if that takes no longer, as for all but long hands."""

T = TypeVar("T")
Restoring = Generator[None, None, None]
"""Restores a table, and yields after each step."""


class UnreadTable(NamedTuple):
    """A table that is being read from the journal, its remaining steps, and a callback for the end."""

    stored: StoredTable
    restoring: Restoring
    ended: Callable[[], None] = lambda: None


log = logging.getLogger("racing_demon_server")


class TableElsewhere(RacingDemonError):
    """Another process of this server has the table, at ``port``."""

    def __init__(self, port: int) -> None:
        super().__init__(f"the table is at port {port}")
        self.port = port


class TableUnread(RacingDemonError):
    """The table is still being read from the journal: try again in a moment."""

    def __init__(self) -> None:
        super().__init__("the table is still being read")


class Registry:
    """The tables of one server, or of one of its processes.

    Attributes:
        leaving: the numbers of tables that are closed or given away, which the journal may not know yet.
        closed: how many tables have been closed or given away.
        takes_new: whether tables may be opened: the operator may want none for a while.

    Args:
        settings: the server's.
        clock: the server's clock.
        observers: observers of the tables.
        journal: the server's journal.
        codes: returns the code for a new table's number; ``None`` for random codes.
        seeds: yields the seeds of a table's hands, given the table's own; ``None`` for secret ones, or those
            that follow from the settings.

    """

    def __init__(  # noqa: PLR0913 - the last two stand for chance
        self,
        settings: ServerSettings,
        clock: Clock,
        journal: Journal,
        observers: Sequence[Observer] = (),
        *,
        codes: Callable[[int], str] | None = None,
        seeds: Callable[[bytes], Iterator[bytes]] | None = None,
    ) -> None:
        self._settings = settings
        self._clock = clock
        self._journal = journal
        self._clock_watermark = ClockWatermark(journal, clock)
        journal.halted = partial(self.halt, "journal")
        self._codes = codes
        self._seeds = seeds or (secret_seeds if settings.seed is None else hand_seeds)
        self._halts: set[str] = set()
        self.leaving: set[int] = set()
        self.closed = 0
        self.takes_new = True
        self._unread: dict[str, int] = {}
        self._reading = ExitStack()
        self._expected: tuple[type[Exception], ...] = ()
        self._waiting: deque[UnreadTable] = deque()
        self._restoring_task: asyncio.Task[None] | None = None
        backlog = Backlog(settings.delayed_bytes_of_table, settings.delayed_bytes)
        self._context = RoomContext(
            settings, clock, backlog, FairScheduler(), self._may_add_bot, self._end_failing, observers
        )
        self._rooms: dict[str, Room] = {}
        self._openers: dict[str, str] = {}
        self._expiries: dict[str, asyncio.TimerHandle] = {}
        self._opened = 0
        self._epoch = secrets.token_hex(8)

    def __iter__(self) -> Iterator[CommittedTable]:
        """Iterate over all tables as everybody sees them, oldest first."""
        for room in self._rooms.values():
            yield room.shown

    def __len__(self) -> int:
        return len(self._rooms)

    @property
    def listeners(self) -> int:
        """The number of listeners at all tables, players and spectators."""
        return sum(len(room.broadcast) for room in self._rooms.values())

    @property
    def is_halted(self) -> bool:
        """Whether nothing can be written, so that all tables are halted."""
        return self._journal.is_halted or bool(self._halts)

    @property
    def needs(self) -> str:
        """What an operator must give the journal's store before tables go on; empty if that is unknown."""
        return self._journal.needs

    @property
    def rooms(self) -> Sequence[Room]:
        """The rooms of all tables, the oldest first."""
        return tuple(self._rooms.values())

    @property
    def numbers(self) -> Set[int]:
        """The numbers of all tables."""
        return {room.journal.number for room in self._rooms.values()}

    @property
    def is_played(self) -> bool:
        """Whether a match is running at some table."""
        return any(not room.table.view.between_matches for room in self._rooms.values())

    def room(self, code: str) -> Room:
        """Return the room of a code, in capitals or lower case.

        Raises:
            CommandRefused: there is no such table.
            TableUnread: it is still being read from the journal.
            TableElsewhere: the code belongs to another process.

        """
        code = code.strip().upper()
        room = self._rooms.get(code)
        if room is not None:
            return room
        if code in self._unread:
            raise TableUnread
        if not self._settings.shards.has(code):
            raise TableElsewhere(self._settings.shards.port(code))
        raise CommandRefused(Reason.UNKNOWN_TABLE, "There is no table with that code here.")

    def number_of(self, code: str) -> int | None:
        """Return the number of an open table in the journal; ``None`` if there is no such table."""
        room = self._rooms.get(code)
        return None if room is None else room.journal.number

    def has_seat(self, code: str, token_hash: bytes) -> bool:
        """Return whether a token is that of a seat at an open table, or of one that its player has left."""
        room = self._rooms.get(code)
        return room is not None and room.table.seat_tokens.has_heard_of(token_hash)

    def token_hashes(self, code: str) -> Mapping[int, bytes]:
        """Return the hashes of the tokens of a table's seats; none if there is no such table."""
        room = self._rooms.get(code)
        tokens = None if room is None else room.table.seat_tokens
        if tokens is None:
            return {}
        return {seat: tokens.origin(seat)[0] for seat in tokens.people() if seat is not None}

    def founder_seat(self, code: str) -> int | None:
        """Return the seat of whoever opened a table; ``None`` if they have none."""
        room = self._rooms.get(code)
        return None if room is None else room.table.seat_tokens.founder_seat

    def openers(self) -> Collection[str]:
        """Return the address that has opened each table."""
        return self._openers.values()

    def _may_add_bot(self) -> bool:
        return sum(room.bots for room in self._rooms.values()) < self._settings.max_bots

    def open(  # noqa: PLR0913 - what a table has from the start
        self,
        options: Options,
        lock: Passphrase | None = None,
        address: str = "",
        budget: Budget | None = None,
        *,
        listed: bool = True,
        known_deal: str | None = None,
    ) -> Room:
        """Open a room for a new table, for an address, whose budget pays for what nobody commands.

        Without a lock, there is no passphrase. If it is not listed, only who knows its code finds it. A
        known deal is the seed of all its hands.

        Raises:
            CommandRefused: the options cannot be played, or there are too many tables.

        """
        if len(self._rooms) + len(self._unread) >= self._settings.max_tables:
            text = "This server has no room for more tables. Try again later."
            raise CommandRefused(Reason.SERVER_FULL, text)
        if self.is_halted:
            raise CommandRefused(Reason.HALTED, "The server cannot write to its disk. Try again later.")
        self._opened += 1
        seed = self._seed(self._opened)
        lock, journal = lock or Passphrase(secrets.token_bytes(SALT_SIZE)), self._table_journal()
        code = self._new_code(seed) if self._codes is None else self._codes(journal.number)
        room = finish(
            self._adding(
                *(code, options, lock, wall_clock(), seed, journal),
                budget=budget,
                listed=listed,
                known_deal=known_deal,
            )
        )
        journal.open(
            *(code, self._opened, options, lock.salt, lock.hash), listed=listed, known_deal=known_deal
        )
        self._openers[code] = address
        return room

    def restore(self, patience: float = inf) -> None:
        """Restore the tables of the journal that were open.

        Tables that cannot be restored stay in the journal. Those that take too long are continued in
        :meth:`restore_waiting`; their codes are known, but nobody can enter them yet.

        Args:
            patience: the seconds for all of them; a single one gets a tenth.

        Raises:
            JournalUnusable: the list of tables cannot be read.

        """
        until = time.monotonic() + patience
        for reader in self._reading.enter_context(self._journal.reading()):
            self._clock_watermark.durable_until, self._expected = reader.last_us(), reader.errors
            for stored in list(reader.tables(only_open=True)):
                self._opened = max(self._opened, stored.number)
                self._unread.setdefault(stored.code, stored.id)
                unread = UnreadTable(stored, self._restoring(reader, stored))
                if not self._restore_until(unread, min(until, time.monotonic() + patience / 10)):
                    self._waiting.append(unread)
        if not self._waiting:
            self._reading.close()

    def restore_waiting(self) -> asyncio.Task[None]:
        """Restore in a task, a little at a time, the tables that took too long. Return the task."""
        if self._restoring_task is None or self._restoring_task.done():
            self._restoring_task = asyncio.create_task(self._restore_waiting())
        return self._restoring_task

    async def _restore_waiting(self) -> None:
        """Restore the waiting tables in turns, so that no short log waits for long ones."""
        if self._waiting:
            log.warning("some tables take long to be read", extra={"tables": len(self._waiting)})
        with self._reading:
            while self._waiting:
                unread = self._waiting.popleft()
                for _ in range(SLICES_OF_TURN):
                    if self._restore_until(unread, time.monotonic() + SLICE_SECONDS):
                        break
                    await asyncio.sleep(SLICE_SECONDS)
                else:
                    self._waiting.append(unread)

    def _restore_until(self, unread: UnreadTable, until: float) -> bool:
        """Continue restoring a table until a moment. Return whether it is done, or cannot be restored."""
        stored = unread.stored
        try:
            for _ in unread.restoring:
                if time.monotonic() >= until:
                    return False
        except Exception as error:
            log_unrestorable(stored, error, self._expected)
        if self._unread.get(stored.code) == stored.id:
            del self._unread[stored.code]
        unread.ended()
        return True

    def restore_from(self, reader: JournalReader) -> Iterator[tuple[StoredTable, Exception]]:
        """Restore the open tables of a journal. Yield those that cannot be restored, with the reasons."""
        for stored in list(reader.tables(only_open=True)):
            try:
                finish(self._restoring(reader, stored))
            except Exception as error:
                yield stored, error

    def _restoring(self, reader: JournalReader, stored: StoredTable) -> Restoring:
        """Restore a table; yield after each step."""
        options, saved_state = options_of(stored), saved_state_of(reader, stored)
        if stored.code in self._rooms:
            raise UnknownContents("another table has its code")
        lock, journal = Passphrase(stored.salt, stored.passphrase), self._table_journal(stored.id)
        seed = self._seed(stored.number)
        yield from self._adding(
            *(stored.code, options, lock, stored.opened_ms, seed, journal, saved_state),
            listed=bool(stored.listed),
            known_deal=known_deal_of(stored),
        )

    def adopt(  # noqa: PLR0913, PLR0917 - a table, its two times, and two defaults
        self,
        stored: StoredTable,
        saved_state: SavedState,
        last_us: int,
        offset_us: int,
        ended: Callable[[], None] = lambda: None,
        patience: float = ADOPTION_SECONDS,
    ) -> None:
        """Continue a table of another server; perhaps it cannot be restored.

        A table that takes too long is restored in slices, so that others are served meanwhile.

        Args:
            stored: the table.
            saved_state: what is needed to continue it.
            last_us: the newest time that clients have seen, on its own clock.
            offset_us: how far its clock is ahead of that of this server.
            ended: called when it is restored, or cannot be.
            patience: the seconds that it may take without a pause.

        """
        self._begin(
            UnreadTable(stored, self._adopting(stored, saved_state, last_us, offset_us), ended), patience
        )

    def _begin(self, unread: UnreadTable, patience: float) -> None:
        """Restore a table, at once if that takes no longer than some seconds."""
        if not self._restore_until(unread, time.monotonic() + patience):
            self._waiting.append(unread)
            self.restore_waiting()

    def _adopting(
        self, stored: StoredTable, saved_state: SavedState, last_us: int, offset_us: int
    ) -> Restoring:
        """Restore a table that another server had; yield after each step."""
        lock = Passphrase(stored.salt, stored.passphrase)
        journal = self._table_journal(stored.id, offset_us)
        journal.clock_watermark.advance(last_us)
        epoch = secrets.token_hex(8)  # the table may have been here before
        options, seed = options_of(stored), self._seed(stored.number)
        yield from self._adding(
            *(stored.code, options, lock, stored.opened_ms, seed, journal, saved_state, epoch),
            listed=bool(stored.listed),
            known_deal=known_deal_of(stored),
        )

    # The end of a table.

    def _end_failing(self, room: Room) -> None:
        """End a table whose judging fails too often."""
        if self._rooms.get(room.table.view.code) is room:
            self.close_table(room, FAILED_OFTEN)

    def close_table(self, room: Room, text: str, then: Callable[[], None] = lambda: None) -> None:
        """End a table for good, tell everybody there why, and call back."""
        room.end_match(partial(self._end_match, room, text, then))

    def _end_match(self, room: Room, text: str, then: Callable[[], None]) -> None:
        if self._rooms.get(room.table.view.code) is room:
            room.broadcast.flush_delayed()
            room.broadcast.disconnect_all(CloseCode.GOING_AWAY, text)
            self.discard(room)
        then()

    def hand_over(self, room: Room, heir: int | None) -> None:
        """Hand a table over to another server, or to the journal, and close its connections."""
        number = room.journal.number
        room.catch_up()
        room.stop()
        self.leaving.add(number)
        self._remove(room)
        room.journal.clock_watermark.track(number, 0)
        moves: list[Change] = [] if heir is None else [(Operation.MOVE_TABLE, (number, heir))]
        self._journal.write(moves, partial(self._part, room, MOVED if moves else STAYS))

    def _part(self, room: Room, reason: str) -> None:
        self.leaving.discard(room.journal.number)
        room.broadcast.disconnect_all(CloseCode.TRY_AGAIN, reason)
        self._end(room)

    def _table_journal(self, number: int | None = None, offset_us: int = 0) -> TableJournal:
        """Return a table's journal; without a number, that of a new table."""
        number = self._journal.new_number() if number is None else number
        clock_watermark = (
            ShiftedClockWatermark(self._clock_watermark, offset_us) if offset_us else self._clock_watermark
        )
        return TableJournal(self._journal, number, wall_clock, clock_watermark)

    def _seed(self, number: int) -> bytes:
        """Return the seed for all randomness at a table."""
        seed = self._settings.seed
        return secrets.token_bytes(SEED_SIZE) if seed is None else subseed(seed, f"table/{number}")

    def _adding(  # noqa: PLR0913, PLR0917 - new and restored tables are made in one place
        self,
        code: str,
        options: Options,
        lock: Passphrase,
        opened_ms: int,
        seed: bytes,
        journal: TableJournal,
        saved_state: SavedState | None = None,
        epoch: str = "",
        budget: Budget | None = None,
        *,
        listed: bool = True,
        known_deal: str | None = None,
    ) -> Generator[None, None, Room]:
        """Add a room and return it; yield after each step of restoring it."""
        dealt = 0 if saved_state is None else len(saved_state.seeds)
        seeds = islice(self._seeds(seed), dealt, None)
        locked = lock.hash is not None
        initial = InitialState.of_new_table(
            code, options, seeds, self._context, locked=locked, known_deal=known_deal
        )
        if saved_state is not None:
            log_of_table = initial.replay.add_each(encoded_events(saved_state.log))
            whispers = yield from initial.table.restoring(saved_state._replace(log=log_of_table))
            initial = initial._replace(saved_state=saved_state, whispers=whispers)
        room = Room(
            initial,
            self._context,
            journal=journal,
            lock=lock,
            opened_ms=opened_ms,
            listed=listed,
            epoch=epoch or self._epoch,
            bot_seed=subseed(seed, "bots"),
            budget=budget,
        )
        if saved_state is not None:
            yield from room.continue_after_restart(options, saved_state)
        self._rooms[code] = room
        log.info("table opened" if saved_state is None else "table restored", extra={"table": code})
        for observer in room.observers:
            tell(observer.opened, room.shown)
        self.expire(room)
        if self.is_halted:
            room.halt(halted=True)
        return room

    def expire(self, room: Room) -> None:
        """Close a room later if nobody is connected by then. Each call restarts the time."""
        code = room.table.view.code
        if self._rooms.get(code) is room:
            self._stop_expiry(code)
            self._expiries[code] = asyncio.get_running_loop().call_later(
                self._settings.idle_table_seconds, self._close_if_empty, room
            )

    def discard(self, room: Room) -> None:
        """Close a room, and its table for good."""
        number = room.journal.number
        self.leaving.add(number)
        room.journal.close(partial(self.leaving.discard, number))
        self._forget(room)

    def _forget(self, room: Room) -> None:
        self._remove(room)
        self._end(room)

    def _remove(self, room: Room) -> None:
        code = room.table.view.code
        self._stop_expiry(code)
        del self._rooms[code]
        self._openers.pop(code, None)  # after a restart nobody knows who opened it

    def _end(self, room: Room) -> None:
        self.closed += 1
        room.close()
        code = room.table.view.code
        log.info("table closed", extra={"table": code})
        for observer in room.observers:
            tell(observer.closed, room.shown)

    def end_matches(self) -> None:
        """End all running matches, because the tables are closed for good."""
        for room in self.rooms:
            room.end_match(room.broadcast.flush_delayed)

    def stop(self) -> None:
        """Halt all tables for good, and stop restoring: the server stops."""
        if self._restoring_task is not None:
            self._restoring_task.cancel()
        self._clock_watermark.close()
        for room in self._rooms.values():
            room.stop()

    def close(self, *, for_good: bool = True) -> None:
        """Close all rooms; not for good if the journal keeps the tables for another server."""
        for room in tuple(self._rooms.values()):
            if for_good:
                self.discard(room)
            else:
                self._forget(room)
        self._clock_watermark.close()

    def halt(self, why: str, halted: bool) -> None:
        """Halt all tables for a reason, or withdraw it; they resume when none is left."""
        was_halted = bool(self._halts)
        (self._halts.add if halted else self._halts.discard)(why)
        if bool(self._halts) == was_halted:
            return
        for room in self.rooms:
            room.halt(halted)
            if not halted:
                self.expire(room)

    def _close_if_empty(self, room: Room) -> None:
        if room.is_deserted and not room.is_halted:  # nobody could return meanwhile
            room.end_match(partial(self._discard_if_empty, room))

    def _discard_if_empty(self, room: Room) -> None:
        if room.is_deserted and self._rooms.get(room.table.view.code) is room:
            self.discard(room)

    def _stop_expiry(self, code: str) -> None:
        expiry = self._expiries.pop(code, None)
        if expiry is not None:
            expiry.cancel()

    def _new_code(self, seed: bytes) -> str:
        attempt = 0
        while True:
            letters = subseed(seed, f"code/{attempt}")[: self._settings.code_letters]
            code = "".join(CODE_LETTERS[byte % len(CODE_LETTERS)] for byte in letters)
            if code not in self._rooms and code not in self._unread and self._settings.shards.has(code):
                return code
            attempt += 1


def finish(steps: Generator[None, None, T]) -> T:
    """Run all steps of a generator, and return its result."""
    while True:
        try:
            next(steps)
        except StopIteration as done:
            result: T = done.value
            return result


def log_unrestorable(
    stored: StoredTable, error: Exception, expected: tuple[type[Exception], ...] = ()
) -> None:
    """Log why a table cannot be restored here; with a traceback if the error is an unknown one."""
    facts = {"table": stored.code, "number": stored.id, "why": str(error)}
    mistake = None if isinstance(error, (*UNRESTORABLE, *expected)) else error
    log.error("a table cannot go on here; it stays in the journal", extra=facts, exc_info=mistake)


def unrestorable(reader: JournalReader) -> list[tuple[StoredTable, Exception]]:
    """Restore the tables of a journal as a server does. Return those that cannot be restored, and why.

    Nothing is written.
    """

    async def start() -> list[tuple[StoredTable, Exception]]:
        now = reader.last_us()
        return list(Registry(ServerSettings(), lambda: now, NullJournal()).restore_from(reader))

    with ThreadPoolExecutor() as thread:  # the caller may be running a loop
        return thread.submit(asyncio.run, start()).result()


def wall_clock() -> int:
    """Return the milliseconds since 1970."""
    return time.time_ns() // 1_000_000


def secret_seeds(_: bytes) -> Iterator[bytes]:
    """Yield unpredictable seeds, whatever a table's own seed is."""
    while True:
        yield secrets.token_bytes(SEED_SIZE)
