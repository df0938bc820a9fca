"""Travelling packets: a card goes under the packet of its rank, and that packet's top travels on.

The games are Travellers, and Cheney 13 and 18. In entry 44, Weavers, cards also go to foundations.

The card that travels lies in ``hand``. A step is the play of its packet's top to the hand: the card that was
there slips under the packet automatically. Where no card can be taken up in its place, the card in hand is
played to its packet, or to ``out`` if its rank has none, and the next round begins automatically.

Groups: ``packet`` (the packet of rank 1 first), ``hand`` (it counts), and as the game has them ``spare``,
``aside``, ``stock``, ``out``.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import TypeVar

from racing_demon_protocol.engine.board import Board, Play
from racing_demon_protocol.engine.cards import UNKNOWN, Card, rank, suit
from racing_demon_protocol.engine.specification import Foundations, Mechanic, Stock

from .common import MechanicRules


class Complete(StrEnum):
    """What makes a packet complete."""

    TRAVELLED = "travelled"
    """All its cards have travelled."""
    RIGHT = "right"
    """It holds its own cards. Those that never travelled are turned up in the end."""


class Counting(StrEnum):
    """Whether packets are dealt card by card, and a card that falls on its own number is laid aside."""

    NONE = "none"
    """They are dealt normally."""
    AFTER_FIRST = "after_first"
    """The first layer is not counted."""
    ALL = "all"


@dataclass(frozen=True, kw_only=True, slots=True)
class Travelling(Mechanic):
    """Cards travel to the packets of their rank.

    Attributes:
        rounds_from: the group from whose last pile a card is taken up when the hand is empty.
        size: the number of cards of a complete packet.
        complete: what makes a packet complete.
        counting: how the packets are dealt.

    """

    rounds_from: str
    size: int = 4
    complete: Complete = Complete.TRAVELLED
    counting: Counting = Counting.NONE


TravellingT = TypeVar("TravellingT", bound=Travelling)


class TravellingRules(MechanicRules[TravellingT]):
    """The rules of games with travelling packets."""

    refusal = "The card in the hand goes to the packet of its number, and that packet's top travels on."

    def legal_plays(self, board: Board, seat: int) -> Iterator[Play]:
        """Yield the only legal play, if there is one."""
        hand = self.single_pile(seat, "hand")
        if not board.cards[hand] or self._is_turning_up(board, seat):
            return
        packet = self.packet(seat, board.cards[hand][-1])
        if packet is None:
            yield Play(hand, 1, self.single_pile(seat, "out"))
        elif self.ends_journey(board, seat, packet):
            yield Play(hand, 1, packet)
        else:
            yield Play(packet, 1, hand)

    def automatic_play(self, board: Board, seat: int) -> Play | None:
        """Return the next automatic play: slip a card under its packet, deal the packets, begin a round."""
        hand = self.single_pile(seat, "hand")
        cards = board.cards[hand]
        if len(cards) > 1:
            packet = self.packet(seat, cards[0])
            assert packet is not None
            return Play(hand, -1, packet)
        if self._is_dealing(board, seat):
            play = self._next_deal(board, seat)
            if play is not None:
                return play
        if not cards:
            return self.next_round(board, seat) or self._turn_up(board, seat)
        if self._is_turning_up(board, seat):
            gap = next(
                p for p in self.group_piles(seat, "packet") if len(board.cards[p]) < self.mechanic.size
            )
            return Play(hand, 1, gap) if self.packet(seat, cards[0]) == gap else None
        return None

    def is_out(self, board: Board, seat: int) -> bool:
        """Return whether every packet holds its own cards, face up."""
        packets = enumerate(self.group_piles(seat, "packet"), 1)
        return all(
            len(board.cards[packet]) == self.mechanic.size and self.are_home(board, packet, number)
            for number, packet in packets
        )

    def progress(self, board: Board, seat: int) -> int:
        """Return how many cards lie face up in their own packet, or have left the game."""
        packets = enumerate(self.group_piles(seat, "packet"), 1)
        home = sum(
            card != UNKNOWN and rank(card) == number for number, p in packets for card in board.cards[p]
        )
        return home + sum(len(board.cards[pile]) for pile in self.group_piles(seat, "out"))

    # Queries.

    def packet(self, seat: int, card: Card) -> int | None:
        """Return the packet of a card's rank, if there is one."""
        packets = self.group_piles(seat, "packet")
        return packets[rank(card) - 1] if rank(card) <= len(packets) else None

    def are_home(self, board: Board, packet: int, number: int) -> bool:
        """Return whether all cards of a packet are known to be of its rank."""
        return all(card != UNKNOWN and rank(card) == number for card in board.cards[packet])

    def ends_journey(self, board: Board, seat: int, packet: int) -> bool:
        """Return whether the journey ends with a card to this packet, because its top is home already."""
        top = board.top(packet)
        return top is None or (top != UNKNOWN and self.packet(seat, top) == packet)

    def next_round(self, board: Board, seat: int) -> Play | None:
        """Return the play that begins the next round; ``None`` if no card is left for it."""
        source = self.group_piles(seat, self.mechanic.rounds_from)[-1]
        top = board.top(source)
        travelled = self.layout.piles[source].group == "packet" and top != UNKNOWN
        return None if top is None or travelled else Play(source, 1, self.single_pile(seat, "hand"))

    def dealt_packets(self, board: Board, seat: int) -> Sequence[int]:
        """Return the packets that are dealt to in turn."""
        return self.group_piles(seat, "packet")

    # Dealing, and turning up.

    def _is_dealing(self, board: Board, seat: int) -> bool:
        """Return whether no card has come to the hand since the packets were begun."""
        began = board.came.get(self.single_pile(seat, "hand"), 0)
        return self.mechanic.counting is not Counting.NONE and not began

    def _next_deal(self, board: Board, seat: int) -> Play | None:
        """Return the play that deals the next card, or lays the last one aside; ``None`` after the last."""
        packets, stock, aside = (
            self.dealt_packets(board, seat),
            self.single_pile(seat, "stock"),
            self.single_pile(seat, "aside"),
        )
        dealt = sum([len(board.cards[packet]) for packet in (*packets, aside)])
        if dealt:
            last = packets[(dealt - 1) % len(packets)]
            fewest = 1 if self.mechanic.counting is Counting.ALL else 2
            # All earlier cards that fell on their own number were laid aside, so such a card is the last one
            # dealt.
            if len(board.cards[last]) >= fewest and self.packet(seat, board.cards[last][-1]) == last:
                return Play(last, 1, aside)
        return Play(stock, 1, packets[dealt % len(packets)]) if board.cards[stock] else None

    def _turn_up(self, board: Board, seat: int) -> Play | None:
        """Return the play that takes up a card which never travelled, once all rounds are over."""
        if self.mechanic.complete is Complete.RIGHT:
            for packet in self.group_piles(seat, "packet"):
                if board.top(packet) == UNKNOWN:
                    return Play(packet, 1, self.single_pile(seat, "hand"))
        return None

    def _is_turning_up(self, board: Board, seat: int) -> bool:
        """Return whether the card in hand never travelled: it left a gap where it lay."""
        packets = self.group_piles(seat, "packet")
        is_right = self.mechanic.complete is Complete.RIGHT
        return is_right and any(len(board.cards[packet]) < self.mechanic.size for packet in packets)


@dataclass(frozen=True, kw_only=True, slots=True)
class Weaving(Travelling):
    """Tops go to the foundations; when none fits, a card laid aside travels until one does.

    Groups: those of :class:`Travelling`, and ``foundation``. Packets and ``aside`` gather.

    Attributes:
        from_hand: whether the travelling card may go to a foundation once it fits.

    """

    rounds_from: str = "aside"
    size: int = 0
    counting: Counting = Counting.ALL
    from_hand: bool = True


class WeavingRules(TravellingRules[Weaving]):
    """The rules of Weavers."""

    refusal = "Tops go to the foundations; when none does, a weaver travels."

    def legal_plays(self, board: Board, seat: int) -> Iterator[Play]:
        """Yield every legal play: to the foundations, a weaver's journey, and the next deal."""
        fits = list(self._to_foundations(board, seat))
        yield from fits
        hand, aside = self.single_pile(seat, "hand"), self.single_pile(seat, "aside")
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
        for pile in self.group_piles(seat, "foundation"):
            if self.accepts(board, pile, card):
                yield pile

    def follows_on(self, board: Board, foundation: int, cards: Sequence[Card], card: Card) -> bool:
        """Return whether a foundation would accept a card if it held these cards."""
        group = self.layout.groups[foundation]
        assert isinstance(group, Foundations)
        if not cards:
            return rank(card) == group.base
        return suit(card) == suit(cards[-1]) and rank(card) == rank(cards[-1]) + group.step

    def ends_journey(self, board: Board, seat: int, packet: int) -> bool:
        """Return whether the journey ends here: the packet's top can be used, or all its cards are home."""
        top = board.top(packet)
        if top is None or any(True for _ in self.open_foundations(board, seat, top)):
            return True
        return all(self.packet(seat, card) == packet for card in board.cards[packet])

    def next_round(self, board: Board, seat: int) -> Play | None:
        """Return ``None``: the player decides when to take a weaver."""
        return None

    def dealt_packets(self, board: Board, seat: int) -> Sequence[int]:
        """Return the packets of ranks that are still needed: the others lose their places."""
        lowest = min([board.cards[pile] for pile in self.group_piles(seat, "foundation")], key=len)
        done = [rank(card) for card in lowest]  # all foundations have these
        return [
            packet for number, packet in enumerate(self.group_piles(seat, "packet"), 1) if number not in done
        ]

    def _to_foundations(self, board: Board, seat: int) -> Iterator[Play]:
        hand = self.group_piles(seat, "hand") if self.mechanic.from_hand else ()
        for pile in (*self.group_piles(seat, "packet"), *hand):
            if board.cards[pile]:
                for foundation in self.open_foundations(board, seat, board.cards[pile][-1]):
                    yield Play(pile, 1, foundation)

    def _take_up(self, board: Board, seat: int) -> Iterator[Play]:
        """Yield the play that gathers all packets for another deal, if one is left."""
        stock = self.single_pile(seat, "stock")
        group = self.layout.groups[stock]
        assert isinstance(group, Stock)
        redeals = board.redeals.get(seat, 0)
        if (group.redeals is None or redeals < group.redeals) and self.dealt_packets(board, seat):
            yield Play(stock, 1, stock)
