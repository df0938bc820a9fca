"""Results of matches as JSON: standings, a match, its record, and the matches of a table."""

import hashlib
import re
from collections.abc import AsyncIterator, Callable
from http import HTTPStatus
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import parse_qs

from websockets.http11 import Response

from racing_demon_server.enums import StandingsAccess
from racing_demon_server.journal.interface import UnstorableValue
from racing_demon_server.match.seat_tokens import hash_token
from racing_demon_server.rate_limits import RECORD, STANDINGS
from racing_demon_server.results.keeper import ResultsKeeper
from racing_demon_server.results.query import (
    ALL,
    Filter,
    RecordGone,
    ResultsUnusable,
    StandingsQuery,
    Stopping,
    TableOpen,
    TooManyQuestions,
)
from racing_demon_server.results.visibility import (
    Viewer,
    may_read_chat,
    may_see_match,
    may_see_moments,
    may_see_record,
)

from . import http
from .assets import ALONE
from .handler import ServerContext
from .http import Access, HttpRequest, Route
from .sign_in import SignInHeader

if TYPE_CHECKING:
    from racing_demon_server.results.records import RecordVersion
    from racing_demon_server.results.store import Result
    from racing_demon_server.results.worker import ResultsWorker

STANDINGS_PATH: Final = "/v1/standings"
YOU_PATH: Final = "/v1/you"
MATCHES_PATH: Final = "/v1/matches"
TABLE_CODE: Final = re.compile(r"[0-9A-Z]{1,16}")
COMMITMENT: Final = re.compile(r"[0-9a-f]{64}|")
MATCH_PATH: Final = re.compile(r"/v1/matches/([\w-]{22})")
PLAYER_PATH: Final = re.compile(r"/v1/players/([0-9a-z]{1,16})")
RECORD_PATH: Final = re.compile(r"/v1/matches/([\w-]{22})/record")
TITLES_PATH: Final = "/v1/titles"
MOMENTS_PATH: Final = re.compile(r"/v1/matches/([\w-]{22})/moments")
MAX_QUERY: Final = 500
"""The most characters of a query."""
RECORD_TYPE: Final = "application/jsonl; charset=utf-8"
PRIVATE: Final = (("Cache-Control", "private, no-cache"), ("X-Robots-Tag", "noindex"))
"""Headers of what only its reader may keep, and no search engine."""
UNUSABLE: Final = "The server cannot read its results. Its log says why; its tables go on.\n"
UNKNOWN_VALUE: Final = "The address is wrong: it asks for what no server has.\n"
GONE: Final = "The server has no record of this match any more; its result remains.\n"
STILL_OPEN: Final = "The table is still open: its players can read the record, others when it is closed.\n"
NO_SUCH: Final = "There is no such page, or it is not yours to see.\n"
"""The same words for both: nobody learns what there is."""


class ResultPages:
    """The pages of the results.

    Args:
        keeper: keeps them.
        context: the limits of all addresses, the server's clock, and whether it lists its tables.
        access: allows requests for this server.
        sign_in: tells who has signed in at a trusted proxy; ``None`` where nobody does.

    """

    def __init__(
        self,
        keeper: ResultsKeeper,
        context: ServerContext,
        access: Access,
        sign_in: SignInHeader | None = None,
    ) -> None:
        self._keeper = keeper
        self._addresses = context.addresses
        self._clock = context.clock
        self._lists_tables = context.settings.lists_tables
        self._access = access
        self._sign_in = sign_in

    def routes(self) -> list[Route]:
        """Return all pages."""
        return [
            *self.routes_of_matches(),
            Route(STANDINGS_PATH, self._standings, self._access, STANDINGS),
            Route(PLAYER_PATH, self._player, self._access, STANDINGS),
            Route(YOU_PATH, self._you, self._access),
        ]

    def routes_of_matches(self) -> list[Route]:
        """Return the pages of matches, for which one needs their links."""
        return [
            Route(MATCHES_PATH, self._matches, self._access),
            Route(MATCH_PATH, self._match, self._access),
            Route(RECORD_PATH, self._record, self._access, RECORD),
            Route(MOMENTS_PATH, self._moments, self._access),
            Route(TITLES_PATH, self._titles, self._access),
        ]

    async def _standings(self, asked: HttpRequest) -> Response:
        """Return a page of the standings over some matches."""
        access, token = self._keeper.access, self._token(asked)
        if access is StandingsAccess.OFF:
            return _no_such()
        try:
            query = StandingsQuery.of({name: each[-1] for name, each in _query(asked).items()})
        except ValueError as error:
            return http.text(HTTPStatus.BAD_REQUEST, f"The address is wrong: {error}.\n")
        found = await self._ask(asked, lambda worker: worker.standings(query, access, token), ALL, query.only)
        if found is None:
            return _no_such()
        return found if isinstance(found, Response) else _cached(asked, *found)

    async def _player(self, asked: HttpRequest) -> Response:
        """Return a player's page, to whoever may see the standings."""
        path = PLAYER_PATH.fullmatch(asked.path)
        access, token = self._keeper.access, self._token(asked)
        if path is None or access is StandingsAccess.OFF:
            return _no_such()
        found = await self._ask(asked, lambda worker: worker.player(path[1], access, token), ALL)
        if found is None:
            return _no_such()
        return found if isinstance(found, Response) else _cached(asked, *found)

    async def _you(self, asked: HttpRequest) -> Response:
        """Return who asks, by a player's token or a proxy's word; a guest is nobody."""
        token = self._token(asked)
        text = await self._ask(asked, lambda worker: worker.you(token))
        return text if isinstance(text, Response) else _cached(asked, _digest(text), text)

    async def _match(self, asked: HttpRequest) -> Response:
        """Return the result of a match."""
        result = await self._result(asked, MATCH_PATH)
        if isinstance(result, Response):
            return result
        viewer = await self._viewer(asked, result)
        if isinstance(viewer, Response):
            return viewer
        if not may_see_match(result, viewer):
            return _no_such()
        text = await self._ask(asked, lambda worker: worker.match(result))
        return text if isinstance(text, Response) else _cached(asked, _digest(text), text)

    async def _record(self, asked: HttpRequest) -> Response:
        """Return the record of a match that is over."""
        result = await self._result(asked, RECORD_PATH)
        if isinstance(result, Response):
            return result
        viewer = await self._viewer(asked, result)
        if isinstance(viewer, Response):
            return viewer
        if not may_see_record(result, viewer):
            return _no_such()
        with_chat, lists_tables = may_read_chat(viewer), self._lists_tables
        record = await self._ask(
            asked, lambda worker: worker.record(result, with_chat=with_chat, lists_tables=lists_tables)
        )
        if isinstance(record, Response):
            return record
        if record is None:
            return http.text(HTTPStatus.GONE, GONE)
        return _not_modified(asked, record.version) or await self._streamed(asked, result.link, record)

    async def _moments(self, asked: HttpRequest) -> Response:
        """Return the moments of a match, and the titles of its evening once it is over."""
        result = await self._result(asked, MOMENTS_PATH)
        if isinstance(result, Response):
            return result
        viewer = await self._viewer(asked, result)
        if isinstance(viewer, Response):
            return viewer
        if not may_see_moments(result, viewer):
            return _no_such()
        found = await self._ask(asked, lambda worker: worker.moments(result))
        if not isinstance(found, str | Response):
            address = asked.client
            try:
                await self._keeper.make_notes(
                    found,
                    lambda: self._addresses.reading_wait_us(address, self._clock()),
                    lambda seconds: self._addresses.charge_reading(address, self._clock(), seconds),
                )
            except (ResultsUnusable, Stopping):
                return http.text(HTTPStatus.SERVICE_UNAVAILABLE, UNUSABLE)
            found = await self._ask(asked, lambda worker: worker.told_moments(result))
        return found if isinstance(found, Response) else _cached(asked, _digest(found), found)

    async def _streamed(self, asked: HttpRequest, link: str, record: "RecordVersion") -> Response:
        """Return a record that is made while it is sent. What cannot even begin is refused."""
        address = asked.client
        pieces = self._keeper.pieces(
            record,
            lambda: self._addresses.reading_wait_us(address, self._clock()),
            lambda seconds: self._addresses.charge_reading(address, self._clock(), seconds),
        )
        try:
            first = b"" if asked.request.method == "HEAD" else await anext(pieces, b"")
        except ResultsUnusable:
            return http.text(HTTPStatus.SERVICE_UNAVAILABLE, UNUSABLE)
        except RecordGone:
            return http.text(HTTPStatus.GONE, GONE)
        name = ("Content-Disposition", f'attachment; filename="match-{link[:8]}.jsonl"')
        headers = [*_headers(record.version, RECORD_TYPE), name]
        return http.StreamedResponse(HTTPStatus.OK, headers, _continued(first, pieces))

    async def _matches(self, asked: HttpRequest) -> Response:
        """Return the links of a table's matches, to whoever has a seat at the table."""
        code = _query(asked).get("table", [""])[-1].strip().upper()
        number = await self._table_of(asked, code) if TABLE_CODE.fullmatch(code) else None
        if number is None:
            return _no_such()
        if isinstance(number, Response):
            return number
        found = await self._ask(asked, lambda worker: worker.of_table(number))
        return found if isinstance(found, Response) else _cached(asked, _digest(found), found)

    async def _titles(self, asked: HttpRequest) -> Response:
        """Return the titles of an open table's evening, to its players and to whoever may watch it."""
        query = _query(asked)
        code, hand = (query.get(name, [""])[-1].strip() for name in ("table", "hand"))
        if not TABLE_CODE.fullmatch(code.upper()) or not COMMITMENT.fullmatch(hand):
            return _no_such()
        code = code.upper()
        number: int | Response | None = self._keeper.watched_table(code, hand)
        if number is None:
            number = await self._table_of(asked, code)
        if number is None:
            return _no_such()
        if isinstance(number, Response):
            return number
        found = await self._ask(asked, lambda worker: worker.titles(number))
        return found if isinstance(found, Response) else _cached(asked, _digest(found), found)

    async def _result(self, asked: HttpRequest, path: re.Pattern[str]) -> "Result | Response":
        match = path.fullmatch(asked.path)
        result = None if match is None else await self._ask(asked, lambda worker: worker.result(match[1]))
        return _no_such() if result is None else result

    async def _viewer(self, asked: HttpRequest, result: "Result") -> Viewer | Response:
        token, number = self._token(asked), await self._table_of(asked, result.summary.code)
        if isinstance(number, Response):
            return number
        has_seat = number is not None and self._keeper.is_of_table(result, number)
        has_played = bool(token) and await self._ask(asked, lambda worker: worker.has_played(result, token))
        return has_played if isinstance(has_played, Response) else Viewer(has_seat, has_played)

    async def _table_of(self, asked: HttpRequest, code: str) -> int | Response | None:
        """Return the number of the open table with a code if the request has the token of a seat there."""
        token = self._token(asked)
        if not token or (number := self._keeper.table_of(code, token)) is not None:
            return number if token else None
        hashed = hash_token(token)
        found: int | Response | None = await self._ask(asked, lambda worker: worker.table_of(code, hashed))
        return found

    def _token(self, asked: HttpRequest) -> str:
        """Return the token of a seat or player that a request carries, or who has signed in; or nothing."""
        given = asked.request.headers.get_all("Authorization")
        scheme, _, token = given[0].partition(" ") if len(given) == 1 else ("", "", "")
        if scheme.lower() == "bearer":
            return token.strip()
        who = None if self._sign_in is None else self._sign_in.of(asked.request.headers, asked.peer)
        return who or ""

    async def _ask(
        self, asked: HttpRequest, question: "Callable[[ResultsWorker], Any]", *sums: Filter
    ) -> Any:
        address = asked.client
        try:
            return await self._keeper.ask(
                address,
                question,
                lambda: self._addresses.may_read(address, self._clock()),
                lambda seconds: self._addresses.charge_reading(address, self._clock(), seconds),
                sums,
            )
        except TooManyQuestions:
            return http.too_many()
        except ResultsUnusable:
            return http.text(HTTPStatus.SERVICE_UNAVAILABLE, UNUSABLE)
        except TableOpen:
            return http.text(HTTPStatus.FORBIDDEN, STILL_OPEN)
        except UnstorableValue:
            return http.text(HTTPStatus.BAD_REQUEST, UNKNOWN_VALUE)


def _no_such() -> Response:
    return http.text(HTTPStatus.NOT_FOUND, NO_SUCH)


def _query(asked: HttpRequest) -> dict[str, list[str]]:
    text = asked.request.path.partition("?")[2]
    return parse_qs(text, max_num_fields=10) if len(text) <= MAX_QUERY else {}


def _digest(text: str) -> str:
    """Return what names a short text. Names of players change without a new version of a result."""
    return hashlib.sha256(text.encode()).hexdigest()[:32]


def _cached(asked: HttpRequest, version: str, text: str) -> Response:
    """Answer with a text that only this reader may keep, or say that the reader's is the newest."""
    known = _not_modified(asked, version)
    return known or http.respond(HTTPStatus.OK, _headers(version, "application/json"), text.encode())


def _not_modified(asked: HttpRequest, version: str) -> Response | None:
    """Say that the reader's version is the newest; ``None`` if it is not, or there is none."""
    tag, *headers = _headers(version)
    if tag[1] not in [each.strip() for each in asked.request.headers.get("If-None-Match", "").split(",")]:
        return None
    return http.respond(HTTPStatus.NOT_MODIFIED, [tag, *headers], b"")


def _headers(version: str, kind: str = "") -> list[tuple[str, str]]:
    """Return the headers of a version that only its reader may keep."""
    return [("ETag", f'"{version}"'), *PRIVATE, *ALONE, *([("Content-Type", kind)] if kind else ())]


async def _continued(first: bytes, rest: AsyncIterator[bytes]) -> AsyncIterator[bytes]:
    """Yield what an answer consists of, of which the first piece was there before its headers were sent."""
    yield first
    try:
        async for piece in rest:
            yield piece
    except (RecordGone, ResultsUnusable, Stopping):
        raise http.CutOff from None
