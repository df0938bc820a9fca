"""The table as lines of text."""

from racing_demon_client.plain import picture
from racing_demon_protocol.messages.server import HandResult, SeatState
from racing_demon_protocol.options import Options
from racing_demon_protocol.reasons import EndReason, Phase
from racing_demon_protocol.view import TableView

from ..support.boards import build, rules_of


def two_at_a_table() -> TableView:
    """Return a table of two in the middle of a hand; the second name is a hostile one."""
    rules = rules_of(players=2)
    first = build(
        rules,
        tableau=["KS", "5d QH JC", "", "TD", "2c 3c 4c 9H", "8S", "7D"],
        stock="AC 2C",
        waste="3D 4S",
        foundation=["AS 2S 3S", "AH", "", "AS/1 2S/1"],
    )
    both = build(rules, seat=1, tableau=["2D", "", "3S", "4H", "5C", "6C", "7C"], waste="KH", upon=first)
    view = TableView("BCDF", Options())
    view.rules, view.board, view.phase = rules, both.board, Phase.PLAYING
    view.seats = {0: SeatState(seat=0, name="Ann"), 1: SeatState(seat=1, name="\x1b[2JBob the Unspeakable")}
    return view


def test_the_own_layout_is_drawn_by_columns() -> None:
    """Foundations by suit, loose piles, hidden cards as numbers, columns downwards, the others below."""
    assert picture.table(two_at_a_table(), 0) == [
        " ♠  3  2",
        " ♥  A",
        " ♣  -",
        " ♦  -",
        "",
        " stock (2)   waste 4♠ (2)",
        " column   1    2    3    4    5    6    7",
        " hidden   .    1    .    .    3    .    .",
        "         K♠   Q♥        T♦   9♥   8♠   7♦",
        "              J♣",
        "",
        " ?[2JBob the    2 points  columns 2♦ .. 3♠ 4♥ 5♣ 6♣ 7♣  waste K♥ (1)",
    ]


def test_without_suits_letters_stand_for_them() -> None:
    """Where the terminal cannot show suits, all is ASCII."""
    lines = picture.table(two_at_a_table(), 0, ascii_only=True)

    assert "\n".join(lines).isascii()
    assert lines[0] == " S  3  2"


def test_a_spectator_sees_a_line_for_each_player() -> None:
    """Without a seat there is no layout of one's own."""
    assert [line.split()[0] for line in picture.table(two_at_a_table(), None)[5:]] == ["Ann", "?[2JBob"]


def test_before_the_deal_there_is_nothing_to_see() -> None:
    """A table without cards says so."""
    assert picture.table(TableView("BCDF", Options()), 0) == ["no cards are on the table yet"]


def test_the_tally_is_a_line_a_player_the_best_first() -> None:
    """Points hand by hand, a star for going out, a dash for a hand without the player, and who won."""
    view = two_at_a_table()
    view.results = [
        HandResult(hand=1, seats=(0,), points=(7,), reason=EndReason.DEAD),
        HandResult(hand=2, seats=(0, 1), points=(-4, 62), reason=EndReason.OUT, out=1),
    ]
    view.winners = (1,)

    assert picture.tally(view) == [
        "hand             1     2   total",
        "?[2JBob the     -    62*      62  won",
        "Ann             7    -4        3",
        "* went out",
    ]
