"""The table of any game: arranged squared piles, with columns below them."""

from racing_demon_client.terminal.style import Mark, Role
from racing_demon_protocol.engine.board import Kind
from racing_demon_protocol.engine.cards import RANK_NAMES, UNKNOWN
from racing_demon_protocol.engine.specification import Foundations, Geometry

from .canvas import Box, Hit, draw_card, draw_frame, sign_of
from .columns import draw_column
from .pile_layout import Arrangement, Spot, arrange, is_counted
from .scene import DrawContext
from .side_piles import draw_loose_line

NAMELESS = frozenset({Kind.FOUNDATION, Kind.HEAD})
"""Piles without a label: their cards identify them."""
AIRY_ROWS = 2
"""With this many rows per pile the second one is free."""


def draw_heaps(sheet: DrawContext, y: int, end: int) -> None:
    """Draw all piles that the seat in focus may use, between two rows."""
    layout, board = sheet.rules.layout, sheet.board
    piles = sheet.scene.piles()
    line = [p for p in piles if layout.groups[p].geometry is Geometry.LINE and board.cards[p]]
    places = arrange(
        layout,
        piles,
        width=sheet.width - 1,
        height=end - y,
        framed=sheet.density.card[1] > 1,
        line=line,
    )
    loose = [pile for pile in piles if board.piles[pile].kind in {Kind.STOCK, Kind.WASTE, Kind.OUT}]
    if loose:
        left, top, width = places.loose
        draw_loose_line(sheet, loose, (left + 1, y + top), width, framed=places.cell.framed)
    _name_groups(sheet, places, y, is_lined=bool(loose))
    for spot in places.squared:
        _draw(sheet, places, spot._replace(x=spot.x + 1, y=spot.y + y))
    for spot in places.columns:
        column = Spot(spot.pile, spot.x + 1, spot.y + y + 1, spot.width + 1, spot.height - 1)
        sheet.canvas.touch(Hit(column.x, spot.y + y, spot.width, spot.height, spot.pile))
        draw_column(sheet, column, framed=places.cell.framed)


def _draw(sheet: DrawContext, places: Arrangement, spot: Spot) -> None:
    """Draw one squared pile: its key, top card and count; for a door, only the key."""
    if sheet.board.piles[spot.pile].kind is Kind.HEAD:
        _draw_door(sheet, spot)
    elif places.cell.framed:
        _draw_framed(sheet, spot)
    else:
        _draw_plain(sheet, spot)
    sheet.canvas.touch(Hit(spot.x, spot.y, spot.width, spot.height, spot.pile))


def _top(sheet: DrawContext, pile: int, *, ten: bool = False) -> tuple[str, int]:
    """Return the text for a pile's top card and its ink."""
    cards, glyphs = sheet.board.cards[pile], sheet.glyphs
    if cards:
        return glyphs.card(cards[-1], ten=ten), sheet.scene.ink(pile, len(cards) - 1, cards[-1])
    group = sheet.rules.layout.groups[pile]
    base = group.base if isinstance(group, Foundations) else None
    first = RANK_NAMES[base - 1] if isinstance(base, int) else glyphs.dot
    return first + glyphs.dot, Role.DIM | sheet.scene.pile_mark(pile)


def _name_groups(sheet: DrawContext, places: Arrangement, y: int, *, is_lined: bool) -> None:
    """Write each group's label beside the first of its piles that has room for it.

    Args:
        sheet: the context.
        places: where the piles lie.
        y: the row that their rows are relative to.
        is_lined: whether stock, waste or completed piles are drawn in the line.

    """
    left, top, width = places.loose
    rows = (4 if places.cell.framed else 1) if is_lined else 0
    used = {(left + column, top + row) for column in range(width) for row in range(rows)}
    used |= {
        (spot.x + column, spot.y + row)
        for spot in (*places.squared, *places.columns)
        for column in range(-1, spot.width)
        for row in range(spot.height)
    }
    named = {spot: sheet.board.piles[spot.pile].group.replace("-", " ") for spot in places.squared}
    done = {named[spot] for spot in places.squared if sheet.board.piles[spot.pile].kind in NAMELESS}
    for spot, name in named.items():
        x, row = spot.x + spot.width, spot.y + places.cell.framed
        cells = {(x + column, row) for column in range(len(name) + 2)}
        if name not in done and not cells & used and x + len(name) + 2 < sheet.width:
            done.add(name)
            used |= cells
            sheet.canvas.put(x + 2, y + row, name, Role.DIM)
    is_airy = places.cell.height == AIRY_ROWS
    for spot, name in named.items():  # otherwise in the free row below its card, or above its frame
        row = spot.y + (1 if is_airy else -1)
        cells = {(spot.x + column, row) for column in range(len(name))}
        fits = len(name) <= spot.width and (is_airy or (row >= 0 and not cells & used))
        if name not in done and fits:
            done.add(name)
            sheet.canvas.put(spot.x + 1, y + row, name, Role.DIM)


def _up(sheet: DrawContext, pile: int) -> str:
    """Return the number of face-up cards at the bottom of a face-down pile, if there are any."""
    cards = sheet.board.cards[pile]
    up = sum(card != UNKNOWN for card in cards)
    return f"{up} up" if up and cards[-1] == UNKNOWN else ""


def _count(sheet: DrawContext, pile: int) -> str:
    count = len(sheet.board.cards[pile])
    return str(count) if count > 1 and is_counted(sheet.board.piles[pile]) else ""


def _draw_door(sheet: DrawContext, spot: Spot) -> None:
    label = sheet.scene.label(spot.pile)
    end = sheet.canvas.put(spot.x, spot.y, label[:1], sheet.scene.label_ink(spot.pile))
    sheet.canvas.put(end, spot.y, " head"[: spot.x + spot.width - end], Role.DIM)


def _draw_plain(sheet: DrawContext, spot: Spot) -> None:
    text, ink = _top(sheet, spot.pile)
    canvas, label = sheet.canvas, sheet.scene.label(spot.pile)
    canvas.put(spot.x, spot.y, label[:1], sheet.scene.label_ink(spot.pile))
    start = 2 if spot.width > 3 else 1
    if sign := sign_of(ink, sheet.glyphs):
        canvas.put(spot.x + start - 1, spot.y, sign, ink & ~Mark.AIR)
    end = canvas.put(spot.x + start, spot.y, text, ink)
    up = _up(sheet, spot.pile)
    count = _count(sheet, spot.pile)
    if up and spot.height == 1:
        count += f"+{up.removesuffix(' up')}"
    canvas.put(end, spot.y, count[: spot.x + spot.width - end], Role.DIM)
    if spot.height > 1:
        canvas.put(spot.x + start, spot.y + 1, up, Role.DIM)


def _draw_framed(sheet: DrawContext, spot: Spot) -> None:
    text, ink = _top(sheet, spot.pile, ten=True)
    canvas, glyphs, cards = sheet.canvas, sheet.glyphs, sheet.board.cards[spot.pile]
    at, size = (spot.x, spot.y), (spot.width, 3)
    if cards and cards[-1] != UNKNOWN:
        draw_card(canvas, Box(at, size), text, ink, glyphs)
    else:
        draw_frame(canvas, at, size, glyphs, dashed=not cards)
        canvas.put(spot.x + 2, spot.y + 1, glyphs.back * (spot.width - 3) if cards else text, ink)
    canvas.put(spot.x + 1, spot.y + 1, sheet.scene.label(spot.pile)[:1], sheet.scene.label_ink(spot.pile))
    count = _count(sheet, spot.pile)
    canvas.put(spot.x + spot.width - 1 - len(count), spot.y + 1, count, Role.DIM)
    canvas.put(spot.x + 2, spot.y + 2, _up(sheet, spot.pile), Role.DIM)
