"""Players who contribute to the seeds of their deals."""

import hashlib
from collections.abc import Iterable

from racing_demon_protocol.engine.commit_reveal import contribution_hash
from racing_demon_protocol.wire.messages import client as cl
from racing_demon_protocol.wire.messages import events as ev
from racing_demon_protocol.wire.messages.events import Event
from tests.support.tables import Sitting


def value_of(seat: int, hand_id: str) -> bytes:
    """Return the bytes that a seat contributes to a hand."""
    return hashlib.sha256(f"{hand_id} {seat}".encode()).digest()


def hash_of(sitting: Sitting, seat: int, value: bytes | None = None) -> str:
    """Return a seat's commitment for the hand that is prepared; to its own bytes, or to others."""
    coming = sitting.mirror.next_shuffle
    assert coming is not None
    value = value_of(seat, coming.hand_id) if value is None else value
    return contribution_hash(value, coming.commitment, coming.hand_id, seat)


def contribute(sitting: Sitting, seats: Iterable[int]) -> list[Event]:
    """Let seats commit to their bytes for the next hand."""
    return [
        event
        for seat in seats
        for event in sitting.events(seat, cl.Contribute, commitment=hash_of(sitting, seat))
    ]


def reveal(sitting: Sitting, seats: Iterable[int]) -> list[Event]:
    """Let seats reveal the bytes that they have contributed to the hand that is committed."""
    hand_id = sitting.mirror.hand_id
    return [
        event
        for seat in seats
        for event in sitting.events(seat, cl.Reveal, value=value_of(seat, hand_id).hex())
    ]


def secret_of(events: Iterable[Event]) -> bytes:
    """Return the secret that the server has told at the end of a hand."""
    (over,) = (event for event in events if isinstance(event, ev.HandOver))
    return bytes.fromhex(over.seed)
