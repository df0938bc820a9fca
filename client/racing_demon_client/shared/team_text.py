"""Teams in words, and the letters that tell them apart without color."""

from racing_demon_protocol.constants import TEAM_LETTERS


def team_name(team: int) -> str:
    """Return what people call a team: ``team A``."""
    return f"team {TEAM_LETTERS[team]}"


def with_team(team: int | None, name: str) -> str:
    """Return a player's name behind the letter of the player's team, if there are teams."""
    return name if team is None else f"{TEAM_LETTERS[team]} {name}"
