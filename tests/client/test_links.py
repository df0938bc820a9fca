"""Links to tables, as hosts see them and as people send them to each other."""

import json
from pathlib import Path

import pytest
import segno

from racing_demon_client.links import (
    PastedLink,
    parse_link,
    person_link,
    qr_lines,
    server_url,
    short_address,
    table_link,
)
from racing_demon_client.terminal.drawing.pages import ROOMY
from tests.support.cases import for_each
from tests.support.screens import hosting, shows, wait

ADDRESSES = json.loads(Path(__file__).with_name("addresses.json").read_text())
"""What people paste, the WebSocket of the server that it means, and a table's code; either may be empty."""


@for_each(("text", "url", "code"), ADDRESSES, ids=ascii)
def test_what_people_paste_means_the_same_everywhere(text: str, url: str, code: str) -> None:
    """Addresses, links, pages and codes, in sentences or alone: the page reads the same table."""
    address, found = parse_link(text)[:2]
    assert (address and server_url(address), found) == (url, code)


@for_each(
    ("link", "table"),
    [
        ("http://192.168.1.5:5252/BCDF#seat={}", ("ws://192.168.1.5:5252", "BCDF")),
        ("https://name.example/#2BCDFGHJKLMNPQRS,seat={}", ("wss://name.example", "2BCDFGHJKLMNPQRS")),
        ("https://name.example/cards/BCDF#seat={}.", ("wss://name.example/cards/v1", "BCDF")),
    ],
)
def test_a_link_may_bring_a_seat(link: str, table: tuple[str, str]) -> None:
    """It leads to the table like others; only a whole token counts."""
    token = "0f" * 32
    assert parse_link(link.format(token)) == PastedLink(*table, seat=token)
    assert parse_link(link.format(token[1:])).seat == parse_link(link.format(token + "0")).seat == ""


@for_each(
    ("text", "address"),
    [
        ("192.168.1.5", "192.168.1.5"),
        ("192.168.1.5:5252.", "192.168.1.5:5252"),
        ("ws://192.168.1.5:5252/v1", "ws://192.168.1.5:5252"),
        ("https://cards.example.org/", "wss://cards.example.org"),
        ("[fe80::1]:5252", "[fe80::1]:5252"),
        ("::", "::"),
    ],
)
def test_an_address_alone_is_an_address(text: str, address: str) -> None:
    """It has no code: the server is asked for its tables."""
    assert parse_link(text) == PastedLink(address, "")


@for_each(
    "text",
    [
        "https://cards.example.org/games/cards/BCDF",
        "wss://cards.example.org/games/cards/BCDF",
        "wss://cards.example.org/games/cards/v1#BCDF",
        "Come: https://cards.example.org/games/cards/BCDF!",
    ],
)
def test_a_server_may_be_below_a_path(text: str) -> None:
    """The link to one of its tables leads to its WebSocket, and can be made again."""
    address, code = parse_link(text)[:2]
    assert parse_link(address) == PastedLink(address, "")
    url = server_url(address)
    assert (url, code) == ("wss://cards.example.org:443/games/cards/v1", "BCDF")
    assert table_link(url, code) == "https://cards.example.org:443/games/cards/BCDF"


@for_each(
    ("url", "shown"),
    [
        ("ws://192.168.1.5:5252/v1", "ws://192.168.1.5:5252"),
        ("wss://cards.example.org:443/games/cards/v1", "wss://cards.example.org:443/games/cards/v1"),
        ("[::1]:5252/v1/", "[::1]:5252"),
    ],
)
def test_the_address_that_is_shown_can_be_typed(url: str, shown: str) -> None:
    """Nothing of it is taken for a table's code."""
    assert short_address(url) == shown
    assert parse_link(shown) == PastedLink(shown, "")


def test_other_schemes_are_refused_in_words() -> None:
    """They lead to no table."""
    with pytest.raises(ValueError, match="begins with http://, https://, ws:// or wss://"):
        parse_link("ftp://192.168.1.5/BCDF")


def test_what_a_host_is_shown_is_taken_apart_again() -> None:
    """The link of a server's address leads back to it."""
    assert parse_link(table_link("wss://cards.example.org/v1", "BCDF"))[:2] == (
        "wss://cards.example.org",
        "BCDF",
    )


LINKS = [
    table_link("ws://192.168.1.5:5252", "BCDF"),
    table_link("wss://[2001:db8::1]:15252/table/v1", "GHJK"),
    "x",
]
REACHED = "ws://192.168.1.5:5252"
QUIET = 2


def read(lines: tuple[str, ...], *, is_dark: bool, ascii_only: bool) -> list[list[int]]:
    """Return the modules that a camera sees, 1 for a dark one, with the margin."""
    if ascii_only:
        written = [[int(line[x : x + 2] == "##") for x in range(0, len(line), 2)] for line in lines]
    else:
        written = []
        for line in lines:
            written.append([int(char in "█▀") for char in line])
            written.append([int(char in "█▄") for char in line])
    return [[module ^ is_dark for module in row] for row in written]


@for_each("link", LINKS)
@for_each("ascii_only", [False, True])
@for_each("is_dark", [False, True])
def test_it_can_be_read_back(link: str, ascii_only: bool, is_dark: bool) -> None:
    """The drawn modules are those of the code, with a light margin, on dark and on light grounds."""
    lines = qr_lines(link, ascii_only=ascii_only, is_dark=is_dark)
    assert len({len(line) for line in lines}) == 1
    seen = read(lines, is_dark=is_dark, ascii_only=ascii_only)
    code = segno.make_qr(link.upper() if link.count("/") == 3 else link, error="l", boost_error=False)
    wanted = [[int(module) for module in row] for row in code.matrix]
    size = len(wanted)
    assert wanted == [row[QUIET : QUIET + size] for row in seen[QUIET : QUIET + size]]
    margin = [seen[y][x] for y in range(size + 2 * QUIET) for x in (0, 1, -1, -2)]
    margin += [module for y in (0, 1, size + 2, size + 3) for module in seen[y]]
    assert not any(margin)


def test_signs_are_those_of_the_terminal() -> None:
    """Where only ASCII can be shown nothing else is used."""
    assert "".join(qr_lines(LINKS[0], ascii_only=True)).isascii()


def test_no_code_for_what_is_too_long() -> None:
    """A link that would fill the screen has no code."""
    assert qr_lines("x" * 1_000) == ()


async def test_the_lobby_shows_it_where_there_is_room() -> None:
    """In a large window the code stands beside the seats, and a key takes it away."""
    async with hosting(size=ROOMY, address=REACHED) as player:
        opened = player.session.opened
        lines = qr_lines(table_link(opened.addresses[0], opened.client.code))
        await shows(player, lines[4])
        assert all(line.rstrip() in player.text for line in lines)
        await player.pilot.press("q")
        await wait(player.pilot, lambda: lines[4] not in player.text)


async def test_a_key_shows_it_in_a_small_window() -> None:
    """In a small window the code comes and goes by a key, whole."""
    async with hosting(size=(80, 24), address=REACHED) as player:
        opened = player.session.opened
        lines = qr_lines(table_link(opened.addresses[0], opened.client.code))
        await shows(player, "QR code")
        assert lines[4] not in player.text
        await player.pilot.press("q")
        await shows(player, lines[4])
        assert all(line.rstrip() in player.text for line in lines)


async def test_no_part_of_it_is_shown() -> None:
    """Where it does not fit a sentence says so: a part of a code is of no use."""
    async with hosting(size=(80, 18), address=REACHED) as player:
        await player.pilot.press("q")
        await shows(player, "QR code: make the window larger")
        assert "▀▄" not in player.text


async def test_an_address_of_this_device_alone_has_none() -> None:
    """What leads every device to itself is no invitation."""
    async with hosting(size=ROOMY) as player:
        await shows(player, "on this device only")
        assert "QR code" not in player.text
        assert "▀▄" not in player.text


def test_a_link_for_another_device_is_read_again() -> None:
    """The address leads to the server whose page it names; a name keeps its signs; an address has no code."""
    for address, server in (
        ("ws://192.168.1.5:5252", "ws://192.168.1.5:5252/v1"),
        ("wss://cards.example", "wss://cards.example:443/v1"),
        ("ws://cards.example", "ws://cards.example:80/v1"),
        ("wss://cards.example:8443/games/v1", "wss://cards.example:8443/games/v1"),
    ):
        for name, table in (("Zoë & Co, 1", "BCDF"), ("Ann", ""), ("Jim Jr.", "")):
            link = parse_link(person_link(address, "BCDFGH", name, table))
            assert (server_url(link.address), link.device, link.name) == (server, "BCDFGH", name)
            assert link.code == ""
