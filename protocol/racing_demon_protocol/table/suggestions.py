"""Suggest plays: the one that a key or tap means, a hint, or one that another player has made possible."""

from collections import Counter, deque
from collections.abc import Iterable, Mapping, Sequence
from itertools import islice
from typing import Final

from racing_demon_protocol.engine.board import FOUNDATIONS, Board, Kind, Play
from racing_demon_protocol.engine.cards import UNKNOWN, Card
from racing_demon_protocol.engine.rules.base import Rules
from racing_demon_protocol.engine.rules.building import BuildingRules
from racing_demon_protocol.engine.specification import Tableau
from racing_demon_protocol.errors import IllegalPlay

MAX_POSITIONS: Final = 200
"""The most positions in which a hint looks for a helpful play. In most games neutral moves lead to a few."""
PLAYED_FROM: Final = (Kind.TABLEAU, Kind.WASTE, Kind.RESERVE, Kind.CELL)
"""The kinds of piles whose top card a seat plays to the foundations."""


def fitting_count(rules: Rules, board: Board, seat: int, source: int, destination: int) -> int:
    """Return how many cards to move: as many as may go there, or one."""
    if destination == FOUNDATIONS:
        return 1
    if board.piles[source].kind is not Kind.TABLEAU:
        plays = (play for play in rules.legal_plays(board, seat) if play.source == source)
        return max((play.count for play in plays if play.destination == destination), default=1)
    counts = range(len(board.cards[source]), 0, -1)
    return next(
        (count for count in counts if rules.can_play(board, seat, Play(source, count, destination))), 1
    )


def longest_unit(rules: Rules, board: Board, pile: int) -> int:
    """Return how many cards of a pile may be picked up together; 0 for none."""
    cards, group = board.cards[pile], rules.layout.groups[pile]
    if isinstance(group, Tableau):
        return max(rules.movable_counts(group, cards), default=min(1, len(cards)))
    return min(1, len(cards))


def best_play(rules: Rules, board: Board, seat: int, source: int, count: int = 1) -> Play | None:
    """Return the best play from a pile: up, else towards the end of the hand, else any that moves.

    A column with cards is a better destination than an empty one. A whole column never just changes places,
    and the waste is not turned over, because that has a key of its own. With ``count``, a run of that many
    cards goes first, wherever it can go.
    """
    plays = [play for play in rules.legal_plays(board, seat) if play.source == source]
    useful = [play for play in plays if not _only_wanders(board, play)]
    meant = [play for play in useful if play.count == count] if count > 1 else []
    best = max(meant or useful, key=lambda play: _worth(board, play), default=None)
    return best or step_of(rules, board, seat, source)


def only_play(rules: Rules, board: Board, seat: int) -> Play | None:
    """Return the only legal play of a game, which then needs no key of its own."""
    plays = list(islice(rules.legal_plays(board, seat), 2))
    return plays[0] if len(plays) == 1 else None


def step_of(rules: Rules, board: Board, seat: int, *piles: int) -> Play | None:
    """Return the only step that a game allows if it involves these piles, in either order.

    Exchanging the card in hand with a packet's top card is the same play from either side.
    """
    if isinstance(rules, BuildingRules):
        return None
    play = only_play(rules, board, seat)
    return play if play is not None and {*piles} <= {play.source, play.destination} else None


def helpful_play(rules: Rules, board: Board, seat: int) -> tuple[Play | None, bool]:
    """Return a play that brings the hand closer to its end, or a neutral move that leads to one.

    Turning the stock is neither. Neutral moves from column to column are followed through at most
    :data:`MAX_POSITIONS` positions; the second value tells whether these were all.
    """
    seen, waiting = {_laid(board)}, deque[tuple[Board, Play | None]]([(board, None)])
    while waiting:
        position, first = waiting.popleft()
        for play in rules.legal_plays(position, seat):
            if position.is_progress(play) or play.depth:
                return first or play, True
            kinds = {position.piles[play.source].kind, position.piles[play.destination].kind}
            wanders = kinds == {Kind.TABLEAU} and isinstance(rules, BuildingRules)
            if not wanders or len(seen) == MAX_POSITIONS:
                continue
            moved = position.copy()
            moved.move(play)
            if (laid := _laid(moved)) not in seen:
                seen.add(laid)
                waiting.append((moved, first or play))
    return None, len(seen) < MAX_POSITIONS


def _laid(board: Board) -> tuple[tuple[Card, ...], ...]:
    return tuple(map(tuple, board.cards))


def opened_play(rules: Rules, board: Board, seat: int, others: Iterable[int]) -> Play | None:
    """Return a play that others' plays, just made, have opened for a seat; ``None`` if they have opened none.

    Only cards that lie face up count: one of the seat's can go to the foundations now, and could not before.
    The work is bounded by the number of the seat's own piles.

    Args:
        rules: the rules of the hand.
        board: the public board after these plays.
        seat: the seat.
        others: the piles that they brought a card to, once for each card.

    """
    if not isinstance(rules, BuildingRules):  # two play together: each play is an answer to the other's
        return next(iter(rules.legal_plays(board, seat)), None)
    grown = Counter(pile for pile in others if board.piles[pile].kind is Kind.FOUNDATION)
    sources = [pile for kind in PLAYED_FROM for pile in rules.layout.seat_piles(seat, kind)] if grown else []
    before: Board | None = None
    for source in sources:
        card = board.top(source)
        if card is None or card == UNKNOWN:
            continue
        plays = [Play(source, 1, pile) for pile in grown if rules.accepts(board, pile, card)]
        play = next((play for play in plays if rules.can_play(board, seat, play)), None)
        if play is None:
            continue
        if before is None:
            before = _before(board, grown)
        if next(rules.open_foundations(before, seat, card), None) is None:
            return play
    return None


def _before(board: Board, grown: Mapping[int, int]) -> Board:
    """Return the board without the newest cards of foundations, whose numbers ``grown`` gives."""
    before = board.copy()
    for pile, cards in grown.items():
        before.cards[pile] = before.cards[pile][:-cards]
    return before


def _worth(board: Board, play: Play) -> tuple[bool, bool, bool, int]:
    up = board.piles[play.destination].kind is Kind.FOUNDATION
    return up, board.is_progress(play), bool(board.cards[play.destination]), play.count


def _only_wanders(board: Board, play: Play) -> bool:
    if board.piles[play.destination].kind is Kind.STOCK:
        return True
    columns = {board.piles[play.source].kind, board.piles[play.destination].kind} == {Kind.TABLEAU}
    return columns and not board.cards[play.destination] and len(board.cards[play.source]) == play.count


def targets(rules: Rules, board: Board, seat: int, source: int) -> frozenset[int]:
    """Return the piles that cards of a pile may be played to."""
    return frozenset(play.destination for play in rules.legal_plays(board, seat) if play.source == source)


def with_plays(rules: Rules, board: Board, seat: int, plays: Iterable[Play]) -> tuple[Board, dict[int, int]]:
    """Return a board with unconfirmed plays applied, and how many unconfirmed cards top each pile.

    Plays that are illegal, or that involve an unknown card, are left out until the server answers.
    """
    air: dict[int, int] = {}
    ahead = board
    for play in plays:
        if not _is_known(ahead, play):
            continue
        try:
            landing: Play | None = rules.verify_play(ahead, seat, play)
        except IllegalPlay:
            continue
        ahead = board.copy() if ahead is board else ahead
        while landing is not None:  # a space may be filled automatically
            ahead.move(landing)
            air[landing.source] = max(0, air.get(landing.source, 0) - abs(landing.count))
            air[landing.destination] = air.get(landing.destination, 0) + abs(landing.count)
            landing = rules.automatic_play(ahead, seat)
    return ahead, air


def _is_known(board: Board, play: Play) -> bool:
    """Return whether the cards that a play moves, and the card it lands on, are known."""
    piles, number = board.piles, len(board.piles)
    if not 0 <= play.source < number or not FOUNDATIONS <= play.destination < number:
        return False
    if Kind.STOCK in {piles[play.source].kind, piles[play.destination].kind}:
        return True  # turning the stock names no card
    taken: Sequence[int] = board.cards[play.source][-play.count :]
    below = None if play.destination == FOUNDATIONS else board.top(play.destination)
    return UNKNOWN not in taken and below != UNKNOWN
