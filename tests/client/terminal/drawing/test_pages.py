"""The lobby as a picture: seats, and the link beside them."""

import re
from collections.abc import Callable
from dataclasses import replace
from itertools import product

from rich.cells import cell_len

from racing_demon_client.links import qr_lines, table_link
from racing_demon_client.records.timeline import Timeline
from racing_demon_client.shared.invitation import Invitation
from racing_demon_client.shared.title_text import TITLES, SeatTitle
from racing_demon_client.terminal.drawing.canvas import Canvas
from racing_demon_client.terminal.drawing.pages import Page, draw_analysis, draw_lobby, draw_page, draw_tally
from racing_demon_client.terminal.drawing.scene import About, FeedLine
from racing_demon_client.terminal.style import ASCII, UNICODE, Glyphs, Role
from racing_demon_protocol.constants import MAX_CHAT_LENGTH
from racing_demon_protocol.enums import Phase
from racing_demon_protocol.table.state import TableState
from racing_demon_protocol.wire.messages import client as cl
from racing_demon_protocol.wire.messages import events as ev
from racing_demon_protocol.wire.messages.handicap import Handicap
from racing_demon_protocol.wire.messages.server import SeatState
from racing_demon_protocol.wire.options import Options
from tests.support.cases import for_each
from tests.support.matches import final_view
from tests.support.recordings import recording_of
from tests.support.tables import Own, Sitting
from tests.support.view_models import HOSTILE, SIZES, rows_of

NAMES_OF_EIGHT = ("Ann", "Ben", "Cat", "Don", "Emy", "Flo", "Gil", "Ian")
ADDRESS = "ws://192.0.2.2:5252"
NAMES = ("Ann", "A name of twenty-four le")


def lobby() -> Page:
    """Return a page with two at the table, and much that has happened."""
    view = TableState("BCDF", Options())
    view.record = view.record._replace(
        seats={seat: SeatState(seat=seat, name=name, ready=True) for seat, name in enumerate(NAMES)}
    )
    view.record = view.record._replace(host=1)
    feed = [FeedLine(0, "x" * MAX_CHAT_LENGTH, Role.TEXT) for _ in range(20)]
    return Page(view=view, seat=0, addresses=[ADDRESS, "ws://[2001:db8:1:2:3:4:5:6]:5252"], feed=feed)


def test_a_small_window_says_in_full_what_the_qr_code_needs() -> None:
    """Forty columns have no room for the code, but for the whole sentence about it."""
    code = qr_lines(table_link(ADDRESS, "BCDF"), ascii_only=False)
    text = draw_lobby(lobby(), (40, 10), UNICODE, code).text().splitlines()
    assert any(line.strip() == "QR code: make the window larger" for line in text)


@for_each("host", ["127.0.0.1", "[::1]", "localhost"])
def test_an_address_that_no_other_device_can_use_says_so(host: str) -> None:
    """It leads every device to itself."""
    text = draw_lobby(replace(lobby(), addresses=[f"ws://{host}:5252"]), (80, 24), UNICODE).text()
    assert f"http://{host}:5252/BCDF on this device only" in text


@for_each("glyphs", [UNICODE, ASCII], ids=["unicode", "ascii"])
@for_each("size", [(80, 24), (80, 40), (120, 40), (200, 60)])
def test_the_link_stands_beside_all_else(size: tuple[int, int], glyphs: Glyphs) -> None:
    """Where the code for cameras is shown it is whole, and who is there, and the host, can still be read."""
    code = qr_lines(table_link(ADDRESS, "BCDF"), ascii_only=glyphs is ASCII)
    text = draw_lobby(lobby(), size, glyphs, code).text().splitlines()
    left = size[0] - len(code[0]) - 2
    if len(code) > size[1] - 4 or left < 40:
        assert any("make the window larger" in line for line in text)
        left = size[0]
    else:
        assert list(code) == [line[left : left + len(code[0])] for line in text[2 : 2 + len(code)]]
    for seat, name in enumerate(NAMES):
        (line,) = (line[:left] for line in text if line.startswith(f"  {seat + 1} {name[:8]}"))
        assert "ready" in line
        assert seat != 1 or "host" in line


@for_each("size", [(80, 24), (80, 40), (120, 40)])
def test_the_invitation_over_the_internet_stands_below_the_one_in_the_room(size: tuple[int, int]) -> None:
    """The link is whole, however long its name is; what is wrong with the tunnel is told in its place.

    Who is away is named below: what opens a seat is no picture for everybody.
    """
    link = f"https://{'-'.join(['consistently'] * 4)}.trycloudflare.com/#7BCDFGHJKLMNPQ23"
    trouble, labels = "The tunnel is starting.", {"people": "p"}
    for invitation, away, told in (
        (Invitation(link=link), (), link),
        (Invitation(link=link), ["Ben"], "p shows the link by which Ben returns"),
        (Invitation(trouble=trouble), (), trouble),
    ):
        page = replace(lobby(), invitation=invitation, away=away, labels=labels)
        text = draw_lobby(page, size, UNICODE).text()
        assert told in "".join(line.strip() for line in text.splitlines())
        assert f"{table_link(ADDRESS, 'BCDF')} in a browser" in text


@for_each("number", [1, 4])
@for_each("has_code", [False, True])
def test_what_is_said_stays_in_view_beside_a_code_and_below_a_note(number: int, *, has_code: bool) -> None:
    """At 80 by 24, whatever a tunnel lacks: free seats are counted, and the rules go first."""
    page = lobby()
    page.view.record = page.view.record._replace(
        seats={seat: SeatState(seat=seat, name=f"P{seat}") for seat in range(number)}
    )
    said = [*page.feed, FeedLine(0, "P0 says: hello", Role.TEXT)]
    note = Invitation(trouble="The tunnel has ended, and is started again. " * 4)
    full = replace(page, feed=said, invitation=note, addresses=page.addresses[:1], labels={"back": "Esc"})
    code = qr_lines(table_link(ADDRESS, "BCDF"), ascii_only=False) if has_code else ()
    text = draw_lobby(full, (80, 24), UNICODE, code).text()
    assert "P0 says: hello" in text
    assert "(Esc hides this)" in text


@for_each("number", [1, 4, 5, 8])
@for_each(("size", "most"), [((80, 23), 4), ((80, 24), 5), ((120, 40), 8)])
def test_whoever_waits_reads_how_the_game_goes(size: tuple[int, int], most: int, number: int) -> None:
    """What ends a hand, and what it counts, is told below the seats; the newest words stay in view.

    Where rows are few, details go first, and the log before the words: the seats say who is ready.
    """
    page = lobby()
    page.view.record = page.view.record._replace(
        seats={seat: SeatState(seat=seat, name=f"P{seat}") for seat in range(number)}
    )
    said = FeedLine(0, "P0 says: hello", Role.ACCENT, About.SAID)
    log = [FeedLine(None, f"P{each}: ready", Role.DIM) for each in range(9)]
    text = draw_lobby(replace(page, feed=[*page.feed, said, *log]), size, UNICODE).text()
    words = " ".join(text.split())
    told = "ends when somebody is out of cards" in words and "Your own cards up count 1" in words
    assert told == (number <= most)
    assert ("Columns build down" in words) <= told
    assert (f"{8 - number} seats free" in words) == (number < 8)
    assert "P0 says: hello" in text
    assert all(f"P{seat} " in text for seat in range(number))


def test_handicaps_are_seen_in_the_lobby() -> None:
    """In words where they fit, and else in figures; the tally has them below."""
    page = lobby()
    view = page.view
    view.record = view.record.with_seat(0, handicap=Handicap(heap=-2))
    view.record = view.record.with_seat(1, handicap=Handicap(heap=2, delay_s=9, points=-3))
    text = draw_lobby(page, (80, 24), UNICODE).text()
    assert "2 fewer in the reserve" in text
    assert "reserve +2, +9 s" in text
    assert (
        "2 more in the reserve, starts 9 s later, -3 points a hand"
        in draw_lobby(page, (120, 40), UNICODE).text()
    )
    assert "your handicap: 2 fewer in the reserve" in draw_tally(page, (80, 24), UNICODE).text()


SMALL = [(40, 10), (40, 12), (60, 14), (80, 12)]


@for_each("number", [1, 2, 5, 8])
@for_each("size", SMALL, ids=[f"{width}x{height}" for width, height in SMALL])
def test_a_small_lobby_leaves_the_footer_alone(size: tuple[int, int], number: int) -> None:
    """All ends above the prompt and the keys; who finds no room is counted, and oneself is seen."""
    page = lobby()
    page.view.record = page.view.record._replace(
        seats={seat: SeatState(seat=seat, name=f"P{seat}") for seat in range(number)}
    )
    own = replace(page, seat=number - 1, prompt="Enter deals.", footer=[("?", "help", "help")])
    lines = draw_lobby(own, size, UNICODE).text().splitlines()
    assert draw_page(own, size, UNICODE).text().splitlines()[-2:] == lines[-2:]
    seen = {line.split()[1] for line in lines if line[2:3].isdigit() and line.split()[1].startswith("P")}
    assert f"P{number - 1}" in seen
    hidden = number - len(seen)
    assert hidden == 0 or f"{hidden} more" in "\n".join(lines)
    assert "Klondike race" in "\n".join(lines[2:])


@for_each(
    ("game", "seats", "places"),
    [
        ("racing-demon", 8, 8),
        ("racing-demon", 3, 3),
        ("sympathy", 8, 2),
        ("sympathy", 1, 2),
        ("clock", 8, 8),
        ("of-another-server", 5, 5),
    ],
)
def test_there_are_as_many_places_as_may_be_taken(game: str, seats: int, places: int) -> None:
    """The game and the options say how many; who sits there already has one, and the others are counted."""
    page = lobby()
    page.view.record = page.view.record._replace(options=Options(game=game, seats=seats))
    text = draw_lobby(page, (120, 40), UNICODE).text()
    free = places - len(page.view.seats)
    assert re.findall(r"(\d) seats? free", text) == [str(free)] * (free > 0)


def test_all_that_is_not_as_usual_can_be_read() -> None:
    """Where much was changed, it is told in several lines, and what has happened stands below them."""
    page = lobby()
    changed = {"countdown_ms": 1_000, "tally_ms": 9_000, "watch_delay_ms": 30_000, "hints": True, "turn": 1}
    page.view.record = page.view.record._replace(options=Options.model_validate({"hands": 7, **changed}))
    text = draw_lobby(page, (80, 24), UNICODE).text().splitlines()
    first = next(y for y, line in enumerate(text) if line.strip().startswith("Klondike race, 7 hands"))
    pauses = "delay for spectators: 30 s · countdown before a hand: 1 s · tally between hands: 9 s"
    assert f"one card at a time · hints on · {pauses}" == " ".join(
        line.strip() for line in text[first + 1 : first + 3]
    )
    assert text[first + 3].strip() == "≠ turn 1 (3)"
    assert not text[first + 4].strip()


def test_nobody_is_told_to_have_won_for_having_the_winner_s_seat() -> None:
    """Who came to a seat after the match reads who had it; who was there reads "you"."""
    view = final_view("racing-demon").copy()
    assert Phase.OVER is view.phase
    winner = view.winners[0]
    name = view.player(winner)
    page = Page(view=view, seat=winner, addresses=[], feed=[])
    assert "you won" in draw_tally(page, (80, 24), UNICODE).text()
    view.apply(ev.Left(seq=view.seq + 1, seat=winner))
    view.apply(ev.Joined(seq=view.seq + 1, seat=winner, name="Eve"))
    text = draw_tally(page, (80, 24), UNICODE).text()
    assert f"{name} won" in text
    assert "you" not in text


def test_whoever_has_won_is_told_whole_beside_any_number_of_hands() -> None:
    """The hands before make room for the word, in windows of every width."""
    view = final_view("racing-demon").copy()
    view.record = view.record._replace(results=view.results * 9)
    page = Page(view=view, seat=None)
    for width in range(44, 122):
        rows = draw_tally(page, (width, 24), UNICODE).text().splitlines()
        assert any(row.endswith(" won") for row in rows), width


@for_each("height", [24, 40])
def test_the_tally_after_a_match_has_everybodys_title(height: int) -> None:
    """A line each where there are rows for them, the player's own first; with eight at 80 by 24, in a row."""
    view = four_pairs()
    titles = [SeatTitle(seat=seat, title=title, value=7) for seat, title in enumerate(list(TITLES)[:8])]
    text = draw_tally(Page(view=view, seat=6, titles=titles), (80, height), UNICODE).text()
    assert (f"\n  you: {TITLES[titles[6].title](7)[0]}" in text) == (height > 24)
    words = " ".join(text.split())
    assert "Titles of the evening: you: " in words
    assert all(f"{view.player(each.seat)}: {TITLES[each.title](7)[0]}" in words for each in titles[:3])


def test_what_was_said_can_be_read() -> None:
    """A chat line as long as one may be, of wide characters too, stands in the tally to its end."""
    said = "Ben says: " + "\u6f22\u5b57" * 100
    page = replace(lobby(), feed=[FeedLine(None, "before", Role.TEXT), FeedLine(None, said, Role.TEXT)])
    text = draw_tally(page, (80, 24), UNICODE).text()
    assert "".join(said.split()) in "".join(text.split())


def test_under_a_result_stand_what_is_said_and_what_has_come_since() -> None:
    """The log of the hand, whose result it is, and what was before it would bury the words."""
    lines = (
        ("Ben: ready", About.TABLE),
        ("Ben says: luck!", About.SAID),
        ("hand 1", About.NEW_HAND),
        ("Ben: A up", About.HAND),
        ("Ann says: gg", About.SAID),
        ("hand 1 is over", About.HAND),
        ("Cat took seat 3", About.TABLE),
    )
    page = replace(lobby(), feed=[FeedLine(None, text, about=about) for text, about in lines])
    rows = [row.strip() for row in draw_tally(page, (80, 24), UNICODE).text().splitlines()]
    shown = [text for text, _ in lines if text in rows]
    assert shown == ["Ben says: luck!", "Ann says: gg", "Cat took seat 3"]


@for_each("draw", [draw_lobby, draw_tally])
def test_the_key_for_codes_is_named_to_whom_somebody_is_missing(draw: Callable[..., Canvas]) -> None:
    """Lobby and tally name those who were here before, and the key, but show nobody's code."""
    page = replace(lobby(), labels={"people": "p"}, absent=["Cat"])
    assert "p shows a code for Cat on a new phone" in draw(page, (80, 24), UNICODE).text()
    page = replace(page, absent=["Cat", "Ben", "Dan", "Eve"])
    assert "p shows a code for Cat, Ben or 2 others on" in draw(page, (80, 24), UNICODE).text()
    assert "shows a code" not in draw(replace(page, absent=[]), (80, 24), UNICODE).text()


def page_of(name: str, focus: int | None, names: tuple[str, ...] = ()) -> Page:
    """Return what is known after a match, in which the players may be called otherwise."""
    timeline = Timeline(recording_of(name))
    view = timeline.view_at(len(timeline))
    for seat, other in enumerate(names):
        if seat in view.seats:
            view.record = view.record.with_seat(seat, name=other)
    return Page(view=view, seat=focus, focus=focus, analysis=timeline.analysis_at(len(timeline)))


@for_each("first", range(0, len(HOSTILE), 8))
def test_names_do_not_break_the_picture(first: int) -> None:
    """Each row is as wide as the terminal, and holds nothing that could steer it."""
    page = page_of("eight", 3, HOSTILE[first : first + 8])
    for size, glyphs in product([*SIZES, (40, 10), (20, 5)], (UNICODE, ASCII)):
        for row in rows_of(draw_analysis(page, size, glyphs)):
            assert size[0] == cell_len(row), (size, glyphs, row)
            assert "\x1b" not in row, (size, glyphs)
            assert "\u202e" not in row, (size, glyphs)


def test_the_own_hand_comes_first() -> None:
    """A player's own analysis is told in full, everybody else's in a line."""
    text = "\n".join(rows_of(draw_analysis(page_of("eight", 3), (120, 40), UNICODE)))
    assert "The last hand, as you played it:" in text
    assert text.count("in stock and waste") == 1
    assert text.count(" buried") == 7


@for_each(("glyphs", "other"), [(UNICODE, r"\bT[♠♥♣♦]"), (ASCII, r"[A-Z0-9][HD]\b|\bT[SC]")])
def test_cards_are_called_as_on_the_table(glyphs: Glyphs, other: str) -> None:
    """A ten is no T, and in letters red cards are small, in the analysis and at the tally."""
    for seat in range(8):
        page = page_of("eight", seat)
        text = draw_analysis(page, (120, 40), glyphs).text() + draw_tally(page, (80, 24), glyphs).text()
        assert glyphs.card_text(9)[:2] in text
        assert not re.findall(other, text)


def test_before_the_first_hand_there_is_none() -> None:
    """Where no hand is over yet the picture says what will be there."""
    page = Page(view=page_of("eight", None).view, seat=None)
    assert "After each hand" in "\n".join(rows_of(draw_analysis(page, (80, 24), UNICODE)))


def four_pairs(**options: object) -> TableState:
    """Return a table of eight in four teams after a match of one hand, which Cat and Gil have won."""
    sitting = Sitting.lobby(8, teams=4, hands=1, **options)
    sitting.start()
    sitting.lay([" ".join(f"{rank}S/2" for rank in "A23456789")], *[Own(["KD"])] * 8)
    for seat in range(8):
        sitting.events(seat, cl.Stuck)
    return sitting.mirror


@for_each("glyphs", [UNICODE, ASCII], ids=["unicode", "ascii"])
def test_each_player_has_the_letter_of_a_team(glyphs: Glyphs) -> None:
    """In the lobby it stands before the name, so teams are told apart without color."""
    lines = (
        draw_lobby(Page(view=Sitting.lobby(8, teams=4).mirror, seat=0), (80, 24), glyphs).text().splitlines()
    )
    names = [line[2:].split()[:3] for line in lines if line[2:3].isdigit() and line[3:4] == " "]
    assert names[:2] == [["1", "A", "Ann"], ["2", "B", "Ben"]]
    assert names[6:8] == [["7", "C", "Gil"], ["8", "D", "Ian"]]


@for_each("height", [18, 24])
def test_a_tally_has_each_team_above_its_players(height: int) -> None:
    """Down to 18 rows, four pairs with their totals, and who has won; where fewer fit, the teams."""
    view = four_pairs()
    text = draw_tally(Page(view=view, seat=6), (80, height), UNICODE).text()
    assert "team C (Cat and you) won" in text
    rows = [line.split() for line in text.splitlines()]
    names = [
        row[1] if row[0] == "team" else row[0]
        for row in rows
        if row and row[0] in {"team", "you", *NAMES_OF_EIGHT}
    ]
    assert names[:3] == ["C", "Cat", "you"]
    assert sorted(names) == sorted([*"ABCD", "you", *(set(NAMES_OF_EIGHT) - {"Gil"})])
    assert next(row[:4] for row in rows if row[:2] == ["team", "C"]) == ["team", "C", "9", "9"]
    tight = draw_tally(Page(view=view, seat=6), (60, 13), UNICODE).text()
    assert all(f"team {letter}" in tight for letter in "ABCD")
    assert "you" in tight
