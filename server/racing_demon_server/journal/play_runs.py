"""Runs of plays: plays of one table that follow each other, and are written in one row of the journal.

Where many come at once, a row for each would be most of what the journal costs. Plays that are sent to their
players only are always in runs, which say so: they have no numbers of their own.
"""

from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple

import msgpack

RUN: Final = 0
"""What such a row has for its kind, where others have the number of a message, which is none."""
LONGEST: Final = 64
"""So many plays are in one row at most."""
_NIL: Final = b"\xc0"
"""What a run of private plays begins with."""
_SHORT_ARRAY: Final = b"\xdc"
"""Arrays whose header is below this have a header of one byte, all others that occur one of three."""


class BrokenRun(Exception):
    """Bytes are no run of plays."""


class StoredPlay(NamedTuple):
    """A play as it is on the wire, and when it was made, in microseconds."""

    frame: bytes
    at_us: int


def joined(plays: Sequence[tuple[bytes, int]], *, private: bool = False) -> StoredPlay:
    """Return plays as one: the bytes of a run, and the time of the newest."""
    newest = max([at_us for _, at_us in plays])
    parts = [part for frame, at_us in plays for part in (frame, newest - at_us)]
    return StoredPlay(msgpack.packb([None, *parts] if private else parts), newest)


def is_private(frame: bytes) -> bool:
    """Return whether the plays of a run were sent to their players only."""
    header = 1 if frame[:1] < _SHORT_ARRAY else 3
    return frame[header : header + 1] == _NIL


def parted(run: StoredPlay) -> Iterator[StoredPlay]:
    """Yield the plays of a run, as they were.

    Raises:
        BrokenRun: it is none.

    """
    try:
        parts = msgpack.unpackb(run.frame)
    except Exception as error:  # msgpack raises half a dozen kinds for what may stand in a damaged file
        raise BrokenRun(f"no run of plays ({type(error).__name__})") from None
    if isinstance(parts, list) and parts[:1] == [None]:
        del parts[0]
    if not isinstance(parts, list) or len(parts) % 2 or not parts:
        raise BrokenRun("no run of plays")
    for frame, before_us in zip(parts[::2], parts[1::2], strict=True):
        if not isinstance(frame, bytes) or type(before_us) is not int:
            raise BrokenRun("no run of plays")
        yield StoredPlay(frame, run.at_us - before_us)


def plays_in(kind: int, frame: bytes) -> int:
    """Return how many events are in a row of the journal: those of a run, or one."""
    if kind != RUN:
        return 1
    unpacker = msgpack.Unpacker()
    unpacker.feed(frame)
    return int(unpacker.read_array_header()) // 2
