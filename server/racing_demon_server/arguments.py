"""Types of command line arguments. Each raises ``ArgumentTypeError`` with a sentence that argparse prints."""

import functools
from argparse import ArgumentTypeError
from collections.abc import Callable
from typing import TypeVar

from racing_demon_protocol import arguments

__all__ = [
    "LONGEST_CODE",
    "SHORTEST_CODE",
    "code_letters",
    "limit",
    "network",
    "node",
    "port",
    "processes",
    "seed",
    "speed",
]

SHORTEST_CODE, LONGEST_CODE = 4, 16
"""The wire has room for so many letters of a table's code."""

_Value = TypeVar("_Value")


def _argument(read: Callable[[str], _Value]) -> Callable[[str], _Value]:
    @functools.wraps(read)
    def typed(text: str) -> _Value:
        try:
            return read(text)
        except ValueError as error:
            raise ArgumentTypeError(str(error)) from None

    return typed


port = _argument(arguments.port)
seed = _argument(arguments.seed)
speed = _argument(arguments.speed)


def processes(text: str) -> int:
    """Return how many processes somebody asks for."""
    from .sharding import MOST_PROCESSES  # noqa: PLC0415

    if not (text.isdecimal() and 1 <= int(text) <= MOST_PROCESSES):
        raise ArgumentTypeError(f"{text!r} will not do: 1 to {MOST_PROCESSES} processes")
    return int(text)


def code_letters(text: str) -> int:
    """Return how many letters somebody asks for."""
    if not (text.isdecimal() and SHORTEST_CODE <= int(text) <= LONGEST_CODE):
        raise ArgumentTypeError(f"{text!r} will not do: {SHORTEST_CODE} to {LONGEST_CODE} letters")
    return int(text)


def limit(text: str) -> tuple[str, float]:
    """Return the limit that somebody changes, and its value."""
    from .settings import limit as parsed  # noqa: PLC0415

    try:
        return parsed(text)
    except ValueError as error:
        raise ArgumentTypeError(str(error)) from None


def network(text: str) -> str:
    """Return the network that somebody names."""
    import ipaddress  # noqa: PLC0415

    try:
        ipaddress.ip_network(text, strict=False)
    except ValueError:
        raise ArgumentTypeError(
            f"{text!r} is no network: write one like 172.31.252.2 or 10.0.0.0/30"
        ) from None
    return text


def node(text: str) -> str:
    """Return the name of a server."""
    import re  # noqa: PLC0415

    from racing_demon_protocol.discovery.directory import NODE  # noqa: PLC0415 - nor a name there

    if re.fullmatch(NODE, text) is None:
        raise ArgumentTypeError(f"{text!r} will not do: 1 to 32 small letters and digits")
    return text
