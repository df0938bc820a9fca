"""The view model of a table: what every picture of it shows, on a terminal's screen or in lines of text."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from types import MappingProxyType
from typing import Final, NamedTuple, Self

from racing_demon_protocol.engine.board import Board, Kind
from racing_demon_protocol.engine.rules.base import Rules
from racing_demon_protocol.formatting import printable
from racing_demon_protocol.table import scoring
from racing_demon_protocol.table.state import TableState
from racing_demon_protocol.wire.messages.server import HandResult
from racing_demon_protocol.wire.options import MatchScore

from .pile_names import usable
from .seat_text import team_name

NOTHING: Final[Mapping[int, int]] = MappingProxyType({})


def focus_of(view: TableState, seat: int | None, watched: int | None = None) -> int | None:
    """Return the seat whose layout is shown: one's own, or the one that is watched, or the first."""
    if view.plays_hand(seat):
        return seat
    seats = view.hand_seats
    return watched if watched in seats else next(iter(seats), None)


@dataclass(frozen=True, kw_only=True)
class TableView:
    """One moment of a table, from one player's or spectator's point of view.

    Attributes:
        view: the table.
        board: its board with this player's unconfirmed plays applied; ``None`` before the first deal.
        seat: this player's seat; ``None`` for a spectator.
        focus: the seat whose layout is shown; ``None`` if there is none.

    """

    view: TableState
    board: Board | None
    seat: int | None
    focus: int | None

    @classmethod
    def of(cls, view: TableState, seat: int | None) -> Self:
        """Return what a seat sees of a table, or a spectator: of identical deals the viewer's alone."""
        is_hidden = view.is_private and not view.plays_hand(seat)
        focus = None if is_hidden else focus_of(view, seat)
        return cls(view=view, board=view.board, seat=seat, focus=focus)

    @property
    def rules(self) -> Rules | None:
        """The rules of the hand on the table."""
        return None if self.view.hand is None else self.view.hand.rules

    @property
    def plays(self) -> bool:
        """Whether this player has cards in the hand."""
        return self.view.plays_hand(self.seat)

    @cached_property
    def points(self) -> Mapping[int, int]:
        """The points of each seat in this hand."""
        return scoring.points(self.view)

    @property
    def ranking(self) -> Sequence[int]:
        """The seats of identical deals, the leader first."""
        return [] if self.view.hand is None else scoring.race_order(self.view.hand, self.view.called)

    def own(self, kind: Kind) -> tuple[int, ...]:
        """Return the piles of one kind of the seat in focus."""
        rules = self.rules
        return () if rules is None or self.focus is None else rules.layout.seat_piles(self.focus, kind)

    def piles(self) -> list[int]:
        """Return all piles that the seat in focus may use, including the table's own."""
        rules = self.rules
        return [] if rules is None or self.focus is None else usable(rules, self.focus)


class TallyRow(NamedTuple):
    """A row of the tally: a player's, or a team's.

    Attributes:
        seats: the player's seat, or those of a team.
        name: who that is.
        total: the total, with the points of the hand that is played.
        now: the points in that hand; ``None`` if it is another's.
        is_team: whether it is that of a team.

    """

    seats: tuple[int, ...]
    name: str
    total: int
    now: int | None
    is_team: bool = False

    def points_in(self, result: HandResult) -> int | None:
        """Return the row's points in a hand; ``None`` if none of its seats played it."""
        own = [points for seat, points in zip(result.seats, result.points, strict=True) if seat in self.seats]
        return sum(own) if own else None


def tally_rows(
    view: TableState,
    own: int | None,
    running: Mapping[int, int] = NOTHING,
    clean: Callable[[str], str] = printable,
) -> list[TallyRow]:
    """Return the rows of the tally, best first; where there are teams, each above its players.

    Where hands won are counted, nobody has won the one that is being played.

    Args:
        view: the table.
        own: this player's seat, called "you"; ``None`` for a spectator.
        running: the points so far in the hand that is played.
        clean: cleans a player's name for what shows it.

    """
    added, of_teams = scoring.totals(view), scoring.team_totals(view)
    counts_now = view.options.match_score is MatchScore.POINTS

    def row(name: str, total: int, *seats: int) -> TallyRow:
        now = [running[seat] for seat in seats if seat in running]
        return TallyRow(seats, name, total + sum(now) * counts_now, sum(now) if now else None)

    teams = [
        row(team_name(team), of_teams[team], *seats)._replace(is_team=True)
        for team, seats in scoring.by_teams(view)
    ]
    rows = [row(name_of(view, seat, own, clean), total, seat) for seat, total in added.items()]
    players = {row.seats[0]: row for row in sorted(rows, key=lambda row: -row.total)}
    if not teams:
        return list(players.values())
    rows = []
    for team in sorted(teams, key=lambda team: -team.total):
        rows += [team, *(players[seat] for seat in players if seat in team.seats)]
    return rows


def name_of(
    view: TableState, seat: int, own: int | None = None, clean: Callable[[str], str] = printable
) -> str:
    """Return a player's name, cleaned for what shows it, or "you"."""
    return "you" if seat == own else clean(view.player(seat)) or f"seat {seat + 1}"
