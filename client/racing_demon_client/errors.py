"""The client's errors, in addition to the protocol's.

::

    RacingDemonError
    ├── ConnectionFailed     the server cannot be reached, or closed the connection for good
    │   ├── IncompatibleServer  the server speaks another version of the protocol
    │   ├── JournalRefused   the local server cannot use its journal
    │   ├── PortRefused      the local server cannot listen where it should
    │   └── TableEnded       the server was stopped, and the table with it
    ├── RecordFailed         a record cannot be written
    ├── RecordUnreadable     a record, or the journal that should contain it, cannot be read
    │   └── NotText          it is no text at all
    └── SettingsRefused      the settings cannot be read, are invalid, or cannot be saved
"""

import contextlib
import traceback
from typing import Final

from racing_demon_protocol.errors import CommandRefused, RacingDemonError

from .files import replace_file, state_folder


class ConnectionFailed(RacingDemonError):
    """The server cannot be reached, or closed the connection for good.

    The text says what happened and what to do.
    """


class IncompatibleServer(ConnectionFailed):
    """The server speaks another version of the protocol; the text says who needs an update."""


class TunnelRefused(ConnectionFailed):
    """A local server did not start, because there is no program for its tunnel; the text says what to do."""


class JournalRefused(ConnectionFailed):
    """The local server cannot use its journal; the text says why."""


class PortRefused(ConnectionFailed):
    """A local server cannot listen where it should.

    Args:
        text: what it says.
        reason: why not, in a few words.

    """

    def __init__(self, text: str, reason: str) -> None:
        super().__init__(text)
        self.reason = reason


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


class NotText(RecordUnreadable):
    """A file is no text, so it is no record."""


class SettingsRefused(RacingDemonError):
    """The settings cannot be read, are invalid, or cannot be saved.

    The text says where the problem is, what is allowed there, and what to do.
    """


FAULT: Final = 5
"""The program's exit code after an error in it."""


def exit_code(error: Exception) -> int:
    """Return the program's exit code for an error, as ``racing-demon --help`` lists them."""
    match error:
        case RecordFailed() | RecordUnreadable() | SettingsRefused() | JournalRefused() | OSError():
            return 3
        case ConnectionFailed() | CommandRefused():
            return 4
        case _:
            return 1


SEAT_IS_KEPT: Final = (
    "If you were at somebody else's table, you keep your seat and its points: join it again to play on."
)


def crash_message(meaning: str = SEAT_IS_KEPT) -> str:
    """Save the current exception to a file and return the message for the player.

    Args:
        meaning: what the crash means for the player.

    """
    path = state_folder() / "fault.txt"
    text = f"This program failed because of an error in it. {meaning}"
    with contextlib.suppress(OSError):  # the message matters more than the file
        replace_file(path, traceback.format_exc().encode(errors="replace"))
        text += f" The details are in {path}. Please report them."
    return text
