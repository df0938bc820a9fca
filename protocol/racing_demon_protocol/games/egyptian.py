"""The Egyptian."""

from racing_demon_protocol.engine.specification import Deal, Doubt, Geometry

from .common import ACES_OUT, DOWN_IN_SUIT, UP_IN_SUIT, aces, columns, solitaire

GAME = solitaire(
    "egyptian",
    "The Egyptian",
    "Cheney 17",
    groups=(
        aces(),
        columns(
            (5,) * 8 + (4,) * 2,
            name="wings",
            build=(DOWN_IN_SUIT, UP_IN_SUIT),
            geometry=Geometry.FANS,
            rows=(2,) * 5,
        ),
    ),
    deal=(ACES_OUT, Deal(to="wings")),
    text=(
        "The aces stand one above another, with a row of five cards on either side of each, and two rows of "
        "four below. Only the outer ends can be played. Families build up in suit; the ends build on each "
        "other up or down in suit, one card at a time, and any end card may fill a cleared row."
    ),
    doubts=(
        Doubt("Do both wings form one row?", "No: each wing is a row of its own.", "wings.shape"),
        Doubt("May a card be drawn?", "No; the variant egyptian-draw allows one.", "specials"),
    ),
)
