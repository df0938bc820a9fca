"""The files of the browser table, prepared at the start and served from memory.

Browsers do not cache the page itself. Everything else is below a directory named by the digest of all
files, so browsers can cache it for a year and never mix two versions.
"""

import gzip
import re
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from hashlib import sha256
from http import HTTPStatus
from importlib.resources import files
from importlib.resources.abc import Traversable
from typing import Final, NamedTuple
from urllib.parse import parse_qs

INDEX: Final = "index.html"
MANIFEST: Final = "manifest.webmanifest"
AT_ROOT: Final = frozenset({MANIFEST, "sw.js"})
"""Files beside the page: a service worker serves only its own folder."""
KINDS: Final = {
    "css": "text/css; charset=utf-8",
    "html": "text/html; charset=utf-8",
    "js": "text/javascript; charset=utf-8",
    "json": "application/json",
    "png": "image/png",
    "svg": "image/svg+xml",
    "webmanifest": "application/manifest+json",
}
"""Media types by file extension; other files are not served."""
TABLE_PATH: Final = re.compile(r"/(?:new|[A-Za-z]{4,16}(?:[.,;:!?)/]|%2[02]|%3E)?)?")
"""The path of the page itself, of its form for a new table, or of a table's code with an optional rest."""
RESULTS_PATH: Final = re.compile(r"/scores|/matches|/you|/match/[\w-]{22}|/player/[0-9a-z]{1,16}")
"""The paths of the page's standings, of its list of matches, of who uses the device, and of a match."""
STANDINGS_PATH: Final = "/scores"
WATCHED_PATH: Final = re.compile(r"/[A-Za-z]{4,16}")
"""The path of a table's code."""
WATCHING: Final = frozenset({"watch", "tv", "overlay"})
"""What a table's address ends with, behind a question mark, where the page takes no seat."""
START: Final = re.compile(r"(?:[A-Za-z]{4,16})?(?:#name=[\w.*%+-]{1,300})?", re.ASCII)
"""What an icon on a home screen opens below the page's address: a table, with the name of whoever made it."""
YEAR_SECONDS: Final = 365 * 24 * 60 * 60
POLICY: Final = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; "
    "connect-src {connect}; manifest-src 'self'; worker-src 'self'; "
    "base-uri 'none'; form-action 'none'; frame-ancestors {ancestors}; "
    "require-trusted-types-for 'script'; trusted-types shell"
)


ALONE: Final = (
    ("X-Content-Type-Options", "nosniff"),
    ("Content-Security-Policy", "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'"),
    ("Cross-Origin-Resource-Policy", "same-origin"),
    ("Referrer-Policy", "no-referrer"),
)
"""Headers of an answer that loads nothing: no site may frame it, and no browser guess its type."""


class HttpResponse(NamedTuple):
    """An answer to a request.

    Attributes:
        status: the status code.
        headers: all headers but the length.
        body: the bytes; empty if the browser has them cached.

    """

    status: HTTPStatus
    headers: Sequence[tuple[str, str]]
    body: bytes


class _File(NamedTuple):
    kind: str
    tag: str
    plain: bytes
    packed: bytes


class Assets:
    """The page and what it loads.

    Args:
        contents: the files by their paths; in the page and in the files beside it ``{base}`` becomes the
            path below which they are, ``{assets}`` that of the others, and ``{start}`` what an icon opens.
        embeds: the origins that may frame a table that is watched.
        base: the path below which browsers find all of it, like ``/games/cards``. Requests are without it.

    """

    def __init__(self, contents: Mapping[str, bytes], embeds: Sequence[str] = (), base: str = "") -> None:
        self._base = base.encode()
        self._embeds = " ".join(embeds) or "'none'"
        whole = sha256(b"".join(name.encode() + contents[name] for name in sorted(contents)))
        self._folder = f"/web/{whole.hexdigest()[:16]}"
        self._page = _kept(INDEX, self._placed(contents[INDEX]))
        self._manifest = self._placed(contents.get(MANIFEST, b""))
        self._root = {
            f"/{name}": _kept(name, self._placed(contents[name]).replace(b"{start}", b""))
            for name in AT_ROOT & contents.keys()
        }
        self._files = {
            f"{self._folder}/{name}": _kept(name, data)
            for name, data in contents.items()
            if name != INDEX and name not in AT_ROOT
        }

    def _placed(self, content: bytes) -> bytes:
        """Return a file that names the paths of the page and of the others."""
        return content.replace(b"{assets}", b"{base}" + self._folder.encode()).replace(b"{base}", self._base)

    def _started(self, path: str, query: str) -> _File | None:
        """Return the manifest of an icon that opens what the query names; ``None`` for any other file."""
        start = parse_qs(query).get("at", [""])[0]
        if path != f"/{MANIFEST}" or not start or not START.fullmatch(start):
            return None
        return _file(MANIFEST, self._manifest.replace(b"{start}", start.encode()))

    @classmethod
    def load(cls, embeds: Sequence[str] = (), base: str = "") -> "Assets":
        """Read the files of `racing_demon_web`."""
        return cls(dict(_read(files("racing_demon_web"))), embeds, base)

    def answer(
        self, path: str, headers: Mapping[str, str], sockets: Sequence[str] = (), query: str = ""
    ) -> HttpResponse | None:
        """Answer a request; ``None`` if the path is not the page's.

        Args:
            path: the path, without a query.
            headers: the request's, by lower-case name.
            sockets: other origins that the page may connect to, such as ``ws://host:5253``.
            query: what follows the path's question mark.

        """
        is_result = RESULTS_PATH.fullmatch(path) is not None
        if is_result or TABLE_PATH.fullmatch(path):
            is_watched = WATCHED_PATH.fullmatch(path) and WATCHING & parse_qs(query, True).keys()
            ancestors = self._embeds if is_watched or path == STANDINGS_PATH else "'none'"
            policy = POLICY.format(connect=" ".join(("'self'", *sockets)), ancestors=ancestors)
            more = [("Cache-Control", "no-cache"), ("Content-Security-Policy", policy)]
            if is_result:
                more.append(("X-Robots-Tag", "noindex"))
            return _answer(self._page, headers, more)
        if path in self._root:
            beside = self._started(path, query) or self._root[path]
            return _answer(beside, headers, [("Cache-Control", "no-cache")])
        file = self._files.get(path)
        if file is None:
            return None
        return _answer(file, headers, [("Cache-Control", f"public, max-age={YEAR_SECONDS}, immutable")])


def _read(folder: Traversable, parent: str = "") -> Iterator[tuple[str, bytes]]:
    """Return the files in a folder and below it, by their paths."""
    for entry in folder.iterdir():
        if entry.is_dir():
            yield from _read(entry, f"{parent}{entry.name}/")
        elif _ending(entry.name) in KINDS:
            yield f"{parent}{entry.name}", entry.read_bytes()


def _answer(file: _File, headers: Mapping[str, str], more: Sequence[tuple[str, str]]) -> HttpResponse:
    common = [
        *more,
        ("ETag", file.tag),
        ("Vary", "Accept-Encoding"),
        ("X-Content-Type-Options", "nosniff"),
        ("Referrer-Policy", "no-referrer"),
        ("Cross-Origin-Resource-Policy", "same-origin"),
    ]
    if file.tag in [tag.strip() for tag in headers.get("if-none-match", "").split(",")]:
        return HttpResponse(HTTPStatus.NOT_MODIFIED, common, b"")
    common.append(("Content-Type", file.kind))
    accepted = [coding.partition(";")[0].strip() for coding in headers.get("accept-encoding", "").split(",")]
    if "gzip" in accepted:
        return HttpResponse(HTTPStatus.OK, [*common, ("Content-Encoding", "gzip")], file.packed)
    return HttpResponse(HTTPStatus.OK, common, file.plain)


def _file(name: str, data: bytes) -> _File:
    tag = f'"{sha256(data).hexdigest()[:16]}"'
    return _File(KINDS[_ending(name)], tag, data, gzip.compress(data, 9, mtime=0))


@lru_cache(maxsize=256)
def _kept(name: str, data: bytes) -> _File:
    """Return a file that is served as it is: a second port of this process need not compress it again."""
    return _file(name, data)


def _ending(name: str) -> str:
    return name.rpartition(".")[2]
