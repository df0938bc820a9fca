"""Standings counted from events by what the manual says, and by none of the product's code for standings.

Sources: "What follows from it" in ``docs/records.md``, "Teams" and "Handicaps" in ``docs/rules.md``,
"Players" in ``docs/server.md``, and "Results over HTTP" in ``docs/wire.md``. Ratings: R. C. Weng and
C.-J. Lin, *A Bayesian Approximation Method for Online Ranking*, 2011, algorithm 1.
"""

import math
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, NamedTuple

import pytest

from racing_demon_protocol.engine.board import Board, Kind
from racing_demon_protocol.records.format import Correction, TimedMessage
from racing_demon_protocol.table.state import TableState
from racing_demon_protocol.wire.messages import Event
from racing_demon_protocol.wire.messages import events as ev
from racing_demon_protocol.wire.messages.server import Refused

FORMER: Final = "A former player"
FORM: Final = 10
RATED_MATCHES: Final = 10
RATED_PEOPLE: Final = 5
FULL_A_DAY: Final = 5
DAY_MS: Final = 86_400_000
STRENGTH: Final = 25.0
DOUBT: Final = STRENGTH / 3
PLAY: Final = STRENGTH / 6
"""The standard deviation of how well somebody plays."""
DRIFT: Final = STRENGTH / 300
"""By how much a strength may have changed since the last match."""
MIN_FACTOR: Final = 0.0001
FACES: Final = 52
READY: Final = {Kind.TABLEAU, Kind.WASTE, Kind.RESERVE}
RANKS: Final = 13


class Who(NamedTuple):
    """A row: a player by the id, a bot by name and level, or a guest by name."""

    name: str
    bot: str
    player: str


@dataclass
class Played:
    """A match as it was played.

    Attributes:
        names: the name of each seat at the table.
        bots: the level of each seat of a bot.
        players: the id of each seat's player; empty for a guest.
        teams: the team of each seat, if there are teams.
        hands: the points of each hand, by seat.
        added: the points of handicaps in each hand, by seat.
        outs: who went out in each hand.
        races: winner and loser of each race.
        left: the seats of those who left before the end.
        winners: who won, by ``match_over``; ``None`` as long as the match is not over.
        counts_hands: whether hands are counted, and not points.
        corrections: what was corrected later.
        handicapped: whether a hand was dealt with handicaps.
        casual: whether its table was kept out of standings.
        ended_ms: when it was over.

    """

    names: dict[int, str] = field(default_factory=dict)
    bots: dict[int, str] = field(default_factory=dict)
    players: dict[int, str] = field(default_factory=dict)
    teams: dict[int, int] = field(default_factory=dict)
    hands: list[dict[int, int]] = field(default_factory=list)
    added: list[dict[int, int]] = field(default_factory=list)
    outs: list[int | None] = field(default_factory=list)
    races: list[tuple[int, int]] = field(default_factory=list)
    left: set[int] = field(default_factory=set)
    winners: tuple[int, ...] | None = None
    counts_hands: bool = False
    corrections: list[Correction] = field(default_factory=list)
    handicapped: bool = False
    casual: bool = False
    ended_ms: int = 0
    _open: list[tuple[int, int]] = field(default_factory=list)

    def follow(self, entries: Sequence[TimedMessage], view: TableState) -> None:
        """Follow what happened at a table, of which the view knows where the cards lie."""
        for entry in entries:
            event = entry.message
            if isinstance(event, Refused) and event.by is not None and entry.seat is not None:
                self._lose(event.by, entry.seat)
            if isinstance(event, Event):
                ready = _ready(view) if isinstance(event, ev.Played) else set()
                view.apply(event)
                self._follow(event, view, ready)
                self.ended_ms = entry.at_ms or 0

    def _follow(self, event: Event, view: TableState, ready: set[tuple[int, int]]) -> None:
        """Count an event that the view has followed; these cards had a place before."""
        match event:
            case ev.Joined():
                self.names[event.seat], self.bots[event.seat] = event.name, event.bot
            case ev.TeamSet():
                self.teams[event.seat] = event.team
            case ev.Left():
                self.left.add(event.seat)
            case ev.Dealt():
                self._open.clear()
                handicaps = event.handicaps or [None] * len(event.seats)
                of_seats = zip(event.seats, handicaps, strict=True)
                self.added.append({seat: each.points for seat, each in of_seats if each is not None})
                self.handicapped |= any(event.handicaps)
            case ev.Played() if _is_foundation(view, event.destination):
                lost = ready - _ready(view)
                found = [(event.seat, seat) for seat, _ in lost if seat != event.seat]
                self.races += found
                self._open += found
            case ev.HandOver():
                self.hands.append(dict(zip(view.hand_seats, event.points, strict=True)))
                self.outs.append(event.out)
            case ev.MatchOver():
                self.winners = event.winners

    def _lose(self, winner: int, loser: int) -> None:
        """Count a card that was refused as late, unless that is of a race which the board has shown."""
        if (winner, loser) in self._open:
            self._open.remove((winner, loser))
        else:
            self.races.append((winner, loser))

    @property
    def is_left_out(self) -> bool:
        """Whether it does not count at all."""
        return self.casual or any(each.void for each in self.corrections)

    def totals(self) -> Counter[int]:
        """Return the total of each seat: its hands, with the points of handicaps and corrections."""
        totals = Counter(dict.fromkeys(self.names, 0))
        for points, added in zip(self.hands, self.added, strict=False):
            for seat, own in points.items():
                totals[seat] += own + added.get(seat, 0)
        for each in self.corrections:
            if each.seat is not None:
                totals[each.seat] += each.points
        return totals

    def side(self, seat: int) -> str:
        """Return who wins with a seat: its team, or the seat alone."""
        return f"team {self.teams[seat]}" if seat in self.teams else f"seat {seat}"

    def scores(self) -> dict[int, int]:
        """Return what decides the match, by seat: the totals of its side, or the hands that it won."""
        sides = Counter[str]()
        if self.counts_hands:
            for number, points in enumerate(self.hands, 1):
                hand = Counter[str]()
                for seat, own in points.items():
                    hand[self.side(seat)] += own + self.added[number - 1].get(seat, 0)
                for each in self.corrections:
                    if each.seat is not None and each.hand == number and each.seat in points:
                        hand[self.side(each.seat)] += each.points
                sides.update(side for side, total in hand.items() if total == max(hand.values()))
        else:
            for seat, total in self.totals().items():
                sides[self.side(seat)] += total
        return {seat: sides[self.side(seat)] for seat in self.names}

    def who_won(self) -> set[int]:
        """Return the seats that won; with corrections of points those with the best score who stayed."""
        if self.winners is None:
            return set()
        if not any(each.points for each in self.corrections):
            return set(self.winners)
        scores, stayed = self.scores(), self.names.keys() - self.left
        return {seat for seat in stayed if scores[seat] == max(scores[each] for each in stayed)}


class Club:
    """People, their matches, and what became of both later."""

    def __init__(self) -> None:
        self.matches: dict[str, Played] = {}
        self.names: dict[str, str] = {}
        self.merged: dict[str, str] = {}

    def who(self, match: Played, seat: int) -> Who:
        """Return whose seat it was."""
        player = match.players.get(seat, "")
        if not player:
            return Who(match.names[seat], match.bots[seat], "")
        while player in self.merged:
            player = self.merged[player]
        return Who(self.names.get(player, FORMER), "", player)

    def forget(self, player: str) -> None:
        """Let a player be forgotten, and with it all who were merged into it."""
        for former, into in list(self.merged.items()):
            if into == player and former in self.merged:
                del self.merged[former]
                self.forget(former)
        self.names.pop(player, None)

    def rows(self) -> dict[Who, dict[str, Any]]:
        """Return a row for everybody."""
        sums: dict[Who, Counter[str]] = defaultdict(Counter)
        won: dict[Who, list[int]] = defaultdict(list)
        for match in self._counted():
            who = {seat: self.who(match, seat) for seat in match.names}
            for points, out in zip(match.hands, match.outs, strict=True):
                for seat, own in points.items():
                    sums[who[seat]].update(hands=1, points=own, outs=int(out == seat))
            for each in match.corrections:
                if each.seat is not None:
                    sums[who[each.seat]].update(points=each.points)
            for winner, loser in match.races:
                sums[who[winner]]["races_won"] += 1
                sums[who[loser]]["races_lost"] += 1
            if match.winners is not None:
                winners = {who[seat] for seat in match.who_won()}
                for each_one in set(who.values()):
                    won[each_one].append(int(each_one in winners))
        rated = self._rated()
        keys = ("hands", "points", "outs", "races_won", "races_lost")
        return {
            each: {
                **{key: sums[each][key] for key in keys},
                "matches": len(won[each]),
                "wins": sum(won[each]),
                "form": won[each][-FORM:],
                "streak": _runs(won[each])[-1],
                "longest": max(_runs(won[each])),
                **(rated[each].row() if each in rated else UNRATED),
            }
            for each in {*sums, *won}
        }

    def teams(self) -> Counter[tuple[Any, ...]]:
        """Return a row for each team: whoever were partners, and what they reached together."""
        sums: dict[tuple[Who, ...], Counter[str]] = defaultdict(Counter)
        for match in self._counted():
            for team in set(match.teams.values()):
                seats = [seat for seat, own in match.teams.items() if own == team]
                sums[tuple(sorted(self.who(match, seat) for seat in seats))].update(
                    matches=int(match.winners is not None),
                    wins=int(bool(match.who_won() & set(seats))),
                    hands=sum(any(seat in points for seat in seats) for points in match.hands),
                    points=sum(match.totals()[seat] for seat in seats),
                )
        keys = ("matches", "wins", "hands", "points")
        return Counter(
            (tuple(sorted(each.name for each in players)), *(row[key] for key in keys))
            for players, row in sums.items()
        )

    def of_player(self, player: str) -> list[tuple[bool, int]]:
        """Return whether each of a player's matches was won, and with how many points, the newest first."""
        found = []
        for match in self._counted():
            own = [seat for seat in match.names if self.who(match, seat).player == player]
            if own:
                found.append((bool(match.who_won() & set(own)), max(match.scores()[seat] for seat in own)))
        return found[::-1]

    def _counted(self) -> Iterator[Played]:
        return (match for match in self.matches.values() if not match.is_left_out and match.hands)

    def _rated(self) -> dict[Who, "Rated"]:
        """Return everybody who is rated."""
        rated: dict[Who, Rated] = defaultdict(Rated)
        days: dict[frozenset[Who], list[int]] = defaultdict(list)
        for match in self._counted():
            sides: dict[str, dict[Who, tuple[bool, float]]] = defaultdict(dict)
            for each, (rank, seat) in self._best_seats(match).items():
                sides[match.side(seat)][each] = rank
            people = set().union(*sides.values())
            if match.winners is None or match.handicapped or len(sides) < 2:
                continue
            group = days[frozenset(each for each in people if not each.bot) or frozenset(people)]
            group.append(match.ended_ms)
            same = sum(ended > match.ended_ms - DAY_MS for ended in group)
            ranks = [min(side.values()) for side in sides.values()]
            before = [[(rated[each].strength, rated[each].doubt) for each in side] for side in sides.values()]
            after = weng_lin(before, ranks)
            for side, new in zip(sides.values(), after, strict=True):
                others = {other for other in people - side.keys() if not other.bot}
                for each, (strength, doubt) in zip(side, new, strict=True):
                    rated[each].move(strength, doubt, min(1.0, FULL_A_DAY / same))
                    rated[each].met.append(others)
        return rated

    def _best_seats(self, match: Played) -> dict[Who, tuple[tuple[bool, float], int]]:
        """Return everybody's best place, the least first, and its seat: several may be one player's now."""
        scores, winners = match.scores(), match.who_won()
        found: dict[Who, tuple[tuple[bool, float], int]] = {}
        for seat in match.names:
            own, each = ((seat not in winners, -scores[seat]), seat), self.who(match, seat)
            found[each] = min(found.get(each, own), own)
        return found


@dataclass
class Rated:
    """Somebody's rating: strength, its standard deviation, and the people whom each match was against."""

    strength: float = STRENGTH
    doubt: float = DOUBT
    met: list[set[Who]] = field(default_factory=list)

    def move(self, strength: float, doubt: float, part: float) -> None:
        """Move towards another rating by a part of the way."""
        self.strength += part * (strength - self.strength)
        self.doubt += part * (doubt - self.doubt)

    def row(self) -> dict[str, Any]:
        """Return what the standings say of it."""
        few = sum(map(bool, self.met)) < RATED_MATCHES or len(set().union(*self.met)) < RATED_PEOPLE
        return {
            "rating": pytest.approx(self.strength - 3 * self.doubt, abs=0.011),
            "estimate": pytest.approx(self.strength, abs=0.011),
            "doubt": pytest.approx(self.doubt, abs=0.011),
            "provisional": few,
        }


UNRATED: Final = dict.fromkeys(("rating", "estimate", "doubt", "provisional"))


def weng_lin(sides: list[list[tuple[float, float]]], ranks: Sequence[Any]) -> list[list[tuple[float, float]]]:
    """Return new strengths and doubts of the players of each side; the side with the least rank won."""
    sides = [[(strength, math.hypot(doubt, DRIFT)) for strength, doubt in side] for side in sides]
    sums = [(sum(each[0] for each in side), sum(each[1] ** 2 for each in side)) for side in sides]
    after = []
    for own, (strength, variance) in enumerate(sums):
        better, surer = 0.0, 0.0
        for other, (others, their_variance) in enumerate(sums):
            if other != own:
                width = math.sqrt(variance + their_variance + 2 * PLAY**2)
                chance = 1 / (1 + math.exp((others - strength) / width))
                won = 1.0 if ranks[own] < ranks[other] else 0.5 if ranks[own] == ranks[other] else 0.0
                better += variance / width * (won - chance)
                surer += variance**1.5 / width**3 * chance * (1 - chance)
        after.append(
            [
                (
                    one + doubt**2 / variance * better,
                    doubt * math.sqrt(max(1 - doubt**2 / variance * surer, MIN_FACTOR)),
                )
                for one, doubt in sides[own]
            ]
        )
    return after


def _runs(won: Sequence[int]) -> list[int]:
    """Return how many matches in a row were won at the beginning, and after each of them."""
    runs = [0]
    for each in won:
        runs.append(runs[-1] + 1 if each else 0)
    return runs


def _is_foundation(view: TableState, pile: int) -> bool:
    return view.board is not None and view.board.piles[pile].kind is Kind.FOUNDATION


def _ready(view: TableState) -> set[tuple[int, int]]:
    """Return seat and face of each card that lies face up on a pile of a seat, and has a place above."""
    if view.board is None or not view.in_hand:
        return set()
    wanted, tops = _wanted(view.board), [(pile, view.board.top(pile.number)) for pile in view.board.piles]
    return {
        (pile.seat, top % FACES)
        for pile, top in tops
        if pile.seat is not None and pile.kind in READY and top is not None and top >= 0
        if top % FACES in wanted
    }


def _wanted(board: Board) -> set[int]:
    """Return the faces for which there is a place: aces on free foundations, or the next of a suit."""
    wanted = set[int]()
    for pile in board.piles:
        if pile.kind is Kind.FOUNDATION:
            cards = board.cards[pile.number]
            if not cards:
                wanted |= {suit * RANKS for suit in range(4)}
            elif cards[-1] % RANKS < RANKS - 1:
                wanted.add(cards[-1] % FACES + 1)
    return wanted
