"""Messages from the server to one client. Messages to the whole table are in :mod:`.events`."""

from typing import Annotated, ClassVar, Self

from pydantic import Field

from racing_demon_protocol.constants import MAX_LISTED_SPECTATORS, MAX_NOTICE_LENGTH, MAX_SPECTATORS
from racing_demon_protocol.enums import EndReason, Phase, Reason
from racing_demon_protocol.wire.options import Options

from .base import (
    MAX_INT,
    CardNumber,
    Code,
    Commitment,
    Counter,
    Destination,
    DeviceNumber,
    Elapsed,
    Epoch,
    HandId,
    Hash,
    HostName,
    Message,
    Microseconds,
    Milliseconds,
    Name,
    PileNumber,
    PlayerId,
    Seat,
    SeatColor,
    Seq,
    SpectatorNumber,
    Team,
    Text,
    Token,
    WireModel,
)
from .handicap import NO_HANDICAP, Handicap

Points = Annotated[int, Field(strict=True, ge=-10_000, le=10_000)]


class Versions(Message):
    """The first message on a connection: the protocol versions that the server speaks."""

    TAG: ClassVar[int] = 64
    oldest: Annotated[int, Field(strict=True, ge=1, le=1_000)]
    """The oldest version of the protocol that the server speaks."""
    newest: Annotated[int, Field(strict=True, ge=1, le=1_000)]
    """The newest version of the protocol that the server speaks."""
    software: Text = ""
    """Name and version of the sending program, for display; ``relaying`` behind it allows ``relaying``."""


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
    """Your seat; ``None`` for a spectator."""
    token: Token | None = None
    """The secret that opens your seat again; ``None`` for a spectator."""
    counter: Counter = 0
    """The last command of this seat that the table has answered."""
    epoch: Epoch = ""


class SeatState(WireModel):
    """The public state of a seat. ``bot`` is its level, or empty for a person.

    ``stand_in`` is the level of the bot that plays for a disconnected person; empty without one.
    """

    LATER: ClassVar[int] = 4
    seat: Seat
    name: Name
    bot: Annotated[str, Field(max_length=16)] = ""
    """The level of a bot, perhaps one that you do not know; empty for a person."""
    connected: Annotated[bool, Field(strict=True)] = True
    """Whether a connection of this player stands."""
    ready: Annotated[bool, Field(strict=True)] = False
    """Whether the player is ready for the next deal."""
    stuck: Annotated[bool, Field(strict=True)] = False
    """Whether the player has said to be stuck."""
    left: Annotated[bool, Field(strict=True)] = False
    """Whether the player has left; the seat stays until the next match."""
    stand_in: Annotated[str, Field(max_length=16)] = ""
    """The level of the bot that plays for a player who is away; empty where none does."""
    muted: Annotated[bool, Field(strict=True)] = False
    """Whether nobody hears what the player says."""
    handicap: Handicap = NO_HANDICAP
    """What the seat was given: a row ``handicap``."""
    team: Team | None = None
    """The player's team; ``None`` where there are no teams."""
    program: Annotated[bool, Field(strict=True)] = False
    """Whether a program plays, and no person."""
    color: SeatColor | None = None
    """The seat's colour; ``None`` where it is that of the seat's number."""


class HandResult(WireModel):
    """The tally of one hand: ``points`` in the order of ``seats``; ``out`` is who went out, if any."""

    LATER: ClassVar[int] = 2
    hand: Annotated[int, Field(strict=True, ge=1, le=1_000)]
    """The number of the hand in its match, from 1."""
    seats: tuple[Seat, ...]
    """The seats that take part. A seat's place in this list is that in the hand."""
    points: tuple[Points, ...]
    """The points of each seat, in the order of the hand's seats."""
    reason: EndReason
    """Why."""
    out: Seat | None = None
    """The seat that went out; ``None`` where none has."""
    elapsed_ms: Elapsed = 0
    handicaps: tuple[Handicap, ...] = ()
    """The handicap of each seat in this hand: rows ``handicap``; empty where nobody had any."""
    teams: tuple[Team, ...] = ()
    """The team of each seat, in the order of the hand's seats; empty where there are no teams."""

    def added(self) -> dict[int, int]:
        """Return what the hand adds to each seat's total: its points, and those of its handicap."""
        handicaps = self.handicaps or (NO_HANDICAP,) * len(self.seats)
        rows = zip(self.seats, self.points, handicaps, strict=True)
        return {seat: points + handicap.points for seat, points, handicap in rows}


class Contribution(WireModel):
    """A player's contribution to the seed of a hand: the commitment, and the bytes once revealed."""

    seat: Seat
    commitment: Commitment
    value: Hash | None = None
    """The 32 bytes, in hexadecimal; ``None`` before they are revealed."""


class Shuffle(WireModel):
    """The sources of a hand's seed: the server's commitment, and the players' contributions.

    ``seats`` are those in the hand, once it is committed; from then on nobody can contribute.
    """

    hand_id: HandId
    commitment: Commitment
    contributions: tuple[Contribution, ...] = ()
    """What players add to the seed: rows ``contribution``."""
    seats: tuple[Seat, ...] = ()
    """The seats that take part. A seat's place in this list is that in the hand."""

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
    ``entry_closed`` tells whether the host lets nobody new take a seat, unlike ``locked``.
    ``handicaps`` are those of the hand, rows ``handicap`` in the order of ``hand_seats``; those in ``seats``
    count for the next one. ``last_hand`` is the ``hand`` of the last ``last_hand_set``.
    """

    TAG: ClassVar[int] = 66
    LATER: ClassVar[int] = 19
    seq: Seq
    """The number of the last event that is part of this."""
    code: Code
    options: Options
    """The table's options, all of them."""
    host: Seat | None
    """The host's seat; ``None`` where the host has none."""
    phase: Phase
    """What the table is doing."""
    seats: tuple[SeatState, ...]
    """Who sits at the table: rows ``seat_state``."""
    hand: Annotated[int, Field(strict=True, ge=0, le=1_000)] = 0
    """The number of the current or last hand of the match, from 1; 0 before the first."""
    hand_id: Text = ""
    """What names the current or last hand; empty before the first."""
    commitment: Commitment | None = None
    hand_seats: tuple[Seat, ...] = ()
    """The seats of the current or last hand. A seat's place in this list is that in the hand."""
    piles: tuple[tuple[CardNumber, ...], ...] = ()
    """The cards of all piles, in the order of their numbers, each bottom first; -1 is face down."""
    redeals: tuple[Annotated[int, Field(strict=True, ge=0)], ...] = ()
    """For each seat of the hand, how many redeals there were."""
    elapsed_ms: Elapsed = 0
    called: Seat | None = None
    """The seat that has called in this hand; ``None`` where none has."""
    results: tuple[HandResult, ...] = ()
    """The finished hands of the match: rows ``hand_result``."""
    winners: tuple[Seat, ...] = ()
    """The seats that have won the match; several share it. Empty while it goes on."""
    paused: Annotated[bool, Field(strict=True)] = False
    """Whether the hand stands still."""
    locked: Annotated[bool, Field(strict=True)] = False
    """Whether the table asks for a passphrase."""
    came: tuple[Annotated[int, Field(strict=True, ge=0)], ...] = ()
    """For each pile, how many cards came to it, where the game counts that; empty where all are 0."""
    liberties: tuple[Annotated[int, Field(strict=True, ge=0)], ...] = ()
    """For each seat of the hand, how many cards it took back or from below others; or empty."""
    progress: tuple[Points, ...] = ()
    """How far a seat has come; in a snapshot, for each seat of the hand."""
    since: tuple[Seq, ...] = ()
    """For each seat of the hand, the number of the event with which it came so far."""
    departed: tuple[tuple[Seat, Name], ...] = ()
    """Who has left since the match was over: the seat and the name of each."""
    banned: tuple[Name, ...] = ()
    """The names under which players were sent away who may not come back yet."""
    shuffle: Shuffle | None = None
    """Who has contributed to the seed of the current or last hand: see *Fair deals*."""
    next_shuffle: Shuffle | None = None
    """Who has contributed to the seed of the next hand: see *Fair deals*."""
    handicaps: tuple[Handicap, ...] = ()
    """The handicaps by which the hand was dealt, for each of its seats; empty where nobody had any."""
    waiting: tuple[Seat, ...] = ()
    """The seats of the hand whose signal is still to come, while others play."""
    shifts: tuple[Annotated[int, Field(strict=True, ge=0)], ...] = ()
    """For each seat of the hand, how often it shifted its stock since its last redeal; or empty."""
    entry_closed: Annotated[bool, Field(strict=True)] = False
    """Whether the host lets nobody new take a seat."""
    known_deal: Hash | None = None
    """The seed of all hands of the table, where the deal is given; ``None`` where nobody knows it."""
    last_hand: Annotated[int, Field(strict=True, ge=0, le=1_000)] = 0
    """The number of the match's last hand; 0 where the match goes on as its options say."""
    absent_host: Seat | None = None
    """The seat that becomes host again when its player is back; ``None`` if none does."""
    sitting_out: tuple[Seat, ...] = ()
    """The seats whose players left and came back while the hand was played: they play from the next deal."""
    absent_watcher: Annotated[bool, Field(strict=True)] = False
    """Whether a host without a seat becomes host again when they are back."""
    late_start: Annotated[bool, Field(strict=True)] = False
    """Whether players who come later start at the lowest total of all seats."""
    starts: tuple[tuple[Seat, Points], ...] = ()
    """At which totals other than 0 seats started that were taken within the match: each with its seat."""


class Accepted(Message):
    """The command was carried out; ``seq`` is its last event. A play is answered by its event instead."""

    TAG: ClassVar[int] = 67
    counter: Counter
    """The number of the command that this answers."""
    seq: Seq
    """The number of the last event of the table, after the command was carried out."""


class Refused(Message):
    """The command was refused, and changed nothing.

    For a lost race ``by`` is the seat whose card arrived first, and ``late_us`` by how many microseconds (see
    *Order*). ``pile`` is the destination, and ``top`` the card that it shows now, -1 if it is
    empty or face down. On identical deals ``top`` is -1 for every pile but the receiver's own, and nobody is
    ``beaten``.
    """

    TAG: ClassVar[int] = 68
    counter: Counter
    """The number of the command that this answers; 0 where it was none of a seat."""
    reason: Reason
    """Why."""
    text: Text
    """A sentence for people."""
    by: Seat | None = None
    """The seat whose card arrived first; ``None`` where the play lost no race."""
    late_us: Microseconds = 0
    """By how many microseconds the card came later than the other."""
    pile: Destination = -1
    """The pile that the play was aimed at; -1 where that is none."""
    top: CardNumber = -1
    """The card that this pile shows now; -1 where it is empty or face down."""


class Pong(Message):
    """The answer to a ping, with its stamp."""

    TAG: ClassVar[int] = 69
    stamp: Milliseconds
    """Any number of yours."""


class Watchers(Message):
    """The number of spectators.

    Sent to everybody at the table when it changes, and to a player who joins or resumes while there are any.
    """

    TAG: ClassVar[int] = 70
    count: Annotated[int, Field(strict=True, ge=0, le=MAX_SPECTATORS)]
    """How many watch the table without a seat."""


class Halted(Message):
    """The server cannot write to its disk, so the table stands still; sent to everybody, as is its end.

    Nothing is lost: unsent plays follow when the disk works again.
    """

    TAG: ClassVar[int] = 71
    halted: Annotated[bool, Field(strict=True)]
    """Whether the table stands still."""


class Elsewhere(Message):
    """Another process of this server has the table: connect to this port of the same host and ask again.

    The answer to ``join``, ``watch`` and ``resume`` on a server with several processes. It names no host, so
    it cannot send a client to another machine. A client that is redirected twice gives up.
    """

    TAG: ClassVar[int] = 72
    port: Annotated[int, Field(strict=True, ge=1, le=65_535)]
    """The port of the process that has the table, at the host that you have dialled."""


class CaughtUp(Message):
    """All missed messages have been sent: the table is now as it was after event ``seq``.

    Sent once for each ``seated``, after the snapshot or the missed events. A client that plays before it
    plays on an outdated table.
    """

    TAG: ClassVar[int] = 73
    seq: Seq
    """The number of the last event that you have been sent."""


class Moved(Message):
    """Another host of this server has the table: connect to that host and port, and ask there.

    The answer to ``join``, ``watch`` and ``resume`` on a server of several hosts, for clients whose
    ``software`` has the word ``moved`` behind its name. Follow only to the host that you first dialled,
    or to a name below it, with the same scheme, and at most twice.
    """

    TAG: ClassVar[int] = 74
    host: HostName
    """The name or IP address of the host that has the table."""
    port: Annotated[int, Field(strict=True, ge=1, le=65_535)]
    """Its port."""


class RaceLost(Message):
    """A player lost a race for a foundation: for spectators, see *Lost races*.

    ``card`` is the card that arrived first, of the player ``by``; -1 if it is face down by now.
    """

    TAG: ClassVar[int] = 75
    pile: PileNumber
    """The foundation."""
    card: CardNumber
    """The card that arrived first; -1 where it lies face down by now."""
    by: Seat
    """The seat whose card arrived first."""
    seat: Seat
    """The seat whose card came later."""
    late_us: Microseconds
    """By how many microseconds the card came later than the other."""


class SpectatorState(WireModel):
    """A spectator, as the host sees them: they have no names."""

    spectator: SpectatorNumber
    seconds: Annotated[int, Field(strict=True, ge=0, le=MAX_INT)]
    """For how long they have been watching."""
    people: Annotated[int, Field(strict=True, ge=0, le=MAX_SPECTATORS)] = 1
    """How many watch behind a relay, which is one spectator here; otherwise 1."""


class SpectatorList(Message):
    """Who watches: the answer to the host's ``list_spectators`` and ``remove_spectator``.

    If there are more than 50, it has those who came last. ``accepted`` follows.
    """

    TAG: ClassVar[int] = 76
    spectators: Annotated[tuple[SpectatorState, ...], Field(max_length=MAX_LISTED_SPECTATORS)]
    """Who watches, the newest last: rows ``spectator_state``."""


class ServerNotice(Message):
    """Whoever runs the server says something to everybody at its tables, such as when it restarts.

    Sent to clients with the word ``notices`` behind their names. It has no number, and is not repeated.
    """

    TAG: ClassVar[int] = 128
    text: Annotated[str, Field(min_length=1, max_length=MAX_NOTICE_LENGTH)]
    """What they say."""


class Challenge(Message):
    """A server that remembers players asks who somebody is; see *Players*.

    Sent after ``hello`` to clients with the word ``players`` behind their names.
    """

    TAG: ClassVar[int] = 77
    server: Hash
    """What names the server, always the same."""
    nonce: Hash
    """What the proof is made of, new with each connection."""
    suggested: Annotated[bool, Field(strict=True)] = False
    """Whether people are usually remembered here, as at a table at home."""


class Identified(Message):
    """The server knows who somebody is. The answer to ``enroll``, ``identify``, ``link`` and ``rename``."""

    TAG: ClassVar[int] = 78
    player: PlayerId
    device: DeviceNumber
    """The number of the device that is connected."""
    name: Name
    token: Token
    """What this connection's player sends with requests over HTTP, for seven days."""


class DeviceRow(WireModel):
    """A device of a player."""

    device: DeviceNumber
    label: Text
    """What it is called."""
    added_ms: Annotated[int, Field(strict=True, ge=0, le=2**53)]
    """When it was added, in milliseconds since 1970."""
    seen_ms: Annotated[int, Field(strict=True, ge=0, le=2**53)]
    """When it was last seen."""
    is_new: Annotated[bool, Field(strict=True)] = False
    """Whether it was linked, and nobody trusts it yet: it sees what a guest sees."""


class Devices(Message):
    """The devices of a player.

    The answer to ``list_devices``, ``remove_device`` and ``trust_device``, and without any device the one
    to ``forget_me``. All of a player's that are connected are told when one was added.
    """

    TAG: ClassVar[int] = 79
    devices: Annotated[tuple[DeviceRow, ...], Field(max_length=32)]
    """The devices: rows `device_row`, the oldest first."""
    code: Annotated[str, Field(max_length=16)] = ""
    """The code for another device; empty if none was asked for."""
    seconds: Annotated[int, Field(strict=True, ge=0, le=3_600)] = 0
    """For how many seconds the code is valid."""
