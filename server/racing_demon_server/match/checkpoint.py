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
from .state import TOLD, JudgeRecord, JudgeState

FORMAT: Final = 1
"""The format of the bytes, for other fields of :data:`.state.TOLD`, too.

A program with another format reads the hand from its deal instead.
"""


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
        record: what the judge knows beside: the fields of :data:`.state.TOLD` alone.
        hand: the hand.
        delayed_view: what delayed spectators see; ``None`` without a delay.

    """

    table: Snapshot
    whispers: int
    at: int
    departed: Mapping[int, str]
    record: JudgeRecord
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
            record=record.told(),
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
        state.record = state.record.with_told(self.record)

    def packed(self) -> bytes:
        """Return the bytes of the checkpoint."""
        delayed_view = (
            None
            if self.delayed_view is None
            else (pack(self.delayed_view.table), self.delayed_view.hand_clock)
        )
        known = self.whispers, self.at, self.departed
        told = [getattr(self.record, name) for name in TOLD]
        packed: bytes = msgpack.packb((FORMAT, pack(self.table), *known, *told, self.hand, delayed_view))
        return packed

    @classmethod
    def unpacked(cls, data: bytes) -> Self:
        """Return the checkpoint of some bytes.

        Raises:
            InvalidFrame: it was packed in another format.

        """
        try:
            unpacked = msgpack.unpackb(data, strict_map_key=False)
            form, table, whispers, at, departed, *told, hand, delayed_view = unpacked
            if form == FORMAT:
                seen = (
                    None
                    if delayed_view is None
                    else DelayedView(_snapshot(delayed_view[0]), HandClock(*delayed_view[1]))
                )
                record = JudgeRecord(**dict(zip(TOLD, told, strict=True)))
                return cls(_snapshot(table), whispers, at, departed, record, HandState(*hand), seen)
        except (TypeError, ValueError, msgpack.UnpackException) as error:
            raise InvalidFrame(f"no checkpoint ({type(error).__name__})") from None
        raise InvalidFrame(f"a checkpoint of format {form}")


def _snapshot(frame: bytes) -> Snapshot:
    message = decode_server(frame)
    if not isinstance(message, Snapshot):
        raise InvalidFrame("no snapshot")
    return message
