"""Hands of any game as the server plays them: public rules and board, and a real dealer."""

import random
from collections.abc import Iterator, Sequence

from racing_demon_protocol.engine.board import Board, Play
from racing_demon_protocol.engine.cards import PACK_SIZE, Card, parse, rank
from racing_demon_protocol.engine.deal import subseed
from racing_demon_protocol.engine.dealer import Dealer
from racing_demon_protocol.engine.factory import make_rules
from racing_demon_protocol.engine.rules.base import Rules
from racing_demon_protocol.engine.specification import Game
from tests.support.moves import Move, carried, follow


def stacked_dealer(decks: Sequence[Sequence[Card]], rules: Rules) -> Dealer:
    """Return a dealer whose cards lie in an order that a test has chosen."""
    dealer, board = Dealer(bytes(32), rules), rules.deal(decks)
    dealer.restore(board.cards, board.counts)
    return dealer


class Dealt:
    """One hand of a game.

    Args:
        game: which.
        seed: the secret of the deal.
        seats: who plays.
        decks: the cards of each seat, the first one to deal first, instead of the seed's.
        rules: the rules to ask, instead of those that all hands share.

    Attributes:
        rules: its rules.
        board: what everybody sees.
        dealer: who knows the rest.
        dealt: the cards that were shown by the deal.
        log: every move since, with its seat.

    """

    def __init__(
        self,
        game: Game,
        seed: bytes = bytes(32),
        seats: Sequence[int] = (0,),
        decks: Sequence[Sequence[Card]] | None = None,
        rules: Rules | None = None,
    ) -> None:
        self.rules = rules or make_rules(game, seats)
        self.board = self.rules.deal()
        self.dealer = Dealer(seed, self.rules) if decks is None else stacked_dealer(decks, self.rules)
        self.dealt = self.dealer.first_cards()
        self.board.reveal(self.board.all_unnamed(), self.dealt)
        self.log: list[tuple[int, Move]] = []
        self._named: dict[tuple[int, str], tuple[int, ...]] = {}
        for seat in seats:
            self.settle(seat)

    @property
    def seats(self) -> tuple[int, ...]:
        """The seats that play."""
        return self.rules.layout.seats

    def settle(self, seat: int) -> None:
        """Make the moves that the game makes by itself."""
        while (play := self.rules.automatic_play(self.board, seat)) is not None:
            self.log.append((seat, carried(self.rules, self.board, play, self.dealer.move)))

    def play(self, play: Play, seat: int = 0) -> None:
        """Make a legal play, and what follows by itself."""
        legal = self.rules.verify_play(self.board, seat, play)
        self.log.append((seat, carried(self.rules, self.board, legal, self.dealer.move)))
        self.settle(seat)

    def plays(self) -> list[tuple[int, Play]]:
        """Return the legal plays of all seats."""
        return [(seat, play) for seat in self.seats for play in self.rules.legal_plays(self.board, seat)]

    def named(self, group: str, seat: int = 0) -> list[tuple[Card, ...]]:
        """Return the public cards of the piles of a group."""
        if (seat, group) not in self._named:
            self._named[seat, group] = self.rules.layout.group_piles(seat, group)
        return [self.board.cards[pile] for pile in self._named[seat, group]]

    def replay(self) -> Board:
        """Return the board that another fold of the same moves comes to."""
        board = self.rules.deal()
        board.reveal(board.all_unnamed(), self.dealt)
        for _, move in self.log:
            follow(board, move)
        return board

    def is_over(self) -> bool:
        """Tell whether somebody is out, or nobody can go on."""
        return any(self.rules.is_out(self.board, seat) for seat in self.seats) or self.dealer.is_dead(
            self.board, self.seats
        )

    def play_on(self, rng: random.Random, limit: int = 10_000) -> Iterator[None]:
        """Play at random until the hand is over, and yield after each play.

        Raises:
            AssertionError: it comes to no end.

        """
        for number in range(1, limit):
            plays = self.plays()
            is_won = any(self.rules.is_out(self.board, seat) for seat in self.seats)
            # Positions come round in few games only, so that need not be asked after every play.
            if is_won or not plays or (number % 50 == 0 and self.dealer.is_dead(self.board, self.seats)):
                return
            seat, play = rng.choice(plays)
            self.play(play, seat)
            yield
        raise AssertionError(f"{self.rules.game.name} has no end")


def random_hands(
    game: Game, count: int, *, seats: Sequence[int] = (0,)
) -> Iterator[tuple[Dealt, random.Random]]:
    """Yield hands of a game, with randomness to play each of them."""
    for number in range(count):
        yield Dealt(game, subseed(bytes(32), f"{game.name}/{number}"), seats), random.Random(number)


def stacked(game: Game, *first: str) -> Dealt:
    """Return a hand of one seat in which these cards are dealt first, and all others in their order."""
    left = [card for card in range(52 * game.packs) if rank(card) in game.ranks]
    chosen = []
    for word in " ".join(first).split():
        chosen.append(next(card for card in left if card % PACK_SIZE == parse(word)))
        left.remove(chosen[-1])
    return Dealt(game, decks=[[*chosen, *left]])
