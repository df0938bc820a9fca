"""The moments that decided a hand: for each seat those that cost most. The manual of records says how.

A moment costs the points of its card where that never went up, and otherwise the seconds for which the card
waited, if it waited for one at least. Points come first, then seconds, then the earlier event.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Final, NamedTuple

from racing_demon_protocol.engine.board import Kind
from racing_demon_protocol.engine.cards import Card
from racing_demon_protocol.engine.deal import deal_out, deck
from racing_demon_protocol.engine.rules.building import BuildingRules
from racing_demon_protocol.table.state import HandView

from .waits import CardWait, Place

MOST: Final = 3
"""How many moments of a hand each seat has."""
SEEN_US: Final = 1_000_000
"""So long it takes to see that a card can go up: whoever brings it up sooner has missed nothing."""


class HandMoment(NamedTuple):
    """A card that waited while it could have gone up, or that lost its race for good.

    Attributes:
        seat: whose card it is.
        card: the card.
        points: what the seat would have more with the card on a foundation; 0 if it went up.
        waited_us: for how long it could have gone up, in microseconds.
        seq: the event that shows it: the first after which the card waited, or by which its race was lost.
        winner: whose card went instead; ``None`` if it only waited.
        opened: the card beneath it that it would have turned up; ``None`` if that is not known.

    """

    seat: int
    card: Card
    points: int
    waited_us: int
    seq: int
    winner: int | None = None
    opened: Card | None = None


Dealt = Mapping[int, Sequence[Card]]
"""What was dealt to the piles of a seat; empty if that is not known."""


def dealt_to(hand: HandView, seat: int, seed: bytes) -> Dealt:
    """Return what was dealt to a seat: in building games each has a pack of its own.

    Args:
        hand: the hand.
        seat: whose piles.
        seed: its seed; empty if it is not known.

    """
    if not seed or not isinstance(hand.rules, BuildingRules):
        return {}
    game, layout = hand.rules.game, hand.rules.layout
    first = layout.seats.index(seat) * game.packs
    cards = hand.rules.arrange(deck(seed, first, packs=game.packs, ranks=game.ranks))
    dealt: dict[int, list[Card]] = {}
    for pile, some in deal_out(layout, seat, cards):
        dealt.setdefault(pile, []).extend(some)
    return dealt


def dearest(
    waits: Iterable[CardWait],
    hand: HandView,
    dealt: Callable[[int], Dealt],
    rest: Callable[[], None] = lambda: None,
) -> list[HandMoment]:
    """Return the moments of a finished hand, seat by seat, the one that cost most first.

    Args:
        waits: every card that could once go up, and for how long.
        hand: the hand's cards as it ended.
        dealt: returns what was dealt to a seat.
        rest: is called between steps of some tenths of a millisecond.

    """
    by_seat: dict[int, list[tuple[HandMoment, CardWait]]] = {seat: [] for seat in hand.seats}
    for wait in waits:
        moment = _moment(hand, wait)
        if moment.points or moment.waited_us >= SEEN_US:
            by_seat[wait.seat].append((moment, wait))
    rest()
    found: list[HandMoment] = []
    for seat, moments in by_seat.items():
        shown = sorted(moments, key=lambda each: _order(each[0]))[:MOST]
        cards = dealt(seat) if any(wait.beneath for _, wait in shown) else {}
        rest()
        found += [moment._replace(opened=_at(cards, wait.beneath)) for moment, wait in shown]
    return found


def _moment(hand: HandView, wait: CardWait) -> HandMoment:
    points = 0 if wait.is_up else _points(hand, wait)
    if wait.is_up or wait.winner is None:
        return HandMoment(wait.seat, wait.card, points, wait.waited_us, wait.seq)
    return HandMoment(wait.seat, wait.card, points, wait.waited_us, wait.lost_seq, wait.winner)


def _at(dealt: Dealt, place: Place | None) -> Card | None:
    """Return the card that was dealt to a place; ``None`` if there is no place, or nothing was."""
    cards = dealt.get(place.pile, ()) if place is not None else ()
    return cards[place.depth] if place is not None and place.depth < len(cards) else None


def _order(moment: HandMoment) -> tuple[int, int, int, Card]:
    return -moment.points, -moment.waited_us, moment.seq, moment.card


def _points(hand: HandView, wait: CardWait) -> int:
    """Return what a seat would have more, had the card gone up, with everything else as it is."""
    scoring, reserve = hand.rules.game.scoring, hand.rules.layout.seat_piles(wait.seat, Kind.RESERVE)
    is_left = any(wait.card in hand.board.cards[pile] for pile in reserve)
    return (
        scoring.foundation_card
        - (scoring.reserve_card if is_left else 0)
        + (scoring.king_bonus if wait.completes else 0)
    )
