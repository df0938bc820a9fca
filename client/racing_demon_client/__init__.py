"""Thin clients: they draw the board and send commands; the server decides.

A bot imports everything it needs from this package; see the README.
"""

import importlib
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from racing_demon_protocol.engine.piles import Play
    from racing_demon_protocol.wire.messages.client import AddBot, Ready, Start, Stuck
    from racing_demon_protocol.wire.options import Options

    from .net.connection import Client

__all__ = ["AddBot", "Client", "Options", "Play", "Ready", "Start", "Stuck"]

_HOMES: Final = {
    "AddBot": "racing_demon_protocol.wire.messages.client",
    "Client": "racing_demon_client.net.connection",
    "Options": "racing_demon_protocol.wire.options",
    "Play": "racing_demon_protocol.engine.piles",
    "Ready": "racing_demon_protocol.wire.messages.client",
    "Start": "racing_demon_protocol.wire.messages.client",
    "Stuck": "racing_demon_protocol.wire.messages.client",
}


def __getattr__(name: str) -> Any:
    """Import a public name on first use: commands that do not need it start faster."""
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(importlib.import_module(_HOMES[name]), name)
