import pytest

from racing_demon_protocol.cards import parse
from racing_demon_protocol.declaration import Build, SuitRule
from racing_demon_protocol.sequences import follows, suits_agree


@pytest.mark.parametrize(
    ("rule", "agreeing"),
    [(SuitRule.SAME, "S"), (SuitRule.ALTERNATE, "HD"), (SuitRule.ANY, "SHCD")],
)
def test_suits_upon_a_spade(rule: SuitRule, agreeing: str) -> None:
    """On a spade goes a spade, a red card, or any card, as the rule wants it."""
    below = parse("5S")
    assert list(agreeing) == [suit for suit in "SHCD" if suits_agree(rule, below, parse(f"4{suit}"))]


@pytest.mark.parametrize(("delta", "ranks"), [(-1, ["4"]), (1, ["6"]), (0, ["5"]), (2, ["7"])])
def test_ranks_upon_a_five(delta: int, ranks: list[str]) -> None:
    """The next rank is the last one plus the way's own step."""
    build = Build(delta=delta, suit=SuitRule.ANY)
    fitting = [rank for rank in "A23456789TJQK" if follows(build, parse("5S"), parse(f"{rank}H"), wrap=False)]
    assert ranks == fitting


@pytest.mark.parametrize(("wrap", "fits"), [(True, True), (False, False)])
@pytest.mark.parametrize(("below", "above", "delta"), [("AS", "KH", -1), ("KS", "AH", 1), ("QS", "AH", 2)])
def test_going_round(below: str, above: str, delta: int, wrap: bool, fits: bool) -> None:
    """A sequence goes round from ace to king, or from king to ace, only where ranks go round."""
    assert fits == follows(Build(delta=delta), parse(below), parse(above), wrap)
