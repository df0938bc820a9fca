"""Parsers of typed values for both programs. Each raises ``ValueError`` with a sentence."""

from urllib.parse import urlsplit

from racing_demon_protocol.constants import MAX_SEATS

MAX_ADDRESS = 160


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
        number = float(text)
    except ValueError:
        number = 0.0
    if not 0.01 <= number <= 10_000:
        raise ValueError(f"{text!r} is not a speed: give a number from 0.01 to 10000")
    return number


def tunnel_address(text: str) -> str:
    """Parse the address of a tunnel; return ``https://host`` or ``https://host:port``, as browsers do."""
    try:
        parts = urlsplit(text)
        host, port = parts.hostname or "", parts.port
    except ValueError:
        raise _no_address(text) from None
    if parts.scheme == "http":
        raise ValueError(f"{text!r} is no address of a tunnel: it must begin with https://")
    is_origin = parts.path in {"", "/"} and not (parts.query or parts.fragment or "@" in parts.netloc)
    is_origin = is_origin and text.isprintable() and " " not in text  # what urlsplit leaves out
    is_name = "." in host and host.isascii() and all(each.isalnum() or each in ".-" for each in host)
    if parts.scheme != "https" or not (is_origin and is_name) or len(text) > MAX_ADDRESS:
        raise _no_address(text)
    return f"https://{host}" if port in {None, 443} else f"https://{host}:{port}"


def _no_address(text: str) -> ValueError:
    return ValueError(f"{text!r} is no address of a tunnel: give one like https://name.example")
