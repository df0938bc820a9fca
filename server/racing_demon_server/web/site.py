"""What browsers can request: the page and its files, QR codes, and the open tables."""

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from http import HTTPStatus
from typing import Any, Final

from .assets import ALONE, Assets, HttpResponse
from .invitation import PATH, invitation
from .table_list import table_list

TABLES: Final = "/tables.json"
"""The path of the list of open tables."""
ORIGIN: Final = "/origin.json"
"""The path of the origin at which other devices reach the server."""


class Site:
    """Answers requests of browsers.

    Args:
        tables: returns the tables to list.

    """

    def __init__(self, tables: Callable[[], Iterable[dict[str, Any]]]) -> None:
        self._assets = Assets.load()
        self._tables = tables

    def answer(
        self, path: str, origin: str | None, headers: Mapping[str, str], sockets: Sequence[str]
    ) -> HttpResponse | None:
        """Answer a request; ``None`` if nothing has its path.

        Args:
            path: the path, without a query.
            origin: the scheme, host and port at which other devices reach the server; ``None`` if unknown.
            headers: the request's, by lower-case name.
            sockets: other origins that the page may connect to.

        """
        if picture := PATH.fullmatch(path):
            return None if origin is None else invitation(origin, picture[1])
        if path == ORIGIN:
            headers_alone = [("Content-Type", "application/json"), ("Cache-Control", "no-store"), *ALONE]
            return HttpResponse(HTTPStatus.OK, headers_alone, json.dumps({"origin": origin}).encode())
        if path == TABLES:
            return table_list(self._tables())
        return self._assets.answer(path, headers, sockets)
