"""One server per file: a lock that the operating system releases when its holder dies."""

import os
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from racing_demon_server.journal.interface import JournalUnusable
from racing_demon_server.private_file import give_to_folders_owner

MAX_FILES: Final = 64
PATIENCE_SECONDS: Final = 3.0
"""How long to wait for a server that is just ending."""
POLL_SECONDS: Final = 0.05


class JournalTaken(JournalUnusable):
    """Another server uses the file."""


class LockFile:
    """Holds the lock of a file, in a file of its own, because SQLite locks the journal itself.

    Attributes:
        path: the file itself, with symbolic links resolved.

    Args:
        path: the file.

    Raises:
        JournalTaken: another process holds the lock.
        JournalUnusable: the lock file cannot be created.

    """

    def __init__(self, path: Path) -> None:
        self.path = Path(os.path.realpath(path))
        name = lock_of(self.path)
        try:
            name.parent.mkdir(parents=True, exist_ok=True)
            self._handle = os.open(name, os.O_CREAT | os.O_RDWR, 0o600)
            give_to_folders_owner(name)
        except OSError as error:
            raise JournalUnusable(f"The journal {path} cannot be opened: {error.strerror}.") from error
        try:
            _lock(self._handle)
        except OSError as error:
            os.close(self._handle)
            text = f"Another server uses the journal {path}; name another file with --journal."
            raise JournalTaken(text) from error

    def release(self) -> None:
        """Release the lock."""
        os.close(self._handle)


def lock_of(path: Path) -> Path:
    """Return the file in which a file's lock is held."""
    return path.with_name(f"{path.name}-lock")


def is_taken(path: Path) -> bool:
    """Return whether a server has a file now.

    Raises:
        JournalUnusable: the lock file cannot be created.

    """
    try:
        LockFile(path).release()
    except JournalTaken:
        return True
    return False


def wait_until_free(path: Path, seconds: float = PATIENCE_SECONDS) -> None:
    """Wait a moment for a server that may be about to end.

    Raises:
        JournalTaken: a server has the file, and keeps it.
        JournalUnusable: the lock file cannot be created.

    """
    until = time.monotonic() + seconds
    while True:
        try:
            return LockFile(path).release()
        except JournalTaken:
            if time.monotonic() >= until:
                raise
        time.sleep(POLL_SECONDS)


def numbered(path: Path) -> Iterator[Path]:
    """Yield the files among which servers choose: the one that is named, and those with a number added."""
    for number in range(1, MAX_FILES):
        yield path if number == 1 else path.with_stem(f"{path.stem}-{number}")


def first_free(path: Path) -> Path:
    """Return the first unused file: the one that is named, or one with a number added to its name.

    Raises:
        JournalUnusable: there are too many, or none can be created there.

    """
    for free in numbered(path):
        try:
            LockFile(free).release()
        except JournalTaken:
            continue
        return free
    raise JournalUnusable(f"Too many servers use journals like {path}; name a file with --journal.")


try:
    import fcntl

    def _lock(handle: int) -> None:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)

except ImportError:  # Windows
    import msvcrt

    def _lock(handle: int) -> None:
        msvcrt.locking(handle, msvcrt.LK_NBLCK, 1)  # type: ignore[attr-defined]
