"""A dealer that knows nothing but ``protocol/games.json`` and what ``docs/wire.md`` says of the deal.

It imports nothing of the project, so that it deals as a client in another language would.
"""

import hashlib
import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, Final

FOLDER: Final = Path(__file__).parents[2] / "protocol"
GAMES: Final[dict[str, Any]] = json.loads((FOLDER / "games.json").read_text(encoding="utf-8"))

Options = dict[str, Any]
Pile = tuple[str, int, int]
"""A pile's group, the place of its seat in the hand (-1 for the table), and its index among these."""
Turn = tuple[int, int, int]
"""A play: its source, how many cards, its destination."""


def packs_of(seed: bytes, game: str, seats: int) -> list[list[int]]:
    """Return each seat's shuffled cards, the first to deal first."""
    told = GAMES[game]
    packs = told["packs"]
    own = [_shuffled(seed, place * packs, packs, told["ranks"]) for place in range(seats)]
    if told["deals"] == "identical":
        own = [[card + place * packs * 52 for card in own[0]] for place in range(seats)]
    return [_arranged(cards, told["arrange"]) for cards in own]


def piles_of(game: str, seats: int, options: Options) -> list[Pile]:
    """Return all piles in the order of their numbers."""
    groups = GAMES[game]["groups"]
    piles = []
    for group in groups:
        if group["owner"] == "table":
            piles += [(group["name"], -1, index) for index in range(_count(group, seats, options) * seats)]
    for place in range(seats):
        for group in groups:
            if group["owner"] == "player":
                piles += [(group["name"], place, index) for index in range(_count(group, seats, options))]
    return piles


def deal(seed: bytes, game: str, seats: int, options: Options, heaps: Sequence[int] = ()) -> list[list[int]]:
    """Return the cards of all piles after the deal, each bottom first.

    Args:
        seed: the hand's seed.
        game: the game's name.
        seats: how many play.
        options: the table's options that are not at their defaults.
        heaps: how many cards more each place's heap gets, by its handicap; empty where nobody has any.

    """
    told = GAMES[game]
    order = piles_of(game, seats, options)
    piles: dict[Pile, list[int]] = {pile: [] for pile in order}
    for place, cards in enumerate(packs_of(seed, game, seats)):
        sought = [[_seek(cards, wanted) for wanted in _wanted(step)] for step in told["deal"]]
        for step, found in zip(told["deal"], sought, strict=True):
            if step.get("once") and place > 0:
                continue
            to = [piles[pile] for pile in order if pile[0] == step["to"] and pile[1] in {-1, place}]
            if found:
                for pile, card in zip(to, found, strict=False):
                    pile.append(card)
            else:
                _lay(step, to, cards, options, heaps[place] if heaps else 0)
        if cards:
            (stock,) = (group["name"] for group in told["groups"] if group["kind"] == "stock")
            piles[stock, place, 0] += reversed(cards)
    return [piles[pile] for pile in order]


def shown(game: str, seats: int, options: Options, piles: list[list[int]]) -> list[int]:
    """Return the cards that lie face up after the deal, as ``dealt`` names them."""
    groups = {group["name"]: group for group in GAMES[game]["groups"]}
    named: list[int] = []
    for (name, _, _), cards in zip(piles_of(game, seats, options), piles, strict=True):
        group = groups[name]
        view, shows = group["view"], group["shows"]
        if group["kind"] == "waste":
            view = options.get("waste_view") or view
        elif group["kind"] == "reserve" and options.get("reserve_up"):
            shows = "all"
        face_up = {"none": 0, "kept": 0, "last": 1, "top": view, "all": len(cards)}[shows]
        named += cards[max(0, len(cards) - face_up) :]
    return named


def _count(group: dict[str, Any], seats: int, options: Options) -> int:
    """Return how many piles of a group a seat has."""
    piles: int = group["piles"]
    if group["kind"] != "tableau":
        return piles
    if options.get("columns") is not None:
        return int(options["columns"])
    if options.get("columns_by_players"):
        return 6 if seats <= 2 else 5 if seats == 3 else 4
    return piles


def _shuffled(seed: bytes, first_pack: int, packs: int, ranks: list[int]) -> list[int]:
    numbers = range(first_pack * 52, (first_pack + packs) * 52)
    cards = [number for number in numbers if number % 13 + 1 in ranks]
    draws = _draws(hashlib.shake_256(seed + f"/pack/{first_pack}".encode()).digest(32))
    for place in range(len(cards) - 1, 0, -1):
        size = place + 1
        byte = next(byte for byte in draws if byte < 256 - 256 % size)
        cards[place], cards[byte % size] = cards[byte % size], cards[place]
    return cards


def _draws(key: bytes) -> Iterator[int]:
    block = 0
    while True:
        yield from hashlib.shake_256(key + block.to_bytes(4, "big")).digest(128)
        block += 1


def _arranged(cards: list[int], arrange: dict[str, Any] | None) -> list[int]:
    match arrange:
        case None:
            return cards
        case {"rule": "packs"}:
            return sorted(cards, key=lambda card: card // 52)
        case {"rule": "fixed", "faces": faces}:
            return [next(card for card in cards if card % 52 == face) for face in faces]
    raise AssertionError(arrange)


def _wanted(step: dict[str, Any]) -> Iterator[tuple[int, int]]:
    yield from ((52, face) for face in step.get("faces", ()))
    yield from ((13, rank - 1) for rank in step.get("ranks", ()))


def _seek(cards: list[int], wanted: tuple[int, int]) -> int:
    """Take the first card out whose number leaves this rest."""
    size, rest = wanted
    card = next(card for card in cards if card % size == rest)
    cards.remove(card)
    return card


def _lay(
    step: dict[str, Any], piles: list[list[int]], cards: list[int], options: Options, more: int = 0
) -> None:
    """Lay one step's cards, and take them from the front of the seat's; so many more upon its heap."""
    counts = _counts(step, len(piles), options)
    if step.get("option") == "reserve":
        counts = [count + more for count in counts]
    taken = [cards.pop(0) for _ in range(sum(counts))]
    if step.get("by_rank"):
        taken.sort(key=lambda card: card % 13)
    if step.get("rows"):
        for row in range(max(counts)):
            for pile, count in zip(piles, counts, strict=True):
                if row < count:
                    pile.append(taken.pop(0))
        return
    for pile, count in zip(piles, counts, strict=True):
        pile += [taken.pop(0) for _ in range(count)]


def _counts(step: dict[str, Any], piles: int, options: Options) -> list[int]:
    """Return how many cards come to each pile."""
    if "cards" in step:
        return list(step["cards"])
    if "first" in step:
        return [step["first"]] + [0] * (piles - 1)
    each: int = step["each"]
    if "option" in step:
        each = options.get(step["option"]) or each
    return [each] * piles


def turn(game: str, piles: Sequence[Sequence[int]], redeals: int, options: Options) -> Turn | None:
    """Return the play with which a player alone turns the stock, deals from it or makes it up anew, if any.

    Args:
        game: the game's name.
        piles: the cards of all piles.
        redeals: how often the stock was made up anew.
        options: the table's options.

    """
    told = GAMES[game]
    order = piles_of(game, 1, options)
    first = {name: number for number, (name, _, index) in enumerate(order) if index == 0}
    stocks, wastes = (
        [each for each in told["groups"] if each["kind"] == kind] for kind in ("stock", "waste")
    )
    if not stocks:
        return None
    stock, waste = first[stocks[0]["name"]], first[wastes[0]["name"]] if wastes else -1
    left, turned = len(piles[stock]), len(piles[waste]) if wastes else 0
    if left and told["rounds"]:
        step = told["rounds"][min(redeals, len(told["rounds"]) - 1)][0]
        return stock, min(left, step["each"]), first[step["to"]]
    if left:
        limit = wastes[0]["limit"] if wastes else 0
        count = min(left, _chosen("turn", told, options))
        return (stock, count, waste) if limit is None or turned < limit else None
    most = _chosen("redeals", told, options)
    if most is not None and redeals >= most:
        return None
    gathers = {group["name"] for group in told["groups"] if group["gathers"]}
    if not gathers:
        return (waste, turned, stock) if turned else None
    is_free = not turned or wastes[0]["name"] in gathers
    lying = any(cards for pile, cards in zip(order, piles, strict=True) if pile[0] in gathers)
    return (stock, 1, stock) if lying and is_free else None


def _chosen(option: str, told: dict[str, Any], options: Options) -> Any:
    """Return an option as the table has it, or the game."""
    chosen = options.get(option)
    return told["options"][option] if chosen is None else chosen
