"""What spectators cost the players: rounds without and with many, and some who never read."""

import asyncio
import time
from collections.abc import AsyncIterator, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field
from typing import Final

from benchmarks.helpers import Helper, processors
from benchmarks.player_group import PlayerGroup, Seen, player_group_at

PROCESSES: Final = 2
"""So many processes share the spectators."""
SETTLE_SECONDS: Final = 0.5
POLL_SECONDS: Final = 0.1


@dataclass(frozen=True, slots=True)
class Stretch:
    """Some seconds of play.

    Attributes:
        seconds: how long it was.
        seen: how the plays reached the other players.
        cpu: how busy the server kept a processor, in percent; ``None`` where the system does not tell.

    """

    seconds: float
    seen: Seen
    cpu: float | None


@dataclass(frozen=True, slots=True)
class Round:
    """One stretch without spectators, and one with them.

    Attributes:
        alone: without.
        watched: with.
        behind_ms: after the second, until the last spectator had the newest event of it.
        rate: how many messages a second the spectators got meanwhile, all together.
        gaps: how many events did not follow the one before.
        lost: how many spectators lost their connection.

    """

    alone: Stretch
    watched: Stretch
    behind_ms: float
    rate: float
    gaps: int
    lost: int


@dataclass(slots=True)
class SilentOnes:
    """What came of spectators who never read, among others who do.

    Attributes:
        without: the table with only those who read.
        during: the same with those who do not, until the server has let them go.
        lived: for how many seconds each of those that it has let go had stood.
        left: how many it had not let go in the end.
        waiting: the most bytes that waited for any of them in the server.
        in_system: the most that waited for any of them in the system.
        cuts: how often the server cut a connection by itself, by its words for why.
        readers_lost: how many of those who read lost their connection.
        gaps: how many events did not follow the one before, for those who read.

    """

    without: Stretch
    during: Stretch
    lived: Sequence[float] = ()
    left: int = 0
    waiting: int = 0
    in_system: int = 0
    cuts: dict[str, int] = field(default_factory=dict)
    readers_lost: int = 0
    gaps: int = 0


class Audience:
    """The spectators' processes."""

    def __init__(self, helpers: Sequence[Helper]) -> None:
        self._helpers = helpers

    @classmethod
    @asynccontextmanager
    async def waiting(cls) -> AsyncIterator["Audience"]:
        """Start the processes; nobody watches yet."""
        async with AsyncExitStack() as stack:
            helpers = [
                await stack.enter_async_context(Helper.running("benchmarks.onlookers"))
                for _ in range(PROCESSES)
            ]
            for helper in helpers:
                helper.stay_on(processors()[1])
            yield cls(helpers)

    async def come(self, how: str, url: str, code: str, number: int) -> list[int]:
        """Let more spectators come, who ``watch`` or ``stare``; return their ports."""
        shares = [(number + index) // len(self._helpers) for index in range(len(self._helpers))]
        answers = await asyncio.gather(
            *(helper.ask(how, url, code, share) for helper, share in zip(self._helpers, shares, strict=True))
        )
        return [port for ports in answers for port in ports]

    async def follow(self, seq: int) -> float:
        """Wait until all have an event; return how many milliseconds that took."""
        begin = time.monotonic()
        await asyncio.gather(*(helper.ask("until", seq) for helper in self._helpers))
        return 1_000 * (time.monotonic() - begin)

    async def told(self) -> dict[str, int]:
        """Return what those who read have had since they were last asked."""
        answers = await asyncio.gather(*(helper.ask("tell") for helper in self._helpers))
        return {what: sum(answer[what] for answer in answers) for what in answers[0]}

    async def leave(self) -> None:
        """Let all go."""
        await asyncio.gather(*(helper.ask("leave") for helper in self._helpers))


async def measure_rounds(spectators: int, rounds: int, seconds: float) -> list[Round]:
    """Measure a table without and with spectators in turn, on a server as everybody runs it.

    Args:
        spectators: how many.
        rounds: how often, each way.
        seconds: for how long, each time.

    Raises:
        HelperEnded: a program of the benchmark ended.
        ConnectionError: a player was cut off.
        TimeoutError: somebody did not come, or did not go.

    """
    command = ["--host=127.0.0.1", "--port=0", "--stop-with-stdin", "--seed", "0" * 64]
    async with Helper.running("racing_demon_server", *command) as server, Audience.waiting() as audience:
        url = await server.url()
        server.stay_on(processors()[0])
        async with player_group_at(url) as group:
            return [await _round(server, audience, group, url, spectators, seconds) for _ in range(rounds)]


async def _round(  # noqa: PLR0913, PLR0917
    server: Helper, audience: Audience, group: PlayerGroup, url: str, spectators: int, seconds: float
) -> Round:
    alone = await _stretch(server, group, seconds)
    await audience.come("watch", url, group.code, spectators)
    await group.until(lambda: group.watchers == spectators)
    await audience.told()
    watched = await _stretch(server, group, seconds)
    behind = await audience.follow(group.seq)
    told = await audience.told()
    await audience.leave()
    await group.until(lambda: group.watchers == 0)
    rate = told["frames"] / (watched.seconds + SETTLE_SECONDS)
    return Round(alone, watched, behind, rate, told["gaps"], told["lost"])


async def _stretch(server: Helper, group: PlayerGroup, seconds: float) -> Stretch:
    async with _stretching(server, group) as stretches:
        await asyncio.sleep(seconds)
    return stretches[0]


@asynccontextmanager
async def _stretching(server: Helper, group: PlayerGroup) -> AsyncIterator[list[Stretch]]:
    """Let the group play and measure while the context lasts; afterwards the list has what was measured."""
    stretches: list[Stretch] = []
    group.resting = False
    await asyncio.sleep(SETTLE_SECONDS)
    begin, before = time.monotonic_ns(), server.cpu_seconds()
    yield stretches
    end, after = time.monotonic_ns(), server.cpu_seconds()
    seconds = (end - begin) / 1e9
    cpu = None if before is None or after is None else 100 * (after - before) / seconds
    group.resting = True
    stretches.append(Stretch(seconds, await group.seen_between(begin, end), cpu))


async def measure_silent(readers: int, silent: int, seconds: float, patience: float) -> SilentOnes:
    """Measure a table with spectators some of whom never read.

    Args:
        readers: how many read.
        silent: how many do not.
        seconds: for how long those who read are alone, first.
        patience: for how many seconds the server may keep those who do not read.

    Raises:
        HelperEnded: a program of the benchmark ended.
        ConnectionError: a player was cut off.
        TimeoutError: somebody did not come.

    """
    async with Helper.running("benchmarks.glass_server") as server, Audience.waiting() as audience:
        url = await server.url()
        server.stay_on(processors()[0])
        async with player_group_at(url) as group:
            await audience.come("watch", url, group.code, readers)
            await group.until(lambda: group.watchers == readers)
            without = await _stretch(server, group, seconds)
            async with _stretching(server, group) as stretches:
                ports = await audience.come("stare", url, group.code, silent)
                await _until_gone(server, ports, patience)
            await audience.follow(group.seq)
            found = SilentOnes(without, stretches[0])
            told = await audience.told()
            found.readers_lost, found.gaps = told["lost"], told["gaps"]
            _record_stays(found, await server.ask("look", *ports))
            found.cuts = await server.ask("cuts")
            return found


async def _until_gone(server: Helper, ports: Sequence[int], patience: float) -> None:
    deadline = time.monotonic() + patience
    while time.monotonic() < deadline:
        await asyncio.sleep(POLL_SECONDS)
        if all(stay["gone"] for stay in await server.ask("look", *ports)):
            return


def _record_stays(found: SilentOnes, stays: Sequence[dict[str, float]]) -> None:
    found.lived = [stay["seconds"] for stay in stays if stay["gone"]]
    found.left = len(stays) - len(found.lived)
    found.waiting = int(max(stay["waiting"] for stay in stays))
    found.in_system = int(max(stay["in_system"] for stay in stays))
