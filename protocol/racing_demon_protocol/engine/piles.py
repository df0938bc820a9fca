"""Piles, and the plays that move cards between them. They know no rules."""

from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import Final, NamedTuple

from .cards import Card

__all__ = ["FOUNDATIONS", "NOT_PLAIN", "Kind", "Move", "Passage", "Pile", "Place", "Play", "Shows"]

FOUNDATIONS: Final = -1
"""The destination of a play that leaves the foundation open: the first one that accepts takes it."""


class Kind(StrEnum):
    """What a pile is for."""

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
    """A door: what is put there goes underneath the pile behind it."""
    OUT = "out"
    """Cards that have left the game."""


class Shows(StrEnum):
    """Which cards of a pile lie face up."""

    NONE = "none"
    """All face down: a stock."""
    TOP = "top"
    """The top only, or the top ``view`` cards; a covered card is not shown any more: a squared waste."""
    LAST = "last"
    """A card is turned up when it becomes the last, and stays so: a Klondike column."""
    ALL = "all"
    """All face up: a foundation."""
    KEPT = "kept"
    """Each card stays as it came: nothing is turned up or covered by itself."""


ALL_OF_THEM: Final = 1_000_000
"""More cards than any pile holds."""


@dataclass(frozen=True, slots=True)
class Pile:
    """One place for cards on the table.

    Attributes:
        number: its name on the wire, from 0.
        kind: what it is for.
        group: the name of its group in the declaration.
        seat: whose it is; ``None`` when it belongs to the table.
        index: its place within group and seat, from 0.
        shows: which cards lie face up.
        view: how many, where ``shows`` is ``TOP``.
        gathers: whether its cards come back into the stock when that is made up anew: 0 if not, 1 to be
            dealt again in their order, bottom first, -1 top first.
        counts: whether the board counts what comes to it: see :attr:`Board.came`.
        under: the pile that a card which is put here goes underneath, unless it is dealt from a stock;
            ``None``: it lies here, on top.

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
    """How many cards at its top lie face up and are to be named."""

    def __post_init__(self) -> None:
        face_up = {Shows.TOP: self.view, Shows.LAST: 1, Shows.ALL: ALL_OF_THEM}.get(self.shows, 0)
        object.__setattr__(self, "face_up", face_up)

    def opened(self) -> "Pile":
        """Return the same pile with all its cards face up, as the dealer sees it."""
        return replace(self, shows=Shows.ALL)


class Play(NamedTuple):
    """What a player wants: so many cards from the top of one pile to another.

    ``count`` is the number of cards, topmost last; the game's own moves may take ``-count`` cards from
    the bottom. ``destination`` may be :data:`FOUNDATIONS`. ``depth`` cards above the ones taken stay.
    From a stock to itself, all piles that gather are put back into it.
    """

    source: int
    count: int  # type: ignore[assignment]  # the wire's word; no one counts in a play
    destination: int
    depth: int = 0

    def move(self, shown: tuple[Card, ...]) -> "Move":
        """Return what has happened when it was made, and turned up these cards."""
        return Move(self.source, self.count, self.destination, shown, self.depth)


class Move(NamedTuple):
    """What happened: a play, and the cards that it turned up, source pile first, bottom first."""

    source: int
    count: int  # type: ignore[assignment]  # the wire's word; no one counts in a play
    destination: int
    shown: tuple[Card, ...] = ()
    depth: int = 0


Place = tuple[int, int]
"""A card's place on the board: the pile's number, and the index in it from the bottom."""


@dataclass(frozen=True, slots=True)
class Passage:
    """How cards just go from the top of one pile to that of another.

    Attributes:
        is_plain: whether they do.
        turned: whether those that go together are turned over.
        view: how many lie face up there, where they cover others; 0 where they cover none.

    """

    is_plain: bool
    turned: bool = False
    view: int = 0


NOT_PLAIN: Final = Passage(is_plain=False)
