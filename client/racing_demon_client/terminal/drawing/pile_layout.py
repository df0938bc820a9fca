"""Lay out a game's piles on a screen by the geometry of its groups, never by the game's name.

Groups become blocks, blocks are placed from the top left, and columns get the rows that remain. Cards play
no part, so the picture is stable while they move. Only lines grow and shrink.
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
MAX_ARC_PILES: Final = 15
"""With more piles an arc would be taller than a screen, so they lie in rows."""
ROWS: Final = {Geometry.ROW, Geometry.FANS}
"""Geometries drawn as columns when all cards are visible."""
SIDE_KINDS: Final = (Kind.STOCK, Kind.WASTE, Kind.OUT)


class CellSize(NamedTuple):
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


class PileRect(NamedTuple):
    """Where a pile is drawn: its top left corner, and its size in columns and rows."""

    pile: int
    x: int
    y: int
    width: int
    height: int


class PileBlock(NamedTuple):
    """Piles that belong together, relative to the block's corner."""

    rects: list[PileRect]
    width: int
    height: int

    def rects_at(self, corner: tuple[int, int]) -> list[PileRect]:
        """Return where the piles are drawn if the block lies at this corner."""
        return [rect._replace(x=rect.x + corner[0], y=rect.y + corner[1]) for rect in self.rects]


def is_column(pile: Pile, group: Group) -> bool:
    """Return whether a pile is drawn as a column of visible cards."""
    spread = pile.kind is Kind.TABLEAU or (pile.kind is Kind.RESERVE and pile.shows is Shows.ALL)
    return spread and group.geometry in ROWS


def is_counted(pile: Pile) -> bool:
    """Return whether a squared pile shows its number of cards."""
    return pile.kind not in {Kind.CELL, Kind.FOUNDATION}


def blocks(groups: Grouped, cell: CellSize, width: int) -> Iterator[PileBlock]:
    """Yield the blocks of squared piles, foundations first: they matter most."""
    rings = [(group, own) for group, own in groups if group.geometry in RINGS]
    centre = [pile for group, own in rings for pile in own if group.geometry is Geometry.CENTRE]
    dials = [(group, own) for group, own in groups if group.geometry is Geometry.DIAL]
    arc = [pile for group, own in groups for pile in own if group.geometry is Geometry.SEMICIRCLE]
    if dials:
        yield _dial(dials, centre, cell, width)
    elif 0 < len(arc) <= MAX_ARC_PILES:
        yield _semicircle(arc, centre, cell, width)
    elif arc:
        most = max(1, (width + 1) // _width(arc, cell))
        yield _rows(arc, list(_even(len(arc), most)), cell)
    if dials or arc:
        rings = [(group, own) for group, own in rings if group.geometry is not Geometry.CENTRE]
    if rings:
        yield _rings(rings, cell)
    plain = [
        (group, own)
        for group, own in groups
        if group.geometry not in RINGS | {Geometry.SEMICIRCLE, Geometry.LINE, Geometry.DIAL}
        and group.kind not in {*SIDE_KINDS, Kind.HEAD}
        and not is_column(own[0], group)
    ]
    for group, own in sorted(plain, key=lambda each: each[0].kind is not Kind.FOUNDATION):
        if group.geometry is Geometry.COLUMN:
            yield _stacks(own, group.rows or (len(own),), cell)
        else:
            yield _rows(own, list(_row_sizes(group, len(own), _width(own, cell), width)), cell)


def _width(piles: Sequence[Pile], cell: CellSize) -> int:
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


def _rows(piles: Sequence[Pile], sizes: Sequence[int], cell: CellSize) -> PileBlock:
    pitch = _width(piles, cell)
    rects = [
        PileRect(pile.number, column * pitch, row * cell.height, pitch - 1, cell.height)
        for row, column, pile in _lines(piles, sizes)
    ]
    return PileBlock(rects, max(sizes, default=0) * pitch - 1, len(sizes) * cell.height)


def _stacks(piles: Sequence[Pile], sizes: Sequence[int], cell: CellSize) -> PileBlock:
    """Stack piles in as many columns as there are sizes."""
    pitch = _width(piles, cell)
    rects = [
        PileRect(pile.number, column * pitch, row * cell.height, pitch - 1, cell.height)
        for column, row, pile in _lines(piles, sizes)
    ]
    return PileBlock(rects, len(sizes) * pitch - 1, max(sizes, default=0) * cell.height)


def _lines(piles: Iterable[Pile], sizes: Sequence[int]) -> Iterator[tuple[int, int, Pile]]:
    """Yield each pile with its line and its position in it, for lines of these sizes."""
    places = ((line, place) for line, size in enumerate(sizes) for place in range(size))
    yield from ((line, place, pile) for (line, place), pile in zip(places, piles, strict=False))


def _dial(groups: Grouped, centre: Sequence[Pile], cell: CellSize, width: int) -> PileBlock:
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
    rects = []
    for pile, hour in hours:
        column, row = reach, 3
        if hour <= HOURS:
            column = reach + round(reach * sin(hour * pi / 6))
            row = hour % HOURS if hour % HOURS <= 6 else HOURS - hour
        rects.append(PileRect(pile.number, column, row * cell.height, pitch - 1, cell.height))
    return PileBlock(rects, 2 * reach + pitch, 7 * cell.height)


def _semicircle(piles: Sequence[Pile], centre: Sequence[Pile], cell: CellSize, width: int) -> PileBlock:
    """Arrange piles in an arc from left to right over the top, with others below its center."""
    pitch, last = _width(piles, cell), max(1, len(piles) - 1)
    high = max(2, ceil(len(piles) / 2) - 1)
    reach = min((width - pitch) // 2, pitch * max(2, ceil(len(piles) / 3)))
    rects = []
    for number, pile in enumerate(piles):
        row = high - min(number, last - number)
        column = reach - round(reach * cos(pi * number / last))
        rects.append(PileRect(pile.number, column, max(0, row) * cell.height, pitch - 1, cell.height))
    inner = _rows(centre, [len(centre)], cell) if centre else PileBlock([], 0, 0)
    left, top = (2 * reach + pitch - inner.width) // 2, high * cell.height
    rects += inner.rects_at((left, top))
    return PileBlock(rects, 2 * reach + pitch, (high + 1) * cell.height)


def _rings(groups: Grouped, cell: CellSize) -> PileBlock:
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
    rects = [
        PileRect(pile.number, (x - left) * pitch, (y - top) * cell.height, pitch - 1, cell.height)
        for (x, y), pile in places.items()
    ]
    across = max(x for x, _ in places) - left + 1
    down = max(y for _, y in places) - top + 1
    return PileBlock(rects, across * pitch - 1, down * cell.height)


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


SIDE_PILES_WIDTH: Final = 66
"""The maximum width of the line with stock, waste and completed piles, including its text."""
MAX_SIDE_PILES_WIDTH: Final = 78
GAP: Final = 2
"""The columns between two blocks."""
FRAMED: Final = CellSize(8, 8, 3, framed=True)
TALL: Final = CellSize(6, 7, 2)
FLAT: Final = CellSize(5, 7, 1)
NARROW: Final = CellSize(4, 5, 1)
"""No gap between the cards: for many piles beside other players."""


@dataclass(frozen=True, slots=True)
class Arrangement:
    """Where everything is drawn.

    Attributes:
        cell: the size of a squared pile.
        squared: the piles that show one card.
        columns: the piles that show all cards, from the top down.
        side_piles: the top left corner and the width of the line with stock, waste and completed piles.

    """

    cell: CellSize
    squared: tuple[PileRect, ...]
    columns: tuple[PileRect, ...]
    side_piles: tuple[int, int, int]


class Rectangle(NamedTuple):
    """A free rectangle."""

    x: int
    y: int
    width: int
    height: int


class FreeSpace:
    """The free rectangles of an area, which blocks fill from the top left.

    Attributes:
        bottom: the row below all blocks.

    """

    def __init__(self, width: int, height: int) -> None:
        self.bottom = 0
        self._rectangles = [Rectangle(0, 0, width, height)]

    def place(self, block: PileBlock) -> tuple[int, int] | None:
        """Return the corner where a block fits, and split what is left of that rectangle."""
        for index, free in enumerate(self._rectangles):
            if block.width <= free.width and block.height <= free.height:
                used = block.width + GAP
                beside = Rectangle(free.x + used, free.y, free.width - used, block.height)
                below = Rectangle(free.x, free.y + block.height, free.width, free.height - block.height)
                self._rectangles[index : index + 1] = [beside, below]
                self.bottom = max(self.bottom, below.y)
                return free.x, free.y
        return None


def arrange(
    layout: Layout, piles: Sequence[int], size: tuple[int, int], *, framed: bool, line: Sequence[int] = ()
) -> Arrangement:
    """Return where one player's piles are drawn, in the roomiest way that fits.

    Args:
        layout: the layout of the hand.
        piles: the numbers of the piles to draw.
        size: the available columns and rows.
        framed: whether cards may have frames.
        line: the piles of a line that hold cards.

    """
    groups = _groups(layout, piles)
    is_fixed = all(group.geometry is not Geometry.LINE for group, _ in groups)  # a line gets shorter
    for cell, min_rows in _sizes_to_try(framed):
        arrangement = _arrange(groups, cell, size, min_rows, line)
        if arrangement is not None:
            return _centered(arrangement, size) if is_fixed else arrangement
    width, height = size
    # Nothing fits: what hangs over the bottom is clipped.
    arrangement = _arrange(groups, NARROW, (width, 10 * height), 0, line)
    return arrangement or Arrangement(NARROW, (), (), (0, 0, width))


def _sizes_to_try(framed: bool) -> Iterator[tuple[CellSize, int]]:
    """Yield cell sizes and the rows that columns then need, roomiest first."""
    if framed:
        yield FRAMED, 12
        yield FRAMED, 8
    yield TALL, 9
    yield FLAT, 9
    yield FLAT, 5
    yield NARROW, 5
    yield NARROW, 3


def _groups(layout: Layout, piles: Iterable[int]) -> list[tuple[Group, list[Pile]]]:
    groups: dict[str, tuple[Group, list[Pile]]] = {}
    for number in piles:
        pile, group = layout.piles[number], layout.groups[number]
        groups.setdefault(f"{group.name}/{pile.seat}", (group, []))[1].append(pile)
    return list(groups.values())


def _arrange(
    groups: Grouped, cell: CellSize, size: tuple[int, int], min_column_rows: int, line: Sequence[int]
) -> Arrangement | None:
    """Return the arrangement with this cell size if it fits and leaves columns enough rows."""
    width, height = size
    piles = [(pile, group) for group, own in groups for pile in own]
    columns = [pile for pile, group in piles if is_column(pile, group)]
    heads = [pile for pile, _ in piles if pile.kind is Kind.HEAD]
    lined = [pile for pile, _ in piles if pile.number in line]
    column_rows = min_column_rows * _rows_of_columns(len(columns), width) if columns else 0
    head_rows = 1 if heads else 0
    line_rows = _rows_of_line(len(lined), cell, width)
    space = FreeSpace(width, height - column_rows - head_rows - line_rows)

    side_piles = (0, 0, width)
    if any(group.kind in SIDE_KINDS for group, _ in groups):
        block = PileBlock([], min(width, MAX_SIDE_PILES_WIDTH), 4 if cell.framed else 1)
        corner = space.place(block)
        if corner is None:
            return None
        side_piles = (*corner, block.width)

    squared: list[PileRect] = []
    for block in blocks(groups, cell, width):
        corner = space.place(block)
        if corner is None:
            return None
        squared += block.rects_at(corner)
    squared += _flow(lined, cell, width, space.bottom)

    top = space.bottom + line_rows
    column_rects = tuple(_columns(columns, width, top + head_rows, height))
    squared += _above(column_rects, heads, top)
    return Arrangement(cell, tuple(squared), column_rects, side_piles)


def _centered(arrangement: Arrangement, size: tuple[int, int]) -> Arrangement:
    """Center everything; vertically only if nothing grows downwards."""
    rects = (*arrangement.squared, *arrangement.columns)
    if not rects:
        return arrangement
    width, height = size
    right = (width - max(rect.x + rect.width for rect in rects)) // 2
    down = 0 if arrangement.columns else (height - max(rect.y + rect.height for rect in rects)) // 2
    x, y, used = arrangement.side_piles
    is_wide = not x and used >= SIDE_PILES_WIDTH
    x += min(right, width - SIDE_PILES_WIDTH) if is_wide else min(right, max(0, width - used))
    return Arrangement(
        arrangement.cell,
        tuple(rect._replace(x=rect.x + right, y=rect.y + down) for rect in arrangement.squared),
        tuple(rect._replace(x=rect.x + right) for rect in arrangement.columns),
        (x, y + down, min(used, width - x)),
    )


# Columns.


def _rows_of_columns(count: int, width: int) -> int:
    return ceil(count / max(1, (width + 1) // MIN_COLUMN_WIDTH))


MIN_COLUMN_WIDTH: Final = 4
MAX_COLUMN_WIDTH: Final = 10


def _columns(piles: Sequence[Pile], width: int, top: int, bottom: int) -> Iterator[PileRect]:
    """Yield the columns side by side, in as few rows as they need."""
    if not piles:
        return
    rows = _rows_of_columns(len(piles), width)
    across = ceil(len(piles) / rows)
    pitch = min(MAX_COLUMN_WIDTH, (width + 1) // across)
    high = (bottom - top) // rows
    for number, pile in enumerate(piles):
        row, column = divmod(number, across)
        yield PileRect(pile.number, column * pitch, top + row * high, pitch - 1, high)


def _above(columns: Sequence[PileRect], heads: Sequence[Pile], y: int) -> Iterator[PileRect]:
    """Yield the heads, each one row above its column."""
    places = {rect.pile: rect for rect in columns}
    for head in heads:
        if head.under is not None:
            yield places[head.under]._replace(pile=head.number, y=y, height=1)


def _rows_of_line(count: int, cell: CellSize, width: int) -> int:
    return ceil(count / ((width + 1) // cell.counted)) * cell.height if count else 0


def _flow(piles: Sequence[Pile], cell: CellSize, width: int, top: int) -> Iterator[PileRect]:
    across = (width + 1) // cell.counted
    for number, pile in enumerate(piles):
        row, column = divmod(number, across)
        yield PileRect(
            pile.number, column * cell.counted, top + row * cell.height, cell.counted - 1, cell.height
        )
