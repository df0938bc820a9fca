"""A host keeps order, through sockets: locks the table, and removes spectators."""

from pathlib import Path
from typing import Any, Final

from racing_demon_protocol.enums import CloseCode, Reason
from racing_demon_protocol.wire.capabilities import HANDICAPS, HOUSE_RULES, PROGRAMS, TEAMS
from racing_demon_protocol.wire.messages import client as cl
from racing_demon_protocol.wire.messages import events as ev
from racing_demon_protocol.wire.messages.server import Accepted, Refused, Seated, SpectatorList
from tests.support.cases import for_each
from tests.support.journals import journaled
from tests.support.servers import Closing, Peer, Served, serving

FAR: Final[dict[str, Any]] = {"additional_headers": {"X-Forwarded-For": "203.0.113.9"}}
FARTHER: Final[dict[str, Any]] = {"additional_headers": {"X-Forwarded-For": "203.0.113.10"}}
OLD: Final = f"old {HOUSE_RULES} {HANDICAPS} {TEAMS} {PROGRAMS}"


async def answer(
    served: Served, request: cl.Join | cl.Watch | cl.Resume, software: str = "", **more: Any
) -> Refused | Seated:
    """Return what somebody is told who asks for a place."""
    async with Peer.connect(served.url, **more) as peer:
        await (peer.greet(software) if software else peer.greet())
        await peer.say(request)
        told = await peer.hear()
        assert isinstance(told, Refused | Seated)
        return told


# The lock.


async def test_nobody_new_takes_a_seat_at_a_locked_table() -> None:
    """Everybody sees the lock; those who have a seat return, others may watch; unlocked, it is as before."""
    async with serving() as served, Peer.hosting(served.url) as ann:
        async with Peer.entered(served.url, cl.Join(code=ann.code, name="Ben")) as ben:
            assert isinstance(await ann.ask(cl.CloseEntry), Accepted)
            assert (await ben.until(ev.EntryClosed)).closed
        told = await answer(served, cl.Join(code=ann.code, name="Cas"))
        assert isinstance(told, Refused)
        assert "locked this table" in told.text
        async with (
            Peer.entered(served.url, cl.Resume(code=ann.code, token=ben.token)),
            Peer.entered(served.url, cl.Watch(code=ann.code)) as eve,
        ):
            assert eve.view.entry_closed
            await ann.ask(cl.CloseEntry, closed=False)
            async with Peer.entered(served.url, cl.Join(code=ann.code, name="Cas")) as cas:
                assert not cas.view.entry_closed


async def test_the_host_may_add_bots_to_a_locked_table() -> None:
    """They are the host's own guests."""
    async with serving() as served, Peer.hosting(served.url) as ann:
        await ann.ask(cl.CloseEntry)
        assert isinstance(await ann.ask(cl.AddBot), Accepted)


async def test_a_lock_outlives_a_restart(tmp_path: Path) -> None:
    """The journal has it, like all that the table knows."""
    async with journaled(tmp_path / "journal") as served, Peer.hosting(served.url) as ann:
        await ann.ask(cl.CloseEntry)
    async with journaled(tmp_path / "journal") as served:
        told = await answer(served, cl.Join(code=ann.code, name="Ben"))
        assert isinstance(told, Refused)
        assert told.reason is Reason.NOT_NOW


async def test_older_clients_see_no_lock() -> None:
    """Where one is connected, the host is told; where the table is locked, they are told what they lack."""
    async with serving() as served, Peer.hosting(served.url) as ann:
        async with Peer.entered(served.url, cl.Watch(code=ann.code), software=OLD):
            refused = await ann.ask(cl.CloseEntry)
            assert isinstance(refused, Refused)
            assert refused.reason is Reason.BAD_OPTION
        while isinstance(await ann.ask(cl.CloseEntry), Refused):
            pass
        told = await answer(served, cl.Watch(code=ann.code), software=OLD)
        assert isinstance(told, Refused)
        assert "a lock against newcomers" in told.text
        await ann.ask(cl.CloseEntry, closed=False)
        assert isinstance(await answer(served, cl.Watch(code=ann.code), software=OLD), Seated)


# Spectators.


async def spectators(host: Peer) -> list[int]:
    """Return the numbers of the spectators, as the host is told."""
    await host.say(cl.ListSpectators(counter=host.counter + 1))
    host.counter += 1
    listed = await host.until(SpectatorList)
    return [each.spectator for each in listed.spectators]


async def test_the_host_removes_a_spectator() -> None:
    """The connection is closed, and neither a spectator nor a player is let in from there; others are."""
    async with (
        serving() as served,
        Peer.hosting(served.url) as ann,
        Peer.entered(served.url, cl.Watch(code=ann.code), **FARTHER) as dan,
    ):
        async with Peer.entered(served.url, cl.Watch(code=ann.code), **FAR) as eve:
            one, two = await spectators(ann)
            assert isinstance(await ann.ask(cl.RemoveSpectator, spectator=two), Accepted)
            assert await eve.closed() == Closing(CloseCode.KICKED, "The host has removed you from the table.")
        assert await spectators(ann) == [one]
        for request in (cl.Watch(code=ann.code), cl.Join(code=ann.code, name="Eve")):
            told = await answer(served, request, **FAR)
            assert isinstance(told, Refused)
            assert (told.reason, told.text) == (
                Reason.BANNED,
                "The host has removed you from this table. You can come back in 60 minutes.",
            )
        assert isinstance(await answer(served, cl.Watch(code=ann.code)), Seated)
        await ann.ask(cl.Say, text="Hello")
        await dan.until(ev.Said)


async def test_removing_bars_no_seat_and_not_the_host_s_own_home() -> None:
    """Who has a seat at that address returns to it; a spectator at the host's address may come again."""
    async with serving() as served, Peer.hosting(served.url) as ann:
        async with Peer.entered(served.url, cl.Join(code=ann.code, name="Ben"), **FAR) as ben:
            pass
        async with (
            Peer.entered(served.url, cl.Watch(code=ann.code), **FAR),
            Peer.entered(served.url, cl.Watch(code=ann.code)),
        ):
            for number in await spectators(ann):
                await ann.ask(cl.RemoveSpectator, spectator=number)
        resuming = cl.Resume(code=ann.code, token=ben.token)
        assert isinstance(await answer(served, resuming, **FAR), Seated)
        assert isinstance(await answer(served, cl.Watch(code=ann.code)), Seated)


@for_each("asked", [cl.ListSpectators, cl.RemoveSpectator])
async def test_only_the_host_does_that(asked: type[cl.Command]) -> None:
    """Neither a player nor a spectator learns who watches, or removes anybody."""
    fields = {"spectator": 1} if asked is cl.RemoveSpectator else {}
    async with (
        serving() as served,
        Peer.hosting(served.url) as ann,
        Peer.entered(served.url, cl.Join(code=ann.code, name="Ben")) as ben,
        Peer.entered(served.url, cl.Watch(code=ann.code)) as eve,
    ):
        for peer, reason in ((ben, Reason.NOT_HOST), (eve, Reason.NOT_SEATED)):
            refused = await peer.ask(asked, **fields)
            assert isinstance(refused, Refused)
            assert refused.reason is reason
        assert await spectators(ann)


async def test_a_spectator_who_is_gone_is_nobody_else() -> None:
    """A number is given once, so a late removal meets nobody."""
    async with serving() as served, Peer.hosting(served.url) as ann:
        async with Peer.entered(served.url, cl.Watch(code=ann.code)):
            (gone,) = await spectators(ann)
        while await spectators(ann):
            pass
        async with Peer.entered(served.url, cl.Watch(code=ann.code)):
            assert isinstance(await ann.ask(cl.RemoveSpectator, spectator=gone), Accepted)
            assert len(await spectators(ann)) == 1
