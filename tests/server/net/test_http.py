"""Whom the server's port answers by plain HTTP: by which names, for which pages, and how often."""

import asyncio
import json
import socket
from datetime import UTC
from email.utils import parsedate_to_datetime
from http import HTTPStatus
from typing import Final
from urllib.request import urlopen

from websockets.datastructures import Headers
from websockets.http11 import Request

from racing_demon_protocol.wire.codec import Encoding
from racing_demon_server.journal.null_journal import NullJournal
from racing_demon_server.net.handler import MetricsHooks
from racing_demon_server.net.http import (
    dialled_schemes,
    is_allowed_host,
    is_own_name,
    is_own_page,
    origin_for_others,
    origin_of,
    respond,
    sockets,
)
from racing_demon_server.net.origin import networks
from racing_demon_server.net.routes import METRICS_KEPT_US, POSSIBLE_CODE
from racing_demon_server.settings import ServerSettings
from racing_demon_server.sharding import ALONE, Shards
from racing_demon_server.tables.registry import Registry
from tests.support.cases import for_each
from tests.support.clocks import Standing
from tests.support.servers import PATIENCE, Peer, serving, start, timeout

SEVERAL = Shards(number=1, ports=(5001, 5002))
NAMED = ("Cards.example.org",)
MACHINE = socket.gethostname()


def asking(*hosts: str, origins: tuple[str, ...] = ()) -> Request:
    """Return a request for these hosts, from pages of these origins."""
    named = [("Host", host) for host in hosts]
    return Request("/v1", Headers([*named, *(("Origin", origin) for origin in origins)]))


def fetch(url: str) -> str:
    """Return a page."""
    with urlopen(url, timeout=PATIENCE) as page:  # noqa: S310 - our own server's
        return str(page.read().decode())


@for_each(
    ("host", "hosts", "is_own"),
    [
        ("127.0.0.1:5001", (), True),
        ("[::1]:5001", (), True),
        ("[2001:db8::1]", NAMED, True),
        ("LocalHost:5001", (), True),
        (f"{MACHINE.upper()}:5001", (), True),
        (f"{MACHINE.partition('.')[0]}.local", (), True),
        *(
            (f"{MACHINE.partition('.')[0]}{ending}:5001", (), True)
            for ending in (".lan", ".home.arpa", ".fritz.box", ".home", ".internal", ".local.", ".LAN", ".")
        ),
        ("localhost.:5001", (), True),
        ("other.lan", (), False),
        ("lan", (), False),
        (f"{MACHINE.partition('.')[0]}.lan.example", (), False),
        (f"{MACHINE}.lan", NAMED, False),
        ("cards.example.org.", NAMED, True),
        (f"{MACHINE}.example", (), False),
        (f"{MACHINE}:5001", NAMED, False),
        (" cards.EXAMPLE.org ", NAMED, True),
        ("cards.example.org", (), False),
        ("example.org", NAMED, False),
        ("", (), False),
    ],
)
def test_names_that_nobody_else_can_lead_here(host: str, hosts: tuple[str, ...], is_own: bool) -> None:
    """Addresses, what the operator has given, and where nothing was given the names of the machine."""
    assert is_own is is_own_name(asking(host), hosts)


def test_whoever_names_no_host_or_two_means_nobody() -> None:
    """A proxy and a server could each take another of two for the one that is meant."""
    for request in (asking(), asking("127.0.0.1", "127.0.0.1")):
        assert not is_own_name(request, ())
        assert not is_allowed_host(request, NAMED)
        assert is_allowed_host(request, ())


@for_each(
    ("host", "origin", "is_own"),
    [
        ("127.0.0.1:5001", "http://127.0.0.1:5001", True),
        ("127.0.0.1:5001", "HTTPS://127.0.0.1:5001", True),
        ("127.0.0.1:5001", "http://127.0.0.1:5002", True),
        ("127.0.0.1:5001", "http://127.0.0.1:5000", True),
        ("127.0.0.1:5001", "https://127.0.0.1", True),
        ("127.0.0.1:5443", "http://127.0.0.1:5443", True),
        ("127.0.0.1:5001", "http://127.0.0.1:5003", False),
        ("127.0.0.1:5001", "http://127.0.0.1", False),
        ("127.0.0.1:5001", "ws://127.0.0.1:5001", False),
        ("127.0.0.1:5001", "http://localhost:5001", False),
        ("127.0.0.1:5001", "http://127.0.0.1:x", False),
        ("[::1]:5001", "http://[::1]:5002", True),
        ("127.0.0.1", "https://127.0.0.1", True),
        ("127.0.0.1", "https://127.0.0.1:5001", False),
        ("evil.example:5001", "http://evil.example:5001", False),
    ],
)
def test_pages_that_this_server_has_served(host: str, origin: str, is_own: bool) -> None:
    """Those of its own host, and of its own port, that of another of its processes, or that of all."""
    assert is_own is is_own_page(asking(host, origins=(origin,)), (), SEVERAL, 5000)


HTTPS: Final = {"X-Forwarded-Proto": "https"}
TWO: Final = {"X-Forwarded-For": "203.0.113.7, 10.0.0.2"}
BOTH: Final = {"ws", "wss"}


@for_each(
    ("host", "peer", "headers", "published", "schemes"),
    [
        ("cards.example", "203.0.113.7", {}, (), BOTH),
        ("cards.example", "10.0.0.1", HTTPS, (), {"wss"}),
        ("cards.example", "203.0.113.7", HTTPS, (), BOTH),
        ("cards.example", "10.0.0.1", {"X-Forwarded-Proto": "WSS"}, (), {"wss"}),
        ("cards.example", "10.0.0.1", {"Forwarded": 'for="203.0.113.7";proto=https'}, (), {"wss"}),
        ("cards.example", "10.0.0.1", {"X-Forwarded-Proto": "http"}, (), BOTH),
        ("cards.example", "10.0.0.1", {"X-Forwarded-Proto": "http, https"}, (), {"wss"}),
        ("cards.example", "10.0.0.1", {"X-Forwarded-Proto": "https, http", **TWO}, (), {"wss"}),
        ("cards.example", "10.0.0.1", {"X-Forwarded-Proto": "http, https, http", **TWO}, (), {"wss"}),
        ("cards.example", "203.0.113.7", {}, ("wss://cards.example/v1",), {"wss"}),
        ("Cards.example:443", "203.0.113.7", {}, ("https://cards.example",), {"wss"}),
        ("cards.example:5252", "203.0.113.7", {}, ("wss://cards.example",), BOTH),
        ("cards.example:5252", "10.0.0.1", HTTPS, ("ws://cards.example:5252",), {"ws"}),
        ("cards.example", "10.0.0.1", {"X-Forwarded-Proto": "http"}, ("wss://cards.example",), {"wss"}),
        ("192.168.1.5:5252", "192.168.1.9", {}, ("wss://cards.example",), BOTH),
        ("", "203.0.113.7", HTTPS, ("nonsense", ""), BOTH),
    ],
)
def test_the_scheme_that_a_client_has_dialled(
    host: str, peer: str, headers: dict[str, str], published: tuple[str, ...], schemes: set[str]
) -> None:
    """As the operator has published it for the host, or else a trusted proxy says; else nobody knows it."""
    request = asking(host)
    for name, value in headers.items():
        request.headers[name] = value
    assert set(dialled_schemes(request, peer, networks(["10.0.0.0/30"]), published)) == schemes


@for_each(
    ("origin", "schemes", "is_own"),
    [
        ("http://127.0.0.1:5001", ("wss",), False),
        ("https://127.0.0.1:5001", ("wss",), True),
        ("http://127.0.0.1:5001", ("ws", "wss"), True),
        ("https://127.0.0.1:5001", ("ws",), True),
    ],
)
def test_a_page_without_tls_is_nobody_s_where_the_server_has_tls(
    origin: str, schemes: tuple[str, ...], is_own: bool
) -> None:
    """Whoever is on the network can answer for it, and would play in its visitors' names."""
    assert is_own is is_own_page(asking("127.0.0.1:5001", origins=(origin,)), (), SEVERAL, 5000, schemes)


def test_a_page_that_has_two_origins_is_a_strangers() -> None:
    """No browser sends two, so one of them was put there by somebody else; a program sends none."""
    own = "http://127.0.0.1:5001"
    assert not is_own_page(asking("127.0.0.1:5001", origins=(own, own)), (), SEVERAL, 5000)
    assert not is_own_page(asking("127.0.0.1:5001", "127.0.0.1:5001", origins=(own,)), (), SEVERAL, 5000)
    assert is_own_page(asking(), NAMED, SEVERAL, 5000)


@for_each(("host", "shown"), [("127.0.0.1:5001", "127.0.0.1"), ("[::1]:5001", "[::1]")])
def test_a_page_may_connect_to_all_processes(host: str, shown: str) -> None:
    """With and without TLS, at the host that its browser has asked for; one process needs no word."""
    expected = {f"{scheme}://{shown}:{port}" for scheme in ("ws", "wss") for port in SEVERAL.ports}
    assert expected == set(sockets(asking(host), SEVERAL))
    assert sockets(asking(host), ALONE) == []


async def test_metrics_are_written_down_once_a_second_at_the_most() -> None:
    """However many ask for them: who reads them often has those of the same second, and no more is spent."""
    time, settings = Standing(), ServerSettings(port=0)
    written: list[int] = []

    def write(connections: int, _listeners: int) -> str:
        written.append(connections)
        return f"number {len(written)}\n"

    registry = Registry(settings, time, NullJournal())
    meter = MetricsHooks(write, lambda _why: None, lambda _reason: None)
    server = await start(settings, registry, time, meter)
    port = server.port
    try:
        url = f"ws://127.0.0.1:{port}/v1"
        async with Peer.hosting(url), Peer.connect(url, Encoding.JSON) as other:
            await other.greet()
            told = []
            for seconds in (0, 0, (METRICS_KEPT_US - 1) / 1e6, 1e-6):
                time.move(seconds)
                told.append(await asyncio.to_thread(fetch, f"http://127.0.0.1:{port}/metrics"))
        assert told == ["number 1\n"] * 3 + ["number 2\n"]
        assert written == [2, 2]
    finally:
        server.close()
        await timeout(PATIENCE, server.wait_closed())
        registry.close()


async def test_the_health_tells_which_process_answers() -> None:
    """Beside the status and the number of tables, where a server has several processes."""
    async with serving() as alone, serving(shards=SEVERAL) as one:
        pages = [await asyncio.to_thread(fetch, f"{each.origin}/healthz") for each in (alone, one)]
    told = {"status": "ok", "tables": 0}
    assert list(map(json.loads, pages)) == [told, {**told, "process": 1, "ports": [5001, 5002]}]


@for_each(("page", "found"), [("stats", True), ("BCDF", False)])
def test_no_page_has_the_path_of_a_table(page: str, found: bool) -> None:
    """Codes have no vowels, and pages must."""
    assert (POSSIBLE_CODE.fullmatch(f"/{page}") is None) is found


def test_an_answer_has_a_date_and_a_length_and_ends_its_connection() -> None:
    """As RFC 9110 wants it (6.6.1, 8.6), in GMT."""
    answer = respond(HTTPStatus.OK, [("Vary", "Host")], b"abc")
    assert tuple(answer.headers[name] for name in ("Connection", "Content-Length", "Vary")) == (
        "close",
        "3",
        "Host",
    )
    assert answer.headers["Date"].endswith(" GMT")
    assert UTC is parsedate_to_datetime(answer.headers["Date"]).tzinfo
    assert (answer.status_code, answer.reason_phrase, answer.body) == (200, "OK", b"abc")


@for_each(
    ("name", "value", "scheme"),
    [
        ("Via", "1.1 proxy", "http"),
        ("X-Forwarded-Proto", "http", "http"),
        ("X-Forwarded-Proto", "https", "https"),
        ("X-Forwarded-Proto", "HTTPS", "https"),
        ("X-Forwarded-Proto", "wss", "https"),
        ("X-Forwarded-Proto", "https,http", "https"),
        ("X-Forwarded-Proto", "https, https", "https"),
        ("X-Forwarded-Proto", "http, https", "http"),
        ("Forwarded", "for=203.0.113.9;proto=https;host=cards.example.org", "https"),
        ("Forwarded", 'for="[2001:db8::9]:4711" ; Proto="HTTPS", for=10.0.0.1;proto=http', "https"),
        ("Forwarded", "for=203.0.113.9", "http"),
        ("Forwarded", "proto", "http"),
    ],
)
def test_an_origin_is_what_the_browser_sees(name: str, value: str, scheme: str) -> None:
    """Of several proxies, the first has spoken with the browser; it says whether that was by https."""
    request = asking(" cards.example.org:81 ")
    request.headers[name] = value
    assert f"{scheme}://cards.example.org:81" == origin_of(request)


@for_each(
    ("host", "local", "headers", "origin"),
    [
        ("192.168.1.5:5252", "192.168.1.5", {}, "http://192.168.1.5:5252"),
        ("localhost:5252", "127.0.0.1", {}, "http://192.0.2.5:5252"),
        ("LOCALHOST.:5252", "::1", {}, "http://192.0.2.5:5252"),
        ("127.0.0.1:5252", "127.0.0.1", {}, "http://192.0.2.5:5252"),
        ("127.8.8.8:5252", "127.8.8.8", {}, "http://192.0.2.5:5252"),
        ("[::1]:5252", "::1", {}, "http://192.0.2.5:5252"),
        (f"{MACHINE}:5252", "127.0.1.1", {}, "http://192.0.2.5:5252"),
        (f"{MACHINE}:5252", "192.168.1.5", {}, f"http://{MACHINE}:5252"),
        ("localhost:8080", "172.17.0.2", {}, None),
        ("localhost", "127.0.0.1", {"X-Forwarded-For": "127.0.0.1"}, None),
        ("192.168.1.5", "127.0.0.1", {"X-Forwarded-Proto": "https"}, "https://192.168.1.5"),
        ("cards.example.org", "127.0.0.1", {"Forwarded": "proto=https"}, "https://cards.example.org"),
    ],
)
def test_others_are_led_to_where_they_reach_the_server(
    host: str, local: str, headers: dict[str, str], origin: str | None
) -> None:
    """A name that leads each device to itself leads nobody here; behind a forwarded port nothing is known."""
    request = asking(host)
    request.headers.update(headers)
    found = origin_for_others(request, NAMED, local, lambda scheme, port: f"{scheme}://192.0.2.5:{port}")
    assert origin == found
