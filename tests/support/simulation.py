"""The whole system but its sockets, in virtual time: server and clients as they are, on a bad network.

Everything follows from a seed: who plays what and when, what the lines do, when the disk takes nothing and
when the server dies. After every event every mirror is checked; in the end what all tell must be a history
that can be (:mod:`.history`), and its hash is the same whenever the seed is.
"""

import asyncio
import hashlib
import random
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import Any, Final, NamedTuple

from racing_demon_client.connection import Client
from racing_demon_protocol.board import Board
from racing_demon_protocol.cards import Card
from racing_demon_protocol.invariants import status
from racing_demon_protocol.messages import Event, Message
from racing_demon_protocol.messages import client as cl
from racing_demon_protocol.messages.events import Played
from racing_demon_protocol.messages.server import Accepted, Seated
from racing_demon_protocol.options import Options
from racing_demon_protocol.reasons import Phase
from racing_demon_protocol.record import to_line
from racing_demon_protocol.rules import Rules
from racing_demon_protocol.shuffle import subseed
from racing_demon_server.gateway import start
from racing_demon_server.hall import Hall
from racing_demon_server.settings import Settings

from .accounts import Account, Heard, Sent
from .history import Findings, check
from .network import Faults, NetworkLoop
from .virtual_journal import VirtualJournal

__all__ = ["Ran", "World", "simulate"]

PORT: Final = 5252
URL: Final = f"ws://127.0.0.1:{PORT}/v1"
SETTLED_SECONDS: Final = 25.0
"""After the last fault so long, and everybody has heard everything."""
REMEMBERED: Final = 1_000
"""So many events are known that mirrors may still be behind with."""
LONGEST_SECONDS: Final = 3_600.0
"""A match that is not over then never will be."""
MANY: Final = 1e6
"""As good as no limit."""


class World(NamedTuple):
    """What a simulation is of.

    Attributes:
        players: how many play.
        hands: how many hands a match has.
        options: the table's, beside that.
        faults: how bad the lines are.
        trouble_seconds: how long it is, on average, from one trouble to the next.
        think_seconds: how long a player thinks, on average.

    """

    players: int = 3
    hands: int = 4
    options: dict[str, Any] = {}  # noqa: RUF012 - nobody changes it
    faults: Faults = Faults()
    trouble_seconds: float = 2.0
    think_seconds: float = 0.3


class Ran(NamedTuple):
    """What came of it."""

    digest: str
    findings: Findings
    hands: int
    troubles: dict[str, int]


class Boards:
    """What the mirrors of a table held after its newest events: all the same, and nothing broken."""

    def __init__(self) -> None:
        self._known: dict[int, list[list[Card]]] = {}

    def check(self, seq: int, rules: Rules, board: Board) -> None:
        """Check a mirror's board after an event: the first one's invariants, and all others against it."""
        known = self._known.get(seq)
        if known is None:
            wrong = status(rules, board)
            assert wrong == [], f"after event {seq}: {wrong}"
            self._known[seq] = [list(cards) for cards in board.cards]
            self._known.pop(seq - REMEMBERED, None)
        assert known is None or known == board.cards, f"two mirrors differ after event {seq}"


class Player:
    """Somebody at the table, or who watches it, and writes down what they send and hear.

    Attributes:
        account: what that was.
        client: their connection.

    """

    def __init__(
        self, client: Client, clock: Callable[[], int], rng: random.Random, think: float, boards: Boards
    ) -> None:
        self.client = client
        self._boards = boards
        self.account = Account(-1 if client.seat is None else client.seat, [])
        self._clock = clock
        self._rng = rng
        self._think = think
        self._newest: cl.Command | None = None
        self._tasks = [asyncio.create_task(self._listen())]
        if client.seat is not None:
            self._tasks.append(asyncio.create_task(self._play()))

    @property
    def is_over(self) -> bool:
        """Whether the match is."""
        return self.client.view.phase is Phase.OVER

    async def leave(self) -> None:
        """End, and raise what went wrong."""
        for task in self._tasks:
            task.cancel()
        for result in await asyncio.gather(*self._tasks, return_exceptions=True):
            if isinstance(result, Exception):
                raise result
        await self.client.close()

    async def send(self, command: cl.Command) -> None:
        """Send a command."""
        self.account.entries.append(Sent(self._clock(), command))
        self._newest = command
        await self.client.send(command)

    async def _repeat(self, message: Message) -> None:
        """Send the newest command once more, now and then, though it was answered and carried out."""
        newest, client = self._newest, self.client
        answers = isinstance(message, Accepted) or (
            isinstance(message, Played) and message.seat == client.seat
        )
        if newest is None or not answers or message.counter != newest.counter:  # type: ignore[attr-defined]
            return
        if newest not in client.in_doubt and client.online and self._rng.random() < 0.1:
            await client._link.write(newest)

    async def _listen(self) -> None:
        async for message in self.client:
            self.account.entries.append(Heard(self._clock(), message))
            view = self.client.view
            if isinstance(message, Event) and view.rules is not None and view.board is not None:
                self._boards.check(view.seq, view.rules, view.board)
            await self._repeat(message)

    async def _play(self) -> None:
        client, rng = self.client, self._rng
        while True:
            await asyncio.sleep(rng.expovariate(1 / self._think))
            view = client.view
            if view.phase in {Phase.LOBBY, Phase.TALLY} and client.seat is not None:
                if not view.seats[client.seat].ready:
                    await self.send(cl.Ready(counter=client.next_counter()))
            elif view.phase is Phase.PLAYING and len(client.in_doubt) < 5:
                await self._move()

    async def _move(self) -> None:
        client, rng = self.client, self._rng
        view = client.view
        assert view.board is not None
        plays = list(client.legal_plays())
        useful = [play for play in plays if view.board.is_progress(play)]
        if useful and rng.random() < 0.9:
            await self.send(client.play_command(rng.choice(useful)))
        elif plays and rng.random() < 0.6:
            await self.send(client.play_command(rng.choice(plays)))
        elif not useful and client.seat is not None and not view.seats[client.seat].stuck:
            await self.send(cl.Stuck(counter=client.next_counter()))


class Simulation:
    """One match, with all that goes wrong."""

    def __init__(self, seed: int, world: World, folder: Path) -> None:
        loop = asyncio.get_running_loop()
        assert isinstance(loop, NetworkLoop)
        self._loop = loop
        self._seed = seed
        self._world = world
        self._path = folder / f"{seed}.db"
        self._jumped = 0
        self._is_calm = False
        self._rng = random.Random(f"{seed}/world")
        self._troubles: dict[str, int] = {}
        self._settings = Settings(
            port=PORT,
            seed=subseed(seed.to_bytes(32, "big"), "simulation"),
            kept_events=30,
            backlog_bytes=16_384,
            idle_table_seconds=LONGEST_SECONDS,
            command_burst=MANY,  # what a silent line held back may come all at once
            frame_burst=MANY,
        )

    def clock(self) -> int:
        """Return the server's time: it jumps now and then, as that of a machine that has slept."""
        return round(self._loop.time() * 1_000_000) + self._jumped

    async def run(self) -> Ran:
        """Play a match."""
        await self._open()
        players = [player async for player in self._guests()]
        troubling = asyncio.create_task(self._trouble())
        deadline = self._loop.time() + LONGEST_SECONDS
        while not all(player.is_over for player in players):
            await asyncio.sleep(1)
            assert self._loop.time() < deadline, [player.client.view.phase for player in players]
            assert not troubling.done(), troubling.result()
        self._is_calm = True
        await troubling
        self._heal()
        await asyncio.sleep(SETTLED_SECONDS)
        table = self._hall.room(players[0].client.code).table.view.snapshot(0)
        mirrors = [player.client.view.snapshot(0) for player in players]
        for player in players:
            await player.leave()
        assert all(mirror == table for mirror in mirrors)
        await self._shut()
        accounts = [player.account for player in players]
        return Ran(
            digest_of(accounts),
            check(accounts, halts=True),
            len(players[0].client.view.results),
            dict(self._troubles),
        )

    async def _guests(self) -> Any:
        world = self._world
        options = Options(
            **{
                "hands": world.hands,
                "countdown_ms": 200,
                "tally_ms": 60_000,
                "pause_after_ms": None,
                **world.options,
            }
        )
        client = await Client.create(URL, "Player 0", options)
        code, boards = client.code, Boards()
        for number in range(world.players + 1):
            if number == world.players:
                client = await Client.watch(URL, code)
            elif number:
                client = await Client.join(URL, code, f"Player {number}")
            client.patience = LONGEST_SECONDS
            rng = random.Random(f"{self._seed}/player/{number}")
            yield Player(client, self.clock, rng, world.think_seconds, boards)

    # The server.

    async def _open(self) -> None:
        self._journal = VirtualJournal(self._path, random.Random(f"{self._seed}/disk/{self._loop.time()}"))
        self._hall = Hall(self._settings, self.clock, (), self._journal)
        self._hall.restore()
        self._server = await start(self._settings, self._hall, self.clock)

    async def _shut(self) -> None:
        """Stop the server; whoever is connected is cut off."""
        self._server.close(code=1012)
        self._heal()
        await self._server.wait_closed()
        self._hall.close(for_good=False)
        self._journal.close()

    async def _crash(self) -> None:
        """Let the server die with all that is not on the disk, and start another one."""
        self._journal.die()
        self._loop.network.close(PORT)
        for line in self._loop.network.lines:
            line.cut()
        await self._shut()
        await asyncio.sleep(self._rng.uniform(0.05, 2.0))
        await self._open()

    # What goes wrong.

    async def _trouble(self) -> None:
        rng = self._rng
        kinds = [self._cut] * 4 + [self._silence, self._tire, self._jump, self._fill_disk, self._crash]
        while not self._is_calm:
            await asyncio.sleep(rng.expovariate(1 / self._world.trouble_seconds))
            kind = rng.choice(kinds)
            name = kind.__name__.strip("_")
            self._troubles[name] = self._troubles.get(name, 0) + 1
            await kind()

    async def _cut(self) -> None:
        """Break a line."""
        if self._loop.network.lines:
            self._rng.choice(self._loop.network.lines).cut()

    async def _silence(self) -> None:
        """Let nothing arrive on a line any more."""
        if self._loop.network.lines:
            self._rng.choice(self._loop.network.lines).is_silent = True

    async def _tire(self) -> None:
        """Let a client read nothing for some seconds."""
        if self._loop.network.lines:
            end = self._rng.choice(self._loop.network.lines).near
            end.is_awake = False
            self._loop.call_later(self._rng.uniform(0.1, 3), partial(wake, end))

    async def _jump(self) -> None:
        """Let the server's clock jump ahead."""
        self._jumped += self._rng.randrange(1, 30_000_000)

    async def _fill_disk(self) -> None:
        """Let the disk take nothing for a while."""
        self._journal.is_failing = True
        await asyncio.sleep(self._rng.uniform(0.1, 2))
        self._journal.is_failing = False

    def _heal(self) -> None:
        self._journal.is_failing = False
        for line in self._loop.network.lines:
            wake(line.near)
            if line.is_silent:
                line.cut()


def wake(end: Any) -> None:
    """Let a client read on."""
    end.is_awake = True
    end.read()


async def run(seed: int, world: World, folder: Path) -> Ran:
    """Run a simulation on the running loop."""
    return await Simulation(seed, world, folder).run()


def simulate(seed: int, world: World, folder: Path) -> Ran:
    """Play a match, and judge it.

    Args:
        seed: everything follows from it.
        world: what is played, and how bad everything is.
        folder: where the journal is.

    Raises:
        AssertionError: something is not as it must be.
        WrongHistory: what the clients tell cannot be.

    """
    with asyncio.Runner(loop_factory=partial(NetworkLoop, seed, world.faults)) as runner:
        try:
            return runner.run(run(seed, world, folder))
        finally:
            for path in folder.glob(f"{seed}.db*"):
                path.unlink()


def digest_of(accounts: Sequence[Account]) -> str:
    """Return a hash over all that was sent and heard, and when; tokens are left out, which are secret."""
    digest = hashlib.sha256()
    for account in accounts:
        for line in lines_of(account):
            digest.update(f"{line}\n".encode())
    return digest.hexdigest()


def lines_of(account: Account) -> Iterator[str]:
    """Yield what an account tells, a line an entry."""
    for at, what in account.entries:
        message: Message = what.model_copy(update={"token": None}) if isinstance(what, Seated) else what
        yield f"{account.seat} {at} {to_line(message)}"
