"""A judge of the races around shared foundations, who knows the documents and none of the product's code.

Sources: ``docs/wire.md`` (how cards move, turning the stock, the races, stuck, teams, handicaps, the course
of a match), ``schema.json`` and ``games.json``. What is judged are frames as they came: a number, and fields.
"""

import hashlib
import json
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final, NamedTuple

from tests.lab.comings.board import Board, Move, Wrong

_SCHEMA: Final = Path(__file__).parents[3] / "protocol" / "schema.json"
FIRST_EVENT: Final = 80
LEAST_RESERVE: Final = 3
MOST_RESERVE: Final = 20
MOST_SECONDS: Final = 15
"""Where a handicap stops changing by itself."""
BETWEEN: Final = {"lobby", "over"}
IN_PLAY: Final = {"playing", "grace"}
WITH_BOARD: Final = {"countdown", *IN_PLAY, "tally", "over"}

Frame = Sequence[Any]
Fields = dict[str, Any]
Handicap = tuple[int, ...]
"""How many cards more, how many seconds later, how many points more."""
NO_HANDICAP: Final[Handicap] = (0, 0, 0)


def _described() -> Iterator[tuple[int, str, list[Fields]]]:
    schema = json.loads(_SCHEMA.read_text(encoding="utf-8"))
    for name, told in schema["server_to_client"].items():
        number, *fields = told["prefixItems"]
        yield number["const"], name, fields


MESSAGES: Final = {number: (name, fields) for number, name, fields in _described()}


def read(frame: Frame) -> tuple[str, Fields]:
    """Return the name and the fields of a message; those left out at its end have their defaults."""
    name, fields = MESSAGES[frame[0]]
    rest = [*frame[1:]]
    rest += [each.get("default") for each in fields[len(rest) :]]
    return name, {each["title"]: value for each, value in zip(fields, rest, strict=True)}


def is_event(frame: Frame) -> bool:
    """Return whether a message belongs to the table's log."""
    return bool(frame[0] >= FIRST_EVENT)


@dataclass
class Player:
    """Who sits on a seat.

    Attributes:
        is_bot: whether a bot does, whose handicap stays.
        has_left: whether it is frozen.
        is_there: whether a connection stands.
        team: the team, if there are any.
        given: the handicap that the seat was given.
        counter: that of the newest play.

    """

    is_bot: bool = False
    has_left: bool = False
    is_there: bool = True
    team: int | None = None
    given: Handicap = NO_HANDICAP
    counter: int = 0


def _player(row: Sequence[Any]) -> Player:
    """Return a player as a snapshot's row has them; what is left out at its end has its default."""
    given, team = [*row[9:], None, None][:2]
    return Player(is_bot=bool(row[2]), team=team, given=tuple(given or NO_HANDICAP))


class Result(NamedTuple):
    """A hand as the judge has counted it."""

    seats: list[int]
    points: list[int]
    out: int | None
    handicaps: list[Handicap]
    teams: list[int | None]

    def added(self) -> dict[int, int]:
        """Return what the hand adds to the total of each seat."""
        rows = zip(self.seats, self.points, self.handicaps, strict=True)
        return {seat: points + handicap[2] for seat, points, handicap in rows}

    def steps(self, seat: int) -> int:
        """Return whether the hand makes the next one harder for a seat (1), easier (-1), or neither."""
        if seat not in self.seats:
            return 0
        own = self.points[self.seats.index(seat)]
        is_up = seat == self.out if self.out is not None else own == max(self.points)
        return int(is_up) - int(own <= 0)


@dataclass
class Judgement:
    """How much was judged."""

    hands: int = 0
    plays: int = 0
    snapshots: int = 0
    refusals: int = 0
    ends: Counter[str] = field(default_factory=Counter)

    def add(self, other: "Judgement") -> None:
        """Add what was judged elsewhere."""
        self.hands += other.hands
        self.plays += other.plays
        self.snapshots += other.snapshots
        self.refusals += other.refusals
        self.ends.update(other.ends)


class Refusal(NamedTuple):
    """A play that was refused because the rules never allowed it.

    Attributes:
        seat: whose it was.
        move: what was wanted; a destination of -1 is any foundation.
        seen: the newest event that its player had seen.
        heard: the newest event before the refusal.

    """

    seat: int
    move: Move
    seen: int
    heard: int


@dataclass
class _Group:
    """The plays of one command, with what the game did by itself after them.

    Attributes:
        seat: whose they are.
        counter: the command's.
        up: which cards of each stuck seat could go to the foundations before.
        is_progress: whether one of them is.

    """

    seat: int
    counter: int
    up: dict[int, set[int]]
    is_progress: bool = False

    def goes_on(self, name: str, event: Fields) -> bool:
        """Return whether an event is one more of them."""
        return name == "played" and event["seat"] == self.seat and event["counter"] in {0, self.counter}


class Judge:
    """Follows a table from its first snapshot on.

    Args:
        snapshot: the table as its first player found it, before any hand.
        log: all events after it.
        snapshots: what others were shown later.
        refusals: the plays that were refused as illegal.

    Attributes:
        done: how much was judged.

    """

    def __init__(
        self,
        snapshot: Frame,
        log: Sequence[Frame],
        snapshots: Sequence[Frame] = (),
        refusals: Sequence[Refusal] = (),
    ) -> None:
        _, shown = read(snapshot)
        self.done = Judgement()
        self._log = log
        self._seq: int = shown["seq"]
        self._options: Fields = shown["options"]
        self._players = {row[0]: _player(row) for row in shown["seats"]}
        self._phase: str = shown["phase"]
        self._results: list[Result] = []
        self._board: Board | None = None
        self._shown = sorted((read(frame)[1] for frame in snapshots), key=lambda each: -each["seq"])
        self._refused = sorted(refusals, key=lambda each: -each.seen)
        self._open: list[Refusal] = []
        self._stuck: set[int] = set()
        self._sitting_out: set[int] = set()
        self._starts: dict[int, int] = {}
        self._starts_lowest = bool(shown["late_start"])
        self._last_hand: int = shown["last_hand"]
        self._repeated: set[int] = set()
        self._waiting: set[int] = set()
        self._unturned: set[int] = set()
        self._to_deal: list[int] = []
        self._handicaps: list[Handicap] = []
        self._called: int | None = None
        self._is_paused = False
        self._is_decided = False
        self._commitment = ("", "")
        self._group: _Group | None = None

    def follow(self) -> Judgement:
        """Judge everything.

        Raises:
            Wrong: something cannot be so.

        """
        for place, frame in enumerate(self._log):
            name, event = read(frame)
            try:
                self._judge(name, event, place)
            except Wrong as wrong:
                wrong.add_note(f"event {event['seq']}: {name} {event}; {self._options}")
                raise
        return self.done

    def totals(self) -> dict[int, int]:
        """Return each seat's total in the match."""
        added = dict.fromkeys(self._players, 0) | self._starts
        for result in self._results:
            for seat, counted in self._counted(result.added()).items():
                added[seat] = added.get(seat, 0) + counted
        return added

    def _judge(self, name: str, event: Fields, place: int) -> None:
        if event["seq"] != self._seq + 1:
            raise Wrong(f"event {event['seq']} comes after {self._seq}")
        if self._group is not None and not self._group.goes_on(name, event):
            self._end_group(name)
        if self._repeated and (name != "stuck_said" or event["seat"] not in self._repeated):
            raise Wrong(f"that {self._repeated} are still stuck is not said again")
        self._seq += 1
        handle: Callable[[Fields, int], None] = getattr(self, f"_on_{name}", self._nothing)
        handle(event, place)
        self._look()

    def _nothing(self, event: Fields, place: int) -> None:
        """Follow what changes nothing that is judged."""

    # What others were told after this event.

    def _look(self) -> None:
        while self._shown and self._shown[-1]["seq"] <= self._seq:
            shown = self._shown.pop()
            if shown["seq"] == self._seq:
                self._compare(shown)
        while self._refused and self._refused[-1].seen <= self._seq:
            self._open.append(self._refused.pop())
        for refusal in [*self._open]:
            if self._is_refused_rightly(refusal):
                self._open.remove(refusal)
                self.done.refusals += 1
            elif refusal.heard <= self._seq:
                raise Wrong(f"refused as illegal, and legal all the time: {refusal}")

    def _is_refused_rightly(self, refusal: Refusal) -> bool:
        board = self._board
        if board is None or self._phase not in IN_PLAY or refusal.seat not in board.seats:
            return True
        place, move = board.seats.index(refusal.seat), refusal.move
        targets = board.foundations if move.destination == -1 else [move.destination]
        return all(board.why_not(place, move._replace(destination=pile)) for pile in targets)

    def _compare(self, shown: Fields) -> None:
        """Compare a snapshot with the table."""
        seats = {row[0]: (row[6], _player(row).team) for row in shown["seats"]}
        own = {seat: (player.has_left, player.team) for seat, player in self._players.items()}
        results = [(list(row[1]), list(row[2]), row[4]) for row in shown["results"]]
        counted = [(result.seats, result.points, result.out) for result in self._results]
        found = {
            "phase": (shown["phase"], self._phase),
            "seats": (seats, own),
            "sitting_out": (set(shown.get("sitting_out", ())), self._sitting_out),
            "starts": (dict(shown["starts"]), self._starts),
            "late_start": (shown["late_start"], self._starts_lowest),
            "last_hand": (shown["last_hand"], self._last_hand),
            "results": (results, counted),
        }
        board = self._board
        if board is not None and self._phase in WITH_BOARD:
            found["hand_seats"] = (shown["hand_seats"], board.seats)
            found["piles"] = ([list(pile) for pile in shown["piles"]], board.public())
            found["redeals"] = (list(shown["redeals"]), board.redeals)
            found["shifts"] = (list(shown["shifts"]) or [0] * len(board.seats), board.shifts)
        for name, (told, expected) in found.items():
            if told != expected:
                raise Wrong(f"a snapshot has {name} {told}, and not {expected}")
        self.done.snapshots += 1

    # Who is there.

    def _on_joined(self, event: Fields, _: int) -> None:
        present = self._players.get(event["seat"])
        if present is not None and not (present.has_left and self._phase in BETWEEN):
            raise Wrong("somebody sits there already")
        if self._phase not in BETWEEN and not self._options["late_join"]:
            raise Wrong("nobody joins a match here")
        start = self._start_now()
        if event["start"] != start:
            raise Wrong(f"they start at {start}: {self.totals()}")
        if start:
            self._starts[event["seat"]] = start
        self._players[event["seat"]] = Player(is_bot=bool(event["bot"]))
        if len(self._active()) > self._options["seats"]:
            raise Wrong("the table is full")

    def _start_now(self) -> int:
        """Return at which total somebody starts who takes a seat now."""
        is_lowest = self._starts_lowest and self._phase not in BETWEEN and self._options.get("teams") is None
        return min(self.totals().values()) if is_lowest else 0

    def _on_late_start_set(self, event: Fields, _: int) -> None:
        self._starts_lowest = event["lowest"]

    def _on_last_hand_set(self, event: Fields, _: int) -> None:
        hand = len(self._results) + 1
        if self._phase in BETWEEN or event["hand"] not in {0, hand}:
            raise Wrong(f"this is hand {hand}")
        self._last_hand = event["hand"]

    def _on_left(self, event: Fields, _: int) -> None:
        seat = event["seat"]
        if self._phase in BETWEEN:
            del self._players[seat]
        else:
            self._players[seat].has_left = True
        self._sitting_out.discard(seat)
        self._waiting.discard(seat)
        self._unturned.discard(seat)
        self._stuck.discard(seat)

    def _on_returned(self, event: Fields, _: int) -> None:
        player = self._players.get(event["seat"])
        if player is None or not player.has_left or self._phase in BETWEEN:
            raise Wrong("nobody comes back to this seat")
        player.has_left, player.is_there = False, True
        if self._phase in {"shuffling", "countdown", *IN_PLAY}:
            self._sitting_out.add(event["seat"])

    def _has_left_hand(self, seat: int) -> bool:
        return self._players[seat].has_left or seat in self._sitting_out

    def _on_connected(self, event: Fields, _: int) -> None:
        self._players[event["seat"]].is_there = event["connected"]

    def _on_team_set(self, event: Fields, _: int) -> None:
        self._players[event["seat"]].team = event["team"]

    def _on_handicap_set(self, event: Fields, _: int) -> None:
        self._players[event["seat"]].given = tuple(event["handicap"])

    def _active(self) -> list[int]:
        return [seat for seat, player in self._players.items() if not player.has_left]

    # The course of a hand.

    def _on_committed(self, event: Fields, _: int) -> None:
        if event["hand"] == 1:
            self._results, self._last_hand = [], 0
            self._starts.clear()
            self._players = {seat: self._players[seat] for seat in sorted(self._active())}
        elif self._is_decided:
            raise Wrong("the match was over")
        if event["hand"] != len(self._results) + 1:
            raise Wrong(f"after {len(self._results)} hands")
        self._phase, self._to_deal = "shuffling", sorted(self._active())
        self._commitment = (event["hand_id"], event["commitment"])

    def _on_dealt(self, event: Fields, place: int) -> None:
        if self._phase != "shuffling" or list(event["seats"]) != self._to_deal:
            raise Wrong(f"not dealt to {self._to_deal}")
        self._handicaps = [self._handicap(seat) for seat in self._to_deal]
        told = [tuple(row) for row in event["handicaps"]]
        if told != (self._handicaps if any(map(any, self._handicaps)) else []):
            raise Wrong(f"the handicaps should be {self._handicaps}")
        heaps = [handicap[0] for handicap in self._handicaps]
        board = self._board = Board(self._options, self._to_deal, self._seed_of_hand(place), heaps)
        if list(event["shown"]) != board.shown_at_first:
            raise Wrong(f"the deal shows {board.shown_at_first}")
        self._phase, self._called, self._is_paused = "countdown", None, False
        self._stuck, self._waiting, self._unturned = set(), set(self._to_deal), set()

    def _seed_of_hand(self, place: int) -> bytes:
        """Return what the end of this hand tells, if it was promised before; nobody contributes here."""
        told = next((read(frame)[1] for frame in self._log[place:] if read(frame)[0] == "hand_over"), None)
        if told is None:
            raise Wrong("this hand does not end")
        secret = bytes.fromhex(told["seed"])
        hand_id, commitment = self._commitment
        if hashlib.sha256(secret + hand_id.encode()).hexdigest() != commitment:
            raise Wrong("another seed was promised")
        return secret

    def _handicap(self, seat: int) -> Handicap:
        """Return the handicap by which a seat is dealt to."""
        player = self._players[seat]
        if self._options.get("handicap", "fixed") == "fixed" or player.is_bot:
            return player.given
        heap, delay, points = player.given
        reserve = Board.reserve_of(self._options)
        for result in self._results:
            if seat not in result.seats:
                continue
            step, dealt = result.steps(seat), result.handicaps[result.seats.index(seat)]
            if reserve is not None:
                sizes = [reserve + each + step for each in (dealt[0], heap)]
                heap += step * all(LEAST_RESERVE <= size <= MOST_RESERVE for size in sizes)
            else:
                delays = [each + step for each in (dealt[1], delay)]
                delay += step * all(0 <= each <= MOST_SECONDS for each in delays)
        return heap, delay, points

    def _on_signalled(self, _event: Fields, _: int) -> None:
        if self._phase != "countdown":
            raise Wrong("a signal at the wrong time")
        self._phase = "playing"
        delays = dict(zip(self._to_deal, (handicap[1] for handicap in self._handicaps), strict=True))
        first = {seat for seat, delay in delays.items() if delay == min(delays.values())}
        self._waiting -= first
        self._unturned = first & set(self._active())

    def _on_seat_signalled(self, event: Fields, _: int) -> None:
        if event["seat"] not in self._waiting:
            raise Wrong("this seat does not wait for a signal")
        self._waiting.discard(event["seat"])
        self._unturned.add(event["seat"])

    def _on_paused(self, _event: Fields, _: int) -> None:
        self._is_paused = True

    def _on_continued(self, _event: Fields, _: int) -> None:
        self._is_paused = False

    def _in_play(self, seat: int | None = None) -> Board:
        """Return the board of a hand in which a seat may do something."""
        if self._board is None or self._phase not in IN_PLAY or self._is_paused:
            raise Wrong("at the wrong time")
        if seat is not None and (seat not in self._board.seats or self._has_left_hand(seat)):
            raise Wrong("this seat does not play")
        if seat in self._waiting:
            raise Wrong("before the seat's signal")
        return self._board

    def _on_played(self, event: Fields, _: int) -> None:
        seat, counter = event["seat"], event["counter"]
        board = self._in_play(seat)
        place, player = board.seats.index(seat), self._players[seat]
        move = Move(event["source"], event["count"], event["destination"])
        if counter:
            self._begin(seat, counter, board)
            if why := "a card from below" if event["depth"] else board.why_not(place, move):
                raise Wrong(f"illegal: {why}; {board.public()}")
            player.counter = counter
        elif move not in board.automatic(place, is_first=seat in self._unturned):
            raise Wrong("the game does not do this by itself")
        elif board.piles[move.source].kind == "stock":
            self._unturned.discard(seat)
        if self._group is not None:
            self._group.is_progress |= board.is_progress(move)
        elif board.is_progress(move):
            self._stuck.clear()
        if board.move(move) != list(event["shown"]):
            raise Wrong(f"other cards turn up: {board.public()}")
        self.done.plays += 1

    def _begin(self, seat: int, counter: int, board: Board) -> None:
        """See to it that a command may be carried out now, and note what was so before it."""
        place = board.seats.index(seat)
        if self._group is None:
            if counter <= self._players[seat].counter:
                raise Wrong("a command out of order, or once more")
            up = {each: board.up(board.seats.index(each)) for each in self._stuck}
            self._group = _Group(seat, counter, up)
        if board.automatic(place, is_first=seat in self._unturned):
            raise Wrong("something should have happened by itself before")
        self._unturned.discard(seat)
        if self._options["call_out"] == "auto" and any(map(board.is_out, range(len(board.seats)))):
            raise Wrong("somebody is out already")

    def _end_group(self, name: str) -> None:
        """Find out who is still stuck after the plays of a command."""
        assert self._board is not None
        group, self._group = self._group, None
        assert group is not None
        if not group.is_progress:
            return
        up = {seat: self._board.up(self._board.seats.index(seat)) for seat in self._stuck}
        still = {seat for seat in self._stuck - {group.seat} if not up[seat] - group.up[seat]}
        self._stuck = still
        self._repeated = set() if name in {"hand_over", "called"} else set(still)

    def _on_stuck_said(self, event: Fields, _: int) -> None:
        self._in_play(event["seat"])
        self._stuck.add(event["seat"])
        self._repeated.discard(event["seat"])

    def _on_stock_shifted(self, event: Fields, _: int) -> None:
        board = self._in_play(event["seat"])
        board.shift(board.seats.index(event["seat"]))
        self._stuck.discard(event["seat"])

    def _on_rotated(self, _event: Fields, _: int) -> None:
        if self._options["stall_rule"] != "rotate":
            raise Wrong("stocks are not rotated here")
        self._in_play().rotate()
        self._stuck.clear()

    def _on_called(self, event: Fields, _: int) -> None:
        board = self._in_play(event["seat"])
        if self._options["call_out"] != "shout" or not board.is_out(board.seats.index(event["seat"])):
            raise Wrong("this seat is not out")
        self._called, self._phase = event["seat"], "grace"

    def _on_hand_over(self, event: Fields, _: int) -> None:
        board, out, reason = self._board, event["out"], event["reason"]
        if board is None or self._phase not in {"countdown", *IN_PLAY}:
            raise Wrong("no hand is played")
        present = [seat for seat in board.seats if not self._has_left_hand(seat)]
        goers = {seat for place, seat in enumerate(board.seats) if board.is_out(place)}
        is_right = {
            "out": out is not None,
            "stuck": all(seat in self._stuck or not self._players[seat].is_there for seat in present),
            "dead": not self._waiting and not any(board.up(board.seats.index(seat)) for seat in present),
            "time_up": event["elapsed_ms"] >= (self._options["time_limit_ms"] or 0),
            "abandoned": not present,
        }
        if not is_right.get(reason, False):
            raise Wrong(f"no reason to end: {board.public()}, stuck: {self._stuck}")
        if (out is not None and out not in goers) or (out is None and goers & set(present)):
            raise Wrong(f"{goers} are out")
        if self._called is not None and out != self._called:
            raise Wrong(f"seat {self._called} has called")
        forfeits = self._options["on_leave"] == "forfeit"
        lost = [forfeits and self._has_left_hand(seat) for seat in board.seats]
        points = [0 if gone else own for gone, own in zip(lost, board.points(out), strict=True)]
        if points != list(event["points"]):
            raise Wrong(f"the points are {points}: {board.public()}")
        teams = [self._players[seat].team for seat in board.seats]
        self._results.append(Result(list(board.seats), points, out, self._handicaps, teams))
        self._phase, self._stuck, self._is_paused, self._repeated = "tally", set(), False, set()
        self._sitting_out.clear()
        self._is_decided = self._ends()  # whoever leaves later has still been there when the hand counted
        self.done.hands += 1
        self.done.ends[reason] += 1

    # The course of a match.

    def _on_match_over(self, event: Fields, _: int) -> None:
        self._phase = "over"
        if not event["closed"] and not self._ends():
            raise Wrong(f"the match goes on: {self.totals()}")
        winners, _ = self._leaders()
        if sorted(winners) != sorted(event["winners"]):
            raise Wrong(f"{winners} have won: {self.totals()}")

    def _side(self, seat: int) -> tuple[str, int]:
        """Return for whom a seat plays."""
        team = self._players[seat].team if seat in self._players else None
        return ("seat", seat) if team is None else ("team", team)

    def _counted(self, points: Mapping[Any, int]) -> dict[Any, int]:
        if self._options.get("match_score", "points") == "points":
            return dict(points)
        return {side: int(own == max(points.values())) for side, own in points.items()}

    def _side_totals(self) -> Counter[tuple[str, int]]:
        added = Counter({self._side(seat): start for seat, start in self._starts.items()})
        for result in self._results:
            points: Counter[tuple[str, int]] = Counter()
            for seat, own in result.added().items():
                points[self._side(seat)] += own
            added.update(self._counted(points))
        return added

    def _leaders(self) -> tuple[list[int], int]:
        """Return the seats that lead, and their total."""
        added = self._side_totals()
        played = {seat for result in self._results for seat in result.seats}
        stayed = played & set(self._active())
        contenders = stayed or (played if len(played) > 1 else set())
        best = max((added[self._side(seat)] for seat in contenders), default=0)
        return [seat for seat in contenders if added[self._side(seat)] == best], best

    def _ends(self) -> bool:
        """Return whether the match is over after the last hand."""
        leaders, best = self._leaders()
        sides, added = {self._side(seat) for seat in leaders}, self._side_totals()
        behind = [added[self._side(seat)] for seat in self._active() if self._side(seat) not in sides]
        target, lead = self._options["target"], self._options.get("win_lead")
        is_played_out = (
            len(self._results) >= self._options["hands"]
            or 0 < self._last_hand <= len(self._results)
            or (target is not None and best >= target)
            or (lead is not None and len(sides) == 1 and bool(behind) and best - max(behind) >= lead)
        )
        is_tied = len(sides) > 1 and self._options["tie_break"] == "hand"
        return not self._active() or (is_played_out and not is_tied)
