"""Coming back: tokens, what was missed, seats taken over, and commands sent twice."""

import logging
import secrets

import msgpack
import pytest

from racing_demon_protocol.engine.board import Play
from racing_demon_protocol.enums import CloseCode, Reason
from racing_demon_protocol.wire.codec import Encoding
from racing_demon_protocol.wire.messages import Event
from racing_demon_protocol.wire.messages import client as cl
from racing_demon_protocol.wire.messages import events as ev
from racing_demon_protocol.wire.messages.server import Accepted, CaughtUp, Pong, Refused, Seated, Snapshot
from tests.support.cases import for_each
from tests.support.servers import Closing, Peer, Served, serving


def join(host: Peer, name: str = "Ben") -> cl.Join:
    """Return what somebody says who comes to a host's table."""
    return cl.Join(code=host.code, name=name)


def resume(peer: Peer, seq: int = 0) -> cl.Resume:
    """Return what a peer says that comes back."""
    return cl.Resume(code=peer.code, token=peer.token, seq=seq, epoch=peer.place.epoch)


def cut(peer: Peer) -> None:
    """Break a peer's connection without a word."""
    peer.socket.transport.abort()


async def refusal(served: Served, request: cl.Resume) -> Reason:
    """Return why a request to come back is refused."""
    async with Peer.connect(served.url) as peer:
        await peer.greet()
        await peer.say(request)
        refused = await peer.hear()
        assert isinstance(refused, Refused)
        assert refused.counter == 0
        return refused.reason


def turn(peer: Peer) -> cl.PlayCards:
    """Return a peer's next command: to turn the stock."""
    assert peer.view.hand is not None
    assert peer.place.seat is not None
    play = peer.view.hand.rules.stock_play(peer.view.hand.board, peer.place.seat)
    assert play is not None
    return playing(peer, play)


def playing(peer: Peer, play: Play) -> cl.PlayCards:
    """Return a peer's next command: a play."""
    fields = {"source": play.source, "count": play.count, "destination": play.destination}
    command = peer.next(cl.PlayCards, **fields, seen=peer.view.seq)
    assert isinstance(command, cl.PlayCards)
    return command


def played(log: list[Event], seat: int) -> list[int]:
    """Return the counters of a seat's plays."""
    return [event.counter for event in log if isinstance(event, ev.Played) and event.seat == seat]


# What was missed.


@for_each("encoding", Encoding)
async def test_a_seat_is_taken_up_again(encoding: Encoding) -> None:
    """With the token comes the seat, the same token, and exactly what was missed."""
    async with serving() as served, Peer.hosting(served.url) as ann:
        async with Peer.entered(served.url, join(ann), encoding) as ben:
            cut(ben)
        await ann.until(ev.Connected)
        seq = ben.view.seq
        for _ in range(3):
            await ann.ask(cl.AddBot)
        async with Peer.connect(served.url, encoding) as again:
            await again.greet()
            place = await again.enter(resume(ben, seq))
            assert (ben.place.seat, ben.token) == (place.seat, place.token)
            heard = [await again.hear() for _ in range(6)]
            expected = [ev.Connected, ev.Joined, ev.Joined, ev.Joined, CaughtUp, ev.Connected]
            assert expected == [type(message) for message in heard]
            assert list(range(seq + 1, seq + 6)) == [e.seq for e in heard if isinstance(e, Event)]
            assert CaughtUp(seq=seq + 4) == heard[4]


async def test_a_seat_is_taken_once_however_often_it_is_asked_for() -> None:
    """Whoever joins again with the token drawn for the first time has that seat, and no other."""
    token = secrets.token_hex(32)
    async with serving() as served, Peer.hosting(served.url) as ann:
        request = cl.Join(code=ann.code, name="Ben", token=token)
        async with Peer.entered(served.url, request) as ben:
            assert (1, token) == (ben.place.seat, ben.place.token)
            cut(ben)
        async with Peer.entered(served.url, request) as ben:
            assert (1, token) == (ben.place.seat, ben.place.token)
            assert [state.name for state in ben.view.seats.values()] == ["Ann", "Ben"]


async def test_a_token_that_is_none_is_not_taken() -> None:
    """A client's own token has the form of the server's, or the frame is not understood."""
    async with serving() as served, Peer.hosting(served.url) as ann:
        async with Peer.connect(served.url) as eve:
            await eve.greet()
            await eve.send(msgpack.packb([cl.Join.TAG, ann.code, "Eve", "", "short"]))
            assert (await eve.closed()).code == CloseCode.BAD_FRAME


async def test_coming_and_going_is_told_to_all() -> None:
    """The others hear that a connection was lost, and that it is back."""
    async with serving() as served, Peer.hosting(served.url) as ann:
        async with Peer.entered(served.url, join(ann)) as ben:
            pass
        lost = await ann.until(ev.Connected)
        assert (lost.seat, lost.connected) == (1, False)
        async with Peer.entered(served.url, resume(ben)):
            back = await ann.until(ev.Connected)
            assert (back.seat, back.connected) == (1, True)


@for_each("seq", [0, 1, 10_000])
async def test_where_events_are_not_kept_a_snapshot_is_given(seq: int) -> None:
    """Number 0, one too old and one of the future all get all of the table."""
    async with serving(kept_events=2) as served, Peer.hosting(served.url) as ann:
        for _ in range(3):
            await ann.ask(cl.AddBot)
        async with Peer.connect(served.url) as again:
            await again.greet()
            await again.enter(resume(ann, seq))
            snapshot = await again.hear()
            assert isinstance(snapshot, Snapshot)
            assert ann.view.snapshot(0) == snapshot


async def test_who_missed_nothing_gets_nothing() -> None:
    """With the last number, all has come at once; the next frame is the next event."""
    async with serving() as served, Peer.hosting(served.url) as ann, Peer.connect(served.url) as again:
        await again.greet()
        await again.enter(resume(ann, ann.view.seq))
        assert CaughtUp(seq=ann.view.seq) == await again.hear()
        await again.say(cl.Ping(stamp=3))
        assert Pong(stamp=3) == await again.hear()


async def test_a_host_without_a_seat_comes_back() -> None:
    """A watching host is host again with the token."""
    async with serving() as served:
        async with Peer.hosting(served.url, seated=False) as host:
            pass
        async with Peer.entered(served.url, resume(host)) as again:
            assert isinstance(await again.ask(cl.AddBot), Accepted)


# Tokens.


async def test_a_wrong_token_opens_nothing() -> None:
    """Guessing is refused, with one letter right or with all but one."""
    async with serving() as served, Peer.hosting(served.url) as ann:
        last = "0" if ann.token[-1] != "0" else "1"
        for token in ("0" * 64, ann.token[:-1] + last, ann.token[::-1]):
            wrong = cl.Resume(code=ann.code, token=token)
            assert await refusal(served, wrong) == Reason.BAD_TOKEN


async def test_many_guesses_open_nothing() -> None:
    """Hundreds of guesses on one connection: not one seat."""
    async with serving() as served, Peer.hosting(served.url) as ann, Peer.connect(served.url) as eve:
        await eve.greet()
        eve.burst([cl.Resume(code=ann.code, token=secrets.token_hex(32)) for _ in range(500)])
        answers = [await eve.hear() for _ in range(500)]
        assert {Reason.BAD_TOKEN} == {a.reason for a in answers if isinstance(a, Refused)}
        assert len(answers) == 500


async def test_a_token_is_good_for_its_table_only() -> None:
    """The token of another table's seat opens nothing here."""
    async with (
        serving() as served,
        Peer.hosting(served.url) as ann,
        Peer.hosting(served.url) as ben,
    ):
        foreign = cl.Resume(code=ben.code, token=ann.token)
        assert await refusal(served, foreign) == Reason.BAD_TOKEN


async def test_a_seat_that_was_left_is_gone() -> None:
    """Whoever gave the seat up does not get it back with its token."""
    async with serving() as served, Peer.hosting(served.url) as ann:
        async with Peer.entered(served.url, join(ann)) as ben:
            await ben.ask(cl.Leave)
        assert await refusal(served, resume(ben)) == Reason.BAD_TOKEN


async def test_the_next_owner_of_a_seat_has_another_token() -> None:
    """An old token does not open a seat that somebody else has taken since."""
    async with serving() as served, Peer.hosting(served.url) as ann:
        async with Peer.entered(served.url, join(ann)) as ben:
            await ben.ask(cl.Leave)
        async with Peer.entered(served.url, join(ann, "Cat")) as cat:
            assert ben.place.seat == cat.place.seat
            assert await refusal(served, resume(ben)) == Reason.BAD_TOKEN


async def test_no_token_is_told_to_anybody_else(caplog: pytest.LogCaptureFixture) -> None:
    """In all that others and the log get while somebody comes, breaks and comes back, there is no token."""
    caplog.set_level(logging.DEBUG)
    async with (
        serving() as served,
        Peer.hosting(served.url) as ann,
        Peer.entered(served.url, cl.Watch(code=ann.code), Encoding.JSON) as eve,
    ):
        async with Peer.entered(served.url, join(ann)) as ben:
            cut(ben)
        async with Peer.entered(served.url, resume(ben)):
            await refusal(served, cl.Resume(code=ann.code, token=ben.token[::-1]))
            await ann.ask(cl.AddBot)
        frames = await frames_until(eve, ann.view.seq)
        for token in (ann.token, ben.token):
            assert token not in "".join(map(str, frames))
            assert token not in server_log(caplog)


def server_log(caplog: pytest.LogCaptureFixture) -> str:
    """Return what the server logged; clients in this process log what they send."""
    return "\n".join(r.getMessage() for r in caplog.records if r.name != "websockets.client")


async def frames_until(peer: Peer, seq: int) -> list[bytes | str]:
    """Return a peer's frames up to an event."""
    frames: list[bytes | str] = []
    while peer.view.seq < seq:
        frame = await peer.frame()
        frames.append(frame)
        peer.apply(frame)
    return frames


# Two connections, one seat.


async def test_the_newest_connection_wins() -> None:
    """An older connection of the seat is closed with a sentence, and the seat was never away."""
    async with serving() as served, Peer.hosting(served.url) as ann:
        async with Peer.entered(served.url, join(ann)) as ben:
            await ann.until(ev.Joined)
            async with Peer.entered(served.url, resume(ben)) as again:
                text = "This seat was resumed from another connection."
                assert Closing(CloseCode.TAKEN_OVER, text) == await ben.closed()
                await again.ask(cl.Ready)
        events = await ann.follow(again.view.seq)
        assert [ev.Readied] == [type(event) for event in events]


async def test_a_seat_that_is_fought_over_has_one_voice() -> None:
    """After ten takeovers there is one listener for the seat, and its commands are heard."""
    async with (
        serving() as served,
        Peer.hosting(served.url) as ann,
        Peer.entered(served.url, join(ann)) as ben,
    ):
        for _ in range(10):
            async with Peer.entered(served.url, resume(ben)) as again:
                await again.ask(cl.Ready, ready=again.counter % 2 == 0)
                assert len(served.registry.room(ann.code).broadcast.listeners) == 2
        assert again.counter == 10


async def test_the_older_connection_says_nothing_more() -> None:
    """A command of the older connection that arrives with the takeover is not carried out."""
    async with (
        serving() as served,
        Peer.hosting(served.url) as ann,
        Peer.entered(served.url, join(ann)) as ben,
        Peer.connect(served.url) as again,
    ):
        await again.greet()
        ben.burst([ben.next(cl.Leave)])
        again.burst([resume(ben), cl.Ready(counter=2)])
        await again.until(Accepted)
        assert list(served.registry.room(ann.code).table.view.seats) == [0, 1]


# Commands in doubt.


async def test_a_play_sent_twice_is_played_once() -> None:
    """A command whose answer was lost is sent again after the break: answered, and not played again."""
    async with serving() as served, Peer.hosting(served.url) as ann, Peer.connect(served.url) as eve:
        await eve.greet()
        await eve.enter(cl.Watch(code=ann.code))
        await ann.ask(cl.Start)
        await ann.until(ev.Signalled)
        command = turn(ann)
        ann.burst([command])
        await eve.until(ev.Played)
        cut(ann)
        async with Peer.connect(served.url) as again:
            await again.greet()
            place = await again.enter(resume(ann, ann.view.seq))
            assert command.counter == place.counter
            first = await again.until(ev.Played)
            await again.say(command)
            assert Accepted(counter=command.counter, seq=first.seq) == await again.until(Accepted)
            table = served.registry.room(ann.code).table.view
            assert table.board is not None
            stock = table.board.cards[command.source]
            assert len(stock) == 24 - 3


async def test_a_play_that_never_arrived_is_played_after_the_break() -> None:
    """The last answered counter tells the client which commands to send again."""
    async with serving() as served, Peer.hosting(served.url) as ann:
        await ann.ask(cl.Start)
        await ann.until(ev.Signalled)
        await ann.ask_again(turn(ann))
        cut(ann)
        lost = turn(ann)
        async with Peer.connect(served.url) as again:
            await again.greet()
            place = await again.enter(resume(ann, ann.view.seq))
            assert lost.counter - 1 == place.counter
            await again.say(lost)
            assert lost.counter == (await again.until(ev.Played)).counter


async def test_a_refusal_sent_twice_is_the_same_refusal() -> None:
    """A refused command that is sent again gets the refusal that it got, whatever has changed since."""
    async with serving() as served, Peer.hosting(served.url) as ann:
        early = ann.next(cl.PlayCards, source=1, count=1, destination=-1, seen=0)
        first = await ann.ask_again(early)
        assert isinstance(first, Refused)
        assert first.reason == Reason.NOT_STARTED
        await ann.say(cl.Ping(stamp=1))
        async with Peer.entered(served.url, resume(ann)) as again:
            assert first == await again.ask_again(early)


async def test_what_an_older_connection_sent_before_is_carried_out() -> None:
    """A play and then a return by another connection, read in the same turn: the play counts."""
    async with serving() as served, Peer.hosting(served.url) as ann:
        await ann.ask(cl.Start)
        await ann.follow(served.registry.room(ann.code).table.view.seq)
        async with Peer.connect(served.url) as newer:
            await newer.greet()
            await ann.ask(cl.Say, text="Hello")  # so that hers is the first socket that is read next
            play = turn(ann)
            ann.burst([play])
            newer.burst([resume(ann)])
            seated = await newer.until(Seated)
            assert play.counter == seated.counter
            await newer.until(CaughtUp)
            assert newer.view.seq == served.registry.room(ann.code).table.view.seq
            assert Accepted(counter=play.counter, seq=newer.view.seq) == await newer.ask_again(play)


async def test_whoever_names_another_epoch_gets_a_snapshot() -> None:
    """Numbers of events of a history that is not the server's mean nothing here."""
    async with serving() as served, Peer.hosting(served.url) as ann, Peer.connect(served.url) as again:
        foreign = cl.Resume(code=ann.code, token=ann.token, seq=ann.view.seq, epoch="0" * 16)
        await again.greet()
        await again.enter(foreign)
        assert isinstance(await again.hear(), Snapshot)


async def test_nobody_comes_back_while_nothing_is_written() -> None:
    """The connection is closed with the advice to come back in a moment."""
    async with serving() as served, Peer.hosting(served.url) as ann, Peer.connect(served.url) as again:
        await again.greet()
        served.registry.halt("test", halted=True)
        await again.say(resume(ann))
        text = "The server cannot write to its disk. Come back in a moment."
        assert await again.closed() == Closing(CloseCode.TRY_AGAIN, text)
        served.registry.halt("test", halted=False)
