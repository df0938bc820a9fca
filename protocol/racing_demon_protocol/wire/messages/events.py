"""Messages from the server to everybody at a table: the table's log.

Events are numbered without gaps. Players and spectators receive the same bytes.
"""

from typing import Annotated, ClassVar, Final

from pydantic import Field

from racing_demon_protocol.engine.board import Play
from racing_demon_protocol.enums import EndReason, Reaction
from racing_demon_protocol.wire.options import Options

from .base import (
    CardNumber,
    ChatText,
    Commitment,
    Count,
    Counter,
    Depth,
    Elapsed,
    HandId,
    Hash,
    Message,
    Milliseconds,
    Name,
    PileNumber,
    Seat,
    SeatColor,
    Seq,
    Team,
    trusting,
)
from .handicap import Handicap
from .server import Points


class Event(Message):
    """An entry of the log."""

    seq: Seq


class Played(Event):
    """Cards were moved: ``count`` from the top of ``source``, or, if negative, from its bottom.

    ``shown`` names the cards that this turned up: those of the source first, then of the destination, each
    bottom first. ``counter`` is that of the seat's command; 0 for an automatic play. ``depth`` cards above
    the moved ones (if ``count`` is negative, below them) stayed where they were.

    On identical deals only the seat's own player receives it, and it has no number of its own: ``seq`` is
    that of the event before.
    """

    TAG: ClassVar[int] = 80
    LATER: ClassVar[int] = 1
    seq: Seq
    """The number of the event; on identical deals that of the event before."""
    seat: Seat
    counter: Counter
    """The number of the command that this answers; 0 where the game moved by itself."""
    source: PileNumber
    """The number of the pile that the cards come from."""
    count: Count
    """How many cards: from the top of the source or, negative, from its bottom."""
    destination: PileNumber
    """The number of the pile that the cards come to."""
    shown: tuple[CardNumber, ...] = ()
    """The cards that this turned up: those of the source, then those of the destination."""
    depth: Depth = 0
    """How many cards above (or, where ``count`` is negative, below) the ones taken stayed."""

    @property
    def play(self) -> Play:
        """The play by which the board moves these cards."""
        return Play(self.source, self.count, self.destination, self.depth)


trusted_played: Final = trusting(Played)
"""Returns the event of a play from its fields, in order and known to be valid."""


class Joined(Event):
    """A player, or a bot with a level, took a seat."""

    TAG: ClassVar[int] = 81
    LATER: ClassVar[int] = 2
    seat: Seat
    name: Name
    bot: Annotated[str, Field(max_length=16)] = ""
    """The level of a bot, perhaps one that you do not know; empty for a person."""
    program: Annotated[bool, Field(strict=True)] = False
    """Whether a program plays, and says so with ``program`` behind its name in ``hello``."""
    start: Points = 0
    """At which total the seat starts in this match: 0, or the lowest one of all seats."""


class Left(Event):
    """A player left or was kicked. During a match the seat stays in the tally, frozen."""

    TAG: ClassVar[int] = 82
    seat: Seat
    kicked: Annotated[bool, Field(strict=True)] = False
    """Whether the host sent the player away."""


class Returned(Event):
    """A player who left during the match is back in their seat, with its points, team and handicap.

    They play from the next deal: of a hand that is being played or drawn they stay out, as after ``left``.
    """

    TAG: ClassVar[int] = 114
    seat: Seat


class Connected(Event):
    """A player connected or disconnected. The seat stays theirs; a player who returns replaces a stand-in."""

    TAG: ClassVar[int] = 83
    seat: Seat
    connected: Annotated[bool, Field(strict=True)]
    """Whether a connection of this player stands."""


class Readied(Event):
    """A player is ready for the next deal, or no longer."""

    TAG: ClassVar[int] = 84
    seat: Seat
    ready: Annotated[bool, Field(strict=True)]
    """Whether the player is ready for the next deal."""


class Hosted(Event):
    """The table has a new host; ``None`` for a host without a seat.

    A host who was away for twenty seconds becomes host again on return: this then comes once more, for
    ``absent_host``, without one; for ``None``, where ``absent_watcher`` was true.
    """

    TAG: ClassVar[int] = 85
    LATER: ClassVar[int] = 2
    seat: Seat | None
    """The host's seat; ``None`` where the host has none."""
    absent_host: Seat | None = None
    """The seat that becomes host again when its player is back; ``None`` if none does."""
    absent_watcher: Annotated[bool, Field(strict=True)] = False
    """Whether a host without a seat becomes host again when they are back."""


class OptionsSet(Event):
    """The table's options were changed. Nobody is ready any more: they were ready for the old options."""

    TAG: ClassVar[int] = 86
    options: Options
    """The table's options, all of them."""


class Committed(Event):
    """The next hand is about to start, and its seed accepts no further contributions.

    ``commitment`` is the SHA-256 over the server's 32 secret bytes and ``hand_id`` in UTF-8. Hand 1 begins a
    new match. Contributors have ``within_ms`` to reveal their bytes; then the cards are dealt.

    On a known deal the secret follows from ``known_deal``, and the cards are known already.
    """

    TAG: ClassVar[int] = 87
    LATER: ClassVar[int] = 2
    hand: Annotated[int, Field(strict=True, ge=1, le=1_000)]
    """The number of the hand in its match, from 1."""
    hand_id: HandId
    commitment: Commitment
    within_ms: Milliseconds = 0
    """For how long contributions may be revealed, in milliseconds."""
    known_deal: Hash | None = None
    """The seed of all hands of the table, where the deal is given; ``None`` where nobody knows it."""


class Dealt(Event):
    """The cards are dealt; the signal comes ``countdown_ms`` later.

    ``shown`` names all face-up cards, in the order of the piles, each bottom first. ``left_out`` are the
    seats that committed to a contribution and did not reveal it in time. The hand is dealt by ``handicaps``:
    where the option ``handicap`` changes them, they differ from those that seats were given.
    """

    TAG: ClassVar[int] = 88
    LATER: ClassVar[int] = 2
    seats: tuple[Seat, ...]
    """The seats that take part. A seat's place in this list is that in the hand."""
    shown: tuple[CardNumber, ...]
    """All cards that lie face up, in the order of the piles, each bottom first."""
    countdown_ms: Milliseconds
    """The time from this event to ``signalled``, in milliseconds."""
    left_out: tuple[Seat, ...] = ()
    """The seats whose contributions were not revealed in time."""
    handicaps: tuple[Handicap, ...] = ()
    """The handicap of each seat in this hand: rows ``handicap``; empty where nobody has any."""


class Signalled(Event):
    """The signal: play begins."""

    TAG: ClassVar[int] = 89


class StuckSaid(Event):
    """A player declared being stuck. Any play that makes progress clears all of these.

    For every seat for which another's play opens nothing, the server sends it again at once.
    """

    TAG: ClassVar[int] = 90
    seat: Seat


class Rotated(Event):
    """Nobody could go on: all wastes were turned over and each stock's top card moved to its bottom."""

    TAG: ClassVar[int] = 91


class StockShifted(Event):
    """A player moved the top card of their stock to its bottom, and is no longer stuck."""

    TAG: ClassVar[int] = 106
    seat: Seat


class Called(Event):
    """A player who is out called "Demon!"; unconfirmed cards may land for ``grace_ms`` more."""

    TAG: ClassVar[int] = 92
    seat: Seat
    grace_ms: Milliseconds
    """For how long cards may still land, in milliseconds."""


class HandOver(Event):
    """The hand is over. ``points`` are in the order of the hand's seats; ``out`` is who went out.

    ``seed`` is the server's secret: with it and the contributions everybody can verify the deal.
    ``elapsed_ms`` counts from the signal.
    """

    TAG: ClassVar[int] = 93
    reason: EndReason
    """Why."""
    out: Seat | None
    """The seat that went out; ``None`` where none has."""
    elapsed_ms: Elapsed
    points: tuple[Points, ...]
    """The points of each seat, in the order of the hand's seats."""
    seed: Hash
    """The server's secret of the hand: 32 bytes in hexadecimal. See *Fair deals*."""


class MatchOver(Event):
    """The match is over; several winners share it.

    ``closed``: the match was ended early, by the host or with its table, and this is where it stood.
    """

    TAG: ClassVar[int] = 94
    winners: tuple[Seat, ...]
    """The seats that have won the match; several share it. Empty while it goes on."""
    closed: Annotated[bool, Field(strict=True)] = False
    """Whether the match was ended before it was played out; this is where it stood."""


class LastHandSet(Event):
    """The host has said which hand is the match's last: the one that is being played, or the next one.

    A tie after it is resolved as the option ``tie_break`` says.
    """

    TAG: ClassVar[int] = 113
    hand: Annotated[int, Field(strict=True, ge=0, le=1_000)]
    """The number of the match's last hand; 0 where the match goes on as its options say."""


class LateStartSet(Event):
    """The host lets players who come later start at the lowest total of all seats, or at 0 again."""

    TAG: ClassVar[int] = 115
    lowest: Annotated[bool, Field(strict=True)]
    """Whether they start at the lowest total."""


class AppearanceSet(Event):
    """A player has chosen a name and a colour, between matches."""

    TAG: ClassVar[int] = 116
    seat: Seat
    name: Name
    color: SeatColor


class Said(Event):
    """A player sent a line of chat."""

    TAG: ClassVar[int] = 95
    seat: Seat
    text: ChatText
    """What the player said."""


class Paused(Event):
    """The hand is paused: no plays are accepted, and its clock stands still.

    ``seat`` is the host who paused it. It is ``None`` if too few players are connected or, with
    ``by_server``, if the server cannot write to its disk.
    """

    TAG: ClassVar[int] = 96
    seat: Seat | None = None
    """The host's seat who wanted it; ``None`` where nobody did."""
    by_server: Annotated[bool, Field(strict=True)] = False
    """Whether the hand is paused because the server cannot write to its disk."""


class Continued(Event):
    """The hand continues, at this time after its signal; negative before the signal."""

    TAG: ClassVar[int] = 97
    elapsed_ms: Elapsed


class StoodIn(Event):
    """A bot with a level plays for a player until they return."""

    TAG: ClassVar[int] = 98
    seat: Seat
    bot: Annotated[str, Field(min_length=1, max_length=16)]
    """The level of a bot."""


class Muted(Event):
    """A player was muted or unmuted."""

    TAG: ClassVar[int] = 99
    seat: Seat
    muted: Annotated[bool, Field(strict=True)]
    """Whether nobody hears what the player says."""


class Reacted(Event):
    """A player showed a reaction."""

    TAG: ClassVar[int] = 100
    seat: Seat
    reaction: Reaction
    """What is shown. Each client chooses its words, or signs."""


SPOKEN: Final = Said, Reacted
"""What a player says or shows to the table; nobody has to hear it from a player whom they ignore."""


class Progressed(Event):
    """On identical deals: a player's progress, which is all that others learn about a layout."""

    TAG: ClassVar[int] = 101
    seat: Seat
    progress: Points
    """How far a seat has come; in a snapshot, for each seat of the hand."""


class EntryClosed(Event):
    """The host lets nobody new take a seat, or lets them again."""

    TAG: ClassVar[int] = 112
    closed: Annotated[bool, Field(strict=True)]
    """Whether nobody new takes a seat."""


class Unbanned(Event):
    """Players who were kicked under a name may return."""

    TAG: ClassVar[int] = 102
    name: Name
    """The name."""


class Prepared(Event):
    """The server has chosen its secret for the next hand and commits to it; players may contribute now.

    ``commitment`` and ``hand_id`` are those that ``committed`` repeats when the hand begins. A new pair
    replaces them if the next hand turns out to be a different one, because the match has ended. Between
    ``committed`` and ``dealt`` it says that the draw is void: see *Fair deals*.
    """

    TAG: ClassVar[int] = 103
    hand_id: HandId
    commitment: Commitment


class Contributed(Event):
    """A player has committed to a contribution to the next hand's seed. It is discarded if they leave."""

    TAG: ClassVar[int] = 104
    seat: Seat
    commitment: Commitment


class Revealed(Event):
    """A player has revealed the contribution to the seed of the hand that is about to be dealt."""

    TAG: ClassVar[int] = 105
    seat: Seat
    value: Hash
    """The 32 bytes of a contribution, in hexadecimal."""


class HandicapSet(Event):
    """A seat has another handicap from the next deal on.

    Nobody is ready any more, as after ``options_set``. All contributions to the next hand are void: players
    contribute anew to the deal that it is now.
    """

    TAG: ClassVar[int] = 110
    seat: Seat
    handicap: Handicap
    """A row ``handicap``."""


class SeatSignalled(Event):
    """The signal for a seat whose handicap let others start before it."""

    TAG: ClassVar[int] = 111
    seat: Seat


class TeamSet(Event):
    """A player is in a team, or now in another one. During a match that happens only to late players."""

    TAG: ClassVar[int] = 107
    seat: Seat
    team: Team
