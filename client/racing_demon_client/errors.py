"""The errors that a client raises, beside those of the protocol.

::

    RacingDemonError
    ├── ConnectionFailed     the server cannot be reached, or has ended the conversation for good
    │   └── TableEnded       the server was stopped, and the table with it
    ├── RecordFailed         a record cannot be written
    ├── RecordUnreadable     a record, or the journal that should have it, cannot be read
    └── SettingsRefused      the settings cannot be read, understood or kept

"""

from racing_demon_protocol.errors import RacingDemonError

__all__ = ["ConnectionFailed", "RecordFailed", "RecordUnreadable", "SettingsRefused", "TableEnded"]


class ConnectionFailed(RacingDemonError):
    """The server cannot be reached, or has ended the conversation for good.

    The text says what happened and what to do.
    """


class TableEnded(ConnectionFailed):
    """The server was stopped, and the table with it."""


class RecordFailed(RacingDemonError):
    """A record cannot be written."""

    def __init__(self, path: str, why: str) -> None:
        super().__init__(f"The record cannot be written to {path}: {why}.")


class RecordUnreadable(RacingDemonError):
    """A record, or the journal that should have it, cannot be read.

    The text says which, why and what to do.
    """


class SettingsRefused(RacingDemonError):
    """The settings cannot be read, understood or kept.

    The text says where it went wrong, what is allowed there and what to do.
    """
