"""Races on identical deals: what players may learn about each other.

Players with the same cards could read their own future in another's layout. So players of such a race see
only one number of each other: their progress.
"""

from .board import Board, Pile, without


def may_see(pile: Pile, seat: int | None) -> bool:
    """Return whether a seat, or a spectator with ``None``, may see a pile's cards.

    Snapshots and refusals both rely on this alone.
    """
    return pile.seat == seat


def redacted(board: Board, dealt: Board, seat: int | None) -> Board:
    """Return a board as a seat, or a spectator with ``None``, may see it: others' layouts as dealt.

    Args:
        board: the board.
        dealt: the board as it was dealt.
        seat: the viewer's seat.

    """
    seen = dealt.copy()
    for pile in seen.piles:
        if may_see(pile, seat):
            seen.cards[pile.number] = board.cards[pile.number]
    shown = {number: times for number, times in board.came.items() if may_see(seen.piles[number], seat)}
    seen.came = {**seen.came, **shown}
    seen.redeals = {own: count for own, count in board.redeals.items() if own == seat}
    seen.liberties = {own: count for own, count in board.liberties.items() if own == seat}
    return seen


def reset_to_deal(board: Board, dealt: Board, seat: int) -> None:
    """Reset a seat's piles to the deal: its new player has not played them.

    Args:
        board: the board to change.
        dealt: the board as it was dealt.
        seat: the seat with a new player.

    """
    for pile in board.piles:
        if may_see(pile, seat):
            board.cards[pile.number] = dealt.cards[pile.number]
            board.came = without(board.came, pile.number)
    board.redeals, board.liberties = without(board.redeals, seat), without(board.liberties, seat)
