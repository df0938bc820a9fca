"""Counting plays: how many sequences of legal plays a position has, and which plays are legal at all."""

from collections.abc import Iterator

from racing_demon_protocol.engine.board import FOUNDATIONS, Kind, Play
from tests.support.boards import Position


def perft(position: Position, depth: int) -> int:
    """Return how many sequences of so many legal plays there are, by whatever seats."""
    seats = position.rules.layout.seats
    if depth == 1:
        return sum(len(position.plays(seat)) for seat in seats)
    return sum(perft(after, depth - 1) for after in _after(position))


def positions(position: Position, depth: int) -> Iterator[Position]:
    """Yield every different position within so many plays, the first one included."""
    seen: set[str] = set()
    waiting = [(position, depth)]
    while waiting:
        here, left = waiting.pop(0)
        key = repr((here.board.cards, here.hidden.cards, here.board.redeals))
        if key not in seen:
            seen.add(key)
            yield here
            if left:
                waiting += [(after, left - 1) for after in _after(here)]


def possible_plays(position: Position, seat: int) -> set[Play]:
    """Return the legal plays of a seat by asking the judge about every play that can be written."""
    board = position.board
    piles = range(-2, len(board.piles) + 2)
    return {
        play
        for source in piles
        for count in range(-2, _height(position, source) + 2)
        for play in (Play(source, count, destination) for destination in piles)
        if play.destination != FOUNDATIONS and position.rules.can_play(board, seat, play)
    }


def first_twins(position: Position, plays: set[Play]) -> set[Play]:
    """Return the plays without those that differ from another only in taking a later foundation."""
    kinds = [pile.kind for pile in position.board.piles]
    upward = {play for play in plays if kinds[play.destination] is Kind.FOUNDATION}
    first = {min(play for play in upward if play.source == source) for source, *_ in upward}
    return (plays - upward) | first


def _after(position: Position) -> Iterator[Position]:
    for seat in position.rules.layout.seats:
        for play in position.plays(seat):
            after = position.copy()
            after.play(seat, play)
            yield after


def _height(position: Position, pile: int) -> int:
    return len(position.board.cards[pile]) if 0 <= pile < len(position.board.piles) else 1
