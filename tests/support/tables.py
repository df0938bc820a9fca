"""Tables to test with: time moves when it is told to, and a mirror follows every event."""

from collections.abc import Callable, Sequence
from copy import deepcopy
from itertools import islice
from typing import Any, Final, NamedTuple, Self, TypeVar

from racing_demon_protocol.engine.board import FOUNDATIONS, Board, Kind, Play
from racing_demon_protocol.engine.cards import Card
from racing_demon_protocol.engine.deal import hand_seeds
from racing_demon_protocol.engine.dealer import Dealer
from racing_demon_protocol.engine.rules.base import Rules
from racing_demon_protocol.table.state import TableState
from racing_demon_protocol.wire.codec import decode_server, encode
from racing_demon_protocol.wire.messages import name_of
from racing_demon_protocol.wire.messages.client import Command, PlayCards, Start
from racing_demon_protocol.wire.messages.events import Event, Prepared
from racing_demon_protocol.wire.messages.server import Refused
from racing_demon_protocol.wire.options import Options
from racing_demon_server.encoded_messages import EncodedEvent
from racing_demon_server.match.hand import Hand
from racing_demon_server.match.seat_tokens import Actor
from racing_demon_server.match.table import CommandResult, Table
from racing_demon_server.tables.feed import Feed, ReplayBuffer
from tests.support.boards import build
from tests.support.bot_matches import pass_time
from tests.support.builds import skip_unless_pure
from tests.support.inside import dead_tests, dealer_of, hand_of, replace_hand

MS: Final = 1_000
SECOND: Final = 1_000_000
"""Microseconds."""

NAMES: Final = ("Ann", "Ben", "Cat", "Don", "Emy", "Flo", "Gil", "Ian")
MAX_HANDS: Final = 200


class OpenTable(Table):
    """A judge's table that is shown as it is: a committed table that is never behind."""

    def __new__(cls, *_arguments: object) -> Self:
        """Skip the test where this class is not possible."""
        skip_unless_pure("inherits from a table")
        return super().__new__(cls)

    @staticmethod
    def durable_time(at: int) -> int:
        """Return the argument."""
        return at

    @property
    def settled(self) -> TableState:
        """The public state."""
        return self.view

    @staticmethod
    def hold_us() -> int:
        """Return 0: nothing is held back."""
        return 0


def feed_of(table: Table, clock: Callable[[], int]) -> Feed:
    """Return the feed of a judge's table."""
    return Feed(table, ReplayBuffer(100), clock, lambda at: at)


def commit(feed: Feed, events: Sequence[Event], at: int) -> None:
    """Commit events, which were judged just now."""
    for turn in feed.judged([EncodedEvent(event, at) for event in events]) if events else ():
        feed.append(turn)


E = TypeVar("E", bound=Event)


class Own(NamedTuple):
    """A seat's own piles, each bottom first, in the words of :mod:`.boards`."""

    tableau: Sequence[str] = ()
    stock: str = ""
    waste: str = ""
    reserve: str = ""


class Sitting:
    """A table with its players, on a clock that stands still until it is told to move.

    After every step the mirror, which gets the events as they are on the wire and nothing else, must
    equal the table's view.

    Attributes:
        table: the table.
        mirror: a client's picture of it.
        log: every event so far.
        now: the time, in microseconds.

    """

    def __init__(self, seed: bytes = bytes(32), /, **options: object) -> None:
        asked = Options.model_validate(options)
        self.table = Table("TEST", asked, iter(list(islice(hand_seeds(seed), MAX_HANDS))))
        self.mirror = TableState("TEST", asked)
        self.log: list[Event] = []
        self.now = 1_000 * SECOND

    @classmethod
    def lobby(cls, players: int = 2, **options: object) -> Self:
        """Return a table before its first match; seat 0 is the host."""
        sitting = cls(**options)
        for name in NAMES[:players]:
            sitting.join(name)
        return sitting

    @classmethod
    def on_known_deal(cls, deal: bytes, players: int = 2, **options: object) -> Self:
        """Return a casual table on a given deal, before its first match; seat 0 is the host."""
        sitting = cls(casual=True, **options)
        sitting.table = Table("TEST", sitting.options, iter(()), known_deal=deal.hex())
        sitting.mirror.record = sitting.mirror.record._replace(known_deal=deal.hex())
        for name in NAMES[:players]:
            sitting.join(name)
        return sitting

    @classmethod
    def playing(cls, players: int = 2, seed: bytes = bytes(32), **options: object) -> Self:
        """Return a table at the signal of its first hand; seat 0 is the host."""
        sitting = cls(seed, **options)
        for name in NAMES[:players]:
            sitting.join(name)
        sitting.start()
        return sitting

    def fork(self) -> Self:
        """Return the same table once more, to go on another way."""
        skip_unless_pure("copies a table with all that it holds")
        return deepcopy(self)

    # Steps.

    def join(self, name: str) -> int:
        """Seat somebody whose token is the name, and return the seat."""
        seat, events = self.table.join(name, name.encode(), self.now)
        self.record(events)
        return seat

    def come_back(self, seat: int) -> list[Event]:
        """Let somebody who left return to their seat, by the token that is their name."""
        token = self.table.view.seats[seat].name.encode()
        return self.record(self.table.take_back(seat, token, self.now)[1])

    def host_watching(self) -> None:
        """Give the table a host without a seat."""
        self.table.seat_tokens.add(None, b"host")

    def connect(self, seat: Actor, connected: bool) -> list[Event]:
        """Let a connection come or go."""
        return self.record(self.table.connect(seat, connected, self.now))

    def halt(self) -> list[Event]:
        """Let the server be able to keep nothing from now on."""
        return self.record(self.table.halt(self.now))

    def resume(self) -> list[Event]:
        """Let it be able to keep everything again."""
        return self.record(self.table.resume(self.now))

    def close(self) -> list[Event]:
        """Close the table."""
        return self.record(self.table.close(self.now))

    def wait(self, us: int) -> list[Event]:
        """Let time pass, and wake the table whenever it wants to be woken."""
        self.now += us
        return self.record(pass_time(self.table, self.now) + self.table.run_until(self.now))

    def give(self, actor: Actor, command: Command) -> CommandResult:
        """Let a command arrive now."""
        answer = self.table.handle_command(actor, command, self.now)
        self.record(answer.events)
        return answer

    def send(self, actor: Actor, cls: type[Command], **fields: Any) -> CommandResult:
        """Send a command with the actor's next counter."""
        return self.give(actor, cls(counter=self.counter(actor) + 1, **fields))

    def events(self, actor: Actor, cls: type[Command], **fields: Any) -> list[Event]:
        """Send a command that is carried out, and return what came of it."""
        answer = self.send(actor, cls, **fields)
        assert not isinstance(answer.reply, Refused), answer.reply
        return answer.events

    def refused(self, actor: Actor, cls: type[Command], **fields: Any) -> Refused:
        """Send a command that is refused and changes nothing, and return the refusal."""
        self.wait(0)
        before = self.state()
        answer = self.send(actor, cls, **fields)
        assert isinstance(answer.reply, Refused)
        assert not answer.events
        assert before == self.state()
        return answer.reply

    def start(self) -> list[Event]:
        """Let the host deal, and wait for the signal."""
        dealt = self.events(self.table.view.host, Start)
        return dealt + self.wait(self.options.countdown_ms * MS)

    # Plays.

    def play(
        self, seat: int, source: int, destination: int = FOUNDATIONS, count: int = 1, seen: int | None = None
    ) -> list[Event]:
        """Make a play that is accepted."""
        return self.events(seat, PlayCards, **self._fields(source, destination, count, seen))

    def miss(
        self, seat: int, source: int, destination: int = FOUNDATIONS, count: int = 1, seen: int | None = None
    ) -> Refused:
        """Try a play that is refused."""
        return self.refused(seat, PlayCards, **self._fields(source, destination, count, seen))

    def turn(self, seat: int) -> list[Event]:
        """Turn a seat's stock, or its waste over."""
        turn = self.rules.stock_play(self.board, seat)
        assert turn is not None
        return self.play(seat, turn.source, turn.destination, turn.count)

    def _fields(self, source: int, destination: int, count: int, seen: int | None) -> dict[str, int]:
        seen = self.seq if seen is None else seen
        return {"source": source, "count": count, "destination": destination, "seen": seen}

    # Questions.

    @property
    def seq(self) -> int:
        """The number of the last event."""
        return self.table.view.seq

    @property
    def options(self) -> Options:
        """The table's options."""
        return self.table.view.options

    @property
    def rules(self) -> Rules:
        """The rules of the hand."""
        assert self.table.view.hand is not None
        return self.table.view.hand.rules

    @property
    def board(self) -> Board:
        """The public board."""
        assert self.table.view.board is not None
        return self.table.view.board

    @property
    def hand(self) -> Hand | None:
        """The judge of the hand, if there was one yet."""
        return hand_of(self.table)

    def hidden(self) -> Board:
        """Return all cards of the hand."""
        assert self.hand is not None
        return dealer_of(self.hand).open_board()

    def counter(self, actor: Actor) -> int:
        """Return an actor's last counter."""
        return self.table.seat_tokens.counter(actor) if actor in self.table.seat_tokens else 0

    def plays(self, seat: int) -> list[Play]:
        """Return a seat's legal plays."""
        return list(self.rules.legal_plays(self.board, seat))

    def column(self, seat: int, index: int = 0) -> int:
        """Return the number of one of a seat's columns."""
        return self.rules.layout.seat_piles(seat, Kind.TABLEAU)[index]

    def reserve(self, seat: int) -> int:
        """Return the number of a seat's reserve."""
        return self.rules.layout.seat_piles(seat, Kind.RESERVE)[0]

    def waste(self, seat: int) -> int:
        """Return the number of a seat's waste."""
        return self.rules.layout.waste[seat]

    def stock(self, seat: int) -> int:
        """Return the number of a seat's stock."""
        return self.rules.layout.stock[seat]

    def tops(self) -> list[Card | None]:
        """Return the top card of each foundation."""
        return [self.board.top(pile) for pile in self.rules.layout.foundations]

    def state(self) -> object:
        """Return all that a refused command must not change."""
        cards = self.hidden().cards if self.hand is not None else None
        judged = (self.hand.rotations, self.hand.first_out) if self.hand is not None else None
        return self.table.view.snapshot(0), cards, judged, self.table.next_timer_at

    # Set-up.

    def lay(self, foundation: Sequence[str], *own: Own) -> None:
        """Replace the cards of the hand: the foundations, then each seat's own. The rest is gone."""
        seats = self.rules.layout.seats
        position = build(self.rules, seat=seats[0], foundation=foundation)
        for seat, piles in zip(seats, own, strict=False):
            position = build(self.rules, seat=seat, **piles._asdict(), upon=position)
        assert self.hand is not None
        dealt_at = self.hand.signal_at - self.options.countdown_ms * MS
        assert self.table.view.hand is not None
        self.table.view.hand.board = position.board
        dealer = Dealer(bytes(32), self.rules)
        dealer.restore(position.hidden.cards, position.hidden.counts)
        hand = Hand(self.table.view, self.hand.secret, dealer, dealt_at)
        replace_hand(self.table, hand)
        for test in dead_tests(hand).values():
            test.next_slice_at = None
        hand.schedule_dead_tests(self.now)
        self.mirror = self.table.view.copy()

    def record(self, events: list[Event]) -> list[Event]:
        """Let the mirror follow events, and keep them in the log."""
        for event in events:
            received = decode_server(encode(event))
            assert event == received
            self.mirror.apply(event)
        self.log += events
        assert self.mirror.snapshot(0) == self.table.view.snapshot(0)
        return events


def names_of(sitting: Sitting) -> list[str]:
    """Return the names at a table."""
    return [state.name for state in sitting.table.view.seats.values()]


def of_type(cls: type[E], events: Sequence[Event]) -> list[E]:
    """Return the events of one kind."""
    return [event for event in events if isinstance(event, cls)]


def pack_of(suits: str, pack: int = 0) -> list[str]:
    """Return whole suits, ace to king, as foundations in the words of :mod:`.boards`."""
    return [" ".join(f"{rank}{suit}/{pack}" for rank in "A23456789TJQK") for suit in suits]


def told(events: Sequence[Event]) -> str:
    """Return the names of events, as records write them; what prepares the next hand comes with every end."""
    return " ".join(name_of(event) for event in events if not isinstance(event, Prepared))
