"""Arrange a game's piles on a screen by the geometry of its groups, never by the game's name.

Groups become blocks, blocks are placed from the top left, and columns get the rows that remain. Cards play
no part, so the picture is stable while they move. Only lines grow and shrink.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from math import ceil
from typing import Final, NamedTuple

from racing_demon_protocol.engine.board import Kind, Pile
from racing_demon_protocol.engine.layout import Layout
from racing_demon_protocol.engine.specification import Geometry, Group

from .blocks import LOOSE, Block, Cell, Grouped, Spot, blocks, is_column

LOOSE_ROOM: Final = 66
"""The maximum width of the line with stock, waste and completed piles, including its text."""
GAP: Final = 2
"""The columns between two blocks."""
FRAMED: Final = Cell(8, 8, 3, framed=True)
AIRY: Final = Cell(6, 7, 2)
TIGHT: Final = Cell(5, 7, 1)
CLOSE: Final = Cell(4, 5, 1)
"""No gap between the cards: for many piles beside other players."""


@dataclass(frozen=True, slots=True)
class Arrangement:
    """Where everything is drawn.

    Attributes:
        cell: the size of a squared pile.
        squared: the piles that show one card.
        columns: the piles that show all cards, from the top down.
        loose: the top left corner and the width of the line with stock, waste and completed piles.

    """

    cell: Cell
    squared: tuple[Spot, ...]
    columns: tuple[Spot, ...]
    loose: tuple[int, int, int]


class Rectangle(NamedTuple):
    """A free rectangle."""

    x: int
    y: int
    width: int
    height: int


def arrange(  # noqa: PLR0913
    layout: Layout,
    piles: Sequence[int],
    *,
    width: int,
    height: int,
    framed: bool,
    line: Sequence[int] = (),
) -> Arrangement:
    """Return where one player's piles are drawn, in the roomiest way that fits.

    Args:
        layout: the layout of the hand.
        piles: the numbers of the piles to draw.
        width: the available columns.
        height: the available rows.
        framed: whether cards may have frames.
        line: the piles of a line that hold cards.

    """
    groups = _groups(layout, piles)
    stays = all(group.geometry is not Geometry.LINE for group, _ in groups)  # a line gets shorter
    for cell, least in _wishes(framed):
        found = _try(groups, cell, width, height, least, line)
        if found is not None:
            return _centred(found, width, height) if stays else found
    return _try(groups, CLOSE, width, 10 * height, 0, line) or Arrangement(CLOSE, (), (), (0, 0, width))


def _centred(places: Arrangement, width: int, height: int) -> Arrangement:
    """Center everything; vertically only if nothing grows downwards."""
    spots = (*places.squared, *places.columns)
    if not spots:
        return places
    right = (width - max(spot.x + spot.width for spot in spots)) // 2
    down = 0 if places.columns else (height - max(spot.y + spot.height for spot in spots)) // 2
    x, y, room = places.loose
    x += min(right, max(0, width - room)) if x or room < LOOSE_ROOM else min(right, width - LOOSE_ROOM)
    return Arrangement(
        places.cell,
        tuple(spot._replace(x=spot.x + right, y=spot.y + down) for spot in places.squared),
        tuple(spot._replace(x=spot.x + right) for spot in places.columns),
        (x, y + down, min(room, width - x)),
    )


def _wishes(framed: bool) -> Iterator[tuple[Cell, int]]:
    """Yield cell sizes and the rows that columns then need, roomiest first."""
    if framed:
        yield FRAMED, 12
        yield FRAMED, 8
    yield AIRY, 9
    yield TIGHT, 9
    yield TIGHT, 5
    yield CLOSE, 5
    yield CLOSE, 3


def _groups(layout: Layout, piles: Iterable[int]) -> list[tuple[Group, list[Pile]]]:
    groups: dict[str, tuple[Group, list[Pile]]] = {}
    for number in piles:
        pile, group = layout.piles[number], layout.groups[number]
        groups.setdefault(f"{group.name}/{pile.seat}", (group, []))[1].append(pile)
    return list(groups.values())


def _try(  # noqa: PLR0913, PLR0917
    groups: Grouped,
    cell: Cell,
    width: int,
    height: int,
    least: int,
    line: Sequence[int],
) -> Arrangement | None:
    """Return the arrangement with this cell size if it fits and leaves columns enough rows."""
    columns = [pile for group, own in groups for pile in own if is_column(pile, group)]
    lined = [pile for _, own in groups for pile in own if pile.number in line]
    loose = any(group.kind in LOOSE for group, _ in groups)
    doors = [pile for _, own in groups for pile in own if pile.kind is Kind.HEAD]
    rest = least * _rows_of_columns(len(columns), width) if columns else 0
    rest += 1 if doors else 0
    rest += _rows_of_line(len(lined), cell, width)
    rooms = [Rectangle(0, 0, width, height - rest)]
    squared: list[Spot] = []
    corner, bottom = (0, 0, width), 0
    if loose:
        block = Block([], min(width, 78 if width >= 78 else width), 4 if cell.framed else 1)
        corner_at = _place(rooms, block)
        if corner_at is None:
            return None
        corner, bottom = (*corner_at, block.width), corner_at[1] + block.height
    for block in blocks(groups, cell, width):
        at = _place(rooms, block)
        if at is None:
            return None
        squared += [spot._replace(x=spot.x + at[0], y=spot.y + at[1]) for spot in block.spots]
        bottom = max(bottom, at[1] + block.height)
    if lined:
        squared += _flow(lined, cell, width, bottom)
        bottom += _rows_of_line(len(lined), cell, width)
    spots = tuple(_columns(columns, width, bottom + (1 if doors else 0), height))
    squared += _above(spots, doors, bottom)
    return Arrangement(cell, tuple(squared), spots, corner)


def _place(rooms: list[Rectangle], block: Block) -> tuple[int, int] | None:
    """Place a block in a free rectangle and split what is left of the rectangle."""
    for number, room in enumerate(rooms):
        if block.width <= room.width and block.height <= room.height:
            used = block.width + GAP
            beside = Rectangle(room.x + used, room.y, room.width - used, block.height)
            below = Rectangle(room.x, room.y + block.height, room.width, room.height - block.height)
            rooms[number : number + 1] = [beside, below]
            return room.x, room.y
    return None


# Columns.


def _rows_of_columns(count: int, width: int) -> int:
    return ceil(count / max(1, (width + 1) // NARROWEST))


NARROWEST: Final = 4
WIDEST: Final = 10


def _columns(piles: Sequence[Pile], width: int, top: int, bottom: int) -> Iterator[Spot]:
    """Yield the columns side by side, in as few rows as they need."""
    if not piles:
        return
    rows = _rows_of_columns(len(piles), width)
    across = ceil(len(piles) / rows)
    pitch = min(WIDEST, (width + 1) // across)
    high = (bottom - top) // rows
    for number, pile in enumerate(piles):
        row, column = divmod(number, across)
        yield Spot(pile.number, column * pitch, top + row * high, pitch - 1, high)


def _above(columns: Sequence[Spot], doors: Sequence[Pile], y: int) -> Iterator[Spot]:
    """Yield the doors, each one row above its column."""
    places = {spot.pile: spot for spot in columns}
    for door in doors:
        if door.under is not None:
            yield places[door.under]._replace(pile=door.number, y=y, height=1)


def _rows_of_line(count: int, cell: Cell, width: int) -> int:
    return ceil(count / ((width + 1) // cell.counted)) * cell.height if count else 0


def _flow(piles: Sequence[Pile], cell: Cell, width: int, top: int) -> Iterator[Spot]:
    across = (width + 1) // cell.counted
    for number, pile in enumerate(piles):
        row, column = divmod(number, across)
        yield Spot(pile.number, column * cell.counted, top + row * cell.height, cell.counted - 1, cell.height)
