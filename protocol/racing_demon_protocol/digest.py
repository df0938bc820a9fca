"""What remains of a match for standings: small enough that a thousand of them are read in a moment."""

from collections.abc import Iterable, Iterator
from typing import Annotated, Final

from pydantic import BaseModel, ConfigDict, Field

from .messages import events as ev
from .messages.row import Name, Seat
from .messages.server import HandResult, Points
from .portable import Correction, Record, followed
from .reasons import EndReason
from .story import HandStory, Story
from .view import TableView

__all__ = ["VERSION", "Digest", "HandDigest", "Player", "digests"]

VERSION: Final = 1
"""Rises with every change of what a digest holds, or of how it is found: then all are made anew."""

Amount = Annotated[int, Field(ge=0)]


class _Part(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class Player(_Part):
    """Who sat where: ``bot`` is the level of a bot, ``left`` tells whether the seat was given up."""

    seat: Seat
    name: Name
    bot: str = ""
    left: bool = False


class HandDigest(_Part):
    """One hand: its tally, the plays of each seat, and its races.

    ``races`` holds winner, loser, for how many microseconds the loser could have played, and by how many the
    loser's card came too late, or ``None``. Of a hand before the record's beginning there is the tally only.
    """

    hand: int
    reason: EndReason
    out: Seat | None
    elapsed_ms: int
    points: dict[Seat, Points]
    plays: dict[Seat, Amount]
    races: tuple[tuple[Seat, Seat, Amount, Amount | None], ...] = ()


class Digest(_Part):
    """One match. Times are wall time in milliseconds since 1970; ``None`` where nobody noted it.

    ``first`` is the commitment of the first hand that was seen: the same match in two records has the same.
    """

    id: str = ""
    first: str = ""
    code: str = ""
    game: str = ""
    started_ms: int | None = None
    ended_ms: int | None = None
    players: tuple[Player, ...] = ()
    hands: tuple[HandDigest, ...] = ()
    winners: tuple[Seat, ...] = ()
    finished: bool = False
    corrections: tuple[Correction, ...] = ()


def digests(records: Iterable[Record]) -> Iterator[Digest]:
    """Yield the digest of each match in records; of one that has not ended, what there was of it.

    Corrections are about the last match of their record.

    Raises:
        InvalidRecord: a record does not agree with itself.

    """
    for record in records:
        found = list(_Matches().of(record))
        if found and record.corrections:
            found[-1] = found[-1].model_copy(update={"corrections": tuple(record.corrections)})
        yield from found


class _Matches:
    """Follows the record of one table, match by match."""

    def __init__(self) -> None:
        self._story = Story()
        self._told: dict[int, HandStory] = {}
        self._first = ""
        self._started_ms: int | None = None
        self._is_on = False

    def of(self, record: Record) -> Iterator[Digest]:
        name = record.header.id if record.header else ""
        view: TableView | None = None
        at_ms: int | None = None
        for entry in record.entries:
            message = entry.message
            if isinstance(message, ev.Committed):
                if message.hand == 1 and self._is_on and view is not None:
                    yield self._digest(view, name, at_ms)
                self._begin_hand(message, entry.at_ms)
            view, at_ms = followed(view, message), entry.at_ms
            self._story.note(message, view, entry.at_us, entry.seat)
            if isinstance(message, ev.HandOver) and self._story.hand is not None:
                self._told[self._story.hand.hand] = self._story.hand
            elif isinstance(message, ev.MatchOver):
                self._is_on = False
                yield self._digest(view, name, at_ms)
        if self._is_on and view is not None:
            yield self._digest(view, name, at_ms)

    def _begin_hand(self, committed: ev.Committed, at_ms: int | None) -> None:
        if committed.hand == 1 or not self._is_on:
            self._told = {}
            self._first = committed.commitment
            self._started_ms = at_ms
        self._is_on = True

    def _digest(self, view: TableView, name: str, ended_ms: int | None) -> Digest:
        hands = tuple(_hand(result, self._told.get(result.hand)) for result in view.results)
        players = [
            Player(seat=state.seat, name=state.name, bot=state.bot, left=state.left)
            for state in view.seats.values()
            if any(state.seat in hand.points for hand in hands)
        ]
        return Digest(
            id=name,
            first=self._first,
            code=view.code,
            game=view.options.game,
            started_ms=self._started_ms,
            ended_ms=ended_ms,
            players=tuple(players),
            hands=hands,
            winners=view.winners,
            finished=bool(view.winners),
        )


def _hand(result: HandResult, told: HandStory | None) -> HandDigest:
    races = [(race.winner, race.loser, race.open_us, race.late_us) for race in told.races] if told else []
    return HandDigest(
        hand=result.hand,
        reason=result.reason,
        out=result.out,
        elapsed_ms=max(0, result.elapsed_ms),
        points=dict(zip(result.seats, result.points, strict=True)),
        plays={seat: told.plays.get(seat, 0) for seat in result.seats} if told else {},
        races=tuple(races),
    )
