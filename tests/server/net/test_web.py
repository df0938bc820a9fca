"""The browser's table as it is served: its files, what browsers may keep, and who may connect from a page."""

import asyncio
import gzip
import io
import json
import re
from http.client import HTTPConnection, HTTPResponse
from importlib.resources import files
from importlib.resources.abc import Traversable
from posixpath import dirname, join, normpath
from typing import Final

import pytest
import segno
from rcssmin import cssmin
from rjsmin import jsmin
from websockets.asyncio.client import connect
from websockets.exceptions import InvalidStatus
from websockets.typing import Origin, Subprotocol

from racing_demon_protocol.wire.codec import Encoding
from racing_demon_protocol.wire.messages import client as cl
from racing_demon_protocol.wire.options import Options
from racing_demon_protocol.wire.saved_presets import listed, new_preset
from racing_demon_server.net.assets import Assets
from tests.support.cases import for_each
from tests.support.servers import PATIENCE, Peer, Served, serving

PAGE: Final = b'<script type="module" src="{assets}/main.js"></script>'
FILES: Final = {"index.html": PAGE, "main.js": b"1;" * 500}
PACKED: Final = {"accept-encoding": "gzip"}
FIRST: Final = ("index.html", "style.css", "icons/icon.svg")
"""What a browser loads of the page besides its scripts, before somebody can play."""
IMPORT: Final = re.compile(r'^(?:import|export)\b[^;("]*"(\.[^"]+)"', re.MULTILINE)
MINIFIERS: Final = {"css": cssmin, "js": jsmin}
"""As the wheel's, in `hatch_build.py`."""
CLUB: Final = "https://club.example.org"
BUDGET: Final = 60_000
"""So many bytes a browser may load, packed, before somebody can play."""


async def get(served: Served, path: str, host: str = "", **headers: str) -> tuple[HTTPResponse, bytes]:
    """Return the answer to a request of a browser, and its body."""

    def ask() -> tuple[HTTPResponse, bytes]:
        connection = HTTPConnection("127.0.0.1", served.port, timeout=PATIENCE)
        try:
            named = {name.replace("_", "-"): value for name, value in headers.items()}
            connection.request("GET", path, headers={"Host": host or f"127.0.0.1:{served.port}", **named})
            answer = connection.getresponse()
            return answer, answer.read()
        finally:
            connection.close()

    return await asyncio.to_thread(ask)


def picture_of(address: str) -> bytes:
    """Return the QR code of an address, as the server draws it."""
    drawn = io.BytesIO()
    segno.make_qr(address, error="m").save(drawn, kind="svg", border=2, xmldecl=False)
    return drawn.getvalue()


def imported(page: Traversable) -> set[str]:
    """Return the paths of the page's script, and of all that it imports before it runs."""
    found, left = set[str](), ["main.js"]
    while left:
        path = left.pop()
        if path not in found:
            found.add(path)
            names = IMPORT.findall(page.joinpath(path).read_text("utf-8"))
            left += [normpath(join(dirname(path), name)) for name in names]
    return found


def loads(page: bytes) -> list[str]:
    """Return the paths that a page names."""
    return re.findall(r'(?:src|href)="(/web/[^"]+)"', page.decode())


NODE: Final = {
    "hosts": ("cards.example.org", "n1.cards.example.org"),
    "public_urls": ("wss://n1.cards.example.org",),
}
"""One of several servers that share a name."""


@for_each(
    ("host", "path", "location"),
    [
        ("n1.cards.example.org", "/BCDFGHJK?tv", "https://cards.example.org/BCDFGHJK?tv"),
        ("N1.cards.example.org:8443", "/", "https://cards.example.org:8443/"),
        ("cards.example.org", "/BCDFGHJK", None),
        ("127.0.0.1", "/BCDFGHJK", None),
        ("n1.cards.example.org", "/sw.js", None),
        ("n1.cards.example.org", "/healthz", None),
    ],
)
async def test_a_page_is_at_the_name_that_outlives_a_server(
    host: str, path: str, location: str | None
) -> None:
    """Where a server of several has a name of its own, browsers are led to the name of all."""
    async with serving(**NODE) as served:
        answer, _ = await get(served, path, host, X_Forwarded_Proto="https")
    assert (answer.status, answer.headers["Location"]) == (307 if location else 200, location)


@for_each("path", ["/", "/BCDF", "/bcdf?tv"])
async def test_the_page_is_at_the_root_and_at_every_code(path: str) -> None:
    """It is the same page, which browsers ask for each time, under a strict policy."""
    async with serving() as served:
        answer, body = await get(served, path)
        assert (answer.status, answer.headers["Cache-Control"]) == (200, "no-cache")
        assert b"<title>Racing Demon</title>" in body
        policy = answer.headers["Content-Security-Policy"]
        assert "default-src 'none'; script-src 'self'; style-src 'self'" in policy
        assert "require-trusted-types-for 'script'" in policy
        assert "unsafe" not in policy


async def test_what_the_page_loads_is_kept_for_a_year() -> None:
    """Each file lies below a directory that is named by the digest of all, and is packed for who asks."""
    async with serving() as served:
        _, page = await get(served, "/")
        paths = loads(page)
        assert len(paths) == 4
        for path in paths:
            answer, body = await get(served, path, Accept_Encoding="gzip, br")
            assert (answer.status, answer.headers["Content-Encoding"]) == (200, "gzip")
            assert "immutable" in answer.headers["Cache-Control"]
            _, plain = await get(served, path)
            assert plain == gzip.decompress(body)


@for_each("path", ["/manifest.webmanifest", "/sw.js"])
async def test_what_installs_the_page_names_its_files(path: str) -> None:
    """The manifest and the worker lie beside the page, and name the files of its version."""
    async with serving() as served:
        _, page = await get(served, "/")
        folder = next(path for path in loads(page) if path.endswith("/main.js")).rpartition("/")[0]
        answer, body = await get(served, path)
        assert (answer.status, answer.headers["Cache-Control"]) == (200, "no-cache")
        assert folder.encode() in body
        for icon in re.findall(r'"src": "([^"]+)"', body.decode()):
            assert (await get(served, icon))[0].status == 200


@for_each(
    ("at", "start"),
    [
        ("BCDF", "BCDF"),
        ("BCDF%23name%3DZo%25C3%25AB%2B*_-.", "BCDF#name=Zo%C3%AB+*_-."),
        ("%23name=Ann", "#name=Ann"),
        ("", ""),
        ("BC", ""),
        ("//evil.example", ""),
        ("BCDF%22,%22scope%22:%22/", ""),
        ("BCDF%23name=%22", ""),
        ("BCDF%23name=%C3%AB", ""),
        ("BCDF%23seat=" + "0" * 64, ""),
        ("BCDF%23name=" + "x" * 301, ""),
    ],
)
@for_each("base", ["", "/games/cards"])
async def test_an_icon_opens_a_table_and_nothing_else(at: str, start: str, base: str) -> None:
    """The manifest starts where the page asks, below its path, or at the page if that is no table or name."""
    async with serving(base_path=base) as served:
        answer, body = await get(served, f"{base}/manifest.webmanifest?at={at}")
        manifest = json.loads(body)
        assert (answer.status, manifest["start_url"], manifest["id"]) == (200, f"{base}/{start}", f"{base}/")


async def test_a_page_that_a_browser_has_is_not_sent_again() -> None:
    """Its tag is asked for; while it is the same, the answer has no body."""
    async with serving() as served:
        first, _ = await get(served, "/")
        again, body = await get(served, "/", If_None_Match=first.headers["ETag"])
        assert (again.status, body) == (304, b"")


@for_each("path", ["/web/0123456789abcdef/main.js", "/../settings.py", "/main.js", "/A/B"])
async def test_other_paths_are_not_there(path: str) -> None:
    """Neither a file of another version, nor anything beside the files, is answered."""
    async with serving() as served:
        answer, _ = await get(served, path)
        assert answer.status == 404


async def test_a_server_without_the_page_has_none() -> None:
    """With ``--no-web`` the port is for programs alone."""
    async with serving(web=False) as served:
        answer, _ = await get(served, "/")
        assert answer.status == 404


BASE: Final = "/games/cards"


@for_each(
    ("path", "status"),
    [
        *((f"{BASE}{path}", 200) for path in ("/", "/BCDF", "/new", "/scores", "/tables.json", "/sw.js")),
        *((f"{BASE}{path}", 200) for path in ("/healthz", "/metrics", "/origin.json")),
        *((path, 200) for path in ("/healthz", "/metrics")),
        (BASE, 307),
        *((path, 404) for path in ("/", "/BCDF", "/tables.json", "/v1", "/sw.js", "/scores", "/games")),
        *(
            (path, 404)
            for path in (f"{BASE}x", f"{BASE}{BASE}/", f"/x{BASE}/", "/games//cards/", f"/{BASE}/")
        ),
        *((path, 404) for path in (f"{BASE}/../cards/", "/GAMES/CARDS/", f"{BASE}//")),
    ],
)
async def test_all_pages_are_below_a_path(path: str, status: int) -> None:
    """Where the server has one, nothing is without it but what monitors ask this machine for."""
    async with serving(base_path=BASE) as served:
        answer, _ = await get(served, path)
    assert (answer.status, answer.headers["Location"]) == (status, f"{BASE}/" if status == 307 else None)


async def test_what_the_page_loads_is_below_its_path() -> None:
    """The page, the manifest and the worker name no file outside of it; the game is there alone."""
    async with serving(base_path=BASE) as served:
        _, page = await get(served, f"{BASE}/BCDF")
        _, manifest = await get(served, f"{BASE}/manifest.webmanifest")
        _, worker = await get(served, f"{BASE}/sw.js")
        named = re.findall(r'(?:src|href|start_url|scope)"?[=:] ?"(/[^"]*)"', f"{page!r}{manifest!r}")
        assert len(named) == 10
        for path in named:
            assert path.startswith(f"{BASE}/")
            assert (await get(served, path))[0].status == 200
        assert b"{base}" not in page + manifest + worker
        async with Peer.hosting(served.url):
            pass
        with pytest.raises(InvalidStatus):
            await connect(served.url.replace(BASE, ""))


async def test_a_link_below_a_path_keeps_its_letters() -> None:
    """The path may tell capitals from others, so only the host of a QR code is written in capitals."""
    there = ("wss://cards.example.org/games/cards/v1",)
    async with serving(base_path=BASE, public_urls=there, host="127.0.0.1") as served:
        _, drawn = await get(served, f"{BASE}/qr/BCDF.svg", "localhost")
    assert drawn == picture_of(f"HTTPS://CARDS.EXAMPLE.ORG{BASE}/BCDF")


def test_files_of_other_versions_lie_elsewhere() -> None:
    """A byte changed in one file changes where all are, so that no page loads another version's."""
    before, after = Assets(FILES), Assets({**FILES, "main.js": b"2;" * 500})
    old, new = before.answer("/", {}), after.answer("/", {})
    assert old is not None
    assert new is not None
    assert old.body != new.body
    (path,) = loads(old.body)
    assert before.answer(path, {}) is not None
    assert after.answer(path, {}) is None


def test_all_files_fit_the_budget() -> None:
    """A phone on a slow line has the whole table of an installed server within seconds."""
    page = files("racing_demon_web")
    paths = [*FIRST, *imported(page)]
    minified = {
        path: MINIFIERS.get(path.rpartition(".")[2], str)(page.joinpath(path).read_text("utf-8")).encode()
        for path in paths
    }
    assets = Assets(minified)
    index = assets.answer("/", {})
    assert index is not None
    folder = loads(index.body)[-1].removesuffix("/main.js")
    others = [f"{folder}/{path}" for path in paths if path != "index.html"]
    answers = [assets.answer(path, PACKED) for path in ("/", *others)]
    sizes = [len(answer.body) for answer in answers if answer is not None]
    assert len(answers) == len(sizes), "some files are not where they were sought"
    assert BUDGET / 2 < sum(sizes) < BUDGET


# Finding a table.


@for_each("path", ["/", "/healthz", "/metrics", "/nothing", "/qr/BCDF.svg", "/tables.json", "/v1"])
async def test_no_answer_is_framed_or_taken_for_another_kind(path: str) -> None:
    """Another site can neither show an answer of this server in a frame, nor have it run as a script."""
    async with serving() as served:
        answer, _ = await get(served, path)
        assert "frame-ancestors 'none'" in (answer.headers["Content-Security-Policy"] or "")
        assert answer.headers["X-Content-Type-Options"] == "nosniff"


@for_each(
    ("path", "ancestors"),
    [
        ("/BCDF?watch", CLUB),
        ("/BCDF?tv", CLUB),
        ("/bcdf?overlay=1", CLUB),
        ("/BCDF", "'none'"),
        ("/BCDF?seat=1&watched", "'none'"),
        ("/?tv", "'none'"),
        ("/new?watch", "'none'"),
        ("/qr/BCDF.svg?watch", "'none'"),
        ("/healthz?watch", "'none'"),
    ],
)
async def test_sites_that_are_named_frame_tables_that_are_watched(path: str, ancestors: str) -> None:
    """The policy of those addresses names the sites; nothing else may be framed by anybody."""
    async with serving(embeds=(CLUB,)) as served:
        answer, _ = await get(served, path)
        (told,) = re.findall("frame-ancestors ([^;]*)", answer.headers["Content-Security-Policy"] or "")
        assert told == ancestors


async def test_a_tables_address_is_drawn_for_cameras() -> None:
    """The picture holds the address that the browser has asked for, with the code behind it."""
    async with serving() as served:
        answer, body = await get(served, "/qr/BCDF.svg", f"192.0.2.5:{served.port}")
        assert (answer.status, answer.headers["Content-Type"]) == (200, "image/svg+xml")
        assert picture_of(f"HTTP://192.0.2.5:{served.port}/BCDF") == body


async def test_no_picture_leads_others_to_themselves() -> None:
    """A server that only this machine reaches has no address for others, and says so."""
    async with serving() as served:
        answer, _ = await get(served, "/qr/BCDF.svg")
        assert answer.status == 404
        assert json.loads((await get(served, "/origin.json"))[1]) == {"origin": None}
    async with serving(public_urls=("wss://cards.example.org",)) as served:
        assert json.loads((await get(served, "/origin.json"))[1]) == {"origin": "https://cards.example.org"}


async def test_tables_are_listed_where_the_server_tells_them() -> None:
    """A browser without a code is shown what is open, and who has opened it."""
    async with serving(lists_tables=True) as served, Peer.hosting(served.url, seats=4):
        _, body = await get(served, "/tables.json")
        (told,) = json.loads(body)
        assert tuple(told[key] for key in ("host", "game", "players", "seats")) == (
            "Ann",
            "racing-demon",
            1,
            4,
        )
        assert (told["locked"], told["running"], told["names"]) == (False, False, [[0, "Ann"]])
        assert told["options"]["seats"] == 4


async def test_a_locked_table_is_listed_without_a_free_seat() -> None:
    """So clients of any age send nobody there to be refused, and offer to watch."""
    async with serving(lists_tables=True) as served, Peer.hosting(served.url, seats=4) as ann:
        await ann.ask(cl.CloseEntry)
        (told,) = json.loads((await get(served, "/tables.json"))[1])
        assert (told["players"], told["seats"]) == (1, 1)


async def test_an_unlisted_table_is_found_by_its_code_alone() -> None:
    """A stranger who practises is in no list, and a friend whom they tell the code sits down."""
    unlisted = cl.Create(name="Ann", listed=False)
    async with serving(lists_tables=True) as served, Peer.entered(served.url, unlisted) as ann:
        assert json.loads((await get(served, "/tables.json"))[1]) == []
        async with Peer.entered(served.url, cl.Join(code=ann.code, name="Ben")) as ben:
            assert ben.place.seat == 1
        told = json.loads((await get(served, f"/tables/{ann.code}.json"))[1])
        assert (told["host"], told["names"]) == ("Ann", [[0, "Ann"], [1, "Ben"]])
        assert json.loads((await get(served, "/tables/BBBB.json"))[1]) is None


async def test_a_server_shows_presets_of_its_own() -> None:
    """Whoever opens a table there is shown them, with a title, a sentence and the options."""
    ours = new_preset("Club night", Options(game="classic", reserve=11))
    async with serving(presets=(ours,)) as served:
        (told,) = json.loads((await get(served, "/presets.json"))[1])
        assert told == {
            "name": "club-night",
            "title": "Club night",
            "text": "",
            "options": {"game": "classic", "reserve": 11},
        }
        assert [told] == listed([ours])


async def test_tables_are_nobodys_business_elsewhere() -> None:
    """A server that does not announce its tables lists none to browsers, either."""
    async with serving() as served, Peer.hosting(served.url):
        answer, body = await get(served, "/tables.json")
        assert (answer.status, json.loads(body)) == (200, [])


# Who may connect.


async def handshake(served: Served, origin: str, host: str = "") -> int:
    """Return the status of a handshake from a page; a name is dialled as where it leads here."""
    dialled = connect(
        f"ws://{host or f'127.0.0.1:{served.port}'}/v1",
        subprotocols=[Subprotocol(Encoding.JSON)],
        origin=Origin(origin),
        host="127.0.0.1",
        port=served.port,
    )
    try:
        async with dialled:
            return 101
    except InvalidStatus as refused:
        return refused.response.status_code


async def test_the_own_page_may_connect() -> None:
    """A page of this server's own address and port plays like any program."""
    async with serving() as served:
        assert await handshake(served, f"http://127.0.0.1:{served.port}") == 101


@for_each(
    "origin",
    ["http://evil.example", "null", "http://127.0.0.1", "http://127.0.0.1:1", "file://", "http://[::1"],
)
async def test_pages_of_others_may_not_connect(origin: str) -> None:
    """Another site, another port and a page without an origin would play without its visitor's asking."""
    async with serving() as served:
        assert await handshake(served, origin) == 403


async def test_a_strangers_name_that_leads_here_may_not_connect() -> None:
    """A name that its owner has made to lead here (DNS rebinding) is not this server's, though it agrees."""
    async with serving() as served:
        host = f"evil.example:{served.port}"
        assert await handshake(served, f"http://{host}", host) == 403
        answer, _ = await get(served, "/", host)
        assert answer.status == 421


async def test_a_name_that_the_operator_gave_may_connect() -> None:
    """Behind a proxy the page has the server's public name, and https."""
    async with serving(hosts=("cards.example.org",)) as served:
        assert await handshake(served, "https://cards.example.org", "cards.example.org") == 101
        answer, _ = await get(served, "/", "cards.example.org")
        assert answer.status == 200
