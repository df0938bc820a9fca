"""Every frame of the wire, one file for each direction, and their numbers."""

from . import client, events, server
from .base import Message
from .events import Event

__all__ = ["FROM_CLIENT", "FROM_SERVER", "Event", "Message", "name_of"]


def _by_tag(*modules: object) -> dict[int, type[Message]]:
    found = [getattr(module, name) for module in modules for name in module.__all__]  # type: ignore[attr-defined]
    return {cls.TAG: cls for cls in found if isinstance(cls, type) and hasattr(cls, "TAG")}


FROM_CLIENT: dict[int, type[Message]] = _by_tag(client)
"""What a client may send, by number."""

FROM_SERVER: dict[int, type[Message]] = _by_tag(server, events)
"""What a server may send, by number."""


def name_of(message: Message | type[Message]) -> str:
    """Return a message's name as records and ``--json`` write it, like ``hand_over``."""
    cls = message if isinstance(message, type) else type(message)
    return "".join(f"_{char.lower()}" if char.isupper() else char for char in cls.__name__).lstrip("_")
