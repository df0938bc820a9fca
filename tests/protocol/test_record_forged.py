"""Records that a careful forger has mended: numbers in a row, and whatever adds up made to add up."""

from collections.abc import Callable

import pytest

from racing_demon_protocol.board import Kind, Play
from racing_demon_protocol.dealer import Dealer
from racing_demon_protocol.errors import InvalidRecord
from racing_demon_protocol.messages import client as cl
from racing_demon_protocol.messages import events as ev
from racing_demon_protocol.messages.server import Snapshot
from racing_demon_protocol.options import Options
from racing_demon_protocol.reasons import EndReason
from racing_demon_protocol.record import verify
from racing_demon_protocol.view import TableView

from ..support.records import MATCHES, Log, change, match, place_of, record
from ..support.tables import Sitting

Forger = Callable[[Log], None]


def refused(name: str, forge: Forger) -> str:
    """Return why a forged record is refused."""
    options, true = match(name)
    log = list(true)
    forge(log)
    assert list(true) != log, "nothing was forged"
    with pytest.raises(InvalidRecord) as error:
        verify(record(options, log))
    return str(error.value)


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


@pytest.mark.parametrize("name", MATCHES)
def test_another_card_in_the_deal(name: str) -> None:
    """Two face-up cards of the deal that change places are found."""

    def forge(log: Log) -> None:
        place = place_of(log, ev.Dealt)
        dealt = log[place]
        assert isinstance(dealt, ev.Dealt)
        change(log, place, shown=(*dealt.shown[:-2], dealt.shown[-1], dealt.shown[-2]))

    refused(name, forge)


@pytest.mark.parametrize("name", MATCHES)
def test_another_card_turned_up(name: str) -> None:
    """The last card that a play turns up is another one."""

    def forge(log: Log) -> None:
        shown = [place for place, e in enumerate(log) if isinstance(e, ev.Played) and e.shown]
        played = log[shown[-1]]
        assert isinstance(played, ev.Played)
        change(log, shown[-1], shown=(*played.shown[:-1], (played.shown[-1] + 1) % 104))

    assert "the cards turned up are not those of the seed" in refused(name, forge)


# Forged plays.


def plays_up(log: Log, name: str) -> list[int]:
    """Return where cards go to the foundations."""
    options, _ = match(name)
    view = TableView("SIM", options)
    found = []
    for place, event in enumerate(log):
        up = isinstance(event, ev.Played) and view.board is not None
        if up and view.board.piles[event.destination].kind is Kind.FOUNDATION:  # type: ignore[union-attr, attr-defined]
            found.append(place)
        view.apply(event)
    return found


@pytest.mark.parametrize("name", MATCHES)
@pytest.mark.parametrize("nth", [0, 3, -1])
def test_a_play_to_the_foundations_is_left_out(name: str, nth: int) -> None:
    """Without one card on the foundations nothing adds up, however the rest is numbered."""
    refused(name, lambda log: log.__delitem__(plays_up(log, name)[nth]))


@pytest.mark.parametrize("name", MATCHES)
def test_a_turn_of_the_stock_is_left_out(name: str) -> None:
    """Without one turn of the stock other cards come up than the seed's."""
    refused(name, lambda log: log.__delitem__(place_of(log, ev.Played)))


@pytest.mark.parametrize("name", MATCHES)
def test_a_play_is_made_twice(name: str) -> None:
    """A card cannot go up twice."""

    def forge(log: Log) -> None:
        place = plays_up(log, name)[2]
        log.insert(place, log[place])

    refused(name, forge)


@pytest.mark.parametrize("name", MATCHES)
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

    assert "a promise and its deal are not together" in refused("classic", forge)


def test_a_second_signal() -> None:
    """A hand begins once."""

    def forge(log: Log) -> None:
        signal = place_of(log, ev.Signalled)
        log.insert(signal, log[signal])

    assert "there was no countdown" in refused("classic", forge)


@pytest.mark.parametrize(
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
    stuck, over = sitting.log[len(log) : -2], sitting.log[-2:]
    assert 1 == verify(record(sitting.options, sitting.log)).hands
    with pytest.raises(InvalidRecord, match="shifted too often"):
        verify(record(sitting.options, [*log, *stuck, ev.Rotated(seq=1), *stuck, *over]))


@pytest.mark.parametrize(
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
        assert 0 == over.out
        view = TableView("SIM", options)
        for event in log[:place]:
            view.apply(event)
        assert view.rules is not None
        assert view.board is not None
        turn = view.rules.turn(view.board, 1)
        assert turn is not None
        dealer = Dealer(bytes.fromhex(over.seed), view.rules)
        for event in log[:place]:
            if isinstance(event, ev.Played):
                dealer.follow(Play(event.source, event.count, event.destination), [])
            elif isinstance(event, ev.Rotated):
                dealer.rotate()
        log.insert(place, view.play(1, 99, turn, dealer.follow))

    assert "the hand was over" in refused("rotating", forge)


# Forged ends.


@pytest.mark.parametrize("name", MATCHES)
def test_a_point_too_many(name: str) -> None:
    """One point more for the last of the last hand is found."""

    def forge(log: Log) -> None:
        place = place_of(log, ev.HandOver, -1)
        over = log[place]
        assert isinstance(over, ev.HandOver)
        change(log, place, points=(*over.points[:-1], over.points[-1] + 1))

    assert "the points are wrong" in refused(name, forge)


def test_points_that_change_places() -> None:
    """Each player's points are the player's own."""

    def forge(log: Log) -> None:
        place = place_of(log, ev.HandOver)
        over = log[place]
        assert isinstance(over, ev.HandOver)
        change(log, place, points=over.points[::-1])

    assert "the points are wrong" in refused("classic", forge)


def test_a_hand_that_ends_before_it_begins() -> None:
    """The time from the signal to the end is none that runs backwards."""

    def forge(log: Log) -> None:
        change(log, place_of(log, ev.HandOver), elapsed_ms=-5)

    assert "the time is wrong" in refused("classic", forge)


@pytest.mark.parametrize("winners", [(), (1,), (0, 1)])
def test_other_winners(winners: tuple[int, ...]) -> None:
    """Nobody, both and the loser did not win."""
    said = refused("classic", lambda log: change(log, place_of(log, ev.MatchOver), winners=winners))
    assert "the winners are others" in said


def test_a_winner_too_early() -> None:
    """A match of three hands is not won after the first."""

    def forge(log: Log) -> None:
        place = place_of(log, ev.HandOver)
        del log[place + 1 :]
        log.append(ev.MatchOver(seq=1, winners=(0,)))

    assert "the winners are others" in refused("classic", forge)


def test_a_match_that_goes_on_for_too_long() -> None:
    """After the last hand there is no other one, whether the end was told or not."""
    _, true = match("classic")
    hand = list(true[place_of(list(true), ev.Committed, 2) : place_of(list(true), ev.HandOver, 2) + 1])

    def forge(log: Log) -> None:
        del log[place_of(log, ev.MatchOver) :]
        log.extend(hand)
        change(log, place_of(log, ev.Committed, 3), hand=4)

    assert "the match was over" in refused("classic", forge)


def test_a_new_match_without_the_end_of_the_old() -> None:
    """The end of a match cannot be left out."""
    sitting = Sitting.lobby(2, hands=1, game="classic", countdown_ms=0)
    for _ in range(2):
        sitting.start()
        for seat in (0, 1):
            sitting.events(seat, cl.Stuck)
    log = list(sitting.log)
    del log[place_of(log, ev.MatchOver)]
    with pytest.raises(InvalidRecord):
        verify(record(sitting.options, log))


@pytest.mark.parametrize("number", [1, 3, 9])
def test_a_hand_of_another_number(number: int) -> None:
    """Hands are numbered in a row, so that none is missing."""
    said = refused("racing-demon", lambda log: change(log, place_of(log, ev.Committed, 1), hand=number))
    assert "the hand's number is another" in said


def test_somebody_out_who_is_not() -> None:
    """A player with cards left was not out, although the bonus is counted."""

    def forge(log: Log) -> None:
        place = place_of(log, ev.HandOver)
        over = log[place]
        assert isinstance(over, ev.HandOver)
        points = (over.points[0] + 10, *over.points[1:])
        change(log, place, reason=EndReason.OUT, out=0, points=points)

    assert "seat 0 was not out" in refused("racing-demon", forge)


def stuck_hand() -> Sitting:
    """Return a hand that both gave up although there were plays."""
    sitting = Sitting.playing(2, hands=1, game="classic", countdown_ms=0)
    for seat in (0, 1):
        sitting.events(seat, cl.Stuck)
    return sitting


@pytest.mark.parametrize(
    ("reason", "complaint"),
    [
        (EndReason.DEAD, "the hand was not dead"),
        (EndReason.ABANDONED, "not everybody had left"),
        (EndReason.OUT, "the reason is another"),
    ],
)
def test_another_reason_for_the_end(reason: EndReason, complaint: str) -> None:
    """A hand that was given up was neither dead nor abandoned, and nobody was out."""
    sitting = stuck_hand()
    log = list(sitting.log)
    change(log, place_of(log, ev.HandOver), reason=reason)
    with pytest.raises(InvalidRecord, match=complaint):
        verify(record(sitting.options, log))


@pytest.mark.parametrize("seat", [0, 1])
def test_stuck_who_never_said_so(seat: int) -> None:
    """A hand is given up by all who are there, not by some."""
    sitting = stuck_hand()
    log = list(sitting.log)
    del log[place_of(log, ev.StuckSaid, seat)]
    with pytest.raises(InvalidRecord, match="not everybody was stuck"):
        verify(record(sitting.options, log))


def test_stuck_that_was_taken_back() -> None:
    """A play that brings the hand on takes all "stuck" back, so that the hand is not given up."""
    options, true = match("racing-demon")
    log = list(true)
    place = plays_up(log, "racing-demon")[0]
    view = TableView("SIM", options)
    log[place:place] = [ev.StuckSaid(seq=1, seat=seat) for seat in (0, 1)]
    for number, event in enumerate(log[: place + 3], 1):
        view.apply(event.model_copy(update={"seq": number}))
    over = log[place_of(log, ev.HandOver)]
    assert isinstance(over, ev.HandOver)
    assert view.rules is not None
    assert view.board is not None
    points = view.rules.points(view.board)
    end = {"reason": EndReason.STUCK, "out": None, "points": tuple(points[seat] for seat in (0, 1))}
    forged = [*log[: place + 3], over.model_copy(update=end)]
    with pytest.raises(InvalidRecord, match="not everybody was stuck"):
        verify(record(options, forged))


def test_other_options_in_mid_match() -> None:
    """Options change between matches only: a target set in a pause does not end the match."""

    def forge(log: Log) -> None:
        options, _ = match("racing-demon")
        place = place_of(log, ev.HandOver) + 1
        log[place:] = [
            ev.OptionsSet(seq=1, options=options.model_copy(update={"hands": 1})),
            ev.MatchOver(seq=1, winners=(0,)),
        ]
        over = log[place - 1]
        assert isinstance(over, ev.HandOver)
        change(log, place + 1, winners=(over.points.index(max(over.points)),))

    assert "options changed within a match" in refused("racing-demon", forge)


def test_a_table_that_cannot_be() -> None:
    """A record whose first table fits no game is refused."""
    snapshot = TableView("SIM", Options()).snapshot(0)
    broken = Snapshot.model_validate(
        [*snapshot.model_copy(update={"hand_seats": (0,)}).model_dump(mode="json")]
    )
    with pytest.raises(InvalidRecord, match="The table at event 0 cannot be"):
        verify([broken])
