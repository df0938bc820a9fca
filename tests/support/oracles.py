"""What may be played in the games with mechanics of their own, written once more and in another way.

Each oracle judges one play on the cards of a hand as a person would, straight from the words of the
source; it shares no code with the rules. All speak of a single seat, but that of Sympathy.
"""

from collections.abc import Callable, Iterator, Sequence
from itertools import combinations, product

from racing_demon_protocol.engine.board import Play
from racing_demon_protocol.engine.cards import UNKNOWN, Card, rank, suit
from tests.support.dealt_hands import Dealt

HIGH = 8

Oracle = Callable[[Dealt, Play], bool]


def every_play(dealt: Dealt, seat: int = 0) -> Iterator[Play]:
    """Yield every play that could be thought of, from pile to pile: of any count, of a high pile of a few."""
    piles = [pile.number for pile in dealt.board.piles]
    for source, destination in product(piles, piles):
        height = len(dealt.board.cards[source])
        for count in range(1, height + 1) if height <= HIGH else (1, 2, 3, height):
            yield Play(source, count, destination)


def _place(dealt: Dealt, pile: int) -> tuple[str, int]:
    spec = dealt.board.piles[pile]
    return spec.group, spec.index


def _tops(dealt: Dealt, group: str) -> list[Card | None]:
    return [cards[-1] if cards else None for cards in dealt.named(group)]


def fourteen(dealt: Dealt, play: Play) -> bool:
    """Judge Fourteen: pairs in a row or column, one exchange, and the lower rows when the stock is gone."""
    (source, one), (target, other) = _place(dealt, play.source), _place(dealt, play.destination)
    stock, tops = dealt.named("stock")[0], _tops(dealt, "place")
    if play.count != 1 or source != "place":
        return False
    if target == "place":
        if one == other or tops[other] is None:
            return False
        return _fourteen_pair(tops, one, other) or bool(
            stock
            and dealt.board.came.get(dealt.rules.layout.group_piles(0, "aside")[0], 0) == 0
            and not any(_fourteen_pair(tops, i, j) for i, j in combinations(range(25), 2))
        )
    left = sum(top is not None for top in tops)
    upper = max(5, left - left % 5)
    lower = [place for place in range(upper, 25) if tops[place] is not None]
    return target == "waste" and not stock and None in tops[:upper] and lower[:1] == [one]


def _fourteen_pair(tops: list[Card | None], one: int, other: int) -> bool:
    a, b = tops[one], tops[other]
    in_line = one // 5 == other // 5 or one % 5 == other % 5
    return a is not None and b is not None and in_line and rank(a) + rank(b) == 14


def number_eleven(dealt: Dealt, play: Play) -> bool:
    """Judge Number Eleven: pairs anywhere, and three court cards of a row of six or five, or of a suit."""
    (source, one), (target, other) = _place(dealt, play.source), _place(dealt, play.destination)
    if play.count != 1 or source != "place" or target != "place" or one == other:
        return False
    places = dealt.named("place")
    waiting = [number for number, cards in enumerate(places) if len(cards) == 2]
    if not places[other]:
        return False
    moved, lying = places[one][-1], places[other]
    if waiting:
        return waiting == [other] and _is_trio([*lying, moved], {_row(one), _row(other)})
    if rank(moved) + rank(lying[-1]) == 11:
        return True
    thirds = [number for number, cards in enumerate(places) if cards and number not in {one, other}]
    return any(
        _is_trio([lying[-1], moved, places[third][-1]], {_row(one), _row(other), _row(third)})
        for third in thirds
    )


def _row(place: int) -> int:
    return place // 6


def _is_trio(cards: list[Card], rows: set[int]) -> bool:
    """Judge a trio by its first two: of one suit they want a third of it, of two suits the same row."""
    if sorted(map(rank, cards)) != [11, 12, 13]:
        return False
    first_suits = {suit(card) for card in cards[:2]}
    return len({suit(card) for card in cards}) == 1 if len(first_suits) == 1 else len(rows) == 1


def picture_gallery(dealt: Dealt, play: Play) -> bool:
    """Judge Picture Gallery: any two that make eleven."""
    (source, one), (target, other) = _place(dealt, play.source), _place(dealt, play.destination)
    if play.count != 1 or {source, target} != {"place"} or one == other:
        return False
    return rank(dealt.named("place")[one][-1]) + rank(dealt.named("place")[other][-1]) == 11


def little_lots(dealt: Dealt, play: Play) -> bool:
    """Judge Little Lots: equal tops; else a lot of two whose lower card was not seen yet."""
    (source, one), (target, other) = _place(dealt, play.source), _place(dealt, play.destination)
    lots = dealt.named("lot")
    if source != "lot":
        return False
    if target == "lot":
        return play.count == 1 and one != other and _equal(lots[one], lots[other])
    couples = any(_equal(a, b) for a, b in combinations(lots, 2))
    return target == "out" and play.count == 2 == len(lots[one]) and lots[one][0] == UNKNOWN and not couples


def _equal(one: Sequence[Card], other: Sequence[Card]) -> bool:
    return bool(one and other) and rank(one[-1]) == rank(other[-1])


def push_pin(dealt: Dealt, play: Play) -> bool:  # noqa: PLR0911 - case by case, as the text is
    """Judge Push Pin on the line as it lies, closed up."""
    (source, one), (target, other) = _place(dealt, play.source), _place(dealt, play.destination)
    piles, stock = dealt.named("line"), dealt.named("stock")[0]
    used = [number for number, cards in enumerate(piles) if cards]
    line = [piles[number][-1] for number in used]
    if source == "stock":
        return target == "line" and play.count == 1 and other == (used[-1] + 1 if used else 0)
    if source != "line":
        return False
    here = used.index(one)
    if target == "out":
        if not 0 < here < len(line) - 1:
            return False
        left, right = line[here - 1], line[here + 1]
        return suit(left) == suit(right) or rank(left) == rank(right)
    if target != "line":
        return False
    if other == 104 and other not in used and here == 0 and not stock and len(line) > 1:
        return True
    if other not in used or not 0 < (there := used.index(other)) < here < len(line) - 1:
        return False
    block, ends = line[there : here + 1], rank(line[there - 1])
    is_one_suit = len({suit(card) for card in block}) == 1
    return is_one_suit and rank(line[here + 1]) == ends and all(rank(card) != ends for card in block)


def double_jump(dealt: Dealt, play: Play) -> bool:
    """Judge Double Jump on the line as it lies, closed up."""
    (source, one), (target, other) = _place(dealt, play.source), _place(dealt, play.destination)
    piles = dealt.named("line")
    used = [number for number, cards in enumerate(piles) if cards]
    if source == "stock":
        return play.count == 1 and target == "line" and other == (used[-1] + 1 if used else 0)
    if target != "line" or other not in used or play.count != len(piles[one]):
        return False
    over = used.index(other) - used.index(one) - 1
    final = {3: 1, 2: 0}.get(len(used)) if not dealt.named("stock")[0] else None
    a, b = piles[one][-1], piles[other][-1]
    return over in {2, final} and (suit(a) == suit(b) or rank(a) == rank(b))


def weavers(dealt: Dealt, play: Play) -> bool:  # noqa: PLR0911
    """Judge Weavers: tops to the kings; when none fits a weaver travels; when none is left, lay again."""
    (source, one), (target, other) = _place(dealt, play.source), _place(dealt, play.destination)
    places, hand, aside = dealt.named("packet"), dealt.named("hand")[0], dealt.named("aside")[0]
    fits = [place for place in [*places, hand] if place and _fits(dealt, place[-1])]
    if source == target == "stock":
        laid_again = dealt.board.redeals.get(0, 0)
        return play.count == 1 and not hand and not aside and not fits and laid_again < 2
    if play.count != 1:
        return False
    if target == "foundation" and source in {"packet", "hand"}:
        return _lies_below(dealt.named("foundation")[other][-1], dealt.named(source)[one][-1])
    if source == "aside" and target == "hand":
        return not hand and not fits
    if not hand:
        return False
    home = places[rank(hand[0]) - 1]
    is_end = all(rank(card) == rank(hand[0]) for card in home) or _fits(dealt, home[-1])
    if (source, target) == ("hand", "packet"):
        return other == rank(hand[0]) - 1 and is_end
    return (source, target) == ("packet", "hand") and one == rank(hand[0]) - 1 and not is_end


def _fits(dealt: Dealt, card: Card) -> bool:
    return any(_lies_below(pile[-1], card) for pile in dealt.named("foundation"))


def _lies_below(on: Card, card: Card) -> bool:
    return suit(on) == suit(card) and rank(card) == rank(on) - 1


def gamblers(dealt: Dealt, play: Play) -> bool:
    """Judge Gambler's Patience: four equal tops leave; else equals go left; else a row; else take up."""
    (source, one), (target, other) = _place(dealt, play.source), _place(dealt, play.destination)
    piles, stock = dealt.named("pile"), dealt.named("stock")[0]
    tops = [rank(cards[-1]) if cards else None for cards in piles]
    if None not in tops and len(set(tops)) == 1:
        return source == "pile" and target == "out" and play.count == 1
    if len({top for top in tops if top}) < sum(top is not None for top in tops):
        is_merge = source == target == "pile" and play.count == 1 and other < one
        return is_merge and tops[one] == tops[other] and tops[one] not in tops[:other]
    if stock:
        return source == "stock" and play.count == 1 and (target, other) == ("pile", 0)
    first = next(number for number, cards in enumerate(piles) if cards)
    return (source, one, target) == ("pile", first, "waste") and play.count == len(piles[first])


ORACLES: dict[str, Oracle] = {
    "fourteen": fourteen,
    "number-eleven": number_eleven,
    "number-eleven-double": number_eleven,
    "picture-gallery": picture_gallery,
    "little-lots": little_lots,
    "push-pin": push_pin,
    "double-jump": double_jump,
    "weavers": weavers,
    "gamblers": gamblers,
}
"""The oracle of every game that has a choice, or a case to decide."""
