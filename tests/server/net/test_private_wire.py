"""Races on identical deals over real sockets: four clients, a spectator, coming back, and a server killed."""

import asyncio
import random
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Final

from racing_demon_client.net.client import Client
from racing_demon_protocol.records.format import message_line
from racing_demon_protocol.records.verify import verify
from racing_demon_protocol.wire.messages import client as cl
from racing_demon_protocol.wire.messages import events as ev
from racing_demon_protocol.wire.messages.server import Snapshot
from racing_demon_protocol.wire.options import Options
from tests.support.cases import for_each
from tests.support.effort import usually
from tests.support.invariants import status
from tests.support.journals import journaled
from tests.support.servers import PATIENCE, Peer, Served, serving, timeout

GAMES: Final = [
    *("sultan", "paternal", "beleaguered-castle", "fourteen", "little-lots"),
    *("double-jump", "clock", "weavers", "gamblers"),
]
"""Of every group: cells, fans, columns, sums, ranks, rows, travelling, with foundations, merging."""
PLAYS: Final = 12
SEED: Final = bytes(32)
"""Of a flower garden in which both can play for a while: not every deal has a play at all."""


class Racer:
    """One client, and all that it was told."""

    def __init__(self, client: Client, chance: str) -> None:
        self.client = client
        self.told: list[Snapshot | ev.Event] = []
        self.left = PLAYS
        self.could_play = False
        self._rng = random.Random(chance)

    async def race(self) -> None:
        """Play by chance until so many plays are answered, then be stuck; to the end of the match."""
        async for message in self.client:
            if isinstance(message, Snapshot | ev.Event):
                self.told.append(message)
            if isinstance(message, ev.MatchOver):
                return
            if self.client.seat is None or self.client.waiting or not self.client.view.in_hand:
                continue
            legal = list(self.client.legal_plays()) if self.left else []
            if legal:
                self.could_play = True
                self.left -= 1
                await self.client.play(self._rng.choice(legal))
            elif not self.client.view.seats[self.client.seat].stuck:
                await self.client.send(cl.Stuck(counter=self.client.next_counter()))


@for_each("game", usually(3, GAMES))
async def test_four_race_and_one_looks_on(game: str) -> None:
    """Each is told of their own plays and of all progress; a spectator of no play; all records are true."""
    options = Options(game=game, hands=1, countdown_ms=0, tally_ms=600_000)
    async with serving() as served, AsyncExitStack() as stack:
        ann = await stack.enter_async_context(await Client.create(served.url, "Ann", options))
        clients = [ann]
        clients += [await Client.join(served.url, ann.code, name) for name in ("Ben", "Cat", "Don")]
        clients.append(await Client.watch(served.url, ann.code))
        for client in clients[1:]:
            await stack.enter_async_context(client)
        racers = [Racer(client, f"{game}/{number}") for number, client in enumerate(clients)]
        await ann.send(cl.Start(counter=ann.next_counter()))
        await timeout(PATIENCE, _all(racers))
    public = [_public(racer) for racer in racers]
    assert all(each == public[-1] for each in public)
    for racer in racers:
        view = racer.client.view
        plays = [event for event in racer.told if isinstance(event, ev.Played)]
        assert {event.seat for event in plays} <= {racer.client.seat}
        assert view.hand is not None
        assert status(view.hand.rules, view.hand.board) == []
        verdict = verify(racer.told)
        assert (verdict.hands, verdict.unseen) == (1, 4 - bool(plays))
        assert plays or not racer.could_play, "a deal of little-lots may have no play at all"


async def _all(racers: list[Racer]) -> None:
    await asyncio.gather(*(racer.race() for racer in racers))


def _public(racer: Racer) -> list[str]:
    """Return what a client was told beside its own plays, from the signal on."""
    lines = [message_line(message) for message in racer.told if not isinstance(message, ev.Played | Snapshot)]
    begin = next(number for number, line in enumerate(lines) if '"signalled"' in line)
    return lines[begin:]


async def _race_of_two(served: Served, stack: AsyncExitStack) -> tuple[Client, Client]:
    options = Options(game="flower-garden", hands=1, countdown_ms=0, tally_ms=600_000)
    ann = await stack.enter_async_context(await Client.create(served.url, "Ann", options))
    ben = await stack.enter_async_context(await Client.join(served.url, ann.code, "Ben"))
    await ann.send(cl.Start(counter=ann.next_counter()))
    for client in (ann, ben):
        async for _ in client:
            if client.view.in_hand and not client.waiting:
                break
    return ann, ben


async def _play(client: Client, times: int) -> None:
    for _ in range(times):
        await client.play(next(client.legal_plays()))
        async for _ in client:
            if not client.waiting:
                break


async def test_whoever_comes_back_has_the_own_layout_again() -> None:
    """Resuming gives one's layout and nothing of the others'; a spectator who comes gets none."""
    async with serving(seed=SEED) as served, AsyncExitStack() as stack:
        ann, ben = await _race_of_two(served, stack)
        await _play(ann, 5)
        await _play(ben, 3)
        assert ann.token is not None
        again = await stack.enter_async_context(await Client.resume(served.url, ann.code, ann.token))
        eve = await stack.enter_async_context(await Client.watch(served.url, ann.code))
        judge = served.registry.room(ann.code).table.view
        assert again.view.snapshot(0).piles == judge.snapshot_for(0, 0).piles == ann.view.snapshot(0).piles
        assert eve.view.snapshot(0).piles == judge.snapshot_for(None, 0).piles != judge.snapshot(0).piles


@for_each("plays", [0, 1])
async def test_coming_back_tells_nothing_of_what_others_did(plays: int) -> None:
    """Whether anybody has played since or not, whoever resumes gets their table anew."""
    async with serving(seed=SEED) as served, AsyncExitStack() as stack:
        ann, ben = await _race_of_two(served, stack)
        await _play(ann, plays)
        assert ben.token is not None
        peer = await stack.enter_async_context(Peer.connect(served.url))
        await peer.greet()
        room = served.registry.room(ben.code)
        newest, epoch = room.table.view.seq, room.epochs.current
        await peer.enter(cl.Resume(code=ben.code, token=ben.token, seq=newest, epoch=epoch))
        assert isinstance(await peer.hear(), Snapshot)


async def test_a_race_goes_on_after_the_server_was_away(tmp_path: Path) -> None:
    """From the journal every layout is back as it was, for its own player alone."""
    path = tmp_path / "journal.sqlite"
    async with AsyncExitStack() as stack:
        async with journaled(path, seed=SEED) as served:
            ann, ben = await _race_of_two(served, stack)
            await _play(ann, 5)
            await _play(ben, 3)
            code, tokens = ann.code, [ann.token, ben.token]
            before = served.registry.room(code).table.view.snapshot(0)
            await ann.close()
            await ben.close()
        async with journaled(path, seed=SEED) as served:
            judge = served.registry.room(code).table.view
            assert judge.snapshot(0).piles == before.piles
            assert judge.snapshot(0).progress == before.progress
            for seat, token in enumerate(tokens):
                assert token is not None
                back = await stack.enter_async_context(await Client.resume(served.url, code, token))
                assert back.view.snapshot(0).piles == judge.snapshot_for(seat, 0).piles
                assert back.view.snapshot(0).piles != before.piles
