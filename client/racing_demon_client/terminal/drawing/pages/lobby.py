"""The lobby page: the seats, the game and how others can join."""

from collections.abc import Sequence

from racing_demon_client.links import link_of
from racing_demon_client.shared.briefing import brief
from racing_demon_client.shared.option_text import options_text
from racing_demon_client.shared.phrases import title_of
from racing_demon_client.terminal.drawing.canvas import Canvas, Hit
from racing_demon_client.terminal.style.glyphs import Glyphs, cut, fit, screen_text, shortened, wrapped
from racing_demon_client.terminal.style.ink import Mark, Role
from racing_demon_protocol.formatting import counted
from racing_demon_protocol.games import GAMES, seats_of
from racing_demon_protocol.table.state import TableState
from racing_demon_protocol.wire.messages.server import SeatState

from .frame import Page, draw_page

UNREACHED = "this machine is in no network: nobody else reaches the table"

NAME = 24
BESIDE_NAME = 33
"""The cells for a seat's details and number, beside the name."""
MOST_OPTIONS = 3
"""The maximum number of lines for options that differ from the defaults."""
LEAST_BELOW_SEATS = 3
"""The briefing takes two rows below the seats, after an empty one."""
ROWS_BETWEEN = 5
"""The title, and empty rows before and after the seats, after the options and after the briefing."""
LEAST_FEED = 2
"""The minimum number of rows for chat."""
LEAST = 40
"""The minimum width of everything beside the QR code."""
ROOMY = (120, 40)
"""From this size on the QR code fits beside the seats."""


def shows_qr(wanted: bool | None, size: tuple[int, int]) -> bool:
    """Return whether the QR code is shown: as the player chose, or else if it fits."""
    return (size[0] >= ROOMY[0] and size[1] >= ROOMY[1]) if wanted is None else wanted


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
    view = page.view
    x = canvas.put(2, 2, "table ", Role.DIM)
    x = canvas.put(x, 2, screen_text(view.code), Role.BANNER | Mark.STRONG)
    if view.locked:
        x = canvas.put(x + 2, 2, "with a passphrase", Role.DIM)
    if page.watchers:
        x = canvas.put(x + 2, 2, f"{page.watchers} watching", Role.DIM)
    y = 3
    if page.addresses and "qr" in page.labels:
        x = canvas.put(x + 4, 2, page.labels["qr"], Role.KEY)
        end = canvas.put(x + 1, 2, "QR code", Role.DIM)
        canvas.touch(Hit(x - 1, 2, end - x + 1, 1, action="qr"))
    bottom = size[1] - 2
    is_tight = y + len(page.addresses) + _places(view) + LEAST_BELOW_SEATS > bottom
    for address in page.addresses[:1] if is_tight else page.addresses:
        link = link_of(screen_text(address), screen_text(view.code))
        line = f"{link} in a browser, or with racing-demon join"
        canvas.put(2, y, cut(line, room - 4, glyphs), Role.TEXT)
        y += 1
    if page.is_hosted and not page.addresses:
        canvas.put(2, y, cut(UNREACHED, room - 4, glyphs), Role.WARNING)
        y += 1
    if is_tight:
        has_note = bool(qr) and room == canvas.width  # the message that the code does not fit
        _draw_tightly(canvas, page, (y, bottom - has_note), room, glyphs)
        _draw_qr(canvas, qr, room)
        return canvas
    phrases = shortened(options_text(view.options), room - 4, MOST_OPTIONS, glyphs)
    rules = _rules(view, room - 4)
    left = bottom - y - len(phrases) - len(rules) - ROWS_BETWEEN
    folds = left - _places(view) < LEAST_FEED <= left - len(view.seats) - 1
    y = _draw_seats(canvas, page, y + 1, room, glyphs, folds=folds)
    canvas.put(2, y, title_of(view.options.game), Role.TEXT | Mark.STRONG)
    for row, line in enumerate(phrases, start=y + 1):
        canvas.put(2, row, line, Role.DIM)
    canvas.touch(Hit(2, y, room - 4, 1 + len(phrases), action="options"))
    y += 2 + len(phrases)
    if y + len(rules) + LEAST_FEED < bottom:
        for row, line in enumerate(rules, start=y):
            canvas.put(2, row, line, Role.TEXT)
        y += len(rules) + 1
    page.draw_feed(canvas, y, room, glyphs)
    _draw_qr(canvas, qr, room)
    return canvas


def _room_beside(canvas: Canvas, lines: Sequence[str]) -> int:
    """Return the width left of the QR code; the whole width without one."""
    room = canvas.width - len(lines[0]) - 2 if lines else 0
    return room if room >= LEAST and len(lines) <= canvas.height - 4 else canvas.width


def _draw_qr(canvas: Canvas, lines: Sequence[str], room: int) -> None:
    """Draw the QR code at the right; never a part of it."""
    if room < canvas.width:
        for y, line in enumerate(lines, 2):
            canvas.put(room, y, line)
    elif lines:
        text = "QR code: make the window larger"
        canvas.put(canvas.width - len(text) - 2, canvas.height - 3, text, Role.WARNING)


def _places(view: TableState) -> int:
    """Return how many seats to show; taken seats are shown whatever the game."""
    places = seats_of(view.options) if view.options.game in GAMES else view.options.seats
    return max([places, *(seat + 1 for seat in view.seats)])


def _rules(view: TableState, room: int) -> list[str]:
    """Return the game's briefing, wrapped to a width; empty for an unknown game."""
    phrases = brief(view.options, view.time_limit_ms) if view.options.game in GAMES else ()
    return wrapped(" ".join(phrases), room) if phrases else []


def _draw_seats(  # noqa: PLR0913
    canvas: Canvas, page: Page, y: int, room: int, glyphs: Glyphs, *, folds: bool
) -> int:
    """Draw the seats and return the row below; folded free seats become a number."""
    places = _places(page.view)
    shown = sorted(page.view.seats) if folds else range(places)
    for row, seat in enumerate(shown, start=y):
        _draw_seat(canvas, page, (seat, row), room, glyphs)
    y += len(shown)
    if folds:
        canvas.put(2, y, f"{counted(places - len(shown), 'seat')} free", Role.DIM)
        y += 1
    return y + 1


def _draw_tightly(canvas: Canvas, page: Page, rows: tuple[int, int], room: int, glyphs: Glyphs) -> None:
    """Draw as many players as fit above the footer, this one first; then how many are left."""
    y, bottom = rows
    taken = sorted(page.view.seats, key=lambda seat: (seat != page.seat, seat))
    fitting = bottom - y - 1
    for row, seat in enumerate(taken[:fitting], start=y):
        _draw_seat(canvas, page, (seat, row), room, glyphs)
    shown = min(len(taken), max(0, fitting))
    hidden, free = len(taken) - shown, _places(page.view) - len(taken)
    phrases = [
        f"{hidden} more" * bool(hidden),
        counted(free, "seat") + " free" if free else "",
        title_of(page.view.options.game),
    ]
    if y + shown < bottom:
        line = cut(", ".join(filter(None, phrases)), room - 4, glyphs)
        canvas.put(2, y + shown, line, Role.DIM)
        canvas.touch(Hit(2, y + shown, len(line), 1, action="options"))


def _draw_seat(canvas: Canvas, page: Page, place: tuple[int, int], room: int, glyphs: Glyphs) -> None:
    seat, y = place
    state = page.view.seats.get(seat)
    canvas.put(2, y, str(seat + 1), Role.DIM)
    if state is None:
        canvas.put(4, y, glyphs.dot, Role.DIM)
        return
    ink = Role.ACCENT | Mark.STRONG if seat == page.seat else Role.TEXT
    x = canvas.put(4, y, fit(screen_text(state.name), min(NAME, room - BESIDE_NAME), glyphs), ink)
    x = canvas.put(x + 2, y, f"{_kind(state):14}", Role.DIM)
    ready = state.ready and not state.left
    x = canvas.put(x, y, "ready" if ready else "-", Role.KEY if ready else Role.DIM)
    if seat == page.view.host:
        canvas.put(x + 2, y, "host", Role.ACCENT)


def _kind(state: SeatState) -> str:
    if state.left:
        return "left"
    if state.bot:
        return f"bot, {screen_text(state.bot)}"
    if not state.connected:
        return f"away, bot {screen_text(state.stand_in)}" if state.stand_in else "away"
    return "muted" if state.muted else ""
