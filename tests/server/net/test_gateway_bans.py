"""Sent away means away, through sockets: the connection ends, and nothing opens the way back."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, Final

from racing_demon_protocol.enums import CloseCode, Reason
from racing_demon_protocol.wire.messages import client as cl
from racing_demon_protocol.wire.messages import events as ev
from racing_demon_protocol.wire.messages.server import Accepted, Refused, Seated
from tests.support.cases import for_each
from tests.support.journals import journaled
from tests.support.servers import Peer, Served, serving

FAR: Final[dict[str, Any]] = {"additional_headers": {"X-Forwarded-For": "203.0.113.9"}}
FARTHER: Final[dict[str, Any]] = {"additional_headers": {"X-Forwarded-For": "203.0.113.10"}}


@asynccontextmanager
async def banned() -> AsyncIterator[tuple[Served, Peer, Peer]]:
    """Run a table from which Ben, who came from far away, was sent away in mid-match."""
    async with serving() as served, Peer.hosting(served.url, countdown_ms=0, hands=1) as ann:
        async with Peer.entered(served.url, cl.Join(code=ann.code, name="Ben"), **FAR) as ben:
            await ann.ask(cl.Start)
            await ann.until(ev.Signalled)
            await ann.ask(cl.Kick, seat=1)
            assert (await ben.closed()).code == CloseCode.KICKED
        yield served, ann, ben


async def answer(served: Served, request: cl.Join | cl.Resume, **more: Any) -> Reason | None:
    """Return why somebody is not let in; ``None`` for whoever is."""
    async with Peer.connect(served.url, **more) as peer:
        await peer.greet()
        await peer.say(request)
        told = await peer.hear()
        assert isinstance(told, Refused | Seated)
        return told.reason if isinstance(told, Refused) else None


async def test_who_was_sent_away_is_not_back_at_once() -> None:
    """Neither under the same name, nor with the token, from wherever."""
    async with banned() as (served, ann, ben):
        assert Reason.BANNED is await answer(served, cl.Join(code=ann.code, name="ben"), **FAR)
        again = cl.Join(code=ann.code, name="Dan", token=ben.token)
        assert Reason.BANNED is await answer(served, again, **FARTHER)
        assert Reason.BAD_TOKEN is await answer(served, cl.Resume(code=ann.code, token=ben.token), **FAR)


@for_each(("name", "where"), [("Ben", FARTHER), ("Ben", {}), ("Dan", FAR)])
async def test_nobody_else_is_kept_out(name: str, where: dict[str, Any]) -> None:
    """Whoever is called the same elsewhere, or otherwise there, comes in."""
    async with banned() as (served, ann, _):
        assert await answer(served, cl.Join(code=ann.code, name=name), **where) is None


async def test_the_host_s_word_lets_who_was_sent_away_back_in() -> None:
    """It is an event for all; then the name is free again at that address."""
    async with banned() as (served, ann, _):
        assert isinstance(await ann.ask(cl.Unban, name="Ben"), Accepted)
        assert await answer(served, cl.Join(code=ann.code, name="Ben"), **FAR) is None


async def test_who_is_away_while_being_sent_away_stays_away() -> None:
    """The seat's last address counts, and the token, though no connection was there to be closed."""
    async with serving() as served, Peer.hosting(served.url) as ann:
        async with Peer.entered(served.url, cl.Join(code=ann.code, name="Ben"), **FARTHER) as ben:
            pass
        async with Peer.entered(served.url, cl.Resume(code=ann.code, token=ben.token), **FAR):
            pass
        while (await ann.until(ev.Connected)).connected or ann.view.seats[1].connected:
            pass
        await ann.ask(cl.Kick, seat=1)
        assert Reason.BANNED is await answer(served, cl.Join(code=ann.code, name="Ben"), **FAR)
        assert Reason.BANNED is await answer(served, cl.Join(code=ann.code, name="Dan", token=ben.token))
        assert await answer(served, cl.Join(code=ann.code, name="Ben"), **FARTHER) is None


async def test_a_restart_lets_nobody_back_in(tmp_path: Path) -> None:
    """Whoever was sent away before is kept out after it, until the host lets them back in."""
    path = tmp_path / "journal.sqlite"
    async with journaled(path) as served, Peer.hosting(served.url) as ann:
        async with Peer.entered(served.url, cl.Join(code=ann.code, name="Ben"), **FAR) as ben:
            await ann.ask(cl.Kick, seat=1)
            assert (await ben.closed()).code == CloseCode.KICKED
    text = path.read_bytes()
    assert ben.token.encode() not in text
    assert b"203.0.113" not in text
    async with journaled(path) as served:
        async with Peer.entered(served.url, cl.Resume(code=ann.code, token=ann.token)) as back:
            assert back.view.banned == ("Ben",)
            assert Reason.BANNED is await answer(served, cl.Join(code=ann.code, name="Ben"), **FAR)
            again = cl.Join(code=ann.code, name="Dan", token=ben.token)
            assert Reason.BANNED is await answer(served, again, **FARTHER)
            back.counter = back.place.counter
            await back.ask(cl.Unban, name="Ben")
    async with journaled(path) as served:
        assert await answer(served, cl.Join(code=ann.code, name="Ben"), **FAR) is None
