"""Types of command line arguments. Each raises ``ArgumentTypeError`` with a sentence that argparse prints."""

import functools
from argparse import ArgumentTypeError
from collections.abc import Callable
from typing import TypeVar

from racing_demon_protocol import arguments

__all__ = ["port", "seed", "speed"]

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
