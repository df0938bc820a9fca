"""Runs of plays: plays of one table that follow each other, and are written in one row of the journal.

When many plays come at once, a row for each would be most of the journal's cost. Private plays have no
numbers, and are always in runs that are marked private.
"""

from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple

import msgpack

RUN: Final = 0
"""The kind of such a row: no message has this number."""
MAX_RUN: Final = 64
"""The most plays in one row."""
_NIL: Final = b"\xc0"
"""The first byte of a run of private plays."""
_SHORT_ARRAY: Final = b"\xdc"
"""Below this, an array's header is one byte long; all longer ones that occur have three."""


class BrokenRun(Exception):
    """The bytes are not a run of plays."""


class StoredPlay(NamedTuple):
    """An encoded play, and its time in microseconds."""

    frame: bytes
    at_us: int


def encode_run(plays: Sequence[tuple[bytes, int]], *, private: bool = False) -> StoredPlay:
    """Return the bytes of a run of plays, and the time of the newest."""
    newest = max([at_us for _, at_us in plays])
    parts = [part for frame, at_us in plays for part in (frame, newest - at_us)]
    return StoredPlay(msgpack.packb([None, *parts] if private else parts), newest)


def is_private(frame: bytes) -> bool:
    """Return whether the plays of a run are private."""
    header = 1 if frame[:1] < _SHORT_ARRAY else 3
    return frame[header : header + 1] == _NIL


def decode_run(run: StoredPlay) -> Iterator[StoredPlay]:
    """Yield the plays of a run.

    Raises:
        BrokenRun: it is none.

    """
    try:
        parts = msgpack.unpackb(run.frame)
    except Exception as error:  # msgpack raises half a dozen kinds of exceptions for damaged bytes
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
