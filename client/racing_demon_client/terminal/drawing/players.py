"""The other players: their layouts, a line for each, or their progress; and the feed below them."""

from collections.abc import Sequence

from racing_demon_client.shared.message_text import duration
from racing_demon_client.terminal.style import Highlight, Role, fit, shortened
from racing_demon_protocol.engine.board import Kind
from racing_demon_protocol.wire.messages.server import SeatState

from .canvas import HitArea, draw_banner
from .layouts import HEADING, LEAST_LINES, draw_layouts
from .scene import About, DrawContext
from .seats import cards_left, name_ink, put_top, seat_name, state_word

MIN_NAME_WIDTH, SHORT_NAME = 5, 6
RACE_NAME = 10
FEED_ROWS = 9
"""The rows that the feed keeps below the players' layouts, with the rule above it."""
MAX_LINES = 3
"""The feed's maximum length; the tally shows all of it."""
SHORT_KINDS = {Kind.RESERVE: "rsv", Kind.WASTE: "wst"}


def others(ctx: DrawContext) -> list[int]:
    """Return the seats drawn beside the large layout, in seat order."""
    return [seat for seat in ctx.scene.view.hand_seats if seat != ctx.scene.focus]


def draw_players(ctx: DrawContext, x: int, y: int) -> int:
    """Draw the other players and return the row below them."""
    if ctx.scene.view.is_private:
        return draw_race(ctx, (x + 1, y), ctx.canvas.width - x - 2)
    seats = others(ctx)
    room = ctx.canvas.height - ctx.density.footer - 1 - y - FEED_ROWS
    lines = min(ctx.density.player, (room - HEADING) // max(1, len(seats)))
    if not seats or lines < LEAST_LINES:
        return _draw_lines(ctx, x, y, seats)
    return draw_layouts(ctx, (x, y), seats, lines)


def draw_race(ctx: DrawContext, corner: tuple[int, int], width: int) -> int:
    """Draw everyone's progress on identical deals, the leader first; return the row below."""
    (x, y), view, canvas = corner, ctx.scene.view, ctx.canvas
    assert view.hand is not None
    progress = view.hand.progress
    most = max([ctx.rules.game.deck_size, *(each.reached for each in progress.values())])
    bar = max(0, width - 3 - RACE_NAME - 5 - 6)
    for place, seat in enumerate(ctx.scene.ranking, start=1):
        state, reached = view.seats.get(seat), progress[seat].reached
        at = canvas.put(x, y, f"{place}. ", Role.DIM)
        ink = name_ink(ctx, seat)
        at = canvas.put(at, y, fit(seat_name(state, seat, ctx.scene.seat), RACE_NAME, ctx.glyphs), ink)
        at = canvas.put(at, y, f"{reached:4} ", Role.TEXT | Highlight.STRONG)
        filled = max(0, reached) * bar // most
        canvas.put(at, y, ctx.glyphs.bars[-1] * filled, Role.ACCENT)
        canvas.put(at + filled, y, ctx.glyphs.dot * (bar - filled), Role.DIM)
        canvas.put(at + bar + 1, y, state_word(state), Role.WARNING)
        y += 1
    return y


def _draw_lines(ctx: DrawContext, x: int, y: int, seats: Sequence[int]) -> int:
    """Draw one line per player: name, points, column tops, waste and reserve tops, cards left."""
    layout = ctx.rules.layout
    singles = [kind for kind in (Kind.RESERVE, Kind.WASTE) if seats and layout.seat_piles(seats[0], kind)]
    columns = max((len(layout.seat_piles(seat, Kind.TABLEAU)) for seat in seats), default=0)
    width = ctx.canvas.width - x - 1
    room = width - 1 - 5 - 5
    pitch = 3 if room - 3 * columns >= SHORT_NAME else 2
    if room - pitch * columns - 4 * len(singles) < SHORT_NAME and pitch == 3:
        singles = [kind for kind in singles if kind is not Kind.WASTE]  # keep it apart from the columns
    room -= 4 * len(singles)
    name = max(MIN_NAME_WIDTH, min(12, room - pitch * columns))
    columns = min(columns, (room - name) // pitch)
    ends = pitch * columns
    heads = "".join(f"{SHORT_KINDS[kind]:<4}" for kind in singles)
    ctx.canvas.put(x + 1, y, f"{'player':{name}.{name}} pts {'columns':{ends}.{ends}}{heads}cards", Role.DIM)
    points = ctx.scene.points
    for row, seat in enumerate(seats, start=y + 1):
        state = ctx.scene.view.seats.get(seat)
        ctx.canvas.put(x, row, _sign(state), Role.WARNING)
        at = ctx.canvas.put(
            x + 1, row, fit(seat_name(state, seat, ctx.scene.seat), name, ctx.glyphs), name_ink(ctx, seat)
        )
        at = ctx.canvas.put(at, row, f"{points.get(seat, 0):4} ", Role.TEXT)
        stop = at + ends
        for pile in layout.seat_piles(seat, Kind.TABLEAU)[:columns]:
            at = put_top(ctx, at, row, pile, ten=pitch > 2) + pitch - 2
        at = stop
        for kind in singles:
            put_top(ctx, at + 1, row, layout.seat_piles(seat, kind)[0])
            at += 4
        ctx.canvas.put(at, row, f"{cards_left(ctx, seat):5}", Role.TEXT)
        ctx.canvas.touch(HitArea(x, row, width, 1, action=f"watch-{seat + 1}"))
    return y + 1 + len(seats)


def _sign(state: SeatState | None) -> str:
    """Return a sign for a player's status: left, disconnected or stuck."""
    word = state_word(state)
    return {"left": "x", "away": "?", "bot": "+", "stuck": "="}.get(word, " ")


def draw_feed(ctx: DrawContext, x: int, y: int, end: int) -> None:
    """Draw what the feed has of this hand between two rows, newest first; or the countdown to the signal."""
    width = ctx.canvas.width - x - 1
    if ctx.scene.countdown:
        draw_banner(ctx.canvas, str(ctx.scene.countdown), (x, y, width, end - y), ctx.glyphs.block)
        return
    row = y
    for line in reversed(ctx.scene.feed):
        for number, text in enumerate(shortened(line.text, width - 7, MAX_LINES, ctx.glyphs)):
            if row >= end:
                return
            at = "" if number or line.at_ms is None else duration(line.at_ms)
            ctx.canvas.put(x + 1, row, at, Role.DIM)
            ctx.canvas.put(x + 7, row, text, line.role)
            row += 1
        if line.about is About.NEW_HAND:
            return
