"""The files of the browser's table, made ready once at the start and answered from memory.

The page itself is never kept by browsers; all else lies below one directory that is named by the digest of
the whole, so that it can be kept for a year and never fits another version's page.
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
"""What is loaded behind all else, and after a hand."""
KINDS: Final = {
    "css": "text/css; charset=utf-8",
    "html": "text/html; charset=utf-8",
    "js": "text/javascript; charset=utf-8",
    "json": "application/json",
    "svg": "image/svg+xml",
}
"""The media types of files by the ends of their names; no others are answered."""
TABLE_PATH: Final = re.compile(r"/(?:[A-Za-z]{4,16})?")
"""The page's own path, or that of a table's code."""
COMMENT: Final = re.compile(rb"^[ \t]*(?://.*|/\*\*(?:(?!\*/)[\s\S])*\*/)[ \t]*$", re.MULTILINE)
"""Comments in scripts that have their lines to themselves."""
YEAR_SECONDS: Final = 365 * 24 * 60 * 60
POLICY: Final = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; "
    "connect-src {connect}; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; "
    "require-trusted-types-for 'script'; trusted-types 'none'"
)


class HttpResponse(NamedTuple):
    """What is answered to a request.

    Attributes:
        status: the status code.
        headers: all headers but the length.
        body: the bytes; empty where the browser has them already.

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
        contents: the files by their names. In the page ``{assets}`` becomes the path of the others.

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
        """Read the files that lie beside this module; scripts without their comments."""
        folder = files(__package__) / "static"
        found = {file.name: file.read_bytes() for file in folder.iterdir() if _ending(file.name) in KINDS}
        return cls({name: _bare(data) if _ending(name) == "js" else data for name, data in found.items()})

    @property
    def packed_bytes(self) -> int:
        """How many bytes a browser loads that has nothing yet, before it can play."""
        loaded = [file for path, file in self._files.items() if path.rpartition("/")[2] not in LATER]
        return sum(len(file.packed) for file in (self._page, *loaded))

    def answer(
        self, path: str, headers: Mapping[str, str], sockets: Sequence[str] = ()
    ) -> HttpResponse | None:
        """Answer a request; ``None`` where the path is not the page's.

        Args:
            path: the path, without a query.
            headers: the request's, by their names in small letters.
            sockets: where the page may connect to beside its own origin, such as ``ws://host:5253``.

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
    """Empty the lines of comments: the others keep their numbers, so that errors can be found."""
    return COMMENT.sub(lambda comment: b"\n" * comment[0].count(b"\n"), script)


def _file(name: str, data: bytes) -> _File:
    tag = f'"{sha256(data).hexdigest()[:16]}"'
    return _File(KINDS[_ending(name)], tag, data, gzip.compress(data, 9, mtime=0))


def _ending(name: str) -> str:
    return name.rpartition(".")[2]
