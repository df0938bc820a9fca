"""Beleaguered Castle."""

from racing_demon_protocol.engine.board import Shows
from racing_demon_protocol.engine.specification import Build, Deal, Geometry, SuitRule, Tableau, Unit

from .common import ACES_OUT, aces, solitaire

GAME = solitaire(
    "beleaguered-castle",
    "Beleaguered Castle",
    "commonly known",
    groups=(
        aces(),
        Tableau(
            shape=(6,) * 8,
            shows=Shows.ALL,
            build=(Build(suit=SuitRule.ANY),),
            unit=Unit.ONE,
            geometry=Geometry.FANS,
            rows=(2,) * 4,
        ),
    ),
    deal=(ACES_OUT, Deal(to="tableau", rows=True)),
    text=(
        "The aces stand in the middle, and the other cards lie in eight rows of six around them, all face up."
        " Families build up in suit. Build down on the rows in any suit, one card at a time. Any card fills "
        "an empty row."
    ),
)
