"""Answers what people ask about results, in a thread of its own: what is being made keeps nobody waiting."""

import json
import math
import time
from collections import OrderedDict, deque
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any, Final, NamedTuple

from racing_demon_protocol.records.notes import HandNotes
from racing_demon_protocol.records.player_total import PlayerTotal
from racing_demon_protocol.records.ratings import RatedPlayers
from racing_demon_protocol.records.standings import Key, Standings, StandingsTotal
from racing_demon_protocol.records.summary import MatchSummary
from racing_demon_server.enums import StandingsAccess
from racing_demon_server.journal.matches import RecordMaker, has_match, matches_of
from racing_demon_server.players.directory import FOR_HTTP, Directory, SignedIn
from racing_demon_server.players.store import PlayersStore

from .answers import brief_json, match_json, standings_json
from .notes import NotesInMaking, Played, titles_json
from .paced import PacedResults
from .player_page import player_json
from .query import ALL, Filter, RecordGone, StandingsQuery, TableOpen
from .records import RecordVersion, RecordVersions
from .store import Reading, Result, ResultsStore, table_number
from .visibility import Sight, sight_of_standings

MAX_TOTALS: Final = 16
"""How many filters' sums are kept, to which the next match is added."""
SLICE_SECONDS: Final = 0.05
"""How long sums are added to before others' questions are answered."""
MAX_HISTORY: Final = 100
"""How many ratings of a player are kept for the chart."""
LATE_MS: Final = 60_000
"""A result that comes so late is added at the end like any other. In order, all matches had to be read again
whenever two tables end a match at the same time."""
MAX_OF_TABLE: Final = 100
"""The most matches of one table whose links its players get."""


class ResultsWorker(PacedResults):
    """Reads results. Only one thread may use it.

    Its arguments are those of :class:`~racing_demon_server.results.paced.PacedResults`.

    Attributes:
        shared_seconds: how long the processor was busy with the sums over all matches. They are made once
            for everybody, so nobody is charged for them.

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
        self.shared_seconds = 0.0
        self._totals: OrderedDict[Filter, _Total] = OrderedDict()
        self._identities = 0
        self._records = RecordVersions()

    def result(self, link: str) -> Result | None:
        """Return the result with a link; ``None`` if there is none."""
        return self._file.of_link(link)

    def player(self, player: str, access: StandingsAccess, token: str) -> tuple[str, str] | None:
        """Return the version and the text of a player's page.

        It is ``None`` without a finished match, and for whoever may not see it.

        Args:
            player: the player's id.
            access: who may see standings.
            token: the token of the player who asks; empty for a guest.

        """
        viewer, sees = self._sight(access, token)
        player, total = self._names.canonical(player), self._total(ALL)
        row = total.standings.row_of(player) if player else None
        if row is None or sees is None or not sees(row.key):
            return None
        own = PlayerTotal(player)
        for result in self._paced(self._file.of_ids(total.results_of(player))):
            own.add(self._names.applied(result.summary))
        rating, history = total.rated.rating(row.key), total.history.get(player, ())
        page = player_json(own, self._names.shown(player), rating, history, sees)
        return f"{self._file.newest()}-{self._names.version}-{player}-{viewer}", self._text(page)

    def you(self, token: str) -> str:
        """Return the text of who asks: the player for whom a token stands, and whether by a proxy's word."""
        self.reload_names()
        player = self._player_of(token)
        is_signed_in = self._players is not None and isinstance(token, SignedIn)
        return json.dumps({"player": player, "name": self._names.name(player), "signed_in": is_signed_in})

    def match(self, result: Result) -> str:
        """Return the text of a match's page."""
        return self._text(match_json(result, self._applied(result)))

    def moments(self, result: Result) -> "str | NotesInMaking":
        """Return the text of the moments of a match and of the titles of its evening.

        A match that is over and lacks some has them made first, if its events are still there: see
        :meth:`make_notes`.
        """
        notes = self._file.notes_of(result.journal, result.match)
        is_whole = all(hand.hand in notes for hand in result.summary.hands)
        if result.is_over and not is_whole and (making := self._making(result)) is not None:
            return making
        return self._text(self._moments_json(result, notes))

    def told_moments(self, result: Result) -> str:
        """Return the same text from what there is."""
        notes = self._file.notes_of(result.journal, result.match)
        return self._text(self._moments_json(result, notes))

    def _moments_json(self, result: Result, notes: Mapping[int, HandNotes]) -> dict[str, Any]:
        self.reload_names()
        evening = self._evening(result) if result.is_over else []
        return {
            "hands": [{"hand": hand, "moments": each.moments} for hand, each in notes.items()],
            "titles": titles_json(evening) if evening else [],
        }

    def titles(self, table_id: int) -> str:
        """Return the text of the titles of a table's evening; none before its newest match has its result."""
        self.reload_names()
        newest = next(iter(self._file.of_table(self._name, table_id, 1)), None)
        if newest is None or not newest.is_over:
            return self._text({"hands": 0, "points": {}, "titles": []})
        last = newest.summary.hands[-1]
        return self._text(
            {
                "hands": len(newest.summary.hands),
                "points": {str(seat): points for seat, points in last.points.items()},
                "titles": titles_json(self._evening(newest)),
            }
        )

    def _evening(self, result: Result) -> list[Played]:
        """Return the matches of a table up to one, since it was opened; at most its newest hundred."""
        number = table_number(result.match)
        found = list(self._paced(self._file.of_table(result.journal, number, MAX_OF_TABLE)))
        begun = result.summary.started_ms or 0
        earlier = [each for each in found if each.is_over and (each.summary.started_ms or 0) <= begun]
        earlier.sort(key=lambda each: each.summary.started_ms or 0)
        return [
            (self._names.applied(each.summary), self._file.notes_of(each.journal, each.match))
            for each in self._paced(earlier)
        ]

    def _making(self, result: Result) -> NotesInMaking | None:
        """Return what makes the notes of a match; ``None`` if its events are gone, or another's."""
        if result.journal != self._name:
            return None
        with self._reading() as reader, reader.moment():
            table = reader.find_table(table_number(result.match))
            for match in () if table is None else self._paced(matches_of(reader, table)):
                if match.key == result.match:
                    return NotesInMaking(result, match, self._rest)
        return None

    def make_notes(self, making: NotesInMaking) -> bool:
        """Read some more of a match, and write its notes once all is read. Return whether there is more."""
        with self._reading() as reader, reader.moment():
            is_there = has_match(reader, making.match)
            for entry in self._paced(making.entries.piece(reader)) if is_there else ():
                making.summarizer.apply(entry)
        if is_there and not making.entries.is_done:
            return True
        hands = [hand.hand for hand in making.result.summary.hands]
        made = {hand: making.notes.get(hand, HandNotes()) for hand in hands}
        self._file.save_notes(making.result.journal, making.result.match, made)
        return False

    def of_table(self, table_id: int) -> str:
        """Return the text of the list of a table's newest matches."""
        self.reload_names()
        found = self._paced(self._file.of_table(self._name, table_id, MAX_OF_TABLE))
        return self._text(
            {"matches": [brief_json(each, self._names.applied(each.summary)) for each in found]}
        )

    def _text(self, answer: Mapping[str, Any]) -> str:
        """Return the text of an answer, which is made a field at a time."""
        fields = (f"{json.dumps(name)}: {json.dumps(value)}" for name, value in self._paced(answer.items()))
        return f"{{{', '.join(fields)}}}"

    def _applied(self, result: Result) -> MatchSummary:
        """Return the summary of a match with its players as they are called now."""
        self.reload_names()
        return self._names.applied(result.summary)

    def reload_names(self) -> None:
        """Read the names that have changed. Sums are made again if somebody is another player now."""
        version = self._names.version
        if self._names.reload():
            self._totals.clear()
            self._identities += 1
        self._names.gone.clear()  # the maker makes their results anew
        if self._names.version != version:
            self._records.drop_others(self._names.former)

    def table_of(self, code: str, token_hash: bytes) -> int | None:
        """Return the number of another server's open table at which a token has a seat; ``None`` for none."""
        return self._file.table_of(code, token_hash)

    def is_of_table(self, result: Result, table_id: int) -> bool:
        """Return whether a match was played at a table of this process. Any thread may ask."""
        return (result.journal, table_number(result.match)) == (self._name, table_id)

    def has_played(self, result: Result, token: str) -> bool:
        """Return whether a token identifies a player of a match."""
        players = {each.player for each in result.summary.players if each.player}
        player = self._player_of(token) if players else ""
        if self._players is None or not player:
            return False
        directory = Directory(self._players)
        return player in {directory.canonical(each) for each in players}

    def record(self, result: Result, *, with_chat: bool, lists_tables: bool) -> RecordVersion | None:
        """Return the record of a match to be read: see :meth:`next_piece`.

        It is ``None`` if its events are gone, or another process has them.

        Args:
            result: the match.
            with_chat: whether a player of the match asks, who is told what all said to each other.
            lists_tables: whether the server tells everybody the codes of tables that are listed.

        Raises:
            TableOpen: it is for its players only, until the table is closed: hands are named by its code,
                which no list tells.

        """
        if result.journal != self._name:
            return None
        self.reload_names()
        former = self._names.former(result.summary)
        version = f"{result.id}-{int(with_chat)}-{'-'.join(map(str, sorted(former)))}"
        kept = self._records.find(version)
        with self._reading() as reader, reader.moment():
            if kept is not None and not has_match(reader, kept.match):
                return None
            table = reader.find_table(table_number(result.match))
            if table is not None and table.closed_ms is None:
                is_public = lists_tables and table.listed
                if not (is_public or with_chat):
                    raise TableOpen
            if kept is not None:
                return kept
            for match in () if table is None else self._paced(matches_of(reader, table)):
                if match.key == result.match:
                    maker = RecordMaker(match, with_chat=with_chat, former=former, rest=self._rest)
                    record = RecordVersion(version, result.summary, former, maker)
                    self._records.begin(record)
                    return record
        return None

    def next_piece(self, record: RecordVersion) -> bytes:
        """Return the next piece of a record in the making, perhaps empty.

        Raises:
            RecordGone: there is no more of it.

        """
        self.reload_names()
        if record.is_dropped or record.maker is None:
            raise RecordGone
        maker = record.maker
        with self._reading() as reader, reader.moment():
            if not has_match(reader, record.match):
                raise RecordGone
            piece = "".join(f"{line}\n" for line in self._paced(maker.piece(reader))).encode()
        self._records.add(record, piece, is_last=maker.is_done)
        return piece

    def standings(self, query: StandingsQuery, access: StandingsAccess, token: str) -> tuple[str, str] | None:
        """Return the version and the text of a page of standings, with ratings over all matches.

        It is ``None`` for whoever may see none.

        Args:
            query: what is asked for.
            access: who may see standings.
            token: the token of the player who asks; empty for a guest.

        """
        viewer, sees = self._sight(access, token)
        if sees is None:
            return None
        everything, total = self._total(ALL), self._total(query.only)
        shown = self._shown(total, query.only)
        is_open = access is StandingsAccess.OPEN
        met_ms = self._names.met_ms
        found = standings_json(shown, everything.rated, query, sees, met_ms, with_corrections=is_open)
        found["games"] = sorted({game for game, _ in everything.played})
        found["presets"] = sorted({preset for _, preset in everything.played if preset})
        version = f"{total.version}-{self._names.version}-{query.page}-{int(query.people)}-{viewer}"
        return version, self._text(found)

    def _sight(self, access: StandingsAccess, token: str) -> tuple[str, Sight | None]:
        """Return the player who asks, where that matters, and whose standings this one may see."""
        self.reload_names()
        viewer = self._player_of(token) if access is StandingsAccess.PLAYERS else ""
        companions = self._total(ALL).companions.get(viewer, set()) if viewer else set()
        return viewer, sight_of_standings(access, viewer, companions)

    def _player_of(self, token: str) -> str:
        """Return the player for whom a token stands; empty for nobody, and for an untrusted device."""
        if self._players is None or not token:
            return ""
        directory = Directory(self._players)
        if isinstance(token, SignedIn):
            known = directory.signed_in(token)
            return "" if known is None else directory.canonical(known.player)
        now = self._now_ms()
        device = directory.of_token(token, now, FOR_HTTP)
        return "" if device is None or not device.is_trusted(now) else directory.canonical(device.player)

    def _shown(self, total: "_Total", only: Filter) -> Standings:
        """Return standings with the matches that are being played, and with the names of now."""
        now = total.version, self._names.version
        if total.shown is None or total.shown_at != now:
            running = self._paced(self._file.running(only))
            name_of = None if self._players is None else self._names.shown
            self._rest()
            total.shown = total.standings.standings(
                (self._names.identified(each.summary) for each in running), name_of
            )
            total.shown_at = now
            self._rest()
        return total.shown

    def add_to_sums(self, only: Filter, sums: "SumsInMaking | None" = None) -> "SumsInMaking | None":
        """Add matches to the sums of a filter for a short while.

        Args:
            only: the filter.
            sums: what an earlier call has returned; ``None`` to begin.

        Returns:
            What the next call goes on with; ``None`` once the sums are complete.

        """
        self.reload_names()
        with self._counting(only):
            if sums is None or sums.identities != self._identities:
                sums = self._begun(only)
            return self._continued(only, sums, time.monotonic() + SLICE_SECONDS)

    def _total(self, only: Filter) -> "_Total":
        """Return the sums over the matches of a filter that have ended."""
        with self._counting(only):
            sums = self._begun(only)
            while (rest := self._continued(only, sums)) is not None:
                sums = rest
        return sums.total

    @contextmanager
    def _counting(self, only: Filter) -> Iterator[None]:
        """Count what it costs to add up what everybody is shown."""
        began = time.thread_time()
        try:
            yield
        finally:
            if only == ALL:
                self.shared_seconds += time.thread_time() - began

    def _begun(self, only: Filter) -> "SumsInMaking":
        """Return the sums of a filter, and which matches they lack."""
        total = self._totals.get(only) or _Total(is_rated=only == ALL)
        version = self._file.newest()
        missing = list(self._paced(self._file.ids_of_ended(only, since=total.version)))
        return SumsInMaking(total, version, iter(missing), self._identities)

    def _continued(
        self, only: Filter, sums: "SumsInMaking", until: float = math.inf
    ) -> "SumsInMaking | None":
        """Add to sums until a time; return what is still to be done, and ``None`` if they are complete."""
        total = sums.total
        for result in self._paced(self._file.of_ids(sums.missing)):
            if not total.add(result, self._names.identified(result.summary)):
                self._totals.pop(only, None)
                return self._begun(only)  # it was corrected, or belongs before others: all are added anew
            if time.monotonic() >= until:
                return sums
        total.version = max(total.version, sums.version)
        self._totals[only] = total
        self._totals.move_to_end(only)
        while len(self._totals) > MAX_TOTALS:
            self._totals.popitem(last=False)
        return None


class _Added(NamedTuple):
    """A result in sums: its number, and what tells whether it counts like before."""

    id: int
    counted: int


class _Total:
    """The sums over matches that have ended, in the order in which they did.

    Attributes:
        version: the last change of the results that is in them.
        standings: the standings.
        shown: these with the matches that are being played; ``None`` if nobody has asked.
        shown_at: the last changes of results and of names that are in them.
        rated: the ratings.
        companions: the players with whom each player has finished a match, by id.
        history: the last ratings of each player, by id, with the times of their matches.
        played: the games and presets of the matches.

    Args:
        is_rated: whether there are ratings.

    """

    def __init__(self, *, is_rated: bool) -> None:
        self.version = 0
        self.standings = StandingsTotal()
        self.shown: Standings | None = None
        self.shown_at = (0, 0)
        self.rated = RatedPlayers()
        self.companions: dict[str, set[str]] = {}
        self.history: dict[str, deque[tuple[int, float]]] = {}
        self.played: set[tuple[str, str]] = set()
        self._is_rated = is_rated
        self._ended_ms = 0
        self._added: dict[tuple[str, str], _Added] = {}
        self._of_players: dict[str, list[tuple[str, str]]] = {}

    def results_of(self, player: str) -> Iterator[int]:
        """Yield the numbers of a player's results, in the order in which the matches ended."""
        return (self._added[match].id for match in self._of_players.get(player, ()))

    def add(self, result: Result, summary: MatchSummary) -> bool:
        """Add a result, with the ids that its players have now.

        Return whether that was possible: not if it was corrected, or belongs before others.
        """
        match, ended_ms = (result.journal, result.match), result.summary.ended_ms or 0
        now = _Added(result.id, _counted(summary))
        if (former := self._added.get(match)) is not None:
            self._added[match] = now
            return former.counted == now.counted  # somebody was forgotten: names are not in the sums
        if ended_ms < self._ended_ms - LATE_MS:
            return False
        self._added[match] = now
        self._ended_ms = max(self._ended_ms, ended_ms)
        self.standings.add(summary)
        self.played.add((summary.game, summary.preset))
        present = {player.player for player in summary.players if player.player}
        for player in present:
            self._of_players.setdefault(player, []).append(match)
            self.companions.setdefault(player, set()).update(present)
        if self._is_rated and self.rated.add(summary):
            for key in map(Key.of, summary.players):
                if key.player and (rating := self.rated.rating(key)) is not None:
                    points = self.history.setdefault(key.player, deque(maxlen=MAX_HISTORY))
                    points.append((ended_ms, round(rating.ordinal, 2)))
        return True


class SumsInMaking(NamedTuple):
    """Sums of a filter, to which matches are being added.

    Attributes:
        total: the sums so far.
        version: the last change of the results when this began.
        missing: the numbers of the results that are not in them yet, in the order in which the matches ended.
        identities: tells whether all players are still who they were.

    """

    total: _Total
    version: int
    missing: Iterator[int]
    identities: int


def _counted(summary: MatchSummary) -> int:
    """Return what is another number if a match counts otherwise. Names of players with ids count nowhere."""
    players = (each.model_copy(update={"name": ""}) if each.player else each for each in summary.players)
    return hash(summary.model_copy(update={"players": tuple(players)}).model_dump_json(exclude_defaults=True))
