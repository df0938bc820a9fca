"""Where foundations are drawn."""

import random

from hypothesis import given
from hypothesis import strategies as st

from racing_demon_client.terminal.drawing.foundations import FoundationSlots
from racing_demon_protocol.engine.board import Board
from racing_demon_protocol.engine.cards import suit
from tests.support.boards import cards, deal_seed, rules_of
from tests.support.effort import examples
from tests.support.playouts import play_on


def racing(players: int = 2) -> tuple[FoundationSlots, Board]:
    """Return the slots of a table of Racing Demon, and its empty board."""
    rules = rules_of(players=players)
    return FoundationSlots(rules, 0), Board(rules.layout.piles)


def test_a_row_for_each_suit() -> None:
    """Shared foundations that are built in suit have a row a suit, and a place a player in it."""
    slots, board = racing(3)
    assert (slots.by_suit, slots.base, slots.rows, slots.columns) == (True, False, 4, 3)
    assert slots.places(board) == {}


def test_an_ace_gets_the_next_place_of_its_row() -> None:
    """Whatever pile it lies on, its suit gives the row, and its time the place."""
    slots, board = racing()
    for pile, card in [(5, "AH"), (0, "AD"), (3, "AH/1")]:
        board.cards[pile] = cards(card)
        slots.places(board)
    assert slots.places(board) == {5: (1, 0), 0: (3, 0), 3: (1, 1)}


def test_own_foundations_lie_in_the_order_of_the_piles() -> None:
    """Where everybody builds alone, places are given from the start, and only the seat's own are there."""
    rules = rules_of("demon-b", 2)
    slots = FoundationSlots(rules, 1)
    assert (slots.by_suit, slots.base, slots.rows, slots.columns) == (False, True, 1, 4)
    own = [pile for pile in rules.layout.foundations if rules.layout.piles[pile].seat == 1]
    assert {pile: (0, place) for place, pile in enumerate(own)} == slots.places(Board(rules.layout.piles))


@examples(150)
@given(st.integers(1, 8), st.randoms(use_true_random=False))
def test_places_are_kept_while_other_aces_land(players: int, rng: random.Random) -> None:
    """In whatever order the aces of all packs land, a place once given stays, and no two share one."""
    slots, board = racing(players)
    aces = [52 * pack + 13 * number for pack in range(players) for number in range(4)]
    rng.shuffle(aces)
    before: dict[int, tuple[int, int]] = {}
    for pile, ace in enumerate(aces):
        board.cards[pile] = (ace,)
        after = dict(slots.places(board))
        assert before == {other: place for other, place in after.items() if other != pile}
        assert len(after) == len(set(after.values())) == pile + 1
        assert after[pile][0] == suit(ace)
        assert after[pile][1] < slots.columns
        before = after


@examples(25)
@given(st.integers(2, 8), st.integers(0, 999))
def test_places_are_kept_through_a_hand(players: int, number: int) -> None:
    """While a hand is played by its rules, no foundation moves, whenever one looks at it."""
    position = deal_seed(rules_of(players=players), bytes([number % 251]) * 32)
    slots = FoundationSlots(position.rules, 0)
    seen: dict[int, tuple[int, int]] = {}
    rng = random.Random(number)
    for _ in play_on(position, rng, 60):
        if rng.random() < 0.3:
            places = slots.places(position.board)
            assert seen.items() <= places.items()
            seen = dict(places)


def test_an_empty_foundation_gives_its_place_back() -> None:
    """A pile whose card was refused, or taken back, has no place; the next ace of the suit may have it."""
    slots, board = racing()
    board.cards[0] = cards("AS")
    slots.places(board)
    board.cards[0] = ()
    assert slots.places(board) == {}
    board.cards[4] = cards("AS/1")
    assert slots.places(board) == {4: (0, 0)}


def test_a_race_for_a_pile_puts_both_aces_into_their_rows() -> None:
    """The player's ace in the air had a pile, and another player's ace of another suit got the pile."""
    slots, board = racing()
    board.cards[0] = cards("AS")
    slots.places(board)
    board.cards[0], board.cards[1] = cards("AH/1"), cards("AS")
    assert slots.places(board) == {0: (1, 0), 1: (0, 0)}
