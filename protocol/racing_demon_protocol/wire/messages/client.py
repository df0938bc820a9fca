"""Messages from the client to the server.

A connection says :class:`Hello`, takes its place with one of Create, Join, Watch or Resume, and sends
commands. A command carries the seat's own counter, which rises with each; it is answered once.
"""

from typing import Annotated, Any, ClassVar, Final, Self

from pydantic import Field, model_serializer

from racing_demon_protocol.engine.board import Play
from racing_demon_protocol.reasons import BotLevel, Reaction
from racing_demon_protocol.wire.options import Options

from .base import (
    MAX_COUNT,
    ChatText,
    ChosenToken,
    Code,
    Counter,
    Depth,
    Destination,
    Epoch,
    Hash,
    Message,
    Milliseconds,
    Name,
    Passphrase,
    PileNumber,
    Seat,
    Seq,
    Text,
    Token,
)

__all__ = [
    "HAND_COMMANDS",
    "PLAYS",
    "AddBot",
    "Call",
    "Command",
    "Contribute",
    "Create",
    "Hello",
    "Join",
    "Kick",
    "Leave",
    "MakeHost",
    "Mute",
    "Pause",
    "Ping",
    "PlayBest",
    "PlayCards",
    "React",
    "Ready",
    "RemoveBot",
    "Resume",
    "Reveal",
    "Say",
    "SetOptions",
    "StandIn",
    "Start",
    "Stuck",
    "Unban",
    "Watch",
]


MAX_HEARTBEAT_MS: Final = 30_000


class Command(Message):
    """Something a seat wants. The base of all messages that carry a counter."""

    counter: Counter


class Hello(Message):
    """The first message of a client: the version it speaks, of those that the server stated.

    With ``heartbeat_ms`` it asks for rarer WebSocket pings than the server sends by itself: a phone may
    sleep for a while, and keep its connection. A connection is closed that has not answered until the
    next ping.
    """

    TAG: ClassVar[int] = 1
    LATER: ClassVar[int] = 1
    version: Annotated[int, Field(strict=True, ge=1, le=1_000)]
    software: Text = ""
    heartbeat_ms: Annotated[int, Field(strict=True, ge=0, le=MAX_HEARTBEAT_MS)] = 0


class Create(Message):
    """Open a table and become its host, on a seat or, with ``seated`` false, watching.

    With a passphrase, whoever comes later must know it. It is never told to anybody.
    """

    TAG: ClassVar[int] = 2
    name: Name
    options: Options = Options()
    seated: Annotated[bool, Field(strict=True)] = True
    passphrase: Passphrase = ""


class Join(Message):
    """Take a free seat at a table.

    A client that draws the seat's token itself, and keeps it before it asks, may ask again if the answer
    is lost: with a token that opens a seat at the table already, that seat is taken up again.
    """

    TAG: ClassVar[int] = 3
    LATER: ClassVar[int] = 1
    code: Code
    name: Name
    passphrase: Passphrase = ""
    token: ChosenToken = ""


class Watch(Message):
    """See a table without a seat."""

    TAG: ClassVar[int] = 4
    code: Code
    passphrase: Passphrase = ""


class Resume(Message):
    """Come back to a seat with its token, and get the events after ``seq``.

    ``seq`` 0 asks for a snapshot. ``epoch`` is that of the connection which brought event ``seq``. A server
    whose log does not have that event sends a snapshot. The newest connection of a seat wins; an older one is
    closed.
    """

    TAG: ClassVar[int] = 5
    LATER: ClassVar[int] = 1
    code: Code
    token: Token
    seq: Seq = 0
    epoch: Epoch = ""


class PlayCards(Command):
    """Play ``count`` cards from one pile to another.

    ``destination`` -1 means the foundations: the first that accepts takes the card, and a run goes up
    card by card. ``seen`` is the number of the last event that the sender had applied; it tells "you
    were beaten to it" from "that was never legal", and decides nothing.
    """

    TAG: ClassVar[int] = 6
    LATER: ClassVar[int] = 1
    source: PileNumber
    count: Annotated[int, Field(strict=True, ge=1, le=MAX_COUNT)]
    destination: Destination
    seen: Seq
    depth: Depth = 0

    @classmethod
    def of(cls, play: Play, *, counter: int, seen: int) -> Self:
        """Return the command that makes a play."""
        source, count, destination, depth = play
        return cls(
            counter=counter, source=source, count=count, destination=destination, seen=seen, depth=depth
        )


class PlayBest(Command):
    """Play cards of a pile wherever they fit: the server finds the best place for them.

    ``count`` cards from the top are meant, where they can go together; else whatever can go. It is for
    clients that do not know a game's rules, and costs more than a play. It is answered as a play is.
    """

    TAG: ClassVar[int] = 26
    source: PileNumber
    count: Annotated[int, Field(strict=True, ge=1, le=MAX_COUNT)]
    seen: Seq


class Stuck(Command):
    """Say that you have nothing to play. When all connected players say so, the hand ends.

    ``seen`` is the number of the last event that the sender had applied. Sent again after a break, in
    another hand than it was meant for, the command is refused; with 0 it is meant for any.
    """

    TAG: ClassVar[int] = 7
    LATER: ClassVar[int] = 1
    seen: Seq = 0


class Ready(Command):
    """Say that you are ready for the next deal, or not after all. ``seen`` is that of :class:`Stuck`."""

    TAG: ClassVar[int] = 8
    LATER: ClassVar[int] = 1
    ready: Annotated[bool, Field(strict=True)] = True
    seen: Seq = 0


class Start(Command):
    """Deal now, whoever is ready. For the host. ``seen`` is that of :class:`Stuck`."""

    TAG: ClassVar[int] = 9
    LATER: ClassVar[int] = 1
    seen: Seq = 0


class AddBot(Command):
    """Put a bot on a free seat. For the host."""

    TAG: ClassVar[int] = 10
    level: BotLevel = BotLevel.MEDIUM


class RemoveBot(Command):
    """Take a bot from its seat. For the host, between matches."""

    TAG: ClassVar[int] = 11
    seat: Seat


class SetOptions(Command):
    """Change the options that the map names, and no others. For the host, between matches."""

    TAG: ClassVar[int] = 12
    options: Options

    @model_serializer(mode="plain")
    def to_array(self) -> list[Any]:
        """Return the fields in order; of the options those that were named."""
        return [self.counter, self.options.model_dump(exclude_unset=True)]


class Call(Command):
    """Shout "Demon!": you have gone out, where that is to be said. ``seen`` is that of :class:`Stuck`."""

    TAG: ClassVar[int] = 13
    LATER: ClassVar[int] = 1
    seen: Seq = 0


class Leave(Command):
    """Give the seat up for good. Its token opens nothing any more.

    Where everybody may watch without a delay the connection goes on as a spectator's, else it is closed.
    """

    TAG: ClassVar[int] = 14


class Ping(Message):
    """Ask for a :class:`~.server.Pong`; ``stamp`` is the client's own and comes back."""

    TAG: ClassVar[int] = 15
    stamp: Milliseconds


class Say(Command):
    """Say a line to everybody at the table."""

    TAG: ClassVar[int] = 16
    text: ChatText


class Kick(Command):
    """Send a player, or a bot, away from the table. For the host.

    The player's connection is closed. Until the match is over (the next one, between matches) the token opens
    nothing, and nobody of that name comes in from that address, unless the host says :class:`Unban`.
    """

    TAG: ClassVar[int] = 17
    seat: Seat


class Unban(Command):
    """Let those come back who were sent away under a name. For the host."""

    TAG: ClassVar[int] = 23
    name: Name


class Pause(Command):
    """Stop the hand for everybody, or let it go on. For the host. ``seen`` is that of :class:`Stuck`."""

    TAG: ClassVar[int] = 18
    LATER: ClassVar[int] = 1
    paused: Annotated[bool, Field(strict=True)] = True
    seen: Seq = 0


class MakeHost(Command):
    """Hand the hostship over to another player. For the host."""

    TAG: ClassVar[int] = 19
    seat: Seat


class StandIn(Command):
    """Let a bot play for somebody whose connection is lost, until they come back. For the host."""

    TAG: ClassVar[int] = 20
    seat: Seat
    level: BotLevel = BotLevel.MEDIUM


class Mute(Command):
    """Let nobody hear what a player says, or let it be heard again. For the host."""

    TAG: ClassVar[int] = 21
    seat: Seat
    muted: Annotated[bool, Field(strict=True)] = True


class React(Command):
    """Show everybody a short reaction."""

    TAG: ClassVar[int] = 22
    reaction: Reaction


class Contribute(Command):
    """Commit to 32 random bytes that shall have a part in the seed of the next hand.

    ``commitment`` is a SHA-256: see Fair deals in the README. It may be replaced until the hand is committed.
    """

    TAG: ClassVar[int] = 24
    commitment: Hash


class Reveal(Command):
    """Reveal the bytes of your contribution, once the next hand is committed."""

    TAG: ClassVar[int] = 25
    value: Hash


HAND_COMMANDS: Final = Stuck, Call, Ready, Start, Pause
"""The commands, beside plays, that are meant for the hand that their sender sees, or the deal after it."""

PLAYS: Final = PlayCards, PlayBest
"""The commands that move cards. They are answered by events, and not otherwise."""
