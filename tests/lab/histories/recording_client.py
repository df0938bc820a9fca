"""Clients that write down what they send and hear, and when; their lines are cut while they play."""

import asyncio
import random
from collections import Counter
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import AsyncExitStack, asynccontextmanager, suppress

from racing_demon_client.net.client import Client
from racing_demon_protocol.engine.board import Kind
from racing_demon_protocol.enums import Phase
from racing_demon_protocol.errors import RacingDemonError
from racing_demon_protocol.wire.messages import client as cl
from racing_demon_protocol.wire.options import Options
from tests.lab.histories.client_log import ClientLog, Heard, Sent
from tests.support.clocks import clock
from tests.support.relay import Relay
from tests.support.servers import deadline

MAX_AT_ONCE = 4


class RecordingClient:
    """One seat at a table.

    Attributes:
        account: what it sent and heard.
        client: its connection.
        wanted: which place on a foundation each of its plays was for, by counter.

    """

    def __init__(self, client: Client, relay: Relay) -> None:
        self.client = client
        self._relay = relay
        self.client_log = ClientLog(self.seat, [])
        self.wanted: dict[int, tuple[int, int, int]] = {}
        self._news = asyncio.Condition()
        self.listening = asyncio.create_task(self._listen())

    @property
    def seat(self) -> int:
        """The player's seat."""
        assert self.client.seat is not None
        return self.client.seat

    def break_line(self) -> None:
        """Cut the connection, whatever is on its way."""
        self._relay.cut()

    def muffle(self) -> None:
        """Let the server's words be lost, until the connection is cut."""
        self._relay.muffled = True

    async def say(self, command: cl.Command) -> None:
        """Send a command."""
        self.client_log.entries.append(Sent(clock(), command))
        await self.client.send(command)

    async def strike(self, rng: random.Random) -> list[int]:
        """Send plays to the foundations where there are any, else one other; return their counters."""
        view = self.client.view
        if view.phase is not Phase.PLAYING or view.hand is None:
            return []
        plays = list(view.hand.rules.legal_plays(view.hand.board, self.seat))
        kinds = [pile.kind for pile in view.hand.board.piles]
        upward = {play.destination: play for play in plays if kinds[play.destination] is Kind.FOUNDATION}
        others = [p for p in plays if view.hand.board.is_progress(p) and p.destination not in upward]
        turns = [p for p in plays if p == view.hand.rules.stock_play(view.hand.board, self.seat)]
        chosen = list(upward.values())[:MAX_AT_ONCE] or others[:1] or turns
        if not chosen:
            command: cl.Command = cl.Stuck(counter=self.client.next_counter())
            await self.say(command)
            return [command.counter]
        counters = []
        for play in chosen:
            command = self.client.play_command(play)
            if kinds[play.destination] is Kind.FOUNDATION:
                height = len(view.hand.board.cards[play.destination])
                self.wanted[command.counter] = (view.hand_number, play.destination, height)
                if rng.random() < 0.3:
                    command = command.model_copy(update={"destination": -1})
            await self.say(command)
            counters.append(command.counter)
        return counters

    async def until_answered(self) -> None:
        """Wait until every command has been answered."""
        await self._until(lambda: not self.client.waiting)

    async def until_phase(self, *phases: Phase, hand: int = 0) -> None:
        """Wait until the table is in one of some phases, of a hand at least."""
        await self._until(lambda: self.client.view.phase in phases and self.client.view.hand_number >= hand)

    async def until_seq(self, seq: int) -> None:
        """Wait until the mirror has followed an event."""
        await self._until(lambda: self.client.view.seq >= seq)

    async def _until(self, holds: Callable[[], bool]) -> None:
        async with deadline(lambda: f"seat {self.seat} is at event {self.client.view.seq}"), self._news:
            await self._news.wait_for(lambda: holds() or self.listening.done())

    def abandon(self) -> None:
        """Be gone, and hear nothing any more."""
        self.listening.cancel()
        self._relay.open = False
        self._relay.cut()

    async def _listen(self) -> None:
        with suppress(RacingDemonError):
            async for message in self.client:
                self.client_log.entries.append(Heard(clock(), message))
                async with self._news:
                    self._news.notify_all()


@asynccontextmanager
async def table_of_recorders(url: str, count: int, options: Options) -> AsyncIterator[list[RecordingClient]]:
    """Seat recorders at a new table, each behind a line of its own."""
    async with AsyncExitStack() as stack:
        recorders: list[RecordingClient] = []
        code = ""
        for number in range(count):
            relay = await stack.enter_async_context(Relay.before(url))
            name = f"Player {number}"
            if code:
                client = await Client.join(relay.url, code, name)
            else:
                client = await Client.create(relay.url, name, options)
                code = client.code
            stack.push_async_callback(client.close)
            recorders.append(RecordingClient(client, relay))
        yield recorders
        for recorder in recorders:
            recorder.listening.cancel()
        await asyncio.gather(*(recorder.listening for recorder in recorders), return_exceptions=True)


class Contest:
    """Hands among recorders: all strike from equal mirrors, again and again, while lines are cut.

    Attributes:
        contended: how many plays were sent for a place that somebody else went for at the same time.
        cuts: how many lines were cut.

    """

    def __init__(self, recorders: Sequence[RecordingClient], rng: random.Random, faults: float) -> None:
        self.contended = 0
        self.cuts = 0
        self._witnesses = list(recorders)
        self._rng = rng
        self._faults = faults

    async def play(self, hand: int, rounds: int) -> None:
        """Play a hand to its end, or for so many rounds."""
        for recorder in self._witnesses:
            await recorder.say(cl.Ready(counter=recorder.client.next_counter()))
        for recorder in self._witnesses:
            await recorder.until_phase(Phase.PLAYING, hand=hand)
        for _ in range(rounds):
            if self._witnesses[0].client.view.phase is not Phase.PLAYING:
                break
            await self._round()

    async def leave_in_doubt(self) -> None:
        """Let half of them be gone with plays on their way, and the others go on for some rounds."""
        leaving = self._witnesses[::2]
        await asyncio.gather(*(recorder.strike(self._rng) for recorder in self._witnesses))
        for recorder in leaving:
            recorder.abandon()
        self._witnesses = self._witnesses[1::2]
        for _ in range(3):
            await self._round()

    async def _round(self) -> None:
        rng = self._rng
        struck = [recorder for recorder in self._witnesses if rng.random() < self._faults]
        for recorder in struck:
            if rng.random() < 0.5:
                recorder.muffle()
        order = rng.sample(self._witnesses, len(self._witnesses))
        sent = await asyncio.gather(*(recorder.strike(rng) for recorder in order))
        for recorder in struck:
            for _ in range(rng.randrange(12)):
                await asyncio.sleep(0)
            recorder.break_line()
            self.cuts += 1
        wanted = Counter(
            recorder.wanted[counter]
            for recorder, counters in zip(order, sent, strict=True)
            for counter in counters
            if counter in recorder.wanted
        )
        self.contended += sum(times for times in wanted.values() if times > 1)
        await asyncio.gather(*(recorder.until_answered() for recorder in self._witnesses))
        newest = max(recorder.client.view.seq for recorder in self._witnesses)
        await asyncio.gather(*(recorder.until_seq(newest) for recorder in self._witnesses))
