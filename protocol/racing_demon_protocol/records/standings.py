"""Standings over many matches: wins, points and speed. Pure sums over summaries.

Players are identified by their ids where a server remembers them, and by name elsewhere; a bot with the same
name, or of another level, is a different player.
Corrections count from the moment they are entered: points are added to the match's total, and the winner is
determined again; a void match counts for nobody, and neither does a casual one. An
unfinished match counts its hands, but nobody wins it.
"""

from collections import Counter, deque
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from statistics import median
from typing import Final, NamedTuple

from racing_demon_protocol.wire.messages.handicap import NO_HANDICAP, Handicap
from racing_demon_protocol.wire.options import MatchScore

from .format import Correction
from .summary import MatchSummary, PlayerSummary

FORM: Final = 10
"""How many of the last matches show a player's form."""


class Key(NamedTuple):
    """A player's identity in the standings.

    That is a name and, for a bot, its level, ``program`` for a program; or the id of a player whom a server
    remembers. Such a player's name may change: sums have none, and it is put in when they are shown.
    """

    name: str
    bot: str = ""
    player: str = ""

    @classmethod
    def of(cls, player: PlayerSummary) -> "Key":
        """Return the identity of a player of a match."""
        return cls(player.name, player.kind, player.player).identity

    @property
    def identity(self) -> "Key":
        """The same player as sums have it."""
        return self._replace(name="") if self.player else self


Naming = Callable[[str], str]
"""Returns what a player is called whom a server remembers, by the id."""


@dataclass(slots=True)
class Standing:
    """One player's row. Times are microseconds unless stated otherwise.

    Attributes:
        key: the player.
        matches: finished matches.
        wins: matches won, including shared wins.
        hands: hands played.
        points: points of all hands, corrections included.
        outs: how often the player went out.
        plays: number of plays, turns included.
        elapsed_ms: the duration of the hands whose plays are known.
        races_won: places on foundations taken before a player who could have had them.
        races_lost: the same the other way round.
        lost_by: by how much each of the player's late cards was late, if known.
        won_by: by how much each opponent's late card was late, if known.
        streak: the current streak of wins.
        longest: the longest streak of wins.
        form: whether each of the last matches was won, up to :data:`FORM` of them.

    """

    key: Key
    matches: int = 0
    wins: int = 0
    hands: int = 0
    points: int = 0
    outs: int = 0
    plays: int = 0
    elapsed_ms: int = 0
    races_won: int = 0
    races_lost: int = 0
    lost_by: list[int] = field(default_factory=list)
    won_by: list[int] = field(default_factory=list)
    streak: int = 0
    longest: int = 0
    form: deque[bool] = field(default_factory=lambda: deque(maxlen=FORM))

    def with_hands_of(self, other: "Standing") -> "Standing":
        """Return the row with the hands of another row of the player, who has finished no match there."""
        added = (
            "hands",
            "points",
            "outs",
            "plays",
            "elapsed_ms",
            "races_won",
            "races_lost",
            "lost_by",
            "won_by",
        )
        return replace(self, **{name: getattr(self, name) + getattr(other, name) for name in added})

    @property
    def points_a_hand(self) -> float:
        """The average points of a hand."""
        return self.points / self.hands if self.hands else 0.0

    @property
    def plays_a_minute(self) -> float:
        """The average plays in a minute of a hand."""
        return self.plays * 60_000 / self.elapsed_ms if self.elapsed_ms else 0.0

    @property
    def lost_by_ms(self) -> float | None:
        """The median of known delays of lost races, in milliseconds."""
        return median(self.lost_by) / 1_000 if self.lost_by else None

    @property
    def won_by_ms(self) -> float | None:
        """The median of known leads of won races, in milliseconds."""
        return median(self.won_by) / 1_000 if self.won_by else None


@dataclass(slots=True)
class TeamStanding:
    """The row of people, or bots, who were one team.

    Attributes:
        players: who they are; in standings by name.
        matches: finished matches.
        wins: matches won, including shared wins.
        hands: hands played.
        points: their points of all hands, corrections included.

    """

    players: tuple[Key, ...]
    matches: int = 0
    wins: int = 0
    hands: int = 0
    points: int = 0

    def with_hands_of(self, other: "TeamStanding") -> "TeamStanding":
        """Return the row with the hands of another row of the team, which has finished no match there."""
        return replace(self, hands=self.hands + other.hands, points=self.points + other.points)

    @property
    def points_a_hand(self) -> float:
        """The team's average points of a hand."""
        return self.points / self.hands if self.hands else 0.0


class AppliedCorrection(NamedTuple):
    """A correction in these standings: the match, when, by whom, what and why."""

    id: str
    at_ms: int
    by: str
    what: str
    why: str


class HandicappedMatch(NamedTuple):
    """A match with handicaps: each player's name, and what the player had in the end."""

    id: str
    players: list[tuple[str, Handicap]]


@dataclass(slots=True)
class Standings:
    """All rows, best first, and the corrections applied.

    ``matches`` were finished; of ``unfinished`` ones only the hands count. ``on_trust`` hands rest in part on
    the server's word: see :class:`.summary.HandSummary`. ``handicapped`` matches count, and are not rated.
    ``teams`` are the rows of teams, best first; their players have rows of their own, too. ``casual`` matches
    were left out. ``early`` ones were ended before they were played out: they count, and are not rated.
    """

    rows: list[Standing]
    matches: int
    unfinished: int
    corrected: list[AppliedCorrection]
    on_trust: int = 0
    handicapped: list[HandicappedMatch] = field(default_factory=list)
    teams: list[TeamStanding] = field(default_factory=list)
    casual: int = 0
    early: int = 0


def select_matches(
    summaries: Iterable[MatchSummary],
    *,
    since_ms: int | None = None,
    until_ms: int | None = None,
    names: Collection[str] = (),
) -> list[MatchSummary]:
    """Return the matches of a period or group, in the order in which they ended, each once.

    If several people recorded a match, the most complete record counts, with all corrections and the earliest
    known start.

    Args:
        summaries: all matches.
        since_ms: include matches that started then or later; one without a time is in no period.
        until_ms: include matches that started earlier.
        names: include matches in which only these people, and bots, played.

    """
    kept = [
        summary
        for summary in _merge_duplicates(summaries)
        if (since_ms is None or (summary.started_ms is not None and summary.started_ms >= since_ms))
        and (until_ms is None or (summary.started_ms is not None and summary.started_ms < until_ms))
        and (not names or {player.name for player in summary.players if not player.kind} <= set(names))
    ]
    return sorted(kept, key=lambda summary: (summary.ended_ms or 0, summary.started_ms or 0, summary.id))


def select_hands(summaries: Iterable[MatchSummary], *, with_bots: bool) -> list[MatchSummary]:
    """Return matches with only their hands with bots, or only those without.

    A match that had both kinds has no winner.
    """
    return [_with_hands_only(summary, with_bots=with_bots) for summary in summaries]


def _with_hands_only(summary: MatchSummary, *, with_bots: bool) -> MatchSummary:
    hands = tuple(hand for hand in summary.hands if hand.with_bots is with_bots)
    if hands == summary.hands:
        return summary
    numbers = {hand.hand for hand in hands}
    return summary.model_copy(
        update={
            "hands": hands,
            "players": tuple(p for p in summary.players if any(p.seat in hand.points for hand in hands)),
            "winners": (),
            "finished": False,
            "corrections": tuple(each for each in summary.corrections if each.void or each.hand in numbers),
        }
    )


def _merge_duplicates(summaries: Iterable[MatchSummary]) -> Iterable[MatchSummary]:
    """Return each match once: records with a hand in common are of the same match."""
    found: dict[int, MatchSummary] = {}
    where: dict[str, int] = {}
    for number, summary in enumerate(summaries):
        same = sorted({where[promise] for promise in summary.promises if promise in where})
        merged = _merge([*(found.pop(each) for each in same), summary])
        found[number] = merged
        where |= dict.fromkeys(merged.promises, number)
    return found.values()


def _merge(same: Sequence[MatchSummary]) -> MatchSummary:
    """Return the most complete summary of a match, combined with the others' information."""
    if len(same) == 1:
        return same[0]
    began = (summary.started_ms for summary in same if summary.started_ms is not None)
    said = {
        "started_ms": min(began, default=None),
        "corrections": tuple(dict.fromkeys(each for summary in same for each in summary.corrections)),
        "promises": tuple(dict.fromkeys(each for summary in same for each in summary.promises)),
    }
    return max(same, key=_completeness).model_copy(update=said)


def _completeness(summary: MatchSummary) -> tuple[bool, int, int, bool]:
    """Return how much of a match is known: its end, its hands, their plays; the server knows best.

    Plays count, not hands with any plays: a player who was away during a hand recorded only part of it.
    """
    plays = sum(sum(hand.plays.values()) for hand in summary.hands)
    return summary.finished, len(summary.hands), plays, bool(summary.id)


def standings(summaries: Iterable[MatchSummary]) -> Standings:
    """Return the standings after matches, which are in the order in which they ended."""
    total = StandingsTotal()
    for summary in summaries:
        total.add(summary)
    return total.standings()


class StandingsTotal:
    """The sums behind standings, to which matches are added in the order in which they end.

    Names of players whom a server remembers are not among them, so that nobody's new name changes them.
    """

    def __init__(self) -> None:
        self._rows: dict[Key, Standing] = {}
        self._teams: dict[tuple[Key, ...], TeamStanding] = {}
        self._corrected: list[_Corrected] = []
        self._handicapped: list[tuple[str, list[tuple[Key, Handicap]]]] = []
        self._last_names: dict[str, str] = {}
        self._matches = self._unfinished = self._on_trust = self._casual = self._early = 0

    def add(self, summary: MatchSummary) -> None:
        """Add a match."""
        is_played = bool(summary.hands or summary.finished)
        self._last_names |= {player.player: player.name for player in summary.players if player.player}
        if summary.casual:
            self._casual += is_played
        else:
            self._corrected += _corrected(summary)
        if summary.counts and is_played:
            self._count(summary)

    def _count(self, summary: MatchSummary) -> None:
        """Add a match that counts. Whatever else is summed up over the same matches extends this."""
        _add(self._rows, summary)
        _add_teams(self._teams, summary)
        self._matches += summary.finished
        self._unfinished += not summary.finished
        self._early += summary.early
        self._on_trust += sum(hand.on_trust for hand in summary.hands)
        if summary.handicaps:
            self._handicapped.append(_handicapped(summary))

    def row_of(self, player: str) -> Standing | None:
        """Return the row of a player whom a server remembers; ``None`` without a match."""
        return next((row for row in self._rows.values() if row.key.player == player), None)

    def standings(self, running: Iterable[MatchSummary] = (), name_of: Naming | None = None) -> Standings:
        """Return the standings so far. Rows change with the next match that is added.

        Args:
            running: matches that are still being played.
            name_of: what players are called now; ``None`` for the names of their last matches.

        """
        more = StandingsTotal()
        for summary in running:
            more.add(summary)
        names = self._last_names | more._last_names

        def named(key: Key) -> Key:
            if not key.player:
                return key
            return key._replace(name=names[key.player] if name_of is None else name_of(key.player))

        rows = self._rows | {
            key: row if (own := self._rows.get(key)) is None else own.with_hands_of(row)
            for key, row in more._rows.items()
        }
        teams = self._teams | {
            players: team if (former := self._teams.get(players)) is None else former.with_hands_of(team)
            for players, team in more._teams.items()
        }
        shown = [replace(row, key=named(row.key)) if row.key.player else row for row in rows.values()]
        of_teams = [replace(row, players=tuple(sorted(map(named, row.players)))) for row in teams.values()]
        handicapped = [
            HandicappedMatch(id_, [(named(key).name, handicap) for key, handicap in players])
            for id_, players in (*self._handicapped, *more._handicapped)
        ]
        return Standings(
            sorted(shown, key=lambda row: (-row.wins, -row.points_a_hand, row.key)),
            self._matches + more._matches,
            self._unfinished + more._unfinished,
            [_applied(each, named) for each in (*self._corrected, *more._corrected)],
            self._on_trust + more._on_trust,
            handicapped,
            sorted(of_teams, key=lambda row: (-row.wins, -row.points_a_hand, row.players)),
            self._casual + more._casual,
            self._early + more._early,
        )


def _add_teams(rows: dict[tuple[Key, ...], TeamStanding], summary: MatchSummary) -> None:
    """Add a match to the row of the players of each team."""
    totals, winners = total_points(summary), corrected_winners(summary)
    for team in {player.team for player in summary.players} - {None}:
        members = [player for player in summary.players if player.team == team]
        players = tuple(sorted(Key.of(player) for player in members))
        row = rows.setdefault(players, TeamStanding(players))
        seats = {player.seat for player in members}
        row.hands += sum(not seats.isdisjoint(hand.points) for hand in summary.hands)
        row.points += sum(totals[seat] for seat in seats)
        row.matches += summary.finished
        row.wins += not seats.isdisjoint(winners)


def _handicapped(summary: MatchSummary) -> tuple[str, list[tuple[Key, Handicap]]]:
    keys = {player.seat: Key.of(player) for player in summary.players}
    given = [
        (keys[seat], handicap)
        for seat, handicap in summary.handicaps.items()
        if seat in keys and handicap != NO_HANDICAP
    ]
    return summary.id or summary.code, given


def total_points(summary: MatchSummary) -> dict[int, int]:
    """Return each seat's total, with the points of handicaps and corrections."""
    totals = {player.seat: 0 for player in summary.players}
    for hand in summary.hands:
        for seat, points in hand.points.items():
            totals[seat] = totals.get(seat, 0) + points + hand.handicaps.get(seat, NO_HANDICAP).points
    for correction in summary.corrections:
        if correction.seat in totals and correction.seat is not None:
            totals[correction.seat] += correction.points
    return totals


def side_points(summary: MatchSummary) -> dict[int, int]:
    """Return what counts in the match for each seat: its team's total, or its own without teams."""
    if summary.match_score is MatchScore.HANDS:
        return _hands_won(summary)
    totals = total_points(summary)
    for player in summary.players:
        totals[player.seat] += player.start
    teams: Counter[int] = Counter()
    for player in summary.players:
        if player.team is not None:
            teams[player.team] += totals[player.seat]
    return totals | {player.seat: teams[player.team] for player in summary.players if player.team is not None}


def _hands_won(summary: MatchSummary) -> dict[int, int]:
    """Return the hands that each seat, or its team, has won. Only corrections of a hand change them."""
    sides = {player.seat: _Side(player.team, player.seat) for player in summary.players}
    sides |= {seat: _Side(side.team, None) for seat, side in sides.items() if side.team is not None}
    corrected = Counter[tuple[int | None, int | None]]()
    for correction in summary.corrections:
        corrected[correction.hand, correction.seat] += correction.points
    won = Counter[_Side]()
    for hand in summary.hands:
        points = Counter[_Side]()
        for seat in hand.points.keys() & sides.keys():
            own = hand.points[seat] + hand.handicaps.get(seat, NO_HANDICAP).points
            points[sides[seat]] += own + corrected[hand.hand, seat]
        won.update(side for side, total in points.items() if total == max(points.values()))
    starts = {player.seat: player.start for player in summary.players}
    return {seat: won[side] + starts[seat] for seat, side in sides.items()}


class _Side(NamedTuple):
    """Who wins hands together: a team, or a seat alone."""

    team: int | None
    seat: int | None


def corrected_winners(summary: MatchSummary) -> tuple[int, ...]:
    """Return the winners as recorded or, after corrections of points, by the new totals.

    With teams these are the players of the best team who have not left.
    """
    if not summary.finished or not any(correction.points for correction in summary.corrections):
        return summary.winners if summary.finished else ()
    totals = side_points(summary)
    stayed = [player.seat for player in summary.players if not player.left] or list(totals)
    best = max((totals[seat] for seat in stayed), default=0)
    return tuple(seat for seat in stayed if totals[seat] == best)


def _add(rows: dict[Key, Standing], summary: MatchSummary) -> None:
    """Add a match to the rows of its players."""
    seats: dict[int, Standing] = {}
    for player in summary.players:
        key = Key.of(player)
        seats[player.seat] = rows.setdefault(key, Standing(key))
    for hand in summary.hands:
        for seat, points in hand.points.items():
            row = seats.get(seat)
            if row is not None:
                row.hands += 1
                row.points += points
                row.outs += hand.out == seat
                row.plays += hand.plays.get(seat, 0)
                row.elapsed_ms += hand.elapsed_ms if hand.plays else 0
        _add_races(seats, hand.races)
    for correction in summary.corrections:
        if correction.seat in seats and correction.seat is not None:
            seats[correction.seat].points += correction.points
    if summary.finished:
        _add_match(seats, corrected_winners(summary))


def _add_races(seats: Mapping[int, Standing], races: Iterable[tuple[int, int, int, int | None]]) -> None:
    for winner, loser, _, late_us in races:
        if winner in seats:
            seats[winner].races_won += 1
        if loser in seats:
            seats[loser].races_lost += 1
        if late_us is not None and winner in seats and loser in seats:
            seats[winner].won_by.append(late_us)
            seats[loser].lost_by.append(late_us)


def _add_match(seats: Mapping[int, Standing], winners: Collection[int]) -> None:
    """Count a finished match. Bots of one level may share a name: then a row has several seats."""
    won: dict[Key, tuple[Standing, bool]] = {}
    for seat, row in seats.items():
        won[row.key] = (row, seat in winners or (row.key in won and won[row.key][1]))
    for row, is_won in won.values():
        row.matches += 1
        row.wins += is_won
        row.streak = row.streak + 1 if is_won else 0
        row.longest = max(row.longest, row.streak)
        row.form.append(is_won)


class _Corrected(NamedTuple):
    """A correction in the sums: the match, and whose points it changes, if they are a player's."""

    id: str
    correction: Correction
    key: Key | None


def _corrected(summary: MatchSummary) -> Iterable[_Corrected]:
    keys = {player.seat: Key.of(player) for player in summary.players}
    for correction in summary.corrections:
        key = None if correction.seat is None else keys.get(correction.seat)
        yield _Corrected(summary.id or summary.code, correction, key)


def _applied(corrected: _Corrected, named: Callable[[Key], Key]) -> AppliedCorrection:
    """Return a correction in words."""
    id_, correction, key = corrected
    parts = ["the match does not count"] if correction.void else []
    if correction.seat is not None:
        name = f"seat {correction.seat + 1}" if key is None else named(key).name
        hand = f" in hand {correction.hand}" if correction.hand is not None else ""
        unit = "point" if abs(correction.points) == 1 else "points"
        parts.append(f"{correction.points:+} {unit} for {name}{hand}")
    what = "; ".join(parts) or "a note"
    return AppliedCorrection(id_, correction.at_ms, correction.by, what, correction.why)
