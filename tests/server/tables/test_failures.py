"""Tables whose judging fails: nothing half-done leaves them, and they go back to just before it."""

import logging
from collections.abc import Callable
from pathlib import Path

import pytest

from racing_demon_client.errors import TableEnded
from racing_demon_client.net.client import Client
from racing_demon_protocol.enums import CloseCode, Reason
from racing_demon_protocol.wire.codec import decode_client
from racing_demon_protocol.wire.messages import Event, Message
from racing_demon_protocol.wire.messages import client as cl
from racing_demon_protocol.wire.messages import events as ev
from racing_demon_protocol.wire.messages.server import Accepted, Refused
from racing_demon_protocol.wire.options import Options
from racing_demon_server.match.hand import Hand
from racing_demon_server.match.lifecycle import MatchLifecycle
from racing_demon_server.match.seats import Seats
from racing_demon_server.match.table import MISTAKE
from racing_demon_server.net import handler
from racing_demon_server.tables.registry import FAILED, FAILED_OFTEN, GOES_BACK, MAX_RESTORES
from tests.support.builds import pure, skip_unless_pure
from tests.support.journals import journaled
from tests.support.servers import Closing, Peer, serving

BACK = Closing(CloseCode.TRY_AGAIN, GOES_BACK)


class PlantedError(Exception):
    """A mistake of the server, planted by a test."""


def plant(monkeypatch: pytest.MonkeyPatch, cls: type, name: str) -> Callable[[bool], None]:
    """Let a method do its work and then fail. Return what switches that on and off."""
    skip_unless_pure("replaces a method")
    real, planted = getattr(cls, name), [True]

    def fail(*arguments: object, **named: object) -> object:
        result = real(*arguments, **named)
        if planted[0]:
            raise PlantedError
        return result

    monkeypatch.setattr(cls, name, fail)

    def switch(on: bool) -> None:
        planted[0] = on

    return switch


def resume(peer: Peer) -> cl.Resume:
    """Return the request of somebody who comes back with nothing but a token."""
    return cl.Resume(code=peer.code, token=peer.token)


def tracebacks(caplog: pytest.LogCaptureFixture) -> list[str]:
    """Return what was logged with a traceback."""
    return [record.getMessage() for record in caplog.records if record.exc_info]


async def messages_of(peer: Peer) -> list[Message]:
    """Return everything that comes before the connection is closed."""
    heard: list[Message] = []
    try:
        while True:
            heard.append(await peer.hear())
    except Exception:
        return heard


async def hear_all(client: Client, heard: list[Message]) -> None:
    """Note every message that a client receives."""
    async for message in client:
        heard.append(message)  # noqa: PERF401 - the last of it may raise


async def test_a_half_done_command_leaves_nothing_behind(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """Nobody is told that the bot has left, and it is there again; a restart later, too."""
    path = tmp_path / "journal.db"
    async with journaled(path) as served:
        async with (
            Peer.hosting(served.url) as ann,
            Peer.entered(served.url, cl.Join(code=ann.code, name="Ben")) as ben,
            Peer.hosting(served.url) as stranger,
        ):
            await ann.ask(cl.AddBot, level="hard")
            with monkeypatch.context() as planting:
                plant(planting, MatchLifecycle, "after_leave")
                command = ann.next(cl.RemoveBot, seat=2)
                await ann.say(command)
                assert not [each for each in await messages_of(ann) if isinstance(each, ev.Left)]
                assert await ann.closed() == BACK
                assert await ben.closed() == BACK
                assert isinstance(await stranger.ask(cl.Say, text="All is well here"), Accepted)
        async with (
            Peer.entered(served.url, resume(ann)) as ann,
            Peer.entered(served.url, resume(ben)) as ben,
        ):
            assert ann.counter == command.counter
            assert not ann.view.seats[2].left
            refused = await ann.ask_again(command)
            assert isinstance(refused, Refused)
            assert (refused.reason, refused.text) == (Reason.NOT_NOW, MISTAKE)
            assert isinstance(await ann.ask(cl.RemoveBot, seat=2), Accepted)
            lefts = [each for each in await ben.follow(ann.view.seq) if isinstance(each, ev.Left)]
            assert len(lefts) == 1
    async with journaled(path) as served, Peer.entered(served.url, resume(ann)) as again:
        assert again.view.seats.keys() == {0, 1}
    assert tracebacks(caplog) == ["a command could not be judged"]


async def test_a_wrong_type_sends_no_other_table_back(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """Compiled code checks the types that are declared, and raises within the room; others go on."""

    def decode(data: bytes | str) -> Message:
        message = decode_client(data)
        return message.model_copy(update={"seat": []}) if isinstance(message, cl.RemoveBot) else message

    monkeypatch.setattr(handler, "decode_client", decode)
    async with journaled(tmp_path / "journal.db") as served:
        async with Peer.hosting(served.url) as ann, Peer.hosting(served.url) as stranger:
            await ann.ask(cl.AddBot, level="easy")
            await ann.say(ann.next(cl.RemoveBot, seat=1))
            assert await ann.closed() == BACK
            assert isinstance(await stranger.ask(cl.Say, text="All is well here"), Accepted)
        async with Peer.entered(served.url, resume(ann)) as again:
            assert not again.view.seats[1].left
    (failure,) = [record.exc_info for record in caplog.records if record.exc_info]
    assert failure[0] is TypeError


async def test_the_refusal_outlives_a_restart(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A client that had no answer before the server was started anew gets it then."""
    path = tmp_path / "journal.db"
    async with journaled(path) as served, Peer.hosting(served.url) as ann:
        with monkeypatch.context() as planting:
            plant(planting, MatchLifecycle, "check_ready")
            command = ann.next(cl.Ready)
            await ann.say(command)
            assert await ann.closed() == BACK
    async with journaled(path) as served, Peer.entered(served.url, resume(ann)) as again:
        assert not again.view.seats[0].ready
        refused = await again.ask_again(command)
        assert isinstance(refused, Refused)
        assert refused.text == MISTAKE


@pure("replaces a method")
async def test_plays_judged_before_the_failure_stand(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The play that failed is taken back everywhere; what came in one write before it was carried out."""
    async with journaled(tmp_path / "journal.db") as served:
        async with Peer.hosting(served.url, seats=2) as ann:
            await ann.ask(cl.AddBot, level="easy")
            await ann.ask(cl.Start)
            await ann.until(ev.Signalled)
            hand = ann.view.hand
            assert hand is not None
            rules, board = hand.rules, hand.board
            play = next(play for play in rules.legal_plays(board, 0) if play.source == rules.layout.stock[0])
            first = cl.PlayCards.of(play, counter=ann.counter + 1, seen=ann.view.seq)
            second = cl.PlayCards.of(play, counter=ann.counter + 2, seen=ann.view.seq)
            real = Hand.play

            def fail(hand: Hand, seat: int, command: cl.PlayCards, arrived: int) -> list[ev.Played]:
                played = real(hand, seat, command, arrived)
                if command.counter == second.counter:
                    raise PlantedError
                return played

            monkeypatch.setattr(Hand, "play", fail)
            ann.burst([first, second])
            plays = [each for each in await messages_of(ann) if isinstance(each, ev.Played)]
            assert [each.counter for each in plays if each.seat == 0] == [first.counter]
        async with Peer.entered(served.url, resume(ann)) as again:
            assert again.counter == second.counter
            room = served.registry.room(ann.code)
            assert again.view.board == room.table.view.board
            refused = await again.ask_again(second)
            assert isinstance(refused, Refused)


async def test_a_table_that_fails_too_often_ends_with_its_tally(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """A client comes back by itself each time, until it is told that the table has ended, and how."""
    heard: list[Message] = []
    async with journaled(tmp_path / "journal.db") as served:
        ann = await Client.create(served.url, "Ann", Options(countdown_ms=0))
        await ann.ask(cl.AddBot(counter=ann.next_counter()))
        await ann.ask(cl.Start(counter=ann.next_counter()))
        async for message in ann:
            if isinstance(message, ev.Signalled):
                break
        plant(monkeypatch, MatchLifecycle, "check_presence")  # whenever she comes back
        await ann.send(cl.Kick(counter=ann.next_counter(), seat=1))
        with pytest.raises(TableEnded, match=FAILED_OFTEN):
            await hear_all(ann, heard)
        async with Peer.connect(served.url) as peer:
            await peer.greet()
            token = ann.token
            assert token is not None
            assert await peer.refusal(cl.Resume(code=ann.code, token=token)) is Reason.UNKNOWN_TABLE
        await ann.close()
    events = [type(each) for each in heard if isinstance(each, Event)]
    assert events[-2:] == [ev.HandOver, ev.MatchOver]
    assert ev.Left not in events
    assert len(tracebacks(caplog)) == MAX_RESTORES + 1


async def test_without_a_journal_the_table_ends(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """Players are told so, and nothing of what was half done; other tables notice nothing."""
    async with (
        serving() as served,
        Peer.hosting(served.url) as ann,
        Peer.entered(served.url, cl.Join(code=ann.code, name="Ben")) as ben,
        Peer.hosting(served.url) as stranger,
    ):
        with monkeypatch.context() as planting:
            plant(planting, MatchLifecycle, "after_leave")
            await ann.say(ann.next(cl.Kick, seat=1))
            assert not [each for each in await messages_of(ben) if isinstance(each, ev.Left)]
            for peer in (ann, ben):
                assert await peer.closed() == Closing(CloseCode.GOING_AWAY, FAILED)
            assert isinstance(await stranger.ask(cl.AddBot), Accepted)
        assert len(served.registry) == 1
    assert tracebacks(caplog) == ["a command could not be judged"]
    assert not [each for each in caplog.records if each.levelno >= logging.ERROR and not each.exc_info]


async def test_a_timer_that_fails_is_rolled_back(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """It is due again when the players are back, and play goes on if it can happen now."""
    async with journaled(tmp_path / "journal.db") as served, Peer.hosting(served.url) as ann:
        await ann.ask(cl.AddBot)
        with monkeypatch.context() as planting:
            plant(planting, MatchLifecycle, "_signal")
            await ann.say(ann.next(cl.Start))
            assert not [each for each in await messages_of(ann) if isinstance(each, ev.Signalled)]
            assert await ann.closed() == BACK
        async with Peer.entered(served.url, resume(ann)) as again:
            await again.until(ev.Signalled)
    assert tracebacks(caplog) == ["what was due could not happen"]


async def test_who_fails_to_join_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Who came in is told of the error, and not let in; the others come back to the table as it was."""
    async with journaled(tmp_path / "journal.db") as served:
        async with Peer.hosting(served.url) as ann, Peer.connect(served.url) as ben:
            await ben.greet()
            with monkeypatch.context() as planting:
                plant(planting, Seats, "join")
                assert await ben.refusal(cl.Join(code=ann.code, name="Ben")) is Reason.NOT_NOW
                assert await ann.closed() == BACK
        async with Peer.entered(served.url, resume(ann)) as again:
            assert again.view.seats.keys() == {0}
