"""The rules of the other games, and what the options change in play."""

import pytest

from racing_demon_protocol.engine.board import FOUNDATIONS, Kind, Play
from racing_demon_protocol.engine.cards import UNKNOWN, parse
from racing_demon_protocol.engine.rules.base import Rules
from racing_demon_protocol.engine.specification import Tableau
from racing_demon_protocol.errors import IllegalPlay
from tests.support.boards import Position, build, cards, rules_of
from tests.support.cases import for_each
from tests.support.moves import Move

FULL_ROW = ("KS", "KC", "JS", "JC")


def _columns(rules: Rules) -> tuple[int, ...]:
    return rules.layout.seat_piles(0, Kind.TABLEAU)


def _reserve(rules: Rules) -> int:
    return rules.layout.seat_piles(0, Kind.RESERVE)[0]


# Spaces that the game fills by itself.


def test_fooliana_prefers_the_reserve() -> None:
    """While the heap lasts, its top fills a space."""
    rules = rules_of("fooliana")
    position = build(rules, foundation=("5D",), reserve="Kh 3S", stock="7s 8s", tableau=("5C", *FULL_ROW[1:]))
    moves = position.play(0, Play(_columns(rules)[0], 1, FOUNDATIONS))
    assert Move(_reserve(rules), 1, _columns(rules)[0], (parse("KH"),)) == moves[1]


def test_fooliana_may_fill_a_space_from_the_bottom_of_the_stock() -> None:
    """When the heap is gone, a space waits for the stock's bottom card, and takes it, face up (D5)."""
    rules = rules_of("fooliana")
    position = build(rules, foundation=("5D",), stock="7s 8s 9s", tableau=("5C", *FULL_ROW[1:]))
    stock, space = rules.layout.stock[0], _columns(rules)[0]
    assert len(position.play(0, Play(space, 1, FOUNDATIONS))) == 1
    assert Play(stock, 1, space, 2) in position.plays()
    assert [Move(stock, 1, space, (parse("7S"),), 2)] == position.play(0, Play(stock, 1, space))
    assert cards("8S 9S") == position.hidden.cards[stock]


def test_a_space_of_fooliana_takes_nothing_else_while_there_is_a_stock() -> None:
    """Neither the top of the waste, nor the stock's bottom card while the heap lasts, comes there (D5)."""
    rules = rules_of("fooliana")
    waste, stock, space = rules.layout.waste[0], rules.layout.stock[0], _columns(rules)[0]
    position = build(rules, foundation=("5D",), stock="7s 8s", waste="4S", tableau=("", *FULL_ROW[1:]))
    with pytest.raises(IllegalPlay, match="bottom card of the stock"):
        position.play(0, Play(waste, 1, space))
    heaped = build(rules, foundation=("5D",), stock="7s", reserve="9S", tableau=("5C", *FULL_ROW[1:]))
    with pytest.raises(IllegalPlay):
        heaped.play(0, Play(stock, 1, space))


def test_the_last_reserve_card_goes_to_the_foundations_and_no_space_is_filled() -> None:
    """In Demon A and Demon B spaces stay empty once the heap is gone (D5)."""
    rules = rules_of("demon-b")
    position = build(rules, foundation=("5D",), stock="7s 8s 9s", tableau=("5C", *FULL_ROW[1:]))
    assert len(position.play(0, Play(_columns(rules)[0], 1, FOUNDATIONS))) == 1


def test_any_available_card_fills_a_space_after_the_heap() -> None:
    """Once the heap is gone a space takes the top of the waste, or cards of a column (D5)."""
    rules = rules_of("demon-b")
    position = build(rules, foundation=("5D",), waste="2S", tableau=("", "QD JS", "9C", "JC"))
    space = _columns(rules)[0]
    sources = [(play.source, play.count) for play in position.plays() if play.destination == space]
    _, second, third, fourth = _columns(rules)
    assert [(rules.layout.waste[0], 1), (second, 1), (second, 2), (third, 1), (fourth, 1)] == sources


def test_a_redeal_brings_a_card_for_a_space() -> None:
    """In Fooliana a space may wait until the waste is turned over: then what lay on top is at the bottom."""
    rules = rules_of("fooliana")
    position = build(rules, foundation=("5D",), waste="2s 3s 4S", tableau=("", *FULL_ROW[1:]))
    stock, space = rules.layout.stock[0], _columns(rules)[0]
    position.play(0, Play(rules.layout.waste[0], 3, stock))
    assert position.board.cards[space] == ()
    position.play(0, Play(stock, 1, space))
    assert cards("4S") == position.board.cards[space]


# The reserve.


def test_the_reserve_plays_to_foundations_and_columns() -> None:
    """The top of an open heap is always available, and the next one is then shown."""
    rules = rules_of("demon-b")
    position = build(rules, foundation=("5D",), reserve="2c 3c QH", tableau=FULL_ROW)
    moves = position.play(0, Play(_reserve(rules), 1, _columns(rules)[0]))
    assert [(parse("3C"),)] == [move.shown for move in moves]


def test_a_hidden_reserve_only_fills() -> None:
    """The heap of Demon A may not be played from (D1)."""
    rules = rules_of("demon-a")
    position = build(rules, foundation=("5D",), reserve="QH", tableau=FULL_ROW)
    with pytest.raises(IllegalPlay, match="only fills spaces"):
        position.play(0, Play(_reserve(rules), 1, _columns(rules)[0]))
    assert position.plays() == []


def test_nothing_goes_to_the_reserve() -> None:
    """No card is played to the heap."""
    rules = rules_of("classic")
    position = build(rules, reserve="QH", tableau=("JS",))
    with pytest.raises(IllegalPlay, match="Nothing is played to the reserve"):
        position.play(0, Play(_columns(rules)[0], 1, _reserve(rules)))


def test_only_the_top_of_the_reserve_is_available() -> None:
    """Cards leave the heap one by one."""
    rules = rules_of("classic")
    position = build(rules, reserve="QH JS", tableau=("KS",))
    with pytest.raises(IllegalPlay, match="Only the top card"):
        position.play(0, Play(_reserve(rules), 2, _columns(rules)[0]))


# What moves.


@for_each(("game", "counts"), [("demon-b", [1, 3]), ("fooliana", [1, 2, 3])])
def test_units(game: str, counts: list[int]) -> None:
    """In Demon one card or the whole column moves, in Fooliana any tail."""
    rules = rules_of(game)
    position = build(rules, tableau=("9H 8S 7H",))
    column = rules.layout.groups[_columns(rules)[0]]
    assert isinstance(column, Tableau)
    assert counts == list(rules.movable_counts(column, position.board.cards[_columns(rules)[0]]))


def test_a_part_of_a_column_stays_in_demon() -> None:
    """Two cards of a column of three do not move together in Demon."""
    rules = rules_of("demon-b")
    position = build(rules, foundation=("5D",), tableau=("9H 8S 7H", "9D", "JS", "JC"))
    first, second, *_ = _columns(rules)
    with pytest.raises(IllegalPlay, match="whole column, or card by card"):
        position.play(0, Play(first, 2, second))


@for_each(("game", "fits"), [("demon-b", True), ("fooliana", True), ("classic", False)])
def test_ranks_go_round_in_the_columns_of_demons(game: str, fits: bool) -> None:
    """A king goes on an ace where the ranks go round (D2)."""
    rules = rules_of(game)
    first, second, *_ = _columns(rules)
    position = build(rules, foundation=("5D",), tableau=("AS", "KH", "7S", "7C"))
    assert fits == rules.can_play(position.board, 0, Play(second, 1, first))


# The classic game.


def test_any_card_fills_a_space_of_the_classic_game() -> None:
    """In the classic game a space takes any available card or run."""
    rules = rules_of("classic")
    position = build(rules, reserve="2S", waste="9D", tableau=("", "QH JS"))
    first, second, *_ = _columns(rules)
    plays = [Play(_reserve(rules), 1, first), Play(rules.layout.waste[0], 1, first), Play(second, 2, first)]
    assert all(rules.can_play(position.board, 0, play) for play in plays)


def test_out_in_the_classic_game_is_an_empty_reserve() -> None:
    """Whoever has emptied the heap is out, whatever else is left."""
    rules = rules_of("classic")
    assert rules.is_out(build(rules, tableau=("KS",), stock="2s").board, 0)


def test_points_of_the_classic_game() -> None:
    """Catalogue 1.9: a point a card, less two for each card left in the heap, ten for going out."""
    rules = rules_of("classic", 2)
    position = build(rules, seat=1, reserve="QH 2H 3H", foundation=("AH/1 2H/0", "AS/0"))
    assert rules.points(position.board, out=0) == {0: 12, 1: -5}


# Options.


def test_turning_one_by_one() -> None:
    """With ``turn`` one, single cards are turned."""
    rules = rules_of(turn=1)
    assert ([Play(4, 1, 5)], 1) == (build(rules, stock="2s 3s").plays(), rules.turn_size)


def test_redeals_come_to_an_end() -> None:
    """With one redeal the waste is turned over once, and then no more."""
    position = build(rules_of(redeals=1), waste="2S")
    position.play(0, Play(5, 1, 4))
    position.play(0, Play(4, 1, 5))
    assert position.plays() == []
    with pytest.raises(IllegalPlay, match="nothing left to turn"):
        position.play(0, Play(5, 1, 4))


@for_each(("stock", "counts"), [("2s", [1]), ("2s 3s", [1, 2]), ("2s 3s 4s", [3]), ("2s 3s 4s 5s 6s", [3])])
def test_either_of_two(stock: str, counts: list[int]) -> None:
    """With ``either2``, and only with two cards left, one of them may be turned alone (D6)."""
    position = build(rules_of(tail_rule="either2"), stock=stock)
    assert counts == sorted(play.count for play in position.plays())


def test_two_left_are_a_full_turn_by_twos() -> None:
    """Turning two by two, the last two are no tail: both are turned."""
    position = build(rules_of(tail_rule="either2", turn=2), stock="2s 3s")
    assert [play.count for play in position.plays()] == [2]


def test_a_wider_view_of_the_waste() -> None:
    """With ``waste_view`` three the turned cards are all shown; only the top is available."""
    position = build(rules_of(waste_view=3), stock="5d 4d 3d 2d", tableau=("3S", "4S"))
    moves = position.play(0, Play(4, 3, 5))
    assert [tuple(cards("2D 3D 4D"))] == [move.shown for move in moves]
    assert [Play(4, 1, 5)] == position.plays()


def test_taking_back_alone() -> None:
    """With ``take_back`` free, the top of a foundation may go back to a column of a table of one (A9)."""
    position = build(rules_of(take_back="free"), foundation=("AH 2H",), tableau=("3S",))
    assert [Play(0, 1, 6)] == position.plays()


def test_an_ace_does_not_wander_from_one_foundation_to_another() -> None:
    """Taking back is to the table: a lone ace that could begin another foundation stays."""
    rules = rules_of(take_back="free")
    position = build(rules, foundation=("AH",), tableau=("3S", "4C"))
    assert [play for play in position.plays() if play.source == 0] == []
    for destination in (1, FOUNDATIONS):
        with pytest.raises(IllegalPlay):
            position.play(0, Play(0, 1, destination))


def test_nothing_is_taken_back_from_a_shared_foundation() -> None:
    """Nobody takes cards from foundations that others build on, whatever the option says."""
    rules = rules_of(players=2, take_back="free")
    position = build(rules, foundation=("AH 2H",), tableau=("3S",))
    assert position.plays(0) == []


def test_nothing_is_taken_back_from_foundations_of_others() -> None:
    """In solitaire side by side, another player's foundations are no source of plays."""
    rules = rules_of("demon-b", 2, take_back="free")
    position = build(rules, foundation=("5D", "", "", "", "5D/1 6D/1"), tableau=("7S", "7C", "9S", "9C"))
    assert [play for play in position.plays(0) if rules.layout.piles[play.source].seat == 1] == []


def _forced(take_back: str = "never") -> Position:
    rules = rules_of(forced_bases=True, take_back=take_back)
    return build(rules, stock="9s", tableau=("6C", "5H", "AS"))


def test_an_ace_at_hand_is_forced() -> None:
    """With ``forced_bases``, an available ace is the only legal play (A1)."""
    position = _forced()
    assert [Play(8, 1, 0)] == position.plays()
    with pytest.raises(IllegalPlay, match="must be played first"):
        position.play(0, Play(7, 1, 6))


def test_a_forced_ace_may_choose_its_place() -> None:
    """A forced ace may go to any empty foundation."""
    position = _forced()
    assert position.rules.can_play(position.board, 0, Play(8, 1, 3))


@for_each("take_back", ["never", "free"])
def test_the_hand_goes_on_after_a_forced_ace(take_back: str) -> None:
    """An ace that lies on a foundation forces nothing more, though it might be taken back."""
    position = _forced(take_back)
    position.play(0, Play(8, 1, 0))
    assert position.rules.can_play(position.board, 0, Play(7, 1, 6))


def test_points_of_a_changed_bonus() -> None:
    """``out_bonus`` and ``reserve_card`` count as the table wants it."""
    rules = rules_of("classic", out_bonus=20, reserve_card=-1)
    position = build(rules, reserve="QH JH", foundation=("AH",))
    assert (rules.points(position.board, out=0), rules.points(position.board)) == ({0: 19}, {0: -1})


def test_unknown_cards_are_never_offered() -> None:
    """A face-down card is neither played nor built on, even where it lies on top by mistake."""
    position = build(rules_of(), tableau=("QH",))
    position.board.cards[7] = (UNKNOWN,)
    assert position.plays() == []
