"""Ranks: two cards of equal rank leave the table (entries 12 and 53 of seed 004)."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import permutations

from ..board import Board, Play
from ..cards import UNKNOWN, Card, rank
from ..declaration import Mechanic
from .common import MechanicRules

__all__ = ["Ranks", "RanksRules", "Sympathy", "SympathyRules"]


@dataclass(frozen=True, kw_only=True, slots=True)
class Ranks(Mechanic):
    """Couples of equal tops leave their piles. Groups: ``lot``, ``out``.

    Attributes:
        last_pairs: whether, when no couple is left, a pile of just two cards may be turned up and leaves
            if its cards match.

    """

    last_pairs: bool = True


class RanksRules(MechanicRules):
    """The rules of a game where equal tops leave."""

    refusal = "Only two tops of equal rank leave the table."

    def legal_plays(self, board: Board, seat: int) -> Iterator[Play]:
        """Yield every legal play: one top upon an equal one; a pile of two that is turned up."""
        lots = self.named(seat, "lot")
        couples = [
            Play(one, 1, other)
            for one, other in permutations(lots, 2)
            if _match(board.top(one), board.top(other))
        ]
        yield from couples
        assert isinstance(self.game.mechanic, Ranks)
        if self.game.mechanic.last_pairs and not couples:
            out = self.one(seat, "out")
            for lot in lots:
                if len(board.cards[lot]) == 2 and board.cards[lot][0] == UNKNOWN:
                    yield Play(lot, 2, out)

    def automatic(self, board: Board, seat: int) -> Play | None:
        """Return the game's next move: put a couple away; put back two that were turned up and differ."""
        lots, out = self.named(seat, "lot"), self.one(seat, "out")
        gone = board.cards[out]
        if gone and not _match(*gone[-2:]):
            return Play(out, 2, next(lot for lot in lots if not board.cards[lot]))
        for lot in lots:
            if len(board.cards[lot]) > 1 and _match(*board.cards[lot][-2:]):
                return Play(lot, 2, out)
        return None

    def is_out(self, board: Board, seat: int) -> bool:
        """Tell whether the table is empty."""
        return not any(board.cards[lot] for lot in self.named(seat, "lot"))

    def progress(self, board: Board, seat: int) -> int:
        """Return how many cards have left."""
        return len(board.cards[self.one(seat, "out")])


@dataclass(frozen=True, kw_only=True, slots=True)
class Sympathy(Mechanic):
    """Two players turn cards up by turns; a card of one and an equal card of the other leave together.

    Groups of each player: ``packet`` (what was turned up stays face up on it), ``lifted`` (one place for
    each packet, for the card just turned up), ``grace``. The table's: ``out``, one pile for two players.

    Attributes:
        grace: whether who has no card lying face up may use the grace card as a match.

    """

    grace: bool = True


class SympathyRules(MechanicRules):
    """The rules of Sympathy. Players are partners in the order of their seats, by twos.

    A match is the partner's card played to ``out``; one's own follows by itself, and lies on it. So whose
    turn it is can be seen: who matched last goes on until all their packets lie face up, then the other.
    Before the first match the second player begins.
    """

    refusal = "Turn up your next packet when it is your turn, or send out what matches the card you lifted."

    def legal_plays(self, board: Board, seat: int) -> Iterator[Play]:
        """Yield every legal play: turn the next packet up; match what was turned up, or the grace card."""
        partner = self._partner(seat)
        if partner is None or self._lifted(board, partner) is not None:
            return
        targets = [pile for pile in self.named(partner, "packet") if board.top(pile) not in {None, UNKNOWN}]
        lifted = self._lifted(board, seat)
        if lifted is not None:
            yield from self._matches(board, lifted, targets)
            return
        turn, following = self.whose_turn(board, seat), self._next(board, seat)
        if turn == seat and following is not None:
            yield Play(self.named(seat, "packet")[following], 1, self.named(seat, "lifted")[following])
        if turn in {seat, None} and self._may_use_grace(board, seat):
            if not self._has_packets(board, seat) and not self._has_packets(board, partner):
                targets.append(self.one(partner, "grace"))
            yield from self._matches(board, self.one(seat, "grace"), targets)

    def automatic(self, board: Board, seat: int) -> Play | None:
        """Return the game's next move: the matcher's card follows; what has no match lies on its packet."""
        partner, out = self._partner(seat), self._out(seat)
        if partner is None:
            return None
        if len(board.cards[out]) % 2:
            matcher = self._other_owner(board, seat)
            lifted = self._lifted(board, matcher)
            return Play(self.one(matcher, "grace") if lifted is None else lifted, 1, out)
        for player in (seat, partner):
            lifted = self._lifted(board, player)
            if lifted is not None and next(self.legal_plays(board, player), None) is None:
                place = self.named(player, "lifted").index(lifted)
                return Play(lifted, 1, self.named(player, "packet")[place])
        return None

    def is_out(self, board: Board, seat: int) -> bool:
        """Tell whether all cards of both partners have left."""
        partner = self._partner(seat)
        return partner is not None and len(board.cards[self._out(seat)]) == 2 * self.game.deck_size

    def progress(self, board: Board, seat: int) -> int:
        """Return how many cards of both have left."""
        return len(board.cards[self._out(seat)])

    def whose_turn(self, board: Board, seat: int) -> int | None:
        """Return which of two partners turns up cards now; ``None`` when all packets lie face up."""
        partner = self._partner(seat)
        if partner is None:
            return None
        gone = board.cards[self._out(seat)]
        last = self.layout.owner(gone[-1]) if gone else max(seat, partner, key=self.layout.seats.index)
        for player in (last, partner if last == seat else seat):
            if self._next(board, player) is not None:
                return player
        return None

    def _verify_piles(self, seat: int, play: Play) -> None:
        """Verify nothing more than legal plays do: partners play each other's cards."""

    def _partner(self, seat: int) -> int | None:
        number = self.layout.seats.index(seat) ^ 1
        return self.layout.seats[number] if number < len(self.layout.seats) else None

    def _out(self, seat: int) -> int:
        piles = [pile.number for pile in self.layout.piles if pile.group == "out"]
        return piles[self.layout.seats.index(seat) // 2]

    def _lifted(self, board: Board, seat: int) -> int | None:
        return next((pile for pile in self.named(seat, "lifted") if board.cards[pile]), None)

    def _next(self, board: Board, seat: int) -> int | None:
        """Return the number of a seat's first packet that lies face down."""
        packets = enumerate(self.named(seat, "packet"))
        return next((number for number, packet in packets if board.top(packet) == UNKNOWN), None)

    def _other_owner(self, board: Board, seat: int) -> int:
        """Return the partner whose card does not lie on ``out``, where one waits for its match."""
        owner, partner = self.layout.owner(board.cards[self._out(seat)][-1]), self._partner(seat)
        assert partner is not None
        return partner if owner == seat else seat

    def _has_packets(self, board: Board, seat: int) -> bool:
        return any(board.cards[packet] for packet in self.named(seat, "packet"))

    def _may_use_grace(self, board: Board, seat: int) -> bool:
        assert isinstance(self.game.mechanic, Sympathy)
        lie_open = any(board.top(packet) not in {None, UNKNOWN} for packet in self.named(seat, "packet"))
        return self.game.mechanic.grace and not lie_open and bool(board.cards[self.one(seat, "grace")])

    def _matches(self, board: Board, card: int, targets: Sequence[int]) -> Iterator[Play]:
        """Yield the plays of those tops that match a pile's top."""
        owner = self.layout.piles[card].seat
        assert owner is not None
        out = self._out(owner)
        return (Play(target, 1, out) for target in targets if _match(board.top(card), board.top(target)))


def _match(one: Card | None, other: Card | None) -> bool:
    """Tell whether two cards are known, and of equal rank."""
    return one not in {None, UNKNOWN} and other not in {None, UNKNOWN} and rank(one) == rank(other)
