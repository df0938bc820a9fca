"""The tableau's columns, as many as the game has and as tall as the screen allows."""

from collections.abc import Sequence

from racing_demon_client.terminal.style import Density, Highlight, Role
from racing_demon_protocol.engine.board import Kind
from racing_demon_protocol.engine.cards import UNKNOWN

from .canvas import CardRect, HitArea, draw_card, draw_face, draw_frame, sign_of
from .pile_layout import PileRect
from .scene import DrawContext

MIN_FRAMED_WIDTH = 4
"""The minimum width of a framed card."""
BRACKETED_WIDTH = 6
"""The minimum width of a card whose key stands in brackets above it."""
TEN_WIDTH = 3
"""The width of a card without a frame that leaves no gap after a ten written as ``10``."""


def draw_columns(ctx: DrawContext, y: int, end: int) -> None:
    """Draw the columns between two rows, with their keys above them."""
    piles = ctx.scene.own(Kind.TABLEAU)
    if not piles:
        return
    pitch = column_pitch(ctx)
    framed = ctx.density.column[1] > 1 and pitch > MIN_FRAMED_WIDTH
    card = min(ctx.density.column[0], pitch - 1)
    for number, pile in enumerate(piles):
        x = ctx.left + 1 + number * pitch
        ctx.canvas.touch(HitArea(x, y, pitch, end - y, pile))
        label = ctx.scene.labels.get(f"column-{number + 1}", "")
        column = PileRect(pile, x, y + 1, card if framed else pitch, end - y - 1)
        if framed:
            draw_framed_column(ctx, column, label)
        else:
            _draw_plain(ctx, column, label)


def column_pitch(ctx: DrawContext) -> int:
    """Return the distance from one column to the next, in cells."""
    columns = len(ctx.scene.own(Kind.TABLEAU))
    return max(3, min(ctx.density.pitch, (ctx.width - 1) // max(1, columns)))


def draw_column(ctx: DrawContext, column: PileRect, *, framed: bool) -> None:
    """Draw one column with its key above it; its width reaches to the next column."""
    label = ctx.scene.label(column.pile)
    if framed and column.width > MIN_FRAMED_WIDTH + 1:
        draw_framed_column(ctx, column._replace(width=min(column.width - 1, ctx.density.card[0])), label)
    else:
        _draw_plain(ctx, column, label)


def _label(ctx: DrawContext, at: tuple[int, int], label: str, pile: int) -> int:
    return ctx.canvas.put(at[0] + 1, at[1], label, ctx.scene.label_ink(pile))


def _draw_plain(ctx: DrawContext, column: PileRect, label: str) -> None:
    """Draw a column without frames: two characters a card, face-down cards as a number in the heading."""
    cards = ctx.board.cards[column.pile]
    hidden = _hidden(cards)
    x = _label(ctx, (column.x, column.y - 1), label, column.pile)
    if hidden:
        ctx.canvas.put(x, column.y - 1, f"{ctx.glyphs.back}{hidden}", Role.BACK)
    if not cards:
        ctx.canvas.put(
            column.x + 1, column.y, ctx.glyphs.dot * 2, Role.DIM | ctx.scene.pile_mark(column.pile)
        )
    for row, index in enumerate(_rows(len(cards) - hidden, column.height)):
        at = column.y + row
        if index is None:
            more = len(cards) - hidden - column.height + 1
            ctx.canvas.put(column.x + 1, at, f"+{more}", Role.DIM)
            continue
        place = hidden + index
        ink = ctx.scene.ink(column.pile, place, cards[place])
        ctx.canvas.put(column.x, at, sign_of(ink, ctx.glyphs) or " ", ink & ~Highlight.UNCONFIRMED)
        ctx.canvas.put(column.x + 1, at, ctx.glyphs.card(cards[place], ten=column.width > TEN_WIDTH), ink)
        ctx.canvas.touch(HitArea(column.x, at, column.width, 1, column.pile, place))


def draw_framed_column(ctx: DrawContext, column: PileRect, label: str | None = None) -> None:
    """Draw a column of cards with frames, of which each but the last shows its top edge.

    Above it stands its key, with the number of cards that lie face down where no row is left for one.
    """
    cards = ctx.board.cards[column.pile]
    heading = f"[{label}]" if label and column.width >= BRACKETED_WIDTH else label or ""
    end = _label(ctx, (column.x, column.y - 1), heading, column.pile)
    if not cards:
        draw_frame(ctx.canvas, (column.x, column.y), (column.width, 3), ctx.glyphs, dashed=True)
        if mark := ctx.scene.pile_mark(column.pile):
            ctx.canvas.put(column.x + 1, column.y + 1, ctx.glyphs.dot * (column.width - 2), Role.DIM | mark)
        return
    hidden = _hidden(cards)
    shown = len(cards) - hidden
    backs, fan, body = _squeeze(min(hidden, ctx.density.backs), shown, column.height, ctx.density)
    if label is None:
        backs = max(backs, min(1, hidden))
    elif hidden and not backs:
        ctx.canvas.put(end, column.y - 1, f"{ctx.glyphs.back}{hidden}", Role.BACK)
    y = column.y
    for row in range(backs):
        more = f"+{hidden - backs}" if row == backs - 1 and hidden > backs else ""
        ctx.canvas.put(column.x, y, ctx.glyphs.back * (column.width - len(more)) + more, Role.BACK)
        y += 1
    rows = _rows(shown, max(1, (column.y + column.height - y - body) // fan + 1))
    for index in rows:
        if index is None:
            ctx.canvas.put(column.x + 1, y, f"+{shown - len(rows) + 1}", Role.DIM)
            y += fan
            continue
        place = hidden + index
        ink = ctx.scene.ink(column.pile, place, cards[place])
        is_last = place == len(cards) - 1
        height = body if is_last else fan
        _draw_one(ctx, CardRect((column.x, y), (column.width, height)), cards[place], ink, is_last=is_last)
        ctx.canvas.touch(HitArea(column.x, y, column.width, height, column.pile, place))
        y += height


def _draw_one(ctx: DrawContext, box: CardRect, card: int, ink: int, *, is_last: bool) -> None:
    (x, y), (width, height) = box
    if card == UNKNOWN:  # uncovered by a play, and not revealed by the server yet
        for row in range(height):
            ctx.canvas.put(x, y + row, ctx.glyphs.back * width, ink)
    else:
        name = ctx.glyphs.card(card, ten=True)
        (draw_face if is_last else draw_card)(ctx.canvas, box, name, ink, ctx.glyphs)
        if height == 2 and not is_last:  # the card goes on below the next
            ctx.canvas.put(x, y + 1, ctx.glyphs.side + " " * (width - 2) + ctx.glyphs.side, Role.FRAME)


def _hidden(cards: Sequence[int]) -> int:
    """Return the number of face-down cards, without a last one that is being turned up."""
    hidden = next((n for n, card in enumerate(cards) if card != UNKNOWN), len(cards))
    return hidden - 1 if cards and hidden == len(cards) else hidden


def _squeeze(backs: int, shown: int, height: int, density: Density) -> tuple[int, int, int]:
    """Return the rows for backs, between cards, and for the last card of a column."""
    fan, body = density.fan, density.column[1]

    def too_high() -> bool:
        return backs + (shown - 1) * fan + body > height

    if too_high():
        fan = 1
    while too_high() and backs > 1:
        backs -= 1
    while too_high() and body > 1:
        body -= 1
    return 0 if too_high() else backs, fan, body


def _rows(shown: int, height: int) -> list[int | None]:
    """Return which card each row shows; ``None`` stands for those that do not fit."""
    if shown <= height:
        return list(range(shown))
    first: list[int | None] = [0, None] if height > 2 else [None]
    return [*first, *range(shown - height + len(first), shown)]
