"""The pages of the server's port: plain HTTP, who may request what, and at which price."""

import io
import os
import re
from collections.abc import Awaitable, Callable, Iterable
from functools import lru_cache, partial
from http import HTTPStatus
from typing import Any, Final
from urllib.parse import urlsplit

from websockets.http11 import Response

from racing_demon_protocol.constants import WEBSOCKET_PATH
from racing_demon_protocol.discovery.mdns import MAX_TABLES
from racing_demon_protocol.wire.redirects import bracketed
from racing_demon_protocol.wire.saved_presets import listed
from racing_demon_server.rate_limits import HANDSHAKE, PICTURE
from racing_demon_server.results.keeper import ResultsKeeper
from racing_demon_server.sharding import CODE_LETTERS

from . import http
from .assets import ALONE, AT_ROOT, RESULTS_PATH, TABLE_PATH, Assets
from .handler import ServerContext, Service
from .http import HttpRequest, Route
from .result_pages import ResultPages
from .sign_in import SignInHeader
from .tunnel import Tunnel

METRICS_KEPT_US: Final = 1_000_000
"""Metrics are formatted once a second at most."""
UNKNOWN_NAME: Final = (
    "This server does not answer to that name: it could be a stranger's. Use its address, the numbers that "
    "the table's host sees.\nWho runs the server allows a name with racing-demon-server --name NAME.\n"
)
NO_HOST: Final = "The request names no host that there can be, or several.\n"
MONITORED: Final = frozenset({"/healthz", "/metrics"})
"""Pages for monitors, who ask this machine's port and know of no path below which the others are."""
ASSETS: Final = re.compile(r"/web/.*")
"""The paths of the page's files."""
QR_PATH: Final = re.compile(r"/qr/([A-Z]{4,16})\.svg")
"""The path of a QR code's picture. It does not reveal whether the table exists."""
QR_QUIET_ZONE: Final = 2
"""The width of a QR code's margin, in modules."""
MAX_QR_CODES: Final = 256
"""The most QR codes that are kept."""
INTERNET_PATH: Final = re.compile(r"/internet/([A-Z]{4,16})\.(json|svg)")
"""The path of the invitation to a table over the internet, and of its QR code."""
ENTRY_PATH: Final = re.compile(r"/tables/([A-Z]{4,16})\.json")
POSSIBLE_CODE: Final = re.compile(f"/[{CODE_LETTERS}]{{4,16}}", re.IGNORECASE)


class Routes:
    """Answers plain HTTP, and decides which WebSockets are accepted.

    Attributes:
        paths: the paths of all pages that have one path each.

    Args:
        context: what all connections share.
        service: the tables.
        connections: returns the number of connections.

    """

    def __init__(self, context: ServerContext, service: Service, connections: Callable[[], int]) -> None:
        self._context = context
        self._settings = context.settings
        self._service = service
        self._connections = connections
        self._metrics: tuple[int, str] = (-METRICS_KEPT_US, "")
        if self._settings.web:
            self._assets = Assets.load(self._settings.embeds, self._settings.base_path)
        routes = self._list()
        self._named = {route.path: route for route in routes if isinstance(route.path, str)}
        self._patterns = [(route.path, route) for route in routes if isinstance(route.path, re.Pattern)]
        self.paths = tuple(self._named)
        assert not any(map(POSSIBLE_CODE.fullmatch, self.paths)), "a page has the path of a table"
        self._unknown = Route("", lambda _: None, self._own_name)
        self._base = Route("", self._to_base, self._own_name)

    def _list(self) -> list[Route]:
        """Return all pages."""
        own_name, own_page, this_machine = self._own_name, self._own_page, self._this_machine
        routes = [
            Route(WEBSOCKET_PATH, accept, own_page, HANDSHAKE),
            Route("/healthz", self._health, own_name),
            Route("/metrics", self._measured, own_name if self._settings.metrics_public else this_machine),
        ]
        if self._context.tunnel is not None:
            routes.append(
                Route(INTERNET_PATH, partial(self._invitation, self._context.tunnel), own_name, PICTURE)
            )
        if self._settings.web:
            routes += [
                Route("/tables.json", self._table_list, own_name),
                Route(ENTRY_PATH, self._table_entry, own_name),
                Route("/presets.json", self._preset_list, own_name),
                Route("/origin.json", self._origin, own_name),
                Route(QR_PATH, self._qr_code, own_name, PICTURE),
                *(Route(f"/{name}", self._asset, own_name) for name in sorted(AT_ROOT)),
                Route(ASSETS, self._asset, own_name),
                Route(RESULTS_PATH, self._table, own_name),
                Route(TABLE_PATH, self._table, own_name),
            ]
        if self._context.results is not None:
            sign_in = SignInHeader(self._settings)
            routes += self._result_pages(self._context.results, sign_in).routes()
        return routes

    def _result_pages(self, keeper: ResultsKeeper, sign_in: SignInHeader | None = None) -> ResultPages:
        """Return the pages of the results."""
        return ResultPages(keeper, self._context, self._own_name, sign_in)

    def answer(self, asked: HttpRequest) -> Response | Awaitable[Response] | None:
        """Answer a request, perhaps later; ``None`` accepts a WebSocket."""
        asked, route = self._route(asked)
        if not self._context.addresses.count_request(asked.client, self._context.clock(), route.units):
            return http.too_many()
        if not http.has_valid_host(asked.request):
            return http.text(HTTPStatus.BAD_REQUEST, NO_HOST)
        if route.page is not accept and (ban := self._context.bans.of_address(asked.client)) is not None:
            return http.text(HTTPStatus.FORBIDDEN, f"{ban.text}\n")  # a WebSocket is told once it is open
        if not self._is_allowed_host(asked):
            return http.text(HTTPStatus.MISDIRECTED_REQUEST, "This server has a different name.\n")
        response = route.access(asked) or route.page(asked)
        if response is None and route.page is not accept:
            return http.text(
                HTTPStatus.NOT_FOUND,
                f"The game is at {self._settings.base_path}{WEBSOCKET_PATH}, over WebSocket.\n",
            )
        return response

    def _route(self, asked: HttpRequest) -> tuple[HttpRequest, Route]:
        """Return a request without the path below which all pages are, and its route.

        Pages with a name come first, so that none is taken for a table.
        """
        base, path = self._settings.base_path, asked.path
        if base and path not in MONITORED:
            if path == base:
                return asked, self._base
            if not path.startswith(f"{base}/"):
                return asked, self._unknown
            path = path.removeprefix(base)
        route = self._named.get(path) or next(
            (route for pattern, route in self._patterns if pattern.fullmatch(path)), self._unknown
        )
        return asked._replace(path=path), route

    # Who may.

    def _is_allowed_host(self, asked: HttpRequest) -> bool:
        """Return whether a request may be for this server at all."""
        return http.is_allowed_host(asked.request, self._settings.hosts)

    def _own_name(self, asked: HttpRequest) -> Response | None:
        """Allow requests by a name of this server that nobody else can point here."""
        if http.is_own_name(asked.request, self._settings.hosts):
            return None
        return http.text(HTTPStatus.MISDIRECTED_REQUEST, UNKNOWN_NAME)

    def _this_machine(self, asked: HttpRequest) -> Response | None:
        """Allow programs of this machine."""
        if (refusal := self._own_name(asked)) is not None or http.is_local(asked.peer, asked.request):
            return refusal
        return http.text(HTTPStatus.NOT_FOUND, "Metrics can be read from this machine only.\n")

    def _own_page(self, asked: HttpRequest) -> Response | None:
        """Allow programs and this server's own page, and no page of another site."""
        settings = self._settings
        schemes = self._context.dialled_schemes(asked.request, asked.peer)
        if http.is_own_page(asked.request, settings.hosts, settings.shards, settings.port, schemes):
            return None
        return http.text(HTTPStatus.FORBIDDEN, "Pages from other sites cannot play here.\n")

    # Pages for programs.

    def _health(self, _: HttpRequest) -> Response:
        """Return the server's health and its tables' number; of several processes, also which one answers.

        While its disk fails and all tables are halted, the status is 503. ``needs`` tells an operator what
        would end that, if it is known. A server that ``lacks`` something which tables can do without is
        degraded, and the status is 200: peers, probes and containers look at that alone.
        """
        service, shards = self._service, self._settings.shards
        is_halted, lacks = service.is_halted, list(self._context.lacks())
        status = "halted" if is_halted else "degraded" if lacks else "ok"
        facts: dict[str, object] = {"status": status, "tables": len(service)}
        if lacks:
            facts["lacks"] = lacks
        if service.needs:
            facts["needs"] = service.needs
        if not shards.is_alone:
            facts |= {"process": shards.number, "ports": shards.ports}
        return http.json(facts, HTTPStatus.SERVICE_UNAVAILABLE if is_halted else HTTPStatus.OK)

    def _measured(self, _: HttpRequest) -> Response:
        """Return metrics in Prometheus' text format."""
        now = self._context.clock()
        if now - self._metrics[0] >= METRICS_KEPT_US:
            text = self._context.metrics.text(self._connections(), self._service.listeners)
            self._metrics = now, text
        return http.text(HTTPStatus.OK, self._metrics[1], "text/plain; version=0.0.4; charset=utf-8")

    # Pages for browsers.

    def _to_base(self, _: HttpRequest) -> Response:
        """Redirect a browser to the page, whose path ends with a slash."""
        return http.redirect(f"{self._settings.base_path}/")

    def _table_list(self, _: HttpRequest) -> Response:
        """Return as many tables as a browser shows, those with free seats first."""
        listed: Iterable[dict[str, Any]] = self._service.listing() if self._settings.lists_tables else ()
        first = sorted(listed, key=lambda table: bool(table["players"] >= table["seats"]))
        return http.json(first[:MAX_TABLES])

    def _table_entry(self, asked: HttpRequest) -> Response:
        """Return what whoever was invited to a table is told before they sit down; ``null`` of no table."""
        match = ENTRY_PATH.fullmatch(asked.path)
        return http.json(None if match is None else self._service.entry(match[1], asked.client))

    def _preset_list(self, _: HttpRequest) -> Response:
        """Return the operator's own presets."""
        return http.json(listed(self._settings.presets))

    def _origin(self, asked: HttpRequest) -> Response:
        """Return the origin at which other devices reach this server, and whether it has a tunnel, too."""
        tunnel = self._context.tunnel
        is_wanted = tunnel is not None and (tunnel.is_open or tunnel.trouble)
        has_tunnel = {"tunnel": True} if is_wanted else {}
        return http.json({"origin": self._origin_for_others(asked), **has_tunnel})

    def _qr_code(self, asked: HttpRequest) -> Response | None:
        """Return the QR code of a table's address."""
        origin, path = self._origin_for_others(asked), QR_PATH.fullmatch(asked.path)
        if origin is None or path is None:
            return None
        # Capitals need a smaller code; schemes, hosts and tables' codes ignore case.
        address = f"{origin.upper()}{self._settings.base_path}/{path[1]}"
        headers = [("Content-Type", "image/svg+xml"), ("Cache-Control", "no-cache"), *ALONE]
        return http.respond(HTTPStatus.OK, headers, _cached_qr_code(address))

    def _invitation(self, tunnel: Tunnel, asked: HttpRequest) -> Response | None:
        """Return the invitation to a table over the internet, for whoever knows its code here.

        It has the link, ``null`` while there is none; what is wrong; and whether the tunnel names no clients,
        so that all who come through it share the limits of one address.
        """
        match = INTERNET_PATH.fullmatch(asked.path)
        addresses, now = self._context.addresses, self._context.clock()
        if match is None or not addresses.may_miss(asked.client, now):
            return http.too_many()
        code, kind = match.groups()
        if not self._service.has_table(code):
            addresses.count_miss(asked.client, now)
            return None
        link = tunnel.link(code)
        if kind == "json":
            names_none = link is not None and tunnel.names_clients is False
            return http.json({"link": link, "trouble": tunnel.trouble, "counts_as_one": names_none})
        if link is None:
            return None
        headers = [("Content-Type", "image/svg+xml"), ("Cache-Control", "no-store"), *ALONE]
        return http.respond(HTTPStatus.OK, headers, _draw_qr_code(link))

    def _table(self, asked: HttpRequest) -> Response | None:
        """Return the page of all tables, or redirect a browser to the name that all servers share."""
        location = self._lasting(asked)
        return self._asset(asked) if location is None else http.redirect(location)

    def _asset(self, asked: HttpRequest) -> Response | None:
        """Return the page, or one of its files."""
        headers = {name.lower(): value for name, value in asked.request.headers.raw_items()}
        query = asked.request.path.partition("?")[2]
        sockets = http.sockets(asked.request, self._settings.shards)
        found = self._assets.answer(asked.path, headers, sockets, query)
        return None if found is None else http.respond(found.status, found.headers, found.body)

    def _lasting(self, asked: HttpRequest) -> str | None:
        """Return a page's address at the name that all servers share, unless it was requested there.

        A page connects to its own host only: after its server has died, it could not find the others.
        """
        common = self._settings.common_host
        if not common:
            return None
        origin = urlsplit(http.origin_of(asked.request))
        host, colon, port = origin.netloc.lower().partition(":")
        if host != self._settings.own_host:
            return None
        return f"{origin.scheme}://{common}{colon}{port}{asked.request.path}"

    def _origin_for_others(self, asked: HttpRequest) -> str | None:
        """Return the origin at which other devices reach this server; ``None`` if none is known."""
        host, port = asked.local
        return http.origin_for_others(
            asked.request, self._settings.hosts, host, partial(self._network_origin, port)
        )

    def _network_origin(self, local_port: int, scheme: str, port: int) -> str | None:
        """Return the server's origin on its network; ``None`` if it has none, or if a port was forwarded."""
        from racing_demon_server.network_interfaces import reachable  # noqa: PLC0415 - seldom needed

        settings = self._settings
        if settings.join_urls:  # the operator knows best
            named = urlsplit(settings.join_urls[0])
            return f"{'https' if named.scheme == 'wss' else 'http'}://{named.netloc}"
        if port not in {local_port, *settings.shards.ports}:
            return None
        addresses = [each.ip for each in reachable(settings.host, os.environ) if not each.is_loopback]
        return f"{scheme}://{bracketed(str(addresses[0]))}:{port}" if addresses else None


def accept(_: HttpRequest) -> None:
    """Accept a WebSocket."""


@lru_cache(maxsize=MAX_QR_CODES)
def _cached_qr_code(address: str) -> bytes:
    """Return the QR code of a table's address as SVG, and keep it."""
    return _draw_qr_code(address)


def _draw_qr_code(address: str) -> bytes:
    """Return the QR code of an address as SVG, which is not kept."""
    import segno  # noqa: PLC0415 - a server starts without it

    drawn = io.BytesIO()
    segno.make_qr(address, error="m").save(drawn, kind="svg", border=QR_QUIET_ZONE, xmldecl=False)
    return drawn.getvalue()
