"""Who may speak for a seat, and what was answered."""

import pytest

from racing_demon_protocol.errors import CommandRefused
from racing_demon_protocol.reasons import Reason
from racing_demon_protocol.wire.messages.server import Accepted, Refused
from racing_demon_server.match.seat_tokens import Claims


def _claims() -> Claims:
    claims = Claims()
    claims.add(0, b"ann")
    claims.add(3, b"ben")
    claims.add(None, b"host")
    return claims


@pytest.mark.parametrize(("token", "actor"), [(b"ann", 0), (b"ben", 3), (b"host", None)])
def test_a_token_opens_its_seat(token: bytes, actor: int | None) -> None:
    """The hash of a token tells whose it is."""
    assert actor == _claims().actor(token)


def test_an_answer_is_written_down_once() -> None:
    """A refusal that came after plays is not written again with the plays, which are when the log is cut."""
    claims = _claims()
    claims.take_changed(with_plays=True)
    claims.remember_play(0, 3, 10)
    claims.remember(0, Refused(counter=4, reason=Reason.BEATEN, text="Too late."))
    assert [0] == [actor for actor, _ in claims.take_changed(with_plays=False)]
    assert [] == claims.take_changed(with_plays=True)


@pytest.mark.parametrize("token", [b"eve", b"an", b"annn", b""])
def test_a_wrong_token_opens_nothing(token: bytes) -> None:
    """Any other hash is refused."""
    with pytest.raises(CommandRefused) as caught:
        _claims().actor(token)
    assert Reason.BAD_TOKEN == caught.value.reason


def test_an_empty_hash_opens_nothing() -> None:
    """A bot's seat can be claimed by nobody."""
    claims = Claims()
    claims.add(0, b"")
    with pytest.raises(CommandRefused):
        claims.actor(b"")


def test_who_is_forgotten_has_no_claim() -> None:
    """A dropped seat is unknown, and its token opens nothing."""
    claims = _claims()
    claims.drop(0)
    assert (False, True) == (0 in claims, 3 in claims)
    with pytest.raises(CommandRefused):
        claims.actor(b"ann")


def test_all_seats_but_some_are_forgotten() -> None:
    """Keeping some seats drops the others, and never the host without a seat."""
    claims = _claims()
    claims.keep([3])
    assert (False, True, True) == (0 in claims, 3 in claims, None in claims)


def test_the_first_command_is_new() -> None:
    """A new claim has answered nothing yet."""
    claims = _claims()
    assert (0, None) == (claims.counter(0), claims.earlier(0, 1))


def test_the_last_answer_is_kept() -> None:
    """The same counter again gets the same answer."""
    claims = _claims()
    reply = Accepted(counter=7, seq=12)
    claims.remember(0, reply)
    assert (7, reply) == (claims.counter(0), claims.earlier(0, 7))


@pytest.mark.parametrize("counter", [0, 1, 6])
def test_older_answers_are_not(counter: int) -> None:
    """An older counter is refused as repeated, with its own number."""
    claims = _claims()
    claims.remember(0, Accepted(counter=7, seq=12))
    earlier = claims.earlier(0, counter)
    assert isinstance(earlier, Refused)
    assert (counter, Reason.REPEATED) == (earlier.counter, earlier.reason)


def test_counter_zero_is_never_new() -> None:
    """Counters begin with 1; 0 marks what answers no command."""
    earlier = _claims().earlier(0, 0)
    assert isinstance(earlier, Refused)
    assert Reason.REPEATED == earlier.reason


def test_counters_are_each_actor_s_own() -> None:
    """One seat's answers say nothing about another's."""
    claims = _claims()
    claims.remember(0, Accepted(counter=7, seq=12))
    assert claims.earlier(3, 1) is None


def test_an_answer_to_who_is_gone_is_not_kept() -> None:
    """The answer to the last command of somebody who left is forgotten with the claim."""
    claims = _claims()
    claims.drop(0)
    claims.remember(0, Accepted(counter=7, seq=12))
    assert 0 not in claims


def test_a_new_claim_to_a_seat_begins_anew() -> None:
    """Who gets a freed seat inherits no answers."""
    claims = _claims()
    claims.remember(0, Accepted(counter=7, seq=12))
    claims.add(0, b"joy")
    assert (0, 0) == (claims.counter(0), claims.actor(b"joy"))


def test_a_play_is_answered_by_its_event() -> None:
    """The same counter again is accepted, with the last event that the play led to."""
    claims = _claims()
    claims.remember_play(0, 7, 12)
    assert (7, Accepted(counter=7, seq=12)) == (claims.counter(0), claims.earlier(0, 7))


def test_an_older_play_changes_nothing() -> None:
    """A play of a log that is read again does not take the place of a newer answer."""
    claims = _claims()
    reply = Accepted(counter=8, seq=14)
    claims.remember(0, reply)
    claims.remember_play(0, 7, 12)
    assert (8, reply) == (claims.counter(0), claims.earlier(0, 8))


def test_plays_are_written_down_when_the_log_is_cut() -> None:
    """Of a claim that a play has changed nothing is to be kept, until all are to be."""
    claims = _claims()
    claims.take_changed(with_plays=False)
    claims.remember_play(3, 7, 12)
    assert [] == claims.take_changed(with_plays=False)
    assert [3] == [actor for actor, _ in claims.take_changed(with_plays=True)]
    assert [] == claims.take_changed(with_plays=True)


def test_whatever_changes_a_claim_is_written_down() -> None:
    """A new token, an answer, and that somebody is gone; each with the claim as it is now, and once."""
    claims = _claims()
    assert {0, 3, None} == {actor for actor, _ in claims.take_changed(with_plays=False)}
    claims.remember(3, Accepted(counter=7, seq=12))
    ((actor, claim),) = claims.take_changed(with_plays=False)
    assert claim is not None
    assert (3, b"ben", 7) == (actor, claim.token_hash, claim.counter)
    claims.drop(0)
    assert [(0, None)] == claims.take_changed(with_plays=False)
    assert [] == claims.take_changed(with_plays=True)


def test_a_play_does_not_replace_the_answer_with_its_own_number() -> None:
    """A log that is read again does not turn the last answer into another one."""
    claims = _claims()
    reply = Refused(counter=7, reason=Reason.HAND_OVER, text="The hand is over.")
    claims.remember(0, reply)
    claims.remember_play(0, 7, 12)
    assert reply == claims.earlier(0, 7)


def test_a_token_is_known_or_not() -> None:
    """Whether a token opens a seat can be asked; an empty hash opens none."""
    claims = _claims()
    claims.add(5, b"")
    assert [True, True, False, False] == [claims.knows(token) for token in (b"ann", b"host", b"eve", b"")]
