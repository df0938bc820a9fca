"""``protocol/games.json``, held against the dealer: what it says is enough to deal every game."""

import re
from pathlib import Path
from typing import Any

import pytest

from racing_demon_protocol.engine.board import Kind, Play
from racing_demon_protocol.engine.dealer import Dealer
from racing_demon_protocol.engine.factory import make_rules
from racing_demon_protocol.engine.rules.base import Rules
from racing_demon_protocol.engine.specification import Building
from racing_demon_protocol.errors import InvalidGame
from racing_demon_protocol.games import GAMES, declare
from racing_demon_protocol.wire.options import Options
from tests.support import independent_dealer as independent
from tests.support.cases import for_each
from tests.support.effort import amount, more_when_long
from tests.support.typical import of_games

SEEDS = [bytes([number]) * 32 for number in range(amount(1, 3))]
TURNS = 80
OTHER_WISE: tuple[dict[str, Any], ...] = (
    {},
    {"columns": 4},
    {"columns": 6},
    {"columns": 9},
    {"columns_by_players": True},
    {"reserve": 1},
    {"reserve": 9},
    {"reserve": 20, "columns": 5},
    {"waste_view": 3},
    {"reserve_up": True},
)
"""What a host may change of the piles and the deal."""

TRIED: dict[str, tuple[Any, ...]] = {
    "turn": (1, 2),
    "redeals": (1, 2),
    "shuffle": (False, True),
    "tail_rule": ("top", "either2"),
    "waste_view": (1, 2),
    "take_back": ("never", "free"),
    "forced_bases": (True, False),
    "columns": (3, 4, 5),
    "reserve": (1, 2),
    "stock_shift": ("any_time", "once_a_pass"),
}


def _rules(game: str, seats: int, options: dict[str, Any]) -> Rules | None:
    """Return the rules of a hand; ``None`` where the game does not have such options."""
    try:
        return make_rules(declare(Options(game=game, **options), seats), range(seats))
    except InvalidGame:
        return None


def _parties(game: str) -> list[int]:
    least, most = independent.GAMES[game]["seats"]
    return [seats for seats in (1, 2, 3, 5, 8) if least <= seats <= most]


@more_when_long
@of_games(GAMES)
def test_anybody_can_deal_a_hand_again(game: str) -> None:
    """With games.json alone a hand of every game is dealt as its dealer does, for any seats and options."""
    hands = [
        (seats, options, rules)
        for seats in _parties(game)
        for options in OTHER_WISE
        if (rules := _rules(game, seats, options)) is not None
    ]
    for seats, options, rules in hands:
        for seed in SEEDS:
            dealer = Dealer(seed, rules)
            cards = independent.deal(seed, game, seats, options)
            assert [list(pile) for pile in dealer.open_board().cards] == cards, (seats, options)
            assert list(dealer.first_cards()) == independent.shown(game, seats, options, cards)


@for_each(
    ("game", "options"),
    [
        pytest.param(game.name, options, id=f"{game.name}-{'changed' if options else 'usual'}")
        for game in GAMES.values()
        for options in ({}, {"turn": 1, "redeals": 1})
        if isinstance(game.mechanic, Building) and _rules(game.name, 1, options) is not None
    ],
)
def test_anybody_can_turn_the_stock(game: str, options: dict[str, Any]) -> None:
    """With games.json alone the stock is turned, dealt from and made up anew as the rules have it."""
    rules = _rules(game, 1, options)
    assert rules is not None
    dealer, board = Dealer(SEEDS[0], rules), rules.deal()
    board.reveal(rules.layout.face_up_refs, dealer.first_cards())
    for _ in range(TURNS):
        while (follow_up := rules.automatic_play(board, 0)) is not None:
            rules.carry_out(board, follow_up, dealer.move)
        turn = independent.turn(game, board.cards, board.redeals.get(0, 0), options)
        expected = rules.stock_play(board, 0)
        if turn is None:  # a card may have to be put aside first, or a rule of the game's own says more
            assert expected is None or rules.game.specials or board.piles[expected.source].kind is Kind.WASTE
            break
        if rules.can_play(board, 0, Play(*turn)):
            assert Play(*turn) == expected
        assert expected is not None
        assert rules.game.specials or Play(*turn) == expected
        rules.carry_out(board, expected, dealer.move)


def test_all_games_are_told() -> None:
    """The games of games.json are those that there are, for as many seats as may play them."""
    told = {name: (game["title"], tuple(game["seats"])) for name, game in independent.GAMES.items()}
    assert {g.name: (g.title, (g.min_seats, g.max_seats)) for g in GAMES.values()} == told


def test_the_options_told_are_those_that_a_game_takes() -> None:
    """A game's options in games.json are those that a host can change to something else."""
    for game, told in independent.GAMES.items():
        seats = told["seats"][0]
        taken = {
            name
            for name, values in TRIED.items()
            if any(
                _rules(game, seats, {name: value}) for value in values if value != told["options"].get(name)
            )
        }
        assert told["options"].keys() == taken, game


def test_the_independent_dealer_is_independent() -> None:
    """The dealer of these tests imports nothing of the project."""
    source = Path(independent.__file__).read_text(encoding="utf-8")
    imported = re.findall(r"^(?:from|import) (\S+)", source, re.MULTILINE)
    assert {"hashlib", "json", "collections.abc", "pathlib", "typing"} == set(imported)
