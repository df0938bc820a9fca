"""The table as lines of text."""

from racing_demon_client.plain import commands, render, solo
from racing_demon_client.plain.render import all_piles, wrap_lines
from racing_demon_client.shared.table_view import TableView
from racing_demon_protocol.games import GAMES
from racing_demon_protocol.table.state import TableState
from racing_demon_protocol.wire.messages import client as cl
from racing_demon_protocol.wire.messages.server import HandResult, SeatState
from racing_demon_protocol.wire.options import Options
from tests.support.cases import for_each
from tests.support.dealt_hands import Dealt
from tests.support.tables import Own, Sitting


def lines(text: str) -> list[str]:
    """Return the lines of a text, without its frame."""
    return text.strip("\n").split("\n")


def finished(*results: HandResult, winners: tuple[int, ...] = ()) -> TableState:
    """Return a table of three with some hands tallied."""
    view = TableState("TEST", Options())
    names = enumerate(["Ann", "Ben", "Bartholomew the Great"])
    view.record = view.record._replace(seats={seat: SeatState(seat=seat, name=name) for seat, name in names})
    view.record = view.record._replace(results=tuple(results), winners=winners)
    return view


# The whole table.


def test_before_the_first_deal_there_is_nothing_to_see() -> None:
    """Without cards one line says so."""
    assert render.table(TableView.of(Sitting.lobby(2).mirror, 0)) == ["no cards are on the table yet"]


def test_a_klondike_table() -> None:
    """Foundations by suits, the player's layout, and a line for the other player."""
    sitting = Sitting.playing(2)
    sitting.lay(
        ["AS 2S", "", "AH/1", "AC 2C 3C"],
        Own(tableau=["KS", "4s 9H", "2d 3d QC JH"], stock="7D 8D 9D", waste="TC 6H"),
        Own(tableau=["KD/1", "", "4s/1 9C/1"], stock="", waste=""),
    )
    expected = """
 ♠  2
 ♥  A
 ♣  3
 ♦  -

 stock (3)   waste 6♥ (2)
 column   1    2    3    4    5    6    7
 hidden   .    1    2    .    .    .    .
         K♠   9♥   Q♣
                   J♥

 you            5 points
 Ben            1 point   columns K♦ .. 9♣ .. .. .. ..  waste empty
"""
    assert lines(expected) == [line.rstrip() for line in render.table(TableView.of(sitting.mirror, 0))]


def test_a_classic_table() -> None:
    """A game with a reserve shows it beside stock and waste."""
    sitting = Sitting.playing(1, game="classic")
    sitting.lay([], Own(tableau=["KS QH", "7D"], stock="2C", waste="", reserve="4c 9S"))
    expected = """
 ♠  -
 ♥  -
 ♣  -
 ♦  -

 stock (1)   waste empty   reserve 9♠ (2)
 column   1    2    3    4
 hidden   .    .    .    .
         K♠   7♦
         Q♥

 you           -4 points
"""
    assert lines(expected) == [line.rstrip() for line in render.table(TableView.of(sitting.mirror, 0))]


def test_twin_foundations_stand_side_by_side() -> None:
    """Two foundations of one suit are told in the order of their places."""
    sitting = Sitting.playing(2)
    sitting.lay(["AS 2S 3S", "AS/1", "AD"], Own(), Own())
    assert render.table(TableView.of(sitting.mirror, 0))[:4] == [" ♠  3  A", " ♥  -", " ♣  -", " ♦  A"]


def test_in_letters() -> None:
    """For a terminal without suits everything is plain ASCII."""
    sitting = Sitting.playing(2)
    sitting.lay(["AS"], Own(tableau=["KS"], waste="TC"), Own(tableau=["KD/1"], waste="AH/1"))
    text = "\n".join(render.table(TableView.of(sitting.mirror, 0), ascii_only=True))
    assert text.isascii()
    assert " S  A" in text
    assert "waste TC (1)" in text
    assert "columns KD .." in text
    assert "waste AH (1)" in text


def test_a_spectator_sees_a_line_for_everybody() -> None:
    """Without a seat there is no layout, and all players have their lines."""
    sitting = Sitting.playing(3)
    shown = render.table(TableView.of(sitting.mirror, None))
    assert [line.split()[0] for line in shown[-3:]] == ["Ann", "Ben", "Cat"]
    assert not any("column " in line for line in shown)


def test_whoever_is_not_in_the_hand_sees_no_layout() -> None:
    """A late-comer, who plays from the next hand on, sees the others."""
    sitting = Sitting.playing(2)
    late = sitting.join("Zoe")
    assert late == 2
    shown = render.table(TableView.of(sitting.mirror, late))
    assert [line.split()[0] for line in shown[-2:]] == ["Ann", "Ben"]


def test_whoever_has_left_after_the_match_keeps_a_name() -> None:
    """In the picture and in the tally a player is called so until the next match."""
    sitting = Sitting.playing(2, hands=1)
    name = sitting.mirror.seats[1].name
    for seat in (0, 1):
        sitting.events(seat, cl.Stuck)
    sitting.events(1, cl.Leave)
    assert render.table(TableView.of(sitting.mirror, 0))[-1].startswith(f" {name} ")
    assert any(line.startswith(f"{name} ") for line in render.tally(sitting.mirror))


def test_hidden_cards_are_never_named() -> None:
    """Of face-down cards only the number is seen."""
    sitting = Sitting.playing(2)
    text = "\n".join(render.table(TableView.of(sitting.mirror, 0)))
    assert "??" not in text
    assert "stock (24)" in text
    assert " hidden   .    1    2    3    4    5    6" in text


# The tally.


def result(
    number: int, points: tuple[int, ...], out: int | None, seats: tuple[int, ...] = (0, 1, 2)
) -> HandResult:
    """Return the tally of one hand."""
    return HandResult(hand=number, seats=seats, points=points, reason="dead", out=out)


def test_a_tally_in_the_middle_of_a_match() -> None:
    """The best total stands first; a star marks who went out; long names are cut."""
    view = finished(result(1, (20, 62, 3), 1), result(2, (11, 9, -26), None))
    expected = """
hand             1     2   total
Ben            62*    9       71
Ann            20    11       31
Bartholome..    3   -26      -23
* went out
"""
    assert lines(expected) == render.tally(view)


def test_a_tally_at_the_end() -> None:
    """Winners are marked, also joint ones; without anybody out there is no star to explain."""
    view = finished(result(1, (20, 20, 3), None), winners=(0, 1))
    expected = """
hand             1   total
Ann            20       20  won
Ben            20       20  won
Bartholome..    3        3
"""
    assert lines(expected) == render.tally(view)


def test_the_own_player_has_one_word_in_picture_and_tally() -> None:
    """Who is "you" at the table, in a race too, is no stranger with a login name between hands."""
    raced = Sitting.playing(2, game="demon-a").mirror
    assert raced.is_private
    assert [line.split()[1] for line in render.table(TableView.of(raced, 1))[-2:]] == ["Ann", "you"]
    view = finished(result(1, (20, 62, 3), 1))
    assert [line.split()[0] for line in render.tally(view, 1)[1:3]] == ["you", "Ann"]
    view.record = view.record._replace(departed={1: "Ben"})
    assert render.tally(view, 1)[1].startswith("Ben ")


def test_late_comers_have_no_points_in_earlier_hands() -> None:
    """A hand that somebody did not play shows a dash."""
    view = finished(result(1, (20, 5), None, seats=(0, 1)), result(2, (1, 2, 3), None))
    assert render.tally(view)[3] == "Bartholome..    -     3        3"


def test_before_the_first_hand_all_have_nothing() -> None:
    """The tally of a fresh match lists everybody with nothing."""
    assert render.tally(finished())[1:3] == ["Ann                0", "Ben                0"]


def test_who_left_long_ago_keeps_a_line() -> None:
    """The points of a seat that nobody has any more are still counted, under the seat's number."""
    view = finished(result(1, (20, 5, 7), None))
    view.record = view.record._replace(seats={0: view.seats[0], 1: view.seats[1]})
    assert render.tally(view)[2] == "seat 3          7        7"


def test_hostile_names_do_not_reach_the_picture() -> None:
    """Names are printed without anything that could steer a terminal, in the table and in the tally."""
    sitting = Sitting.playing(2)
    view = sitting.mirror
    view.record = view.record._replace(
        seats={seat: SeatState(seat=seat, name="\x1b[2J\u202eAnn") for seat in (0, 1)}
    )
    view.record = view.record._replace(results=(result(1, (1, 2), None, seats=(0, 1)),))
    assert all(line.isprintable() for line in [*render.table(TableView.of(view, 0)), *render.tally(view)])


@for_each("text", [solo.HELP, commands.HELP])
def test_the_help_fits(text: str) -> None:
    """On a terminal of 80 columns no line of the help is broken."""
    lines = text.splitlines()
    assert lines == list(wrap_lines(lines, 80))


@for_each("width", [40, 57, 80])
@for_each("game", ["blockade", "trios", "clock"])
def test_piles_stay_whole(game: str, width: int) -> None:
    """A list of piles is broken between two of them: what each is called stays with its cards."""
    hand = Dealt(GAMES[game])
    lines = all_piles(hand.rules, hand.board, 0)
    shown = list(wrap_lines(lines, width))
    assert max(map(len, shown)) <= width
    entries = [entry for line in lines for entry in line.split("  ")]
    assert entries == [entry for line in _joined(shown) for entry in line.split("  ")]


def _joined(lines: list[str]) -> list[str]:
    whole: list[str] = []
    for line in lines:
        if line.startswith("   "):
            whole[-1] += "  " + line.strip()
        else:
            whole.append(line)
    return whole


def test_no_word_is_broken() -> None:
    """One long entry is broken between its words."""
    assert list(wrap_lines(["a word and another one"], 20)) == ["a word and another", "   one"]
