"""Questions to any game: what could be played at all, what is broken, and chance games to their end."""

import os
import random
from collections.abc import Iterator, Mapping, Sequence

from racing_demon_protocol.engine.board import Board, Kind, Play
from racing_demon_protocol.engine.cards import PACK_SIZE, UNKNOWN, Card, parse
from racing_demon_protocol.engine.rules.base import Rules
from tests.support.dealt_hands import Dealt
from tests.support.invariants import status

CHANCE_GAMES = int(os.environ.get("RACING_DEMON_GAMES", "1"))
"""How many chance games of each declaration a test plays."""
MAX_LENGTH = 250 if CHANCE_GAMES == 1 else 2_000
"""Plays after which a chance game is left: some can go on for ever."""
PATIENCE = 600
"""The same, for plays since there were more cards on the foundations than ever before."""


def chance_game(hand: Dealt, rng: random.Random, longest: int = MAX_LENGTH) -> Iterator[None]:
    """Play a hand by chance, preferring the foundations, until somebody is out or nobody can go on.

    The next play is that of any seat that has one. A hand that only goes round is left after a while.
    """
    most, since = 0, 0
    for number in range(1, longest + 1):
        if number % 100 == 0 and hand.dealer.is_dead(hand.board, hand.seats):
            return
        for seat in rng.sample(hand.seats, len(hand.seats)):
            plays = list(hand.rules.legal_plays(hand.board, seat))
            if plays:
                break
        else:
            return
        up = [play for play in plays if hand.board.piles[play.destination].kind is Kind.FOUNDATION]
        hand.play(rng.choice(up if up and rng.random() < 0.7 else plays), seat)
        yield
        if any(hand.rules.is_out(hand.board, player) for player in hand.seats):
            return
        done = sum(len(hand.board.cards[pile]) for pile in hand.rules.layout.foundations)
        if done > most:
            most, since = done, number
        elif number - since == PATIENCE:
            return


def named(board: Board, plays: Sequence[Play]) -> set[tuple[int, int, int | str, int]]:
    """Return plays with foundations called by their group, since those of one group are worth the same."""
    return {
        (
            play.source,
            play.count,
            board.piles[play.destination].group
            if board.piles[play.destination].kind is Kind.FOUNDATION
            else play.destination,
            play.depth,
        )
        for play in plays
    }


def all_plays(rules: Rules, board: Board, seat: int) -> list[Play]:
    """Return every play that the rules allow when they are asked for each there could be."""
    return [
        play
        for source, cards in enumerate(board.cards)
        if cards or board.piles[source].kind is Kind.STOCK
        for destination in range(len(board.piles))
        for count in range(1, max(len(cards), 1) + 1)
        for depth in (range(max(len(cards), 1)) if count == 1 else (0,))
        if rules.can_play(board, seat, play := Play(source, count, destination, depth))
    ]


def broken(hand: Dealt) -> list[str]:
    """Return what is broken, on the public board, on the dealer's, or between them."""
    hidden = hand.dealer.open_board()
    problems = [*status(hand.rules, hand.board), *status(hand.rules, hidden)]
    for shown, known in zip(hand.board.cards, hidden.cards, strict=True):
        if len(shown) != len(known) or any(a not in {UNKNOWN, b} for a, b in zip(shown, known, strict=True)):
            problems.append("the public board is not the dealer's")
    return problems


def lay(rules: Rules, piles: Mapping[str, Sequence[str]], seat: int = 0) -> Board:
    """Return a board with these cards in the piles of groups, bottom first; a second copy is ``7H'``.

    All of them are known, as on a dealer's board.
    """
    board = Board([pile.opened() for pile in rules.layout.piles])
    for group, texts in piles.items():
        for pile, text in zip(rules.layout.group_piles(seat, group), texts, strict=False):
            board.cards[pile] = tuple(_card(rules, word, seat) for word in text.split())
    return board


def _card(rules: Rules, word: str, seat: int) -> Card:
    if word == "?":
        return UNKNOWN
    packs = rules.layout.seats.index(seat) * rules.game.packs
    return packs * PACK_SIZE + parse(word.rstrip("'"), int(word.endswith("'")))
