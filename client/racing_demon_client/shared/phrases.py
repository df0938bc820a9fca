"""Wording for piles, ranks, cards and numbers."""

import re
from collections.abc import Callable, Iterable, Sequence
from typing import Final

from racing_demon_protocol.engine.cards import RANK_NAMES
from racing_demon_protocol.formatting import listing
from racing_demon_protocol.games import GAMES

NUMBERS: Final = (
    *("none", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"),
    *("eleven", "twelve", "thirteen", "fourteen"),
)
RANKS: Final = (
    *("aces", "twos", "threes", "fours", "fives", "sixes", "sevens", "eights", "nines", "tens"),
    *("jacks", "queens", "kings"),
)
SUITS: Final = {"S": "spades", "H": "hearts", "C": "clubs", "D": "diamonds"}
PILES: Final = {
    "ace of hearts": "family of the ace of hearts",
    "aces": "ace piles",
    "aside": "cards set aside",
    "dealt": "card just dealt",
    "deuces": "deuce piles",
    "drawn": "drawn cards",
    "extra": "extra places",
    "first king": "family of the first king",
    "foundation": "foundations",
    "grace": "grace card",
    "heads": "heads of the columns",
    "held": "cards held back",
    "imperial": "imperial piles",
    "index": "index cards",
    "kings": "king piles",
    "left": "left-hand piles",
    "lifted": "lifted cards",
    "lot": "lots",
    "lower": "lower row",
    "out": "removed cards",
    "packet": "packets",
    "pile": "piles",
    "place": "places",
    "queens": "queen piles",
    "right": "right-hand places",
    "royal": "royal piles",
    "shown": "cards shown",
    "spare": "spare packet",
    "spelled": "cards spelled",
    "sultan": "Sultan's place",
    "tableau": "columns",
    "taken": "cards taken up",
    "upper": "upper row",
    "waiting": "waiting cards",
}
"""Plain words for the names of groups that need them."""
PATTERNS: Final[tuple[tuple[str, Callable[[re.Match[str]], str]], ...]] = (
    (r"by (\d+)", lambda found: f"family by {RANKS[int(found[1]) - 1] if found[1] != '1' else 'ones'}"),
    (r"from (.)", lambda found: f"family from the {_one(RANK_NAMES.index(found[1]) + 1)}"),
    (r"rank (\d+)", lambda found: f"place of the {RANKS[int(found[1]) - 1]}"),
    (r"index (\d+)", lambda found: f"index card {found[1]}"),
)


def heading(group: str) -> str:
    """Return the name of a group of piles."""
    for pattern, spoken in PATTERNS:
        if found := re.fullmatch(pattern, group):
            return spoken(found)
    name, dash, side = group.partition("-")
    spoken_name = PILES.get(name, name)
    return f"{side}-hand {spoken_name}" if dash else spoken_name


def the(group: str) -> str:
    """Return a group of piles as part of a sentence."""
    return f"the {heading(group)}"


def names(groups: Sequence[str], joint: str = "and") -> str:
    """Return several groups of piles as part of a sentence."""
    return listing([the(group) for group in groups], joint)


def number(value: int) -> str:
    """Return a number, a small one as a word."""
    return NUMBERS[value] if value < len(NUMBERS) else str(value)


def times(value: int) -> str:
    """Return a frequency, such as "twice"."""
    return {1: "once", 2: "twice"}.get(value, f"{number(value)} times")


def rank(value: int) -> str:
    """Return the plural of a rank."""
    return RANKS[value - 1]


def one_of(value: int) -> str:
    """Return one card of a rank, such as "an ace"."""
    return f"{'an' if value in {1, 8} else 'a'} {_one(value)}"


def ranks(values: Iterable[int]) -> str:
    """Return the plurals of several ranks."""
    return listing([rank(value) for value in values])


def card_names(faces: Sequence[str]) -> str:
    """Return cards as one asks for them; ``K*`` is a king of any suit.

    >>> card_names(["AS", "AH", "AC", "AD"])
    'the aces of spades, hearts, clubs and diamonds'
    """
    if len(faces) == 1 and faces[0][1] == "*":
        return one_of(_rank_of(faces[0]))
    spoken: dict[int, list[str]] = {}
    is_double = len(set(faces)) * 2 == len(faces)
    for face in dict.fromkeys(faces) if is_double else faces:
        spoken.setdefault(_rank_of(face), []).append(SUITS[face[1]])
    first = "both" if is_double else "the"
    return listing(
        [
            f"{first} {_one(value) if len(suits) == 1 and not is_double else rank(value)} of {listing(suits)}"
            for value, suits in spoken.items()
        ]
    )


def _rank_of(face: str) -> int:
    return RANK_NAMES.index(face[0]) + 1


def _one(value: int) -> str:
    word = rank(value)
    return word.removesuffix("es") if word == "sixes" else word.removesuffix("s")


def title_of(game: str) -> str:
    """Return a game's title; its name if it is unknown."""
    return GAMES[game].title if game in GAMES else game
