"""Ranks: two cards of equal rank leave the table (Cheney 12 and 53)."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import permutations

from racing_demon_protocol.engine.board import Board, Play
from racing_demon_protocol.engine.cards import PACK_SIZE, UNKNOWN, Card, pack, rank
from racing_demon_protocol.engine.specification import Game, Mechanic
from racing_demon_protocol.enums import Reason
from racing_demon_protocol.errors import IllegalPlay

from .common import MechanicRules


@dataclass(frozen=True, kw_only=True, slots=True)
class Ranks(Mechanic):
    """Pairs of equal tops leave their piles. Groups: ``lot``, ``out``.

    Attributes:
        last_pairs: whether, once no pair is left, a pile of exactly two cards may be turned up, and leaves if
            its cards match.

    """

    last_pairs: bool = True


class RanksRules(MechanicRules[Ranks]):
    """The rules of a game where equal tops leave."""

    refusal = "Only two tops of equal rank leave the table."

    def legal_plays(self, board: Board, seat: int) -> Iterator[Play]:
        """Yield every legal play: one top onto an equal one, or turning up a pile of two."""
        lots = self.group_piles(seat, "lot")
        couples = [
            Play(one, 1, other)
            for one, other in permutations(lots, 2)
            if _match(board.top(one), board.top(other))
        ]
        yield from couples
        if self.mechanic.last_pairs and not couples:
            out = self.single_pile(seat, "out")
            for lot in lots:
                if len(board.cards[lot]) == 2 and board.cards[lot][0] == UNKNOWN:
                    yield Play(lot, 2, out)

    def automatic_play(self, board: Board, seat: int) -> Play | None:
        """Return the next automatic play: remove a pair, or put back two turned-up cards that differ."""
        lots, out = self.group_piles(seat, "lot"), self.single_pile(seat, "out")
        gone = board.cards[out]
        if gone and not _match(*gone[-2:]):
            return Play(out, 2, next(lot for lot in lots if not board.cards[lot]))
        for lot in lots:
            if len(board.cards[lot]) > 1 and _match(*board.cards[lot][-2:]):
                return Play(lot, 2, out)
        return None

    def is_out(self, board: Board, seat: int) -> bool:
        """Return whether the table is empty."""
        return not any(board.cards[lot] for lot in self.group_piles(seat, "lot"))

    def progress(self, board: Board, seat: int) -> int:
        """Return how many cards have left."""
        return len(board.cards[self.single_pile(seat, "out")])


@dataclass(frozen=True, kw_only=True, slots=True)
class Sympathy(Mechanic):
    """Two hands turn cards up in turns; a card of one and an equal card of the other leave together.

    Groups of each hand: ``packet`` (turned-up cards stay face up on it), ``lifted`` (one place for each
    packet, for the card just turned up), ``grace``. Of two hands: ``out``.

    Attributes:
        hands: the suffixes of the group names for each hand of a player. A player with one hand has a
            partner.
        grace: whether a hand without a face-up card may match with the grace card.

    """

    hands: tuple[str, ...] = ("",)
    grace: bool = True


class SympathyRules(MechanicRules[Sympathy]):
    """The rules of Sympathy. Hands are partners in pairs, in the order of the seats; each has a pack.

    A match is the partner's card played to ``out``; the player's own follows automatically and lies on it,
    which shows whose turn it is: the last to match continues until all their packets are face up, then the
    other. Before the first match the second hand begins.
    """

    refusal = "Turn up your next packet when it is your turn, or send out what matches the card you lifted."

    def __init__(self, game: Game, seats: Sequence[int], extra_heap: Sequence[int] = ()) -> None:
        super().__init__(game, seats, extra_heap)
        self._hands = [(seat, hand) for seat in seats for hand in self.mechanic.hands]
        self._outs = [pile.number for pile in self.layout.piles if pile.group == "out"]

    def arrange(self, deck: Sequence[Card]) -> Sequence[Card]:
        """Return a seat's shuffled cards pack by pack: each hand has one."""
        return sorted(deck, key=pack)

    def legal_plays(self, board: Board, seat: int) -> Iterator[Play]:
        """Yield every legal play: turn up the next packet; match the turned-up card, or the grace card."""
        for hand in self._of(seat):
            if hand ^ 1 < len(self._hands):
                yield from self._plays(board, hand)

    def automatic_play(self, board: Board, seat: int) -> Play | None:
        """Return the next automatic play: a matcher's card follows; an unmatched card returns."""
        mine = self._of(seat)
        for hand in sorted({*mine, *(hand ^ 1 for hand in mine)} & set(range(len(self._hands)))):
            lifted = self._lifted(board, hand)
            out = self._outs[hand // 2]
            if len(board.cards[out]) % 2:
                if pack(board.cards[out][-1]) != hand:  # the partner's card waits for this hand's
                    return Play(self._piles(hand, "grace")[0] if lifted is None else lifted, 1, out)
            elif lifted is not None and next(self._plays(board, hand), None) is None:
                place = self._piles(hand, "lifted").index(lifted)
                return Play(lifted, 1, self._piles(hand, "packet")[place])
        return None

    def is_out(self, board: Board, seat: int) -> bool:
        """Return whether all cards of both hands have left."""
        return self.progress(board, seat) == self.goal(seat)

    def goal(self, seat: int) -> int:
        """Return the progress when both hands are empty."""
        return 2 * PACK_SIZE

    def progress(self, board: Board, seat: int) -> int:
        """Return how many cards of both hands have left."""
        return len(board.cards[self._outs[self._of(seat)[0] // 2]])

    def _verify_piles(self, seat: int, play: Play) -> None:
        """Check that the piles are the seat's own, or its partner's for a match.

        Raises:
            IllegalPlay: they are not.

        """
        try:
            super()._verify_piles(seat, play)
        except IllegalPlay as error:
            partners = {self._hands[hand ^ 1][0] for hand in self._of(seat) if hand ^ 1 < len(self._hands)}
            is_theirs = error.reason is Reason.NOT_YOUR_PILE
            if not is_theirs or self.layout.piles[play.source].seat not in partners:
                raise

    def _of(self, seat: int) -> list[int]:
        """Return the hands of a seat."""
        return [hand for hand, (owner, _) in enumerate(self._hands) if owner == seat]

    def _plays(self, board: Board, hand: int) -> Iterator[Play]:
        partner = hand ^ 1
        if self._lifted(board, partner) is not None:
            return
        targets = [pile for pile in self._piles(partner, "packet") if board.top(pile) not in {None, UNKNOWN}]
        lifted = self._lifted(board, hand)
        if lifted is not None:
            yield from self._matches(board, hand, lifted, targets)
            return
        turn, following = self._whose_turn(board, hand), self._next(board, hand)
        if turn == hand and following is not None:
            yield Play(self._piles(hand, "packet")[following], 1, self._piles(hand, "lifted")[following])
        if turn in {hand, None} and self._may_use_grace(board, hand):
            if not self._has_packets(board, hand) and not self._has_packets(board, partner):
                targets += self._piles(partner, "grace")
            yield from self._matches(board, hand, self._piles(hand, "grace")[0], targets)

    def _whose_turn(self, board: Board, hand: int) -> int | None:
        """Return which of two partners turns up cards now; ``None`` if all packets are face up."""
        gone = board.cards[self._outs[hand // 2]]
        last = pack(gone[-1]) if gone else hand | 1
        return next((one for one in (last, last ^ 1) if self._next(board, one) is not None), None)

    def _piles(self, hand: int, group: str) -> tuple[int, ...]:
        seat, added = self._hands[hand]
        return self.group_piles(seat, group + added)

    def _lifted(self, board: Board, hand: int) -> int | None:
        return next((pile for pile in self._piles(hand, "lifted") if board.cards[pile]), None)

    def _next(self, board: Board, hand: int) -> int | None:
        """Return the number of a hand's first face-down packet."""
        packets = enumerate(self._piles(hand, "packet"))
        return next((number for number, packet in packets if board.top(packet) == UNKNOWN), None)

    def _has_packets(self, board: Board, hand: int) -> bool:
        return any(board.cards[packet] for packet in self._piles(hand, "packet"))

    def _may_use_grace(self, board: Board, hand: int) -> bool:
        lie_open = any(board.top(packet) not in {None, UNKNOWN} for packet in self._piles(hand, "packet"))
        return self.mechanic.grace and not lie_open and bool(board.cards[self._piles(hand, "grace")[0]])

    def _matches(self, board: Board, hand: int, card: int, targets: Sequence[int]) -> Iterator[Play]:
        """Yield the plays of tops that match a pile's top."""
        out = self._outs[hand // 2]
        return (Play(target, 1, out) for target in targets if _match(board.top(card), board.top(target)))


def _match(one: Card | None, other: Card | None) -> bool:
    """Return whether two cards are known, and of equal rank."""
    return one not in {None, UNKNOWN} and other not in {None, UNKNOWN} and rank(one) == rank(other)
