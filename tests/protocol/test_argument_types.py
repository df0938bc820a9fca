import re
from collections.abc import Callable

import pytest

from racing_demon_protocol import argument_types as arguments
from tests.support.cases import for_each

NO_TUNNELS = (
    *("http://name.example", "https://name", "name.example", "https://name.example/path", "https://"),
    *("https://me@name.example", "https://name.example/?q", "https://name.example:99999"),
    *(
        "https://name.example\n.evil",
        r"https://name.example\n.evil",
        f"https://{'a' * 200}.example",
        "https://n\u00e4me.example",
    ),
)


@for_each(
    ("parse", "text", "value"),
    [
        (arguments.port, "0", 0),
        (arguments.port, "65535", 65_535),
        (arguments.seats, "0", 0),
        (arguments.seats, "8", 8),
        (arguments.seed, "", bytes(32)),
        (arguments.seed, "1", bytes(31) + b"\x01"),
        (arguments.seed, "FF" * 32, b"\xff" * 32),
        (arguments.speed, "0.01", 0.01),
        (arguments.speed, "10000", 10_000.0),
        (arguments.tunnel_address, "https://Some-Name.tunnel.example", "https://some-name.tunnel.example"),
        (arguments.tunnel_address, "https://pc.tail1234.ts.net/", "https://pc.tail1234.ts.net"),
        (arguments.tunnel_address, "https://pc.tail1234.ts.net:8443/", "https://pc.tail1234.ts.net:8443"),
        (arguments.tunnel_address, "https://name.example:443", "https://name.example"),
    ],
)
def test_what_is_understood(parse: Callable[[str], object], text: str, value: object) -> None:
    """Values up to their bounds are read as they are meant."""
    assert value == parse(text)


@for_each(
    ("parse", "text"),
    [
        *((arguments.port, text) for text in ("", "-1", "65536", "080808", "80.0", "0x50", "http")),
        *((arguments.seats, text) for text in ("", "9", "-1", "10", "08", "two")),
        *((arguments.seed, text) for text in ("x", "0" * 65, "-1", "0x1")),
        *((arguments.speed, text) for text in ("", "0", "-1", "10001", "nan", "inf", "fast")),
        *((arguments.tunnel_address, text) for text in NO_TUNNELS),
    ],
)
def test_what_is_not(parse: Callable[[str], object], text: str) -> None:
    """Other texts are refused, and the error repeats them for whoever typed."""
    with pytest.raises(ValueError, match="^" + re.escape(repr(text))):
        parse(text)
