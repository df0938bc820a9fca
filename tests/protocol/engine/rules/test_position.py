"""Positions as a search packs them: equal ones have the same future, against real boards and brute force."""

import random
from collections.abc import Iterator, Sequence
from itertools import islice
from typing import NamedTuple

from racing_demon_protocol.engine.board import Board, CardRef, Play
from racing_demon_protocol.engine.cards import Card
from racing_demon_protocol.engine.factory import make_rules
from racing_demon_protocol.engine.rules.building import BuildingRules
from racing_demon_protocol.engine.rules.position import Position, ScratchBoard
from racing_demon_protocol.engine.specification import Game
from tests.support.dealt_hands import Dealt, random_hands
from tests.support.effort import amount, more_when_long
from tests.support.typical import BUILDING_GAMES, of_games

every_game = of_games(BUILDING_GAMES)

SEAT = 1
HANDS = amount(1, 2)
PURPOSE = 0.7
"""How often a hand is led on by chance, and not played by chance alone."""
MAX_BOARDS = 300
"""Boards that brute force looks at before it gives up; the search looks at more."""


def _rules(game: Game) -> BuildingRules:
    rules = make_rules(game, (0, SEAT))
    assert isinstance(rules, BuildingRules)
    return rules


class Future(NamedTuple):
    """What a player can do in a position: each move, whether it leads on, and where."""

    moves: dict[Play, tuple[bool, Position]]
    automatic: Play | None


def _scratch(hand: Dealt, board: Board) -> ScratchBoard:
    return ScratchBoard(hand.rules, SEAT, board, hand.dealer.open_board())


def _future(hand: Dealt, scratch: ScratchBoard) -> Future:
    rules, board = hand.rules, scratch.board
    moves = {
        move: (rules.is_irreversible(board, SEAT, move), scratch.position_after(move)[0])
        for move in rules.resolved_plays(board, SEAT)
    }
    return Future(moves, rules.automatic_play(board, SEAT))


def _hands(game: Game, *, plays: int = 150, step: int = 10) -> Iterator[tuple[Dealt, random.Random]]:
    """Yield hands of two in which one has played by chance, so long as there was anything to play."""
    for hand, rng in random_hands(game, HANDS, seats=(0, SEAT)):
        for number in range(plays):
            legal = list(hand.rules.legal_plays(hand.board, SEAT))
            if not legal:
                break
            led = [play for play in legal if hand.rules.is_irreversible(hand.board, SEAT, play)]
            hand.play(rng.choice(led if led and rng.random() < PURPOSE else legal), SEAT)
            if number % step == 0:
                yield hand, rng


@more_when_long
@every_game
def test_counts_that_make_no_difference_are_not_in_a_position(game: Game) -> None:
    """However often cards came and stocks were renewed, equal positions have equal futures."""
    for hand, rng in _hands(game):
        plain = _scratch(hand, hand.board)
        future = _future(hand, plain)
        for _ in range(amount(2, 6)):
            board = hand.board.copy()
            for pile in board.piles:
                if pile.counts and pile.seat == SEAT and rng.random() < 0.3:
                    board.came = {**board.came, pile.number: rng.choice([0, 1, 2, 13, 40, 200])}
            board.redeals = {**board.redeals, SEAT: rng.choice([0, 1, 2, 3, 4, 50])}
            board.liberties = {**board.liberties, SEAT: rng.choice([0, 1, 2, 3, 4, 50])}
            other = _scratch(hand, board)
            if other.position() == plain.position():
                assert future == _future(hand, other)


@more_when_long
@every_game
def test_a_position_holds_all_that_its_future_needs(game: Game) -> None:
    """Packed, put up again elsewhere and unpacked, it has the moves that the real board has."""
    for hand, _ in _hands(game):
        real = _scratch(hand, hand.board)
        layout = hand.rules.layout
        fresh = ScratchBoard(hand.rules, SEAT, Board(layout.piles), layout.empty_board)
        fresh.set_position(real.position(), real.counts)
        assert fresh.position() == real.position()
        assert _future(hand, fresh) == _future(hand, real)


@more_when_long
@every_game
def test_a_move_leads_where_the_real_play_leads(game: Game) -> None:
    """What the search expects of a move is the position after the real play, and its own stays as it was."""
    for hand, rng in _hands(game, step=1, plays=amount(20, 60)):
        scratch = _scratch(hand, hand.board)
        before = scratch.position()
        plays = list(hand.rules.legal_plays(hand.board, SEAT))
        moves = list(hand.rules.resolved_plays(hand.board, SEAT))
        assert moves == [hand.rules.verify_play(hand.board, SEAT, play) for play in plays]
        if not plays or _shuffles(game):
            continue
        chosen = rng.randrange(len(plays))
        expected, counts = scratch.position_after(moves[chosen])
        assert before == scratch.position()
        hand.play(plays[chosen], SEAT)
        assert (expected, counts) == ((real := _scratch(hand, hand.board)).position(), real.counts)


def _shuffles(game: Game) -> bool:
    return any(getattr(group, "shuffle", False) for group in game.groups)


@more_when_long
@of_games(game for game in BUILDING_GAMES if not _rules(game).move_generator.is_unrestricted)
def test_the_search_agrees_with_brute_force(game: Game) -> None:
    """A search that tells all boards apart finds what the dead-hand test finds, where it comes to an end."""
    for hand, _ in islice(
        (each for each in _hands(game, plays=400, step=3) if not _leads_on(each[0])), amount(2, 6)
    ):
        expected = _brute_force(hand)
        if expected is not None:
            assert expected == hand.dealer.search(hand.board, SEAT).finish()


def _leads_on(hand: Dealt) -> bool:
    """Tell whether there is a play at once that leads on."""
    legal = hand.rules.legal_plays(hand.board, SEAT)
    return any(hand.rules.is_irreversible(hand.board, SEAT, play) for play in legal)


def _brute_force(hand: Dealt) -> bool | None:
    """Tell whether any row of moves leads on; ``None`` after too many boards."""
    rules, waiting = hand.rules, [(hand.board, hand.dealer.open_board())]
    seen = {_all_of(*waiting[0])}
    for board, hidden in waiting:
        for play in rules.legal_plays(board, SEAT):
            move = rules.verify_play(board, SEAT, play)
            if rules.is_irreversible(board, SEAT, move):
                return True
            outcome = _played(hand, board, hidden, move)
            if _all_of(*outcome) not in seen:
                seen.add(_all_of(*outcome))
                waiting.append(outcome)
        if len(seen) > MAX_BOARDS:
            return None
    return False


def _all_of(board: Board, hidden: Board) -> str:
    return repr((board.cards, board.counts, hidden.cards))


def _played(hand: Dealt, board: Board, hidden: Board, move: Play) -> tuple[Board, Board]:
    """Return both boards after a move and what follows by itself."""
    board, hidden = board.copy(), hidden.copy()

    def name(play: Play, places: Sequence[CardRef]) -> list[Card]:
        hidden.move(play)
        return [hidden.cards[pile][index] for pile, index in places]

    due: Play | None = move
    while due is not None:
        hand.rules.carry_out(board, due, name)
        due = hand.rules.automatic_play(board, SEAT)
    return board, hidden
