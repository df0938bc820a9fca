"""Hands played more than once, with the same commands, and other cards where nobody has looked.

What the server tells anybody must be the same then, byte for byte: who can tell two deals apart knows
something of a card that lies face down.
"""

import asyncio
import logging
import random
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from io import StringIO
from typing import Any, Final, NamedTuple

from racing_demon_protocol.engine.board import FOUNDATIONS, Board, Kind
from racing_demon_protocol.engine.cards import PACK_SIZE, Card
from racing_demon_protocol.engine.deal import subseed
from racing_demon_protocol.enums import BotLevel, EndReason
from racing_demon_protocol.records.analysis import HistoryTracker, moments_of
from racing_demon_protocol.records.format import message_line, next_state
from racing_demon_protocol.records.moments import HandMoment
from racing_demon_protocol.wire.codec import Encoding
from racing_demon_protocol.wire.messages import Event, Message
from racing_demon_protocol.wire.messages import client as cl
from racing_demon_protocol.wire.messages.events import Dealt, HandOver, Played, Rotated
from racing_demon_protocol.wire.messages.server import Snapshot
from racing_demon_protocol.wire.options import Options
from racing_demon_server.journal.null_journal import NullJournal
from racing_demon_server.mqtt.publish_queue import PublishQueue
from racing_demon_server.mqtt.topics import Topics
from racing_demon_server.ops.logs import set_up
from racing_demon_server.ops.metrics import Metrics
from racing_demon_server.settings import ServerSettings
from racing_demon_server.tables.feed import CommittedTable
from racing_demon_server.tables.observer import Observer
from racing_demon_server.tables.registry import Registry
from racing_demon_server.tables.room import Room
from tests.support.inside import dealer_of, hand_of, hidden_board
from tests.support.virtual_rooms import FakeConnection, in_virtual_time, now, say

CANARY: Final = PACK_SIZE * 30_000_000
"""Added to a card it leaves rank and suit as they are, and makes a number that nothing else has."""
WAITS: Final = (0, 0, 0, 0.001, 0.05, 0.7)
"""Seconds between two steps."""

COMMANDS: Final[list[tuple[type[cl.Command], dict[str, Any]]]] = [
    (cl.Stuck, {}),
    (cl.Say, {"text": "hello"}),
    (cl.Call, {}),
    (cl.Pause, {"paused": True}),
    (cl.Pause, {"paused": False}),
    (cl.Pause, {"paused": False}),
    (cl.Ready, {}),
]
"""What people send beside plays."""

Disturbance = Callable[[Board], None]
"""Changes the dealer's cards, right after the deal."""
Step = tuple[str, int, Any, float]
"""What is done, by whom, with what, and how long to wait then."""


class Plan(NamedTuple):
    """What a hand follows from."""

    seed: bytes
    options: Options
    people: int
    bots: int
    steps: int


class Told(NamedTuple):
    """All that left the server, by whom it was for; and what happened."""

    streams: dict[str, list[bytes | str]]
    steps: list[Step]
    shown: frozenset[Card]
    stalls: tuple[int, ...]
    """The events that told that nobody can play any more: the stocks are shifted, or the hand is over."""


@dataclass
class Broker(Observer):
    """Takes all that is published, as soon as it is due. It is an observer."""

    queue: PublishQueue = field(default_factory=lambda: PublishQueue(Topics("node"), homeassistant=True))
    got: list[bytes | str] = field(default_factory=list)
    events: list[Event] = field(default_factory=list)

    def opened(self, table: CommittedTable) -> None:
        """Take the table's first messages."""
        self.queue.open(table, now())

    def published(self, table: CommittedTable, events: Sequence[Event]) -> None:
        """Take what events bring."""
        self.events += events
        self.queue.add(table, events, now())
        self.fetch()

    def closed(self, table: CommittedTable) -> None:
        """Let the table's last messages wait."""
        self.queue.close(table)

    def fetch(self) -> None:
        """Take what is due by now."""
        for message in self.queue.pop_due(now(), 10_000):
            self.got += [message.topic, message.payload, str(message.retain)]


class _Performance:
    """One hand as it is played."""

    def __init__(self, plan: Plan) -> None:
        self._plan = plan
        self._broker = Broker()
        self._metrics = Metrics()
        settings = ServerSettings(seed=plan.seed, bot_speed=4.0, kept_events=30)
        self._registry = Registry(settings, now, NullJournal(), [self._metrics, self._broker])
        self.room: Room = self._registry.open(plan.options)
        self._conns: list[tuple[str, FakeConnection]] = []
        self._at: dict[int, FakeConnection] = {}
        self._counters: dict[int, int] = {}

    async def begin(self, disturb: Disturbance) -> None:
        for number in range(self._plan.people):
            seat = self.room.join(f"Player {number}", bytes([number]) * 32, "")
            self.sit(seat, 0)
        for number in range(self._plan.bots):
            await self.send(0, cl.AddBot, level=BotLevel.HARD if number % 2 else BotLevel.EXPERT)
        self.watch(Encoding.JSON)
        self.watch(Encoding.MSGPACK)
        await self.send(0, cl.Start)
        hand = hand_of(self.room.table)
        assert hand is not None
        disturb(hidden_board(dealer_of(hand)))

    async def perform(self, step: Step) -> None:
        what, who, details, wait = step
        match what:
            case "send":
                kind, fields = details
                await self.send(who, kind, **fields)
            case "watch":
                self.watch(details)
            case "sit":
                self.sit(who, details)
            case "break":
                self.room.leave(self._at[who], who)
        await asyncio.sleep(wait)
        self._broker.fetch()

    async def send(self, seat: int, kind: type[cl.Command], **fields: Any) -> None:
        self._counters[seat] = self._counters.get(seat, 0) + 1
        await say(self.room, self._at[seat], seat, kind(counter=self._counters[seat], **fields))

    def watch(self, encoding: Encoding) -> None:
        conn = FakeConnection(encoding)
        self._conns.append(("spectator", conn))
        self.room.broadcast.watch(conn)

    def sit(self, seat: int, seq: int) -> None:
        conn = self._at[seat] = FakeConnection(list(Encoding)[seat % 2])
        self._conns.append((f"seat {seat}", conn))
        self.room.broadcast.take_seat(conn, seat)
        self.room.broadcast.catch_up(conn, seq, seat)
        self.room.connect(seat)

    def end(self, steps: Sequence[Step], log: str) -> Told:
        events = self._broker.events
        shown = {card for event in events if isinstance(event, Dealt | Played) for card in event.shown}
        stalls = tuple(event.seq for event in events if _is_stall(event))
        streams: dict[str, list[bytes | str]] = {
            f"{name}, listener {number}": conn.frames for number, (name, conn) in enumerate(self._conns)
        }
        streams["broker"] = self._broker.got
        streams["log"] = [log]
        streams["record"] = [message_line(message) for message in self._conns[0][1].heard]
        streams["moments"] = [str(moment) for moment in _moments(self._conns[0][1].heard)]
        text = self._metrics.text(1, 1).splitlines()
        streams["metrics"] = [line for line in text if "process_" not in line and "_created" not in line]
        self._registry.close()
        return Told(streams, list(steps), frozenset(shown), stalls)


def _moments(heard: Iterable[Message]) -> Sequence[HandMoment]:
    """Return what cost most in a hand so far, or in all of it, as a client and a server find it."""
    view, history, seed = None, HistoryTracker(), b""
    for at, message in enumerate(heard):
        if isinstance(message, Snapshot | Event):
            view = next_state(view, message)
            history.apply(message, view, at * 1_000)
        if isinstance(message, HandOver) and view is not None:
            seed = view.deal_seed(bytes.fromhex(message.seed))
    if view is None or view.hand is None or history.hand is None:
        return ()
    return moments_of(history.hand, view.hand, seed)


def play(plan: Plan, steps: Sequence[Step] | None = None, disturb: Disturbance = lambda _: None) -> Told:
    """Play a hand with these steps, or with others that follow from the plan and what can be seen."""
    return in_virtual_time(_play(plan, steps, disturb))


async def _play(plan: Plan, steps: Sequence[Step] | None, disturb: Disturbance) -> Told:
    log = StringIO()
    set_up("debug", "json", log)
    try:
        performance = _Performance(plan)
        await performance.begin(disturb)
        done: list[Step] = []
        rng = random.Random(subseed(plan.seed, "steps"))
        for number in range(plan.steps if steps is None else len(steps)):
            step = _invent(performance.room, plan, rng) if steps is None else steps[number]
            done.append(step)
            await performance.perform(step)
        await asyncio.sleep(2)
        lines = "\n".join(line.partition('"timestamp"')[0] for line in log.getvalue().splitlines())
        return performance.end(done, lines)
    finally:
        root = logging.getLogger()
        for handler in [handler for handler in root.handlers if handler.get_name() == "racing_demon_server"]:
            root.removeHandler(handler)
        logging.getLogger("racing_demon_server").setLevel(logging.NOTSET)


def _invent(room: Room, plan: Plan, rng: random.Random) -> Step:
    """Return a next step: mostly plays, legal ones and all others, and whatever else people do."""
    seat, wait, chance = rng.randrange(plan.people), rng.choice(WAITS), rng.random()
    if chance < 0.03:
        return "watch", 0, rng.choice(list(Encoding)), wait
    if chance < 0.06:
        return "sit", seat, rng.choice([0, room.table.view.seq, max(0, room.table.view.seq - 9)]), wait
    if chance < 0.07:
        return "break", seat, None, wait
    if chance < 0.15:
        return "send", seat, rng.choice(COMMANDS), wait
    return "send", seat, (cl.PlayCards, _invent_play(room, seat, rng)), wait


def _invent_play(room: Room, seat: int, rng: random.Random) -> dict[str, int]:
    view = room.table.view
    assert view.hand is not None
    seen = max(0, view.seq - rng.choice([0, 0, 0, 1, 5]))
    plays = list(view.hand.rules.legal_plays(view.hand.board, seat))
    useful = [p for p in plays if view.hand.board.piles[p.destination].kind not in {Kind.STOCK, Kind.WASTE}]
    if plays and rng.random() < 0.75:
        chosen = rng.choice(useful if useful and rng.random() < 0.7 else plays)
        return {**chosen._asdict(), "seen": seen}
    piles = len(view.hand.board.piles)
    return {
        "source": rng.randrange(piles + 1),
        "count": rng.choice([1, 1, 2, 3, 13]),
        "destination": rng.choice([FOUNDATIONS, rng.randrange(piles + 1)]),
        "seen": seen,
    }


# Other cards.


def other_cards(shown: frozenset[Card], rng: random.Random) -> Disturbance:
    """Return what puts the cards of each pack that nobody saw into other places that nobody looked at."""

    def disturb(board: Board) -> None:
        for pack in {card // PACK_SIZE for cards in board.cards for card in cards}:
            unseen = [
                card
                for cards in board.cards
                for card in cards
                if card // PACK_SIZE == pack and card not in shown
            ]
            shuffled = unseen.copy()
            rng.shuffle(shuffled)
            other = dict(zip(unseen, shuffled, strict=True))
            board.cards = [tuple(other.get(card, card) for card in cards) for cards in board.cards]

    return disturb


def with_canaries(shown: frozenset[Card]) -> Disturbance:
    """Return what makes the cards that nobody saw such that they are known wherever they turn up."""

    def disturb(board: Board) -> None:
        board.cards = [
            tuple(card if card in shown else card + CANARY for card in cards) for cards in board.cards
        ]

    return disturb


def canaries_in(told: Told) -> list[str]:
    """Return the streams in which one of the marked cards is found, in any spelling."""
    cards = range(CANARY, CANARY + 8 * PACK_SIZE)
    packed = [card.to_bytes(4, order) for card in cards for order in ("big", "little")]
    written = [str(card).encode() for card in cards]
    found = []
    for name, stream in told.streams.items():
        data = b"\n".join(part.encode() if isinstance(part, str) else part for part in stream)
        # All marked cards share their first bytes, or digits; only where these are found, more is asked.
        heads = (packed[0][:2], packed[1][2:], written[0][:6])
        if any(head in data for head in heads) and any(word in data for word in [*packed, *written]):
            found.append(name)
    return found


def _is_stall(event: Event) -> bool:
    return isinstance(event, Rotated) or (isinstance(event, HandOver) and event.reason is EndReason.DEAD)
