"""Who may see what of a server's results. Pure: sockets and pages ask the same functions."""

from typing import TYPE_CHECKING, NamedTuple

from racing_demon_server.standings_access import StandingsAccess

if TYPE_CHECKING:
    from .store import Result


class Viewer(NamedTuple):
    """Who asks.

    Attributes:
        has_seat: whether the viewer has a seat at the match's table.
        has_played: whether the viewer is a player of the match whom the server remembers.

    """

    has_seat: bool = False
    has_played: bool = False

    @property
    def is_of_match(self) -> bool:
        """Whether the match is the viewer's own."""
        return self.has_seat or self.has_played


NOBODY = Viewer()
"""A viewer of whom nothing is known."""


def may_see_standings(access: StandingsAccess) -> bool:
    """Return whether somebody may see the standings."""
    return access is StandingsAccess.OPEN


def may_see_match(result: "Result", viewer: Viewer) -> bool:
    """Return whether somebody who has a match's link may see its result and its record.

    The link is enough, unless the table allowed no spectators: then only its players may.
    """
    return result.summary.spectators or viewer.is_of_match


def may_see_record(result: "Result", viewer: Viewer) -> bool:
    """Return whether somebody who has a match's link may see its record: not before it is over."""
    return result.is_over and may_see_match(result, viewer)


def may_read_chat(viewer: Viewer) -> bool:
    """Return whether somebody may read what the players said to each other."""
    return viewer.is_of_match
