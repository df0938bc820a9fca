"""A patient player of a game alone: what goes up, what leads on, privileges, and the stock, in this order."""

import random
from typing import Final

from racing_demon_protocol.engine.board import Kind, Play
from tests.support.dealt_hands import Dealt

LOOKS: Final = 12
"""After so many plays that led to nothing the player asks whether the hand is told as over."""
PATIENCE: Final = 400
"""After so many the player gives up."""


def is_won(hand: Dealt, rng: random.Random) -> bool:
    """Play a hand until it is won, told as over, or given up."""
    rules, board = hand.rules, hand.board
    idle = 0
    while not rules.is_out(board, 0):
        plays = [play for _, play in hand.plays()]
        if not plays or (idle % LOOKS == LOOKS - 1 and hand.dealer.is_dead(board, (0,))) or idle > PATIENCE:
            return False
        play = _choice(hand, plays, rng)
        idle = 0 if _leads_on(hand, play) else idle + 1
        hand.play(play)
    return True


def _choice(hand: Dealt, plays: list[Play], rng: random.Random) -> Play:
    piles = hand.board.piles
    stock = {Kind.STOCK, Kind.WASTE}
    up = [play for play in plays if piles[play.destination].kind is Kind.FOUNDATION]
    on = [play for play in plays if _leads_on(hand, play)]
    turn = hand.rules.stock_play(hand.board, 0)
    own = [play for play in plays if piles[play.destination].kind not in stock and play != turn]
    if up or on:
        return rng.choice(up or on)
    if own and (turn not in plays or rng.random() < 0.3):
        return rng.choice(own)
    return turn if turn in plays else rng.choice(plays)


def _leads_on(hand: Dealt, play: Play) -> bool:
    kinds = {hand.board.piles[play.source].kind, hand.board.piles[play.destination].kind}
    return Kind.STOCK not in kinds and hand.board.is_progress(play)
