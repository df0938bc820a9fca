"""The tally page, shown after each hand and at the end of the match."""

from racing_demon_client.shared.message_text import TOO_LONG, duration
from racing_demon_client.terminal.drawing.canvas import Canvas
from racing_demon_client.terminal.style.glyphs import Glyphs, fit, screen_text, wrapped
from racing_demon_client.terminal.style.ink import Mark, Role
from racing_demon_protocol.enums import EndReason, Phase
from racing_demon_protocol.formatting import listing
from racing_demon_protocol.table import scoring
from racing_demon_protocol.table.state import DEALT, TableState
from racing_demon_protocol.wire.messages.server import HandResult

from .frame import Page, draw_page

NAME = 16
HAND = 6
BAR = 20
ROWS_AROUND = 4
"""The column headings, the legend of the asterisk, and an empty row before and after."""


def draw_tally(page: Page, size: tuple[int, int], glyphs: Glyphs) -> Canvas:
    """Return the picture of the tally, in a width and height of cells."""
    canvas = draw_page(page, size, glyphs)
    view, bottom = page.view, canvas.height - 2
    headline = _headline(view, _own(page)) if view.results or _is_running(view) else ""
    y = 2
    for line in wrapped(headline, canvas.width - 4):
        canvas.put(2, y, line, Role.ACCENT | Mark.STRONG)
        y += 1
    is_tight = y + ROWS_AROUND + len(scoring.totals(view)) > bottom
    y = _draw_rows(canvas, page, (y if is_tight else y + 1, bottom), glyphs)
    proof = wrapped(screen_text(page.proof), canvas.width - 4) if page.proof else []
    for line in proof if y + 1 + len(proof) <= bottom else ():
        canvas.put(2, y + 1, line, Role.WARNING if page.is_wrong else Role.DIM)
        y += 1
    page.draw_feed(canvas, y + 2, canvas.width, glyphs)
    return canvas


def _is_running(view: TableState) -> bool:
    """Return whether a hand is in play whose points are not in the tally yet."""
    return view.phase in DEALT


def _own(page: Page) -> int | None:
    """Return this player's seat in the match shown, unless somebody else held it then."""
    return None if page.seat in page.view.departed else page.seat


def _headline(view: TableState, own: int | None) -> str:
    """Return which hand is played, or how the last one and the match ended."""
    if _is_running(view):
        return f"Hand {view.hand} of {view.options.hands} is being played."
    result = view.results[-1]
    if view.phase is Phase.OVER and view.winners:
        won = listing(["you" if winner == own else _name(view, winner) for winner in view.winners])
        return f"The match is over: {won} won."
    return f"Hand {result.hand} of {view.options.hands}: {_ending(view, result, own)}"


def _ending(view: TableState, result: HandResult, own: int | None) -> str:
    after = f" after {duration(result.elapsed_ms)}"
    if result.reason is EndReason.OUT and result.out is not None:
        who = "you went out" if result.out == own else f"{_name(view, result.out)} went out"
        return who + after + "!"
    why = {
        EndReason.DEAD: "nobody could play any more",
        EndReason.STUCK: "everybody was stuck",
        EndReason.TIME_UP: TOO_LONG if view.is_early(result.elapsed_ms) else "the time was up",
        EndReason.ABANDONED: "everybody had left",
        EndReason.CLOSED: "the table was closed",
        EndReason.OUT: "somebody went out",
    }
    return why[result.reason] + after + "."


def _draw_rows(canvas: Canvas, page: Page, rows: tuple[int, int], glyphs: Glyphs) -> int:
    """Draw one row per player, as many as fit: points, total and a bar. Return the row below."""
    (y, bottom), view, own = rows, page.view, _own(page)
    running = scoring.points(view) if _is_running(view) else {}
    totals = {seat: total + running.get(seat, 0) for seat, total in scoring.totals(view).items()}
    seats = _fitting(sorted(totals, key=lambda seat: -totals[seat]), bottom - y - 1, own)
    room = canvas.width - NAME - 4 - 8
    bar = BAR if room > BAR + 3 * HAND else 0
    results = view.results[-max(1, (room - bar) // HAND - bool(running)) :]
    heads = "".join(f"{result.hand:>{HAND - 1}} " for result in results)
    heads += f"{'now':>{HAND - 1}} " if running else ""
    canvas.put(2, y, f"{'hand':{NAME}}{heads}  total", Role.DIM)
    best = max([1, *totals.values()])
    for row, seat in enumerate(seats, start=y + 1):
        ink = Role.ACCENT | Mark.STRONG if seat == own else Role.TEXT
        x = canvas.put(2, row, fit(_name(view, seat), NAME, glyphs), ink)
        for result in results:
            points = dict(zip(result.seats, result.points, strict=True)).get(seat)
            x = canvas.put(x, row, f"{'-' if points is None else points:>{HAND - 1}}", Role.TEXT)
            x = canvas.put(x, row, "*" if seat == result.out else " ", Role.BANNER | Mark.STRONG)
        if running:
            x = canvas.put(x, row, f"{running.get(seat, '-'):>{HAND - 1}} ", Role.ACCENT)
        x = canvas.put(x, row, f"{totals[seat]:>7}", Role.TEXT | Mark.STRONG)
        length = max(0, totals[seat]) * bar // best
        canvas.put(x + 2, row, glyphs.block * length, Role.ACCENT if seat == own else Role.FRAME)
        if seat in view.winners and view.phase is Phase.OVER:
            canvas.put(x + 3 + length, row, "won", Role.BANNER | Mark.STRONG)
    y += 1 + len(seats)
    if y < bottom and any(result.out is not None for result in results):
        canvas.put(2, y, "* went out", Role.DIM)
    return y + 1


def _fitting(seats: list[int], room: int, own: int | None) -> list[int]:
    """Return as many seats as fit, best first, always including this player's."""
    if own in seats[max(1, room) :]:
        return [*seats[: max(0, room - 1)], own]
    return seats[: max(1, room)]


def _name(view: TableState, seat: int) -> str:
    return screen_text(view.player(seat)) or f"seat {seat + 1}"
