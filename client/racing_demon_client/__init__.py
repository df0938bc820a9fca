"""Thin clients: they draw the board and send commands; the server decides.

A bot imports everything it needs from this package; see the README.
"""

import importlib
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from racing_demon_client.net.client import Client
    from racing_demon_protocol.engine.board import Kind, Play
    from racing_demon_protocol.engine.cards import name as card_name
    from racing_demon_protocol.errors import RacingDemonError
    from racing_demon_protocol.wire.messages.client import AddBot, Ready, Start, Stuck
    from racing_demon_protocol.wire.options import Options

__all__ = [
    "AddBot",
    "Client",
    "Kind",
    "Options",
    "Play",
    "RacingDemonError",
    "Ready",
    "Start",
    "Stuck",
    "card_name",
]

_HOMES: Final = {
    "AddBot": "racing_demon_protocol.wire.messages.client:AddBot",
    "Client": "racing_demon_client.net.client:Client",
    "Kind": "racing_demon_protocol.engine.board:Kind",
    "Options": "racing_demon_protocol.wire.options:Options",
    "Play": "racing_demon_protocol.engine.board:Play",
    "RacingDemonError": "racing_demon_protocol.errors:RacingDemonError",
    "Ready": "racing_demon_protocol.wire.messages.client:Ready",
    "Start": "racing_demon_protocol.wire.messages.client:Start",
    "Stuck": "racing_demon_protocol.wire.messages.client:Stuck",
    "card_name": "racing_demon_protocol.engine.cards:name",
}


def __getattr__(name: str) -> Any:
    """Import a public name on first use: commands that do not need it start faster."""
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    module, _, attribute = _HOMES[name].partition(":")
    return getattr(importlib.import_module(module), attribute)


def __dir__() -> list[str]:
    """Return the public names, those that are not imported yet, too."""
    return sorted({*globals(), *__all__})
