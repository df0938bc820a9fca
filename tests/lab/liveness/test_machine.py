"""A table under every kind of company, with a mirror that follows the events alone."""

import random

import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from racing_demon_protocol.engine.board import FOUNDATIONS, Board, Kind
from racing_demon_protocol.engine.cards import UNKNOWN
from racing_demon_protocol.engine.specification import Racing
from racing_demon_protocol.errors import CommandRefused
from racing_demon_protocol.games import GAMES
from racing_demon_protocol.records.verify import verify
from racing_demon_protocol.table.state import TableState
from racing_demon_protocol.wire.messages import client as cl
from racing_demon_protocol.wire.messages.handicap import Handicap
from racing_demon_protocol.wire.messages.server import Refused
from racing_demon_protocol.wire.options import CallOut, OnLeave, Options, StallRule, TieBreak
from racing_demon_server.bots.bot import Bot
from racing_demon_server.bots.levels import LEVELS
from racing_demon_server.match.seat_tokens import Actor
from racing_demon_server.match.table import CommandResult
from tests.support.contributing import hash_of, value_of
from tests.support.invariants import status
from tests.support.tables import MS, SECOND, Sitting

SHARED = [name for name, game in GAMES.items() if game.racing is Racing.SHARED]
"""The games around foundations of the table: nothing of them is hidden from anybody."""

Sent = tuple[type[cl.Command], dict[str, object]]
"""A command that somebody sends, and its fields."""

HOSTS: list[Sent] = [
    (cl.Start, {}),
    (cl.AddBot, {"level": "hard"}),
    (cl.AddBot, {"level": "easy"}),
    (cl.RemoveBot, {"seat": 1}),
    (cl.RemoveBot, {"seat": 2}),
    (cl.Unban, {"name": "Ann"}),
    (cl.Unban, {"name": "Guest 1"}),
]

opportunities = st.integers(0, 1_000)
options = st.fixed_dictionaries(
    {
        "game": st.sampled_from([*SHARED, "racing-demon", "classic"]),
        "hands": st.integers(1, 3),
        "countdown_ms": st.sampled_from([0, 1_000]),
        "tally_ms": st.sampled_from([0, 5_000]),
        "call_out": st.sampled_from(CallOut),
        "stall_rule": st.sampled_from(StallRule),
        "tie_break": st.sampled_from(TieBreak),
        "on_leave": st.sampled_from(OnLeave),
        "late_join": st.booleans(),
        "auto_first_turn": st.booleans(),
    },
    optional={
        "forced_bases": st.booleans(),
        "turn": st.integers(1, 3),
        "redeals": st.integers(0, 2),
        "waste_view": st.integers(1, 3),
        "target": st.integers(1, 30),
        "take_back": st.sampled_from(["never", "free"]),
    },
).map(Options.model_validate)


class TableMachine(RuleBasedStateMachine):
    """Any company at a table, and what must be true after each of its steps."""

    sitting: Sitting
    first_options: Options
    last: tuple[Actor, cl.Command] | None

    # Steps.

    @initialize(options=options, watched=st.booleans(), players=st.integers(1, 4), seed=st.binary(min_size=1))
    def open(self, options: Options, watched: bool, players: int, seed: bytes) -> None:
        """Open a table."""
        self.sitting = Sitting(seed, **options.model_dump())
        self.first_options = options
        self.last = None
        if watched:
            self.sitting.host_watching()
        for number in range(players):
            self.sitting.join(f"Guest {number}")

    @rule(name=st.sampled_from(["Ann", "Ben", "", "ann\n"]))
    def join(self, name: str) -> None:
        """Let somebody come."""
        self.sitting.wait(0)
        before = self.sitting.state()
        try:
            self.sitting.join(name)
        except CommandRefused:
            assert before == self.sitting.state()

    @rule(chance=opportunities, connected=st.booleans())
    def connect(self, chance: int, connected: bool) -> None:
        """Let a connection come or go."""
        self.sitting.connect(chance % 8, connected)

    @rule(us=st.sampled_from([1, 200 * MS, 500 * MS, SECOND, 6 * SECOND, 60 * SECOND]))
    def wait(self, us: int) -> None:
        """Let time pass."""
        self.sitting.wait(us)
        due = self.sitting.table.next_timer_at
        assert due is None or due > self.sitting.now

    @rule(
        chance=opportunities,
        command=st.sampled_from(
            [
                (cl.Leave, {}),
                (cl.Call, {}),
                (cl.Stuck, {}),
                (cl.Ready, {"ready": True}),
                (cl.Ready, {"ready": False}),
            ]
        ),
    )
    def say(self, chance: int, command: Sent) -> None:
        """Let anybody say anything."""
        self._send(self._anybody(chance), command[0], **command[1])

    @rule(command=st.sampled_from(HOSTS))
    def host(self, command: Sent) -> None:
        """Let the host do what hosts do."""
        self._send(self.sitting.table.view.host, command[0], **command[1])

    @rule(
        chance=opportunities,
        command=st.sampled_from(
            [
                (cl.Kick, {}),
                (cl.MakeHost, {}),
                (cl.StandIn, {"level": "hard"}),
                (cl.Mute, {"muted": True}),
            ]
        ),
    )
    def host_someone(self, chance: int, command: Sent) -> None:
        """Let the host do something with anybody."""
        self._send(self.sitting.table.view.host, command[0], seat=chance % 8, **command[1])

    @rule(paused=st.booleans())
    def pause(self, paused: bool) -> None:
        """Let the host stop the hand, or let it go on."""
        self._send(self.sitting.table.view.host, cl.Pause, paused=paused)

    @rule(options=options)
    def set_options(self, options: Options) -> None:
        """Let the host change the game."""
        self._send(self.sitting.table.view.host, cl.SetOptions, options=options)

    @rule(chance=opportunities, delay_s=st.sampled_from([0, 1, 30, 60]), heap=st.integers(-3, 3))
    def set_handicap(self, chance: int, delay_s: int, heap: int) -> None:
        """Let the host give anybody a handicap."""
        handicap = Handicap(heap=heap, delay_s=delay_s)
        self._send(self.sitting.table.view.host, cl.SetHandicap, seat=chance % 8, handicap=handicap)

    @rule()
    def everybody_ready(self) -> None:
        """Let all be ready, and the countdown pass."""
        for seat in list(self.sitting.table.view.seats):
            self._send(seat, cl.Ready)
        self.sitting.wait(SECOND)

    @rule(chance=opportunities, again=st.booleans())
    def contribute(self, chance: int, again: bool) -> None:
        """Let anybody commit to bytes for the next hand, or to others instead."""
        seat = self._anybody(chance)
        if seat is not None and self.sitting.mirror.next_shuffle is not None:
            hashed = hash_of(self.sitting, seat, bytes(32) if again else None)
            self._send(seat, cl.Contribute, commitment=hashed)

    @rule(chance=opportunities, again=st.booleans())
    def reveal(self, chance: int, again: bool) -> None:
        """Let anybody reveal bytes, right or wrong."""
        seat = self._anybody(chance)
        if seat is not None:
            value = bytes(32) if again else value_of(seat, self.sitting.mirror.hand_id)
            self._send(seat, cl.Reveal, value=value.hex())

    @precondition(lambda self: self._playing())
    @rule()
    def everybody_stuck(self) -> None:
        """Let all say that they are stuck."""
        for seat in self.sitting.table.view.hand_seats:
            self._send(seat, cl.Stuck)

    @precondition(lambda self: self._playing())
    @rule(seat=opportunities, play=opportunities, late=st.integers(0, 5))
    def legal_play(self, seat: int, play: int, late: int) -> None:
        """Make a play that the rules call legal: it must be accepted, however old the sender's picture."""
        player = self._player(seat)
        plays = self.sitting.plays(player)
        view = self.sitting.table.view
        if not plays or player not in self.sitting.table.seat_tokens or player in view.waiting:
            return
        source, count, destination, *_ = plays[play % len(plays)]
        upward = self.sitting.board.piles[destination].kind is Kind.FOUNDATION
        answer = self._send(
            player,
            cl.PlayCards,
            source=source,
            count=count,
            destination=FOUNDATIONS if upward and play % 2 else destination,
            seen=max(self._dealt(), self.sitting.seq - late),
        )
        assert answer is not None
        assert answer.reply is None or self.sitting.table.view.seats[player].left

    @precondition(lambda self: self._playing())
    @rule(
        seat=opportunities,
        source=st.integers(0, 60),
        count=st.integers(1, 6),
        destination=st.integers(-1, 60),
    )
    def any_play(self, seat: int, source: int, count: int, destination: int) -> None:
        """Try any play at all."""
        seen = self.sitting.seq
        fields = {"source": source, "count": count, "destination": destination, "seen": seen}
        self._send(self._player(seat), cl.PlayCards, **fields)

    @precondition(lambda self: self._playing())
    @rule(chance=opportunities, steps=st.integers(1, 60))
    def play_well(self, chance: int, steps: int) -> None:
        """Let all play for a while as bots do, one after the other."""
        rng = random.Random(chance)
        players = [Bot(seat, LEVELS["hard"], rng) for seat in self.sitting.table.view.hand_seats]
        for number in range(steps):
            bot = players[number % len(players)]
            command, _ = bot.observe(self.sitting.table.view).finish()
            if command is not None and bot.seat in self.sitting.table.seat_tokens:
                counter = self.sitting.counter(bot.seat) + 1
                self._give(bot.seat, command.model_copy(update={"counter": counter}))

    @precondition(lambda self: self.last is not None)
    @rule()
    def again(self) -> None:
        """Send the last command once more: nothing happens, and nothing is judged."""
        assert self.last is not None
        actor, command = self.last
        self.sitting.wait(0)
        if self.sitting.counter(actor) >= command.counter:  # else the seat has a new owner
            before = self.sitting.state()
            self.sitting.give(actor, command)
            assert before == self.sitting.state()

    # What must be true.

    @invariant()
    def boards_are_sound(self) -> None:
        """No card is lost, doubled or out of place, on the public board and among all cards."""
        sitting = self.sitting
        if sitting.table.view.board is not None:
            assert status(sitting.rules, sitting.board) == []
            hidden = sitting.hidden()
            assert status(sitting.rules, Board([p.opened() for p in hidden.piles], hidden.cards)) == []
            for public, all_cards in zip(sitting.board.cards, hidden.cards, strict=True):
                assert len(public) == len(all_cards)
                assert all(a in {UNKNOWN, b} for a, b in zip(public, all_cards, strict=True))

    @invariant()
    def a_snapshot_is_the_table(self) -> None:
        """Who comes now gets the same picture as who has followed."""
        snapshot = self.sitting.table.view.snapshot(0)
        assert snapshot == TableState.from_snapshot(snapshot).snapshot(0)

    def teardown(self) -> None:
        """Check the whole evening once more, from its log alone."""
        if hasattr(self, "sitting"):
            verify([TableState("TEST", self.first_options).snapshot(0), *self.sitting.log])

    # Helpers.

    def _send(self, actor: Actor, cls: type[cl.Command], **fields: object) -> CommandResult | None:
        if actor not in self.sitting.table.seat_tokens:
            return None
        fields["counter"] = self.sitting.counter(actor) + 1
        return self._give(actor, cls.model_validate(fields))

    def _give(self, actor: Actor, command: cl.Command) -> CommandResult:
        self.sitting.wait(0)
        before = self.sitting.state()
        answer = self.sitting.give(actor, command)
        if isinstance(answer.reply, Refused):
            assert (before, []) == (self.sitting.state(), answer.events)
        self.last = actor, command
        return answer

    def _anybody(self, chance: int) -> Actor:
        actors: list[Actor] = [
            actor for actor in (*range(8), None) if actor in self.sitting.table.seat_tokens
        ]
        return actors[chance % len(actors)] if actors else None

    def _player(self, chance: int) -> int:
        seats = self.sitting.table.view.hand_seats
        return seats[chance % len(seats)]

    def _playing(self) -> bool:
        self.sitting.wait(0)
        return self.sitting.table.view.in_hand and not self.sitting.table.view.paused

    def _dealt(self) -> int:
        assert self.sitting.hand is not None
        return self.sitting.hand.dealt_seq


TestTableMachine = pytest.mark.long(TableMachine.TestCase)
TestTableMachine.settings = settings(
    max_examples=60,
    stateful_step_count=50,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much],
)
