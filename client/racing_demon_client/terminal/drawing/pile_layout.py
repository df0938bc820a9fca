"""Blocks of squared piles: rows, stacks, dials, arcs and rings.

Their shape follows from the geometry that groups declare, never from the game's name.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from math import ceil, cos, pi, sin
from typing import Final, NamedTuple

from racing_demon_protocol.engine.board import Kind, Pile, Shows
from racing_demon_protocol.engine.layout import Layout
from racing_demon_protocol.engine.specification import Geometry, Group

Grouped = Sequence[tuple[Group, list[Pile]]]
"""Groups, each with its piles that are drawn."""

RINGS: Final = {
    *(Geometry.CENTRE, Geometry.MILL, Geometry.WREATH, Geometry.CROSS, Geometry.CORNERS, Geometry.SIDES),
}
"""Geometries that surround each other and form one block."""
HOURS: Final = 12
WIDEST_ARC: Final = 15
"""With more piles an arc would be taller than a screen, so they lie in rows."""
ROWS: Final = {Geometry.ROW, Geometry.FANS}
"""Geometries drawn as columns when all cards are visible."""
LOOSE: Final = (Kind.STOCK, Kind.WASTE, Kind.OUT)


class Cell(NamedTuple):
    """The room for one squared pile including the gap to the next, in cells of the screen.

    Attributes:
        width: the columns of a pile without a count.
        counted: the columns of a pile with a count.
        height: the rows.
        framed: whether its card has a frame.

    """

    width: int
    counted: int
    height: int
    framed: bool = False


class Spot(NamedTuple):
    """Where a pile is drawn: its top left corner, and its size in columns and rows."""

    pile: int
    x: int
    y: int
    width: int
    height: int


class Block(NamedTuple):
    """Piles that belong together, relative to the block's corner."""

    spots: list[Spot]
    width: int
    height: int


def is_column(pile: Pile, group: Group) -> bool:
    """Return whether a pile is drawn as a column of visible cards."""
    spread = pile.kind is Kind.TABLEAU or (pile.kind is Kind.RESERVE and pile.shows is Shows.ALL)
    return spread and group.geometry in ROWS


def is_counted(pile: Pile) -> bool:
    """Return whether a squared pile shows its number of cards."""
    return pile.kind not in {Kind.CELL, Kind.FOUNDATION}


def blocks(groups: Grouped, cell: Cell, width: int) -> Iterator[Block]:
    """Yield the blocks of squared piles, foundations first: they matter most."""
    rings = [(group, own) for group, own in groups if group.geometry in RINGS]
    centre = [pile for group, own in rings for pile in own if group.geometry is Geometry.CENTRE]
    dial = [(group, own) for group, own in groups if group.geometry is Geometry.DIAL]
    arc = [pile for group, own in groups for pile in own if group.geometry is Geometry.SEMICIRCLE]
    if dial:
        yield _dial(dial, centre, cell, width)
    elif 0 < len(arc) <= WIDEST_ARC:
        yield _semicircle(arc, centre, cell, width)
    elif arc:
        most = max(1, (width + 1) // _width(arc, cell))
        yield _rows(arc, list(_even(len(arc), most)), cell)
    if dial or arc:
        rings = [(group, own) for group, own in rings if group.geometry is not Geometry.CENTRE]
    if rings:
        yield _rings(rings, cell)
    plain = [
        (group, own)
        for group, own in groups
        if group.geometry not in RINGS | {Geometry.SEMICIRCLE, Geometry.LINE, Geometry.DIAL}
        and group.kind not in {*LOOSE, Kind.HEAD}
        and not is_column(own[0], group)
    ]
    for group, own in sorted(plain, key=lambda each: each[0].kind is not Kind.FOUNDATION):
        if group.geometry is Geometry.COLUMN:
            yield _stacks(own, group.rows or (len(own),), cell)
        else:
            yield _rows(own, list(_row_sizes(group, len(own), _width(own, cell), width)), cell)


def _width(piles: Sequence[Pile], cell: Cell) -> int:
    return cell.counted if any(map(is_counted, piles)) else cell.width


def _row_sizes(group: Group, count: int, pitch: int, width: int) -> Iterator[int]:
    """Yield how many piles lie in each row."""
    most = max(1, (width + 1) // pitch)
    for row in (group.rows if sum(group.rows) == count else ()) or (count,):
        yield from _even(row, most)


def _even(count: int, most: int) -> Iterator[int]:
    """Yield equal sizes for a row that is too wide."""
    rows = ceil(count / most)
    for number in range(rows):
        yield count // rows + (number < count % rows)


def _rows(piles: Sequence[Pile], sizes: Sequence[int], cell: Cell) -> Block:
    pitch = _width(piles, cell)
    spots = [
        Spot(pile.number, column * pitch, row * cell.height, pitch - 1, cell.height)
        for row, column, pile in _lines(piles, sizes)
    ]
    return Block(spots, max(sizes, default=0) * pitch - 1, len(sizes) * cell.height)


def _stacks(piles: Sequence[Pile], sizes: Sequence[int], cell: Cell) -> Block:
    """Stack piles in as many columns as there are sizes."""
    pitch = _width(piles, cell)
    spots = [
        Spot(pile.number, column * pitch, row * cell.height, pitch - 1, cell.height)
        for column, row, pile in _lines(piles, sizes)
    ]
    return Block(spots, len(sizes) * pitch - 1, max(sizes, default=0) * cell.height)


def _lines(piles: Iterable[Pile], sizes: Sequence[int]) -> Iterator[tuple[int, int, Pile]]:
    """Yield each pile with its line and its position in it, for lines of these sizes."""
    places = ((line, place) for line, size in enumerate(sizes) for place in range(size))
    yield from ((line, place, pile) for (line, place), pile in zip(places, piles, strict=False))


def _dial(groups: Grouped, centre: Sequence[Pile], cell: Cell, width: int) -> Block:
    """Arrange piles like the hours of a clock, with others in the center.

    The first lies at one o'clock, or where its group says.
    """
    hours = [
        (pile, group.rows[0] if len(own) == len(group.rows) == 1 else number)
        for group, own in groups
        for number, pile in enumerate(own, start=1)
    ]
    hours += [(pile, HOURS + 1) for pile in centre]
    pitch = _width([pile for pile, _ in hours], cell)
    reach = min(2 * pitch + pitch // 2, (width - pitch) // 2)
    spots = []
    for pile, hour in hours:
        column, row = reach, 3
        if hour <= HOURS:
            column = reach + round(reach * sin(hour * pi / 6))
            row = hour % HOURS if hour % HOURS <= 6 else HOURS - hour
        spots.append(Spot(pile.number, column, row * cell.height, pitch - 1, cell.height))
    return Block(spots, 2 * reach + pitch, 7 * cell.height)


def _semicircle(piles: Sequence[Pile], centre: Sequence[Pile], cell: Cell, width: int) -> Block:
    """Arrange piles in an arc from left to right over the top, with others below its center."""
    pitch, last = _width(piles, cell), max(1, len(piles) - 1)
    high = max(2, ceil(len(piles) / 2) - 1)
    reach = min((width - pitch) // 2, pitch * max(2, ceil(len(piles) / 3)))
    spots = []
    for number, pile in enumerate(piles):
        row = high - min(number, last - number)
        column = reach - round(reach * cos(pi * number / last))
        spots.append(Spot(pile.number, column, max(0, row) * cell.height, pitch - 1, cell.height))
    inner = _rows(centre, [len(centre)], cell) if centre else Block([], 0, 0)
    left, top = (2 * reach + pitch - inner.width) // 2, high * cell.height
    spots += [spot._replace(x=spot.x + left, y=spot.y + top) for spot in inner.spots]
    return Block(spots, 2 * reach + pitch, (high + 1) * cell.height)


def _rings(groups: Grouped, cell: Cell) -> Block:
    """Arrange a center, the sails of a mill and the rings around them on one grid."""
    places: dict[tuple[int, int], Pile] = {}
    for geometry, lie in (
        (Geometry.CENTRE, _middle),
        (Geometry.CROSS, _cross),
        (Geometry.MILL, _sails),
        (Geometry.CORNERS, _corners),
    ):
        for own in (own for group, own in groups if group.geometry is geometry):
            _lay(places, own, lie(len(own)))
    wreaths: dict[Kind, list[Pile]] = {}
    for group, own in groups:
        if group.geometry is Geometry.WREATH:
            wreaths.setdefault(group.kind, []).extend(own)
    for _, own in sorted(wreaths.items(), key=lambda each: each[0] is not Kind.FOUNDATION):
        _lay(places, own, _ring(places, len(own)))
    for own in (own for group, own in groups if group.geometry is Geometry.SIDES):
        _lay(places, own, _sides(places, len(own)))
    piles = list(places.values())
    pitch = _width(piles, cell)
    left, top = min(x for x, _ in places), min(y for _, y in places)
    spots = [
        Spot(pile.number, (x - left) * pitch, (y - top) * cell.height, pitch - 1, cell.height)
        for (x, y), pile in places.items()
    ]
    across = max(x for x, _ in places) - left + 1
    down = max(y for _, y in places) - top + 1
    return Block(spots, across * pitch - 1, down * cell.height)


def _lay(places: dict[tuple[int, int], Pile], piles: Sequence[Pile], free: Iterable[tuple[int, int]]) -> None:
    where = (place for place in free if place not in places)
    places.update(zip(list(islice(where, len(piles))), piles, strict=False))


def _middle(count: int) -> Iterator[tuple[int, int]]:
    yield from ((x - (count - 1) // 2, 0) for x in range(count))


def _cross(count: int) -> Iterator[tuple[int, int]]:
    yield from ((0, -1), (-1, 0), (0, 0), (1, 0), (0, 1))
    yield from _corners(count)


def _sails(count: int) -> Iterator[tuple[int, int]]:
    """Yield the places of a mill's four sails, from the inside out."""
    for reach in range(1, count + 1):
        yield from ((0, -reach), (reach, 0), (0, reach), (-reach, 0))


def _corners(count: int) -> Iterator[tuple[int, int]]:
    for reach in range(1, count + 1):
        yield from ((-reach, -reach), (reach, -reach), (-reach, reach), (reach, reach))


def _ring(places: dict[tuple[int, int], Pile], count: int) -> Iterator[tuple[int, int]]:
    """Yield the places of the smallest ring around everything placed so far."""
    reach = max((max(abs(x), abs(y)) for x, y in places), default=-1) + 1
    while 8 * reach < count:
        reach += 1
    top = [(x, -reach) for x in range(-reach, reach)]
    right = [(reach, y) for y in range(-reach, reach)]
    bottom = [(-x, reach) for x, _ in top]
    left = [(-reach, -y) for _, y in right]
    around = [*top, *right, *bottom, *left] or [(0, 0)]
    yield from (around[number * len(around) // count] for number in range(count))


def _sides(places: dict[tuple[int, int], Pile], count: int) -> Iterator[tuple[int, int]]:
    """Yield the places of two columns; the first half lies to the left of everything placed so far."""
    reach, top = max(abs(x) for x, _ in places) + 1, min(y for _, y in places)
    half = ceil(count / 2)
    yield from ((-reach, top + row) for row in range(half))
    yield from ((reach, top + row) for row in range(count - half))


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
