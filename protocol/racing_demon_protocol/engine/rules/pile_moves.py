"""Which piles may give cards to which, whatever the cards: pure functions of the layout and the board."""

from racing_demon_protocol.engine.board import FOUNDATIONS, Board, Kind, Play
from racing_demon_protocol.engine.layout import Layout
from racing_demon_protocol.engine.specification import Cells, Foundations, Reserve, Stock, Tableau
from racing_demon_protocol.enums import Reason
from racing_demon_protocol.errors import IllegalPlay


def verify_piles(layout: Layout, seat: int, play: Play) -> None:
    """Check that a play's piles exist, and that the seat may use them.

    Raises:
        IllegalPlay: they do not, or it may not; the error has the reason.

    """
    piles = layout.piles
    if not 0 <= play.source < len(piles) or not FOUNDATIONS <= play.destination < len(piles):
        raise IllegalPlay("The table has no such pile.", Reason.UNKNOWN_PILE)
    if seat not in layout.seats:
        raise IllegalPlay("This seat is not in the hand.", Reason.NOT_SEATED)
    for number in (play.source, play.destination):
        if number != FOUNDATIONS and piles[number].seat not in {None, seat}:
            raise IllegalPlay("That pile belongs to another player.", Reason.NOT_YOUR_PILE)


def may_move(layout: Layout, source: int, destination: int) -> bool:
    """Return whether the groups of two piles let cards move from one to the other."""
    origin, target = layout.groups[source], layout.groups[destination]
    if origin.plays_to is not None and target.name not in origin.plays_to:
        return False
    if target.takes is None:
        return origin.kind is not Kind.STOCK and target.kind in {Kind.TABLEAU, Kind.FOUNDATION}
    return origin.name in target.takes


def may_ever_move(layout: Layout, source: int, column: int) -> bool:
    """Return whether a column may ever accept cards of a pile, if only into a space."""
    origin, target = layout.groups[source], layout.groups[column]
    if origin.plays_to is not None and target.name not in origin.plays_to:
        return False
    into_space = isinstance(target, Tableau) and origin.name in (target.space.takes or ())
    return may_move(layout, source, column) or into_space


def may_fill(layout: Layout, board: Board, seat: int, source: int, destination: int) -> bool:
    """Return whether a pile's card may go to a cell or reserve."""
    group = layout.groups[destination]
    if isinstance(group, Cells) and group.in_order:
        for name in group.takes or ():
            if any(board.cards[pile] for pile in layout.group_piles(seat, name)):
                return name == layout.groups[source].name
    return may_move(layout, source, destination)


def accepts_unseen(layout: Layout, destination: int) -> bool:
    """Return whether a pile may be filled with the stock's unseen top card."""
    if destination == FOUNDATIONS:
        return False
    group = layout.groups[destination]
    takes = group.space.takes if isinstance(group, Tableau) else group.takes
    stocks = {stock.name for stock in layout.game.groups if isinstance(stock, Stock)}
    return bool(stocks & set(takes or ())) and not isinstance(group, Foundations)


def is_playable(layout: Layout, board: Board, seat: int, source: int) -> bool:
    """Return whether a pile's cards may be played yet."""
    group = layout.groups[source]
    return not (isinstance(group, Reserve) and group.locked and has_stock(layout, board, seat))


def has_stock(layout: Layout, board: Board, seat: int) -> bool:
    """Return whether a seat has cards left in its stock or waste."""
    piles = layout.seat_piles(seat, Kind.STOCK) + layout.seat_piles(seat, Kind.WASTE)
    return any(board.cards[pile] for pile in piles)
