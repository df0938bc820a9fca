"""Draw any game without the race's layout: squared piles laid out by geometry, with columns below them."""

from racing_demon_client.terminal.style import Highlight, Role
from racing_demon_protocol.engine.board import Kind
from racing_demon_protocol.engine.cards import RANK_NAMES, UNKNOWN
from racing_demon_protocol.engine.specification import Foundations, Geometry

from .canvas import CardRect, HitArea, draw_card, draw_frame, sign_of
from .columns import draw_column
from .pile_layout import SIDE_KINDS, TALL, Arrangement, CellSize, PileRect, arrange, is_counted
from .scene import DrawContext
from .side_piles import draw_side_pile_row

UNLABELED = frozenset({Kind.FOUNDATION, Kind.HEAD})
"""Piles without a label: their cards identify them."""


def draw_generic(ctx: DrawContext, y: int, end: int) -> None:
    """Draw all piles that the seat in focus may use, between two rows."""
    layout, board = ctx.rules.layout, ctx.board
    piles = ctx.scene.piles()
    line = [p for p in piles if layout.groups[p].geometry is Geometry.LINE and board.cards[p]]
    places = arrange(
        layout,
        piles,
        (ctx.width - 1, end - y),
        framed=ctx.density.card[1] > 1,
        line=line,
    )
    side_piles = [pile for pile in piles if board.piles[pile].kind in SIDE_KINDS]
    if side_piles:
        left, top, width = places.side_piles
        draw_side_pile_row(ctx, side_piles, (left + 1, y + top), width, framed=places.cell.framed)
    _label_groups(ctx, places, y, has_side_piles=bool(side_piles))
    for rect in places.squared:
        _draw(ctx, places, rect._replace(x=rect.x + 1, y=rect.y + y))
    for rect in places.columns:
        column = PileRect(rect.pile, rect.x + 1, rect.y + y + 1, rect.width + 1, rect.height - 1)
        ctx.canvas.touch(HitArea(column.x, rect.y + y, rect.width, rect.height, rect.pile))
        draw_column(ctx, column, framed=places.cell.framed)


def _draw(ctx: DrawContext, places: Arrangement, rect: PileRect) -> None:
    """Draw one squared pile: its key, top card and count; for a head, only the key."""
    if ctx.board.piles[rect.pile].kind is Kind.HEAD:
        _draw_head(ctx, rect)
    elif places.cell.framed:
        _draw_framed(ctx, rect)
    else:
        _draw_plain(ctx, rect)
    ctx.canvas.touch(HitArea(rect.x, rect.y, rect.width, rect.height, rect.pile))


def _top(ctx: DrawContext, pile: int, *, ten: bool = False) -> tuple[str, int]:
    """Return the text for a pile's top card and its ink."""
    cards, glyphs = ctx.board.cards[pile], ctx.glyphs
    if cards:
        return glyphs.card(cards[-1], ten=ten), ctx.scene.ink(pile, len(cards) - 1, cards[-1])
    group = ctx.rules.layout.groups[pile]
    base = group.base if isinstance(group, Foundations) else None
    first = RANK_NAMES[base - 1] if isinstance(base, int) else glyphs.dot
    return first + glyphs.dot, Role.DIM | ctx.scene.pile_mark(pile)


class Occupancy:
    """The cells that are taken, so that a label hides no card and stays within a width."""

    def __init__(self, width: int) -> None:
        self._width = width
        self._cells: set[tuple[int, int]] = set()

    def fill(self, x: int, y: int, width: int, height: int = 1) -> None:
        """Take the cells of a rectangle."""
        self._cells |= {(column, row) for column in range(x, x + width) for row in range(y, y + height)}

    def is_free(self, x: int, y: int, width: int) -> bool:
        """Return whether nothing is drawn in part of a row."""
        cells = ((column, y) for column in range(x, x + width))
        return x + width <= self._width and self._cells.isdisjoint(cells)


def _label_groups(ctx: DrawContext, places: Arrangement, top: int, *, has_side_piles: bool) -> None:
    """Write each group's name at the first of its piles that has room: beside it, otherwise below or above.

    Args:
        ctx: the context.
        places: where the piles lie.
        top: the row that their rows are relative to.
        has_side_piles: whether stock, waste or completed piles are drawn in the line.

    """
    occupancy = Occupancy(ctx.width - 1)
    if has_side_piles:
        x, y, width = places.side_piles
        occupancy.fill(x, y, width, 4 if places.cell.framed else 1)
    for rect in (*places.squared, *places.columns):
        occupancy.fill(rect.x - 1, rect.y, rect.width + 1, rect.height)
    piles = ctx.board.piles
    names = {rect: piles[rect.pile].group.replace("-", " ") for rect in places.squared}
    labeled = {name for rect, name in names.items() if piles[rect.pile].kind in UNLABELED}
    for find_room in (_room_beside, _room_below_or_above):
        for rect, name in names.items():
            corner = find_room(rect, len(name), places.cell, occupancy)
            if name in labeled or corner is None:
                continue
            labeled.add(name)
            occupancy.fill(corner[0] - 1, corner[1], len(name) + 2)
            ctx.canvas.put(corner[0] + 1, top + corner[1], name, Role.DIM)


def _room_beside(rect: PileRect, width: int, cell: CellSize, occupancy: Occupancy) -> tuple[int, int] | None:
    """Return where a label fits to the right of a pile, with a free cell on either side."""
    x, y = rect.x + rect.width, rect.y + (1 if cell.framed else 0)
    return (x + 1, y) if occupancy.is_free(x, y, width + 2) else None


def _room_below_or_above(
    rect: PileRect, width: int, cell: CellSize, occupancy: Occupancy
) -> tuple[int, int] | None:
    """Return where a label fits in the free row below a pile's card, or above its frame."""
    if width > rect.width:
        return None
    if cell.height == TALL.height:
        return rect.x, rect.y + 1
    is_free = rect.y > 0 and occupancy.is_free(rect.x, rect.y - 1, width)
    return (rect.x, rect.y - 1) if is_free else None


def _up(ctx: DrawContext, pile: int) -> str:
    """Return the number of face-up cards at the bottom of a face-down pile, if there are any."""
    cards = ctx.board.cards[pile]
    up = sum(card != UNKNOWN for card in cards)
    return f"{up} up" if up and cards[-1] == UNKNOWN else ""


def _count(ctx: DrawContext, pile: int) -> str:
    count = len(ctx.board.cards[pile])
    return str(count) if count > 1 and is_counted(ctx.board.piles[pile]) else ""


def _draw_head(ctx: DrawContext, rect: PileRect) -> None:
    label = ctx.scene.label(rect.pile)
    end = ctx.canvas.put(rect.x, rect.y, label[:1], ctx.scene.label_ink(rect.pile))
    ctx.canvas.put(end, rect.y, " head"[: rect.x + rect.width - end], Role.DIM)


def _draw_plain(ctx: DrawContext, rect: PileRect) -> None:
    text, ink = _top(ctx, rect.pile)
    canvas, label = ctx.canvas, ctx.scene.label(rect.pile)
    canvas.put(rect.x, rect.y, label[:1], ctx.scene.label_ink(rect.pile))
    start = 2 if rect.width > 3 else 1
    if sign := sign_of(ink, ctx.glyphs):
        canvas.put(rect.x + start - 1, rect.y, sign, ink & ~Highlight.UNCONFIRMED)
    end = canvas.put(rect.x + start, rect.y, text, ink)
    up = _up(ctx, rect.pile)
    count = _count(ctx, rect.pile)
    if up and rect.height == 1:
        count += f"+{up.removesuffix(' up')}"
    canvas.put(end, rect.y, count[: rect.x + rect.width - end], Role.DIM)
    if rect.height > 1:
        canvas.put(rect.x + start, rect.y + 1, up, Role.DIM)


def _draw_framed(ctx: DrawContext, rect: PileRect) -> None:
    text, ink = _top(ctx, rect.pile, ten=True)
    canvas, glyphs, cards = ctx.canvas, ctx.glyphs, ctx.board.cards[rect.pile]
    at, size = (rect.x, rect.y), (rect.width, 3)
    if cards and cards[-1] != UNKNOWN:
        draw_card(canvas, CardRect(at, size), text, ink, glyphs)
    else:
        draw_frame(canvas, at, size, glyphs, dashed=not cards)
        canvas.put(rect.x + 2, rect.y + 1, glyphs.back * (rect.width - 3) if cards else text, ink)
    canvas.put(rect.x + 1, rect.y + 1, ctx.scene.label(rect.pile)[:1], ctx.scene.label_ink(rect.pile))
    count = _count(ctx, rect.pile)
    canvas.put(rect.x + rect.width - 1 - len(count), rect.y + 1, count, Role.DIM)
    canvas.put(rect.x + 2, rect.y + 2, _up(ctx, rect.pile), Role.DIM)
