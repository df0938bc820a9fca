"""The history of each hand beyond its points: plays, chances and races. A fold alongside the view.

Pass every message to a :class:`History` after the view has applied it, with its time. At the end of a hand
its history is complete.
"""

from dataclasses import dataclass, field
from typing import NamedTuple

from racing_demon_protocol.engine.cards import UNKNOWN, Card
from racing_demon_protocol.reasons import Reason
from racing_demon_protocol.table.state import DEALT, TableState
from racing_demon_protocol.wire.messages import Message
from racing_demon_protocol.wire.messages import events as ev
from racing_demon_protocol.wire.messages.server import Refused, Snapshot

from .opportunities import Opportunities, Opportunity, Race


class Made(NamedTuple):
    """A card that went up: the seat, the card, when, and for how long it could have."""

    seat: int
    card: Card
    at: int
    waited_us: int


@dataclass(slots=True)
class HandHistory:
    """The history of one hand. Times are microseconds of the hand, without its pauses.

    Attributes:
        hand: its number in the match.
        is_whole: whether it was followed from its signal on without a gap.
        plays: how many plays each seat made, turns included.
        made: the cards that went up.
        races: the races for places on foundations.
        unused: the chances that were left when the hand was over.

    """

    hand: int
    is_whole: bool = False
    plays: dict[int, int] = field(default_factory=dict)
    made: list[Made] = field(default_factory=list)
    races: list[Race] = field(default_factory=list)
    unused: tuple[Opportunity, ...] = ()

    def note_late(self, loser: int, refused: Refused) -> None:
        """Record by how much a card was late: for its race, or as a race that the board did not show."""
        assert refused.by is not None
        for place in range(len(self.races) - 1, -1, -1):
            race = self.races[place]
            if (race.winner, race.loser, race.late_us) == (refused.by, loser, None):
                self.races[place] = race._replace(late_us=refused.late_us)
                return
        at = self.races[-1].at if self.races else 0
        self.races.append(Race(at, UNKNOWN, refused.by, loser, 0, refused.late_us))


class History:
    """Follows one table.

    Attributes:
        hand: the current or last hand; ``None`` before the first.

    """

    def __init__(self) -> None:
        self.hand: HandHistory | None = None
        self._opportunities: Opportunities | None = None
        self._signal_us = 0

    def note(self, message: Message, view: TableState, at_us: int, seat: int | None = None) -> None:
        """Follow a message that the view has applied.

        Args:
            message: the message.
            view: the table after it.
            at_us: its time, in microseconds on one monotonic clock.
            seat: the seat whose command a refusal answers.

        """
        match message:
            case Snapshot():
                self._take_up(message, view, at_us)
            case ev.Dealt():
                self.hand, self._opportunities = HandHistory(view.hand), None
            case ev.Signalled() if self.hand is not None:
                self._signal_us = at_us
                self.hand.is_whole = True
                self._watch(view, 0)
            case ev.Continued():
                self._signal_us = at_us - message.elapsed_ms * 1_000
            case ev.Played() if self.hand is not None:
                self._played(message, self.hand, at_us)
            case ev.Rotated() if self._opportunities is not None:
                self._opportunities.refresh(self._time(at_us))
            case ev.HandOver() if self.hand is not None and self._opportunities is not None:
                self.hand.unused = tuple(self._opportunities.open)
                self._opportunities = None
            case Refused(reason=Reason.BEATEN) if self.hand and seat is not None and message.by is not None:
                self.hand.note_late(seat, message)

    def _take_up(self, snapshot: Snapshot, view: TableState, at_us: int) -> None:
        """Continue from a table's current state; what happened in between is unknown."""
        self._signal_us = at_us - snapshot.elapsed_ms * 1_000
        self._opportunities = None
        if view.phase not in DEALT:
            return
        if self.hand is None or self.hand.hand != view.hand:
            self.hand = HandHistory(view.hand)
        self.hand.is_whole = False
        if view.in_hand:
            self._watch(view, self._time(at_us))

    def _watch(self, view: TableState, at: int) -> None:
        if view.rules is not None and view.board is not None and not view.is_private:
            self._opportunities = Opportunities(view.rules, view.board, at)

    def _time(self, at_us: int) -> int:
        return max(0, at_us - self._signal_us)

    def _played(self, event: ev.Played, hand: HandHistory, at_us: int) -> None:
        if event.counter:
            hand.plays[event.seat] = hand.plays.get(event.seat, 0) + 1
        if self._opportunities is None:
            return
        at = self._time(at_us)
        taken, races = self._opportunities.follow(event, at)
        hand.races += races
        if taken is not None:
            hand.made.append(Made(event.seat, taken.card, at, max(0, at - taken.since)))
