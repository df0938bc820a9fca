"""A table's passphrase: who knows it comes in, and guessing it takes long."""

import pytest

from racing_demon_protocol.enums import Reason
from racing_demon_protocol.errors import CommandRefused
from racing_demon_server.tables.passphrase import (
    MAX_ADDRESSES,
    MAX_TRIES,
    SECONDS_A_TRY,
    Passphrase,
    Unchecked,
    slow_hash,
)
from tests.support.cases import for_each

SALT = bytes(16)
RIGHT, WRONG = "open sesame", "open barley"
HERE, THERE = "203.0.113.9", "203.0.113.10"


def _refused(lock: Passphrase, passphrase: str, at: int = 0) -> Reason:
    with pytest.raises(CommandRefused) as caught:
        lock.verify(passphrase, HERE, at)
    return caught.value.reason


def test_without_a_passphrase_everybody_comes_in() -> None:
    """A lock for which there is no passphrase asks for none, and minds none."""
    lock = Passphrase(SALT)
    assert lock.hash is None
    lock.verify("", HERE, 0)
    lock.verify(WRONG, HERE, 0)


def test_any_number_who_know_it_come_in_together() -> None:
    """The right passphrase is no guess, nor is coming without one: neither uses up the guesses."""
    lock = Passphrase(SALT, passphrase=RIGHT)
    for _ in range(3 * MAX_TRIES):
        assert _refused(lock, "") == Reason.BAD_PASSPHRASE
        lock.verify(RIGHT, HERE, 0)


def test_after_many_guesses_it_does_not_listen() -> None:
    """Then even the right one is refused, so that a guess tells nothing; after a while it listens again."""
    lock = Passphrase(SALT, passphrase=RIGHT)
    assert {Reason.BAD_PASSPHRASE} == {_refused(lock, WRONG) for _ in range(MAX_TRIES)}
    assert _refused(lock, WRONG) == Reason.TOO_FAST
    assert _refused(lock, RIGHT) == Reason.TOO_FAST
    lock.verify(RIGHT, HERE, SECONDS_A_TRY * 1_000_000)


def test_who_guesses_keeps_nobody_else_out() -> None:
    """The guesses are those of one address: from another one the right passphrase opens."""
    lock = Passphrase(SALT, passphrase=RIGHT)
    for _ in range(3 * MAX_TRIES):
        _refused(lock, WRONG)
    lock.verify(RIGHT, THERE, 0)


def test_no_more_addresses_are_remembered_than_there_is_room_for() -> None:
    """The one that has not guessed for longest is forgotten first, and may guess again."""
    lock = Passphrase(SALT, passphrase=RIGHT)
    for _ in range(MAX_TRIES):
        _refused(lock, WRONG)
    for others in (MAX_ADDRESSES - 1, 1):
        assert _refused(lock, WRONG) == Reason.TOO_FAST
        for number in range(others):
            with pytest.raises(CommandRefused):
                lock.verify(WRONG, f"there {others} {number}", 0)
    assert _refused(lock, WRONG) == Reason.BAD_PASSPHRASE


def test_how_many_guesses_there_are() -> None:
    """Ten at once, and then one in two seconds, as the manual says."""
    lock = Passphrase(SALT, passphrase=RIGHT)
    assert [_refused(lock, WRONG) for _ in range(11)] == [Reason.BAD_PASSPHRASE] * 10 + [Reason.TOO_FAST]
    for at in (2_000_000, 4_000_000):
        assert _refused(lock, WRONG, at - 2) == Reason.TOO_FAST
        assert [_refused(lock, WRONG, at) for _ in range(2)] == [Reason.BAD_PASSPHRASE, Reason.TOO_FAST]


@pytest.mark.long
def test_a_lock_is_stored_as_a_slow_hash() -> None:
    """From salt and hash, which are all that is stored, comes the same lock; it is slow only once."""
    hash_ = slow_hash(RIGHT, SALT)
    again = Passphrase(SALT, hash_)
    for word in (RIGHT, WRONG):
        with pytest.raises(Unchecked):
            again.verify(word, HERE, 0)
    with pytest.raises(CommandRefused):
        again.check(WRONG, slow_hash(WRONG, SALT), HERE, 0)
    again.check(RIGHT, hash_, HERE, 0)
    again.verify(RIGHT, HERE, 0)
    assert _refused(again, WRONG) == Reason.BAD_PASSPHRASE


@pytest.mark.long
def test_guesses_at_a_slow_hash_are_counted() -> None:
    """After ten of them nothing is hashed for that address."""
    lock = Passphrase(SALT, slow_hash(RIGHT, SALT))
    wrong = slow_hash(WRONG, SALT)
    for _ in range(MAX_TRIES):
        with pytest.raises(CommandRefused):
            lock.check(WRONG, wrong, HERE, 0)
    assert _refused(lock, RIGHT) == Reason.TOO_FAST


@pytest.mark.long
@for_each("newer", [b"\x02" + bytes(32), b"\x02" + bytes(40)])
def test_a_hash_of_a_newer_kind_opens_to_nobody(newer: bytes) -> None:
    """A server of before it refuses in words."""
    lock = Passphrase(SALT, newer)
    with pytest.raises(CommandRefused):
        lock.check(RIGHT, slow_hash(RIGHT, SALT), HERE, 0)
