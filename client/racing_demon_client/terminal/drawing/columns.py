"""The tableau's columns, as many as the game has and as tall as the screen allows."""

from racing_demon_client.terminal.style import Density, Mark, Role
from racing_demon_protocol.engine.board import Kind
from racing_demon_protocol.engine.cards import UNKNOWN

from .canvas import Box, Hit, draw_card, draw_frame, sign_of
from .pile_layout import Spot
from .scene import DrawContext

NARROWEST = 5
"""The minimum width of a framed card."""


def draw_columns(sheet: DrawContext, y: int, end: int) -> None:
    """Draw the columns between two rows, with their keys above them."""
    piles = sheet.scene.own(Kind.TABLEAU)
    if not piles:
        return
    pitch = column_pitch(sheet)
    framed = sheet.density.card[1] > 1 and pitch > NARROWEST
    card = min(sheet.density.card[0], pitch - 1) if pitch <= sheet.density.card[0] else sheet.density.card[0]
    for number, pile in enumerate(piles):
        x = sheet.left + 1 + number * pitch
        sheet.canvas.touch(Hit(x, y, pitch, end - y, pile))
        label = sheet.scene.labels.get(f"column-{number + 1}", "")
        column = Spot(pile, x, y + 1, card if framed else pitch, end - y - 1)
        if framed:
            _label(sheet, (x, y), f"[{label}]" if label else "", pile)
            _draw_framed(sheet, column)
        else:
            _draw_plain(sheet, column, label)


def column_pitch(sheet: DrawContext) -> int:
    """Return the distance from one column to the next, in cells."""
    columns = len(sheet.scene.own(Kind.TABLEAU))
    return max(3, min(sheet.density.pitch, (sheet.width - 1) // max(1, columns)))


def draw_column(sheet: DrawContext, column: Spot, *, framed: bool) -> None:
    """Draw one column with its key above it; its width reaches to the next column."""
    label = sheet.scene.label(column.pile)
    if framed and column.width > NARROWEST + 1:
        _label(sheet, (column.x, column.y - 1), f"[{label}]" if label else "", column.pile)
        _draw_framed(sheet, column._replace(width=min(column.width - 1, sheet.density.card[0])))
    else:
        _draw_plain(sheet, column, label)


def _label(sheet: DrawContext, at: tuple[int, int], label: str, pile: int) -> int:
    return sheet.canvas.put(at[0] + 1, at[1], label, sheet.scene.label_ink(pile))


def _draw_plain(sheet: DrawContext, column: Spot, label: str) -> None:
    """Draw a column without frames: two characters a card, face-down cards as a number in the heading."""
    cards = sheet.board.cards[column.pile]
    hidden = _hidden(cards)
    x = _label(sheet, (column.x, column.y - 1), label, column.pile)
    if hidden:
        sheet.canvas.put(x, column.y - 1, f"{sheet.glyphs.back}{hidden}", Role.BACK)
    if not cards:
        sheet.canvas.put(
            column.x + 1, column.y, sheet.glyphs.dot * 2, Role.DIM | sheet.scene.pile_mark(column.pile)
        )
    for row, index in enumerate(_rows(len(cards) - hidden, column.height)):
        at = column.y + row
        if index is None:
            more = len(cards) - hidden - column.height + 1
            sheet.canvas.put(column.x + 1, at, f"+{more}", Role.DIM)
            continue
        place = hidden + index
        ink = sheet.scene.ink(column.pile, place, cards[place])
        sheet.canvas.put(column.x, at, sign_of(ink, sheet.glyphs) or " ", ink & ~Mark.AIR)
        sheet.canvas.put(column.x + 1, at, sheet.glyphs.card(cards[place]), ink)
        sheet.canvas.touch(Hit(column.x, at, column.width, 1, column.pile, place))


def _draw_framed(sheet: DrawContext, column: Spot) -> None:
    cards = sheet.board.cards[column.pile]
    if not cards:
        draw_frame(sheet.canvas, (column.x, column.y), (column.width, 3), sheet.glyphs, dashed=True)
        if mark := sheet.scene.pile_mark(column.pile):
            sheet.canvas.put(
                column.x + 1, column.y + 1, sheet.glyphs.dot * (column.width - 2), Role.DIM | mark
            )
        return
    hidden = _hidden(cards)
    shown = len(cards) - hidden
    backs, fan, body = _squeeze(min(hidden, sheet.density.backs), shown, column.height, sheet.density)
    y = column.y
    for row in range(backs):
        more = f"+{hidden - backs}" if row == backs - 1 and hidden > backs else ""
        sheet.canvas.put(column.x, y, sheet.glyphs.back * (column.width - len(more)) + more, Role.BACK)
        y += 1
    rows = _rows(shown, max(1, (column.y + column.height - y - body) // fan + 1))
    for index in rows:
        if index is None:
            sheet.canvas.put(column.x + 1, y, f"+{shown - len(rows) + 1}", Role.DIM)
            y += fan
            continue
        place = hidden + index
        ink = sheet.scene.ink(column.pile, place, cards[place])
        height = body if place == len(cards) - 1 else fan
        _draw_one(sheet, (column.x, y), (column.width, height), cards[place], ink)
        sheet.canvas.touch(Hit(column.x, y, column.width, height, column.pile, place))
        y += height


def _draw_one(sheet: DrawContext, at: tuple[int, int], size: tuple[int, int], card: int, ink: int) -> None:
    (x, y), (width, height) = at, size
    if card == UNKNOWN:  # uncovered by a play, and not revealed by the server yet
        for row in range(height):
            sheet.canvas.put(x, y + row, sheet.glyphs.back * width, ink)
    else:
        name = sheet.glyphs.card(card, ten=width > NARROWEST + 1)
        draw_card(sheet.canvas, Box(at, size), name, ink, sheet.glyphs)
        if height == 2:  # the second row of a fan belongs to the card and has no bottom edge
            sheet.canvas.put(x, y + 1, sheet.glyphs.side + " " * (width - 2) + sheet.glyphs.side, Role.FRAME)


def _hidden(cards: list[int]) -> int:
    """Return the number of face-down cards, without a last one that is being turned up."""
    hidden = next((n for n, card in enumerate(cards) if card != UNKNOWN), len(cards))
    return hidden - 1 if cards and hidden == len(cards) else hidden


def _squeeze(backs: int, shown: int, height: int, density: Density) -> tuple[int, int, int]:
    """Return the rows for backs, between cards, and for the last card of a column."""
    fan, body = density.fan, density.card[1]

    def too_high() -> bool:
        return backs + (shown - 1) * fan + body > height

    if too_high():
        fan = 1
    if too_high():
        backs = min(1, backs)
    while too_high() and body > 1:
        body -= 1
    return backs, fan, body


def _rows(shown: int, height: int) -> list[int | None]:
    """Return which card each row shows; ``None`` stands for those that do not fit."""
    if shown <= height:
        return list(range(shown))
    first: list[int | None] = [0, None] if height > 2 else [None]
    return [*first, *range(shown - height + len(first), shown)]
