"""A second, slower dead-hand test: it makes real plays on real boards, and measures what they bring."""

from racing_demon_protocol.engine.board import Kind, Play
from racing_demon_protocol.engine.cards import UNKNOWN
from racing_demon_protocol.engine.specification import Stock
from tests.support.boards import Position


def distance(position: Position, seat: int) -> tuple[int, int, int, int]:
    """Return how far a seat is from the end; every play that is progress makes this smaller.

    The measure of progress: cards outside the centre, those outside centre and layout, face-down
    cards, occupied columns.
    """
    board, layout = position.board, position.rules.layout
    heaps = [
        len(board.cards[pile])
        for kind in (Kind.STOCK, Kind.WASTE, Kind.RESERVE)
        for pile in layout.seat_piles(seat, kind)
    ]
    columns = [board.cards[pile] for pile in layout.seat_piles(seat, Kind.TABLEAU)]
    on_layout = sum(len(column) for column in columns)
    face_down = sum(column.count(UNKNOWN) for column in columns)
    return sum(heaps) + on_layout, sum(heaps), face_down, sum(1 for column in columns if column)


def way_to_progress(position: Position, seat: int) -> list[Play] | None:
    """Return a shortest row of plays of a seat of which the last is progress; ``None`` if none exists.

    All others only turn the stock or move cards about. Every position that they lead to is looked at.
    """
    start = distance(position, seat)
    seen = {_key(position, seat)}
    waiting: list[tuple[Position, list[Play]]] = [(position, [])]
    while waiting:
        here, way = waiting.pop(0)
        for play in here.plays(seat):
            after = here.copy()
            after.play(seat, play)
            if distance(after, seat) < start:
                return [*way, play]
            key = _key(after, seat)
            if key not in seen and distance(after, seat)[:3] == start[:3]:
                seen.add(key)
                waiting.append((after, [*way, play]))
    return None


def _key(position: Position, seat: int) -> tuple[object, ...]:
    """Return what tells positions apart; columns that have changed places make no difference."""
    layout, cards = position.rules.layout, position.hidden.cards
    stock = layout.groups[layout.stock[seat]]
    assert isinstance(stock, Stock)
    return (
        tuple(sorted(tuple(cards[pile]) for pile in layout.seat_piles(seat, Kind.TABLEAU))),
        len(cards[layout.stock[seat]]),
        None if stock.redeals is None else position.board.redeals.get(seat, 0),
    )
