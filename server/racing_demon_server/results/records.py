"""Records of matches, made a piece at a time, and kept in memory: a long one takes minutes to make."""

import zlib
from collections import OrderedDict
from collections.abc import Callable
from typing import Final
from weakref import WeakSet

from racing_demon_protocol.records.summary import MatchSummary
from racing_demon_server.journal.matches import RecordMaker

BUDGET: Final = 16 * 1024 * 1024
"""The bytes of all pieces that are kept, compressed: more than a million events."""
Former = Callable[[MatchSummary], frozenset[int]]
"""Returns the seats of players of a match who were forgotten."""
LEVEL: Final = 1
"""The least effort: the lines of a record are so alike that they become a tenth of their size even so."""


class RecordVersion:
    """One version of a match's record, whole or in the making.

    Attributes:
        version: what names it: the match, whether chat is told, and who was forgotten.
        summary: the match.
        match: where it is in the journal.
        former: the seats of players who were forgotten.
        maker: makes the rest; ``None`` if it is whole.
        pieces: all pieces, compressed; none if there is no room for them.
        size: their bytes.
        is_kept: whether there is room.
        is_dropped: whether nobody may read it any more.

    """

    def __init__(
        self, version: str, summary: MatchSummary, former: frozenset[int], maker: RecordMaker
    ) -> None:
        self.version = version
        self.summary = summary
        self.former = former
        self.match = maker.match
        self.maker: RecordMaker | None = maker
        self.pieces: list[bytes] = []
        self.size = 0
        self.is_kept = True
        self.is_dropped = False

    def drop(self) -> None:
        """Let nobody read it any more, and keep nothing of it."""
        self.is_dropped = True
        self.discard()

    def discard(self) -> None:
        """Keep no pieces, and none that come."""
        self.is_kept = False
        self.pieces.clear()
        self.size = 0


class RecordVersions:
    """The records that are kept or being read, within a budget. Only the thread of the results uses it.

    One in the making belongs to its reader, and is forgotten with them; one that is whole may have many
    readers, who count as long as they hold it.

    Args:
        budget: the most bytes.

    """

    def __init__(self, budget: int = BUDGET) -> None:
        self._budget = budget
        self._held: WeakSet[RecordVersion] = WeakSet()
        self._whole: OrderedDict[str, RecordVersion] = OrderedDict()

    @property
    def size(self) -> int:
        """The bytes of all pieces."""
        return sum(record.size for record in self._held)

    def find(self, version: str) -> RecordVersion | None:
        """Return a whole record; ``None`` if it is not kept."""
        record = self._whole.get(version)
        if record is not None:
            self._whole.move_to_end(version)
        return record

    def begin(self, record: RecordVersion) -> None:
        """Count a record in the making."""
        self._held.add(record)

    def add(self, record: RecordVersion, piece: bytes, *, is_last: bool) -> None:
        """Add a piece to a record in the making, and keep it if there is room."""
        if record.is_kept:
            packed = zlib.compress(piece, LEVEL)
            record.pieces.append(packed)
            record.size += len(packed)
            while self.size > self._budget and self._whole:  # first what nobody has asked for the longest
                self._whole.popitem(last=False)
            if self.size > self._budget:
                record.discard()
        if is_last:
            record.maker = None
            if record.is_kept:
                self._whole[record.version] = record

    def drop_others(self, former: Former) -> None:
        """Drop the records in which somebody is named who was forgotten since."""
        for record in list(self._held):
            if former(record.summary) != record.former:
                record.drop()
                if self._whole.get(record.version) is record:
                    del self._whole[record.version]
