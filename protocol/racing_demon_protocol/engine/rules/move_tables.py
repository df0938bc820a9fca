"""Move tables: plays that two piles alone decide, which in most games are nearly all.

Plays that it does not allow go to the full rules, which also give the reason for a refusal.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from racing_demon_protocol.engine.board import Board, Play
from racing_demon_protocol.engine.cards import PACK_SIZE, UNKNOWN, Card
from racing_demon_protocol.engine.layout import Layout
from racing_demon_protocol.engine.specification import (
    Base,
    Foundations,
    Group,
    Reserve,
    Stock,
    Tableau,
    Unit,
    Waits,
    Waste,
)

from .columns import ColumnRules
from .pile_moves import may_move
from .sequences import faces, followers, successors

NO_CARDS: Final[frozenset[Card]] = frozenset()
Followers = Sequence[frozenset[Card]]
"""For each card of the first pack, by number, the cards that fit on it."""


@dataclass(frozen=True, slots=True)
class MoveTable:
    """How cards move from the piles of one group to those of another.

    Attributes:
        opens: what an empty pile accepts.
        takes: what another pile accepts, by the number of its cards; the last entry holds for all more.
        run: what fits on each card of a run, where runs move.
        turn: how many cards are turned over at a time; 0 where cards are played.

    """

    opens: frozenset[Card] = NO_CARDS
    takes: Sequence[Followers] = ((NO_CARDS,) * PACK_SIZE,)
    run: Followers | None = None
    turn: int = 0


NO_MOVES: Final = MoveTable()


class MoveTables:
    """The moves of one game that two piles alone decide.

    Args:
        layout: the piles of a game of which not every play depends on more than its two piles.
        columns: what fits on its columns.

    """

    def __init__(self, layout: Layout, columns: ColumnRules) -> None:
        self._layout = layout
        self._columns = columns
        self._groups = layout.groups
        self._owners = [pile.seat for pile in layout.piles]
        self._tables: dict[tuple[str, str], MoveTable] = {}
        self._between: dict[tuple[int, int], MoveTable] = {}

    def allows(self, board: Board, seat: int, play: Play) -> bool:
        """Return whether a play is certainly legal; otherwise ask the full rules."""
        source, count, destination, depth = play
        table = self._between.get((source, destination)) or self._table_between(source, destination)
        if table is NO_MOVES or depth or count < 1 or self._owners[source] != seat:
            return False
        cards, there = board.cards[source], board.cards[destination]
        if table.turn or count > len(cards):
            return count == (table.turn if table.turn < len(cards) else len(cards))
        card = cards[-count]
        if card == UNKNOWN or (count > 1 and not _is_run(table.run, cards[-count:])):
            return False
        if not there:
            return card % PACK_SIZE in table.opens
        takes = table.takes[len(there) - 1 if len(there) < len(table.takes) else -1]
        return there[-1] != UNKNOWN and card % PACK_SIZE in takes[there[-1] % PACK_SIZE]

    def between(self, source: int, destination: int) -> MoveTable | None:
        """Return how cards move between two piles, if the two alone decide it; otherwise ``None``."""
        table = self._table_between(source, destination)
        return None if table is NO_MOVES else table

    def _table_between(self, source: int, destination: int) -> MoveTable:
        """Return how cards move between two piles of a seat or the table, and cache it."""
        owners = self._owners
        if source == destination or not -1 < source < len(owners) > destination > -1:
            return NO_MOVES
        if owners[source] is None or owners[destination] not in {owners[source], None}:
            return NO_MOVES
        names = self._groups[source].name, self._groups[destination].name
        table = self._tables.get(names)
        if table is None:
            table = self._tables[names] = self._make_table(source, destination)
        self._between[source, destination] = table
        return table

    def _make_table(self, source: int, destination: int) -> MoveTable:
        """Return how cards move between two piles; if that depends on more, as if none could."""
        origin, target = self._groups[source], self._groups[destination]
        match origin, target:
            case Stock(rounds=()), Waste(limit=None):
                return MoveTable(turn=origin.turn)
            case ((Waste() | Tableau() | Reserve(playable=True, locked=False)), Tableau()):
                return self._to_column(source, destination, origin, target)
            case (
                (Waste() | Tableau() | Reserve(playable=True, locked=False)),
                Foundations(waits=Waits.NEVER),
            ):
                return self._to_foundation(source, destination, target)
        return NO_MOVES

    def _to_column(self, source: int, destination: int, origin: Group, column: Tableau) -> MoveTable:
        if column.cap is not None or column.spaces_first or column.unit is Unit.ONE_SIDE_SINGLE:
            return NO_MOVES
        fills_space = self._columns.fills_space
        opens = frozenset(card for card in range(PACK_SIZE) if fills_space(source, column, [card]))
        run = None
        if isinstance(origin, Tableau) and origin.unit is Unit.TAIL:
            run = followers(origin.build, origin.wrap)
        is_open = may_move(self._layout, source, destination)
        takes = [followers(column.build, column.wrap)] if is_open else NO_MOVES.takes
        return MoveTable(opens, takes, run)

    def _to_foundation(self, source: int, destination: int, group: Foundations) -> MoveTable:
        if not may_move(self._layout, source, destination):
            return NO_MOVES
        depends = isinstance(group.base, Base) or group.one_per_suit
        opens = NO_CARDS if depends else faces(group.base)
        full = (NO_CARDS,) * PACK_SIZE
        return MoveTable(opens, [*successors(group)[1:], full])


def _is_run(run: Followers | None, cards: Sequence[Card]) -> bool:
    """Return whether cards are known, and each fits on the one before."""
    if run is None or UNKNOWN in cards:
        return False
    return all(cards[i] % PACK_SIZE in run[cards[i - 1] % PACK_SIZE] for i in range(1, len(cards)))
