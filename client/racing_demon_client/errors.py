"""The errors that a client raises, beside those of the protocol.

::

    RacingDemonError
    └── ConnectionFailed     the server cannot be reached, or has ended the conversation for good

"""

from racing_demon_protocol.errors import RacingDemonError

__all__ = ["ConnectionFailed"]


class ConnectionFailed(RacingDemonError):
    """The server cannot be reached, or has ended the conversation for good.

    The text says what happened and what to do.
    """
