"""The errors that the protocol package raises.

::

    RacingDemonError
    ├── InvalidCard          a text does not name a card
    ├── InvalidGame          a declaration, or its options, cannot be played
    ├── InvalidPreset        a saved preset cannot be read, or has no possible name
    ├── CommandRefused       a table refuses a command, with the reason
    │   └── IllegalPlay      the rules refuse a play
    ├── InconsistentEvent    an event does not fit the board it is applied to
    ├── InvalidFrame         bytes are not a valid message
    ├── ForeignHost          a server redirects to a host that its clients must not follow
    └── InvalidRecord        a record is inconsistent
        └── DamagedRecord    lines of it are missing or unreadable

On the wire a refusal is a value (:class:`~.messages.server.Refused`); the reason of a :exc:`CommandRefused`
becomes its reason.
"""

from racing_demon_protocol.constants import MAX_TEXT_LENGTH

from .enums import Reason


class RacingDemonError(Exception):
    """The base of all errors of this software."""


class InvalidCard(RacingDemonError, ValueError):
    """A text does not name a card."""

    def __init__(self, text: str) -> None:
        super().__init__(f"{text!r} names no card: write rank and suit, like 8S, TH or 10♥")
        self.text = text


class InvalidGame(RacingDemonError, ValueError):
    """A declaration or a set of options cannot be played; the text says why."""


class InvalidPreset(RacingDemonError, ValueError):
    """A saved preset cannot be read, or has no possible name; the text says why."""


class CommandRefused(RacingDemonError):
    """A command is refused; nothing has changed.

    Attributes:
        reason: the reason, from the wire's closed list.
        text: the same as a sentence for the player, short enough for a frame.

    """

    def __init__(self, reason: Reason, text: str) -> None:
        super().__init__(text)
        self.reason = reason
        self.text = text if len(text) <= MAX_TEXT_LENGTH else text[: MAX_TEXT_LENGTH - 1] + "…"


class IllegalPlay(CommandRefused):
    """The rules refuse a play."""

    def __init__(self, text: str, reason: Reason = Reason.ILLEGAL) -> None:
        super().__init__(reason, text)


class InconsistentEvent(RacingDemonError, ValueError):
    """An event does not fit the board: a bug, or a server that cannot be trusted."""


class InvalidFrame(RacingDemonError, ValueError):
    """Bytes are not a valid message. The text never quotes them."""


class InvalidRecord(RacingDemonError, ValueError):
    """A record is inconsistent, or violates the rules; the text says where."""


class DamagedRecord(InvalidRecord):
    """Lines of a record are missing or cannot be read, which does not make the others false."""


class ForeignHost(RacingDemonError, ValueError):
    """A server redirects to a host that is neither the dialled one nor below it.

    Attributes:
        host: the host that the server names.
        dialled: the host that was dialled.

    """

    def __init__(self, host: str, dialled: str) -> None:
        super().__init__(
            f"The server at {dialled} redirects to {host}, which is not one of its own hosts. "
            "If you trust that server, use its address instead."
        )
        self.host = host
        self.dialled = dialled
