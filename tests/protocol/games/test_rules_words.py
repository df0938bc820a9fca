"""Words of the declarations that no game of ours uses yet: the rules understand them all."""

from racing_demon_protocol.engine.board import Kind, Play
from racing_demon_protocol.engine.cards import card, rank
from racing_demon_protocol.engine.factory import make_rules
from racing_demon_protocol.engine.rules.base import Rules
from racing_demon_protocol.engine.specification import (
    Build,
    Foundations,
    Game,
    Group,
    Scoring,
    Stock,
    SuitRule,
    Tableau,
    Unit,
    Waste,
)
from tests.support.boards import Position, build, cards
from tests.support.cases import for_each

FAMILIES = {
    2: "2 4 6 8 10 Q A 3 5 7 9 J K",
    3: "3 6 9 Q 2 5 8 J A 4 7 10 K",
    4: "4 8 Q 3 7 J 2 6 10 A 5 9 K",
    5: "5 10 2 7 Q 4 9 A 6 J 3 8 K",
    6: "6 Q 5 J 4 10 3 9 2 8 A 7 K",
    7: "7 A 8 2 9 3 10 4 J 5 Q 6 K",
    8: "8 3 J 6 A 9 4 Q 7 2 10 5 K",
}
"""Catalogue 7: the ranks of a family that goes up in steps, by the step."""


def _rules(*groups: Group, scoring: Scoring | None = None) -> Rules:
    """Return the rules of a game with these groups; what is missing is as usual."""
    usual: list[Group] = [Foundations(), Stock(), Waste(), Tableau(shape=(1, 1, 1))]
    kept = [group for group in usual if not any(type(group) is type(other) for other in groups)]
    game = Game(name="test", title="Test", source="", groups=(*kept, *groups), scoring=scoring or Scoring())
    return make_rules(game, (0,))


def _legal(position: Position, source: int, count: int, destination: int) -> bool:
    columns = position.rules.layout.seat_piles(0, Kind.TABLEAU)
    return position.rules.can_play(position.board, 0, Play(columns[source], count, columns[destination]))


@for_each("step", FAMILIES)
def test_families_in_steps(step: int) -> None:
    """A family that starts with its step and goes round has the expected ranks."""
    rules = _rules(Foundations(base=step, step=step, wrap=True))
    foundation = rules.layout.foundations[0]
    position = build(rules)
    ranks = []
    while accepted := [number for number in range(13) if rules.accepts(position.board, foundation, number)]:
        position.board.cards[foundation] += tuple(accepted)
        ranks += [rank(number) for number in accepted]
    assert [rank(number) for word in FAMILIES[step].split() for number in cards(f"{word}S")] == ranks


def test_a_family_of_any_suits() -> None:
    """Where the suit is free, a family takes all four cards of the next rank."""
    rules = _rules(Foundations(suit=SuitRule.ANY))
    position = build(rules, foundation=("AS",))
    accepted = [number for number in range(52) if rules.accepts(position.board, 0, number)]
    assert [card(2, suit) for suit in range(4)] == accepted


def test_a_family_downward() -> None:
    """A family may go down from the king."""
    rules = _rules(Foundations(base=13, step=-1))
    position = build(rules, foundation=("KS QS",))
    assert [*cards("JS")] == [number for number in range(52) if rules.accepts(position.board, 0, number)]


def test_a_short_family() -> None:
    """A family may be complete before the thirteenth card."""
    rules = _rules(Foundations(length=3))
    position = build(rules, foundation=("AS 2S 3S",))
    assert not rules.accepts(position.board, 0, cards("4S")[0])


@for_each(("unit", "counts"), [(Unit.ONE, [1]), (Unit.WHOLE, [1, 3]), (Unit.TAIL, [1, 2, 3])])
def test_what_moves_together(unit: Unit, counts: list[int]) -> None:
    """Single cards, whole columns or any tail move, as the column's unit says; plays agree with it."""
    rules = _rules(Tableau(shape=(1, 1, 1, 1), unit=unit))
    position = build(rules, tableau=("9S 8H 7S", "8D", "9C", "10H"))
    column = rules.layout.groups[rules.layout.seat_piles(0, Kind.TABLEAU)[0]]
    assert isinstance(column, Tableau)
    assert counts == list(rules.movable_counts(column, cards("9S 8H 7S")))
    targets = {1: 1, 2: 2, 3: 3}
    assert counts == [count for count, target in targets.items() if _legal(position, 0, count, target)]


def test_building_both_ways() -> None:
    """A column may be built on in several ways, each with its own suits."""
    ways = (Build(delta=-1, suit=SuitRule.SAME), Build(delta=1, suit=SuitRule.ANY))
    rules = _rules(Tableau(shape=(1, 1, 1), build=ways))
    position = build(rules, tableau=("7S", "6S", "8H"))
    below = build(rules, tableau=("7S", "6C", "9H"))
    assert (_legal(position, 1, 1, 0), _legal(position, 2, 1, 0)) == (True, True)
    assert (_legal(below, 1, 1, 0), _legal(below, 2, 1, 0)) == (False, False)


def test_the_worth_of_a_card() -> None:
    """Each card on the foundations has the worth that the game gives it."""
    rules = _rules(scoring=Scoring(foundation_card=3, out_bonus=7))
    board = build(rules, foundation=("AS 2S",), tableau=("KS",)).board
    assert (rules.points(board), rules.points(board, out=0)) == ({0: 6}, {0: 13})
