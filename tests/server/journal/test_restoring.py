"""A table that is taken up from its log is the table that it was, and goes on like it."""

import random
from collections.abc import Iterator
from itertools import islice

import pytest

from racing_demon_protocol.engine.deal import hand_seeds
from racing_demon_protocol.enums import Phase, Reason
from racing_demon_protocol.errors import InconsistentEvent
from racing_demon_protocol.games import GAMES, declare
from racing_demon_protocol.wire.codec import decode_server, encode
from racing_demon_protocol.wire.messages import Event
from racing_demon_protocol.wire.messages import client as cl
from racing_demon_protocol.wire.messages import events as ev
from racing_demon_protocol.wire.messages.server import Accepted, Refused, Snapshot
from racing_demon_protocol.wire.options import Options
from racing_demon_server.bots.bot import Bot
from racing_demon_server.bots.levels import LEVELS
from racing_demon_server.match.checkpoint import Checkpoint
from racing_demon_server.match.seat_tokens import Actor, SeatToken
from racing_demon_server.match.table import CommandResult, SavedState, Table
from tests.support.bot_matches import pass_time
from tests.support.cases import for_each
from tests.support.effort import amount, covering, more_when_long
from tests.support.inside import dealer_of, hand_of, seat_tokens_of
from tests.support.typical import of_games

SEED = bytes(32)
MS = 1_000
PLAYERS = ("Ann", "Ben", "Cat")
QUIET = 30_000
"""More milliseconds than it takes until those who are away are waited for no longer."""


class Recorded:
    """A table, with what a journal keeps of it.

    Attributes:
        table: the table.
        log: its events as they are on the wire, each with its time.
        now: the time.
        players: the names of the players.

    Args:
        host: the host's seat, which is the first; or ``None``, for one without a seat.
        options: the table's options.

    """

    def __init__(self, host: Actor = 0, /, **options: object) -> None:
        self.options = Options.model_validate(options)
        self.table = Table("TEST", self.options, iter(list(islice(hand_seeds(SEED), 50))))
        self.log: list[tuple[bytes | str, int]] = []
        self.now = 1_000 * MS
        if host is None:
            self.table.seat_tokens.add(host, b"host")
        self.players = PLAYERS[: declare(self.options, 1).max_seats]
        for name in self.players:
            self.record(self.table.join(name, name.encode(), self.now)[1])

    def record(self, events: list[Event]) -> None:
        """Keep events."""
        self.log += [(encode(event), self.now) for event in events]

    def wait(self, ms: int) -> None:
        """Let time pass, as a room does: whatever is due happens when it is due."""
        until = self.now + ms * MS
        while (due := self.table.next_timer_at) is not None and due <= until:
            self.now = max(self.now, due)
            self.record(self.table.run_until(self.now))
        self.now = until

    def give(self, actor: Actor, command: cl.Command) -> CommandResult:
        """Give a command."""
        answer = self.table.handle_command(actor, command, self.now)
        self.record(answer.events)
        return answer

    def counter(self, actor: Actor) -> int:
        """Return the number for an actor's next command."""
        return self.table.seat_tokens.counter(actor) + 1

    def saved_state(self, snapshot: Snapshot | None = None) -> SavedState:
        """Return what a journal gives back of it."""
        events = [(decode_server(frame), at) for frame, at in self.log]
        log = [(event, at) for event, at in events if isinstance(event, Event)]
        ids = [event.hand_id for event, _ in log if isinstance(event, ev.Prepared)]
        seeds = dict(zip(ids, hand_seeds(SEED), strict=False))
        seat_tokens = seat_tokens_of(self.table)
        return SavedState(snapshot, log, seeds, seat_tokens)

    def past_of_checkpoint(self) -> SavedState | None:
        """Return what it gives back of a table in mid-hand, after a checkpoint and some plays."""
        checkpoint = self.table.checkpoint()
        if checkpoint is None:
            return None
        saved_state = self.saved_state()
        numbers, times = zip(*[(event.seq, at) for event, at in saved_state.log], strict=True)
        whispers = numbers.count(checkpoint.table.seq) - 1
        packed = checkpoint._replace(whispers=whispers, at=max(times)).packed()
        return saved_state._replace(checkpoint=Checkpoint.unpacked(packed))

    def restored_from(self, earlier: SavedState) -> Table:
        """Return the table as it is taken up from an earlier checkpoint, and the newest events."""
        assert earlier.checkpoint is not None
        hand, log = earlier.checkpoint.hand, list(self.saved_state().log)
        known = len(list(earlier.log))
        old = [(event, at) for event, at in log[:known] if event.seq >= earlier.checkpoint.table.seq - 20]
        if self.table.view.is_private:
            old = [
                each for each in old if each[0].seq >= hand.dealt_seq and not isinstance(each[0], ev.Played)
            ]
        log = old + log[known:]
        table = self.empty()
        table.restore(self.saved_state()._replace(log=log, checkpoint=earlier.checkpoint))
        return table

    def restored(self, snapshot: Snapshot | None = None) -> Table:
        """Return the table as it is taken up again."""
        table = self.empty()
        table.restore(self.saved_state(snapshot))
        return table

    def empty(self) -> Table:
        """Return what the table is restored in."""
        drawn = sum(isinstance(decode_server(frame), ev.Prepared) for frame, _ in self.log)
        return Table("TEST", self.options, islice(hand_seeds(SEED), drawn, None))


def commands(recorded: Recorded, rng: random.Random) -> Iterator[tuple[int, cl.Command]]:
    """Yield, for ever, what players may want on the table as it is; most of it is legal."""
    while True:
        view, seat = recorded.table.view, rng.randrange(len(recorded.players))
        counter = recorded.counter(seat)
        plays = []
        if view.in_hand and view.hand is not None:
            plays = list(view.hand.rules.legal_plays(view.hand.board, seat))
        chance = rng.random()
        if plays and chance < 0.9:
            play = rng.choice(plays)
            seen = max(0, view.seq - rng.choice((0, 0, 1, 5)))
            yield (
                seat,
                cl.PlayCards(
                    counter=counter,
                    source=play.source,
                    count=play.count,
                    destination=play.destination,
                    seen=seen,
                ),
            )
        elif chance < 0.92:
            yield seat, cl.Stuck(counter=counter)
        elif chance < 0.93:
            yield seat, cl.ShiftStock(counter=counter)
        elif chance < 0.96:
            yield seat, cl.Pause(counter=counter, paused=not view.paused)
        elif chance < 0.98:
            yield seat, cl.Call(counter=counter)
        else:
            yield seat, cl.Ready(counter=counter)


def hidden(table: Table) -> object:
    """Return what only the judge knows of a hand."""
    hand = hand_of(table)
    if hand is None or not table.view.in_hand:
        return None
    return (
        dealer_of(hand).open_board().cards,
        hand._race_log.since(0),
        hand.rotations,
        hand.first_out,
        hand.signal_at,
        hand.secret,
    )


OPTIONS: list[dict[str, object]] = [
    {"hands": 3, "tally_ms": 100},
    {"hands": 2, "tally_ms": 0, "countdown_ms": 0, "call_out": "shout", "auto_first_turn": True},
    {"hands": 2, "game": "classic", "tally_ms": 500, "stall_rule": "rotate"},
    {"hands": 2, "game": "demon-b", "tally_ms": 500},
    {"hands": 2, "game": "classic", "tally_ms": 500, "stock_shift": "once_a_pass", "spaces": "at_once"},
]


@pytest.mark.long
@for_each(("options", "seed"), covering(OPTIONS, range(3)))
def test_it_goes_on_like_the_one_that_never_ended(options: dict[str, object], seed: int) -> None:
    """At any moment of a match: the same cards, the same answers to old and new commands, the same events."""
    rng = random.Random(f"{options}/{seed}")
    recorded = Recorded(**options)
    recorded.give(0, cl.Start(counter=1))
    recorded.wait(4_000)
    wanted = commands(recorded, rng)
    for _ in range(12):
        for _ in range(rng.randrange(1, 25)):
            recorded.give(*next(wanted))
            recorded.wait(rng.randrange(200))
        twin = recorded.restored()
        assert recorded.table.view.snapshot(0) == twin.view.snapshot(0)
        assert hidden(recorded.table) == hidden(twin)
        for actor in range(len(PLAYERS)):
            again = cl.Ready(counter=recorded.counter(actor) - 1)
            if again.counter:
                assert recorded.table.seat_tokens.ready_answer(
                    actor, again.counter
                ) == twin.seat_tokens.ready_answer(actor, again.counter)
        for _ in range(5):
            actor, command = next(wanted)
            ours = twin.handle_command(actor, command, recorded.now)
            theirs = recorded.give(actor, command)
            assert (theirs.reply, theirs.events) == (ours.reply, ours.events)


def bots_go_on(table: Table, now: int) -> list[object]:
    """Return what bots in all seats want and are told, and what time brings after that."""
    told: list[object] = []
    bots = [Bot(seat, LEVELS["hard"], random.Random(seat)) for seat in table.view.hand_seats]
    for bot in bots * 4:
        command, _ = bot.observe(table.view).finish()
        if isinstance(command, cl.PlayCards):
            counter = table.seat_tokens.counter(bot.seat) + 1
            told += [
                command,
                table.handle_command(bot.seat, cl.PlayCards(**{**command.__dict__, "counter": counter}), now),
            ]
    return [*told, table.run_until(now + 900_000 * MS), table.view.snapshot(0)]


@more_when_long
@of_games(sorted(GAMES))
def test_a_checkpoint_is_as_good_as_all_events_since_the_deal(game: str) -> None:
    """In every game, at any moment of a hand and some plays later: what is hidden, too, and what follows."""
    rng = random.Random(game)
    recorded = Recorded(game=game, hands=20, countdown_ms=0, stall_rule=rng.choice(["none", "rotate"]))
    ends = cl.Stuck, cl.Call
    wanted = (each for each in commands(recorded, rng) if not isinstance(each[1], ends))
    seen = 0
    while seen < amount(2, 4):
        if not recorded.table.view.in_hand:
            recorded.give(0, cl.Start(counter=recorded.counter(0)))
            recorded.wait(4_000)
        earlier = recorded.past_of_checkpoint()
        for _ in range(rng.choice((0, 1, 30))):
            recorded.give(*next(wanted))
            recorded.wait(rng.randrange(200))
        if earlier is None or not recorded.table.view.in_hand:
            continue  # the hand has ended meanwhile
        seen += 1
        whole, quick = recorded.restored(), recorded.restored_from(earlier)
        assert recorded.table.view.snapshot(0) == quick.view.snapshot(0)
        assert hidden(recorded.table) == hidden(quick)
        for seat in (None, 0):
            assert whole.view.snapshot_for(seat, 0) == quick.view.snapshot_for(seat, 0)
        assert whole.next_timer_at == quick.next_timer_at
        assert whole.hand_clock == quick.hand_clock
        assert whole.checkpoint() == quick.checkpoint()
        for actor, command in islice(wanted, 8):
            answers = [table.handle_command(actor, command, recorded.now) for table in (whole, quick)]
            assert answers[0] == answers[1]
        assert bots_go_on(whole, recorded.now) == bots_go_on(quick, recorded.now)


def test_a_lobby_comes_back() -> None:
    """Before the first hand there are seats, a host and options."""
    recorded = Recorded()
    recorded.give(0, cl.AddBot(counter=1, level="hard"))
    recorded.give(0, cl.SetOptions(counter=2, options=Options(hands=7)))
    twin = recorded.restored()
    assert recorded.table.view.snapshot(0) == twin.view.snapshot(0)
    assert twin.view.options.hands == 7


def test_from_a_snapshot_it_is_the_same() -> None:
    """With a snapshot between two hands the log before it need not be gone through."""
    recorded = Recorded(hands=3, tally_ms=10_000)
    recorded.give(0, cl.Start(counter=1))
    recorded.wait(4_000)
    for seat in range(3):
        recorded.give(seat, cl.Stuck(counter=recorded.counter(seat)))
    assert Phase.TALLY is recorded.table.view.phase
    snapshot = recorded.table.view.snapshot(0)
    recorded.wait(20_000)
    assert recorded.table.view.in_hand
    wanted = commands(recorded, random.Random(5))
    for _ in range(40):
        recorded.give(*next(wanted))
    whole, quick = recorded.restored(), recorded.restored(snapshot)
    assert whole.view.snapshot(0) == quick.view.snapshot(0)
    assert hidden(whole) == hidden(quick)
    assert whole.view.hand_id == quick.view.hand_id
    saved_state = recorded.saved_state(snapshot)
    cut = Table("TEST", recorded.options, hand_seeds(SEED))
    cut.restore(
        saved_state._replace(log=[(event, at) for event, at in saved_state.log if event.seq > snapshot.seq])
    )
    assert whole.view.snapshot(0) == cut.view.snapshot(0)


def test_after_the_tally_the_next_hand_is_dealt() -> None:
    """A table that came back between two hands goes on by itself when somebody is there."""
    recorded = Recorded(hands=3, tally_ms=1_000)
    recorded.give(0, cl.Start(counter=1))
    recorded.wait(4_000)
    for seat in range(3):
        recorded.give(seat, cl.Stuck(counter=recorded.counter(seat)))
    for snapshot in (None, recorded.table.view.snapshot(0)):
        twin = recorded.restored(snapshot)
        twin.continue_after_restart(recorded.now)
        twin.connect(0, connected=True, at=recorded.now)
        assert any(isinstance(event, ev.Dealt) for event in twin.run_until(recorded.now + 1_000 * MS))


@for_each(("tally_ms", "waits_ms"), [(2_000, 2_000), (60_000, 10_000)])
def test_a_tally_waits_for_those_who_come_back(tally_ms: int, waits_ms: int) -> None:
    """However little was left of it, it goes on for as long as the whole, and for ten seconds at most."""
    recorded = Recorded(hands=3, tally_ms=tally_ms)
    recorded.give(0, cl.Start(counter=1))
    recorded.wait(4_000)
    for seat in range(3):
        recorded.give(seat, cl.Stuck(counter=recorded.counter(seat)))
    snapshot = recorded.table.view.snapshot(0)
    recorded.wait(tally_ms - 1)
    for kept in (None, snapshot):
        twin = recorded.restored(kept)
        twin.continue_after_restart(recorded.now)
        twin.connect(0, connected=True, at=recorded.now)
        assert twin.run_until(recorded.now + waits_ms * MS - 1) == []
        assert any(isinstance(event, ev.Dealt) for event in twin.run_until(recorded.now + waits_ms * MS))


# The first moments after a restart.


def playing(host: Actor = 0, /, **options: object) -> Recorded:
    """Return a table at play."""
    recorded = Recorded(host, **options)
    recorded.give(host, cl.Start(counter=1))
    recorded.wait(4_000)
    assert Phase.PLAYING is recorded.table.view.phase
    return recorded


def test_a_hand_waits_until_two_are_back() -> None:
    """Nobody is connected at first; the hand stands still, and goes on with the second."""
    recorded = playing()
    twin = recorded.restored()
    elapsed = twin.hand_clock.elapsed_ms(recorded.now)
    events = twin.continue_after_restart(recorded.now)
    assert [event.connected for event in events if isinstance(event, ev.Connected)] == [False, False, False]
    assert isinstance(events[-1], ev.Paused)
    assert elapsed == twin.hand_clock.elapsed_ms(recorded.now + 5_000 * MS)
    later = recorded.now + 5_000 * MS
    assert not any(isinstance(event, ev.Continued) for event in twin.connect(2, connected=True, at=later))
    back = twin.connect(1, connected=True, at=later + MS)
    (on,) = (event for event in back if isinstance(event, ev.Continued))
    assert elapsed == on.elapsed_ms
    assert not twin.view.paused


def test_where_nothing_pauses_it_waits_for_ten_seconds() -> None:
    """A table without the rule of pauses gives its players time to come back, and no more."""
    recorded = playing(pause_after_ms=None)
    twin = recorded.restored()
    assert isinstance(twin.continue_after_restart(recorded.now)[-1], ev.Paused)
    twin.connect(0, connected=True, at=recorded.now)
    assert twin.run_until(recorded.now + 9_999 * MS) == []
    assert any(isinstance(event, ev.Continued) for event in twin.run_until(recorded.now + 10_000 * MS))


def dead() -> Recorded:
    """Return a table a moment after the play that left nobody any other, before the server has noticed."""
    recorded = playing(redeals=0)
    bots = [Bot(seat, LEVELS["hard"], random.Random(seat)) for seat in range(3)]
    hand = hand_of(recorded.table)
    assert hand is not None
    for number in range(3_000):
        seat = number % 3
        command, _ = bots[seat].observe(recorded.table.view).finish()
        if isinstance(command, cl.PlayCards):
            fields = {**command.__dict__, "counter": recorded.counter(seat)}
            recorded.give(seat, cl.PlayCards(**fields))
        recorded.wait(20)
        if dealer_of(hand).is_dead(hand.board, [0, 1, 2]):
            assert Phase.PLAYING is recorded.table.view.phase
            return recorded
    raise AssertionError("the hand does not end")


def test_a_hand_that_ends_after_a_restart_took_as_long_as_it_did() -> None:
    """What was overdue when the server died happens when it is back, and not at some time in the past."""
    recorded = dead()
    elapsed = recorded.table.hand_clock.elapsed_ms(recorded.now)
    twin = recorded.restored()
    twin.continue_after_restart(recorded.now)
    at = recorded.now + 5_000 * MS
    events = [event for seat in (0, 1) for event in twin.connect(seat, connected=True, at=at)]
    assert twin.next_timer_at is not None
    assert at <= twin.next_timer_at
    events += pass_time(twin, at + 1_000 * MS)
    (over,) = (event for event in events if isinstance(event, ev.HandOver))
    assert elapsed <= over.elapsed_ms <= elapsed + 1_000


@for_each("host", [0, None], ids=["seated", "watching"])
def test_the_pause_of_a_host_stays(host: Actor) -> None:
    """Whatever the host stopped the host lets go on."""
    recorded = playing(host)
    recorded.give(host, cl.Pause(counter=recorded.counter(host)))
    twin = recorded.restored()
    assert not any(isinstance(event, ev.Paused) for event in twin.continue_after_restart(recorded.now))
    for seat in range(3):
        twin.connect(seat, connected=True, at=recorded.now + MS)
    twin.run_until(recorded.now + 15_000 * MS)  # longer than a hand waits that only the restart has stopped
    assert twin.view.paused
    twin.handle_command(
        host, cl.Pause(counter=recorded.counter(host), paused=False), recorded.now + 15_001 * MS
    )
    assert not twin.view.paused


@for_each(("grace_ms", "ends_ms"), [(900, 11_000), (10_500, 11_000), (30_000, 30_000)])
def test_cards_in_the_air_may_still_land_after_a_restart(grace_ms: int, ends_ms: int) -> None:
    """A grace goes on to its end, and for ten seconds at least, in which players come back."""
    recorded = playing(call_out="shout")
    seq = recorded.table.view.seq + 1
    recorded.record([ev.Called(seq=seq, seat=0, grace_ms=grace_ms)])
    twin = recorded.restored()
    twin.continue_after_restart(recorded.now + 1_000 * MS)
    assert not any(
        isinstance(event, ev.HandOver) for event in twin.run_until(recorded.now + ends_ms * MS - 1)
    )
    assert any(isinstance(event, ev.HandOver) for event in twin.run_until(recorded.now + ends_ms * MS))


def test_a_host_who_was_away_before_the_restart_has_no_more_time_for_it() -> None:
    """The twenty seconds after which another is host count from the lost connection."""
    recorded = playing()
    recorded.record(recorded.table.connect(1, connected=True, at=recorded.now))
    recorded.record(recorded.table.connect(0, connected=False, at=recorded.now))
    gone_at = recorded.now
    recorded.wait(6_000)
    recorded.give(1, cl.Say(counter=recorded.counter(1), text="Where is she?"))
    twin = recorded.restored()
    twin.continue_after_restart(recorded.now)
    twin.connect(1, connected=True, at=recorded.now)
    assert not any(isinstance(event, ev.Hosted) for event in twin.run_until(gone_at + 20_000 * MS - 1))
    assert any(isinstance(event, ev.Hosted) for event in twin.run_until(gone_at + 20_000 * MS))


def test_who_stays_away_is_not_waited_for() -> None:
    """The usual times begin with the restart: after them others agree alone, and the host is another."""
    recorded = playing()
    twin = recorded.restored()
    twin.continue_after_restart(recorded.now)
    at = recorded.now + MS
    for seat in (1, 2):
        twin.connect(seat, connected=True, at=at)
    for seat in (1, 2):
        twin.handle_command(seat, cl.Stuck(counter=recorded.counter(seat)), at)
    assert twin.view.in_hand
    twin.run_until(at + QUIET * MS)
    assert twin.view.host == 1
    assert not twin.view.in_hand


def test_a_log_with_a_gap_is_refused() -> None:
    """Nothing is made up: a table whose log or whose secrets are not whole cannot come back."""
    recorded = playing()
    saved_state = recorded.saved_state()
    log = list(saved_state.log)
    for damaged in (saved_state._replace(log=log[:5] + log[6:]), saved_state._replace(seeds={})):
        with pytest.raises(InconsistentEvent):
            Table("TEST", recorded.options, hand_seeds(SEED)).restore(damaged)


def test_a_play_of_the_hand_that_was_over_is_refused_as_such() -> None:
    """Whoever was away when hand and server ended hears that it is over, and not that none has begun."""
    recorded = Recorded(countdown_ms=0, hands=1)
    recorded.give(0, cl.Start(counter=1))
    recorded.wait(10)
    for seat in range(len(PLAYERS)):
        recorded.give(seat, cl.Stuck(counter=recorded.counter(seat)))
    assert Phase.OVER is recorded.table.view.phase
    for table in (recorded.table, recorded.restored(recorded.table.view.snapshot(0))):
        late = cl.PlayCards(counter=9, source=20, count=1, destination=-1, seen=recorded.table.view.seq)
        reply = table.handle_command(0, late, recorded.now).reply
        assert isinstance(reply, Refused)
        assert reply.reason is Reason.HAND_OVER


def _play_of(recorded: Recorded, seat: int) -> cl.PlayCards:
    """Return a legal play of a seat."""
    view = recorded.table.view
    assert view.hand is not None
    play = next(view.hand.rules.legal_plays(view.hand.board, seat))
    return cl.PlayCards.of(play, counter=recorded.counter(seat), seen=view.seq)


def test_the_number_of_a_play_is_known_from_the_log() -> None:
    """No row of the journal tells of it; sent again after a restart, the play is not judged again."""
    recorded = playing()
    rows = recorded.saved_state().seat_tokens
    seq, play = recorded.table.view.seq, _play_of(recorded, 1)
    assert recorded.give(1, play).reply is None
    saved_state = recorded.saved_state()._replace(seat_tokens=rows)
    twin = Table("TEST", recorded.options, islice(hand_seeds(SEED), 1, None))
    twin.restore(saved_state)
    earlier = twin.seat_tokens.ready_answer(1, play.counter)
    assert (
        Accepted(counter=play.counter, seq=seq + 1)
        == earlier
        == recorded.table.seat_tokens.ready_answer(1, play.counter)
    )
    assert twin.handle_command(1, play, recorded.now).events == []


def test_whoever_takes_a_seat_begins_with_the_first_number() -> None:
    """The plays of the seat's former player, which are in the same log, are not the new one's."""
    recorded = Recorded(countdown_ms=0, hands=1)
    recorded.give(0, cl.Start(counter=1))
    recorded.wait(10)
    assert recorded.give(2, _play_of(recorded, 2)).reply is None
    for seat in range(len(PLAYERS)):
        recorded.give(seat, cl.Stuck(counter=recorded.counter(seat)))
    recorded.give(2, cl.Leave(counter=recorded.counter(2)))
    seat, events = recorded.table.join("Dan", b"Dan", recorded.now)
    recorded.record(events)
    assert seat == 2
    assert recorded.restored().seat_tokens.counter(2) == 0


def test_a_journal_that_kept_the_token_of_who_left_lets_nobody_back() -> None:
    """Older servers kept it until the next match; it opens nothing after a restart."""
    recorded = Recorded(countdown_ms=0)
    recorded.give(0, cl.Start(counter=1))
    recorded.give(2, cl.Leave(counter=1))
    saved_state = recorded.saved_state()
    older = saved_state._replace(seat_tokens={**saved_state.seat_tokens, 2: SeatToken(b"Cat", 1)})
    table = Table("TEST", recorded.options, islice(hand_seeds(SEED), 1, None))
    table.restore(older)
    assert (table.seat_tokens.knows(b"Ben"), table.seat_tokens.knows(b"Cat")) == (True, False)
