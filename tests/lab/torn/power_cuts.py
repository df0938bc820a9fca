"""Images of a journal as a power cut may leave them: the file, and a write-ahead log that is not whole."""

import contextlib
import os
import random
import shutil
import sqlite3
from collections.abc import Iterator
from pathlib import Path
from typing import Final, NamedTuple, Self

from racing_demon_protocol.wire.codec import pack
from racing_demon_server.journal.interface import JournalUnusable
from racing_demon_server.journal.reader import log_of
from racing_demon_server.journal.sqlite.database import open_journal

SECTOR: Final = 512
HEADER: Final = 32
FRAME_HEADER: Final = 24


class Instant(NamedTuple):
    """What could be told, at most, when the disk had promised to keep so many bytes of the log.

    Attributes:
        synced: the length of the log up to the end of a transaction.
        told: how many events are in it.

    """

    synced: int
    told: int


class Recording(NamedTuple):
    """A journal's file and its log, byte by byte, with the ends of its transactions."""

    file: bytes
    log: bytes
    instants: list[Instant]

    @classmethod
    def of(cls, file: bytes, log: bytes, folder: Path) -> Self:
        """Return a recording of a file and its log."""
        recording = cls(file, log, [])
        for end in _ends(log):
            found = recovered(folder, recording, log[:end])
            recording.instants.append(Instant(end, len(found or ())))
        return recording


def fast_folder(usual: Path) -> Path:
    """Return a folder in memory, where there is one: a hundred thousand files are opened here."""
    memory = Path("/dev/shm")  # noqa: S108 - a folder of one's own is made there
    if not os.access(memory, os.W_OK):
        return usual
    folder = memory / f"racing-demon-{os.getpid()}"
    folder.mkdir(exist_ok=True)
    return folder


def tear(recording: Recording, rng: random.Random) -> tuple[bytes, Instant]:
    """Return a log as a power cut leaves it, with the last instant whose bytes the disk had promised to keep.

    What was synced is whole. Behind it sectors may be missing, of other places, or garbage, in any order.
    """
    number = rng.randrange(len(recording.instants))
    safe = recording.instants[number]
    written = rng.randrange(safe.synced, len(recording.log) + 1)
    tail = bytearray(recording.log[safe.synced : written])
    kind = rng.randrange(5)
    if kind == 0:
        tail = tail[: rng.randrange(len(tail) + 1)]
    elif kind == 1:
        tail += rng.randbytes(rng.randrange(1, 3 * SECTOR))
    else:
        for place in range(0, len(tail), SECTOR):
            if rng.random() < 0.4:
                end = min(len(tail), place + SECTOR)
                tail[place:end] = _other(recording, rng, end - place, kind)
    return recording.log[: safe.synced] + bytes(tail), safe


def _other(recording: Recording, rng: random.Random, size: int, kind: int) -> bytes:
    """Return what may stand where a sector was not written: zeros, garbage, or a sector of another place."""
    if kind == 2:
        return bytes(size)
    if kind == 3:
        return rng.randbytes(size)
    start = rng.randrange(HEADER, max(HEADER + 1, len(recording.log) - size))
    return recording.log[start : start + size].ljust(size, b"\0")


def recovered(folder: Path, recording: Recording, log: bytes) -> list[bytes] | None:
    """Return the events that a server finds after the power is back; ``None`` if it finds no journal."""
    path = folder / "journal.sqlite"
    path.write_bytes(recording.file)
    path.with_name("journal.sqlite-wal").write_bytes(log)
    try:
        with contextlib.closing(open_journal(path, write=True)) as db:
            return [pack(kept.event) for kept in log_of(db, 1)]
    except (JournalUnusable, sqlite3.Error):
        return None
    finally:
        for file in _files(folder):
            file.unlink()


def _ends(log: bytes) -> Iterator[int]:
    """Yield where transactions end, by the file format of SQLite: a frame of theirs tells the file's size."""
    page = int.from_bytes(log[8:12], "big")
    frame = FRAME_HEADER + page
    yield 0
    for start in range(HEADER, len(log) - frame + 1, frame):
        if log[start + 4 : start + 8] != bytes(4) and log[start + 8 : start + 16] == log[16:24]:
            yield start + frame


def _files(folder: Path) -> Iterator[Path]:
    return folder.glob("journal.sqlite*")


def remove(folder: Path) -> None:
    """Remove a folder with all that is in it."""
    shutil.rmtree(folder, ignore_errors=True)
