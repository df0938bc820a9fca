from dataclasses import FrozenInstanceError, replace

import pytest

from racing_demon_protocol.engine.specification import (
    Build,
    Foundations,
    Game,
    Goal,
    Owner,
    Scoring,
    Stock,
    SuitRule,
    Tableau,
    TailRule,
    TakeBack,
    Unit,
    Waste,
)


def test_defaults_of_foundations_are_those_of_a_race() -> None:
    """Undeclared otherwise, foundations are everybody's, build from the ace in suit, and are final."""
    group = Foundations()
    assert (
        group.owner,
        group.count,
        group.base,
        group.step,
        group.suit,
        group.wrap,
        group.length,
        group.take_back,
        group.forced_bases,
    ) == (Owner.TABLE, 4, 1, 1, SuitRule.SAME, False, 13, TakeBack.NEVER, False)


def test_defaults_of_a_stock_are_those_of_the_seed() -> None:
    """Undeclared otherwise, three cards are turned, without limit, and only the last is available."""
    assert (Stock().turn, Stock().redeals, Stock().tail_rule, Waste().view) == (3, None, TailRule.TOP, 1)


def test_defaults_of_columns() -> None:
    """Undeclared otherwise, columns build down in alternate colors, and any tail of a run moves."""
    group = Tableau(shape=(1,))
    assert ((Build(delta=-1, suit=SuitRule.ALTERNATE),), False, Unit.TAIL) == (
        group.build,
        group.wrap,
        group.unit,
    )


def test_defaults_of_a_game() -> None:
    """Undeclared otherwise, a pack on the foundations wins, each card counts one, and going out ten."""
    game = Game(name="bare", title="Bare", source="", groups=())
    assert (Goal.ALL_ON_FOUNDATIONS, Scoring(foundation_card=1, reserve_card=0, out_bonus=10)) == (
        game.goal,
        game.scoring,
    )


def test_a_declaration_does_not_change() -> None:
    """Groups are frozen: a game in play keeps its rules."""
    with pytest.raises(FrozenInstanceError):
        Stock().turn = 1  # type: ignore[misc]


def test_equal_declarations_are_equal() -> None:
    """Declarations are values: the same words make the same game."""
    assert Stock(turn=3) == replace(Stock(turn=1), turn=3)
