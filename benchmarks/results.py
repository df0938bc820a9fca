"""What a server's results cost: the time of each page, and what the tables feel of it.

python -m benchmarks.results [--matches 10000] [--players 500]

The results are made up; the file, the thread and the questions are the server's.
"""

import argparse
import asyncio
import hashlib
import random
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from statistics import quantiles
from typing import Final

from racing_demon_protocol.enums import EndReason
from racing_demon_protocol.records.summary import HandSummary, MatchSummary, PlayerSummary
from racing_demon_server.enums import StandingsAccess
from racing_demon_server.journal.interface import JournalReader
from racing_demon_server.ops import garbage_collection
from racing_demon_server.players.directory import Directory
from racing_demon_server.players.file import PlayersFile
from racing_demon_server.players.store import Player
from racing_demon_server.results.file import ResultsFile
from racing_demon_server.results.query import Filter, StandingsQuery
from racing_demon_server.results.worker import ResultsWorker

HANDS: Final = 5
SEATS: Final = 4
TICK_SECONDS: Final = 0.001
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
    given = parser.parse_args()
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
