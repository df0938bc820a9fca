"""Handicaps: who may set them, how a hand is dealt by them, and how late signals come."""

import random
from typing import Any

import pytest

from racing_demon_protocol.engine.board import Kind
from racing_demon_protocol.enums import EndReason, Phase, Reason
from racing_demon_protocol.errors import InvalidRecord
from racing_demon_protocol.records.verify import verify
from racing_demon_protocol.table.scoring import totals
from racing_demon_protocol.table.state import TableState
from racing_demon_protocol.wire.messages import client as cl
from racing_demon_protocol.wire.messages import events as ev
from racing_demon_protocol.wire.messages.handicap import Handicap
from racing_demon_protocol.wire.options import HandicapRule, Options
from racing_demon_server.bots.levels import LEVELS
from racing_demon_server.match.seat_tokens import Actor, SeatToken
from racing_demon_server.match.table import SavedState, Table
from tests.support.bot_matches import Person, play_match
from tests.support.cases import for_each
from tests.support.effort import usually
from tests.support.records import record
from tests.support.tables import SECOND, Own, Sitting, of_type, told

CONTRIBUTION = "ab" * 32


def give(sitting: Sitting, seat: int, by: int = 0, **handicap: int) -> None:
    """Give a seat a handicap."""
    sitting.events(by, cl.SetHandicap, seat=seat, handicap=Handicap(**handicap))


def refused(sitting: Sitting, seat: int, by: int = 0, **handicap: int) -> tuple[Reason, str]:
    """Return why a handicap is refused."""
    refusal = sitting.refused(by, cl.SetHandicap, seat=seat, handicap=Handicap(**handicap))
    return refusal.reason, refusal.text


def staggered(*delays: int, **options: Any) -> Sitting:
    """Return a hand at its signal, whose seats have these delays in seconds."""
    sitting = Sitting.lobby(len(delays), **options)
    for seat, delay_s in enumerate(delays):
        if delay_s:
            give(sitting, seat, delay_s=delay_s)
    sitting.start()
    return sitting


def heaps(sitting: Sitting) -> list[int]:
    """Return the sizes of the heaps."""
    layout, board = sitting.rules.layout, sitting.board
    return [len(board.cards[layout.seat_piles(seat, Kind.RESERVE)[0]]) for seat in layout.seats]


def test_the_host_gives_handicaps_and_everybody_learns_them() -> None:
    """A handicap is an event of the table, and part of its snapshot."""
    sitting = Sitting.lobby(2, game="classic")
    give(sitting, 1, heap=3, delay_s=5, points=-2)
    assert sitting.mirror.seats[1].handicap == Handicap(heap=3, delay_s=5, points=-2)
    assert TableState.from_snapshot(sitting.table.view.snapshot(0)).seats[1].handicap.heap == 3
    give(sitting, 1)
    assert sitting.mirror.seats[1].handicap == Handicap()


def test_players_make_only_their_own_game_harder() -> None:
    """Whoever is not the host can add to their own handicap, and take nothing away."""
    sitting = Sitting.lobby(3, game="classic")
    give(sitting, 1, by=1, heap=2)
    give(sitting, 1, by=1, heap=2, points=-5)
    assert refused(sitting, 1, by=1, heap=1, points=-5)[0] is Reason.NOT_HOST
    assert refused(sitting, 2, by=1, heap=1)[0] is Reason.NOT_HOST


def test_a_host_without_a_seat_gives_handicaps() -> None:
    """The host of a television does not play."""
    sitting = Sitting(game="classic")
    sitting.host_watching()
    sitting.join("Ann")
    sitting.events(None, cl.SetHandicap, seat=0, handicap=Handicap(heap=1))
    assert sitting.mirror.seats[0].handicap.heap == 1


def test_a_handicap_lets_nobody_be_ready_and_voids_contributions() -> None:
    """People were ready for another deal, and had contributed to it."""
    sitting = Sitting.lobby(3)
    sitting.events(1, cl.Contribute, commitment=CONTRIBUTION)
    sitting.events(1, cl.Ready)
    give(sitting, 2, delay_s=5)
    assert not sitting.mirror.seats[1].ready
    assert sitting.mirror.next_shuffle is not None
    assert not sitting.mirror.next_shuffle.contributions
    sitting.events(1, cl.Contribute, commitment=CONTRIBUTION)
    assert sitting.mirror.next_shuffle.of(1)


def test_handicaps_are_fixed_from_the_commitment_to_the_tally() -> None:
    """Nobody changes a hand that is committed or played."""
    sitting = Sitting.lobby(2)
    sitting.events(1, cl.Contribute, commitment=CONTRIBUTION)
    sitting.events(0, cl.Start)
    assert sitting.mirror.phase is Phase.SHUFFLING
    assert refused(sitting, 1, delay_s=5)[0] is Reason.NOT_NOW
    sitting.wait(20 * SECOND)
    assert sitting.mirror.in_hand
    assert refused(sitting, 1, delay_s=5)[0] is Reason.NOT_NOW


@for_each(
    ("options", "handicap", "text"),
    [
        ({"game": "racing-demon"}, {"heap": 1}, "has no reserve"),
        ({"game": "demon-a"}, {"heap": 1}, "deals everybody the same cards"),
        ({"game": "classic"}, {"heap": 18}, "1 to 30 cards"),
        ({"game": "classic"}, {"heap": -13}, "1 to 30 cards"),
        ({"time_limit_ms": 5_000}, {"delay_s": 5}, "longer than the hand"),
    ],
)
def test_what_cannot_be_dealt_is_refused(
    options: dict[str, object], handicap: dict[str, int], text: str
) -> None:
    """The sentence says what is in the way."""
    reason, told = refused(Sitting.lobby(2, **options), 1, **handicap)
    assert reason is Reason.BAD_OPTION
    assert text in told


def test_options_that_a_handicap_does_not_fit_are_refused() -> None:
    """The sentence names the player whose handicap is in the way."""
    sitting = Sitting.lobby(2, game="classic")
    give(sitting, 1, heap=2)
    refusal = sitting.refused(0, cl.SetOptions, options={"game": "racing-demon"})
    assert refusal.reason is Reason.BAD_OPTION
    assert "Ben" in refusal.text


def test_heaps_are_dealt_by_handicap() -> None:
    """Each seat gets its own number of cards, and the tally has the handicaps of the hand."""
    sitting = Sitting.lobby(3, game="classic", hands=1)
    give(sitting, 1, heap=4, points=7)
    give(sitting, 2, heap=-10)
    sitting.start()
    assert heaps(sitting) == [13, 17, 3]
    for seat in range(3):
        sitting.events(seat, cl.Stuck)
    assert sitting.mirror.results[-1].handicaps == (
        Handicap(),
        Handicap(heap=4, points=7),
        Handicap(heap=-10),
    )
    assert sitting.mirror.results[-1].points == (-26, -34, -6)
    assert totals(sitting.mirror) == {0: -26, 1: -27, 2: -6}
    assert verify(record(Sitting(game="classic", hands=1).options, sitting.log)).hands == 1


def test_late_signals_count_from_the_lowest() -> None:
    """Somebody starts at once; the others are told when they may."""
    sitting = staggered(5, 2, 9)
    assert sitting.mirror.waiting == (0, 2)
    assert sitting.miss(0, sitting.stock(0), sitting.waste(0), 3).reason is Reason.NOT_STARTED
    sitting.turn(1)
    assert told(sitting.wait(3 * SECOND - 1)) == ""
    assert told(sitting.wait(1)) == "seat_signalled"
    sitting.turn(0)
    assert of_type(ev.SeatSignalled, sitting.wait(4 * SECOND))[0].seat == 2
    sitting.turn(2)
    assert not sitting.mirror.waiting


def test_pauses_suspend_late_signals() -> None:
    """The time of a pause is nobody's head start."""
    sitting = staggered(0, 5)
    sitting.wait(2 * SECOND)
    sitting.events(0, cl.Pause)
    assert told(sitting.wait(60 * SECOND)) == ""
    sitting.events(0, cl.Pause, paused=False)
    assert told(sitting.wait(3 * SECOND - 1)) == ""
    assert told(sitting.wait(1)) == "seat_signalled"


def test_no_hand_ends_as_stuck_before_the_last_signal() -> None:
    """Whoever waits is not stuck; the others' word counts once all have their signal."""
    sitting = staggered(0, 30)
    sitting.events(0, cl.Stuck)
    assert sitting.refused(1, cl.Stuck).reason is Reason.NOT_STARTED
    sitting.wait(10 * SECOND)
    sitting.connect(1, connected=False)
    assert "hand_over" not in told(sitting.wait(19 * SECOND))


def test_a_time_limit_counts_from_the_first_signal() -> None:
    """A late signal makes nobody's hand longer."""
    sitting = staggered(0, 5, time_limit_ms=10_000)
    sitting.wait(5 * SECOND)
    (over,) = of_type(ev.HandOver, sitting.wait(5 * SECOND))
    assert (over.reason, over.elapsed_ms) == (EndReason.TIME_UP, 10_000)


def test_whoever_leaves_is_not_waited_for() -> None:
    """A hand can end once all who are left have had their signal."""
    sitting = staggered(0, 30, 0)
    for seat in (0, 2):
        sitting.events(seat, cl.Stuck)
    assert "hand_over" in told(sitting.events(1, cl.Leave) + sitting.wait(0))


def test_a_record_with_a_play_before_the_signal_is_false() -> None:
    """The verification knows who had to wait."""
    sitting = staggered(0, 5)
    sitting.wait(5 * SECOND)
    sitting.turn(1)
    for seat in range(2):
        sitting.events(seat, cl.Stuck)
    assert verify(record(sitting.options, sitting.log)).hands == 1
    signal = next(at for at, event in enumerate(sitting.log) if isinstance(event, ev.SeatSignalled))
    sitting.log[signal], sitting.log[signal + 1] = sitting.log[signal + 1], sitting.log[signal]
    with pytest.raises(InvalidRecord, match="before the seat's signal"):
        verify(record(sitting.options, sitting.log))


def test_the_order_of_arrival_decides_as_ever() -> None:
    """What comes before its own signal takes no part in a race; after it, only the arrival counts."""
    sitting = staggered(0, 5, countdown_ms=0)
    sitting.lay([""] * 8, Own(["AS", "9D"], "2c 3c 4c"), Own(["AS/1", "9D/1"], "2c/1 3c/1 4c/1"))
    assert sitting.miss(1, sitting.column(1)).reason is Reason.NOT_STARTED
    sitting.wait(5 * SECOND)
    foundation = sitting.rules.layout.foundations[0]
    seen = sitting.seq
    sitting.play(1, sitting.column(1), foundation, seen=seen)
    sitting.now += 12_000
    lost = sitting.miss(0, sitting.column(0), foundation, seen=seen)
    assert (lost.reason, lost.by, lost.late_us) == (Reason.BEATEN, 1, 12_000)


def test_a_checkpoint_keeps_heaps_and_late_signals() -> None:
    """A restart in the middle of a hand goes on with them, as if no time had passed."""
    sitting = Sitting.lobby(2, game="classic", countdown_ms=0)
    give(sitting, 1, heap=4, delay_s=9)
    sitting.start()
    sitting.wait(2 * SECOND)
    checkpoint = sitting.table.checkpoint()
    assert checkpoint is not None
    assert sitting.hand is not None
    secrets = {sitting.table.view.hand_id: sitting.hand.secret}
    table = Table("TEST", sitting.options, iter([]))
    tokens: dict[Actor, SeatToken] = {seat: SeatToken(b"") for seat in range(2)}
    table.restore(SavedState(None, [], secrets, tokens, checkpoint=checkpoint._replace(at=sitting.now)))
    assert table.view.snapshot(0) == sitting.table.view.snapshot(0)
    assert table.view.waiting == (1,)
    assert table.next_timer_at == sitting.now + 7 * SECOND


@for_each("game", usually(1, ["racing-demon", "classic", "demon-a"]))
def test_matches_by_automatic_handicaps_are_played_to_their_end(game: str) -> None:
    """People of two strengths and a bot: the record of all hands is right, and only people's change."""
    options = Options(
        game=game, hands=4, tally_ms=0, time_limit_ms=60_000, countdown_ms=0, handicap=HandicapRule.AUTO
    )
    people = {
        seat: Person(seat, LEVELS[level], random.Random(seat), 0)
        for seat, level in enumerate(("hard", "easy"))
    }
    table, log, _ = play_match(bytes([5]) * 32, ["", "", "medium"], options, people)
    assert verify(record(options, log)).hands == 4
    last = table.view.results[-1].handicaps
    assert any(last)
    assert last[2] == Handicap()
