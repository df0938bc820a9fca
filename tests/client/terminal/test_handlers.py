"""The handlers of our screens: Textual calls those of a class and of all its bases."""

import importlib
import inspect
import pkgutil
from collections.abc import Iterator

from textual.message_pump import MessagePump

import racing_demon_client.terminal as package


def screens() -> Iterator[type]:
    """Yield every class of the terminal client that Textual sends events to."""
    for module in pkgutil.walk_packages(package.__path__, f"{package.__name__}."):
        for _, found in inspect.getmembers(importlib.import_module(module.name), inspect.isclass):
            if issubclass(found, MessagePump) and found.__module__ == module.name:
                yield found


def test_no_handler_is_defined_twice() -> None:
    """No class of ours has a handler that a base class of ours has, too: both would run for one event."""
    twice = [
        f"{kind.__name__}.{name} and {base.__name__}.{name}"
        for kind in screens()
        for base in kind.__mro__[1:]
        if base.__module__.startswith("racing_demon_client")
        for name in vars(kind).keys() & vars(base).keys()
        if name.startswith(("on_", "_on_"))
    ]
    assert twice == []
