"""Plays that were made, with the cards that they turned up."""

from typing import NamedTuple

from racing_demon_protocol.engine.board import Board, Play
from racing_demon_protocol.engine.cards import Card
from racing_demon_protocol.engine.rules.base import Revealer, Rules


class Move(NamedTuple):
    """A play that was made, and the cards that it turned up, source pile first, bottom first."""

    source: int
    count: int  # type: ignore[assignment]  # the wire's word; no one counts in a move
    destination: int
    shown: tuple[Card, ...] = ()
    depth: int = 0


def follow(board: Board, move: Move) -> None:
    """Make a move on another board of the same hand."""
    board.reveal(board.move(Play(move.source, move.count, move.destination, move.depth)), move.shown)


def carried(rules: Rules, board: Board, play: Play, name: Revealer) -> Move:
    """Make a legal or automatic play on the board, and return the move."""
    shown = rules.carry_out(board, play, name)
    return Move(play.source, play.count, play.destination, shown, play.depth)
