"""What a play is worth to a bot that does not plan."""

from racing_demon_protocol.engine.board import Board, Kind, Play
from racing_demon_protocol.engine.cards import SUIT_SIZE, UNKNOWN
from racing_demon_protocol.engine.rules.base import Rules


def value_of(rules: Rules, board: Board, seat: int, play: Play, *, sees_ahead: bool) -> float | None:
    """Return the value of a legal play: a higher one is better; ``None`` means that it is useless.

    Args:
        rules: the rules of the hand.
        board: the board.
        seat: the player's seat.
        play: the play.
        sees_ahead: whether a move that only prepares a play to the foundations has a value.

    """
    source, destination = board.piles[play.source], board.piles[play.destination]
    if not board.is_progress(play):
        return 50 if sees_ahead and prepares(rules, board, seat, play) else None
    if destination.kind is Kind.FOUNDATION:
        completes = len(board.cards[play.destination]) == SUIT_SIZE - 1
        bonus = rules.game.scoring.king_bonus if completes else 0
        return (120 if source.kind is Kind.RESERVE else 100) + bonus
    if source.kind is Kind.RESERVE:
        return 90
    if source.kind is Kind.TABLEAU:
        return 60 + board.cards[play.source].count(UNKNOWN)
    return 30


def prepares(rules: Rules, board: Board, seat: int, play: Play) -> bool:
    """Return whether a neutral tableau move uncovers a card that a foundation accepts."""
    cards = board.cards[play.source]
    if board.piles[play.source].kind is not Kind.TABLEAU or len(cards) <= play.count:
        return False
    bared = cards[-play.count - 1]
    return bared != UNKNOWN and any(True for _ in rules.open_foundations(board, seat, bared))
