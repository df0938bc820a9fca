"""Players who left come back over real sockets: by their token, or as a known player from another device."""

from pathlib import Path

import pytest

from racing_demon_protocol.enums import Reason
from racing_demon_protocol.wire.codec import Encoding
from racing_demon_protocol.wire.messages import client as cl
from racing_demon_protocol.wire.messages.events import Hosted, Left, Returned, Signalled
from racing_demon_protocol.wire.messages.server import Accepted, CaughtUp, Seated
from racing_demon_protocol.wire.options import Options
from tests.support.builds import skip_unless_pure
from tests.support.old_client import OldClient
from tests.support.people import SECRETS, answer, challenged, enrolled, linked
from tests.support.servers import PATIENCE, Peer, serving, timeout
from tests.support.whole_servers import whole_server


async def test_a_leaver_comes_back_by_the_token_after_a_restart(tmp_path: Path) -> None:
    """It resumes nothing, also after a restart, and gives the seat back to who joins with it."""
    async with whole_server(tmp_path / "journal.sqlite") as (server, _):
        async with Peer.hosting(server.url, hands=9, late_join=False) as ann:
            async with Peer.entered(server.url, cl.Join(code=ann.code, name="Ben")) as ben:
                await ann.ask(cl.Start)
                await ben.until(Signalled)
                await ben.ask(cl.Leave)
                await ann.until(Left)
        await server.stop()
        await server.start()
        async with Peer.entered(server.url, cl.Resume(code=ann.code, token=ann.token)) as host:
            async with Peer.connect(server.url) as again:
                await again.greet()
                resume = cl.Resume(code=ann.code, token=ben.token)
                assert await again.refusal(resume) is Reason.BAD_TOKEN
            join = cl.Join(code=ann.code, name="Whoever", token=ben.token)
            async with Peer.entered(server.url, join) as back:
                assert (back.place.seat, back.place.counter) == (1, ben.counter)
                assert (await host.until(Returned)).seat == 1
                assert [state.name for state in back.view.seats.values()] == ["Ann", "Ben"]


async def test_a_known_player_comes_back_from_another_device_after_a_restart(tmp_path: Path) -> None:
    """The claim is the person's. The lost device's token is worth nothing then."""
    async with whole_server(tmp_path / "journal.sqlite") as (server, _):
        async with Peer.connect(server.url) as phone, Peer.connect(server.url) as tablet:
            async with Peer.hosting(server.url, hands=9) as ann:
                await enrolled(phone, "Ben", SECRETS[0])
                known = await linked(phone, tablet, "Ben")
                await phone.say(cl.Join(code=ann.code, name="Ben"))
                phone.place = await phone.until(Seated)
                await phone.until(CaughtUp)
                seated = await tablet.refusal(cl.Join(code=ann.code, name="Ben"))
                assert seated is Reason.NOT_NOW
                await ann.ask(cl.Start)
                await phone.until(Signalled)
                await phone.ask(cl.Leave)
                await ann.until(Left)
        await server.stop()
        await server.start()
        host = server.url.split("/")[2]
        async with Peer.connect(server.url) as tablet, Peer.connect(server.url) as lost:
            await tablet.say(answer(await challenged(tablet), known, SECRETS[1], host))
            await tablet.hear()
            await tablet.say(cl.Join(code=ann.code, name="Ben"))
            assert (await tablet.until(Seated)).seat == 1
            await tablet.until(CaughtUp)
            assert [state.name for state in tablet.view.seats.values()] == ["Ann", "Ben"]
            await lost.greet()
            place = await lost.enter(cl.Join(code=ann.code, name="Eve", token=phone.token))
            assert place.seat == 2


async def test_leavers_take_another_seat_where_an_old_client_would_not_understand() -> None:
    """While it is there they come back as somebody new, as ever; without it they get their seat."""
    async with serving() as served, Peer.hosting(served.url, hands=9) as ann:
        async with Peer.entered(served.url, cl.Join(code=ann.code, name="Ben")) as ben:
            await ann.ask(cl.Start)
            await ben.ask(cl.Leave)
            await ann.until(Left)
        join = cl.Join(code=ann.code, name="Ben", token=ben.token)
        async with OldClient.connect(served.url, Encoding.JSON) as old:
            await old.greet()
            await old.enter(cl.Watch(code=ann.code))
            await old.until(CaughtUp)
            async with Peer.entered(served.url, join) as new:
                assert new.place.seat == 2
                await new.ask(cl.Leave)
        await ann.until(Left)
        async with Peer.entered(served.url, join) as back:
            assert back.place.seat == 2
            assert (await ann.until(Returned)).seat == 2


async def test_a_host_who_was_away_has_the_table_back_on_another_device(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """By the seat's token, and as the only one who has the seat: not by being known, nor twice."""
    skip_unless_pure("changes a constant")
    monkeypatch.setattr("racing_demon_server.match.seats.HOST_AWAY_US", 0)
    async with (
        whole_server(tmp_path / "journal.sqlite") as (_, url),
        Peer.connect(url) as phone,
        Peer.connect(url) as tablet,
    ):
        await enrolled(phone, "Ann", SECRETS[0])
        await linked(phone, tablet, "Ann")
        await phone.say(cl.Create(name="Ann", options=Options(hands=9)))
        place = await phone.until(Seated)
        await phone.until(CaughtUp)
        async with Peer.entered(url, cl.Join(code=place.code, name="Ben")) as ben:
            await phone.socket.close()
            hosted = await ben.until(Hosted)
            assert (hosted.seat, hosted.absent_host) == (1, 0)
            resume = cl.Resume(code=place.code, token=str(place.token))
            assert await tablet.refusal(cl.Join(code=place.code, name="Ann")) is Reason.NOT_NOW
            await tablet.say(resume)
            assert (await tablet.until(Seated)).seat == 0
            await tablet.until(CaughtUp)
            assert (await ben.until(Hosted)).seat == 0
            async with Peer.entered(url, resume) as again:
                await timeout(PATIENCE, tablet.closed())
                assert isinstance(await again.ask(cl.SetLateStart), Accepted)
                assert [state.name for state in again.view.seats.values()] == ["Ann", "Ben"]
