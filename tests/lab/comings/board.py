"""The cards of one hand of a race around shared foundations, by the documents alone, with all cards known."""

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise
from typing import Any, Final, NamedTuple

from tests.support import independent_dealer as dealer

HIDDEN: Final = -1
RANKS: Final = 13
FACES: Final = 52
RACES: Final = tuple(name for name, told in dealer.GAMES.items() if told["racing"] == "shared")


class Wrong(Exception):
    """What was told cannot be so; the text says why."""


class Move(NamedTuple):
    """So many cards, from a pile to a pile."""

    source: int
    amount: int
    destination: int


class Pile(NamedTuple):
    """What a pile is: its group, and the place of its seat in the hand (-1 for the table)."""

    group: Mapping[str, Any]
    place: int

    @property
    def kind(self) -> str:
        """What the group is."""
        return str(self.group["kind"])


def rank(card: int) -> int:
    """Return 1 for an ace to 13 for a king."""
    return card % RANKS + 1


def suit(card: int) -> int:
    """Return 0 to 3; the odd ones are red."""
    return card % FACES // RANKS


class Board:
    """The cards of one hand.

    Args:
        options: the table's.
        seats: who plays, in the order of their places.
        seed: the hand's.
        heaps: how many cards more each place's reserve has.

    Attributes:
        cards: those of each pile, bottom first.
        redeals: how often each place has redealt.
        shifts: how often each place has shifted its stock since.

    """

    def __init__(
        self, options: Mapping[str, Any], seats: Sequence[int], seed: bytes, heaps: Sequence[int]
    ) -> None:
        self.seats = seats
        self._options = options
        self._seed = seed
        self._game = dealer.GAMES[options["game"]]
        groups = {group["name"]: group for group in self._game["groups"]}
        named = {name: value for name, value in options.items() if value is not None}
        places = len(seats)
        self.piles = [
            Pile(groups[name], place) for name, place, _ in dealer.piles_of(options["game"], places, named)
        ]
        self.cards = dealer.deal(seed, options["game"], places, named, heaps)
        self.shown_at_first = dealer.shown(options["game"], places, named, self.cards)
        self._is_known = [[False] * len(cards) for cards in self.cards]
        for number in range(len(self.piles)):
            self._look(number)
        self.redeals = [0] * places
        self.shifts = [0] * places
        self._is_demon = options["game"].startswith("demon-")
        self._own = {
            (place, kind): [
                n for n, pile in enumerate(self.piles) if (pile.place, pile.kind) == (place, kind)
            ]
            for place in range(places)
            for kind in ("stock", "waste", "reserve", "tableau")
        }
        self.foundations = [number for number, pile in enumerate(self.piles) if pile.kind == "foundation"]

    @staticmethod
    def reserve_of(options: Mapping[str, Any]) -> int | None:
        """Return how many cards a reserve has by the options; ``None`` where there is none."""
        steps = dealer.GAMES[options["game"]]["deal"]
        dealt = next((step["each"] for step in steps if step.get("option") == "reserve"), None)
        return None if dealt is None else int(options.get("reserve") or dealt)

    def option(self, name: str) -> Any:
        """Return an option as the table has it, or else the game."""
        chosen = self._options.get(name)
        return self._game["options"].get(name) if chosen is None else chosen

    @property
    def turn(self) -> int:
        """How many cards are turned at a time."""
        if self._options.get("turn_by_players") and self._options.get("turn") is None and len(self.seats) < 3:
            return 1
        return int(self.option("turn"))

    # How cards move.

    def move(self, move: Move) -> list[int]:
        """Move cards, and return those that this turns up."""
        source, destination = self.cards[move.source], self.cards[move.destination]
        if not 0 < move.amount <= len(source):
            raise Wrong(f"pile {move.source} does not hold {move.amount} cards")
        taken = source[-move.amount :]
        kinds = self.piles[move.source].kind, self.piles[move.destination].kind
        known = self._is_known[move.source][-move.amount :]
        if "stock" in kinds:
            taken, known = taken[::-1], known[::-1]
        if kinds == ("waste", "stock"):
            place = self.piles[move.destination].place
            self.redeals[place] += 1
            self.shifts[place] = 0
            if self.option("shuffle"):
                taken = self._shuffled(taken, place)
        del source[-move.amount :], self._is_known[move.source][-move.amount :]
        destination += taken
        self._is_known[move.destination] += known
        return self._look(move.source) + self._look(move.destination)

    def _look(self, number: int) -> list[int]:
        """Turn cards of a pile down and up, as its group says; return those that were turned up."""
        pile, cards, known = self.piles[number], self.cards[number], self._is_known[number]
        shows, view = pile.group["shows"], pile.group["view"]
        if pile.kind == "waste":
            view = self._options.get("waste_view") or view
        if pile.kind == "reserve" and self._options.get("reserve_up"):
            shows = "all"
        up = {"none": 0, "last": 1, "top": view, "all": len(cards)}[shows]
        first = max(0, len(cards) - up)
        if shows in {"none", "top"}:
            known[:first] = [False] * first
        turned = [card for place, card in enumerate(cards) if place >= first and not known[place]]
        known[first:] = [True] * (len(cards) - first)
        return turned

    def _shuffled(self, cards: Sequence[int], place: int) -> list[int]:
        copies: dict[int, int] = {}
        keys = {}
        for card in sorted(cards):
            copy = copies[card % FACES] = copies.get(card % FACES, 0) + 1
            text = f"/redeal/{place}/{self.redeals[place]}/{card % FACES}/{copy}"
            keys[card] = hashlib.shake_256(self._seed + text.encode()).digest(32)
        return sorted(cards, key=lambda card: keys[card])

    def rotate(self) -> None:
        """Turn all wastes over, and move each stock's top card to its bottom."""
        for place in range(len(self.seats)):
            (stock,), (waste,) = self._own[place, "stock"], self._own[place, "waste"]
            self.cards[stock] += self.cards[waste][::-1]
            self.cards[waste].clear()
            self._is_known[waste].clear()
            self._under(stock)
            self.shifts[place] = 0

    def shift(self, place: int) -> None:
        """Move the top card of a place's stock to its bottom, if that is allowed."""
        (stock,) = self._own[place, "stock"]
        when = self.option("stock_shift")
        if when is None or len(self.cards[stock]) < 2 or (when == "once_a_pass" and self.shifts[place]):
            raise Wrong("this stock cannot be shifted now")
        self.shifts[place] += 1
        self._under(stock)

    def _under(self, stock: int) -> None:
        cards = self.cards[stock]
        if cards:
            cards.insert(0, cards.pop())
        self._is_known[stock] = [False] * len(cards)

    def public(self) -> list[list[int]]:
        """Return the piles as everybody sees them."""
        return [
            [card if is_known else HIDDEN for card, is_known in zip(cards, known, strict=True)]
            for cards, known in zip(self.cards, self._is_known, strict=True)
        ]

    # What may be played.

    def why_not(self, place: int, move: Move) -> str:
        """Return why a place may not play this; empty if it may."""
        if not all(0 <= pile < len(self.piles) for pile in (move.source, move.destination)):
            return "there is no such pile"
        kind, to = self.piles[move.source].kind, self.piles[move.destination].kind
        owners = {self.piles[move.source].place, self.piles[move.destination].place}
        if not owners <= {place, -1}:
            return "the pile is another's"
        if {kind, to} <= {"stock", "waste"}:
            why = self._why_not_turned(move, kind, to)
        else:
            why = self._why_not_played(place, move, kind, to)
        if not why and self.option("forced_bases") and not self._opens(move):
            openers = [pile for pile in self._available(place) if self._is_opener(self.cards[pile][-1])]
            if openers:
                return "a card that opens a foundation must be played first"
        return why

    def _opens(self, move: Move) -> bool:
        is_up = self.piles[move.destination].kind == "foundation"
        return is_up and self._is_opener(self.cards[move.source][-1])

    def _is_opener(self, card: int) -> bool:
        return any(not self.cards[pile] and self.takes(pile, card) for pile in self.foundations)

    def _why_not_turned(self, move: Move, kind: str, to: str) -> str:
        left, waiting = len(self.cards[move.source]), len(self.cards[move.destination])
        if (kind, to) == ("stock", "waste"):
            counts = {min(self.turn, left)}
            if left == 2 and self.turn > 2 and self.option("tail_rule") == "either2":
                counts.add(1)
            return "" if left and move.amount in counts else f"not {move.amount} of {left} are turned"
        if (kind, to) != ("waste", "stock"):
            return "no such play"
        most, place = self.option("redeals"), self.piles[move.source].place
        if waiting or not left or move.amount != left:
            return "the whole waste is turned over, when the stock is empty"
        return "" if most is None or self.redeals[place] < most else "there is no other redeal"

    def _why_not_played(self, place: int, move: Move, kind: str, to: str) -> str:
        if to not in {"foundation", "tableau"} or move.source == move.destination:
            return "nothing is played there"
        return self._why_not_taken(move, kind, to) or self._why_not_laid(place, move, kind, to)

    def _why_not_taken(self, move: Move, kind: str, to: str) -> str:
        cards = self.cards[move.source]
        if kind == "stock" or not 0 < move.amount <= len(cards):
            return "no such cards"
        if not all(self._is_known[move.source][-move.amount :]):
            return "a hidden card"
        if kind == "reserve" and self.piles[move.source].group["shows"] == "none":
            return "this reserve only fills spaces"
        if kind == "foundation" and (why := self._why_not_back(to, self.cards[move.destination])):
            return why
        return self._why_not_several(move, {kind, to}) if move.amount > 1 else ""

    def _why_not_several(self, move: Move, kinds: set[str]) -> str:
        cards = self.cards[move.source]
        if kinds != {"tableau"}:
            return "one card only"
        if self._is_demon and move.amount < len(cards):
            return "one card, or the whole column"
        is_run = all(self._descends(*pair) for pair in pairwise(cards[-move.amount :]))
        return "" if is_run else "no run"

    def _why_not_laid(self, place: int, move: Move, kind: str, to: str) -> str:
        card, target = self.cards[move.source][-move.amount], self.cards[move.destination]
        if to == "foundation":
            return "" if self.takes(move.destination, card) else "that foundation does not take it"
        if target:
            return "" if self._descends(target[-1], card) else "it does not go upon that card"
        return self._why_not_in_space(place, kind, card)

    def _why_not_back(self, to: str, target: Sequence[int]) -> str:
        back = self.option("take_back")
        if back == "never" or len(self.seats) > 1 or to == "foundation":
            return "what lies on a foundation stays"
        return "only into an empty column" if back == "to_space" and (target or to != "tableau") else ""

    def _why_not_in_space(self, place: int, kind: str, card: int) -> str:
        if self._options["game"] == "racing-demon":
            return "" if rank(card) == RANKS else "only a king"
        if self._options.get("spaces") == "reserve" and kind != "reserve":
            return "only the reserve fills spaces"
        if self.fills_at_once and any(self.cards[pile] for pile in self._own[place, "reserve"]):
            return "the reserve fills spaces"
        return ""

    @property
    def fills_at_once(self) -> bool:
        """Whether the reserve fills empty columns by itself."""
        return self._is_demon or self._options.get("spaces") == "at_once"

    def _descends(self, below: int, above: int) -> bool:
        wraps = self._is_demon and rank(below) == 1 and rank(above) == RANKS
        return suit(below) % 2 != suit(above) % 2 and (rank(above) == rank(below) - 1 or wraps)

    def takes(self, foundation: int, card: int) -> bool:
        """Return whether a foundation takes a card."""
        cards, base = self.cards[foundation], 1
        if self._options["game"].endswith("-first"):
            base = next(rank(self.cards[pile][0]) for pile in self.foundations if self.cards[pile])
        if not cards:
            return rank(card) == base
        return (
            len(cards) < RANKS and suit(cards[0]) == suit(card) and rank(card) == rank(cards[-1]) % RANKS + 1
        )

    def _available(self, place: int) -> Iterator[int]:
        """Yield the piles of a place whose top card can be played."""
        for kind in ("tableau", "waste", "reserve"):
            for pile in self._own[place, kind]:
                is_free = kind != "reserve" or self.piles[pile].group["shows"] != "none"
                if is_free and self.cards[pile] and self._is_known[pile][-1]:
                    yield pile

    def up(self, place: int) -> set[int]:
        """Return the cards of a place that lie on top and could go to the foundations."""
        tops = [self.cards[pile][-1] for pile in self._available(place)]
        return {card for card in tops if any(self.takes(pile, card) for pile in self.foundations)}

    def automatic(self, place: int, *, is_first: bool) -> list[Move]:
        """Return what the game may do by itself for a place now; at its signal it turns, perhaps."""
        if self.fills_at_once and self._own[place, "reserve"]:
            (reserve,) = self._own[place, "reserve"]
            spaces = [pile for pile in self._own[place, "tableau"] if not self.cards[pile]]
            if spaces and self.cards[reserve]:
                return [Move(reserve, 1, pile) for pile in spaces]
        if not (is_first and self._options["auto_first_turn"]):
            return []
        (stock,), (waste,) = self._own[place, "stock"], self._own[place, "waste"]
        turn = Move(stock, min(self.turn, len(self.cards[stock])), waste)
        return [turn] if turn.amount and not self.why_not(place, turn) else []

    def is_progress(self, move: Move) -> bool:
        """Return whether a move is progress, before it is made."""
        kind, to = self.piles[move.source].kind, self.piles[move.destination].kind
        if to in {"stock", "waste"} or kind == "foundation":
            return False
        if (kind, to) != ("tableau", "tableau"):
            return True
        left = len(self.cards[move.source]) - move.amount
        if left:
            return not self._is_known[move.source][left - 1]
        return bool(self.cards[move.destination])

    # What it is worth.

    def is_out(self, place: int) -> bool:
        """Return whether a place has reached the goal."""
        if self._game["goal"] == "reserve_empty":
            return not any(self.cards[pile] for pile in self._own[place, "reserve"])
        return self._up_of(place) == FACES

    def _up_of(self, place: int) -> int:
        return sum(card // FACES == place for pile in self.foundations for card in self.cards[pile])

    def points(self, out: int | None) -> list[int]:
        """Return the points of each place."""
        worth = self._game["scoring"]
        chosen = {name: self._options.get(name) for name in ("reserve_card", "out_bonus")}
        each, bonus = (worth[name] if value is None else value for name, value in chosen.items())
        kings = self._options.get("king_bonus", 0)
        full = [self.cards[pile][-1] // FACES for pile in self.foundations if len(self.cards[pile]) == RANKS]
        return [
            self._up_of(place) * worth["foundation_card"]
            + sum(len(self.cards[pile]) for pile in self._own[place, "reserve"]) * each
            + bonus * (seat == out)
            + kings * full.count(place)
            for place, seat in enumerate(self.seats)
        ]
