"""Any game played by chance, one seat or more, with a dealer and no server."""

import os
import random
from collections.abc import Iterator
from dataclasses import dataclass, field

from racing_demon_protocol.board import Board, Kind, Move, Play
from racing_demon_protocol.cards import UNKNOWN
from racing_demon_protocol.dealer import Dealer
from racing_demon_protocol.games import GAMES
from racing_demon_protocol.invariants import status
from racing_demon_protocol.rulebook import make_rules
from racing_demon_protocol.rules import Rules

__all__ = ["GAMES_EACH", "Hand", "brute_force", "check", "named", "play_out"]

GAMES_EACH = int(os.environ.get("RACING_DEMON_GAMES", "3"))
"""How many chance games of each declaration a test plays."""
LONGEST = 600
"""Plays after which a chance game is left: some can go on for ever."""


@dataclass
class Hand:
    """A hand of any game, with its dealer.

    Attributes:
        rules: its rules.
        dealer: who knows the hidden cards.
        board: the public board.
        moves: all that has happened.

    """

    rules: Rules
    dealer: Dealer
    board: Board
    moves: list[Move] = field(default_factory=list)

    @classmethod
    def deal(cls, game: str, seed: bytes, seats: tuple[int, ...] = (0,)) -> "Hand":
        """Deal a game from a seed, and let it do what it does by itself at the signal."""
        rules = make_rules(GAMES[game], seats)
        dealer = Dealer(seed, rules)
        board = rules.deal()
        places = board.all_unnamed()
        board.reveal(places, dealer.first_cards(board))
        hand = cls(rules, dealer, board)
        for seat in seats:
            hand.settle(seat)
        return hand

    def play(self, play: Play, seat: int = 0) -> None:
        """Make a legal play, and what follows by itself."""
        self._carry_out(self.rules.verify_play(self.board, seat, play))
        self.settle(seat)

    def settle(self, seat: int) -> None:
        """Make the plays that the game makes by itself."""
        for _ in range(LONGEST):
            follow_up = self.rules.automatic(self.board, seat)
            if follow_up is None:
                return
            self._carry_out(follow_up)
        raise AssertionError("the game goes on by itself for ever")

    def _carry_out(self, play: Play) -> None:
        self.moves.append(self.rules.carry_out(self.board, play, self.dealer.follow))


def play_out(hand: Hand, rng: random.Random, longest: int = LONGEST) -> Iterator[Hand]:
    """Play a hand by chance to its end, or a limit; yield it after each play."""
    for _ in range(longest):
        for seat in hand.rules.layout.seats:
            if hand.rules.is_out(hand.board, seat):
                return
        seats = [s for s in hand.rules.layout.seats if any(hand.rules.legal_plays(hand.board, s))]
        if not seats:
            return
        seat = rng.choice(seats)
        plays = list(hand.rules.legal_plays(hand.board, seat))
        up = [play for play in plays if hand.board.piles[play.destination].kind is Kind.FOUNDATION]
        hand.play(rng.choice(up if up and rng.random() < 0.7 else plays), seat)
        yield hand


def named(board: Board, play: Play) -> tuple[int, int, int | str, int]:
    """Return a play with any foundation called by its group, for those of one group are worth the same."""
    pile = board.piles[play.destination]
    to = pile.group if pile.kind is Kind.FOUNDATION else play.destination
    return play.source, play.count, to, play.depth


def brute_force(rules: Rules, board: Board, seat: int) -> set[Play]:
    """Return every play that the rules allow when they are asked for each there could be."""
    legal = set()
    for source in range(len(board.piles)):
        size = len(board.cards[source])
        for destination in range(len(board.piles)):
            for count in range(1, max(size, 1) + 1):
                for depth in range(max(size, 1)) if count == 1 else (0,):
                    play = Play(source, count, destination, depth)
                    if rules.can_play(board, seat, play):
                        legal.add(play)
    return legal


def check(hand: Hand) -> list[str]:
    """Return what is broken, on the public board and on the dealer's."""
    public, hidden = hand.board, hand.dealer.open_board()
    problems = [*status(hand.rules, public), *status(hand.rules, hidden)]
    for shown, known in zip(public.cards, hidden.cards, strict=True):
        same = all(card in {UNKNOWN, other} for card, other in zip(shown, known, strict=True))
        if len(shown) != len(known) or not same:
            problems.append("the public board is not the dealer's")
    return problems
