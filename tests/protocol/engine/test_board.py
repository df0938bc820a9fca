from collections.abc import Sequence

import pytest

from racing_demon_protocol.engine.board import Board, Kind, Pile, Play, Shows
from racing_demon_protocol.engine.cards import UNKNOWN
from racing_demon_protocol.errors import InconsistentEvent
from tests.support.boards import cards
from tests.support.cases import for_each
from tests.support.moves import Move, follow

STOCK, WASTE, LEFT, RIGHT, GOAL = range(5)


def _piles(*, view: int = 1) -> list[Pile]:
    return [
        Pile(STOCK, Kind.STOCK, "stock", 3, 0, Shows.NONE),
        Pile(WASTE, Kind.WASTE, "waste", 3, 0, Shows.TOP, view),
        Pile(LEFT, Kind.TABLEAU, "tableau", 3, 0, Shows.LAST),
        Pile(RIGHT, Kind.TABLEAU, "tableau", 3, 1, Shows.LAST),
        Pile(GOAL, Kind.FOUNDATION, "foundation", None, 0, Shows.ALL),
    ]


def _board(piles: Sequence[Pile] | None = None, **held: str) -> Board:
    """Return a board with these cards, "--" for unknown ones."""
    names = ("stock", "waste", "left", "right", "goal")
    texts = [held.get(name, "").split() for name in names]
    known = [[UNKNOWN if word == "--" else cards(word)[0] for word in words] for words in texts]
    return Board(_piles() if piles is None else piles, known)


def test_a_new_board_is_empty() -> None:
    """A board without cards has an empty pile for each one of its geometry."""
    assert Board(_piles()).cards == [()] * 5


def test_cards_must_match_the_piles() -> None:
    """Cards for more or fewer piles than the board has are refused."""
    with pytest.raises(InconsistentEvent):
        Board(_piles(), [[], []])


def test_top_of_a_pile() -> None:
    """The top is the last card, unknown if face down, and none where the pile is empty."""
    board = _board(stock="-- --", left="-- 5H")
    assert [UNKNOWN, None, cards("5H")[0]] == [board.top(pile) for pile in (STOCK, WASTE, LEFT)]


def test_a_copy_is_equal_and_on_its_own() -> None:
    """A copy equals its board until one of them changes."""
    board = _board(stock="--", left="5H")
    copy = board.copy()
    same = copy == board
    follow(copy, Move(LEFT, 1, RIGHT))
    assert (True, False, cards("5H")) == (same, copy == board, board.cards[LEFT])


def test_redeals_are_part_of_a_board() -> None:
    """Boards that differ in the passes through the stock are not equal."""
    board, other = _board(), _board()
    other.redeals = {3: 1}
    assert board != other


def test_a_board_equals_nothing_else() -> None:
    """A board is not equal to things of other kinds."""
    assert Board([]) != []


def test_cards_keep_their_order_between_columns() -> None:
    """Cards that move together keep their order."""
    board = _board(left="-- 5H 4S 3D", right="6C")
    follow(board, Move(LEFT, 2, RIGHT))
    assert [(UNKNOWN, *cards("5H")), cards("6C 4S 3D")] == board.cards[LEFT : RIGHT + 1]


def test_an_uncovered_card_is_named_by_the_event() -> None:
    """The card that becomes the last of its column is the one that the event shows."""
    board = _board(left="-- -- 5H", right="6C")
    follow(board, Move(LEFT, 1, RIGHT, tuple(cards("9D"))))
    assert (UNKNOWN, *cards("9D")) == board.cards[LEFT]


@for_each("shown", ["", "9D 8D"])
def test_an_event_names_just_the_cards_that_it_turns_up(shown: str) -> None:
    """An event that names fewer or more cards than it turns up is refused."""
    with pytest.raises(InconsistentEvent):
        follow(_board(left="-- 5H", right="6C"), Move(LEFT, 1, RIGHT, tuple(cards(shown))))


def test_nothing_is_turned_up_twice() -> None:
    """A card that lies face up already is not named again."""
    board = _board(left="6S 5H", right="6C")
    assert board.move(Play(LEFT, 1, RIGHT)) == []


def test_turning_reverses_the_packet() -> None:
    """Turned cards come to lie with the first below: the last turned is on top and is named."""
    board = _board(stock="-- -- -- --")
    assert board.move(Play(STOCK, 3, WASTE)) == [(WASTE, 2)]


def test_the_order_survives_turning_there_and_back() -> None:
    """A stock that was turned card by card, or by threes, is in its old order after the redeal."""
    open_piles = [pile.opened() for pile in _piles()]
    by_threes = Board(open_piles, [cards("AS 2S 3S 4S"), [], [], [], []])
    one_by_one = by_threes.copy()
    for count in (3, 1):
        by_threes.move(Play(STOCK, count, WASTE))
    for _ in range(4):
        one_by_one.move(Play(STOCK, 1, WASTE))
    assert cards("4S 3S 2S AS") == by_threes.cards[WASTE] == one_by_one.cards[WASTE]
    by_threes.move(Play(WASTE, 4, STOCK))
    assert cards("AS 2S 3S 4S") == by_threes.cards[STOCK]


def test_a_covered_waste_card_is_forgotten() -> None:
    """Of a squared waste only the top is known; what it covers is not to be looked up."""
    board = _board(stock="-- --", waste="5H")
    follow(board, Move(STOCK, 2, WASTE, tuple(cards("7D"))))
    assert (UNKNOWN, UNKNOWN, *cards("7D")) == board.cards[WASTE]


def test_a_fanned_waste_shows_so_many_cards() -> None:
    """With a view of three, the turned cards are named bottom first, and older ones forgotten."""
    board = _board(_piles(view=3), stock="-- -- --", waste="5H")
    follow(board, Move(STOCK, 2, WASTE, tuple(cards("7D 8D"))))
    after_two = board.cards[WASTE]
    follow(board, Move(STOCK, 1, WASTE, tuple(cards("9D"))))
    assert (cards("5H 7D 8D"), (UNKNOWN, *cards("7D 8D 9D"))) == (after_two, board.cards[WASTE])


def test_the_card_under_a_played_waste_top_is_named() -> None:
    """Taking the top of the waste turns up the card below it."""
    board = _board(waste="-- 5H", right="6C")
    follow(board, Move(WASTE, 1, RIGHT, tuple(cards("JD"))))
    assert cards("JD") == board.cards[WASTE]


def test_the_source_is_named_before_the_destination() -> None:
    """Where a move turns up cards of both piles, those of the source come first."""
    board = _board(left="-- --")
    assert board.move(Play(LEFT, 1, RIGHT)) == [(LEFT, 0), (RIGHT, 0)]


def test_turning_the_waste_over_hides_it_and_counts() -> None:
    """A redeal makes all cards unknown, and is counted for the seat."""
    board = _board(waste="-- -- 5H")
    follow(board, Move(WASTE, 3, STOCK))
    assert (board.cards[STOCK], board.cards[WASTE], board.redeals) == ((UNKNOWN,) * 3, (), {3: 1})


def test_a_negative_count_takes_from_the_bottom() -> None:
    """The game's own moves may take cards from the bottom of the stock, without turning it."""
    open_piles = [pile.opened() for pile in _piles()]
    board = Board(open_piles, [cards("AS 2S 3S"), [], [], [], []])
    board.move(Play(STOCK, -2, LEFT))
    assert (cards("3S"), cards("AS 2S")) == (board.cards[STOCK], board.cards[LEFT])


@for_each(
    "play",
    [Play(LEFT, 0, RIGHT), Play(LEFT, 3, RIGHT), Play(LEFT, -3, RIGHT), Play(RIGHT, 1, LEFT)],
    ids=repr,
)
def test_a_pile_gives_no_more_than_it_holds(play: Play) -> None:
    """A move of no card, or of more than lie there, is refused."""
    with pytest.raises(InconsistentEvent, match="holds"):
        _board(left="6S 5H").move(play)


@for_each("play", [Play(5, 1, 0), Play(0, 1, 5), Play(-1, 1, 0), Play(LEFT, 1, -1)], ids=repr)
def test_a_board_knows_only_its_own_piles(play: Play) -> None:
    """A move to or from a pile that does not exist is refused."""
    with pytest.raises(InconsistentEvent, match="no piles"):
        _board(left="6S 5H").move(play)


def test_rotating_shifts_the_stock_by_one() -> None:
    """The stall rule turns the waste over and puts the stock's top card at its bottom."""
    open_piles = [pile.opened() for pile in _piles()]
    board = Board(open_piles, [cards("3S 4S"), cards("AS 2S"), [], [], []])
    board.rotate()
    assert [cards("AS 3S 4S 2S"), ()] == board.cards[:2]


def test_rotating_shows_nothing() -> None:
    """After a rotation the whole stock is unknown, and no redeal is counted."""
    board = _board(stock="--", waste="-- 5H")
    assert board.rotate() == []
    assert (board.cards[STOCK], board.redeals) == ((UNKNOWN,) * 3, {})


def test_rotating_nothing_is_harmless() -> None:
    """A seat without stock and waste keeps none."""
    board = _board(left="5H")
    board.rotate()
    assert _board(left="5H") == board


@for_each(
    ("play", "progress"),
    [
        (Play(STOCK, 1, WASTE), False),
        (Play(WASTE, 1, STOCK), False),
        (Play(WASTE, 1, LEFT), True),
        (Play(WASTE, 1, GOAL), True),
        (Play(LEFT, 1, GOAL), True),
        (Play(GOAL, 1, LEFT), False),
        (Play(LEFT, 1, RIGHT), False),
        (Play(LEFT, 2, RIGHT), True),
        (Play(RIGHT, 1, LEFT), True),
        (Play(STOCK, -1, LEFT), True),
    ],
    ids=repr,
)
def test_what_counts_as_progress(play: Play, progress: bool) -> None:
    """Progress is a play to the foundations, from waste or stock, or one that uncovers or frees a space."""
    board = _board(stock="--", waste="5D", left="-- 6S 5H", right="6C", goal="AS 2S")
    assert progress == board.is_progress(play)


def test_moving_a_whole_column_to_a_space_is_no_progress() -> None:
    """A column that changes places with a space has gained nothing."""
    assert not _board(left="KS QH").is_progress(Play(LEFT, 2, RIGHT))
