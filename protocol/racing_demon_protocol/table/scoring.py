"""The tally: the points of hands, the leaders, and the winners of a match."""

from collections.abc import Iterable, Mapping
from typing import Final

from racing_demon_protocol.enums import Phase
from racing_demon_protocol.games import declare
from racing_demon_protocol.wire.messages.server import HandResult
from racing_demon_protocol.wire.options import MatchScore, OnLeave, TieBreak

from .state import HandView, TableState

MAX_HANDS: Final = 1_000
"""The maximum number of hands in a match, however often it is tied; the wire allows no more."""


def points(view: TableState) -> dict[int, int]:
    """Return each seat's points in the current or last hand."""
    if view.hand is None:
        return {}
    if view.results and view.phase in {Phase.TALLY, Phase.OVER, Phase.SHUFFLING}:
        return dict(zip(view.results[-1].seats, view.results[-1].points, strict=True))
    return _points_with(view.hand, None)


def _points_with(hand: HandView, out: int | None) -> dict[int, int]:
    """Return each seat's points in the current hand, with a bonus for the seat that is out.

    On identical deals they follow from the public progress.
    """
    if not hand.rules.is_private:
        return hand.rules.points(hand.board, out)
    scoring = hand.rules.game.scoring
    return {
        seat: progress.reached * scoring.foundation_card + (scoring.out_bonus if seat == out else 0)
        for seat, progress in hand.progress.items()
    }


def race_order(hand: HandView, out: int | None = None) -> list[int]:
    """Return the seats of a hand of identical deals, the leader first.

    The order is: the winner, then by progress, then by who reached it earlier.
    """

    def rank(seat: int) -> tuple[bool, int, int]:
        reached, since = hand.progress[seat]
        return seat != out, -reached, since

    return sorted(hand.progress, key=rank)


def totals(view: TableState) -> dict[int, int]:
    """Return each seat's total over the finished hands of the match: its points, or the hands it has won.

    Points of handicaps count in both, and those with which late players started.
    """
    added = dict.fromkeys(view.seats, 0) | dict(view.starts)
    for result in view.results:
        for seat, gained in _counted(view, result.added()).items():
            added[seat] = added.get(seat, 0) + gained
    return added


def late_start(view: TableState) -> int:
    """Return at which total somebody starts who takes a seat now: the lowest one, if the host wants that.

    Totals of players who have left count, too. With teams all start at 0, as before a match.
    """
    if not view.late_start or view.between_matches or view.options.teams is not None:
        return 0
    return min(totals(view).values(), default=0)


def _counted(view: TableState, points: dict[int, int]) -> dict[int, int]:
    """Return what the points of one hand, of seats or of teams, add to their totals."""
    if view.options.match_score is MatchScore.POINTS:
        return points
    best = max(points.values(), default=0)
    return {side: int(own == best) for side, own in points.items()}


def teams_of(view: TableState) -> dict[int, int]:
    """Return the team of each seat of the match, or of the last one; empty where there are no teams."""
    if view.results and not any(result.teams for result in view.results):
        return {}
    teams = {seat: state.team for seat, state in view.seats.items() if state.team is not None}
    for result in view.results:
        teams |= dict(zip(result.seats, result.teams, strict=False))
    return teams


def team_points(result: HandResult) -> dict[int, int]:
    """Return the points of each team in a hand; empty where there were no teams."""
    teams = dict(zip(result.seats, result.teams, strict=False))
    return _by_team(teams, dict(zip(result.seats, result.points, strict=True)))


def _by_team(teams: Mapping[int, int], points: Mapping[int, int]) -> dict[int, int]:
    """Return the sum of the points of each team's seats."""
    added: dict[int, int] = {}
    for seat, gained in points.items():
        if seat in teams:
            added[teams[seat]] = added.get(teams[seat], 0) + gained
    return added


def by_teams(view: TableState) -> list[tuple[int, list[int]]]:
    """Return the teams with their seats, the team and the seat with the highest total first."""
    teams, added, of_teams = teams_of(view), totals(view), team_totals(view)
    best = sorted(of_teams, key=lambda team: -of_teams[team])
    seats = sorted(teams, key=lambda seat: -added[seat])
    return [(team, [seat for seat in seats if teams[seat] == team]) for team in best]


def team_totals(view: TableState) -> dict[int, int]:
    """Return each team's total over the finished hands of the match; empty where there are no teams."""
    teams = teams_of(view)
    added = dict.fromkeys(sorted(set(teams.values())), 0)
    for result in view.results:
        for team, gained in _counted(view, _by_team(teams, result.added())).items():
            added[team] += gained
    return added


def _side_totals(view: TableState) -> dict[int, int]:
    """Return for each seat what counts in the match: its team's total, or its own where there are none."""
    of_teams, added = team_totals(view), totals(view)
    return added | {seat: of_teams[team] for seat, team in teams_of(view).items()}


def hand_points(view: TableState, out: int | None) -> tuple[int, ...]:
    """Return the points of the current hand, in the order of its seats."""
    assert view.hand is not None
    counted = _points_with(view.hand, out)
    forfeits = view.options.on_leave is OnLeave.FORFEIT
    return tuple(0 if forfeits and view.has_left_hand(seat) else counted[seat] for seat in view.hand.seats)


def leaders(view: TableState, *, alone: bool = False) -> tuple[tuple[int, ...], int]:
    """Return the seats with the highest total, and that total; with teams the seats of the leading team.

    Players who left are not among them, unless all have. A match that its only player left has no winner.

    Args:
        view: the table.
        alone: let such a player win, as in records of earlier servers.

    """
    added = _side_totals(view)
    played = {seat for result in view.results for seat in result.seats}
    active = [seat for seat, state in view.seats.items() if not state.left and seat in played]
    contenders = active or [seat for seat in added if seat in played and (alone or len(played) > 1)]
    best = max((added[seat] for seat in contenders), default=0)
    return tuple(seat for seat in contenders if added[seat] == best), best


def _lead(view: TableState, winners: tuple[int, ...]) -> int:
    """Return by how much the only leader's total, or leading team's, exceeds all others'; 0 without any.

    Players who have left do not count.
    """
    added, leading = _side_totals(view), _sides(view, winners)
    active = [seat for seat, state in view.seats.items() if not state.left]
    behind = [added[seat] for seat in active if leading.isdisjoint(_sides(view, [seat]))]
    return added[winners[0]] - max(behind) if len(leading) == 1 and behind else 0


def _sides(view: TableState, seats: Iterable[int]) -> set[tuple[str, int]]:
    """Return who plays for whom among some seats: their teams, or each for itself."""
    teams = teams_of(view)
    return {("team", teams[seat]) if seat in teams else ("seat", seat) for seat in seats}


def match_winners(view: TableState) -> tuple[int, ...] | None:
    """Return who won the match after the hand just tallied; ``None`` while it goes on.

    The highest total wins, with teams that of a team: then its players who have not left win. Players who
    left cannot win, unless all of several have. A match with too few players left ends as it stands.
    """
    winners, best = leaders(view)
    active = [seat for seat, state in view.seats.items() if not state.left]
    options = view.options
    played_out = (
        len(view.results) >= options.hands
        or 0 < view.last_hand <= len(view.results)
        or (options.target is not None and best >= options.target)
        or (options.win_lead is not None and _lead(view, winners) >= options.win_lead)
    )
    tied = (
        len(_sides(view, winners)) > 1
        and options.tie_break is TieBreak.HAND
        and len(view.results) < MAX_HANDS
    )
    is_playable = len(active) >= declare(options, 1).min_seats
    if is_playable and (not played_out or tied):
        return None
    return winners
