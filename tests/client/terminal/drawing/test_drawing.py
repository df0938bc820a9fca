"""The picture of the table, whole."""

from collections.abc import Iterator, Sequence
from itertools import count, islice

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len

from racing_demon_client.shared.rules_text import brief
from racing_demon_client.terminal.drawing.canvas import Canvas
from racing_demon_client.terminal.style import ASCII, UNICODE, Highlight, Role, choose
from racing_demon_protocol.engine.board import FOUNDATIONS, Kind, Play
from racing_demon_protocol.engine.cards import UNKNOWN, Card
from racing_demon_protocol.enums import Phase, Reason
from racing_demon_protocol.formatting import is_printable
from racing_demon_protocol.wire.messages import events as ev
from racing_demon_protocol.wire.messages.server import Refused
from tests.support.boards import Position, build, rules_of
from tests.support.cases import for_each
from tests.support.effort import amount, covering, examples, more_when_long
from tests.support.matches import MATCHES, of_matches
from tests.support.view_models import (
    HOSTILE,
    SIZES,
    Player,
    cells_of,
    divider_of,
    left_part,
    marks_of,
    moments,
    positions,
    right_part,
    rows_of,
)

of_all_sizes = for_each("size", SIZES, ids=["small", "medium", "large"])
STEP = amount(295, 59)
widths, heights = st.integers(80, 210), st.integers(24, 64)


def check_picture(player: Player, size: tuple[int, int]) -> Canvas:
    """Check all that must be true of any picture of a table, and return it."""
    canvas = player.draw(size)
    rows = rows_of(canvas)
    assert [size[0]] * size[1] == [cell_len(row) for row in rows]
    assert all(is_printable(char) for row in rows for char in row)
    if player.view.hand is None or player.model.activity.banner(player.now):
        return canvas
    density = choose("auto", *size)
    edge = divider_of(size)
    cells = cells_of(canvas)
    left = left_part(canvas).split("\n")
    divider = [row[edge] for row in cells[2 : size[1] - density.footer - 1]]
    signs = {player.glyphs.divider, player.glyphs.cross}
    assert set(divider) == signs
    assert divider.count(player.glyphs.cross) == 1 or player.glyphs.cross == player.glyphs.divider
    board = player.model.scene(player.now, {}, ()).board
    assert board is not None
    if player.model.focus is None:  # whoever watches a race on identical deals sees how far everybody is
        assert player.view.is_private
        seen = " ".join(rows_of(canvas))
        assert all(f" {each.reached} " in seen for each in player.view.hand.progress.values())
        return canvas
    for card, kind in visible_cards(player):
        names = {player.glyphs.card(card), player.glyphs.card(card, ten=True)}
        assert any(name in line for line in left for name in names), (kind, names)
    check_hits(canvas, player, [row[:edge] for row in cells])
    return canvas


def visible_cards(player: Player) -> Iterator[tuple[Card, Kind]]:
    """Yield the cards that must be seen of the layout that is drawn large, and on the foundations."""
    board, focus = player.board, player.model.focus
    assert focus is not None
    layout = player.rules.layout
    own = [pile for kind in Kind if kind is not Kind.STOCK for pile in layout.seat_piles(focus, kind)]
    for pile in dict.fromkeys(
        [*own, *(f for f in layout.foundations if layout.piles[f].seat in {None, focus})]
    ):
        top = board.top(pile)
        if top not in {None, UNKNOWN}:
            assert top is not None
            yield top, board.piles[pile].kind


def check_hits(canvas: Canvas, player: Player, left: Sequence[list[str]]) -> None:
    """Check that every pile which can be touched answers where it is drawn, and as what it is."""
    board, layout, focus = player.board, player.rules.layout, player.model.focus
    assert focus is not None
    found: dict[int, set[int | None]] = {}
    for y, line in enumerate(left):
        for x in range(len(line)):
            hit = canvas.hit(x, y)
            if hit is None or hit.pile is None:
                continue
            found.setdefault(hit.pile, set()).add(hit.index)
            assert board.piles[hit.pile].seat in {None, focus}
            if hit.index is not None and (x, y) == (hit.x + 1, hit.y):
                card = board.cards[hit.pile][hit.index]
                names = (player.glyphs.card(card), player.glyphs.card(card, ten=True))
                rows = left[y : y + min(2, hit.height)]  # in its top edge, or in its face
                assert card == UNKNOWN or any("".join(row[x : x + 3]).startswith(names) for row in rows)
    for kind in (Kind.STOCK, Kind.WASTE, Kind.RESERVE, Kind.TABLEAU):
        for pile in layout.seat_piles(focus, kind):
            assert pile in found
            if kind is Kind.TABLEAU and board.cards[pile]:
                assert len(board.cards[pile]) - 1 in found[pile]
    for pile in layout.foundations:
        assert (pile in found) == (pile in player.scene().slots)


def seats_of(name: str) -> list[int | None]:
    """Return the kinds of seats at a match: the first, the last, a spectator, and one who came too late."""
    players = MATCHES[name][0]
    return [0, players - 1, None, *([players] if players < 8 else [])]


# Whole matches.


@more_when_long
@of_matches
def test_all_that_matters_is_seen(name: str) -> None:
    """At many moments of a match, for every kind of seat and screen, the picture is sound."""
    for number, seat in enumerate(seats_of(name)):
        for size, player in zip(
            (SIZES[(number + turn) % 3] for turn in count()), moments(name, seat, STEP), strict=False
        ):
            check_picture(player, size)


def test_what_is_played_is_named_from_the_first_moment_on() -> None:
    """Before a card is dealt, too."""
    for player in islice(moments("racing-demon", 0, 1), 8):
        assert rows_of(player.draw())[0].startswith(" Klondike race")


@for_each("name", ["racing-demon", "house rules"])
def test_what_is_told_before_the_first_deal_is_whole(name: str) -> None:
    """Rules and keys can be read on the smallest screen, and no line is cut; below stands what happens."""
    before = (player for player in moments(name, 0, 1) if player.view.board is None)
    for player in islice(before, 3):
        text = player.draw().text()
        words = " ".join(text.split())
        assert UNICODE.more not in text
        assert " ".join(brief(player.view.options)) in words
        assert "how to play, and all keys; the mouse works, too" in words
        newest = [line.text for line in player.model.activity.feed][-1:]
        assert name == "house rules" or all(line in words for line in newest), "there the rules take all"


@pytest.mark.long
@of_all_sizes
@for_each("seat", [0, None])
def test_the_first_moments(seat: int | None, size: tuple[int, int]) -> None:
    """From the empty table to the first cards, event by event."""
    for number, player in enumerate(moments("racing-demon", seat, 1)):
        check_picture(player, size)
        if number > 7:
            return


@pytest.mark.long
@examples(120)
@given(positions(), st.data(), widths, heights)
def test_any_position_on_any_screen(
    drawn: tuple[str, Position], data: st.DataObject, width: int, height: int
) -> None:
    """The same at random positions and sizes, with cards held, under the cursor and in the air."""
    _, position = drawn
    seat = data.draw(st.sampled_from([*position.rules.layout.seats, None]))
    player = Player.at_position(position, seat, hints=True)
    if seat is not None:
        plays = position.plays(seat)
        for action in data.draw(
            st.lists(st.sampled_from(["right", "left", "more", "column-2", "waste"]), max_size=3)
        ):
            player.model.selection.press(action, player.now)
        flying = data.draw(st.sampled_from([None, *plays]))
        if flying is not None:
            player.chair.doubt(flying)
            canvas = player.draw((width, height))
            assert {width} == {cell_len(row) for row in rows_of(canvas)}
            return
    check_picture(player, (width, height))


@examples(80)
@given(
    st.sampled_from(["classic", "fooliana", "racing-demon"]),
    st.integers(1, 5),
    st.one_of(st.none(), st.integers(0, 100)),
    st.sampled_from([*SIZES, (119, 39), (189, 57)]),
    st.booleans(),
)
def test_stock_waste_and_reserve_are_seen_whatever_the_options(
    game: str, view: int, redeals: int | None, size: tuple[int, int], picked_up: bool
) -> None:
    """However many redeals are counted, all piles find room, and of the waste more than one card."""
    rules = rules_of(game, waste_view=view, redeals=redeals)
    reserve = "" if game == "racing-demon" else "2c 3c 4c 5c 6c 7c 8c 9c tc jc qc kc KC"
    position = build(
        rules,
        tableau=("9S",),
        stock="2d 3d 4d 5d 6d 7d 8d 9d td jd",
        waste="2H 3H 4H 5H 6H 7H 8H",
        reserve=reserve,
    )
    player = Player.at_position(position)
    if picked_up:
        player.type(";")
    canvas = check_picture(player, size)
    told = left_part(canvas)
    shown = [f"{rank}♥" in told for rank in range(9 - view, 9)]
    assert all(shown[-2:])
    assert all(shown) or size == (80, 24)
    assert redeals is None or any(f"10{words}{redeals} " in told for words in (" redeals ", "+"))


# Small terminals.


@for_each("size", [(79, 24), (80, 22), (40, 10), (60, 80)])
def test_a_terminal_that_is_too_small_is_told_so(size: tuple[int, int]) -> None:
    """Instead of half a table it shows what it needs and what it has."""
    for player in moments("racing-demon", 0, 300):
        canvas = player.draw(size)
        assert {size[0]} == {len(row) for row in rows_of(canvas)}
        told = canvas.text()
        assert "needs 80x23" in told
        assert f"has {size[0]}x{size[1]}" in told


@for_each("size", [(0, 0), (1, 1), (9, 2), (300, 1)])
def test_no_terminal_is_too_small_to_draw(size: tuple[int, int]) -> None:
    """Whatever the terminal says of itself, something of its size is drawn."""
    player = Player.at_position(build(rules_of(), tableau=("KS",)))
    canvas = player.draw(size)
    assert size[1] == len(rows_of(canvas))
    assert all(len(row) == size[0] for row in rows_of(canvas))


# Letters.


@pytest.mark.long
@of_matches
def test_in_letters_all_is_ascii(name: str) -> None:
    """On a terminal without signs nothing else is drawn, at any moment of any match."""
    for number, player in enumerate(moments(name, 0, 83, glyphs=ASCII)):
        check_picture(player, SIZES[number % 3])
        assert player.draw(SIZES[number % 3]).text().isascii()


# Names.


@pytest.mark.long
@for_each(("name", "size"), covering(HOSTILE, SIZES))
def test_hostile_names_move_nothing(name: str, size: tuple[int, int]) -> None:
    """Whatever somebody is called, no row changes its width, and nothing that is not printable is drawn."""
    position = build(rules_of(players=3), foundation=("AS",), tableau=("9S",), waste="2H")
    for seat in (0, None):
        player = Player.at_position(position, seat)
        for other in player.view.seats:
            player.view.record = player.view.record.with_seat(other, name=name[other:] or "x")
        refused = Refused(counter=1, reason=Reason.BEATEN, text=name, by=1, late_us=12_345)
        said = ev.Said(seq=1, seat=1, text=(name * 40)[:200] or "x")
        player.hear(refused, said, refused.model_copy(update={"reason": Reason.ILLEGAL}))
        check_picture(player, size)
        player.now += 10_000
        player.view.record = player.view.record._replace(phase=Phase.COUNTDOWN)
        check_picture(player, size)


@for_each("x", [60, 61, 78, 79])
def test_dragged_cards_may_cover_half_a_sign(x: int) -> None:
    """A card that is dragged over a wide name does not push the rest of the row."""
    position = build(rules_of(players=2), tableau=("KS QH",))
    player = Player.at_position(position)
    player.view.record = player.view.record.with_seat(1, name="漢字漢字漢字")
    player.type("a")
    for at in range(40, 56):
        player.model.selection.drag(at if x == 60 else x, 3)
        assert {80} == {cell_len(row) for row in rows_of(player.draw())}


@for_each("name", ["漢字漢字漢字", "Bartholomew"])
def test_who_was_first_is_told_to_the_end(name: str) -> None:
    """A line for which there is room is not cut, however wide its signs are."""
    position = build(rules_of(players=2), tableau=("2S",))
    player = Player.at_position(position)
    player.view.record = player.view.record.with_seat(1, name=name)
    player.hear(Refused(counter=1, reason=Reason.BEATEN, text="", by=1, late_us=12_000))
    assert f" {name} beat you to it by 12 ms " in player.draw().text()


# What is said around the cards.


def test_the_table_at_80x23() -> None:
    """Foundations by suits, the piles, the columns; beside them the players, and what happened."""
    position = build(
        rules_of(players=2),
        foundation=["AS 2S", "", "AH/1", "AC 2C 3C"],
        tableau=["KS", "4s 9H", "2d 3d QC JH"],
        stock="7d 8d 9d",
        waste="TC 6H",
    )
    position = build(position.rules, seat=1, tableau=["KD/1", "", "4s/1 9C/1"], upon=position)
    player = Player.at_position(position)
    expected = """
 Klondike race · hand 1 of 5 · 0:00  you 5   1st of 2                    ? help
────────────────────────────────────────────────────────────────────────────────
 ♠   2♠  ·                              │ player pts columns              cards
 ♥   A♥  ·                              │ Ben      1 K♦ ·· 9♣ ·· ·· ·· ··     3
 ♣   3♣  ·                              ├───────────────────────────────────────
 ♦   ·   ·                              │
────────────────────────────────────────│
 [space] stock ▒3  [;] waste 6♥ 2       │
  a    s    d    f    j    k    l       │
 ╭K♠╮ ▒▒▒▒ ▒▒▒▒ ╭╌╌╮ ╭╌╌╮ ╭╌╌╮ ╭╌╌╮     │
 │  │ ╭9♥╮ ▒▒▒▒ ╎  ╎ ╎  ╎ ╎  ╎ ╎  ╎     │
"""
    rows = [row.rstrip() for row in rows_of(player.draw())]
    assert expected.strip("\n").split("\n") == rows[:11]
    assert rows[22] == " asdfjkl move  qweruio up  space turn  ; waste  v stuck  ? help"


@for_each("size", [(120, 40), (200, 60)])
def test_cards_are_drawn_as_cards_where_there_is_room(size: tuple[int, int]) -> None:
    """Each foundation has the face of its top card, in a whole frame."""
    *_, player = moments("racing-demon", 0, 150)
    rows = rows_of(player.draw(size))
    piles = zip(player.board.piles, player.board.cards, strict=True)
    tops = [cards[-1] for pile, cards in piles if pile.kind is Kind.FOUNDATION and cards]
    assert tops
    for card in tops:
        name = UNICODE.card(card, ten=True)
        places = [(number, row.index(f"│{name} ")) for number, row in enumerate(rows) if f"│{name} " in row]
        assert any(rows[number - 1][x:].startswith("╭────") for number, x in places)


@for_each("size", [(120, 40), (200, 60)])
def test_the_others_layouts_are_drawn_where_there_is_room(size: tuple[int, int]) -> None:
    """Of each player the cards left and the top of every pile; of identical deals only progress."""
    for name in ("shouted", "eight"):
        player = next(moments(name, 0, 100))
        boxes = "\n".join(right_part(player.draw(size))).replace("10", "T")
        assert boxes.split("\n")[2].split()[:2] == ["player", "pts"]
        layout = player.rules.layout
        for seat in player.view.hand_seats[1:]:
            assert player.view.seats[seat].name in boxes
            for kind in (Kind.RESERVE, Kind.TABLEAU, Kind.WASTE):
                tops = [player.board.top(pile) for pile in layout.seat_piles(seat, kind)]
                assert all(UNICODE.card(card) in boxes for card in tops if card is not None)
            left = sum(len(player.board.cards[pile]) for pile in layout.seat_piles(seat, Kind.RESERVE))
            assert f"reserve   {left:4}" in boxes or name == "eight"
        assert boxes.count("██") >= len(player.view.hand_seats) - 1
    player = next(moments("fooliana", 0, 50))
    own = [row for row in right_part(player.draw(size)) if "╭" in row]
    assert player.view.is_private
    assert own == []


@for_each("size", [(80, 23), *SIZES])
@for_each("game", ["racing-demon", "classic"])
def test_another_s_ten_is_whole_in_every_pile(game: str, size: tuple[int, int]) -> None:
    """Its three cells are cut by no number beside it, and it is called the same wherever it lies."""
    rules = rules_of(game, players=2)
    reserve = "TC" if game == "classic" else ""
    position = build(rules, seat=1, reserve=reserve, waste="TS", tableau=[*[""] * 3, "TH"])
    boxes = "\n".join(right_part(Player.at_position(position).draw(size)))
    seen = [f"10{suit}" in boxes for suit in ("♥", "♠", "♣")]
    assert seen[0]
    assert seen[1] == (game == "classic" or size[0] > 80), "seven columns leave a waste no room"
    assert seen[2] == bool(reserve)


def test_a_spectator_is_told_whose_layout_is_seen() -> None:
    """The name stands above the cards, and the others beside them; the next player can be looked at."""
    player = Player.at_position(build(rules_of(players=3), tableau=("KS",)), None)
    assert "─ Ann ─" in left_part(player.draw())
    player.model.watch_next()
    canvas = player.draw()
    assert "─ Ben ─" in left_part(canvas)
    assert "you are watching" in canvas.text()
    assert [row[:4] for row in right_part(canvas)[3:5]] == [" Ann", " Cat"]


def test_a_late_comer_is_told_whose_layout_is_seen() -> None:
    """Who has a seat, and is not in this hand, sees the cards of somebody with a name."""
    player = Player.at_position(build(rules_of(players=2), tableau=("KS",)), 5)
    assert " Ann " in left_part(player.draw())


def test_clicking_a_player_looks_at_them() -> None:
    """In all densities a player's line or box answers with the seat."""
    player = Player.at_position(build(rules_of(players=3), tableau=("KS",)), None)
    for size in SIZES:
        canvas = player.draw(size)
        actions = [hit.action for y in range(size[1]) if (hit := canvas.hit(size[0] - 2, y)) is not None]
        assert list(dict.fromkeys(actions)) == ["help", "watch-2", "watch-3"]


def test_what_is_the_matter_with_a_player() -> None:
    """Stuck, away and left have signs in the narrow lines, and words in the boxes."""
    player = Player.at_position(build(rules_of(players=4), tableau=("KS",)))
    for seat, change in enumerate(["stuck", "connected", "left"], start=1):
        player.view.record = player.view.record.with_seat(seat, **{change: change != "connected"})
    assert [row[:4] for row in right_part(player.draw())[3:6]] == ["=Ben", "?Cat", "xDon"]
    for size in SIZES[1:]:
        told = player.draw(size).text()
        assert all(word in told for word in ("stuck", "away", "left"))


def test_trouble_and_numbers_in_the_header() -> None:
    """The round trip is told, and the time to paint where it is felt; trouble takes their place."""
    player = Player.at_position(build(rules_of(), tableau=("KS",)))
    player.model.ping_ms, player.model.paint_ms = 12.4, 49.6
    assert "ping 12 ms   ? help" in rows_of(player.draw())[0]
    player.model.paint_ms = 63.6
    assert "ping 12 ms   slow terminal" in rows_of(player.draw((120, 40)))[0]
    player.model.trouble = "connection lost: reconnecting..."
    assert "ping" not in rows_of(player.draw((120, 40)))[0]
    assert "connection lost: reconnecting..." in rows_of(player.draw((120, 40)))[0]
    assert "connection lost" in rows_of(player.draw())[0]


def test_marks_of_cards() -> None:
    """What is held, in the air, and where it fits, has its mark; held cards have a sign beside them."""
    player = Player.at_position(build(rules_of(), tableau=("KS QH", "AS", "KC", "2D")), hints=True)
    player.chair.doubt(Play(player.column(2), 1, FOUNDATIONS))
    player.model.selection.choose(player.column(1), player.now, count=1)
    for size in SIZES:
        canvas = player.draw(size)
        assert any("A♠" in text for text in marks_of(canvas, Highlight.UNCONFIRMED))
        assert any("Q♥" in text for text in marks_of(canvas, Highlight.HELD))
        assert not any("K♠" in text for text in marks_of(canvas, Highlight.HELD))
        assert any("K♣" in text for text in marks_of(canvas, Highlight.FITS))
        assert "▸Q♥" in left_part(canvas)
    player.model.selection.release()
    player.type("right")
    assert "»Q♥" in left_part(player.draw())


def test_the_signal_is_counted_down() -> None:
    """Before it big digits stand where the feed will be; and a word fills the screen when somebody is out."""
    player = Player.at_position(build(rules_of(), tableau=("KS",)))
    before = player.draw().text()
    player.model.activity.start_from(player.view, player.now, -2_500)
    player.view.record = player.view.record._replace(phase=Phase.COUNTDOWN)
    inks = {ink for y in range(23) for text, ink in player.draw().runs(y) if "█" in text}
    assert {Role.BANNER | Highlight.STRONG} == inks
    assert "█" not in before


def test_the_feed_wraps() -> None:
    """A long line goes on in the next row, and the newest line stands first."""
    player = Player.at_position(build(rules_of(players=2), tableau=("2S",)))
    player.hear(ev.Said(seq=1, seat=1, text="first"), ev.Said(seq=2, seat=1, text="second " * 9))
    right = right_part(player.draw())[:22]
    places = [number for number, row in enumerate(right) if "second" in row]
    assert 2 <= len(places) <= 3
    assert next(number for number, row in enumerate(right) if "first" in row) == places[-1] + 1


def test_who_talks_in_a_pause_is_heard_and_nobody_studies_the_cards() -> None:
    """Below the word that fills the screen the feed goes on; of the cards nothing is seen."""
    player = Player.at_position(build(rules_of(players=2), tableau=("KS",)))
    before = player.draw().text()
    player.hear(ev.Paused(seq=1), ev.Said(seq=2, seat=1, text="back in a minute"))
    paused = player.draw().text()
    assert "back in a minute" in paused
    assert "\u2588" in paused
    assert "K\u2660" in before
    assert "K\u2660" not in paused
