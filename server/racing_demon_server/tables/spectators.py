"""The spectators of a table.

They see what players see, but later, and never delay players. Events go out in rounds, to a few spectators
every millisecond, in turns with those of all other tables. Events during a round wait for the next one, and
reach each spectator in one write: more spectators add delay for spectators, and none for players. Lost races
go with the events, at a limited rate. All spectators of a table share one reader of its feed, so that with a
delay a new one sees no more than the others.
"""

import asyncio
import itertools
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from typing import Final, NamedTuple

from racing_demon_protocol.constants import MAX_LISTED_SPECTATORS, MAX_SPECTATORS
from racing_demon_protocol.enums import CloseCode
from racing_demon_protocol.table.state import TableState
from racing_demon_protocol.wire.capabilities import lacking, refusal
from racing_demon_protocol.wire.messages.events import Dealt
from racing_demon_protocol.wire.messages.server import CaughtUp, RaceLost, SpectatorList, SpectatorState
from racing_demon_protocol.wire.options import Options
from racing_demon_server.encoded_messages import Batch, EncodedEvent, Listener, encoded_events
from racing_demon_server.match.checkpoint import DelayedView
from racing_demon_server.match.hand import HandClock
from racing_demon_server.match.table import SavedState
from racing_demon_server.rate_limits import TokenBucket
from racing_demon_server.wakeup import seconds_until

from .failures import NOT_SENT, Failures
from .feed import AT_ONCE, NO_EVENT, Backlog, CommittedTable, Entry, Reader, TableCopy

STEP_UNITS: Final = 10
"""Units of work in one step, for all tables together."""
STEP_SECONDS: Final = 0.001
"""Seconds between two steps."""

Turn = Callable[[int], int]
"""Does some work, up to a number of units, and returns how many it has done."""


class FairScheduler:
    """Runs the spectators of all tables in turns: a few units of work every millisecond.

    In between, the loop serves players. A table with more to do goes to the end of the line after each turn,
    so that one with many spectators does not delay the others.
    """

    def __init__(self) -> None:
        self._waiting: dict[Turn, None] = {}
        self._step: asyncio.Handle | None = None

    def request(self, turn: Turn) -> None:
        """Wait for a turn, unless it is waiting already."""
        self._waiting[turn] = None
        if self._step is None:
            self._step = asyncio.get_running_loop().call_soon(self._do_step)

    def withdraw(self, turn: Turn) -> None:
        """Stop waiting."""
        self._waiting.pop(turn, None)

    def _do_step(self) -> None:
        if not self._waiting:
            self._step = None
            return
        # Set first, so that the others continue if a turn fails.
        self._step = asyncio.get_running_loop().call_later(STEP_SECONDS, self._do_step)
        left = STEP_UNITS
        while left > 0 and self._waiting:
            turn = next(iter(self._waiting))
            del self._waiting[turn]
            left -= max(1, turn(left))


MAX_ROUND_EVENTS: Final = 500
"""The most events in one round. Others wait for the reader, which counts those that are held back."""
RACES_PER_SECOND: Final = 4
RACE_BURST: Final = 8
"""The most lost races shown of a table, sustained and at once: nobody can read more."""


def is_second_deal(encoded: Iterable[EncodedEvent], shown: CommittedTable) -> bool:
    """Return whether events deal a hand that was drawn again.

    Then everybody also gets a snapshot. It says nothing new, but clients that do not know of void draws start
    over with it, and do not mistake the second draw for cheating.
    """
    for each in encoded:
        if type(each.event) is Dealt:
            return shown.settled.is_redrawn
    return False


class RelayReport(NamedTuple):
    """What a relay reports of its spectators.

    Attributes:
        people: how many there are.
        lacks: the extensions that some of their clients do not understand.

    """

    people: int
    lacks: frozenset[str]


class SpectatorEntry(NamedTuple):
    """When a spectator came, and their number."""

    number: int
    at: int


class Spectators:
    """The spectators of one table.

    Attributes:
        relayed: what each relay among them reports of its own spectators.

    Args:
        shown: the table as its players see it.
        clock: the clock, in microseconds.
        backlog: bounds what is held back.
        scheduler: gives spectators their turns.
        failures: counts what fails.

    """

    def __init__(
        self,
        shown: CommittedTable,
        clock: Callable[[], int],
        backlog: Backlog,
        scheduler: FairScheduler,
        failures: Failures,
    ) -> None:
        self._shown = shown
        self._clock = clock
        self._loop = asyncio.get_running_loop()
        self.relayed: dict[Listener, RelayReport] = {}
        self._sent: dict[Listener, int] = {}
        self._came: dict[Listener, SpectatorEntry] = {}
        self._numbers = itertools.count(1)
        self._round: list[Entry] = []
        self._unserved: list[Listener] = []  # for this round, the last first
        self._newest = 0
        self._batches: dict[tuple[int, bool], Batch] = {}
        self._races = TokenBucket(RACES_PER_SECOND, RACE_BURST)
        self._scheduler = scheduler
        self._failures = failures
        self._reader = Reader(shown, clock, backlog)
        self._alarm: asyncio.Handle | None = None

    def __len__(self) -> int:
        return len(self._sent)

    def __contains__(self, listener: Listener) -> bool:
        return listener in self._sent

    def __iter__(self) -> Iterator[Listener]:
        return iter(list(self._sent))

    @property
    def extensions(self) -> frozenset[str]:
        """The extensions that the table used which spectators are shown."""
        return self._reader.state.extensions

    def lack(self, words: Collection[str]) -> bool:
        """Return whether a spectator's client does not understand all of these extensions."""
        reports = self.relayed.values()
        return any(lacking(each.software, words) for each in self._sent) or any(
            not each.lacks.isdisjoint(words) for each in reports
        )

    def close_outdated(self, words: Collection[str]) -> None:
        """Close the connections of spectators whose clients do not understand all of these extensions."""
        for listener in self:
            if lacks := lacking(listener.software, words):
                self.discard(listener)
                listener.close(CloseCode.GOOD_BYE, refusal(lacks))

    @property
    def people(self) -> int:
        """The number of spectators; those of a relay count in its place."""
        relayed = sum(each.people for each in self.relayed.values())
        return min(MAX_SPECTATORS, len(self._sent) - len(self.relayed) + relayed)

    def count_relayed(self, relay: Listener, count: int, lacks: Collection[str] = ()) -> bool:
        """Count a relay's spectators in its place; return whether it is a spectator here.

        Args:
            relay: the relay.
            count: how many spectators it has.
            lacks: the extensions that some of their clients do not understand.

        """
        if relay not in self._sent:
            return False
        self.relayed[relay] = RelayReport(count, frozenset(lacks))
        return True

    def add(self, listener: Listener) -> None:
        """Send a spectator the (delayed) view of the table, and then all events."""
        state, elapsed_ms = self._reader.look()
        listener.reply(state.snapshot_for(None, elapsed_ms))
        listener.reply(CaughtUp(seq=state.seq))
        self._add(listener, state.seq)

    def add_caught_up(self, listener: Listener) -> None:
        """Add a spectator who has received every event so far."""
        self._add(listener, self._shown.view.seq)

    def _add(self, listener: Listener, seq: int) -> None:
        self._sent[listener] = seq
        self._came.setdefault(listener, SpectatorEntry(next(self._numbers), self._clock()))

    def listed(self) -> SpectatorList:
        """Return who watches, for the host: those who came last."""
        now, last = self._clock(), list(self._came.items())[-MAX_LISTED_SPECTATORS:]
        return SpectatorList(
            spectators=tuple(
                SpectatorState(
                    spectator=number,
                    seconds=(now - at) // 1_000_000,
                    people=self.relayed[listener].people if listener in self.relayed else 1,
                )
                for listener, (number, at) in last
            )
        )

    def numbered(self, number: int) -> Listener | None:
        """Return a spectator by the number in the host's list; ``None`` if they are gone."""
        return next((each for each, came in self._came.items() if came.number == number), None)

    def restoring(self, options: Options, saved_state: SavedState) -> Iterator[None]:
        """Go to where the spectators were when the server ended; yield after each event.

        Args:
            options: the table's initial options.
            saved_state: what the journal holds of the table.

        """
        if not self._reader.is_held_back:
            return
        view, hand_clock = self._shown.view, HandClock()
        before = TableState(view.code, options)
        if saved_state.checkpoint is not None and saved_state.checkpoint.delayed_view is not None:
            table, hand_clock = saved_state.checkpoint.delayed_view
            before.restore(table)
        elif saved_state.snapshot is not None:
            before.restore(saved_state.snapshot)
        before.record = before.record._replace(locked=view.locked, known_deal=view.known_deal)
        yield from self._reader.restoring(TableCopy(before, hand_clock), encoded_events(saved_state.log))
        self._schedule()

    def delayed_view(self) -> DelayedView | None:
        """Return what delayed spectators see; ``None`` without a delay."""
        late = self._reader.late_table()
        return None if late is None else DelayedView(late.state.snapshot_for(None, 0), late.hand_clock)

    def discard(self, listener: Listener) -> None:
        """Remove a spectator."""
        self._sent.pop(listener, None)
        self._came.pop(listener, None)
        self.relayed.pop(listener, None)

    def publish(
        self, encoded: Sequence[EncodedEvent], copy: TableCopy | None = None, moves_cards: bool = False
    ) -> None:
        """Send events after their delay.

        Args:
            encoded: the events.
            copy: the table after them, if it was copied.
            moves_cards: whether they change little but cards.

        """
        if not self._sent and not self._reader.is_held_back:
            return
        self._reader.append(encoded, copy)
        if not moves_cards and is_second_deal(encoded, self._shown):
            self._reader.append_snapshot()
        self._schedule()

    def show_race(self, race: RaceLost) -> None:
        """Show a lost race after the events before it, and as late. Beyond the rate it is left out."""
        if (self._sent or self._reader.is_held_back) and self._races.take(self._clock()):
            self._reader.append_message(race)
            self._schedule()

    def begin_again(self) -> None:
        """Let all spectators come back, because they may have missed something, and see nothing too early."""
        self._round, self._batches = [], {}
        self._unserved.clear()
        self._reader.skip()
        for listener in self:
            self.discard(listener)
            listener.close(CloseCode.TRY_AGAIN, NOT_SENT)

    def flush(self) -> None:
        """Send everything that waits at once, because the table closes."""
        try:
            while self._round or self._reader.next_due is not None:
                self._run(MAX_ROUND_EVENTS, until=None)
        except Exception:
            self._fail()

    def close(self) -> None:
        """Stop sending."""
        self._reader.close()
        self._scheduler.withdraw(self._run_turn)
        if self._alarm is not None:
            self._alarm.cancel()

    def _schedule(self) -> None:
        due = self._reader.next_due
        if self._round or due == AT_ONCE:
            self._scheduler.request(self._run_turn)
        elif due is not None and self._alarm is None:
            self._alarm = self._loop.call_later(seconds_until(due, self._clock()), self._wake)

    def _wake(self) -> None:
        self._alarm = None
        self._scheduler.request(self._run_turn)

    def _run_turn(self, most: int) -> int:
        try:
            return self._run(most, until=self._clock())
        except Exception:
            self._fail()
            return 1

    def _fail(self) -> None:
        self._failures.note("spectators could not be shown a table")
        self.begin_again()

    def _run(self, most: int, *, until: int | None) -> int:
        """Continue a round, or begin one with what is due by a moment. Return how many were served."""
        done = 0
        if not self._unserved:
            self._begin_round(until)
        while self._unserved and done < most:
            self._send_to(self._unserved.pop())
            done += 1
        if not self._unserved:
            self._round, self._batches = [], {}
        self._schedule()
        return done

    def _begin_round(self, until: int | None) -> None:
        self._round = self._reader.take(until, MAX_ROUND_EVENTS)
        while self._round and self._round[-1].has_news:
            self.close_outdated(self.extensions)  # some came after it was given up
            later = self._reader.take(until, MAX_ROUND_EVENTS - len(self._round))
            if not later:
                break
            self._round += later
        if not self._round:
            return
        self._newest = max(self._newest, *(each.seq for each in self._round))
        self._unserved.extend(reversed(self._sent))

    def _send_to(self, listener: Listener) -> None:
        """Send one spectator what is new. Spectators in the same state get the same bytes."""
        sent = self._sent.get(listener)
        if sent is None:
            return
        state = sent, listener.shows_races
        batch = self._batches.get(state)
        if batch is None:
            news = [
                each.encodable
                for each in self._round
                if each.seq > sent or (each.seq == NO_EVENT and listener.shows_races)
            ]
            batch = self._batches[state] = Batch(news)
        if batch.messages:
            listener.send(batch)
            self._sent[listener] = max(sent, self._newest)
