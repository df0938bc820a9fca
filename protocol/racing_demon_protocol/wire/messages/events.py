"""Messages from the server to everybody at a table: the table's log.

Every event has the next number, without gaps. Players and spectators get the same bytes.
"""

from typing import Annotated, ClassVar

from pydantic import Field

from racing_demon_protocol.reasons import EndReason, Reaction
from racing_demon_protocol.wire.options import Options

from .base import (
    CardNumber,
    ChatText,
    Count,
    Counter,
    Depth,
    Elapsed,
    Hash,
    Message,
    Milliseconds,
    Name,
    PileNumber,
    Seat,
    Seq,
    Text,
)
from .server import Points

__all__ = [
    "Called",
    "Committed",
    "Connected",
    "Continued",
    "Contributed",
    "Dealt",
    "Event",
    "HandOver",
    "Hosted",
    "Joined",
    "Left",
    "MatchOver",
    "Muted",
    "OptionsSet",
    "Paused",
    "Played",
    "Prepared",
    "Progressed",
    "Reacted",
    "Readied",
    "Revealed",
    "Rotated",
    "Said",
    "Signalled",
    "StoodIn",
    "StuckSaid",
    "Unbanned",
]


class Event(Message):
    """One entry of the log."""

    seq: Seq


class Played(Event):
    """Cards were moved: ``count`` from the top of ``source`` (or, negative, from its bottom).

    ``shown`` names the cards that this turned up: those of the source first, then of the destination,
    each bottom first. ``counter`` is that of the seat's command; 0 where the game moved by itself.
    ``depth`` cards above (or, where ``count`` is negative, below) the ones taken stayed where they were.

    On identical deals only the seat's own player is told of it, and it has no number of its own: ``seq`` is
    that of the event before.
    """

    TAG: ClassVar[int] = 80
    LATER: ClassVar[int] = 1
    seat: Seat
    counter: Counter
    source: PileNumber
    count: Count
    destination: PileNumber
    shown: tuple[CardNumber, ...] = ()
    depth: Depth = 0


class Joined(Event):
    """Somebody, or a bot of a level, took a seat."""

    TAG: ClassVar[int] = 81
    seat: Seat
    name: Name
    bot: Annotated[str, Field(max_length=16)] = ""


class Left(Event):
    """A player gave the seat up, or was sent away. During a match the seat stays in the tally, frozen."""

    TAG: ClassVar[int] = 82
    seat: Seat
    kicked: Annotated[bool, Field(strict=True)] = False


class Connected(Event):
    """A player's connection came or went. The seat stays theirs; whoever is back plays for themselves."""

    TAG: ClassVar[int] = 83
    seat: Seat
    connected: Annotated[bool, Field(strict=True)]


class Readied(Event):
    """A player is ready for the next deal, or not any more."""

    TAG: ClassVar[int] = 84
    seat: Seat
    ready: Annotated[bool, Field(strict=True)]


class Hosted(Event):
    """The table has a new host; ``None`` for one without a seat."""

    TAG: ClassVar[int] = 85
    seat: Seat | None


class OptionsSet(Event):
    """The table's options were changed. No player is ready any more: that was said of other options."""

    TAG: ClassVar[int] = 86
    options: Options


class Committed(Event):
    """The next hand is coming, and its cards are fixed: nothing can be contributed to its seed any more.

    ``commitment`` is the SHA-256 over the server's 32 secret bytes and ``hand_id`` in UTF-8. Hand 1 begins a
    new match. Whoever has contributed has ``within_ms`` to reveal the bytes; then the cards are dealt.
    """

    TAG: ClassVar[int] = 87
    LATER: ClassVar[int] = 1
    hand: Annotated[int, Field(strict=True, ge=1, le=1_000)]
    hand_id: Text
    commitment: Hash
    within_ms: Milliseconds = 0


class Dealt(Event):
    """The cards lie on the table; the signal comes ``countdown_ms`` later.

    ``shown`` names all cards that lie face up, in the order of the piles, each bottom first. ``left_out``
    are the seats that have contributed to the seed, and have not revealed their bytes in time.
    """

    TAG: ClassVar[int] = 88
    LATER: ClassVar[int] = 1
    seats: tuple[Seat, ...]
    shown: tuple[CardNumber, ...]
    countdown_ms: Milliseconds
    left_out: tuple[Seat, ...] = ()


class Signalled(Event):
    """The common signal: play begins."""

    TAG: ClassVar[int] = 89


class StuckSaid(Event):
    """A player said "stuck". Any play that makes progress takes all of these back."""

    TAG: ClassVar[int] = 90
    seat: Seat


class Rotated(Event):
    """Nobody could go on: all wastes were turned over and each stock's top card put at its bottom."""

    TAG: ClassVar[int] = 91


class Called(Event):
    """A player who is out shouted "Demon!"; cards in the air may land for ``grace_ms`` more."""

    TAG: ClassVar[int] = 92
    seat: Seat
    grace_ms: Milliseconds


class HandOver(Event):
    """The hand is over. ``points`` are in the order of the hand's seats; ``out`` is who went out.

    ``seed`` is the server's secret: with it and the contributions everybody can check the deal.
    ``elapsed_ms`` counts from the signal.
    """

    TAG: ClassVar[int] = 93
    reason: EndReason
    out: Seat | None
    elapsed_ms: Elapsed
    points: tuple[Points, ...]
    seed: Hash


class MatchOver(Event):
    """The match is over; several winners share it.

    ``closed``: the table was closed before the match was played out, and this is where it stood.
    """

    TAG: ClassVar[int] = 94
    winners: tuple[Seat, ...]
    closed: Annotated[bool, Field(strict=True)] = False


class Said(Event):
    """A player said something to the table."""

    TAG: ClassVar[int] = 95
    seat: Seat
    text: ChatText


class Paused(Event):
    """The hand stands still: nothing is played, and no time passes in it.

    ``seat`` is the host who wanted that; ``None``: too few players are connected, or, ``by_server``, the
    server's disk took nothing.
    """

    TAG: ClassVar[int] = 96
    seat: Seat | None = None
    by_server: Annotated[bool, Field(strict=True)] = False


class Continued(Event):
    """The hand goes on, so long after its signal; before the signal the time is negative."""

    TAG: ClassVar[int] = 97
    elapsed_ms: Elapsed


class StoodIn(Event):
    """A bot of a level plays for a player until they are back."""

    TAG: ClassVar[int] = 98
    seat: Seat
    bot: Annotated[str, Field(min_length=1, max_length=16)]


class Muted(Event):
    """What a player says is not passed on any more, or is again."""

    TAG: ClassVar[int] = 99
    seat: Seat
    muted: Annotated[bool, Field(strict=True)]


class Reacted(Event):
    """A player showed a reaction."""

    TAG: ClassVar[int] = 100
    seat: Seat
    reaction: Reaction


class Progressed(Event):
    """On identical deals: how far a player has come. That is all that anybody else is told of a layout."""

    TAG: ClassVar[int] = 101
    seat: Seat
    progress: Points


class Unbanned(Event):
    """Those who were sent away under a name may come back."""

    TAG: ClassVar[int] = 102
    name: Name


class Prepared(Event):
    """The server has drawn its secret for the next hand, and commits to it; players may contribute now.

    ``commitment`` and ``hand_id`` are those that ``committed`` repeats when the hand begins. Another one with
    another id takes its place where the next hand is a different one after all, as the match has ended.
    """

    TAG: ClassVar[int] = 103
    hand_id: Text
    commitment: Hash


class Contributed(Event):
    """A player has committed to a contribution to the next hand's seed. It ends with the player's stay."""

    TAG: ClassVar[int] = 104
    seat: Seat
    commitment: Hash


class Revealed(Event):
    """A player has revealed the contribution to the seed of the hand that is about to be dealt."""

    TAG: ClassVar[int] = 105
    seat: Seat
    value: Hash
