"""The thread that answers questions about results works a little at a time."""

import json
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any, cast

import pytest

from racing_demon_protocol.enums import EndReason, Phase
from racing_demon_protocol.records.format import read_records
from racing_demon_protocol.records.summary import HandSummary, MatchSummary, PlayerSummary, summarize
from racing_demon_protocol.wire.messages import client as cl
from racing_demon_protocol.wire.messages.events import HandOver, MatchOver, Signalled
from racing_demon_protocol.wire.player_proof import secret_hash
from racing_demon_server.enums import StandingsAccess
from racing_demon_server.journal.interface import JournalReader
from racing_demon_server.journal.matches import FORMER, PIECE, export, matches
from racing_demon_server.journal.sqlite.database import reading
from racing_demon_server.players.directory import Directory
from racing_demon_server.players.file import PlayersFile
from racing_demon_server.players.store import Player
from racing_demon_server.results.file import ResultsFile
from racing_demon_server.results.maker import ResultsMaker
from racing_demon_server.results.query import Filter, StandingsQuery, Stopping
from racing_demon_server.results.store import Result
from racing_demon_server.results.worker import ResultsWorker
from tests.support.servers import Peer
from tests.support.whole_servers import whole_server

HAND = HandSummary(hand=1, reason=EndReason.OUT, out=0, elapsed_ms=1_000, points={0: 5, 1: 3}, plays={})
MATCH = MatchSummary(
    game="classic",
    ended_ms=1,
    players=(PlayerSummary(seat=0, name="Ann"), PlayerSummary(seat=1, name="Ben")),
    hands=(HAND,),
    winners=(0,),
    finished=True,
)
QUESTIONS: dict[str, Callable[[ResultsWorker, Result], object]] = {
    "standings": lambda worker, _: worker.standings(StandingsQuery(), StandingsAccess.OPEN, ""),
    "match": lambda worker, result: worker.match(result),
    "matches of a table": lambda worker, _: worker.of_table(1),
}


@contextmanager
def no_journal() -> Iterator[JournalReader]:
    """Open no journal: everything that is asked for is in the results."""
    raise NotImplementedError
    yield


@pytest.mark.parametrize("what", QUESTIONS)
def test_an_answer_is_made_in_steps(tmp_path: Path, what: str) -> None:
    """Between two steps the thread looks whether the server is stopping, and leaves the loop its turn."""
    with ResultsFile(tmp_path / "results.sqlite") as file:
        file.save("journal", "1.1", MATCH, is_over=True)
        worker, (result,) = ResultsWorker(file, no_journal, "journal"), file.ended()
        assert QUESTIONS[what](worker, result)
        worker.is_stopping = True
        with pytest.raises(Stopping):
            QUESTIONS[what](worker, result)


class Streaming(ResultsFile):
    """A file of results that counts the results that are read from it one after the other."""

    streamed = 0

    def stream(self, sql: str, *values: object) -> Iterator[Sequence[Any]]:
        """Count what is found."""
        for row in super().stream(sql, *values):
            self.streamed += 1
            yield row


def played_by(*players: Player, ended_ms: int) -> MatchSummary:
    """Return a match of players whom the server remembers."""
    seated = tuple(
        PlayerSummary(seat=seat, name=each.name, player=each.id) for seat, each in enumerate(players)
    )
    return MATCH.model_copy(update={"players": seated, "ended_ms": ended_ms})


def names_of(worker: ResultsWorker) -> list[str]:
    """Return who is in the standings."""
    found = worker.standings(StandingsQuery(), StandingsAccess.OPEN, "")
    assert found is not None
    return [row["name"] for row in json.loads(found[1])["rows"]]


def test_sums_are_made_in_slices(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What is added a little at a time, while matches are corrected, is what is added at once."""
    monkeypatch.setattr("racing_demon_server.results.worker.SLICE_SECONDS", 0)
    season = Filter(game="classic")
    query = StandingsQuery(season)
    with ResultsFile(tmp_path / "results.sqlite") as file:
        for number in range(1, 11):
            match = MATCH.model_copy(update={"ended_ms": number * 100_000})
            file.save("journal", f"{number}.1", match, is_over=True)
        worker = ResultsWorker(file, no_journal, "journal")
        slices, sums = 1, worker.add_to_sums(season)
        while sums is not None:
            if slices == 5:  # one that is in the sums, and one that is not
                for number in (2, 8):
                    (old,) = file.of_table("journal", number, 1)
                    won = old.summary.model_copy(update={"winners": (1,)})
                    file.save("journal", f"{number}.1", won, is_over=True, replaces=old.id)
            slices, sums = slices + 1, worker.add_to_sums(season, sums)
        assert slices >= 10
        slowly = worker.standings(query, StandingsAccess.OPEN, "")
        at_once = ResultsWorker(file, no_journal, "journal").standings(query, StandingsAccess.OPEN, "")
        assert slowly == at_once


def test_nobodys_name_makes_all_matches_be_read_again(tmp_path: Path) -> None:
    """Neither a new name, nor somebody who is forgotten, nor a match that ended a moment before another."""
    with (
        ResultsFile(tmp_path / "own.sqlite") as own,
        closing(PlayersFile(tmp_path / "p.sqlite", "5e" * 32)) as kept,
    ):
        file = Streaming(tmp_path / "own.sqlite")
        worker = ResultsWorker(file, no_journal, "journal", PlayersFile(tmp_path / "p.sqlite", "5e" * 32))
        directory = Directory(kept)
        ann, ben = (
            directory.enroll(name, secret_hash(secret), "", 1, name.encode() * 6)[0]
            for name, secret in (("Anne", "a" * 64), ("Bert", "b" * 64))
        )
        for number in range(1, 51):
            own.save("journal", f"{number}.1", played_by(ann, ben, ended_ms=number * 100_000), is_over=True)
        assert (names_of(worker), file.streamed) == (["Anne", "Bert"], 50)
        assert worker.shared_seconds > 0
        directory.set_name(ann.id, "Zoe")
        assert (names_of(worker), file.streamed) == (["Zoe", "Bert"], 50)
        own.save("journal", "51.1", played_by(ann, ben, ended_ms=4_990_000), is_over=True)
        assert (names_of(worker), file.streamed) == (["Zoe", "Bert"], 51)
        directory.forget(ann.id)
        last = next(iter(own.of_table("journal", 51, 1)))
        own.save("journal", "51.1", played_by(ann, ben, ended_ms=4_990_000), is_over=True, replaces=last.id)
        assert (names_of(worker), file.streamed) == ([FORMER, "Bert"], 52)
        worker.close()


class Noting:
    """A journal that notes from which event on it was read."""

    def __init__(self, journal: JournalReader, firsts: list[int]) -> None:
        self._journal = journal
        self._firsts = firsts

    def __getattr__(self, name: str) -> Any:
        """Return what the journal has of this name."""
        return getattr(self._journal, name)

    def marks(self, table_id: int, kinds: frozenset[int], first: int, last: int) -> Any:
        """Note a reading of some kinds."""
        self._firsts.append(first)
        return self._journal.marks(table_id, kinds, first, last)

    def events(self, table_id: int, first: int, last: int) -> Any:
        """Note a reading of everything."""
        self._firsts.append(first)
        return self._journal.events(table_id, first, last)


class Counting(ResultsFile):
    """A file of results that counts the rows that are read from it."""

    count = 0

    def rows(self, sql: str, *values: object) -> Sequence[Sequence[Any]]:
        """Count what is found."""
        found = super().rows(sql, *values)
        self.count += len(found)
        return found


async def reach(host: Peer, phase: Phase) -> None:
    """Wait until a table is in a phase."""
    while host.view.phase is not phase:
        await host.hear()


async def test_the_end_of_a_hand_visits_only_what_is_new(tmp_path: Path) -> None:
    """However many matches a table has had, its log is read from the last known one on; results are equal."""
    journal, firsts, counts = tmp_path / "journal.sqlite", list[int](), list[int]()

    @contextmanager
    def noted() -> Iterator[JournalReader]:
        with reading(journal) as db:
            yield cast("JournalReader", Noting(db, firsts))

    async with whole_server(journal) as (server, _):
        async with Peer.hosting(
            server.url, game="puzzle", hands=1, seats=1, countdown_ms=0, tally_ms=0
        ) as host:
            with Counting(tmp_path / "own.sqlite") as file:
                maker = ResultsMaker(file, noted, "")
                for _ in range(4):
                    firsts.clear()
                    await host.ask(cl.Start)
                    await reach(host, Phase.PLAYING)
                    await host.ask(cl.Stuck)
                    await reach(host, Phase.OVER)
                    file.count = 0
                    assert maker.update(1)
                    counts.append(file.count)
                made = [result.summary for result in file.ended()]
        with reading(journal) as db:
            found = list(matches(db))
            lines = [line for match in found for line in export(db, match)]
    assert min(firsts) >= found[2].first
    assert counts[1] == counts[3]
    assert [each.hands for each in made] == [each.hands for each in summarize(read_records(lines))]


class NotingEvents(Noting):
    """A journal that notes from which event on everything was read."""

    def marks(self, table_id: int, kinds: frozenset[int], first: int, last: int) -> Any:
        """Note nothing."""
        return self._journal.marks(table_id, kinds, first, last)


@pytest.mark.long
async def test_a_long_match_is_read_on_from_its_last_hand(tmp_path: Path) -> None:
    """After each of its hands, while the next one is played; the result is that of the whole record."""
    journal, firsts, ends = tmp_path / "journal.sqlite", list[int](), [0]

    @contextmanager
    def noted() -> Iterator[JournalReader]:
        with reading(journal) as db:
            yield cast("JournalReader", NotingEvents(db, firsts))

    with ResultsFile(tmp_path / "own.sqlite") as file:
        maker = ResultsMaker(file, noted, "")
        async with whole_server(journal, bot_speed=100.0) as (server, _):
            async with Peer.hosting(server.url, seated=False, hands=4, tally_ms=600_000) as host:
                for _ in range(3):
                    await host.ask(cl.AddBot, level="hard")
                for hand in range(4):
                    await host.ask(cl.Start)
                    await host.until(Signalled)
                    if hand:
                        firsts.clear()
                        assert maker.update(1)
                        assert min(firsts) > ends[-2] - PIECE
                    await host.until(HandOver)
                    ends.append(host.view.seq)
                await host.until(MatchOver)
                assert maker.update(1)
        (made,) = [result.summary for result in file.ended()]
    with reading(journal) as db:
        lines = [line for match in matches(db) for line in export(db, match)]
    (whole,) = summarize(read_records(lines))
    assert (made.hands, made.players, made.winners) == (whole.hands, whole.players, whole.winners)
    assert ends[2] > PIECE, "the hands are short: all of them fit into what is read at a time"
