"""What must be true of every game with a mechanic of its own."""

import os
import sys
from collections.abc import Iterator

import pytest

from racing_demon_protocol.engine.board import Board
from racing_demon_protocol.engine.cards import UNKNOWN
from racing_demon_protocol.engine.specification import Building, Game, Goal, Racing
from racing_demon_protocol.games import GAMES
from tests.support.cases import for_each
from tests.support.dealt_hands import Dealt, random_hands
from tests.support.invariants import status
from tests.support.oracles import ORACLES, every_play

HANDS = int(os.environ.get("RACING_DEMON_GAMES", "3"))
EVERY = 61 if HANDS < 10 else 23
"""Brute force looks at one position of so many: all plays of all piles are asked for one by one."""
CHECKED = 7 if HANDS < 10 else 25
"""The invariants are asked after so many plays, and in the end: what is broken once mostly stays so."""
OWN = {name: game for name, game in GAMES.items() if not isinstance(game.mechanic, Building)}


def _seats(game: Game) -> tuple[int, ...]:
    return (0, 1) if game.racing is Racing.TOGETHER else (0,)


def _hands(name: str, count: int) -> Iterator[tuple[Dealt, int]]:
    """Play hands at random, and yield each after every play, with the number of the play."""
    for dealt, rng in random_hands(OWN[name], count, seats=_seats(OWN[name])):
        yield dealt, 0
        for number, _ in enumerate(dealt.play_on(rng), 1):
            yield dealt, number


@for_each("name", OWN)
def test_all_cards_are_dealt_once(name: str) -> None:
    """Bases, deal and stock together are the packs of the game."""
    game = OWN[name]
    hidden = Dealt(game, seats=_seats(game)).dealer.open_board().cards
    cards = sorted(card for pile in hidden for card in pile)
    packs = game.packs * len(_seats(game))
    assert [card for card in range(52 * packs) if card % 13 + 1 in game.ranks] == cards


@for_each("name", OWN)
def test_a_declaration_says_what_people_want_to_know(name: str) -> None:
    """Source, text, skill and the ways to play are declared, and every doubt names an attribute there is."""
    game = OWN[name]
    assert game.source.startswith(("Cheney ", "Travellers"))
    assert game.text.endswith(".")
    assert 0 <= game.skill <= 3
    assert game.goal is Goal.OWN_RULE
    for doubt in game.doubts:
        owner, _, attribute = doubt.field.partition(".")
        groups = {group.name: group for group in game.groups}
        thing = groups.get(owner) or getattr(game, owner)
        assert not attribute or hasattr(thing, attribute), doubt.field


@for_each("name", OWN)
def test_random_hands_end_sound(name: str) -> None:
    """Random hands keep every invariant, end won or without a play, and another fold of them is equal."""
    played = 0
    for dealt, rng in random_hands(OWN[name], HANDS, seats=_seats(OWN[name])):
        for number, _ in enumerate(dealt.play_on(rng)):
            played += 1
            if number % CHECKED == 0:
                assert status(dealt.rules, dealt.board) == []
                assert status(dealt.rules, dealt.dealer.open_board()) == []
        assert dealt.is_over()
        assert dealt.replay() == dealt.board
        assert status(dealt.rules, dealt.board) == []
        assert status(dealt.rules, dealt.dealer.open_board()) == []
    sys.stdout.write(f"{name}: {HANDS} hands, {played} plays\n")


@for_each("name", OWN)
def test_the_public_board_is_the_open_one_with_backs(name: str) -> None:
    """Where a card is known to everybody it is the right one, and piles are as high for all."""
    for dealt, number in _hands(name, 1):
        if number % 20 == 0:
            for public, hidden in zip(dealt.board.cards, dealt.dealer.open_board().cards, strict=True):
                assert len(public) == len(hidden)
                assert all(card in {UNKNOWN, other} for card, other in zip(public, hidden, strict=True))


@for_each("name", OWN)
def test_nothing_follows_a_settled_board(name: str) -> None:
    """What is legal, and what follows by itself, is read from a board alone: from one built anew, too."""
    for dealt, number in _hands(name, 1):
        if number % 10 == 0:
            board = Board(dealt.board.piles, dealt.board.cards)
            board.redeals, board.came = dict(dealt.board.redeals), dict(dealt.board.came)
            for seat in dealt.seats:
                assert dealt.rules.automatic_play(board, seat) is None
                plays = list(dealt.rules.legal_plays(board, seat))
                assert plays == list(dealt.rules.legal_plays(dealt.board, seat))


@pytest.mark.long
@for_each("name", ORACLES)
def test_legal_plays_are_those_of_brute_force(name: str) -> None:
    """Of all plays from any pile to any pile those are legal that the words of the source allow."""
    oracle, looked_at = ORACLES[name], 0
    for dealt, number in _hands(name, min(max(1, HANDS // 3), 20)):
        if number % EVERY == 0 or number == 1:
            legal = list(dealt.rules.legal_plays(dealt.board, 0))
            assert len(legal) == len(set(legal))
            assert {play for play in every_play(dealt) if oracle(dealt, play)} == set(legal)
            looked_at += len(legal)
    assert looked_at


@for_each("name", OWN)
def test_what_is_not_legal_is_refused(name: str) -> None:
    """Verification and generation agree: a play is refused just when it is not among the legal ones."""
    for dealt, number in _hands(name, 1):
        if number in {1, 11}:
            legal = set(dealt.rules.legal_plays(dealt.board, 0))
            thought_of = list(every_play(dealt))
            for play in [*thought_of[:: max(1, len(thought_of) // 200)], *legal]:
                assert (play in legal) is dealt.rules.can_play(dealt.board, 0, play)


@for_each("name", [name for name, game in OWN.items() if game.racing not in {Racing.TOGETHER, Racing.SOLO}])
def test_players_of_one_hand_do_not_touch_each_other(name: str) -> None:
    """On identical deals the same plays lead two seats to the same cards, whoever comes first."""
    seats = (2, 5)
    both = Dealt(OWN[name], seats=seats)
    alone = Dealt(OWN[name], seats=(0,))
    for _ in range(12):
        if alone.is_over():
            break
        play = next(iter(alone.rules.legal_plays(alone.board, 0)))
        alone.play(play)
        for seat in seats:
            both.play(next(iter(both.rules.legal_plays(both.board, seat))), seat)
    faces = [
        tuple(card if card == UNKNOWN else card % (52 * OWN[name].packs) for card in pile)
        for pile in both.board.cards
    ]
    shared = sum(pile.seat is None for pile in both.board.piles)
    half = (len(faces) - shared) // 2
    assert faces[shared:][:half] == alone.board.cards == faces[shared:][half:]


@pytest.mark.long
@for_each("name", [name for name, game in OWN.items() if game.racing is not Racing.SOLO])
def test_hands_of_several_seats_end_sound(name: str) -> None:
    """The same holds of a table where several play, each alone, or two together."""
    seats = (3, 5) if OWN[name].racing is Racing.TOGETHER else (1, 4, 6)
    for dealt, rng in random_hands(OWN[name], max(1, HANDS // 10), seats=seats):
        for number, _ in enumerate(dealt.play_on(rng)):
            if number % 60 == 0:
                assert status(dealt.rules, dealt.board) == []
        assert dealt.is_over()
        assert status(dealt.rules, dealt.dealer.open_board()) == []
        assert dealt.replay() == dealt.board


@for_each("name", OWN)
def test_the_key_for_the_stock_makes_a_legal_play(name: str) -> None:
    """It deals, makes the stock up anew, or is the only play there is; else there is none."""
    for dealt, number in _hands(name, 1):
        if number % 5 == 0:
            for seat in dealt.seats:
                plays = list(dealt.rules.legal_plays(dealt.board, seat))
                turn = dealt.rules.stock_play(dealt.board, seat)
                assert turn is None or turn in plays
                assert turn is not None or len(plays) != 1
