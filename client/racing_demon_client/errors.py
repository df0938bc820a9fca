"""The client's errors, in addition to the protocol's.

::

    RacingDemonError
    ├── ConnectionFailed     the server cannot be reached, or closed the connection for good
    │   ├── IncompatibleServer  the server speaks another version of the protocol
    │   ├── JournalRefused   the local server cannot use its journal
    │   └── TableEnded       the server was stopped, and the table with it
    ├── RecordFailed         a record cannot be written
    ├── RecordUnreadable     a record, or the journal that should contain it, cannot be read
    └── SettingsRefused      the settings cannot be read, are invalid, or cannot be saved
"""

from racing_demon_protocol.errors import CommandRefused, RacingDemonError


class ConnectionFailed(RacingDemonError):
    """The server cannot be reached, or closed the connection for good.

    The text says what happened and what to do.
    """


class IncompatibleServer(ConnectionFailed):
    """The server speaks another version of the protocol; the text says who needs an update."""


class JournalRefused(ConnectionFailed):
    """The local server cannot use its journal; the text says why."""


class TableEnded(ConnectionFailed):
    """The server was stopped, and the table ended with it."""


class RecordFailed(RacingDemonError):
    """A record cannot be written."""

    def __init__(self, path: str, why: str) -> None:
        super().__init__(f"The record cannot be written to {path}: {why}.")


class RecordUnreadable(RacingDemonError):
    """A record, or the journal that should contain it, cannot be read.

    The text says which one, why, and what to do.
    """


class SettingsRefused(RacingDemonError):
    """The settings cannot be read, are invalid, or cannot be saved.

    The text says where the problem is, what is allowed there, and what to do.
    """


def exit_code(error: Exception) -> int:
    """Return the program's exit code for an error, as ``racing-demon --help`` lists them."""
    match error:
        case RecordFailed() | RecordUnreadable() | SettingsRefused() | JournalRefused() | OSError():
            return 3
        case ConnectionFailed() | CommandRefused():
            return 4
        case _:
            return 1
