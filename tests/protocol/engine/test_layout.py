from collections import Counter
from dataclasses import replace

import pytest

from racing_demon_protocol.engine.board import Kind, Shows
from racing_demon_protocol.engine.layout import Layout
from racing_demon_protocol.engine.specification import Deal, Foundations, Game, Reserve, Stock, Tableau, Waste
from racing_demon_protocol.errors import InvalidGame
from racing_demon_protocol.games import GAMES
from racing_demon_protocol.wire.messages.base import MAX_CARD, MAX_PILE
from tests.support.cases import for_each

BARE = Game(
    name="bare", title="Bare", source="", groups=(Foundations(), Stock(), Waste(), Tableau(shape=(1, 2)))
)
"""The smallest game that works."""


def _kinds(layout: Layout) -> Counter[tuple[str, int | None]]:
    return Counter((str(pile.kind), pile.seat) for pile in layout.piles)


@for_each("seats", [(0,), (0, 1), (2, 5, 7), tuple(range(8))], ids=str)
def test_piles_are_numbered_in_order(seats: tuple[int, ...]) -> None:
    """A pile's number is its place among all piles, so it can index them."""
    for game in GAMES.values():
        layout = Layout(game, seats)
        assert list(range(len(layout.piles))) == [pile.number for pile in layout.piles], game.name
        assert len(layout.piles) == len(layout.groups), game.name


def test_eight_seats_fit_the_wire() -> None:
    """The largest table of every game has piles that the wire can number, and cards that it can name."""
    for game in GAMES.values():
        layout = Layout(game, range(8))
        assert len(layout.piles) <= MAX_PILE + 1, game.name
        assert layout.card_limit <= MAX_CARD + 1, game.name


def test_shared_foundations_come_first_and_grow_with_the_table() -> None:
    """In a race there are four foundations for every seat, the first piles of all, nobody's own."""
    layout = Layout(GAMES["racing-demon"], (0, 3, 4))
    assert tuple(range(12)) == layout.foundations
    assert {None} == {layout.piles[pile].seat for pile in layout.foundations}


def test_own_foundations_belong_to_their_seat() -> None:
    """In solitaire each seat has its own four foundations."""
    layout = Layout(GAMES["demon-b"], (0, 3))
    assert [layout.piles[pile].seat for pile in layout.foundations] == [0] * 4 + [3] * 4


def test_klondike_piles() -> None:
    """Each seat of Racing Demon has a stock, a waste and seven columns."""
    expected: Counter[tuple[str, int | None]] = Counter({("foundation", None): 8})
    for seat in (0, 1):
        expected.update({("stock", seat): 1, ("waste", seat): 1, ("tableau", seat): 7})
    assert expected == _kinds(Layout(GAMES["racing-demon"], (0, 1)))


def test_demon_piles() -> None:
    """The classic game gives each seat a stock, a waste, a reserve and four columns."""
    expected: Counter[tuple[str, int | None]] = Counter(
        {("foundation", None): 4, ("stock", 6): 1, ("waste", 6): 1, ("reserve", 6): 1, ("tableau", 6): 4}
    )
    assert expected == _kinds(Layout(GAMES["classic"], (6,)))


def test_piles_of_a_seat_by_kind() -> None:
    """A seat's piles of one kind are found by the seat, in the order of their places."""
    layout = Layout(GAMES["racing-demon"], (2, 5))
    columns = [layout.piles[pile] for pile in layout.seat_piles(5, Kind.TABLEAU)]
    assert [(5, "tableau", index) for index in range(7)] == [(p.seat, p.group, p.index) for p in columns]


def test_a_stranger_owns_nothing() -> None:
    """A seat that does not take part has no piles."""
    assert Layout(GAMES["racing-demon"], (2, 5)).seat_piles(0, Kind.TABLEAU) == ()


def test_stock_and_waste_are_found_by_seat() -> None:
    """Each seat's stock and waste are the piles of their kind that it owns."""
    layout = Layout(GAMES["classic"], (1, 4))
    assert dict.fromkeys((1, 4), (Kind.STOCK, Kind.WASTE)) == {
        seat: (layout.piles[layout.stock[seat]].kind, layout.piles[layout.waste[seat]].kind)
        for seat in layout.seats
    }


def test_what_lies_face_up() -> None:
    """Stocks show nothing, wastes and reserves their top, columns their last, foundations all."""
    layout = Layout(GAMES["classic"], (0,))
    assert {pile.kind: pile.shows for pile in layout.piles} == {
        Kind.FOUNDATION: Shows.ALL,
        Kind.STOCK: Shows.NONE,
        Kind.WASTE: Shows.TOP,
        Kind.RESERVE: Shows.TOP,
        Kind.TABLEAU: Shows.LAST,
    }


def test_deal_follows_the_declared_order() -> None:
    """Fooliana deals the heap, then the base, then the columns: thirteen, one, four."""
    layout = Layout(GAMES["fooliana"], (0,))
    reserve = layout.seat_piles(0, Kind.RESERVE)[0]
    columns = [(pile, 1) for pile in layout.seat_piles(0, Kind.TABLEAU)]
    assert [(reserve, 13), (layout.foundations[0], 1), *columns] == list(layout.deal_order(0))


def test_each_seat_is_dealt_to_its_own_piles() -> None:
    """The second seat's deal goes to the piles of the second seat only."""
    layout = Layout(GAMES["demon-b"], (0, 1))
    assert {1} == {layout.piles[pile].seat for pile, _ in layout.deal_order(1)}


def test_a_deal_may_fill_all_columns() -> None:
    """A step without a count deals as the columns' shape says."""
    columns = Layout(BARE, (0,)).seat_piles(0, Kind.TABLEAU)
    assert list(zip(columns, (1, 2), strict=True)) == list(Layout(BARE, (0,)).deal_order(0))


@for_each(
    ("changes", "message"),
    [
        ({"deal": (Deal(to="attic"),)}, "'attic'"),
        ({"deal": (Deal(to="foundation"),)}, "must say how many"),
        ({"deal": (Deal(to="stock", count=53),)}, "would deal 53"),
        ({"groups": (Foundations(), Waste(), Tableau(shape=(1,)))}, "one stock for each"),
        ({"groups": (*BARE.groups, Waste(name="second"))}, "one waste for each"),
        (
            {"groups": (*BARE.groups, Reserve(size=50)), "deal": (Deal(to="tableau"), Deal(to="reserve"))},
            "53",
        ),
    ],
    ids=["no such group", "no count", "too many", "no stock", "two wastes", "no cards left"],
)
def test_a_declaration_that_does_not_work_out(changes: dict[str, object], message: str) -> None:
    """A game that cannot be laid out is refused, and the error says why."""
    with pytest.raises(InvalidGame, match=message):
        Layout(replace(BARE, **changes), (0,))  # type: ignore[arg-type]
