"""Who may speak for a seat, and what was answered."""

import pytest

from racing_demon_protocol.enums import Reason
from racing_demon_protocol.errors import CommandRefused
from racing_demon_protocol.wire.messages.server import Accepted, Refused
from racing_demon_server.match.seat_tokens import FOUNDER, SeatTokens
from tests.support.cases import for_each


def _seat_tokens() -> SeatTokens:
    seat_tokens = SeatTokens()
    seat_tokens.add(0, b"ann")
    seat_tokens.add(3, b"ben")
    seat_tokens.add(None, b"host")
    return seat_tokens


@for_each(("token", "actor"), [(b"ann", 0), (b"ben", 3), (b"host", None)])
def test_a_token_opens_its_seat(token: bytes, actor: int | None) -> None:
    """The hash of a token tells whose it is."""
    assert actor == _seat_tokens().actor(token)


def test_an_answer_is_written_down_once() -> None:
    """A refusal that came after plays is not written again with the plays, which are when the log is cut."""
    seat_tokens = _seat_tokens()
    seat_tokens.drain_changes(with_plays=True)
    seat_tokens.remember_play(0, 3, 10)
    seat_tokens.remember(0, Refused(counter=4, reason=Reason.BEATEN, text="Too late."))
    assert [actor for actor, _ in seat_tokens.drain_changes(with_plays=False)] == [0]
    assert seat_tokens.drain_changes(with_plays=True) == []


@for_each("token", [b"eve", b"an", b"annn", b""])
def test_a_wrong_token_opens_nothing(token: bytes) -> None:
    """Any other hash is refused."""
    with pytest.raises(CommandRefused) as caught:
        _seat_tokens().actor(token)
    assert caught.value.reason == Reason.BAD_TOKEN


def test_an_empty_hash_opens_nothing() -> None:
    """A bot's seat can be claimed by nobody."""
    seat_tokens = SeatTokens()
    seat_tokens.add(0, b"")
    with pytest.raises(CommandRefused):
        seat_tokens.actor(b"")


def test_the_last_address_of_a_player_is_known() -> None:
    """Beside the token, as hashes; before the first one is noted it is empty."""
    seat_tokens = _seat_tokens()
    assert seat_tokens.origin(3) == (b"ben", b"")
    seat_tokens.record_address(3, b"here")
    seat_tokens.record_address(3, b"there")
    assert seat_tokens.origin(3) == (b"ben", b"there")
    assert seat_tokens.origin(0) == (b"ann", b"")


def test_who_is_forgotten_has_no_claim() -> None:
    """A dropped seat is unknown, and its token opens nothing."""
    seat_tokens = _seat_tokens()
    seat_tokens.drop(0)
    assert (0 in seat_tokens, 3 in seat_tokens) == (False, True)
    with pytest.raises(CommandRefused):
        seat_tokens.actor(b"ann")


def test_all_seats_but_some_are_forgotten() -> None:
    """Keeping some seats drops the others, and never the host without a seat."""
    seat_tokens = _seat_tokens()
    seat_tokens.retain([3])
    assert (0 in seat_tokens, 3 in seat_tokens, None in seat_tokens) == (False, True, True)


def test_the_first_command_is_new() -> None:
    """A new claim has answered nothing yet."""
    seat_tokens = _seat_tokens()
    assert (seat_tokens.counter(0), seat_tokens.ready_answer(0, 1)) == (0, None)


def test_the_last_answer_is_kept() -> None:
    """The same counter again gets the same answer."""
    seat_tokens = _seat_tokens()
    reply = Accepted(counter=7, seq=12)
    seat_tokens.remember(0, reply)
    assert (7, reply) == (seat_tokens.counter(0), seat_tokens.ready_answer(0, 7))


@for_each("counter", [0, 1, 6])
def test_older_answers_are_not(counter: int) -> None:
    """An older counter is refused as repeated, with its own number."""
    seat_tokens = _seat_tokens()
    seat_tokens.remember(0, Accepted(counter=7, seq=12))
    earlier = seat_tokens.ready_answer(0, counter)
    assert isinstance(earlier, Refused)
    assert (counter, Reason.REPEATED) == (earlier.counter, earlier.reason)


def test_counter_zero_is_never_new() -> None:
    """Counters begin with 1; 0 marks what answers no command."""
    earlier = _seat_tokens().ready_answer(0, 0)
    assert isinstance(earlier, Refused)
    assert earlier.reason == Reason.REPEATED


def test_counters_are_each_actor_s_own() -> None:
    """One seat's answers say nothing about another's."""
    seat_tokens = _seat_tokens()
    seat_tokens.remember(0, Accepted(counter=7, seq=12))
    assert seat_tokens.ready_answer(3, 1) is None


def test_an_answer_to_who_is_gone_is_not_kept() -> None:
    """The answer to the last command of somebody who left is forgotten with the claim."""
    seat_tokens = _seat_tokens()
    seat_tokens.drop(0)
    seat_tokens.remember(0, Accepted(counter=7, seq=12))
    assert 0 not in seat_tokens


def test_a_new_claim_to_a_seat_begins_anew() -> None:
    """Who gets a freed seat inherits no answers."""
    seat_tokens = _seat_tokens()
    seat_tokens.remember(0, Accepted(counter=7, seq=12))
    seat_tokens.add(0, b"joy")
    assert (seat_tokens.counter(0), seat_tokens.actor(b"joy")) == (0, 0)


def test_a_play_is_answered_by_its_event() -> None:
    """The same counter again is accepted, with the last event that the play led to."""
    seat_tokens = _seat_tokens()
    seat_tokens.remember_play(0, 7, 12)
    assert (7, Accepted(counter=7, seq=12)) == (seat_tokens.counter(0), seat_tokens.ready_answer(0, 7))


def test_an_older_play_changes_nothing() -> None:
    """A play of a log that is read again does not take the place of a newer answer."""
    seat_tokens = _seat_tokens()
    reply = Accepted(counter=8, seq=14)
    seat_tokens.remember(0, reply)
    seat_tokens.restore_play(0, 7, 12)
    assert (8, reply) == (seat_tokens.counter(0), seat_tokens.ready_answer(0, 8))


def test_plays_are_written_down_when_the_log_is_cut() -> None:
    """Of a claim that a play has changed nothing is to be kept, until all are to be."""
    seat_tokens = _seat_tokens()
    seat_tokens.drain_changes(with_plays=False)
    seat_tokens.remember_play(3, 7, 12)
    assert seat_tokens.drain_changes(with_plays=False) == []
    assert [actor for actor, _ in seat_tokens.drain_changes(with_plays=True)] == [3]
    assert seat_tokens.drain_changes(with_plays=True) == []


def test_whatever_changes_a_claim_is_written_down() -> None:
    """A new token, an answer, and that somebody is gone; each with the claim as it is now, and once."""
    seat_tokens = _seat_tokens()
    assert {0, 3, None, FOUNDER} == {actor for actor, _ in seat_tokens.drain_changes(with_plays=False)}
    seat_tokens.remember(3, Accepted(counter=7, seq=12))
    ((actor, seat_token),) = seat_tokens.drain_changes(with_plays=False)
    assert seat_token is not None
    assert (actor, seat_token.token_hash, seat_token.counter) == (3, b"ben", 7)
    seat_tokens.drop(0)
    assert seat_tokens.drain_changes(with_plays=False) == [(0, None)]
    assert seat_tokens.drain_changes(with_plays=True) == []


def test_a_play_does_not_replace_the_answer_with_its_own_number() -> None:
    """A log that is read again does not turn the last answer into another one."""
    seat_tokens = _seat_tokens()
    reply = Refused(counter=7, reason=Reason.HAND_OVER, text="The hand is over.")
    seat_tokens.remember(0, reply)
    seat_tokens.restore_play(0, 7, 12)
    assert reply == seat_tokens.ready_answer(0, 7)


def test_a_token_is_known_or_not() -> None:
    """Whether a token opens a seat can be asked; an empty hash opens none."""
    seat_tokens = _seat_tokens()
    seat_tokens.add(5, b"")
    assert [seat_tokens.knows(token) for token in (b"ann", b"host", b"eve", b"")] == [
        True,
        True,
        False,
        False,
    ]


def test_the_founder_is_a_person_and_no_seat() -> None:
    """Whoever opened the table keeps that on another device, and nobody has it after them."""
    seat_tokens = _seat_tokens()
    assert seat_tokens.founder_seat == 0
    seat_tokens.retire(0)
    before = seat_tokens.copy()
    seat_tokens.take_back(0, b"tablet")
    assert seat_tokens.founder_seat == 0
    seat_tokens.take(before)
    assert seat_tokens.founder_seat == 0
    seat_tokens.drop(0)
    seat_tokens.add(0, b"cas")
    assert seat_tokens.founder_seat is None
