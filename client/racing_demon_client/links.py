"""Links to tables, which browsers open and ``racing-demon join`` accepts; QR codes; servers' addresses."""

import ipaddress
import re
import unicodedata
from functools import lru_cache
from typing import Final, NamedTuple, Self
from urllib.parse import quote, unquote, urlsplit

from racing_demon_protocol.constants import DEFAULT_PORT, WEBSOCKET_PATH

TLS_PORT: Final = 443
HTTP_PORT: Final = 80
SCHEMES: Final = {"http": "ws", "https": "wss", "ws": "ws", "wss": "wss"}
"""The schemes of links, and those of their servers' WebSockets."""
LINKS: Final = ("http://", "https://")
CODE: Final = re.compile(r"[A-Za-z]{4,16}")
"""A table's code; the path ``/v1`` does not match."""
LOCALHOST: Final = "localhost"
"""The one host's name that people type alone and that could be a code."""
PAGE: Final = re.compile(r"/(?:scores|matches|you|new|(?:match|player|qr|web)/.+)/?$")
"""The end of the path of a page that is no table's, such as that of a match."""
PORT: Final = re.compile(r":\d+$")
SEAT: Final = re.compile(r"[#,]seat=([0-9a-f]{64})(?![0-9A-Za-z])")
"""What is behind a table's link that brings a seat: the seat's token."""
PERSON_PAGE: Final = "you"
PERSON: Final = re.compile(r"([A-Za-z]{4,16})(?:,([^,]*))?(?:,[A-Z]*)?")
"""What is behind ``#`` in a link for another device: its code, and perhaps a name and a table's code."""
MAX_PERSON_LINK: Final = 106
"""The bytes of a QR code of version 5, the largest that fits into a small terminal."""
AROUND: Final = "\"'<>()\u00ab\u00bb\u201c\u201d"
BEHIND: Final = ".,;!?" + AROUND
"""What people write around and behind addresses."""


def table_link(address: str, code: str) -> str:
    """Return the link to a table, such as ``http://192.168.1.5:5252/BCDF``.

    Args:
        address: its server's address, like ``ws://192.168.1.5:5252``.
        code: its code.

    """
    scheme, _, rest = address.rpartition("://")
    return (
        f"{'https' if scheme == 'wss' else 'http'}://{rest.rstrip('/').removesuffix(WEBSOCKET_PATH)}/{code}"
    )


def is_own_device(address: str) -> bool:
    """Return whether an address or a link leads every device to itself."""
    host = urlsplit(address).hostname or ""
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == LOCALHOST


def person_page(address: str) -> str:
    """Return the link to the page of who uses a device, on a server like ``ws://192.168.1.5:5252``."""
    return table_link(address, PERSON_PAGE)


def person_link(address: str, code: str, name: str, table: str = "", most: int = MAX_PERSON_LINK) -> str:
    """Return the link by which a device becomes another one of a person.

    What is behind ``#`` is sent to no server. A name that would make the QR code too large is left out.

    Args:
        address: the server's address.
        code: the code for another device.
        name: the person's name.
        table: the table that the page opens next; empty for none.
        most: the most bytes that the link may have with a name.

    """
    link, end = f"{person_page(address)}#{code}", f",{table}" if table else ""
    whole = f"{link},{quote(name, safe='')}{end}"
    return whole if len(whole) <= most else f"{link}{end and ','}{end}"


class PastedLink(NamedTuple):
    """What somebody typed or pasted, as it is read.

    Attributes:
        address: the server's address; empty if none is named.
        code: the table's code; empty if none is named.
        otherwise: the address and the code that are meant if nothing is there; ``None`` if the text can be
            read in one way only. The last name of a path may be a code, or belong to the server's base path.
        seat: the token of the seat that a link from another device brings; empty if it brings none.
        device: the code of a link for another device of a person; empty for other links.
        name: the person's name in such a link; may be empty.

    """

    address: str
    code: str
    otherwise: tuple[str, str] | None = None
    seat: str = ""
    device: str = ""
    name: str = ""

    @property
    def servers(self) -> tuple[str, ...]:
        """The addresses where only a server can be meant, below the whole path first."""
        if self.otherwise is None:
            return (self.address,)
        places = self.address, self.otherwise[0]
        return places[::-1] if self.code else places

    def with_code(self, code: str) -> Self:
        """Return what the address means with a table's code beside it."""
        whole, *shorter = self.servers
        return self._replace(address=whole, code=code, otherwise=(shorter[0], code) if shorter else None)


def parse_link(text: str) -> PastedLink:
    """Read what somebody typed or pasted: a code, an address, or the link to a table, a page or a person.

    An address may have ``#`` or ``/`` and the code behind it, and all may be as people send it: with a full
    stop behind it, in quotes, or in the whole line that a host is shown. The last name of a path is a code,
    unless a slash is behind it: then the server is below the whole path. Without a port, ``http`` means 80,
    as in browsers.

    Raises:
        ValueError: it is none of these; the text says why.

    """
    pasted = _word(text)
    seat = SEAT.search(pasted)
    word = SEAT.sub("", pasted)
    scheme, is_whole, rest = word.rpartition("://")
    scheme = scheme.lower()
    if is_whole and scheme not in SCHEMES:
        raise ValueError(f"{word}: a table's address begins with http://, https://, ws:// or wss://")
    bare = word.lstrip("#")
    if CODE.fullmatch(bare) and bare.lower() != LOCALHOST:
        return PastedLink("", bare)
    path, _, code = rest.partition("#")
    place, slash, below = path.partition("?")[0].partition("/")
    if scheme == "http" and not PORT.search(place):
        place += f":{HTTP_PORT}"
    server = f"{SCHEMES[scheme]}://{place}" if is_whole else place
    names = f"{slash}{below}"
    if page := PAGE.search(names):  # what is behind its ``#`` is no table's code
        device, name = _person(text, code) if page[0].strip("/") == PERSON_PAGE else ("", "")
        return PastedLink(_below(server, names[: page.start()]), "", device=device, name=name)
    token = "" if seat is None else seat[1]
    base, _, last = names.rstrip("/").rpartition("/")
    if code or not CODE.fullmatch(last):
        return PastedLink(_below(server, names), code, seat=token)
    table, site = (_below(server, base), last), (_below(server, names), "")
    first, other = (site, table) if names.endswith("/") else (table, site)
    return PastedLink(*first, otherwise=None if token else other, seat=token)


def _below(server: str, names: str) -> str:
    """Return the address of a server below a path; empty names are none."""
    base = names.rstrip("/").removesuffix(WEBSOCKET_PATH)
    return f"{server}{base}{WEBSOCKET_PATH if base else ''}"


def _person(text: str, behind: str) -> tuple[str, str]:
    """Return the code and the name in a link for another device, of what is behind its ``#``.

    The name of a link that stands alone may end with a full stop.
    """
    words = text.split()
    is_alone = len(words) == 1 and words[0][0] not in AROUND
    match = PERSON.fullmatch(words[0].partition("#")[2] if is_alone else behind)
    return ("", "") if match is None else (match[1], unquote(match[2] or ""))


def _word(text: str) -> str:
    """Return the address or code in a text, without what stands around it."""
    cleaned = "".join(
        char for char in unicodedata.normalize("NFKC", text) if unicodedata.category(char) != "Cf"
    )
    words = [word.strip(AROUND).rstrip(BEHIND) for word in cleaned.split()]
    links = words if len(words) == 1 else [word for word in words if word.lower().startswith(LINKS)]
    return links[0] if links else cleaned.strip()


def server_url(address: str) -> str:
    """Complete an address that may lack scheme, port, or the end of its path.

    A server's default port is 5252. TLS is handled by a reverse proxy, at the scheme's default port. A server
    may be below a path, like ``/games/cards``.
    """
    scheme, _, rest = address.rpartition("://")
    place, _, path = rest.partition("/")
    if not place.rpartition(":")[2].isdigit():
        place += f":{TLS_PORT if scheme == 'wss' else DEFAULT_PORT}"
    below = f"/{path}".rstrip("/").removesuffix(WEBSOCKET_PATH)
    return f"{scheme or 'ws'}://{place}{below}{WEBSOCKET_PATH}"


def short_address(url: str) -> str:
    """Return a server's address as people write it: without ``/v1``, unless the server is below a path.

    The last name of such a path would be taken for a table's code.
    """
    url = url.rstrip("/")
    short = url.removesuffix(WEBSOCKET_PATH)
    return url if "/" in short.rpartition("://")[2] else short


QR_BORDER: Final = 2
"""The margin in modules: half of the standard's, which is enough for cameras and fits a lobby."""
MAX_QR_LINK: Final = 200
LINK_SLASHES: Final = 3
"""The slashes in a link whose path is only a table's code."""
HALF_BLOCKS: Final = {(1, 1): "█", (1, 0): "▀", (0, 1): "▄", (0, 0): " "}
"""The character for an upper and a lower module: 1 is drawn, which on a dark ground means light."""


@lru_cache(maxsize=8)
def qr_lines(link: str, *, ascii_only: bool = False, is_dark: bool = True) -> tuple[str, ...]:
    """Return the QR code of a link, line by line.

    A character shows two modules, one above the other; in ASCII, a module takes two characters. A link that
    is too long returns no lines.

    Args:
        link: the link.
        ascii_only: whether only ASCII can be shown.
        is_dark: whether the background is darker than the text.

    """
    if len(link) > MAX_QR_LINK:
        return ()
    import segno  # noqa: PLC0415 - few links are drawn

    # Scheme, host and code ignore case, and a QR code in capitals is smaller.
    has_only_code = link.count("/") == LINK_SLASHES and f"/{PERSON_PAGE}#" not in link
    content = link.upper() if has_only_code else link
    code = segno.make_qr(content, error="l", boost_error=False)
    rows = [tuple(int(module) ^ is_dark for module in row) for row in code.matrix_iter(border=QR_BORDER)]
    if ascii_only:
        return tuple("".join("##" if written else "  " for written in row) for row in rows)
    rows += [(0,) * len(rows[0])] * (len(rows) % 2)
    return tuple(
        "".join(HALF_BLOCKS[pair] for pair in zip(upper, lower, strict=True))
        for upper, lower in zip(rows[::2], rows[1::2], strict=True)
    )
