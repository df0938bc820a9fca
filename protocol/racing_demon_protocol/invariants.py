"""What must be true of a board at every moment (catalogue 1.10)."""

from collections import Counter
from collections.abc import Iterator

from .board import Board, Kind
from .cards import PACK_SIZE, UNKNOWN, name, pack, rank
from .declaration import Foundations
from .rules import Rules

__all__ = ["status"]


def status(rules: Rules, board: Board) -> list[str]:
    """Return a sentence for every broken invariant of a board; none for a sound one.

    It works on the public board and on the dealer's, where all cards are known.
    """
    strangers = list(_strangers(rules, board))
    return strangers or [  # nothing can be counted with cards of nobody
        *_doubles(board),
        *_conservation(rules, board),
        *_face_up(board),
        *_foundations(rules, board),
    ]


def _strangers(rules: Rules, board: Board) -> Iterator[str]:
    limit = PACK_SIZE * len(rules.layout.seats)
    for pile, cards in zip(board.piles, board.cards, strict=True):
        for card in cards:
            if not UNKNOWN <= card < limit:
                yield f"pile {pile.number} holds {card}, which is no card of this hand"
            elif card != UNKNOWN and pile.seat not in {None, rules.layout.seats[pack(card)]}:
                yield f"pile {pile.number} holds {name(card)} of another player's pack"


def _doubles(board: Board) -> Iterator[str]:
    counts = Counter(card for cards in board.cards for card in cards if card != UNKNOWN)
    for card, count in counts.items():
        if count > 1:
            yield f"{name(card)} of pack {pack(card)} lies in {count} places"


def _conservation(rules: Rules, board: Board) -> Iterator[str]:
    goals = rules.on_foundations(board)
    for seat in rules.layout.seats:
        own = sum(
            len(board.cards[pile.number])
            for pile in board.piles
            if pile.seat == seat and pile.kind is not Kind.FOUNDATION
        )
        if own + goals[seat] != PACK_SIZE:
            yield f"seat {seat} has {own} cards and {goals[seat]} on the foundations, not {PACK_SIZE} in all"


def _face_up(board: Board) -> Iterator[str]:
    for pile in board.piles:
        if board.unnamed(pile.number):
            yield f"pile {pile.number} shows a card that nobody has named"


def _foundations(rules: Rules, board: Board) -> Iterator[str]:
    layout = rules.layout
    for pile in layout.foundations:
        group = layout.groups[pile]
        assert isinstance(group, Foundations)
        cards = board.cards[pile]
        if len(cards) > group.length:
            yield f"foundation {pile} holds {len(cards)} cards, more than {group.length}"
        if cards and group.base is not None and rank(cards[0]) != group.base:
            yield f"foundation {pile} starts with {name(cards[0])}"
        for height in range(1, len(cards)):
            if not rules.follows_on(board, pile, cards[:height], cards[height]):
                yield f"on foundation {pile}, {name(cards[height])} lies on {name(cards[height - 1])}"
