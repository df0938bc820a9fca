"""Forged records of hands to whose seeds players have contributed: whatever is changed is found."""

from collections.abc import Callable
from functools import cache, partial

import pytest

from racing_demon_protocol.engine.commit_reveal import contribution_hash
from racing_demon_protocol.errors import InvalidRecord
from racing_demon_protocol.records.format import message_line, parse_message, parse_row
from racing_demon_protocol.records.verify import verify
from racing_demon_protocol.table.state import TableState
from racing_demon_protocol.wire.messages import Message
from racing_demon_protocol.wire.messages import client as cl
from racing_demon_protocol.wire.messages import events as ev
from racing_demon_protocol.wire.messages.server import Snapshot
from racing_demon_protocol.wire.options import Options
from tests.support.cases import for_each
from tests.support.contributing import contribute, reveal, value_of
from tests.support.records import Log, change, place_of, record
from tests.support.tables import MS, SECOND, Sitting

OTHER = bytes(range(32))


@cache
def _evening() -> tuple[Options, tuple[ev.Event, ...]]:
    """Play three hands: all contribute to the first; to the second one who is away then; then nobody does."""
    sitting = Sitting.lobby(3, hands=3)
    for contributing, revealing in (((0, 1, 2), (2, 0, 1)), ((0, 1, 2), (0, 2)), ((), ())):
        contribute(sitting, contributing)
        for seat in set(contributing) - set(revealing):
            sitting.connect(seat, connected=False)
        if sitting.mirror.between_matches:
            sitting.events(0, cl.Start)
        else:
            sitting.wait(sitting.options.tally_ms * MS)
        reveal(sitting, revealing)
        sitting.wait(5 * SECOND)
        for seat in range(3):
            sitting.connect(seat, connected=True)
        for seat in range(3):
            sitting.events(seat, cl.Stuck)
    return sitting.options, tuple(sitting.log)


def _forged(forge: Callable[[Log], None]) -> str:
    """Return why the record of the evening is refused, once forged."""
    options, true = _evening()
    log = list(true)
    forge(log)
    assert list(true) != log, "nothing was forged"
    with pytest.raises(InvalidRecord) as error:
        verify(record(options, log))
    return str(error.value)


def _hashed(log: Log, seat: int, value: bytes) -> str:
    """Return what somebody would have committed to, in the first hand."""
    prepared = log[place_of(log, ev.Prepared)]
    assert isinstance(prepared, ev.Prepared)
    return contribution_hash(value, prepared.commitment, prepared.hand_id, seat)


def test_an_honest_evening() -> None:
    """It is right; of one hand the seed is the server's alone, and one player's bytes were left out."""
    options, log = _evening()
    verdict = verify(record(options, list(log)))
    assert (verdict.hands, verdict.server_only, verdict.left_out) == (3, 1, ("Ben",))


def test_every_digit_matters() -> None:
    """Whichever of a commitment, contribution or secret is changed: the proof fails."""
    _, told = _evening()
    log = list(told[: place_of(list(told), ev.HandOver, -1) + 1])
    kept_back = place_of(log, ev.Contributed, 4)  # what nobody has revealed binds nobody
    changes = [
        (place, field)
        for place, event in enumerate(log)
        for field in ("commitment", "value", "seed")
        if field in type(event).model_fields and place != kept_back
    ]
    for place, field in changes:
        for digit in (0, 31, 63):
            text = getattr(log[place], field)
            other = text[:digit] + format(int(text[digit], 16) ^ 1, "x") + text[digit + 1 :]
            _forged(partial(change, place=place, **{field: other}))
    assert len(changes) == 19


def test_other_bytes_than_were_committed_to() -> None:
    """Who has seen what others revealed cannot choose anew."""

    def forge(log: Log) -> None:
        change(log, place_of(log, ev.Revealed), value=OTHER.hex())

    assert "seat 2 had committed to other bytes" in _forged(forge)


def test_other_bytes_and_their_commitment() -> None:
    """Another contribution, committed to as it should be, would have dealt other cards."""

    def forge(log: Log) -> None:
        change(log, place_of(log, ev.Contributed, 2), commitment=_hashed(log, 2, OTHER))
        change(log, place_of(log, ev.Revealed, 0), value=OTHER.hex())

    assert "the cards are not the seed's" in _forged(forge)


def test_contributions_of_other_seats() -> None:
    """Two seats that exchange all they have contributed would have been dealt other cards."""

    def forge(log: Log) -> None:
        for seat, other in ((0, 1), (1, 0)):
            value = value_of(other, "TEST/1/1")
            change(log, place_of(log, ev.Contributed, seat), commitment=_hashed(log, seat, value))
            revealed = next(
                place for place, e in enumerate(log) if isinstance(e, ev.Revealed) and e.seat == seat
            )
            change(log, revealed, value=value.hex())

    assert "the cards are not the seed's" in _forged(forge)


def test_a_contribution_of_another_seat() -> None:
    """A contribution belongs to the seat that has made it."""

    def forge(log: Log) -> None:
        change(log, place_of(log, ev.Revealed), seat=0)

    assert "seat 0 had committed to other bytes" in _forged(forge)


def test_a_contribution_nobody_made() -> None:
    """What is revealed was committed to."""

    def forge(log: Log) -> None:
        del log[place_of(log, ev.Contributed, 2)]

    assert "seat 2 had nothing to reveal" in _forged(forge)


def test_a_contribution_of_nobody() -> None:
    """Whoever contributes sits at the table."""

    def forge(log: Log) -> None:
        change(log, place_of(log, ev.Contributed), seat=7)

    assert "nobody has seat 7" in _forged(forge)


def test_a_contribution_that_is_left_out_though_it_was_made() -> None:
    """A hand that was dealt with it cannot be told without it, however honestly it is said to be left out."""

    def forge(log: Log) -> None:
        del log[place_of(log, ev.Revealed)]
        change(log, place_of(log, ev.Dealt), left_out=(2,))

    assert "the cards are not the seed's" in _forged(forge)


@for_each("left_out", [(), (0,), (0, 1), (1, 2)])
def test_others_are_said_to_be_left_out(left_out: tuple[int, ...]) -> None:
    """Those are named who have committed and not revealed, and nobody else."""

    def forge(log: Log) -> None:
        change(log, place_of(log, ev.Dealt, 1), left_out=left_out)

    assert "the contributions that were left out are others" in _forged(forge)


def test_no_contributions_at_all() -> None:
    """A hand cannot be made to look as if it came from before there were contributions."""

    def forge(log: Log) -> None:
        end = place_of(log, ev.HandOver)
        kinds = (ev.Prepared, ev.Contributed, ev.Revealed)
        log[:end] = [event for event in log[:end] if not isinstance(event, kinds)]

    assert "the cards are not the seed's" in _forged(forge)


def test_contributions_that_are_passed_over() -> None:
    """A hand that had contributions is not dealt from the server's secret alone."""
    options, true = _evening()
    log = [event for event in true if not isinstance(event, ev.Revealed)]
    change(log, place_of(log, ev.Dealt), left_out=(0, 1, 2))
    with pytest.raises(InvalidRecord, match="the cards are not the seed's"):
        verify(record(options, log))


def test_a_commitment_that_comes_late() -> None:
    """When others reveal their bytes it is too late to commit."""

    def forge(log: Log) -> None:
        late = log.pop(place_of(log, ev.Contributed, 2))
        log.insert(place_of(log, ev.Revealed), late)

    assert "the hand before was not over" in _forged(forge)


def test_a_next_hand_that_is_prepared_too_early() -> None:
    """While a hand is played nothing is promised for the next one."""

    def forge(log: Log) -> None:
        early = log.pop(place_of(log, ev.Prepared, 2))
        log.insert(place_of(log, ev.Signalled), early)

    assert "the hand before was not over" in _forged(forge)


def test_a_contribution_revealed_early() -> None:
    """Before all is fixed nobody reveals anything."""

    def forge(log: Log) -> None:
        early = log.pop(place_of(log, ev.Revealed, 2))
        log.insert(place_of(log, ev.Committed), early)

    assert "seat 1 had nothing to reveal" in _forged(forge)


def test_a_contribution_revealed_twice() -> None:
    """Nobody reveals twice."""

    def forge(log: Log) -> None:
        place = place_of(log, ev.Revealed)
        log.insert(place, log[place])

    assert "seat 2 had nothing to reveal" in _forged(forge)


def test_a_secret_that_is_changed_after_players_have_committed() -> None:
    """The server is bound by its first commitment for a hand."""

    def forge(log: Log) -> None:
        place = place_of(log, ev.Contributed, 2)
        log.insert(place + 1, log[place_of(log, ev.Prepared)])
        change(log, place + 1, commitment="0" * 64)

    assert "hand TEST/1/1 was prepared already" in _forged(forge)


def test_another_commitment_when_the_hand_begins() -> None:
    """The hand begins with what it was prepared with."""

    def forge(log: Log) -> None:
        change(log, place_of(log, ev.Committed), commitment="0" * 64)

    assert "the commitment is not the one that the hand was prepared with" in _forged(forge)


def test_another_id_when_the_hand_begins() -> None:
    """The hand that begins is the one that was prepared."""

    def forge(log: Log) -> None:
        change(log, place_of(log, ev.Committed), hand_id="TEST/7/1")

    assert "the commitment is not the one that the hand was prepared with" in _forged(forge)


def test_a_seat_more_in_the_deal() -> None:
    """Who was not there when the hand began is not dealt to."""

    def forge(log: Log) -> None:
        place = place_of(log, ev.Committed)
        log.insert(place + 1, ev.Joined(seq=1, seat=3, name="Don"))
        change(log, place_of(log, ev.Dealt), seats=(0, 1, 2, 3))

    assert "the seats are others" in _forged(forge)


def test_a_record_that_begins_amid_contributions() -> None:
    """A snapshot tells who has contributed, so whoever came then proves the hand as well."""
    options, log = _evening()
    view, messages = TableState("TEST", options), list[Message]()
    begin = place_of(list(log), ev.Contributed, 1)
    for place, event in enumerate(log):
        view.apply(event)
        if place == begin:
            messages.append(view.snapshot(0))
        elif place > begin:
            messages.append(event)
    messages = [*filter(None, map(parse_message, map(parse_row, map(message_line, messages))))]
    assert verify(messages).hands == 3

    table = messages[0]
    assert isinstance(table, Snapshot)
    assert table.next_shuffle is not None
    contributions = table.next_shuffle.contributions
    other = contributions[0].model_copy(update={"commitment": "0" * 64})
    shuffle = table.next_shuffle.model_copy(update={"contributions": (other, *contributions[1:])})
    forged = table.model_copy(update={"next_shuffle": shuffle})
    with pytest.raises(InvalidRecord, match="seat 0 had committed to other bytes"):
        verify([forged, *messages[1:]])
