"""The other players' layouts in small cards, where a terminal has room for them."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from racing_demon_client.terminal.style import Highlight, Role, fit
from racing_demon_protocol.engine.board import Kind
from racing_demon_protocol.engine.cards import UNKNOWN
from racing_demon_protocol.engine.specification import Goal, Reserve

from .canvas import CardRect, HitArea, draw_card, draw_frame
from .columns import draw_column, draw_framed_column
from .pile_layout import PileRect
from .scene import DrawContext
from .seats import cards_left, name_ink, put_top, seat_name, state_word

SUMMARY: Final = 15
"""The cells for a player's name, points and progress, left of the cards."""
BAR: Final = 10
LEAST_LINES: Final = 3
"""The fewest rows of a layout: a name, the cards left, and a bar of them."""
CARD_ROWS: Final = 2
HEADING: Final = 1
"""The rows of the headings, above the first layout."""
HEADINGS: Final = {Kind.RESERVE: "rsv", Kind.TABLEAU: "columns", Kind.WASTE: "waste"}
STOCK: Final = " stock"
FRAMED_PITCH, MAX_PITCH = 5, 8
"""The cells from pile to pile: the fewest with which cards have frames, and the most."""


def draw_layouts(ctx: DrawContext, corner: tuple[int, int], seats: Sequence[int], lines: int) -> int:
    """Draw the layouts of some seats below headings, each in a number of lines; return the row below."""
    x, y = corner
    _draw_headings(ctx, (x + 1, y), seats[0])
    y += HEADING
    for seat in seats:
        _draw_summary(ctx, (x + 1, y), seat, lines)
        _draw_cards(ctx, (x + 1 + SUMMARY, y), seat, lines)
        ctx.canvas.touch(HitArea(x, y, ctx.canvas.width - x, lines, action=f"watch-{seat + 1}"))
        y += lines
    return y


def _draw_headings(ctx: DrawContext, corner: tuple[int, int], seat: int) -> None:
    """Say what the numbers and cards below are."""
    (x, y), canvas, layout = corner, ctx.canvas, ctx.rules.layout
    canvas.put(x, y, f"{'player':{BAR}} pts", Role.DIM)
    x += SUMMARY
    pitch = _pitch(ctx, x, seat)
    for kind, name in HEADINGS.items():
        room = pitch * len(layout.seat_piles(seat, kind))
        whole = f"{name}, {ctx.glyphs.back} face down"
        tells = kind is Kind.TABLEAU and pitch < FRAMED_PITCH and len(whole) < room
        canvas.put(x, y, whole if tells else name if room else "", Role.DIM)
        x += room


def _pitch(ctx: DrawContext, x: int, seat: int) -> int:
    """Return the cells from pile to pile of a seat's layout that begins at a column."""
    piles = sum(len(ctx.rules.layout.seat_piles(seat, kind)) for kind in HEADINGS)
    return min(MAX_PITCH, (ctx.canvas.width - x) // max(1, piles))


def _draw_summary(ctx: DrawContext, corner: tuple[int, int], seat: int, lines: int) -> None:
    """Draw who it is, their points, and how far they are from going out."""
    (x, y), canvas, state = corner, ctx.canvas, ctx.scene.view.seats.get(seat)
    at = canvas.put(x, y, fit(seat_name(state, seat, ctx.scene.seat), BAR, ctx.glyphs), name_ink(ctx, seat))
    canvas.put(at, y, f"{ctx.scene.points.get(seat, 0):4}", Role.TEXT | Highlight.STRONG)
    left, is_reserve = cards_left(ctx, seat), ctx.rules.game.goal is Goal.RESERVE_EMPTY
    at = canvas.put(x, y + 1, f"{'reserve' if is_reserve else 'cards left':{BAR}}", Role.DIM)
    canvas.put(at, y + 1, f"{left:4}", Role.TEXT)
    row = y + 2
    if word := state_word(state):
        canvas.put(x, row, word, Role.WARNING)
        row += 1
    if row < y + lines:
        filled = -(-left * BAR // max(1, left, _dealt(ctx, seat)))
        canvas.put(x, row, ctx.glyphs.block * filled, name_ink(ctx, seat))
        canvas.put(x + filled, row, ctx.glyphs.dot * (BAR - filled), Role.DIM)


def _dealt(ctx: DrawContext, seat: int) -> int:
    """Return how many cards a seat must play to go out when the hand begins."""
    if ctx.rules.game.goal is not Goal.RESERVE_EMPTY:
        return ctx.rules.game.deck_size
    layout = ctx.rules.layout
    groups = [layout.groups[pile] for pile in layout.seat_piles(seat, Kind.RESERVE)]
    return sum(group.size for group in groups if isinstance(group, Reserve))


def _draw_cards(ctx: DrawContext, corner: tuple[int, int], seat: int, lines: int) -> None:
    """Draw reserves, columns and wastes beside each other, and the stock's count below the waste."""
    (x, y), layout = corner, ctx.rules.layout
    reserves, columns, wastes, stocks = (
        layout.seat_piles(seat, kind) for kind in (Kind.RESERVE, Kind.TABLEAU, Kind.WASTE, Kind.STOCK)
    )
    pitch = _pitch(ctx, x, seat)
    is_framed = pitch >= FRAMED_PITCH
    size = (pitch - 1, CARD_ROWS if is_framed else 1)
    small = replace(ctx, density=replace(ctx.density, card=size, column=size, fan=1, backs=1))
    piles = reserves + columns + wastes
    for number, pile in reversed([*enumerate(piles)]):  # a ten's third cell is where the next begins
        at = x + pitch * number
        if pile not in columns:
            _draw_top(small, (at, y), pile)
        elif is_framed:
            draw_framed_column(small, PileRect(pile, at, y, pitch - 1, lines))
        else:  # its heading tells how many cards lie face down
            draw_column(small, PileRect(pile, at - 1, y + 1, pitch + 1, lines - 1), framed=False)
    for stock in stocks[: len(wastes)]:
        count = len(ctx.board.cards[stock])
        last = x + pitch * (len(piles) - 1)
        end = ctx.canvas.put(last, y + CARD_ROWS, f"{ctx.glyphs.back}{count}", Role.BACK)
        if end + len(STOCK) <= ctx.canvas.width:
            ctx.canvas.put(end, y + CARD_ROWS, STOCK, Role.DIM)


def _draw_top(ctx: DrawContext, corner: tuple[int, int], pile: int) -> None:
    """Draw the top card of a squared pile."""
    (x, y), (width, height), cards = corner, ctx.density.card, ctx.board.cards[pile]
    if height == 1:
        put_top(ctx, x, y + 1, pile)
    elif not cards:
        draw_frame(ctx.canvas, corner, (width, height), ctx.glyphs, dashed=True)
    elif cards[-1] == UNKNOWN:
        for row in range(height):
            ctx.canvas.put(x, y + row, ctx.glyphs.back * width, Role.BACK)
    else:
        ink = ctx.scene.ink(pile, len(cards) - 1, cards[-1])
        draw_card(
            ctx.canvas, CardRect(corner, (width, height)), ctx.glyphs.card_text(cards[-1]), ink, ctx.glyphs
        )
