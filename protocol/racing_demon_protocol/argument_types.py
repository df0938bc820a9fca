"""Parsers of typed values for both programs. Each raises ``ValueError`` with a sentence."""

from racing_demon_protocol.constants import MAX_SEATS


def port(text: str) -> int:
    """Parse a port, from 0 (any free one) to 65535."""
    if not text.isdecimal() or len(text) > 5 or int(text) > 65_535:
        raise ValueError(f"{text!r} is not a port: give a number from 0 to 65535")
    return int(text)


def seats(text: str) -> int:
    """Parse a number of seats, up to those of a table."""
    if not text.isdecimal() or len(text) > 1 or int(text) > MAX_SEATS:
        raise ValueError(f"{text!r} is not allowed: a table has {MAX_SEATS} seats")
    return int(text)


def seed(text: str) -> bytes:
    """Parse up to 64 hexadecimal digits; return 32 bytes."""
    from racing_demon_protocol.engine.commit_reveal import SEED_SIZE  # noqa: PLC0415 - loads hash functions, and few give a seed

    try:
        found = bytes.fromhex(text.zfill(2 * SEED_SIZE))
    except ValueError:
        found = b""
    if len(found) != SEED_SIZE:
        raise ValueError(f"{text!r} is not a seed: give up to {2 * SEED_SIZE} hexadecimal digits")
    return found


def speed(text: str) -> float:
    """Parse the bots' speed-up, from 0.01 to 10000."""
    try:
        found = float(text)
    except ValueError:
        found = 0.0
    if not 0.01 <= found <= 10_000:
        raise ValueError(f"{text!r} is not a speed: give a number from 0.01 to 10000")
    return found
