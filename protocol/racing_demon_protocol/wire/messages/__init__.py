"""Every message of the wire and its number, with one module for each direction."""

from functools import cache

from . import client, events, server
from .base import Message
from .events import Event

__all__ = ["FROM_CLIENT", "FROM_SERVER", "Event", "Message", "name_of"]


def _by_tag(*modules: object) -> dict[int, type[Message]]:
    classes = [cls for module in modules for cls in vars(module).values() if isinstance(cls, type)]
    numbered: dict[int, type[Message]] = {}
    for cls in classes:
        if issubclass(cls, Message) and hasattr(cls, "TAG"):
            other = numbered.setdefault(cls.TAG, cls)
            assert other is cls, f"{cls.__name__} and {other.__name__} have the same number"
    return numbered


FROM_CLIENT: dict[int, type[Message]] = _by_tag(client)
"""The messages of a client, by number."""

FROM_SERVER: dict[int, type[Message]] = _by_tag(server, events)
"""The messages of a server, by number."""


def name_of(message: Message | type[Message]) -> str:
    """Return a message's name in records and ``--json``, such as ``hand_over``."""
    return _name_of(message if isinstance(message, type) else type(message))


@cache
def _name_of(cls: type[Message]) -> str:
    return "".join(f"_{char.lower()}" if char.isupper() else char for char in cls.__name__).lstrip("_")
