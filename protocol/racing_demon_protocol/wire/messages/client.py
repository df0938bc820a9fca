"""Messages from the client to the server.

A connection sends :class:`Hello`, takes its place with Create, Join, Watch or Resume, and then sends
commands. A command carries the seat's own counter, which increases with each; it is answered once.
"""

from typing import Annotated, Any, ClassVar, Final, Self

from pydantic import Field, model_serializer

from racing_demon_protocol.constants import MAX_REPORT_LENGTH, MAX_SPECTATORS
from racing_demon_protocol.engine.board import Play
from racing_demon_protocol.enums import BotLevel, Reaction
from racing_demon_protocol.wire.options import Options

from .base import (
    MAX_COUNT,
    ChatText,
    ChosenToken,
    Code,
    Commitment,
    Counter,
    Depth,
    Destination,
    DeviceNumber,
    Epoch,
    Hash,
    Message,
    Milliseconds,
    Name,
    Passphrase,
    PileNumber,
    PlayerId,
    Seat,
    SeatColor,
    Seen,
    Seq,
    SpectatorNumber,
    Team,
    Text,
    Token,
    later,
    trimmed,
    trusting,
)
from .handicap import Handicap

MAX_HEARTBEAT_MS: Final = 30_000


class Command(Message):
    """A request of a seat. The base of all messages with a counter."""

    counter: Counter


class PlayerRequest(Message):
    """A request about who somebody is. The base of all messages around players."""


class Hello(Message):
    """The first message of a client: the version it chose from those that the server offered.

    ``heartbeat_ms`` asks for rarer WebSocket pings than the server's default, so that a phone may sleep for a
    while and keep its connection. The server closes a connection that has not answered by the next ping.
    """

    TAG: ClassVar[int] = 1
    LATER: ClassVar[int] = 1
    version: Annotated[int, Field(strict=True, ge=1, le=1_000)]
    """The version of the protocol that you speak."""
    software: Text = ""
    """Your program's name; behind it ``moved``, ``races`` and extensions, if you know them."""
    heartbeat_ms: Annotated[int, Field(strict=True, ge=0, le=MAX_HEARTBEAT_MS)] = 0
    """How long the server may wait from one ping to the next; 0: as long as it likes."""


class Create(Message):
    """Open a table and become its host, as a player or, with ``seated`` false, as a spectator.

    With a passphrase, others must know it to join. The server never reveals it. A table with a
    ``known_deal`` must be casual; it takes no contributions, and everybody sees that its cards are known.
    """

    TAG: ClassVar[int] = 2
    LATER: ClassVar[int] = 2
    name: Name
    options: Options = Options()
    """The options that differ from their defaults."""
    seated: Annotated[bool, Field(strict=True)] = True
    """Whether you take a seat; without one you host and watch."""
    passphrase: Passphrase = ""
    listed: Annotated[bool, Field(strict=True)] = True
    """Whether the table is in lists and announcements; if not, only who knows its code finds it."""
    known_deal: Hash | None = None
    """The seed of all hands of the table, for a deal that is given: see *Known deals*."""

    @model_serializer(mode="plain")
    def to_array(self) -> list[Any]:
        """Return the fields in order, with only the options that differ from their defaults."""
        options = self.options.model_dump(exclude_defaults=True)
        values = [self.name, options, self.seated, self.passphrase, self.listed, self.known_deal]
        return trimmed(values, later(type(self)))


class Join(Message):
    """Take a free seat at a table.

    A client that chooses the seat's token itself, and stores it first, can ask again if the answer is lost: a
    token that is valid for a seat at the table already resumes that seat.
    """

    TAG: ClassVar[int] = 3
    LATER: ClassVar[int] = 1
    code: Code
    name: Name
    passphrase: Passphrase = ""
    token: ChosenToken = ""
    """A secret that you have drawn for the seat; empty to let the server draw one."""


class Watch(Message):
    """Watch a table as a spectator."""

    TAG: ClassVar[int] = 4
    code: Code
    passphrase: Passphrase = ""


class Resume(Message):
    """Resume a seat with its token, and receive the events after ``seq``.

    ``seq`` 0 requests a snapshot. ``epoch`` is that of the connection on which event ``seq`` arrived. A
    server whose log does not have that event sends a snapshot. The newest connection of a seat wins; an older
    one is closed.
    """

    TAG: ClassVar[int] = 5
    LATER: ClassVar[int] = 1
    code: Code
    token: Token
    seq: Seq = 0
    """The number of the last event that you have seen; 0 asks for a snapshot."""
    epoch: Epoch = ""


class PlayCards(Command):
    """Play ``count`` cards from one pile to another.

    ``destination`` -1 means the foundations: the first that accepts takes the card, and a run goes up card by
    card. ``seen`` is the number of the last event that the sender had applied; it tells a lost race from a
    play that was never legal, and decides nothing.
    """

    TAG: ClassVar[int] = 6
    LATER: ClassVar[int] = 1
    source: PileNumber
    """The number of the pile that the cards come from."""
    count: Annotated[int, Field(strict=True, ge=1, le=MAX_COUNT)]
    """How many cards, from the top of the source."""
    destination: Destination
    """The pile that the cards come to; -1: the first foundation that takes them."""
    seen: Seen
    depth: Depth = 0
    """How many cards stay where they are, above the ones that are meant."""

    @classmethod
    def of(cls, play: Play, *, counter: int, seen: int) -> Self:
        """Return the command for a play."""
        return cls(counter=counter, seen=seen, **play._asdict())

    @property
    def play(self) -> Play:
        """The play that the command asks for."""
        return Play(self.source, self.count, self.destination, self.depth)


trusted_play: Final = trusting(PlayCards)
"""Returns a play from its fields, in order and known to be valid."""


class PlayBest(Command):
    """Play cards of a pile to the best place that accepts them; the server finds it.

    ``count`` cards from the top move if they can go together; otherwise whatever can. This is for clients
    that do not know a game's rules, and costs the server more than a play. It is answered like a play.
    """

    TAG: ClassVar[int] = 26
    source: PileNumber
    """The number of the pile that the cards come from."""
    count: Annotated[int, Field(strict=True, ge=1, le=MAX_COUNT)]
    """How many cards."""
    seen: Seen


class Stuck(Command):
    """Declare that you have nothing to play. When all connected players do, the hand ends.

    ``seen`` is the number of the last event that the sender had applied. The command is refused if it arrives
    in another hand than it was meant for, because it was sent again after a lost connection; 0 means any
    hand.
    """

    TAG: ClassVar[int] = 7
    LATER: ClassVar[int] = 1
    seen: Seen = 0


class ShiftStock(Command):
    """Move the top card of your stock to its bottom, if the option ``stock_shift`` allows it.

    It shifts the threes, and is no progress. ``seen`` is as in :class:`Stuck`.
    """

    TAG: ClassVar[int] = 28
    LATER: ClassVar[int] = 1
    seen: Seen = 0


class Ready(Command):
    """Declare that you are ready for the next deal, or no longer. ``seen`` is as in :class:`Stuck`."""

    TAG: ClassVar[int] = 8
    LATER: ClassVar[int] = 1
    ready: Annotated[bool, Field(strict=True)] = True
    """Whether you are ready for the next deal."""
    seen: Seen = 0


class Start(Command):
    """Deal now, even if not all are ready. For the host. ``seen`` is as in :class:`Stuck`."""

    TAG: ClassVar[int] = 9
    LATER: ClassVar[int] = 1
    seen: Seen = 0


class AddBot(Command):
    """Add a bot on a free seat. For the host."""

    TAG: ClassVar[int] = 10
    level: BotLevel = BotLevel.MEDIUM
    """How well the bot plays."""


class RemoveBot(Command):
    """Remove a bot. For the host, between matches."""

    TAG: ClassVar[int] = 11
    seat: Seat


class SetOptions(Command):
    """Change the options that the map names, and no others. For the host, between matches."""

    TAG: ClassVar[int] = 12
    options: Options
    """The options to change. Those that it does not name stay as they are."""

    @model_serializer(mode="plain")
    def to_array(self) -> list[Any]:
        """Return the fields in order, with only the options that were named."""
        return [self.counter, self.options.model_dump(exclude_unset=True)]


class Call(Command):
    """Call "Demon!" after going out, if the table requires it. ``seen`` is as in :class:`Stuck`."""

    TAG: ClassVar[int] = 13
    LATER: ClassVar[int] = 1
    seen: Seen = 0


class Leave(Command):
    """Give up the seat for good. Its token becomes invalid.

    If spectators are allowed without a delay, the connection continues as a spectator's; otherwise it is
    closed.
    """

    TAG: ClassVar[int] = 14


class Ping(Message):
    """Request a :class:`~.server.Pong` with the same ``stamp``."""

    TAG: ClassVar[int] = 15
    stamp: Milliseconds
    """Any number of yours."""


class Relaying(Message):
    """Report how many spectators a relay has, which watches a table as one of its spectators.

    They are counted in the place of the relay. Send this only to a server whose ``software`` has the word
    ``relaying`` behind its name: only relays that its operator has named get that word, and others count as
    one spectator. The server may count fewer.
    """

    TAG: ClassVar[int] = 27
    LATER: ClassVar[int] = 1
    count: Annotated[int, Field(strict=True, ge=0, le=MAX_SPECTATORS)]
    """How many watch at the relay."""
    lacking: Text = ""
    """The server's extensions that a client among them does not know, with blanks between."""


class Say(Command):
    """Send a line of chat to everybody at the table."""

    TAG: ClassVar[int] = 16
    text: ChatText
    """What you say."""


class Kick(Command):
    """Kick a player or a bot. For the host.

    The player's connection is closed. Until the match is over (between matches: the next one) the token is
    invalid, and nobody with that name may join from that address, unless the host sends :class:`Unban`.
    """

    TAG: ClassVar[int] = 17
    seat: Seat


class Unban(Command):
    """Let players return who were kicked under a name. For the host."""

    TAG: ClassVar[int] = 23
    name: Name
    """The name, as the snapshot's ``banned`` has it."""


class Pause(Command):
    """Pause the hand for everybody, or continue it. For the host. ``seen`` is as in :class:`Stuck`."""

    TAG: ClassVar[int] = 18
    LATER: ClassVar[int] = 1
    paused: Annotated[bool, Field(strict=True)] = True
    """Whether the hand stands still."""
    seen: Seen = 0


class EndMatch(Command):
    """End the match now. For the host. ``seen`` is as in :class:`Stuck`.

    A hand that is being played counts as it stands, and all leaders share the win: ``match_over`` says
    ``closed``. The table goes on, and the next deal begins a new match. It is refused before anything counts.
    Only servers with the word ``returns`` know it.
    """

    TAG: ClassVar[int] = 36
    seen: Seen = 0


class SetLastHand(Command):
    """Make the hand that is being played, or else the next one, the match's last; or not. For the host.

    A tie after it is resolved as the option ``tie_break`` says. ``seen`` is as in :class:`Stuck`. It is
    possible only where everybody connected has the word ``returns``: see *Extensions*.
    """

    TAG: ClassVar[int] = 37
    last: Annotated[bool, Field(strict=True)] = True
    """Whether the match ends with this hand, or else with the next one."""
    seen: Seen = 0


class SetLateStart(Command):
    """Let players who come later start at the lowest total of all seats, or at 0. For the host.

    It counts for those who take a seat from then on, in this match and later ones. It is not possible with
    teams, nor where somebody connected lacks the word ``returns``: see *Extensions*.
    """

    TAG: ClassVar[int] = 38
    lowest: Annotated[bool, Field(strict=True)] = True
    """Whether they start at the lowest total."""


class MakeHost(Command):
    """Make another player the host. For the host."""

    TAG: ClassVar[int] = 19
    seat: Seat


class StandIn(Command):
    """Let a bot play for a disconnected player until they return. For the host."""

    TAG: ClassVar[int] = 20
    seat: Seat
    level: BotLevel = BotLevel.MEDIUM
    """How well the bot plays."""


class Mute(Command):
    """Mute a player, or unmute them. For the host."""

    TAG: ClassVar[int] = 21
    seat: Seat
    muted: Annotated[bool, Field(strict=True)] = True
    """Whether nobody hears what the player says."""


class SetTeam(Command):
    """Put a player into a team, between matches. For the host; others may choose their own team."""

    TAG: ClassVar[int] = 29
    seat: Seat
    team: Team


class SetAppearance(Command):
    """Change your name at the table, and the colour in which everybody sees you, between matches.

    It is possible only where everybody connected has the word ``appearance``: see *Extensions*.
    """

    TAG: ClassVar[int] = 39
    name: Name
    color: SeatColor


class React(Command):
    """Show everybody a short reaction."""

    TAG: ClassVar[int] = 22
    reaction: Reaction
    """What is shown. Each client chooses its words, or signs."""


class Contribute(Command):
    """Commit to 32 random bytes that contribute to the seed of the next hand.

    ``commitment`` is a SHA-256: see *Fair deals*. It may be replaced until the hand is committed.
    """

    TAG: ClassVar[int] = 24
    commitment: Commitment


class Reveal(Command):
    """Reveal the bytes of your contribution, once the next hand is committed."""

    TAG: ClassVar[int] = 25
    value: Hash
    """The 32 bytes of a contribution, in hexadecimal."""


class SetHandicap(Command):
    """Give a seat a handicap in place of the one that it has. For the host, between hands.

    Players may make their own harder themselves. It is possible only where everybody connected has the word
    ``handicaps``: see *Extensions*. With the option ``handicap`` at ``auto`` the steps of the match's hands
    are added to it: see *Handicaps*.
    """

    TAG: ClassVar[int] = 30
    seat: Seat
    handicap: Handicap
    """A row ``handicap``."""


class CloseEntry(Command):
    """Let nobody new take a seat, or let them again. For the host.

    Those who have a seat return to it, and the host may add bots. It is possible only where everybody
    connected has the word ``moderation``: see *Extensions*.
    """

    TAG: ClassVar[int] = 31
    LATER: ClassVar[int] = 1
    closed: Annotated[bool, Field(strict=True)] = True
    """Whether nobody new takes a seat."""


class ListSpectators(Command):
    """Ask who watches; the answer is :class:`~.server.SpectatorList`. For the host."""

    TAG: ClassVar[int] = 32


class RemoveSpectator(Command):
    """Remove a spectator, who cannot watch or join from that address for an hour. For the host.

    The connection is closed. The answer is :class:`~.server.SpectatorList`, whether or not the spectator was
    still there.
    """

    TAG: ClassVar[int] = 33
    spectator: SpectatorNumber


class Report(Command):
    """Report a player, or the whole table, to whoever runs the server. For players and spectators.

    The operator reads it with the last lines of chat; nobody at the table learns of it.
    """

    TAG: ClassVar[int] = 34
    text: Annotated[str, Field(min_length=1, max_length=MAX_REPORT_LENGTH)]
    """What there is to say."""
    seat: Seat | None = None
    """Whom it is about; ``None`` for the whole table."""


class ListTable(Command):
    """Put a table that is in no list into the lists, for good. For the host.

    Only servers with the word ``lists`` know it. From then on the table is announced, and a broker and a
    webhook are told of it, where the server does that. It is refused where nothing would tell of it, and if
    the table is there already.
    """

    TAG: ClassVar[int] = 35


HAND_COMMANDS: Final = Stuck, Call, Ready, Start, Pause, EndMatch, SetLastHand
"""The commands, beside plays, that are meant for the current hand, or the deal after it."""

PLAYS: Final = PlayCards, PlayBest
"""The commands that move cards. They are answered by events only."""

ASIDE: Final = ListSpectators, ListTable, RemoveSpectator, Report
"""The commands that concern no seat. No table remembers their answers."""


class Enroll(PlayerRequest):
    """Create a player, whom the server remembers by a secret of this device.

    The secret is new and random, for this server and this person alone, and is sent this once.
    """

    TAG: ClassVar[int] = 40
    name: Name
    secret: Token
    """64 random hexadecimal digits that the device keeps to itself."""
    device: Text = ""
    """What the device is called, for its player's list: its kind, and no name of a machine."""


class Identify(PlayerRequest):
    """Prove to be a player, in answer to the server's :class:`~.server.Challenge`."""

    TAG: ClassVar[int] = 41
    player: PlayerId
    device: DeviceNumber
    proof: Hash
    """See *Players*."""


class Link(PlayerRequest):
    """Become another device of a player, with a code that a device of the player shows."""

    TAG: ClassVar[int] = 42
    name: Name
    code: Annotated[str, Field(min_length=1, max_length=16)]
    """The code. Capital and small letters make no difference."""
    secret: Token
    """64 random hexadecimal digits that the device keeps to itself."""
    device: Text = ""
    """What the device is called, for its player's list: its kind, and no name of a machine."""


class ListDevices(PlayerRequest):
    """Ask for the devices of the player, and perhaps for a code for another one."""

    TAG: ClassVar[int] = 43
    LATER: ClassVar[int] = 1
    with_code: Annotated[bool, Field(strict=True)] = False
    """Whether a code is wanted. One that was given before ends."""
    held: Annotated[bool, Field(strict=True)] = False
    """Whether the code ends with this connection, which then may stay without a table while it is valid."""


class RemoveDevice(PlayerRequest):
    """Let the server forget a device of the player."""

    TAG: ClassVar[int] = 44
    device: DeviceNumber


class Rename(PlayerRequest):
    """Change the player's name at this server; names at tables stay."""

    TAG: ClassVar[int] = 45
    name: Name


class TrustDevice(PlayerRequest):
    """Let a device that was linked lately change things at once; only an older one may say that."""

    TAG: ClassVar[int] = 46
    device: DeviceNumber


class ForgetMe(PlayerRequest):
    """Let the server forget the player, with all devices, for good; results show a former player."""

    TAG: ClassVar[int] = 47
