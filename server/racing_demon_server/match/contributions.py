"""The seed of each hand: the server's secret and the players' contributions.

The server draws its secret first and publishes its commitment. Players publish commitments to random bytes
of their own. When the hand is to be dealt, all of these are fixed; only then do players reveal their bytes.
If bytes are not revealed in time, the draw is void: the hand is drawn again, with new bytes from everybody,
and whoever did not reveal sits it out. Otherwise withholding bytes would be a free choice between two deals.
Players who are away when the hand is committed have no part in its draw, and are dealt to. A known deal takes
no contributions: its secrets follow from its seed. Times are microseconds on the caller's monotonic clock.
"""

from collections.abc import Iterator, Mapping
from typing import Final

from racing_demon_protocol.engine.commit_reveal import commitment, contribution_hash, next_draw_id
from racing_demon_protocol.engine.deal import hand_secret
from racing_demon_protocol.enums import Phase, Reason
from racing_demon_protocol.errors import CommandRefused, InconsistentEvent
from racing_demon_protocol.games import declare
from racing_demon_protocol.wire.messages import events as ev

from .seats import RETURN_US, Seats
from .state import JudgeState

REVEAL_MS: Final = 3_000
"""How long the deal waits for contributions to be revealed, or renewed after a void draw."""


class Contributions:
    """Prepares and commits the hands of one table.

    Args:
        state: the state of the table's judge.
        seating: the table's seats.
        secrets: gives 32 secret bytes for each hand.
        wanted: whether players may contribute.

    """

    def __init__(self, state: JudgeState, seating: Seats, secrets: Iterator[bytes], *, wanted: bool) -> None:
        self._state = state
        self._view = state.view
        self._seating = seating
        self._secrets = secrets
        self._wanted = wanted

    @property
    def is_complete(self) -> bool:
        """Whether all expected contributors have revealed, or contributed again after a void draw."""
        view = self._view
        if view.is_draw_void and view.next_shuffle is not None:
            awaited = [seat for seat in view.revealed if view.seats[seat].connected]
            return all(view.next_shuffle.of(seat) for seat in awaited)
        return all(view.has_left_hand(seat) for seat in self._withheld)

    @property
    def is_void(self) -> bool:
        """Whether the draw must be void, because somebody may have chosen it by not revealing.

        If nobody has revealed, nobody knew more than the server. A game for two cannot go on without either
        player.
        """
        view = self._view
        if not (self._withheld and view.revealed):
            return False
        out = view.unrevealed
        rest = [seat for seat in view.seats_to_deal if seat not in out and not view.has_left_hand(seat)]
        return len(rest) >= declare(view.options, 1).min_seats

    @property
    def _withheld(self) -> list[int]:
        """The seats that were present when the hand was committed, and have not revealed."""
        return [seat for seat in self._view.unrevealed if seat not in self._state.record.absent]

    def prepare(self) -> None:
        """Commit to a secret for the next hand as soon as somebody can contribute to it."""
        view = self._view
        if not view.is_between_hands:
            return
        _, hand_id = self._next_hand()
        is_stale = view.next_shuffle is not None and view.next_shuffle.hand_id != hand_id
        is_wanted = view.next_shuffle is None and self._wanted and bool(self._seating.people())
        is_wanted = is_wanted and view.known_deal is None
        if is_stale or is_wanted:
            self._draw(hand_id)
            self._state.emit(
                ev.Prepared, hand_id=hand_id, commitment=commitment(self._state.record.secret, hand_id)
            )

    def contribute(self, seat: int, hashed: str) -> None:
        """Accept a player's commitment to a contribution.

        Raises:
            CommandRefused: no hand is prepared.

        """
        shuffle = self._view.next_shuffle
        sits_out = self._view.is_draw_void and seat not in self._view.seats_to_deal
        if shuffle is None or sits_out:
            raise CommandRefused(Reason.NOT_NOW, "No deal takes contributions now.")
        known = shuffle.of(seat)
        if known is None or known.commitment != hashed:
            self._state.emit(ev.Contributed, seat=seat, commitment=hashed)

    def commit(self, at: int) -> None:
        """Commit to the next hand, the first of a match if none is running, or to a new draw of this one.

        From now on its cards are fixed.
        """
        self.prepare()
        number, hand_id = self._next_hand()
        self._draw(hand_id)
        shuffle = self._view.next_shuffle
        self._record_absent()
        within_ms = REVEAL_MS if shuffle is not None and shuffle.contributions else 0
        self._deal_at(at + within_ms * 1_000)
        self._state.emit(
            ev.Committed,
            hand=number,
            hand_id=hand_id,
            commitment=commitment(self._state.record.secret, hand_id),
            within_ms=within_ms,
            known_deal=self._view.known_deal,
        )

    def draw_again(self, at: int) -> None:
        """Void the draw, and prepare another without the seats that did not reveal."""
        hand_id = next_draw_id(self._view.hand_id)
        self._draw(hand_id)
        self._deal_at(at + REVEAL_MS * 1_000)
        self._state.emit(
            ev.Prepared, hand_id=hand_id, commitment=commitment(self._state.record.secret, hand_id)
        )

    def reveal(self, seat: int, value: str) -> None:
        """Accept the bytes to which a player has committed.

        Raises:
            CommandRefused: nothing is to be revealed, or the bytes do not match.

        """
        is_awaited = self._view.phase is Phase.SHUFFLING and not self._view.is_draw_void
        out = self._state.record.absent.union(self._view.sitting_out)
        shuffle = self._view.shuffle if is_awaited and seat not in out else None
        contribution = shuffle.of(seat) if shuffle is not None else None
        if shuffle is None or contribution is None:
            raise CommandRefused(Reason.NOT_NOW, "You have nothing to reveal now.")
        hashed = contribution_hash(bytes.fromhex(value), shuffle.commitment, shuffle.hand_id, seat)
        if hashed != contribution.commitment:
            raise CommandRefused(Reason.BAD_CONTRIBUTION, "These bytes do not match your commitment.")
        if contribution.value is None:
            self._state.emit(ev.Revealed, seat=seat, value=value)

    def _next_hand(self) -> tuple[int, str]:
        """Return the number and the id of the next hand. The last hand's id names its match."""
        view = self._view
        if view.is_draw_void and view.next_shuffle is not None:
            return view.hand_number, view.next_shuffle.hand_id
        match = int(view.hand_id.split("/")[1]) if view.hand_id else 0
        if view.between_matches:
            return 1, f"{view.code}/{match + 1}/1"
        return view.hand_number + 1, f"{view.code}/{match}/{view.hand_number + 1}"

    def _draw(self, hand_id: str) -> None:
        """Draw the secret of a hand, unless it was drawn before."""
        record = self._state.record
        if record.secret_for != hand_id:
            drawn = self._state.spare.pop(hand_id, None) or self._new_secret()
            self._state.record = record._replace(secret_for=hand_id, secret=drawn)
            self._state.drawn.append((hand_id, drawn))

    def _new_secret(self) -> bytes:
        """Return the secret of the next hand: that of the known deal, or one that nobody knows."""
        if (deal := self._view.known_deal) is not None:
            return hand_secret(bytes.fromhex(deal), self._next_hand()[0])
        return next(self._secrets)

    # After a restart or a full disk.

    def restore(self, event: ev.Committed | ev.Prepared, at: int) -> None:
        """Continue with a hand that was committed before the restart, or with a void draw."""
        if isinstance(event, ev.Committed):
            self._deal_at(at + event.within_ms * 1_000)
            self._record_absent()
        else:
            self._deal_at(at + REVEAL_MS * 1_000)

    def _deal_at(self, at: int) -> None:
        self._state.record = self._state.record._replace(deal_at=at)

    def _record_absent(self) -> None:
        """Record who is away now, when the hand is committed."""
        absent = frozenset(seat for seat, state in self._view.seats.items() if not state.connected)
        self._state.record = self._state.record._replace(absent=absent)

    def restore_secret(self, secrets: Mapping[str, bytes]) -> None:
        """Restore the secret of a hand that is not dealt yet, after the log was applied.

        Raises:
            InconsistentEvent: it is missing.

        """
        view = self._view
        coming = view.next_shuffle.hand_id if view.next_shuffle is not None else ""
        hand_id = coming or (view.hand_id if view.phase is Phase.SHUFFLING else "")
        if hand_id:
            secret = secret_of(hand_id, secrets)
            self._state.record = self._state.record._replace(secret_for=hand_id, secret=secret)

    def continue_after_restart(self, at: int) -> None:
        """Give players time to return and reveal after a restart."""
        self._deal_at(max(self._state.record.deal_at, at + RETURN_US))
        self.prepare()

    def shift(self, microseconds: int) -> None:
        """Delay the deal by the time for which nobody could reveal anything."""
        self._deal_at(self._state.record.deal_at + microseconds)


def secret_of(hand_id: str, secrets: Mapping[str, bytes]) -> bytes:
    """Return the secret of a hand.

    Raises:
        InconsistentEvent: it is missing.

    """
    if hand_id not in secrets:
        raise InconsistentEvent(f"the secret of hand {hand_id} is missing")
    return secrets[hand_id]
