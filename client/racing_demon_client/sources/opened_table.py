"""The tables that a user has opened: one class for each way."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import ClassVar, Final

from racing_demon_client.errors import SEAT_IS_KEPT
from racing_demon_client.net.table_client import TableClient
from racing_demon_client.shared.invitation import Invitation
from racing_demon_protocol.wire.messages.server import SeatState

from .invitations import InternetAccess
from .known_people import KnownPeople
from .lesson import LessonRunner

TABLE_STAYS_OPEN: Final = (
    "Your table stays open for a few minutes, and the others keep their seats: host again to continue."
)


@dataclass(frozen=True, slots=True)
class OpenedTable:
    """An opened table. Its class says in which way it was opened.

    Attributes:
        recent_as: what the list of recent tables calls that; empty if it does not list the table.
        awaits_others: whether others may come, so that it has a lobby.
        client: this user's client at it.
        addresses: the addresses for others to join when it was opened; empty for a private table.
        note: a remark for the user; may be empty.
        ends_with_us: whether the table is on a local server.

    """

    recent_as: ClassVar[str] = ""
    awaits_others: ClassVar[bool] = True

    client: TableClient
    addresses: tuple[str, ...] = ()
    note: str = ""
    ends_with_us: bool = False
    find_addresses: Callable[[], Sequence[str]] | None = None
    """Returns the current addresses, if they are this machine's own."""

    internet: InternetAccess | None = None
    """Opens the tunnel of a server that this user has opened, and knows the invitation over the internet."""

    lesson: LessonRunner | None = None
    """Runs the lesson, if the table is for one."""

    people: KnownPeople | None = None
    """Asks a server that this user has opened for the people it knows."""

    def current_invitation(self) -> Invitation | None:
        """Return the invitation over the internet; ``None`` for a table that has no tunnel of this user's."""
        return None if self.internet is None else self.internet.invitation

    def who_can_return(self) -> list[SeatState]:
        """Return those who are away and can be given the link to their seat over the internet."""
        if self.internet is None or not self.internet.has_seat_links:
            return []
        seats = self.client.view.seats.values()
        return [each for each in seats if not (each.connected or each.left or each.bot)]

    def current_addresses(self) -> Sequence[str]:
        """Return the addresses for others to join; none while this machine is not on a network."""
        return self.addresses if self.find_addresses is None else self.find_addresses()

    def after_crash(self) -> str:
        """Return what it means for the player that this program has failed."""
        return SEAT_IS_KEPT

    def cost_of_leaving(self) -> str:
        """Return what the player should know before leaving; empty if there is nothing."""
        if self.client.view.between_matches:
            return ""
        back = ", and you can come back until the match ends" if self.client.can_come_back else ""
        return f"Your points so far count{back}."


class PracticeTable(OpenedTable):
    """A table against bots on a local server, or of bots alone."""

    __slots__ = ()
    awaits_others = False

    def after_crash(self) -> str:
        """Return what it means for the player that this program has failed."""
        return "It was your own table, and it ended too."

    def cost_of_leaving(self) -> str:
        """Return what the player should know before leaving."""
        return "The match ends with it."


class LessonTable(PracticeTable):
    """A table at which the game is taught."""

    __slots__ = ()

    def cost_of_leaving(self) -> str:
        """Return what the player should know before leaving."""
        return "" if self.lesson is None or self.lesson.is_over else "The lesson goes on here the next time."


class HostTable(OpenedTable):
    """A table for others, on a server of this user's or on a running one."""

    __slots__ = ()
    recent_as = "hosted"

    def after_crash(self) -> str:
        """Return what it means for the player that this program has failed."""
        return TABLE_STAYS_OPEN if self.ends_with_us else SEAT_IS_KEPT


class JoinedTable(OpenedTable):
    """Somebody else's table, where this user has a seat."""

    __slots__ = ()
    recent_as = "joined"


class WatchedTable(OpenedTable):
    """A table where this user is a spectator."""

    __slots__ = ()
    recent_as = "watched"

    def after_crash(self) -> str:
        """Return what it means for the player that this program has failed."""
        return "The table continues without you. You can watch it again."

    def cost_of_leaving(self) -> str:
        """Return nothing: a spectator loses nothing."""
        return ""


class ReplayedTable(OpenedTable):
    """A record that is played back."""

    __slots__ = ()

    def after_crash(self) -> str:
        """Return what it means for the player that this program has failed."""
        return "The record has not changed. You can play it back again."


class LoneTable(OpenedTable):
    """A solo table, which needs no server."""

    __slots__ = ()

    def after_crash(self) -> str:
        """Return what it means for the player that this program has failed."""
        return "Your deal is lost. Your statistics are kept."
