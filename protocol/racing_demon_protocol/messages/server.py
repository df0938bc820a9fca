"""Messages from the server to one client. What goes to the whole table is in :mod:`.events`."""

from typing import Annotated, ClassVar

from pydantic import Field

from ..options import Options
from ..reasons import EndReason, Phase, Reason
from .row import (
    CardNumber,
    Code,
    Counter,
    Destination,
    Hash,
    Message,
    Microseconds,
    Milliseconds,
    Name,
    Row,
    Seat,
    Seq,
    Text,
    Token,
)

__all__ = [
    "Accepted",
    "Elsewhere",
    "Halted",
    "HandResult",
    "Pong",
    "Refused",
    "SeatState",
    "Seated",
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
    spectator. ``counter`` is the last one that the table has answered for this seat.
    """

    TAG: ClassVar[int] = 65
    code: Code
    seat: Seat | None = None
    token: Token | None = None
    counter: Counter = 0


class SeatState(Row):
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


class HandResult(Row):
    """The tally of one hand: ``points`` in the order of ``seats``; ``out`` is who went out, if any."""

    hand: Annotated[int, Field(strict=True, ge=1, le=1_000)]
    seats: tuple[Seat, ...]
    points: tuple[Points, ...]
    reason: EndReason
    out: Seat | None = None
    elapsed_ms: Milliseconds = 0


class Snapshot(Message):
    """All of a table that everybody may see, after event ``seq``.

    ``piles`` are in the order of the game's layout for ``hand_seats``, each bottom first, -1 for a
    face-down card. ``elapsed_ms`` counts from the signal; before it, it is negative. ``locked`` tells
    whether the table has a passphrase. ``came`` has a number for each pile, where the game counts what
    comes to piles; ``liberties`` one for each seat of the hand: see Events in the README. On identical deals
    ``progress`` tells how far each seat of the hand has come, and ``since`` with which event; the piles of
    all seats but the receiver's are as they were dealt. ``departed`` names those who have left since the
    match was over, by their seats.
    """

    TAG: ClassVar[int] = 66
    LATER: ClassVar[int] = 5
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
    elapsed_ms: Milliseconds = 0
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


class Accepted(Message):
    """The command was carried out; ``seq`` is the last event of it. A play is answered by its event."""

    TAG: ClassVar[int] = 67
    counter: Counter
    seq: Seq


class Refused(Message):
    """The command was not carried out, and changed nothing.

    For a lost race ``by`` is the seat whose card arrived first and ``late_us`` by how many
    microseconds. ``pile`` is the pile that was aimed at, and ``top`` the card that it shows now, -1
    where it is empty or face down.
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
