"""Records whose hands a careful forger has mended: numbers in a row, and whatever adds up made to add up."""

import pytest

from racing_demon_protocol.engine.board import Play
from racing_demon_protocol.engine.dealer import Dealer
from racing_demon_protocol.enums import BotLevel
from racing_demon_protocol.errors import InvalidRecord
from racing_demon_protocol.records.format import next_state
from racing_demon_protocol.records.verify import verify
from racing_demon_protocol.table.state import TableState
from racing_demon_protocol.wire.messages import Message
from racing_demon_protocol.wire.messages import client as cl
from racing_demon_protocol.wire.messages import events as ev
from racing_demon_protocol.wire.options import Options
from tests.support.cases import for_each
from tests.support.records import MATCHES, Log, change, match, place_of, plays_up, record, refused
from tests.support.tables import MS, Sitting


def flip(digits: str) -> str:
    """Change the first bit of a hexadecimal text."""
    return format(int(digits[0], 16) ^ 8, "x") + digits[1:]


# Forged secrets and cards.


def test_another_seed() -> None:
    """A seed that differs in one bit breaks the promise."""

    def forge(log: Log) -> None:
        place = place_of(log, ev.HandOver)
        over = log[place]
        assert isinstance(over, ev.HandOver)
        change(log, place, seed=flip(over.seed))

    assert "the seed is not the one that hand 1 was committed to" in refused("racing-demon", forge)


def test_another_commitment() -> None:
    """A promise that differs in one bit is not kept."""

    def forge(log: Log) -> None:
        place = place_of(log, ev.Committed, 1)
        committed = log[place]
        assert isinstance(committed, ev.Committed)
        change(log, place, commitment=flip(committed.commitment))

    assert "the seed is not the one that hand 2 was committed to" in refused("racing-demon", forge)


def test_another_hand_s_promise() -> None:
    """Promises of two hands that change places are not kept."""

    def forge(log: Log) -> None:
        first, second = place_of(log, ev.Committed, 0), place_of(log, ev.Committed, 1)
        one, two = log[first], log[second]
        assert isinstance(one, ev.Committed)
        assert isinstance(two, ev.Committed)
        change(log, first, commitment=two.commitment, hand_id=two.hand_id)
        change(log, second, commitment=one.commitment, hand_id=one.hand_id)

    assert "committed to" in refused("racing-demon", forge)


@for_each("name", MATCHES)
def test_another_card_in_the_deal(name: str) -> None:
    """Two face-up cards of the deal that change places are found."""

    def forge(log: Log) -> None:
        place = place_of(log, ev.Dealt)
        dealt = log[place]
        assert isinstance(dealt, ev.Dealt)
        change(log, place, shown=(*dealt.shown[:-2], dealt.shown[-1], dealt.shown[-2]))

    refused(name, forge)


def test_seats_that_change_their_packs() -> None:
    """Two seats that swap all they were dealt and did are found: packs go by the seats' numbers."""

    def forge(log: Log) -> None:
        for place in range(place_of(log, ev.Dealt), len(log)):
            event = log[place]
            if isinstance(event, ev.Dealt):
                change(log, place, seats=event.seats[::-1])
            elif isinstance(event, ev.HandOver):
                change(log, place, out=None if event.out is None else 1 - event.out)
            elif isinstance(event, ev.MatchOver):
                change(log, place, winners=tuple(1 - seat for seat in event.winners))
            elif hasattr(event, "seat"):
                change(log, place, seat=1 - event.seat)

    assert "the seats are others" in refused("demon-a", forge)


def test_a_seat_that_is_left_out_of_the_deal() -> None:
    """Somebody who sits at the table and gets no cards is missed."""

    def forge(log: Log) -> None:
        log.insert(place_of(log, ev.Committed), ev.Joined(seq=1, seat=2, name="Eve"))

    assert "the seats are others" in refused("racing-demon", forge)


@for_each("name", MATCHES)
def test_another_card_turned_up(name: str) -> None:
    """The last card that a play turns up is another one."""

    def forge(log: Log) -> None:
        shown = [place for place, e in enumerate(log) if isinstance(e, ev.Played) and e.shown]
        played = log[shown[-1]]
        assert isinstance(played, ev.Played)
        change(log, shown[-1], shown=(*played.shown[:-1], (played.shown[-1] + 1) % 104))

    assert "the cards turned up are not those of the seed" in refused(name, forge)


# Forged plays.


@for_each("name", MATCHES)
@for_each("nth", [0, 3, -1])
def test_a_play_to_the_foundations_is_left_out(name: str, nth: int) -> None:
    """Without one card on the foundations nothing adds up, however the rest is numbered."""
    refused(name, lambda log: log.__delitem__(plays_up(log, name)[nth]))


@for_each("name", MATCHES)
def test_a_turn_of_the_stock_is_left_out(name: str) -> None:
    """Without one turn of the stock other cards come up than the seed's."""
    refused(name, lambda log: log.__delitem__(place_of(log, ev.Played)))


@for_each("name", MATCHES)
def test_a_play_is_made_twice(name: str) -> None:
    """A card cannot go up twice."""

    def forge(log: Log) -> None:
        place = plays_up(log, name)[2]
        log.insert(place, log[place])

    refused(name, forge)


@for_each("name", MATCHES)
def test_a_play_is_somebody_else_s(name: str) -> None:
    """A card of one player's is not the other's to play."""

    def forge(log: Log) -> None:
        place = plays_up(log, name)[0]
        played = log[place]
        assert isinstance(played, ev.Played)
        change(log, place, seat=1 - played.seat)

    refused(name, forge)


def test_the_order_on_a_foundation_is_turned_round() -> None:
    """Two cards on one foundation cannot have come the other way round."""

    def forge(log: Log) -> None:
        up = plays_up(log, "classic")
        by_pile: dict[int, int] = {}
        for place in up:
            played = log[place]
            assert isinstance(played, ev.Played)
            earlier = by_pile.setdefault(played.destination, place)
            if earlier != place:
                log[earlier], log[place] = log[place], log[earlier]
                return

    refused("classic", forge)


def test_a_play_before_the_signal() -> None:
    """A play that is moved before the signal is found."""

    def forge(log: Log) -> None:
        signal = place_of(log, ev.Signalled)
        log.insert(signal, log.pop(place_of(log, ev.Played)))

    assert "it was played" in refused("classic", forge)


def test_a_deal_is_thrown_away() -> None:
    """No hand is dealt anew in its midst: then the first deal would be no promise."""

    def forge(log: Log) -> None:
        promised = place_of(log, ev.Committed)
        log[place_of(log, ev.Played) + 1 : 0] = log[promised : promised + 3]

    assert "the hand before was not over" in refused("classic", forge)


def test_a_second_promise_before_the_deal() -> None:
    """Of two promises nobody knows which was meant."""

    def forge(log: Log) -> None:
        promised = place_of(log, ev.Committed)
        log.insert(promised, log[promised])

    assert "the hand before was not over" in refused("classic", forge)


def test_something_between_promise_and_deal() -> None:
    """Where nobody reveals anything nothing happens between a promise and its deal."""

    def forge(log: Log) -> None:
        log.insert(place_of(log, ev.Dealt), ev.Said(seq=1, seat=0, text="wait"))

    assert "a promise and its deal are not together" in refused("classic", forge)


def test_a_second_signal() -> None:
    """A hand begins once."""

    def forge(log: Log) -> None:
        signal = place_of(log, ev.Signalled)
        log.insert(signal, log[signal])

    assert "there was no countdown" in refused("classic", forge)


def test_a_signal_in_a_pause() -> None:
    """While the table stands still no hand begins."""
    sitting = Sitting.lobby(2, hands=1, countdown_ms=3_000)
    sitting.events(0, cl.Start)
    for paused in (True, False):
        sitting.events(0, cl.Pause, paused=paused)
    sitting.wait(3_000 * MS)
    for seat in (0, 1):
        sitting.events(seat, cl.Stuck)
    log = list(sitting.log)
    assert verify(record(sitting.options, log)).hands == 1
    log.insert(place_of(log, ev.Continued), log.pop(place_of(log, ev.Signalled)))
    with pytest.raises(InvalidRecord, match="the signal came in a pause"):
        verify(record(sitting.options, log))


@for_each(
    ("name", "complaint"),
    [("classic", "the stocks could not be shifted"), ("rotating", "there were plays left")],
)
def test_stocks_that_are_shifted(name: str, complaint: str) -> None:
    """Stocks are shifted where the options want that, and only where nobody can go on."""

    def forge(log: Log) -> None:
        log.insert(place_of(log, ev.Played), ev.Rotated(seq=1))

    assert complaint in refused(name, forge)


def test_stocks_that_are_shifted_too_often() -> None:
    """After as many shifts as there are cards in a turn, but one, all cards have been seen."""
    sitting = Sitting.playing(2, stall_rule="rotate", hands=1)
    for _ in range(2):
        for seat in (0, 1):
            sitting.events(seat, cl.Stuck)
    log = list(sitting.log)
    for seat in (0, 1):
        sitting.events(seat, cl.Stuck)
    stuck, over = sitting.log[len(log) : -3], sitting.log[-3:]
    assert verify(record(sitting.options, sitting.log)).hands == 1
    with pytest.raises(InvalidRecord, match="shifted too often"):
        verify(record(sitting.options, [*log, *stuck, ev.Rotated(seq=1), *stuck, *over]))


def test_shifts_after_a_play_that_nobody_made() -> None:
    """A play that leads on allows as many shifts again if a player made it, and not if the game did."""
    sitting = Sitting.playing(2, stall_rule="rotate", hands=1)
    for shift in range(5):
        if shift == 2:
            play = next(play for play in sitting.plays(0) if sitting.board.is_progress(play))
            sitting.play(0, play.source, play.destination, play.count)
        for seat in (0, 1):
            sitting.events(seat, cl.Stuck)
    log = list(sitting.log)
    assert verify(record(sitting.options, log)).hands == 1
    change(log, place_of(log, ev.Played), counter=0)
    with pytest.raises(InvalidRecord, match="shifted too often"):
        verify(record(sitting.options, log))


@for_each(
    ("options", "complaint"),
    [({}, "nobody could call out"), ({"call_out": "shout"}, "seat 1 was not out")],
)
def test_a_shout_for_nothing(options: dict[str, object], complaint: str) -> None:
    """Who calls out is out, at a table where that is done."""
    sitting = Sitting.playing(2, hands=1, seed=bytes(32), **options)
    signal = place_of(sitting.log, ev.Signalled)
    for seat in (0, 1):
        sitting.events(seat, cl.Stuck)
    log = list(sitting.log)
    log.insert(signal + 1, ev.Called(seq=1, seat=1, grace_ms=900))
    with pytest.raises(InvalidRecord, match=complaint):
        verify(record(sitting.options, log))


def test_a_play_after_somebody_was_out() -> None:
    """Where going out ends the hand at once, no legal play more is squeezed in."""

    def forge(log: Log) -> None:
        options, _ = match("rotating")
        place = place_of(log, ev.HandOver)
        over = log[place]
        assert isinstance(over, ev.HandOver)
        assert over.out == 0
        view = TableState("SIM", options)
        for event in log[:place]:
            view.apply(event)
        assert view.hand is not None
        turn = view.hand.rules.stock_play(view.hand.board, 1)
        assert turn is not None
        dealer = Dealer(bytes.fromhex(over.seed), view.hand.rules)
        for event in log[:place]:
            if isinstance(event, ev.Played):
                dealer.move(Play(event.source, event.count, event.destination), [])
            elif isinstance(event, ev.Rotated):
                dealer.rotate()
        log.insert(place, view.play(1, 99, turn, dealer.move))

    assert "the hand was over" in refused("rotating", forge)


# Forged tables: what a snapshot tells is compared with what is proven.


def _with_table(event: type[ev.Event], **changes: object) -> list[Message]:
    """Return a true record, with the table before its last event of a kind as a snapshot; forged."""
    options, log = match("racing-demon")
    place = place_of(list(log), event, -1)
    whole = record(options, list(log))
    view = TableState("SIM", options)
    for each in log[:place]:
        view.apply(each)
    table = view.snapshot(0).model_copy(update=changes)
    return [*whole[: place + 1], table, *whole[place + 1 :]]


def _raised(options_points: tuple[int, int]) -> dict[str, object]:
    """Return the results of that record with other points in its first hand."""
    options, log = match("racing-demon")
    view = TableState("SIM", options)
    for each in log[: place_of(list(log), ev.MatchOver)]:
        view.apply(each)
    first, *others = view.results
    return {"results": (first.model_copy(update={"points": options_points}), *others)}


def test_a_table_that_is_told_again() -> None:
    """Somebody who came back has the same table twice: that is no forgery."""
    verdict = verify(_with_table(ev.MatchOver))
    assert (verdict.hands, verdict.matches, verdict.unproven) == (2, 1, [])


@for_each(
    "changes",
    [
        {"winners": (0,)},
        {"hand_id": "SIM/7/2"},
        {"options": Options(hands=9)},
        {"seats": ()},
        {"piles": ()},
    ],
    ids=lambda changes: next(iter(changes)),
)
def test_another_table_after_the_same_event(changes: dict[str, object]) -> None:
    """A snapshot is what the events before it have made; nothing slips in with one."""
    with pytest.raises(InvalidRecord, match="is not the one that the events before it made"):
        verify(_with_table(ev.MatchOver, **changes))


def test_other_points_after_the_same_event() -> None:
    """The points of a hand are part of the table, too."""
    with pytest.raises(InvalidRecord, match="is not the one that the events before it made"):
        verify(_with_table(ev.MatchOver, **_raised((500, -500))))


def test_a_later_table_tells_other_points_of_a_proven_hand() -> None:
    """After a gap in the record its table cannot take back what was proven before."""
    forged = _with_table(ev.MatchOver, seq=9_000, **_raised((500, -500)))
    with pytest.raises(InvalidRecord, match="tells other points of hand 1"):
        verify(forged)


def test_a_later_table_has_other_players() -> None:
    """The points of a proven hand stay with the player who made them, or with that level of bots."""
    options, log = match("racing-demon")
    view = TableState("SIM", options)
    for each in log[: place_of(list(log), ev.MatchOver)]:
        view.apply(each)
    for other in ({"name": "Eve"}, {"bot": BotLevel.BEGINNER}):
        seats = [state.model_copy(update=other) for state in view.seats.values()]
        with pytest.raises(InvalidRecord, match="has another player in seat 0"):
            verify(_with_table(ev.MatchOver, seq=9_000, seats=tuple(seats)))


def test_somebody_takes_a_seat_that_is_taken() -> None:
    """Nobody else's name comes to a seat, and to its points, in the midst of a match."""

    def forge(log: Log) -> None:
        log.insert(place_of(log, ev.HandOver), ev.Joined(seq=1, seat=0, name="Eve"))

    assert "seat 0 was taken" in refused("racing-demon", forge)


def test_points_before_the_record_begins_prove_nothing() -> None:
    """A table between two hands tells the first one's points; only the second hand is proven."""
    options, log = match("racing-demon")
    end = place_of(list(log), ev.HandOver) + 1
    view = TableState("SIM", options)
    for each in log[:end]:
        view.apply(each)
    verdict = verify([view.snapshot(0), *record(options, list(log))[end + 1 :]])
    assert (1, [("SIM/1", 1)], {("SIM/1", 2)}) == (verdict.hands, verdict.unproven, verdict.proven)


def hands_of(messages: list[Message]) -> tuple[int, int]:
    """Return how many hands a record proves, and how many it does not hold as a whole."""
    verdict = verify(messages)
    return verdict.hands, verdict.skipped


def test_a_whispered_play_that_only_a_new_table_shows() -> None:
    """A private play has no number; a table that lies otherwise without it proves nothing of its hand."""
    sitting = Sitting.playing(2, hands=1, game="flower-garden", countdown_ms=0)
    for _ in range(2):
        play = sitting.plays(0)[0]
        sitting.play(0, play.source, play.destination, play.count)
    for seat in (0, 1):
        sitting.events(seat, cl.Stuck)
    whole = record(sitting.options, sitting.log)
    last = max(place for place, message in enumerate(whole) if isinstance(message, ev.Played))
    view: TableState | None = None
    for message in whole[: last + 1]:
        view = next_state(view, message)
    assert view is not None
    shown = view.snapshot(0)
    assert hands_of([*whole[: last + 1], shown, *whole[last + 1 :]]) == (1, 0)
    assert hands_of([*whole[:last], shown, *whole[last + 1 :]]) == (0, 1)
