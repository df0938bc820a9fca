"""The other players, and the feed below them."""

from collections.abc import Sequence

from racing_demon_client.shared.message_text import duration
from racing_demon_client.shared.seat_text import with_team
from racing_demon_client.terminal.style import Glyphs, Highlight, Role, fit, screen_text, shortened, suit_role
from racing_demon_protocol.engine.board import Kind
from racing_demon_protocol.engine.cards import UNKNOWN, suit
from racing_demon_protocol.engine.specification import Goal
from racing_demon_protocol.wire.messages.server import SeatState

from .canvas import HitArea, draw_banner
from .scene import DrawContext

MIN_NAME_WIDTH, SHORT_NAME = 5, 6
RACE_NAME = 10
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
    room = (ctx.canvas.height - ctx.density.footer - 1 - y - 4) // max(1, len(seats))
    lines = min(ctx.density.player, max(1, room))
    if lines == 1:
        return _draw_lines(ctx, x, y, seats)
    for seat in seats:
        _draw_box(ctx, (x, y), seat, lines)
        ctx.canvas.touch(HitArea(x, y, ctx.canvas.width - x, lines, action=f"watch-{seat + 1}"))
        y += lines
    return y


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
        ink = _name_ink(ctx, seat)
        at = canvas.put(at, y, fit(seat_name(state, seat, ctx.scene.seat), RACE_NAME, ctx.glyphs), ink)
        at = canvas.put(at, y, f"{reached:4} ", Role.TEXT | Highlight.STRONG)
        filled = max(0, reached) * bar // most
        canvas.put(at, y, ctx.glyphs.bars[-1] * filled, Role.ACCENT)
        canvas.put(at + filled, y, ctx.glyphs.dot * (bar - filled), Role.DIM)
        canvas.put(at + bar + 1, y, _state_word(state), Role.WARNING)
        y += 1
    return y


def _draw_lines(ctx: DrawContext, x: int, y: int, seats: Sequence[int]) -> int:
    """Draw one line per player: name, points, column tops, waste and reserve tops, cards left."""
    layout = ctx.rules.layout
    singles = [kind for kind in (Kind.RESERVE, Kind.WASTE) if seats and layout.seat_piles(seats[0], kind)]
    columns = max((len(layout.seat_piles(seat, Kind.TABLEAU)) for seat in seats), default=0)
    width = ctx.canvas.width - x
    room = width - 1 - 5 - 5
    pitch = 3 if room - 3 * columns >= SHORT_NAME else 2
    if room - pitch * columns - 4 * len(singles) < SHORT_NAME and pitch == 3:
        singles = [kind for kind in singles if kind is not Kind.WASTE]  # keep it apart from the columns
    room -= 4 * len(singles)
    name = max(MIN_NAME_WIDTH, min(12, room - pitch * columns))
    columns = min(columns, (room - name) // pitch)
    ends = pitch * columns
    heads = "".join(f"{SHORT_KINDS[kind]:>4}" for kind in singles)
    ctx.canvas.put(x + 1, y, f"{'player':{name}.{name}} pts {'columns':{ends}.{ends}}{heads} left", Role.DIM)
    points = ctx.scene.points
    for row, seat in enumerate(seats, start=y + 1):
        state = ctx.scene.view.seats.get(seat)
        ctx.canvas.put(x, row, _sign(state), Role.WARNING)
        at = ctx.canvas.put(
            x + 1, row, fit(seat_name(state, seat, ctx.scene.seat), name, ctx.glyphs), _name_ink(ctx, seat)
        )
        at = ctx.canvas.put(at, row, f"{points.get(seat, 0):4} ", Role.TEXT)
        stop = at + ends
        for pile in layout.seat_piles(seat, Kind.TABLEAU)[:columns]:
            at = _put_top(ctx, at, row, pile) + pitch - 2
        at = stop
        for kind in singles:
            _put_top(ctx, at + 2, row, layout.seat_piles(seat, kind)[0])
            at += 4
        ctx.canvas.put(at, row, f"{_left(ctx, seat):5}", Role.TEXT)
        ctx.canvas.touch(HitArea(x, row, width, 1, action=f"watch-{seat + 1}"))
    return y + 1 + len(seats)


def _draw_box(ctx: DrawContext, corner: tuple[int, int], seat: int, lines: int) -> None:
    """Draw a player in two or more lines."""
    x, y = corner
    layout, state = ctx.rules.layout, ctx.scene.view.seats.get(seat)
    width = ctx.canvas.width - x
    at = ctx.canvas.put(
        x + 1, y, fit(seat_name(state, seat, ctx.scene.seat), 12, ctx.glyphs), _name_ink(ctx, seat)
    )
    at = ctx.canvas.put(at, y, f"{ctx.scene.points.get(seat, 0):4} pts  left{_left(ctx, seat):3}", Role.TEXT)
    end = _state_word(state) or _bars(ctx.scene.pace.get(seat, ()), ctx.glyphs)
    for kind in (Kind.WASTE, Kind.RESERVE):
        piles = layout.seat_piles(seat, kind)
        if piles and at + len(kind) + 5 + len(end) < ctx.canvas.width:
            at = ctx.canvas.put(at + 2, y, f"{kind} ", Role.DIM)
            at = _put_top(ctx, at, y, piles[0])
    ink = Role.WARNING if _state_word(state) else Role.ACCENT
    ctx.canvas.put(ctx.canvas.width - len(end) - 1, y, end, ink)
    columns = layout.seat_piles(seat, Kind.TABLEAU)
    pitch = max(2, min(4 if lines < 4 else 8, (width - 2) // max(1, len(columns))))
    for number, pile in enumerate(columns):
        left = x + 1 + number * pitch
        _put_top(ctx, left, y + 1, pile)
        if lines > 3:
            _put_depth(ctx, left, y + 2, pile)


def _put_top(ctx: DrawContext, x: int, y: int, pile: int) -> int:
    cards = ctx.board.cards[pile]
    if not cards:
        return ctx.canvas.put(x, y, ctx.glyphs.dot * 2, Role.DIM)
    mark = Highlight.FRESH if pile in ctx.scene.fresh else Highlight.NONE
    if cards[-1] == UNKNOWN:
        return ctx.canvas.put(x, y, ctx.glyphs.back * 2, Role.BACK | mark)
    return ctx.canvas.put(x, y, ctx.glyphs.card(cards[-1]), suit_role(suit(cards[-1])) | mark)


def _put_depth(ctx: DrawContext, x: int, y: int, pile: int) -> None:
    """Write how many cards of a column lie face down and face up, if there is room."""
    cards = ctx.board.cards[pile]
    hidden = sum(card == UNKNOWN for card in cards)
    ctx.canvas.put(x, y, f"{ctx.glyphs.back}{hidden}" if hidden else "  ", Role.BACK)
    if len(cards) > hidden:
        ctx.canvas.put(x + 3, y, f"+{len(cards) - hidden}", Role.DIM)


def seat_name(state: SeatState | None, seat: int, own: int | None = None) -> str:
    """Return the name of a seat's player, or "you", behind the letter of a team, as the terminal shows it."""
    if state is None:
        return f"seat {seat + 1}"
    return with_team(state.team, "you" if seat == own else screen_text(state.name))


def _name_ink(ctx: DrawContext, seat: int) -> int:
    return Role.ACCENT | Highlight.STRONG if seat == ctx.scene.seat else Role.TEXT


def _sign(state: SeatState | None) -> str:
    """Return a sign for a player's status: left, disconnected or stuck."""
    word = _state_word(state)
    return {"left": "x", "away": "?", "bot": "+", "stuck": "="}.get(word, " ")


def _state_word(state: SeatState | None) -> str:
    if state is None or state.left:
        return "left"
    if not state.connected:
        return "bot" if state.stand_in else "away"
    return "stuck" if state.stuck else ""


def _left(ctx: DrawContext, seat: int) -> int:
    """Return how many cards a seat must still play to go out."""
    layout = ctx.rules.layout
    only_reserve = ctx.rules.game.goal is Goal.RESERVE_EMPTY
    kinds = [Kind.RESERVE] if only_reserve else [kind for kind in Kind if kind is not Kind.FOUNDATION]
    return sum(len(ctx.board.cards[pile]) for kind in kinds for pile in layout.seat_piles(seat, kind))


def _bars(pace: Sequence[int], glyphs: Glyphs) -> str:
    """Return bars of relative height, one per window."""
    most = max(pace, default=0)
    steps = len(glyphs.bars) - 1
    return "".join(glyphs.bars[count * steps // most if most else 0] for count in pace)


def draw_feed(ctx: DrawContext, x: int, y: int, end: int) -> None:
    """Draw the feed between two rows, newest first; or the countdown to the signal."""
    width = ctx.canvas.width - x
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
