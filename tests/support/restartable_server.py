"""A server that is killed while players play, and players who write down what they were told."""

import asyncio
import contextlib
import inspect
import os
import random
import secrets
import shutil
import signal
import sys
import time
from collections import Counter
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any, Final, Self

from websockets.exceptions import ConnectionClosedError, WebSocketException

from racing_demon_client.errors import ConnectionFailed
from racing_demon_client.net.client import Client
from racing_demon_protocol.enums import CloseCode, Phase, Reason
from racing_demon_protocol.errors import CommandRefused
from racing_demon_protocol.table.state import TableState
from racing_demon_protocol.wire.codec import VERSION, encode
from racing_demon_protocol.wire.messages import Event
from racing_demon_protocol.wire.messages import client as cl
from racing_demon_protocol.wire.messages.events import Played
from racing_demon_protocol.wire.messages.server import Accepted, Halted, Refused, Snapshot
from racing_demon_protocol.wire.options import Options
from racing_demon_server.journal.interface import JournalReader
from racing_demon_server.journal.reader import log_of, options_of
from racing_demon_server.journal.sqlite.database import open_journal
from tests.support.hand_times import backward_glances, backward_times
from tests.support.ports import free_port, port_of
from tests.support.processes import PATIENT, Running, started
from tests.support.servers import PATIENCE, Peer, deadline, end_tasks

HANDS: Final = 100
PLAYS: Final = 15
"""Of each player in :func:`one_hand`."""

STANDS_STILL: Final = {f"refused: {Reason.HALTED}", f"refused: {Reason.PAUSED}"}
"""What is answered while nothing can be kept, or not everybody is back yet after the server has died."""


class RestartableServer:
    """A server on one port and one journal, that can be killed and started again.

    Attributes:
        url: where it is.
        restarts: for each start, the seconds from asking for it to the open port.

    """

    def __init__(self, fork_server: Running, journal: Path | str, *more: str) -> None:
        self._fork_server = fork_server
        self._arguments = ["--host=127.0.0.1", f"--journal={journal}", PATIENT, *more]
        self._pid = 0
        self.url = ""
        self.restarts: list[float] = []

    @classmethod
    @asynccontextmanager
    async def started(cls, journal: Path | str, *more: str, protocol: int = VERSION) -> AsyncIterator[Self]:
        """Start a server, perhaps with another version of the protocol; none is left in the end."""
        other = () if protocol == VERSION else ("tests.support.protocols", str(protocol))
        async with started(*other, "tests.support.fork_server", stderr=sys.stderr) as starting:
            server = cls(starting, journal, *more)
            try:
                await server.start()
                yield server
            finally:
                server.kill()

    async def start(self) -> None:
        """Start it, on the same port as before."""
        # Not one that the system gives: while the server is dead it would give it to somebody else.
        port = port_of(self.url) if self.url else free_port()
        began = time.perf_counter()
        self._fork_server.type(f"start --port={port} {' '.join(self._arguments)}")
        self._pid = int((await self._fork_server.line(r"^pid (\d+)")).group(1))
        self.url = (await self._fork_server.line(r"listening on (\S+)")).group(1)
        self.restarts.append(time.perf_counter() - began)

    async def stop(self) -> None:
        """Stop it as an operator does, and wait until it is gone."""
        pid = self._pid
        self.kill(signal.SIGTERM)
        status = Path(f"/proc/{pid}/status")
        await wait_until(lambda: not status.exists() or "State:\tZ" in status.read_text())

    @property
    def pid(self) -> int:
        """The number of its process."""
        return self._pid

    @property
    def is_running(self) -> bool:
        """Whether it runs; one that was killed and is not waited for does not."""
        return "State:\tZ" not in Path(f"/proc/{self._pid}/status").read_text()

    def kill(self, number: int = signal.SIGKILL) -> None:
        """Send it a signal, by default the one that nobody can catch."""
        if self._pid:
            with contextlib.suppress(ProcessLookupError):
                os.kill(self._pid, number)
            self._pid = 0


@dataclass
class Player:
    """Somebody who plays whatever is legal, and writes down all that the server says.

    Attributes:
        client: the connection.
        seen: every event, by its number, as it is on the wire.
        answered: what each command was answered, by its counter; ``Played`` for a play.
        sent: every command, by its counter.
        again: how often something was told that contradicts what was told before.
        rests: whether it sends nothing more for now.
        halts: what it was told about halts of its table: whether one began.

    """

    client: Client
    rng: random.Random
    seen: dict[int, bytes | str] = field(default_factory=dict)
    answered: dict[int, str] = field(default_factory=dict)
    sent: dict[int, cl.Command] = field(default_factory=dict)
    again: int = 0
    rests: bool = False
    halts: list[bool] = field(default_factory=list)

    def __str__(self) -> str:
        client, view = self.client, self.client.view
        there = [seat for seat, state in view.seats.items() if state.connected]
        return (
            f"seat {client.seat} of {client.code}: event {view.seq}, hand {view.hand_number}, {view.phase}, "
            f"{'paused, ' if view.paused else ''}{'online' if client.online else 'offline'}, "
            f"connected {there}, unanswered {[each.counter for each in client.unanswered]}"
        )

    async def play(self, seconds: float) -> None:
        """Play until the end of time, or the connection's; a play about every so many seconds."""
        playing = asyncio.create_task(self._choose(seconds))
        try:
            await self.listen()
        finally:
            playing.cancel()

    async def say(self, command: cl.Command) -> None:
        """Send a command until it is carried out; where the table stands still just now, it is sent again."""
        async with deadline(lambda: f"never carried out: {self.answered}"):
            while True:
                self.sent[command.counter] = command
                await self.client.send(command)
                await wait_until(lambda: command.counter in self.answered)  # noqa: B023
                if self.answered[command.counter] not in STANDS_STILL:
                    return
                await asyncio.sleep(0.05)
                command = command.model_copy(update={"counter": self.client.next_counter()})

    def forget(self) -> None:
        """Forget what was told: the history that it was told of is gone."""
        self.seen.clear()
        self.answered.clear()

    async def listen(self) -> None:
        """Write down what the server says."""
        async for message in self.client:
            match message:
                case Event():
                    frame = encode(message)
                    self.again += self.seen.setdefault(message.seq, frame) != frame
                    if isinstance(message, Played) and message.seat == self.client.seat:
                        self._record_answer(message.counter, "played")
                case Accepted():
                    self._record_answer(message.counter, "accepted")
                case Refused(counter=counter) if counter:
                    self._record_answer(counter, f"refused: {message.reason}")
                case Halted():
                    self.halts.append(message.halted)

    def _record_answer(self, counter: int, answer: str) -> None:
        if counter:
            self.again += self.answered.setdefault(counter, answer) != answer

    async def _choose(self, seconds: float) -> None:
        while True:
            await asyncio.sleep(self.rng.uniform(0, 2 * seconds))
            if self.rests:
                continue
            view, seat = self.client.view, self.client.seat
            assert seat is not None
            command: cl.Command | None = None
            plays = list(self.client.legal_plays())
            if view.phase is Phase.OVER and not view.seats[seat].ready:
                command = cl.Ready(counter=self.client.next_counter())
            elif (
                plays and not view.paused and not (view.seats[seat].stuck or len(self.client.unanswered) > 3)
            ):
                if self.rng.random() < 0.01:
                    command = cl.Stuck(counter=self.client.next_counter())
                else:
                    command = self.client.play_command(self.rng.choice(plays))
            if command is not None:
                self.sent[command.counter] = command
                await self.client.send(command)


async def _entered(entering: Callable[[], Awaitable[Client]]) -> Client:
    """Take a place, and try again where the server dies meanwhile: nothing was told then."""
    failed: list[Exception] = []
    async with deadline(lambda: f"no place at the table: {failed[-1:]}", PATIENCE):
        while True:
            try:
                return await entering()
            except (ConnectionFailed, CommandRefused) as error:
                failed.append(error)
            await asyncio.sleep(0.05)


def _can_play(player: Player) -> bool:
    return any(True for _ in player.client.legal_plays())


async def one_hand(url: str, halts: list[bool] | None = None) -> list[Player]:
    """Let two players play a match of one hand, taking turns, until both say that they are stuck.

    Args:
        url: where the server is.
        halts: becomes what both are told about halts.

    """
    told: list[bool] = [] if halts is None else halts
    options = Options(hands=1, countdown_ms=20, tally_ms=0)
    ann = await _entered(lambda: Client.create(url, "Ann", options))
    players = [Player(ann, random.Random("hand/0"), halts=told)]
    tasks = [asyncio.create_task(players[0].listen())]  # the disk may fail as Ben sits down
    token = secrets.token_hex(32)  # the same each time, or Ben could have two seats
    ben = await _entered(lambda: Client.join(url, ann.code, "Ben", token=token))
    assert ben.seat == 1
    players.append(Player(ben, random.Random("hand/1"), halts=told))
    tasks.append(asyncio.create_task(players[1].listen()))
    try:
        await players[0].say(cl.Start(counter=ann.next_counter()))
        await wait_until(lambda: ann.view.in_hand and ben.view.in_hand)
        for number in range(2 * PLAYS):
            player = players[number % 2]
            await wait_until(partial(_can_play, player))  # not while it catches up with what it missed
            play = player.rng.choice(list(player.client.legal_plays()))
            await player.say(player.client.play_command(play))
        for player in players:
            await player.say(cl.Stuck(counter=player.client.next_counter()))
        await wait_until(lambda: all(player.client.view.phase is Phase.OVER for player in players))
        if halts is not None:
            await wait_until(
                lambda: told.count(True) <= told.count(False)
            )  # the disk may fail with the last event
    finally:
        await end_tasks(tasks)
        for player in players:
            await player.client.close()
    return players


@asynccontextmanager
async def meeting(
    url: str,
    number: int,
    seed: int,
    seconds: float = 0.01,
    deadline: float = 60.0,
    *,
    last_url: str = "",
    **more: Any,
) -> AsyncIterator[list[Player]]:
    """Let some players sit down at a table and play, each with a client of its own, until the end of this.

    The last of them may have another way to the server; the table may have more options.
    """
    options = Options(hands=HANDS, countdown_ms=50, tally_ms=50, pause_after_ms=10_000, **more)
    async with contextlib.AsyncExitStack() as stack:
        ann = await stack.enter_async_context(await Client.create(url, "Ann", options))
        clients = [ann]
        for other in range(1, number):
            way = last_url if last_url and other == number - 1 else url
            joining = Client.join(way, ann.code, f"P{other}")
            clients.append(await stack.enter_async_context(await joining))
        players = []
        for index, client in enumerate(clients):
            client.patience = deadline
            players.append(Player(client, random.Random(f"{seed}/{index}")))
        await ann.send(cl.Start(counter=ann.next_counter()))
        tasks = [asyncio.create_task(player.play(seconds)) for player in players]
        try:
            yield players
        finally:
            await end_tasks(tasks)


@asynccontextmanager
async def entered_when_read(url: str, request: cl.Resume | cl.Watch) -> AsyncIterator[Peer]:
    """Enter a table as soon as the server has read it; what it is sent then is still to be heard."""
    while True:
        async with Peer.connect(url) as peer:
            await peer.greet()
            try:
                await peer.enter(request)
            except ConnectionClosedError as closed:
                if closed.rcvd is None or closed.rcvd.code != CloseCode.TRY_AGAIN:
                    raise
            else:
                yield peer
                return


async def glance(url: str, code: str) -> Snapshot:
    """Return a table as it is shown to somebody who comes now, or as soon as a server has read it."""
    async with deadline(lambda: code), entered_when_read(url, cl.Watch(code=code)) as passer_by:
        return await passer_by.until(Snapshot)


@asynccontextmanager
async def glances(url: str, code: str) -> AsyncIterator[list[Snapshot]]:
    """Let people look at a table, one after the other until the end of this; yield what they are shown."""
    shown: list[Snapshot] = []
    ends = asyncio.Event()

    async def look() -> None:
        while not ends.is_set():
            with contextlib.suppress(OSError, WebSocketException):  # the server is dead just now
                shown.append(await glance(url, code))
            await asyncio.sleep(0.02)

    looking = asyncio.create_task(look())
    try:
        yield shown
    finally:
        # Not cancelled: a connection that is just being closed would raise its own end instead, and go on.
        ends.set()
        await looking


async def wait_until(holds: Callable[[], bool], seconds: float = PATIENCE) -> None:
    """Look, every few milliseconds, whether something holds that other processes have a hand in."""
    async with deadline(lambda: f"it never held: {inspect.getclosurevars(holds).nonlocals}", seconds):
        while not holds():  # noqa: ASYNC110 - nobody here could tell of it
            await asyncio.sleep(0.005)


async def all_halted(players: Iterable[Player]) -> None:
    """Wait until everybody is told that the table stands still."""
    players = list(players)
    for each in players:
        each.halts.clear()
    await wait_until(lambda: all(True in each.halts for each in players))


async def all_answered(players: Iterable[Player]) -> None:
    """Let all rest until every command that was sent has its answer."""
    players = list(players)
    for each in players:
        each.rests = True
    await wait_until(lambda: all(each.client.online and not each.client.waiting for each in players))
    for each in players:
        each.rests = False


def copy_by_hand(source: Path, target: Path) -> None:
    """Copy a journal that no server writes, with the file that SQLite keeps beside it."""
    for suffix in ("", "-wal"):
        file = source.with_name(source.name + suffix)
        if file.exists():
            shutil.copy(file, target.with_name(target.name + suffix))


async def go_back(
    journal: Path, older: Path, players: Iterable[Player], put_back: Callable[[Path, Path], None]
) -> None:
    """Put an older copy in the place of a dead server's journal, once players have heard all it said."""
    players = list(players)
    await wait_until(lambda: not any(player.client.online for player in players))
    for player in players:
        player.forget()
    others = journal.parent.glob(f"{journal.stem}-*{journal.suffix}*")  # results and players
    for file in {*journal.parent.glob(f"{journal.name}*"), *others}:
        file.unlink()
    put_back(older, journal)


def mirrors_of(journal: Path, players: Iterable[Player]) -> list[bool]:
    """Tell for each player whether its table is the journal's after the event that it has heard last."""
    equal = []
    with contextlib.closing(open_journal(journal)) as db:
        for player in players:
            mirror = player.client.view
            (table,) = [table for table in db.tables() if table.code == mirror.code]
            view = TableState(table.code, options_of(table))
            for kept in log_of(db, table.id, last=mirror.seq):
                view.apply(kept.event)
            equal.append(view.snapshot(0) == mirror.snapshot(0))
    return equal


@dataclass(frozen=True)
class Verdict:
    """What a journal says of what players were told.

    Attributes:
        told: how many events and answers players were told.
        lost: those of them that the journal does not have, or has otherwise.
        doubled: commands that were carried out twice.
        gaps: numbers that are missing in the journal.
        backwards: events and snapshots that tell less time of a hand than had passed before.

    """

    told: int
    lost: int
    doubled: int
    gaps: int
    backwards: int

    @property
    def is_right(self) -> bool:
        """Whether the journal has all that was told, once, and time only goes on."""
        return (self.lost, self.doubled, self.gaps, self.backwards) == (0, 0, 0, 0)


def judge(journal: Path, players: Iterable[Player], shown: Iterable[Snapshot] = ()) -> Verdict:
    """Compare what players were told with what is in the journal of their table.

    Args:
        journal: the file.
        players: those who were told something.
        shown: the table, as it was shown to people who came one after the other.

    """
    with contextlib.closing(open_journal(journal)) as db:
        return judge_db(db, players, shown)


def judge_db(db: JournalReader, players: Iterable[Player], shown: Iterable[Snapshot] = ()) -> Verdict:
    """Compare what players were told with an open journal."""
    players = list(players)
    (table,) = [table for table in db.tables() if table.code == players[0].client.code]
    log = list(log_of(db, table.id))
    kept = {each.event.seq: each.event for each in log}
    frames = {seq: encode(event) for seq, event in kept.items()}
    plays = Counter(
        (each.seat, each.counter) for each in kept.values() if isinstance(each, Played) and each.counter
    )
    told = lost = 0
    for player in players:
        told += len(player.seen) + len(player.answered)
        lost += sum(frames.get(seq) != frame for seq, frame in player.seen.items()) + player.again
        for counter, answer in player.answered.items():
            was_played = plays[player.client.seat or 0, counter] == 1
            lost += was_played is not (answer == "played" and isinstance(player.sent[counter], cl.PlayCards))
    doubled = sum(count > 1 for count in plays.values())
    backwards = len([*backward_times(log), *backward_glances(shown)])
    return Verdict(told, lost, doubled, max(kept) - len(kept), backwards)
