"""Open the table that the welcome screen asked for."""

from contextlib import AbstractAsyncContextManager, nullcontext

from racing_demon_client.sources import PRACTICE_HANDS, openers
from racing_demon_client.sources.openers import Ask, Opened
from racing_demon_protocol.wire.options import Options

from .screens.welcome import OpeningRequest


def opening(request: OpeningRequest, ask: Ask) -> AbstractAsyncContextManager[Opened]:
    """Return a context manager that opens the requested table and closes it again.

    Args:
        request: the request.
        ask: asks the user about a stored seat.

    """
    options = Options(game=request.game, hints=request.what in {"practice", "alone"})
    match request.what:
        case "practice":
            options = options.model_copy(update={"hands": PRACTICE_HANDS})
            return openers.practice(request.name, options, bots=max(1, request.bots), level=request.level)
        case "host":
            return openers.host(
                request.name, options, bots=request.bots, level=request.level, passphrase=request.passphrase
            )
        case "alone":
            return nullcontext(Opened(openers.alone(request.name, options), "alone"))
        case "join":
            place = request.address, request.code
            return openers.join(*place, request.name, request.passphrase, is_typed=True, ask=ask)
        case _:
            return openers.watch(request.address, request.code, request.passphrase)
