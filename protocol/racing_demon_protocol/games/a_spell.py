"""A Spell."""

from racing_demon_protocol.engine.mechanics.common import Out
from racing_demon_protocol.engine.mechanics.script import Beat, Script, ScriptStep
from racing_demon_protocol.engine.specification import Cells, Deal, Doubt, Game, Goal, Racing, Scoring, Stock

from .common import RANK_WORDS

SPELL_WORDS = tuple(word.replace("jack", "knave") for word in RANK_WORDS)
"""With ``jack`` the last three cards of Cheney 41 come out wrong."""


def _spell(number: int, word: str) -> Beat:
    """Move a card to the bottom of the pack for each letter; the next one is the named card."""
    letter = (ScriptStep(("stock", 0), ("hand", 0)), ScriptStep(("hand", 0), ("stock", 0)))
    return Beat("-".join(word.upper()), (*(letter * len(word)), ScriptStep(("stock", 0), ("row", number))))


GAME = Game(
    name="a-spell",
    title="A Spell",
    source="Cheney 41",
    groups=(
        Stock(turn=1, under=True),
        Cells(name="hand", count=1, counts=True),
        Cells(name="row", count=13),
        Out(name="aside"),
    ),
    deal=(Deal(to="aside", count=39),),
    goal=Goal.OWN_RULE,
    scoring=Scoring(out_bonus=0),
    mechanic=Script(
        order=tuple(f"{rank}H" for rank in "387AK642QJT95"),
        beats=tuple(_spell(number, word) for number, word in enumerate(SPELL_WORDS)),
    ),
    racing=Racing.SOLO,
    skill=0,
    text=(
        "A trick, not a game. One suit lies stacked in a secret order. For each letter of a card's name, one "
        "card goes from the top to the bottom of the pack, and the next is the card that was named: ace, two,"
        " three, and so on. The knave must be called that, and not jack."
    ),
    doubts=(
        Doubt(
            "How are the first and the eleventh card spelled?",
            "Ace and knave. One works as well as ace; with jack the last three cards come out wrong.",
            "mechanic.beats",
        ),
    ),
)
