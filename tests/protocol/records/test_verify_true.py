"""Records of all games and switches that must be found right, as far as they go."""

from itertools import islice

from racing_demon_protocol.games import GAMES
from racing_demon_protocol.records.verify import verify
from racing_demon_protocol.table.state import TableState
from racing_demon_protocol.wire.messages import Message
from racing_demon_protocol.wire.messages import client as cl
from racing_demon_protocol.wire.messages import events as ev
from racing_demon_protocol.wire.messages.server import Seated
from tests.support.cases import for_each
from tests.support.effects import HANDS, hands_of, may_redeal
from tests.support.effort import LONG, amount, more_when_long
from tests.support.records import MATCHES, match, place_of, record
from tests.support.tables import Sitting
from tests.support.typical import of_games


@for_each("name", MATCHES)
def test_each_game_s_matches_are_found_right(name: str) -> None:
    """Each declared game, and each switch that changes the course of a hand, makes records that hold."""
    options, log = match(name)
    verdict = verify(record(options, list(log)))
    hands = sum(isinstance(event, ev.HandOver) for event in log)
    assert (hands, 0, 1) == (verdict.hands, verdict.skipped, verdict.matches)
    assert sum(isinstance(event, ev.Played) for event in log) == verdict.plays


@more_when_long
@of_games(GAMES)
def test_a_hand_with_every_way_to_move_cards_is_found_right(game: str) -> None:
    """Whatever special rules and redeals do to cards: what the judge has written, the proof accepts."""
    redeals = 0
    for sitting in islice(hands_of(game), amount(1, HANDS)):
        verdict = verify([TableState("TEST", sitting.options).snapshot(0), *sitting.log])
        assert (verdict.hands, verdict.unproven) == (1, [])
        redeals += sum(sitting.board.redeals.values())
    assert redeals or not (LONG and may_redeal(game))


def test_stacked_matches_are_told_apart() -> None:
    """Two matches at one table are two, each with its winners."""
    sitting = Sitting.lobby(2, hands=1, game="classic", countdown_ms=0)
    for _ in range(2):
        sitting.start()
        for seat in (0, 1):
            sitting.turn(seat)
            sitting.events(seat, cl.Stuck)
    verdict = verify(record(sitting.options, sitting.log))
    assert (verdict.hands, verdict.matches) == (2, 2)


def test_leavers_and_late_comers_are_part_of_a_right_record() -> None:
    """Somebody leaves in a hand and forfeits, somebody comes in the pause, all leave in the end."""
    sitting = Sitting.playing(3, hands=3, game="classic", on_leave="forfeit", countdown_ms=0, tally_ms=1_000)
    sitting.turn(0)
    sitting.events(1, cl.Leave)
    for seat in (0, 2):
        sitting.events(seat, cl.Stuck)
    late = sitting.join("Zoe")
    sitting.wait(2_000_000)
    for seat in (0, 2, late):
        sitting.events(seat, cl.Stuck)
    for seat in (0, 2, late):
        sitting.events(seat, cl.Leave)
    verdict = verify(record(sitting.options, sitting.log))
    assert (verdict.hands, verdict.skipped, verdict.matches) == (2, 0, 1)


def test_a_hand_that_all_abandon_is_part_of_a_right_record() -> None:
    """If everybody leaves in the middle of a hand, that is a true end."""
    sitting = Sitting.playing(2, hands=5)
    for seat in (0, 1):
        sitting.events(seat, cl.Leave)
    assert verify(record(sitting.options, sitting.log)).hands == 1


def test_stuck_without_those_who_are_away_is_a_right_end() -> None:
    """Whoever has lost the connection need not be stuck."""
    sitting = Sitting.playing(3, hands=1)
    sitting.connect(1, connected=False)
    for seat in (0, 2):
        sitting.events(seat, cl.Stuck)
    sitting.wait(10_000_000)
    assert verify(record(sitting.options, sitting.log)).hands == 1


def test_private_messages_in_a_record_do_no_harm() -> None:
    """What is no event and no table is passed over."""
    options, log = match("demon-a")
    messages = record(options, list(log))
    messages.insert(1, Seated(code="SIM"))
    assert verify(messages).hands == 1


@for_each("nth", [0, 1, 40, 100])
def test_a_record_that_begins_in_mid_hand_proves_only_what_follows(nth: int) -> None:
    """Whatever the first table shows, the hand that was under way is skipped."""
    options, log = match("racing-demon")
    view = TableState("SIM", options)
    start = place_of(list(log), ev.Played, nth)
    for event in log[:start]:
        view.apply(event)
    verdict = verify([view.snapshot(0), *log[start:]])
    assert (verdict.hands, verdict.skipped) == (1, 1)


def test_a_new_table_in_mid_hand_skips_that_hand() -> None:
    """After a break the record goes on with a new table, and the hand cut in two proves nothing."""
    options, log = match("racing-demon")
    view = TableState("SIM", options)
    middle = place_of(list(log), ev.Played, 30)
    for event in log[: middle + 10]:
        view.apply(event)
    messages: list[Message] = [TableState("SIM", options).snapshot(0), *log[:middle]]
    verdict = verify([*messages, view.snapshot(0), *log[middle + 10 :]])
    assert (verdict.hands, verdict.skipped) == (1, 1)
