"""What messages cost, and who pays: at the real port, on a clock that stands still."""

import asyncio
import re
from contextlib import AsyncExitStack
from http import HTTPStatus
from pathlib import Path
from typing import Any, Final

import pytest
from websockets.exceptions import InvalidStatus

from racing_demon_protocol.enums import Phase, Reason
from racing_demon_protocol.wire.messages import FROM_CLIENT, name_of
from racing_demon_protocol.wire.messages import client as cl
from racing_demon_protocol.wire.messages.events import Connected, Played, Signalled
from racing_demon_protocol.wire.messages.server import Accepted, Pong, Refused
from racing_demon_protocol.wire.options import Options
from racing_demon_server import rate_limits
from racing_demon_server.journal.null_journal import NullJournal
from racing_demon_server.net.handler import SHARE_SECONDS, ServerContext
from racing_demon_server.net.table_service import TableService
from racing_demon_server.rate_limits import (
    COSTS,
    HAND_BEFORE,
    HAND_OVER,
    HANDSHAKE,
    KEPT_BURST,
    MAX_HAND_OVER,
    PICTURE,
    RECORD,
    REQUEST,
    STANDINGS,
    hand_over_cost,
)
from racing_demon_server.settings import ServerSettings
from racing_demon_server.tables.passphrase import Passphrase
from racing_demon_server.tables.registry import Registry
from tests.support.builds import pure
from tests.support.cases import for_each
from tests.support.clocks import Standing
from tests.support.servers import NO_METRICS, PATIENCE, Peer, serving_with, timeout

DOCUMENT: Final = Path(__file__).parents[3] / "docs" / "wire.md"
FAR: Final[dict[str, Any]] = {"additional_headers": {"X-Forwarded-For": "203.0.113.9"}}
FARTHER: Final[dict[str, Any]] = {"additional_headers": {"X-Forwarded-For": "203.0.113.10"}}
POOL_SECONDS: Final = 5


async def pings(peer: Peer, number: int) -> int:
    """Ping so often, one by one, and return how often that was answered."""
    for stamp in range(number):
        await peer.say(cl.Ping(stamp=stamp))
        assert stamp == (await peer.until(Pong)).stamp
    return number


def test_every_message_has_a_cost() -> None:
    """Each message of a client costs something, and a play no more than its frame."""
    assert set(FROM_CLIENT.values()) == set(COSTS)
    assert min(COSTS.values()) == 1 == COSTS[cl.PlayCards]


def test_the_costs_are_documented() -> None:
    """The wire's document lists the cost of each message."""
    listed: dict[str, int] = {}
    rows = re.findall(r"^\| (\d+) \| ((?:`\w+`(?:, )?)+) \|$", DOCUMENT.read_text("utf-8"), re.MULTILINE)
    for cost, names in rows:
        listed |= dict.fromkeys(re.findall(r"\w+", names), int(cost))
    assert {name_of(cls): cost for cls, cost in COSTS.items()} == listed


def test_the_costs_of_pages_are_documented() -> None:
    """The wire's document states the cost of each kind of page."""
    sentence = (
        f"A handshake costs the client's address {HANDSHAKE} units, a table's QR code or invitation over the "
        f"internet {PICTURE}, standings and a page of a player {STANDINGS}, a match's record {RECORD:,}, and "
        f"any other HTTP request {REQUEST}."
    )
    document = " ".join(DOCUMENT.read_text("utf-8").split())
    assert sentence in document
    end = f"pays {HAND_OVER} units for it with the next message, and {HAND_BEFORE} more for each hand"
    assert f"{end} of the match before it, {MAX_HAND_OVER:,} at most" in document


async def test_who_uses_more_than_is_there_is_read_more_slowly() -> None:
    """Beyond its share and its address' pool a connection waits for answers; elsewhere nobody does."""
    time, own, pool = Standing(), 0.5, 5
    async with (
        serving_with(None, time, units_per_connection=own, units_per_address=pool) as served,
        Peer.connect(served.url, **FAR) as greedy,
        Peer.connect(served.url, **FARTHER) as other,
    ):
        await greedy.greet()
        await other.greet()
        covered = own * SHARE_SECONDS + pool * POOL_SECONDS - HANDSHAKE - COSTS[cl.Hello]
        await pings(greedy, round(covered) + 1)  # the last one is answered, and to be paid for
        await greedy.say(cl.Ping(stamp=77))
        waiting = asyncio.create_task(greedy.until(Pong))
        await pings(other, 10)
        assert not waiting.done()
        time.move(60)
        assert (await timeout(PATIENCE, waiting)).stamp == 77


async def test_news_of_spectators_costs_a_relay_something() -> None:
    """Who tells too often how many watch is refused like anybody else."""
    async with (
        serving_with(None, Standing(), units_per_connection=2, units_per_server=1) as served,
        Peer.hosting(served.url) as ann,
        Peer.entered(served.url, cl.Watch(code=ann.code)) as relay,
    ):
        relay.burst([cl.Relaying(count=1)] * 12)
        assert Reason.TOO_FAST is (await relay.until(Refused)).reason


async def test_nothing_is_lost_of_what_is_read_more_slowly() -> None:
    """Two thousand pings in one piece are answered in their order, the last when they are paid for."""
    settings: dict[str, Any] = {"frames_per_second": 1e6, "frame_burst": 1e6, "units_per_server": 1}
    async with (
        serving_with(None, units_per_connection=90, **settings) as served,
        Peer.connect(served.url) as peer,
    ):
        await peer.greet()
        peer.burst([cl.Ping(stamp=stamp) for stamp in range(2_000)])
        assert list(range(2_000)) == [(await peer.until(Pong)).stamp for _ in range(2_000)]


async def test_the_flood_of_a_neighbor_leaves_each_its_share() -> None:
    """Where one connection has used up the pool of an address, another there still has its own share."""
    time, own, pool = Standing(), 0.5, 6
    async with (
        serving_with(None, time, units_per_connection=own, units_per_address=pool) as served,
        Peer.connect(served.url, **FAR) as honest,
        Peer.connect(served.url, **FAR) as greedy,
    ):
        await honest.greet()
        await greedy.greet()
        await pings(greedy, round(own * SHARE_SECONDS) + pool * POOL_SECONDS - 2 * HANDSHAKE)
        await greedy.say(cl.Ping(stamp=77))
        waiting = asyncio.create_task(greedy.until(Pong))
        await pings(honest, round(own * SHARE_SECONDS) - COSTS[cl.Hello])
        assert not waiting.done()
        time.move(60)
        await timeout(PATIENCE, waiting)


async def test_what_costs_too_much_for_a_table_is_refused_there_alone() -> None:
    """A table whose pool is used up carries out no costly command, but cheap ones; other tables do."""
    answers: list[Any] = []
    async with serving_with(None, Standing(), units_per_connection=1.5, units_per_table=4) as served:
        for _ in range(2):
            async with Peer.hosting(served.url) as host:
                for hands in (1, 2, 3, 4, 6):
                    answer = await host.ask(cl.SetOptions, options=Options(hands=hands))
                    answers.append(answer.reason if isinstance(answer, Refused) else hands)
                    assert answers[-1] in {Reason.TOO_FAST, host.view.options.hands}
                assert isinstance(await host.ask(cl.Say, text="Hi"), Accepted)
    assert answers == [1, 2, 3, 4, Reason.TOO_FAST] * 2


@pure("replaces a price")
@pytest.mark.parametrize(("burst", "plays"), [(1_000, range(1, 15)), (KEPT_BURST, range(25, 200))])
async def test_who_fills_the_disk_pays_more(
    burst: float, plays: range, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Once an address has filled much of the disk each play costs many units instead of one; none before."""
    monkeypatch.setattr(rate_limits, "KEPT_BURST", burst)
    made = 0
    async with (
        serving_with(None, Standing(), units_per_connection=3, units_per_address=40) as served,
        Peer.connect(served.url, **FAR) as eve,
        Peer.connect(served.url, **FARTHER) as other,
    ):
        await other.greet()
        await eve.greet()
        await eve.enter(cl.Create(name="Eve", options=Options(countdown_ms=0), seated=True))
        await eve.ask(cl.Start)
        while not eve.view.in_hand:
            await eve.hear()

        async def turn_stock() -> None:
            nonlocal made
            while True:
                hand = eve.view.hand
                assert hand is not None
                turn = hand.rules.stock_play(hand.board, 0)
                assert turn is not None
                command = cl.PlayCards.of(turn, counter=made + 2, seen=eve.view.seq)
                made += isinstance(await eve.ask_again(command), Played)

        turns = asyncio.create_task(turn_stock())
        await pings(other, 50)
        turns.cancel()
    assert made in plays


KEPT: Final[list[tuple[type[cl.Command], dict[str, Any], dict[str, Any]]]] = [
    (cl.Mute, {"seat": 1, "muted": True}, {"seat": 1, "muted": False}),
    (cl.Ready, {"ready": True}, {"ready": False}),
    (cl.CloseEntry, {"closed": True}, {"closed": False}),
    (cl.Say, {"text": "Hi"}, {"text": "Hello"}),
]


@pure("replaces a price")
@pytest.mark.parametrize(("kind", "first", "second"), KEPT, ids=lambda value: getattr(value, "__name__", ""))
async def test_whatever_stays_on_the_disk_is_counted(
    kind: type[cl.Command], first: dict[str, Any], second: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    """What is no play fills the disk, too: beyond what an address may, each command pays for its bytes."""
    monkeypatch.setattr(rate_limits, "KEPT_BURST", 1_000)
    done = 0
    settings: dict[str, Any] = {"units_per_connection": 3, "units_per_address": 60}
    async with (
        serving_with(None, Standing(), **settings) as served,
        Peer.connect(served.url, **FAR) as eve,
        Peer.entered(served.url, cl.Create(name="Other")),
    ):
        await eve.greet()
        await eve.enter(cl.Create(name="Eve"))
        async with Peer.entered(served.url, cl.Join(code=eve.code, name="Bob")):
            while done < 30 and isinstance(await eve.ask(kind, **(second if done % 2 else first)), Accepted):
                done += 1
    assert 2 <= done < 10


async def test_what_a_connection_owes_is_not_forgotten_with_it() -> None:
    """Who ends a hand and goes has to pay for it still: the next connection from there is refused."""
    options = Options(game="puzzle", seats=1, hands=1, countdown_ms=0, tally_ms=0)
    spent = HANDSHAKE + COSTS[cl.Hello] + COSTS[cl.Create] + COSTS[cl.Start] + COSTS[cl.Stuck]
    units = (spent + HANDSHAKE + HAND_OVER / 2) / POOL_SECONDS
    settings: dict[str, Any] = {"units_per_connection": 0.001, "units_per_address": units}
    async with serving_with(None, Standing(), **settings) as served, AsyncExitStack() as stack:
        async with Peer.entered(served.url, cl.Create(name="Eve", options=options), **FAR) as eve:
            await eve.ask(cl.Start)
            await eve.until(Signalled)
            await eve.ask(cl.Stuck)
            other = await stack.enter_async_context(Peer.entered(served.url, cl.Watch(code=eve.code)))
        await other.until(Connected)
        with pytest.raises(InvalidStatus):
            async with Peer.connect(served.url, **FAR):
                pass


async def test_a_play_pays_for_all_that_it_leads_to() -> None:
    """A redeal that fills 28 columns by itself costs 29 units; who owes them waits, and nobody else does."""
    time, answered = Standing(), list[Any]()
    async with (
        serving_with(None, time, units_per_connection=3, units_per_table=20) as served,
        Peer.hosting(served.url, game="puzzle", hands=1) as eve,
        Peer.entered(served.url, cl.Watch(code=eve.code)) as other,
    ):
        await eve.ask(cl.Start)
        await eve.until(Signalled)
        assert eve.view.hand is not None
        stock = eve.view.hand.rules.layout.stock[0]
        gathering = {"source": stock, "count": 1, "destination": stock}

        async def gather() -> None:
            for _ in range(12):
                answered.append(await eve.ask(cl.PlayCards, seen=eve.view.seq, **gathering))

        gathers = asyncio.create_task(gather())
        await pings(other, 20)
        assert sum(isinstance(answer, Played) for answer in answered) < 6  # of 60 and 100 units, after others
        while not gathers.done():
            time.move(2)
            await pings(other, 1)
        await gathers
        assert {Reason.TOO_FAST} == {answer.reason for answer in answered if isinstance(answer, Refused)}
        time.move(60)
        assert isinstance(await eve.ask(cl.PlayCards, seen=eve.view.seq, **gathering), Played)
        board = served.registry.room(eve.code).table.view.board
        assert board is not None
        before = board.redeals[0]
        eve.burst([eve.next(cl.PlayCards, seen=eve.view.seq, **gathering) for _ in range(12)])
        await pings(other, 20)
        assert board.redeals[0] - before < 7  # what is read at once is not judged at once


@for_each("hands", [1, 30])
async def test_who_ends_a_hand_pays_for_its_result(hands: int) -> None:
    """A table whose hands end at once pays for each, and the more the longer the match is."""
    own, pool, ended = 1, 400, 0
    options = Options(game="puzzle", seats=1, hands=hands, countdown_ms=0, tally_ms=0)
    async with (
        serving_with(None, Standing(), units_per_connection=own, units_per_table=pool) as served,
        Peer.entered(served.url, cl.Create(name="Eve", options=options)) as eve,
    ):
        while not isinstance(answer := await eve.ask(cl.Start), Refused):
            while eve.view.phase is not Phase.PLAYING:
                await eve.hear()
            assert isinstance(await eve.ask(cl.Stuck), Accepted)
            while eve.view.phase is Phase.PLAYING:
                await eve.hear()
            ended += 1
    assert answer.reason is Reason.TOO_FAST
    each = COSTS[cl.Start] + COSTS[cl.Stuck] + HAND_OVER
    assert (ended - 1) * each <= own * SHARE_SECONDS + pool * POOL_SECONDS  # the last is still owed
    assert hand_over_cost(1) < hand_over_cost(30) <= hand_over_cost(10_000) == MAX_HAND_OVER


async def test_what_costs_too_much_for_the_server_is_refused() -> None:
    """Where all together have used up the server's pool, each still has a share for what costs little."""
    async with serving_with(None, Standing(), units_per_connection=2, units_per_server=6) as served:
        async with Peer.connect(served.url) as peer:
            await peer.greet()
            for reason in (Reason.BAD_OPTION, Reason.BAD_OPTION, Reason.TOO_FAST):
                await peer.say(cl.Create(name="Ann", options=Options(game="none")))
                assert reason == (await peer.until(Refused)).reason
            await pings(peer, 7)


async def test_an_address_that_connects_again_and_again_has_to_wait() -> None:
    """It is answered 429, for the game and for pages; others come in, and after some seconds it does, too."""
    time = Standing()
    async with serving_with(None, time, units_per_address=2 * HANDSHAKE / POOL_SECONDS) as served:
        for _ in range(2):
            async with Peer.connect(served.url, **FAR) as peer:
                await peer.greet()
        with pytest.raises(InvalidStatus) as refused:
            async with Peer.connect(served.url, **FAR):
                pass
        assert refused.value.response.status_code == HTTPStatus.TOO_MANY_REQUESTS
        assert refused.value.response.headers["Retry-After"] == "5"
        async with Peer.connect(served.url, **FARTHER) as other:
            await other.greet()
        time.move(POOL_SECONDS / 2)
        async with Peer.connect(served.url, **FAR) as peer:
            await peer.greet()


async def test_a_party_behind_one_router_is_never_refused() -> None:
    """Eight players and thirty spectators of one address come at once and play for ten minutes.

    Each player plays ten cards a second and says something, everybody pings once a second, and the host
    changes options four times a second.
    """
    time, settings, home = Standing(), ServerSettings(), "203.0.113.9"
    context = ServerContext(settings, time, NO_METRICS)
    service = TableService(context, Registry(settings, time, NullJournal()))
    room = service.open(home, Options(), Passphrase(bytes(16)))
    everybody = []
    for number in range(38):
        assert context.addresses.count_request(home, time(), HANDSHAKE)
        assert context.addresses.enter(home)
        allowance = context.allowance(home)
        entering = COSTS[cl.Join] if number < 8 else COSTS[cl.Watch]
        assert allowance.take(time(), COSTS[cl.Hello] + entering)
        if number < 8:
            allowance.add_pool(room.units)
        everybody.append(allowance)
    for _ in range(600):
        for tenth in range(10):
            time.move(0.1)
            assert all(player.take(time()) for player in everybody[:8])
            assert tenth % 3 or everybody[0].take(time(), COSTS[cl.SetOptions])
        assert all(player.take(time(), COSTS[cl.Say]) for player in everybody[:8])
        assert all(each.take(time()) for each in everybody)
    room.close()


async def test_a_page_costs_less_than_a_handshake() -> None:
    """An address that may shake hands twice may ask for three pages."""
    time = Standing()
    async with serving_with(None, time, units_per_address=2 * HANDSHAKE / POOL_SECONDS) as served:
        answers = []
        for _ in range(4):
            with pytest.raises(InvalidStatus) as answered:
                async with Peer.connect(served.url.replace("/v1", "/healthz"), **FAR):
                    pass
            answers.append(answered.value.response.status_code)
    assert 2 * HANDSHAKE == 3 * REQUEST
    assert answers == [HTTPStatus.OK] * 3 + [HTTPStatus.TOO_MANY_REQUESTS]


# Codes.


async def found(peer: Peer, code: str) -> Reason | None:
    """Ask for a table; return why there is none, or nothing."""
    await peer.say(cl.Watch(code=code))
    answer = await peer.hear()
    return answer.reason if isinstance(answer, Refused) else None


async def test_codes_cannot_be_found_by_trying() -> None:
    """After thirty wrong codes of an address even a right one is refused there, until time has passed."""
    time = Standing()
    async with (
        serving_with(None, time, units_per_connection=1e6) as served,
        Peer.hosting(served.url) as ann,
        Peer.connect(served.url, **FAR) as guesser,
        Peer.connect(served.url, **FARTHER) as other,
    ):
        await guesser.greet()
        await other.greet()
        told = [await found(guesser, f"Y{number}") for number in range(40)]
        assert [*[Reason.UNKNOWN_TABLE] * 30, *[Reason.TOO_FAST] * 10] == told
        assert await found(guesser, ann.code) == Reason.TOO_FAST
        assert await found(other, "Y") == Reason.UNKNOWN_TABLE
        time.move(5)
        assert await found(guesser, ann.code) is None


async def test_who_has_a_seat_finds_it_whatever_others_guess() -> None:
    """A seat's token opens its table from an address that has guessed too often; a wrong one does not."""
    time = Standing()
    async with serving_with(None, time, units_per_connection=1e6) as served, Peer.hosting(served.url) as ann:
        async with Peer.connect(served.url, **FAR) as guesser:
            await guesser.greet()
            for number in range(30):
                assert await found(guesser, f"Y{number}") == Reason.UNKNOWN_TABLE
            await guesser.say(cl.Resume(code=ann.code, token="0" * 64))
            assert (await guesser.until(Refused)).reason == Reason.TOO_FAST
            await guesser.enter(cl.Resume(code=ann.code, token=ann.token))


async def test_who_mistypes_a_code_may_try_again() -> None:
    """Twenty wrong codes, and the right one opens the table."""
    async with (
        serving_with(None, Standing()) as served,
        Peer.hosting(served.url) as ann,
        Peer.connect(served.url, **FAR) as ben,
    ):
        await ben.greet()
        assert {Reason.UNKNOWN_TABLE} == {await found(ben, f"Y{number}") for number in range(20)}
        await ben.enter(cl.Join(code=ann.code, name="Ben"))
