"""The whole system but its sockets, in virtual time: server and clients as they are, on a bad network.

Everything follows from a seed: who plays what and when, what the lines do, when the disk takes nothing and
when the server dies. After every event every mirror is checked; in the end what all tell must be a history
that can be (:mod:`.history`), and its hash is the same whenever the seed is.
"""

import asyncio
import contextlib
import hashlib
import random
from collections import Counter
from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import Any, Final, NamedTuple

from racing_demon_client.net.client import Client
from racing_demon_client.net.shuffle_client import ContributionState
from racing_demon_protocol.engine.commit_reveal import SEED_SIZE
from racing_demon_protocol.engine.deal import subseed
from racing_demon_protocol.records.format import message_line
from racing_demon_protocol.records.verify import verify
from racing_demon_protocol.wire.messages import Event, Message
from racing_demon_protocol.wire.messages import client as cl
from racing_demon_protocol.wire.messages.server import Seated, Snapshot
from racing_demon_protocol.wire.options import Options
from racing_demon_server.journal.reader import beginnings_of, log_of, options_of
from racing_demon_server.journal.sqlite.database import open_journal
from racing_demon_server.settings import ServerSettings
from racing_demon_server.tables.registry import Registry
from tests.lab.histories.arrival_order import check_arrivals
from tests.lab.histories.checker import Findings, check
from tests.lab.histories.client_log import ClientLog, Told
from tests.lab.simulation.network import VISITOR, Faults, NetworkLoop
from tests.lab.simulation.players import Boards, Player
from tests.lab.simulation.readings import Readings
from tests.support.hand_times import backward_times
from tests.support.servers import start
from tests.support.virtual_journal import VirtualJournal

PORT: Final = 5252
URL: Final = f"ws://127.0.0.1:{PORT}/v1"
SETTLED_SECONDS: Final = 25.0
"""After the last fault so long, and everybody has heard everything."""
MAX_SECONDS: Final = 3_600.0
"""A match that is not over then never will be."""
STALL_SECONDS: Final = 100.0
"""Those who are connected get on with the hand in this time, whoever else is away."""
BOT_SPEED: Final = 4.0
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
        bots: the levels of the bots that play with them.
        absences: whether players are away now and then, for longer than others wait for them.

    """

    players: int = 3
    hands: int = 4
    options: dict[str, Any] = {}  # noqa: RUF012 - nobody changes it
    faults: Faults = Faults()
    fault_seconds: float = 2.0
    think_seconds: float = 0.3
    bots: tuple[str, ...] = ()
    absences: bool = False


class Ran(NamedTuple):
    """What came of it.

    Attributes:
        digest: a hash over all that was sent and heard.
        findings: what the players tell.
        hands: how many hands were played.
        occurred: what went wrong, and how often.
        proven: how many hands proved themselves to somebody.
        counted: how often somebody's contribution was in a seed.
        left_out: how often it was not.

    """

    digest: str
    findings: Findings
    hands: int
    occurred: dict[str, int]
    proven: int
    counted: int
    left_out: int


class Repeatable(Client):
    """A client whose contributions follow from a seed, and from how many there were before."""

    chance = random.Random()

    def random_bytes(self) -> bytes:
        """Return bytes for a shuffle."""
        return self.chance.randbytes(SEED_SIZE)


class Simulation:
    """One match, with all that goes wrong."""

    def __init__(self, seed: int, world: World, folder: Path) -> None:
        loop = asyncio.get_running_loop()
        assert isinstance(loop, NetworkLoop)
        self._loop = loop
        self._seed = seed
        self._world = world
        self._path = folder / f"{seed}.db"
        self._jumped = self._newest = 0
        self._is_calm = False
        self._players: list[Player] = []
        self._readings = Readings(self.clock)
        loop.network.read = lambda line, data: self._readings.record(line, line.visitor, data)
        self._rng = random.Random(f"{seed}/world")
        self._troubles: dict[str, int] = {}
        self._settings = ServerSettings(
            port=PORT,
            seed=subseed(seed.to_bytes(32, "big"), "simulation"),
            contributions=True,
            kept_events=30,
            backlog_bytes=16_384,
            idle_table_seconds=MAX_SECONDS,
            command_burst=MANY,  # what a silent line held back may come all at once
            frame_burst=MANY,
            units_per_connection=MANY,
            bot_speed=BOT_SPEED,
        )

    def clock(self) -> int:
        """Return the server's time: it jumps now and then, as that of a machine that has slept.

        To look at it takes a microsecond: so no two things happen at the same moment.
        """
        self._newest = max(self._newest + 1, round(self._loop.time() * 1_000_000) + self._jumped)
        return self._newest

    async def run(self) -> Ran:
        """Play a match."""
        await self._open()
        players = self._players = [player async for player in self._guests()]
        for level in self._world.bots:
            counter = players[0].client.next_counter()
            await players[0].send(cl.AddBot(counter=counter, level=level))
        troubling = asyncio.create_task(self._trouble())
        deadline = self._loop.time() + MAX_SECONDS
        stalled, got_on = 0, -1
        while not all(player.is_over for player in players):
            await asyncio.sleep(1)
            assert self._loop.time() < deadline, [player.client.view.phase for player in players]
            assert not troubling.done(), troubling.result()
            before, got_on = got_on, sum(player.got_on for player in players)
            seated = [player.client for player in players if not player.is_over]
            is_there = any(client.online for client in seated if client.seat is not None)
            stalled = stalled + 1 if is_there and before == got_on else 0
            assert stalled < STALL_SECONDS, f"the table hangs: {players[0].client.view.snapshot(0)}"
        self._is_calm = True
        await troubling
        self._heal()
        await asyncio.sleep(SETTLED_SECONDS)
        table = self._registry.room(players[0].client.code).table.view.snapshot(0)
        mirrors = [player.client.view.snapshot(0) for player in players]
        for player in players:
            await player.leave()
        assert all(mirror == table for mirror in mirrors)
        await self._shut()
        client_logs = [player.client_log for player in players]
        findings = self._check(client_logs)
        parts: Counter[ContributionState] = sum((player.parts for player in players), Counter())
        assert not parts.keys() & {ContributionState.CHANGED, ContributionState.REPEATED}, parts
        return Ran(
            digest_of(client_logs),
            findings,
            len(players[0].client.view.results),
            dict(self._troubles),
            sum(verify(public_of(client_log)).hands for client_log in client_logs),
            parts[ContributionState.COUNTED],
            parts[ContributionState.LEFT_OUT],
        )

    def _check(self, client_logs: Sequence[ClientLog]) -> Findings:
        """Check what was told; that arrival order was the law; and that no hand's time ran backwards."""
        with contextlib.closing(open_journal(self._path)) as db:
            (table,) = db.tables()
            log = list(log_of(db, table.id))
            beginnings = beginnings_of(db, table.id)
            events = [stored.event for stored in log]
            findings = check(client_logs, halts=True, journal=events)
            calls = Told(client_logs, events).calls
            check_arrivals(options_of(table), log, calls, self._readings.moments, beginnings)
            assert list(backward_times(log)) == []
        return findings

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
        VISITOR.set(0)
        Repeatable.chance = random.Random(f"{self._seed}/contributions")
        client = await Repeatable.create(URL, "Player 0", options)
        code, boards = client.code, Boards()
        for number in range(world.players + 1):
            VISITOR.set(number)
            if number == world.players:
                client = await Repeatable.watch(URL, code)
            elif number:
                client = await Repeatable.join(URL, code, f"Player {number}")
            client.patience = MAX_SECONDS
            rng = random.Random(f"{self._seed}/player/{number}")
            yield Player(client, self.clock, rng, world.think_seconds, boards)

    # The server.

    async def _open(self) -> None:
        self._journal = VirtualJournal(self._path, random.Random(f"{self._seed}/disk/{self._loop.time()}"))
        self._registry = Registry(self._settings, self.clock, self._journal)
        self._registry.restore()
        self._server = await start(self._settings, self._registry, self.clock)

    async def _shut(self) -> None:
        """Stop the server; whoever is connected is cut off."""
        self._server.close(code=1012)
        self._heal()
        await self._server.wait_closed()
        self._registry.close(for_good=False)
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
        if self._world.absences:
            kinds += [self._go_away] * 2
        while not self._is_calm:
            await asyncio.sleep(rng.expovariate(1 / self._world.fault_seconds))
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

    async def _go_away(self) -> None:
        """Let a player be away for a while, in which nothing else goes wrong; best when another is out."""
        for _ in range(200):
            if any(player.is_out for player in self._players):
                break
            await asyncio.sleep(0.05)
        seated = [player for player in self._players if player.client.seat is not None]
        away = self._rng.choice([player for player in seated if not player.is_out] or seated)
        assert away.client.seat is not None
        network = self._loop.network
        network.unreachable.add(away.client.seat)
        for line in network.lines:
            if line.visitor == away.client.seat:
                line.cut()
        await asyncio.sleep(self._rng.choice([5, 15, 30, STALL_SECONDS * 1.2]))
        network.unreachable.clear()

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


def public_of(client_log: ClientLog) -> Iterator[Message]:
    """Yield what somebody has heard that everybody could."""
    for _, what in client_log.entries:
        if isinstance(what, Snapshot | Event):
            yield what


def digest_of(client_logs: Sequence[ClientLog]) -> str:
    """Return a hash over all that was sent and heard, and when; not tokens and epochs: they are random."""
    digest = hashlib.sha256()
    for client_log in client_logs:
        for line in lines_of(client_log):
            digest.update(f"{line}\n".encode())
    return digest.hexdigest()


def lines_of(client_log: ClientLog) -> Iterator[str]:
    """Yield what an account tells, a line an entry."""
    for at, what in client_log.entries:
        message: Message = (
            what.model_copy(update={"token": None, "epoch": ""}) if isinstance(what, Seated) else what
        )
        yield f"{client_log.seat} {at} {message_line(message)}"
