"""Messages from the server to one client. What goes to the whole table is in :mod:`.events`."""

from typing import Annotated, ClassVar, Self

from pydantic import Field

from racing_demon_protocol.reasons import EndReason, Phase, Reason
from racing_demon_protocol.wire.options import Options

from .base import (
    CardNumber,
    Code,
    Counter,
    Destination,
    Elapsed,
    Epoch,
    Hash,
    Message,
    Microseconds,
    Milliseconds,
    Name,
    Seat,
    Seq,
    Text,
    Token,
    WireModel,
)

__all__ = [
    "Accepted",
    "CaughtUp",
    "Contribution",
    "Elsewhere",
    "Halted",
    "HandResult",
    "Pong",
    "Refused",
    "SeatState",
    "Seated",
    "Shuffle",
    "Snapshot",
    "Versions",
    "Watchers",
]

Points = Annotated[int, Field(strict=True, ge=-10_000, le=10_000)]


class Versions(Message):
    """The first message on a connection: the protocol versions that the server speaks."""

    TAG: ClassVar[int] = 64
    oldest: Annotated[int, Field(strict=True, ge=1, le=1_000)]
    newest: Annotated[int, Field(strict=True, ge=1, le=1_000)]
    software: Text = ""


class Seated(Message):
    """You have your place. A snapshot, or the events you missed, follow.

    ``seat`` is ``None`` for a spectator; ``token`` opens the seat again, and is ``None`` for a plain
    spectator. ``counter`` is the last one that the table has answered for this seat. ``epoch`` names this
    start of the server: keep it with the events that follow, and send it with ``resume``.
    """

    TAG: ClassVar[int] = 65
    LATER: ClassVar[int] = 1
    code: Code
    seat: Seat | None = None
    token: Token | None = None
    counter: Counter = 0
    epoch: Epoch = ""


class SeatState(WireModel):
    """A seat as everybody sees it. ``bot`` is its level, or empty for a person.

    ``stand_in`` is the level of the bot that plays for a person who is away; empty without one.
    """

    seat: Seat
    name: Name
    bot: Annotated[str, Field(max_length=16)] = ""
    connected: Annotated[bool, Field(strict=True)] = True
    ready: Annotated[bool, Field(strict=True)] = False
    stuck: Annotated[bool, Field(strict=True)] = False
    left: Annotated[bool, Field(strict=True)] = False
    stand_in: Annotated[str, Field(max_length=16)] = ""
    muted: Annotated[bool, Field(strict=True)] = False


class HandResult(WireModel):
    """The tally of one hand: ``points`` in the order of ``seats``; ``out`` is who went out, if any."""

    hand: Annotated[int, Field(strict=True, ge=1, le=1_000)]
    seats: tuple[Seat, ...]
    points: tuple[Points, ...]
    reason: EndReason
    out: Seat | None = None
    elapsed_ms: Elapsed = 0


class Contribution(WireModel):
    """What a player adds to the seed of a hand: the commitment, and the bytes once they are revealed."""

    seat: Seat
    commitment: Hash
    value: Hash | None = None


class Shuffle(WireModel):
    """How the seed of one hand comes about: the server's commitment, and what players contribute.

    ``seats`` are those who take part in the hand, once it is committed; then nobody can contribute any more.
    """

    hand_id: Text
    commitment: Hash
    contributions: tuple[Contribution, ...] = ()
    seats: tuple[Seat, ...] = ()

    def of(self, seat: int) -> Contribution | None:
        """Return what a seat has contributed."""
        return next((each for each in self.contributions if each.seat == seat), None)

    def revealed(self) -> dict[int, bytes]:
        """Return the bytes that were revealed, by their seats."""
        return {each.seat: bytes.fromhex(each.value) for each in self.contributions if each.value is not None}

    def missing(self) -> tuple[int, ...]:
        """Return the seats that have committed to a contribution, and have not revealed it."""
        return tuple(each.seat for each in self.contributions if each.value is None)

    def with_contribution(self, contribution: Contribution) -> Self:
        """Return the same with a seat's contribution, in the order of the seats."""
        others = [each for each in self.contributions if each.seat != contribution.seat]
        contributions = sorted([*others, contribution], key=lambda each: each.seat)
        return self.model_copy(update={"contributions": tuple(contributions)})

    def without(self, seat: int) -> Self:
        """Return the same without what a seat has contributed."""
        others = tuple(each for each in self.contributions if each.seat != seat)
        return self.model_copy(update={"contributions": others})


class Snapshot(Message):
    """All of a table that everybody may see, after event ``seq``.

    ``piles`` are in the order of the game's layout for ``hand_seats``, each bottom first, -1 for a face-
    down card. ``elapsed_ms`` counts from the signal; before it, it is negative. ``locked`` tells whether
    the table has a passphrase. ``came`` has a number for each pile, where the game counts what comes to
    piles; ``liberties`` one for each seat of the hand: see *What a snapshot counts*. On identical deals
    ``progress`` tells how far each seat of the hand has come, and ``since`` with which event; the piles
    of all seats but the receiver's are as they were dealt. ``departed`` names those who have left since
    the match was over, by their seats. ``banned`` are the names under which players were sent away who
    may not come back yet. ``shuffle`` tells who has contributed to the seed of the current or last hand,
    and ``next_shuffle`` to that of the next one.
    """

    TAG: ClassVar[int] = 66
    LATER: ClassVar[int] = 8
    seq: Seq
    code: Code
    options: Options
    host: Seat | None
    phase: Phase
    seats: tuple[SeatState, ...]
    hand: Annotated[int, Field(strict=True, ge=0, le=1_000)] = 0
    hand_id: Text = ""
    commitment: Hash | None = None
    hand_seats: tuple[Seat, ...] = ()
    piles: tuple[tuple[CardNumber, ...], ...] = ()
    redeals: tuple[Annotated[int, Field(strict=True, ge=0)], ...] = ()
    elapsed_ms: Elapsed = 0
    called: Seat | None = None
    results: tuple[HandResult, ...] = ()
    winners: tuple[Seat, ...] = ()
    paused: Annotated[bool, Field(strict=True)] = False
    locked: Annotated[bool, Field(strict=True)] = False
    came: tuple[Annotated[int, Field(strict=True, ge=0)], ...] = ()
    liberties: tuple[Annotated[int, Field(strict=True, ge=0)], ...] = ()
    progress: tuple[Points, ...] = ()
    since: tuple[Seq, ...] = ()
    departed: tuple[tuple[Seat, Name], ...] = ()
    banned: tuple[Name, ...] = ()
    shuffle: Shuffle | None = None
    next_shuffle: Shuffle | None = None


class Accepted(Message):
    """The command was carried out; ``seq`` is the last event of it. A play is answered by its event."""

    TAG: ClassVar[int] = 67
    counter: Counter
    seq: Seq


class Refused(Message):
    """The command was not carried out, and changed nothing.

    For a lost race ``by`` is the seat whose card arrived first, and ``late_us`` by how many microseconds
    (see Order in the README). ``pile`` is the pile that was aimed at, and ``top`` the card that it shows
    now, -1 where it is empty or face down. On identical deals ``top`` is -1 for every pile but the
    receiver's own, and nobody is ``beaten``.
    """

    TAG: ClassVar[int] = 68
    counter: Counter
    reason: Reason
    text: Text
    by: Seat | None = None
    late_us: Microseconds = 0
    pile: Destination = -1
    top: CardNumber = -1


class Pong(Message):
    """The answer to a ping, with its stamp."""

    TAG: ClassVar[int] = 69
    stamp: Milliseconds


class Watchers(Message):
    """So many people watch the table without a seat.

    Told to all who listen when it changes; and to whoever comes back or joins, where anybody watches.
    """

    TAG: ClassVar[int] = 70
    count: Annotated[int, Field(strict=True, ge=0, le=1_000_000)]


class Halted(Message):
    """The server's disk takes nothing, so the table stands still; told to all who listen, and its end, too.

    Nothing is lost: what was played and not told yet comes when the disk works again.
    """

    TAG: ClassVar[int] = 71
    halted: Annotated[bool, Field(strict=True)]


class Elsewhere(Message):
    """The table is with another process of this server: dial the same host at this port, and ask there.

    The answer to ``join``, ``watch`` and ``resume`` on a server of several processes. It names no host, so
    that nobody can send a client to another machine; whoever is sent on twice gives up.
    """

    TAG: ClassVar[int] = 72
    port: Annotated[int, Field(strict=True, ge=1, le=65_535)]


class CaughtUp(Message):
    """All that you had missed has come: the table is now as it was after event ``seq``.

    Comes once for each ``seated``, behind the snapshot or the missed events. Whoever plays before it
    plays on a table of the past.
    """

    TAG: ClassVar[int] = 73
    seq: Seq
