"""Places that somebody else has filled just before a player wanted to: races that are lost at sight.

A play that was on its way already is refused with the rival's name by the server. Whoever presses a key
some tenths of a second later meets a foundation that has moved on, and can be told the same.
No clock is read: times are milliseconds on one rising clock, which is the caller's.
"""

from collections import deque
from typing import Final, NamedTuple

from racing_demon_protocol.engine.board import FOUNDATIONS, Kind, Play
from racing_demon_protocol.engine.cards import UNKNOWN, Card
from racing_demon_protocol.reasons import Reason
from racing_demon_protocol.table.view import TableView
from racing_demon_protocol.wire.messages import Message
from racing_demon_protocol.wire.messages import events as ev
from racing_demon_protocol.wire.messages.server import Refused, Snapshot

__all__ = ["Lost", "Rivals"]

WINDOW_MS: Final = 2_000
"""So long after a place was filled, a play to it counts as a race."""
MOST: Final = 64


class Lost(NamedTuple):
    """A race that was lost: the card that came too late, whose came first, and by how many microseconds."""

    card: Card
    seat: int
    late_us: int


class Filled(NamedTuple):
    """A card that somebody brought to a foundation: the pile, its height before, whose, and when."""

    pile: int
    height: int
    seat: int
    at: int


class Rivals:
    """What others have brought to the foundations lately, and the own plays that are not answered yet."""

    def __init__(self) -> None:
        self._filled: deque[Filled] = deque(maxlen=MOST)
        self._tried: dict[int, tuple[Play, int]] = {}

    def tried(self, counter: int, play: Play, now: int) -> None:
        """Note a play that the player makes, under its number."""
        self._tried[counter] = play, now

    def play(self, counter: int) -> Play | None:
        """Return the play of a number that is not answered yet."""
        return self._tried[counter][0] if counter in self._tried else None

    def follow(self, message: Message, view: TableView, seat: int | None, now: int) -> Lost | None:
        """Note a message that the view has followed; return the race that was lost, if it refuses a play."""
        match message:
            case Snapshot() | ev.Dealt():
                self._filled.clear()
                self._tried.clear()
            case ev.Played():
                self._note(message, view, now)
                if message.seat == seat:
                    self._tried.pop(message.counter, None)
            case Refused():
                tried = self._tried.pop(message.counter, None)
                if tried is not None and message.reason is Reason.ILLEGAL:
                    return self._faster(view, seat, *tried)
        return None

    def _note(self, event: ev.Played, view: TableView, now: int) -> None:
        if view.board is not None and view.board.piles[event.destination].kind is Kind.FOUNDATION:
            height = len(view.board.cards[event.destination]) - 1
            self._filled.append(Filled(event.destination, height, event.seat, now))

    def _faster(self, view: TableView, seat: int | None, play: Play, pressed_at: int) -> Lost | None:
        """Return the race that a refused play has lost: somebody else filled its place a moment before it."""
        rules, board = view.rules, view.board
        if rules is None or board is None or not 0 <= play.source < len(board.piles):
            return None
        card = board.top(play.source)
        if card is None or card == UNKNOWN:
            return None
        for pile, height, rival, at in reversed(self._filled):
            is_meant = play.destination in {pile, FOUNDATIONS} and rival != seat
            if not (is_meant and 0 <= pressed_at - at <= WINDOW_MS and height < len(board.cards[pile])):
                continue
            if rules.follows_on(board, pile, board.cards[pile][:height], card):
                return Lost(card, rival, 1_000 * (pressed_at - at))
        return None
