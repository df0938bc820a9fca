"""Races lost at sight: a rival filled the place just before this player pressed the key.

The server names the rival when it refuses a play that was already on its way. A player who presses a key some
tenths of a second later finds that the foundation has moved on, and deserves the same message. Reads no
clock: times are milliseconds on the caller's monotonic clock.
"""

from collections import deque
from typing import Final, NamedTuple

from racing_demon_protocol.engine.board import FOUNDATIONS, Kind, Play
from racing_demon_protocol.engine.cards import UNKNOWN, Card
from racing_demon_protocol.enums import Reason
from racing_demon_protocol.table.state import TableState
from racing_demon_protocol.wire.messages import Message
from racing_demon_protocol.wire.messages import events as ev
from racing_demon_protocol.wire.messages.server import Refused, Snapshot

WINDOW_MS: Final = 2_000
"""A play to a place counts as a race for this long after the place was filled."""
MOST: Final = 64


class Lost(NamedTuple):
    """A lost race: the late card, the faster seat, and the difference in microseconds."""

    card: Card
    seat: int
    late_us: int


class Rivals:
    """Recent foundation plays of others, and this player's unanswered plays."""

    def __init__(self) -> None:
        self._filled: deque[tuple[int, int, int, int]] = deque(maxlen=MOST)
        """The cards played to foundations: the pile, its height before, the seat and the time."""
        self._tried: dict[int, tuple[Play, int]] = {}

    def tried(self, counter: int, play: Play, now: int) -> None:
        """Record a play that the player makes, under its counter."""
        self._tried[counter] = play, now

    def play(self, counter: int) -> Play | None:
        """Return the unanswered play with a counter."""
        return self._tried[counter][0] if counter in self._tried else None

    def follow(self, message: Message, view: TableState, seat: int | None, now: int) -> Lost | None:
        """Follow a message that the view has applied; if it refuses a play, return the race it lost."""
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

    def _note(self, event: ev.Played, view: TableState, now: int) -> None:
        if view.board is not None and view.board.piles[event.destination].kind is Kind.FOUNDATION:
            height = len(view.board.cards[event.destination]) - 1
            self._filled.append((event.destination, height, event.seat, now))

    def _faster(self, view: TableState, seat: int | None, play: Play, pressed_at: int) -> Lost | None:
        """Return the race that a refused play lost: another seat filled its place a moment before."""
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
