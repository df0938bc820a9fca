"""The errors that the protocol package raises.

::

    RacingDemonError
    ├── InvalidCard          a text names no card
    ├── InvalidGame          a declaration, or its options, cannot be played
    ├── CommandRefused       a table refuses a command, with the reason
    │   └── IllegalPlay      the rules refuse a play
    ├── InconsistentEvent    an event does not fit the board it is applied to
    ├── InvalidFrame         bytes are not a message of ours
    └── InvalidRecord        a record does not agree with itself

On the wire a refusal is a value (:class:`~.messages.server.Refused`); :exc:`CommandRefused` is how its
reason gets there.
"""

from .reasons import Reason

__all__ = [
    "CommandRefused",
    "IllegalPlay",
    "InconsistentEvent",
    "InvalidCard",
    "InvalidFrame",
    "InvalidGame",
    "InvalidRecord",
    "RacingDemonError",
]


LONGEST_TEXT = 240
"""Characters of a sentence on the wire."""
LONGEST_NAME = 24
"""Characters of a player's name, as it is shown."""


class RacingDemonError(Exception):
    """The base of all errors of this software."""


class InvalidCard(RacingDemonError, ValueError):
    """A text names no card."""

    def __init__(self, text: str) -> None:
        super().__init__(f"{text!r} names no card: write rank and suit, like 8S, TH or 10♥")
        self.text = text


class InvalidGame(RacingDemonError, ValueError):
    """A declaration or a set of options cannot be played; the text says why."""


class CommandRefused(RacingDemonError):
    """A command is refused; nothing has changed.

    Attributes:
        reason: why, from the closed list of the wire.
        text: the same as a sentence for the player, as long as a frame takes it.

    """

    def __init__(self, reason: Reason, text: str) -> None:
        super().__init__(text)
        self.reason = reason
        self.text = text if len(text) <= LONGEST_TEXT else text[: LONGEST_TEXT - 1] + "…"


class IllegalPlay(CommandRefused):
    """The rules refuse a play."""

    def __init__(self, text: str, reason: Reason = Reason.ILLEGAL) -> None:
        super().__init__(reason, text)


class InconsistentEvent(RacingDemonError, ValueError):
    """An event does not fit the board: a bug, or a server that cannot be trusted."""


class InvalidFrame(RacingDemonError, ValueError):
    """Bytes are not a message of ours. The text never quotes what was in them."""


class InvalidRecord(RacingDemonError, ValueError):
    """A record does not agree with itself, or with the rules; the text says where."""
