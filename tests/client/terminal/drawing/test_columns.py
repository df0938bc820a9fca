"""Columns: as many as a game has, as high as the screen lets them."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from racing_demon_client.terminal.drawing.canvas import Canvas, HitArea
from racing_demon_client.terminal.drawing.columns import draw_columns
from racing_demon_client.terminal.drawing.scene import DrawContext, Scene
from racing_demon_client.terminal.style import ASCII, UNICODE, choose
from racing_demon_protocol.engine.board import Kind
from racing_demon_protocol.engine.cards import UNKNOWN
from tests.support.boards import Position, build, rules_of
from tests.support.cases import for_each
from tests.support.effort import covering, examples
from tests.support.view_models import SIZES, Player, divider_of, left_part, positions, rows_of

of_all_sizes = for_each("size", SIZES, ids=["small", "medium", "large"])
RUN = "KS QH JS TH 9S 8H 7S 6H 5S 4H 3S 2H AS"
ROUND = " ".join(f"{rank}{'SH'[number % 2]}" for number, rank in enumerate("KQJT98765432A" * 4))


def klondike(*tableau: str, **piles: str) -> Player:
    """Return a player with these columns."""
    return Player.at_position(build(rules_of(), tableau=tableau, **piles))  # type: ignore[arg-type]


def text(canvas: Canvas) -> str:
    """Return the picture, its tens written with one sign."""
    return left_part(canvas).replace("10", "T")


def hits(canvas: Canvas, pile: int) -> dict[int | None, HitArea]:
    """Return what answers for the cards of a pile: the part for each of them."""
    found = (canvas.hit(x, y) for y in range(canvas.height) for x in range(canvas.width))
    return {hit.index: hit for hit in found if hit is not None and hit.pile == pile}


def drawn_cards(canvas: Canvas, pile: int, player: Player) -> list[int]:
    """Return the indices of the cards that are drawn, having checked that each is drawn where it is hit."""
    rows, cards = rows_of(canvas), player.board.cards[pile]
    indices = []
    for index, hit in hits(canvas, pile).items():
        if index is None:
            continue
        card = cards[index]
        names = (player.glyphs.card(card), player.glyphs.card(card, ten=True))
        own = rows[hit.y : hit.y + min(2, hit.height)]  # in its top edge, or in its face
        assert card == UNKNOWN or any(row[hit.x + 1 :].startswith(names) for row in own)
        indices.append(index)
    return sorted(indices)


@of_all_sizes
@for_each("hidden", ["", "5c 6c 7c 8c 9c tc"])
def test_a_whole_suit_fits(size: tuple[int, int], hidden: str) -> None:
    """King to ace upon six hidden cards: every card has its row, and the pointer finds each."""
    player = klondike("", "", "", "", "", "", f"{hidden} {RUN}")
    canvas = player.draw(size)
    first = len(hidden.split())
    assert list(range(first, first + 13)) == drawn_cards(canvas, player.column(7), player)
    assert "+1" not in left_part(canvas)


@of_all_sizes
def test_a_column_longer_than_the_screen(size: tuple[int, int]) -> None:
    """First and last cards stay, and between them stands how many are left out."""
    player = Player.at_position(build(rules_of("demon-b"), tableau=(ROUND,)))
    canvas = player.draw(size)
    indices = drawn_cards(canvas, player.column(1), player)
    left_out = 52 - len(indices)
    assert left_out > 0
    assert [0, *range(left_out + 1, 52)] == indices
    assert f"+{left_out} " in left_part(canvas)


@examples(40)
@given(
    st.integers(0, 52), st.integers(0, 6), st.integers(80, 210), st.integers(24, 64), st.sampled_from("abcd")
)
def test_any_column_on_any_screen(shown: int, hidden: int, width: int, height: int, where: str) -> None:
    """Whatever finds no room is counted; first and last card are there; nothing leaves the columns' rows."""
    tableau = ["", "", "", ""]
    tableau["abcd".index(where)] = " ".join(["5c"] * hidden + ROUND.split()[:shown])
    player = Player.at_position(build(rules_of("demon-b"), tableau=tableau))
    canvas = player.draw((width, height))
    pile = player.column("abcd".index(where) + 1)
    indices = drawn_cards(canvas, pile, player)
    if not shown:
        assert indices in ([], [hidden - 1])
        return
    assert {hidden, hidden + shown - 1} <= set(indices)
    assert len(indices) == shown or f"+{shown - len(indices)} " in left_part(canvas)


def test_small_columns() -> None:
    """Cards are cards there, too, as long as a column leaves room; then what lies face down is a number."""
    player = klondike("KS", "4c 9H", "3c 2c TC 9D", "", "", "", f"2c 3c {RUN}")
    rows = left_part(player.draw((80, 24))).split("\n")[8:22]
    expected = """
  a    s    d    f    j    k    l▒2
 ╭K♠╮ ▒▒▒▒ ▒▒▒▒ ╭╌╌╮ ╭╌╌╮ ╭╌╌╮ ╭K♠╮
 │  │ ╭9♥╮ ▒▒▒▒ ╎  ╎ ╎  ╎ ╎  ╎ ╭Q♥╮
 ╰──╯ │  │ ╭10♣ ╰╌╌╯ ╰╌╌╯ ╰╌╌╯ ╭J♠╮
      ╰──╯ │  │                ╭10♥
           ╭9♦╮                ╭9♠╮
           │  │                ╭8♥╮
           ╰──╯                ╭7♠╮
"""
    assert expected.strip("\n").split("\n") == [row.rstrip() for row in rows[:8]]
    assert "A" in rows[-1]


def test_side_piles_lie_beside_few_columns() -> None:
    """Of the classic game all piles are cards at 80x24: reserve, waste and stock beside the columns."""
    board = build(rules_of("classic"), tableau=["KS"], reserve="2c 3H", waste="4C", stock="5c 6c")
    rows = left_part(Player.at_position(board).draw((80, 24))).split("\n")
    beside = [row[25:].split() for row in rows[7:20]]
    assert [words for words in beside if any(word.isalpha() or "♥" in word for word in words)] == [
        ["g", "reserve", "2"],
        ["╭3♥─╮"],
        [";", "waste", "1"],
        ["space", "stock", "2"],
    ]


def test_framed_columns() -> None:
    """Cards have frames, the covered ones their upper edge; an empty column has a dashed one."""
    player = klondike("KS", "4c 9H", "3c 2c TC 9D")
    rows = left_part(player.draw((120, 40))).split("\n")[20:26]
    expected = """
  [a]       [s]       [d]       [f]
 ╭──────╮  ▒▒▒▒▒▒▒▒  ▒▒▒▒▒▒▒▒  ╭╌╌╌╌╌╌╮
 │K♠    │  ╭──────╮  ▒▒▒▒▒▒▒▒  ╎      ╎
 ╰──────╯  │9♥    │  ╭10♣───╮  ╰╌╌╌╌╌╌╯
           ╰──────╯  │      │
                     ╭──────╮
"""
    assert expected.strip("\n").split("\n") == [row[:39].rstrip() for row in rows]


@pytest.mark.long
@for_each(("size", "columns"), covering(SIZES, range(1, 10)))
def test_up_to_nine_columns_are_drawn(size: tuple[int, int], columns: int) -> None:
    """Each has its key and its card, in the order of the columns, and answers to the pointer."""
    rules = rules_of("classic", columns=columns)
    cards = ["KS", "QH", "JC", "TD", "9S", "8H", "7C", "6D", "5S"][:columns]
    player = Player.at_position(build(rules, tableau=cards, reserve="2c 2D"))
    canvas = player.draw(size)
    lines = text(canvas).split("\n")
    for number in range(1, columns + 1):
        assert drawn_cards(canvas, player.column(number), player) == [0]
    row = next(line for line in lines if "K♠" in line)
    names = ["K♠", "Q♥", "J♣", "T♦", "9♠", "8♥", "7♣", "6♦", "5♠"][:columns]
    assert sorted(names, key=row.replace("10♦", "T♦").index) == names
    above = 2 if f"{UNICODE.side}K♠" in row else 1
    keys = lines[lines.index(row) - above].replace("[", "").replace("]", "").split()[:columns]
    assert [player.keymap.labels[f"column-{number}"] for number in range(1, columns + 1)] == keys


@of_all_sizes
def test_hidden_cards_are_counted(size: tuple[int, int]) -> None:
    """However few backs are drawn, one can see how many cards lie face down."""
    hidden = "2c 3c 4c 5c 6c 7c"
    for column in (f"{hidden} KD", f"{hidden} {RUN}"):
        shown = text(klondike("", "", "", "", "", "", column).draw(size))
        backs = [row for row in shown.split("\n") if row.rstrip().endswith("▒▒▒")]
        assert len(backs) >= 6 or "▒6" in shown or "▒+" in shown


@of_all_sizes
def test_empty_columns_answer_to_the_pointer(size: tuple[int, int]) -> None:
    """From its key down to the prompt a column is a place to put cards down."""
    player = klondike("KS")
    canvas = player.draw(size)
    hit = hits(canvas, player.column(2))[None]
    assert hit.index is None
    assert canvas.hit(hit.x, canvas.height - 4) == hit


@pytest.mark.long
@examples(60)
@given(positions(), st.integers(80, 220), st.integers(24, 66), st.booleans())
def test_columns_stay_in_their_part(
    drawn: tuple[str, Position], width: int, height: int, letters: bool
) -> None:
    """No column reaches beyond its rows, nor to the players' part, and every one is there."""
    _, position = drawn
    player = Player.at_position(position, glyphs=ASCII if letters else UNICODE)
    scene: Scene = player.scene()
    canvas = Canvas(width, height)
    edge = divider_of((width, height))
    sheet = DrawContext(canvas, scene, choose("auto", width, height), player.glyphs, edge)
    draw_columns(sheet, 5, height - 3)
    rows = rows_of(canvas)
    assert not "".join(rows[:5] + rows[height - 3 :]).strip()
    assert not "".join(row[edge:] for row in rows).strip()
    for pile in position.rules.layout.seat_piles(0, Kind.TABLEAU):
        assert None in hits(canvas, pile)
        if position.board.cards[pile]:
            top = len(position.board.cards[pile]) - 1
            assert top in drawn_cards(canvas, pile, player)
