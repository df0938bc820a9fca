"""Piles, and the plays that move cards between them. They know no rules."""

from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import Final, NamedTuple

FOUNDATIONS: Final = -1
"""The destination of a play to the foundations: the first one that accepts the card takes it."""


class Kind(StrEnum):
    """The purpose of a pile."""

    STOCK = "stock"
    WASTE = "waste"
    RESERVE = "reserve"
    TABLEAU = "tableau"
    FOUNDATION = "foundation"
    CELL = "cell"
    """Room for one card."""
    PACKET = "packet"
    """A pile that cards travel through."""
    HEAD = "head"
    """A door: cards played to it go underneath the pile behind it."""
    OUT = "out"
    """Cards that have left the game."""


class Shows(StrEnum):
    """Which cards of a pile are face up."""

    NONE = "none"
    """None: a stock."""
    TOP = "top"
    """The top card, or the top ``view`` cards, while it is on top: a squared waste."""
    LAST = "last"
    """A card is turned up when it becomes the last, and stays face up: a Klondike column."""
    ALL = "all"
    """All: a foundation."""
    KEPT = "kept"
    """Each card stays as it came: nothing is turned up or covered automatically."""


ALL_OF_THEM: Final = 1_000_000
"""More cards than any pile holds."""


@dataclass(frozen=True, slots=True)
class Pile:
    """One place for cards on the table.

    Attributes:
        number: its number on the wire, from 0.
        kind: its purpose.
        group: the name of its group in the declaration.
        seat: its owner; ``None`` for the table.
        index: its position within group and seat, from 0.
        shows: which cards are face up.
        view: how many, if ``shows`` is ``TOP``.
        gathers: whether a redeal gathers its cards: 0 for no, 1 to deal them again in their order, bottom
            first, -1 top first.
        counts: whether the board counts the cards that come to it: see :attr:`Board.came`.
        under: the pile under which cards played here go, unless they are dealt from a stock; ``None`` if they
            lie here, on top.

    """

    number: int
    kind: Kind
    group: str
    seat: int | None
    index: int
    shows: Shows
    view: int = 1
    gathers: int = 0
    counts: bool = False
    under: int | None = None
    face_up: int = field(init=False, repr=False, compare=False)
    """How many cards at its top are face up and have to be named."""

    def __post_init__(self) -> None:
        face_up = {Shows.TOP: self.view, Shows.LAST: 1, Shows.ALL: ALL_OF_THEM}.get(self.shows, 0)
        object.__setattr__(self, "face_up", face_up)

    def opened(self) -> "Pile":
        """Return this pile with all its cards face up, as the dealer sees it."""
        return replace(self, shows=Shows.ALL)


class Play(NamedTuple):
    """A player's play: cards from the top of one pile to another.

    ``count`` is the number of cards, topmost last; automatic plays may take ``-count`` cards from the bottom.
    ``destination`` may be :data:`FOUNDATIONS`. ``depth`` cards stay above the ones taken. From a stock to
    itself, all piles that gather are put back into it.
    """

    source: int
    count: int  # type: ignore[assignment]  # the wire's word; no one counts in a play
    destination: int
    depth: int = 0


Place = tuple[int, int]
"""A card's place on the board: the pile's number, and the index in it from the bottom."""


@dataclass(frozen=True, slots=True)
class Passage:
    """How cards move from the top of one pile to the top of another.

    Attributes:
        is_plain: whether they move without any other effect.
        turned: whether cards that move together are turned over.
        view: how many are face up there, if they cover others; 0 if they cover none.

    """

    is_plain: bool
    turned: bool = False
    view: int = 0


NOT_PLAIN: Final = Passage(is_plain=False)
