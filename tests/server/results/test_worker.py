"""The thread that answers questions about results works a little at a time."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from racing_demon_protocol.enums import EndReason
from racing_demon_protocol.records.summary import HandSummary, MatchSummary, PlayerSummary
from racing_demon_server.enums import StandingsAccess
from racing_demon_server.journal.interface import JournalReader
from racing_demon_server.results.file import ResultsFile
from racing_demon_server.results.query import StandingsQuery, Stopping
from racing_demon_server.results.store import Result
from racing_demon_server.results.worker import ResultsWorker

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
