"""Handicaps and teams in words."""

from racing_demon_protocol.constants import TEAM_LETTERS
from racing_demon_protocol.formatting import printable
from racing_demon_protocol.games import GAMES
from racing_demon_protocol.table.state import TableState
from racing_demon_protocol.wire.messages.handicap import NO_HANDICAP, Handicap


def handicap_text(handicap: Handicap) -> str:
    """Return a handicap in words, such as ``2 more in the reserve, starts 5 s later``; empty without one."""
    parts = []
    if handicap.heap:
        parts.append(f"{abs(handicap.heap)} {'more' if handicap.heap > 0 else 'fewer'} in the reserve")
    if handicap.delay_s:
        parts.append(f"starts {handicap.delay_s} s later")
    if handicap.points:
        parts.append(f"{handicap.points:+} {'point' if abs(handicap.points) == 1 else 'points'} a hand")
    return ", ".join(parts)


def short_handicap_text(handicap: Handicap) -> str:
    """Return a handicap in as few words as can be, such as ``reserve +2, +5 s, -3 points``."""
    parts = [
        f"reserve {handicap.heap:+}" if handicap.heap else "",
        f"+{handicap.delay_s} s" if handicap.delay_s else "",
        f"{handicap.points:+} points" if handicap.points else "",
    ]
    return ", ".join(filter(None, parts))


def next_handicaps(view: TableState) -> dict[int, Handicap]:
    """Return the handicaps by which seats are dealt to next, without those that change nothing."""
    if view.options.game not in GAMES:
        return {}  # of a newer server
    seats = view.seated()
    handicaps = zip(seats, view.handicaps_for(seats), strict=False)
    return {seat: handicap for seat, handicap in handicaps if handicap != NO_HANDICAP}


def handicap_lines(view: TableState, own: int | None) -> list[str]:
    """Return a line for each player with a handicap in the next hand.

    Such as ``handicap of Ann: 2 more in the reserve``, and ``your handicap`` for this player's own seat.
    """
    return [
        ("your handicap" if seat == own else f"handicap of {printable(view.player(seat))}")
        + f": {handicap_text(handicap)}"
        for seat, handicap in next_handicaps(view).items()
    ]


def ready_text(view: TableState) -> str:
    """Return how many are ready, as bots always are: ``2 of 5 ready``; empty where one is alone."""
    here = [state for state in view.seats.values() if not state.left]
    ready = sum(bool(state.bot) or state.ready for state in here)
    return f"{ready} of {len(here)} ready" if len(here) > 1 else ""


def team_name(team: int) -> str:
    """Return what people call a team: ``team A``."""
    return f"team {TEAM_LETTERS[team]}"


def with_team(team: int | None, name: str) -> str:
    """Return a player's name behind the letter of the player's team, if there are teams."""
    return name if team is None else f"{TEAM_LETTERS[team]} {name}"
