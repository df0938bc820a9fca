"""Travelling packets combined with foundations (Cheney 44)."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from racing_demon_protocol.engine.board import Board, Play
from racing_demon_protocol.engine.cards import Card, rank, suit
from racing_demon_protocol.engine.groups import Foundations, Stock

from .travelling import Counting, Travelling, TravellingRules


@dataclass(frozen=True, kw_only=True, slots=True)
class Weaving(Travelling):
    """Tops go to the foundations; when none fits, a card laid aside travels until one does.

    Groups: those of :mod:`.travelling`, and ``foundation``. Packets and ``aside`` gather.

    Attributes:
        from_hand: whether the travelling card may go to a foundation once it fits.

    """

    rounds_from: str = "aside"
    size: int = 0
    counting: Counting = Counting.ALL
    from_hand: bool = True


class WeavingRules(TravellingRules):
    """The rules of Weavers."""

    mechanic: Weaving
    refusal = "Tops go to the foundations; when none does, a weaver travels."

    def legal_plays(self, board: Board, seat: int) -> Iterator[Play]:
        """Yield every legal play: to the foundations, a weaver's journey, and the next deal."""
        fits = list(self._to_foundations(board, seat))
        yield from fits
        hand, aside = self.one(seat, "hand"), self.one(seat, "aside")
        if board.cards[hand]:
            yield from super().legal_plays(board, seat)
        elif not fits and board.cards[aside]:
            yield Play(aside, 1, hand)
        elif not fits:
            yield from self._take_up(board, seat)

    def is_out(self, board: Board, seat: int) -> bool:
        """Return whether all cards are on the foundations."""
        return self.on_foundations(board)[seat] == self.game.deck_size

    def progress(self, board: Board, seat: int) -> int:
        """Return how many cards are on the foundations."""
        return self.on_foundations(board)[seat]

    def open_foundations(self, board: Board, seat: int, card: Card) -> Iterator[int]:
        """Yield the foundations that accept a seat's card now."""
        return (pile for pile in self.named(seat, "foundation") if self.accepts(board, pile, card))

    def follows_on(self, board: Board, foundation: int, cards: Sequence[Card], card: Card) -> bool:
        """Return whether a foundation would accept a card if it held these cards."""
        group = self.layout.groups[foundation]
        assert isinstance(group, Foundations)
        if not cards:
            return rank(card) == group.base
        return suit(card) == suit(cards[-1]) and rank(card) == rank(cards[-1]) + group.step

    def ends(self, board: Board, seat: int, packet: int) -> bool:
        """Return whether the journey ends here: the packet's top can be used, or all its cards are home."""
        top = board.top(packet)
        if top is None or any(True for _ in self.open_foundations(board, seat, top)):
            return True
        return all(self.packet(seat, card) == packet for card in board.cards[packet])

    def next_round(self, board: Board, seat: int) -> Play | None:
        """Return ``None``: the player decides when to take a weaver."""
        return None

    def counted(self, board: Board, seat: int) -> Sequence[int]:
        """Return the packets of ranks that are still needed: the others lose their places."""
        lowest = min([board.cards[pile] for pile in self.named(seat, "foundation")], key=len)
        done = [rank(card) for card in lowest]  # all foundations have these
        return [packet for number, packet in enumerate(self.named(seat, "packet"), 1) if number not in done]

    def _to_foundations(self, board: Board, seat: int) -> Iterator[Play]:
        hand = self.named(seat, "hand") if self.mechanic.from_hand else ()
        for pile in (*self.named(seat, "packet"), *hand):
            if board.cards[pile]:
                for foundation in self.open_foundations(board, seat, board.cards[pile][-1]):
                    yield Play(pile, 1, foundation)

    def _take_up(self, board: Board, seat: int) -> Iterator[Play]:
        """Yield the play that gathers all packets for another deal, if one is left."""
        stock = self.one(seat, "stock")
        group = self.layout.groups[stock]
        assert isinstance(group, Stock)
        redeals = board.redeals.get(seat, 0)
        if (group.redeals is None or redeals < group.redeals) and self.counted(board, seat):
            yield Play(stock, 1, stock)
