"""What browsers are served: the page and its files, pictures of addresses, and the open tables."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Final

from racing_demon_protocol.table.view import TableView

from .assets import Assets, HttpResponse
from .invitation import PATH, invitation
from .table_list import table_list

__all__ = ["Site"]

TABLES: Final = "/tables.json"
"""Where the open tables are listed."""


class Site:
    """Answers requests of browsers.

    Args:
        tables: gives the tables that browsers are told of.

    """

    def __init__(self, tables: Callable[[], Iterable[TableView]]) -> None:
        self._assets = Assets.load()
        self._tables = tables

    def answer(
        self, path: str, origin: str, headers: Mapping[str, str], sockets: Sequence[str]
    ) -> HttpResponse | None:
        """Answer a request; ``None`` where nothing is at its path.

        Args:
            path: the path, without a query.
            origin: the scheme, host and port that the browser has asked for.
            headers: the request's, by their names in small letters.
            sockets: where the page may connect to beside its own origin.

        """
        if picture := PATH.fullmatch(path):
            return invitation(origin, picture[1])
        if path == TABLES:
            return table_list(self._tables())
        return self._assets.answer(path, headers, sockets)
