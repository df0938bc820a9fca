from collections.abc import Iterable

from racing_demon_protocol.engine.cards import name, parse
from racing_demon_protocol.engine.rules.sequences import faces, followers, follows, successors, suits_agree
from racing_demon_protocol.engine.specification import Build, Foundations, SuitRule
from tests.support.cases import for_each


@for_each(
    ("rule", "agreeing"),
    [(SuitRule.SAME, "S"), (SuitRule.ALTERNATE, "HD"), (SuitRule.ANY, "SHCD")],
)
def test_suits_upon_a_spade(rule: SuitRule, agreeing: str) -> None:
    """On a spade goes a spade, a red card, or any card, as the rule wants it."""
    below = parse("5S")
    assert list(agreeing) == [suit for suit in "SHCD" if suits_agree(rule, below, parse(f"4{suit}"))]


@for_each(("delta", "ranks"), [(-1, ["4"]), (1, ["6"]), (0, ["5"]), (2, ["7"])])
def test_ranks_upon_a_five(delta: int, ranks: list[str]) -> None:
    """The next rank is the last one plus the way's own step."""
    build = Build(delta=delta, suit=SuitRule.ANY)
    fitting = [rank for rank in "A23456789TJQK" if follows(build, parse("5S"), parse(f"{rank}H"), wrap=False)]
    assert ranks == fitting


@for_each(("wrap", "fits"), [(True, True), (False, False)])
@for_each(("below", "above", "delta"), [("AS", "KH", -1), ("KS", "AH", 1), ("QS", "AH", 2)])
def test_going_round(below: str, above: str, delta: int, wrap: bool, fits: bool) -> None:
    """A sequence goes round from ace to king, or from king to ace, only where ranks go round."""
    assert fits == follows(Build(delta=delta), parse(below), parse(above), wrap)


def _names(cards: Iterable[int]) -> set[str]:
    return {name(card, ascii_only=True) for card in cards}


def test_what_may_follow_by_several_ways() -> None:
    """Of a column's ways any one suffices; all that may follow a card is found by its number."""
    ways = (Build(), Build(delta=1, suit=SuitRule.SAME))
    assert {"4H", "4D", "6S"} == _names(followers(ways, wrap=False)[parse("5S")])
    assert {"KH", "KD", "2S"} == _names(followers(ways, wrap=True)[parse("AS")])


@for_each(
    ("group", "lying", "top", "expected"),
    [
        (Foundations(), 2, "2S", {"3S"}),
        (Foundations(suit=SuitRule.ALTERNATE), 2, "2S", {"3H", "3D"}),
        (Foundations(), 12, "KS", set()),
        (Foundations(base=9, wrap=True), 5, "KS", {"AS"}),
        (Foundations(step=-1, base=9, wrap=True), 9, "AS", {"KS"}),
        (Foundations(order=(1, 3, 2), length=3), 1, "AS", {"3S"}),
        (Foundations(order=(1, 3, 2), length=3), 2, "3S", {"2S"}),
    ],
    ids=[
        "by one",
        "other color",
        "at its end",
        "round the corner",
        "down and round",
        "in an order",
        "its end",
    ],
)
def test_what_comes_next_to_a_foundation(
    group: Foundations, lying: int, top: str, expected: set[str]
) -> None:
    """By the step from the topmost card, or by the order and the number of cards that lie there."""
    assert expected == _names(successors(group)[lying][parse(top)])


def test_the_cards_of_a_rank() -> None:
    """There is one of each suit, and none of no rank."""
    assert {"TS", "TH", "TC", "TD"} == _names(faces(10))
    assert set() == faces(None)
