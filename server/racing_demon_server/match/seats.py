"""The seats of a table: who sits where, who is connected, who is the host.

A player who loses the connection keeps the seat. At first nothing happens, because players usually return.
Later the others stop waiting, and a host who stays away is replaced. Times are microseconds on the caller's
monotonic clock.
"""

from collections import Counter, deque
from collections.abc import Callable, Collection, Iterator, Sequence
from typing import Final, NamedTuple

from racing_demon_protocol.engine.specification import Game
from racing_demon_protocol.enums import Reason
from racing_demon_protocol.errors import CommandRefused
from racing_demon_protocol.games import declare, seats_of
from racing_demon_protocol.table.scoring import late_start
from racing_demon_protocol.wire.capabilities import RETURNS
from racing_demon_protocol.wire.messages import events as ev
from racing_demon_protocol.wire.messages.server import SeatState

from .bans import Bans
from .names import BOT_NAMES, clean, unique
from .seat_tokens import Actor
from .state import Ban, JudgeState

MAX_CHAT_LINES: Final = 5
CHAT_SPAN_US: Final = 10_000_000


class ChatLimit:
    """Limits how many lines and reactions a seat sends within a few seconds."""

    def __init__(self) -> None:
        self._spoken: dict[int, deque[int]] = {}

    def count_message(self, seat: int, at: int) -> None:
        """Count a line or a reaction of a seat.

        Raises:
            CommandRefused: the seat has sent too many.

        """
        times = self._spoken.setdefault(seat, deque(maxlen=MAX_CHAT_LINES))
        if len(times) == MAX_CHAT_LINES and times[0] > at - CHAT_SPAN_US:
            raise CommandRefused(Reason.TOO_FAST, "You can send five messages in ten seconds. Wait a moment.")
        times.append(at)

    def forget(self, seat: int) -> None:
        """Forget a seat, because it has a new owner."""
        self._spoken.pop(seat, None)


AWAY_US: Final = 10_000_000
"""How long a disconnected player counts when all must agree."""
HOST_AWAY_US: Final = 20_000_000
"""How long a host may be disconnected before the next player becomes host."""
RETURN_US: Final = 10_000_000
"""How long a hand waits for its players after a restart, if nobody paused it."""
MIN_CONNECTED: Final = 2
"""The number of connected players that a hand needs, if it has as many."""


ENTRY_CLOSED: Final = (
    "The host has locked this table: nobody new can take a seat. You can ask them to unlock it."
)


WhoLacks = Callable[[Collection[str]], Sequence[str]]
"""Returns who at the table has a client that does not understand all of these extensions."""


class Absent(NamedTuple):
    """A host who is away: the seat, or ``None`` with ``is_watcher`` for one without a seat."""

    seat: int | None
    is_watcher: bool = False


class Seats:
    """The seats of one table.

    Attributes:
        seat_tokens: their tokens.
        bans: the kicked players who may not return yet.
        who_lacks: asked before an extension is used.

    Args:
        state: the state of the table's judge.
        may_add_bot: returns whether one more bot may play.

    """

    def __init__(self, state: JudgeState, may_add_bot: Callable[[], bool]) -> None:
        self.seat_tokens = state.seat_tokens
        self._state = state
        self._view = state.view
        self._may_add_bot = may_add_bot
        self.bans = Bans(state)
        self.who_lacks: WhoLacks = lambda _words: ()
        self._chat = ChatLimit()

    # Queries.

    def active(self) -> dict[int, SeatState]:
        """Return the seats whose players have not left."""
        return {seat: state for seat, state in self._view.seats.items() if not state.left}

    def seat_of(self, actor: Actor) -> int:
        """Return the seat of an actor.

        Raises:
            CommandRefused: the actor has none.

        """
        if actor is None:
            raise CommandRefused(Reason.NOT_SEATED, "You are watching. Only players can do that.")
        return actor

    def people(self) -> list[SeatState]:
        """Return the human players who have not left."""
        return [state for state in self.active().values() if not state.bot]

    def somebody_is_there(self) -> bool:
        """Return whether the next hand may be dealt: somebody at the table must be connected."""
        people = self.people()
        return bool(self.active()) and (not people or any(state.connected for state in people))

    def must_agree(self, seat: int) -> bool:
        """Return whether a seat counts when all must agree; it stops counting when it is away for long."""
        state = self._view.seats[seat]
        is_there = state.connected or bool(state.stand_in) or seat not in self._state.record.given_up
        return is_there and not self._view.has_left_hand(seat)

    def is_lacking(self) -> bool:
        """Return whether too few human players of the hand are connected."""
        people = [state for state in self.people() if self._view.plays_hand(state.seat)]
        there = sum(state.connected or bool(state.stand_in) for state in people)
        return there < min(MIN_CONNECTED, len(people))

    # Joining and leaving.

    def join(self, name: str, token_hash: bytes, address_hash: bytes, *, program: bool = False) -> int:
        """Seat a player, a person or a program, and return the seat's number.

        Raises:
            CommandRefused: no seat is free, the name is not acceptable, the match takes no new players, the
                host has kicked this player, or lets nobody new take a seat.

        """
        cleaned = clean(name)
        self.bans.verify(cleaned, token_hash, address_hash)
        if self._view.entry_closed:
            raise CommandRefused(Reason.NOT_NOW, ENTRY_CLOSED)
        seat = self._take_seat(cleaned, token_hash, program=program)
        self.seat_tokens.record_address(seat, address_hash)
        return seat

    def add_bot(self, level: str) -> None:
        """Seat a bot.

        Raises:
            CommandRefused: no seat is free, the match takes no new players, or there are too many bots.

        """
        self.verify_bots()
        taken = {state.name for state in self._view.seats.values()}
        name = next((name for name in BOT_NAMES if name not in taken), BOT_NAMES[0])
        self._take_seat(name, b"", level)

    def connect(self, actor: Actor, connected: bool, at: int) -> bool:
        """Record that an actor connected or disconnected. Return whether that changes a seat."""
        if connected:
            self._forget_absence(actor, and_giving_up=True)
        else:
            self._record_absence(actor, at)
        if connected and actor is None and self._view.absent_watcher:
            self._state.emit(ev.Hosted, seat=None)
            return True
        state = None if actor is None else self._view.seats.get(actor)
        if state is None or state.left or state.connected == connected:
            return False
        self._state.emit(ev.Connected, seat=state.seat, connected=connected)
        if connected and state.seat == self._view.absent_host:
            self.make_host(state)
        return True

    def restore(self, event: ev.Event, at: int) -> None:
        """Apply a connection or a leave from before the restart."""
        match event:
            case ev.Connected(connected=False):
                self._record_absence(event.seat, at)
            case ev.Connected() | ev.Left() | ev.Joined() | ev.Returned():
                self._forget_absence(event.seat)

    def _record_absence(self, actor: Actor, since: int) -> None:
        record = self._state.record
        self._state.record = record._replace(away={**record.away, actor: since})

    def _forget_absence(self, actor: Actor, *, and_giving_up: bool = False) -> None:
        record = self._state.record
        given_up = record.given_up - {actor} if and_giving_up else record.given_up
        away = {other: since for other, since in record.away.items() if other != actor}
        self._state.record = record._replace(away=away, given_up=given_up)

    def _forget_strangers(self) -> None:
        """Forget who has been away and has no token any more."""
        record = self._state.record
        away = {actor: since for actor, since in record.away.items() if actor in self.seat_tokens}
        self._state.record = record._replace(away=away)

    def continue_after_restart(self, at: int) -> None:
        """Mark everybody as disconnected after a restart."""
        self._forget_strangers()
        for actor in self.seat_tokens.people():
            if actor not in self._state.record.away:
                self.connect(actor, connected=False, at=at)

    def shift(self, microseconds: int, now: int) -> None:
        """Shorten every absence by the time for which nobody could return."""
        record = self._state.record
        away = {actor: min(since + microseconds, now) for actor, since in record.away.items()}
        self._state.record = record._replace(away=away)

    def vacate(self, seat: int, *, kicked: bool = False) -> None:
        """Free a seat, and replace the host if it was theirs.

        Its token opens it no more; within the match the player can come back with it, unless kicked.
        """
        state = self._view.seats[seat]
        if kicked and not state.bot:
            self.bans.add(Ban(state.name, *self.seat_tokens.origin(seat)))
        # First, because it raises if the seat has none: then no event is emitted.
        if kicked or state.bot or self._view.between_matches:
            self.seat_tokens.drop(seat)
        else:
            self.seat_tokens.retire(seat)
        self._state.emit(ev.Left, seat=seat, kicked=kicked)
        self._forget_absence(seat)
        if seat == self._view.host:
            self._choose_host(self.people(), self.absent)

    def may_return(self, seat: int) -> bool:
        """Return whether the player who left a seat may have it back now."""
        if self._view.between_matches or not self.seat_tokens.is_retired(seat):
            return False
        lacked = {RETURNS} - self._view.extensions
        return not (lacked and self.who_lacks(lacked))

    def was_left(self, actor: Actor) -> bool:
        """Return whether an actor had a seat in this match and has left it."""
        state = None if actor is None else self._view.seats.get(actor)
        return state is not None and state.left and not (state.bot or self._view.between_matches)

    def take_back(self, seat: int, token_hash: bytes, address_hash: bytes) -> None:
        """Give a seat back to the player who left it, and who plays from the next deal.

        Raises:
            CommandRefused: the seat is not theirs any more.

        """
        if not self.may_return(seat):
            raise CommandRefused(Reason.BAD_TOKEN, "That seat is not yours any more.")
        kept, _ = self.seat_tokens.origin(seat)
        self.bans.verify(self._view.seats[seat].name, kept, b"")  # older journals keep tokens of the kicked
        self.seat_tokens.take_back(seat, token_hash)
        self.seat_tokens.record_address(seat, address_hash)
        self._state.emit(ev.Returned, seat=seat)
        self._forget_absence(seat, and_giving_up=True)
        self._greet_host(seat)

    def _greet_host(self, seat: int) -> None:
        """Make whoever takes a seat the host, if there is none."""
        if self._view.host is None and None not in self.seat_tokens:
            self._state.emit(ev.Hosted, seat=seat)

    def forget_absent(self) -> None:
        """Forget the players who have left: a new match keeps no seats for them."""
        self.seat_tokens.retain(self._view.seats)
        self._forget_strangers()

    def verify_bots(self) -> None:
        """Check that one more bot may play.

        Raises:
            CommandRefused: there are too many.

        """
        if not self._may_add_bot():
            raise CommandRefused(Reason.SERVER_FULL, "This server can run no more bots. Try again later.")

    def _watch_hint(self) -> str:
        """Return a hint for a player who finds no seat; empty if there is none."""
        return "; you can watch" if self._view.options.spectators else ""

    def _take_seat(self, name: str, token_hash: bytes, bot: str = "", *, program: bool = False) -> int:
        view = self._view
        if not (view.between_matches or view.options.late_join):
            raise CommandRefused(Reason.NOT_NOW, f"This match takes no new players{self._watch_hint()}.")
        game, seats = declare(view.options, 1), seats_of(view.options)
        seat = next((n for n in range(seats) if self._is_free(n)), None)
        if seat is None or len(self.active()) >= seats:  # a lower seat may be free
            by_game = f"{game.title} is for {most_players(game)}"
            why = "All seats are taken" if seats == view.options.seats else by_game
            raise CommandRefused(Reason.TABLE_FULL, f"{why}{self._watch_hint()}.")
        taken = [state.name for state in view.seats.values()]
        name, start = unique(name, taken), late_start(view)
        self._state.emit(ev.Joined, seat=seat, name=name, bot=bot, program=program, start=start)
        self.seat_tokens.add(seat, token_hash)
        self._forget_absence(seat, and_giving_up=True)  # that of its former player
        self._chat.forget(seat)
        if view.options.teams is not None:
            self._state.emit(ev.TeamSet, seat=seat, team=self._smallest_team(view.options.teams))
        self._greet_host(seat)
        return seat

    def _smallest_team(self, teams: int) -> int:
        """Return the team with the fewest players, of several the first."""
        players = Counter(state.team for state in self.active().values())
        return min(range(teams), key=lambda team: players[team])

    def assign_teams(self) -> None:
        """Put every player into a team, so that neighbors play against each other, if there are teams."""
        teams = self._view.options.teams
        if teams is not None:
            for index, seat in enumerate(sorted(self.active())):
                self._state.emit(ev.TeamSet, seat=seat, team=index % teams)

    def lacks_opponents(self) -> bool:
        """Return whether several players are about to begin a match, all of them in one team."""
        active = self.active().values()
        teams = {state.team for state in active}
        return self._view.between_matches and len(active) > 1 and teams.isdisjoint({None}) and len(teams) == 1

    def _is_free(self, seat: int) -> bool:
        """Return whether a seat may be taken: a finished match keeps no seats for those who left it."""
        state = self._view.seats.get(seat)
        return state is None or (state.left and self._view.between_matches)

    # Time.

    def timers(self) -> Iterator[tuple[int, bool]]:
        """Yield when an absent player stops counting (false), and when an absent host is replaced (true)."""
        record = self._state.record
        for actor, since in record.away.items():
            if actor is not None and actor not in record.given_up:
                yield since + AWAY_US, False
        since_host = record.away.get(self._view.host)
        if since_host is not None and any(state.connected for state in self.people()):
            yield since_host + HOST_AWAY_US, True

    def give_up(self, now: int) -> None:
        """Stop waiting for players who have been away for long."""
        record = self._state.record
        late = {actor for actor, since in record.away.items() if since + AWAY_US <= now}
        self._state.record = record._replace(given_up=record.given_up | late)

    def replace_host(self, at: int) -> None:
        """Make the next connected player the host, until the one who is away returns."""
        view = self._view
        absent: Absent | None = self.absent or Absent(view.host, is_watcher=view.host is None)
        if (lacked := {RETURNS} - view.extensions) and self.who_lacks(lacked):
            absent = None
        self._choose_host([state for state in self.people() if state.seat != view.host], absent)

    @property
    def absent(self) -> Absent | None:
        """The host who is away, and is host again when they are back; ``None`` if there is none."""
        absent = Absent(self._view.absent_host, is_watcher=self._view.absent_watcher)
        return absent if absent.seat is not None or absent.is_watcher else None

    def _choose_host(self, candidates: list[SeatState], absent: Absent | None) -> None:
        """Make the first of some players the host, connected ones first; nobody if there are none."""
        candidates.sort(key=lambda state: not state.connected)
        if candidates:
            self.make_host(candidates[0], absent)
        else:
            self._state.emit(ev.Hosted, seat=None)

    def make_host(self, state: SeatState, absent: Absent | None = None) -> None:
        """Make a player the host, perhaps only until another is back."""
        if state.muted:
            self._state.emit(ev.Muted, seat=state.seat, muted=False)  # a host is never muted
        seat, is_watcher = (None, False) if absent is None or absent.seat == state.seat else absent
        self._state.emit(ev.Hosted, seat=state.seat, absent_host=seat, absent_watcher=is_watcher)

    # What commands need.

    def player(self, seat: int) -> SeatState:
        """Return the player of a seat, a person or a bot.

        Raises:
            CommandRefused: nobody has that seat.

        """
        state = self.active().get(seat)
        if state is None:
            raise CommandRefused(Reason.NOT_SEATED, "That seat is empty.")
        return state

    def person(self, seat: int) -> SeatState:
        """Return the person of a seat.

        Raises:
            CommandRefused: no person has that seat.

        """
        state = self.player(seat)
        if state.bot:
            raise CommandRefused(Reason.NOT_SEATED, f"{state.name} is a bot. That works only with people.")
        return state

    def verify_voice(self, seat: int, at: int) -> None:
        """Check that a seat may send a chat line or a reaction.

        Raises:
            CommandRefused: it comes too soon, or the seat is muted.

        """
        if self._view.seats[seat].muted:
            raise CommandRefused(Reason.MUTED, "The host has muted you.")
        self._chat.count_message(seat, at)


def most_players(game: Game) -> str:
    """Return in words how many players a game admits."""
    return {1: "one player alone", 2: "two together"}.get(game.max_seats, f"at most {game.max_seats}")
