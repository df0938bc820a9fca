"""From the lobby to the signal."""

from racing_demon_protocol.engine.cards import UNKNOWN
from racing_demon_protocol.enums import Phase, Reason
from racing_demon_protocol.wire.messages import client as cl
from racing_demon_protocol.wire.messages import events as ev
from racing_demon_protocol.wire.options import Options
from tests.support.cases import for_each
from tests.support.tables import MS, SECOND, Own, Sitting, of_type, told

# Who starts a hand.


def test_a_hand_is_dealt_when_all_are_ready() -> None:
    """The last player to be ready brings the cards."""
    sitting = Sitting.lobby(3)
    assert told(sitting.events(0, cl.Ready)) == "readied"
    assert told(sitting.events(2, cl.Ready)) == "readied"
    assert told(sitting.events(1, cl.Ready)) == "readied committed dealt"


def test_a_player_may_think_better_of_it() -> None:
    """Who is not ready after all is waited for."""
    sitting = Sitting.lobby(2)
    sitting.events(0, cl.Ready)
    sitting.events(0, cl.Ready, ready=False)
    assert told(sitting.events(1, cl.Ready)) == "readied"


def test_other_options_are_to_be_agreed_to_anew() -> None:
    """Who was ready before the host changed the options is waited for."""
    sitting = Sitting.lobby(2)
    sitting.events(1, cl.Ready)
    sitting.events(0, cl.SetOptions, options=Options(game="classic"))
    assert told(sitting.events(0, cl.Ready)) == "readied"
    assert told(sitting.events(1, cl.Ready)) == "readied committed dealt"


def test_being_ready_twice_is_no_news() -> None:
    """Saying it again is accepted, and changes nothing."""
    sitting = Sitting.lobby(2)
    sitting.events(0, cl.Ready)
    assert sitting.events(0, cl.Ready) == []


def test_bots_are_always_ready() -> None:
    """Nobody waits for a bot."""
    sitting = Sitting.lobby(1)
    sitting.events(0, cl.AddBot)
    assert told(sitting.events(0, cl.Ready)) == "readied committed dealt"


def test_nobody_waits_for_who_is_away() -> None:
    """When the one who is not ready loses the connection, the others begin."""
    sitting = Sitting.lobby(3)
    for seat in (0, 1):
        sitting.events(seat, cl.Ready)
    assert told(sitting.connect(2, connected=False)) == "connected committed dealt"


def test_nobody_waits_for_who_leaves() -> None:
    """When the one who is not ready leaves, the others begin."""
    sitting = Sitting.lobby(3)
    for seat in (0, 1):
        sitting.events(seat, cl.Ready)
    assert told(sitting.events(2, cl.Leave)) == "left committed dealt"


def test_a_hand_does_not_begin_with_nobody_there() -> None:
    """When all are away, being ready counts for nothing."""
    sitting = Sitting.lobby(2)
    sitting.connect(0, connected=False)
    assert told(sitting.connect(1, connected=False)) == "connected"


def test_one_alone_is_not_hurried() -> None:
    """A single player who is ready waits for company."""
    assert told(Sitting.lobby(1).events(0, cl.Ready)) == "readied"


def test_the_host_may_start_alone() -> None:
    """A table of one is patience, when its host wants it."""
    assert told(Sitting.lobby(1).events(0, cl.Start)) == "committed dealt"


def test_the_host_may_start_at_once() -> None:
    """The host starts whoever is ready, with all who sit there."""
    sitting = Sitting.lobby(3)
    dealt = of_type(ev.Dealt, sitting.events(0, cl.Start))
    assert [event.seats for event in dealt] == [(0, 1, 2)]


def test_an_empty_table_does_not_start() -> None:
    """A host who only watches cannot deal to nobody."""
    sitting = Sitting()
    sitting.host_watching()
    assert sitting.refused(None, cl.Start).reason == Reason.NOT_NOW


@for_each("cls", [cl.Start, cl.Ready])
@for_each("after_ms", [0, 3_000], ids=["countdown", "playing"])
def test_a_hand_is_not_dealt_into_another(cls: type[cl.Command], after_ms: int) -> None:
    """While a hand is played nobody starts the next."""
    sitting = Sitting.lobby(2)
    sitting.events(0, cl.Start)
    sitting.wait(after_ms * MS)
    assert sitting.refused(0, cls).reason == Reason.NOT_NOW


# The deal.


def test_cards_go_to_the_seats_that_are_taken() -> None:
    """A seat that was given up gets no cards, and the packs go by the order of the seats."""
    sitting = Sitting.lobby(3)
    sitting.events(1, cl.Leave)
    sitting.events(0, cl.Start)
    assert sitting.table.view.hand_seats == (0, 2)
    assert set(range(52, 104)) >= {sitting.board.cards[sitting.column(2, n)][-1] for n in range(7)}


def test_the_deal_shows_what_lies_face_up() -> None:
    """Everybody sees the last card of each column, and nothing else."""
    sitting = Sitting.lobby(2)
    dealt = of_type(ev.Dealt, sitting.events(0, cl.Start))[0]
    known = [card for pile in sitting.board.cards for card in pile if card != UNKNOWN]
    assert (14, list(dealt.shown)) == (len(known), known)


def test_the_commitment_comes_before_the_cards() -> None:
    """Each hand is named after table, match and hand, and fixed before a card is shown."""
    committed = of_type(ev.Committed, Sitting.lobby(1).events(0, cl.Start))[0]
    assert (committed.hand, committed.hand_id) == (1, "TEST/1/1")


# The signal.


def test_the_signal_comes_after_the_countdown() -> None:
    """The table wants to be woken for the signal, and gives it just then."""
    sitting = Sitting.lobby(2, countdown_ms=1_500)
    sitting.events(0, cl.Start)
    assert sitting.now + 1_500 * MS == sitting.table.next_timer_at
    assert sitting.wait(1_500 * MS - 1) == []
    assert told(sitting.wait(1)) == "signalled"


def test_time_is_counted_from_the_signal() -> None:
    """Before the signal the hand's clock is negative."""
    sitting = Sitting.lobby(2)
    assert sitting.table.hand_clock.elapsed_ms(sitting.now) == 0
    sitting.events(0, cl.Start)
    assert sitting.table.hand_clock.elapsed_ms(sitting.now) == -3_000
    assert sitting.table.hand_clock.elapsed_ms(sitting.now + 5 * SECOND) == 2_000


def test_a_table_may_do_without_a_countdown() -> None:
    """With no countdown the hand can be played at the moment of the deal."""
    sitting = Sitting.lobby(2, countdown_ms=0)
    sitting.events(0, cl.Start)
    assert told(sitting.wait(0)) == "signalled"


def test_nothing_is_played_in_the_lobby() -> None:
    """Without a hand there is nothing to play."""
    sitting = Sitting.lobby(2)
    refused = sitting.refused(0, cl.PlayCards, source=0, count=1, destination=-1, seen=0)
    assert refused.reason == Reason.NOT_STARTED


@for_each("early_us", [3_000_000, 1])
def test_a_play_before_the_signal_is_refused(early_us: int) -> None:
    """Not a microsecond before the signal is a card taken."""
    sitting = Sitting.lobby(2)
    sitting.events(0, cl.Start)
    sitting.wait(3 * SECOND - early_us)
    refused = sitting.miss(0, sitting.stock(0), sitting.waste(0), count=3)
    assert refused.reason == Reason.NOT_STARTED


def test_a_play_at_the_signal_is_accepted() -> None:
    """A play stamped at the very signal counts, and comes after it in the log."""
    sitting = Sitting.lobby(2)
    sitting.events(0, cl.Start)
    sitting.now += 3 * SECOND
    assert told(sitting.turn(0)) == "signalled played"


def test_nobody_is_stuck_before_the_signal() -> None:
    """Who cannot play yet cannot be stuck."""
    sitting = Sitting.lobby(2)
    sitting.events(0, cl.Start)
    assert sitting.refused(0, cl.Stuck).reason == Reason.NOT_STARTED


def test_nobody_calls_before_the_signal() -> None:
    """Nobody is out of a hand that has not begun."""
    sitting = Sitting.lobby(2, call_out="shout")
    assert sitting.refused(0, cl.Call).reason == Reason.NOT_STARTED
    sitting.events(0, cl.Start)
    assert sitting.refused(0, cl.Call).reason == Reason.NOT_STARTED


def test_the_first_turn_is_a_command() -> None:
    """By itself the hand begins with an empty waste."""
    sitting = Sitting.playing(2)
    assert sitting.board.cards[sitting.waste(0)] == ()


def test_the_first_turn_may_be_made_for_all() -> None:
    """With auto_first_turn the signal turns three cards of everybody's stock."""
    sitting = Sitting.lobby(2, auto_first_turn=True)
    played = of_type(ev.Played, sitting.start())
    turns = [(seat, 0, sitting.stock(seat), 3, sitting.waste(seat)) for seat in (0, 1)]
    assert turns == [(e.seat, e.counter, e.source, e.count, e.destination) for e in played]


def test_the_signal_is_not_given_twice() -> None:
    """After the signal the table waits for the dead-hand test, and says nothing."""
    sitting = Sitting.playing(2)
    assert sitting.wait(10 * SECOND) == []


def test_a_hand_whose_players_all_leave_in_the_countdown_never_begins() -> None:
    """When everybody leaves before the signal, there is none."""
    sitting = Sitting.lobby(2)
    sitting.events(0, cl.Start)
    sitting.events(0, cl.Leave)
    assert told(sitting.events(1, cl.Leave)) == "left hosted hand_over match_over"
    assert sitting.wait(10 * SECOND) == []
    assert Phase.OVER is sitting.table.view.phase
    over = of_type(ev.HandOver, sitting.log)[0]
    assert (over.points, over.elapsed_ms) == ((0, 0), 0)


def test_time_does_not_run_backwards() -> None:
    """A command with an older stamp than the last is judged at the last one's time."""
    sitting = Sitting.playing(2)
    sitting.lay(["AS"], Own(["2S"]), Own(["KD"], stock="AH"))
    sitting.wait(5 * SECOND)
    sitting.now -= 3 * SECOND
    over = of_type(ev.HandOver, sitting.play(0, sitting.column(0)))[0]
    assert over.elapsed_ms == 5_000
