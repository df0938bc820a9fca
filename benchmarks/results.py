"""What a server's results cost: making them, the time of each page, and what the tables feel of it.

python -m benchmarks.results [--matches 10000] [--players 500] [--played 40]

First results are made of matches that bots have played, with and without what their hands were like. Those of
the pages are made up; the files, the threads and the questions are the server's.
"""

import argparse
import asyncio
import hashlib
import json
import random
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from statistics import median, quantiles
from typing import Any, Final
from unittest.mock import patch

from tests.support.journals import journaled, play_match
from tests.support.results import get
from tests.support.servers import Peer
from tests.support.whole_servers import WholeServer, whole_server

from racing_demon_protocol.enums import EndReason
from racing_demon_protocol.records.summary import HandSummary, MatchSummary, PlayerSummary, Summarizer
from racing_demon_protocol.wire.messages import client as cl
from racing_demon_protocol.wire.messages.events import HandOver
from racing_demon_server.enums import StandingsAccess
from racing_demon_server.journal.interface import JournalReader
from racing_demon_server.journal.sqlite.database import reading
from racing_demon_server.ops import garbage_collection
from racing_demon_server.players.directory import Directory
from racing_demon_server.players.file import PlayersFile
from racing_demon_server.players.store import Player
from racing_demon_server.results import maker
from racing_demon_server.results.file import ResultsFile
from racing_demon_server.results.maker import ResultsMaker
from racing_demon_server.results.query import Filter, StandingsQuery
from racing_demon_server.results.worker import ResultsWorker

HANDS: Final = 5
SEATS: Final = 4
TICK_SECONDS: Final = 0.001
AT_ONCE: Final = 4
TURNS: Final = 3
TIMES: Final = 100
"""How often the short questions are asked, for enough readings."""
GAMES: Final = ("racing-demon", "classic", "nerts")


def match(rng: random.Random, number: int, players: Sequence[Player]) -> MatchSummary:
    """Return a made-up match."""
    chosen = rng.sample(players, SEATS)
    people = tuple(PlayerSummary(seat=seat, name=who.name, player=who.id) for seat, who in enumerate(chosen))
    hands = tuple(
        HandSummary(
            hand=hand,
            reason=EndReason.OUT,
            out=rng.randrange(SEATS),
            elapsed_ms=180_000,
            points={seat: rng.randrange(62) for seat in range(SEATS)},
            plays=dict.fromkeys(range(SEATS), 60),
            races=tuple((rng.randrange(2), 2 + rng.randrange(2), 400_000, 30_000) for _ in range(6)),
        )
        for hand in range(1, HANDS + 1)
    )
    totals = {seat: sum(hand.points[seat] for hand in hands) for seat in range(SEATS)}
    best = max(totals.values())
    return MatchSummary(
        code="BCDF",
        game=rng.choice(GAMES),
        started_ms=number * 1_000,
        ended_ms=number * 1_000 + 900_000,
        players=people,
        hands=hands,
        winners=tuple(seat for seat, total in totals.items() if total == best),
        finished=True,
    )


async def play(journal: Path, matches: int) -> None:
    """Let hard bots play matches of two hands at tables of a server with a journal, a few at a time."""
    options: dict[str, Any] = {"game": "classic", "reserve": 13, "countdown_ms": 0, "tally_ms": 0}
    async with journaled(journal, bot_speed=20.0) as served:
        for _ in range(0, matches, AT_ONCE):
            playing = (play_match(served.url, bots=SEATS, hands=2, **options) for _ in range(AT_ONCE))
            await asyncio.gather(*playing)


class WithoutNotes(Summarizer):
    """Summarizes matches without what their hands were like."""

    def __init__(self, name: str = "", *, rest: Callable[[], None], **_: object) -> None:
        super().__init__(name, rest=rest)


def make_results(journal: Path, matches: int) -> None:
    """Make the results of a journal's matches, as a server does after them."""
    with tempfile.TemporaryDirectory() as folder, ResultsFile(Path(folder) / "results.sqlite") as file:
        made = ResultsMaker(file, partial(reading, journal), "")
        for table in range(1, matches + 1):
            made.update(table)


async def tell_of_making(matches: int) -> None:
    """Print what results cost to make, by turns without and with notes."""
    with tempfile.TemporaryDirectory() as folder:
        journal = Path(folder) / "journal.sqlite"
        await play(journal, matches)
        found: dict[str, list[tuple[float, list[float]]]] = {}
        for _ in range(TURNS):
            for what, summarizer in (("without notes", WithoutNotes), ("with notes", Summarizer)):
                with patch.object(maker, "Summarizer", summarizer):
                    found.setdefault(what, []).append(await lags(partial(make_results, journal, matches)))
    for what, turns in found.items():
        seconds = median(each for each, _ in turns) / matches / 2
        late = [ms for _, each in turns for ms in each]
        sys.stdout.write(f"results made, {what}: {seconds * 1_000:.1f} ms a hand; {p99(late)}\n")


async def tell_of_waiting(hands: int) -> None:
    """Print how soon after its tally a hand's moments are on its match's page, while another table plays."""
    waited: list[float] = []
    with tempfile.TemporaryDirectory() as folder:
        options: dict[str, Any] = {"game": "classic", "reserve": 13, "countdown_ms": 0, "tally_ms": 0}
        async with whole_server(Path(folder) / "journal.sqlite", bot_speed=20.0) as (server, url):
            other = asyncio.create_task(play_match(url, bots=SEATS, hands=hands, **options))
            async with Peer.hosting(url, seated=False, hands=hands, **options) as host:
                for _ in range(SEATS):
                    await host.ask(cl.AddBot, level="hard")
                await host.ask(cl.Start)
                for hand in range(1, hands + 1):
                    await host.until(HandOver)
                    waited.append(await _until_told(server, host, hand))
            await other
    sys.stdout.write(
        f"moments on the page after the tally: median {median(waited):.2f} s, most {max(waited):.2f} s\n"
    )


async def _until_told(server: WholeServer, host: Peer, hand: int) -> float:
    """Return after how many seconds a player of a match finds what decided a hand on its page."""
    loop = asyncio.get_running_loop()
    begun, token = loop.time(), {"Authorization": f"Bearer {host.token}"}
    while True:
        _, body = await get(server, f"/v1/matches?table={host.code}", **token)
        for match in json.loads(body)["matches"]:
            _, body = await get(server, f"/v1/matches/{match['link']}/moments", **token)
            if any(each["hand"] == hand and each["moments"] for each in json.loads(body)["hands"]):
                return loop.time() - begun
        await asyncio.sleep(TICK_SECONDS * 50)


def enrolled(store: PlayersFile, number: int) -> list[Player]:
    """Return a number of players whom a server remembers."""
    directory, players = Directory(store), []
    with store.transaction():
        for which in range(number):
            key, randomness = (hashlib.sha256(f"{what} {which}".encode()).digest() for what in ("key", "id"))
            players.append(directory.enroll(f"Player {which}", key, "", 0, randomness)[0])
    return players


@contextmanager
def no_journal() -> Iterator[JournalReader]:
    """Open no journal: everything that is asked for is in the results."""
    raise NotImplementedError
    yield


async def lags(work: Callable[[], object]) -> tuple[float, list[float]]:
    """Return the seconds of some work in a thread, and how late the loop's timers were meanwhile, in ms."""
    late: list[float] = []
    loop = asyncio.get_running_loop()
    begun = loop.time()
    working = loop.run_in_executor(None, work)
    while not working.done():
        before = loop.time()
        await asyncio.sleep(TICK_SECONDS)
        late.append((loop.time() - before - TICK_SECONDS) * 1_000)
    await working
    return loop.time() - begun, late


def repeat(ask: Callable[[int], object], times: int) -> None:
    """Ask repeatedly, like a thread that has other things to do between two questions."""
    for which in range(times):
        ask(which)
        time.sleep(TICK_SECONDS)


def p99(late: list[float]) -> str:
    """Return the 99th percentile and the most, in words."""
    return (
        f"timers late: p99 {quantiles(late, n=100)[98]:.2f} ms, most {max(late):.2f} ms"
        if len(late) > 1
        else ""
    )


async def main() -> None:
    """Run the benchmark."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--matches", type=int, default=10_000)
    parser.add_argument("--players", type=int, default=500)
    parser.add_argument("--played", type=int, default=40)
    given = parser.parse_args()
    if given.played:
        with garbage_collection.small_collections():
            await tell_of_making(given.played)
            await tell_of_waiting(given.played // 4)
    if not given.matches:
        return
    rng = random.Random(1)  # noqa: S311 - made-up matches
    with tempfile.TemporaryDirectory() as folder, garbage_collection.small_collections():
        store = PlayersFile(Path(folder) / "players.sqlite", "ab" * 32)
        players = enrolled(store, given.players)
        with ResultsFile(Path(folder) / "results.sqlite") as file:
            for number in range(given.matches):
                file.save("journal", f"{number}.1", match(rng, number, players), is_over=True)
            worker = ResultsWorker(file, no_journal, "journal", store)
            link = next(iter(file.ended())).link
            _, late = await lags(lambda: time.sleep(5))
            sys.stdout.write(f"nothing: {p99(late)}\n")
            query, one_game = StandingsQuery(), StandingsQuery(Filter(game="nerts"))
            found = worker.result(link)
            assert found is not None

            def standings(query: StandingsQuery) -> None:
                worker.standings(query, StandingsAccess.OPEN, "")

            def add_match(which: int) -> None:
                number = given.matches + which
                file.save("journal", f"{number}.1", match(rng, number, players), is_over=True)
                standings(query)

            questions: tuple[tuple[str, int, Callable[[int], object]], ...] = (
                ("standings, the first time", 1, lambda _: standings(query)),
                ("standings of a game, the first time", 1, lambda _: standings(one_game)),
                ("standings, again", TIMES, lambda _: standings(query)),
                ("standings after another match", TIMES, add_match),
                (
                    "a player",
                    TIMES,
                    lambda which: worker.player(players[which % len(players)].id, StandingsAccess.OPEN, ""),
                ),
                ("a match", TIMES, lambda _: worker.match(worker.result(link) or found)),
            )
            for what, times, ask in questions:
                seconds, late = await lags(partial(repeat, ask, times))
                sys.stdout.write(f"{what}: {seconds / times * 1_000:.1f} ms; {p99(late)}\n")
            worker.close()


if __name__ == "__main__":
    asyncio.run(main())
