"""People who sign in at a proxy: believed where the operator has named it, and from nobody else."""

import hashlib
import json
from functools import partial
from pathlib import Path
from typing import Any, Final

from racing_demon_protocol.wire.messages import client as cl
from racing_demon_protocol.wire.messages.server import Devices
from racing_demon_server.enums import StandingsAccess
from racing_demon_server.match.names import INSTEAD
from racing_demon_server.players.directory import ID_LENGTH, SIGNED_IN
from tests.server.players.test_players import has_matches, players
from tests.support.people import SECRETS, enrolled, play_alone
from tests.support.results import HasUrl, get, page_with
from tests.support.servers import NEWEST, Peer
from tests.support.whole_servers import whole_server

HEADER = "X-Remote-User"
SETTINGS: Final[dict[str, Any]] = {"bot_speed": 100, "identity_header": HEADER}
OPEN: Final = {"standings": StandingsAccess.OPEN}
NAMED: Final[dict[str, Any]] = SETTINGS | {"identity_proxies": ("127.0.0.1",)}

GUEST = {"player": "", "name": "", "signed_in": False}


async def played(server: HasUrl, *said: str, name: str = "Somebody") -> None:
    """Play a match as a client that knows nothing of players, with headers as a proxy sends them."""
    headers = [(HEADER, each) for each in said]
    async with Peer.connect(server.url, additional_headers=headers) as peer:
        await peer.greet(NEWEST)
        await play_alone(peer, name)


async def people(server: HasUrl, matches: int) -> list[dict[str, Any]]:
    """Return the rows of people as soon as there are so many matches."""
    await page_with(server, "/v1/standings", partial(has_matches, matches))
    rows: list[dict[str, Any]] = json.loads((await get(server, "/v1/standings?people=1"))[1])["rows"]
    return rows


async def test_a_strangers_header_is_dropped(tmp_path: Path) -> None:
    """Who sends the header from this machine, or through a proxy that names addresses, is a guest."""
    journal = tmp_path / "journal.sqlite"
    async with whole_server(
        journal, **SETTINGS, **OPEN, identity_proxies=("192.0.2.7",), proxies=("127.0.0.1",)
    ) as (server, _):
        await played(server, "ann@example.org")
        (row,) = await people(server, 1)
        assert row["player"] == ""
        assert json.loads((await get(server, "/v1/you", **{HEADER: "ann@example.org"}))[1]) == GUEST
        assert (await players(journal)).strip() == "no players are remembered"


async def test_who_signs_in_at_a_named_proxy_is_a_player(tmp_path: Path) -> None:
    """The same word is the same player, under any name and after a restart, on pages too; two are none."""
    journal = tmp_path / "journal.sqlite"
    async with whole_server(journal, **NAMED, standings=StandingsAccess.PLAYERS) as (server, _):
        await played(server, "ann@example.org", name="Ann")
        await server.stop()
        await server.start()
        await played(server, "ann@example.org", name="Anna")
        for strange in (("ann@example.org", "ann@example.org"), ("a" * 201,), ("",)):
            await played(server, *strange)
        own = {HEADER: "ann@example.org"}
        found = await page_with(server, "/v1/standings", partial(has_matches, 5), **own)
        (row,) = [each for each in found["rows"] if not each["bot"]]
        assert (row["name"], row["matches"]) == ("Ann", 2)
        assert (await get(server, f"/v1/players/{row['player']}", **own))[0] == 200
        for headers in ({}, {HEADER: "eve@example.org"}, {"Authorization": "Bearer ann@example.org"}):
            assert (await get(server, "/v1/standings", **headers))[0] == 404


async def test_somebody_is_told_who_they_are(tmp_path: Path) -> None:
    """They are one by a proxy's word, or by a device's token; without them they are nobody."""
    journal = tmp_path / "journal.sqlite"
    async with whole_server(journal, **NAMED) as (server, _):
        own = {HEADER: "ann@example.org"}
        before = {"player": "", "name": "", "signed_in": True}
        assert json.loads((await get(server, "/v1/you", **own))[1]) == before
        await played(server, *own.values(), name="Ann")
        ann = await page_with(server, "/v1/you", lambda found: found["name"] == "Ann", **own)
        assert (len(ann["player"]), ann["signed_in"]) == (ID_LENGTH, True)
        async with Peer.connect(server.url) as peer:
            eve = await enrolled(peer, "Eve", SECRETS[0])
        bearer = {"Authorization": f"Bearer {eve.token}"}
        known = {"player": eve.player, "name": "Eve", "signed_in": False}
        assert json.loads((await get(server, "/v1/you", **bearer))[1]) == known
        assert json.loads((await get(server, "/v1/you"))[1]) == GUEST


async def test_a_name_from_a_proxy_is_looked_at_like_a_typed_one(tmp_path: Path) -> None:
    """A new player is called what the proxy says, as far as the operator's list and the rules let it."""
    journal = tmp_path / "journal.sqlite"
    said = {
        "ann@example.org": "ann@example.org",
        "Zoë": "Zoë",
        "A\u202enn": "Ann",
        "nаstу": INSTEAD,
        "Na\u115fsty": INSTEAD,
        "\u200b": INSTEAD,
    }
    async with whole_server(journal, **NAMED, forbidden_names=("nasty",)) as (server, _):
        for each in (*(each.encode().decode("latin-1") for each in said), "J\xfcrg"):  # that is no UTF-8
            header = (HEADER, each)
            async with Peer.connect(server.url, additional_headers=[header]) as peer:
                await peer.greet(NEWEST)
                await peer.say(cl.ListDevices())
                await peer.until(Devices)
        known = [json.loads(line) for line in (await players(journal, "--json")).splitlines()]
        assert sorted(each["name"] for each in known) == sorted([*said.values(), "J\xfcrg"])


async def test_no_device_passes_for_a_sign_in(tmp_path: Path) -> None:
    """A device that is called as somebody who signs in is its own player's, whatever it is called."""
    journal = tmp_path / "journal.sqlite"
    async with whole_server(journal, **NAMED, **OPEN) as (server, _):
        async with Peer.connect(server.url) as eve:
            await enrolled(
                eve,
                "Eve",
                SECRETS[0],
                device=f"{SIGNED_IN}{hashlib.sha256(b'ann@example.org').hexdigest()[:39]}",
            )
            await eve.say(cl.ListDevices())
            assert [each.label for each in (await eve.until(Devices)).devices] != ["sign-in"]
        await played(server, "ann@example.org", name="Ann")
        (row,) = await people(server, 1)
        assert row["name"] == "Ann"
        assert len((await players(journal)).splitlines()) == 3
