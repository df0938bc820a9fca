"""The deal: which of a player's shuffled cards go to which pile."""

from collections.abc import Iterable, Iterator, Sequence
from functools import cache

from .cards import PACK_SIZE, SUIT_SIZE, Card, parse, rank
from .enums import Deals
from .layout import Layout
from .shuffle import deck
from .specification import Game


def decks(seed: bytes, game: Game, players: int) -> list[list[Card]]:
    """Return every player's shuffled cards: different ones, or the same faces in the same order."""
    if game.deals is Deals.OWN:
        numbers = range(0, players * game.packs, game.packs)
        return [deck(seed, number, packs=game.packs, ranks=game.ranks) for number in numbers]
    first = deck(seed, 0, packs=game.packs, ranks=game.ranks)
    return [[card + player * game.packs * PACK_SIZE for card in first] for player in range(players)]


def deal_out(layout: Layout, seat: int, cards: Iterable[Card]) -> Iterator[tuple[int, list[Card]]]:
    """Yield ``(pile, cards)`` for a seat's shuffled cards, in the order of the deal, the stock last.

    Cards that the deal names are taken out before anything is dealt.
    """
    left = list(cards)
    named = [_take(left, step.cards) for step in layout.game.deal]
    for step, chosen, steps in zip(layout.game.deal, named, layout.steps(seat), strict=True):
        total = sum(count for _, count in steps)
        dealt, left = (chosen, left) if step.cards else (left[:total], left[total:])
        if step.by_rank:
            dealt.sort(key=rank)
        begin = 0
        for pile, count in steps:
            yield pile, dealt[begin : begin + count]
            begin += count
    if left:
        yield layout.stock[seat], left[::-1]


def _take(cards: list[Card], faces: Sequence[str]) -> list[Card]:
    """Take the first card of each face out of the cards."""
    taken = []
    for face in faces:
        sought, period = _sought(face)
        card = next(card for card in cards if card % period == sought)
        cards.remove(card)
        taken.append(card)
    return taken


@cache
def _sought(face: str) -> tuple[Card, int]:
    """Return a card with this face, or this rank for ``"K*"``, and the distance between such cards."""
    if face.endswith("*"):
        return parse(face[:-1] + "S"), SUIT_SIZE
    return parse(face), PACK_SIZE
