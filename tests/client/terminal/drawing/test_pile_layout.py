"""Where the piles of any game are drawn."""

import re
from itertools import pairwise

import pytest

from racing_demon_client.shared.pile_names import addresses, cursor_piles, usable
from racing_demon_client.terminal.drawing.pile_layout import SIDE_KINDS, PileRect, arrange
from racing_demon_client.terminal.style import ASCII, Highlight
from racing_demon_protocol.engine.board import Kind
from racing_demon_protocol.engine.cards import UNKNOWN, name
from racing_demon_protocol.engine.factory import make_rules
from racing_demon_protocol.engine.specification import Geometry
from racing_demon_protocol.games import GAMES
from tests.support.cases import for_each
from tests.support.effort import amount, more_when_long
from tests.support.solitaire import Alone, moments, table_of
from tests.support.typical import of_games
from tests.support.view_models import rows_of

of_every_game = of_games(GAMES)
SIZES = ((80, 23), (120, 40), (200, 60))


@of_every_game
@for_each("size", SIZES, ids=["small", "medium", "large"])
def test_every_pile_has_a_place_of_its_own(game: str, size: tuple[int, int]) -> None:
    """Inside the screen, no two overlap, and none is missing but those of a line that hold no card."""
    rules = table_of(game).rules
    layout, seat = rules.layout, rules.layout.seats[0]
    piles = usable(rules, seat)
    width, height = size[0] - 1, size[1] - 4
    found = arrange(layout, piles, (width, height), framed=size[0] > 80)
    rects = [*found.squared, *found.columns]
    for rect in rects:
        assert rect.x >= 0
        assert rect.y >= 0
        assert rect.x + rect.width <= width
        assert rect.y + rect.height <= height
        assert rect.width > 1
    for one, other in pairs(rects):
        assert apart(one, other), (one, other)
    if any(layout.piles[pile].kind in SIDE_KINDS for pile in piles):
        x, y, reach = found.side_piles
        assert all(rect.y > y or rect.x >= x + reach for rect in rects)
    wanted = {
        pile
        for pile in piles
        if layout.piles[pile].kind not in SIDE_KINDS and layout.groups[pile].geometry is not Geometry.LINE
    }
    assert wanted == {rect.pile for rect in rects}


def pairs(rects: list[PileRect]) -> list[tuple[PileRect, PileRect]]:
    """Return all pairs."""
    return [(one, other) for number, one in enumerate(rects) for other in rects[:number]]


def apart(one: PileRect, other: PileRect) -> bool:
    """Tell whether two places do not touch each other's cells."""
    beside = one.x + one.width <= other.x or other.x + other.width <= one.x
    return beside or one.y + one.height <= other.y or other.y + other.height <= one.y


@pytest.mark.long
@more_when_long
@of_games(GAMES)
@for_each("size", SIZES[:2], ids=["small", "medium"])
def test_what_is_free_is_seen_and_answers(game: str, size: tuple[int, int]) -> None:
    """At many moments: each top is on the screen, each pile answers the pointer, each key is named."""
    for table in moments(game, amount(1, 3), 40, amount(20, 10)):
        player = Alone(table)
        canvas = player.draw(size)
        text = "\n".join(rows_of(canvas))
        hits = {
            hit.pile for y in range(size[1]) for x in range(size[0]) if (hit := canvas.hit(x, y)) is not None
        }
        rules, board, seat = table.rules, table.board, player.client.seat
        assert seat is not None
        for pile in cursor_piles(rules, board, seat):
            assert pile in hits
            top = board.top(pile)
            if top not in {None, UNKNOWN}:
                assert top is not None
                assert {canvas_name for canvas_name in names_of(player, top) if canvas_name in text}
        labels = player.session.keymap.labels
        for action in addresses(rules, board, seat):
            assert labels.get(action, "") in text


@pytest.mark.long
@of_every_game
def test_where_nothing_is_turned_no_key_says_so(game: str) -> None:
    """The footer speaks of turning where there is a stock, and of the next play where the key makes it."""
    for table in moments(game, 2, 40, 4):
        player = Alone(table)
        turns = table.rules.stock_play(table.board, 0) is not None
        does = "turn" if table.rules.layout.stock else "next"
        assert not turns or ("space", does) in player.session.keymap.footer()
    castle = Alone(next(moments("beleaguered-castle", 1, 1, 1)))
    assert all(does != "turn" for _, does in castle.session.keymap.footer())


@pytest.mark.long
@of_every_game
def test_all_that_is_taken_from_has_a_key(game: str) -> None:
    """At many moments: each pile of which a card can be played has a key of its own, but stock and goals."""
    for table in moments(game, 3, 40, 10):
        player = Alone(table)
        rules, board = table.rules, table.board
        named = {
            pile for name, pile in addresses(rules, board, 0).items() if name in player.session.keymap.labels
        }
        for play in rules.legal_plays(board, 0):
            if board.piles[play.source].kind not in {Kind.STOCK, Kind.FOUNDATION, Kind.OUT}:
                assert play.source in named


def names_of(player: Alone, card: int) -> set[str]:
    """Return what a card may be called on a screen."""
    glyphs = player.model.glyphs
    return {glyphs.card(card), glyphs.card(card, ten=True)}


@pytest.mark.long
@of_every_game
def test_ascii_will_do(game: str) -> None:
    """Every game can be drawn with the signs of ASCII alone."""
    for table in moments(game, 4, 20, 10):
        assert Alone(table).draw((80, 24), ASCII).text().isascii()


def test_a_dial_is_round() -> None:
    """Twelve lies above six, nine left of three, the thirteenth in the middle of them all."""
    rules = make_rules(GAMES["clock"], [0])
    rects = {
        rect.pile: rect for rect in arrange(rules.layout, usable(rules, 0), (79, 20), framed=False).squared
    }
    hours = [rects[pile] for pile in rules.layout.seat_piles(0, Kind.PACKET)]
    three, six, nine, twelve, middle = (hours[number] for number in (2, 5, 8, 11, 12))
    assert twelve.x == six.x == middle.x
    assert three.y == nine.y == middle.y
    assert twelve.y < middle.y < six.y
    assert nine.x < middle.x < three.x
    assert all(hours[n].y < hours[n + 1].y for n in range(5))


def test_the_middle_is_ringed() -> None:
    """What lies in the centre has all of a wreath around it, at the same distance."""
    rules = make_rules(GAMES["sultan"], [0])
    layout = rules.layout
    rects = arrange(layout, usable(rules, 0), (79, 20), framed=False).squared
    by_geometry = {
        geometry: [rect for rect in rects if layout.groups[rect.pile].geometry is geometry]
        for geometry in (Geometry.CENTRE, Geometry.WREATH)
    }
    (middle,), ring = by_geometry[Geometry.CENTRE], by_geometry[Geometry.WREATH]
    assert len(ring) == 8
    assert {(-1, -1), (0, -1), (1, -1), (-1, 0), (1, 0), (-1, 1), (0, 1), (1, 1)} == {
        ((rect.x > middle.x) - (rect.x < middle.x), (rect.y > middle.y) - (rect.y < middle.y))
        for rect in ring
    }


def test_a_line_closes_up() -> None:
    """Cards of a line lie beside each other with nothing between, and their letters run on."""
    *_, table = moments("push-pin", 1, 30, 1)
    player = Alone(table)
    named = addresses(table.rules, table.board, 0)
    assert all(table.board.cards[pile] for pile in named.values())
    assert [f"pile-{number}" for number in range(1, len(named) + 1)] == list(named)
    rects = arrange(
        table.rules.layout,
        usable(table.rules, 0),
        (79, 20),
        framed=False,
        line=list(named.values()),
    ).squared
    assert all(one.x + one.width + 1 == other.x or not other.x for one, other in pairwise(rects))
    assert player.draw((80, 24)).text()


def test_what_is_held_is_marked() -> None:
    """A pile that was picked up has a sign beside it that needs no color."""
    player = Alone(table_of("fourteen"))
    assert player.press("a") is None
    assert any(ink & Highlight.HELD for y in range(24) for _, ink in player.draw((80, 24)).runs(y))
    assert "▸" in player.draw((80, 24)).text()


def test_the_sultan_sits_as_told() -> None:
    """As the book draws him: clubs, diamonds and spades beside the hearts, the divan around."""
    player = Alone(table_of("sultan"))
    board, layout = player.table.board, player.table.rules.layout
    rects = arrange(layout, usable(player.table.rules, 0), (79, 20), framed=False).squared
    rows: dict[int, list[PileRect]] = {}
    for rect in sorted(rects, key=lambda rect: (rect.y, rect.x)):
        rows.setdefault(rect.y, []).append(rect)
    drawn = [
        [
            name(board.cards[rect.pile][-1], ascii_only=True)
            for rect in row
            if layout.piles[rect.pile].kind is Kind.FOUNDATION
        ]
        for row in rows.values()
    ]
    assert drawn == [["KC", "AH", "KC"], ["KD", "KH", "KD"], ["KS", "KH", "KS"], []]
    assert [(layout.piles[row[0].pile].kind, layout.piles[row[-1].pile].kind) for row in rows.values()] == [
        (Kind.CELL, Kind.CELL)
    ] * 4


@for_each("framed", [False, True])
def test_heads_lie_above_their_columns(framed: bool) -> None:
    """What goes underneath a column is put where its first card is: right above it."""
    rules = make_rules(GAMES["demon-b"], [0])
    found = arrange(rules.layout, usable(rules, 0), (79, 20 + 16 * framed), framed=framed)
    columns = {rect.pile: rect for rect in found.columns}
    heads = [rect for rect in found.squared if rules.layout.piles[rect.pile].kind is Kind.HEAD]
    assert len(heads) == 4
    for head in heads:
        column = columns[rules.layout.piles[head.pile].under or 0]
        assert (head.x, head.y + 1) == (column.x, column.y)


def test_what_lies_alone_lies_in_the_middle() -> None:
    """On a wide screen as much is free on the left as on the right, in games of any shape."""
    for game in ("clock", "sultan", "napoleon", "racing-demon"):
        for size in ((120, 40), (200, 60)):
            canvas = Alone(table_of(game)).draw(size)
            rows = [row.rstrip() for row in rows_of(canvas)[2:-3] if row.strip("─ ")]
            left = min(len(row) - len(row.lstrip()) for row in rows)
            right = min(size[0] - len(row) for row in rows)
            assert left > 5
            assert abs(left - right) < size[0] // 3, game


def test_cards_slipped_under_a_packet_are_counted() -> None:
    """A packet whose top lies face down tells how many cards came home below it, on every size."""
    *_, table = moments("clock", 1, 12, 1)
    counts = [
        sum(card != UNKNOWN for card in table.board.cards[pile.number])
        for pile in table.board.piles
        if pile.group == "packet"
    ]
    expected = sorted(f"{count} up" for count in counts if count)
    for size in ((80, 24), (120, 40)):
        assert expected == sorted(re.findall(r"\d up", Alone(table).draw(size).text()))


def test_groups_of_piles_have_names() -> None:
    """What no frame and no foundation explains has its name beside it."""
    names = {"clock": {"hand", "packet"}, "sultan": {"divan"}, "travellers": {"spare", "hand", "packet"}}
    for game, expected in names.items():
        for size in ((80, 24), (120, 40)):
            text = Alone(table_of(game)).draw(size).text()
            assert expected <= set(re.findall(r"[a-z]+", text)), (game, size)


def test_what_a_game_came_to_stays_until_a_key() -> None:
    """The notice lies over the cards, whole, on every size."""
    player = Alone(table_of("clock"))
    player.model.notice = ["No play is left that helps: 49 of 52 done in 2:05.", "F9  another deal"]
    for size in ((80, 24), (120, 40)):
        for line in player.model.notice:
            assert f" {line} " in player.draw(size).text()
