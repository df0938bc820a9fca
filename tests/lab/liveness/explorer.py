"""Tables and their players on the pure state machine: commands, breaks, restarts and time from one seed."""

import random
from collections.abc import Iterator
from copy import copy, deepcopy
from itertools import islice
from typing import Any, Final, Self

from racing_demon_protocol.engine.commit_reveal import contribution_hash
from racing_demon_protocol.engine.deal import hand_seeds
from racing_demon_protocol.enums import Phase
from racing_demon_protocol.errors import CommandRefused
from racing_demon_protocol.table.state import DEALT
from racing_demon_protocol.wire.messages import Event
from racing_demon_protocol.wire.messages import client as cl
from racing_demon_protocol.wire.messages import events as ev
from racing_demon_protocol.wire.options import CallOut, Options
from racing_demon_server.bots.bot import Bot
from racing_demon_server.bots.levels import LEVELS
from racing_demon_server.match.seat_tokens import Actor
from racing_demon_server.match.table import SavedState, Table
from tests.support.contributing import value_of
from tests.support.inside import (
    dead_tests,
    given_up,
    gone,
    hand_of,
    next_timer,
    pause_state,
    seat_tokens_of,
)
from tests.support.tables import MS, SECOND

SEED: Final = bytes(32)
WAITS: Final = (0, 1, 400 * MS, SECOND, 6 * SECOND, 11 * SECOND, 25 * SECOND)
PATIENCE: Final = 30 * SECOND
"""Longer than it takes until a host is replaced, and nobody waits for those who are away."""
ROUNDS: Final = 12
"""So often all who are connected try to lead a table on; in the second half with all that hosts can do."""
NEWEST: Final = 10
"""Of each kind so many of the tables found last go on."""


class Stranded(AssertionError):
    """Nothing that anybody at the table can do leads on."""


class RandomTable:
    """A table, those who sit at it, and all that has happened.

    Attributes:
        table: the table.
        log: its events, each with its time.
        now: the time, in microseconds.
        told: what was done, step by step.

    Args:
        seed: everything that happens follows from it.
        options: the table's.

    """

    def __init__(self, seed: int, **options: Any) -> None:
        self.rng = random.Random(seed)
        self.options = Options.model_validate(options)
        self.table = Table("TEST", self.options, hands())
        self.log: list[tuple[Event, int]] = []
        self.now = 1_000 * SECOND
        self.told: list[str] = []
        self._elapsed: dict[str, int] = {}
        if self.rng.random() < 0.2:
            self.table.seat_tokens.add(None, b"host")
        for number in range(self.rng.randint(1, 3)):
            self.join(f"P{number}")
        if self.rng.random() < 0.8:
            self.begin()

    def fork(self, seed: int) -> Self:
        """Return the same once more, to go on another way."""
        fork = copy(self)
        fork.rng = random.Random(seed)
        public, hand = self.table.view.hand, hand_of(self.table)
        memo: dict[int, Any] = {}
        if public is not None:
            memo[id(public.rules)] = public.rules  # nothing changes rules, and they are large
        for test in dead_tests(hand).values() if hand is not None else ():
            memo[id(test._search)] = None  # a search cannot be copied, and is begun anew
        fork.table = deepcopy(self.table, memo)
        fork.log, fork.told, fork._elapsed = list(self.log), list(self.told), dict(self._elapsed)
        return fork

    # What happens.

    def step(self) -> None:
        """Let something happen."""
        act = self.rng.choice(ACTS)
        self.told.append(act.__name__.strip("_"))
        act(self)
        self.check_time()

    def join(self, name: str) -> None:
        """Let somebody come, if there is a seat."""
        try:
            self.record(self.table.join(name, name.encode(), self.now)[1])
        except CommandRefused:
            self.record(self.table.run_until(self.now))

    def wait(self, us: int) -> None:
        """Let time pass, as a room does: whatever is due happens when it is due."""
        until = self.now + us
        while (due := self.table.next_timer_at) is not None and due <= until:
            self.now = max(self.now, due)
            self.record(self.table.run_until(self.now))
        self.now = until

    def send(self, actor: Actor, cls: type[cl.Command], **fields: Any) -> None:
        """Send a command with the actor's next counter, if somebody, or a bot, is there to do so."""
        is_there = actor not in gone(self.table)
        if actor is not None and actor in self.table.view.seats:
            is_there |= bool(self.table.view.seats[actor].stand_in)
        if actor in self.table.seat_tokens and is_there:
            counter = self.table.seat_tokens.counter(actor) + 1
            self.record(self.table.handle_command(actor, cls(counter=counter, **fields), self.now).events)

    def come(self) -> None:
        """Let a guest come."""
        self.join(f"Q{self.rng.randrange(100)}")

    def wait_a_while(self) -> None:
        """Let some time pass."""
        self.wait(self.rng.choice(WAITS))

    def wait_until_due(self) -> None:
        """Let time pass until something is due, or nearly."""
        due = self.table.next_timer_at
        if due is not None:
            self.wait(max(0, due - self.now + self.rng.choice((-1, 0, 1))))

    def blink(self) -> None:
        """Let somebody's connection come or go."""
        actor = self.rng.choice(self.table.seat_tokens.people() or [None])
        if actor in self.table.seat_tokens:
            connected = actor not in gone(self.table)
            self.record(self.table.connect(actor, not connected, self.now))

    def say(self) -> None:
        """Let somebody send a command."""
        cls, fields = self.rng.choice(SEATS)
        self.send(self.rng.choice([*self.table.view.seats, None]), cls, **fields)

    def rule(self) -> None:
        """Let the host send a command."""
        cls, fields = self.rng.choice(HOSTS)
        if "seat" in cls.model_fields:
            fields = {**fields, "seat": self.rng.choice([*self.table.view.seats, 7])}
        self.send(self.table.view.host, cls, **fields)

    def begin(self) -> None:
        """Let the next hand begin."""
        if self.rng.random() < 0.15:
            self.contribute()
        self.send(self.table.view.host, cl.Start)
        self.wait(self.table.view.options.countdown_ms * MS)

    def contribute(self) -> None:
        """Let some commit to bytes for the next hand."""
        coming = self.table.view.next_shuffle
        for seat in list(self.table.view.seats):
            if coming is not None and self.rng.random() < 0.7:
                value = value_of(seat, coming.hand_id)
                hashed = contribution_hash(value, coming.commitment, coming.hand_id, seat)
                self.send(seat, cl.Contribute, commitment=hashed)

    def reveal(self) -> None:
        """Let some reveal their bytes, or others."""
        for seat in list(self.table.view.seats):
            value = value_of(seat, self.rng.choice([self.table.view.hand_id, "another"]))
            self.send(seat, cl.Reveal, value=value.hex())

    def play(self) -> None:
        """Let all play for a while as bots do, one after the other, until none of them finds a play."""
        players = [Bot(seat, LEVELS["hard"], self.rng) for seat in self.table.view.hand_seats]
        idle = 0
        for number in range(self.rng.randint(1, 80)):
            if idle == len(players):
                return
            bot = players[number % len(players)]
            command, _ = bot.observe(self.table.view).finish()
            idle = 0 if isinstance(command, cl.PlayCards) else idle + 1
            if isinstance(command, cl.PlayCards):
                fields = dict(command)
                del fields["counter"]
                self.send(bot.seat, type(command), **fields)
                self.wait(self.rng.choice((0, 50 * MS)))

    def call(self) -> None:
        """Let all who play call."""
        for seat in self.table.view.hand_seats:
            self.send(seat, cl.Call)

    def give_up(self) -> None:
        """Let most who play say that they are stuck."""
        for seat in self.table.view.hand_seats:
            if self.rng.random() < 0.8:
                self.send(seat, cl.Stuck)

    def halt(self) -> None:
        """Let the disk fail for a while."""
        self.record(self.table.halt(self.now))
        for _ in range(self.rng.randrange(3)):
            self.rng.choice((RandomTable.blink, RandomTable.wait_a_while))(self)
        self.record(self.table.resume(self.now))

    def restarted(self) -> Self:
        """Return the same once more, after the server has died and those who were connected came back."""
        there, random_table = self.connected(), self.fork(0)
        random_table.restart()
        for actor in there:
            random_table.record(random_table.table.connect(actor, connected=True, at=random_table.now))
        random_table.wait(SECOND)
        random_table.check_time()
        return random_table

    def restart(self) -> None:
        """Let the server die, and another one take the table up."""
        drawn = (event.hand_id for event, _ in self.log if isinstance(event, ev.Prepared | ev.Committed))
        seeds = dict(zip(dict.fromkeys(drawn), hands(), strict=False))
        seat_tokens = seat_tokens_of(self.table)
        table = Table("TEST", self.options, islice(hands(), len(seeds), None))
        table.restore(SavedState(None, list(self.log), seeds, seat_tokens))
        self.table = table
        self.record(table.continue_after_restart(self.now))

    def record(self, events: list[Event]) -> None:
        """Keep what happened."""
        self.log += [(event, self.now) for event in events]

    def check_time(self) -> None:
        """Check that the time of a hand never runs backwards."""
        view = self.table.view
        if view.phase in DEALT:
            elapsed = self.table.hand_clock.elapsed_ms(self.now)
        elif view.results and view.phase is not Phase.SHUFFLING:  # whose hand has no time yet
            elapsed = view.results[-1].elapsed_ms
        else:
            return
        before = self._elapsed.get(view.hand_id, elapsed)
        assert max(0, elapsed) >= max(0, before), f"{elapsed} ms after {before} ms"
        self._elapsed[view.hand_id] = elapsed

    # Whether anything leads on.

    def kind(self) -> tuple[object, ...]:
        """Return what is tried as often as anything else, however seldom chance leads there."""
        view = self.table.view
        _, is_lacking, _ = pause_state(self.table)
        return view.phase, view.paused, is_lacking, any(self.is_out(seat) for seat in view.hand_seats)

    def signature(self) -> object:
        """Return what decides whether anything leads on: of tables that are alike one need be tried."""
        table, view = self.table, self.table.view
        seats = [
            (
                (
                    seat == view.host,
                    seat in view.hand_seats,
                    seat in gone(table),
                    seat in given_up(table),
                ),
                (
                    state.left,
                    bool(state.bot),
                    bool(state.stand_in),
                    state.stuck,
                    state.ready,
                    self.is_out(seat),
                ),
            )
            for seat, state in view.seats.items()
        ]
        return (
            (view.phase, view.paused, view.host is None, None in gone(table), view.options.game),
            (view.options.call_out, view.options.stall_rule, view.options.pause_after_ms is None),
            pause_state(table),
            next_timer(table),
            sorted(seats),
        )

    def connected(self) -> list[Actor]:
        """Return the players who are connected, and the host without a seat."""
        view = self.table.view
        people = (actor for actor in self.table.seat_tokens.people() if actor not in gone(self.table))
        return [
            actor
            for actor in people
            if actor == view.host or (actor is not None and not view.seats[actor].left)
        ]

    def lead_on(self) -> int:
        """Let all who are connected try to finish what is begun; return in which round they did.

        Nobody else comes, and none of them goes.

        Raises:
            Stranded: they could not.

        """
        fork = self.fork(0)
        phase, hand = fork.table.view.phase, fork.table.view.hand_id
        for number in range(ROUNDS):
            fork.try_all(drastic=number >= ROUNDS // 2)
            view = fork.table.view
            if (
                view.hand_id != hand
                or (phase in DEALT and view.phase not in DEALT)
                or view.phase is Phase.OVER
            ):
                return number
        options, tried = self.options.model_dump(exclude_defaults=True), fork.log[len(self.log) :]
        seats, told = list(self.table.view.seats.values()), " ".join(self.told)
        raise Stranded(f"{phase} of {options}, {seats}, after {told}; tried: {tried}")

    def try_all(self, *, drastic: bool) -> None:
        """Let all who are connected send what may lead on."""
        view, connected = self.table.view, self.connected()
        host = view.host if view.host in connected else None
        if view.paused:
            self.send(host, cl.Pause, paused=False)
        if view.phase is Phase.PLAYING:
            for seat in view.hand_seats:
                state = view.seats[seat]
                if seat in connected or state.bot or state.stand_in:
                    is_shout = view.options.call_out is CallOut.SHOUT
                    self.send(seat, cl.Call if is_shout and self.is_out(seat) else cl.Stuck)
        elif view.phase not in DEALT:
            for actor in connected:
                self.send(actor, cl.Ready)
            self.send(host, cl.Start)
        if drastic:
            self.send(host, cl.AddBot, level="hard")
            if not any(seat in connected for seat in view.hand_seats):
                for seat in view.hand_seats:
                    self.send(host, cl.Kick, seat=seat)
        self.wait(PATIENCE)

    def is_out(self, seat: int) -> bool:
        """Tell whether a seat of the hand has reached its goal."""
        view = self.table.view
        if view.hand is None or seat not in view.hand_seats:
            return False
        return view.hand.rules.is_out(view.hand.board, seat)


def explore(first: RandomTable, steps: int, rng: random.Random, known: set[str]) -> Iterator[RandomTable]:
    """Yield tables that became of one, each unlike all before; kinds that are seldom are as likely to go on.

    Args:
        first: the table that all begin with.
        steps: how often something happens.
        rng: what happens follows from it.
        known: the signatures of those that were seen before; new ones are added.

    """
    found = {first.kind(): [first]}
    for _ in range(steps):
        random_table = rng.choice(found[rng.choice(list(found))][-NEWEST:]).fork(rng.randrange(2**32))
        random_table.step()
        signature = repr(random_table.signature())
        if signature not in known:
            known.add(signature)
            found.setdefault(random_table.kind(), []).append(random_table)
            yield random_table


def hands() -> Iterator[bytes]:
    """Yield the secrets of a table's hands."""
    return iter(list(islice(hand_seeds(SEED), 200)))


SEATS: Final[list[tuple[type[cl.Command], dict[str, Any]]]] = [
    (cl.Ready, {}),
    (cl.Ready, {"ready": False}),
    (cl.Stuck, {}),
    (cl.Call, {}),
    (cl.Leave, {}),
]
HOSTS: Final[list[tuple[type[cl.Command], dict[str, Any]]]] = [
    (cl.Start, {}),
    (cl.AddBot, {"level": "easy"}),
    (cl.RemoveBot, {}),
    (cl.Pause, {"paused": True}),
    (cl.Pause, {"paused": False}),
    (cl.Kick, {}),
    (cl.MakeHost, {}),
    (cl.StandIn, {"level": "hard"}),
]
ACTS: Final = [
    *[RandomTable.play] * 4,
    *[RandomTable.wait_a_while] * 4,
    *[RandomTable.wait_until_due] * 6,
    *[RandomTable.blink] * 6,
    *[RandomTable.begin] * 3,
    *[RandomTable.call] * 4,
    RandomTable.reveal,
    RandomTable.come,
    RandomTable.say,
    RandomTable.say,
    RandomTable.rule,
    RandomTable.rule,
    RandomTable.give_up,
    RandomTable.halt,
    RandomTable.restart,
]
