"""When a journal was last copied: in a file beside it, so that its server can say how old the copy is."""

from pathlib import Path
from typing import Final

from racing_demon_server.private_file import write_private

MAX_DIGITS: Final = 12


def backup_time_of(path: Path) -> Path:
    """Return the file with the time of the last backup of a server's journal."""
    return path.with_name(f"{path.name}-backup-time")


def note_backup(path: Path, now: float) -> None:
    """Note that a journal has been copied.

    Raises:
        OSError: that cannot be written.

    """
    write_private(backup_time_of(path), f"{int(now)}\n")


def last_backup(path: Path) -> int | None:
    """Return when a journal was last copied, in seconds since 1970; ``None`` if that is not known."""
    try:
        with backup_time_of(path).open(encoding="ascii") as file:
            text = file.read(MAX_DIGITS + 1).strip()
    except (OSError, UnicodeDecodeError):
        return None
    return int(text) if text.isdecimal() else None
