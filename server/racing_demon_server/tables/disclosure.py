"""What of a table may be published to outsiders: subscribers of a broker, receivers of a webhook."""

from collections import defaultdict
from typing import Any

from racing_demon_protocol.table import scoring
from racing_demon_protocol.table.state import TableState


def is_open(view: TableState) -> bool:
    """Return whether spectators may watch. If not, others learn at most that the table exists."""
    return view.options.spectators and not view.locked


def team_rows(view: TableState) -> list[dict[str, Any]]:
    """Return each team with its seats and total; empty where there are none."""
    seats: dict[int, list[int]] = defaultdict(list)
    for seat, team in sorted(scoring.teams_of(view).items()):
        seats[team].append(seat)
    return [
        {"team": team, "seats": seats[team], "total": total}
        for team, total in scoring.team_totals(view).items()
    ]
