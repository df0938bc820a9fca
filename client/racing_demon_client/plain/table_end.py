"""How a stay at a table ends in plain text, where it ends for everybody."""

from collections.abc import AsyncIterator

from racing_demon_client.errors import TableEnded
from racing_demon_client.net.guest import Guest
from racing_demon_client.shared.message_text import Write
from racing_demon_client.sources.ending import end_match
from racing_demon_protocol.wire.messages import Message

from . import picture
from .line_wrap import folded

__all__ = ["has_guests", "until_gone"]


async def until_gone(client: Guest, write: Write | None) -> AsyncIterator[Message]:
    """Yield what happens at a table; where it ends before its match does, tell what that came to.

    Raises:
        TableEnded: the server was stopped.

    """
    try:
        async for message in client:
            yield message
    except TableEnded:
        if write is not None and end_match(client.view):
            for text in ["The table is gone; the match ends here.", *folded(picture.tally(client.view))]:
                write(text)
        raise


def has_guests(client: Guest) -> bool:
    """Tell whether somebody else sits at the table who is no bot."""
    seats = client.view.seats.items()
    return any(seat != client.seat and not state.bot and not state.left for seat, state in seats)
