"""The piles beside the columns: stock, waste and reserve."""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from racing_demon_client.terminal.style import Mark, Role
from racing_demon_protocol.engine.board import Kind
from racing_demon_protocol.engine.cards import UNKNOWN, Card
from racing_demon_protocol.engine.specification import Stock

from .canvas import Box, Hit, draw_card, draw_frame, sign_of
from .scene import DrawContext

MOST_SHOWN = 5


class SidePiles(NamedTuple):
    """A side pile: its number, label and key label."""

    pile: int
    name: str
    label: str


def draw_loose(sheet: DrawContext, y: int) -> int:
    """Draw the side piles from a row on and return the row below them."""
    kinds = (Kind.STOCK, Kind.WASTE, Kind.RESERVE)
    framed = sheet.density.card[1] > 1
    piles = [pile for kind in kinds for pile in sheet.scene.own(kind)]
    draw_loose_line(sheet, piles, (sheet.left + 1, y), sheet.width - sheet.left, framed=framed)
    return y + 1 + (sheet.density.card[1] if framed else 0)


def draw_loose_line(
    sheet: DrawContext, piles: Sequence[int], at: tuple[int, int], width: int, *, framed: bool
) -> None:
    """Draw labeled side piles next to each other: framed, or in one row."""
    loose = list(_named(sheet, piles))
    if not framed:
        _draw_line(sheet, loose, at, width)
        return
    x = at[0]
    for each in loose:
        x = _draw_framed(sheet, each, x, at[1]) + 4


def _named(sheet: DrawContext, piles: Sequence[int]) -> Iterator[SidePiles]:
    for pile in piles:
        kind = sheet.board.piles[pile].kind
        label = sheet.scene.labels.get("turn", "") if kind is Kind.STOCK else sheet.scene.label(pile)
        yield SidePiles(pile, str(kind), f"[{label}]" if label else "")


def _shown(sheet: DrawContext, pile: int) -> list[tuple[Card, int]]:
    """Return a pile's visible cards, bottom first, each with its ink."""
    cards = sheet.board.cards[pile]
    in_air = sheet.scene.air.get(pile, 0)
    shown = []
    for index in range(len(cards) - 1, max(-1, len(cards) - 1 - MOST_SHOWN), -1):
        if cards[index] == UNKNOWN and len(cards) - index > in_air:
            break
        shown.append((cards[index], sheet.scene.ink(pile, index, cards[index])))
    return shown[::-1][-max(1, sheet.board.piles[pile].view) :]


def _draw_line(sheet: DrawContext, piles: Sequence[SidePiles], at: tuple[int, int], width: int) -> None:
    """Draw all side piles in one row; omit labels, then lower cards, if they do not fit."""
    x, y = at
    is_named = sum(len(loose.label) + len(loose.name) + 12 for loose in piles) <= width
    for most in range(MOST_SHOWN, 0, -1):
        labels = [_label(sheet, loose, most, is_named=is_named) for loose in piles]
        if sum(len(text) for pieces in labels for text, _ in pieces) + 2 * len(labels) - 1 <= width:
            break
    for loose, pieces in zip(piles, labels, strict=True):
        start = x
        for text, ink in pieces:
            x = sheet.canvas.put(x, y, text, ink)
        sheet.canvas.touch(_hit(sheet, loose.pile, (start, y), (x - start, 1)))
        x += 2


def _label(sheet: DrawContext, loose: SidePiles, most: int, *, is_named: bool) -> list[tuple[str, int]]:
    """Return a pile as pieces of text with inks: key, label, up to ``most`` cards, and the count."""
    count, glyphs = len(sheet.board.cards[loose.pile]), sheet.glyphs
    pieces: list[tuple[str, int]] = [(loose.label, sheet.scene.label_ink(loose.pile)), (" ", Role.DIM)]
    if is_named:
        pieces.append((f"{loose.name} ", Role.DIM))
    if sheet.board.piles[loose.pile].kind is Kind.STOCK or not (shown := _shown(sheet, loose.pile)):
        pieces.append((f"{glyphs.back}{count}" if count else glyphs.dot * 2, Role.BACK))
        redeals = _redeals(sheet, loose.pile)
        return [*pieces, (redeals if is_named else redeals.replace(" redeals ", "+"), Role.DIM)]
    for card, ink in shown[-most:]:
        if sign := sign_of(ink, glyphs):
            pieces.append((sign, ink & ~Mark.AIR))
        pieces += [(glyphs.card(card), ink), (" ", Role.DIM)]
    return [*pieces, (str(count), Role.DIM)]


def _draw_framed(sheet: DrawContext, loose: SidePiles, x: int, y: int) -> int:
    """Draw one side pile with its label above it and return the column after it."""
    count = len(sheet.board.cards[loose.pile])
    end = sheet.canvas.put(x, y, loose.label, sheet.scene.label_ink(loose.pile))
    end = sheet.canvas.put(end + 1, y, f"{loose.name} {count}{_redeals(sheet, loose.pile)}", Role.DIM)
    size = sheet.density.card
    if not count:
        draw_frame(sheet.canvas, (x, y + 1), size, sheet.glyphs, dashed=True)
        right = x + size[0]
    elif sheet.board.piles[loose.pile].kind is Kind.STOCK or not (shown := _shown(sheet, loose.pile)):
        draw_frame(sheet.canvas, (x, y + 1), size, sheet.glyphs)
        for row in range(1, size[1] - 1):
            sheet.canvas.put(x + 1, y + 1 + row, sheet.glyphs.back * (size[0] - 2), Role.BACK)
        right = x + size[0]
    else:
        right = x
        for number, (card, ink) in enumerate(shown):
            at = (x + number * 4, y + 1)
            draw_card(sheet.canvas, Box(at, size), sheet.glyphs.card(card, ten=True), ink, sheet.glyphs)
            right = at[0] + size[0]
    sheet.canvas.touch(_hit(sheet, loose.pile, (x, y), (max(right, end) - x, 1 + size[1])))
    return max(right, end)


def _redeals(sheet: DrawContext, pile: int) -> str:
    """Return how many redeals are left, if they are limited."""
    group, seat = sheet.rules.layout.groups[pile], sheet.board.piles[pile].seat
    if not isinstance(group, Stock) or group.redeals is None or seat is None:
        return ""
    return f" redeals {group.redeals - sheet.board.redeals.get(seat, 0)}"


def _hit(sheet: DrawContext, pile: int, at: tuple[int, int], size: tuple[int, int]) -> Hit:
    is_stock = sheet.board.piles[pile].kind is Kind.STOCK
    return Hit(*at, *size, pile, action="turn" if is_stock else None)
