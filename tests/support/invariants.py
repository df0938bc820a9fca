"""The invariants of a board."""

from collections import Counter
from collections.abc import Iterator

from racing_demon_protocol.engine.board import Board, Kind
from racing_demon_protocol.engine.cards import UNKNOWN, name, pack, rank
from racing_demon_protocol.engine.rules.base import Rules
from racing_demon_protocol.engine.specification import Base, Foundations


def status(rules: Rules, board: Board) -> list[str]:
    """Return a sentence for every broken invariant of a board; none for a valid one.

    Works on the public board and on the dealer's, where all cards are known.
    """
    strangers = list(_strangers(rules, board))
    return strangers or [  # cards of an unknown owner cannot be counted
        *_doubles(board),
        *_conservation(rules, board),
        *_face_up(board),
        *_foundations(rules, board),
    ]


def _strangers(rules: Rules, board: Board) -> Iterator[str]:
    layout, ranks = rules.layout, set(rules.game.ranks)
    for pile, cards in zip(board.piles, board.cards, strict=True):
        for card in cards:
            if card == UNKNOWN:
                continue
            if not 0 <= card < layout.card_limit or rank(card) not in ranks:
                yield f"pile {pile.number} holds {card}, which is no card of this hand"
            elif pile.seat not in {None, layout.owner(card)}:
                yield f"pile {pile.number} holds {name(card)} of another player's pack"


def _doubles(board: Board) -> Iterator[str]:
    counts = Counter(card for cards in board.cards for card in cards if card != UNKNOWN)
    for card, count in counts.items():
        if count > 1:
            yield f"{name(card)} of pack {pack(card)} lies in {count} places"


def _conservation(rules: Rules, board: Board) -> Iterator[str]:
    size, goals = rules.game.deck_size, rules.on_foundations(board)
    others = [pile for pile in board.piles if pile.kind is not Kind.FOUNDATION]
    shared = [card for pile in others if pile.seat is None for card in board.cards[pile.number]]
    for seat in rules.layout.seats:
        own = sum(len(board.cards[pile.number]) for pile in others if pile.seat == seat)
        own += sum(rules.layout.owner(card) == seat for card in shared)
        if own + goals[seat] != size:
            yield f"seat {seat} has {own} cards and {goals[seat]} on the foundations, not {size} in all"


def _face_up(board: Board) -> Iterator[str]:
    for pile in board.piles:
        if board.unnamed(pile.number):
            yield f"pile {pile.number} shows a card that nobody has named"


def _foundations(rules: Rules, board: Board) -> Iterator[str]:
    layout = rules.layout
    for pile in layout.foundations:
        group = layout.groups[pile]
        if not isinstance(group, Foundations):
            continue
        cards = board.cards[pile]
        if len(cards) > group.length:
            yield f"foundation {pile} holds {len(cards)} cards, more than {group.length}"
        if cards and not isinstance(group.base, Base) and rank(cards[0]) != group.base:
            yield f"foundation {pile} starts with {name(cards[0])}"
        for height in range(1, len(cards)):
            if not rules.follows_on(board, pile, cards[:height], cards[height]):
                yield f"on foundation {pile}, {name(cards[height])} lies on {name(cards[height - 1])}"
