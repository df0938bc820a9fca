import hashlib
import math
from itertools import islice

import pytest

from racing_demon_protocol.engine.cards import PACK_SIZE
from racing_demon_protocol.engine.commit_reveal import SEED_SIZE
from racing_demon_protocol.engine.deal import deck, hand_seeds, subseed
from tests.support.boards import names
from tests.support.cases import for_each

DECKS = 4_000

KNOWN_FIRST = (
    "JH AD 5C 9S TC 3D 8D QC 8H QD 4C 7S AS AH 2H 8S TS 5H 5D KS 2S 8C 6S JD 6H 3H "
    "KC 9C 7D 5S TD 9D 6C TH 7H 4H 7C QS JC JS KD 4D 3C 3S QH 2D 2C 6D 9H AC 4S KH"
)
"""The first pack of the seed of 32 zeros."""

KNOWN_LAST = (
    "3C 8S TD KH 6D 3D 3H QD QH 7C 4S KC 2C 8H 6C JD TH AS 9H JH 9D 5C 5S TC KS AC "
    "QS QC 2S AH 8D 4D JS 9S 7H 5D 6S KD 5H 3S JC 4H 4C 2H 8C 7D 2D AD TS 6H 9C 7S"
)
"""The eighth pack of the seed of the bytes 0 to 31."""


def _seed(number: int) -> bytes:
    return number.to_bytes(SEED_SIZE, "big")


@pytest.fixture(scope="module")
def decks() -> list[list[int]]:
    """Decks of fixed seeds."""
    return [deck(_seed(number), 0) for number in range(DECKS)]


def test_known_decks() -> None:
    """The deck of a seed never changes: records of old matches stay provable."""
    assert names(deck(bytes(32), 0)) == KNOWN_FIRST
    assert names(deck(bytes(range(32)), 7)) == KNOWN_LAST


def test_the_deal_can_be_repeated_from_its_description() -> None:
    """A second shuffle, written from the documentation, gives the same deck."""
    stretched = hashlib.shake_256(_seed(5) + b"/pack/3").digest(32)
    drawn = b"".join(
        hashlib.shake_256(stretched + block.to_bytes(4, "big")).digest(128) for block in range(8)
    )
    position = 0
    cards = [3 * PACK_SIZE + number for number in range(PACK_SIZE)]
    for size in range(PACK_SIZE, 1, -1):
        while drawn[position] >= 256 // size * size:
            position += 1
        other = drawn[position] % size
        position += 1
        cards[size - 1], cards[other] = cards[other], cards[size - 1]
    assert cards == deck(_seed(5), 3)


@for_each("number", range(8))
def test_a_deck_is_a_whole_pack(number: int) -> None:
    """A deck holds each card of its own pack once."""
    assert list(range(number * PACK_SIZE, (number + 1) * PACK_SIZE)) == sorted(deck(_seed(9), number))


def test_packs_of_one_seed_are_shuffled_apart() -> None:
    """No two players of a hand get the same layout."""
    faces = {tuple(card % PACK_SIZE for card in deck(_seed(9), number)) for number in range(8)}
    assert len(faces) == 8


def test_every_card_comes_to_every_place_equally_often(decks: list[list[int]]) -> None:
    """The 52 by 52 table of cards and places passes the chi-square test within five sigma."""
    counts = [[0] * PACK_SIZE for _ in range(PACK_SIZE)]
    for cards in decks:
        for place, card in enumerate(cards):
            counts[place][card] += 1
    expected = DECKS / PACK_SIZE
    chi_square = sum((count - expected) ** 2 / expected for row in counts for count in row)
    freedom = (PACK_SIZE - 1) ** 2
    assert abs(chi_square - freedom) < 5 * math.sqrt(2 * freedom)


def test_neighbors_are_independent(decks: list[list[int]]) -> None:
    """How far the second card lies from the first, round the pack, is uniform within five sigma."""
    counts = [0] * PACK_SIZE
    for cards in decks:
        counts[(cards[1] - cards[0]) % PACK_SIZE] += 1
    expected = DECKS / (PACK_SIZE - 1)
    chi_square = sum((count - expected) ** 2 / expected for count in counts[1:])
    freedom = PACK_SIZE - 2
    assert counts[0] == 0
    assert abs(chi_square - freedom) < 5 * math.sqrt(2 * freedom)


def test_half_of_all_shuffles_are_odd(decks: list[list[int]]) -> None:
    """Odd and even permutations come equally often, within five sigma."""
    odd = sum(_is_odd(cards) for cards in decks)
    assert abs(odd - DECKS / 2) < 5 * math.sqrt(DECKS) / 2


def _is_odd(cards: list[int]) -> bool:
    cycles, seen = 0, set[int]()
    for start in cards:
        cycles += start not in seen
        card = start
        while card not in seen:
            seen.add(card)
            card = cards[card]
    return (PACK_SIZE - cycles) % 2 == 1


def test_subseeds_differ_by_label_and_seed() -> None:
    """Seeds for several purposes have nothing in common, and all have full length."""
    made = [subseed(_seed(seed), label) for seed in (0, 1) for label in ("hand/1", "hand/2", "bot/1")]
    assert {SEED_SIZE} == {len(seed) for seed in made}
    assert len(made) == len(set(made))


def test_every_hand_has_a_seed_of_its_own() -> None:
    """The seeds of a table's hands follow from one, and are the subseeds of their numbers."""
    seeds = list(islice(hand_seeds(_seed(1)), 3))
    assert [subseed(_seed(1), f"hand/{number}") for number in (1, 2, 3)] == seeds
