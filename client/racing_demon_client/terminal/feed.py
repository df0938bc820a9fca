"""The feed beside the cards: events in a few words."""

from typing import Final

from racing_demon_client.shared.message_text import MessageText
from racing_demon_protocol.engine.board import Kind, Play
from racing_demon_protocol.engine.cards import UNKNOWN, Card
from racing_demon_protocol.enums import Reason
from racing_demon_protocol.formatting import span
from racing_demon_protocol.table.state import TableState
from racing_demon_protocol.wire.messages import Message
from racing_demon_protocol.wire.messages import events as ev
from racing_demon_protocol.wire.messages.server import (
    Accepted,
    CaughtUp,
    Halted,
    Pong,
    Refused,
    Seated,
    Snapshot,
    Watchers,
)

from .drawing.scene import FeedLine
from .style.glyphs import Glyphs, screen_text
from .style.ink import Role

SILENT: Final = (Accepted, CaughtUp, Pong, Seated, Snapshot, Watchers)
OWN_ONLY, FOUNDATIONS_TOO, EVERYTHING = range(3)


def tell(  # noqa: PLR0913
    message: Message,
    view: TableState,
    seat: int | None,
    *,
    at_ms: int | None,
    volume: int,
    glyphs: Glyphs,
    refused: Play | None = None,
) -> FeedLine | None:
    """Return the feed's line for a message that the view has applied, or ``None``.

    Args:
        message: the message.
        view: the table after it.
        seat: this player's seat.
        at_ms: milliseconds since the signal; ``None`` outside a hand.
        volume: how much to report about others: 0 nothing, 1 foundation plays, 2 everything.
        glyphs: the glyphs to use.
        refused: this player's play that the message refuses, if any.

    """
    if isinstance(message, SILENT):
        return None
    words = MessageText(view, seat, ascii_only=glyphs.small_reds)
    if isinstance(message, ev.Played):
        own = message.seat == seat
        loud = max(volume, FOUNDATIONS_TOO) if own else volume
        text = _played(message, view, words, loud, glyphs)
        return FeedLine(at_ms, text, Role.ACCENT if own else Role.TEXT) if text else None
    if isinstance(message, ev.Progressed) and (message.seat == seat or volume < EVERYTHING):
        return None  # shown beside the player's name
    if isinstance(message, Refused):
        return FeedLine(at_ms, _refused(message, view, words, refused, glyphs), Role.WARNING)
    sentence = words.tell(message)
    return FeedLine(at_ms, screen_text(sentence), _role(message)) if sentence else None


def _role(message: Message) -> Role:
    loud = ev.HandOver | ev.MatchOver | ev.Called | ev.Signalled | ev.Said | ev.Reacted | ev.Paused
    if isinstance(message, Halted):
        return Role.WARNING
    return Role.ACCENT if isinstance(message, loud) else Role.DIM


def _played(event: ev.Played, view: TableState, words: MessageText, volume: int, glyphs: Glyphs) -> str:
    board = view.board
    assert board is not None
    source, destination = board.piles[event.source], board.piles[event.destination]
    who = screen_text(words.who(event.seat))
    if destination.kind is Kind.FOUNDATION:
        if volume == OWN_ONLY:
            return ""
        return f"{who}: {glyphs.card(board.cards[event.destination][-1])} up"
    if volume < EVERYTHING:
        return ""
    if destination.kind is Kind.STOCK:
        return f"{who}: waste turned over"
    if source.kind is Kind.STOCK and destination.kind is Kind.WASTE:
        return f"{who}: turned {event.count}"
    moved = board.cards[event.destination][-abs(event.count) :]
    return f"{who}: {' '.join(map(glyphs.card, moved))} to {words.place(destination)}"


def _refused(
    message: Refused, view: TableState, words: MessageText, play: Play | None, glyphs: Glyphs
) -> str:
    if message.reason is not Reason.BEATEN:
        return screen_text(message.text)
    card = _card(view, play)
    aimed = f"to {glyphs.card(card)} " if card is not None else ""
    return f"{screen_text(words.who(message.by))} beat you {aimed}by {span(message.late_us)}"


def _card(view: TableState, play: Play | None) -> Card | None:
    """Return the card that a refused play meant: it still lies where it lay."""
    if play is None or view.board is None or not 0 <= play.source < len(view.board.piles):
        return None
    top = view.board.top(play.source)
    return None if top == UNKNOWN else top
