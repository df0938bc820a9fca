"""Matches of a club, written into a server's journal, players and results as a server writes them."""

import contextlib
import json
import random
from collections.abc import Callable, Sequence
from itertools import count
from pathlib import Path
from typing import Any, Final

from racing_demon_protocol.engine.deal import subseed
from racing_demon_protocol.records.format import Correction, Record, TimedMessage
from racing_demon_protocol.table.state import TableState
from racing_demon_protocol.wire.codec import pack
from racing_demon_protocol.wire.messages import Event
from racing_demon_protocol.wire.messages import events as ev
from racing_demon_protocol.wire.messages.handicap import Handicap
from racing_demon_protocol.wire.messages.server import Refused
from racing_demon_protocol.wire.options import Options
from racing_demon_server.bots.levels import LEVELS
from racing_demon_server.encoded_messages import EncodedEvent
from racing_demon_server.enums import Durability, StandingsAccess
from racing_demon_server.journal.clock_watermark import ClockWatermark
from racing_demon_server.journal.null_journal import NullJournal
from racing_demon_server.journal.operations import Change, Operation
from racing_demon_server.journal.sqlite.database import open_journal
from racing_demon_server.journal.sqlite.store import SqliteStore
from racing_demon_server.journal.table_journal import TableJournal
from racing_demon_server.players.directory import Directory
from racing_demon_server.players.file import PlayersFile
from racing_demon_server.players.store import Seating
from racing_demon_server.results.file import ResultsFile
from racing_demon_server.results.maker import ResultsMaker
from racing_demon_server.results.query import StandingsQuery
from racing_demon_server.results.worker import ResultsWorker
from tests.lab.standings.count import Club, Played, Who
from tests.support.bot_matches import Person
from tests.support.recordings import recording

JOURNAL: Final = "journal"
SERVER: Final = "ab" * 32
MINUTE_MS: Final = 60_000
MEMBERS: Final = 24
GUESTS: Final = ("Ann", "Ben", "Cat", "Don", "Emy", "Flo")
BOTS: Final = ("easy", "medium", "hard")


class DirectJournal(NullJournal):
    """A journal that writes at once.

    Args:
        store: where it writes.

    """

    is_durable = True

    def __init__(self, store: SqliteStore) -> None:
        super().__init__()
        self._store = store

    def write(self, changes: Sequence[Change], on_written: Callable[[], None]) -> None:
        """Write changes of a table."""
        self._store.commit(list(changes))
        on_written()


class Season:
    """A server's files, and the same club as it is counted.

    Attributes:
        club: the independent count.
        members: the ids of players who were not forgotten.

    Args:
        folder: where the files are.
        seed: everything follows from it.

    """

    def __init__(self, folder: Path, seed: int) -> None:
        self._rng = random.Random(seed)
        self._seed = seed.to_bytes(32, "big")
        self._path = folder / "journal.sqlite"
        self._store = SqliteStore(self._path, Durability.NONE)
        self._players = PlayersFile(folder / "players.sqlite", SERVER)
        own = self._store.reading, JOURNAL
        results, players = folder / "results.sqlite", folder / "players.sqlite"
        self._maker = ResultsMaker(ResultsFile(results), *own, PlayersFile(players, SERVER))
        self._worker = ResultsWorker(ResultsFile(results), *own, PlayersFile(players, SERVER))
        self._results = ResultsFile(folder / "results.sqlite")
        self._tables = count(1)
        self._now_ms = MINUTE_MS
        self._journal = DirectJournal(self._store)
        self._watermark = ClockWatermark(self._journal, lambda: 0)
        self.club = Club()
        self.members: list[str] = []
        for number in range(MEMBERS):
            self._enroll(number)

    def close(self) -> None:
        """Close all files."""
        self._maker.close()
        self._worker.close()
        self._results.close()
        self._players.close()
        self._store.close()

    def _enroll(self, number: int) -> None:
        name = f"Member {number}"
        key, randomness = subseed(self._seed, f"key/{number}"), subseed(self._seed, f"id/{number}")[:16]
        with self._players.transaction():
            player, _ = Directory(self._players).enroll(name, key, "a phone", self._now_ms, randomness)
        self.members.append(player.id)
        self.club.names[player.id] = name

    # What happens.

    def play(self) -> None:
        """Let a match be played by people, guests and bots, at a table of its own."""
        rng, number = self._rng, next(self._tables)
        self._now_ms += rng.randint(1, 60) * MINUTE_MS
        people, bots = rng.randint(1, 3), rng.randint(0, 1)
        bots += people + bots < 2
        regulars = self.members[:people]
        players = regulars if rng.random() < 0.5 else rng.sample(self.members, people)
        players = [player if rng.random() < 0.8 else "" for player in players]
        names = rng.sample(GUESTS, people)
        record = self._record(number, people, bots)
        match = self.club.matches[str(number)] = Played(
            counts_hands=self._options.match_score == "hands", casual=self._options.casual
        )
        match.players = dict(enumerate(players))
        entries = [_named(entry, names) for entry in record.entries[1:]]
        journal = TableJournal(self._journal, number, lambda: self._now_ms, self._watermark)
        journal.open(_code(number), number, self._options, bytes(16), None)
        self._seat(number, players)
        view = TableState(_code(number), self._options)
        ends = [at for at, each in enumerate(entries, 1) if isinstance(each.message, ev.HandOver)]
        is_cut = len(ends) > 1 and rng.random() < 0.1
        for part in (entries[: ends[0]], [] if is_cut else entries[ends[0] :]):
            self._write(journal, number, part)
            match.follow(part, view)
            self._maker.update(number)
        journal.close()
        self._maker.update(number)

    def _record(self, number: int, people: int, bots: int) -> Record:
        rng, seats = self._rng, people + bots
        self._options = Options.model_validate(
            {
                "game": "classic",
                "reserve": rng.randint(3, 6),
                "columns": 4,
                "hands": rng.choice((1, 1, 2, 3)),
                "countdown_ms": 0,
                "tally_ms": 0,
                "time_limit_ms": 90_000,
                "teams": 2 if seats > 2 and rng.random() < 0.4 else None,
                "match_score": rng.choice(("points", "points", "hands")),
                "king_bonus": rng.choice((0, 0, 5)),
                "casual": rng.random() < 0.1,
            }
        )
        given = {seat: self._handicap() for seat in range(seats)} if rng.random() < 0.25 else {}
        seed = subseed(self._seed, f"match/{number}")
        return recording(
            seed,
            rng.choices(BOTS, k=bots),
            self._options,
            began_ms=self._now_ms,
            handicaps=given,
            people=[
                Person(seat, LEVELS[rng.choice(BOTS)], random.Random(rng.random())) for seat in range(people)
            ],
        )

    def _handicap(self) -> Handicap:
        rng = self._rng
        return Handicap(heap=rng.randint(-1, 2), delay_s=rng.choice((0, 2)), points=rng.randint(-9, 9))

    def _seat(self, number: int, players: Sequence[str]) -> None:
        with self._players.transaction():
            for seat, player in enumerate(players):
                devices = self._players.devices(player)
                device = devices[0].number if devices else 0
                self._players.add_seating(JOURNAL, Seating(number, seat, self._now_ms, player, device))

    def _write(self, journal: TableJournal, number: int, entries: Sequence[TimedMessage]) -> None:
        for entry in entries:
            self._now_ms = max(self._now_ms, entry.at_ms or 0)
            if isinstance(entry.message, Event):
                journal.append([EncodedEvent(entry.message, entry.at_us)])
            elif isinstance(entry.message, Refused):
                journal.write(lambda: None)
                row = (number, entry.seat, journal.seq, entry.at_us, entry.at_ms, pack(entry.message))
                self._store.commit([(Operation.ADD_BEATEN, row)])
        journal.write(lambda: None)

    # What becomes of it later.

    def rename(self) -> None:
        """Let a player have another name, perhaps one that somebody else has."""
        player, name = self._rng.choice(self.members), self._rng.choice((*GUESTS, f"New {self._now_ms}"))
        with self._players.transaction():
            Directory(self._players).set_name(player, name)
        self.club.names[player] = name

    def merge(self) -> None:
        """Let the operator say that two players are one."""
        player, into = self._rng.sample(self.members, 2)
        with self._players.transaction():
            Directory(self._players).merge(player, into)
        self.members.remove(player)
        self.club.merged[player] = into

    def forget(self) -> None:
        """Let the operator forget a player."""
        player = self._rng.choice(self.members)
        with self._players.transaction():
            Directory(self._players).forget(player)
        self.members.remove(player)
        self.club.forget(player)

    def correct(self) -> None:
        """Let the operator correct a match, or say that it does not count."""
        rng, number = self._rng, self._rng.choice(list(self.club.matches))
        match = self.club.matches[number]
        if rng.random() < 0.2:
            correction = Correction(at_ms=self._now_ms, by="Op", why="a mistake", void=True)
        else:
            points = rng.choice((-20, -5, 5, 40))
            hand = rng.choice((None, rng.randint(1, len(match.hands))))
            seat = rng.choice(list(match.names))
            correction = Correction(
                at_ms=self._now_ms, by="Op", why="so", seat=seat, points=points, hand=hand
            )
        (name,) = self._results.matches_of(JOURNAL, int(number))
        with contextlib.closing(open_journal(self._path, write=True)) as journal:
            journal.correct(name, correction.model_dump_json())
        match.corrections.append(correction)
        self._maker.apply_corrections()

    # What the server says.

    def rows(self) -> dict[Who, dict[str, Any]]:
        """Return all rows of the standings."""
        rows, page, pages = {}, 0, 1
        while page < pages:
            page += 1
            found = self._standings(page)
            pages = found["pages"]
            for row in found["rows"]:
                rows[Who(row["name"], row["bot"], row["player"])] = row
        return rows

    def teams(self) -> list[tuple[Any, ...]]:
        """Return the rows of the best teams."""
        keys = ("matches", "wins", "hands", "points")
        return [
            (tuple(sorted(row["players"])), *(row[key] for key in keys))
            for row in self._standings(1)["teams"]
        ]

    def of_player(self, player: str) -> list[tuple[bool, int]]:
        """Return whether each of a player's newest matches was won, and with how many points."""
        found = self._worker.player(player, StandingsAccess.OPEN, "")
        matches = [] if found is None else json.loads(found[1])["matches"]
        return [(match["won"], match["points"]) for match in matches]

    def _standings(self, page: int) -> Any:
        found = self._worker.standings(StandingsQuery(page=page), StandingsAccess.OPEN, "")
        assert found is not None
        return json.loads(found[1])


def _named(entry: TimedMessage, names: Sequence[str]) -> TimedMessage:
    """Return an entry with people called as they are in the club."""
    message = entry.message
    if not isinstance(message, ev.Joined) or message.bot:
        return entry
    renamed = message.model_copy(update={"name": names[message.seat]})
    return TimedMessage(renamed, entry.at_us, entry.at_ms, entry.seat)


def _code(number: int) -> str:
    """Return a table's code."""
    letters = "BCDFGHJKLM"
    return "".join(letters[int(digit)] for digit in f"{number:05}")
