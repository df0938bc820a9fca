"""Racing Demon, the classic game."""

from racing_demon_protocol.engine.specification import (
    Deal,
    Doubt,
    Foundations,
    Game,
    Goal,
    Reserve,
    Scoring,
    Stock,
    Tableau,
    Waste,
)

from .racing_demon import BASE_DOUBTS

SCORING = Scoring(reserve_card=-2)

GAME = Game(
    name="classic",
    title="Nerts",
    source="the standard game",
    text=(
        "The standard game, also known as Nerts or Pounce. Everybody has a reserve of thirteen cards, which"
        " many call the heap or the Nerts pile, the top one face up, and four columns; all build on shared"
        " foundations. The first to empty the reserve goes out. Each of your own cards on the foundations"
        " scores one point; each card left in the reserve costs two."
    ),
    groups=(Foundations(), Stock(), Waste(), Reserve(size=13), Tableau(shape=(1, 1, 1, 1))),
    deal=(Deal(to="reserve"), Deal(to="tableau")),
    goal=Goal.RESERVE_EMPTY,
    scoring=SCORING,
    doubts=(
        *BASE_DOUBTS,
        Doubt("What fills an empty column?", "Any free card, if you like.", "tableau.space.fill"),
        Doubt("What does a card left in the reserve cost?", "Two points.", "scoring.reserve_card"),
        Doubt("What is going out worth?", f"{SCORING.out_bonus} points.", "scoring.out_bonus"),
    ),
)
"""The standard game, also known as Nerts or Pounce: the first to empty the reserve is out."""
