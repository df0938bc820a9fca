"""All matches of a journal as they count in standings: with the players whom its server remembers.

Stored results count before the journal: they outlive its events. Matches that have none yet are summarized.
"""

from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, closing, contextmanager
from pathlib import Path

from racing_demon_protocol.errors import RacingDemonError
from racing_demon_protocol.records.summary import MatchSummary, Summarizer
from racing_demon_server.journal.interface import JournalPart, JournalReader
from racing_demon_server.journal.matches import EntryReader, Match, all_of, matches
from racing_demon_server.journal.reader import UnknownContents, corrections_of
from racing_demon_server.journal.sqlite.database import players_of, results_of
from racing_demon_server.players.file import PlayersFile
from racing_demon_server.players.store import PlayersStore

from .file import ResultsFile
from .names import Names, with_players
from .query import ALL
from .store import Result, ResultsStore


@contextmanager
def stores_of(
    journal: Path | str, by_url: Callable[[str], tuple[ResultsStore, PlayersStore]]
) -> Iterator[tuple[ResultsStore | None, PlayersStore | None]]:
    """Open results and players beside a journal for reading: each is ``None`` if there are none.

    Args:
        journal: the journal's file, or its URL.
        by_url: opens those of a URL.

    Raises:
        JournalUnusable: they cannot be read.

    """
    with ExitStack() as opened:
        if isinstance(journal, str):
            results, players = by_url(journal)
            opened.callback(results.close)
            opened.callback(players.close)
            yield results, players
            return
        path, people = results_of(journal), players_of(journal)
        file = opened.enter_context(closing(ResultsFile(path, writes=False))) if path.exists() else None
        who = opened.enter_context(closing(PlayersFile(people, writes=False))) if people.exists() else None
        yield file, who


def summaries(
    parts: Sequence[JournalPart], results: ResultsStore | None, players: PlayersStore | None
) -> Iterator[MatchSummary]:
    """Yield the summaries of all matches of a server, under the names that its players have now.

    Args:
        parts: its journals.
        results: what it has stored of them; ``None`` if nothing is.
        players: whom it remembers; ``None`` if that is not known.

    Raises:
        UnknownContents: something is not understood.

    """
    names = Names(players)
    names.reload()
    known = set[tuple[str, str]]()
    for part in parts:
        with part.opened() as reader:
            for match in list(matches(reader, part.prefix)):
                known.add((part.name, match.key))
                result = None if results is None else results.of_match(part.name, match.key)
                summary = _stored(match, result) or _made(reader, match, part.name, players)
                if summary is not None:
                    corrections = tuple(corrections_of(reader, match.key))
                    update = {"id": match.id, "corrections": corrections}
                    yield names.applied(summary.model_copy(update=update))
    if results is not None:
        prefixes = {part.name: part.prefix for part in parts}
        for result in (*results.ended(), *results.running(ALL)):
            if (result.journal, result.match) not in known:  # its events were deleted
                id_ = prefixes.get(result.journal, "") + result.match
                yield names.applied(result.summary.model_copy(update={"id": id_}))


def _stored(match: Match, result: Result | None) -> MatchSummary | None:
    """Return the summary in a result; ``None`` if there is none, or it lacks the last hands."""
    now = match.hands, match.ended_ms is not None
    if result is None or (len(result.summary.hands), result.is_over) != now:
        return None
    return result.summary


def _made(
    reader: JournalReader, match: Match, journal: str, players: PlayersStore | None
) -> MatchSummary | None:
    """Return the summary of a match from its events; ``None`` before its first hand.

    Raises:
        UnknownContents: something is not understood.

    """
    try:
        summarizer = Summarizer(match.key)
        found = [each for entry in all_of(reader, EntryReader(match)) for each in summarizer.apply(entry)]
    except RacingDemonError as error:
        raise UnknownContents(f"match {match.id} contradicts itself: {error}") from error
    made = next(iter(found or summarizer.rest()), None)
    if made is None:
        return None
    if match.ended_ms is not None:
        made = made.model_copy(update={"ended_ms": match.ended_ms})
    return made if players is None else with_players(made, players.seatings(journal, match.table.id))
