"""The board: the public state of a hand's piles and cards. It knows no rules.

A board is a projection of the hand's plays. It holds :data:`~.cards.UNKNOWN` for every face-down card; when a
play uncovers a card, its event names it. So a hidden card cannot leak from a board: it was never there.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import Final, NamedTuple

from racing_demon_protocol.errors import InconsistentEvent

from .cards import UNKNOWN, Card

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
    """The foot of another pile: cards played to it go under that pile."""
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


MIN_SHIFTED: Final = 2
"""The fewest cards of a stock whose top card can go to its bottom."""
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


CardRef = tuple[int, int]
"""Where a card lies on the board: the pile's number, and the index in it from the bottom."""


@dataclass(frozen=True, slots=True)
class Transfer:
    """How cards move from the top of one pile to the top of another.

    Attributes:
        is_plain: whether they move without any other effect.
        turned: whether cards that move together are turned over.
        view: how many are face up there, if they cover others; 0 if they cover none.

    """

    is_plain: bool
    turned: bool = False
    view: int = 0


NOT_PLAIN: Final = Transfer(is_plain=False)


Counts = Sequence[Mapping[int, int]]
"""A copy of a board's counts: see :attr:`Board.counts`."""


class Board:
    """The piles of one hand, with UNKNOWN for every face-down card.

    Its copies share the tuples of cards and the counts: each change puts another in place of one.

    Attributes:
        piles: the piles, by number.
        cards: the cards of each pile, bottom first.
        redeals: the number of each seat's redeals: the waste turned over, or the piles gathered.
        came: how often cards came to each counting pile from one of another kind since its seat's last
            gathering; for a counting stock, how often it was turned since its seat's last other move.
        liberties: how often each seat took a card from below others, or back from a foundation.
        shifts: how often each seat moved its stock's top card to the bottom since its last redeal.

    """

    def __init__(
        self,
        piles: Sequence[Pile],
        cards: Iterable[Iterable[Card]] | None = None,
        *,
        like: "Board | None" = None,
    ) -> None:
        self.piles = tuple(piles)
        self.cards: list[tuple[Card, ...]]
        self.redeals: Mapping[int, int]
        self.came: Mapping[int, int]
        self.liberties: Mapping[int, int]
        self.shifts: Mapping[int, int]
        self._turned: dict[int | None, int]
        self._transfers: dict[tuple[int, int], Transfer]
        if like is not None:
            self.cards = like.cards.copy()
            self.redeals, self.came = like.redeals, like.came
            self.liberties, self.shifts = like.liberties, like.shifts
            self._turned, self._transfers = like._turned, like._transfers
            return
        self.cards = [()] * len(self.piles) if cards is None else [tuple(pile) for pile in cards]
        self.redeals, self.came, self.liberties, self.shifts = {}, {}, {}, {}
        self._turned = {p.seat: p.number for p in self.piles if p.counts and p.kind is Kind.STOCK}
        self._transfers = {}
        if len(self.cards) != len(self.piles):
            raise InconsistentEvent(f"{len(self.cards)} piles of cards for {len(self.piles)} piles")

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Board):
            return NotImplemented
        return (self.piles, self.cards, self.counts) == (other.piles, other.cards, other.counts)

    __hash__ = None  # type: ignore[assignment]  # it changes

    def copy(self) -> "Board":
        """Return a copy with the same piles that can be changed independently."""
        return Board(self.piles, like=self)

    @property
    def counts(self) -> Counts:
        """Everything counted beside the cards: redeals, cards that came, liberties, and shifts if any."""
        counts = self.redeals, self.came, self.liberties
        return (*counts, self.shifts) if self.shifts else counts

    @counts.setter
    def counts(self, counts: Counts) -> None:
        self.redeals, self.came, self.liberties, *shifts = counts
        self.shifts = shifts[0] if shifts else {}

    def changed_by(self, play: Play) -> list[int]:
        """Return the piles whose cards a play changes."""
        origin, target = self.piles[play.source], self.piles[play.destination]
        if origin is target:
            return [play.source, *self._gathered_with(origin)]
        return [play.source, play.destination if target.under is None else target.under, play.destination]

    def top(self, pile: int) -> Card | None:
        """Return the top card of a pile (UNKNOWN if face down), or ``None`` if it is empty."""
        cards = self.cards[pile]
        return cards[-1] if cards else None

    def move(self, play: Play) -> list[CardRef]:
        """Make a play, and return the cards that are face up now and still have to be named.

        Raises:
            InconsistentEvent: there is no such pile, or it holds fewer cards.

        """
        transfer = self._move_plainly(play)
        if transfer is None:
            destination = self._move_fully(play)
            return [] if destination == play.source else self.unnamed(play.source) + self.unnamed(destination)
        unnamed = self.unnamed(play.source)
        return unnamed + self.unnamed(play.destination) if transfer.view else unnamed

    def move_known(self, play: Play) -> None:
        """Make a play on a board whose cards are all known, which turns nothing up.

        Raises:
            InconsistentEvent: there is no such pile, or it holds fewer cards.

        """
        if self._move_plainly(play) is None:
            self._move_fully(play)

    def _move_plainly(self, play: Play) -> Transfer | None:
        """Make a play that only moves cards from pile to pile, and return how; otherwise change nothing."""
        source, count, destination, depth = play
        transfer = self._transfers.get((source, destination)) or self._transfer(source, destination)
        if depth or not transfer.is_plain:
            return None
        cards, there, view = self.cards[source], self.cards[destination], transfer.view
        if not 0 < count <= len(cards):
            return None
        taken = cards[-count:]
        if UNKNOWN in taken and not view:
            return None  # it may need to be named there
        self.cards[source] = cards[:-count]
        there += taken[::-1] if transfer.turned else taken
        if view:
            covered = max(0, len(there) - view)
            first = max(0, covered - count)
            there = there[:first] + (UNKNOWN,) * (covered - first) + there[covered:]
        self.cards[destination] = there
        return transfer

    def _transfer(self, source: int, destination: int) -> Transfer:
        """Return how cards move between two piles, and cache it for all copies of this board."""
        if source == destination or not -1 < source < len(self.piles) > destination > -1:
            return NOT_PLAIN
        origin, target = self.piles[source], self.piles[destination]
        hides = target.shows is Shows.NONE or target.kind is Kind.STOCK
        is_remembered = target.counts or bool(self._turned) or origin.kind is Kind.FOUNDATION
        if is_remembered or hides or target.under is not None:
            transfer = NOT_PLAIN
        else:
            transfer = Transfer(
                is_plain=True,
                turned=origin.kind is Kind.STOCK,
                view=target.view if target.shows is Shows.TOP else 0,
            )
        self._transfers[source, destination] = transfer
        return transfer

    def _move_fully(self, play: Play) -> int:
        """Make any play, and return the pile that its cards came to."""
        source, count, destination, depth = play
        if not (0 <= source < len(self.piles) and 0 <= destination < len(self.piles)):
            raise InconsistentEvent(f"no piles {source} and {destination}")
        origin, target = self.piles[source], self.piles[destination]
        if source == destination:
            self._gather(origin)
            return source
        taken = self._take(source, count, depth)
        if target.kind is Kind.STOCK or (origin.kind is Kind.STOCK and count > 0):
            taken = taken[::-1]  # the order is the same whether cards are turned one by one or together
        if target.kind is Kind.STOCK and target.seat is not None and not self.cards[destination]:
            self._count_redeal(target.seat)
        self._count(origin, target, depth)
        if target.under is None or origin.kind is Kind.STOCK:  # dealt cards lie on top
            self.cards[destination] += taken
        else:
            destination = target.under
            self.cards[destination] = taken + self.cards[destination]
        self._turn_down(destination)
        return destination

    def rotate(self) -> list[CardRef]:
        """Turn every waste back into its stock and move the stock's top card to its bottom.

        This is the stall rule ``rotate``: it shifts the threes. It reveals no card.
        """
        self.shifts = {}
        wastes = {pile.seat: pile.number for pile in self.piles if pile.kind is Kind.WASTE}
        for pile in self.piles:
            if pile.kind is Kind.STOCK:
                stock = self.cards[pile.number]
                if pile.seat in wastes:
                    waste = wastes[pile.seat]
                    stock += self.cards[waste][::-1]
                    self.cards[waste] = ()
                self.cards[pile.number] = stock[-1:] + stock[:-1]
                self._turn_down(pile.number)
        return []

    def shift(self, stock: int) -> None:
        """Move a stock's top card to its bottom, for its player alone. It reveals no card.

        Raises:
            InconsistentEvent: the pile is not a player's stock of two cards or more.

        """
        if not 0 <= stock < len(self.piles):
            raise InconsistentEvent(f"no pile {stock}")
        pile, cards = self.piles[stock], self.cards[stock]
        if pile.kind is not Kind.STOCK or pile.seat is None or len(cards) < MIN_SHIFTED:
            raise InconsistentEvent(f"pile {stock} cannot be shifted")
        self.cards[stock] = cards[-1:] + cards[:-1]
        self.shifts = _counted(self.shifts, pile.seat)

    def reveal(self, refs: Sequence[CardRef], shown: Sequence[Card]) -> None:
        """Name the cards that were turned up.

        Raises:
            InconsistentEvent: the numbers of cards and of references differ.

        """
        if len(refs) != len(shown):
            raise InconsistentEvent(f"{len(shown)} cards named, {len(refs)} turned up")
        for (pile, index), card in zip(refs, shown):  # noqa: B905 - compared above
            cards = self.cards[pile]
            self.cards[pile] = (*cards[:index], card, *cards[index + 1 :])

    def all_unnamed(self) -> list[CardRef]:
        """Return all unknown cards that are face up."""
        return [ref for pile in self.piles for ref in self.unnamed(pile.number)]

    def unnamed(self, pile: int) -> list[CardRef]:
        """Return the unknown cards of a pile that are face up."""
        cards, face_up = self.cards[pile], self.piles[pile].face_up
        if not cards or not face_up:
            return []
        if face_up == 1:
            return [(pile, len(cards) - 1)] if cards[-1] == UNKNOWN else []
        if cards[-1] != UNKNOWN and UNKNOWN not in cards[-face_up:]:
            return []
        start = max(0, len(cards) - face_up)
        return [(pile, index) for index in range(start, len(cards)) if cards[index] == UNKNOWN]

    def is_progress(self, play: Play) -> bool:
        """Return whether a play, before it is made, brings the hand closer to its end.

        Turning the stock or the waste does not, nor does a neutral tableau move: one that neither uncovers a
        face-down card nor gains a space. ``destination`` must be a pile's number.
        """
        source, destination = self.piles[play.source], self.piles[play.destination]
        if destination.kind in {Kind.STOCK, Kind.WASTE} or source.kind is Kind.FOUNDATION:
            return False
        if source.kind is not Kind.TABLEAU or destination.kind is not Kind.TABLEAU:
            return True
        cards = self.cards[play.source]
        if len(cards) > play.count:
            return cards[-play.count - 1] == UNKNOWN
        return bool(self.cards[play.destination])

    def _take(self, source: int, count: int, depth: int) -> tuple[Card, ...]:
        cards = self.cards[source]
        if count == 0 or depth < 0 or abs(count) + depth > len(cards):
            raise InconsistentEvent(f"pile {source} holds {len(cards)} cards, not {count}")
        end = len(cards) - depth
        first, last = (depth, depth - count) if count < 0 else (end - count, end)
        self.cards[source] = cards[:first] + cards[last:]
        return cards[first:last]

    def _gather(self, stock: Pile) -> None:
        """Gather a seat's piles into its stock, so that they are dealt again in their order.

        Raises:
            InconsistentEvent: the pile is not a stock, or there is nothing to gather.

        """
        piles = self._gathered_with(stock)
        gathered = [card for pile in piles for card in self.cards[pile][:: self.piles[pile].gathers]]
        if stock.kind is not Kind.STOCK or stock.seat is None or not gathered:
            raise InconsistentEvent(f"nothing is gathered into pile {stock.number}")
        self.cards[stock.number] = (*reversed(gathered), *self.cards[stock.number])
        for pile in piles:
            self.cards[pile] = ()
        self.came = {n: times for n, times in self.came.items() if self.piles[n].seat != stock.seat}
        self._count_redeal(stock.seat)
        self._turn_down(stock.number)

    def _count_redeal(self, seat: int) -> None:
        """Count a redeal of a seat, with which a new pass through its stock begins."""
        self.redeals = _counted(self.redeals, seat)
        self.shifts = without(self.shifts, seat)

    def _gathered_with(self, stock: Pile) -> list[int]:
        """Return the piles that a redeal puts into a stock."""
        return [pile.number for pile in self.piles if pile.seat == stock.seat and pile.gathers]

    def _count(self, origin: Pile, target: Pile, depth: int) -> None:
        """Update the counts that some games' rules depend on."""
        seat = origin.seat if target.seat is None else target.seat
        if seat is not None and (depth or origin.kind is Kind.FOUNDATION):
            self.liberties = _counted(self.liberties, seat)
        if target.counts and target.kind not in {origin.kind, Kind.STOCK}:
            self.came = _counted(self.came, target.number)
        stock = self._turned.get(seat)
        if stock is not None:
            if {origin.kind, target.kind} == {Kind.STOCK, Kind.WASTE}:
                self.came = _counted(self.came, stock)
            else:
                self.came = without(self.came, stock)

    def _turn_down(self, pile: int) -> None:
        """Forget the cards of a pile that are no longer face up."""
        spec, cards = self.piles[pile], self.cards[pile]
        if spec.shows is Shows.NONE:
            self.cards[pile] = (UNKNOWN,) * len(cards)
        elif spec.shows is Shows.TOP:
            covered = max(0, len(cards) - spec.view)
            self.cards[pile] = (UNKNOWN,) * covered + cards[covered:]


def without(counts: Mapping[int, int], key: int) -> Mapping[int, int]:
    """Return counts without that of a seat or pile."""
    return {other: times for other, times in counts.items() if other != key} if key in counts else counts


def _counted(counts: Mapping[int, int], key: int) -> Mapping[int, int]:
    """Return counts with one more of a seat or pile."""
    return {**counts, key: counts.get(key, 0) + 1}
