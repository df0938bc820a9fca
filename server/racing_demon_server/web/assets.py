"""The files of the browser table, prepared at the start and served from memory.

Browsers do not cache the page itself. Everything else is below a directory named by the digest of all
files, so browsers can cache it for a year and never mix two versions.
"""

import gzip
import re
from collections.abc import Mapping, Sequence
from hashlib import sha256
from http import HTTPStatus
from importlib.resources import files
from typing import Final, NamedTuple

__all__ = ["Assets", "HttpResponse"]

INDEX: Final = "index.html"
LATER: Final = frozenset({"proof.js", "shake256.js", "texts.json"})
"""Files that are loaded last, or only after a hand."""
KINDS: Final = {
    "css": "text/css; charset=utf-8",
    "html": "text/html; charset=utf-8",
    "js": "text/javascript; charset=utf-8",
    "json": "application/json",
    "svg": "image/svg+xml",
}
"""Media types by file extension; other files are not served."""
TABLE_PATH: Final = re.compile(r"/(?:[A-Za-z]{4,16})?")
"""The path of the page itself, or of a table's code."""
COMMENT: Final = re.compile(rb"^[ \t]*(?://.*|/\*\*(?:(?!\*/)[\s\S])*\*/)[ \t]*$", re.MULTILINE)
"""A comment in a script that fills its line."""
YEAR_SECONDS: Final = 365 * 24 * 60 * 60
POLICY: Final = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; "
    "connect-src {connect}; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; "
    "require-trusted-types-for 'script'; trusted-types 'none'"
)


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
        contents: the files by name; in the page ``{assets}`` becomes the path of the others

    """

    def __init__(self, contents: Mapping[str, bytes]) -> None:
        whole = sha256(b"".join(name.encode() + contents[name] for name in sorted(contents)))
        self._folder = f"/web/{whole.hexdigest()[:16]}"
        page = contents[INDEX].replace(b"{assets}", self._folder.encode())
        self._page = _file(INDEX, page)
        self._files = {
            f"{self._folder}/{name}": _file(name, data) for name, data in contents.items() if name != INDEX
        }

    @classmethod
    def load(cls) -> "Assets":
        """Read the files beside this module, scripts without their comments."""
        folder = files(__package__) / "static"
        found = {file.name: file.read_bytes() for file in folder.iterdir() if _ending(file.name) in KINDS}
        return cls({name: _bare(data) if _ending(name) == "js" else data for name, data in found.items()})

    @property
    def packed_bytes(self) -> int:
        """The compressed bytes that a browser without a cache loads before it can play."""
        loaded = [file for path, file in self._files.items() if path.rpartition("/")[2] not in LATER]
        return sum(len(file.packed) for file in (self._page, *loaded))

    def answer(
        self, path: str, headers: Mapping[str, str], sockets: Sequence[str] = ()
    ) -> HttpResponse | None:
        """Answer a request; ``None`` if the path is not the page's.

        Args:
            path: the path, without a query.
            headers: the request's, by lower-case name.
            sockets: other origins that the page may connect to, such as ``ws://host:5253``.

        """
        if TABLE_PATH.fullmatch(path):
            policy = POLICY.format(connect=" ".join(("'self'", *sockets)))
            more = [("Cache-Control", "no-cache"), ("Content-Security-Policy", policy)]
            return _answer(self._page, headers, more)
        file = self._files.get(path)
        if file is None:
            return None
        return _answer(file, headers, [("Cache-Control", f"public, max-age={YEAR_SECONDS}, immutable")])


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


def _bare(script: bytes) -> bytes:
    """Blank the lines of comments. Line numbers stay the same, so that errors can be located."""
    return COMMENT.sub(lambda comment: b"\n" * comment[0].count(b"\n"), script)


def _file(name: str, data: bytes) -> _File:
    tag = f'"{sha256(data).hexdigest()[:16]}"'
    return _File(KINDS[_ending(name)], tag, data, gzip.compress(data, 9, mtime=0))


def _ending(name: str) -> str:
    return name.rpartition(".")[2]
