"""A table in the middle of a hand, as bytes.

A restart reads it instead of the events before it. It holds the hidden cards, so it is never stored in clear.
"""

from collections.abc import Mapping, Sequence
from typing import Final, NamedTuple, Self

import msgpack

from racing_demon_protocol.engine.board import Counts
from racing_demon_protocol.engine.cards import Card
from racing_demon_protocol.errors import InvalidFrame
from racing_demon_protocol.wire.codec import decode_server, pack
from racing_demon_protocol.wire.messages.server import Snapshot

from .hand_clock import HandClock
from .seat_tokens import Actor

FORMAT: Final = 1
"""The format of the bytes. A program with another format reads the hand from its deal instead."""


class HandState(NamedTuple):
    """The state of a hand besides its public board.

    Attributes:
        dealt_seq: the number of the event that dealt it.
        signal_at: when play began, plus all pauses.
        rotations: how often stocks were rotated since the last play that made progress.
        plays: the number of plays so far.
        first_out: the seat that reached the goal first.
        arrivals: the newest cards on the foundations, as numbers.
        cards: all cards of each pile, known.
        counts: what the dealer's board counts.

    """

    dealt_seq: int
    signal_at: int
    rotations: int
    plays: int
    first_out: int | None
    arrivals: list[int]
    cards: Sequence[Sequence[Card]]
    counts: Counts


class DelayedView(NamedTuple):
    """What delayed spectators see: the table, and the clock of its hand."""

    table: Snapshot
    hand_clock: HandClock


class Checkpoint(NamedTuple):
    """A table in the middle of a hand: everything that follows from its events and is stored nowhere else.

    Attributes:
        table: the public state, with all layouts of identical deals.
        whispers: the number of private plays after its last event that it includes.
        at: the time of its last event.
        departed: the names of the last players of free seats.
        away: since when players are disconnected, by seat.
        paused_at: when the last pause began.
        is_paused_by_rule: whether a rule began it, and not the host.
        grace_until: when the grace ends, if somebody has called.
        hand: the hand.
        delayed_view: what delayed spectators see; ``None`` without a delay.

    """

    table: Snapshot
    whispers: int
    at: int
    departed: Mapping[int, str]
    away: dict[Actor, int]
    paused_at: int
    is_paused_by_rule: bool
    grace_until: int
    hand: HandState
    delayed_view: DelayedView | None = None

    def packed(self) -> bytes:
        """Return the bytes of the checkpoint."""
        delayed_view = (
            None
            if self.delayed_view is None
            else (pack(self.delayed_view.table), self.delayed_view.hand_clock)
        )
        packed: bytes = msgpack.packb((FORMAT, pack(self.table), *self[1:-1], delayed_view))
        return packed

    @classmethod
    def unpacked(cls, data: bytes) -> Self:
        """Return the checkpoint of some bytes.

        Raises:
            InvalidFrame: it was packed in another format.

        """
        try:
            form, table, *rest, hand, delayed_view = msgpack.unpackb(data, strict_map_key=False)
            if form == FORMAT:
                seen = (
                    None
                    if delayed_view is None
                    else DelayedView(_snapshot(delayed_view[0]), HandClock(*delayed_view[1]))
                )
                return cls._make([_snapshot(table), *rest, HandState(*hand), seen])
        except (TypeError, ValueError, msgpack.UnpackException) as error:
            raise InvalidFrame(f"no checkpoint ({type(error).__name__})") from None
        raise InvalidFrame(f"a checkpoint of format {form}")


def _snapshot(frame: bytes) -> Snapshot:
    message = decode_server(frame)
    if not isinstance(message, Snapshot):
        raise InvalidFrame("no snapshot")
    return message
