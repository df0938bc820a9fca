"""Plays that the seeds describe card by card."""

from racing_demon_protocol.engine.board import FOUNDATIONS, Kind, Play
from racing_demon_protocol.engine.cards import UNKNOWN, parse
from tests.support.boards import Position, build, cards, deal, names, rules_of, stack
from tests.support.moves import Move

HEAP = "2D 3D 4D 8D 9D JD QD KD 3H 9H 2S 7D KH"
ROW = "2H 8H 8S 4H"
REST = "6H JH KS QH AD KC TD AH JS 2C 9S JC 3C 3S TS 5S 4S 4C QS"
"""Unused cards fill what the example of Demon B leaves open."""

DEMON_B = stack(f"{HEAP} {ROW} 5D  6S 7C TH  9C TC 6D  8C 7S AS  6C AC 5H  5C 7H QC  {REST}")


def _columns(position: Position) -> list[str]:
    columns = position.rules.layout.seat_piles(0, Kind.TABLEAU)
    return [names(position.board.cards[pile]) for pile in columns]


def _turn(position: Position) -> None:
    play = position.rules.stock_play(position.board, 0)
    assert play is not None
    position.play(0, play)


def _top(position: Position, kind: Kind) -> str:
    return names([position.hidden.cards[position.rules.layout.seat_piles(0, kind)[0]][-1]])


def _from_waste(position: Position) -> list[Play]:
    stock, waste = position.rules.layout.stock[0], position.rules.layout.waste[0]
    return [play for play in position.plays() if play.source == waste and play.destination != stock]


def test_worked_example_of_seed_000() -> None:
    """The example before Demon A: six moves, of which five turn up one card each."""
    rules = rules_of()
    tableau = ("2c AH", "3s 6C", "7D", "9d 5H", "Jc 3D", "Qs 4C", "KS")
    ace, six, seven, five, three, four, _ = rules.layout.seat_piles(0, Kind.TABLEAU)
    position = build(rules, tableau=tableau)
    plays = [
        Play(ace, 1, FOUNDATIONS),
        Play(six, 1, seven),
        Play(five, 1, seven),
        Play(three, 1, four),
        Play(four, 2, seven),
    ]
    shown = [names(move.shown) for play in plays for move in position.play(0, play)]
    assert shown == ["2C", "3S", "9D", "JC", "QS"]
    assert _columns(position) == ["2C", "3S", "7D 6C 5H 4C 3D", "9D", "JC", "QS", "KS"]
    assert cards("AH") == position.board.cards[0]


def test_example_of_seed_002() -> None:
    """Seed 002: the ace goes out, the 8 on the 9, both on the 10; each turns up a card."""
    rules = rules_of()
    ace, eight, nine, ten, *_ = rules.layout.seat_piles(0, Kind.TABLEAU)
    position = build(rules, tableau=("4c AD", "5c 8S", "6c 9D", "7h TC"))
    plays = [Play(ace, 1, FOUNDATIONS), Play(eight, 1, nine), Play(nine, 2, ten)]
    shown = [names(move.shown) for play in plays for move in position.play(0, play)]
    assert shown == ["4C", "5C", "6C"]
    assert _columns(position)[:3] == ["4C", "5C", "6C"]
    assert (UNKNOWN, *cards("TC 9D 8S")) == position.board.cards[ten]


def test_colors_must_change() -> None:
    """Seed 002: "the 10 can be moved upon the J, but not on the J" of its own color."""
    rules = rules_of()
    ten, black, red, *_ = rules.layout.seat_piles(0, Kind.TABLEAU)
    position = build(rules, tableau=("TH", "JS", "JD"))
    assert (
        rules.can_play(position.board, 0, Play(ten, 1, black)),
        rules.can_play(position.board, 0, Play(ten, 1, red)),
    ) == (True, False)


def test_first_deal_of_seed_001() -> None:
    """Seed 001's diagram: the base is 5♦, the row starts 2♥ 8♥ 8♠, the heap shows K♥, 34 are left."""
    position = deal(rules_of("demon-b"), [DEMON_B])
    layout = position.rules.layout
    assert cards("5D") == position.board.cards[layout.foundations[0]]
    assert ROW.split() == _columns(position)
    assert (_top(position, Kind.RESERVE), len(position.board.cards[layout.stock[0]])) == ("KH", 34)


def test_play_of_seed_001() -> None:
    """Seed 001's first pass, in the order of its text; the ranks go round, so K♥ lies on A♠."""
    position = deal(rules_of("demon-b"), [DEMON_B])
    layout = position.rules.layout
    waste, heap = layout.waste[0], layout.seat_piles(0, Kind.RESERVE)[0]
    first, second, third, _ = layout.seat_piles(0, Kind.TABLEAU)
    base, hearts, clubs, _ = layout.foundations
    _turn(position)
    assert (_top(position, Kind.WASTE), _from_waste(position)) == ("TH", [])
    _turn(position)
    position.play(0, Play(waste, 1, base))
    assert (_top(position, Kind.WASTE), _from_waste(position)) == ("TC", [])
    _turn(position)
    position.play(0, Play(waste, 1, first))
    position.play(0, Play(waste, 1, second))
    position.play(0, Play(heap, 1, first))
    position.play(0, Play(heap, 1, base))
    assert _top(position, Kind.RESERVE) == "2S"
    _turn(position)
    position.play(0, Play(waste, 1, hearts))
    assert (_top(position, Kind.WASTE), _from_waste(position)) == ("AC", [])
    _turn(position)
    position.play(0, Play(waste, 1, first))
    position.play(0, Play(waste, 1, third))
    position.play(0, Play(waste, 1, clubs))
    assert _columns(position) == ["2H AS KH QC", "8H 7S", "8S 7H", "4H"]
    assert [names(position.board.cards[pile]) for pile in layout.foundations] == ["5D 6D 7D", "5H", "5C", ""]
    _assert_second_pass(position)


def _assert_second_pass(position: Position) -> None:
    """See that the rest of the first pass gives nothing, and that 6♥ then comes up and takes 7♥."""
    layout = position.rules.layout
    while position.board.cards[layout.stock[0]]:
        _turn(position)
        assert _from_waste(position) == []
    for _ in range(4):
        _turn(position)
    hearts, third = layout.foundations[1], layout.seat_piles(0, Kind.TABLEAU)[2]
    assert _top(position, Kind.WASTE) == "6H"
    position.play(0, Play(layout.waste[0], 1, hearts))
    position.play(0, Play(third, 1, hearts))
    assert cards("5H 6H 7H") == position.board.cards[hearts]


def test_a_vacancy_is_supplied_from_the_heap_of_seed_001() -> None:
    """Seed 001: 8 and 7 go on a black 9, and the 2♠ of the heap fills the vacancy by itself."""
    rules = rules_of("demon-b")
    first, second, *_ = rules.layout.seat_piles(0, Kind.TABLEAU)
    heap = rules.layout.seat_piles(0, Kind.RESERVE)[0]
    position = build(rules, tableau=("9S", "8H 7S", "4H", "QD"), reserve="Kc 2S", foundation=("5D",))
    moves = position.play(0, Play(second, 2, first))
    assert [Move(second, 2, first), Move(heap, 1, second, (parse("KC"),))] == moves
    assert _columns(position) == ["9S 8H 7S", "2S", "4H", "QD"]


def test_a_vacancy_is_filled_face_up_from_the_hidden_heap_of_seed_000() -> None:
    """Seed 000: the card that comes from the rubbish heap is turned up on its new place."""
    rules = rules_of("demon-a")
    first, second, *_ = rules.layout.seat_piles(0, Kind.TABLEAU)
    position = build(rules, tableau=("JS", "TH", "4H", "QD"), reserve="Kc 2S", foundation=("6D",))
    moves = position.play(0, Play(second, 1, first))
    assert [(), (parse("2S"),)] == [move.shown for move in moves]
    assert _columns(position) == ["JS TH", "2S", "4H", "QD"]


def test_order_of_building_in_seed_000() -> None:
    """Seed 000: a six is built upon with seven, eight and so on to the king, then from ace to five."""
    rules = rules_of("demon-a")
    order = cards("6D 7D 8D 9D TD JD QD KD AD 2D 3D 4D 5D")
    position = build(rules, foundation=("6D",), tableau=("KS", "KC", "KH", "KD"))
    for card in order[1:]:
        assert [rules.layout.foundations[0]] == list(rules.open_foundations(position.board, 0, card))
        position.board.cards[rules.layout.foundations[0]] += (card,)
    assert not rules.accepts(position.board, rules.layout.foundations[0], order[0])


def test_base_cards_of_seed_000_open_families() -> None:
    """Seed 000: the other cards of the formation card's rank go beside it, and no others."""
    rules = rules_of("demon-a")
    position = build(rules, foundation=("6D",), tableau=("6S", "7S", "AC", "6C"))
    opened = [play.source for play in position.plays() if play.destination in rules.layout.foundations]
    columns = rules.layout.seat_piles(0, Kind.TABLEAU)
    assert [columns[0], columns[3]] == opened
