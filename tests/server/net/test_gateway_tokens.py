"""Seat tokens that are forged, broken, foreign or used again: by the hundred thousand, and not one seat."""

import asyncio
import random
import secrets
from collections.abc import Callable, Iterable, Iterator
from contextlib import AsyncExitStack
from itertools import islice, permutations, product
from typing import Any

import pytest

from racing_demon_protocol.enums import CloseCode, Reason
from racing_demon_protocol.errors import CommandRefused
from racing_demon_protocol.wire.codec import Encoding
from racing_demon_protocol.wire.messages import client as cl
from racing_demon_protocol.wire.messages import events as ev
from racing_demon_protocol.wire.messages.server import Accepted, Refused
from racing_demon_server.match.seat_tokens import Actor, SeatTokens, hash_token
from tests.support.cases import for_each
from tests.support.effort import amount, more_when_long
from tests.support.servers import Closing, Peer, Served, logged_warnings, serving

TRIES = amount(10_000, 100_000)
TRIES_ON_SOCKETS = amount(1_000, 10_000)
CONNECTIONS = 10
BLOCK = 100
"""So many requests of a connection are on their way at once: their answers do not make it a slow reader."""
HEX = "0123456789abcdef"
UNLIMITED = {
    "frames_per_second": 1e6,
    "frame_burst": 1e6,
    "units_per_connection": 1e6,
    "entry_seconds": 600.0,
}
NOT_A_TOKEN = Closing(CloseCode.BAD_FRAME, "Not understood: Resume: invalid value for token")
TAKEN_OVER = Closing(CloseCode.TAKEN_OVER, "This seat was resumed from another connection.")

TOKENS = [secrets.token_hex(32) for _ in range(8)]
"""The tokens of a full table."""


def full_table() -> SeatTokens:
    """Return the claims of a table with a token for each seat, and one for a host without."""
    seat_tokens = SeatTokens()
    for seat, token in enumerate(TOKENS):
        seat_tokens.add(seat, hash_token(token))
    seat_tokens.add(None, hash_token("f" * 64))
    return seat_tokens


def forgeries(token: str, chance: random.Random) -> Iterator[str]:
    """Yield well-formed tokens without end that are not this one: by chance, and as like it as can be."""
    while True:
        yield f"{chance.getrandbits(256):064x}"
        place = chance.randrange(64)
        other = chance.choice(HEX.replace(token[place], ""))
        yield token[:place] + other + token[place + 1 :]
        turned = token[place:] + token[:place]
        if turned != token:
            yield turned


def outcomes(seat_tokens: SeatTokens, hashes: Iterator[bytes], tries: int) -> set[Actor | Reason]:
    """Return all that so many tries came to: whose seat was opened, or why none was."""
    found: set[Actor | Reason] = set()
    for _ in range(tries):
        try:
            found.add(seat_tokens.actor(next(hashes)))
        except CommandRefused as error:
            found.add(error.reason)
    return found


# In process.


@more_when_long
def test_forged_tokens_open_no_seat() -> None:
    """Of many thousands of tokens, many one letter from a true one, none opens a full table's seat."""
    chance = random.Random(1)
    made = [forgeries(token, chance) for token in TOKENS]
    hashes = (hash_token(next(tokens)) for tokens in iter(lambda: chance.choice(made), None))
    assert {Reason.BAD_TOKEN} == outcomes(full_table(), hashes, TRIES)


def test_hashes_are_not_tokens() -> None:
    """What the server keeps of a token, given as the token itself, opens nothing."""
    seat_tokens = full_table()
    hashes = (hash_token(hash_token(token).hex()) for token in TOKENS)
    assert {Reason.BAD_TOKEN} == outcomes(seat_tokens, hashes, len(TOKENS))


def test_parts_of_a_hash_open_no_seat() -> None:
    """A hash is compared whole: its beginnings, and what goes on after it, open nothing."""
    whole = hash_token(TOKENS[3])
    parts = [whole[:size] for size in range(len(whole))] + [whole + b"\0", whole * 2]
    assert {Reason.BAD_TOKEN} == outcomes(full_table(), iter(parts), len(parts))


def test_true_tokens_open_their_seats_among_forged_ones() -> None:
    """After thousands of wrong tokens each true one still opens its own seat."""
    seat_tokens, chance = full_table(), random.Random(2)
    outcomes(seat_tokens, (hash_token(token) for token in forgeries(TOKENS[0], chance)), 5_000)
    assert list(range(8)) == [seat_tokens.actor(hash_token(token)) for token in TOKENS]


# Over sockets.


async def guess(served: Served, encoding: Encoding, code: str, tokens: Iterable[str]) -> list[Reason]:
    """Try tokens on one connection, some of them at once, and return why each is refused."""
    reasons, left = list[Reason](), iter(tokens)
    async with Peer.connect(served.url, encoding) as eve:
        await eve.greet()
        while block := [cl.Resume(code=code, token=token) for token in islice(left, BLOCK)]:
            eve.burst(list(block))
            for _ in block:
                answer = await eve.hear()
                assert isinstance(answer, Refused)
                assert answer.counter == 0
                reasons.append(answer.reason)
    return reasons


async def refusal(served: Served, code: str, token: str) -> Reason:
    """Return why one token is refused."""
    (reason,) = await guess(served, Encoding.MSGPACK, code, [token])
    return reason


async def closing(served: Served, code: str, token: object, encoding: Encoding) -> Closing:
    """Return how a connection ends that gives a token which no client of ours would."""
    async with Peer.connect(served.url, encoding) as eve:
        await eve.greet()
        await eve.say(cl.Resume.model_construct(code=code, token=token, seq=0))  # type: ignore[arg-type]
        return await eve.closed()


@more_when_long
async def test_guessing_over_sockets_opens_nothing(caplog: pytest.LogCaptureFixture) -> None:
    """Many guesses on ten connections: all refused, and the table and the log hear of none."""
    async with serving(**UNLIMITED) as served, Peer.hosting(served.url) as ann:
        async with Peer.entered(served.url, cl.Join(code=ann.code, name="Ben")) as ben:
            room = served.registry.room(ann.code)
            seq, listeners = room.table.view.seq, set(room.broadcast.listeners)
            share = TRIES_ON_SOCKETS // CONNECTIONS
            answers = await asyncio.gather(
                *(
                    guess(served, encoding, ann.code, islice(forgeries(token, random.Random(number)), share))
                    for number, (encoding, token) in enumerate(
                        islice(product(Encoding, [ann.token, ben.token] * 3), CONNECTIONS)
                    )
                )
            )
            reasons = [reason for answer in answers for reason in answer]
            assert (TRIES_ON_SOCKETS, {Reason.BAD_TOKEN}) == (len(reasons), set(reasons))
            assert (seq, listeners) == (room.table.view.seq, set(room.broadcast.listeners))
            assert isinstance(await ben.ask(cl.Ready), Accepted)
    assert logged_warnings(caplog) == []


async def test_wrong_guesses_lock_nobody_out() -> None:
    """On a connection that has guessed wrong two hundred times the true token still opens its seat."""
    async with serving(**UNLIMITED) as served, Peer.hosting(served.url) as ann:
        wrong = islice(forgeries(ann.token, random.Random(3)), 200)
        async with Peer.connect(served.url) as again:
            await again.greet()
            again.burst([cl.Resume(code=ann.code, token=token) for token in wrong])
            for _ in range(200):
                assert isinstance(await again.hear(), Refused)
            place = await again.enter(cl.Resume(code=ann.code, token=ann.token))
            assert ann.place.seat == place.seat


SPOILED: dict[str, Callable[[str], object]] = {
    "capitals": str.upper,
    "end cut off": lambda token: token[:-1],
    "begin cut off": lambda token: token[1:],
    "line's end for a letter": lambda token: token[:-1] + "\n",
    "a letter more": lambda token: token + "0",
    "a line's end more": lambda token: token + "\n",
    "a zero byte more": lambda token: token + "\0",
    "a space before": lambda token: " " + token,
    "twice": lambda token: token * 2,
    "no hexadecimal digit": lambda token: token[:-1] + "g",
    "a wide digit": lambda token: token[:-1] + "\uff10",
    "nothing": lambda token: "",
    "nil": lambda token: None,
    "a number": lambda token: int(token, 16) % 2**63,
    "a list": lambda token: [token],
}


@for_each("encoding", Encoding)
async def test_malformed_tokens_close(encoding: Encoding) -> None:
    """A token of another form closes with 4000, though what it was made of is true, and is not repeated."""
    async with serving() as served, Peer.hosting(served.url) as ann:
        endings = {
            name: await closing(served, ann.code, spoil(ann.token), encoding)
            for name, spoil in SPOILED.items()
        }
    assert {name: end for name, end in endings.items() if end != NOT_A_TOKEN} == {}


async def test_bytes_are_no_token() -> None:
    """A true token as msgpack's bytes instead of text closes with 4000."""
    async with serving() as served, Peer.hosting(served.url) as ann:
        code, _ = await closing(served, ann.code, ann.token.encode(), Encoding.MSGPACK)
        assert code == CloseCode.BAD_FRAME


async def test_every_other_length_closes() -> None:
    """Beginnings of a true token, of each length, close with 4000: it cannot be guessed piece by piece."""
    async with serving() as served, Peer.hosting(served.url) as ann:
        endings = [await closing(served, ann.code, ann.token[:size], Encoding.MSGPACK) for size in range(64)]
        assert {NOT_A_TOKEN} == set(endings)


# True tokens at the wrong place, or too late.


async def test_foreign_tokens_open_nothing() -> None:
    """At each of three tables only its own token is good."""
    async with (
        serving() as served,
        Peer.hosting(served.url) as ann,
        Peer.hosting(served.url) as bea,
        Peer.hosting(served.url, seated=False) as cat,
    ):
        for here, elsewhere in permutations([ann, bea, cat], 2):
            assert await refusal(served, here.code, elsewhere.token) == Reason.BAD_TOKEN


async def test_a_token_of_another_server_opens_nothing() -> None:
    """A table of the same code and the same deals, on another server, does not know the token."""
    async with serving(seed=bytes(32)) as one, serving(seed=bytes(32)) as other:
        async with Peer.hosting(one.url) as ann, Peer.hosting(other.url) as twin:
            assert ann.code == twin.code
            assert await refusal(other, ann.code, ann.token) == Reason.BAD_TOKEN


async def test_a_token_outlives_no_table() -> None:
    """With its table closed a token opens nothing: the table is not known any more."""
    async with serving(idle_table_seconds=0.0) as served:
        async with Peer.hosting(served.url) as ann:
            served.registry.discard(served.registry.room(ann.code))
            assert await refusal(served, ann.code, ann.token) == Reason.UNKNOWN_TABLE


async def test_the_token_of_a_seat_that_was_left_opens_nothing() -> None:
    """Who left cannot come back by the token, neither to the empty seat nor to its next owner's."""
    async with serving() as served, Peer.hosting(served.url) as ann:
        async with Peer.entered(served.url, cl.Join(code=ann.code, name="Ben")) as ben:
            await ben.ask(cl.Leave)
            assert await refusal(served, ann.code, ben.token) == Reason.BAD_TOKEN
        async with Peer.entered(served.url, cl.Join(code=ann.code, name="Cat")) as cat:
            assert ben.place.seat == cat.place.seat
            assert await refusal(served, ann.code, ben.token) == Reason.BAD_TOKEN


@for_each("options", [{}, {"spectators": False}, {"watch_delay_ms": 60_000}], ids=str)
async def test_leaving_in_mid_match_ends_the_token(options: dict[str, Any]) -> None:
    """The seat stays in the tally, but nobody comes back to it, nor sees the table by its token."""
    async with serving() as served, Peer.hosting(served.url, countdown_ms=0, **options) as ann:
        async with Peer.entered(served.url, cl.Join(code=ann.code, name="Ben")) as ben:
            await ann.ask(cl.Start)
            await ann.until(ev.Signalled)
            await ben.ask(cl.Leave)
            assert await refusal(served, ann.code, ben.token) == Reason.BAD_TOKEN
            assert served.registry.room(ann.code).table.view.seats[1].left


async def test_the_token_of_who_was_kicked_opens_nothing() -> None:
    """Who was sent away cannot come back by the token, not even where a bot sits now."""
    async with serving() as served, Peer.hosting(served.url) as ann:
        async with Peer.entered(served.url, cl.Join(code=ann.code, name="Ben")) as ben:
            await ann.ask(cl.Kick, seat=1)
            assert (await ben.closed()).code == CloseCode.KICKED
        assert await refusal(served, ann.code, ben.token) == Reason.BAD_TOKEN
        await ann.ask(cl.AddBot)
        assert served.registry.room(ann.code).table.view.seats[1].bot
        assert await refusal(served, ann.code, ben.token) == Reason.BAD_TOKEN


async def test_a_seat_is_not_taken_twice_on_one_connection() -> None:
    """A connection with a seat gets no other by a token, though it be true."""
    async with serving() as served, Peer.hosting(served.url) as ann:
        async with Peer.entered(served.url, cl.Join(code=ann.code, name="Ben")) as ben:
            await ben.say(cl.Resume(code=ann.code, token=ann.token))
            answer = await ben.until(Refused)
            assert answer.reason == Reason.NOT_NOW
            assert isinstance(await ann.ask(cl.Ready), Accepted)


# Replayed.


async def test_a_replayed_token_takes_the_seat_over() -> None:
    """Of twenty connections with one token each ends the one before with 4001, and the last is heard."""
    async with serving() as served, Peer.hosting(served.url) as ann, AsyncExitStack() as stack:
        request = cl.Resume(code=ann.code, token=ann.token)
        older = ann
        for _ in range(20):
            newer = await stack.enter_async_context(Peer.entered(served.url, request))
            assert await older.closed() == TAKEN_OVER
            older = newer
        assert isinstance(await older.ask(cl.Ready), Accepted)
        assert len(served.registry.room(ann.code).broadcast.listeners) == 1


async def test_of_many_at_once_one_has_the_seat() -> None:
    """Of connections that give one token at the same time all but one are closed with 4001."""
    async with serving() as served, Peer.hosting(served.url) as ann, AsyncExitStack() as stack:
        peers = [await stack.enter_async_context(Peer.connect(served.url)) for _ in range(20)]
        for peer in peers:
            await peer.greet()
        for peer in peers:
            peer.burst([cl.Resume(code=ann.code, token=ann.token)])
        tasks = {asyncio.create_task(peer.closed()): peer for peer in [ann, *peers]}
        endings = [await ending for ending in islice(asyncio.as_completed(tasks), len(peers))]
        assert {TAKEN_OVER} == set(endings)
        (task,) = (task for task in tasks if not task.done())
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)
        owner = tasks[task]
        await owner.say(cl.Ready(counter=1))
        assert (await owner.until(Accepted)).counter == 1
        assert len(served.registry.room(ann.code).broadcast.listeners) == 1


async def test_who_was_taken_over_may_take_over_again() -> None:
    """A token is not used up: with it the older connection's owner gets the seat back, and plays on."""
    async with serving() as served, Peer.hosting(served.url) as ann:
        request = cl.Resume(code=ann.code, token=ann.token)
        async with Peer.entered(served.url, request) as thief:
            await thief.ask(cl.Ready)
            async with Peer.entered(served.url, request) as again:
                assert await thief.closed() == TAKEN_OVER
                assert again.counter == 1
                assert isinstance(await again.ask(cl.Ready, ready=False), Accepted)
