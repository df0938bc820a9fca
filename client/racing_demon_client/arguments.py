"""Parsers of single values on the command line. Each raises ``ArgumentTypeError``."""

import argparse
import contextlib
import datetime as dt
import functools
import os
from collections.abc import Callable
from typing import TypeVar
from urllib.parse import urlsplit

from racing_demon_protocol import argument_types
from racing_demon_protocol.constants import LONGEST_NAME, LONGEST_PASSPHRASE

_Value = TypeVar("_Value")


def _argument(read: Callable[[str], _Value]) -> Callable[[str], _Value]:
    """Return a parser whose error message argparse shows."""

    @functools.wraps(read)
    def typed(text: str) -> _Value:
        try:
            return read(text)
        except ValueError as error:
            raise argparse.ArgumentTypeError(str(error)) from None

    return typed


parse_port = _argument(argument_types.port)
parse_seats = _argument(argument_types.seats)
parse_seed = _argument(argument_types.seed)
parse_speed = _argument(argument_types.speed)


def parse_date(text: str) -> dt.date:
    """Parse a date."""
    try:
        return dt.date.fromisoformat(text)
    except ValueError:
        raise argparse.ArgumentTypeError(f"{text!r} is not a date: write one like 2026-11-01") from None


def parse_date_or_game(text: str) -> dt.date | str:
    """Parse a date, or a game's name where the date may be omitted; a name does not start with a digit."""
    return text.lower() if text[:1].isalpha() else parse_date(text)


def _between(text: str, *, least: int, most: int) -> int:
    try:
        number = int(text[:8])
    except ValueError:
        number = most + 1
    if not least <= number <= most:
        raise argparse.ArgumentTypeError(f"{text!r} is not allowed: give a number from {least} to {most}")
    return number


parse_points = functools.partial(_between, least=-10_000, most=10_000)
"""Parse the points that a correction adds."""
parse_match_number = functools.partial(_between, least=1, most=1_000_000)
"""Parse the number of a match in a file."""
parse_hand_number = functools.partial(_between, least=1, most=1_000)
"""Parse the number of a hand in a match."""


def _short(text: str, *, most: int) -> str:
    """Return a text short enough for a message; arguments may contain surrogates."""
    if not 1 <= len(text) <= most or any("\ud800" <= char <= "\udfff" for char in text):
        raise argparse.ArgumentTypeError(f"{text!r} is not allowed: write 1 to {most} characters")
    return text


parse_reason = functools.partial(_short, most=240)
"""Parse the reason for a correction."""
parse_name = functools.partial(_short, most=LONGEST_NAME)
"""Parse a player's name."""
parse_code = functools.partial(_short, most=16)
"""Parse a table's code."""


def parse_names(text: str) -> tuple[str, ...]:
    """Parse players' names, separated by commas."""
    return tuple(name.strip() for name in text.split(",") if name.strip())


def parse_day(text: str) -> int:
    """Parse a date, a time or a number of days ago; return milliseconds since 1970."""
    try:
        if text.endswith("d"):
            at = dt.datetime.now(dt.UTC) - dt.timedelta(days=int(text[:-1][:6]))
        else:
            at = dt.datetime.fromisoformat(text)
        return int(at.timestamp() * 1_000)  # without a time zone, local time
    except (ValueError, OverflowError, OSError):
        wanted = "write a date like 2026-11-01, a time like 2026-11-01T20:15, or days ago like 30d"
        raise argparse.ArgumentTypeError(f"{text!r} is not allowed: {wanted}") from None


def parse_passphrase(text: str) -> str:
    """Parse a passphrase; empty for none."""
    return _short(text, most=LONGEST_PASSPHRASE) if text else ""


def parse_named_code(text: str) -> str:
    """Parse a table's code that was given without an address."""
    if any(char.isspace() or not char.isprintable() for char in text):
        raise argparse.ArgumentTypeError(f"{text!r} is not a table's code, like BCDF")
    return parse_code(text)


def parse_address(text: str) -> str:
    """Parse a server's address, with or without scheme, port and path; or a link to it."""
    from racing_demon_client.links import taken_apart  # noqa: PLC0415 - --help does not need it

    with contextlib.suppress(ValueError):
        text = taken_apart(text)[0] or text
    why = _wrong_address(text)
    if why:
        example = "write one like ws://192.168.1.5:5252, or ws://[fe80::1]:5252"
        raise argparse.ArgumentTypeError(f"{text!r} is not a server's address: {why}; {example}")
    return text


def _wrong_address(text: str) -> str:
    """Return why an address is invalid; empty if it is valid."""
    if not text or any(char.isspace() or not char.isprintable() for char in text):
        return "it holds a space or a control character" if text else "it is empty"
    scheme, is_whole, _ = text.rpartition("://")
    if is_whole and scheme.lower() not in {"ws", "wss"}:
        return "it begins with neither ws:// nor wss://"
    try:
        parts = urlsplit(text if is_whole else f"ws://{text}")
    except ValueError:
        return "its brackets do not match"
    try:
        port = parts.port
    except ValueError:
        port = 0
    if port == 0:
        return "its port is no number from 1 to 65535"
    return "" if parts.hostname else "it names no host"


@_argument
def parse_broker(text: str) -> str:
    """Parse a broker's address. Error messages never contain its password."""
    from racing_demon_protocol.discovery.broker_address import parse_broker  # noqa: PLC0415 - few use a broker

    parse_broker(text, os.environ)
    return text
