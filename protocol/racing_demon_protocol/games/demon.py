"""Games around a demon: a reserve of thirteen and four columns."""

from ..board import Shows
from ..declaration import (
    Base,
    Deal,
    Filler,
    Foundations,
    Game,
    Goal,
    Owner,
    Reserve,
    Scoring,
    Space,
    Stock,
    Tableau,
    TailRule,
    Unit,
    Waste,
)

__all__ = ["CLASSIC", "DEMON_A", "DEMON_B", "FOOLIANA"]

FOUR_COLUMNS = (1, 1, 1, 1)
DEMON_SIZE = 13

CLASSIC = Game(
    name="classic",
    title="Racing Demon, the classic game",
    source="catalogue 1.9",
    groups=(
        Foundations(),
        Stock(),
        Waste(),
        Reserve(size=DEMON_SIZE),
        Tableau(shape=FOUR_COLUMNS),
    ),
    deal=(Deal(to="reserve"), Deal(to="tableau")),
    goal=Goal.RESERVE_EMPTY,
    scoring=Scoring(reserve_card=-2, out_bonus=10),
)
"""The standard game, also known as Nerts or Pounce: the first to empty the reserve is out."""


def _demon(  # noqa: PLR0913
    *, name: str, title: str, source: str, deal: tuple[str, ...], reserve: Reserve, unit: Unit, space: Space
) -> Game:
    """Declare a solitaire demon: first-card base, ranks that go round, spaces filled by the reserve."""
    return Game(
        name=name,
        title=title,
        source=source,
        groups=(
            Foundations(owner=Owner.PLAYER, base=Base.FIRST, wrap=True),
            Stock(tail_rule=TailRule.EITHER2),
            Waste(),
            reserve,
            Tableau(shape=FOUR_COLUMNS, wrap=True, unit=unit, space=space),
        ),
        deal=tuple(Deal(to=to, count=1 if to == "foundation" else None) for to in deal),
        scoring=Scoring(out_bonus=0),
    )


DEMON_A = _demon(
    name="demon-a",
    title="Demon, with the heap face down",
    source="seed 000, catalogue 2.1",
    deal=("tableau", "reserve", "foundation"),
    reserve=Reserve(size=DEMON_SIZE, shows=Shows.NONE, playable=False),
    unit=Unit.WHOLE,
    space=Space(fill=(Filler.RESERVE,)),
)

DEMON_B = _demon(
    name="demon-b",
    title="Demon, with the heap face up",
    source="seed 001, catalogue 2.2",
    deal=("reserve", "tableau", "foundation"),
    reserve=Reserve(size=DEMON_SIZE),
    unit=Unit.WHOLE,
    space=Space(fill=(Filler.RESERVE,)),
)
"""Without the grace of seed 001: that is a special rule of its own."""

FOOLIANA = _demon(
    name="fooliana",
    title="Fooliana",
    source="seed 004 entry 36, catalogue 2.3",
    deal=("reserve", "foundation", "tableau"),
    reserve=Reserve(size=DEMON_SIZE),
    unit=Unit.TAIL,
    space=Space(fill=(Filler.RESERVE, Filler.STOCK_BOTTOM)),
)
"""When the heap is gone, the bottom card of the stock fills the spaces, while there is one (D5)."""
