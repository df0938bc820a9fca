"""Random steps at tables: who comes, leaves and comes back, and how hands and matches end.

After every step the mirror, which gets only the events, is the table; so are one that joins by a snapshot now
and then, and one that the journal would restore. Tallies add up, nobody sits twice, and no row is lost.
"""

import os
import random
import sys
from collections import Counter
from dataclasses import replace
from typing import Final

from racing_demon_protocol.enums import Phase
from racing_demon_protocol.errors import CommandRefused
from racing_demon_protocol.records.verify import verify
from racing_demon_protocol.table.scoring import team_totals, totals
from racing_demon_protocol.table.state import TableState
from racing_demon_protocol.wire.messages import client as cl
from racing_demon_protocol.wire.messages import events as ev
from racing_demon_protocol.wire.messages.handicap import Handicap
from racing_demon_protocol.wire.messages.server import Refused
from racing_demon_server.match.seat_tokens import FOUNDER, Actor, SeatToken
from racing_demon_server.match.table import SavedState, Table
from tests.support.records import record
from tests.support.tables import MS, SECOND, Sitting

STEPS: Final = int(os.environ.get("RACING_DEMON_STEPS", "1000"))
SEED: Final = int(os.environ.get("RACING_DEMON_SEED", "1"))
PER_TABLE: Final = 250
PEOPLE: Final = ("Ann", "Ben", "Cleo", "Dan", "Eve", "Fay", "Gus")


class Evening:
    """One table, and the people who might sit at it."""

    def __init__(self, seed: int) -> None:
        self.rng = random.Random(seed)
        self.sitting = Sitting(
            hands=self.rng.choice([1, 2, 9]),
            teams=self.rng.choice([None, None, 2]),
            on_leave=self.rng.choice(["freeze", "forfeit"]),
            late_join=self.rng.random() < 0.7,
            countdown_ms=self.rng.choice([0, 3_000]),
            tally_ms=5_000,
            time_limit_ms=60_000,
        )
        self.counts: Counter[str] = Counter()
        self.sums: dict[int, int] = {}
        self.rows: dict[int, str] = {}
        self.dealt: tuple[int, ...] = ()
        self.secrets: dict[str, bytes] = {}
        self.is_older = False
        self.sitting.table.ask_who_lacks(lambda _words: ["Old"] if self.is_older else [])
        self.sitting.join("Ann")
        if self.rng.random() < 0.5:
            self.send(0, cl.SetLateStart)
        self.send(0, cl.SetHandicap, seat=0, handicap=Handicap(points=self.rng.randrange(-9, 3)))
        self.count(self.sitting.log)
        self.look()

    @property
    def table(self) -> Table:
        """The table."""
        return self.sitting.table

    def step(self) -> None:
        """Do one random thing, and look at the table."""
        before = len(self.sitting.log)
        steps = {
            self.arrive: 8,
            self.leave: 5,
            self.blink: 6,
            self.wait: 6,
            self.play: 12,
            self.stuck: 12,
            self.ready: 10,
            self.contribute: 4,
            self.order: 12,
            self.hear_no_more: 1,
        }
        (do,) = self.rng.choices(list(steps), list(steps.values()))
        self.counts[do.__name__] += 1
        do()
        self.count(self.sitting.log[before:])
        self.look()

    # What people do.

    def arrive(self) -> None:
        """Somebody who has no seat joins: by the token of a seat that they left, if there is one."""
        view = self.table.view
        there = {state.name.split()[0] for state in view.seats.values() if not state.left}
        away = [name for name in PEOPLE if name not in there]
        if not away:
            return
        name = self.rng.choice(away)
        left = self.table.seat_tokens.left_with(name.encode())
        try:
            if left is not None and self.table.may_return(left):
                self.sitting.record(self.table.take_back(left, name.encode(), self.sitting.now)[1])
                self.counts["returned"] += 1
            else:
                self.sitting.join(name)
        except CommandRefused:
            self.counts["kept out"] += 1

    def leave(self) -> None:
        """Somebody leaves."""
        if (seat := self.person()) is not None:
            self.send(seat, cl.Leave)

    def blink(self) -> None:
        """Lose a connection, or get it back."""
        if (seat := self.person()) is not None:
            self.sitting.connect(seat, not self.table.view.seats[seat].connected)

    def wait(self) -> None:
        """Let some time pass."""
        self.sitting.wait(self.rng.choice([MS, SECOND, 5 * SECOND, 25 * SECOND]))

    def play(self) -> None:
        """Somebody plays what is possible, and is refused where they have left the hand."""
        view, seat = self.table.view, self.person()
        if seat is None or not view.in_hand or seat not in view.hand_seats:
            return
        plays = self.sitting.plays(seat)
        if plays:
            command = cl.PlayCards.of(
                self.rng.choice(plays), counter=self.sitting.counter(seat) + 1, seen=view.seq
            )
            reply = self.sitting.give(seat, command).reply
            assert isinstance(reply, Refused) or view.plays_hand(seat)

    def stuck(self) -> None:
        """Somebody is stuck."""
        if (seat := self.person()) is not None:
            self.send(seat, cl.Stuck)

    def ready(self) -> None:
        """Somebody is ready."""
        if (seat := self.person()) is not None:
            self.send(seat, cl.Ready)

    def contribute(self) -> None:
        """Somebody promises a part of the next deal, and never reveals it."""
        if (seat := self.person()) is not None:
            self.send(seat, cl.Contribute, commitment="0" * 64)

    def order(self) -> None:
        """Let the host do something."""
        host, other = self.table.view.host, self.person()
        if host is None or other is None:
            return
        commands: list[tuple[type[cl.Command], dict[str, object]]] = [
            *[(cl.Start, {})] * 6,
            (cl.Kick, {"seat": other}),
            (cl.MakeHost, {"seat": other}),
            (cl.SetLastHand, {"last": self.rng.random() < 0.6}),
            (cl.EndMatch, {}),
            (cl.SetLateStart, {"lowest": self.rng.random() < 0.7}),
            (cl.AddBot, {"level": "easy"}),
            (cl.StandIn, {"seat": other, "level": "easy"}),
            (cl.CloseEntry, {"closed": self.rng.random() < 0.5}),
            (cl.Pause, {"paused": self.rng.random() < 0.5}),
            (cl.SetHandicap, {"seat": other, "handicap": Handicap(points=self.rng.randrange(-3, 4))}),
        ]
        command, fields = self.rng.choice(commands)
        self.send(host, command, **fields)

    def hear_no_more(self) -> None:
        """Somebody with an older client comes, or goes."""
        self.is_older = not self.is_older and "returns" not in self.table.view.extensions

    def person(self) -> int | None:
        """Return the seat of somebody at the table."""
        seats = [seat for seat, state in self.table.view.seats.items() if not (state.left or state.bot)]
        return self.rng.choice(seats) if seats else None

    def send(self, actor: Actor, cls: type[cl.Command], **fields: object) -> None:
        """Send a command, which may be refused."""
        self.sitting.send(actor, cls, **fields)

    # What must be true.

    def count(self, events: list[ev.Event]) -> None:
        """Count the points of each row of the match beside the table."""
        view = self.table.view
        self.secrets |= dict(self.table.new_secrets)
        self.table.forget_secrets()
        for event in events:
            self.counts[type(event).__name__] += 1
            match event:
                case ev.Committed(hand=1):
                    self.sums, self.rows = {}, {}
                case ev.Joined() if event.start:
                    self.counts["started low"] += 1
                    self.sums[event.seat] = event.start
                case ev.Dealt():
                    self.dealt = event.seats
                case ev.HandOver():
                    self.rows |= {seat: view.player(seat) for seat in self.dealt}
                    handicaps = view.results[-1].handicaps or [Handicap()] * len(self.dealt)
                    for seat, points, handicap in zip(self.dealt, event.points, handicaps, strict=True):
                        self.sums[seat] = self.sums.get(seat, 0) + points + handicap.points

    def look(self) -> None:
        """Check the table, and what others would see of it."""
        view = self.table.view
        sums = totals(view)
        assert {seat: sums[seat] for seat in self.sums} == self.sums
        if view.options.teams is not None:
            assert sum(team_totals(view).values()) == sum(self.sums.values())
        assert {seat: view.player(seat) for seat in self.rows} == self.rows, self.sitting.log[-25:]
        names = Counter(state.name for state in view.seats.values())
        assert max(names.values(), default=1) == 1
        people = {seat for seat, state in view.seats.items() if not (state.left or state.bot)}
        tokens = self.table.seat_tokens
        assert people == {seat for seat in tokens.people() if seat is not None}
        hashes = [tokens.origin(seat)[0] for seat in view.seats if seat in tokens or tokens.is_retired(seat)]
        assert max(Counter(filter(None, hashes)).values(), default=1) == 1
        assert not (view.between_matches and any(map(tokens.is_retired, view.seats)))
        assert view.host is None or view.host in people or not people
        assert set(view.sitting_out) <= people
        assert not (self.is_older and view.sitting_out)
        if view.phase in {Phase.LOBBY, Phase.OVER, Phase.TALLY}:
            assert not view.sitting_out
        if self.rng.random() < 0.1:
            self.look_again()

    def look_again(self) -> None:
        """Compare a mirror from a snapshot, and a table that the journal's rows restore."""
        view = self.table.view
        fresh = TableState.from_snapshot(view.snapshot(0))
        assert fresh.snapshot(0) == view.snapshot(0)
        if view.is_between_hands:
            self.restart()

    def restart(self) -> None:
        """Restore the table as a server would that starts, or takes it over."""
        kept, founder = self.table.seat_tokens.copy()
        tokens = {actor: replace(token, is_retired=False) for actor, token in kept.items()}  # as the journal
        tokens[FOUNDER] = SeatToken(founder)
        again = Table("TEST", self.sitting.options, iter(()))
        again.restore(SavedState(self.table.view.snapshot(0), (), self.secrets, tokens))
        assert again.seat_tokens.founder_seat == self.table.seat_tokens.founder_seat
        assert again.seat_tokens.people() == self.table.seat_tokens.people()
        for seat in self.table.view.seats:
            assert again.seat_tokens.is_retired(seat) == self.table.seat_tokens.is_retired(seat)
        self.counts["restarts"] += 1


def test_people_come_and_go_and_come_back() -> None:
    """Every mirror is the table, every match is verified, and the tally is that of another count."""
    counts: Counter[str] = Counter()
    for seed in range(SEED, SEED + STEPS // PER_TABLE):
        evening = Evening(seed)
        for _ in range(PER_TABLE):
            evening.step()
        evening.sitting.close()
        verify(record(evening.sitting.options, evening.sitting.log))
        counts += evening.counts
    sys.stdout.write(f"{dict(counts)}\n")
    assert (
        min(counts[each] for each in ("returned", "kept out", "restarts", "LastHandSet", "LateStartSet")) > 0
    )
