"""The deal: a player's cards, shuffled by the hand's seed, and which of them go to which pile.

SHAKE-256 expands the seed, and rejection sampling makes the shuffle uniform. Python's ``random`` would be
predictable, and differ between versions.
"""

import hashlib
from collections.abc import Iterable, Iterator, Sequence
from functools import cache

from .cards import ALL_RANKS, CARDS, PACK_SIZE, SUIT_SIZE, Card, parse, rank
from .commit_reveal import SEED_SIZE
from .layout import Layout
from .specification import Deals, Game


def subseed(seed: bytes, label: str) -> bytes:
    """Derive a seed for one purpose from a common seed."""
    return hashlib.shake_256(seed + b"/" + label.encode()).digest(SEED_SIZE)


def hand_secret(seed: bytes, number: int) -> bytes:
    """Derive the secret of one hand from a seed; on a known deal, that of a hand of any match."""
    return subseed(seed, f"hand/{number}")


def hand_seeds(seed: bytes) -> Iterator[bytes]:
    """Yield the seed of each hand of a table, derived from one seed."""
    number = 0
    while True:
        number += 1
        yield hand_secret(seed, number)


def deck(seed: bytes, pack: int, *, packs: int = 1, ranks: tuple[int, ...] = ALL_RANKS) -> list[Card]:
    """Return a player's shuffled cards, in the order of the deal.

    This is a Fisher-Yates shuffle from the last place down: the card at place ``i`` is swapped with that at a
    place from 0 to ``i``, drawn from the bytes of SHAKE-256 over ``seed``, ``"/pack/"`` and the pack's
    number.

    Args:
        seed: the hand's 32 bytes.
        pack: the number of the player's first pack.
        packs: how many packs are shuffled together.
        ranks: the ranks of each.

    """
    cards = list(CARDS[pack * PACK_SIZE : (pack + packs) * PACK_SIZE])
    if ranks != ALL_RANKS:
        cards = [card for card in cards if card % SUIT_SIZE + 1 in ranks]
    draws = _bytes(subseed(seed, f"pack/{pack}"))
    for place in range(len(cards) - 1, 0, -1):
        fair = 256 - 256 % (place + 1)  # reject bytes of the uneven rest; no deck has 256 cards
        for draw in draws:
            if draw < fair:
                break
        other = draw % (place + 1)
        cards[place], cards[other] = cards[other], cards[place]
    return cards


def reshuffle(seed: bytes, label: str, cards: Iterable[Card]) -> list[Card]:
    """Return cards in an order that depends only on the seed, the label, and their faces.

    Each copy of each face has a key from SHAKE-256 over ``seed``, ``"/"``, the label, and ``"/face/copy"``;
    cards are sorted by key. So players with the same faces get the same order, and if their faces differ,
    those they share come in the same order.
    """
    copies: dict[int, int] = {}
    keyed = []
    for card in sorted(cards):
        face = card % PACK_SIZE
        copy = copies[face] = copies.get(face, 0) + 1
        keyed.append((subseed(seed, f"{label}/{face}/{copy}"), card))
    return [card for _, card in sorted(keyed)]


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
    for step, chosen, steps in zip(layout.game.deal, named, layout.deal_by_step(seat), strict=True):
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


def _bytes(seed: bytes) -> Iterator[int]:
    block = 0
    while True:
        yield from hashlib.shake_256(seed + block.to_bytes(4, "big")).digest(128)
        block += 1
