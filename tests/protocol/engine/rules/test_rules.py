import pytest

from racing_demon_protocol.engine.board import FOUNDATIONS, Board, Kind, Play
from racing_demon_protocol.engine.cards import UNKNOWN
from racing_demon_protocol.engine.factory import make_rules
from racing_demon_protocol.engine.rules.base import Rules
from racing_demon_protocol.enums import Reason
from racing_demon_protocol.errors import IllegalPlay
from tests.support.boards import Position, build, cards, deal_seed, rules_of, stack
from tests.support.cases import for_each

STOCK, WASTE = 4, 5
COLUMNS = range(6, 13)
"""The piles of Racing Demon with one player; the first four are foundations."""


def _klondike(**piles: object) -> Position:
    return build(rules_of(), **piles)  # type: ignore[arg-type]


def _sources_upward(position: Position) -> list[int]:
    """Return the piles that have a play to a foundation."""
    kinds = [pile.kind for pile in position.board.piles]
    return [play.source for play in position.plays() if kinds[play.destination] is Kind.FOUNDATION]


# The deal.


def test_a_public_deal_knows_no_card() -> None:
    """Without decks the dealt board is the public one, and holds nothing but unknown cards."""
    assert {UNKNOWN} == {card for pile in rules_of("classic", 3).deal().cards for card in pile}


def test_an_open_deal_follows_the_deck() -> None:
    """The first card of a deck is the first one dealt, and the stock is turned in the deck's order."""
    position = _klondike()
    board = position.rules.deal([stack("KS QS JS")])
    dealt = [card for column in COLUMNS for card in board.cards[column]]
    assert stack("KS QS JS") == [*dealt, *board.cards[STOCK][::-1]]


def test_each_seat_is_dealt_its_own_pack() -> None:
    """The layout of the second seat holds cards of the second pack alone."""
    position = deal_seed(rules_of("racing-demon", 2))
    own = [
        card for pile in position.board.piles if pile.seat == 1 for card in position.hidden.cards[pile.number]
    ]
    assert list(range(52, 104)) == sorted(own)


# Foundations.


def test_an_ace_opens_a_family() -> None:
    """Any available ace may go to an empty foundation: from a column or from the waste."""
    assert [WASTE, COLUMNS[1]] == _sources_upward(_klondike(waste="AH", tableau=("2S", "AS", "KD")))


def test_aces_are_not_forced() -> None:
    """Holding an ace back is legal (A1)."""
    position = _klondike(tableau=("AS", "5H", "6S"))
    assert position.rules.can_play(position.board, 0, Play(COLUMNS[1], 1, COLUMNS[2]))


@for_each(("card", "accepted"), [("4H", True), ("3H", False), ("5H", False), ("4D", False), ("4S", False)])
def test_families_go_up_in_suit_one_by_one(card: str, accepted: bool) -> None:
    """A family takes the next rank of its suit and nothing else."""
    position = _klondike(foundation=("AH 2H 3H",))
    assert accepted == position.rules.accepts(position.board, 0, cards(card)[0])


def test_a_complete_family_takes_nothing() -> None:
    """A king closes its family (A11)."""
    full = "AH 2H 3H 4H 5H 6H 7H 8H 9H 10H JH QH KH"
    position = _klondike(foundation=(full,))
    assert [card for card in range(52) if position.rules.accepts(position.board, 0, card)] == []


def test_everybody_may_play_on_every_family() -> None:
    """A player's card goes on a family that another has opened."""
    rules = rules_of("racing-demon", 2)
    position = build(rules, seat=1, foundation=("AH/0",), tableau=("2H",))
    column = rules.layout.seat_piles(1, Kind.TABLEAU)[0]
    position.play(1, Play(column, 1, 0))
    assert cards("AH 2H/1") == position.board.cards[0]


def test_families_of_one_suit_may_stand_side_by_side() -> None:
    """In a race there is one family for each ace, so a suit may have several (A10)."""
    rules = rules_of("racing-demon", 2)
    position = build(rules, seat=1, foundation=("AH/0",), tableau=("AH",))
    column = rules.layout.seat_piles(1, Kind.TABLEAU)[0]
    assert [play.destination for play in position.plays(1) if play.source == column] == [1]


def test_the_first_family_that_accepts_takes_the_card() -> None:
    """A play to "the foundations" is resolved to the first one that takes the card."""
    rules = rules_of("racing-demon", 2)
    position = build(rules, seat=1, foundation=("AS/0", "AH/0", "AH/1"), tableau=("2H",))
    column = rules.layout.seat_piles(1, Kind.TABLEAU)[0]
    resolved = rules.verify_play(position.board, 1, Play(column, 1, FOUNDATIONS))
    assert Play(column, 1, 1) == resolved


def test_a_later_twin_may_be_named() -> None:
    """Of several families that take the card, the player may choose any."""
    rules = rules_of("racing-demon", 2)
    position = build(rules, seat=1, foundation=("AS/0", "AH/0", "AH/1"), tableau=("2H",))
    column = rules.layout.seat_piles(1, Kind.TABLEAU)[0]
    assert rules.can_play(position.board, 1, Play(column, 1, 2))


# Columns.


@for_each(
    ("below", "above", "fits"),
    [
        ("9S", "8H", True),
        ("9S", "8D", True),
        ("9H", "8C", True),
        ("9S", "8C", False),
        ("9S", "9H", False),
        ("9S", "7H", False),
        ("9S", "10H", False),
        ("AS", "KH", False),
        ("2S", "AH", True),
    ],
)
def test_columns_go_down_in_alternate_colors(below: str, above: str, fits: bool) -> None:
    """A column takes the next lower rank of the other color; nothing goes on an ace."""
    position = _klondike(tableau=(below, above))
    assert fits == position.rules.can_play(position.board, 0, Play(COLUMNS[1], 1, COLUMNS[0]))


@for_each("count", [1, 2, 3])
def test_any_tail_of_a_run_moves(count: int) -> None:
    """Part of a run may move, or all of it (A7)."""
    position = _klondike(tableau=("8S 7H 6S", ("9D", "8C", "7D")[3 - count]))
    assert position.rules.can_play(position.board, 0, Play(COLUMNS[0], count, COLUMNS[1]))


def test_a_king_goes_to_a_space() -> None:
    """A king, or a run that a king heads, may fill a space."""
    position = _klondike(tableau=("", "5c KS QH"), waste="KD")
    plays = [Play(COLUMNS[1], 2, COLUMNS[0]), Play(WASTE, 1, COLUMNS[0])]
    assert all(position.rules.can_play(position.board, 0, play) for play in plays)


def test_nothing_else_fills_a_space() -> None:
    """In Racing Demon a space takes no card but a king."""
    position = _klondike(tableau=("", "QH JS"), waste="AS")
    assert [play for play in position.plays() if play.destination == COLUMNS[0]] == []


def test_a_king_may_go_from_space_to_space() -> None:
    """Moving a whole king's column to a space is legal (A8)."""
    position = _klondike(tableau=("KS QH", ""))
    assert position.rules.can_play(position.board, 0, Play(COLUMNS[0], 2, COLUMNS[1]))


# Turning.


def test_three_are_turned() -> None:
    """The usual turn moves three cards to the waste and shows the last."""
    position = _klondike(stock="As 2s 3s 4s 5s")
    position.play(0, Play(STOCK, 3, WASTE))
    assert (UNKNOWN, UNKNOWN, *cards("3S")) == position.board.cards[WASTE]


def test_what_is_left_is_turned() -> None:
    """With fewer than three cards in the stock, just these are turned (A3)."""
    position = _klondike(stock="As 2s")
    assert [Play(STOCK, 2, WASTE)] == position.plays()


def test_the_waste_is_turned_over_at_the_end() -> None:
    """When the stock is empty the waste becomes the new stock, whole (A5, A6)."""
    position = _klondike(waste="As 2s 3s 4s")
    assert [Play(WASTE, 4, STOCK)] == position.plays()


def test_turning_is_allowed_whatever_else_is() -> None:
    """A player may turn while another play exists, as often as wanted (A4, A6)."""
    position = _klondike(stock="2s 3s 4s", tableau=("AH",))
    for _ in range(10):
        position.play(0, Play(STOCK, 3, WASTE))
        position.play(0, Play(WASTE, 3, STOCK))
    assert position.board.redeals == {0: 10}


def test_the_usual_turn() -> None:
    """``turn`` names the play that turns cards, or that turns the waste over, or nothing."""
    turns = [
        position.rules.stock_play(position.board, 0)
        for position in (_klondike(stock="As 2s 3s 4s"), _klondike(waste="As 2s"), _klondike())
    ]
    assert [Play(STOCK, 3, WASTE), Play(WASTE, 2, STOCK), None] == turns


# Refusals.


@for_each(
    ("play", "sentence"),
    [
        (Play(WASTE, 2, COLUMNS[0]), "Only the top card is available there."),
        (Play(WASTE, 4, COLUMNS[0]), "There are 3 cards there, not 4."),
        (Play(COLUMNS[0], 0, COLUMNS[1]), "There are 2 cards there, not 0."),
        (Play(COLUMNS[0], -1, COLUMNS[1]), "There are 2 cards there, not -1."),
        (Play(STOCK, 1, COLUMNS[0]), "The stock is turned to the waste, and played from there."),
        (Play(COLUMNS[1], 2, COLUMNS[0]), "There is 1 card there, not 2."),
        (Play(STOCK, 2, WASTE), "3 cards are turned here, not 2."),
        (
            Play(WASTE, 3, STOCK),
            "The waste is turned over when the stock is empty",
        ),
        (
            Play(COLUMNS[0], 1, WASTE),
            "The waste is turned over when the stock is empty",
        ),
        (Play(0, 1, COLUMNS[1]), "Cards on the foundations stay there."),
        (Play(COLUMNS[0], 2, COLUMNS[1]), "A face-down card cannot be moved."),
        (Play(COLUMNS[2], 2, COLUMNS[1]), "These cards are not a sequence."),
        (Play(COLUMNS[3], 2, 0), "Cards go to the foundations one by one."),
        (Play(COLUMNS[3], 2, FOUNDATIONS), "Cards go to the foundations one by one."),
        (Play(COLUMNS[3], 1, 1), "That foundation does not take this card."),
        (Play(COLUMNS[3], 1, FOUNDATIONS), "No foundation takes that card."),
        (Play(COLUMNS[3], 2, COLUMNS[3]), "The card lies there already."),
        (Play(COLUMNS[3], 1, COLUMNS[6]), "That card cannot fill an empty column."),
        (Play(COLUMNS[3], 1, COLUMNS[1]), "That card does not continue the column."),
    ],
    ids=str,
)
def test_refusals_say_why(play: Play, sentence: str) -> None:
    """A play that the rules do not allow is refused with a sentence for the player, and changes nothing."""
    position = _klondike(
        foundation=("AH",),
        stock="2s 3s 4s 5s",
        waste="9s Ts JS",
        tableau=("2c QH", "7D", "3D 3C", "9H 8S", "KC", "4S", ""),
    )
    before = position.board.copy()
    with pytest.raises(IllegalPlay) as refused:
        position.play(0, play)
    assert (Reason.ILLEGAL, before) == (refused.value.reason, position.board)
    assert refused.value.text.startswith(sentence)


def test_nothing_left_to_turn() -> None:
    """With stock and waste empty there is nothing to turn."""
    with pytest.raises(IllegalPlay, match="nothing left to turn"):
        _klondike(tableau=("KS",)).play(0, Play(COLUMNS[0], 1, STOCK))


@for_each(
    ("play", "seat", "reason"),
    [
        (Play(99, 1, 0), 0, Reason.UNKNOWN_PILE),
        (Play(-1, 1, 0), 0, Reason.UNKNOWN_PILE),
        (Play(0, 1, 99), 0, Reason.UNKNOWN_PILE),
        (Play(0, 1, -2), 0, Reason.UNKNOWN_PILE),
        (Play(10, 1, 11), 5, Reason.NOT_SEATED),
        (Play(20, 1, 11), 0, Reason.NOT_YOUR_PILE),
        (Play(10, 1, 20), 0, Reason.NOT_YOUR_PILE),
        (Play(17, 3, 18), 0, Reason.NOT_YOUR_PILE),
    ],
    ids=str,
)
def test_reasons_of_refusals(play: Play, seat: int, reason: Reason) -> None:
    """Piles that do not exist, other players' piles and seats out of the hand have reasons of their own."""
    rules = rules_of("racing-demon", 2)
    with pytest.raises(IllegalPlay) as refused:
        rules.verify_play(rules.deal(), seat, play)
    assert reason == refused.value.reason


# The end.


def test_out_is_who_has_a_whole_pack_on_the_foundations() -> None:
    """A seat is out when nothing of its pack is left before it."""
    rules = rules_of("racing-demon", 2)
    position = build(rules, seat=1, waste="KS")
    assert (rules.is_out(position.board, 0), rules.is_out(position.board, 1)) == (True, False)


def _all_out(rules: Rules) -> Board:
    board = Board(rules.layout.piles)
    for suit in range(4):
        board.cards[suit] = tuple(range(suit * 13, suit * 13 + 13))
    return board


def test_going_out_is_worth_62() -> None:
    """Seed 002: 52 points plus ten for the player who goes out."""
    rules = rules_of()
    assert (rules.points(_all_out(rules), out=0), rules.points(_all_out(rules))) == ({0: 62}, {0: 52})


def test_all_others_get_a_point_a_card() -> None:
    """Cards are sorted by their backs: each counts for its owner, whoever's family it lies on."""
    rules = rules_of("racing-demon", 2)
    position = build(rules, foundation=("AH/0 2H/1 3H/1", "AS/1"))
    assert rules.points(position.board) == {0: 1, 1: 3}


def test_points_follow_seats_and_not_packs() -> None:
    """The packs of seats 3 and 6 are the first and the second; their points are those seats'."""
    rules = make_rules(rules_of().game, (3, 6))
    board = Board(rules.layout.piles)
    board.cards[0] = cards("AH/1 2H/0 3H/1")
    assert rules.points(board) == {3: 1, 6: 2}
