"""Players of a cluster: one at all servers, also behind a proxy, and in a database that tells no secrets."""

import contextlib
import json
import sys
from functools import partial
from pathlib import Path
from typing import Any, Final

import pytest

from racing_demon_protocol.enums import Reason
from racing_demon_protocol.wire.messages import client as cl
from racing_demon_protocol.wire.messages.events import Joined, MatchOver, Signalled, StuckSaid
from racing_demon_protocol.wire.messages.server import CaughtUp, Devices, Identified, Refused
from racing_demon_protocol.wire.player_proof import secret_hash
from tests.support.clusters import PATIENT, Cluster
from tests.support.people import SECRETS, answer, challenged, enrolled, link_code, play_alone
from tests.support.postgres import Postgres
from tests.support.restartable_server import wait_until
from tests.support.results import get, page_with
from tests.support.servers import Peer

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="processes are forked and killed")

FAST: Final = ("--bot-speed=100", "--standings=open")


def has_matches(number: int, found: dict[str, Any]) -> bool:
    """Return whether the standings have so many matches that are over."""
    return bool(found["matches"] == number)


async def test_a_player_is_one_at_all_servers(tmp_path: Path, database: str) -> None:
    """Ann plays at two servers, has one row and one page; the token of one opens her match at the other."""
    async with Cluster.started(database, tmp_path, *FAST, PATIENT, count=2) as cluster:
        one, other = cluster.nodes.values()
        async with Peer.connect(one.url) as peer:
            known = await enrolled(peer, "Ann", SECRETS[0])
            await play_alone(peer, "Ann", spectators=False)
        async with Peer.connect(other.url) as peer:
            proof = answer(await challenged(peer), known, SECRETS[0], other.url.split("/")[2])
            await peer.say(proof)
            assert (await peer.until(Identified)).player == known.player
            await play_alone(peer, "Ann", spectators=False)
        for node in (one, other):
            await page_with(node, "/v1/standings", partial(has_matches, 2))
            (row,) = json.loads((await get(node, "/v1/standings?people=1"))[1])["rows"]
            assert (row["matches"], row["player"]) == (2, known.player)
            for (link,) in cluster.ask("SELECT link FROM results"):
                for headers, status in (({"Authorization": f"Bearer {known.token}"}, 200), ({}, 404)):
                    assert (await get(node, f"/v1/matches/{link}", **headers))[0] == status
            page = json.loads((await get(node, f"/v1/players/{known.player}"))[1])
            assert (page["row"]["player"], len(page["matches"])) == (known.player, 2)
            assert (await get(node, "/v1/players/23456789"))[0] == 404


@pytest.mark.long
async def test_who_is_sent_to_another_port_is_the_same_player(tmp_path: Path, database: str) -> None:
    """The proof is made for the port that was dialled first; one for a stranger's port is no proof."""
    async with Cluster.started(database, tmp_path, *FAST, PATIENT, count=2) as cluster:
        one, other = (node.url.split("/")[2] for node in cluster.nodes.values())
        urls = [node.url for node in cluster.nodes.values()]
        # Before its second beat from now on, each server has seen the others.
        least = "SELECT min(beat) FROM beats"
        ((seen,),) = cluster.ask("SELECT max(beat) + 2 FROM beats")
        await wait_until(lambda: cluster.ask(least)[0][0] >= seen)
        async with Peer.connect(urls[0]) as peer:
            known = await enrolled(peer, "Ann", SECRETS[0])
        async with Peer.connect(urls[1]) as peer:
            challenge = await challenged(peer)
            for host, is_accepted in ((f"{other}0", False), (one, True)):
                await peer.say(answer(challenge, known, SECRETS[0], host))
                heard = await peer.until(Identified if is_accepted else Refused)
                assert isinstance(heard, Identified) is is_accepted


@pytest.mark.long
async def test_who_is_proxied_sits_as_the_same_player(tmp_path: Path, database: str) -> None:
    """Ann joins the table of one server by another that knows her: the match is hers, but no second seat."""
    async with Cluster.started(database, tmp_path, *FAST, PATIENT, count=2) as cluster:
        one, other = cluster.nodes.values()
        async with Peer.hosting(other.url, seated=False, hands=1) as host, Peer.connect(one.url) as ann:
            known = await enrolled(ann, "Ann", SECRETS[0])
            await ann.enter(cl.Join(code=host.code, name="Ann"))
            await ann.until(CaughtUp)
            await host.until(Joined)
            async with Peer.connect(one.url) as again:
                here = one.url.split("/")[2]
                await again.say(answer(await challenged(again), known, SECRETS[0], here))
                await again.until(Identified)
                assert await again.refusal(cl.Join(code=host.code, name="Ann")) is Reason.NOT_NOW
            await host.ask(cl.AddBot, level="hard")
            await host.ask(cl.Start)
            await ann.until(Signalled)
            while not isinstance(message := await ann.hear(), MatchOver):
                if isinstance(message, StuckSaid) and message.seat != ann.place.seat:
                    await ann.say(ann.next(cl.Stuck, seen=ann.view.seq))
        await page_with(one, "/v1/standings", partial(has_matches, 1))
        (row,) = json.loads((await get(one, "/v1/standings?people=1"))[1])["rows"]
        assert (row["name"], row["player"]) == ("Ann", known.player)


@pytest.mark.long
async def test_a_device_is_known_and_removed_at_all_servers(tmp_path: Path, database: str) -> None:
    """A code of one server links one device at two others, is shown at once, and can be taken back."""
    async with Cluster.started(database, tmp_path, PATIENT) as cluster, contextlib.AsyncExitStack() as stack:
        urls = [node.url for node in cluster.nodes.values()]
        phone, *tablets = [await stack.enter_async_context(Peer.connect(url)) for url in urls]
        await enrolled(phone, "Ann", SECRETS[0])
        code = await link_code(phone)
        for tablet in tablets:
            await challenged(tablet)
        for tablet, secret in zip(tablets, SECRETS[1:], strict=False):
            await tablet.say(cl.Link(name="Ann", code=code, secret=secret))
        answers = [await tablet.hear() for tablet in tablets]
        ((tablet, linked),) = [
            each for each in zip(tablets, answers, strict=True) if isinstance(each[1], Identified)
        ]
        assert isinstance(linked, Identified)
        assert linked.device in {each.device for each in (await phone.until(Devices)).devices}
        await phone.say(cl.RemoveDevice(device=linked.device))
        await phone.until(Devices)
        assert await tablet.refusal(cl.ListDevices()) is Reason.NOT_NOW


async def test_the_database_tells_no_secret(tmp_path: Path, server: Postgres) -> None:
    """A copy of the database has neither a device's secret nor its hash nor a code."""
    name = server.new_database()
    async with Cluster.started(server.url(name), tmp_path, count=1) as cluster:
        (node,) = cluster.nodes.values()
        async with Peer.connect(node.url) as phone:
            known = await enrolled(phone, "Ann", SECRETS[0])
            code = await link_code(phone)
            dump = server.dump(name)
    assert known.player in dump
    hidden = (SECRETS[0], secret_hash(SECRETS[0]).hex(), known.token, code, code.encode().hex())
    assert [each for each in hidden if each in dump] == []
