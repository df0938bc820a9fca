"""Pages shown between hands: lobby, tally and analysis, in a common frame."""

import textwrap
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from racing_demon_client.links import is_own_device, table_link
from racing_demon_client.shared.analysis_text import full, hashes, moment_text, summary
from racing_demon_client.shared.invitation import Invitation
from racing_demon_client.shared.match_text import (
    PHRASES,
    changes,
    comforts,
    hand_text,
    name_text,
    terms,
    title_text,
)
from racing_demon_client.shared.message_text import TOO_LONG, MessageText, duration
from racing_demon_client.shared.option_text import total_word
from racing_demon_client.shared.rules_text import brief
from racing_demon_client.shared.seat_text import (
    handicap_lines,
    handicap_text,
    next_handicaps,
    ready_text,
    short_handicap_text,
    team_name,
    with_team,
)
from racing_demon_client.shared.table_view import TallyRow, name_of, tally_rows
from racing_demon_client.shared.title_text import SeatTitle, title_lines
from racing_demon_client.terminal.style import (
    Glyphs,
    Highlight,
    Role,
    cut,
    fit,
    screen_text,
    shortened,
    wrapped,
)
from racing_demon_protocol.enums import EndReason, Phase
from racing_demon_protocol.formatting import join_words, pluralize
from racing_demon_protocol.games import GAMES, seats_of
from racing_demon_protocol.records.analysis import SeatAnalysis
from racing_demon_protocol.table import scoring
from racing_demon_protocol.table.state import DEALT, TableState
from racing_demon_protocol.wire.messages.server import HandResult, SeatState

from .canvas import Canvas, HitArea
from .scene import About, FeedLine
from .seats import seat_ink


@dataclass(frozen=True, kw_only=True)
class Page:
    """One moment of a table between hands.

    Attributes:
        view: the table.
        seat: this player's seat; ``None`` for a spectator.
        focus: the seat to show: this player's own or the watched one.
        addresses: the addresses to join under.
        invitation: that over the internet, of a server of this user's own.
        absent: the names of those who were here before and are missing: the host may ask for their codes.
        away: the names of those who have a seat and are away: the host may ask for the links back to it.
        is_hosted: whether the table is on this machine.
        feed: the lines of the feed, newest last.
        prompt: what to do next.
        is_warning: whether the prompt reports a problem.
        trouble: the connection problem to show, if any.
        watchers: the number of spectators.
        seed: the secret of the last hand, once revealed.
        proof: the result of verifying it.
        is_wrong: whether verification failed.
        analysis: the analysis of that hand, for each player.
        titles: the titles of the evening, once a match is over.
        ping_ms: how long this player's way to the server and back takes, if it is known.
        labels: the key label of each action.
        footer: the keys, each with its effect and its action.

    """

    view: TableState
    seat: int | None
    focus: int | None = None
    addresses: Sequence[str] = ()
    invitation: Invitation | None = None
    absent: Sequence[str] = ()
    away: Sequence[str] = ()
    is_hosted: bool = False
    feed: Sequence[FeedLine] = ()
    prompt: str = ""
    is_warning: bool = False
    trouble: str = ""
    watchers: int = 0
    seed: str = ""
    proof: str = ""
    is_wrong: bool = False
    analysis: Sequence[SeatAnalysis] = ()
    titles: Sequence[SeatTitle] = ()
    ping_ms: float | None = None
    labels: Mapping[str, str] = field(default_factory=dict)
    footer: Sequence[tuple[str, str, str]] = ()
    """Each with its action, which a click carries out."""

    def draw_feed(self, canvas: Canvas, y: int, width: int, *, is_result: bool = False) -> None:
        """Write the feed from a row on, newest last, in the rows and columns available.

        Under a result, which tells how the hand went, stand what people say and what has come since. Where
        rows are few, what is said comes before what the page shows elsewhere.
        """
        feed = list(self.feed)
        if is_result:
            start = max((at for at, line in enumerate(feed) if line.about is About.NEW_HAND), default=0)
            shown = {About.SAID}, {About.SAID, About.TABLE}
            feed = [line for at, line in enumerate(feed) if line.about in shown[at >= start]]
        room = canvas.height - 3 - y
        if room < FEW_ROWS:
            quiet = [at for at, line in enumerate(feed) if (line.about, line.role) == (About.TABLE, Role.DIM)]
            left_out = set(quiet[: max(0, len(feed) - room)])
            feed = [line for at, line in enumerate(feed) if at not in left_out]
        latest = feed[-room:] if room > 0 else []
        rows = [(text, line.role) for line in latest for text in wrapped(line.text, width - 4)]
        for row, (text, role) in enumerate(rows[-room:], start=y):
            canvas.put(2, row, text, role)


def draw_page(page: Page, size: tuple[int, int], glyphs: Glyphs) -> Canvas:
    """Return a picture with the shared frame; rows 2 to the third last are free."""
    width, height = size
    canvas = Canvas(width, height)
    canvas.put(1, 0, "Racing Demon", Role.ACCENT | Highlight.STRONG)
    if page.trouble:
        text = cut(page.trouble, width - 16, glyphs)
        canvas.put(width - len(text) - 1, 0, text, Role.WARNING | Highlight.STRONG)
    canvas.rule(1, 0, width, glyphs.rule)
    canvas.rule(height - 2, 0, width, glyphs.rule)
    if page.prompt:
        ink = Role.WARNING if page.is_warning else Role.ACCENT | Highlight.STRONG
        end = canvas.put(2, height - 2, f" {cut(page.prompt, width - 6, glyphs)} ", ink)
        canvas.touch(HitArea(2, height - 2, end - 2, 1, action="enter"))
    x = 1
    for keys, does, action in page.footer:
        if x + len(keys) + len(does) + 1 > width:
            break
        start = x
        x = canvas.put(x, height - 1, keys, Role.KEY | Highlight.STRONG)
        x = canvas.put(x + 1, height - 1, does, Role.DIM)
        canvas.touch(HitArea(start, height - 1, x - start, 1, action=action))
        x += 2
    return canvas


UNREACHED = "this machine is not on a network: nobody else can reach the table"

LOBBY_NAME_WIDTH = 24
BESIDE_NAME = 34
"""The cells for a seat's details and number, beside the name, and for a gap before the QR code."""
MAX_OPTIONS = 3
"""The maximum number of lines for options that differ from the defaults."""
MIN_ROWS_BELOW_SEATS = 3
"""The briefing takes two rows below the seats, after an empty one."""
ROWS_BETWEEN = 5
"""The title, and empty rows before and after the seats, after the options and after the briefing."""
MIN_FEED_ROWS = 1
"""The minimum number of rows for chat."""
FEW_ROWS = 6
"""With fewer rows, chat comes before the other lines of the feed."""
MIN_ROOM = 40
"""The minimum width of everything beside the QR code."""
MAX_NOTE_ROWS = (5, 2)
"""The number of rows for what is wrong with a tunnel; and where rows are few."""
ROOMY = (120, 40)
"""From this size on the QR code fits beside the seats."""


def is_roomy(size: tuple[int, int]) -> bool:
    """Return whether QR codes fit beside the seats without being asked for."""
    return size[0] >= ROOMY[0] and size[1] >= ROOMY[1]


class _Lobby(NamedTuple):
    """A lobby to draw, and the width for everything beside the QR code."""

    canvas: Canvas
    page: Page
    room: int
    glyphs: Glyphs


def draw_lobby(page: Page, size: tuple[int, int], glyphs: Glyphs, qr: Sequence[str] = ()) -> Canvas:
    """Return the picture of the lobby, in a width and height of cells.

    Args:
        page: the page.
        size: the width and height.
        glyphs: the glyphs.
        qr: the lines of the QR code, if it is to be shown.

    """
    canvas = draw_page(page, size, glyphs)
    room = _room_beside(canvas, qr)
    lobby = _Lobby(canvas, page, room, glyphs)
    view = page.view
    _draw_table_line(lobby)
    y = 3
    bottom = size[1] - 2
    seat_rows = len(view.seats) + 1  # and how many are free
    most_rows = max(seat_rows, _places(view))
    is_tight = y + len(page.addresses) + most_rows + MIN_ROWS_BELOW_SEATS > bottom
    y = _draw_ways_to_join(lobby, y, is_tight=is_tight)
    if is_tight:
        has_note = bool(qr) and room == canvas.width  # the message that the code does not fit
        _draw_tightly(lobby, y, bottom - has_note)
        _draw_qr(canvas, qr, room)
        return canvas
    phrases = _differences(view, room - 4, glyphs)
    left = bottom - 1 - y - len(phrases) - ROWS_BETWEEN - seat_rows
    rules = _briefing(view, room - 4, left - MIN_FEED_ROWS)
    y = _draw_seats(lobby, y + 1)
    end = canvas.put(2, y, cut(title_text(view.options), room - 4, glyphs), Role.TEXT | Highlight.STRONG)
    for row, (line, role) in enumerate(phrases, start=y + 1):
        canvas.put(2, row, line, role)
    canvas.touch(HitArea(2, y, room - 4, 1 + len(phrases), action="options"))
    _draw_guide_key(lobby, end + 4, y)
    y += 2 + len(phrases)
    for row, line in enumerate(rules, start=y):
        canvas.put(2, row, line, Role.TEXT)
    y += len(rules) + bool(rules)
    page.draw_feed(canvas, y, room)
    _draw_qr(canvas, qr, room)
    return canvas


def _draw_guide_key(lobby: _Lobby, x: int, y: int) -> None:
    """Draw the key that shows how the game is played, where there is room beside its title."""
    canvas, key, text = lobby.canvas, lobby.page.labels.get("help", ""), "new to this game?"
    if key and x + len(text) + 1 + len(key) <= lobby.room - 2:
        end = canvas.put(x, y, text, Role.DIM)
        end = canvas.put(end + 1, y, key, Role.KEY)
        canvas.touch(HitArea(x, y, end - x, 1, action="help"))


def _draw_table_line(lobby: _Lobby) -> None:
    """Draw the table's code, who may come, and the keys for invitations."""
    canvas, page, room, _ = lobby
    view = page.view
    x = canvas.put(2, 2, "table ", Role.DIM)
    x = canvas.put(x, 2, screen_text(view.code), Role.BANNER | Highlight.STRONG)
    if view.locked:
        x = canvas.put(x + 2, 2, "with a passphrase", Role.DIM)
    if view.entry_closed:
        x = canvas.put(x + 2, 2, "locked", Role.DIM)
    if page.watchers:
        x = canvas.put(x + 2, 2, f"{page.watchers} watching", Role.DIM)
    is_reached = any(not is_own_device(address) for address in page.addresses)
    if (is_reached or (page.invitation and page.invitation.link)) and "qr" in page.labels:
        x = canvas.put(x + 4, 2, page.labels["qr"], Role.KEY)
        end = canvas.put(x + 1, 2, "QR code", Role.DIM)
        canvas.touch(HitArea(x - 1, 2, end - x + 1, 1, action="qr"))
        x = end
    if page.invitation is not None and "internet" in page.labels:
        key = page.labels["internet"]
        words = "over the internet" if page.invitation.link is None else "close the tunnel"
        if x + len(f"    {key} {words}") < room:
            x = canvas.put(x + 4, 2, key, Role.KEY)
            end = canvas.put(x + 1, 2, words, Role.DIM)
            canvas.touch(HitArea(x - 1, 2, end - x + 1, 1, action="internet"))


def _draw_ways_to_join(lobby: _Lobby, y: int, *, is_tight: bool) -> int:
    """Draw how others join, in this room and over the internet. Return the row below."""
    canvas, page, room, glyphs = lobby
    view, ways = page.view, []
    for address in page.addresses[:1] if is_tight else page.addresses:
        link = table_link(screen_text(address), screen_text(view.code))
        how = "on this device only" if is_own_device(address) else "in a browser, or with racing-demon join"
        ways.append((f"{link} {how}", Role.TEXT))
    invitation = page.invitation
    if invitation is not None and invitation.link is not None:
        # A link is shown whole, however long its name is.
        link, width, words = screen_text(invitation.link), max(1, room - 4), " over the internet"
        link += words if len(link) % width + len(words) <= width else ""
        ways += [(link[at : at + width], Role.TEXT) for at in range(0, len(link), width)]
    if invitation is not None and invitation.note and not (is_tight and invitation.link):
        role = Role.DIM if invitation.link else Role.WARNING
        note = _note_lines(invitation.note, lobby, MAX_NOTE_ROWS[is_tight])
        canvas.touch(HitArea(2, y + len(ways), room - 4, len(note), action="back"))
        ways += [(line, role) for line in note]
    if text := _codes_text(page):
        canvas.touch(HitArea(2, y + len(ways), room - 4, 1, action="people"))
        ways.append((text, Role.ACCENT))
    if page.is_hosted and not page.addresses:
        ways.append((UNREACHED, Role.WARNING))
    for row, (line, role) in enumerate(ways, start=y):
        canvas.put(2, row, cut(screen_text(line), room - 4, glyphs), role)
    return y + len(ways)


def _note_lines(note: str, lobby: _Lobby, most: int) -> list[str]:
    """Return what there is to know of the tunnel in a few lines; the last one names the key that hides it."""
    width, key = lobby.room - 4, lobby.page.labels.get("back", "")
    lines = wrapped(note, width)[:most]
    hint = f" ({key} hides this)" if key else ""
    if hint and len(lines) < most and len(lines[-1]) + len(hint) > width:
        lines.append("")
    return [*lines[:-1], (cut(lines[-1], width - len(hint), lobby.glyphs) + hint).lstrip()]


def _room_beside(canvas: Canvas, lines: Sequence[str]) -> int:
    """Return the width left of the QR code; the whole width without one."""
    room = canvas.width - len(lines[0]) - 2 if lines else 0
    return room if room >= MIN_ROOM and len(lines) <= canvas.height - 4 else canvas.width


def _draw_qr(canvas: Canvas, lines: Sequence[str], room: int) -> None:
    """Draw the QR code at the right; never a part of it."""
    if room < canvas.width:
        for y, line in enumerate(lines, 2):
            canvas.put(room, y, line)
    elif lines:
        text = "QR code: make the window larger"
        canvas.put(canvas.width - len(text) - 2, canvas.height - 3, text, Role.WARNING)


def _differences(view: TableState, width: int, glyphs: Glyphs) -> list[tuple[str, Role]]:
    """Return what to know of the rules, and what differs from the preset, in a few lines."""
    known = terms(view.options, len(view.seats), known_deal=view.known_deal is not None)
    said = f" {glyphs.dot} ".join([*known, *comforts(view.options)])
    marked = "  ".join(
        f"{glyphs.differs} {change.text}" + (f" ({change.usual})" if change.usual else "")
        for change in changes(view.options)
    )
    dim = [(line, Role.DIM) for line in shortened(said, width, MAX_OPTIONS - 1, glyphs)] if said else []
    room = MAX_OPTIONS - len(dim)
    return dim + ([(line, Role.TEXT) for line in shortened(marked, width, room, glyphs)] if marked else [])


def _places(view: TableState) -> int:
    """Return how many seats to show; taken seats are shown whatever the game."""
    places = seats_of(view.options) if view.options.game in GAMES else view.options.seats
    return max([places, *(seat + 1 for seat in view.seats)])


def _briefing(view: TableState, width: int, rows: int) -> list[str]:
    """Return what fits of the game's briefing: all, how it begins and ends, its beginning, or nothing."""
    if view.options.game not in GAMES:
        return []
    goal, own_cards, end = brief(view.options, view.time_limit_ms)
    texts = (f"{goal} {own_cards} {end}", f"{goal} {end}", goal)
    return next((lines for text in texts if len(lines := wrapped(text, width)) <= rows), [])


def _draw_seats(lobby: _Lobby, y: int) -> int:
    """Draw the seats that are taken, and how many are free; return the row below."""
    canvas, seats = lobby.canvas, lobby.page.view.seats
    for row, seat in enumerate(sorted(seats), start=y):
        _draw_seat(lobby, seat, row)
    y += len(seats)
    free = _places(lobby.page.view) - len(seats)
    phrases = [ready_text(lobby.page.view), f"{pluralize(free, 'seat')} free" if free else ""]
    canvas.put(2, y, ", ".join(filter(None, phrases)), Role.DIM)
    return y + 2


def _draw_tightly(lobby: _Lobby, y: int, bottom: int) -> None:
    """Draw as many players as fit above the footer, this one first; then how many are left."""
    canvas, page, room, glyphs = lobby
    taken = sorted(page.view.seats, key=lambda seat: (seat != page.seat, seat))
    fitting = bottom - y - 1
    for row, seat in enumerate(taken[:fitting], start=y):
        _draw_seat(lobby, seat, row)
    shown = min(len(taken), max(0, fitting))
    hidden, free = len(taken) - shown, _places(page.view) - len(taken)
    phrases = [
        f"{hidden} more" * bool(hidden),
        pluralize(free, "seat") + " free" if free else "",
        name_text(page.view.options),
    ]
    if y + shown < bottom:
        line = cut(", ".join(filter(None, phrases)), room - 4, glyphs)
        canvas.put(2, y + shown, line, Role.DIM)
        canvas.touch(HitArea(2, y + shown, len(line), 1, action="options"))


def _draw_seat(lobby: _Lobby, seat: int, y: int) -> None:
    canvas, page, room, glyphs = lobby
    state = page.view.seats[seat]
    canvas.put(2, y, str(seat + 1), Role.DIM)
    name = with_team(state.team, screen_text(state.name))
    ink = seat_ink(page.view, seat, page.seat)
    x = canvas.put(4, y, fit(name, min(LOBBY_NAME_WIDTH, room - BESIDE_NAME), glyphs), ink)
    kinds = ["you" if seat == page.seat else _seat_kind(state), "host" * (seat == page.view.host)]
    x = canvas.put(x + 2, y, f"{', '.join(filter(None, kinds)):13} ", Role.DIM)
    if not state.left:
        x = canvas.put(x, y, *(("ready", Role.KEY) if state.ready else ("not yet", Role.DIM)))
    handicap = next_handicaps(page.view).get(seat)
    if handicap is not None:
        left, text = room - x - 3, handicap_text(handicap)
        text = text if len(text) <= left else short_handicap_text(handicap)
        canvas.put(x + 2, y, cut(text, left, glyphs), Role.WARNING)


def _seat_kind(state: SeatState) -> str:
    if state.left:
        return "left"
    if state.bot:
        return f"bot, {screen_text(state.bot)}"
    if not state.connected:
        return f"away, bot {screen_text(state.stand_in)}" if state.stand_in else "away"
    return "muted" if state.muted else "program" * state.program


TALLY_NAME_WIDTH = 16
MAX_ABSENT_NAMES = 2
"""How many names of those who are missing are shown."""
HAND_WIDTH = 6
WON = "won"
BAR_WIDTH = 20
"""The minimum width of a bar; it gets what the hands leave."""
ROWS_BELOW_BARS = 12
"""With so many rows to spare below them, an empty row stands between players."""
ROWS_AROUND = 4
"""The column headings, the legend of the asterisk, and an empty row before and after."""


def draw_tally(page: Page, size: tuple[int, int], glyphs: Glyphs) -> Canvas:
    """Return the picture of the tally, in a width and height of cells."""
    canvas = draw_page(page, size, glyphs)
    view, bottom = page.view, canvas.height - 2
    headline = _headline(view, _own(page)) if view.results or _is_running(view) else ""
    y = 2
    for line in wrapped(headline, canvas.width - 4):
        canvas.put(2, y, line, Role.ACCENT | Highlight.STRONG)
        y += 1
    rows = len(scoring.totals(view)) + len(scoring.team_totals(view))
    is_tight = y + ROWS_AROUND + rows > bottom
    y = _draw_rows(canvas, page, (y if is_tight else y + 1, bottom), glyphs)
    for line in _moment_lines(page, canvas.width - 4, glyphs):
        if y + 1 < bottom:
            canvas.put(2, y + 1, line, Role.TEXT)
            y += 1
    for line in _title_lines(page, (canvas.width - 4, bottom - y - 1), glyphs):
        canvas.put(2, y + 1, line, Role.ACCENT)
        y += 1
    proof = wrapped(screen_text(page.proof), canvas.width - 4) if page.proof else []
    for line in proof if y + 1 + len(proof) <= bottom else ():
        canvas.put(2, y + 1, line, Role.WARNING if page.is_wrong else Role.DIM)
        y += 1
    if (text := _codes_text(page)) and y + 1 < bottom:
        text = cut(screen_text(text), canvas.width - 4, glyphs)
        end = canvas.put(2, y + 1, text, Role.ACCENT)
        canvas.touch(HitArea(2, y + 1, end - 2, 1, action="people"))
        y += 1
    page.draw_feed(canvas, y + 2, canvas.width, is_result=True)
    return canvas


def _moment_lines(page: Page, width: int, glyphs: Glyphs) -> list[str]:
    """Return what cost this player most in the last hand, and which key shows more; empty while one runs."""
    own = [moment for each in page.analysis if each.seat == page.seat for moment in each.moments]
    if not own or _is_running(page.view):
        return []
    text = moment_text(own[0], MessageText(page.view, page.seat, card_name=glyphs.card_text))
    more, key = len(own) - 1, page.labels.get("analysis")
    return wrapped(screen_text(f"{text} ({key}: {more} more)" if more and key else text), width)


def _title_lines(page: Page, room: tuple[int, int], glyphs: Glyphs) -> list[str]:
    """Return the titles of the evening in the columns and rows that there are, this player's first."""
    own_first = sorted(page.titles, key=lambda title: title.seat != page.seat)
    lines = title_lines(own_first, MessageText(page.view, page.seat, card_name=glyphs.card_text))
    lines = [screen_text(line) for line in lines]
    if len(lines) > room[1] and lines:  # one after the other
        lines = wrapped(f"{lines[0]} {'; '.join(lines[1:])}", room[0])
    return [cut(line, room[0], glyphs) for line in lines[: max(0, room[1])]]


def _codes_text(page: Page) -> str:
    """Return how the host gets what somebody needs to come, or to return; empty if nobody is missed."""
    things = []
    if page.away:
        things.append(f"the link by which {_some_of(page.away)} returns")
    if page.absent:
        things.append(f"a code for {_some_of(page.absent)} on a new phone")
    key = page.labels.get("people")
    return f"{key} shows {' or '.join(things)}" if key and things else ""


def _some_of(names: Sequence[str]) -> str:
    """Return a few names in words, and how many others there are."""
    shown = list(names[:MAX_ABSENT_NAMES])
    if more := len(names) - len(shown):
        shown.append(pluralize(more, "other"))
    return join_words(shown, "or")


def _is_running(view: TableState) -> bool:
    """Return whether a hand is in play whose points are not in the tally yet."""
    return view.phase in DEALT


def _own(page: Page) -> int | None:
    """Return this player's seat in the match shown, unless somebody else held it then."""
    return None if page.seat in page.view.departed else page.seat


def _headline(view: TableState, own: int | None) -> str:
    """Return which hand is played, or how the last one and the match ended."""
    if _is_running(view):
        return f"{_hand(view, view.hand_number)} is being played."
    result = view.results[-1]
    if view.phase is Phase.OVER and view.winners:
        won = join_words([name_of(view, winner, own, screen_text) for winner in view.winners])
        teams = scoring.teams_of(view)
        if sides := sorted({teams[winner] for winner in view.winners if winner in teams}):
            won = f"{join_words([team_name(side) for side in sides])} ({won})"
        return f"The match is over: {won} won."
    return f"{_hand(view, result.hand)}: {_ending(view, result, own)}"


def _hand(view: TableState, hand: int) -> str:
    """Return which hand of a match this is, to begin a sentence."""
    known = f", {PHRASES['known']}" if view.known_deal is not None else ""
    return hand_text(hand, view.options, ", ", view.last_hand).capitalize() + known


def _ending(view: TableState, result: HandResult, own: int | None) -> str:
    after = f" after {duration(result.elapsed_ms)}"
    if result.reason is EndReason.OUT and result.out is not None:
        who = (
            "you went out"
            if result.out == own
            else f"{name_of(view, result.out, clean=screen_text)} went out"
        )
        return who + after + "!"
    why = {
        EndReason.DEAD: "nobody could play any more",
        EndReason.STUCK: "everybody was stuck",
        EndReason.TIME_UP: TOO_LONG if view.is_early(result.elapsed_ms) else "the time was up",
        EndReason.ABANDONED: "everybody had left",
        EndReason.CLOSED: "the match was ended early",
        EndReason.OUT: "somebody went out",
    }
    return why[result.reason] + after + "."


def _draw_rows(canvas: Canvas, page: Page, rows: tuple[int, int], glyphs: Glyphs) -> int:
    """Draw one row per player, as many as fit: points, total and a bar. Return the row below."""
    (y, bottom), view, own = rows, page.view, _own(page)
    running = scoring.points(view) if _is_running(view) else {}
    rows_shown = _fitting(tally_rows(view, own, running, screen_text), bottom - y - 1, own)
    indent = "  " if any(row.is_team for row in rows_shown) else ""
    room = canvas.width - TALLY_NAME_WIDTH - 4 - 8
    room -= len(f" {WON}") if view.phase is Phase.OVER else 0
    least = BAR_WIDTH if room > BAR_WIDTH + 3 * HAND_WIDTH else 0
    results = view.results[-max(1, (room - least) // HAND_WIDTH - bool(running)) :]
    bar = room - 1 - HAND_WIDTH * (len(results) + bool(running)) if least else 0
    heads = "".join(f"{result.hand:>{HAND_WIDTH - 1}} " for result in results)
    heads += f"{'now':>{HAND_WIDTH - 1}} " if running else ""
    canvas.put(2, y, f"{'hand':{TALLY_NAME_WIDTH}}{heads}  {total_word(view.options)}", Role.DIM)
    best = max([1, view.options.target or 0, *(row.total for row in rows_shown)])
    step = 2 if y + 2 * len(rows_shown) + ROWS_BELOW_BARS <= bottom else 1
    for at, row in zip(range(y + 1, bottom, step), rows_shown, strict=False):
        is_own, name = own in row.seats, row.name if row.is_team else indent + row.name
        if not row.is_team:
            ink = bar_ink = seat_ink(view, row.seats[0], own)
        else:
            ink, bar_ink = Role.ACCENT | Highlight.STRONG if is_own else Role.TEXT, Role.FRAME
        x = canvas.put(2, at, fit(name, TALLY_NAME_WIDTH, glyphs), ink)
        for result in results:
            points = row.points_in(result)
            x = canvas.put(x, at, f"{'-' if points is None else points:>{HAND_WIDTH - 1}}", Role.TEXT)
            went_out = result.out is not None and row.seats == (result.out,)
            x = canvas.put(x, at, "*" if went_out else " ", Role.BANNER | Highlight.STRONG)
        if running:
            now = "-" if row.now is None else row.now
            x = canvas.put(x, at, f"{now:>{HAND_WIDTH - 1}} ", Role.ACCENT)
        x = canvas.put(x, at, f"{row.total:>7}", Role.TEXT | Highlight.STRONG)
        length = max(0, row.total) * bar // best
        canvas.put(x + 2, at, glyphs.rule * bar, Role.DIM)  # the way to the goal
        canvas.put(x + 2, at, glyphs.block * length, bar_ink)
        if view.phase is Phase.OVER and not set(row.seats).isdisjoint(view.winners):
            canvas.put(x + 3 + bar, at, WON, Role.BANNER | Highlight.STRONG)
    y += 1 + step * len(rows_shown)
    if y < bottom and any(result.out is not None for result in results):
        canvas.put(2, y, "* went out", Role.DIM)
    for line in handicap_lines(view, own):
        y += 1
        if y < bottom:
            canvas.put(2, y, cut(screen_text(line), canvas.width - 4, glyphs), Role.DIM)
    return y + 1


def _fitting(rows: list[TallyRow], room: int, own: int | None) -> list[TallyRow]:
    """Return as many rows as fit, best first, always with this player's; teams before their players."""
    if len(rows) <= room:
        return rows
    rows = sorted(rows, key=lambda row: not row.is_team)
    mine = [row for row in rows[max(1, room) :] if row.seats == (own,) and not row.is_team]
    return [*rows[: max(1, room) - len(mine)], *mine]


def draw_analysis(page: Page, size: tuple[int, int], glyphs: Glyphs) -> Canvas:
    """Return the picture of the analysis in a width and height of cells: this player's first."""
    canvas = draw_page(page, size, glyphs)
    last = canvas.height - 3
    if not page.analysis:
        canvas.put(2, 2, "After each hand, its analysis appears here.", Role.DIM)
        return canvas
    words = MessageText(page.view, page.seat, card_name=glyphs.card_text)
    first = next((each for each in page.analysis if each.seat == page.focus), page.analysis[0])
    who = screen_text(words.player_name(first.seat))
    canvas.put(2, 2, f"The last hand, as {who} played it:", Role.ACCENT | Highlight.STRONG)
    y = 4
    for line in full(first, words, page.ping_ms if first.seat == page.seat else None):
        for part in textwrap.wrap(screen_text(line), canvas.width - 6, subsequent_indent="  "):
            if y <= last:
                canvas.put(2, y, cut(part, canvas.width - 4, glyphs), Role.TEXT)
            y += 1
    y += 1
    for each in page.analysis:
        if each is not first and y <= last:
            canvas.put(2, y, cut(screen_text(summary(each, words)), canvas.width - 4, glyphs), Role.DIM)
            y += 1
    for line in hashes(page.view, page.seed, words):
        if y < last:
            canvas.put(2, y + 1, cut(screen_text(line), canvas.width - 4, glyphs), Role.DIM)
            y += 1
    return canvas
