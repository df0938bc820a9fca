"""Cards as small integers, and their names.

A card is one ``int``: ``pack * 52 + suit * 13 + rank - 1``. The pack is the back design: it tells
whose card lies on a shared foundation (Racing Demon, "each pack of cards should have a different back").

>>> name(parse("10H"))
'T♥'
>>> rank(51), suit(51), pack(52 + 51)
(13, 3, 1)
"""

from typing import Final, TypeAlias

from racing_demon_protocol.errors import InvalidCard

Card: TypeAlias = int
"""A card number, 0 to 831 (eight players with two packs each), or :data:`UNKNOWN`."""

UNKNOWN: Final = -1
"""Stands for a face-down card on a board."""

PACK_SIZE: Final = 52
CARDS: Final = tuple(range(16 * PACK_SIZE))
"""All cards, from which every deal takes them, so that tables share the numbers that Python does not."""
SUIT_SIZE: Final = 13
SUITS: Final = 4
ACE: Final = 1
KING: Final = 13
ALL_RANKS: Final = tuple(range(ACE, KING + 1))
PIQUET_RANKS: Final = (ACE, *range(7, KING + 1))
"""The ranks of a pack of 32: the ace, and seven to king."""

SPADES, HEARTS, CLUBS, DIAMONDS = range(4)
"""The suits. Odd ones are red."""

RANK_NAMES: Final = "A23456789TJQK"
SUIT_NAMES: Final = "♠♥♣♦"
SUIT_LETTERS: Final = "SHCD"


def card(rank: int, suit: int, pack: int = 0) -> Card:
    """Return the card of a rank (1 to 13), a suit (0 to 3) and a pack (0 to 15)."""
    return pack * PACK_SIZE + suit * SUIT_SIZE + rank - 1


def rank(card: Card) -> int:
    """Return the rank of a known card: 1 (ace) to 13 (king)."""
    return card % SUIT_SIZE + 1


def suit(card: Card) -> int:
    """Return the suit of a known card: one of SPADES, HEARTS, CLUBS, DIAMONDS."""
    return card // SUIT_SIZE % 4


def pack(card: Card) -> int:
    """Return the pack that a known card belongs to, from 0."""
    return card // PACK_SIZE


def is_red(card: Card) -> bool:
    """Return whether a known card is a heart or a diamond."""
    return card // SUIT_SIZE % 2 == 1


def name(card: Card, *, ascii_only: bool = False) -> str:
    """Return the two-character name of a card, such as ``8♠`` or ``8S``; ``??`` for an unknown one."""
    if card == UNKNOWN:
        return "??"
    suits = SUIT_LETTERS if ascii_only else SUIT_NAMES
    return RANK_NAMES[rank(card) - 1] + suits[suit(card)]


def parse(text: str, pack: int = 0) -> Card:
    """Return the card with a name: rank, then suit as sign or letter.

    Raises:
        InvalidCard: the text does not name a card.

    """
    symbol = text[-1:].upper()
    ranks = text[:-1].upper().replace("10", "T")
    suits = SUIT_NAMES if symbol in SUIT_NAMES else SUIT_LETTERS
    if len(ranks) != 1 or ranks not in RANK_NAMES or not symbol or symbol not in suits:
        raise InvalidCard(text)
    return card(RANK_NAMES.index(ranks) + 1, suits.index(symbol), pack)
