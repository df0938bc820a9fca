"""Open the table that the welcome screen asked for."""

from contextlib import AbstractAsyncContextManager, nullcontext

from racing_demon_client.arguments import PRACTICE_HANDS
from racing_demon_client.sources import openers
from racing_demon_client.sources.openers import Opened
from racing_demon_protocol.wire.options import Options

from .screens.welcome import Wish

__all__ = ["opening"]


def opening(wish: Wish) -> AbstractAsyncContextManager[Opened]:
    """Return a context manager that opens the requested table and closes it again."""
    options = Options(game=wish.game, hints=wish.what in {"practice", "alone"})
    match wish.what:
        case "practice":
            options = options.model_copy(update={"hands": PRACTICE_HANDS})
            return openers.practice(wish.name, options, bots=max(1, wish.bots), level=wish.level)
        case "host":
            return openers.host(
                wish.name, options, bots=wish.bots, level=wish.level, passphrase=wish.passphrase
            )
        case "alone":
            return nullcontext(Opened(openers.alone(wish.name, options), "alone"))
        case "join":
            return openers.join(wish.address, wish.code, wish.name, wish.passphrase)
        case _:
            return openers.watch(wish.address, wish.code, wish.passphrase)
