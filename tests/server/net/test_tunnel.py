"""What strangers can and can't do at the address of a tunnel, over real sockets."""

import gc
import json
import logging
import sqlite3
import urllib.error
import urllib.request
from asyncio import to_thread
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import AsyncExitStack, asynccontextmanager, closing
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from websockets.exceptions import InvalidStatus

from racing_demon_protocol.enums import CloseCode, Reason
from racing_demon_protocol.wire.messages import client as cl
from racing_demon_protocol.wire.messages.server import Refused, Seated
from racing_demon_protocol.wire.options import Options
from racing_demon_server.net.tunnel import Tunnel
from racing_demon_server.server import StopReason, TableServer
from racing_demon_server.settings import ServerSettings
from tests.support.people import SECRETS, enrolled
from tests.support.restartable_server import wait_until
from tests.support.servers import PATIENCE, Closing, Peer

NAME = "four-quiet-word-names.trycloudflare.com"
KEY = b"k" * 32
STRANGER = {"Host": NAME, "X-Forwarded-For": "8.8.4.4"}


class Tunneled(NamedTuple):
    """A server with a room's port and a tunnel's, and a table that Ann hosts in the room."""

    room: str
    tunnel: str
    ann: Peer

    @property
    def word(self) -> str:
        """What the invitation to Ann's table carries."""
        return Tunnel(KEY).word(self.ann.code)

    def stranger(self, name: str = NAME, **headers: str) -> Any:
        """Connect from the internet to a name that leads here."""
        sent = {"X-Forwarded-For": "8.8.4.4", **headers}
        host, _, port = self.tunnel.partition(":")
        return Peer.connect(f"ws://{name}/v1", host=host, port=int(port), additional_headers=sent)

    async def page(self, path: str, headers: Mapping[str, str] = STRANGER) -> tuple[int, str]:
        """Return what is answered to a request through the tunnel."""
        return await fetch(f"http://{self.tunnel}{path}", headers)


async def fetch(url: str, headers: Mapping[str, str]) -> tuple[int, str]:
    """Return the status and the body that a URL answers."""

    def get() -> tuple[int, str]:
        try:
            asked = urllib.request.Request(url, headers=dict(headers))  # noqa: S310 - our own server
            with urllib.request.urlopen(asked, timeout=PATIENCE) as response:  # noqa: S310
                return response.status, response.read().decode()
        except urllib.error.HTTPError as error:
            with error:
                return error.code, error.read().decode()

    return await to_thread(get)


class Observed(TableServer):
    """A server whose tunnel leads here, as if that had been seen at its address, and ends at a known port."""

    tunnel_port = 0

    async def keep_tunnel_open(self, tunnel: Tunnel, command: Sequence[str], port: int, address: str) -> None:
        """Invite people at once: the address is no real one."""
        self.tunnel_port = port
        tunnel.learn(address)
        tunnel.opened()


@asynccontextmanager
async def tunneled(**settings: Any) -> AsyncIterator[Tunneled]:
    """Run a server with a tunnel whose name is known."""
    chosen = {"tunnel_address": f"https://{NAME}", "tunnel_key": KEY, "lists_tables": True, **settings}
    server = Observed(ServerSettings(port=0, tunnel_port=0, entry_seconds=600.0, **chosen))
    gc.freeze()  # a starting server collects twice, and would look through all that the tests have
    room = await server.start()
    async with AsyncExitStack() as stack:
        stack.push_async_callback(server.stop, StopReason.TERMINATED)
        ann = await stack.enter_async_context(Peer.hosting(room))
        yield Tunneled(room.removeprefix("ws://").removesuffix("/v1"), f"127.0.0.1:{server.tunnel_port}", ann)


async def test_an_invitation_opens_the_table() -> None:
    """It is told the same word again, by which both clients return; the game goes on as in the room."""
    async with tunneled() as here, here.stranger() as ben:
        await ben.greet()
        seated = await ben.enter(cl.Join(code=here.word.lower(), name="Ben"))
        assert (seated.code, seated.seat) == (here.word, 1)
        async with here.stranger() as again:
            await again.greet()
            assert (await again.enter(cl.Resume(code=here.word, token=seated.token))).seat == 1
        async with here.stranger() as cid:
            await cid.greet()
            assert (await cid.enter(cl.Watch(code=here.word))).code == here.word


async def test_nothing_but_the_invitation_opens_a_table() -> None:
    """Neither the short code nor another word; the answer is the same where there is no such table."""
    async with tunneled() as here:
        requests = [
            request
            for code in (here.ann.code, Tunnel(b"x").word(here.ann.code), "BBBBBBBB")
            for request in (
                cl.Join(code=code, name="Eve"),
                cl.Watch(code=code),
                cl.Resume(code=code, token="0" * 64),
                cl.Join(code=code, name="Eve", token="0" * 64),
            )
        ]
        for request in requests:
            async with here.stranger() as eve:
                await eve.greet()
                await eve.say(request)
                refused = await eve.hear()
                assert isinstance(refused, Refused)
                assert refused.reason is Reason.UNKNOWN_TABLE
                assert refused.text.startswith("This invitation opens no table.")


async def test_the_token_of_a_seat_opens_it() -> None:
    """It is as long a secret as the invitation, and the link back to a seat may bring it."""
    async with tunneled() as here, here.stranger() as ann:
        await ann.greet()
        assert (await ann.enter(cl.Resume(code=here.ann.code, token=here.ann.token))).seat == 0


async def test_strangers_open_no_tables() -> None:
    """With and without a passphrase."""
    async with tunneled() as here, here.stranger() as eve:
        await eve.greet()
        for passphrase in ("", "sesame"):
            assert (
                await eve.refusal(cl.Create(name="Eve", options=Options(), passphrase=passphrase))
                is Reason.NOT_NOW
            )


async def test_guessing_ends_soon_and_hinders_nobody_who_is_invited() -> None:
    """Though the tunnel names nobody, so that the guesser and the guest share their limits."""
    async with tunneled(misses_per_minute=1e-6, miss_burst=2) as here:
        unnamed = {"X-Forwarded-For": "10.0.0.1"}
        answers = []
        for _ in range(3):
            async with here.stranger(**unnamed) as eve:
                await eve.greet()
                answers.append(await eve.refusal(cl.Join(code=here.ann.code, name="Eve")))
        assert answers == [Reason.UNKNOWN_TABLE, Reason.UNKNOWN_TABLE, Reason.TOO_FAST]
        async with here.stranger(**unnamed) as ben:
            await ben.greet()
            assert isinstance(await ben.enter(cl.Join(code=here.word, name="Ben")), Seated)


async def test_unnamed_players_are_counted_by_invitation(tmp_path: Path) -> None:
    """Who becomes known and takes no seat is forgotten, and keeps no friend from being remembered."""
    players = tmp_path / "players.sqlite"
    unnamed = {"X-Forwarded-For": "10.0.0.1"}

    def known() -> list[str]:
        with closing(sqlite3.connect(players)) as db:
            return [name for (name,) in db.execute("SELECT name FROM players ORDER BY name")]

    async with tunneled(players=players, players_per_day=2) as here:
        for number in range(3):
            async with here.stranger(**unnamed) as eve:
                await enrolled(eve, "Eve", SECRETS[number])
                await eve.say(cl.Enroll(name="Eva", secret=SECRETS[3], device="a test"))
                assert (await eve.until(Refused)).reason is Reason.TOO_FAST
        await wait_until(lambda: known() == [])
        async with AsyncExitStack() as stack:
            for number, name in enumerate(("Ben", "Cid", "Dot")):
                guest = await stack.enter_async_context(here.stranger(**unnamed))
                await enrolled(guest, name, SECRETS[number])
                await guest.enter(cl.Join(code=here.word, name=name))
            await wait_until(lambda: known() == ["Ben", "Cid"])
            assert guest.place.seat == 3


async def test_nobody_is_unlimited() -> None:
    """Loopback is: but not through the tunnel, whatever a client or the tunnel says."""
    async with tunneled(connections_per_address=1) as here:
        for forged in ("127.0.0.1", "::1", "192.168.1.5", "me", ""):
            headers = {"X-Forwarded-For": forged}
            async with here.stranger(**headers) as one, here.stranger(**headers) as two:
                await one.greet()
                full = Closing(CloseCode.FULL, "Too many connections from your address.")
                assert await two.closed() == full, forged
                async with here.stranger() as other:
                    await other.greet()  # whom the tunnel names


async def test_the_last_hop_counts() -> None:
    """What a client claims stands before what the tunnel has seen."""
    async with tunneled(connections_per_address=1) as here:
        first, second = ({"X-Forwarded-For": f"{claimed}, 8.8.4.4"} for claimed in ("1.1.1.1", "9.9.9.9"))
        async with here.stranger(**first) as one, here.stranger(**second) as two:
            await one.greet()
            assert (await two.closed()).code == CloseCode.FULL


async def test_requests_are_counted() -> None:
    """Plain HTTP through an anonymous tunnel is limited, too."""
    async with tunneled(units_per_address=0.01) as here:
        assert (await here.page("/healthz", {"Host": NAME}))[0] == 429


async def test_pages_of_the_room_are_not_there() -> None:
    """Metrics aren't, though they are public in the room, and though the request seems to be local."""
    async with tunneled(metrics_public=True) as here:
        code = here.ann.code
        for path in ("/metrics", f"/qr/{code}.svg", f"/internet/{code}.json", f"/internet/{code}.svg"):
            for headers in (STRANGER, {"Host": NAME}):
                assert (await here.page(path, headers))[0] == 404, path
        assert (await fetch(f"http://{here.room}/metrics", {}))[0] == 200


async def test_nobody_is_told_which_tables_there_are() -> None:
    """The room's list has the table; that of the tunnel is empty, and its health has no number."""
    async with tunneled() as here:
        assert here.ann.code in (await fetch(f"http://{here.room}/tables.json", {}))[1]
        assert await here.page("/tables.json") == (200, "[]\n")
        assert set(json.loads((await here.page("/healthz"))[1])) == {"status", "instance"}


async def test_no_other_name_is_answered() -> None:
    """Neither pages nor the game, not even at an address: only the name that was learned."""
    async with tunneled(hosts=("evil.example",)) as here:
        for host in ("127.0.0.1", "localhost", "evil.example", f"{NAME}.evil.example", f"x.{NAME}"):
            assert (await here.page("/", {"Host": host}))[0] == 421, host
            with pytest.raises(InvalidStatus, match="421"):
                async with here.stranger(host):
                    pass


async def test_no_name_is_answered_before_one_is_known() -> None:
    """A listener whose tunnel has not come up is closed to everybody."""
    async with tunneled(tunnel_address="") as here:
        for host in (NAME, "127.0.0.1", ""):
            assert (await here.page("/", {"Host": host}))[0] == 421


async def test_pages_of_other_sites_cannot_play() -> None:
    """A browser says where its page is from; only the tunnel's own may connect."""
    async with tunneled() as here:
        for origin in ("https://evil.example", f"http://{NAME}", f"https://{NAME}:8443", "null"):
            with pytest.raises(InvalidStatus, match="403"):
                async with here.stranger(Origin=origin):
                    pass
        async with here.stranger(Origin=f"https://{NAME}") as own:
            await own.greet()


async def test_the_page_is_served_and_knows_its_address() -> None:
    """Whatever the tunnel says of the scheme, it is https."""
    async with tunneled() as here:
        assert (await here.page("/"))[0] == 200
        assert await here.page("/origin.json") == (200, f'{{"origin": "https://{NAME}"}}\n')


async def test_the_room_shows_the_invitation_to_whoever_knows_the_code() -> None:
    """With its picture; others learn nothing, and cannot go on guessing."""
    async with tunneled(misses_per_minute=1e-6, miss_burst=2) as here:
        room, far = f"http://{here.room}/internet", {"X-Forwarded-For": "203.0.113.9"}
        status, body = await fetch(f"{room}/{here.ann.code}.json", far)
        link = f"https://{NAME}/#{here.word}"
        assert (status, json.loads(body)) == (200, {"link": link, "trouble": "", "counts_as_one": False})
        status, body = await fetch(f"{room}/{here.ann.code}.svg", far)
        assert (status, body[:4]) == (200, "<svg")
        assert [(await fetch(f"{room}/BBBB.json", far))[0] for _ in range(3)] == [404, 404, 429]


async def test_the_room_hears_that_the_tunnel_names_nobody() -> None:
    """Then all who come through it are one address."""
    async with tunneled() as here:
        await here.page("/", {"Host": NAME})
        _, body = await fetch(f"http://{here.room}/internet/{here.ann.code}.json", {})
        assert json.loads(body)["counts_as_one"] is True


async def test_no_secret_is_logged(caplog: pytest.LogCaptureFixture) -> None:
    """Neither words that open a table nor wrong ones."""
    caplog.set_level(logging.DEBUG)
    async with tunneled() as here, here.stranger() as ben, here.stranger() as eve:
        await ben.greet()
        await ben.enter(cl.Join(code=here.word, name="Ben"))
        await eve.greet()
        await eve.refusal(cl.Join(code=Tunnel(b"x").word("BBBB"), name="Eve"))
        logged = [vars(each) for each in caplog.records if each.name != "websockets.client"]
        for word in (here.word, Tunnel(b"x").word("BBBB")):
            assert word not in repr(logged)


def test_whoever_waits_reads_the_address_that_is_not_reached_yet() -> None:
    """Looking a new name up takes long; the tunnel has started before."""
    tunnel = Tunnel(KEY)
    tunnel.start()
    tunnel.learn(f"https://{NAME}")
    assert f"https://{NAME}" in tunnel.trouble
    assert "starting" not in tunnel.trouble
    tunnel.opened()
    assert not tunnel.trouble
