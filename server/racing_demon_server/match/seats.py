"""Who sits where, who is there, and who is the host. Times are microseconds on the caller's rising clock.

A seat stays its player's while the connection is away. For a while nothing happens at all: people come
back. Then the others need not wait for them, and a host who stays away loses the hostship.
"""

from collections.abc import Callable, Iterator
from typing import Final

from racing_demon_protocol.engine.specification import Game
from racing_demon_protocol.errors import CommandRefused
from racing_demon_protocol.games import declare, seats_of
from racing_demon_protocol.reasons import Reaction, Reason
from racing_demon_protocol.wire.messages import events as ev
from racing_demon_protocol.wire.messages.server import SeatState

from .bans import Ban, Bans
from .chat_limit import ChatLimit
from .event_log import EventLog
from .names import BOT_NAMES, clean, clean_words, unique
from .seat_tokens import Actor, SeatTokens

__all__ = ["AWAY_US", "HOST_AWAY_US", "Seats", "most_players"]

AWAY_US: Final = 10_000_000
"""How long somebody whose connection is lost still counts as there, when all must agree."""
HOST_AWAY_US: Final = 20_000_000
"""How long a host may be away before the next player becomes host."""
ENOUGH: Final = 2
"""So many people must be connected for a hand to go on, if so many play in it."""


class Seats:
    """The seats of one table.

    Attributes:
        seat_tokens: who may speak for them.
        bans: who was sent away, and may not come back yet.

    Args:
        log: the table's log.
        may_add_bot: tells whether one more bot may play.

    """

    def __init__(self, log: EventLog, may_add_bot: Callable[[], bool]) -> None:
        self.seat_tokens = SeatTokens()
        self._log = log
        self._view = log.view
        self._may_add_bot = may_add_bot
        self.bans = Bans(log.view)
        self._chat = ChatLimit()
        self._gone: dict[Actor, int] = {}
        self._given_up: set[Actor] = set()

    # Questions.

    def state(self, seat: int) -> SeatState:
        """Return a seat as everybody sees it."""
        return self._view.seats[seat]

    def active(self) -> dict[int, SeatState]:
        """Return the seats whose players have not left."""
        return {seat: state for seat, state in self._view.seats.items() if not state.left}

    def seat_of(self, actor: Actor) -> int:
        """Return the seat that an actor speaks for.

        Raises:
            CommandRefused: it has none.

        """
        if actor is None:
            raise CommandRefused(Reason.NOT_SEATED, "You are watching; only players may do that.")
        return actor

    def people(self) -> list[SeatState]:
        """Return the players who are no bots and have not left."""
        return [state for state in self.active().values() if not state.bot]

    def somebody_is_there(self) -> bool:
        """Tell whether the next hand may be dealt: not while all people at the table are away."""
        people = self.people()
        return bool(self.active()) and (not people or any(state.connected for state in people))

    def must_agree(self, seat: int) -> bool:
        """Tell whether a seat is asked where all must agree: not once it is away for long."""
        state = self.state(seat)
        is_there = state.connected or bool(state.stand_in) or seat not in self._given_up
        return is_there and not state.left

    def is_lacking(self) -> bool:
        """Tell whether too few of the people in the hand are connected for it to go on."""
        people = [state for state in self.people() if state.seat in self._view.hand_seats]
        there = sum(state.connected or bool(state.stand_in) for state in people)
        return there < min(ENOUGH, len(people))

    # Coming and going.

    def join(self, name: str, token_hash: bytes, address_hash: bytes) -> int:
        """Seat somebody, and return the seat's number.

        Raises:
            CommandRefused: there is no seat, the name will not do, the match takes nobody in, or the host has
                sent this player away.

        """
        cleaned = clean(name)
        self.bans.verify(cleaned, token_hash, address_hash)
        seat = self._sit_down(cleaned, token_hash)
        self.seat_tokens.note_address(seat, address_hash)
        return seat

    def add_bot(self, level: str) -> None:
        """Seat a bot.

        Raises:
            CommandRefused: there is no seat, the match takes nobody in, or there are too many bots.

        """
        self._verify_bots()
        taken = {state.name for state in self._view.seats.values()}
        name = next((name for name in BOT_NAMES if name not in taken), BOT_NAMES[0])
        self._sit_down(name, b"", level)

    def connect(self, actor: Actor, connected: bool, at: int) -> bool:
        """Note that an actor's connection came or went; tell whether that changes a seat."""
        if connected:
            self._gone.pop(actor, None)
            self._given_up.discard(actor)
        else:
            self._gone[actor] = at
        state = None if actor is None else self._view.seats.get(actor)
        if state is None or state.left or state.connected == connected:
            return False
        self._log.emit(ev.Connected, seat=state.seat, connected=connected)
        return True

    def restore(self, event: ev.Event, at: int) -> None:
        """Take up who came and went before the server was started anew."""
        match event:
            case ev.Connected(connected=False):
                self._gone[event.seat] = at
            case ev.Connected() | ev.Left() | ev.Joined():
                self._gone.pop(event.seat, None)

    def begin_again(self, at: int) -> None:
        """Note that nobody is connected, after the server was away."""
        self._gone = {actor: since for actor, since in self._gone.items() if actor in self.seat_tokens}
        for actor in self.seat_tokens.people():
            if actor not in self._gone:
                self.connect(actor, connected=False, at=at)

    def shift(self, microseconds: int, now: int) -> None:
        """Let those who are away have been so for so much shorter: nobody could come back."""
        self._gone = {actor: min(since + microseconds, now) for actor, since in self._gone.items()}

    def vacate(self, seat: int, *, kicked: bool = False) -> None:
        """Let a seat go, and the hostship with it. Its token opens nothing any more."""
        state = self.state(seat)
        if kicked and not state.bot:
            self.bans.add(Ban(state.name, *self.seat_tokens.origin(seat)))
        self._log.emit(ev.Left, seat=seat, kicked=kicked)
        self.seat_tokens.drop(seat)
        self._gone.pop(seat, None)
        self._given_up.discard(seat)
        if seat == self._view.host:
            self._pass_on(self.people())

    def keep_seated(self) -> None:
        """Forget those who have left: a new match has no place for them."""
        self.seat_tokens.keep(self._view.seats)
        self._gone = {actor: at for actor, at in self._gone.items() if actor in self.seat_tokens}

    def _verify_bots(self) -> None:
        if not self._may_add_bot():
            text = "This server has as many bots as it takes; try again when some have gone."
            raise CommandRefused(Reason.SERVER_FULL, text)

    def _instead(self) -> str:
        """Return what somebody can do who finds no seat, if anything."""
        return "; you can watch" if self._view.options.spectators else ""

    def _sit_down(self, name: str, token_hash: bytes, bot: str = "") -> int:
        view = self._view
        if not (view.between_matches or view.options.late_join):
            raise CommandRefused(Reason.NOT_NOW, f"This match takes nobody in{self._instead()}.")
        game, seats = declare(view.options, 1), seats_of(view.options)
        seat = next((n for n in range(seats) if self._is_free(n)), None)
        if seat is None or len(self.active()) >= seats:  # a seat below may be free, with others above
            by_game = f"{game.title} is for {most_players(game)}"
            why = "All seats are taken" if seats == view.options.seats else by_game
            raise CommandRefused(Reason.TABLE_FULL, f"{why}{self._instead()}.")
        taken = [state.name for state in view.seats.values()]
        self._log.emit(ev.Joined, seat=seat, name=unique(name, taken), bot=bot)
        self.seat_tokens.add(seat, token_hash)
        self._gone.pop(seat, None)  # that was whoever had the seat before
        self._given_up.discard(seat)
        self._chat.forget(seat)
        if view.host is None and None not in self.seat_tokens:
            self._log.emit(ev.Hosted, seat=seat)
        return seat

    def _is_free(self, seat: int) -> bool:
        """Tell whether somebody may sit down there: a match that is over keeps no place for who left it."""
        state = self._view.seats.get(seat)
        return state is None or (state.left and self._view.between_matches)

    # Time passes.

    def timers(self) -> Iterator[tuple[int, bool]]:
        """Yield when somebody is given up for now (false), and when the host loses the hostship (true)."""
        for actor, since in self._gone.items():
            if actor is not None and actor not in self._given_up:
                yield since + AWAY_US, False
        since_host = self._gone.get(self._view.host)
        if since_host is not None and any(state.connected for state in self.people()):
            yield since_host + HOST_AWAY_US, True

    def give_up(self, now: int) -> None:
        """Do not wait any longer for those who are away for long."""
        self._given_up.update(actor for actor, since in self._gone.items() if since + AWAY_US <= now)

    def replace_host(self) -> None:
        """Let the next player who is connected be the host."""
        self._pass_on([state for state in self.people() if state.seat != self._view.host])

    def _pass_on(self, heirs: list[SeatState]) -> None:
        heirs.sort(key=lambda state: not state.connected)
        if heirs:
            self._host(heirs[0])
        else:
            self._log.emit(ev.Hosted, seat=None)

    def _host(self, state: SeatState) -> None:
        if state.muted:
            self._log.emit(ev.Muted, seat=state.seat, muted=False)  # a host is heard
        self._log.emit(ev.Hosted, seat=state.seat)

    # What the host may do with them.

    def make_host(self, seat: int) -> None:
        """Hand the hostship over.

        Raises:
            CommandRefused: no player has that seat.

        """
        self._host(self._person(seat))

    def stand_in(self, seat: int, level: str) -> None:
        """Let a bot play for somebody who is away.

        Raises:
            CommandRefused: no player has that seat, they are there, or there are too many bots.

        """
        state = self._person(seat)
        if state.connected:
            raise CommandRefused(Reason.NOT_NOW, "That player is here; bots stand in for those who are away.")
        if not state.stand_in:
            self._verify_bots()
        self._log.emit(ev.StoodIn, seat=seat, bot=level)

    def unban(self, name: str) -> None:
        """Let those come back who were sent away under a name.

        Raises:
            CommandRefused: nobody of that name was.

        """
        if name not in self._view.banned:
            raise CommandRefused(Reason.BAD_NAME, "Nobody of that name was sent away.")
        self._log.emit(ev.Unbanned, name=name)
        self.bans.lift(name)

    def mute(self, seat: int, muted: bool) -> None:
        """Let nobody hear what a player says, or let it be heard again.

        Raises:
            CommandRefused: no player has that seat.

        """
        if self._person(seat).muted != muted:
            self._log.emit(ev.Muted, seat=seat, muted=muted)

    def _person(self, seat: int) -> SeatState:
        state = self.active().get(seat)
        if state is None:
            raise CommandRefused(Reason.NOT_SEATED, "No player has that seat.")
        if state.bot:
            raise CommandRefused(Reason.NOT_SEATED, f"{state.name} is a bot; that is only for people.")
        return state

    # What players say.

    def say(self, seat: int, text: str, at: int) -> None:
        """Pass a line on to everybody.

        Raises:
            CommandRefused: there is nothing in it, it comes too soon, or the seat is muted.

        """
        words = clean_words(text)
        self._verify_voice(seat, at)
        self._log.emit(ev.Said, seat=seat, text=words)

    def react(self, seat: int, reaction: Reaction, at: int) -> None:
        """Show everybody a reaction.

        Raises:
            CommandRefused: it comes too soon, or the seat is muted.

        """
        self._verify_voice(seat, at)
        self._log.emit(ev.Reacted, seat=seat, reaction=reaction)

    def _verify_voice(self, seat: int, at: int) -> None:
        if self.state(seat).muted:
            raise CommandRefused(Reason.MUTED, "The host lets nobody hear you.")
        self._chat.speak(seat, at)


def most_players(game: Game) -> str:
    """Return for how many players a game is at most, in words."""
    return {1: "one player alone", 2: "two together"}.get(game.most_seats, f"at most {game.most_seats}")
