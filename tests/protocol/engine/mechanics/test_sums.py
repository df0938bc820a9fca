"""Fourteen, Number Eleven and Picture Gallery (Cheney 8, 16 and 48)."""

import random

from racing_demon_protocol.engine.board import Play
from racing_demon_protocol.engine.cards import name, parse, rank
from racing_demon_protocol.games import GAMES
from tests.support.cases import for_each
from tests.support.dealt_hands import Dealt, random_hands, stacked
from tests.support.inside import hidden_board

NO_PAIR = "2S 2H 2C 2D 3S 3H 3C 3D 4S 4H 4C 4D 5S 5H 5C 5D 2S 3S 4S 5S 6S 6H 6C 6D 2H"
"""Twenty-five places of which no two make fourteen."""


def _places(dealt: Dealt) -> tuple[int, ...]:
    return dealt.rules.layout.group_piles(0, "place")


def _put(dealt: Dealt, **places: str) -> None:
    """Lay these cards on the table, all others of the table and the stock out of the game."""
    out = dealt.rules.layout.group_piles(0, "out")[0]
    # This position is one that no play leads to.
    layout, boards = dealt.rules.layout, (dealt.board, hidden_board(dealt.dealer))
    lying = {int(key[1:]): parse(card) for key, card in places.items()}
    for board in boards:
        for pile in range(len(board.cards)):
            board.cards[pile] = ()
        for place, card in lying.items():
            board.cards[layout.group_piles(0, "place")[place]] = (card,)
        total = 52 * dealt.rules.game.packs
        board.cards[out] = tuple(card for card in range(total) if card not in lying.values())


def _plays(dealt: Dealt) -> set[tuple[int, int]]:
    numbers = {pile: number for number, pile in enumerate(_places(dealt))}
    return {
        (numbers[p.source], numbers.get(p.destination, -1)) for _, p in dealt.plays() if p.source in numbers
    }


def test_a_pair_leaves_and_its_places_are_filled_in_order() -> None:
    """Entry 8: two of a row that make fourteen leave; the next two cards of the stock take their places."""
    dealt = stacked(GAMES["fourteen"], "KS 2S AS", NO_PAIR[9:], "9C 9D")
    assert {(0, 2), (2, 0)} == _plays(dealt)
    dealt.play(Play(_places(dealt)[2], 1, _places(dealt)[0]))
    places = dealt.named("place")
    assert (name(places[0][0]), name(places[2][0])) == ("9♣", "9♦")
    assert dealt.rules.progress(dealt.board, 0) == 2


def test_fourteen_lies_in_a_row_or_a_column() -> None:
    """Not across: places 0 and 6 are in no line, 0 and 5 in a column."""
    dealt = Dealt(GAMES["fourteen"])
    _put(dealt, p0="KS", p6="AS", p5="AH")
    assert {(0, 5), (5, 0)} == _plays(dealt) - {(5, -1), (6, -1)}


def test_two_cards_may_change_places_once() -> None:
    """Where there is no pair, and the stock lasts; a second time there is no play at all."""
    dealt = stacked(GAMES["fourteen"], NO_PAIR)
    before = [name(cards[0]) for cards in dealt.named("place")]
    assert len(_plays(dealt)) == 25 * 24
    dealt.play(Play(_places(dealt)[3], 1, _places(dealt)[20]))
    after = [name(cards[0]) for cards in dealt.named("place")]
    assert (before[3], before[20]) == (after[20], after[3])
    assert before[4:20] == after[4:20]
    assert dealt.is_over()
    assert not dealt.rules.is_out(dealt.board, 0)


def test_lower_rows_fill_the_upper_ones() -> None:
    """Seven cards fill one row: those below it are taken up together, and lie in order afterwards."""
    dealt = Dealt(GAMES["fourteen"])
    _put(dealt, p0="2S", p2="2H", p6="2C", p12="3S", p18="3H", p21="4D", p24="4H")
    assert {(6, -1)} == _plays(dealt)
    dealt.play(dealt.plays()[0][1])
    lying = [number for number, cards in enumerate(dealt.named("place")) if cards]
    assert list(range(7)) == lying
    assert (name(dealt.named("place")[0][0]), name(dealt.named("place")[2][0])) == ("2♠", "2♥")
    moved = {name(dealt.named("place")[place][0]) for place in (1, 3, 4, 5, 6)}
    assert {"2♣", "3♠", "3♥", "4♦", "4♥"} == moved
    assert dealt.is_over()


def test_lower_rows_are_shuffled_alike_on_identical_deals() -> None:
    """Two seats that hold the same faces get the same order."""
    most = 0
    for number in range(6):
        dealt = Dealt(GAMES["fourteen"], bytes([number] * 32), (0, 4))
        while plays := [list(dealt.rules.legal_plays(dealt.board, seat)) for seat in dealt.seats]:
            if not plays[0] or dealt.rules.is_out(dealt.board, 0):
                break
            for seat, mine in zip(dealt.seats, plays, strict=True):
                dealt.play(mine[0], seat)
            one, other = (
                [[card % 104 for card in cards] for cards in dealt.named("place", s)] for s in (0, 4)
            )
            assert one == other
        most = max(most, *(dealt.board.redeals.get(seat, 0) for seat in dealt.seats))
    assert most


@for_each(
    ("places", "first"),
    [
        ({"p0": "KS", "p3": "QH", "p5": "JC"}, {(0, 3), (0, 5), (3, 5), (3, 0), (5, 0), (5, 3)}),
        ({"p0": "KS", "p7": "QS", "p10": "JS"}, {(0, 7), (0, 10), (7, 10), (7, 0), (10, 0), (10, 7)}),
        ({"p0": "KS", "p3": "QH", "p8": "JC"}, set()),
        ({"p0": "KS", "p3": "QS", "p5": "JC"}, {(0, 5), (3, 5), (5, 0), (5, 3)}),
    ],
    ids=["a row", "a suit", "neither", "a row, two of a suit"],
)
def test_three_court_cards_leave(places: dict[str, str], first: set[tuple[int, int]]) -> None:
    """Entry 16: king, queen and knave of one row, or of one suit, in two plays."""
    dealt = Dealt(GAMES["number-eleven"])
    _put(dealt, **places)
    assert first == _plays(dealt)
    if first:
        numbers = _places(dealt)
        dealt.play(Play(numbers[min(first)[0]], 1, numbers[min(first)[1]]))
        assert _plays(dealt)
        dealt.play(dealt.plays()[0][1])
        assert dealt.rules.is_out(dealt.board, 0)


def test_two_court_cards_wait_for_the_third() -> None:
    """While a trio is begun nothing else is played, and no place is filled."""
    dealt = stacked(GAMES["number-eleven"], "KS QH JC AS TS 2D 3D 4D 6D 9D 9C")
    numbers = _places(dealt)
    dealt.play(Play(numbers[0], 1, numbers[1]))
    assert {(2, 1)} == _plays(dealt)
    assert dealt.named("place")[0] == ()
    dealt.play(Play(numbers[2], 1, numbers[1]))
    assert all(len(cards) == 1 for cards in dealt.named("place"))
    assert dealt.rules.progress(dealt.board, 0) == 3


def test_court_cards_go_under_the_stock_at_first() -> None:
    """Entry 48: twelve numbers lie on the table, and the court cards that came lie at the stock's bottom."""
    dealt = stacked(GAMES["picture-gallery"], "KS 2S 3S QH 4S 5S 6S 7S 8S 9S TS 2H 3H JC 4H")
    faces = " ".join(name(cards[0], ascii_only=True) for cards in dealt.named("place"))
    assert faces == "2S 3S 4S 5S 6S 7S 8S 9S TS 2H 3H 4H"
    stock = dealt.dealer.open_board().cards[dealt.rules.layout.stock[0]]
    assert [name(card) for card in stock[:3]] == ["J♣", "Q♥", "K♠"]


def test_a_won_gallery_shows_the_court() -> None:
    """When the stock is gone, twelve court cards lie on the table, and forty cards were covered."""
    results = set()
    for dealt, rng in random_hands(GAMES["picture-gallery"], 30):
        for _ in dealt.play_on(rng):
            pass
        courts = all(rank(cards[-1]) > 10 for cards in dealt.named("place"))
        is_won = dealt.rules.is_out(dealt.board, 0)
        assert is_won is (courts and dealt.rules.progress(dealt.board, 0) == 40)
        results.add(is_won)
    assert {True, False} == results


@for_each("game", ["fourteen", "number-eleven", "picture-gallery"])
def test_hands_are_won_and_lost(game: str) -> None:
    """Both ends are come to, and where nothing more can be played the pairs are really gone."""
    results = set()
    for dealt, rng in random_hands(GAMES[game], 60):
        for _ in dealt.play_on(random.Random(rng.random())):
            pass
        results.add(dealt.rules.is_out(dealt.board, 0))
        if len(results) == 2:
            return
    raise AssertionError(f"{game} always ends alike: {results}")
