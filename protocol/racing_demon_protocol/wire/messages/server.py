"""Messages from the server to one client. Messages to the whole table are in :mod:`.events`."""

from typing import Annotated, ClassVar, Self

from pydantic import Field

from racing_demon_protocol.constants import MOST_SPECTATORS
from racing_demon_protocol.enums import EndReason, Phase, Reason
from racing_demon_protocol.wire.options import Options

from .base import (
    CardNumber,
    Code,
    Counter,
    Destination,
    Elapsed,
    Epoch,
    Hash,
    HostName,
    Message,
    Microseconds,
    Milliseconds,
    Name,
    PileNumber,
    Seat,
    Seq,
    Text,
    Token,
    WireModel,
)

Points = Annotated[int, Field(strict=True, ge=-10_000, le=10_000)]


class Versions(Message):
    """The first message on a connection: the protocol versions that the server speaks."""

    TAG: ClassVar[int] = 64
    oldest: Annotated[int, Field(strict=True, ge=1, le=1_000)]
    newest: Annotated[int, Field(strict=True, ge=1, le=1_000)]
    software: Text = ""


class Seated(Message):
    """You have a place at the table. A snapshot, or the events you missed, follow.

    ``seat`` is ``None`` for a spectator. ``token`` resumes the seat, and is ``None`` for a spectator who is
    not the host. ``counter`` is the last one that the table has answered for this seat. ``epoch`` names this
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
    """The public state of a seat. ``bot`` is its level, or empty for a person.

    ``stand_in`` is the level of the bot that plays for a disconnected person; empty without one.
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
    """A player's contribution to the seed of a hand: the commitment, and the bytes once revealed."""

    seat: Seat
    commitment: Hash
    value: Hash | None = None


class Shuffle(WireModel):
    """The sources of a hand's seed: the server's commitment, and the players' contributions.

    ``seats`` are those in the hand, once it is committed; from then on nobody can contribute.
    """

    hand_id: Text
    commitment: Hash
    contributions: tuple[Contribution, ...] = ()
    seats: tuple[Seat, ...] = ()

    def of(self, seat: int) -> Contribution | None:
        """Return a seat's contribution."""
        return next((each for each in self.contributions if each.seat == seat), None)

    def revealed(self) -> dict[int, bytes]:
        """Return the revealed bytes, by seat."""
        return {each.seat: bytes.fromhex(each.value) for each in self.contributions if each.value is not None}

    def missing(self) -> tuple[int, ...]:
        """Return the seats that have committed to a contribution and not revealed it."""
        return tuple(each.seat for each in self.contributions if each.value is None)

    def with_contribution(self, contribution: Contribution) -> Self:
        """Return a copy with a seat's contribution, ordered by seat."""
        others = [each for each in self.contributions if each.seat != contribution.seat]
        contributions = sorted([*others, contribution], key=lambda each: each.seat)
        return self.model_copy(update={"contributions": tuple(contributions)})

    def without(self, seat: int) -> Self:
        """Return a copy without a seat's contribution."""
        others = tuple(each for each in self.contributions if each.seat != seat)
        return self.model_copy(update={"contributions": others})


class Snapshot(Message):
    """The public state of a table after event ``seq``.

    ``piles`` are in the order of the game's layout for ``hand_seats``, each bottom first, -1 for a face-down
    card. ``elapsed_ms`` counts from the signal and is negative before it. ``locked`` tells whether the table
    has a passphrase. ``came`` has a number for each pile, where the game counts what comes to piles;
    ``liberties`` one for each seat of the hand: see *What a snapshot counts*. On identical deals ``progress``
    is the progress of each seat of the hand, and ``since`` the event that brought it there; the piles of all
    seats but the receiver's are as they were dealt. ``departed`` names those who have left since the match
    ended, by seat. ``banned`` are the names of kicked players who may not return yet. ``shuffle`` has the
    contributions to the seed of the current or last hand, and ``next_shuffle`` those to the next one.
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
    """The command was carried out; ``seq`` is its last event. A play is answered by its event instead."""

    TAG: ClassVar[int] = 67
    counter: Counter
    seq: Seq


class Refused(Message):
    """The command was refused, and changed nothing.

    For a lost race ``by`` is the seat whose card arrived first, and ``late_us`` by how many microseconds (see
    *Order*). ``pile`` is the destination, and ``top`` the card that it shows now, -1 if it is
    empty or face down. On identical deals ``top`` is -1 for every pile but the receiver's own, and nobody is
    ``beaten``.
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
    """The number of spectators.

    Sent to everybody at the table when it changes, and to a player who joins or resumes while there are any.
    """

    TAG: ClassVar[int] = 70
    count: Annotated[int, Field(strict=True, ge=0, le=MOST_SPECTATORS)]


class Halted(Message):
    """The server cannot write to its disk, so the table stands still; sent to everybody, as is its end.

    Nothing is lost: unsent plays follow when the disk works again.
    """

    TAG: ClassVar[int] = 71
    halted: Annotated[bool, Field(strict=True)]


class Elsewhere(Message):
    """Another process of this server has the table: connect to this port of the same host and ask again.

    The answer to ``join``, ``watch`` and ``resume`` on a server with several processes. It names no host, so
    it cannot send a client to another machine. A client that is redirected twice gives up.
    """

    TAG: ClassVar[int] = 72
    port: Annotated[int, Field(strict=True, ge=1, le=65_535)]


class CaughtUp(Message):
    """All missed messages have been sent: the table is now as it was after event ``seq``.

    Sent once for each ``seated``, after the snapshot or the missed events. A client that plays before it
    plays on an outdated table.
    """

    TAG: ClassVar[int] = 73
    seq: Seq


class Moved(Message):
    """Another host of this server has the table: connect to that host and port, and ask there.

    The answer to ``join``, ``watch`` and ``resume`` on a server of several hosts, for clients whose
    ``software`` has the word ``moved`` behind its name. Follow only to the host that you first dialled,
    or to a name below it, with the same scheme, and at most twice.
    """

    TAG: ClassVar[int] = 74
    host: HostName
    port: Annotated[int, Field(strict=True, ge=1, le=65_535)]


class RaceLost(Message):
    """A player lost a race for a foundation: for spectators, see *Lost races*.

    ``card`` is the card that arrived first, of the player ``by``; -1 if it is face down by now.
    """

    TAG: ClassVar[int] = 75
    pile: PileNumber
    card: CardNumber
    by: Seat
    seat: Seat
    late_us: Microseconds
