"""A table in the middle of a hand, as bytes.

A restart reads it instead of the events before it. It holds the hidden cards, so it is never stored in clear.
"""

from collections.abc import Mapping
from typing import Final, NamedTuple, Self

import msgpack

from racing_demon_protocol.engine.dealer import Dealer
from racing_demon_protocol.errors import InconsistentEvent, InvalidFrame
from racing_demon_protocol.table.state import DEALT
from racing_demon_protocol.wire.codec import decode_server, pack
from racing_demon_protocol.wire.messages.server import Snapshot

from .contributions import secret_of
from .hand import Hand, HandClock, HandState
from .seat_tokens import Actor
from .state import JudgeState

FORMAT: Final = 1
"""The format of the bytes. A program with another format reads the hand from its deal instead."""


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
    away: Mapping[Actor, int]
    paused_at: int
    is_paused_by_rule: bool
    grace_until: int
    hand: HandState
    delayed_view: DelayedView | None = None

    @classmethod
    def of(cls, state: JudgeState) -> Self | None:
        """Return a checkpoint of the running hand; ``None`` if there is none, or while it settles."""
        view, record, hand = state.view, state.record, state.hand
        if hand is None or view.phase not in DEALT or record.unsettled:
            return None
        return cls(
            view.snapshot(0),
            whispers=0,
            at=0,
            departed=view.gone,
            away={actor: since for actor, since in record.away.items() if actor is not None},
            paused_at=record.paused_at,
            is_paused_by_rule=record.is_paused_by_rule,
            grace_until=record.grace_until,
            hand=hand.copy().state(),
        )

    def restore(self, state: JudgeState, seeds: Mapping[str, bytes]) -> None:
        """Continue in the middle of the hand.

        Raises:
            InconsistentEvent: its board does not fit its game, or the hand's secret is missing.
            InvalidGame: its options describe no known game.

        """
        view = state.view
        view.restore(self.table)
        view.record = view.record._replace(gone=self.departed)
        if view.hand is None:
            raise InconsistentEvent("a checkpoint has no cards")
        rules, secret = view.hand.rules, secret_of(view.hand_id, seeds)
        dealer = Dealer(view.deal_seed(secret), rules)
        if rules.is_private:
            view.hand.dealt = rules.deal()
            view.hand.dealt.reveal(rules.layout.face_up_refs, dealer.first_cards())
        state.now = self.at
        state.hand = Hand.of(view, self.hand.copied(secret, dealer))
        state.record = state.record._replace(
            away=self.away,
            paused_at=self.paused_at,
            is_paused_by_rule=self.is_paused_by_rule,
            grace_until=self.grace_until,
        )

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
