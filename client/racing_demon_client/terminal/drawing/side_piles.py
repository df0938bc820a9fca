"""The piles beside the columns: stock, waste and reserve."""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from racing_demon_client.terminal.style import Highlight, Role
from racing_demon_protocol.engine.board import Kind, Shows
from racing_demon_protocol.engine.cards import UNKNOWN, Card
from racing_demon_protocol.engine.specification import Stock

from .canvas import CardRect, HitArea, draw_face, draw_frame, sign_of
from .scene import DrawContext

MAX_SHOWN = 5
BESIDE_CARD = (5, 3)
"""The size of a side pile's card beside the columns."""
BESIDE_ROWS = 4
"""The rows of such a pile with its label."""
BESIDE_WIDTH = 15
"""The columns that they take at least."""
FAN = 4
"""The columns between two cards of a pile with frames."""


class SidePile(NamedTuple):
    """A side pile: its number, label and key label."""

    pile: int
    name: str
    label: str


def draw_side_piles(ctx: DrawContext, y: int) -> int:
    """Draw the side piles from a row on and return the row below them."""
    kinds = (Kind.STOCK, Kind.WASTE, Kind.RESERVE)
    framed = ctx.density.card[1] > 1
    piles = [pile for kind in kinds for pile in ctx.scene.own(kind)]
    draw_side_pile_row(ctx, piles, (ctx.left + 1, y), ctx.width - ctx.left, framed=framed)
    y += 1 + (ctx.density.card[1] if framed else 0)
    for pile in ctx.scene.own(Kind.RESERVE):
        if ctx.board.piles[pile].shows is Shows.ALL:
            y = _draw_buried(ctx, pile, y)
    return y


def _draw_buried(ctx: DrawContext, pile: int, y: int) -> int:
    """Draw the cards below the top of a face-up reserve, the next one first; return the row below them."""
    buried = ctx.board.cards[pile][-2::-1]
    start = x = ctx.canvas.put(ctx.left + 1, y, "then", Role.DIM) + 1
    for card in buried:
        name = ctx.glyphs.card(card, ten=True)
        if x + len(name) > ctx.left + ctx.width:
            x, y = start, y + 1
        x = ctx.canvas.put(x, y, name, ctx.scene.ink_of(card)) + 1
    return y + 1


def draw_side_pile_row(
    ctx: DrawContext, piles: Sequence[int], at: tuple[int, int], width: int, *, framed: bool
) -> None:
    """Draw labeled side piles next to each other: framed, or in one row."""
    side_piles = list(_named(ctx, piles))
    if not framed:
        _draw_line(ctx, side_piles, at, width)
        return
    x = at[0]
    for side_pile in side_piles:
        x = _draw_framed(ctx, side_pile, (x, at[1]), ctx.density.card, at[0] + width - x) + 4


def needed_beside(ctx: DrawContext) -> int:
    """Return the cells that side piles need beside the columns, with all cards that the waste may show."""
    views = [min(MAX_SHOWN, ctx.board.piles[pile].view) for pile in ctx.scene.own(Kind.WASTE)]
    return max(BESIDE_WIDTH, BESIDE_CARD[0] + FAN * (max(views, default=1) - 1) + 1)


def draw_side_piles_beside(ctx: DrawContext, x: int, y: int) -> None:
    """Draw the side piles below each other, beside columns that leave room for them."""
    for number, side_pile in enumerate(_named(ctx, side_piles(ctx))):
        plain = side_pile._replace(label=side_pile.label.strip("[]"))
        _draw_framed(ctx, plain, (x, y + number * BESIDE_ROWS), BESIDE_CARD, ctx.width - x - 1)


def side_piles(ctx: DrawContext) -> list[int]:
    """Return the side piles of the layout that is drawn large."""
    return [pile for kind in (Kind.RESERVE, Kind.WASTE, Kind.STOCK) for pile in ctx.scene.own(kind)]


def _named(ctx: DrawContext, piles: Sequence[int]) -> Iterator[SidePile]:
    for pile in piles:
        kind = ctx.board.piles[pile].kind
        label = ctx.scene.labels.get("turn", "") if kind is Kind.STOCK else ctx.scene.label(pile)
        yield SidePile(pile, str(kind), f"[{label}]" if label else "")


def _shown(ctx: DrawContext, pile: int) -> list[tuple[Card, int]]:
    """Return a pile's visible cards, bottom first, each with its ink."""
    cards = ctx.board.cards[pile]
    unconfirmed = ctx.scene.unconfirmed.get(pile, 0)
    shown = []
    for index in range(len(cards) - 1, max(-1, len(cards) - 1 - MAX_SHOWN), -1):
        if cards[index] == UNKNOWN and len(cards) - index > unconfirmed:
            break
        shown.append((cards[index], ctx.scene.ink(pile, index, cards[index])))
    return shown[::-1][-max(1, ctx.board.piles[pile].view) :]


def _draw_line(ctx: DrawContext, piles: Sequence[SidePile], at: tuple[int, int], width: int) -> None:
    """Draw all side piles in one row; omit labels, then lower cards, if they do not fit."""
    x, y = at
    is_named = sum(_widest(ctx, side_pile) + 2 for side_pile in piles) - 1 <= width
    for most in range(MAX_SHOWN, 0, -1):
        labels = [_label(ctx, side_pile, most, is_named=is_named) for side_pile in piles]
        if sum(len(text) for pieces in labels for text, _ in pieces) + 2 * len(labels) - 1 <= width:
            break
    for side_pile, pieces in zip(piles, labels, strict=True):
        start = x
        for text, ink in pieces:
            x = ctx.canvas.put(x, y, text, ink)
        ctx.canvas.touch(_hit(ctx, side_pile.pile, (start, y), (x - start, 1)))
        x += 2


def _widest(ctx: DrawContext, side_pile: SidePile) -> int:
    """Return the cells that a pile takes at most with its name, so that names do not come and go."""
    pile = ctx.board.piles[side_pile.pile]
    cards = 0 if pile.kind is Kind.STOCK else 3 * min(MAX_SHOWN, max(1, pile.view))
    count = len("▒24" if pile.kind is Kind.STOCK else "▸24")
    named = len(f"{side_pile.label} {side_pile.name} ")
    return named + cards + count + len(_redeals(ctx, side_pile.pile))


def _label(ctx: DrawContext, side_pile: SidePile, most: int, *, is_named: bool) -> list[tuple[str, int]]:
    """Return a pile as pieces of text with inks: key, label, up to ``most`` cards, and the count."""
    count, glyphs = len(ctx.board.cards[side_pile.pile]), ctx.glyphs
    pieces: list[tuple[str, int]] = [(side_pile.label, ctx.scene.label_ink(side_pile.pile)), (" ", Role.DIM)]
    if is_named:
        pieces.append((f"{side_pile.name} ", Role.DIM))
    if ctx.board.piles[side_pile.pile].kind is Kind.STOCK or not (shown := _shown(ctx, side_pile.pile)):
        pieces.append((f"{glyphs.back}{count}" if count else glyphs.dot * 2, Role.BACK))
        return [*pieces, (_redeals(ctx, side_pile.pile, is_named=is_named), Role.DIM)]
    for card, ink in shown[-most:]:
        if sign := sign_of(ink, glyphs):
            pieces.append((sign, ink & ~Highlight.UNCONFIRMED))
        pieces += [(glyphs.card(card, ten=True), ink), (" ", Role.DIM)]
    return [*pieces, (str(count), Role.DIM)]


def _draw_framed(
    ctx: DrawContext, side_pile: SidePile, corner: tuple[int, int], size: tuple[int, int], room: int
) -> int:
    """Draw one side pile with its label above it and return the column after it.

    Of its text and its cards, so much is shown as there is room: the name and the lower cards are left out.
    """
    x, y = corner
    count = len(ctx.board.cards[side_pile.pile])
    end = ctx.canvas.put(x, y, side_pile.label, ctx.scene.label_ink(side_pile.pile)) + 1
    long, short = (f"{count}{_redeals(ctx, side_pile.pile, is_named=is_named)}" for is_named in (True, False))
    texts = [f"{side_pile.name} {long}", f"{side_pile.name} {short}", short]
    text = next((each for each in texts if end + len(each) <= x + room), texts[-1])
    end = ctx.canvas.put(end, y, text, Role.DIM)
    if not count:
        draw_frame(ctx.canvas, (x, y + 1), size, ctx.glyphs, dashed=True)
        right = x + size[0]
    elif ctx.board.piles[side_pile.pile].kind is Kind.STOCK or not (shown := _shown(ctx, side_pile.pile)):
        draw_frame(ctx.canvas, (x, y + 1), size, ctx.glyphs)
        for row in range(1, size[1] - 1):
            ctx.canvas.put(x + 1, y + 1 + row, ctx.glyphs.back * (size[0] - 2), Role.BACK)
        right = x + size[0]
    else:
        right = x
        most = max(1, 1 + (room - size[0]) // FAN)
        for number, (card, ink) in enumerate(shown[-most:]):
            at = (x + number * FAN, y + 1)
            draw_face(ctx.canvas, CardRect(at, size), ctx.glyphs.card(card, ten=True), ink, ctx.glyphs)
            right = at[0] + size[0]
    ctx.canvas.touch(_hit(ctx, side_pile.pile, (x, y), (max(right, end) - x, 1 + size[1])))
    return max(right, end)


def _redeals(ctx: DrawContext, pile: int, *, is_named: bool = True) -> str:
    """Return how many redeals are left, if they are limited: with their name, or behind a plus."""
    group, seat = ctx.rules.layout.groups[pile], ctx.board.piles[pile].seat
    if not isinstance(group, Stock) or group.redeals is None or seat is None:
        return ""
    left = group.redeals - ctx.board.redeals.get(seat, 0)
    return f" redeals {left}" if is_named else f"+{left}"


def _hit(ctx: DrawContext, pile: int, at: tuple[int, int], size: tuple[int, int]) -> HitArea:
    is_stock = ctx.board.piles[pile].kind is Kind.STOCK
    return HitArea(*at, *size, pile, action="turn" if is_stock else None)
