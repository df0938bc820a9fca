"""The scene: everything that one picture of the table shows, and the context of its drawings."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import Enum
from typing import NamedTuple

from racing_demon_client.shared.table_view import TableView
from racing_demon_client.terminal.style import Density, Glyphs, Highlight, Role, suit_role
from racing_demon_protocol.engine.board import Board
from racing_demon_protocol.engine.cards import UNKNOWN, Card, suit
from racing_demon_protocol.engine.rules.base import Rules

from .canvas import Canvas


class CardRange(NamedTuple):
    """A number of cards of a pile, below ``depth`` others: the selection or the cursor."""

    pile: int
    count: int  # type: ignore[assignment]  # the rules' word for it; nobody counts in a range
    depth: int = 0

    def of(self, cards: Sequence[Card]) -> Sequence[Card]:
        """Return the selected cards, bottom first."""
        end = len(cards) - self.depth
        return cards[max(0, end - self.count) : end]


class DraggedCards(NamedTuple):
    """Cards that follow the pointer, bottom first, and the pointer's position."""

    x: int
    y: int
    cards: tuple[Card, ...]


class About(Enum):
    """What a line of the feed is about: the table, a hand, the first of a hand, or what somebody says."""

    TABLE = "table"
    HAND = "hand"
    NEW_HAND = "new hand"
    SAID = "said"


@dataclass(frozen=True, slots=True)
class FeedLine:
    """One line of the feed: its time, in milliseconds of the hand, and how much it concerns this player."""

    at_ms: int | None
    text: str
    role: Role = Role.TEXT
    about: About = About.TABLE


@dataclass(frozen=True, kw_only=True)
class Scene(TableView):
    """One moment of a table as a screen shows it.

    Attributes:
        unconfirmed: how many cards on top of each pile are unconfirmed.
        fresh: the piles that have just changed.
        slots: the foundations' places: row and column by pile number.
        held: the picked-up cards.
        cursor: the cursor's position, while it is in use.
        fits: the piles that the held cards may go to, if the table allows hints.
        dragged: the cards that follow the pointer.
        feed: the lines of the feed, newest last.
        prompt: one line for the player: the selection, a refusal, or what to do next.
        is_warning: whether the prompt is a warning.
        banner: a word that fills the screen.
        countdown: the seconds to the signal, while they are shown.
        elapsed_ms: the time since the signal.
        watchers: the number of spectators.
        ping_ms: the last round trip to the server.
        paint_ms: the last time from a key press to its picture.
        trouble: the connection problem to show, if any.
        labels: the key label of each action.
        names: the key label of each pile that has a key.
        alone: whether this is a solo table.
        standing: progress at a solo table.
        notice: text shown over the cards, line by line.
        footer: the most important keys, each with its effect.

    """

    unconfirmed: Mapping[int, int] = field(default_factory=dict)
    fresh: frozenset[int] = frozenset()
    slots: Mapping[int, tuple[int, int]] = field(default_factory=dict)
    held: CardRange | None = None
    cursor: CardRange | None = None
    fits: frozenset[int] = frozenset()
    dragged: DraggedCards | None = None
    feed: Sequence[FeedLine] = ()
    prompt: str = ""
    is_warning: bool = False
    banner: str = ""
    countdown: int = 0
    elapsed_ms: int = 0
    watchers: int = 0
    ping_ms: float | None = None
    paint_ms: float | None = None
    trouble: str = ""
    labels: Mapping[str, str] = field(default_factory=dict)
    names: Mapping[int, str] = field(default_factory=dict)
    alone: bool = False
    standing: str = ""
    notice: Sequence[str] = ()
    footer: Sequence[tuple[str, str]] = ()

    def label(self, pile: int) -> str:
        """Return the key label of a pile; empty if it has no key."""
        return self.names.get(pile, "")

    def ink(self, pile: int, index: int, card: Card) -> int:
        """Return the ink of the card at a place."""
        assert self.board is not None
        from_top = len(self.board.cards[pile]) - index
        mark = Highlight.NONE
        if from_top <= self.unconfirmed.get(pile, 0):
            mark |= Highlight.UNCONFIRMED
        if pile in self.fresh and from_top == 1:
            mark |= Highlight.FRESH
        held = self.held
        if held is not None and held.pile == pile and 0 < from_top - held.depth <= held.count:
            mark |= Highlight.HELD
        elif self.cursor is not None and self.cursor.pile == pile and from_top <= max(1, self.cursor.count):
            mark |= Highlight.CURSOR
        elif pile in self.fits and from_top == 1:
            mark |= Highlight.FITS
        return self.ink_of(card) | mark

    @staticmethod
    def ink_of(card: Card) -> int:
        """Return the ink of a card without any marks."""
        return Role.BACK if card == UNKNOWN else suit_role(suit(card))

    def label_ink(self, pile: int) -> int:
        """Return the ink of a pile's key."""
        is_held = self.held is not None and self.held.pile == pile
        return Role.KEY | (Highlight.HELD if is_held else self.pile_mark(pile))

    def pile_mark(self, pile: int) -> int:
        """Return the mark of an empty pile, or of a pile as a whole."""
        if self.cursor is not None and self.cursor.pile == pile:
            return Highlight.CURSOR
        return Highlight.FITS if pile in self.fits else Highlight.NONE


@dataclass(frozen=True, slots=True)
class DrawContext:
    """A canvas, the scene to draw on it, and the style.

    Attributes:
        canvas: the canvas.
        scene: the scene.
        density: the density.
        glyphs: the glyphs.
        width: the columns for the cards; the other players are to the right.
        left: the left margin, which centers the cards of a solo player.

    """

    canvas: Canvas
    scene: Scene
    density: Density
    glyphs: Glyphs
    width: int
    left: int = 0

    @property
    def rules(self) -> Rules:
        """The rules of the hand, which must exist."""
        assert self.scene.rules is not None
        return self.scene.rules

    @property
    def board(self) -> Board:
        """The board of the hand, which must exist."""
        assert self.scene.board is not None
        return self.scene.board
