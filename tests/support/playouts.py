"""Random hands: legal plays of all seats in any order."""

import random
from collections.abc import Iterator

from racing_demon_protocol.engine.board import Kind
from tests.support.boards import Position
from tests.support.moves import Move


def play_on(position: Position, rng: random.Random, steps: int) -> Iterator[tuple[int, list[Move]]]:
    """Play on at random, and yield after each play who made it, with the moves that came of it.

    Turning the stock is mostly left for when a seat has nothing else.
    """
    seats = position.rules.layout.seats
    kinds = [pile.kind for pile in position.board.piles]
    for _ in range(steps):
        seat = rng.choice(seats)
        plays = position.plays(seat)
        others = [play for play in plays if kinds[play.destination] not in {Kind.STOCK, Kind.WASTE}]
        if others and rng.random() < 0.8:
            plays = others
        if plays:
            yield seat, position.play(seat, rng.choice(plays))
