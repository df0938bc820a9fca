"""The event loop that the server runs on: uvloop where it is installed, else asyncio's own."""

import asyncio
import sys
from collections.abc import Callable


def loop_factory(*, watches_sockets: bool) -> Callable[[], asyncio.AbstractEventLoop]:
    """Return the factory of the fastest event loop that is installed.

    Args:
        watches_sockets: whether a library needs ``add_reader``, which the default loop of Windows lacks.

    """
    if sys.platform == "win32":
        return asyncio.SelectorEventLoop if watches_sockets else asyncio.new_event_loop
    try:
        import uvloop  # noqa: PLC0415 - an extra
    except ImportError:
        return asyncio.new_event_loop
    return uvloop.new_event_loop


def loop_name() -> str:
    """Return the library of the running event loop: ``uvloop`` or ``asyncio``."""
    return type(asyncio.get_running_loop()).__module__.partition(".")[0]
