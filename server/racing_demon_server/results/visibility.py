"""Who may see what of a server's results. Pure: sockets and pages ask the same functions."""

from collections.abc import Callable, Collection
from typing import TYPE_CHECKING, Final, NamedTuple

from racing_demon_protocol.enums import BotLevel
from racing_demon_server.enums import StandingsAccess

if TYPE_CHECKING:  # a server is ready sooner without
    from racing_demon_protocol.records.standings import Key

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


Sight = Callable[["Key"], bool]
"""Tells whose standings, matches and page somebody may see."""
BOTS: Final = frozenset(BotLevel)


def sight_of_standings(access: StandingsAccess, viewer: str, companions: Collection[str]) -> Sight | None:
    """Return whom of the standings somebody may see; ``None`` if there are none for them.

    Args:
        access: who may see the standings.
        viewer: the player who asks; empty for a guest.
        companions: the players with whom this one has finished a match.

    """
    if access is StandingsAccess.OPEN:
        return lambda _: True
    if access is StandingsAccess.OFF or not viewer:
        return None
    known = {viewer, *companions}
    return lambda key: key.player in known or key.bot in BOTS


def may_see_match(result: "Result", viewer: Viewer) -> bool:
    """Return whether somebody who has a match's link may see its result and its record.

    The link is enough, unless the table allowed no spectators: then only its players may.
    """
    return result.summary.spectators or viewer.is_of_match


def may_see_record(result: "Result", viewer: Viewer) -> bool:
    """Return whether somebody who has a match's link may see its record: not before it is over."""
    return result.is_over and may_see_match(result, viewer)


def may_see_moments(result: "Result", viewer: Viewer) -> bool:
    """Return whether somebody may see what decided a match's hands, which names cards.

    While the match is played, only its players may: spectators may be shown everything later than it happens.
    """
    return may_see_match(result, viewer) and (result.is_over or viewer.is_of_match)


def may_read_chat(viewer: Viewer) -> bool:
    """Return whether somebody may read what the players said to each other."""
    return viewer.is_of_match
