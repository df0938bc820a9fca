"""Makes results from the journal, in a thread of their own.

A result is made from the events that the journal has, never beside them: so a crash between a hand and its
result loses nothing, and matches from before this file get theirs in the same way.
"""

import logging
import time
from collections import OrderedDict
from collections.abc import Callable, Iterable
from itertools import islice
from typing import Final

from racing_demon_protocol.errors import RacingDemonError
from racing_demon_protocol.records.notes import HandNotes
from racing_demon_protocol.records.summary import MatchSummary, Summarizer
from racing_demon_protocol.wire.messages.events import HandOver
from racing_demon_protocol.wire.messages.server import Snapshot
from racing_demon_server.journal.interface import JournalReader
from racing_demon_server.journal.matches import FORMER, EntryReader, Match, all_of, blanked, matches_of
from racing_demon_server.journal.reader import UnknownContents, corrections_of
from racing_demon_server.players.directory import Directory
from racing_demon_server.players.store import PlayersStore, Seating

from .names import with_players
from .paced import PacedResults
from .store import Reading, ResultsStore, table_number

MAX_REACHED: Final = 1_000
"""For how many open tables is kept up to which match results are made."""
FRAMES: Final = 20
"""So many events are blanked at a time, for which a server's writes have to wait."""
TIDY_SECONDS: Final = 10.0
"""The interval at which nothing is left in the files of what was blanked."""

MAX_FOLLOWED: Final = 100
"""Of how many running matches is kept what was read of them, up to the end of their last hand."""

log = logging.getLogger("racing_demon_server")


class _Followed:
    """What was read of a match: while it is played, up to the end of its last finished hand.

    Attributes:
        since: the table before the match, as soon as that was read.
        notes: those of hands that were read since they were last written, by the hands' numbers.

    Args:
        match: the match.
        since: the table at some time before the match, as far as it is known.
        rest: is called after each event.

    """

    def __init__(self, match: Match, since: Snapshot | None, rest: Callable[[], None]) -> None:
        self.since = since
        self._rest = rest
        self._entries = EntryReader(match, since, rest)
        self.notes: dict[int, HandNotes] = {}
        self._summarizer = Summarizer(match.key, noting=self._note, rest=rest)
        self._hands = 0

    def _note(self, hand: int, notes: HandNotes) -> None:
        self.notes[hand] = notes

    def read(self, reader: JournalReader, match: Match) -> MatchSummary | None:
        """Read what is new, and return the summary of all; ``None`` if there is nothing.

        Args:
            reader: the journal.
            match: the match as it is now.

        """
        if match.ended_ms is not None or self._hands < match.hands:
            for entry in all_of(reader, self._entries):
                self._rest()
                if isinstance(entry.message, Snapshot):
                    self.since = entry.message
                if ended := self._summarizer.apply(entry):
                    return ended[0]
                if isinstance(entry.message, HandOver):
                    self._hands += 1
                    if match.ended_ms is None and self._hands == match.hands:
                        break  # what comes now is read when the next hand is over
        return next(iter(self._summarizer.rest()), None)


class ResultsMaker(PacedResults):
    """Makes results. Only one thread may use it.

    Its arguments are those of :class:`~racing_demon_server.results.paced.PacedResults`.
    """

    def __init__(
        self,
        file: ResultsStore,
        reading: Reading,
        name: str,
        players: PlayersStore | None = None,
        *,
        now_ms: Callable[[], int] = lambda: time.time_ns() // 1_000_000,
    ) -> None:
        super().__init__(file, reading, name, players, now_ms=now_ms)
        self._corrections = -1
        self._unknown = set[int]()
        self._reached: OrderedDict[int, Snapshot] = OrderedDict()
        self._followed: OrderedDict[str, _Followed] = OrderedDict()
        self._named = set[str]()
        self._tidied = time.monotonic()

    @property
    def is_shared(self) -> bool:
        """Whether other servers make results of the same journal, which this one may have to finish."""
        return self._file.is_shared

    def unfinished(self) -> list[int]:
        """Return tables that may lack results, after a crash or an older version, the newest first."""
        with self._reading() as reader:
            found = self._paced(self._file.unfinished(self._name, reader))
            return [each for each in found if each not in self._unknown]

    def update(self, table_id: int) -> bool:
        """Make the results of a table's matches that have changed. Return whether that is done."""
        with self._reading() as reader:
            return self._update(reader, table_id)

    def apply_corrections(self) -> None:
        """Make results anew that were corrected since the last call, or whose seats are others' now."""
        self._names.reload()
        while self._names.gone:
            self._seat_again(next(iter(self._names.gone)))
        with self._reading() as reader:
            ((count,),) = reader.rows("SELECT count(*) FROM corrections")
            if count != self._corrections:
                self._corrections = count
                for table_id in sorted({table_number(match) for match in reader.corrected()}):
                    self._reached.pop(table_id, None)  # any of its matches may have been corrected
                    self._update(reader, table_id)
        self._blank_all()
        if time.monotonic() - self._tidied >= TIDY_SECONDS:
            self._file.tidy()
            self._tidied = time.monotonic()

    def _blank_all(self) -> None:
        """Blank the names and words of players who were forgotten, in the events of closed tables."""
        while self._named:
            player = next(iter(self._named))
            assert self._players is not None
            for table_id in self._paced(self._players.tables_of(self._name, player)):
                with self._reading() as reader:
                    self._blank(reader, table_id)
            self._named.discard(player)

    def _blank(self, reader: JournalReader, table_id: int) -> None:
        """Blank the names and words of former players at a table, if it is closed."""
        table = reader.find_table(table_id)
        if table is None or table.closed_ms is None or self._players is None:
            return
        try:
            for match in self._paced(list(matches_of(reader, table))):
                result = self._file.of_match(self._name, match.key)
                players = () if result is None else result.summary.players
                former = {each.seat for each in players if self._is_former(each.player)}
                frames = self._paced(blanked(reader, match, former) if former else ())
                while some := list(islice(frames, FRAMES)):
                    self._file.blank(table_id, some)
        except (UnknownContents, RacingDemonError) as error:
            log.warning("names of a former player remain", extra={"table": table.code, "why": str(error)})

    def _seated(self, summary: MatchSummary, seatings: Iterable[Seating]) -> MatchSummary:
        """Return a summary with the ids of its players, and without the names of former ones."""
        seated = with_players(summary, seatings)
        players = tuple(
            each.model_copy(update={"name": FORMER}) if self._is_former(each.player) else each
            for each in seated.players
        )
        return seated.model_copy(update={"players": players})

    def _is_former(self, player: str) -> bool:
        """Return whether an id was a player's who was forgotten."""
        return self._players is not None and player != "" and self._players.player(player) is None

    def _update(self, reader: JournalReader, table_id: int) -> bool:
        """Make the results of a table that are missing, or were made before its last hand or correction.

        Only from the last match on that was made before: a table may have had thousands.
        """
        # Read before the journal: what another server has written since then, it made of the same or of more.
        newest = self._file.newest()
        with reader.moment():
            table = reader.find_table(table_id)
            if table is None:  # it was pruned
                return True
            try:
                since, is_written = self._reached.pop(table_id, None), True
                for match in self._paced(matches_of(reader, table, since)):
                    # Each of them is written, whatever becomes of the others.
                    made, since = self._summarize(reader, match, newest, since)
                    is_written = is_written and made
            except (UnknownContents, RacingDemonError) as error:
                log.warning("a match has no result", extra={"table": table.code, "why": str(error)})
                self._unknown.add(table.id)
                return True
        if table.closed_ms is None and is_written and since is not None:
            self._reached[table_id] = since
            while len(self._reached) > MAX_REACHED:
                self._reached.popitem(last=False)
        if table.closed_ms is not None and is_written:
            self._blank(reader, table_id)
            self._file.set_finished(self._name, table.id)
        return is_written

    def _summarize(
        self, reader: JournalReader, match: Match, newest: int, since: Snapshot | None
    ) -> tuple[bool, Snapshot | None]:
        """Write the result of a match, unless it is there already.

        Args:
            reader: the journal.
            match: the match.
            newest: the number of the last change of any result, read before the journal was.
            since: the table at some time before the match, as far as it is known.

        Returns:
            Whether the result is there, and the newest table before the match that is known then.

        """
        corrections = tuple(corrections_of(reader, match.key))
        known, is_over = self._file.of_match(self._name, match.key), match.ended_ms is not None
        if known is not None:
            same_hands = len(known.summary.hands) == match.hands and known.is_over == is_over
            if same_hands and known.summary.corrections == corrections:
                return True, since
        if not match.hands:
            return True, since
        if known is not None and known.id > newest:
            return False, since
        followed = self._followed.pop(match.key, None) or _Followed(match, since, self._rest)
        found, since = followed.read(reader, match), followed.since
        if not is_over:
            self._followed[match.key] = followed
            while len(self._followed) > MAX_FOLLOWED:
                self._followed.popitem(last=False)
        if found is None or not found.hands:
            return True, since
        ended_ms = match.ended_ms if is_over else found.ended_ms
        summary = found.model_copy(update={"corrections": corrections, "ended_ms": ended_ms})
        if self._players is not None:
            seatings = self._players.seatings(self._name, match.table.id)
            summary = self._seated(summary, seatings)
            self._finish_hand(self._players, summary)
        self._file.save_notes(
            self._name, match.key, followed.notes
        )  # before: whoever sees the hand sees them
        followed.notes.clear()
        made = self._file.save(
            self._name, match.key, summary, is_over=is_over, replaces=known.id if known else 0
        )
        return made, since

    def _finish_hand(self, store: PlayersStore, summary: MatchSummary) -> None:
        """Record that the players of a match's last hand have finished it together."""
        dealt_in = summary.hands[-1].points
        together = {each.player for each in summary.players if each.player and each.seat in dealt_in}
        if len(together) > 1:
            with store.transaction():
                Directory(store).finish_hand(together, self._now_ms())

    def _seat_again(self, player: str) -> None:
        """Write into results whose seats these were, at the tables of an id that is nobody's any more."""
        assert self._players is not None
        for table_id in self._paced(self._players.tables_of(self._name, player)):
            seatings = self._players.seatings(self._name, table_id)
            for match in self._paced(self._file.matches_of(self._name, table_id)):
                result = self._file.of_match(self._name, match)
                if result is None or (summary := self._seated(result.summary, seatings)) == result.summary:
                    continue
                self._file.save(self._name, match, summary, is_over=result.is_over, replaces=result.id)
        self._names.gone.discard(player)
        self._named.add(player)
